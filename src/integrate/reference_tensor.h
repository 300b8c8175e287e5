/* The reference tensor of a form on a cell: Kirby, Knepley, Logg and Scott (2005). With T the map from derivatives in
   space to reference derivatives, an element's matrix on an affine cell is

       A[iE][jE][i][j] = sum_m sum_n G[iE][jE][m][n] K[i][j][m][n],
       K[i][j][m][n]   = sum_q w_q chi_m(q) D_alpha psi_i(q) D_beta psi_j(q)      (alpha, beta) product n

   with D_0 the value and D_1.. the reference derivatives, and chi_m the basis of a space that coefficients are in: m = 0,
   chi = 1 where they are constant. Likewise b[iE][i] = sum_m sum_n F[iE][m][n] L[i][m][n]; but a load that varies is summed
   over the points, whatever it is: m is a point, and L[i][m][n] = w_m D_alpha psi_i(m). On cells whose map is not affine, T
   and det J stand under the integral with the coefficients: their products with them are projected to the space, those of
   loads too. Private to the room. */
#ifndef RITZ_SRC_REFERENCE_TENSOR_H
#define RITZ_SRC_REFERENCE_TENSOR_H

#include "integrate/element.h"
#include "integrate/integrate.h"

enum { RITZ_TENSOR_PRODUCTS = 16, RITZ_TENSOR_LOADS = 4 };

/* The space that coefficients are in. */
typedef struct ritz_tensor_space {
    int order;
    bool projected; /* so are the Jacobian terms, whatever they are: an approximation */
} ritz_tensor_space;

/* Which numbers there are; follows from the case alone. */
typedef struct ritz_tensor_pattern {
    int n_products; /* used pairs (alpha, beta) */
    int8_t alpha[RITZ_TENSOR_PRODUCTS], beta[RITZ_TENSOR_PRODUCTS];
    bool merged; /* G is symmetric: a product of alpha < beta stands for (beta, alpha) too */
    int n_loads; /* used alpha of L */
    int8_t load_alpha[RITZ_TENSOR_LOADS];
    int matrix_modes, load_modes; /* functions chi: 1 where the coefficients are constant */
    bool load_at_points;          /* the load is summed over the points: load_modes is n_quad */
    int64_t n_pairs;              /* (i, j) that are kept: all, or those j >= i of symmetric forms, row by row */
    int n_shape, n_quad;
} ritz_tensor_pattern;
void ritz_tensor_get_pattern(const ritz_case *the_case, ritz_tensor_space space, ritz_tensor_pattern *pattern);

typedef struct ritz_reference_tensor {
    ritz_tensor_pattern pattern;
    double *matrix; /* K[n_pairs][matrix_modes][n_products] */
    double *load;   /* L[n_shape][load_modes][n_loads] */
    int n_modes;    /* of the coefficients' space */
    double *
        projection; /* [n_modes][n_quad]: from values at the points to coefficients of chi; NULL where the matrix has one m */
    double *modes; /* [n_quad][n_modes] chi at the points, likewise */
} ritz_reference_tensor;
ritz_status ritz_reference_tensor_create(const ritz_case *the_case, ritz_tensor_space space,
                                         ritz_reference_tensor **tensor);
/* Without K and L. */
ritz_status ritz_reference_projection_create(const ritz_case *the_case, ritz_tensor_space space,
                                             ritz_reference_tensor **tensor);
void ritz_reference_tensor_destroy(ritz_reference_tensor **tensor);

/* The vertices at the ends of the reference axes, of vertex 0 as origin. */
void ritz_tensor_axis_nodes(ritz_cell cell, int ends[3]);

/* The form's coefficients c[n_coefficients] at point q of a cell; psi[1 + dim][n_shape] becomes the shape functions
   there. Returns det J. (reference.c) */
double ritz_reference_coefficients(const ritz_integral *integral, const ritz_tables *tables, int32_t cell, int q,
                                   double *psi, double *c);

/* Whether a method that integrates by tensors can serve: RITZ_ERROR_INPUT names an element whose map is not affine, or
   whose coefficients are not in the space, unless all is projected. */
ritz_status ritz_tensor_check(const ritz_integral *integral, ritz_tensor_space space);

#endif
