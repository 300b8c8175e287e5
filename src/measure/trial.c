/* One configuration tried for real. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "measure/trial.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static const double much_slower = 3; /* times the fastest: one pass is enough to know */
enum { REPEAT = 5 };

/* What the process of a trial gets and gives. */
typedef struct task {
    const ritz_trial_setting *setting;
    const ritz_configuration *configuration;
} task;
typedef struct result {
    ritz_status status;
    bool wrong;
    bool elsewhere; /* what failed is no matter of the configuration: the device, a record */
    double seconds, error;
    double open, compile, input, all; /* seconds of the trial, and of its parts before the first kernel */
    char reason[256];
} result;

static double largest_error(const ritz_measurement *m)
{
    return fmax(m->matrix_error, isnan(m->vector_error) ? 0 : m->vector_error);
}

ritz_measure_options ritz_trial_options(const ritz_trial_setting *s)
{
    return (ritz_measure_options){.precision = s->precision,
                                  .repeat = s->repeat ? s->repeat : REPEAT,
                                  .seed = s->seed,
                                  .sample = s->sample,
                                  .sample_only = true,
                                  .expected = s->expected};
}

static ritz_status check_and_time(const task *t, ritz_device *device, result *r)
{
    ritz_status status = RITZ_OK;
    const ritz_trial_setting *s = t->setting;
    char text[RITZ_SETTINGS_TEXT];
    const char *settings[RITZ_MAX_PARAMETERS];
    ritz_measurement m = {0};
    const double n = (double)s->integral->batch->n_cells;
    ritz_measure_options o = ritz_trial_options(s);
    o.method = t->configuration->method->name;
    o.settings = settings;
    o.n_settings = ritz_configuration_settings(t->configuration, text, settings);
    o.enough = s->best > 0 ? much_slower * s->best * n : INFINITY;
    RITZ_TRY(ritz_measure(device, s->integral, &o, &m));
    r->compile = m.compile;
    r->input = m.prepare_input + m.allocate + m.transfer_input;
    r->error = largest_error(&m);
    r->wrong = !ritz_measurement_is_accurate(&m, s->precision);
    r->seconds = m.kernel_least / n;
    if (r->wrong)
        goto done;
    r->elsewhere = true;
    if (s->told)
        RITZ_TRY(s->told(s->context, device, t->configuration, &m));
done:
    ritz_measurement_clear(&m);
    return status;
}

/* In the trial's process. What was tuned before must not take the place of what the plan chooses by itself. */
static void run_trial(void *context, void *to)
{
    const task *t = context;
    result *r = to;
    ritz_device *device = NULL;
    const double start = ritz_seconds();
    setenv("RITZ_TUNING", "none", 1);
    if (t->setting->threads > 0)
        omp_set_num_threads(t->setting->threads);
    r->status = ritz_device_open(t->setting->device, &device);
    r->open = ritz_seconds() - start;
    r->elsewhere = r->status != RITZ_OK;
    if (r->status == RITZ_OK)
        r->status = check_and_time(t, device, r);
    if (r->status != RITZ_OK)
        snprintf(r->reason, sizeof r->reason, "%s", ritz_message());
    ritz_device_close(&device);
    r->all = ritz_seconds() - start;
}

ritz_status ritz_try_configuration(const ritz_trial_setting *setting, ritz_configuration *c)
{
    ritz_status status = RITZ_OK;
    task t = {setting, c};
    result r;
    ritz_isolated_end end;
    char reason[256];
    const double start = ritz_seconds();
    RITZ_TRY(ritz_isolate(run_trial, &t, setting->limit, &r, sizeof r, &end, reason));
    if (end != RITZ_ISOLATED_DONE) {
        c->outcome = end == RITZ_ISOLATED_TOO_LONG ? RITZ_TRIAL_TOO_LONG : RITZ_TRIAL_CRASHED;
        snprintf(c->reason, sizeof c->reason, "%s", reason);
    } else if (r.status != RITZ_OK) {
        RITZ_REQUIRE(r.status != RITZ_INTERRUPTED && !r.elsewhere, r.status, "%s", r.reason);
        c->outcome = RITZ_TRIAL_REFUSED;
        snprintf(c->reason, sizeof c->reason, "%s", r.reason);
    } else {
        ritz_log("trial: %.2f s, of which the device was opened in %.2f, the kernel compiled in %.2f, the input "
                 "brought in %.2f",
                 r.all, r.open, r.compile, r.input);
        c->took = ritz_seconds() - start - r.compile;
        c->outcome = r.wrong ? RITZ_TRIAL_WRONG : RITZ_TRIAL_TIMED;
        c->seconds = r.wrong ? 0 : r.seconds;
        c->error = r.error;
        if (r.wrong)
            snprintf(c->reason, sizeof c->reason, "its error is %.3g, more than %.3g", r.error,
                     ritz_measure_tolerance(setting->precision));
    }
done:
    return status;
}

/* ---- What trials share ---- */

static void compile_kernel(void *context, void *to)
{
    const task *t = context;
    ritz_device *device = NULL;
    char text[RITZ_SETTINGS_TEXT], *source = NULL;
    const char *settings[RITZ_MAX_PARAMETERS];
    ritz_measure_options o = ritz_trial_options(t->setting);
    (void)to;
    o.method = t->configuration->method->name;
    o.settings = settings;
    o.n_settings = ritz_configuration_settings(t->configuration, text, settings);
    setenv("RITZ_TUNING", "none", 1);
    if (ritz_device_open(t->setting->device, &device) == RITZ_OK &&
        ritz_measure_source(device, t->setting->integral, &o, &source) == RITZ_OK)
        ritz_free(source);
    ritz_device_close(&device);
}

ritz_status ritz_prepare_trials(const ritz_trial_setting *setting, const ritz_configuration *list, int n)
{
    task tasks[RITZ_ISOLATED_MOST];
    void *contexts[RITZ_ISOLATED_MOST];
    n = n < RITZ_ISOLATED_MOST ? n : RITZ_ISOLATED_MOST;
    for (int k = 0; k < n; k++) {
        tasks[k] = (task){setting, &list[k]};
        contexts[k] = &tasks[k];
    }
    return ritz_isolate_all(compile_kernel, contexts, n, setting->limit);
}

static int64_t expected_bytes(const ritz_trial_setting *s)
{
    const ritz_measure_options o = ritz_trial_options(s);
    return ritz_measure_expected_size(s->integral, &o) * (int64_t)sizeof(double);
}

typedef struct expectation {
    const ritz_trial_setting *setting;
    double *numbers;
} expectation;

static void expect_sample(void *context, void *to)
{
    const expectation *e = context;
    result *r = to;
    const ritz_measure_options o = ritz_trial_options(e->setting);
    if (e->setting->threads > 0)
        omp_set_num_threads(e->setting->threads);
    r->status = ritz_measure_expect(e->setting->integral, &o, e->numbers);
    if (r->status != RITZ_OK)
        snprintf(r->reason, sizeof r->reason, "%s", ritz_message());
}

ritz_status ritz_trial_expect(ritz_trial_setting *s)
{
    ritz_status status = RITZ_OK;
    static const int64_t most = INT64_C(1) << 30;
    const int64_t bytes = expected_bytes(s);
    result r;
    ritz_isolated_end end;
    char reason[256];
    if (bytes > most)
        return RITZ_OK;
    double *const shared = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    RITZ_REQUIRE(shared != MAP_FAILED, RITZ_ERROR_MEMORY, "no memory for the %lld bytes of the reference",
                 (long long)bytes);
    s->expected = shared;
    RITZ_TRY(ritz_isolate(expect_sample, &(expectation){s, shared}, INFINITY, &r, sizeof r, &end, reason));
    RITZ_REQUIRE(end == RITZ_ISOLATED_DONE, RITZ_ERROR_INPUT, "the reference of the sample: %s", reason);
    RITZ_REQUIRE(r.status == RITZ_OK, r.status, "%s", r.reason);
done:
    if (status != RITZ_OK)
        ritz_trial_forget(s);
    return status;
}

void ritz_trial_forget(ritz_trial_setting *s)
{
    if (s->expected)
        munmap((void *)s->expected, (size_t)expected_bytes(s));
    s->expected = NULL;
}
