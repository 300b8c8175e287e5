/* Places of element entries in the matrix's rows, a work-item an entry. After matrix/kernels/find_block.cl. */

/* cell_nodes: of a batch from `first` on; columns: in slices of S rows; position[cell][i][j]. */
__kernel void find_positions(const long n, const int n_shape, const long first, const int S,
                             __global const int *restrict cell_nodes, __global const long *restrict row_slot,
                             __global const int *restrict row_length, __global const int *restrict columns,
                             __global ushort *restrict position)
{
    const long k = get_global_id(0);
    if (k >= n)
        return;
    const long row_of = k / n_shape, cell = row_of / n_shape;
    const int row = cell_nodes[first + row_of], column = cell_nodes[first + cell * n_shape + k % n_shape];
    position[k] = (ushort)find_block(columns + row_slot[row], S, row_length[row], column);
}
