/* Element matrices and vectors, computed on a device and brought to the host; what forms are given. */
#ifndef RITZ_INTEGRATE_H
#define RITZ_INTEGRATE_H

#include "ritz/device.h"
#include "ritz/form.h"
#include "ritz/space.h"

RITZ_BEGIN_DECLS

/* One datum of a form. Arrays are borrowed for the call, and in the caller's order: an element's number is its place among
   all cells of the mesh, in the order of the arrays that the mesh was made of or of the numbers in the file. */
typedef struct ritz_data {
    const char *name; /* of the form's datum */
    ritz_data_kind kind;
    double value;                /* CONSTANT */
    const double *values;        /* ELEMENT: [cells of the mesh]; FIELD: [dofs of `space`] */
    const double *const *points; /* POINT: points[ritz_cell][n_cells][n_points], for each type of cells that the mesh
                                    has; points as of ritz_integrate_points */
    const char *expression;      /* EXPRESSION of x y z, t, the old solution and its gradient, see ritz/form.h */
    const ritz_space *space;     /* FIELD: a space on the same mesh, of any order */
    int component;               /* FIELD: of the space */
} ritz_data;

/* What a form is given for one integration or assembly. NULL in its place: defaults and zeros. */
typedef struct ritz_input {
    size_t size; /* of this struct; 0: as in version 0.2.0 */
    int n_data;
    const ritz_data *data; /* in any order; data of the form that are not named take their defaults */
    const double *old;     /* [n_dofs of the space] the old solution; NULL: zeros */
    double time;
} ritz_input;

typedef struct ritz_integrate_options {
    size_t size;        /* of this struct; 0: as in version 0.2.0 */
    const char *method; /* NULL: "auto" */
    ritz_precision precision;
    int degree; /* of the quadrature, 1 to RITZ_MAX_DEGREE; 0: twice the order */
} ritz_integrate_options;

/* Quadrature points of each cell of a type; 0 where there is no such rule. degree as in the options. */
RITZ_API int ritz_integrate_n_points(const ritz_space *space, ritz_cell cell, int degree);
/* Where they are: coordinates[n_cells][n_points][dim], cells of the type in the caller's order. */
RITZ_API ritz_status ritz_integrate_points(const ritz_space *space, ritz_cell cell, int degree, double *coordinates);

/* RITZ_ERROR_INPUT: data out of their bounds (ritz/form.h), or results that are not finite.
   All cells of one type, in the order of ritz_mesh_cell_numbers: that of the caller's own arrays where the mesh comes from
   arrays. matrices[n_cells][rows][rows] and vectors[n_cells][rows] (rows = n_shape * n_components, row of shape function i
   and component E: i * n_components + E) are filled; either may be NULL. The shape functions of a cell follow its vertices
   as they were given; ritz_space_cell_nodes tells where they stand in an assembled matrix. */
RITZ_API ritz_status ritz_integrate(ritz_device *device, const ritz_space *space, ritz_cell cell, const ritz_form *form,
                                    const ritz_input *input, const ritz_integrate_options *options, double *matrices,
                                    double *vectors);

RITZ_END_DECLS

#endif
