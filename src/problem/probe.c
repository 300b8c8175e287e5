/* Values of the result at points and along lines, as CSV: by the shape functions of the cell that holds each point, and what
   follows from these values. */
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A column of values, NAN at points outside. */
typedef struct column {
    char *name;
    double *values; /* [n_points] of all probes */
} column;

typedef struct ritz_probing {
    int64_t n_points;       /* of all probes, one after the other */
    double *x;              /* [n_points][3] */
    ritz_cell_point *place; /* [n_points] */
    double **psi;           /* [n_points] shape functions there; NULL outside */
    double *base;           /* [n_points][its components] the last field that follows from no other; 0 outside */
    column *columns;
    int n_columns;
} probing;

void ritz_free_probes(ritz_drive *drive)
{
    probing *p = drive->probing;
    if (!p)
        return;
    for (int64_t i = 0; p->psi && i < p->n_points; i++)
        ritz_free(p->psi[i]);
    for (int c = 0; c < p->n_columns; c++) {
        ritz_free(p->columns[c].name);
        ritz_free(p->columns[c].values);
    }
    ritz_free(p->psi);
    ritz_free(p->x);
    ritz_free(p->base);
    ritz_free(p->place);
    ritz_free(p->columns);
    ritz_free(p);
    drive->probing = NULL;
}

/* ---- Before the solve ---- */

/* What `file` says, else the result file's name with the probe's: part.vtkhdf, part_axis.csv. */
static ritz_status choose_path(const ritz_problem *problem, const ritz_probe *probe, char **path)
{
    ritz_status status = RITZ_OK;
    char *stem = NULL;
    if (probe->file)
        return ritz_problem_path(problem, probe->file, path);
    RITZ_REQUIRE_AT(problem->output_path || problem->stem, &probe->place,
                    "the probe '%s' needs a file for its values, like  file: %s.csv", probe->name, probe->name);
    if (problem->output_path)
        RITZ_TRY(ritz_copy_text(problem->output_path, &stem));
    else
        RITZ_TRY(ritz_problem_path(problem, problem->stem, &stem));
    char *dot = strrchr(stem, '.'), *slash = strrchr(stem, '/');
    if (problem->output_path && dot && (!slash || dot > slash))
        *dot = '\0';
    RITZ_TRY(ritz_format(path, "%s_%s.csv", stem, probe->name));
done:
    ritz_free(stem);
    return status;
}

ritz_status ritz_name_probe_files(ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(problem->probe_results, problem->n_probes);
    for (int i = 0; i < problem->n_probes; i++) {
        ritz_probe_result *one = &problem->probe_results[i];
        char *path = NULL;
        *one = (ritz_probe_result){.name = problem->probes[i].name, .n = problem->probes[i].n};
        RITZ_TRY(choose_path(problem, &problem->probes[i], &path));
        one->file = path;
    }
done:
    return status;
}

/* What is outside: one of single points is a mistake, and so is a whole line; a line may cross a hole. */
static ritz_status check_places(const ritz_drive *drive, int i, const ritz_cell_point *place)
{
    ritz_status status = RITZ_OK;
    const ritz_probe *probe = &drive->problem->probes[i];
    ritz_probe_result *one = &drive->problem->probe_results[i];
    int32_t first = -1;
    double away, low[3], high[3];
    RITZ_REQUIRE_AT(probe->n_axes == drive->mesh->dim, &probe->place,
                    "the points of the probe '%s' have %d coordinates on a mesh of dimension %d; give %d", probe->name,
                    probe->n_axes, drive->mesh->dim, drive->mesh->dim);
    for (int32_t p = probe->n - 1; p >= 0; p--)
        if (place[p].block < 0) {
            one->outside++;
            first = p;
        }
    if (first < 0)
        return RITZ_OK;
    const double *x = probe->points + 3 * (int64_t)first;
    RITZ_TRY(ritz_mesh_distance(drive->mesh, x, &away));
    ritz_mesh_bounds(drive->mesh, low, high);
    RITZ_REQUIRE_AT(
        probe->is_line && one->outside < probe->n, &probe->place,
        "%s of the probe '%s' %s outside the mesh: (%g, %g, %g) is %.3g away from it; the mesh reaches from "
        "(%g, %g, %g) to (%g, %g, %g)",
        probe->is_line ? "all points" : "a point", probe->name, probe->is_line ? "are" : "is", x[0], x[1], x[2], away,
        low[0], low[1], low[2], high[0], high[1], high[2]);
    ritz_stage_line(
        drive->problem,
        "warning    %lld of the %d points of the probe '%s' are outside the mesh, the first at (%g, %g, %g), "
        "%.3g away from it: their values are left empty",
        (long long)one->outside, probe->n, probe->name, x[0], x[1], x[2], away);
done:
    return status;
}

static ritz_status tabulate_points(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const probing *p = drive->probing;
    double *table = NULL;
    for (int64_t i = 0; i < p->n_points; i++) {
        if (p->place[i].block < 0)
            continue;
        const ritz_basis *basis = drive->space->batches[p->place[i].block].basis;
        RITZ_NEW(table, (int64_t)(1 + basis->dim) * basis->n_shape);
        p->psi[i] = table;
        table = NULL;
        RITZ_TRY(ritz_basis_tabulate(basis, 1, p->place[i].xi, p->psi[i]));
    }
done:
    return status;
}

ritz_status ritz_find_probes(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    int64_t n = 0;
    if (!problem->n_probes)
        return RITZ_OK;
    RITZ_NEW(drive->probing, 1);
    probing *p = drive->probing;
    for (int i = 0; i < problem->n_probes; i++)
        n += problem->probes[i].n;
    RITZ_NEW(p->x, 3 * n);
    RITZ_NEW(p->place, n);
    RITZ_NEW(p->psi, n);
    p->n_points = n;
    n = 0;
    for (int i = 0; i < problem->n_probes; n += problem->probes[i++].n)
        memcpy(p->x + 3 * n, problem->probes[i].points, (size_t)problem->probes[i].n * 3 * sizeof *p->x);
    RITZ_TRY(ritz_mesh_locate(drive->mesh, n, p->x, p->place));
    n = 0;
    for (int i = 0; i < problem->n_probes; n += problem->probes[i++].n)
        RITZ_TRY(check_places(drive, i, p->place + n));
    RITZ_TRY(tabulate_points(drive));
done:
    return status;
}

/* ---- Values ---- */

/* to[n]: values[points->n][n] at a point. */
static void evaluate_point(const ritz_result_points *points, const ritz_cell_point *place, const double *psi, int n,
                           const double *values, double *to)
{
    const ritz_space_batch *batch = &points->space->batches[place->block];
    for (int c = 0; c < n; c++)
        to[c] = 0;
    for (int i = 0; i < batch->n_shape; i++) {
        const int32_t node = batch->cell_nodes[(int64_t)place->cell * batch->n_shape + i];
        const double *from = values + (int64_t)ritz_result_point(points, place->block, place->cell, node) * n;
        for (int c = 0; c < n; c++)
            to[c] += psi[i] * from[c];
    }
}

ritz_status ritz_probe_base(const ritz_drive *drive, const ritz_result_points *points, int n_components,
                            const double *values)
{
    ritz_status status = RITZ_OK;
    probing *p = drive->probing;
    if (!p)
        return RITZ_OK;
    ritz_free(p->base);
    p->base = NULL;
    RITZ_NEW(p->base, p->n_points * n_components);
    for (int64_t i = 0; i < p->n_points; i++)
        if (p->psi[i])
            evaluate_point(points, &p->place[i], p->psi[i], n_components, values, p->base + i * n_components);
done:
    return status;
}

static int material_at(const ritz_drive *drive, int64_t i)
{
    const ritz_cell_point *place = &drive->probing->place[i];
    return drive->material[place->block][place->cell];
}

/* The axes that values at a point are turned to; NULL: they stay along x, y, z. */
static const ritz_frame *system_at(const ritz_drive *drive, const ritz_frame *system, int64_t i)
{
    return system ? system : drive->problem->materials[material_at(drive, i)].orientation;
}

ritz_status ritz_check_probe_axes(const ritz_drive *drive, const ritz_frame *system, const char *field)
{
    ritz_status status = RITZ_OK;
    const probing *p = drive->probing;
    for (int64_t i = 0; p && i < p->n_points; i++)
        if (p->psi[i])
            RITZ_TRY(ritz_check_axes_at(system_at(drive, system, i), p->x + 3 * i, "point of a probe", field));
done:
    return status;
}

/* Property number `property` of the materials, 0 outside. */
static ritz_status fill_property(const ritz_drive *drive, int property, double *values)
{
    ritz_status status = RITZ_OK;
    const probing *p = drive->probing;
    const ritz_result_points nodes = ritz_result_points_of(drive->space);
    double *temperature = NULL;
    RITZ_TRY(ritz_temperature_at_nodes(drive, &temperature));
    for (int64_t i = 0; i < p->n_points; i++) {
        double x[4] = {p->x[3 * i], p->x[3 * i + 1], p->x[3 * i + 2], 0};
        if (!p->psi[i])
            continue;
        if (temperature)
            evaluate_point(&nodes, &p->place[i], p->psi[i], 1, temperature, &x[3]);
        RITZ_TRY(ritz_take_property(drive, material_at(drive, i), property, x, &values[i]));
    }
done:
    ritz_free(temperature);
    return status;
}

static ritz_status derive_values(const ritz_drive *drive, const ritz_result_field *field, double *values)
{
    ritz_status status = RITZ_OK;
    const probing *p = drive->probing;
    double *property = NULL;
    if (field->property) {
        RITZ_NEW(property, p->n_points);
        RITZ_TRY(fill_property(drive, ritz_find_property(drive->problem->physics, field->property), property));
    }
    field->derive(p->n_points, p->base, property, values);
done:
    ritz_free(property);
    return status;
}

/* Along the system's axes at each point, or where the field has them along those of its material. */
static ritz_status turn_values(const ritz_drive *drive, const ritz_result_field *field, const ritz_frame *system,
                               double *values)
{
    ritz_status status = RITZ_OK;
    const probing *p = drive->probing;
    const int n = ritz_field_components(field);
    for (int64_t i = 0; i < p->n_points; i++) {
        double axes[3][3];
        if (!p->psi[i])
            continue;
        RITZ_TRY(ritz_frame_axes(system_at(drive, system, i), p->x + 3 * i, axes));
        if (field->turn)
            field->turn(axes, p->base + i * n, values + i * n);
        else
            ritz_turn_values(axes, n, p->base + i * n, values + i * n);
    }
done:
    return status;
}

/* A column for each component: stress_xx, in load cases stress_pull_xx. */
static ritz_status add_columns(const ritz_drive *drive, int r, const char *name, const char *const *components, int n,
                               const double *values)
{
    ritz_status status = RITZ_OK;
    probing *p = drive->probing;
    const char *run = drive->problem->case_results[r].name;
    for (int c = 0; c < n; c++) {
        RITZ_RESIZE(p->columns, p->n_columns + 1);
        column *one = &p->columns[p->n_columns++];
        *one = (column){0};
        RITZ_TRY(ritz_format(&one->name, "%s%s%s%s%s", name, run ? "_" : "", run ? run : "", n > 1 ? "_" : "",
                             n > 1 ? components[c] : ""));
        RITZ_NEW(one->values, p->n_points);
        for (int64_t i = 0; i < p->n_points; i++)
            one->values[i] = p->psi[i] ? values[i * n + c] : NAN;
    }
done:
    return status;
}

ritz_status ritz_probe_field(const ritz_drive *drive, int r, const ritz_result_field *field, const ritz_frame *system,
                             const char *name)
{
    ritz_status status = RITZ_OK;
    const probing *p = drive->probing;
    const int n = ritz_field_components(field);
    double *values = NULL;
    if (!p)
        return RITZ_OK;
    if (!ritz_field_follows(field) && !system)
        return add_columns(drive, r, name, field->components, n, p->base);
    RITZ_NEW(values, p->n_points * n);
    RITZ_TRY(field->derive ? derive_values(drive, field, values) : turn_values(drive, field, system, values));
    RITZ_TRY(add_columns(drive, r, name, system ? ritz_local_components(field, system) : field->components, n, values));
done:
    ritz_free(values);
    return status;
}

/* ---- Files ---- */

/* Names may hold what CSV would take for its own. */
static void add_quoted(ritz_text *text, const char *word)
{
    if (!word || !strpbrk(word, ",\"\n\r")) {
        ritz_text_add(text, "%s", word ? word : "");
        return;
    }
    ritz_text_add(text, "\"");
    for (; *word; word++)
        ritz_text_add(text, *word == '"' ? "\"\"" : "%c", *word);
    ritz_text_add(text, "\"");
}

static void add_row(const ritz_drive *drive, const ritz_probe *probe, int32_t row, int64_t point, ritz_text *text)
{
    const probing *p = drive->probing;
    const double *x = probe->points + 3 * (int64_t)row;
    if (probe->is_line) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (x[d] - probe->points[d]) * (x[d] - probe->points[d]);
        ritz_text_add(text, "%.10g,", sqrt(square));
    }
    ritz_text_add(text, "%.10g,%.10g,%.10g,", x[0], x[1], x[2]);
    add_quoted(text, p->psi[point] ? ritz_group_of_cell(drive, p->place[point].block, p->place[point].cell) : NULL);
    for (int c = 0; c < p->n_columns; c++)
        if (p->psi[point])
            ritz_text_add(text, ",%.10g", p->columns[c].values[point]);
        else
            ritz_text_add(text, ",");
    ritz_text_add(text, "\n");
}

static ritz_status write_probe(const ritz_drive *drive, int i, int64_t first)
{
    ritz_status status = RITZ_OK;
    const ritz_probe *probe = &drive->problem->probes[i];
    const char *path = drive->problem->probe_results[i].file;
    const probing *p = drive->probing;
    ritz_text text = {0};
    ritz_text_add(&text, "%sx,y,z,group", probe->is_line ? "distance," : "");
    for (int c = 0; c < p->n_columns; c++) {
        ritz_text_add(&text, ",");
        add_quoted(&text, p->columns[c].name);
    }
    ritz_text_add(&text, "\n");
    for (int32_t row = 0; row < probe->n; row++)
        add_row(drive, probe, row, first + row, &text);
    RITZ_TRY(text.status);
    RITZ_TRY(ritz_fresh_write_file(path, text.length, text.data));
    ritz_output_written(drive, RITZ_OUTPUT_PROBES + i);
    ritz_stage_line(drive->problem, "probe      %s: %d point%s in %s", probe->name, probe->n, probe->n == 1 ? "" : "s",
                    path);
done:
    ritz_text_free(&text);
    return status;
}

ritz_status ritz_write_probes(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    probing *p = drive->probing;
    int64_t first = 0;
    if (!p || !p->n_columns)
        return RITZ_OK;
    for (int i = 0; i < drive->problem->n_probes; first += drive->problem->probes[i++].n)
        RITZ_TRY(write_probe(drive, i, first));
    drive->result->n_probes = drive->problem->n_probes;
    drive->result->probes = drive->problem->probe_results;
done:
    return status;
}
