/* A symmetric renumbering of a matrix in slices, one work-item a row of the new one; its rows are not sorted.

   Compile-time parameters: BLOCK, and RAW, an unsigned integer as long as a stored value.

   Row i of the new matrix is row order[i] of the old one, whose row j is place[j] of the new. Blocks keep their order in
   the row, so that products have the same bits. */
kernel void reorder(const int n_positions, const int n_rows, const int from_height, const int to_height,
                    const global long *restrict from_slot, const global int *restrict from_length,
                    const global int *restrict from_columns, const global RAW *restrict from_values,
                    const global int *restrict order, const global int *restrict place,
                    const global long *restrict slice_start, global int *restrict columns, global RAW *restrict values)
{
    const long position = get_global_id(0);
    if (position >= n_positions)
        return;
    const int row = position < n_rows ? order[position] : -1;
    const long n = row < 0 ? 0 : from_length[row], start = row < 0 ? 0 : from_slot[row];
    const long slice = position / to_height, i = position % to_height, from_i = start % from_height;
    long slot = slice_start[slice] + i, k = 0;
    int last = 0;
    for (; slot < slice_start[slice + 1]; slot += to_height, k++) {
        const long from = start + k * from_height;
        last = k < n ? place[from_columns[from]] : last;
        columns[slot] = last;
        for (int e = 0; e < BLOCK * BLOCK; e++)
            values[(slot - i) * (BLOCK * BLOCK) + (long)e * to_height + i] =
                k < n ? from_values[(from - from_i) * (BLOCK * BLOCK) + (long)e * from_height + from_i] : (RAW)0;
    }
}
