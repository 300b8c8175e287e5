/* Matrix room, internal side. Depends on base and device.

   Layout of the SBELL paper's Fig. 5, with S = slice_height: block rows are sorted by decreasing length inside each
   window, cut into slices of S, and slice s holds width[s] = its longest row's blocks, for S rows (padding has value 0
   and the row's own last column, or 0 where the row is empty). With slot(s, k, i) = slice_start[s] + k * S + i
   (i the row in the slice, k the block in the row):
       columns[slot]                               block column
       values[(slice_start[s] + k * S) * b * b + entry * S + i],  entry = row_in_block * b + column_in_block
   so that the S rows of a slice stand beside each other in memory. Vectors are in the user's order: the product writes
   y[permutation[...]] and nobody else sees the sorting. */
#ifndef RITZ_SRC_MATRIX_H
#define RITZ_SRC_MATRIX_H

#include "device/device.h"
#include "ritz/matrix.h"

struct ritz_matrix {
    ritz_device *device;
    ritz_precision precision;
    int block;        /* b */
    int slice_height; /* S */
    int lanes;        /* rows a work-item computes (explicit vectors on CPUs); divides S */
    int32_t n_rows;   /* block rows */
    int32_t n_slices;
    int64_t n_slots;  /* blocks with padding */
    int64_t n_blocks; /* blocks without */
    int64_t bytes;
    /* on the host */
    int64_t *host_slice_start; /* [n_slices + 1] in slots */
    int32_t *host_permutation; /* [n_slices * S] sorted position -> block row, -1 past the last row */
    int64_t *host_row_slot;    /* [n_rows] first slot of each block row; its k-th block is S further on each */
    /* on the device */
    ritz_buffer *slice_start; /* int64 [n_slices + 1] */
    ritz_buffer *permutation; /* int32 [n_slices * S] */
    ritz_buffer *row_slot;    /* int64 [n_rows] */
    ritz_buffer *columns;     /* int32 [n_slots] */
    ritz_buffer *values;      /* real [n_slots * b * b] */
    ritz_buffer *row_length;  /* int32 [n_rows] blocks without padding */
    ritz_kernel *product;
};

/* The structure with zero values on the device: assembly fills `values` through row_slot. (ritz_matrix_create is this
   plus values.) */
ritz_status ritz_matrix_create_structure(ritz_device *device, const ritz_matrix_options *options, int block,
                                         int64_t n_rows, const int64_t *row_start, const int32_t *columns,
                                         ritz_matrix **matrix);
/* y = A x for device vectors of the matrix's precision, [n_rows * b]. seconds as in ritz_launch. */
ritz_status ritz_matrix_apply(const ritz_matrix *matrix, const ritz_buffer *x, ritz_buffer *y, double *seconds);
/* diagonal[n_rows * b] = the scalar diagonal of A. */
ritz_status ritz_matrix_diagonal(const ritz_matrix *matrix, ritz_buffer *diagonal);
/* Bytes that one product must move: values and columns of true blocks once, x read once, y written once. */
int64_t ritz_matrix_product_bytes(const ritz_matrix *matrix);
/* Copies the values back into block compressed rows in the order of ritz_matrix_create (for tests and export);
   row_start as given there, values[nonzero blocks][b][b]. */
ritz_status ritz_matrix_read(const ritz_matrix *matrix, const int64_t *row_start, double *values);

/* Host doubles [n_rows * b] to and from a device vector of the matrix's precision. */
ritz_status ritz_matrix_write_vector(const ritz_matrix *matrix, const double *from, ritz_buffer *to);
ritz_status ritz_matrix_read_vector(const ritz_matrix *matrix, const ritz_buffer *from, double *to);

#endif
