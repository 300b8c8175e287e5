/* What auto and the model take of a case beside the best that was found: `ritz tune --verify` times them in turns. */
#include "tune.h"

#include <math.h>
#include <string.h>

enum { MORE = 2, N_FINALISTS = RITZ_N_PICKS + MORE };

/* ---- Picks ---- */

/* The parameters that a plan has, as settings; none where they are what the method chooses by itself. */
static ritz_status write_plan_settings(const ritz_search *s, const ritz_plan *plan, ritz_configuration *c)
{
    ritz_status status = RITZ_OK;
    ritz_configuration own = {.method = c->method};
    if (ritz_search_plan(s, &own) != RITZ_OK || memcmp(own.taken, plan->parameters, sizeof own.taken) != 0)
        for (int p = 0; p < c->method->n_parameters; p++) {
            const ritz_method_parameter *of = &c->method->parameters[p];
            const size_t used = strlen(c->settings);
            if (plan->parameters[p] >= of->least && plan->parameters[p] <= of->most)
                snprintf(c->settings + used, sizeof c->settings - used, "%s%s=%d", used ? "," : "", of->name,
                         (int)plan->parameters[p]);
        }
    RITZ_TRY(ritz_search_plan(s, c));
done:
    return status;
}

/* What auto takes by these tables. The tuner's own plans know what is built in alone. */
static ritz_status pick_by_tables(const ritz_tuner *t, ritz_tuning_tables tables, const ritz_tune_case *c,
                                  ritz_configuration *pick)
{
    ritz_status status = RITZ_OK;
    ritz_plan plan;
    *pick = (ritz_configuration){.error = NAN};
    RITZ_TRY(ritz_tuning_load_tables(&t->info, tables));
    RITZ_TRY(ritz_method_find(NULL, &c->the_case, &t->info, &pick->method));
    const ritz_status planned = ritz_method_plan(pick->method, &c->the_case, &t->info, NULL, 0, &plan);
    RITZ_TRY(ritz_tuning_load_tables(&t->info, RITZ_TABLES_BUILT_IN));
    status = planned;
    if (status == RITZ_OK)
        status = write_plan_settings(&c->search, &plan, pick);
    if (status == RITZ_ERROR_INPUT) { /* it has no plan here */
        pick->outcome = RITZ_TRIAL_REFUSED;
        snprintf(pick->reason, sizeof pick->reason, "%s", ritz_message());
        status = RITZ_OK;
    }
done:
    return status;
}

ritz_status ritz_tune_pick_untuned(const ritz_tuner *t, const ritz_tune_case *c, ritz_configuration *pick)
{
    return pick_by_tables(t, RITZ_TABLES_SHIPPED, c, pick);
}

/* Of the plans' own choices, the least predicted time. */
static void pick_by_model(const ritz_search *s, ritz_configuration *pick)
{
    *pick = (ritz_configuration){.error = NAN};
    for (int m = 0; m < s->n_methods; m++) {
        ritz_configuration c = {.method = s->methods[m], .error = NAN};
        if (c.method->applies(s->the_case, s->limits) && ritz_search_plan(s, &c) == RITZ_OK &&
            (!pick->method || c.predicted < pick->predicted))
            *pick = c;
    }
}

ritz_status ritz_tune_choose_picks(const ritz_tuner *t, ritz_tune_case *c)
{
    ritz_status status = RITZ_OK;
    const ritz_configuration *best = ritz_search_best(&c->search, NULL);
    c->picks[RITZ_PICK_BEST] = best ? *best : (ritz_configuration){.error = NAN};
    RITZ_TRY(pick_by_tables(t, RITZ_TABLES_ALL, c, &c->picks[RITZ_PICK_AUTO]));
    RITZ_TRY(ritz_tune_pick_untuned(t, c, &c->picks[RITZ_PICK_BEFORE]));
    pick_by_model(&c->search, &c->picks[RITZ_PICK_MODEL]);
    for (int p = RITZ_PICK_AUTO; p < RITZ_N_PICKS; p++) {
        const ritz_configuration *tried = c->picks[p].method ? ritz_search_find(&c->search, &c->picks[p]) : NULL;
        if (tried)
            c->picks[p] = *tried;
    }
done:
    return status;
}

/* ---- Side by side ---- */

static bool is_same(const ritz_configuration *a, const ritz_configuration *b)
{
    return a->method == b->method && memcmp(a->taken, b->taken, sizeof a->taken) == 0;
}

static void add_finalist(const ritz_configuration *c, ritz_configuration *list, int *n)
{
    for (int k = 0; k < *n; k++)
        if (is_same(c, &list[k]))
            return;
    if (c->method && *n < N_FINALISTS)
        list[(*n)++] = *c;
}

/* The picks, and those that come behind the best: one of a hundred trials is the fastest by chance, too. */
static int choose_finalists(const ritz_tune_case *c, ritz_configuration *list)
{
    const ritz_search *s = &c->search;
    int n = 0;
    double last = c->picks[RITZ_PICK_BEST].seconds;
    for (int p = 0; p < RITZ_N_PICKS; p++)
        add_finalist(&c->picks[p], list, &n);
    for (int more = 0; more < MORE; more++) {
        const ritz_configuration *next = NULL;
        for (int64_t k = 0; k < s->n; k++)
            if (s->tried[k].outcome == RITZ_TRIAL_TIMED && s->tried[k].seconds > last &&
                (!next || s->tried[k].seconds < next->seconds))
                next = &s->tried[k];
        if (!next)
            break;
        last = next->seconds;
        add_finalist(next, list, &n);
    }
    return n;
}

ritz_status ritz_tune_verify(ritz_tune_case *c, double end)
{
    ritz_status status = RITZ_OK;
    ritz_configuration list[N_FINALISTS];
    const int n = choose_finalists(c, list);
    RITZ_TRY(ritz_settle(list, n, end, c->search.trial, c->search.context));
    for (int p = 0; p < RITZ_N_PICKS; p++)
        for (int k = 0; k < n; k++)
            if (c->picks[p].method && is_same(&c->picks[p], &list[k]))
                c->picks[p] = list[k];
    for (int k = 0; k < n; k++)
        if (list[k].outcome == RITZ_TRIAL_TIMED && (c->picks[RITZ_PICK_BEST].outcome != RITZ_TRIAL_TIMED ||
                                                    list[k].seconds < c->picks[RITZ_PICK_BEST].seconds))
            c->picks[RITZ_PICK_BEST] = list[k];
    c->verified = c->picks[RITZ_PICK_BEST].outcome == RITZ_TRIAL_TIMED;
done:
    return status;
}

double ritz_tune_excess(const ritz_tune_case *c, ritz_tune_pick pick)
{
    const ritz_configuration *p = &c->picks[pick];
    return c->verified && p->outcome == RITZ_TRIAL_TIMED ? p->seconds / c->picks[RITZ_PICK_BEST].seconds - 1 : NAN;
}

bool ritz_tune_pick_holds(const ritz_tune_case *c, ritz_tune_pick pick)
{
    return ritz_tune_excess(c, pick) <= (pick == RITZ_PICK_MODEL ? RITZ_TUNE_MODEL_BAR : RITZ_TUNE_AUTO_BAR);
}

bool ritz_tune_holds(const ritz_tune_case *c)
{
    for (int p = RITZ_PICK_AUTO; p < RITZ_N_PICKS; p++)
        if (!ritz_tune_pick_holds(c, (ritz_tune_pick)p))
            return false;
    return true;
}
