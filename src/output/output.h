/* Output room, internal side. Depends on base, cell, mesh, space, form. */
#ifndef RITZ_SRC_OUTPUT_H
#define RITZ_SRC_OUTPUT_H

#include "form/form.h"
#include "ritz/output.h"
#include "space/space.h"

typedef enum ritz_stress_state { RITZ_STRESS_3D, RITZ_PLANE_STRESS, RITZ_PLANE_STRAIN } ritz_stress_state;

/* Recovered stress at the nodes, [n_nodes][6] (xx yy zz xy yz xz; zz is 0 in plane stress). In each cell the stress
   at the points of the quadrature of this degree (0: 2 p) is projected (least squares) on polynomials one order lower than the
   displacement's (but at least the cell's order 1 basis on quads, prisms and hexes), which sample the superconvergent
   points; the values at a node are averaged over its cells, weighted by volume. displacement[n_nodes][dim]; young and
   poisson: [n_batches], expressions over x y z. */
ritz_status ritz_recover_stress(const ritz_space *space, ritz_stress_state state, const ritz_datum *young,
                                const ritz_datum *poisson, int degree, const double *displacement, double *stress);
/* sqrt(3/2 s:s) of n tensors [n][6]. */
void ritz_von_mises(int64_t n, const double *stress, double *von_mises);

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
