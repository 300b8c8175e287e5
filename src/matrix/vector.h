/* Vectors, internal side: a handle around a buffer, and device buffers for whatever a caller gives. */
#ifndef RITZ_SRC_MATRIX_VECTOR_H
#define RITZ_SRC_MATRIX_VECTOR_H

#include "device/device.h"
#include "ritz/matrix.h"

struct ritz_vector {
    ritz_device *device; /* kept alive by `buffer`, or by `holder` */
    ritz_location location;
    ritz_precision precision;
    int64_t n;
    ritz_buffer *buffer; /* on the device; else NULL */
    void *values;        /* on the host; else NULL */
    bool own_values;
    ritz_buffer *holder; /* of no bytes: keeps the device of a vector on the host alive */
};

/* A vector on the device around a buffer of at least n numbers, which stays the lender's: on the stack of the caller, with
   nothing to destroy. */
ritz_vector ritz_vector_lend(ritz_device *device, ritz_precision precision, int64_t n, const ritz_buffer *buffer);
/* RITZ_OK if `vector` is of this device and length and, where it is on the device, of this precision; `name` is for the
   message. */
ritz_status ritz_vector_check(const ritz_vector *vector, const ritz_device *device, ritz_precision precision, int64_t n,
                              const char *name);
/* A device buffer with the numbers of a vector that was checked: its own, or *made, a copy that the caller destroys. With
   `content` false the copy is not filled. */
ritz_status ritz_vector_on_device(const ritz_vector *vector, ritz_precision precision, bool content, ritz_buffer **made,
                                  ritz_buffer **buffer);

#endif
