/* What level-blocked matrix powers need of the matrix room: a renumbered matrix, and steps over some of its rows. */
#ifndef RITZ_SRC_MATRIX_POWERS_H
#define RITZ_SRC_MATRIX_POWERS_H

#include "matrix/matrix.h"

/* Whether `from` can be renumbered: square, whole blocks, in slices with a work-item a row, at most 1024 rows each. */
bool ritz_matrix_can_reorder(const ritz_matrix *from);
/* Row i of `to` is row order[i] of `from`, columns likewise; order[block rows] on the host, a permutation, and its
   inverse place. Blocks stay in their order in the row (columns do not increase any more), rows are not sorted, so that
   products have the bits of the old ones. */
ritz_status ritz_matrix_reorder(const ritz_matrix *from, const int32_t *order, const int32_t *place, ritz_matrix **to);

/* order[block rows] sorted by decreasing length of `m`'s rows inside windows of itself, so that slices fill. */
ritz_status ritz_matrix_sort_order(const ritz_matrix *m, int64_t window, const int32_t *length, int32_t *order);

/* A share of one step: slices [first, first + n) of z_(step+1), from 1. */
typedef struct ritz_power_task {
    int32_t first, n, step, unused;
} ritz_power_task;

/* z_(step+1) = alpha A z_step + beta z_(step-1) + gamma r + delta z_step over the place of z_(step-1), r in place of z_1
   in step 1; and out of the new order again. */
typedef struct ritz_powers {
    const ritz_matrix *matrix; /* of ritz_matrix_reorder */
    ritz_buffer *order;        /* int32 [block rows] */
    ritz_buffer *tasks;        /* ritz_power_task */
    ritz_buffer *factors;      /* [steps + 1][4] reals: alpha, beta, gamma, delta */
    ritz_buffer *r, *z[2];     /* in the new order; z_(step+1) is z[step % 2] */
    ritz_buffer *partial;      /* of the sums r.z, z.z and r.r: [RITZ_PRODUCT_SUMS][n_parts] */
    int32_t n_parts;
    ritz_kernel *into, *step, *out_of;
    int group; /* work-items that share a task */
} ritz_powers;
/* Everything but tasks and order, which the caller sends; n_steps of them. */
ritz_status ritz_powers_create(const ritz_matrix *matrix, int n_steps, ritz_powers *powers);
void ritz_powers_destroy(ritz_powers *powers);
/* r from the matrix's user's order. */
ritz_status ritz_powers_begin(const ritz_powers *powers, const ritz_buffer *r);
/* Tasks [first, first + n) in one launch. None of them may write what another one reads. */
ritz_status ritz_powers_launch(const ritz_powers *powers, int32_t first, int32_t n);
/* z_(n_steps+1) in the user's order, and the sums in `partial`. */
ritz_status ritz_powers_end(const ritz_powers *powers, int n_steps, ritz_buffer *z);

#endif
