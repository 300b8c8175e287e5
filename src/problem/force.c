/* Forces and moments that are given in total: spread over the area of facets, or over the nodes of a group that has
   none. What acts at x is t(x) = F / A + w x (x - c), with c the centre and w from the second moments, so that force and
   moment are those that were asked for; a force may act at any point of space. This is the distributing coupling of
   other programs (RBE3). */
#include "base/point.h"
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct spread {
    const ritz_drive *drive;
    const ritz_boundary *entry;
    bool on_facets;
    double weight, centre[3]; /* the area (times the thickness), or the number of nodes */
    double second[3][3];      /* integral of (x - c)_i (x - c)_j */
} spread;

static int n_axes(const spread *s)
{
    return s->drive->space->n_components;
}

/* load += t at each node of the groups, once. */
static ritz_status add_at_nodes(const spread *s, const ritz_vector *t, double *load)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = s->drive->space;
    int32_t *nodes = NULL, n;
    RITZ_TRY(ritz_list_nodes(s->drive, &s->entry->groups, &nodes, &n));
    for (int32_t i = 0; i < n; i++) {
        double x[3];
        ritz_space_get_place(space, nodes[i], x);
        for (int c = 0; c < t->n; c++)
            load[(int64_t)nodes[i] * space->n_components + c] += ritz_expression_value(t->component[c].expression, x);
    }
done:
    ritz_free(nodes);
    return status;
}

/* *load += what t does, given as a text an axis. */
static ritz_status add_texts(const spread *s, char *const *texts, double **load)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = s->drive->problem->physics;
    const int k = (int)(ritz_find_boundary(physics, RITZ_BOUNDARY_LOAD) - physics->boundary);
    ritz_boundary one = {.groups = s->entry->groups, .place = s->entry->place};
    ritz_vector *t = &one.term[k];
    for (int c = 0; c < n_axes(s); c++)
        RITZ_TRY(ritz_quantity_create(texts[c], s->entry->place, &t->component[c]));
    t->n = n_axes(s);
    if (!*load)
        RITZ_NEW(*load, ritz_space_n_dofs(s->drive->space));
    RITZ_TRY(s->on_facets ? ritz_add_surface_load(s->drive, &one, k, load) : add_at_nodes(s, t, *load));
done:
    ritz_vector_free(t);
    return status;
}

/* The integrals (sums over nodes) of n expressions. */
static ritz_status integrate_texts(const spread *s, char *const *texts, int n, double *sums)
{
    ritz_status status = RITZ_OK;
    const int n_c = n_axes(s);
    double *load = NULL;
    char zero[] = "0";
    for (int first = 0; first < n; first += n_c) {
        char *some[3];
        for (int c = 0; c < n_c; c++)
            some[c] = first + c < n ? texts[first + c] : zero;
        RITZ_TRY(add_texts(s, some, &load));
        for (int c = 0; c < n_c && first + c < n; c++) {
            sums[first + c] = 0;
            for (int64_t i = c; i < ritz_space_n_dofs(s->drive->space); i += n_c)
                sums[first + c] += load[i];
        }
        ritz_free(load);
        load = NULL;
    }
done:
    ritz_free(load);
    return status;
}

ritz_status ritz_measure_area(const ritz_drive *drive, const ritz_boundary *entry, const char *what, double *area)
{
    const spread s = {.drive = drive, .entry = entry, .on_facets = true};
    char one[] = "1", *const ones[] = {one};
    ritz_status status = RITZ_OK;
    RITZ_TRY(integrate_texts(&s, ones, 1, area));
    RITZ_REQUIRE_AT(*area > 0, &entry->place, "the group '%s' has no area that a %s could be spread over%s",
                    entry->groups.name[0], what, drive->problem->physics->axisymmetric ? ", as the axis has none" : "");
done:
    return status;
}

static ritz_status measure_group(spread *s)
{
    ritz_status status = RITZ_OK;
    static const int first[6] = {0, 1, 2, 0, 1, 0}, other[6] = {0, 1, 2, 1, 2, 2};
    char one[] = "1", x[] = "x", y[] = "y", z[] = "z", text[6][96];
    char *powers[4] = {one, x, y, z}, *products[6];
    double sums[6];
    RITZ_TRY(integrate_texts(s, powers, 4, sums));
    s->weight = sums[0];
    RITZ_REQUIRE_AT(s->weight > 0, &s->entry->place,
                    "the group '%s' has neither faces nor nodes that a force could act on", s->entry->groups.name[0]);
    for (int d = 0; d < 3; d++)
        s->centre[d] = sums[d + 1] / s->weight;
    for (int k = 0; k < 6; k++) {
        products[k] = text[k];
        snprintf(text[k], sizeof text[k], "(%c - (%.17g)) * (%c - (%.17g))", 'x' + first[k], s->centre[first[k]],
                 'x' + other[k], s->centre[other[k]]);
    }
    RITZ_TRY(integrate_texts(s, products, 6, sums));
    for (int k = 0; k < 6; k++)
        s->second[first[k]][other[k]] = s->second[other[k]][first[k]] = sums[k];
done:
    return status;
}

/* a x = b for a semidefinite matrix, which is overwritten as b is; b may have no more than `tolerance` where a is zero. */
static bool solve_semidefinite(double a[3][3], double b[3], double tolerance, double x[3])
{
    const double least = 1e-10 * (a[0][0] + a[1][1] + a[2][2]);
    bool done[3] = {false};
    for (int step = 0; step < 3; step++) {
        int p = -1;
        for (int i = 0; i < 3; i++)
            if (!done[i] && a[i][i] > least && (p < 0 || a[i][i] > a[p][p]))
                p = i;
        if (p < 0)
            break;
        done[p] = true;
        for (int i = 0; i < 3; i++) {
            const double factor = i == p ? 0 : a[i][p] / a[p][p];
            for (int j = 0; j < 3; j++)
                a[i][j] -= factor * a[p][j];
            b[i] -= factor * b[p];
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!done[i] && fabs(b[i]) > tolerance)
            return false;
        x[i] = done[i] ? b[i] / a[i][i] : 0;
    }
    return true;
}

/* What turns: w of t(x), from the moment about the centre. */
static ritz_status find_rotation(const spread *s, const double moment[3], double scale, double w[3])
{
    double inertia[3][3], rhs[3];
    const double trace = s->second[0][0] + s->second[1][1] + s->second[2][2];
    for (int i = 0; i < 3; i++) {
        rhs[i] = moment[i];
        for (int j = 0; j < 3; j++)
            inertia[i][j] = (i == j ? trace : 0) - s->second[i][j];
    }
    if (!solve_semidefinite(inertia, rhs, 1e-8 * scale, w))
        return ritz_fail_at(RITZ_ERROR_INPUT, &s->entry->place,
                            "the group '%s' lies on one line or point and can not take a moment of (%g, %g, %g) about "
                            "its centre (%g, %g, %g); name a group of %s",
                            s->entry->groups.name[0], moment[0], moment[1], moment[2], s->centre[0], s->centre[1],
                            s->centre[2], s->drive->mesh->dim == 2 ? "edges" : "faces");
    return RITZ_OK;
}

/* The numbers of a key of the entry; zeros where it is not given. The one of a moment in the plane is that about z. */
static const ritz_vector *get_numbers(const spread *s, ritz_boundary_kind kind, double value[3])
{
    const ritz_physics *physics = s->drive->problem->physics;
    const ritz_boundary_key *key = ritz_find_boundary(physics, kind);
    const ritz_vector *term = key ? &s->entry->term[key - physics->boundary] : NULL;
    value[0] = value[1] = value[2] = 0;
    for (int c = 0; term && c < term->n; c++)
        value[term->n == 1 ? 2 : c] = term->component[c].value;
    return term;
}

/* The same on each node of groups that are not of facets, without integrals: decks have such an entry for every node. */
static ritz_status share_among_nodes(const spread *s, const double *total, double **load)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = s->drive->space;
    int32_t *nodes = NULL, n;
    RITZ_TRY(ritz_list_nodes(s->drive, &s->entry->groups, &nodes, &n));
    RITZ_REQUIRE_AT(n > 0, &s->entry->place, "the group '%s' has neither faces nor nodes that a load could act on",
                    s->entry->groups.name[0]);
    if (!*load)
        RITZ_NEW(*load, ritz_space_n_dofs(space));
    for (int32_t i = 0; i < n; i++)
        for (int c = 0; c < n_axes(s); c++)
            (*load)[(int64_t)nodes[i] * n_axes(s) + c] += total[c] / n;
done:
    ritz_free(nodes);
    return status;
}

/* A scalar load in total, as a flow of heat: the same everywhere on the group. */
static ritz_status add_scalar(const spread *s, double **load)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = s->drive->problem->physics;
    const ritz_boundary_key *key = ritz_find_boundary(physics, RITZ_BOUNDARY_FORCE);
    const double total = s->entry->term[key - physics->boundary].component[0].value;
    char *text = NULL;
    double weight = 0;
    if (!s->on_facets)
        return share_among_nodes(s, &total, load);
    RITZ_TRY(ritz_measure_area(s->drive, s->entry, key->name, &weight));
    RITZ_TRY(ritz_format(&text, "%.17g", total / weight));
    RITZ_TRY(add_texts(s, &text, load));
done:
    ritz_free(text);
    return status;
}

ritz_status ritz_add_force(const ritz_drive *drive, const ritz_boundary *entry, double **load)
{
    ritz_status status = RITZ_OK;
    spread s = {.drive = drive, .entry = entry, .on_facets = ritz_have_facets(drive->mesh, &entry->groups)};
    double force[3], moment[3], point[3], arm[3], turn[3], w[3];
    char *texts[3] = {NULL};
    if (!drive->problem->physics->vector)
        return add_scalar(&s, load);
    get_numbers(&s, RITZ_BOUNDARY_FORCE, force);
    get_numbers(&s, RITZ_BOUNDARY_MOMENT, moment);
    const ritz_vector *at = get_numbers(&s, RITZ_BOUNDARY_POINT, point);
    const bool has_point = at && at->n > 0;
    if (!s.on_facets && !has_point && ritz_length(moment) == 0)
        return share_among_nodes(&s, force, load);
    RITZ_TRY(measure_group(&s));
    for (int d = 0; d < 3; d++)
        arm[d] = has_point ? point[d] - s.centre[d] : 0;
    const double radius = sqrt((s.second[0][0] + s.second[1][1] + s.second[2][2]) / s.weight) + ritz_length(arm);
    const double scale = ritz_length(force) * radius + ritz_length(moment);
    ritz_cross(arm, force, turn);
    for (int d = 0; d < 3; d++)
        moment[d] += turn[d];
    RITZ_TRY(find_rotation(&s, moment, scale, w));
    for (int d = 0; d < n_axes(&s); d++) {
        const int i = (d + 1) % 3, j = (d + 2) % 3;
        RITZ_TRY(ritz_format(&texts[d], "%.17g + (%.17g) * (%c - (%.17g)) - (%.17g) * (%c - (%.17g))",
                             force[d] / s.weight, w[i], 'x' + j, s.centre[j], w[j], 'x' + i, s.centre[i]));
    }
    RITZ_TRY(add_texts(&s, texts, load));
done:
    for (int d = 0; d < 3; d++)
        ritz_free(texts[d]);
    return status;
}
