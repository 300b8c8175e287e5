/* `ritz predict`, file by file: what is asked for (cli/predict.c), the limits that plans are made for
   (cli/predict_limits.c), the report (cli/predict_report.c). */
#ifndef RITZ_CLI_PREDICT_H
#define RITZ_CLI_PREDICT_H

#include "box_case.h"

enum { RITZ_CLI_MAX_LIMITS = 16 };

/* An option that sets a limit, in the order of the table. */
typedef struct ritz_cli_limit {
    const char *name, *meaning;
} ritz_cli_limit;
const ritz_cli_limit *ritz_cli_limits(int *n_limits);

/* The limits as they were given on the command line: texts by the table's order, NULL where not given. */
typedef struct ritz_limit_arguments {
    const char *texts[RITZ_CLI_MAX_LIMITS];
    bool any;
} ritz_limit_arguments;

/* Limits of a device, or of none (device NULL: what is not given takes the value of an ordinary device of its kind),
   with those given put in their place. RITZ_ERROR_INPUT: a text that is no such limit, or limits that contradict each
   other. */
ritz_status ritz_cli_make_limits(const ritz_limit_arguments *given, const ritz_device_info *device,
                                 ritz_device_info *limits);

typedef struct ritz_predict_arguments {
    ritz_integrate_arguments a; /* cell, order, form, data, method, settings, precision, device, measure, json */
    ritz_limit_arguments limits;
    int64_t geometry_order;
    double bandwidth, rate; /* 0: not given */
} ritz_predict_arguments;

/* Everything that a prediction is made from. */
typedef struct ritz_prediction {
    const ritz_predict_arguments *p;
    ritz_device *device; /* NULL: none is needed */
    ritz_device_info limits;
    ritz_device_ceilings ceilings; /* zeros: not known */
    char when[32];
    ritz_form *form;
    ritz_cli_data data;
    ritz_case the_case;
    char *source;      /* of the form's functions */
    ritz_box_case box; /* what is measured on; without --measure there is no mesh */
} ritz_prediction;

/* Both return the exit status. */
int ritz_predict_tell_one(const ritz_prediction *prediction);
int ritz_predict_tell_all(const ritz_prediction *prediction);

#endif
