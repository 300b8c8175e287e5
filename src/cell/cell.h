/* Cell room, internal side: topology, nodal bases, quadrature, tabulation. Depends on base only. */
#ifndef RITZ_SRC_CELL_H
#define RITZ_SRC_CELL_H

#include "base/base.h"
#include "ritz/cell.h"

enum { RITZ_MAX_SHAPE = 512, RITZ_MAX_QUAD = 4352, RITZ_MAX_VERTICES = 8, RITZ_MAX_EDGES = 12, RITZ_MAX_FACETS = 6 };

/* Edges and facets by local vertex numbers. A facet is an edge in 2D and a face in 3D; its vertices run so that the
   normal (right-hand rule; in 2D, the tangent turned clockwise) points out of the cell. */
typedef struct ritz_topology {
    int dim, n_vertices, n_edges, n_facets;
    int edges[RITZ_MAX_EDGES][2];
    int facets[RITZ_MAX_FACETS][4];
    int facet_n_vertices[RITZ_MAX_FACETS]; /* 2, 3 or 4 */
} ritz_topology;
const ritz_topology *ritz_cell_topology(ritz_cell cell);
/* Coordinates of the vertices, [n_vertices][dim]. */
const double *ritz_cell_vertices(ritz_cell cell);

/* Where a node lies: on a vertex (dim 0), inside an edge (1), inside a face (2), inside the cell of a 3D mesh (3).
   entity: number of the vertex, edge, or face (3D: facet number; 2D: 0, the cell itself).
   index:  edge:      index[0] = k, 1..p-1 steps from the edge's first vertex;
           tri face:  barycentric steps towards the face's vertices 0, 1, 2, all >= 1, sum p;
           quad face: index[0], index[1] = steps from the face's vertex 0 towards its vertices 1 and 3, 1..p-1;
           3D inside: the running number in index[0].
   For 2D cells the face's vertices are the cell's own, in order. */
typedef struct ritz_cell_node {
    int8_t dim, entity;
    int16_t index[3];
} ritz_cell_node;

/* Lobatto: Gauss-Lobatto points on edges, their tensor products on quads, recursively interpolated points on
   triangles and tets (Isaac, 2020): symmetric, and well conditioned at p = 7. Equispaced: what VTK's Lagrange cells
   assume. The two agree for p <= 2. */
typedef enum ritz_node_family { RITZ_NODES_LOBATTO = 0, RITZ_NODES_EQUISPACED } ritz_node_family;

/* A nodal basis of order p: psi_i(node_j) = delta_ij. Nodes are ordered vertices, edges, faces, inside. The same entity
   order holds for both families: node i of one is node i of the other. Full polynomial spaces: P_p on simplices, Q_p
   on quad and hex, P_p x Q_p on the prism. */
typedef struct ritz_basis {
    ritz_cell cell;
    int order, dim, n_shape;
    ritz_node_family family;
    double *nodes;                            /* [n_shape][dim], reference coordinates */
    ritz_cell_node *entities;                 /* [n_shape] */
    struct ritz_basis_evaluation *evaluation; /* how psi is evaluated; private to the room */
    struct ritz_basis
        *whole; /* of a serendipity basis: that of the full space, whose first nodes are its own; else NULL */
} ritz_basis;
ritz_status ritz_basis_create(ritz_cell cell, int order, ritz_node_family family, ritz_basis **basis);
/* The serendipity space of order 2, without nodes inside faces and cells: 8-node quad, 20-node hex, 15-node prism;
   simplices are as they are. */
ritz_status ritz_basis_create_serendipity(ritz_cell cell, ritz_basis **basis);
/* Its number of functions. */
int ritz_cell_n_serendipity(ritz_cell cell);
void ritz_basis_destroy(ritz_basis **basis);
/* psi[n_points][1 + dim][n_shape]: values (D = 0) and derivatives in reference coordinates (D = 1..dim) at
   points[n_points][dim]. */
ritz_status ritz_basis_tabulate(const ritz_basis *basis, int n_points, const double *points, double *psi);

/* turn[n_shape]: the node of this order that appears where node i does after x and y of the reference cell are
   exchanged: a reflection that every cell allows, and its own inverse. */
ritz_status ritz_cell_reflection(ritz_cell cell, int order, int *turn);

/* a[n][n] becomes its inverse. */
ritz_status ritz_invert(int n, long double *a);
/* inverse = J^-1 in dim dimensions, 2 or 3; returns the determinant. What is past dim is left alone. */
double ritz_invert_jacobian(int dim, double J[3][3], double inverse[3][3]);

/* Orthogonal polynomials of degree <= p on the unit simplex of dim 1 to 3 (Dubiner; Koornwinder) at one point. With
       s_1 = 2 x + y + z - 1, t_1 = 1 - y - z, s_2 = 2 y + z - 1, t_2 = 1 - z, s_3 = 2 z - 1, t_3 = 1
   and P_n^(a)(s, t) = t^n times Jacobi's P_n^(a,0)(s / t) they are
       P_i^(0)(s_1, t_1) P_j^(2i+1)(s_2, t_2) P_k^(2i+2j+2)(s_3, t_3),   i + j + k <= p, k fastest. */
void ritz_simplex_polynomials(int dim, int p, const double *point, long double *values);
/* P_(n+1) = (r[0] s + r[1] t) P_n - r[2] t^2 P_(n-1) of those P^(a). */
void ritz_jacobi_recurrence(int a, int n, long double r[3]);

/* Points inside the cell, positive weights that add up to its reference volume. */
typedef struct ritz_quadrature {
    ritz_cell cell;
    int degree; /* exact for polynomials of at least this total degree */
    int n_points;
    double *points;  /* [n_points][dim] */
    double *weights; /* [n_points] */
} ritz_quadrature;
/* The rule of a degree from 1 to RITZ_MAX_DEGREE. With n = degree / 2 + 1 Gauss points along a line: quad and hex
   n^dim; tri 1, then 3 6 12 16 25 33 42 points for degrees 2, 4 .. 14 (odd ones take the next), then Gauss points
   collapsed to the triangle; prism those of tri times n; tet likewise 1, then 4 14 24 46 81 117 175, then collapsed. */
ritz_status ritz_quadrature_create(ritz_cell cell, int degree, ritz_quadrature **quadrature);
/* Its number of points; 0 where there is no such rule. */
int ritz_quadrature_n_points(ritz_cell cell, int degree);
/* The degree that a setting means, 0 being the default of the order. */
static inline int ritz_quadrature_degree(int setting, int order)
{
    return setting ? setting : 2 * order;
}
void ritz_quadrature_destroy(ritz_quadrature **quadrature);

/* The nodal basis of order p (Lobatto) and a rule as products of a base and lines: quad = line x line, prism =
   triangle x line, hex = line x line x line.
       psi_i(xi) = base_b(xi) line_k(eta) [line_m(zeta)]        with i = shape[(m * n_line + k) * n_base + b]
       point q = (t * n_line_points + s) * n_base_points + r    base point r, line points s and t
   (m = t = 0 where there is one line). Reference coordinates run through the base first, then the lines. */
typedef struct ritz_factors {
    int n_lines;               /* lines beside the base: 1, hex 2 */
    int n_line, n_line_points; /* functions and points of a line */
    int base_dim;              /* 1 or 2 */
    int n_base, n_base_points; /* functions and points of the base */
    double *base;              /* [n_base_points][1 + base_dim][n_base] */
    double *line;              /* [n_line_points][2][n_line] */
    int16_t *shape;            /* [n_line where there are two][n_line][n_base] */
} ritz_factors;
bool ritz_cell_has_factors(ritz_cell cell);
/* RITZ_ERROR_INPUT for cells that are no such products. */
ritz_status ritz_factors_create(ritz_cell cell, int order, int degree, ritz_factors **factors);
void ritz_factors_destroy(ritz_factors **factors);

/* Points on one facet in the cell's coordinates. normal: the facet's outward normal in reference space, scaled so that
   with F the Jacobian dx/dxi, cofactor(F) normal w is the physical normal times area that belongs to a point of
   weight w. */
typedef struct ritz_facet_quadrature {
    int n_points;
    double *points;  /* [n_points][dim] */
    double *weights; /* [n_points] */
    double normal[3];
} ritz_facet_quadrature;
ritz_status ritz_facet_quadrature_create(ritz_cell cell, int facet, int degree, ritz_facet_quadrature **quadrature);
void ritz_facet_quadrature_destroy(ritz_facet_quadrature **quadrature);

#endif
