/* The solver: start, the loop that the host keeps, and what it tells when a system does not yield. */
#include "solve/krylov.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Iterations sent ahead are worth about this long. A blocking read costs 10 to 30 microseconds, 1 to 3 % of it;
   iterations sent past the end do nothing but their products, so at most this much is wasted; and an interrupt is seen
   at once. */
static const double check_seconds = 1e-3;
enum { CHECK_MOST = 64 };
static const double look_seconds = 0.5; /* between two lines of progress */

/* BiCGStab may start anew this often without having come any closer. */
enum { FRUITLESS_RESTARTS = 10 };

enum { MAX_ITERATIONS_DEFAULT = 20000, MAX_ITERATIONS_MOST = 1 << 24 }; /* counted in float on devices without f64 */

static ritz_status fill_options(const ritz_matrix *matrix, const ritz_solve_options *given, ritz_solve_options *o)
{
    ritz_status status = RITZ_OK;
    *o = given ? *given : (ritz_solve_options){0};
    RITZ_REQUIRE(o->method == RITZ_CG || o->method == RITZ_BICGSTAB, RITZ_ERROR_INPUT,
                 "solver method %d does not exist; use cg or bicgstab", (int)o->method);
    RITZ_REQUIRE(o->preconditioner >= RITZ_JACOBI && o->preconditioner <= RITZ_CHEBYSHEV, RITZ_ERROR_INPUT,
                 "preconditioner %d does not exist; use jacobi, none, neumann, least-squares or chebyshev",
                 (int)o->preconditioner);
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
    RITZ_REQUIRE(o->storage != RITZ_VALUES_F64 || matrix->precision == RITZ_F64, RITZ_ERROR_INPUT,
                 "a matrix in single precision has no preconditioner stored in f64; use f32, f16 or bf16");
    RITZ_REQUIRE(matrix->n_unknowns == matrix->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns can not be solved with; it must be square",
                 (long long)matrix->n_unknowns, (long long)matrix->n_scalar_columns);
    o->degree = polynomial && o->degree == 0 ? RITZ_DEGREE_DEFAULT : o->degree;
    RITZ_REQUIRE(o->tolerance >= 0 && o->tolerance < 1, RITZ_ERROR_INPUT,
                 "a solver tolerance of %g is not possible; use a number between 0 and 1, such as 1e-8", o->tolerance);
    RITZ_REQUIRE(o->max_iterations >= 0 && o->max_iterations <= MAX_ITERATIONS_MOST, RITZ_ERROR_INPUT,
                 "a solver can not do %d iterations; use 1 to %d", o->max_iterations, MAX_ITERATIONS_MOST);
    o->tolerance = o->tolerance > 0 ? o->tolerance : 1e-8;
    o->max_iterations = o->max_iterations > 0 ? o->max_iterations : MAX_ITERATIONS_DEFAULT;
    if (matrix->precision == RITZ_F32 && o->tolerance < (double)FLT_EPSILON)
        ritz_log(
            "solve: a tolerance of %g is below the rounding of single precision; the true residual will not reach it",
            o->tolerance);
done:
    return status;
}

/* ---- Numbers that are not finite ---- */

/* The first entry of a device vector that is NaN or infinite (n if none), and whether any is not zero. */
static ritz_status scan(const ritz_matrix *m, const ritz_buffer *vector, int64_t *first, bool *nonzero)
{
    ritz_status status = RITZ_OK;
    double *host = NULL;
    int64_t n = ritz_matrix_n_rows(m);
    RITZ_NEW(host, n);
    RITZ_TRY(ritz_matrix_read_vector(m, vector, host));
    *first = n;
    *nonzero = false;
    for (int64_t i = n - 1; i >= 0; i--) {
        *first = isfinite(host[i]) ? *first : i;
        *nonzero = *nonzero || host[i] != 0;
    }
done:
    ritz_free(host);
    return status;
}

/* The right-hand side's norm is 0, infinite or NaN: its message, or RITZ_OK for a vector of zeros. */
static ritz_status judge_right_hand_side(const krylov *k, const ritz_buffer *b)
{
    ritz_status status = RITZ_OK;
    int64_t first = 0;
    bool nonzero = false;
    RITZ_TRY(scan(k->matrix, b, &first, &nonzero));
    RITZ_REQUIRE(first == k->n, RITZ_ERROR_INPUT,
                 "the right-hand side is not a finite number in row %lld; look for NaN or infinity in "
                 "loads and boundary values",
                 (long long)first);
    RITZ_REQUIRE(!nonzero, RITZ_ERROR_INPUT,
                 "the right-hand side is too large or too small for its square to be a number; choose "
                 "units that bring loads nearer to 1");
done:
    return status;
}

/* The residual is not finite: whose fault is it? Uses q and r up. */
static ritz_status judge_residual(krylov *k, const ritz_buffer *start, int iterations)
{
    ritz_status status = RITZ_OK;
    int64_t row = 0;
    bool nonzero = false;
    RITZ_TRY(scan(k->matrix, start, &row, &nonzero));
    RITZ_REQUIRE(iterations > 0 || row == k->n, RITZ_ERROR_INPUT,
                 "the start of the solver is not a finite number in row %lld; start from zeros", (long long)row);
    RITZ_TRY(RITZ_LAUNCH(k->fill, ritz_krylov_all(k), NULL, RITZ_LONG(k->n), RITZ_REAL(k->precision, 1),
                         KRYLOV_VECTOR(k, VECTOR_R)));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_R, VECTOR_Q));
    RITZ_TRY(scan(k->matrix, k->vector[VECTOR_Q], &row, &nonzero));
    RITZ_REQUIRE(row == k->n, RITZ_ERROR_INPUT,
                 "the matrix is not a finite number somewhere in row %lld; look for NaN or infinity in the "
                 "coefficients and coordinates",
                 (long long)row);
    RITZ_FAIL(RITZ_ERROR_NOT_CONVERGED,
              "%s overflowed after %d iterations: the numbers leave the range of %s precision; choose units "
              "that bring the matrix nearer to 1%s",
              k->method->name, iterations, k->precision == RITZ_F64 ? "double" : "single",
              k->precision == RITZ_F64 ? "" : ", or use precision double");
done:
    return status;
}

/* ---- The loop ---- */

typedef struct loop {
    double norm, plain_norm; /* of the right-hand side, squared: scaled, and as it is */
    double tolerance;
    int32_t max_iterations;
    double residual;
    int32_t iterations;
    outcome outcome;
} loop;

/* r = b - A x anew. */
static ritz_status fresh_residual(krylov *k, const ritz_buffer *b, double sums[2])
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_X, VECTOR_Q));
    RITZ_TRY(ritz_buffer_copy(b, 0, k->vector[VECTOR_R], 0, k->n * ritz_real_bytes(k->precision)));
    RITZ_TRY(ritz_krylov_residual(k, sums));
done:
    return status;
}

/* A start or a new start: the residual, the method's vectors and scalars. */
static ritz_status begin(krylov *k, const ritz_buffer *b, loop *l)
{
    ritz_status status = RITZ_OK;
    double sums[2];
    RITZ_TRY(fresh_residual(k, b, sums));
    l->residual = sqrt(sums[0] / l->norm);
    l->outcome = !isfinite(sums[0]) ? NOT_FINITE : l->residual <= l->tolerance ? CONVERGED : RUNNING;
    if (l->outcome != RUNNING)
        goto done;
    double state[STATE_SIZE] = {[STATE_RESIDUAL] = l->residual,
                                [STATE_OUTCOME] = RUNNING,
                                [STATE_ITERATIONS] = l->iterations,
                                [STATE_NORM] = l->norm,
                                [STATE_TOLERANCE] = l->tolerance,
                                [STATE_RHO] = sums[0],
                                [STATE_ALPHA] = 1,
                                [STATE_OMEGA] = 1,
                                [STATE_SHADOW] = sums[0]};
    RITZ_TRY(k->method->start(k));
    RITZ_TRY(ritz_krylov_write_state(k, state));
done:
    return status;
}

/* The residual and the exact number of iterations from the device, and the progress that follows. */
static ritz_status look(krylov *k, double first_residual, loop *l)
{
    ritz_status status = RITZ_OK;
    double state[STATE_SIZE];
    RITZ_TRY(ritz_krylov_read_state(k, 0, 3, state));
    l->residual = state[STATE_RESIDUAL];
    l->iterations = (int32_t)state[STATE_ITERATIONS];
    double done_part = log(l->residual / first_residual) / log(l->tolerance / first_residual);
    ritz_progress("solve", done_part > 0 && done_part < 1 ? done_part : done_part >= 1);
done:
    return status;
}

/* Iterates until the outcome is decided or the iterations are used up. One number is read back now and then: the
   outcome. */
static ritz_status run(krylov *k, loop *l)
{
    ritz_status status = RITZ_OK;
    double seconds = ritz_seconds(), looked = seconds, first_residual = l->residual, state[STATE_SIZE];
    int32_t ahead = 1;
    while (l->outcome == RUNNING && l->iterations < l->max_iterations) {
        ahead = (int32_t)ritz_min64(ahead, l->max_iterations - l->iterations);
        for (int32_t i = 0; i < ahead; i++)
            RITZ_TRY(k->method->iterate(k));
        RITZ_TRY(ritz_krylov_read_state(k, STATE_OUTCOME, 1, state));
        l->outcome = (outcome)(int)state[STATE_OUTCOME];
        l->iterations += ahead; /* all of them done while the outcome is open */
        RITZ_TRY(ritz_check_interrupt());
        double now = ritz_seconds(), each = (now - seconds) / ahead;
        seconds = now;
        if (l->outcome != RUNNING || l->iterations >= l->max_iterations || now - looked > look_seconds) {
            RITZ_TRY(look(k, first_residual, l));
            looked = now;
        }
        double fitting = check_seconds / (each > 1e-9 ? each : 1e-9);
        ahead = (int32_t)fmax(1, fmin(fmin(fitting, CHECK_MOST), 2.0 * ahead));
    }
done:
    return status;
}

/* `run`, and new starts after breakdowns as long as they lead anywhere. */
static ritz_status run_past_breakdowns(krylov *k, const ritz_buffer *b, loop *l)
{
    ritz_status status = RITZ_OK;
    double best = INFINITY;
    int fruitless = 0;
    for (;;) {
        RITZ_TRY(run(k, l));
        if ((l->outcome != BREAKDOWN && l->outcome != PRECONDITIONER) || l->iterations >= l->max_iterations)
            break;
        fruitless = l->residual < 0.9 * best ? 0 : fruitless + 1;
        best = fmin(best, l->residual);
        if (fruitless > FRUITLESS_RESTARTS)
            break;
        if (l->outcome == PRECONDITIONER)
            ritz_krylov_widen(k);
        ritz_log("solve: %s %s after %d iterations at a residual of %.3g; starting anew from there", k->method->name,
                 l->outcome == PRECONDITIONER ? "met eigenvalues above their bound, which is raised," : "broke down",
                 l->iterations, l->residual);
        RITZ_TRY(begin(k, b, l));
    }
done:
    return status;
}

/* Iterates; where the residual that the iteration carries along has drifted from the true one, starts anew from the
   iterate, as long as each start comes ten times closer and rounding leaves room. *true_residual = |b - A x| / |b| at
   the end. */
static ritz_status iterate(krylov *k, const ritz_buffer *b, loop *l, double *true_residual)
{
    ritz_status status = RITZ_OK;
    const double epsilon = k->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double floor = fmax(2 * l->tolerance, 64 * epsilon); /* below it, starting anew is not worth while */
    const double rounding =
        k->precision == RITZ_F64 ? 1e-11 : 1e-5; /* what a user may always ask for and not get whole */
    double last = INFINITY, last_scaled = 0;
    for (;;) {
        double sums[2];
        RITZ_TRY(run_past_breakdowns(k, b, l));
        RITZ_TRY(fresh_residual(k, b, sums));
        *true_residual = sqrt(sums[1] / l->plain_norm);
        last_scaled = sqrt(sums[0] / l->norm);
        if (l->outcome != CONVERGED || l->iterations >= l->max_iterations ||
            !(last_scaled > floor && last_scaled < 0.1 * last))
            break;
        ritz_log("solve: the true residual after %d iterations is %.3g; starting anew from there", l->iterations,
                 last_scaled);
        last = last_scaled;
        RITZ_TRY(begin(k, b, l));
    }
    if (l->outcome == CONVERGED && last_scaled > fmax(10 * l->tolerance, rounding))
        l->outcome = ROUNDING; /* what the iteration carries along is small, but not the residual */
    if (l->outcome == CONVERGED || l->outcome == ROUNDING)
        l->residual = fmax(l->residual, last_scaled); /* what is told is what holds */
done:
    return status;
}

/* ---- The end ---- */

static ritz_status judge_outcome(krylov *k, const ritz_buffer *x, const loop *l)
{
    const char *name = k->method->name;
    switch (l->outcome) {
    case CONVERGED:
        return RITZ_OK;
    case CURVATURE:
        return ritz_fail(RITZ_ERROR_NOT_CONVERGED,
                         "the matrix is not positive definite: cg met a direction without positive stiffness in "
                         "iteration %d, at a relative "
                         "residual of %.3g; check that the supports hold every part, that materials are sound and no "
                         "element is inverted; "
                         "for an indefinite or nonsymmetric problem use bicgstab",
                         l->iterations + 1, l->residual);
    case NOT_FINITE:
        return judge_residual(k, x, l->iterations);
    case PRECONDITIONER:
        return ritz_fail(
            RITZ_ERROR_NOT_CONVERGED,
            "%s stopped after %d iterations at a relative residual of %.3g: the polynomial preconditioner "
            "is not positive definite, even with larger bounds; the matrix may not be symmetric and "
            "positive definite (then use bicgstab); otherwise use a lower degree, or preconditioner jacobi",
            name, l->iterations, l->residual);
    case BREAKDOWN:
        return ritz_fail(RITZ_ERROR_NOT_CONVERGED,
                         "%s broke down after %d iterations at a relative residual of %.3g, again after starting anew; "
                         "the matrix may be "
                         "singular: check that boundary conditions fix the solution; another start may help, and cg "
                         "where the problem is "
                         "symmetric",
                         name, l->iterations, l->residual);
    case ROUNDING:
        return ritz_fail(
            RITZ_ERROR_NOT_CONVERGED,
            "%s came to a relative residual of %.3g after %d iterations and rounding lets it come no closer to "
            "the %g that was asked; ask for less%s",
            name, l->residual, l->iterations, l->tolerance,
            k->precision == RITZ_F64 ? "" : ", or use precision double");
    default:
        return ritz_fail(RITZ_ERROR_NOT_CONVERGED,
                         "%s did not converge: relative residual %.3g after %d iterations, %g was asked; allow more "
                         "iterations%s, or a larger "
                         "tolerance; if the residual does not fall, check that the supports hold every part and that "
                         "material data do not "
                         "differ by many orders of magnitude",
                         name, l->residual, l->iterations, l->tolerance,
                         k->precision == RITZ_F64 ? "" : ", or use precision double");
    }
}

static ritz_status solve(krylov *k, const ritz_solve_options *o, const ritz_buffer *b, ritz_buffer *x,
                         ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    int64_t bytes = k->n * ritz_real_bytes(k->precision);
    double sums[2];
    RITZ_TRY(ritz_krylov_diagonal(k, o->preconditioner == RITZ_NO_PRECONDITIONER));
    RITZ_TRY(ritz_buffer_copy(b, 0, k->vector[VECTOR_R], 0, bytes)); /* q is zero: the sums are those of b */
    RITZ_TRY(ritz_krylov_residual(k, sums));
    if (!(sums[0] > 0) || !isfinite(sums[0]) || !(sums[1] > 0) || !isfinite(sums[1])) {
        RITZ_TRY(judge_right_hand_side(k, b));
        RITZ_TRY(ritz_buffer_zero(x));
        *report = (ritz_solve_report){.converged = true};
        goto done;
    }
    if (ritz_krylov_has_polynomial(k))
        RITZ_TRY(ritz_krylov_prepare_polynomial(k));
    loop l = {.norm = sums[0], .plain_norm = sums[1], .tolerance = o->tolerance, .max_iterations = o->max_iterations};
    RITZ_TRY(ritz_buffer_copy(x, 0, k->vector[VECTOR_X], 0, bytes));
    ritz_progress("solve", 0);
    RITZ_TRY(begin(k, b, &l));
    RITZ_TRY(iterate(k, b, &l, &report->true_relative_residual));
    RITZ_TRY(ritz_buffer_copy(k->vector[VECTOR_X], 0, x, 0, bytes));
    report->iterations = l.iterations;
    report->converged = l.outcome == CONVERGED;
    report->relative_residual = l.residual;
    report->degree = k->preconditioner.steps > 0 ? k->preconditioner.degree : 0;
    report->storage = k->preconditioner.steps > 0 ? k->preconditioner.matrix->value_type : RITZ_VALUES_AS_VECTORS;
    report->lanczos_steps = k->preconditioner.steps;
    report->smallest_eigenvalue = k->preconditioner.smallest;
    report->largest_eigenvalue = k->preconditioner.largest;
    ritz_log("solve: %s, %d iterations, relative residual %.3g, true %.3g", k->method->name, l.iterations, l.residual,
             report->true_relative_residual);
    RITZ_TRY(judge_outcome(k, x, &l));
done:
    return status;
}

ritz_status ritz_solve_device(const ritz_matrix *matrix, const ritz_solve_options *options, const ritz_buffer *b,
                              ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    krylov k = {0};
    ritz_solve_options o;
    ritz_solve_report filled = {0};
    int64_t bytes = ritz_matrix_n_rows(matrix) * ritz_real_bytes(matrix->precision);
    RITZ_TRY(fill_options(matrix, options, &o));
    RITZ_REQUIRE(ritz_buffer_bytes(b) >= bytes && ritz_buffer_bytes(x) >= bytes, RITZ_ERROR_INPUT,
                 "the solver needs vectors of %lld bytes; the right-hand side has %lld and the solution %lld",
                 (long long)bytes, (long long)ritz_buffer_bytes(b), (long long)ritz_buffer_bytes(x));
    RITZ_TRY(ritz_krylov_create(matrix, o.method == RITZ_CG ? &ritz_method_cg : &ritz_method_bicgstab, &o, &k));
    RITZ_TRY(solve(&k, &o, b, x, &filled));
done:
    if (report)
        *report = filled;
    ritz_krylov_destroy(&k);
    return status;
}

ritz_status ritz_solve(const ritz_matrix *matrix, const ritz_solve_options *options, const double *b, double *x,
                       ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *device_b = NULL, *device_x = NULL;
    int64_t bytes = ritz_matrix_n_rows(matrix) * ritz_real_bytes(matrix->precision);
    RITZ_TRY(ritz_buffer_create(matrix->device, bytes, "the right-hand side", &device_b));
    RITZ_TRY(ritz_buffer_create(matrix->device, bytes, "the solution", &device_x));
    RITZ_TRY(ritz_matrix_write_vector(matrix, b, device_b));
    RITZ_TRY(ritz_matrix_write_vector(matrix, x, device_x));
    ritz_status solved = ritz_solve_device(matrix, options, device_b, device_x, report);
    if (solved == RITZ_OK || solved == RITZ_ERROR_NOT_CONVERGED)
        RITZ_TRY(ritz_matrix_read_vector(matrix, device_x, x));
    status = solved;
done:
    ritz_buffer_destroy(&device_b);
    ritz_buffer_destroy(&device_x);
    return status;
}
