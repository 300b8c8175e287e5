/* Colouring of cells: no two cells of one colour share a node (or degree of freedom). */
#include "mesh/internal.h"

#include <string.h>

enum { WORD = 64 }; /* colours that one pass over the cells can give */

static uint64_t colours_around(int n_local, const int32_t *local, const uint64_t *taken)
{
    uint64_t around = 0;
    for (int i = 0; i < n_local; i++)
        around |= taken[local[i]];
    return around;
}

/* One pass gives each cell the first of 64 colours, counted from `first`, that no neighbour has; cells that get none
   stay at -1 for the next pass. taken[n_dofs]: the colours around each dof. */
static int colour_pass(int32_t n_cells, int n_local, const int32_t *dofs, int32_t first, uint64_t *taken,
                       int32_t *colour, int32_t *left)
{
    int open = 0;
    *left = 0;
    for (int32_t c = 0; c < n_cells; c++) {
        const int32_t *local = &dofs[(int64_t)c * n_local];
        if (colour[c] >= 0)
            continue;
        uint64_t around = colours_around(n_local, local, taken);
        int k = 0;
        while (k < WORD && (around >> k & 1))
            k++;
        if (k == WORD) {
            ++*left;
            continue;
        }
        open = k >= open ? k + 1 : open;
        colour[c] = first + k;
        for (int i = 0; i < n_local; i++)
            taken[local[i]] |= (uint64_t)1 << k;
    }
    return open;
}

/* Moves cells from colours that have more than their share to the least used one that they may take. Each bit of taken
   belongs to one cell, so it can be given back. */
static void balance_colours(int32_t n_cells, int n_local, const int32_t *dofs, int32_t first, int open, uint64_t *taken,
                            int32_t *colour)
{
    int64_t cells_of[WORD] = {0}, coloured = 0;
    for (int32_t c = 0; c < n_cells; c++) {
        if (colour[c] >= first) {
            cells_of[colour[c] - first]++;
            coloured++;
        }
    }
    int64_t share = open > 0 ? coloured / open : 0;
    for (int32_t c = 0; c < n_cells; c++) {
        const int32_t *local = &dofs[(int64_t)c * n_local];
        int old = colour[c] - first, best = -1;
        if (old < 0 || cells_of[old] <= share)
            continue;
        uint64_t around = colours_around(n_local, local, taken);
        for (int k = 0; k < open; k++) {
            if (!(around >> k & 1) && cells_of[k] < share && (best < 0 || cells_of[k] < cells_of[best]))
                best = k;
        }
        if (best < 0)
            continue;
        cells_of[old]--;
        cells_of[best]++;
        colour[c] = first + best;
        for (int i = 0; i < n_local; i++)
            taken[local[i]] = (taken[local[i]] & ~((uint64_t)1 << old)) | (uint64_t)1 << best;
    }
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
        int open = colour_pass(n_cells, n_local, dofs, n, taken, colour, &left);
        balance_colours(n_cells, n_local, dofs, n, open, taken, colour);
        n += open;
    }
    *n_colours = n;
done:
    ritz_free(taken);
    return status;
}
