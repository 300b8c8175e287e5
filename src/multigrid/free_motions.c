/* Motions that take no energy at all, as those of a part that nothing holds, or a potential without a prescribed value: where the
   right-hand side leaves them alone there is a solution. In the coarsest matrix, rounding of the prolongators in single precision gives
   them some energy, and its inverse would blow up what rounding leaves of them in residuals. There they are held. */
#include "base/eigen.h"
#include "multigrid/levels.h"

#include <math.h>

/* The least pivot of the coarsest matrix says that there may be any: 1e-12 to 1e-9 were seen of them, and as little of slender parts. */
static const double suspicious = 1e-7;
/* Energy a unit of its square in the scaled matrix, in double, of a motion that is free: rounding of the entries alone leaves up to
   2e-16. */
static const double free_most = 1e-15;
/* Directions that are no more than this share of the longest one are rounding. */
static const double dependent = 1e-10;

enum { MOST = RITZ_NEAR_NULLSPACE_MOST };

/* What k motions span, by their energies and products, both symmetric: combination[.][i], i below the number returned, are
   those without energy. */
static int find_free(int k, double energy[MOST][MOST], double product[MOST][MOST], double combination[MOST][MOST])
{
    double v[MOST][MOST], value[MOST], unit[MOST][MOST], of_units[MOST][MOST] = {0};
    double longest = 0;
    int n_units = 0, n_free = 0;
    ritz_symmetric_eigen(k, MOST, product[0], value, v[0]);
    for (int i = 0; i < k; i++)
        longest = fmax(longest, value[i]);
    for (int i = 0; i < k; i++) {
        if (!(value[i] > dependent * longest))
            continue;
        for (int c = 0; c < k; c++)
            unit[c][n_units] = v[c][i] / sqrt(value[i]);
        n_units++;
    }
    for (int i = 0; i < n_units; i++)
        for (int j = 0; j < n_units; j++)
            for (int c = 0; c < k; c++)
                for (int d = 0; d < k; d++)
                    of_units[i][j] += unit[c][i] * energy[c][d] * unit[d][j];
    ritz_symmetric_eigen(n_units, MOST, of_units[0], value, v[0]);
    for (int i = 0; i < n_units; i++) {
        if (!(fabs(value[i]) < free_most))
            continue;
        for (int c = 0; c < k; c++) {
            combination[c][n_free] = 0;
            for (int u = 0; u < n_units; u++)
                combination[c][n_free] += unit[c][u] * v[u][i];
        }
        n_free++;
    }
    return n_free;
}

/* energy and product of all columns of nullspace[n][columns], which is that of D^-1/2 A D^-1/2. */
static ritz_status measure_motions(const ritz_multigrid *m, const ritz_matrix *finest, int columns,
                                   const double *nullspace, double energy[MOST][MOST], double product[MOST][MOST])
{
    ritz_status status = RITZ_OK;
    const int64_t n = finest->n_unknowns, bytes = ritz_buffer_bytes(m->options.weight);
    ritz_buffer *motion = NULL, *forces = NULL;
    double *root = NULL, *x = NULL;
    RITZ_NEW(root, n);
    RITZ_NEW(x, n);
    RITZ_TRY(ritz_buffer_create(m->device, bytes, "a motion", &motion));
    RITZ_TRY(ritz_buffer_create(m->device, bytes, "forces of a motion", &forces));
    RITZ_TRY(ritz_buffer_zero(motion));
    RITZ_TRY(ritz_buffer_read_reals(m->options.weight, RITZ_F64, 0, root, n));
    for (int64_t i = 0; i < n; i++)
        root[i] = sqrt(root[i]);
    for (int c = 0; c < columns; c++) {
        for (int64_t i = 0; i < n; i++)
            x[i] = root[i] * nullspace[i * columns + c];
        RITZ_TRY(ritz_buffer_write_reals(motion, RITZ_F64, 0, x, n));
        RITZ_TRY(ritz_matrix_product(finest, &(ritz_product){.alpha = 1}, motion, forces, NULL));
        RITZ_TRY(ritz_buffer_read_reals(forces, RITZ_F64, 0, x, n));
        for (int d = 0; d <= c; d++) {
            double work = 0, square = 0;
            for (int64_t i = 0; i < n; i++) {
                work += root[i] * nullspace[i * columns + d] * x[i];
                square += nullspace[i * columns + d] * nullspace[i * columns + c];
            }
            energy[c][d] = energy[d][c] = work;
            product[c][d] = product[d][c] = square;
        }
    }
done:
    ritz_free(root);
    ritz_free(x);
    ritz_buffer_destroy(&motion);
    ritz_buffer_destroy(&forces);
    return status;
}

/* motions[n][n_free] of length 1. */
static void combine(int64_t n, int columns, const double *nullspace, int n_free, double combination[MOST][MOST],
                    double *motions)
{
    for (int f = 0; f < n_free; f++) {
        double square = 0;
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int c = 0; c < columns; c++)
                sum += nullspace[i * columns + c] * combination[c][f];
            motions[i * n_free + f] = sum;
            square += sum * sum;
        }
        for (int64_t i = 0; i < n && square > 0; i++)
            motions[i * n_free + f] /= sqrt(square);
    }
}

bool ritz_multigrid_may_be_free(const ritz_multigrid *m, const multigrid_level *coarsest)
{
    return coarsest->least_pivot < suspicious && coarsest != m->level && !m->options.unsymmetric &&
           m->setup == RITZ_F64;
}

ritz_status ritz_multigrid_hold_free(ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *finest,
                                     const multigrid_rows *coarsest, multigrid_level *level)
{
    ritz_status status = RITZ_OK;
    const int columns = finest->columns;
    const int64_t n = matrix->n_unknowns, n_coarse = level->info.n_rows;
    double energy[MOST][MOST], product[MOST][MOST], combination[MOST][MOST];
    double *nullspace = NULL, *motions = NULL;
    RITZ_NEW(nullspace, ritz_max64(n, n_coarse) * columns);
    RITZ_TRY(ritz_buffer_read_reals(finest->nullspace, RITZ_F64, 0, nullspace, n * columns));
    RITZ_TRY(measure_motions(m, matrix, columns, nullspace, energy, product));
    const int n_free = m->n_free = find_free(columns, energy, product, combination);
    if (n_free > 0) {
        ritz_log("multigrid: %d motions take no energy, and are held on the coarsest level", n_free);
        RITZ_NEW(motions, n_coarse * n_free);
        RITZ_TRY(ritz_buffer_read_reals(coarsest->nullspace, RITZ_F64, 0, nullspace, n_coarse * columns));
        combine(n_coarse, columns, nullspace, n_free, combination, motions);
        ritz_matrix_destroy(&level->factor[0]);
        ritz_matrix_destroy(&level->factor[1]);
        RITZ_TRY(ritz_multigrid_factorise(m, coarsest->a, n_free, motions, level));
    }
done:
    ritz_free(nullspace);
    ritz_free(motions);
    return status;
}
