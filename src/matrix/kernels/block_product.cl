/* Values of the product C = A B of block compressed rows, whose columns are there, or some rows of it. After
   row_threads.cl.

   Compile-time parameters:
       HEIGHT, INNER, WIDTH     blocks of A are HEIGHT x INNER, of B INNER x WIDTH
       COLUMNS                  of a block of B that a work-item takes, a divisor of WIDTH
       SUMS_LOCAL               where a row of C is summed: local memory, or its own place
       HASHED                   where a column stands in C's row, if several work-items share it: in a table, or found by bisection
       A_SINGLE, B_SINGLE, C_SINGLE    these values are in single, whatever the precision of sums
       SLICE                    A's blocks stand in slices of so many rows; 0: side by side
       TURNED                   0: rows `first` to `last` of C, `before` blocks stand before those; 1: blocks of A whose column is one
                                of `first` to `last` alone, times these rows of B, `before` blocks before those, are added to C;
                                block k of A stands at slot[k], transposed

   Gustavson's algorithm. The blocks of A's row are taken one after the other, each with a row of B, whose blocks belong to
   different blocks of C: the work-items of a row share them. Sums have the order of A's row, whatever the number of
   work-items. */
#if A_SINGLE
typedef float a_real;
#else
typedef real a_real;
#endif
#if B_SINGLE
typedef float b_real;
#else
typedef real b_real;
#endif
#if C_SINGLE
typedef float c_real;
#else
typedef real c_real;
#endif
#if SUMS_LOCAL
#define SUMS local
typedef real sum_real;
#else
#define SUMS global
typedef c_real sum_real;
#endif
#ifdef REAL_F64
#define WIDEN4(v) convert_double4(v)
#define WIDEN2(v) convert_double2(v)
#else
#define WIDEN4(v) (v)
#define WIDEN2(v) (v)
#endif
#if C_SINGLE && !SUMS_LOCAL
#define AS_SUM4(v) convert_float4(v)
#define AS_SUM2(v) convert_float2(v)
#else
#define AS_SUM4(v) (v)
#define AS_SUM2(v) (v)
#endif
#define ROW_VECTORS (WIDTH / COLUMNS) /* of a block of B */
#if TURNED
#define A_BLOCK(row, k) ((long)slot[k] * (HEIGHT * INNER))
#define A_ENTRY(h, i) ((i) * HEIGHT + (h))
#define SLOT_ARGUMENT , const global int *restrict slot
#else
#define A_BLOCK(row, k) BLOCK_PLACE(row, k, HEIGHT * INNER)
#define A_ENTRY(h, i) ENTRY_PLACE((h) * INNER + (i))
#define SLOT_ARGUMENT SLICE_ARGUMENT
#endif

/* COLUMNS numbers of a row in vectors: FOURS of four, a pair, a single one. */
#define FOURS (COLUMNS / 4)
#define HAS_TWO (COLUMNS % 4 >= 2)
#define HAS_ONE (COLUMNS % 2)
typedef struct row_vector {
    real4 four[FOURS > 0 ? FOURS : 1];
    real2 two;
    real one;
} row_vector;

/* OpenCL C 1.2 has no functions for pointers into any memory. */
#define DEFINE_LOAD(name, memory, type)                                                                                \
    INLINE row_vector name(const memory type *p)                                                                      \
    {                                                                                                                  \
        row_vector row;                                                                                               \
        for (int f = 0; f < FOURS; f++)                                                                                \
            row.four[f] = WIDEN4(vload4(f, p));                                                                            \
        if (HAS_TWO)                                                                                                   \
            row.two = WIDEN2(vload2(0, p + 4 * FOURS));                                                                    \
        if (HAS_ONE)                                                                                                   \
            row.one = p[COLUMNS - 1];                                                                                  \
        return row;                                                                                                    \
    }
DEFINE_LOAD(load_row, global, b_real)
DEFINE_LOAD(load_sums, SUMS, sum_real)

/* c += a b for a block of A and COLUMNS columns of one of B. */
INLINE void add_block(const global a_real *a, const global b_real *b, SUMS sum_real *c)
{
    row_vector sum[HEIGHT];
#pragma unroll
    for (int h = 0; h < HEIGHT; h++)
        sum[h] = load_sums(c + h * WIDTH);
#pragma unroll
    for (int i = 0; i < INNER; i++) {
        const row_vector row = load_row(b + i * WIDTH);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++) {
            const real factor = a[A_ENTRY(h, i)];
#pragma unroll
            for (int f = 0; f < FOURS; f++)
                sum[h].four[f] += factor * row.four[f];
            if (HAS_TWO)
                sum[h].two += factor * row.two;
            if (HAS_ONE)
                sum[h].one += factor * row.one;
        }
    }
#pragma unroll
    for (int h = 0; h < HEIGHT; h++) {
#pragma unroll
        for (int f = 0; f < FOURS; f++)
            vstore4(AS_SUM4(sum[h].four[f]), f, c + h * WIDTH);
        if (HAS_TWO)
            vstore2(AS_SUM2(sum[h].two), 0, c + h * WIDTH + 4 * FOURS);
        if (HAS_ONE)
            c[h * WIDTH + COLUMNS - 1] = (sum_real)sum[h].one;
    }
}

/* ---- Where a column of C stands in its row ---- */

#if ROW_THREADS == 1
/* keys[mask + 1]: where the columns of C's row stand in it; what the others hold is never read. */
INLINE void fill_table(TABLE int *keys, const uint mask, const global int *columns, const int n)
{
    for (int i = 0; i < n; i++)
        keys[columns[i]] = i;
}

INLINE int find_column(const TABLE int *keys, const uint mask, const global int *columns, const int n, const int column)
{
    return keys[column];
}
#elif HASHED
/* keys[mask + 1], then as many places in C's row. */
INLINE void fill_table(TABLE int *keys, const uint mask, const global int *columns, const int n)
{
    for (int at = LANE; n > 0 && at <= (int)mask; at += ROW_THREADS)
        keys[at] = EMPTY;
    SYNC();
    for (int i = LANE; i < n; i += ROW_THREADS) {
        uint at;
        put_column(keys, mask, columns[i], &at);
        keys[mask + 1 + at] = i;
    }
}

INLINE int find_column(const TABLE int *keys, const uint mask, const global int *columns, const int n, const int column)
{
    uint at = FIRST_PLACE(column, mask);
    while (keys[at] != column)
        at = (at + 1) & mask;
    return keys[mask + 1 + at];
}
#else
INLINE void fill_table(TABLE int *keys, const uint mask, const global int *columns, const int n)
{
}

INLINE int find_column(const TABLE int *keys, const uint mask, const global int *columns, const int n, const int column)
{
    int low = 0;
    for (int high = n - 1; low < high;) {
        const int middle = (low + high) / 2;
        low = columns[middle] < column ? middle + 1 : low;
        high = columns[middle] < column ? high : middle;
    }
    return low;
}
#endif

/* ---- The product ---- */

/* Of A's rows a few neighbours alone meet rows `first` to `last` of B: they are dealt out to the groups one by one. */
#if TURNED
#define EACH_PRODUCT_ROWS(row, n) for (long row = (long)get_group_id(0) * GROUP_ROWS; row < n; row += STRIDE)
#else
#define EACH_PRODUCT_ROWS(row, n) EACH_GROUP_ROWS (row, n)
#endif

/* Rows of B that the work-items of a row read at a time. */
typedef struct rows_ahead {
    long first[ROW_THREADS];
    int n[ROW_THREADS];
} rows_ahead;

/* The first block in [low, high) whose column is at least this. */
inline long find_first(const global int *columns, long low, long high, const int column)
{
    while (low < high) {
        const long middle = (low + high) / 2;
        low = columns[middle] < column ? middle + 1 : low;
        high = columns[middle] < column ? high : middle;
    }
    return low;
}

/* Rows of C with more than `above` blocks, and up to `room`. tables: 2 (mask + 1) numbers a row, or mask + 1 a group where each
   column has a place; sums: `room` blocks a row. a_most: as in block_columns.cl. */
kernel void multiply_blocks(const int n_rows, const int mask, const int above, const int room, const int a_most,
                            const int first, const int last, const long before, const global long *restrict a_start,
                            const global int *restrict a_columns, const global a_real *restrict a_values,
                            const global long *restrict b_start, const global int *restrict b_columns,
                            const global b_real *restrict b_values, const global long *restrict c_start,
                            const global int *restrict c_columns, global c_real *restrict c_values,
                            TABLE int *restrict tables, local real *restrict all_sums SLOT_ARGUMENT)
{
    local rows_ahead all_ahead[GROUP_ROWS];
    local long all_rounds[GROUP_ROWS];
    local rows_ahead *const ahead = all_ahead + ROW_IN_GROUP;
#if ROW_THREADS == 1
    TABLE int *const keys = tables + get_group_id(0) * (long)(mask + 1);
#else
    TABLE int *const keys = tables + ROW_IN_GROUP * 2 * (mask + 1);
#endif
    EACH_PRODUCT_ROWS (first_row, n_rows) {
        const bool there = first_row + ROW_IN_GROUP < n_rows;
        const long row = first_row + ROW_IN_GROUP + (TURNED ? 0 : first);
        const long start = there ? c_start[row] : 0;
        const int length = there ? (int)(c_start[row + 1] - start) : 0;
        const bool is_taken = length > above && length <= room;
        long begin = is_taken ? a_start[row] : 0, end = is_taken ? a_start[row + 1] : 0;
        if (TURNED) {
            begin = find_first(a_columns, begin, end, first);
            end = find_first(a_columns, begin, end, last);
        } else if (end - begin > a_most) {
            begin = find_first(a_columns, begin, end, (int)row);
            end = begin + (begin < end && a_columns[begin] == row);
        }
        const long rounds = most_of_group(end - begin, all_rounds);
        const int n = begin < end ? length : 0;
        const global int *const columns = c_columns + start;
        global c_real *const c = c_values + (TURNED ? start : start - before) * (HEIGHT * WIDTH);
#if SUMS_LOCAL
        local real *const sums = all_sums + (long)ROW_IN_GROUP * room * (HEIGHT * WIDTH);
#else
        global c_real *const sums = c;
#endif
        for (int e = LANE; e < n * (HEIGHT * WIDTH) && (SUMS_LOCAL || !TURNED); e += ROW_THREADS)
            sums[e] = TURNED ? c[e] : 0;
        fill_table(keys, (uint)mask, columns, n);
        for (long round = 0; round < rounds; round++) {
            const long k = begin + round;
            const int place = (int)(round % ROW_THREADS);
            if (place == 0) {
                SYNC();
                if (k + LANE < end) {
                    const int b_row = a_columns[k + LANE];
                    ahead->first[LANE] = b_start[b_row];
                    ahead->n[LANE] = (int)(b_start[b_row + 1] - b_start[b_row]);
                }
            }
            SYNC();
            const int n_vectors = k < end ? ahead->n[place] * ROW_VECTORS : 0;
            for (int v = LANE; v < n_vectors; v += ROW_THREADS) {
                const long j = ahead->first[place] + v / ROW_VECTORS, b_place = TURNED ? j - before : j;
                const int at = find_column(keys, (uint)mask, columns, n, b_columns[j]);
                add_block(a_values + A_BLOCK(row, k),
                          b_values + b_place * (INNER * WIDTH) + v % ROW_VECTORS * COLUMNS,
                          sums + at * (HEIGHT * WIDTH) + v % ROW_VECTORS * COLUMNS);
            }
        }
        SYNC();
#if SUMS_LOCAL
        for (int e = LANE; e < n * (HEIGHT * WIDTH); e += ROW_THREADS)
            c[e] = (c_real)sums[e];
        SYNC();
#endif
    }
}
