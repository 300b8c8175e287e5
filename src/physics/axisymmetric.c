/* Solids of revolution about the y axis, under loads that do not depend on the angle: x is the radius, y the axis. All
   integrals are over the whole ring, so each has the circumference 2 pi x in it. The hoop strain is u_x / x. */
#include "physics/solid.h"

#include <math.h>

/* With r the circumference: r (lambda tr e(u) tr e(v) + 2 mu e(u) : e(v)), e = (xx, yy, u_x / x, xy). */
static ritz_status build_axisymmetric(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    static const char *const factors[5] = {
        "circumference * young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson))",
        "circumference * young * poisson / ((1 + poisson) * (1 - 2 * poisson))",
        "circumference * young / (2 * (1 + poisson))",
        "circumference * young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)) / (x * x)",
        "circumference * young * poisson / ((1 + poisson) * (1 - 2 * poisson)) / x",
    };
    enum { NORMAL, ACROSS, SHEAR, HOOP, HOOP_ACROSS };
    static const struct {
        int iE, jE, iD, jD, factor;
    } terms[] = {
        {0, 0, 1, 1, NORMAL},      {1, 1, 2, 2, NORMAL},      {0, 0, 2, 2, SHEAR},       {1, 1, 1, 1, SHEAR},
        {0, 1, 1, 2, ACROSS},      {1, 0, 2, 1, ACROSS},      {0, 1, 2, 1, SHEAR},       {1, 0, 1, 2, SHEAR},
        {0, 0, 0, 0, HOOP},        {0, 0, 0, 1, HOOP_ACROSS}, {0, 0, 1, 0, HOOP_ACROSS}, {0, 1, 0, 2, HOOP_ACROSS},
        {1, 0, 2, 0, HOOP_ACROSS},
    };
    int coefficient[5];
    ritz_form_add_data(form, "young", NAN);
    ritz_form_add_data(form, "poisson", NAN);
    ritz_form_add_data(form, "circumference", NAN);
    ritz_form_add_vector_data(form, "force", 0);
    for (int k = 0; k < 5; k++)
        RITZ_TRY(ritz_form_add_coefficient(form, factors[k], &coefficient[k]));
    for (size_t t = 0; t < sizeof terms / sizeof *terms; t++)
        ritz_form_add_term(form, terms[t].iE, terms[t].jE, terms[t].iD, terms[t].jD, coefficient[terms[t].factor]);
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "circumference * force_x"));
    RITZ_TRY(ritz_form_add_load(form, 1, 0, 1, "circumference * force_y"));
done:
    return status;
}

/* The hoop stress acts on u_x / x. */
static ritz_status build_self_strain(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_build_self_strain(form, "circumference", RITZ_SELF_STRAIN_PRESSURE, NULL));
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "circumference * s_zz / x"));
done:
    return status;
}

const ritz_body_load ritz_ring_body_loads[4] = {
    {.name = "gravity", .example = "gravity: [0, -9.81]", .property = "force", .times = "density"},
    {.name = "centrifugal",
     .example = "centrifugal: {axis: [0, 1], rpm: 3000}",
     .property = "force",
     .times = "density",
     .rotation = true},
    RITZ_TEMPERATURE_LOADS,
};

/* A force, a spring in total is that of the whole ring. */
const ritz_boundary_key ritz_ring_boundary[8] = {
    {.name = "displacement", .kind = RITZ_BOUNDARY_VALUE, .example = "displacement: {x: 0, y: 0}"},
    {.name = "traction", .kind = RITZ_BOUNDARY_LOAD, .example = "traction: [0, -1e6]"},
    {.name = "pressure", .kind = RITZ_BOUNDARY_PRESSURE, .example = "pressure: 2e5"},
    {.name = "hydrostatic",
     .kind = RITZ_BOUNDARY_PRESSURE,
     .example = "hydrostatic: {level: 2, density: 1000, gravity: [0, -9.81]}",
     .hydrostatic = true},
    {.name = "force", .kind = RITZ_BOUNDARY_FORCE, .example = "force: [0, -1000]"},
    {.name = "normal", .kind = RITZ_BOUNDARY_NORMAL, .example = "normal: 0"},
    {.name = "spring", .kind = RITZ_BOUNDARY_SPRING, .example = "spring: [0, 1e6]"},
    {.name = "bedding", .kind = RITZ_BOUNDARY_BEDDING, .example = "bedding: [0, 5e7]"},
};

#define LAME "young", "poisson"
static const ritz_result_field fields[] =
    RITZ_SOLID_FIELDS(ritz_find_solid_strain, NULL, ritz_find_solid_stress, LAME, true);

static const ritz_synonym synonyms[] = {
    {"e", "young"},
    {"nu", "poisson"},
    {"rho", "density"},
    {"axisymmetry", "axisymmetric"},
    {"axisymmetric_elasticity", "axisymmetric"},
    {"revolution", "axisymmetric"},
};

const ritz_physics ritz_axisymmetric = {
    RITZ_SOLID,
    .name = "axisymmetric",
    .general = &ritz_anisotropic_axisymmetric,
    .is_general = ritz_is_anisotropic,
    .check_material = ritz_check_solid_material,
    .dim = 2,
    .axisymmetric = true,
    .no_incompatible = RITZ_NO_MODES_IN_RINGS,
    .otherwise = "use elasticity for a 3D mesh",
    .build = build_axisymmetric,
    .self_strain = build_self_strain,
    .thickness = "circumference",
    .n_properties = RITZ_N_SOLID_IN_SPACE,
    .warnings = RITZ_LOCKS_IN_VOLUME,
    RITZ_TABLE(body_loads, ritz_ring_body_loads),
    RITZ_TABLE(boundary, ritz_ring_boundary),
    RITZ_TABLE(fields, fields),
    RITZ_TABLE(synonyms, synonyms),
};
