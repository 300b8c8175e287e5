/* Data and coefficients of a form in several cells at once, on the host. */
#include "form/form.h"

static int32_t expression_of(const ritz_datum *datum, int32_t cell)
{
    return datum->selector ? datum->selector[cell] : 0;
}

static void evaluate_expressions(const ritz_datum *datum, const ritz_lane_place *at, const ritz_lanes *variables,
                                 ritz_lanes *value)
{
    const int32_t first = expression_of(datum, at->cells[0]);
    ritz_expression_lanes(datum->expressions[first], variables, value);
    for (int l = 1; l < at->n; l++) {
        const int32_t other = expression_of(datum, at->cells[l]);
        ritz_lanes own;
        if (other == first)
            continue;
        ritz_expression_lanes(datum->expressions[other], variables, &own);
        (*value)[l] = own[l];
    }
}

void ritz_datum_lanes(const ritz_datum *datum, const ritz_lane_place *at, const ritz_lanes *variables,
                      ritz_lanes *value)
{
    if (datum->kind == RITZ_DATA_EXPRESSION) {
        evaluate_expressions(datum, at, variables, value);
        return;
    }
    ritz_lanes each;
    for (int l = 0; l < RITZ_N_LANES; l++)
        each[l] = ritz_datum_value(datum, at->cells[l < at->n ? l : at->n - 1], at->n_quad, at->q, NULL);
    *value = each;
}

void ritz_form_lanes(const ritz_form *form, const ritz_datum *data, const ritz_lane_place *at, ritz_lanes *all,
                     ritz_lanes *c)
{
    ritz_lanes *next = all + form->variables.n;
    for (int d = 0; d < form->n_data; d++)
        ritz_datum_lanes(&data[d], at, all, next++);
    for (int k = 0; k < form->n_intermediates; k++)
        ritz_expression_lanes(form->intermediates[k], all, next++);
    for (int k = 0; k < form->n_coefficients; k++)
        ritz_expression_lanes(form->coefficients[k], all, &c[k]);
}
