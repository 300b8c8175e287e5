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
    bool varies;       /* axes follow at each place from these */
    ritz_vector x, xy; /* xy: n = 0 where it is not given */
} ritz_frame;

ritz_read_function ritz_read_frames;      /* ritz_problem, with physics read */
ritz_read_function ritz_read_frame_name;  /* const ritz_frame * */
ritz_read_function ritz_read_orientation; /* the same, which may vary from place to place */
void ritz_frames_free(ritz_frame **systems, int *n);
const char *const *ritz_frame_components(const ritz_frame *system); /* names [3] */
/* The direction of a component at x; false on the axis of a cylinder, where it has none. */
bool ritz_frame_direction(const ritz_frame *system, int component, const double x[3], double direction[3]);
/* All three of the axes at x (NULL: x, y, z), on the axis of a cylinder some. RITZ_ERROR_INPUT: they have no direction. */
ritz_status ritz_frame_axes(const ritz_frame *system, const double x[3], double axes[3][3]);
/* Whether they are the same at all places. */
bool ritz_frame_is_constant(const ritz_frame *system);
/* A vector in the system as one along x, y, z: expressions. The caller frees it, also after a failure. */
ritz_status ritz_frame_turn(const ritz_frame *system, const ritz_vector *given, double size, ritz_vector *turned);

#endif
