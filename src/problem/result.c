/* From the solution to the result: extremes, error norms, recovered stress, the result file. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

/* ---- The fields of a solution ---- */

/* Whether all materials have the property that the field needs. */
static bool has_property(const ritz_problem *problem, const ritz_result_field *field)
{
    const int p = field->property ? ritz_find_property(problem->physics, field->property) : -1;
    for (int m = 0; m < problem->n_materials; m++)
        if (p < 0 || !problem->materials[m].property[p].n)
            return false;
    return true;
}

/* The name that a field has in the file: the only field of a physics may be renamed. */
static const char *field_name(const ritz_problem *problem, int f)
{
    const bool renamed = problem->physics->n_fields == 1 && problem->fields.n;
    return renamed ? problem->fields.name[0] : problem->physics->fields[f].name;
}

/* Whether field f is written. */
static bool wants_field(const ritz_problem *problem, int f)
{
    const ritz_result_field *field = &problem->physics->fields[f];
    for (int i = 0; i < problem->fields.n; i++)
        if (strcmp(problem->fields.name[i], field_name(problem, f)) == 0)
            return true;
    return problem->fields.n == 0 && (!field->on_request || has_property(problem, field));
}

static void free_fields(ritz_field **fields, int n)
{
    for (int f = 0; *fields && f < n; f++)
        ritz_free((char *)(*fields)[f].name);
    ritz_free(*fields);
    *fields = NULL;
}

/* Systems that field f is written along, besides x, y, z. */
static int count_local(const ritz_problem *problem, int f)
{
    return ritz_field_is_local(&problem->physics->fields[f]) ? problem->n_local : 0;
}

/* The fields of all solutions that there are, named after systems and load cases, in the order in which they are written. */
static ritz_status name_fields(const ritz_drive *drive, ritz_field **fields, int *n_fields)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_field *all = NULL;
    int n_all = 0;
    RITZ_NEW(all, (int64_t)problem->physics->n_fields * (1 + problem->n_local) * drive->n_runs);
    for (int r = 0; r < drive->n_runs; r++) {
        const char *run = problem->case_results[r].name;
        for (int f = 0; drive->vector[r] && f < problem->physics->n_fields; f++)
            for (int s = -1; wants_field(problem, f) && s < count_local(problem, f); s++) {
                char *whole = NULL;
                RITZ_TRY(ritz_format(&whole, "%s%s%s%s%s", field_name(problem, f), s < 0 ? "" : "_",
                                     s < 0 ? "" : problem->local[s]->name, run ? "_" : "", run ? run : ""));
                all[n_all++] = (ritz_field){whole, ritz_field_components(&problem->physics->fields[f]), NULL};
            }
    }
    *fields = all;
    *n_fields = n_all;
    all = NULL;
done:
    free_fields(&all, n_all);
    return status;
}

/* Whether field f is written or reported. */
static bool is_answer(const ritz_problem *problem, int f)
{
    const ritz_result_field *field = &problem->physics->fields[f];
    return wants_field(problem, f) || (!field->on_request && (field->largest || field->smallest));
}

/* Whether field f is an answer, or what one of the next ones is derived from. */
static bool is_needed(const ritz_problem *problem, int f)
{
    bool needed = is_answer(problem, f);
    for (int g = f + 1; g < problem->physics->n_fields && ritz_field_follows(&problem->physics->fields[g]); g++)
        needed = needed || (!ritz_field_follows(&problem->physics->fields[f]) && is_answer(problem, g));
    return needed;
}

/* Nodes are doubled between materials where something is written or reported that jumps there. */
static ritz_status make_points(const ritz_drive *drive, ritz_result_points *points)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    bool jumps = false;
    *points = ritz_result_points_of(drive->space);
    for (int f = 0; f < problem->physics->n_fields; f++)
        jumps = jumps || (is_needed(problem, f) && problem->physics->fields[f].at_point);
    if (jumps && problem->n_materials > 1)
        RITZ_TRY(ritz_result_points_create(drive->space, drive->material, points));
done:
    return status;
}

/* The unknown, or components of it, as many as its field has: three for vectors, zero out of the plane. */
static void fill_unknown(const ritz_space *space, int first, int n_components, const double *solution, double *values)
{
    const int n_c = space->n_components;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < space->n_nodes; i++)
        for (int c = 0; c < n_components && first + c < n_c; c++)
            values[n_components * i + c] = solution[i * n_c + first + c];
}

ritz_status ritz_make_offsets(const ritz_drive *drive, int r, ritz_run_offsets *offsets)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    *offsets = (ritz_run_offsets){0};
    RITZ_NEW(offsets->strain, problem->n_cases + 1);
    RITZ_NEW(offsets->fields, problem->n_cases + 2);
    for (int c = -1; c < problem->n_cases; c++) { /* -1: the top level */
        const double factor = c < 0 ? 1 : ritz_case_factor(problem, r, c);
        ritz_self_strain *strain = &offsets->strain[offsets->n];
        if (factor == 0)
            continue;
        RITZ_TRY(ritz_self_strain_create(drive, c < 0 ? NULL : &problem->cases[c], strain));
        if (strain->form)
            offsets->fields[offsets->n++] =
                (ritz_field_offset){.form = strain->form, .data = strain->data, .factor = factor};
    }
done:
    return status;
}

void ritz_free_offsets(ritz_run_offsets *offsets)
{
    for (int k = 0; k < offsets->n; k++)
        ritz_self_strain_free(&offsets->strain[k]);
    ritz_free(offsets->strain);
    ritz_free(offsets->fields);
    *offsets = (ritz_run_offsets){0};
}

ritz_status ritz_recover_field(const ritz_drive *drive, const ritz_result_points *points,
                               const ritz_result_field *field, const ritz_field_offset *offsets, const double *solution,
                               bool plain, double *values)
{
    ritz_datum data[RITZ_MAX_POINT_DATA][RITZ_N_CELLS];
    const ritz_datum *rows[RITZ_MAX_POINT_DATA] = {NULL};
    for (int k = 0; k < RITZ_MAX_POINT_DATA && field->data[k]; k++) {
        ritz_batch_data(drive, field->data[k], data[k]);
        rows[k] = data[k];
    }
    return ritz_recover(points, field, rows, drive->problem->degree, solution, offsets, plain, values);
}

ritz_status ritz_take_property(const ritz_drive *drive, int m, int p, const double x[4], double *value)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const double least = nextafter(0, 1);
    const ritz_quantity *q = &problem->materials[m].property[p].component[0];
    *value = ritz_quantity_at(q, x);
    RITZ_REQUIRE_AT(isfinite(*value) && *value >= least, &q->place,
                    "'%s' must be finite and > 0; it is %g at (%g, %g, %g)", problem->physics->properties[p].name,
                    *value, x[0], x[1], x[2]);
done:
    return status;
}

/* A property of the materials at all points. */
static ritz_status fill_property(const ritz_drive *drive, const ritz_result_points *points, const char *name,
                                 double *values)
{
    ritz_status status = RITZ_OK;
    const int p = ritz_find_property(drive->problem->physics, name);
    double *temperature = NULL;
    RITZ_TRY(ritz_temperature_at_nodes(drive, &temperature));
    for (int32_t i = 0; i < points->n; i++) {
        const int32_t node = ritz_result_node(points, i);
        double x[4] = {[3] = temperature ? temperature[node] : 0};
        ritz_space_get_place(drive->space, node, x);
        RITZ_TRY(ritz_take_property(drive, points->material_of ? points->material_of[i] : 0, p, x, &values[i]));
    }
done:
    ritz_free(temperature);
    return status;
}

static const ritz_frame *orientation_of(const ritz_drive *drive, const ritz_result_points *points, int32_t i)
{
    return drive->problem->materials[points->material_of ? points->material_of[i] : 0].orientation;
}

/* A field along the axes of the materials. */
static ritz_status turn_field(const ritz_drive *drive, const ritz_result_points *points, const ritz_result_field *field,
                              const double *before, double *values)
{
    ritz_status status = RITZ_OK;
    const int n = ritz_field_components(field);
    for (int32_t i = 0; i < points->n; i++) {
        double x[3], axes[3][3];
        ritz_space_get_place(drive->space, ritz_result_node(points, i), x);
        RITZ_TRY(ritz_frame_axes(orientation_of(drive, points, i), x, axes));
        field->turn(axes, before + (int64_t)n * i, values + (int64_t)n * i);
    }
done:
    return status;
}

/* Field f; before: the last field that was recovered, NULL if that was not needed. */
static ritz_status fill_field(const ritz_drive *drive, const ritz_result_points *points, int f,
                              const ritz_field_offset *offsets, const double *solution, const double *before,
                              double *values)
{
    ritz_status status = RITZ_OK;
    const ritz_result_field *field = &drive->problem->physics->fields[f];
    const int components = ritz_field_components(field);
    double *property = NULL;
    if (field->at_point)
        return ritz_recover_field(drive, points, field, offsets, solution, false, values);
    if (field->turn)
        return turn_field(drive, points, field, before, values);
    if (!field->derive) {
        fill_unknown(drive->space, field->first, components, solution, values);
        ritz_copy_to_points(points, components, values);
        return RITZ_OK;
    }
    if (field->property) {
        RITZ_NEW(property, points->n);
        RITZ_TRY(fill_property(drive, points, field->property, property));
    }
    field->derive(points->n, before, property, values);
done:
    ritz_free(property);
    return status;
}

/* Along one system; NULL: those of the materials. */
static ritz_status check_axes_along(const ritz_drive *drive, const ritz_result_points *points, int f,
                                    const ritz_frame *system)
{
    ritz_status status = RITZ_OK;
    const char *name = field_name(drive->problem, f);
    for (int32_t i = 0; i < points->n; i++) {
        double x[3];
        ritz_space_get_place(drive->space, ritz_result_node(points, i), x);
        RITZ_TRY(ritz_check_axes_at(system ? system : orientation_of(drive, points, i), x, "node", name));
    }
    RITZ_TRY(ritz_check_probe_axes(drive, system, name));
done:
    return status;
}

ritz_status ritz_check_axes(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_result_points points = {0};
    bool any = false;
    for (int s = 0; s < problem->n_systems; s++)
        any = any || problem->systems[s].varies;
    if (any)
        RITZ_TRY(make_points(drive, &points));
    for (int f = 0; any && f < problem->physics->n_fields; f++) {
        if (problem->physics->fields[f].turn && is_answer(problem, f))
            RITZ_TRY(check_axes_along(drive, &points, f, NULL));
        for (int s = 0; wants_field(problem, f) && s < count_local(problem, f); s++)
            if (problem->local[s]->varies)
                RITZ_TRY(check_axes_along(drive, &points, f, problem->local[s]));
    }
done:
    ritz_result_points_free(&points);
    return status;
}

/* Gives a field to the probes and to the file (NULL: none), and the same along systems. */
static ritz_status keep_field(const ritz_drive *drive, int r, const ritz_result_points *points, int f,
                              const double *values, ritz_result_file *file)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_result_field *field = &problem->physics->fields[f];
    const char *name = field_name(problem, f);
    const int n = ritz_field_components(field);
    double *turned = NULL;
    char *whole = NULL;
    RITZ_TRY(ritz_probe_field(drive, r, field, NULL, name));
    if (file)
        RITZ_TRY(ritz_result_file_add(file, values));
    if (file && count_local(problem, f))
        RITZ_NEW(turned, (int64_t)n * points->n);
    for (int s = 0; s < count_local(problem, f); s++) {
        const ritz_frame *system = problem->local[s];
        RITZ_TRY(ritz_format(&whole, "%s_%s", name, system->name));
        RITZ_TRY(ritz_probe_field(drive, r, field, system, whole));
        ritz_free(whole);
        whole = NULL;
        if (!file)
            continue;
        RITZ_TRY(ritz_turn_field(drive, points, n, system, values, turned));
        RITZ_TRY(ritz_result_file_add(file, turned));
    }
done:
    ritz_free(whole);
    ritz_free(turned);
    return status;
}

/* Makes, measures and writes the fields of a solution one after the other. */
static ritz_status make_fields(const ritz_drive *drive, const ritz_result_points *points, int r, ritz_result_file *file)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    ritz_load_case_result *run = &drive->problem->case_results[r];
    const double *solution = drive->vector[r];
    double *values = NULL, *before = NULL;
    ritz_run_offsets offsets;
    RITZ_TRY(ritz_make_offsets(drive, r, &offsets));
    if (drive->space->n_components == 1) {
        drive->result->value_name = physics->fields[0].name;
        ritz_find_range(drive, points, solution, run);
        ritz_warn_of_cold(drive, run);
    }
    for (int f = 0; f < physics->n_fields; f++) {
        const ritz_result_field *field = &physics->fields[f];
        if (!is_needed(drive->problem, f))
            continue;
        RITZ_NEW(values, (int64_t)ritz_field_components(field) * points->n);
        RITZ_TRY(fill_field(drive, points, f, offsets.fields, solution, before, values));
        RITZ_TRY(ritz_check_interrupt());
        if (!ritz_field_follows(field))
            RITZ_TRY(ritz_probe_base(drive, points, ritz_field_components(field), values));
        if (is_answer(drive->problem, f))
            ritz_find_extremes(drive, points, field, values, run);
        if (wants_field(drive->problem, f))
            RITZ_TRY(keep_field(drive, r, points, f, values, file));
        if (!ritz_field_follows(field)) {
            ritz_free(before);
            before = values;
        } else {
            ritz_free(values);
        }
        values = NULL;
    }
done:
    ritz_free_offsets(&offsets);
    ritz_free(before);
    ritz_free(values);
    return status;
}

static ritz_status find_error(const ritz_drive *drive, int r, ritz_load_case_result *run)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    if (run->factors)
        return RITZ_OK; /* the solution of a combination is given nowhere */
    const ritz_vector *known = problem->n_cases ? &problem->cases[r].loads.exact : &problem->loads.exact;
    const ritz_expression *exact[RITZ_MAX_COMPONENTS] = {NULL};
    for (int c = 0; c < known->n; c++)
        exact[c] = known->component[c].expression;
    if (!known->n)
        return RITZ_OK;
    RITZ_TRY(ritz_error_norms(drive->space, drive->vector[r], exact, problem->degree, &run->error_l2, &run->error_h1));
    RITZ_REQUIRE_AT(isfinite(run->error_l2) && isfinite(run->error_h1), &known->place,
                    "'exact' or its gradient is not finite somewhere in the mesh; give an expression that is");
done:
    return status;
}

ritz_status ritz_check_faces(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    int32_t n = 0;
    for (int32_t e = 0; e < drive->mesh->n_entities; e++)
        n += drive->mesh->entities[e].dim == drive->mesh->dim - 1;
    RITZ_REQUIRE_AT(n > 0 || !drive->problem->faces_path, &drive->problem->faces_place,
                    "'faces' is asked for, and the mesh has no groups of %s; remove it, or name some under  groups:",
                    drive->mesh->dim == 3 ? "faces" : "edges");
done:
    return status;
}

/* The names of the mesh's groups outlive it in the result. */
static ritz_status keep_group_names(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    ritz_problem *problem = drive->problem;
    RITZ_NEW(problem->group_names, drive->mesh->n_groups);
    for (; problem->n_group_names < drive->mesh->n_groups; problem->n_group_names++)
        RITZ_TRY(ritz_copy_text(drive->mesh->groups[problem->n_group_names].name,
                                &problem->group_names[problem->n_group_names]));
done:
    return status;
}

/* What is asked for and needs a property that a material has not. */
ritz_status ritz_check_field_properties(const ritz_problem *problem)
{
    ritz_status status = RITZ_OK;
    for (int f = 0; f < problem->physics->n_fields; f++) {
        const ritz_result_field *field = &problem->physics->fields[f];
        const int p = field->property ? ritz_find_property(problem->physics, field->property) : -1;
        for (int m = 0; p >= 0 && wants_field(problem, f) && m < problem->n_materials; m++)
            RITZ_REQUIRE_AT(problem->materials[m].property[p].n, &problem->materials[m].place,
                            "the field '%s' needs the '%s' of every material, and this one has none; add one, like  %s",
                            field->name, field->property, problem->physics->properties[p].example);
    }
done:
    return status;
}

ritz_status ritz_make_result(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_result_file *file = NULL;
    ritz_field *fields = NULL;
    ritz_result_points points = {0};
    ritz_text printed = {0};
    ritz_frd *frd = NULL;
    int n_fields = 0;
    RITZ_TRY(keep_group_names(drive));
    RITZ_TRY(make_points(drive, &points));
    RITZ_TRY(name_fields(drive, &fields, &n_fields));
    if (problem->output_path && n_fields)
        RITZ_TRY(ritz_result_file_create(problem->output_path, &points, fields, n_fields, &file));
    if (problem->frd_file)
        RITZ_TRY(ritz_frd_start(drive, &frd));
    for (int r = 0; r < drive->n_runs; r++) {
        ritz_load_case_result *run = &problem->case_results[r];
        if (!drive->vector[r])
            continue;
        RITZ_TRY(ritz_has_flows(drive) ? ritz_find_flows(drive, r) : ritz_find_reactions(drive, r));
        RITZ_TRY(find_error(drive, r, run));
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(make_fields(drive, &points, r, file));
        if (problem->dat_file)
            RITZ_TRY(ritz_print_run(drive, r, &printed));
        if (frd)
            RITZ_TRY(ritz_frd_add_run(drive, r, frd));
        ritz_gather_extremes(drive->result, run);
        if (!problem->n_cases)
            drive->result->balance = run->balance;
        ritz_free(drive->vector[r]);
        drive->vector[r] = NULL;
    }
    RITZ_TRY(ritz_write_probes(drive));
    if (file && problem->faces_path) {
        RITZ_TRY(ritz_write_faces(problem->faces_path, drive->space));
        ritz_output_written(drive, RITZ_OUTPUT_FACES);
        drive->result->faces = problem->faces_path;
        ritz_stage_line(problem, "faces      %s", problem->faces_path);
    }
    if (file) {
        RITZ_TRY(ritz_result_file_finish(&file));
        ritz_output_written(drive, RITZ_OUTPUT_RESULT);
        drive->result->output = problem->output_path;
    }
    if (problem->dat_file)
        RITZ_TRY(ritz_write_prints(drive, &printed));
    if (frd) {
        RITZ_TRY(ritz_frd_finish(&frd));
        ritz_output_written(drive, RITZ_OUTPUT_FRD);
        ritz_stage_line(problem, "frd        %s", problem->frd_file);
    }
done:
    ritz_text_free(&printed);
    ritz_frd_destroy(&frd);
    ritz_result_file_destroy(&file);
    free_fields(&fields, n_fields);
    ritz_result_points_free(&points);
    return status;
}
