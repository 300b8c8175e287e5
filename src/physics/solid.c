/* Solids that are linear, isotropic and hardly strained: elasticity in space, plane stress and plane strain. They differ
   by Lame's first parameter, by the thickness, and by the stress and strain across the plane. Others are in
   anisotropic.c. */
#include "physics/solid.h"
#include "base/point.h"

#include <math.h>
#include <stdio.h>

/* ---- Forms ---- */

/* lambda div u div v + mu (grad u + grad u^T) : grad v, component by component. */
static ritz_status build_isotropic(ritz_form *form, const char *lambda_text, const char *mu_text)
{
    ritz_status status = RITZ_OK;
    int lambda, mu;
    RITZ_TRY(ritz_form_add_coefficient(form, lambda_text, &lambda));
    RITZ_TRY(ritz_form_add_coefficient(form, mu_text, &mu));
    for (int i = 0; i < form->dim; i++)
        for (int j = 0; j < form->dim; j++) {
            ritz_form_add_term(form, i, j, i + 1, j + 1, lambda);
            ritz_form_add_term(form, i, i, j + 1, j + 1, mu);
            ritz_form_add_term(form, i, j, j + 1, i + 1, mu);
        }
done:
    return status;
}

static ritz_status build_elasticity(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    ritz_form_add_data(form, "young", NAN);
    ritz_form_add_data(form, "poisson", NAN);
    ritz_form_add_vector_data(form, "force", 0);
    RITZ_TRY(
        build_isotropic(form, "young * poisson / ((1 + poisson) * (1 - 2 * poisson))", "young / (2 * (1 + poisson))"));
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "force_x"));
    RITZ_TRY(ritz_form_add_load(form, 1, 0, 1, "force_y"));
    RITZ_TRY(ritz_form_add_load(form, 2, 0, 1, "force_z"));
done:
    return status;
}

static ritz_status build_plane(ritz_form *form, const char *lambda_text)
{
    ritz_status status = RITZ_OK;
    ritz_form_add_data(form, "young", NAN);
    ritz_form_add_data(form, "poisson", NAN);
    ritz_form_add_data(form, "thickness", 1);
    ritz_form_add_vector_data(form, "force", 0);
    RITZ_TRY(build_isotropic(form, lambda_text, "thickness * young / (2 * (1 + poisson))"));
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "thickness * force_x"));
    RITZ_TRY(ritz_form_add_load(form, 1, 0, 1, "thickness * force_y"));
done:
    return status;
}

static ritz_status build_plane_stress(ritz_form *form)
{
    return build_plane(form, "thickness * young * poisson / (1 - poisson * poisson)");
}

static ritz_status build_plane_strain(ritz_form *form)
{
    return build_plane(form, "thickness * young * poisson / ((1 + poisson) * (1 - 2 * poisson))");
}

/* ---- Strain and stress that a body has by itself: thermal strain, initial stress ---- */

static const char *const tensor[6] = {RITZ_SOLID_TENSOR};
/* The stress, times the measure where there is one. */
ritz_status ritz_add_stress_loads(ritz_form *form, const char *measure)
{
    ritz_status status = RITZ_OK;
    char text[64];
    for (int i = 0; i < form->dim; i++)
        for (int j = 0; j < form->dim; j++) {
            snprintf(text, sizeof text, "%s%ss_%s", measure ? measure : "", measure ? " * " : "",
                     tensor[ritz_symmetric_place[i][j]]);
            RITZ_TRY(ritz_form_add_load(form, i, j + 1, 1, text));
        }
done:
    return status;
}

void ritz_add_self_strain_data(ritz_form *form, const char *measure)
{
    char name[32];
    if (measure)
        ritz_form_add_data(form, measure, 1);
    ritz_form_add_data(form, "temperature", 0);
    ritz_form_add_data(form, "reference_temperature", 0);
    for (int c = 0; c < 6; c++) {
        snprintf(name, sizeof name, "initial_stress_%s", tensor[c]);
        ritz_form_add_data(form, name, 0);
    }
}

ritz_status ritz_build_self_strain(ritz_form *form, const char *measure, const char *pressure, const char *across)
{
    ritz_status status = RITZ_OK;
    char name[32], text[96];
    int k;
    ritz_form_add_data(form, "young", NAN);
    ritz_form_add_data(form, "poisson", NAN);
    for (int d = 0; d < 3; d++) {
        snprintf(name, sizeof name, "expansion_%c", "xyz"[d]);
        ritz_form_add_data(form, name, 0);
    }
    ritz_add_self_strain_data(form, measure);
    for (int d = 0; d < 3; d++) {
        snprintf(name, sizeof name, "e_%c", "xyz"[d]);
        snprintf(text, sizeof text, "expansion_%c * (temperature - reference_temperature)", "xyz"[d]);
        RITZ_TRY(ritz_form_add_intermediate(form, name, text));
    }
    RITZ_TRY(ritz_form_add_intermediate(form, "pressure", pressure));
    for (int c = 0; c < 6; c++) {
        const bool normal = c < 3, missing = form->dim == 2 && (c > 3 || (c == 2 && across));
        snprintf(name, sizeof name, "s_%s", tensor[c]);
        if (normal)
            snprintf(text, sizeof text, "pressure + young / (1 + poisson) * e_%c - initial_stress_%s", "xyz"[c],
                     tensor[c]);
        else
            snprintf(text, sizeof text, "-initial_stress_%s", tensor[c]);
        RITZ_TRY(ritz_form_add_intermediate(form, name, missing ? "0" : text));
        RITZ_TRY(ritz_form_add_coefficient(form, name, &k));
    }
    RITZ_TRY(ritz_form_add_coefficient(form, "pressure", &k));
    for (int c = 0; c < 6; c++)
        RITZ_TRY(ritz_form_add_coefficient(form, c == 2 && across ? across : "0", &k));
    RITZ_TRY(ritz_add_stress_loads(form, measure));
done:
    return status;
}

static ritz_status build_self_strain_in_space(ritz_form *form)
{
    return ritz_build_self_strain(form, NULL, RITZ_SELF_STRAIN_PRESSURE, NULL);
}

static ritz_status build_self_strain_between_planes(ritz_form *form)
{
    return ritz_build_self_strain(form, "thickness", RITZ_SELF_STRAIN_PRESSURE, NULL);
}

static ritz_status build_self_strain_in_sheets(ritz_form *form)
{
    return ritz_build_self_strain(form, "thickness", "young * poisson / (1 - poisson * poisson) * (e_x + e_y)",
                                  "-e_z - poisson / (1 - poisson) * (e_x + e_y)");
}

/* ---- Mixed elements ---- */

ritz_status ritz_mix_solid(int p, const char *const *value, char **mixed)
{
    if (p == RITZ_SOLID_YOUNG)
        return ritz_format(mixed, "(%s) / (1 + (%s))", value[RITZ_SOLID_YOUNG], value[RITZ_SOLID_POISSON]);
    return p == RITZ_SOLID_POISSON ? ritz_copy_text("0", mixed) : RITZ_OK;
}

/* ---- Stress ---- */

/* data: young, poisson. Hooke's law from the displacement gradient: xx yy zz xy yz xz. */
void ritz_find_solid_stress(const double *data, double g[3][3], double *s)
{
    const double E = data[0], nu = data[1];
    double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    double trace = g[0][0] + g[1][1] + g[2][2];
    for (int k = 0; k < 3; k++)
        s[k] = lambda * trace + 2 * mu * g[k][k];
    s[3] = mu * (g[0][1] + g[1][0]);
    s[4] = mu * (g[1][2] + g[2][1]);
    s[5] = mu * (g[0][2] + g[2][0]);
}

/* The strain across the plane makes its stress vanish. */
static void find_plane_stress(const double *data, double g[3][3], double *s)
{
    const double nu = data[1];
    g[2][2] = -nu / (1 - nu) * (g[0][0] + g[1][1]);
    ritz_find_solid_stress(data, g, s);
    s[2] = 0;
}

/* ---- Strain ---- */

/* xx yy zz xy yz xz, shear as in the tensor: half the angle. */
void ritz_find_solid_strain(const double *data, double g[3][3], double *e)
{
    (void)data;
    for (int k = 0; k < 3; k++)
        e[k] = g[k][k];
    e[3] = (g[0][1] + g[1][0]) / 2;
    e[4] = (g[1][2] + g[2][1]) / 2;
    e[5] = (g[0][2] + g[2][0]) / 2;
}

/* data: poisson. */
static void find_plane_stress_strain(const double *data, double g[3][3], double *e)
{
    const double nu = data[0];
    g[2][2] = -nu / (1 - nu) * (g[0][0] + g[1][1]);
    ritz_find_solid_strain(data, g, e);
}

/* ---- Tables ---- */

static const ritz_data_bounds poisson_bounds = {-1, 0.5, "inside (-1, 0.5)"};

const ritz_property_group ritz_stiffness_group = {"stiffness", "stiffness: {c11: 168e9, c12: 121e9, c13: 121e9, ...}"};

#define STIFFNESS(ab)                                                                                                  \
    {                                                                                                                  \
        .name = "c" #ab, .example = "c" #ab ": 168e9", .group = &ritz_stiffness_group                                  \
    }
const ritz_property ritz_solid_properties[RITZ_N_SOLID_IN_PLANE] = {
    [RITZ_SOLID_YOUNG] = {.name = "young",
                          .example = "young: 210e9",
                          .bounds = &ritz_positive,
                          .components = {"1", "2", "3"},
                          .one_alone = true,
                          .whole = true,
                          .required = true,
                          .instead = &ritz_stiffness_group,
                          .role = RITZ_ROLE_MODULUS},
    {.name = "poisson",
     .example = "poisson: 0.3",
     .bounds = &poisson_bounds,
     .components = {"12", "13", "23"},
     .one_alone = true,
     .whole = true,
     .required = true,
     .instead = &ritz_stiffness_group,
     .role = RITZ_ROLE_CONTRACTION},
    {.name = "shear", .example = "shear: [5e9, 5e9, 3e9]", .components = {"12", "13", "23"}, .whole = true},
    [RITZ_SOLID_STIFFNESS] = STIFFNESS(11),
    STIFFNESS(12),
    STIFFNESS(13),
    STIFFNESS(14),
    STIFFNESS(15),
    STIFFNESS(16),
    STIFFNESS(22),
    STIFFNESS(23),
    STIFFNESS(24),
    STIFFNESS(25),
    STIFFNESS(26),
    STIFFNESS(33),
    STIFFNESS(34),
    STIFFNESS(35),
    STIFFNESS(36),
    STIFFNESS(44),
    STIFFNESS(45),
    STIFFNESS(46),
    STIFFNESS(55),
    STIFFNESS(56),
    STIFFNESS(66),
    [RITZ_SOLID_DENSITY] = {.name = "density",
                            .example = "density: 7850",
                            .bounds = &ritz_positive,
                            .role = RITZ_ROLE_DENSITY},
    {.name = "force", .example = "force: [0, 0, -1e3]", .example_2d = "force: [0, -1e3]", .vector = true, .load = true},
    {.name = "yield", .example = "yield: 250e6", .bounds = &ritz_positive},
    {.name = "expansion",
     .example = "expansion: 12e-6",
     .components = {"x", "y", "z"},
     .one_for_all = true,
     .role = RITZ_ROLE_EXPANSION},
    {.name = "temperature", .example = "temperature: 80", .role = RITZ_ROLE_TEMPERATURE},
    {.name = "reference_temperature", .example = "reference_temperature: 20", .role = RITZ_ROLE_REFERENCE},
    {.name = "initial_stress",
     .example = "initial_stress: {xx: 1e6}",
     .components = {RITZ_SOLID_TENSOR},
     .role = RITZ_ROLE_INITIAL},
    [RITZ_SOLID_THICKNESS] = {.name = "thickness", .example = "thickness: 0.1", .bounds = &ritz_positive},
};

const ritz_body_load ritz_solid_body_loads[4] = {
    {.name = "gravity",
     .example = "gravity: [0, 0, -9.81]",
     .example_2d = "gravity: [0, -9.81]",
     .property = "force",
     .times = "density"},
    {.name = "centrifugal",
     .example = "centrifugal: {axis: [0, 0, 1], rpm: 3000}",
     .property = "force",
     .times = "density",
     .rotation = true},
    RITZ_TEMPERATURE_LOADS,
};

const ritz_boundary_key ritz_solid_boundary[10] = {
    {.name = "displacement",
     .kind = RITZ_BOUNDARY_VALUE,
     .example = "displacement: {x: 0, y: 0, z: 0}",
     .example_2d = "displacement: {x: 0, y: 0}"},
    {.name = "traction",
     .kind = RITZ_BOUNDARY_LOAD,
     .example = "traction: [0, 0, -1e6]",
     .example_2d = "traction: [0, -1e6]"},
    {.name = "pressure", .kind = RITZ_BOUNDARY_PRESSURE, .example = "pressure: 2e5"},
    {.name = "hydrostatic",
     .kind = RITZ_BOUNDARY_PRESSURE,
     .example = "hydrostatic: {level: 2, density: 1000, gravity: [0, 0, -9.81]}",
     .example_2d = "hydrostatic: {level: 2, density: 1000, gravity: [0, -9.81]}",
     .hydrostatic = true},
    {.name = "force",
     .kind = RITZ_BOUNDARY_FORCE,
     .example = "force: [0, 0, -1000]",
     .example_2d = "force: [0, -1000]"},
    {.name = "moment", .kind = RITZ_BOUNDARY_MOMENT, .example = "moment: [0, 0, 50]", .example_2d = "moment: 50"},
    {.name = "at", .kind = RITZ_BOUNDARY_POINT, .example = "at: [0, 0.1, 0]", .example_2d = "at: [0, 0.1]"},
    {.name = "normal", .kind = RITZ_BOUNDARY_NORMAL, .example = "normal: 0"},
    {.name = "spring",
     .kind = RITZ_BOUNDARY_SPRING,
     .example = "spring: [0, 0, 1e6]",
     .example_2d = "spring: [0, 1e6]"},
    {.name = "bedding",
     .kind = RITZ_BOUNDARY_BEDDING,
     .example = "bedding: [0, 0, 5e7]",
     .example_2d = "bedding: [0, 5e7]"},
};

#define LAME "young", "poisson"
static const ritz_result_field fields[] =
    RITZ_SOLID_FIELDS(ritz_find_solid_strain, NULL, ritz_find_solid_stress, LAME, false),
                               plane_stress_fields[] = RITZ_SOLID_FIELDS(find_plane_stress_strain, "poisson",
                                                                         find_plane_stress, LAME, false);

static const ritz_synonym synonyms[] = {
    {"e", "young"},
    {"e_modulus", "young"},
    {"emod", "young"},
    {"modulus", "young"},
    {"elastic_modulus", "young"},
    {"elasticity", "young"},
    {"young_modulus", "young"},
    {"youngs_modulus", "young"},
    {"young's_modulus", "young"},
    {"nu", "poisson"},
    {"pr", "poisson"},
    {"poisson_ratio", "poisson"},
    {"poissons_ratio", "poisson"},
    {"poisson's_ratio", "poisson"},
    {"rotation", "centrifugal"},
    {"spin", "centrifugal"},
    {"omega", "centrifugal"},
    {"water", "hydrostatic"},
    {"fluid", "hydrostatic"},
    {"alpha", "expansion"},
    {"cte", "expansion"},
    {"thermal_expansion", "expansion"},
    {"temp", "temperature"},
    {"dt", "temperature"},
    {"reference", "reference_temperature"},
    {"prestress", "initial_stress"},
    {"yield_stress", "yield"},
    {"yield_strength", "yield"},
    {"re", "yield"},
    {"rp02", "yield"},
    {"sigma_y", "yield"},
    {"rho", "density"},
    {"mass_density", "density"},
    {"t", "thickness"},
    {"h", "thickness"},
    {"f", "force"},
    {"b", "force"},
    {"body_force", "force"},
    {"volume_force", "force"},
    {"fix", "displacement"},
    {"fixed", "displacement"},
    {"clamp", "displacement"},
    {"clamped", "displacement"},
    {"support", "displacement"},
    {"constraint", "displacement"},
    {"disp", "displacement"},
    {"u", "displacement"},
    {"dirichlet", "displacement"},
    {"foundation", "bedding"},
    {"winkler", "bedding"},
    {"stiffness", "spring"},
    {"symmetry", "normal"},
    {"sliding", "normal"},
    {"slide", "normal"},
    {"frictionless", "normal"},
    {"roller", "normal"},
    {"neumann", "traction"},
    {"point_force", "force"},
    {"nodal_force", "force"},
    {"remote_force", "force"},
    {"total_force", "force"},
    {"cload", "force"},
    {"torque", "moment"},
    {"couple", "moment"},
    {"surface_force", "traction"},
    {"stress", "traction"},
    {"load", "traction"},
    {"p", "pressure"},
    {"g", "gravity"},
    {"acceleration", "gravity"},
    {"solid", "elasticity"},
    {"structural", "elasticity"},
    {"mechanics", "elasticity"},
    {"mechanical", "elasticity"},
    {"linear_elasticity", "elasticity"},
};

#define SOLID                                                                                                          \
    RITZ_SOLID, RITZ_TABLE(body_loads, ritz_solid_body_loads), RITZ_TABLE(boundary, ritz_solid_boundary),              \
        .is_general = ritz_is_anisotropic, .check_material = ritz_check_solid_material
#define IN_PLANE                                                                                                       \
    SOLID, .dim = 2, .n_properties = RITZ_N_SOLID_IN_PLANE, .thickness = "thickness",                                  \
           .otherwise = "use elasticity for a 3D mesh"

const ritz_physics ritz_elasticity = {
    SOLID,
    .name = "elasticity",
    .general = &ritz_anisotropic_elasticity,
    .dim = 3,
    .otherwise = "use plane-stress or plane-strain for a 2D mesh",
    .build = build_elasticity,
    .self_strain = build_self_strain_in_space,
    .n_properties = RITZ_N_SOLID_IN_SPACE,
    .warnings = RITZ_LOCKS_IN_BENDING | RITZ_LOCKS_IN_VOLUME,
    RITZ_TABLE(fields, fields),
    RITZ_TABLE(synonyms, synonyms),
};

/* No locking in volume: the thickness gives way. */
const ritz_physics ritz_plane_stress = {
    IN_PLANE,
    .name = "plane-stress",
    .plane_stress = true,
    .no_mixed = "nothing locks in volume in plane-stress, whose thickness gives way; remove 'formulation'",
    .general = &ritz_anisotropic_plane_stress,
    .build = build_plane_stress,
    .self_strain = build_self_strain_in_sheets,
    .warnings = RITZ_LOCKS_IN_BENDING,
    RITZ_TABLE(fields, plane_stress_fields),
};

const ritz_physics ritz_plane_strain = {
    IN_PLANE,
    .name = "plane-strain",
    .general = &ritz_anisotropic_plane_strain,
    .build = build_plane_strain,
    .self_strain = build_self_strain_between_planes,
    .warnings = RITZ_LOCKS_IN_BENDING | RITZ_LOCKS_IN_VOLUME,
    RITZ_TABLE(fields, fields),
};
