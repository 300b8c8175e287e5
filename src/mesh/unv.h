/* What the files of universal files share: lines and marks of a dataset, units and coordinate systems. */
#ifndef RITZ_SRC_MESH_UNV_H
#define RITZ_SRC_MESH_UNV_H

#include "mesh/msh_scan.h"

enum { RITZ_UNV_LINE = 256 };

/* Room for one more element of an array. */
#define GROW(array, n, capacity)                                                                                       \
    do {                                                                                                               \
        if ((n) >= (capacity)) {                                                                                       \
            const int64_t wanted = 2 * (n) + 64;                                                                       \
            RITZ_RESIZE(array, wanted);                                                                                \
            (capacity) = wanted;                                                                                       \
        }                                                                                                              \
    } while (0)

/* The next line without blanks around it, cut to fit; false at the end of the file. */
bool ritz_unv_take_line(ritz_msh *f, char line[RITZ_UNV_LINE]);
/* Past the "-1" that stands before and after each dataset, if the next line with anything on it is that. */
bool ritz_unv_take_mark(ritz_msh *f);

/* The first node in a coordinate system, and where it stands. */
typedef struct ritz_unv_used_system {
    int64_t system, node;
    const char *at;
} ritz_unv_used_system;

/* Units and coordinate systems of a file. */
typedef struct ritz_unv_frame {
    int64_t n_systems, system_capacity;
    int64_t *systems; /* labels of coordinate systems that are not the global one */
    int64_t n_used, used_capacity;
    ritz_unv_used_system *used;       /* each system that nodes stand in, once */
    double length_factor;             /* units of length in a metre; 0: not given */
    char length_units[RITZ_UNV_LINE]; /* what the file calls its units */
} ritz_unv_frame;
void ritz_unv_frame_free(ritz_unv_frame *frame);
ritz_status ritz_unv_read_units(ritz_msh *f, ritz_unv_frame *u);
ritz_status ritz_unv_read_systems(ritz_msh *f, ritz_unv_frame *u);
/* Records that a node stands in a system; `at`: in the file. */
ritz_status ritz_unv_use_system(ritz_unv_frame *u, const char *at, int64_t node, int64_t system);
/* RITZ_ERROR_INPUT names a node in a system that is not the global one. Systems may stand behind the nodes. */
ritz_status ritz_unv_check_systems(const ritz_msh *f, const ritz_unv_frame *u);

#endif
