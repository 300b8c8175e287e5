/* Half storage of symmetric matrices from and to compressed rows of the same blocks and values; how symmetric a matrix
   is. After values.cl, which names the compile-time parameters.

   In half storage entry e of slot p stands at (p - i) * BLOCK * BLOCK + e * LANES + i, i = p % LANES; in compressed
   rows at p * BLOCK * BLOCK + e. */
#if VALUES == 1
typedef ulong raw;
#elif VALUES == 2
typedef uint raw;
#else
typedef ushort raw;
#endif

/* half[slot] = the block at source[slot] of the rows, zero where that is -1. */
kernel void fold(const long n_slots, const global long *restrict source, const global raw *restrict rows,
                 global raw *restrict half_values)
{
    const long slot = get_global_id(0), i = slot % LANES;
    if (slot >= n_slots)
        return;
#pragma unroll
    for (int e = 0; e < BLOCK * BLOCK; e++)
        half_values[(slot - i) * (BLOCK * BLOCK) + e * LANES + i] =
            source[slot] < 0 ? (raw)0 : rows[source[slot] * (BLOCK * BLOCK) + e];
}

/* The block of a slot to its place in the rows, and transposed to its mirror image's, where these are not -1. */
kernel void unfold(const long n_slots, const global long *restrict place, const global long *restrict mirror,
                   const global raw *restrict half_values, global raw *restrict rows)
{
    const long slot = get_global_id(0), i = slot % LANES;
    if (slot >= n_slots)
        return;
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
#pragma unroll
        for (int c = 0; c < BLOCK; c++) {
            const raw v = half_values[(slot - i) * (BLOCK * BLOCK) + (r * BLOCK + c) * LANES + i];
            if (place[slot] >= 0)
                rows[place[slot] * (BLOCK * BLOCK) + r * BLOCK + c] = v;
            if (mirror[slot] >= 0)
                rows[mirror[slot] * (BLOCK * BLOCK) + c * BLOCK + r] = v;
        }
}

/* The block of a row at a column, -1 where there is none. */
inline long find(const global long *row_start, const global int *columns, const int row, const int column)
{
    long low = row_start[row], high = row_start[row + 1];
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row_start[row + 1] && columns[low] == column ? low : -1;
}

/* For each block row the largest |a_ij - a_ji| and the largest |a_ij|. */
kernel void compare(const int n_rows, const global long *restrict row_start, const global int *restrict columns,
                    const global value *restrict values, global real *restrict difference, global real *restrict size)
{
    const int row = get_global_id(0);
    if (row >= n_rows)
        return;
    real most = 0, largest = 0;
    for (long k = row_start[row]; k < row_start[row + 1]; k++) {
        const long mirror = find(row_start, columns, columns[k], row);
        for (int r = 0; r < BLOCK; r++)
            for (int c = 0; c < BLOCK; c++) {
                const real a = load_one(values + k * (BLOCK * BLOCK) + r * BLOCK + c);
                const real b = mirror < 0 ? (real)0 : load_one(values + mirror * (BLOCK * BLOCK) + c * BLOCK + r);
                const real d = fabs(a - b);
                most = d <= most ? most : d;
                largest = fabs(a) <= largest ? largest : fabs(a);
            }
    }
    difference[row] = most;
    size[row] = largest;
}
