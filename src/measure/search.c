/* The search for the fastest configuration of a case: trials, and which methods have them. */
#include "measure/search_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 1 << 22 };
static const double far_off = 4;       /* times the least prediction: such methods come last, in case time runs out */
static const double plans_share = 0.5; /* of the time that is left: planning combinations, the rest tries them */
static const double golden = 0.6180339887498949;

/* However short the budget, there is one trial: else what is found would depend on how busy the machine is. */
static bool has_time(const ritz_search *s, const clock_state *clock)
{
    return s->budget <= 0 || clock->longest <= 0 || ritz_seconds() - clock->start + clock->longest <= s->budget;
}

static double time_left(const ritz_search *s, const clock_state *clock)
{
    return s->budget > 0 ? fmax(0, s->budget - (ritz_seconds() - clock->start)) : INFINITY;
}

/* Tries a configuration unless its like was tried. */
static ritz_status try_configuration(ritz_search *s, clock_state *clock, ritz_configuration *c)
{
    ritz_status status = RITZ_OK;
    if (ritz_search_find(s, c))
        return RITZ_OK;
    if (!has_time(s, clock)) {
        clock->is_over = true;
        return RITZ_OK;
    }
    const double start = ritz_seconds();
    c->error = NAN;
    RITZ_TRY(ritz_check_interrupt());
    s->left = clock->longest > 0 ? time_left(s, clock) : INFINITY;
    RITZ_TRY(s->trial(s->context, c));
    clock->longest = fmax(clock->longest, ritz_seconds() - start);
    if (c->outcome == RITZ_TRIAL_NONE) {
        clock->is_over = true;
        return RITZ_OK;
    }
    RITZ_TRY(ritz_search_add(s, c));
    if (s->added)
        RITZ_TRY(s->added(s->context));
done:
    return status;
}

static int compare_predicted(const void *one, const void *other)
{
    const ritz_configuration *a = one, *b = other;
    const double x = isnan(a->predicted) ? INFINITY : a->predicted, y = isnan(b->predicted) ? INFINITY : b->predicted;
    return x != y ? (x < y ? -1 : 1) : (a->place > b->place) - (a->place < b->place);
}

/* Those of a list that will be tried. */
static ritz_status prepare_configurations(ritz_search *s, const clock_state *clock, const ritz_configuration *list,
                                          int n)
{
    ritz_status status = RITZ_OK;
    ritz_configuration *next = NULL;
    int n_next = 0;
    RITZ_NEW(next, n);
    for (int k = 0; k < n; k++)
        if (!ritz_search_find(s, &list[k]))
            next[n_next++] = list[k];
    s->left = time_left(s, clock);
    if (n_next > 1 && s->left > 0) /* a single one prepares itself */
        RITZ_TRY(s->prepare(s->context, next, n_next));
done:
    ritz_free(next);
    return status;
}

ritz_status ritz_search_try(ritz_search *s, clock_state *clock, ritz_configuration *list, int64_t n)
{
    ritz_status status = RITZ_OK;
    for (int64_t k = 0; k < n; k++)
        list[k].place = k;
    if (n > 0) /* else there may be no list */
        qsort(list, (size_t)n, sizeof *list, compare_predicted);
    for (int64_t k = 0; k < n; k++) {
        s->n_left = n - k + clock->n_rest;
        if (s->prepare && k % s->n_together == 0 && has_time(s, clock))
            RITZ_TRY(prepare_configurations(s, clock, &list[k], (int)ritz_min64(n - k, s->n_together)));
        RITZ_TRY(try_configuration(s, clock, &list[k]));
    }
done:
    return status;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* A step with which all of n points are reached, the first ones far from each other. */
static int64_t choose_step(int64_t n)
{
    int64_t step = (int64_t)(golden * (double)n) | 1;
    while (common_divisor(n, step) != 1)
        step++;
    return step;
}

ritz_status ritz_search_try_space(ritz_search *s, clock_state *clock, const ritz_method *method, const space *all)
{
    ritz_status status = RITZ_OK;
    ritz_configuration *list = NULL;
    const int64_t n_points = (int64_t)all->n_points, step = choose_step(n_points);
    const double end = ritz_seconds() + plans_share * time_left(s, clock);
    int64_t n = 0, capacity = 0;
    for (int64_t k = 0, at = 0; k < n_points; k++, at = (at + step) % n_points) {
        const point p = ritz_search_take_point(method, all, at);
        RITZ_TRY(ritz_check_interrupt());
        clock->is_over = clock->is_over || ritz_seconds() > end;
        if (ritz_seconds() > end)
            break;
        if (n == capacity) {
            capacity = ritz_min64(2 * capacity + 64, n_points);
            RITZ_RESIZE(list, capacity);
        }
        n += ritz_search_make(s, method, &p, &list[n]);
    }
    RITZ_TRY(ritz_search_try(s, clock, list, n));
done:
    ritz_free(list);
    return status;
}

/* ---- Methods ---- */

/* Methods as they plan themselves; those without a plan are reported. */
static ritz_status plan_methods(ritz_search *s, ritz_configuration *list, int *n)
{
    ritz_status status = RITZ_OK;
    *n = 0;
    for (int m = 0; m < s->n_methods; m++) {
        if (!s->methods[m]->applies(s->the_case, s->limits))
            continue;
        ritz_configuration *own = &list[*n];
        *own = (ritz_configuration){.method = s->methods[m], .error = NAN};
        if (ritz_search_plan(s, own) == RITZ_OK) {
            ++*n;
            continue;
        }
        own->outcome = RITZ_TRIAL_REFUSED;
        snprintf(own->reason, sizeof own->reason, "%s", ritz_message());
        RITZ_TRY(ritz_search_add(s, own));
    }
done:
    return status;
}

/* Puts those that the model does not expect to be far slower than the best before the others; how many. */
static int move_near_first(ritz_configuration *list, int n)
{
    double least = INFINITY;
    int n_near = 0;
    for (int k = 0; k < n; k++)
        least = fmin(least, list[k].predicted);
    for (int k = 0; k < n; k++) {
        if (list[k].predicted > far_off * least)
            continue;
        const ritz_configuration near = list[k];
        list[k] = list[n_near];
        list[n_near++] = near;
    }
    return n_near;
}

int ritz_search_compare_seconds(const void *one, const void *other)
{
    const ritz_configuration *a = one, *b = other;
    return a->seconds < b->seconds ? -1 : a->seconds > b->seconds;
}

/* Methods as they plan themselves, then their parameters. */
static ritz_status try_methods(ritz_search *s, clock_state *clock, ritz_configuration *list, int n)
{
    ritz_status status = RITZ_OK;
    walk *walks = NULL, *next;
    for (int k = 0; k < n; k++) /* about a trial each, so that the time left is not told too short */
        clock->n_rest += list[k].method->n_parameters;
    RITZ_TRY(ritz_search_try(s, clock, list, n));
    RITZ_NEW(walks, n);
    for (int k = 0; k < n; k++)
        ritz_search_start_walk(&list[k], ritz_search_best(s, list[k].method), s->whole_up_to, &walks[k]);
    while (!clock->is_over && (next = ritz_search_choose_walk(s, walks, n))) {
        clock->n_rest = ritz_search_count_rest(s, walks, n);
        RITZ_TRY(ritz_search_take_step(s, clock, next));
    }
    clock->n_rest = 0;
done:
    ritz_free(walks);
    return status;
}

/* Makes a list of methods one of their fastest configurations, the fastest first; INFINITY: it has no time. */
static void take_fastest(const ritz_search *s, ritz_configuration *list, int n)
{
    for (int k = 0; k < n; k++) {
        const ritz_configuration *best = ritz_search_best(s, list[k].method);
        if (best)
            list[k] = *best;
        else
            list[k].seconds = INFINITY;
    }
    qsort(list, (size_t)n, sizeof *list, ritz_search_compare_seconds);
}

ritz_status ritz_search_run(ritz_search *s)
{
    ritz_status status = RITZ_OK;
    clock_state clock = {.start = ritz_seconds()};
    ritz_configuration *own = NULL;
    int n = 0;
    s->complete = false;
    if (s->first) {
        ritz_configuration first = *s->first;
        RITZ_TRY(try_configuration(s, &clock, &first));
    }
    RITZ_NEW(own, s->n_methods);
    RITZ_TRY(plan_methods(s, own, &n));
    const int n_near = move_near_first(own, n);
    RITZ_TRY(try_methods(s, &clock, own, n_near));
    RITZ_TRY(try_methods(s, &clock, own + n_near, n - n_near));
    take_fastest(s, own, n);
    for (int k = 0; k < n && s->exhaustive && own[k].seconds < INFINITY; k++) {
        space all;
        ritz_search_make_space(&own[k], &all);
        if (all.n_points <= ALL)
            RITZ_TRY(ritz_search_try_space(s, &clock, own[k].method, &all));
    }
    s->complete = !clock.is_over;
done:
    ritz_free(own);
    return status;
}
