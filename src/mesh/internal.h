/* Shared between the files of the mesh room only: building a mesh piece by piece, and a table keyed by vertices. */
#ifndef RITZ_SRC_MESH_INTERNAL_H
#define RITZ_SRC_MESH_INTERNAL_H

#include "mesh/mesh.h"

/* An empty mesh whose sets hold the empty one. */
ritz_status ritz_mesh_new(int dim, ritz_mesh **mesh);
/* The group of this name and dimension, made if it is new. name NULL: the tag's digits. */
ritz_status ritz_mesh_add_group(ritz_mesh *mesh, int dim, int tag, const char *name, int32_t *group);
/* The set of these groups (increasing, none twice), made if it is new. */
ritz_status ritz_mesh_add_set(ritz_mesh *mesh, int n_groups, const int32_t *groups, int32_t *set);
/* The set that holds the groups of both. */
ritz_status ritz_mesh_unite_sets(ritz_mesh *mesh, int32_t a, int32_t b, int32_t *set);
/* Appends a block with zeroed arrays; cells must be added by increasing type. */
ritz_status ritz_mesh_add_block(ritz_mesh *mesh, ritz_cell cell, int geometry_order, int64_t n_cells,
                                ritz_mesh_block **block);

/* "" or "s". */
const char *ritz_plural(int64_t n);

/* low[n_cells], high[n_cells]: smallest and largest scaled Jacobian determinant (det over the product of the lengths of
   J's columns, so 1 for a box, at most 1) over the quadrature points of order 2 and the corners of multilinear
   cells, unless it is 0 there. */
ritz_status ritz_mesh_determinants(const ritz_mesh *mesh, const ritz_mesh_block *block, double *low, double *high);
/* A scaled determinant at or below this is degenerate. */
#define RITZ_DEGENERATE 1e-13

/* The largest size of a coordinate: determinants of such cells are numbers still. */
#define RITZ_FARTHEST 1e100

/* The same cell found twice (as Gmsh writes it when it stands in several groups) becomes one in the groups of both. */
ritz_status ritz_mesh_merge_duplicates(ritz_mesh *mesh);

/* The same face, edge or point found twice becomes one in the groups of both. */
ritz_status ritz_mesh_merge_entities(ritz_mesh *mesh);

/* A hash table from up to four node numbers, in any order, to a value. */
typedef struct ritz_node_tuple {
    int32_t v[4]; /* increasing; unused ones -1, first */
} ritz_node_tuple;
typedef struct ritz_tuple_table {
    int64_t capacity, used; /* capacity: a power of two */
    ritz_node_tuple *keys;
    int32_t *values; /* -1: the slot is free */
} ritz_tuple_table;
ritz_node_tuple ritz_tuple_of(int n, const int32_t *nodes);
ritz_status ritz_tuple_table_create(ritz_tuple_table *table, int64_t expected);
void ritz_tuple_table_free(ritz_tuple_table *table);
/* The value stored for the key, or -1. */
int32_t ritz_tuple_find(const ritz_tuple_table *table, ritz_node_tuple key);
/* Stores value (>= 0) unless the key is there already; *stored is what the table holds afterwards. */
ritz_status ritz_tuple_add(ritz_tuple_table *table, ritz_node_tuple key, int32_t value, int32_t *stored);

#endif
