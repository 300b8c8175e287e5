/* What is done with element matrices that reach the host in a measured run: a sample is kept and checked, the sink gets
   them, the checksum grows. Depends on the integrate room. */
#ifndef RITZ_SRC_CONSUME_H
#define RITZ_SRC_CONSUME_H

#include "integrate/stream.h"
#include "measure/measure.h"

typedef struct ritz_consumer ritz_consumer;
/* Borrows both. */
ritz_status ritz_consumer_create(const ritz_integral *integral, const ritz_measure_options *options,
                                 ritz_consumer **consumer);
void ritz_consumer_destroy(ritz_consumer **consumer);
/* A chunk of any stream; a ritz_chunk_consumer whose context is the ritz_consumer. Streams wait for each other here:
   the work inside is spread over the cores. After a failure nothing more is taken, and the others hear nothing of it. */
ritz_status ritz_consumer_take(const ritz_chunk *chunk, void *consumer);
/* The elements of the sample, increasing; how many. */
int32_t ritz_consumer_sample(const ritz_consumer *consumer, const int32_t **sample);
/* Compares the sample with the reference once all elements, or the sample alone where no more is asked for, have passed: errors, their number, and the checksum. */
ritz_status ritz_consumer_finish(ritz_consumer *consumer, ritz_measurement *measurement);

#endif
