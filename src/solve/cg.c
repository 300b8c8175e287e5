/* Conjugate gradients: what one iteration sends to the device. */
#include "solve/krylov.h"

enum { DIRECTION, CURVATURE_SUM, ALPHA, UPDATE, BETA, RHO };

static ritz_status start(krylov *k)
{
    return ritz_buffer_zero(k->vector[VECTOR_P]);
}

static ritz_status iterate(krylov *k)
{
    ritz_status status = RITZ_OK;
    ritz_range all = ritz_krylov_all(k), one = ritz_krylov_one(k);
    int z = VECTOR_R;
    if (ritz_krylov_has_polynomial(k)) {
        z = VECTOR_W;
        RITZ_TRY(ritz_krylov_precondition(k, VECTOR_R, z));
        RITZ_TRY(RITZ_LAUNCH(k->kernel[RHO], one, NULL, KRYLOV_PARTS(k), KRYLOV_STATE(k), KRYLOV_PARTIAL(k),
                             KRYLOV_SCRATCH(k)));
    }
    RITZ_TRY(RITZ_LAUNCH(k->kernel[DIRECTION], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k), KRYLOV_VECTOR(k, z),
                         KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_P)));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_P, VECTOR_Q));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[CURVATURE_SUM], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                         KRYLOV_VECTOR(k, VECTOR_P), KRYLOV_VECTOR(k, VECTOR_Q), KRYLOV_VECTOR(k, VECTOR_D),
                         KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[ALPHA], one, NULL, KRYLOV_PARTS(k), KRYLOV_STATE(k), KRYLOV_PARTIAL(k),
                         KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[UPDATE], all, NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k), KRYLOV_VECTOR(k, VECTOR_P),
                         KRYLOV_VECTOR(k, VECTOR_Q), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_X),
                         KRYLOV_VECTOR(k, VECTOR_R), KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->kernel[BETA], one, NULL, KRYLOV_PARTS(k), KRYLOV_STATE(k), KRYLOV_PARTIAL(k),
                         KRYLOV_SCRATCH(k)));
done:
    return status;
}

const krylov_method ritz_method_cg = {
    .name = "cg",
    .kernel_file = "solve/kernels/cg.cl",
    .kernels = {"cg_direction", "cg_curvature", "cg_alpha", "cg_update", "cg_beta", "cg_rho"},
    .n_vectors = VECTOR_Q + 1,
    .n_vectors_polynomial = VECTOR_W + 1,
    .positive_definite = true,
    .start = start,
    .iterate = iterate,
};
