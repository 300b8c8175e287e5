/* From any format, block size and value type to any other: one work-item a block row of the new matrix. After narrow.cl.

   Compile-time parameters:
       FROM_BLOCK, TO_BLOCK     b of the old and of the new matrix, 1..8
       FROM_VALUES, TO_VALUES   how values are stored, as in narrow.cl
       DROP                     new blocks whose values are all 0 are left out
       SAME                     the new matrix has the old one's slices and shares its columns
       ROWS                     the new matrix is block compressed rows in their order
       SCALED                   values times sqrt(weight[row] weight[column]), weight f64 with 2, f32 with 1

   A new block row lies over up to STREAMS old ones. Their blocks come in the order of their columns, so the new blocks
   come from merging the streams: the next new block column is the lowest that any stream still touches. */
#if FROM_VALUES == 1
typedef double from_value;
#define READ(p) ((real)*(p))
#elif FROM_VALUES == 2
typedef float from_value;
#define READ(p) ((real)*(p))
#elif FROM_VALUES == 3
typedef half from_value;
#define READ(p) ((real)vload_half(0, p))
#else
typedef ushort from_value;
#define READ(p) ((real)as_float((uint)*(p) << 16))
#endif

#if FROM_BLOCK == TO_BLOCK
#define STREAMS 1
#else
#define STREAMS ((TO_BLOCK + FROM_BLOCK - 2) / FROM_BLOCK + 1)
#endif

/* An old block row: where it stands, and the first scalar column that no new block has covered yet. */
typedef struct stream {
    long slot, next;
    int left; /* blocks from slot on */
} stream;

inline void open_streams(const long row, const long n, const long n_columns, const global long *row_slot,
                         const global int *row_length, const global int *columns, stream *streams)
{
    const long first = row * TO_BLOCK / FROM_BLOCK, last = (min((row + 1) * TO_BLOCK, n) - 1) / FROM_BLOCK;
    for (int s = 0; s < STREAMS; s++) {
        streams[s].left = first + s <= last ? row_length[first + s] : 0;
        streams[s].slot = streams[s].left > 0 ? row_slot[first + s] : 0;
        streams[s].next = streams[s].left > 0 ? (long)columns[streams[s].slot] * FROM_BLOCK : LONG_MAX;
    }
}

#if FROM_BLOCK == TO_BLOCK
/* The next new block of the row, its column returned, -1 after the last; block[TO_BLOCK * TO_BLOCK]. */
inline long next_block(const long row, const long n, const long n_columns, const long S, const global int *columns,
                       const global from_value *values, stream *streams, real *block)
{
    if (streams[0].left == 0)
        return -1;
    const long slot = streams[0].slot, i = slot % S, column = columns[slot];
#pragma unroll
    for (int e = 0; e < TO_BLOCK * TO_BLOCK; e++)
        block[e] = READ(values + (slot - i) * (FROM_BLOCK * FROM_BLOCK) + (long)e * S + i);
    streams[0].slot += S;
    streams[0].left--;
    return column;
}
#else
/* Entries of an old block (old row `from_row`, at `slot`) that lie in the new block (row, column). */
inline void take_entries(const long from_row, const long from_column, const long slot, const long S, const long row,
                         const long column, const long n, const long n_columns, const global from_value *values,
                         real *block)
{
    const long i = slot % S, base = (slot - i) * (FROM_BLOCK * FROM_BLOCK) + i;
    for (int r = 0; r < FROM_BLOCK; r++)
        for (int c = 0; c < FROM_BLOCK; c++) {
            const long at_row = from_row * FROM_BLOCK + r - row * TO_BLOCK;
            const long at_column = from_column * FROM_BLOCK + c - column * TO_BLOCK;
            if (at_row >= 0 && at_row < TO_BLOCK && at_column >= 0 && at_column < TO_BLOCK &&
                from_row * FROM_BLOCK + r < n && from_column * FROM_BLOCK + c < n_columns)
                block[at_row * TO_BLOCK + at_column] = READ(values + base + (long)(r * FROM_BLOCK + c) * S);
        }
}

/* The same by merging streams. */
inline long next_block(const long row, const long n, const long n_columns, const long S, const global int *columns,
                       const global from_value *values, stream *streams, real *block)
{
    long column = LONG_MAX;
    for (int s = 0; s < STREAMS; s++)
        column = min(column, streams[s].next == LONG_MAX ? LONG_MAX : streams[s].next / TO_BLOCK);
    if (column == LONG_MAX)
        return -1;
    for (int e = 0; e < TO_BLOCK * TO_BLOCK; e++)
        block[e] = 0;
    const long end = min((column + 1) * TO_BLOCK, n_columns);
    for (int s = 0; s < STREAMS; s++) {
        stream at = streams[s];
        while (at.next < end) {
            const long from_column = columns[at.slot];
            take_entries(row * TO_BLOCK / FROM_BLOCK + s, from_column, at.slot, S, row, column, n, n_columns, values,
                         block);
            const long block_end = min((from_column + 1) * FROM_BLOCK, n_columns);
            if (block_end > end) {
                at.next = end; /* the rest of it is for the next new block */
            } else {
                at.slot += S;
                at.left--;
                at.next = at.left > 0 ? (long)columns[at.slot] * FROM_BLOCK : LONG_MAX;
            }
        }
        streams[s] = at;
    }
    return column;
}
#endif

inline bool keeps_block(const real *block)
{
#if DROP
    bool some = false;
    for (int e = 0; e < TO_BLOCK * TO_BLOCK; e++)
        some = some || block[e] != 0;
    return some;
#else
    return true;
#endif
}

#if SCALED == 2
typedef double weight_value;
#elif SCALED == 1
typedef float weight_value;
#endif
#if SCALED
#define WEIGHT_ARGUMENT , const global weight_value *restrict weight

/* Roots of the weights of a block's rows or columns, 0 past the last of n. */
inline void take_roots(const long first, const long n, const global weight_value *weight, weight_value *root)
{
#pragma unroll
    for (int i = 0; i < TO_BLOCK; i++)
        root[i] = first + i < n ? sqrt(weight[first + i]) : 0;
}

/* The factor is the same on both sides of the diagonal, to the last bit. */
#define SCALE(v, r, c) (left[r] > 0 && right[c] > 0 ? (real)((v) * (left[r] * right[c])) : (real)0)
#else
#define WEIGHT_ARGUMENT
#define SCALE(v, r, c) (v)
#endif

#if ROWS
#define ORDER_ARGUMENT
#define ROW_AT(position) (position)
#else
#define ORDER_ARGUMENT , const global int *restrict permutation
#define ROW_AT(position) permutation[position]
#endif

#define FROM_ARGUMENTS                                                                                                 \
    const long n, const long n_columns, const int from_height, const global long *restrict from_slot,                  \
        const global int *restrict from_length, const global int *restrict from_columns,                               \
        const global from_value *restrict from_values

/* to_length[row] = new blocks of each new block row. */
kernel void count(const int n_rows, FROM_ARGUMENTS, global int *restrict to_length)
{
    const long row = get_global_id(0);
    if (row >= n_rows)
        return;
    stream streams[STREAMS];
    real block[TO_BLOCK * TO_BLOCK];
    int length = 0;
    open_streams(row, n, n_columns, from_slot, from_length, from_columns, streams);
    while (next_block(row, n, n_columns, from_height, from_columns, from_values, streams, block) >= 0)
        length += keeps_block(block);
    to_length[row] = length;
}

/* Columns and values of the new matrix, padding and all, by sorted position. *too_large becomes 1 where a value is
   beyond the new type. */
kernel void fill(const int n_positions, FROM_ARGUMENTS, const int to_height,
                 const global long *restrict slice_start ORDER_ARGUMENT, global int *restrict columns,
                 global to_value *restrict values, global int *restrict too_large WEIGHT_ARGUMENT)
{
    const long position = get_global_id(0), S = to_height;
    if (position >= n_positions)
        return;
    const long i = position % S, end = slice_start[position / S + 1];
    const long row = ROW_AT(position);
    long slot = slice_start[position / S] + i, column = 0, last = 0;
    real block[TO_BLOCK * TO_BLOCK];
    stream streams[STREAMS];
    bool fits = true;
#if SCALED
    weight_value left[TO_BLOCK], right[TO_BLOCK];
    take_roots(max(row, 0L) * TO_BLOCK, n, weight, left);
#endif
    if (row >= 0)
        open_streams(row, n, n_columns, from_slot, from_length, from_columns, streams);
    while (slot < end) {
        if (row >= 0 && column >= 0) {
            column = next_block(row, n, n_columns, from_height, from_columns, from_values, streams, block);
            if (column >= 0 && !keeps_block(block))
                continue;
        }
        const bool there = row >= 0 && column >= 0;
        last = there ? column : last;
#if SCALED
        take_roots(last * TO_BLOCK, n_columns, weight, right);
#endif
#if !SAME
        columns[slot] = (int)last;
#endif
        for (int e = 0; e < TO_BLOCK * TO_BLOCK; e++) {
            const real v = there ? SCALE(block[e], e / TO_BLOCK, e % TO_BLOCK) : 0;
            fits = write_value(v, values + (slot - i) * (TO_BLOCK * TO_BLOCK) + e * S + i) && fits;
        }
        slot += S;
    }
    if (!fits)
        atomic_max(too_large, 1);
}

#if ROWS && SCALED
/* Of a scaled matrix, whose diagonal is 1: what rounding makes of a zero. */
#if FROM_VALUES == 1
#define NEGLIGIBLE 1e-12
#else
#define NEGLIGIBLE 1e-5f
#endif

/* Values into columns that are there, zeros where the matrix has no block. *outside becomes 1 where it has one that is not
   negligible and that has no place. */
kernel void refill(const int n_rows, FROM_ARGUMENTS, const global long *restrict start,
                   const global int *restrict columns, global to_value *restrict values,
                   global int *restrict outside WEIGHT_ARGUMENT)
{
    const long row = get_global_id(0);
    if (row >= n_rows)
        return;
    real block[TO_BLOCK * TO_BLOCK];
    stream streams[STREAMS];
    weight_value left[TO_BLOCK], right[TO_BLOCK];
    bool lost = false;
    take_roots(row * TO_BLOCK, n, weight, left);
    open_streams(row, n, n_columns, from_slot, from_length, from_columns, streams);
    long column = next_block(row, n, n_columns, from_height, from_columns, from_values, streams, block);
    for (long k = start[row]; k < start[row + 1] || column >= 0;) {
        const long place = k < start[row + 1] ? columns[k] : LONG_MAX;
        const bool there = column >= 0 && column <= place;
        take_roots((there ? column : place) * TO_BLOCK, n_columns, weight, right);
        for (int e = 0; e < TO_BLOCK * TO_BLOCK; e++) {
            const real v = there ? SCALE(block[e], e / TO_BLOCK, e % TO_BLOCK) : 0;
            if (!there || column == place)
                write_value(v, values + k * (TO_BLOCK * TO_BLOCK) + e);
            else
                lost = lost || !(fabs(v) <= (real)NEGLIGIBLE);
        }
        k += !there || column == place;
        if (there)
            column = next_block(row, n, n_columns, from_height, from_columns, from_values, streams, block);
    }
    if (lost)
        atomic_max(outside, 1);
}
#endif
