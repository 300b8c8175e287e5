/* Block compressed rows with a work-item a scalar row. After values.cl and finish.cl, which name the compile-time parameters. */

kernel void product(const long n, const long n_columns, const global long *restrict row_slot,
                    const global int *restrict row_length, const global int *restrict columns,
                    const global value *restrict values, const global real *restrict x,
                    global real *restrict y SCALED_ARGUMENTS SUMS_ARGUMENTS)
{
    const long i = get_global_id(0);
    SUMS_BEGIN
    if (i < n) {
        const long row = i / BLOCK, first = row_slot[row];
        real sum = 0;
        for (int k = 0; k < row_length[row]; k++)
            for (int c = 0; c < BLOCK; c++) {
                const long column = (long)columns[first + k] * BLOCK + c;
                if (column < n_columns)
                    sum += load_one(values + ((first + k) * BLOCK + i % BLOCK) * BLOCK + c) * x[column];
            }
        FINISH(sum, i)
    }
    SUMS_END
}
