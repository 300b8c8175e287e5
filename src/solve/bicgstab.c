/* BiCGStab: what one iteration sends to the device. The product of the first half stands in q, of the second in t. */
#include "solve/krylov.h"

enum { SHADOW, DIRECTION, PROJECT, ALPHA, HALF, FIT, OMEGA, UPDATE, BETA };

static ritz_status start(krylov *k)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_zero(k->vector[VECTOR_P]));
    RITZ_TRY(ritz_buffer_zero(k->vector[VECTOR_Q]));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[SHADOW], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_VECTOR(k, VECTOR_R),
                         KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_SHADOW)));
done:
    return status;
}

/* w = D^-1/2 P(D^-1/2 A D^-1/2) D^-1/2 from */
static ritz_status precondition(krylov *k, int from)
{
    ritz_status status = RITZ_OK;
    const ritz_buffer *z = NULL;
    RITZ_TRY(ritz_krylov_scale(k, k->vector[from], k->preconditioner.r));
    RITZ_TRY(ritz_krylov_apply_polynomial(k, &z, NULL));
    RITZ_TRY(ritz_krylov_scale(k, z, k->vector[VECTOR_W]));
done:
    return status;
}

/* p, v = A d p, and the step along p. */
static ritz_status first_half(krylov *k)
{
    ritz_status status = RITZ_OK;
    ritz_range all = ritz_krylov_all(k), one = ritz_krylov_one(k);
    RITZ_TRY(RITZ_LAUNCH(k->kernel[DIRECTION], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k), KRYLOV_VECTOR(k, VECTOR_R),
                         KRYLOV_VECTOR(k, VECTOR_Q), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_P),
                         KRYLOV_VECTOR(k, VECTOR_W)));
    if (ritz_krylov_has_polynomial(k))
        RITZ_TRY(precondition(k, VECTOR_P));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_W, VECTOR_Q));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[PROJECT], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                         KRYLOV_VECTOR(k, VECTOR_SHADOW), KRYLOV_VECTOR(k, VECTOR_Q), KRYLOV_PARTIAL(k),
                         KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[ALPHA], one, NULL, KRYLOV_PARTS(k), KRYLOV_STATE(k), KRYLOV_PARTIAL(k),
                         KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[HALF], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k), KRYLOV_VECTOR(k, VECTOR_Q),
                         KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_X), KRYLOV_VECTOR(k, VECTOR_R),
                         KRYLOV_VECTOR(k, VECTOR_W)));
done:
    return status;
}

static ritz_status iterate(krylov *k)
{
    ritz_status status = RITZ_OK;
    ritz_range all = ritz_krylov_all(k), one = ritz_krylov_one(k);
    RITZ_TRY(first_half(k));
    if (ritz_krylov_has_polynomial(k))
        RITZ_TRY(precondition(k, VECTOR_R));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_W, VECTOR_T));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[FIT], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k), KRYLOV_VECTOR(k, VECTOR_R),
                         KRYLOV_VECTOR(k, VECTOR_T), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[OMEGA], one, NULL, KRYLOV_PARTS(k), KRYLOV_STATE(k), KRYLOV_PARTIAL(k),
                         KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[UPDATE], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k), KRYLOV_VECTOR(k, VECTOR_W),
                         KRYLOV_VECTOR(k, VECTOR_T), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_SHADOW),
                         KRYLOV_VECTOR(k, VECTOR_X), KRYLOV_VECTOR(k, VECTOR_R), KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[BETA], one, NULL, KRYLOV_PARTS(k), KRYLOV_STATE(k), KRYLOV_PARTIAL(k),
                         KRYLOV_SCRATCH(k)));
done:
    return status;
}

const krylov_method ritz_method_bicgstab = {
    .name = "bicgstab",
    .kernel_file = "solve/kernels/bicgstab.cl",
    .kernels = {"bicgstab_shadow", "bicgstab_direction", "bicgstab_project", "bicgstab_alpha", "bicgstab_half",
                "bicgstab_fit", "bicgstab_omega", "bicgstab_update", "bicgstab_beta"},
    .n_vectors = N_VECTORS,
    .products = 2,
    .passes = 27,
    .passes_polynomial = 35,
    .positive_definite = false,
    .start = start,
    .iterate = iterate,
};
