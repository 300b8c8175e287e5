/* Matrices, rows on the host, Matrix Market, solvers, with every argument spoiled. */
#include "api.h"

#include <stddef.h>

/* ---- Matrices ---- */

static const ritz_matrix_options bad_options[] = {{.size = 1},
                                                  {.size = SIZE_MAX},
                                                  {.slice_height = -1},
                                                  {.sort_window = -1},
                                                  {.precision = (ritz_precision)7},
                                                  {.precision = (ritz_precision)-1},
                                                  {.values = (ritz_value_type)99},
                                                  {.values = (ritz_value_type)-1},
                                                  {.storage = (ritz_matrix_storage)99},
                                                  {.storage = (ritz_matrix_storage)-1},
                                                  {.items_per_row = -1},
                                                  {.slice_height = 1, .items_per_row = 3},
                                                  {.slice_height = 1, .items_per_row = 1 << 30}};
enum { BAD_OPTIONS = sizeof bad_options / sizeof *bad_options };
static const int no_blocks[] = {0, -1, 9, INT32_MAX, INT32_MIN};

static void formats(void)
{
    ritz_matrix_options options;
    bool blocked;
    REFUSES(ritz_format_from_name(NULL, &options, &blocked));
    REFUSES(ritz_format_from_name("csr", NULL, &blocked));
    REFUSES(ritz_format_from_name("csr", &options, NULL));
    REFUSES(ritz_format_from_name("", &options, &blocked));
    assert_null(ritz_format_name(-1));
    assert_null(ritz_format_name(1000));
    assert_null(ritz_format_name(INT32_MAX));
}

static void matrix_create(void)
{
    ritz_matrix *m = NULL;
    REFUSES(ritz_matrix_create(NULL, NULL, 1, N, row_start, columns, values, &m));
    REFUSES(ritz_matrix_create(device, NULL, 1, N, NULL, columns, values, &m));
    REFUSES(ritz_matrix_create(device, NULL, 1, N, row_start, NULL, values, &m));
    REFUSES(ritz_matrix_create(device, NULL, 1, N, row_start, columns, values, NULL));
    for (int i = 0; i < 5; i++)
        REFUSES(ritz_matrix_create(device, NULL, no_blocks[i], N, row_start, columns, values, &m));
    static const int64_t no_rows[] = {0, -1, INT64_MIN, INT64_MAX, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        REFUSES(ritz_matrix_create(device, NULL, 1, no_rows[i], row_start, columns, values, &m));
        const ritz_matrix_options options = {.n_columns = no_rows[i]};
        if (no_rows[i] != 0)
            REFUSES(ritz_matrix_create(device, &options, 1, N, row_start, columns, values, &m));
    }
    for (int i = 0; i < BAD_OPTIONS; i++)
        REFUSES(ritz_matrix_create(device, &bad_options[i], 1, N, row_start, columns, values, &m));
    static const int64_t no_starts[][4] = {{1, 2, 4, 5}, {-1, 2, 4, 5}, {0, 4, 2, 5}, {0, 2, 4, INT64_MAX}};
    for (int i = 0; i < 4; i++)
        REFUSES(ritz_matrix_create(device, NULL, 1, N, no_starts[i], columns, values, &m));
    static const int32_t no_columns[] = {78, -1, 1, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        const int32_t spoiled[] = {0, 1, no_columns[i], 1, 2};
        REFUSES(ritz_matrix_create(device, NULL, 1, N, row_start, spoiled, values, &m));
    }
    assert_null(m);
    DESTROYS(ritz_matrix_destroy, ritz_matrix);
}

static void matrix_convert(void)
{
    ritz_matrix *m = NULL;
    REFUSES(ritz_matrix_convert(NULL, NULL, 1, &m));
    REFUSES(ritz_matrix_convert(matrix, NULL, 1, NULL));
    for (int i = 0; i < 5; i++)
        REFUSES(ritz_matrix_convert(matrix, NULL, no_blocks[i], &m));
    for (int i = 0; i < BAD_OPTIONS; i++)
        REFUSES(ritz_matrix_convert(matrix, &bad_options[i], 1, &m));
    assert_null(m);
}

static void matrix_getters(void)
{
    assert_int_equal(ritz_matrix_n_rows(NULL), 0);
    assert_int_equal(ritz_matrix_n_columns(NULL), 0);
    assert_int_equal(ritz_matrix_nonzeros(NULL), 0);
    assert_int_equal(ritz_matrix_bytes(NULL), 0);
}

/* A program of an earlier version has a shorter struct: nothing behind it is written. */
static void matrix_statistics(void)
{
    ritz_matrix_statistics statistics = {.size = offsetof(ritz_matrix_statistics, bytes), .bytes = -7};
    REFUSES(ritz_matrix_get_statistics(NULL, &statistics));
    REFUSES(ritz_matrix_get_statistics(matrix, NULL));
    OK(ritz_matrix_get_statistics(matrix, &statistics));
    assert_true(statistics.n_rows == N && statistics.nonzeros == 5 && statistics.bytes == -7);
    statistics.size = 3;
    REFUSES(ritz_matrix_get_statistics(matrix, &statistics));
}

static void matrix_multiply(void)
{
    double y[N];
    const double x[] = {NAN, 1, INFINITY};
    REFUSES(ritz_matrix_multiply(NULL, ones, y));
    REFUSES(ritz_matrix_multiply(matrix, NULL, y));
    REFUSES(ritz_matrix_multiply(matrix, ones, NULL));
    OK(ritz_matrix_multiply(matrix, x, y)); /* as arithmetic has it */
    assert_true(!isfinite(y[0]) && !isfinite(y[2]));
}

/* ---- Rows on the host, Matrix Market ---- */

static ritz_rows some_rows(void)
{
    return (ritz_rows){1, N, N, (int64_t *)row_start, (int32_t *)columns, (double *)values};
}

/* Rows that are none, one after the other; false past the last. */
static bool spoil_rows(int number, ritz_rows *rows)
{
    static const int64_t backwards[] = {0, 4, 2, 5}, late[] = {1, 2, 4, 5};
    static int32_t beyond[] = {0, 1, 0, 78, 2}, negative[] = {-1, 1, 0, 1, 2}, twice[] = {1, 1, 0, 1, 2};
    *rows = some_rows();
    switch (number) {
    case 0:
        return rows->block = 0, true;
    case 1:
        return rows->block = -1, true;
    case 2:
        return rows->n_rows = -1, true;
    case 3:
        return rows->n_rows = INT64_MAX, true;
    case 4:
        return rows->n_columns = -1, true;
    case 5:
        return rows->n_columns = INT64_MAX, true;
    case 6:
        return rows->row_start = NULL, true;
    case 7:
        return rows->columns = NULL, true;
    case 8:
        return rows->values = NULL, true;
    case 9:
        return rows->columns = beyond, true;
    case 10:
        return rows->columns = negative, true;
    case 11:
        return rows->columns = twice, true;
    case 12:
        return rows->row_start = (int64_t *)backwards, true;
    case 13:
        return rows->row_start = (int64_t *)late, true;
    default:
        return false;
    }
}

static void matrix_rows(void)
{
    ritz_matrix *m = NULL;
    ritz_rows rows = some_rows(), *got = NULL;
    REFUSES(ritz_matrix_create_from_rows(NULL, NULL, &rows, &m));
    REFUSES(ritz_matrix_create_from_rows(device, NULL, NULL, &m));
    REFUSES(ritz_matrix_create_from_rows(device, NULL, &rows, NULL));
    for (int i = 0; i < BAD_OPTIONS; i++)
        REFUSES(ritz_matrix_create_from_rows(device, &bad_options[i], &rows, &m));
    for (int i = 0; spoil_rows(i, &rows); i++)
        REFUSES(ritz_matrix_create_from_rows(device, NULL, &rows, &m));
    REFUSES(ritz_matrix_get_rows(NULL, 1, &got));
    REFUSES(ritz_matrix_get_rows(matrix, 1, NULL));
    for (int i = 0; i < 5; i++)
        REFUSES(ritz_matrix_get_rows(matrix, no_blocks[i], &got));
    assert_true(m == NULL && got == NULL);
    DESTROYS(ritz_rows_destroy, ritz_rows);
}

static void market_read(void)
{
    ritz_rows *rows = NULL;
    REFUSES(ritz_market_read(NULL, NULL, &rows));
    REFUSES(ritz_market_read("a.mtx", NULL, NULL));
    FAILS(RITZ_ERROR_FILE, ritz_market_read("/nowhere/a.mtx", NULL, &rows));
    assert_null(rows);
}

static void market_write(void)
{
    const ritz_market_kind bad[] = {{.field = (ritz_market_field)99},
                                    {.field = (ritz_market_field)-1},
                                    {.symmetry = (ritz_market_symmetry)99},
                                    {.symmetry = (ritz_market_symmetry)-1}};
    ritz_rows rows = some_rows();
    REFUSES(ritz_market_write(NULL, NULL, &rows));
    REFUSES(ritz_market_write(scratch, NULL, NULL));
    FAILS(RITZ_ERROR_FILE, ritz_market_write("/nowhere/a.mtx", NULL, &rows));
    for (int i = 0; i < 4; i++)
        REFUSES(ritz_market_write(scratch, &bad[i], &rows));
    for (int i = 0; spoil_rows(i, &rows); i++)
        REFUSES(ritz_market_write(scratch, NULL, &rows));
    double spoiled[] = {2, 1, NAN, 3, 4};
    rows = some_rows();
    rows.values = spoiled;
    REFUSES(ritz_market_write(scratch, NULL, &rows));
    spoiled[2] = INFINITY;
    REFUSES(ritz_market_write(scratch, NULL, &rows));
    assert_int_equal(access(scratch, F_OK), -1);
}

/* ---- Solvers ---- */

static void solve_names(void)
{
    assert_string_equal(ritz_solve_method_name((ritz_solve_method)99), "unknown");
    assert_string_equal(ritz_solve_outcome_name((ritz_solve_outcome)-1), "unknown");
    assert_string_equal(ritz_preconditioner_name((ritz_preconditioner)99), "unknown");
    assert_string_equal(ritz_preconditioner_name((ritz_preconditioner)-1), "unknown");
    assert_string_equal(ritz_matrix_choice_name((ritz_matrix_choice)99), "unknown");
    assert_string_equal(ritz_matrix_choice_name((ritz_matrix_choice)-1), "unknown");
    assert_string_equal(ritz_storage_name((ritz_value_type)99), "unknown");
    assert_string_equal(ritz_factorisation_name((ritz_factorisation)99), "unknown");
    assert_string_equal(ritz_factorisation_name((ritz_factorisation)-1), "unknown");
    assert_in_range(ritz_direct_is_built(), 0, 1);
    assert_string_equal(ritz_storage_name((ritz_value_type)-1), "unknown");
}

static const ritz_solve_options bad_solves[] = {
    {.method = (ritz_solve_method)99},
    {.method = (ritz_solve_method)-1},
    {.preconditioner = (ritz_preconditioner)99},
    {.preconditioner = (ritz_preconditioner)-1},
    {.preconditioner = RITZ_JACOBI, .degree = 3},
    {.preconditioner = RITZ_MULTIGRID, .degree = 1},
    {.preconditioner = RITZ_MULTIGRID, .degree = 9},
    {.preconditioner = RITZ_MULTIGRID, .unknowns_per_node = 9},
    {.preconditioner = RITZ_MULTIGRID, .unknowns_per_node = -1},
    {.preconditioner = RITZ_MULTIGRID, .near_nullspace = &(double){1}},
    {.preconditioner = RITZ_MULTIGRID, .near_nullspace = &(double){1}, .near_nullspace_columns = 9},
    {.preconditioner = RITZ_CHEBYSHEV, .degree = -1},
    {.preconditioner = RITZ_CHEBYSHEV, .degree = 1000000},
    {.preconditioner = RITZ_CHEBYSHEV, .storage = (ritz_value_type)99},
    {.preconditioner = RITZ_CHEBYSHEV, .storage = (ritz_value_type)-1},
    {.vectors = (ritz_vectors_choice)99},
    {.vectors = (ritz_vectors_choice)-1},
    {.matrix = (ritz_matrix_choice)99},
    {.matrix = (ritz_matrix_choice)-1},
    {.tolerance = -1},
    {.tolerance = 1},
    {.tolerance = NAN},
    {.tolerance = INFINITY},
    {.max_iterations = -1},
    {.max_iterations = INT32_MIN},
    {.max_iterations = INT32_MAX},
};
enum { BAD_SOLVES = sizeof bad_solves / sizeof *bad_solves };

static void solver_create(void)
{
    ritz_solver *s = NULL;
    REFUSES(ritz_solver_create(NULL, NULL, &s));
    REFUSES(ritz_solver_create(matrix, NULL, NULL));
    for (int i = 0; i < BAD_SOLVES; i++)
        REFUSES(ritz_solver_create(matrix, &bad_solves[i], &s));
    assert_null(s);
    DESTROYS(ritz_solver_destroy, ritz_solver);
}

static void solver_update(void)
{
    REFUSES(ritz_solver_update(NULL, matrix));
    REFUSES(ritz_solver_update(solver, NULL));
    REFUSES(ritz_solver_update(solver, matrix)); /* not made for that */
}

static void solver_solve(void)
{
    static const double no_numbers[] = {NAN, INFINITY};
    ritz_solve_report report = {0};
    double x[N] = {0};
    REFUSES(ritz_solver_solve(NULL, ones, x, &report));
    REFUSES(ritz_solver_solve(solver, NULL, x, &report));
    REFUSES(ritz_solver_solve(solver, ones, NULL, &report));
    for (int i = 0; i < 2; i++) {
        double spoiled[] = {1, no_numbers[i], 1};
        REFUSES(ritz_solver_solve(solver, spoiled, x, &report));
        REFUSES(ritz_solver_solve(solver, ones, spoiled, &report));
    }
}

static void solve_matrix(void)
{
    static const double no_numbers[] = {NAN, INFINITY};
    double x[N] = {0};
    REFUSES(ritz_solve(NULL, NULL, ones, x, NULL));
    REFUSES(ritz_solve(matrix, NULL, NULL, x, NULL));
    REFUSES(ritz_solve(matrix, NULL, ones, NULL, NULL));
    for (int i = 0; i < BAD_SOLVES; i++)
        REFUSES(ritz_solve(matrix, &bad_solves[i], ones, x, NULL));
    for (int i = 0; i < 2; i++) {
        ritz_matrix *m = NULL;
        double spoiled[] = {2, no_numbers[i], no_numbers[i], 3, 4};
        REFUSES(ritz_solve(matrix, NULL, spoiled, x, NULL));
        memset(x, 0, sizeof x);
        OK(ritz_matrix_create(device, NULL, 1, N, row_start, columns, spoiled, &m)); /* kept as it is */
        REFUSES(ritz_solve(m, NULL, ones, x, NULL));
        ritz_matrix_destroy(&m);
        memset(x, 0, sizeof x);
    }
}

const struct api_entry api_matrices[] = {
    ENTRY(ritz_format_from_name, formats),
    ENTRY(ritz_format_name, formats),
    ENTRY(ritz_matrix_create, matrix_create),
    ENTRY(ritz_matrix_convert, matrix_convert),
    ENTRY(ritz_matrix_destroy, matrix_create),
    ENTRY(ritz_matrix_n_rows, matrix_getters),
    ENTRY(ritz_matrix_n_columns, matrix_getters),
    ENTRY(ritz_matrix_nonzeros, matrix_getters),
    ENTRY(ritz_matrix_bytes, matrix_getters),
    ENTRY(ritz_matrix_get_statistics, matrix_statistics),
    ENTRY(ritz_matrix_multiply, matrix_multiply),
    ENTRY(ritz_rows_destroy, matrix_rows),
    ENTRY(ritz_matrix_create_from_rows, matrix_rows),
    ENTRY(ritz_matrix_get_rows, matrix_rows),
    ENTRY(ritz_market_read, market_read),
    ENTRY(ritz_market_write, market_write),
    ENTRY(ritz_solve_method_name, solve_names),
    ENTRY(ritz_solve_outcome_name, solve_names),
    ENTRY(ritz_preconditioner_name, solve_names),
    ENTRY(ritz_matrix_choice_name, solve_names),
    ENTRY(ritz_storage_name, solve_names),
    ENTRY(ritz_factorisation_name, solve_names),
    ENTRY(ritz_direct_is_built, solve_names),
    ENTRY(ritz_solver_create, solver_create),
    ENTRY(ritz_solver_destroy, solver_create),
    ENTRY(ritz_solver_update, solver_update),
    ENTRY(ritz_solver_solve, solver_solve),
    ENTRY(ritz_solve, solve_matrix),
    {NULL, NULL, NULL},
};
