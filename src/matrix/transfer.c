/* Columns and values between block compressed rows on the host and slices on the device, in pieces, so that the host
   never holds a second copy of the matrix. A unit is S slots that stand beside each other: the k-th blocks of one
   slice. */
#include "matrix/transfer.h"
#include "matrix/storage.h"

/* Large enough that a transfer runs at full speed, small beside any matrix that needs pieces. */
enum { STAGING_BYTES = 8 << 20 };
enum { ENTRIES_FOR_THREADS = 1 << 19 }; /* fewer are moved sooner than threads wake; less than a full staging */

static int64_t n_units(const ritz_matrix *m)
{
    return m->n_slots / m->slice_height;
}

/* The slice that holds a unit: the last one that starts at or before it and is not empty. */
static int32_t slice_of(const ritz_matrix *m, int64_t unit)
{
    int64_t slot = unit * m->slice_height;
    int32_t low = 0, high = m->n_slices - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (m->host_slice_start[middle] <= slot)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Blocks [*first, *last) of each row of slice s that lie in units [begin, end). */
static void clip_range(const ritz_matrix *m, int32_t s, int64_t begin, int64_t end, int64_t *first, int64_t *last)
{
    int64_t start = m->host_slice_start[s] / m->slice_height, stop = m->host_slice_start[s + 1] / m->slice_height;
    *first = ritz_max64(begin - start, 0);
    *last = ritz_min64(end, stop) - start;
}

/* Units [begin, end) of the columns; returns the first row whose columns are out of order or range, or INT32_MAX. */
static int32_t gather_columns(const ritz_matrix *m, const int64_t *row_start, const int32_t *columns, int64_t begin,
                              int64_t end, int32_t *staging)
{
    int32_t bad = INT32_MAX, S = m->slice_height;
    int32_t slice_first = slice_of(m, begin), slice_last = slice_of(m, end - 1);
#pragma omp parallel for schedule(static) reduction(min : bad) if ((end - begin) * S > ENTRIES_FOR_THREADS)
    for (int32_t s = slice_first; s <= slice_last; s++) {
        int64_t first, last;
        clip_range(m, s, begin, end, &first, &last);
        int32_t *unit = staging + (m->host_slice_start[s] - begin * S);
        for (int32_t i = 0; i < S; i++) {
            int32_t row = m->host_permutation[(int64_t)s * S + i];
            const int32_t *column = row < 0 ? NULL : columns + row_start[row];
            int64_t length = row < 0 ? 0 : row_start[row + 1] - row_start[row];
            int64_t n_true = ritz_min64(length, last);
            for (int64_t k = first; k < n_true; k++) {
                if (column[k] < 0 || column[k] >= m->n_columns || (k > 0 && column[k] <= column[k - 1]))
                    bad = row < bad ? row : bad;
                unit[k * S + i] = column[k];
            }
            for (int64_t k = ritz_max64(first, n_true); k < last; k++)
                unit[k * S + i] = length > 0 ? column[length - 1] : 0;
        }
    }
    return bad;
}

ritz_status ritz_matrix_send_columns(ritz_matrix *m, const int64_t *row_start, const int32_t *columns)
{
    ritz_status status = RITZ_OK;
    int32_t *staging = NULL;
    int64_t S = m->slice_height, units = n_units(m);
    int64_t step = ritz_max64(1, ritz_min64(units, STAGING_BYTES / (S * (int64_t)sizeof *staging)));
    RITZ_NEW(staging, step * S);
    for (int64_t begin = 0; begin < units; begin += step) {
        int64_t end = ritz_min64(begin + step, units);
        int32_t bad = gather_columns(m, row_start, columns, begin, end, staging);
        RITZ_REQUIRE(bad == INT32_MAX, RITZ_ERROR_INPUT,
                     "block row %d of the matrix has columns that do not increase or lie outside 0..%d; sort them and "
                     "remove duplicates",
                     bad, m->n_columns - 1);
        RITZ_TRY(ritz_buffer_write(m->columns, begin * S * 4, staging, (end - begin) * S * 4));
        RITZ_TRY(ritz_check_interrupt());
    }
done:
    ritz_free(staging);
    return status;
}

/* Moves units [begin, end) between `staging` and values[blocks][b][b]; reading leaves padding out. */
static void move_values(const ritz_matrix *m, const int64_t *row_start, double *values, bool to_staging, int64_t begin,
                        int64_t end, void *staging)
{
    const ritz_precision precision = m->value_type == RITZ_VALUES_F64 ? RITZ_F64 : RITZ_F32;
    int32_t S = m->slice_height, bb = m->block * m->block;
    int32_t slice_first = slice_of(m, begin), slice_last = slice_of(m, end - 1);
#pragma omp parallel for schedule(static) if ((end - begin) * S * bb > ENTRIES_FOR_THREADS)
    for (int32_t s = slice_first; s <= slice_last; s++) {
        int64_t first, last;
        clip_range(m, s, begin, end, &first, &last);
        int64_t unit = (m->host_slice_start[s] - begin * S) * bb;
        for (int32_t i = 0; i < S; i++) {
            int32_t row = m->host_permutation[(int64_t)s * S + i];
            int64_t length = row < 0 ? 0 : row_start[row + 1] - row_start[row];
            double *block = row < 0 ? NULL : values + row_start[row] * bb;
            for (int64_t k = first; k < last; k++)
                for (int32_t e = 0; e < bb; e++) {
                    int64_t at = unit + (k * bb + e) * S + i;
                    if (to_staging)
                        ritz_set_real(precision, staging, at, k < length ? block[k * bb + e] : 0);
                    else if (k < length)
                        block[k * bb + e] = ritz_get_real(precision, staging, at);
                }
        }
    }
}

static ritz_status stream_values(const ritz_matrix *m, const int64_t *row_start, double *values, bool to_device)
{
    ritz_status status = RITZ_OK;
    char *memory = NULL;
    int64_t unit_bytes = m->slice_height * (int64_t)m->block * m->block * ritz_value_bytes(m->value_type);
    int64_t units = n_units(m), step = ritz_max64(1, ritz_min64(units, STAGING_BYTES / unit_bytes));
    RITZ_NEW(memory, step * unit_bytes);
    for (int64_t begin = 0; begin < units; begin += step) {
        int64_t end = ritz_min64(begin + step, units), bytes = (end - begin) * unit_bytes;
        if (!to_device)
            RITZ_TRY(ritz_buffer_read(m->values, begin * unit_bytes, memory, bytes));
        move_values(m, row_start, values, to_device, begin, end, memory);
        if (to_device)
            RITZ_TRY(ritz_buffer_write(m->values, begin * unit_bytes, memory, bytes));
        RITZ_TRY(ritz_check_interrupt());
    }
done:
    ritz_free(memory);
    return status;
}

ritz_status ritz_matrix_send_values(ritz_matrix *matrix, const int64_t *row_start, const double *values)
{
    return stream_values(matrix, row_start, (double *)values, true);
}

/* The rows' lengths must be those that the matrix was made with: counted, since a wrong array would be read past its
   end. */
static ritz_status check_row_start(const ritz_matrix *m, const int64_t *row_start)
{
    for (int32_t s = 0; s < m->n_slices; s++) {
        int64_t width = (m->host_slice_start[s + 1] - m->host_slice_start[s]) / m->slice_height, longest = 0;
        for (int32_t i = 0; i < m->slice_height; i++) {
            int32_t row = m->host_permutation[(int64_t)s * m->slice_height + i];
            if (row >= 0)
                longest = ritz_max64(longest, row_start[row + 1] - row_start[row]);
        }
        if (longest != width)
            return ritz_fail(RITZ_ERROR_INPUT,
                             "these row starts are not those of the matrix; give the array it was made with");
    }
    return RITZ_OK;
}

/* Values of 16 bits, and slices larger than `staging` should be, come through a copy in the device's usual format. */
static ritz_status read_converted(const ritz_matrix *m, const int64_t *row_start, double *values)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *wider = NULL;
    const ritz_matrix_options o = {.precision = m->value_type == RITZ_VALUES_F64 ? RITZ_F64 : RITZ_F32};
    RITZ_TRY(ritz_slices_make(m, &o, m->block, NULL, &wider));
    RITZ_TRY(stream_values(wider, row_start, values, false));
done:
    ritz_matrix_destroy(&wider);
    return status;
}

ritz_status ritz_slices_read(const ritz_matrix *matrix, const int64_t *row_start, double *values)
{
    ritz_status status = check_row_start(matrix, row_start);
    if (status)
        return status;
    if (ritz_value_bytes(matrix->value_type) < 4 || matrix->one_slice)
        return read_converted(matrix, row_start, values);
    return stream_values(matrix, row_start, values, false);
}
