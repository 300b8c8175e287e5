/* From elements as a file holds them to the blocks of a mesh: node order, and nodes that serendipity elements lack. */
#include "mesh/raw.h"

#include <math.h>
#include <string.h>

void ritz_raw_free(ritz_raw *raw)
{
    for (int t = 0; t < RITZ_GMSH_MOST_TYPES; t++) {
        ritz_free(raw->cells[t].nodes);
        ritz_free(raw->cells[t].set);
        ritz_free(raw->cells[t].number);
    }
    *raw = (ritz_raw){0};
}

/* The full node set of a cell of second (or first) order, and how to make a node from others. */
typedef struct layout {
    const ritz_topology *topology;
    ritz_basis *basis;
    int edge_node[RITZ_MAX_EDGES]; /* local node on each edge, at order 2 */
} layout;

static ritz_status layout_create(ritz_cell cell, int order, layout *l)
{
    ritz_status status = RITZ_OK;
    *l = (layout){.topology = ritz_cell_topology(cell)};
    RITZ_TRY(ritz_basis_create(cell, order, RITZ_NODES_LOBATTO, &l->basis));
    for (int i = 0; i < l->basis->n_shape; i++) {
        if (l->basis->entities[i].dim == 1)
            l->edge_node[l->basis->entities[i].entity] = i;
    }
done:
    return status;
}

ritz_status ritz_gmsh_match(const ritz_basis *basis, const ritz_gmsh_type *type, int *from)
{
    ritz_status status = RITZ_OK;
    double reference[RITZ_GMSH_MOST_NODES][3];
    RITZ_TRY(ritz_gmsh_reference(type, reference));
    for (int i = 0; i < basis->n_shape; i++) {
        from[i] = -1;
        for (int j = 0; j < type->n_nodes; j++) {
            double off = 0;
            for (int a = 0; a < basis->dim; a++)
                off += fabs(basis->nodes[i * basis->dim + a] - reference[j][a]);
            if (off < 1e-6)
                from[i] = j;
        }
    }
done:
    return status;
}

/* Nodes made for elements that lack them, shared by the cells around an edge or face. */
typedef struct maker {
    ritz_mesh *mesh;
    int64_t capacity; /* of mesh->nodes */
    ritz_tuple_table made;
} maker;

static ritz_status new_node(maker *m, const double x[3], int32_t *node)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(m->mesh->n_nodes < INT32_MAX, RITZ_ERROR_INPUT,
                 "the mesh has more than the 2147483647 nodes that one mesh can hold; split it into parts");
    if (m->mesh->n_nodes == m->capacity) {
        RITZ_RESIZE(m->mesh->nodes, 3 * 2 * (m->capacity + 8));
        if (m->mesh->node_number)
            RITZ_RESIZE(m->mesh->node_number, 2 * (m->capacity + 8));
        m->capacity = 2 * (m->capacity + 8);
    }
    if (m->mesh->node_number)
        m->mesh->node_number[m->mesh->n_nodes] = -1;
    *node = m->mesh->n_nodes++;
    memcpy(&m->mesh->nodes[3 * (int64_t)*node], x, 3 * sizeof *x);
done:
    return status;
}

/* Vertices around local node i, and the nodes in the middle of the edges between them. */
static void find_neighbours(const layout *l, int i, const int32_t *nodes, int *n_vertices, int32_t *vertices,
                            int *n_edges, int32_t *edges)
{
    const ritz_topology *t = l->topology;
    ritz_cell_node at = l->basis->entities[i];
    bool around[RITZ_MAX_VERTICES] = {false};
    bool face = at.dim == 2 && t->dim == 3;
    *n_vertices = 0;
    *n_edges = 0;
    for (int v = 0; v < t->n_vertices; v++)
        around[v] = at.dim == t->dim;
    for (int v = 0; face && v < t->facet_n_vertices[at.entity]; v++)
        around[t->facets[at.entity][v]] = true;
    for (int v = 0; at.dim == 1 && v < 2; v++)
        around[t->edges[at.entity][v]] = true;
    for (int v = 0; v < t->n_vertices; v++) {
        if (around[v])
            vertices[(*n_vertices)++] = nodes[v];
    }
    for (int e = 0; at.dim > 1 && e < t->n_edges; e++) {
        if (around[t->edges[e][0]] && around[t->edges[e][1]])
            edges[(*n_edges)++] = nodes[l->edge_node[e]];
    }
}

/* The serendipity map at the middle of an edge (1/2 each vertex), of a quad face (-1/4 vertices, 1/2 edges), or of a
   hex (-1/4 vertices, 1/4 edges). Straight edges give the multilinear map. */
static void serendipity_point(const ritz_mesh *mesh, int n_vertices, const int32_t *vertices, int n_edges,
                              const int32_t *edges, double x[3])
{
    double of_vertex = n_edges == 0 ? 1.0 / n_vertices : -0.25, of_edge = n_edges == 4 ? 0.5 : 0.25;
    for (int a = 0; a < 3; a++) {
        x[a] = 0;
        for (int v = 0; v < n_vertices; v++)
            x[a] += of_vertex * mesh->nodes[3 * (int64_t)vertices[v] + a];
        for (int e = 0; e < n_edges; e++)
            x[a] += of_edge * mesh->nodes[3 * (int64_t)edges[e] + a];
    }
}

/* Makes the missing nodes (-1) of a cell, or enters its own (enter) so that its neighbours find them. Basis order is
   vertices, edges, faces, inside, so the edges are there when a face asks for them. */
static ritz_status complete_cell(maker *m, const layout *l, bool enter, int32_t *nodes)
{
    ritz_status status = RITZ_OK;
    for (int i = l->topology->n_vertices; i < l->basis->n_shape; i++) {
        int32_t vertices[RITZ_MAX_VERTICES], edges[RITZ_MAX_EDGES], stored;
        int n_vertices, n_edges;
        double x[3];
        bool shared = l->basis->entities[i].dim < l->topology->dim;
        if (enter != (nodes[i] >= 0) || (enter && !shared))
            continue;
        find_neighbours(l, i, nodes, &n_vertices, vertices, &n_edges, edges);
        ritz_node_tuple key = shared ? ritz_tuple_of(n_vertices, vertices) : (ritz_node_tuple){{-1, -1, -1, -1}};
        int32_t found = shared && !enter ? ritz_tuple_find(&m->made, key) : -1;
        if (!enter && found < 0) {
            serendipity_point(m->mesh, n_vertices, vertices, n_edges, edges, x);
            RITZ_TRY(new_node(m, x, &nodes[i]));
        }
        if (found >= 0)
            nodes[i] = found;
        else if (shared)
            RITZ_TRY(ritz_tuple_add(&m->made, key, nodes[i], &stored));
    }
done:
    return status;
}

/* Copies the cells of one cell type into its block, in our node order, -1 for nodes that are missing. */
static ritz_status copy_cells(int n_blocks, const ritz_raw_block *blocks, const layout *l, ritz_mesh_block *block,
                              bool *missing)
{
    ritz_status status = RITZ_OK;
    int64_t at = 0;
    for (int k = 0; k < n_blocks; k++) {
        const ritz_raw_block *raw = &blocks[k];
        int from[RITZ_GMSH_MOST_NODES] = {0};
        if (raw->type->cell != (int)block->cell)
            continue;
        RITZ_TRY(ritz_gmsh_match(l->basis, raw->type, from));
        for (int i = 0; i < block->n_nodes; i++)
            *missing = *missing || from[i] < 0;
        for (int64_t c = 0; c < raw->n; c++, at++) {
            for (int i = 0; i < block->n_nodes; i++)
                block->nodes[at * block->n_nodes + i] = from[i] < 0 ? -1 : raw->nodes[c * raw->type->n_nodes + from[i]];
            block->set[at] = raw->set ? raw->set[c] : 0;
            block->number[at] = raw->number ? raw->number[c] : raw->first + c;
        }
    }
done:
    return status;
}

static ritz_status complete_blocks(ritz_mesh *mesh, const layout *layouts)
{
    ritz_status status = RITZ_OK;
    maker m = {.mesh = mesh, .capacity = mesh->n_nodes};
    RITZ_TRY(ritz_tuple_table_create(&m.made, mesh->n_nodes));
    for (int enter = 1; enter >= 0; enter--) {
        for (int b = 0; b < mesh->n_blocks; b++) {
            ritz_mesh_block *block = &mesh->blocks[b];
            for (int64_t c = 0; c < block->n_cells; c++)
                RITZ_TRY(complete_cell(&m, &layouts[block->cell], enter, &block->nodes[c * block->n_nodes]));
        }
    }
done:
    ritz_tuple_table_free(&m.made);
    return status;
}

ritz_status ritz_mesh_add_blocks(ritz_mesh *mesh, int n_blocks, const ritz_raw_block *blocks)
{
    ritz_status status = RITZ_OK;
    layout layouts[RITZ_N_CELLS] = {{0}};
    int64_t n_cells[RITZ_N_CELLS] = {0};
    int order = 1;
    bool missing = false;
    for (int k = 0; k < n_blocks; k++) {
        n_cells[blocks[k].type->cell] += blocks[k].n;
        if (blocks[k].n > 0 && blocks[k].type->order > order)
            order = blocks[k].type->order;
    }
    for (int c = 0; c < RITZ_N_CELLS; c++) {
        ritz_mesh_block *block;
        if (n_cells[c] == 0)
            continue;
        RITZ_TRY(layout_create((ritz_cell)c, order, &layouts[c]));
        RITZ_TRY(ritz_mesh_add_block(mesh, (ritz_cell)c, order, n_cells[c], &block));
        RITZ_TRY(copy_cells(n_blocks, blocks, &layouts[c], block, &missing));
    }
    if (missing)
        RITZ_TRY(complete_blocks(mesh, layouts));
done:
    for (int c = 0; c < RITZ_N_CELLS; c++)
        ritz_basis_destroy(&layouts[c].basis);
    return status;
}

ritz_status ritz_mesh_add_raw(ritz_mesh *mesh, const ritz_raw *raw)
{
    ritz_raw_block blocks[RITZ_GMSH_MOST_TYPES];
    int n = 0;
    for (int t = 0; t < RITZ_GMSH_MOST_TYPES; t++) {
        const ritz_raw_cells *cells = &raw->cells[t];
        if (cells->type && cells->n > 0)
            blocks[n++] = (ritz_raw_block){cells->type, cells->n, cells->nodes, cells->set, cells->number, 0};
    }
    return ritz_mesh_add_blocks(mesh, n, blocks);
}

/* The set of the groups that all nodes around local node i are in. of_node: the set of each node's point. */
static ritz_status common_set(ritz_mesh *mesh, const layout *l, int i, const int32_t *nodes, const int32_t *of_node,
                              int32_t *set)
{
    ritz_status status = RITZ_OK;
    int32_t around[RITZ_MAX_VERTICES + RITZ_MAX_EDGES], *groups = NULL;
    int n_vertices, n_edges, n = 0;
    *set = 0;
    find_neighbours(l, i, nodes, &n_vertices, around, &n_edges, around + RITZ_MAX_VERTICES);
    if (n_edges == 0) /* the ends of a straight edge do not tell whether it is meant */
        return RITZ_OK;
    memmove(around + n_vertices, around + RITZ_MAX_VERTICES, (size_t)n_edges * sizeof *around);
    for (int k = 0; k < n_vertices + n_edges; k++)
        if (of_node[around[k]] == 0)
            return RITZ_OK;
    const ritz_group_set *first = &mesh->sets[of_node[around[0]]];
    RITZ_NEW(groups, first->n_groups);
    for (int g = 0; g < first->n_groups; g++) {
        bool all = true;
        for (int k = 1; k < n_vertices + n_edges && all; k++)
            all = ritz_mesh_set_has(mesh, of_node[around[k]], first->groups[g]);
        groups[n] = first->groups[g];
        n += all;
    }
    RITZ_TRY(ritz_mesh_add_set(mesh, n, groups, set));
done:
    ritz_free(groups);
    return status;
}

ritz_status ritz_mesh_group_made_nodes(ritz_mesh *mesh, int32_t n_given)
{
    ritz_status status = RITZ_OK;
    layout l = {0};
    int32_t *of_node = NULL;
    int64_t capacity = mesh->n_entities;
    if (mesh->n_nodes == n_given || mesh->n_entities == 0)
        return RITZ_OK;
    RITZ_NEW(of_node, mesh->n_nodes);
    for (int32_t e = 0; e < mesh->n_entities; e++)
        if (mesh->entities[e].dim == 0)
            of_node[mesh->entities[e].vertices[0]] = mesh->entities[e].set;
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        RITZ_TRY(layout_create(block->cell, block->geometry_order, &l));
        for (int64_t k = 0; k < (int64_t)block->n_cells * block->n_nodes; k++) {
            const int i = (int)(k % block->n_nodes);
            const int32_t node = block->nodes[k];
            int32_t set;
            if (node < n_given || of_node[node])
                continue;
            RITZ_TRY(common_set(mesh, &l, i, &block->nodes[k - i], of_node, &set));
            if (set == 0)
                continue;
            if (mesh->n_entities == capacity) {
                capacity = 2 * capacity;
                RITZ_RESIZE(mesh->entities, capacity);
            }
            mesh->entities[mesh->n_entities++] = (ritz_mesh_entity){
                .n_vertices = 1, .facet = -1, .vertices = {node}, .set = set, .block = -1, .cell = -1};
            of_node[node] = set;
        }
        ritz_basis_destroy(&l.basis);
    }
done:
    ritz_basis_destroy(&l.basis);
    ritz_free(of_node);
    return status;
}

/* Puts the nodes of a cell that are no vertices where straight edges have them. */
static void straighten_cell(ritz_mesh *mesh, const layout *l, const int32_t *nodes)
{
    for (int i = l->topology->n_vertices; i < l->basis->n_shape; i++) {
        int32_t vertices[RITZ_MAX_VERTICES], edges[RITZ_MAX_EDGES];
        int n_vertices, n_edges;
        find_neighbours(l, i, nodes, &n_vertices, vertices, &n_edges, edges);
        serendipity_point(mesh, n_vertices, vertices, n_edges, edges, &mesh->nodes[3 * (int64_t)nodes[i]]);
    }
}

/* One round over a block: cells that are folded and not straight yet become so. */
static ritz_status straighten_block(ritz_mesh *mesh, const ritz_mesh_block *block, uint8_t *straight, int32_t *n)
{
    ritz_status status = RITZ_OK;
    layout l = {0};
    double *low = NULL, *high = NULL;
    RITZ_TRY(layout_create(block->cell, block->geometry_order, &l));
    RITZ_NEW(low, block->n_cells);
    RITZ_NEW(high, block->n_cells);
    RITZ_TRY(ritz_mesh_determinants(mesh, block, low, high));
    for (int32_t c = 0; c < block->n_cells; c++) {
        bool folded = low[c] <= RITZ_DEGENERATE && high[c] >= -RITZ_DEGENERATE;
        if (!folded || straight[c])
            continue;
        straighten_cell(mesh, &l, &block->nodes[(int64_t)c * block->n_nodes]);
        straight[c] = 1;
        ++*n;
    }
done:
    ritz_basis_destroy(&l.basis);
    ritz_free(low);
    ritz_free(high);
    return status;
}

ritz_status ritz_mesh_straighten(ritz_mesh *mesh, int32_t *n_straightened)
{
    ritz_status status = RITZ_OK;
    uint8_t **straight = NULL;
    int32_t before = -1;
    *n_straightened = 0;
    RITZ_NEW(straight, mesh->n_blocks);
    for (int b = 0; b < mesh->n_blocks; b++)
        RITZ_NEW(straight[b], mesh->blocks[b].n_cells);
    while (before < *n_straightened) {
        before = *n_straightened;
        for (int b = 0; b < mesh->n_blocks; b++) {
            if (mesh->blocks[b].geometry_order == 2)
                RITZ_TRY(straighten_block(mesh, &mesh->blocks[b], straight[b], n_straightened));
        }
    }
done:
    for (int b = 0; straight && b < mesh->n_blocks; b++)
        ritz_free(straight[b]);
    ritz_free(straight);
    return status;
}
