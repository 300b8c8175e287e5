/* Bases and rules of quads, prisms and hexes as products of a base and lines. */
#include "cell/internal.h"

bool ritz_cell_has_factors(ritz_cell cell)
{
    return cell == RITZ_QUAD || cell == RITZ_PRISM || cell == RITZ_HEX;
}

enum { MAX_POINTS = RITZ_MAX_DEGREE / 2 + 1 };

/* line[n_points][2][n]: the Lagrange polynomials of order n - 1 and their derivatives at the Gauss points. */
static void tabulate_line(int n, int n_points, double *line)
{
    long double nodes[RITZ_MAX_ORDER + 1], points[MAX_POINTS], weights[MAX_POINTS];
    long double at_point[2 * (RITZ_MAX_ORDER + 1)];
    ritz_line_nodes(RITZ_NODES_LOBATTO, n - 1, nodes);
    ritz_line_gauss(n_points, points, weights);
    for (int s = 0; s < n_points; s++) {
        ritz_line_lagrange(n - 1, nodes, (double)points[s], at_point);
        for (int k = 0; k < 2 * n; k++)
            line[s * 2 * n + k] = (double)at_point[k];
    }
}

/* The triangle's own basis at its own rule. */
static ritz_status tabulate_triangle(int order, int degree, const ritz_factors *factors)
{
    ritz_status status = RITZ_OK;
    ritz_basis *triangle = NULL;
    ritz_quadrature *rule = NULL;
    RITZ_TRY(ritz_basis_create(RITZ_TRI, order, RITZ_NODES_LOBATTO, &triangle));
    RITZ_TRY(ritz_quadrature_create(RITZ_TRI, degree, &rule));
    RITZ_TRY(ritz_basis_tabulate(triangle, rule->n_points, rule->points, factors->base));
done:
    ritz_basis_destroy(&triangle);
    ritz_quadrature_destroy(&rule);
    return status;
}

/* Where each product of a base function and line functions stands in the cell's own order. */
static ritz_status number_products(ritz_cell cell, int order, const ritz_factors *f)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    RITZ_TRY(ritz_basis_create(cell, order, RITZ_NODES_LOBATTO, &basis));
    for (int i = 0; i < basis->n_shape; i++) {
        const int16_t *factor = basis->evaluation->factor[i];
        f->shape[((f->n_lines == 2 ? factor[2] : 0) * f->n_line + factor[1]) * f->n_base + factor[0]] = (int16_t)i;
    }
done:
    ritz_basis_destroy(&basis);
    return status;
}

ritz_status ritz_factors_create(ritz_cell cell, int order, int degree, ritz_factors **factors)
{
    ritz_status status = RITZ_OK;
    ritz_factors *f = NULL;
    RITZ_REQUIRE(ritz_cell_has_factors(cell), RITZ_ERROR_INPUT,
                 "cell type %d is not a product of a base and lines; take quad, prism or hex", (int)cell);
    RITZ_REQUIRE(order >= 1 && order <= RITZ_MAX_ORDER, RITZ_ERROR_INPUT, "order %d is not possible; take 1 to %d",
                 order, RITZ_MAX_ORDER);
    RITZ_REQUIRE(degree >= 1 && degree <= RITZ_MAX_DEGREE, RITZ_ERROR_INPUT,
                 "there is no quadrature of degree %d; take 1 to %d", degree, RITZ_MAX_DEGREE);
    RITZ_NEW(f, 1);
    const bool prism = cell == RITZ_PRISM;
    f->n_lines = cell == RITZ_HEX ? 2 : 1;
    f->n_line = order + 1;
    f->n_line_points = degree / 2 + 1;
    f->base_dim = prism ? 2 : 1;
    f->n_base = prism ? ritz_cell_n_shape(RITZ_TRI, order) : f->n_line;
    f->n_base_points = prism ? ritz_quadrature_n_points(RITZ_TRI, degree) : f->n_line_points;
    RITZ_NEW(f->base, f->n_base_points * (1 + f->base_dim) * f->n_base);
    RITZ_NEW(f->line, f->n_line_points * 2 * f->n_line);
    RITZ_NEW(f->shape, ritz_cell_n_shape(cell, order));
    tabulate_line(f->n_line, f->n_line_points, f->line);
    if (prism)
        RITZ_TRY(tabulate_triangle(order, degree, f));
    else
        tabulate_line(f->n_line, f->n_line_points, f->base);
    RITZ_TRY(number_products(cell, order, f));
    *factors = f;
    f = NULL;
done:
    ritz_factors_destroy(&f);
    return status;
}

void ritz_factors_destroy(ritz_factors **factors)
{
    if (*factors == NULL)
        return;
    ritz_free((*factors)->base);
    ritz_free((*factors)->line);
    ritz_free((*factors)->shape);
    ritz_free(*factors);
    *factors = NULL;
}
