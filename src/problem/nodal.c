/* Loads (temperatures) that are given at nodes, as values at points of quadrature: each source is read once, on a space of its
   own on the same mesh. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "integrate/element.h"
#include "problem/drive.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The result of an earlier run ---- */

/* The order of the space whose cells have so many nodes; 0: none. */
static int find_order(const ritz_mesh *mesh, const ritz_stored_field *stored, bool *serendipity)
{
    const ritz_cell cell = mesh->blocks[0].cell;
    int type, order[RITZ_MAX_SHAPE];
    *serendipity = false;
    for (int p = 1; p <= RITZ_MAX_ORDER; p++)
        if (ritz_vtk_cell(cell, p, &type, order) == RITZ_OK && type == stored->first_type &&
            ritz_cell_n_shape(cell, p) == stored->first_n_points)
            return p;
    *serendipity = ritz_vtk_serendipity_cell(cell, &type, order) == RITZ_OK && type == stored->first_type;
    return *serendipity ? 2 : 0;
}

/* The nodes of the file are those of the space, one after the other. */
static ritz_status check_points(const ritz_stored_field *stored, const ritz_space *space, const char *path)
{
    ritz_status status = RITZ_OK;
    double *x = NULL, low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    RITZ_NEW(x, 3 * (int64_t)space->n_nodes);
    RITZ_TRY(ritz_space_family_coordinates(space, RITZ_NODES_EQUISPACED, x));
    for (int64_t i = 0; i < 3 * (int64_t)space->n_nodes; i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    const double size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    RITZ_REQUIRE(stored->n >= space->n_nodes, RITZ_ERROR_INPUT,
                 "%s is of another mesh: it has %lld nodes, and this mesh has %lld at its order; solve that problem on "
                 "the same mesh",
                 path, (long long)stored->n, (long long)space->n_nodes);
    for (int64_t i = 0; i < space->n_nodes; i++) {
        const double *a = x + 3 * i, *b = stored->points + 3 * i;
        RITZ_REQUIRE(hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) <= 1e-6 * size, RITZ_ERROR_INPUT,
                     "%s is of another mesh: its node %lld is at (%g, %g, %g), and that of this mesh at (%g, %g, %g); "
                     "solve that problem on the same mesh",
                     path, (long long)i, b[0], b[1], b[2], a[0], a[1], a[2]);
    }
done:
    ritz_free(x);
    return status;
}

static ritz_status read_result(const ritz_drive *drive, const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    ritz_stored_field stored = {0};
    char *path = NULL;
    bool serendipity;
    RITZ_TRY(ritz_problem_path(drive->problem, source->result, &path));
    RITZ_TRY(ritz_stored_field_read(path, source->field ? source->field : values->what, &stored));
    const int order = find_order(drive->mesh, &stored, &serendipity);
    RITZ_REQUIRE(order > 0, RITZ_ERROR_INPUT,
                 "%s is of another mesh: its first cell has %d nodes and VTK's type %d, and that of this mesh is a %s; "
                 "solve that problem on the same mesh",
                 path, stored.first_n_points, stored.first_type, ritz_cell_name(drive->mesh->blocks[0].cell));
    RITZ_TRY(serendipity ? ritz_space_create_serendipity(drive->mesh, 1, &values->space)
                         : ritz_space_create(drive->mesh, order, 1, &values->space));
    RITZ_TRY(check_points(&stored, values->space, path));
    values->values = stored.values;
    stored.values = NULL;
    for (int64_t i = 0; i < values->space->n_nodes; i++)
        RITZ_REQUIRE(isfinite(values->values[i]), RITZ_ERROR_INPUT, "%s: the %s at node %lld is %g", path,
                     source->field ? source->field : values->what, (long long)i, values->values[i]);
done:
    ritz_stored_field_free(&stored);
    ritz_free(path);
    return status;
}

/* ---- A file with a line a node ---- */

typedef struct numbered_node {
    int64_t number;
    int32_t node;
} numbered_node;

static int compare_nodes(const void *a, const void *b)
{
    const int64_t first = ((const numbered_node *)a)->number, second = ((const numbered_node *)b)->number;
    return (first > second) - (first < second);
}

/* The nodes of the mesh by their numbers in its file. */
static ritz_status sort_nodes(const ritz_mesh *mesh, numbered_node **nodes)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*nodes, mesh->n_nodes);
    for (int32_t n = 0; n < mesh->n_nodes; n++)
        (*nodes)[n] = (numbered_node){mesh->node_number ? mesh->node_number[n] : n, n};
    qsort(*nodes, (size_t)mesh->n_nodes, sizeof **nodes, compare_nodes);
done:
    return status;
}

/* "12, 55.5"; *blank: there is nothing on the line. */
static bool parse_line(const char *line, int64_t *number, double *value, bool *blank)
{
    char *end;
    line += strspn(line, " \t\r\n");
    *blank = *line == '\0' || *line == '#';
    if (*blank)
        return true;
    *number = strtoll(line, &end, 10);
    if (end == line)
        return false;
    line = end + strspn(end, ", \t;");
    if (line == end)
        return false;
    *value = strtod(line, &end);
    return end > line && isfinite(*value) && end[strspn(end, " \t\r\n")] == '\0';
}

/* at[n_nodes of the mesh]. Nodes that the mesh has not are left out: the file may be of all nodes of a deck. */
static ritz_status read_lines(FILE *file, const char *path, const ritz_mesh *mesh, double *at)
{
    ritz_status status = RITZ_OK;
    numbered_node *nodes = NULL, wanted;
    char line[256];
    double value = 0;
    int64_t n = 0;
    bool blank;
    RITZ_TRY(sort_nodes(mesh, &nodes));
    for (int64_t l = 1; fgets(line, sizeof line, file); l++) {
        const bool good = parse_line(line, &wanted.number, &value, &blank);
        const bool head = l == 1 && !good; /* names of the columns */
        RITZ_REQUIRE(good || head, RITZ_ERROR_INPUT,
                     "%s:%lld: a line takes the number of a node and a value, like  12, 55.5", path, (long long)l);
        const numbered_node *found =
            blank || head ? NULL : bsearch(&wanted, nodes, (size_t)mesh->n_nodes, sizeof *nodes, compare_nodes);
        if (found) {
            at[found->node] = value;
            n++;
        }
    }
    RITZ_REQUIRE(!ferror(file), RITZ_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    RITZ_REQUIRE(n > 0, RITZ_ERROR_INPUT,
                 "%s: no line is of a node of the mesh, whose numbers go from %lld to %lld; name the file of this "
                 "mesh",
                 path, (long long)nodes[0].number, (long long)nodes[mesh->n_nodes - 1].number);
done:
    ritz_free(nodes);
    return status;
}

/* values[n_nodes of the space] of those of the mesh; *some: a node has none. */
static ritz_status take_from_mesh(const ritz_space *space, const double *at, double **values, bool *some)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*values, space->n_nodes);
    for (int32_t i = 0; i < space->n_nodes; i++)
        (*values)[i] = NAN;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const int n_common = ritz_space_n_common(space, batch);
        for (int32_t e = 0; e < batch->n_cells; e++)
            for (int i = 0; i < n_common; i++)
                (*values)[batch->cell_nodes[(int64_t)e * batch->n_shape + i]] =
                    at[batch->block->nodes[(int64_t)e * batch->block->n_nodes + i]];
    }
    *some = false;
    for (int32_t i = 0; i < space->n_nodes; i++)
        *some = *some || isnan((*values)[i]);
done:
    return status;
}

/* Those in the middle of edges count where all of them have values; else they are linear between the vertices. */
static ritz_status spread_on_mesh(const ritz_drive *drive, const double *at, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    bool some = true;
    if (drive->mesh->blocks[0].geometry_order == 2) {
        RITZ_TRY(ritz_space_create_serendipity(drive->mesh, 1, &values->space));
        RITZ_TRY(take_from_mesh(values->space, at, &values->values, &some));
    }
    if (!some)
        return RITZ_OK;
    ritz_free(values->values);
    values->values = NULL;
    ritz_space_destroy(&values->space);
    RITZ_TRY(ritz_space_create(drive->mesh, 1, 1, &values->space));
    RITZ_TRY(take_from_mesh(values->space, at, &values->values, &some));
done:
    return status;
}

/* The table that came with a deck, or the file of this name. */
static ritz_status read_nodes(const ritz_drive *drive, const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    const ritz_deck_problem *deck = &drive->problem->deck;
    char *path = NULL;
    double *at = NULL;
    FILE *file = NULL;
    RITZ_NEW(at, drive->mesh->n_nodes);
    for (int32_t n = 0; n < drive->mesh->n_nodes; n++)
        at[n] = NAN;
    RITZ_TRY(ritz_problem_path(drive->problem, source->nodes, &path));
    for (int t = 0; t < deck->n_tables && !file; t++)
        if (strcmp(deck->tables[t].name, source->nodes) == 0)
            file = fmemopen(deck->tables[t].text, strlen(deck->tables[t].text), "r");
    errno = 0;
    if (!file)
        file = fopen(path, "r");
    RITZ_REQUIRE(file, RITZ_ERROR_FILE, "cannot open %s: %s", path, strerror(errno));
    RITZ_TRY(read_lines(file, path, drive->mesh, at));
    RITZ_TRY(spread_on_mesh(drive, at, values));
done:
    if (file)
        fclose(file);
    ritz_free(at);
    ritz_free(path);
    return status;
}

/* ---- Groups ---- */

static ritz_status set_group(const ritz_drive *drive, const struct ritz_nodal_group *entry, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    int32_t *nodes = NULL, n;
    for (int k = 0; k < entry->groups.n; k++) {
        int32_t g;
        RITZ_TRY(ritz_mesh_find_group(drive->mesh, entry->groups.name[k], -1, &g));
        for (; g >= 0; g = ritz_next_group(drive->mesh, entry->groups.name[k], -1, g + 1)) {
            RITZ_TRY(ritz_space_group_nodes(values->space, g, &nodes, &n));
            for (int32_t i = 0; i < n; i++) {
                double x[3];
                ritz_space_get_place(values->space, nodes[i], x);
                RITZ_TRY(ritz_prescribed_value(&entry->value, x, &values->values[nodes[i]]));
            }
            ritz_free(nodes);
            nodes = NULL;
        }
    }
done:
    ritz_free(nodes);
    return status;
}

static ritz_status read_groups(const ritz_drive *drive, const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_space_create(drive->mesh, drive->mesh->blocks[0].geometry_order, 1, &values->space));
    RITZ_NEW(values->values, values->space->n_nodes);
    for (int32_t i = 0; i < values->space->n_nodes; i++)
        values->values[i] = NAN;
    for (int g = 0; g < source->n_groups; g++)
        RITZ_TRY(set_group(drive, &source->groups[g], values));
done:
    return status;
}

/* ---- All sources ---- */

/* Every node has a value, if need be the other one. */
static ritz_status fill_others(const ritz_nodal_source *source, ritz_nodal_values *values)
{
    ritz_status status = RITZ_OK;
    for (int32_t i = 0; i < values->space->n_nodes; i++) {
        double x[3];
        if (!isnan(values->values[i]))
            continue;
        ritz_space_get_place(values->space, i, x);
        RITZ_REQUIRE(source->other.expression, RITZ_ERROR_INPUT,
                     "the node at (%g, %g, %g) has no %s; give one for all that have none:  other: 20", x[0], x[1],
                     x[2], values->what);
        RITZ_TRY(ritz_prescribed_value(&source->other, x, &values->values[i]));
    }
done:
    return status;
}

static ritz_status read_source(ritz_drive *drive, const ritz_nodal_source *source, const char *what)
{
    ritz_status status = RITZ_OK;
    RITZ_RESIZE(drive->nodal, drive->n_nodal + 1);
    ritz_nodal_values *values = &drive->nodal[drive->n_nodal++];
    *values = (ritz_nodal_values){.source = source, .what = what};
    RITZ_TRY(source->result  ? read_result(drive, source, values)
             : source->nodes ? read_nodes(drive, source, values)
                             : read_groups(drive, source, values));
    RITZ_TRY(fill_others(source, values));
done:
    if (status != RITZ_OK && status != RITZ_INTERRUPTED)
        ritz_fail_context_at(status, &source->place);
    return status;
}

static ritz_status read_loads(ritz_drive *drive, const ritz_loads *loads)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    for (int k = 0; k < physics->n_body_loads; k++)
        if (loads->body[k].nodal)
            RITZ_TRY(read_source(drive, loads->body[k].nodal, physics->body_loads[k].nodal));
done:
    return status;
}

void ritz_free_nodal_values(ritz_drive *drive)
{
    for (int i = 0; i < drive->n_nodal; i++) {
        ritz_space_destroy(&drive->nodal[i].space);
        ritz_free(drive->nodal[i].values);
    }
    ritz_free(drive->nodal);
    drive->nodal = NULL;
    drive->n_nodal = 0;
    ritz_free_temperature(drive);
}

/* ---- At the points of quadrature ---- */

static bool has_corners(const ritz_nodal_values *from, int b)
{
    const ritz_cell cell = from->space->batches[b].cell;
    return from->source->as_calculix && (cell == RITZ_QUAD || cell == RITZ_HEX);
}

/* What CalculiX 2.20 takes at the vertices of a cell, of which the temperature is the function of order 1, by the stresses
   that it prints of held cells. In C3D8 it is the mean of all vertices; in C3D20 the mean over the three edges at a vertex of
   what goes on from the other end through the middle. It makes such cells of quads, whose edges across are even. */
static void find_corners(const ritz_nodal_values *from, int b, bool level, int32_t cell, double *corners)
{
    const ritz_space_batch *batch = &from->space->batches[b];
    const ritz_topology *t = ritz_cell_topology(batch->cell);
    const int32_t *nodes = batch->cell_nodes + (int64_t)cell * batch->n_shape;
    double mean = 0;
    for (int v = 0; v < t->n_vertices; v++)
        mean += from->values[nodes[v]] / t->n_vertices;
    for (int v = 0; v < t->n_vertices; v++)
        corners[v] = level ? mean : from->values[nodes[v]] * (3 - t->dim) / 3;
    for (int k = 0; k < t->n_edges && !level; k++)
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
    const bool corners = has_corners(from, b);
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

/* Of the top level, or the material's own. */
static ritz_status fill_temperatures(ritz_drive *drive)
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

ritz_status ritz_read_nodal_sources(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(read_loads(drive, &drive->problem->loads));
    for (int c = 0; c < drive->problem->n_cases; c++)
        RITZ_TRY(read_loads(drive, &drive->problem->cases[c].loads));
    RITZ_TRY(fill_temperatures(drive));
done:
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
