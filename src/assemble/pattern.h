/* Which blocks the matrix has, and where each entry of an element matrix goes. Private to the room. */
#ifndef RITZ_SRC_PATTERN_H
#define RITZ_SRC_PATTERN_H

#include "space/space.h"

typedef struct ritz_pattern {
    int32_t n_rows;     /* block rows: nodes of the space */
    int64_t *row_start; /* [n_rows + 1] */
    int32_t *columns;   /* [row_start[n_rows]], increasing in a row */
    int n_batches;
    uint16_t **position; /* [n_batches][n_cells][n_shape i][n_shape j]: number of node j's block in the row of node i */
    int64_t **incidence_start; /* [n_batches][n_rows + 1] */
    int64_t *
        *incidence; /* [n_batches][...] cell * n_shape + i for each cell that a node belongs to, cells increasing */
} ritz_pattern;

ritz_status ritz_pattern_create(const ritz_space *space, ritz_pattern **pattern);
/* extend.c: the same with the blocks that T' A T has besides, symmetric as those before. */
ritz_status ritz_pattern_extend(ritz_pattern *pattern, const ritz_space *space, const ritz_dependence *dependence);
enum { RITZ_LONGEST_ROW = UINT16_MAX }; /* in blocks */
void ritz_pattern_destroy(ritz_pattern **pattern);

#endif
