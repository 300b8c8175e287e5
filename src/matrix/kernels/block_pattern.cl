/* Columns of products and transposes of block compressed rows, whatever the blocks. After row_runs.cl. */

/* ---- Product C = A B ----

   The columns of C's row are the union of those of B's rows that A's row names. They are merged into a list that stays in
   order, once to be counted and once into their place. */

/* most_blocks[row]: no more blocks than these are in C's row. */
kernel void bound_rows(const int n_rows, const int n_columns, const global long *restrict a_start,
                       const global int *restrict a_columns, const global long *restrict b_start,
                       global int *restrict most_blocks)
{
    EACH_ROW (row, n_rows) {
        long sum = 0;
        for (long k = a_start[row]; k < a_start[row + 1]; k++)
            sum += b_start[a_columns[k] + 1] - b_start[a_columns[k]];
        most_blocks[row] = (int)min(sum, (long)n_columns);
    }
}

/* The columns of C's row into `list`; returns how many. */
inline int merge_columns(const long row, const global long *a_start, const global int *a_columns,
                         const global long *b_start, const global int *b_columns, global int *list)
{
    int n = 0;
    for (long k = a_start[row]; k < a_start[row + 1]; k++) {
        const long end = b_start[a_columns[k] + 1];
        int at = 0;
        for (long j = b_start[a_columns[k]]; j < end; j++) {
            const int column = b_columns[j];
            while (at < n && list[at] < column)
                at++;
            if (at < n && list[at] == column)
                continue;
            for (int m = n; m > at; m--)
                list[m] = list[m - 1];
            list[at] = column;
            n++;
        }
    }
    return n;
}

/* lists: room for `room` columns a work-item. */
kernel void count_columns(const int n_rows, const int room, const global long *restrict a_start,
                          const global int *restrict a_columns, const global long *restrict b_start,
                          const global int *restrict b_columns, global int *restrict lists, global int *restrict count)
{
    EACH_ROW (row, n_rows)
        count[row] = merge_columns(row, a_start, a_columns, b_start, b_columns, lists + get_global_id(0) * room);
}

kernel void fill_columns(const int n_rows, const global long *restrict a_start, const global int *restrict a_columns,
                         const global long *restrict b_start, const global int *restrict b_columns,
                         const global long *restrict c_start, global int *restrict c_columns)
{
    EACH_ROW (row, n_rows)
        merge_columns(row, a_start, a_columns, b_start, b_columns, c_columns + c_start[row]);
}

/* ---- Transpose ----

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
