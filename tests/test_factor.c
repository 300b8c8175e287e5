/* Sum factorisation: bases and rules as products, and the method "factor" with work-groups and blocks that the plan
   for CPUs does not choose by itself. (tests/test_methods.c compares the plan's own choice.) */
#include "cell/cell.h"
#include "elements.h"

static const ritz_cell cells[] = {RITZ_QUAD, RITZ_PRISM, RITZ_HEX};
enum { N_CELLS = sizeof cells / sizeof cells[0] };

/* psi_i at point q, reference derivative D, from the factors. */
static double product(const ritz_factors *f, int b, int k, int m, int q, int D)
{
    const int r = q % f->n_base_points, s = q / f->n_base_points % f->n_line_points,
              t = q / (f->n_base_points * f->n_line_points);
    const int base_D = D <= f->base_dim ? D : 0, line_D = D == f->base_dim + 1, outer_D = D == f->base_dim + 2;
    double value = f->base[(r * (1 + f->base_dim) + base_D) * f->n_base + b];
    value *= f->line[(s * 2 + line_D) * f->n_line + k];
    return f->n_lines == 2 ? value * f->line[(t * 2 + outer_D) * f->n_line + m] : value;
}

static void test_products_are_the_basis(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < N_CELLS; cell++)
        for (int order = 1; order <= RITZ_MAX_ORDER; order++) {
            const int degree = order == 2 ? 17 : order == 3 ? 5 : 2 * order;
            ritz_factors *f = NULL;
            ritz_basis *basis = NULL;
            ritz_quadrature *rule = NULL;
            OK(ritz_factors_create(cells[cell], order, degree, &f));
            OK(ritz_basis_create(cells[cell], order, RITZ_NODES_LOBATTO, &basis));
            OK(ritz_quadrature_create(cells[cell], degree, &rule));
            const int n_shape = basis->n_shape, n_d = 1 + basis->dim;
            double *psi = calloc((size_t)rule->n_points * (size_t)(n_d * n_shape), sizeof *psi), largest = 0;
            OK(ritz_basis_tabulate(basis, rule->n_points, rule->points, psi));
            assert_int_equal(n_shape, f->n_base * f->n_line * (f->n_lines == 2 ? f->n_line : 1));
            for (int n = 0; n < n_shape; n++) {
                const int b = n % f->n_base, k = n / f->n_base % f->n_line, m = n / (f->n_base * f->n_line);
                for (int q = 0; q < rule->n_points; q++)
                    for (int D = 0; D < n_d; D++)
                        largest =
                            fmax(largest, fabs(product(f, b, k, m, q, D) - psi[(q * n_d + D) * n_shape + f->shape[n]]));
            }
            if (!(largest <= 1e-12))
                fail_msg("%s of order %d: products differ from the basis by %g", ritz_cell_name(cells[cell]), order,
                         largest);
            free(psi);
            ritz_quadrature_destroy(&rule);
            ritz_basis_destroy(&basis);
            ritz_factors_destroy(&f);
            assert_null(f);
        }
}

static void test_cells_without_factors_are_refused(void **unused)
{
    (void)unused;
    ritz_factors *f = NULL;
    assert_int_equal(ritz_factors_create(RITZ_TET, 2, 4, &f), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_factors_create(RITZ_HEX, 8, 16, &f), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_factors_create(RITZ_HEX, 2, RITZ_MAX_DEGREE + 1, &f), RITZ_ERROR_INPUT);
    assert_null(f);
    for (int n = 1; n <= 10; n++) {
        ritz_fail_allocation(n);
        const ritz_status status = ritz_factors_create(RITZ_PRISM, 2, 4, &f);
        ritz_fail_allocation(0);
        assert_true((status == RITZ_OK) == (f != NULL));
        ritz_factors_destroy(&f);
    }
}

/* Settings, and what they reach that others do not. */
static const struct {
    int n;
    const char *texts[5];
} settings[] = {
    {2, {"lanes=1", "work_group=64"}}, /* as on GPUs */
    /* several rounds of columns, a last block */
    {5, {"lanes=1", "work_group=32", "bases=2", "columns=1", "tile_columns=1"}},
    {3, {"lanes=2", "work_group=16", "half=0"}},                            /* vectors in groups, mirrored blocks */
    {5, {"lanes=4", "bases=2", "tile_columns=2", "tile_rows=1", "half=0"}}, /* filled up tiles on one work-item */
    {3, {"lanes=1", "work_group=64", "workers=3"}},                         /* fewer workers than elements */
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

static void compare_matrices(const ritz_mesh *mesh, const char *name, int order, ritz_precision precision, int setting)
{
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    test_data data;
    double vector_error;
    OK(ritz_form_create(name, mesh->dim, &form));
    OK(ritz_space_create(mesh, order, ritz_form_n_components(form), &space));
    const ritz_space_batch *batch = &space->batches[0];
    make_data(form, batch->n_cells, ritz_cell_n_quad(batch->cell, order), setting == 2, &data);
    const ritz_integral integral = {.space = space, .batch = batch, .form = form, .data = data.datum};
    const double error =
        device_error(&integral, "factor", precision, settings[setting].texts, settings[setting].n, &vector_error);
    if (!(error <= device_tolerance(precision)) || !(vector_error <= device_tolerance(precision)))
        fail_msg("%s order %d %s %s, settings %d: matrix error %.3g, vector error %.3g", ritz_cell_name(batch->cell),
                 order, name, precision == RITZ_F32 ? "f32" : "f64", setting, error, vector_error);
    free_data(&data);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
}

/* Every form, cell and setting at least once; compiling each takes a second or more. */
static void test_groups_match_reference(void **unused)
{
    (void)unused;
    static const struct {
        ritz_cell cell;
        const char *form;
        int order, setting;
        ritz_precision precision;
    } cases[] = {
        {RITZ_QUAD, "plane-stress", 2, 0, RITZ_F64}, {RITZ_QUAD, "plane-strain", 3, 3, RITZ_F32},
        {RITZ_QUAD, "mass", 4, 2, RITZ_F64},         {RITZ_PRISM, "poisson", 2, 1, RITZ_F64},
        {RITZ_PRISM, "elasticity", 1, 4, RITZ_F32},  {RITZ_HEX, "convection-diffusion", 1, 3, RITZ_F64},
        {RITZ_HEX, "elasticity", 2, 3, RITZ_F64},    {RITZ_HEX, "poisson", 2, 2, RITZ_F32},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ritz_mesh *mesh = random_mesh(cases[k].cell, 2);
        compare_matrices(mesh, cases[k].form, cases[k].order, cases[k].precision, cases[k].setting);
        ritz_mesh_destroy(&mesh);
    }
}

/* The plan that a GPU gets, where it has to leave columns out for want of local memory. */
static void test_plans_fit_local_memory(void **unused)
{
    (void)unused;
    const ritz_device_info limits = {.kind = RITZ_DEVICE_GPU,
                                     .local_memory = 49152,
                                     .work_group_size = 1024,
                                     .compute_units = 132,
                                     .global_memory = INT64_C(1) << 37,
                                     .largest_allocation = INT64_C(1) << 35,
                                     .vector_width_f32 = 1,
                                     .vector_width_f64 = 1};
    const ritz_method *method;
    ritz_plan plan;
    ritz_form *form = NULL;
    test_data data;
    OK(ritz_form_create("elasticity", 3, &form));
    make_data(form, 1, 1, false, &data);
    for (int cell = 1; cell < N_CELLS; cell++)
        for (int order = 1; order <= RITZ_MAX_ORDER; order++) {
            ritz_case c = {
                .cell = cells[cell], .order = order, .geometry_order = 1, .n_components = 3, .precision = RITZ_F64};
            ritz_form_get_traits(form, data.datum, &c.traits);
            OK(ritz_method_find("factor", &c, &limits, &method));
            OK(ritz_method_plan(method, &c, &limits, NULL, 0, &plan));
            assert_in_range(plan.local_bytes, 1, limits.local_memory);
            assert_true(plan.layout.symmetric);
        }
    ritz_case c = {.cell = RITZ_PRISM, .order = 7, .geometry_order = 1, .n_components = 3, .precision = RITZ_F64};
    ritz_form_get_traits(form, data.datum, &c.traits);
    const char *const too_many = "columns=36", *const no_divisor = "tile_rows=5";
    assert_int_equal(ritz_method_plan(method, &c, &limits, &too_many, 1, &plan), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "fewer bases or columns"));
    assert_int_equal(ritz_method_plan(method, &c, &limits, &no_divisor, 1, &plan), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "tile_rows the rows"));
    c.cell = RITZ_TET;
    assert_false(method->applies(&c, &limits));
    free_data(&data);
    ritz_form_destroy(&form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_are_the_basis), cmocka_unit_test(test_cells_without_factors_are_refused),
        cmocka_unit_test(test_groups_match_reference), cmocka_unit_test(test_plans_fit_local_memory)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
