/* Transposition of block compressed rows. After row_runs.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    of the blocks before

   Which work-item comes first to a new row is left to chance; the rows are sorted after that. */

kernel void count_rows(const int n_rows, const global long *restrict start, const global int *restrict columns,
                       global int *restrict count)
{
    EACH_ROW (row, n_rows)
        for (long k = start[row]; k < start[row + 1]; k++)
            atomic_inc(&count[columns[k]]);
}

/* taken[column]: blocks of a new row that have their place, 0 at first. */
kernel void place_blocks(const int n_rows, const global long *restrict start, const global int *restrict columns,
                         const global long *restrict new_start, global int *restrict taken,
                         global int *restrict new_columns, global int *restrict slot)
{
    EACH_ROW (row, n_rows)
        for (long k = start[row]; k < start[row + 1]; k++) {
            const long at = new_start[columns[k]] + atomic_inc(&taken[columns[k]]);
            new_columns[at] = (int)row;
            slot[at] = (int)k;
        }
}

/* Shell's sort of the new rows by column, with the gaps of Ciura's sequence. */
kernel void sort_rows(const int n_rows, const global long *restrict start, global int *restrict columns,
                      global int *restrict slot)
{
    const int gaps[] = {9241, 4107, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    EACH_ROW (row, n_rows) {
        global int *const column = columns + start[row], *const from = slot + start[row];
        const int n = (int)(start[row + 1] - start[row]);
        for (int g = 0; g < 11; g++) {
            const int gap = gaps[g];
            for (int i = gap; i < n; i++) {
                const int key = column[i], value = from[i];
                int at = i;
                for (; at >= gap && column[at - gap] > key; at -= gap) {
                    column[at] = column[at - gap];
                    from[at] = from[at - gap];
                }
                column[at] = key;
                from[at] = value;
            }
        }
    }
}

kernel void turn_blocks(const long n_blocks, const global int *restrict slot, const global real *restrict values,
                        global real *restrict turned)
{
    EACH_ROW (k, n_blocks) {
        const global real *const block = values + (long)slot[k] * (HEIGHT * WIDTH);
        for (int h = 0; h < HEIGHT; h++)
            for (int w = 0; w < WIDTH; w++)
                turned[k * (HEIGHT * WIDTH) + w * HEIGHT + h] = block[h * WIDTH + w];
    }
}
