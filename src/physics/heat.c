/* Heat conduction in steady state: -div(conductivity grad T) = source; the conductivity is a number, or in the general case a
   tensor that follows from three values and the axes of the material. */
#include "base/point.h"
#include "physics/scalar.h"

#include <math.h>
#include <stdio.h>

/* data: conductivity. Fourier's law. */
static void find_heat_flux(const double *data, double gradient[3][3], double *flux)
{
    for (int d = 0; d < 3; d++)
        flux[d] = -data[0] * gradient[0][d];
}

/* For a step of Newton's method: a load less what the old solution conducts along axis i by its gradient along axis j. */
static ritz_status subtract_flow(ritz_form *form, int i, int j, const char *conductivity)
{
    char text[64];
    snprintf(text, sizeof text, "%s * %s", conductivity, form->variables.names[5 + j]);
    return ritz_form_add_load(form, 0, i + 1, -1, text);
}

static ritz_status build_newton(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_build_poisson(form));
    for (int d = 0; d < form->dim; d++)
        RITZ_TRY(subtract_flow(form, d, d, "conductivity"));
done:
    return status;
}

/* ---- Bodies of revolution ---- */

/* All integrals are over the whole ring. */
static ritz_status build_ring(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k;
    ritz_form_add_data(form, "conductivity", NAN);
    ritz_form_add_data(form, "circumference", NAN);
    ritz_form_add_data(form, "source", 0);
    RITZ_TRY(ritz_form_add_coefficient(form, "circumference * conductivity", &k));
    for (int d = 1; d <= 2; d++)
        ritz_form_add_term(form, 0, 0, d, d, k);
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "circumference * source"));
done:
    return status;
}

static ritz_status build_ring_newton(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(build_ring(form));
    for (int d = 0; d < 2; d++)
        RITZ_TRY(subtract_flow(form, d, d, "circumference * conductivity"));
done:
    return status;
}

/* ---- Materials with directions ---- */

static const char *const tensor_names[] = {"conductivity_xx", "conductivity_yy", "conductivity_zz",
                                           "conductivity_xy", "conductivity_yz", "conductivity_xz"};
enum { N_TENSOR = sizeof tensor_names / sizeof *tensor_names };

/* k_ij = sum_a axis_a,i k_a axis_a,j */
static ritz_status derive_tensor(const ritz_point_material *material, double *values)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < N_TENSOR; k++)
        values[k] = 0;
    for (int a = 0; a < 3; a++) {
        const double along = material->value[0][material->n[0] == 3 ? a : 0];
        RITZ_REQUIRE(ritz_data_within(&ritz_positive, along), RITZ_ERROR_INPUT, "'conductivity' must be %s; got %g",
                     ritz_positive.words, along);
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                values[ritz_symmetric_place[i][j]] += material->axes[a][i] * along * material->axes[a][j];
    }
done:
    return status;
}
static const ritz_derivation derivation = {.names = tensor_names, .n = N_TENSOR, .derive = derive_tensor};

static ritz_status build_tensor(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k[N_TENSOR] = {0};
    for (int n = 0; n < N_TENSOR; n++) /* in the plane, those across it are not read */
        ritz_form_add_data(form, tensor_names[n], NAN);
    ritz_form_add_data(form, "source", 0);
    for (int i = 0; i < form->dim; i++)
        for (int j = 0; j < form->dim; j++) {
            const int place = ritz_symmetric_place[i][j];
            if (i <= j)
                RITZ_TRY(ritz_form_add_coefficient(form, tensor_names[place], &k[place]));
            ritz_form_add_term(form, 0, 0, i + 1, j + 1, k[place]);
        }
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "source"));
done:
    return status;
}

static ritz_status build_tensor_newton(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(build_tensor(form));
    for (int i = 0; i < form->dim; i++)
        for (int j = 0; j < form->dim; j++)
            RITZ_TRY(subtract_flow(form, i, j, tensor_names[ritz_symmetric_place[i][j]]));
done:
    return status;
}

/* data: the six values of the tensor. */
static void find_tensor_flux(const double *data, double gradient[3][3], double *flux)
{
    for (int i = 0; i < 3; i++) {
        flux[i] = 0;
        for (int j = 0; j < 3; j++)
            flux[i] -= data[ritz_symmetric_place[i][j]] * gradient[0][j];
    }
}

static bool is_directed(const int *n, bool turned)
{
    (void)turned;
    return n[0] == 3;
}

/* ---- Tables ---- */

#define CONDUCTIVITY                                                                                                   \
    .name = "conductivity", .example = "conductivity: 45", .bounds = &ritz_positive, .required = true,                 \
    .of_unknown = true
static const ritz_property properties[] = {
    {CONDUCTIVITY, .components = {"1", "2", "3"}, .one_alone = true, .whole = true},
    RITZ_SOURCE_PROPERTY,
};
static const ritz_property ring_properties[] = {{CONDUCTIVITY}, RITZ_SOURCE_PROPERTY};

static const ritz_boundary_key boundary[] = {
    {.name = "temperature", .kind = RITZ_BOUNDARY_VALUE, .example = "temperature: 20"},
    {.name = "flux", .kind = RITZ_BOUNDARY_LOAD, .example = "flux: 100"},
    {.name = "power", .kind = RITZ_BOUNDARY_FORCE, .example = "power: 100"},
    {.name = "film", .kind = RITZ_BOUNDARY_FILM, .example = "film: {coefficient: 10, ambient: 20}"},
    {.name = "radiation",
     .kind = RITZ_BOUNDARY_RADIATION,
     .example = "radiation: {emissivity: 0.8, ambient: 20, absolute_zero: -273.15, stefan_boltzmann: 5.670374e-8}"},
};

#define FIELDS(find, ...)                                                                                              \
    {                                                                                                                  \
        {.name = "temperature"},                                                                                       \
        {                                                                                                              \
            .name = "heat_flux", .words = "heat flux", .components = {"x", "y", "z"}, .at_point = (find),              \
            .data = {__VA_ARGS__}, .largest = true                                                                     \
        }                                                                                                              \
    }
static const ritz_result_field fields[] = FIELDS(find_heat_flux, "conductivity"),
                               tensor_fields[] =
                                   FIELDS(find_tensor_flux, "conductivity_xx", "conductivity_yy", "conductivity_zz",
                                          "conductivity_xy", "conductivity_yz", "conductivity_xz");

static const ritz_synonym synonyms[] = {
    {"axisymmetric_heat", "axisymmetric-heat"},
    {"value", "temperature"},
    {"temp", "temperature"},
    {"t", "temperature"},
    {"u", "temperature"},
    {"fixed", "temperature"},
    {"heat_flux", "flux"},
    {"dirichlet", "temperature"},
    {"convection", "film"},
    {"robin", "film"},
    {"heat", "source"},
    {"heat_conduction", "heat"},
    {"heat_transfer", "heat"},
    {"thermal", "heat"},
    {"conduction", "heat"},
    {"radiate", "radiation"},
};

#define HEAT                                                                                                           \
    .symmetric = true, .materials_example = "conductivity: 45",                                                        \
    .all_loads = "a source, a flux, a film, radiation or a temperature other than zero",                               \
    RITZ_TABLE(body_loads, ritz_scalar_body_loads), RITZ_TABLE(boundary, boundary), RITZ_TABLE(synonyms, synonyms)

const ritz_physics ritz_heat = {
    HEAT,
    .name = "heat",
    .general = &ritz_anisotropic_heat,
    .is_general = is_directed,
    .build = ritz_build_poisson,
    .newton = build_newton,
    RITZ_TABLE(properties, properties),
    RITZ_TABLE(fields, fields),
};

const ritz_physics ritz_anisotropic_heat = {
    HEAT,
    .name = "anisotropic-heat",
    .special = &ritz_heat,
    .form_alone = true,
    .derivation = &derivation,
    .build = build_tensor,
    .newton = build_tensor_newton,
    RITZ_TABLE(properties, properties),
    RITZ_TABLE(fields, tensor_fields),
};

const ritz_physics ritz_axisymmetric_heat = {
    HEAT,
    .name = "axisymmetric-heat",
    .dim = 2,
    .axisymmetric = true,
    .otherwise = "use heat for a 3D mesh",
    .thickness = "circumference",
    .build = build_ring,
    .newton = build_ring_newton,
    RITZ_TABLE(properties, ring_properties),
    RITZ_TABLE(fields, fields),
};
