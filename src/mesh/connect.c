/* How cells hang together: the cell of each entity, doubled cells, connected components. */
#include "mesh/internal.h"

#include <stdatomic.h>
#include <string.h>

/* Entities by their vertices: first[key] is the first entity there, next[entity] the following one at the same place. */
typedef struct entity_index {
    ritz_tuple_table first; /* of several vertices */
    int32_t *point;         /* [n_nodes] 1 + the first point there, 0: none */
    int32_t *next;
    uint8_t *marked; /* [n_nodes] node of an entity */
    bool has[5];     /* entities with this many vertices exist */
} entity_index;

static void index_free(entity_index *index)
{
    ritz_tuple_table_free(&index->first);
    ritz_free(index->point);
    ritz_free(index->next);
    ritz_free(index->marked);
}

static ritz_status index_create(const ritz_mesh *mesh, entity_index *index)
{
    ritz_status status = RITZ_OK;
    *index = (entity_index){0};
    RITZ_TRY(ritz_tuple_table_create(&index->first, mesh->n_entities));
    RITZ_NEW(index->point, mesh->n_nodes);
    RITZ_NEW(index->next, mesh->n_entities);
    RITZ_NEW(index->marked, mesh->n_nodes);
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        int32_t first;
        index->has[entity->n_vertices] = true;
        for (int v = 0; v < entity->n_vertices; v++)
            index->marked[entity->vertices[v]] = 1;
        if (entity->n_vertices == 1) {
            index->next[e] = index->point[entity->vertices[0]] - 1;
            index->point[entity->vertices[0]] = 1 + e;
            continue;
        }
        RITZ_TRY(ritz_tuple_add(&index->first, ritz_tuple_of(entity->n_vertices, entity->vertices), e, &first));
        index->next[e] = -1;
        if (first != e) {
            index->next[e] = index->next[first];
            index->next[first] = e;
        }
    }
done:
    return status;
}

/* Gives the entities from `first` on to the cell, unless an earlier one has them. */
static void assign_list(ritz_mesh *mesh, const entity_index *index, int32_t first, int facet, int32_t block,
                        int32_t cell)
{
    for (int32_t e = first; e >= 0; e = index->next[e]) {
        if (mesh->entities[e].cell >= 0)
            continue;
        mesh->entities[e].facet = (int8_t)facet;
        mesh->entities[e].block = block;
        mesh->entities[e].cell = cell;
    }
}

/* Those on these vertices. */
static void assign_entity(ritz_mesh *mesh, const entity_index *index, int n, const int32_t *vertices, int facet,
                          int32_t block, int32_t cell)
{
    for (int v = 0; v < n; v++) {
        if (!index->marked[vertices[v]])
            return;
    }
    assign_list(mesh, index, ritz_tuple_find(&index->first, ritz_tuple_of(n, vertices)), facet, block, cell);
}

static void assign_entities_of_cell(ritz_mesh *mesh, const entity_index *index, const ritz_topology *t, int32_t b,
                                    int32_t c)
{
    const ritz_mesh_block *block = &mesh->blocks[b];
    const int32_t *nodes = &block->nodes[(int64_t)c * block->n_nodes];
    int32_t vertices[4];
    int n_marked = 0;
    for (int i = 0; i < block->n_nodes && index->has[1]; i++) { /* a point may be any node, mid-side ones too */
        assign_list(mesh, index, index->point[nodes[i]] - 1, -1, b, c);
        index->point[nodes[i]] = 0; /* later cells come too late */
    }
    for (int v = 0; v < t->n_vertices; v++)
        n_marked += index->marked[nodes[v]];
    if (n_marked == 0)
        return;
    for (int f = 0; f < t->n_facets && n_marked >= mesh->dim; f++) {
        const int n = t->facet_n_vertices[f];
        if (!index->has[n])
            continue;
        for (int v = 0; v < n; v++)
            vertices[v] = nodes[t->facets[f][v]];
        assign_entity(mesh, index, n, vertices, f, b, c);
    }
    for (int e = 0; e < t->n_edges && mesh->dim == 3 && index->has[2]; e++) {
        vertices[0] = nodes[t->edges[e][0]];
        vertices[1] = nodes[t->edges[e][1]];
        assign_entity(mesh, index, 2, vertices, -1, b, c);
    }
}

ritz_status ritz_mesh_attach_entities(ritz_mesh *mesh)
{
    for (int32_t e = 0; e < mesh->n_entities; e++)
        mesh->entities[e].facet = -1, mesh->entities[e].block = -1, mesh->entities[e].cell = -1;
    return ritz_mesh_attach_loose(mesh);
}

ritz_status ritz_mesh_attach_loose(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    entity_index index = {0};
    int32_t lost = 0;
    if (mesh->n_entities == 0)
        return RITZ_OK;
    RITZ_TRY(index_create(mesh, &index));
    for (int32_t b = 0; b < mesh->n_blocks; b++) {
        const ritz_topology *t = ritz_cell_topology(mesh->blocks[b].cell);
        for (int32_t c = 0; c < mesh->blocks[b].n_cells; c++)
            assign_entities_of_cell(mesh, &index, t, b, c);
    }
    for (int32_t e = 0; e < mesh->n_entities; e++)
        lost += mesh->entities[e].cell < 0;
    if (lost > 0)
        ritz_log("%d element%s of groups are not a face, edge or node of any cell", lost, ritz_plural(lost));
done:
    index_free(&index);
    return status;
}

static void count_facets_of_cell(const entity_index *index, const ritz_mesh_block *block, int32_t c, int8_t *n_cells)
{
    const ritz_topology *t = ritz_cell_topology(block->cell);
    const int32_t *nodes = &block->nodes[(int64_t)c * block->n_nodes];
    int n_marked = 0;
    for (int v = 0; v < t->n_vertices; v++)
        n_marked += index->marked[nodes[v]];
    for (int f = 0; f < t->n_facets && n_marked >= t->dim; f++) {
        const int n = t->facet_n_vertices[f];
        int32_t vertices[4];
        bool marked = true;
        for (int v = 0; v < n; v++) {
            vertices[v] = nodes[t->facets[f][v]];
            marked = marked && index->marked[vertices[v]];
        }
        for (int32_t e = marked ? ritz_tuple_find(&index->first, ritz_tuple_of(n, vertices)) : -1; e >= 0;
             e = index->next[e])
            n_cells[e] = (int8_t)(n_cells[e] < INT8_MAX ? n_cells[e] + 1 : INT8_MAX);
    }
}

ritz_status ritz_mesh_facet_cells(const ritz_mesh *mesh, int8_t *n_cells)
{
    ritz_status status = RITZ_OK;
    entity_index index = {0};
    RITZ_TRY(index_create(mesh, &index));
    memset(n_cells, 0, (size_t)mesh->n_entities * sizeof *n_cells);
    for (int b = 0; b < mesh->n_blocks; b++)
        for (int32_t c = 0; c < mesh->blocks[b].n_cells; c++)
            count_facets_of_cell(&index, &mesh->blocks[b], c, n_cells);
done:
    index_free(&index);
    return status;
}

/* A cell's place among its doubles: the hash of its vertices whatever their order, then its index. */
static uint64_t vertices_hash(int n, const int32_t *nodes)
{
    uint64_t sum = 0;
    for (int v = 0; v < n; v++) {
        uint64_t h = ((uint64_t)nodes[v] + 1) * 0x9E3779B97F4A7C15u;
        h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
        sum += h ^ h >> 32;
    }
    return sum;
}

static bool same_vertices(int n, const int32_t *p, const int32_t *q)
{
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int j = 0; j < n && !found; j++)
            found = p[i] == q[j];
        if (!found)
            return false;
    }
    return true;
}

static ritz_status merge_in_block(ritz_mesh *mesh, ritz_mesh_block *block, int64_t *n_merged)
{
    ritz_status status = RITZ_OK;
    int32_t *slots = NULL, kept = 0;
    int n_vertices = ritz_cell_n_shape(block->cell, 1);
    int64_t capacity = 16;
    while (capacity < 2 * (int64_t)block->n_cells)
        capacity *= 2;
    RITZ_NEW(slots, capacity);
    memset(slots, -1, (size_t)capacity * sizeof *slots);
    for (int32_t c = 0; c < block->n_cells; c++) {
        const int32_t *nodes = &block->nodes[(int64_t)c * block->n_nodes];
        uint64_t slot = vertices_hash(n_vertices, nodes) & (uint64_t)(capacity - 1);
        while (slots[slot] >= 0 &&
               !same_vertices(n_vertices, nodes, &block->nodes[(int64_t)slots[slot] * block->n_nodes]))
            slot = (slot + 1) & (uint64_t)(capacity - 1);
        if (slots[slot] >= 0) {
            int32_t *set = &block->set[slots[slot]];
            RITZ_TRY(ritz_mesh_unite_sets(mesh, *set, block->set[c], set));
            ++*n_merged;
            continue;
        }
        memmove(&block->nodes[(int64_t)kept * block->n_nodes], nodes, (size_t)block->n_nodes * sizeof *nodes);
        block->set[kept] = block->set[c];
        block->number[kept] = block->number[c];
        if (block->turned)
            block->turned[kept] = block->turned[c];
        slots[slot] = kept++;
    }
    block->n_cells = kept;
done:
    ritz_free(slots);
    return status;
}

ritz_status ritz_mesh_merge_duplicates(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    int64_t n_merged = 0;
    for (int b = 0; b < mesh->n_blocks; b++)
        RITZ_TRY(merge_in_block(mesh, &mesh->blocks[b], &n_merged));
    if (n_merged > 0)
        ritz_log("%lld element%s given twice, with the same nodes: taken once, in the groups of both",
                 (long long)n_merged, ritz_plural(n_merged));
done:
    return status;
}

ritz_status ritz_mesh_merge_entities(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    ritz_tuple_table table = {0};
    int32_t kept = 0;
    RITZ_TRY(ritz_tuple_table_create(&table, mesh->n_entities));
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        ritz_mesh_entity entity = mesh->entities[e];
        int32_t first;
        RITZ_TRY(ritz_tuple_add(&table, ritz_tuple_of(entity.n_vertices, entity.vertices), kept, &first));
        if (first == kept)
            mesh->entities[kept++] = entity;
        else
            RITZ_TRY(ritz_mesh_unite_sets(mesh, mesh->entities[first].set, entity.set, &mesh->entities[first].set));
    }
    mesh->n_entities = kept;
done:
    ritz_tuple_table_free(&table);
    return status;
}

/* ---- Connected components ---- */

/* Trees that all threads join. Links lead to lower nodes alone, so that the root of a component is its lowest vertex in
   the end, whatever the order. parent[n_nodes], -1: no vertex. */
typedef _Atomic int32_t tree_link;

static int32_t read_link(tree_link *parent, int32_t n)
{
    return atomic_load_explicit(&parent[n], memory_order_relaxed);
}

/* The path is halved on the way: a link to any ancestor is right. */
static int32_t root_of(tree_link *parent, int32_t n)
{
    for (int32_t up = read_link(parent, n); up != n; up = read_link(parent, n)) {
        const int32_t next = read_link(parent, up);
        if (next != up)
            atomic_store_explicit(&parent[n], next, memory_order_relaxed);
        n = next;
    }
    return n;
}

static int32_t join_trees(tree_link *parent, int32_t a, int32_t b)
{
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b)
            return a;
        int32_t high = a > b ? a : b;
        const int32_t low = a < b ? a : b;
        if (atomic_compare_exchange_strong(&parent[high], &high, low))
            return low;
    }
}

static void join_vertices(const ritz_mesh_block *block, tree_link *parent)
{
    const int n_vertices = ritz_cell_n_shape(block->cell, 1);
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < block->n_cells; c++) {
        const int32_t *nodes = &block->nodes[c * block->n_nodes];
        int32_t root = nodes[0];
        for (int v = 0; v < n_vertices; v++) {
            int32_t none = -1;
            const int32_t up = read_link(parent, nodes[v]);
            if (up == root && v > 0)
                continue;
            if (up < 0)
                atomic_compare_exchange_strong(&parent[nodes[v]], &none, nodes[v]);
            root = join_trees(parent, root, nodes[v]);
        }
    }
}

ritz_status ritz_mesh_components(const ritz_mesh *mesh, int32_t *component, int32_t *n_components)
{
    ritz_status status = RITZ_OK;
    tree_link *parent = NULL;
    int32_t n = 0;
    RITZ_NEW(parent, mesh->n_nodes);
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        atomic_init(&parent[i], -1);
    for (int b = 0; b < mesh->n_blocks; b++)
        join_vertices(&mesh->blocks[b], parent);
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        component[i] = read_link(parent, i) < 0 ? -1 : root_of(parent, i);
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        if (component[i] == i)
            parent[i] = n++; /* from here on the number of a root's component */
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        component[i] = component[i] < 0 ? -1 : read_link(parent, component[i]);
    for (int b = 0; b < mesh->n_blocks; b++) { /* nodes that are no vertices */
        const ritz_mesh_block *block = &mesh->blocks[b];
        for (int64_t c = 0; c < block->n_cells && block->geometry_order > 1; c++)
            for (int i = 0; i < block->n_nodes; i++)
                if (component[block->nodes[c * block->n_nodes + i]] < 0)
                    component[block->nodes[c * block->n_nodes + i]] = component[block->nodes[c * block->n_nodes]];
    }
    *n_components = n;
done:
    ritz_free(parent);
    return status;
}
