/* What integration by tensors asks of a mesh and its data: maps that are affine, coefficients of the matrix that are in the
   space whose functions the reference tensor has. */
#include "integrate/reference_tensor.h"

#include <math.h>

/* Beside the size of an element, of a coefficient. */
static const double tolerance = 1e-12;

/* Whether a cell's geometry nodes are where the affine map of its first node and its axes has them. xi[n_nodes][dim]. */
static bool cell_is_affine(const ritz_mesh *mesh, const ritz_mesh_block *block, const double *xi, const int *ends,
                           int32_t cell)
{
    const int dim = mesh->dim;
    const int32_t *nodes = block->nodes + (int64_t)cell * block->n_nodes;
    const double *origin = mesh->nodes + 3 * (int64_t)nodes[0];
    double size = 0, far = 0;
    for (int g = 0; g < block->n_nodes; g++)
        for (int a = 0; a < dim; a++) {
            size = fmax(size, fabs(mesh->nodes[3 * (int64_t)nodes[g] + a] - origin[a]));
            far = fmax(far, fabs(mesh->nodes[3 * (int64_t)nodes[g] + a]));
        }
    for (int g = 1; g < block->n_nodes; g++)
        for (int a = 0; a < dim; a++) {
            double x = origin[a];
            for (int b = 0; b < dim; b++)
                x += xi[g * dim + b] * (mesh->nodes[3 * (int64_t)nodes[ends[b]] + a] - origin[a]);
            const double rounding = 8 * 0x1p-52 * far;
            if (!(fabs(x - mesh->nodes[3 * (int64_t)nodes[g] + a]) <= tolerance * size + rounding))
                return false;
        }
    return true;
}

void ritz_tensor_axis_nodes(ritz_cell cell, int ends[3])
{
    const int dim = ritz_cell_dim(cell), n = ritz_cell_topology(cell)->n_vertices;
    const double *vertices = ritz_cell_vertices(cell);
    for (int axis = 0; axis < dim; axis++)
        for (int v = 1; v < n; v++) {
            bool found = true;
            for (int d = 0; d < dim; d++)
                found = found && vertices[v * dim + d] == (d == axis);
            if (found)
                ends[axis] = v;
        }
}

static ritz_status check_cells(const ritz_integral *in)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh_block *block = in->batch->block;
    ritz_basis *geometry = NULL;
    int ends[3];
    int32_t bad = block->n_cells;
    if (block->geometry_order == 1 && (block->cell == RITZ_TRI || block->cell == RITZ_TET))
        return RITZ_OK;
    RITZ_TRY(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &geometry));
    ritz_tensor_axis_nodes(block->cell, ends);
#pragma omp parallel for reduction(min : bad)
    for (int32_t cell = 0; cell < block->n_cells; cell++)
        if (cell < bad && !cell_is_affine(in->space->mesh, block, geometry->nodes, ends, cell))
            bad = cell;
    RITZ_REQUIRE(
        bad == block->n_cells, RITZ_ERROR_INPUT,
        "method tensor takes cells whose map is affine, as those of straight triangles and tets and of "
        "parallelepipeds; %s number %d (counted from 0) is none: take another method or auto, or projected=1 for an "
        "approximation",
        ritz_cell_name(block->cell), (int)bad);
done:
    ritz_basis_destroy(&geometry);
    return status;
}

/* Values at the points of the coefficient k in one cell against those of their projection; the largest difference. */
static double find_difference(const ritz_reference_tensor *t, const double *values, int n_quad)
{
    double modes[RITZ_MAX_SHAPE], most = 0;
    for (int m = 0; m < t->n_modes; m++) {
        modes[m] = 0;
        for (int q = 0; q < n_quad; q++)
            modes[m] += t->projection[(int64_t)m * n_quad + q] * values[q];
    }
    for (int q = 0; q < n_quad; q++) {
        double value = 0;
        for (int m = 0; m < t->n_modes; m++)
            value += t->modes[(int64_t)q * t->n_modes + m] * modes[m];
        most = fmax(most, fabs(value - values[q]));
    }
    return most;
}

/* Whether all coefficients of a cell with `varies` are in the space; values and psi are room. */
static bool cell_has_field(const ritz_integral *in, const bool *varies, const ritz_reference_tensor *t,
                           const ritz_tables *tables, int32_t cell, double *values, double *psi)
{
    const int n_quad = tables->n_points;
    for (int q = 0; q < n_quad; q++) {
        double c[RITZ_MAX_COEFFICIENTS];
        ritz_reference_coefficients(in, tables, cell, q, psi, c);
        for (int k = 0; k < in->form->n_coefficients; k++)
            values[(int64_t)k * n_quad + q] = c[k];
    }
    for (int k = 0; k < in->form->n_coefficients; k++) {
        double size = 0;
        for (int q = 0; q < n_quad && varies[k]; q++)
            size = fmax(size, fabs(values[(int64_t)k * n_quad + q]));
        if (varies[k] && !(find_difference(t, values + (int64_t)k * n_quad, n_quad) <= tolerance * size))
            return false;
    }
    return true;
}

static ritz_status check_coefficients(const ritz_integral *in, ritz_tensor_space space)
{
    ritz_status status = RITZ_OK;
    ritz_reference_tensor *t = NULL;
    ritz_tables *tables = NULL;
    double *values = NULL, *psi = NULL;
    bool varies[RITZ_MAX_COEFFICIENTS] = {false}; /* in the matrix: loads are summed over the points */
    int32_t cell = 0;
    ritz_case c;
    ritz_case_of(in, RITZ_F64, &c);
    if (c.traits.constant)
        return RITZ_OK;
    for (int k = 0; k < in->form->n_terms; k++)
        varies[in->form->terms[k].coefficient] = c.traits.varies[in->form->terms[k].coefficient];
    RITZ_TRY(ritz_reference_projection_create(&c, space, &t));
    RITZ_TRY(ritz_tables_create_quadrature(in->batch, ritz_integral_degree(in), &tables));
    RITZ_NEW(values, (int64_t)tables->n_points * in->form->n_coefficients);
    RITZ_NEW(psi, (int64_t)(1 + tables->dim) * tables->n_shape);
    while (cell < in->batch->n_cells && cell_has_field(in, varies, t, tables, cell, values, psi))
        cell++;
    RITZ_REQUIRE(
        cell == in->batch->n_cells, RITZ_ERROR_INPUT,
        "method tensor takes coefficients of the matrix that are constant in an element or polynomials of order %d "
        "(field); those of form %s on %s number %d (counted from 0) are not: take a higher field (up to the order, "
        "%d), or another method",
        space.order, in->form->name, ritz_cell_name(in->batch->cell), (int)cell, c.order);
done:
    ritz_free(psi);
    ritz_free(values);
    ritz_tables_destroy(&tables);
    ritz_reference_tensor_destroy(&t);
    return status;
}

ritz_status ritz_tensor_check(const ritz_integral *integral, ritz_tensor_space space)
{
    if (space.projected)
        return RITZ_OK;
    const ritz_status status = check_cells(integral);
    return status == RITZ_OK ? check_coefficients(integral, space) : status;
}
