/* Serendipity spaces of order 2 as parts of the full spaces: a function of theirs has at the middle of a quadrilateral face
   -1/4 of the values at its corners and 1/2 of those at its edges, and at the middle of a hex -1/4 and 1/4. */
#include "cell/internal.h"

#include <string.h>

int ritz_cell_n_serendipity(ritz_cell cell)
{
    const ritz_topology *t = ritz_cell_topology(cell);
    return t->n_vertices + t->n_edges;
}

ritz_status ritz_basis_create_serendipity(ritz_cell cell, ritz_basis **basis)
{
    ritz_status status = RITZ_OK;
    ritz_basis *whole = NULL, *b = NULL;
    RITZ_TRY(ritz_basis_create(cell, 2, RITZ_NODES_LOBATTO, &whole));
    if (cell == RITZ_TRI || cell == RITZ_TET) {
        *basis = whole;
        return RITZ_OK;
    }
    RITZ_NEW(b, 1);
    *b = (ritz_basis){.cell = cell,
                      .order = 2,
                      .dim = whole->dim,
                      .n_shape = ritz_cell_n_serendipity(cell),
                      .family = whole->family,
                      .whole = whole};
    whole = NULL;
    RITZ_NEW(b->nodes, b->n_shape * b->dim);
    RITZ_NEW(b->entities, b->n_shape);
    memcpy(b->nodes, b->whole->nodes, (size_t)(b->n_shape * b->dim) * sizeof *b->nodes);
    memcpy(b->entities, b->whole->entities, (size_t)b->n_shape * sizeof *b->entities);
    *basis = b;
    b = NULL;
done:
    ritz_basis_destroy(&whole);
    ritz_basis_destroy(&b);
    return status;
}

/* Whether a vertex is on the face or cell that a node is in the middle of. */
static bool is_around(const ritz_topology *t, const ritz_cell_node *node, int vertex)
{
    bool found = node->dim == t->dim;
    for (int v = 0; !found && v < t->facet_n_vertices[node->entity]; v++)
        found = t->facets[node->entity][v] == vertex;
    return found;
}

/* The value at a node of the full space, the last ones, of function i. */
static double value_at(const ritz_basis *whole, int node, int i)
{
    const ritz_topology *t = ritz_cell_topology(whole->cell);
    const ritz_cell_node *at = &whole->entities[node], *own = &whole->entities[i];
    if (own->dim == 0)
        return is_around(t, at, own->entity) ? -0.25 : 0;
    const int *edge = t->edges[own->entity];
    return is_around(t, at, edge[0]) && is_around(t, at, edge[1]) ? at->dim == 3 ? 0.25 : 0.5 : 0;
}

ritz_status ritz_tabulate_serendipity(const ritz_basis *basis, int n_points, const double *points, double *psi)
{
    ritz_status status = RITZ_OK;
    const ritz_basis *whole = basis->whole;
    const int rows = 1 + basis->dim;
    double *full = NULL;
    RITZ_NEW(full, (int64_t)n_points * rows * whole->n_shape);
    RITZ_TRY(ritz_basis_tabulate(whole, n_points, points, full));
    for (int64_t r = 0; r < (int64_t)n_points * rows; r++)
        for (int i = 0; i < basis->n_shape; i++) {
            double value = full[r * whole->n_shape + i];
            for (int k = basis->n_shape; k < whole->n_shape; k++)
                value += value_at(whole, k, i) * full[r * whole->n_shape + k];
            psi[r * basis->n_shape + i] = value;
        }
done:
    ritz_free(full);
    return status;
}
