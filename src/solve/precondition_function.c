/* The preconditioner that is a function of the caller's. */
#include "solve/krylov.h"

/* Its z, padded with zeros that the function does not see. */
ritz_status ritz_function_create(krylov *k)
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

ritz_status ritz_function_apply(krylov *k, const ritz_buffer **z, krylov_sum *sum)
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
int64_t ritz_function_cost(const krylov *k, const krylov_precision *in)
{
    return 2 * k->n * ritz_real_bytes(in->precision);
}

void ritz_function_destroy(krylov *k)
{
    ritz_buffer *z = k->preconditioner.own;
    ritz_buffer_destroy(&z);
    k->preconditioner.own = NULL;
}
