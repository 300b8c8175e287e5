/* The method where none is asked for: the one place that chooses among iterations and factorisations. */
#ifndef RITZ_SRC_SOLVE_CHOICE_H
#define RITZ_SRC_SOLVE_CHOICE_H

#include "solve/solve.h"

enum { RITZ_CHOICE_TEXT = 512 };

/* What is known of a problem beside its matrix. */
typedef struct ritz_problem_shape {
    int dim;
    bool any_sign;         /* the coefficients may have any sign: symmetric matrices may be indefinite */
    double slenderness;    /* length by thickness of a part that bends; 0: none, or not known */
    double volume_keeping; /* root of bulk over shear modulus of the least compressible material; 0: as above */
    int n_rhs;             /* right-hand sides, among which factors are shared; 0: one */
    bool repeated;         /* solved many times, with another matrix each, as in Newton's method */
} ritz_problem_shape;

/* Iterations beside factors, which may be there sooner. */
typedef struct ritz_outlook {
    const ritz_matrix *matrix; /* of the solve that follows */
    int64_t memory_most;       /* bytes that factors may take; 0: what is free */
    double n_rhs;              /* right-hand sides that are not solved, the present one included */
    double each, worth; /* seconds: that an iteration takes, and from which on the order of the rows is worth finding */
    ritz_direct *ordered; /* the matrix in that order, the caller's; NULL: not yet */
    double left;          /* iterations that there seemed to be, when they were given up for the sake of factors; */
    bool given_up;        /* whether they were */
} ritz_outlook;

/* A choice: a solver with the matrix's factors, or NULL for iterations. */
typedef struct ritz_solve_choice {
    ritz_solver *direct; /* the caller's */
    /* Factors come first, or came and found the matrix singular: iterations have a solution where the loads leave free motions alone. */
    bool may_iterate;
    bool is_exact;        /* factors for the sake of a right solution alone */
    ritz_outlook outlook; /* zeros: the iterations are not looked at */
    char why[RITZ_CHOICE_TEXT];
} ritz_solve_choice;

/* Without factors options->method, cg or another, is the choice, and options->max_iterations after how many of its iterations a
   factorisation is worth while. Counted, not timed, so that every run chooses the same. */
ritz_status ritz_solve_choose(const ritz_matrix *matrix, const ritz_problem_shape *shape, ritz_solve_options *options,
                              int64_t memory_most, ritz_solve_choice *choice);
/* Once `options` have led nowhere: factors, unless they would take more memory than there is, or longer than all iterations that are
   allowed. outlook->ordered may be the matrix, and goes. */
ritz_status ritz_solve_turn(const ritz_matrix *matrix, const ritz_solve_options *options, int64_t memory_most,
                            ritz_outlook *outlook, ritz_solve_choice *choice);

/* What looks at the iterations of a solver, which the outlook must outlive. Seconds are expected of counts, so that every run gives
   up at the same iteration. */
ritz_solve_watch ritz_outlook_watch(ritz_outlook *outlook);

#endif
