/* The level of a solution: what is added to each unknown of a component alike. Where next to nothing holds it (a weak film, a soft spring,
   a resistance to earth), its forces are below the tolerance of a residual, and an iteration with the diagonal finds it last; its
   equation is the sum of all of them. */
#include "solve/krylov.h"

#include <math.h>

/* Sums of rows that are no more than this times the rounding of the diagonal's sum are rounding: nothing holds the level. And where rows
   of both signs cancel more than half of each other, as those of convection do, their sum is not what holds it. */
static const double rounding = 64, cancelled = 0.5;

/* Components of a node: of the matrix's blocks, or as the caller says. */
static int count_components(const krylov *k)
{
    const int per_node = k->preconditioner.unknowns_per_node;
    return per_node > k->matrix->block && per_node <= LEVEL_MOST ? per_node : k->matrix->block;
}

static int component(const krylov *k, int n_c, int64_t i)
{
    return (int)(ritz_krylov_row(k, i) % n_c);
}

/* k->level, and k->is_level_free of components that nothing holds, whose rows and columns are those of the identity. R is as it was. */
static ritz_status sum_rows(krylov *k, double *work)
{
    ritz_status status = RITZ_OK;
    const int n_c = count_components(k);
    double size[LEVEL_MOST] = {0}, sizes[LEVEL_MOST] = {0}; /* of the diagonal, and of sums of rows */
    if (k->has_level)
        return RITZ_OK;
    RITZ_TRY(ritz_matrix_read_diagonal(k->matrix, work));
    for (int64_t i = 0; i < k->n; i++)
        size[component(k, n_c, i)] += fabs(work[i]);
    for (int d = 0; d < n_c; d++) {
        for (int64_t i = 0; i < k->n; i++)
            work[i] = component(k, n_c, i) == d;
        RITZ_TRY(ritz_buffer_write_reals(k->vector[VECTOR_P], k->precision, 0, work, k->n));
        RITZ_TRY(ritz_krylov_multiply(k, VECTOR_P, VECTOR_Q));
        RITZ_TRY(ritz_buffer_read_reals(k->vector[VECTOR_Q], k->precision, 0, work, k->n));
        for (int c = 0; c < n_c; c++)
            k->level[c][d] = 0;
        for (int64_t i = 0; i < k->n; i++) {
            const int c = component(k, n_c, i);
            k->level[c][d] += work[i];
            sizes[d] += c == d ? fabs(work[i]) : 0;
        }
    }
    for (int c = 0; c < n_c; c++) {
        const double level = fabs(k->level[c][c]);
        k->is_level_free[c] = !(level > rounding * ritz_krylov_epsilon(k) * size[c] && level >= cancelled * sizes[c]);
        for (int d = 0; d < n_c && k->is_level_free[c]; d++)
            k->level[c][d] = k->level[d][c] = c == d;
    }
    k->has_level = true;
done:
    return status;
}

/* x [n] of a x = b by Gauss' elimination; false: a is singular, or nearly so. */
static bool solve_small(int n, double a[LEVEL_MOST][LEVEL_MOST], double *b)
{
    static const double lost = 1e-8;
    for (int i = 0; i < n; i++) {
        const double whole = a[i][i];
        for (int j = 0; j < i; j++) {
            const double factor = a[i][j] / a[j][j];
            for (int c = j; c < n; c++)
                a[i][c] -= factor * a[j][c];
            b[i] -= factor * b[j];
        }
        if (!(fabs(a[i][i]) > lost * fabs(whole)))
            return false;
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            b[i] -= a[i][c] * b[c];
        b[i] /= a[i][i];
    }
    return true;
}

/* The size of a level of change[components], beside that of x [n]; 0 where it is no number. */
static double measure_share(const krylov *k, const double *change, const double *x)
{
    const int n_c = count_components(k);
    double square = 0, whole = 0;
    for (int64_t i = 0; i < k->n; i++) {
        const double own = change[component(k, n_c, i)];
        whole += x[i] * x[i];
        square += own * own;
    }
    return whole > 0 && isfinite(square) ? sqrt(square / whole) : 0;
}

ritz_status ritz_krylov_find_level(krylov *k, double *change, double *share)
{
    ritz_status status = RITZ_OK;
    double *work = NULL, a[LEVEL_MOST][LEVEL_MOST];
    const int n_c = count_components(k);
    *share = 0;
    RITZ_NEW(work, k->n);
    RITZ_TRY(sum_rows(k, work));
    RITZ_TRY(ritz_buffer_read_reals(k->vector[VECTOR_R], k->precision, 0, work, k->n));
    for (int c = 0; c < n_c; c++) {
        change[c] = 0;
        for (int d = 0; d < n_c; d++)
            a[c][d] = k->level[c][d];
    }
    for (int64_t i = 0; i < k->n; i++)
        change[component(k, n_c, i)] += work[i];
    for (int c = 0; c < n_c; c++)
        change[c] = k->is_level_free[c] ? 0 : change[c];
    RITZ_TRY(ritz_buffer_read_reals(k->vector[VECTOR_X], k->precision, 0, work, k->n));
    *share = solve_small(n_c, a, change) ? measure_share(k, change, work) : 0;
done:
    ritz_free(work);
    return status;
}

ritz_status ritz_krylov_raise(krylov *k, const double *change)
{
    ritz_status status = RITZ_OK;
    const int n_c = count_components(k);
    double *x = NULL;
    RITZ_NEW(x, k->n);
    RITZ_TRY(ritz_buffer_read_reals(k->vector[VECTOR_X], k->precision, 0, x, k->n));
    for (int64_t i = 0; i < k->n; i++)
        x[i] += change[component(k, n_c, i)];
    RITZ_TRY(ritz_buffer_write_reals(k->vector[VECTOR_X], k->precision, 0, x, k->n));
done:
    ritz_free(x);
    return status;
}
