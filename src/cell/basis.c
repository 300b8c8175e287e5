/* Nodal bases: the order of the nodes, their coordinates, and the evaluation of psi and its derivatives. */
#include "cell/internal.h"

#include <math.h>
#include <string.h>

/* The lattice position of a node: each reference coordinate in steps of 1/p, 0..p. */
typedef struct lattice {
    int x[3];
} lattice;

typedef struct enumeration {
    ritz_basis *basis;
    lattice *at;
    int n;
} enumeration;

static void add_node(enumeration *e, int dim, int entity, const int *index, const double *position)
{
    ritz_cell_node *node = &e->basis->entities[e->n];
    node->dim = (int8_t)dim;
    node->entity = (int8_t)entity;
    for (int k = 0; k < 3; k++) {
        node->index[k] = (int16_t)index[k];
        e->at[e->n].x[k] = k < e->basis->dim ? (int)lround(position[k]) : 0;
    }
    e->n++;
}

static void add_vertices_and_edges(enumeration *e)
{
    const ritz_topology *t = ritz_cell_topology(e->basis->cell);
    const double *vertices = ritz_cell_vertices(e->basis->cell);
    int p = e->basis->order, dim = t->dim;
    double position[3] = {0};
    for (int v = 0; v < t->n_vertices; v++) {
        for (int d = 0; d < dim; d++)
            position[d] = p * vertices[v * dim + d];
        add_node(e, 0, v, (int[3]){0}, position);
    }
    for (int edge = 0; edge < t->n_edges; edge++) {
        const double *a = vertices + t->edges[edge][0] * dim, *b = vertices + t->edges[edge][1] * dim;
        for (int k = 1; k < p; k++) {
            for (int d = 0; d < dim; d++)
                position[d] = (p - k) * a[d] + k * b[d];
            add_node(e, 1, edge, (int[3]){k}, position);
        }
    }
}

static void add_face(enumeration *e, int face, const int *v, int n_vertices)
{
    const double *vertices = ritz_cell_vertices(e->basis->cell);
    int p = e->basis->order, dim = e->basis->dim;
    const double *a = vertices + v[0] * dim, *b = vertices + v[1] * dim, *c = vertices + v[n_vertices - 1] * dim;
    double position[3] = {0};
    for (int j = 1; j < p; j++) {
        for (int i = 1; i < (n_vertices == 3 ? p - j : p); i++) {
            for (int d = 0; d < dim; d++)
                position[d] = p * a[d] + i * (b[d] - a[d]) + j * (c[d] - a[d]);
            if (n_vertices == 3)
                add_node(e, 2, face, (int[3]){p - i - j, i, j}, position);
            else
                add_node(e, 2, face, (int[3]){i, j}, position);
        }
    }
}

static void add_faces(enumeration *e)
{
    const ritz_topology *t = ritz_cell_topology(e->basis->cell);
    if (t->dim == 2) {
        add_face(e, 0, (int[4]){0, 1, 2, 3}, t->n_vertices);
        return;
    }
    for (int f = 0; f < t->n_facets; f++)
        add_face(e, f, t->facets[f], t->facet_n_vertices[f]);
}

static void add_inside(enumeration *e)
{
    int p = e->basis->order, number = 0;
    ritz_cell cell = e->basis->cell;
    for (int k = 1; k < p; k++) {
        for (int j = 1; j < p; j++) {
            for (int i = 1; i < p; i++) {
                if ((cell == RITZ_TET && i + j + k >= p) || (cell == RITZ_PRISM && i + j >= p))
                    continue;
                add_node(e, 3, 0, (int[3]){number++}, (double[3]){i, j, k});
            }
        }
    }
}

/* Number, among the triangle's nodes in add_* order, of the one at lattice position (i, j). */
static int triangle_number(int p, int i, int j)
{
    if (j == 0 && (i == 0 || i == p))
        return i == 0 ? 0 : 1;
    if (j == p)
        return 2;
    if (j == 0)
        return 3 + i - 1;
    if (i + j == p)
        return 3 + (p - 1) + j - 1;
    if (i == 0)
        return 3 + 2 * (p - 1) + p - j - 1;
    int number = 3 + 3 * (p - 1) + i - 1;
    for (int row = 1; row < j; row++)
        number += p - row - 1;
    return number;
}

static void place_nodes(ritz_basis *basis, const lattice *at)
{
    struct ritz_basis_evaluation *evaluation = basis->evaluation;
    int p = basis->order, dim = basis->dim;
    ritz_line_nodes(basis->family, p, evaluation->line);
    for (int n = 0; n < basis->n_shape; n++) {
        const int *x = at[n].x;
        long double b[4] = {0};
        double *node = basis->nodes + n * dim;
        for (int d = 0; d < dim; d++) {
            node[d] = (double)evaluation->line[x[d]];
            evaluation->factor[n][d] = (int16_t)x[d];
        }
        if (basis->cell == RITZ_TRI || basis->cell == RITZ_PRISM)
            ritz_simplex_node(basis->family, 2, (int[3]){p - x[0] - x[1], x[0], x[1]}, b);
        else if (basis->cell == RITZ_TET)
            ritz_simplex_node(basis->family, 3, (int[4]){p - x[0] - x[1] - x[2], x[0], x[1], x[2]}, b);
        else
            continue;
        for (int d = 0; d < (basis->cell == RITZ_TET ? 3 : 2); d++)
            node[d] = (double)b[1 + d];
        if (basis->cell == RITZ_PRISM) {
            evaluation->factor[n][0] = (int16_t)triangle_number(p, x[0], x[1]);
            evaluation->factor[n][1] = (int16_t)x[2];
        }
    }
}

/* The inverse of the matrix of modes at the nodes: modes[m](node_i) inverse gives the identity. */
static ritz_status make_inverse(ritz_basis *basis)
{
    ritz_status status = RITZ_OK;
    struct ritz_basis_evaluation *evaluation = basis->evaluation;
    int dim = basis->cell == RITZ_TET ? 3 : 2, n = evaluation->n_simplex;
    long double *modes = NULL;
    RITZ_NEW(evaluation->inverse, (int64_t)n * n);
    RITZ_NEW(modes, (int64_t)(1 + dim) * n);
    for (int i = 0; i < basis->n_shape; i++) {
        int row = i;
        if (basis->cell == RITZ_PRISM) {
            if (evaluation->factor[i][1] != 0)
                continue;
            row = evaluation->factor[i][0];
        }
        ritz_simplex_modes(dim, basis->order, basis->nodes + i * basis->dim, modes);
        memcpy(evaluation->inverse + (int64_t)row * n, modes, (size_t)n * sizeof *modes);
    }
    RITZ_TRY(ritz_invert(n, evaluation->inverse));
done:
    ritz_free(modes);
    return status;
}

ritz_status ritz_basis_create(ritz_cell cell, int order, ritz_node_family family, ritz_basis **basis)
{
    ritz_status status = RITZ_OK;
    ritz_basis *b = NULL;
    enumeration e = {0};
    RITZ_REQUIRE(cell >= 0 && cell < RITZ_N_CELLS, RITZ_ERROR_INPUT, "%d is not a cell type", (int)cell);
    RITZ_REQUIRE(order >= 1 && order <= RITZ_MAX_ORDER, RITZ_ERROR_INPUT, "order %d is not possible; take 1 to %d",
                 order, RITZ_MAX_ORDER);
    RITZ_NEW(b, 1);
    b->cell = cell;
    b->order = order;
    b->dim = ritz_cell_dim(cell);
    b->n_shape = ritz_cell_n_shape(cell, order);
    b->family = family;
    RITZ_NEW(b->nodes, b->n_shape * b->dim);
    RITZ_NEW(b->entities, b->n_shape);
    RITZ_NEW(b->evaluation, 1);
    RITZ_NEW(b->evaluation->factor, b->n_shape);
    RITZ_NEW(e.at, b->n_shape);
    e.basis = b;
    add_vertices_and_edges(&e);
    add_faces(&e);
    if (b->dim == 3)
        add_inside(&e);
    place_nodes(b, e.at);
    if (cell != RITZ_QUAD && cell != RITZ_HEX) {
        b->evaluation->n_simplex = ritz_cell_n_shape(cell == RITZ_TET ? RITZ_TET : RITZ_TRI, order);
        RITZ_TRY(make_inverse(b));
    }
    *basis = b;
    b = NULL;
done:
    ritz_free(e.at);
    ritz_basis_destroy(&b);
    return status;
}

void ritz_basis_destroy(ritz_basis **basis)
{
    if (*basis == NULL)
        return;
    if ((*basis)->evaluation != NULL) {
        ritz_free((*basis)->evaluation->inverse);
        ritz_free((*basis)->evaluation->factor);
    }
    ritz_basis_destroy(&(*basis)->whole);
    ritz_free((*basis)->evaluation);
    ritz_free((*basis)->entities);
    ritz_free((*basis)->nodes);
    ritz_free(*basis);
    *basis = NULL;
}

/* The simplex factor's nodal functions at a point: nodal[1 + dim][n_simplex]; modes is scratch of the same size. */
static void simplex_functions(const ritz_basis *basis, const double *point, long double *modes, long double *nodal)
{
    const struct ritz_basis_evaluation *evaluation = basis->evaluation;
    int dim = basis->cell == RITZ_TET ? 3 : 2, n = evaluation->n_simplex;
    ritz_simplex_modes(dim, basis->order, point, modes);
    memset(nodal, 0, (size_t)((1 + dim) * n) * sizeof *nodal);
    for (int d = 0; d <= dim; d++) {
        for (int m = 0; m < n; m++) {
            long double mode = modes[d * n + m];
            const long double *row = evaluation->inverse + (int64_t)m * n;
            for (int i = 0; i < n; i++)
                nodal[d * n + i] += mode * row[i];
        }
    }
}

/* Products of the factors for one point: psi[1 + dim][n_shape]. line[d] holds the Lagrange polynomials along direction
 * d. */
static void multiply_factors(const ritz_basis *basis, const long double *nodal,
                             long double line[3][2 * (RITZ_MAX_ORDER + 1)], double *psi)
{
    const struct ritz_basis_evaluation *evaluation = basis->evaluation;
    int dim = basis->dim, n = evaluation->n_simplex, n_line = basis->order + 1, n_shape = basis->n_shape;
    for (int i = 0; i < n_shape; i++) {
        const int16_t *factor = evaluation->factor[i];
        for (int D = 0; D <= dim; D++) {
            long double value = 1;
            if (basis->cell == RITZ_PRISM) {
                value = nodal[(D == 3 ? 0 : D) * n + factor[0]] * line[2][(D == 3 ? n_line : 0) + factor[1]];
            } else {
                for (int d = 0; d < dim; d++)
                    value *= line[d][(D == d + 1 ? n_line : 0) + factor[d]];
            }
            psi[D * n_shape + i] = (double)value;
        }
    }
}

ritz_status ritz_basis_tabulate(const ritz_basis *basis, int n_points, const double *points, double *psi)
{
    ritz_status status = RITZ_OK;
    if (basis->whole)
        return ritz_tabulate_serendipity(basis, n_points, points, psi);
    int dim = basis->dim, n = basis->evaluation->n_simplex;
    long double *modes = NULL, *nodal = NULL;
    long double line[3][2 * (RITZ_MAX_ORDER + 1)];
    RITZ_NEW(modes, 4 * n);
    RITZ_NEW(nodal, 4 * n);
    for (int q = 0; q < n_points; q++) {
        const double *point = points + (int64_t)q * dim;
        double *out = psi + (int64_t)q * (1 + dim) * basis->n_shape;
        if (n > 0)
            simplex_functions(basis, point, modes, nodal);
        if (basis->cell == RITZ_TRI || basis->cell == RITZ_TET) {
            for (int i = 0; i < (1 + dim) * n; i++)
                out[i] = (double)nodal[i];
            continue;
        }
        for (int d = 0; d < dim; d++)
            ritz_line_lagrange(basis->order, basis->evaluation->line, point[d], line[d]);
        multiply_factors(basis, nodal, line, out);
    }
done:
    ritz_free(modes);
    ritz_free(nodal);
    return status;
}

ritz_status ritz_cell_reflection(ritz_cell cell, int order, int *turn)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    RITZ_TRY(ritz_basis_create(cell, order, RITZ_NODES_LOBATTO, &basis));
    for (int i = 0; i < basis->n_shape; i++) {
        for (int j = 0; j < basis->n_shape; j++) {
            const double *p = &basis->nodes[i * basis->dim], *q = &basis->nodes[j * basis->dim];
            double off = fabs(p[0] - q[1]) + fabs(p[1] - q[0]) + (basis->dim == 3 ? fabs(p[2] - q[2]) : 0);
            if (off < 1e-9)
                turn[i] = j;
        }
    }
done:
    ritz_basis_destroy(&basis);
    return status;
}
