/* Formats that are not Ritz's own, and meshing: both happen in the program ritz-gmsh. Private to the mesh room. */
#ifndef RITZ_SRC_MESH_FOREIGN_H
#define RITZ_SRC_MESH_FOREIGN_H

#include "mesh/model.h"

/* Reads the mesh file into an empty model, or meshes the geometry where options are given. Another process does it: it
   may crash, hang until ritz_interrupt, or fill its memory; all of these end in a message that begins with the path. */
ritz_status ritz_foreign_read(const char *path, const ritz_geometry_options *geometry, ritz_model *model);

enum { RITZ_MOST_MESSAGES = 1 << 16 };

/* The outcome of one run of a program: what it wrote, and how it ended. */
typedef struct ritz_run {
    char *output, *errors; /* errors: at most RITZ_MOST_MESSAGES characters, ended by a zero */
    int64_t n_output, n_errors;
    int exit_status; /* -1 when a signal ended it */
    int signal;      /* 0 when none did */
} ritz_run;
/* arguments[0] is the path of the program; NULL ends the list. Waits for its end; an interrupt kills it. */
ritz_status ritz_run_program(char *const *arguments, ritz_run *run);
void ritz_run_free(ritz_run *run);

/* What follows `label` in the next line that begins with it, of *n characters; NULL if there is none. at: the messages of a
   program, or in them the end of a line; NULL: none. */
const char *ritz_next_labelled(const char *at, const char *label, size_t *n);

/* Meshes of geometries that are kept from run to run. Problems are logged, never errors. */

/* All that the mesh depends on which ritz-gmsh, called with these arguments, makes of a geometry, but for libraries. NULL
   where that is more than the file says, as with one that includes others, or where nothing is kept; else the caller's:
   ritz_free. */
char *ritz_kept_key(const char *path, char *const *arguments);
/* run->output and run->errors as they were in an earlier run; NULL where none is kept. */
void ritz_kept_load(const char *key, ritz_run *run);
/* Adds to run->output what stands behind the mesh in the cache. */
void ritz_kept_store(const char *key, ritz_run *run);

#endif
