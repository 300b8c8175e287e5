/* What the benchmarks of `ritz bench` share: the options that all have, the loop over options, the head of the report. */
#ifndef RITZ_CLI_BENCH_H
#define RITZ_CLI_BENCH_H

#include "cli.h"

#include "ritz/device.h"

#include <getopt.h>

/* Each in a file of its name. */
int ritz_bench_higher_order(int argc, char **argv);
int ritz_bench_spmv(int argc, char **argv);
int ritz_bench_pcg(int argc, char **argv);

/* Options of all benchmarks. */
typedef struct ritz_bench_common {
    const char *device;
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
/* How much of what was to be measured was, and how much of it failed. */
void ritz_bench_json_progress(ritz_json *json, int64_t n_runs, int64_t n_expected, int64_t n_failed);

#endif
