/* Output room, internal side. Depends on base, cell, mesh, space, form, physics. */
#ifndef RITZ_SRC_OUTPUT_H
#define RITZ_SRC_OUTPUT_H

#include "physics/physics.h"
#include "ritz/output.h"
#include "space/space.h"

/* A field that is recovered from a solution, at the nodes: values[n_nodes][its components]. In each cell its values at
   the points of the quadrature of this degree (0: 2 p) are projected (least squares) on polynomials one order lower than
   the solution's (but at least the cell's order 1 basis on quads, prisms and hexes), which sample the superconvergent
   points; the nodes' values are averages over their cells, weighted by volume, the same for any number of threads.
   data[k]: [n_batches] of the field's datum k; no POINT, but EXPRESSION of x, y, z. */
ritz_status ritz_recover(const ritz_space *space, const ritz_result_field *field,
                         const ritz_datum *const data[RITZ_MAX_POINT_DATA], int degree, const double *solution,
                         double *values);

/* Whether the ending of the path tells a format: RITZ_ERROR_INPUT with the endings that do. */
ritz_status ritz_check_result_path(const char *path);
/* A result file field by field, so that not all fields need be in memory at once: create takes the names and components
   of all fields and reserves their room on the disk (the array stays the caller's and outlives the file; values are not
   read); each add writes the values of the next one; finish gives the file its name. */
typedef struct ritz_result_file ritz_result_file;
ritz_status ritz_result_file_create(const char *path, const ritz_space *space, const ritz_field *fields, int n_fields,
                                    ritz_result_file **file);
ritz_status ritz_result_file_add(ritz_result_file *file, const double *values);
ritz_status ritz_result_file_finish(ritz_result_file **file);
void ritz_result_file_destroy(ritz_result_file **file);

/* The VTK cell type (5 9 10 12 13 at order 1; 69 70 71 72 73 above), and VTK's node order: vtk point k of a cell is
   node order[k] of ritz_basis. order[n_shape] */
ritz_status ritz_vtk_cell(ritz_cell cell, int p, int *type, int *order);

#endif
