/* The solver: start, the loop that the host keeps, and what it tells when a system does not yield. */
#include "solve/krylov.h"
#include "solve/storage_choice.h"

#include <float.h>
#include <math.h>

/* Iterations sent ahead are worth about this long. A blocking read leaves the device idle for 10 to 30 microseconds, 1 to
   3 % of it; iterations sent past the end do nothing but their products, so at most this much is wasted. Far from the
   end they are a quarter of those that seem to be left, but an interrupt is to be seen at once. */
static const double check_seconds = 1e-3, wait_seconds = 1e-2;
enum { CHECK_MOST = 64, NARROW_EVERY = 8 }; /* iterations: sent at once, and between decisions on vectors */
static const double look_seconds = 0.5;     /* between two lines of progress */

/* BiCGStab may start anew this often without having come any closer. */
enum { FRUITLESS_RESTARTS = 10 };

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
    o->tolerance = o->tolerance > 0 ? o->tolerance : 1e-8;
    o->max_iterations = o->max_iterations > 0 ? o->max_iterations : MAX_ITERATIONS_DEFAULT;
    if (matrix->precision == RITZ_F32 && o->tolerance < (double)FLT_EPSILON)
        ritz_log(
            "solve: a tolerance of %g is below the rounding of single precision; the true residual will not reach it",
            o->tolerance);
done:
    return status;
}

/* ---- The loop ---- */

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
static ritz_status begin(krylov *k, const ritz_buffer *b, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    double sums[2];
    RITZ_TRY(fresh_residual(k, b, sums));
    l->residual = sqrt(sums[0] / l->norm);
    l->outcome = !isfinite(sums[0]) ? NOT_FINITE : l->residual <= l->tolerance ? CONVERGED : RUNNING;
    if (l->iterations == 0)
        l->first_residual = l->residual;
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
                                [STATE_SHADOW] = sums[0],
                                [STATE_RHO_BEFORE] = 1,
                                [STATE_BEST] = l->residual,
                                [STATE_BEST_AT] = l->iterations};
    RITZ_TRY(ritz_krylov_write_state(k, state));
    RITZ_TRY(ritz_krylov_choose_form(k, l->residual, l->tolerance));
    RITZ_TRY(k->method->start(k));
done:
    return status;
}

/* The residual and the exact number of iterations from the device, and the progress that follows. */
static ritz_status look(krylov *k, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    double state[STATE_SIZE];
    RITZ_TRY(ritz_krylov_read_state(k, 0, 3, state));
    l->residual = state[STATE_RESIDUAL];
    l->iterations = (int32_t)state[STATE_ITERATIONS];
    double done_part = log(l->residual / l->first_residual) / log(l->tolerance / l->first_residual);
    ritz_progress("solve", done_part > 0 && done_part < 1 ? done_part : done_part >= 1);
done:
    return status;
}

/* Iterations to send ahead, one of which takes `each` seconds, if `before` were sent last. Where vectors may become narrow
   they end at the next iteration at which that is decided: it is counted, not timed, so that every run changes there. */
static int32_t choose_ahead(const krylov *k, const krylov_loop *l, double each, int32_t before)
{
    const double rate = log(l->first_residual / l->residual) / l->iterations;
    const double left = rate > 0 ? log(l->residual / l->tolerance) / rate : 0;
    double ahead = fmax(check_seconds / each, fmin(wait_seconds / each, left / 4));
    ahead = fmax(1, fmin(fmin(ahead, CHECK_MOST), 2.0 * before));
    ahead = fmin(ahead, l->max_iterations - l->iterations);
    return (int32_t)(ritz_krylov_may_narrow(k) ? fmin(ahead, NARROW_EVERY - l->iterations % NARROW_EVERY) : ahead);
}

/* Iterates until the outcome is decided or the iterations are used up. Two numbers are read back now and then: the
   residual and the outcome. */
static ritz_status run(krylov *k, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    double seconds = ritz_seconds(), looked = seconds, state[STATE_SIZE];
    int32_t ahead = 1;
    while (l->outcome == RUNNING && l->iterations < l->max_iterations) {
        const bool wide = k->form->precision == RITZ_F64;
        const int32_t before = l->iterations;
        for (int32_t i = 0; i < ahead; i++)
            RITZ_TRY(k->method->iterate(k));
        RITZ_TRY(ritz_krylov_read_state(k, STATE_RESIDUAL, 2, state));
        l->outcome = (outcome)(int)state[STATE_OUTCOME];
        l->residual = state[STATE_RESIDUAL];
        l->iterations += ahead; /* all of them done while the outcome is open */
        RITZ_TRY(ritz_check_interrupt());
        const double now = ritz_seconds(), each = fmax(1e-9, (now - seconds) / ahead);
        seconds = now;
        if (l->outcome != RUNNING || l->iterations >= l->max_iterations || now - looked > look_seconds) {
            RITZ_TRY(look(k, l));
            looked = now;
        }
        l->double_iterations += wide ? l->iterations - before : 0;
        if (l->outcome == RUNNING && l->iterations < l->max_iterations && l->iterations % NARROW_EVERY == 0 &&
            ritz_krylov_may_narrow(k))
            RITZ_TRY(ritz_krylov_choose_form(k, l->residual, l->tolerance));
        ahead = choose_ahead(k, l, each, ahead);
    }
done:
    return status;
}

/* `run`, and new starts after breakdowns as long as they lead anywhere. */
static ritz_status run_past_breakdowns(krylov *k, const ritz_buffer *b, krylov_loop *l)
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

/* The best iterate of several starts: a later one may end further away. */
typedef struct best_iterate {
    ritz_buffer *x; /* NULL until there is a second start */
    double scaled, plain;
} best_iterate;

/* Keeps x, or takes the kept one back where that is better. */
static ritz_status keep_best(krylov *k, best_iterate *best, double *scaled, double *plain)
{
    ritz_status status = RITZ_OK;
    const int64_t bytes = k->n_padded * ritz_real_bytes(k->precision);
    if (best->x && !(*scaled < best->scaled)) {
        RITZ_TRY(ritz_buffer_copy(best->x, 0, k->vector[VECTOR_X], 0, bytes));
        *scaled = best->scaled;
        *plain = best->plain;
        return RITZ_OK;
    }
    if (!best->x)
        RITZ_TRY(ritz_buffer_create(k->matrix->device, bytes, "the best solution so far", &best->x));
    RITZ_TRY(ritz_buffer_copy(k->vector[VECTOR_X], 0, best->x, 0, bytes));
    *best = (best_iterate){.x = best->x, .scaled = *scaled, .plain = *plain};
done:
    return status;
}

/* Iterates; where the residual that the iteration carries along has drifted from the true one, starts anew from the
   iterate, as long as each start comes ten times closer and rounding leaves room. *true_residual = |b - A x| / |b| at
   the end. */
static ritz_status iterate(krylov *k, const ritz_buffer *b, krylov_loop *l, double *true_residual)
{
    ritz_status status = RITZ_OK;
    const double epsilon = k->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const double floor = fmax(2 * l->tolerance, 64 * epsilon); /* below it, starting anew is not worth while */
    const double rounding =
        k->precision == RITZ_F64 ? 1e-11 : 1e-5; /* what a user may always ask for and not get whole */
    double last = INFINITY, last_scaled = 0;
    best_iterate best = {0};
    for (;;) {
        double sums[2];
        RITZ_TRY(run_past_breakdowns(k, b, l));
        RITZ_TRY(fresh_residual(k, b, sums));
        *true_residual = sqrt(sums[1] / l->plain_norm);
        last_scaled = sqrt(sums[0] / l->norm);
        const bool again = l->outcome == CONVERGED && l->iterations < l->max_iterations && last_scaled > floor &&
                           last_scaled < 0.1 * last;
        if (again || best.x)
            RITZ_TRY(keep_best(k, &best, &last_scaled, true_residual));
        if (!again)
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
    if (l->outcome == CONVERGED && l->residual > l->tolerance)
        ritz_log("solve: the residual formed anew is %.3g where %g was asked: rounding of %d iterations", l->residual,
                 l->tolerance, l->iterations);
done:
    ritz_buffer_destroy(&best.x);
    return status;
}

static ritz_status read_history(const krylov *k, const krylov_loop *l, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    report->history_stride = 1;
    while (l->iterations / report->history_stride >= RITZ_HISTORY_MOST)
        report->history_stride *= 2;
    report->history_count = l->iterations / report->history_stride + 1;
    RITZ_TRY(ritz_krylov_read_history(k, report->history_count, report->history));
    report->history[0] = l->first_residual;
done:
    return status;
}

/* The mean of all iterations. */
static int64_t iteration_bytes(const krylov *k, const krylov_loop *l)
{
    const int64_t now = ritz_krylov_iteration_bytes(k, k->form);
    if (k->n_forms == 1 || l->iterations == 0)
        return now;
    const int64_t wide = ritz_krylov_iteration_bytes(k, &k->forms[0]),
                  narrow = ritz_krylov_iteration_bytes(k, &k->forms[1]);
    return narrow + (wide - narrow) * l->double_iterations / l->iterations;
}

static ritz_status fill_report(const krylov *k, const krylov_loop *l, ritz_solve_report *report)
{
    const krylov_preconditioner *p = &k->preconditioner;
    report->iterations = l->iterations;
    report->converged = l->outcome == CONVERGED;
    report->relative_residual = l->residual;
    report->iteration_bytes = iteration_bytes(k, l);
    if (ritz_krylov_has_polynomial(k)) {
        report->degree = p->degree;
        report->vectors = ritz_krylov_polynomial_vectors(k);
        report->double_iterations = l->double_iterations;
        report->storage = k->form->matrix->value_type;
        report->blocked = p->levels != NULL;
        report->lanczos_steps = p->steps;
        report->smallest_eigenvalue = p->smallest;
        report->largest_eigenvalue = p->largest;
    }
    return read_history(k, l, report);
}

static ritz_status solve(krylov *k, const ritz_solve_options *o, const ritz_buffer *b, ritz_buffer *x,
                         ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    int64_t bytes = k->n * ritz_real_bytes(k->precision);
    double sums[2];
    RITZ_TRY(ritz_krylov_choose_form(k, INFINITY, o->tolerance)); /* whatever the last right-hand side left */
    RITZ_TRY(ritz_buffer_copy(b, 0, k->vector[VECTOR_R], 0, bytes));
    RITZ_TRY(ritz_buffer_zero(k->vector[VECTOR_Q])); /* so that the sums are those of b */
    RITZ_TRY(ritz_krylov_residual(k, sums));
    if (!(sums[0] > 0) || !isfinite(sums[0]) || !(sums[1] > 0) || !isfinite(sums[1])) {
        RITZ_TRY(ritz_judge_right_hand_side(k, b));
        const krylov_loop none = {.outcome = CONVERGED}; /* no iteration, no residual */
        RITZ_TRY(ritz_buffer_zero(x));
        RITZ_TRY(fill_report(k, &none, report));
        goto done;
    }
    krylov_loop l = {
        .norm = sums[0], .plain_norm = sums[1], .tolerance = o->tolerance, .max_iterations = o->max_iterations};
    RITZ_TRY(ritz_buffer_copy(x, 0, k->vector[VECTOR_X], 0, bytes));
    ritz_progress("solve", 0);
    RITZ_TRY(begin(k, b, &l));
    RITZ_TRY(iterate(k, b, &l, &report->true_relative_residual));
    RITZ_TRY(ritz_buffer_copy(k->vector[VECTOR_X], 0, x, 0, bytes));
    RITZ_TRY(fill_report(k, &l, report));
    if (k->n_forms > 1)
        ritz_log("solve: the polynomial's vectors were in double for %d of %d iterations", l.double_iterations,
                 l.iterations);
    ritz_log("solve: %s, %s matrix, %d iterations, relative residual %.3g, true %.3g", k->method->name,
             report->half ? "half the" : "whole", l.iterations, l.residual, report->true_relative_residual);
    RITZ_TRY(ritz_judge_outcome(k, x, &l, report));
done:
    return status;
}

/* ---- The solver ---- */

ritz_status ritz_solve_store(ritz_matrix **matrix, const ritz_solve_options *options)
{
    ritz_status status = RITZ_OK;
    ritz_solve_options filled;
    ritz_matrix *other = NULL;
    RITZ_TRY(fill_options(*matrix, options, &filled));
    RITZ_TRY(ritz_storage_choose(*matrix, &filled, &other));
    if (other) {
        ritz_matrix_destroy(matrix);
        *matrix = other;
    }
done:
    return status;
}

struct ritz_solver {
    krylov krylov;
    ritz_solve_options options;
    ritz_matrix *own;     /* NULL: the caller's */
    ritz_matrix *ordered; /* either of them in the order in which it sorts its rows; NULL: not worth while */
    ritz_buffer *b, *x;   /* in that order */
    double setup_seconds;
};

/* Where rows are sorted, iterating in their order is faster, and b and x pay once for it. */
static ritz_status order_rows(ritz_solver *s, const ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    const int64_t bytes = m->n_unknowns * ritz_real_bytes(m->precision);
    RITZ_TRY(ritz_matrix_sort_rows(m, &s->ordered));
    if (s->ordered) {
        ritz_log("solve: rows are taken in the order in which they are sorted");
        RITZ_TRY(ritz_buffer_create(m->device, bytes, "the right-hand side in order", &s->b));
        RITZ_TRY(ritz_buffer_create(m->device, bytes, "the solution in order", &s->x));
    }
done:
    return status;
}

ritz_status ritz_solver_create(const ritz_matrix *matrix, const ritz_solve_options *options, ritz_solver **solver)
{
    ritz_status status = RITZ_OK;
    ritz_solver *s = NULL;
    const double start = ritz_seconds();
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_REQUIRE_POINTER(solver);
    RITZ_NEW(s, 1);
    RITZ_TRY(fill_options(matrix, options, &s->options));
    RITZ_TRY(ritz_storage_choose(matrix, &s->options, &s->own));
    const ritz_matrix *held = s->own ? s->own : matrix;
    RITZ_TRY(order_rows(s, held));
    RITZ_TRY(ritz_krylov_create(s->ordered ? s->ordered : held,
                                s->options.method == RITZ_CG ? &ritz_method_cg : &ritz_method_bicgstab, &s->options,
                                &s->krylov));
    RITZ_TRY(ritz_krylov_diagonal(&s->krylov, s->options.preconditioner == RITZ_NO_PRECONDITIONER));
    if (ritz_krylov_has_polynomial(&s->krylov))
        RITZ_TRY(ritz_krylov_prepare_polynomial(&s->krylov));
    s->setup_seconds = ritz_seconds() - start;
    *solver = s;
    s = NULL;
done:
    ritz_solver_destroy(&s);
    return status;
}

bool ritz_solver_is_blocked(const ritz_solver *solver)
{
    return solver->krylov.preconditioner.levels != NULL;
}

void ritz_solver_destroy(ritz_solver **solver)
{
    if (!solver || !*solver)
        return;
    ritz_krylov_destroy(&(*solver)->krylov);
    ritz_matrix_destroy(&(*solver)->ordered);
    ritz_matrix_destroy(&(*solver)->own);
    ritz_buffer_destroy(&(*solver)->b);
    ritz_buffer_destroy(&(*solver)->x);
    ritz_free(*solver);
    *solver = NULL;
}

static ritz_status solve_ordered(ritz_solver *s, const ritz_buffer *b, ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_matrix_into_order(s->ordered, b, s->b));
    RITZ_TRY(ritz_matrix_into_order(s->ordered, x, s->x));
    ritz_status solved = solve(&s->krylov, &s->options, s->b, s->x, report);
    if (solved == RITZ_OK || solved == RITZ_ERROR_NOT_CONVERGED)
        RITZ_TRY(ritz_matrix_out_of_order(s->ordered, s->x, x));
    status = solved;
done:
    return status;
}

ritz_status ritz_solver_solve_device(ritz_solver *solver, const ritz_buffer *b, ritz_buffer *x,
                                     ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    krylov *k = &solver->krylov;
    ritz_solve_report filled = {.setup_seconds = solver->setup_seconds,
                                .half = ritz_matrix_get_format(k->matrix).symmetric};
    int64_t bytes = k->n * ritz_real_bytes(k->precision);
    RITZ_REQUIRE(ritz_buffer_bytes(b) >= bytes && ritz_buffer_bytes(x) >= bytes, RITZ_ERROR_INPUT,
                 "the solver needs vectors of %lld bytes; the right-hand side has %lld and the solution %lld",
                 (long long)bytes, (long long)ritz_buffer_bytes(b), (long long)ritz_buffer_bytes(x));
    status = solver->ordered ? solve_ordered(solver, b, x, &filled) : solve(k, &solver->options, b, x, &filled);
done:
    if (report)
        *report = filled;
    return status;
}

ritz_status ritz_solver_solve(ritz_solver *solver, const double *b, double *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *device_b = NULL, *device_x = NULL;
    RITZ_REQUIRE_POINTER(solver);
    RITZ_REQUIRE_POINTER(b);
    RITZ_REQUIRE_POINTER(x);
    const ritz_matrix *matrix = solver->krylov.matrix;
    const int64_t bytes = ritz_matrix_n_rows(matrix) * ritz_real_bytes(matrix->precision);
    RITZ_TRY(ritz_buffer_create(matrix->device, bytes, "the right-hand side", &device_b));
    RITZ_TRY(ritz_buffer_create(matrix->device, bytes, "the solution", &device_x));
    RITZ_TRY(ritz_matrix_write_vector(matrix, b, device_b));
    RITZ_TRY(ritz_matrix_write_vector(matrix, x, device_x));
    ritz_status solved = ritz_solver_solve_device(solver, device_b, device_x, report);
    if (solved == RITZ_OK || solved == RITZ_ERROR_NOT_CONVERGED)
        RITZ_TRY(ritz_matrix_read_vector(matrix, device_x, x));
    status = solved;
done:
    ritz_buffer_destroy(&device_b);
    ritz_buffer_destroy(&device_x);
    return status;
}

/* ---- One right-hand side ---- */

ritz_status ritz_solve_device(const ritz_matrix *matrix, const ritz_solve_options *options, const ritz_buffer *b,
                              ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_solver *solver = NULL;
    if (report)
        *report = (ritz_solve_report){0};
    RITZ_TRY(ritz_solver_create(matrix, options, &solver));
    RITZ_TRY(ritz_solver_solve_device(solver, b, x, report));
done:
    ritz_solver_destroy(&solver);
    return status;
}

ritz_status ritz_solve(const ritz_matrix *matrix, const ritz_solve_options *options, const double *b, double *x,
                       ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_solver *solver = NULL;
    if (report)
        *report = (ritz_solve_report){0};
    RITZ_TRY(ritz_solver_create(matrix, options, &solver));
    RITZ_TRY(ritz_solver_solve(solver, b, x, report));
done:
    ritz_solver_destroy(&solver);
    return status;
}
