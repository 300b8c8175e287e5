/* Polynomial preconditioners: the polynomials against closed forms, the bounds against known spectra, solves against
   known solutions, and the iterations of the plane stress problem of Zhang and Zhang (2013) on a coarser mesh. */
#include "check.h"
#include "ritz.h"
#include "solve/polynomial.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ritz_preconditioner kinds[] = {RITZ_NEUMANN, RITZ_LEAST_SQUARES, RITZ_CHEBYSHEV};

/* Saad's list for [0, 4] (his Table 12.1, up to a factor), Neumann's sum, and Chebyshev's bound. */
static void polynomials(void **state)
{
    (void)state;
    const double saad[3][4] = {{5, -1, 0, 0}, {14, -7, 1, 0}, {30, -27, 9, -1}};
    for (int degree = 1; degree <= 3; degree++) {
        const ritz_polynomial p = ritz_polynomial_make(RITZ_LEAST_SQUARES, degree, 0, 4);
        for (double t = 0; t <= 4; t += 0.25) {
            const double *c = saad[degree - 1], truth = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
            const double factor = 2 * degree + 3; /* of the kernel polynomial that is 1 at 0 */
            assert_true(fabs(ritz_polynomial_value(&p, t) - truth / factor) < 1e-12);
        }
    }
    for (int degree = 1; degree <= RITZ_DEGREE_MOST; degree++) {
        const ritz_polynomial n = ritz_polynomial_make(RITZ_NEUMANN, degree, 0, 3);
        const ritz_polynomial c = ritz_polynomial_make(RITZ_CHEBYSHEV, degree, 0.5, 3);
        const double bound = 1 / cosh((degree + 1) * acosh((c.upper + c.lower) / (c.upper - c.lower)));
        double largest = 0;
        for (double t = 0; t <= 3; t += 1.0 / 512) {
            double sum = 0, power = 1;
            for (int k = 0; k <= degree; k++, power *= 1 - n.omega[0] * t)
                sum += n.omega[0] * power;
            assert_true(fabs(ritz_polynomial_value(&n, t) - sum) < 1e-11);
            if (t >= c.lower)
                largest = fmax(largest, fabs(1 - t * ritz_polynomial_value(&c, t)));
            for (int k = 0; k < 3; k++) {
                const ritz_polynomial any = ritz_polynomial_make(kinds[k], degree, 0, 3);
                assert_true(ritz_polynomial_value(&any, t) > 0);
            }
        }
        assert_true(largest <= bound + 1e-13 && largest > 0.99 * bound);
    }
}

static void extremes(void **state)
{
    (void)state;
    double diagonal[40], beside[40];
    for (int i = 0; i < 40; i++) {
        diagonal[i] = 2;
        beside[i] = -1;
    }
    const double pi = acos(-1);
    for (int n = 1; n <= 40; n++) {
        const ritz_extremes e = ritz_tridiagonal_extremes(n, diagonal, beside);
        assert_true(fabs(e.smallest - (2 - 2 * cos(pi / (n + 1)))) < 1e-12);
        assert_true(fabs(e.largest - (2 + 2 * cos(pi / (n + 1)))) < 1e-12);
        assert_true(fabs(e.last_of_largest - sqrt(2.0 / (n + 1)) * sin(pi * n / (n + 1))) < 1e-9);
    }
}

/* -u'' + wind u' with rows and columns of different size, times `stiffness`; x, of the order of `size`, is known, b = A x. */
static ritz_status solve_line(int n, double wind, double stiffness, double size, ritz_solve_options options,
                              double *error, ritz_solve_report *report, double *x)
{
    int64_t *start = calloc((size_t)n + 1, 8);
    int32_t *columns = malloc((size_t)n * 3 * 4);
    double *values = malloc((size_t)n * 3 * 8), *b = calloc((size_t)n, 8);
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++, at++) {
            columns[at] = j;
            values[at] = stiffness * (1 + i % 7) * (1 + j % 7) * (i == j ? 2.1 : j < i ? -1 - wind : -1 + wind);
            b[i] += size * values[at] * sin(3.0 * j + 1) / (1 + j % 7);
        }
        start[i + 1] = at;
    }
    const bool wide = ritz_device_get_info(device)->has_f64;
    ritz_matrix *a = NULL;
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = wide ? RITZ_F64 : RITZ_F32}, 1, n, start, columns,
                          values, &a));
    memset(x, 0, (size_t)n * 8);
    const ritz_status status = ritz_solve(a, &options, b, x, report);
    *error = 0;
    for (int i = 0; i < n; i++)
        *error = fmax(*error, fabs(x[i] / size * (1 + i % 7) - sin(3.0 * i + 1)));
    ritz_matrix_destroy(&a);
    free(start);
    free(columns);
    free(values);
    free(b);
    return status;
}

/* All that a name chooses, whatever the table has: the known solution, by their names. */
static void every_name(void **state)
{
    (void)state;
    const bool wide = ritz_device_get_info(device)->has_f64;
    for (int k = 0, n = 0; strcmp(ritz_preconditioner_name((ritz_preconditioner)k), "unknown") != 0; k++) {
        const char *name = ritz_preconditioner_name((ritz_preconditioner)k);
        double x[131], error;
        ritz_solve_report report = {0};
        ritz_preconditioner found = RITZ_PRECONDITIONER_AUTOMATIC;
        if (strcmp(name, "function") == 0) { /* that is given, not named */
            assert_int_equal(ritz_preconditioner_from_name(name, &found), RITZ_ERROR_INPUT);
            continue;
        }
        OK(ritz_preconditioner_from_name(name, &found));
        assert_int_equal(found, k);
        const ritz_solve_options o = {.preconditioner = found, .tolerance = wide && !wants_small() ? 1e-10 : 1e-5};
        OK(solve_line(wants_small() ? 19 : 131, 0, 1, 1, o, &error, &report, x));
        if (!(error < 1e3 * o.tolerance))
            fail_msg("%s: error %g", name, error);
        assert_true(report.converged && (k == 0 || report.preconditioner == found) && ++n < 32);
    }
}

/* How the polynomial is held in what follows. */
enum { AS_THE_MATRIX, NARROW, SINGLE };

/* Every polynomial with both methods, held in every way: the known solution, and the same bits again. */
static void known_solutions(void **state)
{
    (void)state;
    const bool wide = ritz_device_get_info(device)->has_f64;
    const int sizes[] = {1, wants_small() ? 19 : 2, 5, wants_small() ? 19 : 131};
    for (int k = wants_small() ? 1 : 0; k < 3; k++)
        for (int method = RITZ_CG; method <= RITZ_BICGSTAB; method++) {
            const int last = !wide ? AS_THE_MATRIX : method == RITZ_CG ? SINGLE : NARROW;
            for (int held = AS_THE_MATRIX; held <= last; held++) {
                const int first = !wants_small() ? 0 : held == NARROW ? 1 : 3; /* small, narrow: f16, bf16, f32 */
                for (int s = first; s < 4; s++) {
                    double x[131], again[131], error;
                    ritz_solve_report report = {0};
                    const ritz_solve_options o = {.method = (ritz_solve_method)method,
                                                  .preconditioner = kinds[k],
                                                  .degree = 1 + (3 * k + s) % 7,
                                                  .storage = held == NARROW            ? RITZ_VALUES_F32 + s % 3
                                                             : held == SINGLE && s % 2 ? RITZ_VALUES_F16 + s / 2
                                                                                       : RITZ_VALUES_AS_VECTORS,
                                                  .vectors =
                                                      held == SINGLE ? RITZ_VECTORS_SINGLE : RITZ_VECTORS_AUTOMATIC,
                                                  .tolerance = !wide || wants_small() ? 1e-5
                                                               : held == SINGLE       ? 1e-8
                                                                                      : 1e-12};
                    const double wind = method == RITZ_CG ? 0 : 0.3;
                    OK(solve_line(sizes[s], wind, 1, 1, o, &error, &report, x));
                    if (!(error < 1e3 * o.tolerance))
                        fail_msg("kind %d, method %d, held %d, n %d: error %g", k, method, held, sizes[s], error);
                    assert_true(report.converged && report.degree == o.degree && report.lanczos_steps >= 1);
                    if (held != NARROW || method == RITZ_BICGSTAB) /* else both, and which one ends it depends */
                        assert_int_equal(report.vectors, wide && held != SINGLE ? RITZ_VALUES_F64 : RITZ_VALUES_F32);
                    assert_in_range(report.double_iterations, 0, report.iterations);
                    if (!wants_small()) {
                        OK(solve_line(sizes[s], wind, 1, 1, o, &error, &report, again));
                        assert_memory_equal(x, again, (size_t)sizes[s] * 8);
                    }
                    /* all eigenvalues of the scaled matrix: 1 + cos(j pi / (n + 1)) / 1.05 */
                    const double top = 1 + cos(acos(-1) / (sizes[s] + 1)) / 1.05;
                    if (method == RITZ_CG)
                        assert_true(report.largest_eigenvalue > top && report.largest_eigenvalue < 1.1 * top);
                    if (method == RITZ_CG)
                        assert_true(report.smallest_eigenvalue <= 2 - top);
                }
            }
        }
}

/* Vectors in single precision, all along and in the end, with forces beyond its range: 1e-39 and 1e39 newton. */
static void single_range(void **state)
{
    (void)state;
    if (wants_small() || !ritz_device_get_info(device)->has_f64)
        skip();
    enum { N = 131 };
    double x[2][N], error;
    ritz_solve_report report[2] = {{0}};
    for (int all_along = 0; all_along < 2; all_along++) {
        const ritz_solve_options o = {.preconditioner = RITZ_LEAST_SQUARES,
                                      .degree = 2,
                                      .storage = RITZ_VALUES_F32,
                                      .vectors = all_along ? RITZ_VECTORS_SINGLE : RITZ_VECTORS_AUTOMATIC};
        for (int large = 0; large < 2; large++) {
            OK(solve_line(N, 0, 1, ldexp(1, large ? 130 : -130), o, &error, &report[large], x[large]));
            assert_true(error < 1e-5);
            assert_true(report[large].vectors == RITZ_VALUES_F32 && report[large].storage == RITZ_VALUES_F32);
            assert_int_equal(report[large].double_iterations, all_along ? 0 : 8);
        }
        assert_int_equal(report[0].iterations, report[1].iterations);
        for (int i = 0; i < N; i++)
            assert_true(fabs(ldexp(x[0][i], 260) - x[1][i]) <= 1e-6 * fabs(x[1][i]));
    }
}

/* The same with stiffnesses whose root is beyond single precision. */
static void stiffness_range(void **state)
{
    (void)state;
    if (wants_small() || !ritz_device_get_info(device)->has_f64)
        skip();
    enum { N = 131 };
    const double stiffnesses[] = {1, 1e-110, 1e110};
    for (int vectors = RITZ_VECTORS_AUTOMATIC; vectors <= RITZ_VECTORS_SINGLE; vectors++) {
        int32_t iterations = 0;
        for (int s = 0; s < 3; s++) {
            double x[N], error;
            ritz_solve_report report = {0};
            const ritz_solve_options o = {.preconditioner = RITZ_LEAST_SQUARES,
                                          .degree = 2,
                                          .storage = RITZ_VALUES_F32,
                                          .vectors = (ritz_vectors_choice)vectors};
            OK(solve_line(N, 0, stiffnesses[s], 1, o, &error, &report, x));
            assert_true(error < 1e-5 && (s == 0 || abs(report.iterations - iterations) <= 1));
            iterations = report.iterations;
        }
    }
}

static void refused(void **state)
{
    (void)state;
    double x[5], error;
    ritz_solve_report report = {0};
    const ritz_solve_options bad[] = {
        {.preconditioner = RITZ_NEUMANN, .degree = 21},
        {.preconditioner = RITZ_CHEBYSHEV, .degree = -1},
        {.preconditioner = RITZ_JACOBI, .degree = 2},
        {.preconditioner = RITZ_NO_PRECONDITIONER, .storage = RITZ_VALUES_F32},
        {.preconditioner = RITZ_JACOBI, .vectors = RITZ_VECTORS_SINGLE},
        {.preconditioner = RITZ_NEUMANN, .vectors = RITZ_VECTORS_SINGLE, .storage = RITZ_VALUES_F64},
        {.method = RITZ_BICGSTAB, .preconditioner = RITZ_NEUMANN, .vectors = RITZ_VECTORS_SINGLE},
        {.method = RITZ_GMRES, .matrix = RITZ_MATRIX_HALF},
        {.preconditioner = RITZ_NEUMANN, .storage = (ritz_value_type)5}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(solve_line(5, 0, 1, 1, bad[i], &error, &report, x), RITZ_ERROR_INPUT);
    const ritz_solve_options wider = {.preconditioner = RITZ_NEUMANN, .vectors = RITZ_VECTORS_DOUBLE};
    assert_int_equal(ritz_solve_check_options(&wider, RITZ_F64), RITZ_OK);
    assert_int_equal(ritz_solve_check_options(&wider, RITZ_F32), RITZ_ERROR_INPUT);
}

/* ---- Elasticity on boxes, clamped at x0 and pulled at x1 ---- */

typedef struct part {
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_form *form;
    ritz_constraints *clamp;
    ritz_assembler *assembler;
    double *rhs, *x;
} part;

static part make_part(const ritz_box *box, const char *form, const char *young, const ritz_surface_load *pull)
{
    part p = {0};
    OK(ritz_mesh_box(box, &p.mesh));
    OK(ritz_form_create(form, ritz_mesh_dim(p.mesh), &p.form));
    OK(ritz_space_create(p.mesh, 1, ritz_mesh_dim(p.mesh), &p.space));
    OK(ritz_constraints_create(p.space, &p.clamp));
    OK(ritz_constraints_set_group(p.clamp, "x0", -1, 0));
    OK(ritz_assembler_create(device, p.space, NULL, &p.assembler));
    p.rhs = calloc((size_t)ritz_space_n_dofs(p.space), sizeof *p.rhs);
    p.x = calloc((size_t)ritz_space_n_dofs(p.space), sizeof *p.x);
    const ritz_data data[] = {{.name = "young", .kind = RITZ_DATA_EXPRESSION, .expression = young},
                              {.name = "poisson", .value = 0.3}};
    const ritz_input input = {.n_data = 2, .data = data};
    const ritz_external_loads loads = {.n_surfaces = 1, .surfaces = pull};
    OK(ritz_assembler_fill(p.assembler, p.form, &input, &loads, p.clamp, p.rhs));
    return p;
}

static void free_part(part *p)
{
    ritz_assembler_destroy(&p->assembler);
    ritz_constraints_destroy(&p->clamp);
    ritz_space_destroy(&p->space);
    ritz_form_destroy(&p->form);
    ritz_mesh_destroy(&p->mesh);
    free(p->rhs);
    free(p->x);
}

static int iterations(const part *p, ritz_solve_options options)
{
    ritz_solve_report report = {0};
    memset(p->x, 0, (size_t)ritz_space_n_dofs(p->space) * sizeof *p->x);
    OK(ritz_solve(ritz_assembler_matrix(p->assembler), &options, p->rhs, p->x, &report));
    assert_true(report.converged);
    return report.iterations;
}

/* The paper's problem `quad`, 100 x 100 instead of 400 x 400 cells: a quarter of its iterations. */
static void paper(void **state)
{
    (void)state;
    if (wants_small() || !ritz_device_get_info(device)->has_f64)
        skip();
    const ritz_box box = {.cell = RITZ_QUAD, .cells = {100, 100}, .size = {1, 1}};
    part p = make_part(&box, "plane-stress", "1", &(ritz_surface_load){.group = "x1", .value = {1, 0}});
    assert_in_range(iterations(&p, (ritz_solve_options){.preconditioner = RITZ_JACOBI, .tolerance = 1e-7}), 482, 502);
    const struct {
        ritz_preconditioner preconditioner;
        int degree, most;
    } polynomials_of_paper[] = {
        {RITZ_LEAST_SQUARES, 0, 375}, {RITZ_LEAST_SQUARES, 2, 800}, {RITZ_NEUMANN, 0, 760}, {RITZ_CHEBYSHEV, 0, 360}};
    for (int i = 0; i < 4; i++) {
        const ritz_solve_options o = {.preconditioner = polynomials_of_paper[i].preconditioner,
                                      .degree = polynomials_of_paper[i].degree,
                                      .tolerance = 1e-7};
        assert_in_range(iterations(&p, o), polynomials_of_paper[i].most / 10, polynomials_of_paper[i].most / 4);
    }
    static const struct {
        ritz_value_type storage;
        ritz_vectors_choice vectors;
    } ways[] = {{RITZ_VALUES_F32, RITZ_VECTORS_AUTOMATIC},
                {RITZ_VALUES_F16, RITZ_VECTORS_AUTOMATIC},
                {RITZ_VALUES_F32, RITZ_VECTORS_DOUBLE},
                {RITZ_VALUES_F32, RITZ_VECTORS_SINGLE}};
    for (int t = 0; t < 2; t++) {
        ritz_solve_options o = {.preconditioner = RITZ_LEAST_SQUARES, .tolerance = t ? 1e-10 : 1e-7};
        const int wide = iterations(&p, o);
        for (int w = 0; w < 4 - t; w++) { /* not to 1e-10 with single vectors all along: docs/solve.md */
            o.storage = ways[w].storage;
            o.vectors = ways[w].vectors;
            assert_in_range(iterations(&p, o), wide - 2, wide + wide / 50);
        }
    }
    free_part(&p);
}

/* Tets of two very different materials under a load without symmetry: a narrow matrix costs nothing there either. */
static void uneven_materials(void **state)
{
    (void)state;
    if (wants_small() || !ritz_device_get_info(device)->has_f64)
        skip();
    const ritz_box box = {.cell = RITZ_TET, .cells = {9, 3, 3}, .size = {1, 0.3, 0.3}};
    part p =
        make_part(&box, "elasticity", "1e9 * exp(4 * sin(7*x + 3*y) * cos(5*z))",
                  &(ritz_surface_load){.group = "x1", .value = {1, 0, -9}, .expression = {NULL, "exp(3*y + z)", NULL}});
    static const ritz_solve_method methods[] = {RITZ_CG, RITZ_BICGSTAB};
    static const ritz_value_type storages[] = {RITZ_VALUES_AS_VECTORS, RITZ_VALUES_F32, RITZ_VALUES_F16};
    for (int m = 0; m < 2; m++) {
        int taken[3];
        for (int s = 0; s < 3; s++)
            taken[s] =
                iterations(&p, (ritz_solve_options){
                                   .method = methods[m], .preconditioner = RITZ_LEAST_SQUARES, .storage = storages[s]});
        /* BiCGStab goes its own way after every rounding. */
        for (int s = 1; s < 3; s++)
            assert_in_range(taken[s], 1, m == 0 ? taken[0] + taken[0] / 50 + 1 : 2 * taken[0]);
    }
    free_part(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials),  cmocka_unit_test(extremes),         cmocka_unit_test(known_solutions),
        cmocka_unit_test(single_range), cmocka_unit_test(stiffness_range),  cmocka_unit_test(refused),
        cmocka_unit_test(paper),        cmocka_unit_test(uneven_materials), cmocka_unit_test(every_name),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
