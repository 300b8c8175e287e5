/* Groups that the problem file chooses by place: their criteria, and the choice once the mesh is there. */
#include "problem/drive.h"

#include "base/point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ritz_group_choices_free(ritz_group_choice **choices, int *n)
{
    for (int i = 0; i < *n; i++) {
        ritz_free((*choices)[i].name);
        ritz_names_free(&(*choices)[i].groups);
        ritz_names_free(&(*choices)[i].without);
    }
    ritz_free(*choices);
    *choices = NULL;
    *n = 0;
}

/* ---- Reading ---- */

/* A shape while its map is read. */
typedef struct shape {
    ritz_group_choice *choice;
    ritz_criterion criterion;
} shape;

/* A point or direction: as many coordinates as those before it. */
static ritz_status read_axes(const ritz_node *node, const ritz_key *key, double x[3], ritz_group_choice *choice)
{
    ritz_status status = RITZ_OK;
    const ritz_key list = {.name = key->name, .example = key->example, .least = 2, .most = 3};
    x[2] = 0;
    RITZ_TRY(ritz_read_reals(node, &list, x, NULL));
    for (int d = 0; d < 3; d++)
        RITZ_REQUIRE_AT(isfinite(x[d]), &node->place, "the coordinates of '%s' must be finite numbers", key->name);
    RITZ_REQUIRE_AT(choice->n_axes == 0 || choice->n_axes == node->n, &node->place,
                    "'%s' has %d coordinates and others of this group %d; give all the same number", key->name, node->n,
                    choice->n_axes);
    choice->n_axes = node->n;
done:
    return status;
}

static ritz_status read_point(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    shape *s = target;
    return read_axes(node, key, s->criterion.point, s->choice);
}

/* The far corner of a box. */
static ritz_status read_corner(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    shape *s = target;
    return read_axes(node, key, s->criterion.direction, s->choice);
}

static ritz_status read_direction(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_status status = RITZ_OK;
    shape *s = target;
    double *x = s->criterion.direction;
    RITZ_TRY(read_axes(node, key, x, s->choice));
    const double length = ritz_scale_to_unit(x);
    RITZ_REQUIRE_AT(length > 0 && isfinite(length), &node->place, "'%s' is no direction; give one like  %s", key->name,
                    key->example);
done:
    return status;
}

#define SHAPE(member) offsetof(shape, criterion.member)
static const ritz_key box_keys[] = {
    {.name = "from", .read = read_point, .example = "from: [0, 0, 0]", .required = true},
    {.name = "to", .read = read_corner, .example = "to: [1, 1, 0.1]", .required = true},
};
static const ritz_key plane_keys[] = {
    {.name = "point", .read = read_point, .example = "point: [0, 0, 1]", .required = true},
    {.name = "normal", .read = read_direction, .example = "normal: [0, 0, 1]", .required = true},
};
static const ritz_key sphere_keys[] = {
    {.name = "centre", .read = read_point, .example = "centre: [0, 0, 0]", .required = true},
    {.name = "radius", .read = ritz_read_positive, .offset = SHAPE(radius), .example = "radius: 0.1", .required = true},
    {.name = "inner", .read = ritz_read_positive, .offset = SHAPE(inner), .example = "inner: 0.09"},
};
static const ritz_key cylinder_keys[] = {
    {.name = "point", .read = read_point, .example = "point: [0, 0, 0]", .required = true},
    {.name = "axis", .read = read_direction, .example = "axis: [0, 0, 1]", .required = true},
    {.name = "radius", .read = ritz_read_positive, .offset = SHAPE(radius), .example = "radius: 0.1", .required = true},
    {.name = "inner", .read = ritz_read_positive, .offset = SHAPE(inner), .example = "inner: 0.09"},
    {.name = "length", .read = ritz_read_positive, .offset = SHAPE(length), .example = "length: 0.5"},
};
/* In the plane a sphere is a circle. */
static const struct {
    ritz_criterion_kind kind;
    const ritz_key *keys;
    int n_keys;
} shapes[] = {
    [RITZ_IN_BOX] = {RITZ_IN_BOX, box_keys, RITZ_N_KEYS(box_keys)},
    [RITZ_IN_SPHERE] = {RITZ_IN_SPHERE, sphere_keys, RITZ_N_KEYS(sphere_keys)},
    [RITZ_IN_CYLINDER] = {RITZ_IN_CYLINDER, cylinder_keys, RITZ_N_KEYS(cylinder_keys)},
    [RITZ_ON_PLANE] = {RITZ_ON_PLANE, plane_keys, RITZ_N_KEYS(plane_keys)},
    [RITZ_ABOVE_PLANE] = {RITZ_ABOVE_PLANE, plane_keys, RITZ_N_KEYS(plane_keys)},
};

/* The kind is the key's `least`. */
static ritz_status read_shape(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_group_choice *choice = target;
    shape s = {.choice = choice, .criterion = {.kind = (ritz_criterion_kind)key->least}};
    RITZ_TRY(ritz_read_map(node, key->name, shapes[key->least].keys, shapes[key->least].n_keys, &s, context));
    ritz_criterion *c = &s.criterion;
    RITZ_REQUIRE_AT(c->inner == 0 || c->inner < c->radius, &node->place,
                    "'inner' must be less than 'radius'; they are %g and %g", c->inner, c->radius);
    for (int d = 0; d < 3 && c->kind == RITZ_IN_BOX; d++)
        RITZ_REQUIRE_AT(c->point[d] <= c->direction[d], &node->place,
                        "the box is empty along %c: 'from' is %g and 'to' %g; give the least corner first", "xyz"[d],
                        c -> point[d], c -> direction[d]);
    choice->criteria[choice->n_criteria++] = *c;
done:
    return status;
}

static ritz_status read_normal(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_group_choice *choice = target;
    shape s = {.choice = choice, .criterion = {.kind = RITZ_NORMAL, .angle = 5}};
    RITZ_TRY(read_direction(node, key, &s, context));
    choice->criteria[choice->n_criteria++] = s.criterion;
done:
    return status;
}

static ritz_status read_angle(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_group_choice *choice = target;
    ritz_criterion *last = choice->n_criteria ? &choice->criteria[choice->n_criteria - 1] : NULL;
    RITZ_REQUIRE_AT(last && last->kind == RITZ_NORMAL, &node->place,
                    "'angle' is the largest one between faces' normals and 'normal', which is missing; add it, like"
                    "  normal: [0, 0, 1]");
    RITZ_TRY(ritz_read_positive(node, key, &last->angle, context));
    RITZ_REQUIRE_AT(last->angle <= 180, &node->place, "'angle' is in degrees, at most 180; got %g", last->angle);
done:
    return status;
}

static ritz_status read_nearest(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_group_choice *choice = target;
    shape s = {.choice = choice, .criterion = {.kind = RITZ_NEAREST}};
    RITZ_TRY(read_point(node, key, &s, context));
    choice->criteria[choice->n_criteria++] = s.criterion;
done:
    return status;
}

static ritz_status read_of(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    static const char *const names[] = {"faces", "edges", "cells", "nodes"};
    static const ritz_group_kind kinds[] = {RITZ_GROUP_FACETS, RITZ_GROUP_FACETS, RITZ_GROUP_CELLS, RITZ_GROUP_NODES};
    static const ritz_name_table choices = {.what = "kind of members", .names = names, .n = 4};
    ritz_group_choice *choice = target;
    int value = 0;
    const ritz_status status = ritz_read_choice(node, key, &choices, &value);
    choice->of = kinds[value];
    choice->edges = value == 1;
    return status;
}

#define AT(member) offsetof(ritz_group_choice, member)
static const ritz_key keys[] = {
    {.name = "name", .read = ritz_read_text, .offset = AT(name), .example = "name: top", .required = true},
    {.name = "of", .read = read_of, .example = "of: faces"},
    {.name = "box", .read = read_shape, .least = RITZ_IN_BOX, .example = "box: {from: [0, 0, 0], to: [1, 1, 0.1]}"},
    {.name = "sphere",
     .read = read_shape,
     .least = RITZ_IN_SPHERE,
     .example = "sphere: {centre: [0, 0, 0], radius: 0.1}"},
    {.name = "cylinder",
     .read = read_shape,
     .least = RITZ_IN_CYLINDER,
     .example = "cylinder: {point: [0, 0, 0], axis: [0, 0, 1], radius: 0.1}"},
    {.name = "plane",
     .read = read_shape,
     .least = RITZ_ON_PLANE,
     .example = "plane: {point: [0, 0, 1], normal: [0, 0, 1]}"},
    {.name = "above",
     .read = read_shape,
     .least = RITZ_ABOVE_PLANE,
     .example = "above: {point: [0, 0, 1], normal: [0, 0, 1]}"},
    {.name = "normal", .read = read_normal, .example = "normal: [0, 0, 1]"},
    {.name = "angle", .read = read_angle, .example = "angle: 5"},
    {.name = "groups", .read = ritz_read_names, .offset = AT(groups), .example = "groups: [x0, x1]"},
    {.name = "not", .read = ritz_read_names, .offset = AT(without), .example = "not: [x0, x1]"},
    {.name = "nearest", .read = read_nearest, .example = "nearest: [1, 0, 0]"},
    {.name = "tolerance", .read = ritz_read_positive, .offset = AT(tolerance), .example = "tolerance: 1e-6"},
};

static ritz_status read_choice(const ritz_node *node, ritz_group_choice *choice, void *context)
{
    ritz_status status = RITZ_OK;
    choice->of = RITZ_GROUP_FACETS;
    choice->place = node->place;
    RITZ_TRY(ritz_read_map(node, "a group", keys, RITZ_N_KEYS(keys), choice, context));
    RITZ_REQUIRE_AT(choice->n_criteria + choice->groups.n + choice->without.n > 0, &node->place,
                    "the group '%s' chooses nothing; say where it is, like  box: {from: [0, 0, 0], to: [1, 1, 0.1]}  or"
                    "  plane: {point: [0, 0, 1], normal: [0, 0, 1]}",
                    choice->name);
    for (int k = 0; k < choice->n_criteria; k++)
        RITZ_REQUIRE_AT(choice->criteria[k].kind != RITZ_NORMAL || choice->of == RITZ_GROUP_FACETS, &node->place,
                        "only faces have a normal; remove 'normal' from the group '%s', or take  of: faces",
                        choice->name);
done:
    return status;
}

ritz_status ritz_read_group_choices(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    if (node->kind == RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "a list of groups");
    RITZ_NEW(problem->choices, n);
    for (int i = 0; i < n; i++) {
        problem->n_choices = i + 1;
        RITZ_TRY(read_choice(node->kind == RITZ_NODE_LIST ? node->values[i] : node, &problem->choices[i], context));
    }
done:
    return status;
}

/* ---- Choosing ---- */

/* The groups of these names: of the kind that is chosen, or of cells where faces are, of either where nodes are. */
static ritz_status find_groups(const ritz_mesh *mesh, const ritz_group_choice *choice, const ritz_names *names,
                               int32_t *groups, int *n)
{
    ritz_status status = RITZ_OK;
    const int dim = choice->of == RITZ_GROUP_CELLS ? mesh->dim : choice->of == RITZ_GROUP_NODES ? 0 : mesh->dim - 1;
    *n = 0;
    for (int i = 0; i < names->n; i++) {
        int32_t g = ritz_next_group(mesh, names->name[i], dim, 0);
        for (int d = mesh->dim - 1; d <= mesh->dim && g < 0 && choice->of != RITZ_GROUP_CELLS; d++)
            g = ritz_next_group(mesh, names->name[i], d, 0);
        if (g < 0 && (status = ritz_mesh_find_group(mesh, names->name[i], dim, &g)) != RITZ_OK) {
            ritz_fail_context_at(status, &names->places[i]);
            goto done;
        }
        groups[(*n)++] = g;
    }
done:
    return status;
}

/* What is in a group, and how large that is: by which a choice is checked. */
static ritz_status tell_group(const ritz_drive *drive, const char *name, int32_t group, ritz_group_kind kind, int64_t n)
{
    ritz_status status = RITZ_OK;
    static const char *const members[][2] = {{"cell", "cell"}, {"edge", "face"}, {"node", "node"}};
    static const char *const extents[][2] = {{"area", "volume"}, {"length", "area"}};
    const bool space = drive->mesh->dim == 3;
    char size[48] = "";
    double extent;
    RITZ_TRY(ritz_mesh_group_extent(drive->mesh, group, kind, &extent));
    if (kind != RITZ_GROUP_NODES)
        snprintf(size, sizeof size, ", %s %.6g", extents[kind][space], extent);
    ritz_stage_line(drive->problem, "group      %s: %lld %s%s%s", name, (long long)n, members[kind][space],
                    n == 1 ? "" : "s", size);
done:
    return status;
}

static ritz_status choose_group(const ritz_drive *drive, const ritz_group_choice *choice)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = drive->mesh;
    int32_t *with = NULL, *without = NULL;
    int64_t n = 0;
    ritz_criterion criteria[RITZ_MAX_CRITERIA];
    ritz_choice all = {.name = choice->name, .of = choice->of, .criteria = criteria, .tolerance = choice->tolerance};
    bool round = false;
    for (int k = 0; k < choice->n_criteria; k++)
        round = round || choice->criteria[k].kind == RITZ_IN_CYLINDER;
    RITZ_REQUIRE_AT(choice->n_axes == 0 || choice->n_axes == mesh->dim, &choice->place,
                    "the points of the group '%s' have %d coordinates on a mesh of dimension %d; give %d%s",
                    choice->name, choice->n_axes, mesh->dim, mesh->dim,
                    round && mesh->dim == 2 ? ", and in the place of a 'cylinder' a 'sphere' for a circle" : "");
    RITZ_REQUIRE_AT(!choice->edges || mesh->dim == 2, &choice->place,
                    "the group '%s' is to hold edges, which only meshes in the plane can choose; take  of: faces",
                    choice->name);
    RITZ_REQUIRE_AT(ritz_next_group(mesh, choice->name, -1, 0) < 0, &choice->place,
                    "the mesh has a group '%s' already; choose another name", choice->name);
    RITZ_NEW(with, choice->groups.n);
    RITZ_NEW(without, choice->without.n);
    memcpy(criteria, choice->criteria, sizeof choice->criteria);
    all.n_criteria = choice->n_criteria;
    if (choice->groups.n) {
        ritz_criterion *c = &criteria[all.n_criteria++];
        *c = (ritz_criterion){.kind = RITZ_IN_GROUPS, .groups = with};
        RITZ_TRY(find_groups(mesh, choice, &choice->groups, with, &c->n_groups));
    }
    if (choice->without.n) {
        ritz_criterion *c = &criteria[all.n_criteria++];
        *c = (ritz_criterion){.kind = RITZ_NOT_IN_GROUPS, .groups = without};
        RITZ_TRY(find_groups(mesh, choice, &choice->without, without, &c->n_groups));
    }
    status = ritz_mesh_choose(mesh, &all, &n);
    if (status == RITZ_ERROR_INPUT)
        ritz_fail_context_at(status, &choice->place);
    RITZ_TRY(status);
    RITZ_TRY(tell_group(drive, choice->name, ritz_next_group(mesh, choice->name, -1, 0), choice->of, n));
done:
    ritz_free(with);
    ritz_free(without);
    return status;
}

static bool is_chosen(const ritz_problem *problem, const char *name)
{
    for (int i = 0; i < problem->n_choices; i++)
        if (strcmp(problem->choices[i].name, name) == 0)
            return true;
    return false;
}

/* Faces of the mesh's own that entries of `boundary` name, each once. Those of boxes are known. */
static ritz_status tell_named(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    bool *seen = NULL;
    int64_t n_told = 0;
    RITZ_NEW(seen, drive->mesh->n_groups);
    for (int i = 0; i < problem->loads.n_boundary && !problem->box.cells[0]; i++)
        for (int k = 0; k < problem->loads.boundary[i].groups.n; k++) {
            const char *name = problem->loads.boundary[i].groups.name[k];
            const int32_t g = ritz_next_group(drive->mesh, name, drive->mesh->dim - 1, 0);
            if (g < 0 || seen[g] || is_chosen(problem, name))
                continue;
            seen[g] = true;
            if (n_told++ < RITZ_TOLD_MOST)
                RITZ_TRY(tell_group(drive, name, g, RITZ_GROUP_FACETS, ritz_mesh_group_size(drive->mesh, g)));
        }
    if (n_told > RITZ_TOLD_MOST)
        ritz_stage_line(problem, "group      and %lld more", (long long)n_told - RITZ_TOLD_MOST);
done:
    ritz_free(seen);
    return status;
}

ritz_status ritz_choose_groups(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < drive->problem->n_choices; i++)
        RITZ_TRY(choose_group(drive, &drive->problem->choices[i]));
    RITZ_TRY(tell_named(drive));
done:
    return status;
}
