/* The drive from a problem to its result: what the stages hand on to each other. */
#ifndef RITZ_SRC_PROBLEM_DRIVE_H
#define RITZ_SRC_PROBLEM_DRIVE_H

#include "assemble/assemble.h"
#include "problem/problem.h"

typedef struct ritz_drive {
    ritz_problem *problem;
    ritz_result *result;
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_form *form;
    int32_t **material;            /* [mesh blocks][n_cells] index of each cell's material */
    ritz_expression **expressions; /* [n_data][n_materials] */
    ritz_datum **data;             /* [mesh blocks][n_data] */
    double **arrays;               /* [n_arrays] values that data point to */
    int n_arrays;
    ritz_constraints *constraints;
    double *load; /* [n_dofs] of the surfaces, NULL without any */
    ritz_system *system;
    double *solution; /* [n_dofs] */
} ritz_drive;

/* materials.c: which material each cell has; checks that each has one. */
ritz_status ritz_assign_materials(ritz_drive *drive);
/* At cell centres, values[n_cells of the block]: component 0 of the property; `absent` where a material does not give
   it. */
void ritz_property_values(const ritz_drive *drive, int block, int property, double absent, double *values);
/* The same for all blocks in fresh memory: values[n_blocks][n_cells]; freed by ritz_free_values. */
ritz_status ritz_all_property_values(const ritz_drive *drive, int property, double absent, double ***values);
void ritz_free_values(const ritz_drive *drive, double ***values);
/* Checks the properties and loads that are expressions at every cell's centre and quadrature points. */
ritz_status ritz_check_properties(const ritz_drive *drive);

/* datum.c: the form's data from the materials, gravity and sources. */
ritz_status ritz_make_data(ritz_drive *drive);
void ritz_free_data(ritz_drive *drive);
/* Whether the form with these data gives a symmetric matrix. */
bool ritz_data_symmetric(const ritz_drive *drive);
/* Whether a constant costs energy somewhere (a term with the trial function's value). */
bool ritz_data_stop_constants(const ritz_drive *drive);

/* boundary.c: groups exist and have the dimension that their use needs; prescribed values. */
ritz_status ritz_check_groups(const ritz_drive *drive);
ritz_status ritz_make_constraints(ritz_drive *drive);

/* surface.c: the loads on surfaces. */
ritz_status ritz_make_load(ritz_drive *drive);

/* result.c */
/* Path of the result file (NULL: none is wanted), after a check that its folder can be written. */
ritz_status ritz_choose_output(const ritz_problem *problem, char **path);
/* Extremes, error norms, recovered stress, and the file. */
ritz_status ritz_make_result(ritz_drive *drive);

/* A line to the problem's stage function. */
void ritz_stage_line(const ritz_problem *problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
