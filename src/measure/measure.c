/* One integral computed in chunks on one device or several at once, checked against the reference on a sample, and
   timed. */
#include "measure/measure.h"

#include "integrate/stream.h"
#include "measure/consume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_REPEAT = 5 };

static const int64_t most_slot_bytes = INT64_C(1)
                                       << 30; /* of device memory a chunk, unless the caller says otherwise */

struct run;

/* One device of a run, and the thread that drives it. */
typedef struct worker {
    struct run *run;
    int number;
    ritz_device *device;
    ritz_integrator *integrator;
    ritz_stream *stream;
    int64_t input_bytes; /* that the integrator takes on the device */
    int64_t chunk;       /* most elements at once */
    int n_slots;
    ritz_stream_times times; /* of the pass that brings everything to the host */
    double seconds;          /* of the kernels of the pass that is being timed */
    ritz_status status;
    char message[1024];
} worker;

/* A run in progress. */
typedef struct run {
    const ritz_integral *integral;
    const ritz_measure_options *options;
    ritz_measurement *result;
    ritz_consumer *consumer;
    int64_t unit; /* chunks start at its multiples: whole sets in every device's layout */
    ritz_work_queue queue;
    int n_workers;
    worker workers[RITZ_MAX_STREAMS];
} run;

double ritz_measure_tolerance(ritz_precision precision)
{
    return precision == RITZ_F64 ? 1e-12 : 2e-5;
}

bool ritz_measurement_is_accurate(const ritz_measurement *m, ritz_precision precision)
{
    const double tolerance = ritz_measure_tolerance(precision);
    return m->matrix_error <= tolerance && (isnan(m->vector_error) || m->vector_error <= tolerance);
}

void ritz_measurement_clear(ritz_measurement *measurement)
{
    ritz_free(measurement->source);
    measurement->source = NULL;
}

/* Program, mesh and data on the device; times of the parts from the device's counters. The plan sees no more memory
   than the run may take. */
static ritz_status make_integrator(run *r, worker *w)
{
    ritz_status status = RITZ_OK;
    const ritz_measure_options *o = r->options;
    const ritz_device_counters before = *ritz_device_get_counters(w->device);
    const int64_t live = ritz_device_live_bytes(w->device);
    const double start = ritz_seconds();
    ritz_device_plan_within(w->device, o->max_device_bytes);
    status = ritz_integrator_create(w->device, r->integral, o->method, o->settings, o->n_settings, o->precision,
                                    &w->integrator);
    ritz_device_plan_within(w->device, 0);
    RITZ_TRY(status);
    const double seconds = ritz_seconds() - start;
    const ritz_device_counters after = *ritz_device_get_counters(w->device);
    ritz_measurement *m = r->result;
    const double compile = after.seconds_compile - before.seconds_compile;
    const double allocate = after.seconds_allocate - before.seconds_allocate;
    const double transfer = after.seconds_to_device - before.seconds_to_device;
    m->compile += compile;
    m->allocate += allocate;
    m->transfer_input += transfer;
    m->prepare_input += fmax(0, seconds - compile - allocate - transfer);
    w->input_bytes = ritz_device_live_bytes(w->device) - live;
    m->devices[w->number].device = ritz_device_get_info(w->device);
    m->devices[w->number].method = ritz_integrator_method(w->integrator);
    m->devices[w->number].plan = *ritz_integrator_plan(w->integrator);
done:
    return status;
}

/* What the measurement tells of the method: that of the first device, where they differ. */
static ritz_status report_method(run *r)
{
    ritz_measurement *m = r->result;
    const ritz_integrator *first = r->workers[0].integrator;
    const ritz_status status = ritz_copy_text(ritz_integrator_source(first), &m->source);
    m->method = ritz_integrator_method(first);
    m->plan = *ritz_integrator_plan(first);
    if (status == RITZ_OK)
        ritz_count_work(r->integral, m->method, &m->plan, r->options->precision, m->source, &m->work);
    return status;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return ritz_max64(1, a / x * b);
}

static int64_t chunk_bytes(const run *r, const worker *w, int64_t n, int n_slots)
{
    return ritz_stream_chunk_bytes(w->integrator, r->integral, r->options->precision, n, n_slots);
}

/* Elements in flight: all in one chunk, or in each of two as many whole units as the bound allows; no more than keep
   every worker of the plan busy the same number of times. */
static ritz_status choose_chunk(const run *r, worker *w)
{
    ritz_status status = RITZ_OK;
    const ritz_plan *plan = ritz_integrator_plan(w->integrator);
    const int64_t all = ritz_round_up(r->integral->batch->n_cells, r->unit), given = r->options->max_device_bytes;
    const int64_t slot_bytes = ritz_min64(most_slot_bytes, ritz_device_free_bytes(w->device) / 3);
    const int64_t largest = ritz_device_get_info(w->device)->largest_allocation;
    const int slots = r->options->sample_only ? 0 : 2; /* where a chunk does not hold all */
    const int64_t least = w->input_bytes + chunk_bytes(r, w, r->unit, all > r->unit ? slots : 1);
    RITZ_REQUIRE(
        !given || given >= least, RITZ_ERROR_INPUT,
        "%lld bytes of memory on '%s' do not hold the input (%lld bytes) and the matrices of the %lld elements "
        "that %s computes together: allow at least %lld",
        (long long)given, ritz_device_get_info(w->device)->name, (long long)w->input_bytes, (long long)r->unit,
        ritz_integrator_method(w->integrator)->name,
        (long long)(least + least / 8)); /* with more memory a plan may take a little more */
    const int64_t bound = given ? given - w->input_bytes : 0;
    const bool one = r->n_workers == 1 && chunk_bytes(r, w, all, 1) <= (given ? bound : slot_bytes) &&
                     chunk_bytes(r, w, all, 1) <= largest;
    const int64_t unit_bytes = chunk_bytes(r, w, r->unit, 1);
    int64_t n =
        ritz_min64(given ? bound / chunk_bytes(r, w, r->unit, slots) : slot_bytes / unit_bytes, largest / unit_bytes) *
        r->unit;
    const int64_t quantum = common_multiple(r->unit, plan->n_workers * plan->layout.width);
    n = n > quantum ? n / quantum * quantum : n;
    n = ritz_max64(r->unit, ritz_min64(n, r->n_workers > 1 ? ritz_round_up(all / 4, r->unit) : all));
    w->n_slots = slots > 0 && (one || all == r->unit) ? 1 : slots;
    w->chunk = one ? all : n;
    ritz_log("integrate: %lld elements in chunks of at most %lld on '%s', %.1f MB each",
             (long long)r->integral->batch->n_cells, (long long)w->chunk, ritz_device_get_info(w->device)->name,
             1e-6 * (double)chunk_bytes(r, w, w->chunk, 1));
done:
    return status;
}

/* Buffers for the chunks, on the device and on the host; and the driver's last compilation, which is no part of any
   pass. */
static ritz_status allocate_chunks(run *r, worker *w)
{
    ritz_status status = RITZ_OK;
    const double before = ritz_device_get_counters(w->device)->seconds_allocate;
    RITZ_TRY(ritz_stream_create(w->device, w->integrator, r->integral, r->options->precision, w->chunk, w->n_slots,
                                &w->stream));
    r->result->allocate += ritz_device_get_counters(w->device)->seconds_allocate - before;
    r->result->devices[w->number].chunk = ritz_min64(w->chunk, r->integral->batch->n_cells);
    RITZ_TRY(ritz_stream_warm_up(w->stream));
done:
    return status;
}

static ritz_status prepare_run(run *r)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_consumer_create(r->integral, r->options, &r->consumer));
    r->unit = 1;
    for (int k = 0; k < r->n_workers; k++) {
        RITZ_TRY(make_integrator(r, &r->workers[k]));
        r->unit = common_multiple(r->unit, ritz_integrator_layout(r->workers[k].integrator)->width);
    }
    RITZ_TRY(report_method(r));
    for (int k = 0; k < r->n_workers; k++) {
        RITZ_TRY(choose_chunk(r, &r->workers[k]));
        RITZ_TRY(allocate_chunks(r, &r->workers[k]));
    }
    r->result->chunk = r->result->devices[0].chunk;
done:
    return status;
}

/* ---- A pass over all elements, each device driven by a thread of its own ---- */

static ritz_status transfer_chunks(worker *w)
{
    const int32_t *sample;
    const int32_t n = ritz_consumer_sample(w->run->consumer, &sample);
    if (w->run->options->sample_only)
        return ritz_stream_sample(w->stream, &w->run->queue, w->number, sample, n, ritz_consumer_take, w->run->consumer,
                                  &w->times);
    return ritz_stream_run(w->stream, &w->run->queue, w->number, ritz_consumer_take, w->run->consumer, &w->times);
}

static ritz_status time_chunks(worker *w)
{
    w->seconds = 0;
    return ritz_stream_time(w->stream, &w->run->queue, w->number, &w->seconds);
}

typedef struct job {
    worker *worker;
    ritz_status (*work)(worker *);
} job;

/* Messages belong to threads: what went wrong is taken along. */
static void *run_worker(void *argument)
{
    const job *j = argument;
    worker *w = j->worker;
    w->status = j->work(w);
    if (w->status != RITZ_OK)
        snprintf(w->message, sizeof w->message, "%s", ritz_message());
    return NULL;
}

static ritz_status run_workers(run *r, ritz_status (*work)(worker *))
{
    ritz_status status = RITZ_OK;
    pthread_t threads[RITZ_MAX_STREAMS];
    job jobs[RITZ_MAX_STREAMS];
    int64_t chunks[RITZ_MAX_STREAMS];
    int n_started = 1;
    for (int k = 0; k < r->n_workers; k++) {
        jobs[k] = (job){&r->workers[k], work};
        chunks[k] = r->workers[k].chunk;
        r->workers[k].status = RITZ_OK;
    }
    RITZ_TRY(ritz_work_queue_begin(&r->queue, r->integral->batch->n_cells, r->unit, r->n_workers, chunks));
    while (n_started < r->n_workers && pthread_create(&threads[n_started], NULL, run_worker, &jobs[n_started]) == 0)
        n_started++;
    for (int k = n_started; k < r->n_workers; k++) /* whom the system refuses a thread */
        ritz_work_queue_leave(&r->queue, k);
    run_worker(&jobs[0]);
    for (int k = 1; k < n_started; k++)
        pthread_join(threads[k], NULL);
    ritz_work_queue_end(&r->queue);
    for (int k = 0; k < n_started && status == RITZ_OK; k++)
        if ((status = r->workers[k].status) != RITZ_OK)
            ritz_fail(status, "%s", r->workers[k].message);
done:
    return status;
}

static double seconds_to_devices(const run *r)
{
    double seconds = 0;
    for (int k = 0; k < r->n_workers; k++)
        seconds += ritz_device_get_counters(r->workers[k].device)->seconds_to_device;
    return seconds;
}

static double seconds_to_prepare(const run *r)
{
    double seconds = 0;
    for (int k = 0; k < r->n_workers; k++)
        seconds += ritz_integrator_prepare_seconds(r->workers[k].integrator);
    return seconds;
}

/* All elements once, to the host and its consumers. */
static ritz_status compute_elements(run *r)
{
    ritz_status status = RITZ_OK;
    ritz_measurement *m = r->result;
    const double sent = seconds_to_devices(r), prepared = seconds_to_prepare(r), start = ritz_seconds();
    RITZ_TRY(run_workers(r, transfer_chunks));
    m->elapsed = ritz_seconds() - start;
    m->transfer_input += seconds_to_devices(r) - sent; /* Jacobian terms, where they are sent with each chunk */
    m->prepare_input += seconds_to_prepare(r) - prepared;
    for (int k = 0; k < r->n_workers; k++) {
        const ritz_queue_stream *stream = &r->queue.streams[k];
        ritz_device_share *device = &m->devices[k];
        device->n_elements = stream->n_elements;
        device->n_chunks = stream->n_chunks;
        device->kernel = r->workers[k].times.kernel;
        device->transfer = r->workers[k].times.transfer;
        m->n_chunks += stream->n_chunks;
        m->transfer_output = fmax(m->transfer_output, device->transfer);
        m->kernel = fmax(m->kernel, device->kernel);
    }
    m->kernel_least = m->kernel;
done:
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ritz_median(double *numbers, int64_t n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, compare_numbers);
    return n % 2 ? numbers[n / 2] : 0.5 * (numbers[n / 2 - 1] + numbers[n / 2]);
}

/* The kernel's time for all elements, again and again. */
static ritz_status time_kernel(run *r)
{
    ritz_status status = RITZ_OK;
    double *seconds = NULL;
    const int n = r->options->repeat > 0 ? r->options->repeat : DEFAULT_REPEAT;
    RITZ_NEW(seconds, n);
    for (int k = 0; k < n; k++) {
        RITZ_TRY(run_workers(r, time_chunks));
        for (int w = 0; w < r->n_workers; w++)
            seconds[k] = fmax(seconds[k], r->workers[w].seconds);
        ritz_progress("timing", (double)(k + 1) / n);
    }
    r->result->repeat = n;
    r->result->kernel = ritz_median(seconds, n);
    r->result->kernel_least = seconds[0];
done:
    ritz_free(seconds);
    return status;
}

/* Whether further runs are wanted after the first one. */
static bool is_worth_timing(const run *r)
{
    const ritz_measure_options *o = r->options;
    return o->repeat != RITZ_REPEAT_NONE &&
           (o->enough <= 0 || (r->result->kernel < o->enough && ritz_measurement_is_accurate(r->result, o->precision)));
}

static void report_memory(run *r)
{
    for (int k = 0; k < r->n_workers; k++) {
        ritz_device_share *device = &r->result->devices[k];
        device->peak_device_bytes = ritz_device_get_counters(r->workers[k].device)->peak_bytes;
        r->result->peak_device_bytes = ritz_max64(r->result->peak_device_bytes, device->peak_device_bytes);
    }
}

ritz_status ritz_measure_devices(ritz_device *const *devices, int n_devices, const ritz_integral *integral,
                                 const ritz_measure_options *options, ritz_measurement *measurement)
{
    ritz_status status = RITZ_OK;
    ritz_measurement m = {.n_devices = n_devices};
    run r = {.integral = integral, .options = options, .result = &m};
    RITZ_REQUIRE(n_devices >= 1 && n_devices <= RITZ_MAX_STREAMS, RITZ_ERROR_INPUT,
                 "one to %d devices work on an integral at a time, not %d", RITZ_MAX_STREAMS, n_devices);
    RITZ_REQUIRE(integral->batch->n_cells > 0, RITZ_ERROR_INPUT, "there are no elements to integrate");
    for (int k = 0; k < n_devices; k++)
        r.workers[r.n_workers++] = (worker){.run = &r, .number = k, .device = devices[k]};
    RITZ_TRY(prepare_run(&r));
    RITZ_TRY(compute_elements(&r));
    RITZ_TRY(ritz_consumer_finish(r.consumer, &m));
    if (is_worth_timing(&r))
        RITZ_TRY(time_kernel(&r));
    report_memory(&r);
    *measurement = m;
    m.source = NULL;
done:
    ritz_measurement_clear(&m);
    for (int k = 0; k < r.n_workers; k++) {
        ritz_stream_destroy(&r.workers[k].stream);
        ritz_integrator_destroy(&r.workers[k].integrator);
    }
    ritz_consumer_destroy(&r.consumer);
    return status;
}

ritz_status ritz_measure(ritz_device *device, const ritz_integral *integral, const ritz_measure_options *options,
                         ritz_measurement *measurement)
{
    return ritz_measure_devices(&device, 1, integral, options, measurement);
}

ritz_status ritz_measure_source(ritz_device *device, const ritz_integral *integral, const ritz_measure_options *options,
                                char **source)
{
    ritz_status status = RITZ_OK;
    ritz_integrator *integrator = NULL;
    RITZ_TRY(ritz_integrator_create(device, integral, options->method, options->settings, options->n_settings,
                                    options->precision, &integrator));
    RITZ_TRY(ritz_copy_text(ritz_integrator_source(integrator), source));
done:
    ritz_integrator_destroy(&integrator);
    return status;
}

int64_t ritz_measure_even(const ritz_plan *plan, const ritz_device_info *limits, int64_t n, int64_t most)
{
    const int64_t width = plan->layout.width, rounded = ritz_min64(ritz_round_up(n, width), most);
    const int64_t even = width * plan->n_workers <= most ? width * plan->n_workers : width * limits->compute_units;
    return rounded > even ? rounded / even * even : rounded;
}
