/* Memory that buffers gave back, kept for the next ones of the same size: a driver takes 30 to 100 us to find memory and
   as long to take it back, and waits for the device meanwhile. What is in it is not cleared. */
#include "device/opencl.h"

/* They are given up before memory is refused, but other programs do without them. */
enum { SHARE = 64 }; /* of the memory that buffers may take, together */

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

cl_mem ritz_pool_take(ritz_device *device, int64_t bytes)
{
    ritz_buffer_pool *pool = &device->pool;
    int at = pool->n - 1; /* the youngest, which caches may still hold */
    while (at >= 0 && pool->kept[at].bytes != bytes)
        at--;
    return at < 0 ? NULL : remove_from_pool(pool, at);
}
