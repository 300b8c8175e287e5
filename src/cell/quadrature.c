/* Quadrature rules of a degree inside cells and on their facets. */
#include "cell/tables.h"

#include <math.h>
#include <string.h>

enum { MAX_LINE = RITZ_MAX_DEGREE / 2 + 2, MAX_FACE = MAX_LINE * MAX_LINE };

/* Gauss points along a line that integrate polynomials of a degree. */
static int line_points(int degree)
{
    return degree / 2 + 1;
}

/* Place of the rule in the tables of simplices. */
static int simplex_rule(int degree)
{
    return degree == 1 ? 0 : (degree + 1) / 2;
}

/* Points of the rule of a simplex: by the tables, then by lines that are collapsed, where the factors of the Jacobian
   add 1 to the degree along the second line from behind, 2 along the third. */
static int simplex_points(int dim, int degree)
{
    static const int tri[] = {1, 3, 6, 12, 16, 25, 33, 42}, tet[] = {1, 4, 14, 24, 46, 81, 117, 175};
    const int rule = simplex_rule(degree), collapsed = line_points(degree) * line_points(degree + 1);
    if (rule < RITZ_N_SIMPLEX_RULES)
        return dim == 2 ? tri[rule] : tet[rule];
    return dim == 2 ? collapsed : collapsed * line_points(degree + 2);
}

int ritz_quadrature_n_points(ritz_cell cell, int degree)
{
    const int n = line_points(degree);
    if (degree < 1 || degree > RITZ_MAX_DEGREE)
        return 0;
    switch (cell) {
    case RITZ_TRI:
        return simplex_points(2, degree);
    case RITZ_QUAD:
        return n * n;
    case RITZ_TET:
        return simplex_points(3, degree);
    case RITZ_PRISM:
        return simplex_points(2, degree) * n;
    case RITZ_HEX:
        return n * n * n;
    default:
        return 0;
    }
}

int ritz_cell_n_quad(ritz_cell cell, int order)
{
    return order >= 1 && order <= RITZ_MAX_ORDER ? ritz_quadrature_n_points(cell, 2 * order) : 0;
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

static void sort_numbers(int n, long double *b)
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
static int expand_orbits(const ritz_orbit_rule *rule, int dim, double *points, double *weights)
{
    double volume = dim == 2 ? 0.5 : 1.0 / 6.0;
    int n = 0;
    for (int k = 0; k < rule->n_orbits; k++) {
        const ritz_orbit *orbit = &rule->orbits[k];
        long double b[4];
        orbit_start(orbit, dim + 1, b);
        if (orbit->kind != ORBIT_POINT)
            sort_numbers(dim + 1, b);
        do {
            for (int d = 0; d < dim; d++)
                points[n * dim + d] = (double)b[d];
            weights[n++] = orbit->weight * volume;
        } while (orbit->kind != ORBIT_POINT && next_permutation(dim + 1, b));
    }
    return n;
}

/* The products of Gauss rules along x, s and t collapsed to the triangle (x, s (1 - x)) or the tet (x, s (1 - x),
   t (1 - s) (1 - x)). */
static void collapse_gauss_rule(int dim, int degree, double *points, double *weights)
{
    long double x[3][MAX_LINE] = {{0}}, w[3][MAX_LINE] = {{1}, {1}, {1}};
    int n[3] = {1, 1, 1};
    for (int d = 0; d < dim; d++) {
        n[d] = line_points(degree + dim - 1 - d);
        ritz_line_gauss(n[d], x[d], w[d]);
    }
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++) {
                const long double rest = 1 - x[0][i], last = rest * (1 - x[1][j]);
                *points++ = (double)x[0][i];
                *points++ = (double)(x[1][j] * rest);
                if (dim == 3)
                    *points++ = (double)(x[2][k] * last);
                *weights++ = (double)(w[0][i] * w[1][j] * w[2][k] * rest * (dim == 3 ? last : 1));
            }
}

/* The rule of a simplex; returns the number of points. */
static int fill_simplex(int dim, int degree, double *points, double *weights)
{
    const int rule = simplex_rule(degree);
    if (rule < RITZ_N_SIMPLEX_RULES)
        return expand_orbits(dim == 2 ? &ritz_triangle_rules[rule] : &ritz_tet_rules[rule], dim, points, weights);
    collapse_gauss_rule(dim, degree, points, weights);
    return simplex_points(dim, degree);
}

/* All products of a rule with `n` points in `dim` dimensions and the Gauss rule along one more axis. */
static void extrude_rule(int n, int dim, const double *points, const double *weights, int n_line, double *out,
                         double *out_weights)
{
    long double x[MAX_LINE], w[MAX_LINE];
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

/* points[n_quad][dim] and weights[n_quad] of the rule. */
static void fill_rule(ritz_cell cell, int degree, double *points, double *weights)
{
    double base[MAX_FACE * 2], base_weights[MAX_FACE], line[MAX_LINE], line_weights[MAX_LINE];
    const double origin = 0, one = 1;
    const int n = line_points(degree);
    switch (cell) {
    case RITZ_TRI:
    case RITZ_TET:
        fill_simplex(ritz_cell_dim(cell), degree, points, weights);
        break;
    case RITZ_PRISM: {
        const int n_base = fill_simplex(2, degree, base, base_weights);
        extrude_rule(n_base, 2, base, base_weights, n, points, weights);
        break;
    }
    default:
        extrude_rule(1, 0, &origin, &one, n, line, line_weights);
        if (cell == RITZ_QUAD) {
            extrude_rule(n, 1, line, line_weights, n, points, weights);
            break;
        }
        extrude_rule(n, 1, line, line_weights, n, base, base_weights);
        extrude_rule(n * n, 2, base, base_weights, n, points, weights);
    }
}

static ritz_status check_rule(ritz_cell cell, int degree)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(cell >= 0 && cell < RITZ_N_CELLS, RITZ_ERROR_INPUT, "%d is not a cell type", (int)cell);
    RITZ_REQUIRE(degree >= 1 && degree <= RITZ_MAX_DEGREE, RITZ_ERROR_INPUT,
                 "there is no quadrature of degree %d; take 1 to %d", degree, RITZ_MAX_DEGREE);
done:
    return status;
}

ritz_status ritz_quadrature_create(ritz_cell cell, int degree, ritz_quadrature **quadrature)
{
    ritz_status status = RITZ_OK;
    ritz_quadrature *q = NULL;
    RITZ_TRY(check_rule(cell, degree));
    RITZ_NEW(q, 1);
    q->cell = cell;
    q->degree = degree;
    q->n_points = ritz_quadrature_n_points(cell, degree);
    RITZ_NEW(q->points, q->n_points * ritz_cell_dim(cell));
    RITZ_NEW(q->weights, q->n_points);
    fill_rule(cell, degree, q->points, q->weights);
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

ritz_status ritz_facet_quadrature_create(ritz_cell cell, int facet, int degree, ritz_facet_quadrature **quadrature)
{
    ritz_status status = RITZ_OK;
    ritz_facet_quadrature *f = NULL;
    double flat[MAX_FACE * 2], u[3] = {0}, v[3] = {0};
    RITZ_TRY(check_rule(cell, degree));
    const ritz_topology *t = ritz_cell_topology(cell);
    const double *vertices = ritz_cell_vertices(cell);
    RITZ_REQUIRE(facet >= 0 && facet < t->n_facets, RITZ_ERROR_INPUT, "a %s has facets 0 to %d; %d is not among them",
                 ritz_cell_name(cell), t->n_facets - 1, facet);
    int dim = t->dim, n_vertices = t->facet_n_vertices[facet], flat_dim = dim - 1;
    RITZ_NEW(f, 1);
    const ritz_cell face = n_vertices == 3 ? RITZ_TRI : RITZ_QUAD;
    f->n_points = n_vertices == 2 ? line_points(degree) : ritz_quadrature_n_points(face, degree);
    RITZ_NEW(f->points, f->n_points * dim);
    RITZ_NEW(f->weights, f->n_points);
    if (n_vertices == 2)
        extrude_rule(1, 0, flat, &(double){1}, f->n_points, flat, f->weights);
    else
        fill_rule(face, degree, flat, f->weights);
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
