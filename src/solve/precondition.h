/* Preconditioners as the Krylov methods see them: one table of kinds, each with a few operations. The methods know two
   ways only: z = D^-1 r inside their own kernels, for a kind without `apply`; or they leave D^-1/2 r in the
   preconditioner's `r`, call `apply`, and go on from D^-1/2 z. A kind that is `unscaled` has D = 1. */
#ifndef RITZ_SRC_SOLVE_PRECONDITION_H
#define RITZ_SRC_SOLVE_PRECONDITION_H

#include "solve/solve.h"

typedef struct krylov krylov;
typedef struct krylov_precision krylov_precision;
typedef struct krylov_sum krylov_sum;

enum { MAX_PRECONDITIONER_KERNELS = 4 };

typedef struct preconditioner_kind {
    const char *name;
    /* Of the scaled matrix: takes a degree, a storage and vectors, and needs a positive diagonal. */
    bool polynomial;
    bool multigrid; /* of the scaled matrix, too, with a degree and a storage; for cg */
    bool unscaled;
    bool by_function;                                /* the caller's, which the options have */
    const char *kernels[MAX_PRECONDITIONER_KERNELS]; /* names in kernels/precondition.cl; NULL ends */
    /* All but `apply` may be NULL, and all are where the method's kernels apply it. */
    ritz_status (*create)(krylov *k); /* once D^-1 is there; k->preconditioner.own */
    /* *z for the preconditioner's r, a vector that it owns; and unless NULL the sum r.z. */
    ritz_status (*apply)(krylov *k, const ritz_buffer **z, krylov_sum *sum);
    int64_t (*cost)(const krylov *k, const krylov_precision *in); /* bytes that `apply` must move */
    void (*report)(const krylov *k, ritz_solve_report *report);
    ritz_status (*change_form)(krylov *k); /* its vectors are to have another precision */
    void (*mend)(krylov *k); /* r.z was not positive: makes that less likely, for a start anew; NULL: no way */
    void (*destroy)(krylov *k);
} preconditioner_kind;

/* The entry of a kind; NULL for what is none, and for the automatic choice, which ends in another one. */
const preconditioner_kind *ritz_preconditioner_find(ritz_preconditioner preconditioner);

/* ---- precondition_polynomial.c ---- */
#define POLYNOMIAL_KERNELS                                                                                             \
    {                                                                                                                  \
        "lanczos_start", "lanczos_scalars", "lanczos_update"                                                           \
    }
ritz_status ritz_polynomial_create(krylov *k);
ritz_status ritz_polynomial_apply(krylov *k, const ritz_buffer **z, krylov_sum *sum);
int64_t ritz_polynomial_cost(const krylov *k, const krylov_precision *in);
void ritz_polynomial_report(const krylov *k, ritz_solve_report *report);
ritz_status ritz_polynomial_change_form(krylov *k);
void ritz_polynomial_mend(krylov *k);
void ritz_polynomial_destroy(krylov *k);

/* ---- precondition_multigrid.c ---- */
ritz_status ritz_multigrid_kind_create(krylov *k);
ritz_status ritz_multigrid_kind_apply(krylov *k, const ritz_buffer **z, krylov_sum *sum);
int64_t ritz_multigrid_kind_cost(const krylov *k, const krylov_precision *in);
void ritz_multigrid_kind_report(const krylov *k, ritz_solve_report *report);
void ritz_multigrid_kind_mend(krylov *k);
void ritz_multigrid_kind_destroy(krylov *k);

/* ---- precondition_function.c ---- */
ritz_status ritz_function_create(krylov *k);
ritz_status ritz_function_apply(krylov *k, const ritz_buffer **z, krylov_sum *sum);
int64_t ritz_function_cost(const krylov *k, const krylov_precision *in);
void ritz_function_destroy(krylov *k);

#endif
