/* Method "factor": what its work-groups keep in memory, and what comes of the points: step 1 of factor.cl, and the element
   vector. Compile-time parameters: those of factor.cl. */

#define NF N_LINE
#define NS N_LINE_POINTS
#define NR N_BASE_POINTS
#define PLANE_QUAD (NS * NR)
#define OUTER (N_LINES == 2)

/* The reference derivatives that A reads of test and trial functions: index a stands for derivative a, or a + 1 where
   the value is not among them. */
#define CELL_T (FORM_TEST_VALUE + FORM_TEST_DERIVATIVES * DIM)
#define CELL_U (FORM_TRIAL_VALUE + FORM_TRIAL_DERIVATIVES * DIM)
#define DERIVATIVE_T(a) ((a) + 1 - FORM_TEST_VALUE)
#define DERIVATIVE_U(b) ((b) + 1 - FORM_TRIAL_VALUE)

/* The same on the plane of base and line: first those that ask for the line's value, then its derivative. */
#define T_VALUE (OUTER || FORM_TEST_VALUE)
#define U_VALUE (OUTER || FORM_TRIAL_VALUE)
#define T_BASE (T_VALUE + FORM_TEST_DERIVATIVES * BASE_DIM)
#define U_BASE (U_VALUE + FORM_TRIAL_DERIVATIVES * BASE_DIM)
#define N_T (T_BASE + FORM_TEST_DERIVATIVES)
#define N_U (U_BASE + FORM_TRIAL_DERIVATIVES)
#define TERMS_A (1 + FORM_TEST_DERIVATIVES)
#define TERMS_B (1 + FORM_TRIAL_DERIVATIVES)

/* Scratch of a group in global memory, in realv: C of the cell or what it is made from, the load at all points, C of
   the plane. */
#define CELL_WEIGHTS (CELL_T * FORM_WEIGHTS)
#define CELL_FACTORS (CELL_WEIGHTS + FORM_TRIAL_DERIVATIVES * DIM * DIM)
#define STORED_FACTORS (FORM_SUMS * CELL_T * CELL_U > CELL_FACTORS)
#define CELL_C(k, a, b, q) ((((k) * CELL_T + (a)) * CELL_U + (b)) * N_QUAD + (q))
#define CELL_WEIGHT(a, m, q) (((a) * FORM_WEIGHTS + (m)) * N_QUAD + (q))
#define CELL_INVERSE(b, d, q) ((CELL_WEIGHTS + (b) * DIM + (d)) * N_QUAD + (q))
#define SCRATCH_LOAD ((STORED_FACTORS ? CELL_FACTORS : FORM_SUMS * CELL_T * CELL_U) * N_QUAD)
#define LOADS (FORM_LOAD * (1 + FORM_LOAD_DERIVATIVES * DIM))
#define LOAD_AT(D, E, q) (SCRATCH_LOAD + ((D) * N_E + (E)) * N_QUAD + (q))
#define SCRATCH_PLANE LOAD_AT(LOADS, 0, 0)
#define PLANE_C(k, a, b, q) ((((k) * N_T + (a)) * N_U + (b)) * PLANE_QUAD + (q))
#define SCRATCH_SIZE (SCRATCH_PLANE + OUTER * PLANE_C(FORM_SUMS, 0, 0, 0))

/* Local memory, in realv: X and H; the load's sums take their place before. */
#define POINT_ROWS (TERMS_A * FORM_SUMS)
#if LOCAL == 1
#define ROW_LENGTH (N_U * NR)
#else
#define ROW_LENGTH ((N_U * NR + 3) / 8 * 8 + 4) /* 4 modulo 8: rows side by side begin in other banks */
#endif
#define X_AT(i, s, A, k, b, r) \
    (((((i) * POINTS + (s)) * TERMS_A + (A)) * FORM_SUMS + (k)) * ROW_LENGTH + (b) * NR + (r))
#define LOCAL_H X_AT(BASES, 0, 0, 0, 0, 0)
#if LOCAL == 1
#define H_AT(k, i, A, B, s, c) \
    (LOCAL_H + ((((((i) * COLUMNS + (c)) * FORM_SUMS + (k)) * NS + (s)) * TERMS_B + (B)) * TERMS_A + (A)))
#else
#define H_AT(k, i, A, B, s, c) \
    (LOCAL_H + ((((((k) * BASES + (i)) * TERMS_A + (A)) * TERMS_B + (B)) * NS + (s)) * COLUMNS + (c)))
#endif
#define LOAD_TERMS (1 + FORM_LOAD_DERIVATIVES * BASE_DIM)
#define LOAD_SUM(k, D, E, r) ((((k) * LOAD_TERMS + (D)) * N_E + (E)) * NR + (r))

/* The method's tables: the base by points [D][r][c], rows filled up to BASE_COLUMNS with zeros; by functions
   [b][D][r]; the line by functions [D][k][s]; numbers of shape functions [second line][line][base]. */
#define BASE_COLUMNS ((N_BASE + TILE_COLUMNS - 1) / TILE_COLUMNS * TILE_COLUMNS)
#define BASE_BY_POINT(D) (tables + (D) * (NR * BASE_COLUMNS))
#define BASE_BY_FUNCTION(b, D) (tables + (1 + BASE_DIM) * NR * BASE_COLUMNS + ((b) * (1 + BASE_DIM) + (D)) * NR)
#define LINES_AT ((1 + BASE_DIM) * NR * (BASE_COLUMNS + N_BASE))
#define LINE(D, k, s) tables[LINES_AT + ((D) * NF + (k)) * NS + (s)]
#define NODE(b, k, outer) ((int)tables[LINES_AT + 2 * NF * NS + ((outer) * NF + (k)) * N_BASE + (b)])

#define LINE_ROW ((NF + LINE_TILE - 1) / LINE_TILE * LINE_TILE)
__constant real line_table[NS * 2 * LINE_ROW] = {LINE_TABLE};

#if LOCAL == 1
#define BARRIER(fence)
#else
#define BARRIER(fence) barrier(fence)
#endif

/* A function whose reference derivative D is 1 and whose others are 0, with its derivatives in space. */
static void unit_function(realv *p, realv (*inverse)[DIM], int D)
{
    p[0] = D == 0;
    for (int d = 0; d < DIM; d++)
        p[d + 1] = D ? inverse[D - 1][d] : 0;
}

/* What weights and a trial function give to each sum. */
static void weigh_trial(realv *sum, const realv *w, const realv *p)
{
    for (int k = 0; k < FORM_SUMS; k++)
        sum[k] = 0;
    form_accumulate(sum, w, p);
}

#if STORED_FACTORS
/* The weights of all test derivatives and the Jacobian's inverse at point q of the cell. */
static void load_factors(realv (*w)[FORM_WEIGHTS], realv (*inverse)[DIM], __global const realv *scratch, int q)
{
#pragma unroll
    for (int a = 0; a < CELL_T; a++)
#pragma unroll
        for (int m = 0; m < FORM_WEIGHTS; m++)
            w[a][m] = scratch[CELL_WEIGHT(a, m, q)];
#if FORM_TRIAL_DERIVATIVES
#pragma unroll
    for (int b = 0; b < DIM; b++)
#pragma unroll
        for (int d = 0; d < DIM; d++)
            inverse[b][d] = scratch[CELL_INVERSE(b, d, q)];
#endif
}
#endif

/* Step 1: C, or what it is made from, and the load's factors at all points. */
static void evaluate_points(__global realv *scratch, const inputs *in, __global const realv *nodes,
                            __global const real *weights, const realv *cc, int e0, int item)
{
    for (int q = item; q < N_QUAD; q += LOCAL) {
        realv inverse[DIM][DIM], cv[ATLEAST1(FORM_VARYING)], p[DIM + 1], w[FORM_WEIGHTS];
        const realv vol = map_point(inverse, nodes, in->geo, q) * weights[q];
#if FORM_VARYING
        point_coefficients(cv, in, nodes, inverse, e0, q);
#endif
#pragma unroll
        for (int a = 0; a < CELL_T; a++) {
            unit_function(p, inverse, DERIVATIVE_T(a));
            form_weight(w, cc, cv, vol, p);
#if STORED_FACTORS
            for (int m = 0; m < FORM_WEIGHTS; m++)
                scratch[CELL_WEIGHT(a, m, q)] = w[m];
#else
#pragma unroll
            for (int b = 0; b < CELL_U; b++) {
                realv sum[FORM_SUMS];
                unit_function(p, inverse, DERIVATIVE_U(b));
                weigh_trial(sum, w, p);
                for (int k = 0; k < FORM_SUMS; k++)
                    scratch[CELL_C(k, a, b, q)] = sum[k];
            }
#endif
        }
#if STORED_FACTORS && FORM_TRIAL_DERIVATIVES
        for (int b = 0; b < DIM; b++)
            for (int d = 0; d < DIM; d++)
                scratch[CELL_INVERSE(b, d, q)] = inverse[b][d];
#endif
#pragma unroll
        for (int D = 0; D < LOADS; D++) {
            realv f[N_E];
            for (int E = 0; E < N_E; E++)
                f[E] = 0;
            unit_function(p, inverse, D);
            form_load(f, cc, cv, vol, p);
            for (int E = 0; E < N_E; E++)
                scratch[LOAD_AT(D, E, q)] = f[E];
        }
    }
}

#if FORM_LOAD
/* The load's sums over the lines for functions (k, outer), at the base's points: D = 0 what asks for the base's value,
   else its derivatives. */
INLINE void sum_load_lines(__local realv *room, __global const realv *scratch, __global const real *tables, int outer,
                           int item)
{
    for (int t = item; t < LOAD_SUM(NF, 0, 0, 0); t += LOCAL) {
        const int r = t % NR, E = t / NR % N_E, D = t / (NR * N_E) % LOAD_TERMS, k = t / (NR * N_E * LOAD_TERMS);
        realv sum = 0;
        for (int q = r; q < N_QUAD; q += NR) {
            const int s = q / NR % NS, outer_s = q / PLANE_QUAD;
            const real other = OUTER ? LINE(0, outer, outer_s) : 1;
            sum += LINE(0, k, s) * other * scratch[LOAD_AT(D, E, q)];
#if FORM_LOAD_DERIVATIVES
            if (D == 0) {
                sum += LINE(1, k, s) * other * scratch[LOAD_AT(BASE_DIM + 1, E, q)];
#if OUTER
                sum += LINE(0, k, s) * LINE(1, outer, outer_s) * scratch[LOAD_AT(DIM, E, q)];
#endif
            }
#endif
        }
        room[LOAD_SUM(k, D, E, r)] = sum;
    }
}

INLINE void integrate_load(__local realv *room, __global const realv *scratch, __global const real *tables,
                           __global realv *vector, int item)
{
    for (int outer = 0; outer < (OUTER ? NF : 1); outer++) {
        sum_load_lines(room, scratch, tables, outer, item);
        BARRIER(CLK_LOCAL_MEM_FENCE);
        for (int t = item; t < N_BASE * NF; t += LOCAL) {
            const int b = t % N_BASE, k = t / N_BASE;
            for (int E = 0; E < N_E; E++) {
                realv sum = 0;
                for (int D = 0; D < LOAD_TERMS; D++)
                    for (int r = 0; r < NR; r++)
                        sum += BASE_BY_FUNCTION(b, D)[r] * room[LOAD_SUM(k, D, E, r)];
                vector[NODE(b, k, outer) * N_E + E] = sum;
            }
        }
        BARRIER(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
