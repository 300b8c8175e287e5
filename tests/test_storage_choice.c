/* Whether the solver stores matrices whole or in halves: what it chooses by itself, that both lead to the same solution,
   and what is refused. */
#include "check.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 13 }; /* blocks on either side of the diagonal, as many as those of a hex mesh's rows */

static ritz_precision precision(void)
{
    return ritz_device_get_info(device)->has_f64 ? RITZ_F64 : RITZ_F32;
}

/* n block rows of a band, symmetric but for the `skew` that is added to one entry, positive definite. */
static ritz_matrix *band(int block, int64_t n, double skew)
{
    const size_t bb = (size_t)(block * block);
    int64_t *start = calloc((size_t)n + 1, 8), at = 0;
    int32_t *columns = malloc((size_t)n * (2 * REACH + 1) * 4);
    double *values = malloc((size_t)n * (2 * REACH + 1) * bb * 8);
    ritz_matrix *a = NULL;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i > REACH ? i - REACH : 0; j <= i + REACH && j < n; j++, at++) {
            columns[at] = (int32_t)j;
            for (int r = 0; r < block; r++)
                for (int c = 0; c < block; c++)
                    values[(size_t)at * bb + (size_t)(r * block + c)] = i != j
                                                                            ? r == c ? -1 : 0.01 * sin((double)(i + j))
                                                                        : r == c ? 2 * REACH + 2
                                                                                 : 0.5;
        }
        start[i + 1] = at;
    }
    values[(size_t)start[n / 2] * bb + (size_t)block] += skew;
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = precision()}, block, n, start, columns, values,
                          &a));
    free(start);
    free(columns);
    free(values);
    return a;
}

/* Solves with a right-hand side of its own; x[n] from zero. */
static ritz_status solve_matrix(const ritz_matrix *a, ritz_solve_options o, double *x, ritz_solve_report *report)
{
    const int64_t n = ritz_matrix_n_rows(a);
    double *b = malloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) {
        b[i] = sin(0.1 * (double)i);
        x[i] = 0;
    }
    o.tolerance = precision() == RITZ_F64 ? 1e-9 : 1e-5;
    const ritz_status status = ritz_solve(a, &o, b, x, report);
    free(b);
    return status;
}

/* Block rows whose whole matrix is larger than the cache. */
static int64_t rows_beyond_cache(int block)
{
    const int64_t row = (2 * REACH + 1) * (block * block * ritz_real_bytes(precision()) + 4);
    return 5 * ritz_device_get_info(device)->global_cache / 4 / row + 2 * REACH;
}

static bool is_half(const ritz_matrix *a, ritz_solve_options o, double *x)
{
    ritz_solve_report report = {0};
    OK(solve_matrix(a, o, x, &report));
    return report.half;
}

/* Halves on CPUs for blocks of 3 beyond the cache and cg, unless a reason or the caller speaks against them. */
static void choice(void **state)
{
    (void)state;
    const ritz_device_info *info = ritz_device_get_info(device);
    if (info->kind != RITZ_DEVICE_CPU || info->global_cache == 0 || info->global_cache > 64 << 20) {
        print_message("not a CPU, or its cache takes too large a matrix\n");
        skip();
    }
    const int64_t n = rows_beyond_cache(3);
    ritz_matrix *large = band(3, n, 0), *skew = band(3, n, 1e-3), *small = band(3, 500, 0);
    ritz_matrix *narrow = band(2, rows_beyond_cache(2), 0);
    double *x = malloc((size_t)rows_beyond_cache(2) * 3 * 8);
    assert_true(is_half(large, (ritz_solve_options){0}, x));
    assert_false(is_half(large, (ritz_solve_options){.matrix = RITZ_MATRIX_WHOLE}, x));
    assert_false(is_half(large, (ritz_solve_options){.method = RITZ_BICGSTAB}, x));
    assert_false(is_half(skew, (ritz_solve_options){0}, x)); /* nearly symmetric: whole as it always was */
    assert_false(is_half(small, (ritz_solve_options){0}, x));
    assert_false(is_half(narrow, (ritz_solve_options){0}, x));
    OK(ritz_solve_store(&large, &(ritz_solve_options){0}));
    assert_true(ritz_matrix_is_half(large));
    OK(ritz_solve_store(&small, &(ritz_solve_options){0}));
    assert_false(ritz_matrix_is_half(small));
    free(x);
    ritz_matrix_destroy(&large);
    ritz_matrix_destroy(&skew);
    ritz_matrix_destroy(&small);
    ritz_matrix_destroy(&narrow);
}

/* Whole, halves, halves made by the caller and by `ritz_solve_store`: as many iterations and the same solution; of the halves the
   same bits. */
static void agreement(void **state)
{
    (void)state;
    ritz_matrix *a = band(3, 900, 0), *half = NULL, *stored = band(3, 900, 0);
    const int64_t n = ritz_matrix_n_rows(a);
    double *x[4];
    for (int i = 0; i < 4; i++)
        x[i] = malloc((size_t)n * 8);
    OK(ritz_matrix_convert(a, &(ritz_matrix_options){.precision = precision(), .storage = RITZ_STORAGE_SYMMETRIC}, 3,
                           &half));
    OK(ritz_solve_store(&stored, &(ritz_solve_options){.matrix = RITZ_MATRIX_HALF}));
    const int kinds = precision() == RITZ_F64 ? 3 : 2; /* Jacobi; a polynomial's matrix in f32; its vectors, too */
    for (int p = 0; p < kinds; p++) {
        ritz_solve_options o = {.preconditioner = p ? RITZ_LEAST_SQUARES : RITZ_JACOBI,
                                .degree = p == 1, /* long enough to end with single vectors */
                                .storage = p == 1 ? RITZ_VALUES_F32 : RITZ_VALUES_AS_VECTORS,
                                .tolerance = p == 1 && kinds == 3 ? 1e-10 : 0,
                                .vectors = p == 2 ? RITZ_VECTORS_SINGLE : RITZ_VECTORS_AUTOMATIC};
        ritz_solve_report report[4] = {{0}};
        OK(solve_matrix(stored, o, x[0], &report[0]));
        OK(solve_matrix(half, o, x[1], &report[1]));
        o.matrix = RITZ_MATRIX_HALF;
        OK(solve_matrix(a, o, x[2], &report[2]));
        o.matrix = RITZ_MATRIX_WHOLE;
        OK(solve_matrix(half, o, x[3], &report[3]));
        for (int i = 0; i < 4; i++) {
            assert_int_equal(report[i].half, i < 3);
            assert_int_equal(report[i].iterations, report[3].iterations);
            assert_true(p != 1 || kinds < 3 || report[i].double_iterations < report[i].iterations);
            assert_true(i == 3 || report[i].iteration_bytes < report[3].iteration_bytes);
            assert_true(i == 3 || memcmp(x[0], x[i], (size_t)n * 8) == 0);
        }
        for (int64_t i = 0; i < n; i++)
            assert_true(fabs(x[0][i] - x[3][i]) < (precision() == RITZ_F64 ? 1e-7 : 1e-2));
    }
    for (int i = 0; i < 4; i++)
        free(x[i]);
    ritz_matrix_destroy(&a);
    ritz_matrix_destroy(&half);
    ritz_matrix_destroy(&stored);
}

static void refuse_status(ritz_status status, const char *words)
{
    assert_int_equal(status, RITZ_ERROR_INPUT);
    if (!strstr(ritz_message(), words))
        fail_msg("'%s' does not say '%s'", ritz_message(), words);
}

static void refused(void **state)
{
    (void)state;
    ritz_matrix *skew = band(3, 100, 0.125), *kept = skew;
    double x[300];
    ritz_solve_options o = {.matrix = RITZ_MATRIX_HALF};
    refuse_status(solve_matrix(skew, o, x, NULL), "not symmetric");
    refuse_status(ritz_solve_store(&skew, &o), "not symmetric");
    assert_ptr_equal(skew, kept);
    o.method = RITZ_BICGSTAB;
    refuse_status(solve_matrix(skew, o, x, NULL), "bicgstab");
    o.matrix = (ritz_matrix_choice)3;
    refuse_status(solve_matrix(skew, o, x, NULL), "choices: auto, whole, half");
    ritz_matrix_destroy(&skew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice),
        cmocka_unit_test(agreement),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
