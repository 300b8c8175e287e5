/* `ritz bench spmv`, file by file: options, loop and report (spmv.c), one matrix and its products (spmv_run.c). */
#ifndef RITZ_CLI_BENCH_SPMV_H
#define RITZ_CLI_BENCH_SPMV_H

#include "bench/matrices.h"
#include "cli.h"

#include "device/device.h"
#include "ritz/matrix.h"

/* How values and vectors are stored: "f32/f64" is values in f32 beside vectors in f64, "f64" both alike. */
typedef struct ritz_spmv_type {
    const char *name;
    ritz_precision precision;
    ritz_value_type values;
    double tolerance; /* of |y - A x| / |A| |x| */
} ritz_spmv_type;

/* One matrix: on the device as it was made, and as scalars or blocks on the host, which the errors are taken from. */
typedef struct ritz_spmv_matrix {
    const char *name;
    ritz_matrix *original;
    ritz_rows *rows;
    int block;             /* of the formats with blocks */
    double *x, *y, *scale; /* x in [-1, 1); A x and |A| |x| in f64 */
} ritz_spmv_matrix;

/* Assembles the stiffness of a mesh with E = 1, nu = 0.3. */
ritz_status ritz_spmv_from_mesh(ritz_device *device, const ritz_bench_mesh *mesh, ritz_spmv_matrix *matrix);
/* Reads a Matrix Market file. block 0: the size of 1 to 4 whose product moves the fewest bytes. */
ritz_status ritz_spmv_from_file(ritz_device *device, const char *path, int block, ritz_spmv_matrix *matrix);
void ritz_spmv_clear(ritz_spmv_matrix *matrix);

/* One format and type on one matrix. */
typedef struct ritz_spmv_run {
    const char *matrix, *format;
    const ritz_spmv_type *type;
    int64_t rows, columns, nonzeros;
    int block, slice_height;
    int threads_per_row, round; /* of a product whose rows work-items share; else 0 */
    int64_t sort_window;        /* of sell and sbell; else 0 */
    ritz_matrix_statistics statistics;
    double seconds, seconds_least; /* median and least of the repeats */
    double error;                  /* max |y - A x| / |A| |x| */
    bool failed;
    char reason[256]; /* why there are no figures; empty where there are */
} ritz_spmv_run;

typedef struct ritz_spmv_how {
    int64_t repeat;
    int64_t slice_height; /* of sell and sbell; 0: the device's */
    int64_t sort_window;  /* of sell and sbell; 0: the device's */
    bool warm;            /* caches are not emptied between repeats */
} ritz_spmv_how;
/* Converts, checks against the host, times. What goes wrong with the format stands in the run; the status is not
   RITZ_OK only where the bench can not go on. */
ritz_status ritz_spmv_measure(ritz_device *device, const ritz_spmv_matrix *matrix, const char *format,
                              const ritz_spmv_how *how, ritz_spmv_run *run);

#endif
