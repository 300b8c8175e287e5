/* The solver: what it makes ready once, and a right-hand side from start to report. */
#include "solve/krylov.h"
#include "solve/solve_direct.h"
#include "solve/storage_choice.h"

#include <float.h>
#include <math.h>

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
    const int64_t now = ritz_krylov_iteration_bytes(k, k->in_use);
    if (k->n_precisions == 1 || l->iterations == 0)
        return now;
    const int64_t wide = ritz_krylov_iteration_bytes(k, &k->precisions[0]),
                  narrow = ritz_krylov_iteration_bytes(k, &k->precisions[1]);
    return narrow + (wide - narrow) * l->double_iterations / l->iterations;
}

static ritz_status fill_report(const krylov *k, const krylov_loop *l, ritz_solve_report *report)
{
    const preconditioner_kind *kind = k->preconditioner.kind;
    report->iterations = l->iterations;
    report->preconditioner = k->preconditioner.number;
    report->converged = l->outcome == CONVERGED;
    report->outcome = report->converged                    ? RITZ_CONVERGED
                      : l->outcome == ROUNDING && l->exact ? RITZ_LIMITED_BY_ROUNDING
                                                           : RITZ_NOT_CONVERGED;
    report->relative_residual = l->residual;
    report->iteration_bytes = iteration_bytes(k, l);
    if (kind->report) {
        kind->report(k, report);
        report->double_iterations = l->double_iterations;
    }
    return read_history(k, l, report);
}

/* watch NULL: none. */
static ritz_status solve_prepared(krylov *k, const ritz_solve_options *o, const ritz_solve_watch *watch,
                                  const ritz_buffer *b, ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    int64_t bytes = k->n * ritz_real_bytes(k->precision);
    krylov_loop l = {
        .tolerance = o->tolerance, .max_iterations = o->max_iterations, .thorough = o->thorough, .watch = watch};
    bool nothing;
    RITZ_TRY(ritz_krylov_choose_precision(k, INFINITY, o->tolerance)); /* whatever the last right-hand side left */
    RITZ_TRY(ritz_krylov_measure(k, b, x, &l, &nothing));
    if (nothing) {
        RITZ_TRY(ritz_diagnose_right_hand_side(k, b));
        const krylov_loop none = {.outcome = CONVERGED}; /* no iteration, no residual */
        RITZ_TRY(ritz_buffer_zero(x));
        RITZ_TRY(fill_report(k, &none, report));
        goto done;
    }
    ritz_progress("solve", 0);
    RITZ_TRY(ritz_krylov_iterate(k, b, &l, &report->true_relative_residual));
    RITZ_TRY(ritz_buffer_copy(k->vector[VECTOR_X], 0, x, 0, bytes));
    RITZ_TRY(fill_report(k, &l, report));
    if (k->n_precisions > 1)
        ritz_log("solve: the polynomial's vectors were in double for %d of %d iterations", l.double_iterations,
                 l.iterations);
    ritz_log("solve: %s, %s matrix, %d iterations, relative residual %.3g, true %.3g", k->method->name,
             report->half ? "half the" : "whole", l.iterations, l.residual, report->true_relative_residual);
    RITZ_TRY(ritz_diagnose_outcome(k, x, &l, report));
done:
    return status;
}

/* ---- The solver ---- */

ritz_status ritz_solve_store(ritz_matrix **matrix, const ritz_solve_options *options)
{
    ritz_status status = RITZ_OK;
    ritz_solve_options filled;
    ritz_matrix *other = NULL;
    RITZ_TRY(ritz_solve_fill_options(*matrix, options, &filled));
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
    krylov gmres;        /* in the place of a method that broke down; .device NULL until then */
    ritz_direct *direct; /* method direct, which takes nothing of `krylov` but what it is about */
    ritz_solve_options options;
    ritz_operator operator; /* in the place of a matrix; the diagonal is the solver's own */
    ritz_vector *diagonal;
    const ritz_matrix *given; /* the caller's; NULL: the operator */
    int64_t version;          /* of its values, as they were taken */
    ritz_matrix *own;         /* NULL: the caller's */
    ritz_matrix *ordered;     /* either of them in the order in which it sorts its rows; NULL: not worth while */
    ritz_buffer *b, *x;       /* in that order */
    double setup_seconds;     /* of the creation or the last update */
    ritz_solve_watch watch;   /* .look NULL: none */
    bool broken;              /* an update failed */
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

static const krylov_method *const methods[] = {
    [RITZ_CG] = &ritz_method_cg, [RITZ_BICGSTAB] = &ritz_method_bicgstab, [RITZ_GMRES] = &ritz_method_gmres};

/* What a preconditioner has ended with, or what is wrong with its matrix: the first message stays where that is sound. */
static ritz_status name_cause(krylov *k, ritz_status status)
{
    const ritz_status matrix_status = status == RITZ_ERROR_INPUT ? ritz_diagnose_matrix(k) : RITZ_OK;
    return matrix_status == RITZ_OK ? status : matrix_status;
}

/* The preconditioner, then the method's vectors: the set-up of the former has the most memory in use. */
static ritz_status prepare_preconditioner(krylov *k, bool again)
{
    ritz_krylov_release_vectors(k);
    const ritz_status status = ritz_krylov_prepare_preconditioner(k, again);
    const ritz_status vectors_status =
        status == RITZ_OK || status == RITZ_ERROR_INPUT ? ritz_krylov_create_vectors(k) : RITZ_OK;
    return vectors_status ? vectors_status : name_cause(k, status);
}

/* All that does not depend on the right-hand side; empty where it fails. */
static ritz_status make_krylov(const ritz_solver *s, const ritz_matrix *matrix, const krylov_method *method,
                               const krylov *lender, krylov *k)
{ /* matrix NULL: the operator; lender: has the preconditioner already; NULL: a new one */
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_krylov_create(matrix, &s->operator, method, &s->options, k));
    RITZ_TRY(ritz_krylov_diagonal(k, k->preconditioner.kind->unscaled));
    if (lender) {
        ritz_krylov_lend_preconditioner(lender, k);
        RITZ_TRY(ritz_krylov_create_vectors(k));
    } else
        RITZ_TRY(prepare_preconditioner(k, false));
done:
    if (status != RITZ_OK) {
        ritz_krylov_destroy(k);
        *k = (krylov){0};
    }
    return status;
}

/* *held: what the iteration multiplies with, in the storage and the order that it wants. */
static ritz_status hold_matrix(ritz_solver *s, const ritz_matrix *matrix, const ritz_matrix **held)
{
    ritz_status status = RITZ_OK;
    ritz_matrix_destroy(&s->ordered);
    ritz_matrix_destroy(&s->own);
    ritz_buffer_destroy(&s->b);
    ritz_buffer_destroy(&s->x);
    RITZ_TRY(ritz_storage_choose(matrix, &s->options, &s->own));
    *held = s->own ? s->own : matrix;
    if (!ritz_preconditioner_find(s->options.preconditioner)->wants_order)
        RITZ_TRY(order_rows(s, *held));
    *held = s->ordered ? s->ordered : *held;
done:
    return status;
}

/* The solver is about these values now. */
static void note_matrix(ritz_solver *s, const ritz_matrix *matrix)
{
    s->given = matrix;
    s->version = matrix->version;
}

static ritz_status prepare_iteration(ritz_solver *s, const ritz_matrix *matrix)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *held = NULL;
    RITZ_TRY(hold_matrix(s, matrix, &held));
    RITZ_TRY(make_krylov(s, held, methods[s->options.method], NULL, &s->krylov));
    s->options.near_nullspace = s->krylov.preconditioner.near_nullspace = NULL; /* the caller's, as all of these */
    s->options.coordinates = s->krylov.preconditioner.coordinates = NULL;
    s->options.coarse_nodes = s->krylov.preconditioner.coarse_nodes = NULL;
    s->options.coarse_weights = s->krylov.preconditioner.coarse_weights = NULL;
    s->options.precondition_matrix = s->krylov.preconditioner.matrix = NULL;
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
    RITZ_TRY(ritz_solve_fill_options(matrix, options, &s->options));
    if (s->options.method == RITZ_DIRECT) {
        ritz_direct_facts facts;
        RITZ_TRY(ritz_solver_create_direct(matrix, options, INFINITY, NULL, solver, &facts));
        goto done;
    }
    RITZ_TRY(prepare_iteration(s, matrix));
    note_matrix(s, matrix);
    s->setup_seconds = ritz_seconds() - start;
    *solver = s;
    s = NULL;
done:
    ritz_solver_destroy(&s);
    return status;
}

ritz_status ritz_solver_create_direct(const ritz_matrix *matrix, const ritz_solve_options *options, double operations,
                                      ritz_direct **ordered, ritz_solver **solver, ritz_direct_facts *facts)
{
    ritz_status status = RITZ_OK;
    ritz_solver *s = NULL;
    const double start = ritz_seconds();
    RITZ_NEW(s, 1);
    RITZ_TRY(ritz_solve_fill_options(matrix, options, &s->options));
    note_matrix(s, matrix);
    s->krylov.matrix = matrix;
    s->krylov.device = matrix->device;
    s->krylov.precision = matrix->precision;
    s->krylov.n = matrix->n_unknowns;
    RITZ_TRY(ritz_solve_prepare_direct(matrix, s->options.memory_most, operations, ordered, facts, &s->direct));
    s->setup_seconds = ritz_seconds() - start;
    *solver = s->direct ? s : NULL;
    s = s->direct ? NULL : s;
done:
    ritz_solver_destroy(&s);
    return status;
}

ritz_status ritz_solver_create_from_operator(const ritz_operator *system, const ritz_solve_options *options,
                                             ritz_solver **solver)
{
    ritz_status status = RITZ_OK;
    ritz_solver *s = NULL;
    const double start = ritz_seconds();
    RITZ_REQUIRE_POINTER(system);
    RITZ_REQUIRE_POINTER(solver);
    RITZ_NEW(s, 1);
    RITZ_TRY(ritz_take_struct(system, &s->operator, sizeof s->operator, "ritz_operator"));
    RITZ_TRY(ritz_solve_fill_operator(&s->operator, options, &s->options));
    if (s->operator.diagonal) {
        RITZ_TRY(
            ritz_vector_create(s->operator.device, RITZ_ON_DEVICE, s->operator.precision, s->operator.n, &s->diagonal));
        RITZ_TRY(ritz_vector_copy(s->operator.diagonal, s->diagonal));
        s->operator.diagonal = s->diagonal;
    }
    RITZ_TRY(make_krylov(s, NULL, methods[s->options.method], NULL, &s->krylov));
    s->setup_seconds = ritz_seconds() - start;
    *solver = s;
    s = NULL;
done:
    ritz_solver_destroy(&s);
    return status;
}

static ritz_status check_update(const ritz_solver *s, const ritz_matrix *matrix)
{
    ritz_status status = RITZ_OK;
    const krylov *k = &s->krylov;
    RITZ_REQUIRE(!s->operator.device, RITZ_ERROR_INPUT, "the solver of an operator has no matrix to be updated");
    RITZ_REQUIRE(s->options.updatable, RITZ_ERROR_INPUT,
                 "the solver was not made to be updated; set `updatable` in its options");
    RITZ_REQUIRE(matrix->device == k->device, RITZ_ERROR_INPUT,
                 "the matrix was made on another device than the solver that it is to update; make a solver of it");
    RITZ_REQUIRE(matrix->precision == k->precision && matrix->n_unknowns == k->n && matrix->n_scalar_columns == k->n,
                 RITZ_ERROR_INPUT,
                 "the solver cannot be updated with a matrix of %lld rows, %lld columns and %s precision: it was made "
                 "for %lld rows and %s precision; make a new solver",
                 (long long)matrix->n_unknowns, (long long)matrix->n_scalar_columns,
                 matrix->precision == RITZ_F64 ? "double" : "single", (long long)k->n,
                 k->precision == RITZ_F64 ? "double" : "single");
done:
    return status;
}

static ritz_status update_factors(ritz_solver *s, const ritz_matrix *matrix)
{
    ritz_direct_facts facts;
    ritz_direct_destroy(&s->direct);
    s->krylov.matrix = matrix;
    return ritz_solve_prepare_direct(matrix, s->options.memory_most, INFINITY, NULL, &facts, &s->direct);
}

static ritz_status update_iteration(ritz_solver *s, const ritz_matrix *matrix)
{
    ritz_status status = RITZ_OK;
    krylov *k = &s->krylov;
    ritz_krylov_destroy(&s->gmres);
    s->gmres = (krylov){0};
    k->has_level = false;
    RITZ_TRY(hold_matrix(s, matrix, &k->matrix));
    RITZ_TRY(ritz_krylov_diagonal(k, k->preconditioner.kind->unscaled));
    RITZ_TRY(prepare_preconditioner(k, true));
done:
    return status;
}

ritz_status ritz_solver_update(ritz_solver *solver, const ritz_matrix *matrix)
{
    ritz_status status = RITZ_OK;
    const double start = ritz_seconds();
    RITZ_REQUIRE_POINTER(solver);
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_TRY(check_update(solver, matrix));
    solver->broken = true;
    RITZ_TRY(solver->options.method == RITZ_DIRECT ? update_factors(solver, matrix) : update_iteration(solver, matrix));
    solver->broken = false;
    note_matrix(solver, matrix);
    solver->setup_seconds = ritz_seconds() - start;
done:
    return status;
}

void ritz_solver_set_watch(ritz_solver *solver, const ritz_solve_watch *watch)
{
    solver->watch = watch ? *watch : (ritz_solve_watch){0};
}

void ritz_solver_destroy(ritz_solver **solver)
{
    if (!solver || !*solver)
        return;
    ritz_direct_destroy(&(*solver)->direct);
    ritz_krylov_destroy(&(*solver)->krylov);
    ritz_krylov_destroy(&(*solver)->gmres);
    ritz_vector_destroy(&(*solver)->diagonal);
    ritz_matrix_destroy(&(*solver)->ordered);
    ritz_matrix_destroy(&(*solver)->own);
    ritz_buffer_destroy(&(*solver)->b);
    ritz_buffer_destroy(&(*solver)->x);
    ritz_free(*solver);
    *solver = NULL;
}

/* Solves, and where BiCGStab comes nowhere again with GMRES from the same start: that one cannot break down, and its
   residual never rises. x is the start until a solve has ended well enough to leave an iterate. */
static ritz_status solve_or_switch_method(ritz_solver *s, const ritz_buffer *b, ritz_buffer *x,
                                          ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    const int64_t bytes = s->krylov.n * ritz_real_bytes(s->krylov.precision);
    ritz_buffer *start = NULL;
    const bool may_turn = s->options.method == RITZ_BICGSTAB;
    if (may_turn) {
        RITZ_TRY(ritz_buffer_create(s->krylov.device, bytes, "the start", &start));
        RITZ_TRY(ritz_buffer_copy(x, 0, start, 0, bytes));
    }
    report->method = s->options.method;
    status = solve_prepared(&s->krylov, &s->options, s->watch.look ? &s->watch : NULL, b, x, report);
    if (status != RITZ_ERROR_NOT_CONVERGED || !may_turn || report->outcome != RITZ_NOT_CONVERGED ||
        report->iterations >= s->options.max_iterations) /* not solved: a function of the caller's has failed */
        goto done;
    ritz_log("solve: %s; going on with gmres from the start", ritz_message());
    if (!s->gmres.device)
        RITZ_TRY(make_krylov(s, s->krylov.matrix, &ritz_method_gmres, &s->krylov, &s->gmres));
    RITZ_TRY(ritz_buffer_copy(start, 0, x, 0, bytes));
    report->method = RITZ_GMRES;
    status = solve_prepared(&s->gmres, &s->options, NULL, b, x, report);
done:
    ritz_buffer_destroy(&start);
    return status;
}

static ritz_status solve_ordered(ritz_solver *s, const ritz_buffer *b, ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_matrix_into_order(s->ordered, b, s->b));
    RITZ_TRY(ritz_matrix_into_order(s->ordered, x, s->x));
    ritz_status solved = solve_or_switch_method(s, s->b, s->x, report);
    if (solved == RITZ_OK || solved == RITZ_ERROR_NOT_CONVERGED)
        RITZ_TRY(ritz_matrix_out_of_order(s->ordered, s->x, x));
    status = solved;
done:
    return status;
}

/* Zeros, all but the size. */
static ritz_status clear_report(ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_solve_report own;
    RITZ_TRY(ritz_take_struct(report, &own, sizeof own, "ritz_solve_report"));
    own = (ritz_solve_report){0};
    ritz_give_struct(&own, sizeof own, report);
done:
    return status;
}

ritz_status ritz_solver_solve_device(ritz_solver *solver, const ritz_buffer *b, ritz_buffer *x,
                                     ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    krylov *k = &solver->krylov;
    const int64_t bytes = k->n * ritz_real_bytes(k->precision);
    ritz_solve_report filled = {.setup_seconds = solver->setup_seconds};
    RITZ_TRY(clear_report(report));
    RITZ_REQUIRE(!solver->broken, RITZ_ERROR_INPUT, "the solver's last update failed; update it again before a solve");
    RITZ_REQUIRE(
        !solver->given || solver->given->version == solver->version, RITZ_ERROR_INPUT,
        "the matrix has been filled anew since the solver took it; give it to the solver once more "
        "(ritz_solver_update; in Python solver.update, with updatable=True), or make a new solver; for another "
        "right-hand side alone an assembler has ritz_assembler_rhs (Assembler.rhs), which leaves the matrix");
    filled.half = k->matrix && ritz_matrix_is_half(k->matrix);
    RITZ_REQUIRE(ritz_buffer_bytes(b) >= bytes && ritz_buffer_bytes(x) >= bytes, RITZ_ERROR_INPUT,
                 "the solver needs vectors of %lld bytes; the right-hand side has %lld and the solution %lld",
                 (long long)bytes, (long long)ritz_buffer_bytes(b), (long long)ritz_buffer_bytes(x));
    status = solver->direct ? ritz_solve_directly(solver->direct, k->matrix, solver->options.tolerance, b, x, &filled)
             : solver->ordered ? solve_ordered(solver, b, x, &filled)
                               : solve_or_switch_method(solver, b, x, &filled);
    ritz_give_struct(&filled, sizeof filled, report);
done:
    return status;
}

ritz_status ritz_solver_solve_vectors(ritz_solver *solver, const ritz_vector *b, ritz_vector *x,
                                      ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *made_b = NULL, *made_x = NULL, *device_b = NULL, *device_x = NULL;
    RITZ_REQUIRE_POINTER(solver);
    const krylov *k = &solver->krylov;
    RITZ_TRY(ritz_vector_check(b, k->device, k->precision, k->n, "b"));
    RITZ_TRY(ritz_vector_check(x, k->device, k->precision, k->n, "x"));
    RITZ_REQUIRE(b != x, RITZ_ERROR_INPUT, "the right-hand side and the solution are the same vector");
    RITZ_TRY(ritz_vector_on_device(b, k->precision, true, &made_b, &device_b));
    RITZ_TRY(ritz_vector_on_device(x, k->precision, true, &made_x, &device_x));
    ritz_status solved = ritz_solver_solve_device(solver, device_b, device_x, report);
    if (made_x && (solved == RITZ_OK || solved == RITZ_ERROR_NOT_CONVERGED)) {
        const ritz_vector found = ritz_vector_lend(k->device, k->precision, k->n, device_x);
        RITZ_TRY(ritz_vector_copy(&found, x));
    }
    status = solved;
done:
    ritz_buffer_destroy(&made_b);
    ritz_buffer_destroy(&made_x);
    return status;
}

/* An array of the host's as a vector. */
static ritz_vector borrow_array(ritz_device *device, int64_t n, const double *array)
{
    return (ritz_vector){.device = device, .location = RITZ_ON_HOST, .n = n, .values = (double *)array};
}

ritz_status ritz_solver_solve(ritz_solver *solver, const double *b, double *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(solver);
    RITZ_REQUIRE_POINTER(b);
    RITZ_REQUIRE_POINTER(x);
    const krylov *k = &solver->krylov;
    const ritz_vector right = borrow_array(k->device, k->n, b);
    ritz_vector solution = borrow_array(k->device, k->n, x);
    RITZ_TRY(ritz_solver_solve_vectors(solver, &right, &solution, report));
done:
    return status;
}

/* ---- One right-hand side ---- */

ritz_status ritz_solve_vectors(const ritz_matrix *matrix, const ritz_solve_options *options, const ritz_vector *b,
                               ritz_vector *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_solver *solver = NULL;
    RITZ_TRY(clear_report(report));
    RITZ_TRY(ritz_solver_create(matrix, options, &solver));
    RITZ_TRY(ritz_solver_solve_vectors(solver, b, x, report));
done:
    ritz_solver_destroy(&solver);
    return status;
}

ritz_status ritz_solve(const ritz_matrix *matrix, const ritz_solve_options *options, const double *b, double *x,
                       ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_REQUIRE_POINTER(b);
    RITZ_REQUIRE_POINTER(x);
    const ritz_vector right = borrow_array(matrix->device, matrix->n_unknowns, b);
    ritz_vector solution = borrow_array(matrix->device, matrix->n_unknowns, x);
    RITZ_TRY(ritz_solve_vectors(matrix, options, &right, &solution, report));
done:
    return status;
}

ritz_status ritz_solve_device(const ritz_matrix *matrix, const ritz_solve_options *options, const ritz_buffer *b,
                              ritz_buffer *x, ritz_solve_report *report)
{
    const ritz_vector right = ritz_vector_lend(matrix->device, matrix->precision, matrix->n_unknowns, b);
    ritz_vector solution = ritz_vector_lend(matrix->device, matrix->precision, matrix->n_unknowns, x);
    return ritz_solve_vectors(matrix, options, &right, &solution, report);
}
