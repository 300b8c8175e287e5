/* Pieces: cells that hang together by facets. Two that share vertices or edges alone turn against each other there, as on a hinge. */
#include "base/trees.h"
#include "mesh/internal.h"

#include <string.h>

static ritz_status make_parents(int64_t n, int32_t **parent)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*parent, n);
    for (int64_t i = 0; i < n; i++)
        (*parent)[i] = (int32_t)i;
done:
    return status;
}

/* ---- Where the outside meets itself ---- */

enum { SIDES = 4 }; /* corners of a facet, at most */

static int32_t corner_at(const ritz_mesh_facet *outer, int32_t facet, int32_t vertex)
{
    int k = 0;
    while (outer[facet].vertices[k] != vertex)
        k++;
    return SIDES * facet + k;
}

/* Joins the corners of facets that meet at an edge; *more: three do. */
static ritz_status join_corners(const ritz_mesh_facet *outer, int64_t n_outer, int32_t *parent, bool *more)
{
    ritz_status status = RITZ_OK;
    ritz_tuple_table edges = {0};
    uint8_t *uses = NULL; /* of the edge that a facet was the first to have, by its side */
    RITZ_NEW(uses, SIDES * n_outer);
    RITZ_TRY(ritz_tuple_table_create(&edges, 2 * n_outer));
    for (int32_t f = 0; f < n_outer && !*more; f++)
        for (int k = 0; k < outer[f].n; k++) {
            const int32_t ends[2] = {outer[f].vertices[k], outer[f].vertices[(k + 1) % outer[f].n]};
            int32_t side;
            RITZ_TRY(ritz_tuple_add(&edges, ritz_tuple_of(2, ends), SIDES * f + k, &side));
            *more = *more || ++uses[side] > 2;
            for (int v = 0; v < 2; v++)
                ritz_join_roots(parent, corner_at(outer, f, ends[v]), corner_at(outer, side / SIDES, ends[v]));
        }
done:
    ritz_tuple_table_free(&edges);
    ritz_free(uses);
    return status;
}

/* Whether an edge has more than two of the outer facets, or those at a vertex are not one fan. */
static ritz_status meets_itself(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer, bool *meets)
{
    ritz_status status = RITZ_OK;
    int32_t *parent = NULL, *fan = NULL; /* fan[n_nodes]: a corner of the first one, -1: none */
    *meets = false;
    RITZ_TRY(make_parents(SIDES * n_outer, &parent));
    RITZ_NEW(fan, mesh->n_nodes);
    memset(fan, -1, (size_t)mesh->n_nodes * sizeof *fan);
    if (mesh->dim == 3)
        RITZ_TRY(join_corners(outer, n_outer, parent, meets));
    for (int32_t f = 0; f < n_outer && !*meets; f++)
        for (int k = 0; k < outer[f].n; k++) {
            int32_t *of = &fan[outer[f].vertices[k]];
            const int32_t corner = ritz_find_root(parent, SIDES * f + k);
            if (mesh->dim == 2) { /* an edge on either side: more are another fan */
                *of = *of < 0 ? 1 : *of + 1;
                *meets = *meets || *of > 2;
            } else {
                *meets = *meets || (*of >= 0 && *of != corner);
                *of = corner;
            }
        }
done:
    ritz_free(parent);
    ritz_free(fan);
    return status;
}

/* ---- Cells ---- */

static ritz_status join_cells(const ritz_mesh_block *block, int32_t first, ritz_tuple_table *facets, int32_t *parent)
{
    ritz_status status = RITZ_OK;
    const ritz_topology *t = ritz_cell_topology(block->cell);
    for (int32_t e = 0; e < block->n_cells; e++)
        for (int f = 0; f < t->n_facets; f++) {
            int32_t vertices[4], other;
            for (int v = 0; v < t->facet_n_vertices[f]; v++)
                vertices[v] = block->nodes[(int64_t)e * block->n_nodes + t->facets[f][v]];
            RITZ_TRY(ritz_tuple_add(facets, ritz_tuple_of(t->facet_n_vertices[f], vertices), first + e, &other));
            ritz_join_roots(parent, first + e, other);
        }
done:
    return status;
}

ritz_status ritz_mesh_find_pieces(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer, int32_t **piece,
                                  int32_t *n_pieces)
{
    ritz_status status = RITZ_OK;
    ritz_tuple_table facets = {0};
    int32_t *of = NULL, first = 0;
    int64_t n_cells = 0;
    bool meets;
    *n_pieces = 0;
    *piece = NULL;
    RITZ_TRY(meets_itself(mesh, outer, n_outer, &meets));
    if (!meets)
        return RITZ_OK;
    for (int b = 0; b < mesh->n_blocks; b++)
        n_cells += mesh->blocks[b].n_cells;
    RITZ_TRY(make_parents(n_cells, &of));
    RITZ_TRY(ritz_tuple_table_create(&facets, 3 * n_cells));
    for (int b = 0; b < mesh->n_blocks; first += mesh->blocks[b++].n_cells)
        RITZ_TRY(join_cells(&mesh->blocks[b], first, &facets, of));
    for (int32_t e = 0; e < n_cells; e++)
        of[e] = ritz_find_root(of, e);
    for (int32_t e = 0; e < n_cells; e++) /* a root comes before the others of its piece, and has its number then */
        of[e] = of[e] == e ? (*n_pieces)++ : of[of[e]];
    *piece = of;
    of = NULL;
done:
    ritz_tuple_table_free(&facets);
    ritz_free(of);
    return status;
}
