/* What becomes of the entries of element matrices and loads while they are in registers: stored; or handed on, and then a
   few numbers an element are all that is stored.

   After layout.cl and element.cl. Compile-time parameters: theirs and
   RESULT (ritz_element_result: MATRICES; SUM, the weighted sum of all entries; CHECKSUM, that and the checksum of their bits;
   ACTION, the matrix times the element's part of the old solution)
   MATRIX_ENTRIES: numbers an element in `matrices`, whatever they are
   LOCAL, WIDTH; INTERLEAVED (numbers interleaved by set, or an element after the other), STREAM (they go past the caches)
   ulongv, BITS(realv), LOW_BITS(ulongv), HIGH_BITS(ulongv): the bits of a real as a whole number and back. */

#define ROWS (N_SHAPE * N_E)

typedef struct {
    __global realv *matrices, *vectors;
    int place, n_elements; /* the item's elements are place.. of n_elements */
#if RESULT == SUM || RESULT == CHECKSUM
    realv sum;
#endif
#if RESULT == CHECKSUM
    ulongv bits;
#endif
#if RESULT == ACTION
    realv u[ROWS], product[ROWS];
#endif
} result;

/* ---- Storing ---- */

#if STREAM
#define STORE(value, place) STORE_PAST_CACHES(value, place)
#else
#define STORE(value, place) place = value
#endif

/* Number `entry` of the n_entries of each of an item's elements. */
static void put_number(__global realv *to, int n_entries, int entry, realv value, const result *r)
{
#if INTERLEAVED
    STORE(value, to[((long)(r->place / WIDTH) * n_entries + entry) * LOCAL + r->place % WIDTH / LANES]);
#else
    for (int lane = 0; lane < LANES; lane++)
        if (r->place + lane < r->n_elements)
            STORE(((const real *)&value)[lane], ((__global real *)to)[(long)(r->place + lane) * n_entries + entry]);
#endif
}

/* ---- Handing on ---- */

static void begin_result(result *r, const inputs *in, int e0)
{
#if RESULT == SUM || RESULT == CHECKSUM
    r->sum = 0;
#endif
#if RESULT == CHECKSUM
    r->bits = 0;
#endif
#if RESULT == ACTION
    for (int lane = 0; lane < LANES; lane++) {
        const long e = min(e0 + lane, in->n_cells - 1);
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            const long node = in->cell_nodes[e * N_SHAPE + row / N_E];
            ((real *)&r->u[row])[lane] = in->old[node * N_E + row % N_E];
        }
    }
#pragma unroll
    for (int row = 0; row < ROWS; row++)
        r->product[row] = 0;
#endif
}

/* Numbers of entries count from 1: those of the matrix row by row, then those of the load. */
static void take_number(result *r, realv value, int number)
{
#if RESULT == SUM || RESULT == CHECKSUM
    r->sum += value * (real)number;
#endif
#if RESULT == CHECKSUM
    const ulongv z = BITS(value) + (ulong)number * (ulong)0x9e3779b97f4a7c15;
    r->bits += (z & (ulong)0xffffffff) * (z >> (ulong)32);
#endif
}

static void take_entry(result *r, realv value, int row, int column)
{
#if RESULT == ACTION
    r->product[row] += value * r->u[column];
#else
    take_number(r, value, row * ROWS + column + 1);
#endif
}

/* Entry k of the block (i, j); of a symmetric matrix, whose blocks j >= i alone are computed, its mirror image too. */
static void take_block_entry(result *r, realv value, int i, int j, int k)
{
#if RESULT == MATRICES
    put_number(r->matrices, MATRIX_ENTRIES, ENTRY_AT(PAIR(i, j), k), value, r);
#else
    const int row = i * N_E + k / N_E, column = j * N_E + k % N_E;
    take_entry(r, value, row, column);
    if (SYMMETRIC && i != j)
        take_entry(r, value, column, row);
#endif
}

static void take_load(result *r, realv value, int row)
{
#if RESULT == MATRICES || RESULT == ACTION
    put_number(r->vectors, ROWS, row, value, r);
#else
    take_number(r, value, ROWS * ROWS + row + 1);
#endif
}

static void end_result(const result *r)
{
#if RESULT == SUM || RESULT == CHECKSUM
    put_number(r->matrices, MATRIX_ENTRIES, 0, r->sum, r);
#endif
#if RESULT == CHECKSUM
    put_number(r->matrices, MATRIX_ENTRIES, 1, LOW_BITS(r->bits), r);
    if (MATRIX_ENTRIES == 3) /* two reals of 32 bits */
        put_number(r->matrices, MATRIX_ENTRIES, 2, HIGH_BITS(r->bits), r);
#endif
#if RESULT == ACTION
#pragma unroll
    for (int row = 0; row < ROWS; row++)
        put_number(r->matrices, MATRIX_ENTRIES, row, r->product[row], r);
#endif
}
