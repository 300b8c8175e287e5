/* The tentative prolongator's columns. After row_threads.cl, for aggregates.

   Compile-time parameters:
       HEIGHT    unknowns of a node
       WIDTH     columns of the near-nullspace, unknowns of a node of the next level
       ROOTS     the matrix is not scaled: T is D^-1/2 times that of the scaled one, root = D^-1/2 */
#if ROOTS
#define ROOT_ARGUMENT , const global real *restrict root
#define ROOT(at) root[at]
#else
#define ROOT_ARGUMENT
#define ROOT(at) 1
#endif
#ifdef REAL_F64
#define DEPENDENT 1e-8 /* a column is a combination of those before if no more is left of it */
#else
#define DEPENDENT 1e-5f
#endif

/* Entry i of an aggregate's first column, of column c c HEIGHT further: blocks stand transposed, WIDTH x HEIGHT. */
#define ENTRY(i) (modes + (i) / HEIGHT * (WIDTH * HEIGHT) + (i) % HEIGHT)

/* own[WIDTH]: the sums of what each work-item of a row has, in their order. All of them, whatever is needed: PoCL 3.1 makes wrong code
   of loops between barriers that end at a number of the caller's. */
INLINE void add_threads(real *own, local real *all)
{
#if ROW_THREADS > 1
    for (int c = 0; c < WIDTH; c++)
        all[c * ROW_THREADS + LANE] = own[c];
    SYNC();
    for (int c = LANE; c < WIDTH; c += ROW_THREADS) {
        real sum = all[c * ROW_THREADS];
        for (int item = 1; item < ROW_THREADS; item++)
            sum += all[c * ROW_THREADS + item];
        all[c * ROW_THREADS] = sum;
    }
    SYNC();
    for (int c = 0; c < WIDTH; c++)
        own[c] = all[c * ROW_THREADS];
    SYNC();
#endif
}

/* The near-nullspace on each aggregate = Q R: Q goes into the tentative prolongator, R is the near-nullspace of the next
   level. Gram and Schmidt (the classical one), twice. A column that depends on those before is 0 in Q and R. */
kernel void orthonormalise(const int n_aggregates, const global long *restrict member_start,
                           const global int *restrict members, global real *restrict all_modes,
                           const global long *restrict start, global real *restrict values,
                           global real *restrict coarse ROOT_ARGUMENT)
{
    local real all_sums[GROUP_ROWS * ROW_THREADS * WIDTH];
    local real *const sums = all_sums + ROW_IN_GROUP * (ROW_THREADS * WIDTH);
    EACH_GROUP_ROWS (first, n_aggregates) {
        const long aggregate = min(first + ROW_IN_GROUP, (long)n_aggregates - 1);
        const bool there = first + ROW_IN_GROUP < n_aggregates; /* else its work-items wait for the others */
        global real *const modes = all_modes + member_start[aggregate] * (HEIGHT * WIDTH);
        global real *const R = coarse + aggregate * (WIDTH * WIDTH);
        const int n_members = there ? (int)(member_start[aggregate + 1] - member_start[aggregate]) : 0;
        const int n = n_members * HEIGHT;
        for (int c = 0; c < WIDTH; c++) {
            real column[WIDTH], sum[WIDTH], square = 0;
            for (int d = 0; d < WIDTH; d++)
                sum[d] = 0;
            for (int i = LANE; i < n; i += ROW_THREADS) {
                const global real *const at = ENTRY(i);
                for (int d = 0; d <= c; d++)
                    sum[d] += at[d * HEIGHT] * at[c * HEIGHT];
            }
            add_threads(sum, sums);
            const real before = sum[c];
            for (int d = 0; d < WIDTH; d++) {
                column[d] = sum[d];
                sum[d] = 0;
            }
            for (int i = LANE; i < n; i += ROW_THREADS) {
                global real *const at = ENTRY(i);
                real entry = at[c * HEIGHT];
                for (int d = 0; d < c; d++)
                    entry -= column[d] * at[d * HEIGHT];
                for (int d = 0; d < c; d++)
                    sum[d] += at[d * HEIGHT] * entry;
                at[c * HEIGHT] = entry;
            }
            add_threads(sum, sums);
            for (int i = LANE; i < n; i += ROW_THREADS) {
                global real *const at = ENTRY(i);
                real entry = at[c * HEIGHT];
                for (int d = 0; d < c; d++)
                    entry -= sum[d] * at[d * HEIGHT];
                square += entry * entry;
                at[c * HEIGHT] = entry;
            }
            for (int d = 0; d < WIDTH; d++) {
                column[d] += sum[d];
                sum[d] = d == c ? square : 0;
            }
            add_threads(sum, sums);
            const bool independent = sqrt(sum[c]) > (real)DEPENDENT * sqrt(before);
            const real factor = independent ? 1 / sqrt(sum[c]) : 0;
            for (int i = LANE; i < n; i += ROW_THREADS)
                ENTRY(i)[c * HEIGHT] *= factor;
            if (there && LANE == 0)
                for (int d = 0; d < WIDTH; d++)
                    R[d * WIDTH + c] = d < c ? column[d] : d == c && independent ? sqrt(sum[c]) : 0;
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
