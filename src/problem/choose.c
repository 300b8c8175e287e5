/* The solver of a problem: as asked for, or chosen, and changed where it does not converge. */
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ritz_status ritz_make_embedding(const ritz_drive *drive, ritz_solver_inputs *made, ritz_solve_options *options)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_nodes(drive->space) * RITZ_VERTICES_MOST;
    if (drive->space->order == 1)
        return RITZ_OK;
    RITZ_NEW(made->vertices, n);
    RITZ_NEW(made->weights, n);
    RITZ_TRY(ritz_space_get_vertex_weights(drive->space, made->vertices, made->weights, &options->n_coarse_nodes));
    options->coarse_nodes = made->vertices;
    options->coarse_weights = made->weights;
done:
    return status;
}

void ritz_solver_inputs_free(ritz_solver_inputs *made)
{
    ritz_free(made->constants);
    ritz_free(made->vertices);
    ritz_free(made->weights);
    ritz_system_destroy(&made->system);
    *made = (ritz_solver_inputs){0};
}

/* In unsymmetric forms: whether multigrid is worth a try. Nothing is known of those from files. */
static bool diffusion_prevails(const ritz_drive *drive)
{
    return !drive->problem->form_file && ritz_resolves_convection(drive);
}

ritz_status ritz_make_near_nullspace(const ritz_drive *drive, ritz_solver_inputs *made, ritz_solve_options *options)
{
    ritz_status status = RITZ_OK;
    const int64_t n = ritz_space_n_dofs(drive->space);
    if (!ritz_solve_uses_near_nullspace(options))
        return RITZ_OK;
    if (options->preconditioner == RITZ_PRECONDITIONER_AUTOMATIC && options->degree == 0 &&
        !ritz_form_has_derivatives(drive->form) && drive->form->n_surfaces == 0) {
        options->preconditioner = RITZ_JACOBI;
        return RITZ_OK;
    }
    if (options->preconditioner == RITZ_PRECONDITIONER_AUTOMATIC && options->method != RITZ_CG &&
        !diffusion_prevails(drive))
        return RITZ_OK;
    const int n_c = drive->form->n_components;
    options->unknowns_per_node = n_c;
    if (drive->problem->physics->vector) {
        options->coordinates = ritz_space_coordinates(drive->space);
    } else {
        RITZ_NEW(made->constants, n * n_c);
        for (int64_t i = 0; i < n; i++)
            made->constants[i * n_c + i % n_c] = 1;
        options->near_nullspace = made->constants;
        options->near_nullspace_columns = n_c;
    }
    if (!drive->dependence) /* equations leave that space: their unknowns follow others */
        RITZ_TRY(ritz_make_embedding(drive, made, options));
done:
    return status;
}

static int64_t memory_most(const ritz_drive *drive)
{
    return ritz_memory_most(&drive->problem->solver);
}

static ritz_status record_choice(ritz_drive *drive, const char *why)
{
    ritz_stage_line(drive->problem, "choice     %s", why);
    ritz_free(drive->problem->choice);
    drive->problem->choice = NULL;
    return ritz_copy_text(why, &drive->problem->choice);
}

ritz_status ritz_choose_solver(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_solve_choice choice = {0};
    const ritz_body_shape *body = &drive->body;
    const ritz_problem_shape shape = {.dim = drive->mesh->dim,
                                      .any_sign = drive->problem->form_file || drive->problem->physics->convection,
                                      .slenderness = body->thickness > 0 ? body->length / body->thickness : 0,
                                      .volume_keeping = ritz_volume_keeping(drive),
                                      .n_rhs = drive->problem->n_cases,
                                      .repeated = drive->options.updatable};
    if (!ritz_solver_is_open(&drive->problem->solver))
        return RITZ_OK;
    RITZ_TRY(ritz_solve_choose(drive->system->matrix, &shape, &drive->options, memory_most(drive), &choice));
    drive->solver = choice.direct;
    drive->outlook = choice.outlook;
    if (choice.direct)
        drive->plan = !choice.may_iterate ? RITZ_PLAN_FIXED : choice.is_exact ? RITZ_PLAN_EXACT : RITZ_PLAN_FACTORS;
    else if (ritz_direct_is_built())
        drive->plan = choice.may_iterate ? RITZ_PLAN_SINGULAR : RITZ_PLAN_ITERATIONS;
    RITZ_TRY(record_choice(drive, choice.why));
done:
    return status;
}

static bool may_turn(const ritz_drive *drive)
{
    return drive->plan == RITZ_PLAN_ITERATIONS || drive->plan == RITZ_PLAN_SINGULAR;
}

/* The options without the bound on iterations that was to be followed by factors. */
static ritz_solve_options unbounded_options(const ritz_drive *drive)
{
    ritz_solve_options options = drive->options;
    options.max_iterations = 0;
    return options;
}

/* The chosen iterations led nowhere. *turned: there is another solver, factors mostly; or else the message stands. */
static ritz_status turn_to_factors(ritz_drive *drive, const ritz_solve_report *report, bool *turned)
{
    ritz_status status = RITZ_OK;
    char line[2 * RITZ_CHOICE_TEXT];
    const ritz_solve_options options = unbounded_options(drive);
    ritz_solve_choice choice = {0};
    char *said = NULL;
    const bool gave_up = drive->outlook.given_up;
    *turned = false;
    if (!may_turn(drive))
        return RITZ_OK;
    drive->plan = RITZ_PLAN_FIXED;
    drive->outlook.given_up = false;
    RITZ_TRY(ritz_copy_text(ritz_message(), &said));
    const bool bounded = drive->options.max_iterations > 0 && report->iterations >= drive->options.max_iterations;
    status = ritz_solve_turn(drive->system->matrix, &options, memory_most(drive), &drive->outlook, &choice);
    if (gave_up) /* where the matrix is singular, or nearly so, the iterations may have a solution all the same */
        drive->plan = choice.direct ? RITZ_PLAN_FACTORS : status ? RITZ_PLAN_SINGULAR : RITZ_PLAN_FIXED;
    if (status == RITZ_ERROR_INPUT && gave_up) {
        snprintf(choice.why, sizeof choice.why, "factors find the matrix singular");
        status = RITZ_OK;
    }
    RITZ_TRY(status);
    snprintf(line, sizeof line, "%s: %s reached a relative residual of %.2g in %d iterations; %s",
             choice.direct ? "direct" : ritz_solve_method_name(drive->options.method),
             ritz_solve_method_name(report->method), report->relative_residual, report->iterations, choice.why);
    *turned = choice.direct || bounded || gave_up;
    if (choice.direct || bounded) {
        ritz_solver_destroy(&drive->solver); /* which is large where factors were refused: not two of them at once */
        drive->solver = choice.direct;
    }
    RITZ_TRY(record_choice(drive, line));
    if (!drive->solver)
        RITZ_TRY(ritz_solver_create(drive->system->matrix, &options, &drive->solver));
    ritz_fail(RITZ_ERROR_NOT_CONVERGED, "%s", said); /* which stands, unless the solve is tried again */
done:
    ritz_free(said);
    return status;
}

/* Factors that were chosen for the sake of a right solution alone found a matrix that is singular or nearly so: told once. */
static ritz_status tell_free_motion(ritz_drive *drive)
{
    if (drive->told_free)
        return RITZ_OK;
    drive->told_free = true;
    ritz_stage_line(
        drive->problem,
        "warning    the matrix is singular, or so nearly so that rounding decides: something is free to move, "
        "or held by next to nothing, and how it moves is undetermined, though the loads leave it alone as far "
        "as iterations tell; check the supports");
    return drive->plan == RITZ_PLAN_SINGULAR
               ? RITZ_OK
               : record_choice(drive, "cg: factors find the matrix singular, or nearly so");
}

/* So large a first correction of a direct solution (ritz_solve_report) speaks of a matrix that is nearly singular. Then so many iterations
   follow at most, after some that were given up only where they seemed to have few left. */
static const double doubtful = 1e-4;
enum { ITERATIONS_AFTER = 4000, LEFT_MOST = 1000 };

/* After factors that were refused, or are doubtful: iterations from x = `start` have a solution where loads leave free motions alone, as
   those of a few elements of reduced integration. If they have none, it is as it was. */
static ritz_status iterate_after(ritz_drive *drive, ritz_status refused, const ritz_buffer *start, ritz_buffer *x,
                                 ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    const ritz_solve_report before = *report;
    ritz_solve_options options = drive->options;
    ritz_solver *iterations = NULL;
    char *said = NULL;
    options.max_iterations = ITERATIONS_AFTER;
    if (drive->outlook.left > 0) /* of iterations that were given up */
        options.max_iterations = (int32_t)fmin(ITERATIONS_AFTER, fmax(LEFT_MOST / 2., 2 * drive->outlook.left));
    RITZ_TRY(ritz_copy_text(ritz_message(), &said));
    RITZ_TRY(ritz_solver_create(drive->system->matrix, &options, &iterations));
    RITZ_TRY(ritz_buffer_copy(start, 0, x, 0, ritz_buffer_bytes(x)));
    status = ritz_solver_solve_device(iterations, drive->system->rhs, x, report);
    if (status == RITZ_OK) {
        RITZ_TRY(tell_free_motion(drive));
    } else if (status == RITZ_ERROR_NOT_CONVERGED || status == RITZ_ERROR_INPUT) {
        *report = before;
        /* doubts alone are not looked into again; of load cases the others go on */
        const bool has_solution = !refused || before.outcome == RITZ_LIMITED_BY_ROUNDING;
        if (has_solution)
            drive->plan = RITZ_PLAN_FIXED;
        status = has_solution ? ritz_solver_solve_device(drive->solver, drive->system->rhs, x, report)
                              : ritz_fail(drive->problem->n_cases ? RITZ_ERROR_NOT_CONVERGED : refused, "%s", said);
    }
done:
    ritz_solver_destroy(&iterations);
    ritz_free(said);
    return status;
}

/* Factors that may be doubted. */
static ritz_status solve_with_factors(ritz_drive *drive, ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *start = NULL;
    const int64_t bytes = ritz_buffer_bytes(x);
    RITZ_TRY(ritz_buffer_create(drive->problem->device, bytes, "the start", &start));
    RITZ_TRY(ritz_buffer_copy(x, 0, start, 0, bytes));
    status = ritz_solver_solve_device(drive->solver, drive->system->rhs, x, report);
    const ritz_outlook *outlook = &drive->outlook;
    const bool exact = drive->plan == RITZ_PLAN_EXACT,
               led_somewhere =
                   outlook->each > 0 && outlook->left < LEFT_MOST, /* iterations, before they were given up */
        limited = status == RITZ_ERROR_NOT_CONVERGED && report->outcome == RITZ_LIMITED_BY_ROUNDING,
               nearly = status == RITZ_ERROR_NOT_CONVERGED && !limited,
               doubted = limited || (status == RITZ_OK && report->sensitivity > doubtful);
    if (status == RITZ_ERROR_INPUT || (nearly && (exact || led_somewhere)) || (doubted && exact))
        status = iterate_after(drive, status, start, x, report);
done:
    ritz_buffer_destroy(&start);
    return status;
}

/* Chosen iterations, looked at as long as factors may follow. */
static ritz_status solve_watched(ritz_drive *drive, ritz_buffer *x, ritz_solve_report *report)
{
    ritz_outlook *outlook = &drive->outlook;
    const bool watched = drive->plan == RITZ_PLAN_ITERATIONS && outlook->each > 0;
    const ritz_solve_watch watch = ritz_outlook_watch(outlook);
    outlook->matrix = drive->system->matrix;
    ritz_solver_set_watch(drive->solver, watched ? &watch : NULL);
    const ritz_status status = ritz_solver_solve_device(drive->solver, drive->system->rhs, x, report);
    outlook->n_rhs = fmax(1, outlook->n_rhs - 1);
    if (drive->options.updatable && !outlook->given_up) /* the next matrix is another one */
        ritz_direct_destroy(&outlook->ordered);
    return status;
}

ritz_status ritz_solve_by_choice(ritz_drive *drive, ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    bool turned = false;
    int earlier = 0;
    do {
        if (drive->plan == RITZ_PLAN_FACTORS || drive->plan == RITZ_PLAN_EXACT)
            return solve_with_factors(drive, x, report);
        status = solve_watched(drive, x, report);
        if (report->method != RITZ_DIRECT) /* they went on */
            report->iterations = earlier += report->iterations;
        if ((status == RITZ_OK || report->outcome == RITZ_LIMITED_BY_ROUNDING) && drive->plan == RITZ_PLAN_SINGULAR)
            RITZ_TRY(tell_free_motion(drive));
        if (status != RITZ_ERROR_NOT_CONVERGED || report->outcome == RITZ_LIMITED_BY_ROUNDING)
            return status;
        status = turn_to_factors(drive, report, &turned);
        if (status == RITZ_ERROR_INPUT && drive->problem->n_cases) /* the others go on */
            return ritz_fail_context(RITZ_ERROR_NOT_CONVERGED, "%s", "");
        RITZ_TRY(status);
    } while (turned);
    status = RITZ_ERROR_NOT_CONVERGED;
done:
    return status;
}

ritz_status ritz_create_solver(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_solve_options *options = &drive->options;
    char why[2 * RITZ_CHOICE_TEXT];
    bool multigrid = false;
    status = ritz_solver_create(drive->system->matrix, options, &drive->solver);
    if (status != RITZ_ERROR_INPUT || drive->problem->solver.preconditioner != RITZ_PRECONDITIONER_AUTOMATIC)
        return status;
    snprintf(why, sizeof why, "%s with jacobi: %.*s", ritz_solve_method_name(options->method),
             (int)strcspn(ritz_message(), ";"), ritz_message());
    RITZ_TRY(ritz_solve_takes_multigrid(drive->system->matrix, options, &multigrid));
    if (!multigrid)
        return RITZ_ERROR_INPUT; /* with the message that is there */
    options->preconditioner = RITZ_JACOBI;
    RITZ_TRY(ritz_solver_create(drive->system->matrix, options, &drive->solver));
    RITZ_TRY(record_choice(drive, why));
done:
    return status;
}

void ritz_tell_free_motion(const ritz_drive *drive, ritz_status refused)
{
    ritz_status status = RITZ_OK;
    char *said = NULL, *words = NULL;
    double *x = NULL;
    bool found = false;
    const bool may_be_direct = /* no iterative solver, whose refusals have other causes */
        drive->options.method == RITZ_DIRECT ||
        (ritz_solver_is_open(&drive->problem->solver) && (!drive->solver || !may_turn(drive)));
    const bool inexact =
        refused == RITZ_ERROR_NOT_CONVERGED && drive->problem->case_results[0].solve.method == RITZ_DIRECT;
    if ((refused != RITZ_ERROR_INPUT && !inexact) || !may_be_direct || !drive->system || !ritz_direct_is_built() ||
        ritz_space_n_rigid_motions(drive->space) == 0)
        return;
    RITZ_TRY(ritz_copy_text(ritz_message(), &said));
    RITZ_NEW(x, ritz_space_n_dofs(drive->space));
    RITZ_TRY(ritz_direct_find_null(drive->system->matrix, memory_most(drive), inexact, x, &found));
    ritz_dependence_recover(drive->dependence, x);
    if (found)
        RITZ_TRY(ritz_space_describe_motion(drive->space, x, &words));
done:
    if (said && !status && words)
        ritz_fail(refused, "%s; free to move%s are %s", said, inexact ? ", or nearly so," : "", words);
    else if (said) /* what was said stands, whatever became of the search */
        ritz_fail(refused, "%s", said);
    ritz_free(said);
    ritz_free(words);
    ritz_free(x);
}
