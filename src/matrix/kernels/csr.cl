/* Product of block compressed rows, several work-items a row (the vector kernel): ITEMS / LANES work-items
   takes the row's blocks by turns, each LANES blocks at a time, and adds up in local memory. After values.cl and
   finish.cl, which name the compile-time parameters; SLICE is 1.

   GPUs have LANES 1 and so read columns and values side by side; CPUs have one, with vectors along the row,
   that takes `run` rows one after the other. */
#define THREADS (ITEMS / LANES)

/* Entry e of LANES blocks that stand one after the other. */
#define ENTRY(lane) load_one(block + (lane) * (BLOCK * BLOCK) + e)
inline pack load_entries(const global value *block, const int e)
{
#if BLOCK == 1
    return LOAD(block);
#else
    return (pack)(JOIN(EACH, LANES)(ENTRY));
#endif
}

/* Blocks [slot, end) of a row, this work-item's share; sum[BLOCK]. */
inline void add_row(const long start, const long end, const long n_columns, const global int *columns,
                    const global value *values, const global real *x, real *sum)
{
#if THREADS > 1
    long slot = start + get_local_id(0) % THREADS * LANES;
#else
    long slot = start;
#endif
    pack wide[BLOCK];
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        wide[r] = (pack)(0);
    for (; slot + LANES <= end; slot += ITEMS) {
        pack at_column[BLOCK];
        gather_columns(x, columns + slot, n_columns, at_column);
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                wide[r] += load_entries(values + slot * (BLOCK * BLOCK), r * BLOCK + c) * at_column[c];
    }
#pragma unroll
    for (int r = 0; r < BLOCK; r++) {
        real lane[LANES];
        STORE(wide[r], lane);
        sum[r] = 0;
        for (int l = 0; l < LANES; l++)
            sum[r] += lane[l];
    }
#if LANES > 1
    for (; slot < end; slot++) /* fewer blocks than lanes are left */
        for (int c = 0; c < BLOCK; c++) {
            const long from = (long)columns[slot] * BLOCK + c;
            const real at_column = !RAGGED || from < n_columns ? x[from] : (real)0;
            for (int r = 0; r < BLOCK; r++)
                sum[r] += load_one(values + slot * (BLOCK * BLOCK) + r * BLOCK + c) * at_column;
        }
#endif
}

kernel void product(const int n_packs, const int run, const int n_rows, const int slice_height, const long n,
                    const long n_columns, const global long *restrict slice_start,
                    const global int *restrict permutation, const global int *restrict row_length,
                    const global int *restrict columns, const global value *restrict values,
                    const global real *restrict x, global real *restrict y SCALED_ARGUMENTS SUMS_ARGUMENTS)
{
    real sum[BLOCK];
    SUMS_BEGIN
#if THREADS > 1
    local real shared[BLOCK * GROUP];
    const int item = get_local_id(0), thread = item % THREADS;
    const long at = get_global_id(0) / THREADS;
    const int row = at < n_rows ? ROW(at) : -1;
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        sum[r] = 0;
    if (row >= 0)
        add_row(slice_start[at], slice_start[at + 1], n_columns, columns, values, x, sum);
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        shared[r * GROUP + item] = sum[r];
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < stride)
            for (int r = 0; r < BLOCK; r++)
                shared[r * GROUP + item] += shared[r * GROUP + item + stride];
    }
    if (row >= 0 && thread == 0)
        for (int r = 0; r < BLOCK; r++)
            if ((long)row * BLOCK + r < n)
                FINISH(shared[r * GROUP + item], (long)row * BLOCK + r)
#else
    const long first = (long)get_global_id(0) * run;
    const long last = min(first + run, (long)n_rows);
    for (long at = first; at < last; at++) {
        const int row = ROW(at);
        add_row(slice_start[at], slice_start[at + 1], n_columns, columns, values, x, sum);
        FINISH_ROW(sum, row)
    }
#endif
    SUMS_END
}
