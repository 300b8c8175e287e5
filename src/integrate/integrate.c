/* Element matrices for callers: computed on the device chunk by chunk, brought to the host. */
#include "integrate/stream.h"

enum { CHUNK_BYTES = 1 << 26 }; /* of element matrices on the device, twice, and again on the host */

/* The caller's arrays; either may be NULL. */
typedef struct destination {
    double *matrices, *vectors;
} destination;

static ritz_status unpack(const ritz_chunk *chunk, void *context)
{
    const destination *to = context;
    const int64_t rows = (int64_t)chunk->n_shape * chunk->n_components;
#pragma omp parallel for
    for (int64_t e = 0; e < chunk->count; e++)
        ritz_chunk_element(chunk, e, to->matrices ? to->matrices + (chunk->first + e) * rows * rows : NULL,
                           to->vectors ? to->vectors + (chunk->first + e) * rows : NULL);
    return RITZ_OK;
}

ritz_status ritz_integrate_all(ritz_integrator *integrator, const ritz_integral *integral, ritz_device *device,
                               ritz_precision precision, double *matrices, double *vectors)
{
    ritz_status status = RITZ_OK;
    ritz_stream *stream = NULL;
    ritz_shares shares;
    destination to = {matrices, vectors};
    const ritz_layout *layout = ritz_integrator_layout(integrator);
    const int64_t n_cells = ritz_round_up(integral->batch->n_cells, layout->width);
    const int64_t bytes = layout->matrix_entries * ritz_real_bytes(precision);
    const int64_t chunk = ritz_min64(n_cells, ritz_round_up(ritz_max64(1, CHUNK_BYTES / bytes), layout->width));
    RITZ_TRY(ritz_shares_begin(&shares, integral->batch->n_cells, layout->width, 1, &chunk));
    status = ritz_stream_create(device, integrator, integral, precision, chunk, chunk < n_cells ? 2 : 1, &stream);
    if (status == RITZ_OK)
        status = ritz_stream_run(stream, &shares, 0, unpack, &to, NULL);
    ritz_stream_destroy(&stream);
    ritz_shares_end(&shares);
done:
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
