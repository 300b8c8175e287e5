/* The near-nullspace of the finest level, and its embedding. After row_runs.cl.

   Compile-time parameters:
       HEIGHT, WIDTH    unknowns of a node, columns
       WEIGHT           type of D^-1
       SLICE            the matrix's blocks stand in slices of so many rows, and are not scaled; 0: they are */

/* Whether row h of a node has more than a diagonal entry. */
inline bool is_tied(const long row, const int h, const global long *start, const global int *columns,
                    const global real *values SLICE_PARAMETER)
{
    bool tied = false;
    for (long k = start[row]; k < start[row + 1] && !tied; k++)
        for (int c = 0; c < HEIGHT; c++)
            tied = tied || (values[BLOCK_PLACE(row, k, HEIGHT * HEIGHT) + ENTRY_PLACE(h * HEIGHT + c)] != 0 && (columns[k] != row || c != h));
    return tied;
}

#if (HEIGHT == 2 && WIDTH == 3) || (HEIGHT == 3 && WIDTH == 6)
/* Translations, then the rotation about each axis (in a plane: the one), of nodes at x[n_nodes][HEIGHT]: about the middle, lengths
   as shares of the size. */
kernel void rigid_motions(const int n_nodes, const real middle_x, const real middle_y, const real middle_z,
                          const real size, const global real *restrict x, global real *restrict nullspace)
{
    const real middle[3] = {middle_x, middle_y, middle_z};
    EACH_ROW (node, n_nodes) {
        real at[HEIGHT];
        for (int c = 0; c < HEIGHT; c++)
            at[c] = (x[node * HEIGHT + c] - middle[c]) / size;
        global real *motions = nullspace + node * HEIGHT * WIDTH;
        for (int c = 0; c < HEIGHT; c++)
            for (int w = 0; w < HEIGHT; w++)
                motions[c * WIDTH + w] = c == w;
#if HEIGHT == 2
        motions[2] = -at[1];
        motions[WIDTH + 2] = at[0];
#else
        for (int c = 0; c < 3; c++) {
            const int next = (c + 1) % 3, after = (c + 2) % 3;
            motions[c * WIDTH + 3 + c] = 0;
            motions[c * WIDTH + 3 + next] = at[after];
            motions[c * WIDTH + 3 + after] = -at[next];
        }
#endif
    }
}
#endif

/* In place: near-nullspace of the scaled matrix, and 0 in rows that hold but a diagonal entry. weight: D^-1, of n scalars. */
kernel void scale_nullspace(const int n_rows, const long n, const global long *restrict start,
                            const global int *restrict columns, const global real *restrict values,
                            const global WEIGHT *restrict weight, global real *restrict nullspace SLICE_ARGUMENT)
{
    EACH_ROW (row, n_rows)
        for (int h = 0; h < HEIGHT; h++) {
            const long at = row * HEIGHT + h;
            const bool tied = is_tied(row, h, start, columns, values SLICE_VALUE);
            const real scale = at < n && tied ? 1 / sqrt((real)weight[at]) : 0;
            for (int w = 0; w < WIDTH; w++)
                nullspace[at * WIDTH + w] *= scale;
        }
}

/* ---- A first coarse level that is given ---- */

/* tied[row]: a bit for each row of a node that has more than a diagonal entry. */
kernel void find_tied(const int n_rows, const global long *restrict start, const global int *restrict columns,
                      const global real *restrict values, global uchar *restrict tied SLICE_ARGUMENT)
{
    EACH_ROW (row, n_rows) {
        uint bits = 0;
        for (int h = 0; h < HEIGHT; h++)
            bits |= is_tied(row, h, start, columns, values SLICE_VALUE) ? 1u << h : 0;
        tied[row] = (uchar)bits;
    }
}

/* n_blocks[row]: how many of nodes[n_rows][most] there are, before the first -1. Of prescribed nodes too, whose values are 0: the
   pattern is that of the space. */
kernel void count_coarse(const int n_rows, const int most, const global int *restrict nodes,
                         global int *restrict n_blocks)
{
    EACH_ROW (row, n_rows) {
        int n = 0;
        while (n < most && nodes[row * most + n] >= 0)
            n++;
        n_blocks[row] = n;
    }
}

/* Prolongator from `weights`, in each component that is tied at the node and at its coarse node; of the scaled matrix D^1/2 times them.
   weight: D^-1. */
#if SLICE
#define FROM_SCALED(at) 1
#else
#define FROM_SCALED(at) sqrt((real)weight[at])
#endif
kernel void fill_coarse(const int n_rows, const int most, const global int *restrict nodes,
                        const global int *restrict place, const global uchar *restrict tied,
                        const global float *restrict weights,
                        const global WEIGHT *restrict weight, const global long *restrict start,
                        global int *restrict columns, global float *restrict values)
{
    EACH_ROW (row, n_rows) {
        const long first = start[row];
        for (int k = 0; k < (int)(start[row + 1] - first); k++) {
            const int node = nodes[row * most + k];
            const uint bits = tied[row] & tied[place[node]];
            columns[first + k] = node;
            for (int e = 0; e < HEIGHT * HEIGHT; e++)
                values[(first + k) * (HEIGHT * HEIGHT) + e] = 0;
            for (int h = 0; h < HEIGHT; h++)
                if (bits >> h & 1)
                    values[((first + k) * HEIGHT + h) * HEIGHT + h] =
                        (float)(weights[row * most + k] / FROM_SCALED(row * HEIGHT + h));
        }
    }
}

/* The near-nullspace of the coarse level, which is not scaled yet, from that of the scaled matrix. */
kernel void coarse_nullspace(const int n_coarse, const long n, const global int *restrict place,
                             const global WEIGHT *restrict weight, const global real *restrict nullspace,
                             global real *restrict coarse)
{
    EACH_ROW (node, n_coarse)
        for (int h = 0; h < HEIGHT; h++) {
            const long at = (long)place[node] * HEIGHT + h;
            const real root = at < n ? sqrt((real)weight[at]) : 0;
            for (int w = 0; w < WIDTH; w++)
                coarse[(node * HEIGHT + h) * WIDTH + w] = root * nullspace[at * WIDTH + w];
        }
}

#if SLICE
/* D^-1/2, ones past the last of n. */
kernel void take_roots(const long room, const long n, const global WEIGHT *restrict weight, global real *restrict root)
{
    EACH_ROW (at, room)
        root[at] = at < n ? sqrt((real)weight[at]) : 1;
}
#endif
