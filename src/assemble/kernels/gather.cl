/* Assembly by rows: one work-item owns one block row and adds, element by element in a fixed order, what belongs
   there. No two work-items write the same place, so there are no races and the sums have the same bits in every run.

   Compile-time parameters: N_SHAPE, N_E (block size), WIDTH (elements interleaved in the element matrices), S (slice
   height of the matrix), LOAD (element vectors are there). */

#define ENTRIES (N_E * N_E)

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
        const long set = cell / WIDTH;
        const int lane = cell % WIDTH;
        __global const real *restrict element =
            matrices + (set * (N_SHAPE * N_SHAPE * ENTRIES) + i * (N_SHAPE * ENTRIES)) * WIDTH + lane;
        __global const ushort *restrict place = position + ((first_cell + cell) * N_SHAPE + i) * N_SHAPE;
        for (int j = 0; j < N_SHAPE; j++) {
            __global real *restrict block = row_values + (long)place[j] * (S * ENTRIES);
            for (int entry = 0; entry < ENTRIES; entry++)
                block[entry * S] += element[(j * ENTRIES + entry) * WIDTH];
        }
#if LOAD
        for (int c = 0; c < N_E; c++)
            rhs[(long)row * N_E + c] += vectors[(set * (N_SHAPE * N_E) + i * N_E + c) * WIDTH + lane];
#endif
    }
}
