/* A level's matrix, scaled to ones in its diagonal blocks. After row_threads.cl.

   Compile-time parameters:
       WIDTH     unknowns of a node
       MODES     columns of the near-nullspace
       SLICE     of the finest level: its blocks stand in slices of so many rows, and are not scaled */
#ifdef REAL_F64
#define SINGULAR 1e-14 /* a pivot beside its diagonal entry */
#else
#define SINGULAR 1e-5f
#endif

/* L^-1 of the block L L^T, and L in the block's place, with 1 / L_ii on its diagonal. Where a pivot is lost the row is scaled by its
   diagonal entry alone; one without stiffness by 1. */
inline void factor_block(real *L, real *inverted)
{
    for (int i = 0; i < WIDTH; i++) {
        const real entry = L[i * WIDTH + i];
        real pivot = entry;
        for (int j = 0; j < i; j++) {
            real sum = L[i * WIDTH + j];
            for (int k = 0; k < j; k++)
                sum -= L[i * WIDTH + k] * L[j * WIDTH + k];
            L[i * WIDTH + j] = sum * L[j * WIDTH + j];
            pivot -= L[i * WIDTH + j] * L[i * WIDTH + j];
        }
        const bool lost = !(pivot > (real)SINGULAR * entry);
        for (int j = 0; j < i && lost; j++)
            L[i * WIDTH + j] = 0;
        L[i * WIDTH + i] = 1 / (!lost ? sqrt(pivot) : entry > 0 ? sqrt(entry) : (real)1);
    }
    for (int c = 0; c < WIDTH; c++)
        for (int i = 0; i < WIDTH; i++) {
            real sum = i == c;
            for (int k = c; k < i; k++)
                sum -= L[i * WIDTH + k] * inverted[k * WIDTH + c];
            inverted[i * WIDTH + c] = i < c ? (real)0 : sum * L[i * WIDTH + i];
        }
}

#if SLICE
/* factor[row]: the rows of L^-1 in turn, for the diagonal block L L^T of the scaled matrix. root: D^-1/2. */
kernel void factor_nodes(const int n_rows, const global long *restrict start, const global int *restrict columns,
                         const global real *restrict values, const global real *restrict root,
                         global float *restrict factor SLICE_ARGUMENT)
{
    EACH_ROW (row, n_rows) {
        real L[WIDTH * WIDTH], inverted[WIDTH * WIDTH];
        long k = start[row];
        while (k < start[row + 1] && columns[k] != row)
            k++;
        for (int e = 0; e < WIDTH * WIDTH; e++)
            L[e] = k < start[row + 1] ? values[BLOCK_PLACE(row, k, WIDTH * WIDTH) + ENTRY_PLACE(e)] *
                                            root[row * WIDTH + e / WIDTH] * root[row * WIDTH + e % WIDTH]
                                      : (real)0;
        factor_block(L, inverted);
        for (int i = 0, at = 0; i < WIDTH; i++)
            for (int j = 0; j <= i; j++, at++)
                factor[row * (WIDTH * (WIDTH + 1) / 2) + at] = (float)inverted[i * WIDTH + j];
    }
}
#else
/* inverse[row] = L^-1 for the diagonal block L L^T, and the near-nullspace times L^T. */
kernel void factor_diagonal(const int n_rows, const global long *restrict start, const global int *restrict columns,
                            const global real *restrict values, global real *restrict inverse,
                            global real *restrict nullspace)
{
    EACH_ROW (row, n_rows) {
        real L[WIDTH * WIDTH], inverted[WIDTH * WIDTH];
        for (int e = 0; e < WIDTH * WIDTH; e++)
            L[e] = 0;
        for (long k = start[row]; k < start[row + 1]; k++)
            for (int e = 0; e < WIDTH * WIDTH && columns[k] == row; e++)
                L[e] = values[k * (WIDTH * WIDTH) + e];
        factor_block(L, inverted);
        for (int w = 0; w < MODES; w++) /* from above, so that what is needed is still there */
            for (int i = 0; i < WIDTH; i++) {
                real sum = 0;
                for (int k = i + 1; k < WIDTH; k++)
                    sum += L[k * WIDTH + i] * nullspace[(row * WIDTH + k) * MODES + w];
                nullspace[(row * WIDTH + i) * MODES + w] = sum + nullspace[(row * WIDTH + i) * MODES + w] / L[i * WIDTH + i];
            }
        for (int e = 0; e < WIDTH * WIDTH; e++)
            inverse[row * (WIDTH * WIDTH) + e] = inverted[e];
    }
}

/* In place: each block times the factors of its row and its column; ones on the diagonal where there is no stiffness. */
kernel void scale_blocks(const int n_rows, const global long *restrict start, const global int *restrict columns,
                         const global real *restrict inverse, global real *restrict values)
{
    EACH_OWN_ROW (row, n_rows)
        for (long k = start[row] + LANE; k < start[row + 1]; k += ROW_THREADS) {
            global real *const block = values + k * (WIDTH * WIDTH);
            const global real *const left = inverse + row * (WIDTH * WIDTH);
            const global real *const right = inverse + (long)columns[k] * (WIDTH * WIDTH);
            for (int i = WIDTH - 1; i >= 0; i--) { /* from below, so that the rows that are needed are still there */
                real half_way[WIDTH];
#pragma unroll
                for (int j = 0; j < WIDTH; j++)
                    half_way[j] = 0;
                for (int m = 0; m <= i; m++)
#pragma unroll
                    for (int j = 0; j < WIDTH; j++)
                        half_way[j] += left[i * WIDTH + m] * block[m * WIDTH + j];
#pragma unroll
                for (int j = 0; j < WIDTH; j++) {
                    real sum = 0;
#pragma unroll
                    for (int m = 0; m <= j; m++)
                        sum += half_way[m] * right[j * WIDTH + m];
                    block[i * WIDTH + j] = columns[k] == row && i == j && sum == 0 ? 1 : sum;
                }
            }
        }
}
#endif
