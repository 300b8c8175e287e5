/* Element matrices as the device wrote them, into a caller's arrays. Depends on the integrate room. */
#ifndef RITZ_SRC_UNPACK_H
#define RITZ_SRC_UNPACK_H

#include "integrate/stream.h"

/* The caller's arrays; either may be NULL. */
typedef struct ritz_element_arrays {
    double *matrices, *vectors;
    const int32_t *place;  /* [n_cells] of each cell there; NULL: its own */
    const uint8_t *turned; /* [n_cells] its nodes stand as `turn` says there; NULL: none do */
    const int *turn;       /* [n_shape] */
} ritz_element_arrays;

/* A ritz_chunk_consumer, whose context are the arrays. RITZ_ERROR_INPUT: the first element that is not finite. */
ritz_status ritz_unpack_chunk(const ritz_chunk *chunk, void *arrays);

#endif
