/* The V cycle: what it sends to the device. */
#include "multigrid/levels.h"

/* Step k (from 0) of the smoother from z with the iterate before it in the place of the result. */
static ritz_product smoother_step(const multigrid_smoother *s, int k, const ritz_buffer *r)
{
    const double omega = s->omega[k], mu = s->mu[k];
    return (ritz_product){.alpha = -omega, .beta = 1 - mu, .gamma = omega, .delta = mu, .z = r, .w = r};
}

/* Steps 0 to degree - 1 from z = 0, of which the first takes no product and is never formed: the next two take it from r.
   *now: the place of the result. */
static ritz_status smooth_before(const multigrid_level *l, const ritz_buffer *r, int *now)
{
    ritz_status status = RITZ_OK;
    const multigrid_smoother *s = &l->smoother;
    const double first = s->omega[0];
    *now = 1;
    for (int k = 1; k < s->degree; k++, *now = 1 - *now) {
        ritz_product p = smoother_step(s, k, r);
        if (k == 1)
            p = (ritz_product){.alpha = -s->omega[1] * first, .delta = s->mu[1] * first + s->omega[1]};
        else if (k == 2)
            p = (ritz_product){.alpha = p.alpha, .gamma = p.gamma + p.beta * first, .delta = p.delta, .z = r};
        RITZ_TRY(ritz_matrix_product(l->matrix, &p, k == 1 ? r : l->z[*now], l->z[1 - *now], NULL));
    }
done:
    return status;
}

/* All steps from z[now] but the last, which is left in *last. */
static ritz_status smooth_after(const multigrid_level *l, const ritz_buffer *r, int now, ritz_multigrid_step *last)
{
    ritz_status status = RITZ_OK;
    const multigrid_smoother *s = &l->smoother;
    for (int k = 0; k < s->degree; k++, now = 1 - now) {
        ritz_product p = smoother_step(s, k, r);
        p.beta = k == 0 ? 0 : p.beta;
        *last = (ritz_multigrid_step){.matrix = l->matrix, .product = p, .x = l->z[now], .y = l->z[1 - now]};
        if (k < s->degree - 1)
            RITZ_TRY(ritz_matrix_product(last->matrix, &p, last->x, last->y, NULL));
    }
done:
    return status;
}

ritz_status ritz_multigrid_transfer(const multigrid_transfer *t, const ritz_block_rows *rows, int64_t n,
                                    const ritz_buffer *x, ritz_buffer *y)
{
    return RITZ_LAUNCH(t->kernel, ritz_row_range(rows->device, t->threads, rows->n_rows), NULL, RITZ_INT(rows->n_rows),
                       RITZ_LONG(n), RITZ_BUFFER(rows->row_start), RITZ_BUFFER(rows->columns),
                       RITZ_BUFFER(rows->values), RITZ_BUFFER(x), RITZ_BUFFER(y));
}

ritz_status ritz_multigrid_prolong(const ritz_multigrid *m)
{
    ritz_status status = RITZ_OK;
    for (const multigrid_level *l = &m->level[m->n_levels - 1]; l > m->level; l--) {
        RITZ_TRY(ritz_buffer_zero(l[-1].z[0]));
        RITZ_TRY(ritz_multigrid_transfer(&l[-1].prolong, l[-1].prolongator, l[-1].info.n_rows, l->z[0], l[-1].z[0]));
    }
done:
    return status;
}

static ritz_status run_cycle(ritz_multigrid *m, int number, const ritz_buffer *r, ritz_multigrid_step *last)
{
    ritz_status status = RITZ_OK;
    multigrid_level *l = &m->level[number], *next = l + 1;
    ritz_multigrid_step below;
    int now = 0;
    if (l->factor[0]) {
        RITZ_TRY(ritz_matrix_product(l->factor[0], &(ritz_product){.alpha = 1}, r, l->z[1], NULL));
        *last =
            (ritz_multigrid_step){.matrix = l->factor[1], .product = {.alpha = 1, .w = r}, .x = l->z[1], .y = l->z[0]};
        goto done;
    }
    RITZ_TRY(smooth_before(l, r, &now));
    if (l->prolongator) {
        const ritz_product residual = {.alpha = -1, .gamma = 1, .z = r};
        RITZ_TRY(ritz_matrix_product(l->matrix, &residual, l->z[now], l->z[1 - now], NULL));
        RITZ_TRY(ritz_multigrid_transfer(&l->restrict_, l->restrictor, next->info.n_rows, l->z[1 - now], next->r));
        RITZ_TRY(run_cycle(m, number + 1, next->r, &below));
        RITZ_TRY(ritz_matrix_product(below.matrix, &below.product, below.x, below.y, NULL));
        RITZ_TRY(ritz_multigrid_transfer(&l->prolong, l->prolongator, l->info.n_rows, below.y, l->z[now]));
    }
    RITZ_TRY(smooth_after(l, r, now, last));
done:
    return status;
}

ritz_status ritz_multigrid_apply(ritz_multigrid *m, ritz_buffer *r, ritz_multigrid_step *last)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_multigrid_scale_nodes(m, false, r));
    RITZ_TRY(run_cycle(m, 0, r, last));
done:
    return status;
}

ritz_status ritz_multigrid_finish(const ritz_multigrid *m, const ritz_multigrid_step *last)
{
    return ritz_multigrid_scale_nodes(m, true, last->y);
}

void ritz_multigrid_raise_bounds(ritz_multigrid *m)
{
    for (multigrid_level *l = m->level; l < m->level + m->n_levels; l++) {
        l->info.largest_eigenvalue *= 1.2;
        if (l->matrix)
            l->smoother = ritz_multigrid_smoother(m->options.degree, l->info.largest_eigenvalue);
    }
}

int64_t ritz_multigrid_cycle_bytes(const ritz_multigrid *m)
{
    const int64_t finest = m->level->info.n_rows * ritz_real_bytes(m->options.vectors);
    int64_t bytes = m->factor ? 2 * (ritz_buffer_bytes(m->factor) + 2 * finest) : 0;
    for (const multigrid_level *l = m->level; l < m->level + m->n_levels; l++) {
        const int products = 2 * l->smoother.degree;
        const int64_t vector = l->info.n_rows * ritz_real_bytes(m->options.vectors);
        if (l->factor[0]) {
            bytes += ritz_matrix_product_bytes(l->factor[0]) + ritz_matrix_product_bytes(l->factor[1]);
            continue;
        }
        bytes += products * ritz_matrix_product_bytes(l->matrix) + (2 * products - 3) * vector;
        if (l->prolongator)
            bytes += ritz_block_rows_bytes(l->prolongator) + ritz_block_rows_bytes(l->restrictor) + 3 * vector;
    }
    return bytes;
}
