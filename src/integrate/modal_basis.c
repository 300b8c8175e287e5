/* Coefficients of nodal bases in products of orthogonal polynomials (modal_basis.h), computed in long double. */
#include "integrate/modal_basis.h"

#include <math.h>

int ritz_modal_factors(ritz_cell cell, int order, ritz_modal_factor *factors)
{
    const int line = order + 1, triangle = ritz_cell_n_shape(RITZ_TRI, order);
    const int dim = ritz_cell_dim(cell);
    if (cell == RITZ_TRI || cell == RITZ_TET) {
        factors[0] = (ritz_modal_factor){dim, 0, ritz_cell_n_shape(cell, order)};
        return 1;
    }
    if (cell == RITZ_PRISM) {
        factors[0] = (ritz_modal_factor){2, 0, triangle};
        factors[1] = (ritz_modal_factor){1, 2, line};
        return 2;
    }
    for (int f = 0; f < dim; f++)
        factors[f] = (ritz_modal_factor){1, f, line};
    return dim;
}

static void recurrence_numbers(int a, int n, long double *r)
{
    if (n == 0) {
        r[0] = (a + 2) / 2.0L;
        r[1] = a / 2.0L;
        r[2] = 0;
        return;
    }
    const long double m = 2 * n + a, scale = 2.0L * (n + 1) * (n + a + 1) * m;
    r[0] = (m + 1) * (m + 2) * m / scale;
    r[1] = (m + 1) * a * a / scale;
    r[2] = 2.0L * (n + a) * n * (m + 2) / scale;
}

void ritz_modal_recurrence(int order, double *recurrence)
{
    long double r[3];
    for (int a = 0; a < 2 * order + 3; a++)
        for (int n = 0; n < order; n++) {
            recurrence_numbers(a, n, r);
            for (int k = 0; k < 3; k++)
                recurrence[(a * order + n) * 3 + k] = (double)r[k];
        }
}

static void jacobi(int top, int a, long double s, long double t, long double *value)
{
    long double r[3];
    value[0] = 1;
    for (int n = 0; n < top; n++) {
        recurrence_numbers(a, n, r);
        value[n + 1] = (r[0] * s + r[1] * t) * value[n] - (n > 0 ? r[2] * t * t * value[n - 1] : 0);
    }
}

/* Values of the modes of a simplex of dimension d at x[d]. */
static void simplex_modes(int d, int p, const double *x, long double *modes)
{
    long double s[3], t[3], along[RITZ_MAX_ORDER + 1], second[RITZ_MAX_ORDER + 1], third[RITZ_MAX_ORDER + 1];
    long double left = 1;
    int m = 0;
    for (int k = d - 1; k >= 0; k--) {
        t[k] = left;
        s[k] = 2.0L * x[k] - left;
        left -= x[k];
    }
    jacobi(p, 0, s[0], t[0], along);
    for (int i = 0; i <= p; i++) {
        const int most_j = d > 1 ? p - i : 0;
        second[0] = third[0] = 1;
        if (d > 1)
            jacobi(most_j, 2 * i + 1, s[1], t[1], second);
        for (int j = 0; j <= most_j; j++) {
            const int most_k = d > 2 ? p - i - j : 0;
            if (d > 2)
                jacobi(most_k, 2 * (i + j) + 2, s[2], t[2], third);
            for (int k = 0; k <= most_k; k++)
                modes[m++] = along[i] * second[j] * third[k];
        }
    }
}

/* Gauss-Jordan elimination with pivots: left[n][n] becomes the identity, right[n][n] its inverse times right. */
static void eliminate(int n, long double *left, long double *right)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(left[i * n + k]) > fabsl(left[pivot * n + k]))
                pivot = i;
        const long double scale = 1 / left[pivot * n + k];
        for (int j = 0; j < n; j++) {
            const long double l = left[pivot * n + j], r = right[pivot * n + j];
            left[pivot * n + j] = left[k * n + j];
            right[pivot * n + j] = right[k * n + j];
            left[k * n + j] = l * scale;
            right[k * n + j] = r * scale;
        }
        for (int i = 0; i < n; i++) {
            const long double f = i == k ? 0 : left[i * n + k];
            for (int j = 0; j < n && f != 0; j++) {
                left[i * n + j] -= f * left[k * n + j];
                right[i * n + j] -= f * right[k * n + j];
            }
        }
    }
}

static bool same_place(const double *a, const double *b, int dim)
{
    bool same = true;
    for (int k = 0; k < dim; k++)
        same = same && fabs(a[k] - b[k]) < 1e-9;
    return same;
}

/* The basis's nodes seen along the factor's axes: number[n_shape] in nodes[][dim]. Returns how many differ. */
static int project_nodes(const ritz_basis *basis, const ritz_modal_factor *factor, double *nodes, int *number)
{
    int n = 0;
    for (int i = 0; i < basis->n_shape; i++) {
        const double *node = basis->nodes + i * basis->dim + factor->first_axis;
        number[i] = 0;
        while (number[i] < n && !same_place(nodes + number[i] * factor->dim, node, factor->dim))
            number[i]++;
        if (number[i] < n)
            continue;
        for (int k = 0; k < factor->dim; k++)
            nodes[n * factor->dim + k] = node[k];
        n++;
    }
    return n;
}

ritz_status ritz_modal_coefficients(const ritz_basis *basis, const ritz_modal_factor *factor, double *coefficients)
{
    ritz_status status = RITZ_OK;
    const int n = factor->n_modes;
    long double *modes = NULL, *inverse = NULL;
    double *nodes = NULL;
    int *number = NULL;
    RITZ_NEW(modes, n * n);
    RITZ_NEW(inverse, n * n);
    RITZ_NEW(nodes, basis->n_shape * basis->dim);
    RITZ_NEW(number, basis->n_shape);
    const int n_nodes = project_nodes(basis, factor, nodes, number);
    RITZ_REQUIRE(n_nodes == n, RITZ_ERROR_INPUT,
                 "the nodes of a %s of order %d are no product of nodes on its factors (%d, not %d)",
                 ritz_cell_name(basis->cell), basis->order, n_nodes, n);
    for (int i = 0; i < n; i++) { /* modes[node][mode] */
        simplex_modes(factor->dim, basis->order, nodes + i * factor->dim, modes + i * n);
        inverse[i * n + i] = 1;
    }
    eliminate(n, modes, inverse); /* inverse[mode][node] */
    for (int j = 0; j < basis->n_shape; j++)
        for (int m = 0; m < n; m++)
            coefficients[j * n + m] = (double)inverse[m * n + number[j]];
done:
    ritz_free(modes);
    ritz_free(inverse);
    ritz_free(nodes);
    ritz_free(number);
    return status;
}
