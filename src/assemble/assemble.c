/* Integration and assembly on the device, chunk by chunk: a chunk of element matrices is computed into a buffer, then gathered row
   by row into SBELL; the buffer is used again. On CPUs a chunk fits into the cache; on GPUs it is a share of memory. */
#include "assemble/assemble.h"
#include "assemble/pattern.h"

#include <stdio.h>
#include <string.h>

void ritz_system_destroy(ritz_system **system)
{
    if (!system || !*system)
        return;
    ritz_matrix_destroy(&(*system)->matrix);
    ritz_buffer_destroy(&(*system)->rhs);
    ritz_free(*system);
    *system = NULL;
}

/* The rows that each chunk of a batch adds to, in increasing order, and the element rows that go there. */
typedef struct chunk_lists {
    int64_t n_chunks;
    int64_t *first_row; /* [n_chunks + 1] into rows */
    int32_t *rows;      /* [first_row[n_chunks]] */
    int64_t *start;     /* [first_row[n_chunks] + 1] into items */
    int32_t *items;     /* [n_cells * n_shape] cell in the chunk * n_shape + i */
} chunk_lists;

static void free_lists(chunk_lists *lists)
{
    ritz_free(lists->first_row);
    ritz_free(lists->rows);
    ritz_free(lists->start);
    ritz_free(lists->items);
}

/* Two passes over the nodes in increasing order: count what each chunk gets, then hand it out. */
static ritz_status list_chunks(const ritz_pattern *pattern, int batch, const ritz_space_batch *cells, int64_t chunk, chunk_lists *lists)
{
    ritz_status status = RITZ_OK;
    int64_t *next_row = NULL, *next_item = NULL;
    const int64_t *start = pattern->incidence_start[batch], *incidence = pattern->incidence[batch];
    const int64_t per_chunk = chunk * cells->n_shape;
    lists->n_chunks = (cells->n_cells + chunk - 1) / chunk;
    RITZ_NEW(lists->first_row, lists->n_chunks + 1);
    RITZ_NEW(next_row, lists->n_chunks);
    RITZ_NEW(next_item, lists->n_chunks);
    for (int32_t node = 0; node < pattern->n_rows; node++)
        for (int64_t k = start[node]; k < start[node + 1]; k++) /* a node's cells increase, and so do their chunks */
            if (k == start[node] || incidence[k] / per_chunk != incidence[k - 1] / per_chunk)
                lists->first_row[incidence[k] / per_chunk + 1]++;
    for (int64_t c = 0; c < lists->n_chunks; c++) {
        lists->first_row[c + 1] += lists->first_row[c];
        next_row[c] = lists->first_row[c];
        next_item[c] = c * per_chunk;
    }
    const int64_t n_rows = lists->first_row[lists->n_chunks];
    RITZ_NEW(lists->rows, n_rows);
    RITZ_NEW(lists->start, n_rows + 1);
    RITZ_NEW(lists->items, (int64_t)cells->n_cells * cells->n_shape);
    for (int32_t node = 0; node < pattern->n_rows; node++)
        for (int64_t k = start[node]; k < start[node + 1]; k++) {
            const int64_t c = incidence[k] / per_chunk;
            if (k == start[node] || c != incidence[k - 1] / per_chunk) {
                lists->rows[next_row[c]] = node;
                lists->start[next_row[c]++] = next_item[c];
            }
            lists->items[next_item[c]++] = (int32_t)(incidence[k] - c * per_chunk);
        }
    lists->start[n_rows] = (int64_t)cells->n_cells * cells->n_shape;
done:
    ritz_free(next_row);
    ritz_free(next_item);
    return status;
}

/* What assembling one batch needs on the device. */
typedef struct batch_buffers {
    ritz_buffer *rows, *start, *items, *position, *matrices, *vectors;
} batch_buffers;

static void free_buffers(batch_buffers *b)
{
    ritz_buffer **const all[] = {&b->rows, &b->start, &b->items, &b->position, &b->matrices, &b->vectors};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        ritz_buffer_destroy(all[k]);
}

/* Elements a chunk: on a CPU so few that they are gathered from near caches (a sixteenth of the last one measured best), on a GPU a
   share of the free memory; never fewer than keep all workers busy, never more than 32-bit indices in a chunk allow. */
static int64_t chunk_elements(const ritz_device *device, const ritz_plan *plan, int64_t asked_bytes, int64_t n_cells, int n_shape)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    const int64_t width = plan->layout.width;
    int64_t bytes = asked_bytes;
    if (bytes <= 0 && info->kind == RITZ_DEVICE_GPU)
        bytes = ritz_min64(ritz_device_free_bytes(device) / 4, (int64_t)4 << 30);
    else if (bytes <= 0)
        bytes = ritz_max64(info->global_cache / 16, (int64_t)1 << 20);
    int64_t elements = ritz_max64(bytes / plan->bytes_per_element, 1);
    if (asked_bytes <= 0)
        elements = ritz_max64(elements, plan->n_workers * width);
    elements = ritz_min64(elements, (INT32_MAX - 64) / n_shape);
    return ritz_round_up(ritz_min64(ritz_max64(elements, width), n_cells), width);
}

/* The list of chunks and the buffers of a batch, sent. Host lists that are no longer needed are freed. */
static ritz_status send_batch(ritz_device *device, const ritz_pattern *pattern, int batch, const ritz_space_batch *cells,
                              const ritz_plan *plan, ritz_precision precision, int64_t chunk, chunk_lists *lists, batch_buffers *b)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(list_chunks(pattern, batch, cells, chunk, lists));
    const int64_t n_rows = lists->first_row[lists->n_chunks], n_items = (int64_t)cells->n_cells * cells->n_shape;
    RITZ_TRY(ritz_buffer_create_from(device, lists->rows, n_rows * (int64_t)sizeof *lists->rows, "the rows of assembly", &b->rows));
    RITZ_TRY(ritz_buffer_create_from(device, lists->start, (n_rows + 1) * (int64_t)sizeof *lists->start, "the rows of assembly", &b->start));
    RITZ_TRY(ritz_buffer_create_from(device, lists->items, n_items * (int64_t)sizeof *lists->items, "the rows of assembly", &b->items));
    RITZ_TRY(ritz_buffer_create_from(device, pattern->position[batch], n_items * cells->n_shape * (int64_t)sizeof(uint16_t),
                                     "the places of element entries", &b->position));
    ritz_free(pattern->position[batch]);
    pattern->position[batch] = NULL;
    const int64_t real = ritz_real_bytes(precision);
    RITZ_TRY(ritz_buffer_create(device, chunk * plan->layout.matrix_entries * real, "element matrices", &b->matrices));
    RITZ_TRY(ritz_buffer_create(device, ritz_max64(real, chunk * plan->layout.vector_entries * real), "element vectors", &b->vectors));
done:
    return status;
}

static ritz_status gather_kernel(ritz_device *device, const ritz_layout *layout, const ritz_space_batch *cells, int n_components,
                                 const ritz_matrix *matrix, ritz_kernel **kernel)
{
    char header[256];
    const char *path = "assemble/kernels/gather.cl";
    ritz_program *program = NULL;
    snprintf(header, sizeof header, "#define N_SHAPE %d\n#define N_E %d\n#define WIDTH %d\n#define S %d\n#define LOAD %d\n",
             cells->n_shape, n_components, (int)layout->width, matrix->slice_height, layout->vector_entries > 0);
    ritz_status status = ritz_program_get(device, matrix->precision, header, &path, 1, "", &program);
    return status == RITZ_OK ? ritz_kernel_get(program, "gather", kernel) : status;
}

/* Work-items of a launch over n rows: small groups, so that a CPU's threads get many. */
static ritz_range row_range(int64_t n)
{
    enum { LOCAL = 64 };
    return (ritz_range){.global = {ritz_round_up(n, LOCAL)}, .local = {LOCAL}};
}

static ritz_status assemble_batch(ritz_device *device, const ritz_assembly *assembly, int batch, const ritz_assemble_options *options,
                                  ritz_pattern *pattern, ritz_system *system)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *cells = &assembly->space->batches[batch];
    const ritz_integral integral = {.space = assembly->space, .batch = cells, .form = assembly->form, .data = assembly->data[batch],
                                    .old = assembly->old, .time = assembly->time};
    ritz_integrator *integrator = NULL;
    ritz_kernel *gather = NULL;
    chunk_lists lists = {0};
    batch_buffers b = {0};
    const double begin = ritz_seconds();
    RITZ_TRY(ritz_integrator_create(device, &integral, options->method, NULL, 0, options->precision, &integrator));
    system->seconds_integrate += ritz_seconds() - begin;
    const ritz_plan *plan = ritz_integrator_plan(integrator);
    const int64_t chunk = chunk_elements(device, plan, options->chunk_bytes, cells->n_cells, cells->n_shape);
    const double middle = ritz_seconds();
    RITZ_TRY(send_batch(device, pattern, batch, cells, plan, options->precision, chunk, &lists, &b));
    RITZ_TRY(gather_kernel(device, &plan->layout, cells, assembly->form->n_components, system->matrix, &gather));
    system->seconds_pattern += ritz_seconds() - middle;
    for (int64_t c = 0; c < lists.n_chunks; c++) {
        const int64_t first = c * chunk, n_rows = lists.first_row[c + 1] - lists.first_row[c];
        const int32_t count = (int32_t)ritz_min64(chunk, cells->n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(ritz_integrator_run(integrator, (int32_t)first, count, b.matrices, b.vectors, &system->seconds_integrate));
        RITZ_TRY(RITZ_LAUNCH(gather, row_range(n_rows), &system->seconds_assemble, RITZ_INT((int32_t)n_rows),
                             RITZ_LONG(lists.first_row[c]), RITZ_LONG(first), RITZ_BUFFER(b.rows), RITZ_BUFFER(b.start),
                             RITZ_BUFFER(b.items), RITZ_BUFFER(b.position), RITZ_BUFFER(b.matrices), RITZ_BUFFER(b.vectors),
                             RITZ_BUFFER(system->matrix->row_slot), RITZ_BUFFER(system->matrix->values), RITZ_BUFFER(system->rhs)));
        ritz_progress("integrate and assemble", (double)(first + count) / cells->n_cells);
    }
    ritz_log("assemble: %lld chunks of %lld %s cells", (long long)lists.n_chunks, (long long)chunk, ritz_cell_name(cells->cell));
done:
    ritz_integrator_destroy(&integrator);
    free_lists(&lists);
    free_buffers(&b);
    return status;
}

/* A vector of doubles as reals of the matrix's precision on the device; NULL: zeros. */
static ritz_status send_vector(ritz_device *device, ritz_precision precision, const double *values, int64_t n, const char *what,
                               ritz_buffer **buffer)
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

static ritz_status constrain(ritz_device *device, const ritz_assembly *assembly, const ritz_pattern *pattern, ritz_system *system)
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
    RITZ_TRY(ritz_buffer_create_from(device, rows, n_rows * (int64_t)sizeof *rows, "the rows beside prescribed values", &row_buffer));
    RITZ_TRY(ritz_buffer_create_from(device, constraints->fixed, constraints->n_nodes, "which values are prescribed", &fixed));
    RITZ_TRY(send_vector(device, matrix->precision, constraints->value, (int64_t)constraints->n_nodes * constraints->n_components,
                         "the prescribed values", &prescribed));
    RITZ_TRY(RITZ_LAUNCH(kernel, row_range(n_rows), NULL, RITZ_INT(n_rows), RITZ_BUFFER(row_buffer), RITZ_BUFFER(fixed),
                         RITZ_BUFFER(prescribed), RITZ_BUFFER(matrix->row_slot), RITZ_BUFFER(matrix->row_length),
                         RITZ_BUFFER(matrix->columns), RITZ_BUFFER(matrix->values), RITZ_BUFFER(system->rhs)));
    RITZ_TRY(ritz_device_finish(device));
    system->seconds_assemble += ritz_seconds() - begin;
done:
    ritz_free(rows);
    ritz_buffer_destroy(&row_buffer);
    ritz_buffer_destroy(&fixed);
    ritz_buffer_destroy(&prescribed);
    return status;
}

ritz_status ritz_assemble_system(ritz_device *device, const ritz_assembly *assembly, const ritz_assemble_options *options,
                                 ritz_system **system)
{
    ritz_status status = RITZ_OK;
    static const ritz_assemble_options defaults;
    const ritz_space *space = assembly->space;
    const ritz_assemble_options *o = options ? options : &defaults;
    const ritz_matrix_options matrix_options = {.precision = o->precision};
    ritz_pattern *pattern = NULL;
    ritz_system *s = NULL;
    RITZ_REQUIRE(assembly->form->dim == space->dim && assembly->form->n_components == space->n_components, RITZ_ERROR_INPUT,
                 "the form %s has %d components in %dD, the space %d in %dD: make the space for this form", assembly->form->name,
                 assembly->form->n_components, assembly->form->dim, space->n_components, space->dim);
    RITZ_NEW(s, 1);
    const double begin = ritz_seconds();
    RITZ_TRY(ritz_pattern_create(space, &pattern));
    RITZ_TRY(ritz_matrix_create_structure(device, &matrix_options, space->n_components, pattern->n_rows, pattern->row_start,
                                          pattern->columns, &s->matrix));
    RITZ_TRY(send_vector(device, o->precision, assembly->load, (int64_t)space->n_nodes * space->n_components, "the right-hand side", &s->rhs));
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

ritz_status ritz_assemble(ritz_device *device, const ritz_space *space, const ritz_form *form, const double *data,
                          const ritz_assemble_options *options, ritz_matrix **matrix, double *rhs)
{
    ritz_status status = RITZ_OK;
    ritz_system *system = NULL;
    ritz_datum datum[RITZ_MAX_DATA] = {0};
    const ritz_datum *batches[RITZ_N_CELLS];
    float *single = NULL;
    const int64_t n = (int64_t)space->n_nodes * space->n_components;
    for (int d = 0; d < form->n_data; d++)
        datum[d].value = data[d];
    for (int b = 0; b < space->n_batches; b++)
        batches[b] = datum;
    const ritz_assembly assembly = {.space = space, .form = form, .data = batches};
    RITZ_TRY(ritz_assemble_system(device, &assembly, options, &system));
    if (rhs && system->matrix->precision == RITZ_F64) {
        RITZ_TRY(ritz_buffer_read(system->rhs, 0, rhs, n * (int64_t)sizeof *rhs));
    } else if (rhs) {
        RITZ_NEW(single, n);
        RITZ_TRY(ritz_buffer_read(system->rhs, 0, single, n * (int64_t)sizeof *single));
        for (int64_t k = 0; k < n; k++)
            rhs[k] = single[k];
    }
    *matrix = system->matrix;
    system->matrix = NULL;
done:
    ritz_free(single);
    ritz_system_destroy(&system);
    return status;
}
