/* Restarted GMRES: what one step sends to the device, and what closes a cycle. z stands in p, its product in q. */
#include "solve/krylov.h"

enum { START, PROJECT, SUBTRACT, ADVANCE, SOLVE, COMBINE, CORRECT };

/* A cycle's basis takes up to this much memory, within these numbers of steps. Where convection dominates long cycles take
   far fewer steps (docs/solve.md), and each costs more passes over vectors. */
enum { BASIS_BYTES = 128 << 20, STEPS_LEAST = 30, STEPS_MOST = 400 };

static ritz_status prepare_gmres(krylov *k)
{
    ritz_status status = RITZ_OK;
    ritz_device *device = k->device;
    const int64_t bytes = k->n_padded * ritz_real_bytes(k->precision), accum = ritz_real_bytes(k->accum);
    const int64_t most = ritz_max64(STEPS_LEAST, ritz_min64(STEPS_MOST, BASIS_BYTES / bytes));
    k->cycle = (int32_t)ritz_min64(most, k->n);
    ritz_buffer_destroy(&k->partial);
    RITZ_TRY(ritz_buffer_create(device, (k->cycle + 1) * k->n_groups * accum, "the partial sums of dot products",
                                &k->partial));
    RITZ_TRY(ritz_buffer_create(device, (k->cycle + 1) * bytes, "the basis of gmres", &k->basis));
    RITZ_TRY(ritz_buffer_create(device, ((int64_t)k->cycle * (k->cycle + 5) + 1) * accum, "the scalars of gmres",
                                &k->small));
done:
    return status;
}

/* What the preconditioner starts from. */
static const ritz_buffer *basis_target(const krylov *k)
{
    return ritz_krylov_applies(k) ? k->preconditioner.r : k->vector[VECTOR_P];
}

/* A new basis from r, the partial sums of whose square are there. */
static ritz_status open_cycle(krylov *k)
{
    k->step = 0;
    return RITZ_LAUNCH(k->in_use->kernel[START], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_GROUPS(k),
                       RITZ_INT(k->cycle), KRYLOV_STATE(k), KRYLOV_PARTIAL(k), RITZ_BUFFER(k->small),
                       KRYLOV_VECTOR(k, VECTOR_R), RITZ_BUFFER(ritz_krylov_scaling(k)), RITZ_BUFFER(k->basis),
                       RITZ_BUFFER(basis_target(k)), KRYLOV_SCRATCH(k));
}

/* q = A z, z = P of what stands in `into`. */
static ritz_status multiply_basis(krylov *k)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_krylov_precondition(k, VECTOR_P));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_P, VECTOR_Q));
done:
    return status;
}

/* x and r with what the cycle has found. */
static ritz_status close_cycle(krylov *k)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[SOLVE], ritz_krylov_one(k), NULL, RITZ_INT(k->cycle), KRYLOV_STATE(k),
                         RITZ_BUFFER(k->small)));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[COMBINE], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), RITZ_INT(k->cycle),
                         RITZ_LONG(k->n_padded), KRYLOV_STATE(k), RITZ_BUFFER(k->small), RITZ_BUFFER(k->basis),
                         RITZ_BUFFER(ritz_krylov_scaling(k)), RITZ_BUFFER(basis_target(k))));
    RITZ_TRY(multiply_basis(k));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[CORRECT], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                         KRYLOV_PARTIAL(k), KRYLOV_VECTOR(k, VECTOR_P), KRYLOV_VECTOR(k, VECTOR_Q),
                         KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_VECTOR(k, VECTOR_X), KRYLOV_VECTOR(k, VECTOR_R),
                         KRYLOV_SCRATCH(k)));
done:
    return status;
}

/* One of the two rounds that make q orthogonal to the basis. */
static ritz_status orthogonalize_vector(krylov *k, bool second)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[PROJECT], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), RITZ_INT(k->step),
                         RITZ_LONG(k->n_padded), KRYLOV_STATE(k), RITZ_BUFFER(k->basis), KRYLOV_VECTOR(k, VECTOR_Q),
                         KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_PARTIAL(k), KRYLOV_SCRATCH(k)));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[SUBTRACT], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_GROUPS(k),
                         RITZ_INT(k->cycle), RITZ_INT(k->step), RITZ_INT(second), RITZ_LONG(k->n_padded),
                         KRYLOV_STATE(k), KRYLOV_PARTIAL(k), RITZ_BUFFER(k->small), RITZ_BUFFER(k->basis),
                         KRYLOV_VECTOR(k, VECTOR_Q), KRYLOV_VECTOR(k, VECTOR_D), KRYLOV_SCRATCH(k),
                         RITZ_LOCAL(k->cycle * ritz_real_bytes(k->accum))));
done:
    return status;
}

static ritz_status iterate_gmres(krylov *k)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(multiply_basis(k));
    RITZ_TRY(orthogonalize_vector(k, false));
    RITZ_TRY(orthogonalize_vector(k, true));
    RITZ_TRY(RITZ_LAUNCH(k->in_use->kernel[ADVANCE], ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_GROUPS(k),
                         RITZ_INT(k->cycle), RITZ_INT(k->step), RITZ_LONG(k->n_padded), KRYLOV_STATE(k),
                         KRYLOV_PARTIAL(k), RITZ_BUFFER(k->small), KRYLOV_VECTOR(k, VECTOR_Q),
                         RITZ_BUFFER(ritz_krylov_scaling(k)), RITZ_BUFFER(k->basis), RITZ_BUFFER(basis_target(k)),
                         KRYLOV_SCRATCH(k)));
    if (++k->step == k->cycle) {
        RITZ_TRY(close_cycle(k));
        RITZ_TRY(open_cycle(k));
    }
done:
    return status;
}

const krylov_method ritz_method_gmres = {
    .name = "gmres",
    .kernel_file = "solve/kernels/gmres.cl",
    .kernels = {"gmres_start", "gmres_project", "gmres_subtract", "gmres_advance", "gmres_solve", "gmres_combine",
                "gmres_correct"},
    .n_vectors = VECTOR_Q + 1,
    .products = 1,
    .passes = 2 * STEPS_LEAST + 12, /* of the shortest cycle, the mean */
    .passes_applied = 2 * STEPS_LEAST + 14,
    .positive_definite = false,
    .preconditioned = VECTOR_P,
    .starts_from_unit = true,
    .prepare = prepare_gmres,
    .start = open_cycle,
    .iterate = iterate_gmres,
    .finish = close_cycle,
};
