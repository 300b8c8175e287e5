/* Block compressed rows on the device: made, turned into matrices and out of them, transposed. */
#include "matrix/block_rows.h"
#include "device/tuning.h"
#include "matrix/storage.h"

#include <stdio.h>

void ritz_block_rows_destroy(ritz_block_rows **rows)
{
    if (!rows || !*rows)
        return;
    if (!(*rows)->lent) {
        ritz_buffer_destroy(&(*rows)->row_start);
        ritz_buffer_destroy(&(*rows)->columns);
    }
    ritz_buffer_destroy(&(*rows)->values);
    ritz_buffer_destroy(&(*rows)->slot);
    ritz_matrix_destroy(&(*rows)->expanded);
    ritz_free(*rows);
    *rows = NULL;
}

ritz_status ritz_block_rows_create_values(ritz_block_rows *r)
{
    return ritz_buffer_create(r->device, r->n_blocks * r->height * r->width * ritz_real_bytes(r->precision),
                              "the values of a sparse product", &r->values);
}

ritz_status ritz_block_rows_take_pattern(ritz_block_rows *rows, ritz_block_rows **pattern)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_block_rows_lend(rows, pattern));
    (*pattern)->lent = false;
    rows->lent = true;
done:
    return status;
}

ritz_status ritz_block_rows_lend(const ritz_block_rows *pattern, ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *r = NULL;
    RITZ_NEW(r, 1);
    *r = *pattern;
    r->lent = true;
    r->values = r->slot = NULL;
    r->in_slices = NULL;
    r->expanded = NULL;
    *rows = r;
done:
    return status;
}

ritz_status ritz_block_rows_like(const ritz_block_rows *pattern, ritz_precision precision, ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *r = NULL;
    RITZ_TRY(ritz_block_rows_lend(pattern, &r));
    r->precision = precision;
    RITZ_TRY(ritz_block_rows_create_values(r));
    *rows = r;
    r = NULL;
done:
    ritz_block_rows_destroy(&r);
    return status;
}

int64_t ritz_block_rows_bytes(const ritz_block_rows *r)
{
    return (r->n_rows + 1) * (int64_t)8 +
           r->n_blocks * (4 + (int64_t)r->height * r->width * ritz_real_bytes(r->precision));
}

ritz_status ritz_block_rows_kernel(ritz_device *device, ritz_precision precision, const char *file, const char *options,
                                   const char *name, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    const char *paths[] = {"matrix/kernels/row_runs.cl", file};
    RITZ_TRY(ritz_program_get(device, precision, "", paths, 2, options, &program));
    RITZ_TRY(ritz_kernel_get(program, name, kernel));
done:
    return status;
}

ritz_range ritz_block_rows_range(const ritz_kernel *kernel, ritz_device *device, int64_t n)
{
    const int64_t per_unit = (int64_t)ritz_device_tuned(device, RITZ_BLOCK_ROWS_RUNS_PER_UNIT);
    if (per_unit > 0)
        return (ritz_range){.global = {ritz_min64(n, per_unit * ritz_device_get_info(device)->compute_units)},
                            .local = {1}};
    return ritz_matrix_range(kernel, n);
}

ritz_row_threads ritz_row_threads_for(ritz_device *device, double items, int group)
{
    const int most = (int)ritz_device_tuned(device, RITZ_BLOCK_ROWS_THREADS_MOST);
    ritz_row_threads threads = {1, 1};
    if (most == 1)
        return threads;
    threads.per_row = (int)ritz_max64(1, (int64_t)ritz_device_tuned(device, RITZ_BLOCK_ROWS_THREADS_LEAST));
    while (threads.per_row < most && threads.per_row < items)
        threads.per_row *= 2;
    threads.rows = group / threads.per_row;
    if (threads.rows < 1)
        threads.rows = 1;
    return threads;
}

ritz_status ritz_row_kernel(ritz_device *device, ritz_precision precision, const char *file, ritz_row_threads threads,
                            const char *options, const char *name, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    const char *paths[] = {"matrix/kernels/row_runs.cl", "matrix/kernels/row_threads.cl", file};
    char all[160];
    snprintf(all, sizeof all, "-DROW_THREADS=%d -DGROUP_ROWS=%d %s", threads.per_row, threads.rows, options);
    RITZ_TRY(ritz_program_get(device, precision, "", paths, 3, all, &program));
    RITZ_TRY(ritz_kernel_get(program, name, kernel));
done:
    return status;
}

ritz_range ritz_row_range(ritz_device *device, ritz_row_threads threads, int64_t n)
{
    const int64_t per_unit = (int64_t)ritz_device_tuned(device, RITZ_BLOCK_ROWS_RUNS_PER_UNIT);
    const int64_t group = (int64_t)threads.per_row * threads.rows, groups = (n + threads.rows - 1) / threads.rows;
    const int64_t most = per_unit > 0 ? per_unit * ritz_device_get_info(device)->compute_units : groups;
    return (ritz_range){.global = {ritz_min64(groups, most) * group}, .local = {group}};
}

ritz_status ritz_block_rows_create_pattern(ritz_device *device, ritz_precision precision, int height, int width,
                                           int32_t n_rows, int32_t n_columns, const ritz_buffer *counts,
                                           ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *r = NULL;
    RITZ_NEW(r, 1);
    *r = (ritz_block_rows){.device = device,
                           .precision = precision,
                           .height = height,
                           .width = width,
                           .n_rows = n_rows,
                           .n_columns = n_columns};
    RITZ_TRY(
        ritz_buffer_create(device, ((int64_t)n_rows + 1) * 8, "the row starts of a sparse product", &r->row_start));
    RITZ_TRY(ritz_row_starts(device, n_rows, counts, r->row_start, &r->n_blocks, &r->longest));
    RITZ_REQUIRE(r->n_blocks <= INT32_MAX, RITZ_ERROR_INPUT,
                 "a sparse product of %lld blocks can not be held; use at most %d", (long long)r->n_blocks, INT32_MAX);
    RITZ_TRY(ritz_buffer_create(device, r->n_blocks * 4, "the columns of a sparse product", &r->columns));
    *rows = r;
    r = NULL;
done:
    ritz_block_rows_destroy(&r);
    return status;
}

ritz_status ritz_block_rows_create(ritz_device *device, ritz_precision precision, int height, int width, int32_t n_rows,
                                   int32_t n_columns, const ritz_buffer *counts, ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *r = NULL;
    RITZ_TRY(ritz_block_rows_create_pattern(device, precision, height, width, n_rows, n_columns, counts, &r));
    RITZ_TRY(ritz_block_rows_create_values(r));
    *rows = r;
    r = NULL;
done:
    ritz_block_rows_destroy(&r);
    return status;
}

ritz_status ritz_block_rows_create_counted(ritz_device *device, ritz_precision precision, int height, int width,
                                           int32_t n_rows, int32_t n_columns, const int32_t *counts,
                                           ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *on_device = NULL;
    RITZ_TRY(ritz_buffer_create_from(device, counts, n_rows * (int64_t)4, "the row lengths of a matrix", &on_device));
    RITZ_TRY(ritz_block_rows_create(device, precision, height, width, n_rows, n_columns, on_device, rows));
done:
    ritz_buffer_destroy(&on_device);
    return status;
}

/* ---- Matrices ---- */

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
    ritz_buffer_destroy(&m->columns);
    ritz_buffer_destroy(&m->values);
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

/* ---- Transposition ---- */

static ritz_status get_pattern_kernel(const ritz_block_rows *a, const char *name, ritz_kernel **kernel)
{
    return ritz_block_rows_kernel(a->device, RITZ_F32, "matrix/kernels/block_pattern.cl", "", name, kernel);
}

/* t's columns, and where each of its blocks stands in a; counts[t->n_rows] are used up. */
static ritz_status place_blocks(const ritz_block_rows *a, ritz_buffer *counts, ritz_block_rows *t, ritz_buffer *slot)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *place = NULL, *sort = NULL;
    const ritz_row_threads threads = ritz_row_threads_for(a->device, 32, 0);
    RITZ_TRY(get_pattern_kernel(a, "place_blocks", &place));
    /* One program for all sizes of blocks: PoCL takes 0.3 s for each. */
    RITZ_TRY(ritz_row_kernel(a->device, RITZ_F32, "matrix/kernels/block_sort.cl", threads, "-DTABLE_LOCAL=0",
                             "sort_rows", &sort));
    RITZ_TRY(ritz_buffer_zero(counts));
    RITZ_TRY(RITZ_LAUNCH(place, ritz_block_rows_range(place, a->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                         RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns), RITZ_BUFFER(t->row_start),
                         RITZ_BUFFER(counts), RITZ_BUFFER(t->columns)));
    RITZ_TRY(RITZ_LAUNCH(sort, ritz_row_range(a->device, threads, t->n_rows), NULL, RITZ_INT(t->n_rows),
                         RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns), RITZ_BUFFER(t->row_start),
                         RITZ_BUFFER(t->columns), RITZ_BUFFER(slot)));
done:
    return status;
}

ritz_status ritz_block_rows_transpose_pattern(const ritz_block_rows *a, ritz_buffer **slot,
                                              ritz_block_rows **transposed)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *count = NULL;
    ritz_buffer *counts = NULL, *place = NULL;
    ritz_block_rows *t = NULL;
    RITZ_TRY(get_pattern_kernel(a, "count_rows", &count));
    RITZ_TRY(
        ritz_buffer_create(a->device, a->n_columns * (int64_t)4, "the row lengths of a transposed matrix", &counts));
    RITZ_TRY(ritz_buffer_create(a->device, a->n_blocks * 4, "the blocks of a transposed matrix", &place));
    RITZ_TRY(ritz_buffer_zero(counts));
    RITZ_TRY(RITZ_LAUNCH(count, ritz_block_rows_range(count, a->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                         RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns), RITZ_BUFFER(counts)));
    RITZ_TRY(ritz_block_rows_create_pattern(a->device, a->precision, a->width, a->height, a->n_columns, a->n_rows,
                                            counts, &t));
    RITZ_TRY(place_blocks(a, counts, t, place));
    *transposed = t;
    *slot = place;
    t = NULL;
    place = NULL;
done:
    ritz_buffer_destroy(&counts);
    ritz_buffer_destroy(&place);
    ritz_block_rows_destroy(&t);
    return status;
}

ritz_status ritz_block_rows_turn(const ritz_block_rows *a, const ritz_buffer *slot, ritz_block_rows *transposed)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *turn = NULL;
    char options[64];
    const ritz_row_threads threads = ritz_row_threads_for(
        a->device, a->height * a->width, (int)ritz_device_tuned(a->device, RITZ_BLOCK_ROWS_TURN_GROUP));
    snprintf(options, sizeof options, "-DTABLE_LOCAL=0 -DHEIGHT=%d -DWIDTH=%d", a->height, a->width);
    RITZ_TRY(ritz_row_kernel(a->device, a->precision, "matrix/kernels/block_transpose.cl", threads, options,
                             "turn_blocks", &turn));
    RITZ_TRY(RITZ_LAUNCH(turn, ritz_row_range(a->device, threads, a->n_blocks), NULL, RITZ_LONG(a->n_blocks),
                         RITZ_BUFFER(slot), RITZ_BUFFER(a->values), RITZ_BUFFER(transposed->values)));
done:
    return status;
}

ritz_status ritz_block_rows_transpose(const ritz_block_rows *a, ritz_block_rows **transposed)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *slot = NULL;
    ritz_block_rows *t = NULL;
    RITZ_TRY(ritz_block_rows_transpose_pattern(a, &slot, &t));
    RITZ_TRY(ritz_block_rows_create_values(t));
    RITZ_TRY(ritz_block_rows_turn(a, slot, t));
    *transposed = t;
    t = NULL;
done:
    ritz_buffer_destroy(&slot);
    ritz_block_rows_destroy(&t);
    return status;
}
