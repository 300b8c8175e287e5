/* Method "tensor": element matrices on affine cells as the contraction of a reference tensor K, of the form and the cell
   alone, with a geometry tensor G, a few numbers an element (reference_tensor.h). Knepley and Terrel (2013).

   A work-group takes BATCH elements at once. ITEMS of its work-items share the pairs (i, j) of an element, and so many
   sets of them work at once that CONCURRENT vectors of LANES elements are under way; ROUNDS such follow each other. A
   work-item has PAIRS pairs at once, whose K is in registers, for ELEMENTS vectors of elements.

   G_LOCAL: the group makes G of the whole batch in local memory, then K of some pairs is read once for the batch. Else each
   work-item makes G of its elements in registers and K passes by. CODE: K stands in the code, without what is 0 and with
   equal entries computed once; a work-item then has all pairs of its elements.

   LOAD_AT_POINTS: the load varies in an element, and is summed over the points. A work-item makes F at the points of its
   elements (make_loads), then has parts of LOAD_ROWS rows, whose sums are in registers (sum_part).

   After layout.cl and element.cl. Compile-time parameters: theirs and
   LANES, CONCURRENT, ROUNDS, ITEMS, PAIRS, ELEMENTS
   INTERLEAVED (element matrices interleaved by CONCURRENT * LANES, or one after the other)
   STORE_AT_ONCE (each entry when it is computed, or all that belong together afterwards), UNROLL (loops over products, pairs
   and elements), G_LOCAL, GATHER (nodes come from the mesh), CODE, STREAM (results go past the caches)
   PROJECTED (the map is not affine: G is projected to the coefficients' space, from its values at the points)
   N_PAIRS, N_PRODUCTS, N_LOADS, MATRIX_MODES, LOAD_MODES, N_MODES (of a pattern), K_TERMS (numbers a row of the table, even)
   LOAD_AT_POINTS, LOAD_ROWS
   TENSOR_PRODUCTS(X) X(n, alpha, beta), TENSOR_LOADS(X) X(n, alpha)
   TENSOR_CODE(G, PUT): PUT(pair, value) for each pair from G(term), where CODE
   AXIS_NODES: the nodes at the ends of the reference axes, of node 0 as origin
   L_AT, PROJECTION_AT: places in the tables, behind K [pair][term]; L is [row][term], or [part][point][load][row of the part] */

#define WIDTH (CONCURRENT * LANES)
#define BATCH (WIDTH * ROUNDS)
#define GROUP (CONCURRENT * ITEMS)
#define VECTORS (CONCURRENT * ROUNDS)
#define N_TERMS (MATRIX_MODES * N_PRODUCTS)
#define N_LOAD_TERMS (LOAD_MODES * N_LOADS)
#define LOADS_AT (ENTRIES * N_TERMS)
#define N_G (LOADS_AT + (FORM_LOAD && !LOAD_AT_POINTS) * N_E * N_LOAD_TERMS)
#define MATRIX_ROUNDS ((N_PAIRS + PAIRS * ITEMS - 1) / (PAIRS * ITEMS))

#if UNROLL
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("unroll 1")
#endif

__constant int axis_nodes[] = {AXIS_NODES};

/* ---- Geometry ---- */

#define ALL_NODES (FORM_READS_X || PROJECTED)

/* Coordinates of the elements e0 .. e0 + LANES - 1, relative to their first nodes: those at the ends of the axes, or all
   where the coefficients read the place, or the map is not affine. */
static void read_nodes(realv *x, __global const realv *geometry, __global const int *cells, int e0, int n_cells)
{
#if INTERLEAVED && !GATHER
    __global const realv *from = geometry + (long)(e0 / WIDTH) * (N_GEO * DIM) * CONCURRENT + e0 % WIDTH / LANES;
#endif
#pragma unroll
    for (int b = 0; b < (ALL_NODES ? N_GEO : DIM); b++) {
        const int g = ALL_NODES ? b : axis_nodes[b];
#if INTERLEAVED && !GATHER
#pragma unroll
        for (int a = 0; a < DIM; a++)
            x[g * DIM + a] = from[(g * DIM + a) * CONCURRENT];
#else
        for (int lane = 0; lane < LANES; lane++) {
            const long e = min(e0 + lane, n_cells - 1);
#pragma unroll
            for (int a = 0; a < DIM; a++)
#if GATHER
                ((real *)&x[g * DIM + a])[lane] =
                    ((__global const real *)geometry)[(long)cells[e * N_GEO + g] * DIM + a] -
                    ((__global const real *)geometry)[(long)cells[e * N_GEO] * DIM + a];
#else
                ((real *)&x[g * DIM + a])[lane] = ((__global const real *)geometry)[(e * N_GEO + g) * DIM + a];
#endif
        }
#endif
    }
}

/* Row alpha: what D_alpha in space takes of the reference derivatives. */
static void fill_rows(realv (*T)[DIM + 1], realv (*inverse)[DIM])
{
#pragma unroll
    for (int alpha = 0; alpha <= DIM; alpha++)
#pragma unroll
        for (int D = 0; D <= DIM; D++)
            T[alpha][D] = alpha > 0 && D > 0 ? inverse[max(alpha, 1) - 1][max(D, 1) - 1] : (realv)(alpha == D);
}

/* The inverse of the affine map; returns det J. */
static realv map_cell(realv (*inverse)[DIM], const realv *x)
{
    realv J[DIM][DIM];
#pragma unroll
    for (int b = 0; b < DIM; b++)
#pragma unroll
        for (int a = 0; a < DIM; a++)
            J[a][b] = x[axis_nodes[b] * DIM + a];
    return invert(inverse, J);
}

/* The numbers of a mode, from g[first] on, of n_terms of each entry: the form is bilinear, so its own functions give them for
   the rows of T. */
static void put_products(realv *g, int n_terms, int first, const realv *cc, const realv *cv, realv det,
                         realv (*T)[DIM + 1])
{
#define ONE_PRODUCT(n, alpha, beta)                                                                                    \
    {                                                                                                                  \
        realv w[FORM_WEIGHTS], sum[FORM_SUMS], block[ENTRIES];                                                         \
        _Pragma("unroll") for (int s = 0; s < FORM_SUMS; s++) sum[s] = 0;                                              \
        form_weight(w, cc, cv, det, T[alpha]);                                                                         \
        form_accumulate(sum, w, T[beta]);                                                                              \
        form_finish(block, sum, cc);                                                                                   \
        _Pragma("unroll") for (int k = 0; k < ENTRIES; k++) g[k * n_terms + first + n] = block[k];                     \
    }
    TENSOR_PRODUCTS(ONE_PRODUCT)
}

static void put_loads(realv *g, int n_terms, int first, const realv *cc, const realv *cv, realv det, realv (*T)[DIM + 1])
{
#if FORM_LOAD
#define ONE_LOAD(n, alpha)                                                                                             \
    {                                                                                                                  \
        realv b[N_E];                                                                                                  \
        _Pragma("unroll") for (int k = 0; k < N_E; k++) b[k] = 0;                                                      \
        form_load(b, cc, cv, det, T[alpha]);                                                                           \
        _Pragma("unroll") for (int k = 0; k < N_E; k++) g[k * n_terms + first + n] = b[k];                             \
    }
    TENSOR_LOADS(ONE_LOAD)
#endif
}

#define MODES_VARY (MATRIX_MODES > 1 && !PROJECTED)
#if MODES_VARY
/* The coefficients in their space, from their values at the points. */
static void project_coefficients(realv (*modes)[FORM_VARYING], const inputs *in, const realv *x,
                                 realv (*inverse)[DIM], __global const real *tables, int e0)
{
    for (int m = 0; m < N_MODES; m++)
#pragma unroll
        for (int k = 0; k < FORM_VARYING; k++)
            modes[m][k] = 0;
    for (int q = 0; q < N_QUAD; q++) {
        realv cv[FORM_VARYING];
        point_coefficients(cv, in, x, inverse, e0, q);
        for (int m = 0; m < N_MODES; m++)
#pragma unroll
            for (int k = 0; k < FORM_VARYING; k++)
                modes[m][k] += cv[k] * tables[PROJECTION_AT + m * N_QUAD + q];
    }
}
#endif

#if PROJECTED
#define N_AT_POINT (ENTRIES * N_PRODUCTS)
#define N_LOADS_AT_POINT (FORM_LOAD * N_E * N_LOADS)

/* G and F at the points of the elements e0 .. e0 + LANES - 1, brought into the space. */
static void make_tensor(realv *g, const inputs *in, __global const realv *geometry, __global const int *cells,
                        __global const real *tables, int e0)
{
    realv x[N_GEO * DIM], cc[ATLEAST1(FORM_CONSTANTS)], cv[ATLEAST1(FORM_VARYING)];
    read_nodes(x, geometry, cells, e0, in->n_cells);
    element_constants(cc, in, e0);
    for (int t = 0; t < N_G; t++)
        g[t] = 0;
    for (int q = 0; q < N_QUAD; q++) {
        realv inverse[DIM][DIM], T[DIM + 1][DIM + 1], at[N_AT_POINT], loads[ATLEAST1(N_LOADS_AT_POINT)];
        const realv det = map_point(inverse, x, in->geo, q);
        fill_rows(T, inverse);
#if FORM_VARYING
        point_coefficients(cv, in, x, inverse, e0, q);
#endif
        put_products(at, N_PRODUCTS, 0, cc, cv, det, T);
        put_loads(loads, N_LOADS, 0, cc, cv, det, T);
        for (int m = 0; m < N_MODES; m++) {
            const real weight = tables[PROJECTION_AT + m * N_QUAD + q];
            for (int n = 0; n < N_AT_POINT; n++)
                g[n / N_PRODUCTS * N_TERMS + m * N_PRODUCTS + n % N_PRODUCTS] += weight * at[n];
            for (int n = 0; n < N_LOADS_AT_POINT; n++)
                g[LOADS_AT + n / N_LOADS * N_LOAD_TERMS + m * N_LOADS + n % N_LOADS] += weight * loads[n];
        }
    }
}
#else
/* G and F of the elements e0 .. e0 + LANES - 1. */
static void make_tensor(realv *g, const inputs *in, __global const realv *geometry, __global const int *cells,
                        __global const real *tables, int e0)
{
    realv x[N_GEO * DIM], inverse[DIM][DIM], T[DIM + 1][DIM + 1], cc[ATLEAST1(FORM_CONSTANTS)];
    read_nodes(x, geometry, cells, e0, in->n_cells);
    const realv det = map_cell(inverse, x);
    fill_rows(T, inverse);
    element_constants(cc, in, e0);
#if MODES_VARY
    realv modes[N_MODES][FORM_VARYING];
    project_coefficients(modes, in, x, inverse, tables, e0);
#else
    realv modes[1][1];
#endif
    for (int m = 0; m < MATRIX_MODES; m++)
        put_products(g, N_TERMS, m * N_PRODUCTS, cc, modes[m], det, T);
#if FORM_LOAD && !LOAD_AT_POINTS
    put_loads(g + LOADS_AT, N_LOAD_TERMS, 0, cc, modes[0], det, T);
#endif
}
#endif

#if LOAD_AT_POINTS
#define F_TERMS (N_E * N_LOADS)

/* F at the points of the elements e0 .. e0 + LANES - 1: [point][term]. */
static void make_loads(realv (*f)[F_TERMS], const inputs *in, __global const realv *geometry,
                       __global const int *cells, int e0)
{
    realv x[N_GEO * DIM], inverse[DIM][DIM], T[DIM + 1][DIM + 1], cc[ATLEAST1(FORM_CONSTANTS)], cv[FORM_VARYING];
    read_nodes(x, geometry, cells, e0, in->n_cells);
    const realv det = map_cell(inverse, x);
    fill_rows(T, inverse);
    element_constants(cc, in, e0);
    for (int q = 0; q < N_QUAD; q++) {
        point_coefficients(cv, in, x, inverse, e0, q);
        put_loads(f[q], N_LOADS, 0, cc, cv, det, T);
    }
}
#endif

/* ---- Writing ---- */

#if STREAM
#define STORE(value, place) STORE_PAST_CACHES(value, place)
#else
#define STORE(value, place) place = value
#endif

/* Entry number `entry` of n of the elements place .. place + LANES - 1 of the n_elements there, vector c of a round. */
static void put_number(__global realv *to, int n, int entry, realv value, int place, int c, int n_elements)
{
#if INTERLEAVED
    if (place - c * LANES < n_elements)
        STORE(value, to[((long)(place / WIDTH) * n + entry) * CONCURRENT + c]);
#else
    for (int lane = 0; lane < LANES; lane++)
        if (place + lane < n_elements)
            STORE(((const real *)&value)[lane], ((__global real *)to)[(long)(place + lane) * n + entry]);
#endif
}

/* What a work-item does: its place in the group, its elements, results. */
typedef struct {
    __global const real *tables;
    __global realv *matrices, *vectors;
    int c, s, share, first_place, n_elements;
} own;

/* Several groups share a batch, each with consecutive pairs: those that run together write what is together. */
#define N_SHARES ((int)get_num_groups(1))
#define FIRST_ROUND(share) ((int)((long)(share)*MATRIX_ROUNDS / N_SHARES))

#define PLACE(round) (o->first_place + (round)*WIDTH + o->c * LANES)

static void put_entry(const own *o, int round, int pair, int k, realv value)
{
    if (pair < N_PAIRS)
        put_number(o->matrices, MATRIX_ENTRIES, ENTRY_AT(pair, k), value, PLACE(round), o->c, o->n_elements);
}

/* ---- Contraction ---- */

/* G of an item: in registers [vector of its ELEMENTS][number], or in local memory [number][vector of the batch]; and those
   numbers that entry k takes. */
#if G_LOCAL
#define G_SPACE __local
#define G_NUMBER(round, x, t) g[(t)*VECTORS + ((round) + (x)) * CONCURRENT + o->c]
#define G_OF_ENTRY(round, x, k, t) G_NUMBER(round, x, (k)*N_TERMS + (t))
#else
#define G_SPACE
#define G_NUMBER(round, x, t) g[(x)*N_G + (t)]
#define G_OF_ENTRY(round, x, k, t) g[(x)*N_TERMS + (t)]
#endif

#if CODE
/* Entry k of all pairs, from `round` on for ELEMENTS rounds. */
INLINE void contract_code(const own *o, G_SPACE const realv *g, int round, int k)
{
    UNROLLED for (int x = 0; x < ELEMENTS; x++)
    {
#define G_TERM(t) G_NUMBER(round, x, k *N_TERMS + (t))
#if STORE_AT_ONCE
#define PUT(pair, value) put_entry(o, round + x, pair, k, value);
        TENSOR_CODE(G_TERM, PUT)
#else
#define PUT(pair, value) a[pair] = value;
        realv a[N_PAIRS];
        TENSOR_CODE(G_TERM, PUT)
        UNROLLED for (int pair = 0; pair < N_PAIRS; pair++) put_entry(o, round + x, pair, k, a[pair]);
#endif
    }
}
#else

#define PAIR_OF(r, q) (((r)*PAIRS + (q)) * ITEMS + o->s)

/* K of the item's pairs in round r of them. */
static void read_pairs(real (*kk)[K_TERMS], const own *o, int r)
{
    __global const real2 *from = (__global const real2 *)o->tables;
    UNROLLED for (int q = 0; q < PAIRS; q++)
    {
        const long row = min(PAIR_OF(r, q), N_PAIRS - 1) * (long)(K_TERMS / 2);
        UNROLLED for (int t = 0; t < K_TERMS / 2; t++)
        {
            const real2 two = from[row + t];
            kk[q][2 * t] = two.x;
            kk[q][2 * t + 1] = two.y;
        }
    }
}

/* Entry k of the item's pairs in ELEMENTS rounds. */
INLINE void contract_pairs(const own *o, G_SPACE const realv *g, real (*kk)[K_TERMS], int round, int r, int k,
                           realv (*a)[PAIRS])
{
    UNROLLED for (int q = 0; q < PAIRS; q++)
        UNROLLED for (int x = 0; x < ELEMENTS; x++)
    {
        realv sum = G_OF_ENTRY(round, x, k, 0) * kk[q][0];
        UNROLLED for (int t = 1; t < N_TERMS; t++) sum += G_OF_ENTRY(round, x, k, t) * kk[q][t];
#if STORE_AT_ONCE
        put_entry(o, round + x, PAIR_OF(r, q), k, sum);
#else
        a[x][q] = sum;
#endif
    }
}

static void put_pairs(const own *o, int round, int n_rounds, int r, int k, realv (*a)[PAIRS])
{
#if !STORE_AT_ONCE
    UNROLLED for (int x = 0; x < n_rounds; x++)
        UNROLLED for (int q = 0; q < PAIRS; q++) put_entry(o, round + x, PAIR_OF(r, q), k, a[x][q]);
#endif
}
#endif

#if LOAD_AT_POINTS
#define LOAD_PARTS ((N_SHAPE + LOAD_ROWS - 1) / LOAD_ROWS)
#define LOAD_SHARES min(N_SHARES, max(1, LOAD_PARTS / 4)) /* each makes F for itself: that has to be worth it */

/* The load of a part of the rows, in registers, of the elements of a round. */
static void sum_part(const own *o, realv (*f)[F_TERMS], int part, int round)
{
    __global const real *l = o->tables + L_AT + part * (N_QUAD * N_LOADS * LOAD_ROWS);
    realv sum[LOAD_ROWS][N_E];
#pragma unroll
    for (int r = 0; r < LOAD_ROWS; r++)
#pragma unroll
        for (int k = 0; k < N_E; k++)
            sum[r][k] = 0;
    for (int q = 0; q < N_QUAD; q++)
#pragma unroll
        for (int n = 0; n < N_LOADS; n++)
#pragma unroll
            for (int r = 0; r < LOAD_ROWS; r++)
#pragma unroll
                for (int k = 0; k < N_E; k++)
                    sum[r][k] += f[q][k * N_LOADS + n] * l[(q * N_LOADS + n) * LOAD_ROWS + r];
#pragma unroll
    for (int r = 0; r < LOAD_ROWS; r++)
#pragma unroll
        for (int k = 0; k < N_E; k++)
            if (part * LOAD_ROWS + r < N_SHAPE)
                put_number(o->vectors, N_SHAPE * N_E, (part * LOAD_ROWS + r) * N_E + k, sum[r][k], PLACE(round), o->c,
                           o->n_elements);
}
#endif

/* The load of the item's rows in a round, point by point. */
static void sum_load(const own *o, const inputs *in, __global const realv *geometry, __global const int *cells,
                     int first, int round)
{
#if LOAD_AT_POINTS
    realv f[N_QUAD][F_TERMS];
    int part = o->share * ITEMS + o->s;
    if (o->share >= LOAD_SHARES || part >= LOAD_PARTS || PLACE(round) >= o->n_elements)
        return;
    make_loads(f, in, geometry, cells, first + PLACE(round));
    for (; part < LOAD_PARTS; part += LOAD_SHARES * ITEMS)
        sum_part(o, f, part, round);
#endif
}

/* The load of the item's rows in ELEMENTS rounds, where it does not vary. */
INLINE void contract_load(const own *o, G_SPACE const realv *g, int round)
{
#if FORM_LOAD && !LOAD_AT_POINTS
    for (int i = o->share * ITEMS + o->s; i < N_SHAPE; i += N_SHARES * ITEMS) {
        __global const real *l = o->tables + L_AT + i * N_LOAD_TERMS;
        UNROLLED for (int x = 0; x < ELEMENTS; x++)
            UNROLLED for (int k = 0; k < N_E; k++)
        {
            realv sum = 0;
            UNROLLED for (int t = 0; t < N_LOAD_TERMS; t++)
                sum += G_NUMBER(round, x, LOADS_AT + k * N_LOAD_TERMS + t) * l[t];
            put_number(o->vectors, N_SHAPE * N_E, i * N_E + k, sum, PLACE(round + x), o->c, o->n_elements);
        }
    }
#endif
}

#if G_LOCAL
/* A batch whose G is in local memory: K of the item's pairs stays in registers for all its elements. */
INLINE void contract_batch(const own *o, __local const realv *g)
{
    for (int round = 0; round < ROUNDS; round += ELEMENTS)
        contract_load(o, g, round);
#if CODE
    UNROLLED for (int k = 0; k < ENTRIES; k++)
        for (int round = 0; round < ROUNDS; round += ELEMENTS) contract_code(o, g, round, k);
#else
    for (int r = FIRST_ROUND(o->share); r < FIRST_ROUND(o->share + 1); r++) {
        real kk[PAIRS][K_TERMS];
        read_pairs(kk, o, r);
        for (int k = 0; k < ENTRIES; k++) {
            realv a[ROUNDS][PAIRS];
            for (int round = 0; round < ROUNDS; round += ELEMENTS)
                contract_pairs(o, g, kk, round, r, k, &a[round]);
            put_pairs(o, 0, ROUNDS, r, k, a);
        }
    }
#endif
}
#else
/* ELEMENTS rounds whose G is in registers: K passes by. */
static void contract_rounds(const own *o, const realv *g, int round)
{
    contract_load(o, g, round);
#if CODE
#pragma unroll
    for (int k = 0; k < ENTRIES; k++)
        contract_code(o, g, round, k);
#else
    for (int k = 0; k < ENTRIES; k++) {
        realv own_g[ELEMENTS * N_TERMS];
        UNROLLED for (int x = 0; x < ELEMENTS; x++)
            UNROLLED for (int t = 0; t < N_TERMS; t++) own_g[x * N_TERMS + t] = G_NUMBER(round, x, k * N_TERMS + t);
        for (int r = FIRST_ROUND(o->share); r < FIRST_ROUND(o->share + 1); r++) {
            real kk[PAIRS][K_TERMS];
            realv a[ELEMENTS][PAIRS];
            read_pairs(kk, o, r);
            contract_pairs(o, own_g, kk, round, r, k, a);
            put_pairs(o, round, ELEMENTS, r, k, a);
        }
    }
#endif
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void integrate(INTEGRATE_ARGUMENTS)
{
    const int item = get_local_id(0), n_sets = (count + BATCH - 1) / BATCH;
    const inputs in = INPUTS;
#if INTERLEAVED
    const int c = item % CONCURRENT, s = item / CONCURRENT;
#else
    const int c = item / ITEMS, s = item % ITEMS;
#endif
#if G_LOCAL
    __local realv room[N_G * VECTORS];
#endif
    const int group = get_group_id(1) * get_num_groups(0) + get_group_id(0), share = group % N_SHARES,
              worker = group / N_SHARES;
    const int end = END_OF_SETS(worker, n_sets);
    for (int set = FIRST_SET(worker, n_sets); set < end; set += SET_STEP) {
        const own o = {tables, matrices, vectors, c, s, share, set * BATCH, count};
        for (int round = 0; round < ROUNDS; round++)
            sum_load(&o, &in, geometry, geometry_cells, first, round);
        realv g[ELEMENTS * N_G];
#if G_LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = 0; r < (VECTORS + GROUP - 1) / GROUP; r++) {
            const int v = r * GROUP + item;
            if (v < VECTORS && set * BATCH + v / CONCURRENT * WIDTH < count) {
                make_tensor(g, &in, geometry, geometry_cells, tables, first + set * BATCH + v * LANES);
                for (int t = 0; t < N_G; t++)
                    room[t * VECTORS + v] = g[t];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        contract_batch(&o, room);
#else
        for (int round = 0; round < ROUNDS && set * BATCH + round * WIDTH < count; round += ELEMENTS) {
            UNROLLED for (int x = 0; x < ELEMENTS; x++) make_tensor(
                &g[x * N_G], &in, geometry, geometry_cells, tables,
                first + set * BATCH + (round + (set * BATCH + (round + x) * WIDTH < count ? x : 0)) * WIDTH + c * LANES);
            contract_rounds(&o, g, round);
        }
#endif
    }
}
