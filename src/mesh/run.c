/* Running another program: its standard output and its messages come through pipes, an interrupt kills it. */
#define _GNU_SOURCE /* pipe2: no other thread's child may inherit the pipes */
#include "mesh/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { INTERRUPT_MS = 50, READ_BYTES = 1 << 16 };

void ritz_run_free(ritz_run *run)
{
    ritz_free(run->output);
    ritz_free(run->errors);
    *run = (ritz_run){0};
}

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

/* Ends beyond the standard streams, whatever of those the host has closed. */
static bool make_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        close(low[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/* Standard input is empty. The program leads a process group of its own, so that Ctrl-C in a terminal reaches only us,
   and starts with no signal blocked or ignored. Returns 0 or an errno. */
static int start_program(char *const *arguments, int output, int errors, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    error = error ? error : posix_spawn(pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Takes what is there; *open becomes false at the end of the pipe. */
static ritz_status take_output(int descriptor, char **data, int64_t *n, int64_t *capacity, bool *open)
{
    ritz_status status = RITZ_OK;
    if (*n + READ_BYTES + 1 > *capacity) {
        const int64_t wanted = 2 * *capacity + READ_BYTES + 1;
        RITZ_RESIZE(*data, wanted);
        *capacity = wanted;
    }
    const ssize_t got = read(descriptor, *data + *n, READ_BYTES);
    *open = got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
    *n += got > 0 ? got : 0;
    (*data)[*n] = 0;
done:
    return status;
}

/* Until both pipes end. Errors beyond the first 64 KiB are thrown away. */
static ritz_status read_pipes(int output, int errors, ritz_run *run)
{
    ritz_status status = RITZ_OK;
    int64_t output_capacity = 0, errors_capacity = 0;
    struct pollfd ends[2] = {{.fd = output, .events = POLLIN}, {.fd = errors, .events = POLLIN}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        bool open = true;
        RITZ_TRY(ritz_check_interrupt());
        if (poll(ends, 2, INTERRUPT_MS) <= 0)
            continue;
        if (ends[0].revents)
            RITZ_TRY(take_output(output, &run->output, &run->n_output, &output_capacity, &open));
        ends[0].fd = open ? ends[0].fd : -1;
        open = true;
        if (ends[1].revents)
            RITZ_TRY(take_output(errors, &run->errors, &run->n_errors, &errors_capacity, &open));
        ends[1].fd = open ? ends[1].fd : -1;
        run->n_errors = ritz_min64(run->n_errors, RITZ_MOST_MESSAGES);
        if (run->errors)
            run->errors[run->n_errors] = 0;
    }
done:
    return status;
}

/* A host that ignores SIGCHLD leaves no status to read: what the program wrote has to tell then. */
static void reap_process(pid_t pid, ritz_run *run)
{
    int how = 0;
    pid_t reaped;
    do
        reaped = waitpid(pid, &how, 0);
    while (reaped < 0 && errno == EINTR);
    run->signal = reaped == pid && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    run->exit_status = run->signal ? -1 : reaped == pid ? WEXITSTATUS(how) : run->n_output == 0;
}

ritz_status ritz_run_program(char *const *arguments, ritz_run *run)
{
    ritz_status status = RITZ_OK;
    int output[2] = {-1, -1}, errors[2] = {-1, -1};
    pid_t pid = -1;
    RITZ_REQUIRE(make_pipe(output) && make_pipe(errors), RITZ_ERROR_FILE,
                 "no pipe can be made: %s; close files or programs", strerror(errno));
    const int error = start_program(arguments, output[1], errors[1], &pid);
    RITZ_REQUIRE(error == 0, RITZ_ERROR_FILE, "%s cannot be started: %s", arguments[0], strerror(error));
    close(output[1]);
    close(errors[1]);
    output[1] = errors[1] = -1;
    status = read_pipes(output[0], errors[0], run);
    if (status)
        kill(pid, SIGKILL);
    reap_process(pid, run);
done:
    close_pipe(output);
    close_pipe(errors);
    return status;
}
