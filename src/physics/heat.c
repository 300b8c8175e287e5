/* Heat conduction in steady state: -div(conductivity grad T) = source. */
#include "physics/scalar.h"

/* data: conductivity. Fourier's law. */
static void find_heat_flux(const double *data, double gradient[3][3], double *flux)
{
    for (int d = 0; d < 3; d++)
        flux[d] = -data[0] * gradient[0][d];
}

static const ritz_property properties[] = {
    {.name = "conductivity", .example = "conductivity: 45", .bounds = &ritz_positive, .required = true},
    RITZ_SOURCE_PROPERTY,
};

static const ritz_boundary_key boundary[] = {
    {.name = "temperature", .kind = RITZ_BOUNDARY_VALUE, .example = "temperature: 20"},
    {.name = "flux", .kind = RITZ_BOUNDARY_LOAD, .example = "flux: 100"},
    {.name = "power", .kind = RITZ_BOUNDARY_FORCE, .example = "power: 100"},
    {.name = "film", .kind = RITZ_BOUNDARY_FILM, .example = "film: {coefficient: 10, ambient: 20}"},
};

static const ritz_result_field fields[] = {
    {.name = "temperature"},
    {.name = "heat_flux",
     .words = "heat flux",
     .components = {"x", "y", "z"},
     .at_point = find_heat_flux,
     .data = {"conductivity"},
     .largest = true},
};

static const ritz_synonym synonyms[] = {
    {"value", "temperature"}, {"temp", "temperature"}, {"t", "temperature"},         {"u", "temperature"},
    {"fixed", "temperature"}, {"heat_flux", "flux"},   {"dirichlet", "temperature"}, {"convection", "film"},
    {"robin", "film"},        {"heat", "source"},      {"heat_conduction", "heat"},  {"heat_transfer", "heat"},
    {"thermal", "heat"},      {"conduction", "heat"},
};

const ritz_physics ritz_heat = {
    .name = "heat",
    .symmetric = true,
    .build = ritz_build_poisson,
    .materials_example = "conductivity: 45",
    .all_loads = "a source, a flux, a film or a temperature other than zero",
    RITZ_TABLE(properties, properties),
    RITZ_TABLE(body_loads, ritz_scalar_body_loads),
    RITZ_TABLE(boundary, boundary),
    RITZ_TABLE(fields, fields),
    RITZ_TABLE(synonyms, synonyms),
};
