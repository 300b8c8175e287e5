/* Springs and elastic bedding: terms of the matrix on faces, per area, or in total and spread over the area or over the
   nodes of a group that has none. */
#include "problem/drive.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A film on each group of the entry for one component, whose expression the drive has. */
static ritz_status add_films(ritz_drive *drive, const ritz_boundary *entry, int component,
                             const ritz_expression *const *value)
{
    ritz_status status = RITZ_OK;
    RITZ_RESIZE(drive->films, drive->n_films + entry->groups.n);
    for (int g = 0; g < entry->groups.n; g++) {
        ritz_facet_load *film = &drive->films[drive->n_films];
        *film = (ritz_facet_load){.before = (const char *const *)entry->groups.name,
                                  .n_before = g,
                                  .value = value,
                                  .axes = 1u << component,
                                  .scale = drive->film_scale,
                                  .degree = drive->problem->degree};
        RITZ_TRY(ritz_mesh_find_group(drive->mesh, entry->groups.name[g], drive->mesh->dim - 1, &film->group));
        drive->n_films++;
    }
done:
    return status;
}

/* As many numbers as it takes, each the stiffness of the whole through the area. */
static ritz_status spread_over_area(ritz_drive *drive, const ritz_boundary *entry, const ritz_vector *total)
{
    ritz_status status = RITZ_OK;
    char *text = NULL;
    double area;
    RITZ_TRY(ritz_measure_area(drive, entry, "spring", &area));
    for (int c = 0; c < total->n; c++) {
        if (!total->component[c].expression)
            continue;
        ritz_quantity *own = &drive->bedding[drive->n_bedding];
        RITZ_TRY(ritz_format(&text, "%.17g", total->component[c].value / area));
        RITZ_TRY(ritz_quantity_create(text, entry->place, own));
        drive->n_bedding++;
        RITZ_TRY(add_films(drive, entry, c, (const ritz_expression *const *)&own->expression));
        ritz_free(text);
        text = NULL;
    }
done:
    ritz_free(text);
    return status;
}

static ritz_status spread_over_nodes(ritz_drive *drive, const ritz_boundary *entry, const ritz_vector *total)
{
    ritz_status status = RITZ_OK;
    int32_t *nodes = NULL, n;
    RITZ_TRY(ritz_list_nodes(drive, &entry->groups, &nodes, &n));
    RITZ_REQUIRE_AT(n > 0, &entry->place, "no node of the mesh lies in the group '%s'", entry->groups.name[0]);
    RITZ_RESIZE(drive->springs, drive->n_springs + (int64_t)n * total->n);
    for (int32_t i = 0; i < n; i++)
        for (int c = 0; c < total->n; c++)
            if (total->component[c].expression)
                drive->springs[drive->n_springs++] = (ritz_spring){nodes[i], c, total->component[c].value / n};
done:
    ritz_free(nodes);
    return status;
}

static const ritz_data_bounds not_negative = {-DBL_TRUE_MIN, INFINITY, "0 or greater"};

/* Where they are integrated. */
static ritz_status check_bedding(const ritz_drive *drive, const ritz_boundary *entry, int key)
{
    ritz_status status = RITZ_OK;
    const ritz_vector *term = &entry->term[key];
    for (int c = 0; c < term->n; c++)
        for (int g = 0; g < entry->groups.n && term->component[c].expression; g++)
            RITZ_TRY(ritz_check_surface_quantity(drive, entry->groups.name[g],
                                                 drive->problem->physics->boundary[key].name, &term->component[c],
                                                 &not_negative));
done:
    return status;
}

static ritz_status add_entry(ritz_drive *drive, const ritz_boundary *entry)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    for (int k = 0; k < physics->n_boundary; k++) {
        const ritz_vector *term = &entry->term[k];
        if (!term->n)
            continue;
        if (physics->boundary[k].kind == RITZ_BOUNDARY_SPRING)
            RITZ_TRY(ritz_have_facets(drive->mesh, &entry->groups) ? spread_over_area(drive, entry, term)
                                                                   : spread_over_nodes(drive, entry, term));
        if (physics->boundary[k].kind != RITZ_BOUNDARY_BEDDING)
            continue;
        RITZ_TRY(check_bedding(drive, entry, k));
        for (int c = 0; c < term->n; c++)
            if (term->component[c].expression)
                RITZ_TRY(add_films(drive, entry, c, (const ritz_expression *const *)&term->component[c].expression));
    }
done:
    return status;
}

ritz_status ritz_list_springs(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const ritz_loads *loads = &drive->problem->loads;
    if (!ritz_find_boundary(physics, RITZ_BOUNDARY_SPRING))
        return RITZ_OK;
    RITZ_NEW(drive->bedding, (int64_t)loads->n_boundary * RITZ_MAX_COMPONENTS);
    RITZ_NEW(drive->first_spring, loads->n_boundary + 1);
    RITZ_NEW(drive->first_bedding, loads->n_boundary + 1);
    for (int i = 0; i < loads->n_boundary; i++) {
        drive->first_spring[i] = drive->n_springs;
        drive->first_bedding[i] = drive->n_films;
        RITZ_TRY(add_entry(drive, &loads->boundary[i]));
    }
    drive->first_spring[loads->n_boundary] = drive->n_springs;
    drive->first_bedding[loads->n_boundary] = drive->n_films;
done:
    return status;
}

ritz_status ritz_add_spring_forces(const ritz_drive *drive, int entry, const double *u, double *force)
{
    ritz_status status = RITZ_OK;
    for (int64_t k = drive->first_spring[entry]; k < drive->first_spring[entry + 1]; k++) {
        const ritz_spring *spring = &drive->springs[k];
        const int64_t dof = (int64_t)spring->node * drive->space->n_components + spring->component;
        force[dof] -= spring->stiffness * u[dof];
    }
    for (int k = drive->first_bedding[entry]; k < drive->first_bedding[entry + 1]; k++)
        RITZ_TRY(ritz_subtract_facet_action(drive->space, &drive->films[k], u, force));
done:
    return status;
}

void ritz_free_springs(ritz_drive *drive)
{
    for (int k = 0; k < drive->n_bedding; k++)
        ritz_quantity_free(&drive->bedding[k]);
    ritz_free(drive->bedding);
    ritz_free(drive->springs);
    ritz_free(drive->first_spring);
    ritz_free(drive->first_bedding);
}
