/* From YAML text to a tree of nodes with places, through libyaml; settings of the command line edit it. */
#include "problem/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* More keys than any map of a problem file has; a bound on the work that merges of a hostile file can cause. */
enum { MAX_MERGED_KEYS = 100, MAX_BYTES = 4 << 20 };

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
        return "a list";
    if (node->kind == RITZ_NODE_MAP)
        return "a map";
    if (ritz_node_is_null(node))
        return "nothing";
    const bool shorter = strlen(node->text) > 40;
    snprintf(buffer, 64, "'%.40s%s'", node->text, shorter ? "..." : "");
    return buffer;
}

/* ---- Nodes ---- */

static ritz_status add_node(ritz_tree *tree, ritz_node_kind kind, ritz_place place, ritz_node **added)
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

static ritz_status add_child(ritz_node *parent, ritz_node *key, ritz_node *value)
{
    ritz_status status = RITZ_OK;
    if (parent->kind == RITZ_NODE_MAP)
        RITZ_RESIZE(parent->keys, parent->n + 1);
    RITZ_RESIZE(parent->values, parent->n + 1);
    if (parent->kind == RITZ_NODE_MAP)
        parent->keys[parent->n] = key;
    parent->values[parent->n++] = value;
done:
    return status;
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

/* ---- From libyaml's document ---- */

static ritz_status syntax_error(const yaml_parser_t *parser, ritz_place place)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return ritz_fail(RITZ_ERROR_MEMORY, "host memory ran out while the problem file was read");
    const char *problem = parser->problem ? parser->problem : "unreadable";
    place.line = (int)parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR) {
        place.line = 0;
        return ritz_fail_at(RITZ_ERROR_INPUT, &place,
                            "not a text file: %s at byte %zu; a problem file is YAML in UTF-8", problem,
                            parser->problem_offset);
    }
    return ritz_fail_at(RITZ_ERROR_INPUT, &place,
                        "not valid YAML: %s at column %zu%s%s; check the indentation, brackets and quotes there",
                        problem, parser->problem_mark.column + 1, parser->context ? " " : "",
                        parser->context ? parser->context : "");
}

static ritz_status copy_scalar(const yaml_node_t *from, ritz_node *node)
{
    ritz_status status = RITZ_OK;
    const size_t length = from->data.scalar.length;
    RITZ_NEW(node->text, (int64_t)length + 1);
    memcpy(node->text, from->data.scalar.value, length);
    node->quoted = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    RITZ_REQUIRE_AT(strlen(node->text) == length, &node->place, "a NUL character stands in a text; remove it");
done:
    return status;
}

/* Children of node i (from 0) of the document; the tree's nodes of this document start at `first`. */
static ritz_status copy_children(ritz_tree *tree, int first, const yaml_node_t *from, ritz_node *node)
{
    ritz_status status = RITZ_OK;
    if (from->type == YAML_SEQUENCE_NODE)
        for (const yaml_node_item_t *item = from->data.sequence.items.start; item < from->data.sequence.items.top;
             item++)
            RITZ_TRY(add_child(node, NULL, tree->nodes[first + *item - 1]));
    if (from->type == YAML_MAPPING_NODE)
        for (const yaml_node_pair_t *pair = from->data.mapping.pairs.start; pair < from->data.mapping.pairs.top; pair++)
            RITZ_TRY(add_child(node, tree->nodes[first + pair->key - 1], tree->nodes[first + pair->value - 1]));
done:
    return status;
}

static int find_key(const ritz_node *map, const char *key)
{
    for (int i = 0; i < map->n; i++)
        if (map->keys[i]->kind == RITZ_NODE_SCALAR && strcmp(map->keys[i]->text, key) == 0)
            return i;
    return -1;
}

/* Adds the entries of `source` that `map` lacks. */
static ritz_status merge_map(ritz_node *map, const ritz_node *source)
{
    ritz_status status = RITZ_OK;
    if (source == map)
        goto done;
    RITZ_REQUIRE_AT(source->kind == RITZ_NODE_MAP, &map->place, "a merge key << takes a map or a list of maps");
    RITZ_REQUIRE_AT(source->n <= MAX_MERGED_KEYS && map->n <= MAX_MERGED_KEYS, &map->place,
                    "a merge key << may bring in at most %d keys", MAX_MERGED_KEYS);
    for (int i = 0; i < source->n; i++)
        if (source->keys[i]->kind == RITZ_NODE_SCALAR && strcmp(source->keys[i]->text, "<<") != 0 &&
            find_key(map, source->keys[i]->text) < 0)
            RITZ_TRY(add_child(map, source->keys[i], source->values[i]));
done:
    return status;
}

/* Takes the key << out of a map and brings in what it names. Anchors stand before their aliases, so in the order of
   the file each source is whole already. */
static ritz_status resolve_merge(ritz_node *map)
{
    ritz_status status = RITZ_OK;
    const int at = map->kind == RITZ_NODE_MAP ? find_key(map, "<<") : -1;
    if (at < 0 || map->keys[at]->quoted)
        goto done;
    const ritz_node *sources = map->values[at];
    for (int i = at; i + 1 < map->n; i++) {
        map->keys[i] = map->keys[i + 1];
        map->values[i] = map->values[i + 1];
    }
    map->n--;
    if (sources->kind == RITZ_NODE_LIST) {
        RITZ_REQUIRE_AT(sources->n <= MAX_MERGED_KEYS, &map->place, "a merge key << may name at most %d maps",
                        MAX_MERGED_KEYS);
        for (int i = 0; i < sources->n; i++)
            RITZ_TRY(merge_map(map, sources->values[i]));
    } else
        RITZ_TRY(merge_map(map, sources));
done:
    return status;
}

/* Appends a document's nodes to the tree; *root is NULL when it is empty. */
static ritz_status add_document(ritz_tree *tree, yaml_document_t *document, ritz_place place, ritz_node **root)
{
    ritz_status status = RITZ_OK;
    const int first = tree->n_nodes;
    const yaml_node_t *nodes = document->nodes.start;
    const int n = (int)(document->nodes.top - document->nodes.start);
    for (int i = 0; i < n; i++) {
        ritz_node *node;
        ritz_place here = place;
        here.line = (int)nodes[i].start_mark.line + 1;
        const ritz_node_kind kind = nodes[i].type == YAML_SEQUENCE_NODE  ? RITZ_NODE_LIST
                                    : nodes[i].type == YAML_MAPPING_NODE ? RITZ_NODE_MAP
                                                                         : RITZ_NODE_SCALAR;
        RITZ_TRY(add_node(tree, kind, here, &node));
        if (kind == RITZ_NODE_SCALAR)
            RITZ_TRY(copy_scalar(&nodes[i], node));
    }
    for (int i = 0; i < n; i++)
        RITZ_TRY(copy_children(tree, first, &nodes[i], tree->nodes[first + i]));
    for (int i = 0; i < n; i++)
        RITZ_TRY(resolve_merge(tree->nodes[first + i]));
    *root = n > 0 ? tree->nodes[first] : NULL;
done:
    return status;
}

static const char byte_order_mark[] = "\xef\xbb\xbf"; /* some editors put it before UTF-8 */

static ritz_status add_text(ritz_tree *tree, const char *text, ritz_place place, ritz_node **root)
{
    ritz_status status = RITZ_OK;
    yaml_parser_t parser;
    yaml_document_t document, further;
    bool loaded = false, more = false;
    if (!yaml_parser_initialize(&parser))
        return ritz_fail(RITZ_ERROR_MEMORY, "host memory ran out while the problem file was read");
    if (strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0)
        text += strlen(byte_order_mark);
    const size_t length = strlen(text);
    RITZ_REQUIRE_AT(length <= MAX_BYTES, &place, "too long for a problem file: %zu bytes, at most %d are read", length,
                    (int)MAX_BYTES);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    if (!yaml_parser_load(&parser, &document)) {
        status = syntax_error(&parser, place);
        goto done;
    }
    loaded = true;
    RITZ_TRY(add_document(tree, &document, place, root));
    if (*root) {
        if (!yaml_parser_load(&parser, &further)) {
            status = syntax_error(&parser, place);
            goto done;
        }
        more = true;
        const yaml_node_t *second = yaml_document_get_root_node(&further);
        if (second)
            place.line = (int)second->start_mark.line + 1;
        RITZ_REQUIRE_AT(!second, &place, "a second YAML document starts here; a problem file holds one");
    }
done:
    if (more)
        yaml_document_delete(&further);
    if (loaded)
        yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    return status;
}

ritz_status ritz_tree_parse(const char *text, const char *file, ritz_tree **tree)
{
    ritz_status status = RITZ_OK;
    ritz_tree *t = NULL;
    RITZ_NEW(t, 1);
    RITZ_TRY(add_text(t, text, (ritz_place){.file = file}, &t->root));
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
    RITZ_TRY(add_node(tree, container ? from->kind : RITZ_NODE_MAP, container ? from->place : place, clone));
    for (int i = 0; container && i < from->n; i++)
        RITZ_TRY(add_child(*clone, from->keys ? from->keys[i] : NULL, from->values[i]));
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
                        "'%s' is no place in a list of %d; places count from 0, and %d appends", step, parent->n,
                        parent->n);
        *child = (int)i;
        if (i == parent->n)
            RITZ_TRY(add_child(parent, NULL, NULL));
    } else {
        *child = find_key(parent, step);
        if (*child < 0) {
            ritz_node *key;
            RITZ_TRY(add_node(tree, RITZ_NODE_SCALAR, place, &key));
            RITZ_TRY(ritz_copy_text(step, &key->text));
            RITZ_TRY(add_child(parent, key, NULL));
            *child = parent->n - 1;
        }
    }
done:
    return status;
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
    RITZ_TRY(add_text(tree, equals + 1, place, &value));
    RITZ_REQUIRE_AT(value, &place, "no value stands after '='; write one, or null for the default");
    RITZ_TRY(ritz_copy_text(setting, &path));
    path[equals - setting] = '\0';
    ritz_node **slot = &tree->root;
    for (char *step = path; step;) {
        char *dot = strchr(step, '.');
        if (dot)
            *dot = '\0';
        ritz_node *container;
        int child = 0;
        RITZ_TRY(clone_container(tree, *slot, place, &container));
        *slot = container;
        RITZ_TRY(step_into(tree, container, step, place, &child));
        slot = &container->values[child];
        step = dot ? dot + 1 : NULL;
    }
    *slot = value;
done:
    ritz_free(path);
    return status;
}
