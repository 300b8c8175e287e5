/* What data may be. */
#include "form/form.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

const ritz_data_bounds ritz_finite = {-INFINITY, INFINITY, "a finite number"};
const ritz_data_bounds ritz_positive = {0, INFINITY, "greater than 0"};

static const ritz_data_bounds *bounds_of(const ritz_form *form, int i)
{
    return form->bounds[i] ? form->bounds[i] : &ritz_finite;
}

int64_t ritz_form_find_bad(const ritz_form *form, int i, const double *values, int64_t n, ritz_precision precision)
{
    const ritz_data_bounds *bounds = bounds_of(form, i);
    const double most = precision == RITZ_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int64_t k = 0; k < n; k++)
        if (!ritz_data_within(bounds, values[k]) || !(fabs(values[k]) <= most))
            return k;
    return n;
}

ritz_status ritz_form_tell_bad(const ritz_form *form, int i, double value, int64_t element)
{
    const char *name = ritz_form_data_name(form, i);
    const ritz_data_bounds *bounds = bounds_of(form, i);
    char place[64] = "";
    if (element >= 0)
        snprintf(place, sizeof place, " in element %lld, counted from 0", (long long)element);
    if (ritz_data_within(bounds, value) && isfinite(value))
        return ritz_fail(RITZ_ERROR_INPUT, "'%s' of the form %s is %g%s, too large for single precision", name,
                         form->name, value, place);
    return ritz_fail(RITZ_ERROR_INPUT, "'%s' of the form %s must be %s; it is %g%s", name, form->name, bounds->words,
                     value, place);
}
