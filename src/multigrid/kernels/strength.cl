/* Strength of connections between nodes. After row_threads.cl.

   Compile-time parameters:
       HEIGHT    of the matrix's blocks, which are square
       SLICE     they stand in slices of so many rows, and are to be scaled by root[row] root[column]; 0: as they are */
#if SLICE
#define ROOT_ARGUMENT , const global real *restrict root
#define SCALED(v, row, column, e) ((v) * root[(row) * HEIGHT + (e) / HEIGHT] * root[(column) * (long)HEIGHT + (e) % HEIGHT])
#else
#define ROOT_ARGUMENT
#define SCALED(v, row, column, e) (v)
#endif

/* norm[k] of each block, 0 of diagonal ones, and the largest of each row. */
kernel void measure_blocks(const int n_rows, const global long *restrict start, const global int *restrict columns,
                           const global real *restrict values, global float *restrict norm,
                           global float *restrict largest SLICE_ARGUMENT ROOT_ARGUMENT)
{
    local float all_most[GROUP_ROWS * ROW_THREADS];
    local float *const row_most = all_most + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_rows) {
        const long row = first + ROW_IN_GROUP, end = row < n_rows ? start[row + 1] : 0;
        float most = 0;
        for (long k = row < n_rows ? start[row] + LANE : 0; k < end; k += ROW_THREADS) {
            const long place = BLOCK_PLACE(k, HEIGHT * HEIGHT);
            real sum = 0;
            for (int e = 0; e < HEIGHT * HEIGHT; e++) {
                const real v = SCALED(values[place + ENTRY_PLACE(e)], row, columns[k], e);
                sum += v * v;
            }
            const float size = columns[k] == row ? 0.0f : (float)sqrt(sum);
            norm[k] = size;
            most = fmax(most, size);
        }
        row_most[LANE] = most;
        SYNC();
        for (int item = 0; item < ROW_THREADS; item++)
            most = fmax(most, row_most[item]);
        if (LANE == 0 && row < n_rows)
            largest[row] = most;
        SYNC();
    }
}
