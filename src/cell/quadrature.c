/* Quadrature rules of degree 2p inside cells and on their facets. */
#include "cell/tables.h"

#include <math.h>
#include <string.h>

static int triangle_points(int order)
{
    static const int n[] = {3, 6, 12, 16, 25, 33, 42};
    return n[order - 1];
}

int ritz_cell_n_quad(ritz_cell cell, int order)
{
    static const int tet[] = {4, 14, 24, 46, 81, 117, 175};
    int n = order + 1;
    if (order < 1 || order > RITZ_MAX_ORDER)
        return 0;
    switch (cell) {
    case RITZ_TRI:
        return triangle_points(order);
    case RITZ_QUAD:
        return n * n;
    case RITZ_TET:
        return tet[order - 1];
    case RITZ_PRISM:
        return triangle_points(order) * n;
    case RITZ_HEX:
        return n * n * n;
    default:
        return 0;
    }
}

/* Barycentric coordinates of an orbit's first point in a simplex with n vertices. */
static void orbit_start(const ritz_orbit *orbit, int n, long double *b)
{
    long double a0 = orbit->a[0], a1 = orbit->a[1], a2 = orbit->a[2];
    for (int k = 0; k < n; k++)
        b[k] = a0;
    switch (orbit->kind) {
    case ORBIT_CENTRE:
        for (int k = 0; k < n; k++)
            b[k] = 1.0L / n;
        break;
    case ORBIT_21:
        b[2] = 1 - 2 * a0;
        break;
    case ORBIT_ALL:
        b[1] = a1;
        b[2] = 1 - a0 - a1;
        break;
    case ORBIT_31:
        b[3] = 1 - 3 * a0;
        break;
    case ORBIT_22:
        b[2] = b[3] = 0.5L - a0;
        break;
    case ORBIT_211:
        b[2] = a1;
        b[3] = 1 - 2 * a0 - a1;
        break;
    case ORBIT_POINT:
        b[1] = a1;
        b[2] = a2;
        b[3] = 1 - a0 - a1 - a2;
        break;
    }
}

/* The next permutation of b[n] in lexicographic order; equal entries give each arrangement once. False after the last.
 */
static bool next_permutation(int n, long double *b)
{
    int i = n - 2, j = n - 1;
    while (i >= 0 && b[i] >= b[i + 1])
        i--;
    if (i < 0)
        return false;
    while (b[j] <= b[i])
        j--;
    long double swap = b[i];
    b[i] = b[j];
    b[j] = swap;
    for (int k = i + 1, m = n - 1; k < m; k++, m--) {
        swap = b[k];
        b[k] = b[m];
        b[m] = swap;
    }
    return true;
}

static void sort(int n, long double *b)
{
    for (int i = 1; i < n; i++) {
        long double value = b[i];
        int k = i;
        for (; k > 0 && b[k - 1] > value; k--)
            b[k] = b[k - 1];
        b[k] = value;
    }
}

/* Points and weights of a rule on a simplex of dimension dim; returns how many. points and weights may be NULL. */
static int expand(const ritz_orbit_rule *rule, int dim, double *points, double *weights)
{
    double volume = dim == 2 ? 0.5 : 1.0 / 6.0;
    int n = 0;
    for (int k = 0; k < rule->n_orbits; k++) {
        const ritz_orbit *orbit = &rule->orbits[k];
        long double b[4];
        orbit_start(orbit, dim + 1, b);
        if (orbit->kind != ORBIT_POINT)
            sort(dim + 1, b);
        do {
            for (int d = 0; d < dim; d++)
                points[n * dim + d] = (double)b[d];
            weights[n++] = orbit->weight * volume;
        } while (orbit->kind != ORBIT_POINT && next_permutation(dim + 1, b));
    }
    return n;
}

/* All products of a rule with `n` points in `dim` dimensions and the Gauss rule along one more axis. */
static void extrude(int n, int dim, const double *points, const double *weights, int n_line, double *out,
                    double *out_weights)
{
    long double x[RITZ_MAX_ORDER + 1], w[RITZ_MAX_ORDER + 1];
    ritz_line_gauss(n_line, x, w);
    for (int k = 0; k < n_line; k++) {
        for (int q = 0; q < n; q++) {
            double *point = out + (int64_t)(k * n + q) * (dim + 1);
            memcpy(point, points + (int64_t)q * dim, (size_t)dim * sizeof *point);
            point[dim] = (double)x[k];
            out_weights[k * n + q] = (double)(w[k] * weights[q]);
        }
    }
}

/* points[n_quad][dim] and weights[n_quad] of the rule of order p. */
static void fill(ritz_cell cell, int order, double *points, double *weights)
{
    double base[64 * 2], base_weights[64], line[RITZ_MAX_ORDER + 1], line_weights[RITZ_MAX_ORDER + 1];
    const double origin = 0, one = 1;
    int n = order + 1;
    switch (cell) {
    case RITZ_TRI:
        expand(&ritz_triangle_rules[order - 1], 2, points, weights);
        break;
    case RITZ_TET:
        expand(&ritz_tet_rules[order - 1], 3, points, weights);
        break;
    case RITZ_PRISM: {
        int n_base = expand(&ritz_triangle_rules[order - 1], 2, base, base_weights);
        extrude(n_base, 2, base, base_weights, n, points, weights);
        break;
    }
    default:
        extrude(1, 0, &origin, &one, n, line, line_weights);
        if (cell == RITZ_QUAD) {
            extrude(n, 1, line, line_weights, n, points, weights);
            break;
        }
        extrude(n, 1, line, line_weights, n, base, base_weights);
        extrude(n * n, 2, base, base_weights, n, points, weights);
    }
}

static ritz_status check_order(ritz_cell cell, int order)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(cell >= 0 && cell < RITZ_N_CELLS, RITZ_ERROR_INPUT, "no cell has the number %d", (int)cell);
    RITZ_REQUIRE(order >= 1 && order <= RITZ_MAX_ORDER, RITZ_ERROR_INPUT, "order %d is not possible; take 1 to %d",
                 order, RITZ_MAX_ORDER);
done:
    return status;
}

ritz_status ritz_quadrature_create(ritz_cell cell, int order, ritz_quadrature **quadrature)
{
    ritz_status status = RITZ_OK;
    ritz_quadrature *q = NULL;
    RITZ_TRY(check_order(cell, order));
    RITZ_NEW(q, 1);
    q->cell = cell;
    q->degree = 2 * order;
    q->n_points = ritz_cell_n_quad(cell, order);
    RITZ_NEW(q->points, q->n_points * ritz_cell_dim(cell));
    RITZ_NEW(q->weights, q->n_points);
    fill(cell, order, q->points, q->weights);
    *quadrature = q;
    q = NULL;
done:
    ritz_quadrature_destroy(&q);
    return status;
}

void ritz_quadrature_destroy(ritz_quadrature **quadrature)
{
    if (*quadrature == NULL)
        return;
    ritz_free((*quadrature)->points);
    ritz_free((*quadrature)->weights);
    ritz_free(*quadrature);
    *quadrature = NULL;
}

/* The outward normal of a flat facet with edge vectors u and v (2D: v unused), as long as the facet is large per unit
   of the facet's own reference area: then weights of the facet's reference rule times this normal are areas. */
static void facet_normal(int dim, const double *u, const double *v, double *normal)
{
    if (dim == 2) {
        normal[0] = u[1];
        normal[1] = -u[0];
        normal[2] = 0;
        return;
    }
    normal[0] = u[1] * v[2] - u[2] * v[1];
    normal[1] = u[2] * v[0] - u[0] * v[2];
    normal[2] = u[0] * v[1] - u[1] * v[0];
}

ritz_status ritz_facet_quadrature_create(ritz_cell cell, int facet, int order, ritz_facet_quadrature **quadrature)
{
    ritz_status status = RITZ_OK;
    ritz_facet_quadrature *f = NULL;
    double flat[64 * 2], u[3] = {0}, v[3] = {0};
    RITZ_TRY(check_order(cell, order));
    const ritz_topology *t = ritz_cell_topology(cell);
    const double *vertices = ritz_cell_vertices(cell);
    RITZ_REQUIRE(facet >= 0 && facet < t->n_facets, RITZ_ERROR_INPUT, "a %s has facets 0 to %d; %d is not among them",
                 ritz_cell_name(cell), t->n_facets - 1, facet);
    int dim = t->dim, n_vertices = t->facet_n_vertices[facet], flat_dim = dim - 1;
    RITZ_NEW(f, 1);
    f->n_points = n_vertices == 2 ? order + 1 : ritz_cell_n_quad(n_vertices == 3 ? RITZ_TRI : RITZ_QUAD, order);
    RITZ_NEW(f->points, f->n_points * dim);
    RITZ_NEW(f->weights, f->n_points);
    if (n_vertices == 2)
        extrude(1, 0, flat, &(double){1}, order + 1, flat, f->weights);
    else
        fill(n_vertices == 3 ? RITZ_TRI : RITZ_QUAD, order, flat, f->weights);
    const double *a = vertices + t->facets[facet][0] * dim, *b = vertices + t->facets[facet][1] * dim;
    const double *c = vertices + t->facets[facet][n_vertices - 1] * dim;
    for (int d = 0; d < dim; d++) {
        u[d] = b[d] - a[d];
        v[d] = c[d] - a[d];
    }
    for (int q = 0; q < f->n_points; q++) {
        for (int d = 0; d < dim; d++)
            f->points[q * dim + d] = a[d] + flat[q * flat_dim] * u[d] + (flat_dim == 2 ? flat[q * 2 + 1] * v[d] : 0);
    }
    facet_normal(dim, u, v, f->normal);
    *quadrature = f;
    f = NULL;
done:
    ritz_facet_quadrature_destroy(&f);
    return status;
}

void ritz_facet_quadrature_destroy(ritz_facet_quadrature **quadrature)
{
    if (*quadrature == NULL)
        return;
    ritz_free((*quadrature)->points);
    ritz_free((*quadrature)->weights);
    ritz_free(*quadrature);
    *quadrature = NULL;
}
