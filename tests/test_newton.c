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
static void deform_mesh(newton *n, double size)
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
        deform_mesh(&b.n, 0.03);
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
    deform_mesh(&b.n, 0.05);
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

/* The load of a constant traction on the side x1 of the box. */
static void add_end_load(const newton *n, const double *traction, double *load)
{
    int32_t group;
    ritz_expression *value[3];
    for (int c = 0; c < 3; c++) {
        char text[32];
        snprintf(text, sizeof text, "%g", traction[c]);
        OK(ritz_expression_create(text, NULL, 0, &value[c]));
    }
    OK(ritz_mesh_find_group(n->mesh, "x1", -1, &group));
    const ritz_facet_load end = {.group = group, .value = (const ritz_expression *const *)value};
    OK(ritz_integrate_facets(n->space, &end, load));
    for (int c = 0; c < 3; c++)
        ritz_expression_destroy(&value[c]);
}

/* A clamped block bent by 35 % of its length: the mean displacement of its end, as neo_hookean_peer.py has it. */
static void test_cantilever(void **unused)
{
    (void)unused;
    static const double known[2][3] = {{-0.148353607018, 0, -1.090053613047}, {-0.266245464479, 0, -1.399692570970}};
    for (int order = 1; order <= 2; order++) {
        ritz_mesh *mesh = NULL;
        ritz_datum data[RITZ_MAX_DATA];
        ritz_form *form = NULL;
        newton n;
        OK(ritz_mesh_box(&(ritz_box){.cell = RITZ_HEX, .cells = {4, 2, 2}, .size = {4, 1, 1}}, &mesh));
        OK(ritz_form_create("neo-hookean", 3, &form));
        newton_create(&n, mesh, order, 3);
        set_data(data, 3);
        n.form = form;
        n.data = data;
        n.load = calloc((size_t)n.n_dofs, sizeof *n.load);
        set_gradient((const double[3][3]){{0}});
        for (int c = 0; c < 3; c++)
            newton_prescribe(&n, "x0", c, affine);
        for (int part = 0; part < 4; part++) {
            add_end_load(&n, (const double[3]){0.0025, 0, -0.005}, n.load);
            n.n_steps = 0;
            newton_solve(&n, 1e-11);
        }
        for (int c = 0; c < 3; c++) {
            double *mean = calloc((size_t)n.n_dofs, sizeof *mean), got = 0;
            add_end_load(&n, (const double[3]){c == 0, c == 1, c == 2}, mean);
            for (int64_t k = 0; k < n.n_dofs; k++)
                got += mean[k] * n.u[k];
            print_message("order %d: mean u%d of the end %.12f (%.12f)\n", order, c, got, known[order - 1][c]);
            assert_true(fabs(got - known[order - 1][c]) < 1e-10);
            free(mean);
        }
        for (int k = 0; k < n.n_steps; k++)
            print_message("order %d: last part of the load, step %d changes u by %.1e\n", order, k, n.change[k]);
        assert_true(n.n_steps <= 7);
        free(n.load);
        newton_destroy(&n);
        ritz_form_destroy(&form);
    }
}

/* -A d = (f(u + h d) - f(u - h d)) / 2h for each element: what a method gives as matrix is the derivative of what it
   gives as load. */
static void check_tangent(const block *b, const ritz_method *method)
{
    const double h = 1e-5;
    const ritz_space_batch *batch = &b->n.space->batches[0];
    const int n_c = b->n.space->n_components;
    const int64_t rows = (int64_t)batch->n_shape * n_c, n = rows * batch->n_cells;
    double *u[2], *matrices[2], *vectors[2], *d = calloc((size_t)b->n.n_dofs, sizeof *d);
    double *by_matrix = calloc((size_t)n, sizeof *by_matrix), *by_difference = calloc((size_t)n, sizeof *by_difference);
    double *tangent, *at_u;
    for (int64_t k = 0; k < b->n.n_dofs; k++)
        d[k] = noise();
    newton_integrate(&b->n, b->n.u, method, RITZ_F64, &tangent, &at_u);
    for (int side = 0; side < 2; side++) {
        u[side] = calloc((size_t)b->n.n_dofs, sizeof *u[side]);
        for (int64_t k = 0; k < b->n.n_dofs; k++)
            u[side][k] = b->n.u[k] + (side ? h : -h) * d[k];
        newton_integrate(&b->n, u[side], method, RITZ_F64, &matrices[side], &vectors[side]);
    }
    for (int64_t r = 0; r < n; r++) {
        const int64_t e = r / rows;
        by_difference[r] = (vectors[0][r] - vectors[1][r]) / (2 * h);
        for (int64_t column = 0; column < rows; column++) {
            const int64_t node = batch->cell_nodes[e * batch->n_shape + column / n_c];
            by_matrix[r] += tangent[r * rows + column] * d[node * n_c + column % n_c];
        }
    }
    assert_true(newton_difference(by_matrix, by_difference, batch->n_cells, rows) < 1e-6);
    for (int side = 0; side < 2; side++) {
        free(u[side]);
        free(matrices[side]);
        free(vectors[side]);
    }
    free(d);
    free(by_matrix);
    free(by_difference);
    free(tangent);
    free(at_u);
}

/* A deformed block of one cell type, for a method: elements, tangent, and in prisms the solution by Newton. */
static void check_method(const ritz_method *method, ritz_cell cell, ritz_precision precision)
{
    block b;
    block_create(&b, cell, 2, 0.2, "neo-hookean");
    if (newton_is_served(&b.n, method, precision)) {
        b.n.method = method->name;
        set_gradient((const double[3][3]){{0.2, -0.1, 0.15}, {0.1, -0.15, 0.1}, {-0.1, 0.05, 0.25}});
        deform_mesh(&b.n, 0.05);
        newton_check_elements(&b.n, method, precision);
        if (precision == RITZ_F64) {
            check_tangent(&b, method);
            newton_prescribe_skin(&b.n, affine);
            newton_solve(&b.n, 1e-11);
            assert_true(affine_error(&b.n) < 1e-10 && newton_exponent(&b.n) > 1.5);
        }
    }
    block_destroy(&b);
}

/* Every method of the registry handles the old solution and its gradient: in one of three cases each, by turns. */
static void test_methods(void **unused)
{
    (void)unused;
    static const struct {
        ritz_cell cell;
        ritz_precision precision;
    } cases[] = {{RITZ_PRISM, RITZ_F64}, {RITZ_QUAD, RITZ_F64}, {RITZ_TET, RITZ_F32}};
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    for (int m = 0; m < n_methods; m++)
        for (int k = 0; k < 3; k++)
            if (wants_all() || m % 3 == k)
                check_method(methods[m], cases[k].cell, cases[k].precision);
}

/* For checkers that interpret the kernels: one small block a method. */
static void test_small(void **unused)
{
    (void)unused;
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    for (int m = 0; m < n_methods; m++) {
        block b;
        block_create(&b, RITZ_QUAD, 1, 0.2, "neo-hookean");
        deform_mesh(&b.n, 0.05);
        if (newton_is_served(&b.n, methods[m], RITZ_F64))
            newton_check_elements(&b.n, methods[m], RITZ_F64);
        block_destroy(&b);
    }
}

int main(void)
{
    const struct CMUnitTest small[] = {cmocka_unit_test(test_small)};
    if (getenv("RITZ_TEST_SMALL"))
        return cmocka_run_group_tests(small, open_device, close_device);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_homogeneous),   cmocka_unit_test(test_tension),    cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_small_strains), cmocka_unit_test(test_cantilever), cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
