/* Methods "reg-jac", "reg-nojac", "shm-jac", "shm-nojac" and "tiles": one element a work-group, its matrix in parts.

   A work-group takes elements get_num_groups(0) apart; the parts of an element's matrix are shared by the groups of
   dimension 1. For each part, a loop over the quadrature points, POINTS of them at once:
     1. the work-items share the work of tabulating psi in space, to local memory;
     2. each work-item adds the points to the sums of its blocks.
   At the end of the part the blocks are made from their sums (form_finish) and stored, each entry in a plane of its own,
   so that consecutive work-items store consecutive numbers.
   Points past the last one stand for it with vol = 0.

   After layout.cl and element.cl (with LANES 1). Compile-time parameters: theirs, GROUP (work-items), PARTS, POINTS,
   FIRST_D (0, or 1 where no value of a shape function is read), SENT_JACOBIANS (the host sends vol and the inverse),
   TILED (0: Algorithms 3 and 4 of the higher-order paper; 1: register tiles), and those that stand before each. */

#define LAST_D (FORM_DERIVATIVES ? DIM : 0)
#define N_D (LAST_D - FIRST_D + 1)
#define MAP (1 + DIM * DIM) /* numbers of a point's map: vol and the inverse of the Jacobian, row by row */
#define RECORD (MAP + FORM_VARYING) /* and the coefficients there */
/* What is computed once an element for each point, to scratch. */
#define PREPARED (TILED ? RECORD : FORM_VARYING)

/* Work-items share n pieces of work: t = item, item + n_items, ... A constant number of rounds with a guard, because
   PoCL 3.1 may vectorize the loop "for (t = item; t < n; t += n_items)" over the work-items without its condition. */
#define SHARED(t, n, n_items)                                                                                          \
    for (int t = item, round = 0; round < ((n) + (n_items) - 1) / (n_items); round++, t += (n_items))                  \
        if (t < (n))

/* vol and the inverse at point q, computed or as they were sent. */
static real point_map(real (*inverse)[DIM], __global const real *nodes, __global const real *geo,
                      __global const real *weights, __global const real *sent, int q)
{
#if SENT_JACOBIANS
    for (int b = 0; b < DIM; b++)
        for (int a = 0; a < DIM; a++)
            inverse[b][a] = sent[q * MAP + 1 + b * DIM + a];
    return sent[q * MAP];
#else
    const real det = map_point(inverse, nodes, geo, q);
    return det * weights[q];
#endif
}

#if TILED || FORM_VARYING
/* Points item, item + n_items, ... of an element to scratch. */
static void prepare_points(__global real *scratch, const inputs *in, __global const real *nodes,
                           __global const real *weights, __global const real *sent, int e, int item, int n_items)
{
    SHARED(q, N_QUAD, n_items) {
        __global real *at = scratch + q * PREPARED;
        real inverse[DIM][DIM];
        const real vol = point_map(inverse, nodes, in->geo, weights, sent, q);
#if TILED
        at[0] = vol;
        for (int b = 0; b < DIM; b++)
            for (int a = 0; a < DIM; a++)
                at[1 + b * DIM + a] = inverse[b][a];
        at += MAP;
#endif
#if FORM_VARYING
        real cv[FORM_VARYING];
        point_coefficients(cv, in, nodes, inverse, e, q);
        for (int k = 0; k < FORM_VARYING; k++)
            at[k] = cv[k];
#endif
    }
}
#endif

/* psi_i and its derivatives in space at point q, from the inverse row by row. */
static void shape_in_space(real *p, const real *inverse, __global const real *psi, int q, int i)
{
#if FIRST_D == 0
    p[0] = TABLE(psi, N_SHAPE, q, 0, i);
#endif
#if FORM_DERIVATIVES
    real d[DIM];
    for (int b = 0; b < DIM; b++)
        d[b] = TABLE(psi, N_SHAPE, q, b + 1, i);
    for (int a = 0; a < DIM; a++) {
        real sum = inverse[a] * d[0];
        for (int b = 1; b < DIM; b++)
            sum += inverse[b * DIM + a] * d[b];
        p[a + 1] = sum;
    }
#endif
}

#if !TILED
/* Compile-time parameters: SUMS_LOCAL (0: the sums of a block in registers, Algorithm 3; 1: those of BLOCKS blocks a
   work-item in local memory, Algorithm 4), BLOCKS.

   The matrix is one vector of N_SHAPE * N_SHAPE blocks; block b of work-item t in a part is number
   (part * BLOCKS + b) * GROUP + t. Local memory: psi in space of all shape functions at POINTS points; the records of
   these points, twice, so that those of the next ones are filled in while others still add; the sums. */

#define N_BLOCKS (N_SHAPE * N_SHAPE)
#define LOAD_ROWS ((N_SHAPE + GROUP - 1) / GROUP)

/* The records of POINTS points from q0 on: "read or calculate Jacobian terms" (lines 9 to 13 of the algorithms). */
static void fill_records(__local real *records, __global const real *nodes, __global const real *geo,
                         __global const real *weights, __global const real *sent, __global const real *prepared,
                         int q0, int item)
{
#if SENT_JACOBIANS
    SHARED(t, POINTS * MAP, GROUP) {
        const int k = t / MAP, q = min(q0 + k, N_QUAD - 1);
        records[k * RECORD + t % MAP] = t % MAP == 0 && q0 + k >= N_QUAD ? 0 : sent[q * MAP + t % MAP];
    }
#else
    SHARED(k, POINTS, GROUP) {
        real inverse[DIM][DIM];
        const real vol = point_map(inverse, nodes, geo, weights, sent, min(q0 + k, N_QUAD - 1));
        records[k * RECORD] = q0 + k < N_QUAD ? vol : 0;
        for (int b = 0; b < DIM; b++)
            for (int a = 0; a < DIM; a++)
                records[k * RECORD + 1 + b * DIM + a] = inverse[b][a];
    }
#endif
#if FORM_VARYING
    SHARED(t, POINTS * FORM_VARYING, GROUP) {
        const int k = t / FORM_VARYING, c = t % FORM_VARYING;
        records[k * RECORD + MAP + c] = prepared[min(q0 + k, N_QUAD - 1) * FORM_VARYING + c];
    }
#endif
}

/* psi in space of all shape functions: psi_x[point][D][i]. */
static void tabulate(__local real *psi_x, __local const real *records, __global const real *psi, int q0, int item)
{
    SHARED(t, POINTS * N_SHAPE, GROUP) {
        const int k = t / N_SHAPE, i = t % N_SHAPE;
        real inverse[DIM * DIM], p[DIM + 1];
        for (int m = 0; m < DIM * DIM; m++)
            inverse[m] = records[k * RECORD + 1 + m];
        shape_in_space(p, inverse, psi, min(q0 + k, N_QUAD - 1), i);
        for (int D = FIRST_D; D <= LAST_D; D++)
            psi_x[(k * N_D + D - FIRST_D) * N_SHAPE + i] = p[D];
    }
}

/* psi_i at one point of those tabulated. */
static void load_shape(real *p, __local const real *psi_x, int i)
{
#pragma unroll
    for (int D = FIRST_D; D <= LAST_D; D++)
        p[D] = psi_x[(D - FIRST_D) * N_SHAPE + i];
}

/* Adds POINTS points to the sums of block (i, j): line 14 of Algorithm 3, 15 of Algorithm 4. */
static void update_block(real *sum, const real *cc, __local const real *psi_x, __local const real *records, int i, int j)
{
    for (int k = 0; k < POINTS; k++) {
        real p[DIM + 1], w[FORM_WEIGHTS], cv[ATLEAST1(FORM_VARYING)];
        for (int c = 0; c < FORM_VARYING; c++)
            cv[c] = records[k * RECORD + MAP + c];
        load_shape(p, psi_x + k * (N_D * N_SHAPE), i);
        form_weight(w, cc, cv, records[k * RECORD], p);
        load_shape(p, psi_x + k * (N_D * N_SHAPE), j);
        form_accumulate(sum, w, p);
    }
}

#if FORM_LOAD
/* Adds POINTS points to the rows item, item + GROUP, ... of the element vector. */
static void update_load(real (*load)[N_E], const real *cc, __local const real *psi_x, __local const real *records,
                        int item)
{
    for (int k = 0; k < POINTS; k++) {
        real p[DIM + 1], cv[ATLEAST1(FORM_VARYING)];
        for (int c = 0; c < FORM_VARYING; c++)
            cv[c] = records[k * RECORD + MAP + c];
#pragma unroll
        for (int r = 0; r < LOAD_ROWS; r++) {
            load_shape(p, psi_x + k * (N_D * N_SHAPE), min(item + r * GROUP, N_SHAPE - 1));
            form_load(load[r], cc, cv, records[k * RECORD], p);
        }
    }
}
#endif

/* The block made from its sums, to global memory. */
static void store_block(__global real *matrix, const real *sum, const real *cc, int block_number)
{
    real block[ENTRIES];
    form_finish(block, sum, cc);
    if (block_number < N_BLOCKS)
        for (int k = 0; k < ENTRIES; k++)
            matrix[ENTRY_AT(block_number, k)] = block[k];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    __local real psi_x[POINTS * N_D * N_SHAPE];
    __local real all_records[2 * POINTS * RECORD];
#if SUMS_LOCAL
    __local real all_sums[BLOCKS * FORM_SUMS * GROUP];
#endif
    const int item = get_local_id(0);
    const inputs in = INPUTS;
    int turn = 0; /* which of the two sets of records */
#if FORM_VARYING
    __global real *scratch =
        all_scratch + ((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * (N_QUAD * PREPARED);
#else
    __global real *scratch = all_scratch;
#endif

    for (int e = get_group_id(0); e < count; e += get_num_groups(0)) {
        __global const real *nodes = geometry + (long)(first + e) * (N_GEO * DIM);
        __global const real *sent = jacobians + (long)e * (SENT_JACOBIANS ? N_QUAD * MAP : 0);
        __global real *matrix = matrices + (long)e * MATRIX_ENTRIES;
        real cc[ATLEAST1(FORM_CONSTANTS)];
        element_constants(cc, &in, first + e);
#if FORM_VARYING
        prepare_points(scratch, &in, nodes, weights, sent, first + e, item, GROUP);
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        for (int part = get_group_id(1); part < PARTS; part += get_num_groups(1)) {
            const int number = part * (BLOCKS * GROUP) + item;
            const int first_i = number / N_SHAPE, first_j = number - first_i * N_SHAPE;
#if FORM_LOAD
            real load[LOAD_ROWS][N_E];
            for (int r = 0; r < LOAD_ROWS; r++)
                for (int k = 0; k < N_E; k++)
                    load[r][k] = 0;
#endif
#if SUMS_LOCAL
            for (int k = 0; k < BLOCKS * FORM_SUMS; k++)
                all_sums[k * GROUP + item] = 0;
#else
            real sum[FORM_SUMS];
            for (int s = 0; s < FORM_SUMS; s++)
                sum[s] = 0;
#endif
            for (int q0 = 0; q0 < N_QUAD; q0 += POINTS) {
                __local real *records = all_records + turn * (POINTS * RECORD);
                turn ^= 1;
                fill_records(records, nodes, geo, weights, sent, scratch, q0, item);
                barrier(CLK_LOCAL_MEM_FENCE);
                tabulate(psi_x, records, psi, q0, item);
                barrier(CLK_LOCAL_MEM_FENCE);
#if SUMS_LOCAL
                for (int b = 0, i = first_i, j = first_j; b < BLOCKS; b++) {
                    __local real *sums = all_sums + b * (FORM_SUMS * GROUP) + item;
                    real sum[FORM_SUMS];
                    for (int s = 0; s < FORM_SUMS; s++)
                        sum[s] = sums[s * GROUP];
                    update_block(sum, cc, psi_x, records, min(i, N_SHAPE - 1), j);
                    for (int s = 0; s < FORM_SUMS; s++)
                        sums[s * GROUP] = sum[s];
                    i += GROUP / N_SHAPE; /* GROUP blocks on, without a division */
                    j += GROUP % N_SHAPE;
                    i += j >= N_SHAPE;
                    j -= j >= N_SHAPE ? N_SHAPE : 0;
                }
#else
                update_block(sum, cc, psi_x, records, min(first_i, N_SHAPE - 1), first_j);
#endif
#if FORM_LOAD
                if (part == 0)
                    update_load(load, cc, psi_x, records, item);
#endif
            }
#if SUMS_LOCAL
            for (int b = 0; b < BLOCKS; b++) {
                real sum[FORM_SUMS];
                for (int s = 0; s < FORM_SUMS; s++)
                    sum[s] = all_sums[(b * FORM_SUMS + s) * GROUP + item];
                store_block(matrix, sum, cc, number + b * GROUP);
            }
#else
            store_block(matrix, sum, cc, number);
#endif
#if FORM_LOAD
            for (int r = 0; r < LOAD_ROWS && part == 0; r++)
                for (int k = 0; k < N_E && item + r * GROUP < N_SHAPE; k++)
                    vectors[((long)e * N_SHAPE + item + r * GROUP) * N_E + k] = load[r][k];
#endif
        }
    }
}
#endif
