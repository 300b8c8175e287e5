/* Element matrices that stay in the device's memory, for assembly. Depends on the integrate room. */
#ifndef RITZ_SRC_DEVICE_ELEMENTS_H
#define RITZ_SRC_DEVICE_ELEMENTS_H

#include "integrate/input.h"

struct ritz_elements {
    ritz_device *device; /* kept alive by `holder` */
    ritz_buffer *holder; /* of no bytes */
    const ritz_space *space;
    int batch;
    char *method;                   /* NULL: "auto" */
    ritz_integrate_options options; /* its method is the above */
    ritz_cell_order order;
    ritz_integrator *integrator; /* NULL: not filled yet */
    ritz_buffer *matrices, *vectors;
    int n_components;
    double time; /* of the last fill */
    bool filled;
};

#endif
