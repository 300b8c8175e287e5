/* Buffers: device memory that is counted, and refused in words when there is too little of it. */
#include "device/opencl.h"

#include <stdio.h>
#include <string.h>

enum {
    LEAST_BYTES = 16,      /* an empty buffer still is a valid kernel argument */
    LARGE_BYTES = 1 << 20, /* from here on a buffer is claimed at once and zeroed by an own kernel */
};

void ritz_device_set_leaner(ritz_device *device, const char *leaner)
{
    device->leaner = leaner;
}

/* What the user may do. */
static const char *remedy_for(const ritz_device *device, char text[160])
{
    snprintf(text, 160, "use %s%sa coarser mesh, a lower order, single precision, or a device with more memory",
             device->leaner ? device->leaner : "", device->leaner ? ", " : "");
    return text;
}

typedef char amount[32]; /* a number of bytes in words */

static const char *amount_of(int64_t bytes, amount text)
{
    if (bytes < 1000000)
        snprintf(text, sizeof(amount), "%lld bytes", (long long)bytes);
    else if (bytes < 1000000000)
        snprintf(text, sizeof(amount), "%.3f MB", 1e-6 * (double)bytes);
    else
        snprintf(text, sizeof(amount), "%.3f GB", 1e-9 * (double)bytes);
    return text;
}

static void tell_too_small(const ritz_device *device, int64_t bytes, const char *what)
{
    amount needed, room, limit;
    char remedy[160];
    ritz_fail(RITZ_ERROR_DEVICE, "the device '%s' needs %s for %s but has %s free of %s: %s", device->info.name,
              amount_of(bytes, needed), what, amount_of(ritz_device_free_bytes(device), room),
              amount_of(device->memory_limit, limit), remedy_for(device, remedy));
}

/* The driver knows of a limit that this process cannot see: its largest allocation, or what other programs hold. */
static void report_refused_buffer(const ritz_device *device, cl_int error, int64_t bytes, const char *what)
{
    amount needed, held, most;
    char remedy[160];
    remedy_for(device, remedy);
    amount_of(bytes, needed);
    if (error == CL_INVALID_BUFFER_SIZE)
        ritz_fail(RITZ_ERROR_DEVICE, "the device '%s' needs %s for %s, but its driver allocates at most %s at once: %s",
                  device->info.name, needed, what, amount_of(device->info.largest_allocation, most), remedy);
    else if (!ritz_has_addresses_for(device, bytes))
        ritz_fail(
            RITZ_ERROR_DEVICE,
            "the device '%s' needs %s for %s, and the limit of this process (ulimit -v) leaves too few addresses: "
            "raise it, or %s",
            device->info.name, needed, what, remedy);
    else
        ritz_fail(RITZ_ERROR_DEVICE,
                  "the device '%s' needs %s for %s, which its driver does not give (%s); this process holds %s of %s, "
                  "other programs may hold the rest: wait for them, or %s",
                  device->info.name, needed, what, ritz_opencl_error(error), amount_of(device->live_bytes, held),
                  amount_of(device->memory_limit, most), remedy);
}

int64_t ritz_device_free_bytes(const ritz_device *device)
{
    int64_t room = ritz_max64(0, device->memory_limit - device->live_bytes);
    /* A CPU's buffers are the machine's memory, which other programs use too. */
    return device->info.kind == RITZ_DEVICE_CPU && device->info.unified_memory
               ? ritz_min64(room, ritz_host_free_bytes())
               : room;
}

void ritz_device_restart_peak(ritz_device *device)
{
    device->counters.peak_bytes = device->live_bytes;
}

int64_t ritz_device_live_bytes(const ritz_device *device)
{
    return device->live_bytes;
}

/* What an empty buffer takes is not told. */
static int64_t counted_bytes(const ritz_buffer *b)
{
    return b->bytes < LEAST_BYTES ? b->bytes : b->room;
}

/* Makes the driver take the memory now: some do so at first use only, where the failure would hit an innocent kernel.
   */
static cl_int claim_memory(ritz_buffer *buffer)
{
    if (buffer->bytes < LARGE_BYTES || buffer->device->info.unified_memory)
        return CL_SUCCESS;
    return clEnqueueMigrateMemObjects(buffer->device->queue, 1, &buffer->memory,
                                      CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL);
}

/* Beside what is kept of other buffers. */
static bool fits_memory(const ritz_device *device, int64_t bytes)
{
    return bytes <= device->memory_limit - device->live_bytes - device->pool.bytes &&
           (bytes < LARGE_BYTES || bytes <= ritz_device_free_bytes(device));
}

/* Memory for a buffer of `bytes`: kept from another one, or new; then, if it must be, after all that is kept is given
   up. */
static cl_int find_memory(ritz_buffer *b, int64_t bytes)
{
    ritz_device *device = b->device;
    const int64_t whole = ritz_max64(bytes, LEAST_BYTES);
    cl_int error = CL_SUCCESS;
    b->bytes = bytes;
    b->room = whole;
    b->memory = ritz_pool_take(device, whole, &b->room);
    if (b->memory)
        return CL_SUCCESS;
    for (;;) {
        error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        if (ritz_has_addresses_for(device, whole))
            b->memory = ritz_create_paged(device, whole, &error);
        if (error == CL_SUCCESS)
            error = claim_memory(b);
        if (error == CL_SUCCESS)
            return error;
        if (b->memory)
            clReleaseMemObject(b->memory);
        b->memory = NULL;
        if (device->pool.n == 0)
            return error;
        ritz_pool_release(device);
    }
}

ritz_status ritz_buffer_create(ritz_device *device, int64_t bytes, const char *what, ritz_buffer **buffer)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *b = NULL;
    cl_int error;
    if (bytes < 0) {
        ritz_fail(RITZ_ERROR_INPUT, "a buffer for %s cannot have %lld bytes", what, (long long)bytes);
        return RITZ_ERROR_INPUT;
    }
    if (!fits_memory(device, bytes))
        ritz_pool_release(device);
    if (!fits_memory(device, bytes)) {
        tell_too_small(device, bytes, what);
        status = RITZ_ERROR_DEVICE;
        goto done;
    }
    RITZ_NEW(b, 1);
    b->device = device;
    device->n_holders++;
    snprintf(b->what, sizeof b->what, "%s", what);
    const double start = ritz_seconds();
    error = find_memory(b, bytes);
    device->live_bytes += counted_bytes(b);
    if (error != CL_SUCCESS) {
        ritz_buffer_destroy(&b); /* before the message, which tells what is held without it */
        report_refused_buffer(device, error, bytes, what);
        status = RITZ_ERROR_DEVICE;
        goto done;
    }
    device->counters.peak_bytes = ritz_max64(device->counters.peak_bytes, device->live_bytes);
    device->counters.seconds_allocate += ritz_seconds() - start;
    *buffer = b;
    b = NULL;
done:
    ritz_buffer_destroy(&b);
    return status;
}

ritz_status ritz_buffer_create_from(ritz_device *device, const void *data, int64_t bytes, const char *what,
                                    ritz_buffer **buffer)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *b = NULL;
    RITZ_TRY(ritz_buffer_create(device, bytes, what, &b));
    RITZ_TRY(ritz_buffer_write(b, 0, data, bytes));
    *buffer = b;
    b = NULL;
done:
    ritz_buffer_destroy(&b);
    return status;
}

void ritz_buffer_destroy(ritz_buffer **buffer)
{
    if (!buffer || !*buffer)
        return;
    ritz_buffer *b = *buffer;
    if (b->memory && b->foreign)
        clReleaseMemObject(b->memory);
    else if (b->memory)
        ritz_pool_keep(b->device, b->memory, b->room);
    b->device->live_bytes -= b->foreign ? 0 : counted_bytes(b);
    ritz_device_release(b->device);
    ritz_free(b);
    *buffer = NULL;
}

ritz_status ritz_buffer_reserve(ritz_device *device, int64_t bytes, const char *what, ritz_buffer **buffer)
{
    if (*buffer && (*buffer)->bytes >= bytes)
        return RITZ_OK;
    ritz_buffer_destroy(buffer);
    return ritz_buffer_create(device, bytes, what, buffer);
}

int64_t ritz_buffer_bytes(const ritz_buffer *buffer)
{
    return buffer->bytes;
}

/* Where an OpenCL call puts the event of a transfer: NULL unless a table of commands is kept. */
static cl_event *event_if_told(const ritz_device *device, cl_event *event)
{
    return device->commands ? event : NULL;
}

/* Adds a transfer to the table of commands, and gives the event up. */
static void tell_transfer(const ritz_buffer *buffer, const char *kind, int64_t bytes, cl_event event)
{
    if (!event)
        return;
    ritz_commands_add_transfer(buffer->device, kind, buffer->what, bytes, event);
    clReleaseEvent(event);
}

/* Fails unless bytes [offset, offset + bytes) are inside. */
static ritz_status check_inside(const ritz_buffer *buffer, int64_t offset, int64_t bytes)
{
    if (offset < 0 || bytes < 0 || offset > buffer->bytes - bytes)
        return ritz_fail(RITZ_ERROR_INPUT, "bytes %lld to %lld are not inside the buffer for %s, which has %lld",
                         (long long)offset, (long long)offset + bytes, buffer->what, (long long)buffer->bytes);
    return RITZ_OK;
}

ritz_status ritz_buffer_write(ritz_buffer *buffer, int64_t offset, const void *data, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    cl_event event = NULL;
    RITZ_TRY(check_inside(buffer, offset, bytes));
    if (bytes == 0)
        goto done;
    RITZ_TRY(ritz_device_finish(buffer->device)); /* the write waits for launches: their time is none of its own */
    const double start = ritz_seconds();
    if (ritz_pinned_serves(buffer->device, bytes))
        RITZ_TRY(ritz_pinned_transfer(buffer, offset, bytes, data, NULL));
    else
        RITZ_CL(clEnqueueWriteBuffer(buffer->device->queue, buffer->memory, CL_TRUE, (size_t)offset, (size_t)bytes,
                                     data, 0, NULL, event_if_told(buffer->device, &event)),
                "%lld bytes for %s could not be sent to the device", (long long)bytes, buffer->what);
    tell_transfer(buffer, "write", bytes, event);
    buffer->device->counters.bytes_to_device += bytes;
    buffer->device->counters.seconds_to_device += ritz_seconds() - start;
done:
    return status;
}

/* Has the threads touch pages that may be fresh: the driver's one thread took 60 ms to do so for 98 MB that it copies in 5. */
static void touch_pages(char *data, int64_t bytes)
{
    enum { PAGE = 4096, WORTH_THREADS = 4 << 20 };
    if (bytes < WORTH_THREADS)
        return;
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < bytes; at += PAGE)
        *(volatile char *)(data + at) = 0;
}

ritz_status ritz_buffer_read(const ritz_buffer *buffer, int64_t offset, void *data, int64_t bytes)
{
    ritz_status status = RITZ_OK;
    cl_event event = NULL;
    RITZ_TRY(check_inside(buffer, offset, bytes));
    if (bytes == 0)
        goto done;
    const double start = ritz_seconds();
    if (ritz_pinned_serves(buffer->device, bytes))
        RITZ_TRY(ritz_pinned_transfer(buffer, offset, bytes, NULL, data));
    else {
        touch_pages(data, bytes);
        RITZ_CL(clEnqueueReadBuffer(buffer->device->queue, buffer->memory, CL_TRUE, (size_t)offset, (size_t)bytes, data,
                                    0, NULL, event_if_told(buffer->device, &event)),
                "%lld bytes of %s could not be read from the device", (long long)bytes, buffer->what);
    }
    tell_transfer(buffer, "read", bytes, event);
    buffer->device->counters.bytes_from_device += bytes;
    buffer->device->counters.seconds_from_device += ritz_seconds() - start;
done:
    return status;
}

ritz_status ritz_buffer_copy(const ritz_buffer *from, int64_t from_offset, ritz_buffer *to, int64_t to_offset,
                             int64_t bytes)
{
    ritz_status status = RITZ_OK;
    cl_event event = NULL;
    RITZ_TRY(check_inside(from, from_offset, bytes));
    RITZ_TRY(check_inside(to, to_offset, bytes));
    if (bytes == 0)
        goto done;
    RITZ_CL(clEnqueueCopyBuffer(from->device->queue, from->memory, to->memory, (size_t)from_offset, (size_t)to_offset,
                                (size_t)bytes, 0, NULL, event_if_told(from->device, &event)),
            "%lld bytes of %s could not be copied on the device", (long long)bytes, from->what);
    tell_transfer(from, "copy", bytes, event);
done:
    return status;
}

/* Zeroes 16 bytes per work-item, up to the last whole 16; the drivers' own fill is slower on large buffers. */
static ritz_status zero_by_kernel(ritz_buffer *buffer)
{
    ritz_status status = RITZ_OK;
    static const char *const path[] = {"device/kernels/fill.cl"};
    ritz_program *program;
    ritz_kernel *kernel;
    int64_t n = buffer->bytes / 16;
    RITZ_TRY(ritz_program_get(buffer->device, RITZ_F32, "", path, 1, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "fill_zero", &kernel));
    int64_t local = ritz_min64(256, ritz_kernel_work_group_size(kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ritz_round_up(n, local)}, .local = {local}}), NULL,
                         RITZ_BUFFER(buffer), RITZ_LONG(n)));
done:
    return status;
}

/* Zeroes a range by the driver's fill; `width` is the length of its pattern. */
static ritz_status fill_zero(ritz_buffer *buffer, int64_t offset, int64_t bytes, size_t width)
{
    ritz_status status = RITZ_OK;
    static const cl_uint4 zero;
    cl_event event = NULL;
    if (bytes <= 0)
        return RITZ_OK;
    RITZ_CL(clEnqueueFillBuffer(buffer->device->queue, buffer->memory, &zero, width, (size_t)offset, (size_t)bytes, 0,
                                NULL, event_if_told(buffer->device, &event)),
            "the buffer for %s could not be zeroed", buffer->what);
    tell_transfer(buffer, "zero", bytes, event);
done:
    return status;
}

ritz_status ritz_buffer_zero(ritz_buffer *buffer)
{
    ritz_status status = RITZ_OK;
    int64_t whole = buffer->bytes / 16 * 16;
    if (buffer->bytes >= LARGE_BYTES)
        RITZ_TRY(zero_by_kernel(buffer));
    else
        RITZ_TRY(fill_zero(buffer, 0, whole, 16));
    /* A pattern of one byte is a slow path of some drivers, so it only serves the last few. */
    RITZ_TRY(fill_zero(buffer, whole, buffer->bytes - whole, 1));
done:
    return status;
}

ritz_status ritz_buffer_zero_end(ritz_buffer *buffer, int64_t offset)
{
    return fill_zero(buffer, offset, buffer->bytes - offset, 4);
}

ritz_status ritz_buffer_read_through(ritz_buffer *zeros)
{
    ritz_status status = RITZ_OK;
    static const char *const path[] = {"device/kernels/fill.cl"};
    ritz_program *program;
    ritz_kernel *kernel;
    const ritz_device_info *info = &zeros->device->info;
    RITZ_TRY(ritz_program_get(zeros->device, RITZ_F32, "", path, 1, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "read_through", &kernel));
    const int64_t n = zeros->bytes / 16, local = ritz_min64(256, ritz_kernel_work_group_size(kernel));
    const int64_t n_items = local * 32 * ritz_max64(info->compute_units, 1);
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {n_items}, .local = {local}}), NULL, RITZ_BUFFER(zeros),
                         RITZ_LONG(n)));
done:
    return status;
}
