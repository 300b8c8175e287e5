/* Vectors of the finest level into the system that is scaled by its diagonal blocks, and back. After row_runs.cl.

   Compile-time parameters:
       HEIGHT        unknowns of a node
       TRANSPOSED    by S^T; else by S, lower triangles of which factor[] has the rows in turn
       RAGGED        the last node has fewer unknowns */
#if RAGGED
#define IS_THERE(at) ((at) < n)
#else
#define IS_THERE(at) true /* so that compilers take several nodes at a time */
#endif

/* x = S x or S^T x in place, of n scalars. */
kernel void scale_nodes(const int n_rows, const long n, const global float *restrict factor, global real *restrict x)
{
    EACH_ROW (row, n_rows) {
        const global float *const triangle = factor + row * (HEIGHT * (HEIGHT + 1) / 2);
        real of_node[HEIGHT], scaled[HEIGHT];
#pragma unroll
        for (int i = 0; i < HEIGHT; i++) {
            of_node[i] = IS_THERE(row * HEIGHT + i) ? x[row * HEIGHT + i] : (real)0;
            scaled[i] = 0;
        }
#pragma unroll
        for (int i = 0; i < HEIGHT; i++)
#pragma unroll
            for (int j = 0; j <= i; j++)
                scaled[TRANSPOSED ? j : i] += (real)triangle[i * (i + 1) / 2 + j] * of_node[TRANSPOSED ? i : j];
#pragma unroll
        for (int i = 0; i < HEIGHT; i++)
            if (IS_THERE(row * HEIGHT + i))
                x[row * HEIGHT + i] = scaled[i];
    }
}
