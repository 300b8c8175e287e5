/* Product of a sparse matrix in slices of block rows on a device that hides latency with many work-items (GPUs), where
   neighbours read every entry of a slice side by side. After values.cl and finish.cl, which name the other compile-time
   parameters; LANES is 1 or 2 and FINISHERS is GROUP / THREADS here.
       THREADS    work-items that share a row: thread t takes blocks t, t + THREADS, ..., and thread 0 adds all
                  sums, in order, from local memory
       ROUND      blocks that a work-item loads before it uses the first
       LAST       the same in the last round of a row, once no more than LAST THREADS of its blocks are left
       PTX        NVIDIA's inline assembly is there
       KEEP       the matrix fits the second cache and shall stay there for the next product
       COMPRESSED the columns are of 16 bits (compress_columns.cl), in strips of so many slices; 0: they are columns
       HUBS       rows of more blocks than this, which are far longer than the others, are summed by their whole group; 0: there
                  are none
       EARLY      what a scaled product adds to a row's sums is asked for before its blocks

   Algorithm 4 of Zhang and Zhang (2013), which waits for memory three times a block: for its column, for x there, and
   for its turn. Shared rows and rounds put more loads in flight. Values and columns are read once: with PTX they pass
   by the first cache, which then holds x, unless KEEP. The loads of blocks past the row's end are predicated, not
   branched around, so that all loads of a round leave together. `run`, 1 pack of rows a work-item here, is -1 where the
   last rows come first. */
#if SLICE == 0
#define HEIGHT ((long)slice_height)
#define SLICE_OF(at) 0
#define PLACE_IN(at) ((at) * LANES)
#else
#define HEIGHT ((long)SLICE)
#define SLICE_OF(at) ((at) / (SLICE / LANES))
#define PLACE_IN(at) ((at) % (SLICE / LANES) * LANES)
#endif
#define ROWS (GROUP / THREADS)

/* ---- Loads ---- */

/* One entry of LANES neighbouring rows as it stands in memory; S and so every place is a multiple of LANES. */
#if VALUES == 1
#define VALUE_BYTES 8
#elif VALUES == 2
#define VALUE_BYTES 4
#else
#define VALUE_BYTES 2
#endif
#define RAW_BYTES (VALUE_BYTES * LANES)
#if RAW_BYTES == 2
typedef ushort raw;
#define SUFFIX ".u16"
#define REGISTER "+h"
#elif RAW_BYTES == 4
typedef uint raw;
#define SUFFIX ".u32"
#define REGISTER "+r"
#elif RAW_BYTES == 8
typedef ulong raw;
#define SUFFIX ".u64"
#define REGISTER "+l"
#else
typedef ulong2 raw;
#endif

/* 32 neighbours read half a line of 16-bit values; the second cache is to fetch the whole one. */
#ifdef PTX
#ifdef KEEP
#define ENTRY "@in ld.global.nc"
#elif VALUE_BYTES == 2
#define ENTRY "@in ld.global.nc.L1::no_allocate.L2::128B"
#else
#define ENTRY "@in ld.global.nc.L1::no_allocate"
#endif
#define LOAD_IF(load) "{ .reg .pred in; setp.ne.s32 in, %2, 0; " load " %0, [%1]; }"
#define LOAD2_IF(load) "{ .reg .pred in; setp.ne.s32 in, %3, 0; " load " {%0, %1}, [%2]; }"
#endif

/* *p, or 0 where `in` is false. */
inline raw load_entry(const global value *p, const int in)
{
#ifndef PTX
    return in ? *(const global raw *)p : (raw)(0);
#elif RAW_BYTES == 16
    ulong first = 0, second = 0;
    asm(LOAD2_IF(ENTRY ".v2.u64") : "+l"(first), "+l"(second) : "l"(p), "r"(in));
    return (ulong2)(first, second);
#else
    raw v = 0;
    asm(LOAD_IF(ENTRY SUFFIX) : REGISTER(v) : "l"(p), "r"(in));
    return v;
#endif
}

/* ---- Columns ---- */

#if COMPRESSED
typedef ushort column_type;
#define PAGES_ARGUMENT , const global int *restrict pages
#else
typedef int column_type;
#define PAGES_ARGUMENT
#endif

/* The columns of LANES neighbouring rows as they stand in memory; compressed ones without hints to the caches, which
   cost up to 4 % there. */
inline void load_columns(const global column_type *p, const int in, int *column)
{
#ifndef PTX
    for (int l = 0; l < LANES; l++)
        column[l] = in ? p[l] : 0;
#elif COMPRESSED && LANES == 1
    ushort first = 0;
    asm(LOAD_IF("@in ld.global.nc.u16") : "+h"(first) : "l"(p), "r"(in));
    column[0] = first;
#elif COMPRESSED
    uint both = 0;
    asm(LOAD_IF("@in ld.global.nc.u32") : "+r"(both) : "l"(p), "r"(in));
    column[0] = both & 0xffff;
    column[1] = both >> 16;
#elif LANES == 1
    int first = 0;
    asm(LOAD_IF(ENTRY ".u32") : "+r"(first) : "l"(p), "r"(in));
    column[0] = first;
#else
    int first = 0, second = 0;
    asm(LOAD2_IF(ENTRY ".v2.u32") : "+r"(first), "+r"(second) : "l"(p), "r"(in));
    column[0] = first;
    column[1] = second;
#endif
}

/* A column from what stood in memory. Pages stand in the registers of a warp's 32 items, whose rows are of one slice.
   */
#if !COMPRESSED
typedef int page_table;
#define TABLE_OF(slice) 0
#define COLUMN(table, loaded) (loaded)
#else
#define COLUMN(table, compressed) (find_page(table, (compressed) >> PLACE_BITS) + ((compressed) & ((1 << PLACE_BITS) - 1)))
#ifdef PTX
typedef int page_table;
#define TABLE_OF(slice) pages[(slice) / COMPRESSED * PAGES + get_local_id(0) % PAGES]
inline int find_page(const page_table own, const int number)
{
    int page;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=r"(page) : "r"(own), "r"(number));
    return page;
}
#else
typedef const global int *page_table;
#define TABLE_OF(slice) (pages + (slice) / COMPRESSED * PAGES)
#define find_page(table, number) ((table)[number])
#endif
#endif

inline pack unpack_values(const raw v)
{
#if LANES == 1
#if VALUES == 1
    return (pack)as_double(v);
#elif VALUES == 2
    return (pack)as_float(v);
#elif VALUES == 3
    return (pack)vload_half(0, (const private half *)&v);
#else
    return (pack)as_float((uint)v << 16);
#endif
#else
#if VALUES == 1
    return TO_REAL(as_double2(v));
#elif VALUES == 2
    return TO_REAL(as_float2(v));
#elif VALUES == 3
    return TO_REAL(vload_half2(0, (const private half *)&v));
#else
    return TO_REAL((float2)(as_float(v << 16), as_float(v & 0xffff0000u)));
#endif
#endif
}

/* entries[BLOCK] = x at a block column. Pairs start at even places, so blocks of 2 are one load and those of 3 are two.
   */
inline void load_x(const global real *restrict x, const int column, const long n_columns, real *entries)
{
    const long from = (long)column * BLOCK;
#if RAGGED
    for (int c = 0; c < BLOCK; c++)
        entries[c] = from + c < n_columns ? x[from + c] : (real)0;
#elif BLOCK == 2
    const real2 pair = *(const global real2 *)(x + from);
    entries[0] = pair.s0;
    entries[1] = pair.s1;
#elif BLOCK == 3
    const int odd = column & 1;
    const real2 pair = *(const global real2 *)(x + from + odd);
    const real single = x[from + (odd ? 0 : 2)];
    entries[0] = odd ? single : pair.s0;
    entries[1] = odd ? pair.s0 : pair.s1;
    entries[2] = odd ? pair.s1 : single;
#else
#pragma unroll
    for (int c = 0; c < BLOCK; c++)
        entries[c] = x[from + c];
#endif
}

/* ---- A round of a row ---- */

#define MOST (ROUND > LAST ? ROUND : LAST)

/* sum += blocks 0, THREADS, ... of the `left` from this item's on, times x: `count` of them at most, known to the
   compiler. */
INLINE void
add_blocks(const int count, const int left, const page_table table, const global column_type *column,
           const global value *entry, const long height, const global real *restrict x, const long n_columns, pack *sum)
{
    int to[MOST][LANES];
    raw a[MOST][BLOCK * BLOCK];
#pragma unroll
    for (int u = 0; u < count; u++)
        load_columns(column + u * THREADS * height, u * THREADS < left, to[u]);
#pragma unroll
    for (int u = 0; u < count; u++)
#pragma unroll
        for (int e = 0; e < BLOCK * BLOCK; e++)
            a[u][e] = load_entry(entry + (u * THREADS * (BLOCK * BLOCK) + e) * height, u * THREADS < left);
#pragma unroll
    for (int u = 0; u < count; u++)
#pragma unroll
        for (int l = 0; l < LANES; l++)
            to[u][l] = COLUMN(table, to[u][l]);
#pragma unroll
    for (int u = 0; u < count; u++) {
        pack at_column[BLOCK];
        real entries[LANES][BLOCK];
#pragma unroll
        for (int l = 0; l < LANES; l++) /* past the end: a column that the row has, times 0 */
            load_x(x, u * THREADS < left ? to[u][l] : to[0][l], n_columns, entries[l]);
#pragma unroll
        for (int c = 0; c < BLOCK; c++)
#if LANES == 1
            at_column[c] = entries[0][c];
#else
            at_column[c] = (pack)(entries[0][c], entries[1][c]);
#endif
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                sum[r] += unpack_values(a[u][r * BLOCK + c]) * at_column[c];
    }
}

/* ---- A row's end ---- */

#if RAGGED
#define INSIDE(i) ((i) < n)
#else
#define INSIDE(i) true
#endif

inline real lane_of(const pack v, const int lane)
{
#if LANES == 1
    return v;
#else
    return lane ? v.s1 : v.s0;
#endif
}

inline void set_lane(pack *v, const int lane, const real with)
{
#if LANES == 1
    *v = with;
#else
    *v = lane ? (pack)(v->s0, with) : (pack)(with, v->s1);
#endif
}

/* y[BLOCK] of a block row; pairs as in load_x. */
inline void store_y(global real *y, const int row, const long n, const real *entries)
{
    const long to = (long)row * BLOCK;
#if RAGGED
    for (int r = 0; r < BLOCK; r++)
        if (to + r < n)
            y[to + r] = entries[r];
#elif BLOCK == 2
    *(global real2 *)(y + to) = (real2)(entries[0], entries[1]);
#elif BLOCK == 3
    const int odd = row & 1;
    *(global real2 *)(y + to + odd) = odd ? (real2)(entries[1], entries[2]) : (real2)(entries[0], entries[1]);
    y[to + (odd ? 0 : 2)] = odd ? entries[0] : entries[2];
#else
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        y[to + r] = entries[r];
#endif
}

/* What a row's end adds to alpha A x. */
#if SCALED && EARLY
typedef struct row_end {
    real y[BLOCK], z[BLOCK], x[BLOCK];
} row_end;
#define ADD_END(v, l, r, i) (alpha * (v) + beta * end[l].y[r] + gamma * end[l].z[r] + delta * end[l].x[r])
#define BEGIN_ENDS                                                                                                     \
    row_end end[LANES];                                                                                                \
    _Pragma("unroll") for (int l = 0; l < LANES; l++)                                                                  \
    {                                                                                                                  \
        const bool own = thread == 0 && row[l] >= 0;                                                                   \
        load_end(y, row[l], own && beta != 0, n, end[l].y);                                                            \
        load_end(z, row[l], own && gamma != 0, n, end[l].z);                                                           \
        load_end(x, row[l], own && delta != 0, n, end[l].x);                                                           \
    }
inline void load_end(const global real *v, const int row, const bool in, const long n, real *entries)
{
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        entries[r] = 0;
    if (in)
        load_x(v, row, n, entries);
}
#else
#define ADD_END(v, l, r, i) SCALE(v, i)
#define BEGIN_ENDS
#endif

/* ---- Hubs ---- */

#if HUBS
/* The group's rows that are hubs: where each stands among the group's rows. */
typedef struct hub_list {
    int n;
    int place[ROWS * LANES];
} hub_list;

/* The width of the slice for LANES rows that are no hubs; hubs get into the list. */
INLINE int leave_hubs(const int *row, const int width, const int place, const int thread,
                      const global int *restrict row_length, local hub_list *hubs)
{
    int most = 0;
    if (width <= HUBS)
        return width;
    for (int l = 0; l < LANES; l++) {
        const int length = row[l] < 0 ? 0 : row_length[row[l]];
        if (length <= HUBS)
            most = max(most, length);
        else if (thread == 0)
            hubs->place[atomic_inc(&hubs->n)] = place * LANES + l;
    }
    return most;
}

/* own[BLOCK] = this work-item's part of a row's `length` blocks, the first of which is at `start`. */
inline void add_hub(const long start, const int length, const long height, const global column_type *restrict columns,
                    const global value *restrict values, const global real *restrict x, const long n_columns, real *own)
{
    for (int r = 0; r < BLOCK; r++)
        own[r] = 0;
    for (int k = get_local_id(0); k < length; k += GROUP) {
        const long slot = start + k * height;
        const global value *entry = values + (slot - slot % height) * (BLOCK * BLOCK) + slot % height;
        real entries[BLOCK];
        load_x(x, columns[slot], n_columns, entries);
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                own[r] += load_one(entry + (r * BLOCK + c) * height) * entries[c];
    }
}

/* sums[r * GROUP] becomes the sum of sums[r * GROUP + item] over the group's items, in a tree of fixed shape. */
INLINE void add_items(const real *own, local real *sums)
{
    const int item = get_local_id(0);
    for (int r = 0; r < BLOCK; r++)
        sums[r * GROUP + item] = own[r];
    for (int stride = GROUP / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = 0; r < BLOCK && item < stride; r++)
            sums[r * GROUP + item] += sums[r * GROUP + item + stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

kernel void product(const int n_packs, const int run, const int n_rows, const int slice_height, const long n,
                    const long n_columns, const global long *restrict slice_start,
                    const global int *restrict permutation, const global int *restrict row_length,
                    const global column_type *restrict columns, const global value *restrict values,
                    const global real *restrict x,
                    global real *restrict y SCALED_ARGUMENTS SUMS_ARGUMENTS PAGES_ARGUMENT)
{
    const int item = get_local_id(0), thread = item / ROWS, place = item % ROWS;
    const int group = (int)(run < 0 ? get_num_groups(0) - 1 - get_group_id(0) : get_group_id(0));
    const int at = group * ROWS + place;
    int row[LANES]; /* -1: none */
    pack sum[BLOCK];
    SUMS_BEGIN
#pragma unroll
    for (int l = 0; l < LANES; l++)
        row[l] = at < n_packs ? ROW(at * LANES + l) : -1;
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        sum[r] = (pack)(0);
    BEGIN_ENDS
#if HUBS
    local hub_list hubs;
    local real hub_sums[BLOCK * GROUP];
    if (item == 0)
        hubs.n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (at < n_packs) {
        const int i = PLACE_IN(at);
        const long start = slice_start[SLICE_OF(at)];
#if LENGTHS
        int width = 0;
#pragma unroll
        for (int l = 0; l < LANES; l++)
            width = row[l] < 0 ? width : max(width, row_length[row[l]]);
#else
        int width = (int)((slice_start[SLICE_OF(at) + 1] - start) / HEIGHT);
#endif
#if HUBS
        width = leave_hubs(row, width, place, thread, row_length, &hubs);
#endif
        const page_table table = TABLE_OF(SLICE_OF(at));
        const global column_type *column = columns + start + i + thread * HEIGHT;
        const global value *entry = values + start * (BLOCK * BLOCK) + i + thread * (BLOCK * BLOCK) * HEIGHT;
        int left = width;
        for (; left > (ROUND == LAST ? thread : LAST * THREADS); left -= ROUND * THREADS) { /* of one size: one loop */
            add_blocks(ROUND, left - thread, table, column, entry, HEIGHT, x, n_columns, sum);
            column += ROUND * THREADS * HEIGHT;
            entry += ROUND * THREADS * (BLOCK * BLOCK) * HEIGHT;
        }
        if (ROUND != LAST && left > thread)
            add_blocks(LAST, left - thread, table, column, entry, HEIGHT, x, n_columns, sum);
    }
#if THREADS > 1
    local pack shared[BLOCK * (THREADS - 1) * ROWS];
    if (thread > 0)
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
            shared[(r * (THREADS - 1) + thread - 1) * ROWS + place] = sum[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0)
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
            for (int m = 0; m < THREADS - 1; m++)
                sum[r] += shared[(r * (THREADS - 1) + m) * ROWS + place];
#endif
#if HUBS
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int h = 0; h < hubs.n; h++) {
        const int lane = hubs.place[h] % LANES, of_pack = hubs.place[h] / LANES, in = group * ROWS + of_pack;
        const long start = slice_start[SLICE_OF(in)] + PLACE_IN(in) + lane;
        real own[BLOCK];
        add_hub(start, row_length[ROW(in * LANES + lane)], HEIGHT, columns, values, x, n_columns, own);
        add_items(own, hub_sums);
        for (int r = 0; r < BLOCK && thread == 0 && place == of_pack; r++)
            set_lane(&sum[r], lane, hub_sums[r * GROUP]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    if (thread == 0)
#pragma unroll
        for (int l = 0; l < LANES; l++)
            if (row[l] >= 0) {
                real entries[BLOCK];
#pragma unroll
                for (int r = 0; r < BLOCK; r++) {
                    const long out = (long)row[l] * BLOCK + r;
                    entries[r] = 0;
                    if (INSIDE(out)) {
                        entries[r] = ADD_END(lane_of(sum[r], l), l, r, out);
                        SUMS_ADD(entries[r], out)
                    }
                }
                store_y(y, row[l], n, entries);
            }
    SUMS_END
}
