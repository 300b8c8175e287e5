/* Recovery at nodes of what follows from the gradient of the unknown: stresses, heat fluxes. */
#include "output/output.h"

#include "integrate/enhance.h"

#include <math.h>
#include <string.h>

/* Cells whose nodal values are held in memory before they are added up. */
enum { CHUNK = 4096, MAX_VALUES = 6 };

/* What all cells of a batch share. */
typedef struct recovery {
    const ritz_space *space;
    const ritz_result_points *points;
    int b; /* the number of the batch */
    const ritz_space_batch *batch;
    const ritz_result_field *field;
    int n_values, n_components, n_data;
    const ritz_datum *data[RITZ_MAX_POINT_DATA];
    const double *solution; /* [n_nodes][n_components] */
    const ritz_field_offset *offsets;
    bool plain; /* cells have the same weight in the means of nodes */
    int degree, n_quad, n_geometry;
    double *weights;  /* [n_quad] */
    double *shape;    /* [n_quad][1 + dim][n_shape], of the solution */
    double *geometry; /* [n_quad][1 + dim][n_geometry] */
    double *project;  /* [n_shape][n_quad]: least squares projection of values at the points, evaluated at the nodes */
} recovery;

/* Cholesky solution of a x = b for n_right columns; a[n][n] and b[n][n_right] are overwritten, b by x. */
static void solve_spd(int n, double *a, int n_right, double *b)
{
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < c; k++)
            a[c * n + c] -= a[c * n + k] * a[c * n + k];
        a[c * n + c] = sqrt(a[c * n + c]);
        for (int r = c + 1; r < n; r++) {
            for (int k = 0; k < c; k++)
                a[r * n + c] -= a[r * n + k] * a[c * n + k];
            a[r * n + c] /= a[c * n + c];
        }
    }
    for (int right = 0; right < n_right; right++) {
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < r; k++)
                b[r * n_right + right] -= a[r * n + k] * b[k * n_right + right];
            b[r * n_right + right] /= a[r * n + r];
        }
        for (int r = n - 1; r >= 0; r--) {
            for (int k = r + 1; k < n; k++)
                b[r * n_right + right] -= a[k * n + r] * b[k * n_right + right];
            b[r * n_right + right] /= a[r * n + r];
        }
    }
}

/* Functions of the lower space at points: low[n_points][n_low]. The lower space of a linear simplex is the constants.
 */
static ritz_status tabulate_lower(ritz_cell cell, int order, int n_points, const double *points, int *n_low,
                                  double **low)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    double *psi = NULL;
    bool simplex = cell == RITZ_TRI || cell == RITZ_TET;
    if (order == 1 && simplex) {
        *n_low = 1;
        RITZ_NEW(*low, n_points);
        for (int q = 0; q < n_points; q++)
            (*low)[q] = 1;
        return RITZ_OK;
    }
    RITZ_TRY(ritz_basis_create(cell, order == 1 ? 1 : order - 1, RITZ_NODES_LOBATTO, &basis));
    int n = basis->n_shape, stride = (1 + basis->dim) * n;
    RITZ_NEW(psi, (int64_t)n_points * stride);
    RITZ_TRY(ritz_basis_tabulate(basis, n_points, points, psi));
    RITZ_NEW(*low, (int64_t)n_points * n);
    for (int q = 0; q < n_points; q++)
        memcpy(*low + (int64_t)q * n, psi + (int64_t)q * stride, (size_t)n * sizeof **low);
    *n_low = n;
done:
    ritz_free(psi);
    ritz_basis_destroy(&basis);
    return status;
}

/* project = Low(nodes) (Low^T W Low)^-1 Low^T W, with the lower space's functions at nodes and quadrature points. */
static ritz_status make_projection(recovery *r, const ritz_quadrature *quadrature)
{
    ritz_status status = RITZ_OK;
    const ritz_basis *basis = r->batch->basis;
    int n_low = 0, n_quad = r->n_quad, n_shape = basis->n_shape;
    double *at_quad = NULL, *at_node = NULL, *mass = NULL, *right = NULL;
    RITZ_TRY(tabulate_lower(basis->cell, basis->order, n_quad, quadrature->points, &n_low, &at_quad));
    RITZ_TRY(tabulate_lower(basis->cell, basis->order, n_shape, basis->nodes, &n_low, &at_node));
    RITZ_NEW(mass, (int64_t)n_low * n_low);
    RITZ_NEW(right, (int64_t)n_low * n_quad);
    RITZ_NEW(r->project, (int64_t)n_shape * n_quad);
    for (int q = 0; q < n_quad; q++) {
        for (int i = 0; i < n_low; i++) {
            right[i * n_quad + q] = quadrature->weights[q] * at_quad[q * n_low + i];
            for (int j = 0; j < n_low; j++)
                mass[i * n_low + j] += right[i * n_quad + q] * at_quad[q * n_low + j];
        }
    }
    solve_spd(n_low, mass, n_quad, right);
    for (int i = 0; i < n_shape; i++) {
        for (int k = 0; k < n_low; k++) {
            for (int q = 0; q < n_quad; q++)
                r->project[i * n_quad + q] += at_node[i * n_low + k] * right[k * n_quad + q];
        }
    }
done:
    ritz_free(at_quad);
    ritz_free(at_node);
    ritz_free(mass);
    ritz_free(right);
    return status;
}

static void free_recovery(recovery *r)
{
    ritz_free(r->weights);
    ritz_free(r->shape);
    ritz_free(r->geometry);
    ritz_free(r->project);
    memset(r, 0, sizeof *r);
}

static ritz_status prepare_recovery(recovery *r)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = r->batch;
    ritz_quadrature *quadrature = NULL;
    ritz_basis *geometry = NULL;
    int dim = batch->basis->dim;
    RITZ_TRY(ritz_quadrature_create(batch->cell, r->degree, &quadrature));
    RITZ_TRY(ritz_basis_create(batch->cell, batch->block->geometry_order, RITZ_NODES_LOBATTO, &geometry));
    r->n_quad = quadrature->n_points;
    r->n_geometry = geometry->n_shape;
    RITZ_NEW(r->weights, r->n_quad);
    memcpy(r->weights, quadrature->weights, (size_t)r->n_quad * sizeof *r->weights);
    RITZ_NEW(r->shape, (int64_t)r->n_quad * (1 + dim) * batch->n_shape);
    RITZ_NEW(r->geometry, (int64_t)r->n_quad * (1 + dim) * r->n_geometry);
    RITZ_TRY(ritz_basis_tabulate(batch->basis, r->n_quad, quadrature->points, r->shape));
    RITZ_TRY(ritz_basis_tabulate(geometry, r->n_quad, quadrature->points, r->geometry));
    RITZ_TRY(make_projection(r, quadrature));
done:
    ritz_quadrature_destroy(&quadrature);
    ritz_basis_destroy(&geometry);
    return status;
}

/* Jacobian dx/dxi of a cell at point q: F[x][xi]. */
static void tabulate_jacobian(const recovery *r, int32_t cell, int q, double F[3][3])
{
    const ritz_mesh_block *block = r->batch->block;
    const int32_t *nodes = block->nodes + (int64_t)cell * r->n_geometry;
    int dim = r->batch->basis->dim;
    for (int x = 0; x < dim; x++) {
        for (int d = 0; d < dim; d++) {
            const double *psi = r->geometry + ((int64_t)q * (1 + dim) + 1 + d) * r->n_geometry;
            F[x][d] = 0;
            for (int i = 0; i < r->n_geometry; i++)
                F[x][d] += psi[i] * r->space->mesh->nodes[3 * (int64_t)nodes[i] + x];
        }
    }
}

/* Gradient of the solution in reference coordinates: D[component][xi]. */
static void reference_gradient(const recovery *r, int32_t cell, int q, double D[3][3])
{
    const ritz_space_batch *batch = r->batch;
    const int32_t *nodes = batch->cell_nodes + (int64_t)cell * batch->n_shape;
    int dim = batch->basis->dim, n_shape = batch->n_shape;
    for (int c = 0; c < r->n_components; c++) {
        for (int d = 0; d < dim; d++) {
            const double *psi = r->shape + ((int64_t)q * (1 + dim) + 1 + d) * n_shape;
            D[c][d] = 0;
            for (int i = 0; i < n_shape; i++)
                D[c][d] += psi[i] * r->solution[(int64_t)nodes[i] * r->n_components + c];
        }
    }
}

/* The unknown's first component over x at point q of a cell. */
static double find_hoop_strain(const recovery *r, int32_t cell, int q)
{
    const int rows = 1 + r->batch->basis->dim, n_shape = r->batch->n_shape;
    const double *psi = r->shape + (int64_t)q * rows * n_shape,
                 *geometry = r->geometry + (int64_t)q * rows * r->n_geometry;
    const int32_t *nodes = r->batch->cell_nodes + (int64_t)cell * n_shape,
                  *corners = r->batch->block->nodes + (int64_t)cell * r->n_geometry;
    double u = 0, x = 0;
    for (int i = 0; i < n_shape; i++)
        u += psi[i] * r->solution[(int64_t)nodes[i] * r->n_components];
    for (int i = 0; i < r->n_geometry; i++)
        x += geometry[i] * r->space->mesh->nodes[3 * (int64_t)corners[i]];
    return u / x;
}

static void find_point(const recovery *r, int32_t cell, int q, double x[3])
{
    const double *psi = r->geometry + (int64_t)q * (1 + r->batch->basis->dim) * r->n_geometry;
    const int32_t *nodes = r->batch->block->nodes + (int64_t)cell * r->n_geometry;
    for (int d = 0; d < 3; d++) {
        x[d] = 0;
        for (int i = 0; i < r->n_geometry; i++)
            x[d] += psi[i] * r->space->mesh->nodes[3 * (int64_t)nodes[i] + d];
    }
}

/* A datum at point q of a cell. */
static double datum_at(const recovery *r, const ritz_datum *datum, int32_t cell, int q)
{
    double variables[3] = {0}; /* x y z */
    if (datum->kind == RITZ_DATA_EXPRESSION)
        find_point(r, cell, q, variables);
    return ritz_datum_value(datum, cell, r->n_quad, q, variables);
}

/* Adds factor times the offsets, from coefficient `first` on, to values[n] at point q. */
static void add_offsets(const recovery *r, int32_t cell, int q, double factor, int first, int n, double *values)
{
    for (const ritz_field_offset *o = r->offsets; o && o->form; o++) {
        const ritz_form *form = o->form;
        double variables[RITZ_MAX_NAMES] = {0}, c[RITZ_MAX_COEFFICIENTS];
        find_point(r, cell, q, variables);
        for (int d = 0; d < form->n_data; d++)
            variables[form->variables.n + d] = ritz_datum_value(&o->data[r->b][d], cell, r->n_quad, q, variables);
        ritz_form_evaluate(form, variables, c);
        for (int i = 0; i < n; i++)
            values[i] += factor * o->factor * c[first + i];
    }
}

/* The cell's own unknowns, where it is no standard element. */
static bool find_modes(const recovery *r, int32_t cell, ritz_enhanced *enhanced, double modes[RITZ_MAX_MODES])
{
    const ritz_space_batch *batch = r->batch;
    const int n_c = r->n_components;
    double u[RITZ_MAX_ENHANCED_ROWS];
    if (!batch->enhancement || !ritz_enhance_cell(batch->enhancement, cell, enhanced))
        return false;
    for (int i = 0; i < enhanced->n_rows; i++)
        u[i] = r->solution[(int64_t)batch->cell_nodes[(int64_t)cell * batch->n_shape + i / n_c] * n_c + i % n_c];
    for (int q = 0; r->offsets && r->offsets->form && q < r->n_quad; q++) {
        double own[RITZ_OWN_STRESS] = {0};
        add_offsets(r, cell, q, 1, 0, RITZ_OWN_STRESS, own);
        ritz_load_enhanced(batch->enhancement, cell, q, own, enhanced);
    }
    ritz_solve_enhanced(enhanced, u, modes);
    return true;
}

/* Values at a cell's points of quadrature, at_quad[n_quad][n_values], and the cell's volume; 0 when its Jacobian is not
   positive. */
static double evaluate_cell(const recovery *r, int32_t cell, double *at_quad)
{
    const int dim = r->batch->basis->dim, n = r->n_values;
    double volume = 0, data[RITZ_MAX_POINT_DATA], modes[RITZ_MAX_MODES], pressure = 0;
    ritz_enhanced enhanced;
    const bool is_enhanced = find_modes(r, cell, &enhanced, modes);
    for (int q = 0; q < r->n_quad; q++) {
        double F[3][3], G[3][3], D[3][3], g[3][3] = {{0}};
        tabulate_jacobian(r, cell, q, F);
        double det = ritz_invert_jacobian(dim, F, G);
        if (!(det > 0))
            return 0;
        volume += det * r->weights[q];
        reference_gradient(r, cell, q, D);
        for (int c = 0; c < r->n_components; c++) {
            for (int x = 0; x < dim; x++) {
                for (int d = 0; d < dim; d++)
                    g[c][x] += D[c][d] * G[d][x];
            }
        }
        if (r->field->hoop)
            g[2][2] = find_hoop_strain(r, cell, q);
        if (is_enhanced) {
            double x[3];
            find_point(r, cell, q, x);
            ritz_evaluate_enhanced(r->batch->enhancement, &enhanced, q, det, x, modes, g, &pressure);
        }
        for (int k = 0; k < r->n_data; k++)
            data[k] = datum_at(r, r->data[k], cell, q);
        r->field->at_point(data, g, at_quad + n * q);
        if (is_enhanced && enhanced.kind == RITZ_MIXED) /* in the place of its part of the offsets */
            add_offsets(r, cell, q, 1, RITZ_OWN_STRESS - 1, 1, &pressure);
        for (int k = 0; k < 3 && r->field->has_pressure; k++)
            at_quad[n * q + k] += pressure;
        if (r->field->offset)
            add_offsets(r, cell, q, -1, r->field->offset - 1, n, at_quad + n * q);
    }
    return volume;
}

/* Recovered values at a cell's nodes, nodal[n_shape][n_values], and the cell's volume as above. */
static double recover_cell(const recovery *r, int32_t cell, double *at_quad, double *nodal)
{
    const int n_shape = r->batch->n_shape, n = r->n_values;
    const double volume = evaluate_cell(r, cell, at_quad);
    if (!(volume > 0))
        return 0;
    memset(nodal, 0, (size_t)(n * n_shape) * sizeof *nodal);
    for (int i = 0; i < n_shape; i++) {
        for (int q = 0; q < r->n_quad; q++) {
            for (int k = 0; k < n; k++)
                nodal[n * i + k] += r->project[i * r->n_quad + q] * at_quad[n * q + k];
        }
    }
    return volume;
}

/* Adds the cells' values, times their volumes, to the points in the order of the cells: the sum does not depend on the
   number of threads. */
static void add_chunk(const recovery *r, int32_t first, int32_t n, const double *nodal, const double *volume,
                      double *values, double *total)
{
    const int n_shape = r->batch->n_shape, n_values = r->n_values;
    for (int32_t e = 0; e < n; e++) {
        const int32_t *nodes = r->batch->cell_nodes + (int64_t)(first + e) * n_shape;
        for (int i = 0; i < n_shape; i++) {
            const double *from = nodal + ((int64_t)e * n_shape + i) * n_values;
            const int32_t point = ritz_result_point(r->points, r->b, first + e, nodes[i]);
            for (int k = 0; k < n_values; k++)
                values[n_values * (int64_t)point + k] += volume[e] * from[k];
            total[point] += volume[e];
        }
    }
}

static ritz_status recover_batch(const recovery *r, double *values, double *total)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = r->batch;
    const int n_nodal = batch->n_shape * r->n_values; /* of a cell */
    int32_t chunk = (int32_t)ritz_min64(CHUNK, batch->n_cells);
    double *nodal = NULL, *volume = NULL;
    RITZ_NEW(nodal, (int64_t)chunk * n_nodal);
    RITZ_NEW(volume, chunk);
    for (int32_t first = 0; first < batch->n_cells; first += chunk) {
        int32_t n = (int32_t)ritz_min64(chunk, batch->n_cells - first);
        RITZ_TRY(ritz_check_interrupt());
#pragma omp parallel for schedule(static)
        for (int32_t e = 0; e < n; e++) {
            double at_quad[MAX_VALUES * RITZ_MAX_QUAD];
            volume[e] = recover_cell(r, first + e, at_quad, nodal + (int64_t)e * n_nodal);
        }
        for (int32_t e = 0; e < n; e++)
            RITZ_REQUIRE(
                volume[e] > 0, RITZ_ERROR_INPUT,
                "element %lld (%s) is degenerate or turned inside out at one of its quadrature points; correct "
                "the mesh there",
                (long long)batch->block->number[first + e], ritz_cell_name(batch->cell));
        for (int32_t e = 0; r->plain && e < n; e++)
            volume[e] = 1;
        add_chunk(r, first, n, nodal, volume, values, total);
    }
done:
    ritz_free(nodal);
    ritz_free(volume);
    return status;
}

/* All but what belongs to points. */
static recovery describe_batch(const ritz_space *space, int b, const ritz_result_field *field,
                               const ritz_datum *const data[RITZ_MAX_POINT_DATA], int degree, const double *solution,
                               const ritz_field_offset *offsets)
{
    recovery r = {.space = space,
                  .b = b,
                  .batch = &space->batches[b],
                  .field = field,
                  .n_values = ritz_field_components(field),
                  .n_components = space->n_components,
                  .degree = ritz_quadrature_degree(degree, space->order),
                  .solution = solution,
                  .offsets = offsets};
    for (; r.n_data < RITZ_MAX_POINT_DATA && field->data[r.n_data]; r.n_data++)
        r.data[r.n_data] = &data[r.n_data][b];
    return r;
}

ritz_status ritz_evaluate_in_cells(const ritz_space *space, int b, const ritz_result_field *field,
                                   const ritz_datum *const data[RITZ_MAX_POINT_DATA], int degree,
                                   const double *solution, const ritz_field_offset *offsets, int32_t n,
                                   const int32_t *cells, int *n_points, double **values)
{
    ritz_status status = RITZ_OK;
    recovery r = describe_batch(space, b, field, data, degree, solution, offsets);
    RITZ_TRY(prepare_recovery(&r));
    *n_points = r.n_quad;
    RITZ_NEW(*values, (int64_t)n * r.n_quad * r.n_values);
#pragma omp parallel for schedule(static)
    for (int32_t e = 0; e < n; e++)
        evaluate_cell(&r, cells[e], *values + (int64_t)e * r.n_quad * r.n_values);
done:
    free_recovery(&r);
    return status;
}

ritz_status ritz_recover(const ritz_result_points *points, const ritz_result_field *field,
                         const ritz_datum *const data[RITZ_MAX_POINT_DATA], int degree, const double *solution,
                         const ritz_field_offset *offsets, bool plain, double *values)
{
    ritz_status status = RITZ_OK;
    recovery r = {0};
    double *total = NULL;
    const int n_values = ritz_field_components(field);
    const ritz_space *space = points->space;
    RITZ_NEW(total, points->n);
    memset(values, 0, (size_t)points->n * (size_t)n_values * sizeof *values);
    for (int b = 0; b < space->n_batches; b++) {
        r = describe_batch(space, b, field, data, degree, solution, offsets);
        r.points = points;
        r.plain = plain;
        RITZ_TRY(prepare_recovery(&r));
        RITZ_TRY(recover_batch(&r, values, total));
        free_recovery(&r);
    }
    for (int64_t i = 0; i < points->n; i++) {
        for (int k = 0; k < n_values; k++)
            values[n_values * i + k] /= total[i];
    }
done:
    free_recovery(&r);
    ritz_free(total);
    return status;
}
