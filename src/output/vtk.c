/* VTK's cell types and the order of points in its Lagrange cells. */
#include "output/output.h"

#include <math.h>

/* VTK's points of one cell as lattice positions: each reference coordinate in steps of 1/p. */
typedef struct lattice_list {
    int p, n;
    int (*at)[3];
} lattice_list;

static void add_point(lattice_list *list, int i, int j, int k)
{
    int *at = list->at[list->n++];
    at[0] = i;
    at[1] = j;
    at[2] = k;
}

/* Points strictly between a and b, n steps apart. */
static void add_edge(lattice_list *list, const int *a, const int *b, int n)
{
    for (int k = 1; k < n; k++)
        add_point(list, a[0] + k * (b[0] - a[0]) / n, a[1] + k * (b[1] - a[1]) / n, a[2] + k * (b[2] - a[2]) / n);
}

/* A triangle with corners a, b, c, n steps a side: corners, edges, then the triangle that its inner points form. */
static void add_triangle(lattice_list *list, const int *a, const int *b, const int *c, int n);

static void add_inside_triangle(lattice_list *list, const int *a, const int *b, const int *c, int n)
{
    int inner[3][3];
    if (n < 3)
        return;
    for (int d = 0; d < 3; d++) {
        int ab = (b[d] - a[d]) / n, ac = (c[d] - a[d]) / n;
        inner[0][d] = a[d] + ab + ac;
        inner[1][d] = b[d] - 2 * ab + ac;
        inner[2][d] = c[d] - 2 * ac + ab;
    }
    add_triangle(list, inner[0], inner[1], inner[2], n - 3);
}

static void add_triangle(lattice_list *list, const int *a, const int *b, const int *c, int n)
{
    add_point(list, a[0], a[1], a[2]);
    if (n == 0)
        return;
    add_point(list, b[0], b[1], b[2]);
    add_point(list, c[0], c[1], c[2]);
    add_edge(list, a, b, n);
    add_edge(list, b, c, n);
    add_edge(list, c, a, n);
    add_inside_triangle(list, a, b, c, n);
}

/* A tet with corners v and n steps per edge: corners, edges, faces, then the tet that its inner points form. */
static void add_tet(lattice_list *list, int v[4][3], int n)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int faces[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
    int inner[4][3];
    for (int c = 0; c < (n == 0 ? 1 : 4); c++)
        add_point(list, v[c][0], v[c][1], v[c][2]);
    if (n == 0)
        return;
    for (int e = 0; e < 6; e++)
        add_edge(list, v[edges[e][0]], v[edges[e][1]], n);
    for (int f = 0; f < 4; f++)
        add_inside_triangle(list, v[faces[f][0]], v[faces[f][1]], v[faces[f][2]], n);
    if (n < 4)
        return;
    for (int c = 0; c < 4; c++) {
        for (int d = 0; d < 3; d++)
            inner[c][d] = v[c][d] + (v[0][d] + v[1][d] + v[2][d] + v[3][d] - 4 * v[c][d]) / n;
    }
    add_tet(list, inner, n - 4);
}

static void add_quad(lattice_list *list)
{
    int p = list->p, v[4][3] = {{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0}};
    static const int edges[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
    for (int c = 0; c < 4; c++)
        add_point(list, v[c][0], v[c][1], 0);
    for (int e = 0; e < 4; e++)
        add_edge(list, v[edges[e][0]], v[edges[e][1]], p);
    for (int j = 1; j < p; j++) {
        for (int i = 1; i < p; i++)
            add_point(list, i, j, 0);
    }
}

static void add_hex(lattice_list *list)
{
    int p = list->p;
    int v[8][3] = {{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0}, {0, 0, p}, {p, 0, p}, {p, p, p}, {0, p, p}};
    static const int edges[12][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6},
                                     {7, 6}, {4, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    for (int c = 0; c < 8; c++)
        add_point(list, v[c][0], v[c][1], v[c][2]);
    for (int e = 0; e < 12; e++)
        add_edge(list, v[edges[e][0]], v[edges[e][1]], p);
    for (int axis = 0; axis < 3; axis++) {
        int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
        for (int side = 0; side <= p; side += p) {
            for (int j = 1; j < p; j++) {
                for (int i = 1; i < p; i++) {
                    int *at = list->at[list->n++];
                    at[axis] = side;
                    at[first] = i;
                    at[second] = j;
                }
            }
        }
    }
    for (int k = 1; k < p; k++) {
        for (int j = 1; j < p; j++) {
            for (int i = 1; i < p; i++)
                add_point(list, i, j, k);
        }
    }
}

/* Inner points of the triangle at height k, row by row. */
static void add_rows(lattice_list *list, int k)
{
    for (int j = 1; j < list->p; j++) {
        for (int i = 1; i + j < list->p; i++)
            add_point(list, i, j, k);
    }
}

static void add_prism(lattice_list *list)
{
    int p = list->p;
    int v[6][3] = {{0, 0, 0}, {p, 0, 0}, {0, p, 0}, {0, 0, p}, {p, 0, p}, {0, p, p}};
    static const int edges[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
    static const int walls[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    for (int c = 0; c < 6; c++)
        add_point(list, v[c][0], v[c][1], v[c][2]);
    for (int e = 0; e < 9; e++)
        add_edge(list, v[edges[e][0]], v[edges[e][1]], p);
    add_rows(list, 0);
    add_rows(list, p);
    for (int w = 0; w < 3; w++) {
        for (int k = 1; k < p; k++) {
            int a[3] = {v[walls[w][0]][0], v[walls[w][0]][1], k}, b[3] = {v[walls[w][1]][0], v[walls[w][1]][1], k};
            add_edge(list, a, b, p);
        }
    }
    for (int k = 1; k < p; k++)
        add_rows(list, k);
}

static void list_points(ritz_cell cell, lattice_list *list)
{
    int p = list->p;
    switch (cell) {
    case RITZ_TRI:
        add_triangle(list, (int[3]){0, 0, 0}, (int[3]){p, 0, 0}, (int[3]){0, p, 0}, p);
        break;
    case RITZ_QUAD:
        add_quad(list);
        break;
    case RITZ_TET:
        add_tet(list, (int[4][3]){{0, 0, 0}, {p, 0, 0}, {0, p, 0}, {0, 0, p}}, p);
        break;
    case RITZ_PRISM:
        add_prism(list);
        break;
    default:
        add_hex(list);
    }
}

ritz_status ritz_vtk_cell(ritz_cell cell, int p, int *type, int *order)
{
    static const int linear[RITZ_N_CELLS] = {5, 9, 10, 13, 12}, lagrange[RITZ_N_CELLS] = {69, 70, 71, 73, 72};
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    int at[RITZ_MAX_SHAPE][3] = {{0}};
    lattice_list list = {.p = p, .at = at};
    RITZ_TRY(ritz_basis_create(cell, p, RITZ_NODES_EQUISPACED, &basis));
    list_points(cell, &list);
    for (int k = 0; k < basis->n_shape; k++) {
        order[k] = -1;
        for (int i = 0; i < basis->n_shape; i++) {
            bool same = true;
            for (int d = 0; d < basis->dim; d++)
                same = same && lround(p * basis->nodes[i * basis->dim + d]) == at[k][d];
            if (same)
                order[k] = i;
        }
    }
    *type = p == 1 ? linear[cell] : lagrange[cell];
done:
    ritz_basis_destroy(&basis);
    return status;
}

ritz_status ritz_vtk_serendipity_cell(ritz_cell cell, int *type, int *order)
{
    static const int types[RITZ_N_CELLS] = {[RITZ_QUAD] = 23, [RITZ_HEX] = 25, [RITZ_PRISM] = 26};
    if (!types[cell])
        return ritz_vtk_cell(cell, 2, type, order);
    *type = types[cell];
    for (int i = 0; i < ritz_cell_n_serendipity(cell); i++)
        order[i] = i;
    return RITZ_OK;
}
