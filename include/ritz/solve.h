/* Krylov methods on the device, preconditioned by the diagonal or by polynomials of the matrix, and factorisations on
   the host. */
#ifndef RITZ_SOLVE_H
#define RITZ_SOLVE_H

#include "ritz/direct.h"
#include "ritz/matrix.h"

RITZ_BEGIN_DECLS

/* GMRES is restarted after 30 to 400 steps, as many as 128 MB hold. Where BiCGStab breaks down or diverges the solver
   starts again with GMRES, and the report says so. Direct factorises the matrix on the host, by MUMPS, once for all
   right-hand sides, and refines each solution; it takes none of the options but the tolerance and memory_most. */
typedef enum ritz_solve_method { RITZ_CG = 0, RITZ_BICGSTAB, RITZ_GMRES, RITZ_DIRECT } ritz_solve_method;
/* The polynomials are of the scaled matrix D^-1/2 A D^-1/2 and take `degree` products per application: Neumann's
   series, Saad's least squares with his Jacobi weight, Chebyshev's. They need a positive diagonal. Automatic, which a
   struct of zeros means: for cg with a large matrix multigrid where its near-nullspace is given (docs/multigrid.md),
   else Chebyshev's of degree 20 with its matrix in f32 (docs/solve.md); Jacobi's otherwise; with a degree, storage or
   vectors of a polynomial, Chebyshev's with these. The log and the report say which. */
typedef enum ritz_preconditioner {
    RITZ_PRECONDITIONER_AUTOMATIC = 0,
    RITZ_JACOBI,
    RITZ_NO_PRECONDITIONER,
    RITZ_NEUMANN,
    RITZ_LEAST_SQUARES,
    RITZ_CHEBYSHEV,
    RITZ_MULTIGRID,              /* smoothed aggregation: its work grows with the unknowns alone (docs/multigrid.md) */
    RITZ_PRECONDITIONER_FUNCTION /* the options' `precondition` */
} ritz_preconditioner;
enum { RITZ_COARSE_WEIGHTS = 8 }; /* of a node, at most */
/* Iterations are counted in float on devices without f64, hence their limit. */
enum { RITZ_DEGREE_MOST = 20, RITZ_HISTORY_MOST = 1024, RITZ_ITERATIONS_MOST = 1 << 24 };

/* How the solver holds its matrices, A and the polynomial's: whole, or one of a_ij and a_ji (sbell-symmetric), which is
   for symmetric matrices, and so for cg. It converts a matrix that is stored otherwise. */
typedef enum ritz_matrix_choice {
    RITZ_MATRIX_AUTOMATIC = 0, /* half where that is expected to be faster: on CPUs, see docs/solve.md */
    RITZ_MATRIX_WHOLE,
    RITZ_MATRIX_HALF
} ritz_matrix_choice;

/* Precision of the polynomial's vectors where its matrix is narrower than A's vectors. Single ones are faster; but
   rounding then changes the preconditioner in every iteration, which may cost many iterations until the residual is
   near the tolerance (docs/solve.md). */
typedef enum ritz_vectors_choice {
    RITZ_VECTORS_AUTOMATIC = 0, /* double until the residual allows single; with bicgstab, double */
    RITZ_VECTORS_DOUBLE,        /* those of A */
    RITZ_VECTORS_SINGLE         /* all along, as in Algorithm 6 of Zhang and Zhang (2013); for cg */
} ritz_vectors_choice;

/* y = A x, or z = P r, by the caller, for vectors in the device's memory: sent to the device's queue, it need not wait
   for the end. It must not change x, nor keep either vector. Any status but RITZ_OK ends the solve with that status. */
typedef ritz_status ritz_apply_function(const ritz_vector *x, ritz_vector *y, void *context);

typedef struct ritz_solve_options {
    size_t size; /* of this struct; 0: the library's own */
    ritz_solve_method method;
    ritz_preconditioner preconditioner;
    int degree; /* of a polynomial, 1 to RITZ_DEGREE_MOST; 0: 6, and 20 where the preconditioner is automatic */
    /* How the polynomial's matrix is stored; 0: as its vectors. RITZ_VALUES_F32 beside vectors in double is half of the
       Algorithm 6 of Zhang and Zhang (2013), F16 and BF16 read half of that again.
       Of multigrid's matrices; 0: F32, on the finest level F16 where that costs no iterations. */
    ritz_value_type storage;
    ritz_vectors_choice vectors; /* the other half of Algorithm 6 */
    ritz_matrix_choice matrix;
    double tolerance; /* of the scaled system's (D^-1/2 A D^-1/2) residual relative to its right-hand side; 0: 1e-8 */
    int32_t max_iterations; /* 1 to RITZ_ITERATIONS_MOST; 0: 20000 */
    /* z = P r, a fixed linear operator (for cg symmetric and positive definite), in the place of a built-in
       preconditioner; NULL: none. The residual is then that of the system as it is, not scaled. */
    ritz_apply_function *precondition;
    void *precondition_context; /* handed on to it; must outlive the solver */
    int64_t memory_most; /* direct: bytes of the host that a factorisation may take; 0: what is free. More than that is
                            RITZ_ERROR_MEMORY before it is begun */
    /* Of multigrid: vectors with almost no energy, near_nullspace[n][near_nullspace_columns], 1 to 8, read while
       the solver is made: the rigid motions of an elastic body (ritz_space_get_rigid_motions), constants otherwise.
       NULL: a constant for each unknown of a node. An automatic preconditioner is multigrid for large matrices where this or
       `coordinates` is given: of unsymmetric matrices give it where diffusion prevails. */
    const double *near_nullspace;
    int near_nullspace_columns;
    int unknowns_per_node; /* of multigrid: scalar rows per node, 1 to 8; 0: as many as a block of the matrix has */
    bool updatable; /* ritz_solver_update will be called: multigrid keeps the near-nullspace and its patterns for it */
    /* Of multigrid: a space inside the matrix's own that is the first coarse level, as that of order 1 in one of a
       higher order (ritz_space_get_vertex_weights), read while the solver is made. The value at node i, of n over
       unknowns_per_node, is the sum of coarse_weights[i][k] times those at the coarse nodes coarse_nodes[i][k],
       k < RITZ_COARSE_WEIGHTS, increasing and -1 past the last; each coarse node is one of the nodes, which has the weight
       1 there and no other. NULL: the first coarse level is one of aggregates, as all below are. */
    const int32_t *coarse_nodes;
    const double *coarse_weights;
    int32_t n_coarse_nodes;
    /* Of multigrid, of an elastic body of unknowns_per_node 2 or 3, in the place of near_nullspace:
       coordinates[n / unknowns_per_node][unknowns_per_node] of the nodes, read while the solver is made. Its rigid motions are
       then made on the device. */
    const double *coordinates;
    /* Of multigrid: what it is made of in the place of the system's matrix, as one near to it that leaves out what couples
       many unknowns with each other: of the same device, precision, rows and blocks; must outlive the solver. NULL: the
       matrix. Not of a solver that is updatable. */
    const ritz_matrix *precondition_matrix;
    /* Once within the tolerance, goes on until the solution is, too, or three times the iterations are done; not where rounding is near,
       as in single precision. Forces that balance each other hide below the tolerance how a stiff part moves on a soft one.
       Multigrid tells the error of the solution, and the method starts anew where that is above a tenth of the tolerance, in energy
       (cg), or above ten times the tolerance, weighed with the diagonal (others). Of cg without multigrid a tenth of the residual
       has to change the solution by no more than ten times the tolerance, in energy. Without multigrid the level of the solution, by which
       all unknowns of a component are raised alike, has to be within ten times the tolerance, too. */
    bool thorough;
} ritz_solve_options;

enum { RITZ_SOLVE_LEVELS_MOST = 16 };
/* A level of multigrid, from the finest: scalar rows and nonzeros, nodes, and the aggregates that they make, which are
   the nodes of the next level; 0 on the coarsest. */
typedef struct ritz_solve_level {
    int64_t n_rows, n_nonzeros;
    int32_t n_nodes, n_aggregates;
} ritz_solve_level;

/* How a solve ended. Limited by rounding: not within the tolerance, but the residual is at most 1e-3 and of the size of
   eps |A| |x|, so x solves a system that differs from the given one by the rounding of its numbers alone; thin and
   slender parts end so. */
typedef enum ritz_solve_outcome {
    RITZ_UNSOLVED = 0,
    RITZ_CONVERGED,
    RITZ_LIMITED_BY_ROUNDING,
    RITZ_NOT_CONVERGED
} ritz_solve_outcome;

/* Filled by a solve, except its size. */
typedef struct ritz_solve_report {
    size_t size;        /* of this struct, set by the caller; 0: the library's own */
    int32_t iterations; /* of method direct: refinements */
    bool converged;
    ritz_solve_outcome outcome;
    ritz_solve_method method;           /* the one that ended it */
    ritz_preconditioner preconditioner; /* never automatic */
    bool half;                          /* of the matrix was stored */
    /* Of the scaled system, beside its right-hand side, or beside what x = D^-1 b leaves of that where it is far less. Once
       converged, no less than that of x computed anew, which rounding may keep above the tolerance: docs/solve.md. */
    double relative_residual;
    double true_relative_residual;  /* |b - A x| / |b|, computed anew at the end */
    ritz_direct_facts direct;       /* of method direct, zeros else */
    double sensitivity, correction; /* likewise: the first and the last refinement beside x, in the largest entries. The
                                       first is about what rounding of the matrix's own entries does to x, the last the
                                       error of x in the matrix as it is stored */
    /* Of polynomial preconditioners, 0 else: products per application, and the bounds of the scaled matrix's
       eigenvalues that a few steps of Lanczos gave, the largest with a safeguard; the smallest is 0 where they did not
       settle it. */
    int32_t degree, lanczos_steps;
    ritz_value_type vectors, storage; /* inside the polynomial, f64 or f32, at the end; of its matrix, or multigrid's */
    int32_t double_iterations;        /* with the polynomial's vectors in f64 */
    double smallest_eigenvalue, largest_eigenvalue;
    double setup_seconds;    /* diagonal, scaled matrix, bounds: once for all right-hand sides of a ritz_solver */
    int64_t iteration_bytes; /* that an iteration must move, the mean: products, and vectors read and written besides */
    /* history[i]: relative residual of the scaled system after i history_stride iterations, as the iteration carries it
       along; the stride is the least power of 2 for which all fit. */
    int32_t history_count, history_stride;
    double history[RITZ_HISTORY_MOST];
    /* Of multigrid, 0 else. Operator complexity: nonzeros of all levels over those of the finest. */
    int32_t n_levels;
    double operator_complexity;
    /* Motions of its near-nullspace that take no energy in the matrix it is made of: if that is the system's, how much of them is in x
       is undetermined. */
    int32_t n_free_motions;
    ritz_solve_level levels[RITZ_SOLVE_LEVELS_MOST];
} ritz_solve_report;

/* "cg", "bicgstab", "gmres", "direct". */
RITZ_API const char *ritz_solve_method_name(ritz_solve_method method);
/* "auto", "jacobi", "none", "neumann", "least-squares", "chebyshev", "multigrid", "function"; "unknown" for other
   values, here and below. */
RITZ_API const char *ritz_preconditioner_name(ritz_preconditioner preconditioner);
/* "not solved", "converged", "limited by rounding", "not converged". */
RITZ_API const char *ritz_solve_outcome_name(ritz_solve_outcome outcome);
/* "auto", "whole", "half". */
RITZ_API const char *ritz_matrix_choice_name(ritz_matrix_choice matrix);
/* "f64", "f32", "f16", "bf16". */
RITZ_API const char *ritz_storage_name(ritz_value_type storage);

/* A matrix made ready for any number of right-hand sides; the matrix must outlive it and stay as it is, or be followed by
   ritz_solver_update: a solve is refused where an assembler has filled it since. */
typedef struct ritz_solver ritz_solver;
RITZ_API ritz_status ritz_solver_create(const ritz_matrix *matrix, const ritz_solve_options *options,
                                        ritz_solver **solver);
RITZ_API void ritz_solver_destroy(ritz_solver **solver);
/* For new values of the matrix, the same one or another of as many rows and the same precision, in the place of those before
   (steps of Newton's method, time steps); the matrix of before may be gone. What a solver made anew would be, but that multigrid
   keeps its aggregates, and the patterns of its levels unless the matrix has entries that were zero before. Where values change so
   much that other nodes are tied to each other, a new solver may take fewer iterations. The options had `updatable`; the choices
   made then stay. After a failure a solve is refused until an update succeeds. Not for operators. */
RITZ_API ritz_status ritz_solver_update(ritz_solver *solver, const ritz_matrix *matrix);
/* A system matrix of which only products are known. */
typedef struct ritz_operator {
    size_t size; /* of this struct; 0: the library's own */
    ritz_device *device;
    ritz_precision precision; /* of vectors */
    int64_t n;                /* rows and columns */
    ritz_apply_function *apply;
    void *context;               /* handed on to it; must outlive the solver */
    const ritz_vector *diagonal; /* of the matrix, [n], for preconditioner jacobi; NULL: not known. Copied */
} ritz_operator;
/* A solver for it: cg, bicgstab and gmres, with preconditioner jacobi, none, or a function; automatic is the function
   if there is one, else jacobi if there is a diagonal. */
RITZ_API ritz_status ritz_solver_create_from_operator(const ritz_operator *system, const ritz_solve_options *options,
                                                      ritz_solver **solver);
/* ritz_solver_solve with vectors of the solver's device: of those in its memory, which have the matrix's precision,
   nothing but the scalars of the iteration passes over the bus; those on the host are copied there and back. */
RITZ_API ritz_status ritz_solver_solve_vectors(ritz_solver *solver, const ritz_vector *b, ritz_vector *x,
                                               ritz_solve_report *report);
/* As ritz_solve. */
RITZ_API ritz_status ritz_solver_solve(ritz_solver *solver, const double *b, double *x, ritz_solve_report *report);

/* Solves A x = b; x[n] holds the start (zeros are a good one) and receives the solution. A system that does not
   converge is RITZ_ERROR_NOT_CONVERGED: x then holds the last iterate (the best one, with the report's outcome
   RITZ_LIMITED_BY_ROUNDING), the report is filled, and the message says how far it got and what to try. A negative
   curvature in CG (matrix not positive definite) is named as such. */
RITZ_API ritz_status ritz_solve(const ritz_matrix *matrix, const ritz_solve_options *options, const double *b,
                                double *x, ritz_solve_report *report);
/* ritz_solver_solve_vectors for one right-hand side. */
RITZ_API ritz_status ritz_solve_vectors(const ritz_matrix *matrix, const ritz_solve_options *options,
                                        const ritz_vector *b, ritz_vector *x, ritz_solve_report *report);

RITZ_END_DECLS

#endif
