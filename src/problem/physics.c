/* The tables of physics and of material properties. A new form with new data is entered here and in datum.c. */
#include "problem/problem.h"

#include <string.h>

static const ritz_physics table[] = {
    {"elasticity", RITZ_ELASTICITY, 3, RITZ_STRESS_3D, "take plane-stress or plane-strain for a 2D mesh"},
    {"plane-stress", RITZ_PLANE_STRESS_BIT, 2, RITZ_PLANE_STRESS, "take elasticity for a 3D mesh"},
    {"plane-strain", RITZ_PLANE_STRAIN_BIT, 2, RITZ_PLANE_STRAIN, "take elasticity for a 3D mesh"},
    {"poisson", RITZ_POISSON, 0, RITZ_STRESS_3D, ""},
    {"convection-diffusion", RITZ_CONVECTION_DIFFUSION, 0, RITZ_STRESS_3D, ""},
    {"mass", RITZ_MASS, 0, RITZ_STRESS_3D, ""},
};

ritz_status ritz_physics_find(const char *name, const ritz_physics **physics)
{
    enum { N = sizeof table / sizeof *table };
    const char *names[N];
    for (int i = 0; i < N; i++) {
        names[i] = table[i].name;
        if (strcmp(name, table[i].name) == 0) {
            *physics = &table[i];
            return RITZ_OK;
        }
    }
    const char *near = ritz_meant(name, names, N);
    return ritz_fail(RITZ_ERROR_INPUT,
                     "unknown physics '%.60s'%s%s%s; there are elasticity, plane-stress, plane-strain, poisson, "
                     "convection-diffusion, mass",
                     name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

#define SCALAR_PHYSICS (RITZ_POISSON | RITZ_CONVECTION_DIFFUSION | RITZ_MASS)
#define RAW(name)                                                                                                      \
    {                                                                                                                  \
        name, RITZ_CONVECTION_DIFFUSION, 1, 0, name ": 1"                                                              \
    }

const ritz_property ritz_properties[RITZ_N_PROPERTIES] = {
    [RITZ_YOUNG] = {"young", RITZ_MECHANICS, 1, RITZ_MECHANICS, "young: 210e9"},
    [RITZ_POISSON_RATIO] = {"poisson", RITZ_MECHANICS, 1, RITZ_MECHANICS, "poisson: 0.3"},
    [RITZ_DENSITY] = {"density", RITZ_MECHANICS | RITZ_MASS, 1, 0, "density: 7850"},
    [RITZ_THICKNESS] = {"thickness", RITZ_PLANE, 1, 0, "thickness: 0.1"},
    [RITZ_FORCE] = {"force", RITZ_MECHANICS, 3, 0, "force: [0, 0, -1e3]"},
    [RITZ_CONDUCTIVITY] = {"conductivity", RITZ_POISSON, 1, 0, "conductivity: 45"},
    [RITZ_SOURCE] = {"source", SCALAR_PHYSICS, 1, 0, "source: 1"},
    [RITZ_DIFFUSION] = {"diffusion", RITZ_CONVECTION_DIFFUSION, 1, 0, "diffusion: 0.01"},
    [RITZ_VELOCITY] = {"velocity", RITZ_CONVECTION_DIFFUSION, 3, 0, "velocity: [1, 0, 0]"},
    [RITZ_REACTION] = {"reaction", RITZ_CONVECTION_DIFFUSION, 1, 0, "reaction: 1"},
    [RITZ_C00] = RAW("c00"),
    RAW("c01"),
    RAW("c02"),
    RAW("c03"),
    RAW("c10"),
    RAW("c11"),
    RAW("c12"),
    RAW("c13"),
    RAW("c20"),
    RAW("c21"),
    RAW("c22"),
    RAW("c23"),
    RAW("c30"),
    RAW("c31"),
    RAW("c32"),
    RAW("c33"),
    [RITZ_F0] = RAW("f0"),
    RAW("f1"),
    RAW("f2"),
    RAW("f3"),
};
