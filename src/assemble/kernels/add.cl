/* One row of blocks of an element matrix added to the matrix: what gathering and scattering do. The loops over a
   block's entries are unrolled: left to itself, a CPU's compiler makes vector gathers and scatters of them, twice as
   slow.

   After integrate/kernels/layout.cl. Compile-time parameters: its own, WIDTH (elements interleaved in the element
   matrices), S (slice height of the matrix). */

/* Number of an entry of a block in the block's transpose. */
#define TRANSPOSED(entry) ((entry) % N_E * N_E + (entry) / N_E)

/* The element's place in its set of interleaved elements. */
static __global const real *element_at(__global const real *matrices, int cell)
{
    return matrices + (long)(cell / WIDTH) * (MATRIX_ENTRIES * WIDTH) + cell % WIDTH;
}

/* Row i of `element` to the matrix row whose first entry is row_values; place[j]: number of the block in its row. */
static void add_row(__global real *restrict row_values, __global const real *restrict element,
                    __global const ushort *restrict place, int i)
{
#if SYMMETRIC
    for (int j = 0; j < i; j++) { /* the transpose of block (j, i) */
        __global real *restrict block = row_values + (long)place[j] * (S * ENTRIES);
        __global const real *restrict entries = element + ENTRY_AT(PAIR(j, i), 0) * WIDTH;
#pragma unroll
        for (int entry = 0; entry < ENTRIES; entry++)
            block[entry * S] += entries[TRANSPOSED(entry) * (ENTRY_STRIDE * WIDTH)];
    }
#endif
    for (int j = SYMMETRIC ? i : 0; j < N_SHAPE; j++) {
        __global real *restrict block = row_values + (long)place[j] * (S * ENTRIES);
        __global const real *restrict entries = element + ENTRY_AT(PAIR(i, j), 0) * WIDTH;
#pragma unroll
        for (int entry = 0; entry < ENTRIES; entry++)
            block[entry * S] += entries[entry * (ENTRY_STRIDE * WIDTH)];
    }
}

/* Entries of shape function i of an element vector to the right-hand side. */
static void add_load(__global real *restrict rhs, __global const real *restrict vectors, int cell, int i, int row)
{
    for (int c = 0; c < N_E; c++)
        rhs[(long)row * N_E + c] +=
            vectors[((long)(cell / WIDTH) * (N_SHAPE * N_E) + i * N_E + c) * WIDTH + cell % WIDTH];
}
