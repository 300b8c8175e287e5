/* Groups of points: the nodes of the space at nodes of the mesh, be these vertices or in the middle of the edges, faces
   and insides of second-order cells. */
#include "space/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_GEOMETRY = 27, MAX_ENTITIES = RITZ_MAX_EDGES + RITZ_MAX_FACETS + 1 };
enum { POINT = 1, HELD = 2 }; /* of a mesh node: in the group; the space has nodes for it */

/* The nodes of the geometry of one type of cell. */
typedef struct point_layout {
    int n_nodes;
    int place[MAX_GEOMETRY]; /* local node of the space there, -1 where the order has none */
    int n_entities;          /* edges, faces, the cell itself; none where cells have nodes on vertices only */
    unsigned vertices[MAX_ENTITIES],
        nodes[MAX_ENTITIES]; /* bits: local vertices of a entity, nodes of the geometry on it */
} point_layout;

static void add_entity(const ritz_basis *geometry, unsigned vertices, point_layout *layout)
{
    const ritz_topology *topology = ritz_cell_topology(geometry->cell);
    const int entity = layout->n_entities++;
    layout->vertices[entity] = vertices;
    for (int i = 0; i < geometry->n_shape; i++)
        if (!(ritz_node_mask(topology, &geometry->entities[i]) & ~vertices))
            layout->nodes[entity] |= 1u << i;
}

static ritz_status make_layout(const ritz_space_batch *batch, point_layout *layout)
{
    ritz_status status = RITZ_OK;
    const ritz_topology *topology = ritz_cell_topology(batch->cell);
    const ritz_basis *basis = batch->basis;
    ritz_basis *geometry = NULL;
    RITZ_TRY(ritz_basis_create(batch->cell, batch->block->geometry_order, RITZ_NODES_LOBATTO, &geometry));
    *layout = (point_layout){.n_nodes = geometry->n_shape};
    for (int i = 0; i < geometry->n_shape; i++) {
        layout->place[i] = -1;
        for (int j = 0; j < basis->n_shape; j++) {
            double off = 0;
            for (int d = 0; d < basis->dim; d++)
                off += fabs(basis->nodes[j * basis->dim + d] - geometry->nodes[i * basis->dim + d]);
            if (off < 1e-9)
                layout->place[i] = j;
        }
    }
    if (geometry->order == 1)
        goto done;
    for (int dim = 1; dim < topology->dim; dim++)
        for (int e = 0; e < (dim == 1 ? topology->n_edges : topology->n_facets); e++) {
            const ritz_cell_node entity = {.dim = (int8_t)dim, .entity = (int8_t)e};
            add_entity(geometry, ritz_node_mask(topology, &entity), layout);
        }
    add_entity(geometry, (1u << topology->n_vertices) - 1, layout);
done:
    ritz_basis_destroy(&geometry);
    return status;
}

static void mark_in_batch(const ritz_space_batch *batch, const point_layout *layout, uint8_t *point, uint8_t *marked)
{
    for (int32_t c = 0; c < batch->n_cells; c++) {
        const int32_t *nodes = batch->block->nodes + (int64_t)c * layout->n_nodes;
        const int32_t *cell_nodes = batch->cell_nodes + (int64_t)c * batch->n_shape;
        unsigned has = 0, held = 0;
        for (int i = 0; i < layout->n_nodes; i++)
            has |= point[nodes[i]] ? 1u << i : 0;
        if (!has)
            continue;
        for (int i = 0; i < layout->n_nodes; i++)
            if (has >> i & 1 && layout->place[i] >= 0) {
                marked[cell_nodes[layout->place[i]]] = 1;
                held |= 1u << i;
            }
        for (int entity = 0; entity < layout->n_entities; entity++)
            if (!(layout->nodes[entity] & ~has)) {
                ritz_mark_closure(batch, c, layout->vertices[entity], marked);
                held |= layout->nodes[entity];
            }
        for (int i = 0; i < layout->n_nodes; i++)
            point[nodes[i]] |= held >> i & 1 ? HELD : 0;
    }
}

/* A support that is asked for and cannot be given is no answer. */
static ritz_status check_point_supports(const ritz_space *space, int32_t group, const uint8_t *point)
{
    const ritz_mesh *mesh = space->mesh;
    int64_t n = 0;
    int32_t first = -1;
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        if (point[i] == POINT) {
            first = first < 0 ? i : first;
            n++;
        }
    if (n == 0)
        return RITZ_OK;
    const double *x = &mesh->nodes[3 * (int64_t)first];
    return ritz_fail(RITZ_ERROR_INPUT,
                     "the group '%s' holds %lld node%s in the middle of edges, faces or cells, one at (%g, %g, %g), "
                     "where shape functions of order %d have no node; take an even order, like  order: 2, or make it a "
                     "group of edges or faces",
                     mesh->groups[group].name, (long long)n, n == 1 ? "" : "s", x[0], x[1], x[2], space->order);
}

static ritz_status gather_points(const ritz_mesh *mesh, int32_t group, uint8_t **point)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*point, mesh->n_nodes);
    for (int32_t e = 0; e < mesh->n_entities; e++)
        if (mesh->entities[e].dim == 0 && ritz_mesh_set_has(mesh, mesh->entities[e].set, group))
            (*point)[mesh->entities[e].vertices[0]] = POINT;
done:
    return status;
}

ritz_status ritz_mark_points(const ritz_space *space, int32_t group, uint8_t *marked)
{
    ritz_status status = RITZ_OK;
    uint8_t *point = NULL;
    RITZ_TRY(gather_points(space->mesh, group, &point));
    for (int b = 0; b < space->n_batches; b++) {
        point_layout layout;
        RITZ_TRY(make_layout(&space->batches[b], &layout));
        mark_in_batch(&space->batches[b], &layout, point, marked);
    }
    RITZ_TRY(check_point_supports(space, group, point));
done:
    ritz_free(point);
    return status;
}

/* only[g]: the mesh node that is the only member of group g; -1: it has none, -2: more than one, or no points. */
static void find_only_points(const ritz_mesh *mesh, int32_t *only)
{
    for (int32_t g = 0; g < mesh->n_groups; g++)
        only[g] = mesh->groups[g].dim == 0 ? -1 : -2;
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_group_set *set = &mesh->sets[mesh->entities[e].set];
        const int32_t node = mesh->entities[e].vertices[0];
        for (int k = 0; mesh->entities[e].dim == 0 && k < set->n_groups; k++) {
            int32_t *one = &only[set->groups[k]];
            *one = *one == -1 || *one == node ? node : -2;
        }
    }
}

ritz_status ritz_find_lone_points(ritz_space *space)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    int32_t *at = NULL, n = 0; /* at[mesh->n_nodes]: the space's node there */
    RITZ_NEW(space->lone_nodes, mesh->n_groups);
    find_only_points(mesh, space->lone_nodes);
    for (int32_t g = 0; g < mesh->n_groups; g++)
        n += space->lone_nodes[g] >= 0;
    if (n > 0) {
        RITZ_NEW(at, mesh->n_nodes);
        memset(at, -1, (size_t)mesh->n_nodes * sizeof *at);
    }
    for (int b = 0; b < space->n_batches && n > 0; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        point_layout layout;
        RITZ_TRY(make_layout(batch, &layout));
        for (int32_t c = 0; c < batch->n_cells; c++)
            for (int i = 0; i < layout.n_nodes; i++)
                if (layout.place[i] >= 0)
                    at[batch->block->nodes[(int64_t)c * layout.n_nodes + i]] =
                        batch->cell_nodes[(int64_t)c * batch->n_shape + layout.place[i]];
    }
    for (int32_t g = 0; g < mesh->n_groups; g++)
        space->lone_nodes[g] = space->lone_nodes[g] >= 0 ? at[space->lone_nodes[g]] : -1;
done:
    ritz_free(at);
    return status;
}

/* ---- Facets of which a group has the corners only ----------------------------------------------------------------- */

/* Whether all vertices of the facet are in the group, and some node of the space on it is not. */
static bool is_open(const ritz_space_batch *batch, int32_t cell, int facet, const uint8_t *point, const uint8_t *marked)
{
    const ritz_topology *topology = ritz_cell_topology(batch->cell);
    const int32_t *nodes = batch->block->nodes + (int64_t)cell * batch->block->n_nodes;
    const int32_t *cell_nodes = batch->cell_nodes + (int64_t)cell * batch->n_shape;
    unsigned mask = 0;
    for (int v = 0; v < topology->facet_n_vertices[facet]; v++) {
        if (!point[nodes[topology->facets[facet][v]]])
            return false;
        mask |= 1u << topology->facets[facet][v];
    }
    for (int i = 0; i < batch->n_shape; i++)
        if (!(ritz_node_mask(topology, &batch->basis->entities[i]) & ~mask) && !marked[cell_nodes[i]])
            return true;
    return false;
}

/* The outer facets come in the order of the cells, so that one walk meets them all. */
static void count_open(const ritz_space *space, const ritz_mesh_facet *outer, int64_t n_outer, const uint8_t *point,
                       const uint8_t *marked, int64_t *n, int32_t *first)
{
    int64_t next = 0;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const ritz_topology *topology = ritz_cell_topology(batch->cell);
        for (int32_t c = 0; c < batch->n_cells; c++)
            for (int f = 0; f < topology->n_facets && next < n_outer; f++) {
                const int32_t *nodes = batch->block->nodes + (int64_t)c * batch->block->n_nodes;
                bool same = outer[next].n == topology->facet_n_vertices[f];
                for (int v = 0; v < outer[next].n && same; v++)
                    same = outer[next].vertices[v] == nodes[topology->facets[f][v]];
                if (!same)
                    continue;
                if (is_open(batch, c, f, point, marked) && (*n)++ == 0)
                    *first = outer[next].vertices[0];
                next++;
            }
    }
}

ritz_status ritz_space_open_facets(const ritz_space *space, int32_t group, int64_t *n, int32_t *first)
{
    ritz_status status = RITZ_OK;
    uint8_t *point = NULL, *marked = NULL;
    ritz_mesh_facet *outer = NULL;
    int64_t n_outer = 0;
    *n = 0;
    *first = -1;
    if (space->mesh->groups[group].dim > 0 || space->order == 1)
        return RITZ_OK;
    RITZ_TRY(gather_points(space->mesh, group, &point));
    RITZ_NEW(marked, space->n_nodes);
    RITZ_TRY(ritz_mark_points(space, group, marked));
    RITZ_TRY(ritz_mesh_outer_facets(space->mesh, &outer, &n_outer));
    count_open(space, outer, n_outer, point, marked, n, first);
done:
    ritz_free(point);
    ritz_free(marked);
    ritz_free(outer);
    return status;
}
