/* Kernels and their launches. */
#include "device/opencl.h"

#include <stdio.h>
#include <string.h>

ritz_status ritz_kernel_get(ritz_program *program, const char *name, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *k = NULL;
    cl_device_id id = program->device->id;
    cl_int error;
    for (ritz_kernel *known = program->kernels; known; known = known->next)
        if (strcmp(known->name, name) == 0) {
            *kernel = known;
            return RITZ_OK;
        }
    RITZ_TRY(ritz_require_kernel());
    RITZ_NEW(k, 1);
    k->program = program;
    RITZ_TRY(ritz_copy_text(name, &k->name));
    k->kernel = clCreateKernel(program->program, name, &error);
    RITZ_CL(error, "the kernel '%s' cannot be made", name);
    size_t group = 0, required[3] = {0};
    cl_ulong private_bytes = 0, local_bytes = 0;
    RITZ_CL(clGetKernelInfo(k->kernel, CL_KERNEL_NUM_ARGS, sizeof k->n_arguments, &k->n_arguments, NULL),
            "the driver does not know the parameters of kernel '%s'", name);
    RITZ_CL(clGetKernelWorkGroupInfo(k->kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL),
            "the driver does not know the work-group size of kernel '%s'", name);
    clGetKernelWorkGroupInfo(k->kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL);
    clGetKernelWorkGroupInfo(k->kernel, id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private_bytes, &private_bytes, NULL);
    clGetKernelWorkGroupInfo(k->kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, NULL);
    if (required[0]) /* compiled for this size; NVIDIA's driver tells 256 all the same */
        group = required[0] * required[1] * required[2];
    k->work_group_size = (int64_t)group;
    k->private_bytes = (int64_t)private_bytes;
    k->local_bytes = (int64_t)local_bytes;
    k->next = program->kernels;
    program->kernels = k;
    *kernel = k;
    k = NULL;
done:
    if (k) {
        if (k->kernel)
            clReleaseKernel(k->kernel);
        ritz_free(k->name);
        ritz_free(k);
    }
    return status;
}

int64_t ritz_kernel_work_group_size(const ritz_kernel *kernel)
{
    return kernel->work_group_size;
}

int64_t ritz_kernel_private_bytes(const ritz_kernel *kernel)
{
    return kernel->private_bytes;
}

static ritz_status set_arguments(ritz_kernel *kernel, const ritz_argument *arguments, int n_arguments)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(n_arguments == (int)kernel->n_arguments, RITZ_ERROR_DEVICE,
                 "the kernel '%s' takes %u arguments, not %d", kernel->name, kernel->n_arguments, n_arguments);
    for (int i = 0; i < n_arguments; i++) {
        const ritz_argument *a = &arguments[i];
        RITZ_REQUIRE(a->buffer || a->bytes > 0, RITZ_ERROR_DEVICE,
                     "argument %d of kernel '%s' (the first is 0) is empty: it has %lld bytes", i, kernel->name,
                     (long long)a->bytes);
        size_t bytes = a->buffer ? sizeof(cl_mem) : (size_t)a->bytes;
        RITZ_CL(
            clSetKernelArg(kernel->kernel, (cl_uint)i, bytes, a->buffer ? (const void *)&a->buffer->memory : a->value),
            "argument %d of kernel '%s' (%s, %lld bytes; the first is 0) does not fit", i, kernel->name,
            a->buffer  ? a->buffer->what
            : a->value ? "a value"
                       : "local memory",
            (long long)(a->buffer ? a->buffer->bytes : a->bytes));
    }
done:
    return status;
}

/* Work-items in a group, after checking that the groups fill the range and fit on the device. */
static ritz_status check_range(const ritz_kernel *kernel, const ritz_range *range, int n_dims)
{
    int64_t items = 1;
    if (range->local[0] == 0)
        return RITZ_OK;
    for (int i = 0; i < n_dims; i++) {
        int64_t global = ritz_max64(range->global[i], 1), local = ritz_max64(range->local[i], 1);
        if (global % local != 0)
            return ritz_fail(
                RITZ_ERROR_DEVICE,
                "the range of kernel '%s', %lld in direction %d, is not a multiple of its work-group's %lld",
                kernel->name, (long long)global, i, (long long)local);
        items *= local;
    }
    if (items > kernel->work_group_size)
        return ritz_fail(RITZ_ERROR_DEVICE, "the kernel '%s' takes work-groups of at most %lld on '%s', not %lld",
                         kernel->name, (long long)kernel->work_group_size, kernel->program->device->info.name,
                         (long long)items);
    return RITZ_OK;
}

ritz_status ritz_event_wait(cl_event event, const char *what, double *seconds)
{
    ritz_status status = RITZ_OK;
    cl_ulong start = 0, end = 0;
    RITZ_CL(clWaitForEvents(1, &event), "%s failed on the device", what);
    RITZ_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
            "%s has no start time", what);
    RITZ_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "%s has no end time",
            what);
    *seconds += 1e-9 * (double)(end - start);
done:
    return status;
}

static ritz_status wait_for_kernel(const ritz_kernel *kernel, cl_event event, double *seconds)
{
    char what[128];
    snprintf(what, sizeof what, "the kernel '%s'", kernel->name);
    return ritz_event_wait(event, what, seconds);
}

/* Whether the time of a launch is asked for, now or later, and the queue tells it. */
static bool wants_event(const ritz_device *device, const double *seconds)
{
    return (seconds || device->kept.on || device->commands) && device->tells_times;
}

ritz_status ritz_launch(ritz_kernel *kernel, ritz_range range, const ritz_argument *arguments, int n_arguments,
                        double *seconds)
{
    ritz_status status = RITZ_OK;
    ritz_device *device = kernel->program->device;
    cl_event event = NULL;
    size_t global[3], local[3];
    if (range.global[0] == 0)
        return RITZ_OK;
    int n_dims = range.global[2] > 0 ? 3 : range.global[1] > 0 ? 2 : 1;
    RITZ_TRY(check_range(kernel, &range, n_dims));
    RITZ_TRY(set_arguments(kernel, arguments, n_arguments));
    const bool by_clock = seconds && !device->tells_times; /* a caller's queue without profiling */
    if (by_clock)
        RITZ_TRY(ritz_device_finish(device));
    const double begun = by_clock ? ritz_seconds() : 0;
    for (int i = 0; i < 3; i++) {
        global[i] = (size_t)ritz_max64(range.global[i], 1);
        local[i] = (size_t)ritz_max64(range.local[i], 1);
    }
    RITZ_CL(clEnqueueNDRangeKernel(device->queue, kernel->kernel, (cl_uint)n_dims, NULL, global,
                                   range.local[0] > 0 ? local : NULL, 0, NULL,
                                   wants_event(device, seconds) ? &event : NULL),
            "the kernel '%s' could not be started on %lld x %lld x %lld work-items in groups of %lld x %lld x %lld",
            kernel->name, (long long)global[0], (long long)global[1], (long long)global[2], (long long)range.local[0],
            (long long)range.local[1], (long long)range.local[2]);
    device->counters.launches++;
    ritz_commands_add_kernel(device, kernel->name, (int64_t)(global[0] * global[1] * global[2]), event);
    if (by_clock) {
        RITZ_TRY(ritz_device_finish(device));
        *seconds += ritz_seconds() - begun;
    } else if (seconds)
        RITZ_TRY(wait_for_kernel(kernel, event, seconds));
    else if (event && device->kept.on)
        RITZ_TRY(ritz_keep_event(device, event));
done:
    if (event)
        clReleaseEvent(event);
    return status;
}
