/* The direct solver: closed forms, dense elimination in extended precision, inertia, right-hand sides one after the other,
   the same bits, and the names of what cannot be factorised. */
#include "check.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

/* In -1 .. 1 */
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

static bool has_f64(void)
{
    return ritz_device_get_info(device)->has_f64;
}

/* ---- Dense matrices, whose zeros are left out ---- */

typedef struct dense {
    int n;
    double *a; /* [n][n] */
} dense;

static dense make_dense(int n)
{
    return (dense){.n = n, .a = calloc((size_t)n * (size_t)n, sizeof(double))};
}

#define AT(m, i, j) (m).a[(size_t)(i) * (size_t)(m).n + (size_t)(j)]

static ritz_matrix *to_device(dense m, int block, const ritz_matrix_options *options)
{
    ritz_matrix *scalar = NULL, *blocked = NULL;
    int64_t *start = calloc((size_t)m.n + 1, sizeof *start);
    int32_t *columns = malloc((size_t)m.n * (size_t)m.n * sizeof *columns);
    double *values = malloc((size_t)m.n * (size_t)m.n * sizeof *values);
    for (int i = 0; i < m.n; i++) {
        start[i + 1] = start[i];
        for (int j = 0; j < m.n; j++)
            if (AT(m, i, j) != 0) {
                columns[start[i + 1]] = j;
                values[start[i + 1]++] = AT(m, i, j);
            }
    }
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = options->precision, .slice_height = 1}, 1, m.n,
                          start, columns, values, &scalar));
    OK(ritz_matrix_convert(scalar, options, block, &blocked));
    ritz_matrix_destroy(&scalar);
    free(start);
    free(columns);
    free(values);
    return blocked;
}

/* By elimination with pivots of columns, in extended precision. */
static void solve_dense(dense m, const double *b, double *x)
{
    const int n = m.n;
    long double *a = malloc(sizeof(long double) * (size_t)n * (size_t)(n + 1));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * (n + 1) + j] = AT(m, i, j);
        a[i * (n + 1) + n] = b[i];
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabsl(a[i * (n + 1) + k]) > fabsl(a[p * (n + 1) + k]) ? i : p;
        for (int j = k; j <= n; j++) {
            const long double swap = a[k * (n + 1) + j];
            a[k * (n + 1) + j] = a[p * (n + 1) + j];
            a[p * (n + 1) + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            const long double f = a[i * (n + 1) + k] / a[k * (n + 1) + k];
            for (int j = k; j <= n; j++)
                a[i * (n + 1) + j] -= f * a[k * (n + 1) + j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        long double sum = a[i * (n + 1) + n];
        for (int j = i + 1; j < n; j++)
            sum -= a[i * (n + 1) + j] * (long double)x[j];
        x[i] = (double)(sum / a[i * (n + 1) + i]);
    }
    free(a);
}

/* Entries beside the diagonal in a few places of each row, rows of very different sizes. `lean`: how far the halves differ;
   the diagonal outweighs the rest by `margin`, which may be negative. */
static dense random_matrix(int n, double lean, double margin)
{
    dense m = make_dense(n);
    double *size = malloc((size_t)n * sizeof *size);
    for (int i = 0; i < n; i++) {
        size[i] = pow(10, 3 * uniform());
        for (int k = 0; k < 4; k++) {
            const int j = (int)((uniform() + 1) / 2 * n) % n;
            if (j == i)
                continue;
            const double value = uniform();
            AT(m, i, j) = value;
            AT(m, j, i) = value + lean * uniform();
        }
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += j != i ? fabs(AT(m, i, j)) : 0;
        AT(m, i, i) = sum + margin;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            AT(m, i, j) *= size[i] * size[j]; /* symmetric up to rounding, as elements leave it */
    free(size);
    return m;
}

static void agree_vectors(const char *what, int n, const double *x, const double *expected, double tolerance)
{
    double difference = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        difference = fmax(difference, fabs(x[i] - expected[i]));
        largest = fmax(largest, fabs(expected[i]));
    }
    if (!(difference <= tolerance * largest))
        fail_msg("%s: differs by %g of %g", what, difference, largest);
}

/* Definite, indefinite and unsymmetric, in scalar and block formats, whole and half, in both precisions: five right-hand
   sides with one factorisation each. */
static void random_systems(void **state)
{
    (void)state;
    enum { N = 120 };
    static const ritz_factorisation expected[] = {RITZ_LDLT, RITZ_LDLT_PIVOTED, RITZ_LU};
    for (int kind = 0; kind < 3; kind++)
        for (int round = 0; round < 5; round++) {
            const bool single = round == 1 || !has_f64(), half = round == 2 && kind < 2 && !single;
            const int block = round == 0 || single ? 1 : round == 4 ? 7 : 3;
            dense m = random_matrix(N, kind == 2 ? 0.5 : 0, kind == 1 ? -1 : 0.1);
            const ritz_matrix_options format = {.precision = single ? RITZ_F32 : RITZ_F64,
                                                .storage = half ? RITZ_STORAGE_SYMMETRIC : RITZ_STORAGE_SLICES};
            ritz_matrix *a = to_device(m, block, &format);
            ritz_solver *solver = NULL;
            ritz_solve_report report = {0};
            double b[N], x[N], truth[N];
            for (int i = 0; single && i < N * N; i++)
                m.a[i] = (double)(float)m.a[i];
            OK(ritz_solver_create(a, &(ritz_solve_options){.method = RITZ_DIRECT}, &solver));
            for (int r = 0; r < 5; r++) {
                for (int i = 0; i < N; i++) {
                    b[i] = (double)(float)uniform();
                    x[i] = NAN; /* a start is not looked at */
                }
                solve_dense(m, b, truth);
                OK(ritz_solver_solve(solver, b, x, &report));
                agree_vectors(ritz_factorisation_name(expected[kind]), N, x, truth, single ? 1e-6 : 1e-13);
                assert_int_equal(report.method, RITZ_DIRECT);
                assert_int_equal(report.outcome, RITZ_CONVERGED);
                assert_true(report.converged && report.correction <= 1e-8);
            }
            assert_int_equal(report.direct.factorisation, expected[kind]);
            assert_true(report.direct.factor_nonzeros >= N && report.direct.bytes > 0);
            assert_true(kind == 1 ? report.direct.negative_pivots > 0 : report.direct.negative_pivots == 0);
            ritz_solver_destroy(&solver);
            ritz_matrix_destroy(&a);
            free(m.a);
        }
}

/* Second differences on m x m points less `shift`: eigenvalues 4 sin^2 + 4 sin^2 - shift, as many below zero as there are
   negative pivots. `open`: the ends are free. */
static dense second_differences(int m, double shift, bool open)
{
    dense a = make_dense(m * m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            const int p = i * m + j, next[2] = {p + 1, p + m};
            const bool there[2] = {j + 1 < m, i + 1 < m};
            AT(a, p, p) -= shift;
            for (int d = 0; d < 2; d++)
                if (there[d]) {
                    AT(a, p, next[d]) = AT(a, next[d], p) = -1;
                    AT(a, p, p) += 1;
                    AT(a, next[d], next[d]) += 1;
                }
            if (!open)
                AT(a, p, p) += (i == 0) + (i == m - 1) + (j == 0) + (j == m - 1);
        }
    return a;
}

static void inertia(void **state)
{
    (void)state;
    enum { M = 12, N = M * M };
    static const double shifts[] = {0, 0.5, 3.1, 7.9};
    const double pi = acos(-1);
    for (int s = 0; s < 4; s++) {
        int below = 0;
        for (int i = 1; i <= M; i++)
            for (int j = 1; j <= M; j++)
                below += 4 * pow(sin(i * pi / (2 * M + 2)), 2) + 4 * pow(sin(j * pi / (2 * M + 2)), 2) < shifts[s];
        dense m = second_differences(M, shifts[s], false);
        ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
        double b[N], x[N], truth[N];
        ritz_solve_report report = {0};
        for (int i = 0; i < N; i++)
            b[i] = uniform();
        solve_dense(m, b, truth);
        OK(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT}, b, x, &report));
        agree_vectors("second differences", N, x, truth, has_f64() ? 1e-12 : 1e-4);
        assert_int_equal(report.direct.negative_pivots, below);
        ritz_matrix_destroy(&a);
        free(m.a);
    }
}

/* An entry of rounding's size above the diagonal, whose mirror is not stored, leaves a matrix symmetric; a larger one does not. */
static void stray_entries(void **state)
{
    (void)state;
    enum { M = 5, N = M * M };
    static const double stray[] = {1e-300, 1e-17, 1e-3};
    for (int k = 0; k < 3; k++)
        for (int row = 0; row < N; row += N - 3) {
            dense m = second_differences(M, 0, false);
            double b[N], x[N] = {0};
            ritz_solve_report report = {0};
            AT(m, row, row + 2) = stray[k];
            ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
            for (int i = 0; i < N; i++)
                b[i] = uniform();
            OK(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT}, b, x, &report));
            assert_int_equal(report.direct.factorisation, k < 2 ? RITZ_LDLT : RITZ_LU);
            ritz_matrix_destroy(&a);
            free(m.a);
        }
}

/* A chain with prescribed values at both ends, in rows of a large diagonal, whose columns are left: no rounding, however large it is. */
static void prescribed_rows(void **state)
{
    (void)state;
    enum { N = 9 };
    for (int power = 0; power <= 30; power += 6) {
        const double large = pow(10, power);
        dense m = make_dense(N);
        double b[N] = {0}, x[N] = {0};
        for (int i = 1; i < N - 1; i++) {
            AT(m, i, i) = 2;
            AT(m, i, i - 1) = AT(m, i, i + 1) = -1;
        }
        AT(m, 0, 0) = AT(m, N - 1, N - 1) = large;
        b[N - 1] = large * (N - 1);
        ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
        OK(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT, .tolerance = 1e-6}, b, x, NULL));
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - i) < 1e-5);
        ritz_matrix_destroy(&a);
        free(m.a);
    }
}

/* A solution that single precision can not hold, though the factors are in double. */
static void out_of_range(void **state)
{
    (void)state;
    static const double scales[][2] = {{1e-10, 1e30}, {1e25, 1e-25}};
    for (int k = 0; k < 2; k++) {
        dense m = second_differences(3, 0, false);
        double b[9], x[9] = {0};
        for (int i = 0; i < 9; i++) {
            b[i] = scales[k][1];
            for (int j = 0; j < 9; j++)
                AT(m, i, j) *= scales[k][0];
        }
        ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = RITZ_F32});
        ritz_solve_report report = {0};
        assert_int_equal(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT}, b, x, &report), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "which single precision can not hold"));
        assert_true(!report.converged && x[0] == 0);
        ritz_matrix_destroy(&a);
        free(m.a);
    }
}

/* Every second pivot is zero without pivoting, whatever the order; eigenvalues 2, 2 and -1. */
static void zero_pivot(void **state)
{
    (void)state;
    static const double entries[3][3] = {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}}, b[3] = {3, 1, 1};
    dense m = make_dense(3);
    double x[3];
    ritz_solve_report report = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            AT(m, i, j) = entries[i][j];
    ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
    OK(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT, .tolerance = 1e-6}, b, x, &report));
    for (int i = 0; i < 3; i++)
        assert_true(fabs(x[i] - 1) < 1e-5);
    assert_int_equal(report.direct.factorisation, RITZ_LDLT_PIVOTED);
    assert_int_equal(report.direct.negative_pivots, 1);
    ritz_matrix_destroy(&a);
    free(m.a);
}

/* [[K, B'], [B, -small]]: next to nothing on the diagonal, or zeros, which no iterative method takes. */
static void solve_saddle_point(double small)
{
    enum { M = 8, K = M * M, N = K + 5 };
    dense k = second_differences(M, 0, true), m = make_dense(N);
    double b[N], x[N], truth[N];
    ritz_solve_report report = {0};
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++)
            AT(m, i, j) = AT(k, i, j);
    for (int c = 0; c < N - K; c++)
        for (int i = 0; i < K; i++)
            AT(m, K + c, i) = AT(m, i, K + c) = uniform();
    for (int c = 0; c < N - K; c++)
        AT(m, K + c, K + c) = -small;
    for (int i = 0; i < N; i++)
        b[i] = i < K ? uniform() : 0;
    ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
    solve_dense(m, b, truth);
    OK(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT}, b, x, &report));
    agree_vectors("saddle point", N, x, truth, has_f64() ? 1e-12 : 1e-4);
    assert_int_equal(report.direct.factorisation, RITZ_LDLT_PIVOTED);
    assert_int_equal(report.direct.negative_pivots, N - K);
    assert_true(report.direct.factor_nonzeros <
                N * N / 2); /* a scale of its own for such a diagonal put off every pivot */
    ritz_matrix_destroy(&a);
    free(k.a);
    free(m.a);
}

static void saddle_point(void **state)
{
    (void)state;
    static const double smalls[] = {0, 1e-4, 1e-10, 1e-30};
    for (size_t i = 0; i < sizeof smalls / sizeof *smalls; i++)
        solve_saddle_point(smalls[i]);
}

/* A bar of springs in a row that bends: K = S'S with second differences S, whose condition is m^4. Clamped at one end,
   1 at the other one: closed form. Refinement brings the solution of the matrix as it is stored, whose entries are exact
   here, to the last digits; the first correction tells the condition. */
static void ill_conditioned(void **state)
{
    (void)state;
    enum { N = 600 };
    dense m = make_dense(N);
    double *b = calloc(N, sizeof *b), *x = malloc(N * sizeof *x), *truth = malloc(N * sizeof *truth);
    ritz_solve_report report = {0};
    if (!has_f64())
        skip();
    for (int e = 0; e < N; e++) { /* x_(e-2) - 2 x_(e-1) + x_e, zeros before the first */
        static const double s[] = {1, -2, 1};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if (e - 2 + i >= 0 && e - 2 + j >= 0)
                    AT(m, e - 2 + i, e - 2 + j) += s[i] * s[j];
    }
    b[N - 1] = 1;
    for (int i = 0; i < N; i++) { /* S'S x = b: moments N - e, summed twice */
        truth[i] = 0;
        for (int e = 0; e <= i; e++)
            truth[i] += (double)(i - e + 1) * (N - e);
    }
    ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = RITZ_F64});
    OK(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT, .tolerance = 1e-12}, b, x, &report));
    agree_vectors("a slender bar", N, x, truth, 1e-14);
    assert_true(report.sensitivity > 1e-12 && report.sensitivity < 1e-3 && report.correction < 1e-12);
    ritz_matrix_destroy(&a);
    free(m.a);
    free(b);
    free(x);
    free(truth);
}

static void same_bits(void **state)
{
    (void)state;
    enum { M = 40, N = M * M };
    dense m = second_differences(M, 0.01, false);
    ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
    double *b = malloc(N * sizeof *b), *first = malloc(N * sizeof *b), *x = malloc(N * sizeof *b);
    for (int i = 0; i < N; i++)
        b[i] = uniform();
    for (int round = 0; round < 3; round++) {
        OK(ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT}, b, round ? x : first, NULL));
        if (round)
            assert_memory_equal(x, first, N * sizeof *x);
    }
    ritz_matrix_destroy(&a);
    free(m.a);
    free(b);
    free(first);
    free(x);
}

/* ---- What cannot be factorised ---- */

static ritz_status try_to_solve(dense m, const ritz_solve_options *options, const double *b, double *x)
{
    ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
    const ritz_status status = ritz_solve(a, options, b, x, NULL);
    ritz_matrix_destroy(&a);
    return status;
}

static void named_failures(void **state)
{
    (void)state;
    enum { M = 9, N = M * M };
    const ritz_solve_options direct = {.method = RITZ_DIRECT};
    double b[N], x[N];
    for (int i = 0; i < N; i++)
        b[i] = 1;
    dense m = second_differences(M, 0, true); /* constants are free */
    assert_int_equal(try_to_solve(m, &direct, b, x), RITZ_ERROR_INPUT);
    says("singular: 1 of its 81 unknowns");
    for (int j = 0; j < N; j++)
        AT(m, 40, j) = AT(m, j, 40) = 0;
    assert_int_equal(try_to_solve(m, &direct, b, x), RITZ_ERROR_INPUT);
    says("row 40 of the matrix is empty");
    free(m.a);
    m = second_differences(M, 0, false);
    OK(try_to_solve(m, &direct, memset(b, 0, sizeof b), x));
    for (int i = 0; i < N; i++)
        assert_true(x[i] == 0);
    b[7] = NAN;
    assert_int_equal(try_to_solve(m, &direct, b, x), RITZ_ERROR_INPUT);
    says("right-hand side is not a finite number in row 7");
    b[7] = 1e300;
    assert_int_equal(try_to_solve(m, &direct, b, x), RITZ_ERROR_INPUT);
    says(has_f64() ? "too large or too small" : "finite number in row 7");
    b[7] = 1;
    AT(m, 33, 34) = INFINITY;
    assert_int_equal(try_to_solve(m, &direct, b, x), RITZ_ERROR_INPUT);
    says("the matrix is not a finite number somewhere in row 33");
    free(m.a);
    /* Unsymmetric, and the same row twice. */
    m = random_matrix(N, 0.5, 0.1);
    for (int j = 0; j < N; j++)
        AT(m, 5, j) = AT(m, 6, j);
    assert_int_equal(try_to_solve(m, &direct, b, x), RITZ_ERROR_INPUT);
    says("singular");
    free(m.a);
}

/* Least eigenvalues of 10^-k / N: the solution, with fewer digits, or a name. */
static void nearly_singular(void **state)
{
    (void)state;
    enum { M = 9, N = M * M };
    const ritz_solve_options direct = {.method = RITZ_DIRECT};
    double b[N], x[N];
    if (!has_f64())
        skip();
    for (int i = 0; i < N; i++)
        b[i] = 1;
    for (int k = 6; k <= 18; k += 3) {
        dense m = second_differences(M, 0, true);
        AT(m, 0, 0) += pow(10, -k);
        const double held = AT(m, 0, 0) - 2; /* as it is stored */
        const ritz_status status = try_to_solve(m, &direct, b, x);
        if (k <= 9)
            assert_true(status == RITZ_OK && fabs(x[0] * held / N - 1) < 1e-7);
        else if (k >= 15) /* a pivot of 10^-k / 2, or the first correction */
            assert_true(status == RITZ_ERROR_INPUT || status == RITZ_ERROR_NOT_CONVERGED);
        if (status != RITZ_OK)
            says("the matrix is singular");
        free(m.a);
    }
}

static void memory(void **state)
{
    (void)state;
    enum { M = 20, N = M * M };
    dense m = second_differences(M, 0, false);
    double *b = calloc(N, sizeof *b), *x = calloc(N, sizeof *x);
    b[3] = 1;
    assert_int_equal(try_to_solve(m, &(ritz_solve_options){.method = RITZ_DIRECT, .memory_most = 1000}, b, x),
                     RITZ_ERROR_MEMORY);
    says("GB of the host's memory, and 1e-06 GB are allowed");
    says("400 unknowns");
    OK(try_to_solve(m, &(ritz_solve_options){.method = RITZ_DIRECT, .memory_most = 100000000}, b, x));
    ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
    int64_t n = 0, seen = 0;
    do { /* each allocation of the library's own */
        ritz_fail_allocation(++n);
        const ritz_status status = ritz_solve(a, &(ritz_solve_options){.method = RITZ_DIRECT}, b, x, NULL);
        seen = ritz_fail_allocation(0);
        assert_int_equal(status, seen >= n ? RITZ_ERROR_MEMORY : RITZ_OK);
    } while (seen >= n);
    assert_true(n > 10);
    ritz_matrix_destroy(&a);
    free(m.a);
    free(b);
    free(x);
}

static void interruption(void **state)
{
    (void)state;
    dense m = second_differences(10, 0, false);
    double b[100] = {1}, x[100];
    ritz_matrix *a = to_device(m, 1, &(ritz_matrix_options){.precision = has_f64() ? RITZ_F64 : RITZ_F32});
    ritz_solver *solver = NULL;
    const ritz_solve_options direct = {.method = RITZ_DIRECT};
    OK(ritz_solver_create(a, &direct, &solver));
    ritz_interrupt();
    assert_int_equal(ritz_solver_solve(solver, b, x, NULL), RITZ_INTERRUPTED);
    ritz_clear_interrupt();
    OK(ritz_solver_solve(solver, b, x, NULL));
    ritz_solver_destroy(&solver);
    ritz_interrupt();
    assert_int_equal(ritz_solver_create(a, &direct, &solver), RITZ_INTERRUPTED);
    assert_null(solver);
    ritz_clear_interrupt();
    ritz_matrix_destroy(&a);
    free(m.a);
}

static void options(void **state)
{
    (void)state;
    static const struct {
        ritz_solve_options options;
        const char *says;
    } bad[] = {
        {{.method = RITZ_DIRECT, .preconditioner = RITZ_JACOBI}, "a preconditioner is for an iterative method"},
        {{.method = RITZ_DIRECT, .degree = 3}, "a degree is for an iterative method"},
        {{.method = RITZ_DIRECT, .matrix = RITZ_MATRIX_HALF}, "half storage of the matrix is for an iterative method"},
        {{.method = RITZ_DIRECT, .max_iterations = 3}, "a number of iterations is for an iterative method"},
        {{.method = RITZ_CG, .memory_most = 3}, "a memory limit is for method direct"},
        {{.method = RITZ_DIRECT, .memory_most = -1}, "cannot take -1 bytes"},
    };
    dense m = second_differences(3, 0, false);
    double b[9] = {1}, x[9];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(try_to_solve(m, &bad[i].options, b, x), RITZ_ERROR_INPUT);
        says(bad[i].says);
    }
    free(m.a);
    assert_string_equal(ritz_factorisation_name((ritz_factorisation)99), "unknown");
    assert_string_equal(ritz_solve_method_name(RITZ_DIRECT), "direct");
}

/* What the library says that was built without it. */
static void not_built(void **state)
{
    (void)state;
    dense m = second_differences(3, 0, false);
    double b[9] = {1}, x[9];
    assert_int_equal(try_to_solve(m, &(ritz_solve_options){.method = RITZ_DIRECT}, b, x), RITZ_ERROR_INPUT);
    says("built without MUMPS");
    free(m.a);
}

int main(void)
{
    const struct CMUnitTest without[] = {cmocka_unit_test(not_built), cmocka_unit_test(options)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems), cmocka_unit_test(inertia),         cmocka_unit_test(zero_pivot),
        cmocka_unit_test(saddle_point),   cmocka_unit_test(ill_conditioned), cmocka_unit_test(same_bits),
        cmocka_unit_test(named_failures), cmocka_unit_test(nearly_singular), cmocka_unit_test(memory),
        cmocka_unit_test(interruption),   cmocka_unit_test(options),         cmocka_unit_test(stray_entries),
        cmocka_unit_test(out_of_range),   cmocka_unit_test(prescribed_rows),
    };
    return ritz_direct_is_built() ? cmocka_run_group_tests(tests, open_device, close_device)
                                  : cmocka_run_group_tests(without, open_device, close_device);
}
