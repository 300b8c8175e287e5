/* Coordinate systems by name, as `systems` in the problem file has them. */
#ifndef RITZ_SRC_PROBLEM_FRAMES_H
#define RITZ_SRC_PROBLEM_FRAMES_H

#include "problem/reader.h"

typedef struct ritz_frame {
    char *name;
    ritz_place place;
    bool cylindrical; /* components radial, tangential, axial; else along the axes */
    double origin[3];
    double axes[3][3]; /* of unit length; the last one is that of a cylinder, which has no others */
} ritz_frame;

ritz_read_function ritz_read_frames;     /* ritz_problem, with physics read */
ritz_read_function ritz_read_frame_name; /* const ritz_frame * */
void ritz_frames_free(ritz_frame **systems, int *n);
const char *const *ritz_frame_components(const ritz_frame *system); /* names [3] */
/* The direction of a component at x; false on the axis of a cylinder, where it has none. */
bool ritz_frame_direction(const ritz_frame *system, int component, const double x[3], double direction[3]);
/* A vector in the system as one along x, y, z: expressions. The caller frees it, also after a failure. */
ritz_status ritz_frame_turn(const ritz_frame *system, const ritz_vector *given, double size, ritz_vector *turned);

#endif
