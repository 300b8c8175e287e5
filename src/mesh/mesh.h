/* Mesh room, internal side. Depends on base and cell.

   A mesh owns node coordinates, one block of cells for each cell type present, the named groups, and the
   lower-dimensional entities (faces, edges, points) that stand in groups. All cells have the mesh's dimension. */
#ifndef RITZ_SRC_MESH_H
#define RITZ_SRC_MESH_H

#include "cell/cell.h"
#include "ritz/mesh.h"

/* A physical group of the file, or a named side of a box. */
typedef struct ritz_group {
    int dim;           /* of its entities */
    int tag;           /* physical tag in the file */
    char *name;        /* the file's name, or the tag as digits */
    int32_t n_lost;    /* its faces, edges and points that have a node which no cell has: they are left out */
    double lost_at[3]; /* a node of the first of them */
} ritz_group;

/* A cell or entity may be in several groups at once: a set is one such combination. Set 0 is the empty one. */
typedef struct ritz_group_set {
    int n_groups;
    int32_t *groups; /* [n_groups], increasing */
} ritz_group_set;

/* Cells of one type. Nodes of a cell are ordered as in ritz_basis of geometry_order (vertices, edges, faces, inside).
   */
typedef struct ritz_mesh_block {
    ritz_cell cell;
    int geometry_order; /* 1 or 2 */
    int n_nodes;        /* a cell: ritz_cell_n_shape(cell, geometry_order) */
    int32_t n_cells;
    int32_t *nodes;  /* [n_cells][n_nodes] */
    int32_t *set;    /* [n_cells] group set */
    int64_t *number; /* [n_cells] the element's in the file; from arrays its place, from 0; in a box from 1 */
    uint8_t
        *turned; /* [n_cells] 1 where x and y of the reference cell were exchanged, see ritz_mesh_check; NULL: none */
} ritz_mesh_block;

/* A face, edge or point that stands in a group. */
typedef struct ritz_mesh_entity {
    int8_t dim, n_vertices;
    int8_t facet;        /* local facet of the cell below, or -1 when it is not a facet of any cell */
    int32_t vertices[4]; /* mesh nodes; a point may be a node in the middle of an edge, a face or a cell */
    int32_t set;
    int32_t block, cell; /* a cell it belongs to (the facet's; any touching one otherwise), -1 if none */
} ritz_mesh_entity;

struct ritz_mesh {
    int dim;
    int32_t n_nodes;
    double *nodes; /* [n_nodes][3]; the third is 0 in 2D */
    int64_t
        *node_number; /* [n_nodes] as `number` of a block; -1 for nodes that the file lacks; NULL: before renumbering */
    int32_t n_given;  /* nodes that the caller's arrays had, whose numbers are their places; 0: no mesh from arrays */
    int32_t n_unused; /* of these, nodes that no cell has */
    int32_t *unused;  /* [n_unused] their numbers, increasing */
    double *unused_at; /* [n_unused][dim] */
    int n_blocks;
    ritz_mesh_block *blocks; /* by increasing cell type; at most one a type */
    int n_groups;
    ritz_group *groups;
    int n_sets;
    ritz_group_set *sets;
    int32_t n_entities;
    ritz_mesh_entity *entities;
    char *warning;    /* what the file had and the mesh has not, for a warning of the solve; NULL: nothing */
    bool was_kept;    /* Gmsh made it in an earlier run */
    int32_t n_turned; /* cells that ran clockwise (or left-handed) when the mesh came */
};

/* Index of the group named so (of dimension dim, or any when dim < 0). RITZ_ERROR_INPUT lists the groups there are and
   offers the nearest name. */
ritz_status ritz_mesh_find_group(const ritz_mesh *mesh, const char *name, int dim, int32_t *group);
bool ritz_mesh_set_has(const ritz_mesh *mesh, int32_t set, int32_t group);
/* Whether it is a facet of a cell and in the group. */
bool ritz_mesh_is_facet_of(const ritz_mesh *mesh, const ritz_mesh_entity *entity, int32_t group);

/* ritz_mesh_create with the numbers of the cells, in all blocks together, by which messages call them; NULL: their places. */
ritz_status ritz_mesh_create_numbered(const ritz_mesh_arrays *arrays, const int64_t *numbers, ritz_mesh **mesh);
/* Triangles or tets of order 1, in which gradients of order 1 and the Jacobian are constant. */
static inline bool ritz_is_straight_simplex(const ritz_mesh_block *block)
{
    return block->geometry_order == 1 && (block->cell == RITZ_TRI || block->cell == RITZ_TET);
}
/* Checks what every mesh must hold: finite coordinates, valid node numbers, positive Jacobian at the quadrature
   points of order 2, nowhere negative at the corners of straight cells (a cell that is negative everywhere is turned
   instead, counted in n_turned and said in the log; others are errors that name the element and its determinant).
   Called by the readers before a mesh is handed out. */
ritz_status ritz_mesh_check(ritz_mesh *mesh);
/* Cells of second order that are not straight. */
ritz_status ritz_mesh_count_curved(const ritz_mesh *mesh, int64_t *n);
/* Scaled Jacobian determinants (1 for a box, at most 1), the least of each cell: the least of all, the centre of its cell,
   and the mean. */
ritz_status ritz_mesh_quality(const ritz_mesh *mesh, double *least, double at[3], double *mean);
/* The volume of a group of cells, the area of one of facets (in the plane area and length); 0 of others. */
ritz_status ritz_mesh_group_extent(const ritz_mesh *mesh, int32_t group, ritz_group_kind kind, double *extent);
/* The cells of one type; NULL and a message where there are none. */
const ritz_mesh_block *ritz_mesh_find_block(const ritz_mesh *mesh, ritz_cell cell);
/* (*place)[n_cells]: where each cell of a block stands by increasing number: the order in which callers know them. The
   caller's: ritz_free. */
ritz_status ritz_mesh_places(const ritz_mesh_block *block, int32_t **place);
/* place[b][n_cells of block b]: where each cell stands among all cells of the mesh by increasing number, blocks first
   come where numbers are equal. Arrays of the caller's: ritz_free. */
ritz_status ritz_mesh_places_of_all(const ritz_mesh *mesh, int64_t *place[RITZ_N_CELLS]);
/* (*place)[n_nodes]: the number by which callers know each node: its place in their arrays; else by increasing number
   of the file or box; nodes made here come after all others. The caller's: ritz_free. */
ritz_status ritz_mesh_node_places(const ritz_mesh *mesh, int32_t **place);
/* The facet of a cell that x and y of the reference cell exchange with this one; its own inverse. */
ritz_status ritz_reflected_facet(ritz_cell cell, int facet, int *reflected);
/* Orders the cells of each block along a Hilbert curve through their centres and the nodes by first use: neighbours in
   space become neighbours in memory. Deterministic. Drops nodes that no cell uses. */
ritz_status ritz_mesh_renumber(ritz_mesh *mesh);
/* Finds for each entity the cell (and facet) it belongs to. */
ritz_status ritz_mesh_attach_entities(ritz_mesh *mesh);
/* The same for those alone that have none yet (cell -1). */
ritz_status ritz_mesh_attach_loose(ritz_mesh *mesh);
/* n_cells[n_entities]: of how many cells each entity is a facet (2 between two cells). */
ritz_status ritz_mesh_facet_cells(const ritz_mesh *mesh, int8_t *n_cells);

/* Greedy colouring: no two cells of one colour share a node. dofs[n_cells][n_local] in 0..n_dofs-1; colour[n_cells] is
   filled with 0..*n_colours-1, balanced where that is free. */
ritz_status ritz_colour_cells(int32_t n_cells, int n_local, const int32_t *dofs, int32_t n_dofs, int32_t *colour,
                              int32_t *n_colours);

/* A facet by its vertices (mesh nodes, in the order of the cell). */
typedef struct ritz_mesh_facet {
    int32_t vertices[4];
    int32_t n;
} ritz_mesh_facet;
/* The facets that only one cell has, in the order of the cells; the caller's: ritz_free. */
ritz_status ritz_mesh_outer_facets(const ritz_mesh *mesh, ritz_mesh_facet **facets, int64_t *n);

/* The pieces of a mesh whose cells hang together by facets: (*piece)[cells of all blocks], the caller's, numbered from 0. NULL where the
   outside nowhere meets itself but side by side, so that there are no more of them than components. */
ritz_status ritz_mesh_find_pieces(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer, int32_t **piece,
                                  int32_t *n_pieces);

/* The cell that holds a point, and the point in its reference cell. */
typedef struct ritz_cell_point {
    int32_t block, cell; /* -1 where no cell holds it */
    double xi[3];
} ritz_cell_point;
/* x[n][3], found[n]. Of several cells that hold a point, the first one. */
ritz_status ritz_mesh_locate(const ritz_mesh *mesh, int64_t n, const double *x, ritz_cell_point *found);
/* From a point to the outside of the mesh, whose facets are taken as straight. */
ritz_status ritz_mesh_distance(const ritz_mesh *mesh, const double x[3], double *distance);
/* The box around all nodes. */
void ritz_mesh_bounds(const ritz_mesh *mesh, double low[3], double high[3]);

/* Where the members of a group are. Shapes hold what has all its vertices in them, boundaries included. */
typedef enum ritz_criterion_kind {
    RITZ_IN_BOX = 0,  /* from point to direction, the far corner */
    RITZ_IN_SPHERE,   /* around point, between inner and radius */
    RITZ_IN_CYLINDER, /* around the axis, likewise; length 0: without ends, else from point on */
    RITZ_ON_PLANE,    /* through point, across direction */
    RITZ_ABOVE_PLANE, /* on the side that direction points to */
    RITZ_NORMAL,      /* facets whose outward normal is within an angle (degrees) of direction */
    RITZ_IN_GROUPS,   /* in any of them; facets also by the groups of their cell, nodes by those of facets and cells */
    RITZ_NOT_IN_GROUPS, /* in none of them */
    RITZ_NEAREST        /* of all that meet the others, the one whose centre is nearest to point */
} ritz_criterion_kind;
typedef struct ritz_criterion {
    ritz_criterion_kind kind;
    double point[3], direction[3]; /* of length 1 */
    double radius, inner, length, angle;
    const int32_t *groups; /* [n_groups] */
    int n_groups;
} ritz_criterion;
enum { RITZ_MAX_CRITERIA = 9 };
typedef struct ritz_choice {
    const char *name; /* of the group, new in the mesh */
    ritz_group_kind of;
    const ritz_criterion *criteria; /* [n_criteria] all are met */
    int n_criteria;
    double tolerance; /* of shapes; 0: 1e-5 of the diagonal of the mesh */
} ritz_choice;
/* Makes a group of the cells, outer facets (of others those in groups) or nodes that meet all criteria. *n: how many.
   RITZ_ERROR_INPUT: there are none; the message has how many meet each criterion, and the box around the mesh. */
ritz_status ritz_mesh_choose(ritz_mesh *mesh, const ritz_choice *choice, int64_t *n);

/* Nodes at the same place: nearer to each other than this share of the shortest edge of the cells around either. */
#define RITZ_COINCIDENT 1e-3
typedef struct ritz_coincidence {
    int64_t n;            /* nodes that stand at the place of a node of lower number */
    int32_t first, other; /* the lowest such node, and the lowest at its place */
} ritz_coincidence;
/* outer[n_outer]: ritz_mesh_outer_facets, on which alone bodies and the two sides of a slit touch; NULL: looks inside
   cells that overlap, too. same[n_nodes] (or NULL): the lowest node at the place of each, itself where it is alone.
   Vertices coincide with vertices only, nodes in the middle of edges and faces only with such. */
ritz_status ritz_mesh_find_coincident(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer,
                                      int32_t *same, ritz_coincidence *found);
/* Makes one node of all that coincide, and one cell or entity (in the groups of all) of those that have the same nodes
   then; renumbers. *n_nodes, *n_cells: by how many there are fewer. RITZ_ERROR_INPUT where a cell would collapse. */
ritz_status ritz_mesh_glue(ritz_mesh *mesh, int64_t *n_nodes, int64_t *n_cells);

/* Connected components: component[n_nodes] of mesh nodes through cells that share vertices, numbered from 0 (-1: no
   cell).
 */
ritz_status ritz_mesh_components(const ritz_mesh *mesh, int32_t *component, int32_t *n_components);

#endif
