/* Block compressed rows on the device, with rectangular blocks: what sparse products of matrices are made of. Each operation sums
   in a fixed order, so that results are the same bits in every run. */
#ifndef RITZ_SRC_MATRIX_BLOCK_ROWS_H
#define RITZ_SRC_MATRIX_BLOCK_ROWS_H

#include "matrix/matrix.h"

typedef struct ritz_block_rows {
    ritz_device *device;
    ritz_precision precision;
    int height, width; /* of a block, in scalars */
    int32_t n_rows, n_columns;
    int64_t n_blocks;
    int32_t longest;              /* row, in blocks */
    int32_t most;                 /* longer rows of A count by their diagonal block alone in C = A B; 0: all count */
    bool lent;                    /* row_start and columns are another's, which outlives these rows */
    ritz_buffer *row_start;       /* int64 [n_rows + 1] */
    ritz_buffer *columns;         /* int32 [n_blocks], increasing in a row */
    ritz_buffer *values;          /* [n_blocks][height][width]; NULL: a pattern alone, or in slices: */
    const ritz_buffer *in_slices; /* a matrix's values in slices of slice_height rows; NULL: they are not there */
    int slice_height;
    const ritz_buffer *row_slot; /* the matrix's: int64 [n_rows] the first slot of each row */
    ritz_buffer *slot_of_row;    /* uint16 [n_blocks] which of its row's slots each block has */
    ritz_matrix *expanded;       /* owns them where the matrix is in another storage; else NULL */
} ritz_block_rows;

/* From counts[n_rows] (int32, on the device) the row starts, and room for columns. Not more than INT32_MAX
   blocks. */
ritz_status ritz_block_rows_create_pattern(ritz_device *device, ritz_precision precision, int height, int width,
                                           int32_t n_rows, int32_t n_columns, const ritz_buffer *counts,
                                           ritz_block_rows **rows);
/* The same with room for values. */
ritz_status ritz_block_rows_create(ritz_device *device, ritz_precision precision, int height, int width, int32_t n_rows,
                                   int32_t n_columns, const ritz_buffer *counts, ritz_block_rows **rows);
/* The same from the host's counts. */
ritz_status ritz_block_rows_create_counted(ritz_device *device, ritz_precision precision, int height, int width,
                                           int32_t n_rows, int32_t n_columns, const int32_t *counts,
                                           ritz_block_rows **rows);
/* A pattern alone that owns what the rows' was, which are lent it from then on. */
ritz_status ritz_block_rows_take_pattern(ritz_block_rows *rows, ritz_block_rows **pattern);
/* Room for values of its precision in a pattern. */
ritz_status ritz_block_rows_create_values(ritz_block_rows *pattern);
/* A pattern that is lent another's. */
ritz_status ritz_block_rows_lend(const ritz_block_rows *pattern, ritz_block_rows **rows);
/* Rows of the same pattern, which is lent; their values are still to be written. */
ritz_status ritz_block_rows_like(const ritz_block_rows *pattern, ritz_precision precision, ritz_block_rows **rows);
/* Wherever they are. */
static inline const ritz_buffer *ritz_block_rows_values(const ritz_block_rows *rows)
{
    return rows->in_slices ? rows->in_slices : rows->values;
}
void ritz_block_rows_destroy(ritz_block_rows **rows);
int64_t ritz_block_rows_value_bytes(const ritz_block_rows *rows);
int64_t ritz_block_rows_bytes(const ritz_block_rows *rows);

/* D^1/2 A D^1/2 with D as in ritz_matrix_convert_scaled (NULL: A) without the blocks that are all 0. */
ritz_status ritz_block_rows_from_matrix(const ritz_matrix *matrix, ritz_precision precision, int block,
                                        const ritz_buffer *weight, ritz_block_rows **rows);
/* The same values into rows of an earlier pattern. *outside: whether the matrix has blocks that the pattern has not, and that
   are more than rounding of a scaled matrix. */
ritz_status ritz_block_rows_refill(const ritz_matrix *matrix, const ritz_buffer *weight, ritz_block_rows *rows,
                                   bool *outside);
/* Rows without the blocks that are all 0, whose values stay in the matrix, which outlives them, and are not scaled; *rows
   is NULL where they are not to stay, not of such blocks and precision, or longer than 65536 slots. pattern: an earlier
   one, with *outside as in ritz_block_rows_refill, also where it has blocks that the matrix has not; else NULL, and weight
   is not looked at. */
ritz_status ritz_block_rows_in_place(const ritz_matrix *matrix, ritz_precision precision, int block,
                                     const ritz_block_rows *pattern, const ritz_buffer *weight, ritz_block_rows **rows,
                                     bool *outside);
/* Both from slices (convert.c). */
ritz_status ritz_slices_to_rows(const ritz_matrix *slices, ritz_precision precision, int block,
                                const ritz_buffer *weight, ritz_block_rows **rows);
ritz_status ritz_slices_into_rows(const ritz_matrix *slices, const ritz_buffer *weight, ritz_block_rows *rows,
                                  bool *outside);
/* A matrix of square blocks, up to 8, in the format of the options. */
ritz_status ritz_block_rows_to_matrix(const ritz_block_rows *rows, const ritz_matrix_options *options,
                                      ritz_matrix **matrix);
/* A matrix of zeros in slices with square blocks at these columns; takes *rows, whose row_start[n_rows + 1] is on the host, too. */
ritz_status ritz_matrix_create_of_pattern(ritz_block_rows **rows, const ritz_matrix_options *options, int block,
                                          const int64_t *row_start, ritz_matrix **matrix);
/* Blocks of a row that is not far longer than the others: hubs, as the node of a rigid face, have more. */
int32_t ritz_block_rows_even_length(const ritz_block_rows *rows);
/* C = A B, summed in the widest of their precisions, but in C's own where a row's sums are not in local memory: on CPUs, and for
   long rows. *c NULL: it is made, of A's; else it has the pattern of an earlier product of the
   same patterns, and receives values of its own precision. */
ritz_status ritz_block_rows_multiply(const ritz_block_rows *a, const ritz_block_rows *b, ritz_block_rows **c);
ritz_status ritz_block_rows_transpose(const ritz_block_rows *a, ritz_block_rows **transposed);
/* The same without values. *slot (int32 [n_blocks]): where in A each block of its transpose stands. */
ritz_status ritz_block_rows_multiply_pattern(const ritz_block_rows *a, const ritz_block_rows *b, ritz_block_rows **c);
ritz_status ritz_block_rows_transpose_pattern(const ritz_block_rows *a, ritz_buffer **slot,
                                              ritz_block_rows **transposed);
/* Values of the transpose. */
ritz_status ritz_block_rows_turn(const ritz_block_rows *a, const ritz_buffer *slot, ritz_block_rows *transposed);
/* Values of C = P^T (A P) from the patterns of A P, P^T with its slots, and C, of C's precision as A P:
   of that there is a piece at a time, and of P^T none. The same bits as of two products. */
ritz_status ritz_block_rows_multiply_twice(const ritz_block_rows *a, const ritz_block_rows *p,
                                           const ritz_block_rows *ap, const ritz_block_rows *pt,
                                           const ritz_buffer *slot, ritz_block_rows *c);
/* The most bytes of such a piece, where a row of A P has no more. */
int64_t ritz_block_rows_piece_bytes(const ritz_block_rows *a);

/* A kernel of a file after row_runs.cl. */
ritz_status ritz_block_rows_kernel(ritz_device *device, ritz_precision precision, const char *file, const char *options,
                                   const char *name, ritz_kernel **kernel);
/* A launch over rows: a CPU's work-items take runs of them, others one each. */
ritz_range ritz_block_rows_range(const ritz_kernel *kernel, ritz_device *device, int64_t n);
/* A launch without those of the last arguments that are NULL, as what tells of rows in place is of others. */
ritz_status ritz_block_rows_launch(ritz_kernel *kernel, ritz_range range, const ritz_argument *arguments, size_t n);

/* Work-items that share a row (kernels/row_threads.cl). */
typedef struct ritz_row_threads {
    int per_row, rows; /* work-items of a row; rows of a work-group */
} ritz_row_threads;
/* For rows with work for so many items at a time, in groups of no fewer items than `group`; on CPUs one item. */
ritz_row_threads ritz_row_threads_for(ritz_device *device, double items, int group);
/* A kernel of a file after row_threads.cl, and its launch over rows. */
ritz_status ritz_row_kernel(ritz_device *device, ritz_precision precision, const char *file, ritz_row_threads threads,
                            const char *options, const char *name, ritz_kernel **kernel);
ritz_range ritz_row_range(ritz_device *device, ritz_row_threads threads, int64_t n);

/* starts[n + 1] (int64; NULL: not needed) from lengths[n] (int32), their sum and the largest of them. */
ritz_status ritz_row_starts(ritz_device *device, int64_t n, const ritz_buffer *lengths, ritz_buffer *starts,
                            int64_t *total, int32_t *longest);

#endif
