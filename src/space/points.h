/* Shared between the files of the space room only: which entities of cells a group takes, and groups of points. */
#ifndef RITZ_SRC_SPACE_POINTS_H
#define RITZ_SRC_SPACE_POINTS_H

#include "space/space.h"

/* The vertices (bits) of the vertex, edge, face or cell that the node lies inside. */
unsigned ritz_node_mask(const ritz_topology *topology, const ritz_cell_node *node);
/* Marks the cell's nodes on the entity that is spanned by the local vertices of `mask`: a facet, an edge, the whole
   cell.
 */
void ritz_mark_closure(const ritz_space_batch *batch, int32_t cell, unsigned mask, uint8_t *marked);

/* marked[n_nodes]: the nodes of the space on a group of points. Each of its mesh nodes is one, be it a vertex or in the
   middle of an edge, a face or a cell of second order; and where all mesh nodes of such an edge, face or cell are in
   the group, so is all of it. RITZ_ERROR_INPUT: a point in the middle of a entity at a place where this order has no
   node. */
ritz_status ritz_mark_points(const ritz_space *space, int32_t group, uint8_t *marked);
/* space->lone_nodes: decks have loads and supports on thousands of nodes one by one, and then not each looks through all
   cells. */
ritz_status ritz_find_lone_points(ritz_space *space);

#endif
