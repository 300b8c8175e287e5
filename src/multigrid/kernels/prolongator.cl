/* Prolongators, the smoothed ones in single. After row_threads.cl, for rows of some ten blocks.

   Compile-time parameters:
       HEIGHT    unknowns of a node
       WIDTH     unknowns of a node of the next level
       ROOTS     the matrix is not scaled: T and P are D^-1/2 times those of the scaled one, root = D^-1/2 */
#if ROOTS
#define ROOT_ARGUMENT , const global real *restrict root
#define ROOT(at) root[at]
#else
#define ROOT_ARGUMENT
#define ROOT(at) 1
#endif

/* The work-items of a row take entries of a block side by side. */
#define EACH_ENTRY(e) for (int e = LANE; e < HEIGHT * WIDTH; e += ROW_THREADS)

/* n_blocks[row] = 1 for nodes of an aggregate. */
kernel void count_members(const int n_rows, const global int *restrict aggregate, global int *restrict n_blocks)
{
    EACH_ROW (row, n_rows)
        n_blocks[row] = aggregate[row] >= 0;
}

kernel void fill_members(const int n_rows, const global int *restrict aggregate,
                         const global real *restrict nullspace, const global long *restrict start,
                         global int *restrict columns, global real *restrict values)
{
    EACH_OWN_ROW (row, n_rows) {
        if (aggregate[row] < 0)
            continue;
        if (LANE == 0)
            columns[start[row]] = aggregate[row];
        EACH_ENTRY (e)
            values[start[row] * (HEIGHT * WIDTH) + e] = nullspace[row * (HEIGHT * WIDTH) + e];
    }
}

/* In place, of A T with an A that lacks blocks: the own aggregate's block gives up what makes P of the coarse near-nullspace another
   one than the node's. nullspace: of the coarse nodes, upper triangles; 0 on the diagonal where an aggregate has not all of it. */
kernel void keep_nullspace(const int n_rows, const global long *restrict t_start, const global int *restrict t_columns,
                           const global real *restrict nullspace, const global long *restrict start,
                           const global int *restrict columns, global float *restrict values)
{
    EACH_OWN_ROW (row, n_rows) {
        if (t_start[row + 1] == t_start[row])
            continue;
        const int aggregate = t_columns[t_start[row]];
        const global real *const own = nullspace + (long)aggregate * (WIDTH * WIDTH);
        for (int h = LANE; h < HEIGHT; h += ROW_THREADS) {
            real sum[WIDTH], x[WIDTH];
            long place = start[row];
            for (int m = 0; m < WIDTH; m++)
                sum[m] = 0;
            for (long k = start[row]; k < start[row + 1]; k++) {
                const global real *const right = nullspace + (long)columns[k] * (WIDTH * WIDTH);
                place = columns[k] == aggregate ? k : place;
                for (int w = 0; w < WIDTH; w++)
                    for (int m = w; m < WIDTH; m++)
                        sum[m] += values[(k * HEIGHT + h) * WIDTH + w] * right[w * WIDTH + m];
            }
            for (int m = 0; m < WIDTH; m++) {
                real left = sum[m];
                for (int w = 0; w < m; w++)
                    left -= x[w] * own[w * WIDTH + m];
                x[m] = own[m * WIDTH + m] != 0 ? left / own[m * WIDTH + m] : 0;
                values[(place * HEIGHT + h) * WIDTH + m] -= (float)x[m];
            }
        }
    }
}

/* In place: P = T - omega (A T), whose pattern holds T's; of a matrix that is not scaled T - omega D^-1 (A T). P = T in rows of A with
   more than a_most blocks. */
kernel void subtract_product(const int n_rows, const real omega, const int a_most,
                             const global long *restrict a_start, const global long *restrict t_start,
                             const global int *restrict t_columns, const global real *restrict t_values,
                             const global long *restrict start, const global int *restrict columns,
                             global float *restrict values ROOT_ARGUMENT)
{
    EACH_OWN_ROW (row, n_rows) {
        const bool has = t_start[row + 1] > t_start[row];
        const real factor = a_start[row + 1] - a_start[row] > a_most ? (real)0 : omega;
        for (long k = start[row]; k < start[row + 1]; k++) {
            const bool own = has && t_columns[t_start[row]] == columns[k];
            EACH_ENTRY (e)
                values[k * (HEIGHT * WIDTH) + e] =
                    (float)((own ? t_values[t_start[row] * (HEIGHT * WIDTH) + e] : (real)0) -
                             factor * ROOT(row * HEIGHT + e / WIDTH) * ROOT(row * HEIGHT + e / WIDTH) *
                                 values[k * (HEIGHT * WIDTH) + e]);
        }
    }
}

/* In place: P L^-T of the scaled matrix. */
kernel void scale_prolongator(const int n_rows, const global long *restrict start, const global int *restrict columns,
                              const global real *restrict inverse, global float *restrict values ROOT_ARGUMENT)
{
    EACH_OWN_ROW (row, n_rows) {
        const long first = start[row];
        const int n = (int)(start[row + 1] - first) * HEIGHT;
        for (int i = LANE; i < n; i += ROW_THREADS) {
            global float *const p = values + (first * HEIGHT + i) * WIDTH;
            const global real *const right = inverse + (long)columns[first + i / HEIGHT] * (WIDTH * WIDTH);
            const real scale = ROOT(row * HEIGHT + i % HEIGHT);
#pragma unroll
            for (int w = WIDTH - 1; w >= 0; w--) { /* from behind, so that what is needed is still there */
                real sum = 0;
#pragma unroll
                for (int m = 0; m <= w; m++)
                    sum += p[m] * right[w * WIDTH + m];
                p[w] = (float)(sum / scale);
            }
        }
    }
}
