/* Motions that take no energy at all, as those of a part that nothing holds, or a potential without a prescribed value: where the
   right-hand side leaves them alone there is a solution. In the coarsest matrix, rounding of the prolongators in single precision gives
   them some energy, and its inverse would blow up what rounding leaves of them in residuals. There they are held. */
#include "base/eigen.h"
#include "multigrid/levels.h"

#include <math.h>

/* Energies a unit of its square, of a motion of the coarsest level that may be free, as 1e-13 to 1e-9 were seen to be and slender parts
   are, too; and of one that is, on the finest level, where rounding of the entries leaves up to 2e-16. */
static const double suspicious = 1e-7, free_most = 1e-15;
/* A column of which orthogonalisation leaves no more than this depends on those before it. */
static const double dependent = 1e-9;

enum { MOST = RITZ_NEAR_NULLSPACE_MOST };
typedef double gram[MOST][MOST];

/* The near-nullspace of a level, in each body that hangs together by itself. */
typedef struct motions {
    int64_t n;
    int columns, n_bodies;
    int32_t *body; /* [n] of each unknown; below n_bodies, of which some are empty */
    double *q;     /* [n][columns] the near-nullspace, then orthonormal columns of each body */
    gram *w;       /* [n_bodies] q = near-nullspace times w */
    gram *energy;  /* [n_bodies] q^T A q */
} motions;

static void destroy_motions(motions *m)
{
    ritz_free(m->body);
    ritz_free(m->q);
    ritz_free(m->w);
    ritz_free(m->energy);
}

static ritz_status create_motions(const multigrid_rows *rows, int64_t n, int n_bodies, motions *m)
{
    ritz_status status = RITZ_OK;
    *m = (motions){.n = n, .columns = rows->columns, .n_bodies = n_bodies};
    RITZ_NEW(m->body, n);
    RITZ_NEW(m->q, n * m->columns);
    RITZ_NEW(m->w, n_bodies);
    RITZ_NEW(m->energy, n_bodies);
    RITZ_TRY(ritz_buffer_read_reals(rows->nullspace, RITZ_F64, 0, m->q, n * m->columns));
done:
    return status;
}

/* sum[body]: of q_c q_d. */
static void add_products(const motions *m, int c, int d, double *sum)
{
    for (int b = 0; b < m->n_bodies; b++)
        sum[b] = 0;
    for (int64_t i = 0; i < m->n; i++)
        sum[m->body[i]] += m->q[i * m->columns + c] * m->q[i * m->columns + d];
}

/* q_c = (q_c - sum[body] q_d) scale[body], and so is w. */
static void change_column(motions *m, int c, int d, const double *sum, const double *scale)
{
    for (int64_t i = 0; i < m->n; i++) {
        double *const row = m->q + i * m->columns;
        const int32_t b = m->body[i];
        row[c] = (row[c] - (sum ? sum[b] * row[d] : 0)) * (scale ? scale[b] : 1);
    }
    for (int b = 0; b < m->n_bodies; b++)
        for (int k = 0; k < m->columns; k++) {
            double *const row = m->w[b][k];
            row[c] = (row[c] - (sum ? sum[b] * row[d] : 0)) * (scale ? scale[b] : 1);
        }
}

/* scale[body] = 1 / sqrt(sum), or 0 where that is not above least. */
static void invert_lengths(const motions *m, double least, const double *sum, double *scale)
{
    for (int b = 0; b < m->n_bodies; b++)
        scale[b] = sum[b] > least * least ? 1 / sqrt(sum[b]) : 0;
}

/* By Gram and Schmidt, twice, since motions about a far place are nearly alike; columns that depend on others become 0. */
static ritz_status orthonormalise(motions *m)
{
    ritz_status status = RITZ_OK;
    double *sum = NULL, *scale = NULL;
    RITZ_NEW(sum, m->n_bodies);
    RITZ_NEW(scale, m->n_bodies);
    for (int b = 0; b < m->n_bodies; b++)
        for (int c = 0; c < m->columns; c++)
            m->w[b][c][c] = 1;
    for (int c = 0; c < m->columns; c++) {
        add_products(m, c, c, sum);
        invert_lengths(m, 0, sum, scale);
        change_column(m, c, c, NULL, scale);
        for (int pass = 0; pass < 2; pass++) {
            for (int d = 0; d < c; d++) {
                add_products(m, c, d, sum);
                change_column(m, c, d, sum, NULL);
            }
            add_products(m, c, c, sum);
            invert_lengths(m, dependent, sum, scale);
            change_column(m, c, c, NULL, scale);
        }
    }
done:
    ritz_free(sum);
    ritz_free(scale);
    return status;
}

/* The energies of q_c, whose forces are A q_c, with those up to it. */
static void add_energies(motions *m, int c, const double *forces)
{
    for (int64_t i = 0; i < m->n; i++)
        for (int d = 0; d <= c; d++)
            m->energy[m->body[i]][c][d] += m->q[i * m->columns + d] * forces[i];
    for (int b = 0; b < m->n_bodies; b++)
        for (int d = 0; d < c; d++)
            m->energy[b][d][c] = m->energy[b][c][d];
}

/* combination[.][i] of the near-nullspace's columns, i below the number returned: motions of a body with energies below `most`. */
static int find_free(const motions *m, int body, double most, gram combination)
{
    gram energy, v;
    double value[MOST];
    const int k = m->columns;
    int n_free = 0;
    for (int c = 0; c < k; c++)
        for (int d = 0; d < k; d++)
            energy[c][d] = m->energy[body][c][d] + (c == d && m->w[body][c][c] == 0); /* 1 where it is no motion */
    ritz_symmetric_eigen(k, MOST, energy[0], value, v[0]);
    for (int i = 0; i < k; i++) {
        if (!(fabs(value[i]) < most))
            continue;
        for (int c = 0; c < k; c++) {
            combination[c][n_free] = 0;
            for (int d = 0; d < k; d++)
                combination[c][n_free] += m->w[body][c][d] * v[d][i];
        }
        n_free++;
    }
    return n_free;
}

/* ---- The coarsest level ---- */

/* body[n]: the least row that the row of an unknown hangs together with. */
static void find_bodies(const ritz_block_rows *a, const multigrid_host_rows *r, int64_t n, int32_t *body)
{
    const int h = a->height;
    bool changed = true;
    for (int64_t i = 0; i < n; i++)
        body[i] = (int32_t)(i / h);
    while (changed) {
        changed = false;
        for (int32_t row = 0; row < a->n_rows; row++)
            for (int64_t k = r->start[row]; k < r->start[row + 1]; k++) {
                int32_t *const own = body + (int64_t)row * h, *const other = body + (int64_t)r->columns[k] * h;
                const int32_t least = *own < *other ? *own : *other;
                changed = changed || *own != *other;
                *own = *other = least;
            }
    }
    for (int64_t i = 0; i < n; i++)
        body[i] = body[i / h * h];
}

static void multiply_rows(const ritz_block_rows *a, const multigrid_host_rows *r, const motions *m, int c,
                          double *forces)
{
    for (int64_t i = 0; i < m->n; i++) {
        const int64_t row = i / a->height, h = i % a->height;
        forces[i] = 0;
        for (int64_t k = r->start[row]; k < r->start[row + 1]; k++)
            for (int64_t w = 0; w < a->width; w++) {
                const int64_t j = (int64_t)r->columns[k] * a->width + w;
                if (j < m->n)
                    forces[i] += r->values[(k * a->height + h) * a->width + w] * m->q[j * m->columns + c];
            }
    }
}

static ritz_status look_at_coarsest(const ritz_multigrid *m, const multigrid_rows *coarsest, motions *found)
{
    ritz_status status = RITZ_OK;
    const int64_t n = m->level[m->n_levels - 1].info.n_rows;
    multigrid_host_rows rows = {0};
    double *forces = NULL;
    RITZ_NEW(forces, n);
    RITZ_TRY(create_motions(coarsest, n, coarsest->a->n_rows, found));
    RITZ_TRY(ritz_multigrid_read_rows(coarsest->a, &rows));
    find_bodies(coarsest->a, &rows, n, found->body);
    RITZ_TRY(orthonormalise(found));
    for (int c = 0; c < found->columns; c++) {
        multiply_rows(coarsest->a, &rows, found, c, forces);
        add_energies(found, c, forces);
    }
done:
    ritz_multigrid_destroy_host_rows(&rows);
    ritz_free(forces);
    return status;
}

/* ---- The finest level ---- */

/* The body of each unknown there, which any of its motions moves. */
static ritz_status find_bodies_of_finest(const ritz_multigrid *m, const motions *coarse, motions *fine)
{
    ritz_status status = RITZ_OK;
    const multigrid_level *coarsest = &m->level[m->n_levels - 1];
    double *values = NULL;
    RITZ_NEW(values, ritz_max64(fine->n, coarse->n));
    for (int32_t b = 0; b < coarse->n_bodies; b++) {
        bool is_body = false;
        for (int64_t i = 0; i < coarse->n; i++) {
            is_body = is_body || coarse->body[i] == b;
            values[i] = coarse->body[i] == b ? sin((double)i + 1) : 0;
        }
        if (!is_body)
            continue;
        RITZ_TRY(ritz_buffer_write_reals(coarsest->z[0], m->options.vectors, 0, values, coarse->n));
        RITZ_TRY(ritz_multigrid_prolong(m));
        RITZ_TRY(ritz_buffer_read_reals(m->level->z[0], m->options.vectors, 0, values, fine->n));
        for (int64_t i = 0; i < fine->n; i++)
            fine->body[i] = values[i] != 0 ? b : fine->body[i];
    }
done:
    ritz_free(values);
    return status;
}

/* Energies in D^-1/2 A D^-1/2. Bodies have none together, so that one product serves all. */
static ritz_status measure_energies(const ritz_multigrid *m, const ritz_matrix *matrix, motions *fine)
{
    ritz_status status = RITZ_OK;
    const int64_t n = fine->n, bytes = ritz_buffer_bytes(m->options.weight);
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
    for (int c = 0; c < fine->columns; c++) {
        for (int64_t i = 0; i < n; i++)
            x[i] = root[i] * fine->q[i * fine->columns + c];
        RITZ_TRY(ritz_buffer_write_reals(motion, RITZ_F64, 0, x, n));
        RITZ_TRY(ritz_matrix_product(matrix, &(ritz_product){.alpha = 1}, motion, forces, NULL));
        RITZ_TRY(ritz_buffer_read_reals(forces, RITZ_F64, 0, x, n));
        for (int64_t i = 0; i < n; i++)
            x[i] *= root[i];
        add_energies(fine, c, x);
    }
done:
    ritz_free(root);
    ritz_free(x);
    ritz_buffer_destroy(&motion);
    ritz_buffer_destroy(&forces);
    return status;
}

static ritz_status look_at_finest(const ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *finest,
                                  const motions *coarse, motions *found)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(create_motions(finest, matrix->n_unknowns, coarse->n_bodies, found));
    RITZ_TRY(find_bodies_of_finest(m, coarse, found));
    RITZ_TRY(orthonormalise(found));
    RITZ_TRY(measure_energies(m, matrix, found));
done:
    return status;
}

/* ---- Both ---- */

ritz_status ritz_multigrid_may_be_free(const ritz_multigrid *m, const multigrid_rows *coarsest, bool *may)
{
    ritz_status status = RITZ_OK;
    motions coarse = {0};
    gram combination;
    *may = false;
    if (!m->level[m->n_levels - 1].factor[0] || m->options.unsymmetric || m->setup != RITZ_F64)
        return RITZ_OK;
    RITZ_TRY(look_at_coarsest(m, coarsest, &coarse));
    for (int b = 0; b < coarse.n_bodies && !*may; b++)
        *may = find_free(&coarse, b, suspicious, combination) > 0;
done:
    destroy_motions(&coarse);
    return status;
}

/* motions[n_free][n], of length 1: combinations of the near-nullspace[n][columns] in one body. */
static void combine(const motions *coarse, const double *nullspace, int body, int n_free, gram combination, double *to)
{
    for (int f = 0; f < n_free; f++) {
        double *const motion = to + f * coarse->n;
        double square = 0;
        for (int64_t i = 0; i < coarse->n; i++) {
            motion[i] = 0;
            for (int c = 0; c < coarse->columns && coarse->body[i] == body; c++)
                motion[i] += nullspace[i * coarse->columns + c] * combination[c][f];
            square += motion[i] * motion[i];
        }
        for (int64_t i = 0; i < coarse->n && square > 0; i++)
            motion[i] /= sqrt(square);
    }
}

ritz_status ritz_multigrid_hold_free(ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *finest,
                                     const multigrid_rows *coarsest)
{
    ritz_status status = RITZ_OK;
    multigrid_level *level = &m->level[m->n_levels - 1];
    const int64_t n = level->info.n_rows;
    motions coarse = {0}, fine = {0};
    double *held = NULL, *nullspace = NULL;
    gram combination;
    RITZ_TRY(look_at_coarsest(m, coarsest, &coarse));
    if (finest)
        RITZ_TRY(look_at_finest(m, matrix, finest, &coarse, &fine));
    RITZ_NEW(nullspace, n * coarse.columns);
    RITZ_NEW(held, n * n);
    RITZ_TRY(ritz_buffer_read_reals(coarsest->nullspace, RITZ_F64, 0, nullspace, n * coarse.columns));
    for (int b = 0; b < coarse.n_bodies; b++) {
        const int n_free = find_free(finest ? &fine : &coarse, b, free_most, combination);
        combine(&coarse, nullspace, b, n_free, combination, held + m->n_free * n);
        m->n_free += n_free;
    }
    if (m->n_free > 0) {
        ritz_log("multigrid: %d motions take no energy, and are held on the coarsest level", m->n_free);
        ritz_matrix_destroy(&level->factor[0]);
        ritz_matrix_destroy(&level->factor[1]);
        RITZ_TRY(ritz_multigrid_factorise(m, coarsest->a, m->n_free, held, level->factor));
    }
done:
    destroy_motions(&coarse);
    destroy_motions(&fine);
    ritz_free(held);
    ritz_free(nullspace);
    return status;
}
