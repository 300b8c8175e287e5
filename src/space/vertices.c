/* The space of order 1 inside one of a higher order. */
#include "space/number.h"

#include <math.h>

/* number[n_nodes]: of the nodes that are vertices, in their order; -1 for others. */
static int32_t number_vertices(const ritz_space *s, int32_t *number)
{
    int32_t n = 0;
    memset(number, -1, (size_t)s->n_nodes * sizeof *number);
    for (int32_t v = 0; v < s->mesh->n_nodes; v++)
        if (s->vertex_nodes[v] >= 0)
            number[s->vertex_nodes[v]] = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        if (number[i] >= 0)
            number[i] = n++;
    return n;
}

/* One more vertex of a node, in increasing order. */
static void insert_vertex(int n, int32_t vertex, double weight, int32_t *vertices, double *weights)
{
    int at = n;
    for (; at > 0 && vertices[at - 1] > vertex; at--) {
        vertices[at] = vertices[at - 1];
        weights[at] = weights[at - 1];
    }
    vertices[at] = vertex;
    weights[at] = weight;
}

/* Of the nodes that each cell is the first to use; psi: the shape functions of order 1 at a cell's nodes. */
static void weigh_nodes(const ritz_space *space, const ritz_space_batch *b, const double *psi, const int32_t *number,
                        int32_t *vertices, double *weights)
{
    const double rounding = 1e-13; /* of shape functions that vanish at a node */
    const int dim = space->dim, n_vertices = ritz_cell_topology(b->cell)->n_vertices;
#pragma omp parallel for schedule(static) if (b->n_cells > PARALLEL_FROM)
    for (int32_t c = 0; c < b->n_cells; c++) {
        const int32_t *nodes = b->cell_nodes + (int64_t)c * b->n_shape;
        for (int i = 0; i < b->n_shape; i++) {
            const int32_t node = nodes[i];
            if (!ritz_is_first_use(space, b, c, node))
                continue;
            int32_t *const to = vertices + (int64_t)node * RITZ_VERTICES_MOST;
            double *const weight = weights + (int64_t)node * RITZ_VERTICES_MOST;
            int n = 0;
            for (int k = 0; k < n_vertices; k++) {
                const double value = i < n_vertices ? i == k : psi[i * (1 + dim) * n_vertices + k];
                if (fabs(value) > rounding)
                    insert_vertex(n++, number[nodes[k]], value, to, weight);
            }
            for (; n < RITZ_VERTICES_MOST; n++) {
                to[n] = -1;
                weight[n] = 0;
            }
        }
    }
}

ritz_status ritz_space_get_vertex_weights(const ritz_space *space, int32_t *vertices, double *weights,
                                          int32_t *n_vertices)
{
    ritz_status status = RITZ_OK;
    ritz_basis *linear = NULL;
    double *psi = NULL;
    int32_t *number = NULL;
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(vertices);
    RITZ_REQUIRE_POINTER(weights);
    RITZ_REQUIRE_POINTER(n_vertices);
    RITZ_NEW(number, space->n_nodes);
    *n_vertices = number_vertices(space, number);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        RITZ_TRY(ritz_basis_create(batch->cell, 1, RITZ_NODES_LOBATTO, &linear));
        RITZ_NEW(psi, (int64_t)batch->n_shape * (1 + space->dim) * linear->n_shape);
        RITZ_TRY(ritz_basis_tabulate(linear, batch->n_shape, batch->basis->nodes, psi));
        weigh_nodes(space, batch, psi, number, vertices, weights);
        ritz_basis_destroy(&linear);
        ritz_free(psi);
        psi = NULL;
    }
done:
    ritz_basis_destroy(&linear);
    ritz_free(psi);
    ritz_free(number);
    return status;
}
