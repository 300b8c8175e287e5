/* Columns of the product C = A B of block compressed rows, whatever the blocks: the union of those of B's rows that A's row
   names. After row_threads.cl, with GROUP_ROWS = 1. */

#define ARGUMENTS                                                                                                      \
    const int n_rows, const int mask, const int room, const int a_most, const global long *restrict a_start,           \
        const global int *restrict a_columns, const global long *restrict b_start,                                     \
        const global int *restrict b_columns, TABLE int *restrict tables
#if TABLE_LOCAL
#define OWN_TABLE tables
#else
#define OWN_TABLE (tables + get_group_id(0) * (long)room)
#endif

#if ROW_THREADS == 1
/* Nothing is cleared: the place of a column holds the last row that met it, counted from 1. The table is 0 at first. */
INLINE void clear_table(TABLE int *keys, const int mask)
{
}

INLINE int put_of_row(TABLE int *keys, const int mask, const int column, const long row)
{
    const int own = (int)row + 1, put = keys[column] == own ? THERE : NEW;
    keys[column] = own;
    return put;
}
#else
INLINE void clear_table(TABLE int *keys, const int mask)
{
    for (int at = LANE; at <= mask; at += ROW_THREADS)
        keys[at] = EMPTY;
}

INLINE int put_of_row(TABLE int *keys, const int mask, const int column, const long row)
{
    uint place;
    return put_column(keys, (uint)mask, column, &place);
}
#endif

/* The columns of C's row into the table, and into list[most] where that is not 0; *n: how many, INT_MAX if the table is full. Of a row
   of A with more than a_most blocks the diagonal one alone counts. */
INLINE void gather_columns(const long row, const int mask, const int a_most, const global long *a_start,
                           const global int *a_columns, const global long *b_start, const global int *b_columns,
                           TABLE int *keys, TABLE int *list, const int most, local int *n)
{
    clear_table(keys, mask);
    if (LANE == 0)
        *n = 0;
    SYNC();
    bool full = false;
    int own = 0; /* what a work-item alone counts */
    const bool is_long = a_start[row + 1] - a_start[row] > a_most;
    for (long k = a_start[row] + LANE; k < a_start[row + 1] && !full; k += ROW_THREADS) {
        if (is_long && a_columns[k] != row)
            continue;
        const long end = b_start[a_columns[k] + 1];
        for (long j = b_start[a_columns[k]]; j < end && !full; j++) {
            const int column = b_columns[j], put = put_of_row(keys, mask, column, row);
            full = put == FULL;
            if (put == NEW) {
                const int at = ROW_THREADS > 1 ? atomic_inc(n) : own++;
                if (at < most)
                    list[at] = column;
            }
        }
    }
    SYNC();
    if (ROW_THREADS == 1)
        *n = own;
    if (full)
        *n = INT_MAX;
    SYNC();
}

/* count[row]: blocks of C's row, INT_MAX if the table does not hold them; `again`: of rows with INT_MAX alone. Up to `short_most`
   columns of it are kept in short_rows, so that they need not be gathered again. */
kernel void count_columns(ARGUMENTS, const int again, const int short_most, global int *restrict short_rows,
                          global int *restrict count)
{
    local int n;
    EACH_GROUP_ROWS (row, n_rows) {
        TABLE int *const list = OWN_TABLE + mask + 1;
        if (again && count[row] != INT_MAX)
            continue;
        gather_columns(row, mask, a_most, a_start, a_columns, b_start, b_columns, OWN_TABLE, list, short_most, &n);
        for (int at = LANE; at < n && n <= short_most; at += ROW_THREADS)
            short_rows[row * short_most + at] = list[at];
        if (LANE == 0)
            count[row] = n;
        SYNC();
    }
}

kernel void fill_columns(ARGUMENTS, const int short_most, const global int *restrict short_rows,
                         const global long *restrict c_start, global int *restrict c_columns)
{
    local int gathered;
    EACH_GROUP_ROWS (row, n_rows) {
        TABLE int *const list = OWN_TABLE + mask + 1;
        const int n = (int)(c_start[row + 1] - c_start[row]);
        int own_mask = 31; /* of places as count_places of block_product.c has them: for this row, not for the longest */
        while (own_mask < mask && (long)(own_mask + 1) * 3 / 4 < n)
            own_mask = 2 * own_mask + 1;
        if (n > short_most)
            gather_columns(row, own_mask, a_most, a_start, a_columns, b_start, b_columns, OWN_TABLE, list, room - mask - 1,
                           &gathered);
        for (int at = LANE; at < n && n <= short_most; at += ROW_THREADS)
            list[at] = short_rows[row * short_most + at];
        SYNC();
        sort_list(list, n);
        for (int at = LANE; at < n; at += ROW_THREADS)
            c_columns[c_start[row] + at] = list[at];
        SYNC();
    }
}
