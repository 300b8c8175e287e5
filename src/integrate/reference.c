/* The oracle: Algorithm 1 of Banaś et al. (2014) in plain C and double precision. Every kernel is compared with it. */
#include "integrate/enhance.h"
#include "integrate/reference_tensor.h"

#include <string.h>

enum { MAX_VARIABLES = 4 + RITZ_MAX_COMPONENTS * 4 + RITZ_MAX_DATA };

/* x y z t, the old solution and its gradient, the data. */
static void gather_variables(const ritz_integral *in, int32_t cell, int n_quad, int q, const ritz_point *point,
                             const double *psi, double *variables)
{
    const ritz_form *form = in->form;
    const int dim = form->dim, n_c = form->n_components, n_shape = in->batch->n_shape;
    const int32_t *nodes = in->batch->cell_nodes + (int64_t)cell * n_shape;
    memset(variables, 0, sizeof *variables * (size_t)form->variables.n);
    memcpy(variables, point->x, (size_t)dim * sizeof *variables);
    variables[3] = in->time;
    for (int i = 0; in->old && i < n_shape; i++)
        for (int c = 0; c < n_c; c++) {
            double u = in->old[(int64_t)nodes[i] * n_c + c];
            variables[4 + c] += u * psi[i];
            for (int d = 0; d < dim; d++)
                variables[4 + n_c + c * dim + d] += u * psi[(d + 1) * n_shape + i];
        }
    for (int d = 0; d < form->n_data; d++)
        variables[form->variables.n + d] = ritz_datum_value(&in->data[d], cell, n_quad, q, variables);
}

double ritz_reference_coefficients(const ritz_integral *in, const ritz_tables *tables, int32_t cell, int q, double *psi,
                                   double *c)
{
    const ritz_mesh_block *block = in->batch->block;
    ritz_point point;
    double variables[MAX_VARIABLES];
    ritz_point_map(tables, in->space->mesh, block->nodes + (int64_t)cell * block->n_nodes, q, &point);
    ritz_point_shape(tables, &point, q, psi);
    gather_variables(in, cell, tables->n_points, q, &point, psi, variables);
    ritz_form_evaluate(in->form, variables, c);
    return point.det;
}

/* Adds one point's share to the element matrix: the general form, term by term. */
static void add_matrix(const ritz_form *form, int n_shape, double vol, const double *c, const double *psi,
                       double *matrix)
{
    const int n_c = form->n_components, rows = n_shape * n_c;
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        const double factor = vol * c[term->coefficient] * term->factor;
        const double *psi_i = psi + term->iD * n_shape, *psi_j = psi + term->jD * n_shape;
        for (int i = 0; i < n_shape; i++) {
            const double weight = factor * psi_i[i];
            double *row = matrix + (int64_t)(i * n_c + term->iE) * rows + term->jE;
            for (int j = 0; j < n_shape; j++)
                row[(int64_t)j * n_c] += weight * psi_j[j];
        }
    }
}

static void add_vector(const ritz_form *form, int n_shape, double vol, const double *c, const double *psi,
                       double *vector)
{
    for (int t = 0; t < form->n_load_terms; t++) {
        const ritz_load_term *term = &form->load_terms[t];
        const double factor = vol * c[term->coefficient] * term->factor;
        for (int i = 0; i < n_shape; i++)
            vector[i * form->n_components + term->iE] += factor * psi[term->iD * n_shape + i];
    }
}

/* Adds one point's share to the element matrix times u: the field and its derivatives at the point stand for the sum
   over j. */
static void add_action(const ritz_form *form, int n_shape, double vol, const double *c, const double *psi,
                       const int32_t *nodes, const double *u, double *vector)
{
    const int n_c = form->n_components;
    double field[RITZ_MAX_COMPONENTS][4] = {{0}};
    for (int D = 0; D <= form->dim; D++)
        for (int j = 0; j < n_shape; j++)
            for (int E = 0; E < n_c; E++)
                field[E][D] += psi[D * n_shape + j] * u[(int64_t)nodes[j] * n_c + E];
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        const double factor = vol * c[term->coefficient] * term->factor * field[term->jE][term->jD];
        for (int i = 0; i < n_shape; i++)
            vector[i * n_c + term->iE] += factor * psi[term->iD * n_shape + i];
    }
}

/* What a cell that is no standard one has besides. */
static void add_enhancement(const ritz_integral *in, int32_t cell, const double *u, const ritz_enhanced *enhanced,
                            double *matrix, double *vector)
{
    const ritz_space_batch *batch = in->batch;
    const int n_c = in->form->n_components;
    double own[RITZ_MAX_ENHANCED_ROWS];
    if (matrix)
        ritz_add_enhanced_matrix(enhanced, matrix);
    for (int i = 0; u && i < enhanced->n_rows; i++)
        own[i] = u[(int64_t)batch->cell_nodes[(int64_t)cell * batch->n_shape + i / n_c] * n_c + i % n_c];
    if (u && vector)
        ritz_add_enhanced_action(enhanced, own, vector);
    else if (vector && in->own_stress)
        ritz_add_enhanced_load(enhanced, vector);
}

void ritz_reference_element(const ritz_integral *in, const ritz_tables *tables, int32_t cell, const double *u,
                            double *matrix, double *vector)
{
    const ritz_form *form = in->form;
    const int n_shape = in->batch->n_shape;
    const size_t rows = (size_t)n_shape * (size_t)form->n_components;
    const ritz_enhancement *enhancement = in->batch->enhancement;
    double psi[4 * RITZ_MAX_SHAPE];
    ritz_enhanced enhanced;
    const bool is_load = vector && !u && !in->own_stress;
    const bool is_enhanced =
        enhancement && (matrix || u || in->own_stress) && ritz_enhance_cell(enhancement, cell, matrix || u, &enhanced);
    if (matrix)
        memset(matrix, 0, rows * rows * sizeof *matrix);
    if (vector)
        memset(vector, 0, rows * sizeof *vector);
    for (int q = 0; q < tables->n_points; q++) {
        double c[RITZ_MAX_COEFFICIENTS];
        const double vol = ritz_reference_coefficients(in, tables, cell, q, psi, c) * tables->weights[q];
        if (matrix)
            add_matrix(form, n_shape, vol, c, psi, matrix);
        if (vector && u)
            add_action(form, n_shape, vol, c, psi, in->batch->cell_nodes + (int64_t)cell * n_shape, u, vector);
        else if (vector)
            add_vector(form, n_shape, vol, c, psi, vector);
        if (is_enhanced && in->own_stress)
            ritz_load_enhanced(enhancement, cell, q, c, &enhanced);
    }
    if (enhancement && is_load)
        ritz_share_volume_load(enhancement, cell, vector);
    if (is_enhanced)
        add_enhancement(in, cell, u, &enhanced, matrix, vector);
}

ritz_status ritz_integrate_reference(const ritz_integral *integral, const int32_t *cells, int64_t count,
                                     double *matrices, double *vectors)
{
    ritz_status status = RITZ_OK;
    ritz_tables *tables = NULL;
    RITZ_TRY(ritz_tables_create_quadrature(integral->batch, ritz_integral_degree(integral), &tables));
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->form->n_components;
#pragma omp parallel for schedule(dynamic)
    for (int64_t k = 0; k < count; k++)
        if (!ritz_is_interrupted())
            ritz_reference_element(integral, tables, cells ? cells[k] : (int32_t)k, NULL,
                                   matrices ? matrices + k * rows * rows : NULL, vectors ? vectors + k * rows : NULL);
    RITZ_TRY(ritz_check_interrupt());
done:
    ritz_tables_destroy(&tables);
    return status;
}
