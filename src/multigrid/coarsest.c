/* The coarsest level A = L U^T, U = L where it is symmetric: L^-1 and U^-T, by elimination on the host, as matrices on the device.
   L^-1 and its transpose are a positive definite inverse even rounded to single precision, as A^-1 is not where A's
   condition is above 10^7. */
#include "multigrid/levels.h"

#include <float.h>
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

/* Row j of L (or of U), from its first j entries of A (or of A^T): other's diagonal, and the other's columns, which stand as rows above
   the diagonal of `own`. Along rows, so that it is done in vectors. */
static void eliminate_row(int64_t n, int64_t j, const double *other, const double *own, double *row)
{
    for (int64_t k = 0; k < j; k++) {
        const double *const column = own + k * n;
        const double entry = row[k] / other[k * n + k];
        row[k] = entry;
        for (int64_t i = k + 1; i < j; i++)
            row[i] -= entry * column[i];
    }
}

/* A = L U^T: in place of the lower halves of A and its transpose L and U, which are one array where A is symmetric; above L's
   diagonal stands U^T, above U's L^T. The diagonal is about 1: a pivot that is lost in the rounding of the levels above belongs to a
   motion without energy, and becomes 1, so that nothing grows without bound. A matrix that is not symmetric may have negative ones. */
static void factorise_dense(int64_t n, double lost, double *l, double *u)
{
    for (int64_t j = 0; j < n; j++) {
        double *const row = l + j * n, *const column = u + j * n;
        eliminate_row(n, j, u, l, row);
        if (u != l)
            eliminate_row(n, j, l, u, column);
        double pivot = row[j];
        for (int64_t k = 0; k < j; k++) {
            pivot -= row[k] * column[k];
            l[k * n + j] = column[k];
            u[k * n + j] = row[k];
        }
        row[j] = pivot > lost || (u != l && pivot < -lost) ? sqrt(fabs(pivot)) : 1;
        column[j] = u != l && pivot < -lost ? -row[j] : row[j];
    }
}

/* L^-1 in place of L; zeros above its diagonal. */
static void invert_triangle(int n, double *a)
{
    for (int i = 0; i < n; i++) { /* row i from those above it */
        double *const row = a + (int64_t)i * n;
        const double scale = 1 / row[i];
        memset(row + i, 0, sizeof *row * (size_t)(n - i));
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

/* The blocks of a lower triangle, or of its transpose, that are not zero. */
static ritz_status make_triangle(const ritz_block_rows *a, int n, const double *dense, bool transposed,
                                 ritz_precision vectors, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    const int b = a->height;
    const int64_t n_rows = a->n_rows, n_blocks = n_rows * (n_rows + 1) / 2;
    const ritz_matrix_options options = {.precision = vectors, .values = RITZ_VALUES_F32};
    int64_t *start = NULL, k = 0;
    int32_t *columns = NULL;
    double *values = NULL;
    RITZ_NEW(start, n_rows + 1);
    RITZ_NEW(columns, n_blocks);
    RITZ_NEW(values, n_blocks * b * b);
    for (int64_t row = 0; row < n_rows; row++) {
        for (int64_t column = transposed ? row : 0; column < (transposed ? n_rows : row + 1); column++, k++) {
            columns[k] = (int32_t)column;
            for (int64_t h = 0; h < b; h++)
                for (int64_t w = 0; w < b; w++)
                    values[(k * b + h) * b + w] = transposed ? dense[(column * b + w) * n + row * b + h]
                                                             : dense[(row * b + h) * n + column * b + w];
        }
        start[row + 1] = k;
    }
    RITZ_TRY(ritz_matrix_create(a->device, &options, b, n_rows, start, columns, values, matrix));
done:
    ritz_free(start);
    ritz_free(columns);
    ritz_free(values);
    return status;
}

ritz_status ritz_multigrid_factorise(const ritz_block_rows *a, bool symmetric, ritz_precision vectors,
                                     ritz_matrix *factor[2])
{
    ritz_status status = RITZ_OK;
    const int n = a->n_rows * a->height;
    const double lost = 64 * (a->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
    double *l = NULL, *other = NULL;
    RITZ_NEW(l, (int64_t)n * n);
    RITZ_TRY(read_dense(a, n, l));
    if (!symmetric)
        RITZ_NEW(other, (int64_t)n * n);
    for (int64_t i = 0; i < n && other; i++)
        for (int64_t j = 0; j <= i; j++)
            other[i * n + j] = l[j * n + i];
    double *const u = symmetric ? l : other;
    factorise_dense(n, lost, l, u);
    invert_triangle(n, l);
    if (!symmetric)
        invert_triangle(n, u);
    RITZ_TRY(make_triangle(a, n, l, false, vectors, &factor[0]));
    RITZ_TRY(make_triangle(a, n, u, true, vectors, &factor[1]));
done:
    ritz_free(l);
    ritz_free(other);
    return status;
}
