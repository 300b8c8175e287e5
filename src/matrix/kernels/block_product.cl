/* Values of the product C = A B of block compressed rows, whose columns are there. After row_runs.cl.

   Compile-time parameters:
       HEIGHT, INNER, WIDTH     blocks of A are HEIGHT x INNER, of B INNER x WIDTH

   Gustavson's algorithm, a work-item a row: blocks are summed in the order of A's row, whatever the number of
   work-items. */

/* A row of WIDTH numbers in vectors: FOURS of four, a pair, a single one. */
#define FOURS (WIDTH / 4)
#define HAS_TWO (WIDTH % 4 >= 2)
#define HAS_ONE (WIDTH % 2)
typedef struct row_of_block {
    real4 four[FOURS > 0 ? FOURS : 1];
    real2 two;
    real one;
} row_of_block;

inline row_of_block load_row(const global real *p)
{
    row_of_block row;
#pragma unroll
    for (int f = 0; f < FOURS; f++)
        row.four[f] = vload4(f, p);
#if HAS_TWO
    row.two = vload2(0, p + 4 * FOURS);
#endif
#if HAS_ONE
    row.one = p[WIDTH - 1];
#endif
    return row;
}

/* c += a b for one block each. */
inline void add_block(const real *a, const global real *b, global real *c)
{
    row_of_block sum[HEIGHT];
#pragma unroll
    for (int h = 0; h < HEIGHT; h++)
        sum[h] = load_row(c + h * WIDTH);
#pragma unroll
    for (int i = 0; i < INNER; i++) {
        const row_of_block row = load_row(b + i * WIDTH);
#pragma unroll
        for (int h = 0; h < HEIGHT; h++) {
            const real factor = a[h * INNER + i];
#pragma unroll
            for (int f = 0; f < FOURS; f++)
                sum[h].four[f] += factor * row.four[f];
#if HAS_TWO
            sum[h].two += factor * row.two;
#endif
#if HAS_ONE
            sum[h].one += factor * row.one;
#endif
        }
    }
#pragma unroll
    for (int h = 0; h < HEIGHT; h++) {
#pragma unroll
        for (int f = 0; f < FOURS; f++)
            vstore4(sum[h].four[f], f, c + h * WIDTH);
#if HAS_TWO
        vstore2(sum[h].two, 0, c + h * WIDTH + 4 * FOURS);
#endif
#if HAS_ONE
        c[h * WIDTH + WIDTH - 1] = sum[h].one;
#endif
    }
}

kernel void multiply_blocks(const int n_rows, const global long *restrict a_start, const global int *restrict a_columns,
                            const global real *restrict a_values, const global long *restrict b_start,
                            const global int *restrict b_columns, const global real *restrict b_values,
                            const global long *restrict c_start, const global int *restrict c_columns,
                            global real *restrict c_values)
{
    EACH_ROW (row, n_rows) {
        for (long e = c_start[row] * (HEIGHT * WIDTH); e < c_start[row + 1] * (HEIGHT * WIDTH); e++)
            c_values[e] = 0;
        for (long k = a_start[row]; k < a_start[row + 1]; k++) {
            const long end = b_start[a_columns[k] + 1];
            long at = c_start[row];
            real a[HEIGHT * INNER];
#pragma unroll
            for (int e = 0; e < HEIGHT * INNER; e++)
                a[e] = a_values[k * (HEIGHT * INNER) + e];
            for (long j = b_start[a_columns[k]]; j < end; j++) {
                while (c_columns[at] < b_columns[j])
                    at++;
                add_block(a, b_values + j * (INNER * WIDTH), c_values + at * (HEIGHT * WIDTH));
            }
        }
    }
}
