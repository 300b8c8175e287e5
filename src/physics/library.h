/* Materials by name, internal side. */
#ifndef RITZ_SRC_LIBRARY_H
#define RITZ_SRC_LIBRARY_H

#include "ritz/physics.h"

#include <stdbool.h>

/* Systems of units: m, kg, s, N, Pa and mm, t, s, N, MPa. */
typedef enum ritz_units { RITZ_UNITS_M, RITZ_UNITS_MM } ritz_units;
/* A property by its name, false where it is not known. */
bool ritz_known_property(const ritz_known_material *material, const char *property, ritz_units units, double *value);

#endif
