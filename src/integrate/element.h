/* Geometry and shape functions of one element at all points, on the host: what the reference, the facet loads and the
   error norms share. */
#ifndef RITZ_SRC_ELEMENT_H
#define RITZ_SRC_ELEMENT_H

#include "cell/lanes.h"
#include "space/space.h"

enum { RITZ_MAX_GEOMETRY = 27 }; /* nodes of a cell's geometry */

/* Tables of a batch at a set of points of the reference cell. */
typedef struct ritz_tables {
    int dim, n_points, n_shape, n_geo;
    double *psi;     /* [n_points][1 + dim][n_shape] of the space's basis */
    double *geo;     /* [n_points][1 + dim][n_geo] of the geometry's basis */
    double *weights; /* [n_points] */
} ritz_tables;
/* At given points[n_points][dim] and weights[n_points]. */
ritz_status ritz_tables_create(const ritz_space_batch *batch, int n_points, const double *points, const double *weights,
                               ritz_tables **tables);
/* At the rule of a degree. */
ritz_status ritz_tables_create_quadrature(const ritz_space_batch *batch, int degree, ritz_tables **tables);
void ritz_tables_destroy(ritz_tables **tables);

/* The place of point q of an element; 0 beyond the dimension. */
void ritz_point_place(const ritz_tables *tables, const ritz_mesh *mesh, const int32_t *cell_geometry_nodes, int q,
                      double x[3]);
/* The map of one element at one point. */
typedef struct ritz_point {
    double x[3];
    double jacobian[3][3]; /* dx_a / dxi_b */
    double inverse[3][3];  /* dxi_b / dx_a as [b][a] */
    double det;
} ritz_point;
void ritz_point_map(const ritz_tables *tables, const ritz_mesh *mesh, const int32_t *cell_geometry_nodes, int q,
                    ritz_point *point);
/* The same of an element of which the geometry's nodes were gathered: one gathering for all points. */
void ritz_point_map_of(const ritz_tables *tables, const ritz_row *corners, int q, ritz_point *point);

/* psi[1 + dim][n_shape]: values and derivatives in space at point q. */
void ritz_point_shape(const ritz_tables *tables, const ritz_point *point, int q, double *psi);

#endif
