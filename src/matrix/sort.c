/* Rows by decreasing length inside windows: a stable radix sort on the length. */
#include "matrix/storage.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* One window: order[n] holds rows and is sorted with the help of other[n]. */
static void sort_window(int64_t n, const int32_t *length, int32_t *order, int32_t *other)
{
    int32_t longest = 0, shortest = INT32_MAX;
    for (int64_t i = 0; i < n; i++) {
        longest = length[order[i]] > longest ? length[order[i]] : longest;
        shortest = length[order[i]] < shortest ? length[order[i]] : shortest;
    }
    int32_t *from = order, *to = other;
    for (int shift = 0; shift < 31 && (longest - shortest) >> shift > 0; shift += DIGIT_BITS) {
        int64_t start[DIGITS + 1] = {0};
        for (int64_t i = 0; i < n; i++)
            start[(((longest - length[from[i]]) >> shift) & (DIGITS - 1)) + 1]++;
        for (int d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (int64_t i = 0; i < n; i++)
            to[start[((longest - length[from[i]]) >> shift) & (DIGITS - 1)]++] = from[i];
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, (size_t)n * sizeof *order);
}

ritz_status ritz_sort_rows(int64_t n_rows, int64_t window, const int32_t *length, int32_t *order)
{
    ritz_status status = RITZ_OK;
    int32_t *other = NULL;
    if (window > 1)
        RITZ_NEW(other, n_rows);
#pragma omp parallel for schedule(static) if (n_rows > RITZ_ROWS_FOR_THREADS)
    for (int64_t i = 0; i < n_rows; i++)
        order[i] = (int32_t)i;
    if (window > 1) {
        int64_t n_windows = (n_rows + window - 1) / window;
#pragma omp parallel for schedule(static) if (n_rows > RITZ_ROWS_FOR_THREADS)
        for (int64_t w = 0; w < n_windows; w++)
            sort_window(ritz_min64(window, n_rows - w * window), length, order + w * window, other + w * window);
    }
done:
    ritz_free(other);
    return status;
}
