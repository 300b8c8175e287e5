/* What signals do: the first that asks to stop lets the library end the call. If that takes too long, the process ends at
   once, with nothing unfinished left, and with a JSON object where one was asked for. */
#include "cli.h"

#include "base/base.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t received;
static volatile sig_atomic_t grace; /* seconds; 0: 0.8 of one */

void ritz_cli_set_grace(int seconds)
{
    grace = seconds;
}

int ritz_cli_signal(void)
{
    return received;
}

/* ---- Leaving at once: async-signal-safe throughout ---- */

static void write_text(int descriptor, const char *text, size_t n)
{
    const ssize_t written = write(descriptor, text, n);
    (void)written; /* nothing else can be done */
}

/* A text inside JSON's quotes. */
static void write_escaped(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (const char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        const char code[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
        if (byte < 0x20 || *c == '"' || *c == '\\')
            write_text(STDOUT_FILENO, code, sizeof code);
        else
            write_text(STDOUT_FILENO, c, 1);
    }
}

static void exit_on_signal(int signal_number)
{
    static const char error[] = "\nritz: error: ", why[] = "interrupted; no file is half-written",
                      renamed[] = "; the result of an earlier run is now called ";
    (void)signal_number;
    ritz_remove_temporaries();
    const char *result = ritz_renamed_result(), *command = ritz_cli_json_wanted();
    write_text(STDERR_FILENO, error, sizeof error - 1);
    write_text(STDERR_FILENO, why, sizeof why - 1);
    if (result) {
        write_text(STDERR_FILENO, renamed, sizeof renamed - 1);
        write_text(STDERR_FILENO, result, strlen(result));
    }
    write_text(STDERR_FILENO, "\n", 1);
    if (command) {
        static const char start[] = "{\"command\":\"", middle[] = "\",\"failure\":\"", end[] = "\"}\n";
        write_text(STDOUT_FILENO, start, sizeof start - 1);
        write_escaped(command);
        write_text(STDOUT_FILENO, middle, sizeof middle - 1);
        write_text(STDOUT_FILENO, why, sizeof why - 1);
        if (result) {
            write_text(STDOUT_FILENO, renamed, sizeof renamed - 1);
            write_escaped(result);
        }
        write_text(STDOUT_FILENO, end, sizeof end - 1);
    }
    _exit(128 + received);
}

static void ask_to_stop(int signal_number)
{
    if (received)
        exit_on_signal(signal_number);
    received = signal_number;
    ritz_interrupt();
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = grace, .tv_usec = grace ? 0 : 800000}}, NULL);
}

void ritz_cli_handle_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART}, hangup;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(SIGHUP, &action, NULL);
    action.sa_handler = exit_on_signal;
    sigaction(SIGALRM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write past the limit (ulimit -f) fails like any other */
}
