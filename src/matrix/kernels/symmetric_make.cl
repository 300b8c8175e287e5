/* Half storage of symmetric matrices from whole slices and to compressed rows of the same blocks and values; how
   symmetric a matrix is. After find_block.cl and values.cl, which names the compile-time parameters.

   In half storage entry e of slot p stands at (p - i) * BLOCK * BLOCK + e * LANES + i, i = p % LANES; in whole slices
   likewise with their height for LANES, so in compressed rows at p * BLOCK * BLOCK + e. */
#if VALUES == 1
typedef ulong raw;
#elif VALUES == 2
typedef uint raw;
#else
typedef ushort raw;
#endif

/* Where the first entry of slot p stands in slices of S rows; the next is S further. */
inline long place_of(const long p, const int S)
{
    const long i = p % S;
    return (p - i) * (BLOCK * BLOCK) + i;
}

/* half[slot] = the block at source[slot] of the whole matrix, zero where that is -1. */
kernel void halve(const long n_slots, const int S, const global long *restrict source, const global raw *restrict whole,
                 global raw *restrict half_values)
{
    const long slot = get_global_id(0);
    if (slot >= n_slots)
        return;
    const bool there = source[slot] >= 0;
    const long from = there ? place_of(source[slot], S) : 0, to = place_of(slot, LANES);
#pragma unroll
    for (int e = 0; e < BLOCK * BLOCK; e++)
        half_values[to + e * LANES] = there ? whole[from + (long)e * S] : (raw)0;
}

/* The block of a slot to its place in the rows, and transposed to its mirror image's, where these are not -1. */
kernel void expand(const long n_slots, const global long *restrict place, const global long *restrict mirror,
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

/* The slot of a row's block at a column, -1 where there is none. */
inline long find_slot(const global long *row_slot, const global int *row_length, const global int *columns,
                      const int S, const int row, const int column)
{
    const int place = find_block(columns + row_slot[row], S, row_length[row], column);
    return place < 0 ? -1 : row_slot[row] + (long)place * S;
}

/* The greater one; b where a is NaN. fmax is slow on CPUs. */
inline real larger_of(const real a, const real b)
{
    return a > b ? a : b;
}

/* The largest |entry| of the block at a slot. */
inline real largest_of(const global value *values, const long slot, const int S)
{
    const long at = place_of(slot, S);
    real largest = 0;
    for (int e = 0; e < BLOCK * BLOCK; e++)
        largest = larger_of(fabs(load_one(values + at + (long)e * S)), largest);
    return largest;
}

/* root[row] = sqrt of the largest |entry| of the block on the diagonal; where that is 0 or missing, of the largest that
   the row and the column share: the lesser of both blocks'. A transposed matrix has the same. */
kernel void size_rows(const int n_rows, const int S, const global long *restrict row_slot,
                      const global int *restrict row_length, const global int *restrict columns,
                      const global value *restrict values, global real *restrict root)
{
    const int row = get_global_id(0);
    if (row >= n_rows)
        return;
    const long diagonal = find_slot(row_slot, row_length, columns, S, row, row);
    const real own_size = diagonal < 0 ? (real)0 : largest_of(values, diagonal, S);
    real shared = 0;
    for (int k = 0; own_size == 0 && k < row_length[row]; k++) {
        const long slot = row_slot[row] + (long)k * S;
        const long mirror = find_slot(row_slot, row_length, columns, S, columns[slot], row);
        const real own = largest_of(values, slot, S), other = mirror < 0 ? (real)0 : largest_of(values, mirror, S);
        shared = larger_of(own < other ? own : other, shared);
    }
    root[row] = sqrt(own_size == 0 ? shared : own_size);
}

/* The size of the unknown `entry` of block row `row`: its number on the diagonal; where that is 0 or missing, the row's. */
inline real size_of(const global long *row_slot, const global int *row_length, const global int *columns,
                    const global value *values, const global real *root, const int S, const int row, const int entry)
{
    const long slot = find_slot(row_slot, row_length, columns, S, row, row);
    const real own = slot < 0 ? (real)0 : fabs(load_one(values + place_of(slot, S) + (long)entry * (BLOCK + 1) * S));
    return own == 0 ? root[row] * root[row] : own;
}

/* Of each block row of a whole matrix in slices of S rows the largest |a_ij - a_ji| over the diagonal, or under it, and
   on it, `relative` to the largest of root_i root_j and the entries of both blocks, and as it is; NaN where one of them
   is not finite. Where but one of a_ij and a_ji is 0, to the lesser of both unknowns' sizes instead: numbers on the
   diagonal that prescribe unknowns may be far larger than what couples others to them. And how many blocks stand under
   the diagonal less those over it that have a mirror image: their sum is 0 where all have one. */
kernel void compare(const int n_rows, const int S, const int under, const global long *restrict row_slot,
                    const global int *restrict row_length, const global int *restrict columns,
                    const global value *restrict values, const global real *restrict root,
                    global real *restrict relative, global real *restrict difference, global int *restrict surplus)
{
    const int row = get_global_id(0);
    if (row >= n_rows)
        return;
    real worst = 0, most = 0;
    int balance = 0;
    for (int k = 0; k < row_length[row]; k++) {
        const long slot = row_slot[row] + (long)k * S, at = place_of(slot, S);
        const int column = columns[slot];
        const bool looks = column == row || (under ? column < row : column > row);
        const long mirror = looks ? find_slot(row_slot, row_length, columns, S, column, row) : -1;
        const long other = mirror < 0 ? 0 : place_of(mirror, S);
        balance += column < row ? 1 : column > row && mirror >= 0 ? -1 : 0;
        real d = 0, sum = 0, alone = 0, beside = root[row] * root[column];
        for (int r = 0; looks && r < BLOCK; r++)
#pragma unroll
            for (int c = 0; c < BLOCK; c++) {
                const real a = load_one(values + at + (long)(r * BLOCK + c) * S);
                const real b = mirror < 0 ? (real)0 : load_one(values + other + (long)(c * BLOCK + r) * S);
                d = larger_of(fabs(a - b), d);
                sum += fabs(a - b); /* NaN as soon as one is */
                beside = larger_of(larger_of(fabs(a), fabs(b)), beside);
                if ((a == 0) != (b == 0)) {
                    const real of_row = size_of(row_slot, row_length, columns, values, root, S, row, r);
                    const real of_column = size_of(row_slot, row_length, columns, values, root, S, column, c);
                    const real lesser = of_row < of_column ? of_row : of_column;
                    alone = larger_of(fabs(a - b) / larger_of(fabs(a - b), lesser), alone);
                }
            }
        const real share = sum == 0 || isnan(sum) ? sum : larger_of(d / beside, alone);
        if (!(share <= worst) && !isnan(worst)) {
            worst = share;
            most = d;
        }
    }
    relative[row] = worst;
    difference[row] = most;
    surplus[row] = balance;
}
