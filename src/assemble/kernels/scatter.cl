/* Assembly by colours: one work-item adds one element's matrix and vector. A launch covers elements of one colour and
   chunk, no two of which share a node, so no two work-items write the same place.

   Compile-time parameters: N_SHAPE, N_E (block size), WIDTH (elements interleaved in the element matrices), S (slice
   height of the matrix), LOAD (element vectors are there). */

#define ENTRIES (N_E * N_E)

/* elements: numbers in the chunk, whose first cell is first_cell; position: number of the block in its row,
   [cell][i][j]. */
__kernel void scatter(int n_elements, long first_element, long first_cell, __global const int *restrict elements,
                      __global const int *restrict cell_nodes, __global const ushort *restrict position,
                      __global const real *restrict matrices, __global const real *restrict vectors,
                      __global const long *restrict row_slot, __global real *restrict values,
                      __global real *restrict rhs)
{
    const int k = get_global_id(0);
    if (k >= n_elements)
        return;
    const int cell = elements[first_element + k];
    const long set = cell / WIDTH;
    const int lane = cell % WIDTH;
    __global const real *restrict element = matrices + set * (N_SHAPE * N_SHAPE * ENTRIES) * WIDTH + lane;
    for (int i = 0; i < N_SHAPE; i++) {
        const int row = cell_nodes[(first_cell + cell) * N_SHAPE + i];
        const long slot = row_slot[row];
        __global const ushort *restrict place = position + ((first_cell + cell) * N_SHAPE + i) * N_SHAPE;
        __global real *restrict row_values = values + (slot - slot % S) * ENTRIES + slot % S;
        for (int j = 0; j < N_SHAPE; j++) {
            __global real *restrict block = row_values + (long)place[j] * (S * ENTRIES);
            __global const real *restrict entries = element + (i * N_SHAPE + j) * ENTRIES * WIDTH;
            for (int entry = 0; entry < ENTRIES; entry++)
                block[entry * S] += entries[entry * WIDTH];
        }
#if LOAD
        for (int c = 0; c < N_E; c++)
            rhs[(long)row * N_E + c] += vectors[(set * (N_SHAPE * N_E) + i * N_E + c) * WIDTH + lane];
#endif
    }
}
