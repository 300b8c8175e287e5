/* Every format of sparse matrices against plain rows on the host: products, conversions, sums, padding. */
#include "rows.h"

#include <string.h>

/* ---- What the device's types make of a number ---- */

static double as_f16(double v)
{
    int exponent = 0;
    (void)frexp(v, &exponent);
    double step = ldexp(1, (exponent < -13 ? -13 : exponent) - 11); /* 11 bits, fewer below 2^-14 */
    return rint(v / step) * step;
}

static double as_bf16(double v)
{
    int exponent = 0;
    (void)frexp(v, &exponent);
    double step = ldexp(1, exponent - 8);
    return rint(v / step) * step;
}

static double stored_value(ritz_matrix_options o, double v)
{
    switch (o.values) {
    case RITZ_VALUES_F64:
        return v;
    case RITZ_VALUES_F32:
        return (double)(float)v;
    case RITZ_VALUES_F16:
        return as_f16((double)(float)v);
    case RITZ_VALUES_BF16:
        return as_bf16((double)(float)v);
    default:
        return o.precision == RITZ_F64 ? v : (double)(float)v;
    }
}

/* A copy whose values are those that the device stores. */
static rows stored_rows(const rows *a, ritz_matrix_options o)
{
    rows s = *a;
    size_t entries = (size_t)(a->start[a->n] * a->block * a->block), n = (size_t)a->n + 1;
    s.start = malloc(n * 8);
    s.columns = malloc((size_t)a->start[a->n] * 4 + 4);
    s.values = malloc(entries * 8 + 8);
    memcpy(s.start, a->start, n * 8);
    for (int64_t k = 0; k < a->start[a->n]; k++) /* of an empty matrix there are none */
        s.columns[k] = a->columns[k];
    for (size_t i = 0; i < entries; i++)
        s.values[i] = stored_value(o, a->values[i]);
    return s;
}

/* The scalar rows of a block matrix, cut to n x n_columns scalars. */
static rows scalar_rows(const rows *a, int64_t n, int64_t n_columns)
{
    int b = a->block;
    rows s = {.block = 1, .n = n, .n_columns = n_columns, .start = calloc((size_t)n + 1, 8)};
    s.columns = malloc((size_t)(a->start[a->n] * b * b) * 4 + 4);
    s.values = malloc((size_t)(a->start[a->n] * b * b) * 8 + 8);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = s.start[i];
        for (int64_t k = a->start[i / b]; k < a->start[i / b + 1]; k++)
            for (int c = 0; c < b; c++)
                if ((int64_t)a->columns[k] * b + c < n_columns) {
                    s.columns[at] = a->columns[k] * b + c;
                    s.values[at++] = a->values[(k * b + i % b) * b + c];
                }
        s.start[i + 1] = at;
    }
    return s;
}

static ritz_matrix *create_matrix(const rows *a, ritz_matrix_options o)
{
    ritz_matrix *m = NULL;
    o.n_columns = a->n_columns;
    OK(ritz_matrix_create(device, &o, a->block, a->n, a->start, a->columns, a->values, &m));
    return m;
}

/* ---- Products ---- */

/* y = A x, twice with the same bits, against the rows on the host, whose values are those stored. */
static void check_product(const ritz_matrix *m, const rows *a, const char *what)
{
    int64_t n = a->n * a->block, n_columns = a->n_columns * a->block;
    assert_int_equal(ritz_matrix_n_rows(m), n);
    assert_int_equal(ritz_matrix_n_columns(m), n_columns);
    double *x = random_vector(n_columns), *y = malloc((size_t)n * 8), *again = malloc((size_t)n * 8),
           *truth = malloc((size_t)n * 8), *scale = malloc((size_t)n * 8);
    reference(a, m->precision, x, truth, scale);
    for (int64_t i = 0; i < n; i++)
        y[i] = again[i] = NAN;
    OK(ritz_matrix_multiply(m, x, y));
    OK(ritz_matrix_multiply(m, x, again));
    assert_memory_equal(y, again, (size_t)n * 8);
    double tolerance = m->precision == RITZ_F64 ? 1e-14 : 1e-6;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(y[i] - truth[i]) <= tolerance * scale[i]))
            fail_msg("%s, b %d, n %d: row %d is %.17g, not %.17g", what, m->block, (int)n, (int)i, y[i], truth[i]);
    free(x);
    free(y);
    free(again);
    free(truth);
    free(scale);
}

/* One format, block and precision on matrices of all shapes. */
static void check_format(const char *name, int block, ritz_precision precision)
{
    ritz_matrix_options o = {.precision = precision};
    bool blocked = false;
    OK(ritz_format_from_name(name, &o, &blocked));
    if (!can(precision))
        return;
    const int64_t large = wants_small() ? 71 : 131;
    const rows all[] = {
        random_rows(block, 1, 1, 1, -1, 10),                  /* one row */
        random_rows(block, 1, 0, 0, -1, 0),                   /* nothing at all */
        random_rows(block, 77, 0.1, 0.8, -1, 1000),           /* no multiple of any slice */
        random_rows(block, large, 0.05, 0.5, 60, large - 11), /* a long row, empty ones */
        random_rectangle(block, 40, 93, 0.2, 0, 7, 1000),     /* wide */
        random_rectangle(block, 93, 40, 0.2, 0, 7, 90),       /* tall */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rows kept = stored_rows(&all[i], o), truth = all[i];
        ritz_matrix *m = create_matrix(&all[i], o);
        check_product(m, &kept, name);
        ritz_matrix_destroy(&m);
        free_rows(&kept);
        free_rows(&truth);
    }
}

static void formats(void **state)
{
    (void)state;
    for (int f = 0; ritz_format_name(f); f++) {
        ritz_matrix_options o = {0};
        bool blocked = false;
        OK(ritz_format_from_name(ritz_format_name(f), &o, &blocked));
        if (ritz_format_is_half(&o)) /* test_symmetric.c */
            continue;
        check_format(ritz_format_name(f), blocked ? 3 : 1, RITZ_F64);
        if (wants_small())
            continue;
        if (blocked)
            check_format(ritz_format_name(f), 2, RITZ_F64);
        check_format(ritz_format_name(f), blocked ? 3 : 1, RITZ_F32);
    }
    assert_null(ritz_format_name(-1));
    bool blocked = false;
    ritz_matrix_options o = {0};
    assert_int_equal(ritz_format_from_name("selll", &o, &blocked), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "did you mean 'sell'?"));
}

/* A matrix has the format that it was made in, and no other. */
static void format_is_known(void **state)
{
    (void)state;
    rows all[] = {random_rows(1, 90, 0.05, 0.5, 60, 80), random_rows(2, 90, 0.05, 0.5, 60, 80)};
    for (int f = 0; ritz_format_name(f); f++) {
        ritz_matrix_options made = {.precision = RITZ_F32}, asked = made;
        bool blocked = false, asked_blocked = false;
        OK(ritz_format_from_name(ritz_format_name(f), &made, &blocked));
        if (ritz_format_is_half(&made)) /* test_symmetric.c */
            continue;
        made.items_per_row = made.items_per_row ? 16 : 0; /* a CPU takes no more */
        ritz_matrix *m = create_matrix(&all[blocked], made);
        for (int g = 0; ritz_format_name(g); g++) {
            OK(ritz_format_from_name(ritz_format_name(g), &asked, &asked_blocked));
            asked.items_per_row = asked.items_per_row ? 16 : 0;
            if (ritz_matrix_has_format(m, &asked, asked_blocked ? 2 : 1) != (f == g))
                fail_msg("%s, asked whether it is %s", ritz_format_name(f), ritz_format_name(g));
        }
        assert_false(ritz_matrix_is_half(m));
        ritz_matrix_destroy(&m);
    }
    free_rows(&all[0]);
    free_rows(&all[1]);
}

/* Slice heights, windows, threads of a row and lengths beyond the named formats. */
static void parameters(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    const ritz_matrix_options some[] = {
        {.slice_height = 96, .sort_window = RITZ_ALL_ROWS},
        {.slice_height = 64, .sort_window = 10, .row_lengths = true},
        {.slice_height = RITZ_ALL_ROWS, .sort_window = RITZ_ALL_ROWS, .row_lengths = true},
        {.slice_height = 1, .sort_window = RITZ_ALL_ROWS, .items_per_row = 4},
        {.slice_height = 1, .sort_window = 1, .items_per_row = 64},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        rows a = random_rows(3, 131, 0.05, 0.5, 60, 120);
        ritz_matrix *m = create_matrix(&a, some[i]);
        check_product(m, &a, "a format of its own");
        ritz_matrix_destroy(&m);
        free_rows(&a);
    }
}

/* Values narrower than the vectors. */
static void value_types(void **state)
{
    (void)state;
    static const struct {
        ritz_precision precision;
        ritz_value_type values;
    } some[] = {
        {RITZ_F64, RITZ_VALUES_F32},  {RITZ_F64, RITZ_VALUES_F16},  {RITZ_F32, RITZ_VALUES_F16},
        {RITZ_F32, RITZ_VALUES_BF16}, {RITZ_F64, RITZ_VALUES_BF16},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        if (!can(some[i].precision))
            continue;
        ritz_matrix_options o = {.precision = some[i].precision, .values = some[i].values};
        rows a = random_rows(3, 100, 0.1, 0.8, 60, 90);
        a.values[0] = 1e-7; /* below what f16 holds in full */
        a.values[1] = 3e-8;
        rows kept = stored_rows(&a, o);
        ritz_matrix *m = create_matrix(&a, o);
        assert_int_equal(m->precision, o.precision);
        check_product(m, &kept, "narrow values");
        double *values = malloc((size_t)a.start[a.n] * 9 * 8);
        OK(ritz_matrix_read(m, a.start, values));
        for (int64_t e = 0; e < a.start[a.n] * 9; e++)
            assert_true(values[e] == kept.values[e]);
        free(values);
        ritz_matrix_destroy(&m);
        a.values[5] = -7e4;
        if (o.values == RITZ_VALUES_F16) {
            assert_int_equal(ritz_matrix_create(device, &o, 3, a.n, a.start, a.columns, a.values, &m),
                             RITZ_ERROR_INPUT);
            assert_non_null(strstr(ritz_message(), "too large"));
        }
        free_rows(&a);
        free_rows(&kept);
    }
}

/* ---- Conversions ---- */

static void assert_same_rows(const rows *a, const ritz_rows *b)
{
    assert_int_equal(a->block, b->block);
    assert_int_equal(a->n, b->n_rows);
    assert_int_equal(a->n_columns, b->n_columns);
    assert_memory_equal(a->start, b->row_start, (size_t)(a->n + 1) * 8);
    assert_memory_equal(a->columns, b->columns, (size_t)a->start[a->n] * 4);
    for (int64_t i = 0; i < a->start[a->n] * a->block * a->block; i++)
        assert_true(a->values[i] == b->values[i]);
}

/* From every format to every other (in a simulated device a third of the pairs, two or three of each format); the rows that come back
   are those that went in, entry by entry. */
static void all_pairs(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    rows a = random_rows(3, 50, 0.1, 0.8, 20, 45), s = scalar_rows(&a, 150, 150);
    for (int f = 0; ritz_format_name(f); f++) {
        ritz_matrix_options from = {0};
        bool from_blocked = false;
        OK(ritz_format_from_name(ritz_format_name(f), &from, &from_blocked));
        if (ritz_format_is_half(&from))
            continue;
        ritz_matrix *m = create_matrix(from_blocked ? &a : &s, from);
        for (int t = 0; ritz_format_name(t); t++) {
            ritz_matrix_options to = {0};
            bool blocked = false;
            OK(ritz_format_from_name(ritz_format_name(t), &to, &blocked));
            if (ritz_format_is_half(&to) || (wants_small() && (f + t) % 5 != 1))
                continue;
            ritz_matrix *other = NULL;
            ritz_rows *r = NULL;
            OK(ritz_matrix_convert(m, &to, blocked ? 3 : 1, &other));
            assert_int_equal(ritz_matrix_nonzeros(other), s.start[s.n]);
            OK(ritz_matrix_get_rows(other, blocked ? 3 : 1, &r));
            assert_same_rows(blocked ? &a : &s, r);
            ritz_rows_destroy(&r);
            ritz_matrix_destroy(&other);
        }
        ritz_matrix_destroy(&m);
    }
    free_rows(&a);
    free_rows(&s);
}

/* D^1/2 A D^1/2 in A's own slices, D of powers of 4, so that scaling is exact. */
static void shared_slices(void **state)
{
    (void)state;
    static const ritz_matrix_options to[] = {{.precision = RITZ_F64},
                                             {.precision = RITZ_F64, .values = RITZ_VALUES_F32},
                                             {.precision = RITZ_F32},
                                             {.precision = RITZ_F32, .values = RITZ_VALUES_F16}};
    if (!can(RITZ_F64))
        return;
    rows a = random_rows(3, 131, 0.05, 0.5, 60, 120);
    /* What half a number has to be rounded to: below its least ones, between two, at their middle, the largest. */
    static const double edges[] = {1e-8, 3e-8, 1e-7, 6.1e-5, 1 + 0x1p-11, 1 + 3 * 0x1p-11, -0x1.8p-25, 65519, -0.0};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        a.values[9 * i] = edges[i] / 4; /* which its scaling undoes */
    ritz_matrix *from = create_matrix(&a, (ritz_matrix_options){.precision = RITZ_F64}), *half = NULL, *m = NULL;
    double weight[3 * 131];
    for (int i = 0; i < 3 * 131; i++)
        weight[i] = i % 3 ? 0.25 : 4;
    ritz_buffer *device_weight = NULL;
    OK(ritz_buffer_create_from(device, weight, sizeof weight, "weights", &device_weight));
    for (int64_t k = 0; k < a.start[a.n]; k++)
        for (int e = 0; e < 9; e++)
            a.values[9 * k + e] *= sqrt(weight[e / 3] * weight[e % 3]);
    for (size_t i = 0; i < sizeof to / sizeof *to + 1; i++) {
        const bool same_slices = i == sizeof to / sizeof *to;
        const ritz_matrix_options *o = &to[same_slices ? 3 : i];
        OK(ritz_matrix_copy_scaled(from, o->precision, o->values, same_slices, device_weight, NULL, &m));
        const bool other_window =
            ritz_device_get_info(device)->kind == RITZ_DEVICE_GPU && o->values == RITZ_VALUES_F16 && !same_slices;
        assert_int_equal(m->columns == from->columns, !other_window);
        rows kept = stored_rows(&a, *o);
        check_product(m, &kept, "shared slices");
        double *values = malloc((size_t)a.start[a.n] * 9 * 8);
        OK(ritz_matrix_read(m, a.start, values));
        for (int64_t e = 0; e < a.start[a.n] * 9; e++)
            assert_true(values[e] == kept.values[e]);
        free(values);
        free_rows(&kept);
        ritz_matrix_destroy(&m);
    }
    a.values[0] = -65520; /* the least that is too large */
    ritz_matrix *large = create_matrix(&a, (ritz_matrix_options){.precision = RITZ_F64});
    assert_int_equal(ritz_matrix_copy_scaled(large, to[3].precision, to[3].values, false, NULL, NULL, &m),
                     RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "too large"));
    ritz_matrix_destroy(&large);
    a.values[0] = 0;
    ritz_matrix *unsorted = create_matrix(&a, (ritz_matrix_options){.precision = RITZ_F64, .sort_window = 1});
    OK(ritz_matrix_copy_scaled(unsorted, to[3].precision, to[3].values, false, NULL, NULL,
                               &m)); /* no window to differ in */
    assert_ptr_equal(m->columns, unsorted->columns);
    ritz_matrix_destroy(&m);
    ritz_matrix_destroy(&unsorted);
    rows diagonal = random_rows(3, 20, 0, 1, -1, 1000);
    for (int64_t e = 0; e < 20 * 9; e++)
        diagonal.values[e] = e % 9 % 4 == 0;
    half = create_matrix(&diagonal, (ritz_matrix_options){.precision = RITZ_F64, .storage = RITZ_STORAGE_SYMMETRIC});
    OK(ritz_matrix_copy_scaled(half, to[1].precision, to[1].values, false, NULL, NULL, &m));
    assert_true(ritz_matrix_is_half(m));
    rows kept = stored_rows(&diagonal, to[1]);
    check_product(m, &kept, "a copy of half a matrix");
    free_rows(&kept);
    ritz_matrix_destroy(&m);
    ritz_matrix_destroy(&half);
    ritz_matrix_destroy(&from);
    ritz_buffer_destroy(&device_weight);
    free_rows(&diagonal);
    free_rows(&a);
}

/* S D^1/2 A D^1/2 S^T with a lower triangle S for each block row, in A's own slices; numbers are such that all are exact in single, and half
   numbers round once. */
static void scaled_by_factors(void **state)
{
    (void)state;
    enum { N = 131, MOST = 5 };
    static const ritz_matrix_options to[] = {
        {.precision = RITZ_F64}, {.precision = RITZ_F32}, {.precision = RITZ_F32, .values = RITZ_VALUES_F16}};
    if (!can(RITZ_F64))
        return;
    for (int block = 2; block <= MOST; block++) {
        const int size = block * block, triangle = block * (block + 1) / 2;
        rows a = random_rows(block, N, 0.05, 0.5, 60, 120);
        double weight[MOST * N];
        float factor[N * MOST * (MOST + 1) / 2];
        ritz_buffer *weights = NULL, *factors = NULL;
        for (int i = 0; i < block * N; i++)
            weight[i] = i % 3 ? 0.25 : 4;
        for (int i = 0; i < triangle * N; i++)
            factor[i] = (float)(i * 7 % 5 - 2) / 4;
        for (int64_t e = 0; e < a.start[N] * size; e++)
            a.values[e] = floor(64 * a.values[e]) / 64;
        ritz_matrix *from = create_matrix(&a, (ritz_matrix_options){.precision = RITZ_F64}), *m = NULL;
        OK(ritz_buffer_create_from(device, weight, block * N * (int64_t)8, "weights", &weights));
        OK(ritz_buffer_create_from(device, factor, triangle * N * (int64_t)4, "factors", &factors));
        for (int64_t row = 0; row < N; row++)
            for (int64_t k = a.start[row]; k < a.start[row + 1]; k++) {
                const float *left = factor + row * triangle, *right = factor + (int64_t)a.columns[k] * triangle;
                double scaled[MOST * MOST] = {0};
                for (int e = 0; e < size; e++)
                    for (int i = 0; i <= e / block; i++)
                        for (int j = 0; j <= e % block; j++)
                            scaled[e] += (double)left[e / block * (e / block + 1) / 2 + i] *
                                         sqrt(weight[row * block + i] * weight[(int64_t)a.columns[k] * block + j]) *
                                         a.values[k * size + i * block + j] *
                                         (double)right[e % block * (e % block + 1) / 2 + j];
                memcpy(a.values + k * size, scaled, sizeof *scaled * (size_t)size);
            }
        for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
            OK(ritz_matrix_copy_scaled(from, to[i].precision, to[i].values, true, weights, factors, &m));
            rows kept = stored_rows(&a, to[i]);
            check_product(m, &kept, "scaled by factors");
            ritz_matrix_destroy(&m);
            free_rows(&kept);
        }
        ritz_matrix_destroy(&from);
        ritz_buffer_destroy(&weights);
        ritz_buffer_destroy(&factors);
        free_rows(&a);
    }
}

/* 1 to 5 blocks a row, the diagonal one among them; none in every 50th. */
static rows uneven_rows(int block, int64_t n)
{
    rows a = {.block = block, .n = n, .n_columns = n, .start = calloc((size_t)n + 1, 8)};
    a.columns = malloc((size_t)n * 5 * 4);
    a.values = malloc((size_t)(n * 5 * block * block) * 8);
    for (int64_t i = 0; i < n; i++) {
        const int64_t length = i % 50 == 0 ? 0 : 1 + i * i % 5, first = i < n - 5 ? i : n - 5;
        for (int64_t k = 0; k < length; k++)
            a.columns[a.start[i] + k] = (int32_t)(first + k);
        a.start[i + 1] = a.start[i] + length;
    }
    for (int64_t e = 0; e < a.start[n] * block * block; e++)
        a.values[e] = 2 * uniform() - 1;
    return a;
}

static void assert_straight(const rows *a, ritz_matrix_options o, bool possible)
{
    ritz_matrix *from = create_matrix(a, o), *m = NULL;
    const int64_t n = a->n * a->block, bytes = n * ritz_real_bytes(o.precision);
    double *x = random_vector(n), *y = malloc((size_t)n * 8), *again = malloc((size_t)n * 8);
    ritz_buffer *v[4] = {NULL};
    for (int i = 0; i < 4; i++)
        OK(ritz_buffer_create(device, bytes, "a vector", &v[i]));
    OK(ritz_matrix_sort_rows(from, &m));
    assert_int_equal(m != NULL, possible);
    if (m) {
        OK(ritz_matrix_write_vector(from, x, v[0]));
        OK(ritz_matrix_apply(from, v[0], v[1], NULL));
        OK(ritz_matrix_read_vector(from, v[1], y));
        OK(ritz_matrix_into_order(m, v[0], v[2]));
        OK(ritz_matrix_apply(m, v[2], v[3], NULL));
        OK(ritz_matrix_out_of_order(m, v[3], v[1]));
        OK(ritz_matrix_read_vector(from, v[1], again));
        assert_memory_equal(y, again, (size_t)n * 8);
        OK(ritz_matrix_diagonal(from, v[0]));
        OK(ritz_matrix_diagonal(m, v[2]));
        OK(ritz_matrix_out_of_order(m, v[2], v[1]));
        OK(ritz_matrix_read_vector(from, v[0], y));
        OK(ritz_matrix_read_vector(from, v[1], again));
        assert_memory_equal(y, again, (size_t)n * 8);
    }
    ritz_matrix_destroy(&m);
    ritz_matrix_destroy(&from);
    for (int i = 0; i < 4; i++)
        ritz_buffer_destroy(&v[i]);
    free(x);
    free(y);
    free(again);
}

/* In the order in which rows are sorted products have the same bits. */
static void straight(void **state)
{
    (void)state;
    rows a = uneven_rows(3, 10007), even = uneven_rows(2, 10000), few = uneven_rows(1, 9999);
    for (int64_t i = 0; i <= even.n; i++)
        even.start[i] = i; /* a block each: nothing to sort */
    const ritz_matrix_options sorted = {.precision = RITZ_F32}, mesh = {.precision = RITZ_F32, .sort_window = 1},
                              tall = {.precision = RITZ_F32, .slice_height = 64, .row_lengths = true},
                              one = {.precision = RITZ_F32, .slice_height = RITZ_ALL_ROWS, .sort_window = 2000};
    assert_straight(&a, sorted, true);
    if (wants_small())
        goto done;
    assert_straight(&a, tall, true);
    assert_straight(&a, one, true);
    assert_straight(&a, mesh, false);
    assert_straight(&even, sorted, false);
    assert_straight(&few, sorted, false);
done:
    free_rows(&a);
    free_rows(&even);
    free_rows(&few);
}

/* Scalars to blocks that do not divide the matrix, product, and back, with all zeros that were added dropped. */
static void scalars_to_blocks(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    static const int blocks[] = {2, 3, 5, 8};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (int whole = 0; whole < 2; whole++) {
            if (wants_small() && (i + (size_t)whole) % 2)
                continue;
            rows a = whole ? random_rows(1, 61, 0.1, 0.8, 20, 55) : random_rectangle(1, 61, 83, 0.1, 0, 20, 60);
            ritz_matrix *m = create_matrix(&a, (ritz_matrix_options){0}), *blocked = NULL, *back = NULL;
            OK(ritz_matrix_convert(m, &(ritz_matrix_options){0}, blocks[i], &blocked));
            assert_int_equal(blocked->block, blocks[i]);
            assert_int_equal(ritz_matrix_nonzeros(blocked), a.start[a.n]);
            check_product(blocked, &a, "blocks that reach past the matrix");
            if (whole) {
                double *diagonal = malloc(61 * 8);
                ritz_buffer *d = NULL;
                OK(ritz_buffer_create(device, 61 * 8, "the diagonal", &d));
                OK(ritz_matrix_diagonal(blocked, d));
                OK(ritz_matrix_read_vector(blocked, d, diagonal));
                for (int64_t r = 0; r < a.n; r++) {
                    double expected = 0;
                    for (int64_t k = a.start[r]; k < a.start[r + 1]; k++)
                        expected = a.columns[k] == r ? a.values[k] : expected;
                    assert_true(diagonal[r] == expected);
                }
                ritz_buffer_destroy(&d);
                free(diagonal);
            }
            OK(ritz_matrix_convert(blocked, &(ritz_matrix_options){.drop_zeros = true}, 1, &back));
            ritz_rows *r = NULL;
            OK(ritz_matrix_get_rows(back, 1, &r));
            assert_same_rows(&a, r);
            ritz_rows_destroy(&r);
            ritz_matrix_destroy(&back);
            ritz_matrix_destroy(&blocked);
            ritz_matrix_destroy(&m);
            free_rows(&a);
        }
}

/* Between blocks neither of which divides the other, through scalars to compare. */
static void blocks_to_blocks(void **state)
{
    (void)state;
    if (!can(RITZ_F64))
        return;
    rows a = random_rows(3, 33, 0.1, 0.8, 20, 30), s = scalar_rows(&a, 99, 99);
    ritz_matrix *three = create_matrix(&a, (ritz_matrix_options){0}), *two = NULL, *back = NULL;
    OK(ritz_matrix_convert(three, &(ritz_matrix_options){0}, 2, &two));
    check_product(two, &s, "blocks of 2 from blocks of 3");
    OK(ritz_matrix_convert(two, &(ritz_matrix_options){.drop_zeros = true}, 3, &back));
    ritz_rows *r = NULL;
    OK(ritz_matrix_get_rows(back, 3, &r));
    assert_same_rows(&a, r);
    ritz_rows_destroy(&r);
    ritz_matrix_destroy(&three);
    ritz_matrix_destroy(&two);
    ritz_matrix_destroy(&back);
    free_rows(&a);
    free_rows(&s);
}

/* ---- One pass with factors and sums ---- */

static ritz_buffer *to_device(ritz_precision precision, int64_t n, const double *v)
{
    ritz_buffer *buffer = NULL;
    float *narrow = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)v[i];
    const void *data = precision == RITZ_F64 ? (const void *)v : narrow;
    OK(ritz_buffer_create_from(device, data, n * ritz_real_bytes(precision), "a vector", &buffer));
    free(narrow);
    return buffer;
}

static void add_parts(const ritz_buffer *partial, int64_t n_parts, double sums[RITZ_PRODUCT_SUMS])
{
    bool wide = ritz_device_get_info(device)->has_f64;
    void *parts = malloc((size_t)(RITZ_PRODUCT_SUMS * n_parts) * 8);
    OK(ritz_buffer_read(partial, 0, parts, RITZ_PRODUCT_SUMS * n_parts * (wide ? 8 : 4)));
    for (int which = 0; which < RITZ_PRODUCT_SUMS; which++) {
        sums[which] = 0;
        for (int64_t i = which * n_parts; i < (which + 1) * n_parts; i++)
            sums[which] += wide ? ((double *)parts)[i] : (double)((float *)parts)[i];
    }
    free(parts);
}

/* y and the sums of one set of factors against the host. `old` is what y holds before; NAN proves that it is not read.
 */
static void check_pass(const ritz_matrix *m, const rows *a, ritz_product p, bool with_w)
{
    int64_t n = a->n * a->block, parts = 0;
    double *x = random_vector(n), *z = random_vector(n), *w = random_vector(n), *old = random_vector(n),
           *ax = malloc((size_t)n * 8), *scale = malloc((size_t)n * 8), *y = malloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++)
        if (p.beta == 0)
            old[i] = NAN;
    reference(a, m->precision, x, ax, scale);
    ritz_buffer *dx = to_device(m->precision, n, x), *dy = to_device(m->precision, n, old),
                *dz = to_device(m->precision, n, z), *dw = to_device(m->precision, n, w), *partial = NULL;
    p.z = p.gamma != 0 ? dz : NULL;
    p.w = with_w ? dw : NULL;
    OK(ritz_matrix_count_partials(m, &p, &parts));
    OK(ritz_buffer_create(device, RITZ_PRODUCT_SUMS * parts * 8, "the sums", &partial));
    p.partial = partial;
    double found[3], sums[3] = {0}, sizes[3] = {0}, u = m->precision == RITZ_F64 ? 2e-14 : 4e-6;
    OK(ritz_matrix_product(m, &p, dx, dy, NULL));
    OK(ritz_matrix_read_vector(m, dy, y));
    add_parts(partial, parts, found);
    for (int64_t i = 0; i < n; i++) {
        double expected = p.alpha * ax[i] + p.gamma * z[i] + p.delta * x[i] + (p.beta != 0 ? p.beta * old[i] : 0);
        double size = fabs(p.alpha) * scale[i] + fabs(p.gamma * z[i]) + fabs(p.delta * x[i]) +
                      (p.beta != 0 ? fabs(p.beta * old[i]) : 0);
        if (!(fabs(y[i] - expected) <= u * size))
            fail_msg("row %d is %.17g, not %.17g", (int)i, y[i], expected);
        double with = with_w ? w[i] : x[i], terms[3] = {with * y[i], y[i] * y[i], with * with};
        for (int k = 0; k < 3; k++) {
            sums[k] += terms[k];
            sizes[k] += fabs(terms[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        if (!(fabs(found[k] - sums[k]) <= u * sizes[k]))
            fail_msg("sum %d is %.17g, not %.17g", k, found[k], sums[k]);
    ritz_buffer *buffers[] = {dx, dy, dz, dw, partial};
    for (int i = 0; i < 5; i++)
        ritz_buffer_destroy(&buffers[i]);
    double *vectors[] = {x, z, w, old, ax, scale, y};
    for (int i = 0; i < 7; i++)
        free(vectors[i]);
}

/* Slices, and storages that are none. */
static void passes(void **state)
{
    (void)state;
    ritz_matrix_options some[16] = {
        {0},
        {.precision = RITZ_F32},
        {.slice_height = 1, .sort_window = 1, .items_per_row = 32},
        {.slice_height = RITZ_ALL_ROWS, .sort_window = 1, .row_lengths = true},
    };
    size_t n_some = 4;
    for (int f = 0; ritz_format_name(f); f++) {
        ritz_matrix_options o = {0};
        bool blocked = false;
        OK(ritz_format_from_name(ritz_format_name(f), &o, &blocked));
        if (!ritz_format_takes_slices(&o) && !ritz_format_is_half(&o))
            some[n_some++] = o;
    }
    for (size_t i = 0; i < n_some; i++) {
        if (!can(some[i].precision))
            continue;
        const int64_t n = wants_small() ? 75 : 400;
        rows a = random_rows(3, n, 0.02, 0.9, 60, n - 10);
        ritz_matrix *m = create_matrix(&a, some[i]);
        check_pass(m, &a, (ritz_product){.alpha = 1}, false);
        check_pass(m, &a, (ritz_product){.alpha = 1}, true);
        check_pass(m, &a, (ritz_product){.alpha = -1, .gamma = 1}, true);
        check_pass(m, &a, (ritz_product){.alpha = 2, .beta = -0.5}, false);
        check_pass(m, &a, (ritz_product){.alpha = -0.3, .beta = 0.25, .gamma = 0.3, .delta = 1.5}, false);
        ritz_matrix_destroy(&m);
        free_rows(&a);
    }
}

/* ---- Padding ---- */

static void padding(void **state)
{
    (void)state;
    /* Block rows of 1, 3, 0, 2, 3 blocks. */
    const int64_t start[] = {0, 1, 4, 4, 6, 9};
    const int32_t columns[] = {0, 0, 1, 4, 1, 3, 0, 2, 4};
    const struct {
        ritz_matrix_options o;
        int64_t slots, slices;
    } some[] = {
        {{.slice_height = 1, .sort_window = 1}, 9, 5},                 /* rows as they are */
        {{.slice_height = 2, .sort_window = 1}, 6 + 4 + 6, 3},         /* 1 3 | 0 2 | 3 - */
        {{.slice_height = 2, .sort_window = RITZ_ALL_ROWS}, 6 + 4, 3}, /* 3 3 | 2 1 | 0 - */
        {{.slice_height = 2, .sort_window = 4}, 6 + 2 + 6, 3},         /* 3 2 | 1 0 | 3 - */
        {{.slice_height = 5, .sort_window = 1}, 15, 1},                /* all as long as the longest */
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (int b = 1; b <= 2; b++) {
            ritz_matrix_options o = some[i].o;
            o.precision = RITZ_F32;
            ritz_matrix *m = NULL;
            OK(ritz_matrix_create(device, &o, b, 5, start, columns, NULL, &m));
            ritz_matrix_statistics s = {.size = sizeof s};
            OK(ritz_matrix_get_statistics(m, &s));
            assert_int_equal(s.n_rows, 5 * b);
            assert_int_equal(s.n_columns, 5 * b);
            assert_int_equal(s.nonzeros, 9 * b * b);
            assert_int_equal(s.blocks, 9);
            assert_int_equal(s.stored, some[i].slots * b * b);
            assert_true(s.factor == (double)some[i].slots / 9);
            assert_int_equal(s.shortest_row, 0);
            assert_int_equal(s.longest_row, 3);
            assert_true(s.mean_row == 9 / 5.0);
            assert_int_equal(s.slices, some[i].slices);
            assert_int_equal(s.product_bytes, 9 * (4 + 4 * b * b) + 2 * 5 * b * 4);
            assert_int_equal(s.bytes, ritz_matrix_bytes(m));
            ritz_matrix_destroy(&m);
        }
    /* 5 scalars in blocks of 2: entries (0,0) (0,3) (4,4) make blocks (0,0) (0,1) (2,2). */
    const int64_t scalar_start[] = {0, 2, 2, 2, 2, 3};
    const int32_t scalar_columns[] = {0, 3, 4};
    const double ones[] = {1, 1, 1};
    ritz_matrix *scalar = NULL, *m = NULL;
    const ritz_matrix_options o = {.slice_height = 1, .sort_window = 1, .precision = RITZ_F32};
    OK(ritz_matrix_create(device, &o, 1, 5, scalar_start, scalar_columns, ones, &scalar));
    OK(ritz_matrix_convert(scalar, &o, 2, &m));
    ritz_matrix_statistics s = {.size = sizeof s};
    OK(ritz_matrix_get_statistics(m, &s));
    assert_int_equal(s.nonzeros, 3);
    assert_int_equal(s.blocks, 3);
    assert_int_equal(s.stored, 12);
    assert_true(s.factor == 4);
    assert_int_equal(s.n_rows, 5);
    ritz_matrix_destroy(&scalar);
    ritz_matrix_destroy(&m);
}

/* Rows of a box of nodes, each coupled to its neighbours across cells, as bilinear elements couple them. */
static rows box_rows(int block, int nx, int ny, int nz)
{
    rows a = {.block = block, .n = (int64_t)nx * ny * nz, .n_columns = (int64_t)nx * ny * nz};
    a.start = calloc((size_t)a.n + 1, 8);
    a.columns = malloc((size_t)a.n * (nz > 1 ? 27 : 9) * 4);
    int64_t row = 0, at = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                for (int k = z > 0 ? z - 1 : 0; k <= z + 1 && k < nz; k++)
                    for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < ny; j++)
                        for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < nx; i++)
                            a.columns[at++] = (k * ny + j) * nx + i;
                a.start[++row] = at;
            }
    return a;
}

/* Table 2 of Zhang and Zhang (2013) for its structured meshes: nonzeros, and entries stored over nonzeros. */
static void table_2(void **state)
{
    (void)state;
    if (getenv("RITZ_TEST_SMALL"))
        return; /* interpreted kernels would take hours */
    const struct {
        int block, nx, ny, nz;
        int64_t nonzeros;
        double ellpack; /* two digits in the paper */
    } meshes[] = {{2, 401, 401, 1, 5769604, 1.00}, {3, 55, 55, 55, 38976723, 1.04}};
    for (int i = 0; i < 2; i++) {
        rows a = box_rows(meshes[i].block, meshes[i].nx, meshes[i].ny, meshes[i].nz);
        ritz_matrix_options o = {.precision = RITZ_F32};
        ritz_matrix *m = NULL, *whole = NULL;
        o.slice_height = 32;
        o.sort_window = RITZ_ALL_ROWS;
        OK(ritz_matrix_create(device, &o, a.block, a.n, a.start, a.columns, NULL, &m));
        o.slice_height = RITZ_ALL_ROWS;
        OK(ritz_matrix_convert(m, &o, a.block, &whole));
        ritz_matrix_statistics sliced = {.size = sizeof sliced}, flat = {.size = sizeof flat};
        OK(ritz_matrix_get_statistics(m, &sliced));
        OK(ritz_matrix_get_statistics(whole, &flat));
        assert_int_equal(sliced.nonzeros, meshes[i].nonzeros);
        assert_true(fabs(sliced.factor - 1) < 0.005);
        assert_true(fabs(flat.factor - meshes[i].ellpack) < 0.005);
        ritz_matrix_destroy(&m);
        ritz_matrix_destroy(&whole);
        free_rows(&a);
    }
}

/* ---- What is refused ---- */

static void refuse_status(ritz_status status, ritz_status expected, const char *part)
{
    assert_int_equal(status, expected);
    if (!strstr(ritz_message(), part))
        fail_msg("\"%s\" does not say \"%s\"", ritz_message(), part);
}

static void bad_input(void **state)
{
    (void)state;
    rows a = random_rectangle(1, 5, 7, 0.5, 0, -1, 10);
    ritz_matrix_options o = {.precision = RITZ_F32};
    ritz_matrix *m = NULL, *other = NULL;
    m = create_matrix(&a, o);
    refuse_status(ritz_matrix_convert(m, &o, 9, &other), RITZ_ERROR_INPUT, "1 to 8");
    o.items_per_row = 3;
    o.slice_height = 1;
    refuse_status(ritz_matrix_convert(m, &o, 1, &other), RITZ_ERROR_INPUT, "power of two");
    o.items_per_row = 4;
    o.slice_height = 8;
    refuse_status(ritz_matrix_convert(m, &o, 1, &other), RITZ_ERROR_INPUT, "slice_height to 1");
    refuse_status(
        ritz_matrix_convert(m, &(ritz_matrix_options){.precision = RITZ_F32, .values = RITZ_VALUES_F64}, 1, &other),
        RITZ_ERROR_INPUT, "vectors in f32");
    refuse_status(
        ritz_matrix_convert(m, &(ritz_matrix_options){.precision = RITZ_F32, .values = (ritz_value_type)9}, 1, &other),
        RITZ_ERROR_INPUT, "value type 9");
    o = (ritz_matrix_options){.precision = RITZ_F32, .n_columns = 6};
    refuse_status(ritz_matrix_create(device, &o, 1, 1, (int64_t[]){0, 1}, (int32_t[]){6}, NULL, &other),
                  RITZ_ERROR_INPUT, "0..5");
    o.n_columns = -1;
    refuse_status(ritz_matrix_create(device, &o, 1, a.n, a.start, a.columns, a.values, &other), RITZ_ERROR_INPUT,
                  "block columns");
    assert_null(other);

    double zeros[7] = {0};
    ritz_buffer *x = to_device(RITZ_F32, 7, zeros), *y = to_device(RITZ_F32, 5, zeros);
    refuse_status(ritz_matrix_product(m, &(ritz_product){.delta = 1}, x, y, NULL), RITZ_ERROR_INPUT, "square");
    refuse_status(ritz_matrix_product(m, &(ritz_product){.gamma = 1}, x, y, NULL), RITZ_ERROR_INPUT, "vector z");
    refuse_status(ritz_matrix_product(m, &(ritz_product){.partial = x}, x, y, NULL), RITZ_ERROR_INPUT, "square");
    refuse_status(ritz_matrix_apply(m, x, x, NULL), RITZ_ERROR_INPUT, "overwrite");
    refuse_status(ritz_matrix_apply(m, y, x, NULL), RITZ_ERROR_INPUT, "28 and 20 bytes");
    refuse_status(ritz_matrix_diagonal(m, y), RITZ_ERROR_INPUT, "no diagonal");
    ritz_buffer_destroy(&x);
    ritz_buffer_destroy(&y);
    ritz_matrix_destroy(&m);
    free_rows(&a);
}

/* Every host allocation of a conversion and of the way back fails once. */
static void failing_allocations(void **state)
{
    (void)state;
    if (wants_small()) /* the host's part, whatever the device */
        skip();
    rows a = random_rows(1, 40, 0.1, 1, -1, 1000);
    ritz_matrix *m = create_matrix(&a, (ritz_matrix_options){.precision = RITZ_F32});
    const ritz_matrix_options o = {.precision = RITZ_F32, .slice_height = RITZ_ALL_ROWS};
    for (int64_t n = 1;; n++) {
        ritz_matrix *other = NULL;
        ritz_rows *r = NULL;
        ritz_fail_allocation(n);
        ritz_status status = ritz_matrix_convert(m, &o, 3, &other);
        if (!status)
            status = ritz_matrix_get_rows(other, 1, &r);
        int64_t seen = ritz_fail_allocation(0);
        ritz_rows_destroy(&r);
        ritz_matrix_destroy(&other);
        if (seen < n) {
            assert_int_equal(status, RITZ_OK);
            assert_true(n > 10);
            break;
        }
        assert_true(status == RITZ_ERROR_MEMORY || status == RITZ_OK);
    }
    ritz_matrix_destroy(&m);
    free_rows(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),           cmocka_unit_test(format_is_known), cmocka_unit_test(parameters),
        cmocka_unit_test(value_types),       cmocka_unit_test(all_pairs),       cmocka_unit_test(shared_slices),
        cmocka_unit_test(scaled_by_factors), cmocka_unit_test(straight),        cmocka_unit_test(scalars_to_blocks),
        cmocka_unit_test(blocks_to_blocks),  cmocka_unit_test(passes),          cmocka_unit_test(padding),
        cmocka_unit_test(table_2),           cmocka_unit_test(bad_input),       cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
