/* Where the addresses of a process are limited (ulimit -v). A driver that gets none ends the process with a fault or an
   assertion, PoCL 3.1 and its LLVM do: so what is asked of a driver is refused in words where too few are left for it. */
#include "device/opencl.h"

#include <unistd.h>

/* Of PoCL 3.1 on two cores, by runs under limits 4 to 16 MB apart. Starting takes libraries of PoCL and LLVM, and a stack for
   each thread; work is to load a program that is kept, code for a kernel's first size of groups, small buffers at their first
   use. */
enum { START_MEGABYTES = 330, THREAD_MEGABYTES = 10, BUILD_MEGABYTES = 160, WORK_MEGABYTES = 64 };

static ritz_status require_addresses(int64_t megabytes, const char *what)
{
    if (ritz_has_addresses(megabytes << 20))
        return RITZ_OK;
    return ritz_fail(
        RITZ_ERROR_MEMORY,
        "%s may take %lld MB of addresses, and the limit of this process (ulimit -v) leaves less: raise it", what,
        (long long)megabytes);
}

ritz_status ritz_require_start(void)
{
    const int64_t cores = ritz_max64(1, (int64_t)sysconf(_SC_NPROCESSORS_ONLN));
    return require_addresses(START_MEGABYTES + THREAD_MEGABYTES * cores, "OpenCL's driver");
}

ritz_status ritz_require_build(void)
{
    return require_addresses(BUILD_MEGABYTES, "compiling a kernel");
}

ritz_status ritz_require_kernel(void)
{
    return require_addresses(WORK_MEGABYTES, "the first launch of a kernel");
}

bool ritz_has_addresses_for(const ritz_device *device, int64_t bytes)
{
    return device->info.kind != RITZ_DEVICE_CPU || ritz_has_addresses(bytes + (WORK_MEGABYTES << 20));
}
