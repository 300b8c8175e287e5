/* Messages, allocation, logging, progress, interruption. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/base.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MESSAGE_LENGTH = 4096 };

static _Thread_local char message[MESSAGE_LENGTH];

static ritz_log_function *log_function;
static void *log_context;
static ritz_progress_function *progress_function;
static void *progress_context;
static const char *progress_prefix;
static volatile sig_atomic_t interrupted;

static atomic_llong allocations;        /* since the last ritz_fail_allocation */
static atomic_llong failing_allocation; /* 0: none fails */

ritz_status ritz_take_struct(const void *given, void *own, size_t own_size, const char *name)
{
    enum { ABSURD = 1 << 16 };
    size_t size = 0;
    memset(own, 0, own_size);
    if (!given)
        return RITZ_OK;
    memcpy(&size, given, sizeof size);
    if (size == 0)
        size = own_size;
    if (size < sizeof size || size > ABSURD)
        return ritz_fail(RITZ_ERROR_INPUT, "the size of a %s is given as %zu bytes; set it to sizeof(%s), or to 0",
                         name, size, name);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return RITZ_OK;
}

void ritz_give_struct(const void *own, size_t own_size, void *given)
{
    size_t size = 0, known = own_size;
    if (!given)
        return;
    memcpy(&size, given, sizeof size);
    if (size > own_size)
        memset((char *)given + own_size, 0, size - own_size);
    else if (size > 0)
        known = size;
    memcpy((char *)given + sizeof size, (const char *)own + sizeof size, known - sizeof size);
}

ritz_status ritz_check_precision(ritz_precision precision)
{
    if (precision == RITZ_F64 || precision == RITZ_F32)
        return RITZ_OK;
    return ritz_fail(RITZ_ERROR_INPUT, "precision %d does not exist; use RITZ_F64 or RITZ_F32", (int)precision);
}

const char *ritz_version(void)
{
    return RITZ_VERSION;
}

const char *ritz_message(void)
{
    return message;
}

ritz_status ritz_fail(ritz_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

ritz_status ritz_fail_context(ritz_status status, const char *format, ...)
{
    char before[MESSAGE_LENGTH];
    memcpy(before, message, sizeof before);
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (n >= 0 && n < MESSAGE_LENGTH)
        snprintf(message + n, sizeof message - (size_t)n, "%s", before);
    return status;
}

void ritz_add_to_message(const char *format, ...)
{
    const size_t n = strlen(message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + n, sizeof message - n, format, arguments);
    va_end(arguments);
}

/* Whether this allocation is the one that a test wants to fail. */
static bool must_fail(void)
{
    long long n = atomic_fetch_add(&allocations, 1) + 1;
    return n == atomic_load(&failing_allocation);
}

int64_t ritz_fail_allocation(int64_t n)
{
    atomic_store(&failing_allocation, n);
    return atomic_exchange(&allocations, 0);
}

static ritz_status out_of_memory(int64_t count, int64_t size)
{
    return ritz_fail(RITZ_ERROR_MEMORY,
                     "host memory ran out: %.3g MB more were needed; use a coarser mesh or a lower order, or a machine "
                     "with more memory",
                     (double)count * (double)size / 1e6);
}

/* Lets the system map a large array by pages of 2 MB: with those of 4 kB, mapping is a tenth of a large solve. */
static void use_large_pages(void *memory, int64_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { PAGE = 2 << 20 };
    const int64_t before = (int64_t)((PAGE - (uintptr_t)memory % PAGE) % PAGE), length = (bytes - before) / PAGE * PAGE;
    if (length > 0)
        /* a system without them goes on as before */
        (void)madvise((char *)memory + before, (size_t)length, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

ritz_status ritz_allocate(void **memory, int64_t count, int64_t size)
{
    if (count < 0 || (count > 0 && count > INT64_MAX / size))
        return out_of_memory(count, size);
    void *fresh = must_fail() ? NULL : calloc((size_t)ritz_max64(count, 1), (size_t)size);
    if (!fresh)
        return out_of_memory(count, size);
    use_large_pages(fresh, count * size);
    *memory = fresh;
    return RITZ_OK;
}

ritz_status ritz_reallocate(void **memory, int64_t count, int64_t size)
{
    if (count < 0 || (count > 0 && count > INT64_MAX / size))
        return out_of_memory(count, size);
    void *moved = must_fail() ? NULL : realloc(*memory, (size_t)(ritz_max64(count, 1) * size));
    if (!moved)
        return out_of_memory(count, size);
    *memory = moved;
    return RITZ_OK;
}

void ritz_free(void *memory)
{
    free(memory);
}

int64_t ritz_find_not_finite(int64_t n, const double *values)
{
    int64_t first = n;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < n; i++)
        first = !isfinite(values[i]) && i < first ? i : first;
    return first;
}

void ritz_set_log(ritz_log_function *log, void *context)
{
    log_function = log;
    log_context = context;
}

bool ritz_logs(void)
{
    return log_function != NULL;
}

void ritz_log(const char *format, ...)
{
    if (!log_function)
        return;
    char line[MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log_function(line, log_context);
}

void ritz_set_progress(ritz_progress_function *progress, void *context)
{
    progress_function = progress;
    progress_context = context;
}

void ritz_progress(const char *stage, double fraction)
{
    char whole[160];
    if (progress_function && progress_prefix) {
        snprintf(whole, sizeof whole, "%s%s", progress_prefix, stage);
        stage = whole;
    }
    if (progress_function)
        progress_function(stage, fraction, progress_context);
}

void ritz_progress_prefix(const char *prefix)
{
    progress_prefix = prefix;
}

void ritz_interrupt(void)
{
    interrupted = 1;
}

bool ritz_is_interrupted(void)
{
    return interrupted != 0;
}

void ritz_clear_interrupt(void)
{
    interrupted = 0;
}

ritz_status ritz_check_interrupt(void)
{
    return interrupted ? ritz_fail(RITZ_INTERRUPTED, "interrupted; no file is half-written") : RITZ_OK;
}
