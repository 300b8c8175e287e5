/* The facets on the outside of a mesh: those that only one cell has. */
#include "base/buckets.h"
#include "mesh/mesh.h"

#include <string.h>

static uint64_t hash_vertex(int32_t vertex)
{
    uint64_t h = ((uint64_t)vertex + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
    return h ^ h >> 32;
}

/* Of the vertices' hashes in any order; not 0. */
static uint64_t make_key(const ritz_mesh_facet *facet)
{
    uint64_t sum = 0;
    for (int v = 0; v < facet->n; v++)
        sum += hash_vertex(facet->vertices[v]);
    return sum ? sum : 1;
}

/* ---- Facets that may be outside ---- */

/* At each vertex the exclusive or of the keys of its facets, open[n_nodes]: what two cells have cancels, so that 0 is left
   inside. */
static void toggle_facets(const ritz_mesh_block *block, int32_t cell, uint64_t *open)
{
    const ritz_topology *t = ritz_cell_topology(block->cell);
    const int32_t *nodes = block->nodes + (int64_t)cell * block->n_nodes;
    uint64_t hash[RITZ_MAX_VERTICES], toggle[RITZ_MAX_VERTICES] = {0};
    for (int v = 0; v < t->n_vertices; v++)
        hash[v] = hash_vertex(nodes[v]);
    for (int f = 0; f < t->n_facets; f++) {
        uint64_t key = 0;
        for (int v = 0; v < t->facet_n_vertices[f]; v++)
            key += hash[t->facets[f][v]];
        for (int v = 0; v < t->facet_n_vertices[f]; v++)
            toggle[t->facets[f][v]] ^= key ? key : 1;
    }
    for (int v = 0; v < t->n_vertices; v++) {
#pragma omp atomic
        open[nodes[v]] ^= toggle[v];
    }
}

/* Facets of the cells first .. last - 1 all of whose vertices are open: how many, and, if they are wanted, which. */
static int64_t find_open(const ritz_mesh_block *block, int32_t first, int32_t last, const uint64_t *open,
                         ritz_mesh_facet *facets)
{
    const ritz_topology *t = ritz_cell_topology(block->cell);
    int64_t n = 0;
    for (int32_t cell = first; cell < last; cell++) {
        const int32_t *nodes = block->nodes + (int64_t)cell * block->n_nodes;
        for (int f = 0; f < t->n_facets; f++) {
            ritz_mesh_facet facet = {.n = t->facet_n_vertices[f]};
            bool is_open = true;
            for (int v = 0; v < facet.n; v++) {
                facet.vertices[v] = nodes[t->facets[f][v]];
                is_open = is_open && open[facet.vertices[v]] != 0;
            }
            if (is_open && facets)
                facets[n] = facet;
            n += is_open;
        }
    }
    return n;
}

enum { STRIPES = 64, PARALLEL_FROM = 1 << 13 };

/* Appends those of one block to (*facets)[*n], in the order of cells. */
static ritz_status add_open(const ritz_mesh_block *block, const uint64_t *open, ritz_mesh_facet **facets, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const int64_t n_cells = block->n_cells;
    int64_t start[STRIPES + 1] = {*n};
#pragma omp parallel for schedule(static) if (n_cells > PARALLEL_FROM)
    for (int k = 0; k < STRIPES; k++)
        start[k + 1] =
            find_open(block, (int32_t)(n_cells * k / STRIPES), (int32_t)(n_cells * (k + 1) / STRIPES), open, NULL);
    for (int k = 0; k < STRIPES; k++)
        start[k + 1] += start[k];
    RITZ_RESIZE(*facets, start[STRIPES]);
#pragma omp parallel for schedule(static) if (n_cells > PARALLEL_FROM)
    for (int k = 0; k < STRIPES; k++)
        find_open(block, (int32_t)(n_cells * k / STRIPES), (int32_t)(n_cells * (k + 1) / STRIPES), open,
                  *facets + start[k]);
    *n = start[STRIPES];
done:
    return status;
}

/* The facets whose vertices all are outside: those outside, and few others. */
static ritz_status list_open(const ritz_mesh *mesh, ritz_mesh_facet **facets, int64_t *n)
{
    ritz_status status = RITZ_OK;
    uint64_t *open = NULL;
    RITZ_NEW(open, mesh->n_nodes);
    for (int b = 0; b < mesh->n_blocks; b++) {
#pragma omp parallel for schedule(static) if (mesh->blocks[b].n_cells > PARALLEL_FROM)
        for (int32_t cell = 0; cell < mesh->blocks[b].n_cells; cell++)
            toggle_facets(&mesh->blocks[b], cell, open);
    }
    for (int b = 0; b < mesh->n_blocks; b++)
        RITZ_TRY(add_open(&mesh->blocks[b], open, facets, n));
done:
    ritz_free(open);
    return status;
}

/* ---- Those that are ---- */

static void lowest_vertices(const void *facets, int64_t first, int n, int32_t *lowest)
{
    const ritz_mesh_facet *facet = (const ritz_mesh_facet *)facets + first;
    for (int i = 0; i < n; i++, facet++) {
        lowest[i] = facet->vertices[0];
        for (int v = 1; v < facet->n; v++)
            lowest[i] = facet->vertices[v] < lowest[i] ? facet->vertices[v] : lowest[i];
    }
}

/* Marks those of numbers[n], the facets of one lowest vertex, that no other one has the vertices of. keys[n]: room */
static void mark_outer(const ritz_mesh_facet *facets, int64_t n, const int64_t *numbers, uint64_t *keys, uint8_t *outer)
{
    for (int64_t i = 0; i < n; i++)
        keys[i] = make_key(&facets[numbers[i]]);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i + 1; keys[i] && j < n; j++)
            if (keys[i] == keys[j])
                keys[i] = keys[j] = 0;
        outer[numbers[i]] = keys[i] != 0;
    }
}

/* outer[n]: 1 for those that stand there once. */
static ritz_status find_outer(int32_t n_nodes, int64_t n, const ritz_mesh_facet *facets, uint8_t *outer)
{
    ritz_status status = RITZ_OK;
    int64_t *start = NULL, *numbers = NULL, longest = 0;
    uint64_t *keys = NULL;
    RITZ_TRY(ritz_fill_buckets(n, n_nodes, lowest_vertices, facets, &start, &numbers));
    for (int64_t v = 0; v < n_nodes; v++)
        longest = ritz_max64(longest, start[v + 1] - start[v]);
    RITZ_NEW(keys, STRIPES * longest);
#pragma omp parallel for schedule(dynamic) if (n > PARALLEL_FROM)
    for (int k = 0; k < STRIPES; k++)
        for (int64_t v = (int64_t)n_nodes * k / STRIPES; v < (int64_t)n_nodes * (k + 1) / STRIPES; v++)
            mark_outer(facets, start[v + 1] - start[v], numbers + start[v], keys + k * longest, outer);
done:
    ritz_free(start);
    ritz_free(numbers);
    ritz_free(keys);
    return status;
}

ritz_status ritz_mesh_outer_facets(const ritz_mesh *mesh, ritz_mesh_facet **facets, int64_t *n)
{
    ritz_status status = RITZ_OK;
    ritz_mesh_facet *found = NULL;
    uint8_t *outer = NULL;
    int64_t n_open = 0;
    RITZ_TRY(list_open(mesh, &found, &n_open));
    RITZ_NEW(outer, n_open);
    RITZ_TRY(find_outer(mesh->n_nodes, n_open, found, outer));
    *n = 0;
    for (int64_t i = 0; i < n_open; i++)
        if (outer[i])
            found[(*n)++] = found[i];
    *facets = found;
    found = NULL;
done:
    ritz_free(found);
    ritz_free(outer);
    return status;
}
