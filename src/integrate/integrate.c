/* Element matrices for callers: computed on the device chunk by chunk, brought to the host. */
#include "integrate/element.h"
#include "integrate/input.h"
#include "integrate/unpack.h"

enum { CHUNK_BYTES = 1 << 26 }; /* of element matrices on the device, twice, and again on the host */

static ritz_status integrate_to(ritz_integrator *integrator, const ritz_integral *integral, ritz_device *device,
                                ritz_precision precision, ritz_element_arrays *to)
{
    ritz_status status = RITZ_OK;
    ritz_stream *stream = NULL;
    ritz_work_queue queue;
    RITZ_REQUIRE(integral->result == RITZ_RESULT_MATRICES, RITZ_ERROR_INPUT,
                 "element matrices that are handed on in registers are not stored: take RITZ_RESULT_MATRICES");
    const ritz_layout *layout = ritz_integrator_layout(integrator);
    const int64_t n_cells = ritz_round_up(integral->batch->n_cells, layout->width);
    const int64_t bytes = layout->matrix_entries * ritz_real_bytes(precision);
    const int64_t chunk = ritz_min64(n_cells, ritz_round_up(ritz_max64(1, CHUNK_BYTES / bytes), layout->width));
    RITZ_TRY(ritz_work_queue_begin(&queue, integral->batch->n_cells, layout->width, 1, &chunk));
    status = ritz_stream_create(device, integrator, integral, precision, chunk, chunk < n_cells ? 2 : 1, &stream);
    if (status == RITZ_OK)
        status = ritz_stream_run(stream, &queue, 0, ritz_unpack_chunk, to, NULL);
    ritz_stream_destroy(&stream);
    ritz_work_queue_end(&queue);
done:
    return status;
}

ritz_status ritz_integrate_all(ritz_integrator *integrator, const ritz_integral *integral, ritz_device *device,
                               ritz_precision precision, double *matrices, double *vectors)
{
    return integrate_to(integrator, integral, device, precision,
                        &(ritz_element_arrays){.matrices = matrices, .vectors = vectors});
}

ritz_status ritz_form_check_space(const ritz_form *form, const ritz_space *space)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(form->dim == space->dim && form->n_components == space->n_components, RITZ_ERROR_INPUT,
                 "the form %s has %d components in %dD, the space %d in %dD: make the space for this form", form->name,
                 form->n_components, form->dim, space->n_components, space->dim);
    for (int b = 0; form->only_order && b < space->n_batches; b++) {
        const ritz_cell cell = space->batches[b].cell;
        RITZ_REQUIRE(space->order <= form->order && (cell == RITZ_TRI || cell == RITZ_TET), RITZ_ERROR_INPUT,
                     "the form %s was compiled for order %d on %s cells, where its second derivatives vanish, and is "
                     "without them; here are %s cells of order %d: compile the form for these",
                     form->name, form->order, form->dim == 2 ? "tri" : "tet", ritz_cell_name(cell), space->order);
    }
done:
    return status;
}

int ritz_integrate_n_points(const ritz_space *space, ritz_cell cell, int degree)
{
    return space ? ritz_quadrature_n_points(cell, ritz_quadrature_degree(degree, space->order)) : 0;
}

ritz_status ritz_integrate_points(const ritz_space *space, ritz_cell cell, int degree, double *coordinates)
{
    ritz_status status = RITZ_OK;
    ritz_tables *tables = NULL;
    int32_t *place = NULL;
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(coordinates);
    const ritz_mesh *mesh = space->mesh;
    const ritz_mesh_block *block = ritz_mesh_find_block(mesh, cell);
    RITZ_TRY(block ? ritz_mesh_places(block, &place) : RITZ_ERROR_INPUT);
    RITZ_TRY(ritz_tables_create_quadrature(&space->batches[block - mesh->blocks],
                                           ritz_quadrature_degree(degree, space->order), &tables));
    for (int32_t c = 0; c < block->n_cells; c++)
        for (int q = 0; q < tables->n_points; q++) {
            ritz_point point;
            ritz_point_map(tables, mesh, block->nodes + (int64_t)c * block->n_nodes, q, &point);
            for (int d = 0; d < mesh->dim; d++)
                coordinates[((int64_t)place[c] * tables->n_points + q) * mesh->dim + d] = point.x[d];
        }
done:
    ritz_free(place);
    ritz_tables_destroy(&tables);
    return status;
}

ritz_status ritz_integrate(ritz_device *device, const ritz_space *space, ritz_cell cell, const ritz_form *form,
                           const ritz_input *input, const ritz_integrate_options *options, double *matrices,
                           double *vectors)
{
    ritz_status status = RITZ_OK;
    ritz_integrate_options o;
    ritz_integrator *integrator = NULL;
    ritz_cell_order order = {0};
    ritz_given *given = NULL;
    int turn[RITZ_MAX_SHAPE];
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(form);
    RITZ_TRY(ritz_take_struct(options, &o, sizeof o, "ritz_integrate_options"));
    RITZ_TRY(ritz_check_precision(o.precision));
    RITZ_TRY(ritz_form_check_space(form, space));
    const ritz_mesh_block *block = ritz_mesh_find_block(space->mesh, cell);
    RITZ_TRY(block ? RITZ_OK : RITZ_ERROR_INPUT);
    const int b = (int)(block - space->mesh->blocks);
    RITZ_TRY(ritz_cell_reflection(cell, space->order, turn));
    RITZ_TRY(ritz_cell_order_block(space->mesh, b, &order));
    const ritz_giving giving = {form, space, o.precision, o.degree, b, &order};
    RITZ_TRY(ritz_given_create(&giving, input, &given));
    const ritz_integral integral = {.space = space,
                                    .batch = &space->batches[b],
                                    .form = form,
                                    .data = given->data[b],
                                    .old = given->old,
                                    .time = given->time,
                                    .degree = o.degree};
    RITZ_TRY(ritz_integrator_create(device, &integral, o.method, NULL, 0, o.precision, &integrator));
    ritz_element_arrays to = {matrices, vectors, order.in_block[b], block->turned, turn};
    RITZ_TRY(integrate_to(integrator, &integral, device, o.precision, &to));
done:
    ritz_integrator_destroy(&integrator);
    ritz_given_destroy(&given);
    ritz_cell_order_free(&order);
    return status;
}
