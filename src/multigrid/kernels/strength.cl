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

/* Of each block its norm, and how far its two nodes pull each other along, minus its trace; 0 of diagonal ones; and the largest of each
   row. Across a stretched cell norms stay large and the pull does not: of hexes what the short direction holds together is spread over
   the blocks beside it, with the opposite sign. */
kernel void measure_blocks(const int n_rows, const global long *restrict start, const global int *restrict columns,
                           const global real *restrict values, global float2 *restrict strength,
                           global float2 *restrict largest SLICE_ARGUMENT ROOT_ARGUMENT)
{
    local float2 all_most[GROUP_ROWS * ROW_THREADS];
    local float2 *const row_most = all_most + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_rows) {
        const long row = first + ROW_IN_GROUP, end = row < n_rows ? start[row + 1] : 0;
        float2 most = 0;
        for (long k = row < n_rows ? start[row] + LANE : 0; k < end; k += ROW_THREADS) {
            const long place = BLOCK_PLACE(row, k, HEIGHT * HEIGHT);
            real sum = 0, trace = 0;
#pragma unroll
            for (int e = 0; e < HEIGHT * HEIGHT; e++) {
                const real v = SCALED(values[place + ENTRY_PLACE(e)], row, columns[k], e);
                sum += v * v;
                trace += e % (HEIGHT + 1) == 0 ? v : 0;
            }
            const float2 of_block = (float2)((float)sqrt(sum), fmax(0.0f, -(float)trace));
            const float2 size = columns[k] == row ? (float2)(0.0f) : of_block;
            strength[k] = size;
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

/* By the pull, where that is wanted and no small part of what there is: a mass matrix has none. Else by the norm. least: of both. */
inline bool pulls(const float2 row, const float2 column, const int by_pull)
{
    return by_pull && row.y > 0.25f * row.x && column.y > 0.25f * column.x;
}

inline bool is_strong(const float2 own, const float2 row, const float2 column, const float2 least, const int by_pull)
{
    return pulls(row, column, by_pull) ? own.y * own.y > least.y * least.y * row.y * column.y
                                       : own.x * own.x > least.x * least.x * row.x * column.x;
}

/* Strong connections of each row, and its diagonal block if that is wanted: how many; and, once it is known where each row begins,
   their columns and sizes. */
kernel void count_strong(const int n_rows, const float2 least, const int by_pull, const int diagonal,
                         const global long *restrict start, const global int *restrict columns,
                         const global float2 *restrict strength, const global float2 *restrict largest,
                         global int *restrict count)
{
    local int all_counts[GROUP_ROWS * ROW_THREADS];
    local int *const counts = all_counts + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_rows) {
        const long row = first + ROW_IN_GROUP, end = row < n_rows ? start[row + 1] : 0;
        int n = 0;
        for (long k = row < n_rows ? start[row] + LANE : 0; k < end; k += ROW_THREADS)
            n += (diagonal && columns[k] == row) ||
                 is_strong(strength[k], largest[row], largest[columns[k]], least, by_pull);
        int all;
        add_before(n, counts, &all);
        if (LANE == 0 && row < n_rows)
            count[row] = all;
    }
}

kernel void fill_strong(const int n_rows, const float2 least, const int by_pull, const int diagonal,
                        const global long *restrict start, const global int *restrict columns,
                        const global float2 *restrict strength, const global float2 *restrict largest,
                        const global long *restrict strong_start, global int *restrict strong,
                        global float *restrict weight)
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
            const bool keeps =
                k < end && ((diagonal && columns[k] == row) ||
                            is_strong(strength[k], largest[row], largest[columns[k]], least, by_pull));
            int all;
            const int before = add_before(keeps, strong_ones, &all);
            if (keeps) {
                strong[at + before] = columns[k];
                weight[at + before] =
                    pulls(largest[row], largest[columns[k]], by_pull) ? strength[k].y : strength[k].x;
            }
            at += all;
        }
    }
}

#if HEIGHT == 3
/* Where a node is, about the middle, from its rigid motions (nullspace.cl) times an upper triangle, as nodes are scaled (scale_level.cl);
   false: it is held. */
inline bool find_place(const global real *restrict nullspace, const long node, real x[3])
{
    const global real *const second = nullspace + node * 18 + 6, *const third = second + 6;
    if (second[1] == 0 || third[2] == 0)
        return false;
    x[0] = -third[4] / third[2];
    x[1] = third[3] / third[2];
    x[2] = (second[2] * x[1] - second[3]) / second[1];
    return true;
}

/* count[row]: 0 of a held node; 2 if its farthest neighbour is more than `ratio` times as far away as the nearest one, else 1. */
kernel void count_stretched(const int n_rows, const float ratio, const global long *restrict start,
                            const global int *restrict columns, const global real *restrict nullspace,
                            global int *restrict count)
{
    EACH_OWN_ROW (row, n_rows) {
        real own[3], x[3], least = INFINITY, most = 0;
        const bool is_free = find_place(nullspace, row, own);
        for (long k = start[row]; is_free && k < start[row + 1]; k++) {
            if (columns[k] == row || !find_place(nullspace, columns[k], x))
                continue;
            real square = 0;
            for (int c = 0; c < 3; c++)
                square += (x[c] - own[c]) * (x[c] - own[c]);
            least = fmin(least, square);
            most = fmax(most, square);
        }
        if (LANE == 0)
            count[row] = is_free ? 1 + (most > ratio * ratio * least) : 0;
    }
}
#endif

/* The blocks of some columns, which increase in both rows. */
kernel void copy_blocks(const int n_rows, const global long *restrict start, const global int *restrict columns,
                        const global real *restrict values, const global long *restrict few_start,
                        const global int *restrict few_columns, global real *restrict few_values SLICE_ARGUMENT)
{
    EACH_OWN_ROW (row, n_rows) {
        long k = start[row];
        for (long few = few_start[row]; few < few_start[row + 1]; few++) {
            while (columns[k] != few_columns[few])
                k++;
            const long place = BLOCK_PLACE(row, k, HEIGHT * HEIGHT);
            for (int e = LANE; e < HEIGHT * HEIGHT; e += ROW_THREADS)
                few_values[few * (HEIGHT * HEIGHT) + e] = values[place + ENTRY_PLACE(e)];
        }
    }
}
