/* Sparse products and transposes against SciPy's, whose numbers block_product_peer.py prints; matrices there and back; the
   same bits with any number of threads and from run to run. */
#include "check.h"
#include "device/tuning.h"
#include "matrix/block_rows.h"

#include <math.h>

#include "rows.h"

static const struct product_case {
    int32_t n, inner, m;
    int height, middle, width;
    double density;
    int64_t n_blocks;
    double weighed, weighed_transposed;
} cases[] = {
    {60, 50, 40, 3, 3, 6, 0.08, 608, 29.0813615424072, 21.4996878185296},
    {40, 60, 30, 6, 3, 6, 0.1, 541, -31.0997200561821, -106.089569656221},
    {300, 200, 250, 1, 1, 1, 0.02, 6028, -4.17752403964361, 12.4888104786541},
    {50, 40, 60, 2, 3, 3, 0.1, 979, -18.2440220210854, -39.6319746103281},
};

static int32_t hub = -1; /* a row with all columns; -1: none */

/* The peer's random rows, of rectangular blocks. */
static ritz_block_rows *random_blocks(int32_t n_rows, int32_t n_columns, int height, int width, double density)
{
    ritz_block_rows *r = NULL;
    int32_t *counts = calloc((size_t)n_rows, 4), *columns = malloc((size_t)n_rows * (size_t)n_columns * 4);
    int64_t n = 0;
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t j = 0; j < n_columns; j++)
            if (uniform() < density || i == hub) {
                columns[n++] = j;
                counts[i]++;
            }
    const int64_t n_values = n * height * width;
    double *values = malloc((size_t)n_values * 8);
    for (int64_t e = 0; e < n_values; e++)
        values[e] = 2 * uniform() - 1;
    OK(ritz_block_rows_create_counted(device, RITZ_F64, height, width, n_rows, n_columns, counts, &r));
    OK(ritz_buffer_write(r->columns, 0, columns, n * 4));
    OK(ritz_buffer_write(r->values, 0, values, n_values * 8));
    free(counts);
    free(columns);
    free(values);
    return r;
}

/* What the host sees of rows. */
typedef struct seen {
    int64_t *start;
    int32_t *columns;
    double *values;
} seen;

static seen read_rows(const ritz_block_rows *r)
{
    const int64_t n_values = r->n_blocks * r->height * r->width;
    seen s = {malloc((size_t)(r->n_rows + 1) * 8), malloc((size_t)r->n_blocks * 4 + 4),
              malloc((size_t)n_values * 8 + 8)};
    OK(ritz_buffer_read(r->row_start, 0, s.start, (r->n_rows + 1) * (int64_t)8));
    OK(ritz_buffer_read(r->columns, 0, s.columns, r->n_blocks * 4));
    OK(ritz_buffer_read(r->values, 0, s.values, n_values * 8));
    return s;
}

static void free_seen(seen *s)
{
    free(s->start);
    free(s->columns);
    free(s->values);
}

/* The peer's sum over entries of value times cos(row + 0.7 column); columns must increase. */
static double weigh_rows(const ritz_block_rows *r)
{
    seen s = read_rows(r);
    double sum = 0;
    assert_true(s.start[r->n_rows] == r->n_blocks);
    for (int32_t row = 0; row < r->n_rows; row++)
        for (int64_t k = s.start[row]; k < s.start[row + 1]; k++) {
            assert_true(k == s.start[row] || s.columns[k] > s.columns[k - 1]);
            for (int h = 0; h < r->height; h++)
                for (int w = 0; w < r->width; w++)
                    sum += s.values[(k * r->height + h) * r->width + w] *
                           cos(row * r->height + h + 0.7 * (s.columns[k] * r->width + w));
        }
    free_seen(&s);
    return sum;
}

static void products(void **state)
{
    (void)state;
    seed = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct product_case *p = &cases[i];
        ritz_block_rows *c = NULL, *again = NULL, *t = NULL, *wrong = NULL;
        ritz_block_rows *a = random_blocks(p->n, p->inner, p->height, p->middle, p->density);
        ritz_block_rows *b = random_blocks(p->inner, p->m, p->middle, p->width, p->density);
        OK(ritz_block_rows_multiply(a, b, &c));
        assert_true(c->n_blocks == p->n_blocks);
        assert_true(fabs(weigh_rows(c) - p->weighed) < 1e-11);
        OK(ritz_block_rows_transpose(c, &t));
        assert_true(t->n_blocks == p->n_blocks && t->n_rows == p->m && t->height == p->width);
        assert_true(fabs(weigh_rows(t) - p->weighed_transposed) < 1e-11);
        OK(ritz_block_rows_multiply(a, b, &again));
        seen one = read_rows(c), two = read_rows(again);
        assert_memory_equal(one.values, two.values, c->n_blocks * c->height * c->width * 8);
        assert_memory_equal(one.columns, two.columns, c->n_blocks * 4);
        free_seen(&one);
        free_seen(&two);
        assert_true(ritz_block_rows_multiply(b, b, &wrong) == RITZ_ERROR_INPUT && !wrong);
        ritz_block_rows *all[] = {a, b, c, again, t};
        for (size_t r = 0; r < sizeof all / sizeof *all; r++)
            ritz_block_rows_destroy(&all[r]);
    }
}

/* P^T (A P) with A P in pieces: the bits of two products, by one work-item a row and by eight. */
static void in_pieces(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "block_rows.piece_bytes * 2000\n",
        "block_rows.piece_bytes * 2000\nblock_rows.threads_most * 8\nblock_rows.columns * "
        "1\nblock_rows.sums_bytes * 32768\n"};
    seed = 5;
    ritz_block_rows *a = random_blocks(60, 60, 3, 3, 0.1), *p = random_blocks(60, 11, 3, 2, 0.15);
    for (int i = 0; i < 2; i++) {
        ritz_block_rows *ap = NULL, *pt = NULL, *turned = NULL, *c = NULL, *pieces = NULL, *ap_pattern = NULL;
        ritz_buffer *slot = NULL;
        OK(ritz_block_rows_multiply(a, p, &ap));
        OK(ritz_block_rows_transpose(p, &turned));
        OK(ritz_block_rows_multiply(turned, ap, &c));
        OK(ritz_tuning_override(plans[i]));
        OK(ritz_block_rows_multiply_pattern(a, p, &ap_pattern));
        OK(ritz_block_rows_transpose_pattern(p, &slot, &pt));
        OK(ritz_block_rows_like(c, RITZ_F64, &pieces));
        assert_true(ap_pattern->n_blocks * 6 * 8 > 5 * 2000 && !ap_pattern->values && !pt->values);
        OK(ritz_block_rows_multiply_twice(a, p, ap_pattern, pt, slot, pieces));
        OK(ritz_tuning_override(NULL));
        seen one = read_rows(c), two = read_rows(pieces);
        assert_memory_equal(one.values, two.values, c->n_blocks * 4 * 8);
        free_seen(&one);
        free_seen(&two);
        ritz_block_rows *all[] = {ap, pt, turned, pieces, c, ap_pattern};
        for (size_t r = 0; r < sizeof all / sizeof *all; r++)
            ritz_block_rows_destroy(&all[r]);
        ritz_buffer_destroy(&slot);
    }
    ritz_block_rows_destroy(&a);
    ritz_block_rows_destroy(&p);
}

/* Rows too long for tables in local memory: B turns A's columns round and scales them. */
static void long_rows(void **state)
{
    (void)state;
    const int32_t n = (int32_t)(ritz_device_get_info(device)->local_memory / 8 + 5), n_rows = 2;
    ritz_block_rows *a = NULL, *b = NULL, *c = NULL;
    int32_t *counts = malloc((size_t)n * 4), *columns = malloc((size_t)n * 2 * 4);
    double *values = malloc((size_t)n * 2 * 8);
    counts[0] = n;
    counts[1] = 0;
    for (int32_t j = 0; j < n; j++) {
        columns[j] = j;
        values[j] = 1 + j % 7;
    }
    OK(ritz_block_rows_create_counted(device, RITZ_F64, 1, 1, n_rows, n, counts, &a));
    OK(ritz_buffer_write(a->columns, 0, columns, n * (int64_t)4));
    OK(ritz_buffer_write(a->values, 0, values, n * (int64_t)8));
    for (int32_t j = 0; j < n; j++) {
        counts[j] = 1;
        columns[j] = n - 1 - j;
        values[j] = j + 1;
    }
    OK(ritz_block_rows_create_counted(device, RITZ_F64, 1, 1, n, n, counts, &b));
    OK(ritz_buffer_write(b->columns, 0, columns, n * (int64_t)4));
    OK(ritz_buffer_write(b->values, 0, values, n * (int64_t)8));
    OK(ritz_block_rows_multiply(a, b, &c));
    assert_true(c->n_blocks == n && c->longest == n);
    seen s = read_rows(c);
    assert_true(s.start[1] == n && s.start[2] == n);
    for (int32_t i = 0; i < n; i++)
        assert_true(s.columns[i] == i && s.values[i] == (1 + (n - 1 - i) % 7) * (double)(n - i));
    free_seen(&s);
    free(counts);
    free(columns);
    free(values);
    ritz_block_rows_destroy(&a);
    ritz_block_rows_destroy(&b);
    ritz_block_rows_destroy(&c);
}

/* C = A B beside sums of the host over dense rows; of rows of A with more than a->most blocks the diagonal one alone counts. */
static void check_product(const ritz_block_rows *a, const ritz_block_rows *b, const ritz_block_rows *c)
{
    const int height = a->height, inner = a->width, width = b->width;
    seen x = read_rows(a), y = read_rows(b), z = read_rows(c);
    double *dense = malloc((size_t)b->n_columns * (size_t)(height * width) * 8);
    for (int32_t row = 0; row < a->n_rows; row++) {
        const bool is_long = a->most > 0 && x.start[row + 1] - x.start[row] > a->most;
        memset(dense, 0, (size_t)b->n_columns * (size_t)(height * width) * 8);
        for (int64_t k = x.start[row]; k < x.start[row + 1]; k++)
            for (int64_t j = y.start[x.columns[k]]; j < y.start[x.columns[k] + 1] && (!is_long || x.columns[k] == row);
                 j++)
                for (int h = 0; h < height; h++)
                    for (int i = 0; i < inner; i++)
                        for (int w = 0; w < width; w++)
                            dense[(y.columns[j] * height + h) * width + w] +=
                                x.values[(k * height + h) * inner + i] * y.values[(j * inner + i) * width + w];
        for (int64_t k = z.start[row]; k < z.start[row + 1]; k++)
            for (int e = 0; e < height * width; e++) {
                double *const sum = &dense[z.columns[k] * height * width + e];
                assert_true(fabs(z.values[k * height * width + e] - *sum) < 1e-12);
                *sum = 0;
            }
        for (int64_t e = 0; e < (int64_t)b->n_columns * height * width; e++)
            assert_true(dense[e] == 0);
    }
    free(dense);
    free_seen(&x);
    free_seen(&y);
    free_seen(&z);
}

/* A row that is far longer than the others is summed apart, or left out. */
static void rows_of_a_hub(void **state)
{
    (void)state;
    static const char *const plans[] = {NULL, "block_rows.threads_most * 8\nblock_rows.sums_bytes * 32768\n"};
    seed = 9;
    hub = 7;
    ritz_block_rows *a = random_blocks(400, 400, 3, 3, 0.01);
    hub = -1;
    ritz_block_rows *b = random_blocks(400, 300, 3, 6, 0.01);
    for (int i = 0; i < 2; i++)
        for (int cut = 0; cut < 2; cut++) {
            ritz_block_rows *c = NULL;
            OK(ritz_tuning_override(plans[i]));
            a->most = cut ? 50 : 0;
            OK(ritz_block_rows_multiply(a, b, &c));
            assert_true(cut ? c->longest < 50 : c->longest > 250);
            check_product(a, b, c);
            ritz_block_rows_destroy(&c);
        }
    OK(ritz_tuning_override(NULL));
    ritz_block_rows_destroy(&a);
    ritz_block_rows_destroy(&b);
}

/* Rows whose values stay in the matrix have the copy's columns and products, to the bit; their pattern is found again in the
   matrix, and not in one without some of its blocks, or with more. */
static void check_in_place(const ritz_matrix *m, const ritz_matrix *other, const ritz_block_rows *copy)
{
    ritz_block_rows *stay = NULL, *pattern = NULL, *again = NULL, *one = NULL, *two = NULL;
    ritz_buffer *weight = NULL;
    double ones[120];
    bool outside = true;
    for (int i = 0; i < 120; i++)
        ones[i] = 1;
    OK(ritz_buffer_create_from(device, ones, sizeof ones, "weights", &weight));
    OK(ritz_block_rows_in_place(m, RITZ_F64, 3, NULL, NULL, &stay, &outside));
    assert_true(stay && !outside && !stay->values && stay->n_blocks == copy->n_blocks);
    ritz_block_rows *b = random_blocks(40, 30, 3, 6, 0.1);
    OK(ritz_block_rows_multiply(copy, b, &one));
    OK(ritz_block_rows_multiply(stay, b, &two));
    seen first = read_rows(one), second = read_rows(two);
    assert_true(one->n_blocks == two->n_blocks);
    assert_memory_equal(first.values, second.values, one->n_blocks * 18 * 8);
    free_seen(&first);
    free_seen(&second);
    OK(ritz_block_rows_take_pattern(stay, &pattern));
    OK(ritz_block_rows_in_place(m, RITZ_F64, 3, pattern, weight, &again, &outside));
    assert_true(again && !outside);
    ritz_block_rows_destroy(&again);
    OK(ritz_block_rows_in_place(other, RITZ_F64, 3, pattern, weight, &again, &outside));
    assert_true(again && outside);
    ritz_block_rows_destroy(&again);
    OK(ritz_block_rows_in_place(m, RITZ_F64, 2, NULL, NULL, &again, &outside)); /* of other blocks */
    assert_null(again);
    ritz_block_rows *all[] = {stay, pattern, one, two, b};
    for (size_t r = 0; r < sizeof all / sizeof *all; r++)
        ritz_block_rows_destroy(&all[r]);
    ritz_buffer_destroy(&weight);
}

/* From every storage of a symmetric matrix with zeros among its blocks and back: A x stays. */
static void matrices(void **state)
{
    (void)state;
    seed = 7;
    enum { N = 40, B = 3 };
    double dense[N][B][N][B] = {{{{0}}}}, values[N * N * B * B], x[N * B], before[N * B], after[N * B];
    int64_t start[N + 1] = {0};
    int32_t columns[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) /* zeros, which are dropped: far from the diagonal */
            for (int r = 0; r < B; r++)
                for (int c = 0; c < B; c++)
                    if (i - j < 5)
                        dense[i][r][j][c] = dense[j][c][i][r] = i == j && r == c ? 9 : i == j ? 0 : uniform();
    for (int i = 0; i < N; i++) {
        start[i + 1] = start[i];
        for (int j = 0; j < N; j++)
            if (abs(i - j) < 8) {
                for (int r = 0; r < B; r++)
                    for (int c = 0; c < B; c++)
                        values[start[i + 1] * B * B + r * B + c] = dense[i][r][j][c];
                columns[start[i + 1]++] = j;
            }
    }
    for (int i = 0; i < N * B; i++)
        x[i] = uniform();
    for (int half_stored = 0; half_stored < 2; half_stored++) {
        const ritz_matrix_options options = {.precision = RITZ_F64,
                                             .storage = half_stored ? RITZ_STORAGE_SYMMETRIC : RITZ_STORAGE_SLICES};
        ritz_matrix *m = NULL, *back = NULL;
        ritz_block_rows *r = NULL;
        OK(ritz_matrix_create(device, &options, B, N, start, columns, values, &m));
        OK(ritz_block_rows_from_matrix(m, RITZ_F64, B, NULL, &r));
        assert_true(r->n_blocks == N * 9 - 20);
        ritz_matrix *other = NULL; /* without the last block, or with one where a zero is */
        double *const zero = values + 7 * B * B;
        start[N] -= half_stored;
        for (int e = 0; e < B * B; e++)
            zero[e] = 1 - half_stored;
        OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = RITZ_F64}, B, N, start, columns, values,
                              &other));
        start[N] += half_stored;
        for (int e = 0; e < B * B; e++)
            zero[e] = 0;
        check_in_place(m, other, r);
        ritz_matrix_destroy(&other);
        OK(ritz_block_rows_to_matrix(r, &options, &back));
        OK(ritz_matrix_multiply(m, x, before));
        OK(ritz_matrix_multiply(back, x, after));
        for (int i = 0; i < N * B; i++)
            assert_true(fabs(before[i] - after[i]) < 1e-12);
        ritz_block_rows_destroy(&r);
        ritz_matrix_destroy(&m);
        ritz_matrix_destroy(&back);
    }
}

/* Each allocation fails in turn: an error, and nothing is left. */
static void allocations(void **state)
{
    (void)state;
    if (wants_small()) /* the host's part, whatever the device */
        skip();
    seed = 3;
    ritz_block_rows *a = random_blocks(20, 20, 1, 1, 0.2), *c = NULL, *t = NULL;
    OK(ritz_block_rows_multiply(a, a, &c));
    ritz_block_rows_destroy(&c);
    OK(ritz_block_rows_transpose(a, &t));
    ritz_block_rows_destroy(&t);
    int64_t live = ritz_device_live_bytes(device), n = 1;
    ritz_status status = RITZ_ERROR_MEMORY;
    for (; status != RITZ_OK; n++) {
        ritz_fail_allocation(n);
        status = ritz_block_rows_multiply(a, a, &c);
        if (status == RITZ_OK && (status = ritz_block_rows_transpose(c, &t)) != RITZ_OK)
            ritz_block_rows_destroy(&c);
        ritz_fail_allocation(0);
        assert_true(status == RITZ_OK || (status == RITZ_ERROR_MEMORY && !c && !t));
        assert_true(status == RITZ_OK || ritz_device_live_bytes(device) == live);
    }
    assert_true(n > 4);
    ritz_block_rows_destroy(&c);
    ritz_block_rows_destroy(&t);
    ritz_block_rows_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products),      cmocka_unit_test(in_pieces),
                                       cmocka_unit_test(rows_of_a_hub), cmocka_unit_test(long_rows),
                                       cmocka_unit_test(matrices),      cmocka_unit_test(allocations)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
