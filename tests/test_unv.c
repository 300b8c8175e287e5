/* Groups of .unv files in the styles of several writers. Truth: the same mesh and groups as a .msh file, and its solution
   to the last bit; for second-order cells, what Gmsh itself writes in both formats stands in test_gmsh.c. */
#include "mesh_files.h"
#include "ritz/problem.h"

#include <sys/stat.h>
#include <unistd.h>

/* Two cubes side by side: corner 1 + i + 3 j + 6 k at (i, j, k). */
#define TWO_CUBES_MSH                                                                                                  \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n8\n3 1 \"left part\"\n3 2 \"whole part\"\n3 3 \"right\"\n"  \
    "2 4 \"clamped face\"\n2 5 \"end faces\"\n2 3 \"right\"\n1 3 \"right\"\n0 3 \"right\"\n$EndPhysicalNames\n"        \
    "$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 0 0 1\n8 1 0 1\n9 2 0 1\n10 0 1 1\n"          \
    "11 1 1 1\n12 2 1 1\n$EndNodes\n$Elements\n10\n101 5 2 1 1 1 2 5 4 7 8 11 10\n101 5 2 2 1 1 2 5 4 7 8 11 10\n"     \
    "102 5 2 2 2 2 3 6 5 8 9 12 11\n102 5 2 3 2 2 3 6 5 8 9 12 11\n11 3 2 4 1 1 4 10 7\n11 3 2 5 1 1 4 10 7\n"         \
    "12 3 2 5 2 3 6 12 9\n12 3 2 3 2 3 6 12 9\n21 1 2 3 1 2 3\n31 15 2 3 1 12\n$EndElements\n"

/* Written by SALOME: its units and coordinate system, numbers with E, elements in the order edges, faces, solids, all of
   material 1, groups in dataset 2467. */
static const char salome[] =
    "    -1\n   164\n         1  SI: Meter (newton)         2\n"
    "    1.0000000000000000E+0    1.0000000000000000E+0    1.0000000000000000E+0\n    2.7314999999999998E+2\n    -1\n"
    "    -1\n  2420\n         1\nSMESH_Mesh\n         1         0         0\nGlobal Cartesian Coordinate System\n"
    "    1.0000000000000000E+0    0.0000000000000000E+0    0.0000000000000000E+0\n"
    "    0.0000000000000000E+0    1.0000000000000000E+0    0.0000000000000000E+0\n"
    "    0.0000000000000000E+0    0.0000000000000000E+0    1.0000000000000000E+0\n"
    "    0.0000000000000000E+0    0.0000000000000000E+0    0.0000000000000000E+0\n    -1\n"
    "    -1\n  2411\n"
#define S_NODE(n, x, y, z)                                                                                             \
#n "         1         1        11\n    " #x ".0000000000000000E+0    " #y ".0000000000000000E+0    " #z           \
       ".0000000000000000E+0\n"
    S_NODE(1, 0, 0, 0) S_NODE(2, 1, 0, 0) S_NODE(3, 2, 0, 0) S_NODE(4, 0, 1, 0) S_NODE(5, 1, 1, 0) S_NODE(6, 2, 1, 0)
        S_NODE(7, 0, 0, 1) S_NODE(8, 1, 0, 1) S_NODE(9, 2, 0, 1) S_NODE(10, 0, 1, 1) S_NODE(11, 1, 1, 1)
            S_NODE(12, 2, 1, 1) "    -1\n    -1\n  2412\n"
                                "        21        11         2         1         7         2\n"
                                "         0         1         1\n         2         3\n"
                                "        11        44         2         1         7         4\n"
                                "         1         4        10         7\n"
                                "        12        44         2         1         7         4\n"
                                "         3         6        12         9\n"
                                "       101       115         2         1         7         8\n"
                                "         1         2         5         4         7         8        11        10\n"
                                "       102       115         2         1         7         8\n"
                                "         2         3         6         5         8         9        12        11\n"
                                "    -1\n    -1\n  2467\n"
                                "         2         0         0         0         0         0         0         1\n"
                                "left part\n         8       101         0         0\n"
                                "         3         0         0         0         0         0         0         2\n"
                                "whole part\n"
                                "         8       101         0         0         8       102         0         0\n"
                                "         4         0         0         0         0         0         0         1\n"
                                "clamped face\n         8        11         0         0\n"
                                "         5         0         0         0         0         0         0         2\n"
                                "end faces\n"
                                "         8        11         0         0         8        12         0         0\n"
                                "         6         0         0         0         0         0         0         4\n"
                                "right\n"
                                "         7        12         0         0         8       102         0         0\n"
                                "         8        12         0         0         8        21         0         0\n"
                                "    -1\n";

/* Written by I-DEAS: numbers with D in fixed columns, names padded with blanks, groups in dataset 2429 by four pairs a line
   and a head of seven numbers, before the elements that they hold; a spring, and a curve of the geometry in a group. */
#define D_NODE(n, x, y, z)                                                                                             \
    "        " #n "         1         1        11\n   " #x ".0000000000000000D+00   " #y ".0000000000000000D+00   " #z \
    ".0000000000000000D+00\n"
#define D_NODES                                                                                                        \
    D_NODE(1, 0, 0, 0)                                                                                                 \
    D_NODE(2, 1, 0, 0)                                                                                                 \
    D_NODE(3, 2, 0, 0)                                                                                                 \
    D_NODE(4, 0, 1, 0)                                                                                                 \
    D_NODE(5, 1, 1, 0)                                                                                                 \
    D_NODE(6, 2, 1, 0)                                                                                                 \
    D_NODE(7, 0, 0, 1)                                                                                                 \
    D_NODE(8, 1, 0, 1)                                                                                                 \
    D_NODE(9, 2, 0, 1)                                                                                                 \
    D_NODE(10, 0, 1, 1)                                                                                                \
    D_NODE(11, 1, 1, 1)                                                                                                \
    D_NODE(12, 2, 1, 1)
static const char ideas[] =
    "    -1\n   151\nC:\\parts\\cubes.mf1\nI-DEAS\n    -1\n    -1\n  2429\n"
    "         1         0         0         0         0         0         1\n"
    "left part                               \n         8       101\n"
    "         2         0         0         0         0         0         2\n"
    "whole part                              \n         8       101         8       102\n"
    "         3         0         0         0         0         0         3\n"
    "clamped face                            \n         8        11         3         1         8        11\n"
    "         4         0         0         0         0         0         2\n"
    "end faces                               \n         8        11         8        12\n"
    "         5         0         0         0         0         0         5\n"
    "right                                   \n"
    "         7        12         8       102         8        12         8        21\n         8        41\n    -1\n"
    "    -1\n  2411\n" D_NODES "    -1\n    -1\n  2412\n"
    "        41       136         1         0         7         2\n         1         2\n"
    "       101       115         1         0         7         8\n"
    "         1         2         5         4         7         8        11        10\n"
    "       102       115         1         0         7         8\n"
    "         2         3         6         5         8         9        12        11\n    -1\n    -1\n  2412\n"
    "        11        94         1         0         7         4\n         1         4        10         7\n"
    "        12        94         1         0         7         4\n         3         6        12         9\n"
    "        21        21         1         0         7         2\n         0         1         1\n         2         "
    "3\n"
    "    -1\n";

/* As programs write that take the format for a list of numbers: no columns, lines that end as in DOS, materials by number,
   dataset 2477, groups with the numbers of others. */
static const char loose[] = "-1\r\n2411\r\n"
#define L_NODE(n, x, y, z) #n " 1 1 11\r\n" #x " " #y ".0 " #z "e0\r\n"
    L_NODE(1, 0, 0, 0) L_NODE(2, 1, 0, 0) L_NODE(3, 2, 0, 0) L_NODE(4, 0, 1, 0) L_NODE(5, 1, 1, 0) L_NODE(6, 2, 1, 0)
        L_NODE(7, 0, 0, 1) L_NODE(8, 1, 0, 1) L_NODE(9, 2, 0, 1) L_NODE(10, 0, 1, 1) L_NODE(11, 1, 1, 1)
            L_NODE(12, 2, 1, 1) "-1\r\n-1\r\n2412\r\n11 44 1 0 7 4\r\n1 4 10 7\r\n12 44 1 0 7 4\r\n3 6 12 9\r\n"
                                "21 11 1 0 7 2\r\n0 0 0\r\n2 3\r\n101 115 1 7 7 8\r\n1 2 5 4 7 8 11 10\r\n"
                                "102 115 1 7 7 8\r\n2 3 6 5 8 9 12 11\r\n-1\r\n-1\r\n2477\r\n"
                                "7 0 0 0 0 0 0 1\r\nleft part\r\n8 101 0 0\r\n"
                                "7 0 0 0 0 0 0 3\r\nwhole part\r\n8 101 0 0 8 102 0 0\r\n8 101 0 0\r\n"
                                "9 0 0 0 0 0 0 1\r\nclamped face\r\n8 11 0 0\r\n"
                                "9 0 0 0 0 0 0 2\r\nend faces\r\n8 11 0 0 8 12 0 0\r\n"
                                "9 0 0 0 0 0 0 4\r\nright\r\n8 12 0 0 8 102 0 0\r\n8 21 0 0 7 12 0 0\r\n-1\r\n";

/* Whether the set has the group of this name and dimension, found where it has any such name. */
static bool set_has_name(const ritz_mesh *mesh, int32_t set, const ritz_group *wanted)
{
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        if (mesh->groups[g].dim == wanted->dim && strcmp(mesh->groups[g].name, wanted->name) == 0)
            return ritz_mesh_set_has(mesh, set, g);
    }
    fail_msg("no group '%s' of dimension %d", wanted->name, wanted->dim);
    return false;
}

static int32_t entity_with(const ritz_mesh *mesh, const ritz_mesh_entity *wanted)
{
    for (int32_t e = 0; e < mesh->n_entities; e++) {
        const ritz_mesh_entity *entity = &mesh->entities[e];
        if (entity->dim == wanted->dim && entity->n_vertices == wanted->n_vertices &&
            memcmp(entity->vertices, wanted->vertices, (size_t)entity->n_vertices * sizeof *entity->vertices) == 0)
            return entity->set;
    }
    fail_msg("an entity of dimension %d is lost", wanted->dim);
    return -1;
}

/* All groups of p are groups of q, of the same cells and entities; q may have more, as those of materials. */
static void check_groups(const ritz_mesh *p, const ritz_mesh *q)
{
    assert_int_equal(p->n_nodes, q->n_nodes);
    assert_memory_equal(p->nodes, q->nodes, 3 * (size_t)p->n_nodes * sizeof *p->nodes);
    assert_int_equal(p->n_blocks, q->n_blocks);
    for (int32_t g = 0; g < p->n_groups; g++) {
        for (int b = 0; b < p->n_blocks; b++) {
            const ritz_mesh_block *r = &p->blocks[b], *s = &q->blocks[b];
            assert_int_equal(r->n_cells, s->n_cells);
            assert_memory_equal(r->nodes, s->nodes, (size_t)r->n_cells * (size_t)r->n_nodes * sizeof *r->nodes);
            assert_memory_equal(r->number, s->number, (size_t)r->n_cells * sizeof *r->number);
            for (int32_t c = 0; c < r->n_cells; c++)
                assert_int_equal(ritz_mesh_set_has(p, r->set[c], g), set_has_name(q, s->set[c], &p->groups[g]));
        }
        for (int32_t e = 0; e < p->n_entities; e++)
            assert_int_equal(ritz_mesh_set_has(p, p->entities[e].set, g),
                             set_has_name(q, entity_with(q, &p->entities[e]), &p->groups[g]));
    }
}

static const char *const writers[] = {salome, ideas, loose};

static void groups_of_all_writers_are_those_of_the_msh(void **state)
{
    (void)state;
    ritz_mesh *msh = read_mesh(write_text("cubes.msh", TWO_CUBES_MSH));
    assert_int_equal(msh->n_groups, 8);
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++) {
        ritz_mesh *unv = read_mesh(write_text("cubes.unv", writers[w]));
        check_groups(msh, unv);
        if (writers[w] == salome)
            assert_int_equal(cells_in(unv, "1"), 2); /* material 1 */
        else
            assert_int_equal(unv->n_groups, writers[w] == ideas ? 8 : 9);
        if (writers[w] == loose)
            assert_int_equal(cells_in(unv, "7"), 2);
        assert_int_equal(unv->warning != NULL, writers[w] == ideas);
        if (unv->warning)
            assert_non_null(
                strstr(unv->warning, "1 element (springs, masses, rigid bars and the like) and 1 member of"));
        ritz_mesh_destroy(&unv);
    }
    ritz_mesh_destroy(&msh);
}

static ritz_result solve_problem(const char *path)
{
    char text[1024];
    ritz_problem *problem = NULL;
    ritz_result result = {0};
    snprintf(text, sizeof text,
             "mesh: %s\nphysics: elasticity\norder: 1\nmaterials: [{group: left part, young: 1, poisson: 0}, "
             "{group: right, young: 3, poisson: 0.25}]\nboundary: [{group: clamped face, displacement: fixed}, "
             "{group: right, traction: [1, 0, 0]}, {group: end faces, traction: [0, 0, 1]}]\noutput: none\n",
             path);
    if (ritz_problem_parse(text, "", NULL, 0, &problem) || ritz_problem_solve(problem, &result))
        fail_msg("%s: %s", path, ritz_message());
    ritz_problem_destroy(&problem);
    return result;
}

static void their_solutions_are_those_of_the_msh(void **state)
{
    (void)state;
    const ritz_result wanted = solve_problem(write_text("cubes.msh", TWO_CUBES_MSH));
    assert_true(wanted.largest[0].value > 0);
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++) {
        const ritz_result got = solve_problem(write_text("cubes.unv", writers[w]));
        for (int i = 0; i < RITZ_MAX_LARGEST && wanted.largest[i].field; i++)
            assert_true(got.largest[i].value == wanted.largest[i].value);
    }
}

/* A unit square with a group of the nodes or elements in `members`, n of them. */
static const char *square_with_group(const char *name, int n, const char *members)
{
    char text[2048];
    snprintf(text, sizeof text,
             "    -1\n  2411\n%s    -1\n    -1\n  2412\n         7        44         1         1         7         4\n"
             "        11        12        13        14\n    -1\n    -1\n  2467\n"
             "         1         0         0         0         0         0         0%10d\n%s\n%s    -1\n",
             "        11         1         1        11\n   0.0D+00   0.0D+00   0.0D+00\n"
             "        12         1         1        11\n   1.0D+00   0.0D+00   0.0D+00\n"
             "        13         1         1        11\n   1.0D+00   1.0D+00   0.0D+00\n"
             "        14         1         1        11\n   0.0D+00   1.0D+00   0.0D+00\n",
             n, name, members);
    return write_text("nodes.unv", text);
}

static void groups_of_nodes_in_unv_files(void **state)
{
    (void)state;
    int corner = -1;
    ritz_mesh *mesh =
        read_mesh(square_with_group("corner", 3,
                                    "         7        11         0         0         7        13         0"
                                    "         0\n         7        14         0         0\n"));
    for (int g = 0; g < mesh->n_groups; g++)
        corner = strcmp(mesh->groups[g].name, "corner") == 0 ? g : corner;
    assert_true(corner >= 0);
    int n = 0;
    double sum[2] = {0, 0};
    for (int32_t e = 0; e < mesh->n_entities; e++)
        if (mesh->entities[e].dim == 0 && ritz_mesh_set_has(mesh, mesh->entities[e].set, corner)) {
            n++;
            for (int d = 0; d < 2; d++)
                sum[d] += mesh->nodes[3 * (int64_t)mesh->entities[e].vertices[0] + d];
        }
    assert_int_equal(n, 3);
    assert_true(sum[0] == 1 && sum[1] == 2);
    ritz_mesh_destroy(&mesh);
    expect_refusal(square_with_group("far", 1, "         7        99         0         0\n"), RITZ_ERROR_INPUT,
                   "nodes.unv:19: the group 'far' holds node 99");
    mesh = read_mesh(square_with_group(
        "both", 2, "         7        11         0         0         8         7         0         0\n"));
    assert_int_equal(cells_in(mesh, "both"), 1);
    assert_int_equal(entities_in(mesh, "both"), 1);
    ritz_mesh_destroy(&mesh);
    /* Without members, before another one; and cut after the last member. */
    const char *two = "         1         0         0         0         0         0         0         1\nlast\n"
                      "         8         7         0         0\n";
    mesh = read_mesh(square_with_group("none", 0, two));
    assert_int_equal(cells_in(mesh, "last"), 1);
    ritz_mesh_destroy(&mesh);
    const char *cut = square_with_group("last", 1, "         8         7         0         0\n");
    struct stat info;
    assert_int_equal(stat(cut, &info), 0);
    assert_int_equal(truncate(cut, info.st_size - 7), 0);
    expect_refusal(cut, RITZ_ERROR_INPUT, "ends");
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"101 115 1 7 7 8\r\n1 2", "101 115 1 7 7 8\r\n1 99", "element 101 (8-node hex) refers to node 99, which"},
        {"101 115 1 7 7 8\r\n", "101 117 1 7 7 8\r\n", "bad.unv:37: element 101 is of I-DEAS' kind 117 with 8 nodes"},
        {"101 115 1 7 7 8\r\n", "102 115 1 7 7 8\r\n", "element 102 appears twice in the file"},
        {"8 11 0 0\r\n9", "8 13 0 0\r\n9", "bad.unv:51: group 'clamped face' holds element 13, which"},
        {"9 0 0 0 0 0 0 1", "9 0 0 0 0 0 0 2", "'end faces' appears where the numbers of a group should be"},
        {"8 11 0 0\r\n9", "8 11 0 0\r\nsteel\r\n9", "'steel' appears where the numbers of a group should be"},
        {"12 1 1 11", "11 1 1 11", "node 11 appears twice in the file"},
        {"2411", "2410", "the file has no nodes (dataset 2411)"},
        {"2412", "2413", "the file has no elements (dataset 2412)"},
        {"2411", "nodes", "bad.unv:2: the number of a dataset should follow -1"},
        {"2 0.0 0e0", "2 0.0 0e", "a coordinate of node 3 is '0e', which is not a finite number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[sizeof loose + 64];
        const char *at = strstr(loose, cases[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - loose), loose, cases[i].to, at + strlen(cases[i].from));
        expect_refusal(write_text("bad.unv", text), RITZ_ERROR_INPUT, cases[i].words);
    }
}

/* SALOME's file in millimetres, and with a system of coordinates that stands elsewhere. */
static void units_and_systems_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } changes[] = {{"SI: Meter (newton)         2\n    1.0000000000000000E+0",
                    "mm (milli-newton)      2\n    1.0000000000000000E+3"},
                   {"    0.0000000000000000E+0    0.0000000000000000E+0    0.0000000000000000E+0\n    -1",
                    "    0.0000000000000000E+0    5.0000000000000000D+0    0.0000000000000000E+0\n    -1"},
                   {"         1         0         0\nGlobal", "         1         1         0\nRound"}};
    char text[3][sizeof salome + 64], late[sizeof salome + 64];
    for (int i = 0; i < 3; i++) {
        const char *at = strstr(salome, changes[i].from);
        assert_non_null(at);
        snprintf(text[i], sizeof text[i], "%.*s%s%s", (int)(at - salome), salome, changes[i].to,
                 at + strlen(changes[i].from));
    }
    ritz_mesh *mesh = read_mesh(write_text("metres.unv", salome));
    assert_null(mesh->warning);
    ritz_mesh_destroy(&mesh);
    mesh = read_mesh(write_text("millimetres.unv", text[0]));
    assert_non_null(mesh->warning);
    assert_non_null(strstr(mesh->warning, "a metre / 1000 (dataset 164: mm (milli-newton)"));
    ritz_mesh_destroy(&mesh);
    expect_refusal(write_text("turned.unv", text[1]), RITZ_ERROR_INPUT,
                   "turned.unv:20: node 1 stands in the coordinate system 1 (dataset 2420)");
    expect_refusal(write_text("round.unv", text[2]), RITZ_ERROR_INPUT,
                   "round.unv:20: node 1 stands in the coordinate system 1 (dataset 2420)");
    const char *systems = strstr(text[1], "    -1\n  2420"), *nodes = strstr(text[1], "    -1\n  2411");
    snprintf(late, sizeof late, "%s%.*s", nodes, (int)(nodes - systems), systems);
    expect_refusal(write_text("late.unv", late), RITZ_ERROR_INPUT,
                   "late.unv:3: node 1 stands in the coordinate system 1 (dataset 2420)");
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    survives_failing_allocations(write_text("cubes.unv", ideas));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_all_writers_are_those_of_the_msh),
        cmocka_unit_test(their_solutions_are_those_of_the_msh),
        cmocka_unit_test(groups_of_nodes_in_unv_files),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(units_and_systems_are_told),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    if (!mkdtemp(folder))
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
