/* Element matrices on their way from one device to the host, chunk by chunk, double-buffered. Depends on the
   integrate room. */
#ifndef RITZ_SRC_STREAM_H
#define RITZ_SRC_STREAM_H

#include "integrate/integrate.h"
#include "integrate/queue.h"

/* Elements first .. first + count - 1 as the device wrote them. */
typedef struct ritz_chunk {
    const ritz_layout *layout;
    ritz_precision precision;
    ritz_element_result result; /* what is in `matrices` */
    int n_shape, n_components;
    int64_t first, count;
    const void *matrices, *vectors; /* in the layout, element `first` at 0; vectors NULL where there are none */
} ritz_chunk;
typedef ritz_status ritz_chunk_consumer(const ritz_chunk *chunk, void *context);

/* A chunk's element number e (0 is the chunk's first) in the order of ritz_integrate_reference; matrix or vector may
   be NULL, a vector is zeros where the form has no load. */
void ritz_chunk_element(const ritz_chunk *chunk, int64_t e, double *matrix, double *vector);

/* Bytes of device memory that chunks of n elements take: matrices and vectors in every slot, and Jacobian terms. */
int64_t ritz_stream_chunk_bytes(const ritz_integrator *integrator, const ritz_integral *integral,
                                ritz_precision precision, int64_t n, int n_slots);

typedef struct ritz_stream ritz_stream;
/* chunk: most elements at once, a multiple of the layout's width; n_slots: 1 where one chunk holds all, else 2; 0: one that never comes
   to the host as a whole. The integrator and the integral are borrowed. */
ritz_status ritz_stream_create(ritz_device *device, ritz_integrator *integrator, const ritz_integral *integral,
                               ritz_precision precision, int64_t chunk, int n_slots, ritz_stream **stream);
void ritz_stream_destroy(ritz_stream **stream);

/* Seconds that a run took of the device. */
typedef struct ritz_stream_times {
    double kernel, transfer;
} ritz_stream_times;

/* Takes chunks as stream s of `queue` until none is left: while `consume` has one of them, the device computes the
   next and the bus brings it. times may be NULL. */
ritz_status ritz_stream_run(ritz_stream *stream, ritz_work_queue *queue, int s, ritz_chunk_consumer *consume,
                            void *context, ritz_stream_times *times);
/* The same chunks, of which nothing comes to the host but the sets (as many elements as the layout is wide) that hold elements
   sample[0 .. n - 1], increasing: each is consumed as a chunk of its own. */
ritz_status ritz_stream_sample(ritz_stream *stream, ritz_work_queue *queue, int s, const int32_t *sample, int32_t n,
                               ritz_chunk_consumer *consume, void *context, ritz_stream_times *times);
/* The same chunks without transfers; adds the kernel's time. */
ritz_status ritz_stream_time(ritz_stream *stream, ritz_work_queue *queue, int s, double *seconds);
/* One set of elements, and waits: so that a driver's last compilation is behind us, and the first touch of the memory
   that all others are written to, which takes a processor longer than the kernels of order 1. */
ritz_status ritz_stream_warm_up(ritz_stream *stream);

#endif
