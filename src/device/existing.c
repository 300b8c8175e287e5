/* Devices and buffers around what a caller has made with OpenCL itself, and OpenCL's side of ours for such a caller. */
#include "device/opencl.h"

#include <stdio.h>

/* A queue's answer to one question. */
static ritz_status ask_queue(cl_command_queue queue, cl_command_queue_info query, void *answer, size_t bytes)
{
    ritz_status status = RITZ_OK;
    RITZ_CL(clGetCommandQueueInfo(queue, query, bytes, answer, NULL), "what is given is no OpenCL command queue");
done:
    return status;
}

ritz_status ritz_device_from_opencl(void *context, void *queue, ritz_device **device)
{
    ritz_status status = RITZ_OK;
    ritz_found found = {0};
    ritz_device *opened = NULL;
    cl_context of_queue = NULL;
    cl_command_queue_properties properties = 0;
    RITZ_REQUIRE_POINTER(context);
    RITZ_REQUIRE_POINTER(queue);
    RITZ_REQUIRE_POINTER(device);
    RITZ_TRY(ask_queue(queue, CL_QUEUE_CONTEXT, &of_queue, sizeof of_queue));
    RITZ_TRY(ask_queue(queue, CL_QUEUE_DEVICE, &found.id, sizeof found.id));
    RITZ_TRY(ask_queue(queue, CL_QUEUE_PROPERTIES, &properties, sizeof properties));
    RITZ_REQUIRE(of_queue == (cl_context)context, RITZ_ERROR_INPUT,
                 "the command queue is of another OpenCL context than the one given");
    RITZ_REQUIRE(!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), RITZ_ERROR_INPUT,
                 "the command queue runs out of order; give one that runs in order (without "
                 "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)");
    RITZ_TRY(ritz_describe_found(&found));
    RITZ_TRY(ritz_open_around(&found, context, queue, (properties & CL_QUEUE_PROFILING_ENABLE) != 0, &opened));
    ritz_log("device: '%s' of %s, from the caller's context and command queue", found.info.name, found.info.platform);
    *device = opened;
done:
    return status;
}

void *ritz_device_opencl_context(const ritz_device *device)
{
    return device ? device->context : NULL;
}

void *ritz_device_opencl_queue(const ritz_device *device)
{
    return device ? device->queue : NULL;
}

ritz_status ritz_buffer_around(ritz_device *device, void *memory, int64_t bytes, bool owned, const char *what,
                               ritz_buffer **buffer)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *b = NULL;
    size_t there = 0;
    cl_context context = NULL;
    RITZ_CL(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof there, &there, NULL),
            "%s: what is given is no OpenCL buffer", what);
    RITZ_CL(clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL),
            "%s: what is given is no OpenCL buffer", what);
    RITZ_REQUIRE(context == device->context, RITZ_ERROR_INPUT,
                 "%s: the OpenCL buffer is of another context than the device; open the device by "
                 "ritz_device_from_opencl with the buffer's context",
                 what);
    RITZ_REQUIRE((int64_t)there >= bytes, RITZ_ERROR_INPUT, "%s takes %lld bytes and the OpenCL buffer has %lld", what,
                 (long long)bytes, (long long)there);
    RITZ_NEW(b, 1);
    if (!owned)
        RITZ_CL(clRetainMemObject(memory), "%s: the OpenCL buffer cannot be kept", what);
    *b = (ritz_buffer){.device = device, .memory = memory, .bytes = bytes, .foreign = true};
    snprintf(b->what, sizeof b->what, "%s", what);
    device->n_holders++;
    *buffer = b;
    b = NULL;
done:
    ritz_free(b);
    return status;
}

void *ritz_buffer_opencl(const ritz_buffer *buffer)
{
    return buffer->memory;
}

ritz_device *ritz_buffer_device(const ritz_buffer *buffer)
{
    return buffer->device;
}
