/* Conjugate gradients: what one iteration sends to the device. */
#include "solve/krylov.h"

enum { DIRECTION, UPDATE };

/* The preconditioner, where it is applied here, and the next direction from its z or from r. */
static ritz_status update_direction(krylov *k, bool counts)
{
    ritz_status status = RITZ_OK;
    const bool applied = ritz_krylov_applies(k);
    const ritz_buffer *z = k->vector[VECTOR_R];
    krylov_sum inner = {0};
    if (applied)
        RITZ_TRY(k->preconditioner.kind->apply(k, &z, &inner));
    const ritz_argument arguments[] = {
        KRYLOV_PACKS(k),
        KRYLOV_GROUPS(k),
        RITZ_INT(counts),
        KRYLOV_STATE(k),
        KRYLOV_PARTIAL(k),
        RITZ_BUFFER(z),
        RITZ_BUFFER(ritz_krylov_scaling(k)),
        KRYLOV_VECTOR(k, VECTOR_P),
        KRYLOV_SCRATCH(k),
        RITZ_INT(inner.n),
        RITZ_BUFFER(inner.partial),
    };
    RITZ_TRY(ritz_launch(k->in_use->kernel[DIRECTION], ritz_krylov_all(k), arguments, applied ? 11 : 9, NULL));
done:
    return status;
}

/* The partial sums of r.D^-1 r are those that the residual left. */
static ritz_status start_cg(krylov *k)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_zero(k->vector[VECTOR_P]));
    if (ritz_krylov_applies(k))
        RITZ_TRY(ritz_krylov_scale(k, k->vector[VECTOR_R], k->preconditioner.r));
    RITZ_TRY(update_direction(k, false));
done:
    return status;
}

static ritz_status iterate_cg(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_sum outer = {0};
    RITZ_TRY(ritz_krylov_product(k, k->matrix, &(ritz_product){.alpha = 1}, k->vector[VECTOR_P], k->vector[VECTOR_Q],
                                 &outer));
    const ritz_argument arguments[] = {
        KRYLOV_PACKS(k),
        KRYLOV_GROUPS(k),
        RITZ_INT(outer.n),
        KRYLOV_STATE(k),
        KRYLOV_PARTIAL(k),
        RITZ_BUFFER(outer.partial),
        KRYLOV_VECTOR(k, VECTOR_P),
        KRYLOV_VECTOR(k, VECTOR_Q),
        RITZ_BUFFER(ritz_krylov_scaling(k)),
        KRYLOV_VECTOR(k, VECTOR_X),
        KRYLOV_VECTOR(k, VECTOR_R),
        KRYLOV_SCRATCH(k),
        RITZ_BUFFER(k->preconditioner.r),
    };
    RITZ_TRY(
        ritz_launch(k->in_use->kernel[UPDATE], ritz_krylov_all(k), arguments, ritz_krylov_applies(k) ? 13 : 12, NULL));
    RITZ_TRY(update_direction(k, true));
done:
    return status;
}

/* The direction that the outcome has left out. */
static ritz_status resume_cg(krylov *k)
{
    return update_direction(k, false);
}

const krylov_method ritz_method_cg = {
    .name = "cg",
    .kernel_file = "solve/kernels/cg.cl",
    .kernels = {"cg_direction", "cg_update"},
    .n_vectors = VECTOR_Q + 1,
    .products = 1,
    .passes = 11,
    .passes_applied = 12,
    .passes_inner = 2,
    .positive_definite = true,
    .start = start_cg,
    .iterate = iterate_cg,
    .resume = resume_cg,
};
