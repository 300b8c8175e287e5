/* Combinations of load cases: problems are linear, so that their solutions are sums of those of the cases, and cost no solve. */
#include "problem/drive.h"

#include <math.h>

double ritz_case_factor(const ritz_problem *problem, int r, int c)
{
    return r < problem->n_cases ? r == c : problem->combinations[r - problem->n_cases].factors[c];
}

/* What adds something of a case to *load [n_dofs], which may be NULL: nothing yet. */
typedef ritz_status add_function(const ritz_drive *drive, const ritz_load_case *load_case, bool at_supports,
                                 double **load);

/* *load += what `add` gives for the cases that act in run r, times their factors. */
static ritz_status add_cases(const ritz_drive *drive, int r, add_function *add, bool at_supports, double **load)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const int64_t n = ritz_space_n_dofs(drive->space);
    double *part = NULL;
    for (int c = 0; c < problem->n_cases; c++) {
        const double factor = ritz_case_factor(problem, r, c);
        if (factor == 1)
            RITZ_TRY(add(drive, &problem->cases[c], at_supports, load));
        if (factor == 1 || factor == 0)
            continue;
        RITZ_NEW(part, n);
        RITZ_TRY(add(drive, &problem->cases[c], at_supports, &part));
        if (!*load)
            RITZ_NEW(*load, n);
        for (int64_t i = 0; i < n; i++)
            (*load)[i] += factor * part[i];
        ritz_free(part);
        part = NULL;
    }
done:
    ritz_free(part);
    return status;
}

ritz_status ritz_add_run_loads(const ritz_drive *drive, int r, bool at_supports, double **load)
{
    return add_cases(drive, r, ritz_add_case_loads, at_supports, load);
}

ritz_status ritz_add_run_self_strain(const ritz_drive *drive, int r, bool at_supports, double **load)
{
    return add_cases(drive, r, ritz_add_self_strain, at_supports, load);
}

/* "uls = 1.35 dead - 1.5 wind" */
static void tell_sum(const ritz_problem *problem, int r)
{
    ritz_text words = {0};
    for (int c = 0; c < problem->n_cases; c++) {
        const double factor = ritz_case_factor(problem, r, c);
        if (factor != 0)
            ritz_text_add(&words, "%s%g %s",
                          factor < 0          ? words.length ? " - " : "-"
                          : words.length != 0 ? " + "
                                              : "",
                          fabs(factor), problem->cases[c].name);
    }
    ritz_stage_line(problem, "combine    %s = %s", problem->case_results[r].name, words.length ? words.data : "0");
    ritz_text_free(&words);
}

/* Run r, unless a case that it takes has no solution. */
static ritz_status combine_run(ritz_drive *drive, int r)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_load_case_result *run = &problem->case_results[r];
    const int64_t n = ritz_space_n_dofs(drive->space);
    for (int c = 0; c < problem->n_cases; c++)
        if (ritz_case_factor(problem, r, c) != 0 && !drive->vector[c]) {
            ritz_stage_line(problem, "warning    the combination '%s' is left out: its load case '%s' did not converge",
                            run->name, problem->cases[c].name);
            return ritz_format(&run->failure, "the load case '%s' did not converge", problem->cases[c].name);
        }
    RITZ_NEW(drive->vector[r], n);
    run->solve.converged = true;
    for (int c = 0; c < problem->n_cases; c++) {
        const double factor = ritz_case_factor(problem, r, c);
        const ritz_load_case_result *one = &problem->case_results[c];
        if (factor == 0)
            continue;
        for (int64_t i = 0; i < n; i++)
            drive->vector[r][i] += factor * drive->vector[c][i];
        drive->load_size[r] += fabs(factor) * drive->load_size[c];
        for (int d = 0; d < 3; d++)
            run->balance.applied[d] += factor * one->balance.applied[d];
        run->solve.converged = run->solve.converged && one->solve.converged;
    }
    tell_sum(problem, r);
done:
    return status;
}

ritz_status ritz_combine_runs(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    for (int r = drive->problem->n_cases; drive->problem->n_cases && r < drive->n_runs; r++)
        RITZ_TRY(combine_run(drive, r));
done:
    return status;
}
