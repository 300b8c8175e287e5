/* Element matrices and vectors: the reference against exact integrals and properties, expressions and parameters on the
   device against the reference. (test_methods.c: every method, cell, order and form.) */
#include "elements.h"
#include "form/describe.h"
#include "form/expression_code.h"

#include <stdio.h>

static const char *const axis_names[] = {"x", "y", "z"};

/* Each value of each parameter gives the same matrices. */
static void test_parameters(void **unused)
{
    (void)unused;
    const char *const choices[] = {"lanes=1",   "lanes=2",   "lanes=4",   "lanes=8",     "lanes=16",
                                   "local=4",   "workers=1", "workers=3", "workers=200", "rows=1",
                                   "columns=1", "rows=4",    "columns=5", "rows=8",      "columns=8"};
    ritz_mesh *mesh = box_mesh(RITZ_PRISM, 3);
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    test_data data;
    OK(ritz_form_create("elasticity", 3, &form));
    OK(ritz_space_create(mesh, 2, 3, &space));
    make_data(form, space->batches[0].n_cells, 18, false, &data);
    const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data.datum};
    for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++) {
        double vector_error;
        assert_true(device_error(&integral, "lanes", RITZ_F64, &choices[c], 1, &vector_error) <= 1e-12);
        assert_true(vector_error <= 1e-12);
    }
    ritz_integrator *integrator = NULL;
    const char *wrong = "lines=4";
    assert_int_equal(ritz_integrator_create(device, &integral, NULL, &wrong, 1, RITZ_F64, &integrator),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "lines=4"));
    assert_int_equal(ritz_integrator_create(device, &integral, "magic", NULL, 0, RITZ_F64, &integrator),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "lanes"));
    free_data(&data);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

/* The tile of a case on a processor with vectors of `width` doubles. */
static void assert_tile(const char *form_name, ritz_cell cell, int order, int width, const char *setting, int rows,
                        int columns)
{
    ritz_form *form = NULL;
    const ritz_datum data[RITZ_MAX_DATA] = {{.value = 1}};
    OK(ritz_form_create(form_name, 3, &form));
    ritz_case the_case = {.cell = cell,
                          .order = order,
                          .geometry_order = 1,
                          .n_components = ritz_form_n_components(form),
                          .precision = RITZ_F64};
    ritz_form_get_traits(form, data, &the_case.traits);
    ritz_device_info limits = *ritz_device_get_info(device);
    limits.kind = RITZ_DEVICE_CPU;
    limits.vector_width_f64 = width;
    const ritz_method *method = NULL;
    ritz_plan plan;
    OK(ritz_method_find("lanes", &the_case, &limits, &method));
    OK(ritz_method_plan(method, &the_case, &limits, &setting, setting ? 1 : 0, &plan));
    if (plan.parameters[3] != rows || plan.parameters[4] != columns)
        fail_msg("%s order %d, vectors of %d, %s: tile %d x %d, not %d x %d", form_name, order, width,
                 setting ? setting : "plan's choice", plan.parameters[3], plan.parameters[4], rows, columns);
    ritz_form_destroy(&form);
}

/* Tiles by hand from the rules of method_lanes.c; what was measured best there. */
static void test_tiles(void **unused)
{
    (void)unused;
    /* One sum, three products. 10 shape functions: 15 tiles of 2 x 2 in 12 cycles beat 10 of 3 x 3 in 27 and 6 of 4 x 4 in
       48; 27 of them, psi in the second cache: 45 tiles of 3 x 3 in 27 beat 105 of 2 x 2 in 18 and 28 of 4 x 4 in 48. */
    assert_tile("poisson", RITZ_TET, 2, 8, NULL, 2, 2);
    assert_tile("poisson", RITZ_HEX, 2, 8, NULL, 3, 3);
    assert_tile("poisson", RITZ_HEX, 3, 8, NULL, 4, 4);
    /* 4 x 4 sums do not fit into 16 registers. */
    assert_tile("poisson", RITZ_HEX, 3, 4, NULL, 4, 2);
    /* Nine sums, nine products: one block keeps the processor busy until psi comes from the third cache. */
    assert_tile("elasticity", RITZ_HEX, 2, 8, NULL, 1, 1);
    assert_tile("elasticity", RITZ_HEX, 4, 8, NULL, 3, 1);
    assert_tile("elasticity", RITZ_HEX, 4, 4, NULL, 1, 1);
    /* What is asked for counts. A vector of four registers leaves no room for tiles. */
    assert_tile("elasticity", RITZ_HEX, 2, 8, "columns=5", 1, 5);
    assert_tile("poisson", RITZ_HEX, 2, 2, "lanes=8", 1, 1);
    /* As many rows as shape functions. */
    assert_tile("poisson", RITZ_TET, 1, 8, "rows=4", 4, 2);
}

/* Coefficients as expressions of x, t, u and its gradient, chosen by material, against the reference; and the reference
   against the integral done by hand for one of them. */
static void test_expressions(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        const int dim = ritz_cell_dim((ritz_cell)cell);
        ritz_mesh *mesh = box_mesh((ritz_cell)cell, 2);
        ritz_form *form = NULL;
        ritz_space *space = NULL;
        OK(ritz_form_create("poisson", dim, &form));
        OK(ritz_space_create(mesh, 2, 1, &space));
        const int32_t n_cells = space->batches[0].n_cells;
        const char *const texts[] = {"1 + u*u + t", "2 + sin(x)*y + u_x*u_x", "exp(-x*x) + (u > 0.5 ? 1 : u_y)"};
        ritz_expression *expressions[3] = {NULL};
        int32_t *selector = calloc((size_t)n_cells, sizeof *selector);
        double *old = calloc((size_t)space->n_nodes, sizeof *old);
        for (int k = 0; k < 3; k++)
            OK(ritz_expression_create(texts[k], form->variables.pointers, form->variables.n, &expressions[k]));
        for (int32_t e = 0; e < n_cells; e++)
            selector[e] = e % 3;
        for (int32_t k = 0; k < space->n_nodes; k++)
            old[k] = uniform();
        const ritz_expression *const *list = (const ritz_expression *const *)expressions;
        ritz_datum data[2] = {
            {.kind = RITZ_DATA_EXPRESSION, .expressions = list, .n_expressions = 3, .selector = selector},
            {.kind = RITZ_DATA_EXPRESSION, .expressions = list + 1, .n_expressions = 1}};
        const ritz_integral integral = {
            .space = space, .batch = &space->batches[0], .form = form, .data = data, .old = old, .time = 0.7};
        for (int precision = 0; precision < 2; precision++) {
            double vector_error,
                error = device_error(&integral, NULL, (ritz_precision)precision, NULL, 0, &vector_error);
            /* u > 0.5 at a point may fall differently in f32 only where u is 0.5 to 7 digits: not with these numbers */
            if (!(error <= (precision ? 2e-5 : 1e-12)) || !(vector_error <= (precision ? 2e-5 : 1e-12)))
                fail_msg("%s %s: %g %g", ritz_cell_name((ritz_cell)cell), precision ? "f32" : "f64", error,
                         vector_error);
        }
        for (int k = 0; k < 3; k++)
            ritz_expression_destroy(&expressions[k]);
        free(selector);
        free(old);
        ritz_space_destroy(&space);
        ritz_form_destroy(&form);
        ritz_mesh_destroy(&mesh);
    }
}

/* Terms and loads beside the test function and each of its derivatives; a is an expression, b a number of each cell, c of each point. */
static ritz_status build_loads(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    char text[64];
    int k;
    ritz_form_add_data(form, "a", 0);
    ritz_form_add_data(form, "b", 0);
    ritz_form_add_data(form, "c", 0);
    RITZ_TRY(ritz_form_add_intermediate(form, "m", "a * b + x"));
    RITZ_TRY(ritz_form_add_coefficient(form, "c * c + m", &k));
    for (int D = 0; D <= form->dim; D++)
        for (int E = 0; E < form->n_components; E++) {
            ritz_form_add_term(form, E, 0, D, form->dim - D, k);
            ritz_form_add_term(form, 0, E, D, 0, k);
        }
    for (int E = 0; E < form->n_components; E++)
        for (int D = 0; D <= form->dim; D++) {
            snprintf(text, sizeof text, "m * %d + c * y - t * %d", 1 + E, D);
            RITZ_TRY(ritz_form_add_load(form, E, D, 1 - 0.5 * D, text));
        }
done:
    return status;
}

/* Beside functions alone: terms and loads have the same coefficient. */
static ritz_status build_sources(ritz_form *form)
{
    ritz_form_add_data(form, "a", 0);
    ritz_form_add_data(form, "b", 0);
    ritz_form_add_data(form, "c", 0);
    ritz_form_add_term(form, 0, 0, 0, 0, 0);
    return ritz_form_add_load(form, 0, 0, 1, "a + b * c + t");
}

/* Loads, or with u actions, of cells in any order and number, against the reference. */
static void assert_vectors(const ritz_integral *integral, const double *u, int32_t step)
{
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->form->n_components;
    const int32_t n = integral->batch->n_cells;
    double *expected = calloc((size_t)rows, sizeof(double));
    ritz_element_vectors of;
    OK(ritz_element_vectors_prepare(integral, u, &of));
    assert_false(of.by_reference);
    for (int32_t first = 0; first < n; first += RITZ_N_LANES) {
        int32_t cells[RITZ_N_LANES];
        const int count = first + RITZ_N_LANES < n ? RITZ_N_LANES : n - first;
        for (int k = 0; k < count; k++)
            cells[k] = (int32_t)((int64_t)(first + k) * step % n);
        const double *vectors = ritz_element_vectors_compute(&of, count, cells);
        for (int k = 0; k < count; k++) {
            ritz_reference_element(integral, of.tables, cells[k], u, NULL, expected);
            assert_true(relative_error(vectors + k * rows, expected, rows) <= 1e-13);
        }
    }
    ritz_element_vectors_free(&of);
    free(expected);
}

static void test_element_vectors(void **unused)
{
    (void)unused;
    for (int k = 0; k < 6 * RITZ_N_CELLS; k++) {
        const ritz_cell cell = (ritz_cell)(k / 6);
        const int order = 1 + k % 3, dim = ritz_cell_dim(cell), n_c = k % 2 ? 1 : dim;
        ritz_mesh *mesh = box_mesh(cell, 3);
        ritz_form *form = NULL;
        ritz_space *space = NULL;
        ritz_expression *expressions[2] = {NULL};
        test_data data;
        OK(ritz_form_build("loads", dim, n_c, k % 2 ? build_sources : build_loads, &form));
        OK(ritz_space_create(mesh, order, n_c, &space));
        const ritz_space_batch *batch = &space->batches[0];
        const int n_quad = ritz_quadrature_n_points(cell, 2 * order);
        make_data(form, batch->n_cells, n_quad, false, &data);
        int32_t *selector = calloc((size_t)batch->n_cells, sizeof *selector);
        double *at_points = calloc((size_t)(batch->n_cells * n_quad), sizeof *at_points);
        for (int32_t e = 0; e < batch->n_cells; e++)
            selector[e] = e % 7 < 2;
        for (int32_t q = 0; q < batch->n_cells * n_quad; q++)
            at_points[q] = uniform();
        OK(ritz_expression_create("1 + x * t", form->variables.pointers, form->variables.n, &expressions[0]));
        OK(ritz_expression_create("sin(y) - x", form->variables.pointers, form->variables.n, &expressions[1]));
        data.datum[0] = (ritz_datum){.kind = RITZ_DATA_EXPRESSION,
                                     .expressions = (const ritz_expression *const *)expressions,
                                     .n_expressions = 2,
                                     .selector = selector};
        data.datum[2] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = at_points};
        const ritz_integral integral = {
            .space = space, .batch = batch, .form = form, .data = data.datum, .time = k % 4 ? 0.7 : 0};
        double *u = calloc((size_t)ritz_space_n_dofs(space), sizeof *u);
        for (int64_t i = 0; i < ritz_space_n_dofs(space); i++)
            u[i] = uniform();
        assert_vectors(&integral, NULL, 1);
        assert_vectors(&integral, NULL, 31); /* no mesh here has as many cells as a multiple of it */
        assert_vectors(&integral, u, 31);
        ritz_expression_destroy(&expressions[0]);
        ritz_expression_destroy(&expressions[1]);
        free(selector);
        free(at_points);
        free(u);
        free_data(&data);
        ritz_space_destroy(&space);
        ritz_form_destroy(&form);
        ritz_mesh_destroy(&mesh);
    }
}

/* Every function that expressions have, in a kernel: its compiler gets a declaration of each. */
static void test_functions(void **unused)
{
    (void)unused;
    const char *text =
        "sin(x) + cos(x) + tan(x/4) + asin(x/5) + acos(x/5) + atan(x) + atan2(x, y) + sinh(x) + cosh(x) + tanh(y) + "
        "asinh(x) + acosh(x) + atanh(x/5) + exp(x) + exp2(x) + exp10(x/9) + expm1(y) + log(x) + log2(x) + log10(x) + "
        "log1p(x) + sqrt(x) + rsqrt(x) + cbrt(y) + pow(x, y) + hypot(x, y) + fabs(y) + sign(y) + floor(y) + ceil(y) + "
        "round(x) + trunc(y) + fmod(x, 2) + fmin(x, y) + fmax(x, y) + min(y, x) + max(x, 2) + step(2, x) + "
        "clamp(x, -2, 2) + erf(y) + erfc(y)";
    for (int k = 0; k < EXPRESSION_N_FUNCTIONS; k++) {
        char call[16];
        snprintf(call, sizeof call, "%s(", ritz_expression_functions[k]);
        if (!strstr(text, call))
            fail_msg("%s) is not in the expression of this test", call);
    }
    ritz_mesh *mesh = box_mesh(RITZ_TRI, 2);
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_expression *expression = NULL;
    OK(ritz_form_create("poisson", 2, &form));
    OK(ritz_space_create(mesh, 1, 1, &space));
    OK(ritz_expression_create(text, form->variables.pointers, form->variables.n, &expression));
    const ritz_expression *const list = expression;
    const ritz_datum data[2] = {{.kind = RITZ_DATA_EXPRESSION, .expressions = &list, .n_expressions = 1}, {.value = 1}};
    const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data};
    for (int precision = 0; precision < 2; precision++) {
        double vector_error, error = device_error(&integral, NULL, (ritz_precision)precision, NULL, 0, &vector_error);
        if (!(error <= (precision ? 2e-5 : 1e-12)))
            fail_msg("%s: %g", precision ? "f32" : "f64", error);
    }
    ritz_expression_destroy(&expression);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

/* u^T A u summed over elements for a polynomial u is a known integral. Unit box, no distortion of its surface. */
static double energy(const ritz_integral *integral, const double *u)
{
    const ritz_space_batch *batch = integral->batch;
    const int n_c = integral->form->n_components;
    const int64_t rows = (int64_t)batch->n_shape * n_c;
    double *matrices = calloc((size_t)(batch->n_cells * rows * rows), sizeof(double)), sum = 0;
    OK(ritz_integrate_reference(integral, NULL, batch->n_cells, matrices, NULL));
    for (int64_t e = 0; e < batch->n_cells; e++)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < rows; c++)
                sum += matrices[(e * rows + r) * rows + c] *
                       u[(int64_t)batch->cell_nodes[e * batch->n_shape + r / n_c] * n_c + r % n_c] *
                       u[(int64_t)batch->cell_nodes[e * batch->n_shape + c / n_c] * n_c + c % n_c];
    free(matrices);
    return sum;
}

/* The reference against exact integrals over the box [0,1]^dim: mass of 1 and of x, diffusion energy of x + 2y, strain
   energies of stretch and shear, zero for rigid motions. */
static void test_reference_is_exact(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= 3; order++) {
            const int dim = ritz_cell_dim((ritz_cell)cell);
            ritz_mesh *mesh = NULL;
            ritz_box box = {
                .cell = (ritz_cell)cell, .cells = {2, 2, 2}, .distort = cell == RITZ_TRI || cell == RITZ_TET ? 0.2 : 0};
            OK(ritz_mesh_box(&box, &mesh));
            ritz_form *mass = NULL, *poisson = NULL, *elastic = NULL;
            ritz_space *scalar = NULL, *vector = NULL;
            OK(ritz_form_create("mass", dim, &mass));
            OK(ritz_form_create("poisson", dim, &poisson));
            OK(ritz_form_create(dim == 3 ? "elasticity" : "plane-strain", dim, &elastic));
            OK(ritz_space_create(mesh, order, 1, &scalar));
            OK(ritz_space_create(mesh, order, dim, &vector));
            double *u = calloc((size_t)scalar->n_nodes, sizeof *u), *v = calloc((size_t)scalar->n_nodes * 3, sizeof *v);
            const ritz_datum one[RITZ_MAX_DATA] = {{.value = 3}, {.value = 0}};
            const ritz_integral m = {.space = scalar, .batch = &scalar->batches[0], .form = mass, .data = one};
            const ritz_integral k = {.space = scalar, .batch = &scalar->batches[0], .form = poisson, .data = one};
            for (int32_t n = 0; n < scalar->n_nodes; n++)
                u[n] = 1;
            assert_true(fabs(energy(&m, u) - 3) < 1e-12);
            assert_true(fabs(energy(&k, u)) < 1e-11);
            for (int32_t n = 0; n < scalar->n_nodes; n++)
                u[n] = scalar->coordinates[n * dim] + 2 * scalar->coordinates[n * dim + 1];
            assert_true(fabs(energy(&k, u) - 15) < 1e-11);                          /* 3 (1 + 4) */
            assert_true(fabs(energy(&m, u) - 3 * (1.0 / 3 + 4.0 / 3 + 1)) < 1e-11); /* int (x + 2y)^2 = 1/3 + 1 + 4/3 */
            const double E = 2, nu = 0.25, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
            const ritz_datum isotropic[RITZ_MAX_DATA] = {{.value = E}, {.value = nu}, {.value = dim == 2 ? 1 : 0}};
            const ritz_integral s = {.space = vector, .batch = &vector->batches[0], .form = elastic, .data = isotropic};
            for (int motion = 0; motion < 4; motion++) { /* stretch along y, simple shear, rotation, translation */
                const double expected[] = {lambda + 2 * mu, mu, 0, 0};
                for (int32_t n = 0; n < vector->n_nodes; n++) {
                    const double x = vector->coordinates[n * dim], y = vector->coordinates[n * dim + 1];
                    memset(v + (int64_t)n * dim, 0, (size_t)dim * sizeof *v);
                    v[n * dim] = motion == 1 ? y : motion == 2 ? -y : motion == 3 ? 1 : 0;
                    v[n * dim + 1] = motion == 0 ? y : motion == 2 ? x : 0;
                }
                const double got = energy(&s, v);
                if (fabs(got - expected[motion]) > 1e-11)
                    fail_msg("%s order %d %s motion %d: energy %.15g, exact %.15g", ritz_cell_name((ritz_cell)cell),
                             order, axis_names[dim - 1], motion, got, expected[motion]);
            }
            free(u);
            free(v);
            ritz_space_destroy(&scalar);
            ritz_space_destroy(&vector);
            ritz_form_destroy(&mass);
            ritz_form_destroy(&poisson);
            ritz_form_destroy(&elastic);
            ritz_mesh_destroy(&mesh);
        }
}

/* Facet loads: resultants of a traction and of a pressure on one side of a box, and a closed surface under pressure. */
static void test_facets(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        const int dim = ritz_cell_dim((ritz_cell)cell);
        const double side = dim == 3 ? 1.5 * 0.8 : 1.5; /* area of x1 */
        ritz_mesh *mesh = box_mesh((ritz_cell)cell, 3);
        ritz_space *space = NULL;
        OK(ritz_space_create(mesh, 3, dim, &space));
        const int64_t n = (int64_t)space->n_nodes * dim;
        double *load = calloc((size_t)n, sizeof *load);
        ritz_expression *value[3] = {NULL};
        const char *const texts[] = {"2", "y - (-2)", "0.5"};
        for (int d = 0; d < dim; d++)
            OK(ritz_expression_create(texts[d], axis_names, 3, &value[d]));
        const ritz_expression *const *list = (const ritz_expression *const *)value;
        ritz_facet_load traction = {.value = list};
        OK(ritz_mesh_find_group(mesh, "x1", -1, &traction.group));
        OK(ritz_integrate_facets(space, &traction, load));
        double sum[3] = {0};
        for (int64_t k = 0; k < n; k++)
            sum[k % dim] += load[k];
        assert_true(fabs(sum[0] - 2 * side) < 1e-12);
        assert_true(fabs(sum[1] - 0.75 * side) < 1e-12); /* mean of y + 2 over 0..1.5 */
        if (dim == 3)
            assert_true(fabs(sum[2] - 0.5 * side) < 1e-12);

        const char *const sides[] = {"x0", "x1", "y0", "y1", "z0", "z1"};
        memset(load, 0, (size_t)n * sizeof *load);
        for (int s = 0; s < 2 * dim; s++) {
            ritz_facet_load pressure = {.pressure = true, .value = list};
            OK(ritz_mesh_find_group(mesh, sides[s], -1, &pressure.group));
            OK(ritz_integrate_facets(space, &pressure, load));
            if (s == 1) {
                double resultant = 0;
                for (int64_t k = 0; k < n; k += dim)
                    resultant += load[k];
                assert_true(fabs(resultant) < 1e-12); /* x0 and x1 cancel */
            }
        }
        for (int d = 0; d < 3; d++)
            sum[d] = 0;
        for (int64_t k = 0; k < n; k++)
            sum[k % dim] += load[k];
        for (int d = 0; d < dim; d++)
            assert_true(fabs(sum[d]) < 1e-12);
        /* work of the pressure in the dilation u = x: -p times the volume times dim */
        double work = 0;
        for (int64_t k = 0; k < n; k++)
            work += load[k] * space->coordinates[k];
        assert_true(fabs(work + 2 * dim * (dim == 3 ? 1.2 : 1.5)) < 1e-11);
        for (int d = 0; d < dim; d++)
            ritz_expression_destroy(&value[d]);
        free(load);
        ritz_space_destroy(&space);
        ritz_mesh_destroy(&mesh);
    }
}

/* Norms of the difference between an interpolated cubic and another function are integrals known by hand. */
static void test_norms(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        const int dim = ritz_cell_dim((ritz_cell)cell);
        ritz_mesh *mesh = NULL;
        ritz_box box = {.cell = (ritz_cell)cell, .cells = {2, 3, 2}};
        OK(ritz_mesh_box(&box, &mesh));
        ritz_space *space = NULL;
        OK(ritz_space_create(mesh, 2, 1, &space));
        double *u = calloc((size_t)space->n_nodes, sizeof *u), l2, h1;
        for (int32_t n = 0; n < space->n_nodes; n++)
            u[n] = space->coordinates[n * dim] * space->coordinates[n * dim + 1];
        ritz_expression *exact = NULL;
        OK(ritz_expression_create("x*y + x*x", axis_names, 3, &exact));
        const ritz_expression *const list = exact;
        OK(ritz_error_norms(space, u, &list, 0, &l2, &h1));
        assert_true(fabs(l2 - sqrt(1.0 / 5)) < 1e-12); /* |x^2| */
        assert_true(fabs(h1 - sqrt(4.0 / 3)) < 1e-12); /* |2x| */
        ritz_expression_destroy(&exact);
        free(u);
        ritz_space_destroy(&space);
        ritz_mesh_destroy(&mesh);
    }
}

/* With a cell's name: all orders and forms on that cell against the reference. Without: everything else. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_is_exact),
        cmocka_unit_test(test_facets),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_element_vectors),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
