/* What is reckoned with vectors alone: fill, a x + b y, dot products. */
#include "device/tuning.h"
#include "matrix/vector.h"

#include <stdio.h>

/* A group has so many reals, whatever the device, so that sums have the same order everywhere: GROUP_REALS of the
   kernels. */
enum { GROUP_REALS = 8192 };

typedef struct vector_kernels {
    ritz_kernel *fill, *axpby, *dot, *sum;
    int64_t group;
} vector_kernels;

static ritz_status get_kernels(ritz_device *device, ritz_precision precision, vector_kernels *k)
{
    ritz_status status = RITZ_OK;
    static const char *const path[] = {"matrix/kernels/vector.cl"};
    const ritz_device_info *info = ritz_device_get_info(device);
    ritz_program *program = NULL;
    char options[80];
    k->group = (int64_t)ritz_device_tuned(device, RITZ_SUMS_GROUP);
    while (k->group > info->work_group_size)
        k->group /= 2;
    for (;; k->group /= 2) {
        snprintf(options, sizeof options, "-DGROUP=%d -DLANES=%d%s", (int)k->group,
                 (int)ritz_device_tuned(device, RITZ_SUMS_LANES), info->has_f64 ? " -DACCUM_F64" : "");
        RITZ_TRY(ritz_program_get(device, precision, "", path, 1, options, &program));
        RITZ_TRY(ritz_kernel_get(program, "vector_fill", &k->fill));
        RITZ_TRY(ritz_kernel_get(program, "vector_axpby", &k->axpby));
        RITZ_TRY(ritz_kernel_get(program, "vector_dot", &k->dot));
        RITZ_TRY(ritz_kernel_get(program, "vector_sum", &k->sum));
        if (k->group == 1 ||
            (ritz_kernel_work_group_size(k->dot) >= k->group && ritz_kernel_work_group_size(k->sum) >= k->group &&
             ritz_kernel_work_group_size(k->axpby) >= k->group && ritz_kernel_work_group_size(k->fill) >= k->group))
            break;
    }
done:
    return status;
}

static int64_t count_groups(int64_t n)
{
    return (n + GROUP_REALS - 1) / GROUP_REALS;
}

static ritz_range all_groups(const vector_kernels *k, int64_t n)
{
    return (ritz_range){.global = {count_groups(n) * k->group}, .local = {k->group}};
}

static double get_number(const ritz_vector *v, int64_t i)
{
    return ritz_get_real(v->precision, v->values, i);
}

static void set_number(ritz_vector *v, int64_t i, double value)
{
    ritz_set_real(v->precision, v->values, i, value);
}

static ritz_status check_pair(const ritz_vector *x, const ritz_vector *y)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(x->location == y->location && x->precision == y->precision, RITZ_ERROR_INPUT,
                 "the vectors x and y are in different memories or precisions; copy one of them first");
    RITZ_TRY(ritz_vector_check(y, x->device, x->precision, x->n, "y"));
done:
    return status;
}

ritz_status ritz_vector_fill(ritz_vector *vector, double value)
{
    ritz_status status = RITZ_OK;
    vector_kernels k;
    RITZ_REQUIRE_POINTER(vector);
    for (int64_t i = 0; i < vector->n && vector->values; i++)
        set_number(vector, i, value);
    if (vector->values)
        return RITZ_OK;
    RITZ_TRY(get_kernels(vector->device, vector->precision, &k));
    RITZ_TRY(RITZ_LAUNCH(k.fill, all_groups(&k, vector->n), NULL, RITZ_LONG(vector->n),
                         RITZ_REAL(vector->precision, value), RITZ_BUFFER(vector->buffer)));
done:
    return status;
}

ritz_status ritz_vector_axpby(double a, const ritz_vector *x, double b, ritz_vector *y)
{
    ritz_status status = RITZ_OK;
    vector_kernels k;
    RITZ_REQUIRE_POINTER(x);
    RITZ_REQUIRE_POINTER(y);
    RITZ_TRY(check_pair(x, y));
    for (int64_t i = 0; i < x->n && x->values; i++)
        set_number(y, i, b == 0 ? a * get_number(x, i) : a * get_number(x, i) + b * get_number(y, i));
    if (x->values)
        return RITZ_OK;
    RITZ_TRY(get_kernels(x->device, x->precision, &k));
    RITZ_TRY(RITZ_LAUNCH(k.axpby, all_groups(&k, x->n), NULL, RITZ_LONG(x->n), RITZ_REAL(x->precision, a),
                         RITZ_REAL(x->precision, b), RITZ_BUFFER(x->buffer), RITZ_BUFFER(y->buffer)));
done:
    return status;
}

/* In partial sums like the device's, so that rounding grows as little. */
static double dot_on_host(const ritz_vector *x, const ritz_vector *y)
{
    double all = 0;
    for (int64_t first = 0; first < x->n; first += GROUP_REALS) {
        double partial = 0;
        for (int64_t i = first; i < x->n && i < first + GROUP_REALS; i++)
            partial += get_number(x, i) * get_number(y, i);
        all += partial;
    }
    return all;
}

static ritz_status dot_on_device(const ritz_vector *x, const ritz_vector *y, double *dot)
{
    ritz_status status = RITZ_OK;
    vector_kernels k;
    ritz_buffer *partial = NULL;
    const int64_t n = count_groups(x->n);
    const ritz_precision sums = ritz_device_get_info(x->device)->has_f64 ? RITZ_F64 : RITZ_F32;
    const int64_t accum = ritz_real_bytes(sums);
    RITZ_TRY(get_kernels(x->device, x->precision, &k));
    RITZ_TRY(ritz_buffer_create(x->device, n * accum, "the partial sums of a dot product", &partial));
    RITZ_TRY(RITZ_LAUNCH(k.dot, all_groups(&k, x->n), NULL, RITZ_LONG(x->n), RITZ_BUFFER(x->buffer),
                         RITZ_BUFFER(y->buffer), RITZ_BUFFER(partial), RITZ_LOCAL(k.group * accum)));
    RITZ_TRY(RITZ_LAUNCH(k.sum, ((ritz_range){.global = {k.group}, .local = {k.group}}), NULL, RITZ_LONG(n),
                         RITZ_BUFFER(partial), RITZ_LOCAL(k.group * accum)));
    RITZ_TRY(ritz_buffer_read_reals(partial, sums, 0, dot, 1));
done:
    ritz_buffer_destroy(&partial);
    return status;
}

ritz_status ritz_vector_dot(const ritz_vector *x, const ritz_vector *y, double *dot)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(x);
    RITZ_REQUIRE_POINTER(y);
    RITZ_REQUIRE_POINTER(dot);
    RITZ_TRY(check_pair(x, y));
    if (x->values)
        *dot = dot_on_host(x, y);
    else
        RITZ_TRY(dot_on_device(x, y, dot));
done:
    return status;
}
