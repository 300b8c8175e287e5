/* A case on a distorted box: mesh, space, form and random data, as 'ritz integrate --box' makes them. */
#ifndef RITZ_CLI_BOX_CASE_H
#define RITZ_CLI_BOX_CASE_H

#include "integrate.h"

/* What is asked for. */
typedef struct ritz_box_wanted {
    const char *command; /* as records tell it */
    ritz_cell cell;
    int order;
    const char *form;
    ritz_precision precision;
    const char *const *data; /* n_data texts "name=value", for the forms that have such data */
    int n_data;
    int64_t seed,
        elements; /* elements 0: enough to leave the caches, where their matrices fit into a share of the memory */
    double distort;
    ritz_element_result result;
} ritz_box_wanted;

typedef struct ritz_box_case {
    ritz_box box;
    ritz_mesh *mesh;
    ritz_form *form;
    ritz_space *space;
    ritz_cli_data data;
    double *old; /* NULL: zeros */
    ritz_integral integral;
    ritz_integrate_arguments as_given; /* what 'ritz integrate' would be given for this case */
    char *source;                      /* of the form's functions */
    ritz_case the_case;
} ritz_box_case;
/* RITZ_ERROR_INPUT: there is no such case: the form is not for cells of this dimension, the device has no f64. Cleared by
   the caller either way. */
ritz_status ritz_box_case_create(const ritz_box_wanted *wanted, const ritz_device_info *device, ritz_box_case *c);
void ritz_box_case_clear(ritz_box_case *c);

#endif
