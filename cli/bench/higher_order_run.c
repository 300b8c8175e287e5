/* One method on one case of `ritz bench higher-order`: how many elements, the check, the times. */
#include "bench/higher_order.h"

#include "device/ceilings.h"
#include "device/tuning.h"

#include <math.h>
#include <string.h>

/* A timed pass should take this long: far above what a launch costs, short enough for hundreds of runs. */
static const double least_pass = 0.05, pass = 0.1, most_pass = 0.2; /* seconds */
static const double first_guess = 0.1;                              /* share of the roofline, before the first pass */
enum { LEAST_CHECK = 4, MOST_ATTEMPTS = 4 };

ritz_status ritz_bench_case_create(const ritz_bench *bench, ritz_cell cell, int order, const char *form,
                                   ritz_precision precision, ritz_bench_case *c)
{
    const ritz_bench_arguments *a = bench->a;
    const ritz_device_info *info = ritz_device_get_info(bench->device);
    const ritz_box_wanted wanted = {.command = "bench higher-order",
                                    .cell = cell,
                                    .order = order,
                                    .form = form,
                                    .precision = precision,
                                    .data = a->data,
                                    .n_data = a->n_data,
                                    .seed = a->seed,
                                    .elements = a->elements,
                                    .distort = a->distort};
    *c = (ritz_bench_case){0};
    if (ritz_tuned(info, RITZ_BENCH_ONE_LAUNCH, NULL, 0) != 0)
        c->most_device_bytes = ritz_device_free_bytes(bench->device);
    const ritz_status status = ritz_box_case_create(&wanted, info, &c->on);
    if (status != RITZ_OK)
        ritz_bench_case_clear(c);
    return status;
}

void ritz_bench_case_clear(ritz_bench_case *c)
{
    ritz_box_case_clear(&c->on);
    *c = (ritz_bench_case){0};
}

/* The first n elements of an integral. */
typedef struct view {
    ritz_mesh_block block;
    ritz_space_batch batch;
    ritz_integral integral;
} view;

static void make_view(const ritz_integral *all, int64_t n, view *v)
{
    v->block = *all->batch->block;
    v->batch = *all->batch;
    v->integral = *all;
    v->block.n_cells = v->batch.n_cells = (int32_t)n;
    v->batch.block = &v->block;
    v->integral.batch = &v->batch;
}

/* Elements of a pass of about `seconds`, where an element takes seconds_an_element: on a GPU enough for all its units. */
static int64_t elements_for(const ritz_bench *bench, const ritz_bench_case *c, const ritz_plan *plan, double seconds,
                            double seconds_an_element)
{
    const ritz_device_info *info = ritz_device_get_info(bench->device);
    const int64_t most = c->on.integral.batch->n_cells, width = plan->layout.width;
    const int64_t sets = info->compute_units * (int64_t)ritz_tuned(info, RITZ_BENCH_GROUPS_PER_UNIT, NULL, 0);
    const int64_t least = width * ritz_max64(sets, 1);
    const double wanted = seconds / seconds_an_element;
    const int64_t n = wanted < (double)most ? (int64_t)wanted : most;
    return ritz_measure_even(plan, info, ritz_max64(n, least), most);
}

static int32_t sample_of(const ritz_bench *bench, const ritz_bench_case *c)
{
    return bench->a->check ? (int32_t)bench->a->check : ritz_measure_sample(&c->on.the_case, c->on.form, LEAST_CHECK);
}

/* The figures, and their place in the record. A method that is wrong has no times. */
static ritz_status keep_measurement(ritz_bench *bench, const ritz_bench_case *c, const ritz_integral *integral,
                                    ritz_measurement *m, ritz_bench_run *run)
{
    ritz_status status = RITZ_OK;
    run->outcome = ritz_measurement_is_accurate(m, run->precision) ? RITZ_BENCH_GOOD : RITZ_BENCH_FAILED;
    if (run->outcome == RITZ_BENCH_FAILED) {
        m->prepare_input = m->allocate = m->transfer_input = m->transfer_output = m->kernel = m->kernel_least = NAN;
        snprintf(run->reason, sizeof run->reason, "its error is %.3g, more than %.3g",
                 fmax(m->matrix_error, isnan(m->vector_error) ? 0 : m->vector_error),
                 ritz_measure_tolerance(run->precision));
    }
    for (bool again = true; again;) {
        ritz_free(run->fields);
        run->fields = NULL;
        RITZ_TRY(ritz_device_known_ceilings(bench->device, false, &bench->ceilings, bench->when));
        RITZ_TRY(ritz_integrate_fields(&c->on.as_given, integral, bench->device, m, &bench->ceilings, bench->when,
                                       &run->fields, &run->n_fields));
        RITZ_TRY(ritz_device_check_share(
            bench->device, ritz_cli_find_number(run->fields, run->n_fields, "roofline_fraction"), &again));
    }
    if (bench->a->record)
        RITZ_TRY(ritz_record_append(bench->a->record, "integrate", run->fields, run->n_fields));
done:
    return status;
}

/* What a failure of ritz_measure means: the bench goes on without the method, on a device opened anew after an error of
   the device, or it ends. */
static ritz_status take_failure(ritz_bench *bench, ritz_status status, ritz_bench_run *run)
{
    if (status == RITZ_INTERRUPTED)
        return status;
    run->outcome = status == RITZ_ERROR_INPUT ? RITZ_BENCH_SKIPPED : RITZ_BENCH_FAILED;
    snprintf(run->reason, sizeof run->reason, "%s", ritz_message());
    if (status != RITZ_ERROR_DEVICE)
        return RITZ_OK;
    ritz_device_close(&bench->device);
    return ritz_device_open(bench->a->common.device, &bench->device);
}

/* What an element takes of operations, and a guess of its time in seconds before the first pass. */
static double guess_seconds(const ritz_bench *bench, const ritz_bench_case *c, const ritz_method *method,
                            const ritz_plan *plan, ritz_work *work)
{
    const char *bound;
    ritz_count_case(&c->on.the_case, c->on.form, c->on.integral.data, method, plan, c->on.source, work);
    return ritz_cli_least_seconds(work, c->on.the_case.precision, &bench->ceilings, &bound) / first_guess;
}

static int repeats_for(const ritz_bench *bench, double seconds)
{
    const int chosen = seconds > 2 ? 1 : seconds > 2 * most_pass ? 3 : RITZ_BENCH_REPEAT;
    return bench->a->repeat ? (int)bench->a->repeat : chosen;
}

/* One measurement of the first n elements; the last one's figures stand in *m. */
static ritz_status measure_run(const ritz_bench *bench, const ritz_bench_case *c, const ritz_bench_run *run, int64_t n,
                               int repeat, int32_t sample, view *v, ritz_measurement *m)
{
    const ritz_bench_arguments *a = bench->a;
    const ritz_measure_options o = {.method = run->method->name,
                                    .precision = run->precision,
                                    .repeat = repeat,
                                    .max_device_bytes =
                                        a->max_device_bytes ? a->max_device_bytes : c->most_device_bytes,
                                    .seed = (uint64_t)a->seed,
                                    .sample = sample};
    make_view(&c->on.integral, n, v);
    ritz_measurement_clear(m);
    return ritz_measure(bench->device, &v->integral, &o, m);
}

/* A first pass on as many elements as the guess says, unless that is all; then timed ones on as many as the rate says,
   and again where that rate was far off, as on a machine that others use. */
static ritz_status time_method(ritz_bench *bench, const ritz_bench_case *c, const ritz_plan *plan, ritz_bench_run *run)
{
    ritz_status status = RITZ_OK;
    const ritz_bench_arguments *a = bench->a;
    ritz_measurement m = {0};
    ritz_work work;
    view v;
    double seconds = guess_seconds(bench, c, run->method, plan, &work); /* an element */
    int64_t n = a->elements ? a->elements : elements_for(bench, c, plan, 0.2 * pass, seconds);
    bool timed = a->elements || n == c->on.integral.batch->n_cells;
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const int repeat = timed ? repeats_for(bench, attempt ? seconds * (double)n : 0) : RITZ_REPEAT_NONE;
        const int32_t sample = timed ? sample_of(bench, c) : LEAST_CHECK;
        RITZ_TRY(measure_run(bench, c, run, n, repeat, sample, &v, &m));
        seconds = m.kernel / (double)n;
        const double slack = timed ? 2 : 1;
        const bool fits = m.kernel >= least_pass / slack && m.kernel <= most_pass * slack;
        const int64_t better = fits || a->elements ? n : elements_for(bench, c, plan, pass, seconds);
        if (!ritz_measurement_is_accurate(&m, run->precision) || (timed && better == n))
            break;
        n = better;
        timed = true;
    }
    ritz_cli_plan_in_short(m.method, &m.plan, run->plan, sizeof run->plan);
    status = keep_measurement(bench, c, &v.integral, &m, run);
    ritz_measurement_clear(&m);
    return status;
done:
    ritz_measurement_clear(&m);
    return take_failure(bench, status, run);
}

ritz_status ritz_bench_measure(ritz_bench *bench, const ritz_bench_case *c, ritz_bench_run *run)
{
    const ritz_device_info *limits = ritz_device_get_info(bench->device);
    ritz_plan plan;
    ritz_device_restart_peak(bench->device);
    if (!run->method->applies(&c->on.the_case, limits)) {
        run->outcome = RITZ_BENCH_SKIPPED;
        ritz_cli_why_not(run->method, &c->on.the_case, limits, run->reason, sizeof run->reason);
        return RITZ_OK;
    }
    if (ritz_method_plan(run->method, &c->on.the_case, limits, NULL, 0, &plan) != RITZ_OK) {
        run->outcome = RITZ_BENCH_SKIPPED;
        snprintf(run->reason, sizeof run->reason, "%s", ritz_message());
        return RITZ_OK;
    }
    return time_method(bench, c, &plan, run);
}
