/* Coefficients that vary in space: closed forms of bars, and manufactured solutions, whose error must fall by the full
   order. Every coefficient counts at the points where it is integrated, in cells, on surfaces and in the stress. */
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

static ritz_status try(const char *text, ritz_problem **problem, ritz_result *result)
{
    *problem = NULL;
    const ritz_status status = parse_problem(text, "", NULL, problem);
    return status == RITZ_OK ? ritz_problem_solve(*problem, result) : status;
}

static ritz_problem *solve_problem(const char *text, ritz_result *result)
{
    ritz_problem *problem = NULL;
    if (try(text, &problem, result) != RITZ_OK)
        fail_msg("%s\nfor\n%s", ritz_message(), text);
    return problem;
}

static void assert_near(const char *what, double value, double exact, double tolerance)
{
    if (!(fabs(value - exact) <= tolerance))
        fail_msg("%s is %.17g, not %.17g", what, value, exact);
}

/* A bar of thickness 1 + x, E 1, nu 0, pulled by the traction 1 at its end: the force is 2, u' = 2 / (1 + x). */
static void test_bar_of_varying_thickness(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve_problem("mesh: {box: {cells: [8, 2]}}\nphysics: plane-stress\norder: 3\n"
                      "materials: {young: 1, poisson: 0, thickness: 1 + x}\nsolver: {tolerance: 1e-12}\n"
                      "boundary: [{group: x0, displacement: {x: 0}}, {group: y0, displacement: {y: 0}}, {group: "
                      "x1, traction: [1, 0]}]\n",
                      &r);
    assert_near("the displacement", ritz_find_largest(r.largest, "displacement"), 2 * log(2), 1e-9);
    assert_near("the stress", ritz_find_largest(r.largest, "von_mises"), 2, 1e-3);
    ritz_problem_destroy(&p);
}

/* Bars whose stretch is linear, so that order 2 has the solution: thickness or E 1 / (1 + x) under a traction and under
   a pressure. The stress is 0.5 (1 + x) where the thickness varies, 1 where E does. */
static const struct {
    const char *text;
    double u, stress; /* the largest */
} bars[] = {
    {"mesh: {box: {cells: [3, 2]}}\nphysics: plane-stress\nmaterials: {young: 1, poisson: 0, thickness: 1/(1+x)}\n"
     "boundary: {group: x0, displacement: fixed}\n",
     0.75, 1},
    {"mesh: {box: {cells: [3, 2], cell: tri}}\nphysics: plane-strain\nmaterials: {young: 1/(1+x), poisson: 0}\n"
     "boundary: {group: x0, displacement: fixed}\n",
     1.5, 1},
    {"mesh: {box: {cells: [2, 2, 2], cell: hex}}\nphysics: elasticity\nmaterials: {young: 1/(1+x), poisson: 0}\n"
     "boundary: {group: x0, displacement: fixed}\n",
     1.5, 1},
};

static void test_bars_that_order_2_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        char text[1024];
        const bool solid = strstr(bars[i].text, "elasticity"), thick = strstr(bars[i].text, "thickness");
        snprintf(text, sizeof text,
                 "%ssolver: {tolerance: 1e-13}\ncases:\n"
                 "- {name: pull, boundary: {group: x1, traction: [1, 0%s]}, exact: [%g*(x + x*x/2), 0%s]}\n"
                 "- {name: press, boundary: {group: x1, pressure: 1}, exact: [%g*(x + x*x/2), 0%s]}\n",
                 bars[i].text, solid ? ", 0" : "", thick ? 0.5 : 1, solid ? ", 0" : "", thick ? -0.5 : -1,
                 solid ? ", 0" : "");
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve_problem(text, &r);
        for (int c = 0; c < r.n_cases; c++) {
            assert_near("the error", r.cases[c].error_l2, 0, 1e-10);
            assert_near("the displacement", ritz_find_largest(r.cases[c].largest, "displacement"), bars[i].u, 1e-10);
            assert_near("the stress", ritz_find_largest(r.cases[c].largest, "von_mises"), bars[i].stress, 1e-9);
        }
        ritz_problem_destroy(&p);
    }
}

/* Two squares side by side, a and b, each with a material of its own; edges "left" and "right". */
static const char *const two_squares =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n4\n1 1 \"left\"\n1 2 \"right\"\n2 3 \"a\"\n2 4 \"b\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n"
    "$Elements\n4\n1 1 2 1 1 4 1\n2 1 2 2 2 3 6\n3 3 2 3 3 1 2 5 4\n4 3 2 4 4 2 3 6 5\n$EndElements\n";

/* The material behind a loaded edge gives its thickness there: 1 + x = 3 at x = 2, or none, which is 1. */
static void test_thickness_of_the_material_behind(void **state)
{
    (void)state;
    char text[1024], path[] = "/tmp/ritz-test-XXXXXX.msh";
    static const struct {
        const char *a, *b;
        double force;
    } thicknesses[] = {
        {"", ", thickness: 1 + x", 3}, {", thickness: 1 + x", "", 1}, {", thickness: 4", ", thickness: 2", 2}};
    const int file = mkstemps(path, 4);
    const ssize_t n = (ssize_t)strlen(two_squares);
    assert_true(file >= 0 && write(file, two_squares, (size_t)n) == n && close(file) == 0);
    for (size_t i = 0; i < sizeof thicknesses / sizeof *thicknesses; i++) {
        /* the elongation of the square a, of thickness t: the force times the integral of 1 / t */
        const double a = i == 0 ? 1 : i == 1 ? log(2) : 0.25, b = i == 0 ? log(1.5) : i == 1 ? 1 : 0.5;
        snprintf(
            text, sizeof text,
            "mesh: %s\nphysics: plane-stress\norder: 7\nmaterials: [{group: a, young: 1, poisson: 0%s}, {group: b, "
            "young: 1, poisson: 0%s}]\nboundary: [{group: left, displacement: fixed}, {group: right, traction: "
            "[1, 0]}]\nsolver: {tolerance: 1e-13}\n",
            path, thicknesses[i].a, thicknesses[i].b);
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve_problem(text, &r);
        assert_near("the displacement", ritz_find_largest(r.largest, "displacement"), thicknesses[i].force * (a + b),
                    1e-8);
        ritz_problem_destroy(&p);
    }
    unlink(path);
}

/* Sound at all points inside cells, but not on the edge. */
static void test_thickness_is_checked_on_surfaces(void **state)
{
    (void)state;
    static const char *const loads[] = {"traction: [1, 0]", "pressure: 1"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [2, 2]}}\nphysics: plane-stress\norder: 1\n"
                 "materials:\n- {young: 1, poisson: 0, thickness: 0.95 - x}\n"
                 "boundary: [{group: x0, displacement: fixed}, {group: x1, %s}]\n",
                 loads[i]);
        ritz_problem *p = NULL;
        ritz_result r = {.size = sizeof r};
        assert_int_equal(try(text, &p, &r), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), "problem:5:") || !strstr(ritz_message(), "'thickness' must be greater than 0") ||
            !strstr(ritz_message(), "is -0.05 at (1, ") || !strstr(ritz_message(), "'x1'"))
            fail_msg("%s", ritz_message());
        ritz_problem_destroy(&p);
    }
}

/* ---- Orders of convergence ---- */

/* lambda = x / (2 - x), mu = 1: E = 2 + x / 2, nu = x / 4. u = (cos(x + y), sin(x)) has div u = -sin(x + y), the force
   (lambda' sin(x + y) + (lambda + 3) cos(x + y), (lambda + 1) cos(x + y) + sin(x)) with lambda' = 2 / (2 - x)^2, and
   the traction (cos(x) - sin(x + y), -lambda sin(x + y)) on y1. In space the same, and nothing along z. */
static const char *const elastic =
    "physics: %s\nmaterials: {young: 2 + x/2, poisson: x/4, force: [2/((2 - x)*(2 - x))*sin(x + y) + (x/(2 - x) + "
    "3)*cos(x + y), (x/(2 - x) + 1)*cos(x + y) + sin(x)%s]}\nexact: [cos(x + y), sin(x)%s]\n"
    "boundary: [{groups: [x0, x1, y0%s], displacement: [cos(x + y), sin(x)%s]}, {group: y1, traction: [cos(x) - sin(x "
    "+ "
    "y), -x/(2 - x)*sin(x + y)%s]}]\n";

/* k = 1 + x y: -div(k grad u) = k (-laplacian u) - grad k . grad u */
static const char *const conduction =
    "physics: poisson\nmaterials: {conductivity: 1 + x*y, source: 5*(1 + x*y)*sin(2*x + y) - (2*y + x)*cos(2*x + y)}\n"
    "exact: sin(2*x + y)\nboundary: [{groups: [x0, x1, y0], value: sin(2*x + y)}, {group: y1, flux: (1 + x)*cos(2*x + "
    "y)}]\n";

static void check_orders(ritz_cell cell, int order, int coarse, const char *text)
{
    double l2[2], h1[2];
    const int dim = ritz_cell_dim(cell);
    for (int i = 0; i < 2; i++) {
        char whole[2048];
        const int n = coarse << i;
        snprintf(whole, sizeof whole,
                 "%sorder: %d\nmesh: {box: {cells: [%d, %d%s%.0d], cell: %s, distort: 0.1}}\nsolver: {tolerance: "
                 "1e-13}\n",
                 text, order, n, n, dim == 3 ? ", " : "", dim == 3 ? n : 0, ritz_cell_name(cell));
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve_problem(whole, &r);
        l2[i] = r.error_l2;
        h1[i] = r.error_h1;
        ritz_problem_destroy(&p);
    }
    const double l2_order = log2(l2[0] / l2[1]), h1_order = log2(h1[0] / h1[1]);
    print_message("%s, order %d: L2 %.2e -> %.2e (%.2f), H1 %.2e -> %.2e (%.2f)\n", ritz_cell_name(cell), order, l2[0],
                  l2[1], l2_order, h1[0], h1[1], h1_order);
    assert_true(l2_order > order + 0.7 && h1_order > order - 0.3);
}

static void test_orders(void **state)
{
    (void)state;
    for (int c = 0; c < RITZ_N_CELLS; c++) {
        const ritz_cell cell = (ritz_cell)c;
        const bool solid = ritz_cell_dim(cell) == 3;
        const char *zero = solid ? ", 0" : "";
        char text[1536];
        snprintf(text, sizeof text, elastic, solid ? "elasticity" : "plane-strain", zero, zero, solid ? ", z0, z1" : "",
                 zero, zero);
        check_orders(cell, 2, solid ? 2 : 4, text);
    }
    check_orders(RITZ_TRI, 3, 4, conduction);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar_of_varying_thickness),
        cmocka_unit_test(test_bars_that_order_2_has),
        cmocka_unit_test(test_thickness_of_the_material_behind),
        cmocka_unit_test(test_thickness_is_checked_on_surfaces),
        cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
