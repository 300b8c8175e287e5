/* Elements as a file holds them, on their way into the blocks of a mesh. Private to the mesh room. */
#ifndef RITZ_SRC_MESH_RAW_H
#define RITZ_SRC_MESH_RAW_H

#include "mesh/internal.h"

enum { RITZ_GMSH_POINT = 15, RITZ_GMSH_MOST_TYPES = 20, RITZ_GMSH_MOST_NODES = 27 };

/* One of Gmsh's element types. */
typedef struct ritz_gmsh_type {
    int type, dim, n_nodes, order;
    int n_vertices;
    int cell;         /* ritz_cell, or -1 where it is no cell of ours */
    const char *name; /* "10-node tet" */
} ritz_gmsh_type;
/* The type of cells with so many nodes; NULL where there is none. */
const ritz_gmsh_type *ritz_gmsh_type_of_cell(ritz_cell cell, int n_nodes);
/* NULL when the type is not one that Ritz reads. */
const ritz_gmsh_type *ritz_gmsh_type_of(int type);
/* RITZ_ERROR_INPUT: what is wrong with an element of a type that Ritz does not read. number <= 0: not known. */
ritz_status ritz_gmsh_refuse_type(int type, int64_t number);

/* x[type->n_nodes]: the nodes of a cell's type in the coordinates of our reference cell. */
ritz_status ritz_gmsh_reference(const ritz_gmsh_type *type, double (*x)[3]);

/* from[basis->n_shape]: the place in an element of this type of each node of the basis, -1 where the element lacks it. */
ritz_status ritz_gmsh_match(const ritz_basis *basis, const ritz_gmsh_type *type, int *from);

/* All cells of one Gmsh type. */
typedef struct ritz_raw_cells {
    const ritz_gmsh_type *type; /* NULL: unused */
    int64_t n, capacity;
    int32_t *nodes; /* [n][type->n_nodes] in Gmsh's order, indices into the mesh's nodes */
    int32_t *set;
    int64_t *number;
} ritz_raw_cells;

typedef struct ritz_raw {
    ritz_raw_cells cells[RITZ_GMSH_MOST_TYPES]; /* by Gmsh type */
} ritz_raw;
void ritz_raw_free(ritz_raw *raw);

/* Cells of one Gmsh type that stand together, borrowed. Those of one ritz_cell follow each other in its block. */
typedef struct ritz_raw_block {
    const ritz_gmsh_type *type;
    int64_t n;
    const int32_t *nodes;  /* [n][type->n_nodes] in Gmsh's order, indices into the mesh's nodes */
    const int32_t *set;    /* [n]; NULL: 0 */
    const int64_t *number; /* [n]; NULL: first, first + 1, ... */
    int64_t first;
} ritz_raw_block;

/* Makes the blocks of a mesh that has its nodes, groups and sets. Cells of either order may be mixed: if any is of
   second order, all become so, and nodes that serendipity or first-order elements lack are made from those they have.
   */
ritz_status ritz_mesh_add_blocks(ritz_mesh *mesh, int n_blocks, const ritz_raw_block *blocks);
ritz_status ritz_mesh_add_raw(ritz_mesh *mesh, const ritz_raw *raw);

/* Nodes from n_given on, made by ritz_mesh_add_raw in the middle of a face or a serendipity cell, enter the groups of
   points that hold all nodes around them: a group of the eight nodes of a face holds the face. */
ritz_status ritz_mesh_group_made_nodes(ritz_mesh *mesh, int32_t n_given);

/* Cells of second order that their curved edges fold over get straight ones, and so do neighbours that this folds in
   turn, until none is left that straight edges could mend. */
ritz_status ritz_mesh_straighten(ritz_mesh *mesh, int32_t *n_straightened);

#endif
