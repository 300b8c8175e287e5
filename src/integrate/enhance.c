/* Mixed elements and incompatible modes; what reduced ones have in common with them. */
#include "base/point.h"
#include "integrate/reduce.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- What a batch shares ---- */

static int count_pressures(const ritz_space *space, ritz_cell cell)
{
    const bool simplex = cell == RITZ_TRI || cell == RITZ_TET;
    return space->order == 1 || simplex ? 1 : 1 + space->dim;
}

static ritz_status check_kinds(const ritz_enhancement *e)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = &e->space->batches[e->batch];
    const ritz_cell cell = batch->cell;
    const int order = e->space->order;
    const bool simplex = cell == RITZ_TRI || cell == RITZ_TET;
    bool has[RITZ_N_ENHANCEMENTS] = {false};
    for (int32_t c = 0; c < batch->n_cells; c++)
        has[e->kind[c]] = true;
    RITZ_REQUIRE(!has[RITZ_MIXED] || order <= 2, RITZ_ERROR_INPUT,
                 "mixed elements have order 1 or 2; order %d needs none", order);
    RITZ_REQUIRE(!has[RITZ_MIXED] || !simplex || order == 2, RITZ_ERROR_INPUT,
                 "there are no mixed %s cells of order 1: take order 2", ritz_cell_name(cell));
    RITZ_REQUIRE(!has[RITZ_INCOMPATIBLE] || (order == 1 && (cell == RITZ_QUAD || cell == RITZ_HEX)), RITZ_ERROR_INPUT,
                 "incompatible modes are for quad and hex cells of order 1, not for %s cells of order %d",
                 ritz_cell_name(cell), order);
    RITZ_REQUIRE(!(has[RITZ_REDUCED] || has[RITZ_REDUCED_CALCULIX]) ||
                     (order == 1 && (cell == RITZ_QUAD || cell == RITZ_HEX)),
                 RITZ_ERROR_INPUT, "reduced elements are quad and hex cells of order 1, not %s cells of order %d",
                 ritz_cell_name(cell), order);
done:
    return status;
}

ritz_status ritz_enhancement_prepare(ritz_enhancement *e, int degree)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = &e->space->batches[e->batch];
    const int dim = e->space->dim, n_vertices = ritz_cell_topology(batch->cell)->n_vertices;
    const double *vertices = ritz_cell_vertices(batch->cell), one = 1;
    double centre[3] = {0};
    ritz_quadrature *quadrature = NULL;
    RITZ_TRY(check_kinds(e));
    for (int v = 0; v < n_vertices; v++)
        for (int d = 0; d < dim; d++)
            centre[d] += vertices[v * dim + d] / n_vertices;
    RITZ_TRY(ritz_quadrature_create(batch->cell, degree, &quadrature));
    RITZ_TRY(ritz_tables_create(batch, quadrature->n_points, quadrature->points, quadrature->weights, &e->tables));
    RITZ_TRY(ritz_tables_create(batch, 1, centre, &one, &e->centre));
    RITZ_TRY(ritz_tables_create_quadrature(batch, 3, &e->mean));
    RITZ_NEW(e->points, quadrature->n_points * dim);
    for (int i = 0; i < quadrature->n_points * dim; i++)
        e->points[i] = quadrature->points[i] - centre[i % dim];
done:
    ritz_quadrature_destroy(&quadrature);
    return status;
}

void ritz_enhancement_free(ritz_enhancement *e)
{
    ritz_tables_destroy(&e->tables);
    ritz_tables_destroy(&e->centre);
    ritz_tables_destroy(&e->mean);
    ritz_free(e->points);
    e->points = NULL;
}

/* ---- A cell ---- */

/* Of one that is the same in all directions: Lame's parameters as they are in this kind of body. */
static void fill_isotropic(ritz_solid solid, double lambda, double mu, double c[6][6])
{
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            c[a][b] = solid == RITZ_SOLID_PLANE_STRESS && (a == 2 || b == 2) ? 0 : lambda + (a == b ? 2 * mu : 0);
        c[3 + a][3 + a] = mu;
    }
}

void ritz_find_enhanced_point(const ritz_enhancement *e, int32_t cell, int q, ritz_enhanced_point *p)
{
    const ritz_mesh_block *block = e->space->batches[e->batch].block;
    ritz_enhancement_material *m = &p->material;
    *m = (ritz_enhancement_material){0};
    ritz_point_map(e->tables, e->space->mesh, block->nodes + (int64_t)cell * block->n_nodes, q, &p->map);
    ritz_point_shape(e->tables, &p->map, q, p->psi);
    e->data(e->context, e->batch, cell, q, p->map.x, m);
    const double nu = m->poisson, mu = m->young / (2 * (1 + nu));
    p->lambda = m->young * nu / ((1 + nu) * (e->solid == RITZ_SOLID_PLANE_STRESS ? 1 - nu : 1 - 2 * nu));
    if (!m->directed)
        fill_isotropic(e->solid, p->lambda, mu, m->c);
    if (p->lambda == 0) /* next to no pressure: 1 / lambda is needed */
        p->lambda = DBL_EPSILON * m->young;
    p->vol = p->map.det * e->tables->weights[q] * m->measure;
}

static void find_centre(const ritz_enhancement *e, int32_t cell, ritz_enhanced *of)
{
    const ritz_mesh_block *block = e->space->batches[e->batch].block;
    ritz_point centre;
    ritz_point_map(e->centre, e->space->mesh, block->nodes + (int64_t)cell * block->n_nodes, 0, &centre);
    memcpy(of->origin, centre.x, sizeof of->origin);
    memcpy(of->inverse, centre.inverse, sizeof of->inverse);
    of->det = centre.det;
    of->size = pow(fabs(centre.det), 1.0 / e->space->dim);
}

/* s becomes its Cholesky factor. */
static bool factorise_modes(ritz_enhanced *of)
{
    for (int a = 0; a < of->n_modes; a++)
        for (int b = 0; b <= a; b++) {
            double sum = of->s[a][b];
            for (int k = 0; k < b; k++)
                sum -= of->s[a][k] * of->s[b][k];
            if (a == b && !(sum > 0))
                return false;
            of->s[a][b] = a == b ? sqrt(sum) : sum / of->s[b][b];
        }
    return true;
}

/* y = L^-1 y */
static void solve_lower(const ritz_enhanced *of, double y[RITZ_MAX_MODES])
{
    for (int a = 0; a < of->n_modes; a++) {
        for (int k = 0; k < a; k++)
            y[a] -= of->s[a][k] * y[k];
        y[a] /= of->s[a][a];
    }
}

/* The pressure's polynomial k. */
static double find_polynomial(const ritz_enhanced *of, int k, const double x[3])
{
    return k == 0 ? 1 : (x[k - 1] - of->origin[k - 1]) / of->size;
}

/* The divergence of shape function i in component c. */
static double find_divergence(const ritz_enhancement *e, const ritz_enhanced_point *p, int i, int c)
{
    const double hoop = e->solid == RITZ_SOLID_RING && c == 0 ? p->psi[i] / p->map.x[0] : 0;
    return p->psi[(1 + c) * e->tables->n_shape + i] + hoop;
}

static void add_pressure(const ritz_enhancement *e, const ritz_enhanced_point *p, ritz_enhanced *of)
{
    const int dim = e->space->dim, n = e->tables->n_shape;
    double value[4];
    for (int k = 0; k < of->n_modes; k++)
        value[k] = find_polynomial(of, k, p->map.x);
    for (int k = 0; k < of->n_modes; k++) {
        for (int i = 0; i < n; i++)
            for (int c = 0; c < dim; c++)
                of->b[i * dim + c][k] += p->vol * value[k] * find_divergence(e, p, i, c);
        for (int m = 0; m <= k; m++)
            of->s[k][m] += p->vol / p->lambda * value[k] * value[m];
    }
}

/* Gradient of mode m at point q. */
static void find_mode(const ritz_enhancement *e, const ritz_enhanced *of, int m, int q, double det, double gradient[3])
{
    const int dim = e->space->dim;
    for (int d = 0; d < dim; d++)
        gradient[d] = -2 * e->points[q * dim + m] * of->inverse[m][d] * of->det / det;
}

/* With incompatible modes: the rows of b and s. */
typedef struct mode_rows {
    ritz_strain_row b[RITZ_REDUCED_ROWS], s[RITZ_MAX_MODES];
} mode_rows;

static void add_modes(const ritz_enhancement *e, ritz_enhanced_point *p, int q, const ritz_enhanced *of,
                      mode_rows *rows)
{
    const int dim = e->space->dim, n = e->tables->n_shape;
    double gradient[3][3] = {{0}}, g[RITZ_REDUCED_ROWS / 3][3] = {{0}};
    ritz_strain_row stress[6];
    for (int m = 0; m < dim; m++)
        find_mode(e, of, m, q, p->map.det, gradient[m]);
    for (int d = 0; d < dim; d++)
        for (int i = 0; i < n; i++)
            g[i][d] = p->psi[(1 + d) * n + i];
    ritz_find_stresses(dim, false, p->material.c, dim, gradient, stress);
    ritz_add_strain_products(dim, false, p->vol, n, g, of->n_modes, stress, rows->b);
    ritz_add_strain_products(dim, false, p->vol, dim, gradient, of->n_modes, stress, rows->s);
}

static void integrate_modes(const ritz_enhancement *e, int32_t cell, ritz_enhanced *of)
{
    mode_rows rows;
    ritz_enhanced_point point;
    memset(&rows, 0, sizeof rows);
    for (int q = 0; q < e->tables->n_points; q++) {
        ritz_find_enhanced_point(e, cell, q, &point);
        add_modes(e, &point, q, of, &rows);
    }
    for (int i = 0; i < of->n_rows; i++)
        memcpy(of->b[i], rows.b[i].of, sizeof of->b[i]);
    for (int a = 0; a < of->n_modes; a++)
        memcpy(of->s[a], rows.s[a].of, sizeof of->s[a]);
}

static void integrate_pressure(const ritz_enhancement *e, int32_t cell, ritz_enhanced *of)
{
    ritz_enhanced_point point;
    for (int q = 0; q < e->tables->n_points; q++) {
        ritz_find_enhanced_point(e, cell, q, &point);
        add_pressure(e, &point, of);
    }
}

bool ritz_enhance_cell(const ritz_enhancement *e, int32_t cell, bool matrix, ritz_enhanced *of)
{
    *of = (ritz_enhanced){.kind = (ritz_enhancement_kind)e->kind[cell]};
    if (of->kind == RITZ_STANDARD)
        return false;
    if (ritz_is_reduced(of->kind))
        return ritz_reduce_cell(e, cell, matrix, of);
    const int dim = e->space->dim;
    of->n_rows = e->tables->n_shape * dim;
    of->n_modes = of->kind == RITZ_MIXED ? count_pressures(e->space, e->space->batches[e->batch].cell) : dim * dim;
    find_centre(e, cell, of);
    if (of->kind == RITZ_MIXED)
        integrate_pressure(e, cell, of);
    else
        integrate_modes(e, cell, of);
    return factorise_modes(of);
}

static void load_pressure(const ritz_enhancement *e, const ritz_enhanced_point *p, double own, ritz_enhanced *of)
{
    const int dim = e->space->dim;
    for (int k = 0; k < of->n_modes; k++)
        of->f[k] += p->vol * own / p->lambda * find_polynomial(of, k, p->map.x);
    for (int i = 0; i < of->n_rows; i++)
        of->pressure[i] += p->vol * own * find_divergence(e, p, i / dim, i % dim);
}

static void load_modes(const ritz_enhancement *e, const ritz_enhanced_point *p, int q, const double own[6],
                       ritz_enhanced *of)
{
    const int dim = e->space->dim;
    double gradient[3];
    for (int a = 0; a < of->n_modes; a++) {
        find_mode(e, of, a / dim, q, p->map.det, gradient);
        for (int d = 0; d < dim; d++)
            of->f[a] += p->vol * gradient[d] * own[ritz_symmetric_place[a % dim][d]];
    }
}

void ritz_load_enhanced(const ritz_enhancement *e, int32_t cell, int q, const double own[RITZ_OWN_STRESS],
                        ritz_enhanced *of)
{
    ritz_enhanced_point point;
    ritz_find_enhanced_point(e, cell, q, &point);
    if (ritz_is_reduced(of->kind))
        ritz_load_reduced(e, &point, own, of);
    else if (of->kind == RITZ_MIXED)
        load_pressure(e, &point, own[RITZ_OWN_STRESS - 1], of);
    else
        load_modes(e, &point, q, own, of);
}

/* The pressure takes the place of l tr(e). */
void ritz_add_enhanced_load(const ritz_enhanced *of, double *load)
{
    const double at_rest[RITZ_MAX_ENHANCED_ROWS] = {0};
    double modes[RITZ_MAX_MODES];
    ritz_solve_enhanced(of, at_rest, modes);
    for (int i = 0; i < of->n_rows; i++) {
        load[i] -= of->pressure[i];
        for (int a = 0; a < of->n_modes; a++)
            load[i] -= of->b[i][a] * modes[a];
    }
}

void ritz_share_volume_load(const ritz_enhancement *e, int32_t cell, double *load)
{
    if (ritz_is_reduced((ritz_enhancement_kind)e->kind[cell]))
        ritz_share_reduced_load(e, cell, load);
}

/* matrix += sign y y' */
RITZ_EACH_WIDTH static void add_square(int n, int n_modes, double sign,
                                       double y[RITZ_MAX_MODES][RITZ_MAX_ENHANCED_ROWS], double *matrix)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_modes; k++) {
            const double factor = sign * y[k][i];
            for (int j = 0; j < n; j++)
                matrix[i * n + j] += factor * y[k][j];
        }
}

void ritz_add_enhanced_matrix(const ritz_enhanced *of, double *matrix)
{
    double y[RITZ_MAX_MODES][RITZ_MAX_ENHANCED_ROWS], row[RITZ_MAX_MODES];
    if (ritz_is_reduced(of->kind)) {
        ritz_add_reduced_matrix(of, matrix);
        return;
    }
    for (int i = 0; i < of->n_rows; i++) {
        memcpy(row, of->b[i], sizeof row);
        solve_lower(of, row);
        for (int k = 0; k < of->n_modes; k++)
            y[k][i] = row[k];
    }
    add_square(of->n_rows, of->n_modes, of->kind == RITZ_MIXED ? 1 : -1, y, matrix);
}

void ritz_solve_enhanced(const ritz_enhanced *of, const double *u, double modes[RITZ_MAX_MODES])
{
    if (ritz_is_reduced(of->kind)) {
        ritz_find_mean_gradient(of, u, modes);
        return;
    }
    for (int a = 0; a < of->n_modes; a++) {
        modes[a] = -of->f[a];
        for (int i = 0; i < of->n_rows; i++)
            modes[a] += of->b[i][a] * u[i];
    }
    solve_lower(of, modes);
    for (int a = of->n_modes - 1; a >= 0; a--) {
        for (int k = a + 1; k < of->n_modes; k++)
            modes[a] -= of->s[k][a] * modes[k];
        modes[a] /= of->s[a][a];
    }
    for (int a = 0; a < of->n_modes && of->kind == RITZ_INCOMPATIBLE; a++)
        modes[a] = -modes[a];
}

void ritz_add_enhanced_action(const ritz_enhanced *of, const double *u, double *vector)
{
    double modes[RITZ_MAX_MODES];
    if (ritz_is_reduced(of->kind)) {
        ritz_add_reduced_action(of, u, vector);
        return;
    }
    ritz_solve_enhanced(of, u, modes);
    for (int i = 0; i < of->n_rows; i++)
        for (int a = 0; a < of->n_modes; a++)
            vector[i] += of->b[i][a] * modes[a];
}

void ritz_evaluate_enhanced(const ritz_enhancement *e, const ritz_enhanced *of, int q, double det, const double x[3],
                            const double *modes, double gradient[3][3], double *pressure)
{
    const int dim = e->space->dim;
    double mode[3];
    *pressure = 0;
    if (of->kind == RITZ_MIXED) {
        for (int k = 0; k < of->n_modes; k++)
            *pressure += modes[k] * find_polynomial(of, k, x);
        return;
    }
    if (ritz_is_reduced(of->kind)) {
        memcpy(gradient, modes, 9 * sizeof *modes);
        return;
    }
    for (int a = 0; a < of->n_modes; a++) {
        find_mode(e, of, a / dim, q, det, mode);
        for (int d = 0; d < dim; d++)
            gradient[a % dim][d] += modes[a] * mode[d];
    }
}
