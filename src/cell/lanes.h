/* Sums over a cell's nodes by vector units that every machine has: of two doubles. */
#ifndef RITZ_SRC_LANES_H
#define RITZ_SRC_LANES_H

#include <stdint.h>
#include <string.h>

typedef double ritz_pair __attribute__((vector_size(2 * sizeof(double))));

/* Up to four values of a node: its place, or the unknown there. */
typedef struct ritz_row {
    ritz_pair half[2];
} ritz_row;

/* rows[n]: `width` values of each node, 0 beyond. values[n_nodes][width] */
static inline void ritz_gather_rows(int n, const int32_t *nodes, int width, const double *values, ritz_row *rows)
{
    for (int i = 0; i < n; i++) {
        const double *of = values + width * (int64_t)nodes[i];
        rows[i].half[0] = (ritz_pair){of[0], width > 1 ? of[1] : 0};
        rows[i].half[1] = (ritz_pair){width > 2 ? of[2] : 0, width > 3 ? of[3] : 0};
    }
}

/* sum = psi[0] rows[0] + psi[1] rows[1] + ..., from left to right. */
static inline void ritz_sum_rows(int n, const double *psi, const ritz_row *rows, double sum[4])
{
    ritz_pair a = {0}, b = {0};
    for (int i = 0; i < n; i++) {
        a += psi[i] * rows[i].half[0];
        b += psi[i] * rows[i].half[1];
    }
    memcpy(sum, &a, sizeof a);
    memcpy(sum + 2, &b, sizeof b);
}

#endif
