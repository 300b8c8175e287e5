/* Solve room, internal side. Depends on base, device, matrix, direct. */
#ifndef RITZ_SRC_SOLVE_H
#define RITZ_SRC_SOLVE_H

#include "direct/direct.h"
#include "matrix/matrix.h"
#include "ritz/solve.h"

#define RITZ_TOLERANCE_DEFAULT 1e-8
enum { RITZ_ITERATIONS_DEFAULT = 20000 };
/* Iterations that multigrid takes of hardly any sound part. */
enum { RITZ_ITERATIONS_MANY = 200 };
#define RITZ_MULTIGRID_SLOW_WHERE                                                                                      \
    "a material that hardly changes its volume, thin or slender parts, slivers of elements, or a coefficient that "    \
    "jumps within them"
/* What to do about convection that a mesh does not resolve. */
#define RITZ_LAYER_ADVICE                                                                                              \
    "where convection outweighs diffusion in a cell (cell Peclet number |velocity| h / (2 diffusion) above 1) the "    \
    "mesh does not resolve the boundary layers: refine it there"

/* ritz_solver_solve with device vectors of the matrix's precision: b [n] is read, x [n] holds the start and receives the
   solution. All vectors and scalars stay on the device; at most two scalars are read back an iteration. Dot products sum
   in a fixed order: same bits from run to run. Progress stage "solve". */
ritz_status ritz_solver_solve_device(ritz_solver *solver, const ritz_buffer *b, ritz_buffer *x,
                                     ritz_solve_report *report);
/* A solver of method direct, unless the ordered matrix would take more than `operations` to factorise: then *solver is NULL
   and the status RITZ_OK. *facts: what was found. ordered: NULL, or where the matrix is if it was ordered before; it is taken
   from there. */
ritz_status ritz_solver_create_direct(const ritz_matrix *matrix, const ritz_solve_options *options, double operations,
                                      ritz_direct **ordered, ritz_solver **solver, ritz_direct_facts *facts);
/* *matrix as the solver will store it with these options, in the place of what was given: saves a solver's own copy
   beside it. */
ritz_status ritz_solve_store(ritz_matrix **matrix, const ritz_solve_options *options);
/* The same for one right-hand side. */
ritz_status ritz_solve_device(const ritz_matrix *matrix, const ritz_solve_options *options, const ritz_buffer *b,
                              ritz_buffer *x, ritz_solve_report *report);
/* Told every ten iterations, from the fortieth on, how many more there seem to be to the tolerance, by the last twenty or by all,
   whichever fell faster. It may give them up: the solve then ends as one whose iterations are used up. */
typedef struct ritz_solve_watch {
    ritz_status (*look)(void *context, int32_t iterations, double left, bool *gives_up);
    void *context;
} ritz_solve_watch;
/* Of all later solves, by iterations; copied. NULL: none. */
void ritz_solver_set_watch(ritz_solver *solver, const ritz_solve_watch *watch);
/* Names of the options' values. */
extern const ritz_name_table ritz_solve_method_names, ritz_matrix_choice_names, ritz_value_type_names,
    ritz_vectors_choice_names;
/* How precise a solve is: A, vectors and sums; beside them the matrix of a preconditioner, and its vectors. */
typedef struct ritz_solve_precision {
    const char *name;
    ritz_precision precision;
    ritz_value_type storage; /* RITZ_VALUES_AS_VECTORS: nothing is mixed */
    ritz_vectors_choice vectors;
} ritz_solve_precision;
enum { RITZ_SOLVE_N_USUAL_PRECISIONS = 3, RITZ_SOLVE_N_PRECISIONS = 12 };
/* The first is double; problem files take the usual ones, which come first, the bench all. */
extern const ritz_solve_precision ritz_solve_precisions[RITZ_SOLVE_N_PRECISIONS];
/* Among the first n. RITZ_ERROR_INPUT lists them. */
ritz_status ritz_solve_precision_from_name(const char *name, int n, const ritz_solve_precision **precision);
/* Of preconditioners, without the function of a caller. RITZ_ERROR_INPUT lists them. */
ritz_status ritz_preconditioner_from_name(const char *name, ritz_preconditioner *preconditioner);
/* Their names in a list, all, or those that take a degree and a storage; returns `list`. */
const char *ritz_preconditioner_list(bool with_settings, char *list, size_t bytes);
/* Refuses values that there are none of and settings that rule each other out, for a matrix of this precision: the rules
   of the library, the problem file and the bench. */
ritz_status ritz_solve_check_options(const ritz_solve_options *options, ritz_precision precision);
/* Whether it takes a degree, a storage and vectors of its own. */
bool ritz_preconditioner_is_polynomial(ritz_preconditioner preconditioner);
/* Whether these options lead, or may lead, to a preconditioner that uses their near_nullspace. */
bool ritz_solve_uses_near_nullspace(const ritz_solve_options *options);

/* Whether these options mean multigrid for this matrix, asked for or chosen. */
ritz_status ritz_solve_takes_multigrid(const ritz_matrix *matrix, const ritz_solve_options *options, bool *multigrid);

#endif
