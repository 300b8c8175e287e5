/* Rows that TEAM work-items share, TEAMS of them in a group; with TEAM = 1 a work-item has its row for itself. After row_runs.cl.

   Compile-time parameters:
       TEAM, TEAMS     their product is the group's size
       TABLE_LOCAL     where the table of a row's columns is: local memory, or a piece of global memory for each group */
#if TEAM > 1
#define LANE ((int)get_local_id(0) % TEAM)
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define COUNT_UP(n) atomic_inc(&(n))
#else
#define LANE 0
#define SYNC()
#define COUNT_UP(n) (n)++
#endif
#define TEAM_NUMBER ((int)get_local_id(0) / TEAM)

/* `first`: the first of the TEAMS rows that a group takes at a time; all groups take runs of them. */
#define GROUP_RUN(n) (((long)(n) + (long)get_num_groups(0) * TEAMS - 1) / ((long)get_num_groups(0) * TEAMS) * TEAMS)
#define EACH_GROUP_ROWS(first, n)                                                                                      \
    for (long first = get_group_id(0) * GROUP_RUN(n), end_##first = min((long)first + GROUP_RUN(n), (long)(n));        \
         first < end_##first; first += TEAMS)

/* A team's own rows, where teams need not wait for each other. */
#define EACH_TEAM_ROW(row, n)                                                                                          \
    EACH_GROUP_ROWS (first_##row, n)                                                                                   \
        for (long row = first_##row + TEAM_NUMBER; row < min(first_##row + TEAMS, (long)(n)); row += TEAMS)

/* ---- A set of columns: a table with open addressing, of a power of two of places ---- */

#if TABLE_LOCAL
#define TABLE local
#else
#define TABLE global
#endif
enum { EMPTY = -1 };
enum { NEW, THERE, FULL };

#define FIRST_PLACE(column, mask) ((uint)(column) * 2654435761u >> 15 & (mask))

/* Puts the column where it belongs, *at; says whether it was there, or that all places are taken. */
inline int put_column(TABLE int *keys, const uint mask, const int column, uint *at)
{
    *at = FIRST_PLACE(column, mask);
    for (uint probe = 0; probe <= mask; probe++) {
#if TEAM > 1
        const int seen = atomic_cmpxchg(&keys[*at], EMPTY, column);
#else
        const int seen = keys[*at];
        keys[*at] = seen == EMPTY ? column : seen;
#endif
        if (seen == EMPTY)
            return NEW;
        if (seen == column)
            return THERE;
        *at = (*at + 1) & mask;
    }
    return FULL;
}

/* ---- A sorted list ---- */

/* Sorts by a network of comparisons that all point one way (Batcher's, whose first step of each size is folded), so that n may
   be any number. */
inline void sort_list(TABLE int *list, const int n)
{
    for (int size = 1; size < n; size *= 2)
        for (int gap = size; gap > 0; gap /= 2) {
            for (int pair = LANE;; pair += TEAM) {
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
