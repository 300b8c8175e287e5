/* Strength of connections between nodes. After row_runs.cl.

   Compile-time parameters:
       HEIGHT    of the matrix's blocks, which are square */

/* norm[k] of each block, 0 of diagonal ones, and the largest of each row. */
kernel void measure_blocks(const int n_rows, const global long *restrict start, const global int *restrict columns,
                           const global real *restrict values, global float *restrict norm,
                           global float *restrict largest)
{
    EACH_ROW (row, n_rows) {
        float most = 0;
        for (long k = start[row]; k < start[row + 1]; k++) {
            real sum = 0;
            for (int e = 0; e < HEIGHT * HEIGHT; e++)
                sum += values[k * (HEIGHT * HEIGHT) + e] * values[k * (HEIGHT * HEIGHT) + e];
            const float size = columns[k] == row ? 0.0f : (float)sqrt(sum);
            norm[k] = size;
            most = fmax(most, size);
        }
        largest[row] = most;
    }
}
