/* Cells of second order whose edges or faces are curved: their other nodes are not where straight cells have them. */
#include "mesh/mesh.h"

#include <math.h>

/* Of the cell's size: files round nodes of small cells far from the origin to no more than that. */
static const double curved_from = 1e-3;

/* linear[n_nodes][n_vertices]: the vertices' functions of order 1 at the nodes of the block's cells. */
static ritz_status tabulate_straight(const ritz_mesh_block *block, double **linear)
{
    ritz_status status = RITZ_OK;
    ritz_basis *straight = NULL, *nodes = NULL;
    double *psi = NULL;
    RITZ_TRY(ritz_basis_create(block->cell, 1, RITZ_NODES_LOBATTO, &straight));
    RITZ_TRY(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &nodes));
    const int n = nodes->n_shape, n_vertices = straight->n_shape, of_point = (1 + straight->dim) * n_vertices;
    RITZ_NEW(psi, (int64_t)n * of_point);
    RITZ_NEW(*linear, (int64_t)n * n_vertices);
    RITZ_TRY(ritz_basis_tabulate(straight, n, nodes->nodes, psi));
    for (int k = 0; k < n; k++)
        for (int v = 0; v < n_vertices; v++)
            (*linear)[k * n_vertices + v] = psi[(int64_t)k * of_point + v];
done:
    ritz_basis_destroy(&straight);
    ritz_basis_destroy(&nodes);
    ritz_free(psi);
    return status;
}

static bool is_curved(const ritz_mesh *mesh, const ritz_mesh_block *block, int32_t cell, const double *linear)
{
    const int n_vertices = ritz_cell_topology(block->cell)->n_vertices;
    const int32_t *nodes = block->nodes + (int64_t)cell * block->n_nodes;
    double off = 0, size = 0;
    for (int k = n_vertices; k < block->n_nodes; k++)
        for (int d = 0; d < 3; d++) {
            const double x = mesh->nodes[3 * (int64_t)nodes[k] + d];
            double straight = 0;
            for (int v = 0; v < n_vertices; v++)
                straight += linear[k * n_vertices + v] * mesh->nodes[3 * (int64_t)nodes[v] + d];
            off = fmax(off, fabs(x - straight));
            size = fmax(size, fabs(x - mesh->nodes[3 * (int64_t)nodes[0] + d]));
        }
    return off > curved_from * size;
}

ritz_status ritz_mesh_count_curved(const ritz_mesh *mesh, int64_t *n)
{
    ritz_status status = RITZ_OK;
    double *linear = NULL;
    *n = 0;
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        if (block->geometry_order == 1)
            continue;
        RITZ_TRY(tabulate_straight(block, &linear));
        for (int32_t e = 0; e < block->n_cells; e++)
            *n += is_curved(mesh, block, e, linear);
        ritz_free(linear);
        linear = NULL;
    }
done:
    ritz_free(linear);
    return status;
}
