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

void ritz_modal_recurrence(int order, double *recurrence)
{
    long double r[3];
    for (int a = 0; a < 2 * order + 3; a++)
        for (int n = 0; n < order; n++) {
            ritz_jacobi_recurrence(a, n, r);
            for (int k = 0; k < 3; k++)
                recurrence[(a * order + n) * 3 + k] = (double)r[k];
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
    long double *inverse = NULL;
    double *nodes = NULL;
    int *number = NULL;
    RITZ_NEW(inverse, n * n);
    RITZ_NEW(nodes, basis->n_shape * basis->dim);
    RITZ_NEW(number, basis->n_shape);
    const int n_nodes = project_nodes(basis, factor, nodes, number);
    RITZ_REQUIRE(n_nodes == n, RITZ_ERROR_INPUT,
                 "the nodes of a %s of order %d are not a product of nodes on its factors (%d, not %d)",
                 ritz_cell_name(basis->cell), basis->order, n_nodes, n);
    for (int i = 0; i < n; i++) /* [node][mode] */
        ritz_simplex_polynomials(factor->dim, basis->order, nodes + i * factor->dim, inverse + i * n);
    RITZ_TRY(ritz_invert(n, inverse)); /* [mode][node] */
    for (int j = 0; j < basis->n_shape; j++)
        for (int m = 0; m < n; m++)
            coefficients[j * n + m] = (double)inverse[m * n + number[j]];
done:
    ritz_free(inverse);
    ritz_free(nodes);
    ritz_free(number);
    return status;
}
