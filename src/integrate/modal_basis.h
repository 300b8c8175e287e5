/* Nodal bases as coefficients of polynomials that a kernel can compute at a point: for methods that compute shape
   functions on the way. Private to the room.

   Every cell is a product of simplices, its factors: a quad and a hex of lines, a prism of the triangle in x, y and the
   line in z; a triangle and a tet are their own. On a simplex of dimension d over coordinates x_1..x_d the modes are

       P_i^(0)(s_1, t_1)  P_j^(2i+1)(s_2, t_2)  P_k^(2i+2j+2)(s_3, t_3),   i + j + k <= p, k fastest,

   t_k = 1 - x_{k+1} - ... - x_d, s_k = 2 x_k - t_k, where P_n^(a)(s, t) = t^n times Jacobi's P_n^(a,0)(s / t):
   orthogonal polynomials (Dubiner; Koornwinder), made along one direction after another and then multiplied, as the
   vectorised paper does with monomials. A shape function of the cell is the product over the factors of a combination
   of their modes. */
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
