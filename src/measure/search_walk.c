/* The search's ways through the parameters of methods, and whose turn it is. */
#include "measure/search_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SWEEPS = 3 };
enum { NEAREST = 2 };                         /* values of each parameter that are tried before those farther off */
enum { SHORT_RANGE = 3 };                     /* values of which the nearest are all */
enum { TOGETHER_MOST = 64, MOST_JOINED = 3 }; /* configurations that are compiled together; of gains put together */
static const double worth_more = 2; /* times the fastest: slower methods, and what is beyond such a value, are left */
static const double least_gain = 0.01; /* of the time, for another sweep over the parameters */
static const double patience = 16;     /* trials after which a method counts as twice as slow */

/* Parameters whose own value, as the plan has it, is most often not the best one: they come first, all others after them. */
static const char *const promising[] = {"unroll",   "input",        "pairs",      "tile_rows",  "line_points",
                                        "elements", "rows",         "columns",    "bases",      "tile_columns",
                                        "stream",   "coefficients", "geometry",   "lanes",      "half",
                                        "points",   "items",        "work_group", "concurrent", "strip"};

/* Its place among the promising ones, after all of them if it is none. */
static int rank_of(const ritz_method_parameter *p)
{
    int k = 0;
    while (k < (int)(sizeof promising / sizeof *promising) && strcmp(p->name, promising[k]) != 0)
        k++;
    return k;
}

void ritz_search_start_walk(const ritz_configuration *own, const ritz_configuration *best, int64_t whole_up_to, walk *w)
{
    *w = (walk){.method = own->method, .is_done = best == NULL};
    if (!best)
        return;
    memcpy(w->own, own->taken, sizeof w->own);
    ritz_search_make_space(best, &w->all);
    w->whole = w->all.n_points <= (double)whole_up_to;
    const ritz_method_parameter *const parameters = best->method->parameters;
    for (int d = 0; d < best->method->n_parameters; d++) {
        int k = d;
        for (; k > 0 && rank_of(&parameters[w->order[k - 1]]) > rank_of(&parameters[d]); k--)
            w->order[k] = w->order[k - 1];
        w->order[k] = d;
        w->next[d] = 1;
    }
}

/* To the next parameter. */
static void advance(walk *w)
{
    w->at = (w->at + 1) % w->method->n_parameters;
    w->round += w->at == 0;
    w->value = 0;
}

/* Whether the last one of a list is neither tried nor in it already. */
static bool is_new(const ritz_search *s, const ritz_configuration *list, int last)
{
    for (int k = 0; k < last; k++)
        if (memcmp(list[k].taken, list[last].taken, sizeof list[k].taken) == 0)
            return false;
    return !ritz_search_find(s, &list[last]);
}

/* Configurations that a step takes. */
static int count_together(const ritz_search *s)
{
    return s->n_together < 1 ? 1 : s->n_together < TOGETHER_MOST ? s->n_together : TOGETHER_MOST;
}

/* The least time of a method with that value of parameter d; INFINITY: it was not timed. */
static double least_with(const ritz_search *s, const ritz_method *method, int d, int32_t value)
{
    double least = INFINITY;
    for (int64_t k = 0; k < s->n; k++) {
        const ritz_configuration *c = &s->tried[k];
        if (c->method == method && c->outcome == RITZ_TRIAL_TIMED && c->taken[d] == value)
            least = fmin(least, c->seconds);
    }
    return least;
}

/* Whether a value of parameter d nearer to the best one's, on the same side of it, was far slower each time that it was timed: so are
   those beyond. */
static bool is_beyond_slow(const ritz_search *s, const ritz_configuration *best, int d, int32_t value)
{
    const int32_t from = best->taken[d];
    for (int64_t k = 0; k < s->n; k++) {
        const int32_t at = s->tried[k].taken[d];
        if (s->tried[k].method != best->method || !(from < at ? at < value : value < at && at < from))
            continue;
        const double least = least_with(s, best->method, d, at);
        if (least < INFINITY && least > worth_more * best->seconds)
            return true;
    }
    return false;
}

/* Whether a plan chose others of its values than the method's own plan, because of the one of parameter d. */
static bool is_adapted(const walk *w, const ritz_configuration *c, int d)
{
    for (int other = 0; other < w->method->n_parameters; other++)
        if (other != d && c->taken[other] != w->own[other])
            return true;
    return false;
}

/* Adds the configurations of the next value of parameter d that a plan takes to a list of n: the others as in the best one, and as
   the plan chooses them for that value. How many were not tried yet. */
static int add_next_value(const ritz_search *s, walk *w, int d, ritz_configuration *list, int n)
{
    const ritz_configuration *best = ritz_search_best(s, w->method);
    const int before = n;
    for (bool made = false; !made && w->next[d] < w->all.n[d];) {
        point changed = ritz_search_best_point(best), alone = ritz_search_open_point();
        const int32_t value = w->all.values[d][w->next[d]++];
        changed.values[d] = alone.values[d] = value;
        if (is_beyond_slow(s, best, d, value))
            continue;
        made = ritz_search_make_changed(s, w->method, &changed, d, &list[n]);
        n += made && is_new(s, list, n);
        if (ritz_search_make(s, w->method, &alone, &list[n]) && is_adapted(w, &list[n], d)) {
            made = true;
            n += is_new(s, list, n);
        }
    }
    return n - before;
}

/* What was faster than a configuration, each by one value, together: the two fastest of a list that was tried, then one more each
   time. */
static ritz_status try_together(ritz_search *s, clock_state *clock, const walk *w, const point *from, double seconds,
                                ritz_configuration *list, int n)
{
    ritz_configuration joined[MOST_JOINED];
    point p = *from;
    int n_gains = 0, n_joined = 0;
    for (int k = 0; k < n; k++)
        list[k].seconds = list[k].outcome == RITZ_TRIAL_TIMED ? list[k].seconds : INFINITY;
    qsort(list, (size_t)n, sizeof *list, ritz_search_compare_seconds);
    for (int k = 0; k < n && n_joined < MOST_JOINED && list[k].seconds < (1 - least_gain) * seconds; k++) {
        int changed = 0;
        for (int d = 0; d < w->method->n_parameters; d++)
            if (list[k].taken[d] != from->values[d] && p.values[d] == from->values[d]) {
                p.values[d] = list[k].taken[d];
                changed++;
            }
        n_gains += changed > 0;
        if (changed && n_gains > 1 && ritz_search_make(s, w->method, &p, &joined[n_joined]))
            n_joined += is_new(s, joined, n_joined);
    }
    return ritz_search_try(s, clock, joined, n_joined);
}

/* The nearest values of the next parameters, as many configurations as are compiled together; of a short range all at once. */
static ritz_status try_nearest(ritz_search *s, clock_state *clock, walk *w)
{
    ritz_status status = RITZ_OK;
    ritz_configuration list[TOGETHER_MOST + 2 * SHORT_RANGE];
    const ritz_configuration *best = ritz_search_best(s, w->method);
    const point from = ritz_search_best_point(best);
    const double seconds = best->seconds;
    int n = 0;
    while (n < count_together(s) && w->round < NEAREST) {
        const int d = w->order[w->at];
        for (int v = 0; v < (w->all.n[d] <= SHORT_RANGE ? SHORT_RANGE - 1 : 1); v++)
            n += add_next_value(s, w, d, list, n);
        advance(w);
    }
    RITZ_TRY(ritz_search_try(s, clock, list, n));
    RITZ_TRY(try_together(s, clock, w, &from, seconds, list, n));
done:
    return status;
}

/* Whether all parameters had their turn once more and nothing came of it. */
static bool has_ended(const walk *w, double seconds)
{
    return w->round == NEAREST + MOST_SWEEPS || (w->round > NEAREST && seconds > (1 - least_gain) * w->before);
}

/* The next values of one parameter, as many as are compiled together, the others as in the best configuration so far. */
static ritz_status try_parameter(ritz_search *s, clock_state *clock, walk *w)
{
    ritz_configuration list[MOST_VALUES];
    const ritz_configuration *best = ritz_search_best(s, w->method);
    const int d = w->order[w->at];
    point p = ritz_search_best_point(best);
    int n = 0;
    if (w->at == 0 && w->value == 0) {
        w->is_done = has_ended(w, best->seconds);
        w->before = best->seconds;
    }
    for (; w->value < w->all.n[d] && n < count_together(s) && !w->is_done; w->value++) {
        p.values[d] = w->all.values[d][w->value];
        if (!is_beyond_slow(s, best, d, p.values[d]) && ritz_search_make_changed(s, w->method, &p, d, &list[n]))
            n += is_new(s, list, n);
    }
    if (w->value == w->all.n[d])
        advance(w);
    return ritz_search_try(s, clock, list, n);
}

ritz_status ritz_search_take_step(ritz_search *s, clock_state *clock, walk *w)
{
    if (w->whole) {
        w->is_done = true;
        return ritz_search_try_space(s, clock, w->method, &w->all);
    }
    return w->round < NEAREST ? try_nearest(s, clock, w) : try_parameter(s, clock, w);
}

static bool is_in_reach(const ritz_search *s, const walk *w)
{
    const ritz_configuration *best = w->is_done ? NULL : ritz_search_best(s, w->method);
    return best && (s->exhaustive || best->seconds <= worth_more * ritz_search_best(s, NULL)->seconds);
}

int64_t ritz_search_count_rest(const ritz_search *s, const walk *walks, int n)
{
    int64_t rest = 0;
    for (int k = 0; k < n; k++) {
        const walk *w = &walks[k];
        for (int d = w->round < NEAREST ? 0 : w->at; d < w->method->n_parameters && is_in_reach(s, w); d++)
            rest += w->all.n[w->order[d]];
    }
    return rest;
}

walk *ritz_search_choose_walk(const ritz_search *s, walk *walks, int n)
{
    walk *chosen = NULL;
    double least = INFINITY;
    for (int k = 0; k < n; k++) {
        if (!is_in_reach(s, &walks[k]))
            continue;
        const double seconds = ritz_search_best(s, walks[k].method)->seconds;
        double looks = seconds;
        for (int64_t t = 0; t < s->n; t++)
            looks += s->tried[t].method == walks[k].method ? seconds / patience : 0;
        if (looks < least) {
            least = looks;
            chosen = &walks[k];
        }
    }
    return chosen;
}
