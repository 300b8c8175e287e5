/* Which elements a stream takes next, where one or several devices work on the same batch. Depends on base only. */
#ifndef RITZ_SRC_QUEUE_H
#define RITZ_SRC_QUEUE_H

#include "base/base.h"

#include <pthread.h>

enum { RITZ_MAX_STREAMS = 8 };

/* One that takes elements. */
typedef struct ritz_queue_stream {
    int64_t most, least;          /* elements that the stream takes at once; multiples of the unit */
    int64_t n_elements, n_chunks; /* taken so far */
    double rate;                  /* of its latest chunks, elements per second; 0: not known yet */
    bool has_left;                /* it takes no more: it got no chunk, or never began */
} ritz_queue_stream;

/* A counter that streams take chunks from. Alone, a stream takes as much as it can hold. Several start with small
   chunks, one of which stays reserved for each, then each takes a share of what is left, by its measured rate, so that
   all end together; one for which not even a unit is left leaves the rest to the others. On a GPU and a CPU this is
   Section 6 of Banaś et al. (2014) without a split that is fixed beforehand. */
typedef struct ritz_work_queue {
    pthread_mutex_t lock; /* of everything below */
    int64_t n_cells, next, unit;
    int n_streams;
    bool stopped; /* a stream failed: no more chunks */
    ritz_queue_stream streams[RITZ_MAX_STREAMS];
} ritz_work_queue;

/* unit: chunks start at its multiples. most: [n_streams] elements a chunk; rounded to the unit, one at least. */
ritz_status ritz_work_queue_begin(ritz_work_queue *queue, int64_t n_cells, int64_t unit, int n_streams,
                                  const int64_t *most);
void ritz_work_queue_end(ritz_work_queue *queue);
/* The next chunk of stream s; *count 0: nothing is left for it, or another stream failed. */
void ritz_work_queue_take(ritz_work_queue *queue, int s, int64_t *first, int64_t *count);
/* Tells that stream s has finished a chunk of `count` elements, `seconds` after the one before (or its start). */
void ritz_work_queue_done(ritz_work_queue *queue, int s, int64_t count, double seconds);
/* Stream s takes nothing (it could not begin): its elements go to the others. */
void ritz_work_queue_leave(ritz_work_queue *queue, int s);
void ritz_work_queue_stop(ritz_work_queue *queue);

#endif
