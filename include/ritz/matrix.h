/* Sparse matrices on the device. Every format is one structure with parameters:
   block size b, slice height S and a window within which rows are sorted by length.
   CSR = (b 1, S 1), BCSR = (b, 1), SELL = (1, S), SBELL = (b, S). */
#ifndef RITZ_MATRIX_H
#define RITZ_MATRIX_H

#include "ritz/device.h"

typedef struct ritz_matrix ritz_matrix;

typedef struct ritz_matrix_options {
    int slice_height;    /* S, block rows a slice; 0: the device's choice */
    int64_t sort_window; /* block rows sorted by length among each other; 0: the default, 1: none */
    ritz_precision precision;
} ritz_matrix_options;

/* From block compressed rows that the caller keeps: row_start[n_rows + 1], columns[row_start[n_rows]] increasing in a
   row, values[nonzero blocks][b][b] in row order, or NULL for zeros. Square, n_rows block rows. */
RITZ_API ritz_status ritz_matrix_create(ritz_device *device, const ritz_matrix_options *options, int block,
                                        int64_t n_rows, const int64_t *row_start, const int32_t *columns,
                                        const double *values, ritz_matrix **matrix);
RITZ_API void ritz_matrix_destroy(ritz_matrix **matrix);
RITZ_API int64_t ritz_matrix_n_rows(const ritz_matrix *matrix);   /* scalar rows */
RITZ_API int64_t ritz_matrix_nonzeros(const ritz_matrix *matrix); /* scalar entries, without padding */
RITZ_API int64_t ritz_matrix_bytes(const ritz_matrix *matrix);    /* on the device */
/* y = A x with host vectors [n_rows]. */
RITZ_API ritz_status ritz_matrix_multiply(const ritz_matrix *matrix, const double *x, double *y);

#endif
