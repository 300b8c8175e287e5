/* Problem room, internal side: what a problem file says, once read. Depends on every room but distributed. */
#ifndef RITZ_SRC_PROBLEM_H
#define RITZ_SRC_PROBLEM_H

#include "deck/translate.h"
#include "device/device.h"
#include "form/form.h"
#include "integrate/enhance.h"
#include "mesh/mesh.h"
#include "output/output.h"
#include "physics/library.h"
#include "physics/physics.h"
#include "problem/form_file.h"
#include "problem/frames.h"
#include "problem/joins.h"
#include "problem/reader.h"
#include "ritz/problem.h"
#include "solve/solve.h"
#include "space/space.h"

/* ---- The description ---- */

typedef struct ritz_material {
    ritz_names groups;                         /* none: the cells that no other material names */
    ritz_vector property[RITZ_MAX_PROPERTIES]; /* as the physics lists them */
    const ritz_frame *orientation;             /* of its axes; NULL: x, y, z */
    ritz_enhancement_kind formulation;         /* of the elements */
    ritz_place formulation_place;
    bool of_temperature; /* a property reads T */
    ritz_place place;
} ritz_material;

typedef struct ritz_boundary {
    ritz_names groups;
    const ritz_frame *system;                 /* of its components; NULL: x, y, z */
    bool fixed;                               /* displacement: fixed */
    ritz_vector term[RITZ_MAX_BOUNDARY_KEYS]; /* as the physics lists its keys; n = 0: not given */
    ritz_place place;
} ritz_boundary;

/* A scalar at the nodes of the mesh: of a result file, of a file with a line a node, or of groups. */
typedef struct ritz_nodal_source {
    char *result, *field; /* as written */
    char *nodes;          /* likewise */
    int n_groups;
    struct ritz_nodal_group {
        ritz_names groups;
        ritz_quantity value;
        ritz_place place;
    } * groups;          /* [n_groups] the later one counts */
    ritz_quantity other; /* of nodes without a value of their own; may be not given */
    bool as_calculix;    /* in cells of some kinds, what CalculiX takes of them */
    ritz_place place;
} ritz_nodal_source;
/* parse_nodal.c: a quantity or a map of such a source, into a ritz_vector. */
ritz_read_function ritz_read_nodal;

/* Loads, of all cases or of one. */
typedef struct ritz_loads {
    ritz_boundary *boundary;
    int n_boundary;
    ritz_vector body[RITZ_MAX_BODY_LOADS]; /* as the physics lists them */
    ritz_vector exact;                     /* the known solution */
} ritz_loads;

typedef struct ritz_load_case {
    char *name;
    ritz_place place;
    ritz_loads loads;    /* besides those of the top level */
    ritz_material *body; /* of the properties, loads alone; they add up where groups overlap */
    int n_body;
} ritz_load_case;

/* A sum of load cases. */
typedef struct ritz_combination {
    char *name;
    ritz_place place;
    double *factors; /* [n_cases] */
} ritz_combination;

/* A group that is chosen by place. */
typedef struct ritz_group_choice {
    char *name;
    ritz_group_kind of;
    bool edges; /* it said so */
    ritz_criterion criteria[RITZ_MAX_CRITERIA];
    int n_criteria;
    ritz_names groups, without;
    double tolerance; /* 0: not given */
    int n_axes;       /* that points were given with; 0: no points */
    ritz_place place;
} ritz_group_choice;
void ritz_group_choices_free(ritz_group_choice **choices, int *n);

/* Points at which the result's values are written. */
typedef struct ritz_probe {
    char *name;
    char *file;   /* as written, NULL: after the result file */
    bool is_line; /* the points run along one */
    int32_t count;
    int n_axes;     /* that the points were given with */
    int32_t n;      /* points */
    double *points; /* [n][3] */
    ritz_place place;
} ritz_probe;
void ritz_probes_free(ritz_probe **probes, int *n);
/* Systems that vectors at nodes are along: those of groups, or of all nodes (no groups); the later one counts. */
typedef struct ritz_node_system {
    ritz_names groups;
    const ritz_frame *system;
} ritz_node_system;
typedef struct ritz_node_systems {
    int n;
    ritz_node_system *list;
} ritz_node_systems;
void ritz_node_systems_free(ritz_node_systems *systems);
/* Tables of forces and flows at nodes: of each node, with their sum, or the sum alone. */
typedef enum ritz_totals { RITZ_NO_TOTALS, RITZ_WITH_TOTALS, RITZ_TOTALS_ONLY } ritz_totals;
/* Values to be printed: of the nodes of a group, or at the points of quadrature of its cells. */
typedef struct ritz_print {
    ritz_names groups, values;
    char *case_name;           /* NULL: in each case */
    ritz_totals totals;        /* along x, y, z */
    ritz_node_systems systems; /* of vectors at nodes */
    ritz_place place;
} ritz_print;

typedef enum ritz_mesh_source { RITZ_MESH_FILE, RITZ_MESH_GEOMETRY, RITZ_MESH_BOX } ritz_mesh_source;

typedef enum ritz_solver_choice {
    RITZ_CHOOSE_METHOD = 0,
    RITZ_CHOOSE_CG,
    RITZ_CHOOSE_BICGSTAB,
    RITZ_CHOOSE_GMRES,
    RITZ_CHOOSE_DIRECT
} ritz_solver_choice;

typedef struct ritz_solver_settings {
    ritz_solver_choice method;
    ritz_place method_place, matrix_place;
    ritz_preconditioner preconditioner;
    int32_t degree; /* of a polynomial; 0: the default */
    ritz_precision precision;
    ritz_value_type storage; /* with vectors: of a preconditioner, where precision is mixed */
    ritz_vectors_choice vectors;
    ritz_matrix_choice matrix;
    double tolerance;
    int32_t max_iterations;
    double memory; /* GB, of method direct; 0: what the host has free */
} ritz_solver_settings;
/* As the solver takes them; an automatic method is cg for a symmetric problem. */
int64_t ritz_memory_most(const ritz_solver_settings *solver); /* bytes, 0: what is free */
/* Nothing is asked for that only one method has. */
bool ritz_solver_is_open(const ritz_solver_settings *solver);
ritz_solve_options ritz_solver_options(const ritz_solver_settings *solver, bool symmetric);

/* Of Newton's method. */
typedef struct ritz_newton_settings {
    int32_t steps;          /* of the load */
    int32_t max_iterations; /* of a step; 0: the default */
    double tolerance;       /* 0: the default */
    ritz_vector start;      /* expressions of x y z; n = 0: zeros */
} ritz_newton_settings;

struct ritz_problem {
    char *file;        /* as named in messages */
    char *folder;      /* relative paths start here, "" for the current one */
    char *stem;        /* name without folder and ending, for the result file; NULL for a text */
    char *description; /* the tree as JSON */
    char **settings;   /* copies: places point at them */
    int n_settings;
    ritz_deck_problem deck; /* what the problem was read from, if that is a deck; its files name places */

    ritz_mesh_source mesh_source;
    char *mesh_path; /* as written */
    ritz_place mesh_place;
    ritz_box box;
    double size;
    int32_t geometry_order; /* 0: as the order, at most 2 */
    bool trust_geometry;    /* it may run programs and write files */
    bool glue;              /* nodes that coincide become one, and solids that touch share their faces */
    bool no_contact;        /* bodies that touch are meant to be apart */
    ritz_place glue_place;
    const ritz_physics *physics;
    ritz_form_file *form_file; /* that the physics comes from; NULL: it is built in */
    char *form_path;           /* as written */
    ritz_place physics_place;
    ritz_group_choice *choices;
    int n_choices;
    int32_t order;
    bool serendipity; /* elements: serendipity */
    ritz_place elements_place;
    int32_t degree; /* of the quadrature; 0: twice the order */
    ritz_place degree_place;
    ritz_frame *systems;
    int n_systems;
    ritz_units units; /* that materials are taken by name in */
    bool has_units, names_material;
    ritz_place units_place;
    ritz_material *materials;
    int n_materials;
    ritz_loads loads;
    ritz_joins joins;
    ritz_load_case *cases;
    int n_cases; /* 0: the loads of the top level are all */
    ritz_combination *combinations;
    int n_combinations;
    ritz_solver_settings solver;
    ritz_newton_settings newton;
    char *integration_method; /* NULL: auto */
    char *device_selector;    /* NULL: auto */
    bool no_output;
    char *output_file; /* as written, NULL: from the stem */
    ritz_names fields; /* none: all */
    bool faces;        /* a file of the faces in groups, too */
    ritz_place faces_place;
    ritz_probe *probes;
    int n_probes;
    char *frd_file; /* as written, of CalculiX's form; NULL: none */
    ritz_place frd_place;
    ritz_node_systems frd_systems; /* of its vectors */
    const ritz_frame **local;      /* [n_local] that fields are written along, too */
    int n_local;
    char *dat_file; /* as written, of printed values; NULL: none */
    ritz_place dat_place;
    ritz_print *prints;
    int n_prints;

    ritz_device *device;
    bool device_is_lent;              /* the caller's */
    char *choice;                     /* why the solver's method was chosen, for ritz_result */
    char *output_path;                /* the file that was written, for ritz_result */
    ritz_probe_result *probe_results; /* [n_probes], for ritz_result */
    char **group_names;               /* [n_group_names] of the mesh, for ritz_result */
    int n_group_names;
    char *faces_path;                    /* of that file, for ritz_result */
    char *earlier_output;                /* what the file of an earlier run was renamed to */
    ritz_load_case_result *case_results; /* [n_case_results] of load cases, combinations; for ritz_result */
    int n_case_results;
    ritz_newton_iteration *newton_iterations; /* for ritz_result */
    ritz_stage_function *stage;
    void *stage_context;
};

/* The key that takes a file of this name, by its ending: "mesh" or "geometry" of a problem; nodal: "result" or "nodes" of what is given at
   nodes. NULL: none. */
const char *ritz_key_of_file(const char *path, bool nodal);
/* Reads the description from the tree; `problem` has file, folder and settings already. */
ritz_status ritz_problem_interpret(ritz_problem *problem, const ritz_tree *tree);
/* describe.c: a tree as JSON, the caller's. */
ritz_status ritz_describe_tree(const ritz_node *root, char **json);
/* result.c: fields that are asked for and need a property that some material lacks. */
ritz_status ritz_check_field_properties(const ritz_problem *problem);
/* parse_mesh.c: readers of `mesh`, `geometry`, `glue` and `contact` into a ritz_problem. */
ritz_read_function ritz_read_mesh, ritz_read_geometry, ritz_read_glue, ritz_read_contact;
/* parse_loads.c: readers of loads. Context: the ritz_problem, with physics and materials read. */
ritz_read_function ritz_read_boundary; /* ritz_loads */
/* parse_materials.c: likewise. */
ritz_read_function ritz_read_units;     /* ritz_problem */
ritz_read_function ritz_read_materials; /* ritz_problem */
ritz_read_function ritz_read_body;      /* ritz_load_case */
/* A number or an expression as a vector of one component. */
ritz_status ritz_read_scalar(const ritz_node *node, const ritz_key *key, ritz_vector *vector, void *context);
/* A key whose value has a component for each axis of meshes of the physics. */
ritz_key ritz_axes_key(const char *name, const char *example, const ritz_physics *physics);
/* parse_forces.c: accelerations and pressures that follow from a few numbers. Context: the ritz_physics. */
ritz_read_function ritz_read_rotation;    /* ritz_vector: the acceleration of a body that turns */
ritz_read_function ritz_read_hydrostatic; /* ritz_vector: a pressure */
/* Keys of the loads on the whole body that some physics has, into a ritz_loads at the offset; returns how many. */
int ritz_body_load_keys(size_t offset, ritz_key *keys);
ritz_read_function ritz_read_exact; /* ritz_vector; of other keys, too */
/* Whether the form depends on the old solution, so that Newton's method finds it. */
bool ritz_problem_is_nonlinear(const ritz_problem *problem);
/* Whether a surface radiates. */
bool ritz_problem_radiates(const ritz_problem *problem);
/* Whether the physics alone makes it so, by radiation or by properties that depend on the unknown: its form is then that of
   a step of Newton's method, and films are among the loads of such a step. */
bool ritz_physics_is_nonlinear(const ritz_problem *problem);
/* Of one that does, where Newton's method starts unless the problem says so. */
ritz_status ritz_choose_radiation_start(ritz_problem *problem);
extern const ritz_data_bounds ritz_emissivity;
/* local.c: whether the field has other components along a system: it is a vector or a tensor. */
bool ritz_field_is_local(const ritz_result_field *field);
/* Context: the ritz_problem, with its systems read. */
ritz_read_function ritz_read_local_systems; /* ritz_problem */
ritz_read_function ritz_read_node_systems;  /* ritz_node_systems */
/* parse_print.c: what is printed. Context: the ritz_problem, with its physics read. */
ritz_read_function ritz_read_prints; /* ritz_problem */
void ritz_prints_free(ritz_problem *problem);
/* parse_cases.c */
ritz_read_function ritz_read_load_cases;    /* ritz_problem */
ritz_read_function ritz_read_combinations;  /* ritz_problem */
ritz_read_function ritz_read_word;          /* char *: what fields and files can be named after */
ritz_read_function ritz_read_group_choices; /* parse_groups.c: ritz_problem */
ritz_read_function ritz_read_probes;        /* parse_probes.c: ritz_problem */
/* The components of the properties of a material that are given. */
void ritz_count_components(const ritz_physics *physics, const ritz_material *material, int n[RITZ_MAX_PROPERTIES]);
/* temperature_tables.c: properties that depend on the temperature get it, once all is read. */
ritz_status ritz_insert_temperatures(ritz_problem *problem);
/* Whether some property depends on the unknown. */
bool ritz_reads_unknown(const ritz_problem *problem);
/* The text with another one in the place of each T: the caller's. */
ritz_status ritz_replace_temperature(const char *text, const char *temperature, char **replaced);
/* formulation.c: whether the physics has the elements that the materials ask for. */
ritz_status ritz_check_formulations(const ritz_problem *problem);
/* Whether a material holds loads; its loads replaced by those of another one, which keeps them, or by none (NULL). */
/* The property with this role; one that is not given where the physics has none. */
const ritz_vector *ritz_property_of(const ritz_physics *physics, const ritz_material *material, ritz_role role);
/* The load that is a value of it, likewise. */
const ritz_vector *ritz_body_load_of(const ritz_physics *physics, const ritz_loads *loads, ritz_role role);
bool ritz_has_loads(const ritz_physics *physics, const ritz_material *material);
void ritz_take_loads(const ritz_physics *physics, ritz_material *material, const ritz_material *from);
/* Whether an entry prescribes values of the unknown. */
bool ritz_prescribes(const ritz_physics *physics, const ritz_boundary *entry);
void ritz_loads_free(ritz_loads *loads);
void ritz_materials_free(ritz_material **materials, int *n);
/* What results of a solve the problem owns. */
void ritz_problem_forget(ritz_problem *problem);
/* Path of a file named in the problem; the caller's. */
ritz_status ritz_problem_path(const ritz_problem *problem, const char *path, char **whole);

#endif
