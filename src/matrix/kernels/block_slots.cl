/* Block compressed rows whose values stay in slices of a matrix: which of its blocks they are. After row_threads.cl.

   Compile-time parameters:
       BLOCK    rows of a block, which is square
       SLICE    rows of a slice */
#define ENTRIES (BLOCK * BLOCK)

inline bool is_zero(const long place, const global real *values)
{
    int e = 0;
    while (e < ENTRIES && values[place + e * SLICE] == 0)
        e++;
    return e == ENTRIES;
}

#define FROM_ARGUMENTS                                                                                                 \
    const global long *restrict from_slot, const global int *restrict from_length,                                     \
        const global int *restrict from_columns, const global real *restrict values

/* Blocks of each row that are not all 0: how many; and, once it is known where each row begins, their columns and which of its slots they
   have. */
kernel void count_slots(const int n_rows, FROM_ARGUMENTS, global int *restrict n_blocks)
{
    local int all_counts[GROUP_ROWS * ROW_THREADS];
    local int *const counts = all_counts + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_rows) {
        const long row = first + ROW_IN_GROUP;
        const int length = row < n_rows ? from_length[row] : 0;
        const long slot = row < n_rows ? from_slot[row] : 0;
        int n = 0, all;
        for (int k = LANE; k < length; k += ROW_THREADS)
            n += !is_zero(SLOT_PLACE(slot + (long)k * SLICE, ENTRIES), values);
        add_before(n, counts, &all);
        if (LANE == 0 && row < n_rows)
            n_blocks[row] = all;
    }
}

kernel void fill_slots(const int n_rows, FROM_ARGUMENTS, const global long *restrict start,
                       global int *restrict columns, global ushort *restrict slot_of_row)
{
    local int all_kept[GROUP_ROWS * ROW_THREADS];
    local long all_rounds[GROUP_ROWS];
    local int *const kept = all_kept + ROW_IN_GROUP * ROW_THREADS;
    EACH_GROUP_ROWS (first, n_rows) {
        const bool there = first + ROW_IN_GROUP < n_rows;
        const long row = there ? first + ROW_IN_GROUP : 0;
        const int length = there ? from_length[row] : 0;
        const int rounds = (int)most_of_group((length + ROW_THREADS - 1) / ROW_THREADS, all_rounds);
        const long first_slot = from_slot[row];
        long at = start[row];
        for (int round = 0; round < rounds; round++) {
            const int k = round * ROW_THREADS + LANE;
            const long from = first_slot + (long)k * SLICE;
            const bool keeps = k < length && !is_zero(SLOT_PLACE(from, ENTRIES), values);
            int all;
            const int before = add_before(keeps, kept, &all);
            if (keeps) {
                columns[at + before] = from_columns[from];
                slot_of_row[at + before] = (ushort)k;
            }
            at += all;
        }
    }
}

#ifdef REAL_F64
#define NEGLIGIBLE 1e-12 /* of a scaled matrix, whose diagonal is 1: what rounding makes of a zero */
#else
#define NEGLIGIBLE 1e-5f
#endif

inline bool is_negligible(const long row, const long column, const long place, const long n,
                          const global real *values, const global real *weight)
{
    bool all = true;
    for (int e = 0; e < ENTRIES; e++) {
        const long i = row * BLOCK + e / BLOCK, j = column * BLOCK + e % BLOCK;
        const real scale = i < n && j < n ? sqrt(weight[i]) * sqrt(weight[j]) : 0;
        all = all && fabs(values[place + e * SLICE]) * scale <= (real)NEGLIGIBLE;
    }
    return all;
}

/* The slots of columns that are there. *outside becomes 1 where a block of them is missing, and where there is one beside them
   that is not negligible. weight: D^-1, of n scalars. */
kernel void find_slots(const int n_rows, FROM_ARGUMENTS, const long n, const global real *restrict weight,
                       const global long *restrict start, const global int *restrict columns,
                       global ushort *restrict slot_of_row, global int *restrict outside)
{
    EACH_ROW (row, n_rows) {
        long at = start[row];
        bool lost = false;
        for (int k = 0; k < from_length[row]; k++) {
            const long from = from_slot[row] + (long)k * SLICE;
            const int column = from_columns[from];
            if (at < start[row + 1] && columns[at] == column)
                slot_of_row[at++] = (ushort)k;
            else
                lost = lost || !is_negligible(row, column, SLOT_PLACE(from, ENTRIES), n, values, weight);
        }
        if (lost || at < start[row + 1])
            atomic_max(outside, 1);
    }
}
