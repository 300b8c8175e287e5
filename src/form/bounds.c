/* What data may be. */
#include "form/form.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POSITIVE 0, INFINITY, "greater than 0"

const ritz_data_bounds *ritz_data_bounds_of(const char *name)
{
    static const ritz_data_bounds finite = {"", -INFINITY, INFINITY, "a finite number"};
    static const ritz_data_bounds bounds[] = {
        {"young", POSITIVE},        {"poisson", -1, 0.5, "inside (-1, 0.5)"},
        {"density", POSITIVE},      {"thickness", POSITIVE},
        {"conductivity", POSITIVE}, {"diffusion", POSITIVE},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (strcmp(bounds[i].name, name) == 0)
            return &bounds[i];
    return &finite;
}

ritz_status ritz_form_check_data(const ritz_form *form, int i, const double *values, int64_t n,
                                 ritz_precision precision)
{
    ritz_status status = RITZ_OK;
    const char *name = ritz_form_data_name(form, i);
    const ritz_data_bounds *bounds = ritz_data_bounds_of(name);
    const double most = precision == RITZ_F32 ? (double)FLT_MAX : DBL_MAX;
    int64_t bad = n;
    for (int64_t e = 0; e < n && bad == n; e++)
        if (!ritz_data_within(bounds, values[e]) || !(fabs(values[e]) <= most))
            bad = e;
    if (bad < n && ritz_data_within(bounds, values[bad]))
        RITZ_FAIL(RITZ_ERROR_INPUT, "'%s' of the form %s is %g, too large for single precision", name, form->name,
                  values[bad]);
    if (bad < n && n == 1)
        RITZ_FAIL(RITZ_ERROR_INPUT, "'%s' of the form %s must be %s; it is %g", name, form->name, bounds->words,
                  values[bad]);
    RITZ_REQUIRE(bad == n, RITZ_ERROR_INPUT, "'%s' of the form %s must be %s; it is %g in element %lld, counted from 0",
                 name, form->name, bounds->words, values[bad], (long long)bad);
done:
    return status;
}
