/* The tree of a problem file: its nodes and their places, and settings of the command line that edit it. */
#include "problem/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe_place(const ritz_place *place, char *text, size_t bytes)
{
    if (place->setting)
        snprintf(text, bytes, "--set %s: ", place->setting);
    else if (place->line > 0)
        snprintf(text, bytes, "%s:%d: ", place->file, place->line);
    else
        snprintf(text, bytes, "%s: ", place->file);
}

ritz_status ritz_fail_context_at(ritz_status status, const ritz_place *place)
{
    char where[1024];
    describe_place(place, where, sizeof where);
    return ritz_fail_context(status, "%s", where);
}

ritz_status ritz_fail_at(ritz_status status, const ritz_place *place, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ritz_fail(status, "%s", text);
    return ritz_fail_context_at(status, place);
}

bool ritz_node_is_null(const ritz_node *node)
{
    if (node->kind != RITZ_NODE_SCALAR || node->quoted)
        return false;
    const char *t = node->text;
    return !*t || !strcmp(t, "~") || !strcmp(t, "null") || !strcmp(t, "Null") || !strcmp(t, "NULL");
}

const char *ritz_node_describe(const ritz_node *node, char buffer[64])
{
    if (node->kind == RITZ_NODE_LIST)
        return node->n > 0 ? "a list" : "an empty list";
    if (node->kind == RITZ_NODE_MAP)
        return "a map";
    if (ritz_node_is_null(node))
        return "nothing";
    const bool shorter = strlen(node->text) > 40;
    snprintf(buffer, 64, "'%.40s%s'", node->text, shorter ? "..." : "");
    return buffer;
}

/* ---- Nodes ---- */

ritz_status ritz_tree_add(ritz_tree *tree, ritz_node_kind kind, ritz_place place, ritz_node **added)
{
    ritz_status status = RITZ_OK;
    ritz_node *node = NULL;
    if (tree->n_nodes == tree->capacity) {
        const int capacity = tree->capacity ? 2 * tree->capacity : 64;
        RITZ_RESIZE(tree->nodes, capacity);
        tree->capacity = capacity;
    }
    RITZ_NEW(node, 1);
    node->kind = kind;
    node->place = place;
    tree->nodes[tree->n_nodes++] = node;
    *added = node;
done:
    return status;
}

ritz_status ritz_node_add(ritz_node *parent, ritz_node *key, ritz_node *value)
{
    ritz_status status = RITZ_OK;
    const int n = parent->n;
    if ((n & (n - 1)) == 0) { /* there is room up to the next power of two */
        const int capacity = n > 0 ? 2 * n : 1;
        if (parent->kind == RITZ_NODE_MAP)
            RITZ_RESIZE(parent->keys, capacity);
        RITZ_RESIZE(parent->values, capacity);
    }
    if (parent->kind == RITZ_NODE_MAP)
        parent->keys[parent->n] = key;
    parent->values[parent->n++] = value;
done:
    return status;
}

int ritz_node_find(const ritz_node *map, const char *key)
{
    for (int i = 0; map->kind == RITZ_NODE_MAP && i < map->n; i++)
        if (map->keys[i]->kind == RITZ_NODE_SCALAR && strcmp(map->keys[i]->text, key) == 0)
            return i;
    return -1;
}

void ritz_tree_destroy(ritz_tree **tree)
{
    if (!tree || !*tree)
        return;
    for (int i = 0; i < (*tree)->n_nodes; i++) {
        ritz_node *node = (*tree)->nodes[i];
        ritz_free(node->text);
        ritz_free(node->keys);
        ritz_free(node->values);
        ritz_free(node);
    }
    ritz_free((*tree)->nodes);
    ritz_free(*tree);
    *tree = NULL;
}

ritz_status ritz_tree_parse(const char *text, const char *file, ritz_tree **tree)
{
    ritz_status status = RITZ_OK;
    ritz_tree *t = NULL;
    RITZ_NEW(t, 1);
    RITZ_TRY(ritz_tree_add_text(t, text, (ritz_place){.file = file}, &t->root));
    *tree = t;
    t = NULL;
done:
    ritz_tree_destroy(&t);
    return status;
}

/* ---- Settings ---- */

/* A copy of a node that shares its children: aliases elsewhere keep the old one. An absent or scalar node becomes
   a map. */
static ritz_status clone_container(ritz_tree *tree, const ritz_node *from, ritz_place place, ritz_node **clone)
{
    ritz_status status = RITZ_OK;
    const bool container = from && from->kind != RITZ_NODE_SCALAR;
    RITZ_TRY(ritz_tree_add(tree, container ? from->kind : RITZ_NODE_MAP, container ? from->place : place, clone));
    for (int i = 0; container && i < from->n; i++)
        RITZ_TRY(ritz_node_add(*clone, from->keys ? from->keys[i] : NULL, from->values[i]));
done:
    return status;
}

/* Index of the child that a step of the path names, added as NULL if missing. */
static ritz_status step_into(ritz_tree *tree, ritz_node *parent, const char *step, ritz_place place, int *child)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_AT(*step, &place, "the path has an empty part; write it like materials.0.young");
    if (parent->kind == RITZ_NODE_LIST) {
        char *end;
        const long i = strtol(step, &end, 10);
        RITZ_REQUIRE_AT(*end == '\0' && i >= 0 && i <= parent->n, &place,
                        "'%s' is not a position in a list of %d; positions count from 0, and %d appends", step,
                        parent->n, parent->n);
        *child = (int)i;
        if (i == parent->n)
            RITZ_TRY(ritz_node_add(parent, NULL, NULL));
    } else {
        *child = ritz_node_find(parent, step);
        if (*child < 0) {
            ritz_node *key;
            RITZ_TRY(ritz_tree_add(tree, RITZ_NODE_SCALAR, place, &key));
            RITZ_TRY(ritz_copy_text(step, &key->text));
            RITZ_TRY(ritz_node_add(parent, key, NULL));
            *child = parent->n - 1;
        }
    }
done:
    return status;
}

/* Lists of entries may be written as the one entry that they have: the 0 of materials.0.young leads to it then. Which keys are such
   lists is not known here: the second step of a longer path, into a mapping that has no key 0. */
static bool is_only_entry(const ritz_node *parent, const char *step, int depth, bool last)
{
    return depth == 1 && !last && parent->kind == RITZ_NODE_MAP && strcmp(step, "0") == 0 &&
           ritz_node_find(parent, step) < 0;
}

ritz_status ritz_tree_set(ritz_tree *tree, const char *file, const char *setting)
{
    ritz_status status = RITZ_OK;
    char *path = NULL;
    ritz_node *value = NULL;
    const ritz_place place = {.file = file, .setting = setting};
    const char *equals = strchr(setting, '=');
    RITZ_REQUIRE_AT(equals && equals > setting, &place,
                    "a setting is path=value, like order=2 or materials.0.young=70e9");
    RITZ_TRY(ritz_tree_add_text(tree, equals + 1, place, &value));
    RITZ_REQUIRE_AT(value, &place, "no value follows '='; write one, or null for the default");
    RITZ_TRY(ritz_copy_text(setting, &path));
    path[equals - setting] = '\0';
    ritz_node **slot = &tree->root;
    int depth = 0;
    for (char *step = path; step; depth++) {
        char *dot = strchr(step, '.');
        if (dot)
            *dot = '\0';
        ritz_node *container;
        int child = 0;
        RITZ_TRY(clone_container(tree, *slot, place, &container));
        *slot = container;
        if (!is_only_entry(container, step, depth, !dot)) {
            RITZ_TRY(step_into(tree, container, step, place, &child));
            slot = &container->values[child];
        }
        step = dot ? dot + 1 : NULL;
    }
    *slot = value;
done:
    ritz_free(path);
    return status;
}
