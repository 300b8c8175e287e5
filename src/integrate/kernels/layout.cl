/* Where the entries of an element matrix stand in a buffer, for the kernels that write and that read it: see
   ritz_layout.

   Compile-time parameters: N_SHAPE, N_E (components), SYMMETRIC (only the blocks j >= i are kept), ROW_PAIRS,
   PAIR_STRIDE, ENTRY_STRIDE, MATRIX_ENTRIES. */

#define ENTRIES (N_E * N_E)
#if SYMMETRIC
#define PAIR(i, j) ((i) * N_SHAPE - (i) * ((i) - 1) / 2 + (j) - (i)) /* j >= i */
#else
#define PAIR(i, j) ((i) * ROW_PAIRS + (j))
#endif
/* Number of an entry (iE * N_E + jE) of a pair of shape functions, in its element. */
#define ENTRY_AT(pair, entry) ((pair) * PAIR_STRIDE + (entry) * ENTRY_STRIDE)
