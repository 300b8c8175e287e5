/* Convection and diffusion, -div(diffusion grad u) + velocity . grad u + reaction u = source, and the general scalar
   form that it is a case of: all c[iD][jD] and f[iD], 20 numbers in 3D. */
#include "physics/scalar.h"

#include <math.h>
#include <stdio.h>

static ritz_status build_convection_diffusion(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    char name[24];
    const int n = form->dim + 1;
    for (int i = 0; i < n * n; i++) {
        snprintf(name, sizeof name, "c%d%d", i / n, i % n);
        ritz_form_add_data(form, name, 0);
    }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        ritz_form_add_data(form, name, 0);
    }
    for (int i = 0; i < n * n; i++) {
        int k;
        snprintf(name, sizeof name, "c%d%d", i / n, i % n);
        RITZ_TRY(ritz_form_add_coefficient(form, name, &k));
        ritz_form_add_term(form, 0, 0, i / n, i % n, k);
    }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        RITZ_TRY(ritz_form_add_load(form, 0, i, 1, name));
    }
done:
    return status;
}

#define C(i, j)                                                                                                        \
    {                                                                                                                  \
        .name = "c" #i #j, .example = "c" #i #j ": 1", .least_dim = (i) == 3 || (j) == 3 ? 3 : 0                       \
    }
#define F(i)                                                                                                           \
    {                                                                                                                  \
        .name = "f" #i, .example = "f" #i ": 1", .load = true, .least_dim = (i) == 3 ? 3 : 0                           \
    }

enum { DIFFUSION = 1, VELOCITY, C00 = 4 };
static const ritz_property properties[] = {
    RITZ_SOURCE_PROPERTY,
    [DIFFUSION] = {.name = "diffusion",
                   .example = "diffusion: 0.01",
                   .bounds = &ritz_positive,
                   .role = RITZ_ROLE_DIFFUSION},
    [VELOCITY] = {.name = "velocity",
                  .example = "velocity: [1, 0, 0]",
                  .example_2d = "velocity: [1, 0]",
                  .vector = true},
    {.name = "reaction", .example = "reaction: 1"},
    [C00] = C(0, 0),
    C(0, 1),
    C(0, 2),
    C(0, 3),
    C(1, 0),
    C(1, 1),
    C(1, 2),
    C(1, 3),
    C(2, 0),
    C(2, 1),
    C(2, 2),
    C(2, 3),
    C(3, 0),
    C(3, 1),
    C(3, 2),
    C(3, 3),
    F(0),
    F(1),
    F(2),
    F(3),
};

/* The terms of the general form are part of both. */
static double find_convection(const ritz_point_material *m, int dim, double velocity[3])
{
    const double(*c)[RITZ_MAX_COMPONENTS] = m->value + C00;
    double square = 0, diffusion = m->value[DIFFUSION][0];
    for (int i = 0; i < dim; i++) {
        velocity[i] = m->value[VELOCITY][i] + c[i + 1][0] - c[4 * (i + 1)][0];
        square += velocity[i] * velocity[i];
    }
    for (int i = 0; i < dim && square > 0; i++)
        for (int j = 0; j < dim; j++)
            diffusion += velocity[i] * velocity[j] / square * c[4 * (i + 1) + j + 1][0];
    return diffusion;
}

/* The velocity stands beside the trial function's derivatives. */
static const ritz_component_datum component_data[] = {
    {"c00", "reaction", 0}, {"c11", "diffusion", 0}, {"c22", "diffusion", 0}, {"c33", "diffusion", 0},
    {"c01", "velocity", 0}, {"c02", "velocity", 1},  {"c03", "velocity", 2},  {"f0", "source", 0},
};

static const ritz_synonym synonyms[] = {
    {"k", "diffusion"},
    {"kappa", "diffusion"},
    {"lambda", "diffusion"},
    {"alpha", "diffusion"},
    {"d", "diffusion"},
    {"diffusivity", "diffusion"},
    {"conductivity", "diffusion"},
    {"v", "velocity"},
    {"u", "velocity"},
    {"wind", "velocity"},
    {"convection", "velocity"},
    {"advection", "velocity"},
    {"r", "reaction"},
    {"sigma", "reaction"},
    {"convection", "convection-diffusion"},
    {"advection_diffusion", "convection-diffusion"},
};

const ritz_physics ritz_convection_diffusion = {
    .name = "convection-diffusion",
    .build = build_convection_diffusion,
    .materials_example = "diffusion: 0.01, velocity: [1, 0]",
    .unsymmetric = "a velocity, or c01 beside c10",
    .convection = find_convection,
    RITZ_SCALAR_TABLES,
    RITZ_TABLE(properties, properties),
    RITZ_TABLE(component_data, component_data),
    RITZ_TABLE(synonyms, synonyms),
};
