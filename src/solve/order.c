/* Cuthill and McKee's order: the rows of a matrix as a breadth-first search meets them. */
#include "solve/order.h"

#include <string.h>

/* Goes on from the rows [*end - n_seeds, *end) of order, whose places are set, until no row is left that they reach.
   Returns where the last level starts. */
static int32_t search(const ritz_graph *g, int32_t n_seeds, int32_t *order, int32_t *place, int32_t *end)
{
    int32_t level = *end - n_seeds, level_end = *end;
    for (int32_t at = level; at < *end; at++) {
        if (at == level_end) {
            level = level_end;
            level_end = *end;
        }
        const int32_t row = order[at], *column = g->columns + g->start[row];
        for (int32_t k = 0; k < g->length[row]; k++, column += g->stride)
            if (place[*column] < 0) {
                place[*column] = *end;
                order[(*end)++] = *column;
            }
    }
    return level;
}

static void forget(int32_t from, int32_t end, const int32_t *order, int32_t *place)
{
    for (int32_t i = from; i < end; i++)
        place[order[i]] = -1;
}

static void seed(int32_t row, int32_t *order, int32_t *place, int32_t *end)
{
    place[row] = *end;
    order[(*end)++] = row;
}

/* The row of fewest neighbours in order[from, end). */
static int32_t loneliest(const ritz_graph *g, int32_t from, int32_t end, const int32_t *order)
{
    int32_t best = order[from];
    for (int32_t i = from; i < end; i++)
        best = g->length[order[i]] < g->length[best] ? order[i] : best;
    return best;
}

/* The part of the graph that `row` lies in, from *end on: away to one end, from there to the other, and back. */
static void order_part(const ritz_graph *g, int32_t row, bool whole_end, int32_t *order, int32_t *place, int32_t *end)
{
    const int32_t from = *end;
    int32_t level = from;
    for (int sweep = 0; sweep < 2; sweep++) {
        seed(row, order, place, end);
        level = search(g, 1, order, place, end);
        row = loneliest(g, level, *end, order);
        if (sweep == 0 || !whole_end) {
            forget(from, *end, order, place);
            *end = from;
        }
    }
    int32_t n_seeds = 1;
    if (whole_end) {
        n_seeds = *end - level;
        forget(from, *end, order, place);
        memmove(order + from, order + level, (size_t)n_seeds * sizeof *order);
        *end = from;
        for (int32_t i = 0; i < n_seeds; i++)
            seed(order[from + i], order, place, end);
    } else {
        seed(row, order, place, end);
    }
    search(g, n_seeds, order, place, end);
}

void ritz_order_levels(const ritz_graph *g, bool whole_end, int32_t *order, int32_t *place)
{
    int32_t end = 0;
    for (int32_t row = 0; row < g->n; row++)
        place[row] = -1;
    for (int32_t row = 0; row < g->n; row++) {
        if (place[row] < 0)
            order_part(g, row, whole_end, order, place, &end);
        if (place[row] < 0) { /* in an unsymmetric pattern the end need not lead back */
            seed(row, order, place, &end);
            search(g, 1, order, place, &end);
        }
    }
}
