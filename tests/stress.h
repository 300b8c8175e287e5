/* Stresses as the tables of a physics describe them, for the tests of recovery. */
#ifndef RITZ_TESTS_STRESS_H
#define RITZ_TESTS_STRESS_H

#include "output/output.h"

#include <stddef.h>
#include <string.h>

static inline const ritz_result_field *field_of(const char *physics, const char *name)
{
    const ritz_physics *p = ritz_physics_named(physics);
    for (int f = 0; f < p->n_fields; f++)
        if (strcmp(p->fields[f].name, name) == 0)
            return &p->fields[f];
    return NULL;
}

/* young, poisson: [n_batches] */
static inline ritz_status recover_stress(const ritz_space *space, const char *physics, const ritz_datum *young,
                                         const ritz_datum *poisson, int degree, const double *u, double *stress)
{
    const ritz_datum *const data[RITZ_MAX_POINT_DATA] = {young, poisson};
    const ritz_result_points points = ritz_result_points_of(space);
    return ritz_recover(&points, field_of(physics, "stress"), data, degree, u, NULL, false, stress);
}

#endif
