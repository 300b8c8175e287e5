/* The load cases of the problem file. */
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 64 };

ritz_status ritz_read_word(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    RITZ_TRY(ritz_read_text(node, key, target, context));
    const size_t length = strlen(node->text);
    RITZ_REQUIRE_AT(length <= MAX_NAME && strspn(node->text, allowed) == length, &node->place,
                    "'%.80s' cannot be a name, because fields or files of the result are named after it; use up to %d "
                    "letters (a to z), digits, _ and -",
                    node->text, MAX_NAME);
done:
    return status;
}

/* Keys that make the one matrix, or steer the one solve. */
static ritz_status check_shared(const ritz_node *node)
{
    static const char *const shared[] = {"physics", "mesh",     "geometry",  "size",        "geometry_order",
                                         "order",   "elements", "materials", "integration", "solver",
                                         "device",  "output",   "cases",     "combine"};
    for (int i = 0; node->kind == RITZ_NODE_MAP && i < node->n; i++)
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
            if (node->keys[i]->kind == RITZ_NODE_SCALAR && strcmp(node->keys[i]->text, shared[k]) == 0)
                return ritz_fail_at(RITZ_ERROR_INPUT, &node->keys[i]->place,
                                    "'%s' is given in a case, but cases differ in their loads alone and share mesh, "
                                    "materials, supports, solver and result file; move it to the top level",
                                    shared[k]);
    return RITZ_OK;
}

/* ---- Loads that are there ---- */

static bool is_zero(const ritz_vector *vector)
{
    for (int c = 0; c < RITZ_MAX_COMPONENTS; c++)
        if (vector->component[c].expression && !(vector->component[c].constant && vector->component[c].value == 0))
            return false;
    return true;
}

/* Whether anything differs from zero; supports with values that do count. */
static bool have_loads(const ritz_physics *physics, const ritz_loads *loads)
{
    for (int i = 0; i < loads->n_boundary; i++)
        for (int k = 0; k < physics->n_boundary; k++) {
            const ritz_vector *term = &loads->boundary[i].term[k];
            const bool support =
                physics->boundary[k].kind == RITZ_BOUNDARY_VALUE || physics->boundary[k].kind == RITZ_BOUNDARY_NORMAL;
            const bool stiff = ritz_is_stiffness(physics->boundary[k].kind);
            if (support ? !is_zero(term) : term->n > 0 && !stiff)
                return true;
        }
    for (int k = 0; k < physics->n_body_loads; k++)
        if (loads->body[k].n && !physics->body_loads[k].no_load)
            return true;
    return false;
}

/* Whether some material strains in all cases, by its own temperature or initial stress. */
static bool have_strains(const ritz_problem *problem)
{
    const ritz_physics *physics = problem->physics;
    for (int m = 0; m < problem->n_materials; m++) {
        const ritz_material *material = &problem->materials[m];
        if (ritz_property_of(physics, material, RITZ_ROLE_INITIAL)->n ||
            (ritz_property_of(physics, material, RITZ_ROLE_TEMPERATURE)->n &&
             ritz_property_of(physics, material, RITZ_ROLE_EXPANSION)->n))
            return true;
    }
    return false;
}

/* Whether a rigid face is moved, or an equation has a constant. */
static bool have_motions(const ritz_joins *joins)
{
    for (int i = 0; i < joins->n_equations; i++)
        if (joins->equations[i].value != 0)
            return true;
    for (int i = 0; i < joins->n_rigid; i++)
        if (!is_zero(&joins->rigid[i].displacement) || !is_zero(&joins->rigid[i].rotation))
            return true;
    return false;
}

/* Loads of the top level beside those. */
static bool have_common_loads(const ritz_problem *problem)
{
    for (int m = 0; m < problem->n_materials; m++)
        if (ritz_has_loads(problem->physics, &problem->materials[m]))
            return true;
    const ritz_form *form = problem->form_file ? problem->form_file->form : NULL;
    return have_loads(problem->physics, &problem->loads) || (form && (form->n_load_terms > 0 || form->n_surfaces > 0));
}

/* ---- Cases ---- */

#define AT(field) offsetof(ritz_load_case, field)

/* A load on a surface and one on cells, as a case may have them. */
static void case_examples(const ritz_physics *physics, char *boundary, char *body, size_t bytes)
{
    const ritz_boundary_key *surface = ritz_find_boundary(physics, RITZ_BOUNDARY_LOAD);
    snprintf(boundary, bytes, "boundary: {group: face, %s}", surface ? RITZ_EXAMPLE(surface, physics->dim) : "");
    memcpy(body, boundary, bytes); /* where the physics has no load on cells */
    for (int p = physics->n_properties - 1; p >= 0; p--)
        if (physics->properties[p].load)
            snprintf(body, bytes, "body: {group: rotor, %s}", RITZ_EXAMPLE(&physics->properties[p], physics->dim));
}

/* A film stands in the matrix, which the cases share. */
static ritz_status refuse_films(const ritz_physics *physics, const ritz_loads *loads)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < loads->n_boundary; i++)
        for (int k = 0; k < physics->n_boundary; k++)
            RITZ_REQUIRE_AT((physics->boundary[k].kind != RITZ_BOUNDARY_FILM &&
                             physics->boundary[k].kind != RITZ_BOUNDARY_RADIATION &&
                             !ritz_is_stiffness(physics->boundary[k].kind)) ||
                                !loads->boundary[i].term[k].n,
                            &loads->boundary[i].place,
                            "'%s' is given in a case, but it is part of the matrix, which all cases share; move it to "
                            "the top level",
                            physics->boundary[k].name);
done:
    return status;
}

static ritz_status read_case(const ritz_node *node, ritz_problem *problem, ritz_load_case *c)
{
    ritz_status status = RITZ_OK;
    enum { MOST_LOADS = 16, FIRST = 4 };
    const ritz_physics *physics = problem->physics;
    char boundary[128], body[128];
    case_examples(physics, boundary, body, sizeof boundary);
    ritz_key keys[FIRST + MOST_LOADS] = {
        {.name = "name", .read = ritz_read_word, .offset = AT(name), .example = "name: pull", .required = true},
        {.name = "boundary", .read = ritz_read_boundary, .offset = AT(loads), .example = boundary},
        {.name = "body", .read = ritz_read_body, .example = body},
        {.name = "exact", .read = ritz_read_exact, .offset = AT(loads.exact), .example = "exact: \"sin(x)\""},
    };
    c->place = node->place;
    RITZ_TRY(check_shared(node));
    RITZ_TRY(ritz_read_map(node, "a case", keys, FIRST + ritz_body_load_keys(AT(loads), keys + FIRST), c, problem));
    RITZ_TRY(refuse_films(physics, &c->loads));
    RITZ_REQUIRE_AT(c->n_body || have_loads(physics, &c->loads) || have_common_loads(problem) ||
                        have_strains(problem) || have_motions(&problem->joins),
                    &c->place, "the case '%s' has no load, and neither has the top level; add for example  %s", c->name,
                    physics->vector ? boundary : body);
done:
    return status;
}

ritz_status ritz_read_load_cases(const ritz_node *node, const ritz_key *key, void *target, void *context)
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
                    "'exact' is the solution of one case; move it into that case");
done:
    ritz_free(names);
    return status;
}

/* ---- Combinations ---- */

/* The case of that name; n_cases: there is none. */
static int find_case(const ritz_problem *problem, const char *name)
{
    int c = 0;
    while (c < problem->n_cases && strcmp(problem->cases[c].name, name) != 0)
        c++;
    return c;
}

/* factors [n_cases] from a map of cases. */
static ritz_status read_factors(const ritz_node *node, const ritz_key *key, const ritz_problem *problem,
                                double *factors)
{
    ritz_status status = RITZ_OK;
    if (node->kind != RITZ_NODE_MAP || node->n == 0)
        return ritz_wrong_type(node, key, "maps of load cases and factors");
    for (int i = 0; i < node->n; i++) {
        const char *name = node->keys[i]->kind == RITZ_NODE_SCALAR ? node->keys[i]->text : "";
        const int c = find_case(problem, name);
        RITZ_REQUIRE_AT(c < problem->n_cases, &node->keys[i]->place,
                        "there is no load case '%.80s' to combine; the first one is '%s'", name,
                        problem->cases[0].name);
        RITZ_TRY(ritz_read_real(node->values[i], key, &factors[c], NULL));
    }
done:
    return status;
}

static ritz_status read_combination(const ritz_node *name, const ritz_node *node, const ritz_key *key,
                                    ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    ritz_combination *made = &problem->combinations[problem->n_combinations++];
    made->place = node->place;
    RITZ_TRY(name ? ritz_read_word(name, key, &made->name, problem) : ritz_copy_text("combined", &made->name));
    RITZ_REQUIRE_AT(find_case(problem, made->name) == problem->n_cases, name ? &name->place : &node->place,
                    "a combination and a load case are both called '%s'; give one another name", made->name);
    RITZ_NEW(made->factors, problem->n_cases);
    RITZ_TRY(read_factors(node, key, problem, made->factors));
done:
    return status;
}

/* Of names and factors, or the factors of one alone. */
ritz_status ritz_read_combinations(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    (void)context;
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    if (node->kind != RITZ_NODE_MAP || node->n == 0)
        return ritz_wrong_type(node, key, "a map of combinations");
    const bool one = node->values[0]->kind == RITZ_NODE_SCALAR;
    RITZ_REQUIRE_AT(problem->n_cases, &node->place,
                    "'combine' adds up load cases, and the problem has none; add  cases:  or remove it");
    RITZ_REQUIRE_AT(!ritz_problem_is_nonlinear(problem), &node->place,
                    "'combine' adds up solutions, and those of %s do not add up, for it depends on its own solution; "
                    "give the loads together as a case of their own",
                    problem->physics->name);
    RITZ_REQUIRE_AT(
        !have_common_loads(problem), &node->place,
        "loads at the top level (prescribed values and films among them) act in every case, and a combination "
        "would count them with each; move loads and prescribed values into the cases that have them; what films carry "
        "can not be combined: give such loads together as a case of their own");
    RITZ_REQUIRE_AT(!have_strains(problem), &node->place,
                    "the temperature or initial stress of a material strains it in every case, and a combination would "
                    "count that with each; give temperatures in cases, or the loads together as a case of their own");
    RITZ_REQUIRE_AT(!have_motions(&problem->joins), &node->place,
                    "a motion of a rigid face and the value of an equation act in every case, and a combination would "
                    "count them with each; give the loads together as a case of their own");
    RITZ_NEW(problem->combinations, one ? 1 : node->n);
    if (one)
        RITZ_TRY(read_combination(NULL, node, key, problem));
    for (int i = 0; i < node->n && !one; i++)
        RITZ_TRY(read_combination(node->keys[i], node->values[i], key, problem));
done:
    return status;
}
