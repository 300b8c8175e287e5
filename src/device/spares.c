/* Memory that buffers gave back, kept for the next ones of the same size: a driver takes 30 to 100 us to find memory and
   as long to take it back, and waits for the device meanwhile. What is in it is not cleared. */
#include "device/opencl.h"

/* They are given up before memory is refused, but other programs do without them. */
enum { SHARE = 64 }; /* of the memory that buffers may take, together */

static cl_mem take(ritz_spares *s, int at)
{
    const cl_mem memory = s->kept[at].memory;
    s->bytes -= s->kept[at].bytes;
    s->n--;
    for (int i = at; i < s->n; i++)
        s->kept[i] = s->kept[i + 1];
    return memory;
}

static void drop_oldest(ritz_spares *s)
{
    clReleaseMemObject(take(s, 0));
}

void ritz_release_spares(ritz_device *device)
{
    while (device->spares.n > 0)
        drop_oldest(&device->spares);
}

void ritz_keep_spare(ritz_device *device, cl_mem memory, int64_t bytes)
{
    ritz_spares *s = &device->spares;
    const int64_t most = device->memory_limit / SHARE;
    if (bytes > most) {
        clReleaseMemObject(memory);
        return;
    }
    while (s->n == RITZ_SPARES_MOST || s->bytes + bytes > most)
        drop_oldest(s);
    s->kept[s->n++] = (ritz_spare){.memory = memory, .bytes = bytes};
    s->bytes += bytes;
}

cl_mem ritz_take_spare(ritz_device *device, int64_t bytes)
{
    ritz_spares *s = &device->spares;
    int at = s->n - 1; /* the youngest, which caches may still hold */
    while (at >= 0 && s->kept[at].bytes != bytes)
        at--;
    return at < 0 ? NULL : take(s, at);
}
