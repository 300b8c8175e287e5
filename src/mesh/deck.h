/* Decks of CalculiX and Abaqus (.inp): cards as the files hold them, and the nodes, elements, sets and surfaces that
   they name. What the cards mean beyond the mesh is not known here. */
#ifndef RITZ_SRC_MESH_DECK_H
#define RITZ_SRC_MESH_DECK_H

#include "mesh/mesh.h"

enum { RITZ_DECK_FIELDS = 32, RITZ_DECK_PARAMETERS = 16, RITZ_DECK_WORD = 96 };

/* A line of a file, for messages. */
typedef struct ritz_deck_place {
    const char *file; /* owned by the deck */
    int line;
} ritz_deck_place;

typedef struct ritz_deck_line {
    ritz_deck_place place;
    char *text;     /* within the file's text; without the end of the line */
    int32_t target; /* group that the load of this line acts on; -1: none */
    bool joined;    /* the line before has said it for the whole group */
} ritz_deck_line;

typedef struct ritz_deck_parameter {
    char *name, *value; /* name in capitals; value NULL where there is none, as it was written */
} ritz_deck_parameter;

/* A keyword with what follows it. */
typedef struct ritz_deck_card {
    ritz_deck_place place;
    char *keyword; /* in capitals, without the star and without blanks: "SOLIDSECTION" */
    char *words;   /* the same with blanks, for messages: "SOLID SECTION" */
    ritz_deck_parameter parameters[RITZ_DECK_PARAMETERS];
    int n_parameters;
    int64_t first, n; /* its lines */
} ritz_deck_card;

typedef enum ritz_deck_formulation {
    RITZ_DECK_SHAPES,    /* what its shape functions say */
    RITZ_DECK_MODES,     /* incompatible ones besides */
    RITZ_DECK_HOURGLASS, /* mean strains and hourglass control */
    RITZ_DECK_N_FORMULATIONS
} ritz_deck_formulation;

/* An element type of the deck. */
typedef struct ritz_deck_element {
    const char *name;
    ritz_cell cell;
    int n_nodes;
    char plane;   /* 's': plane stress, 'e': plane strain, 'a': axisymmetric; 0: in space */
    bool reduced; /* fewer points of quadrature */
    ritz_deck_formulation formulation;
} ritz_deck_element;

typedef struct ritz_deck_group {
    char *name;           /* of the mesh's group */
    char *own;            /* as the deck calls it, in capitals; NULL: made for lines that name numbers */
    ritz_group_kind kind; /* members: places of nodes or elements, for facets with Abaqus' face from 1 */
    int64_t n, capacity;
    int64_t *members;
} ritz_deck_group;

typedef struct ritz_deck_numbered ritz_deck_numbered; /* deck_numbers.c */

typedef struct ritz_deck {
    char *path;
    int n_files;
    char **files, **texts; /* [n_files] names and contents */
    int64_t n_cards, card_capacity, n_lines, line_capacity;
    ritz_deck_card *cards;
    ritz_deck_line *lines;
    int64_t n_nodes, node_capacity, n_elements, element_capacity, n_connected, connected_capacity;
    double *nodes;                   /* [n_nodes][3] */
    int64_t *node_numbers;           /* [n_nodes] */
    int64_t *numbers;                /* [n_elements] */
    int64_t *starts;                 /* [n_elements] of each in `connected` */
    int32_t *connected;              /* places of nodes, in the deck's order */
    const ritz_deck_element **types; /* [n_elements] */
    struct ritz_msh_numbers *node_table, *element_table;
    int dim;                      /* the largest of its elements */
    bool mesh_alone;              /* elements on sides and edges of others are groups; else none of them is served */
    ritz_deck_numbered *numbered; /* [n_numbered] lines that name numbers, until they have groups */
    int64_t n_numbered, numbered_capacity;
    uint8_t *used;        /* [n_nodes] whether an element has the node */
    int32_t *node_groups; /* [n_nodes] the group of this node alone, -1: none */
    int32_t n_groups, group_capacity;
    ritz_deck_group *groups;
} ritz_deck;

/* Reads the file and those that it includes, and what of it is the mesh. RITZ_ERROR_INPUT with file and line. */
ritz_status ritz_deck_read(const char *path, ritz_deck **deck);
/* The same in two steps, for callers in the C locale: the cards, then the mesh. After a failure of the second the cards
   are there. */
ritz_status ritz_deck_open(const char *path, ritz_deck **deck);
ritz_status ritz_deck_read_mesh(ritz_deck *deck);
void ritz_deck_destroy(ritz_deck **deck);
/* Its mesh, with a group for each set and surface and for each number that a load is on. */
ritz_status ritz_deck_make_mesh(const ritz_deck *deck, ritz_mesh **mesh);

/* "deck.inp:12: ..."; returns RITZ_ERROR_INPUT. */
ritz_status ritz_deck_fail(ritz_deck_place place, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The fields of a line between its commas, without blanks around them, at most RITZ_DECK_FIELDS; returns how many. */
int ritz_deck_fields(const ritz_deck_line *line, char fields[RITZ_DECK_FIELDS][RITZ_DECK_WORD]);
/* A whole field as a number (1.e3, 1D3, 7); false where it is something else. */
bool ritz_deck_real(const char *field, double *value);
bool ritz_deck_integer(const char *field, int64_t *value);
/* Two points, as the only line of *TRANSFORM and *ORIENTATION has them; false where it is something else. */
bool ritz_deck_two_points(const ritz_deck *deck, const ritz_deck_card *card, double points[6]);
/* The value of a parameter, "" where it has none, NULL where it is not there. */
const char *ritz_deck_parameter_value(const ritz_deck_card *card, const char *name);
/* The set of this name and kind, in any case; -1 if there is none. */
int32_t ritz_deck_find_set(const ritz_deck *deck, const char *name, ritz_group_kind kind);
const char *ritz_deck_meant(const ritz_deck *deck, const char *name, ritz_group_kind kind, char text[RITZ_DECK_WORD]);
/* A node or element by its number in the deck: its place, -1 if there is none. */
int64_t ritz_deck_find_number(const ritz_deck *deck, bool element, int64_t number);
/* Whether a group of nodes or of elements has this one, by its place. */
bool ritz_deck_has_member(const ritz_deck *deck, int32_t group, int64_t member);
/* How many nodes of a group of nodes some element has, each counted once. */
ritz_status ritz_deck_count_nodes(const ritz_deck *deck, int32_t group, int64_t *n);

/* Whether a card says what stresses or strains elements begin with, and a line of it. Elements of one section and one value
   are a group, the target of one of their lines; those of a section n (from 1, in the deck's order) without are the group
   " SECTIONn_REST". */
bool ritz_deck_is_state(const ritz_deck_card *card);
ritz_status ritz_deck_read_state(const ritz_deck_line *line, int64_t *number, double v[6]);
/* The group of the elements of one formulation in section n (from 0), where the section has several; -1: it has not. */
int32_t ritz_deck_find_part(const ritz_deck *deck, int section, ritz_deck_formulation formulation);

/* Private to the readers of decks: */
ritz_status ritz_deck_name_states(ritz_deck *deck);
ritz_status ritz_deck_name_parts(ritz_deck *deck);
ritz_status ritz_deck_read_cards(const char *path, ritz_deck *deck);
ritz_status ritz_deck_read_elements(ritz_deck *deck);
ritz_status ritz_deck_read_sets(ritz_deck *deck);
ritz_status ritz_deck_name_targets(ritz_deck *deck);
/* deck->node_groups, for what needs them. */
ritz_status ritz_deck_name_nodes(ritz_deck *deck);
ritz_status ritz_deck_add_group(ritz_deck *deck, const char *own, ritz_group_kind kind, int32_t *group);
ritz_status ritz_deck_add_member(ritz_deck *deck, int32_t group, int64_t member, int64_t face);
/* A line that names a number, and whether it goes on with the one before; then targets for all of them (deck_numbers.c). */
ritz_status ritz_deck_add_numbered(ritz_deck *deck, const ritz_deck_line *line, bool joins, int card_kind,
                                   ritz_group_kind kind, int64_t member, int64_t face);
ritz_status ritz_deck_group_numbered(ritz_deck *deck);
/* Gmsh's type of an element, and from[n_nodes]: the place in it of each of Gmsh's nodes. */
ritz_status ritz_deck_gmsh_order(const ritz_deck_element *type, int *gmsh, int *from);
/* The place in an element of the node between two vertices, -1 where these have no edge. */
int ritz_deck_middle(ritz_cell cell, int a, int b);
/* Local facet of the cell for Abaqus' face (from 1); -1 if there is none. */
int ritz_deck_facet(ritz_cell cell, int64_t face);

#endif
