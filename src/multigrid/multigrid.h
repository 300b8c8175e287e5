/* Multigrid room. Depends on base, device, matrix.

   Smoothed aggregation (Vanek, Mandel, Brezina, Computing 56 (1996)) of a symmetric matrix, set up and run on the device. Nodes
   are gathered into aggregates, the near-nullspace (what costs next to no energy: rigid motions, constants) restricted to an
   aggregate and orthonormalised is its part of the tentative prolongator T, one step of Jacobi's method smooths that to P, and
   P^T A P is the matrix of the next level. Every level is scaled from both sides by the Cholesky factors of its diagonal
   blocks (the finest by D^-1/2 alone where it is not symmetric, or its blocks are not a node's), so that Chebyshev's smoothers
   need no diagonal and tell no direction from another.

   Set-up is in the matrix's precision; the cycle's values are what the options say. One cycle is a fixed, symmetric,
   positive definite operator (the same polynomial before and after), so that plain conjugate gradients are right. Matrices of
   diffusion with some convection coarsen likewise, for BiCGStab or GMRES. */
#ifndef RITZ_SRC_MULTIGRID_H
#define RITZ_SRC_MULTIGRID_H

#include "matrix/matrix.h"

enum { RITZ_MULTIGRID_LEVELS_MOST = 16, RITZ_NEAR_NULLSPACE_MOST = 8 };
enum { RITZ_SMOOTHER_DEGREE_MOST = 8 };
enum { RITZ_EMBEDDING_WEIGHTS = 8 }; /* of a node, at most */

typedef struct ritz_multigrid_options {
    int block;   /* unknowns of a node, 1 to 8 */
    int columns; /* of the near-nullspace, up to RITZ_NEAR_NULLSPACE_MOST; 0: one for each unknown of a node */
    const double *nullspace;   /* [n][columns] on the host; NULL: a constant for each unknown of a node */
    const double *coordinates; /* [n / block][block] of nodes, on the host: rigid motions in the place of nullspace, of
                                  which a node of 2 unknowns has 3 and one of 3 has 6 columns */
    /* The first coarse level, given; NULL: one of aggregates. coarse_nodes[i][k] < n_coarse and coarse_weights[i][k], k up to
       RITZ_EMBEDDING_WEIGHTS, for the node i; on the host. */
    const int32_t *coarse_nodes;
    const double *coarse_weights;
    int32_t n_coarse;
    const ritz_buffer *weight; /* [n] D^-1, positive, of the precision of the matrix's vectors */
    ritz_precision vectors;    /* of the cycle, no wider than the matrix's */
    ritz_value_type values;    /* of its matrices; 0: single, on the finest level half where that costs no iterations */
    int degree;                /* of the smoothers, 2 to RITZ_SMOOTHER_DEGREE_MOST: products and one step without */
    bool unsymmetric;          /* the matrix, somewhat: its symmetric part outweighs the rest */
    bool updatable;            /* ritz_multigrid_update will be called: what it needs is kept */
} ritz_multigrid_options;

typedef struct ritz_multigrid ritz_multigrid;

/* For D^-1/2 A D^-1/2; `matrix` must outlive it. */
ritz_status ritz_multigrid_create(const ritz_matrix *matrix, const ritz_multigrid_options *options,
                                  ritz_multigrid **multigrid);
void ritz_multigrid_destroy(ritz_multigrid **multigrid);
/* For new values of `matrix`, which outlives it, in the place of those before, and new D^-1: the same bits as of one made anew
   with the same aggregates. Aggregates and patterns are kept, unless the matrix has blocks where there were none. After a
   failure there are no levels until an update succeeds. */
ritz_status ritz_multigrid_update(ritz_multigrid *multigrid, const ritz_matrix *matrix, const ritz_buffer *weight);

/* The product that is still to be done, so that the caller may take its sums: y is the result once ritz_multigrid_finish has it; the
   sum of w y, if w is the r that was given, is that of r and the result already. */
typedef struct ritz_multigrid_step {
    const ritz_matrix *matrix;
    ritz_product product;
    const ritz_buffer *x;
    ritz_buffer *y; /* zero in what of it lies past n */
} ritz_multigrid_step;
/* One cycle for r [n], which is overwritten, without its last step. */
ritz_status ritz_multigrid_apply(ritz_multigrid *multigrid, ritz_buffer *r, ritz_multigrid_step *last);
/* After the product of the last step. */
ritz_status ritz_multigrid_finish(const ritz_multigrid *multigrid, const ritz_multigrid_step *last);
/* Raises the bounds of all smoothers, which were too low if the cycle is not positive. */
void ritz_multigrid_raise_bounds(ritz_multigrid *multigrid);

/* Bytes that a cycle must move. */
int64_t ritz_multigrid_cycle_bytes(const ritz_multigrid *multigrid);

/* What a level is. */
typedef struct ritz_multigrid_level_info {
    int64_t n_rows, n_nonzeros;    /* scalars */
    int32_t n_nodes, n_aggregates; /* aggregates: nodes of the next level; 0 on the coarsest */
    double largest_eigenvalue;     /* of the scaled matrix; 0 where it is solved directly */
} ritz_multigrid_level_info;
int ritz_multigrid_n_levels(const ritz_multigrid *multigrid);
ritz_multigrid_level_info ritz_multigrid_get_level(const ritz_multigrid *multigrid, int level);
/* Motions of the near-nullspace that take no energy, and are held on the coarsest level. */
int ritz_multigrid_n_free(const ritz_multigrid *multigrid);
/* Of the finest level's matrix in the cycle. */
ritz_value_type ritz_multigrid_values(const ritz_multigrid *multigrid);
/* Nonzeros of all levels over those of the finest. */
double ritz_multigrid_complexity(const ritz_multigrid *multigrid);

#endif
