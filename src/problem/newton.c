/* Newton's method for forms that depend on the old solution u: their matrix is the tangent at u (or, of properties that
   depend on u, what they are there, which is symmetric), their right-hand side minus the residual there. Prescribed
   values, constants of equations and loads on surfaces grow in steps; a step that fails is tried again with half the
   growth. The pattern is made once and filled again in each iteration, of all load cases, each of which is solved by
   itself.

   What equations eliminate follows from the other unknowns at any time, for a share `at` of the equations' constants and
   the prescribed values; a change of the solution takes that from one share to another. */
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ITERATIONS_DEFAULT = 25,
    ITERATIONS_FIXED = 200, /* where the matrix is no tangent: each takes a factor off the error */
    MOST_HALVINGS = 7,      /* of the growth of a step, below what the problem asks for */
    MOST_DAMPINGS = 6       /* a change is halved so often at most */
};
/* A residual may grow in an iteration, as where a thin part bends; beyond this factor the change is halved. */
static const double most_growth = 100;

typedef struct newton {
    ritz_drive *drive;
    const ritz_newton_settings *settings;
    ritz_assembler *assembler;
    ritz_assembly assembly;
    ritz_solve_options options;
    ritz_buffer *x;
    ritz_solver_inputs made; /* for the solver */
    int64_t n;
    double *prescribed; /* [n] prescribed values of the top level, and [equations] right-hand sides behind them */
    double *target;     /* [n] prescribed values and constants of equations of the whole load */
    double *values;     /* [equations] their right-hand sides, likewise */
    double *whole;      /* [n] loads on surfaces, likewise, but those of the form that vary; NULL: none */
    double *load;       /* [n] the share of them, and those that vary; NULL: none */
    double *u, *kept, *trial, *change, *rhs, *missing;
    double at, kept_at; /* with equations: the share that u and kept fulfil */
    double norm;        /* of the residual in the free unknowns */
    double lacking;     /* largest difference of u from what is prescribed */
    double reference;   /* that norms are relative to: the largest at the start of this step or one that converged */
    double tolerance, rounding;
    char why[400]; /* a step failed */
    char bad[400]; /* what a property was in such a step that it must not be; "": all were well */
    int run;       /* the load case, 0 where there are none */
    ritz_newton_result done;
} newton;

bool ritz_physics_is_nonlinear(const ritz_problem *problem)
{
    return ritz_problem_radiates(problem) || ritz_reads_unknown(problem);
}

bool ritz_problem_is_nonlinear(const ritz_problem *problem)
{
    return (problem->form_file && problem->form_file->old) || ritz_physics_is_nonlinear(problem);
}

static ritz_load_case_result *run_of(const newton *n)
{
    return &n->drive->problem->case_results[n->run];
}

static double find_norm(int64_t n, const double *v)
{
    return sqrt(ritz_dot_vectors(n, v, v));
}

/* ---- Tangent and residual ---- */

static void add_seconds(newton *n)
{
    ritz_solve_seconds *seconds = &n->drive->result->seconds;
    const ritz_system *system = ritz_assembler_system(n->assembler);
    seconds->pattern += system->seconds_pattern;
    seconds->integrate += system->seconds_integrate;
    seconds->assemble += system->seconds_assemble;
}

/* The share of the loads on surfaces; those of the form that vary with time and the solution are what they are at u. */
static ritz_status make_load(newton *n, const double *u, double share)
{
    ritz_drive *drive = n->drive;
    for (int64_t i = 0; n->load && i < n->n; i++)
        n->load[i] = n->whole ? share * n->whole[i] : 0;
    drive->facet_data.old = u;
    for (int k = 0; k < drive->n_form_loads; k++)
        drive->form_loads[k].time = share;
    for (int k = 0; k < drive->n_films; k++)
        drive->films[k].time = share;
    return ritz_add_form_loads(drive, true, &n->load);
}

/* What a change of u has to be where that is prescribed or eliminated, and the constraints of that change. */
static void find_missing(newton *n, const double *u, double share)
{
    ritz_constraints *constraints = n->drive->constraints;
    n->lacking = 0;
    for (int64_t i = 0; i < n->n; i++) {
        const double whole = share * n->target[i];
        n->missing[i] = !ritz_is_gone(n->drive, i) ? 0
                        : n->drive->dependence     ? whole - n->at * n->target[i]
                                                   : whole - u[i];
        n->lacking = fmax(n->lacking, fabs(n->missing[i]));
        if (ritz_is_marked(constraints->fixed, n->drive->space->n_components, i))
            constraints->value[i] = n->missing[i];
    }
    for (int64_t k = 0; n->drive->dependence && k < constraints->equations.n; k++)
        constraints->equations.value[k] = share * n->values[k] - n->at * n->values[k];
}

/* Gives u what equations make of the others, for a share of their constants. */
static void fulfil_equations(newton *n, double at, double *u)
{
    const ritz_dependence *d = n->drive->dependence;
    n->at = at;
    for (int64_t i = 0; d && i < n->n; i++)
        if (ritz_is_gone(n->drive, i))
            u[i] = at * n->target[i];
    ritz_dependence_recover(d, u);
}

/* Tangent, right-hand side and the norm of the residual at u, under a share of the load. */
static ritz_status evaluate_residual(newton *n, const double *u, double share)
{
    ritz_status status = RITZ_OK;
    find_missing(n, u, share);
    RITZ_TRY(make_load(n, u, share));
    n->assembly.old = u;
    n->assembly.time = share;
    RITZ_TRY(ritz_assembler_run(n->assembler, &n->assembly));
    n->drive->system = (ritz_system *)ritz_assembler_system(n->assembler);
    add_seconds(n);
    RITZ_TRY(ritz_matrix_read_vector(n->drive->system->matrix, n->drive->system->rhs, n->rhs));
    for (int64_t i = 0; i < n->n; i++)
        n->rhs[i] = ritz_is_gone(n->drive, i) ? 0 : n->rhs[i];
    n->norm = find_norm(n->n, n->rhs);
done:
    return status;
}

/* ---- The linear system ---- */

static ritz_status prepare_solver(newton *n)
{
    ritz_status status = RITZ_OK;
    ritz_drive *drive = n->drive;
    if (drive->solver)
        return ritz_solver_update(drive->solver, drive->system->matrix);
    drive->options = ritz_solver_options(&drive->problem->solver, ritz_data_symmetric(drive));
    drive->options.updatable = true;
    RITZ_TRY(ritz_make_near_nullspace(drive, &n->made, &drive->options));
    RITZ_TRY(ritz_choose_solver(drive));
    if (!drive->solver)
        RITZ_TRY(ritz_create_solver(drive));
done:
    return status;
}

/* For a linear system that is refused: the property that the start makes what it must not be, or else what was said. */
static ritz_status tell_bad_start(newton *n)
{
    ritz_status status = RITZ_OK;
    char *said = NULL;
    RITZ_TRY(ritz_copy_text(ritz_message(), &said));
    status = ritz_check_at_solution(n->drive, n->u);
    if (status == RITZ_OK)
        status = ritz_fail(RITZ_ERROR_INPUT, "%s", said);
    else if (status == RITZ_ERROR_INPUT)
        ritz_fail_context(status, "at the start of Newton's method (another one:  newton: {start: 300}): ");
done:
    ritz_free(said);
    return status;
}

/* The change of u that the tangent gives. *solved is false where it gives none and an earlier tangent did. */
static ritz_status solve_tangent(newton *n, ritz_newton_iteration *iteration, bool *solved)
{
    ritz_status status = RITZ_OK;
    ritz_drive *drive = n->drive;
    ritz_solve_report report = {0};
    const bool first = !drive->solver;
    *solved = true;
    status = prepare_solver(n);
    if (status == RITZ_OK) {
        RITZ_TRY(ritz_matrix_write_vector(drive->system->matrix, n->missing, n->x));
        status = ritz_solve_by_choice(drive, n->x, &report);
    }
    if (status == RITZ_ERROR_NOT_CONVERGED && report.outcome == RITZ_LIMITED_BY_ROUNDING)
        status = RITZ_OK;
    if (!first && (status == RITZ_ERROR_NOT_CONVERGED || status == RITZ_ERROR_INPUT)) {
        snprintf(n->why, sizeof n->why, "the linear system has no solution: %.300s", ritz_message());
        if (ritz_check_at_solution(drive, n->u) != RITZ_OK) {
            snprintf(n->bad, sizeof n->bad, "%s", ritz_message());
            snprintf(n->why, sizeof n->why, "%s", n->bad);
        }
        *solved = false;
        return RITZ_OK;
    }
    if (status == RITZ_ERROR_INPUT)
        status = tell_bad_start(n);
    RITZ_TRY(status);
    RITZ_TRY(ritz_matrix_read_vector(drive->system->matrix, n->x, n->change));
    iteration->linear_iterations = report.iterations;
    report.iterations += drive->result->solve.iterations;
    drive->result->solve = report;
done:
    return status;
}

/* ---- Iterations ---- */

static void tell_iteration(const newton *n, int k, const ritz_newton_iteration *i)
{
    char change[160] = "", damped[48] = "";
    if (i->damping < 1)
        snprintf(damped, sizeof damped, ", damped by %g", i->damping);
    if (k > 0)
        snprintf(change, sizeof change, ", relative change %.2e (%s, %d iterations%s)", i->change,
                 ritz_solve_method_name(n->drive->result->solve.method), i->linear_iterations, damped);
    const char *name = run_of(n)->name;
    ritz_stage_line(n->drive->problem, "newton     %s%sload %.6g, iteration %d: residual %.3e, relative %.2e%s",
                    name ? name : "", name ? ": " : "", i->load, k, i->residual, i->relative_residual, change);
}

/* Enters what the iteration came to. */
static ritz_status keep_iteration(newton *n, int k, ritz_newton_iteration *i)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = n->drive->problem;
    ritz_newton_result *result = &n->drive->result->newton;
    i->iteration = k;
    i->load_case = n->run;
    i->residual = n->norm;
    i->relative_residual = n->reference > 0 ? n->norm / n->reference : 0;
    RITZ_RESIZE(problem->newton_iterations, result->n_iterations + 1);
    problem->newton_iterations[result->n_iterations++] = *i;
    result->iterations = problem->newton_iterations;
    tell_iteration(n, k, i);
done:
    return status;
}

/* A solution that is less than this of what its step began with is taken for that large: it may be 0. */
static const double nothing = 1e-8;

/* u takes the change, or as much of it as keeps the residual finite and its growth within bounds; *taken is false where
   nothing does. */
static ritz_status take_change(newton *n, double share, bool first, ritz_newton_iteration *iteration, bool *taken)
{
    ritz_status status = RITZ_OK;
    const double most = first ? INFINITY : most_growth * fmax(n->norm, n->reference);
    const double at = n->at;
    double *missing = NULL, damping = 1;
    *taken = false;
    RITZ_NEW(missing, n->n);
    memcpy(missing, n->missing, (size_t)n->n * sizeof *missing);
    for (int k = 0; k <= MOST_DAMPINGS && !*taken; k++) {
        damping = ldexp(1, -k);
        for (int64_t i = 0; i < n->n; i++)
            n->trial[i] = !ritz_is_gone(n->drive, i) ? n->u[i] + damping * n->change[i]
                          : k == 0                   ? share * n->target[i] /* to the last digit */
                                                     : n->u[i] + damping * missing[i];
        if (n->drive->dependence)
            fulfil_equations(n, k == 0 ? share : at + damping * (share - at), n->trial);
        RITZ_TRY(evaluate_residual(n, n->trial, share));
        *taken = isfinite(n->norm) && n->norm <= most;
    }
    if (!*taken)
        snprintf(n->why, sizeof n->why, "the residual %s, however small a part of the change is taken",
                 isfinite(n->norm) ? "grows" : "is no finite number");
    const double length = fmax(find_norm(n->n, n->trial), nothing * find_norm(n->n, n->kept));
    iteration->damping = damping;
    iteration->change = length > 0 ? damping * find_norm(n->n, n->change) / length : 0;
    memcpy(n->u, n->trial, (size_t)n->n * sizeof *n->u);
done:
    ritz_free(missing);
    return status;
}

/* What is left of the error, beside the solution: each change goes with the square of the one before, by a factor that is 1 at least;
   where the matrix is no tangent, with the one before itself, and changes add up. `before`: the change before, 0: there was none. */
static double estimate_error(const newton *n, const ritz_newton_iteration *i, double before)
{
    const double change = i->change;
    if (ritz_reads_unknown(n->drive->problem))
        return before > change ? change * change / (before - change) : INFINITY;
    return fmax(1, before > 0 ? change / (before * before) : 0) * change * change;
}

/* A start far away makes residuals small beside its own long before the solution is there, as radiation from 1000 K to a body of
   20 K does: so the error has to be small as well. A step takes an iteration at least, unless nothing has changed. */
static bool has_converged(const newton *n, int k, const ritz_newton_iteration *i, double before)
{
    static const double small_error = 1e-6;
    if (n->lacking > 0)
        return false;
    if (k == 0)
        return n->norm <= n->rounding * n->reference;
    return (n->norm <= n->tolerance * n->reference && estimate_error(n, i, before) <= small_error) ||
           (i->damping == 1 && i->change <= n->rounding);
}

/* What the residual is relative to. New prescribed values make it large where the part has not moved, or become as warm, yet: what a
   rigid motion or a constant takes of it does not count, as far as rounding allows the tolerance to be kept. */
static ritz_status raise_reference(newton *n)
{
    ritz_status status = RITZ_OK;
    double rest = n->norm;
    RITZ_TRY(ritz_measure_rest(n->drive, n->missing, n->rhs, &rest));
    n->reference = fmax(n->reference, fmax(rest, 1e-4 * n->norm));
done:
    return status;
}

/* From u, in equilibrium under a smaller share of the load, to that under this one. */
static ritz_status take_step(newton *n, double share, bool *converged)
{
    ritz_status status = RITZ_OK;
    ritz_newton_iteration i = {.step = n->done.n_steps + 1, .load = share, .damping = 1};
    const int usual = ritz_reads_unknown(n->drive->problem) ? ITERATIONS_FIXED : ITERATIONS_DEFAULT;
    const int most = n->settings->max_iterations ? n->settings->max_iterations : usual;
    bool goes_on = true;
    double before = 0;
    *converged = false;
    RITZ_TRY(evaluate_residual(n, n->u, share));
    if (!isfinite(n->norm)) {
        snprintf(n->why, sizeof n->why,
                 "the residual at the start is no finite number; give another one by  newton: "
                 "{start: ...}");
        goes_on = false;
    }
    for (int k = 0; goes_on; k++) {
        if (k == 0)
            RITZ_TRY(raise_reference(n));
        RITZ_TRY(keep_iteration(n, k, &i));
        *converged = has_converged(n, k, &i, before);
        if (*converged || k == most)
            break;
        before = i.change;
        RITZ_TRY(solve_tangent(n, &i, &goes_on));
        if (goes_on)
            RITZ_TRY(take_change(n, share, k == 0, &i, &goes_on));
        RITZ_TRY(ritz_check_interrupt());
    }
    if (goes_on && !*converged)
        snprintf(n->why, sizeof n->why,
                 "after %d iterations the relative residual is %.2g, and the tolerance %g; the last relative change is "
                 "%.2g",
                 most, n->norm / n->reference, n->tolerance, i.change);
done:
    return status;
}

/* ---- Steps of the load ---- */

static ritz_status tell_failure(newton *n, double load)
{
    return ritz_format(
        &run_of(n)->failure,
        "Newton's method did not converge beyond the load %g (1 is the whole), in steps down to %.2g: %s. Take more "
        "steps or iterations (newton: {steps: 10, max_iterations: 50}), a start that is nearer, or see whether the "
        "problem "
        "has a solution under this load%s",
        load, ldexp(1.0 / n->settings->steps, -MOST_HALVINGS), n->bad[0] ? n->bad : n->why,
        load > 0 && !n->drive->problem->no_output && !n->drive->problem->n_cases
            ? "; the result file has the solution under the load that was reached"
            : "");
}

/* After a failure u is the solution under the largest load that was reached, which may be none. */
static ritz_status take_steps(newton *n)
{
    ritz_status status = RITZ_OK;
    ritz_newton_result *result = &n->done;
    const double wanted = 1.0 / n->settings->steps;
    double growth = wanted, reference = 0;
    while (result->load < 1) {
        double share = result->load + growth;
        bool converged;
        share = share > 1 - 1e-9 ? 1 : share;
        memcpy(n->kept, n->u, (size_t)n->n * sizeof *n->kept);
        n->kept_at = n->at;
        RITZ_TRY(take_step(n, share, &converged));
        if (converged) {
            reference = n->reference;
            result->load = share;
            result->n_steps++;
            growth = fmin(wanted, 2 * growth);
            continue;
        }
        memcpy(n->u, n->kept, (size_t)n->n * sizeof *n->u);
        n->at = n->kept_at;
        n->reference = reference;
        result->n_halvings++;
        growth /= 2;
        ritz_stage_line(n->drive->problem, "newton     load %.6g not reached: %s", share, n->why);
        if (growth < ldexp(wanted, -MOST_HALVINGS))
            return tell_failure(n, result->load);
    }
    result->converged = true;
done:
    return status;
}

/* ---- The whole ---- */

static ritz_status set_start(newton *n)
{
    const ritz_space *space = n->drive->space;
    const ritz_vector *start = &n->settings->start;
    for (int64_t i = 0; i < n->n && start->n; i++) {
        const int c = (int)(i % space->n_components);
        double x[3];
        ritz_space_get_place(space, (int32_t)(i / space->n_components), x);
        n->u[i] = ritz_quantity_at(&start->component[c], x);
        if (!isfinite(n->u[i]))
            return ritz_fail_at(RITZ_ERROR_INPUT, &start->component[c].place,
                                "'%s' is %g at (%g, %g, %g); a start must be finite",
                                ritz_expression_text(start->component[c].expression), n->u[i], x[0], x[1], x[2]);
    }
    return RITZ_OK;
}

static ritz_status make_arrays(newton *n)
{
    ritz_status status = RITZ_OK;
    const ritz_constraints *constraints = n->drive->constraints;
    const ritz_equations *equations = &constraints->equations;
    double **arrays[] = {&n->target, &n->kept, &n->trial, &n->change, &n->rhs, &n->missing};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        RITZ_NEW(*arrays[i], n->n);
    RITZ_NEW(n->values, equations->n);
    RITZ_NEW(n->prescribed, n->n + equations->n);
    memcpy(n->prescribed, constraints->value, (size_t)n->n * sizeof *n->prescribed);
    for (int64_t k = 0; k < equations->n; k++)
        n->prescribed[n->n + k] = equations->value[k];
    if (n->drive->problem->n_cases || n->drive->problem->loads.n_boundary || n->drive->n_form_loads > 0)
        RITZ_NEW(n->load, n->n);
done:
    return status;
}

/* What the load case prescribes, or the top level: of the whole load. Steps have left shares in the constraints. */
static ritz_status set_target(newton *n)
{
    ritz_status status = RITZ_OK;
    ritz_drive *drive = n->drive;
    ritz_constraints *constraints = drive->constraints, *own = NULL;
    ritz_dependence *made = NULL;
    memcpy(constraints->value, n->prescribed, (size_t)n->n * sizeof *n->prescribed);
    for (int64_t k = 0; k < constraints->equations.n; k++)
        constraints->equations.value[k] = n->prescribed[n->n + k];
    if (drive->problem->n_cases)
        RITZ_TRY(ritz_load_case_constraints(drive, n->run, &own));
    if (own && (status = ritz_constraints_resolve(own, &made)) != RITZ_OK) {
        ritz_fail_context_at(status, &drive->problem->cases[n->run].place);
        goto done;
    }
    const ritz_constraints *of = own ? own : constraints;
    const ritz_dependence *dependence = own ? made : drive->dependence;
    memcpy(n->target, ritz_offset_of(of, dependence), (size_t)n->n * sizeof *n->target);
    for (int64_t k = 0; k < of->equations.n; k++)
        n->values[k] = of->equations.value[k];
done:
    ritz_constraints_destroy(&own);
    ritz_dependence_destroy(&made);
    return status;
}

/* The loads of the top level and the case's own. */
static ritz_status set_loads(newton *n)
{
    ritz_status status = RITZ_OK;
    ritz_drive *drive = n->drive;
    const ritz_problem *problem = drive->problem;
    ritz_free(n->whole);
    n->whole = NULL;
    if (n->load)
        RITZ_NEW(n->whole, n->n);
    RITZ_TRY(ritz_add_surface_loads(drive, &problem->loads, &n->whole));
    RITZ_TRY(ritz_add_form_loads(drive, false, &n->whole));
    if (problem->n_cases)
        RITZ_TRY(ritz_add_case_loads(drive, &problem->cases[n->run], false, &n->whole));
done:
    return status;
}

static ritz_status start_run(newton *n, int run)
{
    ritz_status status = RITZ_OK;
    n->run = run;
    n->done = (ritz_newton_result){0};
    n->reference = n->at = 0;
    n->bad[0] = '\0';
    n->drive->result->solve = (ritz_solve_report){.converged = 1};
    RITZ_TRY(set_target(n));
    RITZ_TRY(set_loads(n));
    RITZ_NEW(n->u, n->n);
    RITZ_TRY(set_start(n));
    const double share = n->settings->start.n ? 1.0 / n->settings->steps : 0;
    if (n->drive->dependence && n->drive->space->n_components == 1)
        ritz_raise_start(n->drive->constraints, n->values, share, n->u);
    if (n->drive->dependence)
        fulfil_equations(n, share, n->u);
done:
    return status;
}

static ritz_status create_newton(ritz_drive *drive, newton *n)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const bool single = problem->solver.precision == RITZ_F32;
    const ritz_assemble_options options = {
        .method = problem->integration_method, .precision = problem->solver.precision, .degree = problem->degree};
    *n = (newton){.drive = drive, .settings = &problem->newton, .n = ritz_space_n_dofs(drive->space)};
    n->tolerance = n->settings->tolerance > 0 ? n->settings->tolerance : single ? 1e-4 : 1e-8;
    n->rounding = single ? 1e-6 : 1e-13;
    RITZ_TRY(make_arrays(n));
    n->assembly = (ritz_assembly){.space = drive->space,
                                  .form = drive->form,
                                  .data = (const ritz_datum *const *)drive->data,
                                  .load = n->load,
                                  .films = drive->films,
                                  .n_films = drive->n_films,
                                  .constraints = drive->constraints};
    RITZ_TRY(ritz_assembler_create(problem->device, drive->space, &options, &n->assembler));
    RITZ_TRY(ritz_buffer_create(problem->device, n->n * ritz_real_bytes(options.precision), "a change", &n->x));
done:
    return status;
}

static void free_newton(newton *n)
{
    double *arrays[] = {n->target, n->prescribed, n->whole, n->load,    n->u,     n->kept,
                        n->trial,  n->change,     n->rhs,   n->missing, n->values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ritz_free(arrays[i]);
    ritz_solver_inputs_free(&n->made);
    n->drive->system = NULL; /* the assembler's */
    ritz_solver_destroy(&n->drive->solver);
    ritz_direct_destroy(&n->drive->outlook.ordered);
    ritz_buffer_destroy(&n->x);
    ritz_assembler_destroy(&n->assembler);
}

/* Seconds that are no assembly's. */
static double solve_seconds(const newton *n, double start)
{
    const ritz_solve_seconds *s = &n->drive->result->seconds;
    return ritz_seconds() - start - s->pattern - s->integrate - s->assemble;
}

/* The figures of a run, and its solution to the drive: of a load case that of the whole load alone. */
static void take_run(newton *n, double seconds)
{
    ritz_drive *drive = n->drive;
    ritz_load_case_result *run = run_of(n);
    ritz_newton_result *all = &drive->result->newton;
    const ritz_newton_result *done = &n->done;
    int changes = 0;
    for (int k = 0; k < all->n_iterations; k++)
        changes += all->iterations[k].load_case == n->run && all->iterations[k].iteration > 0;
    run->solve = drive->result->solve;
    run->solve.converged = run->solve.converged && done->converged;
    run->seconds = seconds;
    all->converged = done->converged && (n->run == 0 || all->converged);
    all->load = n->run == 0 ? done->load : fmin(all->load, done->load);
    all->n_steps += done->n_steps;
    all->n_halvings += done->n_halvings;
    if (run->name ? done->converged : done->load > 0) {
        drive->vector[n->run] = n->u;
        n->u = NULL;
    }
    ritz_free(n->u);
    n->u = NULL;
    const ritz_solve_seconds *own = &drive->result->seconds;
    char assembly[64] = "";
    if (!run->name)
        snprintf(assembly, sizeof assembly, "integrate %.2f s, assemble %.2f s, solve ", own->integrate, own->assemble);
    if (n->run == 0)
        ritz_tell_levels(drive, &run->solve);
    ritz_stage_line(drive->problem, "solve      %s%s%d iteration%s of Newton's method in %d step%s%s (%s%.2f s)",
                    run->name ? run->name : "", run->name ? ": " : "", changes, changes == 1 ? "" : "s", done->n_steps,
                    done->n_steps == 1 ? "" : "s", done->converged ? "" : ", NOT CONVERGED", assembly, seconds);
}

/* A solution that makes a property what it must not be is none; the load case keeps the message, and the others go on. */
static ritz_status check_run(newton *n)
{
    if (run_of(n)->name ? !n->done.converged : n->done.load == 0)
        return RITZ_OK;
    const ritz_status status = ritz_check_at_solution(n->drive, n->u);
    if (status != RITZ_ERROR_INPUT || !run_of(n)->name)
        return status;
    n->done.converged = false;
    return ritz_copy_text(ritz_message(), &run_of(n)->failure);
}

/* All load cases, or the problem that has none. A case that cannot be solved keeps the message; the others go on. */
static ritz_status solve_runs(newton *n)
{
    ritz_status status = RITZ_OK;
    ritz_drive *drive = n->drive;
    const int n_runs = drive->problem->n_cases ? drive->problem->n_cases : 1;
    double before = 0;
    const double start = ritz_seconds();
    for (int r = 0; r < n_runs; r++) {
        RITZ_TRY(start_run(n, r));
        status = take_steps(n);
        if (status == RITZ_ERROR_NOT_CONVERGED && run_of(n)->name)
            status = ritz_copy_text(ritz_message(), &run_of(n)->failure);
        RITZ_TRY(status);
        RITZ_TRY(check_run(n));
        if (n->done.load > 0)
            RITZ_TRY(ritz_warn_of_grown_faces(drive, n->u));
        const double now = solve_seconds(n, start);
        take_run(n, now - before);
        before = now;
        if (run_of(n)->name)
            ritz_warn_of_solution(drive, r);
    }
    ritz_gather_reports(drive);
    drive->result->nonzeros = ritz_matrix_nonzeros(drive->system->matrix);
    drive->result->matrix_bytes = ritz_matrix_bytes(drive->system->matrix);
    drive->result->seconds.solve = before;
done:
    return status;
}

ritz_status ritz_solve_newton(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    newton n = {.drive = drive};
    RITZ_TRY(create_newton(drive, &n));
    RITZ_TRY(solve_runs(&n));
    if (!drive->problem->n_cases && drive->result->newton.load == 0)
        RITZ_TRY(ritz_fail(RITZ_ERROR_NOT_CONVERGED, "%s", drive->problem->case_results[0].failure));
done:
    ritz_tell_free_motion(drive, status);
    free_newton(&n);
    ritz_constraints_destroy(&drive->constraints);
    return status;
}
