/* Element matrices for callers: computed on the device chunk by chunk, brought to the host. */
#include "integrate/integrate.h"

#include <string.h>

enum { CHUNK_BYTES = 1 << 26 }; /* of element matrices on the device and again on the host */

/* One chunk from the device into the caller's arrays. */
static ritz_status fetch_chunk(const ritz_integral *integral, const ritz_layout *layout, ritz_precision precision,
                               int32_t count, const ritz_buffer *matrix_buffer, const ritz_buffer *vector_buffer,
                               void *matrix_room, void *vector_room, double *matrices, double *vectors)
{
    ritz_status status = RITZ_OK;
    const int n_shape = integral->batch->n_shape, n_c = integral->form->n_components;
    const int64_t rows = (int64_t)n_shape * n_c;
    if (matrices)
        RITZ_TRY(ritz_buffer_read(matrix_buffer, 0, matrix_room, ritz_buffer_bytes(matrix_buffer)));
    if (vectors && layout->vector_entries)
        RITZ_TRY(ritz_buffer_read(vector_buffer, 0, vector_room, ritz_buffer_bytes(vector_buffer)));
#pragma omp parallel for
    for (int32_t e = 0; e < count; e++)
        ritz_layout_element(layout, e, precision, matrix_room, vector_room, n_shape, n_c,
                            matrices ? matrices + e * rows * rows : NULL, vectors ? vectors + e * rows : NULL);
done:
    return status;
}

ritz_status ritz_integrate_all(ritz_integrator *integrator, const ritz_integral *integral, ritz_device *device,
                               ritz_precision precision, double *matrices, double *vectors)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *matrix_buffer = NULL, *vector_buffer = NULL;
    char *matrix_room = NULL, *vector_room = NULL;
    const ritz_layout *layout = ritz_integrator_layout(integrator);
    const int64_t n_cells = integral->batch->n_cells, real = ritz_real_bytes(precision);
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->form->n_components;
    const int64_t chunk =
        ritz_min64(ritz_round_up(n_cells, layout->width),
                   ritz_round_up(ritz_max64(1, CHUNK_BYTES / (layout->matrix_entries * real)), layout->width));
    RITZ_TRY(ritz_buffer_create(device, chunk * layout->matrix_entries * real, "element matrices", &matrix_buffer));
    RITZ_TRY(ritz_buffer_create(device, ritz_max64(8, chunk * layout->vector_entries * real), "element vectors",
                                &vector_buffer));
    RITZ_NEW(matrix_room, ritz_buffer_bytes(matrix_buffer));
    RITZ_NEW(vector_room, ritz_buffer_bytes(vector_buffer));
    for (int64_t first = 0; first < n_cells; first += chunk) {
        const int32_t count = (int32_t)ritz_min64(chunk, n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(ritz_integrator_run(integrator, (int32_t)first, count, matrix_buffer, vector_buffer, NULL));
        RITZ_TRY(fetch_chunk(integral, layout, precision, count, matrix_buffer, vector_buffer, matrix_room, vector_room,
                             matrices ? matrices + first * rows * rows : NULL,
                             vectors ? vectors + first * rows : NULL));
    }
done:
    ritz_free(matrix_room);
    ritz_free(vector_room);
    ritz_buffer_destroy(&matrix_buffer);
    ritz_buffer_destroy(&vector_buffer);
    return status;
}

ritz_status ritz_integrate(ritz_device *device, const ritz_space *space, ritz_cell cell, const ritz_form *form,
                           const double *const *data, const ritz_integrate_options *options, double *matrices,
                           double *vectors)
{
    ritz_status status = RITZ_OK;
    ritz_integrator *integrator = NULL;
    ritz_datum datum[RITZ_MAX_DATA] = {0};
    ritz_integral integral = {.space = space, .form = form, .data = datum};
    for (int b = 0; b < space->n_batches; b++)
        if (space->batches[b].cell == cell)
            integral.batch = &space->batches[b];
    RITZ_REQUIRE(integral.batch, RITZ_ERROR_INPUT, "the mesh has no %s cells to integrate", ritz_cell_name(cell));
    RITZ_REQUIRE(form->dim == space->dim && form->n_components == space->n_components, RITZ_ERROR_INPUT,
                 "the form %s has %d components in %dD, the space %d in %dD: make the space for this form", form->name,
                 form->n_components, form->dim, space->n_components, space->dim);
    for (int d = 0; d < form->n_data; d++) {
        const bool given = data && data[d];
        RITZ_REQUIRE(given || form->defaults[d] == form->defaults[d], RITZ_ERROR_INPUT,
                     "the form %s needs values of '%s'", form->name, ritz_form_data_name(form, d));
        datum[d] = given ? (ritz_datum){.kind = RITZ_DATA_ELEMENT, .values = data[d]}
                         : (ritz_datum){.kind = RITZ_DATA_CONSTANT, .value = form->defaults[d]};
    }
    RITZ_TRY(ritz_integrator_create(device, &integral, options ? options->method : NULL, NULL, 0,
                                    options ? options->precision : RITZ_F64, &integrator));
    RITZ_TRY(
        ritz_integrate_all(integrator, &integral, device, options ? options->precision : RITZ_F64, matrices, vectors));
done:
    ritz_integrator_destroy(&integrator);
    return status;
}
