/* Function spaces: continuous Lagrange elements of order 1..7 on a mesh, scalar or vector valued. */
#ifndef RITZ_SPACE_H
#define RITZ_SPACE_H

#include "ritz/mesh.h"

RITZ_BEGIN_DECLS

typedef struct ritz_space ritz_space;

/* n_components: values per node (1 for a scalar field, the dimension for a displacement). The mesh must outlive the
   space. */
RITZ_API ritz_status ritz_space_create(const ritz_mesh *mesh, int order, int n_components, ritz_space **space);
/* The same of order 2 without nodes inside faces and cells: 8-node quads, 20-node hexes, 15-node prisms; tri and tet cells
   are as of order 2. */
RITZ_API ritz_status ritz_space_create_serendipity(const ritz_mesh *mesh, int n_components, ritz_space **space);
/* A space whose nodes have the caller's numbers, so that rows of matrices, right-hand sides, solutions, prescribed degrees of
   freedom and fields are all in the caller's order: degree of freedom of component c at node n is n * n_components + c.
   nodes[cell type][n_cells][n_shape] are the numbers of each cell's nodes, 0 to n_nodes - 1, in the order of
   ritz_space_cell_nodes; at order 1 that is what the mesh was made of (ritz_mesh_cell_nodes). nodes NULL: the mesh's own
   numbers, where each of its nodes is one of the space: at order 1, or 2 where the mesh is of second order. serendipity not
   0: as ritz_space_create_serendipity, order 2. Numbers that are far apart in neighbouring cells make products slower.
   RITZ_ERROR_INPUT names the cell whose number is out of range, given twice, or another one in a neighbour. */
RITZ_API ritz_status ritz_space_create_numbered(const ritz_mesh *mesh, int order, int serendipity, int n_components,
                                                const int32_t *const *nodes, ritz_space **space);
RITZ_API void ritz_space_destroy(ritz_space **space);

RITZ_API int64_t ritz_space_n_nodes(const ritz_space *space);
/* Degree of freedom of component c at node n: n * n_components + c. */
RITZ_API int64_t ritz_space_n_dofs(const ritz_space *space);
/* Coordinates of the nodes, [n_nodes][dim], owned by the space. */
RITZ_API const double *ritz_space_coordinates(const ritz_space *space);
/* How many nodes a cell of this type has (N_sh): ritz_cell_n_shape of the order, of serendipity cells fewer; 0 where the
   mesh has no such cells. */
RITZ_API int ritz_space_n_cell_nodes(const ritz_space *space, ritz_cell cell);
/* How the space's nodes, and so the rows of matrices and vectors, belong to the cells of one type:
   nodes[n_cells][n_shape], cells in the order of ritz_mesh_cell_numbers, a cell's nodes in the order of its vertices as
   the mesh was given: vertices first, then nodes inside edges, faces and the cell. Entry (i, E) of the element matrix
   of cell c belongs to row nodes[c][i] * n_components + E. */
RITZ_API ritz_status ritz_space_cell_nodes(const ritz_space *space, ritz_cell cell, int32_t *nodes);
/* The mesh nodes at the nodes of the space: numbers[n_nodes] are their places in the arrays, counted from 0;
   in a box counted from 1, x running first; or their numbers in the file; -1 for nodes that are not nodes of the mesh.
   */
RITZ_API ritz_status ritz_space_node_numbers(const ritz_space *space, int64_t *numbers);
/* The space's node at each node of the mesh, by the caller's numbers: nodes[ritz_mesh_n_nodes]; -1 where the space has
   none: at nodes that no cell has, and in the middle of edges, faces and cells unless the order is 2. */
RITZ_API ritz_status ritz_space_mesh_nodes(const ritz_space *space, int32_t *nodes);
/* The degrees of freedom of a component (-1: of all) at all nodes that lie on a group of the mesh, increasing:
   dofs[*n], an array of `room` numbers; NULL: *n alone is set. RITZ_ERROR_INPUT: there are more, or there is no such
   group. */
RITZ_API ritz_status ritz_space_group_dofs(const ritz_space *space, const char *group, int component, int64_t room,
                                           int64_t *dofs, int64_t *n);

/* ---- Prescribed values ---- */

/* Which degrees of freedom of a space are prescribed, and their values; none at first. The space must outlive it. */
typedef struct ritz_constraints ritz_constraints;
RITZ_API ritz_status ritz_constraints_create(const ritz_space *space, ritz_constraints **constraints);
RITZ_API void ritz_constraints_destroy(ritz_constraints **constraints);
/* Prescribes dofs[n]: values[n], or 0 where values is NULL. A later value replaces an earlier one. */
RITZ_API ritz_status ritz_constraints_set_dofs(ritz_constraints *constraints, int64_t n, const int64_t *dofs,
                                               const double *values);
/* Prescribes one value of a component (-1: of all) at all nodes that lie on a group of the mesh. */
RITZ_API ritz_status ritz_constraints_set_group(ritz_constraints *constraints, const char *group, int component,
                                                double value);
/* Sets the prescribed values from values[n_dofs], which has a number for every degree of freedom; NULL: 0. */
RITZ_API ritz_status ritz_constraints_set_values(ritz_constraints *constraints, const double *values);
/* How many are prescribed. */
RITZ_API int64_t ritz_constraints_n_dofs(const ritz_constraints *constraints);
/* The prescribed degrees of freedom, increasing, and their values: dofs[n], values[n]; either may be NULL. */
RITZ_API ritz_status ritz_constraints_get(const ritz_constraints *constraints, int64_t *dofs, double *values);

/* ---- Equations between degrees of freedom ---- */

/* Adds n linear equations: the sum of coefficients[k] u[dofs[k]] over the terms k = starts[i] .. starts[i + 1] - 1 is
   values[i] (NULL: 0), with starts[n + 1] from 0 on. Assembly eliminates one unknown of each, u = T v + g, so that the
   matrix T' K T stays symmetric and definite: that of the first term, or where that is prescribed or eliminated already,
   or its coefficient cancels, another one. Chains, repeated equations and those that prescribed values fulfil are
   served; one that contradicts those before it or the prescribed values is RITZ_ERROR_INPUT when it is used. */
RITZ_API ritz_status ritz_constraints_add_equations(ritz_constraints *constraints, int64_t n, const int64_t *starts,
                                                    const int64_t *dofs, const double *coefficients,
                                                    const double *values);
RITZ_API int64_t ritz_constraints_n_equations(const ritz_constraints *constraints);
/* Completes a solution u[n_dofs] of the system that was assembled with the constraints: the solver's unknowns that are
   eliminated by equations are set from the others, and the prescribed ones to their values. */
RITZ_API ritz_status ritz_constraints_complete(const ritz_constraints *constraints, double *u);

/* The rigid motions of an elastic body at all unknowns, as the near-nullspace of multigrid: motions[n_dofs][columns]
   with 6 columns in space and 3 in the plane, translations first, then rotations about the middle of the mesh in units
   of its size. For spaces with a component for each axis; others are RITZ_ERROR_INPUT. */
RITZ_API ritz_status ritz_space_get_rigid_motions(const ritz_space *space, double *motions);
RITZ_API int ritz_space_n_rigid_motions(const ritz_space *space); /* columns; 0 where there are none */

enum { RITZ_VERTICES_MOST = 8 };
/* The space of order 1 on the same mesh as a part of this one, as the first coarse level of multigrid: its value at node i
   is the sum of weights[i][k] times those at the vertices vertices[i][k], numbered from 0 to *n_vertices - 1 and
   increasing; -1, with weight 0, past the last. vertices and weights [n_nodes][RITZ_VERTICES_MOST]. */
RITZ_API ritz_status ritz_space_get_vertex_weights(const ritz_space *space, int32_t *vertices, double *weights,
                                                   int32_t *n_vertices);

RITZ_END_DECLS

#endif
