/* One configuration tried for real. */
#include "measure/trial.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

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
    char reason[256];
} result;

static double largest_error(const ritz_measurement *m)
{
    return fmax(m->matrix_error, isnan(m->vector_error) ? 0 : m->vector_error);
}

static ritz_status check_and_time(const task *t, ritz_device *device, result *r)
{
    ritz_status status = RITZ_OK;
    const ritz_trial_setting *s = t->setting;
    char text[RITZ_SETTINGS_TEXT];
    const char *settings[RITZ_MAX_PARAMETERS];
    ritz_measurement m = {0};
    ritz_measure_options o = {.method = t->configuration->method->name,
                              .settings = settings,
                              .n_settings = ritz_configuration_settings(t->configuration, text, settings),
                              .precision = s->precision,
                              .repeat = RITZ_REPEAT_NONE,
                              .seed = s->seed,
                              .sample = s->sample};
    const double n = (double)s->integral->batch->n_cells;
    RITZ_TRY(ritz_measure(device, s->integral, &o, &m));
    r->error = largest_error(&m);
    r->wrong = !ritz_measurement_is_accurate(&m, s->precision);
    r->seconds = m.kernel / n;
    if (r->wrong)
        goto done;
    if (s->best <= 0 || r->seconds < much_slower * s->best) {
        ritz_measurement_clear(&m);
        o.repeat = s->repeat ? s->repeat : REPEAT;
        RITZ_TRY(ritz_measure(device, s->integral, &o, &m));
        r->seconds = m.kernel_least / n;
    }
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
    setenv("RITZ_TUNING", "none", 1);
    if (t->setting->threads > 0)
        omp_set_num_threads(t->setting->threads);
    r->status = ritz_device_open(t->setting->device, &device);
    r->elsewhere = r->status != RITZ_OK;
    if (r->status == RITZ_OK)
        r->status = check_and_time(t, device, r);
    if (r->status != RITZ_OK)
        snprintf(r->reason, sizeof r->reason, "%s", ritz_message());
    ritz_device_close(&device);
}

ritz_status ritz_try_configuration(const ritz_trial_setting *setting, ritz_configuration *c)
{
    ritz_status status = RITZ_OK;
    task t = {setting, c};
    result r;
    ritz_isolated_end end;
    char reason[256];
    RITZ_TRY(ritz_isolate(run_trial, &t, setting->limit, &r, sizeof r, &end, reason));
    if (end != RITZ_ISOLATED_DONE) {
        c->outcome = end == RITZ_ISOLATED_TOO_LONG ? RITZ_TRIAL_TOO_LONG : RITZ_TRIAL_CRASHED;
        snprintf(c->reason, sizeof c->reason, "%s", reason);
    } else if (r.status != RITZ_OK) {
        RITZ_REQUIRE(r.status != RITZ_INTERRUPTED && !r.elsewhere, r.status, "%s", r.reason);
        c->outcome = RITZ_TRIAL_REFUSED;
        snprintf(c->reason, sizeof c->reason, "%s", r.reason);
    } else {
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
