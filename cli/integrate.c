/* `ritz integrate`: element matrices of one kind of cell by one method: checked, timed, written, recorded. */
#include "integrate.h"

#include "device/ceilings.h"
#include "fields.h"
#include "physics/physics.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

static const char help[] =
    "Usage: ritz integrate (--mesh FILE | --box N1xN2[xN3] --cell CELL) --order P --form NAME [OPTION]...\n"
    "Computes the element matrices and vectors of all cells of one type on the device, compares a sample with the "
    "reference in\n"
    "double precision, and prints how long each step took beside what the device can do at best.\n\n"
    "  --mesh FILE             a mesh: .msh, .vtk, .unv, .bdf, .mesh, .stl, ...\n"
    "  --box N1xN2[xN3]        a box of so many cells (two numbers for tri and quad, three for tet, prism and hex)\n"
    "  --cell CELL             tri, quad, tet, prism or hex; needed for boxes and for meshes of several types\n"
    "  --distort X             moves the inner nodes of a box by up to X of a cell, 0 to 0.4 (default 0)\n"
    "  --order P               order of the shape functions, 1 to 7\n"
    "  --degree N              of the quadrature, 1 to 30: polynomials up to it are integrated exactly on a straight "
    "cell\n"
    "                          (default 2 P)\n"
    "  --form NAME             elasticity, poisson or another; left out, the message lists them; or the form.json of\n"
    "                          ritz compile\n"
    "  --data NAME=VALUE       a number, an expression of x y z and the old solution, or random numbers: one for each\n"
    "                          of the 'elements' (the default) or of their 'points'; may be repeated\n"
    "  --seed N                of the random numbers and of the sample (default 1)\n"
    "  --method NAME           of integration (default auto)\n"
    "  --set KEY=VALUE         a parameter of the method; may be repeated\n"
    "  --precision f32|f64     of the kernel (default f64)\n"
    "  --check N               elements that are compared with the reference (default 100)\n"
    "  --repeat N              timed runs, of which the median counts (default 5); 0: the run that is checked is "
    "timed\n"
    "  --device SELECTOR       auto, gpu, cpu, gpu:1, or part of a name; gpu+cpu: both at once, each a part of the "
    "elements\n"
    "  --max-device-bytes N    of all memory on each device; what does not fit passes through in chunks\n"
    "  --result WHAT           'matrices' are stored (default); or handed on in registers to a 'sum' of all entries, "
    "a\n"
    "                          'checksum' of their bits, or the 'action' on a random old solution (qss, sqs, ssq)\n"
    "  --checksum              prints a checksum of all element matrices and vectors; one run, unless --repeat is "
    "given\n"
    "  --output FILE           the element matrices as HDF5: matrices, vectors, cell_dofs, dof_coordinates\n"
    "  --record FILE           appends this run with all its parameters to an HDF5 file\n"
    "  --measure               measures the device's ceilings anew (else once for each device and driver)\n"
    "  --show-kernel           prints the kernel whole and runs nothing\n"
    "  --json                  print one JSON object\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed or an error above 1e-12 (f64), 2e-5 (f32), 2 wrong usage.\n\n"
    "Example: ritz integrate --box 16x16x16 --cell prism --distort 0.2 --order 3 --form elasticity --precision f32 "
    "--json\n";

/* "4x5x6" to numbers; how many there were, 0 if it is no box. */
static int read_box(const char *text, int32_t cells[3])
{
    int n = 0;
    for (const char *at = text;; n++) {
        char length_text[16];
        int64_t number;
        const size_t length = strcspn(at, "x");
        if (n == 3 || length == 0 || length >= sizeof length_text)
            return 0;
        snprintf(length_text, sizeof length_text, "%.*s", (int)length, at);
        if (!ritz_cli_read_integer(length_text, 1, INT32_MAX, &number))
            return 0;
        cells[n] = (int32_t)number;
        at += length;
        if (!*at)
            return n + 1;
        at++;
    }
}

enum {
    OPTION_MESH = 1,
    OPTION_BOX,
    OPTION_CELL,
    OPTION_DISTORT,
    OPTION_ORDER,
    OPTION_DEGREE,
    OPTION_FORM,
    OPTION_DATA,
    OPTION_SEED,
    OPTION_METHOD,
    OPTION_SET,
    OPTION_PRECISION,
    OPTION_CHECK,
    OPTION_REPEAT,
    OPTION_DEVICE,
    OPTION_BYTES,
    OPTION_OUTPUT,
    OPTION_RECORD,
    OPTION_MEASURE,
    OPTION_CHECKSUM,
    OPTION_RESULT,
    OPTION_SHOW,
    OPTION_JSON,
    OPTION_HELP
};

static const struct option options[] = {
    {"mesh", required_argument, NULL, OPTION_MESH},
    {"box", required_argument, NULL, OPTION_BOX},
    {"cell", required_argument, NULL, OPTION_CELL},
    {"distort", required_argument, NULL, OPTION_DISTORT},
    {"order", required_argument, NULL, OPTION_ORDER},
    {"degree", required_argument, NULL, OPTION_DEGREE},
    {"form", required_argument, NULL, OPTION_FORM},
    {"data", required_argument, NULL, OPTION_DATA},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"method", required_argument, NULL, OPTION_METHOD},
    {"set", required_argument, NULL, OPTION_SET},
    {"precision", required_argument, NULL, OPTION_PRECISION},
    {"check", required_argument, NULL, OPTION_CHECK},
    {"repeat", required_argument, NULL, OPTION_REPEAT},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"max-device-bytes", required_argument, NULL, OPTION_BYTES},
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"record", required_argument, NULL, OPTION_RECORD},
    {"measure", no_argument, NULL, OPTION_MEASURE},
    {"checksum", no_argument, NULL, OPTION_CHECKSUM},
    {"result", required_argument, NULL, OPTION_RESULT},
    {"show-kernel", no_argument, NULL, OPTION_SHOW},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

/* Options that are texts or switches; false if `option` is another. */
static bool take_text_or_switch(int option, ritz_integrate_arguments *a)
{
    const char **const texts[] = {
        [OPTION_MESH] = &a->mesh,     [OPTION_FORM] = &a->form,     [OPTION_METHOD] = &a->method,
        [OPTION_DEVICE] = &a->device, [OPTION_OUTPUT] = &a->output, [OPTION_RECORD] = &a->record,
        [OPTION_HELP] = NULL};
    bool *const switches[] = {[OPTION_MEASURE] = &a->measure,
                              [OPTION_SHOW] = &a->show_kernel,
                              [OPTION_CHECKSUM] = &a->checksum,
                              [OPTION_JSON] = &a->json,
                              [OPTION_HELP] = NULL};
    if (texts[option])
        *texts[option] = optarg;
    else if (switches[option])
        *switches[option] = true;
    else
        return false;
    return true;
}

/* Options that are whole numbers. */
static int take_integer(int option, ritz_integrate_arguments *a)
{
    const struct {
        const char *name;
        int64_t least, most;
        int64_t *number;
    } integers[] = {[OPTION_ORDER] = {"order", 1, RITZ_MAX_ORDER, &a->order},
                    [OPTION_DEGREE] = {"degree", 1, RITZ_MAX_DEGREE, &a->degree},
                    [OPTION_CHECK] = {"check", 1, INT32_MAX, &a->check},
                    [OPTION_REPEAT] = {"repeat", 0, 1000000, &a->repeat},
                    [OPTION_SEED] = {"seed", 0, INT64_MAX, &a->seed},
                    [OPTION_BYTES] = {"max-device-bytes", 1, INT64_MAX, &a->max_device_bytes}};
    a->has_repeat = a->has_repeat || option == OPTION_REPEAT;
    return ritz_cli_take_integer("integrate", integers[option].name, integers[option].least, integers[option].most,
                                 integers[option].number);
}

/* All other options. RITZ_EXIT_USAGE after a message. */
static int take_value(int option, ritz_integrate_arguments *a, int *box_numbers)
{
    switch (option) {
    case OPTION_BOX:
        a->is_box = true;
        if ((*box_numbers = read_box(optarg, a->box.cells)) < 2)
            return ritz_cli_usage("integrate", "--box takes two or three numbers of cells like 8x8x8, not '%s'",
                                  optarg);
        return RITZ_EXIT_DONE;
    case OPTION_CELL:
        a->has_cell = true;
        if (ritz_cell_from_name(optarg, &a->cell) != RITZ_OK)
            return ritz_cli_usage("integrate", "--cell: %s", ritz_message());
        return RITZ_EXIT_DONE;
    case OPTION_DISTORT:
        if (!ritz_cli_read_number(optarg, &a->box.distort) || a->box.distort < 0 || a->box.distort > 0.4)
            return ritz_cli_usage("integrate", "--distort takes a number from 0 to 0.4, not '%s'", optarg);
        return RITZ_EXIT_DONE;
    case OPTION_PRECISION:
        a->precision = strcmp(optarg, "f32") == 0 ? RITZ_F32 : RITZ_F64;
        if (a->precision == RITZ_F64 && strcmp(optarg, "f64") != 0)
            return ritz_cli_usage("integrate", "--precision takes f32 or f64, not '%s'", optarg);
        return RITZ_EXIT_DONE;
    case OPTION_RESULT:
        return ritz_cli_take_result("integrate", optarg, &a->result);
    case OPTION_SET:
        return ritz_cli_take_pair("integrate", "set", a->settings, &a->n_settings);
    case OPTION_DATA:
        return ritz_cli_take_pair("integrate", "data", a->data, &a->n_data);
    default:
        return take_integer(option, a);
    }
}

/* What the options must say together. */
static int check_combination(const ritz_integrate_arguments *a, int box_numbers)
{
    if (!a->mesh == !a->is_box)
        return ritz_cli_usage("integrate",
                              a->mesh ? "give either --mesh or --box, not both" : "either --mesh or --box is needed");
    if (a->is_box && !a->has_cell)
        return ritz_cli_usage("integrate", "--box needs --cell: tri, quad, tet, prism or hex");
    if (a->is_box && box_numbers != ritz_cell_dim(a->cell))
        return ritz_cli_usage("integrate", "a box of %s cells takes %d numbers in --box, not %d",
                              ritz_cell_name(a->cell), ritz_cell_dim(a->cell), box_numbers);
    if (!a->is_box && a->box.distort > 0)
        return ritz_cli_usage("integrate", "--distort is for boxes, not for the mesh of a file");
    if (a->output && a->record && strcmp(a->output, a->record) == 0)
        return ritz_cli_usage("integrate", "--output and --record are both '%s': give two different files", a->output);
    if (a->result != RITZ_RESULT_MATRICES && (a->output || a->checksum))
        return ritz_cli_usage("integrate", "--%s is for element matrices that are stored, not for --result %s%s",
                              a->output ? "output" : "checksum", ritz_cli_result_name(a->result),
                              a->result == RITZ_RESULT_CHECKSUM ? ", which prints their checksum" : "");
    if (!a->order)
        return ritz_cli_usage("integrate", "--order is needed: 1 to %d", RITZ_MAX_ORDER);
    if (!a->form) {
        char forms[512];
        const char *names[RITZ_PHYSICS_MOST];
        ritz_list_names(names, ritz_physics_names(true, names), forms, sizeof forms);
        return ritz_cli_usage("integrate", "--form is needed, one of %s", forms);
    }
    return RITZ_EXIT_DONE;
}

/* A status whose message is about the options: exit status 2. Others: 1. */
static int report_failure(ritz_status status)
{
    return status == RITZ_ERROR_INPUT ? ritz_cli_usage("integrate", "%s", ritz_message()) : ritz_cli_failed();
}

/* Everything a run holds. */
typedef struct integrate {
    const ritz_integrate_arguments *a;
    ritz_device *devices[RITZ_MAX_STREAMS];
    int n_devices;
    ritz_mesh *mesh;
    ritz_form *form;
    ritz_space *space;
    ritz_cli_data data;
    double *old; /* NULL: zeros */
    ritz_integral integral;
    ritz_element_file *file;
    ritz_measurement measurement;
    ritz_record_field *fields;
    int n_fields;
} integrate;

/* The batch of the cell that was asked for, or the only one. */
static int choose_batch(integrate *s)
{
    char names[64] = "";
    for (int b = 0; b < s->space->n_batches; b++) {
        strcat(strcat(names, b ? ", " : ""), ritz_cell_name(s->space->batches[b].cell));
        if (!s->a->has_cell || s->space->batches[b].cell == s->a->cell)
            s->integral.batch = &s->space->batches[b];
    }
    if (!s->a->has_cell && s->space->n_batches > 1)
        return ritz_cli_usage("integrate", "the mesh has cells of several types; choose one with --cell: %s", names);
    return s->integral.batch
               ? RITZ_EXIT_DONE
               : ritz_cli_usage("integrate", "the mesh has no %s cells; it has %s", ritz_cell_name(s->a->cell), names);
}

/* Mesh, form, space, data. */
static int create_integral(integrate *s)
{
    const ritz_integrate_arguments *a = s->a;
    ritz_box box = a->box;
    box.cell = a->cell;
    ritz_status status;
    if (a->is_box && (status = ritz_mesh_box(&box, &s->mesh)) != RITZ_OK)
        return report_failure(status);
    if (!a->is_box && ritz_mesh_read(a->mesh, &s->mesh) != RITZ_OK)
        return ritz_cli_failed();
    if ((status = ritz_cli_make_form(a->form, ritz_mesh_dim(s->mesh), &s->form)) != RITZ_OK)
        return report_failure(status);
    if (ritz_space_create(s->mesh, (int)a->order, ritz_form_n_components(s->form), &s->space) != RITZ_OK)
        return ritz_cli_failed();
    const int exit_status = choose_batch(s);
    if (exit_status != RITZ_EXIT_DONE)
        return exit_status;
    s->integral.space = s->space;
    s->integral.degree = a->degree ? (int)a->degree : ritz_form_degree(s->form, (int)a->order);
    const int n_quad = ritz_quadrature_n_points(s->integral.batch->cell, ritz_integral_degree(&s->integral));
    if ((status = ritz_cli_make_data(s->form, s->integral.batch->n_cells, n_quad, a, &s->data)) != RITZ_OK)
        return report_failure(status);
    s->integral.form = s->form;
    s->integral.data = s->data.datum;
    s->integral.result = a->result;
    if (ritz_cli_make_old(&s->integral, a->seed, &s->old) != RITZ_OK)
        return ritz_cli_failed();
    s->integral.old = s->old;
    return RITZ_EXIT_DONE;
}

static ritz_status write_elements(int64_t first, int64_t count, const double *matrices, const double *vectors,
                                  void *context)
{
    const integrate *s = context;
    return ritz_element_file_write(s->file, first, count, matrices, vectors);
}

static int show_kernel(integrate *s, const ritz_measure_options *o)
{
    char *source = NULL;
    const ritz_status status = ritz_measure_source(s->devices[0], &s->integral, o, &source);
    if (status != RITZ_OK)
        return report_failure(status);
    ritz_cli_end_progress();
    if (s->a->json) {
        ritz_json json = {.file = stdout};
        ritz_json_open(&json, NULL, '{');
        ritz_json_text(&json, "command", "integrate");
        ritz_json_text(&json, "kernel", source);
        ritz_json_close(&json, '}');
    } else {
        fputs(source, stdout);
    }
    ritz_free(source);
    return RITZ_EXIT_DONE;
}

/* What the devices can do together; measured anew where that is asked for. */
static ritz_status sum_ceilings(const integrate *s, bool anew, ritz_device_ceilings *sum, char when[32])
{
    ritz_status status = RITZ_OK;
    *sum = (ritz_device_ceilings){0};
    for (int k = 0; k < s->n_devices; k++) {
        ritz_device_ceilings ceilings;
        RITZ_TRY(ritz_device_known_ceilings(s->devices[k], anew, &ceilings, when));
        sum->copy_gb_s += ceilings.copy_gb_s;
        sum->store_gb_s += ceilings.store_gb_s;
        sum->f32_gflop_s += ceilings.f32_gflop_s;
        sum->f64_gflop_s += ceilings.f64_gflop_s;
    }
done:
    return status;
}

/* The figures, with the ceilings that make sense of them. */
static ritz_status take_fields(integrate *s)
{
    ritz_status status = RITZ_OK;
    ritz_device_ceilings ceilings;
    char when[32] = "";
    bool again = false, anew = s->a->measure;
    do {
        RITZ_TRY(sum_ceilings(s, anew, &ceilings, when));
        ritz_free(s->fields);
        s->fields = NULL;
        RITZ_TRY(ritz_integrate_fields(s->a, &s->integral, s->devices[0], &s->measurement, &ceilings, when, &s->fields,
                                       &s->n_fields));
        anew = false;
        again = false;
        for (int k = 0; k < s->n_devices; k++) {
            bool doubted;
            RITZ_TRY(ritz_device_check_share(
                s->devices[k], ritz_cli_find_number(s->fields, s->n_fields, "roofline_fraction"), &doubted));
            again = again || doubted;
        }
    } while (again);
done:
    return status;
}

/* Fields, files and report of a run that was measured. */
static int print_report(integrate *s)
{
    const ritz_measurement *m = &s->measurement;
    const double error = fmax(m->matrix_error, isnan(m->vector_error) ? 0 : m->vector_error);
    const bool good = m->plan.approximate ? isfinite(error) : ritz_measurement_is_accurate(m, s->a->precision);
    if (take_fields(s) != RITZ_OK)
        return ritz_cli_failed();
    if (good && s->file) {
        if (ritz_element_file_finish(&s->file, s->fields, s->n_fields) != RITZ_OK)
            return ritz_cli_failed();
        ritz_cli_output_written();
    }
    if (s->a->record && ritz_record_append(s->a->record, "integrate", s->fields, s->n_fields) != RITZ_OK)
        return ritz_cli_failed();
    ritz_cli_end_progress();
    if (s->a->json)
        ritz_integrate_print_json(s->fields, s->n_fields);
    else
        ritz_integrate_print_text(s->fields, s->n_fields);
    if (good && m->plan.approximate)
        fprintf(stderr,
                "ritz: the Jacobian terms are projected, as asked for: entries are up to %.3g of the largest from the "
                "quadrature's\n",
                error);
    if (good)
        return RITZ_EXIT_DONE;
    ritz_fail(RITZ_ERROR_DEVICE,
              "%s is wrong by %.3g of the largest entry, more than %.3g, on '%s'; no element matrices are written",
              m->method->name, error, ritz_measure_tolerance(s->a->precision),
              s->n_devices > 1 ? s->a->device : ritz_device_get_info(s->devices[0])->name);
    return ritz_cli_failed();
}

/* "gpu+cpu" is two devices at once; a selector without + is one. */
static int open_devices(integrate *s)
{
    for (const char *at = s->a->device ? s->a->device : "auto"; at;) {
        char selector[128];
        const size_t length = strcspn(at, "+");
        if (length == 0 || length >= sizeof selector || s->n_devices == RITZ_MAX_STREAMS)
            return ritz_cli_usage("integrate", "--device takes up to %d devices with a + between them, not '%s'",
                                  RITZ_MAX_STREAMS, s->a->device);
        snprintf(selector, sizeof selector, "%.*s", (int)length, at);
        if (ritz_device_open(selector, &s->devices[s->n_devices]) != RITZ_OK)
            return ritz_cli_failed();
        s->n_devices++;
        at = at[length] ? at + length + 1 : NULL;
    }
    return s->a->show_kernel && s->n_devices > 1
               ? ritz_cli_usage("integrate", "--show-kernel shows the kernel of one --device, not of '%s'",
                                s->a->device)
               : RITZ_EXIT_DONE;
}

/* Which passes are timed: the option's number; with a checksum, or for 0, the one that brings all to the host. */
static int timed_passes(const ritz_integrate_arguments *a)
{
    if (!a->has_repeat)
        return a->checksum ? RITZ_REPEAT_NONE : 0;
    return a->repeat > 0 ? (int)a->repeat : RITZ_REPEAT_NONE;
}

static int run_integrate(integrate *s)
{
    const ritz_integrate_arguments *a = s->a;
    ritz_measure_options o = {.method = a->method,
                              .settings = a->settings,
                              .n_settings = a->n_settings,
                              .precision = a->precision,
                              .repeat = timed_passes(a),
                              .checksum = a->checksum || a->result == RITZ_RESULT_CHECKSUM,
                              .max_device_bytes = a->max_device_bytes,
                              .sample = (int32_t)a->check,
                              .seed = (uint64_t)a->seed};
    if (a->output && ritz_cli_watch_output(a->output) != RITZ_OK)
        return ritz_cli_failed();
    int exit_status = create_integral(s);
    if (exit_status != RITZ_EXIT_DONE)
        return exit_status;
    if ((exit_status = open_devices(s)) != RITZ_EXIT_DONE)
        return exit_status;
    if (a->show_kernel)
        return show_kernel(s, &o);
    if (a->output) {
        if (ritz_element_file_create(a->output, s->space, s->integral.batch, s->form->n_components, a->precision,
                                     &s->file) != RITZ_OK)
            return ritz_cli_failed();
        o.sink = write_elements;
        o.context = s;
    }
    const ritz_status status = ritz_measure_devices(s->devices, s->n_devices, &s->integral, &o, &s->measurement);
    return status == RITZ_OK ? print_report(s) : report_failure(status);
}

int ritz_command_integrate(int argc, char **argv)
{
    ritz_integrate_arguments a = {.seed = 1};
    int box_numbers = 0, exit_status;
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == OPTION_HELP || option == 'h') {
            fputs(help, stdout);
            return RITZ_EXIT_DONE;
        }
        if (option == '?')
            return ritz_cli_usage("integrate", NULL);
        if (!take_text_or_switch(option, &a) && (exit_status = take_value(option, &a, &box_numbers)) != RITZ_EXIT_DONE)
            return exit_status;
    }
    if (optind < argc)
        return ritz_cli_usage("integrate", "'%s' is not an option", argv[optind]);
    if ((exit_status = check_combination(&a, box_numbers)) != RITZ_EXIT_DONE)
        return exit_status;
    ritz_cli_show_progress();
    ritz_cli_show_notes();
    integrate s = {.a = &a};
    exit_status = run_integrate(&s);
    ritz_free(s.fields);
    ritz_measurement_clear(&s.measurement);
    ritz_element_file_destroy(&s.file);
    ritz_cli_free_data(&s.data);
    ritz_free(s.old);
    ritz_space_destroy(&s.space);
    ritz_form_destroy(&s.form);
    ritz_mesh_destroy(&s.mesh);
    for (int k = 0; k < s.n_devices; k++)
        ritz_device_close(&s.devices[k]);
    return exit_status;
}
