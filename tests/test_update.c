/* Solvers that are given new values of their matrix: the bits of one made anew where multigrid would have the same aggregates,
   about its iterations where it would have others; what is refused; each allocation failing. */
#include "check.h"
#include "device/tuning.h"
#include "ritz/assemble.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>

static ritz_precision precision(void)
{
    return ritz_device_get_info(device)->has_f64 ? RITZ_F64 : RITZ_F32;
}

/* ---- An elastic block whose stiffness varies ---- */

enum { SIDE = 9, N_CELLS = SIDE * SIDE * SIDE };

typedef struct block {
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_form *form;
    ritz_constraints *constraints;
    ritz_assembler *assembler;
    int64_t n;
    double *b, *motions, *weights;
    int32_t *vertices;
    ritz_solve_options options;
} block;

/* Of order 2 the first coarse level is the space of order 1. */
static block make_block(int order)
{
    block k = {0};
    const int side = order == 1 ? SIDE : SIDE / 2;
    const ritz_box box = {.cell = RITZ_HEX, .cells = {side, side, side}, .size = {1, 1, 1}, .distort = 0.2};
    OK(ritz_mesh_box(&box, &k.mesh));
    OK(ritz_form_create("elasticity", 3, &k.form));
    OK(ritz_space_create(k.mesh, order, 3, &k.space));
    OK(ritz_assembler_create(device, k.space, &(ritz_assemble_options){.precision = precision()}, &k.assembler));
    OK(ritz_constraints_create(k.space, &k.constraints));
    OK(ritz_constraints_set_group(k.constraints, "x0", -1, 0));
    k.n = ritz_space_n_dofs(k.space);
    k.b = calloc((size_t)k.n, 8);
    k.motions = calloc((size_t)(6 * k.n), 8);
    OK(ritz_space_get_rigid_motions(k.space, k.motions));
    k.options = (ritz_solve_options){.preconditioner = RITZ_MULTIGRID,
                                     .near_nullspace = k.motions,
                                     .near_nullspace_columns = 6,
                                     .updatable = true,
                                     .tolerance = precision() == RITZ_F64 ? 1e-8 : 1e-5};
    if (order > 1) {
        const size_t n = (size_t)ritz_space_n_nodes(k.space) * RITZ_VERTICES_MOST;
        k.options.coarse_weights = k.weights = malloc(n * 8);
        k.options.coarse_nodes = k.vertices = malloc(n * 4);
        OK(ritz_space_get_vertex_weights(k.space, k.vertices, k.weights, &k.options.n_coarse_nodes));
    }
    return k;
}

static void free_block(block *k)
{
    ritz_assembler_destroy(&k->assembler);
    ritz_constraints_destroy(&k->constraints);
    ritz_form_destroy(&k->form);
    ritz_space_destroy(&k->space);
    ritz_mesh_destroy(&k->mesh);
    free(k->b);
    free(k->motions);
    free(k->weights);
    free(k->vertices);
}

/* Stiffnesses from 1 to 1 + 2 amount. */
static const ritz_matrix *fill_block(block *k, double amount)
{
    static double young[N_CELLS];
    for (int i = 0; i < N_CELLS; i++)
        young[i] = 1 + amount * (1 + sin(0.01 * i));
    const ritz_data data[] = {{.name = "young", .kind = RITZ_DATA_ELEMENT, .values = young},
                              {.name = "poisson", .value = 0.3}};
    OK(ritz_assembler_fill(k->assembler, k->form, &(ritz_input){.n_data = 2, .data = data}, NULL, k->constraints,
                           NULL));
    const ritz_matrix *matrix = ritz_assembler_matrix(k->assembler);
    for (int64_t i = 0; i < k->n; i++)
        k->b[i] = 1 + sin((double)i);
    return matrix;
}

static void solve_into(ritz_solver *solver, const block *k, double *x, ritz_solve_report *report)
{
    memset(x, 0, (size_t)k->n * 8);
    *report = (ritz_solve_report){0};
    OK(ritz_solver_solve(solver, k->b, x, report));
    assert_true(report->n_levels >= 2 && report->setup_seconds > 0);
}

/* From one stiffness to others and back. */
static void change_stiffnesses(int order)
{
    block k = make_block(order);
    double *first = malloc((size_t)k.n * 8), *x = malloc((size_t)k.n * 8), *anew = malloc((size_t)k.n * 8);
    ritz_solve_report report, report_first, report_anew;
    ritz_solver *solver = NULL, *other = NULL;
    OK(ritz_solver_create(fill_block(&k, 0), &k.options, &solver));
    solve_into(solver, &k, first, &report_first);
    for (int step = 1; step <= 3; step++) {
        double difference = 0, largest = 0;
        const ritz_matrix *matrix = fill_block(&k, step * 0.5);
        assert_int_equal(ritz_solver_solve(solver, k.b, x, &report), RITZ_ERROR_INPUT); /* of the values before */
        assert_non_null(strstr(ritz_message(), "filled anew since the solver took it"));
        OK(ritz_solver_update(solver, matrix));
        solve_into(solver, &k, x, &report);
        OK(ritz_solver_create(matrix, &k.options, &other));
        solve_into(other, &k, anew, &report_anew);
        ritz_solver_destroy(&other);
        for (int64_t i = 0; i < k.n; i++) {
            largest = fmax(largest, fabs(anew[i]));
            difference = fmax(difference, fabs(anew[i] - x[i]));
        }
        assert_true(difference < (precision() == RITZ_F64 ? 1e-6 : 1e-2) * largest);
        if (abs(report.iterations - report_anew.iterations) > 1 + report_anew.iterations / 10)
            fail_msg("%d iterations, anew %d", report.iterations, report_anew.iterations);
    }
    OK(ritz_solver_update(solver, fill_block(&k, 0)));
    for (int again = 0; again < 2; again++) {
        solve_into(solver, &k, x, &report);
        assert_memory_equal(x, first, (size_t)k.n * 8);
        assert_int_equal(report.iterations, report_first.iterations);
        assert_true(report.operator_complexity == report_first.operator_complexity);
        OK(ritz_solver_update(solver, ritz_assembler_matrix(k.assembler)));
    }
    ritz_solver_destroy(&solver);
    free(first);
    free(x);
    free(anew);
    free_block(&k);
}

static void stiffnesses(void **state)
{
    (void)state;
    change_stiffnesses(1);
    OK(ritz_tuning_override("multigrid.narrow * 1\n")); /* values of 16 bits though these matrices come from a cache */
    change_stiffnesses(2);
    OK(ritz_tuning_override(NULL));
}

/* From held to free in space and back: loads that balance are solved, and the motions that they leave undetermined are counted. */
static void release_block(int order)
{
    block k = make_block(order);
    ritz_constraints *const held = k.constraints;
    double *some = malloc((size_t)k.n * 8), *x = malloc((size_t)k.n * 8), *forces = malloc((size_t)k.n * 8);
    ritz_solve_report report;
    ritz_solver *solver = NULL;
    for (int64_t i = 0; i < k.n; i++)
        some[i] = sin((double)i);
    OK(ritz_solver_create(fill_block(&k, 0.5), &k.options, &solver));
    for (int step = 0; step < 4; step++) {
        const bool is_free = step % 2 == 1;
        double difference = 0;
        k.constraints = is_free ? NULL : held;
        const ritz_matrix *matrix = fill_block(&k, 0.5);
        OK(ritz_solver_update(solver, matrix));
        OK(ritz_matrix_multiply(matrix, some, k.b));
        solve_into(solver, &k, x, &report);
        assert_int_equal(report.n_free_motions, is_free ? 6 : 0);
        assert_true(report.converged && report.iterations < 40);
        OK(ritz_matrix_multiply(matrix, x, forces));
        for (int64_t i = 0; i < k.n; i++)
            difference = fmax(difference, fabs(forces[i] - k.b[i]));
        assert_true(difference < 1e-6);
    }
    k.constraints = held;
    ritz_solver_destroy(&solver);
    free(some);
    free(x);
    free(forces);
    free_block(&k);
}

static void released(void **state)
{
    (void)state;
    for (int order = 1; order <= 2 && precision() == RITZ_F64; order++)
        release_block(order);
}

/* ---- Chains ---- */

enum { N = 700 };

/* Rows -1 + wind, 2 + extra, -1 - wind; the tie between the halves has the weight `tie`, or is not there, or a zero. */
static ritz_matrix *make_chain(int n, double extra, double tie, double wind)
{
    int64_t start[N + 1] = {0}, at = 0;
    int32_t columns[3 * N];
    double values[3 * N];
    ritz_matrix *a = NULL;
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++, at++) {
            const bool middle = (i < j ? i : j) == n / 2 && i != j;
            columns[at] = j;
            values[at] = i == j ? 2.01 + extra : (j < i ? -1 + wind : -1 - wind) * (middle ? tie : 1);
        }
        start[i + 1] = at;
    }
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = precision()}, 1, n, start, columns, values, &a));
    return a;
}

static void solve_chain(ritz_solver *solver, double x[N], ritz_solve_report *report)
{
    double b[N];
    for (int i = 0; i < N; i++) {
        b[i] = cos(0.05 * i);
        x[i] = 0;
    }
    *report = (ritz_solve_report){0};
    OK(ritz_solver_solve(solver, b, x, report));
}

static const struct updated_case {
    ritz_solve_options options;
    double tie, wind; /* before the update; it is 1 after it */
} cases[] = {
    {{.preconditioner = RITZ_MULTIGRID}, 1, 0},
    {{.preconditioner = RITZ_MULTIGRID}, 0, 0}, /* an entry that was zero: the levels are made anew */
    {{.preconditioner = RITZ_MULTIGRID, .method = RITZ_GMRES}, 1, 0.1},
    {{.preconditioner = RITZ_JACOBI}, 1, 0},
    {{.preconditioner = RITZ_NO_PRECONDITIONER}, 1, 0},
    {{.preconditioner = RITZ_CHEBYSHEV, .degree = 3}, 1, 0},
    {{.preconditioner = RITZ_CHEBYSHEV, .degree = 3, .storage = RITZ_VALUES_F32}, 1, 0},
    {{.preconditioner = RITZ_JACOBI, .matrix = RITZ_MATRIX_HALF}, 1, 0},
    {{.preconditioner = RITZ_JACOBI, .method = RITZ_BICGSTAB}, 1, 0.1},
    {{.method = RITZ_DIRECT}, 1, 0},
};

/* Every kind of solver: the bits of one made of the new matrix. Of a chain whose entries are all alike multigrid has the same aggregates. */
static void kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ritz_solve_options o = cases[i].options;
        double x[N], anew[N], wind = cases[i].wind;
        ritz_solver *solver = NULL, *other = NULL;
        ritz_solve_report report, report_anew;
        ritz_matrix *before = make_chain(N, 0.001, cases[i].tie, wind), *after = make_chain(N, 0, 1, wind);
        if (o.method == RITZ_DIRECT && !ritz_direct_is_built())
            continue;
        o.updatable = true;
        o.tolerance = precision() == RITZ_F64 ? 1e-8 : 1e-4;
        OK(ritz_solver_create(before, &o, &solver));
        solve_chain(solver, x, &report);
        OK(ritz_solver_update(solver, after));
        ritz_matrix_destroy(&before); /* no longer looked at */
        solve_chain(solver, x, &report);
        OK(ritz_solver_create(after, &o, &other));
        solve_chain(other, anew, &report_anew);
        if (memcmp(x, anew, sizeof x) != 0 || report.iterations != report_anew.iterations)
            fail_msg("case %zu: other bits than anew, %d and %d iterations", i, report.iterations,
                     report_anew.iterations);
        assert_true(report.largest_eigenvalue == report_anew.largest_eigenvalue && report.half == report_anew.half);
        ritz_solver_destroy(&solver);
        ritz_solver_destroy(&other);
        ritz_matrix_destroy(&after);
    }
}

/* Rows of 3 to 11 entries, so uneven that slices sort them, and the solver takes them in that order; symmetric. bad: an entry is no number. */
static ritz_matrix *make_uneven(double extra, bool bad)
{
    enum { REACH = 5 };
    int64_t start[N + 1] = {0}, at = 0;
    int32_t columns[(2 * REACH + 1) * N];
    double values[(2 * REACH + 1) * N];
    ritz_matrix *a = NULL;
    for (int i = 0; i < N; i++) {
        for (int j = i - REACH; j <= i + REACH; j++) {
            const bool far = i / 7 % 3 == 0 && j / 7 % 3 == 0;
            if (j < 0 || j >= N || (abs(i - j) > 1 && !far))
                continue;
            columns[at] = j;
            values[at++] = i == j ? 11 + extra : bad && i + j == 1 ? NAN : -1;
        }
        start[i + 1] = at;
    }
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = precision(), .sort_window = N}, 1, N, start,
                          columns, values, &a));
    return a;
}

/* The matrix of before may be gone at an update, also that of an update which failed: nothing of it is looked at. */
static void matrices_that_are_gone(void **state)
{
    (void)state;
    static const ritz_preconditioner kinds[] = {RITZ_JACOBI, RITZ_NEUMANN, RITZ_LEAST_SQUARES, RITZ_CHEBYSHEV,
                                                RITZ_MULTIGRID};
    OK(ritz_tuning_override("solve.order_rows * 10\nsolve.order_torn * 0.01\n"));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const ritz_solve_options o = {
            .preconditioner = kinds[i], .updatable = true, .tolerance = precision() == RITZ_F64 ? 1e-8 : 1e-4};
        double x[N], anew[N];
        ritz_solver *solver = NULL, *other = NULL;
        ritz_solve_report report;
        ritz_matrix *matrix = make_uneven(0, false);
        OK(ritz_solver_create(matrix, &o, &solver));
        for (int step = 1; step < 6; step++) {
            const bool bad = step == 2 || step == 3;
            ritz_matrix_destroy(&matrix);
            matrix = make_uneven(step, bad);
            const ritz_status status = ritz_solver_update(solver, matrix);
            assert_true(status == RITZ_OK || (bad && status == RITZ_ERROR_INPUT));
            if (bad)
                continue;
            solve_chain(solver, x, &report);
            OK(ritz_solver_create(matrix, &o, &other));
            solve_chain(other, anew, &report);
            for (int k = 0; k < N; k++)
                assert_true(fabs(x[k] - anew[k]) < (precision() == RITZ_F64 ? 1e-7 : 1e-3));
            ritz_solver_destroy(&other);
        }
        ritz_matrix_destroy(&matrix);
        ritz_solver_destroy(&solver);
    }
    OK(ritz_tuning_override(NULL));
}

static void refused(void **state)
{
    (void)state;
    ritz_matrix *a = make_chain(N, 0, 1, 0), *shorter = make_chain(N - 1, 0, 1, 0), *nothing = make_chain(N, NAN, 1, 0);
    ritz_solver *fixed = NULL, *solver = NULL;
    double x[N] = {0}, y[N];
    ritz_solve_report report = {0};
    ritz_solve_options o = {.preconditioner = RITZ_MULTIGRID, .tolerance = 1e-4};
    OK(ritz_solver_create(a, &o, &fixed));
    o.updatable = true;
    OK(ritz_solver_create(a, &o, &solver));
    assert_int_equal(ritz_solver_update(fixed, a), RITZ_ERROR_INPUT);
    says("`updatable`");
    assert_int_equal(ritz_solver_update(solver, shorter), RITZ_ERROR_INPUT);
    says("699 rows");
    solve_chain(solver, x, &report); /* as it was */
    assert_int_equal(ritz_solver_update(solver, nothing), RITZ_ERROR_INPUT);
    says("not a finite number in row 0");
    assert_int_equal(ritz_solver_solve(solver, x, y, &report), RITZ_ERROR_INPUT);
    says("update failed");
    OK(ritz_solver_update(solver, a));
    solve_chain(solver, x, &report);
    ritz_solver_destroy(&fixed);
    ritz_solver_destroy(&solver);
    ritz_matrix_destroy(&a);
    ritz_matrix_destroy(&shorter);
    ritz_matrix_destroy(&nothing);
}

/* Every seventh allocation of an update fails in turn; the next update mends the solver, and nothing is left at its end. */
static void allocations(void **state)
{
    (void)state;
    ritz_matrix *a = make_chain(N, 0, 1, 0), *loose = make_chain(N, 0, 0, 0);
    const ritz_solve_options o = {.preconditioner = RITZ_MULTIGRID, .tolerance = 1e-4, .updatable = true};
    const int64_t live = ritz_device_live_bytes(device);
    double first[N], x[N];
    ritz_solve_report report;
    for (int widens = 0; widens < 2; widens++) { /* with levels that are kept, and that are made anew */
        ritz_solver *solver = NULL;
        OK(ritz_solver_create(widens ? loose : a, &o, &solver));
        OK(ritz_solver_update(solver, a));
        solve_chain(solver, first, &report);
        if (widens)
            ritz_solver_destroy(&solver);
        int64_t n = 1;
        for (ritz_status status = RITZ_ERROR_MEMORY; status != RITZ_OK; n += widens ? 21 : 7) {
            if (widens)
                OK(ritz_solver_create(loose, &o, &solver));
            ritz_fail_allocation(n);
            status = ritz_solver_update(solver, a);
            ritz_fail_allocation(0);
            assert_true(status == RITZ_OK || status == RITZ_ERROR_MEMORY);
            if (status != RITZ_OK)
                OK(ritz_solver_update(solver, a));
            if (widens)
                ritz_solver_destroy(&solver);
        }
        assert_true(n > 50);
        if (!widens) {
            solve_chain(solver, x, &report);
            assert_memory_equal(x, first, sizeof x);
        }
        ritz_solver_destroy(&solver);
        assert_true(ritz_device_live_bytes(device) == live);
    }
    ritz_matrix_destroy(&a);
    ritz_matrix_destroy(&loose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stiffnesses), cmocka_unit_test(released),
                                       cmocka_unit_test(kinds),       cmocka_unit_test(matrices_that_are_gone),
                                       cmocka_unit_test(refused),     cmocka_unit_test(allocations)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
