/* Vectors of block rows into another order and out of it; a work-item takes `run` block rows. After finish.cl; BLOCK is the
   block's size. */

/* to = from in the new order: its block row i is order[i] of the old one. */
kernel void into_order(const int n_rows, const int run, const global int *restrict order,
                       const global real *restrict from, global real *restrict to)
{
    const long first = (long)get_global_id(0) * run, last = min(first + run, (long)n_rows);
    for (long i = first; i < last; i++)
        for (int r = 0; r < BLOCK; r++)
            to[i * BLOCK + r] = from[(long)order[i] * BLOCK + r];
}

/* And back, with SUMS leaving what a product leaves. */
kernel void out_of_order(const int n_rows, const int run, const global int *restrict order,
                         const global real *restrict from, global real *restrict to SUMS_ARGUMENTS)
{
    const long first = (long)get_global_id(0) * run, last = min(first + run, (long)n_rows);
    SUMS_BEGIN
    for (long i = first; i < last; i++)
        for (int r = 0; r < BLOCK; r++) {
            to[(long)order[i] * BLOCK + r] = from[i * BLOCK + r];
            SUMS_ADD(from[i * BLOCK + r], i * BLOCK + r)
        }
    SUMS_END
}
