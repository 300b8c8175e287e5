/* Layouts of element matrices: how they are made, passed to kernels, and read on the host. */
#include "integrate/layout.h"

#include "integrate/methods.h"

#include <string.h>

static int64_t upper_pairs(int64_t n_shape)
{
    return n_shape * (n_shape + 1) / 2;
}

static ritz_layout make_layout(const ritz_case *c, int32_t width, bool symmetric, int64_t row_pairs, bool planes)
{
    const int64_t n_shape = ritz_case_n_shape(c), entries = (int64_t)c->n_components * c->n_components;
    const int64_t pairs = symmetric ? upper_pairs(n_shape) : n_shape * row_pairs;
    return (ritz_layout){.width = width,
                         .symmetric = symmetric,
                         .row_pairs = (int32_t)row_pairs,
                         .pair_stride = planes ? 1 : (int32_t)entries,
                         .entry_stride = planes ? (int32_t)pairs : 1,
                         .matrix_entries = (int32_t)(pairs * entries),
                         .vector_entries = c->traits.load ? (int32_t)(n_shape * c->n_components) : 0};
}

ritz_layout ritz_layout_blocks(const ritz_case *c, int32_t width, bool symmetric)
{
    return make_layout(c, width, symmetric, ritz_case_n_shape(c), false);
}

ritz_layout ritz_layout_planes(const ritz_case *c, int32_t width, bool symmetric, int32_t row_pairs)
{
    return make_layout(c, width, symmetric, row_pairs, true);
}

void ritz_layout_take_result(const ritz_case *c, ritz_layout *layout)
{
    const int32_t rows = (int32_t)(ritz_case_n_shape(c) * c->n_components);
    const int32_t numbers[] = {[RITZ_RESULT_MATRICES] = layout->matrix_entries,
                               [RITZ_RESULT_SUM] = 1,
                               [RITZ_RESULT_CHECKSUM] = 1 + (int32_t)(sizeof(uint64_t) / ritz_real_bytes(c->precision)),
                               [RITZ_RESULT_ACTION] = rows};
    layout->matrix_entries = numbers[c->result];
    if (c->result == RITZ_RESULT_SUM || c->result == RITZ_RESULT_CHECKSUM)
        layout->vector_entries = 0;
}

void ritz_layout_defines(const ritz_layout *layout, ritz_text *header)
{
    ritz_text_add(header,
                  "#define SYMMETRIC %d\n#define ROW_PAIRS %d\n#define PAIR_STRIDE %d\n#define ENTRY_STRIDE %d\n"
                  "#define MATRIX_ENTRIES %d\n",
                  layout->symmetric, (int)layout->row_pairs, (int)layout->pair_stride, (int)layout->entry_stride,
                  (int)layout->matrix_entries);
}

/* Number of the entry (row, column) of an element matrix with blocks of b. */
static int64_t entry_number(const ritz_layout *layout, int n_shape, int b, int64_t row, int64_t column)
{
    if (layout->symmetric && row / b > column / b)
        return entry_number(layout, n_shape, b, column, row);
    const int64_t i = row / b, j = column / b;
    const int64_t pair = layout->symmetric ? i * n_shape - i * (i - 1) / 2 + j - i : i * layout->row_pairs + j;
    return pair * layout->pair_stride + (row % b * b + column % b) * layout->entry_stride;
}

void ritz_layout_element(const ritz_layout *layout, int64_t element, ritz_precision precision, const void *matrices,
                         const void *vectors, int n_shape, int n_components, double *matrix, double *vector)
{
    const int64_t width = layout->width, set = element / width, lane = element % width;
    const int b = n_components, rows = n_shape * n_components;
    for (int64_t row = 0; matrix && row < rows; row++)
        for (int64_t column = 0; column < rows; column++) {
            const int64_t entry = entry_number(layout, n_shape, b, row, column);
            matrix[row * rows + column] =
                ritz_get_real(precision, matrices, (set * layout->matrix_entries + entry) * width + lane);
        }
    for (int64_t row = 0; vector && row < rows; row++)
        vector[row] = layout->vector_entries
                          ? ritz_get_real(precision, vectors, (set * layout->vector_entries + row) * width + lane)
                          : 0;
}

void ritz_layout_numbers(const ritz_layout *layout, int64_t element, ritz_precision precision, const void *matrices,
                         void *numbers)
{
    const int64_t width = layout->width, set = element / width, lane = element % width;
    const int64_t size = ritz_real_bytes(precision);
    for (int64_t k = 0; k < layout->matrix_entries; k++)
        memcpy((char *)numbers + k * size,
               (const char *)matrices + ((set * layout->matrix_entries + k) * width + lane) * size, (size_t)size);
}
