/* Sets that are joined two at a time, as trees of links: parent[i] leads to the lowest member of i's set, which is its root. */
#ifndef RITZ_SRC_TREES_H
#define RITZ_SRC_TREES_H

#include <stdint.h>

/* Halves the path on the way. */
static inline int32_t ritz_find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void ritz_join_roots(int32_t *parent, int32_t a, int32_t b)
{
    const int32_t one = ritz_find_root(parent, a), other = ritz_find_root(parent, b);
    parent[one > other ? one : other] = one < other ? one : other;
}

#endif
