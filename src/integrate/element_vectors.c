/* Element vectors on the host, without matrices: loads, and matrices times given numbers. Several cells at once where
   nothing asks for the oracle. */
#include "integrate/enhance.h"
#include "integrate/integrate.h"

#include <string.h>

/* Several cells, and what they have at a point. */
typedef struct vector_cells {
    ritz_lanes corners[3 * RITZ_MAX_GEOMETRY];
    ritz_lanes u[RITZ_MAX_SHAPE * RITZ_MAX_COMPONENTS], field[RITZ_MAX_COMPONENTS][4]; /* at nodes; at a point */
    ritz_lane_point map;
    ritz_lanes all[RITZ_MAX_NAMES], c[RITZ_MAX_COEFFICIENTS];
    ritz_lanes vector[RITZ_MAX_SHAPE * RITZ_MAX_COMPONENTS];
} vector_cells;

/* The old solution, and what a cell that is no standard one has beside the form, are for the oracle. */
static bool needs_reference(const ritz_integral *in, const double *u)
{
    return in->old || (in->batch->enhancement && (u || in->own_stress));
}

ritz_status ritz_element_vectors_prepare(const ritz_integral *integral, const double *u, ritz_element_vectors *v)
{
    ritz_form_traits traits;
    ritz_form_get_traits(integral->form, integral->data, &traits);
    *v = (ritz_element_vectors){.integral = integral,
                                .u = u,
                                .parts =
                                    (u ? traits.derivatives : traits.load_derivatives) ? 1 + integral->form->dim : 1,
                                .by_reference = needs_reference(integral, u)};
    return ritz_tables_create_quadrature(integral->batch, ritz_integral_degree(integral), &v->tables);
}

void ritz_element_vectors_free(ritz_element_vectors *v)
{
    ritz_tables_destroy(&v->tables);
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
    memset(of->all, 0, sizeof *of->all * (size_t)in->form->variables.n);
    of->all[3] += in->time;
    memset(of->vector, 0, sizeof *of->vector * (size_t)(n_shape * n_c));
}

/* u and its derivatives along x y z. */
RITZ_ANY_WIDTH void find_field(const ritz_element_vectors *v, const double *psi, vector_cells *of)
{
    const int n = v->tables->n_shape, n_c = v->integral->form->n_components;
    for (int E = 0; E < n_c; E++) {
        ritz_lanes along[4] = {{0}}; /* the axes of the reference cell */
        for (int b = 0; b < v->parts; b++)
            for (int i = 0; i < n; i++)
                along[b] += psi[(int64_t)b * n + i] * of->u[i * n_c + E];
        of->field[E][0] = along[0];
        for (int a = 0; a < v->parts - 1; a++) {
            ritz_lanes sum = {0};
            for (int b = 0; b < v->parts - 1; b++)
                sum += along[1 + b] * of->map.inverse[b][a];
            of->field[E][1 + a] = sum;
        }
    }
}

RITZ_EACH_WIDTH static void map_point(const ritz_element_vectors *v, int q, vector_cells *of)
{
    ritz_map_lanes(v->tables, of->corners, q, &of->map);
    if (v->u)
        find_field(v, v->tables->psi + (int64_t)q * (1 + v->tables->dim) * v->tables->n_shape, of);
}

/* What stands beside the test function of component E and its derivatives along x y z. */
RITZ_ANY_WIDTH void sum_terms(const ritz_element_vectors *v, const vector_cells *of, int E, ritz_lanes along[4])
{
    const ritz_form *form = v->integral->form;
    memset(along, 0, 4 * sizeof *along);
    for (int t = 0; v->u && t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        if (term->iE == E)
            along[term->iD] += of->c[term->coefficient] * term->factor * of->field[term->jE][term->jD];
    }
    for (int t = 0; !v->u && t < form->n_load_terms; t++) {
        const ritz_load_term *term = &form->load_terms[t];
        if (term->iE == E)
            along[term->iD] += of->c[term->coefficient] * term->factor;
    }
}

/* Adds a point's share to the vectors. */
RITZ_EACH_WIDTH static void add_point(const ritz_element_vectors *v, int q, vector_cells *of)
{
    const int n = v->tables->n_shape, n_c = v->integral->form->n_components;
    const double *psi = v->tables->psi + (int64_t)q * (1 + v->tables->dim) * n;
    const ritz_lanes vol = of->map.det * v->tables->weights[q];
    for (int E = 0; E < n_c; E++) {
        ritz_lanes along[4], flux[4]; /* x y z; the axes of the reference cell */
        sum_terms(v, of, E, along);
        flux[0] = vol * along[0];
        for (int b = 0; b < v->parts - 1; b++) {
            ritz_lanes sum = {0};
            for (int a = 0; a < v->parts - 1; a++)
                sum += along[1 + a] * of->map.inverse[b][a];
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

static void compute_lanes(const ritz_element_vectors *v, int n, const int32_t *cells, double *vectors)
{
    const ritz_integral *in = v->integral;
    const int rows = in->batch->n_shape * in->form->n_components;
    vector_cells of;
    gather_cells(v, n, cells, &of);
    for (int q = 0; q < v->tables->n_points; q++) {
        const ritz_lane_place at = {n, cells, v->tables->n_points, q};
        map_point(v, q, &of);
        memcpy(of.all, of.map.x, sizeof *of.all * (size_t)in->form->dim);
        ritz_form_lanes(in->form, in->data, &at, of.all, of.c);
        add_point(v, q, &of);
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < rows; i++)
            vectors[(int64_t)k * rows + i] = of.vector[i][k];
        if (in->batch->enhancement)
            ritz_share_volume_load(in->batch->enhancement, cells[k], vectors + (int64_t)k * rows);
    }
}

void ritz_element_vectors_compute(const ritz_element_vectors *v, int n, const int32_t *cells, double *vectors)
{
    const ritz_integral *in = v->integral;
    const int64_t rows = (int64_t)in->batch->n_shape * in->form->n_components;
    if (!v->by_reference)
        compute_lanes(v, n, cells, vectors);
    for (int k = 0; v->by_reference && k < n; k++)
        ritz_reference_element(in, v->tables, cells[k], v->u, NULL, vectors + k * rows);
}
