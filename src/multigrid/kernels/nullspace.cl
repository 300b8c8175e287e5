/* The near-nullspace of the finest level. After row_runs.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    unknowns of a node, columns
       WEIGHT           type of D^-1 */

/* In place: near-nullspace of the scaled matrix, and 0 in rows that hold but a diagonal entry. weight: D^-1, of n scalars. */
kernel void scale_nullspace(const int n_rows, const long n, const global long *restrict start,
                            const global int *restrict columns, const global real *restrict values,
                            const global WEIGHT *restrict weight, global real *restrict nullspace)
{
    EACH_ROW (row, n_rows)
        for (int h = 0; h < HEIGHT; h++) {
            const long at = row * HEIGHT + h;
            bool tied = false;
            for (long k = start[row]; k < start[row + 1]; k++)
                for (int c = 0; c < HEIGHT; c++)
                    tied = tied ||
                           (values[(k * HEIGHT + h) * HEIGHT + c] != 0 && (columns[k] != row || c != h));
            const real scale = at < n && tied ? 1 / sqrt((real)weight[at]) : 0;
            for (int w = 0; w < WIDTH; w++)
                nullspace[at * WIDTH + w] *= scale;
        }
}
