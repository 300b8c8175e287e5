/* Products whose rows are shared by teams of work-items, as on GPUs, against plain rows on the host. */
#include "rows.h"

#include "matrix/pieces.h"

/* Eighths, which every type of values holds. */
static void round_values(rows *a)
{
    for (int64_t i = 0; i < a->start[a->n] * a->block * a->block; i++)
        a->values[i] = rint(8 * a->values[i]) / 8;
}

static ritz_buffer *filled(int64_t n, ritz_precision precision, const double *v)
{
    ritz_buffer *buffer = NULL;
    OK(ritz_buffer_create(device, n * ritz_real_bytes(precision), "a vector", &buffer));
    OK(ritz_write_vector(precision, n, v, buffer));
    return buffer;
}

static void compare(int64_t n, const double *y, const double *truth, const double *scale, const ritz_matrix *m,
                    const char *what, const char *which)
{
    const double tolerance = m->precision == RITZ_F64 ? 1e-14 : 2e-6;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(y[i] - truth[i]) <= tolerance * scale[i]))
            fail_msg("%s: row %d%s is %.17g, not %.17g", what, (int)i, which, y[i], truth[i]);
}

/* y = -A x + 2 y + z / 2 + 3 x with y.y beside it; the sums of `parts` parts in sums[RITZ_PRODUCT_SUMS][parts]. */
static void more(const ritz_matrix *m, bool backwards, const ritz_buffer *x, const ritz_buffer *z, const double *before,
                 int64_t parts, double *y, double *sums)
{
    ritz_buffer *dy = filled(m->n_unknowns, m->precision, before), *partial = NULL;
    ritz_product p = {.alpha = -1, .beta = 2, .gamma = 0.5, .delta = 3, .z = z, .w = z, .backwards = backwards};
    OK(ritz_buffer_create(device, RITZ_PRODUCT_SUMS * parts * 8, "the sums", &partial));
    p.partial = partial;
    OK(ritz_matrix_product(m, &p, x, dy, NULL));
    OK(ritz_matrix_read_vector(m, dy, y));
    if (ritz_device_get_info(device)->has_f64)
        OK(ritz_buffer_read(partial, 0, sums, RITZ_PRODUCT_SUMS * parts * 8));
    ritz_buffer_destroy(&dy);
    ritz_buffer_destroy(&partial);
}

/* From the last rows on the same numbers come, and their parts of the sums in the opposite order. */
static void check_more(const ritz_matrix *m, const char *what, const double *x, const double *y, const double *ax,
                       const double *ax_scale)
{
    const int64_t n = m->n_unknowns;
    double *z = random_vector(n), *truth = malloc((size_t)n * 8), *scale = malloc((size_t)n * 8),
           *forth = malloc((size_t)n * 8), *back = malloc((size_t)n * 8), yy = 0, found = 0;
    int64_t parts = 0;
    ritz_buffer *dx = filled(m->n_scalar_columns, m->precision, x), *dz = filled(n, m->precision, z);
    OK(ritz_matrix_count_parts(m, &(ritz_product){.alpha = -1, .beta = 2}, &parts));
    double *sums = calloc((size_t)(RITZ_PRODUCT_SUMS * parts), 8),
           *back_sums = calloc((size_t)(RITZ_PRODUCT_SUMS * parts), 8);
    more(m, false, dx, dz, y, parts, forth, sums);
    more(m, true, dx, dz, y, parts, back, back_sums);
    for (int64_t i = 0; i < n; i++) {
        truth[i] = 2 * y[i] + z[i] / 2 + 3 * x[i] - ax[i];
        scale[i] = ax_scale[i] + 4 * (fabs(y[i]) + fabs(z[i]) + fabs(x[i]));
        yy += forth[i] * forth[i];
    }
    compare(n, forth, truth, scale, m, what, " with more");
    assert_memory_equal(forth, back, (size_t)n * 8);
    for (int64_t i = 0; i < RITZ_PRODUCT_SUMS * parts; i++)
        assert_true(sums[i] == back_sums[i / parts * parts + parts - 1 - i % parts]);
    for (int64_t i = parts; i < 2 * parts; i++)
        found += sums[i];
    assert_true(!ritz_device_get_info(device)->has_f64 || fabs(found - yy) <= 1e-12 * yy);
    ritz_buffer_destroy(&dx);
    ritz_buffer_destroy(&dz);
    double *vectors[] = {z, truth, scale, forth, back, sums, back_sums};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        free(vectors[i]);
}

static void check(const rows *a, const ritz_matrix *m, const char *what)
{
    const int64_t n = a->n * a->block;
    double *x = random_vector(a->n_columns * a->block), *y = malloc((size_t)n * 8), *truth = malloc((size_t)n * 8),
           *scale = malloc((size_t)n * 8);
    reference(a, m->precision, x, truth, scale);
    for (int64_t i = 0; i < n; i++)
        y[i] = NAN;
    OK(ritz_matrix_multiply(m, x, y));
    compare(n, y, truth, scale, m, what, "");
    check_more(m, what, x, y, truth, scale);
    double *vectors[] = {x, y, truth, scale};
    for (int i = 0; i < 4; i++)
        free(vectors[i]);
}

static void teams(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int block;
        ritz_precision precision;
        ritz_value_type values;
        int32_t height;
        bool lengths;
        ritz_matrix_team team;
    } cases[] = {
        {"f64, b 3", 3, RITZ_F64, RITZ_VALUES_F64, 32, false, {4, 2, 3, 1, false, true}},
        {"f64, b 2, alone", 2, RITZ_F64, RITZ_VALUES_F64, 32, false, {1, 9, 6, 1, false, true}},
        {"f32, b 3, each row's own length", 3, RITZ_F32, RITZ_VALUES_F32, 64, true, {2, 3, 2, 1, true, true}},
        {"f32, b 1, one slice", 1, RITZ_F32, RITZ_VALUES_F32, RITZ_ALL_ROWS, false, {4, 4, 5, 1, false, false}},
        {"f64, b 2, two rows an item", 2, RITZ_F64, RITZ_VALUES_F64, 32, false, {1, 2, 2, 2, false, false}},
        {"f32 in f64, b 3, two rows an item", 3, RITZ_F64, RITZ_VALUES_F32, 64, true, {4, 1, 1, 2, true, true}},
        {"f16 in f64, b 3", 3, RITZ_F64, RITZ_VALUES_F16, 64, false, {2, 3, 1, 2, false, false}},
        {"f16 in f32, b 2, one row", 2, RITZ_F32, RITZ_VALUES_F16, 32, false, {8, 1, 1, 1, false, true}},
        {"bf16 in f32, b 3", 3, RITZ_F32, RITZ_VALUES_BF16, 64, false, {2, 2, 3, 2, true, false}},
        {"bf16 in f32, b 5, one row", 5, RITZ_F32, RITZ_VALUES_BF16, 96, false, {1, 1, 1, 1, false, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!can(cases[i].precision))
            continue;
        const int block = cases[i].block;
        rows all[] = {
            random_rows(block, 131, 0.05, 0.5, 60, 120), /* a long row, empty ones */
            random_rows(block, 33, 0.6, 0.9, -1, 1000),
            random_rows(block, 1, 1, 1, -1, 10),
        };
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            ritz_matrix *m = NULL;
            const ritz_matrix_options o = {.slice_height = cases[i].height,
                                           .precision = cases[i].precision,
                                           .values = cases[i].values,
                                           .row_lengths = cases[i].lengths,
                                           .n_columns = all[k].n_columns};
            round_values(&all[k]);
            OK(ritz_matrix_create(device, &o, block, all[k].n, all[k].start, all[k].columns, all[k].values, &m));
            m->team = cases[i].team;
            check(&all[k], m, cases[i].what);
            ritz_matrix_destroy(&m);
            free_rows(&all[k]);
        }
    }
}

/* Blocks that reach past the matrix's end. */
static void ragged(void **state)
{
    (void)state;
    rows a = random_rows(2, 80, 0.1, 0.9, -1, 1000);
    ritz_matrix *scalars = NULL, *m = NULL;
    const ritz_matrix_options plain = {.slice_height = 1, .sort_window = 1, .precision = RITZ_F32},
                              sliced = {.slice_height = 32, .precision = RITZ_F32};
    round_values(&a);
    OK(ritz_matrix_create(device, &plain, 2, a.n, a.start, a.columns, a.values, &scalars));
    OK(ritz_matrix_convert(scalars, &sliced, 3, &m)); /* 160 = 53 x 3 + 1 */
    m->team = (ritz_matrix_team){4, 2, 2, 1, false, false};
    check(&a, m, "ragged");
    ritz_matrix_destroy(&m);
    OK(ritz_matrix_convert(scalars, &sliced, 3, &m));
    m->team = (ritz_matrix_team){2, 2, 2, 1, false, true};
    check(&a, m, "ragged, early");
    ritz_matrix_destroy(&m);
    ritz_matrix_destroy(&scalars);
    free_rows(&a);
}

/* What a matrix of a GPU gets; of CPUs, none. */
static void choice(void **state)
{
    (void)state;
    rows a = random_rows(3, 200, 0.2, 1, -1, 1000), thin = random_rows(2, 200, 0.02, 1, -1, 1000);
    const bool gpu = ritz_device_get_info(device)->kind == RITZ_DEVICE_GPU;
    ritz_matrix *m = NULL;
    ritz_matrix_options o = {.slice_height = 32, .precision = RITZ_F32};
    OK(ritz_matrix_create(device, &o, 3, a.n, a.start, a.columns, a.values, &m));
    assert_int_equal(m->team.items, gpu ? 4 : 0);
    assert_int_equal(m->team.blocks, gpu ? 2 : 0);
    assert_int_equal(m->team.last, gpu ? 3 : 0);
    ritz_matrix_destroy(&m);
    OK(ritz_matrix_create(device, &o, 2, thin.n, thin.start, thin.columns, thin.values, &m));
    assert_int_equal(m->team.items, gpu ? 1 : 0);
    ritz_matrix_destroy(&m);
    o.slice_height = 1;
    OK(ritz_matrix_create(device, &o, 3, a.n, a.start, a.columns, a.values, &m));
    assert_int_equal(m->team.items, 0);
    ritz_matrix_destroy(&m);
    o.slice_height = 0;
    o.values = RITZ_VALUES_F16;
    OK(ritz_matrix_create(device, &o, 3, a.n, a.start, a.columns, a.values, &m));
    assert_int_equal(m->team.rows, gpu ? 1 : 0);
    assert_int_equal(m->slice_height, ritz_matrix_plan_of(device)->slice_height);
    ritz_matrix_destroy(&m);
    free_rows(&a);
    free_rows(&thin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(teams),
        cmocka_unit_test(ragged),
        cmocka_unit_test(choice),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
