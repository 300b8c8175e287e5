/* Temperatures at points of quadrature: of what is given at nodes (nodal.c), of a solution, and for properties that read them. */
#include "integrate/element.h"
#include "problem/drive.h"

/* ---- At the points of quadrature ---- */

/* Whether cells of a problem of `order` take values at corners that are others than those of their nodes. */
static bool has_corners(const ritz_nodal_values *from, int b, int order)
{
    const ritz_cell cell = from->space->batches[b].cell;
    return from->source->as_calculix &&
           (cell == RITZ_QUAD || cell == RITZ_HEX || (order == 1 && (cell == RITZ_TRI || cell == RITZ_PRISM)));
}

/* The mean over the vertices of the whole cell, or of either triangle of a prism. */
static void level_corners(const ritz_nodal_values *from, const int32_t *nodes, int n_vertices, ritz_cell cell,
                          double *corners)
{
    const int n = cell == RITZ_PRISM ? 3 : n_vertices;
    for (int v = 0; v < n_vertices; v += n) {
        double mean = 0;
        for (int i = 0; i < n; i++)
            mean += from->values[nodes[v + i]] / n;
        for (int i = 0; i < n; i++)
            corners[v + i] = mean;
    }
}

/* What CalculiX 2.20 takes at the vertices of a cell, of which the temperature is the function of order 1, by the stresses
   that it prints of held cells. In C3D8 it is the mean of all vertices; C3D6, of which triangles are made, too, has its points in
   the middle of triangles; in C3D20 it is the mean over the three edges at a vertex of what goes on from the other end
   through the middle. It makes such cells of quads, whose edges across are even. */
static void find_corners(const ritz_nodal_values *from, int b, bool level, int32_t cell, double *corners)
{
    const ritz_space_batch *batch = &from->space->batches[b];
    const ritz_topology *t = ritz_cell_topology(batch->cell);
    const int32_t *nodes = batch->cell_nodes + (int64_t)cell * batch->n_shape;
    if (level) {
        level_corners(from, nodes, t->n_vertices, batch->cell, corners);
        return;
    }
    for (int v = 0; v < t->n_vertices; v++)
        corners[v] = from->values[nodes[v]] * (3 - t->dim) / 3;
    for (int k = 0; k < t->n_edges; k++)
        for (int end = 0; end < 2; end++) {
            const double here = from->values[nodes[t->edges[k][end]]],
                         other = from->values[nodes[t->edges[k][1 - end]]];
            const double middle = from->space->order == 1 ? (here + other) / 2 : from->values[nodes[t->n_vertices + k]];
            corners[t->edges[k][end]] += (2 * middle - other) / 3;
        }
}

/* The batch of a source's space; the basis of result files has even nodes: *own is made then, the caller's, and
   for corners. */
static ritz_status source_batch(const ritz_nodal_values *from, int b, bool corners, ritz_basis **own,
                                ritz_space_batch *batch)
{
    ritz_status status = RITZ_OK;
    *batch = from->space->batches[b];
    if (corners) {
        RITZ_TRY(ritz_basis_create(batch->cell, 1, RITZ_NODES_LOBATTO, own));
        batch->n_shape = (*own)->n_shape;
    } else if (from->space->order > 2)
        RITZ_TRY(ritz_basis_create(batch->cell, from->space->order, RITZ_NODES_EQUISPACED, own));
    if (*own)
        batch->basis = *own;
done:
    return status;
}

static void gather_values(const ritz_nodal_values *from, int b, int32_t cell, double *at)
{
    const ritz_space_batch *batch = &from->space->batches[b];
    for (int i = 0; i < batch->n_shape; i++)
        at[i] = from->values[batch->cell_nodes[(int64_t)cell * batch->n_shape + i]];
}

static double sum_values(const ritz_tables *tables, int q, const double *at)
{
    const double *psi = tables->psi + (int64_t)q * (1 + tables->dim) * tables->n_shape;
    double sum = 0;
    for (int i = 0; i < tables->n_shape; i++)
        sum += psi[i] * at[i];
    return sum;
}

/* In the cells of material m. */
static ritz_status fill_nodal(const ritz_drive *drive, const ritz_nodal_values *from, int b, int m, double *values)
{
    ritz_status status = RITZ_OK;
    ritz_space_batch batch;
    ritz_basis *own = NULL;
    ritz_tables *tables = NULL;
    const bool corners = has_corners(from, b, drive->problem->order);
    RITZ_REQUIRE(!corners || from->space->order <= 2, RITZ_ERROR_INPUT,
                 "'in_cells: calculix' takes values at vertices and in the middle of edges; those of order %d are "
                 "'in_cells: interpolated'",
                 from->space->order);
    RITZ_TRY(source_batch(from, b, corners, &own, &batch));
    RITZ_TRY(ritz_tables_create_quadrature(
        &batch, ritz_quadrature_degree(drive->problem->degree, drive->problem->order), &tables));
    const int n_points = tables->n_points;
#pragma omp parallel for schedule(static)
    for (int32_t e = 0; e < batch.n_cells; e++) {
        double at[RITZ_MAX_SHAPE];
        if (corners)
            find_corners(from, b, drive->problem->order == 1, e, at);
        else
            gather_values(from, b, e, at);
        for (int q = 0; q < n_points && drive->material[b][e] == m; q++)
            values[(int64_t)e * n_points + q] = sum_values(tables, q, at);
    }
done:
    ritz_tables_destroy(&tables);
    ritz_basis_destroy(&own);
    return status;
}

static ritz_status fill_quantity(const ritz_drive *drive, const ritz_quantity *quantity, int b, int m,
                                 const ritz_tables *tables, double *values)
{
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
#pragma omp parallel for schedule(static)
    for (int32_t e = 0; e < block->n_cells; e++)
        for (int q = 0; q < tables->n_points && drive->material[b][e] == m; q++) {
            double x[3];
            ritz_point_place(tables, drive->mesh, block->nodes + (int64_t)e * block->n_nodes, q, x);
            values[(int64_t)e * tables->n_points + q] = ritz_quantity_at(quantity, x);
        }
    return ritz_check_interrupt();
}

ritz_status ritz_fill_from_nodes(const ritz_drive *drive, const ritz_vector *const *given, int b, double **values)
{
    ritz_status status = RITZ_OK;
    ritz_tables *tables = NULL;
    RITZ_TRY(ritz_point_tables_create(drive, b, &tables));
    RITZ_NEW(*values, (int64_t)drive->mesh->blocks[b].n_cells * tables->n_points);
    for (int m = 0; m < drive->problem->n_materials; m++) {
        int k = 0;
        while (given[m]->nodal && drive->nodal[k].source != given[m]->nodal)
            k++;
        RITZ_TRY(given[m]->nodal ? fill_nodal(drive, &drive->nodal[k], b, m, *values)
                                 : fill_quantity(drive, &given[m]->component[0], b, m, tables, *values));
    }
done:
    ritz_tables_destroy(&tables);
    return status;
}

/* ---- The temperature that properties read ---- */

static bool has_reader(const ritz_problem *problem)
{
    for (int m = 0; m < problem->n_materials; m++)
        for (int p = 0; p < problem->physics->n_properties; p++)
            for (int c = 0; c < problem->materials[m].property[p].n && !problem->physics->properties[p].of_unknown; c++)
                if (problem->materials[m].property[p].component[c].reads_temperature)
                    return true;
    return false;
}

ritz_status ritz_take_temperature(ritz_drive *drive, const double *solution)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = drive->space;
    const ritz_nodal_values from = {.space = drive->space, .values = (double *)solution}; /* read alone */
    ritz_tables *tables = NULL;
    RITZ_NEW(drive->temperature, space->n_batches);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        ritz_point_values *at = &drive->temperature[b];
        RITZ_TRY(ritz_tables_create_quadrature(
            batch, ritz_quadrature_degree(drive->problem->degree, drive->problem->order), &tables));
        at->n_points = tables->n_points;
        RITZ_NEW(at->values, (int64_t)batch->n_cells * at->n_points);
        for (int32_t e = 0; e < batch->n_cells; e++) {
            double values[RITZ_MAX_SHAPE];
            gather_values(&from, b, e, values);
            for (int q = 0; q < at->n_points; q++)
                at->values[(int64_t)e * at->n_points + q] = sum_values(tables, q, values);
        }
        ritz_tables_destroy(&tables);
    }
done:
    ritz_tables_destroy(&tables);
    return status;
}

void ritz_free_temperature(ritz_drive *drive)
{
    for (int b = 0; drive->temperature && b < drive->mesh->n_blocks; b++)
        ritz_free(drive->temperature[b].values);
    ritz_free(drive->temperature);
    drive->temperature = NULL;
}

ritz_status ritz_fill_temperatures(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const int own = ritz_find_role(problem->physics, RITZ_ROLE_TEMPERATURE);
    const ritz_vector **given = NULL;
    ritz_tables *tables = NULL;
    if (!has_reader(problem))
        return RITZ_OK;
    RITZ_NEW(given, problem->n_materials);
    for (int m = 0; m < problem->n_materials; m++)
        given[m] = problem->materials[m].property[own].n
                       ? &problem->materials[m].property[own]
                       : ritz_body_load_of(problem->physics, &problem->loads, RITZ_ROLE_TEMPERATURE);
    RITZ_NEW(drive->temperature, drive->mesh->n_blocks);
    for (int b = 0; b < drive->mesh->n_blocks; b++) {
        ritz_point_values *at = &drive->temperature[b];
        RITZ_TRY(ritz_point_tables_create(drive, b, &tables));
        at->n_points = tables->n_points;
        ritz_tables_destroy(&tables);
        RITZ_TRY(ritz_fill_from_nodes(drive, given, b, &at->values));
    }
done:
    ritz_free(given);
    return status;
}

double ritz_temperature_at(const ritz_drive *drive, int b, int32_t cell, int q)
{
    return drive->temperature ? drive->temperature[b].values[(int64_t)cell * drive->temperature[b].n_points + q] : 0;
}

/* From the cells of block b to their nodes. */
static ritz_status spread_to_nodes(const ritz_drive *drive, const ritz_nodal_values *from, int b, double *at)
{
    ritz_status status = RITZ_OK;
    const ritz_space_batch *to = &drive->space->batches[b];
    ritz_space_batch batch;
    ritz_basis *even = NULL;
    ritz_tables *tables = NULL;
    double *weights = NULL;
    RITZ_NEW(weights, to->n_shape);
    RITZ_TRY(source_batch(from, b, false, &even, &batch));
    RITZ_TRY(ritz_tables_create(&batch, to->n_shape, to->basis->nodes, weights, &tables));
    for (int32_t e = 0; e < to->n_cells; e++) {
        double values[RITZ_MAX_SHAPE];
        gather_values(from, b, e, values);
        for (int i = 0; i < to->n_shape; i++)
            at[to->cell_nodes[(int64_t)e * to->n_shape + i]] = sum_values(tables, i, values);
    }
done:
    ritz_free(weights);
    ritz_tables_destroy(&tables);
    ritz_basis_destroy(&even);
    return status;
}

ritz_status ritz_temperature_at_nodes(const ritz_drive *drive, double **at)
{
    ritz_status status = RITZ_OK;
    const ritz_vector *given =
        ritz_body_load_of(drive->problem->physics, &drive->problem->loads, RITZ_ROLE_TEMPERATURE);
    int k = 0;
    if (!drive->temperature || !given->nodal)
        return RITZ_OK;
    while (drive->nodal[k].source != given->nodal)
        k++;
    RITZ_NEW(*at, drive->space->n_nodes);
    for (int b = 0; b < drive->space->n_batches; b++)
        RITZ_TRY(spread_to_nodes(drive, &drive->nodal[k], b, *at));
done:
    return status;
}

double ritz_mean_temperature(const ritz_drive *drive, int b, int32_t cell)
{
    const int n = drive->temperature ? drive->temperature[b].n_points : 0;
    double sum = 0;
    for (int q = 0; q < n; q++)
        sum += ritz_temperature_at(drive, b, cell, q) / n;
    return sum;
}

ritz_status ritz_put_temperature(const ritz_drive *drive, const ritz_expression *const *of, int b, double **arrays,
                                 int *n_arrays, ritz_datum *datum)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    ritz_tables *tables = NULL;
    double *values = NULL;
    bool reads = false;
    for (int m = 0; m < drive->problem->n_materials; m++)
        reads = reads || ritz_reads_temperature(ritz_expression_text(of[m]));
    if (!reads)
        return RITZ_OK;
    RITZ_TRY(ritz_point_tables_create(drive, b, &tables));
    const int n_points = tables->n_points;
    RITZ_NEW(values, (int64_t)block->n_cells * n_points);
#pragma omp parallel for schedule(static)
    for (int32_t e = 0; e < block->n_cells; e++)
        for (int q = 0; q < n_points; q++) {
            double at[4];
            ritz_point_place(tables, drive->mesh, block->nodes + (int64_t)e * block->n_nodes, q, at);
            at[3] = ritz_temperature_at(drive, b, e, q);
            values[(int64_t)e * n_points + q] = ritz_expression_value(of[drive->material[b][e]], at);
        }
    *datum = (ritz_datum){.kind = RITZ_DATA_POINT, .values = values};
    arrays[(*n_arrays)++] = values;
done:
    ritz_tables_destroy(&tables);
    return status;
}
