/* What the subcommands share: messages, exit statuses, signals, progress and JSON.

   A subcommand is `int ritz_command_NAME(int argc, char **argv)` in cli/NAME.c, called with argv[0] = "ritz NAME", and
   one line of the table in cli/main.c. It returns RITZ_EXIT_DONE, RITZ_EXIT_FAILED or RITZ_EXIT_USAGE. */
#ifndef RITZ_CLI_H
#define RITZ_CLI_H

#include "ritz/base.h"
#include "ritz/solve.h"

#include <stdbool.h>
#include <stdio.h>

enum { RITZ_EXIT_DONE = 0, RITZ_EXIT_FAILED = 1, RITZ_EXIT_USAGE = 2 };

int ritz_command_bench(int argc, char **argv);
int ritz_command_compile(int argc, char **argv);
int ritz_command_convert(int argc, char **argv);
int ritz_command_devices(int argc, char **argv);
int ritz_command_integrate(int argc, char **argv);
int ritz_command_materials(int argc, char **argv);
int ritz_command_picture(int argc, char **argv);
int ritz_command_predict(int argc, char **argv);
int ritz_command_report(int argc, char **argv);
int ritz_command_solve(int argc, char **argv);
int ritz_command_tune(int argc, char **argv);

/* Prints the library's message as `ritz: error: ...` on stderr; returns RITZ_EXIT_FAILED. */
int ritz_cli_failed(void);
/* The last message of these two. */
const char *ritz_cli_failure(void);
/* Prints `ritz COMMAND: ...` (printf format) and where the help is; returns RITZ_EXIT_USAGE. With format NULL only the
   latter: getopt_long has printed what was wrong. */
int ritz_cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A file that the command is to write: if it fails before ritz_cli_output_written, the file of an earlier run is put aside
   (see ritz_earlier_watch) and the message says so. One at a time. */
ritz_status ritz_cli_watch_output(const char *path);
void ritz_cli_output_written(void);
/* The whole text as a number; false if it is none. */
bool ritz_cli_read_integer(const char *text, int64_t least, int64_t most, int64_t *number);
/* The value of the option --name, from getopt's optarg: RITZ_EXIT_DONE, or ritz_cli_usage with the bounds. */
int ritz_cli_take_integer(const char *command, const char *name, int64_t least, int64_t most, int64_t *number);
/* A time in seconds, "90", "60s", "20m" or "2h", likewise. */
int ritz_cli_take_time(const char *command, const char *name, double *seconds);
/* Of --distort: a number from 0 to 0.4. */
int ritz_cli_take_distort(const char *command, const char *text, double *distort);
bool ritz_cli_read_number(const char *text, double *number);

/* python.c: becomes `python -m MODULE` with the same arguments; returns only where it cannot start: `what` needs Python. */
int ritz_cli_run_python(int argc, char **argv, const char *module, const char *what);
/* --help alone. */
bool ritz_cli_wants_help(int argc, char **argv);

/* RITZ_LOG=info: the library's decisions as lines on stderr; commands: the times of what the device ran. RITZ_EXIT_DONE, or
   RITZ_EXIT_USAGE on another value. */
int ritz_cli_set_log(void);
/* A line a stage on stderr while work goes on, if stderr is a terminal; ritz_cli_end_progress wipes it. */
void ritz_cli_show_progress(void);
void ritz_cli_end_progress(void);
/* From here on the library's notes go to stderr: kernels whose build took longer than a second. */
void ritz_cli_show_notes(void);
/* Stands before the stage, "" at first: "prism p=3 lanes: ". */
void ritz_cli_set_progress_prefix(const char *prefix);

/* SIGINT, SIGTERM and SIGHUP: the first asks the library to stop; if it has not within the grace (0.8 s, unless
   ritz_cli_set_grace says otherwise), or at the second one, temporary files are removed and the process ends. A limit
   on the size of files makes writes fail. */
void ritz_cli_handle_signals(void);
void ritz_cli_set_grace(int seconds);
/* The signal that asked to stop, 0 if none. */
int ritz_cli_signal(void);

/* With --json among the words of the command line, one object goes to standard output whatever happens. What a command
   does not print itself is made of the last failure, at the end of the program or when a signal ends it. */
void ritz_cli_want_json(const char *command);
/* The command whose object is still missing, NULL if none is. Safe in a signal handler. */
const char *ritz_cli_json_wanted(void);
void ritz_cli_end_json(int exit_status);

/* Writes one JSON value piece by piece. `key` is NULL inside arrays and for the outermost value. */
typedef struct ritz_json {
    FILE *file;
    bool needs_comma;
    int depth;
} ritz_json;
void ritz_json_open(ritz_json *json, const char *key, char bracket);     /* '{' or '[' */
void ritz_json_close(ritz_json *json, char bracket);                     /* '}' or ']'; a newline after the outermost */
void ritz_json_text(ritz_json *json, const char *key, const char *text); /* null for NULL */
void ritz_json_number(ritz_json *json, const char *key, double number); /* all 17 digits; null for NaN and infinities */
void ritz_json_integer(ritz_json *json, const char *key, int64_t number);
void ritz_json_raw(ritz_json *json, const char *key, const char *value); /* JSON as it is */
void ritz_json_bool(ritz_json *json, const char *key, bool value);
/* "history": every stride-th residual [n] from the start on. */
void ritz_json_history(ritz_json *json, int32_t stride, int32_t n, const double *residuals);
/* "operator_complexity" and "levels" of multigrid; nothing of others. */
void ritz_json_levels(ritz_json *json, const ritz_solve_report *report);

#endif
