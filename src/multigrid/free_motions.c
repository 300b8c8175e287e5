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

typedef double gram[MOST][MOST];

/* to = from[k][n_from] times by[n_from][n_to]. */
static void multiply(int k, int n_from, int n_to, gram from, gram by, gram to)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n_to; j++) {
            to[i][j] = 0;
            for (int m = 0; m < n_from; m++)
                to[i][j] += from[i][m] * by[m][j];
        }
}

/* basis[.][i], i below the number returned: combinations of k motions that have length 1 and are orthogonal. product is overwritten. */
static int find_basis(int k, gram product, gram basis)
{
    gram v;
    double value[MOST], longest = 0;
    int n = 0;
    ritz_symmetric_eigen(k, MOST, product[0], value, v[0]);
    for (int i = 0; i < k; i++)
        longest = fmax(longest, value[i]);
    for (int i = 0; i < k; i++) {
        if (!(value[i] > dependent * longest))
            continue;
        for (int c = 0; c < k; c++)
            basis[c][n] = v[c][i] / sqrt(value[i]);
        n++;
    }
    return n;
}

/* What k motions span, by their energies and products, both symmetric: combination[.][i], i below the number returned, are
   those without energy. Both are overwritten. */
static int find_free(int k, gram energy, gram product, gram combination)
{
    gram basis, half_way, of_basis, turned, v;
    double value[MOST], length[MOST];
    int n_free = 0;
    for (int c = 0; c < k; c++)
        length[c] = sqrt(product[c][c]);
    const int n = find_basis(k, product, basis);
    multiply(k, k, n, energy, basis, half_way);
    for (int c = 0; c < k; c++)
        for (int i = 0; i < n; i++)
            turned[i][c] = basis[c][i];
    multiply(n, k, n, turned, half_way, of_basis);
    ritz_symmetric_eigen(n, MOST, of_basis[0], value, v[0]);
    multiply(k, n, n, basis, v, half_way);
    for (int i = 0; i < n; i++) {
        double terms = 0; /* which may cancel: turning about a far place is mostly moving */
        for (int c = 0; c < k; c++)
            terms += fabs(half_way[c][i]) * length[c];
        if (!(fabs(value[i]) < free_most * terms * terms))
            continue;
        for (int c = 0; c < k; c++)
            combination[c][n_free] = half_way[c][i];
        n_free++;
    }
    return n_free;
}

/* body[n_rows]: the least row that a row of the coarsest level hangs together with. */
static ritz_status find_bodies(const ritz_block_rows *a, int32_t *body)
{
    ritz_status status = RITZ_OK;
    int64_t *start = NULL;
    int32_t *columns = NULL;
    bool changed = true;
    RITZ_NEW(start, (int64_t)a->n_rows + 1);
    RITZ_NEW(columns, a->n_blocks);
    RITZ_TRY(ritz_buffer_read(a->row_start, 0, start, ((int64_t)a->n_rows + 1) * 8));
    RITZ_TRY(ritz_buffer_read(a->columns, 0, columns, a->n_blocks * 4));
    for (int32_t row = 0; row < a->n_rows; row++)
        body[row] = row;
    while (changed) {
        changed = false;
        for (int32_t row = 0; row < a->n_rows; row++)
            for (int64_t k = start[row]; k < start[row + 1]; k++) {
                const int32_t least = body[row] < body[columns[k]] ? body[row] : body[columns[k]];
                changed = changed || body[row] != body[columns[k]];
                body[row] = body[columns[k]] = least;
            }
    }
done:
    ritz_free(start);
    ritz_free(columns);
    return status;
}

/* label[n]: the body of each unknown of the finest level, which any of its motions moves. */
static ritz_status label_unknowns(const ritz_multigrid *m, int32_t n_nodes, const int32_t *body, int32_t *label)
{
    ritz_status status = RITZ_OK;
    const multigrid_level *coarsest = &m->level[m->n_levels - 1];
    const int64_t n = m->level->info.n_rows, n_coarse = coarsest->info.n_rows, block = n_coarse / n_nodes;
    double *values = NULL;
    RITZ_NEW(values, n);
    for (int32_t b = 0; b < n_nodes; b++) {
        if (body[b] != b)
            continue;
        for (int64_t i = 0; i < n_coarse; i++)
            values[i] = body[i / block] == b ? sin((double)i + 1) : 0;
        RITZ_TRY(ritz_buffer_write_reals(coarsest->z[0], m->options.vectors, 0, values, n_coarse));
        RITZ_TRY(ritz_multigrid_prolong(m));
        RITZ_TRY(ritz_buffer_read_reals(m->level->z[0], m->options.vectors, 0, values, n));
        for (int64_t i = 0; i < n; i++)
            label[i] = values[i] != 0 ? b : label[i];
    }
done:
    ritz_free(values);
    return status;
}

/* energy[body] and product[body] of all columns of nullspace[n][columns], which is that of D^-1/2 A D^-1/2. Bodies have no energy
   together, so that one product serves all. */
static ritz_status measure_motions(const ritz_multigrid *m, const ritz_matrix *finest, int columns,
                                   const double *nullspace, const int32_t *label, gram *energy, gram *product)
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
        for (int64_t i = 0; i < n; i++)
            for (int d = 0; d <= c; d++) {
                energy[label[i]][c][d] += root[i] * nullspace[i * columns + d] * x[i];
                product[label[i]][c][d] += nullspace[i * columns + d] * nullspace[i * columns + c];
            }
    }
done:
    ritz_free(root);
    ritz_free(x);
    ritz_buffer_destroy(&motion);
    ritz_buffer_destroy(&forces);
    return status;
}

static void complete(int columns, gram lower)
{
    for (int c = 0; c < columns; c++)
        for (int d = 0; d < c; d++)
            lower[d][c] = lower[c][d];
}

/* motions[n_free][n], of length 1: combinations of the coarsest near-nullspace[n][columns] in one body. */
static void combine(int64_t n, int64_t block, int columns, const double *nullspace, const int32_t *body, int32_t own,
                    int n_free, gram combination, double *motions)
{
    for (int f = 0; f < n_free; f++) {
        double *const motion = motions + f * n;
        double square = 0;
        for (int64_t i = 0; i < n; i++) {
            motion[i] = 0;
            for (int c = 0; c < columns && body[i / block] == own; c++)
                motion[i] += nullspace[i * columns + c] * combination[c][f];
            square += motion[i] * motion[i];
        }
        for (int64_t i = 0; i < n && square > 0; i++)
            motion[i] /= sqrt(square);
    }
}

bool ritz_multigrid_may_be_free(const ritz_multigrid *m)
{
    const multigrid_level *coarsest = &m->level[m->n_levels - 1];
    return coarsest->factor[0] && coarsest->least_pivot < suspicious && coarsest != m->level &&
           !m->options.unsymmetric && m->setup == RITZ_F64;
}

ritz_status ritz_multigrid_hold_free(ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *finest,
                                     const multigrid_rows *coarsest)
{
    ritz_status status = RITZ_OK;
    multigrid_level *level = &m->level[m->n_levels - 1];
    const int columns = finest->columns;
    const int32_t n_nodes = coarsest->a->n_rows;
    const int64_t n = matrix->n_unknowns, n_coarse = level->info.n_rows;
    int32_t *body = NULL, *label = NULL;
    gram *energy = NULL, *product = NULL, combination;
    double *nullspace = NULL, *motions = NULL;
    RITZ_NEW(body, n_nodes);
    RITZ_NEW(label, n);
    RITZ_NEW(energy, n_nodes);
    RITZ_NEW(product, n_nodes);
    RITZ_NEW(nullspace, ritz_max64(n, n_coarse) * columns);
    RITZ_NEW(motions, n_coarse * n_coarse);
    RITZ_TRY(find_bodies(coarsest->a, body));
    RITZ_TRY(label_unknowns(m, n_nodes, body, label));
    RITZ_TRY(ritz_buffer_read_reals(finest->nullspace, RITZ_F64, 0, nullspace, n * columns));
    RITZ_TRY(measure_motions(m, matrix, columns, nullspace, label, energy, product));
    RITZ_TRY(ritz_buffer_read_reals(coarsest->nullspace, RITZ_F64, 0, nullspace, n_coarse * columns));
    for (int32_t b = 0; b < n_nodes; b++) {
        if (body[b] != b)
            continue;
        complete(columns, energy[b]);
        complete(columns, product[b]);
        const int n_free = find_free(columns, energy[b], product[b], combination);
        combine(n_coarse, n_coarse / n_nodes, columns, nullspace, body, b, n_free, combination,
                motions + m->n_free * n_coarse);
        m->n_free += n_free;
    }
    if (m->n_free > 0) {
        ritz_log("multigrid: %d motions take no energy, and are held on the coarsest level", m->n_free);
        ritz_matrix_destroy(&level->factor[0]);
        ritz_matrix_destroy(&level->factor[1]);
        RITZ_TRY(ritz_multigrid_factorise(m, coarsest->a, m->n_free, motions, level));
    }
done:
    ritz_free(body);
    ritz_free(label);
    ritz_free(energy);
    ritz_free(product);
    ritz_free(nullspace);
    ritz_free(motions);
    return status;
}
