/* Problems that are solved with values at a point, for the tests of materials and elements. */
#define _DEFAULT_SOURCE /* mkdtemp */

#include "problem/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/ritz-probing-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/p.csv", folder);
    unlink(path);
    return rmdir(folder);
}

/* Solves the text, with a probe at the point, and without a result file. */
static ritz_problem *solve(const char *text, const char *point, ritz_result *result)
{
    char whole[3072];
    ritz_problem *problem = NULL;
    snprintf(whole, sizeof whole,
             "%sprobes: {name: p, points: %s, file: %s/p.csv}\noutput: {file: %s/unused.vtkhdf, fields: [displacement, "
             "strain, stress, material_stress]}\nsolver: {method: direct}\n",
             text, point, folder, folder);
    if (ritz_problem_parse(whole, "", NULL, 0, &problem) != RITZ_OK || ritz_problem_solve(problem, result) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), whole);
    snprintf(whole, sizeof whole, "%s/unused.vtkhdf", folder);
    unlink(whole);
    return problem;
}

/* The column's value at the probe. */
static double read_probe(const char *column)
{
    char path[64], names[4096], values[4096], *end_name, *end_value;
    snprintf(path, sizeof path, "%s/p.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(names, sizeof names, file));
    assert_non_null(fgets(values, sizeof values, file));
    fclose(file);
    char *value = strtok_r(values, ",\r\n", &end_value);
    for (char *name = strtok_r(names, ",\r\n", &end_name); name; name = strtok_r(NULL, ",\r\n", &end_name)) {
        if (strcmp(name, column) == 0)
            return strtod(value, NULL);
        value = strtok_r(NULL, ",\r\n", &end_value);
    }
    fail_msg("there is no column %s", column);
    return NAN;
}

static void assert_near(const char *column, double known, double tolerance)
{
    const double value = read_probe(column);
    if (!(fabs(value - known) <= tolerance))
        fail_msg("%s is %.12g, not %.12g within %g", column, value, known, tolerance);
}
