/* Quadrature rules against exact integrals of monomials. */
#include "cell/cell.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* after the headers it needs */
#include <cmocka.h>

static double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/* Integral of x^i y^j z^k over the reference cell. */
static double exact(ritz_cell cell, int i, int j, int k)
{
    switch (cell) {
    case RITZ_TRI:
        return factorial(i) * factorial(j) / factorial(i + j + 2);
    case RITZ_QUAD:
        return 1.0 / ((i + 1) * (j + 1));
    case RITZ_TET:
        return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
    case RITZ_PRISM:
        return factorial(i) * factorial(j) / factorial(i + j + 2) / (k + 1);
    default:
        return 1.0 / ((i + 1) * (j + 1) * (k + 1));
    }
}

static double power(double x, int n)
{
    double value = 1;
    for (; n > 0; n--)
        value *= x;
    return value;
}

static double monomial(const double *x, int dim, int i, int j, int k)
{
    return power(x[0], i) * power(x[1], j) * (dim == 3 ? power(x[2], k) : 1);
}

static bool inside(ritz_cell cell, const double *x)
{
    for (int d = 0; d < ritz_cell_dim(cell); d++) {
        if (x[d] <= 0 || x[d] >= 1)
            return false;
    }
    double sum = x[0] + x[1] + (cell == RITZ_TET ? x[2] : 0);
    return cell == RITZ_QUAD || cell == RITZ_HEX || sum < 1;
}

static const int expected_points[RITZ_N_CELLS][RITZ_MAX_ORDER] = {
    [RITZ_TRI] = {3, 6, 12, 16, 25, 33, 42},      [RITZ_QUAD] = {4, 9, 16, 25, 36, 49, 64},
    [RITZ_TET] = {4, 14, 24, 46, 81, 117, 175},   [RITZ_PRISM] = {6, 18, 48, 80, 150, 231, 336},
    [RITZ_HEX] = {8, 27, 64, 125, 216, 343, 512},
};

/* powers[point][axis][n] = x^n */
static void make_powers(const ritz_quadrature *q, int dim, double (*powers)[3][RITZ_MAX_DEGREE + 1])
{
    for (int n = 0; n < q->n_points; n++)
        for (int d = 0; d < 3; d++) {
            powers[n][d][0] = 1;
            for (int i = 1; i <= RITZ_MAX_DEGREE; i++)
                powers[n][d][i] = powers[n][d][i - 1] * (d < dim ? q->points[n * dim + d] : 0);
        }
}

static void check_monomials(const ritz_quadrature *q, double (*powers)[3][RITZ_MAX_DEGREE + 1])
{
    const int dim = ritz_cell_dim(q->cell), degree = q->degree;
    const double volume = exact(q->cell, 0, 0, 0);
    for (int i = 0; i <= degree; i++)
        for (int j = 0; i + j <= degree; j++)
            for (int k = 0; i + j + k <= degree && (k == 0 || dim == 3); k++) {
                double sum = 0;
                for (int n = 0; n < q->n_points; n++)
                    sum += q->weights[n] * powers[n][0][i] * powers[n][1][j] * powers[n][2][k];
                const double error = fabs(sum - exact(q->cell, i, j, k));
                if (error > 1e-14 * volume || error > 1e-13 * exact(q->cell, i, j, k))
                    fail_msg("%s degree %d: x^%d y^%d z^%d is off by %g of %g", ritz_cell_name(q->cell), degree, i, j,
                             k, error, exact(q->cell, i, j, k));
            }
}

static void rules_are_exact(void **state)
{
    (void)state;
    double(*powers)[3][RITZ_MAX_DEGREE + 1] = malloc(RITZ_MAX_QUAD * sizeof *powers);
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int degree = 1; degree <= RITZ_MAX_DEGREE; degree++) {
            const ritz_cell cell = (ritz_cell)c;
            ritz_quadrature *q = NULL;
            assert_int_equal(ritz_quadrature_create(cell, degree, &q), RITZ_OK);
            assert_int_equal(q->n_points, ritz_quadrature_n_points(cell, degree));
            assert_in_range(q->n_points, 1, RITZ_MAX_QUAD);
            assert_int_equal(q->degree, degree);
            if (degree % 2 == 0 && degree <= 2 * RITZ_MAX_ORDER) {
                assert_int_equal(q->n_points, expected_points[c][degree / 2 - 1]);
                assert_int_equal(q->n_points, ritz_cell_n_quad(cell, degree / 2));
            }
            for (int n = 0; n < q->n_points; n++)
                assert_true(q->weights[n] > 0 && inside(cell, q->points + n * ritz_cell_dim(cell)));
            make_powers(q, ritz_cell_dim(cell), powers);
            check_monomials(q, powers);
            ritz_quadrature_destroy(&q);
        }
    free(powers);
}

/* The rules must not be better than stated by accident of the test: some monomial of degree + 2 or + 3 is missed. */
static void rules_are_not_exact_beyond(void **state)
{
    (void)state;
    for (int c = 0; c < RITZ_N_CELLS; c++) {
        ritz_cell cell = (ritz_cell)c;
        int dim = ritz_cell_dim(cell);
        for (int degree = 1; degree <= 20; degree++) {
            ritz_quadrature *q = NULL;
            double sum = 0;
            const int beyond = (degree + 1) / 2 * 2 + 2;
            assert_int_equal(ritz_quadrature_create(cell, degree, &q), RITZ_OK);
            for (int n = 0; n < q->n_points; n++)
                sum += q->weights[n] * monomial(q->points + n * dim, dim, beyond, 0, 0);
            assert_true(fabs(sum - exact(cell, beyond, 0, 0)) > 1e-13 * exact(cell, beyond, 0, 0));
            ritz_quadrature_destroy(&q);
        }
    }
}

/* Divergence theorem: the integral of d/dx_a of a monomial equals that of the monomial times the normal's component a
   over all facets. With the constant it says that the normals add up to zero. */
static void facets_obey_the_divergence_theorem(void **state)
{
    (void)state;
    for (int c = 0; c < RITZ_N_CELLS; c++) {
        ritz_cell cell = (ritz_cell)c;
        const ritz_topology *t = ritz_cell_topology(cell);
        int dim = t->dim;
        for (int degree = 1; degree <= 16; degree++) {
            ritz_facet_quadrature *f[RITZ_MAX_FACETS] = {NULL};
            for (int facet = 0; facet < t->n_facets; facet++) {
                assert_int_equal(ritz_facet_quadrature_create(cell, facet, degree, &f[facet]), RITZ_OK);
                double area = 0;
                for (int n = 0; n < f[facet]->n_points; n++) {
                    assert_true(f[facet]->weights[n] > 0);
                    area += f[facet]->weights[n];
                }
                assert_true(fabs(area - (t->facet_n_vertices[facet] == 3 ? 0.5 : 1)) < 1e-14);
            }
            for (int i = 0; i <= degree; i++)
                for (int j = 0; i + j <= degree; j++)
                    for (int k = 0; i + j + k <= degree && (k == 0 || dim == 3); k++) {
                        double flux[3] = {0};
                        for (int facet = 0; facet < t->n_facets; facet++)
                            for (int n = 0; n < f[facet]->n_points; n++)
                                for (int d = 0; d < dim; d++)
                                    flux[d] += f[facet]->weights[n] * f[facet]->normal[d] *
                                               monomial(f[facet]->points + n * dim, dim, i, j, k);
                        double divergence[3] = {i > 0 ? i * exact(cell, i - 1, j, k) : 0,
                                                j > 0 ? j * exact(cell, i, j - 1, k) : 0,
                                                k > 0 ? k * exact(cell, i, j, k - 1) : 0};
                        for (int d = 0; d < dim; d++)
                            assert_true(fabs(flux[d] - divergence[d]) < 1e-14);
                    }
            for (int facet = 0; facet < t->n_facets; facet++)
                ritz_facet_quadrature_destroy(&f[facet]);
        }
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    ritz_quadrature *q = NULL;
    ritz_facet_quadrature *f = NULL;
    assert_int_equal(ritz_quadrature_create(RITZ_HEX, 0, &q), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_quadrature_create(RITZ_HEX, RITZ_MAX_DEGREE + 1, &q), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "no quadrature of degree 31; take 1 to 30"));
    assert_int_equal(ritz_quadrature_create(RITZ_N_CELLS, 1, &q), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_facet_quadrature_create(RITZ_TET, 4, 1, &f), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "0 to 3"));
    assert_null(q);
    assert_null(f);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    int reported = 0;
    for (int n = 1; n < 10; n++) {
        ritz_quadrature *q = NULL;
        ritz_fail_allocation(n);
        ritz_status status = ritz_quadrature_create(RITZ_TET, 6, &q);
        ritz_fail_allocation(0);
        reported += status == RITZ_ERROR_MEMORY && q == NULL;
        ritz_quadrature_destroy(&q);
    }
    assert_int_equal(reported, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_exact),
        cmocka_unit_test(rules_are_not_exact_beyond),
        cmocka_unit_test(facets_obey_the_divergence_theorem),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
