/* The facets on the outside of a mesh: those that only one cell has. */
#include "mesh/mesh.h"

#include <string.h>

/* Facets by their lowest vertex: keys[start[v]] .. keys[start[v + 1] - 1] are those of vertex v; 0: met twice. */
typedef struct buckets {
    int64_t *start; /* [n_nodes + 1] */
    int64_t *place; /* [n_nodes] while they are filled */
    uint64_t *keys;
} buckets;

static void free_buckets(buckets *b)
{
    ritz_free(b->start);
    ritz_free(b->place);
    ritz_free(b->keys);
}

/* The vertices of a cell's facet; returns the lowest. *key depends on them, not on their order, and is not 0. */
static int32_t facet_of(const ritz_mesh_block *block, const ritz_topology *t, int64_t cell, int f,
                        ritz_mesh_facet *facet, uint64_t *key)
{
    const int32_t *nodes = block->nodes + cell * block->n_nodes;
    int32_t lowest = INT32_MAX;
    uint64_t sum = 0;
    facet->n = t->facet_n_vertices[f];
    for (int v = 0; v < facet->n; v++) {
        const int32_t node = nodes[t->facets[f][v]];
        facet->vertices[v] = node;
        lowest = node < lowest ? node : lowest;
        uint64_t h = ((uint64_t)node + 1) * 0x9E3779B97F4A7C15u;
        h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
        sum += h ^ h >> 32;
    }
    *key = sum ? sum : 1;
    return lowest;
}

static ritz_status fill_buckets(const ritz_mesh *mesh, buckets *b)
{
    ritz_status status = RITZ_OK;
    ritz_mesh_facet facet;
    uint64_t key;
    RITZ_NEW(b->start, (int64_t)mesh->n_nodes + 1);
    RITZ_NEW(b->place, mesh->n_nodes);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < mesh->n_blocks; i++) {
            const ritz_mesh_block *block = &mesh->blocks[i];
            const ritz_topology *t = ritz_cell_topology(block->cell);
            for (int64_t c = 0; c < block->n_cells; c++)
                for (int f = 0; f < t->n_facets; f++) {
                    const int32_t lowest = facet_of(block, t, c, f, &facet, &key);
                    if (pass == 1)
                        b->keys[b->place[lowest]] = key;
                    b->place[lowest]++;
                }
        }
        for (int32_t v = 0; v < mesh->n_nodes && pass == 0; v++) {
            b->start[v + 1] = b->start[v] + b->place[v];
            b->place[v] = b->start[v];
        }
        if (pass == 0)
            RITZ_NEW(b->keys, b->start[mesh->n_nodes]);
    }
done:
    return status;
}

static void remove_shared_facets(const ritz_mesh *mesh, buckets *b)
{
#pragma omp parallel for schedule(static)
    for (int32_t v = 0; v < mesh->n_nodes; v++)
        for (int64_t i = b->start[v]; i < b->start[v + 1]; i++)
            for (int64_t j = i + 1; b->keys[i] && j < b->start[v + 1]; j++)
                if (b->keys[i] == b->keys[j])
                    b->keys[i] = b->keys[j] = 0;
}

ritz_status ritz_mesh_outer_facets(const ritz_mesh *mesh, ritz_mesh_facet **facets, int64_t *n)
{
    ritz_status status = RITZ_OK;
    buckets b = {0};
    ritz_mesh_facet *found = NULL, facet;
    uint64_t key;
    int64_t count = 0, capacity = 0;
    RITZ_TRY(fill_buckets(mesh, &b));
    remove_shared_facets(mesh, &b);
    memcpy(b.place, b.start, (size_t)mesh->n_nodes * sizeof *b.place);
    for (int i = 0; i < mesh->n_blocks; i++) { /* in the order in which the buckets were filled */
        const ritz_mesh_block *block = &mesh->blocks[i];
        const ritz_topology *t = ritz_cell_topology(block->cell);
        for (int64_t c = 0; c < block->n_cells; c++)
            for (int f = 0; f < t->n_facets; f++) {
                const int32_t lowest = facet_of(block, t, c, f, &facet, &key);
                if (!b.keys[b.place[lowest]++])
                    continue;
                if (count == capacity) {
                    capacity = 2 * capacity + 256;
                    RITZ_RESIZE(found, capacity);
                }
                found[count++] = facet;
            }
    }
    *facets = found;
    *n = count;
    found = NULL;
done:
    ritz_free(found);
    free_buckets(&b);
    return status;
}
