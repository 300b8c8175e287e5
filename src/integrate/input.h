/* What a caller gives a form, in the library's terms: data of each batch in the order of its cells. */
#ifndef RITZ_SRC_INPUT_H
#define RITZ_SRC_INPUT_H

#include "integrate/integrate.h"

/* Where cells stand in the caller's order; made when first asked for, kept from one input to the next. Zeroed before
   use. */
typedef struct ritz_cell_order {
    int32_t *in_block[RITZ_N_CELLS]; /* [n_batches][n_cells] among those of their type */
    int64_t *in_mesh[RITZ_N_CELLS];  /* [n_batches][n_cells] among all */
} ritz_cell_order;
void ritz_cell_order_free(ritz_cell_order *order);
/* Makes in_block[b]. */
ritz_status ritz_cell_order_block(const ritz_mesh *mesh, int b, ritz_cell_order *order);

/* An input, checked. */
typedef struct ritz_given {
    ritz_datum data[RITZ_N_CELLS][RITZ_MAX_DATA]; /* [n_batches][form->n_data] */
    const ritz_expression *expressions[RITZ_MAX_DATA];
    double *arrays[RITZ_N_CELLS][RITZ_MAX_DATA];
    ritz_data fields[RITZ_MAX_DATA]; /* of the data that are fields, what the caller gave */
    const double *old;               /* the caller's */
    double time;
} ritz_given;
/* What an input is taken for. All borrowed. */
typedef struct ritz_giving {
    const ritz_form *form;
    const ritz_space *space;
    ritz_precision precision;
    int degree; /* of the quadrature, as in the options */
    int batch;  /* data are wanted on this batch alone; -1: on all */
    ritz_cell_order *order;
} ritz_giving;
ritz_status ritz_given_create(const ritz_giving *giving, const ritz_input *input, ritz_given **given);
void ritz_given_destroy(ritz_given **given);

#endif
