/* Methods "reg-jac", "reg-nojac", "shm-jac", "shm-nojac" and "tiles": one element a work-group, its matrix in parts.

   A work-group takes elements get_num_groups(0) apart; the parts of an element's matrix are shared by the groups of
   dimension 1. For each part, a loop over the quadrature points, POINTS of them at once:
     1. the work-items share the work of tabulating psi in space, to local memory;
     2. each work-item adds the points to the sums of its blocks.
   At the end of the part the blocks are made from their sums (form_finish) and stored, each entry in a plane of its
   own, so that consecutive work-items store consecutive numbers.
   Points past the last one stand for it with vol = 0.

   After layout.cl and element.cl (with LANES 1). Compile-time parameters: theirs, GROUP (work-items), PARTS, POINTS,
   FIRST_D (0, or 1 where no value of a shape function is read), SENT_JACOBIANS (the host sends vol and the inverse),
   TILED (0: Algorithms 3 and 4 of Banaś et al. (2014); 1: register tiles), and those that stand before each. */

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
INLINE void fill_records(__local real *records, __global const real *nodes, __global const real *geo,
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
INLINE void tabulate_points(__local real *psi_x, __local const real *records, __global const real *psi, int q0,
                            int item)
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
INLINE void load_shape(real *p, __local const real *psi_x, int i)
{
#pragma unroll
    for (int D = FIRST_D; D <= LAST_D; D++)
        p[D] = psi_x[(D - FIRST_D) * N_SHAPE + i];
}

/* Adds POINTS points to the sums of block (i, j): line 14 of Algorithm 3, 15 of Algorithm 4. */
INLINE void update_block(real *sum, const real *cc, __local const real *psi_x, __local const real *records, int i, int j)
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
INLINE void update_load(real (*load)[N_E], const real *cc, __local const real *psi_x, __local const real *records,
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
        barrier(CLK_GLOBAL_MEM_FENCE); /* the element before is done with */
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
                tabulate_points(psi_x, records, psi, q0, item);
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

#if TILED
/* Compile-time parameters: TILE_ROWS, TILE_COLUMNS (pairs of a work-item), LOAD_TILE_ROWS(to, at) and
   LOAD_TILE_COLUMNS(to, at) (that many reals from aligned local memory), SLOTS (elements at once), TILES (work-items
   for each), BOX_ROWS, BOX_COLUMNS (shape functions that a part tabulates: whole tiles), MIRROR (blocks below the
   diagonal are stored from those above).

   tables: [part][2] first row and first column of its box, then [part][2][TILES] row and column of each work-item's
   tile inside the box, -1 for none. The map and the varying coefficients of all points are computed once an element, to
   scratch. Local memory: rows[slot][point][k][BOX_ROWS], the weights of rows, and columns[slot][point][D][BOX_COLUMNS],
   psi in space of columns. */

#define UPPER (SYMMETRIC || MIRROR) /* only blocks j >= i are computed */
#define BOX (BOX_ROWS + BOX_COLUMNS)

/* The rows and columns of a box at POINTS points from q0 on. */
INLINE void tabulate_box(__local real *rows, __local real *columns, const real *cc, __global const real *scratch,
                         __global const real *psi, int q0, int first_row, int first_column, int item)
{
    SHARED(t, POINTS * BOX, TILES) {
        const int k = t / BOX, f = t % BOX, q = min(q0 + k, N_QUAD - 1);
        const int i = min(f < BOX_ROWS ? first_row + f : first_column + f - BOX_ROWS, N_SHAPE - 1);
        __global const real *record = scratch + q * RECORD;
        real inverse[DIM * DIM], p[DIM + 1];
        for (int m = 0; m < DIM * DIM; m++)
            inverse[m] = record[1 + m];
        shape_in_space(p, inverse, psi, q, i);
        if (f >= BOX_ROWS) {
            for (int D = FIRST_D; D <= LAST_D; D++)
                columns[(k * N_D + D - FIRST_D) * BOX_COLUMNS + f - BOX_ROWS] = p[D];
        } else {
            real w[FORM_WEIGHTS], cv[ATLEAST1(FORM_VARYING)];
            for (int c = 0; c < FORM_VARYING; c++)
                cv[c] = record[MAP + c];
            form_weight(w, cc, cv, q0 + k < N_QUAD ? record[0] : 0, p);
            for (int m = 0; m < FORM_WEIGHTS; m++)
                rows[(k * FORM_WEIGHTS + m) * BOX_ROWS + f] = w[m];
        }
    }
}

/* Adds POINTS points to the sums of a tile, whose rows and columns start at `rows` and `columns`. */
INLINE void update_tile(real (*sum)[FORM_SUMS], __local const real *rows, __local const real *columns)
{
#pragma unroll 2
    for (int k = 0; k < POINTS; k++) {
        real w[TILE_ROWS][FORM_WEIGHTS], p[TILE_COLUMNS][DIM + 1], u[TILE_ROWS], v[TILE_COLUMNS];
#pragma unroll
        for (int m = 0; m < FORM_WEIGHTS; m++) {
            LOAD_TILE_ROWS(u, rows + (k * FORM_WEIGHTS + m) * BOX_ROWS);
#pragma unroll
            for (int a = 0; a < TILE_ROWS; a++)
                w[a][m] = u[a];
        }
#pragma unroll
        for (int D = FIRST_D; D <= LAST_D; D++) {
            LOAD_TILE_COLUMNS(v, columns + (k * N_D + D - FIRST_D) * BOX_COLUMNS);
#pragma unroll
            for (int b = 0; b < TILE_COLUMNS; b++)
                p[b][D] = v[b];
        }
#pragma unroll
        for (int a = 0; a < TILE_ROWS; a++)
#pragma unroll
            for (int b = 0; b < TILE_COLUMNS; b++)
                form_accumulate(sum[a * TILE_COLUMNS + b], w[a], p[b]);
    }
}

/* The blocks made from their sums, those that are inside the matrix and wanted, to global memory. */
static void store_tile(__global real *matrix, real (*sum)[FORM_SUMS], const real *cc, int row, int column)
{
#pragma unroll
    for (int a = 0; a < TILE_ROWS; a++)
#pragma unroll
        for (int b = 0; b < TILE_COLUMNS; b++) {
            const int i = row + a, j = column + b;
            real block[ENTRIES];
            form_finish(block, sum[a * TILE_COLUMNS + b], cc);
            if (i < N_SHAPE && j < N_SHAPE && j >= (UPPER ? i : 0)) {
                for (int k = 0; k < ENTRIES; k++)
                    matrix[ENTRY_AT(PAIR(i, j), k)] = block[k];
#if MIRROR
                for (int k = 0; k < ENTRIES && j > i; k++)
                    matrix[ENTRY_AT(PAIR(j, i), k)] = block[k % N_E * N_E + k / N_E];
#endif
            }
        }
}

#if FORM_LOAD
/* The element vector, its rows shared by the work-items of a slot. */
static void integrate_load(__global real *vector, const real *cc, __global const real *scratch,
                           __global const real *psi, int item)
{
    SHARED(i, N_SHAPE, TILES) {
        real load[N_E];
        for (int k = 0; k < N_E; k++)
            load[k] = 0;
        for (int q = 0; q < N_QUAD; q++) {
            __global const real *record = scratch + q * RECORD;
            real inverse[DIM * DIM], p[DIM + 1], cv[ATLEAST1(FORM_VARYING)];
            for (int m = 0; m < DIM * DIM; m++)
                inverse[m] = record[1 + m];
            for (int c = 0; c < FORM_VARYING; c++)
                cv[c] = record[MAP + c];
            shape_in_space(p, inverse, psi, q, i);
            form_load(load, cc, cv, record[0], p);
        }
        for (int k = 0; k < N_E; k++)
            vector[i * N_E + k] = load[k];
    }
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    __local real all_rows[SLOTS * POINTS * FORM_WEIGHTS * BOX_ROWS] __attribute__((aligned(64)));
    __local real all_columns[SLOTS * POINTS * N_D * BOX_COLUMNS] __attribute__((aligned(64)));
    const int slot = get_local_id(0) / TILES, item = get_local_id(0) - slot * TILES, held = min(slot, SLOTS - 1);
    const inputs in = INPUTS;
    __local real *rows = all_rows + held * (POINTS * FORM_WEIGHTS * BOX_ROWS);
    __local real *columns = all_columns + held * (POINTS * N_D * BOX_COLUMNS);
    __global real *scratch =
        all_scratch +
        (((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * SLOTS + held) * (N_QUAD * RECORD);

    for (int set = get_group_id(0); set * SLOTS < count; set += get_num_groups(0)) {
        const int e = min(set * SLOTS + held, count - 1);
        const bool stores = slot < SLOTS && set * SLOTS + slot < count;
        __global const real *nodes = geometry + (long)(first + e) * (N_GEO * DIM);
        __global real *matrix = matrices + (long)e * MATRIX_ENTRIES;
        real cc[ATLEAST1(FORM_CONSTANTS)];
        element_constants(cc, &in, first + e);
        barrier(CLK_GLOBAL_MEM_FENCE); /* the elements before are done with */
        if (slot < SLOTS)
            prepare_points(scratch, &in, nodes, weights, jacobians, first + e, item, TILES);
        barrier(CLK_GLOBAL_MEM_FENCE);
#if FORM_LOAD
        if (stores && get_group_id(1) == 0)
            integrate_load(vectors + (long)e * (N_SHAPE * N_E), cc, scratch, psi, item);
#endif
        for (int part = get_group_id(1); part < PARTS; part += get_num_groups(1)) {
            const int first_row = (int)tables[2 * part], first_column = (int)tables[2 * part + 1];
            const int row = (int)tables[2 * PARTS + 2 * part * TILES + item];
            const int column = (int)tables[2 * PARTS + (2 * part + 1) * TILES + item];
            const bool works = slot < SLOTS && row >= 0;
            real sum[TILE_ROWS * TILE_COLUMNS][FORM_SUMS];
#pragma unroll
            for (int t = 0; t < TILE_ROWS * TILE_COLUMNS; t++)
#pragma unroll
                for (int s = 0; s < FORM_SUMS; s++)
                    sum[t][s] = 0;
            for (int q0 = 0; q0 < N_QUAD; q0 += POINTS) {
                if (slot < SLOTS)
                    tabulate_box(rows, columns, cc, scratch, psi, q0, first_row, first_column, item);
                barrier(CLK_LOCAL_MEM_FENCE);
                if (works)
                    update_tile(sum, rows + row, columns + column);
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (works && stores)
                store_tile(matrix, sum, cc, first_row + row, first_column + column);
        }
    }
}
#endif
