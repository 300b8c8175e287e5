/* BiCGStab: what one iteration sends to the device. The product of the first half stands in q, of the second in t. */
#include "device/tuning.h"
#include "solve/krylov.h"

enum { SHADOW, DIRECTION, PROJECT, HALF, FIT, UPDATE };

/* The next direction from what the iteration left, or from the start's residual; also into the preconditioner. */
static ritz_status update_direction(krylov *k, bool counts)
{
    const bool applied = ritz_krylov_applies(k);
    const ritz_argument arguments[] = {
        KRYLOV_PACKS(k),
        KRYLOV_GROUPS(k),
        RITZ_INT(counts),
        KRYLOV_STATE(k),
        KRYLOV_PARTIAL(k),
        KRYLOV_VECTOR(k, VECTOR_R),
        KRYLOV_VECTOR(k, VECTOR_Q),
        RITZ_BUFFER(ritz_krylov_scaling(k)),
        KRYLOV_VECTOR(k, VECTOR_P),
        applied ? RITZ_BUFFER(k->preconditioner.r) : KRYLOV_VECTOR(k, VECTOR_W),
        KRYLOV_SCRATCH(k),
    };
    return ritz_launch(k->in_use->kernel[DIRECTION], ritz_krylov_all(k), arguments, 11, NULL);
}

/* The partial sums of |d| r^2, which is shadow.r at first, are those that the residual left. */
static ritz_status start_bicgstab(krylov *k)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_zero(k->vector[VECTOR_P]));
    RITZ_TRY(ritz_buffer_zero(k->vector[VECTOR_Q]));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[SHADOW], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k),
                         KRYLOV_VECTOR(k, VECTOR_R), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_SHADOW)));
    RITZ_TRY(update_direction(k, false));
done:
    return status;
}

/* v = A w and the partial sums of shadow.v, by the product or by a pass of their own. */
static ritz_status project_on_shadow(krylov *k, krylov_sum *projected)
{
    ritz_status status = RITZ_OK;
    const ritz_product product = {.alpha = 1, .w = k->vector[VECTOR_SHADOW]};
    if (k->matrix && ritz_device_tuned(k->device, RITZ_BICGSTAB_PROJECTS) != 0)
        return ritz_krylov_product(k, k->matrix, &product, k->vector[VECTOR_W], k->vector[VECTOR_Q], projected);
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_W, VECTOR_Q));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[PROJECT], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                         KRYLOV_VECTOR(k, VECTOR_SHADOW), KRYLOV_VECTOR(k, VECTOR_Q), KRYLOV_PARTIAL(k),
                         KRYLOV_SCRATCH(k)));
    *projected = (krylov_sum){.partial = k->partial, .n = (int32_t)k->n_groups};
done:
    return status;
}

/* The step along p. */
static ritz_status update_half_step(krylov *k, const krylov_sum *projected)
{
    const bool applied = ritz_krylov_applies(k);
    const ritz_argument arguments[] = {
        KRYLOV_PACKS(k),
        RITZ_INT(projected->n),
        KRYLOV_STATE(k),
        RITZ_BUFFER(projected->partial),
        KRYLOV_VECTOR(k, VECTOR_Q),
        RITZ_BUFFER(ritz_krylov_scaling(k)),
        KRYLOV_VECTOR(k, VECTOR_X),
        KRYLOV_VECTOR(k, VECTOR_R),
        KRYLOV_VECTOR(k, VECTOR_W),
        KRYLOV_SCRATCH(k),
        RITZ_BUFFER(k->preconditioner.r),
    };
    return ritz_launch(k->in_use->kernel[HALF], ritz_krylov_all(k), arguments, applied ? 11 : 10, NULL);
}

static ritz_status iterate_bicgstab(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_sum projected = {0};
    RITZ_TRY(ritz_krylov_precondition(k, VECTOR_W));
    RITZ_TRY(project_on_shadow(k, &projected));
    RITZ_TRY(update_half_step(k, &projected));
    RITZ_TRY(ritz_krylov_precondition(k, VECTOR_W));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_W, VECTOR_T));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[FIT], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                         KRYLOV_VECTOR(k, VECTOR_R), KRYLOV_VECTOR(k, VECTOR_T), KRYLOV_VECTOR(k, VECTOR_D),
                         KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[UPDATE], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_GROUPS(k),
                         KRYLOV_STATE(k), KRYLOV_PARTIAL(k), KRYLOV_VECTOR(k, VECTOR_W), KRYLOV_VECTOR(k, VECTOR_T),
                         KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_SHADOW), KRYLOV_VECTOR(k, VECTOR_X),
                         KRYLOV_VECTOR(k, VECTOR_R), KRYLOV_SCRATCH(k)));
    RITZ_TRY(update_direction(k, true));
done:
    return status;
}

const krylov_method ritz_method_bicgstab = {
    .name = "bicgstab",
    .kernel_file = "solve/kernels/bicgstab.cl",
    .kernels = {"bicgstab_shadow", "bicgstab_direction", "bicgstab_project", "bicgstab_half", "bicgstab_fit",
                "bicgstab_update"},
    .n_vectors = N_VECTORS,
    .products = 2,
    .passes = 27,
    .passes_applied = 33,
    .positive_definite = false,
    .preconditioned = VECTOR_W,
    .start = start_bicgstab,
    .iterate = iterate_bicgstab,
};
