/* What every mesh must hold: finite coordinates, nodes that exist, cells that are not inverted. */
#include "base/lanes.h"
#include "mesh/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Derivatives of the geometry's shape functions at the points where determinants are taken. Many points share a column of
   J, for those of multilinear cells do not vary along their own axis: a hex has 39 columns at 35 points. */
enum { MOST_COLUMNS = 105 }; /* 35 points along 3 axes are the most that there are */
typedef struct sampling {
    int dim, n_points, n_shape;
    int n_inner;   /* of the points, the first n_inner are those of a rule, the others corners */
    int n_columns; /* different ones */
    int *column;   /* [n_points][dim] of each point, along each axis of the reference cell */
    double *dpsi;  /* [n_columns][n_shape] */
} sampling;

static void sampling_free(sampling *s)
{
    ritz_free(s->column);
    ritz_free(s->dpsi);
}

/* The column of these derivatives, added if there is none like it. */
static int find_column(sampling *s, const double *dpsi)
{
    static const double rounding = 1e-14;
    for (int c = 0; c < s->n_columns; c++) {
        double most = 0;
        for (int i = 0; i < s->n_shape; i++)
            most = fmax(most, fabs(s->dpsi[c * s->n_shape + i] - dpsi[i]));
        if (most <= rounding)
            return c;
    }
    memcpy(&s->dpsi[s->n_columns * s->n_shape], dpsi, (size_t)s->n_shape * sizeof *dpsi);
    return s->n_columns++;
}

/* The points of the rule of degree 4 (one will do where the determinant is constant) and the corners of multilinear
   cells, where a fold shows first. */
static ritz_status sampling_create(ritz_cell cell, int geometry_order, sampling *s)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    ritz_quadrature *rule = NULL;
    double *points = NULL, *psi = NULL;
    bool constant = geometry_order == 1 && (cell == RITZ_TRI || cell == RITZ_TET);
    const int dim = ritz_cell_dim(cell), n_shape = ritz_cell_n_shape(cell, geometry_order);
    *s = (sampling){.dim = dim, .n_shape = n_shape};
    RITZ_TRY(ritz_basis_create(cell, geometry_order, RITZ_NODES_LOBATTO, &basis));
    RITZ_TRY(ritz_quadrature_create(cell, 4, &rule));
    s->n_inner = constant ? 1 : rule->n_points;
    s->n_points = s->n_inner + (geometry_order == 1 && !constant ? n_shape : 0);
    RITZ_NEW(points, s->n_points * dim);
    memcpy(points, rule->points, (size_t)(s->n_inner * dim) * sizeof(double));
    memcpy(&points[s->n_inner * dim], basis->nodes, (size_t)((s->n_points - s->n_inner) * dim) * sizeof(double));
    RITZ_NEW(psi, (int64_t)s->n_points * (1 + dim) * n_shape);
    RITZ_TRY(ritz_basis_tabulate(basis, s->n_points, points, psi));
    RITZ_NEW(s->column, s->n_points * dim);
    RITZ_NEW(s->dpsi, MOST_COLUMNS * n_shape);
    for (int q = 0; q < s->n_points; q++)
        for (int D = 0; D < dim; D++)
            s->column[q * dim + D] = find_column(s, &psi[(q * (1 + dim) + 1 + D) * n_shape]);
done:
    ritz_free(points);
    ritz_free(psi);
    ritz_basis_destroy(&basis);
    ritz_quadrature_destroy(&rule);
    return status;
}

enum { MOST_NODES = 27 };

/* The columns of J that points have, and their lengths, of several cells at once. */
typedef struct columns {
    ritz_lanes at[MOST_COLUMNS][3], length[MOST_COLUMNS];
} columns;

RITZ_ANY_WIDTH void sum_columns(const sampling *s, ritz_lanes (*x)[3], columns *J)
{
    for (int c = 0; c < s->n_columns; c++) {
        const double *dpsi = &s->dpsi[c * s->n_shape];
        ritz_lanes sum[3] = {{0}};
        for (int i = 0; i < s->n_shape; i++) {
            sum[0] += dpsi[i] * x[i][0];
            sum[1] += dpsi[i] * x[i][1];
            sum[2] += dpsi[i] * x[i][2];
        }
        const ritz_lanes square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
        for (int l = 0; l < RITZ_N_LANES; l++)
            J->length[c][l] = sqrt(square[l]);
        memcpy(J->at[c], sum, sizeof sum);
    }
}

/* det J at a point, over the product of the lengths of J's columns if `scaled`. */
RITZ_ANY_WIDTH void sample_determinants(const sampling *s, int q, const columns *J, bool scaled, ritz_lanes *det)
{
    const int *column = &s->column[q * s->dim], last = column[s->dim - 1];
    const ritz_lanes *a = J->at[column[0]], *b = J->at[column[1]], *c = J->at[last];
    ritz_lanes lengths = J->length[column[0]] * J->length[column[1]];
    if (s->dim == 2) {
        *det = a[0] * b[1] - a[1] * b[0];
    } else {
        *det = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
        lengths *= J->length[last];
    }
    if (scaled)
        *det = RITZ_CHOOSE(lengths > 0, *det / lengths, (ritz_lanes){0});
}

/* x[n_shape][3] of cells first .. first + n - 1 */
static void gather_nodes(const ritz_mesh *mesh, const ritz_mesh_block *block, int64_t first, int n, ritz_lanes (*x)[3])
{
    const int32_t *cells[RITZ_N_LANES];
    for (int l = 0; l < n; l++)
        cells[l] = &block->nodes[(first + l) * block->n_nodes];
    ritz_gather_lanes(n, cells, block->n_nodes, 3, mesh->nodes, x[0]);
}

/* The least and the largest at all points. Corners of 180 degrees are left out of scaled ones: they do no harm. */
RITZ_EACH_WIDTH static void find_ranges(const sampling *s, ritz_lanes (*x)[3], bool scaled, ritz_lanes *low,
                                        ritz_lanes *high)
{
    columns J;
    ritz_lanes least = (ritz_lanes){0} + INFINITY, most = -least;
    sum_columns(s, x, &J);
    for (int q = 0; q < s->n_points; q++) {
        const double harmless = scaled && q >= s->n_inner ? RITZ_DEGENERATE : -1;
        ritz_lanes det;
        sample_determinants(s, q, &J, scaled, &det);
        const ritz_lane_mask counts = (det > harmless) | (det < -harmless);
        least = RITZ_CHOOSE(counts & (det < least), det, least);
        most = RITZ_CHOOSE(counts & (det > most), det, most);
    }
    *low = least;
    *high = most;
}

ritz_status ritz_mesh_determinants(const ritz_mesh *mesh, const ritz_mesh_block *block, double *low, double *high)
{
    ritz_status status = RITZ_OK;
    sampling s = {0};
    RITZ_TRY(sampling_create(block->cell, block->geometry_order, &s));
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < block->n_cells; first += RITZ_N_LANES) {
        const int n = (int)ritz_min64(RITZ_N_LANES, block->n_cells - first);
        ritz_lanes x[MOST_NODES][3], least, most;
        gather_nodes(mesh, block, first, n, x);
        find_ranges(&s, x, true, &least, &most);
        memcpy(&low[first], &least, (size_t)n * sizeof *low);
        memcpy(&high[first], &most, (size_t)n * sizeof *high);
    }
done:
    sampling_free(&s);
    return status;
}

ritz_status ritz_mesh_quality(const ritz_mesh *mesh, double *least, double at[3], double *mean)
{
    ritz_status status = RITZ_OK;
    double *low = NULL, *high = NULL, sum = 0;
    int64_t n = 0;
    *least = INFINITY;
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        const int n_vertices = ritz_cell_topology(block->cell)->n_vertices;
        RITZ_RESIZE(low, block->n_cells);
        RITZ_RESIZE(high, block->n_cells);
        RITZ_TRY(ritz_mesh_determinants(mesh, block, low, high));
        n += block->n_cells;
        for (int32_t c = 0; c < block->n_cells; c++) {
            sum += low[c];
            if (low[c] >= *least)
                continue;
            *least = low[c];
            at[0] = at[1] = at[2] = 0;
            for (int v = 0; v < n_vertices; v++)
                for (int d = 0; d < 3; d++)
                    at[d] += mesh->nodes[3 * (int64_t)block->nodes[(int64_t)c * block->n_nodes + v] + d] / n_vertices;
        }
    }
    *mean = sum / (double)n;
done:
    ritz_free(low);
    ritz_free(high);
    return status;
}

static void permute_cell(ritz_mesh_block *block, int32_t cell, const int *turn)
{
    int32_t old[MOST_NODES], *nodes = &block->nodes[(int64_t)cell * block->n_nodes];
    memcpy(old, nodes, (size_t)block->n_nodes * sizeof *old);
    for (int i = 0; i < block->n_nodes; i++)
        nodes[i] = old[turn[i]];
    block->turned[cell] = 1;
}

/* Says which element is bad, its smallest determinant, and how many others are. */
static ritz_status fail_cell(const ritz_mesh *mesh, const ritz_mesh_block *block, int32_t cell, int32_t n_bad,
                             bool flat)
{
    ritz_status status = RITZ_OK;
    sampling s = {0};
    ritz_lanes x[MOST_NODES][3], least, most;
    RITZ_TRY(sampling_create(block->cell, block->geometry_order, &s));
    gather_nodes(mesh, block, cell, 1, x);
    find_ranges(&s, x, false, &least, &most);
    char others[64] = "";
    if (n_bad > 1)
        snprintf(others, sizeof others, ", and %d more such element%s", n_bad - 1, ritz_plural(n_bad - 1));
    RITZ_FAIL(
        RITZ_ERROR_INPUT,
        "element %lld (%s) is %s: its Jacobian determinant is %g near (%g, %g, %g)%s; correct or refine the mesh there",
        (long long)block->number[cell], ritz_cell_name(block->cell), flat ? "degenerate" : "inverted", least[0],
        x[0][0][0], x[0][1][0], x[0][2][0], others);
done:
    sampling_free(&s);
    return status;
}

static ritz_status check_cells(ritz_mesh *mesh, ritz_mesh_block *block)
{
    ritz_status status = RITZ_OK;
    double *low = NULL, *high = NULL;
    int turn[MOST_NODES] = {0};
    int32_t n_bad = 0, first_bad = -1;
    RITZ_NEW(low, block->n_cells);
    RITZ_NEW(high, block->n_cells);
    RITZ_TRY(ritz_mesh_determinants(mesh, block, low, high));
    RITZ_TRY(ritz_cell_reflection(block->cell, block->geometry_order, turn));
    for (int32_t c = 0; c < block->n_cells; c++) {
        if (low[c] > RITZ_DEGENERATE)
            continue;
        if (high[c] < -RITZ_DEGENERATE) {
            if (!block->turned)
                RITZ_NEW(block->turned, block->n_cells);
            permute_cell(block, c, turn);
            mesh->n_turned++;
        } else {
            first_bad = n_bad++ == 0 ? c : first_bad;
        }
    }
    if (n_bad > 0)
        RITZ_TRY(fail_cell(mesh, block, first_bad, n_bad, fabs(low[first_bad]) <= RITZ_DEGENERATE));
done:
    ritz_free(low);
    ritz_free(high);
    return status;
}

/* A cell collapsed at an edge: its determinant is 0 there, though not at any quadrature point. */
static ritz_status check_repetition(const ritz_mesh_block *block)
{
    ritz_status status = RITZ_OK;
    int n_vertices = ritz_cell_n_shape(block->cell, 1);
    for (int64_t c = 0; c < block->n_cells; c++) {
        const int32_t *nodes = &block->nodes[c * block->n_nodes];
        for (int i = 0; i < n_vertices; i++) {
            for (int j = 0; j < i; j++)
                RITZ_REQUIRE(
                    nodes[i] != nodes[j], RITZ_ERROR_INPUT,
                    "element %lld (%s) is degenerate: its vertices %d and %d are the same node, so its Jacobian "
                    "determinant is 0 there; use a cell with fewer vertices",
                    (long long)block->number[c], ritz_cell_name(block->cell), j + 1, i + 1);
        }
    }
done:
    return status;
}

static ritz_status check_nodes(const ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    for (int64_t n = 0; n < mesh->n_nodes; n++) {
        const double *x = &mesh->nodes[3 * n];
        RITZ_REQUIRE(
            fabs(x[0]) <= RITZ_FARTHEST && fabs(x[1]) <= RITZ_FARTHEST && fabs(x[2]) <= RITZ_FARTHEST, RITZ_ERROR_INPUT,
            "node %lld (counted from 0) has the coordinates (%g, %g, %g); every coordinate must be a finite number of "
            "at most %g in size",
            (long long)n, x[0], x[1], x[2], RITZ_FARTHEST);
    }
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        for (int64_t i = 0; i < (int64_t)block->n_cells * block->n_nodes; i++) {
            RITZ_REQUIRE(block->nodes[i] >= 0 && block->nodes[i] < mesh->n_nodes, RITZ_ERROR_INPUT,
                         "element %lld (%s) refers to node %d, but nodes are numbered 0 to %d",
                         (long long)block->number[i / block->n_nodes], ritz_cell_name(block->cell), block->nodes[i],
                         mesh->n_nodes - 1);
        }
        RITZ_TRY(check_repetition(block));
    }
done:
    return status;
}

ritz_status ritz_mesh_check(ritz_mesh *mesh)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(check_nodes(mesh));
    for (int b = 0; b < mesh->n_blocks; b++) {
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(check_cells(mesh, &mesh->blocks[b]));
    }
    if (mesh->n_turned > 0)
        ritz_log("%d element%s given clockwise (or left-handed) %s turned", mesh->n_turned, ritz_plural(mesh->n_turned),
                 mesh->n_turned == 1 ? "was" : "were");
done:
    return status;
}
