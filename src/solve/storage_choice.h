/* Whether the solver holds its matrices whole or in half storage (matrix/symmetric.h). */
#ifndef RITZ_SRC_SOLVE_STORAGE_CHOICE_H
#define RITZ_SRC_SOLVE_STORAGE_CHOICE_H

#include "matrix/matrix.h"
#include "ritz/solve.h"

/* *other = the matrix in the storage in which `options`, whose defaults have been filled in, want it, NULL where it
   already is. What the automatic choice cannot have stays as it is, which the log tells; RITZ_MATRIX_HALF fails. */
ritz_status ritz_storage_choose(const ritz_matrix *matrix, const ritz_solve_options *options, ritz_matrix **other);

#endif
