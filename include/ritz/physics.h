/* Materials: elastic constants of those that differ by direction, and the properties of some by name. */
#ifndef RITZ_PHYSICS_H
#define RITZ_PHYSICS_H

#include "ritz/base.h"

RITZ_BEGIN_DECLS

/* The 21 elastic constants of an orthotropic material along x y z, as the forms anisotropic-... take them: the upper
   triangle row by row, c11 c12 .. c16 c22 .. c66, in Voigt's order 11 22 33 23 13 12 with shear as the whole angle.
   young: E1 E2 E3; poisson: nu12 nu13 nu23, nu12 the contraction along 2 under tension along 1; shear: G12 G13 G23.
   axes[3][3]: directions 1, 2 and 3 along x y z, of length 1 and at right angles; NULL: x, y, z.
   RITZ_ERROR_INPUT: no material has such values, and why. */
RITZ_API ritz_status ritz_elastic_constants(const double young[3], const double poisson[3], const double shear[3],
                                            const double *axes, double constants[21]);
/* The same of constants along the axes that are given, which are replaced. */
RITZ_API ritz_status ritz_turn_elastic_constants(const double *axes, double constants[21]);

/* Properties in SI units (m, kg, s, N, Pa, W, K) at room temperature; 0 where none is known. */
typedef struct ritz_known_material {
    const char *name;   /* as problem files call it: "steel" */
    const char *words;  /* what it is */
    const char *source; /* of the values */
    double young, poisson, density, expansion, conductivity, yield;
} ritz_known_material;
/* Material i from 0; NULL past the last. It is the library's. */
RITZ_API const ritz_known_material *ritz_known_material_at(int i);

RITZ_END_DECLS

#endif
