/* The method where a problem asks for none: slender and nearly incompressible parts are factorised, against beam and plate
   theory and conjugate gradients where these come to an end; what iterations cannot solve goes to factors, and says so. */
#include "device/tuning.h"
#include "problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char lines[8192];

static void keep_line(const char *line, void *context)
{
    (void)context;
    strncat(lines, line, sizeof lines - strlen(lines) - 2);
    strcat(lines, "\n");
}

static ritz_problem *solve_problem(const char *text, const char *setting, ritz_status expected, ritz_result *r)
{
    ritz_problem *p = NULL;
    lines[0] = '\0';
    if (parse_problem(text, "/tmp", setting, &p) != RITZ_OK)
        fail_msg("%s\n---\n%s", ritz_message(), text);
    ritz_problem_set_stage(p, keep_line, NULL);
    const ritz_status status = ritz_problem_solve(p, r);
    if (status != expected)
        fail_msg("status %d instead of %d: %s\n---\n%s%s", status, expected, ritz_message(), text, lines);
    return p;
}

static void expect_choice(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("\"%s\" does not say \"%s\"", text ? text : "", part);
}

static void close_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value / expected - 1) <= tolerance))
        fail_msg("%s is %.12g, expected %.12g: off by %.3g", what, value, expected, value / expected - 1);
}

#define ELASTIC(cells, size, nu)                                                                                       \
    "mesh: {box: {cells: [" cells "], size: [" size "]}}\nphysics: elasticity\norder: 2\noutput: none\n"               \
    "materials: [{young: 210e9, poisson: " nu "}]\n"                                                                   \
    "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, 1]}]\n"

/* Clamped at one side, loaded along the other: without contraction across, plates and bars bend as beams of unit width,
   w = F L^3 / (3 E I) = 4 L^3 / (E t^2) under a traction of 1. Elements of order 2 miss 1 / (4 n^2) of it or less. */
static void thin_parts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double thickness;
    } part[] = {{ELASTIC("20, 20, 1", "1, 1, 0.01", "0"), 0.01},
                {ELASTIC("20, 20, 1", "1, 1, 0.003333333333333333", "0"), 1 / 300.},
                {ELASTIC("20, 20, 1", "1, 1, 0.001", "0"), 0.001},
                {ELASTIC("100, 2, 2", "1, 0.01, 0.01", "0"), 0.01}};
    for (int i = 0; i < 4; i++) {
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve_problem(part[i].text, NULL, RITZ_OK, &r);
        const double t = part[i].thickness;
        close_to("the deflection", ritz_find_largest(r.largest, "displacement"), 4 / (210e9 * t * t), 2e-3);
        assert_int_equal(r.solve.method, RITZ_DIRECT);
        assert_int_equal(r.solve.direct.factorisation, RITZ_LDLT);
        expect_choice(r.choice, "direct: the part is about ");
        expect_choice(lines, "choice     direct: the part is about ");
        assert_true(r.solve.correction < 1e-6 && r.solve.sensitivity < 1e-2);
        ritz_problem_destroy(&p);
    }
}

/* So thin that rounding of the matrix's entries outweighs its bending stiffness, in any solver: told, not written. */
static void too_thin(void **state)
{
    (void)state;
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(ELASTIC("20, 20, 1", "1, 1, 0.0001", "0.3"), NULL, RITZ_ERROR_NOT_CONVERGED, &r);
    expect_choice(ritz_message(), "the rounding of its entries in double precision outweighs its stiffness");
    ritz_problem_destroy(&p);
}

/* Where conjugate gradients come to an end they and the factors agree; a cube stays theirs, unless it is small. */
static void agreement(void **state)
{
    (void)state;
    static const char bar[] = ELASTIC("30, 1, 1", "30, 1, 1", "0.3"), cube[] = ELASTIC("10, 10, 10", "1, 1, 1", "0.3");
    ritz_result chosen = {.size = sizeof chosen}, other = {.size = sizeof other};
    ritz_problem *p = solve_problem(bar, NULL, RITZ_OK, &chosen),
                 *q = solve_problem(bar, "solver={method: cg, tolerance: 1e-10}", RITZ_OK, &other);
    assert_int_equal(chosen.solve.method, RITZ_DIRECT);
    assert_int_equal(other.solve.method, RITZ_CG);
    assert_null(other.choice);
    for (int k = 0; k < RITZ_MAX_LARGEST && chosen.largest[k].field; k++)
        close_to(chosen.largest[k].words, chosen.largest[k].value, other.largest[k].value, 1e-6);
    ritz_problem_destroy(&p);
    ritz_problem_destroy(&q);
    p = solve_problem(cube, NULL, RITZ_OK, &chosen);
    q = solve_problem(cube, "solver.method=direct", RITZ_OK, &other);
    assert_int_equal(chosen.solve.method, RITZ_CG);
    expect_choice(chosen.choice, "cg with multigrid: ");
    close_to("the cube's displacement", ritz_find_largest(chosen.largest, "displacement"),
             ritz_find_largest(other.largest, "displacement"), 1e-6);
    ritz_problem_destroy(&p);
    ritz_problem_destroy(&q);
    p = solve_problem(bar, "solver.memory=1e-4", RITZ_OK,
                      &chosen); /* too little: conjugate gradients after all, and it says why */
    assert_int_equal(chosen.solve.method, RITZ_CG);
    expect_choice(chosen.choice, "cg with jacobi: the part is about 30 times as long as thick");
    expect_choice(chosen.choice, "GB");
    ritz_problem_destroy(&p);
}

/* Left to itself, the problem is factorised for this reason, with an error of no more than that in L2. */
static void expect_factors(const char *text, const char *reason, double error)
{
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(text, NULL, RITZ_OK, &r);
    assert_int_equal(r.solve.method, RITZ_DIRECT);
    expect_choice(r.choice, reason);
    assert_true(r.error_l2 < error);
    ritz_problem_destroy(&p);
}

/* A cube of rubber between smooth walls on three sides, pulled: u = p / E, and -nu u across. */
static void incompressible(void **state)
{
    (void)state;
    static const char rubber[] =
        "mesh: {box: {cells: [4, 4, 4], size: [1, 1, 1]}}\nphysics: elasticity\norder: 2\noutput: none\n"
        "materials: {young: 2, poisson: 0.49999, formulation: mixed}\n"
        "boundary: [{groups: [x0, y0, z0], normal: 0}, {group: z1, traction: [0, 0, 0.02]}]\n"
        "exact: [\"-0.0049999*x\", \"-0.0049999*y\", \"0.01*z\"]\n";
    ritz_result r = {.size = sizeof r};
    expect_factors(rubber, "direct: a material resists a change of volume 5e+04 times as much as shear; ", 1e-11);
    ritz_problem *p = solve_problem(rubber, "materials={young: 2, poisson: 0.3}", RITZ_OK, &r);
    expect_choice(r.choice, "direct: there are no more than 2187 unknowns; ");
    assert_null(strstr(lines, "multigrid took"));
    ritz_problem_destroy(&p);
    p = solve_problem(rubber, "solver={method: cg, preconditioner: multigrid}", RITZ_OK,
                      &r); /* who asks for it is told */
    expect_choice(lines, "warning    multigrid took ");
    expect_choice(lines, "hardly changes its volume");
    ritz_problem_destroy(&p);
}

/* A folder of its own, and the path of a mesh in it. */
static void make_folder(char folder[], char path[64])
{
    assert_non_null(mkdtemp(folder));
    snprintf(path, 64, "%s/part.msh", folder);
}

static void remove_folder(const char *folder, const char *path)
{
    remove(path);
    rmdir(folder);
}

/* Two squares that share a corner, one of them held: the other turns about it, which the check of supports does not see. */
static void hinged(void **state)
{
    (void)state;
    char folder[] = "/tmp/ritz-hinge-XXXXXX", path[64], text[512];
    make_folder(folder, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"body\"\n1 2 \"held\"\n$EndPhysicalNames\n"
          "$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 1 0\n6 2 2 0\n7 1 2 0\n$EndNodes\n"
          "$Elements\n3\n1 3 2 1 1 1 2 3 4\n2 3 2 1 1 3 5 6 7\n3 1 2 2 2 4 1\n$EndElements\n",
          file);
    fclose(file);
    snprintf(
        text, sizeof text,
        "mesh: %s\nphysics: plane-stress\norder: 2\noutput: none\nmaterials: [{young: 1, poisson: 0.3, density: 1}]\n"
        "boundary: [{group: held, displacement: fixed}]\ngravity: [0, -1]\nsolver: {method: direct}\n",
        path);
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(text, NULL, RITZ_ERROR_INPUT, &r);
    expect_choice(ritz_message(), "the matrix is singular: 1 of its ");
    expect_choice(ritz_message(),
                  "; free to move are 8 of 17 nodes, around (1.5, 1.5): rotation in the plane about (1, 1)");
    ritz_problem_destroy(&p);
    p = solve_problem(text, "solver=null", RITZ_ERROR_INPUT, &r); /* chosen, and the same is told */
    expect_choice(ritz_message(),
                  "; free to move are 8 of 17 nodes, around (1.5, 1.5): rotation in the plane about (1, 1)");
    ritz_problem_destroy(&p);
    p = solve_problem(text, "order=4", RITZ_ERROR_NOT_CONVERGED, &r); /* rounding holds it, hardly */
    expect_choice(ritz_message(), "; free to move, or nearly so, are ");
    expect_choice(ritz_message(), ": rotation in the plane about (1, 1)");
    ritz_problem_destroy(&p);
    snprintf(text, sizeof text,
             "mesh: %s\nphysics: plane-stress\norder: 2\noutput: none\nmaterials: [{young: 1, poisson: 0.3}]\n"
             "groups: [{name: loaded, of: nodes, nearest: [0.5, 1]}]\n"
             "boundary: [{group: held, displacement: fixed}, {group: loaded, force: [0, -1]}]\n",
             path);
    static const char *const orders[] = {"order=2", "order=4"}; /* of the latter rounding holds it, hardly */
    for (int i = 0; i < 2; i++) {
        p = solve_problem(text, orders[i], RITZ_OK, &r); /* nothing turns it: iterations have a solution */
        expect_choice(r.choice, "cg: factors find the matrix singular, or nearly so");
        expect_choice(lines,
                      "warning    the matrix is singular, or so nearly so that rounding decides: something is free");
        assert_true(r.solve.converged && r.solve.true_relative_residual < 1e-8);
        ritz_problem_destroy(&p);
    }
    p = solve_problem(text, "solver=direct", RITZ_ERROR_INPUT, &r);
    ritz_problem_destroy(&p);
    remove_folder(folder, path);
}

/* -u'' = k^2 u: symmetric and not definite, which conjugate gradients find out. */
static void indefinite(void **state)
{
    (void)state;
    static const char wave[] =
        "mesh: {box: {cells: [16, 2], size: [1, 0.1]}}\nphysics: convection-diffusion\norder: 3\noutput: none\n"
        "materials: {c00: -100, c11: 1, c22: 1}\nexact: \"sin(10*x)\"\n"
        "boundary: [{group: x0, value: 0}, {group: x1, value: \"sin(10.0)\"}]\n";
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(wave, NULL, RITZ_OK, &r);
    assert_int_equal(r.solve.method, RITZ_DIRECT);
    assert_int_equal(r.solve.direct.factorisation, RITZ_LDLT_PIVOTED);
    assert_int_equal(r.solve.direct.negative_pivots, 3); /* k > pi, 2 pi, 3 pi */
    assert_true(r.error_l2 < 1e-3);
    expect_choice(r.choice, "direct: cg reached a relative residual of ");
    ritz_problem_destroy(&p);
    p = solve_problem(wave, "materials.c00=-1e6", RITZ_OK,
                      &r); /* no more waves in a cell: nothing for multigrid or cg */
    expect_choice(r.choice, "direct: the matrix is symmetric, with negative numbers on its diagonal; ");
    ritz_problem_destroy(&p);
    p = solve_problem(wave, "solver.method=cg", RITZ_ERROR_NOT_CONVERGED, &r); /* what is asked for is what is done */
    expect_choice(ritz_message(), "not positive definite");
    ritz_problem_destroy(&p);
}

/* A long chain, along which conjugate gradients carry a load one node an iteration: they have 4000 (where products are as fast as
   on a CPU), and with four loads a quarter of these; then come the factors, or where these may not be, the rest of the
   iterations. u = x (L - x) / 2 at every node. */
static void long_chain(void **state)
{
    (void)state;
    static const char chain[] =
        "mesh: {box: {cells: [10000, 1], size: [10000, 1]}}\nphysics: poisson\norder: 1\noutput: none\n"
        "source: 1\nboundary: [{groups: [x0, x1], value: 0}]\n";
    static const char *const settings[] = {NULL, "solver.memory=1e-4",
                                           "cases=[{name: a}, {name: b}, {name: c}, {name: d}]"};
    assert_int_equal(ritz_tuning_override("solve.product_rate * 5e10\n"), RITZ_OK);
    for (int i = 0; i < 3; i++) {
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve_problem(chain, settings[i], RITZ_OK, &r);
        close_to("the largest value", i < 2 ? r.largest_value : r.cases[3].largest_value, 1e8 / 8, 1e-6);
        assert_int_equal(r.solve.method, i == 1 ? RITZ_CG : RITZ_DIRECT);
        assert_true((r.solve.iterations > 4000) == (i == 1)); /* those before, too */
        expect_choice(lines, "choice     cg with jacobi: the matrix is symmetric; a factorisation would cost up to ");
        expect_choice(r.choice,
                      i == 1 ? "cg: cg reached a relative residual of " : "direct: cg reached a relative residual of ");
        expect_choice(r.choice, i == 0 ? "in 4000 iterations" : i == 1 ? "GB are allowed" : "in 1000 iterations");
        ritz_problem_destroy(&p);
    }
    assert_int_equal(ritz_tuning_override(NULL), RITZ_OK);
}

/* Newton's method goes on with the factors that took the place of conjugate gradients: heat leaves by radiation alone,
   16 = 0.5 sigma (T^4 - 3.15^4) at the end. */
static void radiating_chain(void **state)
{
    (void)state;
    static const char chain[] =
        "mesh: {box: {cells: [300, 1], size: [2, 0.01]}}\nphysics: heat\norder: 2\noutput: none\n"
        "materials: {conductivity: 45, source: 8}\n"
        "boundary: [{group: x1, radiation: {emissivity: 0.5, ambient: -270, absolute_zero: -273.15, "
        "stefan_boltzmann: 5.67e-8}}]\n"
        "exact: \"-119.01837797244207 + 0.088888888888888892 * (4 - x*x)\"\n";
    ritz_result r = {.size = sizeof r};
    assert_int_equal(ritz_tuning_override("solve.direct_after * 100\nsolve.product_rate * 5e10\n"), RITZ_OK);
    ritz_problem *p = solve_problem(chain, NULL, RITZ_OK, &r);
    assert_int_equal(r.solve.method, RITZ_DIRECT);
    assert_true(r.error_l2 < 1e-5);
    ritz_problem_destroy(&p);
    assert_int_equal(ritz_tuning_override(NULL), RITZ_OK);
}

/* Where convection prevails BiCGStab takes 14 000 iterations, and factors follow after 1000; where the mesh resolves it multigrid
   takes a few. u = x is in the space. */
static void convection(void **state)
{
    (void)state;
    static const char resolved[] =
        "mesh: {box: {cells: [120, 120]}}\nphysics: convection-diffusion\norder: 2\noutput: none\n"
        "materials: {c01: 300, c02: 150, c11: 1, c22: 1}\nsource: 300\n"
        "boundary: [{groups: [x0, x1, y0, y1], value: x}]\nexact: x\n";
    static const char *const methods[] = {"auto", "gmres"};
    for (int m = 0; m < 2; m++) {
        char setting[40];
        snprintf(setting, sizeof setting, "solver.method=%s", methods[m]);
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve_problem(resolved, setting, RITZ_OK, &r);
        if (m == 0)
            expect_choice(r.choice, "bicgstab with multigrid: the matrix is not symmetric; ");
        assert_int_equal(r.solve.preconditioner, RITZ_MULTIGRID);
        assert_true(r.error_l2 < 1e-8 && r.solve.iterations < 80);
        ritz_problem_destroy(&p);
    }
    assert_int_equal(ritz_tuning_override("solve.factor_rate * 2e8\nsolve.product_rate * 5e10\n"),
                     RITZ_OK); /* no small problem any more */
    static const char flow[] = "mesh: {box: {cells: [60, 60]}}\nphysics: convection-diffusion\norder: 2\noutput: none\n"
                               "materials: {c01: 1e4, c02: 5e3, c11: 1, c22: 1}\nsource: 1e4\n"
                               "boundary: [{groups: [x0, x1, y0, y1], value: x}]\nexact: x\n";
    expect_factors(flow, "direct: bicgstab reached a relative residual of", 1e-10);
    assert_int_equal(ritz_tuning_override(NULL), RITZ_OK);
    expect_factors(flow, "direct: there are no more than 14641 unknowns; ", 1e-10);
    /* Two of a cell's Peclet number turn the sign of what stands on the diagonal at a corner, which is prescribed. */
    static const char corner[] =
        "mesh: {box: {cells: [24, 24]}}\nphysics: convection-diffusion\norder: 1\noutput: none\n"
        "materials: {c01: 120, c02: 60, c11: 1, c22: 1}\nsource: 120\n"
        "boundary: [{groups: [x0, x1, y0, y1], value: x}]\nexact: x\n";
    ritz_result r = {.size = sizeof r};
    ritz_problem *p =
        solve_problem(corner, "solver={method: bicgstab, preconditioner: multigrid, tolerance: 1e-11}", RITZ_OK, &r);
    assert_true(r.error_l2 < 1e-9 && r.solve.iterations < 60);
    ritz_problem_destroy(&p);
}

/* In the plane multigrid begins at fewer nonzeros than in space: 2000 x 4 cells along which Jacobi's iteration hardly gets on.
   u'' = -1, 0 at both ends. */
static void long_strip(void **state)
{
    (void)state;
    static const char strip[] =
        "mesh: {box: {cells: [2000, 4], size: [100, 1]}}\nphysics: poisson\norder: 2\noutput: none\n"
        "source: 1\nboundary: [{groups: [x0, x1], value: 0}]\nexact: \"x*(100 - x)/2\"\n";
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(strip, NULL, RITZ_OK, &r);
    assert_int_equal(r.solve.method, RITZ_CG);
    assert_int_equal(r.solve.preconditioner, RITZ_MULTIGRID);
    assert_true(r.solve.iterations < 60);
    close_to("the largest value", r.largest_value, 100. * 100 / 8, 1e-7);
    ritz_problem_destroy(&p);
}

/* Mass matrices are Jacobi's, however large: f = x^2 is in the space. */
static void mass_matrix(void **state)
{
    (void)state;
    static const char mass[] = "mesh: {box: {cells: [20, 20, 20]}}\nphysics: mass\norder: 2\noutput: none\n"
                               "source: \"x*x\"\nexact: \"x*x\"\n";
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(mass, NULL, RITZ_OK, &r);
    assert_int_equal(r.solve.preconditioner, RITZ_JACOBI);
    assert_true(r.solve.iterations < 60);
    assert_true(r.error_l2 < 1e-6);
    ritz_problem_destroy(&p);
}

/* Bars where multigrid is the preconditioner: quicker than factors for a few loads, w = 4 L^3 / (E t^2) under a traction
   of 1. Three loads share factors, and so do parts that are 80 times as long as thick. */
static void slender_by_multigrid(void **state)
{
    (void)state;
    static const char bar[] = ELASTIC("60, 2, 2", "1, 0.025, 0.025", "0"),
                      longer[] = ELASTIC("100, 2, 2", "1, 0.01, 0.01", "0");
    static const struct {
        const char *text, *setting;
        ritz_solve_method method;
    } part[] = {{bar, NULL, RITZ_CG},
                {bar, "cases=[{name: a}, {name: b}, {name: c}]", RITZ_DIRECT},
                {longer, NULL, RITZ_DIRECT}};
    assert_int_equal(ritz_tuning_override("solve.multigrid * 1000\n"), RITZ_OK);
    for (int i = 0; i < 3; i++) {
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = solve_problem(part[i].text, part[i].setting, RITZ_OK, &r);
        const double t = i < 2 ? 0.025 : 0.01;
        assert_int_equal(r.solve.method, part[i].method);
        if (i != 1)
            close_to("the deflection", ritz_find_largest(r.largest, "displacement"), 4 / (210e9 * t * t), 2e-3);
        if (i == 0) {
            expect_choice(
                r.choice,
                "cg with multigrid: the part is about 40 times as long as thick, for which it mostly takes less");
            assert_int_equal(r.solve.preconditioner, RITZ_MULTIGRID);
            assert_true(r.solve.iterations < 60);
        }
        ritz_problem_destroy(&p);
    }
    assert_int_equal(ritz_tuning_override(NULL), RITZ_OK);
}

/* What moves a stiff body on a soft one is small beside what it balances by itself: a steel bar on a rubber pad, both as much warmer and of
   the same expansion a, grow by a T x without stress; squeezed from two sides it is another matter. Small problems of this kind are
   factorised; asked for, conjugate gradients go on until the solution no longer changes. A warm bar on weak springs comes into equilibrium
   as a whole: x0 stays where it is, in the mean, and the far corner moves by a T (1, 0.1, 0.1), wherever the origin is. */
static void soft_beside_stiff(void **state)
{
    (void)state;
#define PAD_MESH                                                                                                       \
    "mesh: {box: {cells: [12, 5, 5], size: [1, 0.2, 0.2], cell: tet}}\nphysics: elasticity\norder: 1\noutput: none\n"  \
    "groups:\n- {name: rubber, of: cells, box: {from: [0, 0, 0], to: [0.5, 1, 1]}}\n"                                  \
    "- {name: steel, of: cells, box: {from: [0.5, 0, 0], to: [1, 1, 1]}}\n"
#define PAD                                                                                                            \
    PAD_MESH                                                                                                           \
    "- {name: across, normal: [0, 0, 1], box: {from: [0.5, 0, 0], to: [1, 1, 1]}}\n"                                   \
    "- {name: below, normal: [0, 0, -1], box: {from: [0.5, 0, 0], to: [1, 1, 1]}}\n"                                   \
    "materials: [{group: steel, young: 210e9, poisson: 0.3, expansion: 12e-6}, {group: rubber, young: 2e6, poisson: "  \
    "0.45, expansion: 12e-6}]\n"
    static const char
        *const warm = PAD "temperature: 80\nboundary: [{group: x0, displacement: {x: 0, y: 96e-5*y, z: "
                          "96e-5*z}}]\n",
               *const squeezed =
                   PAD "boundary: [{group: x0, displacement: fixed}, {groups: [across, below], pressure: 1e8}]\n",
               *const sprung = "mesh: {box: {cells: [12, 5, 5], size: [1, 0.2, 0.2], origin: [1e4, 1e4, 0]}}\nphysics: "
                               "elasticity\norder: 2\noutput: none\ntemperature: 80\nmaterials: {young: "
                               "210e9, poisson: 0.3, expansion: 12e-6}\nboundary: {group: x0, spring: 1e3}\n";
    static const char *const solvers[] = {NULL, "solver.preconditioner=jacobi", "solver.preconditioner=multigrid"};
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(squeezed, "solver=direct", RITZ_OK, &r);
    const double shift = ritz_find_largest(r.largest, "displacement");
    ritz_problem_destroy(&p);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        p = solve_problem(warm, solvers[i], RITZ_OK, &r);
        if (!solvers[i])
            expect_choice(r.choice, "direct: stiffnesses on the diagonal");
        close_to("what grows", ritz_find_largest(r.largest, "displacement"), 96e-5 * sqrt(1.08), 1e-4);
        ritz_problem_destroy(&p);
        p = solve_problem(squeezed, solvers[i], RITZ_OK, &r);
        close_to("what is squeezed", ritz_find_largest(r.largest, "displacement"), shift, 1e-4);
        ritz_problem_destroy(&p);
        p = solve_problem(sprung, solvers[i], RITZ_OK, &r);
        close_to("what springs hold", ritz_find_largest(r.largest, "displacement"), 96e-5 * sqrt(1.02), 1e-4);
        ritz_problem_destroy(&p);
    }
}

/* The same at stiffnesses of 1 : 10^6 on a bedding as soft, where warmth bends the stiff part: multigrid's cycle in single precision
   hides from the residual how that turns (by 0.8 % of the displacement), and a start from the true one finds it. */
static void millionfold(void **state)
{
    (void)state;
    static const char text[] = PAD_MESH
        "materials: [{group: steel, young: 2e12, poisson: 0.45, expansion: 3e-5}, {group: rubber, young: 2e6, poisson: "
        "0.3, expansion: 1e-5}]\n"
        "temperature: 100*x\nboundary: [{group: x0, bedding: [2e6, 2e4, 2e6]}, {group: x1, force: [8, 0, 0]}]\n";
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(text, "solver=direct", RITZ_OK, &r);
    const double exact = ritz_find_largest(r.largest, "displacement");
    ritz_problem_destroy(&p);
    p = solve_problem(text, "solver.preconditioner=multigrid", RITZ_OK, &r);
    close_to("what turns", ritz_find_largest(r.largest, "displacement"), exact, 1e-4);
    ritz_problem_destroy(&p);
}

/* A file of quads: a leg of 2 x `thick` held at x = 0, and on it a block of 1 x 1, cells of 0.05 x 0.04 or as thick as the leg. */
static void write_leg(const char *path, double thick)
{
    enum { LEG = 40, BLOCK = 20, ROWS = 25, MIDDLE = ROWS / 2 };
    const double height = (1 - thick) / (ROWS - 1);
    int number[LEG + BLOCK + 1][ROWS + 1], n = 0;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 1 \"leg\"\n2 2 \"block\"\n1 3 \"end\"\n1 4 "
            "\"sides\"\n$EndPhysicalNames\n$Nodes\n%d\n",
            2 * LEG + (BLOCK + 1) * (ROWS + 1));
    for (int i = 0; i <= LEG + BLOCK; i++)
        for (int j = 0; j <= ROWS; j++)
            if (i >= LEG || j == MIDDLE || j == MIDDLE + 1) {
                number[i][j] = ++n;
                fprintf(file, "%d %.17g %.17g 0\n", n, 0.05 * i,
                        j <= MIDDLE ? -0.5 * thick - (MIDDLE - j) * height : 0.5 * thick + (j - MIDDLE - 1) * height);
            }
    fprintf(file, "$EndNodes\n$Elements\n%d\n", LEG + BLOCK * ROWS + 1 + 2 * BLOCK);
    n = 0;
    for (int i = 0; i < LEG + BLOCK; i++)
        for (int j = 0; j < ROWS; j++)
            if (i >= LEG || j == MIDDLE)
                fprintf(file, "%d 3 2 %d 1 %d %d %d %d\n", ++n, i < LEG ? 1 : 2, number[i][j], number[i + 1][j],
                        number[i + 1][j + 1], number[i][j + 1]);
    fprintf(file, "%d 1 2 3 1 %d %d\n", ++n, number[0][MIDDLE + 1], number[0][MIDDLE]);
    for (int i = LEG; i < LEG + BLOCK; i++) {
        fprintf(file, "%d 1 2 4 1 %d %d\n", ++n, number[i][0], number[i + 1][0]);
        fprintf(file, "%d 1 2 4 1 %d %d\n", ++n, number[i + 1][ROWS], number[i][ROWS]);
    }
    fputs("$EndElements\n", file);
    fclose(file);
}

/* A block on a leg that is soft by its shape, under loads that the block balances by itself: at the tolerance a residual tells
   neither how the leg bends nor, in heat that a liquid carries along, how warm the block as a whole is. Small parts of mechanics
   are factorised, and so is what differs much on the diagonal; multigrid sees the error. */
static void soft_by_shape(void **state)
{
    (void)state;
    char folder[] = "/tmp/ritz-leg-XXXXXX", path[64], squeezed[1024], flow[1024];
    make_folder(folder, path);
    snprintf(squeezed, sizeof squeezed,
             "mesh: %s\nphysics: plane-stress\norder: 2\noutput: none\nmaterials: [{group: leg, young: 4e9, poisson: "
             "0.3}, {group: block, young: 1e11, poisson: 0.3}]\n"
             "boundary: [{group: end, displacement: fixed}, {group: sides, traction: [0, \"-1e6*y*(3 - x)\"]}]\n",
             path);
    snprintf(flow, sizeof flow,
             "mesh: %s\nphysics: convection-diffusion\norder: 2\noutput: none\nmaterials: [{group: leg, c01: 0.001, "
             "c11: 0.001, c22: 0.001}, {group: block, c11: 1000, c22: 1000}]\n"
             "boundary: [{group: end, value: 0}, {group: sides, flux: 200*y}]\n",
             path);
    static const struct {
        const char *setting, *choice;
    } run[] = {{NULL, "direct: there are no more than "}, {"solver.preconditioner=multigrid", NULL}};
    write_leg(path, 0.04);
    ritz_result r = {.size = sizeof r};
    ritz_problem *p = solve_problem(squeezed, "solver=direct", RITZ_OK, &r);
    const double exact = ritz_find_largest(r.largest, "displacement");
    ritz_problem_destroy(&p);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        p = solve_problem(squeezed, run[i].setting, RITZ_OK, &r);
        if (run[i].choice)
            expect_choice(r.choice, run[i].choice);
        close_to("the displacement", ritz_find_largest(r.largest, "displacement"), exact, 1e-4);
        ritz_problem_destroy(&p);
    }
    static const char *const solvers[] = {"solver={method: bicgstab, preconditioner: multigrid}",
                                          "solver={method: gmres, preconditioner: multigrid}"};
    p = solve_problem(flow, NULL, RITZ_OK, &r);
    expect_choice(r.choice, "direct: stiffnesses on the diagonal differ by a factor of ");
    const double warmest = r.largest_value;
    ritz_problem_destroy(&p);
    for (int i = 0; i < 2;
         i++) { /* at 1 : 10^6 the cycle's rounding hides the block from the residual, by 1e-3 of it */
        p = solve_problem(flow, solvers[i], RITZ_OK, &r);
        close_to("the largest value", r.largest_value, warmest, 1e-5);
        ritz_problem_destroy(&p);
    }
    remove_folder(folder, path);
}

/* A leg so thin that factors are doubtful, and iterations lead nowhere: what the factors gave stands. */
static void thin_leg(void **state)
{
    (void)state;
    char folder[] = "/tmp/ritz-leg-XXXXXX", path[64], text[512];
    make_folder(folder, path);
    snprintf(
        text, sizeof text,
        "mesh: %s\nphysics: plane-stress\norder: 2\noutput: none\nmaterials: {young: 1e9, poisson: 0.3}\n"
        "boundary: [{group: end, displacement: fixed}]\n"
        "cases: [{name: a, boundary: {group: sides, traction: [0, 1]}}, {name: b, boundary: {group: sides, traction: "
        "[1, 0]}}]\n",
        path);
    write_leg(path, 0.002);
    ritz_result r = {.size = sizeof r}, direct = {.size = sizeof direct};
    ritz_problem *p = solve_problem(text, "solver=direct", RITZ_OK, &direct),
                 *q = solve_problem(text, NULL, RITZ_OK, &r);
    expect_choice(r.choice, "direct: there are no more than ");
    for (int c = 0; c < 2; c++) {
        const double exact = ritz_find_largest(direct.cases[c].largest, "displacement");
        close_to("the displacement", ritz_find_largest(r.cases[c].largest, "displacement"), exact, 1e-6);
    }
    assert_null(strstr(lines, "free to move"));
    ritz_problem_destroy(&p);
    ritz_problem_destroy(&q);
    remove_folder(folder, path);
}

/* Elements of order 2 with 2 x 2 x 2 points, one across, have motions without energy, which this load leaves alone: the bar is slender,
   factors find it singular, and iterations have a solution, within 0.1 % of that of full integration. */
static void reduced_bar(void **state)
{
    (void)state;
    static const char bar[] = ELASTIC("60, 1, 1", "30, 1, 1", "0.3") "elements: serendipity\n";
    ritz_result full = {.size = sizeof full}, r = {.size = sizeof r};
    ritz_problem *p = solve_problem(bar, NULL, RITZ_OK, &full),
                 *q = solve_problem(bar, "quadrature.degree=3", RITZ_OK, &r);
    expect_choice(full.choice, "direct: the part is about ");
    expect_choice(r.choice, "cg with jacobi: factors find the matrix singular");
    expect_choice(lines, "warning    the matrix is singular, or so nearly so that rounding decides: something is free");
    close_to("the deflection", ritz_find_largest(r.largest, "displacement"),
             ritz_find_largest(full.largest, "displacement"), 1e-3);
    ritz_problem_destroy(&p);
    ritz_problem_destroy(&q);
}

/* Flat cells, 8 across: aggregates go through the thickness, where those of all directions took 300 iterations; at order 2 without the
   space of order 1, with which it took 200. */
static void stretched_solid(void **state)
{
    (void)state;
    static const char *const text[] = {ELASTIC("12, 12, 8", "120, 120, 8", "0.3"),
                                       ELASTIC("8, 8, 8", "80, 80, 8", "0.3")};
    double exact = 0;
    for (int i = 0; i < 4; i++) {
        const char *const settings[] = {i < 2 ? "order=1" : "order=2",
                                        i % 2 == 0 ? "solver=direct" : "solver.preconditioner=multigrid"};
        ritz_result r = {.size = sizeof r};
        ritz_problem *p = NULL;
        assert_int_equal(ritz_problem_parse(text[i / 2], "/tmp", settings, 2, &p), RITZ_OK);
        ritz_problem_use_device(p, device);
        assert_int_equal(ritz_problem_solve(p, &r), RITZ_OK);
        const double deflection = ritz_find_largest(r.largest, "displacement");
        exact = i % 2 == 0 ? deflection : exact;
        close_to("the deflection", deflection, exact, 1e-6);
        if (r.solve.iterations > 50)
            fail_msg("%s: %d iterations", settings[0], r.solve.iterations);
        ritz_problem_destroy(&p);
    }
}

/* Stiff skins on a soft core, as long as 20 times the thickness. */
#define SANDWICH                                                                                                       \
    "physics: elasticity\norder: 2\noutput: none\n"                                                                    \
    "materials: [{group: core, young: 1e7, poisson: 0.3}, {group: skin, young: 210e9, poisson: 0.3}]\n"
enum { LONG = 12, WIDE = 4, LAYERS = 3 };

/* The number of a node of two plates of LONG x WIDE x LAYERS cells, one behind the other and as much higher: they share an edge. */
static int plate_node(int plate, int i, int j, int k)
{
    const int each = (LONG + 1) * (WIDE + 1) * (LAYERS + 1);
    if (plate == 1 && i == 0 && k == 0)
        return plate_node(0, LONG, j, LAYERS);
    return 1 + plate * each + (i * (WIDE + 1) + j) * (LAYERS + 1) + k;
}

/* Group 1 of faces, where the first begins; 5 and 6, the sides of the second. */
static void write_plates(const char *path)
{
    FILE *file = fopen(path, "w");
    int e = 0;
    assert_non_null(file);
    fprintf(file,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n2 1 \"held\"\n3 3 \"skin\"\n3 4 \"core\"\n"
            "2 5 \"left\"\n2 6 \"right\"\n$EndPhysicalNames\n$Nodes\n%d\n",
            2 * (LONG + 1) * (WIDE + 1) * (LAYERS + 1) - (WIDE + 1));
    for (int p = 0; p < 2; p++)
        for (int i = 0; i <= LONG; i++)
            for (int j = 0; j <= WIDE; j++)
                for (int k = 0; k <= LAYERS; k++)
                    if (p == 0 || i > 0 || k > 0)
                        fprintf(file, "%d %.17g %.17g %.17g\n", plate_node(p, i, j, k), p + i / (double)LONG, 0.1 * j,
                                0.05 * (p + k / (double)LAYERS));
    fprintf(file, "$EndNodes\n$Elements\n%d\n", 2 * LONG * WIDE * LAYERS + WIDE * LAYERS + 2 * LONG * LAYERS);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < LONG; i++)
            for (int j = 0; j < WIDE; j++)
                for (int k = 0; k < LAYERS; k++) {
                    fprintf(file, "%d 5 2 %d 1", ++e, k == 0 || k == LAYERS - 1 ? 3 : 4);
                    for (int v = 0; v < 8; v++)
                        fprintf(file, " %d", plate_node(p, i + (v % 4 == 1 || v % 4 == 2), j + (v % 4 > 1), k + v / 4));
                    fputs("\n", file);
                }
    for (int j = 0; j < WIDE; j++)
        for (int k = 0; k < LAYERS; k++)
            fprintf(file, "%d 3 2 1 1 %d %d %d %d\n", ++e, plate_node(0, 0, j, k), plate_node(0, 0, j + 1, k),
                    plate_node(0, 0, j + 1, k + 1), plate_node(0, 0, j, k + 1));
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < LONG; i++)
            for (int k = 0; k < LAYERS; k++)
                fprintf(file, "%d 3 2 %d 1 %d %d %d %d\n", ++e, 5 + side, plate_node(1, i, side * WIDE, k),
                        plate_node(1, i + 1, side * WIDE, k), plate_node(1, i + 1, side * WIDE, k + 1),
                        plate_node(1, i, side * WIDE, k + 1));
    fputs("$EndElements\n", file);
    fclose(file);
}

/* Multigrid takes some 240 iterations: where products take long it is given up after 40 of them for factors, unless these have no room.
   On a hinge the matrix is singular, and the loads leave that alone: factors have no solution, further iterations do. */
static void given_up(void **state)
{
    (void)state;
    static const char plate[] = "mesh: {box: {cells: [12, 4, 3], size: [1, 0.4, 0.05]}}\n" SANDWICH
                                "groups: [{name: core, of: cells, box: {from: [0, 0, 0.016], to: [1, 1, 0.034]}}, "
                                "{name: skin, of: cells, not: core}]\n"
                                "boundary: [{group: x0, displacement: fixed}, {group: x1, traction: [0, 0, -1e4]}]\n";
    static const struct {
        const char *setting, *choice;
        ritz_solve_method method;
    } run[] = {{NULL, "direct: cg reached a relative residual of ", RITZ_DIRECT},
               {"cases=[{name: a}, {name: b}]", "direct: cg reached a relative residual of ", RITZ_DIRECT},
               {"solver.memory=1e-4", "cg with multigrid: the matrix is symmetric", RITZ_CG}};
    char folder[] = "/tmp/ritz-plates-XXXXXX", path[64], text[1024];
    ritz_result r = {.size = sizeof r}, direct = {.size = sizeof direct};
    ritz_problem *p = solve_problem(plate, "solver=direct", RITZ_OK, &direct);
    assert_int_equal(
        ritz_tuning_override("solve.multigrid * 1000\nsolve.factor_rate * 1e7\nsolve.product_rate * 2e7\n"), RITZ_OK);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        ritz_problem *q = solve_problem(plate, run[i].setting, RITZ_OK, &r);
        const ritz_load_case_result *last = r.n_cases ? &r.cases[r.n_cases - 1] : NULL;
        expect_choice(r.choice, run[i].choice);
        assert_int_equal(last ? last->solve.method : r.solve.method, run[i].method);
        if (run[i].method == RITZ_DIRECT)
            expect_choice(r.choice, "in 40 iterations; ");
        else
            assert_true(r.solve.iterations > 100);
        close_to("the deflection", ritz_find_largest(last ? last->largest : r.largest, "displacement"),
                 ritz_find_largest(direct.largest, "displacement"), 1e-6);
        ritz_problem_destroy(&q);
    }
    make_folder(folder, path);
    write_plates(path);
    snprintf(text, sizeof text,
             "mesh: %s\n" SANDWICH
             "boundary: [{group: held, displacement: fixed}, {group: left, traction: [1e5*x, 0, 0]}, "
             "{group: right, traction: [-1e5*x, 0, 0]}]\n",
             path);
    ritz_problem *q = solve_problem(text, "solver.preconditioner=multigrid", RITZ_OK, &direct);
    ritz_problem *h = solve_problem(text, NULL, RITZ_OK, &r);
    expect_choice(lines, "choice     cg with multigrid: ");
    expect_choice(r.choice, "cg: factors find the matrix singular, or nearly so");
    close_to("von Mises' stress", ritz_find_largest(r.largest, "von_mises"),
             ritz_find_largest(direct.largest, "von_mises"), 1e-5); /* turned as far as it may be */
    ritz_problem_destroy(&p);
    ritz_problem_destroy(&q);
    ritz_problem_destroy(&h);
    remove_folder(folder, path);
    assert_int_equal(ritz_tuning_override(NULL), RITZ_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(soft_beside_stiff),
                                       cmocka_unit_test(millionfold),
                                       cmocka_unit_test(soft_by_shape),
                                       cmocka_unit_test(stretched_solid),
                                       cmocka_unit_test(given_up),
                                       cmocka_unit_test(reduced_bar),
                                       cmocka_unit_test(thin_leg),
                                       cmocka_unit_test(thin_parts),
                                       cmocka_unit_test(too_thin),
                                       cmocka_unit_test(agreement),
                                       cmocka_unit_test(incompressible),
                                       cmocka_unit_test(hinged),
                                       cmocka_unit_test(indefinite),
                                       cmocka_unit_test(long_chain),
                                       cmocka_unit_test(radiating_chain),
                                       cmocka_unit_test(long_strip),
                                       cmocka_unit_test(slender_by_multigrid),
                                       cmocka_unit_test(mass_matrix),
                                       cmocka_unit_test(convection)};
    return ritz_direct_is_built() ? cmocka_run_group_tests(tests, open_device, close_device) : 0;
}
