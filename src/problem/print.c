/* Printed values: a text file with tables of nodes and of points of quadrature, in the words and columns of CalculiX's
   .dat files, which its users' scripts read. */
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node or cell by the number that it has in the file. */
typedef struct numbered {
    int64_t number;
    int32_t at; /* node of the space, or cell of the batch */
    int batch;
} numbered;

static int compare_numbers(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return x->number != y->number ? (x->number < y->number ? -1 : 1) : x->batch - y->batch;
}

static const ritz_result_field *find_field(const ritz_physics *physics, const char *name)
{
    for (int f = 0; f < physics->n_fields; f++)
        if (strcmp(physics->fields[f].name, name) == 0)
            return &physics->fields[f];
    return NULL;
}

static bool is_at_points(const ritz_physics *physics, const char *value)
{
    const ritz_result_field *field = find_field(physics, value);
    return field && (field->at_point || field->turn);
}

ritz_status ritz_check_prints(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_mesh *mesh = drive->mesh;
    for (int i = 0; i < problem->n_prints; i++) {
        const ritz_print *print = &problem->prints[i];
        bool found = !print->case_name;
        RITZ_TRY(ritz_check_node_systems(drive, &print->systems));
        for (int g = 0; g < print->groups.n; g++)
            for (int v = 0; v < print->values.n; v++)
                RITZ_REQUIRE_AT(
                    ritz_next_group(mesh, print->groups.name[g],
                                    is_at_points(problem->physics, print->values.name[v]) ? mesh->dim : -1, 0) >= 0,
                    &print->groups.places[g], "the mesh has no group '%s'%s whose '%s' could be printed",
                    print->groups.name[g], is_at_points(problem->physics, print->values.name[v]) ? " of cells" : "",
                    print->values.name[v]);
        for (int r = 0; problem->n_cases && r < drive->n_runs; r++)
            found = found || strcmp(problem->case_results[r].name, print->case_name) == 0;
        RITZ_REQUIRE_AT(found, &print->place, "there is no load case or combination '%s' whose values could be printed",
                        print->case_name);
    }
done:
    return status;
}

/* CalculiX tells the time of each table; a load case has its number, other problems 1. */
static void print_head(const ritz_drive *drive, int r, const char *what, const char *group, ritz_text *text)
{
    const double time = drive->problem->n_cases ? r + 1 : 1;
    const int exponent = (int)floor(log10(time)) + 1;
    ritz_text_add(text, "\n %s for set %s and time  %.7fE%+03d\n\n", what, group, time / pow(10, exponent), exponent);
}

/* ---- Nodes ---- */

/* Of marked nodes those that the mesh has a number for, by increasing number. */
static ritz_status list_nodes(const ritz_drive *drive, const int32_t *mark, numbered **list, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = drive->space;
    int64_t *numbers = NULL;
    *n = 0;
    RITZ_NEW(numbers, space->n_nodes);
    RITZ_NEW(*list, space->n_nodes);
    RITZ_TRY(ritz_space_node_numbers(space, numbers));
    for (int32_t i = 0; i < space->n_nodes; i++)
        if (mark[i] && numbers[i] >= 0)
            (*list)[(*n)++] = (numbered){.number = numbers[i], .at = i};
    qsort(*list, (size_t)*n, sizeof **list, compare_numbers);
done:
    ritz_free(numbers);
    return status;
}

/* A u over all cells, A as it is at u, less the loads of thermal strain and initial stress. */
ritz_status ritz_add_actions(const ritz_drive *drive, int r, double *action)
{
    ritz_status status = RITZ_OK;
    double *self = NULL;
    for (int b = 0; b < drive->space->n_batches; b++) {
        ritz_integral integral = ritz_batch_integral(drive, b, drive->data[b]);
        integral.old = drive->vector[r];
        RITZ_TRY(ritz_add_chosen_vectors(&integral, drive->vector[r], NULL, NULL, 1, action));
    }
    RITZ_TRY(ritz_add_self_strain(drive, NULL, false, &self));
    RITZ_TRY(ritz_add_run_self_strain(drive, r, false, &self));
    for (int64_t i = 0; self && i < ritz_space_n_dofs(drive->space); i++)
        action[i] -= self[i];
done:
    ritz_free(self);
    return status;
}

static ritz_status print_node_table(const ritz_drive *drive, const ritz_print *print, const numbered *list, int64_t n,
                                    const double *values, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const int n_c = drive->space->n_components, n_columns = drive->problem->physics->vector ? 3 : 1;
    int32_t *systems = NULL;
    RITZ_TRY(ritz_find_node_systems(drive, &print->systems, &systems));
    for (int64_t i = 0; i < n; i++) {
        double v[3] = {0};
        memcpy(v, values + (int64_t)list[i].at * n_c, (size_t)n_c * sizeof *v);
        RITZ_TRY(ritz_turn_at_node(drive, &print->systems, systems, list[i].at, v));
        ritz_text_add(text, "%10lld", (long long)list[i].number);
        for (int c = 0; c < n_columns; c++)
            ritz_text_add(text, " % .6E", v[c]);
        ritz_text_add(text, systems[list[i].at] ? " L\n" : "\n"); /* local */
    }
done:
    ritz_free(systems);
    return status;
}

/* The sum over the marked nodes, those without a number too, in the columns below which CalculiX prints it. */
static void print_total(const ritz_drive *drive, const int32_t *mark, const double *values, ritz_text *text)
{
    const int n_c = drive->space->n_components;
    double sum[3] = {0};
    for (int32_t i = 0; i < drive->space->n_nodes; i++)
        for (int c = 0; mark[i] && c < n_c; c++)
            sum[c] += values[(int64_t)i * n_c + c];
    ritz_text_add(text, "      ");
    for (int c = 0; c < (drive->problem->physics->vector ? 3 : 1); c++)
        ritz_text_add(text, " % .6E", sum[c]);
    ritz_text_add(text, "\n");
}

/* *action: that of the run, which the first table of forces makes. */
static ritz_status print_nodes(const ritz_drive *drive, int r, const ritz_print *print, const char *group, bool actions,
                               double **action, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const bool vector = drive->problem->physics->vector;
    const char *what = vector    ? actions ? "forces (fx,fy,fz)" : "displacements (vx,vy,vz)"
                       : actions ? "heat generation"
                                 : "temperatures";
    const ritz_names names = {.n = 1, .name = (char *[]){(char *)group}};
    numbered *list = NULL;
    int32_t *mark = NULL;
    int64_t n = 0;
    RITZ_NEW(mark, drive->space->n_nodes);
    RITZ_TRY(ritz_mark_nodes(drive, &names, 1, mark));
    RITZ_TRY(list_nodes(drive, mark, &list, &n));
    if (actions && !*action) {
        RITZ_NEW(*action, ritz_space_n_dofs(drive->space));
        RITZ_TRY(ritz_add_actions(drive, r, *action));
    }
    const double *values = actions ? *action : drive->vector[r];
    if (!actions || print->totals != RITZ_TOTALS_ONLY) {
        print_head(drive, r, what, group, text);
        RITZ_TRY(print_node_table(drive, print, list, n, values, text));
    }
    if (actions && print->totals != RITZ_NO_TOTALS) {
        print_head(drive, r, vector ? "total force (fx,fy,fz)" : "total heat generation", group, text);
        print_total(drive, mark, values, text);
    }
done:
    ritz_free(list);
    ritz_free(mark);
    return status;
}

/* ---- Points of quadrature ---- */

static ritz_status list_cells(const ritz_drive *drive, const char *group, int b, numbered **list, int64_t *n)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    const int32_t g = ritz_next_group(drive->mesh, group, drive->mesh->dim, 0);
    for (int32_t e = 0; e < block->n_cells; e++)
        *n += ritz_mesh_set_has(drive->mesh, block->set[e], g);
    RITZ_NEW(*list, *n);
    *n = 0;
    for (int32_t e = 0; e < block->n_cells; e++)
        if (ritz_mesh_set_has(drive->mesh, block->set[e], g))
            (*list)[(*n)++] = (numbered){.number = block->number[e], .at = e, .batch = b};
    qsort(*list, (size_t)*n, sizeof **list, compare_numbers);
done:
    return status;
}

/* CalculiX makes solids of plane elements and prints the points of each layer. */
static int count_layers(const ritz_drive *drive, ritz_cell cell, int n_points)
{
    if (drive->mesh->dim == 3)
        return 1;
    return cell == RITZ_QUAD ? (int)lround(sqrt(n_points)) : drive->space->order == 1 ? 2 : 3;
}

/* In CalculiX's order of points: that of ours, but for the four points of a tet. */
static void print_cell(const numbered *cell, bool tet, int n_layers, int n_points, int n_values, const double *values,
                       ritz_text *text)
{
    static const int tet_points[4] = {0, 3, 2, 1};
    static const int columns[6] = {0, 1, 2, 3, 5, 4}; /* xx yy zz xy xz yz of our xx yy zz xy yz xz */
    for (int q = 0; q < n_layers * n_points; q++) {
        ritz_text_add(text, "%10lld %3d", (long long)cell->number, q + 1);
        const double *at = values + (int64_t)(tet && n_points == 4 ? tet_points[q] : q % n_points) * n_values;
        for (int k = 0; k < n_values; k++)
            ritz_text_add(text, " % .6E", at[n_values == 6 ? columns[k] : k]);
        ritz_text_add(text, "\n");
    }
}

/* Cells with one strain, of which CalculiX prints one point (in each layer): C3D4, C3D8R and the like. The temperature may vary
   in a simplex, whose points have the same weight. */
static bool has_one_point(const ritz_drive *drive, int b, int32_t cell)
{
    const ritz_cell shape = drive->mesh->blocks[b].cell;
    return (drive->enhancements && drive->enhancements[b].kind[cell] == RITZ_REDUCED_CALCULIX) ||
           (drive->space->order == 1 && (shape == RITZ_TRI || shape == RITZ_TET));
}

/* Of n rows of values, into the first one. */
static void take_mean(int n, int n_values, double *values)
{
    for (int k = 0; k < n_values; k++) {
        double sum = 0;
        for (int q = 0; q < n; q++)
            sum += values[q * n_values + k];
        values[k] = sum / n;
    }
}

/* Values of a cell along the axes that its material has at the points, or at their mean. */
static ritz_status turn_values(const ritz_drive *drive, const ritz_result_field *field, int b, int32_t cell, bool one,
                               const ritz_tables *tables, double *values)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    const ritz_frame *system = drive->problem->materials[drive->material[b][cell]].orientation;
    const int n_points = tables->n_points;
    double x[3], mean[3] = {0}, axes[3][3];
    for (int q = 0; system && q < n_points; q++) {
        ritz_point_place(tables, drive->mesh, block->nodes + (int64_t)cell * block->n_nodes, q, x);
        for (int d = 0; d < 3; d++)
            mean[d] += x[d] / n_points;
        if (one && q < n_points - 1)
            continue;
        double *const at = one ? values : values + (int64_t)q * ritz_field_components(field);
        RITZ_TRY(ritz_frame_axes(system, one ? mean : x, axes));
        field->turn(axes, at, at);
    }
done:
    return status;
}

static ritz_status print_batch(const ritz_drive *drive, int r, const char *group, const ritz_result_field *printed,
                               int b, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const ritz_result_field *field = printed;
    while (ritz_field_follows(field))
        field--; /* to the one that it is turned from */
    ritz_datum data[RITZ_MAX_POINT_DATA][RITZ_N_CELLS];
    const ritz_datum *rows[RITZ_MAX_POINT_DATA] = {NULL};
    const int n_values = ritz_field_components(field);
    numbered *list = NULL;
    int32_t *cells = NULL;
    double *values = NULL;
    ritz_tables *tables = NULL;
    int64_t n = 0;
    int n_points = 0;
    ritz_run_offsets offsets = {0};
    for (int k = 0; k < RITZ_MAX_POINT_DATA && field->data[k]; k++) {
        ritz_batch_data(drive, field->data[k], data[k]);
        rows[k] = data[k];
    }
    RITZ_TRY(ritz_make_offsets(drive, r, &offsets));
    RITZ_TRY(list_cells(drive, group, b, &list, &n));
    RITZ_NEW(cells, n);
    for (int64_t i = 0; i < n; i++)
        cells[i] = list[i].at;
    RITZ_TRY(ritz_evaluate_in_cells(drive->space, b, field, rows, drive->problem->degree, drive->vector[r],
                                    offsets.fields, (int32_t)n, cells, &n_points, &values));
    RITZ_TRY(ritz_point_tables_create(drive, b, &tables));
    const ritz_cell shape = drive->mesh->blocks[b].cell;
    for (int64_t i = 0; i < n; i++) {
        const bool one = has_one_point(drive, b, cells[i]);
        double *const at = values + i * n_points * n_values;
        if (one)
            take_mean(n_points, n_values, at);
        if (printed->turn)
            RITZ_TRY(turn_values(drive, printed, b, cells[i], one, tables, at));
        print_cell(&list[i], shape == RITZ_TET, count_layers(drive, shape, one ? 1 : n_points), one ? 1 : n_points,
                   n_values, at, text);
    }
done:
    ritz_tables_destroy(&tables);
    ritz_free_offsets(&offsets);
    ritz_free(list);
    ritz_free(cells);
    ritz_free(values);
    return status;
}

static ritz_status print_points(const ritz_drive *drive, int r, const char *group, const char *value, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const ritz_result_field *field = find_field(drive->problem->physics, value);
    char head[96];
    snprintf(head, sizeof head, "%s",
             strstr(value, "stress")   ? "stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz)"
             : strstr(value, "strain") ? "strains (elem, integ.pnt.,exx,eyy,ezz,exy,exz,eyz)"
                                       : "heat flux (elem, integ.pnt.,qx,qy,qz)");
    print_head(drive, r, head, group, text);
    for (int b = 0; b < drive->space->n_batches; b++)
        RITZ_TRY(print_batch(drive, r, group, field, b, text));
done:
    return status;
}

/* ---- The file ---- */

ritz_status ritz_print_run(const ritz_drive *drive, int r, ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    double *action = NULL;
    for (int i = 0; i < problem->n_prints; i++) {
        const ritz_print *print = &problem->prints[i];
        if (print->case_name && strcmp(print->case_name, problem->case_results[r].name) != 0)
            continue;
        for (int v = 0; v < print->values.n; v++)
            for (int g = 0; g < print->groups.n; g++) {
                const char *value = print->values.name[v], *group = print->groups.name[g];
                const bool actions = strcmp(value, "force") == 0 || strcmp(value, "flow") == 0;
                RITZ_TRY(is_at_points(problem->physics, value)
                             ? print_points(drive, r, group, value, text)
                             : print_nodes(drive, r, print, group, actions, &action, text));
            }
    }
done:
    ritz_free(action);
    return status;
}

ritz_status ritz_write_prints(const ritz_drive *drive, const ritz_text *text)
{
    ritz_status status = RITZ_OK;
    const char *path = ritz_output_path(drive, RITZ_OUTPUT_DAT);
    RITZ_TRY(text->status);
    RITZ_TRY(ritz_fresh_write_file(path, text->length, text->data));
    ritz_stage_line(drive->problem, "printed    %s", path);
    ritz_output_written(drive, RITZ_OUTPUT_DAT);
done:
    return status;
}
