/* Flow through soil against closed forms: layers in a row, directions, the ground under a dam. */
#include "probes.h"

static void near(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%s is %.12g, expected %.12g", what, value, expected);
}

/* The problem stays open: names of results are its own. A %s in it becomes the probe's file. */
static ritz_problem *solve_problem(const char *format, ritz_result *r)
{
    ritz_problem *p = NULL;
    char text[1200], path[64];
    snprintf(path, sizeof path, "%s/p.csv", folder);
    snprintf(text, sizeof text, format, path);
    if (parse_problem(text, "/tmp", NULL, &p) != RITZ_OK || ritz_problem_solve(p, r) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), text);
    return p;
}

/* Across two layers the velocity is the head that is lost over the resistances 1 / k1 + 1 / k2; along them, the mean. */
static void test_layers(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(
        "mesh: {box: {cells: [2, 2, 4], size: [1, 1, 2]}}\nphysics: seepage\noutput: none\nsolver: {tolerance: "
        "1e-12}\ngroups: [{name: low, of: cells, box: {from: [-1, -1, -1], to: [2, 2, 1]}}, {name: high, of: "
        "cells, not: low}]\nmaterials: [{group: low, permeability: 2e-5}, {group: high, permeability: [1, 1, "
        "8e-5]}]\nboundary: [{group: z0, head: 3}, {group: z1, head: 13}]\n",
        &r);
    near("the velocity across", 1e5 * ritz_find_largest(r.largest, "velocity"), 1e5 * 10 / (1 / 2e-5 + 1 / 8e-5), 1e-8);
    near("the gradient in the low layer", ritz_find_largest(r.largest, "gradient"), 8, 1e-8);
    assert_int_equal(r.balance.n_flows, 2);
    assert_string_equal(r.balance.flows[1].key, "head");
    near("what flows in at the top", 1e4 * r.balance.flows[1].value, 1e4 * 10 / (1 / 2e-5 + 1 / 8e-5), 1e-8);
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
}

/* -(4 h_xx + h_yy) = 8 for exp(x) cos(2 y) - x^2. */
static void test_directions(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(
        "mesh: {box: {cells: [4, 4], size: [1, 1]}}\nphysics: seepage\norder: 4\noutput: none\nsolver: {tolerance: "
        "1e-11}\nmaterials: {permeability: {x: 4, y: 1}, source: 8}\nexact: exp(x)*cos(2*y) - x*x\nboundary: {groups: "
        "[x0, x1, y0, y1], head: exp(x)*cos(2*y) - x*x}\n",
        &r);
    assert_true(r.error_l2 < 2e-6 && r.error_l2 > 0);
    ritz_problem_destroy(&p);
}

/* F(phi, m) = integral of (1 - m^2 sin^2 t)^(-1/2) from 0 to phi. */
static double elliptic(double phi, double m)
{
    enum { N = 20000 };
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double s = m * sin(phi * (i + 0.5) / N);
        sum += phi / N / sqrt(1 - s * s);
    }
    return sum;
}

/* A flat impervious base from -b to b on a layer of depth T (Harr 1962, section 5-2): with m = tanh(pi b / 2T) the head
   under it is 1/2 - F(asin(tanh(pi x / 2T) / m), m) / 2K(m) of that upstream. A permeability along x that is 4 times that
   along y makes all lengths along x twice as long. */
static void test_dam(void **state)
{
    (void)state;
    const double pi = acos(-1), m = tanh(pi * 0.5 / 2), whole = elliptic(pi / 2, m);
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(
        "mesh: {box: {cells: [56, 8], size: [14, 1], origin: [-7, -1]}}\nphysics: seepage\norder: 4\n"
        "groups: [{name: up, groups: y1, box: {from: [-8, -2], to: [-1, 1]}}, {name: down, groups: y1, box: {from: [1, "
        "-2], to: [8, 1]}}]\nmaterials: {permeability: {x: 4e-6, y: 1e-6}}\nboundary: [{group: up, head: 1}, {group: "
        "down, "
        "head: 0}]\nprobes: {name: p, points: [[-0.75, 0], [-0.25, 0], [0, 0], [0.5, 0]], file: %s}\noutput: none\n",
        &r);
    static const double at[] = {-0.75, -0.25, 0, 0.5};
    for (int i = 0; i < 4; i++) {
        const double t = tanh(pi * at[i] / 4) / m;
        near("the head under the dam", read_probe("head", i), 0.5 - elliptic(asin(t), m) / (2 * whole), 4e-3);
    }
    /* Harr, the same section: k h K(m') / 2K(m), where m m + m' m' = 1; k is the root of both permeabilities. */
    const double flow = 2e-6 * elliptic(pi / 2, sqrt(1 - m * m)) / (2 * whole);
    near("what seeps under the dam", r.balance.flows[0].value / flow, 1, 1e-2);
    near("what comes out behind it", r.balance.flows[1].value / flow, -1, 1e-2);
    assert_true(r.balance.imbalance < 1e-6);
    ritz_problem_destroy(&p);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char *const mistakes[][2] = {
        {"{x: 1, y: 0}", "'permeability' must be greater than 0; got 0"},
        {"{x: 1}", "'permeability' has no value for y"},
        {"[1, \"x - 5\"]", "'permeability' must be greater than 0; it is"},
        {"[1, 1, 1]", "3 components on a mesh of dimension 2"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[256];
        ritz_problem *p = NULL;
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [2, 2]}}\nphysics: seepage\noutput: none\nmaterials: {permeability: %s}\n"
                 "boundary: {group: x0, head: 1}\n",
                 mistakes[i][0]);
        const bool taken = parse_problem(text, "", NULL, &p) == RITZ_OK && ritz_problem_solve(p, &r) == RITZ_OK;
        if (taken || !strstr(ritz_message(), mistakes[i][1]))
            fail_msg("%s: %s", mistakes[i][0], ritz_message());
        ritz_problem_destroy(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_dam),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
