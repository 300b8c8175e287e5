/* Numbers by first use, on all threads. */
#ifndef RITZ_SRC_FIRST_USE_H
#define RITZ_SRC_FIRST_USE_H

#include "base/base.h"

/* Cells one after the other, and what they use: the first `width` of the `stride` values of each. */
typedef struct ritz_uses {
    int32_t n_cells;
    int width, stride;
    const int32_t *values; /* [n_cells][stride] */
} ritz_uses;

/* Gives the values that have no number yet, number[value] = -1, the numbers from *next on, in the order in which the
   cells use them first. first: [n_cells + 1] what *next is before each cell and in the end, or NULL. */
void ritz_number_first_uses(const ritz_uses *uses, int32_t *number, int32_t *next, int32_t *first);

#endif
