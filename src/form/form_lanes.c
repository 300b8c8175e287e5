/* Data and coefficients of a form in several cells at once, on the host. */
#include "form/form.h"

static int32_t expression_of(const ritz_datum *datum, int32_t cell)
{
    return datum->selector ? datum->selector[cell] : 0;
}

static void evaluate_expressions(const ritz_datum *datum, const ritz_lane_place *at, const ritz_lanes *variables,
                                 ritz_lanes *values)
{
    const int32_t first = expression_of(datum, at->cells[0]);
    ritz_expression_lanes(datum->expressions[first], at->n_points, variables, values);
    for (int l = 1; l < at->n; l++) {
        const int32_t other = expression_of(datum, at->cells[l]);
        ritz_lanes own[RITZ_LANE_POINTS];
        if (other == first)
            continue;
        ritz_expression_lanes(datum->expressions[other], at->n_points, variables, own);
        for (int p = 0; p < at->n_points; p++)
            values[p][l] = own[p][l];
    }
}

/* Of elements or points. */
static void gather_values(const ritz_datum *datum, const ritz_lane_place *at, ritz_lanes *values)
{
    for (int p = 0; p < at->n_points; p++) {
        ritz_lanes each;
        for (int l = 0; l < RITZ_N_LANES; l++)
            each[l] = ritz_datum_value(datum, at->cells[l < at->n ? l : at->n - 1], at->n_quad, at->q + p, NULL);
        values[p] = each;
    }
}

void ritz_datum_lanes(const ritz_datum *datum, const ritz_lane_place *at, const ritz_lanes *variables,
                      ritz_lanes *values)
{
    switch (datum->kind) {
    case RITZ_DATA_EXPRESSION:
        evaluate_expressions(datum, at, variables, values);
        break;
    case RITZ_DATA_ELEMENT:
    case RITZ_DATA_POINT:
        gather_values(datum, at, values);
        break;
    case RITZ_DATA_CONSTANT:
    case RITZ_DATA_FIELD:
        for (int p = 0; p < at->n_points; p++)
            values[p] = datum->value - (ritz_lanes){0};
        break;
    }
}

void ritz_form_lanes(const ritz_form *form, const ritz_datum *data, const ritz_lane_place *at, ritz_lanes *all,
                     ritz_lanes *c)
{
    const int n = at->n_points;
    ritz_lanes *next = all + (int64_t)form->variables.n * n;
    for (int d = 0; d < form->n_data; d++, next += n)
        ritz_datum_lanes(&data[d], at, all, next);
    for (int k = 0; k < form->n_intermediates; k++, next += n)
        ritz_expression_lanes(form->intermediates[k], n, all, next);
    for (int k = 0; k < form->n_coefficients; k++, c += n)
        ritz_expression_lanes(form->coefficients[k], n, all, c);
}
