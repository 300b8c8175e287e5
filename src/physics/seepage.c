/* Flow of water through soil, by Darcy's law: -div(permeability grad head) = source. The head is that of the water's energy,
   the height to which it rises in a standpipe. */
#include "physics/scalar.h"

#include <math.h>

static ritz_status build_seepage(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    static const char *const along[] = {"permeability_x", "permeability_y", "permeability_z"};
    int k;
    for (int d = 0; d < 3; d++) /* in the plane the last one is not read */
        ritz_form_add_data(form, along[d], d < form->dim ? NAN : 0);
    ritz_form_add_data(form, "source", 0);
    for (int d = 0; d < form->dim; d++) {
        RITZ_TRY(ritz_form_add_coefficient(form, along[d], &k));
        ritz_form_add_term(form, 0, 0, d + 1, d + 1, k);
    }
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "source"));
done:
    return status;
}

/* data: permeability_x, permeability_y, permeability_z. What flows through an area, by that area. */
static void find_velocity(const double *data, double gradient[3][3], double *velocity)
{
    for (int d = 0; d < 3; d++)
        velocity[d] = -data[d] * gradient[0][d];
}

/* What erodes: the head that is lost on a way, by that way. */
static void find_gradient(const double *data, double gradient[3][3], double *lost)
{
    (void)data;
    for (int d = 0; d < 3; d++)
        lost[d] = -gradient[0][d];
}

static const ritz_property properties[] = {
    {.name = "permeability",
     .example = "permeability: 1e-5",
     .bounds = &ritz_positive,
     .vector = true,
     .one_for_all = true,
     .required = true},
    RITZ_SOURCE_PROPERTY,
};

static const ritz_boundary_key boundary[] = {
    {.name = "head", .kind = RITZ_BOUNDARY_VALUE, .example = "head: 12"},
    {.name = "inflow", .kind = RITZ_BOUNDARY_LOAD, .example = "inflow: 1e-7"},
    {.name = "discharge", .kind = RITZ_BOUNDARY_FORCE, .example = "discharge: -2e-3"},
    {.name = "leakage", .kind = RITZ_BOUNDARY_FILM, .example = "leakage: {coefficient: 1e-7, ambient: 12}"},
};

static const ritz_result_field fields[] = {
    {.name = "head"},
    {.name = "velocity",
     .words = "velocity",
     .components = {"x", "y", "z"},
     .at_point = find_velocity,
     .data = {"permeability_x", "permeability_y", "permeability_z"},
     .largest = true},
    {.name = "gradient",
     .words = "hydraulic gradient",
     .components = {"x", "y", "z"},
     .at_point = find_gradient,
     .largest = true},
};

static const ritz_synonym synonyms[] = {
    {"value", "head"},
    {"level", "head"},
    {"h", "head"},
    {"dirichlet", "head"},
    {"flux", "inflow"},
    {"infiltration", "inflow"},
    {"recharge", "inflow"},
    {"neumann", "inflow"},
    {"pumping", "discharge"},
    {"well", "discharge"},
    {"robin", "leakage"},
    {"k", "permeability"},
    {"conductivity", "permeability"},
    {"hydraulic_conductivity", "permeability"},
    {"groundwater", "seepage"},
    {"darcy", "seepage"},
    {"porous", "seepage"},
};

const ritz_physics ritz_seepage = {
    .name = "seepage",
    .symmetric = true,
    .build = build_seepage,
    .materials_example = "permeability: 1e-5",
    .all_loads = "a source, an inflow, a discharge, a leakage or a head other than zero",
    RITZ_TABLE(properties, properties),
    RITZ_TABLE(body_loads, ritz_scalar_body_loads),
    RITZ_TABLE(boundary, boundary),
    RITZ_TABLE(fields, fields),
    RITZ_TABLE(synonyms, synonyms),
};
