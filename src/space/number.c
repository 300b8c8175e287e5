/* Numbering of the nodes of a space: nodes on vertices, edges and faces are shared by all cells around them.

   An edge or face is known by the sorted numbers of its vertices. Its nodes stand in an order that depends on nothing
   else: along an edge from the smaller vertex number to the larger; on a triangle by barycentric steps towards the
   sorted vertices; on a quadrilateral from the corner of smallest number, first towards the smaller of that corner's
   two neighbours. Each cell maps its local nodes to that order, so that cells of any type, order and orientation agree.

   Nodes are numbered by first use along the cells, an entity's nodes in a row. */
#include "space/number.h"
#include "base/first_use.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ENTITIES = RITZ_MAX_VERTICES + RITZ_MAX_EDGES + RITZ_MAX_FACETS + 1, MAX_CODES = 8, SMALL_BUCKET = 48 };

/* ---- all edges or faces of a mesh -------------------------------------------------------------------------------- */

/* Entities in buckets of their smallest vertex; `width` other vertices each, increasing (faces: -1 in front when only
   three). */
typedef struct entity_table {
    int width;
    int64_t *start;  /* [n_vertices + 1] of each bucket, in entities */
    int32_t *others; /* [start[n_vertices]][width]; the first ones of each bucket are its distinct entities, sorted */
    int32_t *first;  /* [n_vertices + 1] number of each bucket's first entity */
    int64_t n;       /* distinct entities */
} entity_table;

static void free_table(entity_table *table)
{
    ritz_free(table->start);
    ritz_free(table->others);
    ritz_free(table->first);
    *table = (entity_table){0};
}

/* Sorts the n vertices of an entity; returns the smallest and puts the others into `others`. */
static int32_t make_key(int n, const int32_t *nodes, const int *local, int width, int32_t others[3])
{
    int32_t v[4];
    for (int i = 0; i < n; i++) {
        int32_t vertex = nodes[local[i]];
        int k = i;
        for (; k > 0 && v[k - 1] > vertex; k--)
            v[k] = v[k - 1];
        v[k] = vertex;
    }
    others[0] = -1;
    memcpy(others + width - (n - 1), v + 1, sizeof(int32_t) * (size_t)(n - 1));
    return v[0];
}

/* Vertices of local edge or face e. */
static int entity_vertices(const ritz_topology *topology, int dim, int e, const int **local)
{
    *local = dim == 1 ? topology->edges[e] : topology->facets[e];
    return dim == 1 ? 2 : topology->facet_n_vertices[e];
}

static int entity_count(const ritz_topology *topology, int dim)
{
    return dim == 1 ? topology->n_edges : topology->n_facets;
}

static int compare_nodes(int width, const int32_t *a, const int32_t *b)
{
    for (int i = 0; i < width; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    return compare_nodes(1, a, b);
}

static int compare_faces(const void *a, const void *b)
{
    return compare_nodes(3, a, b);
}

/* Sorts a bucket of n entities, moves the distinct ones to its front, returns their number. */
static int32_t sort_bucket(int width, int64_t n, int32_t *items)
{
    if (n > SMALL_BUCKET) {
        qsort(items, (size_t)n, sizeof(int32_t) * (size_t)width, width == 1 ? compare_edges : compare_faces);
    } else {
        for (int64_t i = 1; i < n; i++) {
            int32_t item[3];
            size_t bytes = sizeof(int32_t) * (size_t)width;
            int64_t k = i;
            memcpy(item, items + i * width, bytes);
            for (; k > 0 && compare_nodes(width, items + (k - 1) * width, item) > 0; k--)
                memcpy(items + k * width, items + (k - 1) * width, bytes);
            memcpy(items + k * width, item, bytes);
        }
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || compare_nodes(width, items + (kept - 1) * width, items + i * width))
            memmove(items + kept++ * width, items + i * width, sizeof(int32_t) * (size_t)width);
    return (int32_t)kept;
}

/* Counts the entities of each bucket into count[vertex] (others NULL), or puts them into the buckets from count[vertex]
   on. The order inside a bucket depends on the threads; sorting removes that. */
static void visit_entities(const ritz_space *space, int dim, int64_t *count, int width, int32_t *others)
{
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_mesh_block *block = space->batches[b].block;
        const ritz_topology *topology = ritz_cell_topology(block->cell);
        int n = entity_count(topology, dim);
#pragma omp parallel for schedule(static) if (block->n_cells > PARALLEL_FROM)
        for (int32_t c = 0; c < block->n_cells; c++)
            for (int e = 0; e < n; e++) {
                const int *local;
                int32_t key[3];
                int64_t place;
                int n_vertices = entity_vertices(topology, dim, e, &local);
                int32_t least = make_key(n_vertices, block->nodes + (int64_t)c * block->n_nodes, local, width, key);
#pragma omp atomic capture
                place = count[least]++;
                if (others)
                    memcpy(others + place * width, key, sizeof(int32_t) * (size_t)width);
            }
    }
}

/* All edges (dim 1) or faces (dim 2) of the cells, each once. */
static ritz_status make_table(const ritz_space *space, int dim, entity_table *table)
{
    ritz_status status = RITZ_OK;
    int32_t n = space->mesh->n_nodes;
    int64_t *count = NULL;
    table->width = dim == 1 ? 1 : 3;
    RITZ_NEW(count, n);
    RITZ_NEW(table->start, n + 1);
    RITZ_NEW(table->first, n + 1);
    visit_entities(space, dim, count, table->width, NULL);
    for (int32_t v = 0; v < n; v++) {
        table->start[v + 1] = table->start[v] + count[v];
        count[v] = table->start[v];
    }
    RITZ_NEW(table->others, table->start[n] * table->width);
    visit_entities(space, dim, count, table->width, table->others);
#pragma omp parallel for schedule(dynamic, 128) if (n > PARALLEL_FROM)
    for (int32_t v = 0; v < n; v++)
        table->first[v + 1] = sort_bucket(table->width, table->start[v + 1] - table->start[v],
                                          table->others + table->start[v] * table->width);
    for (int32_t v = 0; v < n; v++)
        table->n += table->first[v + 1];
    RITZ_REQUIRE(table->n <= INT32_MAX, RITZ_ERROR_INPUT,
                 "the mesh has %lld %s; at most 2^31 - 1 can be numbered: split the mesh", (long long)table->n,
                 dim == 1 ? "edges" : "faces");
    for (int32_t v = 0; v < n; v++)
        table->first[v + 1] += table->first[v];
done:
    ritz_free(count);
    return status;
}

/* The number of an entity that is in the table. */
static int32_t find_entity(const entity_table *table, int32_t least, const int32_t *others)
{
    int32_t low = 0, high = table->first[least + 1] - table->first[least] - 1;
    const int32_t *bucket = table->others + table->start[least] * table->width;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (compare_nodes(table->width, bucket + (int64_t)middle * table->width, others) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return table->first[least] + low;
}

/* ---- one type of cell -------------------------------------------------------------------------------------------- */

/* Entities of a cell stand in the order vertices, edges, faces (3D), inside. */
typedef struct cell_layout {
    const ritz_topology *topology;
    int n_shape, n_entities, n_edges, n_faces;
    int n_ids;                  /* edges and faces that are numbered: all, or none where no node needs them */
    int n_inner[MAX_ENTITIES];  /* nodes inside each entity */
    int entity[RITZ_MAX_SHAPE]; /* of each local node */
    /* [n_shape] place among the entity's nodes, by the code of the entity's orientation */
    int16_t (*position)[MAX_CODES];
} cell_layout;

/* Orientation of an edge, triangle or quadrilateral whose vertices have these numbers: 0..1, 0..5, 0..7. */
static int facet_orientation(int n, const int32_t v[4])
{
    if (n == 2)
        return v[0] > v[1];
    if (n == 3) {
        int least = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
        return 2 * least + (v[(least + 1) % 3] > v[(least + 2) % 3]);
    }
    int least = 0;
    for (int i = 1; i < 4; i++)
        least = v[i] < v[least] ? i : least;
    return 2 * least + (v[(least + 1) % 4] > v[(least + 3) % 4]);
}

static int edge_position(int p, const int16_t *index, int code)
{
    return code ? p - 1 - index[0] : index[0] - 1;
}

static int triangle_position(int p, const int16_t *index, int code)
{
    int least = code / 2;
    int second = index[(least + (code % 2 ? 2 : 1)) % 3], third = index[(least + (code % 2 ? 1 : 2)) % 3];
    int before = 0; /* nodes in the rows of smaller `third` */
    for (int row = 1; row < third; row++)
        before += p - 1 - row;
    return before + second - 1;
}

static int quad_position(int p, const int16_t *index, int code)
{
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int least = code / 2;
    int next = (least + (code % 2 ? 3 : 1)) % 4; /* the corner that the first axis leads to */
    int steps[2];
    for (int d = 0; d < 2; d++)
        steps[d] = corner[least][d] ? p - index[d] : index[d];
    int axis = corner[least][0] == corner[next][0]; /* direction of the first axis */
    return steps[axis] - 1 + (p - 1) * (steps[1 - axis] - 1);
}

static ritz_status make_layout(const ritz_basis *basis, cell_layout *layout)
{
    ritz_status status = RITZ_OK;
    const ritz_topology *topology = ritz_cell_topology(basis->cell);
    layout->topology = topology;
    layout->n_shape = basis->n_shape;
    layout->n_edges = topology->n_edges;
    layout->n_faces = topology->dim == 3 ? topology->n_facets : 0;
    layout->n_entities = topology->n_vertices + layout->n_edges + layout->n_faces + 1;
    RITZ_NEW(layout->position, basis->n_shape);
    for (int i = 0; i < basis->n_shape; i++) {
        const ritz_cell_node *node = &basis->entities[i];
        int e = layout->n_entities - 1;
        if (node->dim == 0)
            e = node->entity;
        else if (node->dim == 1)
            e = topology->n_vertices + node->entity;
        else if (node->dim == 2 && topology->dim == 3)
            e = topology->n_vertices + layout->n_edges + node->entity;
        layout->entity[i] = e;
        for (int code = 0; code < MAX_CODES; code++) {
            int place = 0;
            if (e == layout->n_entities - 1)
                place = layout->n_inner[e];
            else if (node->dim == 1)
                place = edge_position(basis->order, node->index, code % 2);
            else if (node->dim == 2 && topology->facet_n_vertices[node->entity] == 3)
                place = triangle_position(basis->order, node->index, code % 6);
            else if (node->dim == 2)
                place = quad_position(basis->order, node->index, code);
            layout->position[i][code] = (int16_t)place;
        }
        layout->n_inner[e]++;
    }
done:
    return status;
}

/* ---- numbering --------------------------------------------------------------------------------------------------- */

typedef struct numbering {
    ritz_space *space;
    entity_table edges, faces;
    int32_t *edge_start, *face_start; /* first node of each edge and face, -1 before it was met */
    int64_t n_nodes;
} numbering;

/* For each cell the numbers of its edges and faces: ids[n_cells][n_edges + n_faces]. */
static void find_entities(const numbering *n, const ritz_mesh_block *block, const cell_layout *layout, int32_t *ids)
{
    const int n_ids = layout->n_ids;
#pragma omp parallel for schedule(static) if (block->n_cells > PARALLEL_FROM)
    for (int32_t c = 0; c < block->n_cells; c++)
        for (int i = 0; i < n_ids; i++) {
            const int *local;
            int32_t key[3] = {0, 0, 0};
            bool edge = i < layout->n_edges;
            const entity_table *table = edge ? &n->edges : &n->faces;
            if (!table->others)
                continue; /* such entities have no nodes inside */
            int n_vertices = entity_vertices(layout->topology, edge ? 1 : 2, edge ? i : i - layout->n_edges, &local);
            int32_t least = make_key(n_vertices, block->nodes + (int64_t)c * block->n_nodes, local, table->width, key);
            ids[(int64_t)c * n_ids + i] = find_entity(table, least, key);
        }
}

/* Where the first node of a shared entity is kept. */
static int32_t *start_of(const numbering *n, const cell_layout *layout, const int32_t *nodes, const int32_t *ids, int e)
{
    int n_vertices = layout->topology->n_vertices;
    if (e < n_vertices)
        return &n->space->vertex_nodes[nodes[e]];
    if (e < n_vertices + layout->n_edges)
        return &n->edge_start[ids[e - n_vertices]];
    return &n->face_start[ids[e - n_vertices]];
}

/* Gives numbers to the entities of each cell that no cell before had, cell after cell. */
static ritz_status number_entities(numbering *n, ritz_space_batch *batch, const cell_layout *layout, const int32_t *ids)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = batch->block;
    const int n_ids = layout->n_ids;
    int with_nodes[MAX_ENTITIES], n_with_nodes = 0;
    for (int e = 0; e < layout->n_entities; e++)
        if (layout->n_inner[e])
            with_nodes[n_with_nodes++] = e;
    if (n->space->order == 1) { /* a node a vertex, and no others */
        const ritz_uses uses = {
            .n_cells = block->n_cells, .width = layout->n_shape, .stride = block->n_nodes, .values = block->nodes};
        int32_t next = (int32_t)n->n_nodes;
        ritz_number_first_uses(&uses, n->space->vertex_nodes, &next, batch->first_node);
        n->n_nodes = next;
        return RITZ_OK;
    }
    for (int32_t c = 0; c < block->n_cells; c++) {
        batch->first_node[c] = (int32_t)n->n_nodes;
        for (int k = 0; k < n_with_nodes; k++) {
            const int e = with_nodes[k];
            if (e < layout->n_entities - 1) {
                int32_t *start =
                    start_of(n, layout, block->nodes + (int64_t)c * block->n_nodes, ids + (int64_t)c * n_ids, e);
                if (*start >= 0)
                    continue;
                *start = (int32_t)n->n_nodes;
            }
            n->n_nodes += layout->n_inner[e];
        }
        RITZ_REQUIRE(n->n_nodes <= INT32_MAX, RITZ_ERROR_INPUT,
                     "order %d gives this mesh more than 2^31 - 1 nodes: use a lower order or a coarser mesh",
                     n->space->order);
    }
    batch->first_node[block->n_cells] = (int32_t)n->n_nodes;
done:
    return status;
}

static void fill_cells(const numbering *n, ritz_space_batch *batch, const cell_layout *layout, const int32_t *ids)
{
    const ritz_mesh_block *block = batch->block;
    const int n_ids = layout->n_ids, n_vertices = layout->topology->n_vertices;
#pragma omp parallel for schedule(static) if (block->n_cells > PARALLEL_FROM)
    for (int32_t c = 0; c < block->n_cells; c++) {
        const int32_t *nodes = block->nodes + (int64_t)c * block->n_nodes;
        int32_t start[MAX_ENTITIES];
        int code[MAX_ENTITIES];
        int last = layout->n_entities - 1;
        for (int e = 0; e < last; e++) {
            code[e] = 0;
            start[e] = layout->n_inner[e] ? *start_of(n, layout, nodes, ids + (int64_t)c * n_ids, e) : -1;
            if (e >= n_vertices && layout->n_inner[e]) {
                const int *local;
                int32_t v[4];
                bool edge = e < n_vertices + layout->n_edges;
                int m = entity_vertices(layout->topology, edge ? 1 : 2, e - n_vertices - (edge ? 0 : layout->n_edges),
                                        &local);
                for (int k = 0; k < m; k++)
                    v[k] = nodes[local[k]];
                code[e] = facet_orientation(m, v);
            }
        }
        code[last] = 0;
        start[last] = batch->first_node[c + 1] - layout->n_inner[last]; /* numbered after the cell's other entities */
        int32_t *cell_nodes = batch->cell_nodes + (int64_t)c * layout->n_shape;
        for (int i = 0; i < layout->n_shape; i++)
            cell_nodes[i] = start[layout->entity[i]] + layout->position[i][code[layout->entity[i]]];
    }
}

static ritz_status number_batch(numbering *n, ritz_space_batch *batch)
{
    ritz_status status = RITZ_OK;
    cell_layout layout = {0};
    int32_t *ids = NULL;
    RITZ_TRY(make_layout(batch->basis, &layout));
    layout.n_ids = n->edges.others || n->faces.others ? layout.n_edges + layout.n_faces : 0;
    RITZ_NEW(ids, (int64_t)batch->n_cells * layout.n_ids);
    find_entities(n, batch->block, &layout, ids);
    RITZ_NEW(batch->first_node, (int64_t)batch->n_cells + 1);
    RITZ_NEW(batch->cell_nodes, (int64_t)batch->n_cells * batch->n_shape);
    RITZ_TRY(number_entities(n, batch, &layout, ids));
    fill_cells(n, batch, &layout, ids);
done:
    ritz_free(ids);
    ritz_free(layout.position);
    return status;
}

/* Whether faces carry nodes inside: quadrilaterals from order 2 on, triangles from order 3 on. */
static bool faces_needed(const ritz_space *space)
{
    if (space->dim < 3 || space->order < 2 || space->serendipity)
        return false;
    for (int b = 0; b < space->n_batches; b++)
        if (space->order > 2 || space->batches[b].cell != RITZ_TET)
            return true;
    return false;
}

static ritz_status make_starts(int64_t n, int32_t **starts)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*starts, n);
#pragma omp parallel for schedule(static) if (n > PARALLEL_FROM)
    for (int64_t k = 0; k < n; k++)
        (*starts)[k] = -1;
done:
    return status;
}

ritz_status ritz_space_number(ritz_space *space)
{
    ritz_status status = RITZ_OK;
    numbering n = {.space = space};
    RITZ_TRY(make_starts(space->mesh->n_nodes, &space->vertex_nodes));
    if (space->order > 1) {
        RITZ_TRY(make_table(space, 1, &n.edges));
        RITZ_TRY(make_starts(n.edges.n, &n.edge_start));
    }
    RITZ_TRY(ritz_check_interrupt());
    if (faces_needed(space)) {
        RITZ_TRY(make_table(space, 2, &n.faces));
        RITZ_TRY(make_starts(n.faces.n, &n.face_start));
    }
    for (int b = 0; b < space->n_batches; b++) {
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(number_batch(&n, &space->batches[b]));
    }
    space->n_nodes = (int32_t)n.n_nodes;
done:
    free_table(&n.edges);
    free_table(&n.faces);
    ritz_free(n.edge_start);
    ritz_free(n.face_start);
    return status;
}
