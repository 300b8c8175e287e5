/* Stripes of cells, see stripes.h. */
#include "space/stripes.h"

int ritz_divide_cells(const ritz_space *space, const ritz_space_batch *batch, const int32_t *cells, int32_t n,
                      ritz_stripe stripes[RITZ_MOST_STRIPES], int64_t *n_waiting)
{
    enum { LEAST_CELLS = 512 };
    const int32_t n_stripes = (int32_t)ritz_max64(1, ritz_min64(RITZ_MOST_STRIPES, n / LEAST_CELLS));
#pragma omp parallel for schedule(static)
    for (int32_t k = 0; k < n_stripes; k++) {
        ritz_stripe *s = &stripes[k];
        *s = (ritz_stripe){.first = (int32_t)((int64_t)n * k / n_stripes),
                           .last = (int32_t)((int64_t)n * (k + 1) / n_stripes)};
        s->first_node = n > 0 ? batch->first_node[cells ? cells[s->first] : s->first] : 0;
        for (int32_t e = s->first; e < s->last; e++) {
            const int32_t *nodes = batch->cell_nodes + (int64_t)(cells ? cells[e] : e) * batch->n_shape;
            for (int i = 0; i < batch->n_shape; i++)
                s->n_waiting += !ritz_stripe_owns(space, s, nodes[i]);
        }
    }
    *n_waiting = 0;
    for (int32_t k = 0; k < n_stripes; k++) {
        stripes[k].waiting = *n_waiting;
        *n_waiting += stripes[k].n_waiting;
    }
    return n_stripes;
}
