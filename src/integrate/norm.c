/* Error norms against a known solution. */
#include "integrate/element.h"
#include "integrate/integrate.h"

#include <math.h>

/* Squares of the difference in one element: value and gradient. */
static void element_error(const ritz_space *space, const ritz_space_batch *batch, const ritz_tables *tables,
                          int32_t cell, const double *u, const ritz_expression *const *exact, double *psi,
                          double *square)
{
    const int dim = space->dim, n_c = space->n_components, n_shape = batch->n_shape;
    const ritz_mesh_block *block = batch->block;
    square[0] = square[1] = 0;
    for (int q = 0; q < tables->n_points; q++) {
        ritz_point point;
        ritz_point_map(tables, space->mesh, block->nodes + (int64_t)cell * block->n_nodes, q, &point);
        ritz_point_shape(tables, &point, q, psi);
        for (int c = 0; c < n_c; c++) {
            double variables[4 + RITZ_MAX_COMPONENTS * 4] = {point.x[0], point.x[1], point.x[2]}, gradient[3] = {0};
            double value = ritz_expression_gradient(exact[c], variables, dim, gradient);
            for (int i = 0; i < n_shape; i++) {
                double nodal = u[(int64_t)batch->cell_nodes[(int64_t)cell * n_shape + i] * n_c + c];
                value -= nodal * psi[i];
                for (int d = 0; d < dim; d++)
                    gradient[d] -= nodal * psi[(d + 1) * n_shape + i];
            }
            const double vol = point.det * tables->weights[q];
            square[0] += vol * value * value;
            for (int d = 0; d < dim; d++)
                square[1] += vol * gradient[d] * gradient[d];
        }
    }
}

/* Squares of one batch, elements added in their order whatever the number of threads. */
static ritz_status batch_error(const ritz_space *space, const ritz_space_batch *batch, const double *u,
                               const ritz_expression *const *exact, int degree, double *square)
{
    ritz_status status = RITZ_OK;
    ritz_tables *tables = NULL;
    double(*squares)[2] = NULL;
    double *psi = NULL;
    const int higher = 2 * (space->order + 2);
    RITZ_TRY(ritz_tables_create_quadrature(batch, degree > higher ? degree : higher, &tables));
    const int64_t room = (int64_t)(1 + tables->dim) * tables->n_shape;
    enum { CHUNK = 64 }; /* elements that share one piece of room for psi */
    const int64_t n_chunks = (batch->n_cells + CHUNK - 1) / CHUNK;
    RITZ_NEW(squares, batch->n_cells);
    RITZ_NEW(psi, n_chunks * room);
#pragma omp parallel for schedule(dynamic)
    for (int64_t chunk = 0; chunk < n_chunks; chunk++)
        for (int64_t cell = chunk * CHUNK;
             cell < ritz_min64((chunk + 1) * CHUNK, batch->n_cells) && !ritz_is_interrupted(); cell++)
            element_error(space, batch, tables, (int32_t)cell, u, exact, psi + chunk * room, squares[cell]);
    RITZ_TRY(ritz_check_interrupt());
    for (int32_t cell = 0; cell < batch->n_cells; cell++)
        for (int k = 0; k < 2; k++)
            square[k] += squares[cell][k];
done:
    ritz_free(psi);
    ritz_free(squares);
    ritz_tables_destroy(&tables);
    return status;
}

ritz_status ritz_error_norms(const ritz_space *space, const double *u, const ritz_expression *const *exact, int degree,
                             double *l2, double *h1_seminorm)
{
    ritz_status status = RITZ_OK;
    double square[2] = {0, 0};
    for (int b = 0; b < space->n_batches; b++)
        RITZ_TRY(batch_error(space, &space->batches[b], u, exact, degree, square));
    *l2 = sqrt(square[0]);
    *h1_seminorm = sqrt(square[1]);
done:
    return status;
}
