/* The search for the fastest configuration of a case. */
#include "measure/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN = INT32_MIN, MOST_VALUES = 16, MOST_SWEEPS = 3, MOST_POWER = 1024, EACH_UP_TO = 8, ALL = 1 << 22 };
enum { NEAREST = 2 };                         /* values of each parameter that are tried before those farther off */
enum { SHORT_RANGE = 3 };                     /* values of which the nearest are all */
enum { TOGETHER_MOST = 64, MOST_JOINED = 3 }; /* configurations that are compiled together; of gains put together */
static const double worth_more = 2; /* times the fastest: slower methods, and what is beyond such a value, are left */
static const double far_off = 4;    /* times the least prediction: such methods come last, in case time runs out */
static const double least_gain = 0.01; /* of the time, for another sweep over the parameters */
static const double plans_share = 0.5; /* of the time that is left: planning combinations, the rest tries them */
static const double patience = 16;     /* trials after which a method counts as twice as slow */
static const double golden = 0.6180339887498949;

/* ---- Configurations ---- */

/* Values of a method's parameters; OPEN: the plan chooses. */
typedef struct point {
    int32_t values[RITZ_MAX_PARAMETERS];
} point;

static point open_point(void)
{
    point p;
    for (int k = 0; k < RITZ_MAX_PARAMETERS; k++)
        p.values[k] = OPEN;
    return p;
}

static void write_settings(const ritz_method *method, const point *p, char *text)
{
    *text = '\0';
    for (int k = 0; k < method->n_parameters; k++) {
        const size_t used = strlen(text);
        if (p->values[k] != OPEN)
            snprintf(text + used, RITZ_SETTINGS_TEXT - used, "%s%s=%d", used ? "," : "", method->parameters[k].name,
                     (int)p->values[k]);
    }
}

ritz_status ritz_search_plan(const ritz_search *s, ritz_configuration *c)
{
    char text[RITZ_SETTINGS_TEXT];
    const char *settings[RITZ_MAX_PARAMETERS];
    const int n = ritz_configuration_settings(c, text, settings);
    ritz_plan plan;
    ritz_status status = ritz_method_plan(c->method, s->the_case, s->limits, settings, n, &plan);
    if (status == RITZ_OK)
        status = ritz_plan_check_memory(c->method, s->limits, &plan);
    if (status == RITZ_OK && plan.approximate)
        status = ritz_fail(RITZ_ERROR_INPUT, "an approximation is not compared with what is exact");
    if (status == RITZ_OK && plan.input == RITZ_INPUT_GATHERED && s->the_case->precision == RITZ_F32)
        status = ritz_fail(RITZ_ERROR_INPUT, "in single, coordinates from the mesh have fewer digits of a cell's size "
                                             "the more cells there are, which a box does not show");
    if (status != RITZ_OK)
        return status;
    memcpy(c->taken, plan.parameters, sizeof c->taken);
    c->predicted = c->least = NAN;
    if (s->predict)
        s->predict(s->context, &plan, c);
    return RITZ_OK;
}

/* ---- Values ---- */

static void add_value(int32_t value, const ritz_method_parameter *p, int32_t *values, int *n)
{
    for (int k = 0; k < *n; k++)
        if (values[k] == value)
            return;
    if (value >= p->least && value <= p->most && *n < MOST_VALUES)
        values[(*n)++] = value;
}

/* The values after the first, the nearest to it first. */
static void sort_by_nearness(int32_t *values, int n)
{
    for (int k = 2; k < n; k++)
        for (int j = k; j > 1; j--) {
            const double a = fabs(log2((values[j - 1] + 1.0) / (values[0] + 1.0))),
                         b = fabs(log2((values[j] + 1.0) / (values[0] + 1.0)));
            if (a <= b)
                break;
            const int32_t nearer = values[j];
            values[j] = values[j - 1];
            values[j - 1] = nearer;
        }
}

/* What is tried for a parameter: what the plan takes by itself; all values of a short range, or powers of two; half,
   2, 4 and 16 times as many work-groups. What is far from the plan's own comes last, in case time runs out. */
static int list_values(const ritz_method_parameter *p, int32_t own, int32_t *values)
{
    int n = 0;
    add_value(own, p, values, &n);
    if (strcmp(p->name, "workers") == 0) {
        add_value(own / 2, p, values, &n);
        for (int32_t times = 2; times <= 16 && own <= p->most / times; times *= times)
            add_value(times * own, p, values, &n);
    } else if (p->most <= EACH_UP_TO) {
        for (int32_t value = p->least; value <= p->most; value++)
            add_value(value, p, values, &n);
    } else {
        add_value(p->least, p, values, &n);
        for (int32_t value = 1; value <= MOST_POWER; value *= 2)
            add_value(value, p, values, &n);
    }
    sort_by_nearness(values, n);
    return n;
}

/* The values of all parameters of a method, around its own plan. */
typedef struct space {
    int n[RITZ_MAX_PARAMETERS];
    int32_t values[RITZ_MAX_PARAMETERS][MOST_VALUES];
    double n_points;
} space;

static void make_space(const ritz_configuration *own, space *all)
{
    all->n_points = 1;
    for (int p = 0; p < own->method->n_parameters; p++) {
        all->n[p] = list_values(&own->method->parameters[p], own->taken[p], all->values[p]);
        all->n_points *= all->n[p];
    }
}

/* ---- Trials ---- */

/* The time that is left, and the longest trial so far. */
typedef struct clock {
    double start, longest; /* 0: none was tried yet */
    bool is_over;          /* there was no time for something */
    int64_t n_rest;        /* about so many trials after those of the list that is tried */
} clock_state;

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

/* All of a list, the least predicted time first; of equal ones, as they stand. */
static ritz_status try_configurations(ritz_search *s, clock_state *clock, ritz_configuration *list, int64_t n)
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

/* The configuration of a point; false where no plan takes it. */
static bool make_configuration(const ritz_search *s, const ritz_method *method, const point *p, ritz_configuration *c)
{
    *c = (ritz_configuration){.method = method};
    write_settings(method, p, c->settings);
    return ritz_search_plan(s, c) == RITZ_OK;
}

/* The same where parameter d has a new value: another one that does not go with it is left to the plan. */
static bool make_changed(const ritz_search *s, const ritz_method *method, const point *p, int d, ritz_configuration *c)
{
    bool made = make_configuration(s, method, p, c);
    for (int other = 0; other < method->n_parameters && !made; other++) {
        point q = *p;
        q.values[other] = OPEN;
        made = other != d && make_configuration(s, method, &q, c);
    }
    return made;
}

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

/* Point number k of a space. */
static point take_point(const ritz_method *method, const space *all, int64_t k)
{
    point p = open_point();
    for (int d = 0; d < method->n_parameters; d++) {
        const int n = all->n[d] > 0 ? all->n[d] : 1;
        p.values[d] = all->values[d][k % n];
        k /= n;
    }
    return p;
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

/* All combinations, or those that the time is enough to plan, from all over the space: of a million, planning takes
   tens of seconds. */
static ritz_status try_whole_space(ritz_search *s, clock_state *clock, const ritz_method *method, const space *all)
{
    ritz_status status = RITZ_OK;
    ritz_configuration *list = NULL;
    const int64_t n_points = (int64_t)all->n_points, step = choose_step(n_points);
    const double end = ritz_seconds() + plans_share * time_left(s, clock);
    int64_t n = 0, capacity = 0;
    for (int64_t k = 0, at = 0; k < n_points; k++, at = (at + step) % n_points) {
        const point p = take_point(method, all, at);
        RITZ_TRY(ritz_check_interrupt());
        clock->is_over = clock->is_over || ritz_seconds() > end;
        if (ritz_seconds() > end)
            break;
        if (n == capacity) {
            capacity = ritz_min64(2 * capacity + 64, n_points);
            RITZ_RESIZE(list, capacity);
        }
        n += make_configuration(s, method, &p, &list[n]);
    }
    RITZ_TRY(try_configurations(s, clock, list, n));
done:
    ritz_free(list);
    return status;
}

/* The values of the best configuration so far. */
static point best_point(const ritz_configuration *best)
{
    point p = open_point();
    for (int d = 0; d < best->method->n_parameters; d++)
        p.values[d] = best->taken[d];
    return p;
}

/* Whether the last one of a list is neither tried nor in it already. */
static bool is_new(const ritz_search *s, const ritz_configuration *list, int last)
{
    for (int k = 0; k < last; k++)
        if (memcmp(list[k].taken, list[last].taken, sizeof list[k].taken) == 0)
            return false;
    return !ritz_search_find(s, &list[last]);
}

/* ---- Walks ---- */

static int compare_seconds(const void *one, const void *other)
{
    const ritz_configuration *a = one, *b = other;
    return a->seconds < b->seconds ? -1 : a->seconds > b->seconds;
}

/* Parameters whose own value, as the plan has it, is most often not the best one: they come first, all others after them. */
static const char *const promising[] = {"unroll",   "input",        "pairs",      "tile_rows",  "line_points",
                                        "elements", "rows",         "columns",    "bases",      "tile_columns",
                                        "stream",   "coefficients", "geometry",   "lanes",      "half",
                                        "points",   "items",        "work_group", "concurrent", "strip"};

/* A method's way through its parameters: the nearest values of each, then one parameter after the other around the best so far,
   while that becomes faster; all combinations at once of few. */
typedef struct walk {
    const ritz_method *method;
    space all;
    bool whole, is_done;
    int order[RITZ_MAX_PARAMETERS];   /* its parameters, the promising ones first */
    int at, round;                    /* the next one's place there; how often all of them had their turn */
    int value;                        /* the next of its values */
    int next[RITZ_MAX_PARAMETERS];    /* of each one's values, while the nearest are tried */
    int32_t own[RITZ_MAX_PARAMETERS]; /* the values that the plan chooses by itself */
    double before;                    /* the best's time when all had their turn last */
} walk;

/* Its place among the promising ones, after all of them if it is none. */
static int rank_of(const ritz_method_parameter *p)
{
    int k = 0;
    while (k < (int)(sizeof promising / sizeof *promising) && strcmp(p->name, promising[k]) != 0)
        k++;
    return k;
}

/* From the best one so far; NULL: none was right, and there is nothing to walk around. `own` is the method as it plans itself. */
static void start_walk(const ritz_configuration *own, const ritz_configuration *best, int64_t whole_up_to, walk *w)
{
    *w = (walk){.method = own->method, .is_done = best == NULL};
    if (!best)
        return;
    memcpy(w->own, own->taken, sizeof w->own);
    make_space(best, &w->all);
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
        point changed = best_point(best), alone = open_point();
        const int32_t value = w->all.values[d][w->next[d]++];
        changed.values[d] = alone.values[d] = value;
        if (is_beyond_slow(s, best, d, value))
            continue;
        made = make_changed(s, w->method, &changed, d, &list[n]);
        n += made && is_new(s, list, n);
        if (make_configuration(s, w->method, &alone, &list[n]) && is_adapted(w, &list[n], d)) {
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
    qsort(list, (size_t)n, sizeof *list, compare_seconds);
    for (int k = 0; k < n && n_joined < MOST_JOINED && list[k].seconds < (1 - least_gain) * seconds; k++) {
        int changed = 0;
        for (int d = 0; d < w->method->n_parameters; d++)
            if (list[k].taken[d] != from->values[d] && p.values[d] == from->values[d]) {
                p.values[d] = list[k].taken[d];
                changed++;
            }
        n_gains += changed > 0;
        if (changed && n_gains > 1 && make_configuration(s, w->method, &p, &joined[n_joined]))
            n_joined += is_new(s, joined, n_joined);
    }
    return try_configurations(s, clock, joined, n_joined);
}

/* The nearest values of the next parameters, as many configurations as are compiled together; of a short range all at once. */
static ritz_status try_nearest(ritz_search *s, clock_state *clock, walk *w)
{
    ritz_status status = RITZ_OK;
    ritz_configuration list[TOGETHER_MOST + 2 * SHORT_RANGE];
    const ritz_configuration *best = ritz_search_best(s, w->method);
    const point from = best_point(best);
    const double seconds = best->seconds;
    int n = 0;
    while (n < count_together(s) && w->round < NEAREST) {
        const int d = w->order[w->at];
        for (int v = 0; v < (w->all.n[d] <= SHORT_RANGE ? SHORT_RANGE - 1 : 1); v++)
            n += add_next_value(s, w, d, list, n);
        advance(w);
    }
    RITZ_TRY(try_configurations(s, clock, list, n));
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
    point p = best_point(best);
    int n = 0;
    if (w->at == 0 && w->value == 0) {
        w->is_done = has_ended(w, best->seconds);
        w->before = best->seconds;
    }
    for (; w->value < w->all.n[d] && n < count_together(s) && !w->is_done; w->value++) {
        p.values[d] = w->all.values[d][w->value];
        if (!is_beyond_slow(s, best, d, p.values[d]) && make_changed(s, w->method, &p, d, &list[n]))
            n += is_new(s, list, n);
    }
    if (w->value == w->all.n[d])
        advance(w);
    return try_configurations(s, clock, list, n);
}

static ritz_status take_step(ritz_search *s, clock_state *clock, walk *w)
{
    if (w->whole) {
        w->is_done = true;
        return try_whole_space(s, clock, w->method, &w->all);
    }
    return w->round < NEAREST ? try_nearest(s, clock, w) : try_parameter(s, clock, w);
}

static bool is_in_reach(const ritz_search *s, const walk *w)
{
    const ritz_configuration *best = w->is_done ? NULL : ritz_search_best(s, w->method);
    return best && (s->exhaustive || best->seconds <= worth_more * ritz_search_best(s, NULL)->seconds);
}

/* About so many values are left to try. */
static int64_t count_rest(const ritz_search *s, const walk *walks, int n)
{
    int64_t rest = 0;
    for (int k = 0; k < n; k++) {
        const walk *w = &walks[k];
        for (int d = w->round < NEAREST ? 0 : w->at; d < w->method->n_parameters && is_in_reach(s, w); d++)
            rest += w->all.n[w->order[d]];
    }
    return rest;
}

/* The walk that goes on: each trial makes a method look slower, so that the fastest has most of the trials and no other one is
   left out for it; NULL: all are done, or over twice as slow as the fastest. */
static walk *choose_walk(const ritz_search *s, walk *walks, int n)
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

/* Methods as they plan themselves, then their parameters. */
static ritz_status try_methods(ritz_search *s, clock_state *clock, ritz_configuration *list, int n)
{
    ritz_status status = RITZ_OK;
    walk *walks = NULL, *next;
    for (int k = 0; k < n; k++) /* about a trial each, so that the time left is not told too short */
        clock->n_rest += list[k].method->n_parameters;
    RITZ_TRY(try_configurations(s, clock, list, n));
    RITZ_NEW(walks, n);
    for (int k = 0; k < n; k++)
        start_walk(&list[k], ritz_search_best(s, list[k].method), s->whole_up_to, &walks[k]);
    while (!clock->is_over && (next = choose_walk(s, walks, n))) {
        clock->n_rest = count_rest(s, walks, n);
        RITZ_TRY(take_step(s, clock, next));
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
    qsort(list, (size_t)n, sizeof *list, compare_seconds);
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
        make_space(&own[k], &all);
        if (all.n_points <= ALL)
            RITZ_TRY(try_whole_space(s, &clock, own[k].method, &all));
    }
    s->complete = !clock.is_over;
done:
    ritz_free(own);
    return status;
}
