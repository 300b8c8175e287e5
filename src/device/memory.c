/* How much memory the machine can still give: the system's figure, and the limit of the container we may run in. */
#include "device/opencl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CONTAINER_MOST "/sys/fs/cgroup/memory.max"

/* The number in a file of one number, or -1. */
static int64_t read_number(const char *path)
{
    long long number = -1;
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    if (fscanf(file, "%lld", &number) != 1)
        number = -1;
    fclose(file);
    return number;
}

static int64_t available_bytes(void)
{
    char line[256];
    long long kilobytes = -1;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return INT64_MAX;
    while (kilobytes < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) != 1)
            kilobytes = -1;
    fclose(file);
    return kilobytes < 0 ? INT64_MAX : 1024 * (int64_t)kilobytes;
}

int64_t ritz_host_bytes(void)
{
    const int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), most = read_number(CONTAINER_MOST);
    return most > 0 ? ritz_min64(bytes, most) : bytes;
}

/* Pages that are kept count as used in a container until the system takes them, which it does before memory is short. */
int64_t ritz_host_free_bytes(void)
{
    const int64_t bytes = available_bytes(), most = read_number(CONTAINER_MOST),
                  used = read_number("/sys/fs/cgroup/memory.current");
    return most > 0 && used >= 0 ? ritz_min64(bytes, ritz_max64(0, most - used + ritz_pages_bytes())) : bytes;
}
