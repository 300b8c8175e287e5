/* Volume, mass and centre of gravity of a body, and the quality of its mesh. */
#include "integrate/element.h"
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What multiplies the volume at x y z and a temperature; not given: 1. */
static double property_value(const ritz_material *material, int p, const double x[4])
{
    const ritz_quantity *q = p >= 0 ? &material->property[p].component[0] : NULL;
    return !q || !q->expression ? 1 : ritz_quantity_at(q, x);
}

/* Integrals over a cell: 1, density, and x y z times the density. */
enum { VOLUME, MASS, MOMENT, N_SUMS = MOMENT + 3 };

/* Sums of a cell's point q, of which `lane` tells the place. */
static void weigh_point(const ritz_drive *drive, int b, int32_t e, int q, const ritz_lane_point *points, int lane,
                        double weight, int density, int thickness, double sums[N_SUMS])
{
    const ritz_material *material = &drive->problem->materials[drive->material[b][e]];
    const double x[4] = {points->x[0][lane], points->x[1][lane], points->x[2][lane],
                         ritz_temperature_at(drive, b, e, q)};
    const double across =
        drive->problem->physics->axisymmetric ? 6.283185307179586 * x[0] : property_value(material, thickness, x);
    const double vol = weight * points->det[lane] * across;
    const double mass = vol * property_value(material, density, x);
    sums[VOLUME] += vol;
    sums[MASS] += mass;
    for (int d = 0; d < 3; d++)
        sums[MOMENT + d] += mass * x[d];
}

/* Cells first .. first + n - 1: sums[n][N_SUMS] */
RITZ_EACH_WIDTH static void weigh_cells(const ritz_drive *drive, int b, const ritz_tables *tables, int32_t first, int n,
                                        int density, int thickness, double (*sums)[N_SUMS])
{
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    const int32_t *cells[RITZ_N_LANES];
    ritz_lanes corners[3 * RITZ_MAX_GEOMETRY];
    for (int l = 0; l < n; l++)
        cells[l] = block->nodes + (int64_t)(first + l) * block->n_nodes;
    ritz_gather_lanes(n, cells, block->n_nodes, 3, drive->mesh->nodes, corners);
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int q = 0; q < tables->n_points; q++) {
        ritz_lane_point points;
        ritz_map_lanes(tables, corners, q, &points);
        for (int l = 0; l < n; l++)
            weigh_point(drive, b, first + l, q, &points, l, tables->weights[q], density, thickness, sums[l]);
    }
}

/* Whether it varies in no material. */
static bool is_constant(const ritz_problem *problem, int p)
{
    bool constant = true;
    for (int m = 0; p >= 0 && m < problem->n_materials; m++)
        constant = constant && ritz_vector_is_constant(&problem->materials[m].property[p]);
    return constant;
}

/* Degree of the rule: that of the integrals over cells, 1 where it is exact. */
static int find_degree(const ritz_drive *drive, int b, int density, int thickness)
{
    const ritz_problem *problem = drive->problem;
    return ritz_is_straight_simplex(&drive->mesh->blocks[b]) && !problem->physics->axisymmetric &&
                   is_constant(problem, density) && is_constant(problem, thickness)
               ? 1
               : ritz_quadrature_degree(problem->degree, problem->order);
}

/* Each chunk adds its cells in their order, then chunk after chunk: the same bits with any number of threads. */
static ritz_status weigh_batch(const ritz_drive *drive, int b, int density, int thickness, double sums[N_SUMS])
{
    enum { CHUNK = 4096 };
    ritz_status status = RITZ_OK;
    const ritz_space_batch *batch = &drive->space->batches[b];
    const int32_t n_cells = batch->n_cells, n_chunks = n_cells / CHUNK + (n_cells % CHUNK > 0);
    double(*of_chunk)[N_SUMS] = NULL;
    ritz_tables *tables = NULL;
    RITZ_TRY(ritz_tables_create_quadrature(batch, find_degree(drive, b, density, thickness), &tables));
    RITZ_NEW(of_chunk, n_chunks);
#pragma omp parallel for schedule(static)
    for (int32_t k = 0; k < n_chunks; k++) {
        const int32_t last = (int32_t)ritz_min64(n_cells, (int64_t)(k + 1) * CHUNK);
        double of_cell[RITZ_N_LANES][N_SUMS];
        for (int32_t e = k * CHUNK; e < last && !ritz_is_interrupted(); e += RITZ_N_LANES) {
            const int n = (int)ritz_min64(RITZ_N_LANES, last - e);
            weigh_cells(drive, b, tables, e, n, density, thickness, of_cell);
            for (int l = 0; l < n; l++)
                for (int i = 0; i < N_SUMS; i++)
                    of_chunk[k][i] += of_cell[l][i];
        }
    }
    RITZ_TRY(ritz_check_interrupt());
    for (int32_t k = 0; k < n_chunks; k++)
        for (int i = 0; i < N_SUMS; i++)
            sums[i] += of_chunk[k][i];
done:
    ritz_free(of_chunk);
    ritz_tables_destroy(&tables);
    return status;
}

/* The property of a mass per volume, where all materials have it; -1. */
static int find_density(const ritz_problem *problem)
{
    const int p = ritz_find_role(problem->physics, RITZ_ROLE_DENSITY);
    for (int m = 0; p >= 0 && m < problem->n_materials; m++)
        if (!problem->materials[m].property[p].n)
            return -1;
    return p;
}

/* Below it a cell has next to no volume, and what is computed in it and beside it is mostly rounding. */
static const double least_quality = 1e-8;

static void warn_of_slivers(const ritz_drive *drive)
{
    const double *at = drive->result->least_quality_at;
    if (drive->result->least_quality < least_quality)
        ritz_stage_line(drive->problem,
                        "warning    an element at (%g, %g, %g) is flat: its quality is %.2g (1 is best); stresses and "
                        "reactions around it may be wrong; mesh the part anew there",
                        at[0], at[1], at[2], drive->result->least_quality);
}

ritz_status ritz_weigh_body(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    ritz_result *result = drive->result;
    const int density = find_density(drive->problem);
    const int thickness = physics->thickness ? ritz_find_property(physics, physics->thickness) : -1;
    const bool plane = drive->mesh->dim == 2;
    double sums[N_SUMS] = {0};
    result->n_nodes = drive->mesh->n_nodes;
    RITZ_TRY(ritz_mesh_quality(drive->mesh, &result->least_quality, result->least_quality_at, &result->mean_quality));
    warn_of_slivers(drive);
    char weight[64] = "", last[32] = "";
    double c[3]; /* what is rounding beside the body's size is 0 */
    for (int b = 0; b < drive->space->n_batches; b++)
        RITZ_TRY(weigh_batch(drive, b, density, thickness, sums));
    result->volume = sums[VOLUME];
    result->mass = density >= 0 ? sums[MASS] : NAN;
    for (int d = 0; d < 3; d++)
        result->centre[d] = d == 0 && physics->axisymmetric ? 0 : sums[MOMENT + d] / sums[MASS]; /* on the axis */
    for (int d = 0; d < 3; d++)
        c[d] = fabs(result->centre[d]) > 1e-12 * pow(result->volume, 1.0 / drive->mesh->dim) ? result->centre[d] : 0;
    if (!plane)
        snprintf(last, sizeof last, ", %.5g", c[2]);
    if (density >= 0)
        snprintf(weight, sizeof weight, ", mass %.6g", result->mass);
    ritz_stage_line(drive->problem, "part       %s %.6g%s, centre%s (%.5g, %.5g%s)",
                    plane && !physics->thickness ? "area" : "volume", result->volume, weight,
                    density >= 0 ? " of gravity" : "", c[0], c[1], last);
done:
    return status;
}
