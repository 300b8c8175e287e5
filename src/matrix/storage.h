/* What the files of the matrix room share: storages, slices laid out from lengths, launches, sorting. */
#ifndef RITZ_SRC_MATRIX_STORAGE_H
#define RITZ_SRC_MATRIX_STORAGE_H

#include "matrix/matrix.h"

enum { RITZ_BLOCK_MAX = 8, RITZ_SLICE_MAX = 1024, RITZ_LANES_MAX = 16, RITZ_ITEMS_MAX = 64 };
/* A compressed column: 5 bits number one of its strip's pages, 11 the place in the page. */
enum { RITZ_COLUMN_PAGES = 32, RITZ_COLUMN_PLACE_BITS = 11 };
/* Neighbours of a GPU that load together. */
enum { RITZ_WARP = 32 };
/* Below so many block rows threads of the host would cost more than what they do for a matrix's layout: to wake them takes up to
   10 ms on virtual machines, each time. */
enum { RITZ_ROWS_FOR_THREADS = 1000000 };

/* A storage of matrices: what it does once matrix.c has checked what is asked. A pointer that may be NULL says so. */
typedef struct ritz_storage ritz_storage;
struct ritz_storage {
    const char *name;
    const char *format_name; /* of the format that it is by itself; NULL: format.c has those of slices */
    bool half;               /* one of a_ij and a_ji is held, so the matrix has to be symmetric */
    bool has_slices; /* slices, windows and work-items as the options say; made without values, and assembled into */
    /* ritz_matrix_convert_scaled from a matrix in slices. */
    ritz_status (*make)(const ritz_matrix *slices, const ritz_matrix_options *options, int block,
                        const ritz_buffer *weight, ritz_matrix **matrix);
    /* The same matrix in slices, with its blocks and types; NULL: it is in slices. */
    ritz_status (*expand)(const ritz_matrix *from, ritz_matrix **slices);
    /* In this storage again, scaled, with types of `options` that are no wider; NULL: through make. */
    ritz_status (*copy)(const ritz_matrix *from, const ritz_matrix_options *options, const ritz_buffer *weight,
                        ritz_matrix **matrix);
    /* ritz_matrix_share_scaled, ritz_matrix_sort_rows; NULL: impossible. */
    ritz_status (*share_scaled)(const ritz_matrix *from, const ritz_matrix_options *types, bool same_slices,
                                const ritz_buffer *weight, const ritz_buffer *factor, ritz_matrix **matrix);
    ritz_status (*sort)(const ritz_matrix *from, ritz_matrix **matrix);
    /* Partial sums that a product leaves. */
    ritz_status (*count_partials)(const ritz_matrix *matrix, bool scaled, int64_t *n_partials);
    ritz_status (*product)(const ritz_matrix *matrix, const ritz_product *product, const ritz_buffer *x, ritz_buffer *y,
                           double *seconds);
    ritz_status (*diagonal)(const ritz_matrix *matrix, ritz_buffer *diagonal);
    int64_t (*product_bytes)(const ritz_matrix *matrix);
    /* ritz_matrix_get_format. */
    ritz_matrix_options (*format)(const ritz_matrix *matrix);
    ritz_status (*read)(const ritz_matrix *matrix, const int64_t *row_start, double *values);
    /* `own` of a matrix that shares all else with `from`, for vectors of another precision, which it has already, and the
       end of `own`; both NULL: the storage has no `own`. */
    ritz_status (*share)(const ritz_matrix *from, ritz_matrix *matrix);
    void (*destroy)(ritz_matrix *matrix);
};
extern const ritz_storage ritz_storage_slices;
/* Storage number i of ritz_matrix_storage; NULL past the last. */
const ritz_storage *ritz_storage_at(int number);

/* Whether a product has factors other than alpha = 1. */
bool ritz_product_is_scaled(const ritz_product *product);

/* Arguments that kernels of products take after their own (SCALED_ARGUMENTS and SUMS_ARGUMENTS of kernels/finish.cl): with
   factors these and z, with sums w and the partial sums. Points into itself: not to be copied. */
enum { RITZ_PRODUCT_EXTRAS = 7 };
typedef struct ritz_product_extras {
    double wide[4];
    float narrow[4];
    ritz_argument list[RITZ_PRODUCT_EXTRAS];
    int n;
} ritz_product_extras;
void ritz_product_make_extras(const ritz_matrix *matrix, const ritz_product *product, const ritz_buffer *x,
                              ritz_product_extras *extras);

/* ---- Slices ---- */

/* Kernels of the product, with factors and with sums, compiled when first asked for; owned by the device. */
struct ritz_product_kernels {
    ritz_kernel *kernel[4];
    int group[4];
};

/* Of ritz_storage_slices, written in files of their own. */
ritz_status ritz_slices_make(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                             const ritz_buffer *weight, ritz_matrix **matrix);
ritz_status ritz_slices_share_scaled(const ritz_matrix *from, const ritz_matrix_options *types, bool same_slices,
                                     const ritz_buffer *weight, const ritz_buffer *factor, ritz_matrix **matrix);
ritz_status ritz_slices_sort_rows(const ritz_matrix *from, ritz_matrix **matrix);
ritz_status ritz_slices_read(const ritz_matrix *matrix, const int64_t *row_start, double *values);

/* From the table of measured constants (device/tuning.txt). */
ritz_matrix_plan ritz_matrix_plan_of(const ritz_device *device);

/* Rows a work-item computes, a divisor of the slice height. */
int ritz_matrix_lanes(const ritz_matrix_plan *plan, int32_t slice_height);

/* The window of sorting where the caller gives none. */
int64_t ritz_matrix_default_window(const ritz_matrix *matrix);
/* Whether products read columns in 16 bits. */
bool ritz_matrix_is_compressed(const ritz_matrix *matrix);
/* Sets matrix->sharing from the matrix's shape and whether its columns are compressed. */
void ritz_matrix_choose_sharing(ritz_matrix *matrix);

/* n work-items in groups of 64, or of as many as the kernel takes. */
ritz_range ritz_matrix_range(const ritz_kernel *kernel, int64_t n);

int64_t ritz_value_bytes(ritz_value_type type);
/* RITZ_VALUES_AS_VECTORS resolved. */
ritz_value_type ritz_value_type_of(const ritz_matrix_options *options);

/* order[n_rows] = rows 0.. n_rows - 1 by decreasing length inside each window, equal lengths in their old order. */
ritz_status ritz_sort_rows(int64_t n_rows, int64_t window, const int32_t *length, int32_t *order);

/* A matrix of n_unknowns x n_scalar_columns scalars from the lengths (in blocks) of its block rows: everything but
   columns and values, which are NULL. */
ritz_status ritz_matrix_from_lengths(ritz_device *device, const ritz_matrix_options *options, int block,
                                     int64_t n_unknowns, int64_t n_scalar_columns, const int32_t *length,
                                     ritz_matrix **matrix);
/* These, with undefined content. */
ritz_status ritz_matrix_create_columns(ritz_matrix *matrix);
ritz_status ritz_matrix_create_values(ritz_matrix *matrix);
ritz_status ritz_matrix_create_entries(ritz_matrix *matrix);
/* A copy of `from`, for vectors of this precision, that shares all it has (ritz_matrix.like) but kernels: whoever sets a pointer of the new one to
   something else makes that its own. */
ritz_status ritz_matrix_create_like(const ritz_matrix *from, ritz_precision precision, ritz_matrix **matrix);
/* Compresses a matrix's columns, which must be there, if its products want that and every strip of rows can have it.
   To be called once for a matrix with columns of its own. */
ritz_status ritz_matrix_compress_columns(ritz_matrix *matrix);
/* Slices of a strip, which has pages of its own. */
int32_t ritz_matrix_strip_slices(const ritz_matrix *matrix);
/* Everything that can be wrong with options, block size and size. */
ritz_status ritz_matrix_check_options(const ritz_device *device, const ritz_matrix_options *options, int block,
                                      int64_t n_unknowns, int64_t n_scalar_columns);

/* Refuses a conversion whose kernel set `flag`, an int32 on the device: a value is beyond the new type. */
ritz_status ritz_matrix_refuse_too_large(const ritz_buffer *flag);

#endif
