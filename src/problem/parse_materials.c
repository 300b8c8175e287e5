/* The keys of materials, and of loads on cells, which are properties, too. */
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

ritz_status ritz_read_scalar(const ritz_node *node, const ritz_key *key, ritz_vector *vector, void *context)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_read_quantity(node, key, &vector->component[0], context));
    vector->n = 1;
    vector->place = node->place;
done:
    return status;
}

ritz_key ritz_axes_key(const char *name, const char *example, const ritz_physics *physics)
{
    return (ritz_key){
        .name = name, .example = example, .least = physics->dim == 3 ? 3 : 2, .most = physics->dim == 2 ? 2 : 3};
}

/* A component for each name of the property, or one for all. */
static ritz_status read_named(const ritz_node *node, const ritz_key *plain, const ritz_property *property,
                              ritz_vector *vector, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_key key = *plain;
    key.components = property->components;
    key.least = key.most = 0;
    while (property->components[key.most])
        key.least = ++key.most;
    if ((node->kind != RITZ_NODE_SCALAR && !ritz_is_table(node)) || !property->one_for_all)
        return ritz_read_components(node, &key, vector, context);
    vector->place = node->place;
    vector->n = key.most;
    for (int c = 0; c < key.most; c++)
        RITZ_TRY(ritz_read_quantity(node, &key, &vector->component[c], context));
done:
    return status;
}

/* A quantity for each axis, or one for all. */
static ritz_status read_vector(const ritz_node *node, const ritz_key *key, const ritz_property *property,
                               ritz_vector *vector, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_data_bounds *bounds = ritz_property_bounds(property);
    if (property->one_for_all && (node->kind == RITZ_NODE_SCALAR || ritz_is_table(node))) {
        for (int c = 0; c < key->most; c++)
            RITZ_TRY(ritz_read_quantity(node, key, &vector->component[c], context));
        vector->n = key->least; /* as many as any mesh has axes */
        vector->place = node->place;
    } else {
        RITZ_TRY(ritz_read_components(node, key, vector, context));
    }
    for (int c = 0; c < key->most; c++) {
        const ritz_quantity *q = &vector->component[c];
        RITZ_REQUIRE_AT(!q->expression || !q->constant || ritz_data_within(bounds, q->value), &q->place,
                        "'%s' must be %s; got %g", key->name, bounds->words, q->value);
    }
done:
    return status;
}

static ritz_status check_whole(const ritz_property *property, const ritz_vector *vector)
{
    ritz_status status = RITZ_OK;
    for (int c = 0; property->components[c]; c++)
        RITZ_REQUIRE_AT(!property->whole || vector->component[c].expression, &vector->place,
                        "'%s' has no value for %s; give one for each of its components", property->name,
                        property->components[c]);
done:
    return status;
}

static ritz_status read_property(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = context;
    ritz_vector *vector = target;
    const ritz_property *property = &problem->physics->properties[ritz_find_property(problem->physics, key->name)];
    if (property->vector)
        return read_vector(node, key, property, vector, context);
    if (property->components[0] && !(property->one_alone && (node->kind == RITZ_NODE_SCALAR || ritz_is_table(node)))) {
        RITZ_TRY(read_named(node, key, property, vector, context));
        return check_whole(property, vector);
    }
    RITZ_TRY(ritz_read_scalar(node, key, vector, context));
    const ritz_quantity *q = &vector->component[0];
    const ritz_data_bounds *bounds = ritz_property_bounds(property);
    RITZ_REQUIRE_AT(!q->constant || ritz_data_within(bounds, q->value), &node->place, "'%s' must be %s; got %g",
                    key->name, bounds->words, q->value);
done:
    return status;
}

static ritz_key property_key(const ritz_physics *physics, int p)
{
    const ritz_property *property = &physics->properties[p];
    ritz_key key = ritz_axes_key(property->name, RITZ_EXAMPLE(property, physics->dim), physics);
    key.read = read_property;
    key.of_temperature =
        property->of_unknown || (ritz_find_role(physics, RITZ_ROLE_TEMPERATURE) >= 0 && !property->load &&
                                 property->role != RITZ_ROLE_TEMPERATURE && property->role != RITZ_ROLE_REFERENCE);
    key.offset = offsetof(ritz_material, property) + (size_t)p * sizeof(ritz_vector);
    return key;
}

/* Properties of one group: a map of them, or all of them in a list. What a map leaves out is 0. */
static ritz_status read_property_group(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = ((const ritz_problem *)context)->physics;
    ritz_material *material = target;
    ritz_key keys[RITZ_MAX_PROPERTIES];
    int n = 0, first = 0;
    while (!physics->properties[first].group || strcmp(physics->properties[first].group->name, key->name) != 0)
        first++;
    for (; physics->properties[first + n].group == physics->properties[first].group; n++)
        keys[n] = property_key(physics, first + n);
    if (node->kind == RITZ_NODE_MAP)
        RITZ_TRY(ritz_read_map(node, key->name, keys, n, material, context));
    else
        RITZ_REQUIRE_AT(node->kind == RITZ_NODE_LIST && node->n == n, &node->place,
                        "'%s' takes a map, or a list of all %d values, %s to %s; like  %s", key->name, n, keys[0].name,
                        keys[n - 1].name, key->example);
    for (int k = 0; k < n; k++) {
        ritz_vector *value = &material->property[first + k];
        if (node->kind == RITZ_NODE_LIST)
            RITZ_TRY(read_property(node->values[k], &keys[k], value, context));
        else if (!value->n)
            RITZ_TRY(ritz_quantity_create("0", node->place, &value->component[0]));
        value->n = 1;
    }
done:
    return status;
}

static ritz_status read_formulation(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const char *const names[] = {"standard", "mixed", "incompatible", "reduced", "reduced-calculix"};
    static const ritz_name_table choices = {.what = "formulation", .names = names, .n = RITZ_N_ENHANCEMENTS};
    (void)context;
    ritz_material *material = target;
    int value = 0;
    const ritz_status status = ritz_read_choice(node, key, &choices, &value);
    material->formulation = (ritz_enhancement_kind)value;
    material->formulation_place = node->place;
    return status;
}

void ritz_count_components(const ritz_physics *physics, const ritz_material *material, int n[RITZ_MAX_PROPERTIES])
{
    for (int p = 0; p < physics->n_properties; p++)
        n[p] = material->property[p].n;
}

static const ritz_vector none;

const ritz_vector *ritz_property_of(const ritz_physics *physics, const ritz_material *material, ritz_role role)
{
    const int p = ritz_find_role(physics, role);
    return p < 0 ? &none : &material->property[p];
}

const ritz_vector *ritz_body_load_of(const ritz_physics *physics, const ritz_loads *loads, ritz_role role)
{
    const int k = ritz_find_role_load(physics, role);
    return k < 0 ? &none : &loads->body[k];
}

/* ---- Materials by name ---- */

ritz_status ritz_read_units(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const char *const names[] = {"m-N-Pa", "mm-N-MPa"};
    static const ritz_name_table choices = {.what = "system of units", .names = names, .n = 2};
    (void)context;
    ritz_problem *problem = target;
    int value = 0;
    const ritz_status status = ritz_read_choice(node, key, &choices, &value);
    problem->units = (ritz_units)value;
    problem->has_units = true;
    problem->units_place = node->place;
    return status;
}

static ritz_status find_known(const ritz_node *node, const ritz_known_material **known)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int n = 0, value = 0;
    for (; n < MOST && ritz_known_material_at(n); n++)
        names[n] = ritz_known_material_at(n)->name;
    const ritz_status status =
        ritz_find_name(&(ritz_name_table){.what = "material", .names = names, .n = n}, node->text, &value);
    *known = ritz_known_material_at(value);
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &node->place);
}

/* Whether properties are given that stand in the place of this one. */
static bool is_replaced(const ritz_physics *physics, const ritz_material *material, const ritz_property *property)
{
    for (int p = 0; property->instead && p < physics->n_properties; p++)
        if (physics->properties[p].group == property->instead && material->property[p].n)
            return true;
    return false;
}

/* The properties of a material of the library that are not given beside its name. */
static ritz_status read_known(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = context;
    const ritz_physics *physics = problem->physics;
    ritz_material *material = target;
    const ritz_known_material *known = NULL;
    char number[40];
    double value;
    if (node->kind != RITZ_NODE_SCALAR)
        return ritz_wrong_type(node, key, "a name of those that  ritz materials  lists");
    RITZ_TRY(find_known(node, &known));
    problem->names_material = true;
    for (int p = 0; p < physics->n_properties; p++) {
        const ritz_property *property = &physics->properties[p];
        ritz_vector *own = &material->property[p];
        if (own->n || is_replaced(physics, material, property) ||
            !ritz_known_property(known, property->name, problem->units, &value))
            continue;
        const int n = property->one_for_all ? 3 : 1;
        snprintf(number, sizeof number, "%.15g", value);
        for (int c = 0; c < n; c++)
            RITZ_TRY(ritz_quantity_create(number, node->place, &own->component[c]));
        own->n = n;
        own->place = node->place;
    }
    for (int p = 0; p < physics->n_properties; p++)
        RITZ_REQUIRE_AT(material->property[p].n || !physics->properties[p].required ||
                            is_replaced(physics, material, &physics->properties[p]),
                        &node->place, "the library knows no '%s' of %s; add for example  %s",
                        physics->properties[p].name, known->name, physics->properties[p].example);
done:
    return status;
}

/* What no property by itself can tell. */
static ritz_status check_material(const ritz_physics *physics, const ritz_material *material)
{
    int n[RITZ_MAX_PROPERTIES];
    ritz_count_components(physics, material, n);
    const ritz_status status = physics->check_material ? physics->check_material(n) : RITZ_OK;
    return status == RITZ_OK ? status : ritz_fail_context_at(status, &material->place);
}

/* A material knows the properties of its physics, a load on cells those of them that are loads. */
static ritz_status read_material(const ritz_node *node, ritz_problem *problem, bool loads, ritz_material *material)
{
    ritz_status status = RITZ_OK;
    ritz_key keys[RITZ_MAX_PROPERTIES + 5];
    char what[64];
    int n = 0;
    const ritz_physics *physics = problem->physics;
    const bool known = node->kind == RITZ_NODE_MAP && ritz_node_find(node, "material") >= 0;
    static const char *const names[2] = {"group", "groups"};
    for (int i = 0; i < 2; i++)
        keys[n++] = (ritz_key){.name = names[i],
                               .read = ritz_read_names,
                               .offset = offsetof(ritz_material, groups),
                               .example = "group: body"};
    for (int p = 0; p < physics->n_properties; p++) {
        const ritz_property *property = &physics->properties[p];
        const ritz_property_group *group = property->group, *instead = property->instead;
        if ((loads && !property->load) || (group && p > 0 && physics->properties[p - 1].group == group))
            continue;
        keys[n] = property_key(physics, p);
        if (group)
            keys[n] = (ritz_key){.name = group->name, .read = read_property_group, .example = group->example};
        keys[n++].required = property->required && !known && !(instead && ritz_node_find(node, instead->name) >= 0);
    }
    if (physics->mix && !loads)
        keys[n++] = (ritz_key){.name = "formulation", .read = read_formulation, .example = "formulation: mixed"};
    if (physics->is_general && !loads)
        keys[n++] = (ritz_key){.name = "orientation",
                               .read = ritz_read_orientation,
                               .offset = offsetof(ritz_material, orientation),
                               .example = "orientation: fibre"};
    if (!loads) /* last: it fills in what the others leave open */
        keys[n++] = (ritz_key){.name = "material", .read = read_known, .example = "material: steel"};
    material->place = node->place;
    snprintf(what, sizeof what, "a %s of %s", loads ? "body load" : "material", physics->name);
    RITZ_TRY(ritz_read_map(node, what, keys, n, material, problem));
    if (!loads)
        RITZ_TRY(check_material(physics, material));
done:
    return status;
}

/* The physics that serves all materials. */
static void choose_physics(ritz_problem *problem)
{
    const ritz_physics *physics = problem->physics;
    int n[RITZ_MAX_PROPERTIES];
    for (int m = 0; m < problem->n_materials && physics->is_general; m++) {
        ritz_count_components(physics, &problem->materials[m], n);
        if (physics->is_general(n, problem->materials[m].orientation))
            problem->physics = physics->general;
    }
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
        RITZ_REQUIRE_AT(
            material->groups.n || alone < 0, &material->place,
            "two materials have no 'group' and both would apply to all cells; add for example  group: body");
        if (!material->groups.n)
            alone = i;
    }
    choose_physics(problem);
    RITZ_TRY(ritz_check_formulations(problem));
done:
    return status;
}

ritz_status ritz_read_body(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = context;
    ritz_load_case *c = target;
    if (node->kind == RITZ_NODE_SCALAR || node->n == 0)
        return ritz_wrong_type(node, key, "a list of maps");
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    RITZ_NEW(c->body, n);
    c->n_body = n;
    for (int i = 0; i < n; i++) {
        RITZ_TRY(read_material(node->kind == RITZ_NODE_LIST ? node->values[i] : node, context, true, &c->body[i]));
        RITZ_REQUIRE_AT(ritz_has_loads(problem->physics, &c->body[i]), &c->body[i].place,
                        "a body load has no load; add for example  %s", key->example);
    }
done:
    return status;
}

bool ritz_has_loads(const ritz_physics *physics, const ritz_material *material)
{
    for (int p = 0; p < physics->n_properties; p++)
        if (physics->properties[p].load && material->property[p].n)
            return true;
    return false;
}

void ritz_take_loads(const ritz_physics *physics, ritz_material *material, const ritz_material *from)
{
    for (int p = 0; p < physics->n_properties; p++)
        if (physics->properties[p].load)
            material->property[p] = from ? from->property[p] : (ritz_vector){0};
}
