/* Vectors of numbers in the device's memory or in the host's: what products and solvers read and write. */
#ifndef RITZ_VECTOR_H
#define RITZ_VECTOR_H

#include "ritz/device.h"

RITZ_BEGIN_DECLS

typedef struct ritz_vector ritz_vector;

typedef enum ritz_location { RITZ_ON_DEVICE = 0, RITZ_ON_HOST } ritz_location;

/* Who frees memory that the caller has made. */
typedef enum ritz_ownership {
    RITZ_BORROWED = 0, /* the caller, after the vector's end */
    RITZ_OWNED         /* the vector */
} ritz_ownership;

/* n zeros. The device is the one whose products and solvers take the vector, for vectors on the host, too. */
RITZ_API ritz_status ritz_vector_create(ritz_device *device, ritz_location location, ritz_precision precision,
                                        int64_t n, ritz_vector **vector);
/* The same with values[n], which are copied. */
RITZ_API ritz_status ritz_vector_create_from(ritz_device *device, ritz_location location, ritz_precision precision,
                                             int64_t n, const double *values, ritz_vector **vector);
/* A vector on the host that is the caller's array values[n] of double (RITZ_F64) or float (RITZ_F32), borrowed until
   the vector's end. */
RITZ_API ritz_status ritz_vector_borrow(ritz_device *device, ritz_precision precision, int64_t n, void *values,
                                        ritz_vector **vector);
/* A vector on the device that is a caller's OpenCL buffer (its handle) of the device's context, n numbers of
   `precision` from its start. Borrowed: it is retained for the vector's life; owned: the vector takes the caller's
   reference over, once RITZ_OK is returned. */
RITZ_API ritz_status ritz_vector_from_opencl(ritz_device *device, ritz_precision precision, int64_t n, void *buffer,
                                             ritz_ownership ownership, ritz_vector **vector);
RITZ_API void ritz_vector_destroy(ritz_vector **vector);

RITZ_API int64_t ritz_vector_size(const ritz_vector *vector);
RITZ_API ritz_location ritz_vector_location(const ritz_vector *vector);
RITZ_API ritz_precision ritz_vector_precision(const ritz_vector *vector);
/* The vector's own memory, which it keeps: an OpenCL buffer for kernels of the caller's (NULL on the host), and an
   array of double or float (NULL on the device). Both in the device's queue order; the array is there at any time. */
RITZ_API void *ritz_vector_opencl_buffer(const ritz_vector *vector);
RITZ_API void *ritz_vector_host_array(const ritz_vector *vector);

/* From and to values[n] on the host, which are rounded where the vector is RITZ_F32. */
RITZ_API ritz_status ritz_vector_write(ritz_vector *vector, const double *values);
RITZ_API ritz_status ritz_vector_read(const ritz_vector *vector, double *values);
RITZ_API ritz_status ritz_vector_fill(ritz_vector *vector, double value);
/* to = from, vectors of one length, in any memory and precision. Two of one device and precision are copied there;
   others pass over the host. */
RITZ_API ritz_status ritz_vector_copy(const ritz_vector *from, ritz_vector *to);
/* y = a x + b y; *dot = x.y. Vectors of one device, memory, precision and length. On the device nothing passes over the
   bus but the value of the dot product. Sums are taken in double where the device has it, in an order that depends on n
   alone: the same bits in every run. */
RITZ_API ritz_status ritz_vector_axpby(double a, const ritz_vector *x, double b, ritz_vector *y);
RITZ_API ritz_status ritz_vector_dot(const ritz_vector *x, const ritz_vector *y, double *dot);

RITZ_END_DECLS

#endif
