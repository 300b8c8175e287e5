/* Warnings of a problem: where they stand and where they must not, and that those about stiffness and oscillation tell
   the truth: beams against Timoshenko's theory, convection against central differences. */
#include "problem/problem.h"
#include "problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The warnings of a run. */
typedef struct heard {
    char lines[4][512];
    int n;
    bool only_space; /* stop once the mesh and the supports are known: no kernel is compiled */
} heard;

static void hear_line(const char *line, void *context)
{
    heard *h = context;
    if (strncmp(line, "warning", 7) == 0) {
        assert_true(h->n < 4 && strlen(line) < 511); /* whole, as the buffer of the line has 512 */
        snprintf(h->lines[h->n++], sizeof h->lines[0], "%s", line);
    }
    if (h->only_space && strncmp(line, "space", 5) == 0)
        ritz_interrupt();
}

static void run_problem(const char *text, const char *setting, bool only_space, heard *h, ritz_result *r)
{
    ritz_problem *problem = NULL;
    *h = (heard){.only_space = only_space};
    if (parse_problem(text, "", setting, &problem) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), text);
    ritz_problem_set_stage(problem, hear_line, h);
    const ritz_status status = ritz_problem_solve(problem, r);
    if (status != (only_space ? RITZ_INTERRUPTED : RITZ_OK))
        fail_msg("status %d: %s\n---\n%s", (int)status, ritz_message(), text);
    ritz_problem_destroy(&problem);
}

/* ---- Where they stand ---- */

#define ELASTIC(poisson)                                                                                               \
    "physics: elasticity\nmaterials: {young: 1, poisson: " poisson "}\nboundary: {group: x0, displacement: fixed}\n"
#define PLANE(physics, poisson)                                                                                        \
    "physics: " physics "\nmaterials: {young: 1, poisson: " poisson "}\nboundary: {group: x0, displacement: fixed}\n"
#define CONVECTION(material)                                                                                           \
    "physics: convection-diffusion\nmaterials: " material "\nboundary: {groups: [x0, x1], value: 0}\n"

static const struct {
    const char *text;
    const char *parts[5]; /* of the one warning; none: there is none */
} told[] = {
    /* shear locking */
    {"mesh: {box: {cells: [20, 12, 1], size: [100, 60, 1.5]}}\norder: 1\n" ELASTIC("0.3"),
     {"too stiff in bending", "shear locking", "about 1.5", "cells 5 long", "order: 2"}},
    {"mesh: {box: {cells: [20, 12, 1], size: [100, 60, 1.5], cell: tet}}\norder: 1\n" ELASTIC("0.3"),
     {"shear locking"}},
    {"mesh: {box: {cells: [20, 12, 1], size: [100, 60, 1.5], cell: prism}}\norder: 1\n" ELASTIC("0.3"),
     {"shear locking"}},
    {"mesh: {box: {cells: [20, 12, 4], size: [100, 60, 1.5]}}\norder: 1\n" ELASTIC("0.3"), {"shear locking"}},
    {"mesh: {box: {cells: [2, 2, 20], size: [1, 1, 10], origin: [5, 5, 5], distort: 0.2}}\norder: 1\n" ELASTIC("0.3"),
     {"shear locking"}},
    {"mesh: {box: {cells: [4, 20, 4], size: [1, 10, 1], cell: tet}}\norder: 1\n" ELASTIC("0.3"), {"shear locking"}},
    {"mesh: {box: {cells: [10, 1], size: [10, 1]}}\norder: 1\n" PLANE("plane-stress", "0.3"),
     {"shear locking", "about 1 thick", "cells 1 long", "30 %"}},
    {"mesh: {box: {cells: [20, 4], size: [10, 1], cell: tri}}\norder: 1\n" PLANE("plane-strain", "0.3"),
     {"shear locking"}},
    {"mesh: {box: {cells: [20, 12, 1], size: [100, 60, 1.5]}}\norder: 2\n" ELASTIC("0.3"), {NULL}},
    {"mesh: {box: {cells: [1, 1, 1]}}\norder: 1\n" ELASTIC("0.3"), {NULL}},
    {"mesh: {box: {cells: [2, 2, 2], distort: 0.4, cell: tet}}\norder: 1\n" ELASTIC("0.3"), {NULL}},
    {"mesh: {box: {cells: [10, 10, 10], size: [2, 1, 1]}}\norder: 1\n" ELASTIC("0.3"), {NULL}},
    {"mesh: {box: {cells: [6, 2, 2], size: [3, 1, 1]}}\norder: 1\n" ELASTIC("0.3"), {NULL}},
    {"mesh: {box: {cells: [40, 4, 4], size: [10, 1, 1]}}\norder: 1\n" ELASTIC("0.3"), {NULL}},
    {"mesh: {box: {cells: [40, 4], size: [10, 1]}}\norder: 1\n" PLANE("plane-stress", "0.3"), {NULL}},
    {"mesh: {box: {cells: [20, 12, 1], size: [100, 60, 1.5]}}\nphysics: poisson\norder: 1\nsource: 1\n"
     "boundary: {group: x0, value: 0}\n",
     {NULL}},
    /* volumetric locking */
    {"mesh: {box: {cells: [2, 2, 2]}}\norder: 1\n" ELASTIC("0.499"),
     {"Poisson's ratio is up to 0.499", "above 0.49 in 8 elements", "volumetric locking", "order 1", "order: 3"}},
    {"mesh: {box: {cells: [2, 2, 2]}}\norder: 2\n" ELASTIC("0.495"), {"volumetric locking", "order 2"}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 2\n" PLANE("plane-strain", "\"0.45 + 0.048*x\""),
     {"is up to 0.492, at (0.875, ", "in 2 elements"}},
    {"mesh: {box: {cells: [1, 1]}}\norder: 2\n" PLANE("plane-strain", "0.499"), {"in 1 element: order 2"}},
    {"mesh: {box: {cells: [2, 2, 2]}}\norder: 3\n" ELASTIC("0.499"), {NULL}},
    {"mesh: {box: {cells: [2, 2, 2]}}\norder: 1\n" ELASTIC("0.49"), {NULL}},
    {"mesh: {box: {cells: [2, 2]}}\norder: 1\n" PLANE("plane-stress", "0.499"), {NULL}},
    /* Peclet numbers: h = 0.25 along x, 0.5 along y */
    {"mesh: {box: {cells: [4, 2]}}\norder: 1\n" CONVECTION("{diffusion: 0.01, velocity: [1, 0]}"),
     {"does not resolve the convection in 8 elements", "up to 12.5", "h is 0.25", "h below 0.02"}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 2\n" CONVECTION("{diffusion: 0.01, velocity: [0, 2]}"),
     {"up to 25", "h is 0.5", "h below 0.02"}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 1\n" CONVECTION("{diffusion: 1, velocity: [\"x > 0.5 ? 20 : 0\", 0]}"),
     {"in 4 elements", "up to 2.5", "at (0.625, "}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 1\n" CONVECTION("{c01: 10, c10: -10, c11: 1, c22: 1e-3}"), {"up to 2.5"}},
    {"mesh: {box: {cells: [4, 2], cell: tri}}\norder: 1\n" CONVECTION("{c01: 3, c02: 4, c11: 0.1, c22: 0.1}"),
     {"up to 13.8", "h is 0.55"}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 1\n" CONVECTION("{velocity: [1, 0], reaction: 1}"),
     {"8 elements have a velocity and no diffusion", "'diffusion' of about 0.125"}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 1\n" CONVECTION("{diffusion: 0.125, velocity: [1, 0]}"), {NULL}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 3\n" CONVECTION("{diffusion: 0.05, velocity: [1, 0]}"), {NULL}},
    {"mesh: {box: {cells: [4, 2]}}\norder: 1\n" CONVECTION("{diffusion: 1, reaction: 1e9}"), {NULL}},
    {"mesh: {box: {cells: [1, 1]}}\norder: 2\n" CONVECTION("{diffusion: 0.01, velocity: [1, 0]}"),
     {"the convection in 1 element: the cell"}},
    {"mesh: {box: {cells: [1, 1]}}\norder: 2\n" CONVECTION("{velocity: [1, 0], reaction: 1}"),
     {"1 element has a velocity and no"}},
    /* nothing left to solve */
    {"mesh: {box: {cells: [1, 1]}}\nphysics: poisson\norder: 1\nboundary: {groups: [x0, x1], value: 3}\n",
     {"all 4 unknowns are prescribed, nothing is solved"}},
    {"mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\norder: 2\nmaterials: {young: 1, poisson: 0}\n"
     "boundary: {group: body, displacement: fixed}\n",
     {"all 375 unknowns are prescribed"}},
};

static void test_where_they_stand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        heard h;
        ritz_result r = {.size = sizeof r};
        run_problem(told[i].text, NULL, true, &h, &r);
        if (h.n != (told[i].parts[0] != NULL))
            fail_msg("%d warnings (%s) for\n%s", h.n, h.n ? h.lines[0] : "", told[i].text);
        for (int k = 0; k < 5 && told[i].parts[k]; k++)
            if (!strstr(h.lines[0], told[i].parts[k]))
                fail_msg("'%s' is not in the warning\n%s\nfor\n%s", told[i].parts[k], h.lines[0], told[i].text);
    }
}

/* ---- No load ---- */

static void test_no_load(void **state)
{
    (void)state;
    static const char *const strip =
        "mesh: {box: {cells: [2, 1], cell: tri}}\nphysics: plane-stress\norder: 1\n"
        "materials: {young: 100, poisson: 0.3}\nboundary: [{group: x0, displacement: fixed}]\n";
    static const char *const loads[] = {"boundary.1={group: x1, traction: [0, 1]}",
                                        "boundary.1={group: y1, pressure: 1}",
                                        "boundary.1={group: x1, displacement: {x: 1}}", "materials.force=[0, \"x\"]"};
    static const char *const none[] = {NULL, "boundary.1={group: x1, traction: [0, 0]}",
                                       "materials.force=[\"0*x\", 0]"};
    heard h;
    ritz_result r = {.size = sizeof r};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        run_problem(strip, none[k], false, &h, &r);
        assert_true(h.n == 1 && ritz_find_largest(r.largest, "displacement") == 0);
        assert_non_null(
            strstr(h.lines[0], "no load acts on free unknowns: the solution is zero everywhere; give a traction"));
    }
    for (size_t k = 0; k < sizeof loads / sizeof loads[0]; k++) {
        run_problem(strip, loads[k], false, &h, &r);
        assert_true(h.n == 0 && ritz_find_largest(r.largest, "displacement") > 0);
    }
    run_problem(strip,
                "cases=[{name: pull, boundary: {group: x1, traction: [1, 0]}}, {name: idle, boundary: {group: x1, "
                "traction: [0, 0]}}]",
                false, &h, &r);
    assert_true(h.n == 1);
    assert_non_null(strstr(h.lines[0], "no load acts on free unknowns in the case 'idle': the solution"));
    static const char joined[] =
        "mesh: {box: {cells: [2, 2]}}\nphysics: plane-stress\norder: 1\nmaterials: {young: 1, poisson: 0}\ngroups: "
        "[{name: a, of: nodes, nearest: [1, 0]}, {name: b, of: nodes, nearest: [1, 1]}]\nequations: {terms: [{group: "
        "a, "
        "component: x}, {group: b, component: x, weight: -1}]}\nboundary: [{group: x0, displacement: fixed}, {group: "
        "a, "
        "force: [1, 0]}, {group: b, force: [-1, 0]}, {group: x0, force: [0, 0]}]\noutput: none\n";
    run_problem(joined, NULL, false, &h, &r);
    assert_true(
        h.n == 1 &&
        strstr(h.lines[0], "no load acts on free unknowns, or loads cancel each other where equations or ties join"));
    run_problem(joined, "boundary.3.force=[1, 0]", false, &h, &r);
    assert_true(h.n == 1 &&
                strstr(h.lines[0], "all loads act where the supports and equations leave nothing free, or"));
    /* where shape functions of nodes beside a face are rounding there */
    run_problem(
        "mesh: {box: {cells: [2, 2, 2], cell: tet}}\nphysics: elasticity\norder: 2\nmaterials: {young: 1, poisson: "
        "0}\nboundary: {group: x0, displacement: fixed, force: [0, 0, 1e3]}\noutput: none\n",
        NULL, false, &h, &r);
    assert_true(h.n == 1 && fabs(r.balance.applied[2] - 1e3) < 1e-9);
    assert_non_null(strstr(h.lines[0], "of them act where the supports and equations leave nothing free: displa"));
    run_problem("mesh: {box: {cells: [2, 2]}}\nphysics: poisson\norder: 1\nboundary: {group: x0, value: 0}\n", NULL,
                false, &h, &r);
    assert_true(h.n == 1 && strstr(h.lines[0], "give a source, a flux or a value"));
    run_problem("mesh: {box: {cells: [2, 2]}}\nphysics: poisson\norder: 1\nboundary: {group: x0, value: 5}\n", NULL,
                false, &h, &r);
    assert_true(h.n == 0 && fabs(r.smallest_value - 5) < 1e-7);
}

/* Loads that balance each other leave supports rounding alone, which is no imbalance; a solver that stops early makes one. */
static void test_balance(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "mesh: {box: {cells: [4, 4], origin: [1, 0]}}\nphysics: axisymmetric\nmaterials: {young: 1e6, poisson: 0, "
        "expansion: [0, 0, 1e-3]}\ntemperature: 1\nboundary: {group: y0, displacement: {y: 0}}\noutput: none\n"
        "solver: {method: cg}\n",
        "mesh: {box: {cells: [40, 40]}}\nphysics: plane-stress\nmaterials: {young: 1e6, poisson: 0.3}\ngroups: [{name: "
        "a, of: nodes, nearest: [0.5, 0.5]}, {name: b, of: nodes, nearest: [0.6, 0.5]}]\nboundary: [{group: a, "
        "displacement: fixed}, {group: b, displacement: {y: 0}}]\nsolver: {preconditioner: multigrid}\noutput: none\n"
        "cases: [{name: a, boundary: {groups: [x0, x1], pressure: 1e4}}]\ncombine: {twice: {a: 2}}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        heard h;
        ritz_result r = {.size = sizeof r};
        run_problem(texts[i], NULL, false, &h, &r);
        if (h.n > 0)
            fail_msg("%s", h.lines[0]);
        run_problem(texts[i], "solver.tolerance=1e-2", false, &h, &r);
        assert_int_equal(h.n, 1 + i);
        assert_non_null(strstr(h.lines[i], "reactions and loads differ by "));
    }
}

/* A strip that is bent, whose supports carry a hundred times its load, in pairs. */
static void test_balance_in_bending(void **state)
{
    (void)state;
    static const char *const strip =
        "mesh: {box: {cells: [30, 2], size: [25, 1]}}\nphysics: plane-stress\norder: 2\nmaterials: {young: 1e6, "
        "poisson: 0.3}\nboundary: [{group: x0, displacement: fixed}, {group: x1, force: [0, 1]}]\n"
        "solver: {method: cg, preconditioner: jacobi}\noutput: none\n";
    heard h;
    ritz_result r = {.size = sizeof r};
    run_problem(strip, NULL, false, &h, &r);
    assert_int_equal(h.n, 0);
    run_problem(strip, "solver.tolerance=0.1", false, &h, &r);
    assert_int_equal(h.n, 1);
    assert_true(r.balance.imbalance < 1e-3);
    assert_non_null(strstr(h.lines[0], "reactions and loads differ by 0.0"));
    assert_non_null(strstr(h.lines[0], "of the loads: what the tolerance or rounding leaves"));
}

/* A table of temperatures with a node that the mesh has not. */
static void test_other_nodes(void **state)
{
    (void)state;
    FILE *file = fopen("warm.csv", "w");
    heard h;
    ritz_result r = {.size = sizeof r};
    assert_non_null(file);
    fputs("1, 20\n2, 30\n77, 1e9\n78, 1e9\n", file);
    fclose(file);
    run_problem(
        "mesh: {box: {cells: [2, 2]}}\nphysics: plane-stress\norder: 1\nmaterials: {young: 1, poisson: 0, expansion: "
        "1e-5}\ntemperature: {nodes: warm.csv, other: 20}\nboundary: {group: x0, displacement: fixed}\noutput: none\n",
        NULL, false, &h, &r);
    remove("warm.csv");
    assert_int_equal(h.n, 1);
    assert_non_null(
        strstr(h.lines[0], "warm.csv: lines left out since the mesh has no such node: 2, the first for node 77"));
}

/* A bar of 2 x 1 that is pulled to ten times its length, as by a load in other units than Young's modulus; in another case
   by a thousandth. */
static void test_large_displacements(void **state)
{
    (void)state;
    static const char *const bar = "mesh: {box: {cells: [2, 1], size: [2, 1]}}\nphysics: plane-stress\norder: 1\n"
                                   "materials: {young: 100, poisson: 0}\nboundary: [{group: x0, displacement: fixed}]\n"
                                   "cases: [{name: far, boundary: {group: x1, traction: [1000, 0]}}, "
                                   "{name: near, boundary: {group: x1, traction: [0.1, 0]}}]\n";
    heard h;
    ritz_result r = {.size = sizeof r};
    run_problem(bar, NULL, false, &h, &r);
    assert_true(h.n == 1);
    assert_non_null(strstr(h.lines[0], "largest displacement in the case 'far', 20, is larger than the part (2.236)"));
    run_problem(bar, "materials.young=1e3", false, &h, &r); /* 2 is less than the diagonal */
    assert_int_equal(h.n, 0);
}

/* A warm cube on springs that hold it by 1e-16 of its stiffness, and by 1e-6. */
static void test_held_by_nothing(void **state)
{
    (void)state;
    static const char *const cube =
        "mesh: {box: {cells: [8, 8, 8]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 1, poisson: 0.25, "
        "expansion: 1e-5}\ntemperature: \"100*y*y\"\nboundary: {group: x0, spring: %s}\n"
        "solver: {method: cg, preconditioner: multigrid}\noutput: none\n";
    char text[512];
    heard h;
    ritz_result r = {.size = sizeof r};
    snprintf(text, sizeof text, cube, "1e-16");
    run_problem(text, NULL, false, &h, &r);
    assert_int_equal(h.n, 1);
    assert_non_null(strstr(h.lines[0], "6 motions of the part are held by less than rounding of its stiffness"));
    snprintf(text, sizeof text, cube, "1e-6");
    run_problem(text, NULL, false, &h, &r);
    assert_int_equal(h.n, 0);
}

/* A plate that a weak film alone holds, by factors: refinement converges, to a temperature that the rounding of the matrix has
   changed by 0.05 %. */
static void test_sensitive(void **state)
{
    (void)state;
    heard h;
    ritz_result r = {.size = sizeof r};
    static const char *const plate =
        "mesh: {box: {cells: [100, 100]}}\nphysics: heat\norder: 1\nmaterials: {conductivity: "
        "1, source: 1}\nboundary: [{group: x0, film: {coefficient: 1e-9, ambient: 20}}, "
        "{group: x1, flux: 1}]\nsolver: direct\noutput: none\n";
    if (!ritz_direct_is_built())
        skip();
    run_problem(plate, NULL, false, &h, &r);
    assert_true(r.solve.sensitivity > 1e-7); /* how much depends on how the matrix was summed */
    assert_int_equal(h.n >= 1, !r.solve.converged || r.solve.sensitivity > 1e-5);
    assert_true(h.n == 0 ||
                strstr(h.lines[0], "rounding of the matrix's entries in double precision alone may change"));
    run_problem(plate, "boundary.0.film.coefficient=1", false, &h, &r);
    assert_int_equal(h.n, 0);
}

/* ---- Scales of the temperature ---- */

static void test_cold(void **state)
{
    (void)state;
    static const char *const bar =
        "mesh: {box: {cells: [2, 1]}}\nphysics: heat\norder: 1\nmaterials: {conductivity: 1}\nnewton: {tolerance: "
        "1e-12}\nboundary: [{group: x0, temperature: -30}, {group: x1, radiation: {emissivity: 0.9, ambient: 20, "
        "absolute_zero: 0, stefan_boltzmann: 5.67e-8}}]\noutput: none\n";
    heard h;
    ritz_result r = {.size = sizeof r};
    run_problem(bar, NULL, false, &h, &r); /* degrees Celsius, and the zero of kelvin */
    assert_true(h.n == 1 && strstr(h.lines[0], "falls to -30, below the 'absolute_zero' of 0 on line 6; give all"));
    run_problem(bar, "newton.tolerance=1e-8", false, &h,
                &r); /* of what would flow at 1000 K, where the iteration starts: the last change is small, too */
    assert_true(h.n == 1 && r.balance.imbalance < 1e-3);
    run_problem(bar, "boundary.1.radiation.absolute_zero=-273.15", false, &h, &r);
    assert_int_equal(h.n, 0);
}

/* ---- That they tell the truth ---- */

/* A strip of 10 x 1, clamped, with a force of 1 across its end: F L^3 / (3 E I) + F L / (5/6 G A). What the warning
   says is missing is so within a quarter of it, and where there is none less than a tenth is. */
static void test_beams(void **state)
{
    (void)state;
    static const struct {
        const char *mesh;
        int divisions[2];
    } beams[] = {{"quad", {10, 1}}, {"quad", {20, 2}}, {"quad", {40, 4}}, {"quad", {10, 4}},
                 {"tri", {20, 2}},  {"tri", {40, 4}},  {"tri", {80, 8}}};
    const double exact = 1e-6 * (1000 / (3 / 12.0) + 10 * 2 * 1.3 * 6 / 5.0);
    for (size_t k = 0; k < sizeof beams / sizeof beams[0]; k++) {
        char text[512];
        heard h;
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [%d, %d], size: [10, 1], cell: %s}}\nphysics: plane-stress\norder: 1\n"
                 "materials: {young: 1e6, poisson: 0.3}\n"
                 "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, -1]}]\n",
                 beams[k].divisions[0], beams[k].divisions[1], beams[k].mesh);
        run_problem(text, NULL, false, &h, &r);
        const double missing = 1 - ritz_find_largest(r.largest, "displacement") / exact;
        if (h.n == 0) {
            if (missing > 0.12)
                fail_msg("%.3g of the displacement are missing without a warning for\n%s", missing, text);
            continue;
        }
        const char *percent = strstr(h.lines[0], "up to ");
        assert_non_null(percent);
        const double said = 0.01 * strtod(percent + strlen("up to "), NULL);
        if (!(missing > 0.08 && fabs(missing - said) < 0.25 * missing + 0.02))
            fail_msg("%.3g of the displacement are missing, and %.3g are said for\n%s", missing, said, text);
    }
}

/* On a line of linear elements, u at the nodes is a multiple of powers of (1 + Pe) / (1 - Pe): above Pe = 1 it
   alternates, and falls below the values at both ends. */
static void test_oscillation(void **state)
{
    (void)state;
    static const char *const line =
        "mesh: {box: {cells: [20, 1], size: [1, 0.1]}}\nphysics: convection-diffusion\norder: 1\n"
        "materials: {diffusion: 0.02, velocity: [1, 0]}\nboundary: [{group: x0, value: 0}, {group: x1, value: 1}]\n"
        "solver: {tolerance: 1e-12}\n";
    heard h;
    ritz_result r = {.size = sizeof r};
    run_problem(line, NULL, false, &h, &r); /* Pe = 0.05 / 0.04 */
    assert_true(h.n == 1 && r.smallest_value < -0.05);
    run_problem(line, "materials.diffusion=0.0255", false, &h, &r);
    assert_true(h.n == 0 && r.smallest_value > -1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_they_stand),
        cmocka_unit_test(test_no_load),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_balance_in_bending),
        cmocka_unit_test(test_other_nodes),
        cmocka_unit_test(test_large_displacements),
        cmocka_unit_test(test_held_by_nothing),
        cmocka_unit_test(test_sensitive),
        cmocka_unit_test(test_cold),
        cmocka_unit_test(test_beams),
        cmocka_unit_test(test_oscillation),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
