/* A mesh from arrays of the caller's: blocks of cells of several types, and named groups. */
#include "mesh/raw.h"

#include <string.h>

/* What is known of the arrays while the mesh is made. */
typedef struct making {
    ritz_mesh_arrays given;
    const int64_t *numbers; /* [n_cells] of the cells; NULL: their places */
    ritz_mesh *mesh;
    int64_t n_cells;
    int n_blocks;
    ritz_raw_block *blocks; /* the blocks that have cells */
    int32_t *follows;       /* [n_blocks] cells of the same type in earlier blocks */
    int64_t capacity;       /* of mesh->entities */
} making;

static ritz_status check_arrays(const ritz_mesh_arrays *given)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(given->dim == 2 || given->dim == 3, RITZ_ERROR_INPUT, "the dimension of a mesh is 2 or 3; got %d",
                 given->dim);
    RITZ_REQUIRE(given->n_nodes > 0 && given->n_nodes <= INT32_MAX, RITZ_ERROR_INPUT,
                 "a mesh has 1 to 2147483647 nodes; got %lld", (long long)given->n_nodes);
    RITZ_REQUIRE(given->coordinates, RITZ_ERROR_INPUT, "the coordinates of the mesh are NULL; give one row per node");
    RITZ_REQUIRE(given->n_blocks > 0 && given->blocks, RITZ_ERROR_INPUT,
                 "a mesh needs at least one block of cells; got %d%s", given->n_blocks,
                 given->blocks ? "" : ", and the blocks are NULL");
    RITZ_REQUIRE(given->n_groups >= 0 && (given->n_groups == 0 || given->groups), RITZ_ERROR_INPUT,
                 "%d groups cannot be read%s", given->n_groups, given->groups ? "" : ": the groups are NULL");
done:
    return status;
}

/* *type: of the cells of a block, which must be well formed. */
static ritz_status check_block(const making *m, int b, const ritz_gmsh_type **type)
{
    ritz_status status = RITZ_OK;
    const ritz_block_arrays *block = &m->given.blocks[b];
    const int order = block->order == 0 ? 1 : block->order;
    RITZ_REQUIRE(block->cell >= 0 && block->cell < RITZ_N_CELLS, RITZ_ERROR_INPUT,
                 "block %d: %d is not a cell type; use RITZ_TRI ... RITZ_HEX", b, (int)block->cell);
    const char *name = ritz_cell_name(block->cell);
    RITZ_REQUIRE(ritz_cell_dim(block->cell) == m->given.dim, RITZ_ERROR_INPUT,
                 "block %d: a mesh of dimension %d has no %s cells; put them in a mesh of their own", b, m->given.dim,
                 name);
    RITZ_REQUIRE(order == 1 || order == 2, RITZ_ERROR_INPUT,
                 "block %d: the order of the geometry of cells is 1 or 2; got %d", b, block->order);
    RITZ_REQUIRE(block->n_cells >= 0 && block->n_cells <= INT32_MAX, RITZ_ERROR_INPUT,
                 "block %d: a block has 0 to 2147483647 cells; got %lld", b, (long long)block->n_cells);
    RITZ_REQUIRE(block->nodes || block->n_cells == 0, RITZ_ERROR_INPUT, "block %d: the nodes of its cells are NULL", b);
    static const int serendipity[RITZ_N_CELLS] = {[RITZ_QUAD] = 8, [RITZ_PRISM] = 15, [RITZ_HEX] = 20};
    RITZ_REQUIRE(!block->serendipity || (order == 2 && serendipity[block->cell]), RITZ_ERROR_INPUT,
                 "block %d: there are no serendipity %s cells of order %d; leave `serendipity` 0", b, name, order);
    *type = ritz_gmsh_type_of_cell(block->cell, block->serendipity ? serendipity[block->cell]
                                                                   : ritz_cell_n_shape(block->cell, order));
done:
    return status;
}

/* The nodes of all cells exist: asked here, for nodes in the middle of edges are made from them. */
static ritz_status check_cells(const making *m, const ritz_raw_block *raw)
{
    ritz_status status = RITZ_OK;
    const int n_nodes = raw->type->n_nodes;
    for (int64_t i = 0; i < raw->n * n_nodes; i++)
        RITZ_REQUIRE(raw->nodes[i] >= 0 && raw->nodes[i] < m->given.n_nodes, RITZ_ERROR_INPUT,
                     "element %lld (%s) refers to node %d, but nodes are numbered 0 to %lld",
                     (long long)(raw->first + i / n_nodes), ritz_cell_name((ritz_cell)raw->type->cell), raw->nodes[i],
                     (long long)m->given.n_nodes - 1);
done:
    return status;
}

static ritz_status take_blocks(making *m)
{
    ritz_status status = RITZ_OK;
    int64_t of_type[RITZ_N_CELLS] = {0};
    RITZ_NEW(m->blocks, m->given.n_blocks);
    RITZ_NEW(m->follows, m->given.n_blocks);
    for (int b = 0; b < m->given.n_blocks; b++) {
        const ritz_block_arrays *block = &m->given.blocks[b];
        ritz_raw_block raw = {.n = block->n_cells,
                              .nodes = block->nodes,
                              .number = m->numbers ? m->numbers + m->n_cells : NULL,
                              .first = m->n_cells};
        RITZ_TRY(check_block(m, b, &raw.type));
        if (raw.n == 0)
            continue;
        RITZ_TRY(check_cells(m, &raw));
        m->follows[m->n_blocks] = (int32_t)of_type[block->cell];
        m->blocks[m->n_blocks++] = raw;
        m->n_cells += raw.n;
        of_type[block->cell] += raw.n;
        RITZ_REQUIRE(of_type[block->cell] <= INT32_MAX, RITZ_ERROR_INPUT,
                     "the mesh has more than the 2147483647 %s cells that one mesh can hold; split it into parts",
                     ritz_cell_name(block->cell));
    }
    RITZ_REQUIRE(m->n_cells > 0, RITZ_ERROR_INPUT, "a mesh needs at least one cell; its blocks are empty");
    RITZ_TRY(ritz_mesh_add_blocks(m->mesh, m->n_blocks, m->blocks));
done:
    return status;
}

static ritz_status take_nodes(making *m)
{
    ritz_status status = RITZ_OK;
    const int dim = m->given.dim;
    ritz_mesh *mesh = m->mesh;
    mesh->n_nodes = mesh->n_given = (int32_t)m->given.n_nodes;
    RITZ_NEW(mesh->nodes, 3 * m->given.n_nodes);
    RITZ_NEW(mesh->node_number, m->given.n_nodes);
    for (int64_t n = 0; n < mesh->n_nodes; n++) {
        memcpy(&mesh->nodes[3 * n], &m->given.coordinates[dim * n], (size_t)dim * sizeof(double));
        mesh->node_number[n] = n;
    }
done:
    return status;
}

/* ---- Groups ---- */

/* The sets that a group makes of those which its members are in: next[set], -1 where it is not known yet. */
typedef struct joining {
    int32_t group;
    int n_sets;
    int32_t *next;
} joining;

static ritz_status join_groups(making *m, joining *j, int32_t *set)
{
    ritz_status status = RITZ_OK;
    int32_t alone;
    if (ritz_mesh_set_has(m->mesh, *set, j->group))
        return RITZ_OK;
    if (*set >= j->n_sets) {
        const int n = 2 * m->mesh->n_sets;
        RITZ_RESIZE(j->next, n);
        memset(j->next + j->n_sets, -1, (size_t)(n - j->n_sets) * sizeof *j->next);
        j->n_sets = n;
    }
    if (j->next[*set] < 0) {
        RITZ_TRY(ritz_mesh_add_set(m->mesh, 1, &j->group, &alone));
        RITZ_TRY(ritz_mesh_unite_sets(m->mesh, *set, alone, &j->next[*set]));
    }
    *set = j->next[*set];
done:
    return status;
}

/* Where cell number `cell` of the caller stands. */
static void find_cell(const making *m, int64_t cell, int32_t *block, int32_t *at)
{
    int low = 0, high = m->n_blocks;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (m->blocks[middle].first <= cell)
            low = middle;
        else
            high = middle;
    }
    *at = (int32_t)(cell - m->blocks[low].first) + m->follows[low];
    *block = 0;
    while ((int)m->mesh->blocks[*block].cell != m->blocks[low].type->cell)
        ++*block;
}

static ritz_status add_entity(making *m, ritz_mesh_entity entity)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = m->mesh;
    RITZ_REQUIRE(mesh->n_entities < INT32_MAX, RITZ_ERROR_INPUT,
                 "the groups have more than 2147483647 facets and nodes");
    if (mesh->n_entities == m->capacity) {
        m->capacity = ritz_min64(INT32_MAX, 2 * m->capacity + 64);
        RITZ_RESIZE(mesh->entities, m->capacity);
    }
    mesh->entities[mesh->n_entities++] = entity;
done:
    return status;
}

/* The facet of the cell as the mesh holds it, which may be turned. */
static ritz_status make_facet(making *m, int32_t b, int32_t cell, int facet, ritz_mesh_entity *entity)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &m->mesh->blocks[b];
    const ritz_topology *t = ritz_cell_topology(block->cell);
    if (block->turned && block->turned[cell])
        RITZ_TRY(ritz_reflected_facet(block->cell, facet, &facet));
    *entity = (ritz_mesh_entity){.dim = (int8_t)(t->dim - 1),
                                 .n_vertices = (int8_t)t->facet_n_vertices[facet],
                                 .facet = (int8_t)facet,
                                 .block = b,
                                 .cell = cell};
    for (int v = 0; v < entity->n_vertices; v++)
        entity->vertices[v] = block->nodes[(int64_t)cell * block->n_nodes + t->facets[facet][v]];
done:
    return status;
}

/* What has been met of facets and nodes: their entities. */
typedef struct meeting {
    ritz_tuple_table facets; /* by block, cell and local facet of the caller */
    int32_t *nodes;          /* [n_nodes of the caller] entity + 1; 0: none */
} meeting;

static ritz_status join_facet(making *m, meeting *met, joining *j, const ritz_group_arrays *group, int64_t i)
{
    ritz_status status = RITZ_OK;
    const int64_t cell = group->members[2 * i], facet = group->members[2 * i + 1];
    int32_t block, at, entity;
    RITZ_REQUIRE(cell >= 0 && cell < m->n_cells, RITZ_ERROR_INPUT,
                 "group '%s', member %lld: there is no cell %lld; cells are numbered 0 to %lld", group->name,
                 (long long)i, (long long)cell, (long long)m->n_cells - 1);
    find_cell(m, cell, &block, &at);
    const ritz_topology *t = ritz_cell_topology(m->mesh->blocks[block].cell);
    RITZ_REQUIRE(facet >= 0 && facet < t->n_facets, RITZ_ERROR_INPUT,
                 "group '%s', member %lld: cell %lld, a %s, has no facet %lld; its facets are numbered 0 to %d",
                 group->name, (long long)i, (long long)cell, ritz_cell_name(m->mesh->blocks[block].cell),
                 (long long)facet, t->n_facets - 1);
    if (!met->facets.keys)
        RITZ_TRY(ritz_tuple_table_create(&met->facets, group->n));
    const ritz_node_tuple key = {{-1, block, at, (int32_t)facet}};
    RITZ_TRY(ritz_tuple_add(&met->facets, key, m->mesh->n_entities, &entity));
    if (entity == m->mesh->n_entities) {
        ritz_mesh_entity made;
        RITZ_TRY(make_facet(m, block, at, (int)facet, &made));
        RITZ_TRY(add_entity(m, made));
    }
    RITZ_TRY(join_groups(m, j, &m->mesh->entities[entity].set));
done:
    return status;
}

static ritz_status join_node(making *m, meeting *met, joining *j, const ritz_group_arrays *group, int64_t i)
{
    ritz_status status = RITZ_OK;
    const int64_t node = group->members[i];
    RITZ_REQUIRE(node >= 0 && node < m->given.n_nodes, RITZ_ERROR_INPUT,
                 "group '%s', member %lld: there is no node %lld; nodes are numbered 0 to %lld", group->name,
                 (long long)i, (long long)node, (long long)m->given.n_nodes - 1);
    if (!met->nodes)
        RITZ_NEW(met->nodes, m->given.n_nodes);
    if (!met->nodes[node]) {
        RITZ_TRY(add_entity(
            m, (ritz_mesh_entity){.n_vertices = 1, .facet = -1, .vertices = {(int32_t)node}, .block = -1, .cell = -1}));
        met->nodes[node] = m->mesh->n_entities;
    }
    RITZ_TRY(join_groups(m, j, &m->mesh->entities[met->nodes[node] - 1].set));
done:
    return status;
}

static ritz_status join_cell(making *m, joining *j, const ritz_group_arrays *group, int64_t i)
{
    ritz_status status = RITZ_OK;
    const int64_t cell = group->members[i];
    int32_t block, at;
    RITZ_REQUIRE(cell >= 0 && cell < m->n_cells, RITZ_ERROR_INPUT,
                 "group '%s', member %lld: there is no cell %lld; cells are numbered 0 to %lld", group->name,
                 (long long)i, (long long)cell, (long long)m->n_cells - 1);
    find_cell(m, cell, &block, &at);
    RITZ_TRY(join_groups(m, j, &m->mesh->blocks[block].set[at]));
done:
    return status;
}

static ritz_status add_group(making *m, int g, int32_t *number)
{
    ritz_status status = RITZ_OK;
    const ritz_group_arrays *group = &m->given.groups[g];
    const int dims[] = {[RITZ_GROUP_CELLS] = m->given.dim, [RITZ_GROUP_FACETS] = m->given.dim - 1};
    RITZ_REQUIRE(group->name && *group->name, RITZ_ERROR_INPUT, "group %d has no name; give each group one", g);
    for (int other = 0; other < m->mesh->n_groups; other++)
        RITZ_REQUIRE(strcmp(m->mesh->groups[other].name, group->name) != 0, RITZ_ERROR_INPUT,
                     "groups %d and %d have the same name '%s'; give each group its own", other, g, group->name);
    RITZ_REQUIRE(group->kind == RITZ_GROUP_CELLS || group->kind == RITZ_GROUP_FACETS || group->kind == RITZ_GROUP_NODES,
                 RITZ_ERROR_INPUT,
                 "group '%s' is of the kind %d; use RITZ_GROUP_CELLS, RITZ_GROUP_FACETS or RITZ_GROUP_NODES",
                 group->name, (int)group->kind);
    RITZ_REQUIRE(group->n >= 0 && (group->n == 0 || group->members), RITZ_ERROR_INPUT,
                 "group '%s': %lld members cannot be read%s", group->name, (long long)group->n,
                 group->members ? "" : ": they are NULL");
    RITZ_TRY(ritz_mesh_add_group(m->mesh, group->kind == RITZ_GROUP_NODES ? 0 : dims[group->kind], g + 1, group->name,
                                 number));
done:
    return status;
}

/* All cells in "body", where the caller has no groups of cells, and gave no other group this name. */
static ritz_status add_body(making *m)
{
    ritz_status status = RITZ_OK;
    int32_t body, set;
    for (int g = 0; g < m->mesh->n_groups; g++)
        if (m->mesh->groups[g].dim == m->given.dim || strcmp(m->mesh->groups[g].name, "body") == 0)
            return RITZ_OK;
    RITZ_TRY(ritz_mesh_add_group(m->mesh, m->given.dim, m->given.n_groups + 1, "body", &body));
    RITZ_TRY(ritz_mesh_add_set(m->mesh, 1, &body, &set));
    for (int b = 0; b < m->mesh->n_blocks; b++)
        for (int32_t c = 0; c < m->mesh->blocks[b].n_cells; c++)
            m->mesh->blocks[b].set[c] = set;
done:
    return status;
}

static ritz_status take_groups(making *m)
{
    ritz_status status = RITZ_OK;
    meeting met = {0};
    joining j = {0};
    for (int g = 0; g < m->given.n_groups; g++) {
        const ritz_group_arrays *group = &m->given.groups[g];
        RITZ_TRY(add_group(m, g, &j.group));
        for (int64_t i = 0; i < group->n; i++) {
            if (group->kind == RITZ_GROUP_CELLS)
                RITZ_TRY(join_cell(m, &j, group, i));
            else if (group->kind == RITZ_GROUP_FACETS)
                RITZ_TRY(join_facet(m, &met, &j, group, i));
            else
                RITZ_TRY(join_node(m, &met, &j, group, i));
        }
        ritz_free(j.next);
        j = (joining){0};
    }
    RITZ_TRY(add_body(m));
done:
    ritz_tuple_table_free(&met.facets);
    ritz_free(met.nodes);
    ritz_free(j.next);
    return status;
}

/* Nodes that no cell has stay where the caller can ask for them. */
static ritz_status keep_unused(making *m)
{
    ritz_status status = RITZ_OK;
    ritz_mesh *mesh = m->mesh;
    const int dim = mesh->dim;
    uint8_t *used = NULL;
    int32_t n_used = 0, at = 0;
    RITZ_NEW(used, mesh->n_given);
    for (int32_t n = 0; n < mesh->n_nodes; n++)
        if (mesh->node_number[n] >= 0) {
            used[mesh->node_number[n]] = 1;
            n_used++;
        }
    mesh->n_unused = mesh->n_given - n_used;
    RITZ_NEW(mesh->unused, mesh->n_unused);
    RITZ_NEW(mesh->unused_at, (int64_t)mesh->n_unused * dim);
    for (int32_t n = 0; n < mesh->n_given; n++) {
        if (used[n])
            continue;
        memcpy(&mesh->unused_at[(int64_t)at * dim], &m->given.coordinates[(int64_t)n * dim],
               (size_t)dim * sizeof(double));
        mesh->unused[at++] = n;
    }
done:
    ritz_free(used);
    return status;
}

ritz_status ritz_mesh_create(const ritz_mesh_arrays *arrays, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(arrays); /* here, too, so that the message names this function */
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_TRY(ritz_mesh_create_numbered(arrays, NULL, mesh));
done:
    return status;
}

ritz_status ritz_mesh_create_numbered(const ritz_mesh_arrays *arrays, const int64_t *numbers, ritz_mesh **mesh)
{
    ritz_status status = RITZ_OK;
    making m = {.numbers = numbers};
    RITZ_REQUIRE_POINTER(arrays);
    RITZ_REQUIRE_POINTER(mesh);
    RITZ_TRY(ritz_take_struct(arrays, &m.given, sizeof m.given, "ritz_mesh_arrays"));
    RITZ_TRY(check_arrays(&m.given));
    RITZ_TRY(ritz_mesh_new(m.given.dim, &m.mesh));
    RITZ_TRY(take_nodes(&m));
    RITZ_TRY(take_blocks(&m));
    RITZ_TRY(ritz_mesh_check(m.mesh));
    RITZ_TRY(take_groups(&m));
    RITZ_TRY(ritz_mesh_group_made_nodes(m.mesh, m.mesh->n_given));
    RITZ_TRY(ritz_mesh_renumber(m.mesh));
    RITZ_TRY(keep_unused(&m));
    RITZ_TRY(ritz_mesh_attach_loose(m.mesh));
    *mesh = m.mesh;
    m.mesh = NULL;
done:
    ritz_mesh_destroy(&m.mesh);
    ritz_free(m.blocks);
    ritz_free(m.follows);
    return status;
}
