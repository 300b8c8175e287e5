/* Equations between unknowns: what they are resolved to, that every failing allocation on the way from a problem file to
   its solution is told, and that two runs give the same bits. The Python tests hold the matrices against SciPy. */
#include "problem/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), RITZ_OK)

/* A line of two quads: 6 nodes, 12 unknowns. */
static ritz_mesh *mesh;
static ritz_space *space;

static int make_space(void **state)
{
    (void)state;
    OK(ritz_mesh_box(&(ritz_box){.cell = RITZ_QUAD, .cells = {2, 1}}, &mesh));
    OK(ritz_space_create(mesh, 1, 2, &space));
    return 0;
}

static int free_space(void **state)
{
    (void)state;
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
    return 0;
}

static void add_equation(ritz_constraints *c, double value, int n, const int64_t *dofs, const double *weights)
{
    const int64_t starts[2] = {0, n};
    OK(ritz_constraints_add_equations(c, 1, starts, dofs, weights, &value));
}
#define ADD(c, value, n, ...) add_equation(c, value, n, (const int64_t[]){__VA_ARGS__},
#define TERMS(...) (const double[]){__VA_ARGS__})

/* A chain, in either order: u0 = 2 u1 + 1, u1 = 3 u2 - u3, with u3 = 0.5 prescribed. */
static void chains_end_at_free_unknowns(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        ritz_constraints *c = NULL;
        ritz_dependence *d = NULL;
        OK(ritz_constraints_create(space, &c));
        OK(ritz_constraints_set_dofs(c, 1, (const int64_t[]){3}, (const double[]){0.5}));
        if (order == 0)
            ADD(c, 1, 2, 0, 1) TERMS(1, -2);
        ADD(c, 0, 3, 1, 2, 3) TERMS(1, -3, 1);
        if (order == 1)
            ADD(c, 1, 2, 0, 1) TERMS(1, -2);
        OK(ritz_constraints_resolve(c, &d));
        assert_int_equal(d->n, 2);
        assert_int_equal(d->start[2], 2);
        assert_true(d->row[0] == 0 && d->row[1] == 1 && d->master[0] == 2 && d->master[1] == 2);
        assert_true(d->weight[0] == 6 && d->weight[1] == 3);
        assert_true(fabs(d->constant[0] - 0) < 1e-15 && d->constant[1] == -0.5); /* 2 (3 u2 - 0.5) + 1 */
        assert_int_equal(d->gone[0], 3);
        assert_int_equal(d->gone[1], 2);
        ritz_dependence_destroy(&d);
        ritz_constraints_destroy(&c);
    }
}

/* u0 = 2 u1 and u1 = u0 leave zero; u4 + u5 = 1 and u4 - u5 = 0 leave one half each; a repeated one nothing. */
static void circles_are_solved(void **state)
{
    (void)state;
    ritz_constraints *c = NULL;
    ritz_dependence *d = NULL;
    OK(ritz_constraints_create(space, &c));
    ADD(c, 0, 2, 0, 1) TERMS(1, -2);
    ADD(c, 0, 2, 1, 0) TERMS(1, -1);
    ADD(c, 1, 2, 4, 5) TERMS(1, 1);
    ADD(c, 0, 2, 4, 5) TERMS(1, -1);
    ADD(c, 2, 2, 5, 4) TERMS(2, 2);
    OK(ritz_constraints_resolve(c, &d));
    assert_int_equal(d->n, 4);
    assert_int_equal(d->start[4], 0);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(d->constant[i] - (i < 2 ? 0 : 0.5)) < 1e-15);
    ritz_dependence_destroy(&d);
    ADD(c, 2.1, 2, 5, 4) TERMS(2, 2);
    assert_int_equal(ritz_constraints_resolve(c, &d), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "equation 6 (of 6, its first degree of freedom is 5, y at ("));
    assert_null(d);
    ritz_constraints_destroy(&c);
}

/* An unknown beside the space takes itself out: u0 = q, u2 = q, u4 = q join three unknowns. */
static void unknowns_beside_the_space_go_first(void **state)
{
    (void)state;
    ritz_constraints *c = NULL;
    ritz_dependence *d = NULL;
    OK(ritz_constraints_create(space, &c));
    c->equations.n_extra = 1;
    for (int64_t k = 0; k < 3; k++)
        OK(ritz_constraints_add_equation(c, 2, (const int64_t[]){2 * k, 12}, (const double[]){1, -1}, 0));
    OK(ritz_constraints_resolve(c, &d));
    assert_int_equal(d->n, 3);
    assert_int_equal(d->n_own, 2);
    assert_true(d->row[2] == 12 && d->master[0] == d->master[1] && d->master[1] == d->master[2]);
    ritz_dependence_destroy(&d);
    ritz_constraints_destroy(&c);
}

/* ---- From a problem to its solution ---- */

static const char everything[] =
    "mesh: {box: {cells: [3, 2], size: [3, 1]}}\n"
    "physics: plane-strain\n"
    "order: 1\n"
    "materials: {young: 1000, poisson: 0.3}\n"
    "systems: {s: {rotate: [0, 0, 20]}, c: {axis: [0, 0, 1], origin: [-5, 0]}}\n"
    "boundary:\n"
    "- {group: x0, system: s, displacement: [0, 0]}\n"
    "- {group: y0, normal: 0, bedding: [5, 0]}\n"
    "- {group: x1, system: c, traction: [1, \"x\"]}\n"
    "- {group: x1, spring: 3}\n"
    "rigid: {group: x1, at: [3, 2]}\n"
    "ties: {from: y1, to: y0, tolerance: 1.5}\n"
    "equations: {terms: [{at: [1, 0.5], component: x}, {group: x1, component: y, weight: -2}], value: 0.01}\n"
    "cases: [{name: a, boundary: {group: y0, normal: \"0.01*x\"}}, {name: b, boundary: {group: y0, traction: [1, "
    "0]}}]\n"
    "solver: {tolerance: 1e-12}\n"
    "output: none\n";

static ritz_status solve_problem(ritz_device *device, ritz_result *r, double *values)
{
    ritz_problem *problem = NULL;
    ritz_status status = ritz_problem_parse(everything, "", NULL, 0, &problem);
    if (status == RITZ_OK) {
        ritz_problem_use_device(problem, device);
        status = ritz_problem_solve(problem, r);
        for (int k = 0; k < 2 && status == RITZ_OK; k++) {
            values[k] = r->cases[k].largest[0].value;
            values[2 + k] = r->cases[k].balance.imbalance;
        }
    }
    ritz_problem_destroy(&problem);
    return status;
}

/* One in 25 of them, from another first one in each part. */
static void failing_allocations_are_told(void **state)
{
    (void)state;
    ritz_device *device = NULL;
    ritz_result r = {.size = sizeof r};
    double first[4], values[4];
    int failures = 0;
    OK(ritz_device_open("auto", &device));
    OK(solve_problem(device, &r, first));
    OK(solve_problem(device, &r, values));
    assert_memory_equal(first, values, sizeof first);
    assert_true(values[0] > 0 && values[1] > 0 && values[2] < 1e-9 && values[3] < 1e-9);
    for (int64_t n = 1;; n += 25 + n % 3) {
        ritz_fail_allocation(n);
        const ritz_status status = solve_problem(device, &r, values);
        ritz_fail_allocation(0);
        if (status == RITZ_OK)
            break;
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        failures++;
    }
    assert_true(failures > 20);
    ritz_device_close(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_end_at_free_unknowns),
        cmocka_unit_test(circles_are_solved),
        cmocka_unit_test(unknowns_beside_the_space_go_first),
        cmocka_unit_test(failing_allocations_are_told),
    };
    return cmocka_run_group_tests(tests, make_space, free_space);
}
