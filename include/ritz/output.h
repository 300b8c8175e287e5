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

/* Writes an unstructured grid with the fields as point data and the cells' group number as cell data, in the format
   given by the path's ending: .vtkhdf (or .hdf), VTK's HDF5 format, which ParaView reads from 5.11 on, or .vtu, its XML
   format. Cells of order 1 are VTK's linear cells, those of higher order VTK Lagrange cells (geometry and fields are
   interpolated to VTK's equispaced nodes). The file appears under its name once it is whole; the same input gives the
   same bytes. RITZ_ERROR_INPUT: another ending, an invalid field; RITZ_ERROR_FILE: not writable. */
RITZ_API ritz_status ritz_write_result(const char *path, const ritz_space *space, const ritz_field *fields,
                                       int n_fields);
/* The same in VTK's HDF5 format under any name that does not end like another format. */
RITZ_API ritz_status ritz_write_vtkhdf(const char *path, const ritz_space *space, const ritz_field *fields,
                                       int n_fields);

RITZ_END_DECLS

#endif
