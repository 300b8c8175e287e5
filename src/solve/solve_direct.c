/* A right-hand side on the device, solved with factors on the host. */
#include "solve/solve_direct.h"

/* The first refinement is so much of the solution. */
static const double nearly_singular = 1e-5;

static void fill_report(const ritz_direct *direct, const ritz_direct_end *end, ritz_solve_report *report)
{
    report->method = RITZ_DIRECT;
    report->preconditioner = RITZ_NO_PRECONDITIONER;
    report->direct = *ritz_direct_get_facts(direct);
    report->iterations = end->refinements;
    report->sensitivity = end->sensitivity;
    report->correction = end->correction;
    report->relative_residual = end->residual;
    report->true_relative_residual = end->true_residual;
    report->history_stride = 1;
}

ritz_status ritz_solve_directly(ritz_direct *direct, const ritz_matrix *matrix, double tolerance, const ritz_buffer *b,
                                ritz_buffer *x, ritz_solve_report *report)
{
    ritz_status status = RITZ_OK;
    double *host_b = NULL, *host_x = NULL;
    ritz_direct_end end = {0};
    ritz_progress("solve", 0);
    RITZ_NEW(host_b, matrix->n_unknowns);
    RITZ_NEW(host_x, matrix->n_unknowns);
    RITZ_TRY(ritz_matrix_read_vector(matrix, b, host_b));
    const ritz_status solved = ritz_direct_solve(direct, tolerance, host_b, host_x, &end);
    fill_report(direct, &end, report);
    report->outcome = solved == RITZ_ERROR_NOT_CONVERGED ? RITZ_NOT_CONVERGED : RITZ_UNSOLVED;
    if (solved == RITZ_OK || solved == RITZ_ERROR_NOT_CONVERGED)
        RITZ_TRY(ritz_matrix_write_vector(matrix, host_x, x));
    RITZ_TRY(solved);
    report->converged = end.correction <= tolerance;
    report->outcome = report->converged ? RITZ_CONVERGED : RITZ_LIMITED_BY_ROUNDING;
    ritz_log("solve: direct, %d refinements, the last of %.3g of x; relative residual %.3g, true %.3g", end.refinements,
             end.correction, end.residual, end.true_residual);
    RITZ_REQUIRE(
        report->converged || end.sensitivity < nearly_singular, RITZ_ERROR_NOT_CONVERGED,
        "the matrix is nearly singular: rounding of its entries changes the solution by %.2g of it, and refinement "
        "stopped at %.2g where %g was requested; check that something holds every part, by no less than rounding "
        "of its stiffness; a larger tolerance takes the solution as it is",
        end.sensitivity, end.correction, tolerance);
    RITZ_REQUIRE(report->converged, RITZ_ERROR_NOT_CONVERGED,
                 "refinement of the solution stopped at corrections of %.3g of it: rounding keeps it from the %g "
                 "that was requested; use a larger tolerance",
                 end.correction, tolerance);
    ritz_progress("solve", 1);
done:
    ritz_free(host_b);
    ritz_free(host_x);
    return status;
}

ritz_status ritz_solve_prepare_direct(const ritz_matrix *matrix, int64_t memory_most, double operations,
                                      ritz_direct **ordered, ritz_direct_facts *found, ritz_direct **direct)
{
    ritz_status status = RITZ_OK;
    ritz_direct *d = ordered ? *ordered : NULL;
    if (d)
        *ordered = NULL;
    else
        RITZ_TRY(ritz_direct_analyse(matrix, &d));
    const ritz_direct_facts *facts = ritz_direct_get_facts(d);
    *found = *facts;
    if (facts->operations > operations)
        goto done;
    RITZ_TRY(ritz_direct_factorise(d, memory_most));
    *found = *facts;
    ritz_log(
        "direct: %s, %.3g nonzeros in the factors, %.3g GB, %.3g operations; analysed in %.2f s, factorised in %.2f s",
        ritz_factorisation_name(facts->factorisation), (double)facts->factor_nonzeros, (double)facts->bytes / 1e9,
        facts->operations, facts->analyse_seconds, facts->factorise_seconds);
    *direct = d;
    d = NULL;
done:
    ritz_direct_destroy(&d);
    return status;
}
