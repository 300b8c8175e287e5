/* From a problem to its result: mistakes that the mesh or the device shows, and small problems with known solutions. */
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

static ritz_problem *parse_with(const char *text, const char *setting)
{
    ritz_problem *problem = NULL;
    if (parse_problem(text, "", setting, &problem) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), text);
    assert_non_null(problem);
    return problem;
}

/* ---- Mistakes that the mesh or the device shows ---- */

typedef struct late_mistake {
    const char *text;
    ritz_status status;
    const char *parts[4];
} late_mistake;

static const late_mistake late_mistakes[] = {
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nsource: sqrt(0.5 - x)\nboundary: [{group: x0, value: 0}]\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "'source' must be a finite number", "in element 4 at (0.556351, 0."}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: plane-strain\nmaterials: {young: 1, poisson: 0, force: [0, log(-y)]}\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "'force' must be a finite number"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary: [{group: x0, value: 0}]\nexact: sqrt(-1 - x)\n",
     RITZ_ERROR_INPUT,
     {"problem:4:", "'exact' or its gradient is not finite"}},
    {"mesh: no-such.msh\nphysics: poisson\n", RITZ_ERROR_FILE, {"no-such.msh"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: elasticity\nmaterials: {young: 1, poisson: 0}\n",
     RITZ_ERROR_INPUT,
     {"problem:2:", "dimension 3", "plane-stress"}},
    {"mesh: {box: {cells: [2, 2, 2]}}\nphysics: plane-stress\nmaterials: {young: 1, poisson: 0}\n",
     RITZ_ERROR_INPUT,
     {"problem:2:", "dimension 2", "elasticity"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary:\n- {group: x2, value: 0}\n",
     RITZ_ERROR_INPUT,
     {"problem:4:", "x2", "x0, x1"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary:\n- {group: x0, value: 0}\n- {group: body, flux: 1}\n",
     RITZ_ERROR_INPUT,
     {"problem:5:", "'body' holds faces", "a flux needs a group of edges"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nmaterials: {group: x0, conductivity: 1}\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "'x0' holds edges", "a material needs a group of faces"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nmaterials: [{group: body}, {group: [body]}]\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "two materials"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nmaterials: {conductivity: \"x - 0.3\"}\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "'conductivity' must be greater than 0", "is -0.243649 in element 1", "(0.0563508, 0.0"}},
    /* sound at every cell's centre, but not at the points of the rule (0.25 -+ 0.25 / sqrt(3) for the first cell) */
    {"mesh: {box: {cells: [2, 2]}}\nphysics: plane-strain\norder: 1\nmaterials: {young: \"x - 0.2\", poisson: 0}\n",
     RITZ_ERROR_INPUT,
     {"problem:4:", "'young' must be greater than 0", "is -0.0943376 in element 1", "(0.105662, 0.105662"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: plane-strain\norder: 1\nmaterials: {young: 1, poisson: \"0.6*x\"}\n",
     RITZ_ERROR_INPUT,
     {"problem:4:", "'poisson' must be", "is 0.536603 in element", "(0.894338, "}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: plane-strain\norder: 1\nmaterials:\n- {young: \"1e9*sqrt(x-0.2)\", "
     "poisson: 0}\n",
     RITZ_ERROR_INPUT,
     {"problem:5:", "'young' must be", "nan in element 1", "(0.105662, "}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: axisymmetric\nmaterials: {young: 1, poisson: 0}\nboundary:\n"
     "- {group: y0, displacement: {x: \"2*x\", y: 0}}\n- {group: x0, displacement: {x: 0.1}}\n",
     RITZ_ERROR_INPUT,
     {"problem:6:", "displacement of the group 'x0' is 0.1 along x at (0, ", "stays on it", "displacement: {x: 0}"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: axisymmetric\nmaterials: {young: 1, poisson: 0}\nboundary:\n"
     "- {group: x0, spring: [0, 10]}\n",
     RITZ_ERROR_INPUT,
     {"problem:5:", "'x0' has no area that a spring could be spread over, as the axis has none"}},
    {"mesh: {box: {cells: [4, 4]}}\nphysics: convection-diffusion\nmaterials: {velocity: [1, 0]}\nsource: 1\n"
     "boundary: [{group: x0, value: 0}]\nintegration: {method: sqs}\nsolver: {method: bicgstab}\n", /* which row is 0 to the last bit: by its sums */
     RITZ_ERROR_INPUT,
     {"diagonal is zero in row 10", "neither diffusion nor reaction", "method: direct"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary: [{group: x0, value: \"1/x\"}]\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "1/x", "finite"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary: [{group: x1, value: 1}, {group: x0, flux: "
     "\"sqrt(-1-y)\"}]\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "'flux' must be a finite number", "nan at (0, "}},
    {"mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\nmaterials: {young: 1, poisson: 0}\nboundary:\n"
     "- {group: x0, displacement: fixed}\n- group: x1\n  traction: [0, 0, \"1/(x-1)\"]\n",
     RITZ_ERROR_INPUT,
     {"problem:7:", "'traction' must be a finite number; 1/(x-1) is ", "inf at (1, "}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: plane-stress\nmaterials: {young: 1, poisson: 0}\nboundary:\n"
     "- {group: x0, displacement: fixed}\n- {group: y1, pressure: \"log(x-0.5)\"}\n",
     RITZ_ERROR_INPUT,
     {"problem:6:", "'pressure' must be a finite number", "nan at (0."}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\n", RITZ_ERROR_INPUT, {"problem:", "constant"}},
    {"mesh: {box: {cells: [1, 1, 1]}}\nphysics: elasticity\nmaterials: {young: 1, poisson: 0}\nboundary: [{group: z0, "
     "displacement: {z: 0}}]\n",
     RITZ_ERROR_INPUT,
     {"translation along x", "rotation about the z axis"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: convection-diffusion\nmaterials: {diffusion: 1, velocity: [1, 0]}\n"
     "boundary: [{group: x0, value: 0}]\nsolver: {method: cg}\n",
     RITZ_ERROR_INPUT,
     {"problem:5:", "cg needs a symmetric form", "bicgstab"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: convection-diffusion\nmaterials: {c33: 1}\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "'c33' has no meaning"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: convection-diffusion\nmaterials: {velocity: [0, 0, 1]}\n",
     RITZ_ERROR_INPUT,
     {"problem:3:", "'velocity' has 3"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\noutput: {file: no-such-folder/a.vtkhdf}\n",
     RITZ_ERROR_FILE,
     {"no-such-folder"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: convection-diffusion\nmaterials: {diffusion: 1, velocity: [1, 0]}\n"
     "solver: {matrix: half}\n",
     RITZ_ERROR_INPUT,
     {"problem:4:", "half storage", "a velocity"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\ndevice: no such device\n", RITZ_ERROR_DEVICE, {"no such device"}},
    {"mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary: [{group: x0, value: 0}]\nintegration: {method: "
     "no-such}\n",
     RITZ_ERROR_INPUT,
     {"no-such"}},
};

static void test_late_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof late_mistakes / sizeof *late_mistakes; i++) {
        const late_mistake *m = &late_mistakes[i];
        ritz_problem *p = parse_with(m->text, NULL);
        if (m->status == RITZ_ERROR_DEVICE)
            ritz_problem_use_device(p, NULL); /* the file's own */
        ritz_result result = {.size = sizeof result};
        const ritz_status status = ritz_problem_solve(p, &result);
        if (status != m->status)
            fail_msg("status %d, not %d, for\n%s", (int)status, (int)m->status, m->text);
        for (int k = 0; k < 4 && m->parts[k]; k++)
            if (!strstr(ritz_message(), m->parts[k]))
                fail_msg("'%s' is not in the message\n%s\nfor\n%s", m->parts[k], ritz_message(), m->text);
        assert_null(result.output);
        ritz_problem_destroy(&p);
    }
}

static void test_not_converged(void **state)
{
    (void)state;
    ritz_problem *p = parse_with("mesh: {box: {cells: [6, 6], cell: tri}}\nphysics: poisson\nsource: \"x*y\"\n"
                                 "boundary: [{group: x0, value: 0}]\nsolver: {max_iterations: 3}\n",
                                 NULL);
    ritz_result result = {.size = sizeof result};
    assert_int_equal(ritz_problem_solve(p, &result), RITZ_ERROR_NOT_CONVERGED);
    assert_false(result.solve.converged);
    assert_int_equal(result.solve.iterations, 3);
    assert_true(result.solve.relative_residual > 1e-8 && result.solve.relative_residual < 1e3);
    assert_null(result.output);
    ritz_problem_destroy(&p);
}

static void test_interrupt(void **state)
{
    (void)state;
    ritz_problem *p =
        parse_with("mesh: {box: {cells: [4, 4]}}\nphysics: poisson\nboundary: [{group: x0, value: 0}]\n", NULL);
    ritz_result result = {.size = sizeof result};
    ritz_interrupt();
    assert_int_equal(ritz_problem_solve(p, &result), RITZ_INTERRUPTED);
    assert_int_equal(ritz_problem_solve(p, &result), RITZ_OK); /* the request was for the call before */
    ritz_problem_destroy(&p);
}

/* ---- Known solutions ---- */

typedef struct known {
    const char *text;
    double l2, h1;            /* bounds of the error norms */
    double smallest, largest; /* values; NAN: not looked at */
} known;

static const known knowns[] = {
    /* A gradient of 2 through two layers: the flux is the same, the slope jumps. */
    {"mesh: {box: {cells: [4, 3], size: [2, 1], cell: tri, distort: 0.3}}\nphysics: poisson\norder: 1\n"
     "materials: {conductivity: 5}\nboundary: [{group: x0, value: 3}, {group: x1, flux: 10}]\nexact: 3 + 2*x\nsolver: "
     "{tolerance: 1e-13}\n",
     1e-11, 1e-10, 3, 7},
    /* A coefficient that varies inside elements: -((1+x) u')' = -1 with u = x has flux 1 + x. */
    {"mesh: {box: {cells: [3, 3, 2], cell: prism}}\nphysics: poisson\norder: 2\nmaterials: {conductivity: 1 + "
     "x}\nsource: -1\n"
     "boundary: [{group: x0, value: 0}, {group: x1, flux: 2}]\nexact: x\nsolver: {tolerance: 1e-13}\n",
     1e-11, 1e-10, 0, 1},
    /* Convection: u = exp(x) solves -k u'' + v u' + r u = (v + r - k) exp(x); linear pieces by a tall order. */
    {"mesh: {box: {cells: [4, 2], cell: quad}}\nphysics: convection-diffusion\norder: 6\n"
     "materials: {diffusion: 0.5, velocity: [2, 0.5], reaction: 3, source: 4.5*exp(x)}\n"
     "boundary: [{groups: [x0, x1], value: exp(x)}]\nexact: exp(x)\nsolver: {tolerance: 1e-13}\n",
     1e-10, 1e-8, 1, 2.718281828459045},
    /* The same by raw coefficients; c10 is the term with the test function's derivative. */
    {"mesh: {box: {cells: [4, 2], cell: quad}}\nphysics: convection-diffusion\norder: 6\n"
     "materials: {c00: 3, c01: 2, c11: 0.5, c22: 0.5, f0: 4.5*exp(x)}\n"
     "boundary: [{groups: [x0, x1, y0, y1], value: exp(x)}]\nexact: exp(x)\nsolver: {tolerance: 1e-13}\n",
     1e-10, 1e-8, NAN, NAN},
    /* L2 projection of a polynomial of the space. */
    {"mesh: {box: {cells: [2, 2, 2], cell: tet, distort: 0.2}}\nphysics: mass\norder: 3\nmaterials: {density: 2, "
     "source: 2*x*y*z}\n"
     "exact: x*y*z\nsolver: {tolerance: 1e-13}\n",
     1e-11, 1e-9, NAN, NAN},
    /* A bar that hangs by its own weight: density 2, g 3, E 100, length 1, nu 0: u = -w (x - x*x/2) / E. */
    {"mesh: {box: {cells: [3, 2, 2], cell: hex}}\nphysics: elasticity\norder: 2\nmaterials: {young: 100, poisson: 0, "
     "density: 2}\n"
     "gravity: [3, 0, 0]\nboundary: [{group: x0, displacement: fixed}]\nexact: [0.06*(x - x*x/2), 0, 0]\nsolver: "
     "{tolerance: 1e-13}\n",
     1e-12, 1e-11, NAN, NAN},
    /* The same in the plane, where thickness scales weight and stiffness alike. */
    {"mesh: {box: {cells: [3, 2], cell: quad}}\nphysics: plane-stress\norder: 2\nmaterials: {young: 100, poisson: 0, "
     "density: 2, thickness: 0.25}\n"
     "gravity: {x: 3}\nboundary: [{group: x0, displacement: fixed}]\nexact: [0.06*(x - x*x/2), 0]\nsolver: {tolerance: "
     "1e-13}\n",
     1e-12, 1e-11, NAN, NAN},
    /* Pure bending by a moment in total, then by a pull beside the axis: sigma_xx = E (0.01 + 0.02 (z - 1/2)). */
    {"mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1], cell: hex}}\nphysics: elasticity\norder: 2\nmaterials: {young: "
     "12, poisson: 0}\nboundary: [{group: x0, displacement: fixed}, {group: x1, moment: [0, 0.02, 0]}]\n"
     "exact: [0.02*x*(z - 0.5), 0, -0.01*x*x]\nsolver: {tolerance: 1e-13}\n",
     1e-11, 1e-10, NAN, NAN},
    {"mesh: {box: {cells: [3, 2, 2], size: [2, 1, 1], cell: prism}}\nphysics: elasticity\norder: 2\nmaterials: {young: "
     "12, poisson: 0}\nboundary: [{group: x0, displacement: fixed}, {group: x1, force: [0.12, 0, 0], at: [9, 0.5, "
     "0.66666666666666667]}]\nexact: [0.01*x + 0.02*x*(z - 0.5), 0, -0.01*x*x]\nsolver: {tolerance: 1e-13}\n",
     1e-11, 1e-10, NAN, NAN},
    /* The same in the plane, where the thickness stiffens and shares the force. */
    {"mesh: {box: {cells: [3, 2], size: [2, 1], cell: quad}}\nphysics: plane-stress\norder: 2\nmaterials: {young: 12, "
     "poisson: 0, thickness: 0.25}\nboundary: [{group: x0, displacement: fixed}, {group: x1, force: [0.03, 0], moment: "
     "-0.005}]\nexact: [0.01*x + 0.02*x*(y - 0.5), -0.01*x*x]\nsolver: {tolerance: 1e-13}\n",
     1e-11, 1e-10, NAN, NAN},
    /* Pressure on all sides: -p (1 - 2 nu) / E in each direction. */
    {"mesh: {box: {cells: [2, 2, 2], cell: prism, distort: 0.2}}\nphysics: elasticity\norder: 1\nmaterials: {young: "
     "10, poisson: 0.25}\n"
     "boundary:\n- {groups: [x1, y1, z1], pressure: 2}\n- {group: x0, displacement: {x: 0}}\n- {group: y0, "
     "displacement: {y: 0}}\n"
     "- {group: z0, displacement: {z: 0}}\nexact: [-0.1*x, -0.1*y, -0.1*z]\nsolver: {tolerance: 1e-13}\n",
     1e-12, 1e-11, NAN, NAN},
    /* A strip pulled: plane stress of any thickness, plane strain. */
    {"mesh: {box: {cells: [4, 2], size: [2, 1], cell: tri, distort: 0.2}}\nphysics: plane-stress\norder: 1\n"
     "materials: {young: 10, poisson: 0.3, thickness: 0.05}\nboundary:\n- {group: x1, traction: [1, 0]}\n- {group: x0, "
     "displacement: {x: 0}}\n"
     "- {group: y0, displacement: {y: 0}}\nexact: [0.1*x, -0.03*y]\nsolver: {tolerance: 1e-13}\n",
     1e-12, 1e-11, NAN, NAN},
    {"mesh: {box: {cells: [4, 2], size: [2, 1], cell: quad, distort: 0.2}}\nphysics: plane-strain\norder: 2\n"
     "materials: {young: 10, poisson: 0.25}\nboundary:\n- {group: x1, traction: {x: 1}}\n- {group: x0, displacement: "
     "{x: 0}}\n"
     "- {group: y0, displacement: {y: 0}}\nexact: [0.09375*x, -0.03125*y]\nsolver: {tolerance: 1e-13}\n",
     1e-12, 1e-11, NAN, NAN},
};

static void test_known_solutions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++) {
        ritz_problem *p = parse_with(knowns[i].text, NULL);
        ritz_result r = {.size = sizeof r};
        if (ritz_problem_solve(p, &r) != RITZ_OK)
            fail_msg("%s\nfor\n%s", ritz_message(), knowns[i].text);
        if (!(r.error_l2 < knowns[i].l2 && r.error_h1 < knowns[i].h1))
            fail_msg("errors %g %g for\n%s", r.error_l2, r.error_h1, knowns[i].text);
        if (!isnan(knowns[i].smallest)) {
            assert_true(fabs(r.smallest_value - knowns[i].smallest) < 1e-9);
            assert_true(fabs(r.largest_value - knowns[i].largest) < 1e-9);
        }
        assert_true(r.solve.converged && r.unknowns > 0 && r.nonzeros > 0 && r.peak_device_bytes > r.matrix_bytes);
        ritz_problem_destroy(&p);
    }
}

/* Two squares side by side, groups a and b, ends "left" and "right". */
static const char *const two_squares =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n4\n1 1 \"left\"\n1 2 \"right\"\n2 3 \"a\"\n2 4 \"b\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n"
    "$Elements\n4\n1 1 2 1 1 4 1\n2 1 2 2 2 3 6\n3 3 2 3 3 1 2 5 4\n4 3 2 4 4 2 3 6 5\n$EndElements\n";

static char two_squares_path[] = "/tmp/ritz-test-XXXXXX.msh";

static int write_two_squares(void **state)
{
    (void)state;
    memset(strrchr(two_squares_path, '-') + 1, 'X', 6);
    const int file = mkstemps(two_squares_path, 4);
    const ssize_t n = (ssize_t)strlen(two_squares);
    if (file < 0 || write(file, two_squares, (size_t)n) != n)
        return -1;
    return close(file);
}

static int remove_two_squares(void **state)
{
    (void)state;
    return unlink(two_squares_path);
}

static ritz_status solve_two_squares(const char *materials, ritz_result *result)
{
    char text[1024];
    snprintf(text, sizeof text,
             "mesh: %s\nphysics: poisson\norder: 3\nmaterials: %s\nboundary: [{group: left, value: 0}, {group: right, "
             "flux: 4}]\n"
             "exact: \"x < 1 ? 4*x : 3 + x\"\nsolver: {tolerance: 1e-13}\n",
             two_squares_path, materials);
    ritz_problem *p = parse_with(text, NULL);
    const ritz_status status = ritz_problem_solve(p, result);
    ritz_problem_destroy(&p);
    return status;
}

/* The flux 4 through conductivities 1 and 4: slopes 4 and 1. As an array over elements, and as expressions chosen by
   material. */
static void test_two_materials(void **state)
{
    (void)state;
    static const char *const materials[] = {
        "[{group: a, conductivity: 1}, {group: b, conductivity: 4}]",
        "[{conductivity: 4}, {group: a}]",
        "[{group: a, conductivity: 1 + 0*floor(x/4)}, {group: b, conductivity: 4}]",
        "[{groups: [a, b], conductivity: \"x < 1 ? 1 : 4\"}]",
    };
    ritz_result r = {.size = sizeof r};
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        if (solve_two_squares(materials[i], &r) != RITZ_OK)
            fail_msg("%s\nfor %s", ritz_message(), materials[i]);
        if (!(r.error_l2 < 1e-11 && r.error_h1 < 1e-10))
            fail_msg("errors %g %g for %s", r.error_l2, r.error_h1, materials[i]);
    }
    assert_int_equal(solve_two_squares("[{group: a}]", &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "no material for the 1 cells of group 'b'"));
    assert_int_equal(solve_two_squares("[{group: a}, {groups: [b, a]}]", &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "cells of 'a' get two materials"));
    assert_int_equal(solve_two_squares("[{group: a}, {group: c}]", &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "no group of surfaces 'c'"));
}

/* The two squares without groups: a material needs none, a support does. */
static void test_no_groups(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *said;
    } mistakes[] = {{"materials: {group: body, conductivity: 1}\nsource: 1\n",
                     ":3: the mesh has no groups of cells, so none is called 'body'; omit 'group'"},
                    {"source: 1\nboundary: {group: left, value: 0}\n",
                     ":4: the mesh has no groups, so none is called 'left', and a prescribed value needs one"},
                    {"source: 1\nboundary: {group: left, flux: 1}\n",
                     ":4: the mesh has no groups of edges, so none is called 'left', and a flux needs one"}};
    char path[] = "/tmp/ritz-test-XXXXXX.msh";
    static const char *const mesh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n"
                                    "$Elements\n2\n1 3 2 0 1 1 2 5 4\n2 3 2 0 2 2 3 6 5\n$EndElements\n";
    const int file = mkstemps(path, 4);
    const ssize_t n = (ssize_t)strlen(mesh);
    assert_true(file >= 0 && write(file, mesh, (size_t)n) == n && close(file) == 0);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        char text[512];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text, "mesh: %s\nphysics: poisson\n%s", path, mistakes[k].rest);
        ritz_problem *p = parse_with(text, NULL);
        assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_INPUT);
        if (!strstr(ritz_message(), mistakes[k].said))
            fail_msg("'%s' is not in the message\n%s", mistakes[k].said, ritz_message());
        ritz_problem_destroy(&p);
    }
    unlink(path);
}

/* two_squares with further groups and elements in a file at path, which ends in XXXXXX.msh. */
static void write_more_squares(char *path, const char *names, const char *elements)
{
    int n_names = 4, n_elements = 4;
    char text[1024];
    const char *own_names = strstr(two_squares, "1 1 \"left"), *end = strstr(two_squares, "$Elements\n4\n");
    for (const char *c = names; *c; c++)
        n_names += *c == '\n';
    for (const char *c = elements; *c; c++)
        n_elements += *c == '\n';
    const int n = snprintf(
        text, sizeof text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n%s%.*s$Elements\n%d\n%s%s",
        n_names, names, (int)(end - own_names), own_names, n_elements, elements, end + strlen("$Elements\n4\n"));
    const int file = mkstemps(path, 4);
    assert_true(file >= 0 && write(file, text, (size_t)n) == n && close(file) == 0);
}

/* An edge of the group "right" that is no cell's, from node 2 to node 6. */
static void test_stray_facets(void **state)
{
    (void)state;
    char text[1024], path[] = "/tmp/ritz-test-XXXXXX.msh";
    write_more_squares(path, "", "5 1 2 2 2 2 6\n");
    snprintf(text, sizeof text,
             "mesh: %s\nphysics: poisson\nboundary: [{group: left, value: 0}, {group: right, flux: 4}]\n", path);
    ritz_problem *p = parse_with(text, NULL);
    ritz_result r = {.size = sizeof r};
    const ritz_status status = ritz_problem_solve(p, &r);
    ritz_problem_destroy(&p);
    unlink(path);
    assert_int_equal(status, RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "1 of the 2 edges of the group 'right' belong to no cell"));
}

/* ---- Reactions ---- */

static void assert_force(const ritz_balance *balance, int i, const char *groups, double x, double y, double z)
{
    const double expected[3] = {x, y, z};
    assert_true(i < balance->n_reactions);
    assert_string_equal(balance->reactions[i].groups, groups);
    for (int c = 0; c < 3; c++)
        if (!(fabs(balance->reactions[i].force[c] - expected[c]) < 1e-9))
            fail_msg("reaction of %s: %.12g, not %g, along %c", groups, balance->reactions[i].force[c], expected[c],
                     "xyz"[c]);
}

/* Supports of one component each carry weight, pressure and a force; a plate's with its thickness; prescribed values that are
   not zero, in a load case, too. */
static void test_reactions(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = parse_with(
        "mesh: {box: {cells: [3, 2, 2], size: [2, 0.5, 0.4], cell: prism}}\nphysics: elasticity\norder: 2\n"
        "materials: {young: 10, poisson: 0.3, density: 2}\ngravity: [0, 0, -10]\nboundary:\n"
        "- {group: x0, displacement: {x: 0}}\n- {group: y0, displacement: {y: 0}}\n- {group: z0, displacement: {z: "
        "0}}\n"
        "- {groups: [x1, y1], pressure: 3}\n- {group: z1, force: [0.5, 0.25, 0]}\nsolver: {tolerance: 1e-12}\n",
        NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_int_equal(r.balance.n_reactions, 3);
    assert_force(&r.balance, 0, "x0", 0.1, 0, 0);
    assert_force(&r.balance, 1, "y0", 0, 2.15, 0);
    assert_force(&r.balance, 2, "z0", 0, 0, 8);
    assert_true(fabs(r.balance.applied[0] + 0.1) < 1e-9 && fabs(r.balance.applied[2] + 8) < 1e-9);
    assert_true(r.balance.imbalance < 1e-9);
    ritz_problem_destroy(&p);
    p = parse_with("mesh: {box: {cells: [2, 2]}}\nphysics: plane-stress\norder: 1\n"
                   "materials: {young: 10, poisson: 0, thickness: 0.5}\nboundary:\n- {group: x0, displacement: fixed}\n"
                   "- {groups: [x1, y1], displacement: {x: \"0.1*x\"}}\nsolver: {tolerance: 1e-12}\n"
                   "cases:\n- {name: pull, boundary: {group: x1, force: [7, 0]}}\n"
                   "- {name: far, boundary: {groups: [x1, y1], displacement: {x: \"0.2*x\"}}}\n",
                   NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    /* sigma = 1, then 2; a quarter of the left edge is of the node that the later entry has. */
    for (int c = 0; c < 2; c++) {
        const ritz_balance *b = &r.cases[c].balance;
        assert_force(b, 0, "x0", c ? -0.75 : -0.375, 0, 0);
        assert_force(b, 1, "x1, y1", c ? 0.75 : 0.375 - 7, 0, 0);
        assert_true(b->imbalance < 1e-9);
    }
    ritz_problem_destroy(&p);
    /* A bar that a force bends, 2 away from its clamp. */
    p = parse_with("mesh: {box: {cells: [4, 2], size: [2, 0.5]}}\nphysics: plane-stress\norder: 2\n"
                   "materials: {young: 10, poisson: 0.3}\nboundary:\n- {group: x0, displacement: fixed}\n"
                   "- {group: x1, force: [0, 3]}\nsolver: {tolerance: 1e-12}\n",
                   NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_force(&r.balance, 0, "x0", 0, -3, 0);
    assert_true(fabs(r.balance.reactions[0].about[1] - 0.25) < 1e-12 && r.balance.reactions[0].about[0] == 0);
    assert_true(fabs(r.balance.reactions[0].moment[2] + 6) < 1e-9 && r.balance.reactions[0].moment[0] == 0);
    ritz_problem_destroy(&p);
}

static void count_shared(const char *line, void *n)
{
    *(int *)n += strstr(line, "supports prescribe what equations or rigid faces that are moved hold, too") != NULL;
}

/* Nodes of several supports, rigid faces and ties: each carries its own. A spring of 1 beside a clamp next to nothing; bolts on a rigid
   flange k u; what a tie or a rigid face brings to a support at either end. A support at nodes of a mean is told of. */
static void test_shared_supports(void **state)
{
    (void)state;
#define BAR                                                                                                            \
    "mesh: {box: {cells: [4, 2, 2], size: [1, 0.2, 0.2]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 210e9, "  \
    "poisson: 0.3}\n"
#define EDGE(name, z) "- {name: " name ", of: nodes, groups: [x1], box: {from: [1, 0, " z "], to: [1, 0.2, " z "]}}\n"
#define END "solver: {method: direct}\noutput: none\n"
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = parse_with(BAR "boundary:\n- {group: x0, displacement: fixed}\n- {group: z0, spring: [1, 1, 1]}\n"
                                     "- {group: z0, bedding: [1, 1, 1]}\n- {group: x1, force: [0, 0, 1000]}\n" END,
                                 NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            assert_true(fabs(r.balance.reactions[i].force[c] - (i == 0 && c == 2 ? -1000 : 0)) < 1e-3);
    assert_true(r.balance.reactions[1].force[2] < -1e-9 && r.balance.reactions[2].force[2] < -1e-9);
    ritz_problem_destroy(&p);

    p = parse_with(
        BAR "groups:\n" EDGE("c1", "0")
            EDGE("c2",
                 "0.2") "rigid: [{group: x1}]\nboundary:\n"
                        "- {group: x0, spring: [1e6, 1e6, 1e6]}\n- {group: c1, spring: [1e6, 1e6, 1e6]}\n"
                        "- {group: c2, spring: [1e6, 1e6, 1e6]}\n- {group: x0, force: [0, 0, 100], at: [0, 0.1, 0.1]}\n"
                        "- {group: x1, force: [0, 0, 100], at: [1, 0.1, 0.1]}\n" END,
        NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    const ritz_balance *b = &r.balance;
    assert_int_equal(b->n_reactions, 3); /* the rigid face carries nothing by itself */
    assert_true(fabs(b->reactions[1].force[2] - b->reactions[2].force[2]) < 1e-3);
    assert_true(fabs(b->reactions[0].force[2] + b->reactions[1].force[2] + b->reactions[2].force[2] + 200) < 1e-3);
    assert_true(fabs(b->reactions[1].force[2] + 50) < 2); /* bending costs the bar next to nothing beside the springs */
    ritz_problem_destroy(&p);

    for (int from = 0; from < 2; from++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\norder: 2\nmaterials: {young: 10, poisson: 0.3}\n"
            "ties: {from: y1, to: y0, tolerance: 1.5}\nboundary:\n- {group: %s, displacement: fixed}\n"
            "- {group: x1, force: [0.5, 1, 2]}\n" END,
            from ? "y1" : "y0");
        p = parse_with(text, NULL);
        assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
        assert_int_equal(r.balance.n_reactions, 1);
        assert_force(&r.balance, 0, from ? "y1" : "y0", -0.5, -1, -2);
        ritz_problem_destroy(&p);
    }

    /* Planes of symmetry beside a free rigid face; a ring whose rigid face is held beside. */
    p = parse_with(
        "mesh: {box: {cells: [2, 2, 2]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 10, poisson: 0.3}\n"
        "rigid: {group: x1}\nboundary:\n- {group: x0, normal: 0}\n- {group: y0, normal: 0}\n- {group: z0, normal: 0}\n"
        "- {group: x1, force: [1, 2, 3]}\n" END,
        NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_int_equal(r.balance.n_reactions, 3);
    assert_force(&r.balance, 0, "x0", -1, 0, 0);
    assert_force(&r.balance, 1, "y0", 0, -2, 0);
    assert_force(&r.balance, 2, "z0", 0, 0, -3);
    ritz_problem_destroy(&p);
    p = parse_with(
        "mesh: {box: {cells: [2, 2]}}\nphysics: axisymmetric\norder: 1\nmaterials: {young: 10, poisson: 0.3}\n"
        "rigid: {group: y1}\nboundary:\n- {group: x1, displacement: {y: 0}}\n- {group: y1, force: [0, 10]}\n" END,
        NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_int_equal(r.balance.n_reactions, 1);
    assert_force(&r.balance, 0, "x1", 0, -10, 0);
    ritz_problem_destroy(&p);

    int n = 0;
    p = parse_with(
        BAR "groups:\n" EDGE(
            "edge",
            "0") "rigid: [{group: x1}]\nboundary:\n- {group: x0, displacement: fixed}\n"
                 "- {group: edge, displacement: {z: 0}}\n- {group: x1, force: [0, 0, 300], at: [1, 0.1, 0.1]}\n" END,
        NULL);
    p->stage = count_shared;
    p->stage_context = &n;
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK); /* nothing moves: all goes where the rigid face is held */
    assert_int_equal(r.balance.n_reactions, 2);
    assert_force(&r.balance, 0, "x0", 0, 0, 0);
    assert_force(&r.balance, 1, "edge", 0, 0, -300);
    assert_int_equal(n, 0);
    ritz_problem_destroy(&p);

    p = parse_with(
        BAR "groups:\n" EDGE(
            "edge", "0") "equations: [{terms: [{group: x1, component: z}], value: 1e-6}]\n"
                         "boundary:\n- {group: x0, displacement: fixed}\n- {group: edge, displacement: {z: 0}}\n" END,
        NULL);
    p->stage = count_shared;
    p->stage_context = &n;
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_int_equal(n, 1);
    ritz_problem_destroy(&p);
    p = parse_with("mesh: {box: {cells: [3, 2]}}\nphysics: heat\nmaterials: {conductivity: 2}\n"
                   "ties: {from: y1, to: y0, tolerance: 1.5}\nboundary:\n- {group: y0, temperature: 0}\n"
                   "- {group: x1, flux: 3}\n" END,
                   NULL);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_int_equal(r.balance.n_flows, 1);
    assert_true(fabs(r.balance.flows[0].value + 3) < 1e-12);
    ritz_problem_destroy(&p);
#undef BAR
#undef EDGE
#undef END
}

/* The right corners as points: a force on both pulls as on the edge; one point takes no moment. */
static void test_forces_on_points(void **state)
{
    (void)state;
    static const char *const loads[] = {"group: ends, force: [3, 0]", "group: ends, moment: 3",
                                        "group: end, moment: 3"};
    char text[1024], path[] = "/tmp/ritz-test-XXXXXX.msh";
    write_more_squares(path, "0 5 \"ends\"\n0 6 \"end\"\n", "5 15 2 5 5 3\n6 15 2 5 6 6\n7 15 2 6 6 6\n");
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "mesh: %s\nphysics: plane-stress\norder: 1\nmaterials: {young: 1, poisson: 0}\n"
                 "boundary:\n- {group: left, displacement: fixed}\n- {%s}\n%s",
                 path, loads[i], i == 0 ? "exact: [3*x, 0]\n" : "");
        ritz_problem *p = parse_with(text, NULL);
        ritz_result r = {.size = sizeof r};
        const ritz_status status = ritz_problem_solve(p, &r);
        if (status != (i < 2 ? RITZ_OK : RITZ_ERROR_INPUT))
            fail_msg("%s: %s", loads[i], ritz_message());
        if (i == 0)
            assert_true(r.error_l2 < 1e-6);
        ritz_problem_destroy(&p);
    }
    unlink(path);
    assert_non_null(strstr(ritz_message(), "problem:7: the group 'end' lies on one line or point"));
}

/* The edge x = 1 between two squares: a traction and a pressure on it, in turn. */
static void test_load_between_cells(void **state)
{
    (void)state;
    static const char *const loads[] = {"traction: [2, 0]", "pressure: 2"};
    char text[1024], path[] = "/tmp/ritz-test-XXXXXX.msh";
    write_more_squares(path, "1 5 \"between\"\n", "5 1 2 5 5 2 5\n");
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "mesh: %s\nphysics: plane-strain\nmaterials: {young: 1, poisson: 0}\n"
                 "boundary:\n- {group: left, displacement: fixed}\n- {group: between, %s}\n",
                 path, loads[i]);
        ritz_problem *p = parse_with(text, NULL);
        ritz_result r = {.size = sizeof r};
        const ritz_status status = ritz_problem_solve(p, &r);
        if (status != (i == 0 ? RITZ_OK : RITZ_ERROR_INPUT))
            fail_msg("%s: %s", loads[i], ritz_message());
        if (i == 0) /* a bar under the stress 2 up to x = 1, E = 1, nu = 0 */
            assert_true(fabs(ritz_find_largest(r.largest, "displacement") - 2) < 1e-6);
        ritz_problem_destroy(&p);
    }
    unlink(path);
    assert_non_null(strstr(ritz_message(), "problem:6: the group 'between' has edges between two cells"));
    assert_non_null(strstr(ritz_message(), "(1, 0.5, 0)"));
}

/* ---- Load cases ---- */

typedef struct known_cases {
    const char *text;
    double l2, h1; /* bounds of the error norms of every case */
} known_cases;

/* Each case has its own exact solution; the top level's loads act in all of them. */
static const known_cases known_case_sets[] = {
    /* A bar of E 100, nu 0, density 2, pulled by 1 in all cases. */
    {"mesh: {box: {cells: [3, 2, 2], cell: hex}}\nphysics: elasticity\norder: 2\n"
     "materials: {young: 100, poisson: 0, density: 2}\nsolver: {tolerance: 1e-13}\n"
     "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [1, 0, 0]}]\ncases:\n"
     "- {name: common, exact: [0.01*x, 0, 0]}\n"
     "- {name: pull, boundary: {group: x1, traction: {x: 4}}, exact: [0.05*x, 0, 0]}\n"
     "- {name: press, boundary: {group: x1, pressure: 3}, exact: [-0.02*x, 0, 0]}\n"
     "- {name: weight, gravity: [3, 0, 0], exact: [0.01*x + 0.06*(x - x*x/2), 0, 0]}\n"
     "- {name: force, body: [{force: [2, 0, 0]}, {group: body, force: {x: 4}}], exact: [0.01*x + 0.06*(x - x*x/2), 0, "
     "0]}\n"
     "- {name: moved, boundary: {group: x0, displacement: {x: 0.5}}, exact: [0.5 + 0.01*x, 0, 0]}\n"
     "- {name: all, gravity: [3, 0, 0], boundary: [{group: x0, displacement: {x: 0.5, y: -2}}, "
     "{group: x1, pressure: 3}], exact: [0.5 - 0.02*x + 0.06*(x - x*x/2), -2, 0]}\n",
     1e-11, 1e-10},
    /* The same in the plane with a thickness that weighs weight, force and traction, and gravity at the top level. */
    {"mesh: {box: {cells: [3, 2], cell: tri, distort: 0.2}}\nphysics: plane-stress\norder: 2\n"
     "materials: {young: 100, poisson: 0, density: 2, thickness: 0.25}\nsolver: {tolerance: 1e-13}\n"
     "gravity: {x: 1}\nboundary: [{group: x0, displacement: fixed}]\ncases:\n"
     "- {name: weight, gravity: [2, 0], exact: [0.06*(x - x*x/2), 0]}\n"
     "- {name: force, body: {force: [4, 0]}, exact: [0.06*(x - x*x/2), 0]}\n"
     "- {name: pull, boundary: {group: x1, traction: [7, 0]}, exact: [0.07*x + 0.02*(x - x*x/2), 0]}\n",
     1e-11, 1e-10},
    /* Values by case, as expressions, on top of others; heat that flows in. */
    {"mesh: {box: {cells: [4, 3], size: [2, 1], cell: tri, distort: 0.3}}\nphysics: poisson\norder: 2\n"
     "materials: {conductivity: 5}\nboundary: [{groups: [y0, y1], value: 1}, {groups: [x0, x1], value: 3}]\n"
     "solver: {tolerance: 1e-13}\ncases:\n"
     "- {name: linear, boundary: {groups: [x0, x1, y0, y1], value: 1 + 2*x - y}, exact: 1 + 2*x - y}\n"
     "- {name: square, source: -20, boundary: {groups: [y0, y1, x0, x1], value: x*x + y*y}, exact: x*x + y*y}\n"
     "- {name: one, boundary: {groups: [x0, x1], value: 1}, exact: 1}\n",
     1e-11, 1e-10},
    /* BiCGStab on a form that is not symmetric; a load on the derivative of the test function. */
    {"mesh: {box: {cells: [4, 2], cell: quad}}\nphysics: convection-diffusion\norder: 6\n"
     "materials: {diffusion: 0.5, velocity: [2, 0.5], reaction: 3}\nsolver: {tolerance: 1e-13}\n"
     "boundary: [{groups: [x0, x1], value: 0}, {group: x0, flux: 0}]\ncases:\n"
     "- {name: up, source: 4.5*exp(x), boundary: {groups: [x0, x1], value: exp(x)}, exact: exp(x)}\n"
     "- {name: raw, body: {f0: 4.5*exp(x)}, boundary: {groups: [x0, x1], value: exp(x)}, exact: exp(x)}\n"
     "- {name: down, body: {f0: 2.5*exp(x), f1: -2*exp(x)}, boundary: [{groups: [x0, x1], value: exp(x)}], exact: "
     "exp(x)}\n",
     1e-9, 1e-7},
    {"mesh: {box: {cells: [2, 2, 2], cell: tet, distort: 0.2}}\nphysics: mass\norder: 3\nmaterials: {density: 2, "
     "source: 2*x}\nsolver: {tolerance: 1e-13}\ncases:\n"
     "- {name: a, exact: x}\n- {name: b, source: 2*x*y*z, exact: x + x*y*z}\n- {name: c, body: {source: -2*x}, exact: "
     "0}\n",
     1e-11, 1e-9},
};

static void test_known_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known_case_sets / sizeof *known_case_sets; i++) {
        const known_cases *k = &known_case_sets[i];
        ritz_problem *p = parse_with(k->text, NULL);
        ritz_result r = {.size = sizeof r};
        if (ritz_problem_solve(p, &r) != RITZ_OK)
            fail_msg("%s\nfor\n%s", ritz_message(), k->text);
        int32_t iterations = 0;
        for (int c = 0; c < r.n_cases; c++) {
            const ritz_load_case_result *one = &r.cases[c];
            if (!(one->error_l2 < k->l2 && one->error_h1 < k->h1))
                fail_msg("errors %g %g of case %s for\n%s", one->error_l2, one->error_h1, one->name, k->text);
            assert_true(one->solve.converged && !one->failure && one->error_l2 <= r.error_l2);
            assert_int_equal(one->solve.history_count,
                             one->solve.method == RITZ_DIRECT ? 0 : one->solve.iterations + 1);
            iterations += one->solve.iterations;
            assert_true(one->solve.setup_seconds == r.cases[0].solve.setup_seconds); /* of the one solver of all */
        }
        assert_true(r.n_cases >= 3 && r.solve.converged && r.solve.iterations == iterations);
        ritz_problem_destroy(&p);
    }
}

/* A source in one of two groups of cells with two materials, each in its own group. */
static void test_case_in_group(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "mesh: %s\nphysics: poisson\norder: 3\nmaterials: [{group: a, conductivity: 1}, {group: b, conductivity: "
             "4}]\nboundary: {group: left, value: 0}\nsolver: {tolerance: 1e-13}\ncases:\n"
             "- {name: b, body: {group: b, source: 8}, exact: \"x < 1 ? 8*x : 7 + 4*x - x*x - 2\"}\n"
             "- {name: a, body: {group: a, source: 8}, exact: \"x < 1 ? 8*x - 4*x*x : 4\"}\n"
             "- {name: right, boundary: {group: right, flux: 4}, exact: \"x < 1 ? 4*x : 3 + x\"}\n"
             "- {name: both, body: [{group: b, source: 8}, {group: a, source: 8}], boundary: {group: right, flux: 4}, "
             "exact: \"x < 1 ? 20*x - 4*x*x : 12 + 5*x - x*x\"}\n",
             two_squares_path);
    ritz_problem *p = parse_with(text, NULL);
    ritz_result r = {.size = sizeof r};
    if (ritz_problem_solve(p, &r) != RITZ_OK)
        fail_msg("%s", ritz_message());
    for (int c = 0; c < r.n_cases; c++)
        if (!(r.cases[c].error_l2 < 1e-11 && r.cases[c].error_h1 < 1e-10))
            fail_msg("case %s: errors %g %g", r.cases[c].name, r.cases[c].error_l2, r.cases[c].error_h1);
    ritz_problem_destroy(&p);
    p = parse_with(text, "cases.0.body.group=left");
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'left' holds edges, and a body load needs a group of faces"));
    ritz_problem_destroy(&p);
}

static const char *const bar = "mesh: {box: {cells: [6, 2, 2], size: [3, 1, 1], cell: hex}}\nphysics: elasticity\n"
                               "order: 1\nmaterials: {young: 100, poisson: 0.3, density: 2}\n"
                               "boundary: [{group: x0, displacement: fixed}]\n";

/* A case with loads on surfaces alone is its own run, bit for bit: also after another case, also with polynomials. */
static void test_case_is_its_own_run(void **state)
{
    (void)state;
    static const char *const solvers[] = {"solver={preconditioner: jacobi}",
                                          "solver={preconditioner: chebyshev, degree: 3, precision: mixed}",
                                          "solver={precision: single, tolerance: 1e-5}"};
    char text[1024];
    for (int s = 0; s < 3; s++) {
        ritz_result alone = {.size = sizeof alone}, together = {.size = sizeof together};
        snprintf(text, sizeof text, "%.*s, {group: x1, traction: [0, y, 1]}]\n", (int)strlen(bar) - 2, bar);
        ritz_problem *p = parse_with(text, solvers[s]);
        assert_int_equal(ritz_problem_solve(p, &alone), RITZ_OK);
        snprintf(text, sizeof text,
                 "%scases: [{name: a, boundary: {group: y1, pressure: z}}, {name: b, gravity: [1, 2, 3]}, "
                 "{name: c, boundary: {group: x1, traction: [0, y, 1]}}]\n",
                 bar);
        ritz_problem *q = parse_with(text, solvers[s]);
        assert_int_equal(ritz_problem_solve(q, &together), RITZ_OK);
        const ritz_load_case_result *c = &together.cases[2];
        assert_int_equal(c->solve.iterations, alone.solve.iterations);
        assert_memory_equal(c->solve.history, alone.solve.history,
                            (size_t)alone.solve.history_count * sizeof *alone.solve.history);
        assert_true(ritz_find_largest(c->largest, "displacement") == ritz_find_largest(alone.largest, "displacement"));
        assert_true(ritz_find_largest(c->largest, "von_mises") == ritz_find_largest(alone.largest, "von_mises"));
        assert_true(ritz_find_largest(together.cases[0].largest, "displacement") !=
                    ritz_find_largest(c->largest, "displacement"));
        assert_true(together.nonzeros == alone.nonzeros && together.matrix_bytes == alone.matrix_bytes);
        ritz_problem_destroy(&p);
        ritz_problem_destroy(&q);
    }
}

/* The pull needs few iterations, the bend more: one case stops short, the other one stands. */
static void test_case_not_converged(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "%scases: [{name: bend, boundary: {group: x1, traction: [0, z, 1]}}, "
             "{name: pull, boundary: {group: x1, traction: [1, 0, 0]}}, {name: bend2, gravity: [0, z, y]}]\n",
             bar);
    ritz_problem *p = parse_with(text, "solver.method=cg");
    ritz_result r = {.size = sizeof r};
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    const int least = r.cases[1].solve.iterations;
    const double displacement = ritz_find_largest(r.cases[1].largest, "displacement");
    assert_true(least + 1 < r.cases[0].solve.iterations && least + 1 < r.cases[2].solve.iterations);
    ritz_problem_destroy(&p);
    char setting[64];
    snprintf(setting, sizeof setting, "solver.max_iterations=%d", least);
    p = parse_with(text, setting);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_NOT_CONVERGED);
    assert_non_null(strstr(ritz_message(), "2 of 3 load cases did not converge (bend, bend2); bend: "));
    assert_true(!r.solve.converged && r.cases[0].failure && !r.cases[1].failure && r.cases[2].failure);
    assert_true(!r.cases[0].solve.converged && isnan(ritz_find_largest(r.cases[0].largest, "displacement")));
    assert_true(r.cases[1].solve.converged && ritz_find_largest(r.cases[1].largest, "displacement") == displacement);
    assert_true(ritz_find_largest(r.largest, "displacement") == displacement);
    ritz_problem_destroy(&p);
}

/* Supports that move as one body take the part along; what loads do besides is solved as if they had not moved. */
static void test_moved_supports(void **state)
{
    (void)state;
    static const char *const moves[2] = {"{x: 3e-4 - 1e-5*y, y: 1e-5*x - 2e-3}",
                                         "{x: 3e-4 - 1e-5*y + 2e-5*z, y: 1e-5*x - 2e-3, z: 1e-3 - 2e-5*x}"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: %s}}\nphysics: %s\nmaterials: {young: 1e9, poisson: 0.3}\noutput: none\nsolver: "
                 "{tolerance: 1e-11}\n"
                 "boundary: [{group: x0, displacement: %s}]\nexact: %s\n",
                 k ? "[2, 2, 2]" : "[3, 2]", k ? "elasticity" : "plane-strain", moves[k],
                 k ? "[3e-4 - 1e-5*y + 2e-5*z, 1e-5*x - 2e-3, 1e-3 - 2e-5*x]" : "[3e-4 - 1e-5*y, 1e-5*x - 2e-3]");
        ritz_problem *p = parse_with(text, NULL);
        assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
        assert_true(r.error_l2 < 1e-16 && r.solve.iterations == 0 && r.balance.imbalance < 1e-9);
        ritz_problem_destroy(&p);
        p = parse_with(text,
                       k ? "boundary.1={group: x1, traction: [3, 4, 12]}" : "boundary.1={group: x1, traction: [3, 4]}");
        assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
        assert_true(r.balance.imbalance < 1e-9 && fabs(r.balance.applied[1] - 4) < 1e-6);
        ritz_problem_destroy(&p);
    }
}

static double largest_of(const char *text, const char *setting, const char *name)
{
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = parse_with(text, setting);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    const double value = ritz_find_largest(r.largest, name);
    ritz_problem_destroy(&p);
    return value;
}

/* Supports and constants of equations that move the part as one body, or raise its temperature, change no stress and no flux; others are
   met as well as by a factorisation. By CG with its usual tolerance. */
static void test_moving_parts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *with, *without, *name;
    } tried[] = {
        {"mesh: {box: {cells: [3, 2, 3], cell: tet}}\nphysics: elasticity\norder: 2\nmaterials: {young: 1e5, poisson: "
         "0.3}\n"
         "boundary: [{group: x1, traction: [1, 0.2, -1]}]\nequations:\n- {terms: [{group: x0, component: x}]}\n"
         "- {terms: [{group: x0, component: y}]}\n- {terms: [{group: x0, component: z}]}\n"
         "- {terms: [{group: z0, component: y}, {group: z1, component: y, weight: -1}]}\n"
         "- {terms: [{group: y0, component: x}, {group: y1, component: x, weight: -1}]}\n"
         "- {terms: [{group: x0, component: z}, {group: x1, component: z, weight: -1}]}\noutput: none\nsolver: "
         "{method: cg}\n",
         "equations.5.value=0.1", NULL, "von_mises"},
        {"mesh: {box: {cells: [12, 12]}}\nphysics: heat\norder: 2\nmaterials: {conductivity: 1}\n"
         "boundary: [{group: x0, flux: 1}, {group: x1, flux: -1}]\nequations: [{terms: [{group: y1}]}]\noutput: none\n"
         "solver: {method: cg}\n",
         "equations.0.value=300", NULL, "heat_flux"},
        {"mesh: {box: {cells: [8, 8, 8]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 1, poisson: 0.3}\n"
         "boundary: [{group: x0, displacement: fixed}]\nequations: [{terms: [{group: x1, component: x}], value: "
         "0.01}]\n"
         "output: none\n",
         "solver.method=cg", "solver.method=direct", "von_mises"},
        {"mesh: {box: {cells: [12, 12]}}\nphysics: heat\norder: 2\nmaterials: {conductivity: 1}\noutput: none\nsolver: "
         "{method: cg}\n",
         "boundary=[{group: x0, temperature: 300}, {group: x1, temperature: 300 + 0.001*y}]",
         "boundary=[{group: x0, temperature: 0}, {group: x1, temperature: 0.001*y}]", "heat_flux"},
        {"mesh: {box: {cells: [12, 12]}}\nphysics: heat\norder: 2\nmaterials: {conductivity: 1}\noutput: none\nsolver: "
         "{method: cg}\n",
         "boundary=[{group: x0, film: {coefficient: 1, ambient: 300}}, {group: y1, film: {coefficient: 3, ambient: "
         "300 + 0.001*x}}]",
         "boundary=[{group: x0, film: {coefficient: 1, ambient: 0}}, {group: y1, film: {coefficient: 3, ambient: "
         "0.001*x}}]",
         "heat_flux"},
        {"mesh: {box: {cells: [6, 6]}}\nphysics: axisymmetric\norder: 2\nmaterials: {young: 1, poisson: 0.3}\noutput: "
         "none\nsolver: {method: cg}\n",
         "boundary=[{group: y0, displacement: {y: 0.1}}, {group: y1, displacement: {y: 0.1 + 1e-6*x}}]",
         "boundary=[{group: y0, displacement: {y: 0}}, {group: y1, displacement: {y: 1e-6*x}}]", "von_mises"},
        {"mesh: {box: {cells: [6, 4, 4], size: [3, 1, 1]}}\nphysics: elasticity\norder: 1\nmaterials: {young: 1, "
         "poisson: 0.3}\noutput: none\nsolver: {method: cg}\n",
         "boundary=[{group: x0, displacement: [0, 0, 0.1]}, {group: x1, displacement: [1e-6*y, 0, 0.1]}, {group: y0, "
         "bedding: [0.1, 0, 0]}]",
         "boundary=[{group: x0, displacement: [0, 0, 0]}, {group: x1, displacement: [1e-6*y, 0, 0]}, {group: y0, "
         "bedding: [0.1, 0, 0]}]",
         "von_mises"},
    };
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const double one = largest_of(tried[i].text, tried[i].with, tried[i].name),
                     other = largest_of(tried[i].text, tried[i].without, tried[i].name);
        if (!(fabs(one - other) < 1e-6 * other))
            fail_msg("%s: %.9g and %.9g", tried[i].text, one, other);
    }
}

static void note_stage(const char *stage, double fraction, void *context)
{
    (void)fraction;
    int *seen = context;
    seen[0] += strcmp(stage, "first: solve") == 0;
    seen[1] += strcmp(stage, "second: solve") == 0;
    seen[2] += strcmp(stage, "solve") == 0;
}

/* Progress names the case that is being solved, and none afterwards. */
static void test_case_progress(void **state)
{
    (void)state;
    static const char *const cases = "cases=[{name: first, gravity: [0, 0, 1]}, {name: second, gravity: [0, 1, 0]}]";
    int seen[3] = {0};
    ritz_problem *p = parse_with(bar, cases);
    ritz_result r = {.size = sizeof r};
    ritz_set_progress(note_stage, seen);
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] == 0);
    ritz_problem_destroy(&p);
    p = parse_with(bar, "gravity=[0, 0, 1]");
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    ritz_set_progress(NULL, NULL);
    assert_true(seen[2] > 0);
    ritz_problem_destroy(&p);
}

static const late_mistake case_mistakes[] = {
    {"cases:\n- {name: a, boundary: {group: x1, displacement: {y: 1}}}\n",
     RITZ_ERROR_INPUT,
     {"problem:7:", "case 'a' prescribes the displacement of the group 'x1' along y", "free at the top level",
      "{group: x1, displacement: {y: 0}}"}},
    {"cases:\n- {name: a, gravity: {x: 1}}\n- {name: b, boundary: {group: no, pressure: 1}}\n",
     RITZ_ERROR_INPUT,
     {"problem:8:", "no", "x0, x1"}},
    {"cases:\n- {name: a, body: {group: x1, force: [1, 2, 3]}}\n",
     RITZ_ERROR_INPUT,
     {"problem:7:", "'x1' holds faces", "body load needs a group of cells"}},
    {"cases:\n- {name: a, gravity: {x: sqrt(x - 1)}}\n",
     RITZ_ERROR_INPUT,
     {"problem:7:", "of the case 'a'", "not a finite number in element 1;"}},
    {"cases:\n- name: a\n  body:\n  - force: [1, 0, 0]\n  - {group: body, force: [1/(x-x), 0, 0]}\n",
     RITZ_ERROR_INPUT,
     {"problem:10:", "of the case 'a'", "not a finite number in element 1;"}},
    {"cases:\n- {name: a, boundary: {group: x1, pressure: log(-x)}}\n",
     RITZ_ERROR_INPUT,
     {"problem:7:", "'pressure' must be a finite number"}},
    {"cases:\n- {name: a, boundary: {group: x0, displacement: {x: log(-1 - y)}}}\n",
     RITZ_ERROR_INPUT,
     {"problem:7:", "a prescribed value must be finite"}},
    {"cases:\n- {name: a, boundary: {group: x1, traction: [1e308, 0, 0]}, body: {force: [1e308, 0, 0]}}\n"
     "mesh: {box: {cells: [1, 1, 1], size: [1e3, 1e3, 1e3]}}\n",
     RITZ_ERROR_INPUT,
     {"overflow"}},
};

static void test_case_mistakes(void **state)
{
    (void)state;
    char text[1024];
    for (size_t i = 0; i < sizeof case_mistakes / sizeof *case_mistakes; i++) {
        const late_mistake *m = &case_mistakes[i]; /* one has a mesh of its own in the place of the bar's first line */
        snprintf(text, sizeof text, "%s%s%s", strstr(m->text, "mesh:") ? "#" : "", bar, m->text);
        ritz_problem *p = parse_with(text, NULL);
        ritz_result r = {.size = sizeof r};
        const ritz_status status = ritz_problem_solve(p, &r);
        if (status != m->status)
            fail_msg("status %d, not %d, for\n%s", (int)status, (int)m->status, text);
        for (int k = 0; k < 4 && m->parts[k]; k++)
            if (!strstr(ritz_message(), m->parts[k]))
                fail_msg("'%s' is not in the message\n%s\nfor\n%s", m->parts[k], ritz_message(), text);
        ritz_problem_destroy(&p);
    }
    snprintf(text, sizeof text,
             "mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary: {group: x0, value: 1}\n"
             "cases: {name: a, boundary: {group: y1, value: 2}}\n");
    ritz_problem *p = parse_with(text, NULL);
    ritz_result r = {.size = sizeof r};
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "prescribes the value of the group 'y1'"));
    ritz_problem_destroy(&p);
}

/* Single precision gives the answer to its own accuracy. */
static void test_single(void **state)
{
    (void)state;
    ritz_problem *p = parse_with(knowns[0].text, "solver={precision: single, tolerance: 1e-6}");
    ritz_result r = {.size = sizeof r};
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    assert_true(r.error_l2 < 1e-4 && r.error_l2 > 1e-12);
    ritz_problem_destroy(&p);
}

/* Every allocation of a whole solve fails once: an error each time, and the problem can be solved after it. */
static void fail_each_allocation(ritz_problem *p)
{
    ritz_result r = {.size = sizeof r};
    assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
    const double expected = ritz_find_largest(r.largest, "displacement");
    int64_t n = 1;
    for (;; n++) {
        ritz_fail_allocation(n);
        const ritz_status status = ritz_problem_solve(p, &r);
        ritz_fail_allocation(0);
        if (status == RITZ_OK)
            break;
        if (status != RITZ_ERROR_MEMORY)
            fail_msg("allocation %d: status %d: %s", (int)n, (int)status, ritz_message());
    }
    assert_true(n > 100 && ritz_find_largest(r.largest, "displacement") == expected);
}

static void test_failing_solves(void **state)
{
    (void)state;
    static const char *const methods[] = {"solver.method=cg", "solver.method=direct"};
    for (int m = 0; m < (ritz_direct_is_built() ? 2 : 1); m++) {
        ritz_problem *p = parse_with("mesh: {box: {cells: [2, 1], cell: tri}}\nphysics: plane-stress\norder: 2\n"
                                     "materials: {young: 10 + x, poisson: 0.3, thickness: 1 + x}\nexact: [0, 0]\n"
                                     "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [1, x]}]\n",
                                     methods[m]);
        fail_each_allocation(p);
        ritz_problem_destroy(&p);
    }
}

/* Chosen groups, two materials, probes and faces. */
static void test_failing_results(void **state)
{
    (void)state;
    static const char *const files[] = {"a.vtkhdf",           "a.old.vtkhdf", "a_faces.vtkhdf",
                                        "a_faces.old.vtkhdf", "a_tip.csv",    "a_tip.old.csv"};
    char folder[] = "/tmp/ritz-results-XXXXXX", text[1024], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(text, sizeof text,
             "mesh: {box: {cells: [2, 1], cell: tri}}\nphysics: plane-stress\norder: 1\n"
             "groups: [{name: left, of: cells, box: {from: [0, 0], to: [0.5, 1]}}, {name: top, normal: [0, 1]}]\n"
             "materials: [{young: 10, poisson: 0.3, yield: 1}, {group: left, young: 20, poisson: 0.3, yield: 1 + x}]\n"
             "boundary: [{group: x0, displacement: fixed}, {group: top, traction: [1, x]}]\n"
             "probes: {name: tip, points: [1, 1]}\n"
             "output: {file: %s/a.vtkhdf, faces: true, fields: [strain, stress, tresca, safety]}\n",
             folder);
    ritz_problem *p = parse_with(text, "solver.method=cg");
    fail_each_allocation(p);
    ritz_problem_destroy(&p);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        remove(path);
    }
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

static void test_failing_cases(void **state)
{
    (void)state;
    ritz_problem *p =
        parse_with("mesh: {box: {cells: [2, 1], cell: tri}}\nphysics: plane-stress\norder: 1\n"
                   "materials: {young: 10, poisson: 0.3, density: 1}\n"
                   "boundary: [{group: x0, displacement: fixed}]\ncases:\n"
                   "- {name: a, gravity: [1, x], exact: [0, 0]}\n"
                   "- {name: b, boundary: [{group: x0, displacement: [1, 0]}, {group: x1, pressure: x}]}\n",
                   "solver.method=cg");
    fail_each_allocation(p);
    ritz_problem_destroy(&p);
}

/* The mean over a face: multigrid is made of a second matrix. */
static void test_failing_long_equations(void **state)
{
    (void)state;
    ritz_problem *p = parse_with("mesh: {box: {cells: [1, 64]}}\nphysics: plane-stress\norder: 1\noutput: none\n"
                                 "materials: {young: 10, poisson: 0.3}\nsolver: {preconditioner: multigrid}\n"
                                 "boundary: [{group: x0, displacement: fixed}, {group: y1, traction: [1, 0]}]\n"
                                 "equations: [{terms: [{group: x1, component: x}]}]\n",
                                 NULL);
    fail_each_allocation(p);
    ritz_problem_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_mistakes),
        cmocka_unit_test(test_not_converged),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_known_solutions),
        cmocka_unit_test_setup_teardown(test_two_materials, write_two_squares, remove_two_squares),
        cmocka_unit_test(test_no_groups),
        cmocka_unit_test(test_stray_facets),
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_shared_supports),
        cmocka_unit_test(test_forces_on_points),
        cmocka_unit_test(test_load_between_cells),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_failing_solves),
        cmocka_unit_test(test_failing_long_equations),
        cmocka_unit_test(test_known_cases),
        cmocka_unit_test_setup_teardown(test_case_in_group, write_two_squares, remove_two_squares),
        cmocka_unit_test(test_case_is_its_own_run),
        cmocka_unit_test(test_case_not_converged),
        cmocka_unit_test(test_moved_supports),
        cmocka_unit_test(test_moving_parts),
        cmocka_unit_test(test_case_progress),
        cmocka_unit_test(test_case_mistakes),
        cmocka_unit_test(test_failing_cases),
        cmocka_unit_test(test_failing_results),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
