/* Block compressed rows on the device: made, lent, transposed. */
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
    ritz_buffer_destroy(&(*rows)->slot_of_row);
    ritz_matrix_destroy(&(*rows)->expanded);
    ritz_free(*rows);
    *rows = NULL;
}

ritz_status ritz_block_rows_create_values(ritz_block_rows *r)
{
    return ritz_buffer_create(r->device, ritz_block_rows_value_bytes(r), "the values of a sparse product", &r->values);
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
    r->values = r->slot_of_row = NULL;
    r->in_slices = r->row_slot = NULL;
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

int64_t ritz_block_rows_value_bytes(const ritz_block_rows *r)
{
    return r->n_blocks * r->height * r->width * ritz_real_bytes(r->precision);
}

int64_t ritz_block_rows_bytes(const ritz_block_rows *r)
{
    return (r->n_rows + 1) * (int64_t)8 + r->n_blocks * 4 + ritz_block_rows_value_bytes(r);
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
