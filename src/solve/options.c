/* Options of a solve: what is left open filled in, what can not be refused. */
#include "device/tuning.h"
#include "solve/krylov.h"

#include <float.h>

enum { MAX_ITERATIONS_DEFAULT = 20000 };

static ritz_status check_vectors(const ritz_matrix *matrix, const ritz_solve_options *o, bool polynomial)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(o->vectors >= RITZ_VECTORS_AUTOMATIC && o->vectors <= RITZ_VECTORS_SINGLE, RITZ_ERROR_INPUT,
                 "vectors of precision %d do not exist; use automatic, double or single", (int)o->vectors);
    RITZ_REQUIRE(o->vectors != RITZ_VECTORS_DOUBLE || (polynomial && matrix->precision == RITZ_F64), RITZ_ERROR_INPUT,
                 "double vectors are not possible; they are for a matrix in double and a polynomial preconditioner "
                 "(neumann, least-squares, chebyshev)");
    RITZ_REQUIRE(o->vectors != RITZ_VECTORS_SINGLE || (polynomial && matrix->precision == RITZ_F64 &&
                                                       o->storage != RITZ_VALUES_F64 && o->method == RITZ_CG),
                 RITZ_ERROR_INPUT,
                 "single vectors are not possible; they are for cg, a matrix in double and a polynomial preconditioner "
                 "(neumann, least-squares, chebyshev) stored in f32, f16 or bf16");
done:
    return status;
}

enum { AUTOMATIC_DEGREE = 20 }; /* of the polynomial */

/* In the place of RITZ_PRECONDITIONER_AUTOMATIC what it means for this matrix. */
static void choose_preconditioner(const ritz_matrix *matrix, ritz_solve_options *o)
{
    const bool asked = o->degree > 0 || o->storage || o->vectors || o->powers == RITZ_POWERS_BLOCKED;
    const double least = ritz_tuned(ritz_device_get_info(matrix->device), RITZ_SOLVE_POLYNOMIAL, NULL, 0);
    if (o->preconditioner != RITZ_PRECONDITIONER_AUTOMATIC)
        return;
    if (!asked && (o->method != RITZ_CG || (double)ritz_matrix_nonzeros(matrix) < least)) {
        o->preconditioner = RITZ_JACOBI;
        return;
    }
    o->preconditioner = RITZ_CHEBYSHEV;
    o->degree = o->degree > 0 ? o->degree : o->method == RITZ_CG ? AUTOMATIC_DEGREE : RITZ_DEGREE_DEFAULT;
    o->storage = o->storage ? o->storage : RITZ_VALUES_F32;
}

ritz_status ritz_solve_fill_options(const ritz_matrix *matrix, const ritz_solve_options *given, ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    *o = given ? *given : (ritz_solve_options){0};
    RITZ_REQUIRE(o->method >= RITZ_CG && o->method <= RITZ_GMRES, RITZ_ERROR_INPUT,
                 "solver method %d does not exist; use cg, bicgstab or gmres", (int)o->method);
    RITZ_REQUIRE(o->preconditioner >= RITZ_PRECONDITIONER_AUTOMATIC && o->preconditioner <= RITZ_CHEBYSHEV,
                 RITZ_ERROR_INPUT,
                 "preconditioner %d does not exist; use auto, jacobi, none, neumann, least-squares or chebyshev",
                 (int)o->preconditioner);
    choose_preconditioner(matrix, o);
    const bool polynomial = o->preconditioner >= RITZ_NEUMANN;
    RITZ_REQUIRE(o->degree >= 0 && o->degree <= RITZ_DEGREE_MOST && (polynomial || o->degree == 0), RITZ_ERROR_INPUT,
                 "the preconditioner can not have degree %d; polynomials (neumann, least-squares, chebyshev) have 1 to "
                 "%d, the others none",
                 o->degree, RITZ_DEGREE_MOST);
    RITZ_REQUIRE(o->storage >= RITZ_VALUES_AS_VECTORS && o->storage <= RITZ_VALUES_BF16 &&
                     (polynomial || o->storage == RITZ_VALUES_AS_VECTORS),
                 RITZ_ERROR_INPUT,
                 "storage %d is not possible; the matrix of a polynomial preconditioner (neumann, least-squares, "
                 "chebyshev) is stored in f64, f32, f16 or bf16, and the others have none",
                 (int)o->storage);
    RITZ_REQUIRE(o->matrix >= RITZ_MATRIX_AUTOMATIC && o->matrix <= RITZ_MATRIX_HALF, RITZ_ERROR_INPUT,
                 "matrix storage %d does not exist; use automatic, whole or half", (int)o->matrix);
    RITZ_REQUIRE(o->powers >= RITZ_POWERS_AUTOMATIC && o->powers <= RITZ_POWERS_BLOCKED, RITZ_ERROR_INPUT,
                 "way %d to take powers does not exist; use automatic, plain or blocked", (int)o->powers);
    RITZ_REQUIRE(o->storage != RITZ_VALUES_F64 || matrix->precision == RITZ_F64, RITZ_ERROR_INPUT,
                 "a matrix in single precision has no preconditioner stored in f64; use f32, f16 or bf16");
    RITZ_TRY(check_vectors(matrix, o, polynomial));
    RITZ_REQUIRE(matrix->n_unknowns == matrix->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns can not be solved with; it must be square",
                 (long long)matrix->n_unknowns, (long long)matrix->n_scalar_columns);
    o->degree = polynomial && o->degree == 0 ? RITZ_DEGREE_DEFAULT : o->degree;
    RITZ_REQUIRE(o->tolerance >= 0 && o->tolerance < 1, RITZ_ERROR_INPUT,
                 "a solver tolerance of %g is not possible; use a number between 0 and 1, such as 1e-8", o->tolerance);
    RITZ_REQUIRE(o->max_iterations >= 0 && o->max_iterations <= RITZ_ITERATIONS_MOST, RITZ_ERROR_INPUT,
                 "a solver can not do %d iterations; use 1 to %d", o->max_iterations, RITZ_ITERATIONS_MOST);
    o->tolerance = o->tolerance > 0 ? o->tolerance : RITZ_TOLERANCE_DEFAULT;
    o->max_iterations = o->max_iterations > 0 ? o->max_iterations : MAX_ITERATIONS_DEFAULT;
    if (matrix->precision == RITZ_F32 && o->tolerance < (double)FLT_EPSILON)
        ritz_log(
            "solve: a tolerance of %g is below the rounding of single precision; the true residual will not reach it",
            o->tolerance);
done:
    return status;
}
