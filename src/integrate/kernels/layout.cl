/* Where the blocks of an element matrix stand in a buffer, for the kernels that write and that read it: see
   ritz_layout.

   Compile-time parameters: N_SHAPE, N_E (components), SYMMETRIC (only the blocks j >= i are kept). */

#define ENTRIES (N_E * N_E)
#if SYMMETRIC
#define N_PAIRS (N_SHAPE * (N_SHAPE + 1) / 2)
#define PAIR(i, j) ((i) * N_SHAPE - (i) * ((i) - 1) / 2 + (j) - (i)) /* j >= i */
#else
#define N_PAIRS (N_SHAPE * N_SHAPE)
#define PAIR(i, j) ((i) * N_SHAPE + (j))
#endif
