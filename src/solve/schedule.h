/* When each share of each step of a polynomial is done, so that the matrix is read from cache again and again. */
#ifndef RITZ_SRC_SOLVE_SCHEDULE_H
#define RITZ_SRC_SOLVE_SCHEDULE_H

#include "base/base.h"
#include "ritz/solve.h"

/* A matrix cut into slices of rows. */
typedef struct ritz_slices {
    int32_t n;
    const int64_t *end;   /* bytes that a step touches in slices 0 .. i */
    const int32_t *reach; /* the last slice that slice i reads or is read by, at least i */
} ritz_slices;

/* What a device's memory does to steps, in bytes as if read from memory. */
typedef struct ritz_memory {
    int64_t cache; /* the last level's size */
    double cached; /* what a byte costs that is still there */
    double launch; /* what a launch costs */
} ritz_memory;

/* A chunk of slices, all of step `step`, from 1. */
typedef struct ritz_chunk_step {
    int32_t first, n, step;
} ritz_chunk_step;

typedef struct ritz_schedule {
    int depth;        /* steps that run through the matrix together; n_steps of them in whole passes */
    int32_t n_chunks; /* of the matrix */
    int32_t n_tasks, n_launches;
    ritz_chunk_step *task; /* [n_tasks] */
    int32_t *launch;       /* [n_launches + 1] where each one's tasks start */
    int64_t window;        /* bytes that must stay in the cache, at most */
    double cost;           /* bytes as if read from memory */
} ritz_schedule;

/* The cheapest of a few chunk sizes and depths. Its tasks, launch by launch, compute every slice in every step once, and
   no task of a launch reads what another one of it writes, with iterates in two vectors by turns. */
ritz_status ritz_schedule_make(const ritz_slices *slices, const ritz_memory *memory, int n_steps,
                               ritz_schedule *schedule);
void ritz_schedule_clear(ritz_schedule *schedule);
/* What n_steps plain products cost. */
double ritz_schedule_plain_cost(const ritz_slices *slices, const ritz_memory *memory, int n_steps);

#endif
