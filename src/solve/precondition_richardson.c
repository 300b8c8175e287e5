/* Two steps of Richardson's iteration on the scaled matrix B: z = w (2 - w B) r. The eigenvalues of a positive definite B, whose
   diagonal is 1, are below the length n of its rows, so that w = 1 / n keeps the preconditioner positive. */
#include "solve/krylov.h"

typedef struct richardson {
    ritz_matrix *matrix;
    ritz_buffer *z;
    double damping;
} richardson;

static void destroy_kind(krylov *k)
{
    richardson *own = k->preconditioner.own;
    if (!own)
        return;
    ritz_matrix_destroy(&own->matrix);
    ritz_buffer_destroy(&own->z);
    ritz_free(own);
    k->preconditioner.own = NULL;
}

static ritz_status create_kind(krylov *k)
{
    ritz_status status = RITZ_OK;
    richardson *own = NULL;
    RITZ_NEW(own, 1);
    k->preconditioner.own = own;
    own->damping = 1.0 / (k->matrix->longest_row * k->matrix->block);
    RITZ_TRY(ritz_buffer_create(k->device, k->n_padded * ritz_real_bytes(k->precision), "a preconditioner's vector",
                                &own->z));
    RITZ_TRY(ritz_buffer_zero(own->z));
    RITZ_TRY(
        ritz_matrix_copy_scaled(k->matrix, k->precision, RITZ_VALUES_AS_VECTORS, k->vector[VECTOR_D], &own->matrix));
done:
    return status;
}

static ritz_status apply_kind(krylov *k, const ritz_buffer **z, krylov_sum *sum)
{
    const richardson *own = k->preconditioner.own;
    const ritz_product product = {.alpha = -own->damping * own->damping, .delta = 2 * own->damping};
    *z = own->z;
    return sum ? ritz_krylov_product(k, own->matrix, &product, k->preconditioner.r, own->z, sum)
               : ritz_matrix_product(own->matrix, &product, k->preconditioner.r, own->z, NULL);
}

static int64_t count_bytes(const krylov *k, const krylov_precision *in)
{
    (void)in;
    return ritz_matrix_product_bytes(((const richardson *)k->preconditioner.own)->matrix);
}

const preconditioner_kind ritz_precondition_richardson = {.name = "richardson",
                                                          .of_matrix = true,
                                                          .create = create_kind,
                                                          .apply = apply_kind,
                                                          .cost = count_bytes,
                                                          .destroy = destroy_kind};
