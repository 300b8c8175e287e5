/* The report of `ritz integrate`: one list of fields, printed as JSON or text and kept in records. */
#include "fields.h"
#include "integrate.h"
#include "plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_case(ritz_cli_fields *l, const ritz_integrate_arguments *a, const ritz_integral *in,
                     ritz_device *device, const ritz_measurement *m)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    ritz_cli_add_text(l, "command", "%s", a->command ? a->command : "integrate");
    ritz_cli_add_text(l, "device.name", "%s", info->name);
    ritz_cli_add_text(l, "device.platform", "%s", info->platform);
    ritz_cli_add_text(l, "device.driver", "%s", info->driver);
    ritz_cli_add_text(l, "cell", "%s", ritz_cell_name(in->batch->cell));
    ritz_cli_add_integer(l, "order", in->space->order);
    ritz_cli_add_text(l, "form", "%s", in->form->name);
    ritz_cli_add_text(l, "method", "%s", m->method->name);
    ritz_cli_add_text(l, "precision", "%s", a->precision == RITZ_F64 ? "f64" : "f32");
    ritz_cli_add_text(l, "result", "%s", ritz_cli_result_name(in->result));
    ritz_cli_add_integer(l, "elements", in->batch->n_cells);
    ritz_cli_add_integer(l, "shape_functions", in->batch->n_shape);
    const int degree = ritz_integral_degree(in);
    ritz_cli_add_integer(l, "quadrature_points", ritz_quadrature_n_points(in->batch->cell, degree));
    ritz_cli_add_integer(l, "quadrature_degree", degree);
}

static void add_parameters(ritz_cli_fields *l, const ritz_measurement *m)
{
    ritz_cli_add_plan(l, m->method, &m->plan);
    ritz_cli_add_integer(l, "parameters.chunk_elements", m->chunk);
    ritz_cli_add_integer(l, "parameters.chunks", m->n_chunks);
}

static double total_seconds(const ritz_measurement *m)
{
    return m->prepare_input + m->allocate + m->transfer_input + m->kernel + m->transfer_output;
}

static void add_seconds(ritz_cli_fields *l, const ritz_measurement *m)
{
    ritz_cli_add_number(l, "seconds.prepare_input", m->prepare_input);
    ritz_cli_add_number(l, "seconds.allocate", m->allocate);
    ritz_cli_add_number(l, "seconds.transfer_input", m->transfer_input);
    ritz_cli_add_number(l, "seconds.kernel", m->kernel);
    ritz_cli_add_number(l, "seconds.transfer_output", m->transfer_output);
    ritz_cli_add_number(l, "seconds.total", total_seconds(m));
    ritz_cli_add_number(l, "seconds.elapsed", m->elapsed);
    ritz_cli_add_number(l, "seconds.kernel_least", m->kernel_least);
    ritz_cli_add_number(l, "seconds.compile", m->compile);
}

/* Speed, and the roofline over the time it took. */
static void add_speed(ritz_cli_fields *l, const ritz_integrate_arguments *a, const ritz_integral *in,
                      const ritz_measurement *m, const ritz_device_ceilings *ceilings)
{
    const double seconds = m->kernel / in->batch->n_cells, bytes = m->work.input_bytes + m->work.output_bytes;
    const char *bound;
    const double least = ritz_cli_least_seconds(&m->work, a->precision, ceilings, &bound);
    ritz_cli_add_number(l, "kernel_ns_per_element", 1e9 * seconds);
    ritz_cli_add_number(l, "flops_per_element", m->work.paper_operations);
    ritz_cli_add_number(l, "gflops", 1e-9 * m->work.paper_operations / seconds);
    ritz_cli_add_number(l, "bytes_per_element", bytes);
    ritz_cli_add_number(l, "bandwidth_gb_s", 1e-9 * bytes / seconds);
    ritz_cli_add_text(l, "bound", "%s", bound);
    ritz_cli_add_number(l, "roofline_fraction", least / seconds);
}

static void add_check(ritz_cli_fields *l, const ritz_integrate_arguments *a, const ritz_integral *in,
                      const ritz_measurement *m, const ritz_device_ceilings *ceilings)
{
    const double elements_a_second = in->batch->n_cells / m->kernel, rate = ritz_cli_best_rate(a->precision, ceilings);
    ritz_cli_add_number(l, "max_relative_error", m->matrix_error);
    ritz_cli_add_number(l, "max_relative_vector_error", m->vector_error);
    ritz_cli_add_number(l, "tolerance", m->plan.approximate ? NAN : ritz_measure_tolerance(a->precision));
    ritz_cli_add_integer(l, "checked_elements", m->n_checked);
    ritz_cli_add_text(l, "flops_source", "%s", m->work.paper_source);
    ritz_cli_add_number(l, "operations_per_element", m->work.operations);
    ritz_cli_add_number(l, "operations_gflops", 1e-9 * m->work.operations * elements_a_second);
    /* Krużel and Banaś (2013), Table 6 */
    ritz_cli_add_number(l, "internal_gflops", 1e-9 * m->work.operations * elements_a_second);
    ritz_cli_add_number(l, "external_gflops", 1e-9 * m->work.paper_operations * in->batch->n_cells / total_seconds(m));
    ritz_cli_add_number(l, "ceiling_fraction",
                        rate > 0 ? 1e-9 * m->work.paper_operations * elements_a_second / rate : NAN);
}

/* What each device did, where there are several. */
static void add_devices(ritz_cli_fields *l, const ritz_integral *in, const ritz_measurement *m)
{
    for (int k = 0; k < m->n_devices && m->n_devices > 1; k++) {
        const ritz_device_share *d = &m->devices[k];
        const struct {
            const char *name;
            double number;
        } numbers[] = {{"share", (double)d->n_elements / in->batch->n_cells},
                       {"kernel", d->kernel},
                       {"elements_per_second", (double)d->n_elements / d->kernel},
                       {"transfer_output", d->transfer}};
        const struct {
            const char *name;
            int64_t integer;
        } integers[] = {{"elements", d->n_elements},        {"chunks", d->n_chunks},
                        {"chunk_elements", d->chunk},       {"interleave", d->plan.layout.width},
                        {"work_group", d->plan.local_size}, {"peak_device_bytes", d->peak_device_bytes}};
        char name[48];
        snprintf(name, sizeof name, "devices[%d].name", k);
        ritz_cli_add_text(l, name, "%s", d->device->name);
        snprintf(name, sizeof name, "devices[%d].method", k);
        ritz_cli_add_text(l, name, "%s", d->method->name);
        for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
            snprintf(name, sizeof name, "devices[%d].%s", k, integers[i].name);
            ritz_cli_add_integer(l, name, integers[i].integer);
        }
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            snprintf(name, sizeof name, "devices[%d].%s", k, numbers[i].name);
            ritz_cli_add_number(l, name, numbers[i].number);
        }
    }
}

/* How to get the same run again, and what it took of the device. */
static void add_setting(ritz_cli_fields *l, const ritz_integrate_arguments *a, const ritz_integral *in,
                        const ritz_measurement *m)
{
    ritz_cli_add_integer(l, "repeat", m->repeat);
    ritz_cli_add_integer(l, "seed", a->seed);
    if (a->is_box)
        ritz_cli_add_text(l, "mesh", in->space->dim == 3 ? "box %dx%dx%d" : "box %dx%d", (int)a->box.cells[0],
                          (int)a->box.cells[1], (int)a->box.cells[2]);
    else
        ritz_cli_add_text(l, "mesh", "%s", a->mesh);
    ritz_cli_add_number(l, "distort", a->is_box ? a->box.distort : 0);
    ritz_cli_add_integer(l, "geometry_order", in->batch->block->geometry_order);
    ritz_cli_add_texts(l, "data", a->data, a->n_data);
    ritz_cli_add_texts(l, "settings", a->settings, a->n_settings);
    ritz_cli_add_integer(l, "peak_device_bytes", m->peak_device_bytes);
    ritz_cli_add_origin(l);
}

ritz_status ritz_integrate_fields(const ritz_integrate_arguments *a, const ritz_integral *in, ritz_device *device,
                                  const ritz_measurement *m, const ritz_device_ceilings *ceilings, const char *when,
                                  ritz_record_field **fields, int *n_fields)
{
    ritz_status status = RITZ_OK;
    ritz_cli_fields l;
    RITZ_TRY(ritz_cli_fields_create(&l));
    add_case(&l, a, in, device, m);
    add_parameters(&l, m);
    add_seconds(&l, m);
    add_speed(&l, a, in, m, ceilings);
    add_check(&l, a, in, m, ceilings);
    ritz_cli_add_number(&l, "ceilings.copy_gb_s", ceilings->copy_gb_s);
    ritz_cli_add_number(&l, "ceilings.store_gb_s", ceilings->store_gb_s);
    ritz_cli_add_number(&l, "ceilings.f32_gflop_s", ceilings->f32_gflop_s);
    ritz_cli_add_number(&l, "ceilings.f64_gflop_s", ceilings->f64_gflop_s);
    ritz_cli_add_text(&l, "ceilings.measured", "%s", when);
    if (a->checksum || in->result == RITZ_RESULT_CHECKSUM)
        ritz_cli_add_text(&l, "checksum", "%016" PRIx64, m->checksum);
    add_devices(&l, in, m);
    add_setting(&l, a, in, m);
    *fields = l.fields;
    *n_fields = l.n;
done:
    return status;
}

void ritz_integrate_print_json(const ritz_record_field *fields, int n_fields)
{
    ritz_json json = {.file = stdout};
    ritz_json_open(&json, NULL, '{');
    ritz_cli_json_fields(&json, fields, n_fields);
    ritz_json_close(&json, '}');
}

void ritz_integrate_print_text(const ritz_record_field *fields, int n_fields)
{
    ritz_cli_print_fields(fields, n_fields);
}
