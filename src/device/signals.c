/* The signals of the process, around calls of a driver. LLVM, which PoCL compiles with, takes all of them when it first
   starts and never gives them back: a second signal that comes while it passes on the first then ends the process. */
#include "device/opencl.h"

void ritz_keep_signals(ritz_kept_signals *kept)
{
    for (int n = 1; n < RITZ_N_SIGNALS; n++)
        kept->is_known[n] = sigaction(n, NULL, &kept->action[n]) == 0;
}

void ritz_give_back_signals(const ritz_kept_signals *kept)
{
    for (int n = 1; n < RITZ_N_SIGNALS; n++) {
        struct sigaction now;
        if (kept->is_known[n] && sigaction(n, NULL, &now) == 0 && now.sa_handler != kept->action[n].sa_handler)
            sigaction(n, &kept->action[n], NULL);
    }
}
