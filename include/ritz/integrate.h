/* Element matrices and vectors, computed on a device, brought to the host or left there; the input of forms. */
#ifndef RITZ_INTEGRATE_H
#define RITZ_INTEGRATE_H

#include "ritz/device.h"
#include "ritz/form.h"
#include "ritz/space.h"

RITZ_BEGIN_DECLS

/* One datum of a form. Arrays are borrowed for the call, and in the caller's order: an element's number is its place
   among all cells of the mesh, in the order of the arrays that the mesh was made of or of the numbers in the file. */
typedef struct ritz_data {
    const char *name; /* of the form's datum */
    ritz_data_kind kind;
    double value;                /* CONSTANT */
    const double *values;        /* ELEMENT: [cells of the mesh]; FIELD: [dofs of `space`] */
    const double *const *points; /* POINT: points[ritz_cell][n_cells][n_points], for each type of cells that the mesh
                                    has; points as of ritz_integrate_points */
    const char *expression;      /* EXPRESSION of x y z, t, the old solution and its gradient, see ritz/form.h */
    const ritz_space *space;     /* FIELD: a space on the same mesh, of any order */
    int component;               /* FIELD: of the space */
    int derivative;              /* FIELD: 0 the component itself, 1 to 3 its derivative along x, y, z */
} ritz_data;

/* The input of a form for one integration or assembly. NULL instead: defaults and zeros. */
typedef struct ritz_input {
    size_t size; /* of this struct; 0: the library's own */
    int n_data;
    const ritz_data *data; /* in any order; data of the form that are not named take their defaults */
    const double *old;     /* [n_dofs of the space] the old solution; NULL: zeros */
    double time;
} ritz_input;

typedef struct ritz_integrate_options {
    size_t size;        /* of this struct; 0: the library's own */
    const char *method; /* NULL: "auto" */
    ritz_precision precision;
    int degree; /* of the quadrature, 1 to RITZ_MAX_DEGREE; 0: twice the order */
} ritz_integrate_options;

/* Quadrature points of each cell of a type; 0 where there is no such rule. degree as in the options. */
RITZ_API int ritz_integrate_n_points(const ritz_space *space, ritz_cell cell, int degree);
/* Where they are: coordinates[n_cells][n_points][dim], cells of the type in the caller's order. */
RITZ_API ritz_status ritz_integrate_points(const ritz_space *space, ritz_cell cell, int degree, double *coordinates);

/* RITZ_ERROR_INPUT: numbers of the data out of their bounds (ritz/form.h; values of expressions are not looked at), or
   results that are not finite.
   All cells of one type, in the order of ritz_mesh_cell_numbers: that of the caller's own arrays where the mesh comes
   from arrays. matrices[n_cells][rows][rows] and vectors[n_cells][rows] (rows = n_shape * n_components, row of shape
   function i and component E: i * n_components + E) are filled; either may be NULL. The shape functions of a cell
   follow its vertices as they were given; ritz_space_cell_nodes gives their rows in an assembled matrix. */
RITZ_API ritz_status ritz_integrate(ritz_device *device, const ritz_space *space, ritz_cell cell, const ritz_form *form,
                                    const ritz_input *input, const ritz_integrate_options *options, double *matrices,
                                    double *vectors);

/* ---- Element matrices that stay in the device's memory ---- */

/* Element matrices and vectors of all cells of one type, in the memory of the device: for assembly
   (ritz_assembler_fill_from_elements), for kernels of the caller's, or to be read later. */
typedef struct ritz_elements ritz_elements;
/* Empty at first. The space must outlive it. */
RITZ_API ritz_status ritz_elements_create(ritz_device *device, const ritz_space *space, ritz_cell cell,
                                          const ritz_integrate_options *options, ritz_elements **elements);
RITZ_API void ritz_elements_destroy(ritz_elements **elements);
/* Integrates, replacing the previous content; nothing comes to the host. A further fill of the same form and kinds of
   data makes no kernel and allocates nothing on the device. Numbers that are not finite are found by
   ritz_elements_read. RITZ_ERROR_DEVICE: they do not fit into the device's memory together. */
RITZ_API ritz_status ritz_elements_fill(ritz_elements *elements, const ritz_form *form, const ritz_input *input);
/* The numbers that ritz_integrate gives, to the last bit, in its order; either array may be NULL. */
RITZ_API ritz_status ritz_elements_read(const ritz_elements *elements, double *matrices, double *vectors);

/* The layout of these buffers, counted in numbers of `precision`. Of the element at place e, with the shape
   functions i and j of components E and F,

       matrix: ((e / width) * matrix_entries + pair(i, j) * pair_stride + (E * n_components + F) * entry_stride) * width
               + e % width
       vector: ((e / width) * vector_entries + i * n_components + E) * width + e % width

   pair(i, j) = i * row_pairs + j. Where `symmetric`, only blocks of j >= i are there, pair(i, j) = i * n_shape
   - i * (i - 1) / 2 + j - i, and the block (j, i) is the transpose of (i, j). A buffer holds n_cells elements, rounded
   up to a multiple of width. Numbers in between are undefined. */
typedef struct ritz_element_layout {
    size_t size; /* of this struct, set by the caller; 0: the library's own */
    int64_t n_cells;
    int32_t n_shape, n_components;
    ritz_precision precision;
    int32_t width;
    bool symmetric;
    int32_t row_pairs, pair_stride, entry_stride;
    int64_t matrix_entries, vector_entries; /* vector_entries 0: the form has no load, and there is no such buffer */
} ritz_element_layout;
/* Of the last fill. Another form may have another layout. */
RITZ_API ritz_status ritz_elements_get_layout(const ritz_elements *elements, ritz_element_layout *layout);
/* The elements at these places: cells[n_cells], the cell's number among those of its type, in the caller's order; and
   nodes[n_cells][n_shape], the space's nodes that the shape functions belong to: entry (i, E) belongs to row
   nodes[e][i] * n_components + E. Either may be NULL. The same after each fill. */
RITZ_API ritz_status ritz_elements_get_cells(const ritz_elements *elements, int32_t *cells, int32_t *nodes);
/* The OpenCL buffers, which the elements keep until their end or a fill with another form; NULL before the first fill,
   and of vectors where the form has no load. In the order of the device's queue. */
RITZ_API void *ritz_elements_opencl_matrices(const ritz_elements *elements);
RITZ_API void *ritz_elements_opencl_vectors(const ritz_elements *elements);

RITZ_END_DECLS

#endif
