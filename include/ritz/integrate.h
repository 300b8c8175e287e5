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
} ritz_integrate_options;

/* All cells of one type. data[n_data]: one array [n_cells] for each datum of the form, in the mesh's cell order, or
   NULL for the datum's default. matrices[n_cells][rows][rows] and vectors[n_cells][rows] (rows = n_shape *
   n_components, row of shape function i and component E: i * n_components + E) are filled; either may be NULL. */
RITZ_API ritz_status ritz_integrate(ritz_device *device, const ritz_space *space, ritz_cell cell, const ritz_form *form,
                                    const double *const *data, const ritz_integrate_options *options, double *matrices,
                                    double *vectors);

RITZ_END_DECLS

#endif
