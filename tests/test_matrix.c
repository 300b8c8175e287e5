/* Sparse matrices on the device against a plain block CSR product in long double on the host. */
#include "rows.h"

#include <string.h>

/* Product twice (same bits), diagonal and values read back, for one matrix and one set of options. */
static void check_rows(const rows *a, ritz_matrix_options o)
{
    if (!can(o.precision))
        return;
    int b = a->block;
    int64_t n = a->n * b, entries = a->start[a->n] * b * b;
    ritz_matrix *m = NULL;
    OK(ritz_matrix_create(device, &o, b, a->n, a->start, a->columns, a->values, &m));
    assert_int_equal(ritz_matrix_n_rows(m), n);
    assert_int_equal(ritz_matrix_nonzeros(m), entries);
    double *x = random_vector(n), *y = malloc((size_t)n * 8), *again = malloc((size_t)n * 8),
           *truth = malloc((size_t)n * 8), *scale = malloc((size_t)n * 8);
    reference(a, o.precision, x, truth, scale);
    for (int64_t i = 0; i < n; i++)
        y[i] = again[i] = NAN; /* empty rows must be written too */
    OK(ritz_matrix_multiply(m, x, y));
    OK(ritz_matrix_multiply(m, x, again));
    assert_memory_equal(y, again, (size_t)n * 8);
    double tolerance = o.precision == RITZ_F64 ? 1e-14 : 1e-6;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(y[i] - truth[i]) <= tolerance * scale[i]))
            fail_msg("b %d, n %d, S %d, window %d: row %d is %.17g, not %.17g", b, (int)a->n, o.slice_height,
                     (int)o.sort_window, (int)i, y[i], truth[i]);

    double *values = malloc((size_t)entries * 8 + 8);
    OK(ritz_matrix_read(m, a->start, values));
    for (int64_t i = 0; i < entries; i++)
        assert_true(values[i] == (o.precision == RITZ_F64 ? a->values[i] : (double)(float)a->values[i]));

    ritz_buffer *diagonal = NULL;
    OK(ritz_buffer_create(device, n * ritz_real_bytes(o.precision), "the diagonal", &diagonal));
    OK(ritz_matrix_diagonal(m, diagonal));
    OK(ritz_matrix_read_vector(m, diagonal, y));
    for (int64_t i = 0; i < a->n; i++)
        for (int r = 0; r < b; r++) {
            double expected = 0;
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
                if (a->columns[k] == i)
                    expected = values[(k * b + r) * b + r];
            assert_true(y[i * b + r] == expected);
        }
    ritz_buffer_destroy(&diagonal);
    free(values);
    free(x);
    free(y);
    free(again);
    free(truth);
    free(scale);
    ritz_matrix_destroy(&m);
    assert_null(m);
}

static void every_block_size(void **state)
{
    (void)state;
    for (int b = 1; b <= 8; b++)
        for (int p = RITZ_F64; p <= RITZ_F32; p++) {
            rows a = random_rows(b, 67, 0.15, 0.8, -1, 1000);
            check_rows(&a, (ritz_matrix_options){.precision = (ritz_precision)p});
            free_rows(&a);
        }
}

static void shapes(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 7, 8, 9, 31, 33, 129};
    for (int p = RITZ_F64; p <= RITZ_F32; p++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int b = 1; b <= 3; b += 2) {
                rows plain = random_rows(b, sizes[s], 0.2, 1, -1, 1000);
                rows odd = random_rows(b, sizes[s], 0.05, 0.5, sizes[s] / 2,
                                       sizes[s] - 1); /* one long row, the last one empty */
                check_rows(&plain, (ritz_matrix_options){.precision = (ritz_precision)p});
                check_rows(&odd, (ritz_matrix_options){.precision = (ritz_precision)p});
                free_rows(&plain);
                free_rows(&odd);
            }
    rows none = random_rows(2, 20, 0, 0, -1, 0);
    check_rows(&none, (ritz_matrix_options){0});
    free_rows(&none);
}

/* Slices of one row, of a part of the rows and of more than all; windows of none, by default (0), smaller than a slice, no
   multiple of it, and of all rows. */
static void slices_and_windows(void **state)
{
    (void)state;
    static const ritz_matrix_options some[] = {
        {.slice_height = 1, .sort_window = 0},     {.slice_height = 1, .sort_window = 64},
        {.slice_height = 3, .sort_window = 1},     {.slice_height = 3, .sort_window = 10},
        {.slice_height = 3, .sort_window = 1000},  {.slice_height = 16, .sort_window = 0},
        {.slice_height = 16, .sort_window = 10},   {.slice_height = 16, .sort_window = 64},
        {.slice_height = 200, .sort_window = 1},   {.slice_height = 200, .sort_window = 64},
        {.slice_height = 200, .sort_window = 1000}};
    rows a = random_rows(3, 150, 0.05, 0.9, 70, 140);
    for (size_t i = 0; i < sizeof some / sizeof *some; i += wants_small() ? 4 : 1)
        check_rows(&a, some[i]);
    free_rows(&a);
}

/* Rows of 0 to n blocks, all lengths mixed. */
static rows uneven_rows(int64_t n)
{
    rows a = {.block = 1, .n = n, .n_columns = n, .start = calloc((size_t)n + 1, 8)};
    for (int64_t i = 0; i < n; i++)
        a.start[i + 1] = a.start[i] + (i * 7919) % (n + 1);
    a.columns = malloc((size_t)a.start[n] * 4);
    a.values = malloc((size_t)a.start[n] * 8);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = a.start[i]; k < a.start[i + 1]; k++) {
            a.columns[k] = (int32_t)(k - a.start[i]);
            a.values[k] = 2 * uniform() - 1;
        }
    return a;
}

/* Lengths that need more than one digit of the sort. */
static void uneven(void **state)
{
    (void)state;
    int64_t n = 300;
    rows a = uneven_rows(n);
    check_rows(&a, (ritz_matrix_options){.sort_window = n});
    ritz_matrix *m = NULL;
    OK(ritz_matrix_create_structure(device, &(ritz_matrix_options){.sort_window = n, .precision = RITZ_F32}, 1, n,
                                    a.start, a.columns, &m));
    for (int64_t i = 0; i < (int64_t)m->n_slices * m->slice_height - 1; i++) {
        int32_t here = m->host_permutation[i], next = m->host_permutation[i + 1];
        if (next >= 0)
            assert_true(a.start[here + 1] - a.start[here] >= a.start[next + 1] - a.start[next]);
    }
    /* zeros until someone fills them */
    double *x = random_vector(n), *y = random_vector(n);
    OK(ritz_matrix_multiply(m, x, y));
    for (int64_t i = 0; i < n; i++)
        assert_true(y[i] == 0);
    assert_true(ritz_matrix_product_bytes(m) == a.start[n] * 8 + 2 * n * 4);
    assert_true(ritz_matrix_bytes(m) >= a.start[n] * 8);
    free(x);
    free(y);
    ritz_matrix_destroy(&m);
    free_rows(&a);
}

/* Columns and values that travel in several pieces, whose ends lie inside slices. */
static void transfer_in_pieces(void **state)
{
    (void)state;
    rows a = uneven_rows(3000);
    for (int p = RITZ_F64; p <= (wants_small() ? RITZ_F64 : RITZ_F32); p++) {
        if (!can((ritz_precision)p))
            continue;
        ritz_matrix *m = NULL;
        OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = (ritz_precision)p}, 1, a.n, a.start,
                              a.columns, a.values, &m));
        int32_t *columns = malloc((size_t)m->n_slots * 4);
        double *values = malloc((size_t)a.start[a.n] * 8);
        OK(ritz_buffer_read(m->columns, 0, columns, m->n_slots * 4));
        OK(ritz_matrix_read(m, a.start, values));
        for (int64_t i = 0; i < a.n; i++)
            for (int64_t k = a.start[i]; k < a.start[i + 1]; k++) {
                assert_int_equal(columns[m->host_row_slot[i] + (k - a.start[i]) * m->slice_height], a.columns[k]);
                assert_true(values[k] == (p == RITZ_F64 ? a.values[k] : (double)(float)a.values[k]));
            }
        free(columns);
        free(values);
        ritz_matrix_destroy(&m);
    }
    free_rows(&a);
}

static void layout(void **state)
{
    (void)state;
    /* Two block rows a slice, as in the paper's Fig. 5: lengths 1, 2, 2 give the order 1, 2 | 0. */
    const int64_t start[] = {0, 1, 3, 5};
    const int32_t columns[] = {0, 0, 1, 1, 2};
    double values[20];
    for (int i = 0; i < 20; i++)
        values[i] = i;
    ritz_matrix *m = NULL;
    ritz_precision p = ritz_device_get_info(device)->has_f64 ? RITZ_F64 : RITZ_F32;
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.slice_height = 2, .precision = p}, 2, 3, start, columns,
                          values, &m));
    assert_int_equal(m->n_slots, 6);
    int32_t slots[6];
    OK(ritz_buffer_read(m->columns, 0, slots, sizeof slots));
    assert_memory_equal(slots, ((int32_t[]){0, 1, 1, 2, 0, 0}), sizeof slots);
    assert_memory_equal(m->host_permutation, ((int32_t[]){1, 2, 0, -1}), 16);
    assert_memory_equal(m->host_row_slot, ((int64_t[]){4, 0, 1}), 24);
    if (p == RITZ_F64) {
        double found[24];
        const double expected[24] = {4, 12, 5, 13, 6, 14, 7, 15, 8, 16, 9, 17, 10, 18, 11, 19, 0, 0, 1, 0, 2, 0, 3, 0};
        OK(ritz_buffer_read(m->values, 0, found, sizeof found));
        assert_memory_equal(found, expected, sizeof found);
    }
    ritz_matrix_destroy(&m);
}

static void refuse_rows(ritz_matrix_options o, int block, int64_t n, const int64_t *start, const int32_t *columns,
                        const char *part)
{
    ritz_matrix *m = NULL;
    assert_int_equal(ritz_matrix_create(device, &o, block, n, start, columns, NULL, &m), RITZ_ERROR_INPUT);
    assert_null(m);
    if (!strstr(ritz_message(), part))
        fail_msg("\"%s\" does not say \"%s\"", ritz_message(), part);
}

static void bad_input(void **state)
{
    (void)state;
    const int64_t start[] = {0, 2, 4}, falling[] = {0, 2, 1}, late[] = {1, 2, 3}, much[] = {0, 3, 4};
    const int32_t good[] = {0, 1, 0, 1}, outside[] = {0, 1, 0, 2}, twice[] = {0, 1, 1, 1}, negative[] = {-1, 1, 0, 1};
    const ritz_matrix_options o = {.precision = RITZ_F32};
    refuse_rows(o, 0, 2, start, good, "1 to 8");
    refuse_rows(o, 9, 2, start, good, "1 to 8");
    refuse_rows(o, 1, 0, start, good, "0 block rows");
    refuse_rows(o, 1, 2, falling, good, "block row 1");
    refuse_rows(o, 1, 2, late, good, "block row 0");
    refuse_rows(o, 1, 2, much, good, "block row 0");
    refuse_rows(o, 1, 2, start, outside, "block row 1");
    refuse_rows(o, 1, 2, start, twice, "block row 1");
    refuse_rows(o, 1, 2, start, negative, "block row 0");
    refuse_rows((ritz_matrix_options){.slice_height = -1, .precision = RITZ_F32}, 1, 2, start, good, "slice height");
    refuse_rows((ritz_matrix_options){.sort_window = -1, .precision = RITZ_F32}, 1, 2, start, good, "window");
    ritz_matrix *m = NULL;
    OK(ritz_matrix_create(device, &o, 1, 2, start, good, NULL, &m));
    const int64_t other[] = {0, 1, 2};
    double values[4];
    assert_int_equal(ritz_matrix_read(m, other, values), RITZ_ERROR_INPUT);
    ritz_buffer *small = NULL;
    OK(ritz_buffer_create(device, 4, "a vector", &small));
    assert_int_equal(ritz_matrix_apply(m, small, small, NULL), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_matrix_diagonal(m, small), RITZ_ERROR_INPUT);
    ritz_buffer_destroy(&small);
    ritz_matrix_destroy(&m);
}

/* Every host allocation fails once: an error, no crash, nothing made. */
static void failing_allocations(void **state)
{
    (void)state;
    rows a = random_rows(2, 40, 0.1, 1, -1, 1000);
    const ritz_matrix_options o = {.precision = RITZ_F32};
    for (int64_t n = 1;; n++) {
        ritz_matrix *m = NULL;
        ritz_fail_allocation(n);
        ritz_status status = ritz_matrix_create(device, &o, 2, a.n, a.start, a.columns, a.values, &m);
        int64_t seen = ritz_fail_allocation(0);
        if (seen < n) {
            assert_int_equal(status, RITZ_OK);
            assert_true(n > 5);
            ritz_matrix_destroy(&m);
            break;
        }
        assert_true(status == RITZ_ERROR_MEMORY ||
                    status == RITZ_OK); /* what the device can do without may fail unseen */
        ritz_matrix_destroy(&m);
    }
    free_rows(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_size),   cmocka_unit_test(shapes),
        cmocka_unit_test(slices_and_windows), cmocka_unit_test(uneven),
        cmocka_unit_test(transfer_in_pieces), cmocka_unit_test(layout),
        cmocka_unit_test(bad_input),          cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
