/* Element vectors on the host, several cells at once: loads of cases, of temperatures and of sources ask for those of all
   cells, and want no matrix. */
#include "integrate/enhance.h"
#include "integrate/integrate.h"

#include <omp.h>
#include <string.h>

enum { RUN_MOST = 64, RUNS_PER_THREAD = 16 }; /* of groups of cells that a thread takes at a time */

typedef struct loading {
    const ritz_integral *in;
    const ritz_tables *tables;
    int parts; /* 1 + dim; 1 where no term has a derivative of the test function */
} loading;

/* Several cells and what they have at a point. */
typedef struct loaded_cells {
    ritz_lanes corners[3 * RITZ_MAX_GEOMETRY];
    ritz_lane_point map;
    ritz_lanes all[RITZ_MAX_NAMES], c[RITZ_MAX_COEFFICIENTS];
    ritz_lanes vector[RITZ_MAX_SHAPE * RITZ_MAX_COMPONENTS];
} loaded_cells;

RITZ_EACH_WIDTH static void map_point(const loading *l, int q, loaded_cells *of)
{
    ritz_map_lanes(l->tables, of->corners, q, &of->map);
}

/* What stands beside the test function of component E and its derivatives in the reference cell, times the point's volume. */
RITZ_ANY_WIDTH void find_flux(const loading *l, int q, const loaded_cells *of, int E, ritz_lanes flux[4])
{
    const ritz_form *form = l->in->form;
    const ritz_lanes vol = of->map.det * l->tables->weights[q];
    ritz_lanes along[4] = {{0}}; /* x y z */
    for (int t = 0; t < form->n_load_terms; t++) {
        const ritz_load_term *term = &form->load_terms[t];
        if (term->iE == E)
            along[term->iD] += of->c[term->coefficient] * term->factor;
    }
    flux[0] = vol * along[0];
    for (int b = 0; b < l->parts - 1; b++) {
        ritz_lanes sum = {0};
        for (int a = 0; a < l->parts - 1; a++)
            sum += along[1 + a] * of->map.inverse[b][a];
        flux[1 + b] = vol * sum;
    }
}

/* Adds a point's share to the vectors. */
RITZ_EACH_WIDTH static void add_point(const loading *l, int q, loaded_cells *of)
{
    const int n = l->tables->n_shape, n_c = l->in->form->n_components;
    const double *psi = l->tables->psi + (int64_t)q * (1 + l->tables->dim) * n;
    for (int E = 0; E < n_c; E++) {
        ritz_lanes flux[4];
        find_flux(l, q, of, E, flux);
        for (int i = 0; i < n; i++) {
            ritz_lanes sum = psi[i] * flux[0];
            for (int b = 1; b < l->parts; b++)
                sum += psi[(int64_t)b * n + i] * flux[b];
            of->vector[i * n_c + E] += sum;
        }
    }
}

/* vectors[n][rows] */
static void integrate_group(const loading *l, int n, const int32_t *cells, double *vectors)
{
    const ritz_integral *in = l->in;
    const ritz_mesh_block *block = in->batch->block;
    const int rows = in->batch->n_shape * in->form->n_components;
    const int32_t *corners[RITZ_N_LANES];
    loaded_cells of;
    for (int k = 0; k < n; k++)
        corners[k] = block->nodes + (int64_t)cells[k] * block->n_nodes;
    ritz_gather_lanes(n, corners, block->n_nodes, 3, in->space->mesh->nodes, of.corners);
    memset(of.all, 0, sizeof *of.all * (size_t)in->form->variables.n);
    of.all[3] += in->time;
    memset(of.vector, 0, sizeof *of.vector * (size_t)rows);
    for (int q = 0; q < l->tables->n_points; q++) {
        const ritz_lane_place at = {n, cells, l->tables->n_points, q};
        map_point(l, q, &of);
        memcpy(of.all, of.map.x, sizeof *of.all * (size_t)in->form->dim);
        ritz_form_lanes(in->form, in->data, &at, of.all, of.c);
        add_point(l, q, &of);
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < rows; i++)
            vectors[(int64_t)k * rows + i] = of.vector[i][k];
        if (in->batch->enhancement)
            ritz_share_volume_load(in->batch->enhancement, cells[k], vectors + (int64_t)k * rows);
    }
}

/* The old solution, and strains that a cell's own unknowns answer to. */
static bool needs_reference(const ritz_integral *in)
{
    return in->old || (in->own_stress && in->batch->enhancement);
}

ritz_status ritz_integrate_loads(const ritz_integral *integral, const int32_t *cells, int64_t count, double *vectors)
{
    ritz_status status = RITZ_OK;
    ritz_tables *tables = NULL;
    ritz_form_traits traits;
    if (needs_reference(integral))
        return ritz_integrate_reference(integral, cells, count, NULL, vectors);
    RITZ_TRY(ritz_tables_create_quadrature(integral->batch, ritz_integral_degree(integral), &tables));
    ritz_form_get_traits(integral->form, integral->data, &traits);
    const loading l = {integral, tables, traits.load_derivatives ? 1 + tables->dim : 1};
    const int rows = integral->batch->n_shape * integral->form->n_components;
    const int64_t n_groups = ritz_round_up(count, RITZ_N_LANES) / RITZ_N_LANES,
                  run = ritz_max64(1, ritz_min64(RUN_MOST, n_groups / (RUNS_PER_THREAD * omp_get_max_threads())));
#pragma omp parallel for schedule(dynamic, run)
    for (int64_t g = 0; g < n_groups; g++) {
        const int64_t first = g * RITZ_N_LANES;
        if (!ritz_is_interrupted())
            integrate_group(&l, (int)ritz_min64(RITZ_N_LANES, count - first), cells + first, vectors + first * rows);
    }
    RITZ_TRY(ritz_check_interrupt());
done:
    ritz_tables_destroy(&tables);
    return status;
}
