/* Reference cells: names, sizes, vertices, edges and facets. */
#include "cell/cell.h"

#include <string.h>

static const char *const names[] = {
    [RITZ_TRI] = "tri", [RITZ_QUAD] = "quad", [RITZ_TET] = "tet", [RITZ_PRISM] = "prism", [RITZ_HEX] = "hex"};
static const ritz_name_table cell_names = {.what = "cell", .names = names, .n = RITZ_N_CELLS};

const char *ritz_cell_name(ritz_cell cell)
{
    return ritz_name_at(&cell_names, (int)cell);
}

ritz_status ritz_cell_from_name(const char *name, ritz_cell *cell)
{
    ritz_status status = RITZ_OK;
    int value = 0;
    RITZ_REQUIRE_POINTER(name);
    RITZ_REQUIRE_POINTER(cell);
    RITZ_TRY(ritz_find_name(&cell_names, name, &value));
    *cell = (ritz_cell)value;
done:
    return status;
}

int ritz_cell_dim(ritz_cell cell)
{
    const bool plane = cell == RITZ_TRI || cell == RITZ_QUAD;
    return plane ? 2 : cell == RITZ_TET || cell == RITZ_PRISM || cell == RITZ_HEX ? 3 : 0;
}

int ritz_cell_n_shape(ritz_cell cell, int order)
{
    if (order < 1 || order > RITZ_MAX_ORDER)
        return 0;
    int n = order + 1;
    switch (cell) {
    case RITZ_TRI:
        return n * (n + 1) / 2;
    case RITZ_QUAD:
        return n * n;
    case RITZ_TET:
        return n * (n + 1) * (n + 2) / 6;
    case RITZ_PRISM:
        return n * n * (n + 1) / 2;
    case RITZ_HEX:
        return n * n * n;
    default:
        return 0;
    }
}

/* Facets are oriented outward: seen from outside, their vertices run counter-clockwise. */
static const ritz_topology topologies[RITZ_N_CELLS] = {
    [RITZ_TRI] = {.dim = 2,
                  .n_vertices = 3,
                  .n_edges = 3,
                  .n_facets = 3,
                  .edges = {{0, 1}, {1, 2}, {2, 0}},
                  .facets = {{0, 1}, {1, 2}, {2, 0}},
                  .facet_n_vertices = {2, 2, 2}},
    [RITZ_QUAD] = {.dim = 2,
                   .n_vertices = 4,
                   .n_edges = 4,
                   .n_facets = 4,
                   .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
                   .facets = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
                   .facet_n_vertices = {2, 2, 2, 2}},
    [RITZ_TET] = {.dim = 3,
                  .n_vertices = 4,
                  .n_edges = 6,
                  .n_facets = 4,
                  .edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
                  .facets = {{0, 1, 3}, {1, 2, 3}, {0, 3, 2}, {0, 2, 1}},
                  .facet_n_vertices = {3, 3, 3, 3}},
    [RITZ_PRISM] = {.dim = 3,
                    .n_vertices = 6,
                    .n_edges = 9,
                    .n_facets = 5,
                    .edges = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
                    .facets = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
                    .facet_n_vertices = {3, 3, 4, 4, 4}},
    [RITZ_HEX] =
        {.dim = 3,
         .n_vertices = 8,
         .n_edges = 12,
         .n_facets = 6,
         .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
         .facets = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}},
         .facet_n_vertices = {4, 4, 4, 4, 4, 4}},
};

const ritz_topology *ritz_cell_topology(ritz_cell cell)
{
    return &topologies[cell];
}

int ritz_cell_facet(ritz_cell cell, int facet, int vertices[4])
{
    if (ritz_cell_dim(cell) == 0 || facet < 0 || facet >= topologies[cell].n_facets || !vertices)
        return 0;
    memcpy(vertices, topologies[cell].facets[facet], 4 * sizeof *vertices);
    return topologies[cell].facet_n_vertices[facet];
}

const double *ritz_cell_vertices(ritz_cell cell)
{
    static const double tri[] = {0, 0, 1, 0, 0, 1};
    static const double quad[] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const double tet[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double prism[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    static const double hex[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    static const double *const all[RITZ_N_CELLS] = {tri, quad, tet, prism, hex};
    return all[cell];
}
