/* Compressible neo-Hookean elasticity at finite strain, by Newton's method on the form neo-hookean, against what is
   known by hand: homogeneous deformations and their forces, rotations, small strains; and a clamped block against an
   independent program. */
#include "newton.h"

#include "meshes.h"

#include <stdio.h>

static const double young = 2.6, poisson = 0.3;
#define MU (young / (2 * (1 + poisson)))
#define LAMBDA (2 * MU * poisson / (1 - 2 * poisson))

/* The deformation gradient that `affine` prescribes, less 1. */
static double H[3][3];

static void affine(const double *x, double *u)
{
    for (int i = 0; i < 3; i++)
        u[i] = H[i][0] * x[0] + H[i][1] * x[1] + H[i][2] * x[2];
}

static void set_gradient(const double values[3][3])
{
    memcpy(H, values, sizeof H);
}

static double noise(void)
{
    return meshes_random(2000001) / 1e6 - 1;
}

/* Young's modulus, Poisson's ratio; in 2D the third datum is the thickness. */
static void set_data(ritz_datum *data, int dim)
{
    memset(data, 0, RITZ_MAX_DATA * sizeof *data);
    data[0].value = young;
    data[1].value = poisson;
    data[2].value = dim == 2 ? 1 : 0;
}

typedef struct block {
    newton n;
    ritz_form *form;
    ritz_datum data[RITZ_MAX_DATA];
} block;

/* A unit box of 2 cells a side. */
static void block_create(block *b, ritz_cell cell, int order, double distort, const char *form)
{
    const int dim = ritz_cell_dim(cell);
    newton_create(&b->n, meshes_box(cell, 2, 0, 0, distort), order, dim);
    OK(ritz_form_create(form, dim, &b->form));
    set_data(b->data, dim);
    b->n.form = b->form;
    b->n.data = b->data;
}

static void block_destroy(block *b)
{
    newton_destroy(&b->n);
    ritz_form_destroy(&b->form);
}

/* u = H x everywhere, and at nodes that are not prescribed noise, small beside their distance. */
static void deform(newton *n, double size)
{
    const int dim = n->space->dim;
    for (int32_t k = 0; k < n->space->n_nodes; k++) {
        double x[3] = {0}, u[3];
        memcpy(x, n->space->coordinates + (int64_t)k * dim, (size_t)dim * sizeof *x);
        affine(x, u);
        for (int c = 0; c < dim; c++)
            n->u[(int64_t)k * dim + c] =
                u[c] + (n->constraints->fixed[k] >> c & 1 ? 0 : size / n->space->order * noise());
    }
}

/* Largest difference of u from H x. */
static double affine_error(const newton *n)
{
    const int dim = n->space->dim;
    double error = 0;
    for (int32_t k = 0; k < n->space->n_nodes; k++) {
        double x[3] = {0}, u[3];
        memcpy(x, n->space->coordinates + (int64_t)k * dim, (size_t)dim * sizeof *x);
        affine(x, u);
        for (int c = 0; c < dim; c++)
            error = fmax(error, fabs(n->u[(int64_t)k * dim + c] - u[c]));
    }
    return error;
}

/* Component c of the force that holds a side of the box. */
static double reaction(const newton *n, const char *side, int c)
{
    int32_t count, *nodes = newton_side(n, side, &count);
    double *f = calloc((size_t)n->n_dofs, sizeof *f), sum = 0;
    newton_residual(n, n->u, f);
    for (int32_t k = 0; k < count; k++)
        sum -= f[(int64_t)nodes[k] * n->space->n_components + c];
    free(f);
    ritz_free(nodes);
    return sum;
}

/* Nodes inside, thrown about, come back to the homogeneous deformation that the boundary prescribes, on distorted
   cells; the force on a side is P N times its area. */
static void check_homogeneous(ritz_cell cell, int order)
{
    static const double general[3][3] = {{0.2, -0.1, 0.15}, {0.3, -0.15, 0.1}, {-0.1, 0.05, 0.25}},
                        stretch[3][3] = {{0.3}}, shear[3][3] = {{0, 0.3, 0}};
    const double a = 1.3, forces[3] = {0, MU * (a - 1 / a) + LAMBDA * log(a) / a, MU * 0.3};
    const double(*const cases[3])[3] = {general, stretch, shear};
    block b;
    block_create(&b, cell, order, 0.2, "neo-hookean");
    for (int k = 0; k < 3; k++) {
        set_gradient(cases[k]);
        newton_prescribe_skin(&b.n, affine);
        deform(&b.n, 0.03);
        b.n.n_steps = 0;
        newton_solve(&b.n, 1e-11);
        const double error = affine_error(&b.n), exponent = newton_exponent(&b.n);
        const double force = k ? reaction(&b.n, k == 1 ? "x1" : "y1", 0) : 0;
        print_message("%s, order %d, deformation %d: %d steps, exponent %.2f, error %.1e, force %.12f (%.12f)\n",
                      ritz_cell_name(cell), order, k, b.n.n_steps, exponent, error, force, forces[k]);
        assert_true(error < 1e-10);
        assert_true(fabs(force - forces[k]) < 1e-10);
        assert_true(exponent > 1.5 && b.n.n_steps <= 8); /* the first steps from noise are not yet at the rate */
    }
    block_destroy(&b);
}

static void test_homogeneous(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= (ritz_cell_dim((ritz_cell)cell) == 2 ? 4 : 3); order++)
            check_homogeneous((ritz_cell)cell, order);
}

/* The lateral stretch of a bar that is pulled to length a: no stress across, mu (b - 1/b) + lambda ln(J) / b = 0 with
   J = a b^2, or a b in plane strain. */
static double lateral_stretch(int dim, double a)
{
    double low = 0.5, high = 1;
    for (int k = 0; k < 60; k++) {
        const double b = (low + high) / 2, J = dim == 3 ? a * b * b : a * b;
        *(MU * (b - 1 / b) + LAMBDA * log(J) / b > 0 ? &high : &low) = b;
    }
    return low;
}

/* A bar pulled by 30 % with free sides, from rest: its thinning, the force, and Newton's steps squaring. */
static void test_tension(void **unused)
{
    (void)unused;
    for (int c = 0; c < RITZ_N_CELLS; c++) {
        const ritz_cell cell = (ritz_cell)c;
        const int dim = ritz_cell_dim(cell);
        const double a = 1.3, thin = lateral_stretch(dim, a), J = dim == 3 ? a * thin * thin : a * thin;
        const double force = MU * (a - 1 / a) + LAMBDA * log(J) / a;
        block b;
        block_create(&b, cell, 2, 0.2, "neo-hookean");
        set_gradient((const double[3][3]){{a - 1, 0, 0}, {0, thin - 1, 0}, {0, 0, dim == 3 ? thin - 1 : 0}});
        newton_prescribe(&b.n, "x0", 0, affine);
        newton_prescribe(&b.n, "x1", 0, affine);
        newton_prescribe(&b.n, "y0", 1, affine);
        if (dim == 3)
            newton_prescribe(&b.n, "z0", 2, affine);
        newton_solve(&b.n, 1e-11);
        const double error = affine_error(&b.n), exponent = newton_exponent(&b.n), got = reaction(&b.n, "x1", 0);
        print_message("%s: %d steps, exponent %.2f, error %.1e, force %.12f (%.12f)\n", ritz_cell_name(cell),
                      b.n.n_steps, exponent, error, got, force);
        assert_true(error < 1e-10 && fabs(got - force) < 1e-10);
        assert_true(exponent > 1.8 && b.n.n_steps <= 7);
        block_destroy(&b);
    }
}

/* The load turns with the body: f(R (x + u) - x) = R f(u), at every node. */
static void test_rotation(void **unused)
{
    (void)unused;
    const double R[3][3] = {{2.0 / 3, -1.0 / 3, 2.0 / 3}, {2.0 / 3, 2.0 / 3, -1.0 / 3}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}};
    block b;
    block_create(&b, RITZ_PRISM, 2, 0.2, "neo-hookean");
    set_gradient((const double[3][3]){{0.2, -0.1, 0.15}, {0.3, -0.15, 0.1}, {-0.1, 0.05, 0.25}});
    deform(&b.n, 0.05);
    double *turned = calloc((size_t)b.n.n_dofs, sizeof *turned), *f = calloc((size_t)b.n.n_dofs, sizeof *f),
           *f_turned = calloc((size_t)b.n.n_dofs, sizeof *f_turned), largest = 0;
    for (int64_t k = 0; k < b.n.n_dofs; k += 3) {
        const double *x = b.n.space->coordinates + k, *u = b.n.u + k;
        for (int i = 0; i < 3; i++)
            turned[k + i] = R[i][0] * (x[0] + u[0]) + R[i][1] * (x[1] + u[1]) + R[i][2] * (x[2] + u[2]) - x[i];
    }
    newton_residual(&b.n, b.n.u, f);
    newton_residual(&b.n, turned, f_turned);
    for (int64_t k = 0; k < b.n.n_dofs; k += 3)
        for (int i = 0; i < 3; i++) {
            largest = fmax(largest, fabs(f[k + i]));
            assert_true(fabs(R[i][0] * f[k] + R[i][1] * f[k + 1] + R[i][2] * f[k + 2] - f_turned[k + i]) < 1e-13);
        }
    assert_true(largest > 0.01);
    free(turned);
    free(f);
    free(f_turned);
    block_destroy(&b);
}

/* Small displacements: the load is that of elasticity, -A u, up to the square of their size. */
static void check_small_strains(ritz_cell cell)
{
    const int dim = ritz_cell_dim(cell);
    block b, linear;
    block_create(&b, cell, 2, 0.2, "neo-hookean");
    block_create(&linear, cell, 2, 0.2, dim == 3 ? "elasticity" : "plane-strain");
    const size_t n = (size_t)b.n.n_dofs;
    double *shape = calloc(n, sizeof *shape), *u = calloc(n, sizeof *u), *f = calloc(n, sizeof *f),
           *product = calloc(n, sizeof *product), apart[2] = {0, 0}, largest = 0;
    for (size_t k = 0; k < n; k++)
        shape[k] = noise();
    ritz_system *system = newton_assemble(&linear.n, NULL, NULL);
    OK(ritz_matrix_multiply(system->matrix, shape, product));
    for (int step = 0; step < 2; step++) {
        const double size = step ? 1e-6 : 1e-4;
        for (size_t k = 0; k < n; k++)
            u[k] = size * shape[k];
        newton_residual(&b.n, u, f);
        for (size_t k = 0; k < n; k++) {
            apart[step] = fmax(apart[step], fabs(f[k] + size * product[k]) / size);
            largest = fmax(largest, fabs(product[k]));
        }
    }
    print_message("%s: relative difference from elasticity %.2e at 1e-4, %.2e at 1e-6\n", ritz_cell_name(cell),
                  apart[0] / largest, apart[1] / largest);
    assert_true(apart[0] < 1e-2 * largest);
    assert_true(apart[1] < 1.05e-2 * apart[0]); /* 100 times smaller, no digits lost */
    ritz_system_destroy(&system);
    free(shape);
    free(u);
    free(f);
    free(product);
    block_destroy(&b);
    block_destroy(&linear);
}

static void test_small_strains(void **unused)
{
    (void)unused;
    check_small_strains(RITZ_QUAD);
    check_small_strains(RITZ_TET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_homogeneous), cmocka_unit_test(test_tension),
                                       cmocka_unit_test(test_rotation), cmocka_unit_test(test_small_strains)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
