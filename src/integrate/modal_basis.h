/* Nodal bases as coefficients of polynomials that a kernel can compute at a point: for methods that compute shape
   functions on the way. Private to the room.

   Every cell is a product of simplices, its factors: a quad and a hex of lines, a prism of the triangle in x, y and the
   line in z; a triangle and a tet are their own. Their modes are ritz_simplex_polynomials, made along one direction after
   another and then multiplied, as Krużel and Banaś (2013) do with monomials. A shape function of the cell is the product
   over the factors of a combination of their modes. */
#ifndef RITZ_SRC_MODAL_BASIS_H
#define RITZ_SRC_MODAL_BASIS_H

#include "cell/cell.h"

typedef struct ritz_modal_factor {
    int dim, first_axis, n_modes;
} ritz_modal_factor;

/* Fills factors[3], returns their number. */
int ritz_modal_factors(ritz_cell cell, int order, ritz_modal_factor *factors);

/* Numbers of the recurrence P_{n+1} = (r[0] s + r[1] t) P_n - r[2] t^2 P_{n-1}: [2 order + 3][order][3] by a and n. */
void ritz_modal_recurrence(int order, double *recurrence);

/* coefficients[n_shape][factor->n_modes]: shape function j is the product over the factors of
   sum_m coefficients[j][m] modes[m]. */
ritz_status ritz_modal_coefficients(const ritz_basis *basis, const ritz_modal_factor *factor, double *coefficients);

#endif
