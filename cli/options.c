/* Messages, numbers, log and progress of the program. */
#include "cli.h"

#include "base/fresh.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool progress_shown; /* a line without newline stands on the terminal */
static char failure[4096];  /* what was printed last of what went wrong */
static ritz_earlier earlier;

ritz_status ritz_cli_watch_output(const char *path)
{
    return ritz_earlier_watch(path, &earlier);
}

void ritz_cli_output_written(void)
{
    ritz_earlier_forget(&earlier);
}

/* Puts the watched file of an earlier run aside, and adds that to the message. */
static void put_output_aside(void)
{
    char *aside = NULL;
    const size_t message = strlen(ritz_message()), n = strlen(failure);
    ritz_earlier_put_aside(&earlier, &aside);
    snprintf(failure + n, sizeof failure - n, "%s", ritz_message() + message);
    ritz_free(aside);
}

int ritz_cli_failed(void)
{
    ritz_cli_end_progress();
    snprintf(failure, sizeof failure, "%s", ritz_message());
    put_output_aside();
    fflush(stdout); /* what it is about comes first where both go to one file */
    fprintf(stderr, "ritz: error: %s\n", failure);
    return RITZ_EXIT_FAILED;
}

const char *ritz_cli_failure(void)
{
    return *failure ? failure : "wrong usage; standard error has the details";
}

int ritz_cli_usage(const char *command, const char *format, ...)
{
    if (format) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(failure, sizeof failure, format, arguments);
        va_end(arguments);
        put_output_aside();
        fprintf(stderr, "ritz %s: %s\n", command, failure);
    }
    fprintf(stderr, "try 'ritz %s --help'\n", command);
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

int ritz_cli_take_distort(const char *command, const char *text, double *distort)
{
    if (!ritz_cli_read_number(text, distort) || *distort < 0 || *distort > 0.4)
        return ritz_cli_usage(command, "--distort takes a number from 0 to 0.4, not '%s'", text);
    return RITZ_EXIT_DONE;
}

int ritz_cli_take_time(const char *command, const char *name, double *seconds)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    char number[32];
    const size_t length = strlen(optarg);
    double factor = 1;
    snprintf(number, sizeof number, "%s", optarg);
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
        if (length > 1 && length < sizeof number && number[length - 1] == units[u].unit) {
            number[length - 1] = '\0';
            factor = units[u].seconds;
        }
    if (!ritz_cli_read_number(number, seconds) || !(*seconds > 0))
        return ritz_cli_usage(command, "--%s takes a time like 60s, 20m or 2h, not '%s'", name, optarg);
    *seconds *= factor;
    return RITZ_EXIT_DONE;
}

bool ritz_cli_read_number(const char *text, double *number)
{
    char *end;
    if (text[strspn(text, "+-.0123456789eE")]) /* hexadecimal ones in a --budget of 0x10s are no times */
        return false;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return false;
    *number = value;
    return true;
}

static bool log_all, log_notes; /* warnings are printed always */

static bool begins_with(const char *line, const char *begin)
{
    return strncmp(line, begin, strlen(begin)) == 0;
}

static void print_log(const char *line, void *context)
{
    (void)context;
    if (!log_all && !begins_with(line, "warning: ") && !begins_with(line, "commands: ") &&
        !(log_notes && begins_with(line, "note: ")))
        return;
    ritz_cli_end_progress();
    fprintf(stderr, "ritz: %s\n", line);
}

void ritz_cli_show_notes(void)
{
    log_notes = true;
}

int ritz_cli_set_log(void)
{
    const char *wanted = getenv("RITZ_LOG");
    ritz_set_log(print_log, NULL);
    if (!wanted || !*wanted)
        return RITZ_EXIT_DONE;
    if (strcmp(wanted, "commands") == 0) /* the device looks for it, too */
        return RITZ_EXIT_DONE;
    if (strcmp(wanted, "info") != 0) {
        fprintf(stderr, "ritz: RITZ_LOG is '%s'; set it to info or commands, or leave it unset\n", wanted);
        return RITZ_EXIT_USAGE;
    }
    log_all = true;
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
    if (fraction < 0)
        snprintf(line, sizeof line, "%s%s", progress_prefix, stage);
    else
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
