/* One case of `ritz tune`: mesh and data, the model, trials, and what stands in the tuning file after each of them. */
#include "box_case.h"
#include "tune.h"

#include "device/ceilings.h"
#include "plan.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE_UP_TO = 24, VERIFY_REPEAT = 15, TOGETHER_MOST = 8, LEAST_CHECK = 16 };
static const double default_limit = 60; /* seconds a trial: compilers take some of them */
/* Of the budget: until when there is search, the rest of it being for turns of the best; and picks are verified after it. */
static const double search_until = 0.7, verify_until = 1.5;

/* ---- The tuner ---- */

/* What the device tells of itself, from a process of its own. */
typedef struct device_told {
    ritz_status status;
    ritz_device_info info;
    ritz_device_ceilings ceilings;
    char when[32], message[512];
} device_told;

typedef struct device_question {
    const ritz_tune_arguments *a;
    bool ceilings; /* are wanted */
} device_question;

static void query_device(void *context, void *to)
{
    const device_question *asked = context;
    device_told *told = to;
    ritz_device *device = NULL;
    ritz_tuning_be_quiet(); /* the tuner reads the file, too */
    told->status = ritz_device_open(asked->a->device, &device);
    if (told->status == RITZ_OK && asked->ceilings)
        told->status = ritz_device_known_ceilings(device, asked->a->measure, &told->ceilings, told->when);
    if (told->status == RITZ_OK)
        told->info = *ritz_device_get_info(device);
    else
        snprintf(told->message, sizeof told->message, "%s", ritz_message());
    ritz_device_close(&device);
}

static ritz_status copy_rows(void *context, const char *rows, char **changed)
{
    (void)context;
    return ritz_copy_text(rows, changed);
}

ritz_status ritz_tuner_start(const ritz_tune_arguments *a, ritz_tuner_use use, ritz_tuner *t)
{
    ritz_status status = RITZ_OK;
    device_question asked = {a, use != RITZ_TUNER_PRINTS};
    device_told told = {0};
    ritz_isolated_end end;
    char reason[256];
    *t = (ritz_tuner){.a = a, .threads = omp_get_max_threads(), .keeps = use == RITZ_TUNER_KEEPS};
    omp_set_num_threads(1);
    ritz_progress("asking the device", -1);
    RITZ_TRY(ritz_isolate(query_device, &asked, 300, &told, sizeof told, &end, reason));
    RITZ_REQUIRE(end == RITZ_ISOLATED_DONE, RITZ_ERROR_DEVICE, "the device can not be opened: %s", reason);
    RITZ_REQUIRE(told.status == RITZ_OK, told.status, "%s", told.message);
    t->info = told.info;
    t->ceilings = told.ceilings;
    memcpy(t->when, told.when, sizeof t->when);
    if (use == RITZ_TUNER_KEEPS)
        RITZ_TRY(ritz_tuning_change(&t->info, copy_rows, NULL, &t->rows));
    else if (use == RITZ_TUNER_PRINTS)
        RITZ_TRY(ritz_tuning_read_existing(&t->info, &t->rows));
    else
        RITZ_TRY(ritz_tuning_read(&t->info, &t->rows));
    if (!t->rows)
        RITZ_TRY(ritz_copy_text("", &t->rows));
done:
    return status;
}

void ritz_tuner_clear(ritz_tuner *t)
{
    ritz_free(t->rows);
    t->rows = NULL;
}

ritz_status ritz_tuner_keep(ritz_tuner *t, ritz_tuning_changer *change, void *context)
{
    char *rows = NULL;
    const ritz_status status =
        t->keeps ? ritz_tuning_change(&t->info, change, context, &rows) : change(context, t->rows, &rows);
    if (status == RITZ_OK) {
        ritz_free(t->rows);
        t->rows = rows;
    }
    return status;
}

/* ---- The case ---- */

/* What a search works on. */
typedef struct workplace {
    ritz_tuner *tuner;
    ritz_tune_case *c;
    ritz_box_case on;
    const ritz_method *method; /* the only one that is searched; NULL: those of the arguments */
    ritz_trial_setting setting;
    double limit; /* seconds for a trial that the budget has time for */
    double start, part_start, budget;
    ritz_configuration untuned; /* what auto takes without tuning; REFUSED: it has no plan */
    bool alike;                 /* trials run side by side: a slow one is timed as often as the others */
    bool replaces;              /* what the file tells of the case's methods */
} workplace;

void ritz_tune_case_words(const ritz_tune_case *c, char *text, size_t size)
{
    snprintf(text, size, "%s %s p=%d %s", ritz_cell_name(c->cell), c->form, c->order,
             ritz_cli_precision_name(c->precision));
}

static ritz_box_wanted box_of_case(const ritz_tuner *t, const ritz_tune_case *c)
{
    const ritz_tune_arguments *a = t->a;
    return (ritz_box_wanted){.command = "tune",
                             .cell = c->cell,
                             .order = c->order,
                             .form = c->form,
                             .precision = c->precision,
                             .data = a->data,
                             .n_data = a->n_data,
                             .seed = a->seed,
                             .elements = a->elements,
                             .distort = a->distort,
                             .result = a->result};
}

ritz_status ritz_tune_recall(const ritz_tuner *t, const ritz_tune_case *c, bool *possible, int64_t *place)
{
    ritz_status status = RITZ_OK;
    ritz_box_wanted wanted = box_of_case(t, c);
    ritz_box_case on = {0};
    bool complete;
    wanted.elements = 1; /* a case is the same on any number of them */
    status = ritz_box_case_create(&wanted, &t->info, &on);
    *possible = status == RITZ_OK;
    *place = -1;
    if (status == RITZ_ERROR_INPUT)
        status = RITZ_OK;
    if (*possible) {
        ritz_search s = {.the_case = &on.the_case,
                         .limits = &t->info,
                         .methods = t->a->methods,
                         .n_methods = t->a->n_methods,
                         .elements = t->a->elements};
        status = ritz_rows_recall(t->rows, &s, &complete);
        bool known = false;
        for (int64_t k = 0; k < s.n; k++)
            known = known || ritz_search_has(&s, s.tried[k].method);
        if (status == RITZ_OK && known)
            status = ritz_rows_find_case(t->rows, &s, place);
        ritz_search_clear(&s);
    }
    ritz_box_case_clear(&on);
    return status;
}

static ritz_status make_workplace(ritz_tuner *t, ritz_tune_case *c, workplace *w)
{
    const ritz_box_wanted wanted = box_of_case(t, c);
    const ritz_status status = ritz_box_case_create(&wanted, &t->info, &w->on);
    if (status == RITZ_OK) {
        c->the_case = w->on.the_case;
        c->elements = w->on.integral.batch->n_cells;
    }
    return status;
}

/* ---- What the search calls ---- */

static void predict_time(void *context, const ritz_plan *plan, ritz_configuration *configuration)
{
    const workplace *w = context;
    const ritz_case *c = &w->c->the_case;
    const ritz_method *method = configuration->method;
    ritz_work work;
    const char *bound;
    ritz_count_case(c, w->on.form, w->on.data.datum, method, plan, w->on.source, &work);
    configuration->least = ritz_cli_least_seconds(&work, w->c->precision, &w->tuner->ceilings, &bound);
    configuration->memory_bound = strcmp(bound, "memory") == 0;
    configuration->predicted = configuration->least / ritz_expected_share(c, &w->tuner->info, method, plan);
}

/* In the process of a trial: a row of the record. */
static ritz_status record_trial(void *context, ritz_device *device, const ritz_configuration *configuration,
                                const ritz_measurement *measurement)
{
    ritz_status status = RITZ_OK;
    const workplace *w = context;
    ritz_integrate_arguments given = w->on.as_given;
    char text[RITZ_SETTINGS_TEXT];
    const char *settings[RITZ_MAX_PARAMETERS];
    ritz_record_field *fields = NULL;
    int n_fields = 0;
    given.n_settings = ritz_configuration_settings(configuration, text, settings);
    memcpy(given.settings, settings, sizeof settings);
    RITZ_TRY(ritz_integrate_fields(&given, &w->on.integral, device, measurement, &w->tuner->ceilings, w->tuner->when,
                                   &fields, &n_fields));
    RITZ_TRY(ritz_record_append(w->tuner->a->record, "integrate", fields, n_fields));
done:
    ritz_free(fields);
    return status;
}

/* The rows with what is known of the case by now. What an earlier run found stays beside it until a search that began
   anew has come to its end. */
static ritz_status replace_case_rows(void *context, const char *rows, char **changed)
{
    const workplace *w = context;
    char words[128];
    ritz_tune_case_words(w->c, words, sizeof words);
    return ritz_rows_put_case(rows, &w->tuner->info, &w->c->search, w->replaces, words, changed);
}

/* Keeps what is known; a search that failed stays the failure, with its message. */
static ritz_status keep_case(workplace *w, ritz_status searched)
{
    ritz_status status = RITZ_OK;
    char *why = NULL;
    if (searched != RITZ_OK)
        RITZ_TRY(ritz_copy_text(ritz_message(), &why));
    status = ritz_tuner_keep(w->tuner, replace_case_rows, w);
    if (searched != RITZ_OK)
        status = ritz_fail(searched, "%s", why);
done:
    ritz_free(why);
    return status;
}

/* "tet poisson p=1 f64: lanes rows=2, 12 tried, about 30 s left" */
static void tell_progress(const workplace *w, const ritz_configuration *configuration)
{
    const ritz_search *s = &w->c->search;
    char words[128], stage[512];
    const double gone = ritz_seconds() - w->start;
    double left = s->n > 0 ? gone / (double)s->n * (double)s->n_left : w->budget;
    left = w->budget > 0 ? fmax(0, fmin(left, w->budget - gone)) : left;
    ritz_tune_case_words(w->c, words, sizeof words);
    if (w->alike)
        snprintf(stage, sizeof stage, "%s: side by side, %s", words, configuration->method->name);
    else
        snprintf(stage, sizeof stage, "%s: %s %s, %lld tried, about %.0f s left", words, configuration->method->name,
                 configuration->settings, (long long)s->n, left);
    ritz_progress(stage, w->budget > 0 ? fmin(1, gone / w->budget) : -1);
}

/* Seconds for a trial. What auto takes without tuning gets the usual ones at least: nothing is known to be faster than
   what has no time. */
static double limit_of(const workplace *w, const ritz_configuration *c)
{
    const bool is_untuned = w->untuned.method == c->method && w->untuned.outcome != RITZ_TRIAL_REFUSED &&
                            memcmp(w->untuned.taken, c->taken, sizeof c->taken) == 0;
    return is_untuned ? fmax(w->limit, default_limit) : w->limit;
}

static ritz_status try_configuration(void *context, ritz_configuration *configuration)
{
    ritz_status status = RITZ_OK;
    workplace *w = context;
    const double limit = limit_of(w, configuration);
    const ritz_configuration *best = ritz_search_best(&w->c->search, NULL);
    tell_progress(w, configuration);
    w->setting.best = best && !w->alike ? best->seconds : 0;
    w->setting.limit = w->alike ? limit : fmin(limit, w->c->search.left);
    RITZ_TRY(ritz_try_configuration(&w->setting, configuration));
    if (configuration->outcome == RITZ_TRIAL_TOO_LONG && w->setting.limit < limit)
        configuration->outcome = RITZ_TRIAL_NONE; /* the budget ended: that says nothing about the configuration */
    ritz_log("tune: %s %s: %s %s %.4g ns", configuration->method->name, configuration->settings,
             ritz_trial_outcome_name(configuration->outcome), configuration->reason, 1e9 * configuration->seconds);
done:
    return status;
}

static ritz_status prepare_trials(void *context, const ritz_configuration *list, int n)
{
    workplace *w = context;
    char words[128], stage[256];
    ritz_tune_case_words(w->c, words, sizeof words);
    snprintf(stage, sizeof stage, "%s: compiling %d kernels", words, n);
    ritz_progress(stage, -1);
    w->setting.limit = fmin(w->limit, w->c->search.left);
    return ritz_prepare_trials(&w->setting, list, n);
}

/* After each trial: a run that is killed loses the one that it was at. */
static ritz_status keep_trials(void *context)
{
    workplace *w = context;
    return ritz_tuner_keep(w->tuner, replace_case_rows, w);
}

/* ---- The search ---- */

/* The time since the part before it. */
static void end_part(workplace *w, ritz_tune_part part)
{
    const double now = ritz_seconds();
    w->c->parts[part] += now - w->part_start;
    w->part_start = now;
}

/* When a share of the budget is spent; 0: there is none. */
static double share_end(const workplace *w, double share)
{
    return w->budget > 0 ? w->start + share * w->budget : 0;
}

/* The configuration that an earlier run found best, tried anew; false where there is none. */
static ritz_status retry_known(workplace *w, bool *is_known)
{
    ritz_status status = RITZ_OK;
    ritz_search *s = &w->c->search;
    const ritz_configuration *best = ritz_search_best(s, w->method);
    ritz_configuration again;
    *is_known = best != NULL;
    if (best)
        again = (ritz_configuration){.method = best->method,
                                     .predicted = best->predicted,
                                     .least = best->least,
                                     .memory_bound = best->memory_bound,
                                     .error = NAN};
    if (best)
        memcpy(again.settings, best->settings, sizeof again.settings);
    ritz_search_clear(s);
    if (*is_known) {
        RITZ_TRY(ritz_try_configuration(&w->setting, &again));
        RITZ_TRY(ritz_search_add(s, &again));
    }
done:
    return status;
}

/* What auto takes without tuning runs again where an earlier run has no time of it: data may have been wrong, or memory
   short, and what is timed in its place may be slower. */
static void forget_failure(ritz_search *s, const ritz_configuration *untuned)
{
    const ritz_configuration *known = ritz_search_find(s, untuned);
    if (!known || known->outcome == RITZ_TRIAL_TIMED)
        return;
    const int64_t at = known - s->tried;
    memmove(s->tried + at, s->tried + at + 1, (size_t)(s->n - at - 1) * sizeof *s->tried);
    s->n--;
}

static void set_search(workplace *w)
{
    const ritz_tune_arguments *a = w->tuner->a;
    w->limit = a->limit > 0 ? a->limit : default_limit;
    w->c->search = (ritz_search){.the_case = &w->c->the_case,
                                 .limits = &w->tuner->info,
                                 .methods = w->method ? &w->method : a->methods,
                                 .n_methods = w->method ? 1 : a->n_methods,
                                 .predict = predict_time,
                                 .trial = try_configuration,
                                 .prepare = w->tuner->threads > 1 ? prepare_trials : NULL,
                                 .n_together = (int)ritz_min64(w->tuner->threads, TOGETHER_MOST),
                                 .added = keep_trials,
                                 .context = w,
                                 .whole_up_to = WHOLE_UP_TO,
                                 .exhaustive = a->exhaustive,
                                 .elements = w->method ? -1 : a->elements}; /* what one method takes is tried anew */
    w->setting = (ritz_trial_setting){.device = a->device,
                                      .integral = &w->on.integral,
                                      .precision = w->c->precision,
                                      .repeat = (int)a->repeat,
                                      .sample = ritz_measure_sample(&w->c->the_case, w->on.form, LEAST_CHECK),
                                      .seed = (uint64_t)a->seed,
                                      .threads = w->tuner->threads,
                                      .limit = w->limit,
                                      .told = a->record ? record_trial : NULL,
                                      .context = w};
}

static ritz_status search_case(workplace *w)
{
    ritz_status status = RITZ_OK;
    const ritz_tune_arguments *a = w->tuner->a;
    ritz_search *s = &w->c->search;
    bool complete = false;
    set_search(w);
    RITZ_TRY(ritz_trial_expect(&w->setting));
    RITZ_TRY(ritz_rows_recall(w->tuner->rows, s, &complete));
    if (w->method) {
        bool is_known;
        RITZ_TRY(retry_known(w, &is_known));
        if (is_known)
            goto done;
        complete = false;
    }
    /* a search that came to its end begins anew, unless there is more to do */
    const bool anew = a->again || (complete && !a->exhaustive && !a->verify);
    if (anew)
        ritz_search_forget(s, 0);
    RITZ_TRY(ritz_tune_pick_untuned(w->tuner, w->c, &w->untuned));
    if (w->untuned.outcome != RITZ_TRIAL_REFUSED && ritz_search_has(s, w->untuned.method)) {
        forget_failure(s, &w->untuned);
        s->first = &w->untuned;
        s->usual = w->untuned.method;
    }
    end_part(w, RITZ_TUNE_INPUT);
    if (w->budget > 0)
        s->budget = fmax(1e-3, share_end(w, search_until) - ritz_seconds());
    const int64_t n_settled = complete && !anew ? s->n : 0;
    s->open = true;
    status = ritz_search_run(s);
    w->alike = true;
    end_part(w, RITZ_TUNE_SEARCH);
    if (status == RITZ_OK && s->n > n_settled)
        status = ritz_search_settle(s, share_end(w, 1));
    s->first = NULL;
    s->open = status != RITZ_OK;
    s->complete = s->complete && status == RITZ_OK;
    w->replaces = anew && status == RITZ_OK && ritz_search_best(s, NULL);
    status = keep_case(w, status);
    if (status == RITZ_OK || status == RITZ_INTERRUPTED) { /* what was found is printed either way */
        const ritz_status searched = status;
        RITZ_TRY(ritz_tune_choose_picks(w->tuner, w->c));
        RITZ_TRY(searched);
    }
    end_part(w, RITZ_TUNE_TURNS);
    if (status == RITZ_OK && a->verify) {
        w->setting.repeat = w->setting.repeat > VERIFY_REPEAT ? w->setting.repeat : VERIFY_REPEAT;
        RITZ_TRY(ritz_tune_verify(w->c, share_end(w, verify_until)));
        end_part(w, RITZ_TUNE_VERIFY);
    }
done:
    return status;
}

static ritz_status tune_methods(ritz_tuner *t, const ritz_method *method, double budget, ritz_tune_case *c)
{
    ritz_status status = RITZ_OK;
    workplace w = {.tuner = t, .c = c, .method = method, .start = ritz_seconds(), .budget = budget};
    w.part_start = w.start;
    c->budget = budget;
    c->again = t->a->again;
    status = make_workplace(t, c, &w);
    if (status == RITZ_ERROR_INPUT) {
        snprintf(c->skipped, sizeof c->skipped, "%s", ritz_message());
        status = RITZ_OK;
        goto done;
    }
    RITZ_TRY(status);
    RITZ_TRY(search_case(&w));
done:
    ritz_trial_forget(&w.setting);
    c->seconds = ritz_seconds() - w.start;
    ritz_box_case_clear(&w.on);
    return status;
}

ritz_status ritz_tune_one(ritz_tuner *t, double budget, ritz_tune_case *c)
{
    return tune_methods(t, NULL, budget, c);
}

ritz_status ritz_tune_method(ritz_tuner *t, const ritz_method *method, double budget, ritz_tune_case *c)
{
    return tune_methods(t, method, budget, c);
}

void ritz_tune_case_clear(ritz_tune_case *c)
{
    ritz_search_clear(&c->search);
}
