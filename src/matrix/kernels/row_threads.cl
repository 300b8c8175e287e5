/* Rows that ROW_THREADS work-items share, GROUP_ROWS rows in a work-group; with ROW_THREADS = 1 a work-item
   has its row for itself. After row_runs.cl.

   Compile-time parameters:
       ROW_THREADS, GROUP_ROWS     their product is the group's size
       TABLE_LOCAL     where the table of a row's columns is: local memory, or a piece of global memory for each group */
#if ROW_THREADS > 1
#define LANE ((int)get_local_id(0) % ROW_THREADS)
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define LANE 0
#define SYNC()
#endif
#define ROW_IN_GROUP ((int)get_local_id(0) / ROW_THREADS)

/* `first`: the first of the GROUP_ROWS rows that a group takes at a time; all groups take runs of them. */
#define STRIDE ((long)get_num_groups(0) * GROUP_ROWS)
#define GROUP_RUN(n) (((long)(n) + STRIDE - 1) / STRIDE * GROUP_ROWS)
#define EACH_GROUP_ROWS(first, n)                                                                                      \
    for (long first = get_group_id(0) * GROUP_RUN(n), end_##first = min((long)first + GROUP_RUN(n), (long)(n));        \
         first < end_##first; first += GROUP_ROWS)

/* The rows of a work-item, where rows need not wait for each other. */
#define EACH_OWN_ROW(row, n)                                                                                          \
    EACH_GROUP_ROWS (first_##row, n)                                                                                   \
        for (long row = first_##row + ROW_IN_GROUP; row < min(first_##row + GROUP_ROWS, (long)(n)); row += GROUP_ROWS)

/* The most of a group's rows, which wait for each other. */
INLINE long most_of_group(const long own, local long *all)
{
    if (LANE == 0)
        all[ROW_IN_GROUP] = own;
    SYNC();
    long most = 0;
    for (int row = 0; row < GROUP_ROWS; row++)
        most = max(most, all[row]);
    SYNC();
    return most;
}

/* The sum of what the work-items of a row before this one have, and *all of it. sums: a number for each of them. */
INLINE int add_before(const int own, local int *sums, int *all)
{
#if ROW_THREADS == 1
    *all = own;
    return 0;
#else
    sums[LANE] = own;
    SYNC();
    int before = 0, sum = 0;
    for (int item = 0; item < ROW_THREADS; item++) {
        before += item < LANE ? sums[item] : 0;
        sum += sums[item];
    }
    SYNC();
    *all = sum;
    return before;
#endif
}

/* ---- A set of columns: a place for each column there is where a work-item has a row for itself, else a table with open addressing,
   of a power of two of places ---- */

#if TABLE_LOCAL
#define TABLE local
#else
#define TABLE global
#endif
enum { EMPTY = -1 };
enum { NEW, THERE, FULL };

#if ROW_THREADS > 1
#define FIRST_PLACE(column, mask) ((uint)(column) * 2654435761u >> 15 & (mask))

/* Puts the column where it belongs, *at; says whether it was there, or that all places are taken. */
INLINE int put_column(TABLE int *keys, const uint mask, const int column, uint *at)
{
    *at = FIRST_PLACE(column, mask);
    for (uint probe = 0; probe <= mask; probe++) {
        const int seen = atomic_cmpxchg(&keys[*at], EMPTY, column);
        if (seen == column)
            return THERE;
        if (seen == EMPTY)
            return NEW;
        *at = (*at + 1) & mask;
    }
    return FULL;
}
#endif

/* ---- A sorted list ---- */

#if ROW_THREADS == 1
/* Shell's method: insertion, far apart first. */
INLINE void sort_list(TABLE int *list, const int n)
{
    int gap = 1;
    while (9 * gap + 3 < n)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < n; i++) {
            const int taken = list[i];
            int to = i;
            for (; to >= gap && list[to - gap] > taken; to -= gap)
                list[to] = list[to - gap];
            list[to] = taken;
        }
}
#else
/* Sorts by a network of comparisons that all point one way (Batcher's, whose first step of each size is folded), so that n may
   be any number. */
INLINE void sort_list(TABLE int *list, const int n)
{
    for (int size = 1; size < n; size *= 2)
        for (int gap = size; gap > 0; gap /= 2) {
            for (int pair = LANE;; pair += ROW_THREADS) {
                const int low = 2 * pair - (pair & (gap - 1)), high = gap == size ? low ^ (2 * size - 1) : low + gap;
                if (low >= n)
                    break;
                if (high < n && list[low] > list[high]) {
                    const int swapped = list[low];
                    list[low] = list[high];
                    list[high] = swapped;
                }
            }
            SYNC();
        }
}
#endif
