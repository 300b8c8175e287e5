/* Assemble room, internal side. Depends on integrate and matrix. */
#ifndef RITZ_SRC_ASSEMBLE_H
#define RITZ_SRC_ASSEMBLE_H

#include "integrate/integrate.h"
#include "matrix/matrix.h"
#include "ritz/assemble.h"

/* A x = b on the device. */
typedef struct ritz_system {
    ritz_matrix *matrix;
    ritz_buffer *rhs; /* real [n_dofs] */
    double seconds_pattern, seconds_integrate, seconds_assemble;
} ritz_system;

/* What to assemble. All borrowed. */
typedef struct ritz_assembly {
    const ritz_space *space;
    const ritz_form *form;
    const ritz_datum *const *data; /* [n_batches][form->n_data] */
    const double *old;             /* [n_dofs] old solution or NULL */
    double time;
    const double *load;                  /* [n_dofs] further right-hand side (surface terms), or NULL */
    const ritz_constraints *constraints; /* or NULL */
} ritz_assembly;

/* Integrates batch by batch and chunk by chunk and adds into SBELL; element matrices stay on the device. Prescribed
   values are eliminated symmetrically: their columns go to the right-hand side, their rows and columns become those
   of the identity times the old diagonal. Each entry sums its contributions in a fixed order: same bits from run to
   run. */
ritz_status ritz_assemble_system(ritz_device *device, const ritz_assembly *assembly,
                                 const ritz_assemble_options *options, ritz_system **system);
void ritz_system_destroy(ritz_system **system);

#endif
