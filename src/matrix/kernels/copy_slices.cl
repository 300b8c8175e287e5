/* Values of a matrix in slices into another of the same slices, scaled, in double, single or half: what the kernel `fill` of convert.cl
   writes, LANES block rows side by side as products read them. After row_runs.cl, values.cl and narrow.cl.

   Compile-time parameters besides theirs:
       SCALED    values times sqrt(weight[row] weight[column]) */
#if SCALED
/* Roots of the weights of LANES block rows, 0 past the last of n. */
inline void take_roots(const long position, const int n_rows, const long n, const global int *permutation,
                       const global real *weight, pack *root)
{
    for (int r = 0; r < BLOCK; r++) {
        real all[LANES];
        for (int l = 0; l < LANES; l++) {
            const long row = ROW(position + l);
            all[l] = row >= 0 && row * BLOCK + r < n ? weight[row * BLOCK + r] : (real)0;
        }
        root[r] = sqrt(JOIN(vload, LANES)(0, all));
    }
}
#define WEIGHT_ARGUMENT , const global real *restrict weight
/* The factor is the same on both sides of the diagonal, to the last bit. */
#define SCALE(v, r, c) (left[r] > 0 && right[c] > 0 ? (v) * (left[r] * right[c]) : (pack)(0))
#else
#define WEIGHT_ARGUMENT
#define SCALE(v, r, c) (v)
#endif

typedef JOIN(float, LANES) narrow_pack;
#if TO_VALUES == 3
typedef JOIN(uint, LANES) bits_pack;

/* Stores the nearest numbers of 16 bits, to even: PoCL has vstore_half_rte for single numbers alone, which takes 6 times as long. */
inline void store_half(const narrow_pack v, global half *p)
{
    const bits_pack bits = JOIN(as_uint, LANES)(v), size = bits & 0x7fffffff;
    /* From 2^-14 on 10 bits are kept; below it those that are left of one beside 0.5. */
    const bits_pack normal = (size + 0xfff + (size >> 13 & 1) - (112 << 23)) >> 13;
    const bits_pack small = JOIN(as_uint, LANES)(fabs(v) + 0.5f) - as_uint(0.5f);
    bits_pack rounded = size < 113 << 23 ? small : normal;
    rounded = size >= as_uint(65520.0f) ? 0x7c00 : rounded;
    rounded = size > as_uint(INFINITY) ? 0x7e00 : rounded;
    uint all[LANES];
    STORE(rounded | (bits >> 16 & 0x8000), all);
    for (int l = 0; l < LANES; l++)
        ((global ushort *)p)[l] = (ushort)all[l];
}
#endif

/* *largest: of the finite values, once they are rounded. */
inline void store_values(const pack v, global to_value *p, pack *largest)
{
#if TO_VALUES == 1
    JOIN(vstore, LANES)(v, 0, p);
#else
    const narrow_pack narrow = JOIN(convert_float, LANES)(v);
    pack size = v - v == (pack)(0) ? fabs(TO_REAL(narrow)) : (pack)(0);
#if TO_VALUES == 3
    size = size < (pack)(65520) ? size : (pack)(INFINITY);
    store_half(narrow, p);
#else
    JOIN(vstore, LANES)(narrow, 0, p);
#endif
    *largest = size > *largest ? size : *largest;
#endif
}

/* *too_large becomes 1 where a value is beyond the new type. */
kernel void copy_slices(const int n_packs, const int n_rows, const long n, const long n_columns,
                        const global long *restrict slice_start, const global int *restrict permutation,
                        const global int *restrict columns, const global value *restrict values,
                        global to_value *restrict copied, global int *restrict too_large WEIGHT_ARGUMENT)
{
    pack largest = (pack)(0);
    EACH_ROW (at, n_packs) {
        const long slice = at / (SLICE / LANES), i = at % (SLICE / LANES) * LANES;
#if SCALED
        pack left[BLOCK], right[BLOCK];
        take_roots(at * LANES, n_rows, n, permutation, weight, left);
#endif
        for (long slot = slice_start[slice] + i; slot < slice_start[slice + 1]; slot += SLICE) {
            const long first = (slot - i) * (BLOCK * BLOCK) + i;
#if SCALED
            gather_columns(weight, columns + slot, n_columns, right);
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                right[c] = sqrt(right[c]);
#endif
#pragma unroll
            for (int r = 0; r < BLOCK; r++)
#pragma unroll
                for (int c = 0; c < BLOCK; c++) {
                    const long place = first + (r * BLOCK + c) * SLICE;
                    store_values(SCALE(LOAD(values + place), r, c), copied + place, &largest);
                }
        }
    }
    real all[LANES];
    STORE(largest, all);
    for (int l = 0; l < LANES; l++)
        if (isinf(all[l]))
            atomic_max(too_large, 1);
}
