/* Boxes of cells with nodes in the middle of their edges, faces and insides, for tests. */
#ifndef RITZ_TEST_SECOND_ORDER_H
#define RITZ_TEST_SECOND_ORDER_H

#include "mesh/internal.h"
#include "space/space.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SUCCEEDS(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != RITZ_OK)                                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)

/* A unit box from x = origin on, without groups; its facets on the outside are entities. */
static inline ritz_mesh *box_of_order(ritz_cell cell, int order, const int divisions[3], double origin)
{
    ritz_mesh *straight = NULL, *mesh = NULL;
    ritz_mesh_block *block;
    ritz_space *space = NULL;
    const ritz_box box = {.cell = cell, .cells = {divisions[0], divisions[1], divisions[2]}, .origin = {origin, 0, 0}};
    SUCCEEDS(ritz_mesh_box(&box, &straight));
    SUCCEEDS(ritz_space_create(straight, order, 1, &space));
    SUCCEEDS(ritz_mesh_new(straight->dim, &mesh));
    SUCCEEDS(ritz_allocate((void **)&mesh->nodes, 3 * (int64_t)space->n_nodes, sizeof(double)));
    mesh->n_nodes = space->n_nodes;
    for (int32_t i = 0; i < space->n_nodes; i++)
        memcpy(mesh->nodes + 3 * i, space->coordinates + i * space->dim, sizeof(double) * (size_t)space->dim);
    const ritz_space_batch *batch = &space->batches[0];
    SUCCEEDS(ritz_mesh_add_block(mesh, cell, order, batch->n_cells, &block));
    memcpy(block->nodes, batch->cell_nodes, sizeof(int32_t) * (size_t)(batch->n_cells * batch->n_shape));
    SUCCEEDS(ritz_allocate((void **)&mesh->entities, straight->n_entities, sizeof *mesh->entities));
    mesh->n_entities = straight->n_entities;
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        mesh->entities[e] = straight->entities[e];
        for (int v = 0; v < mesh->entities[e].n_vertices; v++)
            mesh->entities[e].vertices[v] = space->vertex_nodes[straight->entities[e].vertices[v]];
    }
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&straight);
    return mesh;
}

#endif
