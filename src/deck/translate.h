/* Deck room: a deck of CalculiX said as a Ritz problem file. Depends on base, cell and mesh; what the problem file means
   is known above. */
#ifndef RITZ_SRC_DECK_TRANSLATE_H
#define RITZ_SRC_DECK_TRANSLATE_H

#include "mesh/deck.h"

/* The text of a problem file, and for each of its lines the line of the deck that it came from. */
typedef struct ritz_deck_problem {
    char *text;
    int n_lines, capacity;
    struct ritz_deck_origin {
        int file, line;
    } * origins; /* [n_lines] */
    int n_files;
    char **files; /* [n_files] */
    int n_notes;
    int n_tables;
    struct ritz_deck_table {
        char *name, *text;
    } * tables;   /* [n_tables] files that the text names and that are not on the disk: numbers of nodes and values */
    char **notes; /* [n_notes] what the deck asks for and the result will not have */
} ritz_deck_problem;

/* path: of the deck; mesh: the name that the problem file gives to the mesh; dat: of the file of printed values, NULL: none
   is named. RITZ_ERROR_INPUT lists what is not served, at most 20 lines. */
ritz_status ritz_deck_translate(const char *path, const char *mesh, const char *dat, ritz_deck_problem *problem);
/* Writes a deck as the problem file at `problem` and its mesh beside it: part.msh for part.yaml. */
ritz_status ritz_deck_convert(const char *path, const char *problem);
void ritz_deck_problem_free(ritz_deck_problem *problem);

/* ---- Private to the room ---- */

/* What the deck does: one for all its steps. */
typedef enum ritz_deck_procedure { RITZ_DECK_NOTHING, RITZ_DECK_STATIC, RITZ_DECK_HEAT } ritz_deck_procedure;
enum { RITZ_DECK_TEMPERATURE = 11 }; /* its degree of freedom, which may be called 0 too */

/* Keywords and parameters that are not served, all of them at once. */
ritz_status ritz_deck_check_served(const ritz_deck *deck);

/* Values of a card that depend on the temperature. */
typedef struct ritz_deck_curve {
    const ritz_deck_card *card; /* NULL: they do not */
    int n_values;
} ritz_deck_curve;

typedef struct ritz_deck_material {
    const ritz_deck_card *card;
    const char *name;
    bool has_elastic, has_density, has_conductivity, has_expansion;
    double young, poisson, density, conductivity[3], expansion[3];
    int n_expansion, n_conductivity;               /* 1, or 3 of the directions */
    ritz_deck_curve elastic_of;                    /* in the place of young and poisson */
    ritz_deck_curve expansion_of, conductivity_of; /* in the place of one number */
    double expansion_zero;                         /* the temperature at which nothing has expanded */
    /* where n_constants is not 0, in the place of young and poisson: 9 E1 E2 E3 nu12 nu13 nu23 G12 G13 G23, or 21 c11 c12
       .. c66 in Voigt's order */
    int n_constants;
    double constants[21];
} ritz_deck_material;

typedef struct ritz_deck_section {
    const ritz_deck_card *card;
    int32_t group;
    int material;
    int orientation;  /* -1: none */
    double thickness; /* 0: none */
    bool has_stress;
    double stress[6]; /* that it begins with: xx yy zz xy xz yz, as the deck has it */
} ritz_deck_section;

typedef enum ritz_deck_load_kind {
    RITZ_DECK_SUPPORT,     /* component, value */
    RITZ_DECK_POINT,       /* component, value at each node */
    RITZ_DECK_PRESSURE,    /* value */
    RITZ_DECK_FLUX,        /* value, into the body */
    RITZ_DECK_FILM,        /* value: the coefficient, vector[0]: the ambient temperature */
    RITZ_DECK_RADIATION,   /* value: the emissivity, vector: the ambient temperature, the absolute zero, the constant */
    RITZ_DECK_GRAVITY,     /* vector, an acceleration */
    RITZ_DECK_CENTRIFUGAL, /* value: the speed squared; vector: the axis, of length 1, through point */
    RITZ_DECK_FORCE,       /* vector, of the volume */
    RITZ_DECK_SOURCE,      /* value, of the volume */
    RITZ_DECK_KINDS
} ritz_deck_load_kind;

typedef struct ritz_deck_load {
    ritz_deck_load_kind kind;
    int32_t group;
    int component, step; /* step: where it was given, 0 before the first */
    int control;         /* 0, or 1 + the control that it is on; component: displacements, then rotations */
    double value, vector[3], point[3]; /* point of gravity: the direction as it was given */
    double factor;                     /* of its card's amplitude, which is in value and vector */
    const ritz_deck_card *card;
    bool mixed; /* several amplitudes */
    ritz_deck_place place;
} ritz_deck_load;

/* Temperatures: linear[3] + linear[0] x + linear[1] y + linear[2] z where they are that at all nodes of elements. */
typedef struct ritz_deck_temperature {
    double linear[4];
    double *values; /* [n_nodes], NULL: they are linear */
} ritz_deck_temperature;

/* A step and what acts at its end. */
typedef struct ritz_deck_step {
    ritz_deck_place place;
    double time; /* its length */
    bool has_temperature;
    ritz_deck_temperature temperature;
    int n_loads;
    ritz_deck_load *loads;
} ritz_deck_step;

/* A system of a set of nodes. */
typedef struct ritz_deck_transform {
    const ritz_deck_card *card;
    int32_t group;
    bool cylindrical;
    double origin[3], axes[3][3]; /* of a cylindrical one the third axis alone */
} ritz_deck_transform;

/* A motion that nodes without elements stand for. */
typedef struct ritz_deck_control {
    enum { RITZ_DECK_RIGID, RITZ_DECK_DISTRIBUTED, RITZ_DECK_MEAN_ROTATION } kind;
    const ritz_deck_card *card;
    int32_t group;   /* what moves so, or is pulled by it */
    int64_t node[2]; /* of displacements (of a mean rotation its angle), of rotations; -1: none */
    int64_t line;    /* of a mean rotation */
    bool turns[3];   /* the rotations that a *DISTRIBUTING couples: moments about others act on nothing */
} ritz_deck_control;

/* A multiple point constraint. */
typedef enum ritz_deck_mpc_kind {
    RITZ_DECK_PLANE,
    RITZ_DECK_STRAIGHT,
    RITZ_DECK_BEAM,
    RITZ_DECK_MEANROT
} ritz_deck_mpc_kind;
typedef struct ritz_deck_mpc {
    ritz_deck_mpc_kind kind;
    int n;
    int64_t *nodes; /* [n] */
    ritz_deck_place place;
} ritz_deck_mpc;

/* The terms of one equation, along x, y, z. */
typedef struct ritz_deck_equation {
    int n, capacity;
    struct ritz_deck_term {
        int64_t node;
        int component;
        double weight;
    } * terms;
    double value;
    ritz_deck_place place;
} ritz_deck_equation;

/* A degree of freedom of a node of no element that equations alone move: the motion plus `rest`'s terms is rest.value. */
typedef struct ritz_deck_reference {
    int64_t node;
    int component;
    ritz_deck_equation rest;
} ritz_deck_reference;

typedef struct ritz_deck_analysis {
    const ritz_deck *deck;
    ritz_deck_procedure procedure;
    int dim;
    int n_materials, n_sections, n_steps, n_transforms, n_orientations, n_controls;
    ritz_deck_material *materials;
    ritz_deck_section *sections;
    ritz_deck_step *steps;
    ritz_deck_transform *transforms, *orientations;
    ritz_deck_control *controls;
    int n_equations, n_references;
    ritz_deck_equation *equations; /* of *EQUATION; no terms: it said what the motion of a reference is */
    ritz_deck_reference *references;
    ritz_deck_temperature reference; /* initial temperatures */
} ritz_deck_analysis;

ritz_status ritz_deck_read_materials(ritz_deck_analysis *analysis);
/* n numbers of a card, on as many lines as they take with the temperature behind them; further lines must repeat them. */
ritz_status ritz_deck_read_numbers(const ritz_deck *deck, const ritz_deck_card *card, const char *example, int n,
                                   double *values);
/* elastic.c: *ELASTIC, and as keys of a material. */
ritz_status ritz_deck_read_elastic(const ritz_deck *deck, const ritz_deck_card *card, ritz_deck_material *material);
void ritz_deck_write_elastic(const ritz_deck *deck, const ritz_deck_material *material, ritz_text *text);
/* curves.c: a line of n values and a temperature each, temperatures increasing. */
ritz_status ritz_deck_read_curve(const ritz_deck *deck, const ritz_deck_card *card, int n, ritz_deck_curve *curve);
/* One of the values, as a table of the problem file; at a temperature, as there: linear, and constant beyond the rows. */
void ritz_deck_write_curve(const ritz_deck *deck, const ritz_deck_curve *curve, int value, ritz_text *text);
double ritz_deck_curve_at(const ritz_deck *deck, const ritz_deck_curve *curve, int value, double temperature);
/* The coefficient a* whose strain a*(T) (T - initial) is a(T) (T - zero) - a(initial) (initial - zero). */
void ritz_deck_write_expansion(const ritz_deck *deck, const ritz_deck_curve *curve, double zero, double initial,
                               ritz_text *text);
ritz_status ritz_deck_read_steps(ritz_deck_analysis *analysis);
/* Whether loads are of one kind and act along the same way, so that on the same thing the later one replaces the other. */
bool ritz_deck_acts_alike(const ritz_deck_load *a, const ritz_deck_load *b);
/* volume.c: an element turns about one axis. Of two CalculiX keeps one, and not the later one in each case: an error. */
ritz_status ritz_deck_check_turning(const ritz_deck *deck, const ritz_deck_load *loads, int n);
/* temperatures.c; values[n_nodes]. */
/* *PHYSICAL CONSTANTS that `reader` needs: the absolute zero, and the constant of Stefan and Boltzmann. */
ritz_status ritz_deck_read_constants(const ritz_deck *deck, const ritz_deck_card *reader, double *zero,
                                     double *stefan_boltzmann);
ritz_status ritz_deck_read_initial_temperatures(const ritz_deck *deck, double *values);
ritz_status ritz_deck_set_temperatures(const ritz_deck *deck, const ritz_deck_card *card, double factor,
                                       double *values);
/* Whether CalculiX's function in some of the cells is not that of the nodes: C3D8, C3D20 and what it makes of plane ones. */
bool ritz_deck_has_own_temperatures(const ritz_deck *deck);
/* values[n_nodes]; what it takes of them is freed with the analysis. */
ritz_status ritz_deck_fit_temperatures(const ritz_deck *deck, const double *values, ritz_deck_temperature *temperature);
/* What *TEMPERATURE says, as a file with a line a node: the caller's. */
ritz_status ritz_deck_write_table(const ritz_deck *deck, const double *values, char **text);
ritz_status ritz_deck_read_transforms(ritz_deck_analysis *analysis);
/* The systems of *ORIENTATION; one by its name, -1: there is none. */
ritz_status ritz_deck_read_orientations(ritz_deck_analysis *analysis);
int ritz_deck_find_orientation(const ritz_deck_analysis *analysis, const char *name);
/* A system in which these components (bits) are along the same directions as in those of all nodes of a group, -1: x, y, z. */
ritz_status ritz_deck_find_transform(const ritz_deck_analysis *analysis, int32_t group, unsigned components,
                                     ritz_deck_place place, int *transform);
/* The system that a node is in; NULL: x, y, z. */
const ritz_deck_transform *ritz_deck_transform_of(const ritz_deck_analysis *analysis, int64_t node);
/* The direction of a component at a point; on the axis of a cylindrical system that which CalculiX takes. */
void ritz_deck_transform_axis(const ritz_deck_transform *transform, const double x[3], int component, double axis[3]);
/* The place in a group of nodes, from `first` on, of one on the system's axis; -1: there is none, or no axis. */
int64_t ritz_deck_next_on_axis(const ritz_deck *deck, const ritz_deck_transform *transform, int32_t group,
                               int64_t first);
/* controls.c */
ritz_status ritz_deck_read_controls(ritz_deck_analysis *analysis);
/* The control whose node the group is, -1 for none; turns: its node of rotations. */
ritz_status ritz_deck_find_control(const ritz_deck_analysis *analysis, int32_t group, ritz_deck_place place,
                                   int *control, bool *turns);
/* The motion that a node stands for, NULL: none. */
const ritz_deck_control *ritz_deck_find_motion(const ritz_deck_analysis *analysis, int64_t node);
/* Whether the first step prescribes the mean rotation that a line of *MPC defines. */
bool ritz_deck_prescribes_rotation(const ritz_deck_analysis *analysis, int64_t line, double *value);
/* mpc.c: that of line *l, which goes behind it; mpc->nodes is the caller's. */
ritz_status ritz_deck_read_mpc(const ritz_deck_analysis *analysis, const ritz_deck_card *card, int64_t *l,
                               ritz_deck_mpc *mpc);
/* Its equations, the caller's; line: where it begins. */
ritz_status ritz_deck_list_mpc(const ritz_deck_analysis *analysis, const ritz_deck_mpc *mpc, int64_t line,
                               ritz_deck_equation **equations, int *n);
ritz_status ritz_deck_mean_rotation(const ritz_deck_analysis *analysis, const ritz_deck_mpc *mpc,
                                    ritz_deck_equation *equation);
/* equations.c */
/* Its index in the equation, -1: it has no such term. */
int ritz_deck_find_term(const ritz_deck_equation *equation, int64_t node, int component);
ritz_status ritz_deck_add_term(ritz_deck_equation *equation, int64_t node, int component, double weight);
/* All of *EQUATION, without references. */
ritz_status ritz_deck_read_equations(ritz_deck_analysis *analysis);
/* Takes a line of the problem file. */
typedef ritz_status ritz_deck_line_function(void *context, ritz_deck_place place, const char *text);
ritz_status ritz_deck_write_ties(const ritz_deck_analysis *analysis, ritz_deck_line_function *write, void *context);
ritz_status ritz_deck_write_equations(const ritz_deck_analysis *analysis, ritz_deck_line_function *write,
                                      void *context);
/* references.c: each is solved for in an equation that has it, and the others and itself are rid of it. */
ritz_status ritz_deck_solve_references(ritz_deck_analysis *analysis);
/* That of a degree of freedom, NULL: it is none. */
const ritz_deck_reference *ritz_deck_find_reference(const ritz_deck_analysis *analysis, int64_t node, int component);
void ritz_deck_analysis_free(ritz_deck_analysis *analysis);

#endif
