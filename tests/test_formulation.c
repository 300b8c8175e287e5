/* Mixed elements where nothing changes its volume, and incompatible modes in bending, against closed forms. */
#include "probing.h"

/* ---- Mixed elements ---- */

/* A flow without change of volume, u = (sin^2(pi x) sin(2 pi y), -sin(2 pi x) sin^2(pi y)), of a material with the shear
   modulus 1: its body force is -Laplace u, whatever the bulk modulus. */
#define PI "3.141592653589793"
#define FLOW_X "sin(" PI "*x)*sin(" PI "*x)*sin(2*" PI "*y)"
#define FLOW_Y "-sin(2*" PI "*x)*sin(" PI "*y)*sin(" PI "*y)"
#define FORCE_X "2*" PI "*" PI "*sin(2*" PI "*y)*(2*sin(" PI "*x)*sin(" PI "*x) - cos(2*" PI "*x))"
#define FORCE_Y "-2*" PI "*" PI "*sin(2*" PI "*x)*(2*sin(" PI "*y)*sin(" PI "*y) - cos(2*" PI "*y))"

static double find_error(const char *box, int dim, int order, double poisson, const char *formulation)
{
    char text[2048];
    ritz_result r = {.size = sizeof r};
    static const char *const ends = ", {groups: [z0, z1], displacement: {z: 0}}"; /* slide */
    const bool space = dim == 3;
    snprintf(
        text, sizeof text,
        "mesh: {box: {%s}}\nphysics: %s\norder: %d\nmaterials: {young: %.17g, poisson: %.17g, formulation: %s, force: "
        "[\"" FORCE_X "\", \"" FORCE_Y "\"%s]}\nboundary: [{groups: [x0, x1, y0, y1], displacement: {x: 0, y: "
        "0}}%s]\nexact: [\"" FLOW_X "\", \"" FLOW_Y "\"%s]\n",
        box, space ? "elasticity" : "plane-strain", order, 2 * (1 + poisson), poisson, formulation, space ? ", 0" : "",
        space ? ends : "", space ? ", 0" : "");
    ritz_problem *p = solve(text, dim == 3 ? "[0.3, 0.4, 0.05]" : "[0.3, 0.4]", &r);
    assert_true(r.balance.imbalance < 1e-6); /* the bulk modulus is 1e5 times the shear modulus */
    ritz_problem_destroy(&p);
    return r.error_l2;
}

/* The errors of mixed elements fall as they do elsewhere, at 0.4999 and at 0.49999 alike; standard ones lock. */
static void test_flow(void **state)
{
    (void)state;
    static const struct {
        const char *coarse, *fine;
        int dim, order;
        double most, ratio; /* of the fine mesh's error, and of both */
    } cases[] = {
        {"cells: [8, 8], distort: 0.1", "cells: [16, 16], distort: 0.1", 2, 1, 0.03, 3.5},
        {"cells: [4, 4]", "cells: [8, 8]", 2, 2, 0.004, 7},
        {"cells: [4, 4], cell: tri", "cells: [8, 8], cell: tri", 2, 2, 0.03, 3.5},
        {"cells: [4, 4, 1], size: [1, 1, 0.1]", "cells: [8, 8, 1], size: [1, 1, 0.1]", 3, 2, 0.004, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double coarse = find_error(cases[i].coarse, cases[i].dim, cases[i].order, 0.4999, "mixed");
        const double fine = find_error(cases[i].fine, cases[i].dim, cases[i].order, 0.4999, "mixed");
        const double finer = find_error(cases[i].fine, cases[i].dim, cases[i].order, 0.49999, "mixed");
        if (!(fine < cases[i].most && coarse / fine > cases[i].ratio && fabs(finer - fine) < 0.05 * fine))
            fail_msg("case %zu: %g, %g, at 0.49999 %g", i, coarse, fine, finer);
    }
    const double locked = find_error(cases[0].fine, 2, 1, 0.4999, "standard");
    if (!(locked > 0.3))
        fail_msg("standard elements do not lock: %g", locked);
}

/* Lame's ring under pressure between rigid ends: displacements, stresses, what the ends carry. */
static void test_ring(void **state)
{
    (void)state;
    static const double ratios[] = {0.4999, 0.49999};
    for (int order = 1; order <= 2; order++)
        for (int k = 0; k < 2; k++) {
            const double nu = ratios[k], E = 1000, p = 10, a = 1, b = 2, at = 1.5, c = p * a * a / (b * b - a * a);
            const double u = (1 + nu) * c / E * ((1 - 2 * nu) * at + b * b / at), radial = c * (1 - b * b / (at * at)),
                         hoop = c * (1 + b * b / (at * at)), tolerance = order == 1 ? 0.01 : 0.002;
            char text[1024];
            ritz_result r = {.size = sizeof r};
            snprintf(text, sizeof text,
                     "mesh: {box: {cells: [10, 2], origin: [1, 0], size: [1, 0.2]}}\nphysics: axisymmetric\norder: "
                     "%d\nmaterials: {young: 1000, poisson: %.17g, formulation: mixed}\nboundary: [{group: y0, "
                     "displacement: {y: 0}}, {group: y1, displacement: {y: 0}}, {group: x0, pressure: 10}]\n",
                     order, nu);
            ritz_problem *problem = solve(text, "[1.5, 0.1]", &r);
            assert_near("displacement_x", u, tolerance * u);
            assert_near("stress_xx", radial, 2 * tolerance * p);
            assert_near("stress_zz", hoop, 2 * tolerance * p);
            assert_near("stress_yy", nu * (radial + hoop), 2 * tolerance * p);
            assert_near("strain_zz", u / at, 3 * tolerance * u / at);
            const double force = 2 * nu * c * acos(-1) * (b * b - a * a);
            assert_true(fabs(fabs(r.balance.reactions[0].force[1]) - force) < 0.01 * force);
            assert_true(r.balance.imbalance < 1e-6);
            ritz_problem_destroy(&problem);
        }
}

/* ---- All: a constant strain in distorted cells ---- */

/* A material that is the same in all directions, given as one that is not. */
#define DIRECTED "young: [2.6, 2.6, 2.6], poisson: [0.3, 0.3, 0.3], shear: [1, 1, 1]"

static void test_patch(void **state)
{
    (void)state;
    static const char *const elements[][3] = {
        {"elasticity", "cells: [2, 2, 2], distort: 0.2",
         "order: 1\nmaterials: {young: 2.6, poisson: 0.3, formulation: mixed}"},
        {"elasticity", "cells: [2, 2, 2], distort: 0.2",
         "order: 1\nmaterials: {young: 2.6, poisson: 0.3, formulation: incompatible}"},
        {"elasticity", "cells: [3, 3, 3], distort: 0.3",
         "order: 1\nmaterials: {young: 2.6, poisson: 0.3, formulation: reduced}"},
        {"elasticity", "cells: [3, 3, 3], distort: 0.3",
         "order: 1\nquadrature: {degree: 1}\nmaterials: {young: 2.6, poisson: 0.3, formulation: reduced}"},
        {"elasticity", "cells: [3, 3, 3], distort: 0.3", "order: 1\nmaterials: {" DIRECTED ", formulation: reduced}"},
        {"elasticity", "cells: [2, 2, 2], distort: 0.2",
         "order: 1\nmaterials: {" DIRECTED ", formulation: incompatible}"},
        {"plane-strain", "cells: [3, 3], distort: 0.3",
         "order: 1\nmaterials: {" DIRECTED ", thickness: 0.1, formulation: incompatible}"},
        {"elasticity", "cells: [2, 2, 2], cell: prism, distort: 0.2",
         "order: 2\nmaterials: {young: 2.6, poisson: 0.3, formulation: mixed}"},
        {"plane-strain", "cells: [3, 3], distort: 0.3",
         "order: 1\nmaterials: {young: 2.6, poisson: 0.3, thickness: 0.1, formulation: incompatible}"},
        {"plane-strain", "cells: [3, 3], distort: 0.3",
         "order: 1\nmaterials: [{group: body, young: \"2.6 + 0*x\", poisson: 0.3, thickness: 0.1, formulation: "
         "mixed}]"},
        {"plane-strain", "cells: [3, 3], distort: 0.3",
         "order: 1\nmaterials: {young: 2.6, poisson: 0.3, thickness: 0.1, formulation: reduced}"},
        {"plane-strain", "cells: [3, 3], distort: 0.3",
         "order: 1\nquadrature: {degree: 1}\nmaterials: {young: 2.6, poisson: 0.3, formulation: reduced}"},
        {"plane-strain", "cells: [3, 3], distort: 0.3",
         "order: 1\nmaterials: {" DIRECTED ", thickness: 0.1, formulation: reduced}"},
        /* E / (2 (1 + nu)) = 1, E nu / (1 - nu^2) = 1.5 */
        {"plane-stress", "cells: [3, 3], distort: 0.3",
         "order: 1\nmaterials: {young: 2.857142857142857, poisson: 0.42857142857142855, thickness: 0.1, formulation: "
         "reduced}"},
    };
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        const int dim = *elements[i][0] == 'e' ? 3 : 2;
        snprintf(
            text, sizeof text,
            "physics: %s\nmesh: {box: {%s}}\n%s\nboundary: {groups: [x0, x1, y0, y1%s], displacement: &u [\"0.1*x + "
            "0.2*y\", \"0.3*y\"%s]}\nexact: *u\n",
            elements[i][0], elements[i][1], elements[i][2], dim == 3 ? ", z0, z1" : "", dim == 3 ? ", \"0.05*z\"" : "");
        ritz_problem *p = solve(text, dim == 3 ? "[0.3, 0.4, 0.6]" : "[0.3, 0.4]", &r);
        /* lambda = 1.5, mu = 1 */
        const double trace = 0.4 + (dim == 3 ? 0.05 : 0);
        assert_true(r.error_l2 < 1e-13);
        assert_near("stress_xx", 1.5 * trace + 0.2, 1e-11);
        assert_near("stress_yy", 1.5 * trace + 0.6, 1e-11);
        assert_near("stress_zz", strstr(elements[i][0], "stress") ? 0 : 1.5 * trace + (dim == 3 ? 0.1 : 0), 1e-11);
        assert_near("stress_xy", 0.2, 1e-11);
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* The motions of a ring whose strains are constant: wider everywhere, and longer. */
static void test_patch_of_rings(void **state)
{
    (void)state;
    static const char *const rules[] = {"", "quadrature: {degree: 1}\n"};
    for (int k = 0; k < 4; k++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "physics: axisymmetric\nmesh: {box: {cells: [3, 3], origin: [%d, 0], distort: 0.3}}\norder: 1\n%s"
                 "materials: {young: 2.6, poisson: 0.3, formulation: reduced}\nboundary: {groups: [x0, x1, y0, y1], "
                 "displacement: &u [\"0.1*x\", \"0.3*y\"]}\nexact: *u\n",
                 k / 2, rules[k % 2]);
        ritz_problem *p = solve(text, k / 2 ? "[1.3, 0.4]" : "[0.3, 0.4]", &r);
        assert_true(r.error_l2 < 1e-13);
        assert_near("stress_xx", 1.5 * 0.5 + 0.2, 1e-11);
        assert_near("stress_yy", 1.5 * 0.5 + 0.6, 1e-11);
        assert_near("stress_zz", 1.5 * 0.5 + 0.2, 1e-11);
        assert_near("stress_xy", 0, 1e-11);
        assert_near("strain_zz", 0.1, 1e-11);
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* ---- Incompatible modes ---- */

/* Pure bending by one layer of cells twice as long as high is that of the theory, the nodes' displacement to the last
   digits; standard cells give less than 0.7 of it. */
static void test_bending(void **state)
{
    (void)state;
    static const char *const physics[] = {"plane-stress", "elasticity"};
    for (int k = 0; k < 2; k++)
        for (int standard = 0; standard < 2; standard++) {
            char text[1536];
            ritz_result r = {.size = sizeof r};
            snprintf(
                text, sizeof text,
                "mesh: {box: {cells: [5, 1%s], size: [10, 1%s], origin: [0, -0.5%s]}}\nphysics: %s\norder: "
                "1\nmaterials: {young: 100, poisson: 0.3, formulation: %s}\ngroups: [{name: foot, of: nodes, plane: "
                "{point: [0, -0.5%s], normal: [0, 1%s]}, box: {from: [-1, -1%s], to: [0.1, 1%s]}}]\nboundary: "
                "[{group: x0, displacement: {x: 0}}, {group: foot, displacement: {y: 0}}, %s{group: x1, traction: "
                "[\"y\", 0%s]}]\n",
                k ? ", 1" : "", k ? ", 1" : "", k ? ", 0" : "", physics[k], standard ? "standard" : "incompatible",
                k ? ", 0" : "", k ? ", 0" : "", k ? ", -1" : "", k ? ", 2" : "",
                k ? "{group: z0, displacement: {z: 0}}, " : "", k ? ", 0" : "");
            ritz_problem *p = solve(text, k ? "[10, -0.5, 0]" : "[10, -0.5]", &r);
            const double known = -10.0 * 10 / (2 * 100); /* -M l^2 / (2 E I) with sigma = y */
            if (standard) {
                assert_true(read_probe("displacement_y", 0) > 0.7 * known);
            } else if (k == 0) {
                assert_near("displacement_y", known, 1e-10);
                assert_near("stress_xx", -0.5, 1e-10);
                assert_near("stress_yy", 0, 1e-10);
                assert_near("strain_yy", 0.3 * 0.5 / 100, 1e-12);
            } else { /* z0 is plane: the other side bends across */
                assert_near("displacement_y", known, 0.02 * fabs(known));
                assert_near("stress_xx", -0.5, 0.01);
            }
            assert_true(r.balance.imbalance < 1e-9);
            ritz_problem_destroy(&p);
        }
}

/* An initial stress may be given by some of its components; where nothing can move it is the stress. */
static void test_initial_stress(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve(
        "mesh: {box: {cells: [2, 2, 2], distort: 0.2}}\nphysics: elasticity\norder: 1\nmaterials: {young: 100, "
        "poisson: 0.3, formulation: incompatible, initial_stress: {xx: 3, xy: 0.5}}\nboundary: [{groups: [x0, x1, "
        "y0, y1, z0, z1], displacement: fixed}]\n",
        "[0.3, 0.4, 0.6]", &r);
    assert_near("stress_xx", 3, 1e-11);
    assert_near("stress_yy", 0, 1e-11);
    assert_near("stress_xy", 0.5, 1e-11);
    ritz_problem_destroy(&p);
}

/* A cantilever of square section under a force at its end: F l^3 / (3 E I) + F l / (G A 5/6) (Timoshenko), by cells as
   long as high. */
static void test_cantilever(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve(
        "mesh: {box: {cells: [20, 2, 2], size: [10, 1, 1]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 100, "
        "poisson: 0.3, formulation: incompatible}\nboundary: [{group: x0, displacement: fixed}, {group: x1, force: "
        "[0, 0, -0.01]}]\n",
        "[10, 0.5, 0.5]", &r);
    const double known = -0.01 * (1000 / (3 * 100 / 12.0) + 10 / (100 / 2.6 * 5 / 6));
    assert_near("displacement_z", known, 0.02 * fabs(known));
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
}

/* ---- Reduced elements ---- */

/* Each of the twelve motions of a cube that have no mean strain is resisted: 6 is the eigenvalue of the matrix that CalculiX
   2.20 stores of a C3D8R cube of side 1 and Young's modulus 1000 (SOLVER=MATRIXSTORAGE). The loads are such a motion, so that
   supports carry nothing. */
static void test_hourglass(void **state)
{
    (void)state;
    static const char *const formulations[] = {"reduced", "reduced-calculix"};
    for (int motion = 0; motion < 24; motion++) {
        const int pattern = motion % 4, axis = motion / 4 % 3;
        char text[2048], points[256] = "[";
        double sum = 0;
        ritz_result r = {.size = sizeof r};
        int n = snprintf(text, sizeof text,
                         "mesh: {box: {cells: [1, 1, 1]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 1000, "
                         "poisson: 0.3, formulation: %s}\ngroups:\n",
                         formulations[motion / 12]);
        for (int v = 0; v < 8; v++) {
            n += snprintf(text + n, sizeof text - (size_t)n, "  - {name: v%d, of: nodes, nearest: [%d, %d, %d]}\n", v,
                          v & 1, v >> 1 & 1, v >> 2);
            snprintf(points + strlen(points), sizeof points - strlen(points), "%s[%d, %d, %d]", v ? ", " : "", v & 1,
                     v >> 1 & 1, v >> 2);
        }
        strcat(points, "]");
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "boundary:\n  - {group: v0, displacement: fixed}\n  - {group: v1, displacement: {y: 0, z: "
                      "0}}\n  - {group: v2, displacement: {z: 0}}\n");
        int h[8];
        for (int v = 0; v < 8; v++) {
            const int x = v & 1 ? 1 : -1, y = v & 2 ? 1 : -1, z = v & 4 ? 1 : -1;
            h[v] = pattern == 0 ? y * z : pattern == 1 ? x * z : pattern == 2 ? x * y : x * y * z;
            n += snprintf(text + n, sizeof text - (size_t)n, "  - {group: v%d, force: [%d, %d, %d]}\n", v,
                          axis == 0 ? h[v] : 0, axis == 1 ? h[v] : 0, axis == 2 ? h[v] : 0);
        }
        ritz_problem *p = solve(text, points, &r);
        static const char *const columns[] = {"displacement_x", "displacement_y", "displacement_z"};
        for (int v = 0; v < 8; v++)
            sum += h[v] * read_probe(columns[axis], v);
        if (!(fabs(sum / 8 - 1 / 6.0) < 1e-9))
            fail_msg("motion %d: %.12g", motion, sum / 8);
        assert_near("stress_xx", 0, 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* The same of a square, xi eta in each component: 12 is the eigenvalue of the matrices that CalculiX 2.20 stores of CPE4R and
   CPS4R of side 1, thickness 0.5 and Young's modulus 1000; without the term of the thickness it is 4. */
static void test_hourglass_in_plane(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        const bool calculix = k / 4, along_y = k % 2;
        char text[1024];
        ritz_result r = {.size = sizeof r};
        const int x = along_y ? 0 : 1, y = along_y ? 1 : 0;
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [1, 1]}}\nphysics: %s\norder: 1\nmaterials: {young: 1000, poisson: 0.3, thickness: "
            "0.5, formulation: %s}\ngroups: [{name: a, of: nodes, nearest: [0, 0]}, {name: b, of: nodes, nearest: "
            "[1, 0]}, {name: c, of: nodes, nearest: [1, 1]}, {name: d, of: nodes, nearest: [0, 1]}]\nboundary: "
            "[{group: a, displacement: fixed}, {group: b, displacement: {y: 0}}, {group: a, force: [%d, %d]}, "
            "{group: b, force: [%d, %d]}, {group: c, force: [%d, %d]}, {group: d, force: [%d, %d]}]\n",
            k % 4 / 2 ? "plane-stress" : "plane-strain", calculix ? "reduced-calculix" : "reduced", x, y, -x, -y, x, y,
            -x, -y);
        ritz_problem *p = solve(text, "[[0, 0], [1, 0], [1, 1], [0, 1]]", &r);
        double sum = 0;
        for (int v = 0; v < 4; v++)
            sum += (v % 2 ? -1 : 1) * read_probe(along_y ? "displacement_y" : "displacement_x", v);
        if (!(fabs(sum / 4 - 1 / (calculix ? 12.0 : 4.0)) < 1e-9))
            fail_msg("case %d: %.12g", k, sum / 4);
        assert_near("stress_xx", 0, 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* Lame's ring between rigid ends, at 0.4999 too. */
static void test_reduced_ring(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double nu = k ? 0.4999 : 0.3, E = 1000, b = 2, at = 1.5, c = 10 / (b * b - 1);
        const double u = (1 + nu) * c / E * ((1 - 2 * nu) * at + b * b / at), radial = c * (1 - b * b / (at * at)),
                     hoop = c * (1 + b * b / (at * at));
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [10, 2], origin: [1, 0], size: [1, 0.2]}}\nphysics: axisymmetric\norder: 1\n"
                 "materials: {young: 1000, poisson: %g, formulation: reduced}\nboundary: [{groups: [y0, y1], "
                 "displacement: {y: 0}}, {group: x0, pressure: 10}]\n",
                 nu);
        ritz_problem *p = solve(text, "[1.5, 0.1]", &r);
        assert_near("displacement_x", u, 0.005 * u);
        assert_near("stress_xx", radial, 0.1);
        assert_near("stress_zz", hoop, 0.1);
        assert_near("stress_yy", nu * (radial + hoop), 0.1);
        assert_true(r.balance.imbalance < 1e-6);
        ritz_problem_destroy(&p);
    }
}

/* A cantilever of four cells through its height, without the shear locking of standard cells, and at a Poisson's ratio of
   0.4999 without the other. */
static void test_reduced_cantilever(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[512];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [40, 4%s], size: [10, 1%s]}}\nphysics: %s\norder: 1\nmaterials: {young: "
                 "100, poisson: %g, formulation: reduced}\nboundary: [{group: x0, displacement: fixed}, {group: x1, "
                 "force: [0%s, -0.01]}]\n",
                 k < 2 ? ", 4" : "", k < 2 ? ", 1" : "", k < 2 ? "elasticity" : "plane-stress", k == 1 ? 0.4999 : 0.3,
                 k < 2 ? ", 0" : "");
        ritz_problem *p = solve(text, k < 2 ? "[10, 0.5, 0.5]" : "[10, 0.5]", &r);
        const double known = -0.01 * (1000 / (3 * 100 / 12.0) + 10 / (100 / 2.6 * 5 / 6));
        assert_near(k < 2 ? "displacement_z" : "displacement_y", known, 0.08 * fabs(known));
        assert_true(r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* A beam of a material with directions, along x and, with all axes exchanged, along y: however it lies, it bends alike. */
static void test_reduced_turned(void **state)
{
    (void)state;
    static const struct {
        const char *box, *system, *ends, *force;
    } beams[] = {
        {"cells: [8, 2, 3], size: [4, 1, 1.5]", "x: [1, 0, 0], xy: [0, 1, 0]", "x", "[0, 0.3, -0.1]"},
        {"cells: [3, 8, 2], size: [1.5, 4, 1]", "x: [0, 1, 0], xy: [0, 0, 1]", "y", "[-0.1, 0, 0.3]"},
    };
    double moved[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(
            text, sizeof text,
            "mesh: {box: {%s}}\nphysics: elasticity\norder: 1\nsystems: {own: {%s}}\nmaterials: {young: [200, 100, "
            "50], poisson: [0.2, 0.25, 0.3], shear: [40, 30, 20], orientation: own, formulation: reduced}\n"
            "boundary: [{group: %s0, displacement: fixed}, {group: %s1, force: %s}]\n",
            beams[k].box, beams[k].system, beams[k].ends, beams[k].ends, beams[k].force);
        ritz_problem *p = solve(text, "[0, 0, 0]", &r);
        moved[k] = ritz_find_largest(r.largest, "displacement");
        ritz_problem_destroy(&p);
    }
    assert_true(fabs(moved[1] / moved[0] - 1) < 1e-10);
}

/* ---- Thermal strain and initial stress that vary in the cells ---- */

#define HELD                                                                                                           \
    "groups: [{name: all, of: nodes, above: {point: [-1, 0, 0], normal: [1, 0, 0]}}, {name: o, of: nodes, nearest: "   \
    "[0, 0, 0]}, {name: p, of: "                                                                                       \
    "nodes, nearest: [2, 0, 0]}, {name: q, of: nodes, "                                                                \
    "nearest: [0, 1, 0]}]\nboundary: [{group: o, displacement: fixed}, {group: p, displacement: {y: 0, z: 0}}, "       \
    "{group: "                                                                                                         \
    "q, displacement: {z: 0}}]\n"
#define HELD_IN_PLANE                                                                                                  \
    "groups: [{name: o, of: nodes, nearest: [0, 0]}, {name: p, of: nodes, nearest: [2, 0]}]\nboundary: [{group: o, "   \
    "displacement: fixed}, {group: p, displacement: {y: 0}}]\n"

/* Under a linear temperature a body that nothing holds has no stress, and bends: u_x = alpha (x^2 - y^2 - z^2) / 2 and so
   on for T = x. These elements have such displacements. Held between two planes it is pressed across. */
static void test_free_expansion(void **state)
{
    (void)state;
    static const struct {
        const char *physics, *box, *material, *load;
        double across, stress_zz; /* by which the strain exceeds that of the temperature */
    } cases[] = {
        {"elasticity", "cells: [3, 2, 2], size: [2, 1, 1]",
         "formulation: incompatible, young: 100, poisson: 0.3, expansion: 0.01", "temperature: x", 0, 0},
        {"elasticity", "cells: [3, 2, 2], size: [2, 1, 1]",
         "formulation: incompatible, young: 100, poisson: 0.25, initial_stress: {xx: -2*x, yy: -2*x, zz: -2*x}", "", 0,
         0},
        {"elasticity", "cells: [3, 2, 2], size: [2, 1, 1]",
         "formulation: mixed, young: 100, poisson: 0.499, expansion: 0.01",
         "order: 2\ntemperature: {values: [{group: all, value: x}], other: 0}", 0, 0},
        {"elasticity", "cells: [3, 2, 2], size: [2, 1, 1], cell: tet",
         "formulation: mixed, young: 100, poisson: 0.499, expansion: 0.01", "order: 2\ntemperature: x", 0, 0},
        {"elasticity", "cells: [3, 2, 2], size: [2, 1, 1]",
         "formulation: mixed, young: 100, poisson: 0, expansion: 0.01", "order: 2\ntemperature: x", 0, 0},
        {"plane-stress", "cells: [3, 2], size: [2, 1]",
         "formulation: incompatible, young: 100, poisson: 0.3, expansion: 0.01, thickness: 0.1", "temperature: x", 0,
         0},
        {"plane-strain", "cells: [3, 2], size: [2, 1]",
         "formulation: incompatible, young: 100, poisson: 0.3, expansion: 0.01", "temperature: x", 0.3, -1},
        {"plane-strain", "cells: [3, 2], size: [2, 1]",
         "formulation: mixed, young: 100, poisson: 0.499, expansion: 0.01", "order: 2\ntemperature: x", 0.499, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1536];
        ritz_result r = {.size = sizeof r};
        const bool space = *cases[i].physics == 'e';
        const double alpha = 0.01 * (1 + cases[i].across);
        snprintf(text, sizeof text, "physics: %s\nmesh: {box: {%s}}\n%s\nmaterials: {%s}\n%s", cases[i].physics,
                 cases[i].box, cases[i].load, cases[i].material, space ? HELD : HELD_IN_PLANE);
        if (!strstr(text, "order:"))
            strcat(text, "order: 1\n");
        ritz_problem *p = solve(text, space ? "[2, 1, 1]" : "[2, 1]", &r);
        assert_near("displacement_x", alpha * (4 - 1 - (space ? 1 : 0)) / 2, 1e-9);
        assert_near("displacement_y", alpha * 2, 1e-9);
        assert_near("stress_xx", 0, 1e-7);
        assert_near("stress_yy", 0, 1e-7);
        assert_near("stress_xy", 0, 1e-7);
        assert_near("stress_zz", 2 * cases[i].stress_zz, 1e-7);
        assert_near("strain_xx", alpha * 2, 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* Reduced cells have one strain each, so that what the temperature varies in them must not show as a stress: 0.125 of these
   materials, of which a free body has none. */
static void test_reduced_expansion(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1536];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "physics: %s\nmesh: {box: {cells: [8, 4%s], size: [2, 1%s]}}\norder: 1\ntemperature: x\nmaterials: "
                 "{young: 100, poisson: 0, expansion: 0.01, formulation: reduced}\n%s",
                 k ? "elasticity" : "plane-stress", k ? ", 4" : "", k ? ", 1" : "", k ? HELD : HELD_IN_PLANE);
        ritz_problem *p = solve(text, k ? "[2, 1, 1]" : "[2, 1]", &r);
        assert_near("displacement_x", 0.01 * (4 - 1 - k) / 2, 2e-4);
        assert_near("stress_xx", 0, 0.01);
        assert_near("stress_yy", 0, 0.01);
        ritz_problem_destroy(&p);
    }
}

/* Between walls, T = x, of a case, and half of it on the top level: the stress along x is the same everywhere, that
   across falls with the temperature; the walls carry it. */
static void test_held_expansion(void **state)
{
    (void)state;
    static const char *const formulations[] = {"incompatible", "mixed"};
    for (int k = 0; k < 2; k++) {
        char text[1536];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "physics: elasticity\nmesh: {box: {cells: [4, 2, 2], size: [2, 1, 1]}}\norder: %d\nmaterials: {young: "
                 "100, poisson: 0.25, expansion: 0.01, formulation: %s}\nboundary: [{groups: [x0, x1], displacement: "
                 "{x: 0}}, {groups: [y0, y1], displacement: {y: 0}}, {groups: [z0, z1], displacement: {z: 0}}]\n"
                 "temperature: \"0.5*x\"\ncases: [{name: one, temperature: x}]\n",
                 k + 1, formulations[k]);
        ritz_problem *p = solve(text, "[2, 0.5, 0.5]", &r);
        const double lambda = 40, mu = 40, hot = (3 * lambda + 2 * mu) * 0.01, strain = hot / (lambda + 2 * mu);
        assert_near("stress_one_xx", -1.5 * hot, 1e-9); /* of the mean temperature */
        assert_near("stress_one_yy", 1.5 * (lambda * strain - 2 * hot), 1e-9);
        ritz_problem_destroy(&p);
    }
}

/* A thick ring between rigid ends, T = r^2, at which nothing but the temperature changes its volume (Timoshenko and
   Goodier (1970), article 150). */
static void test_hot_ring(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        const int order = k == 1 ? 2 : 1;
        const double nu = 0.4999, E = 100, alpha = 0.01, a = 1, b = 2, at = 1.5, c = alpha * E / (1 - nu) / (at * at),
                     all = (pow(b, 4) - pow(a, 4)) / 4, inner = (pow(at, 4) - pow(a, 4)) / 4,
                     radial = c * ((at * at - a * a) / (b * b - a * a) * all - inner),
                     hoop = c * ((at * at + a * a) / (b * b - a * a) * all + inner - pow(at, 4)),
                     along = nu * (radial + hoop) - E * alpha * at * at, most = order == 1 ? 0.03 : 0.004;
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [16, 2], origin: [1, 0], size: [1, 0.2]}}\nphysics: axisymmetric\norder: %d\n"
                 "materials: {young: 100, poisson: 0.4999, expansion: 0.01, formulation: %s}\ntemperature: "
                 "\"x*x\"\nboundary: {groups: [y0, y1], displacement: {y: 0}}\n",
                 order, k == 2 ? "reduced" : "mixed");
        ritz_problem *p = solve(text, "[1.5, 0.1]", &r);
        assert_near("stress_xx", radial, most);
        assert_near("stress_zz", hoop, most);
        assert_near("stress_yy", along, most);
        assert_true(r.balance.imbalance < 1e-6);
        ritz_problem_destroy(&p);
    }
}

/* ---- Mistakes ---- */

static void test_mistakes(void **state)
{
    (void)state;
#define CUBE "physics: elasticity\nmesh: {box: {cells: [2, 2, 2]}}\n"
    static const char *const mistakes[][2] = {
        {CUBE "materials: {young: 1, poisson: 0.3, formulation: mixt}", "did you mean 'mixed'"},
        {CUBE "materials: {young: 1, poisson: 0.3, formulation: incompatible}", "quad and hex cells of order 1"},
        {CUBE "materials: {young: 1, poisson: 0.3, formulation: reduced}",
         "reduced elements are quad and hex cells of order 1"},
        {"physics: plane-strain\nmesh: {box: {cells: [2, 2], cell: tri}}\norder: 1\nmaterials: {young: 1, poisson: "
         "0.3, formulation: reduced}",
         "not tri cells of order 1"},
        {CUBE "order: 3\nmaterials: {young: 1, poisson: 0.3, formulation: mixed}", "order 3 needs none"},
        {CUBE "materials: {young: 1, poisson: -0.1, formulation: mixed}", "Poisson's ratio of 0 or more"},
        {CUBE "materials: {young: [1, 1, 1], poisson: [0, 0, 0], shear: [1, 1, 1], formulation: mixed}",
         "the same in all directions"},
        {"physics: elasticity\nmesh: {box: {cells: [2, 2, 2], cell: tet}}\norder: 1\nmaterials: {young: 1, poisson: "
         "0.3, "
         "formulation: mixed}",
         "no mixed tet cells of order 1"},
        {"physics: plane-stress\nmesh: {box: {cells: [2, 2]}}\nmaterials: {young: 1, poisson: 0.3, formulation: mixed}",
         "thickness gives way"},
        {"physics: axisymmetric\nmesh: {box: {cells: [2, 2]}}\nmaterials: {young: 1, poisson: 0.3, formulation: "
         "incompatible}",
         "no incompatible modes in axisymmetric"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[1024];
        ritz_problem *p = NULL;
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text, "%s\nboundary: {group: x0, displacement: fixed}\noutput: none\n", mistakes[i][0]);
        ritz_status status = parse_problem(text, "", NULL, &p);
        if (status == RITZ_OK)
            status = ritz_problem_solve(p, &r);
        if (status != RITZ_ERROR_INPUT || !strstr(ritz_message(), mistakes[i][1]))
            fail_msg("%s\n%s", mistakes[i][0], ritz_message());
        ritz_problem_destroy(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flow),
                                       cmocka_unit_test(test_ring),
                                       cmocka_unit_test(test_patch),
                                       cmocka_unit_test(test_patch_of_rings),
                                       cmocka_unit_test(test_bending),
                                       cmocka_unit_test(test_cantilever),
                                       cmocka_unit_test(test_initial_stress),
                                       cmocka_unit_test(test_free_expansion),
                                       cmocka_unit_test(test_reduced_expansion),
                                       cmocka_unit_test(test_held_expansion),
                                       cmocka_unit_test(test_hot_ring),
                                       cmocka_unit_test(test_hourglass),
                                       cmocka_unit_test(test_hourglass_in_plane),
                                       cmocka_unit_test(test_reduced_ring),
                                       cmocka_unit_test(test_reduced_cantilever),
                                       cmocka_unit_test(test_reduced_turned),
                                       cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
