/* Opening and closing devices, and what is known of an open one. */
#include "device/opencl.h"
#include "device/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that buffers may take together: RITZ_MAX_DEVICE_BYTES where it is set, else the device's memory. */
static ritz_status read_memory_limit(int64_t memory, int64_t *limit)
{
    const char *text = getenv("RITZ_MAX_DEVICE_BYTES");
    *limit = memory;
    if (!text || !*text)
        return RITZ_OK;
    char *end;
    double bytes = strtod(text, &end);
    if (*end || !(bytes > 0))
        return ritz_fail(RITZ_ERROR_INPUT, "RITZ_MAX_DEVICE_BYTES is '%s'; it takes a number of bytes, like 2e9", text);
    if (bytes < (double)memory)
        *limit = (int64_t)bytes;
    return RITZ_OK;
}

ritz_status ritz_open_found(const ritz_found *found, ritz_device **device)
{
    return ritz_open_around(found, NULL, NULL, true, device);
}

/* Keeps the caller's context and queue, or makes new ones. */
static ritz_status take_queue(ritz_device *d, cl_context context, cl_command_queue queue)
{
    ritz_status status = RITZ_OK;
    cl_int error;
    if (queue) {
        RITZ_CL(clRetainContext(context), "the OpenCL context given cannot be kept");
        d->context = context;
        RITZ_CL(clRetainCommandQueue(queue), "the OpenCL command queue given cannot be kept");
        d->queue = queue;
        return RITZ_OK;
    }
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)d->platform, 0};
    d->context = clCreateContext(properties, 1, &d->id, NULL, NULL, &error);
    RITZ_CL(error, "the device '%s' cannot be opened", d->info.name);
    d->queue = clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &error);
    RITZ_CL(error, "the device '%s' gives no command queue", d->info.name);
done:
    return status;
}

ritz_status ritz_open_around(const ritz_found *found, cl_context context, cl_command_queue queue, bool tells_times,
                             ritz_device **device)
{
    ritz_status status = RITZ_OK;
    ritz_device *d = NULL;
    RITZ_NEW(d, 1);
    d->n_holders = 1;
    d->info = found->info;
    d->platform = found->platform;
    d->id = found->id;
    memcpy(d->platform_version, found->platform_version, sizeof d->platform_version);
    d->own_memory = d->info.global_memory;
    d->own_allocation = d->info.largest_allocation;
    RITZ_TRY(read_memory_limit(d->info.global_memory, &d->memory_limit));
    d->tells_times = tells_times;
    RITZ_TRY(take_queue(d, context, queue));
    ritz_probe(d, found->is_nvidia);
    RITZ_TRY(ritz_tuning_load(&d->info));
    RITZ_TRY(ritz_commands_open(d));
    d->counters = (ritz_device_counters){0};
    *device = d;
    d = NULL;
done:
    ritz_device_close(&d);
    return status;
}

ritz_status ritz_device_open(const char *selector, ritz_device **device)
{
    ritz_status status = RITZ_OK;
    ritz_found *found = NULL;
    int32_t n_found = 0, chosen = 0;
    RITZ_REQUIRE_POINTER(device);
    RITZ_TRY(ritz_find_devices(&found, &n_found));
    status = ritz_select_device(selector, found, n_found, &chosen);
    if (status != RITZ_OK && selector && strchr(selector, '+'))
        RITZ_FAIL(status, "'%s' names several devices; only `ritz integrate` runs on several at once; choose one",
                  selector);
    RITZ_TRY(status);
    RITZ_TRY(ritz_open_found(&found[chosen], device));
    ritz_log("device: '%s' of %s, driver %s, chosen by '%s' among %d", found[chosen].info.name,
             found[chosen].info.platform, found[chosen].info.driver, selector ? selector : "auto", n_found);
done:
    ritz_free(found);
    return status;
}

void ritz_device_release(ritz_device *d)
{
    if (--d->n_holders > 0)
        return;
    if (d->queue)
        clFinish(d->queue);
    ritz_commands_close(d);
    ritz_device_keep_times(d, false);
    ritz_programs_free(d);
    ritz_pool_release(d);
    ritz_pinned_release(&d->pinned);
    if (d->transfers)
        clReleaseCommandQueue(d->transfers);
    if (d->queue)
        clReleaseCommandQueue(d->queue);
    if (d->context)
        clReleaseContext(d->context);
    ritz_free(d);
}

void ritz_device_close(ritz_device **device)
{
    if (!device || !*device)
        return;
    ritz_device_release(*device);
    *device = NULL;
}

ritz_status ritz_device_list(ritz_device_info **infos, int32_t *n_devices)
{
    ritz_status status = RITZ_OK;
    ritz_found *found = NULL;
    ritz_device *device = NULL;
    ritz_device_info *list = NULL;
    int32_t n_found = 0;
    RITZ_REQUIRE_POINTER(infos);
    RITZ_REQUIRE_POINTER(n_devices);
    RITZ_TRY(ritz_find_devices(&found, &n_found));
    RITZ_NEW(list, n_found);
    for (int32_t i = 0; i < n_found; i++) {
        list[i] = found[i].info;
        if (found[i].is_nvidia && ritz_open_found(&found[i], &device) == RITZ_OK) { /* a busy device is still listed */
            list[i] = device->info;
            ritz_device_close(&device);
        }
    }
    *infos = list;
    *n_devices = n_found;
    list = NULL;
done:
    ritz_free(list);
    ritz_free(found);
    return status;
}

void ritz_device_list_free(ritz_device_info **infos)
{
    if (!infos)
        return;
    ritz_free(*infos);
    *infos = NULL;
}

const ritz_device_info *ritz_device_get_info(const ritz_device *device)
{
    return device ? &device->info : NULL;
}

const ritz_device_counters *ritz_device_get_counters(const ritz_device *device)
{
    return device ? &device->counters : NULL;
}

void ritz_device_plan_within(ritz_device *device, int64_t bytes)
{
    const int64_t most = bytes > 0 ? bytes : INT64_MAX;
    device->info.global_memory = ritz_min64(device->own_memory, most);
    device->info.largest_allocation = ritz_min64(device->own_allocation, most);
}

ritz_status ritz_device_flush(ritz_device *device)
{
    ritz_status status = RITZ_OK;
    RITZ_CL(clFlush(device->queue), "the device '%s' takes no more work", device->info.name);
done:
    return status;
}

ritz_status ritz_device_finish(ritz_device *device)
{
    ritz_status status = RITZ_OK;
    RITZ_CL(clFinish(device->queue), "work on the device '%s' failed", device->info.name);
done:
    return status;
}
