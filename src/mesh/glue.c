/* Nodes that stand at the same place, and meshes joined there: bodies that were meshed apart, or read from a file that
   names each node once for each body. */
#include "base/trees.h"
#include "mesh/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which nodes may coincide: vertices with vertices, nodes in the middle of edges and faces with such. */
enum { NONE, VERTEX, MIDDLE };

static double node_distance(const ritz_mesh *mesh, int32_t a, int32_t b)
{
    const double *x = &mesh->nodes[3 * (int64_t)a], *y = &mesh->nodes[3 * (int64_t)b];
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

/* kind[n_nodes] of all nodes. */
static void mark_nodes(const ritz_mesh *mesh, uint8_t *kind)
{
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        const int n_vertices = ritz_cell_n_shape(block->cell, 1);
        for (int64_t i = 0; i < (int64_t)block->n_cells * block->n_nodes; i++)
            if (kind[block->nodes[i]] != VERTEX)
                kind[block->nodes[i]] = i % block->n_nodes < n_vertices ? VERTEX : MIDDLE;
    }
}

/* kind[n_nodes] of the nodes on outer facets: those in the middle of one stand in a cell that has its vertices, and so do
   some others, which do no harm. */
static void mark_outside(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer, uint8_t *kind)
{
    for (int64_t f = 0; f < n_outer; f++)
        for (int v = 0; v < outer[f].n; v++)
            kind[outer[f].vertices[v]] = VERTEX;
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        const int n_vertices = ritz_cell_n_shape(block->cell, 1);
        for (int64_t c = 0; c < block->n_cells && block->geometry_order == 2; c++) {
            const int32_t *nodes = &block->nodes[c * block->n_nodes];
            int n = 0;
            for (int v = 0; v < n_vertices; v++)
                n += kind[nodes[v]] == VERTEX;
            for (int i = n_vertices; i < block->n_nodes && n >= mesh->dim; i++)
                kind[nodes[i]] = kind[nodes[i]] ? kind[nodes[i]] : MIDDLE;
        }
    }
}

/* size[n_nodes]: the shortest edge of the cells around the nodes that are marked. */
static void measure_edges(const ritz_mesh *mesh, const uint8_t *kind, double *size)
{
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        const ritz_topology *t = ritz_cell_topology(block->cell);
        for (int64_t c = 0; c < block->n_cells; c++) {
            const int32_t *nodes = &block->nodes[c * block->n_nodes];
            double shortest = INFINITY;
            bool any = false;
            for (int i = 0; i < block->n_nodes; i++)
                any = any || kind[nodes[i]];
            for (int e = 0; e < t->n_edges && any; e++)
                shortest = fmin(shortest, node_distance(mesh, nodes[t->edges[e][0]], nodes[t->edges[e][1]]));
            for (int i = 0; i < block->n_nodes && any; i++)
                size[nodes[i]] = size[nodes[i]] > 0 ? fmin(size[nodes[i]], shortest) : shortest;
        }
    }
}

/* Nodes along a direction in which no rows of a grid lie: few others are near along it that are not near. */
typedef struct place {
    double at;
    int32_t node;
} place;
static const double direction[3] = {0.64, 0.48312170666, 0.36469778629}; /* of length 0.882... */

static int by_place(const void *p, const void *q)
{
    const place *a = p, *b = q;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Joins each node with those of its kind that are near; the root of a tree is the lowest node in it. */
static void join_near(const ritz_mesh *mesh, const place *places, int64_t n, const uint8_t *kind, const double *size,
                      int32_t *same)
{
    for (int64_t i = 0; i < n; i++) {
        const int32_t a = places[i].node;
        for (int64_t j = i + 1; j < n && places[j].at - places[i].at <= RITZ_COINCIDENT * size[a]; j++) {
            const int32_t b = places[j].node;
            if (kind[a] != kind[b] || !(node_distance(mesh, a, b) < RITZ_COINCIDENT * fmin(size[a], size[b])))
                continue;
            ritz_join_roots(same, a, b);
        }
    }
}

static ritz_status sort_places(const ritz_mesh *mesh, const uint8_t *kind, place **places, int64_t *n)
{
    ritz_status status = RITZ_OK;
    *n = 0;
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        *n += kind[i] != NONE;
    RITZ_NEW(*places, *n);
    *n = 0;
    for (int32_t i = 0; i < mesh->n_nodes; i++) {
        const double *x = &mesh->nodes[3 * (int64_t)i];
        if (kind[i] != NONE)
            (*places)[(*n)++] = (place){direction[0] * x[0] + direction[1] * x[1] + direction[2] * x[2], i};
    }
    qsort(*places, (size_t)*n, sizeof **places, by_place);
done:
    return status;
}

ritz_status ritz_mesh_find_coincident(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer,
                                      int32_t *same, ritz_coincidence *found)
{
    ritz_status status = RITZ_OK;
    uint8_t *kind = NULL;
    double *size = NULL;
    place *places = NULL;
    int32_t *own = NULL;
    int64_t n = 0;
    *found = (ritz_coincidence){0, -1, -1};
    RITZ_NEW(kind, mesh->n_nodes);
    RITZ_NEW(size, mesh->n_nodes);
    if (!same) {
        RITZ_NEW(own, mesh->n_nodes);
        same = own;
    }
    if (outer)
        mark_outside(mesh, outer, n_outer, kind);
    else
        mark_nodes(mesh, kind);
    measure_edges(mesh, kind, size);
    RITZ_TRY(sort_places(mesh, kind, &places, &n));
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        same[i] = i;
    join_near(mesh, places, n, kind, size, same);
    for (int32_t i = 0; i < mesh->n_nodes; i++) {
        same[i] = ritz_find_root(same, i);
        if (same[i] != i && found->n++ == 0)
            found->first = i, found->other = same[i];
    }
done:
    ritz_free(kind);
    ritz_free(size);
    ritz_free(places);
    ritz_free(own);
    return status;
}

static int64_t count_cells(const ritz_mesh *mesh)
{
    int64_t n = 0;
    for (int b = 0; b < mesh->n_blocks; b++)
        n += mesh->blocks[b].n_cells;
    return n;
}

ritz_status ritz_mesh_glue(ritz_mesh *mesh, int64_t *n_nodes, int64_t *n_cells)
{
    ritz_status status = RITZ_OK;
    int32_t *same = NULL;
    ritz_coincidence found;
    *n_nodes = *n_cells = 0;
    RITZ_NEW(same, mesh->n_nodes);
    RITZ_TRY(ritz_mesh_find_coincident(mesh, NULL, 0, same, &found));
    if (found.n == 0)
        goto done;
    for (int b = 0; b < mesh->n_blocks; b++)
        for (int64_t i = 0; i < (int64_t)mesh->blocks[b].n_cells * mesh->blocks[b].n_nodes; i++)
            mesh->blocks[b].nodes[i] = same[mesh->blocks[b].nodes[i]];
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        ritz_mesh_entity *entity = &mesh->entities[e];
        entity->block = entity->cell = -1; /* it may be another one's facet now */
        for (int v = 0; v < entity->n_vertices; v++)
            entity->vertices[v] = same[entity->vertices[v]];
    }
    *n_nodes = found.n;
    *n_cells = count_cells(mesh);
    RITZ_TRY(ritz_mesh_merge_duplicates(mesh));
    *n_cells -= count_cells(mesh);
    RITZ_TRY(ritz_mesh_merge_entities(mesh));
    RITZ_TRY(ritz_mesh_check(mesh));
    RITZ_TRY(ritz_mesh_renumber(mesh));
    RITZ_TRY(ritz_mesh_attach_entities(mesh));
done:
    ritz_free(same);
    return status;
}
