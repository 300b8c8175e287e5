/* Memory that buffers gave back, kept for the next ones: a driver takes 30 to 100 us to find memory and as long to take it back, of
   gigabytes 10 ms, and waits for the device meanwhile. What is in it is not cleared. */
#include "device/opencl.h"

/* They are given up before memory is refused, but other programs do without them. */
enum { SHARE = 8 };             /* of the memory that buffers may take, together */
enum { EXACT_BELOW = 1 << 20 }; /* bytes: from here on memory may be larger than what is asked for, */
enum { SPARE = 4 };             /* by a quarter of that */

static cl_mem remove_from_pool(ritz_buffer_pool *pool, int at)
{
    const cl_mem memory = pool->kept[at].memory;
    pool->bytes -= pool->kept[at].bytes;
    pool->n--;
    for (int i = at; i < pool->n; i++)
        pool->kept[i] = pool->kept[i + 1];
    return memory;
}

static void drop_oldest(ritz_buffer_pool *pool)
{
    clReleaseMemObject(remove_from_pool(pool, 0));
}

void ritz_pool_release(ritz_device *device)
{
    while (device->pool.n > 0)
        drop_oldest(&device->pool);
    ritz_pages_release();
}

void ritz_pool_keep(ritz_device *device, cl_mem memory, int64_t bytes)
{
    ritz_buffer_pool *pool = &device->pool;
    const int64_t most = device->memory_limit / SHARE;
    if (bytes > most || ritz_is_paged(device, bytes)) { /* pages.c keeps those, for buffers of other sizes too */
        clReleaseMemObject(memory);
        return;
    }
    while (pool->n == RITZ_POOL_MOST || pool->bytes + bytes > most)
        drop_oldest(pool);
    pool->kept[pool->n++] = (ritz_pooled_buffer){.memory = memory, .bytes = bytes};
    pool->bytes += bytes;
}

cl_mem ritz_pool_take(ritz_device *device, int64_t bytes, int64_t *room)
{
    ritz_buffer_pool *pool = &device->pool;
    const int64_t most = bytes < EXACT_BELOW ? bytes : bytes + bytes / SPARE;
    int best = -1; /* the smallest, and of these the youngest, which caches may still hold */
    for (int at = pool->n - 1; at >= 0; at--)
        if (pool->kept[at].bytes >= bytes && pool->kept[at].bytes <= most &&
            (best < 0 || pool->kept[at].bytes < pool->kept[best].bytes))
            best = at;
    if (best < 0)
        return NULL;
    *room = pool->kept[best].bytes;
    return remove_from_pool(pool, best);
}
