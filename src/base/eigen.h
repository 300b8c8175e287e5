/* Eigenvectors of small symmetric matrices. */
#ifndef RITZ_SRC_BASE_EIGEN_H
#define RITZ_SRC_BASE_EIGEN_H

/* Eigenvalues and orthonormal eigenvectors (columns of vectors) of the symmetric n x n matrix, which is overwritten, by Jacobi
   rotations (Golub and Van Loan, section 8.5); rows of both stand `stride` apart. */
void ritz_symmetric_eigen(int n, int stride, double *matrix, double *values, double *vectors);

#endif
