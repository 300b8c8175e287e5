/* Large transfers of devices with a memory of their own: through host memory that the driver has pinned, in pieces. The threads copy
   one piece while another is under way; a driver copies other memory with one thread, at a fifth of the link's rate. */
#include "device/opencl.h"

#include <string.h>

enum { PIECES = 2, PIECE_BYTES = 8 << 20 };
enum { WORTH = 2 << 20 };          /* bytes: of fewer the driver is as fast */
enum { THREAD_BYTES = 128 << 10 }; /* that a thread copies at once */

cl_int ritz_pinned_create(ritz_device *device, cl_command_queue queue, int64_t bytes, ritz_pinned *p)
{
    cl_int error;
    p->queue = queue;
    p->memory = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, (size_t)bytes, NULL, &error);
    if (error == CL_SUCCESS)
        p->host = clEnqueueMapBuffer(queue, p->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, (size_t)bytes, 0, NULL,
                                     NULL, &error);
    if (error != CL_SUCCESS) {
        p->host = NULL;
        ritz_pinned_release(p);
    }
    return error;
}

void ritz_pinned_release(ritz_pinned *p)
{
    if (p->host) {
        clEnqueueUnmapMemObject(p->queue, p->memory, p->host, 0, NULL, NULL);
        clFinish(p->queue);
    }
    if (p->memory)
        clReleaseMemObject(p->memory);
    *p = (ritz_pinned){0};
}

bool ritz_pinned_serves(ritz_device *device, int64_t bytes)
{
    if (bytes < WORTH || device->info.unified_memory || device->info.kind != RITZ_DEVICE_GPU)
        return false;
    if (!device->tried_pinned) {
        device->tried_pinned = true;
        const cl_int error = ritz_pinned_create(device, device->queue, PIECES * PIECE_BYTES, &device->pinned);
        if (error != CL_SUCCESS)
            ritz_log("device: no pinned memory for transfers (%s)", ritz_opencl_error(error));
    }
    return device->pinned.host != NULL;
}

/* One under way. */
typedef struct piece {
    char *host;       /* pinned */
    const char *from; /* what it is a copy of; NULL: it comes from the device */
    char *to;         /* and goes there */
    int64_t bytes;
    cl_event event; /* NULL: it is free */
} piece;

static void copy_by_threads(char *to, const char *from, int64_t bytes)
{
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < bytes; at += THREAD_BYTES)
        memcpy(to + at, from + at, (size_t)ritz_min64(THREAD_BYTES, bytes - at));
}

static ritz_status start_piece(const ritz_buffer *buffer, int64_t offset, piece *p)
{
    ritz_status status = RITZ_OK;
    ritz_device *device = buffer->device;
    if (p->from) {
        copy_by_threads(p->host, p->from, p->bytes);
        RITZ_CL(clEnqueueWriteBuffer(device->queue, buffer->memory, CL_FALSE, (size_t)offset, (size_t)p->bytes, p->host,
                                     0, NULL, &p->event),
                "%lld bytes for %s could not be sent to the device", (long long)p->bytes, buffer->what);
    } else
        RITZ_CL(clEnqueueReadBuffer(device->queue, buffer->memory, CL_FALSE, (size_t)offset, (size_t)p->bytes, p->host,
                                    0, NULL, &p->event),
                "%lld bytes of %s could not be read from the device", (long long)p->bytes, buffer->what);
    ritz_commands_add_transfer(device, p->from ? "write" : "read", buffer->what, p->bytes, p->event);
    RITZ_TRY(ritz_device_flush(device));
done:
    return status;
}

static ritz_status end_piece(const ritz_buffer *buffer, piece *p)
{
    ritz_status status = RITZ_OK;
    if (!p->event)
        return RITZ_OK;
    RITZ_CL(clWaitForEvents(1, &p->event), "%lld bytes of %s did not arrive", (long long)p->bytes, buffer->what);
    if (p->to)
        copy_by_threads(p->to, p->host, p->bytes);
done:
    clReleaseEvent(p->event);
    p->event = NULL;
    return status;
}

ritz_status ritz_pinned_transfer(const ritz_buffer *buffer, int64_t offset, int64_t bytes, const void *from, void *to)
{
    ritz_status status = RITZ_OK;
    piece pieces[PIECES] = {0};
    int64_t k = 0;
    for (int64_t at = 0; at < bytes; at += PIECE_BYTES, k++) {
        piece *p = &pieces[k % PIECES];
        RITZ_TRY(end_piece(buffer, p));
        *p = (piece){.host = buffer->device->pinned.host + k % PIECES * PIECE_BYTES,
                     .from = from ? (const char *)from + at : NULL,
                     .to = to ? (char *)to + at : NULL,
                     .bytes = ritz_min64(PIECE_BYTES, bytes - at)};
        RITZ_TRY(start_piece(buffer, offset + at, p));
    }
done:
    for (int i = 0; i < PIECES; i++) {
        piece *const p = &pieces[(k + i) % PIECES];
        if (status == RITZ_OK)
            status = end_piece(buffer, p);
        else if (p->event) { /* the first failure is told */
            clWaitForEvents(1, &p->event);
            clReleaseEvent(p->event);
        }
    }
    return status;
}
