/* The keys of materials, supports and loads: at the top level of the problem file, and in its cases. */
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

/* ---- Materials and loads of cells ---- */

static ritz_status read_property(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_vector *vector = target;
    const ritz_property *property =
        &ritz_properties[(key->offset - offsetof(ritz_material, property)) / sizeof(ritz_vector)];
    if (property->n > 1)
        return ritz_read_components(node, key, vector, context);
    RITZ_TRY(ritz_read_quantity(node, key, &vector->component[0], context));
    vector->n = 1;
    vector->place = node->place;
    const ritz_quantity *q = &vector->component[0];
    const ritz_data_bounds *bounds = ritz_data_bounds_of(property->name);
    RITZ_REQUIRE_AT(!q->constant || ritz_data_within(bounds, q->value), &node->place, "'%s' must be %s; got %g",
                    key->name, bounds->words, q->value);
done:
    return status;
}

static bool is_load(int property)
{
    return property == RITZ_FORCE || property == RITZ_SOURCE || property >= RITZ_F0;
}

/* A material knows the properties of its physics, a load on cells those of them that are loads. */
static ritz_status read_material(const ritz_node *node, ritz_problem *problem, bool loads, ritz_material *material)
{
    ritz_key keys[RITZ_N_PROPERTIES + 2];
    char what[64];
    int n = 0;
    static const char *const names[2] = {"group", "groups"};
    for (int i = 0; i < 2; i++)
        keys[n++] = (ritz_key){.name = names[i],
                               .read = ritz_read_names,
                               .offset = offsetof(ritz_material, groups),
                               .example = "group: body"};
    for (int p = 0; p < RITZ_N_PROPERTIES; p++)
        if (ritz_properties[p].physics & problem->physics->bit && (!loads || is_load(p)))
            keys[n++] = (ritz_key){.name = ritz_properties[p].name,
                                   .read = read_property,
                                   .offset = offsetof(ritz_material, property) + (size_t)p * sizeof(ritz_vector),
                                   .example = ritz_properties[p].example,
                                   .required = (ritz_properties[p].required & problem->physics->bit) != 0,
                                   .least = problem->physics->dim == 3 ? 3 : 2,
                                   .most = problem->physics->dim == 2 ? 2 : 3};
    material->place = node->place;
    snprintf(what, sizeof what, "a %s of %s", loads ? "body load" : "material", problem->physics->name);
    return ritz_read_map(node, what, keys, n, material, problem);
}

ritz_status ritz_read_materials(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    if (node->kind == RITZ_NODE_SCALAR || node->n == 0)
        return ritz_wrong_type(node, key, "a list of maps");
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    RITZ_NEW(problem->materials, n);
    problem->n_materials = n;
    int alone = -1;
    for (int i = 0; i < n; i++) {
        ritz_material *material = &problem->materials[i];
        RITZ_TRY(read_material(node->kind == RITZ_NODE_LIST ? node->values[i] : node, context, false, material));
        RITZ_REQUIRE_AT(material->groups.n || alone < 0, &material->place,
                        "two materials have no 'group' and both would serve all cells; add for example  group: body");
        if (!material->groups.n)
            alone = i;
    }
done:
    return status;
}

ritz_status ritz_read_body(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_load_case *c = target;
    if (node->kind == RITZ_NODE_SCALAR || node->n == 0)
        return ritz_wrong_type(node, key, "a list of maps");
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    RITZ_NEW(c->body, n);
    c->n_body = n;
    for (int i = 0; i < n; i++) {
        RITZ_TRY(read_material(node->kind == RITZ_NODE_LIST ? node->values[i] : node, context, true, &c->body[i]));
        RITZ_REQUIRE_AT(ritz_has_loads(&c->body[i]), &c->body[i].place, "a body load has no load; add for example  %s",
                        key->example);
    }
done:
    return status;
}

bool ritz_has_loads(const ritz_material *material)
{
    for (int p = 0; p < RITZ_N_PROPERTIES; p++)
        if (is_load(p) && material->property[p].n)
            return true;
    return false;
}

void ritz_take_loads(ritz_material *material, const ritz_material *from)
{
    for (int p = 0; p < RITZ_N_PROPERTIES; p++)
        if (is_load(p))
            material->property[p] = from ? from->property[p] : (ritz_vector){0};
}

/* ---- Boundary ---- */

static ritz_status read_displacement(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_boundary *entry = target;
    for (int c = 0; node->kind != RITZ_NODE_SCALAR && c < node->n; c++) {
        const ritz_node *value = node->values[c];
        if (value->kind == RITZ_NODE_SCALAR && (!strcmp(value->text, "fixed") || !strcmp(value->text, "free")))
            return ritz_fail_at(RITZ_ERROR_INPUT, &value->place,
                                "'%s' holds for all axes alone; of one axis, 0 holds it and ~ leaves it free, like  "
                                "displacement: [0, ~]",
                                value->text);
    }
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_read_components(node, key, &entry->displacement, context);
    if (strcmp(node->text, "fixed") != 0)
        return ritz_wrong_type(node, key, "a list, a map of x, y, z, or the word fixed");
    entry->fixed = true;
    return RITZ_OK;
}

enum { GROUP_KEYS = 2, MECHANICS_KEYS = 3 };

static ritz_status read_boundary_entry(const ritz_node *node, ritz_problem *problem, ritz_boundary *entry)
{
    ritz_status status = RITZ_OK;
    const bool mechanics = problem->physics->bit & RITZ_MECHANICS;
    const int dim = problem->physics->dim;
    const ritz_key keys[] = {
        {.name = "group",
         .read = ritz_read_names,
         .offset = offsetof(ritz_boundary, groups),
         .example = "group: bolts"},
        {.name = "groups",
         .read = ritz_read_names,
         .offset = offsetof(ritz_boundary, groups),
         .example = "groups: [bolts, base]"},
        {.name = "displacement",
         .read = read_displacement,
         .example = dim == 2 ? "displacement: {x: 0, y: 0}" : "displacement: {x: 0, y: 0, z: 0}",
         .least = dim,
         .most = dim},
        {.name = "traction",
         .read = ritz_read_components,
         .offset = offsetof(ritz_boundary, traction),
         .example = dim == 2 ? "traction: [0, -1e6]" : "traction: [0, 0, -1e6]",
         .least = dim,
         .most = dim},
        {.name = "pressure",
         .read = ritz_read_quantity,
         .offset = offsetof(ritz_boundary, pressure),
         .example = "pressure: 2e5"},
        {.name = "group", .read = ritz_read_names, .offset = offsetof(ritz_boundary, groups), .example = "group: hot"},
        {.name = "groups",
         .read = ritz_read_names,
         .offset = offsetof(ritz_boundary, groups),
         .example = "groups: [x0, x1]"},
        {.name = "value", .read = ritz_read_quantity, .offset = offsetof(ritz_boundary, value), .example = "value: 0"},
        {.name = "flux", .read = ritz_read_quantity, .offset = offsetof(ritz_boundary, flux), .example = "flux: 100"},
    };
    const int first = mechanics ? 0 : GROUP_KEYS + MECHANICS_KEYS;
    const int n = mechanics ? GROUP_KEYS + MECHANICS_KEYS : RITZ_N_KEYS(keys) - first;
    char what[80];
    snprintf(what, sizeof what, "a boundary entry of %s", problem->physics->name);
    entry->place = node->place;
    RITZ_TRY(ritz_read_map(node, what, keys + first, n, entry, problem));
    RITZ_REQUIRE_AT(entry->groups.n > 0, &node->place, "%s has no 'group'; add for example  %s", what,
                    keys[first].example);
    RITZ_REQUIRE_AT(entry->fixed || entry->displacement.n || entry->traction.n || entry->pressure.expression ||
                        entry->value.expression || entry->flux.expression,
                    &node->place, "%s prescribes nothing; add for example  %s", what, keys[first + GROUP_KEYS].example);
    for (int d = 0; entry->traction.n && d < dim; d++)
        if (!entry->traction.component[d].expression)
            RITZ_TRY(ritz_quantity_create("0", entry->traction.place, &entry->traction.component[d]));
    entry->traction.n = entry->traction.n ? dim : 0;
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

ritz_status ritz_read_gravity(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = context;
    const int dim = problem->physics->dim;
    RITZ_REQUIRE_AT(problem->physics->bit & RITZ_MECHANICS, &node->place, "'gravity' has no meaning in %s; remove it",
                    problem->physics->name);
    const ritz_key sized = {
        .name = key->name, .example = dim == 2 ? "gravity: [0, -9.81]" : key->example, .least = dim, .most = dim};
    RITZ_TRY(ritz_read_components(node, &sized, target, context));
    for (int i = 0; i < problem->n_materials; i++)
        RITZ_REQUIRE_AT(problem->materials[i].property[RITZ_DENSITY].n, &problem->materials[i].place,
                        "a material has no 'density', which gravity acts on; add for example  density: 7850");
done:
    return status;
}

ritz_status ritz_read_source(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    const ritz_problem *problem = context;
    if (problem->physics->bit & RITZ_MECHANICS)
        return ritz_fail_at(
            RITZ_ERROR_INPUT, &node->place,
            "'source' has no meaning in %s; a body force stands in a material, or in a case in its 'body':  "
            "force: [0, 0, -1e3]",
            problem->physics->name);
    return ritz_read_quantity(node, key, target, context);
}

ritz_status ritz_read_exact(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = context;
    ritz_vector *exact = target;
    const bool mechanics = problem->physics->bit & RITZ_MECHANICS;
    const int n = mechanics ? problem->physics->dim : 1;
    exact->place = node->place;
    if (node->kind == RITZ_NODE_SCALAR && n == 1) {
        exact->n = 1;
        return ritz_read_quantity(node, key, &exact->component[0], context);
    }
    RITZ_REQUIRE_AT(node->kind == RITZ_NODE_LIST && node->n == n, &node->place,
                    "'exact' takes %d expression%s of x, y, z in %s, like  exact: %s", n, n > 1 ? "s" : "",
                    problem->physics->name,
                    n == 1   ? "\"sin(x)\""
                    : n == 2 ? "[\"x\", \"-0.3*y\"]"
                             : "[\"x\", \"-0.3*y\", \"-0.3*z\"]");
    for (int c = 0; c < n; c++)
        RITZ_TRY(ritz_read_quantity(node->values[c], key, &exact->component[c], context));
    exact->n = n;
done:
    return status;
}
