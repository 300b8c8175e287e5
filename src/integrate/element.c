/* Geometry and shape functions of one element, on the host. */
#include "integrate/element.h"

#include <string.h>

void ritz_tables_destroy(ritz_tables **tables)
{
    if (!tables || !*tables)
        return;
    ritz_free((*tables)->psi);
    ritz_free((*tables)->geo);
    ritz_free((*tables)->weights);
    ritz_free(*tables);
    *tables = NULL;
}

ritz_status ritz_tables_create(const ritz_space_batch *batch, int n_points, const double *points, const double *weights,
                               ritz_tables **tables)
{
    ritz_status status = RITZ_OK;
    ritz_tables *t = NULL;
    ritz_basis *geometry = NULL;
    const ritz_mesh_block *block = batch->block;
    RITZ_NEW(t, 1);
    t->dim = batch->basis->dim;
    t->n_points = n_points;
    t->n_shape = batch->n_shape;
    t->n_geo = block->n_nodes;
    RITZ_NEW(t->psi, (int64_t)n_points * (1 + t->dim) * t->n_shape);
    RITZ_NEW(t->geo, (int64_t)n_points * (1 + t->dim) * t->n_geo);
    RITZ_NEW(t->weights, n_points);
    RITZ_TRY(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &geometry));
    RITZ_TRY(ritz_basis_tabulate(batch->basis, n_points, points, t->psi));
    RITZ_TRY(ritz_basis_tabulate(geometry, n_points, points, t->geo));
    memcpy(t->weights, weights, (size_t)n_points * sizeof *weights);
    *tables = t;
    t = NULL;
done:
    ritz_basis_destroy(&geometry);
    ritz_tables_destroy(&t);
    return status;
}

ritz_status ritz_tables_create_quadrature(const ritz_space_batch *batch, int degree, ritz_tables **tables)
{
    ritz_quadrature *quadrature = NULL;
    ritz_status status = ritz_quadrature_create(batch->cell, degree, &quadrature);
    if (status == RITZ_OK)
        status = ritz_tables_create(batch, quadrature->n_points, quadrature->points, quadrature->weights, tables);
    ritz_quadrature_destroy(&quadrature);
    return status;
}

void ritz_point_place(const ritz_tables *tables, const ritz_mesh *mesh, const int32_t *cell_geometry_nodes, int q,
                      double x[3])
{
    const double *geo = tables->geo + (int64_t)q * (1 + tables->dim) * tables->n_geo;
    x[0] = x[1] = x[2] = 0;
    for (int g = 0; g < tables->n_geo; g++)
        for (int d = 0; d < tables->dim; d++)
            x[d] += geo[g] * mesh->nodes[3 * (int64_t)cell_geometry_nodes[g] + d];
}

/* Its loops are unrolled where dim is known. */
RITZ_ANY_WIDTH void map_point(int dim, const ritz_tables *tables, const ritz_mesh *mesh, const int32_t *nodes, int q,
                              ritz_point *point)
{
    const int n = tables->n_geo;
    const double *geo = tables->geo + (int64_t)q * (1 + dim) * n;
    *point = (ritz_point){0};
    for (int g = 0; g < n; g++) {
        const double *x = &mesh->nodes[3 * (int64_t)nodes[g]];
        for (int a = 0; a < dim; a++) {
            point->x[a] += geo[g] * x[a];
            for (int b = 0; b < dim; b++)
                point->jacobian[a][b] += geo[(1 + b) * n + g] * x[a];
        }
    }
    point->det = ritz_invert_jacobian(dim, point->jacobian, point->inverse);
}

void ritz_point_map(const ritz_tables *tables, const ritz_mesh *mesh, const int32_t *cell_geometry_nodes, int q,
                    ritz_point *point)
{
    if (tables->dim == 3)
        map_point(3, tables, mesh, cell_geometry_nodes, q, point);
    else
        map_point(2, tables, mesh, cell_geometry_nodes, q, point);
}

void ritz_point_shape(const ritz_tables *tables, const ritz_point *point, int q, double *psi)
{
    const int dim = tables->dim, n = tables->n_shape;
    const double *table = tables->psi + (int64_t)q * (1 + dim) * n;
    memcpy(psi, table, (size_t)n * sizeof *psi);
    for (int a = 0; a < dim; a++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int b = 0; b < dim; b++)
                sum += point->inverse[b][a] * table[(b + 1) * n + i];
            psi[(a + 1) * n + i] = sum;
        }
}
