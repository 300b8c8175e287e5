/* The whole pipeline on a box under its own weight, clamped at x0: each stage's time as a share of the whole and its
   least bytes over the measured copy bandwidth, beside the checks: sampled element matrices against the reference,
   the solution's true residual.

       build/bench/pipeline                       60^3 hexes, order 1, elasticity, the default device
       build/bench/pipeline --device gpu --cells 160
       build/bench/pipeline --cell tet --cells 40 --order 2 */
#include "assemble/assemble.h"
#include "solve/solve.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS = 30, REPEATS = 5 };

typedef struct setup {
    const char *device;
    ritz_cell cell;
    int cells, order;
    ritz_precision precision;
    ritz_assemble_scheme scheme;
    double tolerance;
} setup;

typedef struct figures {
    int64_t unknowns, n_cells, nonzeros, matrix_bytes;
    double mesh, space, pattern, integrate, assemble, product, solve;
    int64_t peak_host_bytes;
    double copy_gb_s, element_error;
    ritz_solve_report report;
    ritz_device_counters before_solve, after_solve;
} figures;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Worst error of 100 elements spread over the mesh, relative to the largest entry of each. */
static ritz_status check_elements(ritz_device *device, const ritz_integral *integral, ritz_precision precision,
                                  double *error)
{
    enum { SAMPLE = 100 };
    ritz_status status = RITZ_OK;
    ritz_integrator *integrator = NULL;
    ritz_buffer *matrices = NULL, *vectors = NULL;
    double *expected = NULL, *got = NULL;
    char *room = NULL;
    int32_t cells[SAMPLE];
    RITZ_TRY(ritz_integrator_create(device, integral, NULL, NULL, 0, precision, &integrator));
    const ritz_layout *layout = ritz_integrator_layout(integrator);
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->form->n_components,
                  real = ritz_real_bytes(precision);
    const int64_t run = layout->width; /* elements launched at once, of which one is compared */
    RITZ_TRY(ritz_buffer_create(device, run * layout->matrix_entries * real, "element matrices", &matrices));
    RITZ_TRY(
        ritz_buffer_create(device, ritz_max64(8, run * layout->vector_entries * real), "element vectors", &vectors));
    RITZ_NEW(room, ritz_buffer_bytes(matrices));
    RITZ_NEW(expected, SAMPLE * rows * rows);
    RITZ_NEW(got, rows * rows);
    for (int k = 0; k < SAMPLE; k++)
        cells[k] = (int32_t)((int64_t)k * integral->batch->n_cells / SAMPLE);
    RITZ_TRY(ritz_integrate_reference(integral, cells, SAMPLE, expected, NULL));
    *error = 0;
    for (int k = 0; k < SAMPLE; k++) {
        const int32_t first = cells[k] / (int32_t)run * (int32_t)run;
        const int32_t count = (int32_t)ritz_min64(run, integral->batch->n_cells - first);
        RITZ_TRY(ritz_integrator_run(integrator, first, count, matrices, vectors, NULL));
        RITZ_TRY(ritz_buffer_read(matrices, 0, room, ritz_buffer_bytes(matrices)));
        ritz_layout_element(layout, cells[k] - first, precision, room, NULL, integral->batch->n_shape,
                            integral->form->n_components, got, NULL);
        double difference = 0, largest = 0;
        for (int64_t n = 0; n < rows * rows; n++) {
            difference = fmax(difference, fabs(got[n] - expected[k * rows * rows + n]));
            largest = fmax(largest, fabs(expected[k * rows * rows + n]));
        }
        *error = fmax(*error, difference / largest);
    }
done:
    ritz_free(expected);
    ritz_free(got);
    ritz_free(room);
    ritz_buffer_destroy(&matrices);
    ritz_buffer_destroy(&vectors);
    ritz_integrator_destroy(&integrator);
    return status;
}

static ritz_status clamp_side(const ritz_space *space, ritz_constraints *constraints)
{
    ritz_status status = RITZ_OK;
    int32_t group, n_nodes, *nodes = NULL;
    RITZ_TRY(ritz_mesh_find_group(space->mesh, "x0", -1, &group));
    RITZ_TRY(ritz_space_group_nodes(space, group, &nodes, &n_nodes));
    for (int32_t n = 0; n < n_nodes; n++)
        for (int c = 0; c < space->n_components; c++)
            ritz_constraints_set(constraints, nodes[n], c, 0);
done:
    ritz_free(nodes);
    return status;
}

/* Median seconds of one product. */
static ritz_status time_products(ritz_device *device, const ritz_system *system, double *median)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *y = NULL;
    double seconds[PRODUCTS] = {0};
    RITZ_TRY(ritz_buffer_create(device, ritz_buffer_bytes(system->rhs), "a product", &y));
    RITZ_TRY(ritz_matrix_apply(system->matrix, system->rhs, y, &seconds[0]));
    for (int k = 0; k < PRODUCTS; k++) {
        seconds[k] = 0;
        RITZ_TRY(ritz_matrix_apply(system->matrix, system->rhs, y, &seconds[k]));
    }
    qsort(seconds, PRODUCTS, sizeof *seconds, by_value);
    *median = seconds[PRODUCTS / 2];
done:
    ritz_buffer_destroy(&y);
    return status;
}

static ritz_status solve_system(ritz_device *device, const ritz_system *system, double tolerance, figures *f)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *x = NULL;
    const ritz_solve_options options = {.tolerance = tolerance};
    RITZ_TRY(ritz_buffer_create(device, ritz_buffer_bytes(system->rhs), "the solution", &x));
    RITZ_TRY(ritz_buffer_zero(x));
    f->before_solve = *ritz_device_get_counters(device);
    const double begin = ritz_seconds();
    RITZ_TRY(ritz_solve_device(system->matrix, &options, system->rhs, x, &f->report));
    f->solve = ritz_seconds() - begin;
    f->after_solve = *ritz_device_get_counters(device);
done:
    ritz_buffer_destroy(&x);
    return status;
}

/* Assembles REPEATS times (the first builds programs) and keeps the medians. */
static ritz_status assemble_system(ritz_device *device, const ritz_assembly *assembly, const setup *s,
                                   ritz_system **system, figures *f)
{
    ritz_status status = RITZ_OK;
    double pattern[REPEATS], integrate[REPEATS], gather[REPEATS];
    const ritz_assemble_options options = {.precision = s->precision, .scheme = s->scheme};
    for (int r = -1; r < REPEATS; r++) {
        ritz_system_destroy(system);
        RITZ_TRY(ritz_assemble_system(device, assembly, &options, system));
        if (r < 0)
            continue;
        pattern[r] = (*system)->seconds_pattern;
        integrate[r] = (*system)->seconds_integrate;
        gather[r] = (*system)->seconds_assemble;
    }
    qsort(pattern, REPEATS, sizeof *pattern, by_value);
    qsort(integrate, REPEATS, sizeof *integrate, by_value);
    qsort(gather, REPEATS, sizeof *gather, by_value);
    f->pattern = pattern[REPEATS / 2];
    f->integrate = integrate[REPEATS / 2];
    f->assemble = gather[REPEATS / 2];
done:
    return status;
}

static ritz_status run_setup(ritz_device *device, const setup *s, figures *f)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_form *form = NULL;
    ritz_constraints *constraints = NULL;
    ritz_system *system = NULL;
    const int dim = ritz_cell_dim(s->cell);
    const ritz_box box = {.cell = s->cell, .cells = {s->cells, s->cells, s->cells}};
    const ritz_datum data_3d[RITZ_MAX_DATA] = {
        {.value = 1}, {.value = 0.3}, {.value = 0}, {.value = 0}, {.value = -1e-3}};
    const ritz_datum data_2d[RITZ_MAX_DATA] = {
        {.value = 1}, {.value = 0.3}, {.value = 1}, {.value = 0}, {.value = -1e-3}};
    const ritz_datum *data = dim == 3 ? data_3d : data_2d;
    double at = ritz_seconds();
    RITZ_TRY(ritz_mesh_box(&box, &mesh));
    f->mesh = ritz_seconds() - at;
    at = ritz_seconds();
    RITZ_TRY(ritz_form_create(dim == 3 ? "elasticity" : "plane-stress", dim, &form));
    RITZ_TRY(ritz_space_create(mesh, s->order, dim, &space));
    RITZ_TRY(ritz_constraints_create(space, &constraints));
    RITZ_TRY(clamp_side(space, constraints));
    f->space = ritz_seconds() - at;
    const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data};
    RITZ_TRY(check_elements(device, &integral, s->precision, &f->element_error));
    const ritz_assembly assembly = {.space = space, .form = form, .data = &data, .constraints = constraints};
    RITZ_TRY(assemble_system(device, &assembly, s, &system, f));
    f->unknowns = (int64_t)space->n_nodes * dim;
    f->n_cells = space->batches[0].n_cells;
    f->nonzeros = ritz_matrix_nonzeros(system->matrix);
    f->matrix_bytes = ritz_matrix_bytes(system->matrix);
    ritz_constraints_destroy(&constraints);
    RITZ_TRY(time_products(device, system, &f->product));
    RITZ_TRY(solve_system(device, system, s->tolerance, f));
done:
    ritz_system_destroy(&system);
    ritz_constraints_destroy(&constraints);
    ritz_form_destroy(&form);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    return status;
}

static void print_stage(const char *name, double seconds, double whole, double bytes, double copy_gb_s)
{
    printf("  %-12s %9.4f s  %5.1f %%", name, seconds, 100 * seconds / whole);
    if (bytes > 0)
        printf("   least bytes at copy bandwidth: %5.1f %% of the time", 100 * bytes / (copy_gb_s * 1e9) / seconds);
    printf("\n");
}

static void print_figures(ritz_device *device, const setup *s, const figures *f)
{
    const double whole = f->mesh + f->space + f->pattern + f->integrate + f->assemble + f->solve;
    const double real = (double)ritz_real_bytes(s->precision), vector = real * (double)f->unknowns;
    const double matrix = (double)f->matrix_bytes;
    /* An iteration reads the matrix once and passes over 5 vectors twice or so: x p r q d. */
    const double iteration = matrix + 11 * vector;
    const int64_t read_back = f->after_solve.bytes_from_device - f->before_solve.bytes_from_device;
    printf("%s, copy %.1f GB/s\n", ritz_device_get_info(device)->name, f->copy_gb_s);
    printf("%lld %s cells of order %d, %lld unknowns, %lld nonzeros, matrix %.1f MB, %s\n", (long long)f->n_cells,
           ritz_cell_name(s->cell), s->order, (long long)f->unknowns, (long long)f->nonzeros, matrix / 1e6,
           s->precision == RITZ_F64 ? "f64" : "f32");
    print_stage("mesh", f->mesh, whole, 0, f->copy_gb_s);
    print_stage("space", f->space, whole, 0, f->copy_gb_s);
    print_stage("pattern", f->pattern, whole, 0, f->copy_gb_s);
    print_stage("integrate", f->integrate, whole, 0, f->copy_gb_s);
    print_stage("assemble", f->assemble, whole, matrix, f->copy_gb_s);
    print_stage("solve", f->solve, whole, iteration * f->report.iterations, f->copy_gb_s);
    printf("integrate + assemble: %.4f s = %.1f products = %.3f us a cell; with the pattern %.3f us a cell\n",
           f->integrate + f->assemble, (f->integrate + f->assemble) / f->product,
           1e6 * (f->integrate + f->assemble) / (double)f->n_cells,
           1e6 * (f->pattern + f->integrate + f->assemble) / (double)f->n_cells);
    printf("product: %.3f ms, %.1f %% of copy bandwidth\n", 1e3 * f->product,
           100 * (matrix + 2 * vector) / (f->copy_gb_s * 1e9) / f->product);
    printf("solve: %d iterations, residual %.2e (true %.2e), %.3f ms an iteration, %.1f bytes read back an iteration\n",
           f->report.iterations, f->report.relative_residual, f->report.true_relative_residual,
           1e3 * f->solve / f->report.iterations, (double)read_back / f->report.iterations);
    printf("peak host memory: %.1f MB = %.2f matrices; peak device memory %.1f MB\n", (double)f->peak_host_bytes / 1e6,
           (double)f->peak_host_bytes / matrix, (double)f->after_solve.peak_bytes / 1e6);
    printf("bytes to the device %.1f MB, from it %.1f MB\n", (double)f->after_solve.bytes_to_device / 1e6,
           (double)f->after_solve.bytes_from_device / 1e6);
    printf("check: 100 element matrices, largest error %.2e (bound %.0e) %s\n", f->element_error,
           s->precision == RITZ_F64 ? 1e-12 : 2e-5,
           f->element_error <= (s->precision == RITZ_F64 ? 1e-12 : 2e-5) ? "PASS" : "FAIL");
}

static int print_usage(void)
{
    fputs("Usage: pipeline [--device SELECTOR] [--cell tri|quad|tet|prism|hex] [--cells N] [--order P] [--precision "
          "f32|f64] [--tolerance T] [--colours]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"device", required_argument, NULL, 'd'},    {"cell", required_argument, NULL, 'c'},
        {"cells", required_argument, NULL, 'n'},     {"order", required_argument, NULL, 'p'},
        {"precision", required_argument, NULL, 'r'}, {"tolerance", required_argument, NULL, 't'},
        {"colours", no_argument, NULL, 'l'},         {NULL, 0, NULL, 0}};
    setup s = {.cell = RITZ_HEX, .cells = 60, .order = 1, .tolerance = 1e-7};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'd')
            s.device = optarg;
        else if (option == 'c' && ritz_cell_from_name(optarg, &s.cell) == RITZ_OK)
            continue;
        else if (option == 'n')
            s.cells = atoi(optarg);
        else if (option == 'p')
            s.order = atoi(optarg);
        else if (option == 'r')
            s.precision = strcmp(optarg, "f32") == 0 ? RITZ_F32 : RITZ_F64;
        else if (option == 't')
            s.tolerance = atof(optarg);
        else if (option == 'l')
            s.scheme = RITZ_ASSEMBLE_COLOURS;
        else
            return print_usage();
    }
    ritz_device *device = NULL;
    ritz_device_ceilings ceilings = {0};
    figures f = {0};
    ritz_status status = ritz_device_open(s.device, &device);
    if (status == RITZ_OK)
        status = run_setup(device, &s, &f);
    f.peak_host_bytes = ritz_peak_host_bytes(); /* before the ceilings take their arrays */
    if (status == RITZ_OK)
        status = ritz_device_measure(device, &ceilings);
    f.copy_gb_s = ceilings.copy_gb_s;
    if (status == RITZ_OK)
        print_figures(device, &s, &f);
    else
        fprintf(stderr, "pipeline: %s\n", ritz_message());
    ritz_device_close(&device);
    return status == RITZ_OK ? 0 : 1;
}
