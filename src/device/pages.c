/* Memory of large buffers on CPU devices: the machine's own memory, in pages of 2 MB where the system has them.
   Touching fresh memory the first time costs four times less that way, and a matrix product a few per cent. What buffers give
   back is kept for the next ones, of any size, and put together from parts where none is large enough: clearing fresh pages was up
   to a third of a solve. */
#define _GNU_SOURCE /* madvise, MAP_ANONYMOUS, mremap */
#include "device/opencl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGE = 2 << 20, EXTENTS_MOST = 64 };
enum { SHARE = 8 }; /* of the machine's memory that is kept, at most */

typedef struct extent {
    char *start;
    size_t bytes; /* whole pages */
} extent;

/* Of all devices of the process, whose drivers may give memory back from threads of theirs. The system takes pages of it where
   memory is short, so other programs lose nothing. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    extent extent[EXTENTS_MOST]; /* by address; no two touch */
    int n;
    size_t bytes;
} kept;

static size_t whole_pages(int64_t bytes)
{
    return (size_t)ritz_round_up(bytes, PAGE);
}

static void remove_extent(int at)
{
    kept.n--;
    memmove(&kept.extent[at], &kept.extent[at + 1], sizeof *kept.extent * (size_t)(kept.n - at));
}

/* The front of the smallest extent that is large enough, or NULL. */
static char *take_kept(size_t bytes)
{
    char *start = NULL;
    int best = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < kept.n; i++)
        if (kept.extent[i].bytes >= bytes && (best < 0 || kept.extent[i].bytes < kept.extent[best].bytes))
            best = i;
    if (best >= 0) {
        start = kept.extent[best].start;
        kept.extent[best] = (extent){start + bytes, kept.extent[best].bytes - bytes};
        kept.bytes -= bytes;
        if (kept.extent[best].bytes == 0)
            remove_extent(best);
    }
    pthread_mutex_unlock(&lock);
    return start;
}

/* How much is kept at most: a share of the memory, and nothing where addresses are limited, which others would miss. */
static size_t find_most(void)
{
    static int64_t share;
    struct rlimit addresses;
    const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
    if (share == 0)
        share = ritz_host_bytes() / SHARE;
    return limited ? 0 : (size_t)share;
}

/* Joined with what touches it. */
static void keep(extent e)
{
    pthread_mutex_lock(&lock);
    if (kept.n == EXTENTS_MOST || kept.bytes + e.bytes > find_most()) {
        munmap(e.start, e.bytes);
        goto done;
    }
#ifdef MADV_FREE
    (void)madvise(e.start, e.bytes, MADV_FREE);
#endif
    kept.bytes += e.bytes;
    int at = 0;
    while (at < kept.n && kept.extent[at].start < e.start)
        at++;
    if (at < kept.n && e.start + e.bytes == kept.extent[at].start) {
        e.bytes += kept.extent[at].bytes;
        remove_extent(at);
    }
    if (at > 0 && kept.extent[at - 1].start + kept.extent[at - 1].bytes == e.start) {
        kept.extent[at - 1].bytes += e.bytes;
        goto done;
    }
    memmove(&kept.extent[at + 1], &kept.extent[at], sizeof *kept.extent * (size_t)(kept.n - at));
    kept.extent[at] = e;
    kept.n++;
done:
    pthread_mutex_unlock(&lock);
}

/* Fresh pages that start where one of 2 MB can, or NULL. */
static char *map_pages(size_t bytes)
{
    char *const all = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    const size_t before = (PAGE - (uintptr_t)all % PAGE) % PAGE;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + bytes, PAGE - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(all + before, bytes, MADV_HUGEPAGE); /* advice: works without, too */
#endif
    return all + before;
}

/* One of the pages that are kept goes where a fresh one is mapped. *lost: no page is there any more. */
static bool move_page(char *to, bool *lost)
{
#ifdef MREMAP_FIXED
    extent *const e = &kept.extent[kept.n - 1];
    if (mremap(e->start, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to) {
        *e = (extent){e->start + PAGE, e->bytes - PAGE};
        kept.bytes -= PAGE;
        if (e->bytes == 0)
            kept.n--;
        return true;
    }
    *lost = mmap(to, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED;
#else
    (void)to;
    (void)lost;
#endif
    return false;
}

/* Side by side what is kept, as far as it is needed, then fresh pages; or NULL. */
static char *map_kept_pages(size_t bytes)
{
    char *const start = map_pages(bytes);
    bool lost = false;
    pthread_mutex_lock(&lock);
    for (size_t at = 0; start && at < bytes && kept.n > 0 && move_page(start + at, &lost);)
        at += PAGE;
    pthread_mutex_unlock(&lock);
    if (lost)
        munmap(start, bytes);
    return lost ? NULL : start;
}

int64_t ritz_pages_bytes(void)
{
    pthread_mutex_lock(&lock);
    const int64_t bytes = (int64_t)kept.bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void ritz_pages_release(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < kept.n; i++)
        munmap(kept.extent[i].start, kept.extent[i].bytes);
    kept.n = 0;
    kept.bytes = 0;
    pthread_mutex_unlock(&lock);
}

static void CL_CALLBACK keep_pages(cl_mem memory, void *given)
{
    (void)memory;
    keep(*(extent *)given);
    free(given);
}

bool ritz_is_paged(const ritz_device *device, int64_t bytes)
{
    return device->info.kind == RITZ_DEVICE_CPU && device->info.unified_memory && bytes >= 2 * PAGE;
}

cl_mem ritz_create_paged(ritz_device *device, int64_t bytes, cl_int *error)
{
    extent *e = ritz_is_paged(device, bytes) ? malloc(sizeof *e) : NULL;
    if (e) {
        e->bytes = whole_pages(bytes);
        e->start = take_kept(e->bytes);
        if (!e->start)
            e->start = map_kept_pages(e->bytes);
        if (!e->start) { /* addresses may be short */
            ritz_pages_release();
            e->start = map_pages(e->bytes);
        }
    }
    if (!e)
        return clCreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, error);
    if (!e->start) { /* PoCL would find that out when it first uses the buffer, and end the process */
        free(e);
        *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    cl_mem memory =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, (size_t)bytes, e->start, error);
    if (*error == CL_SUCCESS && (*error = clSetMemObjectDestructorCallback(memory, keep_pages, e)) == CL_SUCCESS)
        return memory;
    if (memory)
        clReleaseMemObject(memory);
    keep(*e);
    free(e);
    return NULL;
}
