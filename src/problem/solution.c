/* The solution of the assembled system, load case by load case, with its lines and warnings. */
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>

/* The prescribed values are the start of a problem without load cases; those of a case stand in its vector. */
static ritz_status start_run(ritz_drive *drive, const ritz_load_case_base *base, int r, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    if (drive->problem->n_cases) {
        RITZ_TRY(ritz_load_case_start(drive, base, r, drive->system->rhs, x));
    } else {
        const double *values = ritz_offset_of(drive->constraints, drive->dependence);
        RITZ_TRY(ritz_matrix_write_vector(drive->system->matrix, values, x));
        RITZ_TRY(ritz_find_motion(drive, values, &drive->motion));
        RITZ_NEW(drive->vector[r], ritz_space_n_dofs(drive->space));
    }
    RITZ_TRY(ritz_sum_loads(drive, r));
    RITZ_TRY(ritz_leave_motion(drive, drive->system->rhs, x));
    if (!drive->problem->n_cases && !ritz_may_settle(drive))
        ritz_constraints_destroy(&drive->constraints);
done:
    return status;
}

const char *ritz_how_to_balance(const ritz_drive *drive)
{
    const ritz_solve_report *solve = &drive->problem->case_results[0].solve;
    if (ritz_problem_is_nonlinear(drive->problem))
        return "ask for a smaller tolerance, like  newton: {tolerance: 1e-11}";
    if (solve->method == RITZ_DIRECT)
        return "the rounding of the matrix leaves that much";
    return solve->outcome == RITZ_LIMITED_BY_ROUNDING
               ? "rounding leaves that much of iterations; ask for  method: direct"
               : "ask for a smaller tolerance, or for  method: direct";
}

/* The first correction of a solution by factors, beside the solution, that is told; errors were 1 to 30 times as large. */
static const double sensitivity_told = 1e-5;

/* A solution that only rounding keeps above the tolerance is as good as this precision allows: written, with a warning. */
static void warn_of_rounding(const ritz_problem *problem, const ritz_load_case_result *run)
{
    const bool single = problem->solver.precision == RITZ_F32;
    if (run->solve.method == RITZ_DIRECT) {
        ritz_stage_line(problem,
                        "warning    %s%s%srounding of the matrix's entries in %s precision alone may change the result "
                        "by %.1g of it, or some ten times that (thin or slender parts, weak supports or films, "
                        "stiffnesses far apart)",
                        run->name ? "load case '" : "", run->name ? run->name : "", run->name ? "': " : "",
                        single ? "single" : "double", run->solve.sensitivity);
        return;
    }
    ritz_stage_line(
        problem,
        "warning    %s%s%srounding in %s precision kept the relative residual at %.2g where %g was requested (thin or "
        "slender parts, stiffnesses far apart); the result is as near as iterations in this precision come%s",
        run->name ? "load case '" : "", run->name ? run->name : "", run->name ? "': " : "",
        single ? "single" : "double", run->solve.relative_residual,
        problem->solver.tolerance > 0 ? problem->solver.tolerance : RITZ_TOLERANCE_DEFAULT,
        single ? "; precision double comes nearer" : "; method direct may come nearer");
}

/* Once, as all load cases share the matrix: who waits for it should know what the part is like. */
static void warn_of_slow_multigrid(const ritz_problem *problem, int r)
{
    const ritz_solve_report *solve = &problem->case_results[r].solve;
    const bool weighed = ritz_solver_is_open(&problem->solver); /* by the choice: factors would have taken longer */
    for (int earlier = 0; earlier < r; earlier++)
        if (problem->case_results[earlier].solve.iterations > RITZ_ITERATIONS_MANY)
            return;
    if (solve->preconditioner == RITZ_MULTIGRID && solve->iterations > RITZ_ITERATIONS_MANY)
        ritz_stage_line(
            problem,
            "warning    multigrid took %d iterations, where parts mostly take 10 to 50: " RITZ_MULTIGRID_SLOW_WHERE
            "%s",
            solve->iterations,
            ritz_direct_is_built() && !weighed ? "; solver: auto  weighs the time of factors against it" : "");
}

/* Once, too. The supports were found to hold the part: springs, bedding, films or a soft body do, by next to nothing. */
static void warn_of_free_motions(const ritz_problem *problem, int r)
{
    const int n = problem->case_results[r].solve.n_free_motions;
    for (int earlier = 0; earlier < r; earlier++)
        if (problem->case_results[earlier].solve.n_free_motions > 0)
            return;
    if (n > 0 && problem->physics->vector)
        ritz_stage_line(problem,
                        "warning    %d motion%s of the part %s held by less than rounding of its stiffness (soft "
                        "springs, bedding or bodies, or none): how far it goes so is undetermined; hold it, or by more",
                        n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
    else if (n > 0)
        ritz_stage_line(problem, "warning    the level of the solution is held by less than rounding of what the part "
                                 "conducts (weak films, or none), and undetermined; prescribe a value, or hold it by "
                                 "more");
}

/* Solves a load case, or the problem that has none. A case that does not converge loses its vector and keeps the
   message; the others go on. */
static ritz_status solve_run(ritz_drive *drive, int r, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_load_case_result *run = &problem->case_results[r];
    const int64_t before = ritz_device_get_counters(problem->device)->bytes_from_device;
    status = ritz_solve_by_choice(drive, x, &run->solve);
    drive->result->solve_bytes_from_device += ritz_device_get_counters(problem->device)->bytes_from_device - before;
    if (status == RITZ_OK && run->solve.method == RITZ_GMRES && drive->problem->solver.method != RITZ_CHOOSE_GMRES)
        ritz_stage_line(problem, "warning    bicgstab found no solution, gmres did; " RITZ_LAYER_ADVICE);
    const bool limited = status == RITZ_ERROR_NOT_CONVERGED && run->solve.outcome == RITZ_LIMITED_BY_ROUNDING;
    if (limited || (status == RITZ_OK && run->solve.sensitivity > sensitivity_told))
        warn_of_rounding(problem, run);
    status = limited ? RITZ_OK : status;
    if (status == RITZ_ERROR_NOT_CONVERGED && problem->n_cases) {
        RITZ_TRY(ritz_copy_text(ritz_message(), &run->failure));
        ritz_free(drive->vector[r]);
        drive->vector[r] = NULL;
        return RITZ_OK;
    }
    if (status != RITZ_OK && status != RITZ_INTERRUPTED && problem->n_cases)
        ritz_fail_context(status, "load case '%s': ", run->name);
    RITZ_TRY(status);
    warn_of_slow_multigrid(problem, r);
    warn_of_free_motions(problem, r);
    RITZ_TRY(ritz_matrix_read_vector(drive->system->matrix, x, drive->vector[r]));
    if (run->solve.method == RITZ_CG)
        RITZ_TRY(ritz_settle_motion(drive, drive->system->rhs, drive->vector[r]));
    for (int64_t i = 0; drive->motion && i < ritz_space_n_dofs(drive->space); i++)
        drive->vector[r][i] += drive->motion[i];
    ritz_dependence_recover(drive->dependence, drive->vector[r]);
done:
    return status;
}

/* What was done, as the stage's line has it. */
static void describe_work(const ritz_solve_report *solve, char *text, size_t size)
{
    if (solve->method == RITZ_DIRECT)
        snprintf(text, size, "%s, %.3g nonzeros in the factors, %d refinement%s",
                 ritz_factorisation_name(solve->direct.factorisation), (double)solve->direct.factor_nonzeros,
                 solve->iterations, solve->iterations == 1 ? "" : "s");
    else if (solve->degree > 0)
        snprintf(text, size, "%s %d, %d iterations", ritz_preconditioner_name(solve->preconditioner), solve->degree,
                 solve->iterations);
    else
        snprintf(text, size, "%s, %d iterations", ritz_preconditioner_name(solve->preconditioner), solve->iterations);
}

static void tell_run(const ritz_drive *drive, const ritz_load_case_result *run)
{
    char work[160];
    describe_work(&run->solve, work, sizeof work);
    ritz_stage_line(drive->problem, "solve      %s%s%s, %s, relative residual %.2e%s (%.2f s)",
                    run->name ? run->name : "", run->name ? ": " : "", ritz_solve_method_name(run->solve.method), work,
                    run->solve.relative_residual,
                    run->failure                                     ? ", NOT CONVERGED"
                    : run->solve.outcome == RITZ_LIMITED_BY_ROUNDING ? ", limited by rounding"
                                                                     : "",
                    run->seconds);
}

/* Combinations come behind them. */
static int count_solved(const ritz_problem *problem)
{
    return problem->n_cases ? problem->n_cases : 1;
}

/* A right-hand side of zeros leaves what the runs share unsaid, so another one is asked for it. */
void ritz_gather_reports(const ritz_drive *drive)
{
    const ritz_load_case_result *runs = drive->problem->case_results;
    ritz_solve_report *all = &drive->result->solve;
    const int n_solved = count_solved(drive->problem);
    int said = n_solved - 1;
    while (said > 0 && runs[said].solve.iteration_bytes == 0)
        said--;
    *all = runs[said].solve;
    for (int r = 0; r < n_solved; r++) {
        const ritz_solve_report *one = &runs[r].solve;
        if (r == said)
            continue;
        const int64_t bytes = all->iteration_bytes * all->iterations +
                              one->iteration_bytes * one->iterations; /* of products and vectors */
        all->iterations += one->iterations;
        all->double_iterations += one->double_iterations;
        all->iteration_bytes = all->iterations > 0 ? bytes / all->iterations : all->iteration_bytes;
        all->converged = all->converged && one->converged;
        all->outcome = all->outcome > one->outcome ? all->outcome : one->outcome; /* the worst */
        all->relative_residual = fmax(all->relative_residual, one->relative_residual);
        all->true_relative_residual = fmax(all->true_relative_residual, one->true_relative_residual);
    }
    drive->result->preconditioner = all->preconditioner;
    drive->result->choice = drive->problem->choice;
    if (drive->problem->n_cases)
        all->history_count = all->history_stride = 0;
}

static ritz_status solve_runs(ritz_drive *drive, ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    ritz_load_case_base base = {0};
    char prefix[80];
    if (drive->problem->n_cases)
        RITZ_TRY(ritz_load_case_base_read(drive, &base));
    for (int r = 0; r < count_solved(drive->problem); r++) {
        ritz_load_case_result *run = &drive->problem->case_results[r];
        const double start = ritz_seconds();
        if (run->name) {
            snprintf(prefix, sizeof prefix, "%s: ", run->name);
            ritz_progress_prefix(prefix);
            ritz_log("solve: load case %s", run->name);
            RITZ_TRY(start_run(drive, &base, r, x));
        }
        RITZ_TRY(solve_run(drive, r, x));
        ritz_free(drive->motion);
        drive->motion = NULL;
        run->seconds = ritz_seconds() - start;
        if (run->name) {
            tell_run(drive, run);
            ritz_warn_of_solution(drive, r);
        }
        RITZ_TRY(ritz_check_interrupt());
    }
    RITZ_TRY(ritz_combine_runs(drive));
done:
    ritz_gather_reports(drive);
    ritz_progress_prefix(NULL);
    ritz_load_case_base_free(&base);
    return status;
}

void ritz_tell_levels(const ritz_drive *drive, const ritz_solve_report *report)
{
    for (int l = 0; l < report->n_levels; l++) {
        const ritz_solve_level *level = &report->levels[l];
        char aggregates[48] = "solved directly";
        if (level->n_aggregates > 0)
            snprintf(aggregates, sizeof aggregates, "%.1f nodes per aggregate",
                     (double)level->n_nodes / level->n_aggregates);
        else if (l + 1 < report->n_levels)
            aggregates[0] = 0;
        ritz_stage_line(drive->problem, "level %-4d %lld rows, %lld nonzeros, %s", l, (long long)level->n_rows,
                        (long long)level->n_nonzeros, aggregates);
    }
    if (report->n_levels > 0)
        ritz_stage_line(drive->problem, "multigrid  operator complexity %.2f, set-up %.2f s",
                        report->operator_complexity, report->setup_seconds);
}

ritz_status ritz_solve_system(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = drive->problem;
    ritz_result *result = drive->result;
    const ritz_matrix *matrix;
    ritz_buffer *x = NULL;
    ritz_solver_inputs made = {0};
    const double start = ritz_seconds();
    drive->options = ritz_solver_options(&problem->solver, ritz_data_symmetric(drive));
    drive->options.thorough = problem->solver.tolerance == 0; /* one that is given is taken at its word */
    RITZ_TRY(ritz_make_near_nullspace(drive, &made, &drive->options));
    RITZ_TRY(ritz_choose_solver(drive));
    RITZ_TRY(ritz_make_precondition_matrix(drive, &made, &drive->options));
    if (!drive->solver)
        RITZ_TRY(ritz_solve_store(&drive->system->matrix, &drive->options));
    matrix = drive->system->matrix;
    RITZ_TRY(ritz_buffer_create(problem->device, ritz_matrix_n_rows(matrix) * ritz_real_bytes(matrix->precision),
                                "the solution", &x));
    if (!problem->n_cases) /* before the solver needs memory for itself */
        RITZ_TRY(start_run(drive, NULL, 0, x));
    const int64_t before = ritz_device_get_counters(problem->device)->bytes_from_device;
    if (!drive->solver)
        RITZ_TRY(ritz_create_solver(drive));
    result->solve_bytes_from_device = ritz_device_get_counters(problem->device)->bytes_from_device - before;
    status = solve_runs(drive, x);
    result->seconds.solve = ritz_seconds() - start;
    ritz_tell_levels(drive, &result->solve); /* of a solve that failed, too */
    RITZ_TRY(status);
    if (!problem->n_cases) {
        problem->case_results[0].seconds = result->seconds.solve;
        tell_run(drive, &problem->case_results[0]);
        ritz_warn_of_solution(drive, 0);
    }
done:
    ritz_tell_free_motion(drive, status);
    ritz_solver_destroy(&drive->solver);
    ritz_direct_destroy(&drive->outlook.ordered);
    ritz_solver_inputs_free(&made);
    ritz_buffer_destroy(&x);
    ritz_constraints_destroy(&drive->constraints);
    ritz_system_destroy(&drive->system);
    return status;
}

ritz_status ritz_tell_failures(const ritz_drive *drive)
{
    const ritz_load_case_result *runs = drive->problem->case_results, *first = NULL;
    ritz_status status = RITZ_OK;
    ritz_text names = {0};
    int n = 0;
    if (!drive->problem->n_cases && runs[0].failure) /* of Newton's method */
        return ritz_fail(RITZ_ERROR_NOT_CONVERGED, "%s", runs[0].failure);
    for (int r = 0; r < count_solved(drive->problem); r++) {
        if (!runs[r].failure)
            continue;
        first = first ? first : &runs[r];
        ritz_text_add(&names, "%s%s", n++ ? ", " : "", runs[r].name);
    }
    if (first)
        status =
            ritz_fail(RITZ_ERROR_NOT_CONVERGED, "%d of %d load cases did not converge (%s)%s; %s: %s", n,
                      drive->problem->n_cases, names.data ? names.data : "",
                      drive->result->output ? "; the others are in the result file" : "", first->name, first->failure);
    ritz_text_free(&names);
    return status;
}
