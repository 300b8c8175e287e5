/* The table of preconditioners, and what those that are applied between a method's kernels share. */
#include "solve/precondition.h"
#include "solve/krylov.h"

#include <math.h>

#define POLYNOMIAL(text)                                                                                               \
    {                                                                                                                  \
        .name = (text), .polynomial = true, .kernels = POLYNOMIAL_KERNELS, .create = ritz_polynomial_create,           \
        .apply = ritz_polynomial_apply, .cost = ritz_polynomial_cost, .report = ritz_polynomial_report,                \
        .change_form = ritz_polynomial_change_form, .mend = ritz_polynomial_mend, .destroy = ritz_polynomial_destroy   \
    }

static const preconditioner_kind kinds[] = {
    [RITZ_PRECONDITIONER_AUTOMATIC] = {.name = "auto"},
    [RITZ_JACOBI] = {.name = "jacobi"},
    [RITZ_NO_PRECONDITIONER] = {.name = "none", .unscaled = true},
    [RITZ_NEUMANN] = POLYNOMIAL("neumann"),
    [RITZ_LEAST_SQUARES] = POLYNOMIAL("least-squares"),
    [RITZ_CHEBYSHEV] = POLYNOMIAL("chebyshev"),
    [RITZ_MULTIGRID] = {.name = "multigrid",
                        .multigrid = true,
                        .create = ritz_multigrid_kind_create,
                        .apply = ritz_multigrid_kind_apply,
                        .cost = ritz_multigrid_kind_cost,
                        .report = ritz_multigrid_kind_report,
                        .mend = ritz_multigrid_kind_mend,
                        .destroy = ritz_multigrid_kind_destroy},
    [RITZ_PRECONDITIONER_FUNCTION] = {.name = "function",
                                      .by_function = true,
                                      .unscaled = true,
                                      .create = ritz_function_create,
                                      .apply = ritz_function_apply,
                                      .cost = ritz_function_cost,
                                      .destroy = ritz_function_destroy},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const preconditioner_kind *ritz_preconditioner_find(ritz_preconditioner preconditioner)
{
    const bool is_one = preconditioner > RITZ_PRECONDITIONER_AUTOMATIC && (unsigned)preconditioner < N_KINDS;
    return is_one ? &kinds[preconditioner] : NULL;
}

bool ritz_preconditioner_is_polynomial(ritz_preconditioner preconditioner)
{
    const preconditioner_kind *kind = ritz_preconditioner_find(preconditioner);
    return kind && kind->polynomial;
}

const char *ritz_preconditioner_name(ritz_preconditioner preconditioner)
{
    return (unsigned)preconditioner < N_KINDS ? kinds[preconditioner].name : "unknown";
}

ritz_status ritz_preconditioner_from_name(const char *name, ritz_preconditioner *preconditioner)
{
    int value = 0;
    const char *names[N_KINDS];
    int n = 0;
    while (n < N_KINDS && !kinds[n].by_function) { /* those that a name is enough for come first */
        names[n] = kinds[n].name;
        n++;
    }
    ritz_status status = ritz_value_from_name("preconditioner", name, names, n, &value);
    if (!status)
        *preconditioner = (ritz_preconditioner)value;
    return status;
}

/* ---- Applied between kernels ---- */

bool ritz_krylov_applies(const krylov *k)
{
    return k->preconditioner.kind->apply != NULL;
}

const ritz_buffer *ritz_krylov_scaling(const krylov *k)
{
    return ritz_krylov_applies(k) ? k->preconditioner.scale : k->vector[VECTOR_D];
}

ritz_status ritz_krylov_prepare_preconditioner(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    ritz_device *device = k->device;
    if (!ritz_krylov_applies(k))
        return RITZ_OK;
    RITZ_TRY(ritz_buffer_create(device, k->n_padded * ritz_real_bytes(k->precision), "a preconditioner's vector",
                                &p->scale));
    RITZ_TRY(RITZ_LAUNCH(p->take_root, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_VECTOR(k, VECTOR_D),
                         RITZ_BUFFER(p->scale)));
    RITZ_TRY(ritz_buffer_create(device, k->n_padded * ritz_real_bytes(k->in_use->precision),
                                "a preconditioner's vector", &p->r));
    RITZ_TRY(ritz_buffer_zero(p->r));
    if (p->kind->create)
        RITZ_TRY(p->kind->create(k));
done:
    return status;
}

void ritz_krylov_destroy_preconditioner(krylov *k)
{
    krylov_preconditioner *p = &k->preconditioner;
    if (p->kind && p->kind->destroy)
        p->kind->destroy(k);
    ritz_buffer_destroy(&p->scale);
    ritz_buffer_destroy(&p->r);
}

ritz_status ritz_krylov_scale(krylov *k, const ritz_buffer *from, ritz_buffer *to)
{
    return RITZ_LAUNCH(k->in_use->multiply, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_STATE(k),
                       RITZ_BUFFER(k->preconditioner.scale), RITZ_BUFFER(from), RITZ_BUFFER(to));
}

ritz_status ritz_krylov_precondition(krylov *k, int to)
{
    ritz_status status = RITZ_OK;
    const ritz_buffer *z = NULL;
    if (!ritz_krylov_applies(k))
        return RITZ_OK;
    RITZ_TRY(k->preconditioner.kind->apply(k, &z, NULL));
    RITZ_TRY(ritz_krylov_scale(k, z, k->vector[to]));
done:
    return status;
}

/* ---- Precision of its vectors ---- */

bool ritz_krylov_may_narrow(const krylov *k)
{
    return k->in_use < k->precisions + k->n_precisions - 1;
}

/* Rounding inside the preconditioner, of 2^-24 of what it is given, stays in the iteration: what it brings in has to be
   reduced again, as far as the tolerance. The later it comes in the smaller it is, for it goes with the residual, and
   once it is below the tolerance it costs nothing. That is the relaxation of inexact Krylov methods (Bouras, Fraysse,
   SIAM J. Matrix Anal. Appl. 26 (2005); Simoncini, Szyld, SIAM J. Sci. Comput. 25 (2003)); the margin of 8 and the
   strictest of tolerances that make no difference were found by trial (docs/solve.md). */
static bool is_single_enough(double residual, double tolerance)
{
    const double rounding = 0x1p-24, margin = 8, strictest = 1e-7;
    return margin * rounding * residual <= fmin(tolerance, strictest);
}

ritz_status ritz_krylov_choose_form(krylov *k, double residual, double tolerance)
{
    const preconditioner_kind *kind = k->preconditioner.kind;
    krylov_precision *in =
        k->n_precisions > 1 && is_single_enough(residual, tolerance) ? &k->precisions[1] : &k->precisions[0];
    if (in == k->in_use)
        return RITZ_OK;
    k->in_use = in;
    return kind->change_form ? kind->change_form(k) : RITZ_OK;
}
