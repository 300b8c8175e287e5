/* Columns of transposed block compressed rows that are there in any order, whatever the blocks. After row_threads.cl.

   Compile-time parameters:
       TABLE_LOCAL      0 */

/* Sorts the new rows, and finds for each of their blocks which one it was. */
kernel void sort_rows(const int n_rows, const global long *restrict start, const global int *restrict columns,
                      const global long *restrict new_start, global int *restrict new_columns,
                      global int *restrict slot)
{
    EACH_GROUP_ROWS (row, n_rows) {
        const long first = new_start[row];
        const int n = (int)(new_start[row + 1] - first);
        sort_list(new_columns + first, n);
        for (int i = LANE; i < n; i += ROW_THREADS) {
            const long from = new_columns[first + i];
            long low = start[from];
            for (long high = start[from + 1] - 1; low < high;) {
                const long middle = (low + high) / 2;
                low = columns[middle] < row ? middle + 1 : low;
                high = columns[middle] < row ? high : middle;
            }
            slot[first + i] = (int)low;
        }
    }
}
