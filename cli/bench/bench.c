/* `ritz bench`: finds the benchmark and calls it. */
#include "bench/bench.h"

#include "base/base.h"

#include <string.h>

static const struct {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *summary;
} benchmarks[] = {
    {"higher-order", ritz_bench_higher_order, "all methods of integration, orders 1 to 7: stage times, rates, errors"},
    {"first-order", ritz_bench_first_order, "qss, sqs and ssq on the four cases of Banaś et al. (2016): its Table 7"},
    {"tensor", ritz_bench_tensor, "tensor on the four cases of Knepley and Terrel (2013): batches, unrolling, stores"},
    {"spmv", ritz_bench_spmv, "products of all sparse formats: bytes, bandwidth, errors, padding"},
    {"pcg", ritz_bench_pcg, "conjugate gradients with all preconditioners: iterations, times, true residuals"},
};
enum { N_BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static void print_help(FILE *to)
{
    fprintf(to, "Usage: ritz bench BENCHMARK [OPTION]...\n"
                "Measures what is published and what was added, side by side, with the error beside each figure.\n\n"
                "Benchmarks:\n");
    for (int b = 0; b < N_BENCHMARKS; b++)
        fprintf(to, "  %-14s %s\n", benchmarks[b].name, benchmarks[b].summary);
    fprintf(to, "\n'ritz bench BENCHMARK --help' shows its options.\n\n"
                "Example: ritz bench higher-order --orders 2-4\n");
}

int ritz_command_bench(int argc, char **argv)
{
    const char *names[N_BENCHMARKS], *name = argc > 1 ? argv[1] : NULL;
    int number = 0;
    if (!name) {
        fputs("ritz bench: a benchmark is missing\n\n", stderr);
        print_help(stderr);
        return RITZ_EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return RITZ_EXIT_DONE;
    }
    for (int b = 0; b < N_BENCHMARKS; b++)
        names[b] = benchmarks[b].name;
    if (ritz_find_name(&(ritz_name_table){.what = "benchmark", .names = names, .n = N_BENCHMARKS}, name, &number))
        return ritz_cli_usage("bench", "%s", ritz_message());
    static char full_name[64]; /* what getopt_long puts before its messages */
    snprintf(full_name, sizeof full_name, "ritz bench %s", name);
    argv[1] = full_name;
    return benchmarks[number].function(argc - 1, argv + 1);
}
