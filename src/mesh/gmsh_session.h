/* Gmsh's C API behind a session: one at a time, silent, and leaving the process as it was. Private to the mesh room. */
#ifndef RITZ_SRC_MESH_GMSH_SESSION_H
#define RITZ_SRC_MESH_GMSH_SESSION_H

#include "mesh/raw.h"

typedef struct ritz_gmsh_session {
    bool open;
    int n_threads; /* OpenMP's setting before Gmsh changed it */
    char *locale;
    int stdout_kept; /* the descriptor behind standard output, -1 for none */
} ritz_gmsh_session;

/* Waits for other threads' sessions. */
ritz_status ritz_gmsh_open(ritz_gmsh_session *session);
/* Frees all that Gmsh holds. May be called twice. */
void ritz_gmsh_close(ritz_gmsh_session *session);
/* RITZ_ERROR_INPUT with what Gmsh had to say: "Gmsh could not DOING: ...". */
ritz_status ritz_gmsh_refuse(const char *doing);
#define RITZ_GMSH_REQUIRE(condition, doing)                                                                            \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            status = ritz_gmsh_refuse(doing);                                                                          \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)
/* As above when `error` is set or Gmsh logged an error; RITZ_OK otherwise. */
ritz_status ritz_gmsh_judge(int error, const char *doing);

/* The model that Gmsh holds as nodes, groups, entities and cells. name_sides: a model without groups gets the group
   "body" and one for each side, "face1" ... or in 2D "edge1" ..., by the tags of the geometry; cells outside all
   groups are left out where others are in one, as Gmsh itself does when it saves. */
ritz_status ritz_gmsh_extract(bool name_sides, ritz_mesh **mesh, ritz_raw *raw);

#endif
