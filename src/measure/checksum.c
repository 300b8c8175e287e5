/* The checksum of a chunk: one product of 32-bit halves a number, in loops that compilers turn into vectors; all cores.

   The places of a block row's numbers are the same in every row but for a shift, so their weights (place * G) come from
   tables: one for the numbers as they stand, one for their mirror images below the diagonal. */
#include "measure/checksum.h"

#include "base/lanes.h"

#include <string.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

enum { LANES = 32 }; /* interleaved elements that are summed together: a cache line is read once for all of them */

/* The numbers of a row of blocks as they follow each other in memory: in one run, block after block, or in a run for
   each entry of the blocks (planes). */
typedef struct runs {
    int64_t n, distance; /* runs, and from one to the next */
    int64_t per_block;   /* numbers of one block in a run */
    uint64_t *weights;   /* [n][n_shape][per_block] of the row of blocks 0 */
    uint64_t *mirrored;  /* likewise of column 0, for the transposed numbers */
} runs;

static inline uint64_t shift_xor(uint64_t z)
{
    return z ^ (z >> 32);
}

static inline uint64_t mix_bits(uint64_t z)
{
    return shift_xor(shift_xor(z) * UINT64_C(0xbf58476d1ce4e5b9));
}

static inline uint64_t multiply_words(uint64_t z)
{
    return (z & UINT32_MAX) * (z >> 32);
}

static inline uint64_t bits_at(const char *reals, bool f64, int64_t k)
{
    uint64_t wide;
    uint32_t narrow;
    if (f64) {
        memcpy(&wide, reals + 8 * k, 8);
        return wide;
    }
    memcpy(&narrow, reals + 4 * k, 4);
    return narrow;
}

/* n numbers of some lanes of a set, `width` apart, whose weights are base + weights[0 .. n - 1]; sums[lanes] grow. */
static inline void add_run(const char *reals, bool f64, int64_t lanes, int64_t width, int64_t n, uint64_t base,
                           const uint64_t *weights, uint64_t *sums)
{
    if (lanes == 1) {
        uint64_t sum = 0;
        for (int64_t t = 0; t < n; t++)
            sum += multiply_words(bits_at(reals, f64, t * width) + base + weights[t]);
        sums[0] += sum;
        return;
    }
    for (int64_t t = 0; t < n; t++) {
        const uint64_t weight = base + weights[t];
        for (int64_t lane = 0; lane < lanes; lane++)
            sums[lane] += multiply_words(bits_at(reals, f64, t * width + lane) + weight);
    }
}

/* The matrices of some lanes; `reals` is where their set begins, moved on to the first of them. */
static inline void add_matrices(const ritz_chunk *c, const runs *r, const char *reals, bool f64, int64_t lanes,
                                int64_t width, uint64_t *sums)
{
    const ritz_layout *l = c->layout;
    const int64_t n = c->n_shape, b = c->n_components, size = f64 ? 8 : 4, per = r->per_block;
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = l->symmetric ? i : 0; /* the row's first block that is there */
        const int64_t pair = l->symmetric ? i * n - i * (i - 1) / 2 : i * l->row_pairs;
        const uint64_t row = (uint64_t)(i * b * n * b + 1) * GOLDEN, column = (uint64_t)(i * b + 1) * GOLDEN;
        for (int64_t k = 0; k < r->n; k++) {
            const char *run = reals + size * width * (pair * l->pair_stride + k * r->distance);
            const uint64_t *weights = r->weights + (k * n + j) * per, *mirrored = r->mirrored + (k * n + j + 1) * per;
            add_run(run, f64, lanes, width, (n - j) * per, row, weights, sums);
            if (l->symmetric && j + 1 < n) /* the same numbers below the diagonal block */
                add_run(run + size * width * per, f64, lanes, width, (n - j - 1) * per, column, mirrored, sums);
        }
    }
}

/* Elements first .. first + lanes - 1 of the chunk, all of one set. */
static inline uint64_t sum_lanes(const ritz_chunk *c, const runs *r, bool f64, int64_t first, int64_t lanes,
                                 int64_t width)
{
    const int64_t set = first / width, lane = first % width, size = f64 ? 8 : 4;
    const int64_t rows = (int64_t)c->n_shape * c->n_components;
    const char *matrices = (const char *)c->matrices + size * (set * c->layout->matrix_entries * width + lane);
    const int64_t n_vectors = c->layout->vector_entries; /* none: c->vectors is NULL */
    const char *vectors = n_vectors > 0 ? (const char *)c->vectors + size * (set * n_vectors * width + lane) : NULL;
    uint64_t sums[LANES] = {0}, sum = 0;
    add_matrices(c, r, matrices, f64, lanes, width, sums);
    for (int64_t row = 0; row < n_vectors; row++)
        for (int64_t k = 0; k < lanes; k++)
            sums[k] +=
                multiply_words(bits_at(vectors, f64, row * width + k) + (uint64_t)(rows * rows + row + 1) * GOLDEN);
    for (int64_t k = 0; k < lanes; k++)
        sum += mix_bits(sums[k] + (uint64_t)(c->first + first + k + 1) * GOLDEN);
    return sum;
}

/* The flags become constants of the loops within. */
RITZ_EACH_WIDTH static uint64_t sum_piece(const ritz_chunk *c, const runs *r, int64_t first, int64_t lanes)
{
    const bool f64 = c->precision == RITZ_F64;
    const int64_t width = c->layout->width;
    if (width == 1)
        return f64 ? sum_lanes(c, r, true, first, 1, 1) : sum_lanes(c, r, false, first, 1, 1);
    return f64 ? sum_lanes(c, r, true, first, lanes, width) : sum_lanes(c, r, false, first, lanes, width);
}

static ritz_status make_runs(const ritz_chunk *c, runs *r)
{
    ritz_status status = RITZ_OK;
    const ritz_layout *l = c->layout;
    const int64_t n = c->n_shape, b = c->n_components, rows = n * b;
    const bool blocks = l->pair_stride == b * b;
    *r = (runs){.n = blocks ? 1 : b * b, .distance = l->entry_stride, .per_block = blocks ? b * b : 1};
    RITZ_NEW(r->weights, b * b * n);
    RITZ_NEW(r->mirrored, b * b * n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < b * b; k++) {
            const int64_t at = blocks ? j * b * b + k : k * n + j, row = k / b, column = j * b + k % b;
            r->weights[at] = (uint64_t)(row * rows + column) * GOLDEN;
            r->mirrored[at] = (uint64_t)(column * rows + row) * GOLDEN;
        }
done:
    return status;
}

/* The device computed the sums of the elements: behind a number of the chunk's precision. */
static uint64_t sum_elements(const ritz_chunk *c)
{
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t e = 0; e < c->count; e++) {
        char numbers[2 * sizeof(uint64_t)];
        uint64_t bits;
        ritz_layout_numbers(c->layout, e, c->precision, c->matrices, numbers);
        memcpy(&bits, numbers + ritz_real_bytes(c->precision), sizeof bits);
        sum += mix_bits(bits + (uint64_t)(c->first + e + 1) * GOLDEN);
    }
    return sum;
}

ritz_status ritz_chunk_checksum(const ritz_chunk *c, uint64_t *checksum)
{
    ritz_status status = RITZ_OK;
    if (c->result == RITZ_RESULT_CHECKSUM) {
        *checksum += sum_elements(c);
        return RITZ_OK;
    }
    const int64_t width = c->layout->width, pieces = (width + LANES - 1) / LANES;
    const int64_t n_sets = (c->count + width - 1) / width;
    uint64_t sum = 0;
    runs r = {0};
    RITZ_TRY(make_runs(c, &r));
#pragma omp parallel for reduction(+ : sum)
    for (int64_t p = 0; p < n_sets * pieces; p++) {
        const int64_t first = p / pieces * width + p % pieces * LANES;
        const int64_t end = ritz_min64(c->count, ritz_min64(first + LANES, (p / pieces + 1) * width));
        if (first < end)
            sum += sum_piece(c, &r, first, end - first);
    }
    *checksum += sum;
done:
    ritz_free(r.weights);
    ritz_free(r.mirrored);
    return status;
}
