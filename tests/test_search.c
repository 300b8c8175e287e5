/* The search for the fastest configuration: methods are planted that are slow, wrong, that crash or hang in processes of
   their own; the fastest right one is found, failures are listed, and an interrupted search goes on where it was. */
#include "elements.h"
#include "measure/isolate.h"
#include "measure/search.h"
#include "measure/trial.h"
#include "measure/tuned_rows.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const ritz_device_info card = {.name = "Some Card",
                                      .kind = RITZ_DEVICE_GPU,
                                      .global_memory = INT64_C(1) << 32,
                                      .largest_allocation = INT64_C(1) << 30,
                                      .local_memory = 48 << 10,
                                      .largest_local_memory = 48 << 10,
                                      .work_group_size = 1024,
                                      .group_multiple = 32,
                                      .compute_units = 16,
                                      .vector_width_f32 = 1,
                                      .vector_width_f64 = 1,
                                      .has_f64 = true};

/* ---- Planted methods: two parameters, plans without limits but for one of them ---- */

enum { A, B };

static bool applies(const ritz_case *c, const ritz_device_info *limits)
{
    (void)c;
    (void)limits;
    return true;
}

static ritz_status plan(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters, ritz_plan *p)
{
    (void)c;
    *p = (ritz_plan){.parameters = {parameters[A] ? parameters[A] : 1, parameters[B] ? parameters[B] : 2},
                     .layout = {.width = 1},
                     .local_size = 1,
                     .n_workers = 1,
                     .bytes_per_element = 8};
    if (p->parameters[B] == 4 && p->parameters[A] > 2)
        return ritz_fail(RITZ_ERROR_INPUT, "no local memory for that on %s", limits->name);
    return RITZ_OK;
}

static ritz_status no_plan(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters, ritz_plan *p)
{
    (void)c;
    (void)parameters;
    (void)p;
    return ritz_fail(RITZ_ERROR_INPUT, "too many registers for %s", limits->name);
}

#define PLANTED(symbol, its_name, its_plan)                                                                            \
    static const ritz_method symbol = {.name = (its_name),                                                             \
                                       .n_parameters = 2,                                                              \
                                       .parameters = {{"a", "1 to 4", 1, 4, false}, {"b", "1 to 512", 1, 512, false}}, \
                                       .applies = applies,                                                             \
                                       .plan = (its_plan)}
PLANTED(slow, "slow", plan);
PLANTED(good, "good", plan);
PLANTED(flat, "flat", plan);
PLANTED(late, "late", plan);
PLANTED(wrong, "wrong", plan);
PLANTED(crashing, "crashing", plan);
PLANTED(hanging, "hanging", plan);
PLANTED(greedy, "greedy", no_plan);
static const ritz_method *const planted[] = {&slow, &wrong, &good, &crashing, &hanging, &greedy};
enum { N_PLANTED = sizeof planted / sizeof planted[0] };

/* The time of a configuration: least at a = 3, b = 64; `flat` has one time, and `late`'s plan is slower, all else of it faster. */
static double seconds_of(const ritz_configuration *c)
{
    if (c->method == &flat || c->method == &late)
        return 1e-9 * (c->method == &flat ? 10 : c->taken[A] == 1 ? 13 : 5);
    const double a = c->taken[A] - 3, b = c->taken[B] / 64.0;
    return (c->method == &slow ? 4 : 1) * 1e-9 * (10 + a * a + (b > 1 ? b : 1 / b));
}

static void work(void *context, void *to)
{
    const ritz_configuration *c = context;
    if (c->method == &crashing)
        raise(SIGSEGV);
    while (c->method == &hanging)
        sleep(1);
    *(double *)to = seconds_of(c);
}

typedef struct bench {
    int n_trials, end_after;
    bool in_processes;
} bench;

/* A wrong result has the best time of all, which nobody must see. */
static ritz_status try_planted(void *context, ritz_configuration *c)
{
    bench *b = context;
    double seconds = 0;
    ritz_isolated_end end = RITZ_ISOLATED_DONE;
    if (b->end_after && b->n_trials == b->end_after)
        return ritz_fail(RITZ_INTERRUPTED, "as asked");
    b->n_trials++;
    if (b->in_processes || c->method == &crashing || c->method == &hanging)
        OK(ritz_isolate(work, c, 0.2, &seconds, sizeof seconds, &end, c->reason));
    else
        seconds = seconds_of(c);
    c->outcome = end == RITZ_ISOLATED_TOO_LONG ? RITZ_TRIAL_TOO_LONG
                 : end != RITZ_ISOLATED_DONE   ? RITZ_TRIAL_CRASHED
                 : c->method == &wrong         ? RITZ_TRIAL_WRONG
                                               : RITZ_TRIAL_TIMED;
    c->seconds = c->method == &wrong ? 1e-12 : seconds;
    return RITZ_OK;
}

static void make_case(ritz_case *c)
{
    *c = (ritz_case){.cell = RITZ_TET, .order = 1, .geometry_order = 1, .n_components = 1, .precision = RITZ_F64};
}

static int count_trials(const ritz_search *s, const ritz_method *method, ritz_trial_outcome outcome)
{
    int n = 0;
    for (int64_t k = 0; k < s->n; k++)
        n += s->tried[k].method == method && s->tried[k].outcome == outcome;
    return n;
}

/* Trials of planted times, with time for all of them. */
static ritz_search planted_search(const ritz_case *c, const ritz_method *const *methods, int n_methods, bench *b,
                                  int64_t whole_up_to)
{
    return (ritz_search){.the_case = c,
                         .limits = &card,
                         .methods = methods,
                         .n_methods = n_methods,
                         .trial = try_planted,
                         .context = b,
                         .budget = 100,
                         .whole_up_to = whole_up_to};
}

static void finds_the_fastest(void **unused)
{
    (void)unused;
    for (int whole = 0; whole < 2; whole++) {
        ritz_case c;
        make_case(&c);
        bench b = {.in_processes = whole};
        ritz_search s = planted_search(&c, planted, N_PLANTED, &b, whole ? 64 : 8);
        OK(ritz_search_run(&s));
        const ritz_configuration *best = ritz_search_best(&s, NULL);
        assert_non_null(best);
        assert_string_equal(best->method->name, "good");
        assert_string_equal(best->settings, "a=3,b=64");
        assert_true(s.complete);
        /* one after the other, or all but those that have no plan */
        assert_in_range(count_trials(&s, &good, RITZ_TRIAL_TIMED), whole ? 38 : 12, whole ? 38 : 30);
        assert_int_equal(count_trials(&s, &slow, RITZ_TRIAL_TIMED), 1);
        assert_int_equal(count_trials(&s, &wrong, RITZ_TRIAL_WRONG), 1);
        assert_int_equal(count_trials(&s, &crashing, RITZ_TRIAL_CRASHED), 1);
        assert_int_equal(count_trials(&s, &hanging, RITZ_TRIAL_TOO_LONG), 1);
        assert_int_equal(count_trials(&s, &greedy, RITZ_TRIAL_REFUSED), 1);
        assert_null(ritz_search_best(&s, &wrong));
        for (int64_t k = 0; k < s.n; k++)
            if (s.tried[k].outcome == RITZ_TRIAL_REFUSED)
                assert_string_equal(s.tried[k].reason, "too many registers for Some Card");
            else if (s.tried[k].outcome == RITZ_TRIAL_CRASHED)
                assert_non_null(strstr(s.tried[k].reason, "signal 11"));
        ritz_search_clear(&s);
    }
}

static void check_order(const ritz_search *s, const int32_t expected[][2], int n)
{
    assert_true(s->n > n);
    for (int k = 0; k < n; k++) {
        assert_int_equal(s->tried[k].taken[A], expected[k][0]);
        assert_int_equal(s->tried[k].taken[B], expected[k][1]);
    }
}

/* The two nearest values of each parameter around the best so far, then one parameter after the other: a is 1 and b 2 by itself.
   There is no plan with b = 4 where a > 2: a is left to the plan there. */
static void tries_what_is_near_first(void **unused)
{
    (void)unused;
    static const ritz_method *const alone[] = {&good};
    static const int32_t expected[][2] = {{1, 2}, {2, 2}, {2, 1}, {3, 2},  {1, 4},
                                          {2, 4}, {4, 2}, {2, 8}, {2, 16}, {2, 32}};
    ritz_case c;
    make_case(&c);
    bench b = {0};
    ritz_search s = planted_search(&c, alone, 1, &b, 8);
    OK(ritz_search_run(&s));
    check_order(&s, expected, sizeof expected / sizeof expected[0]);
    ritz_search_clear(&s);
}

/* Of four configurations that are compiled together a = 3 and b = 64 are faster, each alone: both together are next. */
static void joins_what_is_faster(void **unused)
{
    (void)unused;
    static const ritz_method *const alone[] = {&good};
    static const int32_t expected[][2] = {{1, 32}, {1, 2}, {2, 32}, {1, 16}, {3, 32}, {1, 64}, {3, 64}};
    ritz_case c;
    make_case(&c);
    bench b = {0};
    ritz_search s = planted_search(&c, alone, 1, &b, 8);
    s.n_together = 4;
    OK(ritz_search_remember(&s, &good, "a=1,b=32", RITZ_TRIAL_TIMED, 16e-9, ""));
    OK(ritz_search_run(&s));
    check_order(&s, expected, sizeof expected / sizeof expected[0]);
    ritz_search_clear(&s);
}

static void predict_slow(void *context, const ritz_plan *p, ritz_configuration *c)
{
    (void)context;
    (void)p;
    c->predicted = c->least = (c->method == &slow ? 5 : 1) * 1e-9;
}

/* A method that the model expects to be five times slower comes after the parameters of the others; without a model,
   before them, in the order of the list. */
static void tries_what_is_far_off_last(void **unused)
{
    (void)unused;
    static const ritz_method *const two[] = {&slow, &good};
    for (int predicts = 0; predicts < 2; predicts++) {
        ritz_case c;
        make_case(&c);
        bench b = {0};
        ritz_search s = planted_search(&c, two, 2, &b, 8);
        s.predict = predicts ? predict_slow : NULL;
        OK(ritz_search_run(&s));
        assert_true(s.complete && s.n > 10);
        assert_int_equal(count_trials(&s, &slow, RITZ_TRIAL_TIMED), 1);
        assert_ptr_equal(s.tried[predicts ? s.n - 1 : 0].method, &slow);
        ritz_search_clear(&s);
    }
}

/* A method that is a little slower as it plans itself has some trials before the fastest one has had all of its own. */
static void leaves_no_method_out(void **unused)
{
    (void)unused;
    static const ritz_method *const two[] = {&flat, &late};
    ritz_case c;
    make_case(&c);
    bench b = {.end_after = 10};
    ritz_search s = planted_search(&c, two, 2, &b, 8);
    assert_int_equal(ritz_search_run(&s), RITZ_INTERRUPTED);
    assert_ptr_equal(ritz_search_best(&s, NULL)->method, &late);
    assert_int_equal(count_trials(&s, &flat, RITZ_TRIAL_TIMED), 7);
    ritz_search_clear(&s);
}

/* A search of the good method that remembers a = 3, b = 64 as its best, and what came of another b. */
static ritz_search search_beside_best(const ritz_case *c, bench *b, const char *other, ritz_trial_outcome outcome,
                                      double seconds)
{
    static const ritz_method *const alone[] = {&good};
    ritz_search s = planted_search(c, alone, 1, b, 8);
    OK(ritz_search_remember(&s, &good, "a=3,b=64", RITZ_TRIAL_TIMED, 1e-9, ""));
    OK(ritz_search_remember(&s, &good, other, outcome, seconds, ""));
    OK(ritz_search_run(&s));
    return s;
}

/* A value that takes more than twice the best's time, and nothing beyond it: b = 16 is the first of those below 64. */
static void leaves_what_is_beyond_slow(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    bench b = {0};
    ritz_search s = search_beside_best(&c, &b, "a=3,b=16", RITZ_TRIAL_TIMED, 3e-9);
    for (int64_t k = 0; k < s.n; k++)
        assert_false(s.tried[k].taken[A] == 3 && s.tried[k].taken[B] < 16);
    ritz_search_clear(&s);
}

/* A value that only failed says nothing of those beyond it: b = 32 crashed, and 16 is tried. */
static void goes_beyond_failures(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    bench b = {0};
    int n = 0;
    ritz_search s = search_beside_best(&c, &b, "a=3,b=32", RITZ_TRIAL_CRASHED, 0);
    for (int64_t k = 0; k < s.n; k++)
        n += s.tried[k].taken[A] == 3 && s.tried[k].taken[B] == 16;
    assert_int_equal(n, 1);
    ritz_search_clear(&s);
}

/* A plan that is 3 % slower at most stays, so that what is written does not change from run to run. */
static void keeps_what_is_usual(void **unused)
{
    (void)unused;
    static const ritz_method *const two[] = {&slow, &good};
    char *rows = NULL;
    ritz_case c;
    make_case(&c);
    bench b = {0};
    for (int k = 0; k < 2; k++) {
        ritz_search s = planted_search(&c, two, 2, &b, 8);
        OK(ritz_search_remember(&s, &slow, "", RITZ_TRIAL_TIMED, k ? 1.05e-9 : 1.02e-9, ""));
        OK(ritz_search_remember(&s, &good, "a=3,b=64", RITZ_TRIAL_TIMED, 1e-9, ""));
        s.usual = &slow;
        OK(ritz_rows_put_case("", &card, &s, false, "tet, poisson", &rows));
        assert_non_null(strstr(rows, k ? "Some_Card good good=1" : "Some_Card slow slow=1"));
        ritz_free(rows);
        ritz_search_clear(&s);
    }
}

/* Half way, its rows in a file; the second search tries only the rest, and comes to the same. */
static void goes_on(void **unused)
{
    (void)unused;
    char *rows = NULL, *more = NULL, text[RITZ_TUNED_TEXT];
    bool complete;
    int64_t n_rows;
    ritz_case c;
    make_case(&c);
    bench b = {.end_after = 7};
    ritz_search s = planted_search(&c, planted, 3, &b, 64);
    assert_int_equal(ritz_search_run(&s), RITZ_INTERRUPTED);
    assert_false(s.complete);
    OK(ritz_rows_put_case("product.group * 3\n", &card, &s, false, "tet, poisson", &rows));
    OK(ritz_tuning_check(rows, &n_rows));
    assert_non_null(strstr(rows, "product.group * 3\n"));
    ritz_search_clear(&s);
    OK(ritz_rows_recall(rows, &s, &complete));
    assert_false(complete);
    assert_int_equal(s.n, 7);
    b = (bench){0};
    OK(ritz_search_run(&s));
    assert_int_equal(b.n_trials, 40 - 7); /* 38 of good, one of slow, one of wrong */
    OK(ritz_rows_put_case(rows, &card, &s, false, "tet, poisson", &more));
    ritz_free(rows);
    OK(ritz_tuning_override(more));
    ritz_fact facts[2 + RITZ_CASE_FACTS] = {{"good", 1}, {"slow", 1}};
    ritz_case_facts(&c, facts + 2);
    ritz_tuned_text(&card, RITZ_INTEGRATE_METHOD, facts, 2 + RITZ_CASE_FACTS, NULL, NULL, text);
    assert_string_equal(text, "good");
    ritz_tuned_text(&card, RITZ_INTEGRATE_PARAMETERS, facts, 2 + RITZ_CASE_FACTS, NULL, NULL, text);
    assert_string_equal(text, "a=3,b=64");
    c.order = 2;
    ritz_case_facts(&c, facts + 2);
    ritz_tuned_text(&card, RITZ_INTEGRATE_PARAMETERS, facts, 2 + RITZ_CASE_FACTS, NULL, NULL, text);
    assert_string_equal(text, "none");
    c.order = 1;
    OK(ritz_tuning_override(NULL));
    ritz_search_clear(&s);
    OK(ritz_rows_recall(more, &s, &complete));
    assert_true(complete);
    s.complete = complete;
    OK(ritz_rows_put_case(more, &card, &s, false, "tet, poisson", &rows)); /* the case's rows do not pile up */
    assert_string_equal(rows, more);
    ritz_search_clear(&s);
    ritz_free(more);
    ritz_free(rows);
}

/* The row of a matrix with values of so many bytes; NULL: what is built in is the best. */
static char *put_height(char *rows, const char *height, int value)
{
    char *changed = NULL, terms[32];
    const ritz_fact facts[] = {{"value", value}, {"block", 3}, {"mean", 20}};
    snprintf(terms, sizeof terms, "value=%d", value);
    const ritz_constant_row row = {RITZ_MATRIX_SLICE_HEIGHT, height, terms, "12 us", facts, 3};
    OK(ritz_rows_put_constant(rows, &card, &row, &changed));
    ritz_free(rows);
    return changed;
}

/* The row of a constant takes the place of all that would serve the same matrix, whatever their terms; a value that is built
   in has no row. */
static void replaces_constants(void **unused)
{
    (void)unused;
    char *rows = NULL;
    OK(ritz_copy_text("# by hand\nmatrix.slice_height name:Some_Card 24 mean>=8\nmatrix.slice_height cpu 8\n"
                      "matrix.slice_height name:Some_Card 40 value=8 block=2\n"
                      "matrix.sort_window name:Some_Card 40\n",
                      &rows));
    rows = put_height(rows, "16", 8);
    rows = put_height(rows, "64", 4);
    rows = put_height(rows, "8", 8);
    assert_string_equal(rows, "matrix.slice_height name:Some_Card 8 value=8 # 12 us\n"
                              "matrix.slice_height name:Some_Card 64 value=4 # 12 us\n"
                              "# by hand\nmatrix.slice_height cpu 8\n"
                              "matrix.slice_height name:Some_Card 40 value=8 block=2\n"
                              "matrix.sort_window name:Some_Card 40\n");
    rows = put_height(rows, NULL, 8);
    assert_null(strstr(rows, "name:Some_Card 8 "));
    assert_non_null(strstr(rows, "name:Some_Card 64 value=4"));
    ritz_free(rows);
}

/* Two searches of one case, each with the rows as the other one left them: none loses what the other one found, nor what was
   found for methods that it does not search. What found nothing leaves the rows that auto reads. */
static void joins_others(void **unused)
{
    (void)unused;
    ritz_case c;
    bool complete;
    char *rows = NULL, *more = NULL;
    make_case(&c);
    bench b = {0};
    const ritz_method *const one[] = {&slow}, *const other[] = {&good}, *const bad[] = {&wrong};
    ritz_search first = planted_search(&c, one, 1, &b, 64);
    ritz_search second = first, third = first;
    second.methods = other;
    third.methods = bad;
    OK(ritz_search_run(&first));
    OK(ritz_search_run(&second));
    OK(ritz_search_run(&third));
    OK(ritz_rows_put_case(NULL, &card, &third, false, "tet", &rows));
    assert_null(strstr(rows, "integrate.method"));
    ritz_free(rows);
    OK(ritz_rows_put_case("integrate.method name:Some_Card good good=1 tet=1 order=1 geometry=1\n", &card, &first,
                          false, "tet", &rows));
    const ritz_method *const both[] = {&slow, &good};
    ritz_search joined = first;
    joined.methods = both;
    joined.n_methods = 2;
    joined.tried = NULL;
    joined.n = joined.capacity = 0;
    /* trials of a method are passed on where the search knows it */
    first.methods = second.methods = both;
    first.n_methods = second.n_methods = 2;
    OK(ritz_rows_put_case(rows, &card, &second, false, "tet", &more));
    OK(ritz_rows_recall(more, &joined, &complete));
    assert_int_equal(joined.n, first.n + second.n);
    assert_non_null(strstr(more, "integrate.method name:Some_Card good"));
    assert_non_null(strstr(more, "integrate.parameters name:Some_Card a=3,b=64 slow=1"));
    ritz_free(rows);
    /* anew: what the file holds of the methods that are searched goes */
    OK(ritz_rows_put_case(more, &card, &first, true, "tet", &rows));
    ritz_search_clear(&joined);
    OK(ritz_rows_recall(rows, &joined, &complete));
    assert_int_equal(joined.n, first.n);
    ritz_free(more);
    /* a search that timed nothing takes no row away */
    third.methods = (const ritz_method *const[]){&wrong, &slow};
    third.n_methods = 2;
    OK(ritz_rows_put_case(rows, &card, &third, true, "tet", &more));
    assert_non_null(strstr(more, "integrate.method name:Some_Card slow"));
    ritz_free(rows);
    ritz_free(more);
    ritz_search_clear(&first);
    ritz_search_clear(&second);
    ritz_search_clear(&third);
    ritz_search_clear(&joined);
}

/* An exhaustive search tries the parameters of slow methods, too, also within a budget. */
static void is_exhaustive(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    bench b = {0};
    ritz_search s = planted_search(&c, planted, 3, &b, 8);
    s.exhaustive = true;
    OK(ritz_search_run(&s));
    assert_true(s.complete);
    assert_int_equal(count_trials(&s, &good, RITZ_TRIAL_TIMED), 38);
    assert_int_equal(count_trials(&s, &slow, RITZ_TRIAL_TIMED), 38);
    ritz_search_clear(&s);
}

/* After the first trial, nothing is begun that the budget has no time for. */
static void keeps_the_budget(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    bench b = {.in_processes = true};
    ritz_search s = {.the_case = &c,
                     .limits = &card,
                     .methods = planted + 3, /* each takes a process; those of the hanging one 0.2 s */
                     .n_methods = 2,
                     .trial = try_planted,
                     .context = &b,
                     .budget = 1e-9,
                     .whole_up_to = 64};
    OK(ritz_search_run(&s));
    assert_false(s.complete);
    assert_int_equal(b.n_trials, 1);
    ritz_search_clear(&s);
    /* what is taken without a search comes first: with time for one trial only nothing gets slower */
    ritz_configuration untuned = {.method = &good, .settings = "b=64"};
    s.methods = planted;
    s.n_methods = 3;
    s.first = &untuned;
    s.budget = 100;
    b = (bench){.end_after = 1};
    OK(ritz_search_plan(&s, &untuned));
    assert_int_equal(ritz_search_run(&s), RITZ_INTERRUPTED);
    assert_int_equal(s.n, 1);
    assert_string_equal(ritz_search_best(&s, NULL)->settings, "b=64");
    ritz_search_clear(&s);
}

/* A method of a million combinations, which would take minutes to plan. */
static ritz_status plan_any(const ritz_case *c, const ritz_device_info *limits, const int32_t *parameters, ritz_plan *p)
{
    (void)c;
    (void)limits;
    *p = (ritz_plan){.layout = {.width = 1}, .local_size = 1, .n_workers = 1, .bytes_per_element = 8};
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    for (int k = 0; k < 6; k++)
        p->parameters[k] = parameters[k] ? parameters[k] : 1;
    return RITZ_OK;
}
static const ritz_method wide = {.name = "wide",
                                 .n_parameters = 6,
                                 .parameters = {{"a", "1 to 512", 1, 512, false},
                                                {"b", "1 to 512", 1, 512, false},
                                                {"c", "1 to 512", 1, 512, false},
                                                {"d", "1 to 512", 1, 512, false},
                                                {"e", "1 to 512", 1, 512, false},
                                                {"f", "1 to 512", 1, 512, false}},
                                 .applies = applies,
                                 .plan = plan_any};

/* Only the first trial may take as long as it needs. */
typedef struct slow_bench {
    ritz_search *search;
    int n_endless;
    double least_left;
} slow_bench;

static ritz_status try_slowly(void *context, ritz_configuration *c)
{
    slow_bench *b = context;
    b->n_endless += isinf(b->search->left);
    b->least_left = fmin(b->least_left, b->search->left);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    c->outcome = RITZ_TRIAL_TIMED;
    c->seconds = 1e-9 * (1 + c->taken[A]);
    return RITZ_OK;
}

/* Combinations are planned within the budget, too, and what is begun is told what is left of it. */
static void plans_within_the_budget(void **unused)
{
    (void)unused;
    static const ritz_method *const one[] = {&wide};
    ritz_case c;
    make_case(&c);
    slow_bench b = {.least_left = INFINITY};
    ritz_search s = planted_search(&c, one, 1, NULL, 8);
    b.search = &s;
    s.context = &b;
    s.trial = try_slowly;
    s.exhaustive = true;
    s.budget = 0.5;
    const double start = ritz_seconds();
    OK(ritz_search_run(&s));
    assert_true(ritz_seconds() - start < 10); /* on a busy machine, too */
    assert_false(s.complete);
    assert_int_equal(b.n_endless, 1);
    assert_true(b.least_left > 0 && b.least_left <= s.budget);
    ritz_search_clear(&s);
}

/* The budget ends within a trial: nothing is known of its configuration, and a later run tries it. */
static ritz_status try_one_then_none(void *context, ritz_configuration *c)
{
    int *n_trials = context;
    c->outcome = (*n_trials)++ ? RITZ_TRIAL_NONE : RITZ_TRIAL_TIMED;
    c->seconds = 1e-9;
    return RITZ_OK;
}

static void forgets_what_was_cut(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    int n_trials = 0;
    ritz_search s = planted_search(&c, planted, 3, NULL, 8);
    s.trial = try_one_then_none;
    s.context = &n_trials;
    OK(ritz_search_run(&s));
    assert_true(n_trials > 1);
    assert_int_equal(s.n, 1);
    assert_false(s.complete);
    ritz_search_clear(&s);
}

/* As many run side by side as one turn has time for. */
static void settles_within_the_budget(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    for (int seconds = 0; seconds < 5; seconds++) {
        bench b = {0};
        static const ritz_method *const one[] = {&good};
        ritz_search s = planted_search(&c, one, 1, &b, 64);
        for (int a = 1; a <= 4; a++) {
            ritz_configuration tried = {.method = &good, .outcome = RITZ_TRIAL_TIMED, .took = 1000};
            snprintf(tried.settings, sizeof tried.settings, "a=%d", a);
            OK(ritz_search_plan(&s, &tried));
            tried.seconds = seconds_of(&tried);
            OK(ritz_search_add(&s, &tried));
        }
        OK(ritz_search_settle(&s, ritz_seconds() + 1000 * seconds + 500));
        assert_int_equal(b.n_trials, 5 * (seconds < 2 ? 2 : seconds));
        ritz_search_clear(&s);
    }
}

/* A real search: two methods of the registry on one tiny case, each trial a process of its own. */
static ritz_status try_really(void *context, ritz_configuration *c)
{
    return ritz_try_configuration(context, c);
}

static ritz_status tell_nobody(void *context, ritz_device *on, const ritz_configuration *configuration,
                               const ritz_measurement *measurement)
{
    (void)context;
    (void)on;
    (void)configuration;
    (void)measurement;
    return ritz_fail(RITZ_ERROR_FILE, "the disk is full");
}

/* Coordinates from the mesh lose digits in single on meshes finer than the tuner's box: they are not tried there. */
static void leaves_what_loses_digits(void **unused)
{
    (void)unused;
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_mesh *mesh = box_mesh(RITZ_HEX, 2);
    test_data data;
    OK(ritz_form_create("mass", 3, &form));
    OK(ritz_space_create(mesh, 1, 1, &space));
    make_data(form, space->batches[0].n_cells, 8, false, &data);
    const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data.datum};
    for (int in_double = 0; in_double < 2; in_double++) {
        ritz_case c;
        ritz_case_of(&integral, in_double ? RITZ_F64 : RITZ_F32, &c);
        const ritz_search s = {.the_case = &c, .limits = &card};
        for (int m = 0; m < n_methods; m++) {
            ritz_configuration by_sets = {.method = methods[m], .settings = "input=1"},
                               gathered = {.method = methods[m], .settings = "input=3"};
            if (strcmp(methods[m]->name, "qss") != 0)
                continue;
            OK(ritz_search_plan(&s, &by_sets));
            assert_int_equal(ritz_search_plan(&s, &gathered), in_double ? RITZ_OK : RITZ_ERROR_INPUT);
        }
    }
    free_data(&data);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

static void searches_really(void **unused)
{
    (void)unused;
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods), *two[2] = {NULL};
    test_data data;
    ritz_form *form = NULL;
    ritz_space *space = NULL;
    ritz_mesh *mesh = box_mesh(RITZ_TRI, 4);
    for (int m = 0; m < n_methods; m++)
        for (int k = 0; k < 2; k++)
            if (strcmp(methods[m]->name, k ? "dd-sr" : "lanes") == 0)
                two[k] = methods[m];
    OK(ritz_form_create("mass", 2, &form));
    OK(ritz_space_create(mesh, 1, 1, &space));
    make_data(form, space->batches[0].n_cells, 3, false, &data);
    const ritz_integral integral = {.space = space, .batch = &space->batches[0], .form = form, .data = data.datum};
    ritz_case c;
    ritz_case_of(&integral, RITZ_F32, &c);
    ritz_trial_setting setting = {
        .device = getenv("RITZ_TEST_DEVICE"), .integral = &integral, .precision = RITZ_F32, .repeat = 2, .limit = 120};
    ritz_search s = {.the_case = &c,
                     .limits = &card,
                     .methods = two,
                     .n_methods = 2,
                     .trial = try_really,
                     .context = &setting,
                     .whole_up_to = 0};
    /* the plans' own choices alone: no budget for more */
    s.budget = 1e-3;
    ritz_configuration first = {.method = two[0]};
    OK(ritz_try_configuration(&setting, &first));
    assert_int_equal(first.outcome, RITZ_TRIAL_TIMED);
    assert_true(first.seconds > 0 && first.error >= 0 && first.error < 2e-5);
    ritz_configuration refused = {.method = two[0], .settings = "lanes=3"};
    OK(ritz_try_configuration(&setting, &refused));
    assert_int_equal(refused.outcome, RITZ_TRIAL_REFUSED);
    assert_non_null(strstr(refused.reason, "lanes"));
    /* what is no fault of the configuration ends a search, and is no word about it */
    ritz_trial_setting spoilt = setting;
    ritz_configuration untouched = {.method = two[0]};
    spoilt.device = "abacus";
    assert_int_equal(ritz_try_configuration(&spoilt, &untouched), RITZ_ERROR_DEVICE);
    spoilt = setting;
    spoilt.told = tell_nobody;
    assert_int_equal(ritz_try_configuration(&spoilt, &untouched), RITZ_ERROR_FILE);
    assert_non_null(strstr(ritz_message(), "the disk is full"));
    assert_int_equal(untouched.outcome, RITZ_TRIAL_NONE);
    OK(ritz_search_run(&s));
    const ritz_configuration *best = ritz_search_best(&s, NULL);
    assert_true(best && best->seconds > 0 && s.n == 1);
    ritz_search_clear(&s);
    /* values of young beyond single precision: wrong, and never a time */
    for (int64_t k = 0; k < space->batches[0].n_cells; k++)
        data.values[0][k] = 1e39;
    ritz_configuration beyond = {.method = two[0]};
    OK(ritz_try_configuration(&setting, &beyond));
    assert_int_equal(beyond.outcome, RITZ_TRIAL_WRONG);
    assert_true(beyond.seconds == 0);
    free_data(&data);
    ritz_space_destroy(&space);
    ritz_form_destroy(&form);
    ritz_mesh_destroy(&mesh);
}

/* Times that end in a five are printed with the same digits when they were read again. */
static void repeats_digits(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    bench b = {0};
    const ritz_method *const one[] = {&good};
    for (int k = 1; k < 100; k += 2) {
        bool complete;
        char *rows = NULL, *again = NULL;
        ritz_search s = planted_search(&c, one, 1, &b, 64), recalled = s;
        OK(ritz_search_remember(&s, &good, "a=3,b=64", RITZ_TRIAL_TIMED, 1e-9 * (2000 + k) / 200, ""));
        OK(ritz_rows_put_case(NULL, &card, &s, false, "tet", &rows));
        OK(ritz_rows_recall(rows, &recalled, &complete));
        OK(ritz_rows_put_case(NULL, &card, &recalled, false, "tet", &again));
        assert_string_equal(rows, again);
        ritz_free(rows);
        ritz_free(again);
        ritz_search_clear(&s);
        ritz_search_clear(&recalled);
    }
}

/* Times that lie once: slow is the fastest by chance at first, good's best is slow where something else ran beside it. */
typedef struct unsteady {
    int n_slow, n_good, n_trials, fails_at;
} unsteady;

static ritz_status try_unsteady(void *context, ritz_configuration *c)
{
    unsteady *u = context;
    if (u->fails_at && ++u->n_trials == u->fails_at)
        return ritz_fail(RITZ_INTERRUPTED, "as asked");
    const bool is_best = c->method == &good && c->taken[A] == 3 && c->taken[B] == 64;
    c->outcome = RITZ_TRIAL_TIMED;
    c->seconds = seconds_of(c);
    if (c->method == &slow && u->n_slow++ == 0)
        c->seconds /= 16;
    if (is_best && u->n_good++ % 3 == 0)
        c->seconds *= 2.5;
    return RITZ_OK;
}

static void settles_side_by_side(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    unsteady u = {0};
    static const ritz_method *const two[] = {&slow, &good};
    ritz_search s = planted_search(&c, two, 2, NULL, 1);
    char *rows = NULL;
    s.trial = try_unsteady;
    s.context = &u;
    s.open = true;
    ritz_configuration own = {.method = &slow}, right = {.method = &good, .settings = "a=3,b=64"},
                       near = {.method = &good, .settings = "a=2,b=64"};
    ritz_configuration *const all[] = {&own, &right, &near};
    for (int k = 0; k < 3; k++) {
        OK(ritz_search_plan(&s, all[k]));
        OK(try_unsteady(&u, all[k]));
        OK(ritz_search_add(&s, all[k]));
    }
    assert_string_equal(ritz_search_best(&s, NULL)->method->name, "slow");
    OK(ritz_rows_put_case("integrate.method name:Some_Card other\n", &card, &s, false, "tet", &rows));
    assert_non_null(strstr(rows, " | slow | ")); /* kept, but nothing goes by it yet */
    assert_null(strstr(rows, "integrate.method name:Some_Card slow"));
    ritz_free(rows);
    OK(ritz_search_settle(&s, 0));
    s.open = false;
    const ritz_configuration *best = ritz_search_best(&s, NULL);
    assert_string_equal(best->settings, "a=3,b=64");
    assert_true(best->seconds == seconds_of(best));
    assert_true(s.tried[0].seconds == seconds_of(&s.tried[0]));
    assert_int_equal(u.n_good, 6); /* five turns are the median's */
    OK(ritz_rows_put_case(NULL, &card, &s, false, "tet", &rows));
    assert_non_null(strstr(rows, "integrate.method name:Some_Card good"));
    ritz_free(rows);
    s.tried[0].seconds = 1e-6; /* it came upon a stall, since the model expects it to be the fastest */
    s.tried[0].predicted = 1e-9;
    OK(ritz_search_settle(&s, 0));
    assert_true(s.tried[0].seconds == seconds_of(&s.tried[0]));
    u.n_good = 6;
    u.fails_at = 3;
    assert_int_equal(ritz_search_settle(&s, 0), RITZ_INTERRUPTED);
    u.fails_at = 0;
    OK(ritz_search_settle(&s, ritz_seconds() - 1)); /* no time: one turn */
    assert_int_equal(u.n_good, 6 + 1 + 1);
    ritz_search_clear(&s);
}

/* A machine that is half as fast at times: trials number 7 to 9 and from 16 on. */
static ritz_status try_in_phases(void *context, ritz_configuration *c)
{
    int *n_trials = context;
    const bool slow_now = (*n_trials >= 7 && *n_trials < 10) || *n_trials >= 16;
    ++*n_trials;
    c->outcome = RITZ_TRIAL_TIMED;
    c->seconds = seconds_of(c) * (slow_now ? 2 : 1);
    return RITZ_OK;
}

/* What is taken without a search was timed in a slow minute, others, which are slower, in a fast one. */
static void compares_within_a_turn(void **unused)
{
    (void)unused;
    ritz_case c;
    make_case(&c);
    int n_trials = 0;
    static const ritz_method *const one[] = {&good};
    static const char *const settings[] = {"a=2,b=64", "a=1,b=64", "a=4,b=64", "a=3,b=32", "a=3,b=64"};
    ritz_search s = planted_search(&c, one, 1, NULL, 1);
    char *rows = NULL;
    ritz_configuration untuned = {.method = &good, .settings = "a=3,b=64"};
    s.trial = try_in_phases;
    s.context = &n_trials;
    s.open = true;
    s.first = &untuned;
    OK(ritz_search_plan(&s, &untuned));
    for (int k = 0; k < 5; k++) {
        ritz_configuration tried = {.method = &good, .outcome = RITZ_TRIAL_TIMED};
        snprintf(tried.settings, sizeof tried.settings, "%s", settings[k]);
        OK(ritz_search_plan(&s, &tried));
        tried.seconds = seconds_of(&tried) * (k == 4 ? 10 : 1);
        OK(ritz_search_add(&s, &tried));
    }
    OK(ritz_search_settle(&s, 0));
    s.open = false;
    const ritz_configuration *best = ritz_search_best(&s, NULL);
    assert_string_equal(best->settings, "a=3,b=64");
    for (int k = 0; k < 5; k++) {
        assert_true(s.tried[k].in_turns);
        assert_true(fabs(s.tried[k].seconds / best->seconds - seconds_of(&s.tried[k]) / seconds_of(best)) < 1e-12);
    }
    s.first = NULL;
    OK(ritz_rows_put_case(NULL, &card, &s, false, "tet", &rows));
    assert_non_null(strstr(rows, " | in turns"));
    bool complete;
    ritz_search recalled = s;
    recalled.tried = NULL;
    recalled.n = recalled.capacity = 0;
    OK(ritz_rows_recall(rows, &recalled, &complete));
    assert_int_equal(recalled.n, 5);
    recalled.tried[0].in_turns = false; /* a single trial in a fast minute */
    recalled.tried[0].seconds /= 100;
    assert_string_equal(ritz_search_best(&recalled, NULL)->settings, "a=3,b=64");
    ritz_free(rows);
    ritz_search_clear(&recalled);
    ritz_search_clear(&s);
}

int main(void)
{
    omp_set_num_threads(1); /* trials are copies of this process */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_fastest),
        cmocka_unit_test(tries_what_is_near_first),
        cmocka_unit_test(joins_what_is_faster),
        cmocka_unit_test(tries_what_is_far_off_last),
        cmocka_unit_test(leaves_no_method_out),
        cmocka_unit_test(leaves_what_is_beyond_slow),
        cmocka_unit_test(goes_beyond_failures),
        cmocka_unit_test(keeps_what_is_usual),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(replaces_constants),
        cmocka_unit_test(joins_others),
        cmocka_unit_test(is_exhaustive),
        cmocka_unit_test(keeps_the_budget),
        cmocka_unit_test(plans_within_the_budget),
        cmocka_unit_test(forgets_what_was_cut),
        cmocka_unit_test(settles_within_the_budget),
        cmocka_unit_test(leaves_what_loses_digits),
        cmocka_unit_test(searches_really),
        cmocka_unit_test(repeats_digits),
        cmocka_unit_test(settles_side_by_side),
        cmocka_unit_test(compares_within_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
