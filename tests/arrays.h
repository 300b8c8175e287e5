/* A mesh from arrays of cells of one type and of first order. */
#ifndef RITZ_TEST_ARRAYS_H
#define RITZ_TEST_ARRAYS_H

#include "ritz/mesh.h"

static inline ritz_status mesh_from_arrays(ritz_cell cell, int64_t n_nodes, const double *coordinates, int64_t n_cells,
                                           const int32_t *vertices, ritz_mesh **made)
{
    const ritz_block_arrays block = {.cell = cell, .n_cells = n_cells, .nodes = vertices};
    const ritz_mesh_arrays arrays = {
        .dim = ritz_cell_dim(cell), .n_nodes = n_nodes, .coordinates = coordinates, .n_blocks = 1, .blocks = &block};
    return ritz_mesh_create(&arrays, made);
}

#endif
