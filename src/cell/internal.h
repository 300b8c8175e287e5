/* Pieces shared by the files of the cell room. Depends on base only. */
#ifndef RITZ_SRC_CELL_INTERNAL_H
#define RITZ_SRC_CELL_INTERNAL_H

#include "cell/cell.h"

/* Points x[0..n] on [0, 1], increasing: Gauss-Lobatto or equispaced; n >= 1. Lobatto points are the ends and the zeros
 * of P_n'. */
void ritz_line_nodes(ritz_node_family family, int n, long double *x);
/* Gauss points x[n] and weights w[n] on [0, 1], exact to degree 2 n - 1. */
void ritz_line_gauss(int n, long double *x, long double *w);
/* Barycentric coordinates b[d + 1] of the node with lattice numbers alpha[d + 1] (sum n) on a simplex of dimension d
 * <= 3. */
void ritz_simplex_node(ritz_node_family family, int d, const int *alpha, long double *b);

/* ritz_simplex_polynomials made orthonormal, and their derivatives: modes[1 + dim][n_shape]. */
void ritz_simplex_modes(int dim, int p, const double *point, long double *modes);
/* Lagrange polynomials on nodes[p + 1] and their derivatives at x: line[2][p + 1]. */
void ritz_line_lagrange(int p, const long double *nodes, double x, long double *line);

/* ritz_basis_tabulate of a serendipity basis. */
ritz_status ritz_tabulate_serendipity(const ritz_basis *basis, int n_points, const double *points, double *psi);

/* How psi is evaluated: simplices by modes times `inverse`; quads and hexes by products of Lagrange polynomials; prisms
   by products of the triangle's functions and Lagrange polynomials along the axis. */
struct ritz_basis_evaluation {
    long double line[RITZ_MAX_ORDER + 1]; /* 1D nodes */
    int n_simplex;                        /* modes on the simplex factor, 0 for quad and hex */
    long double *inverse; /* [n_simplex][n_simplex]: mode m, node i: psi_i = sum_m modes[m] inverse[m][i] */
    int16_t (*factor)[3]; /* [n_shape]: 1D numbers per direction; prism: triangle's number, then along the axis */
};

#endif
