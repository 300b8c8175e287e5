/* Probes of the problem file: points and lines at which the result's values are wanted. */
#include "problem/problem.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 1000000 };

void ritz_probes_free(ritz_probe **probes, int *n)
{
    for (int i = 0; i < *n; i++) {
        ritz_free((*probes)[i].name);
        ritz_free((*probes)[i].file);
        ritz_free((*probes)[i].points);
    }
    ritz_free(*probes);
    *probes = NULL;
    *n = 0;
}

/* One point, with as many coordinates as those before it. */
static ritz_status add_point(const ritz_node *node, const ritz_key *key, ritz_probe *probe)
{
    ritz_status status = RITZ_OK;
    const ritz_key point = {.name = key->name, .example = key->example, .least = 2, .most = 3};
    double *x;
    RITZ_RESIZE(probe->points, 3 * ((int64_t)probe->n + 1));
    x = probe->points + 3 * (int64_t)probe->n;
    x[0] = x[1] = x[2] = 0;
    RITZ_TRY(ritz_read_reals(node, &point, x, NULL));
    for (int d = 0; d < 3; d++)
        RITZ_REQUIRE_AT(isfinite(x[d]), &node->place, "the coordinates of a point must be finite numbers");
    RITZ_REQUIRE_AT(probe->n == 0 || node->n == probe->n_axes, &node->place,
                    "this point has %d coordinates and those before it %d; give all the same number", node->n,
                    probe->n_axes);
    probe->n_axes = node->n;
    probe->n++;
done:
    return status;
}

/* A list of points, or one point. */
static ritz_status read_points(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_status status = RITZ_OK;
    ritz_probe *probe = target;
    if (node->kind == RITZ_NODE_LIST && node->n > 0 && node->values[0]->kind == RITZ_NODE_SCALAR)
        return add_point(node, key, probe);
    if (node->kind != RITZ_NODE_LIST || node->n == 0)
        return ritz_wrong_type(node, key, "a list of points");
    for (int i = 0; i < node->n; i++)
        RITZ_TRY(add_point(node->values[i], key, probe));
done:
    return status;
}

static ritz_status read_line(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_probe *probe = target;
    bool differ = false;
    RITZ_REQUIRE_AT(probe->n == 0, &node->place, "a probe has either 'points' or a 'line'; make two probes");
    RITZ_TRY(read_points(node, key, target, context));
    for (int d = 0; d < 3 && probe->n == 2; d++)
        differ = differ || probe->points[d] != probe->points[3 + d];
    RITZ_REQUIRE_AT(differ, &node->place, "'line' takes two different points, like  %s", key->example);
    probe->is_line = true;
done:
    return status;
}

/* The points of a line, both ends with them. */
static ritz_status fill_line(ritz_probe *probe)
{
    ritz_status status = RITZ_OK;
    double ends[6];
    memcpy(ends, probe->points, sizeof ends);
    RITZ_RESIZE(probe->points, 3 * (int64_t)probe->count);
    probe->n = probe->count;
    for (int64_t i = 0; i < probe->n; i++)
        for (int d = 0; d < 3; d++) {
            const double t = (double)i / (probe->n - 1);
            probe->points[3 * i + d] = (1 - t) * ends[d] + t * ends[3 + d];
        }
done:
    return status;
}

static ritz_status read_probe_file(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_read_text(node, key, target, context));
    const size_t n = strlen(*(char **)target);
    RITZ_REQUIRE_AT(n > 4 && strcmp(*(char **)target + n - 4, ".csv") == 0, &node->place,
                    "'%s' does not end in .csv; probes are written as CSV, like  %s", *(char **)target, key->example);
done:
    return status;
}

#define LINE_EXAMPLE "line: [[0, 0, 0], [1, 0, 0]], count: 101"
static const ritz_key keys[] = {
    {.name = "name",
     .read = ritz_read_word,
     .offset = offsetof(ritz_probe, name),
     .example = "name: axis",
     .required = true},
    {.name = "points", .read = read_points, .example = "points: [[1, 0, 0], [1, 0.5, 0]]"},
    {.name = "line", .read = read_line, .example = LINE_EXAMPLE},
    {.name = "count",
     .read = ritz_read_integer,
     .offset = offsetof(ritz_probe, count),
     .example = "count: 101",
     .least = 2,
     .most = MOST_POINTS},
    {.name = "file", .read = read_probe_file, .offset = offsetof(ritz_probe, file), .example = "file: axis.csv"},
};

static ritz_status read_probe(const ritz_node *node, ritz_probe *probe, void *context)
{
    ritz_status status = RITZ_OK;
    probe->place = node->place;
    RITZ_TRY(ritz_read_map(node, "a probe", keys, RITZ_N_KEYS(keys), probe, context));
    RITZ_REQUIRE_AT(probe->n > 0, &node->place, "the probe '%s' needs 'points' or a 'line', like  " LINE_EXAMPLE,
                    probe->name);
    RITZ_REQUIRE_AT(probe->is_line == (probe->count > 0), &node->place,
                    "a 'line' needs a 'count' of points on it, and nothing else has one, like  " LINE_EXAMPLE);
    if (probe->is_line)
        RITZ_TRY(fill_line(probe));
done:
    return status;
}

ritz_status ritz_read_probes(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    if (node->kind == RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "a list of probes");
    RITZ_NEW(problem->probes, n);
    for (int i = 0; i < n; i++) {
        problem->n_probes = i + 1;
        RITZ_TRY(read_probe(node->kind == RITZ_NODE_LIST ? node->values[i] : node, &problem->probes[i], context));
        for (int k = 0; k < i; k++)
            RITZ_REQUIRE_AT(strcmp(problem->probes[k].name, problem->probes[i].name) != 0, &problem->probes[i].place,
                            "two probes are called '%s'", problem->probes[i].name);
    }
done:
    return status;
}
