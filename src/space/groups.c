/* The nodes of a space on a named group: its cells, its faces and edges with all that lies on them, or its points. */
#include "space/points.h"

#include <stdlib.h>

static unsigned facet_mask(const ritz_topology *topology, int facet)
{
    unsigned mask = 0;
    for (int k = 0; k < topology->facet_n_vertices[facet]; k++)
        mask |= 1u << topology->facets[facet][k];
    return mask;
}

unsigned ritz_node_mask(const ritz_topology *topology, const ritz_cell_node *node)
{
    if (node->dim == 0)
        return 1u << node->entity;
    if (node->dim == 1)
        return 1u << topology->edges[node->entity][0] | 1u << topology->edges[node->entity][1];
    if (node->dim == 2 && topology->dim == 3)
        return facet_mask(topology, node->entity);
    return (1u << topology->n_vertices) - 1;
}

void ritz_mark_closure(const ritz_space_batch *batch, int32_t cell, unsigned mask, uint8_t *marked)
{
    const ritz_topology *topology = ritz_cell_topology(batch->cell);
    const int32_t *nodes = batch->cell_nodes + (int64_t)cell * batch->n_shape;
    for (int i = 0; i < batch->n_shape; i++)
        if (!(ritz_node_mask(topology, &batch->basis->entities[i]) & ~mask))
            marked[nodes[i]] = 1;
}

static void mark_cells(const ritz_space *space, const bool *in_group, uint8_t *marked)
{
    for (int b = 0; b < space->n_batches; b++)
        for (int32_t c = 0; c < space->batches[b].n_cells; c++)
            if (in_group[space->batches[b].block->set[c]])
                ritz_mark_closure(&space->batches[b], c, ~0u, marked);
}

typedef struct edge {
    int32_t low, high;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *e = a, *f = b;
    if (e->low != f->low)
        return e->low < f->low ? -1 : 1;
    return (e->high > f->high) - (e->high < f->high);
}

static edge make_edge(int32_t a, int32_t b)
{
    return a < b ? (edge){a, b} : (edge){b, a};
}

/* Nodes on edges of which no facet is known (edges of a 3D mesh): looked up in all cells that touch them. */
static void mark_edges(const ritz_space *space, int64_t n, edge *edges, uint8_t *marked)
{
    qsort(edges, (size_t)n, sizeof *edges, compare_edges);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const ritz_topology *topology = ritz_cell_topology(batch->cell);
        for (int32_t c = 0; c < batch->n_cells; c++) {
            const int32_t *nodes = batch->block->nodes + (int64_t)c * batch->block->n_nodes;
            for (int e = 0; e < topology->n_edges; e++) {
                int i = topology->edges[e][0], j = topology->edges[e][1];
                if (!marked[space->vertex_nodes[nodes[i]]] || !marked[space->vertex_nodes[nodes[j]]])
                    continue;
                edge key = make_edge(nodes[i], nodes[j]);
                if (bsearch(&key, edges, (size_t)n, sizeof key, compare_edges))
                    ritz_mark_closure(batch, c, 1u << i | 1u << j, marked);
            }
        }
    }
}

static ritz_status mark_entities(const ritz_space *space, int dim, const bool *in_group, uint8_t *marked)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    edge *edges = NULL;
    int64_t n_edges = 0;
    RITZ_NEW(edges, mesh->n_entities);
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        if (entity->dim != dim || !in_group[entity->set])
            continue;
        for (int k = 0; k < entity->n_vertices; k++)
            if (space->vertex_nodes[entity->vertices[k]] >= 0)
                marked[space->vertex_nodes[entity->vertices[k]]] = 1;
        if (entity->facet >= 0 && entity->cell >= 0) {
            const ritz_space_batch *batch = &space->batches[entity->block];
            const ritz_topology *topology = ritz_cell_topology(batch->cell);
            ritz_mark_closure(batch, entity->cell, facet_mask(topology, entity->facet), marked);
        } else if (entity->dim == 1) {
            edges[n_edges++] = make_edge(entity->vertices[0], entity->vertices[1]);
        }
    }
    if (n_edges > 0 && space->order > 1)
        mark_edges(space, n_edges, edges, marked);
done:
    ritz_free(edges);
    return status;
}

ritz_status ritz_space_group_nodes(const ritz_space *space, int32_t group, int32_t **nodes, int32_t *n_nodes)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    uint8_t *marked = NULL;
    bool *in_group = NULL;
    int32_t *list = NULL;
    int32_t n = 0;
    RITZ_REQUIRE(group >= 0 && group < mesh->n_groups, RITZ_ERROR_INPUT, "group %d does not exist: the mesh has %d",
                 group, mesh->n_groups);
    if (space->lone_nodes[group] >= 0) {
        RITZ_NEW(*nodes, 1);
        **nodes = space->lone_nodes[group];
        *n_nodes = 1;
        return RITZ_OK;
    }
    RITZ_NEW(marked, space->n_nodes);
    RITZ_NEW(in_group, mesh->n_sets);
    for (int s = 0; s < mesh->n_sets; s++)
        in_group[s] = ritz_mesh_set_has(mesh, s, group);
    if (mesh->groups[group].dim == mesh->dim)
        mark_cells(space, in_group, marked);
    else if (mesh->groups[group].dim == 0)
        RITZ_TRY(ritz_mark_points(space, group, marked));
    else
        RITZ_TRY(mark_entities(space, mesh->groups[group].dim, in_group, marked));
    for (int32_t i = 0; i < space->n_nodes; i++)
        n += marked[i];
    RITZ_NEW(list, n);
    *n_nodes = n;
    n = 0;
    for (int32_t i = 0; i < space->n_nodes; i++)
        if (marked[i])
            list[n++] = i;
    *nodes = list;
done:
    ritz_free(marked);
    ritz_free(in_group);
    return status;
}
