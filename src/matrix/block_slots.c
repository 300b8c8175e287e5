/* Block compressed rows whose values stay where a matrix has them, in its slices: a copy would be the most of the room that a
   set-up takes. */
#include "matrix/block_rows.h"
#include "matrix/storage.h"

#include <stdio.h>

enum { SLICE_MOST = 64 }; /* rows: kernels are compiled for a height */

/* Whether the slices have such blocks. */
static bool has_blocks(const ritz_matrix *slices, ritz_precision precision, int block)
{
    const ritz_value_type type = precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
    return slices->block == block && slices->precision == precision && slices->value_type == type &&
           slices->longest_row <= UINT16_MAX + 1;
}

/* Work-items that share a row and those of a group, whose rows stand side by side in a slice. */
enum { SHARE = 16, GROUP = 64 };

static ritz_row_threads slot_threads(const ritz_matrix *slices)
{
    return ritz_row_threads_for(slices->device, SHARE, GROUP);
}

static ritz_status get_slot_kernel(const ritz_matrix *slices, const char *name, ritz_kernel **kernel)
{
    char options[64];
    snprintf(options, sizeof options, "-DTABLE_LOCAL=0 -DBLOCK=%d -DSLICE=%d", slices->block,
             (int)slices->slice_height);
    return ritz_row_kernel(slices->device, slices->precision, "matrix/kernels/block_slots.cl", slot_threads(slices),
                           options, name, kernel);
}

#define SLICES(m)                                                                                                      \
    RITZ_INT((m)->n_rows), RITZ_BUFFER((m)->row_slot), RITZ_BUFFER((m)->row_length), RITZ_BUFFER((m)->columns),        \
        RITZ_BUFFER((m)->values)

static ritz_status make_pattern(const ritz_matrix *slices, ritz_block_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *count = NULL;
    ritz_buffer *counts = NULL;
    RITZ_TRY(get_slot_kernel(slices, "count_slots", &count));
    RITZ_TRY(ritz_buffer_create(slices->device, slices->n_rows * (int64_t)4, "the row lengths of a matrix", &counts));
    RITZ_TRY(RITZ_LAUNCH(count, ritz_row_range(slices->device, slot_threads(slices), slices->n_rows), NULL,
                         SLICES(slices), RITZ_BUFFER(counts)));
    RITZ_TRY(ritz_block_rows_create_pattern(slices->device, slices->precision, slices->block, slices->block,
                                            slices->n_rows, slices->n_columns, counts, rows));
done:
    ritz_buffer_destroy(&counts);
    return status;
}

/* r->slot_of_row, and r's columns too if `fill`. */
static ritz_status place_slots(const ritz_matrix *slices, const ritz_buffer *weight, bool fill, ritz_block_rows *r,
                               bool *outside)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *kernel = NULL;
    ritz_buffer *flag = NULL;
    int32_t found = 0;
    RITZ_TRY(get_slot_kernel(slices, fill ? "fill_slots" : "find_slots", &kernel));
    RITZ_TRY(ritz_buffer_create(slices->device, r->n_blocks * 2, "the blocks of a matrix", &r->slot_of_row));
    if (fill) {
        RITZ_TRY(RITZ_LAUNCH(kernel, ritz_row_range(slices->device, slot_threads(slices), r->n_rows), NULL,
                             SLICES(slices), RITZ_BUFFER(r->row_start), RITZ_BUFFER(r->columns),
                             RITZ_BUFFER(r->slot_of_row)));
        goto done;
    }
    RITZ_TRY(ritz_buffer_create_from(slices->device, &found, 4, "the matrix's flag", &flag));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_block_rows_range(kernel, slices->device, r->n_rows), NULL, SLICES(slices),
                         RITZ_LONG(slices->n_unknowns), RITZ_BUFFER(weight), RITZ_BUFFER(r->row_start),
                         RITZ_BUFFER(r->columns), RITZ_BUFFER(r->slot_of_row), RITZ_BUFFER(flag)));
    RITZ_TRY(ritz_buffer_read(flag, 0, &found, 4));
    *outside = found != 0;
done:
    ritz_buffer_destroy(&flag);
    return status;
}

ritz_status ritz_block_rows_in_place(const ritz_matrix *matrix, ritz_precision precision, int block,
                                     const ritz_block_rows *pattern, const ritz_buffer *weight, ritz_block_rows **rows,
                                     bool *outside)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *expanded = NULL;
    ritz_block_rows *r = NULL;
    *rows = NULL;
    *outside = false;
    if (!has_blocks(matrix, precision, block))
        goto done;
    if (matrix->storage->expand)
        RITZ_TRY(matrix->storage->expand(matrix, &expanded));
    const ritz_matrix *slices = expanded ? expanded : matrix;
    if (!has_blocks(slices, precision, block) || slices->slice_height > SLICE_MOST)
        goto done;
    if (pattern)
        RITZ_TRY(ritz_block_rows_lend(pattern, &r));
    else
        RITZ_TRY(make_pattern(slices, &r));
    RITZ_TRY(place_slots(slices, weight, !pattern, r, outside));
    r->in_slices = slices->values;
    r->slice_height = slices->slice_height;
    r->row_slot = slices->row_slot;
    r->expanded = expanded;
    expanded = NULL;
    *rows = r;
    r = NULL;
done:
    ritz_matrix_destroy(&expanded);
    ritz_block_rows_destroy(&r);
    return status;
}
