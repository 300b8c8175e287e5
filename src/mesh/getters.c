/* What callers ask of a mesh: coordinates, cells and the members of groups, in their own numbering. */
#include "mesh/raw.h"

#include <stdlib.h>
#include <string.h>

int ritz_mesh_order(const ritz_mesh *mesh)
{
    return mesh && mesh->n_blocks > 0 ? mesh->blocks[0].geometry_order : 0;
}

ritz_status ritz_mesh_coordinates(const ritz_mesh *mesh, double *coordinates)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL;
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_REQUIRE_POINTER(coordinates);
    const size_t row = sizeof(double) * (size_t)mesh->dim;
    RITZ_TRY(ritz_mesh_node_places(mesh, &place));
    for (int64_t n = 0; n < mesh->n_nodes; n++)
        memcpy(coordinates + (int64_t)place[n] * mesh->dim, mesh->nodes + 3 * n, row);
    for (int64_t n = 0; n < mesh->n_unused; n++)
        memcpy(coordinates + (int64_t)mesh->unused[n] * mesh->dim, mesh->unused_at + n * mesh->dim, row);
done:
    ritz_free(place);
    return status;
}

/* ---- Cells ---- */

ritz_status ritz_mesh_cell_numbers(const ritz_mesh *mesh, ritz_cell cell, int64_t *numbers)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL;
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_REQUIRE_POINTER(numbers);
    const ritz_mesh_block *block = ritz_mesh_find_block(mesh, cell);
    RITZ_TRY(block ? ritz_mesh_places(block, &place) : RITZ_ERROR_INPUT);
    for (int32_t c = 0; c < block->n_cells; c++)
        numbers[place[c]] = block->number[c];
done:
    ritz_free(place);
    return status;
}

static void free_places(int64_t *place[RITZ_N_CELLS])
{
    for (int b = 0; b < RITZ_N_CELLS; b++)
        ritz_free(place[b]);
}

ritz_status ritz_mesh_cell_places(const ritz_mesh *mesh, ritz_cell cell, int64_t *places)
{
    ritz_status status = RITZ_OK;
    int64_t *of_all[RITZ_N_CELLS] = {NULL};
    int32_t *place = NULL;
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_REQUIRE_POINTER(places);
    const ritz_mesh_block *block = ritz_mesh_find_block(mesh, cell);
    RITZ_TRY(block ? ritz_mesh_places(block, &place) : RITZ_ERROR_INPUT);
    RITZ_TRY(ritz_mesh_places_of_all(mesh, of_all));
    for (int32_t c = 0; c < block->n_cells; c++)
        places[place[c]] = of_all[block - mesh->blocks][c];
done:
    free_places(of_all);
    ritz_free(place);
    return status;
}

ritz_status ritz_mesh_cell_nodes(const ritz_mesh *mesh, ritz_cell cell, int32_t *nodes)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL, *node = NULL;
    int turn[RITZ_MAX_SHAPE], at[RITZ_GMSH_MOST_NODES];
    ritz_basis *basis = NULL;
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_REQUIRE_POINTER(nodes);
    const ritz_mesh_block *block = ritz_mesh_find_block(mesh, cell);
    RITZ_TRY(block ? ritz_mesh_places(block, &place) : RITZ_ERROR_INPUT);
    RITZ_TRY(ritz_mesh_node_places(mesh, &node));
    RITZ_TRY(ritz_cell_reflection(cell, block->geometry_order, turn));
    RITZ_TRY(ritz_basis_create(cell, block->geometry_order, RITZ_NODES_LOBATTO, &basis));
    RITZ_TRY(ritz_gmsh_match(basis, ritz_gmsh_type_of_cell(cell, block->n_nodes), at));
    for (int32_t c = 0; c < block->n_cells; c++) {
        const int32_t *from = block->nodes + (int64_t)c * block->n_nodes;
        int32_t *to = nodes + (int64_t)place[c] * block->n_nodes;
        for (int i = 0; i < block->n_nodes; i++)
            to[at[i]] = node[from[block->turned && block->turned[c] ? turn[i] : i]];
    }
done:
    ritz_basis_destroy(&basis);
    ritz_free(place);
    ritz_free(node);
    return status;
}

ritz_status ritz_reflected_facet(ritz_cell cell, int facet, int *reflected)
{
    ritz_status status = RITZ_OK;
    const ritz_topology *t = ritz_cell_topology(cell);
    int turn[RITZ_MAX_SHAPE];
    unsigned wanted = 0;
    RITZ_TRY(ritz_cell_reflection(cell, 1, turn));
    for (int v = 0; v < t->facet_n_vertices[facet]; v++)
        wanted |= 1u << turn[t->facets[facet][v]];
    for (int f = 0; f < t->n_facets; f++) {
        unsigned has = 0;
        for (int v = 0; v < t->facet_n_vertices[f]; v++)
            has |= 1u << t->facets[f][v];
        if (has == wanted)
            *reflected = f;
    }
done:
    return status;
}

/* ---- Groups ---- */

static const ritz_group *find_group(const ritz_mesh *mesh, int group)
{
    return mesh && group >= 0 && group < mesh->n_groups ? &mesh->groups[group] : NULL;
}

int ritz_mesh_n_groups(const ritz_mesh *mesh)
{
    return mesh ? mesh->n_groups : 0;
}

const char *ritz_mesh_group_name(const ritz_mesh *mesh, int group)
{
    const ritz_group *g = find_group(mesh, group);
    return g ? g->name : NULL;
}

ritz_group_kind ritz_mesh_group_kind(const ritz_mesh *mesh, int group)
{
    const ritz_group *g = find_group(mesh, group);
    if (!g || g->dim == mesh->dim)
        return RITZ_GROUP_CELLS;
    return g->dim == 0 ? RITZ_GROUP_NODES : g->dim == mesh->dim - 1 ? RITZ_GROUP_FACETS : RITZ_GROUP_EDGES;
}

/* Whether an entity is a member of a group of facets, edges or nodes. */
static bool is_member(const ritz_mesh *mesh, const ritz_mesh_entity *entity, int32_t group)
{
    return entity->dim == mesh->groups[group].dim && ritz_mesh_set_has(mesh, entity->set, group) &&
           (entity->dim != mesh->dim - 1 || entity->facet >= 0);
}

int64_t ritz_mesh_group_size(const ritz_mesh *mesh, int group)
{
    const ritz_group *g = find_group(mesh, group);
    int64_t n = 0;
    for (int b = 0; g && g->dim == mesh->dim && b < mesh->n_blocks; b++)
        for (int32_t c = 0; c < mesh->blocks[b].n_cells; c++)
            n += ritz_mesh_set_has(mesh, mesh->blocks[b].set[c], group);
    for (int32_t e = 0; g && g->dim < mesh->dim && e < mesh->n_entities; e++)
        n += is_member(mesh, &mesh->entities[e], group);
    return n;
}

static int by_number(const void *p, const void *q)
{
    const int64_t *a = p, *b = q;
    return (*a > *b) - (*a < *b);
}

static int by_pair(const void *p, const void *q)
{
    const int64_t *a = p, *b = q;
    return a[0] != b[0] ? by_number(a, b) : by_number(a + 1, b + 1);
}

static ritz_status cells_of(const ritz_mesh *mesh, int32_t group, int64_t *members, int64_t *n)
{
    ritz_status status = RITZ_OK;
    int64_t *place[RITZ_N_CELLS] = {NULL};
    RITZ_TRY(ritz_mesh_places_of_all(mesh, place));
    for (int b = 0; b < mesh->n_blocks; b++)
        for (int32_t c = 0; c < mesh->blocks[b].n_cells; c++)
            if (ritz_mesh_set_has(mesh, mesh->blocks[b].set[c], group))
                members[(*n)++] = place[b][c];
done:
    free_places(place);
    return status;
}

static ritz_status facets_of(const ritz_mesh *mesh, int32_t group, int64_t *members, int64_t *n)
{
    ritz_status status = RITZ_OK;
    int64_t *place[RITZ_N_CELLS] = {NULL};
    RITZ_TRY(ritz_mesh_places_of_all(mesh, place));
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        if (!is_member(mesh, entity, group))
            continue;
        const ritz_mesh_block *block = &mesh->blocks[entity->block];
        int facet = entity->facet;
        if (block->turned && block->turned[entity->cell])
            RITZ_TRY(ritz_reflected_facet(block->cell, facet, &facet));
        members[2 * *n] = place[entity->block][entity->cell];
        members[2 * (*n)++ + 1] = facet;
    }
done:
    free_places(place);
    return status;
}

/* Points, and the ends of edges. */
static ritz_status nodes_of(const ritz_mesh *mesh, int32_t group, int64_t *members, int64_t *n)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL;
    RITZ_TRY(ritz_mesh_node_places(mesh, &place));
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        if (!is_member(mesh, entity, group))
            continue;
        for (int v = 0; v < entity->n_vertices; v++)
            members[*n * entity->n_vertices + v] = place[entity->vertices[v]];
        ++*n;
    }
done:
    ritz_free(place);
    return status;
}

ritz_status ritz_mesh_group_members(const ritz_mesh *mesh, int group, int64_t *members)
{
    ritz_status status = RITZ_OK;
    int64_t n = 0;
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_REQUIRE_POINTER(members);
    RITZ_REQUIRE(find_group(mesh, group), RITZ_ERROR_INPUT,
                 "there is no group %d; the mesh has %d group%s, counted from 0", group, mesh->n_groups,
                 ritz_plural(mesh->n_groups));
    const ritz_group_kind kind = ritz_mesh_group_kind(mesh, group);
    if (kind == RITZ_GROUP_CELLS)
        RITZ_TRY(cells_of(mesh, group, members, &n));
    else if (kind == RITZ_GROUP_FACETS)
        RITZ_TRY(facets_of(mesh, group, members, &n));
    else
        RITZ_TRY(nodes_of(mesh, group, members, &n));
    if (kind == RITZ_GROUP_CELLS || kind == RITZ_GROUP_NODES)
        qsort(members, (size_t)n, sizeof *members, by_number);
    else
        qsort(members, (size_t)n, 2 * sizeof *members, by_pair);
done:
    return status;
}
