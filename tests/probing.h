/* Problems that are solved with values at a point, for the tests of materials and elements. */
#include "probes.h"

/* Solves the text, with a probe at the point, and without a result file. */
static ritz_problem *solve(const char *text, const char *point, ritz_result *result)
{
    char whole[3072];
    ritz_problem *problem = NULL;
    snprintf(whole, sizeof whole,
             "%sprobes: {name: p, points: %s, file: %s/p.csv}\noutput: {file: %s/unused.vtkhdf, fields: [displacement, "
             "strain, stress, material_stress%s]}\nsolver: {method: direct}\n",
             text, point, folder, folder, strstr(text, "yield:") ? ", von_mises, safety" : "");
    if (parse_problem(whole, "", NULL, &problem) != RITZ_OK || ritz_problem_solve(problem, result) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), whole);
    snprintf(whole, sizeof whole, "%s/unused.vtkhdf", folder);
    unlink(whole);
    return problem;
}

static void assert_near(const char *column, double known, double tolerance)
{
    const double value = read_probe(column, 0);
    if (!(fabs(value - known) <= tolerance))
        fail_msg("%s is %.12g, not %.12g within %g", column, value, known, tolerance);
}
