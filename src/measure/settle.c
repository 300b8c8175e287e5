/* The best of a search timed side by side: of many trials one is the fastest by chance, and a right one the slowest where
   something else ran beside it. */
#include "measure/search.h"

#include "measure/measure.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5, FINALISTS = 8, PASSES = 3 };
static const double in_reach = 3; /* times the fastest: what is slower runs again only where the model expects */
static const double as_expected =
    1.25; /* so many times the least that it expects of any: a trial can come upon a stall */

typedef double turn_times[ROUNDS];

static double median_turn(const turn_times times, int rounds)
{
    turn_times sorted;
    memcpy(sorted, times, sizeof sorted);
    return ritz_median(sorted, rounds);
}

/* Gives each turn the speed of the others: its times are divided by the median of what each takes in it over what it takes in
   most turns. */
static ritz_status level_turns(const ritz_configuration *list, int n, int rounds, turn_times *times)
{
    ritz_status status = RITZ_OK;
    double *ratios = NULL;
    turn_times level;
    RITZ_NEW(ratios, n);
    for (int r = 0; r < rounds; r++) {
        int n_timed = 0;
        for (int k = 0; k < n; k++)
            if (list[k].outcome == RITZ_TRIAL_TIMED)
                ratios[n_timed++] = times[k][r] / median_turn(times[k], rounds);
        level[r] = n_timed > 0 ? ritz_median(ratios, n_timed) : 1;
    }
    for (int k = 0; k < n; k++)
        for (int r = 0; r < rounds; r++)
            times[k][r] /= level[r];
done:
    ritz_free(ratios);
    return status;
}

ritz_status ritz_settle(ritz_configuration *list, int n, double end, ritz_trial *trial, void *context)
{
    ritz_status status = RITZ_OK;
    turn_times *times = NULL;
    int rounds = 0;
    RITZ_NEW(times, n);
    for (double longest = 0; rounds < ROUNDS; rounds++) {
        const double start = ritz_seconds();
        if (rounds > 0 && end > 0 && start + longest > end)
            break;
        for (int k = 0; k < n; k++) {
            const int at = rounds % 2 ? n - 1 - k : k; /* forth and back: machines get slower and faster */
            ritz_configuration *c = &list[at];
            RITZ_TRY(ritz_check_interrupt());
            if (rounds == 0 || c->outcome == RITZ_TRIAL_TIMED)
                RITZ_TRY(trial(context, c));
            times[at][rounds] = c->seconds;
        }
        longest = fmax(longest, ritz_seconds() - start);
    }
    RITZ_TRY(level_turns(list, n, rounds, times));
    for (int k = 0; k < n; k++)
        if (list[k].outcome == RITZ_TRIAL_TIMED)
            list[k].seconds = median_turn(times[k], rounds);
done:
    ritz_free(times);
    return status;
}

/* ---- The best of a search ---- */

/* Numbers of trials. */
typedef struct finalists {
    int64_t of[FINALISTS];
    int n;
} finalists;

static bool is_finalist(const finalists *f, int64_t trial)
{
    for (int k = 0; k < f->n; k++)
        if (f->of[k] == trial)
            return true;
    return false;
}

static void add_finalist(finalists *f, const ritz_search *s, const ritz_configuration *c)
{
    if (c && c->outcome == RITZ_TRIAL_TIMED && f->n < FINALISTS && !is_finalist(f, c - s->tried))
        f->of[f->n++] = c - s->tried;
}

/* What is taken without a search, if it was timed. */
static ritz_configuration *find_reference(const ritz_search *s)
{
    const ritz_configuration *found = s->first ? ritz_search_find(s, s->first) : NULL;
    return found && found->outcome == RITZ_TRIAL_TIMED ? &s->tried[found - s->tried] : NULL;
}

/* NAN: there is no model. */
static double find_least_predicted(const ritz_search *s)
{
    double least = NAN;
    for (int64_t k = 0; k < s->n; k++)
        if (s->tried[k].outcome == RITZ_TRIAL_TIMED)
            least = fmin(least, s->tried[k].predicted);
    return least;
}

/* The best, what it has to beat, the best of each method in reach, then those that come next. */
static finalists choose_finalists(const ritz_search *s)
{
    finalists f = {.n = 0};
    const ritz_configuration *best = ritz_search_best(s, NULL);
    const double predicted = as_expected * find_least_predicted(s);
    if (!best)
        return f;
    add_finalist(&f, s, best);
    add_finalist(&f, s, find_reference(s));
    add_finalist(&f, s, ritz_search_own_plan(s, best->method));
    for (int m = 0; m < s->n_methods; m++) {
        const ritz_configuration *own = ritz_search_best(s, s->methods[m]);
        if (own && (own->seconds <= in_reach * best->seconds || own->predicted <= predicted))
            add_finalist(&f, s, own);
    }
    while (f.n < FINALISTS) {
        const ritz_configuration *next = NULL;
        for (int64_t k = 0; k < s->n; k++) {
            const ritz_configuration *c = &s->tried[k];
            if (c->outcome == RITZ_TRIAL_TIMED && c->seconds <= in_reach * best->seconds && !is_finalist(&f, k) &&
                (!next || c->seconds < next->seconds))
                next = c;
        }
        if (!next)
            break;
        add_finalist(&f, s, next);
    }
    return f;
}

/* As many as one turn has time for, the best first; two at least. */
static int count_in_time(const finalists *f, const ritz_search *s, double end)
{
    double left = end > 0 ? end - ritz_seconds() : INFINITY;
    for (int k = 0; k < f->n; k++) {
        left -= s->tried[f->of[k]].took;
        if (left < 0 && k >= 2)
            return k;
    }
    return f->n;
}

/* Times of one pass, as long as they would have been in the first one. */
static void take_times(ritz_search *s, const finalists *f, ritz_configuration *list)
{
    const ritz_configuration *reference = find_reference(s);
    double factor = 1;
    for (int k = 0; k < f->n; k++)
        if (reference && reference->in_turns && f->of[k] == reference - s->tried && list[k].outcome == RITZ_TRIAL_TIMED)
            factor = reference->seconds / list[k].seconds;
    for (int k = 0; k < f->n; k++) {
        list[k].seconds *= factor;
        list[k].in_turns = list[k].outcome == RITZ_TRIAL_TIMED;
        s->tried[f->of[k]] = list[k];
    }
}

ritz_status ritz_search_settle(ritz_search *s, double end)
{
    ritz_status status = RITZ_OK;
    finalists before = {.n = 0};
    for (int pass = 0; pass < PASSES && (pass == 0 || end <= 0 || ritz_seconds() < end); pass++) {
        finalists f = choose_finalists(s);
        ritz_configuration list[FINALISTS];
        if (f.n < 2 || is_finalist(&before, ritz_search_best(s, NULL) - s->tried))
            break; /* nothing to choose from, or the best is one of those that ran side by side */
        f.n = count_in_time(&f, s, end);
        for (int k = 0; k < f.n; k++)
            list[k] = s->tried[f.of[k]];
        RITZ_TRY(ritz_settle(list, f.n, end, s->trial, s->context));
        take_times(s, &f, list);
        before = f;
    }
done:
    return status;
}
