/* Matrices into block compressed rows, and out of them. */
#include "matrix/block_rows.h"
#include "matrix/storage.h"

ritz_status ritz_block_rows_from_matrix(const ritz_matrix *matrix, ritz_precision precision, int block,
                                        const ritz_buffer *weight, ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *whole = NULL;
    const ritz_matrix_options options = {.precision = precision};
    RITZ_TRY(ritz_matrix_check_options(matrix->device, &options, block, matrix->n_unknowns, matrix->n_scalar_columns));
    if (matrix->storage->expand)
        RITZ_TRY(matrix->storage->expand(matrix, &whole));
    RITZ_TRY(ritz_slices_to_rows(whole ? whole : matrix, precision, block, weight, rows));
done:
    ritz_matrix_destroy(&whole);
    return status;
}

ritz_status ritz_block_rows_refill(const ritz_matrix *matrix, const ritz_buffer *weight, ritz_block_rows *rows,
                                   bool *outside)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *whole = NULL;
    if (matrix->storage->expand)
        RITZ_TRY(matrix->storage->expand(matrix, &whole));
    RITZ_TRY(ritz_slices_into_rows(whole ? whole : matrix, weight, rows, outside));
done:
    ritz_matrix_destroy(&whole);
    return status;
}

ritz_status ritz_block_rows_to_matrix(const ritz_block_rows *rows, const ritz_matrix_options *options,
                                      ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    int64_t *start = NULL;
    int32_t *length = NULL;
    const ritz_matrix_options o = {
        .precision = rows->precision, .slice_height = 1, .sort_window = 1}; /* slices of one row, unsorted */
    RITZ_NEW(start, (int64_t)rows->n_rows + 1);
    RITZ_NEW(length, rows->n_rows);
    RITZ_TRY(ritz_buffer_read(rows->row_start, 0, start, ((int64_t)rows->n_rows + 1) * 8));
    for (int32_t row = 0; row < rows->n_rows; row++)
        length[row] = (int32_t)(start[row + 1] - start[row]);
    RITZ_TRY(ritz_matrix_from_lengths(rows->device, &o, rows->height, (int64_t)rows->n_rows * rows->height,
                                      (int64_t)rows->n_columns * rows->width, length, &m));
    m->columns = rows->columns;
    m->values = rows->values;
    RITZ_TRY(ritz_matrix_convert(m, options, rows->height, matrix));
done:
    if (m) /* the rows' own */
        m->columns = m->values = NULL;
    ritz_matrix_destroy(&m);
    ritz_free(start);
    ritz_free(length);
    return status;
}

static ritz_status place_columns(const ritz_block_rows *rows, const ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    const char *path = "matrix/kernels/place_columns.cl";
    const int32_t n_positions = m->n_slices * m->slice_height;
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    RITZ_TRY(ritz_program_get(m->device, RITZ_F32, "", &path, 1, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "place_columns", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_matrix_range(kernel, n_positions), NULL, RITZ_INT(n_positions),
                         RITZ_INT(m->slice_height), RITZ_BUFFER(m->slice_start), RITZ_BUFFER(m->permutation),
                         RITZ_BUFFER(rows->row_start), RITZ_BUFFER(rows->columns), RITZ_BUFFER(m->columns)));
done:
    return status;
}

ritz_status ritz_matrix_create_of_pattern(ritz_block_rows **rows, const ritz_matrix_options *options, int block,
                                          const int64_t *row_start, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    int32_t *length = NULL;
    ritz_device *const device = (*rows)->device;
    const int32_t n_rows = (*rows)->n_rows;
    const int64_t n = (int64_t)n_rows * block;
    RITZ_TRY(ritz_matrix_check_options(device, options, block, n, n));
    RITZ_NEW(length, n_rows);
    for (int32_t row = 0; row < n_rows; row++)
        length[row] = (int32_t)(row_start[row + 1] - row_start[row]);
    RITZ_TRY(ritz_matrix_from_lengths(device, options, block, n, n, length, &m));
    RITZ_TRY(ritz_matrix_create_columns(m));
    RITZ_TRY(place_columns(*rows, m));
    ritz_block_rows_destroy(rows); /* makes room for values */
    RITZ_TRY(ritz_matrix_create_values(m));
    RITZ_TRY(ritz_matrix_compress_columns(m));
    RITZ_TRY(ritz_buffer_zero(m->values));
    *matrix = m;
    m = NULL;
done:
    ritz_free(length);
    ritz_block_rows_destroy(rows);
    ritz_matrix_destroy(&m);
    return status;
}
