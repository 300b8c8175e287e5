/* Recovery at nodes of what follows from the gradient of the unknown: stresses, heat fluxes. */
#include "output/output.h"

#include "integrate/enhance.h"
#include "space/stripes.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { MAX_VALUES = 6, MAX_OFFSETS = RITZ_OWN_STRESS + MAX_VALUES };

/* What all cells of a batch share. */
typedef struct recovery {
    const ritz_space *space;
    const ritz_result_points *points;
    int b; /* the number of the batch */
    const ritz_space_batch *batch;
    const ritz_result_field *field;
    int n_values, n_components, n_data;
    bool reads_unknown; /* data are expressions */
    const ritz_datum *data[RITZ_MAX_POINT_DATA];
    const double *solution; /* [n_nodes][n_components] */
    const ritz_field_offset *offsets;
    bool plain; /* cells have the same weight in the means of nodes */
    int degree, n_quad;
    ritz_tables *tables; /* at the points of quadrature */
    double *project; /* [n_shape][n_quad]: least squares projection of values at the points, evaluated at the nodes */
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
static ritz_status tabulate_lower(ritz_cell cell, int order, bool constant, int n_points, const double *points,
                                  int *n_low, double **low)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    double *psi = NULL;
    if (constant) {
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
    const bool simplex = basis->cell == RITZ_TRI || basis->cell == RITZ_TET,
               constant = n_quad == 1 || (basis->order == 1 && simplex);
    double *at_quad = NULL, *at_node = NULL, *mass = NULL, *right = NULL;
    RITZ_TRY(tabulate_lower(basis->cell, basis->order, constant, n_quad, quadrature->points, &n_low, &at_quad));
    RITZ_TRY(tabulate_lower(basis->cell, basis->order, constant, n_shape, basis->nodes, &n_low, &at_node));
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
    ritz_tables_destroy(&r->tables);
    ritz_free(r->project);
    memset(r, 0, sizeof *r);
}

static ritz_status prepare_recovery(recovery *r)
{
    ritz_status status = RITZ_OK;
    ritz_quadrature *quadrature = NULL;
    RITZ_TRY(ritz_quadrature_create(r->batch->cell, r->degree, &quadrature));
    r->n_quad = quadrature->n_points;
    RITZ_TRY(ritz_tables_create(r->batch, r->n_quad, quadrature->points, quadrature->weights, &r->tables));
    RITZ_TRY(make_projection(r, quadrature));
done:
    ritz_quadrature_destroy(&quadrature);
    return status;
}

/* What the nodes of several cells have. */
typedef struct recovered_cells {
    ritz_lanes corners[3 * RITZ_MAX_GEOMETRY]; /* coordinates */
    ritz_lanes unknown[3 * RITZ_MAX_SHAPE];    /* 0 beyond its components */
} recovered_cells;

static void gather_cells(const recovery *r, int n, const int32_t *cells, recovered_cells *c)
{
    const ritz_space_batch *batch = r->batch;
    const ritz_mesh_block *block = batch->block;
    const int32_t *corners[RITZ_N_LANES], *nodes[RITZ_N_LANES];
    for (int l = 0; l < n; l++) {
        corners[l] = block->nodes + (int64_t)cells[l] * block->n_nodes;
        nodes[l] = batch->cell_nodes + (int64_t)cells[l] * batch->n_shape;
    }
    ritz_gather_lanes(n, corners, block->n_nodes, 3, r->space->mesh->nodes, c->corners);
    ritz_gather_lanes(n, nodes, batch->n_shape, r->n_components, r->solution, c->unknown);
}

/* Several cells at a point: the map, the unknown where it is read (else 0) and its gradient g[component][x], the field's data,
   what the coefficients of the offsets add up to. */
typedef struct recovered_point {
    ritz_lane_point map;
    ritz_lanes u[3], g[3][3], data[RITZ_MAX_POINT_DATA], own[MAX_OFFSETS];
} recovered_point;

RITZ_EACH_WIDTH static void map_point(const recovery *r, const recovered_cells *c, int q, recovered_point *p)
{
    const ritz_tables *t = r->tables;
    const int dim = t->dim, n = t->n_shape;
    const double *psi = t->psi + (int64_t)q * (1 + dim) * n;
    ritz_lanes along[3][3];
    ritz_map_lanes(t, c->corners, q, &p->map);
    memset(p->u, 0, sizeof p->u);
    if (r->field->hoop || r->reads_unknown)
        ritz_sum_lanes(n, psi, c->unknown, p->u);
    for (int d = 0; d < dim; d++)
        ritz_sum_lanes(n, psi + (int64_t)(1 + d) * n, c->unknown, along[d]);
    memset(p->g, 0, sizeof p->g);
    for (int k = 0; k < r->n_components; k++)
        for (int x = 0; x < dim; x++)
            for (int d = 0; d < dim; d++)
                p->g[k][x] += along[d][k] * p->map.inverse[d][x];
}

static bool has_offsets(const recovery *r)
{
    return r->offsets && r->offsets->form;
}

/* points[n_points].own[k]: the sum of the offsets' coefficients k. */
static void sum_offsets(const recovery *r, const ritz_lane_place *at, recovered_point *points)
{
    const int n = at->n_points;
    for (int p = 0; p < n; p++)
        memset(points[p].own, 0, sizeof points[p].own);
    for (const ritz_field_offset *o = r->offsets; o && o->form; o++) {
        ritz_lanes all[RITZ_MAX_NAMES * RITZ_LANE_POINTS], c[RITZ_MAX_COEFFICIENTS * RITZ_LANE_POINTS];
        memset(all, 0, sizeof *all * (size_t)(o->form->variables.n * n));
        for (int i = 0; i < 3 * n; i++)
            all[i] = points[i % n].map.x[i / n];
        ritz_form_lanes(o->form, o->data[r->b], at, all, c);
        for (int k = 0; k < MAX_OFFSETS && k < o->form->n_coefficients; k++)
            for (int p = 0; p < n; p++)
                points[p].own[k] += o->factor * c[k * n + p];
    }
}

/* Of the field. */
static void evaluate_data(const recovery *r, const ritz_lane_place *at, recovered_point *points)
{
    const int n = at->n_points;
    ritz_lanes variables[RITZ_MAX_NAMES * RITZ_LANE_POINTS], values[RITZ_LANE_POINTS];
    if (r->reads_unknown) {
        memset(variables, 0, sizeof *variables * (size_t)(RITZ_MAX_NAMES * n));
        for (int p = 0; p < n; p++) { /* x y z t and the unknown */
            for (int k = 0; k < 3; k++) {
                variables[k * n + p] = points[p].map.x[k];
                variables[(4 + k) * n + p] = points[p].u[k];
            }
            variables[3 * n + p] += 1;
        }
    }
    for (int k = 0; k < r->n_data; k++) {
        ritz_datum_lanes(r->data[k], at, variables, values);
        for (int p = 0; p < n; p++)
            points[p].data[k] = values[p];
    }
}

/* The cell's own unknowns, where it is no standard element. */
static bool find_modes(const recovery *r, int32_t cell, ritz_enhanced *enhanced, double modes[RITZ_MAX_MODES])
{
    const ritz_space_batch *batch = r->batch;
    const int n_c = r->n_components;
    double u[RITZ_MAX_ENHANCED_ROWS];
    if (!batch->enhancement || !ritz_enhance_cell(batch->enhancement, cell, false, enhanced))
        return false;
    for (int i = 0; i < enhanced->n_rows; i++)
        u[i] = r->solution[(int64_t)batch->cell_nodes[(int64_t)cell * batch->n_shape + i / n_c] * n_c + i % n_c];
    /* a reduced cell has no unknowns for them to act on */
    for (int q = 0; enhanced->n_modes && has_offsets(r) && q < r->n_quad; q++) {
        double own[RITZ_OWN_STRESS], x[3];
        recovered_point point;
        ritz_point_place(r->tables, r->space->mesh, batch->block->nodes + (int64_t)cell * batch->block->n_nodes, q, x);
        for (int d = 0; d < 3; d++)
            point.map.x[d] = (ritz_lanes){0} + x[d];
        sum_offsets(r, &(ritz_lane_place){1, &cell, r->n_quad, q, 1}, &point);
        for (int k = 0; k < RITZ_OWN_STRESS; k++)
            own[k] = point.own[k][0];
        ritz_load_enhanced(batch->enhancement, cell, q, own, enhanced);
    }
    ritz_solve_enhanced(enhanced, u, modes);
    return true;
}

/* A reduced cell has one strain, so that what does work on it is the mean of the stress, whose thermal part may vary. */
static void level_values(const recovery *r, const double *vol, double *at_quad)
{
    const int n = r->n_values;
    double mean[MAX_VALUES] = {0}, total = 0;
    for (int q = 0; q < r->n_quad; q++) {
        total += vol[q];
        for (int k = 0; k < n; k++)
            mean[k] += vol[q] * at_quad[n * q + k];
    }
    for (int q = 0; q < r->n_quad; q++)
        for (int k = 0; k < n; k++)
            at_quad[n * q + k] = mean[k] / total;
}

/* One of several cells whose values are recovered. */
typedef struct recovered_cell {
    bool is_enhanced;
    ritz_enhanced enhanced;
    double modes[RITZ_MAX_MODES];
    double *at_quad, *vol; /* [n_quad][n_values]; [n_quad] */
    double volume;
} recovered_cell;

/* Values at point q. */
static void evaluate_point(const recovery *r, recovered_cell *c, int q, const recovered_point *p, int lane)
{
    const int n = r->n_values;
    const double det = p->map.det[lane], x[3] = {p->map.x[0][lane], p->map.x[1][lane], p->map.x[2][lane]};
    double *const values = c->at_quad + n * q, data[RITZ_MAX_POINT_DATA], g[3][3], pressure = 0;
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            g[k][d] = p->g[k][d][lane];
    c->vol[q] = det * r->tables->weights[q];
    c->volume += c->vol[q];
    if (r->field->hoop) /* the unknown's first component over x */
        g[2][2] = p->u[0][lane] / x[0];
    if (c->is_enhanced)
        ritz_evaluate_enhanced(r->batch->enhancement, &c->enhanced, q, det, x, c->modes, g, &pressure);
    for (int k = 0; k < r->n_data; k++)
        data[k] = p->data[k][lane];
    r->field->at_point(data, g, values);
    /* in the place of its part of the offsets */
    if (has_offsets(r) && c->is_enhanced && c->enhanced.kind == RITZ_MIXED)
        pressure += p->own[RITZ_OWN_STRESS - 1][lane];
    for (int k = 0; k < 3 && r->field->has_pressure; k++)
        values[k] += pressure;
    for (int k = 0; k < n && has_offsets(r) && r->field->offset; k++)
        values[k] -= p->own[r->field->offset - 1 + k][lane];
    c->vol[q] *= r->field->hoop ? x[0] : 1;
}

/* The points at hand, of each cell. */
static void evaluate_points(const recovery *r, const ritz_lane_place *at, const recovered_cells *all,
                            recovered_cell each[RITZ_N_LANES])
{
    recovered_point points[RITZ_LANE_POINTS];
    for (int p = 0; p < at->n_points; p++)
        map_point(r, all, at->q + p, &points[p]);
    evaluate_data(r, at, points);
    if (has_offsets(r))
        sum_offsets(r, at, points);
    for (int p = 0; p < at->n_points; p++)
        for (int l = 0; l < at->n; l++) {
            const bool is_good = points[p].map.det[l] > 0 && !isnan(each[l].volume);
            if (is_good)
                evaluate_point(r, &each[l], at->q + p, &points[p], l);
            else
                each[l].volume = NAN;
        }
}

/* Values of n cells at their points of quadrature, at_quad[n][n_quad][n_values], and their volumes; 0 where the Jacobian is not
   positive. vol[n][n_quad] is for its own use. */
static void evaluate_cells(const recovery *r, int n, const int32_t *cells, double *at_quad, double *vol,
                           double *volumes)
{
    recovered_cells all;
    recovered_cell each[RITZ_N_LANES];
    gather_cells(r, n, cells, &all);
    for (int l = 0; l < n; l++) {
        recovered_cell *c = &each[l];
        c->is_enhanced = find_modes(r, cells[l], &c->enhanced, c->modes);
        c->at_quad = at_quad + (int64_t)l * r->n_quad * r->n_values;
        c->vol = vol + (int64_t)l * r->n_quad;
        c->volume = 0;
    }
    for (int q = 0; q < r->n_quad; q += RITZ_LANE_POINTS)
        evaluate_points(r, &(ritz_lane_place){n, cells, r->n_quad, q, (int)ritz_min64(RITZ_LANE_POINTS, r->n_quad - q)},
                        &all, each);
    for (int l = 0; l < n; l++) {
        const recovered_cell *c = &each[l];
        volumes[l] = isnan(c->volume) ? 0 : c->volume;
        if (volumes[l] > 0 && c->is_enhanced && ritz_is_reduced(c->enhanced.kind))
            level_values(r, c->vol, c->at_quad);
    }
}

/* nodal[n_shape][n]; n is a constant where it is inlined. */
static inline void project_values(const recovery *r, int n, const double *at_quad, double *nodal)
{
    for (int i = 0; i < r->batch->n_shape; i++) {
        double sum[MAX_VALUES] = {0};
        for (int q = 0; q < r->n_quad; q++)
            for (int k = 0; k < n; k++)
                sum[k] += r->project[i * r->n_quad + q] * at_quad[n * q + k];
        memcpy(nodal + n * i, sum, (size_t)n * sizeof *sum);
    }
}

/* Recovered values at a cell's nodes, nodal[n_shape][n_values]. */
static void recover_cell(const recovery *r, const double *at_quad, double *nodal)
{
    if (r->n_values == MAX_VALUES)
        project_values(r, MAX_VALUES, at_quad, nodal);
    else
        project_values(r, r->n_values, at_quad, nodal);
}

/* What a cell adds to a point: its value times the cell's weight. */
typedef struct addend {
    int32_t point;
    double weight, value[MAX_VALUES];
} addend;

static void add(const recovery *r, const addend *a, double *values, double *total)
{
    double *const to = values + r->n_values * (int64_t)a->point;
    for (int k = 0; k < r->n_values; k++)
        to[k] += a->weight * a->value[k];
    total[a->point] += a->weight;
}

/* Adds a cell's values to what the stripe owns, and the others to its list. */
static void add_cell(const recovery *r, const ritz_stripe *s, int32_t cell, double volume, const double *nodal,
                     double *values, double *total, addend **waiting)
{
    const int n_shape = r->batch->n_shape, n = r->n_values;
    const int32_t *nodes = r->batch->cell_nodes + (int64_t)cell * n_shape;
    for (int i = 0; i < n_shape; i++) {
        addend a = {ritz_result_point(r->points, r->b, cell, nodes[i]), r->plain ? 1 : volume, {0}};
        memcpy(a.value, nodal + (int64_t)n * i, (size_t)n * sizeof *nodal);
        if (ritz_stripe_owns(r->space, s, nodes[i]))
            add(r, &a, values, total);
        else
            *(*waiting)++ = a;
    }
}

/* room: of room_size(r) numbers. Returns its first cell that is degenerate, -1 for none. */
static int32_t recover_stripe(const recovery *r, const ritz_stripe *s, double *room, double *values, double *total,
                              addend *waiting)
{
    const int64_t size = (int64_t)r->n_quad * r->n_values;
    double nodal[RITZ_MAX_SHAPE * MAX_VALUES], volumes[RITZ_N_LANES];
    int32_t cells[RITZ_N_LANES];
    for (int32_t first = s->first; first < s->last && !ritz_is_interrupted(); first += RITZ_N_LANES) {
        const int n = (int)ritz_min64(RITZ_N_LANES, s->last - first);
        for (int l = 0; l < n; l++)
            cells[l] = first + l;
        evaluate_cells(r, n, cells, room, room + RITZ_N_LANES * size, volumes);
        for (int l = 0; l < n; l++) {
            if (!(volumes[l] > 0))
                return cells[l];
            recover_cell(r, room + l * size, nodal);
            add_cell(r, s, cells[l], volumes[l], nodal, values, total, &waiting);
        }
    }
    return -1;
}

/* For a thread: the values of several cells at their points, and the points' volumes. */
static int64_t room_size(const recovery *r)
{
    return (int64_t)RITZ_N_LANES * r->n_quad * (r->n_values + 1);
}

/* Adds the cells' values, times their weights, to the points in the order of the cells: the sum depends neither on the
   stripes nor on the number of threads. */
static ritz_status recover_batch(const recovery *r, double *values, double *total)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = r->batch;
    ritz_stripe stripes[RITZ_MOST_STRIPES];
    int32_t bad[RITZ_MOST_STRIPES];
    addend *waiting = NULL;
    double *room = NULL;
    int64_t n_waiting;
    const int n_stripes = ritz_divide_cells(r->space, batch, NULL, batch->n_cells, stripes, &n_waiting);
    RITZ_NEW(room, omp_get_max_threads() * room_size(r));
    RITZ_NEW(waiting, n_waiting);
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < n_stripes; k++)
        bad[k] = recover_stripe(r, &stripes[k], room + omp_get_thread_num() * room_size(r), values, total,
                                waiting + stripes[k].waiting);
    RITZ_TRY(ritz_check_interrupt());
    for (int k = 0; k < n_stripes; k++)
        RITZ_REQUIRE(bad[k] < 0, RITZ_ERROR_INPUT,
                     "element %lld (%s) is degenerate or turned inside out at one of its quadrature points; correct "
                     "the mesh there",
                     (long long)batch->block->number[bad[k]], ritz_cell_name(batch->cell));
    for (int64_t i = 0; i < n_waiting; i++)
        add(r, &waiting[i], values, total);
done:
    ritz_free(waiting);
    ritz_free(room);
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
    for (; r.n_data < RITZ_MAX_POINT_DATA && field->data[r.n_data]; r.n_data++) {
        r.data[r.n_data] = &data[r.n_data][b];
        r.reads_unknown = r.reads_unknown || data[r.n_data][b].kind == RITZ_DATA_EXPRESSION;
    }
    return r;
}

/* Whether the values are the same at all points of a cell, so that one of them will do. */
static bool is_level(const recovery *r)
{
    const ritz_space_batch *batch = r->batch;
    bool level = r->space->order == 1 && ritz_is_straight_simplex(batch->block) && !batch->enhancement &&
                 !r->field->hoop && !has_offsets(r);
    for (int k = 0; k < r->n_data; k++)
        level = level && (r->data[k]->kind == RITZ_DATA_CONSTANT || r->data[k]->kind == RITZ_DATA_ELEMENT);
    return level;
}

ritz_status ritz_evaluate_in_cells(const ritz_space *space, int b, const ritz_result_field *field,
                                   const ritz_datum *const data[RITZ_MAX_POINT_DATA], int degree,
                                   const double *solution, const ritz_field_offset *offsets, int32_t n,
                                   const int32_t *cells, int *n_points, double **values)
{
    ritz_status status = RITZ_OK;
    recovery r = describe_batch(space, b, field, data, degree, solution, offsets);
    double *vol = NULL;
    RITZ_TRY(prepare_recovery(&r));
    *n_points = r.n_quad;
    RITZ_NEW(*values, (int64_t)n * r.n_quad * r.n_values);
    RITZ_NEW(vol, (int64_t)n * r.n_quad);
#pragma omp parallel for schedule(static)
    for (int32_t e = 0; e < n; e += RITZ_N_LANES) {
        double volumes[RITZ_N_LANES];
        evaluate_cells(&r, (int)ritz_min64(RITZ_N_LANES, n - e), cells + e,
                       *values + (int64_t)e * r.n_quad * r.n_values, vol + (int64_t)e * r.n_quad, volumes);
    }
done:
    ritz_free(vol);
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
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n_values * (int64_t)points->n; i++)
        values[i] = 0;
    for (int b = 0; b < space->n_batches; b++) {
        r = describe_batch(space, b, field, data, degree, solution, offsets);
        r.points = points;
        r.plain = plain;
        if (is_level(&r))
            r.degree = 1;
        RITZ_TRY(prepare_recovery(&r));
        RITZ_TRY(recover_batch(&r, values, total));
        free_recovery(&r);
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < points->n; i++)
        for (int k = 0; k < n_values; k++)
            values[n_values * i + k] /= total[i];
done:
    free_recovery(&r);
    ritz_free(total);
    return status;
}
