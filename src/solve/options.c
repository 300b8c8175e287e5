/* Options of a solve: what is left open filled in, what cannot be refused. */
#include "device/tuning.h"
#include "solve/krylov.h"

#include <float.h>
#include <math.h>

/* ---- What rules what out ---- */

/* The first setting there is that only some preconditioners take; NULL: none. */
static const char *preconditioner_setting(const ritz_solve_options *o)
{
    return o->degree > 0 ? "a degree"
           : o->storage  ? "a storage (precision mixed sets one)"
           : o->vectors  ? "a precision of vectors"
                         : NULL;
}

/* The first setting there is that only an iterative method takes; NULL: none. */
static const char *iterative_setting(const ritz_solve_options *o)
{
    return o->preconditioner || o->precondition ? "a preconditioner"
           : preconditioner_setting(o)          ? preconditioner_setting(o)
           : o->matrix                          ? "whole or half storage of the matrix"
           : o->max_iterations > 0              ? "a number of iterations"
                                                : NULL;
}

/* Settings that rule each other out. */
static ritz_status check_exclusions(const ritz_solve_options *o, ritz_precision precision)
{
    ritz_status status = RITZ_OK;
    char list[512];
    const char *extra = preconditioner_setting(o);
    const preconditioner_kind *kind = ritz_preconditioner_find(o->preconditioner); /* NULL: automatic */
    RITZ_REQUIRE(o->method != RITZ_DIRECT || !iterative_setting(o), RITZ_ERROR_INPUT,
                 "%s is for an iterative method, and the method is direct; omit it, or choose  method: cg",
                 iterative_setting(o));
    RITZ_REQUIRE(o->method == RITZ_DIRECT || o->memory_most == 0, RITZ_ERROR_INPUT,
                 "a memory limit is for method direct, and the method is %s; omit it",
                 ritz_solve_method_name(o->method));
    RITZ_REQUIRE(!extra || !kind || kind->has_settings, RITZ_ERROR_INPUT,
                 "%s is for the preconditioners %s, and this one is %s; choose one of these, or omit it", extra,
                 ritz_preconditioner_list(true, list, sizeof list), ritz_preconditioner_name(o->preconditioner));
    RITZ_REQUIRE((o->preconditioner == RITZ_PRECONDITIONER_FUNCTION) == (o->precondition != NULL) ||
                     (o->precondition && o->preconditioner == RITZ_PRECONDITIONER_AUTOMATIC),
                 RITZ_ERROR_INPUT,
                 o->precondition
                     ? "both a preconditioner function and another preconditioner are given; omit one of them"
                     : "the preconditioner is a function, but none is given; set `precondition`");
    RITZ_REQUIRE(!o->precondition || !extra, RITZ_ERROR_INPUT,
                 "%s is for a polynomial preconditioner, not for a function", extra);
    RITZ_REQUIRE(o->storage != RITZ_VALUES_F64 || precision == RITZ_F64, RITZ_ERROR_INPUT,
                 "storage f64 is for a matrix in double; leave it out, or use f32, f16 or bf16");
    RITZ_REQUIRE(o->vectors != RITZ_VECTORS_DOUBLE || precision == RITZ_F64, RITZ_ERROR_INPUT,
                 "vectors double is for a matrix in double; leave it out, or change the precision");
    RITZ_REQUIRE(o->vectors != RITZ_VECTORS_SINGLE ||
                     (precision == RITZ_F64 && o->storage != RITZ_VALUES_F64 && o->method == RITZ_CG),
                 RITZ_ERROR_INPUT,
                 "vectors single is for method cg, precision double or mixed, and storage f32, f16 or bf16; leave it "
                 "out, or change these");
    RITZ_REQUIRE(
        o->matrix != RITZ_MATRIX_HALF || o->method == RITZ_CG, RITZ_ERROR_INPUT,
        "half storage is for symmetric matrices and cg, and the method is %s; choose  matrix: whole  or  method: cg",
        ritz_solve_method_name(o->method));
done:
    return status;
}

/* What a kind of preconditioner asks of its settings. */
static ritz_status check_kind(const ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    const preconditioner_kind *kind = ritz_preconditioner_find(o->preconditioner);
    if (kind && kind->check)
        RITZ_TRY(kind->check(o));
    RITZ_REQUIRE(!o->near_nullspace ||
                     (o->near_nullspace_columns >= 1 && o->near_nullspace_columns <= RITZ_NEAR_NULLSPACE_MOST),
                 RITZ_ERROR_INPUT, "a near-nullspace cannot have %d columns; use 1 to %d", o->near_nullspace_columns,
                 RITZ_NEAR_NULLSPACE_MOST);
    RITZ_REQUIRE(
        !o->coordinates || !o->near_nullspace, RITZ_ERROR_INPUT,
        "the rigid motions are to be made of coordinates, and there is a near-nullspace too; give one of them");
    RITZ_REQUIRE(!o->coordinates || o->unknowns_per_node == 2 || o->unknowns_per_node == 3, RITZ_ERROR_INPUT,
                 "rigid motions made of coordinates need unknowns_per_node 2 or 3, the axes, and it is %d",
                 o->unknowns_per_node);
    RITZ_REQUIRE(
        !o->coarse_nodes == !o->coarse_weights && (!o->coarse_nodes || o->n_coarse_nodes > 0), RITZ_ERROR_INPUT,
        "a first coarse level takes coarse_nodes, coarse_weights and the number of coarse nodes (%d); give all "
        "of them, or none",
        o->n_coarse_nodes);
    RITZ_REQUIRE(o->unknowns_per_node >= 0 && o->unknowns_per_node <= RITZ_NEAR_NULLSPACE_MOST, RITZ_ERROR_INPUT,
                 "a node cannot have %d unknowns; use 1 to %d, or 0 for as many as a block of the matrix has",
                 o->unknowns_per_node, RITZ_NEAR_NULLSPACE_MOST);
done:
    return status;
}

/* Values outside of what each option takes. */
static ritz_status check_values(const ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_check_value(&ritz_solve_method_names, (int)o->method));
    RITZ_TRY(ritz_preconditioner_check(o->preconditioner));
    RITZ_TRY(ritz_check_value(&ritz_value_type_names, (int)o->storage));
    RITZ_TRY(ritz_check_value(&ritz_vectors_choice_names, (int)o->vectors));
    RITZ_TRY(ritz_check_value(&ritz_matrix_choice_names, (int)o->matrix));
    RITZ_REQUIRE(o->degree >= 0 && o->degree <= RITZ_DEGREE_MOST, RITZ_ERROR_INPUT,
                 "the preconditioner cannot have degree %d; polynomials have 1 to %d", o->degree, RITZ_DEGREE_MOST);
    RITZ_REQUIRE(o->tolerance >= 0 && o->tolerance < 1, RITZ_ERROR_INPUT,
                 "a solver tolerance of %g is not possible; use a number between 0 and 1, such as 1e-8", o->tolerance);
    RITZ_REQUIRE(o->memory_most >= 0, RITZ_ERROR_INPUT, "a factorisation cannot take %lld bytes of memory",
                 (long long)o->memory_most);
    RITZ_REQUIRE(o->max_iterations >= 0 && o->max_iterations <= RITZ_ITERATIONS_MOST, RITZ_ERROR_INPUT,
                 "a solver cannot do %d iterations; use 1 to %d", o->max_iterations, RITZ_ITERATIONS_MOST);
done:
    return status;
}

ritz_status ritz_solve_check_options(const ritz_solve_options *o, ritz_precision precision)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(check_values(o));
    RITZ_TRY(check_exclusions(o, precision));
    RITZ_TRY(check_kind(o));
done:
    return status;
}

/* ---- What is left open ---- */

bool ritz_solve_uses_near_nullspace(const ritz_solve_options *o)
{
    const preconditioner_kind *kind = ritz_preconditioner_find(o->preconditioner);
    return kind ? kind->uses_near_nullspace : o->method != RITZ_DIRECT && !o->precondition; /* as automatic may end */
}

/* A setting of polynomials, which leaves the choice to them. */
static bool asks_for_polynomial(const ritz_solve_options *o)
{
    return o->degree > 0 || o->storage || o->vectors;
}

ritz_status ritz_solve_find_diagonal_range(const ritz_matrix *matrix, double *least, double *most)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_matrix_n_rows(matrix);
    double *diagonal = NULL;
    RITZ_NEW(diagonal, n);
    RITZ_TRY(ritz_matrix_read_diagonal(matrix, diagonal));
    *least = INFINITY;
    *most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        *least = fmin(*least, diagonal[i]);
        *most = fmax(*most, diagonal[i]);
    }
done:
    ritz_free(diagonal);
    return status;
}

/* Whether multigrid pays, in the place of RITZ_PRECONDITIONER_AUTOMATIC. An unsymmetric matrix may have a diagonal that it does not take. */
static ritz_status is_for_multigrid(const ritz_matrix *matrix, const ritz_solve_options *o, bool *pays)
{
    double least = 1, most;
    *pays = o->preconditioner == RITZ_PRECONDITIONER_AUTOMATIC && o->method != RITZ_DIRECT && !o->precondition &&
            !asks_for_polynomial(o) && (o->near_nullspace || o->coordinates) &&
            (double)ritz_matrix_nonzeros(matrix) >= ritz_device_tuned(matrix->device, RITZ_SOLVE_MULTIGRID) &&
            ritz_multigrid_holds(matrix, o->unknowns_per_node);
    if (!*pays || o->method == RITZ_CG)
        return RITZ_OK;
    const ritz_status status = ritz_solve_find_diagonal_range(matrix, &least, &most);
    *pays = least > 0;
    return status;
}

/* In the place of RITZ_PRECONDITIONER_AUTOMATIC what it means for this matrix. */
static ritz_status choose_preconditioner(const ritz_matrix *matrix, ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    bool multigrid;
    const bool asked = asks_for_polynomial(o);
    const double least = ritz_device_tuned(matrix->device, RITZ_SOLVE_POLYNOMIAL);
    const int degree = (int)ritz_device_tuned(matrix->device, RITZ_SOLVE_DEGREE);
    if (o->precondition)
        o->preconditioner = RITZ_PRECONDITIONER_FUNCTION;
    RITZ_TRY(is_for_multigrid(matrix, o, &multigrid));
    if (multigrid)
        o->preconditioner = RITZ_MULTIGRID;
    if (o->preconditioner != RITZ_PRECONDITIONER_AUTOMATIC || o->method == RITZ_DIRECT)
        return RITZ_OK;
    if (!asked && (o->method != RITZ_CG || (double)ritz_matrix_nonzeros(matrix) < least)) {
        o->preconditioner = RITZ_JACOBI;
        return RITZ_OK;
    }
    o->preconditioner = RITZ_CHEBYSHEV;
    o->degree = o->degree > 0 ? o->degree : o->method == RITZ_CG ? degree : RITZ_DEGREE_DEFAULT;
    o->storage = o->storage ? o->storage : RITZ_VALUES_F32;
done:
    return status;
}

static void fill_defaults(ritz_solve_options *o, ritz_precision precision)
{
    o->tolerance = o->tolerance > 0 ? o->tolerance : RITZ_TOLERANCE_DEFAULT;
    o->max_iterations = o->max_iterations > 0 ? o->max_iterations : RITZ_ITERATIONS_DEFAULT;
    if (precision == RITZ_F32 && o->tolerance < (double)FLT_EPSILON)
        ritz_log(
            "solve: a tolerance of %g is below the rounding of single precision; the true residual will not reach it",
            o->tolerance);
}

ritz_status ritz_solve_fill_options(const ritz_matrix *matrix, const ritz_solve_options *given, ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_take_struct(given, o, sizeof *o, "ritz_solve_options"));
    RITZ_TRY(ritz_solve_check_options(o, matrix->precision));
    RITZ_REQUIRE(matrix->n_unknowns == matrix->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns cannot be a system; it must be square",
                 (long long)matrix->n_unknowns, (long long)matrix->n_scalar_columns);
    RITZ_REQUIRE(o->unknowns_per_node <= 0 || ritz_matrix_n_rows(matrix) % o->unknowns_per_node == 0, RITZ_ERROR_INPUT,
                 "%d unknowns a node do not divide the %lld rows of the matrix", o->unknowns_per_node,
                 (long long)ritz_matrix_n_rows(matrix));
    RITZ_TRY(choose_preconditioner(matrix, o));
    const preconditioner_kind *kind = ritz_preconditioner_find(o->preconditioner);
    if (kind && kind->fill)
        kind->fill(matrix, o);
    fill_defaults(o, matrix->precision);
done:
    return status;
}

ritz_status ritz_solve_takes_multigrid(const ritz_matrix *matrix, const ritz_solve_options *options, bool *multigrid)
{
    ritz_solve_options filled;
    const ritz_status status = ritz_solve_fill_options(matrix, options, &filled);
    *multigrid = status == RITZ_OK && filled.preconditioner == RITZ_MULTIGRID;
    return status;
}

ritz_status ritz_solve_fill_operator(const ritz_operator *system, const ritz_solve_options *given,
                                     ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(system->device, RITZ_ERROR_INPUT, "the operator has no device");
    RITZ_REQUIRE(system->apply, RITZ_ERROR_INPUT, "the operator has no function `apply`");
    RITZ_TRY(ritz_check_precision(system->precision));
    RITZ_REQUIRE(system->precision == RITZ_F32 || ritz_device_get_info(system->device)->has_f64, RITZ_ERROR_DEVICE,
                 "the device '%s' has no double precision; use RITZ_F32", ritz_device_get_info(system->device)->name);
    RITZ_REQUIRE(system->n > 0 && system->n < INT32_MAX, RITZ_ERROR_INPUT, "an operator cannot have %lld rows",
                 (long long)system->n);
    if (system->diagonal)
        RITZ_TRY(ritz_vector_check(system->diagonal, system->device, system->precision, system->n, "diagonal"));
    RITZ_TRY(ritz_take_struct(given, o, sizeof *o, "ritz_solve_options"));
    RITZ_TRY(ritz_solve_check_options(o, system->precision));
    const preconditioner_kind *kind = ritz_preconditioner_find(o->preconditioner);
    RITZ_REQUIRE(o->method != RITZ_DIRECT, RITZ_ERROR_INPUT,
                 "an operator has no matrix to factorise; use method cg, bicgstab or gmres");
    RITZ_REQUIRE(
        !preconditioner_setting(o) && !(kind && kind->of_matrix) && o->matrix != RITZ_MATRIX_HALF, RITZ_ERROR_INPUT,
        "an operator has no matrix that a polynomial preconditioner, multigrid or half storage could be made of; use "
        "preconditioner jacobi, none, or a function");
    RITZ_REQUIRE(o->preconditioner != RITZ_JACOBI || system->diagonal, RITZ_ERROR_INPUT,
                 "preconditioner jacobi takes the operator's diagonal, which is not given");
    if (o->preconditioner == RITZ_PRECONDITIONER_AUTOMATIC)
        o->preconditioner = o->precondition    ? RITZ_PRECONDITIONER_FUNCTION
                            : system->diagonal ? RITZ_JACOBI
                                               : RITZ_NO_PRECONDITIONER;
    fill_defaults(o, system->precision);
done:
    return status;
}
