/* Geometry and shape functions of one element at all points, on the host: what the reference, the facet loads and the
   error norms share. */
#ifndef RITZ_SRC_ELEMENT_H
#define RITZ_SRC_ELEMENT_H

#include "base/lanes.h"
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
/* The maps of several elements at one point. */
typedef struct ritz_lane_point {
    ritz_lanes x[3], inverse[3][3], det; /* as above */
} ritz_lane_point;

/* sum[3] = psi[0] of[0] + psi[1] of[1] + ..., from left to right. of[n][3] */
RITZ_ANY_WIDTH void ritz_sum_lanes(int n, const double *psi, const ritz_lanes *of, ritz_lanes sum[3])
{
    ritz_lanes a = {0}, b = {0}, c = {0};
    for (int i = 0; i < n; i++) {
        a += psi[i] * of[3 * i];
        b += psi[i] * of[3 * i + 1];
        c += psi[i] * of[3 * i + 2];
    }
    sum[0] = a;
    sum[1] = b;
    sum[2] = c;
}

/* As ritz_point_map, with the same numbers; corners[n_geo][3]. */
RITZ_ANY_WIDTH void ritz_map_lanes(const ritz_tables *tables, const ritz_lanes *corners, int q, ritz_lane_point *point)
{
    const int dim = tables->dim, n = tables->n_geo;
    const double *geo = tables->geo + (int64_t)q * (1 + dim) * n;
    ritz_lanes along[3][3], det; /* dx_a / dxi_b as [b][a] */
    ritz_sum_lanes(n, geo, corners, point->x);
    for (int b = 0; b < dim; b++)
        ritz_sum_lanes(n, geo + (int64_t)(1 + b) * n, corners, along[b]);
    if (dim == 2) {
        det = along[0][0] * along[1][1] - along[1][0] * along[0][1];
        point->inverse[0][0] = along[1][1] / det;
        point->inverse[0][1] = -along[1][0] / det;
        point->inverse[1][0] = -along[0][1] / det;
        point->inverse[1][1] = along[0][0] / det;
    } else {
        ritz_lanes cofactor[3][3]; /* [b][a] */
#pragma GCC unroll 3
        for (int a = 0; a < 3; a++)
#pragma GCC unroll 3
            for (int b = 0; b < 3; b++) {
                const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
                cofactor[b][a] = along[b1][a1] * along[b2][a2] - along[b2][a1] * along[b1][a2];
            }
        det = along[0][0] * cofactor[0][0] + along[1][0] * cofactor[1][0] + along[2][0] * cofactor[2][0];
#pragma GCC unroll 3
        for (int b = 0; b < 3; b++)
#pragma GCC unroll 3
            for (int a = 0; a < 3; a++)
                point->inverse[b][a] = cofactor[b][a] / det;
    }
    point->det = det;
}

/* psi[1 + dim][n_shape]: values and derivatives in space at point q. */
void ritz_point_shape(const ritz_tables *tables, const ritz_point *point, int q, double *psi);

#endif
