/* The file that a probe of a problem writes, in a folder of the test, for tests that read it; and the device of all problems. */
#ifndef RITZ_TEST_PROBES_H
#define RITZ_TEST_PROBES_H
#define _DEFAULT_SOURCE /* mkdtemp */

#include "problem/problem.h"
#include "problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/ritz-probes-XXXXXX";

static int set_up(void **state)
{
    return mkdtemp(folder) ? open_device(state) : 1;
}

static int tear_down(void **state)
{
    static const char *const left[] = {"p.csv", "p.old.csv"}; /* the latter where a run failed after another */
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, left[i]);
        unlink(path);
    }
    return rmdir(folder) || close_device(state);
}

/* The column's value in a row of the probe, counted from 0. */
static double read_probe(const char *column, int row)
{
    char path[64], line[4096];
    int number = -1, at = 0;
    double value = NAN;
    snprintf(path, sizeof path, "%s/p.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (char *name = strtok(line, ",\r\n"); name; name = strtok(NULL, ",\r\n"), at++)
        number = strcmp(name, column) == 0 ? at : number;
    assert_true(number >= 0);
    for (int i = 0; i <= row; i++)
        assert_non_null(fgets(line, sizeof line, file));
    at = 0;
    for (char *word = strtok(line, ",\r\n"); word; word = strtok(NULL, ",\r\n"), at++)
        value = at == number ? strtod(word, NULL) : value;
    fclose(file);
    return value;
}

#endif
