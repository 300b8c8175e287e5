/* Vectors from level to level: products with block compressed rows of rectangular blocks. After row_runs.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    of the blocks, whose values are in single */

inline void add_row(const long row, const global long *start, const global int *columns, const global float *values,
                    const global real *x, real *sum)
{
    for (long k = start[row]; k < start[row + 1]; k++) {
        const global real *const at = x + (long)columns[k] * WIDTH;
        const global float *const block = values + k * (HEIGHT * WIDTH);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[h] += (real)block[h * WIDTH + w] * at[w];
    }
}

/* y = A x. */
kernel void transfer(const int n_rows, const long n, const global long *restrict start,
                     const global int *restrict columns, const global float *restrict values,
                     const global real *restrict x, global real *restrict y)
{
    EACH_ROW (row, n_rows) {
        real sum[HEIGHT];
#pragma unroll
        for (int h = 0; h < HEIGHT; h++)
            sum[h] = 0;
        add_row(row, start, columns, values, x, sum);
        for (int h = 0; h < HEIGHT && row * HEIGHT + h < n; h++)
            y[row * HEIGHT + h] = sum[h];
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
        add_row(row, start, columns, values, x, sum);
        for (int h = 0; h < HEIGHT && row * HEIGHT + h < n; h++)
            y[row * HEIGHT + h] = sum[h];
    }
}
