/* Product with a symmetric matrix of which one half is stored: a block A_ij serves row i and, transposed, row j. After
   values.cl and finish.cl, which name the compile-time parameters; LANES is 4, a slice is LANES rows, GROUP is 1.

   `product`: a work-item takes a strip, a run of block rows. Its rows and the rows outside that its blocks reach have
   local numbers (own rows first, then outside, then one that padding points to), under which x and the sums lie in
   local memory, a block filled up to PADDED numbers so that each is one aligned vector. LANES blocks of LANES rows are
   multiplied at once, both ways; the transposed results are added lane after lane, so that no order is left open.
   AHEAD bytes before their turn narrow values are asked for; 0: never. A core's loads in flight reach less far.
   Likewise x, ROWS_AHEAD rows before.

   The sums of outside rows go to `shared`. With FUSED a strip's rows are finished by the last of the work-items that
   have sums for them: mostly its own, since strips start in order and reach later ones, which then takes its sums
   from local memory. Nobody waits, and whoever is last adds the same sums in the same order: a row's own, then those of
   the other strips in their order. That takes atomics which order memory among work-groups, as those of CPUs do.
   Without FUSED all sums go to `shared` and the kernel `collect` finishes the rows after. */
#if BLOCK <= 2
#define PADDED BLOCK
#elif BLOCK <= 4
#define PADDED 4
#else
#define PADDED 8
#endif
#if PADDED == 1
typedef real point;
#else
typedef JOIN(REAL, PADDED) point;
#endif

/* Pairs of packs shuffled in the ways that processors do in one instruction: INTERLEAVE_* takes elements of a and b in
   turn, JOIN_* pairs of elements. */
#define INTERLEAVE_LOW(a, b) ((pack)(a.s0, b.s0, a.s2, b.s2))
#define INTERLEAVE_HIGH(a, b) ((pack)(a.s1, b.s1, a.s3, b.s3))
#define JOIN_LOW(a, b) ((pack)(a.s01, b.s01))
#define JOIN_HIGH(a, b) ((pack)(a.s23, b.s23))

/* PREFETCH reads ahead the values of LANES blocks, PREFETCH_ROW for a block row of a vector. */
#if ROWS_AHEAD > 0 && defined(__has_builtin)
#if __has_builtin(__builtin_prefetch)
#define PREFETCH_ROW(x, row) __builtin_prefetch((const global char *)((x) + (long)(row)*BLOCK))
#if AHEAD > 0
#define PREFETCH(entry)                                                                                                \
    _Pragma("unroll") for (int at = 0; at < (int)sizeof(value) * BLOCK * BLOCK * LANES; at += 64)                      \
        __builtin_prefetch((const global char *)(entry) + AHEAD + at)
#endif
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(entry)
#endif
#ifndef PREFETCH_ROW
#define PREFETCH_ROW(x, row)
#endif

/* component[c] = component c of the points at LANES local numbers. */
INLINE void load_component(const local point *from, const global ushort *at, pack *component)
{
#if BLOCK == 2
    const pack a = (pack)(from[at[0]], from[at[2]]), b = (pack)(from[at[1]], from[at[3]]);
    component[0] = INTERLEAVE_LOW(a, b);
    component[1] = INTERLEAVE_HIGH(a, b);
#elif PADDED == 4
    const pack p0 = from[at[0]], p1 = from[at[1]], p2 = from[at[2]], p3 = from[at[3]];
    const pack a = INTERLEAVE_LOW(p0, p1), b = INTERLEAVE_HIGH(p0, p1);
    const pack c = INTERLEAVE_LOW(p2, p3), d = INTERLEAVE_HIGH(p2, p3);
    component[0] = JOIN_LOW(a, c);
    component[1] = JOIN_LOW(b, d);
    component[2] = JOIN_HIGH(a, c);
#if BLOCK == 4
    component[3] = JOIN_HIGH(b, d);
#endif
#else
#define PICK(lane) ((const local real *)(from + at[lane]))[c]
#pragma unroll
    for (int c = 0; c < BLOCK; c++)
        component[c] = (pack)(JOIN(EACH, LANES)(PICK));
#endif
}

/* Adds component[c] to component c of the points at LANES local numbers, one lane after the other: numbers may occur
   twice. */
INLINE void add_component(local point *to, const global ushort *at, const pack *component)
{
#if BLOCK == 2 || PADDED == 4
    const pack p = component[0], q = component[1];
#endif
#if PADDED == 4
    const pack r = component[2], s = component[BLOCK - 1];
#endif
#if BLOCK == 2
    const pack a = INTERLEAVE_LOW(p, q), b = INTERLEAVE_HIGH(p, q);
    to[at[0]] += a.s01;
    to[at[1]] += b.s01;
    to[at[2]] += a.s23;
    to[at[3]] += b.s23;
#elif PADDED == 4
    const pack a = INTERLEAVE_LOW(p, q), b = INTERLEAVE_HIGH(p, q);
    const pack c = INTERLEAVE_LOW(r, s), d = INTERLEAVE_HIGH(r, s);
    to[at[0]] += JOIN_LOW(a, c);
    to[at[1]] += JOIN_LOW(b, d);
    to[at[2]] += JOIN_HIGH(a, c);
    to[at[3]] += JOIN_HIGH(b, d);
#else
#pragma unroll
    for (int c = 0; c < BLOCK; c++) {
        real lane[LANES];
        STORE(component[c], lane);
        for (int l = 0; l < LANES; l++)
            ((local real *)(to + at[l]))[c] += lane[l];
    }
#endif
}

/* Block row `row` of x; PADDED - BLOCK numbers of it mean nothing. */
inline point read_point(const global real *x, const long row, const long n)
{
#if BLOCK == PADDED && !RAGGED && BLOCK == 1
    return x[row];
#elif BLOCK == PADDED && !RAGGED
    return JOIN(vload, PADDED)(row, x);
#elif BLOCK == 3 && !RAGGED
    if (row * 3 + 4 <= n)
        return vload4(0, x + row * 3);
    return (point)(vload3(row, x), 0);
#else
    real entries[PADDED];
    for (int c = 0; c < PADDED; c++)
        entries[c] = c < BLOCK && row * BLOCK + c < n ? x[row * BLOCK + c] : (real)0;
#if PADDED == 1
    return entries[0];
#else
    return JOIN(vload, PADDED)(0, entries);
#endif
#endif
}

#if SUMS
#define LEAVE_SUMS(at)                                                                                                 \
    for (int which = 0; which < 3; which++)                                                                            \
        partial[which * (long)n_partial + (at)] = sums[which];
#else
#define LEAVE_SUMS(at)
#endif

/* Finishes rows [first, first + n_own); own[i] are their own sums. */
#define FINISH_STRIP(own)                                                                                              \
    {                                                                                                                  \
        SUMS_BEGIN                                                                                                     \
        for (int i = 0; i < n_own; i++) {                                                                              \
            point sum = (own)[i];                                                                                      \
            for (int at = list_start[first + i]; at < list_start[first + i + 1]; at++)                                 \
                sum += shared[list[at]];                                                                               \
            const real *sums_of_row = (const real *)&sum;                                                              \
            FINISH_ROW(sums_of_row, first + i)                                                                         \
        }                                                                                                              \
        LEAVE_SUMS(strip)                                                                                              \
    }

#if SCALED
#define SCALED_VALUES , alpha, beta, gamma, delta, z
#else
#define SCALED_VALUES
#endif
#if SUMS
#define SUMS_VALUES , w, partial
#else
#define SUMS_VALUES
#endif

/* Finishes a strip of which all sums stand in `shared`: those of outside rows, then of all rows. */
inline void finish_strip(const int strip, const int n_partial, const long n, const int n_outside,
                        const global int *restrict first_row, const global int *restrict list_start,
                        const global int *restrict list, const volatile global point *shared,
                        const global real *restrict x, global real *restrict y SCALED_ARGUMENTS SUMS_ARGUMENTS)
{
    const int first = first_row[strip], n_own = first_row[strip + 1] - first;
    FINISH_STRIP(shared + n_outside + first)
}

kernel void product(const int n_partial, const long n, const int n_all_outside, const global int *restrict first_row,
                    const global int *restrict first_slice, const global long *restrict slice_start,
                    const global ushort *restrict order, const global int *restrict first_outside,
                    const global int *restrict outside, const global int *restrict list_start,
                    const global int *restrict list, const global int *restrict first_reached,
                    const global int *restrict reached, const global int *restrict contributors,
                    volatile global int *missing, const global ushort *restrict columns,
                    const global value *restrict values, const global real *restrict x, global real *restrict y,
                    volatile global point *shared, local point *restrict local_x,
                    local point *restrict local_sum SCALED_ARGUMENTS SUMS_ARGUMENTS)
{
    const int strip = get_global_id(0), first = first_row[strip], n_own = first_row[strip + 1] - first;
    const int outside_at = first_outside[strip], n_outside = first_outside[strip + 1] - outside_at;
    for (int i = 0; i < n_own; i++) {
        PREFETCH_ROW(x, first + i + ROWS_AHEAD);
        local_x[i] = read_point(x, first + i, n);
        local_sum[i] = (point)(0);
    }
    for (int i = 0; i < n_outside; i++) {
        PREFETCH_ROW(x, outside[outside_at + min(i + ROWS_AHEAD, n_outside - 1)]);
        local_x[n_own + i] = read_point(x, outside[outside_at + i], n);
        local_sum[n_own + i] = (point)(0);
    }
    local_x[n_own + n_outside] = (point)(0);
    local_sum[n_own + n_outside] = (point)(0);
    for (int slice = first_slice[strip]; slice < first_slice[strip + 1]; slice++) {
        const global ushort *own = order + (long)slice * LANES;
        const long end = slice_start[slice + 1];
        long slot = slice_start[slice];
        pack x_own[BLOCK], sum[BLOCK];
        load_component(local_x, own, x_own);
#pragma unroll
        for (int r = 0; r < BLOCK; r++) { /* diagonal blocks stand first and are whole */
            sum[r] = (pack)(0);
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                sum[r] += LOAD(values + slot * (BLOCK * BLOCK) + (r * BLOCK + c) * LANES) * x_own[c];
        }
        for (slot += LANES; slot < end; slot += LANES) {
            const global value *entry = values + slot * (BLOCK * BLOCK);
            pack x_there[BLOCK], there[BLOCK];
            PREFETCH(entry);
            load_component(local_x, columns + slot, x_there);
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                there[c] = (pack)(0);
#pragma unroll
            for (int r = 0; r < BLOCK; r++)
#pragma unroll
                for (int c = 0; c < BLOCK; c++) {
                    const pack a = LOAD(entry + (r * BLOCK + c) * LANES);
                    sum[r] += a * x_there[c];
                    there[c] += a * x_own[r];
                }
            add_component(local_sum, columns + slot, there);
        }
        add_component(local_sum, own, sum);
    }
    for (int i = 0; i < n_outside; i++)
        shared[outside_at + i] = local_sum[n_own + i];
#if FUSED
    const bool last = atomic_add(missing + strip, 0) == 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
#else
    const bool last = false;
#endif
    if (last)
        FINISH_STRIP(local_sum)
    else
        for (int i = 0; i < n_own; i++)
            shared[n_all_outside + first + i] = local_sum[i];
#if FUSED
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    for (int at = first_reached[strip]; at < first_reached[strip + 1]; at++) {
        const int other = reached[at]; /* first the strip itself */
        if (atomic_dec(missing + other) > 1)
            continue;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        missing[other] = contributors[other]; /* for the next product */
        if (other != strip || !last)
            finish_strip(other, n_partial, n, n_all_outside, first_row, list_start, list, shared, x,
                        y SCALED_VALUES SUMS_VALUES);
    }
#endif
}

kernel void collect(const int n_partial, const long n, const int n_outside, const global int *restrict first_row,
                    const global int *restrict list_start, const global int *restrict list,
                    const volatile global point *shared, const global real *restrict x,
                    global real *restrict y SCALED_ARGUMENTS SUMS_ARGUMENTS)
{
    finish_strip(get_global_id(0), n_partial, n, n_outside, first_row, list_start, list, shared, x,
                y SCALED_VALUES SUMS_VALUES);
}

/* The scalar diagonal, a work-item a strip. */
kernel void diagonal(const long n, const global int *restrict first_row, const global int *restrict first_slice,
                     const global long *restrict slice_start, const global ushort *restrict order,
                     const global value *restrict values, global real *restrict diagonal)
{
    const int strip = get_global_id(0), first = first_row[strip], n_own = first_row[strip + 1] - first;
    for (int slice = first_slice[strip]; slice < first_slice[strip + 1]; slice++)
        for (int l = 0; l < LANES; l++) {
            const int own = order[(long)slice * LANES + l];
            for (int r = 0; r < BLOCK && own < n_own && (long)(first + own) * BLOCK + r < n; r++)
                diagonal[(long)(first + own) * BLOCK + r] =
                    load_one(values + slice_start[slice] * (BLOCK * BLOCK) + (r * BLOCK + r) * LANES + l);
        }
}
