/* Whether faces that hold a body along their normals let it slide. */
#ifndef RITZ_SRC_SPACE_SLIDING_H
#define RITZ_SRC_SPACE_SLIDING_H

#include "space/space.h"

/* A direction of length 1 that is held at a node. slack: radians that it may be off by, as of a curved face that facets stand for; 0:
   it is what was meant. */
typedef struct ritz_hold {
    int32_t node;
    double direction[3], slack;
} ritz_hold;

/* A motion of a whole body of displacements that nothing holds but directions with a slack, within that: in words, the caller's, and its largest part
   along these directions; NULL: there is none. list [n]. */
ritz_status ritz_find_sliding(const ritz_space *space, int64_t n, const ritz_hold *list, double *share, char **words);

#endif
