/* Output room, internal side. Depends on base, cell, mesh, space, form, physics. */
#ifndef RITZ_SRC_OUTPUT_H
#define RITZ_SRC_OUTPUT_H

#include "physics/physics.h"
#include "ritz/output.h"
#include "space/space.h"

/* The points of a result. What jumps where materials meet has a value for each side there: the first n_nodes points are
   the nodes, each with the material of the first cell around it, and further points stand for the other
   materials at a node. */
typedef struct ritz_result_points {
    const ritz_space *space;
    int32_t n;
    int32_t *const *material; /* [n_batches][n_cells] of each cell; borrowed */
    int32_t *material_of;     /* [n] NULL: all cells are of one material, and points are nodes */
    int32_t *next;            /* [n] a further point of the same node, -1 for none */
    int32_t *node;            /* [n - n_nodes] of the further points */
} ritz_result_points;
/* The nodes alone, which own nothing. */
ritz_result_points ritz_result_points_of(const ritz_space *space);
ritz_status ritz_result_points_create(const ritz_space *space, int32_t *const *material, ritz_result_points *points);
void ritz_result_points_free(ritz_result_points *points);
/* The point of a cell at one of its nodes, and the way back. */
int32_t ritz_result_point(const ritz_result_points *points, int batch, int32_t cell, int32_t node);
int32_t ritz_result_node(const ritz_result_points *points, int32_t point);

/* Fills the further points with what their nodes have: values[points->n][n_components], of nodes to begin with. */
void ritz_copy_to_points(const ritz_result_points *points, int n_components, double *values);

/* What is subtracted from fields at points: coefficients of a form with its data, from the field's `offset` on, times a
   factor. */
typedef struct ritz_field_offset {
    const ritz_form *form;   /* NULL: the end of a list */
    ritz_datum *const *data; /* [n_batches][form->n_data], as of ritz_recover */
    double factor;
} ritz_field_offset;

/* A field that is recovered from a solution, at the points: values[points->n][its components]. In each cell its values
   at the points of the quadrature of this degree (0: 2 p) are projected (least squares) on polynomials one order lower than
   the solution's (but at least the cell's order 1 basis on quads, prisms and hexes), which sample the superconvergent
   points; a point's value is the average over the cells of its material, weighted by volume, the same for any number of
   threads.
   data[k]: [n_batches] of the field's datum k; EXPRESSION of x, y, z, POINT at the points of this quadrature. offsets:
   a list that ends with one without a form; NULL: none. plain: all cells have the same weight,
   as in CalculiX. */
ritz_status ritz_recover(const ritz_result_points *points, const ritz_result_field *field,
                         const ritz_datum *const data[RITZ_MAX_POINT_DATA], int degree, const double *solution,
                         const ritz_field_offset *offsets, bool plain, double *values);

/* The values of such a field in cells of a batch, cells[n], at their points of quadrature: *values [n][*n_points][its
   components], the caller's, zeros in cells that are degenerate. */
ritz_status ritz_evaluate_in_cells(const ritz_space *space, int b, const ritz_result_field *field,
                                   const ritz_datum *const data[RITZ_MAX_POINT_DATA], int degree,
                                   const double *solution, const ritz_field_offset *offsets, int32_t n,
                                   const int32_t *cells, int *n_points, double **values);

/* Whether the ending of the path tells a format: RITZ_ERROR_INPUT with the endings that do. */
ritz_status ritz_check_result_path(const char *path);
/* A result file field by field, so that not all fields need be in memory at once: create takes the names and components
   of all fields and reserves their room on the disk (points and fields stay the caller's and outlive the file; values
   are not read); each add writes the values of the next one, [points->n][components]; finish gives the file its name. */
typedef struct ritz_result_file ritz_result_file;
ritz_status ritz_result_file_create(const char *path, const ritz_result_points *points, const ritz_field *fields,
                                    int n_fields, ritz_result_file **file);
ritz_status ritz_result_file_add(ritz_result_file *file, const double *values);
ritz_status ritz_result_file_finish(ritz_result_file **file);
void ritz_result_file_destroy(ritz_result_file **file);

/* frd.c: CalculiX's result file, of spaces of order 1 and 2; part[n_batches][n_cells] is the number of each cell's material,
   from 0. Blocks are added one by one, values[n_nodes][n], and finish gives the file its name. */
typedef struct ritz_frd ritz_frd;
typedef struct ritz_frd_block {
    const char *name;
    int n; /* 1: scalar, 3: vector, 6: tensor */
    const char *components[6];
} ritz_frd_block;
ritz_status ritz_frd_create(const char *path, const ritz_space *space, int32_t *const *part, ritz_frd **frd);
ritz_status ritz_frd_add(ritz_frd *frd, int step, const ritz_frd_block *block, const double *values);
/* Forces [n_nodes][n] at nodes that the file has not, inside faces and cells, go to those of the element around: by the
   values of its functions there, so that they do the same work on what the file tells of the unknown. */
ritz_status ritz_frd_move_forces(const ritz_frd *frd, int n, double *values);
ritz_status ritz_frd_finish(ritz_frd **frd);
void ritz_frd_destroy(ritz_frd **frd);
/* A number in its columns. */
enum { RITZ_FRD_REAL = 12 };
void ritz_frd_put_real(char at[RITZ_FRD_REAL], double value);

/* faces.c: the faces (in the plane edges) of all groups of such as cells, those in several groups once for each, with
   normals that point out of the cell; cell data `group` and field data `group_names` as in a result file. */
ritz_status ritz_write_faces(const char *path, const ritz_space *space);

/* read_field.c: a scalar field at the points of a result file (VTKHDF). */
typedef struct ritz_stored_field {
    int64_t n;
    double *points, *values;        /* [n][3], [n] */
    int first_type, first_n_points; /* of the first cell: VTK's type, and its points */
} ritz_stored_field;
ritz_status ritz_stored_field_read(const char *path, const char *field, ritz_stored_field *stored);
void ritz_stored_field_free(ritz_stored_field *stored);

/* The VTK cell type (5 9 10 12 13 at order 1; 69 70 71 72 73 above), and VTK's node order: vtk point k of a cell is
   node order[k] of ritz_basis. order[n_shape] */
ritz_status ritz_vtk_cell(ritz_cell cell, int p, int *type, int *order);
/* The same of the serendipity cells of order 2: VTK's quadratic quad, hex and wedge, 23, 25 and 26. */
ritz_status ritz_vtk_serendipity_cell(ritz_cell cell, int *type, int *order);

#endif
