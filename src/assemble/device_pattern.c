/* The sparsity pattern made on the device: with C the nodes of each cell as a sparse matrix, it is that of C^T C. What grows with the
   nonzeros stays there: columns go into the matrix, and places of element entries are found in them. */
#include "assemble/device_pattern.h"
#include "device/tuning.h"
#include "matrix/block_rows.h"

bool ritz_pattern_belongs_on_device(ritz_device *device, const ritz_space *space)
{
    double entries = 0;
    int64_t cells = 0;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        entries += (double)batch->n_cells * batch->n_shape * batch->n_shape;
        cells += batch->n_cells;
    }
    /* Block rows hold up to INT32_MAX blocks, of which there are fewer than entries. */
    return entries >= ritz_device_tuned(device, RITZ_ASSEMBLE_DEVICE_PATTERN) && entries <= INT32_MAX &&
           cells <= INT32_MAX;
}

/* C: of all batches one after the other. */
static ritz_status send_cells(ritz_device *device, const ritz_space *space, ritz_block_rows **cells)
{
    ritz_status status = RITZ_OK;
    int32_t *lengths = NULL, n_cells = 0;
    int64_t at = 0;
    ritz_block_rows *c = NULL;
    ritz_buffer *counts = NULL;
    for (int b = 0; b < space->n_batches; b++)
        n_cells += space->batches[b].n_cells;
    RITZ_NEW(lengths, n_cells);
    n_cells = 0;
    for (int b = 0; b < space->n_batches; b++)
        for (int32_t e = 0; e < space->batches[b].n_cells; e++)
            lengths[n_cells++] = space->batches[b].n_shape;
    RITZ_TRY(ritz_buffer_create_from(device, lengths, n_cells * (int64_t)4, "the lengths of cells", &counts));
    RITZ_TRY(ritz_block_rows_create_pattern(device, RITZ_F32, 1, 1, n_cells, space->n_nodes, counts, &c));
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const int64_t bytes = (int64_t)batch->n_cells * batch->n_shape * 4;
        RITZ_TRY(ritz_buffer_write(c->columns, at, batch->cell_nodes, bytes));
        at += bytes;
    }
    *cells = c;
    c = NULL;
done:
    ritz_free(lengths);
    ritz_buffer_destroy(&counts);
    ritz_block_rows_destroy(&c);
    return status;
}

static ritz_status multiply_cells(const ritz_block_rows *cells, ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *transposed = NULL;
    ritz_buffer *slot = NULL;
    RITZ_TRY(ritz_block_rows_transpose_pattern(cells, &slot, &transposed));
    ritz_buffer_destroy(&slot);
    RITZ_TRY(ritz_block_rows_multiply_pattern(transposed, cells, rows));
done:
    ritz_buffer_destroy(&slot);
    ritz_block_rows_destroy(&transposed);
    return status;
}

/* positions[b] (uint16): places of the element entries of each batch in the matrix's rows. */
static ritz_status find_positions(const ritz_space *space, const ritz_block_rows *cells, const ritz_matrix *matrix,
                                  ritz_buffer *positions[RITZ_N_CELLS])
{
    ritz_status status = RITZ_OK;
    const char *paths[] = {"matrix/kernels/find_block.cl", "assemble/kernels/positions.cl"};
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    int64_t first = 0;
    RITZ_TRY(ritz_program_get(cells->device, RITZ_F32, "", paths, 2, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "find_positions", &kernel));
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const int64_t n = (int64_t)batch->n_cells * batch->n_shape * batch->n_shape;
        RITZ_TRY(ritz_buffer_create(cells->device, n * 2, "the places of element entries", &positions[b]));
        RITZ_TRY(RITZ_LAUNCH(kernel, ritz_adder_range(n), NULL, RITZ_LONG(n), RITZ_INT(batch->n_shape),
                             RITZ_LONG(first), RITZ_INT(matrix->slice_height), RITZ_BUFFER(cells->columns),
                             RITZ_BUFFER(matrix->row_slot), RITZ_BUFFER(matrix->row_length),
                             RITZ_BUFFER(matrix->columns), RITZ_BUFFER(positions[b])));
        first += (int64_t)batch->n_cells * batch->n_shape;
    }
done:
    return status;
}

ritz_status ritz_device_pattern_create(ritz_device *device, const ritz_space *space, const ritz_matrix_options *options,
                                       ritz_pattern **pattern, ritz_matrix **matrix,
                                       ritz_buffer *positions[RITZ_N_CELLS])
{
    ritz_status status = RITZ_OK;
    ritz_pattern *p = NULL;
    ritz_matrix *m = NULL;
    ritz_block_rows *cells = NULL, *rows = NULL;
    RITZ_TRY(ritz_pattern_list_cells(space, &p));
    RITZ_TRY(send_cells(device, space, &cells));
    RITZ_TRY(multiply_cells(cells, &rows));
    RITZ_REQUIRE(rows->longest <= RITZ_LONGEST_ROW, RITZ_ERROR_INPUT, RITZ_LONG_ROW_TEXT, (int)RITZ_LONGEST_ROW);
    RITZ_TRY(ritz_buffer_read(rows->row_start, 0, p->row_start, ((int64_t)p->n_rows + 1) * 8));
    RITZ_TRY(ritz_matrix_create_of_pattern(&rows, options, space->n_components, p->row_start, &m));
    RITZ_TRY(find_positions(space, cells, m, positions));
    *pattern = p;
    *matrix = m;
    p = NULL;
    m = NULL;
done:
    ritz_block_rows_destroy(&cells);
    ritz_block_rows_destroy(&rows);
    ritz_pattern_destroy(&p);
    ritz_matrix_destroy(&m);
    return status;
}
