/* Right-hand sides without their matrix: what further load cases of one system share. Integrals are those of the
   reference, on host threads: vectors are cheap beside matrices. */
#include "assemble/assemble.h"

#include <string.h>

enum {
    CHUNK_BYTES = 16 << 20, /* of element vectors at a time */
    RUN = 1 << 20,          /* cells that are asked for at a time */
};

ritz_status ritz_cell_list_create(const ritz_integral *integral, ritz_cell_list *list)
{
    ritz_status status = RITZ_OK;
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->space->n_components;
    list->n_cells = integral->batch->n_cells;
    list->most = ritz_min64(integral->batch->n_cells, CHUNK_BYTES / (8 * rows));
    RITZ_NEW(list->cells, list->most);
    RITZ_NEW(list->vectors, list->most * rows);
    RITZ_NEW(list->chosen, ritz_min64(RUN, list->n_cells));
done:
    return status;
}

void ritz_cell_list_free(ritz_cell_list *list)
{
    ritz_free(list->cells);
    ritz_free(list->vectors);
    ritz_free(list->chosen);
}

/* Asks for the next run of cells, on all threads. */
static void choose_run(ritz_cell_list *list, ritz_cell_choice *is_chosen, const void *context)
{
    list->first = list->end;
    list->end = (int32_t)ritz_min64(list->n_cells, (int64_t)list->first + RUN);
#pragma omp parallel for schedule(static)
    for (int32_t cell = list->first; cell < list->end; cell++)
        list->chosen[cell - list->first] = !is_chosen || is_chosen(context, cell);
}

bool ritz_cell_list_next(ritz_cell_list *list, ritz_cell_choice *is_chosen, const void *context)
{
    list->n = 0;
    while (list->n < list->most && list->next < list->n_cells) {
        if (list->next == list->end)
            choose_run(list, is_chosen, context);
        const uint8_t *from = list->chosen + (list->next - list->first),
                      *found = memchr(from, 1, (size_t)(list->end - list->next));
        list->next = found ? list->next + (int32_t)(found - from) : list->end;
        if (found)
            list->cells[list->n++] = list->next++;
    }
    return list->n > 0;
}

void ritz_cell_list_scatter(const ritz_integral *integral, const ritz_cell_list *list, double factor, double *load)
{
    const ritz_space_batch *batch = integral->batch;
    const int n_c = integral->space->n_components, rows = batch->n_shape * n_c;
    for (int64_t k = 0; k < list->n; k++)
        for (int i = 0; i < rows; i++)
            load[(int64_t)batch->cell_nodes[(int64_t)list->cells[k] * batch->n_shape + i / n_c] * n_c + i % n_c] +=
                factor * list->vectors[k * rows + i];
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
    ritz_status status = RITZ_OK;
    const cell_values values = {integral, difference};
    ritz_cell_list list = {0};
    RITZ_TRY(ritz_cell_list_create(integral, &list));
    while (ritz_cell_list_next(&list, cell_has_value, &values)) {
        RITZ_TRY(ritz_integrate_action(integral, list.cells, list.n, difference, list.vectors));
        ritz_cell_list_scatter(integral, &list, -1, load);
    }
done:
    ritz_cell_list_free(&list);
    return status;
}

double ritz_prescribed_row(ritz_precision precision, double diagonal, double value)
{
    return precision == RITZ_F32 ? (double)((float)diagonal * (float)value) : diagonal * value;
}
