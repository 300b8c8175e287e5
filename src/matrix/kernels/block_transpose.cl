/* Values of transposed block compressed rows, whose columns are there. After row_runs.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    of the blocks before */

kernel void turn_blocks(const long n_blocks, const global int *restrict slot, const global real *restrict values,
                        global real *restrict turned)
{
    EACH_ROW (k, n_blocks) {
        const global real *const block = values + (long)slot[k] * (HEIGHT * WIDTH);
        for (int h = 0; h < HEIGHT; h++)
            for (int w = 0; w < WIDTH; w++)
                turned[k * (HEIGHT * WIDTH) + w * HEIGHT + h] = block[h * WIDTH + w];
    }
}
