/* Places of element entries in the matrix's rows, whose columns increase: by bisection, a work-item an entry. */

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
    __global const int *const own = columns + row_slot[row];
    int low = 0;
    for (int high = row_length[row] - 1; low < high;) {
        const int middle = (low + high) / 2;
        const bool less = own[(long)middle * S] < column;
        low = less ? middle + 1 : low;
        high = less ? high : middle;
    }
    position[k] = (ushort)low;
}
