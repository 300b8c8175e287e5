/* Methods dd-sc, dd-sr, wf-sc, wf-sr: the plan against the tables of Krużel and Banaś (2013), every parameter on the
   device against the reference, the count of operations, wrong settings. */
#include "elements.h"
#include "measure/measure.h"

#include <stdio.h>

static const char *const names[] = {"dd-sc", "dd-sr", "wf-sc", "wf-sr"};
enum { N_NAMES = sizeof names / sizeof names[0] };

/* A core of the paper's processor: 256 KB local store, vectors of 128 bits. */
static const ritz_device_info powerxcell = {.kind = RITZ_DEVICE_OTHER,
                                            .global_memory = (int64_t)8 << 30,
                                            .largest_allocation = (int64_t)1 << 30,
                                            .local_memory = 256 << 10,
                                            .compute_units = 16,
                                            .vector_width_f32 = 4,
                                            .vector_width_f64 = 2};

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * (1 + 1e-9)))
        fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
}

static ritz_case make_case(const char *form_name, ritz_cell cell, int order, ritz_precision precision)
{
    ritz_form *form = NULL;
    const ritz_datum data[RITZ_MAX_DATA] = {{0}}; /* no load */
    ritz_case c = {.cell = cell, .order = order, .geometry_order = 1, .precision = precision};
    OK(ritz_form_create(form_name, ritz_cell_dim(cell), &form));
    c.n_components = ritz_form_n_components(form);
    ritz_form_get_traits(form, data, &c.traits);
    ritz_form_destroy(&form);
    return c;
}

static const ritz_method *find_method(const char *name, const ritz_case *c, const ritz_device_info *limits)
{
    const ritz_method *method = NULL;
    OK(ritz_method_find(name, c, limits, &method));
    return method;
}

static double figure(const ritz_plan *plan, const char *name)
{
    for (int f = 0; f < plan->n_figures; f++)
        if (strcmp(plan->figures[f].name, name) == 0)
            return plan->figures[f].value;
    fail_msg("the plan has no figure '%s'", name);
    return NAN;
}

static int32_t parameter(const ritz_method *method, const ritz_plan *plan, const char *name)
{
    for (int p = 0; p < method->n_parameters; p++)
        if (strcmp(method->parameters[p].name, name) == 0)
            return plan->parameters[p];
    fail_msg("%s has no parameter '%s'", method->name, name);
    return 0;
}

/* Table 4: WF, f32 Laplacian on prisms. Sizes in units of 1000 bytes, to one of the last digit (some are rounded,
   some cut). The paper's work space differs from ours by less than a fortieth: its monomials have fewer derivatives
   beside them. */
static void test_table_4(void **unused)
{
    (void)unused;
    static const struct {
        double padded, padded_unit, parts, rows, part, part_unit, workspace;
    } table[] = {{0.19, 0.01, 1, 8, 0.77, 0.01, 0.18},   {1.73, 0.01, 1, 24, 6.91, 0.01, 0.43},
                 {6.40, 0.01, 1, 40, 25.60, 0.01, 0.85}, {24.0, 0.1, 1, 80, 97.28, 0.01, 1.50},
                 {64.5, 0.1, 2, 64, 129.0, 0.1, 2.41},   {157, 1, 5, 40, 125.4, 0.1, 3.64},
                 {332, 1, 9, 32, 147.4, 0.1, 5.23}};
    for (int order = 1; order <= 7; order++) {
        const ritz_case c = make_case("poisson", RITZ_PRISM, order, RITZ_F32);
        const ritz_method *method = find_method("wf-sc", &c, &powerxcell);
        ritz_plan plan;
        OK(ritz_method_plan(method, &c, &powerxcell, NULL, 0, &plan));
        const int k = order - 1;
        assert_int_equal(figure(&plan, "parts"), table[k].parts);
        assert_int_equal(figure(&plan, "rows_per_part"), table[k].rows);
        assert_near(figure(&plan, "padded_bytes") / 1000, table[k].padded, table[k].padded_unit);
        assert_near(parameter(method, &plan, "part_bytes") / 1000.0, table[k].part, table[k].part_unit);
        assert_near(figure(&plan, "workspace_bytes") / 1000, table[k].workspace, 0.025 * table[k].workspace);
        assert_true(plan.local_bytes > 0 && plan.local_bytes <= powerxcell.local_memory && plan.scratch_bytes == 0);
        assert_int_equal(plan.bytes_per_element, figure(&plan, "padded_bytes"));
        assert_int_equal(parameter(method, &plan, "vector"), 4);
        assert_int_equal(parameter(method, &plan, "unroll_i"), 2);
    }
}

/* Table 2, for prisms: numbers of reals in shape functions at a point, quadrature data, Ae, shape functions at all
   points; the last of these is what the method sr reads. Table 3 is in test_measure.c. */
static void test_table_2(void **unused)
{
    (void)unused;
    static const int64_t table[][4] = {{24, 24, 36, 144},          {72, 72, 324, 1296},      {160, 192, 1600, 7680},
                                       {300, 320, 5625, 24000},    {504, 600, 15876, 75600}, {784, 924, 38416, 181104},
                                       {1152, 1344, 82944, 387072}};
    for (int order = 1; order <= 7; order++) {
        const int64_t n_shape = ritz_cell_n_shape(RITZ_PRISM, order), n_quad = ritz_cell_n_quad(RITZ_PRISM, order);
        const int64_t *row = table[order - 1];
        assert_int_equal(4 * n_shape, row[0]);
        assert_int_equal(4 * n_quad, row[1]);
        assert_int_equal(n_shape * n_shape, row[2]);
        assert_int_equal(4 * n_shape * n_quad, row[3]);
    }
}

/* A store of any size gives a plan that keeps to it while a part of a few rows fits, and all rows are in some part. */
static void test_plan_keeps_to_memory(void **unused)
{
    (void)unused;
    for (int m = 0; m < N_NAMES; m++)
        for (int64_t kilobytes = 8; kilobytes <= 1024; kilobytes *= 2)
            for (int order = 1; order <= 7; order++) {
                ritz_device_info limits = powerxcell;
                limits.local_memory = kilobytes << 10;
                const ritz_case c = make_case("elasticity", RITZ_HEX, order, RITZ_F64);
                const ritz_method *method = find_method(names[m], &c, &limits);
                ritz_plan plan;
                OK(ritz_method_plan(method, &c, &limits, NULL, 0, &plan));
                const double rows = figure(&plan, "rows_per_part"), parts = figure(&plan, "parts");
                const int n_shape = ritz_cell_n_shape(RITZ_HEX, order);
                assert_true(rows * parts >= n_shape && rows * (parts - 1) < n_shape);
                assert_true(plan.local_bytes <= limits.local_memory);
                assert_true((plan.local_bytes > 0) != (plan.scratch_bytes > 0));
                if (rows > 8)
                    assert_true(8 * parameter(method, &plan, "part_bytes") <= 5 * limits.local_memory);
            }
}

/* One integral by one method with settings. */
static void compare_matrices(const ritz_integral *integral, ritz_precision precision, const char *method,
                             const char *const *settings, int n_settings)
{
    double vector_error;
    const double error = device_error(integral, method, precision, settings, n_settings, &vector_error);
    if (!(error <= device_tolerance(precision)) || !(vector_error <= device_tolerance(precision)))
        fail_msg("%s with %s ...: matrix error %.3g, vector error %.3g", method, n_settings ? settings[0] : "nothing",
                 error, vector_error);
}

/* Vectors of every length, both loops unrolled by several factors, parts of few rows, elements side by side in scratch
   of global memory, as on GPUs. */
static void test_parameters(void **unused)
{
    (void)unused;
    static const char *const sets[][5] = {
        {"vector=4", "unroll_i=1", "unroll_j=1", "part_bytes=12000", "workers=1"},
        {"vector=8", "unroll_i=4", "unroll_j=2", "part_bytes=30000", "workers=3"},
        {"vector=16", "unroll_i=8", "unroll_j=1", "part_bytes=60000", "local=4"},
    };
    static const ritz_cell cells[] = {RITZ_PRISM, RITZ_TET, RITZ_HEX};
    static const char *const forms[] = {"convection-diffusion", "elasticity", "poisson"};
    for (int k = 0; k < 3; k++) {
        ritz_mesh *mesh = random_mesh(cells[k], 2);
        ritz_form *form = NULL;
        ritz_space *space = NULL;
        test_data data;
        OK(ritz_form_create(forms[k], mesh->dim, &form));
        OK(ritz_space_create(mesh, 2, ritz_form_n_components(form), &space));
        make_data(form, space->batches[0].n_cells, ritz_cell_n_quad(cells[k], 2), k == 0, &data);
        const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data.datum};
        for (int m = 0; m < N_NAMES; m++)
            compare_matrices(&integral, m % 2 ? RITZ_F32 : RITZ_F64, names[m], sets[(k + m) % 3], 5);
        free_data(&data);
        ritz_space_destroy(&space);
        ritz_form_destroy(&form);
        ritz_mesh_destroy(&mesh);
    }
}

/* Operations really done: the update of the sums with idle components and padding, and little more where the order is
   high; all that is outside of it once for each part. */
static void test_operations(void **unused)
{
    (void)unused;
    const ritz_form_counts laplacian = {.constants = 0, .weight = 3, .accumulate = 6, .finish = 1};
    const ritz_case c = make_case("poisson", RITZ_PRISM, 4, RITZ_F32);
    const double updates = 80.0 * 76 * 75; /* points, rows in pairs, columns */
    ritz_plan plan, halves, quarters;
    const ritz_method *wf = find_method("wf-sr", &c, &powerxcell), *dd = find_method("dd-sr", &c, &powerxcell);
    OK(ritz_method_plan(wf, &c, &powerxcell, NULL, 0, &plan));
    const double by_wf = wf->operations(&c, &plan, &laplacian);
    assert_true(by_wf > 8 * updates && by_wf < 8 * updates * 1.08);
    OK(ritz_method_plan(dd, &c, &powerxcell, NULL, 0, &plan));
    const double by_dd = dd->operations(&c, &plan, &laplacian);
    assert_true(by_dd > 6 * updates && by_dd < 6 * updates * 76 / 75 * 1.1);
    /* 40 rows in 2 parts, 24 in 4 (the last of 3): as much more for each part */
    const char *const two[] = {"part_bytes=12800"}, *const four[] = {"part_bytes=7680"};
    OK(ritz_method_plan(dd, &c, &powerxcell, two, 1, &halves));
    OK(ritz_method_plan(dd, &c, &powerxcell, four, 1, &quarters));
    assert_int_equal(figure(&halves, "parts"), 2);
    assert_int_equal(figure(&quarters, "parts"), 4);
    const double one_more = dd->operations(&c, &halves, &laplacian) - by_dd;
    assert_true(one_more > 80 * 76 * 15); /* derivatives in space of all shape functions at all points */
    assert_near(dd->operations(&c, &quarters, &laplacian) - by_dd, 3 * one_more, 1e-6 * by_dd);
}

static void refused(const char *method_name, const char *setting, const char *says)
{
    const ritz_case c = make_case("poisson", RITZ_TRI, 1, RITZ_F64);
    const ritz_method *method = find_method(method_name, &c, &powerxcell);
    ritz_plan plan;
    assert_int_equal(ritz_method_plan(method, &c, &powerxcell, &setting, 1, &plan), RITZ_ERROR_INPUT);
    if (!strstr(ritz_message(), says))
        fail_msg("'%s' does not say '%s'", ritz_message(), says);
}

static void test_wrong_settings(void **unused)
{
    (void)unused;
    for (int m = 0; m < N_NAMES; m++) {
        refused(names[m], "vector=5", "4, 8 or 16");
        refused(names[m], "vector=32", "vector takes a whole number");
        refused(names[m], "unroll_i=3", "1, 2, 4 or 8");
        refused(names[m], "unroll_i=4", "more than the 3 rows");
        refused(names[m], "unroll_j=4", "of a row");
        refused(names[m], "part_bytes=32", "part_bytes=32' does not hold the");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_2),
                                       cmocka_unit_test(test_table_4),
                                       cmocka_unit_test(test_plan_keeps_to_memory),
                                       cmocka_unit_test(test_parameters),
                                       cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_wrong_settings)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
