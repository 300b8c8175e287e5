/* Sparse matrices on the device. Every format is one structure with parameters: block size b, slice height S, a window
   within which rows are sorted by length, and how values are stored. CSR = (b 1, S 1), BCSR = (b, 1), ELLPACK =
   (1, all rows), BELLPACK = (b, all rows), SELL = (1, S), SBELL = (b, S); ELLPACK-R is ELLPACK with row lengths.
   Sorting is private to the matrix: vectors are always in the caller's order. */
#ifndef RITZ_MATRIX_H
#define RITZ_MATRIX_H

#include "ritz/vector.h"

RITZ_BEGIN_DECLS

typedef struct ritz_matrix ritz_matrix;

/* As a slice height or a sort window: the whole matrix. */
#define RITZ_ALL_ROWS INT32_MAX

/* How values are stored; sums are always in the precision of the vectors. Zero is the default. */
typedef enum ritz_value_type {
    RITZ_VALUES_AS_VECTORS = 0,
    RITZ_VALUES_F64,
    RITZ_VALUES_F32,
    RITZ_VALUES_F16, /* 11 bits, 6e-8 to 65504: for scaled matrices */
    RITZ_VALUES_BF16 /* 8 bits, the range of f32 */
} ritz_value_type;

/* How a matrix is stored. Half storage: one of a_ij and a_ji, made from a matrix that is symmetric up to rounding
   (others are an error); it cannot be assembled into, and has no slice parameters. For CPUs. */
typedef enum ritz_matrix_storage { RITZ_STORAGE_SLICES = 0, RITZ_STORAGE_SYMMETRIC } ritz_matrix_storage;

typedef struct ritz_matrix_options {
    size_t size;              /* of this struct; 0: the library's own */
    int slice_height;         /* S, block rows per slice, 1 to 1024 or RITZ_ALL_ROWS; 0: the device's choice */
    int64_t sort_window;      /* block rows sorted by length among each other; 0: the default, 1: none */
    ritz_precision precision; /* of vectors and sums */
    ritz_value_type values;   /* no wider than the vectors */
    int64_t n_columns;        /* block columns; 0: as many as rows */
    int items_per_row;        /* compressed rows (S = 1): work-items that share a row, a power of two up to 64; 0 or 1:
                                 one. A CPU takes them as lanes of one work-item's vectors, at most 16 */
    bool row_lengths;         /* stop at each row's own length instead of the slice's */
    bool drop_zeros;          /* ritz_matrix_convert: blocks of zeros are left out */
    ritz_matrix_storage storage;
} ritz_matrix_options;

/* The parameters of a format by its usual name: csr, csr-vector, bcsr, ellpack, ellpack-r, sell, bellpack, sbell,
   sbell-symmetric. Sets slice_height, sort_window, items_per_row, row_lengths and storage of *options and whether the
   format has blocks (b > 1). */
RITZ_API ritz_status ritz_format_from_name(const char *name, ritz_matrix_options *options, bool *blocked);
/* The names, from 0; NULL past the last. */
RITZ_API const char *ritz_format_name(int number);

/* From block compressed rows that the caller keeps: row_start[n_rows + 1], columns[row_start[n_rows]] increasing in a
   row, values[nonzero blocks][b][b] in row order, or NULL for zeros. n_rows block rows.
   Values that are not finite are kept: products compute with them, and a solve names their row. */
RITZ_API ritz_status ritz_matrix_create(ritz_device *device, const ritz_matrix_options *options, int block,
                                        int64_t n_rows, const int64_t *row_start, const int32_t *columns,
                                        const double *values, ritz_matrix **matrix);
/* Any format, block size and precision from any other, made on the device; `from` stays. Scalar rows and columns stay
   as many as they are: where b does not divide them the last blocks are padded inside. Smaller blocks hold every entry
   of the larger ones, larger ones every block in which the smaller have an entry, less what drop_zeros leaves out.
   A value too large for the new type is RITZ_ERROR_INPUT. options->n_columns is not used. *matrix shares nothing with
   `from`. */
RITZ_API ritz_status ritz_matrix_convert(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                         ritz_matrix **matrix);
RITZ_API void ritz_matrix_destroy(ritz_matrix **matrix);

RITZ_API int64_t ritz_matrix_n_rows(const ritz_matrix *matrix);    /* scalar rows */
RITZ_API int64_t ritz_matrix_n_columns(const ritz_matrix *matrix); /* scalar columns */
RITZ_API int64_t ritz_matrix_nonzeros(const ritz_matrix *matrix);  /* scalar entries, without padding */
RITZ_API int64_t ritz_matrix_bytes(const ritz_matrix *matrix);     /* on the device */
/* y = A x with host vectors x[columns], y[rows]. */
RITZ_API ritz_status ritz_matrix_multiply(const ritz_matrix *matrix, const double *x, double *y);
/* The same with vectors of the matrix's device: those in its memory are of the matrix's precision, and are not
   transferred; those on the host are copied there and back. x and y must not be the same memory. */
RITZ_API ritz_status ritz_matrix_multiply_vectors(const ritz_matrix *matrix, const ritz_vector *x, ritz_vector *y);

/* Sizes of the matrix in its format. */
typedef struct ritz_matrix_statistics {
    size_t size;               /* of this struct, set by the caller; 0: the library's own */
    int64_t n_rows, n_columns; /* scalar */
    int64_t nonzeros;          /* scalar entries that the matrix was given, zeros among them included */
    int64_t blocks;            /* blocks that hold them */
    int64_t stored;            /* scalar entries in memory: blocks filled up, rows filled up, slices filled up */
    double factor;             /* stored / nonzeros, as in Table 2 of Zhang and Zhang (2013); 1 where there are none */
    int64_t shortest_row, longest_row; /* blocks */
    double mean_row;                   /* blocks */
    int64_t slices;
    int64_t bytes;         /* on the device */
    int64_t product_bytes; /* that a product must move: true blocks, columns of 32 bits, x and y, once each */
} ritz_matrix_statistics;
RITZ_API ritz_status ritz_matrix_get_statistics(const ritz_matrix *matrix, ritz_matrix_statistics *statistics);

/* ---- Matrices on the host ---- */

/* Block compressed rows; row_start[n_rows + 1], columns and values[.][block][block] of row_start[n_rows] blocks,
   columns increasing in a row. */
typedef struct ritz_rows {
    int block;
    int64_t n_rows, n_columns; /* in blocks */
    int64_t *row_start;
    int32_t *columns;
    double *values;
} ritz_rows;
/* With its arrays; for rows that the library made. */
RITZ_API void ritz_rows_destroy(ritz_rows **rows);
/* A matrix of the host's rows, which the caller keeps. options->n_columns is not used. */
RITZ_API ritz_status ritz_matrix_create_from_rows(ritz_device *device, const ritz_matrix_options *options,
                                                  const ritz_rows *rows, ritz_matrix **matrix);
/* The matrix, whatever its format, as rows of blocks of the given size on the host: a copy, the caller's
   (ritz_rows_destroy). */
RITZ_API ritz_status ritz_matrix_get_rows(const ritz_matrix *matrix, int block, ritz_rows **rows);

/* ---- Into arrays of the caller's ---- */

/* The type of indices there. */
typedef enum ritz_index_type { RITZ_INDEX_I32 = 0, RITZ_INDEX_I64 } ritz_index_type;

/* The matrix as scalar entries, rows and columns increasing, counted from 0; zeros that the format stores in blocks are
   among them. room: entries that the arrays of entries hold; ritz_matrix_nonzeros(matrix) is enough for a matrix that
   was assembled or made of rows, and statistics.stored for any but half storage, where it is the former. *n: entries there are. A matrix that does not fit, or
   whose numbers leave 32 bits, is RITZ_ERROR_INPUT.
   Compressed rows: row_start[n_rows + 1], columns[n], values[n]. */
RITZ_API ritz_status ritz_matrix_get_csr(const ritz_matrix *matrix, ritz_index_type type, int64_t room, void *row_start,
                                         void *columns, double *values, int64_t *n);
/* Coordinates: rows[n], columns[n], values[n]. */
RITZ_API ritz_status ritz_matrix_get_coo(const ritz_matrix *matrix, ritz_index_type type, int64_t room, void *rows,
                                         void *columns, double *values, int64_t *n);

RITZ_END_DECLS

#endif
