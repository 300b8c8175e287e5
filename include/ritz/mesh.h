/* Meshes: nodes, cells of several types, and named groups. */
#ifndef RITZ_MESH_H
#define RITZ_MESH_H

#include "ritz/cell.h"

RITZ_BEGIN_DECLS

typedef struct ritz_mesh ritz_mesh;

/* A box of structured cells. Groups: "body" and the sides "x0" "x1" "y0" "y1" ("z0" "z1" in 3D). Quads and hexes are
   cut into triangles, prisms or tets as the cell requires. */
typedef struct ritz_box {
    size_t struct_size; /* of this struct; 0: the library's own */
    ritz_cell cell;
    int32_t cells[3]; /* divisions along each axis; the third is ignored in 2D */
    double size[3];   /* lengths; zero means 1 */
    double origin[3];
    double distort; /* 0..0.4: moves nodes by up to this share of a cell, by a fixed pseudo-random rule; those on a side
                          stay on it, and no cell is turned inside out */
} ritz_box;

/* Reads a mesh file: .msh 2.2 and 4.1 and legacy .vtk, text and binary, .unv and .inp; and through Gmsh, in a process of its
   own (the program ritz-gmsh, beside the library, installed under libexec, or named by the environment's RITZ_GMSH),
   .bdf, .nas, .mesh, .stl and .p3d. Cells are the elements of the highest dimension, first or second order, of any mix
   of types; physical groups keep their names (their tags as digits where they have none), and so do the groups of .unv
   files, the properties of .bdf files, the references of .mesh files, and data of cells in .vtk files whose name says
   that they are groups. A 2D mesh lies in a plane z = const. RITZ_ERROR_FILE: the file cannot be opened, or ritz-gmsh
   is missing. RITZ_ERROR_INPUT: what is wrong with the file, and in which line or element. */
RITZ_API ritz_status ritz_mesh_read(const char *path, ritz_mesh **mesh);
/* How a geometry is meshed; all zero: first order, sizes of the file. */
typedef struct ritz_geometry_options {
    size_t struct_size; /* of this struct; 0: the library's own */
    double size;        /* target edge length in the file's units; 0: the file's own */
    int order;          /* 1 (or 0) or 2, of the cells' geometry */
    int glue;  /* not 0: bodies of an OpenCASCADE geometry (STEP, BREP, IGES, ...) that touch share their faces, so that
                    the mesh is conforming across; other geometries are not cut, which is logged */
    int trust; /* not 0: a .geo file may run programs and write files; else such commands are an error */
} ritz_geometry_options;
/* Meshes a geometry file (.geo, .step, .brep, ...) with Gmsh, in a process of its own; options NULL: the defaults. A
   geometry without physical groups gets "body" for all cells, "solid1", "solid2", ... for each solid, and one group per
   side: "face1", "face2", ... (in 2D "face1", ... and "edge1", ...) by the tags that Gmsh shows, and also by the names
   that a STEP file gives to parts. The same file gives the same mesh each time; it is kept in the cache
   folder (RITZ_CACHE_DIR) if it depends on the file alone. */
RITZ_API ritz_status ritz_mesh_generate(const char *path, const ritz_geometry_options *options, ritz_mesh **mesh);
RITZ_API ritz_status ritz_mesh_box(const ritz_box *box, ritz_mesh **mesh);

/* ---- From arrays of the caller's ---- */

/* What the members of a group are. Cells and nodes count from 0, cells through all blocks in their order. */
typedef enum ritz_group_kind {
    RITZ_GROUP_CELLS = 0, /* members[n] */
    RITZ_GROUP_FACETS,    /* members[n][2]: a cell and its local facet, see ritz_cell_facet */
    RITZ_GROUP_NODES,     /* members[n] */
    RITZ_GROUP_EDGES      /* members[n][2]: the nodes at both ends of an edge in 3D; only in meshes from files */
} ritz_group_kind;

typedef struct ritz_group_arrays {
    const char *name;
    ritz_group_kind kind;
    int64_t n;              /* members; repeated ones count once */
    const int64_t *members; /* may be NULL where n is 0 */
} ritz_group_arrays;

/* Cells of one type. */
typedef struct ritz_block_arrays {
    ritz_cell cell;
    int order;       /* of the geometry: 1 (or 0) or 2 */
    int serendipity; /* not 0: of order 2 without nodes inside faces and cells: 8-node quad, 20-node hex, 15-node prism */
    int64_t n_cells;      /* may be 0 */
    const int32_t *nodes; /* [n_cells][nodes of the cell], counted from 0, in Gmsh's order */
} ritz_block_arrays;

typedef struct ritz_mesh_arrays {
    size_t size; /* of this struct; 0: the library's own */
    int dim;     /* 2 or 3, as of all cells */
    int64_t n_nodes;
    const double *coordinates; /* [n_nodes][dim], at most 1e100 in size */
    int n_blocks;
    const ritz_block_arrays *blocks; /* of any types, one type in several blocks, too */
    int n_groups;
    const ritz_group_arrays *groups;
} ritz_mesh_arrays;

/* All arrays are borrowed for the call; none is changed. Where no group is of cells, all cells are in the group "body",
   unless one has this name. Where blocks of first and second order or serendipity cells are mixed, all become of full
   second order, and nodes that cells lack are made; they are numbered after the caller's. RITZ_ERROR_INPUT: the message
   says which node, cell or member of a group is wrong, and why. */
RITZ_API ritz_status ritz_mesh_create(const ritz_mesh_arrays *arrays, ritz_mesh **mesh);
RITZ_API void ritz_mesh_destroy(ritz_mesh **mesh);

/* ---- Contents of a mesh ----

   Inside, a mesh orders cells and nodes for locality. Callers know them by other numbers, always from 0: those of the
   arrays that the mesh was made of; for files and boxes, where they stand by increasing number of the file or of the
   box (x running first; only nodes that cells have). Nodes that were made come after all others. Groups, data of cells
   and element matrices are in these numbers. The arrays that the functions fill are the caller's. */

RITZ_API int ritz_mesh_dim(const ritz_mesh *mesh);
RITZ_API int64_t ritz_mesh_n_nodes(const ritz_mesh *mesh);
/* coordinates[n_nodes][dim]. */
RITZ_API ritz_status ritz_mesh_coordinates(const ritz_mesh *mesh, double *coordinates);
/* Cells of one type; RITZ_N_CELLS: of all types. */
RITZ_API int64_t ritz_mesh_n_cells(const ritz_mesh *mesh, ritz_cell cell);
/* Order of the geometry of all cells, 1 or 2. */
RITZ_API int ritz_mesh_order(const ritz_mesh *mesh);
/* Of the cells of one type, in the order of their numbers: these, places[n_cells], and their nodes,
   nodes[n_cells][ritz_cell_n_shape(cell, order)] in Gmsh's order. RITZ_ERROR_INPUT: there are no such cells. */
RITZ_API ritz_status ritz_mesh_cell_places(const ritz_mesh *mesh, ritz_cell cell, int64_t *places);
RITZ_API ritz_status ritz_mesh_cell_nodes(const ritz_mesh *mesh, ritz_cell cell, int32_t *nodes);
/* The same cells by the numbers that they came with: numbers[n_cells], which increase, are the places in arrays,
   counted from 0; in a box they count from 1, x running first; those of a file are the numbers of its elements. */
RITZ_API ritz_status ritz_mesh_cell_numbers(const ritz_mesh *mesh, ritz_cell cell, int64_t *numbers);

/* Groups count from 0, those of arrays in the caller's order. NULL, RITZ_GROUP_CELLS and 0 where there is no such
   group. */
RITZ_API int ritz_mesh_n_groups(const ritz_mesh *mesh);
/* Owned by the mesh. */
RITZ_API const char *ritz_mesh_group_name(const ritz_mesh *mesh, int group);
RITZ_API ritz_group_kind ritz_mesh_group_kind(const ritz_mesh *mesh, int group);
/* Its members, without nodes and facets that no cell has. */
RITZ_API int64_t ritz_mesh_group_size(const ritz_mesh *mesh, int group);
/* members[size], for facets and edges [size][2], increasing. */
RITZ_API ritz_status ritz_mesh_group_members(const ritz_mesh *mesh, int group, int64_t *members);

RITZ_END_DECLS

#endif
