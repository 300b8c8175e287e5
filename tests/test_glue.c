/* Meshes of bodies that touch without sharing nodes become one where ritz_mesh_glue finds nodes at the same place. Truth:
   the lattice of nodes that the same body has in one piece. */
#include "second_order.h"

/* Two boxes as one mesh, the second one from x = 1 + gap on; cells in "a" and "b", facets at the joint in "end" (of the
   first box) and "start" (of the second). */
static ritz_mesh *two_boxes(ritz_cell cell, int order, double gap)
{
    ritz_mesh *mesh = box_of_order(cell, order, (int[]){2, 2, 2}, 0),
              *other = box_of_order(cell, order, (int[]){2, 2, 2}, 1 + gap);
    ritz_mesh_block *block = &mesh->blocks[0], *from = &other->blocks[0];
    const int32_t n = mesh->n_nodes, n_cells = block->n_cells;
    int32_t group, set[4];
    static const char *const names[4] = {"a", "b", "end", "start"};
    for (int g = 0; g < 4; g++) {
        SUCCEEDS(ritz_mesh_add_group(mesh, g < 2 ? mesh->dim : mesh->dim - 1, g + 1, names[g], &group));
        SUCCEEDS(ritz_mesh_add_set(mesh, 1, &group, &set[g]));
    }
    SUCCEEDS(ritz_reallocate((void **)&mesh->nodes, 3 * (int64_t)(n + other->n_nodes), sizeof(double)));
    memcpy(mesh->nodes + 3 * n, other->nodes, sizeof(double[3]) * (size_t)other->n_nodes);
    mesh->n_nodes += other->n_nodes;
    SUCCEEDS(ritz_reallocate((void **)&block->nodes, (int64_t)2 * n_cells * block->n_nodes, sizeof(int32_t)));
    SUCCEEDS(ritz_reallocate((void **)&block->set, (int64_t)2 * n_cells, sizeof(int32_t)));
    SUCCEEDS(ritz_reallocate((void **)&block->number, (int64_t)2 * n_cells, sizeof(int64_t)));
    for (int32_t i = 0; i < n_cells * block->n_nodes; i++)
        block->nodes[n_cells * block->n_nodes + i] = from->nodes[i] + n;
    block->n_cells *= 2;
    for (int32_t c = 0; c < block->n_cells; c++)
        block->set[c] = set[c >= n_cells], block->number[c] = c;
    SUCCEEDS(ritz_reallocate((void **)&mesh->entities, (int64_t)2 * mesh->n_entities, sizeof *mesh->entities));
    int32_t kept = 0;
    for (int32_t e = 0; e < 2 * other->n_entities; e++) {
        ritz_mesh_entity entity = e < other->n_entities ? mesh->entities[e] : other->entities[e - other->n_entities];
        bool at_joint = true;
        for (int v = 0; v < entity.n_vertices; v++) {
            entity.vertices[v] += e < other->n_entities ? 0 : n;
            at_joint = at_joint && fabs(mesh->nodes[3 * entity.vertices[v]] - 1) < 0.2;
        }
        entity.set = set[e < other->n_entities ? 2 : 3];
        if (at_joint)
            mesh->entities[kept++] = entity;
    }
    mesh->n_entities = kept;
    ritz_mesh_destroy(&other);
    SUCCEEDS(ritz_mesh_check(mesh));
    SUCCEEDS(ritz_mesh_renumber(mesh));
    SUCCEEDS(ritz_mesh_attach_entities(mesh));
    return mesh;
}

static int count_coincident(const ritz_mesh *mesh, ritz_coincidence *found)
{
    ritz_mesh_facet *outer = NULL;
    int64_t n = 0;
    SUCCEEDS(ritz_mesh_outer_facets(mesh, &outer, &n));
    SUCCEEDS(ritz_mesh_find_coincident(mesh, outer, n, NULL, found));
    ritz_free(outer);
    return (int)found->n;
}

static void check_glued(const ritz_mesh *mesh, int order, int32_t n_nodes)
{
    ritz_coincidence found;
    int32_t *part = calloc((size_t)mesh->n_nodes, sizeof *part), n_parts;
    int8_t *n_cells = calloc((size_t)mesh->n_entities, 1);
    int32_t lattice = 2 * 2 * order + 1;
    for (int d = 1; d < mesh->dim; d++)
        lattice *= 2 * order + 1;
    assert_int_equal(mesh->n_nodes, lattice);
    assert_true(mesh->n_nodes < n_nodes);
    assert_int_equal(count_coincident(mesh, &found), 0);
    SUCCEEDS(ritz_mesh_components(mesh, part, &n_parts));
    assert_int_equal(n_parts, 1);
    SUCCEEDS(ritz_mesh_facet_cells(mesh, n_cells));
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        assert_int_equal(n_cells[e], 2);
        assert_int_equal(mesh->sets[mesh->entities[e].set].n_groups, 2); /* "end" and "start" */
        assert_true(mesh->entities[e].facet >= 0);
    }
    free(part);
    free(n_cells);
}

static void boxes_become_one(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= 2; order++) {
            ritz_mesh *mesh = two_boxes((ritz_cell)cell, order, 0), *again = two_boxes((ritz_cell)cell, order, 0);
            const int32_t n_nodes = mesh->n_nodes, n_entities = mesh->n_entities;
            int side = 1;
            for (int d = 1; d < mesh->dim; d++)
                side *= 2 * order + 1;
            int64_t n = 0, n_cells = -1;
            ritz_coincidence found;
            assert_int_equal(count_coincident(mesh, &found), side);
            assert_true(mesh->nodes[3 * found.first] == 1 && mesh->nodes[3 * found.other] == 1);
            assert_true(found.other < found.first);
            SUCCEEDS(ritz_mesh_glue(mesh, &n, &n_cells));
            assert_int_equal(n, side);
            assert_int_equal(n_cells, 0);
            assert_int_equal(mesh->n_entities, n_entities / 2);
            check_glued(mesh, order, n_nodes);
            SUCCEEDS(ritz_mesh_glue(again, &n, &n_cells));
            assert_memory_equal(mesh->nodes, again->nodes, sizeof(double[3]) * (size_t)mesh->n_nodes);
            assert_memory_equal(mesh->blocks[0].nodes, again->blocks[0].nodes,
                                sizeof(int32_t) * (size_t)(mesh->blocks[0].n_cells * mesh->blocks[0].n_nodes));
            ritz_mesh_destroy(&mesh);
            ritz_mesh_destroy(&again);
        }
}

/* Edges are 0.5 long: nodes nearer than 5e-4 to each other are one, whatever side of it the second body lies. */
static void near_is_the_same(void **state)
{
    (void)state;
    static const struct {
        double gap;
        int n;
    } gaps[] = {{1e-10, 9}, {4e-4, 9}, {-4e-4, 9}, {6e-4, 0}, {-6e-4, 0}};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        ritz_mesh *mesh = two_boxes(RITZ_HEX, 1, gaps[i].gap);
        int64_t n = -1, n_cells = -1;
        SUCCEEDS(ritz_mesh_glue(mesh, &n, &n_cells));
        assert_int_equal(n, gaps[i].n);
        ritz_mesh_destroy(&mesh);
    }
}

/* A body that stands in the file twice is there once when it is glued, in the groups of both. */
static void cells_at_the_same_place(void **state)
{
    (void)state;
    ritz_mesh *mesh = two_boxes(RITZ_TET, 2, -1);
    int64_t n = 0, n_cells = 0;
    const int32_t n_all = mesh->n_nodes;
    SUCCEEDS(ritz_mesh_glue(mesh, &n, &n_cells));
    assert_int_equal(n_cells, 48);
    assert_int_equal(mesh->blocks[0].n_cells, 48);
    assert_true(2 * mesh->n_nodes == n_all);
    for (int32_t c = 0; c < 48; c++)
        assert_int_equal(mesh->sets[mesh->blocks[0].set[c]].n_groups, 2);
    ritz_mesh_destroy(&mesh);
}

/* A square whose mid-side node 5 is, or stands at, a corner of the rhombus beside it: neither glue nor the count of parts
   takes that for a joint. */
static void a_mid_side_node_at_a_vertex_joins_nothing(void **state)
{
    (void)state;
    static const double x[18][2] = {{0, 0},   {1, 0},      {1, 1},      {0, 1},      {.5, 0},     {1, .5},
                                    {.5, 1},  {0, .5},     {.5, .5},    {1, .5},     {1.5, 0},    {2, .5},
                                    {1.5, 1}, {1.25, .25}, {1.75, .25}, {1.75, .75}, {1.25, .75}, {1.5, .5}};
    for (int shared = 0; shared < 2; shared++) {
        ritz_mesh *mesh = NULL;
        ritz_mesh_block *block;
        ritz_coincidence found;
        int32_t part[18], n_parts;
        SUCCEEDS(ritz_mesh_new(2, &mesh));
        SUCCEEDS(ritz_mesh_add_block(mesh, RITZ_QUAD, 2, 2, &block));
        SUCCEEDS(ritz_allocate((void **)&mesh->nodes, 54, sizeof(double)));
        mesh->n_nodes = 18;
        for (int i = 0; i < 18; i++) {
            memcpy(mesh->nodes + 3 * i, x[i], sizeof x[i]);
            block->nodes[i] = shared && i == 9 ? 5 : i;
        }
        SUCCEEDS(ritz_mesh_find_coincident(mesh, NULL, 0, NULL, &found));
        assert_int_equal(found.n, 0);
        SUCCEEDS(ritz_mesh_components(mesh, part, &n_parts));
        assert_int_equal(n_parts, 2);
        assert_int_equal(part[8], part[0]); /* nodes in the middle are of their cell's part */
        assert_int_equal(part[17], part[10]);
        ritz_mesh_destroy(&mesh);
    }
}

static void failing_allocations(void **state)
{
    (void)state;
    ritz_status status = RITZ_ERROR_MEMORY;
    int n = 1;
    for (; n < 200 && status == RITZ_ERROR_MEMORY; n++) {
        ritz_mesh *mesh = two_boxes(RITZ_PRISM, 2, 0);
        int64_t n_nodes, n_cells;
        ritz_fail_allocation(n);
        status = ritz_mesh_glue(mesh, &n_nodes, &n_cells);
        ritz_fail_allocation(0);
        ritz_mesh_destroy(&mesh);
    }
    SUCCEEDS(status);
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_become_one),        cmocka_unit_test(near_is_the_same),
        cmocka_unit_test(cells_at_the_same_place), cmocka_unit_test(a_mid_side_node_at_a_vertex_joins_nothing),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
