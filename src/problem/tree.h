/* The problem file as a tree of nodes, each with the place it came from: the YAML text, its merges resolved, and the
   settings of the command line put in. Knows nothing of what the keys mean. */
#ifndef RITZ_SRC_PROBLEM_TREE_H
#define RITZ_SRC_PROBLEM_TREE_H

#include "base/base.h"

/* Where a text came from, for messages. The strings live as long as the problem. */
typedef struct ritz_place {
    const char *file;    /* name of the problem file */
    const char *setting; /* "order=2" when a setting of the command line put it there, else NULL */
    int line;            /* counted from 1; 0: the file as a whole */
} ritz_place;

/* The message with its place before it: "part.yaml:7: ...", "--set order=9: ...". Returns `status`. */
ritz_status ritz_fail_at(ritz_status status, const ritz_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts the place before the current message. Returns `status`. */
ritz_status ritz_fail_context_at(ritz_status status, const ritz_place *place);
#define RITZ_REQUIRE_AT(condition, place, ...)                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            status = ritz_fail_at(RITZ_ERROR_INPUT, (place), __VA_ARGS__);                                             \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

typedef enum ritz_node_kind { RITZ_NODE_SCALAR, RITZ_NODE_LIST, RITZ_NODE_MAP } ritz_node_kind;

/* Children are shared: an alias is the same node. */
typedef struct ritz_node ritz_node;
struct ritz_node {
    ritz_node_kind kind;
    bool quoted; /* scalar in quotes: a text even if it looks like null */
    ritz_place place;
    char *text;         /* scalar; owned */
    int n;              /* children */
    ritz_node **keys;   /* map: [n] scalars or whatever the file put there; NULL in a list */
    ritz_node **values; /* [n] */
    int64_t size;       /* characters that the text spells out here, those of aliases included; 0 before its end */
};

typedef struct ritz_tree {
    ritz_node *root; /* NULL for an empty file */
    ritz_node **nodes;
    int n_nodes, capacity;
} ritz_tree;

/* `file` names the text in messages and must outlive the tree. */
ritz_status ritz_tree_parse(const char *text, const char *file, ritz_tree **tree);
void ritz_tree_destroy(ritz_tree **tree);
/* Puts a setting "materials.0.young=70e9" into the tree; maps on the way are made where they are missing, a list
   takes a number up to its length. `setting` must outlive the tree. */
ritz_status ritz_tree_set(ritz_tree *tree, const char *file, const char *setting);

/* compose.c: appends the nodes of a YAML text; *root is NULL where it is empty. */
ritz_status ritz_tree_add_text(ritz_tree *tree, const char *text, ritz_place place, ritz_node **root);
/* Adds a node to the tree, which owns it, and a child to a list (key: NULL) or map. */
ritz_status ritz_tree_add(ritz_tree *tree, ritz_node_kind kind, ritz_place place, ritz_node **added);
ritz_status ritz_node_add(ritz_node *parent, ritz_node *key, ritz_node *value);
/* Index of a key in a map, or -1. */
int ritz_node_find(const ritz_node *map, const char *key);

/* Whether the node is empty: an empty value, ~ or null. */
bool ritz_node_is_null(const ritz_node *node);
/* "a list", "a map", "nothing", "the text 'abc'": for messages; buffer[64] may be used for it. */
const char *ritz_node_describe(const ritz_node *node, char buffer[64]);

#endif
