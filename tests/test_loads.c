/* Loads on the whole body, against closed forms: thermal strain, initial stress, rotation,
   liquids. Stresses are read from probes. */
#include "probes.h"

/* Solves the text, with a probe where it has %s for the probe's file. */
static ritz_problem *solve(const char *format, ritz_result *result)
{
    char text[2048], path[64];
    ritz_problem *problem = NULL;
    snprintf(path, sizeof path, "%s/p.csv", folder);
    snprintf(text, sizeof text, format, path);
    if (parse_problem(text, "", NULL, &problem) != RITZ_OK || ritz_problem_solve(problem, result) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), text);
    return problem;
}

static void assert_near(double value, double known, double tolerance)
{
    if (!(fabs(value - known) <= tolerance))
        fail_msg("%.12g is not %.12g within %g", value, known, tolerance);
}

#define SYMMETRY                                                                                                       \
    "{group: x0, displacement: {x: 0}}, {group: y0, displacement: {y: 0}}, {group: z0, displacement: {z: 0}}"
#define SYMMETRY_2D "{group: x0, displacement: {x: 0}}, {group: y0, displacement: {y: 0}}"
#define EXACT_SOLVER "output: none\nsolver: {tolerance: 1e-13}\n"

/* ---- Thermal strain ---- */

/* A body that is free expands without stress, along each axis by its own number; its supports carry nothing. */
static void test_free_expansion(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1], distort: 0.2}}\nphysics: elasticity\nmaterials: {young: "
        "200e9, "
        "poisson: 0.3, expansion: 12e-6}\ntemperature: 120\nreference_temperature: 20\nboundary: [" SYMMETRY "]\n"
        "exact: [12e-4*x, 12e-4*y, 12e-4*z]\nprobes: {name: p, points: [1, 0.3, 0.7], file: %s}\n" EXACT_SOLVER,
        "mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1], cell: tet}}\nphysics: elasticity\norder: 1\nmaterials: "
        "{young: "
        "200e9, poisson: 0.3, expansion: [1e-6, 2e-6, 3e-6], temperature: 50, reference_temperature: -50}\nboundary: "
        "[" SYMMETRY
        "]\nexact: [1e-4*x, 2e-4*y, 3e-4*z]\nprobes: {name: p, points: [1, 0.3, 0.7], file: %s}\n" EXACT_SOLVER,
        /* a temperature that is linear bends without stress: u = a (x y, (y^2 - x^2) / 2) */
        "mesh: {box: {cells: [3, 2], size: [2, 1]}}\nphysics: plane-stress\nmaterials: {young: 200e9, poisson: 0.3, "
        "thickness: 0.1, expansion: 1e-5}\ntemperature: \"100*y\"\nboundary: [{group: x0, displacement: {x: 0}}, "
        "{group: x0, displacement: {y: \"5e-4*y*y\"}}]\nexact: [1e-3*x*y, 5e-4*(y*y - x*x)]\nprobes: {name: p, points: "
        "[1, 0.3], file: %s}\n" EXACT_SOLVER,
        /* between rigid planes: the strain in the plane is (1 + nu) alpha T, the stress across -E alpha T */
        "mesh: {box: {cells: [3, 2], size: [2, 1]}}\nphysics: plane-strain\nmaterials: {young: 200e9, poisson: 0.3, "
        "expansion: 1e-5}\ntemperature: 100\nboundary: [" SYMMETRY_2D
        "]\nexact: [1.3e-3*x, 1.3e-3*y]\nprobes: {name: p, "
        "points: [1, 0.3], file: %s}\n" EXACT_SOLVER,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve(texts[i], &r);
        static const char *const stresses[] = {"stress_xx", "stress_yy", "stress_xy", "stress_zz"};
        for (int k = 0; k < 4; k++)
            assert_near(read_probe(stresses[k], 0), k == 3 && i == 3 ? -200e6 : 0, 200);
        assert_true(r.error_l2 < 1e-13 && r.error_h1 < 1e-12);
        assert_true(r.balance.imbalance < 1e-9);
        for (int k = 0; k < r.balance.n_reactions; k++)
            for (int c = 0; c < 3; c++)
                assert_near(r.balance.reactions[k].force[c], 0, 1);
        ritz_problem_destroy(&p);
    }
}

/* A bar between walls: -E alpha dT, by the top level or by a case. */
static void test_clamped_bar(void **state)
{
    (void)state;
    static const char *const texts[] = {"temperature: 120\nreference_temperature: 20\n",
                                        "reference_temperature: 20\ncases: [{name: hot, temperature: 120}]\n",
                                        "temperature: 50\ncases: [{name: hotter, temperature: \"50 + 0*x\"}]\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1]}}\nphysics: elasticity\nmaterials: {young: 200e9, "
                 "poisson: 0.3, expansion: 12e-6}\nboundary: [" SYMMETRY ", {group: x1, displacement: {x: 0}}]\n"
                 "probes: {name: p, points: [1, 0.3, 0.7], file: %%s}\n" EXACT_SOLVER "%s",
                 texts[i]);
        ritz_problem *p = solve(text, &r);
        const ritz_balance *balance = i == 0 ? &r.balance : &r.cases[0].balance;
        const char *const column = i == 0 ? "stress_xx" : i == 1 ? "stress_hot_xx" : "stress_hotter_xx";
        assert_near(read_probe(column, 0), -240e6, 1);
        assert_near(balance->reactions[0].force[0], 240e6, 1);
        assert_near(balance->reactions[3].force[0], -240e6, 1);
        assert_true(balance->imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* A strip of two metals: the curvature of Timoshenko, Analysis of Bi-Metal Thermostats (1925), equation 4:
   6 (a2 - a1) T (1 + m)^2 / (h (3 (1 + m)^2 + (1 + m n) (m^2 + 1 / (m n)))), m = t1 / t2, n = E1 / E2. */
static void test_bimetal(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve(
        "mesh: {box: {cells: [40, 3], size: [40, 1.5]}}\nphysics: plane-stress\ngroups: [{name: low, of: cells, box: "
        "{from: [-1, -1], to: [41, 0.5]}}, {name: high, of: cells, not: low}, {name: foot, of: nodes, nearest: [0, "
        "0]}]\nmaterials:\n- "
        "{group: low, young: 200e3, "
        "poisson: 0.3, expansion: 24e-6}\n- {group: high, young: 100e3, poisson: 0.3, expansion: 12e-6}\ntemperature: "
        "100\nboundary: [{group: x0, displacement: {x: 0}}, {group: foot, displacement: {y: 0}}]\nprobes: {name: p, "
        "points: [[0, 0], [20, 0]], file: %s}\noutput: none\nsolver: {method: direct}\n",
        &r);
    const double m = 0.5, n = 2, h = 1.5;
    const double curvature =
        6 * 12e-6 * 100 * (1 + m) * (1 + m) / (h * (3 * (1 + m) * (1 + m) + (1 + m * n) * (m * m + 1 / (m * n))));
    const double rise = read_probe("displacement_y", 1) - read_probe("displacement_y", 0);
    assert_near(rise / (curvature * 20 * 20 / 2), 1, 2e-3);
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
}

/* ---- Temperatures at nodes ---- */

/* Solves a problem whose texts name files in the folder by %s/. */
static ritz_status try_in_folder(const char *text, ritz_result *result, ritz_problem **problem)
{
    const ritz_status status = parse_problem(text, folder, NULL, problem);
    return status == RITZ_OK ? ritz_problem_solve(*problem, result) : status;
}

static void write_file(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_file(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

#define SLAB "mesh: {box: {cells: [3, 2], size: [1, 0.5], cell: quad}}\n"
#define GUIDED                                                                                                         \
    SLAB "physics: plane-strain\norder: 3\nmaterials: {young: 200e9, poisson: 0.25, expansion: 1e-5}\nboundary: "      \
         "[{group: x0, displacement: {x: 0}}, {groups: [y0, y1], displacement: {y: 0}}]\nprobes: {name: p, points: "   \
         "[[0.25, 0.2], [1, 0.1]], file: p.csv}\n" EXACT_SOLVER

/* Heat that is made in a slab: T = 100 x (2 - x). Between walls it grows along x alone, by (1 + nu) / (1 - nu) alpha times
   the integral of T, and is pressed across by E alpha T / (1 - nu). From results of order 2 and, at other nodes, 4. */
static void test_heat_result(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2) {
        char heat[512];
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = NULL;
        snprintf(heat, sizeof heat,
                 SLAB "physics: heat\norder: %d\nmaterials: {conductivity: 5, source: 1000}\nboundary: {group: x0, "
                      "temperature: 0}\noutput: {file: heat.vtkhdf}\nsolver: {method: direct}\n",
                 order);
        assert_int_equal(try_in_folder(heat, &r, &p), RITZ_OK);
        ritz_problem_destroy(&p);
        if (try_in_folder(GUIDED "temperature: {result: heat.vtkhdf}\n", &r, &p) != RITZ_OK)
            fail_msg("%s", ritz_message());
        assert_near(read_probe("displacement_x", 1) / (1.25 / 0.75 * 1e-5 * 200 / 3), 1, 1e-7);
        assert_near(read_probe("stress_yy", 0) / (-200e9 * 1e-5 * 43.75 / 0.75), 1, 1e-6);
        assert_near(read_probe("stress_xx", 1) / 1e6, 0, 1e-3);
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* Numbers of nodes with values, and values of groups: both linear in x, as the expression. */
static void test_nodal_temperatures(void **state)
{
    (void)state;
    static const char *const texts[] = {
        GUIDED "temperature: \"100*x\"\n", GUIDED "temperature: {nodes: t.csv, other: 100}\n",
        GUIDED "temperature: {values: [{group: body, value: 7}, {groups: [body], value: \"100*x\"}]}\n",
        GUIDED "cases: [{name: hot, temperature: {nodes: t.csv, other: 100}}]\n",
        /* the same difference */
        GUIDED "temperature: 120\nreference_temperature: {values: [{group: body, value: \"120 - 100*x\"}]}\n"};
    double u[5];
    write_file("t.csv",
               "\xEF\xBB\xBF"
               "1, 0\n2, 33.333333333333333\n# a remark\n3 66.666666666666667\n\n5, 0\n"
               "6, 33.333333333333333\n7, 66.666666666666667\n9,0\n10;33.333333333333333\n11,66.666666666666667\n"
               "77, 1e9\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = NULL;
        if (try_in_folder(texts[i], &r, &p) != RITZ_OK)
            fail_msg("%s\n%s", ritz_message(), texts[i]);
        u[i] = read_probe(i == 3 ? "displacement_hot_x" : "displacement_x", 1);
        assert_near(u[i] / (1.25 / 0.75 * 1e-5 * 50), 1, 1e-7);
        ritz_problem_destroy(&p);
    }
}

static void test_nodal_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parts[2];
    } mistakes[] = {
        {"temperature: {result: heat.vtkhdf, nodes: t.csv}\n", {"problem:", "one of  result"}},
        {"temperature: {other: 5}\n", {"problem:", "one of  result"}},
        {"temperature: heat.vtkhdf\n", {"problem:", "given by a file as  temperature: {result: heat.vtkhdf}"}},
        {"temperature: t.csv\n", {"problem:", "given by a file as  temperature: {nodes: t.csv}"}},
        {"temperature: {field: u, nodes: t.csv}\n", {"problem:", "'field'"}},
        {"temperature: {nodes: t.csv}\n", {"problem:", "has no temperature; give one"}},
        {"temperature: {nodes: none.csv}\n", {"problem:", "cannot open"}},
        {"temperature: {nodes: t.csv, other: 1, in_cells: calculx}\n", {"problem:", "did you mean 'calculix'"}},
        {"temperature: {nodes: bad.csv, other: 1}\n", {"bad.csv:2:", "12, 55.5"}},
        {"temperature: {nodes: first.csv, other: 1}\n", {"first.csv:1:", "12, 55.5"}},
        {"temperature: {nodes: far.csv, other: 1}\n", {"far.csv: no line is of a node", "go from 1 to 12"}},
        {"temperature: {values: {group: nowhere, value: 1}}\n",
         {"the mesh has no group 'nowhere'", "its groups are: body, x0"}},
        {"temperature: {values: {group: bodi, value: 1}}\n", {"the mesh has no group 'bodi'", "did you mean 'body'"}},
        {"temperature: {values: [{group: x0}]}\n", {"problem:", "value"}},
        {"temperature: {result: none.vtkhdf}\n", {"problem:", "No such file"}},
        {"temperature: {result: t.csv}\n", {"problem:", "no result file"}},
        {"temperature: {result: heat.vtkhdf, field: winter}\n", {"'winter'", "it has heat_flux, temperature"}},
        {"gravity: {values: [{group: x0, value: 1}]}\n", {"problem:", "gravity"}},
    };
    write_file("bad.csv", "1, 20\n2\n");
    write_file("first.csv", "1 12O\n2 20\n");
    write_file("far.csv", "node, temperature\n101, 20\n102, 30\n");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = NULL;
        snprintf(text, sizeof text, GUIDED "%s", mistakes[i].text);
        assert_int_not_equal(try_in_folder(text, &r, &p), RITZ_OK);
        for (int k = 0; k < 2; k++)
            if (!strstr(ritz_message(), mistakes[i].parts[k]))
                fail_msg("'%s' lacks '%s'", ritz_message(), mistakes[i].parts[k]);
        ritz_problem_destroy(&p);
    }
    for (int other = 0; other < 3; other++) {
        static const char *const meshes[] = {"cells: [4, 2], size: [1, 0.5]", "cells: [3, 2], size: [1, 0.4]",
                                             "cells: [3, 2], size: [1, 0.5], cell: tri"};
        char text[512];
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = NULL;
        snprintf(text, sizeof text,
                 "mesh: {box: {%s}}\nphysics: plane-stress\nmaterials: {young: 1, poisson: 0.3, expansion: "
                 "1}\nboundary: {group: x0, displacement: fixed}\ntemperature: {result: heat.vtkhdf}\noutput: none\n",
                 meshes[other]);
        assert_int_equal(try_in_folder(text, &r, &p), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), "problem:5: ") || !strstr(ritz_message(), "is of another mesh: "))
            fail_msg("%s", ritz_message());
        ritz_problem_destroy(&p);
    }
    remove_file("bad.csv");
    remove_file("first.csv");
    remove_file("far.csv");
    remove_file("t.csv");
    remove_file("heat.vtkhdf");
}

/* ---- Initial stress ---- */

/* Held on all sides it stays, also where a case has no other load. */
static void test_initial_stress(void **state)
{
    (void)state;
    for (int in_case = 0; in_case < 2; in_case++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1]}}\nphysics: elasticity\nmaterials: {young: 200e9, "
                 "poisson: 0.25, initial_stress: {xx: \"40e6 + 0*y\", xy: 3e6}}\nboundary: [{groups: [x0, x1, y0, y1, "
                 "z0, z1], displacement: fixed}]\n%sprobes: {name: p, points: [1, 0.3, 0.7], file: %%s}\noutput: "
                 "none\nsolver: {tolerance: 1e-12}\n",
                 in_case ? "cases: [{name: alone}]\n" : "");
        ritz_problem *p = solve(text, &r);
        const char *end = in_case ? "_alone" : "";
        char name[3][32];
        for (int c = 0; c < 3; c++)
            snprintf(name[c], sizeof name[c], "stress%s_%s", end, ((const char *[]){"xx", "xy", "zz"})[c]);
        assert_near(read_probe(name[0], 0), 40e6, 1e-2);
        assert_near(read_probe(name[1], 0), 3e6, 1e-2);
        assert_near(read_probe(name[2], 0), 0, 1e-2);
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* Released along x it is gone there, and with it nu / (1 - nu) times as much across; the end moves by as much as the
   modulus of a bar that is held across allows. */
static void test_released_stress(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve("mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1]}}\nphysics: elasticity\nmaterials: {young: "
              "200e9, poisson: 0.25, initial_stress: {xx: 40e6}}\nboundary: [{group: x0, displacement: {x: "
              "0}}, {groups: [y0, y1], displacement: {y: 0}}, {groups: [z0, z1], displacement: {z: "
              "0}}]\nprobes: {name: p, points: [2, 0.3, 0.7], file: %s}\n" EXACT_SOLVER,
              &r);
    assert_near(read_probe("stress_xx", 0), 0, 1);
    assert_near(read_probe("stress_yy", 0), -40e6 / 3, 1);
    assert_near(read_probe("displacement_x", 0), -2 * 40e6 / 240e9, 1e-12);
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
}

/* ---- Rotation, liquids ---- */

/* A disc with a hole: Timoshenko and Goodier, Theory of Elasticity, article 32, with c = (3 + nu) / 8 rho omega^2:
   radial c (b^2 + a^2 - a^2 b^2 / r^2 - r^2), hoop c (b^2 + a^2 + a^2 b^2 / r^2 - (1 + 3 nu) / (3 + nu) r^2). As a thin
   ring of revolution (height far below the radii) and by radians and revolutions. */
static void test_spinning_disc(void **state)
{
    (void)state;
    static const char *const speeds[] = {"speed: 1000", "axis: [0, -2], rpm: 9549.296585513721"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [8, 1], size: [0.2, 0.002], origin: [0.1, 0]}}\nphysics: axisymmetric\norder: "
            "3\nmaterials: {young: 200e9, poisson: 0.3, density: 7800}\ncentrifugal: {%s}\nboundary: {group: y0, "
            "displacement: {y: 0}}\nprobes: {name: p, points: [[0.1, 0.001], [0.2, 0.001]], file: %%s}\n" EXACT_SOLVER,
            speeds[i]);
        ritz_problem *p = solve(text, &r);
        const double c = 3.3 / 8 * 7800 * 1e6, a2 = 0.01, b2 = 0.09;
        assert_near(read_probe("stress_zz", 0) / (c * (2 * b2 + a2 - 1.9 / 3.3 * a2)), 1, 2e-3);
        assert_near(read_probe("stress_zz", 1) / (c * (b2 + a2 + a2 * b2 / 0.04 - 1.9 / 3.3 * 0.04)), 1, 1e-3);
        assert_near(read_probe("stress_xx", 1) / (c * (b2 + a2 - a2 * b2 / 0.04 - 0.04)), 1, 2e-3);
        ritz_problem_destroy(&p);
    }
}

/* What holds a bar that turns carries m r omega^2 of its centre, whatever the axis. */
static void test_spinning_bar(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve("mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1]}}\nphysics: elasticity\nmaterials: {young: "
              "200e9, poisson: 0.3, density: 10}\ncentrifugal: {point: [0, 0.2, 7], axis: [0, 0, 3], "
              "speed: 10}\nboundary: {group: x0, displacement: fixed}\nprobes: {name: p, points: [1, 0.5, "
              "0.5], file: %s}\n" EXACT_SOLVER,
              &r);
    assert_near(r.balance.reactions[0].force[0], -20 * 1 * 100.0, 1e-6);
    assert_near(r.balance.reactions[0].force[1], -20 * 0.3 * 100.0, 1e-6);
    assert_near(r.balance.reactions[0].force[2], 0, 1e-6);
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
}

/* A wall of height 1 and width 1 in water to 0.75, from x = 0: rho g h^2 / 2. */
static void test_liquid(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve("mesh: {box: {cells: [2, 1, 4], size: [0.5, 1, 1]}}\nphysics: elasticity\nmaterials: {young: "
              "200e9, poisson: 0.3}\nboundary: [{group: z0, displacement: fixed}, {group: x0, hydrostatic: "
              "{level: 0.75, density: 1000, gravity: [0, 0, -10]}}]\nprobes: {name: p, points: [0.2, 0.5, "
              "0.5], file: %s}\n" EXACT_SOLVER,
              &r);
    assert_near(r.balance.reactions[0].force[0], -1000 * 10 * 0.75 * 0.75 / 2, 1e-6);
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
}

/* A ring under 2 of water, on a bed and springs: p A / (k A + K), A = pi (2^2 - 1^2), beside its own compression p h / E. */
static void test_ring_on_springs(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve("mesh: {box: {cells: [2, 2], origin: [1, 0]}}\nphysics: axisymmetric\nmaterials: {young: 1e8, poisson: "
              "0}\nboundary: [{group: y0, bedding: [0, 5e5]}, {group: y0, spring: [0, 3e6]}, {group: y1, hydrostatic: "
              "{level: 3, density: 1000, gravity: [0, -10]}}]\nprobes: {name: p, points: [[1.2, 0], [1.7, 1]], file: "
              "%s}\n" EXACT_SOLVER,
              &r);
    const double area = 3 * 3.14159265358979, sinks = 2e4 * area / (5e5 * area + 3e6);
    assert_near(read_probe("displacement_y", 0) / -sinks, 1, 1e-9);
    assert_near(read_probe("displacement_y", 1) / -(sinks + 2e-4), 1, 1e-9);
    assert_near(r.balance.applied[1] / (-2e4 * area), 1, 1e-9);
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
    assert_int_equal(ritz_problem_parse("mesh: {box: {cells: [2, 2]}}\nphysics: axisymmetric\nmaterials: {young: 1, "
                                        "poisson: 0}\nboundary: {group: y1, hydrostatic: {level: 1, density: 1, "
                                        "gravity: [1, -1]}}\n",
                                        "", NULL, 0, &p),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "along its axis"));
}

/* A thick tube in a rigid ring: u = a r + b / r with u = 0 outside and sigma_r = -p inside; the ring moves along the axis. */
static void test_rigid_ring(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve("mesh: {box: {cells: [8, 4], origin: [1, 0]}}\nphysics: axisymmetric\norder: 4\nmaterials: {young: 1e6, "
              "poisson: 0.3}\nrigid: {group: x1}\nboundary: [{groups: [y0, y1], displacement: {y: 0}}, {group: x0, "
              "pressure: 1e4}]\nprobes: {name: p, points: [[1, 0.3], [2, 0.3]], file: %s}\n" EXACT_SOLVER,
              &r);
    assert_near(read_probe("displacement_x", 0), 6e-3, 1e-9);
    assert_near(read_probe("displacement_x", 1), 0, 1e-15);
    ritz_problem_destroy(&p);
    p = solve("mesh: {box: {cells: [2, 2], origin: [1, 0]}}\nphysics: axisymmetric\nmaterials: {young: 1e6, poisson: "
              "0.3}\nrigid: {group: y1, displacement: {y: 1e-3}}\nboundary: {group: y0, displacement: fixed}\nprobes: "
              "{name: p, points: [[1, 1], [2, 1]], file: %s}\n" EXACT_SOLVER,
              &r);
    for (int k = 0; k < 2; k++) {
        assert_near(read_probe("displacement_x", k), 0, 1e-15);
        assert_near(read_probe("displacement_y", k), 1e-3, 1e-12);
    }
    assert_near(r.balance.reactions[1].force[1] / -r.balance.reactions[0].force[1], 1, 1e-9);
    ritz_problem_destroy(&p);
}

/* ---- Mistakes ---- */

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *material, *rest, *parts[2];
    } mistakes[] = {
        {"", "temperature: 20\n", {"problem:4", "no material expands"}},
        {", temperature: 20", "", {"problem:3", "does not expand"}},
        {", expansion: [1, 2]", "", {"problem:3", "expansion"}},
        {", initial_stress: {yz: 1}", "", {"problem:3", "no stress yz in plane-stress"}},
        {", initial_stress: {zz: 1}", "", {"problem:3", "no stress zz in plane-stress"}},
        {", initial_stress: 5", "", {"problem:3", "initial_stress"}},
        {", expansion: 1e-5",
         "temperature: 20\ncases: [{name: a, body: {temperature: 5}}]\n",
         {"problem:5", "temperature"}},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[1024];
        ritz_problem *problem = NULL;
        ritz_result result = {.size = sizeof result};
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [2, 2]}}\nphysics: plane-stress\nmaterials: {young: 1, poisson: 0.3%s}\n%sboundary: "
            "{group: x0, displacement: fixed}\noutput: none\n",
            mistakes[i].material, mistakes[i].rest);
        ritz_status status = parse_problem(text, "", NULL, &problem);
        if (status == RITZ_OK)
            status = ritz_problem_solve(problem, &result);
        assert_int_equal(status, RITZ_ERROR_INPUT);
        for (int k = 0; k < 2; k++)
            if (!strstr(ritz_message(), mistakes[i].parts[k]))
                fail_msg("'%s' lacks '%s'", ritz_message(), mistakes[i].parts[k]);
        ritz_problem_destroy(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_expansion),
        cmocka_unit_test(test_clamped_bar),
        cmocka_unit_test(test_bimetal),
        cmocka_unit_test(test_initial_stress),
        cmocka_unit_test(test_released_stress),
        cmocka_unit_test(test_spinning_disc),
        cmocka_unit_test(test_spinning_bar),
        cmocka_unit_test(test_liquid),
        cmocka_unit_test(test_ring_on_springs),
        cmocka_unit_test(test_rigid_ring),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_heat_result),
        cmocka_unit_test(test_nodal_temperatures),
        cmocka_unit_test(test_nodal_mistakes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
