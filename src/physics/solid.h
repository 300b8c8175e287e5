/* What solids share: the properties of their materials, and what follows from stresses. */
#ifndef RITZ_SRC_PHYSICS_SOLID_H
#define RITZ_SRC_PHYSICS_SOLID_H

#include "physics/physics.h"

/* Those of the plane; in space all but the thickness. */
enum { RITZ_N_SOLID_IN_SPACE = 9, RITZ_N_SOLID_IN_PLANE = 10 };
extern const ritz_property ritz_solid_properties[RITZ_N_SOLID_IN_PLANE];

/* Hooke's law and the strain from the displacement gradient: xx yy zz xy yz xz; data of the stress: young, poisson. */
ritz_point_function ritz_find_solid_stress, ritz_find_solid_strain;

/* The form of what a solid strains by itself (thermal strain, initial stress). measure: the datum that all integrals are
   multiplied by, NULL: none; pressure: Lame's first parameter times the trace of the strain e_x, e_y, e_z; across: what
   the strain across the plane is less by, NULL: that strain is prescribed. */
ritz_status ritz_build_self_strain(ritz_form *form, const char *measure, const char *pressure, const char *across);
#define RITZ_SELF_STRAIN_PRESSURE "young * poisson / ((1 + poisson) * (1 - 2 * poisson)) * (e_x + e_y + e_z)"
/* The first coefficients of the form, as a field's `offset`: what Hooke's law of the whole strain gives too much, and what
   strains that follow from those in the plane lack. */
enum { RITZ_STRESS_OFFSET = 1, RITZ_STRAIN_OFFSET = 7 };
#define RITZ_SOLID_TENSOR "xx", "yy", "zz", "xy", "yz", "xz"
/* Loads on the whole body. */
#define RITZ_TEMPERATURE_LOADS                                                                                         \
    {.name = "temperature", .example = "temperature: 80", .property = "temperature"},                                  \
    {                                                                                                                  \
        .name = "reference_temperature", .example = "reference_temperature: 20", .property = "reference_temperature",  \
        .no_load = true                                                                                                \
    }

/* stress.c: from stresses xx yy zz xy yz xz. */
ritz_derive_function ritz_find_von_mises, ritz_find_tresca, ritz_find_principal, ritz_find_safety;
ritz_derive_function ritz_find_direction_1, ritz_find_direction_2, ritz_find_direction_3;

#endif
