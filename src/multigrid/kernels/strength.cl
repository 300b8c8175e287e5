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

inline bool is_strong(const float norm, const float row, const float column, const float least)
{
    return norm * norm > least * least * row * column;
}

kernel void count_strong(const int n_rows, const float least, const global long *restrict start,
                         const global int *restrict columns, const global float *restrict norm,
                         const global float *restrict largest, global int *restrict count)
{
    EACH_ROW (row, n_rows) {
        int n = 0;
        for (long k = start[row]; k < start[row + 1]; k++)
            n += is_strong(norm[k], largest[row], largest[columns[k]], least);
        count[row] = n;
    }
}

kernel void fill_strong(const int n_rows, const float least, const global long *restrict start,
                        const global int *restrict columns, const global float *restrict norm,
                        const global float *restrict largest, const global long *restrict strong_start,
                        global int *restrict strong, global float *restrict weight)
{
    EACH_ROW (row, n_rows) {
        long at = strong_start[row];
        for (long k = start[row]; k < start[row + 1]; k++) {
            if (!is_strong(norm[k], largest[row], largest[columns[k]], least))
                continue;
            strong[at] = columns[k];
            weight[at++] = norm[k];
        }
    }
}
