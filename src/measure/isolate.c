/* A function in a process of its own: its result comes through a pipe, its end or the end of its time is waited for. */
#define _GNU_SOURCE /* pipe2 */
#include "measure/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTERRUPT_MS = 50 };

/* The copy: it leads a process group of its own, with whatever compilers a driver starts, and ends when we do. */
static _Noreturn void run_child(ritz_isolated_function *function, void *context, void *result, int64_t bytes, int to)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* a caller's standard streams may be closed, and the pipe have taken their numbers */
    to = fcntl(to, F_DUPFD_CLOEXEC, 3);
    const int nothing = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; stream++)
        dup2(nothing, stream);
    for (int n = SIGHUP; n <= SIGTERM; n++)
        if (n != SIGKILL && n != SIGPIPE)
            signal(n, SIG_DFL);
    if (bytes > 0)
        memset(result, 0, (size_t)bytes);
    function(context, result);
    for (int64_t done = 0; done < bytes;) {
        const ssize_t n = write(to, (char *)result + done, (size_t)(bytes - done));
        if (n <= 0 && errno != EINTR)
            _exit(1);
        done += n > 0 ? n : 0;
    }
    _exit(0);
}

/* Reads until the pipe ends, the time is over, or an interrupt comes; how many bytes came. */
static ritz_status read_pipe(int from, double seconds, char *result, int64_t bytes, int64_t *n, bool *in_time)
{
    ritz_status status = RITZ_OK;
    const double start = ritz_seconds();
    struct pollfd input = {.fd = from, .events = POLLIN};
    *n = 0;
    *in_time = true;
    for (;;) {
        RITZ_TRY(ritz_check_interrupt());
        const double left = seconds - (ritz_seconds() - start);
        *in_time = left > 0;
        if (!*in_time)
            break;
        if (poll(&input, 1, 1e3 * left < INTERRUPT_MS ? (int)(1e3 * left) + 1 : INTERRUPT_MS) <= 0)
            continue;
        char last;
        const ssize_t got = read(from, bytes > 0 ? result + *n : &last, bytes > 0 ? (size_t)(bytes - *n) : 1);
        if (got < 0 && errno == EINTR)
            continue;
        *n += got > 0 ? got : 0;
        if (got <= 0 || *n == bytes)
            break; /* without a result the pipe ends with the copy */
    }
done:
    return status;
}

static void describe_end(int how, bool in_time, double seconds, char reason[256])
{
    if (!in_time)
        snprintf(reason, 256, "it took longer than %.3g s", seconds);
    else if (WIFSIGNALED(how))
        snprintf(reason, 256, "it crashed: signal %d, %s", WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
        snprintf(reason, 256, "its process ended with status %d", WIFEXITED(how) ? WEXITSTATUS(how) : -1);
}

/* A copy at work. */
typedef struct child {
    pid_t pid;
    int from; /* the pipe's end that its result comes out of */
} child;

static ritz_status start_child(ritz_isolated_function *function, void *context, void *result, int64_t bytes, child *c)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ritz_fail(RITZ_ERROR_MEMORY, "no pipe for another process: %s", strerror(errno));
    fflush(NULL); /* or the copy would print it again */
    c->pid = fork();
    if (c->pid == 0)
        run_child(function, context, result, bytes, ends[1]);
    const int why = errno;
    close(ends[1]);
    c->from = ends[0];
    if (c->pid < 0) {
        close(ends[0]);
        return ritz_fail(RITZ_ERROR_MEMORY, "no other process can be started: %s", strerror(why));
    }
    setpgid(c->pid, c->pid); /* also here, because either process may be first */
    return RITZ_OK;
}

/* Ends with the copy, which is killed where it is not done in time; how many bytes of its result came, and how it ended. */
static ritz_status await_child(const child *c, double seconds, void *result, int64_t bytes, int64_t *n, bool *in_time,
                               int *how)
{
    const ritz_status status = read_pipe(c->from, seconds, result, bytes, n, in_time);
    if (status != RITZ_OK || !*in_time)
        kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, how, 0) < 0 && errno == EINTR)
        ;
    close(c->from);
    return status;
}

ritz_status ritz_isolate(ritz_isolated_function *function, void *context, double seconds, void *result, int64_t bytes,
                         ritz_isolated_end *end, char reason[256])
{
    ritz_status status = RITZ_OK;
    child c;
    int how = 0;
    int64_t n = 0;
    bool in_time = true;
    *reason = '\0';
    *end = RITZ_ISOLATED_CRASHED;
    RITZ_TRY(start_child(function, context, result, bytes, &c));
    status = await_child(&c, seconds, result, bytes, &n, &in_time, &how);
    *end = status == RITZ_OK && n == bytes ? RITZ_ISOLATED_DONE
           : in_time                       ? RITZ_ISOLATED_CRASHED
                                           : RITZ_ISOLATED_TOO_LONG;
    if (*end != RITZ_ISOLATED_DONE)
        describe_end(how, in_time, seconds, reason);
done:
    return status;
}

ritz_status ritz_isolate_all(ritz_isolated_function *function, void *const *contexts, int n, double seconds)
{
    ritz_status status = RITZ_OK, ended;
    child children[RITZ_ISOLATED_MOST];
    const double start = ritz_seconds();
    int n_started = 0;
    while (n_started < n && n_started < RITZ_ISOLATED_MOST && status == RITZ_OK) {
        status = start_child(function, contexts[n_started], NULL, 0, &children[n_started]);
        n_started += status == RITZ_OK;
    }
    for (int k = 0; k < n_started; k++) {
        int64_t none;
        int how;
        bool in_time;
        const double left = status == RITZ_OK ? seconds - (ritz_seconds() - start) : 0;
        ended = await_child(&children[k], left, NULL, 0, &none, &in_time, &how);
        status = status == RITZ_OK ? ended : status;
    }
    return status;
}
