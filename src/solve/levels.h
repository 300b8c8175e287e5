/* A polynomial's steps blocked by levels: the matrix is read from the cache by all steps but the first.
   Alappat, Hager, Schenk, Wellein, "Level-based blocking for sparse matrices: sparse matrix-power-vector
   multiplication", IEEE Trans. Parallel Distrib. Syst. 34 (2023). */
#ifndef RITZ_SRC_SOLVE_LEVELS_H
#define RITZ_SRC_SOLVE_LEVELS_H

#include "matrix/matrix.h"
#include "ritz/solve.h"

typedef struct ritz_levels ritz_levels;

/* For n_steps steps with *matrix, 2 to RITZ_DEGREE_MOST. Where blocking is worth it on the device, or with
   RITZ_POWERS_BLOCKED possible at all, *matrix is replaced by itself in another order, which belongs to the levels'
   steps alone; else *levels is NULL and nothing is changed. */
ritz_status ritz_levels_create(ritz_matrix **matrix, int n_steps, ritz_powers_choice choice, ritz_levels **levels);
void ritz_levels_destroy(ritz_levels **levels);

/* z = z_(n_steps+1) of z_(j+1) = alpha A z_j + beta z_(j-1) + gamma r + delta z_j with the factors of step[j - 1], whose
   pointers are not looked at; step 1 reads r in place of z_1, its beta and gamma and the beta of step 2 are 0. r and z in
   the caller's order. *partial: parts [RITZ_PRODUCT_SUMS][*n_parts] of r.z, z.z and r.r. */
ritz_status ritz_levels_apply(ritz_levels *levels, const ritz_product *step, const ritz_buffer *r, ritz_buffer *z,
                              const ritz_buffer **partial, int32_t *n_parts);

/* How often the steps read the matrix from memory. */
int ritz_levels_passes(const ritz_levels *levels);

#endif
