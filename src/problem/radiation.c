/* Radiation of surfaces to their surroundings, and films beside it: what flows in at the old solution, and its derivative,
   which goes into the matrix of a step of Newton's method. */
#include "problem/drive.h"

#include <math.h>
#include <stdio.h>

bool ritz_problem_radiates(const ritz_problem *problem)
{
    const ritz_boundary_key *key = ritz_find_boundary(problem->physics, RITZ_BOUNDARY_RADIATION);
    for (int i = 0; key && i < problem->loads.n_boundary; i++)
        if (problem->loads.boundary[i].term[key - problem->physics->boundary].n)
            return true;
    return false;
}

/* Components of the term of a film, and of radiation. */
enum { COEFFICIENT, EMISSIVITY = COEFFICIENT, AMBIENT, ABSOLUTE_ZERO, STEFAN_BOLTZMANN };

/* The flow into the body, and minus its derivative. Below the absolute zero, where an iteration may come, it goes on as an
   odd function. */
static ritz_status write_flow(const ritz_vector *term, bool film, char **load, char **slope)
{
    ritz_status status = RITZ_OK;
    const char *text[4] = {NULL};
    for (int c = 0; c < term->n; c++)
        text[c] = ritz_expression_text(term->component[c].expression);
    if (film) {
        RITZ_TRY(ritz_format(load, "(%s) * ((%s) - u)", text[COEFFICIENT], text[AMBIENT]));
        RITZ_TRY(ritz_copy_text(text[COEFFICIENT], slope));
        return RITZ_OK;
    }
    const char *e = text[EMISSIVITY], *a = text[AMBIENT], *z = text[ABSOLUTE_ZERO], *s = text[STEFAN_BOLTZMANN];
    RITZ_TRY(ritz_format(load, "(%s) * (%s) * (pow((%s) - (%s), 4) - pow(fabs(u - (%s)), 3) * (u - (%s)))", e, s, a, z,
                         z, z));
    RITZ_TRY(ritz_format(slope, "4 * (%s) * (%s) * pow(fabs(u - (%s)), 3)", e, s, z));
done:
    return status;
}

static ritz_status check_term(const ritz_drive *drive, const char *group, const ritz_vector *term, bool film)
{
    ritz_status status = RITZ_OK;
    const ritz_quantity *q = term->component;
    const ritz_data_bounds warm = {film ? -INFINITY : q[ABSOLUTE_ZERO].value, INFINITY, "above the absolute zero"};
    RITZ_TRY(ritz_check_surface_quantity(drive, group, film ? "coefficient" : "emissivity", &q[COEFFICIENT],
                                         film ? &ritz_positive : &ritz_emissivity));
    RITZ_TRY(ritz_check_surface_quantity(drive, group, "ambient", &q[AMBIENT], film ? &ritz_finite : &warm));
done:
    return status;
}

/* On the entry's group g; values[2]: the load's and the film's. */
static ritz_status list_term(ritz_drive *drive, const ritz_names *groups, int g, const ritz_vector *term, bool film,
                             const ritz_expression **values)
{
    ritz_status status = RITZ_OK;
    char *load = NULL, *slope = NULL;
    ritz_facet_load *one = &drive->form_loads[drive->n_form_loads], *other = &drive->films[drive->n_films];
    const char *group = groups->name[g];
    RITZ_TRY(check_term(drive, group, term, film));
    RITZ_TRY(write_flow(term, film, &load, &slope));
    RITZ_TRY(ritz_take_surface_expression(drive, load, &values[0]));
    RITZ_TRY(ritz_take_surface_expression(drive, slope, &values[1]));
    *one = (ritz_facet_load){.before = (const char *const *)groups->name,
                             .n_before = g,
                             .value = &values[0],
                             .data = &drive->facet_data,
                             .scale = drive->film_scale,
                             .degree = drive->problem->degree};
    RITZ_TRY(ritz_mesh_find_group(drive->mesh, group, drive->mesh->dim - 1, &one->group));
    *other = *one;
    other->value = &values[1];
    drive->n_form_loads++;
    drive->n_films++;
done:
    ritz_free(load);
    ritz_free(slope);
    return status;
}

ritz_status ritz_list_radiation(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_physics *physics = drive->problem->physics;
    const ritz_loads *loads = &drive->problem->loads;
    int n = 0;
    if (!ritz_physics_is_nonlinear(drive->problem))
        return RITZ_OK;
    for (int i = 0; i < loads->n_boundary; i++)
        n += loads->boundary[i].groups.n * physics->n_boundary;
    drive->facet_data = (ritz_facet_data){.form = drive->form, .data = (const ritz_datum *const *)drive->data};
    RITZ_NEW(drive->films, n);
    RITZ_NEW(drive->form_loads, n);
    RITZ_NEW(drive->form_values, 2 * n);
    for (int i = 0; i < loads->n_boundary; i++)
        for (int k = 0; k < physics->n_boundary; k++) {
            const ritz_boundary *entry = &loads->boundary[i];
            const bool film = physics->boundary[k].kind == RITZ_BOUNDARY_FILM;
            if (!entry->term[k].n || (!film && physics->boundary[k].kind != RITZ_BOUNDARY_RADIATION))
                continue;
            for (int g = 0; g < entry->groups.n; g++)
                RITZ_TRY(list_term(drive, &entry->groups, g, &entry->term[k], film,
                                   &drive->form_values[2 * drive->n_films]));
        }
done:
    return status;
}

void ritz_warn_of_cold(const ritz_drive *drive, const ritz_load_case_result *run)
{
    const ritz_loads *loads = &drive->problem->loads;
    const ritz_boundary_key *key = ritz_find_boundary(drive->problem->physics, RITZ_BOUNDARY_RADIATION);
    for (int i = 0; key && i < loads->n_boundary; i++) {
        const ritz_vector *term = &loads->boundary[i].term[key - drive->problem->physics->boundary];
        if (!term->n || run->smallest_value >= term->component[ABSOLUTE_ZERO].value)
            continue;
        ritz_stage_line(drive->problem,
                        "warning    %s%sthe solution falls to %g, below the 'absolute_zero' of %g on line %d; give all "
                        "temperatures in degrees Celsius with  absolute_zero: -273.15,  or in kelvin with 0",
                        run->name ? run->name : "", run->name ? ": " : "", run->smallest_value,
                        term->component[ABSOLUTE_ZERO].value, loads->boundary[i].place.line);
        return;
    }
}

/* From well above the solution Newton's method comes down to it steadily; from far below its first change is too large. */
ritz_status ritz_choose_radiation_start(ritz_problem *problem)
{
    static const double warm = 1000;
    const ritz_physics *physics = problem->physics;
    const ptrdiff_t k = ritz_find_boundary(physics, RITZ_BOUNDARY_RADIATION) - physics->boundary;
    const ritz_boundary *entry = problem->loads.boundary;
    ritz_vector *start = &problem->newton.start;
    char text[40];
    while (!entry->term[k].n)
        entry++;
    snprintf(text, sizeof text, "%.17g", entry->term[k].component[ABSOLUTE_ZERO].value + warm);
    start->n = 1;
    return ritz_quantity_create(text, entry->place, &start->component[0]);
}
