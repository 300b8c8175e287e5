/* The problem as it was read, settings and merges resolved, as JSON: for reports. */
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static void describe_text(const char *text, ritz_text *json)
{
    ritz_text_add(json, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            ritz_text_add(json, "\\%c", *c);
        else if (*c < 0x20)
            ritz_text_add(json, "\\u%04x", *c);
        else
            ritz_text_add(json, "%c", *c);
    ritz_text_add(json, "\"");
}

static void describe_scalar(const ritz_node *node, ritz_text *json)
{
    double value;
    if (ritz_node_is_null(node))
        ritz_text_add(json, "null");
    else if (!node->quoted && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
        ritz_text_add(json, "%s", node->text);
    else if (!node->quoted && ritz_parse_number(node->text, &value) && isfinite(value))
        ritz_text_add(json, "%.17g", value);
    else
        describe_text(node->text, json);
}

/* The tree has a bound on its depth and on what aliases spell out. */
static void describe_node(const ritz_node *node, ritz_text *json)
{
    if (node->kind == RITZ_NODE_SCALAR) {
        describe_scalar(node, json);
        return;
    }
    const bool map = node->kind == RITZ_NODE_MAP;
    ritz_text_add(json, map ? "{" : "[");
    for (int i = 0; i < node->n; i++) {
        ritz_text_add(json, i ? "," : "");
        if (map) {
            describe_text(node->keys[i]->kind == RITZ_NODE_SCALAR ? node->keys[i]->text : "", json);
            ritz_text_add(json, ":");
        }
        describe_node(node->values[i], json);
    }
    ritz_text_add(json, map ? "}" : "]");
}

ritz_status ritz_describe_tree(const ritz_node *root, char **json)
{
    ritz_text text = {0};
    describe_node(root, &text);
    const ritz_status status = ritz_text_take(&text, json);
    ritz_text_free(&text);
    return status;
}

const char *ritz_problem_description(const ritz_problem *problem)
{
    return problem ? problem->description : NULL;
}
