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
    bool polynomial;          /* of the scaled matrix */
    bool has_settings;        /* takes a degree, a storage and vectors */
    bool of_matrix;           /* made of the matrix, which must be there, with a positive diagonal */
    bool wants_whole;         /* the matrix; by itself it is not stored as half */
    bool wants_order;         /* of the caller's rows: they are not renumbered */
    bool large_setup;         /* more memory than the iteration needs: vectors come after it */
    bool uses_near_nullspace; /* and the unknowns of a node */
    bool unscaled;
    bool near_inverse; /* r.z is about the energy of the error that leaves the residual r */
    bool by_function;  /* the caller's, which the options have */
    /* What else to try where iterations are used up (in a list that goes on), and where none helps; NULL: what serves all. */
    const char *more_iterations, *instead;
    /* Of its settings, beside what options.c asks of all: what cannot be refused, what is left open filled in. */
    ritz_status (*check)(const ritz_solve_options *o);
    void (*fill)(const ritz_matrix *matrix, ritz_solve_options *o);
    const char *kernel_file;                         /* beside kernels/precondition.cl; NULL: none */
    const char *kernels[MAX_PRECONDITIONER_KERNELS]; /* names there; NULL ends */
    /* All but `apply` may be NULL, and all are where the method's kernels apply it. */
    ritz_status (*create)(krylov *k); /* once D^-1 is there; k->preconditioner.own */
    ritz_status (*update)(krylov *k); /* for a matrix of other values and their D^-1; NULL: destroyed and created */
    /* *z for the preconditioner's r, a vector that it owns; and unless NULL the sum r.z. */
    ritz_status (*apply)(krylov *k, const ritz_buffer **z, krylov_sum *sum);
    int64_t (*cost)(const krylov *k, const krylov_precision *in); /* bytes that `apply` must move */
    void (*report)(const krylov *k, ritz_solve_report *report);
    ritz_status (*change_precision)(krylov *k); /* its vectors are to have another precision */
    void (*widen)(krylov *k); /* r.z was not positive: makes that less likely, for a start anew; NULL: no way */
    void (*destroy)(krylov *k);
} preconditioner_kind;

/* The entry of a kind; NULL for what is none, and for the automatic choice, which ends in another one. */
const preconditioner_kind *ritz_preconditioner_find(ritz_preconditioner preconditioner);

/* RITZ_ERROR_INPUT, with the names, for a value that there is none of. */
ritz_status ritz_preconditioner_check(ritz_preconditioner preconditioner);

/* Whether multigrid's sparse products can count the matrix's blocks. */
bool ritz_multigrid_holds(const ritz_matrix *matrix, int unknowns_per_node);

#endif
