/* What solids share: the properties of their materials. */
#ifndef RITZ_SRC_PHYSICS_SOLID_H
#define RITZ_SRC_PHYSICS_SOLID_H

#include "physics/physics.h"

/* Those of the plane; in space all but the thickness. */
extern const ritz_property ritz_solid_properties[5];

#endif
