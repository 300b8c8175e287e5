/* Element matrices and vectors, computed on a device and brought to the host. */
#ifndef RITZ_INTEGRATE_H
#define RITZ_INTEGRATE_H

#include "ritz/device.h"
#include "ritz/form.h"
#include "ritz/space.h"

RITZ_BEGIN_DECLS

typedef struct ritz_integrate_options {
    const char *method; /* NULL: "auto" */
    ritz_precision precision;
    int degree; /* of the quadrature, 1 to RITZ_MAX_DEGREE; 0: twice the order */
} ritz_integrate_options;

/* RITZ_ERROR_INPUT: data out of their bounds (ritz/form.h), or results that are not finite.
   All cells of one type, in the order of ritz_mesh_cell_numbers: that of the caller's own arrays where the mesh comes from
   arrays. data[n_data]: one array [n_cells] for each datum of the form, or NULL for the datum's default.
   matrices[n_cells][rows][rows] and vectors[n_cells][rows] (rows = n_shape * n_components, row of shape function i and
   component E: i * n_components + E) are filled; either may be NULL. The shape functions of a cell follow its vertices as
   they were given; ritz_space_cell_nodes tells where they stand in an assembled matrix. */
RITZ_API ritz_status ritz_integrate(ritz_device *device, const ritz_space *space, ritz_cell cell, const ritz_form *form,
                                    const double *const *data, const ritz_integrate_options *options, double *matrices,
                                    double *vectors);

RITZ_END_DECLS

#endif
