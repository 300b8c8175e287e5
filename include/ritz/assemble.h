/* From a space and a form to a sparse system on the device. */
#ifndef RITZ_ASSEMBLE_H
#define RITZ_ASSEMBLE_H

#include "ritz/form.h"
#include "ritz/matrix.h"
#include "ritz/space.h"

RITZ_BEGIN_DECLS

/* How element matrices are added: each row gathers its own (the default), or elements of one colour, which share no
   node, are scattered side by side. Both give the same bits from run to run; they round differently from each other. */
typedef enum ritz_assemble_scheme { RITZ_ASSEMBLE_GATHER = 0, RITZ_ASSEMBLE_COLOURS } ritz_assemble_scheme;

typedef struct ritz_assemble_options {
    const char *method;       /* of integration; NULL: "auto" */
    ritz_precision precision; /* of the matrix */
    ritz_assemble_scheme scheme;
    int64_t chunk_bytes; /* of device memory for element matrices; 0: the device's choice */
    int degree;          /* of the quadrature, 1 to RITZ_MAX_DEGREE; 0: twice the order */
} ritz_assemble_options;

/* Assembles the matrix and the right-hand side on the device. data[n_data]: one number for each datum of the form;
   NULL: their defaults. rhs [n_dofs] is filled on the host; may be NULL. Rows are the space's degrees of freedom. */
RITZ_API ritz_status ritz_assemble(ritz_device *device, const ritz_space *space, const ritz_form *form,
                                   const double *data, const ritz_assemble_options *options, ritz_matrix **matrix,
                                   double *rhs);

RITZ_END_DECLS

#endif
