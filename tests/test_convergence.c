/* Manufactured solutions: on each cell, at orders 1 to 4, the error falls with the size of the cells by order p + 1
   in L2 and p in the H1 seminorm. Run as: test_convergence CELL */
#include "problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static ritz_cell cell;

/* -div grad u = source */
static const char *const poisson_2d =
    "physics: poisson\nsource: 5*sin(2*x + y)\nexact: sin(2*x + y)\n"
    "boundary: [{groups: [x0, x1, y0], value: sin(2*x + y)}, {group: y1, flux: cos(2*x + y)}]\n";
static const char *const poisson_3d =
    "physics: poisson\nsource: 6*sin(2*x + y - z)\nexact: sin(2*x + y - z)\n"
    "boundary: [{groups: [x0, x1, y0, z0, z1], value: sin(2*x + y - z)}, {group: y1, flux: cos(2*x + y - z)}]\n";
/* lambda = mu = 0.4: force = -0.8 grad div u - 0.4 laplacian u, worked out by hand */
static const char *const elastic_2d =
    "physics: plane-strain\n"
    "materials: {young: 1, poisson: 0.25, force: [1.6*cos(x + y), 0.8*cos(x + y) + 0.4*sin(x)]}\n"
    "exact: [cos(x + y), sin(x)]\n"
    "boundary: [{groups: [x0, x1, y0, y1], displacement: [cos(x + y), sin(x)]}]\n";
static const char *const elastic_3d =
    "physics: elasticity\n"
    "materials: {young: 1, poisson: 0.25, force: [2*cos(x+y+z) + 0.8*sin(x+y), 0.8*cos(x+y+z) + 1.6*sin(x+y), "
    "0.8*cos(x+y+z)]}\n"
    "exact: [cos(x+y+z), sin(x+y), 0]\n"
    "boundary: [{groups: [x0, x1, y0, y1, z0, z1], displacement: [cos(x+y+z), sin(x+y), 0]}]\n";

static void solve_problem(const char *text, int order, int divisions, double *l2, double *h1)
{
    char whole[2048];
    const int dim = ritz_cell_dim(cell);
    snprintf(whole, sizeof whole,
             "%sorder: %d\nmesh: {box: {cells: [%d, %d%s%.0d], cell: %s, distort: 0.1}}\nsolver: {tolerance: 1e-13}\n",
             text, order, divisions, divisions, dim == 3 ? ", " : "", dim == 3 ? divisions : 0, ritz_cell_name(cell));
    ritz_problem *problem = NULL;
    ritz_result result = {.size = sizeof result};
    if (parse_problem(whole, "", NULL, &problem) != RITZ_OK || ritz_problem_solve(problem, &result) != RITZ_OK)
        fail_msg("%s\nfor\n%s", ritz_message(), whole);
    *l2 = result.error_l2;
    *h1 = result.error_h1;
    ritz_problem_destroy(&problem);
}

static void check_orders(const char *text)
{
    for (int p = 1; p <= 4; p++) {
        const int coarse = ritz_cell_dim(cell) == 2 ? 4 : p <= 2 ? 3 : 2;
        double l2[2], h1[2];
        for (int i = 0; i < 2; i++)
            solve_problem(text, p, coarse << i, &l2[i], &h1[i]);
        const double l2_order = log2(l2[0] / l2[1]), h1_order = log2(h1[0] / h1[1]);
        print_message("%s, order %d: L2 %.2e -> %.2e (%.2f), H1 %.2e -> %.2e (%.2f)\n", ritz_cell_name(cell), p, l2[0],
                      l2[1], l2_order, h1[0], h1[1], h1_order);
        assert_true(l2_order > p + 0.7 && l2_order < p + 2);
        assert_true(h1_order > p - 0.3 && h1_order < p + 1);
    }
}

static void test_poisson(void **state)
{
    (void)state;
    check_orders(ritz_cell_dim(cell) == 2 ? poisson_2d : poisson_3d);
}

static void test_elasticity(void **state)
{
    (void)state;
    check_orders(ritz_cell_dim(cell) == 2 ? elastic_2d : elastic_3d);
}

int main(int argc, char **argv)
{
    if (argc != 2 || ritz_cell_from_name(argv[1], &cell) != RITZ_OK) {
        print_error("usage: test_convergence tri|quad|tet|prism|hex\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poisson), cmocka_unit_test(test_elasticity)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
