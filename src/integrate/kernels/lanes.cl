/* Method "lanes": one element a vector lane. Element matrices and vectors of every cell, order and form.

   A work-group owns a set of WIDTH = LANES * LOCAL consecutive elements and takes further sets in turn. Each
   work-item computes LANES elements at once, in explicit vectors (CPUs) or one alone (GPUs): lane l of item t has
   element set * WIDTH + t * LANES + l, so that everything that belongs to one set stands interleaved by element.
   Three steps a set:
     1. tabulate: at each point the Jacobian, vol = det J w, and the derivatives in space of all shape functions, to
        scratch;
     2. for each i: the weights of row i (form_weight) at all points, and the load;
     3. for each j: the sums over the points (form_accumulate), the block (form_finish), its store.
   Where there are fewer sets than workers, several groups (dimension 1 of the launch) share a set: each tabulates for
   itself and takes its share of the rows. For symmetric forms only the blocks j >= i are computed and stored.

   After layout.cl and element.cl. Compile-time parameters: theirs, LOCAL (work-items a group). */

#define WIDTH (LANES * LOCAL)

/* Scratch of a work-item, in units of realv LOCAL apart. */
#define SCRATCH_VOL 0
#define SCRATCH_PSI (SCRATCH_VOL + N_QUAD)
#define SCRATCH_WEIGHT (SCRATCH_PSI + (FORM_DERIVATIVES ? N_SHAPE * N_QUAD * DIM : 0))
#define SCRATCH_VARYING (SCRATCH_WEIGHT + N_QUAD * FORM_WEIGHTS)
#define SCRATCH_SIZE (SCRATCH_VARYING + N_QUAD * FORM_VARYING)
#define AT(k) scratch[(k) * LOCAL]
#define VOL(q) AT(SCRATCH_VOL + (q))
#define PSI(i, q, d) AT(SCRATCH_PSI + ((i) * N_QUAD + (q)) * DIM + (d))
#define WEIGHT(q, k) AT(SCRATCH_WEIGHT + (q) * FORM_WEIGHTS + (k))
#define VARYING(q, k) AT(SCRATCH_VARYING + (q) * FORM_VARYING + (k))

/* Step 1: vol, the derivatives in space and the varying coefficients at all points. */
static void tabulate(__global realv *restrict scratch, const inputs *in, __global const realv *restrict nodes,
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
            for (int a = 0; a < DIM; a++) {
                realv sum = inverse[0][a] * TABLE(in->psi, N_SHAPE, q, 1, i);
                for (int b = 1; b < DIM; b++)
                    sum += inverse[b][a] * TABLE(in->psi, N_SHAPE, q, b + 1, i);
                PSI(i, q, a) = sum;
            }
#endif
#if FORM_VARYING
        realv cv[FORM_VARYING];
        point_coefficients(cv, in, nodes, inverse, e0, q);
        for (int k = 0; k < FORM_VARYING; k++)
            VARYING(q, k) = cv[k];
#endif
    }
}

/* psi_i and its derivatives at point q. */
static void shape(realv *p, __global const realv *restrict scratch, __global const real *restrict psi, int i, int q)
{
    p[0] = TABLE(psi, N_SHAPE, q, 0, i);
#if FORM_DERIVATIVES
    for (int d = 0; d < DIM; d++)
        p[d + 1] = PSI(i, q, d);
#endif
}

/* Step 2: the weights of row i at all points, and the load of row i into b. */
static void weigh_row(__global realv *restrict scratch, __global const real *restrict psi, const realv *cc, realv *b,
                      int i)
{
    realv p[DIM + 1], w[FORM_WEIGHTS], cv[ATLEAST1(FORM_VARYING)];
    for (int k = 0; k < N_E; k++)
        b[k] = 0;
    for (int q = 0; q < N_QUAD; q++) {
        const realv vol = VOL(q);
#if FORM_VARYING
        for (int k = 0; k < FORM_VARYING; k++)
            cv[k] = VARYING(q, k);
#endif
        shape(p, scratch, psi, i, q);
        form_weight(w, cc, cv, vol, p);
        for (int k = 0; k < FORM_WEIGHTS; k++)
            WEIGHT(q, k) = w[k];
#if FORM_LOAD
        form_load(b, cc, cv, vol, p);
#endif
    }
}

/* Step 3: block (i, j), from the weights of row i. */
static void integrate_block(__global const realv *restrict scratch, __global const real *restrict psi, const realv *cc,
                            int j, __global realv *restrict block_at)
{
    realv p[DIM + 1], w[FORM_WEIGHTS], sum[FORM_SUMS], block[ENTRIES];
    for (int k = 0; k < FORM_SUMS; k++)
        sum[k] = 0;
    for (int q = 0; q < N_QUAD; q++) {
        for (int k = 0; k < FORM_WEIGHTS; k++)
            w[k] = WEIGHT(q, k);
        shape(p, scratch, psi, j, q);
        form_accumulate(sum, w, p);
    }
    form_finish(block, sum, cc);
    for (int k = 0; k < ENTRIES; k++)
        block_at[k * (ENTRY_STRIDE * LOCAL)] = block[k];
}

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    const int item = get_local_id(0);
    const int n_sets = (count + WIDTH - 1) / WIDTH;
    const inputs in = INPUTS;
    __global realv *restrict scratch =
        all_scratch + ((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * SCRATCH_SIZE * LOCAL + item;

    for (int set = get_group_id(0); set < n_sets; set += get_num_groups(0)) {
        const int e0 = first + set * WIDTH + item * LANES;
        __global const realv *nodes = geometry + (long)(first / WIDTH + set) * (N_GEO * DIM) * LOCAL + item;
        __global realv *matrix = matrices + (long)set * MATRIX_ENTRIES * LOCAL + item;
        realv cc[ATLEAST1(FORM_CONSTANTS)], b[N_E];

        tabulate(scratch, &in, nodes, weights, e0);
        element_constants(cc, &in, e0);
        for (int i = get_group_id(1); i < N_SHAPE; i += get_num_groups(1)) {
            weigh_row(scratch, psi, cc, b, i);
#if FORM_LOAD
            for (int k = 0; k < N_E; k++)
                vectors[((long)set * (N_SHAPE * N_E) + i * N_E + k) * LOCAL + item] = b[k];
#endif
            for (int j = SYMMETRIC ? i : 0; j < N_SHAPE; j++)
                integrate_block(scratch, psi, cc, j, matrix + ENTRY_AT(PAIR(i, j), 0) * LOCAL);
        }
    }
}
