/* Which blocks the matrix has, and where each entry of an element matrix goes. Private to the room. */
#ifndef RITZ_SRC_PATTERN_H
#define RITZ_SRC_PATTERN_H

#include "space/space.h"

typedef struct ritz_pattern {
    int32_t n_rows;     /* block rows: nodes of the space */
    int64_t *row_start; /* [n_rows + 1] */
    int32_t *columns;   /* [row_start[n_rows]], increasing in a row; NULL: on the device alone */
    int n_batches;
    /* [n_batches][n_cells][n_shape i][n_shape j]: number of node j's block in the row of node i; NULL as columns */
    uint16_t **position;
    int64_t **incidence_start; /* [n_batches][n_rows + 1] */
    int64_t *
        *incidence; /* [n_batches][...] cell * n_shape + i for each cell that a node belongs to, cells increasing */
} ritz_pattern;

ritz_status ritz_pattern_create(const ritz_space *space, ritz_pattern **pattern);
/* The cells of each node alone: row_start is 0, columns and positions are not there. */
ritz_status ritz_pattern_list_cells(const ritz_space *space, ritz_pattern **pattern);
/* extend.c: the same with the blocks that T' A T has besides, symmetric as those before. */
ritz_status ritz_pattern_extend(ritz_pattern *pattern, const ritz_space *space, const ritz_dependence *dependence);
enum { RITZ_LONGEST_ROW = UINT16_MAX }; /* in blocks */
#define RITZ_LONG_ROW_TEXT "a node of the mesh is joined to more than %d others"
void ritz_pattern_destroy(ritz_pattern **pattern);

#endif
