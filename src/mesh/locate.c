/* The cell that holds a point, and how far a point is from the mesh. */
#include "base/point.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far outside the reference cell a point may come out and still be in it, and what is no difference. */
static const double most_excess = 1e-6, no_excess = 1e-9;

/* By how much a point is outside the reference cell; 0 inside. */
static double find_excess(ritz_cell cell, int dim, const double *xi)
{
    double most = 0, sum = 0;
    const int n_simplex = cell == RITZ_TET ? 3 : cell == RITZ_TRI || cell == RITZ_PRISM ? 2 : 0;
    for (int d = 0; d < dim; d++) {
        most = fmax(most, -xi[d]);
        if (d >= n_simplex)
            most = fmax(most, xi[d] - 1);
        else
            sum += xi[d];
    }
    return fmax(most, sum - 1);
}

/* Newton's method for x(xi) = x; false where it does not converge. */
static ritz_status invert_map(const ritz_mesh *mesh, const ritz_mesh_block *block, const ritz_basis *geometry,
                              int32_t cell, const double x[3], double xi[3], bool *found)
{
    enum { MOST_STEPS = 40 };
    ritz_status status = RITZ_OK;
    const int dim = mesh->dim, n = block->n_nodes;
    double psi[4 * 27]; /* second order at most */
    *found = false;
    for (int d = 0; d < 3; d++)
        xi[d] = d < dim ? (geometry->cell == RITZ_QUAD || geometry->cell == RITZ_HEX ? 0.5 : 0.25) : 0;
    for (int step = 0; step < MOST_STEPS; step++) {
        double rest[3] = {0}, J[3][3] = {{0}}, inverse[3][3], change = 0;
        RITZ_TRY(ritz_basis_tabulate(geometry, 1, xi, psi));
        for (int i = 0; i < n; i++) {
            const double *node = mesh->nodes + 3 * (int64_t)block->nodes[(int64_t)cell * n + i];
            for (int a = 0; a < dim; a++) {
                rest[a] -= node[a] * psi[i];
                for (int b = 0; b < dim; b++)
                    J[a][b] += node[a] * psi[(1 + b) * n + i];
            }
        }
        if (ritz_invert_jacobian(dim, J, inverse) == 0)
            break;
        for (int a = 0; a < dim; a++)
            rest[a] += x[a];
        for (int b = 0; b < dim; b++) {
            double move = 0;
            for (int a = 0; a < dim; a++)
                move += inverse[b][a] * rest[a];
            xi[b] += move;
            change = fmax(change, fabs(move));
        }
        if (!(change < 1e3))
            break;
        if (change < 1e-12) {
            *found = true;
            break;
        }
    }
done:
    return status;
}

/* Points in the order of one coordinate. */
typedef struct sorted_point {
    double key;
    int64_t point;
} sorted_point;

static int compare_points(const void *a, const void *b)
{
    const sorted_point *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : (p->point > q->point) - (p->point < q->point);
}

/* Along the axis on which the points are spread most. */
static ritz_status sort_points(int64_t n, const double *x, int *axis, sorted_point **sorted)
{
    ritz_status status = RITZ_OK;
    double most = -1;
    RITZ_NEW(*sorted, n);
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t p = 0; p < n; p++) {
            low = fmin(low, x[3 * p + d]);
            high = fmax(high, x[3 * p + d]);
        }
        if (high - low > most) {
            most = high - low;
            *axis = d;
        }
    }
    for (int64_t p = 0; p < n; p++)
        (*sorted)[p] = (sorted_point){x[3 * p + *axis], p};
    qsort(*sorted, (size_t)n, sizeof **sorted, compare_points);
done:
    return status;
}

/* What holds a cell: curved cells bulge beyond their nodes. */
static void find_bounds(const ritz_mesh *mesh, const ritz_mesh_block *block, int32_t cell, double low[3],
                        double high[3])
{
    double size = 0;
    for (int d = 0; d < 3; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
        for (int i = 0; i < block->n_nodes; i++) {
            const double x = mesh->nodes[3 * (int64_t)block->nodes[(int64_t)cell * block->n_nodes + i] + d];
            low[d] = fmin(low[d], x);
            high[d] = fmax(high[d], x);
        }
        size = fmax(size, high[d] - low[d]);
    }
    for (int d = 0; d < 3; d++) {
        low[d] -= (block->geometry_order > 1 ? 0.25 : 1e-5) * size;
        high[d] += (block->geometry_order > 1 ? 0.25 : 1e-5) * size;
    }
}

static bool is_within(const double x[3], const double low[3], const double high[3])
{
    for (int d = 0; d < 3; d++)
        if (x[d] < low[d] || x[d] > high[d])
            return false;
    return true;
}

/* Offers the cells of a block to the points: of several that hold a point, the first one. */
static ritz_status offer_block(const ritz_mesh *mesh, int b, int64_t n, const double *x, int axis,
                               const sorted_point *sorted, double *excess, ritz_cell_point *found)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = &mesh->blocks[b];
    ritz_basis *geometry = NULL;
    RITZ_TRY(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &geometry));
    for (int32_t e = 0; e < block->n_cells; e++) {
        double low[3], high[3];
        int64_t first = 0, last = n;
        if (e % 65536 == 0)
            RITZ_TRY(ritz_check_interrupt());
        find_bounds(mesh, block, e, low, high);
        while (first < last) { /* the first point at or above the lower bound */
            const int64_t middle = (first + last) / 2;
            if (sorted[middle].key < low[axis])
                first = middle + 1;
            else
                last = middle;
        }
        for (; first < n && sorted[first].key <= high[axis]; first++) {
            const int64_t p = sorted[first].point;
            double xi[3];
            bool inside;
            if (excess[p] <= no_excess || !is_within(x + 3 * p, low, high))
                continue;
            RITZ_TRY(invert_map(mesh, block, geometry, e, x + 3 * p, xi, &inside));
            const double beyond = inside ? fmax(find_excess(block->cell, mesh->dim, xi), no_excess) : INFINITY;
            if (beyond > most_excess || beyond >= excess[p])
                continue;
            excess[p] = beyond;
            found[p].block = b;
            found[p].cell = e;
            memcpy(found[p].xi, xi, sizeof xi);
        }
    }
done:
    ritz_basis_destroy(&geometry);
    return status;
}

ritz_status ritz_mesh_locate(const ritz_mesh *mesh, int64_t n, const double *x, ritz_cell_point *found)
{
    ritz_status status = RITZ_OK;
    sorted_point *sorted = NULL;
    double *excess = NULL;
    int axis = 0;
    RITZ_NEW(excess, n);
    for (int64_t p = 0; p < n; p++) {
        found[p] = (ritz_cell_point){.block = -1, .cell = -1};
        excess[p] = INFINITY;
    }
    RITZ_TRY(sort_points(n, x, &axis, &sorted));
    for (int b = 0; b < mesh->n_blocks; b++)
        RITZ_TRY(offer_block(mesh, b, n, x, axis, sorted, excess, found));
done:
    ritz_free(sorted);
    ritz_free(excess);
    return status;
}

/* ---- Distance from the outside ---- */

/* The point nearest to x on the segment from a along ab. */
static double segment_distance(const double x[3], const double a[3], const double b[3])
{
    double ab[3], ax[3], square = 0;
    for (int d = 0; d < 3; d++) {
        ab[d] = b[d] - a[d];
        ax[d] = x[d] - a[d];
    }
    const double t = fmin(1, fmax(0, ritz_dot(ab, ax) / ritz_dot(ab, ab)));
    for (int d = 0; d < 3; d++)
        square += (ax[d] - t * ab[d]) * (ax[d] - t * ab[d]);
    return sqrt(square);
}

/* To a triangle: to its plane where the foot is inside, else to the nearest side. */
static double triangle_distance(const double x[3], const double a[3], const double b[3], const double c[3])
{
    double u[3], v[3], w[3];
    for (int d = 0; d < 3; d++) {
        u[d] = b[d] - a[d];
        v[d] = c[d] - a[d];
        w[d] = x[d] - a[d];
    }
    const double uu = ritz_dot(u, u), uv = ritz_dot(u, v), vv = ritz_dot(v, v), wu = ritz_dot(w, u),
                 wv = ritz_dot(w, v);
    const double det = uu * vv - uv * uv, s = (vv * wu - uv * wv) / det, t = (uu * wv - uv * wu) / det;
    if (s >= 0 && t >= 0 && s + t <= 1) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (w[d] - s * u[d] - t * v[d]) * (w[d] - s * u[d] - t * v[d]);
        return sqrt(square);
    }
    return fmin(segment_distance(x, a, b), fmin(segment_distance(x, b, c), segment_distance(x, c, a)));
}

ritz_status ritz_mesh_distance(const ritz_mesh *mesh, const double x[3], double *distance)
{
    ritz_status status = RITZ_OK;
    ritz_mesh_facet *facets = NULL;
    int64_t n = 0;
    double least = INFINITY;
    RITZ_TRY(ritz_mesh_outer_facets(mesh, &facets, &n));
    for (int64_t f = 0; f < n; f++) {
        const double *v[4] = {NULL};
        for (int k = 0; k < facets[f].n; k++)
            v[k] = mesh->nodes + 3 * (int64_t)facets[f].vertices[k];
        least =
            fmin(least, facets[f].n == 2 ? segment_distance(x, v[0], v[1]) : triangle_distance(x, v[0], v[1], v[2]));
        if (facets[f].n == 4)
            least = fmin(least, triangle_distance(x, v[0], v[2], v[3]));
    }
    *distance = least;
done:
    ritz_free(facets);
    return status;
}

void ritz_mesh_bounds(const ritz_mesh *mesh, double low[3], double high[3])
{
    ritz_box_of_points(3, mesh->n_nodes, mesh->nodes, low, high);
}
