/* Extremes of results, and where they are. */
#include "problem/drive.h"

#include <math.h>
#include <string.h>

const char *ritz_group_of_cell(const ritz_drive *drive, int batch, int32_t cell)
{
    const ritz_mesh *mesh = drive->mesh;
    const ritz_group_set *set = &mesh->sets[mesh->blocks[batch].set[cell]];
    const ritz_names *names = &drive->problem->materials[drive->material[batch][cell]].groups;
    for (int i = 0; i < set->n_groups; i++)
        for (int k = 0; k < names->n; k++)
            if (strcmp(mesh->groups[set->groups[i]].name, names->name[k]) == 0)
                return drive->problem->group_names[set->groups[i]];
    return set->n_groups ? drive->problem->group_names[set->groups[0]] : NULL;
}

/* No cell of the batch before this one has the node. */
static int32_t first_cell(const ritz_space *space, const ritz_space_batch *batch, int32_t node)
{
    const int32_t use = ritz_first_use(space, node);
    int32_t low = 0, high = batch->n_cells;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (batch->first_node[middle] <= use)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Place and group of a point: the first cell that has it tells. */
static ritz_where find_place(const ritz_drive *drive, const ritz_result_points *points, int32_t point)
{
    const ritz_space *space = points->space;
    const int32_t node = ritz_result_node(points, point);
    ritz_where where = {0};
    memcpy(where.at, space->coordinates + (int64_t)node * space->dim, (size_t)space->dim * sizeof *where.at);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        for (int64_t k = (int64_t)first_cell(space, batch, node) * batch->n_shape;
             k < (int64_t)batch->n_cells * batch->n_shape; k++) {
            const int32_t cell = (int32_t)(k / batch->n_shape);
            if (batch->cell_nodes[k] == node && ritz_result_point(points, b, cell, node) == point) {
                where.group = ritz_group_of_cell(drive, b, cell);
                return where;
            }
        }
    }
    return where;
}

/* Enters a value where it is beyond the one that the field has. */
static void enter_extreme(ritz_largest list[RITZ_MAX_LARGEST], const ritz_largest *one)
{
    for (int k = 0; k < RITZ_MAX_LARGEST; k++) {
        const bool fresh = !list[k].field;
        if (!fresh && (strcmp(list[k].field, one->field) != 0 || list[k].smallest != one->smallest))
            continue;
        if (fresh || (one->smallest ? one->value < list[k].value : one->value > list[k].value))
            list[k] = *one;
        return;
    }
}

typedef struct extreme {
    double most;
    int64_t at;
} extreme;

/* Among the points first .. last - 1; at 0 where all are NAN. */
static extreme find_in_stripe(int64_t first, int64_t last, int components, bool first_alone, int sign,
                              const double *values)
{
    extreme found = {-INFINITY, 0};
    for (int64_t i = first; i < last; i++) {
        const double *v = values + i * components;
        double size = v[0];
        if (components > 1 && !first_alone) {
            size = 0;
            for (int c = 0; c < components; c++)
                size += v[c] * v[c];
        }
        if (sign * size > found.most)
            found = (extreme){sign * size, i};
    }
    return found;
}

/* The point whose value, or length, is the most; of equal ones the first. sign -1: the least. */
static int32_t find_extreme(int64_t n, int components, bool first_alone, int sign, const double *values, double *most)
{
    enum { STRIPES = 64, PARALLEL_FROM = 1 << 15 };
    extreme found = {-INFINITY, 0}, stripes[STRIPES];
#pragma omp parallel for schedule(static) if (n > PARALLEL_FROM)
    for (int k = 0; k < STRIPES; k++)
        stripes[k] = find_in_stripe(n * k / STRIPES, n * (k + 1) / STRIPES, components, first_alone, sign, values);
    for (int k = 0; k < STRIPES; k++)
        if (stripes[k].most > found.most)
            found = stripes[k];
    *most = components > 1 && !first_alone ? sqrt(found.most) : sign * found.most;
    return (int32_t)found.at;
}

void ritz_find_extremes(const ritz_drive *drive, const ritz_result_points *points, const ritz_result_field *field,
                        const double *values, ritz_load_case_result *run)
{
    const int components = ritz_field_components(field);
    for (int smallest = 0; smallest < 2; smallest++) {
        if (!(smallest ? field->smallest : field->largest))
            continue;
        ritz_largest one = {.field = field->name, .words = field->words, .smallest = smallest};
        const int32_t at =
            find_extreme(points->n, components, field->first_alone, smallest ? -1 : 1, values, &one.value);
        one.where = find_place(drive, points, at);
        enter_extreme(run->largest, &one);
    }
}

void ritz_find_range(const ritz_drive *drive, const ritz_result_points *points, const double *solution,
                     ritz_load_case_result *run)
{
    const int32_t n = drive->space->n_nodes;
    run->smallest_where = find_place(drive, points, find_extreme(n, 1, false, -1, solution, &run->smallest_value));
    run->largest_where = find_place(drive, points, find_extreme(n, 1, false, 1, solution, &run->largest_value));
}

/* Comparisons with NAN are false, and fmax passes over it. */
void ritz_gather_extremes(ritz_result *result, const ritz_load_case_result *run)
{
    for (int k = 0; k < RITZ_MAX_LARGEST && run->largest[k].field; k++)
        enter_extreme(result->largest, &run->largest[k]);
    if (!isnan(run->smallest_value) && !(run->smallest_value >= result->smallest_value)) {
        result->smallest_value = run->smallest_value;
        result->smallest_where = run->smallest_where;
    }
    if (!isnan(run->largest_value) && !(run->largest_value <= result->largest_value)) {
        result->largest_value = run->largest_value;
        result->largest_where = run->largest_where;
    }
    result->error_l2 = fmax(result->error_l2, run->error_l2);
    result->error_h1 = fmax(result->error_h1, run->error_h1);
}
