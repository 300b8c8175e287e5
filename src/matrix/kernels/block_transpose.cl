/* Values of transposed block compressed rows. After row_threads.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    of the blocks before
       TABLE_LOCAL      0 */

kernel void turn_blocks(const long n_blocks, const global int *restrict slot, const global real *restrict values,
                        global real *restrict turned)
{
    EACH_GROUP_ROWS (first, n_blocks) {
        const long k = first + ROW_IN_GROUP;
        if (k < n_blocks)
#pragma unroll
            for (int e = LANE; e < HEIGHT * WIDTH; e += ROW_THREADS)
                turned[k * (HEIGHT * WIDTH) + e] =
                    values[(long)slot[k] * (HEIGHT * WIDTH) + e % HEIGHT * WIDTH + e / HEIGHT];
    }
}
