/* The report of `ritz integrate`: one list of fields, printed as JSON or text and kept in records. */
#include "integrate.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

enum { MAX_FIELDS = 96 };

typedef struct list {
    ritz_record_field *fields;
    int n;
} list;

static ritz_record_field *next_field(list *l, const char *name, ritz_field_kind kind)
{
    ritz_record_field *field = &l->fields[l->n < MAX_FIELDS ? l->n++ : MAX_FIELDS - 1];
    field->kind = kind;
    snprintf(field->name, sizeof field->name, "%s", name);
    return field;
}

static void add_number(list *l, const char *name, double number)
{
    next_field(l, name, RITZ_FIELD_NUMBER)->number = number;
}

static void add_integer(list *l, const char *name, int64_t integer)
{
    next_field(l, name, RITZ_FIELD_INTEGER)->integer = integer;
}

static void add_text(list *l, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_text(list *l, const char *name, const char *format, ...)
{
    ritz_record_field *field = next_field(l, name, RITZ_FIELD_TEXT);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field->text, sizeof field->text, format, arguments);
    va_end(arguments);
}

/* Texts one after the other, with spaces between. */
static void add_texts(list *l, const char *name, const char *const *texts, int n)
{
    char joined[256] = "";
    for (int k = 0; k < n; k++) {
        const size_t used = strlen(joined);
        snprintf(joined + used, sizeof joined - used, "%s%s", k ? " " : "", texts[k]);
    }
    add_text(l, name, "%s", joined);
}

static void add_case(list *l, const ritz_integrate_arguments *a, const ritz_integral *in, ritz_device *device,
                     const ritz_measurement *m)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    add_text(l, "command", "integrate");
    add_text(l, "device.name", "%s", info->name);
    add_text(l, "device.platform", "%s", info->platform);
    add_text(l, "device.driver", "%s", info->driver);
    add_text(l, "cell", "%s", ritz_cell_name(in->batch->cell));
    add_integer(l, "order", in->space->order);
    add_text(l, "form", "%s", in->form->name);
    add_text(l, "method", "%s", m->method->name);
    add_text(l, "precision", "%s", a->precision == RITZ_F64 ? "f64" : "f32");
    add_integer(l, "elements", in->batch->n_cells);
    add_integer(l, "shape_functions", in->batch->n_shape);
    add_integer(l, "quadrature_points", ritz_cell_n_quad(in->batch->cell, in->space->order));
}

/* The method's own parameters, then what every plan has. */
static void add_parameters(list *l, const ritz_measurement *m)
{
    char name[48];
    for (int p = 0; p < m->method->n_parameters; p++) {
        snprintf(name, sizeof name, "parameters.%s", m->method->parameters[p].name);
        add_integer(l, name, m->plan.parameters[p]);
    }
    const struct {
        const char *name;
        int64_t value;
    } general[] = {{"work_group", m->plan.local_size},   {"work_groups", m->plan.n_workers * m->plan.n_sharing},
                   {"interleave", m->plan.layout.width}, {"scratch_bytes", m->plan.scratch_bytes},
                   {"local_bytes", m->plan.local_bytes}, {"launch_elements", m->plan.launch_elements},
                   {"chunk_elements", m->chunk},         {"chunks", m->n_chunks}};
    for (size_t g = 0; g < sizeof general / sizeof general[0]; g++) {
        bool own = false; /* a parameter of the method goes by this name */
        for (int p = 0; p < m->method->n_parameters; p++)
            own = own || strcmp(m->method->parameters[p].name, general[g].name) == 0;
        snprintf(name, sizeof name, "parameters.%s", general[g].name);
        if (!own)
            add_integer(l, name, general[g].value);
    }
    for (int f = 0; f < m->plan.n_figures; f++) {
        snprintf(name, sizeof name, "parameters.%s", m->plan.figures[f].name);
        add_number(l, name, m->plan.figures[f].value);
    }
}

static void add_seconds(list *l, const ritz_measurement *m)
{
    add_number(l, "seconds.prepare_input", m->prepare_input);
    add_number(l, "seconds.allocate", m->allocate);
    add_number(l, "seconds.transfer_input", m->transfer_input);
    add_number(l, "seconds.kernel", m->kernel);
    add_number(l, "seconds.transfer_output", m->transfer_output);
    add_number(l, "seconds.total", m->prepare_input + m->allocate + m->transfer_input + m->kernel + m->transfer_output);
    add_number(l, "seconds.kernel_least", m->kernel_least);
    add_number(l, "seconds.compile", m->compile);
}

/* Speed, and the roofline: the time that moving the bytes or doing the operations takes at the device's measured
   best, whichever is longer, over the time it took. */
static void add_speed(list *l, const ritz_integrate_arguments *a, const ritz_integral *in, const ritz_measurement *m,
                      const ritz_device_ceilings *ceilings)
{
    const double seconds = m->kernel / in->batch->n_cells, bytes = m->work.input_bytes + m->work.output_bytes;
    const double operations = isnan(m->work.operations) ? m->work.paper_operations : m->work.operations;
    const double bandwidth = fmax(ceilings->copy_gb_s, ceilings->store_gb_s);
    const double rate = a->precision == RITZ_F64 ? ceilings->f64_gflop_s : ceilings->f32_gflop_s;
    const double memory = 1e-9 * bytes / bandwidth, compute = 1e-9 * operations / rate;
    const bool known = bandwidth > 0 && rate > 0;
    add_number(l, "kernel_ns_per_element", 1e9 * seconds);
    add_number(l, "flops_per_element", m->work.paper_operations);
    add_number(l, "gflops", 1e-9 * m->work.paper_operations / seconds);
    add_number(l, "bytes_per_element", bytes);
    add_number(l, "bandwidth_gb_s", 1e-9 * bytes / seconds);
    add_text(l, "bound", "%s", !known ? "unknown" : memory > compute ? "memory" : "compute");
    add_number(l, "roofline_fraction", known ? fmax(memory, compute) / seconds : NAN);
}

static void add_check(list *l, const ritz_integrate_arguments *a, const ritz_integral *in, const ritz_measurement *m)
{
    add_number(l, "max_relative_error", m->matrix_error);
    add_number(l, "max_relative_vector_error", m->vector_error);
    add_number(l, "tolerance", ritz_measure_tolerance(a->precision));
    add_integer(l, "checked_elements", m->n_checked);
    add_text(l, "flops_source", "%s", m->work.paper_source);
    add_number(l, "operations_per_element", m->work.operations);
    add_number(l, "operations_gflops", 1e-9 * m->work.operations * in->batch->n_cells / m->kernel);
}

/* How to get the same run again, and what it took of the device. */
static void add_setting(list *l, const ritz_integrate_arguments *a, const ritz_integral *in, const ritz_measurement *m)
{
    const time_t now = time(NULL);
    struct tm utc;
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    add_integer(l, "repeat", m->repeat);
    add_integer(l, "seed", a->seed);
    if (a->is_box)
        add_text(l, "mesh", in->space->dim == 3 ? "box %dx%dx%d" : "box %dx%d", (int)a->box.cells[0],
                 (int)a->box.cells[1], (int)a->box.cells[2]);
    else
        add_text(l, "mesh", "%s", a->mesh);
    add_number(l, "distort", a->is_box ? a->box.distort : 0);
    add_integer(l, "geometry_order", in->batch->block->geometry_order);
    add_texts(l, "data", a->data, a->n_data);
    add_texts(l, "settings", a->settings, a->n_settings);
    add_integer(l, "peak_device_bytes", m->peak_device_bytes);
    add_text(l, "date", "%s", date);
    add_text(l, "version", "%s", ritz_version());
}

ritz_status ritz_integrate_fields(const ritz_integrate_arguments *a, const ritz_integral *in, ritz_device *device,
                                  const ritz_measurement *m, const ritz_device_ceilings *ceilings, const char *when,
                                  ritz_record_field **fields, int *n_fields)
{
    ritz_status status = RITZ_OK;
    list l = {0};
    RITZ_NEW(l.fields, MAX_FIELDS);
    add_case(&l, a, in, device, m);
    add_parameters(&l, m);
    add_seconds(&l, m);
    add_speed(&l, a, in, m, ceilings);
    add_check(&l, a, in, m);
    add_number(&l, "ceilings.copy_gb_s", ceilings->copy_gb_s);
    add_number(&l, "ceilings.store_gb_s", ceilings->store_gb_s);
    add_number(&l, "ceilings.f32_gflop_s", ceilings->f32_gflop_s);
    add_number(&l, "ceilings.f64_gflop_s", ceilings->f64_gflop_s);
    add_text(&l, "ceilings.measured", "%s", when);
    add_setting(&l, a, in, m);
    *fields = l.fields;
    *n_fields = l.n;
done:
    return status;
}

void ritz_integrate_print_json(const ritz_record_field *fields, int n_fields)
{
    ritz_json json = {.file = stdout};
    char group[48] = ""; /* the object that is open */
    ritz_json_open(&json, NULL, '{');
    for (int f = 0; f < n_fields; f++) {
        const ritz_record_field *field = &fields[f];
        const char *dot = strchr(field->name, '.'), *key = dot ? dot + 1 : field->name;
        char own[48] = "";
        if (dot)
            snprintf(own, sizeof own, "%.*s", (int)(dot - field->name), field->name);
        if (strcmp(own, group) != 0) {
            if (*group)
                ritz_json_close(&json, '}');
            if (*own)
                ritz_json_open(&json, own, '{');
            memcpy(group, own, sizeof group);
        }
        if (field->kind == RITZ_FIELD_TEXT)
            ritz_json_text(&json, key, field->text);
        else if (field->kind == RITZ_FIELD_NUMBER)
            ritz_json_number(&json, key, field->number);
        else
            ritz_json_integer(&json, key, field->integer);
    }
    if (*group)
        ritz_json_close(&json, '}');
    ritz_json_close(&json, '}');
}

/* Fields in one column, those of a group under its name. */
void ritz_integrate_print_text(const ritz_record_field *fields, int n_fields)
{
    for (int f = 0; f < n_fields; f++) {
        const ritz_record_field *field = &fields[f];
        printf("%-28s ", field->name);
        if (field->kind == RITZ_FIELD_TEXT)
            printf("%s\n", field->text);
        else if (field->kind == RITZ_FIELD_INTEGER)
            printf("%" PRId64 "\n", field->integer);
        else if (isnan(field->number))
            printf("-\n");
        else
            printf("%.6g\n", field->number);
    }
}
