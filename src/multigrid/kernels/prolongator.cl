/* Prolongators, the smoothed ones in single, and what is scaled with them. After row_threads.cl, for rows of some ten blocks.

   Compile-time parameters:
       HEIGHT    unknowns of a node
       WIDTH     unknowns of a node of the next level
       MODES     columns of the near-nullspace, the WIDTH of tentative prolongators
       ROOTS     the matrix is not scaled: T and P are D^-1/2 times those of the scaled one, root = D^-1/2 */
#if ROOTS
#define ROOT_ARGUMENT , const global real *restrict root
#define ROOT(at) root[at]
#else
#define ROOT_ARGUMENT
#define ROOT(at) 1
#endif
#ifdef REAL_F64
#define DEPENDENT 1e-8 /* a column is a combination of those before if no more is left of it */
#define SINGULAR 1e-12 /* a pivot beside its diagonal entry */
#else
#define DEPENDENT 1e-3f
#define SINGULAR 1e-5f
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

/* Entry i of column c of the near-nullspace on an aggregate; its blocks stand transposed, WIDTH x HEIGHT. */
#define ENTRY(c, i) modes[((i) / HEIGHT * WIDTH + (c)) * HEIGHT + (i) % HEIGHT]

/* The sum of what each work-item of a row has, in their order. */
INLINE real add_threads(const real own, local real *sums)
{
    sums[LANE] = own;
    SYNC();
    real sum = sums[0];
    for (int item = 1; item < ROW_THREADS; item++)
        sum += sums[item];
    SYNC();
    return sum;
}

/* The near-nullspace on each aggregate = Q R: Q goes into the tentative prolongator, R is the near-nullspace of the next
   level. Gram and Schmidt (the classical one), twice. A column that depends on those before is 0 in Q and R. */
kernel void orthonormalise(const int n_aggregates, const global long *restrict member_start,
                           const global int *restrict members, global real *restrict all_modes,
                           const global long *restrict start, global real *restrict values,
                           global real *restrict coarse ROOT_ARGUMENT)
{
    local real all_sums[GROUP_ROWS * ROW_THREADS];
    local real *const sums = all_sums + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_aggregates) {
        const long aggregate = min(first + ROW_IN_GROUP, (long)n_aggregates - 1);
        const bool there = first + ROW_IN_GROUP < n_aggregates; /* else its work-items wait for the others */
        global real *const modes = all_modes + member_start[aggregate] * (HEIGHT * WIDTH);
        global real *const R = coarse + aggregate * (WIDTH * WIDTH);
        const int n_members = there ? (int)(member_start[aggregate + 1] - member_start[aggregate]) : 0;
        const int n = n_members * HEIGHT;
        for (int c = 0; c < WIDTH; c++) {
            real column[WIDTH], square = 0;
            for (int d = 0; d < WIDTH; d++)
                column[d] = 0;
            for (int i = LANE; i < n; i += ROW_THREADS)
                square += ENTRY(c, i) * ENTRY(c, i);
            const real before = add_threads(square, sums);
            for (int twice = 0; twice < 2; twice++) {
                real dots[WIDTH];
                for (int d = 0; d < c; d++)
                    dots[d] = 0;
                for (int i = LANE; i < n; i += ROW_THREADS)
                    for (int d = 0; d < c; d++)
                        dots[d] += ENTRY(d, i) * ENTRY(c, i);
                for (int d = 0; d < c; d++) {
                    dots[d] = add_threads(dots[d], sums);
                    column[d] += dots[d];
                }
                for (int i = LANE; i < n; i += ROW_THREADS) {
                    real entry = ENTRY(c, i);
                    for (int d = 0; d < c; d++)
                        entry -= dots[d] * ENTRY(d, i);
                    ENTRY(c, i) = entry;
                }
            }
            square = 0;
            for (int i = LANE; i < n; i += ROW_THREADS)
                square += ENTRY(c, i) * ENTRY(c, i);
            const real left = add_threads(square, sums);
            const bool independent = sqrt(left) > (real)DEPENDENT * sqrt(before);
            column[c] = independent ? sqrt(left) : 0;
            const real factor = independent ? 1 / sqrt(left) : 0;
            for (int i = LANE; i < n; i += ROW_THREADS)
                ENTRY(c, i) *= factor;
            if (there && LANE == 0)
                for (int d = 0; d < WIDTH; d++)
                    R[d * WIDTH + c] = column[d];
        }
        SYNC();
        for (int m = LANE; m < n_members; m += ROW_THREADS) {
            const long node = members[member_start[aggregate] + m];
            for (int h = 0; h < HEIGHT; h++)
                for (int w = 0; w < WIDTH; w++)
                    values[(start[node] * HEIGHT + h) * WIDTH + w] =
                        modes[(m * WIDTH + w) * HEIGHT + h] * ROOT(node * HEIGHT + h);
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

/* ---- Diagonal blocks of the next level, WIDTH x WIDTH ---- */

/* inverse[row] = L^-1 for the diagonal block L L^T, and the near-nullspace times L^T. Where a pivot is lost the row is scaled
   by its diagonal entry alone; one without stiffness by 1. */
kernel void factor_diagonal(const int n_rows, const global long *restrict start, const global int *restrict columns,
                            const global real *restrict values, global real *restrict inverse,
                            global real *restrict nullspace)
{
    EACH_ROW (row, n_rows) {
        real L[WIDTH * WIDTH], inverted[WIDTH * WIDTH];
        for (int e = 0; e < WIDTH * WIDTH; e++)
            L[e] = inverted[e] = 0;
        for (long k = start[row]; k < start[row + 1]; k++)
            for (int e = 0; e < WIDTH * WIDTH && columns[k] == row; e++)
                L[e] = values[k * (WIDTH * WIDTH) + e];
        for (int i = 0; i < WIDTH; i++) {
            const real entry = L[i * WIDTH + i];
            for (int j = 0; j < i; j++) {
                real sum = L[i * WIDTH + j];
                for (int k = 0; k < j; k++)
                    sum -= L[i * WIDTH + k] * L[j * WIDTH + k];
                L[i * WIDTH + j] = sum / L[j * WIDTH + j];
            }
            real pivot = entry;
            for (int j = 0; j < i; j++)
                pivot -= L[i * WIDTH + j] * L[i * WIDTH + j];
            const bool lost = !(pivot > (real)SINGULAR * entry);
            for (int j = 0; j < i && lost; j++)
                L[i * WIDTH + j] = 0;
            L[i * WIDTH + i] = !lost ? sqrt(pivot) : entry > 0 ? sqrt(entry) : (real)1;
        }
        for (int c = 0; c < WIDTH; c++)
            for (int i = c; i < WIDTH; i++) {
                real sum = i == c;
                for (int k = c; k < i; k++)
                    sum -= L[i * WIDTH + k] * inverted[k * WIDTH + c];
                inverted[i * WIDTH + c] = sum / L[i * WIDTH + i];
            }
        for (int w = 0; w < MODES; w++) /* from above, so that what is needed is still there */
            for (int i = 0; i < WIDTH; i++) {
                real sum = 0;
                for (int k = i; k < WIDTH; k++)
                    sum += L[k * WIDTH + i] * nullspace[(row * WIDTH + k) * MODES + w];
                nullspace[(row * WIDTH + i) * MODES + w] = sum;
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
            real half_way[WIDTH * WIDTH];
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
#pragma unroll
                for (int j = 0; j < WIDTH; j++) {
                    real sum = 0;
#pragma unroll
                    for (int m = 0; m <= i; m++)
                        sum += left[i * WIDTH + m] * block[m * WIDTH + j];
                    half_way[i * WIDTH + j] = sum;
                }
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
#pragma unroll
                for (int j = 0; j < WIDTH; j++) {
                    real sum = 0;
#pragma unroll
                    for (int m = 0; m <= j; m++)
                        sum += half_way[i * WIDTH + m] * right[j * WIDTH + m];
                    block[i * WIDTH + j] = columns[k] == row && i == j && sum == 0 ? 1 : sum;
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
