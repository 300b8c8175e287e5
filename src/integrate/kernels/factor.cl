/* Method "factor": sum factorisation for cells that are a base times lines (quad = line x line, prism = triangle x
   line, hex = line x line x line). Element matrices and vectors of every order and form.

   A work-group of LOCAL work-items computes LANES elements at once (in explicit vectors where LANES > 1) and takes
   further sets in turn. With T_alpha,i the reference derivative alpha of shape function i (0: the value), every sum of
   the form is

       sum_k(i, j) = sum_q sum_alpha,beta T_alpha,i(q) T_beta,j(q) C_k[alpha][beta](q),

   and T is a product over the cell's directions, so the directions are summed one after the other. i = (b, k) and
   j = (c, l) with base functions b, c and line functions k, l; points q = (r, s). The pair of base functions comes
   first, because its sums serve all pairs (k, l):
     1. C at all points: the form is bilinear, so C_k[alpha][beta] is what form_weight and form_accumulate make of
        functions whose derivatives in space are row alpha and row beta of the Jacobian's inverse;
     2. hex only, for each pair of functions of the second line: C summed over that line's points, which leaves the
        problem of a quad;
     3. for each b:      X[A][beta](r, s) = sum over alpha in A of base_alpha,b(r) C[alpha][beta](r, s),
                         POINTS line points s at once;
     4. for each c:      H[A][B](s) = sum_r sum over beta in B of base_beta,c(r) X[A][beta](r, s);
     5. for each (k, l): sum_k(i, j) = sum_s sum_B line_B,l(s) sum_A line_A,k(s) H[A][B](s), the block, its store.
   A and B are what a derivative asks of the line: its value (the function's value and derivatives along the base) or
   its derivative. Step 4 is a matrix product: rows (b, s, A, sum), inner index (beta, r), columns c. Symmetric forms
   take the pairs with b < c, and with k <= l where b = c.

   Where a form has many sums, C is larger than what it is made from. Then the weights of row alpha and the Jacobian's
   inverse are kept instead of C (STORED_FACTORS), combined first, and form_accumulate comes after: X and step 2 are
   bilinear in them.

   Where there are fewer sets than workers, several groups (dimension 1 of the launch) share a set: each makes C for
   itself and takes its share of the sections (pair of the second line, block of b).

   After layout.cl, element.cl and factor_points.cl, which has step 1 and the element vector. Compile-time parameters:
   theirs, LOCAL (work-items a group); the factors N_LINES, N_LINE, N_LINE_POINTS (functions and points of a line),
   BASE_DIM, N_BASE, N_BASE_POINTS and LINE_TABLE, the line's numbers [s][D][l] with the rows of l filled up to a
   multiple of LINE_TILE; BASES (b at once), COLUMNS (c at once, a multiple of TILE_COLUMNS), TILE_ROWS x TILE_COLUMNS
   (registers of step 4), LINE_TILE (l at once in step 5); ROOM (realv of local memory). */

#if OUTER
/* Place on the plane of the cell's derivative D. */
#define PLANE_PLACE(D) ((D) == DIM ? 0 : (D))

#if STORED_FACTORS
/* Step 2 at point q of the plane, row a of C there. */
static void sum_outer_point(__global realv *scratch, const real (*test)[NS], const real (*trial)[NS], int a, int q)
{
    realv c[N_U][FORM_SUMS];
    for (int b = 0; b < N_U; b++)
        for (int k = 0; k < FORM_SUMS; k++)
            c[b][k] = 0;
    for (int s = 0; s < NS; s++) {
        realv w[FORM_WEIGHTS], inverse[DIM][DIM], p[DIM + 1];
        const int at = s * PLANE_QUAD + q;
        for (int m = 0; m < FORM_WEIGHTS; m++) {
            w[m] = 0;
#pragma unroll
            for (int n = 0; n < CELL_T; n++)
                if (PLANE_PLACE(DERIVATIVE_T(n)) == a)
                    w[m] += test[DERIVATIVE_T(n) == DIM][s] * scratch[CELL_WEIGHT(n, m, at)];
        }
#if FORM_TRIAL_DERIVATIVES
        for (int b = 0; b < DIM; b++)
            for (int d = 0; d < DIM; d++)
                inverse[b][d] = trial[b == DIM - 1][s] * scratch[CELL_INVERSE(b, d, at)];
#endif
#pragma unroll
        for (int n = 0; n < CELL_U; n++) {
            unit_function(p, inverse, DERIVATIVE_U(n));
            if (DERIVATIVE_U(n) == 0)
                p[0] = trial[0][s];
            form_accumulate(c[PLANE_PLACE(DERIVATIVE_U(n))], w, p);
        }
    }
    for (int b = 0; b < N_U; b++)
        for (int k = 0; k < FORM_SUMS; k++)
            scratch[SCRATCH_PLANE + PLANE_C(k, a, b, q)] = c[b][k];
}
#define OUTER_TASKS N_T
#else
/* Step 2 at point q of the plane, for sum k. */
static void sum_outer_point(__global realv *scratch, const real (*test)[NS], const real (*trial)[NS], int k, int q)
{
    realv c[N_T][N_U];
    for (int a = 0; a < N_T; a++)
        for (int b = 0; b < N_U; b++)
            c[a][b] = 0;
    for (int s = 0; s < NS; s++) {
#pragma unroll
        for (int a = 0; a < CELL_T; a++)
#pragma unroll
            for (int b = 0; b < CELL_U; b++)
                c[PLANE_PLACE(DERIVATIVE_T(a))][PLANE_PLACE(DERIVATIVE_U(b))] +=
                    test[DERIVATIVE_T(a) == DIM][s] * trial[DERIVATIVE_U(b) == DIM][s] *
                    scratch[CELL_C(k, a, b, s * PLANE_QUAD + q)];
    }
    for (int a = 0; a < N_T; a++)
        for (int b = 0; b < N_U; b++)
            scratch[SCRATCH_PLANE + PLANE_C(k, a, b, q)] = c[a][b];
}
#define OUTER_TASKS FORM_SUMS
#endif

/* Step 2: C summed over the second line with its functions k and l. */
static void sum_outer_line(__global realv *scratch, __global const real *tables, int k, int l, int item)
{
    real test[2][NS], trial[2][NS];
    for (int D = 0; D < 2; D++)
        for (int s = 0; s < NS; s++) {
            test[D][s] = LINE(D, k, s);
            trial[D][s] = LINE(D, l, s);
        }
    for (int t = item; t < PLANE_QUAD; t += LOCAL)
#pragma unroll
        for (int n = 0; n < OUTER_TASKS; n++)
            sum_outer_point(scratch, test, trial, n, t);
}
#endif

/* Step 3, for n_bases functions b from `first` on and the line points from s0 on. */
#if STORED_FACTORS && !OUTER
INLINE void apply_test_base(__local realv *room, __global const realv *scratch, __global const real *tables, int first,
                            int n_bases, int s0, int item)
{
    for (int t = item; t < POINTS * NR; t += LOCAL) {
        const int r = t % NR, s = t / NR;
        realv all[CELL_T][FORM_WEIGHTS], inverse[DIM][DIM];
        load_factors(all, inverse, scratch, s0 * NR + t);
        for (int i = 0; i < n_bases; i++)
#pragma unroll
            for (int A = 0; A < TERMS_A; A++) {
                realv w[FORM_WEIGHTS];
#pragma unroll
                for (int m = 0; m < FORM_WEIGHTS; m++) {
                    w[m] = 0;
#pragma unroll
                    for (int a = A ? T_BASE : 0; a < (A ? N_T : T_BASE); a++)
                        w[m] += BASE_BY_FUNCTION(first + i, A ? 0 : a + 1 - T_VALUE)[r] * all[a][m];
                }
#pragma unroll
                for (int b = 0; b < N_U; b++) {
                    realv p[DIM + 1], sum[FORM_SUMS];
                    unit_function(p, inverse, b + 1 - U_VALUE);
                    weigh_trial(sum, w, p);
                    for (int k = 0; k < FORM_SUMS; k++)
                        room[X_AT(i, s, A, k, b, r)] = sum[k];
                }
            }
    }
}
#else
INLINE void apply_test_base(__local realv *room, __global const realv *c, __global const real *tables, int first,
                            int n_bases, int s0, int item)
{
    for (int t = item; t < POINTS * NR * FORM_SUMS; t += LOCAL) {
        const int r = t % NR, s = t / NR % POINTS, k = t / (NR * POINTS);
#pragma unroll
        for (int b = 0; b < N_U; b++) {
            realv at_point[N_T];
#pragma unroll
            for (int a = 0; a < N_T; a++)
                at_point[a] = c[PLANE_C(k, a, b, (s0 + s) * NR + r)];
            for (int i = 0; i < n_bases; i++) {
                realv value = 0;
#pragma unroll
                for (int a = 0; a < T_BASE; a++)
                    value += BASE_BY_FUNCTION(first + i, a + 1 - T_VALUE)[r] * at_point[a];
                room[X_AT(i, s, 0, k, b, r)] = value;
#if FORM_TEST_DERIVATIVES
                room[X_AT(i, s, 1, k, b, r)] = BASE_BY_FUNCTION(first + i, 0)[r] * at_point[T_BASE];
#endif
            }
        }
    }
}
#endif

/* A number of step 4 to its place in H: row (i, s, A, k) of the points from s0 on. */
INLINE void put_product(__local realv *room, realv value, int row, int s0, int B, int column)
{
    const int k = row % FORM_SUMS, A = row / FORM_SUMS % TERMS_A, point = row / POINT_ROWS;
    room[H_AT(k, point / POINTS, A, B, s0 + point % POINTS, column)] = value;
}

#if MATRIX_UNIT
#define WARPS (LOCAL / 32)
#define FRAGMENTS ((COLUMNS + 7) / 8 < 5 ? (COLUMNS + 7) / 8 : 5) /* of 16 x 8 side by side, a warp */

/* Step 4 on the matrix unit: a warp takes 16 rows, 8 FRAGMENTS columns and one of the trial's terms. */
INLINE void apply_trial_base(__local real *room, __global const real *tables, int first, int n_columns, int n_bases,
                             int s0, int item)
{
    const int lane = item % 32, g = lane / 4, t = lane % 4, n_rows = n_bases * POINTS * POINT_ROWS;
    const int row_tiles = (n_rows + 15) / 16, column_tiles = (n_columns + 8 * FRAGMENTS - 1) / (8 * FRAGMENTS);
    for (int task = item / 32; task < row_tiles * column_tiles * TERMS_B; task += WARPS) {
        const int B = task % TERMS_B, row = task / TERMS_B % row_tiles * 16 + g, n = B ? NR : U_BASE * NR;
        const int column = task / (TERMS_B * row_tiles) * (8 * FRAGMENTS);
        const int upper = min(row, n_rows - 1) * ROW_LENGTH, lower = min(row + 8, n_rows - 1) * ROW_LENGTH;
        __local const real *x = room + B * (U_BASE * NR) + t;
        __global const real *table = BASE_BY_POINT(B ? 0 : 1 - U_VALUE) + first + column + g;
        real sum[FRAGMENTS][4];
#pragma unroll
        for (int c = 0; c < FRAGMENTS * 4; c++)
            sum[c / 4][c % 4] = 0;
#pragma unroll 2
        for (int m = 0; m < n; m += 4) {
            const bool inside = m + t < n;
            const real a[2] = {inside ? x[upper + m] : 0, inside ? x[lower + m] : 0};
#pragma unroll
            for (int c = 0; c < FRAGMENTS; c++)
                multiply_add(sum[c], a, inside ? table[(m + t) * BASE_COLUMNS + c * 8] : 0);
        }
#pragma unroll
        for (int c = 0; c < FRAGMENTS; c++)
#pragma unroll
            for (int h = 0; h < 4; h++) {
                const int at_row = row + h / 2 * 8, at_column = column + c * 8 + 2 * t + h % 2;
                if (at_row < n_rows && at_column < n_columns)
                    put_product(room, sum[c][h], at_row, s0, B, at_column);
            }
    }
}
#else
/* sum[i][j] = sum_m x[i][m] table[m][j * stride] */
INLINE void multiply_tile(realv (*sum)[TILE_COLUMNS], __local const realv *x, __global const real *table, int n,
                          int stride)
{
    for (int i = 0; i < TILE_ROWS; i++)
        for (int j = 0; j < TILE_COLUMNS; j++)
            sum[i][j] = 0;
    for (int m = 0; m < n; m++) {
        real at_column[TILE_COLUMNS];
#pragma unroll
        for (int j = 0; j < TILE_COLUMNS; j++)
            at_column[j] = table[m * BASE_COLUMNS + j * stride];
#pragma unroll
        for (int i = 0; i < TILE_ROWS; i++) {
            const realv at_row = x[i * ROW_LENGTH + m];
#pragma unroll
            for (int j = 0; j < TILE_COLUMNS; j++)
                sum[i][j] += at_row * at_column[j];
        }
    }
}

/* Step 4, for functions c from `first` on, n_columns of them (whole tiles). In a group the columns of a tile stand
   apart, so that neighbours read neighbours. */
INLINE void apply_trial_base(__local realv *room, __global const real *tables, int first, int n_columns, int n_bases,
                             int s0, int item)
{
    const int tiles_a_row = n_columns / TILE_COLUMNS, n_rows = n_bases * POINTS * POINT_ROWS;
    const int stride = LOCAL == 1 ? 1 : tiles_a_row, step = LOCAL == 1 ? TILE_COLUMNS : 1;
    for (int t = item; t < n_rows / TILE_ROWS * tiles_a_row; t += LOCAL) {
        const int row = t / tiles_a_row * TILE_ROWS, column = t % tiles_a_row * step;
#pragma unroll
        for (int B = 0; B < TERMS_B; B++) {
            realv sum[TILE_ROWS][TILE_COLUMNS];
            multiply_tile(sum, room + row * ROW_LENGTH + B * (U_BASE * NR),
                     BASE_BY_POINT(B ? 0 : 1 - U_VALUE) + first + column, B ? NR : U_BASE * NR, stride);
#pragma unroll
            for (int i = 0; i < TILE_ROWS; i++)
#pragma unroll
                for (int j = 0; j < TILE_COLUMNS; j++)
                    put_product(room, sum[i][j], row + i, s0, B, column + j * stride);
        }
    }
}
#endif

/* On CPUs whole cache lines go past the caches: nothing reads a matrix again before it is out of them. */
#if defined(REAL_F64)
#define VECTOR_BYTES (8 * LANES)
#else
#define VECTOR_BYTES (4 * LANES)
#endif
#if LOCAL == 1 && VECTOR_BYTES >= 64
#define STORE(value, place) STORE_PAST_CACHES(value, place)
#else
#define STORE(value, place) place = value
#endif

static void put_block(__global realv *matrix, const realv *block, int i, int j, bool transposed)
{
    __global realv *at = matrix + ENTRY_AT(PAIR(i, j), 0);
    for (int iE = 0; iE < N_E; iE++)
        for (int jE = 0; jE < N_E; jE++)
            STORE(transposed ? block[jE * N_E + iE] : block[iE * N_E + jE], at[(iE * N_E + jE) * ENTRY_STRIDE]);
}

/* The block of (i, j) to its place; of a symmetric matrix also, or only, the one above the diagonal. */
static void store_block(__global realv *matrix, const realv *block, int i, int j)
{
#if FORM_SYMMETRIC && SYMMETRIC
    put_block(matrix, block, min(i, j), max(i, j), i > j);
#else
    put_block(matrix, block, i, j, false);
    if (FORM_SYMMETRIC && i != j)
        put_block(matrix, block, j, i, true);
#endif
}

/* Step 5: what a set of base functions and a pair of the second line's give. */
typedef struct {
    int first_base, n_bases, first_column, n_columns;
    int outer_k, outer_l;
    bool diagonal; /* symmetric: only pairs (b, k) <= (c, l) */
} section;

#if LOCAL > 1
/* n / d from over = 1 / d, much faster than the division of integers; right for n below 2^20. */
static int quotient_of(int n, float over)
{
    return (int)(((float)n + 0.5f) * over);
}
#endif

INLINE void apply_lines(__local const realv *room, __global const real *tables, const realv *cc,
                        __global realv *matrix, const section *p, int item)
{
    const int n_line_tiles = LINE_ROW / LINE_TILE, n = p->n_bases * p->n_columns * NF * n_line_tiles;
#if LOCAL > 1
    const float over_columns = 1.0f / p->n_columns, over_bases = 1.0f / p->n_bases;
#endif
    for (int t = item; t < n; t += LOCAL) {
#if LOCAL == 1
        const int k = t % NF, l0 = t / NF % n_line_tiles * LINE_TILE, pair = t / (NF * n_line_tiles);
        const int column = pair % p->n_columns, i = pair / p->n_columns;
#else
        const int row = quotient_of(t, over_columns), column = t - row * p->n_columns, k = row % NF;
        const int l = quotient_of(row / NF, over_bases), i = row / NF - l * p->n_bases, l0 = l * LINE_TILE;
#endif
        const int b = p->first_base + i, c = p->first_column + column;
        if (p->diagonal && (c < b || (c == b && l0 + LINE_TILE <= k)))
            continue;
        realv sum[LINE_TILE][FORM_SUMS];
        real test[TERMS_A][NS];
#pragma unroll
        for (int A = 0; A < TERMS_A; A++)
#pragma unroll
            for (int s = 0; s < NS; s++)
                test[A][s] = LINE(A, k, s);
/* On GPUs the sums stay in registers. On CPUs they need not, and PoCL 3.1 makes wrong code of the long body. */
#if !defined(__x86_64__) && !defined(__aarch64__)
#pragma unroll
#endif
        for (int m = 0; m < FORM_SUMS; m++) {
            realv at_lines[LINE_TILE];
#pragma unroll
            for (int l = 0; l < LINE_TILE; l++)
                at_lines[l] = 0;
#pragma unroll
            for (int s = 0; s < NS; s++)
#pragma unroll
                for (int B = 0; B < TERMS_B; B++) {
                    realv x = 0;
#pragma unroll
                    for (int A = 0; A < TERMS_A; A++)
                        x += test[A][s] * room[H_AT(m, i, A, B, s, column)];
#pragma unroll
                    for (int l = 0; l < LINE_TILE; l++)
                        at_lines[l] += x * line_table[(s * 2 + B) * LINE_ROW + l0 + l];
                }
#pragma unroll
            for (int l = 0; l < LINE_TILE; l++)
                sum[l][m] = at_lines[l];
        }
        const int row_node = NODE(b, k, p->outer_k);
#pragma unroll
        for (int l = 0; l < LINE_TILE; l++)
            if (l0 + l < NF && !(p->diagonal && c == b && l0 + l < k)) {
                realv block[ENTRIES];
                form_finish(block, sum[l], cc);
                store_block(matrix, block, row_node, NODE(c, l0 + l, p->outer_l));
            }
    }
}

#define N_BLOCKS ((N_BASE + BASES - 1) / BASES)
#define N_OUTER_PAIRS (OUTER ? (FORM_SYMMETRIC ? NF * (NF + 1) / 2 : NF * NF) : 1)

/* Functions of the second line of pair number n: the upper ones of a symmetric form, row by row, or all. */
static void outer_pair(section *p, int n)
{
    const int before = FORM_SYMMETRIC;
    p->outer_k = 0;
    while (n >= NF - before * p->outer_k) {
        n -= NF - before * p->outer_k;
        p->outer_k++;
    }
    p->outer_l = before * p->outer_k + n;
}

/* Steps 3 to 5 for a block of base functions. */
INLINE void integrate_section(__local realv *room, __global const realv *c, __global const real *tables,
                              const realv *cc, __global realv *matrix, section *p, int item)
{
    const int first = p->diagonal ? p->first_base / TILE_COLUMNS * TILE_COLUMNS : 0;
    for (p->first_column = first; p->first_column < N_BASE; p->first_column += COLUMNS) {
        p->n_columns = min(COLUMNS, N_BASE - p->first_column);
        const int whole_tiles = (p->n_columns + TILE_COLUMNS - 1) / TILE_COLUMNS * TILE_COLUMNS;
        for (int s0 = 0; s0 < NS; s0 += POINTS) {
            apply_test_base(room, c, tables, p->first_base, p->n_bases, s0, item);
            BARRIER(CLK_LOCAL_MEM_FENCE);
            apply_trial_base(room, tables, p->first_column, whole_tiles, p->n_bases, s0, item);
            BARRIER(CLK_LOCAL_MEM_FENCE);
        }
        apply_lines(room, tables, cc, matrix, p, item);
    }
}

/* The matrix of a set: this group's share of the sections. */
INLINE void integrate_matrix(__local realv *room, __global realv *scratch, __global const real *tables,
                             const realv *cc, __global realv *matrix, int item)
{
    const int n_sections = N_OUTER_PAIRS * N_BLOCKS, share = get_group_id(1), n_shares = get_num_groups(1);
    int last_pair = -1;
    for (int n = share * n_sections / n_shares; n < (share + 1) * n_sections / n_shares; n++) {
        section p;
        p.first_base = n % N_BLOCKS * BASES;
        p.n_bases = min(BASES, N_BASE - p.first_base);
        outer_pair(&p, n / N_BLOCKS);
        p.diagonal = FORM_SYMMETRIC && p.outer_k == p.outer_l;
#if OUTER
        if (n / N_BLOCKS != last_pair) {
            sum_outer_line(scratch, tables, p.outer_k, p.outer_l, item);
            BARRIER(CLK_GLOBAL_MEM_FENCE);
            last_pair = n / N_BLOCKS;
        }
        integrate_section(room, scratch + SCRATCH_PLANE, tables, cc, matrix, &p, item);
#else
        integrate_section(room, scratch, tables, cc, matrix, &p, item);
#endif
    }
}

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    __local realv room[ROOM];
    const int item = get_local_id(0);
    const int n_sets = (count + LANES - 1) / LANES;
    const inputs in = INPUTS;
    __global realv *scratch =
        all_scratch + ((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * SCRATCH_SIZE;

    const int worker = get_group_id(0), end = END_OF_SETS(worker, n_sets);
    for (int set = FIRST_SET(worker, n_sets); set < end; set += SET_STEP) {
        const int e0 = first + set * LANES;
        realv cc[ATLEAST1(FORM_CONSTANTS)];
        element_constants(cc, &in, e0);
        BARRIER(CLK_GLOBAL_MEM_FENCE); /* the elements before are done with */
        evaluate_points(scratch, &in, geometry + (long)(first / LANES + set) * (N_GEO * DIM), weights, cc, e0, item);
        BARRIER(CLK_GLOBAL_MEM_FENCE);
#if FORM_LOAD
        if (get_group_id(1) == 0)
            integrate_load(room, scratch, tables, vectors + (long)set * (N_SHAPE * N_E), item);
#endif
        integrate_matrix(room, scratch, tables, cc, matrices + (long)set * MATRIX_ENTRIES, item);
    }
}
