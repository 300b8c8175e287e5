/* Meshes, spaces, output, problems, with every argument spoiled. */
#include "../arrays.h"
#include "api.h"

#include <stddef.h>

/* ---- Meshes ---- */

static void mesh_read(void)
{
    ritz_mesh *m = NULL;
    REFUSES(ritz_mesh_read(NULL, &m));
    REFUSES(ritz_mesh_read("a.msh", NULL));
    FAILS(RITZ_ERROR_FILE, ritz_mesh_read("/nowhere/a.msh", &m));
    FAILS(RITZ_ERROR_FILE, ritz_mesh_read("", &m));
    assert_null(m);
}

static void mesh_generate(void)
{
    ritz_mesh *m = NULL;
    REFUSES(ritz_mesh_generate(NULL, NULL, &m));
    REFUSES(ritz_mesh_generate("a.geo", NULL, NULL));
    REFUSES(ritz_mesh_generate("a.geo", &(ritz_geometry_options){.order = 99}, &m));
    REFUSES(ritz_mesh_generate("a.geo", &(ritz_geometry_options){.order = -1}, &m));
    REFUSES(ritz_mesh_generate("a.geo", &(ritz_geometry_options){.size = -1}, &m));
    REFUSES(ritz_mesh_generate("a.geo", &(ritz_geometry_options){.size = (double)NAN}, &m));
    REFUSES(ritz_mesh_generate("a.geo", &(ritz_geometry_options){.size = (double)INFINITY}, &m));
    REFUSES(ritz_mesh_generate("a.geo", &(ritz_geometry_options){.struct_size = 3}, &m));
    FAILS(RITZ_ERROR_FILE, ritz_mesh_generate("/nowhere/a.geo", NULL, &m));
    assert_null(m);
}

static void mesh_box(void)
{
    static const double no_lengths[] = {NAN, INFINITY, -INFINITY, -1, 1e308};
    const ritz_box good = {.cell = RITZ_HEX, .cells = {1, 1, 1}};
    ritz_mesh *m = NULL;
    ritz_box box = good;
    REFUSES(ritz_mesh_box(NULL, &m));
    REFUSES(ritz_mesh_box(&good, NULL));
    box.struct_size = 3;
    REFUSES(ritz_mesh_box(&box, &m));
    box.struct_size = offsetof(ritz_box, distort); /* a caller's older, shorter struct: nothing behind it is read */
    box.distort = NAN;
    OK(ritz_mesh_box(&box, &m));
    ritz_mesh_destroy(&m);
    box = good;
    for (int i = 0; i < NO_CELLS; i++) {
        box.cell = no_cells[i];
        REFUSES(ritz_mesh_box(&box, &m));
    }
    for (int axis = 0; axis < 3; axis++) {
        static const int32_t no_counts[] = {0, -1, INT32_MIN, INT32_MAX};
        for (int i = 0; i < 4; i++) {
            box = good;
            box.cells[axis] = no_counts[i];
            REFUSES(ritz_mesh_box(&box, &m));
        }
        for (int i = 0; i < 5; i++) {
            box = good;
            box.size[axis] = no_lengths[i];
            REFUSES(ritz_mesh_box(&box, &m));
            box = good;
            box.origin[axis] = no_lengths[i];
            if (no_lengths[i] != -1)
                REFUSES(ritz_mesh_box(&box, &m));
        }
    }
    for (int i = 0; i < 5; i++) {
        box = good;
        box.distort = no_lengths[i];
        REFUSES(ritz_mesh_box(&box, &m));
    }
    assert_null(m);
}

/* Refused with these words; nothing is made. */
static void refuse_arrays(const ritz_mesh_arrays *arrays, const char *words)
{
    ritz_mesh *m = NULL;
    REFUSES(ritz_mesh_create(arrays, &m));
    assert_null(m);
    if (words && !strstr(ritz_message(), words))
        fail_msg("'%s' lacks '%s'", ritz_message(), words);
}

static const double tet_x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int32_t tet_nodes[] = {0, 1, 2, 3};
static const ritz_block_arrays tet_block = {.cell = RITZ_TET, .n_cells = 1, .nodes = tet_nodes};
static const ritz_mesh_arrays one_tet = {
    .dim = 3, .n_nodes = 4, .coordinates = tet_x, .n_blocks = 1, .blocks = &tet_block};

static void spoil_groups(void)
{
    static const int64_t zero[] = {0, 0}, far[] = {4, 4}, negative[] = {-1, -1}, facet[] = {0, 4}, below[] = {0, -1};
    static const struct {
        ritz_group_arrays groups[2];
        const char *words;
    } bad[] = {
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"a", RITZ_GROUP_NODES, 1, zero}}, "the same name 'a'"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {NULL, RITZ_GROUP_NODES, 1, zero}}, "group 1 has no name"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"", RITZ_GROUP_NODES, 1, zero}}, "group 1 has no name"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_EDGES, 1, zero}}, "kind 3"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", (ritz_group_kind)99, 1, zero}}, "kind 99"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", (ritz_group_kind)-1, 1, zero}}, "kind -1"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_NODES, -1, zero}}, "-1 members"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_NODES, 1, NULL}}, "NULL"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_NODES, 1, far}}, "no node 4"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_NODES, 1, negative}}, "no node -1"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_CELLS, 1, far}}, "no cell 4"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_CELLS, 1, negative}}, "no cell -1"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_FACETS, 1, far}}, "no cell 4"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_FACETS, 1, facet}}, "no facet 4"},
        {{{"a", RITZ_GROUP_CELLS, 1, zero}, {"b", RITZ_GROUP_FACETS, 1, below}}, "no facet -1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ritz_mesh_arrays arrays = one_tet;
        arrays.n_groups = 2;
        arrays.groups = bad[i].groups;
        refuse_arrays(&arrays, bad[i].words);
    }
}

static void spoil_arrays(void)
{
    static const int32_t no_node[] = {0, 1, 2, 7};
    ritz_mesh_arrays arrays[7];
    for (int i = 0; i < 7; i++)
        arrays[i] = one_tet;
    arrays[0].size = 3;
    refuse_arrays(&arrays[0], "size");
    arrays[1].dim = 2;
    refuse_arrays(&arrays[1], "no tet cells");
    arrays[2].dim = 4;
    refuse_arrays(&arrays[2], "got 4");
    arrays[3].n_blocks = 0;
    refuse_arrays(&arrays[3], "at least one block");
    arrays[4].blocks = NULL;
    refuse_arrays(&arrays[4], "blocks are NULL");
    arrays[5].n_groups = 1;
    refuse_arrays(&arrays[5], "groups are NULL");
    arrays[6].n_nodes = INT64_MAX;
    refuse_arrays(&arrays[6], "2147483647 nodes");
    refuse_arrays(NULL, NULL);
    const struct {
        ritz_block_arrays block;
        const char *words;
    } bad[] = {
        {{.cell = RITZ_TET, .order = 3, .n_cells = 1, .nodes = tet_nodes}, "1 or 2; got 3"},
        {{.cell = RITZ_TET, .order = -1, .n_cells = 1, .nodes = tet_nodes}, "1 or 2; got -1"},
        {{.cell = RITZ_TET, .order = 2, .serendipity = 1, .n_cells = 1, .nodes = tet_nodes}, "no serendipity tet"},
        {{.cell = RITZ_HEX, .order = 1, .serendipity = 1, .n_cells = 1, .nodes = tet_nodes}, "of order 1"},
        {{.cell = RITZ_TET, .n_cells = -1, .nodes = tet_nodes}, "got -1"},
        {{.cell = RITZ_TET, .n_cells = 1}, "NULL"},
        {{.cell = RITZ_TET, .n_cells = 1, .nodes = no_node}, "element 1 (tet) refers to node 7"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const ritz_block_arrays blocks[] = {tet_block, bad[i].block};
        ritz_mesh_arrays two = one_tet;
        two.n_blocks = 2;
        two.blocks = blocks;
        refuse_arrays(&two, bad[i].words);
    }
    spoil_groups();
}

static void mesh_create(void)
{
    ritz_mesh *m = NULL;
    double x[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t tet[] = {0, 1, 2, 3};
    for (int i = 0; i < NO_CELLS; i++)
        REFUSES(mesh_from_arrays(no_cells[i], 4, x[0], 1, tet, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, 0, x[0], 1, tet, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, -4, x[0], 1, tet, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, 4, NULL, 1, tet, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, 4, x[0], 0, tet, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, 4, x[0], -1, tet, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, 4, x[0], INT64_MAX, tet, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, 4, x[0], 1, NULL, &m));
    REFUSES(mesh_from_arrays(RITZ_TET, 4, x[0], 1, tet, NULL));
    static const double no_places[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
    for (int i = 0; i < 5; i++)
        for (int d = 0; d < 3; d++) {
            const double before = x[3][d];
            x[3][d] = no_places[i];
            REFUSES(mesh_from_arrays(RITZ_TET, 4, x[0], 1, tet, &m));
            x[3][d] = before;
        }
    static const int32_t no_vertices[] = {-1, 4, INT32_MAX, INT32_MIN, 0};
    for (int i = 0; i < 5; i++) {
        tet[3] = no_vertices[i];
        REFUSES(mesh_from_arrays(RITZ_TET, 4, x[0], 1, tet, &m));
    }
    assert_null(m);
    spoil_arrays();
    DESTROYS(ritz_mesh_destroy, ritz_mesh);
}

static void mesh_getters(void)
{
    int64_t numbers[6];
    int32_t nodes[6 * 4];
    double x[8 * 3];
    assert_int_equal(ritz_mesh_dim(NULL), 0);
    assert_int_equal(ritz_mesh_n_nodes(NULL), 0);
    assert_int_equal(ritz_mesh_n_cells(NULL, RITZ_TET), 0);
    REFUSES(ritz_mesh_cell_numbers(NULL, RITZ_TET, numbers));
    REFUSES(ritz_mesh_cell_numbers(mesh, RITZ_TET, NULL));
    REFUSES(ritz_mesh_cell_numbers(mesh, RITZ_HEX, numbers));
    for (int i = 0; i < NO_CELLS; i++) {
        assert_int_equal(ritz_mesh_n_cells(mesh, no_cells[i]), no_cells[i] == RITZ_N_CELLS ? 6 : 0);
        REFUSES(ritz_mesh_cell_numbers(mesh, no_cells[i], numbers));
        REFUSES(ritz_mesh_cell_places(mesh, no_cells[i], numbers));
        REFUSES(ritz_mesh_cell_nodes(mesh, no_cells[i], nodes));
    }
    REFUSES(ritz_mesh_cell_places(NULL, RITZ_TET, numbers));
    REFUSES(ritz_mesh_cell_places(mesh, RITZ_TET, NULL));
    REFUSES(ritz_mesh_cell_places(mesh, RITZ_HEX, numbers));
    REFUSES(ritz_mesh_cell_nodes(NULL, RITZ_TET, nodes));
    REFUSES(ritz_mesh_cell_nodes(mesh, RITZ_TET, NULL));
    REFUSES(ritz_mesh_cell_nodes(mesh, RITZ_HEX, nodes));
    REFUSES(ritz_mesh_coordinates(NULL, x));
    REFUSES(ritz_mesh_coordinates(mesh, NULL));
    assert_int_equal(ritz_mesh_order(NULL), 0);
}

static void group_getters(void)
{
    static const int no_groups[] = {-1, 7, INT32_MAX, INT32_MIN};
    int64_t members[64];
    assert_int_equal(ritz_mesh_n_groups(NULL), 0);
    assert_int_equal(ritz_mesh_n_groups(mesh), 7);
    assert_null(ritz_mesh_group_name(NULL, 0));
    assert_int_equal(ritz_mesh_group_kind(NULL, 0), RITZ_GROUP_CELLS);
    assert_int_equal(ritz_mesh_group_size(NULL, 0), 0);
    REFUSES(ritz_mesh_group_members(NULL, 0, members));
    REFUSES(ritz_mesh_group_members(mesh, 0, NULL));
    for (int i = 0; i < 4; i++) {
        assert_null(ritz_mesh_group_name(mesh, no_groups[i]));
        assert_int_equal(ritz_mesh_group_kind(mesh, no_groups[i]), RITZ_GROUP_CELLS);
        assert_int_equal(ritz_mesh_group_size(mesh, no_groups[i]), 0);
        REFUSES(ritz_mesh_group_members(mesh, no_groups[i], members));
    }
}

/* ---- Spaces ---- */

static void space_create(void)
{
    ritz_space *s = NULL;
    REFUSES(ritz_space_create(NULL, 1, 1, &s));
    REFUSES(ritz_space_create(mesh, 1, 1, NULL));
    for (int i = 0; i < NO_ORDERS; i++)
        REFUSES(ritz_space_create(mesh, no_orders[i], 1, &s));
    REFUSES(ritz_space_create(mesh, 1, 0, &s));
    REFUSES(ritz_space_create(mesh, 1, -1, &s));
    REFUSES(ritz_space_create(mesh, 1, INT32_MAX, &s));
    REFUSES(ritz_space_create_serendipity(NULL, 1, &s));
    REFUSES(ritz_space_create_serendipity(mesh, 1, NULL));
    REFUSES(ritz_space_create_serendipity(mesh, 0, &s));
    REFUSES(ritz_space_create_numbered(NULL, 1, 0, 1, NULL, &s));
    REFUSES(ritz_space_create_numbered(mesh, 1, 0, 1, NULL, NULL));
    for (int i = 0; i < NO_ORDERS; i++)
        REFUSES(ritz_space_create_numbered(mesh, no_orders[i], 0, 1, NULL, &s));
    REFUSES(ritz_space_create_numbered(mesh, 1, 1, 1, NULL, &s));
    REFUSES(ritz_space_create_numbered(mesh, 1, 0, -1, NULL, &s));
    const int32_t *const no_nodes[RITZ_N_CELLS] = {NULL};
    REFUSES(ritz_space_create_numbered(mesh, 1, 0, 1, no_nodes, &s));
    assert_null(s);
    DESTROYS(ritz_space_destroy, ritz_space);
}

static void rigid_motions(void)
{
    ritz_space *s = NULL;
    double motions[8 * 3 * 6];
    assert_int_equal(ritz_space_n_rigid_motions(NULL), 0);
    assert_int_equal(ritz_space_n_rigid_motions(space), 0);
    REFUSES(ritz_space_get_rigid_motions(NULL, motions));
    REFUSES(ritz_space_get_rigid_motions(space, motions));
    OK(ritz_space_create(mesh, 1, 3, &s));
    assert_int_equal(ritz_space_n_rigid_motions(s), 6);
    REFUSES(ritz_space_get_rigid_motions(s, NULL));
    ritz_space_destroy(&s);
}

static void vertex_weights(void)
{
    int32_t vertices[8 * RITZ_VERTICES_MOST], n = 0;
    double weights[8 * RITZ_VERTICES_MOST];
    REFUSES(ritz_space_get_vertex_weights(NULL, vertices, weights, &n));
    REFUSES(ritz_space_get_vertex_weights(space, NULL, weights, &n));
    REFUSES(ritz_space_get_vertex_weights(space, vertices, NULL, &n));
    REFUSES(ritz_space_get_vertex_weights(space, vertices, weights, NULL));
}

static void space_getters(void)
{
    int32_t nodes[6 * 4];
    int64_t numbers[8];
    assert_int_equal(ritz_space_n_nodes(NULL), 0);
    assert_int_equal(ritz_space_n_dofs(NULL), 0);
    assert_null(ritz_space_coordinates(NULL));
    assert_int_equal(ritz_space_n_cell_nodes(NULL, RITZ_TET), 0);
    assert_int_equal(ritz_space_n_cell_nodes(space, RITZ_HEX), 0);
    assert_int_equal(ritz_space_n_cell_nodes(space, RITZ_TET), 4);
    for (int i = 0; i < NO_CELLS; i++)
        assert_int_equal(ritz_space_n_cell_nodes(space, no_cells[i]), 0);
    REFUSES(ritz_space_cell_nodes(NULL, RITZ_TET, nodes));
    REFUSES(ritz_space_cell_nodes(space, RITZ_TET, NULL));
    REFUSES(ritz_space_cell_nodes(space, RITZ_HEX, nodes));
    for (int i = 0; i < NO_CELLS; i++)
        REFUSES(ritz_space_cell_nodes(space, no_cells[i], nodes));
    REFUSES(ritz_space_node_numbers(NULL, numbers));
    REFUSES(ritz_space_node_numbers(space, NULL));
    REFUSES(ritz_space_mesh_nodes(NULL, nodes));
    REFUSES(ritz_space_mesh_nodes(space, NULL));
    int64_t dofs[8], n = -1;
    REFUSES(ritz_space_group_dofs(NULL, "x0", 0, 8, dofs, &n));
    REFUSES(ritz_space_group_dofs(space, NULL, 0, 8, dofs, &n));
    REFUSES(ritz_space_group_dofs(space, "nowhere", 0, 8, dofs, &n));
    REFUSES(ritz_space_group_dofs(space, "x0", 1, 8, dofs, &n));
    REFUSES(ritz_space_group_dofs(space, "x0", -2, 8, dofs, &n));
    REFUSES(ritz_space_group_dofs(space, "x0", 0, 3, dofs, &n)); /* there are 4 */
    REFUSES(ritz_space_group_dofs(space, "x0", 0, -1, dofs, &n));
    REFUSES(ritz_space_group_dofs(space, "x0", 0, 8, dofs, NULL));
    assert_int_equal(n, -1);
}

/* ---- Output, problems ---- */

typedef ritz_status write_function(const char *path, const ritz_space *space, const ritz_field *fields, int n_fields);

static void spoil_writing(write_function *write, const char *path)
{
    double u[8] = {0};
    const ritz_field good = {"u", 1, u};
    REFUSES(write(NULL, space, &good, 1));
    REFUSES(write(path, NULL, &good, 1));
    REFUSES(write(path, space, NULL, 1));
    REFUSES(write(path, space, &good, -1));
    REFUSES(write(path, space, &good, INT32_MIN));
    FAILS(RITZ_ERROR_FILE, write("/nowhere/a.vtkhdf", space, &good, 1));
    static const int no_components[] = {0, -1, 2, INT32_MAX};
    for (int i = 0; i < 4; i++)
        REFUSES(write(path, space, &(ritz_field){"u", no_components[i], u}, 1));
    REFUSES(write(path, space, &(ritz_field){NULL, 1, u}, 1));
    REFUSES(write(path, space, &(ritz_field){"", 1, u}, 1));
    REFUSES(write(path, space, &(ritz_field){"u", 1, NULL}, 1));
    REFUSES(write(path, space, (ritz_field[]){good, good}, 2));
    u[7] = NAN;
    REFUSES(write(path, space, &good, 1));
    assert_int_equal(access(path, F_OK), -1);
}

static void write_vtkhdf(void)
{
    spoil_writing(ritz_write_vtkhdf, scratch);
}

static void write_result(void)
{
    const ritz_field none = {0};
    char path[sizeof scratch + 8];
    snprintf(path, sizeof path, "%s.vtu", scratch);
    spoil_writing(ritz_write_result, path);
    REFUSES(ritz_write_result(scratch, space, &none, 0));
    REFUSES(ritz_write_result("", space, &none, 0));
}

static void problem_read(void)
{
    ritz_problem *p = NULL;
    const char *const nothing[] = {NULL}, *const wrong[] = {"order"};
    REFUSES(ritz_problem_parse(NULL, NULL, NULL, 0, &p));
    REFUSES(ritz_problem_parse(problem_text, NULL, NULL, 0, NULL));
    REFUSES(ritz_problem_parse(problem_text, NULL, NULL, 1, &p));
    REFUSES(ritz_problem_parse(problem_text, NULL, nothing, 1, &p));
    REFUSES(ritz_problem_parse(problem_text, NULL, wrong, 1, &p));
    REFUSES(ritz_problem_parse(problem_text, NULL, wrong, -1, &p));
    REFUSES(ritz_problem_parse("", NULL, NULL, 0, &p));
    REFUSES(ritz_problem_read(NULL, NULL, 0, &p));
    REFUSES(ritz_problem_read("a.yaml", NULL, 0, NULL));
    REFUSES(ritz_problem_convert(NULL, "a.yaml"));
    REFUSES(ritz_problem_convert("a.inp", NULL));
    FAILS(RITZ_ERROR_FILE, ritz_problem_convert("/nowhere/a.inp", "a.yaml"));
    FAILS(RITZ_ERROR_FILE, ritz_problem_read("/nowhere/a.yaml", NULL, 0, &p));
    FILE *file = fopen(scratch, "w");
    fputs(problem_text, file);
    fclose(file);
    REFUSES(ritz_problem_read(scratch, NULL, 1, &p));
    REFUSES(ritz_problem_read(scratch, nothing, 1, &p));
    REFUSES(ritz_problem_read(scratch, wrong, -1, &p));
    unlink(scratch);
    assert_null(p);
    DESTROYS(ritz_problem_destroy, ritz_problem);
}

/* A program of an earlier version has a shorter struct: nothing behind it is written. */
static void solve_into_short_result(void)
{
    ritz_problem *own = NULL;
    ritz_result result;
    const unsigned char *bytes = (const unsigned char *)&result;
    memset(&result, 0xa5, sizeof result);
    result.size = offsetof(ritz_result, solve);
    OK(ritz_problem_parse(problem_text, NULL, NULL, 0, &own));
    OK(ritz_problem_solve(own, &result));
    assert_true(result.size == offsetof(ritz_result, solve) && result.unknowns > 0);
    for (size_t k = result.size; k < sizeof result; k++)
        assert_int_equal(bytes[k], 0xa5);
    ritz_problem_destroy(&own);
}

static void problem_solve(void)
{
    ritz_result result = {.size = sizeof result};
    REFUSES(ritz_problem_solve(NULL, &result));
    REFUSES(ritz_problem_solve(problem, NULL));
    result.size = 3;
    REFUSES(ritz_problem_solve(problem, &result));
    solve_into_short_result();
}

/* A lent device serves where the file's own cannot be had, for several problems, and stays open. */
static void lend_device(void)
{
    const char *const none[] = {"device=no such device"};
    ritz_problem_use_device(NULL, device);
    for (int time = 0; time < 2; time++) {
        ritz_problem *own = NULL;
        ritz_result result = {.size = sizeof result};
        OK(ritz_problem_parse(problem_text, NULL, none, 1, &own));
        FAILS(RITZ_ERROR_DEVICE, ritz_problem_solve(own, &result));
        ritz_problem_use_device(own, device);
        ritz_problem_use_device(own, device);
        OK(ritz_problem_solve(own, &result));
        assert_true(ritz_problem_device(own) == device && result.peak_device_bytes > 0);
        ritz_problem_use_device(own, NULL);
        assert_null(ritz_problem_device(own));
        FAILS(RITZ_ERROR_DEVICE, ritz_problem_solve(own, &result));
        ritz_problem_use_device(own, device);
        ritz_problem_destroy(&own);
    }
}

static void problem_getters(void)
{
    ritz_problem_set_stage(NULL, NULL, NULL);
    ritz_problem_set_stage(problem, NULL, NULL);
    ritz_problem_trust_geometry(NULL, 1);
    ritz_problem_trust_geometry(problem, 0);
    const ritz_largest full[RITZ_MAX_LARGEST] = {
        {.field = "a", .value = 1}, {.field = "b", .value = 2}, {.field = "c", .value = 3}, {.field = "d", .value = 4}};
    assert_true(isnan(ritz_find_largest(NULL, "a")) && isnan(ritz_find_largest(full, NULL)));
    assert_true(isnan(ritz_find_largest(full, "e")) && ritz_find_largest(full, "d") == 4);
    assert_null(ritz_problem_physics(NULL));
    assert_null(ritz_problem_description(NULL));
    assert_true(ritz_problem_description(problem)[0] == '{');
    assert_null(ritz_problem_device(NULL));
    assert_null(ritz_problem_device(problem));
}

const struct api_entry api_elements[] = {
    ENTRY(ritz_mesh_read, mesh_read),
    ENTRY(ritz_mesh_generate, mesh_generate),
    ENTRY(ritz_mesh_box, mesh_box),
    ENTRY(ritz_mesh_create, mesh_create),
    ENTRY(ritz_mesh_destroy, mesh_create),
    ENTRY(ritz_mesh_dim, mesh_getters),
    ENTRY(ritz_mesh_n_nodes, mesh_getters),
    ENTRY(ritz_mesh_n_cells, mesh_getters),
    ENTRY(ritz_mesh_cell_numbers, mesh_getters),
    ENTRY(ritz_mesh_cell_places, mesh_getters),
    ENTRY(ritz_mesh_cell_nodes, mesh_getters),
    ENTRY(ritz_mesh_coordinates, mesh_getters),
    ENTRY(ritz_mesh_order, mesh_getters),
    ENTRY(ritz_mesh_n_groups, group_getters),
    ENTRY(ritz_mesh_group_name, group_getters),
    ENTRY(ritz_mesh_group_kind, group_getters),
    ENTRY(ritz_mesh_group_size, group_getters),
    ENTRY(ritz_mesh_group_members, group_getters),
    ENTRY(ritz_space_create, space_create),
    ENTRY(ritz_space_create_serendipity, space_create),
    ENTRY(ritz_space_create_numbered, space_create),
    ENTRY(ritz_space_destroy, space_create),
    ENTRY(ritz_space_n_nodes, space_getters),
    ENTRY(ritz_space_n_dofs, space_getters),
    ENTRY(ritz_space_coordinates, space_getters),
    ENTRY(ritz_space_n_cell_nodes, space_getters),
    ENTRY(ritz_space_cell_nodes, space_getters),
    ENTRY(ritz_space_node_numbers, space_getters),
    ENTRY(ritz_space_mesh_nodes, space_getters),
    ENTRY(ritz_space_group_dofs, space_getters),
    ENTRY(ritz_space_n_rigid_motions, rigid_motions),
    ENTRY(ritz_space_get_rigid_motions, rigid_motions),
    ENTRY(ritz_space_get_vertex_weights, vertex_weights),
    ENTRY(ritz_write_vtkhdf, write_vtkhdf),
    ENTRY(ritz_write_result, write_result),
    ENTRY(ritz_problem_read, problem_read),
    ENTRY(ritz_problem_convert, problem_read),
    ENTRY(ritz_problem_parse, problem_read),
    ENTRY(ritz_problem_destroy, problem_read),
    ENTRY(ritz_problem_solve, problem_solve),
    ENTRY(ritz_problem_set_stage, problem_getters),
    ENTRY(ritz_problem_trust_geometry, problem_getters),
    ENTRY(ritz_problem_use_device, lend_device),
    ENTRY(ritz_problem_physics, problem_getters),
    ENTRY(ritz_problem_description, problem_getters),
    ENTRY(ritz_find_largest, problem_getters),
    ENTRY(ritz_problem_device, problem_getters),
    {NULL, NULL, NULL},
};
