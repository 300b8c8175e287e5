/* What the benchmarks of `ritz bench` share. */
#ifndef RITZ_CLI_BENCH_H
#define RITZ_CLI_BENCH_H

#include "cli.h"

/* Each in a file of its name. */
int ritz_bench_higher_order(int argc, char **argv);
int ritz_bench_spmv(int argc, char **argv);
int ritz_bench_pcg(int argc, char **argv);

#endif
