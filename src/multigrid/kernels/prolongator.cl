/* Prolongators, the smoothed ones in single. After row_threads.cl, for rows of some ten blocks.

   Compile-time parameters:
       HEIGHT    unknowns of a node
       WIDTH     unknowns of a node of the next level
       ROOTS     the matrix is not scaled: T and P are D^-1/2 times those of the scaled one, root = D^-1/2
       FACTORS   and its level is to be scaled by S besides, lower triangles of which factor[] has the rows in turn: then T and P are
                 D^-1/2 S^T times those of the scaled one */
#if ROOTS
#define ROOT_ARGUMENT , const global real *restrict root
#define ROOT_VALUE , root
#define ROOT(at) root[at]
#else
#define ROOT_ARGUMENT
#define ROOT_VALUE
#define ROOT(at) 1
#endif

#if FACTORS
#define FACTOR_ARGUMENT , const global float *restrict factor
#define FACTOR_VALUE , factor
#define FACTOR(i, j) (real)triangle[(i) * ((i) + 1) / 2 + (j)]
#else
#define FACTOR_ARGUMENT
#define FACTOR_VALUE
#endif

/* Of a node: the inverse of its diagonal block, or of the block's diagonal; D^-1/2 S^T S D^-1/2. */
INLINE void invert_block(const long row, real *inverse ROOT_ARGUMENT FACTOR_ARGUMENT)
{
#if FACTORS
    const global float *const triangle = factor + row * (HEIGHT * (HEIGHT + 1) / 2);
#endif
#pragma unroll
    for (int e = 0; e < HEIGHT * HEIGHT; e++) {
        const int i = e / HEIGHT, j = e % HEIGHT;
        real sum = i == j;
#if FACTORS
        sum = 0;
#pragma unroll
        for (int k = max(i, j); k < HEIGHT; k++)
            sum += FACTOR(k, i) * FACTOR(k, j);
#endif
        inverse[e] = ROOT(row * HEIGHT + i) * ROOT(row * HEIGHT + j) * sum;
    }
}

/* What takes P of a matrix that is not scaled to P of the scaled one: S^-T D^1/2. */
INLINE void find_scaling(const long row, real *scaling ROOT_ARGUMENT FACTOR_ARGUMENT)
{
#if FACTORS
    const global float *const triangle = factor + row * (HEIGHT * (HEIGHT + 1) / 2);
#endif
#pragma unroll
    for (int e = 0; e < HEIGHT * HEIGHT; e++)
        scaling[e] = e % (HEIGHT + 1) == 0;
#if FACTORS
#pragma unroll
    for (int i = HEIGHT - 1; i >= 0; i--) /* from below: S^T is an upper triangle */
#pragma unroll
        for (int j = i; j < HEIGHT; j++) {
            real sum = i == j;
#pragma unroll
            for (int k = i + 1; k <= j; k++)
                sum -= FACTOR(k, i) * scaling[k * HEIGHT + j];
            scaling[i * HEIGHT + j] = sum / FACTOR(i, i);
        }
#endif
#pragma unroll
    for (int e = 0; e < HEIGHT * HEIGHT; e++)
        scaling[e] /= ROOT(row * HEIGHT + e % HEIGHT);
}

/* The work-items of a row take entries of a block, or columns, side by side. */
#define EACH_ENTRY(e) for (int e = LANE; e < HEIGHT * WIDTH; e += ROW_THREADS)
#define EACH_COLUMN(w) for (int w = LANE; w < WIDTH; w += ROW_THREADS)

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

/* In place: P = T - omega (A T), whose pattern holds T's; of a matrix that is not scaled T - omega D^-1 (A T), or with the inverse of its
   diagonal blocks in the place of D^-1. P = T in rows of A with more than a_most blocks. */
kernel void subtract_product(const int n_rows, const real omega, const int a_most,
                             const global long *restrict a_start, const global long *restrict t_start,
                             const global int *restrict t_columns, const global real *restrict t_values,
                             const global long *restrict start, const global int *restrict columns,
                             global float *restrict values ROOT_ARGUMENT FACTOR_ARGUMENT)
{
    EACH_OWN_ROW (row, n_rows) {
        const bool has = t_start[row + 1] > t_start[row];
        const real share = a_start[row + 1] - a_start[row] > a_most ? (real)0 : omega;
        const global real *const t = t_values + (has ? t_start[row] * (HEIGHT * WIDTH) : 0);
        real inverse[HEIGHT * HEIGHT];
        invert_block(row, inverse ROOT_VALUE FACTOR_VALUE);
        for (long k = start[row]; k < start[row + 1]; k++) {
            const bool own = has && t_columns[t_start[row]] == columns[k];
            global float *const block = values + k * (HEIGHT * WIDTH);
            EACH_COLUMN (w) {
                real of_block[HEIGHT];
#pragma unroll
                for (int h = 0; h < HEIGHT; h++)
                    of_block[h] = block[h * WIDTH + w];
#pragma unroll
                for (int h = 0; h < HEIGHT; h++) {
                    real sum = 0;
#pragma unroll
                    for (int j = 0; j < HEIGHT; j++)
                        sum += inverse[h * HEIGHT + j] * of_block[j];
                    block[h * WIDTH + w] = (float)((own ? t[h * WIDTH + w] : (real)0) - share * sum);
                }
            }
        }
    }
}

/* In place: S^-T P L^-T of the scaled matrix. */
kernel void scale_prolongator(const int n_rows, const global long *restrict start, const global int *restrict columns,
                              const global real *restrict inverse,
                              global float *restrict values ROOT_ARGUMENT FACTOR_ARGUMENT)
{
    EACH_OWN_ROW (row, n_rows) {
        real left[HEIGHT * HEIGHT];
        find_scaling(row, left ROOT_VALUE FACTOR_VALUE);
        for (long k = start[row] + LANE; k < start[row + 1]; k += ROW_THREADS) {
            global float *const p = values + k * (HEIGHT * WIDTH);
            const global real *const right = inverse + (long)columns[k] * (WIDTH * WIDTH);
            real turned[HEIGHT * WIDTH];
#pragma unroll
            for (int h = 0; h < HEIGHT; h++)
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    real sum = 0;
#pragma unroll
                    for (int m = 0; m <= w; m++)
                        sum += p[h * WIDTH + m] * right[w * WIDTH + m];
                    turned[h * WIDTH + w] = sum;
                }
#pragma unroll
            for (int h = 0; h < HEIGHT; h++)
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    real sum = 0;
#pragma unroll
                    for (int j = h; j < HEIGHT; j++)
                        sum += left[h * HEIGHT + j] * turned[j * WIDTH + w];
                    p[h * WIDTH + w] = (float)sum;
                }
        }
    }
}
