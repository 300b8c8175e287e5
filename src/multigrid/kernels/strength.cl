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
            const long place = BLOCK_PLACE(row, k, HEIGHT * HEIGHT);
            real sum = 0;
#pragma unroll
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

inline bool is_strong(const float norm, const float row, const float column, const float least)
{
    return norm * norm > least * least * row * column;
}

/* Strong connections of each row: how many; and, once it is known where each row begins, their columns and norms. */
kernel void count_strong(const int n_rows, const float least, const global long *restrict start,
                         const global int *restrict columns, const global float *restrict norm,
                         const global float *restrict largest, global int *restrict count)
{
    local int all_counts[GROUP_ROWS * ROW_THREADS];
    local int *const counts = all_counts + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_rows) {
        const long row = first + ROW_IN_GROUP, end = row < n_rows ? start[row + 1] : 0;
        int n = 0;
        for (long k = row < n_rows ? start[row] + LANE : 0; k < end; k += ROW_THREADS)
            n += is_strong(norm[k], largest[row], largest[columns[k]], least);
        int all;
        add_before(n, counts, &all);
        if (LANE == 0 && row < n_rows)
            count[row] = all;
    }
}

kernel void fill_strong(const int n_rows, const float least, const global long *restrict start,
                        const global int *restrict columns, const global float *restrict norm,
                        const global float *restrict largest, const global long *restrict strong_start,
                        global int *restrict strong, global float *restrict weight)
{
    local int all_strong[GROUP_ROWS * ROW_THREADS];
    local long all_rounds[GROUP_ROWS];
    local int *const strong_ones = all_strong + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_rows) {
        const bool there = first + ROW_IN_GROUP < n_rows;
        const long row = there ? first + ROW_IN_GROUP : 0, end = there ? start[row + 1] : 0;
        const long rounds = most_of_group(there ? (end - start[row] + ROW_THREADS - 1) / ROW_THREADS : 0, all_rounds);
        long at = strong_start[row], k = there ? start[row] + LANE : 0;
        for (long round = 0; round < rounds; round++, k += ROW_THREADS) {
            const bool keeps = k < end && is_strong(norm[k], largest[row], largest[columns[k]], least);
            int all;
            const int before = add_before(keeps, strong_ones, &all);
            if (keeps) {
                strong[at + before] = columns[k];
                weight[at + before] = norm[k];
            }
            at += all;
        }
    }
}
