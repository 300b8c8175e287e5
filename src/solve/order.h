/* Cuthill and McKee's order of a graph. */
#ifndef RITZ_SRC_SOLVE_ORDER_H
#define RITZ_SRC_SOLVE_ORDER_H

#include "base/base.h"

/* The pattern of a matrix of n rows: the k-th column of a row is columns[start[row] + k stride], k < length[row]. */
typedef struct ritz_graph {
    int32_t n, stride;
    const int64_t *start;
    const int32_t *length, *columns;
} ritz_graph;

/* order[n], its inverse place[n]. Rows come in the order of a breadth-first search, so that a row's neighbours stand
   within about a level's width of it. The search starts from an end of the graph: from one row of it, or with `whole_end`
   from all rows that are as far from the other end as any. Parts that are not connected follow each other; an unsymmetric
   pattern gives a permutation too. */
void ritz_order_levels(const ritz_graph *graph, bool whole_end, int32_t *order, int32_t *place);

#endif
