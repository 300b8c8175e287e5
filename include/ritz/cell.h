/* Reference cells: their shape, order and sizes.

   Reference coordinates are those of the unit cell: tri (0,0) (1,0) (0,1); quad [0,1]^2; tet the unit simplex; prism
   the unit triangle times [0,1]; hex [0,1]^3. Vertices are numbered as in Gmsh and VTK's linear cells:
   counter-clockwise on the bottom, then on the top. */
#ifndef RITZ_CELL_H
#define RITZ_CELL_H

#include "ritz/base.h"

RITZ_BEGIN_DECLS

typedef enum ritz_cell { RITZ_TRI, RITZ_QUAD, RITZ_TET, RITZ_PRISM, RITZ_HEX, RITZ_N_CELLS } ritz_cell;

#define RITZ_MAX_ORDER 7
/* Highest degree of a quadrature rule: polynomials up to it are integrated exactly on the reference cell. */
#define RITZ_MAX_DEGREE 30

/* "tri", "quad", "tet", "prism", "hex"; "unknown" for other values. The sizes below are 0 then, and for orders outside
   1 to 7. */
RITZ_API const char *ritz_cell_name(ritz_cell cell);
/* RITZ_ERROR_INPUT: the message lists the names. */
RITZ_API ritz_status ritz_cell_from_name(const char *name, ritz_cell *cell);
/* Dimension of space: 2 or 3. */
RITZ_API int ritz_cell_dim(ritz_cell cell);
/* The vertices of a facet (2D: an edge, 3D: a face), counted from 0, counter-clockwise seen from outside; returns how
   many there are, 0 where there is no such facet. */
RITZ_API int ritz_cell_facet(ritz_cell cell, int facet, int vertices[4]);
/* Number of shape functions of order 1..7 (N_sh). */
RITZ_API int ritz_cell_n_shape(ritz_cell cell, int order);
/* Number of quadrature points (N_Q) of the rule of degree 2p, which order p uses unless another degree is given. */
RITZ_API int ritz_cell_n_quad(ritz_cell cell, int order);

RITZ_END_DECLS

#endif
