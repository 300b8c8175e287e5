/* The checksum of a chunk: one multiplication a number, all cores. */
#include "integrate/checksum.h"

#include <string.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t fold(uint64_t z)
{
    return z ^ (z >> 32);
}

/* A number with the bits `bits` at the place whose weight is (k + 1) * GOLDEN. */
static inline uint64_t entry(uint64_t bits, uint64_t weight)
{
    return fold(fold(bits + weight) * UINT64_C(0xbf58476d1ce4e5b9));
}

static inline uint64_t bits_at(const void *reals, bool f64, int64_t k)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (f64) {
        memcpy(&wide, (const char *)reals + 8 * k, 8);
        return wide;
    }
    memcpy(&narrow, (const char *)reals + 4 * k, 4);
    return narrow;
}

enum { LANES = 32 }; /* interleaved elements that are summed together: a cache line is read once for all of them */

/* A run of numbers in some lanes of a set: n of them, `stride` apart, the first at place `k` of its element, each next
   one `step` places further. sums[lanes] grow. */
static inline void sum_run(const void *reals, bool f64, int64_t lanes, int64_t n, int64_t stride, int64_t k,
                           int64_t step, uint64_t *sums)
{
    uint64_t weight = (uint64_t)(k + 1) * GOLDEN;
    for (int64_t i = 0; i < n; i++, weight += (uint64_t)step * GOLDEN)
        for (int64_t lane = 0; lane < lanes; lane++)
            sums[lane] += entry(bits_at(reals, f64, i * stride + lane), weight);
}

/* The matrices of some lanes; `reals` is where their set begins, moved on to the first of them. */
static inline void sum_matrices(const ritz_chunk *c, const char *reals, bool f64, int64_t lanes, uint64_t *sums)
{
    const ritz_layout *l = c->layout;
    const int64_t n = c->n_shape, b = c->n_components, rows = n * b, size = f64 ? 8 : 4;
    const int64_t stride = (int64_t)l->pair_stride * l->width;
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = l->symmetric ? i : 0; /* the row's first block that is there */
        const int64_t pair = l->symmetric ? i * n - i * (i - 1) / 2 : i * l->row_pairs;
        for (int64_t of_block = 0; of_block < b * b; of_block++) {
            const int64_t row = i * b + of_block / b, column = j * b + of_block % b;
            const char *run = reals + size * l->width * (pair * l->pair_stride + of_block * l->entry_stride);
            sum_run(run, f64, lanes, n - j, stride, row * rows + column, b, sums);
            if (l->symmetric) /* the same numbers below the diagonal block */
                sum_run(run + size * stride, f64, lanes, n - j - 1, stride, (column + b) * rows + row, b * rows, sums);
        }
    }
}

/* Elements first .. first + lanes - 1 of the chunk, all of one set. */
static inline uint64_t sum_lanes(const ritz_chunk *c, bool f64, int64_t first, int64_t lanes)
{
    const int64_t width = c->layout->width, set = first / width, lane = first % width, size = f64 ? 8 : 4;
    const int64_t rows = (int64_t)c->n_shape * c->n_components;
    uint64_t sums[LANES] = {0}, sum = 0;
    sum_matrices(c, (const char *)c->matrices + size * (set * c->layout->matrix_entries * width + lane), f64, lanes,
                 sums);
    if (c->layout->vector_entries)
        sum_run((const char *)c->vectors + size * (set * c->layout->vector_entries * width + lane), f64, lanes, rows,
                width, rows * rows, 1, sums);
    for (int64_t l = 0; l < lanes; l++)
        sum += entry(sums[l], (uint64_t)(c->first + first + l + 1) * GOLDEN);
    return sum;
}

/* The flags become constants of the loops within. */
static uint64_t sum_piece(const ritz_chunk *c, int64_t first, int64_t lanes)
{
    const bool f64 = c->precision == RITZ_F64;
    if (c->layout->width == 1)
        return f64 ? sum_lanes(c, true, first, 1) : sum_lanes(c, false, first, 1);
    return f64 ? sum_lanes(c, true, first, lanes) : sum_lanes(c, false, first, lanes);
}

uint64_t ritz_chunk_checksum(const ritz_chunk *c)
{
    const int64_t width = c->layout->width, pieces = (width + LANES - 1) / LANES;
    const int64_t n_sets = (c->count + width - 1) / width;
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t p = 0; p < n_sets * pieces; p++) {
        const int64_t first = p / pieces * width + p % pieces * LANES;
        const int64_t end = ritz_min64(c->count, ritz_min64(first + LANES, (p / pieces + 1) * width));
        if (first < end)
            sum += sum_piece(c, first, end - first);
    }
    return sum;
}
