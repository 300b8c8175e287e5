/* A batch on its way into the matrix, chunk by chunk: a chunk of element matrices is computed into a buffer, then added
   into SBELL, by rows or by colours; the buffer is used again. On CPUs a chunk fits into the cache; on GPUs it is a
   share of memory. */
#include "assemble/assembler.h"

#include "device/tuning.h"
#include "integrate/enhance.h"

#include <math.h>
#include <string.h>

/* Bytes of a chunk's element matrices where the caller leaves them open: a share of the free memory or of the last
   cache, as the device does best. */
static int64_t default_chunk_bytes(const ritz_device *device)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    const double of_memory = ritz_tuned(info, RITZ_ASSEMBLE_CHUNK_OF_MEMORY, NULL, 0),
                 of_cache = ritz_tuned(info, RITZ_ASSEMBLE_CHUNK_OF_CACHE, NULL, 0);
    const double bytes =
        fmax(of_memory * (double)ritz_device_free_bytes(device), of_cache * (double)info->global_cache);
    const double least = ritz_tuned(info, RITZ_ASSEMBLE_CHUNK_LEAST, NULL, 0);
    return (int64_t)fmin(fmax(bytes, least), ritz_tuned(info, RITZ_ASSEMBLE_CHUNK_MOST, NULL, 0));
}

/* Elements a chunk: never fewer than keep all workers busy, never more than 32-bit indices in a chunk allow. */
static int64_t chunk_elements(const ritz_device *device, const ritz_plan *plan, int64_t asked_bytes, int64_t n_cells,
                              int n_shape)
{
    const int64_t width = plan->layout.width, bytes = asked_bytes > 0 ? asked_bytes : default_chunk_bytes(device);
    int64_t elements = ritz_max64(bytes / plan->bytes_per_element, 1);
    if (asked_bytes <= 0)
        elements = ritz_max64(elements, plan->n_workers * width);
    elements = ritz_min64(elements, (INT32_MAX - 64) / n_shape);
    return ritz_round_up(ritz_min64(ritz_max64(elements, width), n_cells), width);
}

/* What is made for one form and its kinds of data. */
static void free_adders(ritz_batch_work *w)
{
    ritz_integrator_destroy(&w->integrator);
    ritz_gatherer_destroy(&w->gatherer);
    ritz_scatterer_destroy(&w->scatterer);
}

void ritz_batch_work_free(ritz_batch_work *w)
{
    free_adders(w);
    ritz_buffer_destroy(&w->positions);
}

/* The batch's places of element entries to the device; the host's copy is freed. */
static ritz_status send_positions(ritz_assembler *a, int batch)
{
    const ritz_space_batch *cells = &a->space->batches[batch];
    uint16_t **position = &a->pattern->position[batch];
    const int64_t n = (int64_t)cells->n_cells * cells->n_shape * cells->n_shape;
    if (a->work[batch].positions)
        return RITZ_OK;
    const ritz_status status = ritz_buffer_create_from(a->device, *position, n * (int64_t)sizeof **position,
                                                       "the places of element entries", &a->work[batch].positions);
    ritz_free(*position);
    *position = NULL;
    return status;
}

/* For chunks of w->chunk elements of a layout. */
static ritz_status make_adder(ritz_assembler *a, int batch, const ritz_layout *layout)
{
    ritz_status status = RITZ_OK;
    ritz_batch_work *w = &a->work[batch];
    RITZ_TRY(send_positions(a, batch));
    w->layout = *layout;
    const ritz_adder_options adder = {.device = a->device,
                                      .pattern = a->pattern,
                                      .positions = w->positions,
                                      .cells = &a->space->batches[batch],
                                      .batch = batch,
                                      .chunk = w->chunk,
                                      .layout = &w->layout,
                                      .system = a->system};
    RITZ_TRY(a->options.scheme == RITZ_ASSEMBLE_COLOURS ? ritz_scatterer_create(&adder, &w->scatterer)
                                                        : ritz_gatherer_create(&adder, &w->gatherer));
done:
    return status;
}

static ritz_status make_adders(ritz_assembler *a, const ritz_integral *integral, int batch)
{
    ritz_status status = RITZ_OK;
    ritz_batch_work *w = &a->work[batch];
    const ritz_space_batch *cells = integral->batch;
    const ritz_assemble_options *o = &a->options;
    const double begin = ritz_seconds();
    ritz_integral chunk = *integral;
    chunk.read_soon = true;
    RITZ_TRY(ritz_integrator_create(a->device, &chunk, o->method, NULL, 0, o->precision, &w->integrator));
    const double middle = ritz_seconds();
    const ritz_plan *plan = ritz_integrator_plan(w->integrator);
    w->chunk = chunk_elements(a->device, plan, o->chunk_bytes, cells->n_cells, cells->n_shape);
    RITZ_TRY(make_adder(a, batch, &plan->layout));
    const int64_t real = ritz_real_bytes(o->precision);
    RITZ_TRY(ritz_buffer_reserve(a->device, w->chunk * plan->layout.matrix_entries * real, "element matrices",
                                 &a->matrices));
    RITZ_TRY(ritz_buffer_reserve(a->device, ritz_max64(real, w->chunk * plan->layout.vector_entries * real),
                                 "element vectors", &a->vectors));
    a->system->seconds_integrate += middle - begin;
    a->system->seconds_pattern += ritz_seconds() - middle;
done:
    if (status != RITZ_OK)
        free_adders(w);
    return status;
}

/* The integrator and the adder of a batch: those of the last assembly, where the form and the kinds of its data are
   the same. */
static ritz_status prepare_batch(ritz_assembler *a, const ritz_integral *integral, int batch)
{
    ritz_status status = RITZ_OK;
    ritz_batch_work *w = &a->work[batch];
    bool fits = false;
    const double begin = ritz_seconds();
    if (w->integrator)
        RITZ_TRY(ritz_integrator_update(w->integrator, integral, &fits));
    a->system->seconds_integrate += ritz_seconds() - begin;
    if (fits)
        goto done;
    free_adders(w);
    RITZ_TRY(make_adders(a, integral, batch));
done:
    return status;
}

static ritz_status add_chunk(const ritz_assembler *a, int batch, int64_t chunk, const ritz_buffer *matrices,
                             const ritz_buffer *vectors)
{
    const ritz_batch_work *w = &a->work[batch];
    double *seconds = &a->system->seconds_assemble;
    return w->gatherer ? ritz_gatherer_add(w->gatherer, chunk, matrices, vectors, seconds)
                       : ritz_scatterer_add(w->scatterer, chunk, matrices, vectors, seconds);
}

/* ---- Mixed elements and incompatible modes: what they have besides, made on the host ---- */

/* Matrices of count cells from first on; *any: some of them are such elements. */
static void enhance_cells(const ritz_enhancement *enhancement, int32_t first, int32_t count, int64_t entries,
                          double *matrices, bool *any)
{
    bool found = false;
#pragma omp parallel for schedule(static) reduction(|| : found)
    for (int32_t e = 0; e < count; e++) {
        ritz_enhanced enhanced;
        double own[RITZ_MAX_ENHANCED_ROWS * RITZ_MAX_ENHANCED_ROWS];
        memset(matrices + e * entries, 0, (size_t)entries * sizeof *matrices);
        if (!ritz_enhance_cell(enhancement, first + e, true, &enhanced))
            continue;
        found = true;
        memset(own, 0, (size_t)entries * sizeof *own);
        ritz_add_enhanced_matrix(&enhanced, own);
        /* blocks of the node pairs one after the other */
        const int n_c = enhancement->space->n_components, n = enhanced.n_rows / n_c;
        double *to = matrices + e * entries;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int E = 0; E < n_c; E++, to += n_c)
                    memcpy(to, own + ((int64_t)i * n_c + E) * enhanced.n_rows + j * n_c, (size_t)n_c * sizeof *to);
    }
    *any = found;
}

static ritz_status add_enhancement(ritz_assembler *a, int batch)
{
    enum { MOST_BYTES = 32 << 20 };
    ritz_status status = RITZ_OK;
    const ritz_space_batch *cells = &a->space->batches[batch];
    ritz_batch_work *w = &a->work[batch];
    const int n_c = a->space->n_components;
    const int64_t entries = (int64_t)cells->n_shape * cells->n_shape * n_c * n_c,
                  real = ritz_real_bytes(a->options.precision);
    const ritz_layout layout = {.width = 1,
                                .row_pairs = cells->n_shape,
                                .pair_stride = n_c * n_c,
                                .entry_stride = 1,
                                .matrix_entries = (int32_t)entries};
    double *matrices = NULL;
    bool any;
    free_adders(w);
    w->chunk = ritz_min64(cells->n_cells, ritz_max64(1, MOST_BYTES / (entries * real)));
    RITZ_TRY(make_adder(a, batch, &layout));
    RITZ_NEW(matrices, w->chunk * entries);
    RITZ_TRY(ritz_buffer_reserve(a->device, w->chunk * entries * real, "element matrices", &a->matrices));
    RITZ_TRY(ritz_buffer_reserve(a->device, real, "element vectors", &a->vectors));
    for (int64_t first = 0; first < cells->n_cells; first += w->chunk) {
        const int32_t count = (int32_t)ritz_min64(w->chunk, cells->n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
        enhance_cells(cells->enhancement, (int32_t)first, count, entries, matrices, &any);
        if (!any)
            continue;
        RITZ_TRY(ritz_buffer_write_reals(a->matrices, a->options.precision, 0, matrices, count * entries));
        RITZ_TRY(add_chunk(a, batch, first / w->chunk, a->matrices, a->vectors));
    }
done:
    ritz_free(matrices);
    return status;
}

ritz_status ritz_assemble_batch(ritz_assembler *a, const ritz_assembly *assembly, int batch, bool keep)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *cells = &a->space->batches[batch];
    ritz_batch_work *w = &a->work[batch];
    ritz_system *system = a->system;
    const ritz_integral integral = {.space = a->space,
                                    .batch = cells,
                                    .form = assembly->form,
                                    .data = assembly->data[batch],
                                    .old = assembly->old,
                                    .time = assembly->time,
                                    .degree = a->options.degree};
    RITZ_TRY(prepare_batch(a, &integral, batch));
    for (int64_t first = 0; first < cells->n_cells; first += w->chunk) {
        const int32_t count = (int32_t)ritz_min64(w->chunk, cells->n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(ritz_integrator_run(w->integrator, (int32_t)first, count, a->matrices, a->vectors,
                                     &system->seconds_integrate));
        RITZ_TRY(add_chunk(a, batch, first / w->chunk, a->matrices, a->vectors));
        ritz_progress("integrate and assemble", (double)(first + count) / cells->n_cells);
    }
    ritz_log("assemble: %s, chunks of %lld %s cells", w->gatherer ? "gathered by rows" : "scattered by colours",
             (long long)w->chunk, ritz_cell_name(cells->cell));
    if (cells->enhancement)
        RITZ_TRY(add_enhancement(a, batch));
done:
    if (!keep) {
        ritz_batch_work_free(w);
        ritz_buffer_destroy(&a->matrices);
        ritz_buffer_destroy(&a->vectors);
    }
    return status;
}

/* ---- Element matrices of the caller's ---- */

static bool same_layout(const ritz_layout *p, const ritz_layout *q)
{
    return p->width == q->width && p->symmetric == q->symmetric && p->row_pairs == q->row_pairs &&
           p->pair_stride == q->pair_stride && p->entry_stride == q->entry_stride &&
           p->matrix_entries == q->matrix_entries && p->vector_entries == q->vector_entries;
}

ritz_status ritz_assemble_elements(ritz_assembler *a, const ritz_elements *elements)
{
    ritz_status status = RITZ_OK;
    ritz_batch_work *w = &a->work[elements->batch];
    const ritz_space_batch *cells = &a->space->batches[elements->batch];
    const ritz_layout *layout = ritz_integrator_layout(elements->integrator);
    RITZ_REQUIRE((int64_t)cells->n_cells * cells->n_shape <= INT32_MAX - 64, RITZ_ERROR_INPUT,
                 "%lld rows of element matrices are more than one assembly takes at once, %d; fill the assembler with "
                 "the form, which goes in parts",
                 (long long)cells->n_cells * cells->n_shape, INT32_MAX - 64);
    if (w->integrator || (!w->gatherer && !w->scatterer) || !same_layout(&w->layout, layout)) {
        free_adders(w);
        w->chunk = ritz_round_up(cells->n_cells, layout->width);
        RITZ_TRY(make_adder(a, elements->batch, layout));
    }
    RITZ_TRY(ritz_buffer_reserve(a->device, ritz_real_bytes(a->options.precision), "element vectors", &a->vectors));
    RITZ_TRY(add_chunk(a, elements->batch, 0, elements->matrices, elements->vectors ? elements->vectors : a->vectors));
done:
    return status;
}
