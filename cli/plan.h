/* Methods and their plans as commands tell them. */
#ifndef RITZ_CLI_PLAN_H
#define RITZ_CLI_PLAN_H

#include "fields.h"
#include "measure/measure.h"

/* "f32" or "f64". */
const char *ritz_cli_precision_name(ritz_precision precision);

/* "parameters.NAME" for the method's own parameters, then for what every plan has, then for the plan's figures. A name
   that stands already is not repeated. */
void ritz_cli_add_plan(ritz_cli_fields *list, const ritz_method *method, const ritz_plan *plan);

/* "work_group=64 parts=2 blocks_per_item=3": the method's parameters and the plan's figures. */
void ritz_cli_plan_in_short(const ritz_method *method, const ritz_plan *plan, char *text, size_t size);

/* A sentence that says why a method does not apply: the fewest changes to the case or the limits after which it does.
   `limits` are those for which applies() said no. */
void ritz_cli_why_not(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                      char *reason, size_t size);

/* The roofline: seconds that moving an element's bytes or doing its operations takes at the device's best, whichever is
   longer, and which one it is: "memory" or "compute"; NAN and "unknown" without ceilings. */
double ritz_cli_least_seconds(const ritz_work *work, ritz_precision precision, const ritz_device_ceilings *ceilings,
                              const char **bound);
/* Multiply-adds a second at best in this precision, each as two operations; GFLOP/s. */
double ritz_cli_best_rate(ritz_precision precision, const ritz_device_ceilings *ceilings);

/* Sides of a box of at least n cells of its type, and not many more. */
void ritz_cli_choose_box(int64_t n, ritz_box *box);

#endif
