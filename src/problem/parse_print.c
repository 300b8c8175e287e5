/* The key that says which values are printed into a .dat file. */
#include "problem/problem.h"

#include <string.h>

void ritz_prints_free(ritz_problem *problem)
{
    for (int i = 0; i < problem->n_prints; i++) {
        ritz_names_free(&problem->prints[i].groups);
        ritz_names_free(&problem->prints[i].values);
        ritz_free(problem->prints[i].case_name);
        ritz_node_systems_free(&problem->prints[i].systems);
    }
    ritz_free(problem->prints);
}

/* Values of nodes are the unknown and what acts there; those of cells the fields that are evaluated in them. */
static ritz_status check_values(const ritz_physics *physics, const ritz_print *print)
{
    ritz_status status = RITZ_OK;
    const char *names[RITZ_MAX_FIELDS + 1];
    int n = 0;
    for (int f = 0; f < physics->n_fields; f++)
        if (!physics->fields[f].derive)
            names[n++] = physics->fields[f].name;
    names[n++] = physics->vector ? "force" : "flow";
    const ritz_name_table choices = {.what = "printed value", .names = names, .n = n, .of = physics->name};
    for (int i = 0; i < print->values.n; i++) {
        int value;
        status = ritz_find_name(&choices, print->values.name[i], &value);
        if (status)
            RITZ_TRY(ritz_fail_context_at(status, &print->values.places[i]));
    }
done:
    return status;
}

static ritz_status read_totals(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const char *const names[] = {"no", "yes", "only"};
    static const ritz_name_table choices = {.what = "choice of totals", .names = names, .n = 3};
    (void)context;
    ritz_print *print = target;
    int value = 0;
    const ritz_status status = ritz_read_choice(node, key, &choices, &value);
    print->totals = (ritz_totals)value;
    return status;
}

ritz_status ritz_read_prints(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const ritz_key keys[] = {
        {.name = "group",
         .read = ritz_read_names,
         .offset = offsetof(ritz_print, groups),
         .example = "group: face",
         .required = true},
        {.name = "values",
         .read = ritz_read_names,
         .offset = offsetof(ritz_print, values),
         .example = "values: [displacement]",
         .required = true},
        {.name = "system",
         .read = ritz_read_node_systems,
         .offset = offsetof(ritz_print, systems),
         .example = "system: bore"},
        {.name = "totals", .read = read_totals, .example = "totals: only"},
        {.name = "case", .read = ritz_read_text, .offset = offsetof(ritz_print, case_name), .example = "case: pull"},
    };
    ritz_status status = RITZ_OK;
    ritz_problem *problem = target;
    if (node->kind == RITZ_NODE_SCALAR || node->n == 0)
        return ritz_wrong_type(node, key, "a list of maps");
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    RITZ_NEW(problem->prints, n);
    problem->n_prints = n;
    for (int i = 0; i < n; i++) {
        const ritz_node *entry = node->kind == RITZ_NODE_LIST ? node->values[i] : node;
        problem->prints[i].place = entry->place;
        RITZ_TRY(ritz_read_map(entry, "printed values", keys, RITZ_N_KEYS(keys), &problem->prints[i], context));
        RITZ_TRY(check_values(problem->physics, &problem->prints[i]));
    }
done:
    return status;
}
