/* Transfers beside kernels: a second queue brings chunks to the host while the first one computes, and the times of
   kernels are read when they have ended instead of being waited for.

   Two in-order queues overlap on every driver; one out-of-order queue does not on NVIDIA's. */
#include "device/opencl.h"

struct ritz_stage {
    ritz_device *device;
    int64_t bytes;
    ritz_pinned pinned;        /* none on CPUs, where buffers are mapped themselves */
    void *host;                /* that memory, or the mapping of `source` */
    const ritz_buffer *source; /* what is being fetched, or was fetched and is not released; NULL: nothing */
    cl_event fetched;          /* NULL: not under way */
};

static bool maps_buffers(const ritz_device *device)
{
    return device->info.kind == RITZ_DEVICE_CPU && device->info.unified_memory;
}

static ritz_status make_transfer_queue(ritz_device *device)
{
    ritz_status status = RITZ_OK;
    cl_int error = CL_SUCCESS;
    if (!device->transfers)
        device->transfers = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &error);
    RITZ_CL(error, "the device '%s' gives no second command queue", device->info.name);
done:
    return status;
}

ritz_status ritz_stage_create(ritz_device *device, int64_t bytes, const char *what, ritz_stage **stage)
{
    ritz_status status = RITZ_OK;
    ritz_stage *s = NULL;
    RITZ_TRY(make_transfer_queue(device));
    RITZ_NEW(s, 1);
    s->device = device;
    s->bytes = bytes;
    if (!maps_buffers(device) && bytes > 0) {
        const double start = ritz_seconds();
        RITZ_CL(ritz_pinned_create(device, device->transfers, bytes, &s->pinned),
                "%.1f MB of host memory for %s could not be had from the driver: free some, or let less pass at once",
                1e-6 * (double)bytes, what);
        s->host = s->pinned.host;
        device->counters.seconds_allocate += ritz_seconds() - start;
    }
    *stage = s;
    s = NULL;
done:
    ritz_stage_destroy(&s);
    return status;
}

void ritz_stage_destroy(ritz_stage **stage)
{
    ritz_stage *s = *stage;
    if (!s)
        return;
    if (s->fetched) {
        clWaitForEvents(1, &s->fetched);
        clReleaseEvent(s->fetched);
    }
    ritz_stage_release(s);
    ritz_pinned_release(&s->pinned);
    ritz_free(s);
    *stage = NULL;
}

bool ritz_stage_copies(const ritz_stage *stage)
{
    return stage->pinned.host != NULL;
}

ritz_status ritz_stage_fetch(ritz_stage *stage, const ritz_buffer *buffer, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    ritz_device *device = stage->device;
    cl_event launched = NULL;
    cl_int error;
    RITZ_REQUIRE(bytes > 0 && bytes <= buffer->bytes && (maps_buffers(device) || bytes <= stage->bytes) &&
                     !stage->source,
                 RITZ_ERROR_INPUT, "%lld bytes of %s cannot be fetched: the stage is in use or has fewer",
                 (long long)bytes, buffer->what);
    RITZ_CL(clEnqueueMarkerWithWaitList(device->queue, 0, NULL, &launched), "the device '%s' takes no more work",
            device->info.name);
    RITZ_CL(clFlush(device->queue), "the device '%s' takes no more work", device->info.name);
    if (stage->pinned.host)
        error = clEnqueueReadBuffer(device->transfers, buffer->memory, CL_FALSE, 0, (size_t)bytes, stage->host, 1,
                                    &launched, &stage->fetched);
    else
        stage->host = clEnqueueMapBuffer(device->transfers, buffer->memory, CL_FALSE, CL_MAP_READ, 0, (size_t)bytes, 1,
                                         &launched, &stage->fetched, &error);
    RITZ_CL(error, "%lld bytes of %s could not be read from the device", (long long)bytes, buffer->what);
    stage->source = buffer;
    ritz_commands_add_transfer(device, stage->pinned.host ? "read" : "map", buffer->what, bytes, stage->fetched);
    device->counters.bytes_from_device += bytes;
    RITZ_CL(clFlush(device->transfers), "the device '%s' takes no more work", device->info.name);
done:
    if (launched)
        clReleaseEvent(launched);
    return status;
}

ritz_status ritz_stage_wait(ritz_stage *stage, const void **data, double *seconds)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(stage->fetched, RITZ_ERROR_INPUT, "there is no transfer to wait for");
    const double start = ritz_seconds();
    RITZ_CL(clWaitForEvents(1, &stage->fetched), "%s did not arrive from the device '%s'", stage->source->what,
            stage->device->info.name);
    stage->device->counters.seconds_from_device += ritz_seconds() - start;
    if (seconds)
        RITZ_TRY(ritz_event_wait(stage->fetched, "a transfer", seconds));
    clReleaseEvent(stage->fetched);
    stage->fetched = NULL;
    *data = stage->host;
done:
    return status;
}

void ritz_stage_release(ritz_stage *stage)
{
    if (stage->source && !stage->pinned.host) /* in order with launches: the next one finds the buffer its own again */
        clEnqueueUnmapMemObject(stage->device->queue, stage->source->memory, stage->host, 0, NULL, NULL);
    stage->source = NULL;
}

/* ---- Times of launches ---- */

ritz_status ritz_keep_event(ritz_device *device, cl_event event)
{
    ritz_status status = RITZ_OK;
    ritz_kept_times *kept = &device->kept;
    if (kept->n == kept->capacity) {
        RITZ_RESIZE(kept->events, 2 * kept->capacity + 16);
        kept->capacity = 2 * kept->capacity + 16;
    }
    clRetainEvent(event);
    kept->events[kept->n++] = event;
done:
    return status;
}

void ritz_device_keep_times(ritz_device *device, bool keep)
{
    ritz_kept_times *kept = &device->kept;
    kept->on = keep;
    for (int64_t k = 0; k < kept->n; k++)
        clReleaseEvent(kept->events[k]);
    ritz_free(kept->events);
    *kept = (ritz_kept_times){.on = keep};
}

ritz_status ritz_device_collect_times(ritz_device *device, double *seconds)
{
    ritz_status status = RITZ_OK;
    ritz_kept_times *kept = &device->kept;
    int64_t n_ended = 0; /* in order: those behind the first that still runs have not ended either */
    for (; n_ended < kept->n; n_ended++) {
        cl_int state = CL_QUEUED;
        RITZ_CL(clGetEventInfo(kept->events[n_ended], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
                "the device '%s' does not tell what became of a kernel", device->info.name);
        RITZ_CL(state < 0 ? state : CL_SUCCESS, "a kernel failed on the device '%s'", device->info.name);
        if (state != CL_COMPLETE)
            break;
        RITZ_TRY(ritz_event_wait(kept->events[n_ended], "a kernel", seconds));
    }
done:
    for (int64_t k = 0; k < n_ended; k++)
        clReleaseEvent(kept->events[k]);
    for (int64_t k = n_ended; k < kept->n; k++)
        kept->events[k - n_ended] = kept->events[k];
    kept->n -= n_ended;
    return status;
}
