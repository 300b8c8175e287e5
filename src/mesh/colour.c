/* Colouring of cells: no two cells of one colour share a node (or degree of freedom). */
#include "mesh/parts.h"

#include <string.h>

enum { WORD = 64 }; /* colours that one pass over the cells can give */

/* The least used of the colours that are open and not taken, or -1. */
static int least_used(uint64_t taken, int open, const int32_t *cells_of)
{
    int best = -1;
    for (int k = 0; k < open; k++) {
        if (!(taken >> k & 1) && (best < 0 || cells_of[k] < cells_of[best]))
            best = k;
    }
    return best;
}

/* One pass gives up to 64 colours, counted from `first`; cells that get none stay at -1 for the next. A new colour is
   opened only where no open one is free; among free ones the least used is taken, which balances them. */
static int32_t colour_pass(int32_t n_cells, int n_local, const int32_t *dofs, int32_t first, uint64_t *taken,
                           int32_t *colour, int32_t *left)
{
    int32_t cells_of[WORD] = {0};
    int open = 0;
    *left = 0;
    for (int32_t c = 0; c < n_cells; c++) {
        const int32_t *local = &dofs[(int64_t)c * n_local];
        uint64_t around = 0;
        if (colour[c] >= 0)
            continue;
        for (int i = 0; i < n_local; i++)
            around |= taken[local[i]];
        int k = least_used(around, open, cells_of);
        if (k < 0 && open == WORD) {
            ++*left;
            continue;
        }
        if (k < 0)
            k = open++;
        cells_of[k]++;
        colour[c] = first + k;
        for (int i = 0; i < n_local; i++)
            taken[local[i]] |= (uint64_t)1 << k;
    }
    return first + open;
}

ritz_status ritz_colour_cells(int32_t n_cells, int n_local, const int32_t *dofs, int32_t n_dofs, int32_t *colour,
                              int32_t *n_colours)
{
    ritz_status status = RITZ_OK;
    uint64_t *taken = NULL;
    int32_t left = n_cells, n = 0;
    RITZ_NEW(taken, n_dofs);
    memset(colour, -1, (size_t)n_cells * sizeof *colour);
    while (left > 0) {
        RITZ_TRY(ritz_check_interrupt());
        memset(taken, 0, (size_t)n_dofs * sizeof *taken);
        n = colour_pass(n_cells, n_local, dofs, n, taken, colour, &left);
    }
    *n_colours = n;
done:
    ritz_free(taken);
    return status;
}
