/* What a search has tried: the list of its configurations, and the best of them. */
#include "measure/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ritz_trial_outcome_name(ritz_trial_outcome outcome)
{
    static const char *const names[] = {"not tried", "timed", "wrong", "refused", "crashed", "too long"};
    return names[outcome];
}

void ritz_search_clear(ritz_search *s)
{
    ritz_free(s->tried);
    s->tried = NULL;
    s->n = s->capacity = 0;
}

bool ritz_search_has(const ritz_search *s, const ritz_method *method)
{
    for (int m = 0; m < s->n_methods; m++)
        if (s->methods[m] == method)
            return true;
    return false;
}

void ritz_search_forget(ritz_search *s, int64_t first)
{
    int64_t n = first;
    for (int64_t k = first; k < s->n; k++)
        if (!ritz_search_has(s, s->tried[k].method))
            s->tried[n++] = s->tried[k];
    s->n = n;
}

static bool is_better(const ritz_search *s, const ritz_configuration *a, const ritz_configuration *b)
{
    return !s->open && a->in_turns != b->in_turns ? a->in_turns : a->seconds < b->seconds;
}

const ritz_configuration *ritz_search_best(const ritz_search *s, const ritz_method *method)
{
    const ritz_configuration *best = NULL;
    for (int64_t k = 0; k < s->n; k++) {
        const ritz_configuration *c = &s->tried[k];
        if (c->outcome == RITZ_TRIAL_TIMED && (!method || c->method == method) && (!best || is_better(s, c, best)))
            best = c;
    }
    return best;
}

const ritz_configuration *ritz_search_own_plan(const ritz_search *s, const ritz_method *method)
{
    for (int64_t k = 0; k < s->n; k++)
        if (s->tried[k].method == method && !*s->tried[k].settings)
            return &s->tried[k];
    return NULL;
}

int ritz_configuration_settings(const ritz_configuration *c, char *text, const char *settings[RITZ_MAX_PARAMETERS])
{
    int n = 0;
    snprintf(text, RITZ_SETTINGS_TEXT, "%s", c->settings);
    for (char *at = text; *at && n < RITZ_MAX_PARAMETERS;) {
        const size_t length = strcspn(at, ",");
        settings[n++] = at;
        at += length + (at[length] == ',');
        if (at > text && at[-1] == ',')
            at[-1] = '\0';
    }
    return n;
}

const ritz_configuration *ritz_search_find(const ritz_search *s, const ritz_configuration *c)
{
    for (int64_t k = 0; k < s->n; k++)
        if (s->tried[k].method == c->method && memcmp(s->tried[k].taken, c->taken, sizeof c->taken) == 0)
            return &s->tried[k];
    return NULL;
}

ritz_status ritz_search_add(ritz_search *s, const ritz_configuration *c)
{
    ritz_status status = RITZ_OK;
    if (s->n == s->capacity) {
        RITZ_RESIZE(s->tried, 2 * s->capacity + 64);
        s->capacity = 2 * s->capacity + 64;
    }
    s->tried[s->n++] = *c;
done:
    return status;
}

ritz_status ritz_search_remember(ritz_search *s, const ritz_method *method, const char *settings,
                                 ritz_trial_outcome outcome, double seconds, const char *reason)
{
    ritz_configuration c = {.method = method, .is_known = true, .outcome = outcome, .seconds = seconds, .error = NAN};
    snprintf(c.settings, sizeof c.settings, "%s", settings);
    snprintf(c.reason, sizeof c.reason, "%s", reason);
    if (!method->applies(s->the_case, s->limits) || ritz_search_plan(s, &c) != RITZ_OK || ritz_search_find(s, &c))
        return RITZ_OK;
    return ritz_search_add(s, &c);
}
