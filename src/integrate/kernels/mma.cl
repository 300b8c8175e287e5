/* Method "mma": the sums over the points as products of matrices, on the f64 matrix unit of NVIDIA's devices.

   For each sum of the form, sum[s](i, j) = sum_q sum_{X(s, k, D)} w_k(q, i) psi_D(q, j): products of a matrix of weights
   (rows i, columns q) with one of shape functions (rows q, columns j). A work-group takes an element, each of its warps
   a tile of TILE_M x TILE_N pairs (i, j), all sums of it in registers: in the layout of the unit's fragments
   (m16n8k4: a lane has, with g = lane / 4 and t = lane % 4, of A rows g and g + 8 at column t, of B row t at column g,
   of C rows g and g + 8 at columns 2t and 2t + 1). vol, the map and the coefficients at all points stand in the
   group's scratch; the shape functions of POINTS points at a time are tabulated into local memory by the whole group; where there are more tiles than warps, passes over all points follow each other. For symmetric forms only tiles
   that reach the diagonal are computed. Groups that share an element (dimension 1 of the launch) share the passes.

   After layout.cl and element.cl. Compile-time parameters: theirs, LOCAL (work-items a group, a multiple of 32),
   TILE_M (a multiple of 16), TILE_N (of 8), POINTS (of 4), VALUES (terms of A read psi itself), STRIDE (reals from one
   row of shape functions to the next: at least N_SHAPE rounded up to both tiles, 4 modulo 8 against bank conflicts). */

#define WARPS (LOCAL / 32)
#define NM (TILE_M / 16)
#define NN (TILE_N / 8)
#define ROWS_M ((N_SHAPE + TILE_M - 1) / TILE_M)
#define ROWS_N ((N_SHAPE + TILE_N - 1) / TILE_N)
/* The first tile of columns that tiles of rows tm need. */
#define FIRST_N(tm) (SYMMETRIC ? (tm) * TILE_M / TILE_N : 0)
#define LOAD_ROWS ((N_SHAPE + LOCAL - 1) / LOCAL) /* of the element vector, a work-item */
#define DERIVATIVES (FORM_DERIVATIVES ? DIM : 0)
#define PSI_ROWS (VALUES + DERIVATIVES)
#define PSI(q, D) ((q) * PSI_ROWS + (D) - 1 + VALUES) /* row of psi_D at one of the POINTS points */
/* Scratch, for each point: vol, the Jacobian's inverse, the varying coefficients. */
#define PADDED_POINTS ((N_QUAD + POINTS - 1) / POINTS * POINTS)
#define INVERSE(b, a) (1 + (b) * DIM + (a))
#define VARYING (1 + DIM * DIM)
#define MAP_SIZE (VARYING + FORM_VARYING)

/* vol, the map and the varying coefficients at all points, to the group's scratch; points beyond the last have no
   volume. */
static void map_points(__global real *restrict map, const inputs *in, __global const real *nodes,
                       __global const real *weights, int e)
{
    for (int q = get_local_id(0); q < PADDED_POINTS; q += LOCAL) {
        real inverse[DIM][DIM];
        const int point = min(q, N_QUAD - 1);
        const real det = map_point(inverse, nodes, in->geo, AFFINE ? 0 : point);
        map[q * MAP_SIZE] = q < N_QUAD ? det * weights[point] : 0;
        for (int b = 0; b < DIM; b++)
            for (int a = 0; a < DIM; a++)
                map[q * MAP_SIZE + INVERSE(b, a)] = inverse[b][a];
#if FORM_VARYING
        real cv[FORM_VARYING];
        point_coefficients(cv, in, nodes, inverse, e, point);
        for (int k = 0; k < FORM_VARYING; k++)
            map[q * MAP_SIZE + VARYING + k] = cv[k];
#endif
    }
}

/* Shape functions in space at points first_q .., into local memory. Rows beyond the last function are zero. `map` is of
   the first of these points. */
static void tabulate_points(__local real *psi_q, __global const real *map, __global const real *psi, int first_q)
{
#pragma unroll 4
    for (int k = get_local_id(0); k < POINTS * STRIDE; k += LOCAL) {
        const int q = k / STRIDE, i = k % STRIDE, point = min(first_q + q, N_QUAD - 1);
        const bool inside = i < N_SHAPE;
#if VALUES
        psi_q[PSI(q, 0) * STRIDE + i] = inside ? TABLE(psi, N_SHAPE, point, 0, i) : 0;
#endif
#if FORM_DERIVATIVES
        real p[DIM];
        for (int b = 0; b < DIM; b++)
            p[b] = inside ? TABLE(psi, N_SHAPE, point, 1 + b, i) : 0;
        for (int d = 0; d < DIM; d++) {
            real sum = map[q * MAP_SIZE + INVERSE(0, d)] * p[0];
            for (int b = 1; b < DIM; b++)
                sum += map[q * MAP_SIZE + INVERSE(b, d)] * p[b];
            psi_q[PSI(q, 1 + d) * STRIDE + i] = sum;
        }
#endif
    }
}

/* psi_i and its derivatives at point q of the POINTS. */
static void get_shape(real *p, __local const real *psi_q, int q, int i)
{
    p[0] = 0;
#if VALUES
    p[0] = psi_q[PSI(q, 0) * STRIDE + i];
#endif
    for (int d = 0; d < DERIVATIVES; d++)
        p[1 + d] = psi_q[PSI(q, 1 + d) * STRIDE + i];
}

/* A tile's sums over POINTS points, four at a time. */
static void accumulate_tile(real (*sum)[NN][FORM_SUMS][4], __local const real *psi_q, __global const real *map,
                       const real *cc, int i0, int j0)
{
    const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
#pragma unroll 1
    for (int q4 = 0; q4 < POINTS; q4 += 4) {
        const int q = q4 + t;
        real a[NM][FORM_WEIGHTS][2];
#pragma unroll
        for (int m = 0; m < NM; m++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                real p[DIM + 1], w[FORM_WEIGHTS], cv[ATLEAST1(FORM_VARYING)];
                for (int k = 0; k < FORM_VARYING; k++)
                    cv[k] = map[q * MAP_SIZE + VARYING + k];
                get_shape(p, psi_q, q, i0 + m * 16 + h * 8 + g);
                form_weight(w, cc, cv, map[q * MAP_SIZE], p);
#pragma unroll
                for (int k = 0; k < FORM_WEIGHTS; k++)
                    a[m][k][h] = w[k];
            }
#pragma unroll
        for (int n = 0; n < NN; n++) {
            real b[DIM + 1];
            get_shape(b, psi_q, q, j0 + n * 8 + g);
#pragma unroll
            for (int m = 0; m < NM; m++) {
#define PRODUCT(s, k, D) multiply_add(sum[m][n][s], a[m][k], b[D]);
                FORM_PRODUCTS(PRODUCT)
#undef PRODUCT
            }
        }
    }
}

/* The blocks of a tile, to the element's matrix. */
static void store_tile(real (*sum)[NN][FORM_SUMS][4], const real *cc, __global real *restrict matrix, int i0, int j0)
{
    const int lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int m = 0; m < NM; m++)
#pragma unroll
        for (int n = 0; n < NN; n++)
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int i = i0 + m * 16 + g + 8 * (c >> 1), j = j0 + n * 8 + 2 * t + (c & 1);
                real sums[FORM_SUMS], block[ENTRIES];
#pragma unroll
                for (int s = 0; s < FORM_SUMS; s++)
                    sums[s] = sum[m][n][s][c];
                form_finish(block, sums, cc);
                if (i < N_SHAPE && j < N_SHAPE && j >= (SYMMETRIC ? i : 0))
#pragma unroll
                    for (int entry = 0; entry < ENTRIES; entry++)
                        matrix[ENTRY_AT(PAIR(i, j), entry)] = block[entry];
            }
}

#if FORM_LOAD
/* The load of this work-item's rows over POINTS points. */
static void add_load(real (*b)[N_E], __local const real *psi_q, __global const real *map, __global const real *psi,
                     const real *cc, int first_q)
{
    for (int row = 0; row < LOAD_ROWS; row++) {
        const int i = get_local_id(0) + row * LOCAL;
        for (int q = 0; q < POINTS && first_q + q < N_QUAD && i < N_SHAPE; q++) {
            real p[DIM + 1], cv[ATLEAST1(FORM_VARYING)];
            for (int k = 0; k < FORM_VARYING; k++)
                cv[k] = map[q * MAP_SIZE + VARYING + k];
            get_shape(p, psi_q, q, i);
            p[0] = TABLE(psi, N_SHAPE, first_q + q, 0, i);
            form_load(b[row], cc, cv, map[q * MAP_SIZE], p);
        }
    }
}
#endif

/* Tile number `tile` of those that are computed, row by row; false beyond the last. */
static bool find_tile(int tile, int *i0, int *j0)
{
    for (int tm = 0; tm < ROWS_M; tm++) {
        const int first = FIRST_N(tm), n = ROWS_N - first;
        if (tile < n) {
            *i0 = tm * TILE_M;
            *j0 = (first + tile) * TILE_N;
            return true;
        }
        tile -= n;
    }
    return false;
}

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    __local real psi_q[POINTS * PSI_ROWS * STRIDE];
    __global real *map =
        all_scratch + ((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * (PADDED_POINTS * MAP_SIZE);
    const inputs in = INPUTS;
    const int warp = get_local_id(0) / 32;

    for (int e = get_group_id(0); e < count; e += get_num_groups(0)) {
        __global const real *nodes = geometry + (long)(first + e) * (N_GEO * DIM);
        real cc[ATLEAST1(FORM_CONSTANTS)];
        element_constants(cc, &in, first + e);
        barrier(CLK_GLOBAL_MEM_FENCE); /* the element before is done with */
        map_points(map, &in, nodes, weights, first + e);
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (int pass = get_group_id(1); pass < PASSES; pass += get_num_groups(1)) {
            real sum[NM][NN][FORM_SUMS][4];
            int i0 = 0, j0 = 0;
            const bool mine = find_tile(pass * WARPS + warp, &i0, &j0);
#pragma unroll
            for (int k = 0; k < NM * NN * FORM_SUMS * 4; k++)
                sum[k / (NN * FORM_SUMS * 4)][k / (FORM_SUMS * 4) % NN][k / 4 % FORM_SUMS][k % 4] = 0;
#if FORM_LOAD
            real b[LOAD_ROWS][N_E];
            for (int k = 0; k < LOAD_ROWS * N_E; k++)
                b[k / N_E][k % N_E] = 0;
#endif
            for (int first_q = 0; first_q < N_QUAD; first_q += POINTS) {
                barrier(CLK_LOCAL_MEM_FENCE); /* the points before are done with */
                tabulate_points(psi_q, map + first_q * MAP_SIZE, psi, first_q);
                barrier(CLK_LOCAL_MEM_FENCE);
                if (mine)
                    accumulate_tile(sum, psi_q, map + first_q * MAP_SIZE, cc, i0, j0);
#if FORM_LOAD
                if (pass == 0)
                    add_load(b, psi_q, map + first_q * MAP_SIZE, psi, cc, first_q);
#endif
            }
            if (mine)
                store_tile(sum, cc, matrices + (long)e * MATRIX_ENTRIES, i0, j0);
#if FORM_LOAD
            for (int k = 0; k < LOAD_ROWS * N_E && pass == 0; k++) {
                const int i = get_local_id(0) + k / N_E * LOCAL;
                if (i < N_SHAPE)
                    vectors[(long)e * (N_SHAPE * N_E) + i * N_E + k % N_E] = b[k / N_E][k % N_E];
            }
#endif
        }
    }
}
