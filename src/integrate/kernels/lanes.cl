/* Method "lanes": one element a vector lane. Element matrices and vectors of every cell, order and form.

   A work-group owns a set of WIDTH = LANES * LOCAL consecutive elements and takes further sets in turn. Each
   work-item computes LANES elements at once, in explicit vectors (CPUs) or one alone (GPUs): lane l of item t has
   element set * WIDTH + t * LANES + l, so that everything that belongs to one set stands interleaved by element.
   Three steps a set:
     1. tabulate: at each point the Jacobian, vol = det J w, and the derivatives in space of all shape functions, to
        scratch;
     2. for each ROWS rows i: their weights (form_weight) at all points, and their load;
     3. for each COLUMNS columns j: the sums over the points (form_accumulate) of all ROWS x COLUMNS blocks in
        registers, the blocks (form_finish), their store.
   A tile that hangs over the last row or column repeats that one and stores what is inside. For symmetric forms only
   the blocks j >= i are stored, and only tiles that hold some of them are computed.
   Where there are fewer sets than workers, several groups (dimension 1 of the launch) share a set: each tabulates for
   itself and takes its share of the rows.

   The short loops are unrolled by pragma: PoCL unrolls none by itself and then keeps their arrays in memory.

   After layout.cl and element.cl. Compile-time parameters: theirs, LOCAL (work-items a group), ROWS, COLUMNS. */

#define WIDTH (LANES * LOCAL)

/* Scratch of a work-item, in units of realv LOCAL apart. */
#define SCRATCH_VOL 0
#define SCRATCH_PSI (SCRATCH_VOL + N_QUAD)
#define SCRATCH_WEIGHT (SCRATCH_PSI + (FORM_DERIVATIVES ? N_SHAPE * N_QUAD * DIM : 0))
#define SCRATCH_VARYING (SCRATCH_WEIGHT + N_QUAD * ROWS * FORM_WEIGHTS)
#define SCRATCH_SIZE (SCRATCH_VARYING + N_QUAD * FORM_VARYING)
#define AT(k) scratch[(k) * LOCAL]
#define VOL(q) AT(SCRATCH_VOL + (q))
#define PSI(i, q, d) AT(SCRATCH_PSI + ((i) * N_QUAD + (q)) * DIM + (d))
#define WEIGHT(q, r, k) AT(SCRATCH_WEIGHT + ((q) * ROWS + (r)) * FORM_WEIGHTS + (k))
#define VARYING(q, k) AT(SCRATCH_VARYING + (q) * FORM_VARYING + (k))

/* Step 1: vol, the derivatives in space and the varying coefficients at all points. */
static void tabulate_sets(__global realv *restrict scratch, const inputs *in, __global const realv *restrict nodes,
                     __global const real *restrict weights, int e0)
{
    realv inverse[DIM][DIM], det;
#if AFFINE
    det = map_point(inverse, nodes, in->geo, 0);
#endif
    for (int q = 0; q < N_QUAD; q++) {
#if !AFFINE
        det = map_point(inverse, nodes, in->geo, q);
#endif
        VOL(q) = det * weights[q];
#if FORM_DERIVATIVES
        for (int i = 0; i < N_SHAPE; i++)
#pragma unroll
            for (int a = 0; a < DIM; a++) {
                realv sum = inverse[0][a] * TABLE(in->psi, N_SHAPE, q, 1, i);
#pragma unroll
                for (int b = 1; b < DIM; b++)
                    sum += inverse[b][a] * TABLE(in->psi, N_SHAPE, q, b + 1, i);
                PSI(i, q, a) = sum;
            }
#endif
#if FORM_VARYING
        realv cv[FORM_VARYING];
        point_coefficients(cv, in, nodes, inverse, e0, q);
#pragma unroll
        for (int k = 0; k < FORM_VARYING; k++)
            VARYING(q, k) = cv[k];
#endif
    }
}

/* psi_i and its derivatives at point q; of the last one where i is beyond it. */
static void get_shape(realv *p, __global const realv *restrict scratch, __global const real *restrict psi, int i, int q)
{
    const int inside = min(i, N_SHAPE - 1);
    p[0] = TABLE(psi, N_SHAPE, q, 0, inside);
#if FORM_DERIVATIVES
#pragma unroll
    for (int d = 0; d < DIM; d++)
        p[d + 1] = PSI(inside, q, d);
#endif
}

/* Step 2: the weights of rows i..i + ROWS - 1 at all points, and their load into b. */
static void weigh_rows(__global realv *restrict scratch, __global const real *restrict psi, const realv *cc,
                       realv (*b)[N_E], int i)
{
    realv p[DIM + 1], w[FORM_WEIGHTS], cv[ATLEAST1(FORM_VARYING)];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < N_E; k++)
            b[r][k] = 0;
    for (int q = 0; q < N_QUAD; q++) {
        const realv vol = VOL(q);
#if FORM_VARYING
#pragma unroll
        for (int k = 0; k < FORM_VARYING; k++)
            cv[k] = VARYING(q, k);
#endif
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            get_shape(p, scratch, psi, i + r, q);
            form_weight(w, cc, cv, vol, p);
#pragma unroll
            for (int k = 0; k < FORM_WEIGHTS; k++)
                WEIGHT(q, r, k) = w[k];
#if FORM_LOAD
            form_load(b[r], cc, cv, vol, p);
#endif
        }
    }
}

/* Step 3, the sums of blocks (i..i + ROWS - 1, j..j + COLUMNS - 1), from the weights of the rows. */
static void sum_tile(realv (*sum)[COLUMNS][FORM_SUMS], __global const realv *restrict scratch,
                     __global const real *restrict psi, int j)
{
    realv w[ROWS][FORM_WEIGHTS], p[COLUMNS][DIM + 1];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
            for (int k = 0; k < FORM_SUMS; k++)
                sum[r][c][k] = 0;
    for (int q = 0; q < N_QUAD; q++) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < FORM_WEIGHTS; k++)
                w[r][k] = WEIGHT(q, r, k);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            get_shape(p[c], scratch, psi, j + c, q);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                form_accumulate(sum[r][c], w[r], p[c]);
    }
}

/* Step 3, the blocks of a tile that are inside the matrix, and in its upper half where only that is kept. */
static void store_tile(__global realv *restrict matrix, const realv (*sum)[COLUMNS][FORM_SUMS], const realv *cc, int i,
                       int j)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            if (i + r < N_SHAPE && j + c < N_SHAPE && j + c >= (SYMMETRIC ? i + r : 0)) {
                realv block[ENTRIES];
                form_finish(block, sum[r][c], cc);
#pragma unroll
                for (int k = 0; k < ENTRIES; k++)
                    matrix[ENTRY_AT(PAIR(i + r, j + c), k) * LOCAL] = block[k];
            }
}

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    const int item = get_local_id(0);
    const int n_sets = (count + WIDTH - 1) / WIDTH;
    const inputs in = INPUTS;
    __global realv *restrict scratch =
        all_scratch + ((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * SCRATCH_SIZE * LOCAL + item;

    const int worker = get_group_id(0), end = END_OF_SETS(worker, n_sets);
    for (int set = FIRST_SET(worker, n_sets); set < end; set += SET_STEP) {
        const int e0 = first + set * WIDTH + item * LANES;
        __global const realv *nodes = geometry + (long)(first / WIDTH + set) * (N_GEO * DIM) * LOCAL + item;
        __global realv *matrix = matrices + (long)set * MATRIX_ENTRIES * LOCAL + item;
        realv cc[ATLEAST1(FORM_CONSTANTS)], b[ROWS][N_E], sum[ROWS][COLUMNS][FORM_SUMS];

        tabulate_sets(scratch, &in, nodes, weights, e0);
        element_constants(cc, &in, e0);
        for (int i = get_group_id(1) * ROWS; i < N_SHAPE; i += get_num_groups(1) * ROWS) {
            weigh_rows(scratch, psi, cc, b, i);
#if FORM_LOAD
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int k = 0; k < N_E; k++)
                    if (i + r < N_SHAPE)
                        vectors[((long)set * (N_SHAPE * N_E) + (i + r) * N_E + k) * LOCAL + item] = b[r][k];
#endif
            for (int j = SYMMETRIC ? i : 0; j < N_SHAPE; j += COLUMNS) {
                sum_tile(sum, scratch, psi, j);
                store_tile(matrix, sum, cc, i, j);
            }
        }
    }
}
