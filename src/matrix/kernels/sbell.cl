/* Product of a sparse matrix in slices of block rows: every format of the room, from CSR with a work-item a row
   (SLICE 1) to ELLPACK (SLICE 0). After values.cl and finish.cl, which name the compile-time parameters.

   Algorithm 4 of Zhang and Zhang (2013): a thread a block row, every entry of the slice read by neighbours side by side. With
   LANES > 1 a work-item stands for LANES such threads and its vectors for their registers: CPUs read a slice with full
   vector loads that way. A work-item takes `run` packs of LANES rows one after the other. */
#if SLICE == 0
#define HEIGHT slice_height
#define SLICE_OF(at) 0L
#define PLACE_IN(at) ((at) * LANES)
#else
#define HEIGHT SLICE
#define SLICE_OF(at) ((at) / (SLICE / LANES))
#define PLACE_IN(at) ((at) % (SLICE / LANES) * LANES)
#endif

/* sum[r] = row r of the products of LANES block rows, from the i-th of a slice on: blocks in its slots up to `end`. */
inline void add_blocks(const long start, const long end, const int i, const int slice_height, const long n_columns,
                       const global int *columns, const global value *values, const global real *x, pack *sum)
{
    pack own[BLOCK]; /* registers, where no compiler has to think that values and x may be the caller's sums */
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        own[r] = (pack)(0);
    for (long slot = start + i; slot < end; slot += HEIGHT) {
        const global value *entry = values + (slot - i) * (BLOCK * BLOCK) + i;
        pack at_column[BLOCK];
        gather_columns(x, columns + slot, n_columns, at_column);
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                own[r] += LOAD(entry + (long)(r * BLOCK + c) * HEIGHT) * at_column[c];
    }
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        sum[r] = own[r];
}

kernel void product(const int n_packs, const int run, const int n_rows, const int slice_height, const long n,
                    const long n_columns, const global long *restrict slice_start,
                    const global int *restrict permutation, const global int *restrict row_length,
                    const global int *restrict columns, const global value *restrict values,
                    const global real *restrict x, global real *restrict y SCALED_ARGUMENTS SUMS_ARGUMENTS)
{
    const long first = (long)get_global_id(0) * run;
    const long last = min(first + run, (long)n_packs);
    SUMS_BEGIN
    for (long at = first; at < last; at++) {
        const long slice = SLICE_OF(at);
        const int i = (int)PLACE_IN(at);
#if LENGTHS
        int longest = 0;
        for (int l = 0; l < LANES; l++) {
            const int row = ROW(at * LANES + l);
            longest = row < 0 ? longest : max(longest, row_length[row]);
        }
        const long end = slice_start[slice] + (long)longest * HEIGHT;
#else
        const long end = slice_start[slice + 1];
#endif
        pack sum[BLOCK];
        add_blocks(slice_start[slice], end, i, slice_height, n_columns, columns, values, x, sum);
        real lane[LANES][BLOCK], turned[BLOCK][LANES];
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
            STORE(sum[r], turned[r]);
#pragma clang loop vectorize(disable) /* scatters are slower than stores */
        for (int l = 0; l < LANES; l++) {
            const int row = ROW(at * LANES + l);
            if (row < 0)
                continue;
#pragma unroll
            for (int r = 0; r < BLOCK; r++)
                lane[l][r] = turned[r][l];
            FINISH_ROW(lane[l], row)
        }
    }
    SUMS_END
}
