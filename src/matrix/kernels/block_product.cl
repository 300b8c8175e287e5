/* Values of the product C = A B of block compressed rows, whose columns are there. After teams.cl.

   Compile-time parameters:
       HEIGHT, INNER, WIDTH     blocks of A are HEIGHT x INNER, of B INNER x WIDTH
       COLUMNS                  of a block of B that a work-item takes, a divisor of WIDTH
       SUMS_LOCAL               where a row of C is summed: local memory, or its own place
       TABLE_LOCAL              1
       HASHED                   where a column stands in C's row: in a table, or found by bisection

   Gustavson's algorithm. The blocks of A's row are taken one after the other, each with a row of B, whose blocks belong to
   different blocks of C: a team shares them. Sums have the order of A's row, whatever the number of work-items. */
#if SUMS_LOCAL
#define SUMS local
#else
#define SUMS global
#endif
#define PARTS (WIDTH / COLUMNS) /* of a block of B */

/* COLUMNS numbers of a row in vectors: FOURS of four, a pair, a single one. */
#define FOURS (COLUMNS / 4)
#define HAS_TWO (COLUMNS % 4 >= 2)
#define HAS_ONE (COLUMNS % 2)
typedef struct part_of_row {
    real4 four[FOURS > 0 ? FOURS : 1];
    real2 two;
    real one;
} part_of_row;

/* OpenCL C 1.2 has no functions for pointers into any memory. */
#define DEFINE_LOAD(name, memory)                                                                                      \
    inline part_of_row name(const memory real *p)                                                                      \
    {                                                                                                                  \
        part_of_row row;                                                                                               \
        for (int f = 0; f < FOURS; f++)                                                                                \
            row.four[f] = vload4(f, p);                                                                                \
        if (HAS_TWO)                                                                                                   \
            row.two = vload2(0, p + 4 * FOURS);                                                                        \
        if (HAS_ONE)                                                                                                   \
            row.one = p[COLUMNS - 1];                                                                                  \
        return row;                                                                                                    \
    }
DEFINE_LOAD(load_row, global)
DEFINE_LOAD(load_sums, SUMS)

/* c += a b for a block of A and COLUMNS columns of one of B. */
inline void add_block(const global real *a, const global real *b, SUMS real *c)
{
    part_of_row sum[HEIGHT];
#pragma unroll
    for (int h = 0; h < HEIGHT; h++)
        sum[h] = load_sums(c + h * WIDTH);
#pragma unroll
    for (int i = 0; i < INNER; i++) {
        const part_of_row row = load_row(b + i * WIDTH);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++) {
            const real factor = a[h * INNER + i];
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
            vstore4(sum[h].four[f], f, c + h * WIDTH);
        if (HAS_TWO)
            vstore2(sum[h].two, 0, c + h * WIDTH + 4 * FOURS);
        if (HAS_ONE)
            c[h * WIDTH + COLUMNS - 1] = sum[h].one;
    }
}

/* ---- Where a column of C stands in its row ---- */

#if HASHED
/* keys[mask + 1], then as many places in C's row. */
inline void fill_table(TABLE int *keys, const uint mask, const global int *columns, const int n)
{
    for (int at = LANE; at <= (int)mask; at += TEAM)
        keys[at] = EMPTY;
    SYNC();
    for (int i = LANE; i < n; i += TEAM) {
        uint at;
        put_column(keys, mask, columns[i], &at);
        keys[mask + 1 + at] = i;
    }
}

inline int find_column(const TABLE int *keys, const uint mask, const global int *columns, const int n, const int column)
{
    uint at = FIRST_PLACE(column, mask);
    while (keys[at] != column)
        at = (at + 1) & mask;
    return keys[mask + 1 + at];
}
#else
inline void fill_table(TABLE int *keys, const uint mask, const global int *columns, const int n)
{
}

inline int find_column(const TABLE int *keys, const uint mask, const global int *columns, const int n, const int column)
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

/* Rows of B that a team asks for at a time. */
typedef struct rows_ahead {
    long first[TEAM];
    int n[TEAM];
} rows_ahead;

/* The group's longest row: teams wait for each other. */
inline long count_rounds(const long first, const int n_rows, const global long *a_start)
{
    long longest = 0;
    for (long row = first; row < min(first + TEAMS, (long)n_rows); row++)
        longest = max(longest, a_start[row + 1] - a_start[row]);
    return longest;
}

/* table: 2 (mask + 1) numbers a team; sums: `room` blocks a team. */
kernel void multiply_blocks(const int n_rows, const int mask, const int room, const global long *restrict a_start,
                            const global int *restrict a_columns, const global real *restrict a_values,
                            const global long *restrict b_start, const global int *restrict b_columns,
                            const global real *restrict b_values, const global long *restrict c_start,
                            const global int *restrict c_columns, global real *restrict c_values,
                            local int *restrict tables, local real *restrict all_sums)
{
    local rows_ahead all_ahead[TEAMS];
    local rows_ahead *const ahead = all_ahead + TEAM_NUMBER;
    local int *const keys = tables + TEAM_NUMBER * 2 * (mask + 1);
    EACH_GROUP_ROWS (first_row, n_rows) {
        const long row = first_row + TEAM_NUMBER, rounds = count_rounds(first_row, n_rows, a_start);
        const long start = row < n_rows ? c_start[row] : 0, first = row < n_rows ? a_start[row] : 0;
        const long end = row < n_rows ? a_start[row + 1] : 0;
        const int n = row < n_rows ? (int)(c_start[row + 1] - start) : 0;
        const global int *const columns = c_columns + start;
        global real *const c = c_values + start * (HEIGHT * WIDTH);
#if SUMS_LOCAL
        local real *const sums = all_sums + (long)TEAM_NUMBER * room * (HEIGHT * WIDTH);
#else
        global real *const sums = c;
#endif
        for (int e = LANE; e < n * (HEIGHT * WIDTH); e += TEAM)
            sums[e] = 0;
        fill_table(keys, (uint)mask, columns, n);
        for (long round = 0; round < rounds; round++) {
            const long k = first + round;
            const int place = (int)(round % TEAM);
            if (place == 0) {
                SYNC();
                if (k + LANE < end) {
                    const int b_row = a_columns[k + LANE];
                    ahead->first[LANE] = b_start[b_row];
                    ahead->n[LANE] = (int)(b_start[b_row + 1] - b_start[b_row]);
                }
            }
            SYNC();
            const int n_parts = k < end ? ahead->n[place] * PARTS : 0;
            for (int part = LANE; part < n_parts; part += TEAM) {
                const long j = ahead->first[place] + part / PARTS;
                const int at = find_column(keys, (uint)mask, columns, n, b_columns[j]);
                add_block(a_values + k * (HEIGHT * INNER), b_values + j * (INNER * WIDTH) + part % PARTS * COLUMNS,
                          sums + at * (HEIGHT * WIDTH) + part % PARTS * COLUMNS);
            }
        }
        SYNC();
#if SUMS_LOCAL
        for (int e = LANE; e < n * (HEIGHT * WIDTH); e += TEAM)
            c[e] = sums[e];
        SYNC();
#endif
    }
}
