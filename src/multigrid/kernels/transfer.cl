/* Vectors from level to level: products with block compressed rows of rectangular blocks. After row_threads.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    of the blocks, whose values are in single
       ADD              to y: y += A x; else y = A x */

/* Blocks of a row that are this work-item's. */
inline void add_blocks(const long first, const long end, const global int *columns, const global float *values,
                       const global real *x, real *sum)
{
    for (long k = first; k < end; k += ROW_THREADS) {
        const global real *const at = x + (long)columns[k] * WIDTH;
        const global float *const block = values + k * (HEIGHT * WIDTH);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[h] += (real)block[h * WIDTH + w] * at[w];
    }
}

/* y = A x, of n scalars. The sums of its work-items are added in their order. */
kernel void transfer(const int n_rows, const long n, const global long *restrict start,
                     const global int *restrict columns, const global float *restrict values,
                     const global real *restrict x, global real *restrict y)
{
    local real all_sums[GROUP_ROWS * ROW_THREADS * HEIGHT];
    local real *const sums = all_sums + ROW_IN_GROUP * (ROW_THREADS * HEIGHT);
    EACH_GROUP_ROWS (first, n_rows) {
        const long row = first + ROW_IN_GROUP;
        real sum[HEIGHT];
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
            sum[h] = 0;
        if (row < n_rows)
            add_blocks(start[row] + LANE, start[row + 1], columns, values, x, sum);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
            sums[LANE * HEIGHT + h] = sum[h];
        SYNC();
        for (int h = LANE; h < HEIGHT; h += ROW_THREADS) {
            real total = sums[h];
            for (int item = 1; item < ROW_THREADS; item++)
                total += sums[item * HEIGHT + h];
            if (row < n_rows && row * HEIGHT + h < n)
                y[row * HEIGHT + h] = ADD ? y[row * HEIGHT + h] + total : total;
        }
        SYNC();
    }
}
