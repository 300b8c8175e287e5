/* Poisson's equation, -div(conductivity grad u) = source, and what scalar physics share. */
#include "physics/scalar.h"

const ritz_body_load ritz_scalar_body_loads[1] = {{.name = "source", .example = "source: 1", .property = "source"}};

const ritz_boundary_key ritz_scalar_boundary[2] = {
    {.name = "value", .kind = RITZ_BOUNDARY_VALUE, .example = "value: 0"},
    {.name = "flux", .kind = RITZ_BOUNDARY_LOAD, .example = "flux: 100"},
};

const ritz_result_field ritz_scalar_fields[1] = {{.name = "u"}};

ritz_status ritz_build_poisson(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k;
    ritz_form_add_data(form, "conductivity", 1);
    ritz_form_add_data(form, "source", 0);
    RITZ_TRY(ritz_form_add_coefficient(form, "conductivity", &k));
    for (int d = 1; d <= form->dim; d++)
        ritz_form_add_term(form, 0, 0, d, d, k);
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "source"));
done:
    return status;
}

static const ritz_property properties[] = {
    {.name = "conductivity", .example = "conductivity: 45", .bounds = &ritz_positive},
    RITZ_SOURCE_PROPERTY,
};

static const ritz_synonym synonyms[] = {
    {"k", "conductivity"},
    {"kappa", "conductivity"},
    {"lambda", "conductivity"},
    {"diffusion", "conductivity"},
    {"heat", "source"},
    {"thermal_conductivity", "conductivity"},
    {"heat_source", "source"},
    {"rhs", "source"},
    {"f", "source"},
    {"q", "source"},
    {"dirichlet", "value"},
    {"temperature", "value"},
    {"temp", "value"},
    {"t", "value"},
    {"u", "value"},
    {"fixed", "value"},
    {"neumann", "flux"},
    {"heat_flux", "flux"},
    {"q", "flux"},

    {"laplace", "poisson"},
    {"diffusion", "poisson"},
};

const ritz_physics ritz_poisson = {
    .name = "poisson",
    .symmetric = true,
    .build = ritz_build_poisson,
    RITZ_SCALAR_TABLES,
    RITZ_TABLE(properties, properties),
    RITZ_TABLE(synonyms, synonyms),
};
