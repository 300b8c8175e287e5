/* Methods "dd-sc", "dd-sr", "wf-sc", "wf-sr": one element a work-item, explicit vectors within the element (Krużel and Banaś
   (2013), Algorithms 2 and 3).

   A work-item takes one element after another. Ae is computed in parts of ROWS whole rows, whose sums stay in fast
   memory while the loop over the points runs; everything outside the double loop over shape functions is done anew for
   each part. For each point:
     1. vol = det J w and the inverse of the Jacobian;
     2. shape functions and their derivatives in reference coordinates, read (sr) or computed from the modes of the
        point (sc), and from them the derivatives in space, to fast memory;
     3. for UNROLL_I rows i at once the weights of the form, for UNROLL_J vectors at once the update of the sums.
   After the last point the sums become blocks of Ae (form_finish) and go to global memory.

   What a vector holds:
     dd   VECTOR consecutive j; each sum of the form has vectors of its own
     wf   the D = 0..3 (the function, its derivatives) of VECTOR / 4 consecutive j. Where the form has fewer sums than
          weights, a vector belongs to one sum and its components are that sum's products, one for each D, added up at
          the end (the Laplacian: one vector a pair). Else a vector belongs to one weight, and its components belong to
          different sums (elasticity: three vectors a pair hold nine sums).

   Modes (sc): the cell is a product of simplices of dimension 1, 2, 3: FACTORS(F) lists F(dimension, first axis,
   modes, place of its modes, place of its coefficients in `tables`). Each factor has its orthonormal polynomials, made
   by recurrence along one direction after another, and a shape function is the product over the factors of
   coefficients times modes. A mode is a real4: the value, then the derivatives by the cell's coordinates.

   After layout.cl and element.cl. Compile-time parameters: theirs; ORDER, DD (else wf), COMPUTED (sc, else sr), VECTOR,
   UNROLL_I, UNROLL_J, ROWS and N_PARTS, ROW_VECTORS (vectors from one row of a part to the next), N_PSI (shape
   functions, filled up with zeros), LOCAL (work-items a group), WIDTH (elements interleaved: 1 or LOCAL), FAST (address
   space of the sums; all vectors of it lie LOCAL apart); with COMPUTED also N_MODES, FACTORS, RECURRENCE_AT,
   POINTS_AT. */

#if VECTOR == 4
typedef real4 wide;
#define WIDEN(v) (v)
#elif VECTOR == 8
typedef real8 wide;
#define WIDEN(v) (real8)(v, v)
#else
typedef real16 wide;
#define WIDEN(v) (real16)(v, v, v, v)
#endif

#if DD
#define COLUMNS VECTOR /* of Ae in a vector */
#define ACCUMULATORS FORM_SUMS
#else
#define COLUMNS (VECTOR / 4)
#define ACCUMULATORS (BY_SUM ? FORM_SUMS : FORM_WEIGHTS)
#endif
#define BY_SUM (!DD && FORM_SUMS <= FORM_WEIGHTS)
#if BY_SUM
typedef wide row_weights[FORM_SUMS];
#else
typedef real row_weights[FORM_WEIGHTS];
#endif
#define N_COLUMN_VECTORS ((N_SHAPE + COLUMNS - 1) / COLUMNS)

/* Fast memory of a work-item, in vectors: sums of the part, shape functions of the point, the part of the load. */
#define PART_SIZE (ROWS * ACCUMULATORS * ROW_VECTORS)
#define PSI_SIZE (N_PSI * 4 / VECTOR)
#define LOAD_SIZE (FORM_LOAD ? (ROWS * N_E + VECTOR - 1) / VECTOR : 0)
#define FAST_SIZE (PART_SIZE + PSI_SIZE + LOAD_SIZE)

/* Sum (or weight) s of row i of the part, column vector j: from the part's start; from the start of some row. */
#define PART(i, s, j) part[(((i) * ACCUMULATORS + (s)) * ROW_VECTORS + (j)) * LOCAL]
#define SUMS(i, s, j) sums[(((i) * ACCUMULATORS + (s)) * ROW_VECTORS + (j)) * LOCAL]
/* Real number n, or group n of four, of an array of vectors. */
#define REAL_OF(array, n) ((FAST real *)&array[(n) / VECTOR * LOCAL])[(n) % VECTOR]
#define FOUR_OF(array, n) ((FAST real4 *)&array[(n) / (VECTOR / 4) * LOCAL])[(n) % (VECTOR / 4)]
#if DD
#define PSI(D, i) REAL_OF(psi, (D) * N_PSI + (i))
#else
#define PSI(D, i) REAL_OF(psi, (i) * 4 + (D))
#endif

#if COMPUTED
/* Product of two functions and its derivatives. */
INLINE real4 multiply_modes(real4 a, real4 b)
{
    return a.x * b + b.x * (real4)(0, a.y, a.z, a.w);
}

/* t^n P_n^(a,0)(s / t) for n = 0..top; the numbers of the recurrence come from the host. */
INLINE void jacobi(real4 *value, int top, int a, real4 s, real4 t, __global const real *recurrence)
{
    __global const real *r = recurrence + a * ORDER * 3;
    const real4 tt = multiply_modes(t, t);
    value[0] = (real4)(1, 0, 0, 0);
    if (top > 0)
        value[1] = r[0] * s + r[1] * t;
    for (int n = 1; n < top; n++)
        value[n + 1] =
            multiply_modes(r[3 * n] * s + r[3 * n + 1] * t, value[n]) - r[3 * n + 2] * multiply_modes(tt, value[n - 1]);
}

/* Modes of a simplex over the axes first..first + d - 1. */
INLINE void simplex_modes(real4 *modes, const int d, const int first, __global const real *point,
                          __global const real *recurrence)
{
    real4 s[3], t[3], along[ORDER + 1], second[ORDER + 1], third[ORDER + 1];
    real4 left = (real4)(1, 0, 0, 0); /* 1 - the coordinates behind */
    for (int k = d - 1; k >= 0; k--) {
        const int axis = first + k;
        const real4 x = (real4)(point[axis], axis == 0, axis == 1, axis == 2);
        t[k] = left;
        s[k] = 2 * x - left;
        left -= x;
    }
    int m = 0;
    jacobi(along, ORDER, 0, s[0], t[0], recurrence);
    for (int i = 0; i <= ORDER; i++) {
        if (d == 1) {
            modes[m++] = along[i];
            continue;
        }
        jacobi(second, ORDER - i, 2 * i + 1, s[1], t[1], recurrence);
        for (int j = 0; j <= ORDER - i; j++) {
            const real4 ij = multiply_modes(along[i], second[j]);
            if (d == 2) {
                modes[m++] = ij;
                continue;
            }
            jacobi(third, ORDER - i - j, 2 * (i + j) + 2, s[2], t[2], recurrence);
            for (int k = 0; k <= ORDER - i - j; k++)
                modes[m++] = multiply_modes(ij, third[k]);
        }
    }
}

INLINE void compute_modes(real4 *modes, __global const real *tables, int q)
{
#define F(d, first, n, modes_at, coefficients_at)                                                                      \
    simplex_modes(modes + modes_at, d, first, tables + POINTS_AT + q * DIM, tables + RECURRENCE_AT);
    FACTORS(F)
#undef F
}

/* Multiplies ref by a factor: the sum of n modes times coefficients, for the vector j of shape functions. */
INLINE void multiply_factor(wide *ref, const real4 *modes, __global const wide *coefficients, const int d,
                            const int first, const int n, int j)
{
    wide value = 0, by_first = 0, by_second = 0, by_third = 0; /* no array: it would stay in memory */
    for (int m = 0; m < n; m++) {
        const wide c = coefficients[j * n + m];
        const real *mode = (const real *)&modes[m];
        value += c * mode[0];
        by_first += c * mode[1 + first];
        if (d > 1)
            by_second += c * mode[2 + first];
        if (d > 2)
            by_third += c * mode[3 + first];
    }
#pragma unroll
    for (int D = 1; D <= first; D++)
        ref[D] *= value;
    const wide before = first > 0 ? ref[0] : (wide)1;
    ref[1 + first] = before * by_first;
    if (d > 1)
        ref[2 + first] = before * by_second;
    if (d > 2)
        ref[3 + first] = before * by_third;
    ref[0] = before * value;
}

/* The vector j of shape functions, and their derivatives in reference coordinates. */
INLINE void compute_shapes(wide *ref, const real4 *modes, __global const real *tables, int j)
{
#define F(d, first, n, modes_at, coefficients_at)                                                                      \
    multiply_factor(ref, modes + modes_at, (__global const wide *)(tables + coefficients_at), d, first, n, j);
    FACTORS(F)
#undef F
}
#endif

#if DD
/* Step 2 for the vectors over j: psi[D][N_PSI]. */
INLINE void tabulate_point(FAST wide *restrict psi, realv (*inverse)[DIM], __global const real *restrict tables, int q)
{
#if COMPUTED
    real4 modes[N_MODES];
    compute_modes(modes, tables, q);
#endif
    for (int j = 0; j < N_PSI / VECTOR; j++) {
        wide ref[DIM + 1];
#if COMPUTED
        compute_shapes(ref, modes, tables, j);
#else
#pragma unroll
        for (int D = 0; D <= DIM; D++)
            ref[D] = ((__global const wide *)tables)[(q * (N_PSI / VECTOR) + j) * (DIM + 1) + D];
#endif
        psi[j * LOCAL] = ref[0];
#pragma unroll
        for (int a = 0; a < DIM; a++) {
            wide sum = inverse[0][a] * ref[1];
#pragma unroll
            for (int b = 1; b < DIM; b++)
                sum += inverse[b][a] * ref[b + 1];
            psi[((a + 1) * (N_PSI / VECTOR) + j) * LOCAL] = sum;
        }
    }
}

/* Step 3 for UNROLL_I rows from `sums` on and n column vectors from `at` on: all places are constants from there. */
INLINE void update(FAST wide *restrict sums, FAST const wide *restrict at, const row_weights *w, const int n)
{
    wide p[UNROLL_J][DIM + 1];
#pragma unroll
    for (int v = 0; v < n; v++)
#pragma unroll
        for (int D = 0; D <= DIM; D++)
            p[v][D] = at[(D * (N_PSI / VECTOR) + v) * LOCAL];
#pragma unroll
    for (int u = 0; u < UNROLL_I; u++)
#pragma unroll
        for (int v = 0; v < n; v++) {
            wide sum[FORM_SUMS];
#pragma unroll
            for (int s = 0; s < FORM_SUMS; s++)
                sum[s] = SUMS(u, s, v);
#define X(s, k, D) sum[s] += w[u][k] * p[v][D];
            FORM_PRODUCTS(X)
#undef X
#pragma unroll
            for (int s = 0; s < FORM_SUMS; s++)
                SUMS(u, s, v) = sum[s];
        }
}

/* The sums of the pair of row i of the part and column j. */
INLINE void collect(real *sum, FAST const wide *restrict part, int i, int j)
{
#pragma unroll
    for (int s = 0; s < FORM_SUMS; s++)
        sum[s] = ((FAST const real *)&PART(i, s, j / VECTOR))[j % VECTOR];
}

#else /* wf */

/* From derivatives in reference coordinates to those in space; row: of the Jacobian's inverse. */
INLINE real4 in_space(real4 ref, const real4 *row)
{
    real4 p = (real4)(ref.x, 0, 0, 0) + ref.y * row[0] + ref.z * row[1];
#if DIM == 3
    p += ref.w * row[DIM - 1];
#endif
    return p;
}

/* Step 2 for the vectors over the space dimensions: psi[N_PSI][4]. */
INLINE void tabulate_point(FAST wide *restrict psi, realv (*inverse)[DIM], __global const real *restrict tables, int q)
{
    real4 row[DIM];
#pragma unroll
    for (int b = 0; b < DIM; b++)
        row[b] = (real4)(0, inverse[b][0], inverse[b][1], DIM == 3 ? inverse[b][DIM - 1] : 0);
#if COMPUTED
    real4 modes[N_MODES];
    compute_modes(modes, tables, q);
    for (int j = 0; j < N_PSI; j += VECTOR) {
        wide ref[4];
        ref[3] = 0;
        compute_shapes(ref, modes, tables, j / VECTOR);
        for (int l = 0; l < VECTOR && j + l < N_PSI; l++)
            FOUR_OF(psi, j + l) = in_space((real4)(((const real *)&ref[0])[l], ((const real *)&ref[1])[l],
                                                   ((const real *)&ref[2])[l], ((const real *)&ref[3])[l]),
                                           row);
    }
#else
    for (int j = 0; j < N_PSI; j++)
        FOUR_OF(psi, j) = in_space(((__global const real4 *)tables)[q * N_PSI + j], row);
#endif
}

#if BY_SUM
/* The weights of a row as vectors of its sums: component D is what multiplies psi_j[D]. */
INLINE void spread(wide *to, const real *w)
{
    real4 four[FORM_SUMS];
#pragma unroll
    for (int s = 0; s < FORM_SUMS; s++)
        four[s] = 0;
#define X(n, k, D) four[n].s##D += w[k];
    FORM_PRODUCTS(X)
#undef X
#pragma unroll
    for (int s = 0; s < FORM_SUMS; s++)
        to[s] = WIDEN(four[s]);
}
#endif

/* Step 3 for UNROLL_I rows from `sums` on and n column vectors from `at` on: all places are constants from there. */
INLINE void update(FAST wide *restrict sums, FAST const wide *restrict at, const row_weights *w, const int n)
{
    wide p[UNROLL_J];
#pragma unroll
    for (int v = 0; v < n; v++)
        p[v] = at[v * LOCAL];
#pragma unroll
    for (int u = 0; u < UNROLL_I; u++)
#pragma unroll
        for (int s = 0; s < ACCUMULATORS; s++)
#pragma unroll
            for (int v = 0; v < n; v++)
                SUMS(u, s, v) += w[u][s] * p[v];
}

/* The sums of the pair of row i of the part and column j. */
INLINE void collect(real *sum, FAST const wide *restrict part, int i, int j)
{
    real4 four[ACCUMULATORS];
#pragma unroll
    for (int s = 0; s < ACCUMULATORS; s++)
        four[s] = ((FAST const real4 *)&PART(i, s, j / COLUMNS))[j % COLUMNS];
#if BY_SUM
#pragma unroll
    for (int s = 0; s < FORM_SUMS; s++)
        sum[s] = four[s].x + four[s].y + four[s].z + four[s].w;
#else
#pragma unroll
    for (int s = 0; s < FORM_SUMS; s++)
        sum[s] = 0;
#define X(n, k, D) sum[n] += four[k].s##D;
    FORM_PRODUCTS(X)
#undef X
#endif
}
#endif

/* The weights of row i at a point, and its load into row `at` of the part. */
INLINE void weigh(row_weights to, FAST wide *restrict load, FAST const wide *restrict psi, const realv *cc,
                  const realv *cv, real vol, int i, int at)
{
    real p[DIM + 1], w[FORM_WEIGHTS];
#pragma unroll
    for (int D = 0; D <= DIM; D++)
        p[D] = PSI(D, i);
    form_weight(w, cc, cv, vol, p);
#if BY_SUM
    spread(to, w);
#else
#pragma unroll
    for (int k = 0; k < FORM_WEIGHTS; k++)
        to[k] = w[k];
#endif
#if FORM_LOAD
    if (i < N_SHAPE) {
        real b[N_E];
#pragma unroll
        for (int k = 0; k < N_E; k++)
            b[k] = REAL_OF(load, at * N_E + k);
        form_load(b, cc, cv, vol, p);
#pragma unroll
        for (int k = 0; k < N_E; k++)
            REAL_OF(load, at * N_E + k) = b[k];
    }
#endif
}

/* One point's share of n_rows rows of the part, the first of them row first_row of Ae. */
INLINE void update_part(FAST wide *restrict part, FAST const wide *restrict psi, FAST wide *restrict load,
                        const realv *cc, const realv *cv, real vol, int first_row, int n_rows)
{
    for (int i = 0; i < n_rows; i += UNROLL_I) {
        row_weights w[UNROLL_I];
#pragma unroll
        for (int u = 0; u < UNROLL_I; u++)
            weigh(w[u], load, psi, cc, cv, vol, first_row + i + u, i + u);
        int j = 0;
        for (; j + UNROLL_J <= N_COLUMN_VECTORS; j += UNROLL_J)
            update(&PART(i, 0, j), psi + j * LOCAL, w, UNROLL_J);
        for (; j < N_COLUMN_VECTORS; j++)
            update(&PART(i, 0, j), psi + j * LOCAL, w, 1);
    }
}

/* Rows of the part to global memory. */
INLINE void write_part(__global real *restrict matrix, FAST const wide *restrict part, const realv *cc, int first_row,
                       int n_rows)
{
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < N_SHAPE; j++) {
            real sum[FORM_SUMS], block[ENTRIES];
            collect(sum, part, i, j);
            form_finish(block, sum, cc);
#pragma unroll
            for (int k = 0; k < ENTRIES; k++)
                matrix[(long)ENTRY_AT(PAIR(first_row + i, j), k) * WIDTH] = block[k];
        }
}

__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void integrate(INTEGRATE_ARGUMENTS)
{
    const inputs in = INPUTS;
#if IN_LOCAL_MEMORY
    __local wide part[FAST_SIZE];
#else
    FAST wide *restrict part = (__global wide *)all_scratch +
                               ((long)get_group_id(1) * get_num_groups(0) + get_group_id(0)) * FAST_SIZE * LOCAL +
                               get_local_id(0);
#endif
    FAST wide *restrict at_point = part + PART_SIZE * LOCAL;
    FAST wide *restrict load = at_point + PSI_SIZE * LOCAL;

    for (int element = get_global_id(0); element < count; element += get_global_size(0)) {
        const int e = first + element, lane = e % WIDTH;
        __global const realv *nodes = geometry + (long)(e / WIDTH) * (N_GEO * DIM) * WIDTH + lane;
        __global real *matrix = matrices + (long)(element / WIDTH) * MATRIX_ENTRIES * WIDTH + lane;
        realv cc[ATLEAST1(FORM_CONSTANTS)], cv[ATLEAST1(FORM_VARYING)], inverse[DIM][DIM], det;
#if AFFINE
        det = map_point(inverse, nodes, geo, 0);
#endif
        element_constants(cc, &in, e);

        for (int number = get_group_id(1); number < N_PARTS; number += get_num_groups(1)) {
            const int first_row = number * ROWS, n_rows = min(ROWS, N_SHAPE - first_row);
            for (int k = 0; k < PART_SIZE; k++)
                part[k * LOCAL] = 0;
            for (int k = 0; k < LOAD_SIZE; k++)
                load[k * LOCAL] = 0;
            for (int q = 0; q < N_QUAD; q++) {
#if !AFFINE
                det = map_point(inverse, nodes, geo, q);
#endif
                const realv vol = det * weights[q];
                tabulate_point(at_point, inverse, tables, q);
#if FORM_VARYING
                point_coefficients(cv, &in, nodes, inverse, e, q);
#endif
                update_part(part, at_point, load, cc, cv, vol, first_row, n_rows);
            }
            write_part(matrix, part, cc, first_row, n_rows);
#if FORM_LOAD
            for (int k = 0; k < n_rows * N_E; k++)
                vectors[((long)(element / WIDTH) * (N_SHAPE * N_E) + first_row * N_E + k) * WIDTH + lane] =
                    REAL_OF(load, k);
#endif
        }
    }
}
