/* Result files. */
#ifndef RITZ_OUTPUT_H
#define RITZ_OUTPUT_H

#include "ritz/space.h"

RITZ_BEGIN_DECLS

/* A field at the nodes of a space. */
typedef struct ritz_field {
    const char *name;
    int n_components;     /* 1, 3 (vector; 2D ones padded with 0), 6 (symmetric tensor xx yy zz xy yz xz) */
    const double *values; /* [n_nodes][n_components] at the space's (Lobatto) nodes */
} ritz_field;

/* Writes a VTKHDF unstructured grid with the fields as point data and the cells' group number as cell data: cells of
   order 1 as VTK's linear cells, of higher order as VTK Lagrange cells (geometry and fields are interpolated to VTK's
   equispaced nodes). Written under a temporary name in the same folder and renamed at the end; the same input gives
   the same bytes. */
RITZ_API ritz_status ritz_write_vtkhdf(const char *path, const ritz_space *space, const ritz_field *fields,
                                       int n_fields);

RITZ_END_DECLS

#endif
