/* Direct room: factorisations of sparse matrices on the host, LDL^T of symmetric ones and LU of others. Depends on base,
   device, matrix. */
#ifndef RITZ_SRC_DIRECT_H
#define RITZ_SRC_DIRECT_H

#include "matrix/matrix.h"
#include "ritz/direct.h"

/* A matrix, analysed and perhaps factorised. */
typedef struct ritz_direct ritz_direct;

/* What a solve came to. */
typedef struct ritz_direct_end {
    int refinements;
    double residual;      /* sqrt(r . |D|^-1 r) relative to that of b, D the diagonal, of the x that is given back */
    double true_residual; /* |r| / |b| */
    double correction;    /* the last one's size beside x: an estimate of the error of x */
    double sensitivity;   /* the first one's: about what rounding of the matrix's entries does to x */
    double solve_seconds;
} ritz_direct_end;

/* Copies the matrix and orders it. RITZ_ERROR_INPUT: it is not square, or not finite in a row, which is named. */
ritz_status ritz_direct_analyse(const ritz_matrix *matrix, ritz_direct **direct);
void ritz_direct_destroy(ritz_direct **direct);
/* Whether the factors have room: RITZ_ERROR_MEMORY if they need more than `memory_most` bytes, 0: than the host has free. */
ritz_status ritz_direct_check_memory(const ritz_direct *direct, int64_t memory_most);
/* `memory_most`: bytes that it may take, as above; more is RITZ_ERROR_MEMORY before anything is done.
   A singular matrix is RITZ_ERROR_INPUT, with a row that nothing holds. An interrupt is seen once it is done. */
ritz_status ritz_direct_factorise(ritz_direct *direct, int64_t memory_most);
/* x = A^-1 b, [n] each, refined with residuals in extended precision until a correction is within `tolerance` of x and
   the residual within it of b, or they fall no more. RITZ_ERROR_NOT_CONVERGED: the matrix is singular to rounding. */
ritz_status ritz_direct_solve(ritz_direct *direct, double tolerance, const double *b, double *x, ritz_direct_end *end);
/* x[n] with A x = 0 but for rounding, and x not zero, of a matrix that was found singular; *found: whether it is. nearly: or so
   nearly that rounding outweighs its stiffness. Orders and factorises once more. */
ritz_status ritz_direct_find_null(const ritz_matrix *matrix, int64_t memory_most, bool nearly, double *x, bool *found);
/* Estimates before the factorisation. */
const ritz_direct_facts *ritz_direct_get_facts(const ritz_direct *direct);

#endif
