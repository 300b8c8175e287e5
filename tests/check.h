/* What tests on a device share: calls that must succeed, and the device itself (RITZ_TEST_DEVICE chooses it). */
#ifndef RITZ_TEST_CHECK_H
#define RITZ_TEST_CHECK_H

#include "ritz/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The call must return RITZ_OK; its message is told otherwise. */
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != RITZ_OK)                                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)

/* The last message has these words. */
static inline void says(const char *words)
{
    if (!strstr(ritz_message(), words))
        fail_msg("\"%s\" does not say \"%s\"", ritz_message(), words);
}

static ritz_device *device;

static inline int open_device(void **state)
{
    (void)state;
    if (ritz_device_open(getenv("RITZ_TEST_DEVICE"), &device) == RITZ_OK)
        return 0;
    print_error("%s\n", ritz_message());
    return 1;
}

static inline int close_device(void **state)
{
    (void)state;
    ritz_device_close(&device);
    return 0;
}

/* RITZ_TEST_ALL=1: every combination, where the check takes turns. */
static inline bool wants_all(void)
{
    const char *all = getenv("RITZ_TEST_ALL");
    return all && *all && strcmp(all, "0") != 0;
}

/* RITZ_TEST_ORDER=n: no orders above it, in the place of `most`. */
static inline int highest_order(int most)
{
    const char *order = getenv("RITZ_TEST_ORDER");
    return order ? atoi(order) : most;
}

/* RITZ_TEST_SMALL=1: few and small cases, for simulated devices. */
static inline bool wants_small(void)
{
    return getenv("RITZ_TEST_SMALL") != NULL;
}

#endif
