/* The reference tensor: integrals of products of shape functions over the reference cell. */
#include "integrate/reference_tensor.h"

#include <math.h>
#include <string.h>

/* ---- Which numbers there are ---- */

static bool product_is_used(const ritz_form_traits *t, int alpha, int beta)
{
    return t->pair_kinds >> ((alpha > 0) * 2 + (beta > 0)) & 1;
}

void ritz_tensor_get_pattern(const ritz_case *c, ritz_tensor_space space, ritz_tensor_pattern *p)
{
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const ritz_form_traits *t = &c->traits;
    const int n_modes = ritz_cell_n_shape(c->cell, space.order);
    const bool at_points = t->load && !t->constant_load && !space.projected;
    *p = (ritz_tensor_pattern){.merged = t->symmetric && c->n_components == 1,
                               .matrix_modes = t->constant && !space.projected ? 1 : n_modes,
                               .load_modes = at_points         ? (int)size.n_quad
                                             : space.projected ? n_modes
                                                               : 1,
                               .load_at_points = at_points,
                               .n_pairs =
                                   t->symmetric ? size.n_shape * (size.n_shape + 1) / 2 : size.n_shape * size.n_shape,
                               .n_shape = (int)size.n_shape,
                               .n_quad = (int)size.n_quad};
    for (int alpha = 0; alpha <= size.dim; alpha++)
        for (int beta = p->merged ? alpha : 0; beta <= size.dim; beta++)
            if (product_is_used(t, alpha, beta)) {
                p->alpha[p->n_products] = (int8_t)alpha;
                p->beta[p->n_products++] = (int8_t)beta;
            }
    for (int alpha = 0; alpha <= size.dim && t->load; alpha++)
        if (alpha == 0 || t->load_derivatives)
            p->load_alpha[p->n_loads++] = (int8_t)alpha;
}

/* ---- The integrals ---- */

/* The shape functions at the points of the case's rule. */
typedef struct tables {
    int dim, n_shape, n_quad, n_modes;
    double *psi;     /* [n_quad][1 + dim][n_shape] */
    double *chi;     /* [n_quad][1 + dim][n_modes] of the coefficients' space */
    double *weights; /* [n_quad] */
} tables;

static void free_tables(tables *t)
{
    ritz_free(t->psi);
    ritz_free(t->chi);
    ritz_free(t->weights);
}

static ritz_status tabulate_basis(ritz_cell cell, int order, const ritz_quadrature *rule, int *n_shape, double **psi)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    RITZ_TRY(ritz_basis_create(cell, order, RITZ_NODES_LOBATTO, &basis));
    *n_shape = basis->n_shape;
    RITZ_NEW(*psi, (int64_t)rule->n_points * (1 + basis->dim) * basis->n_shape);
    RITZ_TRY(ritz_basis_tabulate(basis, rule->n_points, rule->points, *psi));
done:
    ritz_basis_destroy(&basis);
    return status;
}

static ritz_status tabulate_cell(const ritz_case *c, int field_order, tables *t)
{
    ritz_status status = RITZ_OK;
    ritz_quadrature *rule = NULL;
    RITZ_TRY(ritz_quadrature_create(c->cell, ritz_quadrature_degree(c->degree, c->order), &rule));
    t->dim = ritz_cell_dim(c->cell);
    t->n_quad = rule->n_points;
    RITZ_NEW(t->weights, t->n_quad);
    memcpy(t->weights, rule->weights, (size_t)t->n_quad * sizeof *t->weights);
    RITZ_TRY(tabulate_basis(c->cell, c->order, rule, &t->n_shape, &t->psi));
    RITZ_TRY(tabulate_basis(c->cell, field_order, rule, &t->n_modes, &t->chi));
done:
    ritz_quadrature_destroy(&rule);
    return status;
}

static const double *shape_values(const tables *t, int q, int D)
{
    return t->psi + ((int64_t)q * (1 + t->dim) + D) * t->n_shape;
}

static const double *mode_values(const tables *t, int q)
{
    return t->chi + (int64_t)q * (1 + t->dim) * t->n_modes;
}

/* One pair's numbers. */
static void integrate_pair(const tables *t, const ritz_tensor_pattern *p, int i, int j, double *k)
{
    for (int q = 0; q < t->n_quad; q++)
        for (int m = 0; m < p->matrix_modes; m++) {
            const double weight = t->weights[q] * (p->matrix_modes > 1 ? mode_values(t, q)[m] : 1);
            for (int n = 0; n < p->n_products; n++) {
                const double *a = shape_values(t, q, p->alpha[n]), *b = shape_values(t, q, p->beta[n]);
                const double mirror = p->merged && p->alpha[n] != p->beta[n] ? a[j] * b[i] : 0;
                k[m * p->n_products + n] += weight * (a[i] * b[j] + mirror);
            }
        }
}

static void integrate_load(const tables *t, const ritz_tensor_pattern *p, int i, double *l)
{
    for (int q = 0; q < t->n_quad; q++)
        for (int m = 0; m < p->load_modes; m++) {
            const double chi = p->load_at_points ? m == q : p->load_modes > 1 ? mode_values(t, q)[m] : 1;
            for (int n = 0; n < p->n_loads; n++)
                l[m * p->n_loads + n] += t->weights[q] * chi * shape_values(t, q, p->load_alpha[n])[i];
        }
}

/* Least squares by the rule's weights: exact for what is in the space. */
static ritz_status make_projection(const tables *t, ritz_reference_tensor *k)
{
    ritz_status status = RITZ_OK;
    const int n = t->n_modes;
    long double *mass = NULL;
    RITZ_NEW(mass, (int64_t)n * n);
    RITZ_NEW(k->projection, (int64_t)n * t->n_quad);
    RITZ_NEW(k->modes, (int64_t)n * t->n_quad);
    for (int q = 0; q < t->n_quad; q++) {
        memcpy(k->modes + (int64_t)q * n, mode_values(t, q), (size_t)n * sizeof *k->modes);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                mass[a * n + b] += (long double)t->weights[q] * mode_values(t, q)[a] * mode_values(t, q)[b];
    }
    RITZ_TRY(ritz_invert(n, mass));
    for (int m = 0; m < n; m++)
        for (int q = 0; q < t->n_quad; q++) {
            long double sum = 0;
            for (int a = 0; a < n; a++)
                sum += mass[m * n + a] * mode_values(t, q)[a];
            k->projection[(int64_t)m * t->n_quad + q] = (double)(sum * t->weights[q]);
        }
done:
    ritz_free(mass);
    return status;
}

static void integrate_all(const tables *t, ritz_reference_tensor *k)
{
    const ritz_tensor_pattern *p = &k->pattern;
    const int terms = p->matrix_modes * p->n_products;
    const bool half = p->n_pairs < (int64_t)t->n_shape * t->n_shape;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < t->n_shape; i++) {
        const int64_t row = half ? (int64_t)i * t->n_shape - (int64_t)i * (i - 1) / 2 - i : (int64_t)i * t->n_shape;
        for (int j = half ? i : 0; j < t->n_shape; j++)
            integrate_pair(t, p, i, j, k->matrix + (row + j) * terms);
        integrate_load(t, p, i, k->load + (int64_t)i * p->load_modes * p->n_loads);
    }
}

static ritz_status create_tensor(const ritz_case *c, ritz_tensor_space space, bool integrates,
                                 ritz_reference_tensor **tensor)
{
    ritz_status status = RITZ_OK;
    ritz_reference_tensor *k = NULL;
    tables t = {0};
    RITZ_NEW(k, 1);
    ritz_tensor_get_pattern(c, space, &k->pattern);
    const ritz_tensor_pattern *p = &k->pattern;
    RITZ_TRY(tabulate_cell(c, space.order, &t));
    k->n_modes = t.n_modes;
    if (!c->traits.constant || space.projected)
        RITZ_TRY(make_projection(&t, k));
    if (integrates) {
        RITZ_NEW(k->matrix, p->n_pairs * p->matrix_modes * p->n_products);
        RITZ_NEW(k->load, ritz_max64(1, (int64_t)p->n_shape * p->load_modes * p->n_loads));
        integrate_all(&t, k);
    }
    *tensor = k;
    k = NULL;
done:
    free_tables(&t);
    ritz_reference_tensor_destroy(&k);
    return status;
}

ritz_status ritz_reference_tensor_create(const ritz_case *c, ritz_tensor_space space, ritz_reference_tensor **tensor)
{
    return create_tensor(c, space, true, tensor);
}

ritz_status ritz_reference_projection_create(const ritz_case *c, ritz_tensor_space space,
                                             ritz_reference_tensor **tensor)
{
    return create_tensor(c, space, false, tensor);
}

void ritz_reference_tensor_destroy(ritz_reference_tensor **tensor)
{
    if (!*tensor)
        return;
    ritz_free((*tensor)->matrix);
    ritz_free((*tensor)->load);
    ritz_free((*tensor)->projection);
    ritz_free((*tensor)->modes);
    ritz_free(*tensor);
    *tensor = NULL;
}
