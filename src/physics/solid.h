/* What solids share: the properties of their materials, and what follows from stresses. */
#ifndef RITZ_SRC_PHYSICS_SOLID_H
#define RITZ_SRC_PHYSICS_SOLID_H

#include "physics/physics.h"

/* Those of the plane; in space all but the thickness. */
enum { RITZ_N_SOLID_IN_SPACE = 5, RITZ_N_SOLID_IN_PLANE = 6 };
extern const ritz_property ritz_solid_properties[RITZ_N_SOLID_IN_PLANE];

/* Hooke's law and the strain from the displacement gradient: xx yy zz xy yz xz; data of the stress: young, poisson. */
ritz_point_function ritz_find_solid_stress, ritz_find_solid_strain;

/* stress.c: from stresses xx yy zz xy yz xz. */
ritz_derive_function ritz_find_von_mises, ritz_find_tresca, ritz_find_principal, ritz_find_safety;
ritz_derive_function ritz_find_direction_1, ritz_find_direction_2, ritz_find_direction_3;

#endif
