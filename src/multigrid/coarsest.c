/* The coarsest level A = L U^T, U = L where it is symmetric: L^-1 and U^-T, by elimination on the host, as matrices on the device.
   L^-1 and its transpose are a positive definite inverse even rounded to single precision, as A^-1 is not where A's
   condition is above 10^7. */
#include "base/lanes.h"
#include "multigrid/levels.h"

#include <float.h>
#include <math.h>
#include <string.h>

ritz_status ritz_multigrid_read_rows(const ritz_block_rows *a, multigrid_host_rows *rows)
{
    ritz_status status = RITZ_OK;
    const int64_t entries = a->n_blocks * a->height * a->width;
    RITZ_NEW(rows->start, (int64_t)a->n_rows + 1);
    RITZ_NEW(rows->columns, a->n_blocks);
    RITZ_NEW(rows->values, entries);
    RITZ_TRY(ritz_buffer_read(a->row_start, 0, rows->start, ((int64_t)a->n_rows + 1) * 8));
    RITZ_TRY(ritz_buffer_read(a->columns, 0, rows->columns, a->n_blocks * 4));
    RITZ_TRY(ritz_buffer_read_reals(a->values, a->precision, 0, rows->values, entries));
done:
    return status;
}

void ritz_multigrid_destroy_host_rows(multigrid_host_rows *rows)
{
    ritz_free(rows->start);
    ritz_free(rows->columns);
    ritz_free(rows->values);
}

/* dense[n][n] = the rows, and of the rows past the last the diagonal alone, as 1. */
static ritz_status read_dense(const ritz_block_rows *a, int n, double *dense)
{
    ritz_status status = RITZ_OK;
    multigrid_host_rows rows = {0};
    RITZ_TRY(ritz_multigrid_read_rows(a, &rows));
    for (int32_t row = 0; row < a->n_rows; row++)
        for (int64_t k = rows.start[row]; k < rows.start[row + 1]; k++)
            for (int h = 0; h < a->height; h++)
                memcpy(dense + ((int64_t)row * a->height + h) * n + (int64_t)rows.columns[k] * a->width,
                       rows.values + (k * a->height + h) * a->width, sizeof *dense * (size_t)a->width);
    for (int64_t row = (int64_t)a->n_rows * a->height; row < n; row++)
        dense[row * n + row] = 1;
done:
    ritz_multigrid_destroy_host_rows(&rows);
    return status;
}

/* Multiples of four rows are subtracted from four others at a time: each number that is read then serves four times. */
enum { PANEL = 4 };

/* rows[PANEL][n], the first `length` entries of each: minus factor[r][k] times those of other[PANEL][n], one k after the other. */
RITZ_EACH_WIDTH static void subtract_products(int64_t n, int64_t length, double factor[PANEL][PANEL],
                                              const double *restrict other, double *restrict rows)
{
    for (int64_t i = 0; i < length; i++) {
        double of[PANEL];
        for (int k = 0; k < PANEL; k++)
            of[k] = other[k * n + i];
        for (int r = 0; r < PANEL; r++) {
            double entry = rows[r * n + i];
            for (int k = 0; k < PANEL; k++)
                entry -= factor[r][k] * of[k];
            rows[r * n + i] = entry;
        }
    }
}

/* Of a panel of rows of L (or of U) from number j on, the first j entries: made of those of A (or of A^T), the diagonal of `other`, and its
   columns, which stand as rows above the diagonal of `own`. */
static void eliminate_panel(int64_t n, int64_t j, const double *other, double *own)
{
    double *const rows = own + j * n, factor[PANEL][PANEL];
    for (int64_t k = 0; k < j; k += PANEL) {
        const double *const above = own + k * n + k;
        for (int r = 0; r < PANEL; r++)
            for (int c = 0; c < PANEL; c++) {
                double entry = rows[r * n + k + c];
                for (int i = 0; i < c; i++)
                    entry -= factor[r][i] * above[i * n + c];
                factor[r][c] = rows[r * n + k + c] = entry / other[(k + c) * n + k + c];
            }
        subtract_products(n, j - k - PANEL, factor, above + PANEL, rows + k + PANEL);
    }
}

/* row[k] = (row[k] - the sum of row[i] other[i] for i < k) / other[k]. */
static void eliminate_entry(double *row, const double *other, int64_t k)
{
    double sum = row[k];
    for (int64_t i = 0; i < k; i++)
        sum -= row[i] * other[i];
    row[k] = sum / other[k];
}

/* Row j of L and of U, whose entries before number `first` are there. Above L's diagonal goes U^T, above U's L^T. */
static void finish_row(int64_t n, int64_t first, int64_t j, double lost, double *l, double *u)
{
    double *const row = l + j * n, *const column = u + j * n;
    for (int64_t k = first; k < j; k++) {
        eliminate_entry(row, u + k * n, k);
        if (u != l)
            eliminate_entry(column, l + k * n, k);
    }
    double pivot = row[j];
    for (int64_t k = 0; k < j; k++) {
        pivot -= row[k] * column[k];
        l[k * n + j] = column[k];
        u[k * n + j] = row[k];
    }
    row[j] = pivot > lost || (u != l && pivot < -lost) ? sqrt(fabs(pivot)) : 1;
    column[j] = u != l && pivot < -lost ? -row[j] : row[j];
}

/* A = L U^T: in place of the lower halves of A and its transpose L and U, which are one array where A is symmetric. The diagonal
   is about 1: a pivot that is lost in the rounding of the levels above belongs to a motion without energy, and becomes 1, so
   that nothing grows without bound. A matrix that is not symmetric may have negative ones. */
static void factorise_dense(int64_t n, double lost, double *l, double *u)
{
    for (int64_t first = 0; first < n; first += PANEL) {
        eliminate_panel(n, first, u, l);
        if (u != l)
            eliminate_panel(n, first, l, u);
        for (int64_t j = first; j < first + PANEL; j++)
            finish_row(n, first, j, lost, l, u);
    }
}

/* Row i of L^-1 in place of L's: what is left of it is the part of the rows from number `first` on above it, which are inverted. */
static void finish_inverse_row(int64_t n, int64_t first, int64_t i, double *a)
{
    double *const row = a + i * n;
    const double scale = 1 / row[i];
    for (int64_t k = first; k < i; k++) {
        const double factor = row[k];
        row[k] = 0;
        for (int64_t c = 0; c <= k; c++)
            row[c] -= factor * a[k * n + c];
    }
    for (int64_t c = 0; c < i; c++)
        row[c] *= scale;
    row[i] = scale;
}

/* L^-1 in place of L; zeros above its diagonal. */
static void invert_triangle(int64_t n, double *a)
{
    for (int64_t first = 0; first < n; first += PANEL) {
        double *const rows = a + first * n, factor[PANEL][PANEL];
        for (int64_t r = 0; r < PANEL; r++)
            memset(rows + r * n + first + r + 1, 0, sizeof *rows * (size_t)(n - first - r - 1));
        for (int64_t k = 0; k < first; k += PANEL) {
            for (int r = 0; r < PANEL; r++)
                for (int c = 0; c < PANEL; c++) {
                    factor[r][c] = rows[r * n + k + c];
                    rows[r * n + k + c] = 0;
                }
            subtract_products(n, k + PANEL, factor, a + k * n, rows);
        }
        for (int64_t i = first; i < first + PANEL; i++)
            finish_inverse_row(n, first, i, a);
    }
}

/* The blocks of a lower triangle dense[.][n], or of its transpose, that are not zero; a->n_rows rows of them. */
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

/* dense[n][n] plus the sum of motion motion^T over motions[n_motions][n_rows]. */
static void add_springs(int n, int64_t n_rows, int n_motions, const double *motions, double *dense)
{
    for (int f = 0; f < n_motions; f++)
        for (int64_t i = 0; i < n_rows; i++)
            for (int64_t j = 0; j < n_rows; j++)
                dense[i * n + j] += motions[f * n_rows + i] * motions[f * n_rows + j];
}

ritz_status ritz_multigrid_factorise(const ritz_multigrid *m, const ritz_block_rows *a, int n_motions,
                                     const double *motions, ritz_matrix *factor[2])
{
    ritz_status status = RITZ_OK;
    const ritz_precision vectors = m->options.vectors;
    const int n = (a->n_rows * a->height + PANEL - 1) / PANEL * PANEL; /* whole panels */
    const double lost = 64 * (a->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
    double *l = NULL, *other = NULL;
    RITZ_NEW(l, (int64_t)n * n);
    RITZ_TRY(read_dense(a, n, l));
    add_springs(n, (int64_t)a->n_rows * a->height, n_motions, motions, l);
    if (m->options.unsymmetric)
        RITZ_NEW(other, (int64_t)n * n);
    for (int64_t i = 0; i < n && other; i++)
        for (int64_t j = 0; j <= i; j++)
            other[i * n + j] = l[j * n + i];
    double *const u = other ? other : l;
    factorise_dense(n, lost, l, u);
    invert_triangle(n, l);
    if (other)
        invert_triangle(n, u);
    RITZ_TRY(make_triangle(a, n, l, false, vectors, &factor[0]));
    RITZ_TRY(make_triangle(a, n, u, true, vectors, &factor[1]));
done:
    ritz_free(l);
    ritz_free(other);
    return status;
}
