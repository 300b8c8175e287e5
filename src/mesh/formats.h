/* The formats of mesh files: readers of whole files in memory. Private to the mesh room. */
#ifndef RITZ_SRC_MESH_FORMATS_H
#define RITZ_SRC_MESH_FORMATS_H

#include "mesh/model.h"

/* Takes the n bytes of a file into the model. path: for messages. */
typedef ritz_status ritz_reader(const char *path, const char *data, int64_t n, ritz_model *model);
/* Calls the reader with the file's content, in the locale whose decimal mark is a point. */
ritz_status ritz_read_mapped(const char *path, ritz_reader *reader, ritz_model *model);

/* Checked from end to end; sections that a mesh does not need are passed over. */
ritz_reader ritz_msh_read;
/* The same of what ritz-gmsh wrote: messages name no place in it. */
ritz_reader ritz_msh_read_converted;
ritz_reader ritz_vtk_read, ritz_unv_read;

/* Files that Gmsh reads wrongly in silence, or crashes on, are errors before it reads them: a file that ends early, counts
   that do not fit. Names of groups, where Gmsh drops them, go to the model. */
ritz_reader ritz_bdf_check, ritz_medit_check, ritz_stl_check, ritz_p3d_check;

#endif
