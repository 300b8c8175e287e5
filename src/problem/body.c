/* How long and how thick a body is that bends, and how much too stiff cells of order 1 are in it: for the warning of shear
   locking and the choice of a solver. */
#include "problem/drive.h"

#include <math.h>

/* The excess of a bending stiffness of elements of order 1 is c (l / t)^2, l the longest edge of a cell, t the
   thickness of the body. A rectangle that bends shears by G / E (l / t)^2 of the true energy, 0.4 with a Poisson's
   ratio of 0.3, and a layer or many make no difference; triangles and tets, whose strain is constant, were measured on
   beams and plates. */
static double stiffness_factor(ritz_cell cell)
{
    return cell == RITZ_TRI || cell == RITZ_TET ? 1.2 : cell == RITZ_PRISM ? 0.3 : 0.42;
}

/* Sums over cells; each chunk in the order of its cells, then chunk after chunk, for the same bits with any threads. */
typedef struct cell_sums {
    double volume, squares, excess; /* of volume, times l^2, times c l^2 */
} cell_sums;
enum { CHUNK = 4096 };

/* Half the cross product of b - a and d - c. */
static void half_cross(const double *a, const double *b, const double *c, const double *d, double area[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        area[i] = 0.5 * ((b[j] - a[j]) * (d[k] - c[k]) - (b[k] - a[k]) * (d[j] - c[j]));
    }
}

/* The area vector of a face of 3 or 4 vertices, by its diagonals; of an edge in the plane, its outward normal times its
   length. */
static void facet_area(const ritz_mesh *mesh, const int32_t *nodes, int n, double area[3])
{
    const double *x[4] = {NULL};
    for (int v = 0; v < n; v++)
        x[v] = &mesh->nodes[3 * (int64_t)nodes[v]];
    if (n == 2) {
        area[0] = x[1][1] - x[0][1];
        area[1] = x[0][0] - x[1][0];
        area[2] = 0;
    } else
        half_cross(x[0], x[n == 3 ? 1 : 2], n == 3 ? x[0] : x[1], x[n - 1], area);
}

/* The volume of a cell (in the plane, its area) from its facets, and the square of its longest edge. */
static void measure_cell(const ritz_mesh *mesh, int b, int32_t e, double *volume, double *longest)
{
    const ritz_mesh_block *block = &mesh->blocks[b];
    const ritz_topology *t = ritz_cell_topology(block->cell);
    const int32_t *nodes = block->nodes + (int64_t)e * block->n_nodes;
    const double *origin = &mesh->nodes[3 * (int64_t)nodes[0]];
    *volume = *longest = 0;
    for (int f = 0; f < t->n_facets; f++) {
        const int n = t->facet_n_vertices[f];
        int32_t vertices[4];
        double area[3];
        for (int v = 0; v < n; v++)
            vertices[v] = nodes[t->facets[f][v]];
        facet_area(mesh, vertices, n, area);
        for (int v = 0; v < n; v++)
            for (int d = 0; d < 3; d++)
                *volume += (mesh->nodes[3 * (int64_t)vertices[v] + d] - origin[d]) * area[d] / (n * t->dim);
    }
    for (int k = 0; k < t->n_edges; k++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            const double step = mesh->nodes[3 * (int64_t)nodes[t->edges[k][1]] + d] -
                                mesh->nodes[3 * (int64_t)nodes[t->edges[k][0]] + d];
            square += step * step;
        }
        *longest = fmax(*longest, square);
    }
}

static ritz_status sum_cells(const ritz_mesh *mesh, cell_sums *sums)
{
    ritz_status status = RITZ_OK;
    cell_sums *chunks = NULL;
    *sums = (cell_sums){0};
    for (int b = 0; b < mesh->n_blocks; b++) {
        const int32_t n = mesh->blocks[b].n_cells, n_chunks = n / CHUNK + (n % CHUNK > 0);
        const double c = stiffness_factor(mesh->blocks[b].cell);
        RITZ_NEW(chunks, n_chunks);
#pragma omp parallel for schedule(static)
        for (int32_t k = 0; k < n_chunks; k++)
            for (int32_t e = k * CHUNK; e < n && e - k * CHUNK < CHUNK; e++) {
                double volume, longest;
                measure_cell(mesh, b, e, &volume, &longest);
                chunks[k].volume += volume;
                chunks[k].squares += volume * longest;
                chunks[k].excess += volume * longest * c;
            }
        for (int32_t k = 0; k < n_chunks; k++) {
            sums->volume += chunks[k].volume;
            sums->squares += chunks[k].squares;
            sums->excess += chunks[k].excess;
        }
        ritz_free(chunks);
        chunks = NULL;
    }
done:
    ritz_free(chunks);
    return status;
}

/* The area of the outside (in the plane, its length) and the diagonal of the box around the body. */
static ritz_status measure_outside(const ritz_mesh *mesh, double *outside, double *diagonal)
{
    ritz_status status = RITZ_OK;
    ritz_mesh_facet *facets = NULL;
    int64_t n = 0;
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    *outside = 0;
    RITZ_TRY(ritz_mesh_outer_facets(mesh, &facets, &n));
    for (int64_t f = 0; f < n; f++) {
        double area[3];
        facet_area(mesh, facets[f].vertices, facets[f].n, area);
        *outside += sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        for (int v = 0; v < facets[f].n; v++)
            for (int d = 0; d < 3; d++) {
                const double x = mesh->nodes[3 * (int64_t)facets[f].vertices[v] + d];
                least[d] = fmin(least[d], x);
                most[d] = fmax(most[d], x);
            }
    }
    for (int d = 0; d < 3; d++)
        square += (most[d] - least[d]) * (most[d] - least[d]);
    *diagonal = sqrt(square);
done:
    ritz_free(facets);
    return status;
}

/* The smaller of two sides of which sum and product are known. */
static double smaller_side(double sum, double product)
{
    const double square = 0.25 * sum * sum - product;
    return square > 0 ? product / (0.5 * sum + sqrt(square)) : sqrt(product);
}

/* Length and thickness of the bar, plate or strip that has the body's volume, outside and diagonal: unrolled, where the
   body is bent. */
static void find_sides(int dim, double volume, double outside, double diagonal, double *length, double *thickness)
{
    *length = diagonal;
    if (dim == 3) {
        const double section = volume / diagonal;
        *thickness = smaller_side((0.5 * outside - section) / diagonal, section);
    } else {
        *thickness = smaller_side(0.5 * outside, volume);
        *length = volume / *thickness;
    }
}

ritz_status ritz_measure_body(ritz_drive *drive)
{
    ritz_status status = RITZ_OK;
    const ritz_problem *problem = drive->problem;
    ritz_body_shape *body = &drive->body;
    cell_sums sums;
    double outside, diagonal;
    if (!(problem->physics->warnings & RITZ_LOCKS_IN_BENDING) ||
        (problem->order > 1 && !ritz_solver_is_open(&problem->solver)))
        goto done;
    RITZ_TRY(sum_cells(drive->mesh, &sums));
    RITZ_TRY(measure_outside(drive->mesh, &outside, &diagonal));
    find_sides(drive->mesh->dim, sums.volume, outside, diagonal, &body->length, &body->thickness);
    body->cell_length = sqrt(sums.squares / sums.volume);
    body->excess = sums.excess / sums.volume;
done:
    return status;
}
