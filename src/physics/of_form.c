/* The physics of a form that is no entry of the list, but comes from a file: how problems call its unknown, and what may
   stand on the boundary. */
#include "physics/physics.h"
#include "physics/solid.h"

#include <string.h>

static const ritz_boundary_key scalar[] = {
    {.name = "value", .kind = RITZ_BOUNDARY_VALUE, .example = "value: 0"},
    {.name = "flux", .kind = RITZ_BOUNDARY_LOAD, .example = "flux: 100"},
};
static const ritz_boundary_key components[] = {
    {.name = "value", .kind = RITZ_BOUNDARY_VALUE, .example = "value: {u0: 0}"},
    {.name = "flux", .kind = RITZ_BOUNDARY_LOAD, .example = "flux: {u0: 100}"},
};
static const ritz_boundary_key vector[] = {
    {.name = "value", .kind = RITZ_BOUNDARY_VALUE, .example = "value: {x: 0}"},
    {.name = "flux", .kind = RITZ_BOUNDARY_LOAD, .example = "flux: {x: 100}"},
    {.name = "pressure", .kind = RITZ_BOUNDARY_PRESSURE, .example = "pressure: 2e5"},
    {.name = "normal", .kind = RITZ_BOUNDARY_NORMAL, .example = "normal: 0"},
};

/* A scalar, a vector with a component for each axis, else a scalar for each component. */
static void describe_fields(ritz_physics *physics, ritz_result_field *fields)
{
    physics->fields = fields;
    physics->n_fields = physics->vector ? 1 : physics->n_components;
    fields[0] = (ritz_result_field){.name = "u", .words = "u"};
    if (physics->vector)
        fields[0] = (ritz_result_field){.name = "u", .words = "u", .components = {"x", "y", "z"}, .largest = true};
    for (int c = 0; c < physics->n_fields && physics->n_fields > 1; c++) {
        const char *name = ritz_physics_component_names(physics)[c];
        fields[c] = (ritz_result_field){.name = name, .words = name, .largest = true, .first = c};
    }
}

ritz_physics ritz_physics_of_form(const ritz_form *form, const char *name, ritz_result_field *fields)
{
    ritz_physics physics = {.name = name,
                            .dim = form->dim,
                            .vector = form->n_components > 1 && form->n_components == form->dim,
                            .n_components = form->n_components,
                            .otherwise = "compile the form for cells of that dimension",
                            .all_loads = "a load of the form or a value other than zero",
                            .unsymmetric = "its terms",
                            RITZ_TABLE(boundary, scalar)};
    if (form->n_components > 1)
        physics.boundary = components;
    if (physics.vector) {
        physics.boundary = vector;
        physics.n_boundary = sizeof vector / sizeof *vector;
    }
    describe_fields(&physics, fields);
    return physics;
}

/* A body of a vector physics has a mass. */
ritz_role ritz_physics_role_of_datum(const ritz_physics *physics, const char *datum)
{
    const ritz_property *density = &ritz_solid_properties[RITZ_SOLID_DENSITY];
    return physics->vector && strcmp(datum, density->name) == 0 ? density->role : RITZ_ROLE_NONE;
}
