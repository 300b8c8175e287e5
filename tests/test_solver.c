/* What the solver keeps and tells: several right-hand sides, the history of residuals, rows that it takes in another
   order, systems on which it stands still, and an eigenvalue bound that turns out too low. */
#include "check.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ritz_precision precision(void)
{
    return ritz_device_get_info(device)->has_f64 ? RITZ_F64 : RITZ_F32;
}

/* A matrix of scalars from compressed rows, which it frees. */
static ritz_matrix *from_rows(int n, int64_t *start, int32_t *columns, double *values)
{
    ritz_matrix *a = NULL;
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = precision()}, 1, n, start, columns, values, &a));
    free(start);
    free(columns);
    free(values);
    return a;
}

/* Rows -1 + wind, 2, -1 - wind of a chain of n; with loose ends all rows add up to 0. */
static ritz_matrix *chain(int n, double wind, bool loose)
{
    int64_t *start = calloc((size_t)n + 1, 8);
    int32_t *columns = malloc((size_t)n * 3 * 4);
    double *values = malloc((size_t)n * 3 * 8);
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++, at++) {
            columns[at] = j;
            const double missing = loose && i == 0 ? 1 - wind : loose && i == n - 1 ? 1 + wind : 0;
            values[at] = i == j ? 2 - missing : j < i ? -1 + wind : -1 - wind;
        }
        start[i + 1] = at;
    }
    return from_rows(n, start, columns, values);
}

/* One solver for three right-hand sides gives the bits of three solvers, also where the polynomial's vectors become single
   on the way; a vector of zeros between them changes nothing. */
static void several(void **state)
{
    (void)state;
    enum { N = 150 };
    ritz_matrix *a = chain(N, 0, false);
    const ritz_solve_options options[] = {{.tolerance = 1e-6},
                                          {.method = RITZ_BICGSTAB, .tolerance = 1e-6},
                                          {.preconditioner = RITZ_LEAST_SQUARES, .degree = 3, .tolerance = 1e-6},
                                          {.preconditioner = RITZ_LEAST_SQUARES,
                                           .degree = 3,
                                           .storage = RITZ_VALUES_F32,
                                           .tolerance = a->precision == RITZ_F64 ? 1e-9 : 1e-6}};
    for (int o = 0; o < 4; o++) {
        ritz_solver *solver = NULL;
        OK(ritz_solver_create(a, &options[o], &solver));
        for (int k = 0; k < 3; k++) {
            double b[N], x[N] = {0}, alone[N] = {0};
            ritz_solve_report report = {0}, report_alone = {0};
            for (int i = 0; i < N; i++)
                b[i] = k == 1 ? 0 : sin(0.1 * (k + 1) * i + 1);
            OK(ritz_solver_solve(solver, b, x, &report));
            OK(ritz_solve(a, &options[o], b, alone, &report_alone));
            assert_memory_equal(x, alone, sizeof x);
            assert_true(report.converged && report.iterations == report_alone.iterations);
            assert_true(report.setup_seconds > 0 && report.iteration_bytes > 0);
            assert_true(report.iteration_bytes == report_alone.iteration_bytes);
            assert_int_equal(report.vectors, report_alone.vectors);
            assert_true(report.degree == options[o].degree && (o < 2 || report.largest_eigenvalue > 1));
            assert_true(report.history_stride == 1 && report.history_count == report.iterations + 1);
            const bool changes = o == 3 && k != 1 && a->precision == RITZ_F64;
            assert_true(!changes || (report.double_iterations > 0 && report.double_iterations < report.iterations &&
                                     report.vectors == RITZ_VALUES_F32));
            assert_true(k == 1 ? report.iterations == 0 && report.history[0] == 0 : report.history[0] == 1);
        }
        ritz_solver_destroy(&solver);
        assert_null(solver);
    }
    ritz_matrix_destroy(&a);
}

/* The history is what shorter solves reach, with a stride once there are many iterations. */
static void history(void **state)
{
    (void)state;
    enum { N = 3000 };
    ritz_matrix *a = chain(N, 0, false);
    double *b = calloc(N, 8), *x = calloc(N, 8);
    for (int i = 0; i < N; i++)
        b[i] = cos(0.01 * i * i);
    for (int method = RITZ_CG; method <= RITZ_BICGSTAB; method++) {
        ritz_solve_report whole = {0}, part = {0};
        ritz_solve_options o = {.method = (ritz_solve_method)method, .tolerance = 1e-13, .max_iterations = 2500};
        memset(x, 0, N * 8);
        (void)ritz_solve(a, &o, b, x, &whole);
        assert_true(whole.iterations > 2048 && whole.history_stride == 4);
        assert_int_equal(whole.history_count, whole.iterations / 4 + 1);
        assert_true(fabs(whole.history[0] - 1) < 1e-6);
        const int ends[] = {1, 8, 200, 1023, 1024, 2048};
        for (int e = 0; e < 6; e++) {
            o.max_iterations = ends[e];
            memset(x, 0, N * 8);
            (void)ritz_solve(a, &o, b, x, &part);
            assert_int_equal(part.iterations, ends[e]);
            assert_int_equal(part.history_stride, ends[e] < 1024 ? 1 : ends[e] < 2048 ? 2 : 4);
            assert_true(part.history[part.history_count - 1] == part.relative_residual);
            for (int i = 0; i < part.history_count; i++)
                if (i * part.history_stride % 4 == 0)
                    assert_true(part.history[i] == whole.history[i * part.history_stride / 4]);
        }
    }
    free(b);
    free(x);
    ritz_matrix_destroy(&a);
}

static int64_t count_launches(const ritz_matrix *a, ritz_solve_options o, int32_t iterations, const double *b)
{
    double *x = calloc((size_t)ritz_matrix_n_rows(a), 8);
    ritz_solve_report report = {0};
    o.max_iterations = iterations;
    const int64_t before = ritz_device_get_counters(device)->launches;
    assert_int_equal(ritz_solve(a, &o, b, x, &report), RITZ_ERROR_NOT_CONVERGED);
    assert_int_equal(report.iterations, iterations);
    free(x);
    return ritz_device_get_counters(device)->launches - before;
}

/* What an iteration sends: no kernel runs for scalars alone. */
static void launches(void **state)
{
    (void)state;
    enum { N = 1000, DEGREE = 3 };
    const int project = ritz_device_get_info(device)->kind == RITZ_DEVICE_CPU; /* a pass of its own */
    const int expected[2][2] = {{3, 3 + DEGREE}, {6 + project, 6 + project + 2 * (DEGREE + 1)}};
    ritz_matrix *a = chain(N, 0, false);
    double b[N];
    for (int i = 0; i < N; i++)
        b[i] = cos(0.01 * i * i);
    for (int method = RITZ_CG; method <= RITZ_BICGSTAB; method++)
        for (int polynomial = 0; polynomial < 2; polynomial++) {
            const ritz_solve_options o = {.method = (ritz_solve_method)method,
                                          .preconditioner = polynomial ? RITZ_LEAST_SQUARES : RITZ_JACOBI,
                                          .degree = polynomial ? DEGREE : 0,
                                          .tolerance = 1e-13};
            assert_int_equal(count_launches(a, o, 25, b) - count_launches(a, o, 15, b),
                             10 * expected[method][polynomial]);
        }
    ritz_matrix_destroy(&a);
}

/* On a long chain the residual falls at the very end only: too few iterations are no sign of a singular matrix. And no
   polynomial takes a negative diagonal, whatever the method. */
static void reasons(void **state)
{
    (void)state;
    enum { N = 400 };
    ritz_matrix *a = chain(N, 0, false), *negative = NULL;
    double b[N], x[N] = {0};
    for (int i = 0; i < N; i++)
        b[i] = 1;
    const ritz_solve_options few = {.max_iterations = 100};
    assert_int_equal(ritz_solve(a, &few, b, x, NULL), RITZ_ERROR_NOT_CONVERGED);
    assert_non_null(strstr(ritz_message(), "allow more iterations"));
    assert_non_null(strstr(ritz_message(), "does not fall steadily yet"));
    assert_null(strstr(ritz_message(), "singular"));
    ritz_matrix_destroy(&a);

    const int64_t start[] = {0, 1, 2};
    const int32_t columns[] = {0, 1};
    const double values[] = {1, -1};
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = precision()}, 1, 2, start, columns, values,
                          &negative));
    const ritz_solve_options polynomial = {.method = RITZ_BICGSTAB, .preconditioner = RITZ_LEAST_SQUARES};
    assert_int_equal(ritz_solve(negative, &polynomial, b, x, NULL), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "diagonal is negative (-1) in row 1"));
    ritz_matrix_destroy(&negative);
}

/* A singular system whose right-hand side is not in the matrix's range: no method comes closer than what is missing. */
static void stagnation(void **state)
{
    (void)state;
    enum { N = 60 };
    ritz_matrix *a = chain(N, 0.3, true);
    double b[N], x[N] = {0};
    ritz_solve_report report = {0};
    for (int i = 0; i < N; i++)
        b[i] = 1 + sin(i);
    const ritz_solve_options o = {.method = RITZ_BICGSTAB, .tolerance = 1e-6, .max_iterations = 400000};
    assert_int_equal(ritz_solve(a, &o, b, x, &report), RITZ_ERROR_NOT_CONVERGED);
    /* Which of these comes first is a matter of rounding. */
    const char *named[] = {"comes no closer", "broke down", "diverged"};
    if (!strstr(ritz_message(), named[0]) && !strstr(ritz_message(), named[1]) && !strstr(ritz_message(), named[2]))
        fail_msg("not named: %s", ritz_message());
    assert_true(report.iterations < 400000 && !report.converged);
    ritz_matrix_destroy(&a);
}

/* A residual that BiCGStab lets grow, and grow: it does not go on to the limit of its iterations before GMRES has its turn. */
static void divergence(void **state)
{
    (void)state;
    enum { N = 900, LIMIT = 20000 };
    ritz_matrix *a = chain(N, 0, true);
    double b[N], x[N] = {0};
    ritz_solve_report report = {0};
    for (int i = 0; i < N; i++)
        b[i] = 1 + cos(0.01 * i * i);
    const ritz_solve_options o = {
        .method = RITZ_BICGSTAB, .preconditioner = RITZ_MULTIGRID, .tolerance = 1e-6, .max_iterations = LIMIT};
    const int64_t before = ritz_device_get_counters(device)->launches;
    assert_int_equal(ritz_solve(a, &o, b, x, &report), RITZ_ERROR_NOT_CONVERGED);
    assert_true(ritz_device_get_counters(device)->launches - before < LIMIT); /* an iteration takes six */
    ritz_matrix_destroy(&a);
}

static void refused(void **state)
{
    (void)state;
    const int64_t start[] = {0, 1, 2};
    const int32_t columns[] = {0, 1};
    const double values[] = {1, 1};
    double b[3] = {1, 1, 1}, x[3] = {0};
    ritz_matrix *a = NULL;
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = precision(), .n_columns = 3}, 1, 2, start,
                          columns, values, &a));
    assert_int_equal(ritz_solve(a, NULL, b, x, NULL), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "square"));
    ritz_matrix_destroy(&a);
}

/* ---- Rows in the order in which they are sorted ---- */

/* A chain with loops, so that neighbours have rows of different length; diagonal[row] = value where row is not -1. */
static ritz_matrix *loops(int n, int row, double value)
{
    static const int beside[] = {-11, -5, -1, 0, 1, 5, 11};
    int64_t *start = calloc((size_t)n + 1, 8), at = 0;
    int32_t *columns = malloc((size_t)n * 7 * 4);
    double *values = malloc((size_t)n * 7 * 8);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 7; k++) {
            const int j = i + beside[k], low = i < j ? i : j, d = abs(beside[k]);
            if (j < 0 || j >= n || (d == 5 && low % 3 != 0) || (d == 11 && low % 4 != 1))
                continue;
            columns[at] = j;
            values[at++] = d > 0 ? -1 : i == row ? value : 8 + i % 3;
        }
        start[i + 1] = at;
    }
    return from_rows(n, start, columns, values);
}

/* Solutions come back in the caller's order, starts are taken in it, and messages name its rows. */
static void sorted_rows(void **state)
{
    (void)state;
    enum { N = 10007, ROW = 5117 };
    ritz_matrix *a = loops(N, -1, 0), *bad = loops(N, ROW, -2), *ordered = NULL;
    static double truth[N], b[N], x[N];
    const ritz_solve_options options[] = {{.tolerance = 1e-6},
                                          {.method = RITZ_BICGSTAB, .tolerance = 1e-6},
                                          {.preconditioner = RITZ_CHEBYSHEV, .degree = 3, .tolerance = 1e-6}};
    OK(ritz_matrix_sort_rows(a, &ordered));
    assert_non_null(ordered);
    ritz_matrix_destroy(&ordered);
    for (int i = 0; i < N; i++)
        truth[i] = sin(0.3 * i + 1e-3 * i * i);
    OK(ritz_matrix_multiply(a, truth, b));
    for (int o = 0; o < 3; o++) {
        ritz_solve_report report = {0};
        memset(x, 0, sizeof x);
        OK(ritz_solve(a, &options[o], b, x, &report));
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - truth[i]) < 1e-4);
        OK(ritz_solve(a, &options[o], b, x, &report));
        assert_true(report.iterations <= 1); /* from there it is solved */
        b[ROW] = INFINITY;
        assert_int_equal(ritz_solve(a, &options[o], b, x, &report), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "in row 5117;"));
        OK(ritz_matrix_multiply(a, truth, b));
    }
    assert_int_equal(ritz_solve(bad, &options[0], b, x, NULL), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "diagonal is negative (-2) in row 5117"));
    ritz_matrix_destroy(&a);
    ritz_matrix_destroy(&bad);
}

/* ---- A bound that is too low ---- */

/* Entry i of the vector that Lanczos starts from, times 2^24: kernels/precondition.cl. */
static int64_t start_entry(uint32_t i)
{
    uint32_t h = i * 2654435761u + 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    h ^= h >> 16;
    return 2 * (int64_t)(h >> 8) + 1 - (1 << 24);
}

typedef struct entry {
    int64_t value;
    int32_t at;
} entry;

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = llabs(((const entry *)a)->value), y = llabs(((const entry *)b)->value);
    return (x > y) - (x < y);
}

/* Two unknowns whose entries of the start are opposite: what ties them makes the vector (1, 1) one of the matrix's, with
   the largest eigenvalue, and the steps never see it. */
static bool opposite(int n, int32_t *i, int32_t *j)
{
    entry *all = malloc((size_t)n * sizeof *all);
    bool found = false;
    for (int32_t k = 0; k < n; k++)
        all[k] = (entry){start_entry((uint32_t)k), k};
    qsort(all, (size_t)n, sizeof *all, compare_numbers);
    for (int32_t k = 0; k + 1 < n && !found; k++)
        if (all[k].value == -all[k + 1].value) {
            *i = all[k].at < all[k + 1].at ? all[k].at : all[k + 1].at;
            *j = all[k].at + all[k + 1].at - *i;
            found = true;
        }
    free(all);
    return found;
}

static void bound_raised(void **state)
{
    (void)state;
    enum { N = 40000 };
    int32_t i = 0, j = 0;
    assert_true(opposite(N, &i, &j));
    int64_t *start = calloc(N + 1, 8);
    int32_t *columns = malloc((N + 2) * sizeof *columns);
    double *values = malloc((N + 2) * 8), *b = malloc(N * 8), *x = calloc(N, 8);
    int64_t at = 0;
    for (int32_t row = 0; row < N; row++) {
        for (int32_t k = 0; k < 2; k++) {
            const int32_t column = k == 0 ? i : j;
            const bool other = (row == i && column == j) || (row == j && column == i);
            if (other && column < row) {
                columns[at] = column;
                values[at++] = 0.9;
            }
        }
        columns[at] = row;
        values[at++] = 1;
        if (row == i) {
            columns[at] = j;
            values[at++] = 0.9;
        }
        start[row + 1] = at;
        b[row] = row == i || row == j ? 2 : 1;
    }
    ritz_matrix *a = from_rows(N, start, columns, values);
    ritz_solve_report report = {0};
    OK(ritz_solve(a, &(ritz_solve_options){.preconditioner = RITZ_LEAST_SQUARES, .degree = 5, .tolerance = 1e-6}, b, x,
                  &report));
    assert_true(report.converged && report.largest_eigenvalue > 1.5);
    for (int32_t row = 0; row < N; row++)
        assert_true(fabs(x[row] - (row == i || row == j ? 2 / 1.9 : 1)) < 1e-4);
    ritz_matrix_destroy(&a);
    free(b);
    free(x);
}

/* Rows -1, diagonal[i], -1; beside the diagonal of row `wrong` NaN, unless it is negative. */
static ritz_matrix *chain_of(int n, const double *diagonal, int wrong)
{
    int64_t *start = calloc((size_t)n + 1, 8);
    int32_t *columns = malloc((size_t)n * 3 * 4);
    double *values = malloc((size_t)n * 3 * 8);
    for (int i = 0; i < n; i++) {
        int64_t at = start[i];
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++, at++) {
            columns[at] = j;
            values[at] = i == j ? diagonal[i] : i == wrong ? NAN : -1;
        }
        start[i + 1] = at;
    }
    return from_rows(n, start, columns, values);
}

/* z = r / diagonal. */
static ritz_status divide(const ritz_vector *r, ritz_vector *z, void *context)
{
    const double *diagonal = context;
    double values[200];
    ritz_status status = ritz_vector_read(r, values);
    for (int64_t i = 0; i < ritz_vector_size(r); i++)
        values[i] /= diagonal[i];
    return status ? status : ritz_vector_write(z, values);
}

/* A chain held at both ends by penalties, which are nearly all of the right-hand side: x = 100 i / (N - 1). */
static void penalties(void **state)
{
    (void)state;
    enum { N = 150 };
    const double penalty = precision() == RITZ_F64 ? 1e8 : 1e4;
    double diagonal[N], b[N] = {[N - 1] = 100 * penalty};
    for (int i = 0; i < N; i++)
        diagonal[i] = i == 0 || i == N - 1 ? 1 + penalty : 2;
    ritz_matrix *a = chain_of(N, diagonal, -1);
    const ritz_solve_options options[] = {
        {.preconditioner = RITZ_JACOBI},
        {.preconditioner = RITZ_NO_PRECONDITIONER},
        {.precondition = divide, .precondition_context = diagonal},
        {.method = RITZ_BICGSTAB, .precondition = divide, .precondition_context = diagonal},
        {.method = RITZ_GMRES, .preconditioner = RITZ_NO_PRECONDITIONER}};
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        double x[N] = {0};
        ritz_solve_report report = {0};
        OK(ritz_solve(a, &options[o], b, x, &report));
        assert_true(report.converged && report.iterations > 50);
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - 100. * i / (N - 1)) <
                        (precision() == RITZ_F64 ? 1e-2 : 5)); /* condition times tolerance */
    }
    ritz_matrix_destroy(&a);
}

/* A wrong diagonal in the last of blocks in which the rows end is named as any other. */
static void wrong_diagonal_at_the_end(void **state)
{
    (void)state;
    enum { N = 184 };
    static const double wrong[] = {0, -1, NAN};
    for (int k = 0; k < 3; k++) {
        int64_t *start = calloc(N + 1, 8);
        int32_t *columns = malloc(N * 4);
        double *values = malloc(N * 8);
        for (int i = 0; i < N; i++) {
            columns[i] = i;
            values[i] = i == N - 1 ? wrong[k] : 2;
            start[i + 1] = i + 1;
        }
        ritz_matrix *a = from_rows(N, start, columns, values), *blocked = NULL;
        ritz_solver *solver = NULL;
        OK(ritz_matrix_convert(a, &(ritz_matrix_options){.precision = precision()}, 5, &blocked));
        assert_int_equal(ritz_solver_create(blocked, NULL, &solver), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "in row 183"));
        ritz_matrix_destroy(&blocked);
        ritz_matrix_destroy(&a);
    }
}

/* An update with a number that is none, beside the diagonal, names its row as a new solver does. */
static void update_names_the_row(void **state)
{
    (void)state;
    enum { N = 3000 }; /* more than a single level of multigrid */
    const ritz_preconditioner preconditioners[] = {RITZ_CHEBYSHEV, RITZ_MULTIGRID};
    static double b[N], x[N], diagonal[N];
    for (int i = 0; i < N; i++) {
        b[i] = 1;
        diagonal[i] = 2;
    }
    for (int p = 0; p < 2; p++) {
        ritz_matrix *sound = chain(N, 0, false), *wrong = chain_of(N, diagonal, 77);
        ritz_solver *solver = NULL;
        OK(ritz_solver_create(sound, &(ritz_solve_options){.preconditioner = preconditioners[p], .updatable = true},
                              &solver));
        assert_int_equal(ritz_solver_update(solver, wrong), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "row 77"));
        assert_int_equal(ritz_solver_solve(solver, b, x, NULL), RITZ_ERROR_INPUT);
        OK(ritz_solver_update(solver, sound));
        OK(ritz_solver_solve(solver, b, x, NULL));
        ritz_solver_destroy(&solver);
        ritz_matrix_destroy(&sound);
        ritz_matrix_destroy(&wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several),
        cmocka_unit_test(history),
        cmocka_unit_test(launches),
        cmocka_unit_test(reasons),
        cmocka_unit_test(stagnation),
        cmocka_unit_test(divergence),
        cmocka_unit_test(refused),
        cmocka_unit_test(sorted_rows),
        cmocka_unit_test(bound_raised),
        cmocka_unit_test(penalties),
        cmocka_unit_test(wrong_diagonal_at_the_end),
        cmocka_unit_test(update_names_the_row),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
