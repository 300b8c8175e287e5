/* The scalar diagonal of a matrix in any format, one work-item a block row. After values.cl, which names the
   compile-time parameters. */

/* diagonal[row * BLOCK + r] = the scalar diagonal, 0 where the structure has no diagonal block. */
kernel void diagonal(const int n_rows, const int slice_height, const long n, const global long *restrict row_slot,
                     const global int *restrict row_length, const global int *restrict columns,
                     const global value *restrict values, global real *restrict diagonal)
{
    const long row = get_global_id(0), S = slice_height;
    if (row >= n_rows)
        return;
    long found = -1;
    for (int k = 0; k < row_length[row] && found < 0; k++)
        if (columns[row_slot[row] + k * S] == row)
            found = row_slot[row] + k * S;
    const long i = row_slot[row] % S;
    for (int r = 0; r < BLOCK && row * BLOCK + r < n; r++)
        diagonal[row * BLOCK + r] =
            found < 0 ? (real)0 : load_one(values + (found - i) * (BLOCK * BLOCK) + (r * BLOCK + r) * S + i);
}
