/* Methods and their plans as commands tell them. */
#ifndef RITZ_CLI_PLAN_H
#define RITZ_CLI_PLAN_H

#include "fields.h"
#include "integrate/integrate.h"

/* "parameters.NAME" for the method's own parameters, then for what every plan has, then for the plan's figures. A name
   that stands already is not repeated. */
void ritz_cli_add_plan(ritz_cli_fields *list, const ritz_method *method, const ritz_plan *plan);

/* The method of that name in the whole registry, whatever it serves; NULL, with a message that lists the names. */
const ritz_method *ritz_cli_find_method(const char *name);

/* A sentence that says why a method does not apply: the one change to the case or the limits after which it does.
   `limits` are those for which applies() said no. */
void ritz_cli_why_not(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                      char *reason, size_t size);

#endif
