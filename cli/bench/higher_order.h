/* `ritz bench higher-order`, file by file: options and loop (higher_order.c), one run (higher_order_run.c), lines,
   tables and JSON (higher_order_report.c). */
#ifndef RITZ_CLI_HIGHER_ORDER_H
#define RITZ_CLI_HIGHER_ORDER_H

#include "bench/bench.h"
#include "bench/lists.h"
#include "box_case.h"
#include "plan.h"

enum { RITZ_BENCH_REPEAT = 5 };

/* What is to be measured: every combination. */
typedef struct ritz_bench_arguments {
    bool cells[RITZ_N_CELLS], orders[RITZ_MAX_ORDER + 1], precisions[2]; /* precisions: f32, f64 */
    char forms[RITZ_CLI_MAX_FORMS][RITZ_CLI_FORM_NAME];
    int n_forms;
    const ritz_method *methods[RITZ_CLI_MAX_METHODS];
    int n_methods;
    int64_t elements, repeat, check, max_device_bytes; /* 0: chosen */
    int64_t seed;
    double distort;
    const char *data[RITZ_CLI_MAX_TEXTS]; /* "name=value", for the forms that have such data */
    int n_data;
    const char *record;
    ritz_bench_common common;
} ritz_bench_arguments;

typedef enum ritz_bench_outcome { RITZ_BENCH_GOOD, RITZ_BENCH_FAILED, RITZ_BENCH_SKIPPED } ritz_bench_outcome;

/* One method on one case. */
typedef struct ritz_bench_run {
    ritz_cell cell;
    int order;
    ritz_precision precision;
    const char *form;
    const ritz_method *method;
    ritz_bench_outcome outcome;
    char reason[512];          /* SKIPPED, and FAILED where there are no figures */
    char plan[192];            /* in short */
    ritz_record_field *fields; /* the figures, as 'ritz integrate' tells them; NULL: none */
    int n_fields;
} ritz_bench_run;

typedef struct ritz_bench {
    const ritz_bench_arguments *a;
    ritz_device *device;
    ritz_device_info info; /* of the device, also after it was lost */
    ritz_device_ceilings ceilings;
    char when[32]; /* the ceilings were measured */
    ritz_bench_run *runs;
    int64_t n_runs, n_expected;
    int n_failed;
} ritz_bench;

/* Mesh, space and data for the most elements that a case may take; runs take the first n of them. */
typedef struct ritz_bench_case {
    ritz_box_case on;
    int64_t most_device_bytes; /* 0: the measurement's own bound */
} ritz_bench_case;
/* RITZ_ERROR_INPUT: there is no such case: the form is not for cells of this dimension, the device has no f64. */
ritz_status ritz_bench_case_create(const ritz_bench *bench, ritz_cell cell, int order, const char *form,
                                   ritz_precision precision, ritz_bench_case *the_case);
void ritz_bench_case_clear(ritz_bench_case *the_case);

/* Checks the method on a few elements, chooses how many the device is to be timed with, and times them. What goes
   wrong with the method stands in the run; the status is not RITZ_OK only where the bench can not go on. */
ritz_status ritz_bench_measure(ritz_bench *bench, const ritz_bench_case *the_case, ritz_bench_run *run);

/* The heading above the lines of a cell, form and precision, and the line of a run, at once. */
void ritz_bench_print_heading(const ritz_bench *bench, FILE *file, const ritz_bench_run *run);
void ritz_bench_print_line(const ritz_bench_run *run, FILE *file);
/* After the last run. */
void ritz_bench_print_tables(const ritz_bench *bench);
void ritz_bench_print_json(const ritz_bench *bench);

#endif
