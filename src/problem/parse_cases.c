/* The load cases of the problem file. */
#include "problem/problem.h"

#include <string.h>

enum { MAX_NAME = 64 };

/* The name becomes part of the names of fields. */
static ritz_status read_name(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    RITZ_TRY(ritz_read_text(node, key, target, context));
    const size_t length = strlen(node->text);
    RITZ_REQUIRE_AT(
        length <= MAX_NAME && strspn(node->text, allowed) == length, &node->place,
        "'%.80s' can not name a case, because fields of the result are named after it; use up to %d letters "
        "(a to z), digits, _ and -",
        node->text, MAX_NAME);
done:
    return status;
}

/* Keys that make the one matrix, or steer the one solve. */
static ritz_status check_shared(const ritz_node *node)
{
    static const char *const shared[] = {"physics",   "mesh",        "geometry", "size",   "geometry_order", "order",
                                         "materials", "integration", "solver",   "device", "output",         "cases"};
    for (int i = 0; node->kind == RITZ_NODE_MAP && i < node->n; i++)
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
            if (node->keys[i]->kind == RITZ_NODE_SCALAR && strcmp(node->keys[i]->text, shared[k]) == 0)
                return ritz_fail_at(RITZ_ERROR_INPUT, &node->keys[i]->place,
                                    "'%s' stands in a case, but cases differ in their loads alone and share mesh, "
                                    "materials, supports, solver and result file; move it to the top level",
                                    shared[k]);
    return RITZ_OK;
}

/* ---- Loads that are there ---- */

static bool is_zero(const ritz_vector *vector)
{
    for (int c = 0; c < 3; c++)
        if (vector->component[c].expression && !(vector->component[c].constant && vector->component[c].value == 0))
            return false;
    return true;
}

/* Whether anything differs from zero; supports with values that do count. */
static bool have_loads(const ritz_loads *loads)
{
    for (int i = 0; i < loads->n_boundary; i++) {
        const ritz_boundary *entry = &loads->boundary[i];
        if (entry->traction.n || entry->pressure.expression || entry->flux.expression ||
            !is_zero(&entry->displacement) ||
            (entry->value.expression && !(entry->value.constant && entry->value.value == 0)))
            return true;
    }
    return loads->gravity.n || loads->source.expression;
}

static bool have_common_loads(const ritz_problem *problem)
{
    for (int m = 0; m < problem->n_materials; m++)
        if (ritz_has_loads(&problem->materials[m]))
            return true;
    return have_loads(&problem->loads);
}

/* ---- Cases ---- */

#define AT(field) offsetof(ritz_load_case, field)

static ritz_status read_case(const ritz_node *node, ritz_problem *problem, ritz_load_case *c)
{
    ritz_status status = RITZ_OK;
    const bool mechanics = problem->physics->bit & RITZ_MECHANICS;
    const char *example = !mechanics                   ? "source: 1"
                          : problem->physics->dim == 2 ? "boundary: {group: face, traction: [0, -1e6]}"
                                                       : "boundary: {group: face, traction: [0, 0, -1e6]}";
    const ritz_key keys[] = {
        {.name = "name", .read = read_name, .offset = AT(name), .example = "name: pull", .required = true},
        {.name = "boundary",
         .read = ritz_read_boundary,
         .offset = AT(loads),
         .example = mechanics ? example : "boundary: {group: face, flux: 100}"},
        {.name = "gravity",
         .read = ritz_read_gravity,
         .offset = AT(loads.gravity),
         .example = "gravity: [0, 0, -9.81]"},
        {.name = "source", .read = ritz_read_source, .offset = AT(loads.source), .example = "source: 1"},
        {.name = "body",
         .read = ritz_read_body,
         .example = !mechanics                   ? "body: {group: heater, source: 1e3}"
                    : problem->physics->dim == 2 ? "body: {group: rotor, force: [\"1e4*x\", 0]}"
                                                 : "body: {group: rotor, force: [\"1e4*x\", 0, 0]}"},
        {.name = "exact", .read = ritz_read_exact, .offset = AT(loads.exact), .example = "exact: \"sin(x)\""},
    };
    c->place = node->place;
    RITZ_TRY(check_shared(node));
    RITZ_TRY(ritz_read_map(node, "a case", keys, RITZ_N_KEYS(keys), c, problem));
    RITZ_REQUIRE_AT(c->n_body || have_loads(&c->loads) || have_common_loads(problem), &c->place,
                    "the case '%s' has no load, and neither has the top level; add for example  %s", c->name, example);
done:
    return status;
}

ritz_status ritz_read_cases(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    if (node->kind == RITZ_NODE_SCALAR || node->n == 0)
        return ritz_wrong_type(node, key, "a list of maps");
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    char **names = NULL; /* borrowed from the cases */
    int first, again;
    bool repeated;
    RITZ_NEW(problem->cases, n);
    problem->n_cases = n;
    RITZ_NEW(names, n);
    for (int i = 0; i < n; i++) {
        ritz_load_case *c = &problem->cases[i];
        RITZ_TRY(read_case(node->kind == RITZ_NODE_LIST ? node->values[i] : node, problem, c));
        names[i] = c->name;
    }
    RITZ_TRY(ritz_find_repeated(names, n, &first, &again, &repeated));
    RITZ_REQUIRE_AT(!repeated, &problem->cases[again].place,
                    "two cases are called '%s', this one and that on line %d; give them different names", names[again],
                    problem->cases[first].place.line);
    RITZ_REQUIRE_AT(!problem->loads.exact.n, &problem->loads.exact.place,
                    "'exact' is the solution of one case; move it into the case that it belongs to");
done:
    ritz_free(names);
    return status;
}
