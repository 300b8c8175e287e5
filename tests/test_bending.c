/* Bending, where the residual of conjugate gradients stays above that of zero while the energy falls, and rounding keeps
   it above any tolerance. A clamped beam by finite differences, T^T T with second differences T from the clamp on, whose
   solution is two sums from each end. */
#include "check.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>

/* A u = 1 for n points; u by summing up twice from the free end, and twice from the clamp. */
static ritz_matrix *make_beam(int n, double *u)
{
    int64_t *start = calloc((size_t)n + 1, 8), at = 0;
    int32_t *columns = malloc((size_t)n * 5 * 4);
    double *values = malloc((size_t)n * 5 * 8);
    static const double t[3] = {1, -2, 1}; /* row i of T: points i, i - 1, i - 2 */
    for (int i = 0; i < n; i++) {
        for (int j = i > 1 ? i - 2 : 0; j <= (i < n - 2 ? i + 2 : n - 1); j++) {
            double sum = 0;
            for (int k = i > j ? i : j; k < n && k - i <= 2 && k - j <= 2; k++)
                sum += t[k - i] * t[k - j];
            columns[at] = j;
            values[at++] = sum;
        }
        start[i + 1] = at;
    }
    for (int i = n - 1; i >= 0; i--) /* T^T v = 1 */
        u[i] = 1 + (i < n - 1 ? 2 * u[i + 1] : 0) - (i < n - 2 ? u[i + 2] : 0);
    for (int i = 0; i < n; i++) /* T u = v */
        u[i] += (i > 0 ? 2 * u[i - 1] : 0) - (i > 1 ? u[i - 2] : 0);
    ritz_matrix *m = NULL;
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = RITZ_F64}, 1, n, start, columns, values, &m));
    free(start);
    free(columns);
    free(values);
    return m;
}

static double beam_error(ritz_matrix *a, int n, const double *u, const ritz_solve_options *options,
                         ritz_solve_report *report)
{
    double *b = malloc((size_t)n * 8), *x = calloc((size_t)n, 8), error = 0;
    for (int i = 0; i < n; i++)
        b[i] = 1;
    const ritz_status status = ritz_solve(a, options, b, x, report);
    if (status != RITZ_OK && report->outcome != RITZ_LIMITED_BY_ROUNDING)
        fail_msg("%s", ritz_message());
    for (int i = 0; i < n; i++)
        error = fmax(error, fabs(x[i] - u[i]) / u[n - 1]);
    free(b);
    free(x);
    return error;
}

/* The residual stays above that of zero for more than 5000 iterations, and the energy falls all the while. */
static void bending(void **state)
{
    (void)state;
    enum { N = 600 };
    if (getenv("RITZ_TEST_SMALL") || !ritz_device_get_info(device)->has_f64)
        skip();
    double u[N];
    ritz_solve_report report = {0};
    ritz_matrix *a = make_beam(N, u);
    const ritz_solve_options options = {.tolerance = 1e-3, .max_iterations = 100000};
    const double error = beam_error(a, N, u, &options, &report);
    for (int i = 1; i < report.history_count && i * report.history_stride < 5000; i++)
        assert_true(report.history[i] > 1);
    assert_true(report.iterations > 5000 && error < 1e-3);
    ritz_matrix_destroy(&a);
}

/* Rounding keeps the residual above the tolerance: the best iterate is reported as such, and is the solution but for what
   the condition makes of rounding. */
static void limited_by_rounding(void **state)
{
    (void)state;
    enum { N = 100 };
    if (getenv("RITZ_TEST_SMALL") || !ritz_device_get_info(device)->has_f64)
        skip();
    double u[N];
    ritz_solve_report report = {0};
    ritz_matrix *a = make_beam(N, u);
    const double error = beam_error(a, N, u, &(ritz_solve_options){.tolerance = 1e-14}, &report);
    assert_true(report.outcome == RITZ_LIMITED_BY_ROUNDING && !report.converged);
    assert_true(report.relative_residual > 1e-13 && report.relative_residual < 1e-3 && error < 1e-6);
    ritz_matrix_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bending), cmocka_unit_test(limited_by_rounding)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
