/* Columns of block compressed rows into slices of S rows; padding has its row's last one. A work-item a row, by sorted position. */

kernel void place_columns(const int n_positions, const int S, const global long *restrict slice_start,
                          const global int *restrict permutation, const global long *restrict row_start,
                          const global int *restrict row_columns, global int *restrict columns)
{
    const int position = get_global_id(0);
    if (position >= n_positions)
        return;
    const int row = permutation[position];
    const long end = slice_start[position / S + 1], stop = row < 0 ? 0 : row_start[row + 1];
    long k = row < 0 ? 0 : row_start[row];
    int column = 0;
    for (long slot = slice_start[position / S] + position % S; slot < end; slot += S) {
        column = k < stop ? row_columns[k++] : column;
        columns[slot] = column;
    }
}
