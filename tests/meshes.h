/* Meshes for tests: boxes of different cells joined where they share nodes, and any mesh shuffled: nodes renumbered,
   cells reordered, each cell's own vertices turned by a random rotation of the cell onto itself. */
#ifndef RITZ_TEST_MESHES_H
#define RITZ_TEST_MESHES_H

#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t meshes_state = 88172645463325252u;

static uint32_t meshes_random(uint32_t n)
{
    meshes_state ^= meshes_state << 13;
    meshes_state ^= meshes_state >> 7;
    meshes_state ^= meshes_state << 17;
    return (uint32_t)((meshes_state >> 20) % n);
}

/* Moves the cells of `from` into `mesh`, after its own, nodes at the same place becoming one; from is destroyed. The mesh keeps no
   entities. Blocks of a type that the mesh has already are not joined. */
static inline void meshes_join(ritz_mesh *mesh, ritz_mesh *from)
{
    int32_t *number = malloc((size_t)from->n_nodes * sizeof *number);
    mesh->nodes = realloc(mesh->nodes, 3 * (size_t)(mesh->n_nodes + from->n_nodes) * sizeof(double));
    for (int32_t n = 0; n < from->n_nodes; n++) {
        const double *x = from->nodes + 3 * n;
        number[n] = -1;
        for (int32_t m = 0; m < mesh->n_nodes && number[n] < 0; m++) {
            const double *y = mesh->nodes + 3 * m;
            if (fabs(y[0] - x[0]) + fabs(y[1] - x[1]) + fabs(y[2] - x[2]) < 1e-12)
                number[n] = m;
        }
        if (number[n] < 0) {
            number[n] = mesh->n_nodes;
            memcpy(mesh->nodes + 3 * (size_t)mesh->n_nodes++, x, 3 * sizeof *x);
        }
    }
    ritz_mesh_block block = from->blocks[0];
    for (int64_t k = 0; k < (int64_t)block.n_cells * block.n_nodes; k++)
        block.nodes[k] = number[block.nodes[k]];
    for (int b = 0; b < mesh->n_blocks; b++)
        for (int32_t e = 0; e < block.n_cells; e++)
            block.number[e] += mesh->blocks[b].n_cells;
    mesh->blocks = realloc(mesh->blocks, (size_t)(mesh->n_blocks + 1) * sizeof *mesh->blocks);
    int at = mesh->n_blocks++; /* blocks stand by increasing cell type */
    for (; at > 0 && mesh->blocks[at - 1].cell > block.cell; at--)
        mesh->blocks[at] = mesh->blocks[at - 1];
    mesh->blocks[at] = block;
    mesh->n_entities = 0;
    from->n_blocks = 0;
    ritz_mesh_destroy(&from);
    free(number);
}

static inline ritz_mesh *meshes_box(ritz_cell cell, int n, double x0, double z0, double distort)
{
    ritz_mesh *mesh = NULL;
    const ritz_box box = {.cell = cell, .cells = {n, n, n}, .origin = {x0, 0, z0}, .distort = distort};
    return ritz_mesh_box(&box, &mesh) == RITZ_OK ? mesh : NULL;
}

/* 2D: quads beside triangles. 3D: hexes beside prisms (quad faces), tets on top of the prisms (triangle faces). */
static inline ritz_mesh *meshes_mixed(int dim, int n)
{
    ritz_mesh *mesh = meshes_box(dim == 3 ? RITZ_HEX : RITZ_QUAD, n, 0, 0, 0);
    meshes_join(mesh, meshes_box(dim == 3 ? RITZ_PRISM : RITZ_TRI, n, 1, 0, 0));
    if (dim == 3)
        meshes_join(mesh, meshes_box(RITZ_TET, n, 1, 1, 0));
    return mesh;
}

/* One random rotation of a cell onto itself, as a new order of its vertices. */
static inline void meshes_rotation(ritz_cell cell, int *order)
{
    static const int turns[RITZ_N_CELLS][2][8] = {
        [RITZ_TRI] = {{1, 2, 0}, {1, 2, 0}},
        [RITZ_QUAD] = {{1, 2, 3, 0}, {1, 2, 3, 0}},
        [RITZ_TET] = {{1, 2, 0, 3}, {0, 2, 3, 1}},
        [RITZ_PRISM] = {{1, 2, 0, 4, 5, 3}, {3, 5, 4, 0, 2, 1}},
        [RITZ_HEX] = {{1, 2, 3, 0, 5, 6, 7, 4}, {3, 2, 6, 7, 0, 1, 5, 4}},
    };
    const int n = ritz_cell_topology(cell)->n_vertices;
    for (int v = 0; v < n; v++)
        order[v] = v;
    for (int turn = 0; turn < 9; turn++) {
        int turned[8];
        const int *by = turns[cell][meshes_random(2)];
        for (int v = 0; v < n; v++)
            turned[v] = order[by[v]];
        memcpy(order, turned, sizeof turned);
    }
}

/* Shuffles a mesh of first-order geometry in place; its entities are dropped. */
static inline void meshes_shuffle(ritz_mesh *mesh)
{
    int32_t *number = malloc((size_t)mesh->n_nodes * sizeof *number);
    double *nodes = malloc(3 * (size_t)mesh->n_nodes * sizeof *nodes);
    for (int32_t n = 0; n < mesh->n_nodes; n++)
        number[n] = n;
    for (int32_t n = mesh->n_nodes - 1; n > 0; n--) {
        const int32_t m = (int32_t)meshes_random((uint32_t)n + 1), kept = number[n];
        number[n] = number[m];
        number[m] = kept;
    }
    for (int32_t n = 0; n < mesh->n_nodes; n++)
        memcpy(nodes + 3 * number[n], mesh->nodes + 3 * n, 3 * sizeof *nodes);
    free(mesh->nodes);
    mesh->nodes = nodes;
    for (int b = 0; b < mesh->n_blocks; b++) {
        ritz_mesh_block *block = &mesh->blocks[b];
        for (int32_t e = 0; e < block->n_cells; e++) {
            int32_t *cell = block->nodes + (int64_t)e * block->n_nodes;
            int32_t *other = block->nodes + (int64_t)meshes_random((uint32_t)block->n_cells) * block->n_nodes, kept[8];
            memcpy(kept, cell, (size_t)block->n_nodes * sizeof *cell); /* swap with a random cell */
            memmove(cell, other, (size_t)block->n_nodes * sizeof *cell);
            memcpy(other, kept, (size_t)block->n_nodes * sizeof *cell);
        }
        for (int32_t e = 0; e < block->n_cells; e++) {
            int32_t *cell = block->nodes + (int64_t)e * block->n_nodes, turned[8];
            int order[8];
            meshes_rotation(block->cell, order);
            for (int v = 0; v < block->n_nodes; v++)
                turned[v] = number[cell[order[v]]];
            memcpy(cell, turned, (size_t)block->n_nodes * sizeof *cell);
        }
    }
    mesh->n_entities = 0;
    free(number);
}

#endif
