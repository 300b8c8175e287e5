/* Reduced hexes: V B' C B with the mean gradients B of the shape functions and the cell's volume V, and a stiffness k
   against each of the four motions that have no mean strain in each component:
       k gamma gamma',  gamma = h - B (x . h),  h = eta zeta, xi zeta, xi eta, xi eta zeta at the vertices
   (Flanagan and Belytschko (1981)). gamma is orthogonal to all linear displacements, so that constant strains are exact in
   cells of any shape. k = 0.0005 E V sum |B|^2, as CalculiX 2.20 has it, by the matrices that it stores; its gamma is
   made orthogonal to what is linear in z alone, so that its elements resist strains along x and y a little too much, and
   rotations about all axes. What is kept here is the difference from the matrix of the form, which kernels have made. */
#include "integrate/reduce.h"
#include "base/point.h"

#include <string.h>

enum { N_VERTICES = RITZ_REDUCED_ROWS / 3, N_HOURGLASS = 4 };
static const double hourglass_factor = 0.0005;

/* Mean gradients and the volume. */
static void find_mean(const ritz_enhancement *e, const int32_t *nodes, ritz_enhanced *of, double *volume)
{
    double psi[4 * N_VERTICES];
    *volume = 0;
    for (int q = 0; q < e->mean->n_points; q++) {
        ritz_point point;
        ritz_point_map(e->mean, e->space->mesh, nodes, q, &point);
        ritz_point_shape(e->mean, &point, q, psi);
        const double vol = point.det * e->mean->weights[q];
        *volume += vol;
        for (int i = 0; i < N_VERTICES; i++)
            for (int d = 0; d < 3; d++)
                of->mean[i][d] += vol * psi[(1 + d) * N_VERTICES + i];
    }
    for (int i = 0; i < N_VERTICES; i++)
        for (int d = 0; d < 3; d++)
            of->mean[i][d] /= *volume;
}

static void find_hourglass(const ritz_enhancement *e, const int32_t *nodes, const ritz_enhanced *of,
                           double gamma[N_HOURGLASS][N_VERTICES])
{
    static const double h[N_HOURGLASS][N_VERTICES] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                                      {1, -1, -1, 1, -1, 1, 1, -1},
                                                      {1, -1, 1, -1, 1, -1, 1, -1},
                                                      {-1, 1, -1, 1, 1, -1, 1, -1}};
    memcpy(gamma, h, sizeof h);
    for (int k = 0; k < N_HOURGLASS; k++)
        for (int d = of->kind == RITZ_REDUCED_CALCULIX ? 2 : 0; d < 3; d++) {
            double moment = 0;
            for (int i = 0; i < N_VERTICES; i++)
                moment += e->space->mesh->nodes[(int64_t)nodes[i] * 3 + d] * h[k][i];
            for (int i = 0; i < N_VERTICES; i++)
                gamma[k][i] -= of->mean[i][d] * moment;
        }
}

/* Adds factor times B' c B; gradients of nodes and along axes are so far apart. */
static void add_stiffness(double c[6][6], double factor, const double *gradient, int by_node, int by_axis,
                          ritz_enhanced *of)
{
    double g[N_VERTICES][3];
    for (int i = 0; i < N_VERTICES; i++)
        for (int d = 0; d < 3; d++)
            g[i][d] = gradient[i * by_node + d * by_axis];
    for (int i = 0; i < RITZ_REDUCED_ROWS; i++)
        for (int j = 0; j < RITZ_REDUCED_ROWS; j++)
            of->reduced[i][j] += factor * ritz_couple_gradients(c, 3, g[i / 3], i % 3, g[j / 3], j % 3);
}

static void add_hourglass(double stiffness, double gamma[N_HOURGLASS][N_VERTICES], ritz_enhanced *of)
{
    for (int k = 0; k < N_HOURGLASS; k++)
        for (int i = 0; i < N_VERTICES; i++)
            for (int j = 0; j < N_VERTICES; j++)
                for (int d = 0; d < 3; d++)
                    of->reduced[3 * i + d][3 * j + d] += stiffness * gamma[k][i] * gamma[k][j];
}

static double find_volume(const ritz_enhancement *e, const ritz_tables *tables, int32_t cell)
{
    const ritz_mesh_block *block = e->space->batches[e->batch].block;
    double volume = 0;
    for (int q = 0; q < tables->n_points; q++) {
        ritz_point point;
        ritz_point_map(tables, e->space->mesh, block->nodes + (int64_t)cell * block->n_nodes, q, &point);
        volume += point.det * tables->weights[q];
    }
    return volume;
}

double ritz_reduced_volume(const ritz_enhancement *e, int32_t cell)
{
    return find_volume(e, e->mean, cell) / find_volume(e, e->tables, cell);
}

bool ritz_reduce_cell(const ritz_enhancement *e, int32_t cell, ritz_enhanced *of)
{
    const ritz_mesh_block *block = e->space->batches[e->batch].block;
    const int32_t *nodes = block->nodes + (int64_t)cell * block->n_nodes;
    double volume, total = 0, modulus = 0, squares = 0, c[6][6] = {{0}}, gamma[N_HOURGLASS][N_VERTICES];
    of->n_rows = RITZ_REDUCED_ROWS;
    find_mean(e, nodes, of, &volume);
    if (!(volume > 0))
        return false;
    for (int q = 0; q < e->tables->n_points; q++) {
        ritz_enhanced_point p;
        ritz_find_enhanced_point(e, cell, q, &p);
        add_stiffness(p.material.c, -p.vol, p.psi + N_VERTICES, 1, N_VERTICES, of);
        for (int a = 0; a < 36; a++)
            c[a / 6][a % 6] += p.vol * p.material.c[a / 6][a % 6];
        modulus += p.vol * (p.material.directed ? p.material.c[0][0] : p.material.young);
        total += p.vol;
    }
    of->det = volume / total;
    for (int i = 0; i < RITZ_REDUCED_ROWS; i++)
        squares += of->mean[i / 3][i % 3] * of->mean[i / 3][i % 3];
    find_hourglass(e, nodes, of, gamma);
    add_stiffness(c, of->det, of->mean[0], 3, 1, of);
    add_hourglass(hourglass_factor * modulus * of->det * squares, gamma, of);
    return true;
}

/* The load of the form reads the gradients at points; here the mean ones count, and the volume. */
void ritz_load_reduced(const ritz_enhanced_point *p, const double own[6], ritz_enhanced *of)
{
    for (int i = 0; i < RITZ_REDUCED_ROWS; i++)
        for (int d = 0; d < 3; d++)
            of->pressure[i] += p->vol * own[ritz_symmetric_place[i % 3][d]] *
                               (p->psi[(1 + d) * N_VERTICES + i / 3] - of->det * of->mean[i / 3][d]);
}

void ritz_add_reduced_matrix(const ritz_enhanced *of, double *matrix)
{
    for (int i = 0; i < RITZ_REDUCED_ROWS; i++)
        for (int j = 0; j < RITZ_REDUCED_ROWS; j++)
            matrix[i * RITZ_REDUCED_ROWS + j] += of->reduced[i][j];
}

void ritz_add_reduced_action(const ritz_enhanced *of, const double *u, double *vector)
{
    for (int i = 0; i < RITZ_REDUCED_ROWS; i++)
        for (int j = 0; j < RITZ_REDUCED_ROWS; j++)
            vector[i] += of->reduced[i][j] * u[j];
}

void ritz_find_mean_gradient(const ritz_enhanced *of, const double *u, double gradient[9])
{
    for (int E = 0; E < 3; E++)
        for (int d = 0; d < 3; d++) {
            gradient[3 * E + d] = 0;
            for (int i = 0; i < N_VERTICES; i++)
                gradient[3 * E + d] += of->mean[i][d] * u[3 * i + E];
        }
}
