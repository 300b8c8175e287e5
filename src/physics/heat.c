/* Heat conduction in steady state: -div(conductivity grad T) = source. */
#include "physics/scalar.h"

#include <stdio.h>

/* data: conductivity. Fourier's law. */
static void find_heat_flux(const double *data, double gradient[3][3], double *flux)
{
    for (int d = 0; d < 3; d++)
        flux[d] = -data[0] * gradient[0][d];
}

/* A step of Newton's method: the same matrix, and a load less what the old solution conducts. */
static ritz_status build_newton(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_build_poisson(form));
    for (int d = 1; d <= form->dim; d++) {
        char text[64];
        snprintf(text, sizeof text, "conductivity * %s", form->variables.names[4 + d]);
        RITZ_TRY(ritz_form_add_load(form, 0, d, -1, text));
    }
done:
    return status;
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
    {.name = "radiation",
     .kind = RITZ_BOUNDARY_RADIATION,
     .example = "radiation: {emissivity: 0.8, ambient: 20, absolute_zero: -273.15, stefan_boltzmann: 5.670374e-8}"},
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
    {"thermal", "heat"},      {"conduction", "heat"},  {"radiate", "radiation"},
};

const ritz_physics ritz_heat = {
    .name = "heat",
    .symmetric = true,
    .build = ritz_build_poisson,
    .newton = build_newton,
    .materials_example = "conductivity: 45",
    .all_loads = "a source, a flux, a film, radiation or a temperature other than zero",
    RITZ_TABLE(properties, properties),
    RITZ_TABLE(body_loads, ritz_scalar_body_loads),
    RITZ_TABLE(boundary, boundary),
    RITZ_TABLE(fields, fields),
    RITZ_TABLE(synonyms, synonyms),
};
