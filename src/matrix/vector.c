/* Vectors of the interface: made, filled, copied. What is reckoned with them stands in vector_sums.c. */
#include "matrix/vector.h"
#include "matrix/storage.h"

#include <math.h>

static ritz_status check_kind(ritz_location location, ritz_precision precision, int64_t n)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(location == RITZ_ON_DEVICE || location == RITZ_ON_HOST, RITZ_ERROR_INPUT,
                 "location %d does not exist; use RITZ_ON_DEVICE or RITZ_ON_HOST", (int)location);
    RITZ_TRY(ritz_check_precision(precision));
    RITZ_REQUIRE(n > 0 && n <= INT64_MAX / 8, RITZ_ERROR_INPUT, "a vector cannot have %lld numbers", (long long)n);
done:
    return status;
}

/* A handle without memory of its own. */
static ritz_status make_vector(ritz_device *device, ritz_location location, ritz_precision precision, int64_t n,
                               ritz_vector **made)
{
    ritz_status status = RITZ_OK;
    ritz_vector *v = NULL;
    RITZ_REQUIRE_POINTER(device);
    RITZ_TRY(check_kind(location, precision, n));
    RITZ_REQUIRE(location == RITZ_ON_HOST || precision == RITZ_F32 || ritz_device_get_info(device)->has_f64,
                 RITZ_ERROR_DEVICE, "the device '%s' has no double precision; use RITZ_F32",
                 ritz_device_get_info(device)->name);
    RITZ_NEW(v, 1);
    *v = (ritz_vector){.device = device, .location = location, .precision = precision, .n = n};
    if (location == RITZ_ON_HOST)
        RITZ_TRY(ritz_buffer_create(device, 0, "a vector on the host", &v->holder));
    *made = v;
    v = NULL;
done:
    ritz_free(v);
    return status;
}

ritz_status ritz_vector_create(ritz_device *device, ritz_location location, ritz_precision precision, int64_t n,
                               ritz_vector **vector)
{
    ritz_status status = RITZ_OK;
    ritz_vector *v = NULL;
    RITZ_REQUIRE_POINTER(vector);
    RITZ_TRY(make_vector(device, location, precision, n, &v));
    if (location == RITZ_ON_HOST) {
        v->own_values = true;
        RITZ_TRY(ritz_allocate(&v->values, n, ritz_real_bytes(precision)));
    } else {
        RITZ_TRY(ritz_buffer_create(device, n * ritz_real_bytes(precision), "a vector", &v->buffer));
        RITZ_TRY(ritz_buffer_zero(v->buffer));
    }
    *vector = v;
    v = NULL;
done:
    ritz_vector_destroy(&v);
    return status;
}

ritz_status ritz_vector_create_from(ritz_device *device, ritz_location location, ritz_precision precision, int64_t n,
                                    const double *values, ritz_vector **vector)
{
    ritz_status status = RITZ_OK;
    ritz_vector *v = NULL;
    RITZ_REQUIRE_POINTER(values);
    RITZ_REQUIRE_POINTER(vector);
    RITZ_TRY(ritz_vector_create(device, location, precision, n, &v));
    RITZ_TRY(ritz_vector_write(v, values));
    *vector = v;
    v = NULL;
done:
    ritz_vector_destroy(&v);
    return status;
}

ritz_status ritz_vector_borrow(ritz_device *device, ritz_precision precision, int64_t n, void *values,
                               ritz_vector **vector)
{
    ritz_status status = RITZ_OK;
    ritz_vector *v = NULL;
    RITZ_REQUIRE_POINTER(values);
    RITZ_REQUIRE_POINTER(vector);
    RITZ_TRY(make_vector(device, RITZ_ON_HOST, precision, n, &v));
    v->values = values;
    *vector = v;
done:
    return status;
}

ritz_status ritz_vector_from_opencl(ritz_device *device, ritz_precision precision, int64_t n, void *buffer,
                                    ritz_ownership ownership, ritz_vector **vector)
{
    ritz_status status = RITZ_OK;
    ritz_vector *v = NULL;
    RITZ_REQUIRE_POINTER(buffer);
    RITZ_REQUIRE_POINTER(vector);
    RITZ_REQUIRE(ownership == RITZ_BORROWED || ownership == RITZ_OWNED, RITZ_ERROR_INPUT,
                 "ownership %d does not exist; use RITZ_BORROWED or RITZ_OWNED", (int)ownership);
    RITZ_TRY(make_vector(device, RITZ_ON_DEVICE, precision, n, &v));
    RITZ_TRY(ritz_buffer_around(device, buffer, n * ritz_real_bytes(precision), ownership == RITZ_OWNED, "a vector",
                                &v->buffer));
    *vector = v;
    v = NULL;
done:
    ritz_vector_destroy(&v);
    return status;
}

void ritz_vector_destroy(ritz_vector **vector)
{
    if (!vector || !*vector)
        return;
    ritz_vector *v = *vector;
    ritz_buffer_destroy(&v->buffer);
    ritz_buffer_destroy(&v->holder);
    if (v->own_values)
        ritz_free(v->values);
    ritz_free(v);
    *vector = NULL;
}

int64_t ritz_vector_size(const ritz_vector *vector)
{
    return vector ? vector->n : 0;
}

ritz_location ritz_vector_location(const ritz_vector *vector)
{
    return vector ? vector->location : RITZ_ON_DEVICE;
}

ritz_precision ritz_vector_precision(const ritz_vector *vector)
{
    return vector ? vector->precision : RITZ_F64;
}

void *ritz_vector_opencl_buffer(const ritz_vector *vector)
{
    return vector && vector->buffer ? ritz_buffer_opencl(vector->buffer) : NULL;
}

void *ritz_vector_host_array(const ritz_vector *vector)
{
    return vector ? vector->values : NULL;
}

/* ---- Values ---- */

ritz_status ritz_vector_write(ritz_vector *vector, const double *values)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(vector);
    RITZ_REQUIRE_POINTER(values);
    if (vector->buffer)
        return ritz_buffer_write_reals(vector->buffer, vector->precision, 0, values, vector->n);
    for (int64_t i = 0; i < vector->n; i++)
        ritz_set_real(vector->precision, vector->values, i, values[i]);
done:
    return status;
}

ritz_status ritz_vector_read(const ritz_vector *vector, double *values)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(vector);
    RITZ_REQUIRE_POINTER(values);
    if (vector->buffer)
        return ritz_buffer_read_reals(vector->buffer, vector->precision, 0, values, vector->n);
    for (int64_t i = 0; i < vector->n; i++)
        values[i] = ritz_get_real(vector->precision, vector->values, i);
done:
    return status;
}

/* One side's memory is the host's array of doubles: no copy between. */
static bool is_array(const ritz_vector *v)
{
    return v->values && v->precision == RITZ_F64;
}

ritz_status ritz_vector_copy(const ritz_vector *from, ritz_vector *to)
{
    ritz_status status = RITZ_OK;
    double *between = NULL;
    RITZ_REQUIRE_POINTER(from);
    RITZ_REQUIRE_POINTER(to);
    RITZ_REQUIRE(from->n == to->n, RITZ_ERROR_INPUT, "a vector of %lld numbers cannot be copied into one of %lld",
                 (long long)from->n, (long long)to->n);
    if (from == to)
        goto done;
    if (from->buffer && to->buffer && from->device == to->device && from->precision == to->precision) {
        if (ritz_buffer_opencl(from->buffer) != ritz_buffer_opencl(to->buffer)) /* else two handles of one buffer */
            RITZ_TRY(ritz_buffer_copy(from->buffer, 0, to->buffer, 0, from->n * ritz_real_bytes(from->precision)));
    } else if (from->buffer && to->values && from->precision == to->precision) {
        RITZ_TRY(ritz_buffer_read(from->buffer, 0, to->values, from->n * ritz_real_bytes(from->precision)));
    } else if (from->values && to->buffer && from->precision == to->precision) {
        RITZ_TRY(ritz_buffer_write(to->buffer, 0, from->values, from->n * ritz_real_bytes(from->precision)));
    } else if (is_array(from)) {
        RITZ_TRY(ritz_vector_write(to, from->values));
    } else if (is_array(to)) {
        RITZ_TRY(ritz_vector_read(from, to->values));
    } else {
        RITZ_NEW(between, from->n);
        RITZ_TRY(ritz_vector_read(from, between));
        RITZ_TRY(ritz_vector_write(to, between));
    }
done:
    ritz_free(between);
    return status;
}

/* ---- For the rooms above ---- */

ritz_vector ritz_vector_lend(ritz_device *device, ritz_precision precision, int64_t n, const ritz_buffer *buffer)
{
    return (ritz_vector){.device = device, .precision = precision, .n = n, .buffer = (ritz_buffer *)buffer};
}

ritz_status ritz_vector_check(const ritz_vector *vector, const ritz_device *device, ritz_precision precision, int64_t n,
                              const char *name)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(vector, RITZ_ERROR_INPUT, "the vector '%s' is NULL; it must be given", name);
    RITZ_REQUIRE(vector->n == n, RITZ_ERROR_INPUT, "the vector '%s' has %lld numbers where %lld are needed", name,
                 (long long)vector->n, (long long)n);
    RITZ_REQUIRE(vector->device == device, RITZ_ERROR_INPUT,
                 "the vector '%s' was made on another device than the one that is to use it", name);
    RITZ_REQUIRE(vector->location == RITZ_ON_HOST || vector->precision == precision, RITZ_ERROR_INPUT,
                 "the vector '%s' on the device is in %s precision where %s is needed; make it in that one", name,
                 vector->precision == RITZ_F64 ? "double" : "single", precision == RITZ_F64 ? "double" : "single");
done:
    return status;
}

ritz_status ritz_vector_on_device(const ritz_vector *vector, ritz_precision precision, bool content, ritz_buffer **made,
                                  ritz_buffer **buffer)
{
    ritz_status status = RITZ_OK;
    *buffer = vector->buffer;
    if (vector->buffer)
        return RITZ_OK;
    RITZ_TRY(ritz_buffer_create(vector->device, vector->n * ritz_real_bytes(precision), "a vector of the host", made));
    *buffer = *made;
    if (content) {
        ritz_vector there = ritz_vector_lend(vector->device, precision, vector->n, *made);
        RITZ_TRY(ritz_vector_copy(vector, &there));
    }
done:
    return status;
}
