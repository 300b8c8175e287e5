/* Tables of keys: what a map of the problem file may hold, and how each value is read. One reader walks them all
   and says, with the line, what is unknown, missing, twice there or of the wrong kind. */
#ifndef RITZ_SRC_PROBLEM_READER_H
#define RITZ_SRC_PROBLEM_READER_H

#include "form/form.h"
#include "problem/tree.h"

/* A number or an expression of x, y, z. Not given: expression is NULL. */
typedef struct ritz_quantity {
    ritz_expression *expression;
    bool constant;
    double value; /* when constant */
    ritz_place place;
    char *of_temperature;   /* its text, where that reads T, until the temperature is put in; else NULL */
    bool reads_temperature; /* T is the expression's fourth variable: it is known at points alone */
} ritz_quantity;

/* Quantities, one per axis or component; not given: n = 0. */
typedef struct ritz_vector {
    int n;
    struct ritz_nodal_source *nodal; /* what is given at nodes instead, of one component; NULL: nothing; owned */
    ritz_quantity component[RITZ_MAX_COMPONENTS];
    ritz_place place;
} ritz_vector;

/* Names of groups. */
typedef struct ritz_names {
    int n;
    char **name;
    ritz_place *places; /* [n] */
} ritz_names;

typedef struct ritz_key ritz_key;
/* Reads `node` into `target` (at the key's offset in the caller's struct). `context` is the caller's, as given to
   ritz_read_map. */
typedef ritz_status ritz_read_function(const ritz_node *node, const ritz_key *key, void *target, void *context);
struct ritz_key {
    const char *name;
    ritz_read_function *read;
    size_t offset;
    const char *example; /* a whole entry, for messages: "order: 2" */
    bool required;
    int least, most;               /* of a whole number, or of the length of a vector; 0, 0: not bounded */
    const char *const *components; /* names in a map of components; NULL: x, y, z */
    bool of_temperature;           /* quantities may be tables and read T */
    const char *gone;              /* of a key of earlier versions: where it went, for the message that refuses it */
};
#define RITZ_N_KEYS(table) ((int)(sizeof(table) / sizeof *(table)))

/* Reads a map by its table, in the table's order. `what` names it in messages ("the problem", "a material"). A
   known key with the value null counts as absent. */
ritz_status ritz_read_map(const ritz_node *node, const char *what, const ritz_key *keys, int n_keys, void *target,
                          void *context);
/* "'order' takes a whole number, like  order: 2; got a list", with the place. */
ritz_status ritz_wrong_type(const ritz_node *node, const ritz_key *key, const char *expected);

/* Readers of single values; the type of the target stands behind each. */
ritz_read_function ritz_read_text;       /* char *, owned */
ritz_read_function ritz_read_real;       /* double: a number, or an expression of numbers alone */
ritz_read_function ritz_read_positive;   /* double > 0 */
ritz_read_function ritz_read_reals;      /* double[3]: a list of key->least..most numbers */
ritz_read_function ritz_read_integer;    /* int32_t in key->least..most */
ritz_read_function ritz_read_integers;   /* int32_t[3] */
ritz_read_function ritz_read_quantity;   /* ritz_quantity */
ritz_read_function ritz_read_components; /* ritz_vector: a list, or a map by names (absent ones stay not given) */
ritz_read_function ritz_read_names;      /* ritz_names: one name or a list */

/* *value of a name among the choices. */
ritz_status ritz_read_choice(const ritz_node *node, const ritz_key *key, const ritz_name_table *choices, int *value);

/* The text of a file of at most 4 MB, the caller's; with the words for one that is too long or holds zeros. */
ritz_status ritz_read_yaml(const char *path, const char *too_long, const char *no_text, char **text);

/* temperature_tables.c: a quantity that may depend on the temperature. */
/* Whether the text of an expression reads T. */
bool ritz_reads_temperature(const char *text);
ritz_status ritz_read_of_temperature(const ritz_node *node, const ritz_key *key, ritz_quantity *quantity);
/* Whether a node is {table: ...}. */
bool ritz_is_table(const ritz_node *node);

/* The name that a word is likely to mean, by the words of other programs or by its letters; NULL if none is near. */
const char *ritz_meant(const char *word, const char *const *names, int n_names);
/* Whether one of n texts repeats an earlier one: the first that does (again), and the earlier one (first). */
ritz_status ritz_find_repeated(char *const *texts, int n, int *first, int *again, bool *found);

/* A number as YAML 1.1 and 1.2 write it (210e9, 1e-7, .5, 1_000, 0x1f, .inf, .nan). False if the text is something
   else. */
bool ritz_parse_number(const char *text, double *value);
/* A quantity from a text; errors carry the place. */
ritz_status ritz_quantity_create(const char *text, ritz_place place, ritz_quantity *quantity);
/* Its value at x, x y z and where it reads that T; 0 where it is not given. */
double ritz_quantity_at(const ritz_quantity *quantity, const double x[3]);
/* Whether no component varies; those that are not given do not. What is given at nodes is not looked at. */
bool ritz_vector_is_constant(const ritz_vector *vector);
void ritz_quantity_free(ritz_quantity *quantity);
void ritz_vector_free(ritz_vector *vector);
void ritz_nodal_source_free(struct ritz_nodal_source **source);
void ritz_names_free(ritz_names *names);

#endif
