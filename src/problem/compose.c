/* From YAML text to nodes of a tree, event after event of libyaml's parser. Bounds on depth, anchors and what aliases
   spell out keep the work for a hostile file in proportion to its length: libyaml looks at each open bracket for each
   token, and aliases of aliases grow as powers. */
#include "problem/tree.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* What no problem file comes near to. */
enum { MAX_DEPTH = 32, MAX_ANCHORS = 256, MAX_MERGED_KEYS = 100, MAX_BYTES = 4 << 20, MAX_SPELLED = 2 * MAX_BYTES };

/* A list or map whose end has not come yet. */
typedef struct open_node {
    ritz_node *node;
    ritz_node *key; /* of a map: the key whose value comes next */
    int64_t size;   /* so far */
} open_node;

typedef struct anchor {
    char *name; /* owned */
    ritz_node *node;
} anchor;

typedef struct composer {
    ritz_tree *tree;
    const char *text;
    yaml_parser_t parser;
    ritz_place place; /* of the last event */
    open_node open[MAX_DEPTH];
    int depth;
    anchor anchors[MAX_ANCHORS];
    int n_anchors;
    ritz_node *root;
    int n_documents;
} composer;

/* ---- Syntax ---- */

/* Whether a tab stands in the white space that begins a line (from 1). */
static bool tab_indents(const char *text, int line)
{
    for (; line > 1 && text; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text && text[strspn(text, " ")] == '\t';
}

/* What to do about a problem of libyaml's. */
static const char *advice_for(const char *problem)
{
    static const struct {
        const char *problem, *advice;
    } known[] = {
        {"mapping values are not allowed",
         "write a space after the colon of each key, here and on the line above, and quote a text that has ': ' in it"},
        {"could not find expected ':'", "write a colon and a space after each key"},
        {"unknown escape", "write paths with /, or in single quotes"},
        {"cannot start any token", "quote a text that starts with @, % or a backtick"},
        {"unexpected end of stream", "close the quote that is open"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strstr(problem, known[k].problem))
            return known[k].advice;
    return "check the indentation, brackets and quotes there";
}

static ritz_status syntax_error(const composer *c)
{
    const yaml_parser_t *parser = &c->parser;
    ritz_place place = c->place;
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
    if (tab_indents(c->text, place.line))
        return ritz_fail_at(RITZ_ERROR_INPUT, &place, "not valid YAML: the indentation contains a tab; use spaces");
    const int began = (int)parser->context_mark.line + 1;
    char since[40] = "";
    if (parser->context && began < place.line)
        snprintf(since, sizeof since, " that begins on line %d", began);
    return ritz_fail_at(RITZ_ERROR_INPUT, &place, "not valid YAML: %s at column %zu%s%s%s; %s", problem,
                        parser->problem_mark.column + 1, parser->context ? " " : "",
                        parser->context ? parser->context : "", since, advice_for(problem));
}

/* ---- Merges ---- */

/* Adds the entries of `source` that `map` lacks. */
static ritz_status merge_map(ritz_node *map, const ritz_node *source)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_AT(source->kind == RITZ_NODE_MAP, &map->place, "a merge key << takes a map or a list of maps");
    RITZ_REQUIRE_AT(source->n <= MAX_MERGED_KEYS && map->n <= MAX_MERGED_KEYS, &map->place,
                    "a merge key << may bring in at most %d keys", MAX_MERGED_KEYS);
    for (int i = 0; i < source->n; i++)
        if (source->keys[i]->kind == RITZ_NODE_SCALAR && strcmp(source->keys[i]->text, "<<") != 0 &&
            ritz_node_find(map, source->keys[i]->text) < 0)
            RITZ_TRY(ritz_node_add(map, source->keys[i], source->values[i]));
done:
    return status;
}

/* Takes the key << out of a map and brings in what it names, which is whole: an anchor's end comes before its aliases. */
static ritz_status resolve_merge(ritz_node *map)
{
    ritz_status status = RITZ_OK;
    const int at = map->kind == RITZ_NODE_MAP ? ritz_node_find(map, "<<") : -1;
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

/* ---- Nodes ---- */

/* Puts a node where the text has it: into the list or map that is open, or at the root. */
static ritz_status attach_node(composer *c, ritz_node *node)
{
    ritz_status status = RITZ_OK;
    open_node *top = c->depth > 0 ? &c->open[c->depth - 1] : NULL;
    if (!top)
        c->root = node;
    else if (top->node->kind == RITZ_NODE_MAP && !top->key)
        top->key = node;
    else {
        RITZ_TRY(ritz_node_add(top->node, top->key, node));
        top->key = NULL;
    }
done:
    return status;
}

/* Counts a node that is whole, written out or by an alias. */
static ritz_status count_node(composer *c, const ritz_node *node)
{
    ritz_status status = RITZ_OK;
    if (c->depth > 0) {
        int64_t *size = &c->open[c->depth - 1].size;
        *size += node->size;
        RITZ_REQUIRE_AT(*size <= MAX_SPELLED, &c->place,
                        "the aliases up to here expand to more than %d characters; use fewer", (int)MAX_SPELLED);
    }
done:
    return status;
}

static const anchor *find_anchor(const composer *c, const char *name)
{
    for (int i = 0; i < c->n_anchors; i++)
        if (strcmp(c->anchors[i].name, name) == 0)
            return &c->anchors[i];
    return NULL;
}

static ritz_status add_anchor(composer *c, const yaml_char_t *text, ritz_node *node)
{
    ritz_status status = RITZ_OK;
    const char *name = (const char *)text;
    if (!name)
        goto done;
    const anchor *first = find_anchor(c, name);
    RITZ_REQUIRE_AT(!first, &c->place, "the anchor '&%.60s' appears twice, first on line %d; give one another name",
                    name, first->node->place.line);
    RITZ_REQUIRE_AT(c->n_anchors < MAX_ANCHORS, &c->place, "more than %d anchors; use fewer", MAX_ANCHORS);
    RITZ_TRY(ritz_copy_text(name, &c->anchors[c->n_anchors].name));
    c->anchors[c->n_anchors++].node = node;
done:
    return status;
}

static ritz_status take_scalar(composer *c, const yaml_event_t *event)
{
    ritz_status status = RITZ_OK;
    ritz_node *node;
    const size_t length = event->data.scalar.length;
    RITZ_TRY(ritz_tree_add(c->tree, RITZ_NODE_SCALAR, c->place, &node));
    RITZ_NEW(node->text, (int64_t)length + 1);
    memcpy(node->text, event->data.scalar.value, length);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->size = (int64_t)length + 1;
    RITZ_REQUIRE_AT(strlen(node->text) == length, &c->place, "a text contains a NUL character; remove it");
    RITZ_TRY(add_anchor(c, event->data.scalar.anchor, node));
    RITZ_TRY(attach_node(c, node));
    RITZ_TRY(count_node(c, node));
done:
    return status;
}

static ritz_status take_alias(composer *c, const yaml_event_t *event)
{
    ritz_status status = RITZ_OK;
    const char *name = (const char *)event->data.alias.anchor;
    const anchor *found = find_anchor(c, name);
    RITZ_REQUIRE_AT(found, &c->place,
                    "'*%.60s' names an anchor, and no &%.60s comes before it; quote an expression that starts with *",
                    name, name);
    RITZ_REQUIRE_AT(found->node->size > 0, &c->place, "'*%.60s' refers to itself", name);
    RITZ_TRY(attach_node(c, found->node));
    RITZ_TRY(count_node(c, found->node));
done:
    return status;
}

static ritz_status begin_node(composer *c, ritz_node_kind kind, const yaml_char_t *name)
{
    ritz_status status = RITZ_OK;
    ritz_node *node;
    RITZ_REQUIRE_AT(c->depth < MAX_DEPTH, &c->place,
                    "lists and maps are nested more than %d deep here; a problem file needs fewer", MAX_DEPTH);
    RITZ_TRY(ritz_tree_add(c->tree, kind, c->place, &node));
    RITZ_TRY(add_anchor(c, name, node));
    RITZ_TRY(attach_node(c, node));
    c->open[c->depth++] = (open_node){.node = node, .size = 1};
done:
    return status;
}

static ritz_status end_container(composer *c)
{
    ritz_status status = RITZ_OK;
    ritz_node *node = c->open[c->depth - 1].node;
    node->size = c->open[c->depth - 1].size;
    c->depth--;
    RITZ_TRY(resolve_merge(node));
    RITZ_TRY(count_node(c, node));
done:
    return status;
}

/* ---- The text ---- */

static ritz_status take_event(composer *c, const yaml_event_t *event)
{
    ritz_status status = RITZ_OK;
    c->place.line = (int)event->start_mark.line + 1;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        RITZ_REQUIRE_AT(c->n_documents++ == 0, &c->place,
                        "a second YAML document starts here; a problem file holds one");
        break;
    case YAML_SCALAR_EVENT:
        return take_scalar(c, event);
    case YAML_ALIAS_EVENT:
        return take_alias(c, event);
    case YAML_SEQUENCE_START_EVENT:
        return begin_node(c, RITZ_NODE_LIST, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return begin_node(c, RITZ_NODE_MAP, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return end_container(c);
    default: /* starts and ends of the stream and the document */
        break;
    }
done:
    return status;
}

static ritz_status take_events(composer *c)
{
    ritz_status status = RITZ_OK;
    for (bool more = true; more && status == RITZ_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&c->parser, &event))
            return syntax_error(c);
        status = take_event(c, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return status;
}

static const char byte_order_mark[] = "\xef\xbb\xbf"; /* some editors put it before UTF-8 */

ritz_status ritz_tree_add_text(ritz_tree *tree, const char *text, ritz_place place, ritz_node **root)
{
    ritz_status status = RITZ_OK;
    if (strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0)
        text += strlen(byte_order_mark);
    composer c = {.tree = tree, .text = text, .place = place};
    const size_t length = strlen(text);
    if (!yaml_parser_initialize(&c.parser))
        return ritz_fail(RITZ_ERROR_MEMORY, "host memory ran out while the problem file was read");
    RITZ_REQUIRE_AT(length <= MAX_BYTES, &place, "too long for a problem file: %zu bytes, at most %d are read", length,
                    (int)MAX_BYTES);
    yaml_parser_set_encoding(&c.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&c.parser, (const unsigned char *)text, length);
    RITZ_TRY(take_events(&c));
    *root = c.root;
done:
    for (int i = 0; i < c.n_anchors; i++)
        ritz_free(c.anchors[i].name);
    yaml_parser_delete(&c.parser);
    return status;
}
