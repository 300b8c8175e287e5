/* The one door to MUMPS: entries of a scaled matrix in, factors kept, right-hand sides solved. */
#ifndef RITZ_SRC_DIRECT_MUMPS_H
#define RITZ_SRC_DIRECT_MUMPS_H

#include "direct/direct.h"

/* The entries of a square matrix, rows and columns counted from 1; of a symmetric one those of the lower half. */
typedef struct ritz_entries {
    int32_t n;
    int block; /* rows that belong together, a divisor of n */
    bool symmetric;
    int64_t count;
    int32_t *row, *column;
    double *value;
} ritz_entries;

typedef struct ritz_mumps ritz_mumps;

/* Orders the matrix; its entries must stay as they are until the end. Sets estimates in *facts. */
ritz_status ritz_mumps_create(const ritz_entries *entries, bool definite, ritz_direct_facts *facts, ritz_mumps **mumps);
void ritz_mumps_destroy(ritz_mumps **mumps);
/* `least_pivot`: what is no larger counts as zero. *n_null: how many there are; *null_row: the row of one, from 0. */
ritz_status ritz_mumps_factorise(ritz_mumps *mumps, double least_pivot, ritz_direct_facts *facts, int32_t *n_null,
                                 int32_t *null_row);
/* One vector of the null space of a matrix with n_null > 0. */
ritz_status ritz_mumps_get_null(ritz_mumps *mumps, double *vector);
/* b[n] is replaced by the solution. */
ritz_status ritz_mumps_solve(ritz_mumps *mumps, double *b);

#endif
