/* The coarsest level: its inverse, by Cholesky's factorisation on the host, as a full matrix on the device. */
#include "multigrid/levels.h"

#include <math.h>
#include <string.h>

/* dense[n][n] = the rows. */
static ritz_status read_dense(const ritz_block_rows *a, int n, double *dense)
{
    ritz_status status = RITZ_OK;
    const int64_t entries = a->n_blocks * a->height * a->width;
    int64_t *start = NULL;
    int32_t *columns = NULL;
    double *values = NULL;
    RITZ_NEW(start, (int64_t)a->n_rows + 1);
    RITZ_NEW(columns, a->n_blocks);
    RITZ_NEW(values, entries);
    RITZ_TRY(ritz_buffer_read(a->row_start, 0, start, ((int64_t)a->n_rows + 1) * 8));
    RITZ_TRY(ritz_buffer_read(a->columns, 0, columns, a->n_blocks * 4));
    RITZ_TRY(ritz_buffer_read_reals(a->values, a->precision, 0, values, entries));
    for (int32_t row = 0; row < a->n_rows; row++)
        for (int64_t k = start[row]; k < start[row + 1]; k++)
            for (int h = 0; h < a->height; h++)
                memcpy(dense + ((int64_t)row * a->height + h) * n + (int64_t)columns[k] * a->width,
                       values + (k * a->height + h) * a->width, sizeof *values * (size_t)a->width);
done:
    ritz_free(start);
    ritz_free(columns);
    ritz_free(values);
    return status;
}

/* In place of the symmetric matrix, of which the lower half is read, L^-1 for L L^T. The diagonal is about 1: a pivot that is
   lost in rounding belongs to a motion without energy, and becomes 1, so that nothing grows without bound. */
static void invert_factor(int n, double *a)
{
    const double lost = 1e-14;
    for (int j = 0; j < n; j++) {
        double *const row = a + (int64_t)j * n;
        for (int k = 0; k < j; k++) {
            const double *const other = a + (int64_t)k * n;
            double sum = row[k];
            for (int i = 0; i < k; i++)
                sum -= row[i] * other[i];
            row[k] = sum / other[k];
        }
        double pivot = row[j];
        for (int i = 0; i < j; i++)
            pivot -= row[i] * row[i];
        row[j] = pivot > lost ? sqrt(pivot) : 1;
        memset(row + j + 1, 0, sizeof *row * (size_t)(n - j - 1));
    }
    for (int i = 0; i < n; i++) { /* row i of L^-1 from those above it */
        double *const row = a + (int64_t)i * n;
        const double scale = 1 / row[i];
        row[i] = 0;
        for (int k = 0; k < i; k++) {
            const double factor = row[k];
            const double *const other = a + (int64_t)k * n;
            row[k] = 0;
            for (int c = 0; c <= k; c++)
                row[c] -= factor * other[c];
        }
        for (int c = 0; c < i; c++)
            row[c] *= scale;
        row[i] = scale;
    }
}

/* inverse = L^-T L^-1. */
static void multiply_factors(int n, const double *factor, double *inverse)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++) {
        double *const row = inverse + (int64_t)i * n;
        for (int k = i; k < n; k++) {
            const double left = factor[(int64_t)k * n + i];
            const double *const other = factor + (int64_t)k * n;
            for (int c = 0; c <= i; c++)
                row[c] += left * other[c];
        }
    }
    for (int i = 0; i < n; i++)
        for (int c = i + 1; c < n; c++)
            inverse[(int64_t)i * n + c] = inverse[(int64_t)c * n + i];
}

/* The full matrix in blocks. */
static ritz_status make_full(const ritz_block_rows *a, int n, const double *dense, ritz_precision vectors,
                             ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    const int b = a->height, n_rows = a->n_rows;
    const ritz_matrix_options options = {.precision = vectors, .values = RITZ_VALUES_F32};
    int64_t *start = NULL;
    int32_t *columns = NULL;
    double *values = NULL;
    RITZ_NEW(start, n_rows + 1);
    RITZ_NEW(columns, (int64_t)n_rows * n_rows);
    RITZ_NEW(values, (int64_t)n * n);
    for (int64_t row = 0; row < n_rows; row++) {
        start[row + 1] = start[row] + n_rows;
        for (int32_t column = 0; column < n_rows; column++) {
            columns[start[row] + column] = column;
            for (int64_t h = 0; h < b; h++)
                memcpy(values + ((start[row] + column) * b + h) * b, dense + (row * b + h) * n + column * b,
                       sizeof *values * (size_t)b);
        }
    }
    RITZ_TRY(ritz_matrix_create(a->device, &options, b, n_rows, start, columns, values, matrix));
done:
    ritz_free(start);
    ritz_free(columns);
    ritz_free(values);
    return status;
}

ritz_status ritz_multigrid_invert(const ritz_block_rows *a, ritz_precision vectors, ritz_matrix **inverse)
{
    ritz_status status = RITZ_OK;
    const int n = a->n_rows * a->height;
    double *dense = NULL, *product = NULL;
    RITZ_NEW(dense, (int64_t)n * n);
    RITZ_NEW(product, (int64_t)n * n);
    RITZ_TRY(read_dense(a, n, dense));
    invert_factor(n, dense);
    multiply_factors(n, dense, product);
    RITZ_TRY(make_full(a, n, product, vectors, inverse));
done:
    ritz_free(dense);
    ritz_free(product);
    return status;
}
