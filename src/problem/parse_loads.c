/* The keys of supports and loads: at the top level of the problem file, and in its cases. */
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A key whose value is of the unknown's components. */
static ritz_key unknown_key(const char *name, const char *example, const ritz_physics *physics)
{
    ritz_key key = ritz_axes_key(name, example, physics);
    if (!physics->vector)
        key.least = key.most = ritz_physics_components(physics, physics->dim);
    key.components = ritz_physics_component_names(physics);
    return key;
}

/* ---- Boundary ---- */

/* A prescribed vector: one value per axis, or `fixed`. */
static ritz_status read_fixed(const ritz_node *node, const ritz_key *key, ritz_vector *term, ritz_boundary *entry)
{
    for (int c = 0; node->kind != RITZ_NODE_SCALAR && c < node->n; c++) {
        const ritz_node *value = node->values[c];
        if (value->kind == RITZ_NODE_SCALAR && (!strcmp(value->text, "fixed") || !strcmp(value->text, "free")))
            return ritz_fail_at(
                RITZ_ERROR_INPUT, &value->place,
                "'%s' applies to all axes at once; to fix one axis write 0, to leave it free ~, like  %s: [0, ~]",
                value->text, key->name);
    }
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_read_components(node, key, term, NULL);
    if (strcmp(node->text, "fixed") != 0)
        return ritz_wrong_type(node, key, "a list, a map of components, or the word fixed");
    entry->fixed = true;
    return RITZ_OK;
}

/* Axes that a load does not name have none. */
static ritz_status read_load(const ritz_node *node, const ritz_key *key, ritz_vector *term)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_read_components(node, key, term, NULL));
    for (int d = 0; d < key->most; d++)
        if (!term->component[d].expression)
            RITZ_TRY(ritz_quantity_create("0", term->place, &term->component[d]));
    term->n = key->most;
done:
    return status;
}

/* Coefficient and ambient value, the components of the term. */
static ritz_status read_film(const ritz_node *node, const ritz_key *key, ritz_vector *term, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_key keys[] = {{.name = "coefficient",
                              .read = ritz_read_quantity,
                              .offset = offsetof(ritz_vector, component[0]),
                              .example = "coefficient: 10",
                              .required = true},
                             {.name = "ambient",
                              .read = ritz_read_quantity,
                              .offset = offsetof(ritz_vector, component[1]),
                              .example = "ambient: 20",
                              .required = true}};
    if (node->kind != RITZ_NODE_MAP)
        return ritz_wrong_type(node, key, "a map of coefficient and ambient");
    RITZ_TRY(ritz_read_map(node, "a film", keys, RITZ_N_KEYS(keys), term, context));
    const ritz_quantity *h = &term->component[0];
    RITZ_REQUIRE_AT(!h->constant || ritz_data_within(&ritz_positive, h->value), &h->place,
                    "'coefficient' must be %s; got %g", ritz_positive.words, h->value);
    term->n = 2;
    term->place = node->place;
done:
    return status;
}

const ritz_data_bounds ritz_emissivity = {0, 1 + 1e-12, "greater than 0, and at most 1"};

/* What is said of a surface that radiates, and the two constants that follow from the units; components of the term. */
static ritz_status read_radiation(const ritz_node *node, const ritz_key *key, ritz_vector *term, void *context)
{
    ritz_status status = RITZ_OK;
    static const char *const examples[] = {"emissivity: 0.8", "ambient: 20", "absolute_zero: -273.15",
                                           "stefan_boltzmann: 5.670374e-8"};
    static const char *const names[] = {"emissivity", "ambient", "absolute_zero", "stefan_boltzmann"};
    ritz_key keys[4];
    for (int c = 0; c < 4; c++)
        keys[c] = (ritz_key){.name = names[c],
                             .read = ritz_read_quantity,
                             .offset = offsetof(ritz_vector, component) + (size_t)c * sizeof(ritz_quantity),
                             .example = examples[c],
                             .required = true};
    if (node->kind != RITZ_NODE_MAP)
        return ritz_wrong_type(node, key, "a map of emissivity, ambient, absolute_zero and stefan_boltzmann");
    RITZ_TRY(ritz_read_map(node, "radiation", keys, RITZ_N_KEYS(keys), term, context));
    const ritz_quantity *q = term->component;
    RITZ_REQUIRE_AT(!q[0].constant || ritz_data_within(&ritz_emissivity, q[0].value), &q[0].place,
                    "'emissivity' must be %s; got %g", ritz_emissivity.words, q[0].value);
    RITZ_REQUIRE_AT(q[2].constant, &q[2].place,
                    "'absolute_zero' is a number: what the absolute zero is in the temperatures of the problem, "
                    "-273.15 in degrees Celsius, 0 in kelvin");
    RITZ_REQUIRE_AT(!q[1].constant || q[1].value >= q[2].value, &q[1].place,
                    "'ambient' is %g, below the absolute zero of %g", q[1].value, q[2].value);
    RITZ_REQUIRE_AT(q[3].constant && q[3].value > 0, &q[3].place,
                    "'stefan_boltzmann' is a number greater than 0: 5.670374e-8 in W/(m2 K4), 5.670374e-11 where "
                    "lengths are mm and powers mW");
    term->n = 4;
    term->place = node->place;
done:
    return status;
}

/* A force, a moment or a point: numbers, one for each axis, or one alone. */
static ritz_status read_total(const ritz_node *node, const ritz_key *key, ritz_vector *term, bool one)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(one ? ritz_read_scalar(node, key, term, NULL) : read_load(node, key, term));
    for (int c = 0; c < term->n; c++)
        RITZ_REQUIRE_AT(term->component[c].constant, &term->component[c].place,
                        "'%s' is given in total and takes numbers, like  %s; what varies with the place is a traction",
                        key->name, key->example);
done:
    return status;
}

/* A stiffness for all axes or one for each; axes with 0 or without one have none. */
static ritz_status read_stiffness(const ritz_node *node, const ritz_key *key, ritz_vector *term, bool in_total)
{
    static const ritz_data_bounds stiffness = {-DBL_TRUE_MIN, INFINITY, "0 or greater"};
    ritz_status status = RITZ_OK;
    bool any = false;
    RITZ_TRY(node->kind == RITZ_NODE_SCALAR ? ritz_read_quantity(node, key, &term->component[0], NULL)
                                            : ritz_read_components(node, key, term, NULL));
    for (int c = 1; node->kind == RITZ_NODE_SCALAR && c < key->most; c++)
        RITZ_TRY(ritz_read_quantity(node, key, &term->component[c], NULL));
    term->n = key->most;
    term->place = node->place;
    for (int c = 0; c < term->n; c++) {
        ritz_quantity *q = &term->component[c];
        if (!q->expression)
            continue;
        RITZ_REQUIRE_AT(q->constant || !in_total, &q->place,
                        "'%s' is given in total and takes numbers, like  %s; what varies with the place is a bedding",
                        key->name, key->example);
        RITZ_REQUIRE_AT(!q->constant || ritz_data_within(&stiffness, q->value), &q->place, "'%s' must be %s; got %g",
                        key->name, stiffness.words, q->value);
        if (q->constant && q->value == 0)
            ritz_quantity_free(q);
        any = any || q->expression;
    }
    RITZ_REQUIRE_AT(any, &node->place, "all stiffnesses of '%s' are 0; give for example  %s", key->name, key->example);
done:
    return status;
}

static ritz_status read_term(const ritz_node *node, const ritz_key *plain, void *target, void *context)
{
    const ritz_physics *physics = ((const ritz_problem *)context)->physics;
    ritz_boundary *entry = target;
    ritz_key own = *plain;
    const ritz_key *key = &own;
    int k = 0;
    while (strcmp(physics->boundary[k].name, key->name) != 0)
        k++;
    if (entry->system)
        own.components = ritz_frame_components(entry->system);
    if (physics->boundary[k].hydrostatic)
        return ritz_read_hydrostatic(node, key, &entry->term[k], (void *)physics);
    if (physics->boundary[k].kind == RITZ_BOUNDARY_FILM)
        return read_film(node, key, &entry->term[k], context);
    if (physics->boundary[k].kind == RITZ_BOUNDARY_RADIATION)
        return read_radiation(node, key, &entry->term[k], context);
    const bool scalar = !physics->vector && physics->n_components <= 1;
    if (ritz_is_total(physics->boundary[k].kind))
        return read_total(node, key, &entry->term[k],
                          scalar || (physics->dim == 2 && physics->boundary[k].kind == RITZ_BOUNDARY_MOMENT));
    if (ritz_is_stiffness(physics->boundary[k].kind))
        return read_stiffness(node, key, &entry->term[k], physics->boundary[k].kind == RITZ_BOUNDARY_SPRING);
    if (scalar || physics->boundary[k].kind == RITZ_BOUNDARY_PRESSURE ||
        physics->boundary[k].kind == RITZ_BOUNDARY_NORMAL)
        return ritz_read_scalar(node, key, &entry->term[k], context);
    if (physics->boundary[k].kind == RITZ_BOUNDARY_VALUE)
        return read_fixed(node, key, &entry->term[k], entry);
    return read_load(node, key, &entry->term[k]);
}

static bool entry_is_empty(const ritz_boundary *entry)
{
    for (int k = 0; k < RITZ_MAX_BOUNDARY_KEYS; k++)
        if (entry->term[k].n)
            return false;
    return !entry->fixed;
}

bool ritz_prescribes(const ritz_physics *physics, const ritz_boundary *entry)
{
    for (int k = 0; k < physics->n_boundary; k++)
        if ((physics->boundary[k].kind == RITZ_BOUNDARY_VALUE || physics->boundary[k].kind == RITZ_BOUNDARY_NORMAL) &&
            entry->term[k].n)
            return true;
    return entry->fixed;
}

/* What turns from place to place has no sum with a direction. */
static ritz_status check_system(const ritz_physics *physics, const ritz_boundary *entry)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < physics->n_boundary; k++)
        RITZ_REQUIRE_AT(!entry->system || !entry->term[k].n || physics->boundary[k].kind == RITZ_BOUNDARY_VALUE ||
                            physics->boundary[k].kind == RITZ_BOUNDARY_LOAD ||
                            physics->boundary[k].kind == RITZ_BOUNDARY_PRESSURE ||
                            physics->boundary[k].kind == RITZ_BOUNDARY_NORMAL,
                        &entry->place,
                        "'%s' takes its components along x, y and z; put it into an entry without 'system'",
                        physics->boundary[k].name);
done:
    return status;
}

/* A point is that of a force. */
static ritz_status check_point(const ritz_physics *physics, const ritz_boundary *entry)
{
    ritz_status status = RITZ_OK;
    const ritz_boundary_key *point = ritz_find_boundary(physics, RITZ_BOUNDARY_POINT),
                            *force = ritz_find_boundary(physics, RITZ_BOUNDARY_FORCE);
    if (point && entry->term[point - physics->boundary].n)
        RITZ_REQUIRE_AT(entry->term[force - physics->boundary].n, &entry->place,
                        "'%s' says where a force acts, and there is none; add for example  %s, or remove it: a moment "
                        "needs no point",
                        point->name, RITZ_EXAMPLE(force, physics->dim));
done:
    return status;
}

static ritz_status read_boundary_entry(const ritz_node *node, ritz_problem *problem, ritz_boundary *entry)
{
    enum { GROUP_KEYS = 3 };
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = problem->physics;
    ritz_key keys[GROUP_KEYS + RITZ_MAX_BOUNDARY_KEYS] = {
        {.name = "group", .read = ritz_read_names, .offset = offsetof(ritz_boundary, groups), .example = "group: base"},
        {.name = "groups",
         .read = ritz_read_names,
         .offset = offsetof(ritz_boundary, groups),
         .example = "groups: [base, side]"},
        {.name = "system",
         .read = ritz_read_frame_name,
         .offset = offsetof(ritz_boundary, system),
         .example = "system: bore"}};
    for (int k = 0; k < physics->n_boundary; k++) {
        const ritz_boundary_key *term = &physics->boundary[k];
        keys[GROUP_KEYS + k] = unknown_key(term->name, RITZ_EXAMPLE(term, physics->dim), physics);
        keys[GROUP_KEYS + k].read = read_term;
    }
    char what[80];
    snprintf(what, sizeof what, "a boundary entry of %s", physics->name);
    entry->place = node->place;
    RITZ_TRY(ritz_read_map(node, what, keys, GROUP_KEYS + physics->n_boundary, entry, problem));
    RITZ_REQUIRE_AT(entry->groups.n > 0, &node->place, "%s has no 'group'; add for example  %s", what, keys[0].example);
    RITZ_REQUIRE_AT(
        !entry->system || physics->vector, &node->place,
        "'system' turns the components of vectors, and what a boundary entry of %s holds has none; remove it",
        physics->name);
    RITZ_TRY(check_point(physics, entry));
    RITZ_TRY(check_system(physics, entry));
    RITZ_REQUIRE_AT(!entry_is_empty(entry), &node->place, "%s prescribes nothing; add for example  %s", what,
                    keys[GROUP_KEYS].example);
done:
    return status;
}

ritz_status ritz_read_boundary(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_loads *loads = target;
    if (node->kind == RITZ_NODE_SCALAR || node->n == 0)
        return ritz_wrong_type(node, key, "a list of maps");
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    RITZ_NEW(loads->boundary, n);
    loads->n_boundary = n;
    for (int i = 0; i < n; i++)
        RITZ_TRY(
            read_boundary_entry(node->kind == RITZ_NODE_LIST ? node->values[i] : node, context, &loads->boundary[i]));
done:
    return status;
}

/* ---- Loads of the whole body, and the known solution ---- */

static ritz_status refuse_body_load(const ritz_node *node, const ritz_key *key, const ritz_physics *physics)
{
    int p = 0;
    while (p < physics->n_properties && !physics->properties[p].load)
        p++;
    if (p == physics->n_properties)
        return ritz_fail_at(RITZ_ERROR_INPUT, &node->place, "'%s' has no meaning in %s; remove it", key->name,
                            physics->name);
    return ritz_fail_at(
        RITZ_ERROR_INPUT, &node->place,
        "'%s' has no meaning in %s; a load on cells belongs in a material, or in the 'body' of a case:  %s", key->name,
        physics->name, RITZ_EXAMPLE(&physics->properties[p], physics->dim));
}

static ritz_status read_body_load(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = context;
    const ritz_physics *physics = problem->physics;
    ritz_loads *loads = target;
    const int k = ritz_find_body_load(physics, key->name);
    if (k < 0)
        return refuse_body_load(node, key, physics);
    const ritz_body_load *load = &physics->body_loads[k];
    const ritz_key sized = ritz_axes_key(key->name, RITZ_EXAMPLE(load, physics->dim), physics);
    const bool vector = physics->properties[ritz_find_property(physics, load->property)].vector;
    RITZ_TRY(load->rotation ? ritz_read_rotation(node, &sized, &loads->body[k], (void *)physics)
             : vector       ? ritz_read_components(node, &sized, &loads->body[k], context)
             : load->nodal  ? ritz_read_nodal(node, &sized, &loads->body[k], context)
                            : ritz_read_scalar(node, &sized, &loads->body[k], context));
    const ritz_quantity *radial = &loads->body[k].component[0];
    RITZ_REQUIRE_AT(!physics->axisymmetric || !vector || load->rotation || !radial->constant || radial->value == 0,
                    &node->place, "'%s' of a ring is along its axis, y; give for example  %s", key->name,
                    RITZ_EXAMPLE(load, physics->dim));
    const int times = load->times ? ritz_find_property(physics, load->times) : -1;
    for (int i = 0; times >= 0 && i < problem->n_materials; i++)
        RITZ_REQUIRE_AT(problem->materials[i].property[times].n, &problem->materials[i].place,
                        "a material has no '%s', which %s acts on; add for example  %s", load->times, key->name,
                        physics->properties[times].example);
done:
    return status;
}

int ritz_body_load_keys(size_t offset, ritz_key *keys)
{
    int n = 0;
    for (int i = 0; ritz_physics_at(i); i++)
        for (int k = 0; k < ritz_physics_at(i)->n_body_loads; k++) {
            const ritz_body_load *load = &ritz_physics_at(i)->body_loads[k];
            int known = 0;
            while (known < n && strcmp(keys[known].name, load->name) != 0)
                known++;
            if (known == n)
                keys[n++] =
                    (ritz_key){.name = load->name, .read = read_body_load, .offset = offset, .example = load->example};
        }
    return n;
}

ritz_status ritz_read_exact(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = context;
    ritz_vector *exact = target;
    const int n = ritz_physics_components(problem->physics, problem->physics->dim);
    exact->place = node->place;
    if (node->kind == RITZ_NODE_SCALAR && n == 1) {
        exact->n = 1;
        return ritz_read_quantity(node, key, &exact->component[0], context);
    }
    RITZ_REQUIRE_AT(node->kind == RITZ_NODE_LIST && node->n == n, &node->place,
                    "'%s' takes %d expression%s of x, y, z in %s, like  %s: %s", key->name, n, n > 1 ? "s" : "",
                    problem->physics->name, key->name,
                    n == 1   ? "\"sin(x)\""
                    : n == 2 ? "[\"x\", \"-0.3*y\"]"
                    : n == 3 ? "[\"x\", \"-0.3*y\", \"-0.3*z\"]"
                             : "[\"x\", \"-0.3*y\", ...]");
    for (int c = 0; c < n; c++)
        RITZ_TRY(ritz_read_quantity(node->values[c], key, &exact->component[c], context));
    exact->n = n;
done:
    return status;
}
