/* Bodies that touch without sharing nodes are reported, glued where the problem says so, and left alone where it says that.
   Truth: heat that flows through two walls, a bar under tension. */
#define _DEFAULT_SOURCE /* mkstemps */

#include "problem/problem.h"
#include "problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SUCCEEDS(call)                                                                                                 \
    do {                                                                                                               \
        if ((call) != RITZ_OK)                                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)

/* ---- Joints ---- */

static char said[8192];

static void keep_line(const char *line, void *context)
{
    (void)context;
    const size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%s\n", line);
}

/* Solves `problem` on the mesh of a text; what it says is in `said`. */
static ritz_status solve_problem(const char *mesh, const char *problem, ritz_result *result)
{
    char text[2048], path[] = "/tmp/ritz-test-XXXXXX.msh";
    const int file = mkstemps(path, 4);
    const ssize_t n = (ssize_t)strlen(mesh);
    ritz_problem *p = NULL;
    assert_true(file >= 0 && write(file, mesh, (size_t)n) == n && close(file) == 0);
    snprintf(text, sizeof text, "mesh: %s\nsolver: {tolerance: 1e-13}\noutput: none\n%s", path, problem);
    if (parse_problem(text, "", NULL, &p))
        fail_msg("%s", ritz_message());
    said[0] = 0;
    ritz_problem_set_stage(p, keep_line, NULL);
    const ritz_status status = ritz_problem_solve(p, result);
    ritz_problem_destroy(&p);
    unlink(path);
    return status;
}

static void expect_words(const char *words, bool wanted)
{
    if (!strstr(said, words) == wanted)
        fail_msg("'%s' is %sin\n%s", words, wanted ? "not " : "", said);
}

#define GROUPS                                                                                                         \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n1 1 \"left\"\n1 2 \"right\"\n1 5 \"joint\"\n2 3 \"a\"\n" \
    "2 4 \"b\"\n$EndPhysicalNames\n"

/* Two squares of eight-node quads side by side, each with nodes of its own; the edge "joint" is the first one's. */
static const char two_plates[] =
    GROUPS "$Nodes\n16\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 0 0\n6 1 .5 0\n7 .5 1 0\n8 0 .5 0\n"
           "11 1 0 0\n12 2 0 0\n13 2 1 0\n14 1 1 0\n15 1.5 0 0\n16 2 .5 0\n17 1.5 1 0\n18 1 .5 0\n$EndNodes\n"
           "$Elements\n5\n1 8 2 1 1 4 1 8\n2 8 2 2 2 12 13 16\n3 8 2 5 5 2 3 6\n4 16 2 3 3 1 2 3 4 5 6 7 8\n"
           "5 16 2 4 4 11 12 13 14 15 16 17 18\n$EndElements\n";

#define WALLS                                                                                                          \
    "physics: poisson\nmaterials: [{group: a, conductivity: 1}, {group: b, conductivity: 4}]\n"                        \
    "boundary: [{group: left, value: 0}, {group: right, value: 5}]\n"

static void plates_that_touch(void **state)
{
    (void)state;
    static const char warning[] = "warning    3 nodes stand at the same place as another one, one at (1, ";
    ritz_result r = {.size = sizeof r};
    SUCCEEDS(solve_problem(two_plates, WALLS, &r)); /* each wall has the temperature of its end */
    expect_words(warning, true);
    expect_words("between the groups 'a' and 'b': the cells are not joined there", true);
    expect_words("glue: true", true);
    SUCCEEDS(solve_problem(two_plates, WALLS "contact: none\n", &r));
    expect_words("warning", false);
    SUCCEEDS(solve_problem(two_plates, WALLS "glue: true\nexact: \"x < 1 ? 4*x : 3 + x\"\n", &r));
    expect_words("glue       3 coincident nodes joined", true);
    expect_words("warning", false);
    assert_true(r.error_l2 < 1e-11 && r.error_h1 < 1e-10);
    assert_int_equal(r.unknowns, 5 * 3);
}

#define SOLIDS "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"left\"\n3 2 \"a\"\n$EndPhysicalNames\n"

/* A tet and a prism on the face x = 1 of a cube: the tet has half of the face, the prism all of it. */
static void faces_of_two_kinds(void **state)
{
    (void)state;
    static const char nodes[] =
        "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 2 0 .5\n10 2 1 .5\n";
    static const char *const beside[] = {"3 4 2 2 2 2 3 7 10", "3 6 2 2 2 2 6 9 3 7 10"};
    char text[1024];
    for (int i = 0; i < 2; i++) {
        ritz_result r = {.size = sizeof r};
        snprintf(
            text, sizeof text,
            SOLIDS
            "$Nodes\n10\n%s$EndNodes\n$Elements\n3\n1 3 2 1 1 1 4 8 5\n2 5 2 2 2 1 2 3 4 5 6 7 8\n%s\n$EndElements\n",
            nodes, beside[i]);
        SUCCEEDS(solve_problem(
            text, "physics: poisson\nmaterials: {conductivity: 1}\nboundary: {group: left, value: 1}\n", &r));
        expect_words("warning    1 triangle is half of a quadrilateral of another cell, one at (1, ", i == 0);
    }
}

/* What is no mistake, but cannot be right: curved elements of order 1 turn under stress, flat ones have no volume. */
static void poor_elements(void **state)
{
    (void)state;
    static const struct {
        double height, bulge; /* of the triangle, of the middle of an edge */
        int order;
        bool curved, flat;
    } cases[] = {{1, 0.1, 1, true, false},
                 {1, 0.1, 2, false, false},
                 {1, 0, 1, false, false},
                 {1e-9, 0, 2, false, true},
                 {1e-7, 0, 2, false, false}};
    char text[1024], problem[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double y = cases[i].height;
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 GROUPS
                 "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 .5 %.17g 0\n4 .5 0 0\n5 %.17g %.17g 0\n6 .25 %.17g 0\n$EndNodes\n"
                 "$Elements\n2\n1 8 2 1 1 1 2 4\n2 9 2 3 3 1 2 3 4 5 6\n$EndElements\n",
                 y, 0.75 + cases[i].bulge, y / 2, y / 2);
        snprintf(problem, sizeof problem,
                 "physics: plane-strain\norder: %d\nmaterials: {young: 1, poisson: 0}\nboundary: {group: left, "
                 "displacement: fixed}\n",
                 cases[i].order);
        SUCCEEDS(solve_problem(text, problem, &r));
        expect_words("warning    1 element is curved", cases[i].curved);
        expect_words("is flat: its quality is ", cases[i].flat);
    }
}

#define HINGED                                                                                                         \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 4 \"tip\"\n%d 1 \"left\"\n%d 3 "                       \
    "\"a\"\n$EndPhysicalNames\n"

/* Two cubes that share an edge, two squares that share a vertex: the second turns, but for what else holds it. */
static void pieces_on_a_hinge(void **state)
{
    (void)state;
    static const char cubes[] =
        "$Nodes\n14\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 2 0 1\n10 2 1 1\n"
        "11 1 0 2\n12 2 0 2\n13 2 1 2\n14 1 1 2\n$EndNodes\n$Elements\n4\n4 15 2 4 4 12\n1 3 2 1 1 1 4 8 5\n"
        "2 5 2 3 3 1 2 3 4 5 6 7 8\n3 5 2 3 3 6 9 10 7 11 12 13 14\n$EndElements\n";
    static const char squares[] =
        "$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 1 0\n6 2 2 0\n7 1 2 0\n$EndNodes\n$Elements\n4\n"
        "4 15 2 4 4 6\n1 1 2 1 1 4 1\n2 3 2 3 3 1 2 3 4\n3 3 2 3 3 3 5 6 7\n$EndElements\n";
    static const struct {
        const char *mesh, *physics, *also, *words; /* also: another support; words: NULL, no warning */
    } cases[] = {{cubes, "elasticity", "",
                  "(1 cell of group 'a', with a node at (1, 0, 1)) turns on the others as on a "
                  "hinge: free is rotation about the axis along y through (1, 0.5, 1)"},
                 {cubes, "elasticity", ", {group: tip, spring: {z: 1}}", NULL},
                 {squares, "plane-stress", "",
                  "hinge: free is rotation in the plane about (1, 1): prescribe displacements "
                  "that stop this, or join the pieces by faces"},
                 {squares, "plane-stress", ", {group: tip, displacement: {x: 0}}", NULL}};
    char mesh[2048], problem[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int dim = cases[i].mesh == cubes ? 3 : 2;
        ritz_result r = {.size = sizeof r};
        const int head = snprintf(mesh, sizeof mesh, HINGED, dim - 1, dim);
        snprintf(mesh + head, sizeof mesh - (size_t)head, "%s", cases[i].mesh);
        snprintf(problem, sizeof problem,
                 "physics: %s\norder: 1\nmaterials: {young: 1, poisson: 0.25}\n"
                 "boundary: [{group: left, displacement: fixed}%s]\n",
                 cases[i].physics, cases[i].also);
        if (solve_problem(mesh, problem, &r) != RITZ_OK) /* without a load, and singular */
            print_message("%s\n", ritz_message());
        expect_words("turns on the others as on a hinge", cases[i].words != NULL);
        expect_words(cases[i].words ? cases[i].words : "space      order 1", true);
    }
}

/* A ring of cells of uneven lengths from radius 1 to 2, or a sector of it between two plane sides. */
static void write_ring(int n, double angle, bool whole, char *mesh, size_t size)
{
    const int n_rays = whole ? n : n + 1;
    int at =
        snprintf(mesh, size,
                 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n0 4 \"tip\"\n1 1 \"bore\"\n1 2 \"sides\"\n"
                 "2 3 \"a\"\n$EndPhysicalNames\n$Nodes\n%d\n",
                 2 * n_rays);
    for (int i = 0; i < n_rays; i++) {
        const double turn = angle * (i + 0.2 * sin(i)) / n;
        at += snprintf(mesh + at, size - (size_t)at, "%d %.17g %.17g 0\n%d %.17g %.17g 0\n", 2 * i + 1, cos(turn),
                       sin(turn), 2 * i + 2, 2 * cos(turn), 2 * sin(turn));
    }
    at += snprintf(mesh + at, size - (size_t)at,
                   "$EndNodes\n$Elements\n%d\n1 15 2 4 4 2\n2 1 2 2 2 1 2\n3 1 2 2 2 %d %d\n", 2 * n + 3,
                   2 * n_rays - 1, 2 * n_rays);
    for (int i = 0; i < n; i++) {
        const int next = (i + 1) % n_rays;
        at += snprintf(mesh + at, size - (size_t)at, "%d 1 2 1 1 %d %d\n%d 3 2 3 3 %d %d %d %d\n", 2 * i + 4, 2 * i + 1,
                       2 * next + 1, 2 * i + 5, 2 * i + 1, 2 * i + 2, 2 * next + 2, 2 * next + 1);
    }
    snprintf(mesh + at, size - (size_t)at, "$EndElements\n");
}

/* Facets stop a ring that turns on its bore, which the curve would not; plane sides of a narrow sector stop it truly. */
static void held_along_normals(void **state)
{
    (void)state;
    static const struct {
        int cells;
        double angle;
        bool whole;
        const char *boundary;
        int order;
        bool slides;
    } cases[] = {
        {16, 6.283185307179586, true, "{group: bore, normal: 0}", 1, true},
        {16, 6.283185307179586, true, "{group: bore, normal: 0}", 2, true},
        {16, 6.283185307179586, true, "{group: bore, normal: 0}, {group: tip, displacement: {y: 0}}", 1, false},
        {16, 6.283185307179586, true, "{group: bore, normal: 0}, {group: tip, spring: {y: 1}}", 1, false},
        {16, 6.283185307179586, true, "{group: bore, normal: 0}, {group: bore, spring: {x: 1}}", 1, false},
        {16, 6.283185307179586, true, "{group: bore, normal: 0}, {group: pin, spring: {x: 1}}", 1, true},
        {16, 6.283185307179586, true,
         "{group: bore, normal: 0}]\nequations: [{terms: [{at: [2, 0], component: y}], value: 0}", 1, false},
        {6, 2, false, "{group: bore, normal: 0}", 1, true},
        {6, 2, false, "{groups: [bore, sides], normal: 0}", 1, false},
        {2, 0.02, false, "{group: sides, normal: 0}", 1, false}};
    char mesh[8192], problem[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ritz_result r = {.size = sizeof r};
        write_ring(cases[i].cells, cases[i].angle, cases[i].whole, mesh, sizeof mesh);
        snprintf(problem, sizeof problem,
                 "physics: plane-strain\norder: %d\ngroups: [{name: pin, of: nodes, nearest: [2, 0]}]\n"
                 "materials: {young: 1, poisson: 0.25, density: 1}\ngravity: [1, 0]\n"
                 "boundary: [%s]\n",
                 cases[i].order, cases[i].boundary);
        if (solve_problem(mesh, problem, &r) != RITZ_OK)
            fail_msg("%d: %s", (int)i, ritz_message());
        expect_words("warning    the supports along normals of curved faces leave free rotation in the plane",
                     cases[i].slides);
    }
}

/* The stiffness of a ring stops it along its radius, and nothing along its axis. */
static void ring_without_support(void **state)
{
    (void)state;
    static const char ring[] =
        "physics: axisymmetric\nmaterials: {young: 1, poisson: 0.25}\nboundary: [{group: left, pressure: 1}%s]\n";
    char problem[256];
    ritz_result r = {.size = sizeof r};
    snprintf(problem, sizeof problem, ring, "");
    assert_int_equal(solve_problem(two_plates, problem, &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "the supports leave free translation along y"));
    snprintf(problem, sizeof problem, ring, ", {groups: [a, b], displacement: {y: 0}}");
    SUCCEEDS(solve_problem(two_plates, problem, &r));
}

/* A pressure on the face of one body, which glue puts between two cells. */
static void pressure_on_a_joint(void **state)
{
    (void)state;
    static const char plates[] = "physics: plane-strain\nmaterials: {young: 1, poisson: 0}\n"
                                 "boundary:\n- {groups: [left, right], displacement: fixed}\n- {group: joint, "
                                 "pressure: 2}\n";
    char glued[sizeof plates + 16];
    ritz_result r = {.size = sizeof r};
    SUCCEEDS(solve_problem(two_plates, plates, &r));
    assert_true(fabs(ritz_find_largest(r.largest, "displacement") - 2) <
                1e-9); /* the first plate alone is pressed: stress 2, length 1 */
    snprintf(glued, sizeof glued, "%sglue: true\n", plates);
    assert_int_equal(solve_problem(two_plates, glued, &r), RITZ_ERROR_INPUT);
    assert_non_null(
        strstr(ritz_message(), "the group 'joint' has edges between two cells, one of them at (1, 0.5, 0)"));
}

/* One square beside two halves: their corners coincide and are joined, and the vertex between them hangs as before. */
static const char plate_and_halves[] =
    GROUPS "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 1 0 0\n6 2 0 0\n7 1 .5 0\n8 2 .5 0\n9 1 1 0\n10 2 1 0\n"
           "$EndNodes\n$Elements\n6\n1 1 2 1 1 4 1\n2 1 2 2 2 6 8\n3 1 2 2 2 8 10\n4 3 2 3 3 1 2 3 4\n"
           "5 3 2 4 4 5 6 8 7\n6 3 2 4 4 7 8 10 9\n$EndElements\n";

static void meshes_that_do_not_match(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    SUCCEEDS(solve_problem(plate_and_halves, WALLS "glue: true\n", &r));
    expect_words("glue       2 coincident nodes joined", true);
    expect_words("warning    1 vertex lies inside faces or edges of other cells, one at (1, 0.5, 0)", true);
    SUCCEEDS(solve_problem(plate_and_halves, WALLS, &r));
    expect_words("2 nodes stand at the same place", true);
    expect_words("1 vertex lies inside", true);
    SUCCEEDS(solve_problem(plate_and_halves, WALLS "contact: none\n", &r));
    expect_words("warning", false);
}

/* ---- Groups of points ---- */

/* An eight-node plate that is pulled at "right"; "left" has both corners and the node between them, "corners" two. */
static const char plate[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n0 1 \"left\"\n0 2 \"corners\"\n0 3 \"between\"\n"
    "1 4 \"right\"\n2 5 \"a\"\n$EndPhysicalNames\n"
    "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 0 0\n6 1 .5 0\n7 .5 1 0\n8 0 .5 0\n$EndNodes\n"
    "$Elements\n8\n1 15 2 1 1 1\n2 15 2 1 1 4\n3 15 2 1 1 8\n4 15 2 2 2 1\n5 15 2 2 2 4\n6 15 2 3 3 8\n7 8 2 4 4 2 3 "
    "6\n"
    "8 16 2 5 5 1 2 3 4 5 6 7 8\n$EndElements\n";

static void plates_held_at_points(void **state)
{
    (void)state;
    char text[512];
    ritz_result r = {.size = sizeof r};
    static const struct {
        const char *entry, *prescribed;
        int order;
        bool warned;
    } holds[] = {{"{group: left, displacement: fixed}", " 6 of them prescribed", 2, false},
                 {"{group: left, displacement: fixed}", " 8 of them prescribed", 3, false},
                 {"{group: corners, displacement: fixed}", " 4 of them prescribed", 2, true},
                 {"{group: corners, displacement: fixed}", " 4 of them prescribed", 1, false},
                 {"{groups: [corners, between], displacement: {x: 0}}, {group: corners, displacement: {y: 0}}",
                  " 5 of them prescribed", 2, true}};
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
        snprintf(text, sizeof text,
                 "physics: plane-stress\nmaterials: {young: 1, poisson: 0}\norder: %d\nboundary: [%s, {group: right, "
                 "traction: [1, 0]}]\n",
                 holds[i].order, holds[i].entry);
        SUCCEEDS(solve_problem(plate, text, &r));
        expect_words(holds[i].prescribed, true);
        expect_words("warning    the group 'corners' of points holds all corners of 1 of the outer edges",
                     holds[i].warned);
        if (i < 2) /* the whole side is held: a bar, u = x */
            assert_true(fabs(ritz_find_largest(r.largest, "displacement") - 1) < 1e-9);
    }
    assert_int_equal(solve_problem(plate,
                                   "physics: plane-stress\nmaterials: {young: 1, poisson: 0}\norder: 3\nboundary:\n"
                                   "- {group: corners, displacement: fixed}\n- {group: between, displacement: fixed}\n",
                                   &r),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "the group 'between' holds 1 node in the middle"));
    assert_non_null(strstr(ritz_message(), "problem:9:"));
}

/* Node 9, beside the plate, is of no cell: in the group "corners" it holds nothing, at an end of the edge "right" it
   carries nothing. */
static void nodes_of_no_cell(void **state)
{
    (void)state;
    static const char problem[] =
        "physics: plane-stress\nmaterials: {young: 1, poisson: 0}\norder: 1\nboundary: [{group: "
        "corners, displacement: fixed}, {group: right, traction: [1, 0]}]\n";
    char text[2048];
    ritz_result r = {.size = sizeof r};
    for (int stray = 0; stray < 2; stray++) {
        const char *elements = strstr(plate, "8 0 .5 0\n$EndNodes\n$Elements\n8\n");
        snprintf(text, sizeof text, "%.*s9 5 7 0\n8 0 .5 0\n$EndNodes\n$Elements\n9\n%s\n%s", (int)(elements - plate),
                 plate, stray ? "9 1 2 4 7 3 9" : "9 15 2 2 2 9",
                 elements + strlen("8 0 .5 0\n$EndNodes\n$Elements\n8\n"));
        strstr(text, "$Nodes\n8")[7] = '9';
        const ritz_status status = solve_problem(text, problem, &r);
        assert_int_equal(status, stray ? RITZ_ERROR_INPUT : RITZ_OK);
        if (stray)
            assert_non_null(strstr(ritz_message(),
                                   "1 of the 2 edges of the group 'right' belong to no cell, one of them "
                                   "at (5, 7, 0)"));
        else
            expect_words(
                "warning    1 of the 3 points of the group 'corners' belong to no cell, one of them at (5, 7, 0)",
                true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_that_touch),     cmocka_unit_test(faces_of_two_kinds),
        cmocka_unit_test(poor_elements),         cmocka_unit_test(ring_without_support),
        cmocka_unit_test(pieces_on_a_hinge),     cmocka_unit_test(held_along_normals),
        cmocka_unit_test(pressure_on_a_joint),   cmocka_unit_test(meshes_that_do_not_match),
        cmocka_unit_test(plates_held_at_points), cmocka_unit_test(nodes_of_no_cell),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
