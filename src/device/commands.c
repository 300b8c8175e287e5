/* What a device ran, and how long each command took there: a table at its closing, where RITZ_LOG is "commands". */
#include "device/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PENDING = 1024, MOST_TOLD = 60, NAME_BYTES = 80 };

/* Commands of one name and size. */
typedef struct command {
    char name[NAME_BYTES];
    int64_t size; /* work-items of a kernel, else bytes */
    bool is_kernel;
    int64_t n;
    double seconds;
} command;

struct ritz_command_log {
    command *commands; /* [capacity], n of them in use */
    int64_t n, capacity;
    cl_event pending[MOST_PENDING]; /* of commands that may still run, oldest first */
    int64_t of[MOST_PENDING];       /* their places in `commands` */
    int n_pending;
    int64_t n_lost; /* that are in no row */
    double opened;
};

ritz_status ritz_commands_open(ritz_device *device)
{
    ritz_status status = RITZ_OK;
    const char *wanted = getenv("RITZ_LOG");
    if (!wanted || strcmp(wanted, "commands") != 0)
        return RITZ_OK;
    if (!device->tells_times) {
        ritz_log("commands: the queue that the caller made for '%s' keeps no times: CL_QUEUE_PROFILING_ENABLE has it "
                 "do so",
                 device->info.name);
        return RITZ_OK;
    }
    RITZ_NEW(device->commands, 1);
    device->commands->opened = ritz_seconds();
done:
    return status;
}

/* Waits for what is pending, and adds its times. */
static void collect(ritz_command_log *log)
{
    for (int k = 0; k < log->n_pending; k++) {
        command *row = &log->commands[log->of[k]];
        const bool told = ritz_event_wait(log->pending[k], row->name, &row->seconds) == RITZ_OK;
        clReleaseEvent(log->pending[k]);
        log->n_lost += !told;
        row->n += told;
    }
    log->n_pending = 0;
}

/* The row of a command, made if need be; -1 without memory for it. */
static int64_t find_row(ritz_command_log *log, const char *name, int64_t size, bool is_kernel)
{
    ritz_status status = RITZ_OK;
    for (int64_t k = 0; k < log->n; k++)
        if (log->commands[k].size == size && strncmp(log->commands[k].name, name, NAME_BYTES - 1) == 0)
            return k;
    if (log->n == log->capacity) {
        RITZ_RESIZE(log->commands, 2 * log->capacity + 64);
        log->capacity = 2 * log->capacity + 64;
    }
    command *row = &log->commands[log->n];
    *row = (command){.size = size, .is_kernel = is_kernel};
    snprintf(row->name, sizeof row->name, "%s", name);
done:
    return status == RITZ_OK ? log->n++ : -1;
}

static void add(ritz_device *device, const char *name, int64_t size, bool is_kernel, cl_event event)
{
    ritz_command_log *log = device->commands;
    if (!log || !event)
        return;
    const int64_t row = find_row(log, name, size, is_kernel);
    if (row < 0) {
        log->n_lost++;
        return;
    }
    if (log->n_pending == MOST_PENDING)
        collect(log);
    clRetainEvent(event);
    log->of[log->n_pending] = row;
    log->pending[log->n_pending++] = event;
}

void ritz_commands_add_kernel(ritz_device *device, const char *name, int64_t work_items, cl_event event)
{
    add(device, name, work_items, true, event);
}

void ritz_commands_add_transfer(ritz_device *device, const char *kind, const char *what, int64_t bytes, cl_event event)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s %s", kind, what);
    add(device, name, bytes, false, event);
}

/* Longest first; of equal ones the earlier name. */
static int compare(const void *a, const void *b)
{
    const command *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds ? 1 : -1) : strcmp(x->name, y->name);
}

static void write_size(const command *row, char *size, size_t bytes)
{
    const double each = row->seconds / (double)ritz_max64(row->n, 1);
    if (row->is_kernel)
        snprintf(size, bytes, "%lld work-items", (long long)row->size);
    else
        snprintf(size, bytes, "%.3g MB at %.3g GB/s", 1e-6 * (double)row->size,
                 each > 0 ? 1e-9 * (double)row->size / each : 0);
}

static void tell_row(const command *row, double all, const char *size)
{
    ritz_log("commands: %9.3f ms %5.1f %% %6lld times  %s, %s", 1e3 * row->seconds,
             all > 0 ? 100 * row->seconds / all : 0, (long long)row->n, row->name, size);
}

static void tell(const ritz_device *device, ritz_command_log *log)
{
    double all = 0;
    command rest = {.name = "others"};
    int64_t n = 0;
    for (int64_t k = 0; k < log->n; k++) {
        all += log->commands[k].seconds;
        n += log->commands[k].n;
    }
    qsort(log->commands, (size_t)log->n, sizeof *log->commands, compare);
    ritz_log("commands: '%s' ran %lld commands in %.3f of the %.3f ms that it was open; by kernel or buffer, and size:",
             device->info.name, (long long)n, 1e3 * all, 1e3 * (ritz_seconds() - log->opened));
    for (int64_t k = 0; k < ritz_min64(log->n, MOST_TOLD); k++) {
        char size[64];
        write_size(&log->commands[k], size, sizeof size);
        tell_row(&log->commands[k], all, size);
    }
    for (int64_t k = MOST_TOLD; k < log->n; k++) {
        rest.seconds += log->commands[k].seconds;
        rest.n += log->commands[k].n;
    }
    if (rest.n)
        tell_row(&rest, all, "each less than these");
    if (log->n_lost)
        ritz_log("commands: %lld more have no time", (long long)log->n_lost);
}

void ritz_commands_close(ritz_device *device)
{
    ritz_command_log *log = device->commands;
    if (!log)
        return;
    collect(log);
    if (log->n > 0)
        tell(device, log);
    ritz_free(log->commands);
    ritz_free(log);
    device->commands = NULL;
}
