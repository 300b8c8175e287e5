/* Assembly by rows, by several work-items each: a group sums LANES rows in local memory, element by element in a fixed
   order, and puts the sums back. A work-item adds one entry of the blocks of one row, at every PARTS-th of an
   element's nodes: blocks of one element are different ones, and a barrier stands between elements. The sums have the same bits in
   every run, those of gather.cl.

   After integrate/kernels/layout.cl and add.cl. Compile-time parameters: theirs, and LOAD (element vectors are there),
   LANES, PARTS, LONGEST (blocks of the longest row, where the sums are more than a kernel's argument may take; 0: `given` has
   room for them). */

#define GROUP (LANES * ENTRIES * PARTS)
/* Work-items that read side by side: of neighbouring elements where these are interleaved, else of neighbouring nodes. */
#if WIDTH > 1
#define LANE(item) ((item) % LANES)
#define PART(item) ((item) / (LANES * ENTRIES))
#define ENTRY(item) ((item) / LANES % ENTRIES)
#else
#define PART(item) ((item) % PARTS)
#define LANE(item) ((item) / PARTS % LANES)
#define ENTRY(item) ((item) / (PARTS * LANES))
#endif

/* An entry of block (i, j) of an element matrix. */
static real entry_of(__global const real *restrict element, int i, int j, int entry)
{
#if SYMMETRIC
    if (j < i)
        return element[ENTRY_AT(PAIR(j, i), TRANSPOSED(entry)) * WIDTH];
#endif
    return element[ENTRY_AT(PAIR(i, j), entry) * WIDTH];
}

/* As gather in gather.cl; row_length: blocks of the matrix's rows. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
gather_shared(int n_rows, long first_row, long first_cell, __global const int *restrict rows,
              __global const long *restrict start, __global const int *restrict items,
              __global const ushort *restrict position, __global const real *restrict matrices,
              __global const real *restrict vectors, __global const long *restrict row_slot,
              __global real *restrict values, __global real *restrict rhs, __global const int *restrict row_length,
              __local real *given)
{
#if LONGEST
    __local real sums[LONGEST * ENTRIES * LANES];
#else
    __local real *const sums = given;
#endif
    __local ushort places[LANES * N_SHAPE];
    __local long first_item[LANES];
    __local int n_items[LANES];
    const int item = get_local_id(0), lane = LANE(item), part = PART(item), entry = ENTRY(item);
    const int first = get_group_id(0) * LANES, k = first + lane;
    for (int r = item; r < LANES; r += GROUP) {
        const bool there = first + r < n_rows;
        first_item[r] = there ? start[first_row + first + r] : 0;
        n_items[r] = there ? (int)(start[first_row + first + r + 1] - first_item[r]) : 0;
    }
    const int row = k < n_rows ? rows[first_row + k] : 0, length = k < n_rows ? row_length[row] : 0;
    const long slot = row_slot[row];
    __global real *restrict row_values = values + (slot - slot % S) * ENTRIES + slot % S + entry * S;
    __local real *own = sums + entry * LANES + lane;
    for (int b = part; b < length; b += PARTS)
        own[b * (ENTRIES * LANES)] = row_values[(long)b * (S * ENTRIES)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int most = 0;
    for (int r = 0; r < LANES; r++)
        most = max(most, n_items[r]);
    for (int m = 0; m < most; m++) {
        for (int p = item; p < LANES * N_SHAPE; p += GROUP) {
            const int r = p / N_SHAPE;
            if (m < n_items[r])
                places[p] = position[(first_cell * N_SHAPE + items[first_item[r] + m]) * N_SHAPE + p % N_SHAPE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (m < n_items[lane]) {
            const int at = items[first_item[lane] + m], cell = at / N_SHAPE, i = at % N_SHAPE;
            __global const real *const element = element_at(matrices, cell);
#pragma unroll 4
            for (int j = part; j < N_SHAPE; j += PARTS)
                own[places[lane * N_SHAPE + j] * (ENTRIES * LANES)] += entry_of(element, i, j, entry);
#if LOAD
            if (entry == 0 && part == 0)
                add_load(rhs, vectors, cell, i, row);
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int b = part; b < length; b += PARTS)
        row_values[(long)b * (S * ENTRIES)] = own[b * (ENTRIES * LANES)];
}
