/* Half storage of symmetric matrices: of A_ij and A_ji one block is stored, and a product takes it both ways. For CPUs.

   The block rows are cut into strips, runs of neighbouring rows; each strip is a work-item. The rows of a strip and the
   outside rows that its blocks reach have local numbers of 16 bits (own rows first, then outside in increasing order,
   then one that padding points to), which is also where their x and sums lie in local memory. Rows of a strip are
   sorted by length in windows and cut into slices of S = RITZ_SYMMETRIC_LANES rows:
       columns[slice_start[s] + k * S + i]         local number; block 0 of every row is the diagonal one, which points
                                                   to the padding's number where the matrix has none
       values                                      as in matrix.h
       order[s * S + i]                            local number of the row, the padding's past the last
   Sums of rows that several strips reach are added in the order of strips: the own strip's, then those of the others.
   */
#ifndef RITZ_SRC_MATRIX_SYMMETRIC_H
#define RITZ_SRC_MATRIX_SYMMETRIC_H

#include "matrix/matrix.h"
#include "matrix/storage.h"

/* A register of AVX2 in f64; 8 were no faster in f32 and leave more padding. */
enum { RITZ_SYMMETRIC_LANES = 4 };

struct ritz_symmetric {
    bool like;  /* another's, which owns all but the kernels */
    int padded; /* numbers that a block of a vector takes in local memory */
    int32_t n_strips;
    int32_t n_local;                                                 /* largest count of local numbers */
    int32_t n_outside;                                               /* of all strips together */
    int32_t n_shared_rows;                                           /* rows that several strips reach */
    int64_t n_stored;                                                /* blocks without padding */
    int32_t *host_first_row, *host_first_slice, *host_first_outside; /* [n_strips + 1] */
    int64_t *host_slice_start;                                       /* [n_slices + 1] */
    ritz_buffer *first_row, *first_slice, *first_outside, *slice_start;
    ritz_buffer *order;         /* uint16 [n_slices * S] */
    ritz_buffer *outside;       /* int32 [n_outside] block rows */
    ritz_buffer *columns;       /* uint16 [n_slots] */
    ritz_buffer *values;        /* value_type [n_slots * b * b] */
    ritz_buffer *list_start;    /* int32 [n_rows + 1] */
    ritz_buffer *list;          /* int32 [n_outside] numbers in `outside` of each row */
    ritz_buffer *first_reached; /* int32 [n_strips + 1] */
    ritz_buffer *reached;       /* int32 [] strips whose rows each strip reaches, itself first */
    ritz_buffer *contributors;  /* int32 [n_strips] how many strips reach a strip's rows, with itself */
    ritz_buffer *missing;       /* int32 [n_strips] how many of them have not yet left their sums in this product */
    ritz_kernel *kernel[4][2];  /* variants of the product and of what finishes it; owned by the device */
    ritz_buffer *shared; /* real [n_outside + n_rows][padded] sums of outside rows, then each strip's of its own */
};

static inline struct ritz_symmetric *ritz_symmetric_of(const ritz_matrix *matrix)
{
    return matrix->own;
}

extern const ritz_storage ritz_storage_symmetric;

/* ritz_matrix_convert_scaled to half storage. */
ritz_status ritz_symmetric_make(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                const ritz_buffer *weight, ritz_matrix **matrix);
/* From half a matrix, with the types of `options`. */
ritz_status ritz_symmetric_copy(const ritz_matrix *from, const ritz_matrix_options *options, const ritz_buffer *weight,
                                ritz_matrix **matrix);
/* The whole matrix of half a one, in compressed rows with the same blocks and types. */
ritz_status ritz_symmetric_expand(const ritz_matrix *from, ritz_matrix **whole);
int64_t ritz_symmetric_bytes(const ritz_matrix *matrix);

/* Whether rows are finished within the product, by the last of the strips that add to them. */
bool ritz_symmetric_is_fused(const ritz_matrix *m);
/* Compile-time parameters of a variant of the product. */
void ritz_symmetric_options(const ritz_matrix *matrix, bool scaled, bool sums, char *options, size_t size);
/* The program of a variant of the product, or with `file` of another file. */
ritz_status ritz_symmetric_program(const ritz_matrix *matrix, const char *file, bool scaled, bool sums,
                                   ritz_program **program);

#endif
