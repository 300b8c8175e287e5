/* The mass matrix: density u = source, in the L2 sense. */
#include "physics/scalar.h"

static ritz_status build_mass(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k;
    ritz_form_add_data(form, "density", 1);
    ritz_form_add_data(form, "source", 0);
    RITZ_TRY(ritz_form_add_coefficient(form, "density", &k));
    ritz_form_add_term(form, 0, 0, 0, 0, k);
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "source"));
done:
    return status;
}

static const ritz_property properties[] = {
    {.name = "density", .example = "density: 7850", .bounds = &ritz_positive},
    RITZ_SOURCE_PROPERTY,
};

const ritz_physics ritz_mass = {
    .name = "mass",
    .symmetric = true,
    .build = build_mass,
    RITZ_SCALAR_TABLES,
    RITZ_TABLE(properties, properties),
};
