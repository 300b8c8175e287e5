/* What physics with one unknown a node share: the source, value and flux on the boundary. */
#ifndef RITZ_SRC_PHYSICS_SCALAR_H
#define RITZ_SRC_PHYSICS_SCALAR_H

#include "physics/physics.h"

#define RITZ_SOURCE_PROPERTY                                                                                           \
    {                                                                                                                  \
        .name = "source", .example = "source: 1", .load = true                                                         \
    }

/* The form of Poisson's equation; data: conductivity [1], source [0]. */
ritz_form_builder ritz_build_poisson;
extern const ritz_body_load ritz_scalar_body_loads[1];
extern const ritz_boundary_key ritz_scalar_boundary[2];
extern const ritz_result_field ritz_scalar_fields[1];
extern const ritz_physics ritz_heat, ritz_anisotropic_heat;
/* Entries of ritz_physics. */
#define RITZ_SCALAR_TABLES                                                                                             \
    .all_loads = "a source, a flux or a value other than zero", RITZ_TABLE(body_loads, ritz_scalar_body_loads),        \
    RITZ_TABLE(boundary, ritz_scalar_boundary), RITZ_TABLE(fields, ritz_scalar_fields)

#endif
