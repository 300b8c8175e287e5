/* Half storage of symmetric matrices against plain rows on the host: products with factors and sums, conversions both
   ways, what is refused. */
#include "matrix/symmetric.h"
#include "rows.h"

#include <string.h>

static const ritz_matrix_options half = {.storage = RITZ_STORAGE_SYMMETRIC};

/* A + A^T of random rows: exactly symmetric, with the diagonal of some rows missing. */
static rows symmetric_rows(int block, int64_t n, double density, int64_t long_row, int64_t empty)
{
    rows a = random_rows(block, n, density, 0.8, long_row, empty), s = {.block = block, .n = n, .n_columns = n};
    const size_t bb = (size_t)(block * block);
    double **at = calloc((size_t)(n * n), sizeof *at);
    double *sums = calloc((size_t)a.start[n] * 2 * bb + 1, 8), *next = sums;
    s.start = calloc((size_t)n + 1, 8);
    s.columns = malloc((size_t)a.start[n] * 8 + 4);
    s.values = malloc((size_t)a.start[n] * 16 * bb + 8);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = a.start[i]; k < a.start[i + 1]; k++)
            for (int mirror = 0; mirror < 2; mirror++) {
                const int64_t j = a.columns[k], place = mirror ? j * n + i : i * n + j;
                if (!at[place]) {
                    at[place] = next;
                    next += bb;
                }
                for (int r = 0; r < block; r++)
                    for (int c = 0; c < block; c++)
                        at[place][mirror ? c * block + r : r * block + c] += a.values[(k * block + r) * block + c];
            }
    for (int64_t i = 0; i < n; i++) {
        s.start[i + 1] = s.start[i];
        for (int64_t j = 0; j < n; j++)
            if (at[i * n + j]) {
                memcpy(s.values + (size_t)s.start[i + 1] * bb, at[i * n + j], bb * 8);
                s.columns[s.start[i + 1]++] = (int32_t)j;
            }
    }
    free(at);
    free(sums);
    free_rows(&a);
    return s;
}

static ritz_matrix *create_matrix(const rows *a, ritz_matrix_options o)
{
    ritz_matrix *m = NULL;
    o.storage = RITZ_STORAGE_SYMMETRIC;
    OK(ritz_matrix_create(device, &o, a->block, a->n, a->start, a->columns, a->values, &m));
    return m;
}

static void check_product(const ritz_matrix *m, const rows *a, double tolerance)
{
    const int64_t n = a->n * a->block;
    double *x = random_vector(n), *y = malloc((size_t)n * 8), *again = malloc((size_t)n * 8),
           *truth = malloc((size_t)n * 8), *scale = malloc((size_t)n * 8);
    reference(a, m->precision, x, truth, scale);
    for (int64_t i = 0; i < n; i++)
        y[i] = again[i] = NAN;
    OK(ritz_matrix_multiply(m, x, y));
    for (int repeat = 0; repeat < 3; repeat++) {
        OK(ritz_matrix_multiply(m, x, again));
        assert_memory_equal(y, again, (size_t)n * 8);
    }
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(y[i] - truth[i]) <= tolerance * scale[i]))
            fail_msg("b %d, n %d: row %d is %.17g, not %.17g", m->block, (int)n, (int)i, y[i], truth[i]);
    free(x);
    free(y);
    free(again);
    free(truth);
    free(scale);
}

/* The rows that come back are those that went in, entry by entry, empty rows and missing diagonals too. */
static void check_rows(const ritz_matrix *m, const rows *a)
{
    ritz_rows *r = NULL;
    OK(ritz_matrix_get_rows(m, a->block, &r));
    assert_memory_equal(a->start, r->row_start, (size_t)(a->n + 1) * 8);
    for (int64_t k = 0; k < a->start[a->n]; k++)
        assert_int_equal(a->columns[k], r->columns[k]);
    for (int64_t e = 0; e < a->start[a->n] * a->block * a->block; e++)
        assert_true(a->values[e] == r->values[e]);
    ritz_rows_destroy(&r);
}

/* Block sizes of every kind on one row, no entries, several strips with rows that they share, no multiple of a slice, a
   row longer than a strip may reach by itself, empty rows. */
static void products(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    static const int blocks[] = {1, 3, 2, 4, 7};
    for (size_t of = 0; of < (wants_small() ? 2 : sizeof blocks / sizeof *blocks); of++) {
        const int b = blocks[of];
        const bool thin = wants_small() && b > 1;
        rows all[] = {
            symmetric_rows(b, 1, 1, -1, 1),
            symmetric_rows(b, 3, 0, -1, 0),
            symmetric_rows(b, thin ? 270 : 603, wants_small() ? 0.004 : 0.01, 60, thin ? 265 : 590),
        };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            ritz_matrix *m = create_matrix(&all[i], half);
            check_product(m, &all[i], 1e-14);
            check_rows(m, &all[i]);
            assert_true(i < 2 || (ritz_symmetric_of(m)->n_strips > 1 && ritz_symmetric_of(m)->n_shared_rows > 0));
            ritz_matrix_statistics s = {.size = sizeof s};
            OK(ritz_matrix_get_statistics(m, &s));
            assert_int_equal(s.blocks, all[i].start[all[i].n]);
            assert_int_equal(s.nonzeros, all[i].start[all[i].n] * b * b);
            int64_t stored = 0; /* blocks on the diagonal, and half of the others */
            for (int64_t row = 0; row < all[i].n; row++)
                for (int64_t k = all[i].start[row]; k < all[i].start[row + 1]; k++)
                    stored += all[i].columns[k] >= row;
            assert_int_equal(s.product_bytes, stored * (2 + b * b * 8) + 2 * all[i].n * b * 8);
            ritz_matrix_destroy(&m);
            free_rows(&all[i]);
        }
    }
}

/* Blocks of 1 and 2 take turns: the folding is the same, the reading of values is that of every case. */
static void precisions_and_values(void **state)
{
    (void)state;
    static const struct {
        ritz_precision precision;
        ritz_value_type values;
        double tolerance;
    } some[] = {
        {RITZ_F32, RITZ_VALUES_F32, 1e-6}, {RITZ_F64, RITZ_VALUES_F32, 1e-7},  {RITZ_F64, RITZ_VALUES_F16, 1e-3},
        {RITZ_F32, RITZ_VALUES_F16, 1e-3}, {RITZ_F32, RITZ_VALUES_BF16, 1e-2},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (int b = 1; b <= 3 && can(some[i].precision); b++) {
            if (b < 3 && (wants_small() || (!wants_all() && b != 1 + (int)i % 2)))
                continue;
            rows a = wants_small() ? symmetric_rows(b, 61, 0.05, -1, 60) : symmetric_rows(b, 301, 0.03, -1, 300);
            ritz_matrix *m =
                create_matrix(&a, (ritz_matrix_options){.precision = some[i].precision, .values = some[i].values});
            check_product(m, &a, some[i].tolerance);
            ritz_matrix_destroy(&m);
            free_rows(&a);
        }
}

static ritz_buffer *to_device(const ritz_matrix *m, const double *v)
{
    ritz_buffer *buffer = NULL;
    OK(ritz_buffer_create(device, m->n_unknowns * 8, "a vector", &buffer));
    OK(ritz_matrix_write_vector(m, v, buffer));
    return buffer;
}

/* y = alpha A x + beta y + gamma z + delta x with the sums w.y, y.y, w.w, on a size that the blocks do not divide. */
static void one_pass(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    const int64_t n = wants_small() ? 100 : 1000;
    rows a = symmetric_rows(1, n, 0.01, 7, n - 10);
    ritz_matrix *scalar = create_matrix(&a, half), *m = NULL;
    OK(ritz_matrix_convert(scalar, &half, 3, &m)); /* 334 block rows, or 34 */
    double *x = random_vector(n), *y = random_vector(n), *z = random_vector(n), *w = random_vector(n);
    double *truth = malloc((size_t)n * 8), *scale = malloc((size_t)n * 8), *now = malloc((size_t)n * 8);
    ritz_buffer *dx = to_device(m, x), *dy = to_device(m, y), *dz = to_device(m, z), *dw = to_device(m, w);
    ritz_product p = {.alpha = -0.5, .beta = 2, .gamma = 3, .delta = 0.25, .z = dz, .w = dw};
    int64_t n_partials = 0;
    OK(ritz_matrix_count_partials(m, &p, &n_partials));
    OK(ritz_buffer_create(device, 3 * n_partials * 8, "sums", &p.partial));
    OK(ritz_matrix_product(m, &p, dx, dy, NULL));
    OK(ritz_matrix_read_vector(m, dy, now));
    reference(&a, RITZ_F64, x, truth, scale);
    double sums[3] = {0}, *partials = malloc((size_t)(3 * n_partials) * 8);
    for (int64_t i = 0; i < n; i++) {
        const double expected = -0.5 * truth[i] + 2 * y[i] + 3 * z[i] + 0.25 * x[i];
        assert_true(fabs(now[i] - expected) <= 1e-14 * (scale[i] + 6));
        sums[0] += w[i] * now[i];
        sums[1] += now[i] * now[i];
        sums[2] += w[i] * w[i];
    }
    OK(ritz_buffer_read(p.partial, 0, partials, 3 * n_partials * 8));
    for (int s = 0; s < 3; s++) {
        double sum = 0;
        for (int64_t k = 0; k < n_partials; k++)
            sum += partials[s * n_partials + k];
        assert_true(fabs(sum - sums[s]) <= 1e-12 * sums[1]);
    }
    OK(ritz_matrix_diagonal(m, dy));
    OK(ritz_matrix_read_vector(m, dy, now));
    for (int64_t i = 0; i < n; i++) {
        double expected = 0;
        for (int64_t k = a.start[i]; k < a.start[i + 1]; k++)
            expected = a.columns[k] == i ? a.values[k] : expected;
        assert_true(now[i] == expected);
    }
    ritz_buffer *buffers[] = {dx, dy, dz, dw, p.partial};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        ritz_buffer_destroy(&buffers[i]);
    double *host[] = {x, y, z, w, truth, scale, now, partials};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        free(host[i]);
    ritz_matrix_destroy(&scalar);
    ritz_matrix_destroy(&m);
    free_rows(&a);
}

/* Blocks of 3 beside the diagonal, and 1, 40 and 700 rows from it. */
static rows banded_rows(int64_t n)
{
    static const int away[] = {-700, -40, -1, 0, 1, 40, 700};
    rows a = {.block = 3, .n = n, .n_columns = n, .start = calloc((size_t)n + 1, 8)};
    a.columns = malloc((size_t)n * 7 * 4);
    a.values = malloc((size_t)n * 7 * 9 * 8);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = a.start[i];
        for (int k = 0; k < 7; k++) {
            const int64_t j = i + away[k], low = j < i ? j : i, high = j < i ? i : j;
            if (j < 0 || j >= n)
                continue;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    const int64_t row = j < i ? c : r, column = j < i ? r : c; /* in the block over the diagonal */
                    a.values[at * 9 + r * 3 + c] =
                        sin((double)(low * 3 + row) * 0.7 + (double)(high * 3 + column) * 1.3) * (i == j ? 0 : 1) +
                        (i == j ? cos((double)(3 * i + r + c)) : 0);
                }
            a.columns[at++] = (int32_t)j;
        }
        a.start[i + 1] = at;
    }
    return a;
}

/* Many strips that reach one another, finished by whichever work-item comes last: always the same bits, of the rows and
   of the sums, with another product of the same matrix between. */
static void turns(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    const int64_t n_blocks = 6000, n = 3 * n_blocks;
    rows a = banded_rows(n_blocks);
    ritz_matrix *m = create_matrix(&a, half);
    assert_true(ritz_symmetric_of(m)->n_strips >= 8 && ritz_symmetric_of(m)->n_shared_rows > n_blocks / 4);
    check_product(m, &a, 1e-14);
    double *x = random_vector(n), *zero = calloc((size_t)n, 8), *truth = malloc((size_t)n * 8);
    double *scale = malloc((size_t)n * 8), *first = malloc((size_t)n * 8), *now = malloc((size_t)n * 8);
    reference(&a, RITZ_F64, x, truth, scale);
    ritz_buffer *dx = to_device(m, x), *dy = to_device(m, zero), *dz = to_device(m, zero);
    ritz_product p = {.alpha = -2, .beta = 0.5};
    int64_t n_partials = 0;
    OK(ritz_matrix_count_partials(m, &p, &n_partials));
    OK(ritz_buffer_create(device, 3 * n_partials * 8, "sums", &p.partial));
    double *first_sums = malloc((size_t)n_partials * 24), *sums = malloc((size_t)n_partials * 24);
    for (int turn = 0; turn < (wants_small() ? 1 : 200); turn++) { /* simulated devices have one order */
        OK(ritz_matrix_write_vector(m, zero, dy));
        OK(ritz_matrix_product(m, &p, dx, dy, NULL));
        OK(ritz_matrix_apply(m, dy, dz, NULL));
        OK(ritz_matrix_read_vector(m, dy, turn == 0 ? first : now));
        OK(ritz_buffer_read(p.partial, 0, turn == 0 ? first_sums : sums, 3 * n_partials * 8));
        for (int64_t i = 0; i < n && turn == 0; i++)
            assert_true(fabs(first[i] + 2 * truth[i]) <= 1e-13 * (scale[i] + 1));
        if (turn > 0) {
            assert_memory_equal(first, now, (size_t)n * 8);
            assert_memory_equal(first_sums, sums, (size_t)n_partials * 24);
        }
    }
    ritz_buffer *buffers[] = {dx, dy, dz, p.partial};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        ritz_buffer_destroy(&buffers[i]);
    double *host[] = {x, zero, truth, scale, first, now, first_sums, sums};
    for (size_t i = 0; i < sizeof host / sizeof *host; i++)
        free(host[i]);
    ritz_matrix_destroy(&m);
    free_rows(&a);
}

static void refuse_status(ritz_status status, const char *words)
{
    assert_int_equal(status, RITZ_ERROR_INPUT);
    if (!strstr(ritz_message(), words))
        fail_msg("'%s' does not say '%s'", ritz_message(), words);
}

static void refusals(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    rows a = symmetric_rows(2, 40, 0.2, -1, 40), wide = random_rectangle(2, 10, 12, 0.5, 0, -1, 10);
    ritz_matrix *m = NULL, *whole = NULL;
    refuse_status(ritz_matrix_create(device, &half, 2, 40, a.start, a.columns, NULL, &m), "assemble the whole");
    refuse_status(ritz_matrix_create(device,
                                     &(ritz_matrix_options){.storage = RITZ_STORAGE_SYMMETRIC, .slice_height = 8}, 2,
                                     40, a.start, a.columns, a.values, &m),
                  "leave slice_height");
    int64_t k = a.start[7]; /* an entry beside the diagonal */
    while (a.columns[k] == 7)
        k++;
    const double kept = a.values[4 * k + 1];
    a.values[4 * k + 1] += 1e-15; /* rounding */
    OK(ritz_matrix_create(device, &half, 2, 40, a.start, a.columns, a.values, &m));
    ritz_matrix_destroy(&m);
    a.values[4 * k + 1] = kept + 0.125;
    refuse_status(ritz_matrix_create(device, &half, 2, 40, a.start, a.columns, a.values, &m), "|a_ij - a_ji| is 0.125");
    ritz_matrix_options o = {.n_columns = 12};
    OK(ritz_matrix_create(device, &o, 2, 10, wide.start, wide.columns, wide.values, &whole));
    refuse_status(ritz_matrix_convert(whole, &half, 2, &m), "20 rows and 24 columns");
    assert_null(m);
    ritz_matrix_destroy(&whole);
    free_rows(&a);
    free_rows(&wide);
}

/* Dense rows of blocks of 1, zeros left out; the transposed ones where asked for. */
static ritz_status store(ritz_precision precision, int n, const double *dense, bool transposed)
{
    int64_t start[65] = {0}, at = 0;
    int32_t columns[64 * 64];
    double *values = malloc((size_t)(n * n) * 8);
    ritz_matrix *m = NULL;
    assert_true(n <= 64);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double v = transposed ? dense[j * n + i] : dense[i * n + j];
            if (v == 0)
                continue;
            columns[at] = j;
            values[at++] = v;
        }
        start[i + 1] = at;
    }
    const ritz_status status =
        ritz_matrix_create(device, &(ritz_matrix_options){.precision = precision, .storage = RITZ_STORAGE_SYMMETRIC}, 1,
                           n, start, columns, values, &m);
    ritz_matrix_destroy(&m);
    free(values);
    return status;
}

/* A matrix and its transpose are tested alike, whatever the sizes of their rows. */
static void transposes(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    static const struct {
        double a[4];
        const char *words; /* NULL: symmetric */
    } some[] = {
        {{1e10, 1e-6, 0, 1e-6}, "|a_ij - a_ji| is 1e-06, in block row"},
        {{1e30, 50, 20, 1}, NULL}, /* rounding beside sqrt(1e30 * 1) = 1e15 */
        {{1e30, 1000, 20, 1}, "|a_ij - a_ji| is 980"},
        {{1e30, 50, 0, 1}, "|a_ij - a_ji| is 50"}, /* the first unknown is prescribed, and moves the second */
        {{1e30, 1e-14, 0, 1}, NULL},
        {{1e-300, 1e-300, 0, 1e-300}, "not symmetric"},
        {{1e300, 1e200, 1e200, 1e300}, NULL},
        {{0, 0, 0, 0}, NULL},
        {{1, 0, 0, 0}, NULL},
        {{0, 1, 0, 0}, "|a_ij - a_ji| is 1,"},
        {{0, 1, 1 + 1e-15, 0}, NULL},
        {{0, 1e20, 1, 1}, "not symmetric"},
        {{1, 0.1, 0.1, NAN}, "not finite"},
        {{1, NAN, NAN, 1}, "not finite"},
        {{1, NAN, 0, 1}, "not finite"},
        {{1, NAN, 0.5, 1}, "not finite"},
        {{1, INFINITY, INFINITY, 1}, "not finite"},
        {{INFINITY, 1, 0, 1}, "not finite"},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (int transposed = 0; transposed < 2; transposed++) {
            const ritz_status status = store(RITZ_F64, 2, some[i].a, transposed);
            if (some[i].words)
                refuse_status(status, some[i].words);
            else
                OK(status);
        }
}

/* Two nodes, the first unknowns of both prescribed by a large number on the diagonal: what stands in their columns alone is not lost beside
   it, as it would be with one size for a node. */
static void prescribed_unknowns(void **state)
{
    (void)state;
    static const double large[] = {1e9, 1e26};
    static const ritz_precision precisions[] = {RITZ_F32, RITZ_F64};
    for (int of = 0; of < 2 && can(precisions[of]); of++)
        for (int transposed = 0; transposed < 2; transposed++) {
            const double p = large[of], over = transposed ? 0.5 : 0, under = transposed ? 0 : 0.5;
            const double own[] = {p, over, under, 4}, other[] = {0, over, under, -1};
            double values[16];
            for (int k = 0; k < 4; k++)
                memcpy(values + 4 * k, k % 3 ? other : own, sizeof own);
            ritz_matrix *m = NULL;
            const ritz_matrix_options options = {.precision = precisions[of], .storage = RITZ_STORAGE_SYMMETRIC};
            refuse_status(
                ritz_matrix_create(device, &options, 2, 2, (int64_t[]){0, 2, 4}, (int32_t[]){0, 1, 0, 1}, values, &m),
                "|a_ij - a_ji| is 0.5");
            assert_null(m);
        }
}

/* D A D with scales of 1e-6 to 1e6 is tested as A is: sums that only differ by rounding pass, also those that nearly
   cancel, and what is more does not. A of many positive semidefinite partials, each of its halves added in another
   order. */
static void scales(void **state)
{
    (void)state;
    enum { N = 24, PARTS = 300 };
    static const ritz_precision precisions[] = {RITZ_F64, RITZ_F32};
    double *a = malloc(sizeof(double[N * N])), *partials = malloc(sizeof(double[PARTS * N]));
    for (int i = 0; i < PARTS * N; i++)
        partials[i] = 2 * uniform() - 1;
    for (int of = 0; of < 2; of++)
        for (int skew = 0; skew < 2 && can(precisions[of]); skew++)
            for (int power = 0; power <= 6; power += 3) {
                const bool single = precisions[of] == RITZ_F32;
                int differ = 0;
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++) {
                        double sum = 0;
                        for (int p = 0; p < PARTS; p++) {
                            const double *part = partials + (i < j ? p : PARTS - 1 - p) * N;
                            sum = single ? (double)((float)sum + (float)(part[i] * part[j])) : sum + part[i] * part[j];
                        }
                        a[i * N + j] = sum * pow(10, power * sin(i)) * pow(10, power * sin(j));
                    }
                for (int i = 0; i < N * N; i++)
                    differ += a[i] != a[i % N * N + i / N];
                assert_true(differ > N);
                if (skew) /* of the smallest scale, beside the largest ones */
                    a[11 * N + 17] += (single ? 1e-3 : 1e-11) * sqrt(a[11 * N + 11]) * sqrt(a[17 * N + 17]);
                for (int transposed = 0; transposed < 2; transposed++) {
                    const ritz_status status = store(precisions[of], N, a, transposed);
                    if (skew)
                        refuse_status(status, "in block row 11");
                    else
                        OK(status);
                }
            }
    free(a);
    free(partials);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),   cmocka_unit_test(precisions_and_values),
        cmocka_unit_test(one_pass),   cmocka_unit_test(refusals),
        cmocka_unit_test(transposes), cmocka_unit_test(prescribed_unknowns),
        cmocka_unit_test(scales),     cmocka_unit_test(turns),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
