/* The facets on the outside of a mesh: those that only one cell has. */
#include "base/buckets.h"
#include "mesh/mesh.h"

#include <string.h>

/* All facets of a mesh, numbered block after block, cell after cell. */
typedef struct facet_list {
    const ritz_mesh *mesh;
    int64_t first[RITZ_N_CELLS + 1]; /* of each block, and the end */
} facet_list;

static facet_list list_facets(const ritz_mesh *mesh)
{
    facet_list list = {.mesh = mesh};
    for (int b = 0; b < mesh->n_blocks; b++)
        list.first[b + 1] =
            list.first[b] + (int64_t)mesh->blocks[b].n_cells * ritz_cell_topology(mesh->blocks[b].cell)->n_facets;
    return list;
}

static int block_of(const facet_list *list, int64_t facet)
{
    int b = 0;
    while (facet >= list->first[b + 1])
        b++;
    return b;
}

static void vertices_of(const facet_list *list, int b, int64_t number, ritz_mesh_facet *facet)
{
    const ritz_mesh_block *block = &list->mesh->blocks[b];
    const ritz_topology *t = ritz_cell_topology(block->cell);
    const int64_t cell = (number - list->first[b]) / t->n_facets;
    const int f = (int)((number - list->first[b]) % t->n_facets);
    facet->n = t->facet_n_vertices[f];
    for (int v = 0; v < facet->n; v++)
        facet->vertices[v] = block->nodes[cell * block->n_nodes + t->facets[f][v]];
}

static void lowest_vertices(const void *facets, int64_t first, int n, int32_t *lowest)
{
    const facet_list *list = facets;
    for (int i = 0; i < n;) { /* a cell or the rest of it at once */
        const int b = block_of(list, first + i);
        const ritz_mesh_block *block = &list->mesh->blocks[b];
        const ritz_topology *t = ritz_cell_topology(block->cell);
        const int64_t cell = (first + i - list->first[b]) / t->n_facets;
        const int32_t *nodes = block->nodes + cell * block->n_nodes;
        for (int f = (int)((first + i - list->first[b]) % t->n_facets); f < t->n_facets && i < n; f++, i++) {
            lowest[i] = INT32_MAX;
            for (int v = 0; v < t->facet_n_vertices[f]; v++)
                lowest[i] = nodes[t->facets[f][v]] < lowest[i] ? nodes[t->facets[f][v]] : lowest[i];
        }
    }
}

/* Depends on a facet's vertices, not on their order; not 0. */
static uint64_t make_key(const facet_list *list, int64_t number)
{
    ritz_mesh_facet facet;
    uint64_t sum = 0;
    vertices_of(list, block_of(list, number), number, &facet);
    for (int v = 0; v < facet.n; v++) {
        uint64_t h = ((uint64_t)facet.vertices[v] + 1) * 0x9E3779B97F4A7C15u;
        h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
        sum += h ^ h >> 32;
    }
    return sum ? sum : 1;
}

/* Marks those of numbers[n], the facets of one lowest vertex, that no other one has the vertices of. keys[n]: room */
static void mark_outer(const facet_list *list, int64_t n, const int64_t *numbers, uint64_t *keys, uint8_t *outer)
{
    for (int64_t i = 0; i < n; i++)
        keys[i] = make_key(list, numbers[i]);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i + 1; keys[i] && j < n; j++)
            if (keys[i] == keys[j])
                keys[i] = keys[j] = 0;
        outer[numbers[i]] = keys[i] != 0;
    }
}

/* outer[facets]: 1 for those that one cell has. */
static ritz_status find_outer(const facet_list *list, uint8_t *outer)
{
    enum { STRIPES = 64, PARALLEL_FROM = 1 << 15 };
    ritz_status status = RITZ_OK;
    const int64_t n_nodes = list->mesh->n_nodes, n = list->first[list->mesh->n_blocks];
    int64_t *start = NULL, *numbers = NULL, longest = 0;
    uint64_t *keys = NULL;
    RITZ_TRY(ritz_fill_buckets(n, list->mesh->n_nodes, lowest_vertices, list, &start, &numbers));
    for (int64_t v = 0; v < n_nodes; v++)
        longest = ritz_max64(longest, start[v + 1] - start[v]);
    RITZ_NEW(keys, STRIPES * longest);
#pragma omp parallel for schedule(dynamic) if (n > PARALLEL_FROM)
    for (int k = 0; k < STRIPES; k++)
        for (int64_t v = n_nodes * k / STRIPES; v < n_nodes * (k + 1) / STRIPES; v++)
            mark_outer(list, start[v + 1] - start[v], numbers + start[v], keys + k * longest, outer);
done:
    ritz_free(start);
    ritz_free(numbers);
    ritz_free(keys);
    return status;
}

ritz_status ritz_mesh_outer_facets(const ritz_mesh *mesh, ritz_mesh_facet **facets, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const facet_list list = list_facets(mesh);
    const int64_t n_facets = list.first[mesh->n_blocks];
    ritz_mesh_facet *found = NULL;
    uint8_t *outer = NULL;
    int64_t count = 0;
    RITZ_NEW(outer, n_facets);
    RITZ_TRY(find_outer(&list, outer));
    for (int64_t i = 0; i < n_facets; i++)
        count += outer[i];
    RITZ_NEW(found, count);
    count = 0;
    for (int64_t i = 0; i < n_facets; i++)
        if (outer[i])
            vertices_of(&list, block_of(&list, i), i, &found[count++]);
    *facets = found;
    *n = count;
done:
    ritz_free(outer);
    return status;
}
