/* The best of a search timed side by side: of many trials one is the fastest by chance, and a right one the slowest where
   something else ran beside it. */
#include "measure/search.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 5, FINALISTS = 8, PASSES = 3 };
static const double in_reach = 3; /* times the fastest: what is slower runs again only where the model expects */
static const double as_expected =
    1.25; /* so many times the least that it expects of any: a trial can come upon a stall */

static int compare_numbers(const void *one, const void *other)
{
    const double x = *(const double *)one, y = *(const double *)other;
    return x < y ? -1 : x > y;
}

static double find_median(const double *times, int n)
{
    double sorted[ROUNDS];
    for (int k = 0; k < n; k++)
        sorted[k] = times[k];
    qsort(sorted, (size_t)n, sizeof *sorted, compare_numbers);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

ritz_status ritz_settle(ritz_configuration *list, int n, double end, ritz_trial *trial, void *context)
{
    ritz_status status = RITZ_OK;
    double(*times)[ROUNDS] = NULL;
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
    for (int k = 0; k < n; k++)
        if (list[k].outcome == RITZ_TRIAL_TIMED)
            list[k].seconds = find_median(times[k], rounds);
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
    if (f->n < FINALISTS && !is_finalist(f, c - s->tried))
        f->of[f->n++] = c - s->tried;
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

/* The best of each method in reach, then those that come next. */
static finalists choose_finalists(const ritz_search *s)
{
    finalists f = {.n = 0};
    const ritz_configuration *best = ritz_search_best(s, NULL);
    const double predicted = as_expected * find_least_predicted(s);
    if (!best)
        return f;
    add_finalist(&f, s, best);
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
        for (int k = 0; k < f.n; k++)
            s->tried[f.of[k]] = list[k];
        before = f;
    }
done:
    return status;
}
