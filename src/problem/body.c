/* How long and how thick a body is that bends, and how much too stiff cells of order 1 are in it: for the warning of shear
   locking and the choice of a solver. */
#include "base/lanes.h"
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

typedef ritz_lanes corner[3]; /* of several cells or facets */

/* Half the cross product of b - a and d - c. */
RITZ_ANY_WIDTH void half_cross(const ritz_lanes *a, const ritz_lanes *b, const ritz_lanes *c, const ritz_lanes *d,
                               corner area)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        area[i] = 0.5 * ((b[j] - a[j]) * (d[k] - c[k]) - (b[k] - a[k]) * (d[j] - c[j]));
    }
}

/* The area vector of a face of 3 or 4 of the corners x, by its diagonals; of an edge in the plane, its outward normal times its
   length. */
RITZ_ANY_WIDTH void facet_area(corner *x, const int *vertices, int n, corner area)
{
    const ritz_lanes *a = x[vertices[0]], *b = x[vertices[1]], *last = x[vertices[n - 1]];
    if (n == 2) {
        area[0] = b[1] - a[1];
        area[1] = a[0] - b[0];
        area[2] = (ritz_lanes){0};
    } else
        half_cross(a, n == 3 ? b : x[vertices[2]], n == 3 ? a : b, last, area);
}

/* The volumes of the cells first .. first + n - 1 (in the plane, their areas) from their facets, and the squares of their longest
   edges. */
RITZ_EACH_WIDTH static void measure_cells(const ritz_mesh *mesh, int b, int32_t first, int n, ritz_lanes *volume,
                                          ritz_lanes *longest)
{
    const ritz_mesh_block *block = &mesh->blocks[b];
    const ritz_topology *t = ritz_cell_topology(block->cell);
    const int32_t *cells[RITZ_N_LANES];
    corner x[RITZ_MAX_VERTICES];
    for (int l = 0; l < n; l++)
        cells[l] = block->nodes + (int64_t)(first + l) * block->n_nodes;
    ritz_gather_lanes(n, cells, t->n_vertices, 3, mesh->nodes, x[0]);
    *volume = *longest = (ritz_lanes){0};
    for (int f = 0; f < t->n_facets; f++) {
        const int n_vertices = t->facet_n_vertices[f];
        corner area;
        facet_area(x, t->facets[f], n_vertices, area);
        for (int v = 0; v < n_vertices; v++)
            for (int d = 0; d < 3; d++)
                *volume += (x[t->facets[f][v]][d] - x[0][d]) * area[d] / (double)(n_vertices * t->dim);
    }
    for (int k = 0; k < t->n_edges; k++) {
        ritz_lanes square = {0};
        for (int d = 0; d < 3; d++) {
            const ritz_lanes step = x[t->edges[k][1]][d] - x[t->edges[k][0]][d];
            square += step * step;
        }
        *longest = RITZ_CHOOSE(square > *longest, square, *longest);
    }
}

/* Of the cells first .. last - 1 */
static cell_sums sum_chunk(const ritz_mesh *mesh, int b, int32_t first, int32_t last)
{
    const double c = stiffness_factor(mesh->blocks[b].cell);
    cell_sums sums = {0};
    for (int32_t e = first; e < last; e += RITZ_N_LANES) {
        const int n = (int)ritz_min64(RITZ_N_LANES, last - e);
        ritz_lanes volume, longest;
        measure_cells(mesh, b, e, n, &volume, &longest);
        for (int l = 0; l < n; l++) {
            sums.volume += volume[l];
            sums.squares += volume[l] * longest[l];
            sums.excess += volume[l] * longest[l] * c;
        }
    }
    return sums;
}

static ritz_status sum_cells(const ritz_mesh *mesh, cell_sums *sums)
{
    ritz_status status = RITZ_OK;
    cell_sums *chunks = NULL;
    *sums = (cell_sums){0};
    for (int b = 0; b < mesh->n_blocks; b++) {
        const int32_t n = mesh->blocks[b].n_cells, n_chunks = n / CHUNK + (n % CHUNK > 0);
        RITZ_NEW(chunks, n_chunks);
#pragma omp parallel for schedule(static)
        for (int32_t k = 0; k < n_chunks; k++)
            chunks[k] = sum_chunk(mesh, b, k * CHUNK, (int32_t)ritz_min64(n, (int64_t)(k + 1) * CHUNK));
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
        static const int all[4] = {0, 1, 2, 3};
        const int32_t *const vertices = facets[f].vertices;
        corner x[4] = {{{0}}}, area; /* the first lane counts */
        ritz_gather_lanes(1, &vertices, facets[f].n, 3, mesh->nodes, x[0]);
        facet_area(x, all, facets[f].n, area);
        *outside += sqrt(area[0][0] * area[0][0] + area[1][0] * area[1][0] + area[2][0] * area[2][0]);
        for (int v = 0; v < facets[f].n; v++)
            for (int d = 0; d < 3; d++) {
                least[d] = fmin(least[d], x[v][d][0]);
                most[d] = fmax(most[d], x[v][d][0]);
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
