/* The two ways to add a chunk of element matrices into the matrix. Private to the room. */
#ifndef RITZ_SRC_ADDER_H
#define RITZ_SRC_ADDER_H

#include "assemble/assemble.h"
#include "assemble/pattern.h"

/* What an adder is made for: one batch, cut into chunks of `chunk` cells. */
typedef struct ritz_adder_options {
    ritz_device *device;
    const ritz_pattern *pattern;
    const ritz_buffer *positions; /* the batch's places of element entries, on the device */
    const ritz_space_batch *cells;
    int batch;
    int64_t chunk;
    const ritz_layout *layout;
    const ritz_system *system;
} ritz_adder_options;

typedef struct ritz_gatherer ritz_gatherer;
ritz_status ritz_gatherer_create(const ritz_adder_options *options, ritz_gatherer **gatherer);
void ritz_gatherer_destroy(ritz_gatherer **gatherer);
/* Adds chunk number `chunk`, whose element matrices and vectors are given, and its time to *seconds. */
ritz_status ritz_gatherer_add(const ritz_gatherer *gatherer, int64_t chunk, const ritz_buffer *matrices,
                              const ritz_buffer *vectors, double *seconds);

typedef struct ritz_scatterer ritz_scatterer;
ritz_status ritz_scatterer_create(const ritz_adder_options *options, ritz_scatterer **scatterer);
void ritz_scatterer_destroy(ritz_scatterer **scatterer);
ritz_status ritz_scatterer_add(const ritz_scatterer *scatterer, int64_t chunk, const ritz_buffer *matrices,
                               const ritz_buffer *vectors, double *seconds);

/* A kernel with the defines that all take; `more` are added to the compiler's options. */
ritz_status ritz_adder_kernel(const ritz_adder_options *options, const char *path, const char *more, const char *name,
                              ritz_kernel **kernel);
/* Work-items of a launch over n: small groups, so that a CPU's threads get many. */
ritz_range ritz_adder_range(int64_t n);

#endif
