/* Prescribed values out of the system (kernels/constrain.cl). */
#include "assemble/assembler.h"

#include <stdio.h>
#include <string.h>

void ritz_eliminator_destroy(ritz_eliminator **eliminator)
{
    ritz_eliminator *e = eliminator ? *eliminator : NULL;
    if (!e)
        return;
    ritz_free(e->fixed);
    ritz_buffer_destroy(&e->rows);
    ritz_buffer_destroy(&e->fixed_buffer);
    ritz_buffer_destroy(&e->prescribed);
    ritz_free(e);
    *eliminator = NULL;
}

/* touched[n_rows]: those with a column that is prescribed; a row holds its own, too. */
static void touch_by_columns(const ritz_pattern *pattern, const uint8_t *fixed, bool *touched)
{
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < pattern->n_rows; row++)
        for (int64_t k = pattern->row_start[row]; k < pattern->row_start[row + 1] && !touched[row]; k++)
            touched[row] = fixed[pattern->columns[k]] != 0;
}

/* The same where the columns are on the device: those with a cell that has a prescribed node. */
static ritz_status touch_by_cells(const ritz_space *space, const ritz_pattern *pattern, const uint8_t *fixed,
                                  bool *touched)
{
    ritz_status status = RITZ_OK;
    bool *has_fixed = NULL;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const int n_shape = batch->n_shape;
        const int64_t *start = pattern->incidence_start[b], *incidence = pattern->incidence[b];
        RITZ_NEW(has_fixed, batch->n_cells);
#pragma omp parallel for schedule(static)
        for (int32_t e = 0; e < batch->n_cells; e++)
            for (int i = 0; i < n_shape; i++)
                has_fixed[e] = has_fixed[e] || fixed[batch->cell_nodes[(int64_t)e * n_shape + i]] != 0;
#pragma omp parallel for schedule(static)
        for (int32_t row = 0; row < pattern->n_rows; row++)
            for (int64_t k = start[row]; k < start[row + 1] && !touched[row]; k++)
                touched[row] = has_fixed[incidence[k] / n_shape];
        ritz_free(has_fixed);
        has_fixed = NULL;
    }
done:
    ritz_free(has_fixed);
    return status;
}

/* Rows that are prescribed or have a prescribed neighbour. */
static ritz_status list_touched(const ritz_assembler *a, const uint8_t *fixed, int32_t **rows, int32_t *n_rows)
{
    ritz_status status = RITZ_OK;
    const ritz_pattern *pattern = a->pattern;
    bool *touched = NULL;
    RITZ_NEW(*rows, pattern->n_rows);
    RITZ_NEW(touched, pattern->n_rows);
    if (pattern->columns)
        touch_by_columns(pattern, fixed, touched);
    else
        RITZ_TRY(touch_by_cells(a->space, pattern, fixed, touched));
    *n_rows = 0;
    for (int32_t row = 0; row < pattern->n_rows; row++)
        if (touched[row])
            (*rows)[(*n_rows)++] = row;
done:
    ritz_free(touched);
    return status;
}

static ritz_status make_eliminator(const ritz_assembler *a, const uint8_t *gone, ritz_eliminator **eliminator)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = a->system->matrix;
    const char *path = "assemble/kernels/constrain.cl";
    ritz_eliminator *e = NULL;
    ritz_program *program = NULL;
    int32_t *rows = NULL;
    char header[64];
    RITZ_NEW(e, 1);
    e->n_nodes = a->space->n_nodes;
    RITZ_NEW(e->fixed, e->n_nodes);
    memcpy(e->fixed, gone, (size_t)e->n_nodes);
    RITZ_TRY(list_touched(a, e->fixed, &rows, &e->n_rows));
    snprintf(header, sizeof header, "#define N_E %d\n#define S %d\n", matrix->block, matrix->slice_height);
    RITZ_TRY(ritz_program_get(a->device, matrix->precision, header, &path, 1, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "constrain", &e->kernel));
    RITZ_TRY(ritz_buffer_create_from(a->device, rows, e->n_rows * (int64_t)sizeof *rows,
                                     "the rows beside prescribed values", &e->rows));
    RITZ_TRY(ritz_buffer_create_from(a->device, e->fixed, e->n_nodes, "which values are prescribed", &e->fixed_buffer));
    RITZ_TRY(ritz_buffer_create(a->device, ritz_buffer_bytes(a->system->rhs), "the prescribed values", &e->prescribed));
    *eliminator = e;
    e = NULL;
done:
    ritz_free(rows);
    ritz_eliminator_destroy(&e);
    return status;
}

ritz_status ritz_eliminate(ritz_assembler *a, const uint8_t *gone, const double *offset)
{
    ritz_status status = RITZ_OK;
    ritz_system *system = a->system;
    const ritz_matrix *matrix = system->matrix;
    const double begin = ritz_seconds();
    if (a->eliminator && memcmp(a->eliminator->fixed, gone, (size_t)a->space->n_nodes) != 0)
        ritz_eliminator_destroy(&a->eliminator);
    if (!a->eliminator)
        RITZ_TRY(make_eliminator(a, gone, &a->eliminator));
    const ritz_eliminator *e = a->eliminator;
    RITZ_TRY(ritz_matrix_write_vector(matrix, offset, e->prescribed));
    RITZ_TRY(RITZ_LAUNCH(e->kernel, ritz_adder_range(e->n_rows), NULL, RITZ_INT(e->n_rows), RITZ_BUFFER(e->rows),
                         RITZ_BUFFER(e->fixed_buffer), RITZ_BUFFER(e->prescribed), RITZ_BUFFER(matrix->row_slot),
                         RITZ_BUFFER(matrix->row_length), RITZ_BUFFER(matrix->columns), RITZ_BUFFER(matrix->values),
                         RITZ_BUFFER(system->rhs)));
    RITZ_TRY(ritz_device_finish(a->device));
    system->seconds_assemble += ritz_seconds() - begin;
done:
    return status;
}
