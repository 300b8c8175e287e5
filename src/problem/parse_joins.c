/* The keys of ties, rigid faces and equations. */
#include "problem/joins.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static int length_of(const ritz_node *node)
{
    return node->kind == RITZ_NODE_LIST ? node->n : 1;
}

static const ritz_node *item_of(const ritz_node *node, int i)
{
    return node->kind == RITZ_NODE_LIST ? node->values[i] : node;
}

static ritz_status check_list(const ritz_node *node, const ritz_key *key)
{
    return node->kind == RITZ_NODE_SCALAR || node->n == 0 ? ritz_wrong_type(node, key, "a map or a list of maps")
                                                          : RITZ_OK;
}

/* ---- Ties ---- */

static ritz_status check_tie(const ritz_tie *tie)
{
    ritz_status status = RITZ_OK;
    for (int f = 0; f < tie->from.n; f++)
        for (int t = 0; t < tie->to.n; t++)
            RITZ_REQUIRE_AT(strcmp(tie->from.name[f], tie->to.name[t]) != 0, &tie->from.places[f],
                            "'%s' cannot be tied to itself; name other faces in 'from' or 'to'", tie->from.name[f]);
done:
    return status;
}

ritz_status ritz_read_ties(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const ritz_key keys[] = {{.name = "from",
                                     .read = ritz_read_names,
                                     .offset = offsetof(ritz_tie, from),
                                     .example = "from: fine",
                                     .required = true},
                                    {.name = "to",
                                     .read = ritz_read_names,
                                     .offset = offsetof(ritz_tie, to),
                                     .example = "to: coarse",
                                     .required = true},
                                    {.name = "tolerance",
                                     .read = ritz_read_positive,
                                     .offset = offsetof(ritz_tie, tolerance),
                                     .example = "tolerance: 1e-3"}};
    ritz_status status = RITZ_OK;
    ritz_joins *joins = target;
    RITZ_TRY(check_list(node, key));
    RITZ_NEW(joins->ties, length_of(node));
    joins->n_ties = length_of(node);
    for (int i = 0; i < joins->n_ties; i++) {
        joins->ties[i].place = item_of(node, i)->place;
        RITZ_TRY(ritz_read_map(item_of(node, i), "a tie", keys, RITZ_N_KEYS(keys), &joins->ties[i], context));
        RITZ_TRY(check_tie(&joins->ties[i]));
    }
done:
    return status;
}

/* ---- Rigid faces ---- */

/* Numbers for the axes that are given; in the plane a rotation is one number, about z. */
static ritz_status read_motion(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = ((const ritz_problem *)context)->physics;
    ritz_vector *motion = target;
    ritz_key own = *key;
    const bool turns = strcmp(key->name, "rotation") == 0;
    own.least = own.most = physics->dim;
    if (physics->dim == 2 && turns) {
        RITZ_TRY(ritz_read_quantity(node, key, &motion->component[0], context));
        motion->n = 1;
        motion->place = node->place;
    } else {
        RITZ_TRY(ritz_read_components(node, &own, motion, context));
    }
    for (int c = 0; c < motion->n; c++) {
        const ritz_quantity *q = &motion->component[c];
        RITZ_REQUIRE_AT(!q->expression || q->constant, &q->place,
                        "'%s' of a rigid face is that of one point and takes numbers, like  %s", key->name,
                        key->example);
        RITZ_REQUIRE_AT(!physics->axisymmetric || q->value == 0 || (c == 1 && !turns), &q->place,
                        "a rigid face of a ring moves along the axis, y, alone: it can neither widen nor turn; give  "
                        "displacement: {y: 1e-4}");
    }
done:
    return status;
}

static ritz_status read_point(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_key own = *key;
    own.least = own.most = ((const ritz_problem *)context)->physics->dim;
    if (own.most == 0) { /* of physics in the plane and in space */
        own.least = 2;
        own.most = 3;
    }
    return ritz_read_reals(node, &own, target, context);
}

ritz_status ritz_read_rigid(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const ritz_key keys[] = {
        {.name = "group", .read = ritz_read_names, .offset = offsetof(ritz_rigid, groups), .example = "group: flange"},
        {.name = "groups",
         .read = ritz_read_names,
         .offset = offsetof(ritz_rigid, groups),
         .example = "groups: [flange, rim]"},
        {.name = "at", .read = read_point, .offset = offsetof(ritz_rigid, at), .example = "at: [0, 0, 0.1]"},
        {.name = "displacement",
         .read = read_motion,
         .offset = offsetof(ritz_rigid, displacement),
         .example = "displacement: {x: 0, z: 1e-4}"},
        {.name = "rotation",
         .read = read_motion,
         .offset = offsetof(ritz_rigid, rotation),
         .example = "rotation: {z: 0.01}"}};
    ritz_status status = RITZ_OK;
    ritz_joins *joins = target;
    const ritz_physics *physics = ((const ritz_problem *)context)->physics;
    RITZ_TRY(check_list(node, key));
    RITZ_REQUIRE_AT(physics->vector, &node->place, "'rigid' has no meaning in %s; remove it", physics->name);
    RITZ_NEW(joins->rigid, length_of(node));
    joins->n_rigid = length_of(node);
    for (int i = 0; i < joins->n_rigid; i++) {
        ritz_rigid *rigid = &joins->rigid[i];
        const ritz_node *item = item_of(node, i);
        rigid->place = item->place;
        RITZ_TRY(ritz_read_map(item, "a rigid face", keys, RITZ_N_KEYS(keys), rigid, context));
        rigid->has_at = ritz_node_find(item, "at") >= 0;
        RITZ_REQUIRE_AT(rigid->groups.n > 0, &rigid->place, "a rigid face has no 'group'; add for example  %s",
                        keys[0].example);
        RITZ_REQUIRE_AT(rigid->has_at || physics->axisymmetric || (!rigid->displacement.n && !rigid->rotation.n),
                        &rigid->place,
                        "a rigid face whose motion is prescribed needs the point that moves so; add for example  %s",
                        keys[2].example);
    }
done:
    return status;
}

/* ---- Equations ---- */

static ritz_status read_linear_term(const ritz_node *node, ritz_problem *problem, ritz_linear_term *term)
{
    static const ritz_key keys[] = {
        {.name = "group",
         .read = ritz_read_names,
         .offset = offsetof(ritz_linear_term, groups),
         .example = "group: tip"},
        {.name = "at", .read = read_point, .offset = offsetof(ritz_linear_term, at), .example = "at: [1, 0, 0]"},
        {.name = "component",
         .read = ritz_read_text,
         .offset = offsetof(ritz_linear_term, component),
         .example = "component: x"},
        {.name = "weight",
         .read = ritz_read_real,
         .offset = offsetof(ritz_linear_term, weight),
         .example = "weight: -1"}};
    ritz_status status = RITZ_OK;
    term->place = node->place;
    term->weight = 1;
    RITZ_TRY(ritz_read_map(node, "a term", keys, RITZ_N_KEYS(keys), term, problem));
    term->has_at = node->kind == RITZ_NODE_MAP && ritz_node_find(node, "at") >= 0;
    RITZ_REQUIRE_AT(term->has_at != (term->groups.n > 0), &term->place,
                    "a term of an equation takes either a 'group' or a point 'at', like  {group: tip, component: x, "
                    "weight: -1}");
    RITZ_REQUIRE_AT(isfinite(term->weight) && term->weight != 0, &term->place,
                    "the weight of a term must be a finite number other than 0");
done:
    return status;
}

static bool are_alike(const ritz_linear_term *a, const ritz_linear_term *b)
{
    const bool same_component =
        a->component && b->component ? strcmp(a->component, b->component) == 0 : a->component == b->component;
    if (!same_component || a->has_at != b->has_at || a->groups.n != b->groups.n)
        return false;
    for (int d = 0; d < 3 && a->has_at; d++)
        if (a->at[d] != b->at[d])
            return false;
    for (int g = 0; g < a->groups.n; g++)
        if (strcmp(a->groups.name[g], b->groups.name[g]) != 0)
            return false;
    return true;
}

static ritz_status read_terms(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_linear_equation *equation = target;
    RITZ_TRY(check_list(node, key));
    RITZ_NEW(equation->terms, length_of(node));
    equation->n_terms = length_of(node);
    for (int i = 0; i < equation->n_terms; i++) {
        RITZ_TRY(read_linear_term(item_of(node, i), context, &equation->terms[i]));
        for (int t = 0; t < i; t++)
            RITZ_REQUIRE_AT(!are_alike(&equation->terms[t], &equation->terms[i]), &equation->terms[i].place,
                            "terms %d and %d of the equation are of the same unknown; make them one, with the sum of "
                            "their weights",
                            t + 1, i + 1);
    }
done:
    return status;
}

ritz_status ritz_read_equations(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const ritz_key keys[] = {
        {.name = "terms",
         .read = read_terms,
         .example = "terms: [{group: a, component: x}, {group: b, component: x, weight: -1}]",
         .required = true},
        {.name = "value",
         .read = ritz_read_real,
         .offset = offsetof(ritz_linear_equation, value),
         .example = "value: 0.001"}};
    ritz_status status = RITZ_OK;
    ritz_joins *joins = target;
    RITZ_TRY(check_list(node, key));
    RITZ_NEW(joins->equations, length_of(node));
    joins->n_equations = length_of(node);
    for (int i = 0; i < joins->n_equations; i++) {
        joins->equations[i].place = item_of(node, i)->place;
        RITZ_TRY(
            ritz_read_map(item_of(node, i), "an equation", keys, RITZ_N_KEYS(keys), &joins->equations[i], context));
        RITZ_REQUIRE_AT(isfinite(joins->equations[i].value), &joins->equations[i].place,
                        "the value of an equation must be finite");
    }
done:
    return status;
}

void ritz_joins_free(ritz_joins *joins)
{
    for (int i = 0; joins->ties && i < joins->n_ties; i++) {
        ritz_names_free(&joins->ties[i].from);
        ritz_names_free(&joins->ties[i].to);
    }
    for (int i = 0; joins->rigid && i < joins->n_rigid; i++) {
        ritz_names_free(&joins->rigid[i].groups);
        ritz_vector_free(&joins->rigid[i].displacement);
        ritz_vector_free(&joins->rigid[i].rotation);
    }
    for (int i = 0; joins->equations && i < joins->n_equations; i++) {
        ritz_linear_equation *equation = &joins->equations[i];
        for (int t = 0; equation->terms && t < equation->n_terms; t++) {
            ritz_names_free(&equation->terms[t].groups);
            ritz_free(equation->terms[t].component);
        }
        ritz_free(equation->terms);
    }
    ritz_free(joins->ties);
    ritz_free(joins->rigid);
    ritz_free(joins->equations);
    *joins = (ritz_joins){0};
}
