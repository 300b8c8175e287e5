/* Columns of transposes of block compressed rows, whatever the blocks. After row_runs.cl.

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
                         global int *restrict new_columns)
{
    EACH_ROW (row, n_rows)
        for (long k = start[row]; k < start[row + 1]; k++)
            new_columns[new_start[columns[k]] + atomic_inc(&taken[columns[k]])] = (int)row;
}
