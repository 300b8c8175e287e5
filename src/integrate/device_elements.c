/* Element matrices for callers that stay in the device's memory: filled, described, and read from there. */
#include "integrate/device_elements.h"
#include "integrate/unpack.h"

#include <string.h>

enum { READ_BYTES = 1 << 26 }; /* of matrices on the host at a time */

void ritz_elements_destroy(ritz_elements **elements)
{
    ritz_elements *e = elements ? *elements : NULL;
    if (!e)
        return;
    ritz_integrator_destroy(&e->integrator);
    ritz_buffer_destroy(&e->matrices);
    ritz_buffer_destroy(&e->vectors);
    ritz_buffer_destroy(&e->holder);
    ritz_cell_order_free(&e->order);
    ritz_free(e->method);
    ritz_free(e);
    *elements = NULL;
}

ritz_status ritz_elements_create(ritz_device *device, const ritz_space *space, ritz_cell cell,
                                 const ritz_integrate_options *options, ritz_elements **elements)
{
    ritz_status status = RITZ_OK;
    ritz_elements *e = NULL;
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(elements);
    RITZ_NEW(e, 1);
    RITZ_TRY(ritz_take_struct(options, &e->options, sizeof e->options, "ritz_integrate_options"));
    RITZ_TRY(ritz_check_precision(e->options.precision));
    const ritz_mesh_block *block = ritz_mesh_find_block(space->mesh, cell);
    RITZ_TRY(block ? RITZ_OK : RITZ_ERROR_INPUT);
    if (e->options.method)
        RITZ_TRY(ritz_copy_text(e->options.method, &e->method));
    e->options.method = e->method;
    e->device = device;
    RITZ_TRY(ritz_buffer_create(device, 0, "element matrices", &e->holder));
    e->space = space;
    e->batch = (int)(block - space->mesh->blocks);
    RITZ_TRY(ritz_cell_order_block(space->mesh, e->batch, &e->order));
    *elements = e;
    e = NULL;
done:
    ritz_elements_destroy(&e);
    return status;
}

/* A kernel for the form, and memory for its matrices. */
static ritz_status prepare_integrator(ritz_elements *e, const ritz_integral *integral)
{
    ritz_status status = RITZ_OK;
    bool fits = false;
    const ritz_precision precision = e->options.precision;
    if (e->integrator)
        RITZ_TRY(ritz_integrator_update(e->integrator, integral, &fits));
    if (fits)
        return RITZ_OK;
    ritz_integrator_destroy(&e->integrator);
    ritz_buffer_destroy(&e->matrices);
    ritz_buffer_destroy(&e->vectors);
    RITZ_TRY(ritz_integrator_create(e->device, integral, e->method, NULL, 0, precision, &e->integrator));
    const ritz_layout *layout = ritz_integrator_layout(e->integrator);
    const int64_t n = ritz_round_up(integral->batch->n_cells, layout->width) * ritz_real_bytes(precision);
    RITZ_TRY(ritz_buffer_create(e->device, n * layout->matrix_entries, "element matrices", &e->matrices));
    if (layout->vector_entries > 0)
        RITZ_TRY(ritz_buffer_create(e->device, n * layout->vector_entries, "element vectors", &e->vectors));
done:
    if (status)
        ritz_integrator_destroy(&e->integrator);
    return status;
}

ritz_status ritz_elements_fill(ritz_elements *elements, const ritz_form *form, const ritz_input *input)
{
    ritz_status status = RITZ_OK;
    ritz_elements *e = elements;
    ritz_given *given = NULL;
    RITZ_REQUIRE_POINTER(elements);
    RITZ_REQUIRE_POINTER(form);
    RITZ_TRY(ritz_form_check_space(form, e->space));
    const ritz_giving giving = {form, e->space, e->options.precision, e->options.degree, e->batch, &e->order};
    RITZ_TRY(ritz_given_create(&giving, input, &given));
    const ritz_integral integral = {.space = e->space,
                                    .batch = &e->space->batches[e->batch],
                                    .form = form,
                                    .data = given->data[e->batch],
                                    .old = given->old,
                                    .time = given->time,
                                    .degree = e->options.degree};
    e->filled = false;
    RITZ_TRY(prepare_integrator(e, &integral));
    RITZ_TRY(ritz_integrator_run(e->integrator, 0, integral.batch->n_cells, e->matrices, e->vectors, NULL));
    e->n_components = form->n_components;
    e->time = given->time;
    e->filled = true;
done:
    ritz_given_destroy(&given);
    return status;
}

static ritz_status check_filled(const ritz_elements *e)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(e);
    RITZ_REQUIRE(e->filled, RITZ_ERROR_INPUT, "there are no element matrices yet; call ritz_elements_fill first");
done:
    return status;
}

ritz_status ritz_elements_get_layout(const ritz_elements *elements, ritz_element_layout *layout)
{
    ritz_status status = RITZ_OK;
    ritz_element_layout own;
    RITZ_TRY(check_filled(elements));
    RITZ_REQUIRE_POINTER(layout);
    RITZ_TRY(ritz_take_struct(layout, &own, sizeof own, "ritz_element_layout"));
    const ritz_space_batch *batch = &elements->space->batches[elements->batch];
    const ritz_layout *l = ritz_integrator_layout(elements->integrator);
    own = (ritz_element_layout){.n_cells = batch->n_cells,
                                .n_shape = batch->n_shape,
                                .n_components = elements->n_components,
                                .precision = elements->options.precision,
                                .width = l->width,
                                .symmetric = l->symmetric,
                                .row_pairs = l->row_pairs,
                                .pair_stride = l->pair_stride,
                                .entry_stride = l->entry_stride,
                                .matrix_entries = l->matrix_entries,
                                .vector_entries = l->vector_entries};
    ritz_give_struct(&own, sizeof own, layout);
done:
    return status;
}

ritz_status ritz_elements_get_cells(const ritz_elements *elements, int32_t *cells, int32_t *nodes)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(elements);
    const ritz_space_batch *batch = &elements->space->batches[elements->batch];
    const size_t n = (size_t)batch->n_cells;
    if (cells)
        memcpy(cells, elements->order.in_block[elements->batch], n * sizeof *cells);
    if (nodes)
        memcpy(nodes, batch->cell_nodes, n * (size_t)batch->n_shape * sizeof *nodes);
done:
    return status;
}

void *ritz_elements_opencl_matrices(const ritz_elements *elements)
{
    return elements && elements->filled ? ritz_buffer_opencl(elements->matrices) : NULL;
}

void *ritz_elements_opencl_vectors(const ritz_elements *elements)
{
    return elements && elements->filled && elements->vectors ? ritz_buffer_opencl(elements->vectors) : NULL;
}

ritz_status ritz_elements_read(const ritz_elements *elements, double *matrices, double *vectors)
{
    ritz_status status = RITZ_OK;
    void *matrix_chunk = NULL, *vector_chunk = NULL;
    int turn[RITZ_MAX_SHAPE];
    RITZ_TRY(check_filled(elements));
    const ritz_space *space = elements->space;
    const ritz_space_batch *batch = &space->batches[elements->batch];
    const ritz_layout *layout = ritz_integrator_layout(elements->integrator);
    const int64_t real = ritz_real_bytes(elements->options.precision), bytes = layout->matrix_entries * real,
                  vector_bytes = layout->vector_entries * real;
    const int64_t most = ritz_round_up(ritz_min64(ritz_max64(1, READ_BYTES / bytes), batch->n_cells), layout->width);
    RITZ_TRY(ritz_cell_reflection(batch->cell, space->order, turn));
    RITZ_TRY(ritz_allocate(&matrix_chunk, most, bytes));
    RITZ_TRY(ritz_allocate(&vector_chunk, most, ritz_max64(vector_bytes, 1)));
    ritz_element_arrays to = {matrices, vectors, elements->order.in_block[elements->batch],
                              space->mesh->blocks[elements->batch].turned, turn};
    for (int64_t first = 0; first < batch->n_cells; first += most) {
        ritz_chunk chunk = {.layout = layout,
                            .precision = elements->options.precision,
                            .n_shape = batch->n_shape,
                            .n_components = elements->n_components,
                            .first = first,
                            .count = ritz_min64(most, batch->n_cells - first),
                            .matrices = matrix_chunk,
                            .vectors = vector_chunk};
        RITZ_TRY(ritz_check_interrupt());
        const int64_t n = ritz_round_up(chunk.count, layout->width);
        if (matrices)
            RITZ_TRY(ritz_buffer_read(elements->matrices, first * bytes, matrix_chunk, n * bytes));
        if (vectors && elements->vectors)
            RITZ_TRY(ritz_buffer_read(elements->vectors, first * vector_bytes, vector_chunk, n * vector_bytes));
        RITZ_TRY(ritz_unpack_chunk(&chunk, &to));
    }
done:
    ritz_free(matrix_chunk);
    ritz_free(vector_chunk);
    return status;
}
