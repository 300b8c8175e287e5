/* Matrix room, internal side. Depends on base and device.

   Layout of Fig. 5 of Zhang and Zhang (2013), with S = slice_height: block rows are sorted by decreasing length inside each
   window, cut into slices of S, and slice s holds width[s] = its longest row's blocks, for S rows (padding has value 0
   and the row's own last column, or 0 where the row is empty). With slot(s, k, i) = slice_start[s] + k * S + i
   (i the row in the slice, k the block in the row):
       columns[slot]                               block column
       values[(slice_start[s] + k * S) * b * b + entry * S + i],  entry = row_in_block * b + column_in_block
   so that the S rows of a slice stand beside each other in memory. Vectors are in the user's order: the product writes
   y[permutation[...]] and nobody else sees the sorting. With S = 1 and no sorting these are plain compressed rows. */
#ifndef RITZ_SRC_MATRIX_H
#define RITZ_SRC_MATRIX_H

#include "device/device.h"
#include "ritz/matrix.h"

/* How work-items share the rows of slices; zero where each takes runs of slices by itself (CPUs). */
typedef struct ritz_row_sharing {
    int threads;     /* work-items that share a row */
    int round;       /* blocks that a work-item loads before it uses the first */
    int last_round;  /* the same in the last round of a row */
    int rows;        /* that an item stands for, 1 or 2, a divisor of S */
    bool keep;       /* the matrix stays in the cache from one product to the next: it is not read as what passes by */
    bool early;      /* what a product adds to a row's sums is asked for before the row's blocks */
    bool compressed; /* columns are read in 16 bits, if the matrix has them so */
} ritz_row_sharing;

/* How a device stores and multiplies, whatever the matrix. */
typedef struct ritz_matrix_plan {
    int lanes;          /* rows a work-item computes with explicit vectors; 1: a work-item per row */
    int items_per_unit; /* work-items a compute unit; 0: one item a pack of rows */
    int group;          /* work-items per group, a power of two */
    bool
        shares_rows; /* latency is hidden by many work-items (kernels/shared_rows.cl) instead of long runs (sbell.cl) */
    int64_t kept_bytes; /* with shared rows: what stays in the cache from one product to the next */
} ritz_matrix_plan;

struct ritz_matrix {
    const struct ritz_storage *storage; /* what it does (storage.h) */
    ritz_device *device;
    ritz_matrix_plan plan;
    ritz_precision precision;   /* of vectors and sums */
    ritz_value_type value_type; /* never RITZ_VALUES_AS_VECTORS; assembly writes f64 or f32 of `precision` */
    int block;                  /* b */
    int32_t slice_height;       /* S */
    int lanes;                  /* rows a work-item computes (explicit vectors on CPUs); divides S */
    int items;                  /* compressed rows: work-items or lanes a row; 1: rows are not shared */
    ritz_row_sharing sharing;   /* taken by products from the first one on */
    bool one_slice;             /* S covers all rows */
    bool permuted;              /* rows are sorted */
    bool row_lengths;           /* the product stops at each row's own length */
    int32_t n_rows;             /* block rows */
    int32_t n_columns;          /* block columns */
    int64_t n_unknowns;         /* scalar rows, at most n_rows * b */
    int64_t n_scalar_columns;   /* at most n_columns * b */
    int32_t n_slices;
    int64_t n_slots;                   /* blocks with padding */
    int64_t n_blocks;                  /* blocks without */
    int64_t n_nonzeros;                /* scalar entries given */
    int32_t shortest_row, longest_row; /* blocks */
    int32_t hub_length;                /* longer rows are hubs, few and far longer than the others; 0: there are none */
    int64_t bytes;
    int64_t
        version; /* of the values, another one after each fill of an assembler, of whatever matrix; 0: they were given */
    /* on the host */
    int64_t *host_slice_start; /* [n_slices + 1] in slots */
    int32_t *host_permutation; /* [n_slices * S] sorted position -> block row, -1 past the end; NULL: in sorted order */
    int64_t *host_row_slot;    /* [n_rows] first slot of each block row; its k-th block is S further on each */
    /* on the device */
    ritz_buffer *slice_start; /* int64 [n_slices + 1] */
    ritz_buffer *permutation; /* int32 [n_slices * S] */
    ritz_buffer *row_slot;    /* int64 [n_rows] */
    ritz_buffer *columns;     /* int32 [n_slots] */
    ritz_buffer *values;      /* value_type [n_slots * b * b] */
    ritz_buffer *row_length;  /* int32 [n_rows] blocks without padding */
    /* the columns once more, in 16 bits (compress_columns.c); NULL: not there */
    ritz_buffer *compressed; /* uint16 [n_slots] a page of the slice's strip and the place in it */
    ritz_buffer *pages;      /* int32 [n_strips * RITZ_COLUMN_PAGES] their first columns */
    ritz_matrix
        *like; /* a copy of the matrix that owns those of the above to which it points, too; NULL: all are this one's */
    ritz_kernel *into_order, *out_of_order; /* of a matrix in sorted order, for vectors; owned by the device */
    struct ritz_product_kernels *kernels;   /* variants of the product, compiled when first asked for */
    void *own; /* of a storage that is not slices, which has all else: host_* and the buffers above are NULL, slots and
                  slices its own; NULL otherwise */
};

/* The slice height of a matrix of these columns and values where the caller gives none. */
int ritz_matrix_default_height(const ritz_matrix *matrix);

/* The structure with zero values on the device: assembly fills `values` through row_slot. (ritz_matrix_create is this
   plus values.) */
ritz_status ritz_matrix_create_structure(ritz_device *device, const ritz_matrix_options *options, int block,
                                         int64_t n_rows, const int64_t *row_start, const int32_t *columns,
                                         ritz_matrix **matrix);
/* y = A x for device vectors of the matrix's precision, x[n_scalar_columns] and y[n_unknowns], which must not overlap.
   seconds as in ritz_launch. */
ritz_status ritz_matrix_apply(const ritz_matrix *matrix, const ritz_buffer *x, ritz_buffer *y, double *seconds);

/* What one pass over the matrix can do besides. y = alpha A x + beta y + gamma z + delta x covers the residual
   (-1, 0, 1, 0) and a step of any three-term recurrence of a polynomial preconditioner. */
typedef struct ritz_product {
    double alpha, beta, gamma, delta; /* a vector whose factor is 0 is not read; all 0: alpha = 1 */
    const ritz_buffer *z;             /* [n_unknowns]; needed where gamma is not 0 */
    /* With `partial`, the sums w.y, y.y and w.w of the new y, in RITZ_PRODUCT_SUMS rows of ritz_matrix_count_partials
       each, in double where the device has it, float elsewhere; added in a fixed order they give
       the same bits in every run. */
    ritz_buffer *partial;
    const ritz_buffer *w; /* [n_unknowns]; NULL: x */
    bool backwards; /* shared rows: the last ones first, which the cache still holds where a product ended with them */
} ritz_product;
enum { RITZ_PRODUCT_SUMS = 3 };
/* delta and w == NULL need a square matrix. */
ritz_status ritz_matrix_product(const ritz_matrix *matrix, const ritz_product *product, const ritz_buffer *x,
                                ritz_buffer *y, double *seconds);
/* Partial sums that this product leaves (its pointers are not looked at, only its factors). */
ritz_status ritz_matrix_count_partials(const ritz_matrix *matrix, const ritz_product *product, int64_t *n_partials);

/* diagonal[n_unknowns] = the scalar diagonal of A, which must be square. */
ritz_status ritz_matrix_diagonal(const ritz_matrix *matrix, ritz_buffer *diagonal);
/* The same into an array of the host's. */
ritz_status ritz_matrix_read_diagonal(const ritz_matrix *matrix, double *diagonal);
/* ritz_matrix_convert of D^1/2 A D^1/2 for a square A, D the diagonal matrix of weight[n_unknowns], positive numbers of
   the precision of A's vectors; NULL: of A. */
ritz_status ritz_matrix_convert_scaled(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                       const ritz_buffer *weight, ritz_matrix **matrix);
/* Options that make a matrix of this storage, format and types. */
ritz_matrix_options ritz_matrix_get_format(const ritz_matrix *matrix);
/* Whether the matrix is already what a conversion with these options and this size of blocks would make. */
bool ritz_matrix_has_format(const ritz_matrix *matrix, const ritz_matrix_options *options, int block);
/* Whether one of a_ij and a_ji is stored. */
bool ritz_matrix_is_half(const ritz_matrix *matrix);
/* The same matrix with one of a_ij and a_ji stored, or with both; NULL: it is so already. */
ritz_status ritz_matrix_convert_half(const ritz_matrix *from, bool half, ritz_matrix **matrix);
/* Of the storage in these options: whether it takes a slice height and a sort window, whether it is of symmetric matrices. */
bool ritz_format_takes_slices(const ritz_matrix_options *options);
bool ritz_format_is_half(const ritz_matrix_options *options);
/* The same scaled matrix in the same format with other types. It may share all but the values, so `from` must outlive
   it. same_slices: from's slices though others would suit the types better, for products too few to pay for making those.
   factor, with a weight, same_slices and slices of up to RITZ_SLICE_MAX rows, else NULL: float [n_rows][block (block + 1) / 2],
   the rows of lower triangles S by which block rows and columns are scaled besides, S D^1/2 A D^1/2 S^T. */
ritz_status ritz_matrix_copy_scaled(const ritz_matrix *from, ritz_precision precision, ritz_value_type values,
                                    bool same_slices, const ritz_buffer *weight, const ritz_buffer *factor,
                                    ritz_matrix **matrix);
/* The same matrix for vectors of another precision, no wider than from's: all is shared, so `from` must outlive it. */
ritz_status ritz_matrix_share(const ritz_matrix *from, ritz_precision precision, ritz_matrix **matrix);
/* The same matrix with rows and columns renumbered as `from` has sorted its rows: row i is row from->permutation[i], so
   that products read and write vectors side by side. Slices and values are shared, so `from` must outlive it; columns do
   not increase any more. NULL where that would gain nothing, and where from is not sorted or not square, half a matrix,
   or ends within a block. */
ritz_status ritz_matrix_sort_rows(const ritz_matrix *from, ritz_matrix **matrix);
/* The scalar row of `from` that became this one; of a matrix in its own order the same. */
int64_t ritz_matrix_row_before(const ritz_matrix *matrix, int64_t row);
/* Vectors in the order of that matrix's `from` to its own, and back. */
ritz_status ritz_matrix_into_order(const ritz_matrix *matrix, const ritz_buffer *v, ritz_buffer *ordered);
ritz_status ritz_matrix_out_of_order(const ritz_matrix *matrix, const ritz_buffer *ordered, ritz_buffer *v);
/* Bytes that one product must move: values and columns (32 bits) of true blocks once, x read once, y written once. */
int64_t ritz_matrix_product_bytes(const ritz_matrix *matrix);
/* Copies the values back into block compressed rows in the order of ritz_matrix_create (for tests and export);
   row_start as given there, values[nonzero blocks][b][b]. */
ritz_status ritz_matrix_read(const ritz_matrix *matrix, const int64_t *row_start, double *values);

/* Host doubles [n_unknowns] to and from a device vector of the matrix's precision. */
static inline ritz_status ritz_matrix_write_vector(const ritz_matrix *matrix, const double *from, ritz_buffer *to)
{
    return ritz_buffer_write_reals(to, matrix->precision, 0, from, matrix->n_unknowns);
}
static inline ritz_status ritz_matrix_read_vector(const ritz_matrix *matrix, const ritz_buffer *from, double *to)
{
    return ritz_buffer_read_reals(from, matrix->precision, 0, to, matrix->n_unknowns);
}

#endif
