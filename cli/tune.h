/* `ritz tune`, file by file: options and loop (cli/tune.c), one case (cli/tune_case.c), products (cli/tune_products.c),
   the report (cli/tune_report.c), what auto takes beside the best (cli/tune_verify.c). */
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
    ritz_element_result result;
    int64_t elements, seed, repeat; /* 0: chosen */
    bool all, products, export, exhaustive, verify, again, measure, json;
    const char *device, *record;
} ritz_tune_arguments;

/* What is the same for all cases. A process of its own describes the device: this one never opens it,
   and runs on one thread, so that trials can be copies of it. */
typedef struct ritz_tuner {
    const ritz_tune_arguments *a;
    ritz_device_info info;
    ritz_device_ceilings ceilings;
    char when[32]; /* the ceilings were measured */
    int threads;   /* that trials use */
    char *rows;    /* of the tuning file, when it was last read; what is found goes to the file at once where `keeps` */
    bool keeps;
} ritz_tuner;
/* What a tuner does with the tuning file. */
typedef enum ritz_tuner_use {
    RITZ_TUNER_READS, /* where there is one */
    RITZ_TUNER_KEEPS, /* writes what it finds: one that cannot be written is an error before the work, not after it */
    RITZ_TUNER_PRINTS /* it has to be there; of the device only the name counts, and nothing is measured */
} ritz_tuner_use;
/* RITZ_ERROR_DEVICE: there is no such device. */
ritz_status ritz_tuner_start(const ritz_tune_arguments *arguments, ritz_tuner_use use, ritz_tuner *tuner);
void ritz_tuner_clear(ritz_tuner *tuner);
/* Changes the rows: where the tuner keeps what it finds those of the file as they are now, else its own. */
ritz_status ritz_tuner_keep(ritz_tuner *tuner, ritz_tuning_changer *change, void *context);

/* What is taken of a case. */
typedef enum ritz_tune_pick {
    RITZ_PICK_BEST = 0,
    RITZ_PICK_AUTO,   /* by auto from now on */
    RITZ_PICK_BEFORE, /* by auto without the user's file: what is shipped and built in */
    RITZ_PICK_MODEL,  /* by the model alone: of the plans' own choices, the least predicted time */
    RITZ_N_PICKS
} ritz_tune_pick;

/* What the seconds of a case go to. */
typedef enum ritz_tune_part {
    RITZ_TUNE_INPUT = 0, /* mesh, data, the reference of the sample */
    RITZ_TUNE_SEARCH,
    RITZ_TUNE_TURNS, /* the best side by side */
    RITZ_TUNE_VERIFY,
    RITZ_N_TUNE_PARTS
} ritz_tune_part;

/* A case and what was found for it. */
typedef struct ritz_tune_case {
    ritz_cell cell;
    int order;
    const char *form;
    ritz_precision precision;
    ritz_case the_case;
    int64_t elements;
    double seconds;                          /* all of it took */
    double budget, parts[RITZ_N_TUNE_PARTS]; /* seconds; budget 0: none */
    ritz_search search;                      /* its context and mesh are gone when the search is over */
    ritz_configuration picks[RITZ_N_PICKS];  /* method NULL: none */
    bool again;                              /* a run with --again: the same command does not go on */
    bool verified;     /* the picks' times come from runs side by side, in which some were timed */
    char skipped[512]; /* why there was no search; "" where there was one */
} ritz_tune_case;
/* Searches; what is wrong with the case stands in it, the status is not RITZ_OK where the tuner can not go on. */
ritz_status ritz_tune_one(ritz_tuner *tuner, double budget, ritz_tune_case *c);
void ritz_tune_case_clear(ritz_tune_case *c);

/* One method alone: with the parameters that stand in the tuning file, tried anew, or by a search. */
ritz_status ritz_tune_method(ritz_tuner *tuner, const ritz_method *method, double budget, ritz_tune_case *c);

/* Whether a case is possible: the form is for its cells, the device has the precision; and the place of its trials in the
   tuning file, later for those that were written later, -1 where it has none of the methods that are searched. */
ritz_status ritz_tune_recall(const ritz_tuner *tuner, const ritz_tune_case *c, bool *possible, int64_t *place);

/* What auto takes without the user's file, planned; REFUSED where it has no plan. */
ritz_status ritz_tune_pick_untuned(const ritz_tuner *tuner, const ritz_tune_case *c, ritz_configuration *pick);
/* The picks after a search, with the times that it found. */
ritz_status ritz_tune_choose_picks(const ritz_tuner *tuner, ritz_tune_case *c);
/* Times the picks, and what comes close to the best, in turns until `end` (0: none), one at least, by the trials of the search. */
ritz_status ritz_tune_verify(ritz_tune_case *c, double end);
/* By how much a pick is slower than the best, 0.05 for 5 %; NAN where that is not known. */
double ritz_tune_excess(const ritz_tune_case *c, ritz_tune_pick pick);
/* Whether a pick is no slower than it may be, and whether all are. */
#define RITZ_TUNE_AUTO_BAR 0.05
#define RITZ_TUNE_MODEL_BAR 0.25
bool ritz_tune_pick_holds(const ritz_tune_case *c, ritz_tune_pick pick);
bool ritz_tune_holds(const ritz_tune_case *c);

/* "tet poisson p=1 f64". */
void ritz_tune_case_words(const ritz_tune_case *c, char *text, size_t size);
void ritz_tune_print_case(FILE *file, const ritz_tune_case *c);
void ritz_tune_json_case(ritz_json *json, const ritz_tune_case *c);
/* The table of --verify: a line a case, printed at the end; the text is empty then. */
void ritz_tune_add_verified(ritz_text *text, const ritz_tune_case *c);
ritz_status ritz_tune_print_verified(FILE *file, ritz_text *text);

/* Constants of products and of the solver; printed as they are found. json: the array of them, NULL for lines. The names
   of those that the budget had no time for are added to not_tried, a line each; there is time for the first. */
ritz_status ritz_tune_products(ritz_tuner *tuner, double budget, ritz_json *json, ritz_text *not_tried);

#endif
