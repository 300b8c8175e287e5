/* Shared between the files of the space room only: numbering. */
#ifndef RITZ_SRC_SPACE_NUMBER_H
#define RITZ_SRC_SPACE_NUMBER_H

#include "space/space.h"

/* Loops over fewer cells or vertices than this run on one thread: starting the others would cost more. */
enum { PARALLEL_FROM = 500 };

/* Fills n_nodes, vertex_nodes and each batch's cell_nodes and first_node; all else of the space is in place. */
ritz_status ritz_space_number(ritz_space *space);

/* Gives the nodes of a space the caller's numbers; `nodes` as for ritz_space_create_numbered. */
ritz_status ritz_space_renumber(ritz_space *space, const int32_t *const *nodes);

#endif
