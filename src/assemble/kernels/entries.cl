/* Entries added to the matrix, each at a place of its own; for several components to the diagonal of its block, for those
   whose bit in `axes` is set.

   Compile-time parameters: N_E (block size), S (slice height). One work-item an entry. */

#define ENTRIES (N_E * N_E)

__kernel void add_entries(int n, __global const int *restrict entry_row, __global const int *restrict entry_column,
                          __global const real *restrict entry_value, __global const long *restrict row_slot,
                          __global const int *restrict row_length, __global const int *restrict columns,
                          __global real *restrict values, uint axes)
{
    const int k = get_global_id(0);
    if (k >= n)
        return;
    const int row = entry_row[k];
    const long slot = row_slot[row];
    __global real *restrict row_values = values + (slot - slot % S) * ENTRIES + slot % S;
    for (int place = 0; place < row_length[row]; place++)
        if (columns[slot + (long)place * S] == entry_column[k])
            for (int c = 0; c < N_E; c++)
                if (axes >> c & 1)
                    row_values[((long)place * ENTRIES + c * N_E + c) * S] += entry_value[k];
}
