/* Element vectors on the host, without matrices: loads, and matrices times given numbers. Several cells at once where
   nothing asks for the oracle. */
#include "integrate/enhance.h"
#include "integrate/integrate.h"

#include <omp.h>
#include <string.h>

/* Several cells at a point: the map, u and its derivatives along x y z. */
typedef struct vector_point {
    ritz_lane_point map;
    ritz_lanes field[RITZ_MAX_COMPONENTS][4];
} vector_point;

/* Several cells, and some of their points. The arrays are the thread's room. */
typedef struct vector_cells {
    ritz_lanes corners[3 * RITZ_MAX_GEOMETRY];
    vector_point point[RITZ_LANE_POINTS];
    ritz_lanes *u, *vector; /* [n_shape * n_components] at the nodes */
    ritz_lanes *names, *c;  /* [.][points] of the form: variables, data, intermediates; coefficients */
    double *vectors;        /* [RITZ_N_LANES][n_shape * n_components] the result */
} vector_cells;

/* The old solution where it is read, and what a cell that is no standard one has beside the form, are for the oracle. */
static bool needs_reference(const ritz_integral *in, const double *u, const ritz_form_traits *traits)
{
    return (in->old && (traits->reads_u || traits->reads_gradient)) ||
           (in->batch->enhancement && (u || in->own_stress));
}

static int64_t count_rows(const ritz_integral *in)
{
    return (int64_t)in->batch->n_shape * in->form->n_components;
}

/* And coefficients. */
static int64_t count_names(const ritz_form *form)
{
    return form->variables.n + form->n_data + form->n_intermediates + form->n_coefficients;
}

ritz_status ritz_element_vectors_prepare(const ritz_integral *integral, const double *u, ritz_element_vectors *v)
{
    ritz_status status = RITZ_OK;
    ritz_form_traits traits;
    ritz_form_get_traits(integral->form, integral->data, &traits);
    *v = (ritz_element_vectors){.integral = integral,
                                .u = u,
                                .parts =
                                    (u ? traits.derivatives : traits.load_derivatives) ? 1 + integral->form->dim : 1,
                                .by_reference = needs_reference(integral, u, &traits)};
    v->room_numbers = RITZ_N_LANES * (1 + 3 * count_rows(integral) + RITZ_LANE_POINTS * count_names(integral->form));
    RITZ_NEW(v->room, omp_get_max_threads() * v->room_numbers);
    RITZ_TRY(ritz_tables_create_quadrature(integral->batch, ritz_integral_degree(integral), &v->tables));
done:
    if (status != RITZ_OK)
        ritz_element_vectors_free(v);
    return status;
}

void ritz_element_vectors_free(ritz_element_vectors *v)
{
    ritz_tables_destroy(&v->tables);
    ritz_free(v->room);
    v->room = NULL;
}

static vector_cells find_room(const ritz_element_vectors *v)
{
    const ritz_form *form = v->integral->form;
    const int64_t rows = count_rows(v->integral);
    double *own = v->room + omp_get_thread_num() * v->room_numbers;
    const size_t past = (uintptr_t)own % sizeof(ritz_lanes); /* memory is aligned for doubles alone */
    ritz_lanes *first = (ritz_lanes *)(void *)(own + (sizeof(ritz_lanes) - past) / sizeof *own);
    vector_cells of = {.u = first, .vector = first + rows, .vectors = (double *)(first + 2 * rows)};
    of.names = first + 3 * rows;
    of.c = of.names + RITZ_LANE_POINTS * (count_names(form) - form->n_coefficients);
    return of;
}

static void gather_cells(const ritz_element_vectors *v, int n, const int32_t *cells, vector_cells *of)
{
    const ritz_integral *in = v->integral;
    const ritz_mesh_block *block = in->batch->block;
    const int n_shape = in->batch->n_shape, n_c = in->form->n_components;
    const int32_t *corners[RITZ_N_LANES];
    for (int k = 0; k < n; k++)
        corners[k] = block->nodes + (int64_t)cells[k] * block->n_nodes;
    ritz_gather_lanes(n, corners, block->n_nodes, 3, in->space->mesh->nodes, of->corners);
    for (int k = 0; v->u && k < RITZ_N_LANES; k++) {
        const int32_t *nodes = in->batch->cell_nodes + (int64_t)cells[k < n ? k : n - 1] * n_shape;
        for (int i = 0; i < n_shape; i++)
            for (int E = 0; E < n_c; E++)
                of->u[i * n_c + E][k] = v->u[(int64_t)nodes[i] * n_c + E];
    }
    memset(of->vector, 0, sizeof *of->vector * (size_t)(n_shape * n_c));
}

RITZ_ANY_WIDTH void find_field(const ritz_element_vectors *v, const double *psi, const ritz_lanes *u,
                               vector_point *point)
{
    const int n = v->tables->n_shape, n_c = v->integral->form->n_components;
    for (int E = 0; E < n_c; E++) {
        ritz_lanes along[4] = {{0}}; /* the axes of the reference cell */
        for (int b = 0; b < v->parts; b++)
            for (int i = 0; i < n; i++)
                along[b] += psi[(int64_t)b * n + i] * u[i * n_c + E];
        point->field[E][0] = along[0];
        for (int a = 0; a < v->parts - 1; a++) {
            ritz_lanes sum = {0};
            for (int b = 0; b < v->parts - 1; b++)
                sum += along[1 + b] * point->map.inverse[b][a];
            point->field[E][1 + a] = sum;
        }
    }
}

RITZ_EACH_WIDTH static void map_point(const ritz_element_vectors *v, int q, const vector_cells *of, vector_point *point)
{
    ritz_map_lanes(v->tables, of->corners, q, &point->map);
    if (v->u)
        find_field(v, v->tables->psi + (int64_t)q * (1 + v->tables->dim) * v->tables->n_shape, of->u, point);
}

/* What stands beside the test function of component E and its derivatives along x y z; coefficient k is c[k * stride]. */
RITZ_ANY_WIDTH void sum_terms(const ritz_element_vectors *v, const vector_point *point, const ritz_lanes *c, int stride,
                              int E, ritz_lanes along[4])
{
    const ritz_form *form = v->integral->form;
    memset(along, 0, 4 * sizeof *along);
    for (int t = 0; v->u && t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        if (term->iE == E)
            along[term->iD] += c[term->coefficient * stride] * term->factor * point->field[term->jE][term->jD];
    }
    for (int t = 0; !v->u && t < form->n_load_terms; t++) {
        const ritz_load_term *term = &form->load_terms[t];
        if (term->iE == E)
            along[term->iD] += c[term->coefficient * stride] * term->factor;
    }
}

/* Adds the share of point p of those at hand to the vectors. */
RITZ_EACH_WIDTH static void add_point(const ritz_element_vectors *v, const ritz_lane_place *at, int p, vector_cells *of)
{
    const int q = at->q + p;
    const vector_point *point = &of->point[p];
    const int n = v->tables->n_shape, n_c = v->integral->form->n_components;
    const double *psi = v->tables->psi + (int64_t)q * (1 + v->tables->dim) * n;
    const ritz_lanes vol = point->map.det * v->tables->weights[q];
    for (int E = 0; E < n_c; E++) {
        ritz_lanes along[4], flux[4]; /* x y z; the axes of the reference cell */
        sum_terms(v, point, of->c + p, at->n_points, E, along);
        flux[0] = vol * along[0];
        for (int b = 0; b < v->parts - 1; b++) {
            ritz_lanes sum = {0};
            for (int a = 0; a < v->parts - 1; a++)
                sum += along[1 + a] * point->map.inverse[b][a];
            flux[1 + b] = vol * sum;
        }
        for (int i = 0; i < n; i++) {
            ritz_lanes sum = psi[i] * flux[0];
            for (int b = 1; b < v->parts; b++)
                sum += psi[(int64_t)b * n + i] * flux[b];
            of->vector[i * n_c + E] += sum;
        }
    }
}

/* The points at hand. */
static void add_points(const ritz_element_vectors *v, const ritz_lane_place *at, vector_cells *of)
{
    const ritz_form *form = v->integral->form;
    const int n = at->n_points;
    memset(of->names, 0, sizeof *of->names * (size_t)(form->variables.n * n));
    for (int p = 0; p < n; p++) {
        map_point(v, at->q + p, of, &of->point[p]);
        for (int d = 0; d < form->dim; d++)
            of->names[d * n + p] = of->point[p].map.x[d];
        of->names[3 * n + p] += v->integral->time;
    }
    ritz_form_lanes(form, v->integral->data, at, of->names, of->c);
    for (int p = 0; p < n; p++)
        add_point(v, at, p, of);
}

static void compute_lanes(const ritz_element_vectors *v, int n, const int32_t *cells, vector_cells *of)
{
    const ritz_integral *in = v->integral;
    const int64_t rows = count_rows(in);
    gather_cells(v, n, cells, of);
    for (int q = 0, n_quad = v->tables->n_points; q < n_quad; q += RITZ_LANE_POINTS)
        add_points(v, &(ritz_lane_place){n, cells, n_quad, q, (int)ritz_min64(RITZ_LANE_POINTS, n_quad - q)}, of);
    for (int k = 0; k < n; k++) {
        for (int64_t i = 0; i < rows; i++)
            of->vectors[k * rows + i] = of->vector[i][k];
        if (in->batch->enhancement)
            ritz_share_volume_load(in->batch->enhancement, cells[k], of->vectors + k * rows);
    }
}

const double *ritz_element_vectors_compute(const ritz_element_vectors *v, int n, const int32_t *cells)
{
    const ritz_integral *in = v->integral;
    vector_cells of = find_room(v);
    if (!v->by_reference)
        compute_lanes(v, n, cells, &of);
    for (int k = 0; v->by_reference && k < n; k++)
        ritz_reference_element(in, v->tables, cells[k], v->u, NULL, of.vectors + k * count_rows(in));
    return of.vectors;
}
