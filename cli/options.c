/* Messages, numbers, log, progress and signals of the program. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static bool progress_shown; /* a line without newline stands on the terminal */

int ritz_cli_failed(void)
{
    ritz_cli_end_progress();
    fprintf(stderr, "ritz: error: %s\n", ritz_message());
    return RITZ_EXIT_FAILED;
}

int ritz_cli_usage(const char *command, const char *format, ...)
{
    if (format) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(stderr, "ritz %s: ", command);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
        va_end(arguments);
    }
    fprintf(stderr, "'ritz %s --help' tells how it is used\n", command);
    return RITZ_EXIT_USAGE;
}

bool ritz_cli_read_integer(const char *text, int64_t least, int64_t most, int64_t *number)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || value < least || value > most)
        return false;
    *number = value;
    return true;
}

int ritz_cli_take_integer(const char *command, const char *name, int64_t least, int64_t most, int64_t *number)
{
    if (ritz_cli_read_integer(optarg, least, most, number))
        return RITZ_EXIT_DONE;
    return ritz_cli_usage(command, "--%s takes a whole number from %lld to %lld, not '%s'", name, (long long)least,
                          (long long)most, optarg);
}

bool ritz_cli_read_number(const char *text, double *number)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return false;
    *number = value;
    return true;
}

static void print_log(const char *line, void *context)
{
    (void)context;
    ritz_cli_end_progress();
    fprintf(stderr, "ritz: %s\n", line);
}

int ritz_cli_set_log(void)
{
    const char *level = getenv("RITZ_LOG");
    if (!level || !*level)
        return RITZ_EXIT_DONE;
    if (strcmp(level, "info") != 0) {
        fprintf(stderr, "ritz: RITZ_LOG is '%s'; it takes info, or nothing\n", level);
        return RITZ_EXIT_USAGE;
    }
    ritz_set_log(print_log, NULL);
    return RITZ_EXIT_DONE;
}

static char progress_prefix[96];

void ritz_cli_set_progress_prefix(const char *prefix)
{
    snprintf(progress_prefix, sizeof progress_prefix, "%s", prefix);
}

static void print_progress(const char *stage, double fraction, void *context)
{
    static char last[192];
    char line[192];
    (void)context;
    snprintf(line, sizeof line, "%s%s %3.0f %%", progress_prefix, stage, 100 * fraction);
    if (progress_shown && strcmp(line, last) == 0)
        return;
    memcpy(last, line, sizeof last);
    fprintf(stderr, "\r\033[K%s", line);
    progress_shown = true;
}

void ritz_cli_show_progress(void)
{
    if (isatty(STDERR_FILENO))
        ritz_set_progress(print_progress, NULL);
}

void ritz_cli_end_progress(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
}

static volatile sig_atomic_t received;
static volatile sig_atomic_t grace; /* seconds; 0: 0.8 of one */

void ritz_cli_set_grace(int seconds)
{
    grace = seconds;
}

/* Async-signal-safe throughout. */
static void leave(int signal_number)
{
    static const char text[] = "\nritz: error: interrupted; nothing was written\n";
    (void)signal_number;
    ritz_remove_temporaries();
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* there is nobody else to tell */
    _exit(128 + received);
}

static void ask_to_stop(int signal_number)
{
    if (received)
        leave(signal_number);
    received = signal_number;
    ritz_interrupt();
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = grace, .tv_usec = grace ? 0 : 800000}}, NULL);
}

void ritz_cli_handle_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = leave;
    sigaction(SIGALRM, &action, NULL);
}

int ritz_cli_signal(void)
{
    return received;
}
