/* The drive from a problem to its result: what the stages hand on to each other. */
#ifndef RITZ_SRC_PROBLEM_DRIVE_H
#define RITZ_SRC_PROBLEM_DRIVE_H

#include "assemble/assemble.h"
#include "base/fresh.h"
#include "problem/problem.h"
#include "solve/choice.h"

/* The bar, plate or strip that a body is most like, and its cells. */
typedef struct ritz_body_shape {
    double length, thickness;
    double cell_length; /* of a cell's longest edge, the mean */
    double excess;      /* of the stiffness in bending at order 1, times the square of the thickness */
} ritz_body_shape;

/* A direction that an entry of `boundary` holds at a node. */
typedef struct ritz_held_direction {
    int32_t node, entry;
    double normal[3];
    double spread; /* radians of the normals of facets about it: 0 of plane faces */
} ritz_held_direction;
typedef struct ritz_held_directions {
    int64_t n, room;
    ritz_held_direction *list; /* by increasing node */
} ritz_held_directions;

/* What a source gives at the nodes of a space. */
typedef struct ritz_nodal_values {
    const ritz_nodal_source *source;
    const char *what;  /* it is: the field of a result that it may come from */
    ritz_space *space; /* of one component, on the mesh */
    double *values;    /* [n_nodes], of more than order 2 at its even nodes */
} ritz_nodal_values;

/* Values at the points of quadrature of a block. */
typedef struct ritz_point_values {
    int n_points;
    double *values; /* [n_cells][n_points] */
} ritz_point_values;

/* Places of the properties that elements other than standard ones read; thickness -1: there is none. */
typedef struct ritz_solid_places {
    int young, poisson, thickness;
    int derived[RITZ_MAX_DERIVED]; /* of elastic constants along x y z, among the form's data; -1: it has none */
} ritz_solid_places;

/* Arrays that a datum may leave behind: what it was given, nodal or own values in the place of that, and what is derived from them. */
enum { RITZ_ARRAYS_A_DATUM = 3 };

/* What may become of the solver where it finds no solution. */
typedef enum ritz_solver_plan {
    RITZ_PLAN_FIXED,      /* asked for, or the last one that is left */
    RITZ_PLAN_ITERATIONS, /* chosen: factors may follow */
    RITZ_PLAN_SINGULAR,   /* the same, of a matrix that factors have found singular */
    RITZ_PLAN_FACTORS,    /* chosen: where they find the matrix singular, iterations follow */
    RITZ_PLAN_EXACT,      /* the same for the sake of a right solution, and also where they are doubtful */
} ritz_solver_plan;

typedef struct ritz_drive {
    ritz_problem *problem;
    ritz_result *result;
    ritz_earlier *outputs; /* [RITZ_OUTPUT_PROBES + n_probes] where this run will write; {0}: nothing, or it has */
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_enhancement *enhancements; /* [mesh blocks] NULL: all elements are standard ones */
    ritz_solid_places solid_places; /* where there are others */
    ritz_form *form;
    int32_t **material;            /* [mesh blocks][n_cells] index of each cell's material */
    ritz_expression **expressions; /* [n_data][n_materials] */
    ritz_datum **data;             /* [mesh blocks][n_data] */
    double **arrays; /* [n_arrays] values that data point to; room for RITZ_ARRAYS_A_DATUM of each in each block */
    int n_arrays;
    ritz_constraints *constraints;
    ritz_dependence *dependence; /* of the equations of supports, NULL: none */
    ritz_equations equations;    /* as they were given, where reactions or flows are told, */
    bool *is_inner; /* [equations.n] and which join unknowns of the body with each other alone: inner_forces.c */
    ritz_held_directions directions;
    int64_t n_prescribed; /* of all unknowns */
    uint8_t *held;        /* [n_nodes] a bit for each component that is prescribed, NULL: not looked at */
    uint8_t *joined;      /* [n_nodes] likewise of equations and springs, NULL: there are none */
    double applied[RITZ_MAX_COMPONENTS];   /* where `joined`: the sum of the top level's loads */
    ritz_expression **surface_expressions; /* [n_surface_expressions] of the terms of a form file */
    int n_surface_expressions;
    const ritz_expression **form_values; /* [surfaces of the form][n_components + 1] those of loads, and of the film */
    ritz_facet_data facet_data;          /* what they read of the form */
    ritz_facet_load *form_loads;         /* [n_form_loads] */
    int n_form_loads;
    double *load;           /* [n_dofs] of the surfaces, NULL without any */
    ritz_facet_load *films; /* [n_films] terms of the matrix on surfaces */
    int n_films;
    ritz_quantity *bedding; /* [n_bedding] of films that are springs in total */
    int n_bedding;
    ritz_datum *film_scale; /* [blocks] a plate's thickness, or a ring's circumference; NULL: 1 */
    ritz_spring *springs;   /* [n_springs] terms of the matrix at nodes */
    int64_t n_springs;
    int64_t *first_spring; /* [entries of boundary + 1] each one's in `springs`, NULL: none */
    int *first_bedding;    /* likewise in `films` */
    ritz_system *system;
    int n_runs;           /* load cases, then combinations of them; 1 for a problem without them */
    double *motion;       /* [n_dofs] of the run that is solved, as ritz_find_motion has it; NULL: no motion */
    double **vector;      /* [n_runs][n_dofs]: what cases.c makes of a load case; once solved, the solution */
    double *load_size;    /* [n_runs] sum of the magnitudes of what acts on free unknowns */
    bool case_values;     /* some case prescribes values of its own */
    ritz_body_shape body; /* zeros where it does not bend, or no warning needs it */
    ritz_solve_options options;
    ritz_solver *solver;
    ritz_nodal_values *nodal; /* [n_nodal] of each source in the loads */
    int n_nodal;
    ritz_point_values *temperature; /* [mesh blocks] that properties read; NULL: none, or none at nodes */
    struct ritz_probing *probing;   /* probe.c; NULL without probes */
    ritz_solver_plan plan;          /* of the solver */
    ritz_outlook outlook;           /* of chosen iterations; zeros: they are not looked at */
    bool told_free;                 /* a warning has said that something is free to move */
} ritz_drive;

/* drive.c: the system without loads, with these constraints and springs in the place of the drive's. */
ritz_status ritz_assemble_with(const ritz_drive *drive, const ritz_constraints *constraints, const ritz_spring *springs,
                               int64_t n_springs, ritz_system **system);

/* joints.c: */
/* With `glue`, makes one node of those of the mesh that coincide. */
ritz_status ritz_join_mesh(const ritz_drive *drive);
/* Warnings of nodes that coincide, and of vertices inside facets of other cells: the solution has a gap there. */
ritz_status ritz_warn_of_joints(const ritz_drive *drive);

/* parse_groups.c: makes the groups that the problem file chooses. */
ritz_status ritz_choose_groups(const ritz_drive *drive);

/* materials.c: which material each cell has; checks that each has one. */
ritz_status ritz_assign_materials(ritz_drive *drive);
/* Whether one of the names is a group of cells in the set. */
bool ritz_names_set(const ritz_mesh *mesh, const ritz_names *names, int32_t set);
/* Checks the properties and loads that are expressions at every cell's quadrature points. */
ritz_status ritz_check_properties(const ritz_drive *drive);
/* The same of those that depend on the unknown, which is `solution`. */
ritz_status ritz_check_at_solution(ritz_drive *drive, const double *solution);
/* Weights and geometry of block b at the points where the integrals are taken; its shape functions are those of order 1. */
ritz_status ritz_point_tables_create(const ritz_drive *drive, int b, ritz_tables **tables);

/* datum.c: the form's data from the materials, gravity and sources. */
ritz_status ritz_make_data(ritz_drive *drive);
void ritz_free_data(ritz_drive *drive);
/* One datum of the form on each batch; false where the form has none of that name. */
bool ritz_batch_data(const ritz_drive *drive, const char *name, ritz_datum data[RITZ_N_CELLS]);
/* Of the form's variables, or of x y z T where the text reads the temperature. */
ritz_status ritz_datum_expression(const ritz_form *form, const char *text, ritz_expression **expression);
/* Datum d of a form, as a material and loads give it. */
ritz_status ritz_make_datum(const ritz_drive *drive, const ritz_form *form, const ritz_loads *loads,
                            const ritz_material *material, int d, ritz_expression **expression);
/* derived.c: the data of a form that follow from several properties of materials[n_materials] and their axes, in the place of
   those in data [mesh blocks][form->n_data]; their values go behind arrays[*n_arrays], the caller's. */
ritz_status ritz_derive_data(const ritz_drive *drive, const ritz_form *form, const ritz_material *materials,
                             ritz_datum *const *data, double **arrays, int *n_arrays);
/* Whether the form with these data gives a symmetric matrix. */
bool ritz_data_symmetric(const ritz_drive *drive);
/* Whether a constant costs energy somewhere (a term with the trial function's value). */
bool ritz_data_stop_constants(const ritz_drive *drive);

/* formulation.c: the elements of the space that are mixed or have incompatible modes. */
ritz_status ritz_enhance_elements(ritz_drive *drive);
/* What reduced cells add to the device's load; *load is made where there is something. */
ritz_status ritz_add_volume_loads(const ritz_drive *drive, double **load);
void ritz_free_enhancements(ritz_drive *drive);
/* What the form is integrated with for datum `name` of material m, where its elements are mixed. */
ritz_status ritz_replace_in_mixed(const ritz_drive *drive, int m, const char *name, ritz_expression **expression);

/* self_strain.c: thermal strain and initial stress, of the top level (load_case: NULL) or of a case by itself. */
typedef struct ritz_self_strain {
    ritz_form *form; /* NULL: there are none */
    int n_blocks, n_expressions;
    ritz_expression **expressions; /* [n_expressions], by data and materials */
    ritz_datum **data;             /* [n_blocks][form->n_data] */
    double **arrays;               /* [n_arrays] values that they point to */
    int n_arrays;
} ritz_self_strain;
ritz_status ritz_self_strain_create(const ritz_drive *drive, const ritz_load_case *load_case, ritz_self_strain *strain);
void ritz_self_strain_free(ritz_self_strain *strain);
/* Adds their loads, on request those at supports alone, to *load [n_dofs], which is made if it is NULL and there are
   some. */
ritz_status ritz_add_self_strain(const ritz_drive *drive, const ritz_load_case *load_case, bool at_supports,
                                 double **load);
/* What says of materials and temperatures alone that they do not go together. */
ritz_status ritz_check_self_strain(const ritz_drive *drive);

/* nodal.c: drive->nodal of all loads, once there is a mesh. */
ritz_status ritz_read_nodal_sources(ritz_drive *drive);
void ritz_free_nodal_values(ritz_drive *drive);
/* temperature.c. What given[n_materials] (sources or quantities) are at the points of quadrature of block b:
   (*values)[n_cells][points], the caller's. */
ritz_status ritz_fill_from_nodes(const ritz_drive *drive, const ritz_vector *const *given, int b, double **values);
/* drive->temperature where properties read it: of the top level, or each material's own; after ritz_read_nodal_sources. */
ritz_status ritz_fill_temperatures(ritz_drive *drive);
/* drive->temperature is the solution of a problem of one unknown a node; ritz_free_temperature. */
ritz_status ritz_take_temperature(ritz_drive *drive, const double *solution);
void ritz_free_temperature(ritz_drive *drive);
/* The temperature that properties read: at point q of a cell, and the mean of them; 0 where there is none at nodes. */
double ritz_temperature_at(const ritz_drive *drive, int b, int32_t cell, int q);
double ritz_mean_temperature(const ritz_drive *drive, int b, int32_t cell);
/* That of the nodes of the space, [n_nodes], the caller's; NULL where none is given at nodes. */
ritz_status ritz_temperature_at_nodes(const ritz_drive *drive, double **at);
/* Where one of the expressions of[n_materials] reads T, the datum of block b becomes their values at the points of quadrature,
   which go behind arrays[*n_arrays], the caller's. */
ritz_status ritz_put_temperature(const ritz_drive *drive, const ritz_expression *const *of, int b, double **arrays,
                                 int *n_arrays, ritz_datum *datum);

/* boundary.c: groups exist and have the dimension that their use needs; prescribed values. */
ritz_status ritz_check_groups(const ritz_drive *drive);
ritz_status ritz_make_constraints(ritz_drive *drive);
/* (*held)[n_nodes]: bits of components that films, bedding, springs and the stiffness of rings hold; the caller's. */
ritz_status ritz_list_held(const ritz_drive *drive, uint8_t **held);
/* What a quantity (NULL: 0) prescribes at x; an error where that is no finite number. */
ritz_status ritz_prescribed_value(const ritz_quantity *quantity, const double x[3], double *value);
/* A copy of the constraints with the values of case c; NULL (as it came) where the case has none of its own. A case
   that prescribes what is free is an error. */
ritz_status ritz_load_case_constraints(const ritz_drive *drive, int c, ritz_constraints **constraints);
/* The drive's prescribed values without its equations; the caller's. */
ritz_status ritz_copy_prescribed(const ritz_drive *drive, ritz_constraints **copy);

/* supports.c: all equations of the problem, with the values of a case where it has some (NULL: none); directions: receives
   what is held, or NULL. */
ritz_status ritz_add_equations(const ritz_drive *drive, const ritz_load_case *load_case, ritz_constraints *constraints,
                               ritz_held_directions *directions);

/* ties.c: the equations of ties; tell: warnings of nodes that find no partner; held: what other equations hold along axes of nodes' own.
   n_own[n_nodes]: of a tied node how many terms, from the second on, are of the nodes whose shape functions meet it. */
ritz_status ritz_add_ties(const ritz_drive *drive, bool tell, const ritz_held_directions *held,
                          ritz_constraints *constraints, int32_t *n_own);
/* rigid.c: the equations of rigid faces, and those of the problem file. */
ritz_status ritz_add_rigid_and_linear(const ritz_drive *drive, ritz_constraints *constraints);

/* surface.c: adds the loads on surfaces to *load [n_dofs], which is made if it is NULL and there are some. */
ritz_status ritz_add_surface_loads(const ritz_drive *drive, const ritz_loads *loads, double **load);
/* The same of term k of one entry, a load on facets. */
ritz_status ritz_add_surface_load(const ritz_drive *drive, const ritz_boundary *entry, int k, double **load);
/* The same of a film: coefficient times ambient value. */
ritz_status ritz_add_film_load(const ritz_drive *drive, const ritz_boundary *entry, int k, double **load);

/* force.c: adds the force and moment that the entry gives in total. */
ritz_status ritz_add_force(const ritz_drive *drive, const ritz_boundary *entry, double **load);
/* The area of the entry's groups of facets, times the thickness; an error that names `what` stands there where it is 0. */
ritz_status ritz_measure_area(const ritz_drive *drive, const ritz_boundary *entry, const char *what, double *area);

/* drive->film_scale, of films, what radiates, springs and bedding. */
ritz_status ritz_find_film_scale(ritz_drive *drive);
/* The terms of the matrix on surfaces: *films is the caller's, ritz_free. */
ritz_status ritz_list_films(const ritz_drive *drive, ritz_facet_load **films, int *n);

/* springs.c: springs and bedding, behind drive->films and into drive->springs. */
ritz_status ritz_list_springs(ritz_drive *drive);
void ritz_free_springs(ritz_drive *drive);
/* force [n_dofs] += what springs and bedding of an entry exert on the body at the displacements u. */
ritz_status ritz_add_spring_forces(const ritz_drive *drive, int entry, const double *u, double *force);
#define RITZ_BALANCE_ROUNDING 1e-9 /* of the scale of the forces at supports: less is rounding */
/* tell_balance.c: of a run by its name, NULL: there is but one. left: of loads and reactions together, as a part of the loads; scale: of
   the forces beside which small ones are rounding. */
ritz_status ritz_tell_balance(const ritz_drive *drive, const char *name, const ritz_balance *balance, double left,
                              double scale);
/* rigid.c: a warning of rigid faces that the displacements u stretch, as large rotations do. */
ritz_status ritz_warn_of_grown_faces(const ritz_drive *drive, const double *u);
/* start.c: raises u [n_nodes], a start of scalar physics, as a whole to what equations such as a mean ask for, by least squares: the one
   unknown that each of them eliminates would have all of the difference else. values: their right-hand sides, of which `share` acts. */
void ritz_raise_start(const ritz_constraints *constraints, const double *values, double share, double *u);
/* inner_forces.c: drive->equations and drive->is_inner, which outlive the constraints, for the functions below. */
ritz_status ritz_keep_equations(ritz_drive *drive);
/* force [n_dofs], r = A u - f at what is prescribed or in equations: without what ties, free rigid faces and
   periodic conditions carry from one unknown to another. Of what other equations hold, nothing is changed. */
ritz_status ritz_take_inner_forces(const ritz_drive *drive, double *force);
/* A warning where other equations stand at unknowns that supports prescribe. */
void ritz_warn_of_shared_supports(const ritz_drive *drive);
/* surface.c: a quantity at the points where the facets of a group are integrated. */
ritz_status ritz_check_surface_quantity(const ritz_drive *drive, const char *group, const char *key,
                                        const ritz_quantity *quantity, const ritz_data_bounds *bounds);

/* form_terms.c: what a form file says beyond the form. Data that are numbers of the cells: */
ritz_status ritz_make_own_data(ritz_drive *drive);
/* Lists its terms on surfaces: those of the matrix behind drive->films, loads in drive->form_loads. */
ritz_status ritz_list_form_surfaces(ritz_drive *drive);
/* Makes the expression of a text on facets, of the names of ritz_list_facet_names; the drive keeps it. */
ritz_status ritz_take_surface_expression(ritz_drive *drive, const char *text, const ritz_expression **taken);
/* Adds those of the loads, into *load as of ritz_add_surface_loads, that vary with time and the old solution, or the others. */
ritz_status ritz_add_form_loads(const ritz_drive *drive, bool varying, double **load);
void ritz_free_form_terms(ritz_drive *drive);

/* radiation.c: where surfaces radiate, lists that and films likewise, as Newton's method takes them. */
ritz_status ritz_list_radiation(ritz_drive *drive);
/* A line where the solution of a run falls below the absolute zero that radiation counts from. */
void ritz_warn_of_cold(const ritz_drive *drive, const ritz_load_case_result *run);

/* The first group at or after `from` of this name and dimension (any when dim < 0), -1 if there is none. */
int32_t ritz_next_group(const ritz_mesh *mesh, const char *name, int dim, int32_t from);
/* Whether each of the names is a group of facets. */
bool ritz_have_facets(const ritz_mesh *mesh, const ritz_names *names);
/* (*nodes)[*n]: the nodes of all groups of these names, increasing; the caller's, ritz_free. */
ritz_status ritz_list_nodes(const ritz_drive *drive, const ritz_names *names, int32_t **nodes, int32_t *n);
/* mark[node] = number for the nodes of all groups of these names. */
ritz_status ritz_mark_nodes(const ritz_drive *drive, const ritz_names *names, int32_t number, int32_t *mark);

/* cases.c */
/* What is eliminated, by prescribed values or equations; as marks of the nodes' components. */
const uint8_t *ritz_gone(const ritz_drive *drive);
bool ritz_is_gone(const ritz_drive *drive, int64_t dof);
/* [n_dofs] its values and constants; of the drive or of a case. */
const double *ritz_offset_of(const ritz_constraints *constraints, const ritz_dependence *dependence);
ritz_integral ritz_batch_integral(const ritz_drive *drive, int b, const ritz_datum *data);
/* Adds the loads of a case, on surfaces and on cells, of these on request those at supports alone: enough for what is
   prescribed. */
ritz_status ritz_add_case_loads(const ritz_drive *drive, const ritz_load_case *load_case, bool at_supports,
                                double **load);
/* drive->vector of all load cases. */
ritz_status ritz_make_load_cases(ritz_drive *drive);

/* combine.c: runs as sums of load cases. */
/* How often case c acts in run r: once in its own, by its factor in a combination. */
double ritz_case_factor(const ritz_problem *problem, int r, int c);
/* The same of ritz_add_case_loads and of ritz_add_self_strain, for all cases that act in run r. */
ritz_status ritz_add_run_loads(const ritz_drive *drive, int r, bool at_supports, double **load);
ritz_status ritz_add_run_self_strain(const ritz_drive *drive, int r, bool at_supports, double **load);
/* The solutions of the combinations, from those of the cases. */
ritz_status ritz_combine_runs(ritz_drive *drive);

/* What the cases share once the system is assembled. */
typedef struct ritz_load_case_base {
    double *rhs;      /* [n_dofs] of the assembled system */
    double *diagonal; /* [n_dofs], NULL where no case prescribes values */
} ritz_load_case_base;
ritz_status ritz_load_case_base_read(const ritz_drive *drive, ritz_load_case_base *base);
void ritz_load_case_base_free(ritz_load_case_base *base);
/* The right-hand side and the start of case c, on the device; its vector is used up. */
ritz_status ritz_load_case_start(ritz_drive *drive, const ritz_load_case_base *base, int c, ritz_buffer *b,
                                 ritz_buffer *x);

/* motion.c: *motion [n_dofs] that is nearest to the values [n_dofs] of what is fixed and to constants of equations, with these values
   at what is eliminated; NULL where all are 0 and no film may say otherwise, and in single precision. The caller's. */
ritz_status ritz_find_motion(const ritz_drive *drive, const double *values, double **motion);
/* b less what drive->motion makes of it, and x to start from: of the rest of the solution. A scalar unknown is first raised by the
   constant that leaves the smallest b; a motion that makes b no smaller is given up. */
ritz_status ritz_leave_motion(ritz_drive *drive, ritz_buffer *b, ritz_buffer *x);
/* x [n_dofs], the solution for b of a positive definite matrix, as a whole in equilibrium with springs, bedding and films: what these
   carry may be less than what a solver leaves of loads that balance each other. Not in single precision. */
ritz_status ritz_settle_motion(const ritz_drive *drive, const ritz_buffer *b, double *x);
/* Whether there is anything to settle on; the constraints are needed until then. */
bool ritz_may_settle(const ritz_drive *drive);
double ritz_dot_vectors(int64_t n, const double *u, const double *v);
/* *norm, of b [n_dofs], 0 at what is eliminated, becomes that of what the motion nearest to the values leaves, if that is less. */
ritz_status ritz_measure_rest(const ritz_drive *drive, const double *values, const double *b, double *norm);

/* solution.c: drive->vector of each load case, or the first one; frees the system. A case that does not converge has no
   vector and the message stands as its failure. */
ritz_status ritz_solve_system(ritz_drive *drive);
/* RITZ_ERROR_NOT_CONVERGED where there are such cases, once the others are written. */
ritz_status ritz_tell_failures(const ritz_drive *drive);

/* solution.c: what to do where what comes in and what goes out differ, or why. */
const char *ritz_how_to_balance(const ritz_drive *drive);
/* solution.c: the report of all runs together. */
void ritz_gather_reports(const ritz_drive *drive);
/* A line for each level of multigrid. */
void ritz_tell_levels(const ritz_drive *drive, const ritz_solve_report *report);

/* newton.c: the solution of a problem whose form depends on it. Where the method converges under a part of the load alone,
   that is drive->vector[0], and the message stands as the run's failure. */
ritz_status ritz_solve_newton(ritz_drive *drive);

/* body.c: fills drive->body where the warnings or the choice of a solver look at it. */
ritz_status ritz_measure_body(ritz_drive *drive);

/* flows.c: what flows into the body, where the unknown is a scalar whose form has gradients of the test function alone. */
bool ritz_has_flows(const ritz_drive *drive);
/* The flows of run r, and a line for each. */
ritz_status ritz_find_flows(const ritz_drive *drive, int r);

/* reactions.c, for physics whose unknown is a vector: */
/* Remembers what is prescribed, also for flows: before the solve, which frees the constraints. */
ritz_status ritz_keep_supports(ritz_drive *drive);
/* Whether something of a cell of the batch is prescribed: a choice of cells as ritz_choose_cells takes it. */
typedef struct ritz_drive_batch {
    const ritz_drive *drive;
    int batch;
} ritz_drive_batch;
bool ritz_cell_is_at_support(const void *drive_batch, int32_t cell);
/* Adds the loads of run r on what is free to its balance, from the system's right-hand side; its vector is overwritten. */
ritz_status ritz_sum_loads(ritz_drive *drive, int r);
/* The balance of run r, and a line for each support. */
ritz_status ritz_find_reactions(const ritz_drive *drive, int r);
/* "a, b"; the caller's. */
ritz_status ritz_join_names(const ritz_names *names, char **text);

/* choose.c */
/* What preconditioners may ask of the space, in arrays and a matrix that the options point to. */
typedef struct ritz_solver_inputs {
    double *constants; /* of scalar problems, one for each component; NULL: none are wanted */
    int32_t *vertices; /* the space of order 1 in one of a higher order; NULL: it is none, or has equations */
    double *weights;
    ritz_system *system; /* what multigrid is made of, NULL: the system itself */
} ritz_solver_inputs;
/* Also the preconditioner, where that is automatic and follows from the form or from the space's dimension. */
ritz_status ritz_make_near_nullspace(const ritz_drive *drive, ritz_solver_inputs *made, ritz_solve_options *options);
void ritz_solver_inputs_free(ritz_solver_inputs *made);
/* The space of order 1 as the first coarse level. */
ritz_status ritz_make_embedding(const ritz_drive *drive, ritz_solver_inputs *made, ritz_solve_options *options);
/* long_equations.c: where multigrid was chosen and an equation has many terms, options->precondition_matrix, which *made keeps. */
ritz_status ritz_make_precondition_matrix(const ritz_drive *drive, ritz_solver_inputs *made,
                                          ritz_solve_options *options);
/* Where the problem leaves the method open: sets drive->options, and drive->solver where that is to be made of the matrix as
   it is assembled. */
ritz_status ritz_choose_solver(ritz_drive *drive);
/* drive->solver of drive->options; where the choice was multigrid, which the matrix does not suit, with Jacobi's preconditioner. */
ritz_status ritz_create_solver(ritz_drive *drive);
/* After a direct solver has refused the matrix: adds to the message what is free to move, if the matrix is singular. */
void ritz_tell_free_motion(const ritz_drive *drive, ritz_status refused);
/* x, from the start that it holds, for drive->system->rhs. Where the method was chosen and leads nowhere, the other kind follows:
   factors after iterations, iterations after factors of a singular matrix, with a warning. */
ritz_status ritz_solve_by_choice(ritz_drive *drive, ritz_buffer *x, ritz_solve_report *report);

/* print.c */
/* Whether the groups of printed values are there. */
ritz_status ritz_check_prints(const ritz_drive *drive);
/* Adds what is printed of the solution of run r. */
ritz_status ritz_print_run(const ritz_drive *drive, int r, ritz_text *text);
ritz_status ritz_write_prints(const ritz_drive *drive, const ritz_text *text);

/* Adds what the elements exert on their nodes in run r: action[n_dofs]. */
ritz_status ritz_add_actions(const ritz_drive *drive, int r, double *action);

/* frd.c: the file of CalculiX's form, if one is asked for. Before the solve: */
ritz_status ritz_check_frd(const ritz_drive *drive);
ritz_status ritz_frd_start(const ritz_drive *drive, ritz_frd **frd);
ritz_status ritz_frd_add_run(const ritz_drive *drive, int r, ritz_frd *frd);

/* result.c */
/* A field that is evaluated at points, at nodes; plain as in ritz_recover. */
ritz_status ritz_recover_field(const ritz_drive *drive, const ritz_result_points *points,
                               const ritz_result_field *field, const ritz_field_offset *offsets, const double *solution,
                               bool plain, double *values);
/* Property p of material m, at x y z T, that a field is derived from. */
ritz_status ritz_take_property(const ritz_drive *drive, int m, int p, const double x[4], double *value);
/* Whether systems that vary have axes at all nodes and probes where a field is written along them. */
ritz_status ritz_check_axes(const ritz_drive *drive);
/* Where faces are asked for, the mesh has groups of them. */
ritz_status ritz_check_faces(const ritz_drive *drive);
/* Extremes, error norms, recovered stress of each solution, and the file. */
ritz_status ritz_make_result(ritz_drive *drive);

/* inputs.c: whether two paths lead to one file; refuses one that the problem reads. */
bool ritz_is_same_file(const char *one, const char *other);
ritz_status ritz_refuse_input(const ritz_problem *problem, const char *path);
/* outputs.c: the files of a run; from PROBES on one for each probe. */
enum { RITZ_OUTPUT_RESULT, RITZ_OUTPUT_FACES, RITZ_OUTPUT_FRD, RITZ_OUTPUT_DAT, RITZ_OUTPUT_PROBES };
/* Names them, watches what an earlier run has left there, and checks that they can be written. */
ritz_status ritz_watch_outputs(ritz_drive *drive);
/* The path of one that is not written yet. */
const char *ritz_output_path(const ritz_drive *drive, int output);
/* This run has written the file. */
void ritz_output_written(const ritz_drive *drive, int output);
/* After a failure puts the files of an earlier run aside that this run has not replaced. */
void ritz_end_outputs(ritz_drive *drive, bool failed);

/* What the stresses of run r are less by than Hooke's law of the whole strain. */
typedef struct ritz_run_offsets {
    int n;
    ritz_self_strain *strain;  /* [n] */
    ritz_field_offset *fields; /* [n], and the end of the list */
} ritz_run_offsets;
ritz_status ritz_make_offsets(const ritz_drive *drive, int r, ritz_run_offsets *offsets);
void ritz_free_offsets(ritz_run_offsets *offsets);

/* extremes.c */
/* The name of the cell's group that gives it its material, else of its first group; NULL for none. The problem's. */
const char *ritz_group_of_cell(const ritz_drive *drive, int batch, int32_t cell);
/* Enters the extremes of a field's values[points->n][components] that are reported of it. */
void ritz_find_extremes(const ritz_drive *drive, const ritz_result_points *points, const ritz_result_field *field,
                        const double *values, ritz_load_case_result *run);
/* Those of the unknown of scalar physics. */
void ritz_find_range(const ritz_drive *drive, const ritz_result_points *points, const double *solution,
                     ritz_load_case_result *run);
/* Those over all load cases, from one more of them. */
void ritz_gather_extremes(ritz_result *result, const ritz_load_case_result *run);

/* probe.c: values at points, as CSV. */
/* problem->probe_results, with the paths of their files. */
ritz_status ritz_name_probe_files(ritz_problem *problem);
/* Finds the cells of all points: before the solve. */
ritz_status ritz_find_probes(ritz_drive *drive);
/* Takes a field that follows from no other, values[points->n][n_components], to the points of probes. What follows from it is
   made of these values: between nodes, components along axes that turn, principal directions and the like are not what shape
   functions make of those at the nodes. */
ritz_status ritz_probe_base(const ritz_drive *drive, const ritz_result_points *points, int n_components,
                            const double *values);
/* A field of run r at the points, from that base: itself, or what follows from it; along a system unless that is NULL. */
ritz_status ritz_probe_field(const ritz_drive *drive, int r, const ritz_result_field *field, const ritz_frame *system,
                             const char *name);
/* Whether the system (NULL: those of the materials) has axes at all points; field: what is found along it. */
ritz_status ritz_check_probe_axes(const ritz_drive *drive, const ritz_frame *system, const char *field);

/* local.c */
/* Names of its components there. */
const char *const *ritz_local_components(const ritz_result_field *field, const ritz_frame *system);
/* A vector or tensor of 3 or 6 components along axes, from that along x, y, z. */
void ritz_turn_values(double axes[3][3], int n_components, const double *from, double *to);
/* Whether a system (NULL: none) has axes at x, of a "node" or the like, where the field is found along it. */
ritz_status ritz_check_axes_at(const ritz_frame *along, const double x[3], const char *where, const char *field);
/* values: those of `along` x, y, z, along the system. */
ritz_status ritz_turn_field(const ritz_drive *drive, const ritz_result_points *points, int n_components,
                            const ritz_frame *system, const double *along, double *values);
/* Whether the groups are there. */
ritz_status ritz_check_node_systems(const ritz_drive *drive, const ritz_node_systems *systems);
/* (*number)[n_nodes]: 1 + the place of each node's system in the list, 0 for none; the caller's, ritz_free. */
ritz_status ritz_find_node_systems(const ritz_drive *drive, const ritz_node_systems *systems, int32_t **number);
/* Turns a vector at a node into its system. */
ritz_status ritz_turn_at_node(const ritz_drive *drive, const ritz_node_systems *systems, const int32_t *number,
                              int32_t node, double v[3]);
/* Writes the files. */
ritz_status ritz_write_probes(const ritz_drive *drive);
void ritz_free_probes(ritz_drive *drive);

/* weigh.c: volume, mass and centre into the result, and a line. */
ritz_status ritz_weigh_body(const ritz_drive *drive);

/* warn.c: lines about elements that lock, convection that the mesh does not resolve, and all unknowns prescribed. */
ritz_status ritz_warn(const ritz_drive *drive);
/* The root of bulk over shear modulus of the material that changes its volume least; 0 where none is nearly
   incompressible. */
double ritz_volume_keeping(const ritz_drive *drive);
/* Whether no cell has a Peclet number above 1. */
bool ritz_resolves_convection(const ritz_drive *drive);
/* The same where the solution of run r is zero, for no load acts, or has displacements larger than the part. */
void ritz_warn_of_solution(const ritz_drive *drive, int r);
/* The same where hardly any of its loads act on what is free, once they are summed at supports, too. */
void ritz_warn_of_loads(const ritz_drive *drive, int r);

/* So many groups and flows have a line each: decks may give films element by element. */
enum { RITZ_TOLD_MOST = 50 };
/* A line to the problem's stage function. */
void ritz_stage_line(const ritz_problem *problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
