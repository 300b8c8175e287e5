/* Random block compressed rows and their product in long double, for the tests of matrices. */
#ifndef RITZ_TEST_ROWS_H
#define RITZ_TEST_ROWS_H

#include "check.h"
#include "matrix/matrix.h"

#include <math.h>

/* Random numbers of its own, so that a failure repeats everywhere. */
static uint64_t seed = 1;

static inline double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Block compressed rows made by the test. */
typedef struct rows {
    int block;
    int64_t n, n_columns;
    int64_t *start;
    int32_t *columns;
    double *values;
} rows;

static inline void free_rows(rows *a)
{
    free(a->start);
    free(a->columns);
    free(a->values);
}

/* Random rows of n_columns: row i gets every column with chance `density`, its diagonal with chance `diagonal`; row `long_row` gets
   all, rows from `empty` on none. */
static inline rows random_rectangle(int block, int64_t n, int64_t n_columns, double density, double diagonal,
                                    int64_t long_row, int64_t empty)
{
    rows a = {.block = block, .n = n, .n_columns = n_columns, .start = calloc((size_t)n + 1, 8)};
    int64_t capacity = 0;
    for (int64_t i = 0; i < n; i++) {
        a.start[i + 1] = a.start[i];
        for (int64_t j = 0; j < n_columns && i < empty; j++) {
            if (i != long_row && uniform() >= (i == j ? diagonal : density))
                continue;
            if (a.start[i + 1] == capacity) {
                capacity = 2 * capacity + 64;
                a.columns = realloc(a.columns, (size_t)capacity * 4);
            }
            a.columns[a.start[i + 1]++] = (int32_t)j;
        }
    }
    int64_t entries = a.start[n] * block * block;
    a.values = malloc((size_t)entries * 8 + 8);
    for (int64_t i = 0; i < entries; i++)
        a.values[i] = 2 * uniform() - 1;
    return a;
}

static inline rows random_rows(int block, int64_t n, double density, double diagonal, int64_t long_row, int64_t empty)
{
    return random_rectangle(block, n, n, density, diagonal, long_row, empty);
}

/* y = A x, and scale = |A| |x|, entries rounded to the matrix's precision first. */
static inline void reference(const rows *a, ritz_precision precision, const double *x, double *y, double *scale)
{
    int b = a->block;
    for (int64_t i = 0; i < a->n; i++)
        for (int r = 0; r < b; r++) {
            long double sum = 0, size = 0;
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
                for (int c = 0; c < b; c++) {
                    double v = a->values[(k * b + r) * b + c], w = x[(int64_t)a->columns[k] * b + c];
                    if (precision == RITZ_F32) {
                        v = (double)(float)v;
                        w = (double)(float)w;
                    }
                    sum += (long double)v * w;
                    size += fabsl((long double)v * w);
                }
            y[i * b + r] = (double)sum;
            scale[i * b + r] = (double)size;
        }
}

static inline double *random_vector(int64_t n)
{
    double *x = malloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++)
        x[i] = 2 * uniform() - 1;
    return x;
}

static inline bool can(ritz_precision precision)
{
    return precision == RITZ_F32 || ritz_device_get_info(device)->has_f64;
}

#endif
