/* Heat conduction against closed forms: slabs, the wall of a cylinder, films on surfaces, and what flows where. */
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

static void near(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%s is %.12g, expected %.12g", what, value, expected);
}

/* The problem stays open: names of results are its own. */
static ritz_problem *solve_problem(const char *text, ritz_result *r)
{
    ritz_problem *p = NULL;
    if (parse_problem(text, "/tmp", NULL, &p) != RITZ_OK || ritz_problem_solve(p, r) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), text);
    return p;
}

/* What flows in by the entry, or by equations (groups ""). */
static void flows(const ritz_balance *balance, const char *groups, const char *key, double expected, double tolerance)
{
    for (int i = 0; i < balance->n_flows; i++)
        if (strcmp(balance->flows[i].groups, groups) == 0 && strcmp(balance->flows[i].key, key) == 0) {
            near(groups, balance->flows[i].value, expected, tolerance);
            return;
        }
    fail_msg("of %d flows none goes through '%s' by '%s'", balance->n_flows, groups, key);
}

/* Nothing else flows, and all balances. */
static void balances(const ritz_balance *balance, int n_flows, double supplied, double most)
{
    assert_int_equal(balance->n_flows, n_flows);
    near("what is supplied", balance->supplied, supplied, 1e-12);
    if (!(balance->imbalance < most))
        fail_msg("flows differ by %g", balance->imbalance);
}

#define SLAB                                                                                                           \
    "mesh: {box: {cells: [4, 2], size: [2, 1], distort: 0.2}}\nphysics: heat\nsolver: {tolerance: 1e-12}\n"            \
    "output: none\n"

/* 100 on one side, 900 flow out of the other one, whose length is 2: T = 100 - 900 / 45 x. */
static void test_slab(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(SLAB "materials: {conductivity: 45}\nexact: 100 - 20*x\n"
                                         "boundary: [{group: x0, temperature: 100}, {group: x1, flux: -900}]\n",
                                    &r);
    near("the least temperature", r.smallest_value, 60, 1e-9);
    assert_string_equal(r.value_name, "temperature");
    near("the flux", ritz_find_largest(r.largest, "heat_flux"), 900, 1e-8);
    assert_true(r.error_l2 < 1e-8);
    flows(&r.balance, "x0", "temperature", 900, 1e-10);
    balances(&r.balance, 1, -900, 1e-9);
    ritz_problem_destroy(&p);
    /* A source s between two sides at 0: T = s / (2 k) x (2 - x), the flux at a side is s L / 2. */
    p = solve_problem(SLAB "materials: {conductivity: 2, source: 8}\nexact: 2*x*(2 - x)\n"
                           "boundary: {groups: [x0, x1], temperature: 0}\n",
                      &r);
    near("the flux", ritz_find_largest(r.largest, "heat_flux"), 8, 1e-8);
    assert_true(r.error_l2 < 1e-8);
    flows(&r.balance, "x0, x1", "temperature", -16, 1e-10);
    balances(&r.balance, 1, 16, 1e-9);
    ritz_problem_destroy(&p);
}

/* 4 by 4 cells that are as warm as their surroundings: what flows is rounding, and no reason to warn. */
static void test_no_flow(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(SLAB "materials: {conductivity: 45}\nboundary: [{group: x0, temperature: 293}, "
                                         "{group: x1, film: {coefficient: 9, ambient: 293}}]\n",
                                    &r);
    assert_true(fabs(r.balance.flows[0].value) < 1e-6 && fabs(r.balance.flows[1].value) < 1e-6);
    balances(&r.balance, 2, 0, 1e-3);
    ritz_problem_destroy(&p);
    p = solve_problem(SLAB "materials: {conductivity: 45}\nboundary: {group: x0, temperature: 293}\n", &r);
    assert_true(fabs(r.balance.flows[0].value) < 1e-6);
    balances(&r.balance, 1, 0, 1e-3);
    ritz_problem_destroy(&p);
}

#define STRIP                                                                                                          \
    "mesh: {box: {cells: [3, 1], size: [3, 1]}}\nphysics: heat\noutput: none\norder: 1\nsolver: {tolerance: 1e-12}\n"  \
    "materials: {conductivity: 45}\n"

/* Equations prescribe the cold side of T = 100 - 20 x: what leaves there leaves by them. A node that is as warm as
   another one plus 20 takes from it what it gives. */
static void test_flows_by_equations(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(STRIP "boundary: {group: x0, temperature: 100}\n"
                                          "equations: [{terms: [{at: [3, 0]}], value: 40}, {terms: [{at: [3, 1]}], "
                                          "value: 40}]\n",
                                    &r);
    flows(&r.balance, "x0", "temperature", 900, 1e-9);
    flows(&r.balance, "", "equations", -900, 1e-9);
    balances(&r.balance, 2, 0, 1e-9);
    ritz_problem_destroy(&p);
    p = solve_problem(STRIP "boundary: [{group: x0, flux: 30}, {group: x1, film: {coefficient: 15, ambient: 20}}]\n"
                            "equations: [{terms: [{at: [1, 0]}, {at: [2, 0], weight: -1}], value: 20}]\n",
                      &r);
    flows(&r.balance, "x1", "film", -30, 1e-9);
    balances(&r.balance, 1, 30, 1e-9);
    ritz_problem_destroy(&p);
}

/* Of cases and of their sum, where each case has its own. */
static void test_flows_of_cases(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(
        SLAB "materials: {conductivity: 45}\nboundary: [{group: x0, temperature: 0}, {group: x1, temperature: 0}]\n"
             "cases:\n- {name: warm, boundary: {group: x1, temperature: 20}}\n"
             "- {name: heated, source: 3, boundary: {group: y0, power: 5}}\n"
             "- {name: half, body: {group: body, source: 3}}\n"
             "combine: {both: {warm: 2, heated: -1}}\n",
        &r);
    assert_int_equal(r.n_cases, 4);
    flows(&r.cases[0].balance, "x0", "temperature", -450, 1e-9);
    flows(&r.cases[0].balance, "x1", "temperature", 450, 1e-9);
    balances(&r.cases[0].balance, 2, 0, 1e-9);
    flows(&r.cases[1].balance, "x0", "temperature", -5.5, 1e-8);
    balances(&r.cases[1].balance, 2, 11, 1e-9);
    flows(&r.cases[2].balance, "x1", "temperature", -3, 1e-8);
    balances(&r.cases[2].balance, 2, 6, 1e-9);
    flows(&r.cases[3].balance, "x0", "temperature", 2 * -450 + 5.5, 1e-9);
    balances(&r.cases[3].balance, 2, -11, 1e-9);
    assert_int_equal(r.balance.n_flows, 0); /* those of the cases stand there alone */
    ritz_problem_destroy(&p);
}

/* How far a run came. */
typedef enum stage { BEFORE, SOLVED, TOLD } stage;

static void note_stage(const char *line, void *context)
{
    stage *at = context;
    *at = strncmp(line, "solve ", 6) == 0 ? SOLVED : strncmp(line, "supplied ", 9) == 0 ? TOLD : *at;
}

static ritz_status solve_again(ritz_result *r, stage *at)
{
    static const char text[] = STRIP "boundary: [{group: x0, film: {coefficient: 30, ambient: 500}}, {group: y0, "
                                     "temperature: 20, film: {coefficient: 1, ambient: 9}}, {group: x1, flux: 3}]\n"
                                     "equations: {terms: [{group: x1}], value: 60}\nsource: 1\n";
    ritz_problem *problem = NULL;
    ritz_status status = parse_problem(text, "", NULL, &problem);
    *at = BEFORE;
    if (status == RITZ_OK) {
        ritz_problem_set_stage(problem, note_stage, at);
        status = ritz_problem_solve(problem, r);
        if (status == RITZ_OK)
            balances(&r->balance, 4, 3 + 3, 1e-9);
    }
    ritz_problem_destroy(&problem);
    return status;
}

/* Each allocation behind the solve fails, the last one first. */
static void test_failing_allocations_of_flows_are_told(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    stage at = BEFORE;
    int failures = 0;
    assert_int_equal(solve_again(&r, &at), RITZ_OK);
    ritz_fail_allocation(0);
    assert_int_equal(solve_again(&r, &at), RITZ_OK);
    for (int64_t n = ritz_fail_allocation(0); n > 0 && at != BEFORE; n--) {
        ritz_fail_allocation(n);
        const ritz_status status = solve_again(&r, &at);
        ritz_fail_allocation(0);
        assert_true(status == RITZ_ERROR_MEMORY || (status == RITZ_OK && at == TOLD));
        failures += at == SOLVED;
    }
    if (failures < 20)
        fail_msg("%d allocations failed where flows are found", failures);
}

/* k T' = h0 (T - 500) at x = 0, -k T' = h1 (T - 20) at x = 2: resistances 1 / h0 + 2 / k + 1 / h1 in a row. Nothing but
   the films holds the temperature. */
static void test_films(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    const double flux = 480 / (1 / 30. + 2 / 45. + 1 / 15.);
    static const char text[] = SLAB "materials: {conductivity: 45}\n"
                                    "boundary: [{group: x0, film: {coefficient: 30, ambient: 500}},"
                                    " {group: x1, film: {coefficient: \"15 + 0*y\", ambient: \"20 + 0*x\"}}]\n";
    ritz_problem *p = solve_problem(text, &r);
    near("the flux", ritz_find_largest(r.largest, "heat_flux"), flux, 1e-8);
    near("the hot side", r.largest_value, 500 - flux / 30, 1e-9);
    near("the cold side", r.smallest_value, 20 + flux / 15, 1e-9);
    flows(&r.balance, "x0", "film", flux, 1e-10);
    flows(&r.balance, "x1", "film", -flux, 1e-10);
    balances(&r.balance, 2, 0, 1e-9);
    ritz_problem_destroy(&p);
    /* In single precision and three dimensions. */
    p = solve_problem("mesh: {box: {cells: [2, 1, 1], size: [2, 1, 1]}}\nphysics: heat\noutput: none\n"
                      "solver: {tolerance: 1e-6, precision: single}\nmaterials: {conductivity: 45}\n"
                      "boundary: [{group: x0, film: {coefficient: 30, ambient: 500}},"
                      " {group: x1, film: {coefficient: 15, ambient: 20}}]\n",
                      &r);
    near("the flux", ritz_find_largest(r.largest, "heat_flux"), flux, 1e-3);
    flows(&r.balance, "x1", "film", -flux, 1e-4);
    balances(&r.balance, 2, 0, 1e-4);
    ritz_problem_destroy(&p);
    assert_int_equal(
        ritz_problem_parse(SLAB "materials: {conductivity: 45}\nboundary: {group: x0, flux: 1}\n", "", NULL, 0, &p),
        RITZ_OK);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_INPUT); /* free to add any constant */
    assert_non_null(strstr(ritz_message(), "on a boundary group (keys that do: 'temperature', 'film', 'radiation')"));
    ritz_problem_destroy(&p);
    assert_int_equal(ritz_problem_parse(SLAB "materials: {conductivity: 45}\n"
                                             "boundary: {group: x0, film: {coefficient: 0.5 - y, ambient: 1}}\n",
                                        "", NULL, 0, &p),
                     RITZ_OK);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'coefficient' must be greater than 0"));
    ritz_problem_destroy(&p);
}

#define RADIATES                                                                                                       \
    "{group: x1, radiation: {emissivity: 0.5, ambient: %s, absolute_zero: -273.15, stefan_boltzmann: 5.67e-8}}"

/* A source s, isolated at x = 0: 2 s flow out at x = 2, so that its absolute temperature is the fourth root of
   ambient^4 + 2 s / (emissivity sigma), and T = that + s / (2 k) (4 - x^2). Nothing else holds the temperature. */
static void test_radiation(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    char text[1024];
    for (int warm = 0; warm < 3; warm++) { /* far below and far above where the iteration starts */
        const double s = warm ? 3e6 : 8, cold = warm ? 293.15 : 3.15;
        const double side = pow(pow(cold, 4) + 2 * s / (0.5 * 5.67e-8), 0.25) - 273.15;
        snprintf(text, sizeof text,
                 SLAB "systems: {across: {rotate: [0, 0, 90]}}\nmaterials: {%s, source: %g}\nboundary: [" RADIATES "]\n"
                      "exact: \"%.17g + %.17g * (4 - x*x)\"\n",
                 warm == 2 ? "conductivity: [7, 45, 1], orientation: across" : "conductivity: 45", s,
                 warm ? "20 + 0*y" : "-270", side, s / 90);
        ritz_problem *p = solve_problem(text, &r);
        near("the side", r.smallest_value, side, 1e-8);
        near("the flux", ritz_find_largest(r.largest, "heat_flux"), 2 * s, 1e-7);
        assert_true(r.newton.converged && r.error_l2 < 1e-8 * fabs(side) * 2);
        flows(&r.balance, "x1", "radiation", -2 * s, 1e-7);
        balances(&r.balance, 1, 2 * s, 1e-7); /* of Newton's method */
        ritz_problem_destroy(&p);
    }
}

/* Where the matrix is no tangent, changes grow less by a factor each: a bar of k = k0 exp(T / 100) that radiates into the cold, from a start
   at 1000 K, by Kirchhoff's transformation. */
static void test_radiation_and_conductivity(void **state)
{
    (void)state;
    const double sigma = 5.670374e-8, cold = pow(77, 4);
    double low = 77, high = 300;
    for (int k = 0; k < 100; k++) {
        const double middle = (low + high) / 2, in = 0.01 * (exp(3) - exp(middle / 100));
        *(in > 0.9 * sigma * (pow(middle, 4) - cold) ? &low : &high) = middle;
    }
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve_problem("mesh: {box: {cells: [40, 1], size: [1, 0.1]}}\nphysics: heat\norder: 2\noutput: none\n"
                      "materials: {conductivity: \"0.0001*exp(0.01*T)\"}\nboundary:\n"
                      "- {group: x0, temperature: 300}\n- {group: x1, radiation: {emissivity: 0.9, ambient: "
                      "77, absolute_zero: 0, stefan_boltzmann: 5.670374e-8}}\n",
                      &r);
    near("the temperature of the end", r.smallest_value, low, 1e-5);
    flows(&r.balance, "x1", "radiation", -0.1 * 0.9 * sigma * (pow(low, 4) - cold), 2e-6);
    ritz_problem_destroy(&p);
}

/* A mean that is held far from the start: all of the body starts there, not one node of the face by all of the difference, where the
   conductivity would be negative. */
static void test_start_with_a_mean(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve_problem("mesh: {box: {cells: [4, 8, 8], size: [1, 0.3, 0.3]}}\nphysics: heat\noutput: none\n"
                      "materials: {conductivity: \"52 - 0.03*T\"}\nequations: [{terms: [{group: x1}], value: 350}]\n"
                      "boundary: [{group: x0, temperature: 300}]\nnewton: {start: 300}\n",
                      &r);
    assert_true(r.newton.converged && r.newton.n_iterations <= 6);
    near("the least temperature", r.smallest_value, 300, 1e-12);
    near("the largest temperature", r.largest_value, 351.413, 1e-5); /* as from a start at 350 */
    ritz_problem_destroy(&p);
    /* A difference says little of a constant: 0.02 T = 50 - 0.02 300 would raise all by 2200. */
    p = solve_problem("mesh: {box: {cells: [4, 2]}}\nphysics: heat\norder: 1\noutput: none\n"
                      "materials: {conductivity: \"1 - 0.0005*T\"}\nequations: [{terms: [{group: x1}, {at: [0.5, 0.5], "
                      "weight: -0.98}], "
                      "value: 50}]\nboundary: [{group: x0, temperature: 300}]\nnewton: {start: 300}\n",
                      &r);
    assert_true(r.newton.converged);
    ritz_problem_destroy(&p);
}

/* Nothing to be warmed by: beside a solution of 0 every change is large. */
static void test_solution_of_nothing(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem("mesh: {box: {cells: [4, 2]}}\nphysics: heat\noutput: none\n"
                                    "materials: {conductivity: \"2 + 0.1*T\"}\nnewton: {start: 100}\n"
                                    "boundary: {group: x0, temperature: 0}\n",
                                    &r);
    assert_true(r.newton.converged && r.newton.n_iterations <= 4 && fabs(r.largest_value) < 1e-6);
    ritz_problem_destroy(&p);
}

/* A later step of the load takes an iteration at least, however small its residual is beside that of the first one's start. */
static void test_steps_of_radiation(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve_problem("mesh: {box: {cells: [10, 2], size: [1, 0.2]}}\nphysics: heat\noutput: none\n"
                      "materials: {conductivity: 50}\nnewton: {steps: 2}\nsolver: {precision: single}\n"
                      "boundary:\n- {group: x0, flux: 5}\n- {group: x1, radiation: {emissivity: 1, ambient: "
                      "300, absolute_zero: 0, stefan_boltzmann: 5.670374e-8}}\n",
                      &r);
    near("the temperature of the end", r.smallest_value, pow(pow(300, 4) + 5 / 5.670374e-8, 0.25), 1e-5);
    ritz_problem_destroy(&p);
}

/* Load cases, each with a solution of its own: the source of above, and what flows in at x = 0. */
static void test_radiation_in_cases(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    char text[1024];
    const double s = 3e6, q = 2e5, out = 0.5 * 5.67e-8;
    const double side = pow(pow(293.15, 4) + 2 * s / out, 0.25) - 273.15,
                 other = pow(pow(293.15, 4) + q / out, 0.25) - 273.15;
    snprintf(text, sizeof text,
             SLAB "materials: {conductivity: 45}\nboundary: [" RADIATES "]\ncases:\n"
                  "  - {name: source, body: {group: body, source: %g}, exact: \"%.17g + %.17g * (4 - x*x)\"}\n"
                  "  - {name: inflow, boundary: {group: x0, flux: %g}, exact: \"%.17g + %.17g * (2 - x)\"}\n",
             "20", s, side, s / 90, q, other, q / 45);
    ritz_problem *p = solve_problem(text, &r);
    assert_int_equal(r.n_cases, 2);
    assert_true(r.newton.converged && r.solve.converged);
    near("the side with a source", r.cases[0].smallest_value, side, 1e-8);
    near("the side with an inflow", r.cases[1].smallest_value, other, 1e-8);
    assert_true(r.cases[0].error_l2 < 2e-8 * side && r.cases[1].error_l2 < 2e-8 * other);
    flows(&r.cases[0].balance, "x1", "radiation", -2 * s, 1e-8);
    balances(&r.cases[0].balance, 1, 2 * s, 1e-8);
    flows(&r.cases[1].balance, "x1", "radiation", -q, 1e-8);
    balances(&r.cases[1].balance, 1, q, 1e-8);
    ritz_problem_destroy(&p);
}

/* Beside a film: h (500 - T0) = k (T0 - T1) / 2 = what the side at T1 radiates, found by bisection. */
static void test_radiation_and_film(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    double low = 20, high = 500;
    for (int k = 0; k < 100; k++) {
        const double side = (low + high) / 2, through = (500 - side) / (1 / 30. + 2 / 45.);
        const double out = 0.5 * 5.67e-8 * (pow(side + 273.15, 4) - pow(293.15, 4));
        *(out < through ? &low : &high) = side;
    }
    char text[512];
    snprintf(text, sizeof text,
             SLAB
             "materials: {conductivity: 45}\nboundary: [{group: x0, film: {coefficient: 30, ambient: 500}}, " RADIATES
             "]\n",
             "20");
    ritz_problem *p = solve_problem(text, &r);
    near("the side", r.smallest_value, low, 1e-8);
    flows(&r.balance, "x0", "film", (500 - low) / (1 / 30. + 2 / 45.), 1e-8);
    flows(&r.balance, "x1", "radiation", (low - 500) / (1 / 30. + 2 / 45.), 1e-8);
    balances(&r.balance, 2, 0, 1e-8);
    ritz_problem_destroy(&p);
    snprintf(text, sizeof text, SLAB "materials: {conductivity: 45}\nboundary: [" RADIATES "]\n", "10*x - 300");
    assert_int_equal(parse_problem(text, "", NULL, &p), RITZ_OK);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'ambient' must be above the absolute zero"));
    ritz_problem_destroy(&p);
}

/* With k = 2 + T / 10, T = 20 + 30 x has the source -k' 30^2 = -90; k is 4 and 10 at the sides. The table is the same k. */
static void test_conductivity_of_temperature(void **state)
{
    (void)state;
    static const char *const conductivity[] = {"2 + 0.1*T", "{table: [[0, 2], [100, 12]]}"};
    ritz_result r = {.size = sizeof r};
    char text[1024];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 SLAB "materials: {conductivity: %s, source: -90}\nexact: 20 + 30*x\nnewton: {tolerance: 1e-11}\n"
                      "boundary: [{group: x0, temperature: 20}, {group: x1, temperature: 80}]\n",
                 conductivity[k]);
        ritz_problem *p = solve_problem(text, &r);
        assert_true(r.newton.converged && r.error_l2 < 1e-8);
        near("the flux", ritz_find_largest(r.largest, "heat_flux"), 300, 1e-8);
        flows(&r.balance, "x0", "temperature", -120, 1e-9);
        flows(&r.balance, "x1", "temperature", 300, 1e-9);
        balances(&r.balance, 2, -180, 1e-8);
        ritz_problem_destroy(&p);
    }
    /* k0 (T + T^2 / 200) is linear: beside a film 25 (T + T^2 / 200) = 100 (200 - T), and between sides in two cases. */
    const double side = (-125 + sqrt(125 * 125 + 4 * 0.125 * 20000)) / 0.25;
    ritz_problem *p =
        solve_problem(SLAB "order: 6\nmaterials: {conductivity: 50 + T/2}\nnewton: {tolerance: 1e-11}\nboundary:\n"
                           "  [{group: x0, temperature: 0}, {group: x1, film: {coefficient: 100, ambient: 200}}]\n",
                      &r);
    near("the side", r.largest_value, side, 1e-9);
    flows(&r.balance, "x1", "film", 100 * (200 - side), 1e-9);
    ritz_problem_destroy(&p);
    p = solve_problem(
        SLAB "order: 6\nmaterials: {conductivity: 50 + T/2}\nnewton: {tolerance: 1e-11}\nboundary: {group: x0, "
             "temperature: 0}\n"
             "cases: [{name: a, boundary: {group: x1, flux: 3750}}, {name: b, boundary: {group: x1, flux: 1000}}]\n",
        &r);
    near("one side", r.cases[0].largest_value, 100, 1e-9);
    near("the other side", r.cases[1].largest_value, -100 + 100 * sqrt(1.8), 1e-9);
    near("one flux", ritz_find_largest(r.cases[0].largest, "heat_flux"), 3750, 1e-6);
    near("the other flux", ritz_find_largest(r.cases[1].largest, "heat_flux"), 1000, 1e-6);
    ritz_problem_destroy(&p);
}

/* Copper at 300 K conducts a fiftieth of what it does near 0 K, where Newton's method starts: its first step is far off, though the
   residual that it leaves is 1e-8 of the first one. 50 W/m2 enter at one end and leave at the other. */
static void test_far_start(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(
        "physics: heat\nmesh: {box: {cells: [20, 2, 2], size: [0.1, 0.004, 0.004]}}\norder: 1\noutput: none\n"
        "groups: [{name: middle, of: nodes, plane: {point: [0.05, 0, 0], normal: [1, 0, 0]}}]\n"
        "materials: {conductivity: {table: [[10, 2e4], [20, 1e4], [50, 1000], [100, 480], [300, 400]]}}\n"
        "boundary: [{group: middle, temperature: 300}, {group: x1, flux: 50}, {group: x0, flux: -50}]\n",
        &r);
    near("the flux", ritz_find_largest(r.largest, "heat_flux"), 50, 1e-4);
    assert_true(r.newton.n_iterations > 2);
    ritz_problem_destroy(&p);
}

/* The wall of a cylinder from 100 to 0 with k = 1 + T / 100: T + T^2 / 200 is linear in the logarithm of the radius. */
static void test_ring_of_temperature(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(
        "mesh: {box: {cells: [12, 1], size: [1, 1], origin: [1, 0]}}\nphysics: axisymmetric-heat\norder: 3\n"
        "solver: {tolerance: 1e-12}\nnewton: {tolerance: 1e-11}\noutput: none\nmaterials: {conductivity: 1 + T/100}\n"
        "exact: \"-100 + 100*sqrt(4 - 3*log(x)/log(2))\"\n"
        "boundary: [{group: x0, temperature: 100}, {group: x1, temperature: 0}]\n",
        &r);
    flows(&r.balance, "x0", "temperature", 2 * 3.141592653589793 * 150 / log(2), 1e-7);
    if (!(r.error_l2 < 1e-3))
        fail_msg("the error is %g", r.error_l2);
    ritz_problem_destroy(&p);
}

/* What cannot be is named: a conductivity that falls below zero on the way, one that differs by direction too. */
static void test_bad_conductivity_of_temperature(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = NULL;
    assert_int_equal(ritz_problem_parse(SLAB "materials: {conductivity: 50 - T}\n"
                                             "boundary: [{group: x0, temperature: 0}, {group: x1, temperature: 100}]\n",
                                        "", NULL, 0, &p),
                     RITZ_OK);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_NOT_CONVERGED);
    assert_non_null(strstr(ritz_message(), "'conductivity' must be greater than 0; it is -"));
    ritz_problem_destroy(&p);
    assert_int_equal(
        ritz_problem_parse(SLAB "materials: {conductivity: [50 + T, 1, 1]}\nboundary: {group: x0, temperature: 0}\n",
                           "", NULL, 0, &p),
        RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "differs by direction"));
}

/* Of two cases the one whose conductivity is negative at its solution is left out, and named; the other stands. */
static void test_bad_conductivity_of_a_case(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = NULL;
    assert_int_equal(
        parse_problem("physics: heat\nmesh: {box: {cells: [2, 1, 1], size: [1, 0.2, 0.2]}}\norder: 1\noutput: "
                      "none\nmaterials: {conductivity: 1 + 0.01*T}\n"
                      "boundary: [{group: x0, temperature: 0}, {group: x1, temperature: 0}]\n"
                      "cases:\n- {name: good, boundary: {group: x0, temperature: 1}}\n"
                      "- {name: bad, boundary: {group: x0, temperature: -150}}\n",
                      "", NULL, &p),
        RITZ_OK);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_NOT_CONVERGED);
    if (!strstr(ritz_message(), "1 of 2 load cases") ||
        !strstr(ritz_message(), "'conductivity' must be greater than 0"))
        fail_msg("%s", ritz_message());
    near("the hottest of the good case", r.cases[0].largest_value, 1, 1e-8);
    assert_true(!r.newton.converged && r.cases[1].failure && !r.cases[1].solve.converged);
    ritz_problem_destroy(&p);
}

/* 10 and 2 along axes that are turned by 30 degrees: T = x x + x y has the source -2 (k_xx + k_xy). */
static void test_directions(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    const double xx = 8, yy = 4, xy = 2 * sqrt(3); /* 10 c c + 2 s s, 10 s s + 2 c c, 8 c s */
    char text[512];
    snprintf(text, sizeof text,
             SLAB "order: 2\nsystems: {fibre: {rotate: [0, 0, 30]}}\nmaterials: {conductivity: %s, orientation: fibre, "
                  "source: %.17g}\nboundary: {groups: [x0, x1, y0, y1], temperature: x*x + x*y}\nexact: x*x + x*y\n",
             "[10, \"2 + 0*x\", 5]", -2 * (xx + xy));
    ritz_problem *p = solve_problem(text, &r);
    assert_true(r.error_l2 < 1e-10);
    /* Its gradient is (5, 2) at (2, 1). */
    near("the flux", ritz_find_largest(r.largest, "heat_flux"), hypot(5 * xx + 2 * xy, 5 * xy + 2 * yy), 1e-8);
    ritz_problem_destroy(&p);
    assert_int_equal(
        ritz_problem_parse(SLAB "materials: {conductivity: [10, -1, 5]}\nboundary: {group: x0, temperature: 1}\n", "",
                           NULL, 0, &p),
        RITZ_OK);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'conductivity' must be greater than 0; got -1"));
    ritz_problem_destroy(&p);
    assert_int_equal(ritz_problem_parse(SLAB "systems: {a: {rotate: [0, 0, 30]}}\nmaterials: {conductivity: 1}\n"
                                             "boundary: {group: x0, temperature: 1, system: a}\n",
                                        "", NULL, 0, &p),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'system' turns the components of vectors"));
}

/* A case that prescribes another temperature beside a film, where the two meet, too: -k T' = h (T - 20) at x = 2. */
static void test_film_and_cases(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(
        SLAB "materials: {conductivity: 45}\n"
             "boundary: [{group: x1, film: {coefficient: 15, ambient: 20}}, {group: x0, temperature: 100}]\n"
             "cases:\n- {name: warm}\n- {name: hot, boundary: {group: x0, temperature: 245}}\n",
        &r);
    for (int c = 0; c < 2; c++) {
        const double hot = c ? 245 : 100, flux = (hot - 20) / (2 / 45. + 1 / 15.);
        near("the flux", ritz_find_largest(r.cases[c].largest, "heat_flux"), flux, 1e-8);
        near("the cold side", r.cases[c].smallest_value, hot - 2 * flux / 45, 1e-9);
        flows(&r.cases[c].balance, "x1", "film", -flux, 1e-9);
        flows(&r.cases[c].balance, "x0", "temperature", flux, 1e-9);
        balances(&r.cases[c].balance, 2, 0, 1e-9);
    }
    ritz_problem_destroy(&p);
    p = solve_problem(SLAB "materials: {conductivity: 45}\nboundary: [{groups: [x0, x1, y0], temperature: 0},"
                           " {group: y1, film: {coefficient: 15, ambient: 0}}]\n"
                           "cases:\n- {name: one, boundary: {groups: [x0, x1, y0], temperature: 7}}\n"
                           "- {name: source, source: 1}\n",
                      &r);
    const double one = r.cases[0].smallest_value;
    ritz_problem *alone = solve_problem(SLAB "materials: {conductivity: 45}\n"
                                             "boundary: [{groups: [x0, x1, y0], temperature: 7},"
                                             " {group: y1, film: {coefficient: 15, ambient: 0}}]\n",
                                        &r);
    assert_true(r.smallest_value < 6.9);
    near("the least temperature", one, r.smallest_value, 1e-9);
    ritz_problem_destroy(&alone);
    ritz_problem_destroy(&p);
}

/* A quarter of a ring from radius 1 to 2, n by 2 n curved quads of nine nodes; groups inside, outside. */
static void write_ring(const char *path, int n)
{
    const int across = 2 * n + 1, around = 4 * n + 1;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"inside\"\n1 2 \"outside\"\n"
            "2 3 \"wall\"\n$EndPhysicalNames\n$Nodes\n%d\n",
            across * around);
    for (int j = 0; j < around; j++)
        for (int i = 0; i < across; i++) {
            const double radius = 1 + i / (2. * n), angle = acos(0) * j / (4. * n);
            fprintf(file, "%d %.17g %.17g 0\n", j * across + i + 1, radius * cos(angle), radius * sin(angle));
        }
    fprintf(file, "$EndNodes\n$Elements\n%d\n", 2 * n * n + 4 * n);
    int number = 0;
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 2 * n; j++) {
            const int first = 2 * j * across + 1 + side * (across - 1);
            fprintf(file, "%d 8 2 %d %d %d %d %d\n", ++number, side + 1, side + 1, first, first + 2 * across,
                    first + across);
        }
    for (int j = 0; j < 2 * n; j++)
        for (int i = 0; i < n; i++) {
            const int a = 2 * j * across + 2 * i + 1, up = across;
            fprintf(file, "%d 10 2 3 3 %d %d %d %d %d %d %d %d %d\n", ++number, a, a + 2, a + 2 + 2 * up, a + 2 * up,
                    a + 1, a + 2 + up, a + 1 + 2 * up, a + up, a + 1 + up);
        }
    fprintf(file, "$EndElements\n");
    fclose(file);
}

/* 300 inside, a film outside: Q = (300 - 20) / (ln 2 / k + 1 / (h 2)) flow out of a radian of the wall, and
   T = 300 - Q / k ln r. */
static void test_cylinder_wall(void **state)
{
    (void)state;
    char path[] = "/tmp/ritz-ring-XXXXXX.msh", text[1024];
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    const double k = 12, h = 40, flow = 280 / (log(2) / k + 1 / (2 * h));
    double error[2];
    for (int i = 0; i < 2; i++) {
        ritz_result r = {.size = sizeof r};
        write_ring(path, 2 << i);
        snprintf(
            text, sizeof text,
            "mesh: %s\nphysics: heat\norder: 2\nsolver: {tolerance: 1e-12}\noutput: none\n"
            "materials: {conductivity: 12}\nexact: \"300 - %.17g * 0.5 * log(x*x + y*y)\"\n"
            "boundary: [{group: inside, temperature: 300}, {group: outside, film: {coefficient: 40, ambient: 20}}]\n",
            path, flow / k);
        ritz_problem *p = solve_problem(text, &r);
        near("the outside", r.smallest_value, 20 + flow / (2 * h), 1e-4);
        near("the flux inside", ritz_find_largest(r.largest, "heat_flux"), flow, i ? 0.01 : 0.03);
        flows(&r.balance, "inside", "temperature", flow * acos(0), 1e-4);
        flows(&r.balance, "outside", "film", -flow * acos(0), 1e-4);
        balances(&r.balance, 2, 0, 1e-9);
        error[i] = r.error_l2;
        ritz_problem_destroy(&p);
    }
    if (!(log2(error[0] / error[1]) > 2.8))
        fail_msg("errors %g and %g: of order %g, not 3", error[0], error[1], log2(error[0] / error[1]));
    unlink(path);
}

/* Bodies of revolution of length 1/2: a wall between films, in rows of resistances; one that radiates outside; a shaft with a
   source, T = s (b^2 - r^2) / (4 k) down to the axis, by a power besides. */
static void test_rings(void **state)
{
    (void)state;
#define RING "physics: axisymmetric-heat\norder: 4\nsolver: {tolerance: 1e-12}\noutput: none\n"
#define WALL "mesh: {box: {cells: [6, 2], size: [0.1, 0.5], origin: [0.2, 0], distort: 0.2}}\n" RING
    const double a = 0.2, b = 0.3, around = M_PI; /* 2 pi times the length */
    const double q = around * 280 / (1 / (50 * a) + log(b / a) / 20 + 1 / (10 * b));
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve_problem(WALL "materials: {conductivity: 20}\nboundary: [{group: x0, film: {coefficient: 50, "
                           "ambient: 300}}, {group: x1, film: {coefficient: 10, ambient: 20}}]\n",
                      &r);
    flows(&r.balance, "x0", "film", q, 1e-8);
    flows(&r.balance, "x1", "film", -q, 1e-8);
    balances(&r.balance, 2, 0, 1e-9);
    near("the outside", r.smallest_value, 20 + q / (around * 10 * b), 1e-8);
    near("the volume", r.volume, M_PI * (b * b - a * a) / 2, 1e-12);
    ritz_problem_destroy(&p);
    p = solve_problem(WALL
                      "materials: {conductivity: 20}\nboundary: [{group: x0, film: {coefficient: 50, ambient: 1000}}, "
                      "{group: x1, radiation: {emissivity: 0.5, ambient: 300, absolute_zero: 0, stefan_boltzmann: "
                      "5.67e-8}}]\n",
                      &r);
    const double out = r.smallest_value, radiated = around * b * 0.5 * 5.67e-8 * (pow(out, 4) - pow(300, 4));
    flows(&r.balance, "x1", "radiation", -radiated, 1e-7);
    near("the film", 1000 - radiated / around * (1 / (50 * a) + log(b / a) / 20), out, 1e-7);
    balances(&r.balance, 2, 0, 1e-7);
    ritz_problem_destroy(&p);
    p = solve_problem("mesh: {box: {cells: [4, 2], size: [0.3, 0.5]}}\n" RING
                      "materials: {conductivity: 2, source: 800}\nexact: 100*(0.09 - x*x)\n"
                      "boundary: [{group: x1, temperature: 0, power: 5}]\n",
                      &r);
    assert_true(r.error_l2 < 1e-9);
    flows(&r.balance, "x1", "temperature", -800 * r.volume - 5, 1e-9);
    balances(&r.balance, 1, 800 * r.volume + 5, 1e-9);
    ritz_problem_destroy(&p);
    assert_int_equal(ritz_problem_parse("mesh: {box: {cells: [2, 2]}}\n" RING "materials: {conductivity: [1, 2, 3]}\n",
                                        "", NULL, 0, &p),
                     RITZ_ERROR_INPUT);
}

/* A pipe that is warmer inside, held along its axis: stresses of Timoshenko and Goodier, Theory of Elasticity; by two
   runs. */
static void test_hot_pipe(void **state)
{
    (void)state;
    char heat[1024], part[1024], file[] = "/tmp/ritz-pipe-XXXXXX.vtkhdf", probe[] = "/tmp/ritz-pipe-XXXXXX.csv";
    const double a = 0.2, b = 0.3, E = 200e9, alpha = 1e-5, nu = 0.25, T = 100, l = log(b / a);
    ritz_result r = {.size = sizeof r};
    close(mkstemps(file, 7));
    close(mkstemps(probe, 4));
    snprintf(
        heat, sizeof heat,
        "mesh: {box: {cells: [10, 1], size: [0.1, 0.02], origin: [0.2, 0]}}\nphysics: axisymmetric-heat\norder: 3\n"
        "materials: {conductivity: 20}\nboundary: [{group: x0, temperature: 100}, {group: x1, temperature: 0}]\n"
        "solver: {tolerance: 1e-12}\noutput: {file: %s}\n",
        file);
    snprintf(
        part, sizeof part,
        "mesh: {box: {cells: [10, 1], size: [0.1, 0.02], origin: [0.2, 0]}}\nphysics: axisymmetric\norder: 3\n"
        "materials: {young: 200e9, poisson: 0.25, expansion: 1e-5}\ntemperature: {result: %s}\nboundary: {groups: [y0, "
        "y1], displacement: {y: 0}}\nsolver: {tolerance: 1e-12}\nprobes: {name: p, points: [0.2, 0.01], file: %s}\n"
        "output: {fields: [stress]}\n",
        file, probe);
    ritz_problem *p = solve_problem(heat, &r);
    ritz_problem_destroy(&p);
    p = solve_problem(part, &r);
    ritz_problem_destroy(&p);
    double x[3], stress[6];
    char head[512], row[512];
    FILE *in = fopen(probe, "r");
    assert_true(in && fgets(head, sizeof head, in) && fgets(row, sizeof row, in));
    fclose(in);
    assert_int_equal(
        sscanf(row, "%lf,%lf,%lf,body,%lf,%lf,%lf", &x[0], &x[1], &x[2], &stress[0], &stress[1], &stress[2]), 6);
    const double hoop = E * alpha * T / (2 * (1 - nu) * l) * (1 - 2 * b * b / (b * b - a * a) * l);
    near("the hoop stress at the bore", stress[2] / hoop, 1, 2e-3);
    unlink(file);
    unlink(probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slab),
        cmocka_unit_test(test_no_flow),
        cmocka_unit_test(test_flows_by_equations),
        cmocka_unit_test(test_flows_of_cases),
        cmocka_unit_test(test_failing_allocations_of_flows_are_told),
        cmocka_unit_test(test_films),
        cmocka_unit_test(test_radiation),
        cmocka_unit_test(test_radiation_and_film),
        cmocka_unit_test(test_radiation_in_cases),
        cmocka_unit_test(test_radiation_and_conductivity),
        cmocka_unit_test(test_steps_of_radiation),
        cmocka_unit_test(test_solution_of_nothing),
        cmocka_unit_test(test_start_with_a_mean),
        cmocka_unit_test(test_conductivity_of_temperature),
        cmocka_unit_test(test_far_start),
        cmocka_unit_test(test_ring_of_temperature),
        cmocka_unit_test(test_bad_conductivity_of_temperature),
        cmocka_unit_test(test_bad_conductivity_of_a_case),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_film_and_cases),
        cmocka_unit_test(test_cylinder_wall),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_hot_pipe),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
