/* Vectors from level to level: products with block compressed rows of rectangular blocks. After row_threads.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    of the blocks, whose values are in single */

/* Every `step`-th block of a row, from the first of them on. */
inline void add_blocks(const long first, const long end, const int step, const global int *columns, const global float *values,
                    const global real *x, real *sum)
{
    for (long k = first; k < end; k += step) {
        const global real *const at = x + (long)columns[k] * WIDTH;
        const global float *const block = values + k * (HEIGHT * WIDTH);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[h] += (real)block[h * WIDTH + w] * at[w];
    }
}

/* y = A x. Rows are long: the sums of its work-items are added in their order. */
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
            add_blocks(start[row] + LANE, start[row + 1], ROW_THREADS, columns, values, x, sum);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
            sums[LANE * HEIGHT + h] = sum[h];
        SYNC();
        for (int h = LANE; h < HEIGHT; h += ROW_THREADS) {
            real total = sums[h];
            for (int item = 1; item < ROW_THREADS; item++)
                total += sums[item * HEIGHT + h];
            if (row < n_rows && row * HEIGHT + h < n)
                y[row * HEIGHT + h] = total;
        }
        SYNC();
    }
}

/* y += A x, of n scalars. */
kernel void transfer_add(const int n_rows, const long n, const global long *restrict start,
                         const global int *restrict columns, const global float *restrict values,
                         const global real *restrict x, global real *restrict y)
{
    EACH_ROW (row, n_rows) {
        real sum[HEIGHT];
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
            sum[h] = row * HEIGHT + h < n ? y[row * HEIGHT + h] : 0;
        add_blocks(start[row], start[row + 1], 1, columns, values, x, sum);
        for (int h = 0; h < HEIGHT && row * HEIGHT + h < n; h++)
            y[row * HEIGHT + h] = sum[h];
    }
}
