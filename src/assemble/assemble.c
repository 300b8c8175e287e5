/* Integration and assembly on the device, chunk by chunk: a chunk of element matrices is computed into a buffer, then
   added into SBELL, by rows or by colours; the buffer is used again. On CPUs a chunk fits into the cache; on GPUs it
   is a share of memory. */
#include "assemble/adder.h"

#include <stdio.h>

void ritz_system_destroy(ritz_system **system)
{
    if (!system || !*system)
        return;
    ritz_matrix_destroy(&(*system)->matrix);
    ritz_buffer_destroy(&(*system)->rhs);
    ritz_free(*system);
    *system = NULL;
}

/* Elements a chunk: on a CPU so few that they are gathered from near caches (an eighth of the last one measured
   best), on a GPU a share of the free memory; never fewer than keep all workers busy, never more than 32-bit indices
   in a chunk allow. */
static int64_t chunk_elements(const ritz_device *device, const ritz_plan *plan, int64_t asked_bytes, int64_t n_cells,
                              int n_shape)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    const int64_t width = plan->layout.width;
    int64_t bytes = asked_bytes;
    if (bytes <= 0 && info->kind == RITZ_DEVICE_GPU)
        bytes = ritz_min64(ritz_device_free_bytes(device) / 4, (int64_t)4 << 30);
    else if (bytes <= 0)
        bytes = ritz_max64(info->global_cache / 8, (int64_t)1 << 20);
    int64_t elements = ritz_max64(bytes / plan->bytes_per_element, 1);
    if (asked_bytes <= 0)
        elements = ritz_max64(elements, plan->n_workers * width);
    elements = ritz_min64(elements, (INT32_MAX - 64) / n_shape);
    return ritz_round_up(ritz_min64(ritz_max64(elements, width), n_cells), width);
}

/* One batch on its way into the matrix. */
typedef struct batch_work {
    ritz_integrator *integrator;
    ritz_gatherer *gatherer; /* one of these two */
    ritz_scatterer *scatterer;
    ritz_buffer *matrices, *vectors;
    int64_t chunk;
} batch_work;

static void free_work(batch_work *w)
{
    ritz_integrator_destroy(&w->integrator);
    ritz_gatherer_destroy(&w->gatherer);
    ritz_scatterer_destroy(&w->scatterer);
    ritz_buffer_destroy(&w->matrices);
    ritz_buffer_destroy(&w->vectors);
}

static ritz_status prepare_batch(ritz_device *device, const ritz_integral *integral, int batch,
                                 const ritz_assemble_options *options, ritz_pattern *pattern, ritz_system *system,
                                 batch_work *w)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *cells = integral->batch;
    const double begin = ritz_seconds();
    RITZ_TRY(ritz_integrator_create(device, integral, options->method, NULL, 0, options->precision, &w->integrator));
    const double middle = ritz_seconds();
    const ritz_plan *plan = ritz_integrator_plan(w->integrator);
    w->chunk = chunk_elements(device, plan, options->chunk_bytes, cells->n_cells, cells->n_shape);
    const ritz_adder_options adder = {.device = device,
                                      .pattern = pattern,
                                      .cells = cells,
                                      .batch = batch,
                                      .chunk = w->chunk,
                                      .layout = &plan->layout,
                                      .system = system};
    RITZ_TRY(options->scheme == RITZ_ASSEMBLE_COLOURS ? ritz_scatterer_create(&adder, &w->scatterer)
                                                      : ritz_gatherer_create(&adder, &w->gatherer));
    const int64_t real = ritz_real_bytes(options->precision);
    RITZ_TRY(
        ritz_buffer_create(device, w->chunk * plan->layout.matrix_entries * real, "element matrices", &w->matrices));
    RITZ_TRY(ritz_buffer_create(device, ritz_max64(real, w->chunk * plan->layout.vector_entries * real),
                                "element vectors", &w->vectors));
    system->seconds_integrate += middle - begin;
    system->seconds_pattern += ritz_seconds() - middle;
done:
    return status;
}

static ritz_status assemble_batch(ritz_device *device, const ritz_assembly *assembly, int batch,
                                  const ritz_assemble_options *options, ritz_pattern *pattern, ritz_system *system)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *cells = &assembly->space->batches[batch];
    const ritz_integral integral = {.space = assembly->space,
                                    .batch = cells,
                                    .form = assembly->form,
                                    .data = assembly->data[batch],
                                    .old = assembly->old,
                                    .time = assembly->time,
                                    .degree = options->degree};
    batch_work w = {0};
    RITZ_TRY(prepare_batch(device, &integral, batch, options, pattern, system, &w));
    for (int64_t first = 0; first < cells->n_cells; first += w.chunk) {
        const int32_t count = (int32_t)ritz_min64(w.chunk, cells->n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(ritz_integrator_run(w.integrator, (int32_t)first, count, w.matrices, w.vectors,
                                     &system->seconds_integrate));
        RITZ_TRY(
            w.gatherer
                ? ritz_gatherer_add(w.gatherer, first / w.chunk, w.matrices, w.vectors, &system->seconds_assemble)
                : ritz_scatterer_add(w.scatterer, first / w.chunk, w.matrices, w.vectors, &system->seconds_assemble));
        ritz_progress("integrate and assemble", (double)(first + count) / cells->n_cells);
    }
    ritz_log("assemble: %s, chunks of %lld %s cells", w.gatherer ? "gathered by rows" : "scattered by colours",
             (long long)w.chunk, ritz_cell_name(cells->cell));
done:
    free_work(&w);
    return status;
}

/* A vector of doubles as reals of the matrix's precision on the device; NULL: zeros. */
static ritz_status send_vector(ritz_device *device, ritz_precision precision, const double *values, int64_t n,
                               const char *what, ritz_buffer **buffer)
{
    ritz_status status = RITZ_OK;
    float *single = NULL;
    if (!values) {
        RITZ_TRY(ritz_buffer_create(device, n * ritz_real_bytes(precision), what, buffer));
        RITZ_TRY(ritz_buffer_zero(*buffer));
    } else if (precision == RITZ_F64) {
        RITZ_TRY(ritz_buffer_create_from(device, values, n * (int64_t)sizeof *values, what, buffer));
    } else {
        RITZ_NEW(single, n);
        for (int64_t k = 0; k < n; k++)
            single[k] = (float)values[k];
        RITZ_TRY(ritz_buffer_create_from(device, single, n * (int64_t)sizeof *single, what, buffer));
    }
done:
    ritz_free(single);
    return status;
}

/* Rows that are prescribed or have a prescribed neighbour. */
static ritz_status list_touched(const ritz_pattern *pattern, const uint8_t *fixed, int32_t **rows, int32_t *n_rows)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*rows, pattern->n_rows);
    *n_rows = 0;
    for (int32_t row = 0; row < pattern->n_rows; row++) {
        bool touched = false; /* a row holds its own column too */
        for (int64_t k = pattern->row_start[row]; k < pattern->row_start[row + 1] && !touched; k++)
            touched = fixed[pattern->columns[k]] != 0;
        if (touched)
            (*rows)[(*n_rows)++] = row;
    }
done:
    return status;
}

static ritz_status constrain(ritz_device *device, const ritz_assembly *assembly, const ritz_pattern *pattern,
                             ritz_system *system)
{
    ritz_status status = RITZ_OK;
    const ritz_constraints *constraints = assembly->constraints;
    ritz_buffer *row_buffer = NULL, *fixed = NULL, *prescribed = NULL;
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    int32_t *rows = NULL, n_rows = 0;
    char header[64];
    const char *path = "assemble/kernels/constrain.cl";
    const ritz_matrix *matrix = system->matrix;
    const double begin = ritz_seconds();
    RITZ_TRY(list_touched(pattern, constraints->fixed, &rows, &n_rows));
    snprintf(header, sizeof header, "#define N_E %d\n#define S %d\n", matrix->block, matrix->slice_height);
    RITZ_TRY(ritz_program_get(device, matrix->precision, header, &path, 1, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "constrain", &kernel));
    RITZ_TRY(ritz_buffer_create_from(device, rows, n_rows * (int64_t)sizeof *rows, "the rows beside prescribed values",
                                     &row_buffer));
    RITZ_TRY(ritz_buffer_create_from(device, constraints->fixed, constraints->n_nodes, "which values are prescribed",
                                     &fixed));
    RITZ_TRY(send_vector(device, matrix->precision, constraints->value,
                         (int64_t)constraints->n_nodes * constraints->n_components, "the prescribed values",
                         &prescribed));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_adder_range(n_rows), NULL, RITZ_INT(n_rows), RITZ_BUFFER(row_buffer),
                         RITZ_BUFFER(fixed), RITZ_BUFFER(prescribed), RITZ_BUFFER(matrix->row_slot),
                         RITZ_BUFFER(matrix->row_length), RITZ_BUFFER(matrix->columns), RITZ_BUFFER(matrix->values),
                         RITZ_BUFFER(system->rhs)));
    RITZ_TRY(ritz_device_finish(device));
    system->seconds_assemble += ritz_seconds() - begin;
done:
    ritz_free(rows);
    ritz_buffer_destroy(&row_buffer);
    ritz_buffer_destroy(&fixed);
    ritz_buffer_destroy(&prescribed);
    return status;
}

ritz_status ritz_assemble_system(ritz_device *device, const ritz_assembly *assembly,
                                 const ritz_assemble_options *options, ritz_system **system)
{
    ritz_status status = RITZ_OK;
    static const ritz_assemble_options defaults;
    const ritz_space *space = assembly->space;
    const ritz_assemble_options *o = options ? options : &defaults;
    const ritz_matrix_options matrix_options = {.precision = o->precision};
    ritz_pattern *pattern = NULL;
    ritz_system *s = NULL;
    RITZ_TRY(ritz_form_check_space(assembly->form, space));
    RITZ_TRY(ritz_check_precision(o->precision));
    RITZ_REQUIRE(o->scheme == RITZ_ASSEMBLE_GATHER || o->scheme == RITZ_ASSEMBLE_COLOURS, RITZ_ERROR_INPUT,
                 "assembly scheme %d does not exist; use RITZ_ASSEMBLE_GATHER or RITZ_ASSEMBLE_COLOURS",
                 (int)o->scheme);
    RITZ_REQUIRE(o->chunk_bytes >= 0, RITZ_ERROR_INPUT,
                 "chunks of %lld bytes are not possible; use 0 for the device's choice", (long long)o->chunk_bytes);
    RITZ_NEW(s, 1);
    const double begin = ritz_seconds();
    RITZ_TRY(ritz_pattern_create(space, &pattern));
    RITZ_TRY(ritz_matrix_create_structure(device, &matrix_options, space->n_components, pattern->n_rows,
                                          pattern->row_start, pattern->columns, &s->matrix));
    RITZ_TRY(send_vector(device, o->precision, assembly->load, (int64_t)space->n_nodes * space->n_components,
                         "the right-hand side", &s->rhs));
    s->seconds_pattern += ritz_seconds() - begin;
    for (int b = 0; b < space->n_batches; b++)
        RITZ_TRY(assemble_batch(device, assembly, b, o, pattern, s));
    if (assembly->constraints && assembly->constraints->n_fixed > 0)
        RITZ_TRY(constrain(device, assembly, pattern, s));
    *system = s;
    s = NULL;
done:
    ritz_pattern_destroy(&pattern);
    ritz_system_destroy(&s);
    return status;
}

/* Numbers of the caller's, or defaults, as data of every batch. */
static ritz_status take_data(const ritz_form *form, const double *data, ritz_precision precision, ritz_datum *datum)
{
    ritz_status status = RITZ_OK;
    for (int d = 0; d < form->n_data; d++) {
        datum[d].value = data ? data[d] : form->defaults[d];
        RITZ_TRY(ritz_form_check_data(form, d, &datum[d].value, 1, precision));
    }
done:
    return status;
}

static ritz_status read_rhs(const ritz_system *system, int64_t n, double *rhs)
{
    ritz_status status = RITZ_OK;
    float *single = NULL;
    if (system->matrix->precision == RITZ_F64) {
        RITZ_TRY(ritz_buffer_read(system->rhs, 0, rhs, n * (int64_t)sizeof *rhs));
    } else {
        RITZ_NEW(single, n);
        RITZ_TRY(ritz_buffer_read(system->rhs, 0, single, n * (int64_t)sizeof *single));
        for (int64_t k = 0; k < n; k++)
            rhs[k] = single[k];
    }
done:
    ritz_free(single);
    return status;
}

ritz_status ritz_assemble(ritz_device *device, const ritz_space *space, const ritz_form *form, const double *data,
                          const ritz_assemble_options *options, ritz_matrix **matrix, double *rhs)
{
    ritz_status status = RITZ_OK;
    ritz_system *system = NULL;
    ritz_datum datum[RITZ_MAX_DATA] = {0};
    const ritz_datum *batches[RITZ_N_CELLS];
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(form);
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_TRY(take_data(form, data, options ? options->precision : RITZ_F64, datum));
    for (int b = 0; b < space->n_batches; b++)
        batches[b] = datum;
    const ritz_assembly assembly = {.space = space, .form = form, .data = batches};
    RITZ_TRY(ritz_assemble_system(device, &assembly, options, &system));
    if (rhs)
        RITZ_TRY(read_rhs(system, ritz_space_n_dofs(space), rhs));
    *matrix = system->matrix;
    system->matrix = NULL;
done:
    ritz_system_destroy(&system);
    return status;
}
