/* Products whose rows are shared by work-items, as on GPUs, against plain rows on the host. */
#include "rows.h"

#include "matrix/storage.h"

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
    OK(ritz_buffer_write_reals(buffer, precision, 0, v, n));
    return buffer;
}

static void compare_vectors(int64_t n, const double *y, const double *truth, const double *scale, const ritz_matrix *m,
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
    OK(ritz_matrix_count_partials(m, &(ritz_product){.alpha = -1, .beta = 2}, &parts));
    double *sums = calloc((size_t)(RITZ_PRODUCT_SUMS * parts), 8),
           *back_sums = calloc((size_t)(RITZ_PRODUCT_SUMS * parts), 8);
    more(m, false, dx, dz, y, parts, forth, sums);
    more(m, true, dx, dz, y, parts, back, back_sums);
    for (int64_t i = 0; i < n; i++) {
        truth[i] = 2 * y[i] + z[i] / 2 + 3 * x[i] - ax[i];
        scale[i] = ax_scale[i] + 4 * (fabs(y[i]) + fabs(z[i]) + fabs(x[i]));
        yy += forth[i] * forth[i];
    }
    compare_vectors(n, forth, truth, scale, m, what, " with more");
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

static void check_rows(const rows *a, const ritz_matrix *m, const char *what)
{
    const int64_t n = a->n * a->block;
    double *x = random_vector(a->n_columns * a->block), *y = malloc((size_t)n * 8), *truth = malloc((size_t)n * 8),
           *scale = malloc((size_t)n * 8);
    reference(a, m->precision, x, truth, scale);
    for (int64_t i = 0; i < n; i++)
        y[i] = NAN;
    OK(ritz_matrix_multiply(m, x, y));
    compare_vectors(n, y, truth, scale, m, what, "");
    check_more(m, what, x, y, truth, scale);
    double *vectors[] = {x, y, truth, scale};
    for (int i = 0; i < 4; i++)
        free(vectors[i]);
}

static void shared_rows(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int block;
        ritz_precision precision;
        ritz_value_type values;
        int32_t height;
        bool lengths;
        ritz_row_sharing sharing;
    } cases[] = {
        {"f64, b 3", 3, RITZ_F64, RITZ_VALUES_F64, 32, false, {4, 2, 3, 1, false, true, false}},
        {"f64, b 2, alone", 2, RITZ_F64, RITZ_VALUES_F64, 32, false, {1, 9, 6, 1, false, true, false}},
        {"f32, b 3, each row's own length", 3, RITZ_F32, RITZ_VALUES_F32, 64, true, {2, 3, 2, 1, true, true, false}},
        {"f32, b 1, one slice", 1, RITZ_F32, RITZ_VALUES_F32, RITZ_ALL_ROWS, false, {4, 4, 5, 1, false, false, false}},
        {"f64, b 2, two rows an item", 2, RITZ_F64, RITZ_VALUES_F64, 32, false, {1, 2, 2, 2, false, false, false}},
        {"f32 in f64, b 3, two rows an item", 3, RITZ_F64, RITZ_VALUES_F32, 64, true, {4, 1, 1, 2, true, true, false}},
        {"f16 in f64, b 3", 3, RITZ_F64, RITZ_VALUES_F16, 64, false, {2, 3, 1, 2, false, false, false}},
        {"f16 in f32, b 2, one row", 2, RITZ_F32, RITZ_VALUES_F16, 32, false, {8, 1, 1, 1, false, true, false}},
        {"bf16 in f32, b 3", 3, RITZ_F32, RITZ_VALUES_BF16, 64, false, {2, 2, 3, 2, true, false, false}},
        {"bf16 in f32, b 5, one row", 5, RITZ_F32, RITZ_VALUES_BF16, 96, false, {1, 1, 1, 1, false, false, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!can(cases[i].precision))
            continue;
        const int block = cases[i].block;
        rows all[] = {
            random_rows(block, 131, 0.05, 0.5, 60, 120), /* a long row, empty ones */
            random_rows(block, 33, 0.6, 0.9, -1, 1000), random_rows(block, 1, 1, 1, -1, 10),
            random_rows(block, 1300, 0.004, 0.9, 60, 1000), /* a hub, which the whole group sums */
        };
        for (size_t k = 0; k < sizeof all / sizeof *all && (k < 3 || i == 4 || !wants_small()); k++) {
            ritz_matrix *m = NULL;
            const ritz_matrix_options o = {.slice_height = cases[i].height,
                                           .precision = cases[i].precision,
                                           .values = cases[i].values,
                                           .row_lengths = cases[i].lengths,
                                           .n_columns = all[k].n_columns};
            round_values(&all[k]);
            OK(ritz_matrix_create(device, &o, block, all[k].n, all[k].start, all[k].columns, all[k].values, &m));
            m->sharing = cases[i].sharing;
            assert_int_equal(m->hub_length > 0, k == 3);
            check_rows(&all[k], m, cases[i].what);
            ritz_matrix_destroy(&m);
        }
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            free_rows(&all[k]);
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
    m->sharing = (ritz_row_sharing){4, 2, 2, 1, false, false, false};
    check_rows(&a, m, "ragged");
    ritz_matrix_destroy(&m);
    OK(ritz_matrix_convert(scalars, &sliced, 3, &m));
    m->sharing = (ritz_row_sharing){2, 2, 2, 1, false, true, false};
    check_rows(&a, m, "ragged, early");
    ritz_matrix_destroy(&m);
    ritz_matrix_destroy(&scalars);
    free_rows(&a);
}

/* Three blocks a row, far apart, for the first 5000 rows of many, and one for the last 10; and in one more row of the third
   strip for each of the first n_pages pages of 2048 columns one block there. */
static rows banded(int block, int n_pages)
{
    enum { N = 70000, FULL = 5000, FAR = 30000, FIRST = 2100, PAGE = 2048 };
    rows a = {.block = block, .n = N, .n_columns = N, .start = calloc(N + 1, 8), .columns = calloc(4 * FULL + 10, 4)};
    for (int32_t i = 0; i < N; i++) {
        const int page = i - FIRST;
        const int32_t columns[4] = {i, i + FAR, i + 2 * FAR, page * PAGE + PAGE / 2 + page};
        const int n = i >= FULL ? i >= N - 10 : page >= 0 && page < n_pages ? 4 : 3;
        int32_t *row = a.columns + a.start[i];
        for (int k = 0, at; k < n; k++) {
            for (at = k; at > 0 && row[at - 1] > columns[k]; at--)
                row[at] = row[at - 1];
            row[at] = columns[k];
        }
        a.start[i + 1] = a.start[i] + n;
    }
    a.values = random_vector(a.start[N] * block * block);
    round_values(&a);
    return a;
}

/* Every slot tells its column, and pages stand in order. */
static void check_compressed(const ritz_matrix *m)
{
    const int64_t n_pages = ritz_buffer_bytes(m->pages) / 4;
    uint16_t *compressed = malloc((size_t)m->n_slots * 2);
    int32_t *columns = malloc((size_t)m->n_slots * 4), *pages = malloc((size_t)n_pages * 4);
    OK(ritz_buffer_read(m->compressed, 0, compressed, m->n_slots * 2));
    OK(ritz_buffer_read(m->columns, 0, columns, m->n_slots * 4));
    OK(ritz_buffer_read(m->pages, 0, pages, n_pages * 4));
    for (int64_t k = 0; k < n_pages; k++) /* in order, and so the same ones in every run */
        assert_true(k % RITZ_COLUMN_PAGES == 0 || pages[k] > pages[k - 1] || pages[k] == 0);
    for (int32_t s = 0; s < m->n_slices; s++) {
        const int32_t *page = pages + s / ritz_matrix_strip_slices(m) * (int64_t)RITZ_COLUMN_PAGES;
        for (int64_t slot = m->host_slice_start[s]; slot < m->host_slice_start[s + 1]; slot++)
            if (page[compressed[slot] >> RITZ_COLUMN_PLACE_BITS] + compressed[slot] % (1 << RITZ_COLUMN_PLACE_BITS) !=
                columns[slot])
                fail_msg("slot %d has %d for column %d", (int)slot, compressed[slot], columns[slot]);
    }
    free(compressed);
    free(columns);
    free(pages);
}

/* Columns in 16 bits: with as many pages as a strip can have, and with one more, which leaves them in 32. */
static void compressed_columns(void **state)
{
    (void)state;
    static const struct {
        int block, n_pages;
        int32_t height;
        ritz_precision precision;
        ritz_value_type values;
        ritz_row_sharing sharing;
        bool compressed;
    } cases[] = {
        {2, RITZ_COLUMN_PAGES + 1, 32, RITZ_F32, RITZ_VALUES_F32, {1, 9, 6, 1, false, true, true}, false},
        {3, RITZ_COLUMN_PAGES, 96, RITZ_F32, RITZ_VALUES_F32, {4, 2, 3, 1, true, false, true}, true},
        {1, RITZ_COLUMN_PAGES, 64, RITZ_F32, RITZ_VALUES_F16, {1, 2, 2, 2, false, true, true}, true},
        {2, RITZ_COLUMN_PAGES, 1024, RITZ_F64, RITZ_VALUES_F64, {2, 3, 2, 1, false, false, true}, true},
        {2, 0, 32, RITZ_F32, RITZ_VALUES_F32, {1, 9, 6, 1, false, true, true}, true},
        {2, 0, 32, RITZ_F32, RITZ_VALUES_F32, {1, 9, 6, 1, false, true, false}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!can(cases[i].precision) || (wants_small() && cases[i].block > 1))
            continue;
        rows a = banded(cases[i].block, cases[i].n_pages);
        ritz_matrix *m = NULL;
        const ritz_matrix_options o = {
            .slice_height = cases[i].height, .precision = cases[i].precision, .values = cases[i].values};
        OK(ritz_matrix_create(device, &o, a.block, a.n, a.start, a.columns, a.values, &m));
        const int64_t bytes = m->bytes;
        const bool at_first = m->compressed != NULL;
        m->sharing = cases[i].sharing;
        if (!at_first)
            OK(ritz_matrix_compress_columns(m));
        m->sharing = cases[i].sharing; /* which were chosen anew */
        assert_int_equal(m->compressed != NULL, at_first || cases[i].compressed);
        assert_int_equal(m->bytes > bytes, !at_first && cases[i].compressed);
        if (m->compressed)
            check_compressed(m);
        check_rows(&a, m, "columns in 16 bits");
        ritz_matrix_destroy(&m);
        free_rows(&a);
    }
}

/* Pages of all numbers, which meet in the device's table of them: as many as a strip can have, and so many more that the
   table is full. */
static void pages_that_meet(void **state)
{
    (void)state;
    enum { N = 30 * 96, PAGE = 1 << RITZ_COLUMN_PLACE_BITS }; /* whole slices: padding has column 0 */
    for (int n_pages = RITZ_COLUMN_PAGES; n_pages <= 8 * RITZ_COLUMN_PAGES; n_pages *= 8) {
        rows a = {.block = 1, .n = N, .n_columns = INT32_MAX - 2 * RITZ_SLICE_MAX, .start = calloc(N + 1, 8)};
        a.columns = calloc(N, 4);
        a.values = calloc(N, 8);
        for (int32_t i = 0; i < N; i++) { /* from the last page on, in steps of 128 and of 1 */
            const int32_t page = i % n_pages, from_last = page < 20 ? 128 * page : page;
            a.columns[i] = (int32_t)(a.n_columns / PAGE - 1 - from_last) * PAGE + 7 * i % PAGE;
            a.start[i + 1] = i + 1;
        }
        ritz_matrix *m = NULL;
        const ritz_matrix_options o = {.slice_height = 96, .precision = RITZ_F32, .n_columns = a.n_columns};
        OK(ritz_matrix_create(device, &o, 1, N, a.start, a.columns, a.values, &m));
        if (!m->compressed) {
            m->sharing = (ritz_row_sharing){1, 2, 2, 1, false, false, true};
            OK(ritz_matrix_compress_columns(m));
        }
        assert_int_equal(m->compressed != NULL, n_pages == RITZ_COLUMN_PAGES);
        if (m->compressed)
            check_compressed(m);
        ritz_matrix_destroy(&m);
        free_rows(&a);
    }
}

/* A matrix in the order of its own rows has compressed columns of its own. */
static void sorted_order(void **state)
{
    (void)state;
    const int32_t n = 12000;
    rows a = {
        .block = 2, .n = n, .n_columns = n, .start = calloc((size_t)n + 1, 8), .columns = calloc(4 * (size_t)n, 4)};
    for (int32_t i = 0; i < n; i++) { /* of 1 to 4 blocks, so that sorting tears all neighbours apart */
        a.start[i + 1] = a.start[i];
        for (int32_t k = 0; k < 1 + i * 7 % 4; k++)
            if (i + 5 * k < n)
                a.columns[a.start[i + 1]++] = i + 5 * k;
    }
    a.values = random_vector(a.start[n] * 4);
    ritz_matrix *m = NULL, *ordered = NULL, *other = NULL;
    const ritz_matrix_options o = {.slice_height = 32, .sort_window = 1024, .precision = RITZ_F32};
    OK(ritz_matrix_create(device, &o, 2, n, a.start, a.columns, a.values, &m));
    const ritz_row_sharing sharing = {1, 2, 2, 1, false, false, true};
    m->sharing = sharing;
    if (!m->compressed)
        OK(ritz_matrix_compress_columns(m));
    m->sharing = sharing;
    OK(ritz_matrix_sort_rows(m, &ordered));
    assert_non_null(ordered);
    assert_true(ordered->compressed && ordered->compressed != m->compressed && ordered->pages != m->pages);
    assert_int_equal(ordered->bytes, m->bytes);
    check_compressed(ordered);
    OK(ritz_matrix_share(ordered, RITZ_F32, &other));
    assert_ptr_equal(other->compressed, ordered->compressed);
    const int64_t live = ritz_device_live_bytes(device);
    ritz_matrix_destroy(&other);
    assert_int_equal(ritz_device_live_bytes(device), live);
    ritz_matrix_destroy(&ordered);
    check_compressed(m);
    ritz_matrix_destroy(&m);
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
    assert_int_equal(m->sharing.threads, gpu ? 4 : 0);
    assert_int_equal(m->sharing.round, gpu ? 2 : 0);
    assert_int_equal(m->sharing.last_round, gpu ? 3 : 0);
    assert_int_equal(m->sharing.compressed, gpu && ritz_device_get_info(device)->has_ptx);
    assert_int_equal(m->compressed != NULL, m->sharing.compressed);
    ritz_matrix_destroy(&m);
    OK(ritz_matrix_create(device, &o, 2, thin.n, thin.start, thin.columns, thin.values, &m));
    assert_int_equal(m->sharing.threads, gpu ? 1 : 0);
    ritz_matrix_destroy(&m);
    o.slice_height = 48; /* of which a warp's rows would be of two */
    OK(ritz_matrix_create(device, &o, 3, a.n, a.start, a.columns, a.values, &m));
    assert_false(m->sharing.compressed);
    ritz_matrix_destroy(&m);
    o.slice_height = 1;
    OK(ritz_matrix_create(device, &o, 3, a.n, a.start, a.columns, a.values, &m));
    assert_int_equal(m->sharing.threads, 0);
    ritz_matrix_destroy(&m);
    o.slice_height = 0;
    o.values = RITZ_VALUES_F16;
    OK(ritz_matrix_create(device, &o, 3, a.n, a.start, a.columns, a.values, &m));
    assert_int_equal(m->sharing.rows, gpu ? 1 : 0);
    assert_false(m->sharing.compressed); /* of 16 bits, and in the cache */
    assert_int_equal(m->slice_height, gpu ? 32 : 8);
    ritz_matrix_destroy(&m);
    free_rows(&a);
    free_rows(&thin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_rows),     cmocka_unit_test(ragged),       cmocka_unit_test(compressed_columns),
        cmocka_unit_test(pages_that_meet), cmocka_unit_test(sorted_order), cmocka_unit_test(choice),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
