/* What every mesh must hold: finite coordinates, nodes that exist, cells that are not inverted. */
#include "cell/lanes.h"
#include "mesh/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Derivatives of the geometry's shape functions at the points where determinants are taken, two points at once; the
   last one is repeated where their number is odd. */
typedef struct sampling {
    int dim, n_points, n_shape;
    int n_inner;    /* of the points, the first n_inner are those of a rule, the others corners */
    ritz_pair *psi; /* [points / 2][dim][n_shape] */
} sampling;

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
    const int n_padded = (int)ritz_round_up(s->n_points, 2);
    RITZ_NEW(s->psi, n_padded / 2 * dim * n_shape);
    for (int q = 0; q < n_padded; q++)
        for (int k = 0; k < dim * n_shape; k++)
            s->psi[q / 2 * dim * n_shape + k][q % 2] =
                psi[(q < s->n_points ? q : s->n_points - 1) * (1 + dim) * n_shape + n_shape + k];
done:
    ritz_free(points);
    ritz_free(psi);
    ritz_basis_destroy(&basis);
    ritz_quadrature_destroy(&rule);
    return status;
}

/* det J at points q and q + 1, over the products of the lengths of J's columns if `scaled`. x[n_shape][3] */
static void sample_determinants(const sampling *s, int q, double (*x)[3], bool scaled, double det[2])
{
    ritz_pair J[3][3] = {{{0}}};
    for (int D = 0; D < s->dim; D++) {
        const ritz_pair *dpsi = &s->psi[(q / 2 * s->dim + D) * s->n_shape];
        ritz_pair along[3] = {{0}}; /* stays in registers */
        for (int i = 0; i < s->n_shape; i++)
            for (int a = 0; a < 3; a++)
                along[a] += dpsi[i] * x[i][a];
        memcpy(J[D], along, sizeof along);
    }
    const ritz_pair all = s->dim == 2 ? J[0][0] * J[1][1] - J[0][1] * J[1][0]
                                      : J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
                                            J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                                            J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
    ritz_pair lengths = {1, 1};
    for (int D = 0; D < s->dim; D++) {
        const ritz_pair square = J[D][0] * J[D][0] + J[D][1] * J[D][1] + J[D][2] * J[D][2];
        lengths *= (ritz_pair){sqrt(square[0]), sqrt(square[1])};
    }
    for (int k = 0; k < 2; k++)
        det[k] = !scaled ? all[k] : lengths[k] > 0 ? all[k] / lengths[k] : 0;
}

enum { MOST_NODES = 27 };

static void gather_nodes(const ritz_mesh *mesh, const ritz_mesh_block *block, int32_t cell, double (*x)[3])
{
    const int32_t *nodes = &block->nodes[(int64_t)cell * block->n_nodes];
    for (int i = 0; i < block->n_nodes; i++)
        memcpy(x[i], &mesh->nodes[3 * (int64_t)nodes[i]], sizeof x[i]);
}

/* The least and the largest at all points. Corners of 180 degrees are left out of scaled ones: they do no harm. */
static void find_range(const sampling *s, double (*x)[3], bool scaled, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int q = 0; q < s->n_points; q += 2) {
        double det[2];
        sample_determinants(s, q, x, scaled, det);
        for (int k = 0; k < 2; k++) {
            const bool corner = q + k >= s->n_inner && s->n_points > s->n_inner;
            if (scaled && corner && fabs(det[k]) <= RITZ_DEGENERATE)
                continue;
            *low = det[k] < *low ? det[k] : *low;
            *high = det[k] > *high ? det[k] : *high;
        }
    }
}

ritz_status ritz_mesh_determinants(const ritz_mesh *mesh, const ritz_mesh_block *block, double *low, double *high)
{
    ritz_status status = RITZ_OK;
    sampling s = {0};
    RITZ_TRY(sampling_create(block->cell, block->geometry_order, &s));
#pragma omp parallel for schedule(static)
    for (int32_t c = 0; c < block->n_cells; c++) {
        double x[MOST_NODES][3];
        gather_nodes(mesh, block, c, x);
        find_range(&s, x, true, &low[c], &high[c]);
    }
done:
    ritz_free(s.psi);
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
    double x[MOST_NODES][3], least, most;
    RITZ_TRY(sampling_create(block->cell, block->geometry_order, &s));
    gather_nodes(mesh, block, cell, x);
    find_range(&s, x, false, &least, &most);
    char others[64] = "";
    if (n_bad > 1)
        snprintf(others, sizeof others, ", and %d more such element%s", n_bad - 1, ritz_plural(n_bad - 1));
    RITZ_FAIL(
        RITZ_ERROR_INPUT,
        "element %lld (%s) is %s: its Jacobian determinant is %g near (%g, %g, %g)%s; correct or refine the mesh there",
        (long long)block->number[cell], ritz_cell_name(block->cell), flat ? "degenerate" : "inverted", least, x[0][0],
        x[0][1], x[0][2], others);
done:
    ritz_free(s.psi);
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
