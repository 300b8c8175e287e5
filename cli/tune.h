/* `ritz tune` in parts: options and loop (cli/tune.c), one case (cli/tune_case.c), products (cli/tune_products.c), the
   report (cli/tune_report.c). */
#ifndef RITZ_CLI_TUNE_H
#define RITZ_CLI_TUNE_H

#include "bench/lists.h"
#include "integrate.h"
#include "measure/search.h"
#include "measure/trial.h"
#include "measure/tuned_rows.h"

typedef struct ritz_tune_arguments {
    bool cells[RITZ_N_CELLS], orders[RITZ_MAX_ORDER + 1], precisions[2]; /* precisions: f32, f64 */
    char forms[RITZ_CLI_MAX_FORMS][RITZ_CLI_FORM_NAME];
    int n_forms;
    const ritz_method *methods[RITZ_CLI_MAX_METHODS];
    int n_methods;
    const char *data[RITZ_CLI_MAX_TEXTS]; /* "name=value", for the forms that have such data */
    int n_data;
    double budget, limit; /* seconds: for all cases; for a trial. 0: not given */
    double distort;
    int64_t elements, seed, repeat; /* 0: chosen */
    bool all, products, export, exhaustive, again, measure, json;
    const char *device, *record;
} ritz_tune_arguments;

/* What is the same for all cases. The device is known by what a process of its own told of it: this one never opens it,
   and runs on one thread, so that trials can be copies of it. */
typedef struct ritz_tuner {
    const ritz_tune_arguments *a;
    ritz_device_info info;
    ritz_device_ceilings ceilings;
    char when[32]; /* the ceilings were measured */
    int threads;   /* that trials use */
    char *rows;    /* of the tuning file, as they stand; what is found goes to the file at once where `keeps` */
    bool keeps;
} ritz_tuner;
/* RITZ_ERROR_DEVICE: there is no such device. */
ritz_status ritz_tuner_start(const ritz_tune_arguments *arguments, bool keeps, ritz_tuner *tuner);
void ritz_tuner_clear(ritz_tuner *tuner);
/* Replaces the rows, and the file where the tuner keeps what it finds; `rows` is the tuner's from then on. */
ritz_status ritz_tuner_keep(ritz_tuner *tuner, char *rows);

/* A case and what was found for it. */
typedef struct ritz_tune_case {
    ritz_cell cell;
    int order;
    const char *form;
    ritz_precision precision;
    ritz_case the_case;
    int64_t elements;
    double seconds;            /* the search took */
    ritz_search search;        /* its context and mesh are gone when the search is over */
    const ritz_method *before; /* what auto takes without tuning */
    const ritz_method *picked; /* what the model alone would take: of the plans' own, the least predicted time */
    char skipped[512];         /* why there was no search; "" where there was one */
} ritz_tune_case;
/* Searches; what is wrong with the case stands in it, the status is not RITZ_OK where the tuner can not go on. */
ritz_status ritz_tune_one(ritz_tuner *tuner, double budget, ritz_tune_case *c);
void ritz_tune_case_clear(ritz_tune_case *c);

/* One method alone: with the parameters that stand in the tuning file, tried anew, or by a search. */
ritz_status ritz_tune_method(ritz_tuner *tuner, const ritz_method *method, double budget, ritz_tune_case *c);

/* "tet poisson p=1 f64". */
void ritz_tune_case_words(const ritz_tune_case *c, char *text, size_t size);
void ritz_tune_print_case(FILE *file, const ritz_tune_case *c);
void ritz_tune_json_case(ritz_json *json, const ritz_tune_case *c);

/* Constants of products and of the solver; told as they are found. json: the array of them, NULL for lines. */
ritz_status ritz_tune_products(ritz_tuner *tuner, double budget, ritz_json *json);

#endif
