/* The preconditioner that is a function of the caller's. */
#include "solve/krylov.h"

/* Its z, padded with zeros that the function does not see. */
static ritz_status create_kind(krylov *k)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *z = NULL;
    RITZ_TRY(
        ritz_buffer_create(k->device, k->n_padded * ritz_real_bytes(k->precision), "a preconditioner's vector", &z));
    k->preconditioner.own = z;
    RITZ_TRY(ritz_buffer_zero(z));
done:
    return status;
}

static ritz_status apply_kind(krylov *k, const ritz_buffer **z, krylov_sum *sum)
{
    ritz_status status = RITZ_OK;
    const krylov_preconditioner *p = &k->preconditioner;
    RITZ_TRY(ritz_krylov_call(k, p->function, p->context, "preconditioner", p->r, p->own));
    if (sum)
        RITZ_TRY(ritz_krylov_dot(k, p->r, p->own, sum));
    *z = p->own;
done:
    return status;
}

/* What the function itself moves is not known: r and z. */
static int64_t count_bytes(const krylov *k, const krylov_precision *in)
{
    return 2 * k->n * ritz_real_bytes(in->precision);
}

static void destroy_kind(krylov *k)
{
    ritz_buffer *z = k->preconditioner.own;
    ritz_buffer_destroy(&z);
    k->preconditioner.own = NULL;
}

const preconditioner_kind ritz_precondition_function = {.name = "function",
                                                        .by_function = true,
                                                        .unscaled = true,
                                                        .wants_order = true,
                                                        .create = create_kind,
                                                        .apply = apply_kind,
                                                        .cost = count_bytes,
                                                        .destroy = destroy_kind};
