/* Meshes: nodes, cells of several types, and named groups. */
#ifndef RITZ_MESH_H
#define RITZ_MESH_H

#include "ritz/cell.h"

RITZ_BEGIN_DECLS

typedef struct ritz_mesh ritz_mesh;

/* A box of structured cells. Groups: "body" and the sides "x0" "x1" "y0" "y1" ("z0" "z1" in 3D). Quads and hexes are
   cut into triangles, prisms or tets where the cell asks for it. */
typedef struct ritz_box {
    ritz_cell cell;
    int32_t cells[3]; /* divisions along each axis; the third is ignored in 2D */
    double size[3];   /* lengths; zero means 1 */
    double origin[3];
    double distort; /* 0..0.4: moves nodes by up to this share of a cell, by a fixed pseudo-random rule; those on a side
                          stay on it, and no cell is turned inside out */
} ritz_box;

/* Reads a mesh file: .msh 2.2 and 4.1 and legacy .vtk, text and binary; and through Gmsh, in a process of its own (the
   program ritz-gmsh, beside the library, installed under libexec, or named by the environment's RITZ_GMSH), .unv, .bdf,
   .nas, .mesh, .stl and .p3d. Cells are the elements of the highest dimension, first or second order, of any mix of
   types; physical groups keep their names (their tags as digits where they have none), and so do the properties of .bdf
   files, the references of .mesh files, and data of cells in .vtk files whose name says that they are groups. A 2D mesh lies in a plane z = const. RITZ_ERROR_FILE: the file cannot be opened, or ritz-gmsh is
   missing. RITZ_ERROR_INPUT: what is wrong with the file, and in which line or element. */
RITZ_API ritz_status ritz_mesh_read(const char *path, ritz_mesh **mesh);
/* How a geometry is meshed; all zero: first order, sizes of the file. */
typedef struct ritz_geometry_options {
    double size; /* target edge length in the file's units; 0: the file's own */
    int order;   /* 1 (or 0) or 2, of the cells' geometry */
    int glue;  /* not 0: bodies of an OpenCASCADE geometry (STEP, BREP, IGES, ...) that touch share their faces, so that
                    the mesh is conforming across; in others nothing is cut, which is logged */
    int trust; /* not 0: a .geo file may run programs and write files; else such commands are refused */
} ritz_geometry_options;
/* Meshes a geometry file (.geo, .step, .brep, ...) with Gmsh, in a process of its own; options NULL: the defaults. A
   geometry without physical groups gets "body" for all cells, "solid1", "solid2", ... for each solid, and one group a
   side: "face1", "face2", ... (in 2D "face1", ... and "edge1", ...) by the tags that Gmsh shows, and beside them the
   names that a STEP file gives to parts. The same file gives the same mesh each time. */
RITZ_API ritz_status ritz_mesh_generate(const char *path, const ritz_geometry_options *options, ritz_mesh **mesh);
RITZ_API ritz_status ritz_mesh_box(const ritz_box *box, ritz_mesh **mesh);
/* Cells of one type from arrays that the caller keeps: coordinates[n_nodes][dim] and vertices[n_cells][vertices of the
   cell], counted from 0. All cells are in the group "body". Coordinates are at most 1e100 in size. */
RITZ_API ritz_status ritz_mesh_from_arrays(ritz_cell cell, int32_t n_nodes, const double *coordinates, int64_t n_cells,
                                           const int32_t *vertices, ritz_mesh **mesh);
RITZ_API void ritz_mesh_destroy(ritz_mesh **mesh);

RITZ_API int ritz_mesh_dim(const ritz_mesh *mesh);
RITZ_API int64_t ritz_mesh_n_nodes(const ritz_mesh *mesh);
/* Cells of one type. */
RITZ_API int64_t ritz_mesh_n_cells(const ritz_mesh *mesh, ritz_cell cell);

/* Inside, a mesh orders cells and nodes for locality. Whatever belongs to the cells of one type (data, element matrices,
   ritz_space_cell_nodes) passes in the order of these numbers instead, which increase: numbers[n_cells] are 0, 1, ... for
   cells from arrays, which therefore stand as they were given; 1, 2, ... with x running first for those of a box; the
   numbers of the elements for those of a file. RITZ_ERROR_INPUT: there are no such cells. */
RITZ_API ritz_status ritz_mesh_cell_numbers(const ritz_mesh *mesh, ritz_cell cell, int64_t *numbers);

RITZ_END_DECLS

#endif
