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

   After layout.cl. Compile-time parameters: LANES, LOCAL, N_SHAPE, N_QUAD, N_GEO (geometry nodes), AFFINE (Jacobian
   constant), and those of the form's header: DIM, N_E, FORM_... */

#define WIDTH (LANES * LOCAL)
#define ATLEAST1(n) ((n) > 0 ? (n) : 1)

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

/* Tables of the reference cell: [q][D][n], D = 0 the value. */
#define TABLE(table, n, q, D, i) table[((q) * (DIM + 1) + (D)) * (n) + (i)]

/* J[a][b] = dx_a / dxi_b from the element's nodes (relative to its first one). */
static void jacobian(realv (*J)[DIM], __global const realv *nodes, __global const real *geo, int q)
{
    for (int a = 0; a < DIM; a++)
        for (int b = 0; b < DIM; b++)
            J[a][b] = 0;
    for (int g = 0; g < N_GEO; g++)
        for (int a = 0; a < DIM; a++) {
            const realv x = nodes[(g * DIM + a) * LOCAL];
            for (int b = 0; b < DIM; b++)
                J[a][b] += x * TABLE(geo, N_GEO, q, b + 1, g);
        }
}

/* inverse[b][a] = dxi_b / dx_a; returns det J. */
static realv invert(realv (*inverse)[DIM], realv (*J)[DIM])
{
#if DIM == 2
    const realv det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    const realv over = 1 / det;
    inverse[0][0] = J[1][1] * over;
    inverse[0][1] = -J[0][1] * over;
    inverse[1][0] = -J[1][0] * over;
    inverse[1][1] = J[0][0] * over;
#else
    const realv c00 = J[1][1] * J[2][2] - J[1][2] * J[2][1];
    const realv c10 = J[1][2] * J[2][0] - J[1][0] * J[2][2];
    const realv c20 = J[1][0] * J[2][1] - J[1][1] * J[2][0];
    const realv det = J[0][0] * c00 + J[0][1] * c10 + J[0][2] * c20;
    const realv over = 1 / det;
    inverse[0][0] = c00 * over;
    inverse[1][0] = c10 * over;
    inverse[2][0] = c20 * over;
    inverse[0][1] = (J[0][2] * J[2][1] - J[0][1] * J[2][2]) * over;
    inverse[1][1] = (J[0][0] * J[2][2] - J[0][2] * J[2][0]) * over;
    inverse[2][1] = (J[0][1] * J[2][0] - J[0][0] * J[2][1]) * over;
    inverse[0][2] = (J[0][1] * J[1][2] - J[0][2] * J[1][1]) * over;
    inverse[1][2] = (J[0][2] * J[1][0] - J[0][0] * J[1][2]) * over;
    inverse[2][2] = (J[0][0] * J[1][1] - J[0][1] * J[1][0]) * over;
#endif
    return det;
}

/* Step 1: vol and the derivatives in space at all points. */
static void tabulate(__global realv *restrict scratch, __global const realv *restrict nodes,
                     __global const real *restrict geo, __global const real *restrict psi,
                     __global const real *restrict weights)
{
    realv J[DIM][DIM], inverse[DIM][DIM], det;
#if AFFINE
    jacobian(J, nodes, geo, 0);
    det = invert(inverse, J);
#endif
    for (int q = 0; q < N_QUAD; q++) {
#if !AFFINE
        jacobian(J, nodes, geo, q);
        det = invert(inverse, J);
#endif
        VOL(q) = det * weights[q];
#if FORM_DERIVATIVES
        for (int i = 0; i < N_SHAPE; i++)
            for (int a = 0; a < DIM; a++) {
                realv sum = inverse[0][a] * TABLE(psi, N_SHAPE, q, 1, i);
                for (int b = 1; b < DIM; b++)
                    sum += inverse[b][a] * TABLE(psi, N_SHAPE, q, b + 1, i);
                PSI(i, q, a) = sum;
            }
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

#if FORM_VARYING
/* Position, old solution and its gradient at point q, lane by lane, into the variables of the expressions. */
static void point_variables(real *v, __global const realv *restrict scratch, __global const realv *restrict nodes,
                            __global const real *restrict origin, __global const real *restrict geo,
                            __global const real *restrict psi, __global const int *restrict cell_nodes,
                            __global const real *restrict old, int e, int lane, int q)
{
#if FORM_READS_X
    for (int a = 0; a < DIM; a++) {
        real x = origin[e * DIM + a];
        for (int g = 0; g < N_GEO; g++)
            x += ((__global const real *)&nodes[(g * DIM + a) * LOCAL])[lane] * TABLE(geo, N_GEO, q, 0, g);
        v[a] = x;
    }
#endif
#if FORM_READS_U || FORM_READS_GRADIENT
    for (int k = 0; k < N_E * (1 + DIM); k++)
        v[4 + k] = 0;
    for (int i = 0; i < N_SHAPE; i++)
        for (int c = 0; c < N_E; c++) {
            const real u = old[cell_nodes[(long)e * N_SHAPE + i] * N_E + c];
            v[4 + c] += u * TABLE(psi, N_SHAPE, q, 0, i);
#if FORM_READS_GRADIENT
            for (int d = 0; d < DIM; d++)
                v[4 + N_E + c * DIM + d] += u * ((__global const real *)&PSI(i, q, d))[lane];
#endif
        }
#endif
}
#endif

/* The coefficients of one lane's element: constant ones into cc, varying ones at all points to scratch. */
static void coefficients(realv *cc, __global realv *restrict scratch, __global const realv *restrict nodes,
                         __global const real *restrict origin, __global const real *restrict geo,
                         __global const real *restrict psi, __global const real *restrict data,
                         __global const long *restrict offset, __global const int *restrict selector,
                         __global const int *restrict cell_nodes, __global const real *restrict old, real time, int e,
                         int lane)
{
    real v[FORM_VARIABLES], c[ATLEAST1(FORM_CONSTANTS)];
    v[3] = time;
    form_element_data(v, data, offset, e);
    form_constants(c, v);
    for (int k = 0; k < FORM_CONSTANTS; k++)
        ((real *)&cc[k])[lane] = c[k];
#if FORM_VARYING
    for (int q = 0; q < N_QUAD; q++) {
        real varying[FORM_VARYING];
        v[0] = v[1] = v[2] = 0;
        point_variables(v, scratch, nodes, origin, geo, psi, cell_nodes, old, e, lane, q);
        form_point_data(v, data, offset, selector, e, q);
        form_varying(varying, v);
        for (int k = 0; k < FORM_VARYING; k++)
            ((__global real *)&VARYING(q, k))[lane] = varying[k];
    }
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
        block_at[k * LOCAL] = block[k];
}

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void integrate(int first, int count, int n_cells, real time,
               __global const realv *restrict geometry, __global const real *restrict origin,
               __global const real *restrict geo, __global const real *restrict psi,
               __global const real *restrict weights, __global const real *restrict data,
               __global const long *restrict offset, __global const int *restrict selector,
               __global const int *restrict cell_nodes, __global const real *restrict old,
               __global realv *restrict all_scratch, __global realv *restrict matrices,
               __global realv *restrict vectors)
{
    const int item = get_local_id(0);
    const int n_sets = (count + WIDTH - 1) / WIDTH;
    __global realv *restrict scratch =
        all_scratch + ((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * SCRATCH_SIZE * LOCAL + item;

    for (int set = get_group_id(0); set < n_sets; set += get_num_groups(0)) {
        const int e0 = first + set * WIDTH + item * LANES;
        __global const realv *nodes = geometry + (long)(first / WIDTH + set) * (N_GEO * DIM) * LOCAL + item;
        __global realv *matrix = matrices + (long)set * (N_PAIRS * ENTRIES) * LOCAL + item;
        realv cc[ATLEAST1(FORM_CONSTANTS)], b[N_E];

        tabulate(scratch, nodes, geo, psi, weights);
        for (int lane = 0; lane < LANES; lane++)
            coefficients(cc, scratch, nodes, origin, geo, psi, data, offset, selector, cell_nodes, old, time,
                         min(e0 + lane, n_cells - 1), lane);
        for (int i = get_group_id(1); i < N_SHAPE; i += get_num_groups(1)) {
            weigh_row(scratch, psi, cc, b, i);
#if FORM_LOAD
            for (int k = 0; k < N_E; k++)
                vectors[((long)set * (N_SHAPE * N_E) + i * N_E + k) * LOCAL + item] = b[k];
#endif
            for (int j = SYMMETRIC ? i : 0; j < N_SHAPE; j++)
                integrate_block(scratch, psi, cc, j, matrix + PAIR(i, j) * ENTRIES * LOCAL);
        }
    }
}
