/* Memory of large buffers on CPU devices: the machine's own memory, in pages of 2 MB where the system has them.
   Touching fresh memory the first time costs four times less that way, and a matrix product a few per cent. */
#define _DEFAULT_SOURCE /* madvise */
#include "device/opencl.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20 };

static void CL_CALLBACK release_pages(cl_mem memory, void *host)
{
    (void)memory;
    free(host);
}

cl_mem ritz_create_paged(ritz_device *device, int64_t bytes, cl_int *error)
{
    const bool worth_it = device->info.kind == RITZ_DEVICE_CPU && device->info.unified_memory && bytes >= 2 * PAGE;
    void *host = worth_it ? aligned_alloc(PAGE, (size_t)ritz_round_up(bytes, PAGE)) : NULL;
    if (!host)
        return clCreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, error);
#ifdef MADV_HUGEPAGE
    (void)madvise(host, (size_t)ritz_round_up(bytes, PAGE), MADV_HUGEPAGE); /* advice: works without, too */
#endif
    cl_mem memory =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, (size_t)bytes, host, error);
    if (*error == CL_SUCCESS && (*error = clSetMemObjectDestructorCallback(memory, release_pages, host)) == CL_SUCCESS)
        return memory;
    if (memory)
        clReleaseMemObject(memory);
    free(host);
    return NULL;
}
