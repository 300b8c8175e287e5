/* Prescribed values, eliminated symmetrically: with K the prescribed degrees of freedom and g their values, b -=
   A[:,K] g on the free rows; then rows and columns of K become those of the identity times the old diagonal (1 where
   that is 0) without its sign, which convection may turn, b[K] = diagonal g.

   Compile-time parameters: N_E (block size), S (slice height). One work-item a block row that is prescribed or has a
   prescribed neighbour. */

#define ENTRIES (N_E * N_E)

__kernel void constrain(int n_rows, __global const int *restrict rows, __global const uchar *restrict fixed,
                        __global const real *restrict prescribed, __global const long *restrict row_slot,
                        __global const int *restrict row_length, __global const int *restrict columns,
                        __global real *restrict values, __global real *restrict rhs)
{
    const int k = get_global_id(0);
    if (k >= n_rows)
        return;
    const int row = rows[k];
    const long slot = row_slot[row];
    __global real *restrict row_values = values + (slot - slot % S) * ENTRIES + slot % S;
    const int row_fixed = fixed[row];
    for (int n = 0; n < row_length[row]; n++) {
        const int column = columns[slot + (long)n * S];
        const int column_fixed = fixed[column];
        if (!row_fixed && !column_fixed)
            continue;
        for (int r = 0; r < N_E; r++)
            for (int c = 0; c < N_E; c++) {
                __global real *restrict value = row_values + ((long)n * ENTRIES + r * N_E + c) * S;
                const int in_row = row_fixed >> r & 1;
                const int in_column = column_fixed >> c & 1;
                if (in_row && row == column && r == c) {
                    *value = *value != 0 ? fabs(*value) : 1;
                    rhs[(long)row * N_E + r] = *value * prescribed[(long)row * N_E + r];
                } else if (in_row || in_column) {
                    if (!in_row)
                        rhs[(long)row * N_E + r] -= *value * prescribed[(long)column * N_E + c];
                    *value = 0;
                }
            }
    }
}
