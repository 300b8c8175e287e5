/* Right-hand sides without their matrix: what further load cases of one system share. Vectors of elements are computed by
   host threads, and are cheap beside matrices. */
#include "assemble/assemble.h"
#include "space/stripes.h"

ritz_status ritz_choose_cells(const ritz_space_batch *batch, ritz_cell_choice *is_chosen, const void *context,
                              int32_t **cells, int32_t *n)
{
    ritz_status status = RITZ_OK;
    uint8_t *chosen = NULL;
    RITZ_NEW(chosen, batch->n_cells);
    *n = 0;
#pragma omp parallel for schedule(static)
    for (int32_t e = 0; e < batch->n_cells; e++)
        chosen[e] = is_chosen(context, e);
    for (int32_t e = 0; e < batch->n_cells; e++)
        *n += chosen[e];
    RITZ_NEW(*cells, *n);
    for (int32_t e = 0, next = 0; e < batch->n_cells; e++)
        if (chosen[e])
            (*cells)[next++] = e;
done:
    ritz_free(chosen);
    return status;
}

/* ---- Element vectors, added up ---- */

typedef struct adding {
    const ritz_element_vectors *of;
    const int32_t *cells; /* NULL: all */
    double factor;
    double *to;     /* [n_dofs] */
    int32_t *node;  /* [n_waiting] */
    double *values; /* [n_waiting][n_components] of these */
} adding;

static void add_to_node(const adding *a, int32_t node, const double *values)
{
    const int n_c = a->of->integral->space->n_components;
    for (int E = 0; E < n_c; E++)
        a->to[(int64_t)node * n_c + E] += a->factor * values[E];
}

static void add_stripe(const adding *a, const ritz_stripe *s)
{
    const ritz_space *space = a->of->integral->space;
    const ritz_space_batch *batch = a->of->integral->batch;
    const int n_shape = batch->n_shape, n_c = space->n_components;
    int64_t waiting = s->waiting;
    int32_t cells[RITZ_N_LANES];
    for (int32_t first = s->first; first < s->last && !ritz_is_interrupted(); first += RITZ_N_LANES) {
        const int n = (int)ritz_min64(RITZ_N_LANES, s->last - first);
        for (int k = 0; k < n; k++)
            cells[k] = a->cells ? a->cells[first + k] : first + k;
        const double *vectors = ritz_element_vectors_compute(a->of, n, cells);
        for (int i = 0; i < n * n_shape; i++) {
            const int32_t node = batch->cell_nodes[(int64_t)cells[i / n_shape] * n_shape + i % n_shape];
            if (ritz_stripe_owns(space, s, node)) {
                add_to_node(a, node, vectors + i * n_c);
                continue;
            }
            a->node[waiting] = node;
            memcpy(a->values + n_c * waiting++, vectors + i * n_c, (size_t)n_c * sizeof *vectors);
        }
    }
}

ritz_status ritz_add_element_vectors(const ritz_integral *integral, const double *u, const int32_t *cells, int32_t n,
                                     double factor, double *to)
{
    ritz_status status = RITZ_OK;
    ritz_element_vectors of = {0};
    ritz_stripe stripes[RITZ_MOST_STRIPES];
    int64_t n_waiting;
    adding a = {.of = &of, .cells = cells, .factor = factor, .to = to};
    RITZ_TRY(ritz_element_vectors_prepare(integral, u, &of));
    const int n_stripes = ritz_divide_cells(integral->space, integral->batch, cells, n, stripes, &n_waiting);
    RITZ_NEW(a.node, n_waiting);
    RITZ_NEW(a.values, n_waiting * integral->space->n_components);
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < n_stripes; k++)
        add_stripe(&a, &stripes[k]);
    RITZ_TRY(ritz_check_interrupt());
    for (int64_t i = 0; i < n_waiting; i++)
        add_to_node(&a, a.node[i], a.values + i * integral->space->n_components);
done:
    ritz_free(a.node);
    ritz_free(a.values);
    ritz_element_vectors_free(&of);
    return status;
}

ritz_status ritz_add_chosen_vectors(const ritz_integral *integral, const double *u, ritz_cell_choice *is_chosen,
                                    const void *context, double factor, double *to)
{
    ritz_status status = RITZ_OK;
    int32_t *cells = NULL, n = integral->batch->n_cells;
    if (is_chosen)
        RITZ_TRY(ritz_choose_cells(integral->batch, is_chosen, context, &cells, &n));
    RITZ_TRY(ritz_add_element_vectors(integral, u, cells, n, factor, to));
done:
    ritz_free(cells);
    return status;
}

/* Values of unknowns, and the cells that read them. */
typedef struct cell_values {
    const ritz_integral *integral;
    const double *values;
} cell_values;

static bool cell_has_value(const void *context, int32_t e)
{
    const cell_values *v = context;
    const ritz_space_batch *batch = v->integral->batch;
    const int n_c = v->integral->space->n_components;
    for (int i = 0; i < batch->n_shape; i++)
        for (int c = 0; c < n_c; c++)
            if (v->values[(int64_t)batch->cell_nodes[(int64_t)e * batch->n_shape + i] * n_c + c] != 0)
                return true;
    return false;
}

ritz_status ritz_subtract_action(const ritz_integral *integral, const double *difference, double *load)
{
    const cell_values values = {integral, difference};
    return ritz_add_chosen_vectors(integral, difference, cell_has_value, &values, -1, load);
}

double ritz_prescribed_row(ritz_precision precision, double diagonal, double value)
{
    return precision == RITZ_F32 ? (double)((float)diagonal * (float)value) : diagonal * value;
}
