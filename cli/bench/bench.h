/* What the benchmarks of `ritz bench` share: the options that all have, the loop over options, the head of the report. */
#ifndef RITZ_CLI_BENCH_H
#define RITZ_CLI_BENCH_H

#include "fields.h"

#include "ritz/device.h"

#include <getopt.h>

/* Each in a file of its name. */
int ritz_bench_higher_order(int argc, char **argv);
int ritz_bench_first_order(int argc, char **argv);
int ritz_bench_tensor(int argc, char **argv);
int ritz_bench_spmv(int argc, char **argv);
int ritz_bench_pcg(int argc, char **argv);

/* Options of all benchmarks. */
typedef struct ritz_bench_common {
    const char *device, *record; /* record: where the benchmark has --record; NULL: none */
    bool measure, json;
} ritz_bench_common;
/* The last entries for getopt_long; a benchmark's own options take other letters. */
#define RITZ_BENCH_COMMON_OPTIONS                                                                                      \
    {"device", required_argument, NULL, 'd'}, {"measure", no_argument, NULL, 'a'}, {"json", no_argument, NULL, 'j'},   \
        {"help", no_argument, NULL, 'h'},                                                                              \
    {                                                                                                                  \
        NULL, 0, NULL, 0                                                                                               \
    }

/* A benchmark as ritz_bench_main calls it. The functions return exit statuses; only RITZ_EXIT_DONE goes on. */
typedef struct ritz_bench_command {
    const char *name, *help; /* "bench spmv" */
    const struct option *options;
    int (*take_option)(int option, void *arguments); /* of its own */
    int (*check_arguments)(void *arguments);
    int (*run)(void *arguments);
} ritz_bench_command;
int ritz_bench_main(const ritz_bench_command *bench, int argc, char **argv, ritz_bench_common *common, void *arguments);

/* Where lines and tables go: stdout belongs to the JSON object if there is one. */
static inline FILE *ritz_bench_lines(const ritz_bench_common *common)
{
    return common->json ? stderr : stdout;
}
/* Opens the report's object: command, benchmark, device. */
void ritz_bench_open_json(ritz_json *json, const char *benchmark, const ritz_device_info *device);
/* What a benchmark of many runs has done so far. */
typedef struct ritz_bench_session {
    const ritz_bench_common *common;
    ritz_device *device;
    ritz_device_ceilings ceilings;
    int n_runs, n_expected, n_failed;
} ritz_bench_session;
/* Opens the device and its ceilings. `output`, a file that the benchmark writes at its end, or NULL, is looked at before
   all the work. */
ritz_status ritz_bench_begin(ritz_bench_session *session, const char *output);
/* Counts a run that moved so many GB/s (0: it tells no rate), with ceilings that make sense of its share. */
ritz_status ritz_bench_count(ritz_bench_session *session, bool failed, double rate);
/* Appends the figures of a run to the record's table of this name, if there is a record, with the benchmark, the device, the
   date and the version; they are added to the list. */
ritz_status ritz_bench_keep(const ritz_bench_session *session, const char *table, ritz_cli_fields *figures);
/* The exit status, after the reports on what was done: the JSON object if it is asked for, and tables, which may be NULL.
   A run that failed ends the command with `failure`, and "3 of 8 solves failed". */
typedef void ritz_bench_report(const void *bench, FILE *file);
int ritz_bench_end(const ritz_bench_session *session, ritz_status status, const void *bench,
                   ritz_bench_report *print_json, ritz_bench_report *print_tables, ritz_status failure,
                   const char *what_failed);
/* How much of what was to be measured was, and how much of it failed. */
void ritz_bench_json_progress(ritz_json *json, int64_t n_runs, int64_t n_expected, int64_t n_failed);

#endif
