/* Assembly by colours: one work-item adds one element's matrix and vector. A launch covers elements of one colour and
   chunk, no two of which share a node, so no two work-items write the same place.

   After integrate/kernels/layout.cl and add.cl. Compile-time parameters: theirs, and LOAD (element vectors are
   there). */

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
    for (int i = 0; i < N_SHAPE; i++) {
        const int row = cell_nodes[(first_cell + cell) * N_SHAPE + i];
        const long slot = row_slot[row];
        add_row(values + (slot - slot % S) * ENTRIES + slot % S, element_at(matrices, cell),
                position + ((first_cell + cell) * N_SHAPE + i) * N_SHAPE, i);
#if LOAD
        add_load(rhs, vectors, cell, i, row);
#endif
    }
}
