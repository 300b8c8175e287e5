/* A matrix renumbered in the order in which its slices hold its rows, which leaves slices and values where they are; and
   vectors into that order and out of it. BLOCK is the block's size. */

/* place[order[i]] = i */
kernel void find_places(const int n_rows, const global int *restrict order, global int *restrict place)
{
    const int i = get_global_id(0);
    if (i < n_rows)
        place[order[i]] = i;
}

/* Everything else that tells of rows and columns, a work-item a position in slices of S rows. */
kernel void renumber_columns(const int n_positions, const int n_rows, const int S, const global long *restrict slice_start,
                       const global int *restrict order, const global int *restrict place,
                       const global int *restrict old_length, const global int *restrict old_columns,
                       global int *restrict row_length, global long *restrict row_slot,
                       global int *restrict permutation, global int *restrict columns)
{
    const int at = get_global_id(0);
    if (at >= n_positions)
        return;
    const long first = slice_start[at / S] + at % S, end = slice_start[at / S + 1];
    permutation[at] = at < n_rows ? at : -1;
    if (at < n_rows) {
        row_length[at] = old_length[order[at]];
        row_slot[at] = first;
    }
    for (long slot = first; slot < end; slot += S)
        columns[slot] = place[old_columns[slot]];
}

/* to = from in the new order: its block row i is order[i] of the old one. */
kernel void into_order(const int n_rows, const global int *restrict order, const global real *restrict from,
                       global real *restrict to)
{
    const long i = get_global_id(0);
    if (i < n_rows)
        for (int r = 0; r < BLOCK; r++)
            to[i * BLOCK + r] = from[(long)order[i] * BLOCK + r];
}

/* And back. */
kernel void out_of_order(const int n_rows, const global int *restrict order, const global real *restrict from,
                         global real *restrict to)
{
    const long i = get_global_id(0);
    if (i < n_rows)
        for (int r = 0; r < BLOCK; r++)
            to[(long)order[i] * BLOCK + r] = from[i * BLOCK + r];
}
