/* The signals of the process, around calls of a driver. LLVM, which PoCL compiles with, takes all of them when it first
   starts and never gives them back: a second signal that comes while it passes on the first then ends the process. */
#include "device/opencl.h"

#include <pthread.h>
#include <signal.h>

enum { N_SIGNALS = 32 }; /* without those of real time */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct sigaction action[N_SIGNALS]; /* by number */
    bool is_known[N_SIGNALS];
} kept; /* before the first of the calls that are under way */
static int n_calls;

void ritz_keep_signals(void)
{
    pthread_mutex_lock(&lock);
    for (int n = 1; n < N_SIGNALS && n_calls == 0; n++)
        kept.is_known[n] = sigaction(n, NULL, &kept.action[n]) == 0;
    n_calls++;
    pthread_mutex_unlock(&lock);
}

void ritz_give_back_signals(void)
{
    pthread_mutex_lock(&lock);
    n_calls--;
    for (int n = 1; n < N_SIGNALS && n_calls == 0; n++) {
        struct sigaction now;
        if (kept.is_known[n] && sigaction(n, NULL, &now) == 0 && now.sa_handler != kept.action[n].sa_handler)
            sigaction(n, &kept.action[n], NULL);
    }
    pthread_mutex_unlock(&lock);
}
