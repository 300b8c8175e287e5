/* The table of preconditioners, where a new one is entered, and what those that are applied between the kernels of a method
   share. */
#include "solve/precondition.h"
#include "matrix/storage.h"
#include "solve/krylov.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Those that the methods' own kernels apply. */
static const preconditioner_kind automatic = {.name = "auto"}, jacobi = {.name = "jacobi"},
                                 none = {.name = "none", .unscaled = true};

/* By their numbers: a new one comes last, in ritz_preconditioner, too. */
/* clang-format off */
#define LIST(entry)                                                                                                    \
    entry(RITZ_NEUMANN, neumann)                                                                                       \
    entry(RITZ_LEAST_SQUARES, least_squares)                                                                           \
    entry(RITZ_CHEBYSHEV, chebyshev)                                                                                   \
    entry(RITZ_MULTIGRID, multigrid)                                                                                   \
    entry(RITZ_PRECONDITIONER_FUNCTION, function)
/* clang-format on */
#define DECLARE(number, name) extern const preconditioner_kind ritz_precondition_##name;
#define POINT(number, name) [number] = &ritz_precondition_##name,
LIST(DECLARE)
static const preconditioner_kind *const kinds[] = {[RITZ_PRECONDITIONER_AUTOMATIC] = &automatic,
                                                   [RITZ_JACOBI] = &jacobi,
                                                   [RITZ_NO_PRECONDITIONER] = &none,
                                                   LIST(POINT)};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const preconditioner_kind *ritz_preconditioner_find(ritz_preconditioner preconditioner)
{
    const bool is_one = preconditioner > RITZ_PRECONDITIONER_AUTOMATIC && (unsigned)preconditioner < N_KINDS;
    return is_one ? kinds[preconditioner] : NULL;
}

bool ritz_preconditioner_is_polynomial(ritz_preconditioner preconditioner)
{
    const preconditioner_kind *kind = ritz_preconditioner_find(preconditioner);
    return kind && kind->polynomial;
}

const char *ritz_preconditioner_name(ritz_preconditioner preconditioner)
{
    return (unsigned)preconditioner < N_KINDS ? kinds[preconditioner]->name : "unknown";
}

/* Those that a name alone chooses: names[N_KINDS], and their numbers. */
static ritz_name_table list_names(const char *names[N_KINDS], ritz_preconditioner numbers[N_KINDS])
{
    ritz_name_table table = {.what = "preconditioner", .names = names};
    for (int k = 0; k < N_KINDS; k++) {
        if (kinds[k]->by_function)
            continue;
        numbers[table.n] = (ritz_preconditioner)k;
        names[table.n++] = kinds[k]->name;
    }
    return table;
}

ritz_status ritz_preconditioner_check(ritz_preconditioner preconditioner)
{
    const char *names[N_KINDS];
    const ritz_name_table table = {.what = "preconditioner", .names = names, .n = N_KINDS};
    for (int k = 0; k < N_KINDS; k++)
        names[k] = kinds[k]->name;
    return ritz_check_value(&table, (int)preconditioner);
}

ritz_status ritz_preconditioner_from_name(const char *name, ritz_preconditioner *preconditioner)
{
    const char *names[N_KINDS];
    ritz_preconditioner numbers[N_KINDS];
    const ritz_name_table table = list_names(names, numbers);
    int value = 0;
    const ritz_status status = ritz_find_name(&table, name, &value);
    if (!status)
        *preconditioner = numbers[value];
    return status;
}

const char *ritz_preconditioner_list(bool with_settings, char *list, size_t bytes)
{
    const char *names[N_KINDS];
    int n = 0;
    for (int k = 0; k < N_KINDS; k++)
        if (!kinds[k]->by_function && (kinds[k]->has_settings || !with_settings))
            names[n++] = kinds[k]->name;
    return ritz_list_names(names, n, list, bytes);
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

static ritz_status take_roots(krylov *k)
{
    return RITZ_LAUNCH(k->preconditioner.take_root, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k),
                       KRYLOV_VECTOR(k, VECTOR_D), RITZ_BUFFER(k->preconditioner.scale));
}

static ritz_status create_vectors(krylov *k)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    RITZ_TRY(ritz_buffer_create(k->device, k->n_padded * ritz_real_bytes(k->precision), "a preconditioner's vector",
                                &p->scale));
    RITZ_TRY(take_roots(k));
    /* Room for the last node's block, where the rows end inside it. */
    RITZ_TRY(ritz_buffer_create(k->device, (k->n_padded + RITZ_BLOCK_MAX) * ritz_real_bytes(k->in_use->precision),
                                "a preconditioner's vector", &p->r));
    RITZ_TRY(ritz_buffer_zero(p->r));
done:
    return status;
}

/* Its own, of new values: updated where that goes on from the old one, else made anew. */
static ritz_status make_own(krylov *k, bool again)
{
    const preconditioner_kind *kind = k->preconditioner.kind;
    if (again && kind->update)
        return kind->update(k);
    if (again && kind->destroy)
        kind->destroy(k);
    return kind->create ? kind->create(k) : RITZ_OK;
}

ritz_status ritz_krylov_prepare_preconditioner(krylov *k, bool again)
{
    ritz_status status = RITZ_OK;
    krylov_preconditioner *p = &k->preconditioner;
    if (!ritz_krylov_applies(k))
        return RITZ_OK;
    k->in_use = k->precisions;
    ritz_buffer_destroy(&p->scale);
    ritz_buffer_destroy(&p->r);
    if (!p->kind->large_setup)
        RITZ_TRY(create_vectors(k));
    RITZ_TRY(make_own(k, again));
    if (p->kind->large_setup)
        RITZ_TRY(create_vectors(k));
done:
    return status;
}

void ritz_krylov_lend_preconditioner(const krylov *k, krylov *to)
{
    to->preconditioner = k->preconditioner;
    to->preconditioner.lent = true;
    to->largest_eigenvalue = k->largest_eigenvalue;
}

void ritz_krylov_destroy_preconditioner(krylov *k)
{
    krylov_preconditioner *p = &k->preconditioner;
    if (p->lent)
        return;
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
   once it is below the tolerance it costs nothing. That is the relaxation of inexact Krylov methods (Bouras and
   Fraysse (2005), Simoncini and Szyld (2003)); the margin of 8 and the
   strictest of tolerances that make no difference were found by trial (docs/solve.md). */
static bool is_single_enough(double residual, double tolerance)
{
    const double rounding = 0x1p-24, margin = 8, strictest = 1e-7;
    return margin * rounding * residual <= fmin(tolerance, strictest);
}

ritz_status ritz_krylov_choose_precision(krylov *k, double residual, double tolerance)
{
    const preconditioner_kind *kind = k->preconditioner.kind;
    krylov_precision *in =
        k->n_precisions > 1 && is_single_enough(residual, tolerance) ? &k->precisions[1] : &k->precisions[0];
    if (in == k->in_use)
        return RITZ_OK;
    k->in_use = in;
    return kind->change_precision ? kind->change_precision(k) : RITZ_OK;
}
