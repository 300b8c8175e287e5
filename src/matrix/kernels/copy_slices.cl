/* Values of a matrix in slices into another of the same slices, scaled, in another type: what the kernel `fill` of convert.cl
   writes, LANES block rows side by side as products read them. After row_runs.cl, values.cl and narrow.cl.

   Compile-time parameters besides theirs:
       SCALED     values times sqrt(weight[row] weight[column])
       FACTORS    and blocks times S of their row and S^T of their column, S lower triangles of which factor[] has the rows in turn */
#if LANES == 1
#define PACK(all) ((all)[0])
#else
#define PACK(all) JOIN(vload, LANES)(0, all)
#endif

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
        root[r] = sqrt(PACK(all));
    }
}
#define WEIGHT_ARGUMENT , const global real *restrict weight
/* The factor is the same on both sides of the diagonal, to the last bit. */
#define SCALE(v, r, c) ((v) * (left[r] * right[c]))
#else
#define WEIGHT_ARGUMENT
#define SCALE(v, r, c) (v)
#endif

#if FACTORS
#define TRIANGLE (BLOCK * (BLOCK + 1) / 2)
#define AT(r, c) ((r) * ((r) + 1) / 2 + (c))
#define FACTOR_ARGUMENT , const global float *restrict factor

/* Of three unknowns, as solids have, triangles come in two vectors, and are turned around in registers. */
#if LANES > 1 && BLOCK == 3
#define TRIANGLE_OF(lane)                                                                                              \
    const float3 start##lane = vload3(0, factor + (long)row[lane] * TRIANGLE),                                         \
                 end##lane = vload3(1, factor + (long)row[lane] * TRIANGLE);
#define START0(lane) start##lane.s0
#define START1(lane) start##lane.s1
#define START2(lane) start##lane.s2
#define END0(lane) end##lane.s0
#define END1(lane) end##lane.s1
#define END2(lane) end##lane.s2
#define PACK_OF(f) TO_REAL((JOIN(float, LANES))(JOIN(EACH, LANES)(f)))
inline void take_factors(const int row[LANES], const global float *factor, pack *triangle)
{
    JOIN(TAKE, LANES)(TRIANGLE_OF)
    triangle[0] = PACK_OF(START0);
    triangle[1] = PACK_OF(START1);
    triangle[2] = PACK_OF(START2);
    triangle[3] = PACK_OF(END0);
    triangle[4] = PACK_OF(END1);
    triangle[5] = PACK_OF(END2);
}
#else
#define ENTRY_OF(lane) (real)factor[(long)row[lane] * TRIANGLE + e]
inline void take_factors(const int row[LANES], const global float *factor, pack *triangle)
{
    for (int e = 0; e < TRIANGLE; e++)
        triangle[e] = (pack)(JOIN(EACH, LANES)(ENTRY_OF));
}
#endif

/* S D^1/2 from S. */
inline void scale_factors(const pack *root, pack *triangle)
{
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
#pragma unroll
        for (int c = 0; c <= r; c++)
            triangle[AT(r, c)] *= root[c];
}

/* Row r of left block right^T. */
inline void multiply_row(const int r, const pack *left, const pack *block, const pack *right, pack *product)
{
    pack half_way[BLOCK];
#pragma unroll
    for (int c = 0; c < BLOCK; c++)
        half_way[c] = product[c] = (pack)(0);
#pragma unroll
    for (int m = 0; m <= r; m++)
#pragma unroll
        for (int c = 0; c < BLOCK; c++)
            half_way[c] += left[AT(r, m)] * block[m * BLOCK + c];
#pragma unroll
    for (int c = 0; c < BLOCK; c++)
#pragma unroll
        for (int m = 0; m <= c; m++)
            product[c] += half_way[m] * right[AT(c, m)];
}
#else
#define FACTOR_ARGUMENT
#endif

#if LANES == 1
inline void store_values(const pack v, global to_value *p, pack *largest)
{
    *largest = write_value(v, p) ? *largest : (pack)INFINITY;
}
#else
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
#endif

/* *too_large becomes 1 where a value is beyond the new type. */
kernel void copy_slices(const int n_packs, const int n_rows, const long n, const long n_columns,
                        const global long *restrict slice_start, const global int *restrict permutation,
                        const global int *restrict columns, const global value *restrict values,
                        global to_value *restrict copied, global int *restrict too_large WEIGHT_ARGUMENT FACTOR_ARGUMENT)
{
    pack largest = (pack)(0);
    EACH_ROW (at, n_packs) {
        const long slice = at / (SLICE / LANES), i = at % (SLICE / LANES) * LANES;
#if SCALED
        pack left[BLOCK], right[BLOCK];
        take_roots(at * LANES, n_rows, n, permutation, weight, left);
#endif
#if FACTORS
        pack of_row[TRIANGLE], of_column[TRIANGLE], block[BLOCK * BLOCK], product[BLOCK];
        int row[LANES];
        for (int l = 0; l < LANES; l++)
            row[l] = max(ROW(at * LANES + l), 0); /* where there is none, its weights are 0 */
        take_factors(row, factor, of_row);
        scale_factors(left, of_row);
#endif
        for (long slot = slice_start[slice] + i; slot < slice_start[slice + 1]; slot += SLICE) {
            const long first = (slot - i) * (BLOCK * BLOCK) + i;
#if SCALED
            gather_columns(weight, columns + slot, n_columns, right);
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                right[c] = sqrt(right[c]);
#endif
#if FACTORS
            int column[LANES];
            for (int l = 0; l < LANES; l++)
                column[l] = columns[slot + l];
            take_factors(column, factor, of_column);
            scale_factors(right, of_column);
#pragma unroll
            for (int e = 0; e < BLOCK * BLOCK; e++)
                block[e] = LOAD(values + first + e * SLICE);
#pragma unroll
            for (int r = 0; r < BLOCK; r++) {
                multiply_row(r, of_row, block, of_column, product);
#pragma unroll
                for (int c = 0; c < BLOCK; c++)
                    store_values(product[c], copied + first + (r * BLOCK + c) * SLICE, &largest);
            }
#else
#pragma unroll
            for (int r = 0; r < BLOCK; r++)
#pragma unroll
                for (int c = 0; c < BLOCK; c++) {
                    const long place = first + (r * BLOCK + c) * SLICE;
                    store_values(SCALE(LOAD(values + place), r, c), copied + place, &largest);
                }
#endif
        }
    }
    real all[LANES];
    STORE(largest, all);
    for (int l = 0; l < LANES; l++)
        if (isinf(all[l]))
            atomic_max(too_large, 1);
}
