/* Space room, internal side. Depends on base, cell, mesh. */
#ifndef RITZ_SRC_SPACE_H
#define RITZ_SRC_SPACE_H

#include "mesh/mesh.h"
#include "ritz/space.h"

#include <string.h>

/* The cells of one mesh block with their nodes of order p. */
typedef struct ritz_space_batch {
    const ritz_mesh_block *block; /* geometry; the mesh owns it */
    const ritz_basis *basis;      /* Lobatto basis of order p; the space owns it */
    ritz_cell cell;
    int n_shape;
    int32_t n_cells;
    int32_t *cell_nodes;                        /* [n_cells][n_shape] node numbers of the space */
    const struct ritz_enhancement *enhancement; /* of mixed elements and incompatible modes, NULL: none; borrowed */
    int32_t *first_node; /* [n_cells + 1] cell c is the first to use nodes first_node[c] .. first_node[c + 1] - 1 */
} ritz_space_batch;

struct ritz_space {
    const ritz_mesh *mesh;
    int order, n_components, dim;
    bool serendipity; /* of order 2, without nodes inside faces and cells */
    int32_t n_nodes;
    int32_t *first_use;  /* [n_nodes] number by first use of each node with a caller's number; NULL: they have these */
    double *coordinates; /* [n_nodes][dim], of the Lobatto nodes through the (curved) geometry */
    int32_t *lone_nodes; /* [n_groups of the mesh] node at the only point of a group of points; -1 of other groups */
    int32_t *vertex_nodes; /* [mesh->n_nodes] node at each vertex of the mesh; -1 for mesh nodes that are no vertex */
    int n_batches;         /* one for each block of the mesh, in its order */
    ritz_space_batch *batches;
    ritz_basis *bases[RITZ_N_CELLS];
};

/* The number that a node has, or had before it got the caller's, when nodes are counted by first use along the cells. */
static inline int32_t ritz_first_use(const ritz_space *space, int32_t node)
{
    return space->first_use ? space->first_use[node] : node;
}

/* Whether no cell before c uses this node of c. */
static inline bool ritz_is_first_use(const ritz_space *space, const ritz_space_batch *batch, int32_t c, int32_t node)
{
    const int32_t use = ritz_first_use(space, node);
    return use >= batch->first_node[c] && use < batch->first_node[c + 1];
}

/* How many nodes of a cell, the first ones, the space and the geometry have in common. */
int ritz_space_n_common(const ritz_space *space, const ritz_space_batch *batch);

/* Nodes of the space on the entities (with their closure) or cells of a group: a bolt face gives all nodes on it. A
   group of points gives those at its mesh nodes, mid-side ones too, and all of an edge, face or cell of second order
   that has every mesh node in it. *nodes (increasing, no node twice) is the caller's: ritz_free. RITZ_ERROR_INPUT: a
   point is a mid-side node where the order has none. */
ritz_status ritz_space_group_nodes(const ritz_space *space, int32_t group, int32_t **nodes, int32_t *n_nodes);
/* Of a group of points: how many outer facets have all their vertices in it, but not all nodes of the space, and a
   vertex of the first one. *n is 0 for other groups. */
ritz_status ritz_space_open_facets(const ritz_space *space, int32_t group, int64_t *n, int32_t *first);

/* Coordinates of all nodes as they would be with another node family (equispaced, for VTK), [n_nodes][3]. */
ritz_status ritz_space_family_coordinates(const ritz_space *space, ritz_node_family family, double *coordinates);

/* Linear equations between unknowns: sum of weight[k] * unknown dof[k] = value. */
typedef struct ritz_equations {
    int64_t n, n_terms, room, term_room;
    int64_t *end;    /* [n] of the terms of each */
    int64_t *dof;    /* [n_terms] a degree of freedom, or n_dofs and more: an unknown beside those of the space */
    double *weight;  /* [n_terms] */
    double *value;   /* [n] */
    int64_t n_extra; /* unknowns beside those of the space */
} ritz_equations;

/* The first term of equation i. */
static inline int64_t ritz_equations_first(const ritz_equations *equations, int64_t i)
{
    return i > 0 ? equations->end[i - 1] : 0;
}

/* Prescribed values. */
struct ritz_constraints {
    const ritz_space *space; /* borrowed */
    int n_components;
    int32_t n_nodes;
    uint8_t *fixed;  /* [n_nodes] bit c set: component c is prescribed */
    double *value;   /* [n_nodes][n_components] */
    int64_t n_fixed; /* prescribed degrees of freedom */
    ritz_equations equations;
};
/* Whether a degree of freedom is marked, in a bit for each component of each node. */
static inline bool ritz_is_marked(const uint8_t *marks, int n_components, int64_t dof)
{
    return marks[dof / n_components] >> dof % n_components & 1;
}

/* Where a node is; z is 0 in the plane. */
static inline void ritz_space_get_place(const ritz_space *space, int32_t node, double x[3])
{
    x[2] = 0;
    memcpy(x, space->coordinates + (int64_t)node * space->dim, (size_t)space->dim * sizeof *x);
}

/* Prescribes component c at a node; a later value replaces an earlier one. */
void ritz_constraints_set(ritz_constraints *constraints, int32_t node, int component, double value);

void ritz_equations_free(ritz_equations *equations);
/* Adds one equation of n terms. The first term is the one that is eliminated, where that is possible. */
ritz_status ritz_constraints_add_equation(ritz_constraints *constraints, int n, const int64_t *dofs,
                                          const double *weights, double value);

/* What prescribed values and equations make of the unknowns: u[row[i]] = sum of weight[k] u[master[k]] + constant[i], in
   which no master is prescribed or has a row. */
typedef struct ritz_dependence {
    int n_components;
    int64_t n_dofs, n; /* of the space; rows */
    int64_t n_own;     /* rows of degrees of freedom, the first ones; the others are of unknowns beside the space */
    int64_t *row;      /* [n] increasing */
    int64_t *start;    /* [n + 1] */
    int64_t *master;   /* [start[n]] increasing in a row */
    double *weight;    /* [start[n]] */
    double *constant;  /* [n] */
    uint8_t *gone;     /* [n_nodes] bit c set: component c is prescribed or has a row */
    double *offset;    /* [n_dofs] prescribed values, constants, 0 elsewhere */
} ritz_dependence;
/* NULL without equations. RITZ_ERROR_INPUT names an equation that contradicts those before it and the prescribed values.
   Which unknowns have rows, and their weights, do not depend on prescribed values. */
ritz_status ritz_constraints_resolve(const ritz_constraints *constraints, ritz_dependence **dependence);
void ritz_dependence_destroy(ritz_dependence **dependence);
/* Whether both have the same rows with the same weights; either may be NULL. */
bool ritz_dependence_same(const ritz_dependence *a, const ritz_dependence *b);
/* f [n_dofs]: adds what stands at rows, times the weights, to their masters. */
void ritz_dependence_add_to_masters(const ritz_dependence *dependence, double *f);
/* u [n_dofs], whose rows hold their constants as systems give them: adds what their masters contribute. */
void ritz_dependence_recover(const ritz_dependence *dependence, double *u);

/* Rigid-body motions in coordinates (x - centre) / size: the modes are dim translations, then the rotations (3, or 1 in
   2D). */
int ritz_n_rigid_modes(int dim);
/* modes[m]: component c of each mode at the point x (in those coordinates). */
void ritz_rigid_modes(int dim, const double *x, int c, double *modes);
/* For each connected component of the mesh, whether the prescribed values stop all motions that cost no energy:
   rigid-body motions for displacement fields (n_components == dim), constants for scalar fields. RITZ_ERROR_INPUT names
   the part (its number of cells, a point in it, its groups) and the free motions ("translation along z, rotation about
   the x axis"). Parts that hang together only by coincident but distinct nodes are named as such. A value that is not
   finite is an error too. held [n_nodes]: bits of components that films or springs hold, or NULL. */
ritz_status ritz_constraints_check(const ritz_space *space, const ritz_constraints *constraints, const uint8_t *held);
/* The same of pieces (ritz_mesh_find_pieces; NULL: of components), which the nodes that they share hold to each other. */
ritz_status ritz_constraints_check_pieces(const ritz_space *space, const ritz_constraints *constraints,
                                          const uint8_t *held, const int32_t *piece, int32_t n_pieces);

/* Vertices that lie in a facet on the outside of a cell that does not have them, as where one large cell stands beside
   two small ones: the field has a gap there. outer[n_outer]: ritz_mesh_outer_facets. within_bodies: only those on
   facets of the body of the mesh that they belong to. *n: how many; *first: the lowest such mesh node, -1 if there is
   none. */
ritz_status ritz_find_hanging(const ritz_mesh *mesh, const ritz_mesh_facet *outer, int64_t n_outer, bool within_bodies,
                              int64_t *n, int32_t *first);

/* Which nodes move in a field u[n_nodes][dim] of displacements, and how, in words: *words is the caller's. For spaces with
   rigid motions. */
ritz_status ritz_space_describe_motion(const ritz_space *space, const double *u, char **words);

#endif
