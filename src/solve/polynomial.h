/* Polynomials P of a matrix whose spectrum lies in [lower, upper], as preconditioners: P(A) is near the inverse of A.
   All have the same three-term recurrence, whose k-th residual 1 - t P_k(t) is that of an iterative method:
       z_1 = omega_0 r,   z_(k+1) = mu_k z_k + (1 - mu_k) z_(k-1) + omega_k (r - A z_k),   P(A) r = z_(degree+1)
   which is stable for any degree, as monomials are not. */
#ifndef RITZ_SRC_SOLVE_POLYNOMIAL_H
#define RITZ_SRC_SOLVE_POLYNOMIAL_H

#include "solve/solve.h"

enum { RITZ_DEGREE_DEFAULT = 6 };

typedef struct ritz_polynomial {
    int degree;          /* products that P(A) r takes */
    double lower, upper; /* between them 1 - t P(t) is made small */
    double omega[RITZ_DEGREE_MOST + 1], mu[RITZ_DEGREE_MOST + 1];
} ritz_polynomial;

/* `kind`: one of the polynomial preconditioners; `smallest` and `largest` bound the eigenvalues, 0 <= smallest <
   largest. */
ritz_polynomial ritz_polynomial_make(ritz_preconditioner kind, int degree, double smallest, double largest);
/* P(t). */
double ritz_polynomial_value(const ritz_polynomial *p, double t);

/* The extreme eigenvalues of the symmetric tridiagonal matrix with n diagonal entries and n - 1 beside them, and
   |last entry| of the eigenvector of the largest: with the next entry beside the diagonal that is how far from an
   eigenvalue of the matrix behind a Ritz value can be. */
typedef struct ritz_extremes {
    double smallest, largest, last_of_smallest, last_of_largest;
} ritz_extremes;
enum { RITZ_TRIDIAGONAL_MOST = 64 };
ritz_extremes ritz_tridiagonal_extremes(int n, const double *diagonal, const double *beside);

#endif
