/* A function in a process of its own, so that its crash or endless loop is that process's alone. */
#ifndef RITZ_SRC_ISOLATE_H
#define RITZ_SRC_ISOLATE_H

#include "base/base.h"

/* Fills result, which starts as zeros; what it prints is thrown away. */
typedef void ritz_isolated_function(void *context, void *result);

typedef enum ritz_isolated_end {
    RITZ_ISOLATED_DONE = 0,
    RITZ_ISOLATED_CRASHED,
    RITZ_ISOLATED_TOO_LONG
} ritz_isolated_end;

/* Calls the function in a copy of this process and brings `bytes` of its result back. *end tells where it gave none:
   something ended the copy, or it took longer than `seconds`; reason[256] says it in words. This process must have started
   no threads that the function needs, nor called OpenCL: neither outlives the copy. RITZ_INTERRUPTED: the copy was
   ended. */
ritz_status ritz_isolate(ritz_isolated_function *function, void *context, double seconds, void *result, int64_t bytes,
                         ritz_isolated_end *end, char reason[256]);

enum { RITZ_ISOLATED_MOST = 32 };
/* Calls the function once for each of n contexts (RITZ_ISOLATED_MOST at most), each in a copy of its own and all at once, for what it does to files:
   no result comes back, and it does not matter how they end. */
ritz_status ritz_isolate_all(ritz_isolated_function *function, void *const *contexts, int n, double seconds);

#endif
