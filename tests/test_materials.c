/* Materials whose stiffness depends on the direction, along axes that turn from place to place, against closed forms. */
#include "probing.h"

#include "physics/solid.h"

#define ALL_SIDES "x0, x1, y0, y1, z0, z1"
#define FIBRES "young: [100, 20, 10], poisson: [0.3, 0.25, 0.4], shear: [6, 7, 4]"
enum { IN_SPACE, SHEET, PLANE, N_PHYSICS };
static const char *const physics[N_PHYSICS] = {"elasticity", "plane-stress", "plane-strain"};

/* Tension of 1 at 30 degrees to the fibres: Lekhnitskii, Anisotropic Plates (1968), equations 6.4. The displacements that
   follow are prescribed all around, and those inside and the stress are the answer. */
static void test_off_axis(void **state)
{
    (void)state;
    const double c = cos(M_PI / 6), s = sin(M_PI / 6), E1 = 100, E2 = 20, n12 = 0.3, G12 = 6;
    const double exx = pow(c, 4) / E1 + (1 / G12 - 2 * n12 / E1) * s * s * c * c + pow(s, 4) / E2;
    const double eyy = -n12 / E1 * (pow(s, 4) + pow(c, 4)) + (1 / E1 + 1 / E2 - 1 / G12) * s * s * c * c;
    const double gxy =
        (2 / E1 + 2 * n12 / E1 - 1 / G12) * s * c * c * c - (2 / E2 + 2 * n12 / E1 - 1 / G12) * s * s * s * c;
    const double ezz = -0.25 / E1 * c * c - 0.4 / E2 * s * s;
    for (int k = IN_SPACE; k <= SHEET; k++) {
        char text[2048], z[40] = "";
        ritz_result r = {.size = sizeof r};
        if (k == IN_SPACE)
            snprintf(z, sizeof z, ", \"%.17g*z\"", ezz);
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [3, 2%s], distort: 0.2}}\nphysics: %s\norder: 1\nsystems: {fibre: {rotate: [0, 0, "
            "30]}}\nmaterials: {" FIBRES ", orientation: fibre}\nboundary: {groups: [%s], displacement: &u [\"%.17g*x "
            "+ %.17g*y\", \"%.17g*y\"%s]}\nexact: *u\n",
            k == IN_SPACE ? ", 2" : "", physics[k], k == IN_SPACE ? ALL_SIDES : "x0, x1, y0, y1", exx, gxy, eyy, z);
        ritz_problem *p = solve(text, k == IN_SPACE ? "[0.3, 0.4, 0.6]" : "[0.3, 0.4]", &r);
        assert_true(r.error_l2 < 1e-14 && r.error_h1 < 1e-13);
        assert_string_equal(ritz_problem_physics(p), physics[k]);
        assert_near("stress_xx", 1, 1e-11);
        assert_near("stress_yy", 0, 1e-11);
        assert_near("stress_zz", 0, 1e-11);
        assert_near("stress_xy", 0, 1e-11);
        assert_near("strain_zz", ezz, 1e-13);
        assert_near("material_stress_11", c * c, 1e-11);
        assert_near("material_stress_12", -s * c, 1e-11);
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* A cylinder whose hoops are four times as stiff as its radii: u_r = r^2 is in balance, for c11 (r u')' = c22 u / r. By a
   cylindrical system, and by expressions; where x is the radius the hoops are direction 3. */
static void test_cylinder(void **state)
{
    (void)state;
#define HOOPS "stiffness: {c11: 1, c12: 0.5, c13: 0.25, c22: 4, c23: 0.75, c33: 2, c44: 1, c55: 0.8, c66: 0.7}"
#define GROWTH "displacement: &u [\"x*hypot(x, y)\", \"y*hypot(x, y)\""
    static const char *const texts[] = {
        "mesh: {box: {cells: [3, 3], origin: [1, 0.5]}}\nphysics: plane-strain\norder: 3\nsystems: {o: {axis: [0, 0, "
        "1]}}\nmaterials: {" HOOPS ", orientation: o}\nboundary: {groups: [x0, x1, y0, y1], " GROWTH "]}\nexact: *u\n",
        "mesh: {box: {cells: [3, 3], origin: [1, 0.5]}}\nphysics: plane-strain\norder: 3\nsystems: {o: {x: [2*x, "
        "2*y]}}\nmaterials: {" HOOPS ", orientation: o}\nboundary: {groups: [x0, x1, y0, y1], " GROWTH
        "]}\nexact: *u\n",
        "mesh: {box: {cells: [3, 3, 1], origin: [1, 0.5, 0], size: [1, 1, 0.2]}}\nphysics: elasticity\norder: "
        "2\nsystems: {o: {x: [x, y, 0], xy: [-y, x, 0]}}\nmaterials: {" HOOPS ", orientation: o}\nboundary: {groups: "
        "[" ALL_SIDES "], " GROWTH ", 0]}\nexact: *u\n",
        "mesh: {box: {cells: [3, 2], origin: [1, 0.5]}}\nphysics: axisymmetric\nmaterials: {stiffness: [1, 0.25, 0.5, "
        "0, 0, 0, 2, 0.75, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 1, 0, 1]}\nboundary: {groups: [x0, x1, y0, y1], displacement: "
        "&u [x*x, 0]}\nexact: *u\n",
    };
    static const double most[] = {5e-5, 5e-5, 1e-3, 1e-13};
    const double radius = hypot(1.5, 0.9);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ritz_result r = {.size = sizeof r};
        const bool ring = i == 3;
        ritz_problem *p = solve(texts[i], i == 2 ? "[1.5, 0.9, 0.1]" : "[1.5, 0.9]", &r);
        const double tolerance = most[i] * 100, at = ring ? 1.5 : radius;
        if (!(r.error_l2 < most[i]))
            fail_msg("text %zu: error %g", i, r.error_l2);
        assert_near("material_stress_11", (2 + 0.5) * at, tolerance); /* c11 2 r + c12 r */
        assert_near(ring ? "material_stress_33" : "material_stress_22", (2 * 0.5 + 4) * at, tolerance);
        assert_near(ring ? "material_stress_22" : "material_stress_33", (2 * 0.25 + 0.75) * at, tolerance);
        assert_near("material_stress_12", 0, tolerance);
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* Young's modulus of a copper crystal along its diagonal: 1 / E = s11 - 2/3 (s11 - s12 - s44 / 2), Nye, Physical
   Properties of Crystals (1957), p. 145. Constants of Landolt-Boernstein: 168.4, 121.4, 75.4 GPa; E = 191 GPa. */
static void test_crystal(void **state)
{
    (void)state;
    const double c11 = 168.4, c12 = 121.4, c44 = 75.4, d = (c11 - c12) * (c11 + 2 * c12);
    const double s11 = (c11 + c12) / d, s12 = -c12 / d, E = 1 / (s11 - 2.0 / 3 * (s11 - s12 - 0.5 / c44));
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve(
        "mesh: {box: {cells: [3, 2, 2], distort: 0.2}}\nphysics: elasticity\norder: 1\nsystems: {crystal: {x: [1, "
        "sqrt(2), 0], xy: [0.5773502691896258, -0.408248290463863, 0.7071067811865476]}}\nmaterials: {stiffness: "
        "{c11: 168.4, c22: 168.4, c33: 168.4, c12: 121.4, c13: 121.4, c23: 121.4, c44: 75.4, c55: 75.4, c66: "
        "75.4}, orientation: crystal}\nboundary: [{group: x0, displacement: {x: 0}}, {group: y0, displacement: {y: "
        "0}}, {group: z0, displacement: {z: 0}}, {group: x1, traction: [1, 0, 0]}]\n",
        "[0.3, 0.4, 0.6]", &r);
    assert_true(fabs(E - 191) < 0.5);
    assert_near("strain_xx", 1 / E, 1e-12);
    assert_near("stress_xx", 1, 1e-9);
    assert_near("stress_yz", 0, 1e-9);
    assert_near("strain_yy", read_probe("strain_zz", 0), 1e-12);
    ritz_problem_destroy(&p);
}

/* Free, the body strains by each direction's expansion without stress; held, it is under -E alpha T (nu = 0). */
static void test_expansion(void **state)
{
    (void)state;
    const double c = cos(M_PI / 6), s = sin(M_PI / 6), a1 = 1e-3, a2 = 4e-3, a3 = 2e-3;
    for (int k = 0; k < 2 * N_PHYSICS; k++) {
        char text[2048], u[256] = "0, 0";
        const int kind = k / 2, held = k % 2, plane = kind == PLANE;
        const char *sides = kind == IN_SPACE ? ALL_SIDES : "x0, x1, y0, y1";
        ritz_result r = {.size = sizeof r};
        if (!held)
            snprintf(u, sizeof u, "\"%.17g*x + %.17g*y\", \"%.17g*x + %.17g*y\"", a1 * c * c + a2 * s * s,
                     (a1 - a2) * s * c, (a1 - a2) * s * c, a1 * s * s + a2 * c * c);
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [3, 2%s], distort: 0.2}}\nphysics: %s\norder: 1\nsystems: {fibre: {rotate: [0, 0, "
            "30]}}\nmaterials: {young: [100, 20, 10], poisson: [%s], shear: [6, 7, 4], orientation: fibre, "
            "expansion: [1e-4, 4e-4, 2e-4]}\ntemperature: 30\nreference_temperature: 20\nboundary: {groups: [%s], "
            "displacement: [%s%s]}\n",
            kind == IN_SPACE ? ", 2" : "", physics[kind], held || plane ? "0, 0, 0" : "0.3, 0.25, 0.4", sides, u,
            kind != IN_SPACE ? ""
            : held           ? ", 0"
                             : ", \"2e-3*z\"");
        ritz_problem *p = solve(text, kind == IN_SPACE ? "[0.3, 0.4, 0.6]" : "[0.3, 0.4]", &r);
        assert_near("material_stress_11", held ? -100 * a1 : 0, 1e-12);
        assert_near("material_stress_22", held ? -20 * a2 : 0, 1e-12);
        assert_near("material_stress_33", (held && kind == IN_SPACE) || plane ? -10 * a3 : 0, 1e-12);
        assert_near("material_stress_12", 0, 1e-12);
        assert_near("strain_zz", plane || (held && kind == IN_SPACE) ? 0 : a3, 1e-14);
        ritz_problem_destroy(&p);
    }
}

/* One physics serves materials of both kinds: an isotropic one in it gives what it gives alone, with thermal strain, in the
   ring, beside another material. */
static void test_isotropic_beside(void **state)
{
    (void)state;
    double stress[2][3];
    static const char *const columns[] = {"stress_xx", "stress_yy", "stress_zz"};
    static const char *const other[] = {"young: 50, poisson: 0.2", "young: [50, 50, 50], poisson: [0.2, 0.2, 0.2], "
                                                                   "shear: [20.833333333333332, 20.833333333333332, "
                                                                   "20.833333333333332]"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [3, 2], origin: [1, 0]}}\nphysics: axisymmetric\ngroups: [{name: a, of: cells, "
                 "box: {from: [0, 0], to: [3, 0.5]}}]\nmaterials: [{group: a, young: 100, poisson: 0.3, expansion: "
                 "1e-3}, {%s}]\ntemperature: 10\nboundary: [{group: y0, displacement: {y: 0}}, {group: x1, traction: "
                 "[0.3, 0.1]}]\n",
                 other[k]);
        ritz_problem *p = solve(text, "[1.3, 0.3]", &r);
        for (int c = 0; c < 3; c++)
            stress[k][c] = read_probe(columns[c], 0);
        ritz_problem_destroy(&p);
    }
    for (int c = 0; c < 3; c++)
        assert_true(fabs(stress[0][c]) > 1e-3 && fabs(stress[1][c] - stress[0][c]) < 1e-9);
}

/* A bar whose modulus and expansion depend on the temperature, by a table and by an expression, at one temperature and at one
   that varies: strain = s / E(T) + alpha(T) (T - 20). */
static void test_of_temperature(void **state)
{
    (void)state;
    static const struct {
        const char *material, *temperature;
        double T;
    } cases[] = {
        {"young: {table: [[20, 200], [120, 100], [220, 80]]}, poisson: 0, expansion: {table: [[20, 1e-4], [220, "
         "3e-4]]}",
         "temperature: 170", 170},
        {"young: \"T < 120 ? 220 - T : 124 - T/5\", poisson: \"0*T\", expansion: \"8e-5 + 1e-6*T\"",
         "temperature: \"140 + 60*x\"", 170},
        {"young: {table: [[20, 200], [120, 100], [220, 80]]}, poisson: 0, expansion: 1.8e-4, temperature: 100", "",
         100},
        {"young: {table: [[20, 200], [120, 100], [220, 80]]}, poisson: 0, expansion: 3e-4", "temperature: 500", 500},
        {"young: [\"200 - T\", 100, {table: [[0, 100], [340, 0]]}], poisson: [0, 0, 0], shear: [50, 50, 50], "
         "expansion: "
         "[2.3e-4, 0, 0]",
         "temperature: 150", 150},
        {"young: \"220 - T\", poisson: 0", "temperature: 100", 100},
        {"young: \"220 - T\", poisson: 0, temperature: 100", "", 100},
    };
    static const double young[] = {90, 90, 120, 80, 50, 120, 120},
                        expansion[] = {2.5e-4, 2.5e-4, 1.8e-4, 3e-4, 2.3e-4, 0, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [4, 1, 1]}}\nphysics: elasticity\nmaterials: {%s}\n%s\nreference_temperature: "
            "20\nboundary: [{group: x0, displacement: {x: 0}}, {group: y0, displacement: {y: 0}}, {group: z0, "
            "displacement: {z: 0}}, {group: y1, displacement: {y: 0}}, {group: z1, displacement: {z: 0}}, {group: x1, "
            "traction: [0.9, 0, 0]}]\n",
            cases[i].material, cases[i].temperature);
        ritz_problem *p = solve(text, "[0.5, 0.5, 0.5]", &r);
        const double known = 0.9 / young[i] + expansion[i] * (cases[i].T - 20);
        assert_near("strain_xx", known, i == 1 ? 1e-3 * known : 1e-12);
        ritz_problem_destroy(&p);
    }
}

/* Where the temperature is given at nodes: a bar of T = 100 x, whose halves soften by an expression and by constants of
   directions, under a force: u = int s / E + alpha (T - 20) dx; the reactions are the force. */
static void test_of_nodal_temperature(void **state)
{
    (void)state;
    static const char *const materials[] = {
        "[{group: low, young: \"200 - T\", poisson: 0, expansion: \"1e-6*T\"}, {group: high, young: [\"200 - T\", 100, "
        "100], "
        "poisson: [0, 0, 0], shear: [50, 50, 50], expansion: [\"1e-6*T\", 0, 0]}]",
        "{young: {table: [[0, 200], [100, 100]]}, poisson: 0, expansion: {table: [[0, 0], [100, 1e-4]]}}"};
    for (int k = 0; k < 2; k++) {
        char text[1536];
        ritz_result r = {.size = sizeof r};
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [8, 1, 1]}}\nphysics: elasticity\norder: 2\ngroups: [{name: low, of: cells, above: "
            "{point: [0.5, 0, 0], normal: [-1, 0, 0]}}, {name: high, of: cells, above: {point: [0.5, 0, 0], normal: "
            "[1, 0, 0]}}, {name: all, of: nodes, above: {point: [-1, 0, 0], normal: [1, 0, 0]}}]\nmaterials: "
            "%s\ntemperature: {values: [{group: all, value: \"100*x\"}], other: 0}\nreference_temperature: 20\n"
            "boundary: [{group: x0, displacement: {x: 0}}, {groups: [y0, y1], displacement: {y: 0}}, {groups: [z0, "
            "z1], displacement: {z: 0}}, {group: x1, traction: [5, 0, 0]}]\n",
            materials[k]);
        ritz_problem *p = solve(text, "[1, 0.5, 0.5]", &r);
        const double known = 5 * log(2) / 100 + 1e-6 * (1e4 / 3 - 20 * 50);
        assert_near("displacement_x", known, 2e-6 * known);
        assert_near("stress_xx", 5, 2e-3);
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* The same for density, yield stress and the elements that have more than shape functions: the bar of T = 100 x strains along
   x alone, with the modulus 1.2 (200 - T) of nu = 1/4, under its end's traction of 5 in one case, its weight in the other. */
static void test_all_of_nodal_temperature(void **state)
{
    (void)state;
    static const struct {
        const char *formulation;
        int order;
    } kinds[] = {{"standard", 2}, {"mixed", 2}, {"incompatible", 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[1536];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [8, 1, 1]}}\nphysics: elasticity\norder: %d\ngroups: [{name: all, of: nodes, "
                 "above: {point: [-1, 0, 0], normal: [1, 0, 0]}}]\nmaterials: {young: \"200 - T\", poisson: 0.25, "
                 "density: \"1 + T\", yield: {table: [[0, 50], [100, 20]]}, formulation: %s}\ntemperature: {values: "
                 "[{group: all, value: \"100*x\"}]}\nboundary: [{group: x0, displacement: {x: 0}}, {groups: [y0, y1], "
                 "displacement: {y: 0}}, {groups: [z0, z1], displacement: {z: 0}}]\ncases: [{name: pull, boundary: "
                 "{group: x1, traction: [5, 0, 0]}}, {name: dead, "
                 "gravity: [2, 0, 0]}]\n",
                 kinds[k].order, kinds[k].formulation);
        ritz_problem *p = solve(text, "[1, 0.5, 0.5]", &r);
        const double known = 5 / 1.2 * log(2) / 100;
        assert_near("displacement_pull_x", known, (kinds[k].order == 1 ? 1e-3 : 2e-6) * known);
        assert_near("safety_pull", 20 / read_probe("von_mises_pull", 0), 1e-9);
        assert_true(fabs(r.mass - 51) < 1e-9 && fabs(r.centre[0] - (0.5 + 100 / 3.0) / 51) < 1e-9);
        assert_true(fabs(r.cases[1].balance.applied[0] - 2 * 51) < 1e-6 && r.cases[1].balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* A material by name is what its numbers are, in both systems of units, but for what stands beside the name. */
static void test_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int property;
        double value;
    } named[] = {
        {"materials: {material: steel}", RITZ_SOLID_YOUNG, 210e9},
        {"materials: {material: steel}", RITZ_SOLID_POISSON, 0.3},
        {"materials: {material: steel-s355}\nunits: m-N-Pa", RITZ_SOLID_YIELD, 355e6},
        {"materials: {material: aluminium-6061}\nunits: mm-N-MPa", RITZ_SOLID_YOUNG, 68900},
        {"materials: {material: aluminium-6061}\nunits: mm-N-MPa", RITZ_SOLID_DENSITY, 2.7e-9},
        {"materials: {material: aluminium-6061, young: 7}\nunits: mm-N-MPa", RITZ_SOLID_YOUNG, 7},
        {"materials: {material: aluminium-6061, young: 7}\nunits: mm-N-MPa", RITZ_SOLID_EXPANSION, 23.6e-6},
        {"materials: {young: [7, 7, 7], poisson: [0, 0, 0], shear: [1, 1, 1], material: copper}", RITZ_SOLID_DENSITY,
         8890},
    };
    static const char *const mistakes[][2] = {
        {"materials: {material: stel}", "did you mean 'steel'"},
        {"materials: {material: steel}\nunits: inch", "system of units"},
        {"materials: {young: 1, poisson: 0}\nunits: m-N-Pa", "'units' says"},
        {"materials: {material: [steel]}", "ritz materials"},
    };
    char text[512];
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        ritz_problem *p = NULL;
        snprintf(text, sizeof text, "mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\n%s\n", named[i].text);
        if (parse_problem(text, "", NULL, &p) != RITZ_OK)
            fail_msg("%s\n%s", ritz_message(), text);
        assert_true(p->materials[0].property[named[i].property].component[0].value == named[i].value);
        ritz_problem_destroy(&p);
    }
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ritz_problem *p = NULL;
        snprintf(text, sizeof text, "mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\n%s\n", mistakes[i][0]);
        assert_int_equal(parse_problem(text, "", NULL, &p), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), mistakes[i][1]))
            fail_msg("%s\n%s", ritz_message(), mistakes[i][1]);
    }
}

/* No value is impossible, and each is in a range that solids have: a misplaced digit shows. */
static void test_library(void **state)
{
    (void)state;
    int n = 0;
    for (const ritz_known_material *m; (m = ritz_known_material_at(n)); n++) {
        assert_true(m->young >= 20e9 && m->young <= 250e9 && m->poisson >= 0.15 && m->poisson < 0.36);
        assert_true(m->density >= 1500 && m->density <= 9000 && m->expansion >= 5e-6 && m->expansion <= 30e-6);
        assert_true(m->conductivity >= 0.5 && m->conductivity <= 420);
        assert_true(m->yield == 0 || (m->yield >= 100e6 && m->yield < 1e9));
        assert_true(*m->words && *m->source);
    }
    assert_true(n >= 10 && !ritz_known_material_at(-1));
}

/* The constants that the library gives to authors of other codes are those of a problem file. */
static void test_constants(void **state)
{
    (void)state;
    static const double young[3] = {100, 20, 10}, poisson[3] = {0.3, 0.25, 0.4}, shear[3] = {6, 7, 4};
    const double c = cos(M_PI / 6), s = sin(M_PI / 6), axes[9] = {c, s, 0, -s, c, 0, 0, 0, 1};
    const double back[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    double turned[21], own[21];
    assert_int_equal(ritz_elastic_constants(young, poisson, shear, axes, turned), RITZ_OK);
    assert_int_equal(ritz_elastic_constants(young, poisson, shear, NULL, own), RITZ_OK);
    assert_true(fabs(own[20] - 6) < 1e-12 && fabs(own[15] - 4) < 1e-12); /* c66 is G12, c44 is G23 */
    assert_int_equal(ritz_turn_elastic_constants(back, turned), RITZ_OK);
    for (int k = 0; k < 21; k++)
        assert_true(fabs(turned[k] - own[k]) < 1e-12);
    assert_int_equal(ritz_turn_elastic_constants((double[9]){1, 0, 0, 1, 0, 0, 0, 0, 1}, turned), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "right angles"));
    assert_int_equal(ritz_turn_elastic_constants((double[9]){2, 0, 0, 0, 1, 0, 0, 0, 1}, turned), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "length"));
}

/* ---- Mistakes ---- */

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *material, *message;
    } mistakes[] = {
        {"young: [100, 20, 10], poisson: 0.3", "three values of 'young' take three of 'poisson'"},
        {"young: 100, poisson: [0.3, 0.3, 0.3]", "a single 'young' takes a single 'poisson'"},
        {"young: {1: 100, 2: 20}, poisson: 0.3", "'young' has no value for 3"},
        {"poisson: 0.3", "has no 'young'"},
        {"young: 1, poisson: 0.3, stiffness: {c11: 1}", "either a 'stiffness' or"},
        {"stiffness: [1, 2]", "a list of all 21 values, c11 to c66"},
        {"stiffness: {c11: 1, c21: 1}", "c21"},
        {"young: [100, 20, 10], poisson: [2.4, 0.25, 0.4], shear: [6, 7, 4]",
         "nu12 must be between -sqrt(E1/E2) and sqrt(E1/E2), which is 2.23607; it is 2.4"},
        {"young: [100, 20, 10], poisson: [2, 2, 1], shear: [6, 7, 4]", "too large together"},
        {"young: [100, -20, 10], poisson: [0, 0, 0], shear: [6, 7, 4]", "E2 must be greater than 0; it is -20"},
        {"young: [100, 20, 10], poisson: [0, 0, 0], shear: [6, 7, \"4 - 5*x\"]", "at ("},
        {"stiffness: {c11: 1, c22: 1, c33: 1, c44: 1, c55: 1, c66: 1, c12: 1.5}", "not positive definite"},
        {"young: {table: [[20, 1], [10, 2]]}, poisson: 0.3", "10 does not come after 20"},
        {"young: {table: [20, 1]}, poisson: 0.3", "young"},
        {"young: {tabel: [[20, 1]]}, poisson: 0.3", "'young' has no key 'tabel'; did you mean 'table'?"},
        {"young: {table: [[20, 1]], tabel: 2}, poisson: 0.3",
         "'young' takes a 'table' and no key beside it; remove 'tabel'"},
        {"young: {table: 2}, poisson: 0.3", "a list of up to 100 rows"},
        {"young: \"1 + T\", poisson: 0.3", "'young' depends on the temperature, and none is given"},
        {"young: \"T - 50\", poisson: 0.3}\ntemperature: {values: [{group: x0, value: 70}], other: 20",
         "'young' must be greater than 0; it is -5 in element 1"},
        {"young: \"1 - T\", poisson: 0.3, temperature: 3, expansion: 1", "at the given temperature it is -2"},
        {"young: \"1 + T*\", poisson: 0.3", "1 + T*"},
        {"young: 1, poisson: 0.3, orientation: grain", "there is no system 'grain'"},
        {"young: [100, 20, 10], poisson: [0, 0, 0], shear: [6, 7, 4], orientation: a}\nsystems: {a: {x: [sqrt(x - "
         "2), 1, 0]}",
         "component 1 of 'x' is not finite here"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[1024];
        ritz_problem *p = NULL;
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\noutput: none\nboundary: {group: x0, "
                 "displacement: fixed}\nmaterials:\n  {%s}\n",
                 mistakes[i].material);
        ritz_status status = parse_problem(text, "part", NULL, &p);
        if (status == RITZ_OK)
            status = ritz_problem_solve(p, &r);
        if (status != RITZ_ERROR_INPUT || !strstr(ritz_message(), mistakes[i].message) ||
            !strstr(ritz_message(), ":6: "))
            fail_msg("%s\n%s", mistakes[i].material, ritz_message());
        ritz_problem_destroy(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_off_axis),
                                       cmocka_unit_test(test_cylinder),
                                       cmocka_unit_test(test_crystal),
                                       cmocka_unit_test(test_expansion),
                                       cmocka_unit_test(test_isotropic_beside),
                                       cmocka_unit_test(test_of_temperature),
                                       cmocka_unit_test(test_of_nodal_temperature),
                                       cmocka_unit_test(test_all_of_nodal_temperature),
                                       cmocka_unit_test(test_by_name),
                                       cmocka_unit_test(test_library),
                                       cmocka_unit_test(test_constants),
                                       cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
