/* Assembly by rows: one work-item owns one block row and adds, element by element in a fixed order, what belongs
   there. No two work-items write the same place, so there are no races and the sums have the same bits in every run.

   After integrate/kernels/layout.cl and add.cl. Compile-time parameters: theirs, and LOAD (element vectors are
   there). */

/* Rows `first_row`.. of the chunk's list; cells of the chunk start at first_cell.
   rows, start, items: the chunk's nodes, and for each the entries (cell in the chunk * N_SHAPE + i).
   position: number of the block in its row, [cell][i][j]. */
__kernel void gather(int n_rows, long first_row, long first_cell, __global const int *restrict rows,
                     __global const long *restrict start, __global const int *restrict items,
                     __global const ushort *restrict position, __global const real *restrict matrices,
                     __global const real *restrict vectors, __global const long *restrict row_slot,
                     __global real *restrict values, __global real *restrict rhs)
{
    const int k = get_global_id(0);
    if (k >= n_rows)
        return;
    const int row = rows[first_row + k];
    const long slot = row_slot[row];
    __global real *restrict row_values = values + (slot - slot % S) * ENTRIES + slot % S;
    for (long m = start[first_row + k]; m < start[first_row + k + 1]; m++) {
        const int cell = items[m] / N_SHAPE;
        const int i = items[m] % N_SHAPE;
        add_row(row_values, element_at(matrices, cell), position + ((first_cell + cell) * N_SHAPE + i) * N_SHAPE, i);
#if LOAD
        add_load(rhs, vectors, cell, i, row);
#endif
    }
}
