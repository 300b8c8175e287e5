/* Groups of points, as codes that know node sets write them: a mid-side node is held where the group has it, on every
   cell, at every order, or refused. Truth: the nodes on the side of a box, counted. */
#define _DEFAULT_SOURCE /* mkstemps */

#include "second_order.h"

#include <unistd.h>

static const int divisions[3] = {2, 1, 2};

static void add_point(ritz_mesh *mesh, const char *name, int32_t node)
{
    int32_t group, set;
    SUCCEEDS(ritz_mesh_add_group(mesh, 0, 1, name, &group));
    SUCCEEDS(ritz_mesh_add_set(mesh, 1, &group, &set));
    SUCCEEDS(ritz_reallocate((void **)&mesh->entities, mesh->n_entities + 1, sizeof *mesh->entities));
    mesh->entities[mesh->n_entities++] = (ritz_mesh_entity){.n_vertices = 1, .vertices = {node}, .set = set};
}

static bool is_vertex(const ritz_mesh *mesh, int32_t node)
{
    const ritz_mesh_block *block = &mesh->blocks[0];
    for (int64_t i = 0; i < (int64_t)block->n_cells * block->n_nodes; i++)
        if (block->nodes[i] == node)
            return i % block->n_nodes < ritz_cell_n_shape(block->cell, 1);
    fail_msg("node %d is of no cell", node);
    return false;
}

/* The group's nodes, all where x = 0 if on_side; message: the error that is expected instead of them, or NULL. */
static int count_nodes(const ritz_mesh *mesh, int order, const char *name, bool on_side, const char *message)
{
    ritz_space *space = NULL;
    int32_t group, *nodes = NULL, n = 0;
    SUCCEEDS(ritz_space_create(mesh, order, 1, &space));
    SUCCEEDS(ritz_mesh_find_group(mesh, name, 0, &group));
    ritz_status status = ritz_space_group_nodes(space, group, &nodes, &n);
    if (status && !message)
        fail_msg("%s at order %d: %s", name, order, ritz_message());
    if (message && (status != RITZ_ERROR_INPUT || !strstr(ritz_message(), message)))
        fail_msg("%s at order %d: %s", name, order, status ? ritz_message() : "no error");
    for (int32_t i = 0; i < n && on_side; i++)
        assert_true(fabs(space->coordinates[nodes[i] * space->dim]) < 1e-14);
    ritz_free(nodes);
    ritz_space_destroy(&space);
    return n;
}

static void groups_of_points_on_every_cell(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        ritz_mesh *mesh = box_of_order((ritz_cell)cell, 2, divisions, 0);
        mesh->n_entities = 0;
        const ritz_mesh_block *block = &mesh->blocks[0];
        int n_side = 0, n_middle = 0;
        for (int32_t i = 0; i < mesh->n_nodes; i++) {
            if (mesh->nodes[3 * i] > 1e-14)
                continue;
            add_point(mesh, "side", i);
            n_side++;
            if (!is_vertex(mesh, i)) {
                add_point(mesh, "middle", i);
                n_middle++;
            }
        }
        for (int i = 0; i < block->n_nodes; i++)
            add_point(mesh, "cell", block->nodes[i]);
        SUCCEEDS(ritz_mesh_attach_entities(mesh));
        for (int32_t e = 0; e < mesh->n_entities; e++)
            assert_true(mesh->entities[e].cell >= 0 && mesh->entities[e].facet == -1);
        for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
            int on_side = 1; /* the lattice of order p on the side x = 0 */
            for (int d = 1; d < mesh->dim; d++)
                on_side *= p * divisions[d] + 1;
            assert_int_equal(count_nodes(mesh, p, "side", true, NULL), on_side);
            assert_int_equal(count_nodes(mesh, p, "cell", false, NULL), ritz_cell_n_shape((ritz_cell)cell, p));
            assert_int_equal(count_nodes(mesh, p, "middle", true, p % 2 ? "have no node; take an even order" : NULL),
                             p % 2 ? 0 : n_middle);
        }
        assert_int_equal(count_nodes(mesh, 2, "side", true, NULL), n_side);
        ritz_mesh_destroy(&mesh);
    }
}

/* ---- Files ---- */

static ritz_mesh *read_text(const char *text)
{
    char path[] = "/tmp/ritz-test-XXXXXX.msh";
    const int file = mkstemps(path, 4);
    const ssize_t n = (ssize_t)strlen(text);
    ritz_mesh *mesh = NULL;
    assert_true(file >= 0 && write(file, text, (size_t)n) == n && close(file) == 0);
    ritz_status status = ritz_mesh_read(path, &mesh);
    unlink(path);
    if (status)
        fail_msg("%s", ritz_message());
    return mesh;
}

#define HEAD                                                                                                           \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n0 1 \"left\"\n0 2 \"middle\"\n0 3 \"all\"\n3 9 "         \
    "\"body\"\n$EndPhysicalNames\n"

/* One 20-node hex: the group "left" has the eight nodes that such elements have on x = 0, "all" all twenty. Space has
   nodes in the middle of the face and of the cell besides, and they are held with the others. */
static void faces_of_serendipity_cells(void **state)
{
    (void)state;
    static const int corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int edges[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                     {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}}; /* Gmsh's order */
    static const int left[] = {1, 4, 5, 8, 10, 11, 16, 18};
    char text[8192];
    int n = snprintf(text, sizeof text, HEAD "$Nodes\n20\n");
    for (int i = 0; i < 20; i++) {
        const int *a = corners[i < 8 ? i : edges[i - 8][0]], *b = corners[i < 8 ? i : edges[i - 8][1]];
        n += snprintf(text + n, sizeof text - (size_t)n, "%d %g %g %g\n", i + 1, 0.5 * (a[0] + b[0]),
                      0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]));
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "$EndNodes\n$Elements\n30\n");
    for (int i = 0; i < 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%d 15 2 1 %d %d\n", i + 1, i + 1, left[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, "9 15 2 2 9 10\n");
    for (int i = 0; i < 20; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%d 15 2 3 %d %d\n", i + 10, i + 10, i + 1);
    n += snprintf(text + n, sizeof text - (size_t)n, "30 17 2 9 99");
    for (int i = 0; i < 20; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %d", i + 1);
    snprintf(text + n, sizeof text - (size_t)n, "\n$EndElements\n");
    ritz_mesh *mesh = read_text(text);
    for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
        assert_int_equal(count_nodes(mesh, p, "left", true, NULL), (p + 1) * (p + 1));
        assert_int_equal(count_nodes(mesh, p, "all", false, NULL), (p + 1) * (p + 1) * (p + 1));
        assert_int_equal(count_nodes(mesh, p, "middle", true, p % 2 ? "one at (0, 0.5, 0), where" : NULL), p % 2 == 0);
    }
    ritz_mesh_destroy(&mesh);
}

/* Four-node quads know no nodes between corners: those of "left" are points, and that the side is not held is told. */
static void corners_are_not_a_side(void **state)
{
    (void)state;
    static const char text[] =
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n0 1 \"left\"\n0 2 \"one\"\n$EndPhysicalNames\n"
        "$Entities\n3 0 1 0\n1 0 0 0 1 1\n2 0 1 0 1 1\n3 0 2 0 2 1 2\n1 0 0 0 1 2 0 0 0\n$EndEntities\n"
        "$Nodes\n4 6 1 6\n0 1 0 1\n1\n0 0 0\n0 2 0 1\n2\n0 1 0\n0 3 0 1\n3\n0 2 0\n2 1 0 3\n4\n5\n6\n1 0 0\n1 1 0\n1 2 "
        "0\n$EndNodes\n"
        "$Elements\n4 5 1 5\n0 1 15 1\n1 1\n0 2 15 1\n2 2\n0 3 15 1\n3 3\n2 1 3 2\n4 1 4 5 2\n5 2 5 6 "
        "3\n$EndElements\n";
    ritz_mesh *mesh = read_text(text);
    ritz_space *space = NULL;
    int32_t group, first;
    int64_t n;
    for (int p = 1; p <= 3; p++) {
        assert_int_equal(count_nodes(mesh, p, "left", true, NULL), 3);
        SUCCEEDS(ritz_space_create(mesh, p, 2, &space));
        SUCCEEDS(ritz_mesh_find_group(mesh, "left", 0, &group));
        SUCCEEDS(ritz_space_open_facets(space, group, &n, &first));
        assert_int_equal(n, p == 1 ? 0 : 2);
        assert_true(p == 1 || fabs(mesh->nodes[3 * first]) < 1e-14);
        SUCCEEDS(ritz_mesh_find_group(mesh, "one", 0, &group));
        SUCCEEDS(ritz_space_open_facets(space, group, &n, &first));
        assert_int_equal(n, 0);
        ritz_space_destroy(&space);
    }
    ritz_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_points_on_every_cell),
        cmocka_unit_test(faces_of_serendipity_cells),
        cmocka_unit_test(corners_are_not_a_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
