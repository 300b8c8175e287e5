/* Which material each cell has, and the check of properties wherever they are evaluated. */
#include "integrate/element.h"
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names of the groups of a set, for messages. */
static void describe_set(const ritz_mesh *mesh, int32_t set, char *text, size_t bytes)
{
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < mesh->sets[set].n_groups && n < bytes; i++)
        n += (size_t)snprintf(text + n, bytes - n, "%s'%s'", i ? ", " : "",
                              mesh->groups[mesh->sets[set].groups[i]].name);
}

bool ritz_names_set(const ritz_mesh *mesh, const ritz_names *names, int32_t set)
{
    for (int i = 0; i < names->n; i++)
        for (int k = 0; k < mesh->sets[set].n_groups; k++) {
            const ritz_group *group = &mesh->groups[mesh->sets[set].groups[k]];
            if (group->dim == mesh->dim && strcmp(group->name, names->name[i]) == 0)
                return true;
        }
    return false;
}

/* The material of a group set: the one that names it, else the one without a group, else -1. */
static ritz_status find_material(const ritz_problem *problem, const ritz_mesh *mesh, int32_t set, int32_t *material)
{
    ritz_status status = RITZ_OK;
    int32_t found = -1, alone = -1;
    char groups[256];
    for (int m = 0; m < problem->n_materials; m++) {
        const ritz_material *candidate = &problem->materials[m];
        if (!candidate->groups.n)
            alone = m;
        else if (ritz_names_set(mesh, &candidate->groups, set)) {
            describe_set(mesh, set, groups, sizeof groups);
            RITZ_REQUIRE_AT(found < 0, &candidate->place,
                            "cells of %s get two materials, this one and that on line %d; name each cell group once",
                            groups, problem->materials[found].place.line);
            found = m;
        }
    }
    *material = found >= 0 ? found : alone;
done:
    return status;
}

static ritz_status missing_material(const ritz_problem *problem, const ritz_mesh *mesh, int32_t set)
{
    int64_t n = 0;
    char groups[256];
    for (int b = 0; b < mesh->n_blocks; b++)
        for (int32_t e = 0; e < mesh->blocks[b].n_cells; e++)
            n += mesh->blocks[b].set[e] == set;
    describe_set(mesh, set, groups, sizeof groups);
    const ritz_place place = {.file = problem->file};
    if (!groups[0])
        return ritz_fail_at(RITZ_ERROR_INPUT, &place,
                            "%lld cells are in no physical group and have no material; add a material without 'group', "
                            "which serves all other cells",
                            (long long)n);
    return ritz_fail_at(RITZ_ERROR_INPUT, &place, "no material for the %lld cells of group %s; add one with  group: %s",
                        (long long)n, groups, mesh->groups[mesh->sets[set].groups[0]].name);
}

ritz_status ritz_assign_materials(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = drive->mesh;
    int32_t *of_set = NULL;
    RITZ_NEW(of_set, mesh->n_sets);
    for (int32_t s = 0; s < mesh->n_sets; s++)
        of_set[s] = -2; /* not looked up yet: a set that only faces stand in needs no material */
    RITZ_NEW(drive->material, mesh->n_blocks);
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        RITZ_NEW(drive->material[b], block->n_cells);
        for (int32_t e = 0; e < block->n_cells; e++) {
            const int32_t set = block->set[e];
            if (of_set[set] == -2)
                RITZ_TRY(find_material(drive->problem, mesh, set, &of_set[set]));
            if (of_set[set] < 0) {
                status = missing_material(drive->problem, mesh, set);
                goto done;
            }
            drive->material[b][e] = of_set[set];
        }
    }
done:
    ritz_free(of_set);
    return status;
}

/* What a quantity may be, for the check where it is evaluated. */
typedef struct limits {
    const char *name;
    const ritz_data_bounds *bounds;
} limits;

/* The first point of a cell's rule at which the quantity is out of its limits, with its place and the value; -1 if
   none. */
static int bad_point(const ritz_drive *drive, int b, const ritz_tables *tables, const ritz_quantity *q, limits is,
                     int32_t e, double x[4], double *value)
{
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    const int32_t *nodes = block->nodes + (int64_t)e * block->n_nodes;
    *value = 0;
    for (int p = 0; p < tables->n_points; p++) {
        ritz_point_place(tables, drive->mesh, nodes, p, x);
        x[3] = ritz_temperature_at(drive, b, e, p);
        *value = ritz_expression_value(q->expression, x);
        if (!ritz_data_within(is.bounds, *value))
            return p;
    }
    return -1;
}

/* The lowest cell of material m with a bad point is named, whatever thread finds one first. */
static ritz_status check_in_block(const ritz_drive *drive, const ritz_quantity *q, limits is, int32_t m, int b,
                                  const ritz_tables *tables)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    int32_t bad = INT32_MAX;
    double x[4], value;
#pragma omp parallel for schedule(static) reduction(min : bad) private(x, value)
    for (int32_t e = 0; e < block->n_cells; e++)
        if (drive->material[b][e] == m && bad > e && bad_point(drive, b, tables, q, is, e, x, &value) >= 0)
            bad = e;
    if (bad < INT32_MAX) {
        bad_point(drive, b, tables, q, is, bad, x, &value);
        status = ritz_fail_at(RITZ_ERROR_INPUT, &q->place, "'%s' must be %s; it is %g in element %lld at (%g, %g, %g)",
                              is.name, is.bounds->words, value, (long long)block->number[bad], x[0], x[1], x[2]);
        goto done;
    }
    RITZ_TRY(ritz_check_interrupt());
done:
    return status;
}

ritz_status ritz_point_tables_create(const ritz_drive *drive, int b, ritz_tables **tables)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &drive->mesh->blocks[b];
    ritz_basis *basis = NULL;
    RITZ_TRY(ritz_basis_create(block->cell, 1, RITZ_NODES_LOBATTO, &basis));
    const ritz_space_batch batch = {.cell = block->cell, .basis = basis, .n_shape = basis->n_shape, .block = block};
    RITZ_TRY(ritz_tables_create_quadrature(
        &batch, ritz_quadrature_degree(drive->problem->degree, drive->problem->order), tables));
done:
    ritz_basis_destroy(&basis);
    return status;
}

/* Evaluates a quantity in the cells of material m, where the integrals do. */
static ritz_status check_quantity(const ritz_drive *drive, const ritz_quantity *q, limits is, int32_t m)
{
    ritz_status status = RITZ_OK;
    ritz_tables *tables = NULL;
    for (int b = 0; q->expression && !q->constant && b < drive->mesh->n_blocks; b++) {
        RITZ_TRY(ritz_point_tables_create(drive, b, &tables));
        RITZ_TRY(check_in_block(drive, q, is, m, b, tables));
        ritz_tables_destroy(&tables);
    }
done:
    ritz_tables_destroy(&tables);
    return status;
}

static ritz_status check_components(const ritz_drive *drive, const ritz_vector *vector, limits is, int32_t m)
{
    ritz_status status = RITZ_OK;
    for (int c = 0; c < RITZ_MAX_COMPONENTS; c++)
        RITZ_TRY(check_quantity(drive, &vector->component[c], is, m));
done:
    return status;
}

/* Those of a material that depend on the unknown, or all others. */
static ritz_status check_material(const ritz_drive *drive, int32_t m, bool of_unknown)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const ritz_material *material = &drive->problem->materials[m];
    for (int p = 0; p < physics->n_properties; p++) {
        const ritz_property *property = &physics->properties[p];
        const ritz_vector *given = &material->property[p];
        /* Of a material with directions they are checked where they are put together. */
        const bool bounded = given->n == 1 || property->vector;
        const limits is = {property->name, bounded ? ritz_property_bounds(property) : &ritz_finite};
        if ((property->of_unknown && given->component[0].reads_temperature) == of_unknown)
            RITZ_TRY(check_components(drive, given, is, m));
    }
done:
    return status;
}

ritz_status ritz_check_at_solution(ritz_drive *drive, const double *solution)
{
    ritz_status status = RITZ_OK;
    if (!ritz_reads_unknown(drive->problem))
        return RITZ_OK;
    RITZ_TRY(ritz_take_temperature(drive, solution));
    for (int32_t m = 0; m < drive->problem->n_materials; m++)
        RITZ_TRY(check_material(drive, m, true));
done:
    ritz_free_temperature(drive);
    return status;
}

ritz_status ritz_check_properties(const ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    const ritz_physics *physics = problem->physics;
    for (int32_t m = 0; m < problem->n_materials; m++) {
        const ritz_material *material = &problem->materials[m];
        RITZ_TRY(check_material(drive, m, false));
        for (int k = 0; k < physics->n_body_loads; k++) {
            const ritz_body_load *load = &physics->body_loads[k];
            if (load->times || !material->property[ritz_find_property(physics, load->property)].n)
                RITZ_TRY(check_components(drive, &problem->loads.body[k], (limits){load->name, &ritz_finite}, m));
        }
    }
done:
    return status;
}
