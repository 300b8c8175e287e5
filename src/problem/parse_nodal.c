/* Temperatures that are given at nodes: by the result of a heat problem, by a file with a line a node, by groups. */
#include "problem/problem.h"

#include <string.h>

void ritz_nodal_source_free(ritz_nodal_source **source)
{
    if (!*source)
        return;
    for (int g = 0; g < (*source)->n_groups; g++) {
        ritz_names_free(&(*source)->groups[g].groups);
        ritz_quantity_free(&(*source)->groups[g].value);
    }
    ritz_free((*source)->groups);
    ritz_free((*source)->result);
    ritz_free((*source)->field);
    ritz_free((*source)->nodes);
    ritz_quantity_free(&(*source)->other);
    ritz_free(*source);
    *source = NULL;
}

static ritz_status read_group_values(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_nodal_source *source = target;
    static const ritz_key keys[] = {{.name = "group",
                                     .read = ritz_read_names,
                                     .offset = offsetof(struct ritz_nodal_group, groups),
                                     .example = "group: hot"},
                                    {.name = "groups",
                                     .read = ritz_read_names,
                                     .offset = offsetof(struct ritz_nodal_group, groups),
                                     .example = "groups: [hot, warm]"},
                                    {.name = "value",
                                     .read = ritz_read_quantity,
                                     .offset = offsetof(struct ritz_nodal_group, value),
                                     .example = "value: 80",
                                     .required = true}};
    if (node->kind == RITZ_NODE_SCALAR || node->n == 0)
        return ritz_wrong_type(node, key, "a list of maps");
    const int n = node->kind == RITZ_NODE_LIST ? node->n : 1;
    RITZ_NEW(source->groups, n);
    source->n_groups = n;
    for (int i = 0; i < n; i++) {
        const ritz_node *entry = node->kind == RITZ_NODE_LIST ? node->values[i] : node;
        source->groups[i].place = entry->place;
        RITZ_TRY(ritz_read_map(entry, "a temperature of nodes", keys, RITZ_N_KEYS(keys), &source->groups[i], context));
        RITZ_REQUIRE_AT(source->groups[i].groups.n > 0, &entry->place,
                        "a temperature of nodes has no 'group'; add for example  group: hot");
    }
done:
    return status;
}

static ritz_status read_in_cells(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    static const char *const names[] = {"interpolated", "calculix"};
    static const ritz_name_table choices = {.what = "temperature in cells", .names = names, .n = 2};
    (void)context;
    ritz_nodal_source *source = target;
    int value = 0;
    const ritz_status status = ritz_read_choice(node, key, &choices, &value);
    source->as_calculix = value == 1;
    return status;
}

static ritz_status read_source(const ritz_node *node, ritz_nodal_source *source, void *context)
{
    ritz_status status = RITZ_OK;
    static const ritz_key keys[] = {
        {.name = "result",
         .read = ritz_read_text,
         .offset = offsetof(ritz_nodal_source, result),
         .example = "result: heat.vtkhdf"},
        {.name = "field",
         .read = ritz_read_text,
         .offset = offsetof(ritz_nodal_source, field),
         .example = "field: temperature_winter"},
        {.name = "nodes",
         .read = ritz_read_text,
         .offset = offsetof(ritz_nodal_source, nodes),
         .example = "nodes: warm.csv"},
        {.name = "values", .read = read_group_values, .example = "values: [{group: hot, value: 80}]"},
        {.name = "other",
         .read = ritz_read_quantity,
         .offset = offsetof(ritz_nodal_source, other),
         .example = "other: 20"},
        {.name = "in_cells", .read = read_in_cells, .example = "in_cells: calculix"}};
    source->place = node->place;
    RITZ_TRY(ritz_read_map(node, "a temperature at nodes", keys, RITZ_N_KEYS(keys), source, context));
    RITZ_REQUIRE_AT((source->result != NULL) + (source->nodes != NULL) + (source->n_groups > 0) == 1, &node->place,
                    "a temperature at nodes comes from one of  result: heat.vtkhdf,  nodes: warm.csv  and  "
                    "values: [{group: hot, value: 80}]");
    RITZ_REQUIRE_AT(!source->field || source->result, &node->place,
                    "'field' names a field of a result file, and there is no 'result'; remove it");
    RITZ_REQUIRE_AT(!source->other.expression || !source->result, &node->place,
                    "a result has a temperature at all nodes; remove 'other'");
done:
    return status;
}

ritz_status ritz_read_nodal(const ritz_node *node, const ritz_key *key, void *target, void *context)
{
    ritz_status status = RITZ_OK;
    ritz_vector *vector = target;
    const char *of_file = node->kind == RITZ_NODE_SCALAR ? ritz_key_of_file(node->text, true) : NULL;
    RITZ_REQUIRE_AT(!of_file, &node->place, "'%s' is given by a file as  %s: {%s: %s}", key->name, key->name, of_file,
                    node->text);
    if (node->kind != RITZ_NODE_MAP)
        return ritz_read_scalar(node, key, vector, context);
    RITZ_TRY(ritz_quantity_create("0", node->place, &vector->component[0])); /* what reads no nodes finds a number */
    vector->n = 1;
    vector->place = node->place;
    RITZ_NEW(vector->nodal, 1);
    RITZ_TRY(read_source(node, vector->nodal, context));
done:
    return status;
}
