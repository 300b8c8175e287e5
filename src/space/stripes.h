/* Sums at nodes of what cells give, by host threads: cells in stripes, one of which a thread takes at a time. A node is of
   the stripe that uses it first, and only that adds to it; what other stripes have for it waits until all are done, and is
   added in the order of the stripes. So each sum is in the order of the cells, whatever the number of threads. */
#ifndef RITZ_SRC_STRIPES_H
#define RITZ_SRC_STRIPES_H

#include "space/space.h"

enum { RITZ_MOST_STRIPES = 64 };
typedef struct ritz_stripe {
    int32_t first, last;        /* places of its cells: first .. last - 1 */
    int32_t first_node;         /* by first use: it and those after it are the stripe's own */
    int64_t waiting, n_waiting; /* the first of its entries that wait, among those of all stripes */
} ritz_stripe;

/* Stripes of cells[n], increasing numbers of the batch's (NULL: all n of it); returns how many there are. *n_waiting: of nodes
   of cells that are not their stripe's own. */
int ritz_divide_cells(const ritz_space *space, const ritz_space_batch *batch, const int32_t *cells, int32_t n,
                      ritz_stripe stripes[RITZ_MOST_STRIPES], int64_t *n_waiting);

static inline bool ritz_stripe_owns(const ritz_space *space, const ritz_stripe *stripe, int32_t node)
{
    return ritz_first_use(space, node) >= stripe->first_node;
}

#endif
