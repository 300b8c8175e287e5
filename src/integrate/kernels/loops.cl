/* Methods "qss", "sqs", "ssq": one element a work-item, the loops over points (q) and shape functions (s, s) in three
   orders. Banaś et al. (2016), Algorithms 2 to 7: 2 4 6 for cells whose Jacobian varies, 3 5 7 for linear cells, whose
   Jacobian and derivatives in space are taken out of the loops.

   A work-group has a set of WIDTH = LANES * LOCAL consecutive elements; lane l of item t has number t * LANES + l in it.
   Everything short is unrolled and then in registers, the tables of the reference cell are literals, and products with
   entries that are 0 at all points are left out. The coordinates are relative to an element's first node, whose own are
   not read. Where of a linear cell nothing but shape functions' values changes from point to point, one round with their
   means and the sum of the weights stands for all points (MATRIX_ONCE, LOAD_ONCE): exact but for products of two values,
   which their covariance mends (MATRIX_VALUES).

   After layout.cl, element.cl and result.cl. Compile-time parameters: theirs and
   ORDER (QSS, SQS, SSQ)
   LINEAR (derivatives of shape functions are constant in an element)
   KEEP (SQS, SSQ: maps and derivatives in space of all points are computed once and kept, not again for each row or entry)
   INPUT (SETS, PACKED, GATHERED: ritz_plan_input), READS_LOCAL (through a buffer in local memory, coalesced)
   GEOMETRY_LOCAL, COEFFICIENTS_LOCAL, SHAPE_LOCAL, MATRIX_LOCAL (in local memory, or registers), DATA_LOCAL (packed data
   are read from the buffer), REUSE (the buffer's place serves the others after it was read)
   UNROLL (0 no loop, 1 those over shape functions, 2 those over points too)
   CONSECUTIVE (IN_ORDER, and the data of so many sets later are asked for; 0: neither)
   ROOM and the places _AT in it, in realv a work-item; DATA_NUMBERS: numbers that are packed an element
   PSI_TABLE, GEO_TABLE (at all points), ..._USED (not 0 at all points), WEIGHT_TABLE, TOTAL_WEIGHT
   MEAN_TABLE, COVARIANCE_TABLE (of values of shape functions: sum w psi_i / sum w, sum w psi_i psi_j - sum w mean_i mean_j) */

#if UNROLL >= 1
#define UNROLL_SHAPES _Pragma("unroll")
#define IS_USED(used, n, D, i) used[(D) * (n) + (i)]
#else
#define UNROLL_SHAPES
#define IS_USED(used, n, D, i) true
#endif
#if UNROLL >= 2
#define UNROLL_POINTS _Pragma("unroll")
#else
#define UNROLL_POINTS
#endif

__constant real psi_table[] = {PSI_TABLE};
__constant char psi_used[] = {PSI_USED};
__constant real geo_table[] = {GEO_TABLE};
__constant char geo_used[] = {GEO_USED};
__constant real weight_table[] = {WEIGHT_TABLE};
__constant real mean_table[] = {MEAN_TABLE};
__constant real covariance_table[] = {COVARIANCE_TABLE};

#define N_X (N_GEO * DIM)

/* Sums that are under way at once: of a matrix, a row, an entry; and the functions whose derivatives are kept. */
#if ORDER == QSS
#define N_SUMS ((SYMMETRIC ? N_SHAPE * (N_SHAPE + 1) / 2 : N_SHAPE * ROW_PAIRS) * FORM_SUMS)
#define N_LOADS (N_SHAPE * N_E)
#elif ORDER == SQS
#define N_SUMS (N_SHAPE * FORM_SUMS)
#define N_LOADS N_E
#else
#define N_SUMS FORM_SUMS
#define N_LOADS N_E
#endif
#if KEEP
#define N_KEPT (N_QUAD * N_SHAPE)
#else
#define N_KEPT (ORDER == SSQ && !LINEAR ? 2 : N_SHAPE)
#endif

#if SHAPE_LOCAL
#define SHAPE_SPACE __local
#define SHAPE_STRIDE LOCAL
#else
#define SHAPE_SPACE
#define SHAPE_STRIDE 1
#endif
#if MATRIX_LOCAL
#define SUM_SPACE __local
#define SUM_STRIDE LOCAL
#else
#define SUM_SPACE
#define SUM_STRIDE 1
#endif

/* A number that is placed in local memory is read from there each time: compilers would keep all in registers, too, and then
   have too few. */
#define READ(is_local, space, place) READ_PLACED(is_local, space, place)
#define READ_PLACED(is_local, space, place) READ_##is_local(space, place)
#define READ_0(space, place) place
#define READ_1(space, place) (*(volatile space const realv *)&place)

/* What a work-item knows of its elements. */
typedef struct {
    inputs in;
    NODE_SPACE const realv *x;
    int e0;
} own;

/* ---- Reading ---- */

/* A set's coordinates and packed data to local memory, by consecutive work-items: [number][WIDTH] there. */
INLINE void fetch_set(__local real *coordinates, __local real *packed, __global const real *geometry,
                      __global const int *cells, __global const real *data, int e0, int n_cells)
{
    const int item = get_local_id(0);
#if INPUT == GATHERED
    for (int r = 0; r < N_GEO * LANES; r++) {
        const int n = r * LOCAL + item, element = n / N_GEO, g = n % N_GEO;
        const long node = cells[(long)min(e0 + element, n_cells - 1) * N_GEO + g];
#pragma unroll
        for (int a = 0; a < DIM; a++)
            coordinates[(g * DIM + a) * WIDTH + element] = geometry[node * DIM + a];
    }
#else
    for (int r = 0; r < N_X * LANES; r++) {
        const int n = r * LOCAL + item;
#if INPUT == PACKED
        const int element = n / N_X, k = n % N_X;
        coordinates[k * WIDTH + element] = geometry[(long)min(e0 + element, n_cells - 1) * N_X + k];
#else
        coordinates[n] = geometry[(long)e0 * N_X + n];
#endif
    }
#endif
#if INPUT == PACKED && DATA_NUMBERS
    for (int r = 0; r < DATA_NUMBERS * LANES; r++) {
        const int n = r * LOCAL + item, e = min(e0 + n / DATA_NUMBERS, n_cells - 1), k = n % DATA_NUMBERS;
        packed[k * WIDTH + (e0 + n / DATA_NUMBERS) % WIDTH] = data[(long)e * DATA_NUMBERS + k];
    }
#endif
}

/* The coordinates of an item's elements, relative to their first nodes. */
INLINE void read_coordinates(NODE_SPACE realv *x, __local const realv *fetched, __global const realv *geometry,
                             __global const int *cells, int e0, int n_cells)
{
#if READS_LOCAL
#if !GEOMETRY_LOCAL
    UNROLL_SHAPES for (int k = 0; k < N_X; k++) x[k * NODE_STRIDE] = fetched[k * LOCAL];
#endif
#elif INPUT == SETS
    __global const realv *from = geometry + (long)(e0 / WIDTH) * N_X * LOCAL + e0 % WIDTH / LANES;
    UNROLL_SHAPES for (int k = DIM; k < N_X; k++) x[k * NODE_STRIDE] = from[k * LOCAL];
#else
    for (int lane = 0; lane < LANES; lane++) {
        const int e = min(e0 + lane, n_cells - 1);
        UNROLL_SHAPES for (int g = 0; g < N_GEO; g++)
        {
#if INPUT == PACKED
            const long at = (long)e * N_GEO + g;
#else
            const long at = cells[(long)e * N_GEO + g];
#endif
#pragma unroll
            for (int a = 0; a < DIM; a++)
                ((NODE_SPACE real *)&x[(g * DIM + a) * NODE_STRIDE])[lane] =
                    ((__global const real *)geometry)[at * DIM + a];
        }
    }
#endif
#if INPUT == GATHERED
    UNROLL_SHAPES for (int g = 1; g < N_GEO; g++)
#pragma unroll
        for (int a = 0; a < DIM; a++) x[(g * DIM + a) * NODE_STRIDE] -= x[a * NODE_STRIDE];
#endif
#pragma unroll
    for (int a = 0; a < DIM; a++)
        x[a * NODE_STRIDE] = 0;
}

/* Where a processor's sets follow each other, those of CONSECUTIVE sets later are asked for: too many arrays for it to follow. */
#if CONSECUTIVE && INPUT == SETS && defined(__has_builtin)
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(place) __builtin_prefetch((__global const char *)(place))
#define PREFETCH_DATUM(d) PREFETCH(&data[FORM_ELEMENT_AT(d, e)]);
#define PREFETCH_POINTS(d)                                                                                             \
    UNROLL_SHAPES for (int k = 0; k < N_QUAD * LANES; k += 64 / (int)sizeof(real))                                     \
        PREFETCH(&data[FORM_POINT_AT(d, e, 0) + k]);
#endif
#endif

static void prefetch_set(__global const realv *geometry, __global const real *data, __global const long *offset, int e)
{
#ifdef PREFETCH
    __global const realv *from = geometry + (long)(e / WIDTH) * N_X * LOCAL + e % WIDTH / LANES;
    UNROLL_SHAPES for (int k = DIM; k < N_X; k++) PREFETCH(&from[k * LOCAL]);
    FORM_ELEMENT_DATA(PREFETCH_DATUM);
    FORM_POINT_DATA(PREFETCH_POINTS);
#endif
}

/* ---- Geometry ---- */

/* The Jacobian's inverse at point q; returns its determinant. */
INLINE realv map_at(realv (*inverse)[DIM], NODE_SPACE const realv *x, int q)
{
    realv J[DIM][DIM];
    bool started[DIM][DIM]; /* where all is literal: 0 + x is an addition to compilers, for the sign of zeros */
#pragma unroll
    for (int a = 0; a < DIM; a++)
#pragma unroll
        for (int b = 0; b < DIM; b++) {
            J[a][b] = 0;
            started[a][b] = false;
        }
    UNROLL_SHAPES for (int g = 1; g < N_GEO; g++)
#pragma unroll
        for (int a = 0; a < DIM; a++)
    {
        const realv coordinate = READ(GEOMETRY_LOCAL, NODE_SPACE, x[(g * DIM + a) * NODE_STRIDE]);
#pragma unroll
        for (int b = 0; b < DIM; b++)
            if (IS_USED(geo_used, N_GEO, b + 1, g)) {
#if UNROLL >= 2
                if (!started[a][b])
                    J[a][b] = coordinate * TABLE(geo_table, N_GEO, q, b + 1, g);
                else
#endif
                    J[a][b] += coordinate * TABLE(geo_table, N_GEO, q, b + 1, g);
                started[a][b] = true;
            }
    }
    return invert(inverse, J);
}

/* Derivatives in space of function i at point q. */
INLINE void derive_shape(SHAPE_SPACE realv *p, realv (*inverse)[DIM], int i, int q)
{
#if FORM_DERIVATIVES
#pragma unroll
    for (int a = 0; a < DIM; a++) {
        realv sum = 0;
        bool started = false;
#pragma unroll
        for (int b = 0; b < DIM; b++)
            if (IS_USED(psi_used, N_SHAPE, b + 1, i)) {
                const realv product = inverse[b][a] * TABLE(psi_table, N_SHAPE, q, b + 1, i);
                sum = started ? sum + product : product;
                started = true;
            }
        p[a * SHAPE_STRIDE] = sum;
    }
#endif
}

INLINE void derive_all(SHAPE_SPACE realv *shapes, realv (*inverse)[DIM], int q)
{
    UNROLL_SHAPES for (int i = 0; i < N_SHAPE; i++) derive_shape(&shapes[i * DIM * SHAPE_STRIDE], inverse, i, q);
}

/* ---- Sums ---- */

/* Function i at point q, or its mean of all points, from its derivatives: its value is a literal. */
INLINE void take_shape(realv *p, SHAPE_SPACE const realv *derivatives, int i, int q, bool is_mean)
{
    p[0] = is_mean ? mean_table[i] : TABLE(psi_table, N_SHAPE, q, 0, i);
#if FORM_DERIVATIVES
#pragma unroll
    for (int a = 0; a < DIM; a++)
        p[a + 1] = READ(SHAPE_LOCAL, SHAPE_SPACE, derivatives[a * SHAPE_STRIDE]);
#endif
}

/* With a number of sums that is literal: else the loop stays one, and the sums are in memory. */
#define CLEAR_SUMS(sums, n) UNROLL_SHAPES for (int k = 0; k < (n); k++)(sums)[k * SUM_STRIDE] = 0

INLINE void add_products(SUM_SPACE realv *sums, const realv *w, const realv *p)
{
    realv s[FORM_SUMS];
#pragma unroll
    for (int k = 0; k < FORM_SUMS; k++)
        s[k] = sums[k * SUM_STRIDE];
    form_accumulate(s, w, p);
#pragma unroll
    for (int k = 0; k < FORM_SUMS; k++)
        sums[k * SUM_STRIDE] = s[k];
}

INLINE void add_load(SUM_SPACE realv *loads, const realv *cc, const realv *cv, realv vol, const realv *p)
{
#if FORM_LOAD
    realv b[N_E];
#pragma unroll
    for (int k = 0; k < N_E; k++)
        b[k] = loads[k * SUM_STRIDE];
    form_load(b, cc, cv, vol, p);
#pragma unroll
    for (int k = 0; k < N_E; k++)
        loads[k * SUM_STRIDE] = b[k];
#endif
}

/* ---- Finished blocks ---- */

INLINE void finish_block(result *r, SUM_SPACE const realv *sums, const realv *cc, int i, int j)
{
    realv s[FORM_SUMS], block[ENTRIES];
#pragma unroll
    for (int k = 0; k < FORM_SUMS; k++)
        s[k] = sums[k * SUM_STRIDE];
    form_finish(block, s, cc);
#pragma unroll
    for (int k = 0; k < ENTRIES; k++)
        take_block_entry(r, block[k], i, j, k);
}

INLINE void finish_load(result *r, SUM_SPACE const realv *loads, int i)
{
#if FORM_LOAD
#pragma unroll
    for (int k = 0; k < N_E; k++)
        take_load(r, loads[k * SUM_STRIDE], i * N_E + k);
#endif
}

/* ---- The loops ---- */

#define IS_KEPT(i, j) (!SYMMETRIC || (j) >= (i))

/* Whether the matrix, the load are summed in the round of point q. */
#define MATRIX_ROUND(q) (!MATRIX_ONCE || (q) == 0)
#define LOAD_ROUND(q) (!LOAD_ONCE || (q) == 0)
#define VOLUME(det, q, once) ((det) * ((once) ? (real)TOTAL_WEIGHT : weight_table[q]))
#define POINTS (MATRIX_ONCE && (!FORM_LOAD || LOAD_ONCE) ? 1 : N_QUAD)

/* The weights of products of two values, of all pairs of functions alike. */
static void weigh_values(realv *w, const realv *cc, realv det)
{
#if MATRIX_ONCE && MATRIX_VALUES
    realv p[DIM + 1] = {1};
    form_weight(w, cc, cc, det, p); /* nothing in it varies */
#endif
}

#define ADD_VALUES(s, k, D)                                                                                            \
    if ((D) == 0)                                                                                                      \
        sums[(s)*SUM_STRIDE] += w[k] * covariance_table[i * N_SHAPE + j];

INLINE void add_covariance(SUM_SPACE realv *sums, const realv *w, int i, int j)
{
#if MATRIX_ONCE && MATRIX_VALUES
    FORM_PRODUCTS(ADD_VALUES)
#endif
}

#if COEFFICIENTS_LOCAL
#define COEFFICIENT_SPACE __local
#define COEFFICIENT_STRIDE LOCAL
#else
#define COEFFICIENT_SPACE
#define COEFFICIENT_STRIDE 1
#endif

/* The coefficients from where they are kept; those of point q are made here where only constants are kept. */
INLINE void take_constants(realv *c, COEFFICIENT_SPACE const realv *kept)
{
#pragma unroll
    for (int k = 0; k < FORM_CONSTANTS; k++)
        c[k] = READ(COEFFICIENTS_LOCAL, COEFFICIENT_SPACE, kept[k * COEFFICIENT_STRIDE]);
}

#if FORM_VARYING
/* The coefficients at point q. Those of data alone are put together in registers where all lanes are inside the mesh: through
   memory, as a vector of narrower stores, they are waited for. */
#if UNROLL >= 2 && LANES > 1 && FORM_NEIGHBOURS
#define READ_POINTS(d)                                                                                                 \
    _Pragma("unroll") for (int k = 0; k < N_QUAD; k++) read[(d)*N_QUAD + k] =                                          \
        *(FORM_SPACE const unaligned *)&o->in.data[FORM_POINT_AT(d, o->e0, 0) + k * LANES];
#define POINT_NUMBER(d) ((d)*N_QUAD * LANES + lane * N_QUAD + q)
#define TAKE_POINT(d)                                                                                                  \
    v[FORM_FIRST_DATUM + (d)] = ((const real *)&read[POINT_NUMBER(d) / LANES])[POINT_NUMBER(d) % LANES];
#else
#define READ_POINTS(d)
#define TAKE_POINT(d)
#endif

static void make_varying(realv *cv, const own *o, realv (*inverse)[DIM], int q)
{
#if !FORM_READS_X && !FORM_READS_U && !FORM_READS_GRADIENT && LANES > 1
    if (o->e0 + LANES <= o->in.n_cells) {
        __global const long *offset = o->in.offset;
        realv read[ATLEAST1(FORM_DATA * N_QUAD)];
        FORM_POINT_DATA(READ_POINTS)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            real v[FORM_VARIABLES], varying[FORM_VARYING];
            v[3] = o->in.time;
            form_element_data(v, o->in.data, o->in.offset, o->e0 + lane);
            form_point_data(v, o->in.data, o->in.offset, o->in.selector, o->e0 + lane, q);
            FORM_POINT_DATA(TAKE_POINT)
            form_varying(varying, v);
#pragma unroll
            for (int k = 0; k < FORM_VARYING; k++)
                ((real *)&cv[k])[lane] = varying[k];
        }
        return;
    }
#endif
    point_coefficients(cv, &o->in, o->x, inverse, o->e0, q);
}
#endif

INLINE void take_varying(realv *cv, COEFFICIENT_SPACE const realv *kept, const own *o, realv (*inverse)[DIM], int q)
{
#if FORM_VARYING && COEFFICIENTS_LOCAL
#pragma unroll
    for (int k = 0; k < FORM_VARYING; k++)
        cv[k] = kept[(FORM_CONSTANTS + q * FORM_VARYING + k) * LOCAL];
#elif FORM_VARYING
    make_varying(cv, o, inverse, q);
#endif
}

#if COEFFICIENTS_LOCAL
/* Keeps the coefficients in local memory: constants, and those of all points. */
INLINE void keep_coefficients(__local realv *kept, const realv *cc, const own *o)
{
#pragma unroll
    for (int k = 0; k < FORM_CONSTANTS; k++)
        kept[k * LOCAL] = cc[k];
#if FORM_VARYING
    for (int q = 0; q < N_QUAD; q++) {
        realv inverse[DIM][DIM], cv[FORM_VARYING];
#if FORM_READS_GRADIENT
        map_at(inverse, o->x, q);
#endif
        make_varying(cv, o, inverse, q);
#pragma unroll
        for (int k = 0; k < FORM_VARYING; k++)
            kept[(FORM_CONSTANTS + q * FORM_VARYING + k) * LOCAL] = cv[k];
    }
#endif
}
#endif

/* Where an item's sums and derivatives are, and what becomes of them. */
typedef struct {
    SHAPE_SPACE realv *shapes;
    SUM_SPACE realv *sums, *loads;
    const realv *dets; /* of the Jacobian at all points, with KEEP */
    COEFFICIENT_SPACE const realv *kept;
    result *to;
} places;

#define SHAPES(i) &at->shapes[(i)*DIM * SHAPE_STRIDE]
#define SUMS(k) &at->sums[(k)*FORM_SUMS * SUM_STRIDE]
#define LOADS(k) &at->loads[(k)*N_E * SUM_STRIDE]

/* What is the same at all points; with KEEP what differs, too: `dets` are those of `at`, which PoCL writes 4 % faster as an
   argument. Returns the determinant of a constant Jacobian. */
static realv begin_points(const own *o, const places *at, realv (*inverse)[DIM], realv *dets)
{
    realv det = 0;
#if AFFINE
    det = map_at(inverse, o->x, 0);
#endif
#if LINEAR
    derive_all(at->shapes, inverse, 0);
#endif
#if KEEP
    UNROLL_POINTS for (int q = 0; q < N_QUAD; q++)
    {
        dets[q] = AFFINE ? det : map_at(inverse, o->x, q);
        derive_all(SHAPES(q * N_SHAPE), inverse, q);
    }
#endif
    return det;
}

/* The map at point q, as far as it is not kept; returns the Jacobian's determinant. */
static realv map_to(const own *o, const places *at, realv (*inverse)[DIM], realv det, int q)
{
#if !AFFINE && (!KEEP || (FORM_READS_GRADIENT && !COEFFICIENTS_LOCAL))
    det = map_at(inverse, o->x, q);
#endif
#if KEEP
    det = at->dets[q];
#endif
    return det;
}

#if ORDER == SSQ
#define SHAPE_AT(q, i, two) (KEEP ? (q)*N_SHAPE + (i) : LINEAR ? (i) : (two))
#else
#define SHAPE_AT(q, i) (KEEP ? (q)*N_SHAPE + (i) : (i))
#endif

#if ORDER != SSQ
/* What point q gives to row i, whose sums are from `sums` on. */
static void add_row(const places *at, const realv *c, const realv *cv, realv det, int i, int q, int sums, int loads)
{
    realv w[FORM_WEIGHTS], wv[FORM_WEIGHTS], p[DIM + 1], pj[DIM + 1];
    take_shape(p, SHAPES(SHAPE_AT(q, i)), i, q, LOAD_ONCE);
    if (LOAD_ROUND(q))
        add_load(LOADS(loads), c, cv, VOLUME(det, q, LOAD_ONCE), p);
    if (MATRIX_ROUND(q)) {
        weigh_values(wv, c, det);
        take_shape(p, SHAPES(SHAPE_AT(q, i)), i, q, MATRIX_ONCE);
        form_weight(w, c, cv, VOLUME(det, q, MATRIX_ONCE), p);
        UNROLL_SHAPES for (int j = 0; j < N_SHAPE; j++) if (IS_KEPT(i, j))
        {
            take_shape(pj, SHAPES(SHAPE_AT(q, j)), j, q, MATRIX_ONCE);
            add_products(SUMS(sums + j), w, pj);
            add_covariance(SUMS(sums + j), wv, i, j);
        }
    }
}

static void finish_row(const places *at, const realv *c, int i, int sums, int loads)
{
    UNROLL_SHAPES for (int j = 0; j < N_SHAPE; j++) if (IS_KEPT(i, j)) finish_block(at->to, SUMS(sums + j), c, i, j);
    finish_load(at->to, LOADS(loads), i);
}
#endif

#if ORDER == QSS
/* Algorithms 2 and 3: all sums at each point. */
static void integrate_elements(const own *o, const places *at, realv *dets)
{
    realv inverse[DIM][DIM], c[ATLEAST1(FORM_CONSTANTS)], cv[ATLEAST1(FORM_VARYING)];
    realv det = begin_points(o, at, inverse, dets);
    CLEAR_SUMS(at->sums, N_SUMS);
    CLEAR_SUMS(at->loads, N_LOADS);
    UNROLL_POINTS for (int q = 0; q < POINTS; q++)
    {
        det = map_to(o, at, inverse, det, q);
#if !LINEAR
        derive_all(at->shapes, inverse, q);
#endif
        take_constants(c, at->kept);
        take_varying(cv, at->kept, o, inverse, q);
        UNROLL_SHAPES for (int i = 0; i < N_SHAPE; i++) add_row(at, c, cv, det, i, q, PAIR(i, 0), i);
    }
    take_constants(c, at->kept);
    UNROLL_SHAPES for (int i = 0; i < N_SHAPE; i++) finish_row(at, c, i, PAIR(i, 0), i);
}

#elif ORDER == SQS
/* Algorithms 4 and 5: the sums of a row at each point. */
static void integrate_elements(const own *o, const places *at, realv *dets)
{
    realv inverse[DIM][DIM], c[ATLEAST1(FORM_CONSTANTS)], cv[ATLEAST1(FORM_VARYING)];
    realv det = begin_points(o, at, inverse, dets);
    UNROLL_SHAPES for (int i = 0; i < N_SHAPE; i++)
    {
        CLEAR_SUMS(at->sums, N_SUMS);
        CLEAR_SUMS(at->loads, N_LOADS);
        UNROLL_POINTS for (int q = 0; q < POINTS; q++)
        {
            det = map_to(o, at, inverse, det, q);
#if !LINEAR && !KEEP
            derive_all(at->shapes, inverse, q);
#endif
            take_constants(c, at->kept);
            take_varying(cv, at->kept, o, inverse, q);
            add_row(at, c, cv, det, i, q, 0, 0);
        }
        take_constants(c, at->kept);
        finish_row(at, c, i, 0, 0);
    }
}

#else
/* Algorithms 6 and 7: one entry at each point. */
static void sum_entry(const own *o, const places *at, realv (*inverse)[DIM], realv det, int i, int j)
{
    realv c[ATLEAST1(FORM_CONSTANTS)], cv[ATLEAST1(FORM_VARYING)];
    realv w[FORM_WEIGHTS], wv[FORM_WEIGHTS], p[DIM + 1], pj[DIM + 1];
    CLEAR_SUMS(at->sums, N_SUMS);
    CLEAR_SUMS(at->loads, N_LOADS);
    UNROLL_POINTS for (int q = 0; q < (i == j ? POINTS : MATRIX_ONCE ? 1 : N_QUAD); q++)
    {
        det = map_to(o, at, inverse, det, q);
#if !LINEAR && !KEEP
        derive_shape(SHAPES(0), inverse, i, q);
        derive_shape(SHAPES(1), inverse, j, q);
#endif
        take_constants(c, at->kept);
        take_varying(cv, at->kept, o, inverse, q);
        take_shape(p, SHAPES(SHAPE_AT(q, i, 0)), i, q, LOAD_ONCE);
        if (i == j && LOAD_ROUND(q))
            add_load(LOADS(0), c, cv, VOLUME(det, q, LOAD_ONCE), p);
        if (MATRIX_ROUND(q)) {
            weigh_values(wv, c, det);
            take_shape(p, SHAPES(SHAPE_AT(q, i, 0)), i, q, MATRIX_ONCE);
            take_shape(pj, SHAPES(SHAPE_AT(q, j, 1)), j, q, MATRIX_ONCE);
            form_weight(w, c, cv, VOLUME(det, q, MATRIX_ONCE), p);
            add_products(SUMS(0), w, pj);
            add_covariance(SUMS(0), wv, i, j);
        }
    }
    take_constants(c, at->kept);
    finish_block(at->to, SUMS(0), c, i, j);
    if (i == j)
        finish_load(at->to, LOADS(0), i);
}

static void integrate_elements(const own *o, const places *at, realv *dets)
{
    realv inverse[DIM][DIM];
    const realv det = begin_points(o, at, inverse, dets);
    UNROLL_SHAPES for (int i = 0; i < N_SHAPE; i++) UNROLL_SHAPES for (int j = 0; j < N_SHAPE; j++) if (IS_KEPT(i, j))
        sum_entry(o, at, inverse, det, i, j);
}
#endif

/* A single work-item waits for nobody, and PoCL 3.1 ends the process over some loops with barriers of such groups. */
#if LOCAL > 1
#define SYNC_GROUP() barrier(CLK_LOCAL_MEM_FENCE)
#else
#define SYNC_GROUP()
#endif

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1))) void integrate(INTEGRATE_ARGUMENTS)
{
    const int item = get_local_id(0), n_sets = (count + WIDTH - 1) / WIDTH;
#if ROOM
    __local realv room[ROOM * LOCAL];
#endif
#if READS_LOCAL
    __local real *fetched = (__local real *)&room[COORDINATES_AT * LOCAL],
                 *packed = (__local real *)&room[DATA_AT * LOCAL];
#endif
#if DATA_LOCAL
    const inputs in = INPUTS_FROM(packed);
#else
    const inputs in = INPUTS;
#endif
#if GEOMETRY_LOCAL
    __local realv *x = &room[COORDINATES_AT * LOCAL + item];
#else
    realv x[N_X];
#endif
#if COEFFICIENTS_LOCAL
    __local realv *kept = &room[COEFFICIENTS_AT * LOCAL + item];
#endif
#if SHAPE_LOCAL
    __local realv *shapes = &room[SHAPES_AT * LOCAL + item];
#else
    realv shapes[N_KEPT * DIM];
#endif
#if MATRIX_LOCAL
    __local realv *sums = &room[SUMS_AT * LOCAL + item], *loads = sums + N_SUMS * LOCAL;
#else
    realv sums[N_SUMS], loads[N_LOADS];
#endif
    realv dets[KEEP ? N_QUAD : 1];
    const int worker = get_group_id(0), end = END_OF_SETS(worker, n_sets);
    for (int set = FIRST_SET(worker, n_sets); set < end; set += SET_STEP) {
        const int e0 = first + set * WIDTH;
        realv cc[ATLEAST1(FORM_CONSTANTS)];
        const own o = {in, x, e0 + item * LANES};
#if READS_LOCAL
        SYNC_GROUP();
        fetch_set(fetched, packed, (__global const real *)geometry, geometry_cells, data, e0, n_cells);
        SYNC_GROUP();
        read_coordinates(x, (__local const realv *)fetched + item, geometry, geometry_cells, o.e0, n_cells);
#else
        read_coordinates(x, 0, geometry, geometry_cells, o.e0, n_cells);
#endif
        prefetch_set(geometry, data, offset, o.e0 + CONSECUTIVE * WIDTH);
        element_constants(cc, &in, o.e0);
#if READS_LOCAL && REUSE
        SYNC_GROUP();
#endif
        result to = {matrices, vectors, set * WIDTH + item * LANES, count};
        begin_result(&to, &in, o.e0);
#if COEFFICIENTS_LOCAL
        keep_coefficients(kept, cc, &o);
        const places at = {shapes, sums, loads, dets, kept, &to};
#else
        const places at = {shapes, sums, loads, dets, cc, &to};
#endif
        integrate_elements(&o, &at, dets);
        end_result(&to);
    }
}
