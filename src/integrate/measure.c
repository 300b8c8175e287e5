/* One integral computed in chunks, checked against the reference on a sample, and timed. */
#include "integrate/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 100, DEFAULT_REPEAT = 5 };

static const int64_t most_chunk_bytes = INT64_C(1) << 30; /* of device memory, unless the caller says otherwise */
static const int64_t piece_bytes = INT64_C(1) << 24;      /* of element matrices unpacked at once */

/* A run in progress. Everything that is sized by the chunk stands once on the device and once on the host. */
typedef struct run {
    ritz_device *device;
    const ritz_integral *integral;
    const ritz_measure_options *options;
    ritz_measurement *result;
    ritz_integrator *integrator;
    ritz_buffer *matrix_buffer, *vector_buffer;
    char *matrix_room, *vector_room;
    double *matrices, *vectors; /* a piece, unpacked */
    int64_t piece;              /* elements in it */
    int32_t *sample;            /* [n_sample] elements to check, increasing */
    int32_t n_sample, n_checked;
    double *expected, *expected_vectors; /* of one element */
} run;

double ritz_measure_tolerance(ritz_precision precision)
{
    return precision == RITZ_F64 ? 1e-12 : 2e-5;
}

void ritz_measurement_clear(ritz_measurement *measurement)
{
    ritz_free(measurement->source);
    measurement->source = NULL;
}

static int64_t rows_of(const run *r)
{
    return (int64_t)r->integral->batch->n_shape * r->integral->form->n_components;
}

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Elements without repetition, each as likely as any other: one pass that takes element e with probability wanted /
   left. */
static ritz_status draw_sample(run *r)
{
    ritz_status status = RITZ_OK;
    const int32_t n_cells = r->integral->batch->n_cells, asked = r->options->sample > 0 ? r->options->sample : SAMPLE;
    const int32_t wanted = n_cells < asked ? n_cells : asked;
    uint64_t state = r->options->seed;
    RITZ_NEW(r->sample, wanted);
    for (int32_t e = 0; e < n_cells && r->n_sample < wanted; e++)
        if (next_random(&state) % (uint64_t)(n_cells - e) < (uint64_t)(wanted - r->n_sample))
            r->sample[r->n_sample++] = e;
done:
    return status;
}

/* Program, mesh and data on the device; times of the parts from the device's counters. */
static ritz_status make_integrator(run *r)
{
    ritz_status status = RITZ_OK;
    const ritz_measure_options *o = r->options;
    const ritz_device_counters before = ritz_device_get_counters(r->device);
    const double start = ritz_seconds();
    RITZ_TRY(ritz_integrator_create(r->device, r->integral, o->method, o->settings, o->n_settings, o->precision,
                                    &r->integrator));
    const double seconds = ritz_seconds() - start;
    const ritz_device_counters after = ritz_device_get_counters(r->device);
    ritz_measurement *m = r->result;
    m->compile = after.seconds_compile - before.seconds_compile;
    m->allocate = after.seconds_allocate - before.seconds_allocate;
    m->transfer_input = after.seconds_to_device - before.seconds_to_device;
    m->prepare_input = fmax(0, seconds - m->compile - m->allocate - m->transfer_input);
    m->method = ritz_integrator_method(r->integrator);
    m->plan = *ritz_integrator_plan(r->integrator);
    RITZ_TRY(ritz_copy_text(ritz_integrator_source(r->integrator), &m->source));
    ritz_count_work(r->integral, m->method, &m->plan, o->precision, m->source, &m->work);
done:
    return status;
}

/* Elements in flight: all, or as many whole sets of the layout as the bound allows. */
static ritz_status choose_chunk(run *r)
{
    ritz_status status = RITZ_OK;
    const ritz_layout *layout = &r->result->plan.layout;
    const int64_t width = layout->width, n_cells = r->integral->batch->n_cells;
    const int64_t matrix_bytes = layout->matrix_entries * ritz_real_bytes(r->options->precision);
    const int64_t element_bytes = matrix_bytes + layout->vector_entries * ritz_real_bytes(r->options->precision);
    const int64_t given = r->options->max_device_bytes, free_bytes = ritz_device_free_bytes(r->device);
    const int64_t bound = given ? given : ritz_min64(most_chunk_bytes, free_bytes / 3);
    RITZ_REQUIRE(!given || given >= width * element_bytes, RITZ_ERROR_INPUT,
                 "%lld bytes of device memory do not hold the matrices of the %lld elements that %s computes together: "
                 "allow at least %lld",
                 (long long)given, (long long)width, r->result->method->name, (long long)(width * element_bytes));
    int64_t sets =
        ritz_min64(bound / element_bytes, ritz_device_get_info(r->device)->largest_allocation / matrix_bytes) / width;
    sets = ritz_max64(1, ritz_min64(sets, ritz_round_up(n_cells, width) / width));
    r->result->chunk = ritz_min64(sets * width, n_cells);
    r->result->n_chunks = (n_cells + sets * width - 1) / (sets * width);
    if (r->result->n_chunks > 1)
        ritz_log("integrate: %lld elements in %lld chunks of at most %lld, %.1f MB each", (long long)n_cells,
                 (long long)r->result->n_chunks, (long long)r->result->chunk,
                 1e-6 * (double)(sets * width * element_bytes));
done:
    return status;
}

/* Buffers for one chunk, on the device and on the host. */
static ritz_status allocate(run *r)
{
    ritz_status status = RITZ_OK;
    const ritz_layout *layout = &r->result->plan.layout;
    const int64_t real = ritz_real_bytes(r->options->precision), rows = rows_of(r);
    const int64_t held = ritz_round_up(r->result->chunk, layout->width);
    const double before = ritz_device_get_counters(r->device).seconds_allocate;
    RITZ_TRY(
        ritz_buffer_create(r->device, held * layout->matrix_entries * real, "element matrices", &r->matrix_buffer));
    RITZ_TRY(ritz_buffer_create(r->device, ritz_max64(8, held * layout->vector_entries * real), "element vectors",
                                &r->vector_buffer));
    r->result->allocate += ritz_device_get_counters(r->device).seconds_allocate - before;
    r->piece = ritz_max64(1, ritz_min64(r->result->chunk, piece_bytes / (rows * rows * (int64_t)sizeof(double))));
    RITZ_NEW(r->matrix_room, ritz_buffer_bytes(r->matrix_buffer));
    RITZ_NEW(r->vector_room, ritz_buffer_bytes(r->vector_buffer));
    RITZ_NEW(r->matrices, r->piece * rows * rows);
    RITZ_NEW(r->vectors, r->piece * rows);
    RITZ_NEW(r->expected, rows * rows);
    RITZ_NEW(r->expected_vectors, rows);
done:
    return status;
}

static ritz_status launch(run *r, int64_t first, double *seconds)
{
    const int64_t left = r->integral->batch->n_cells - first;
    return ritz_integrator_run(r->integrator, (int32_t)first, (int32_t)ritz_min64(r->result->chunk, left),
                               r->matrix_buffer, r->vector_buffer, seconds);
}

/* Waits for the launch in progress and brings its chunk to the host. */
static ritz_status fetch(run *r)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_device_finish(r->device));
    const double start = ritz_seconds();
    RITZ_TRY(ritz_buffer_read(r->matrix_buffer, 0, r->matrix_room, ritz_buffer_bytes(r->matrix_buffer)));
    if (r->result->plan.layout.vector_entries)
        RITZ_TRY(ritz_buffer_read(r->vector_buffer, 0, r->vector_room, ritz_buffer_bytes(r->vector_buffer)));
    r->result->transfer_output += ritz_seconds() - start;
done:
    return status;
}

/* Largest difference over the largest entry of the reference; not a number anywhere gives infinity. */
static double relative_error(const double *a, const double *reference, int64_t n)
{
    double difference = 0, largest = 0;
    for (int64_t k = 0; k < n; k++) {
        if (!isfinite(a[k]))
            return INFINITY;
        difference = fmax(difference, fabs(a[k] - reference[k]));
        largest = fmax(largest, fabs(reference[k]));
    }
    return largest > 0 ? difference / largest : difference;
}

/* Compares the sampled elements of the chunk that is on the host. */
static ritz_status check_chunk(run *r, int64_t first)
{
    ritz_status status = RITZ_OK;
    const int64_t rows = rows_of(r), end = ritz_min64(first + r->result->chunk, r->integral->batch->n_cells);
    const ritz_layout *layout = &r->result->plan.layout;
    for (; r->n_checked < r->n_sample && r->sample[r->n_checked] < end; r->n_checked++) {
        const int32_t cell = r->sample[r->n_checked];
        RITZ_TRY(ritz_integrate_reference(r->integral, &cell, 1, r->expected, r->expected_vectors));
        ritz_layout_element(layout, cell - first, r->options->precision, r->matrix_room, r->vector_room,
                            r->integral->batch->n_shape, r->integral->form->n_components, r->matrices, r->vectors);
        r->result->matrix_error = fmax(r->result->matrix_error, relative_error(r->matrices, r->expected, rows * rows));
        if (layout->vector_entries)
            r->result->vector_error =
                fmax(r->result->vector_error, relative_error(r->vectors, r->expected_vectors, rows));
    }
done:
    return status;
}

/* Hands the chunk that is on the host to the sink, piece by piece. */
static ritz_status pass_on(run *r, int64_t first)
{
    ritz_status status = RITZ_OK;
    const int64_t rows = rows_of(r), count = ritz_min64(r->result->chunk, r->integral->batch->n_cells - first);
    for (int64_t done_so_far = 0; done_so_far < count && r->options->sink; done_so_far += r->piece) {
        const int64_t n = ritz_min64(r->piece, count - done_so_far);
#pragma omp parallel for
        for (int64_t e = 0; e < n; e++)
            ritz_layout_element(&r->result->plan.layout, done_so_far + e, r->options->precision, r->matrix_room,
                                r->vector_room, r->integral->batch->n_shape, r->integral->form->n_components,
                                r->matrices + e * rows * rows, r->vectors + e * rows);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(r->options->sink(first + done_so_far, n, r->matrices, r->vectors, r->options->context));
    }
done:
    return status;
}

/* All elements once, to the host: also the warm-up. The device computes the next chunk while the host looks at this
   one. */
static ritz_status compute_and_check(run *r)
{
    ritz_status status = RITZ_OK;
    const int64_t n_cells = r->integral->batch->n_cells, chunk = r->result->chunk;
    r->result->vector_error = r->result->plan.layout.vector_entries ? 0 : NAN;
    RITZ_TRY(launch(r, 0, NULL));
    for (int64_t first = 0; first < n_cells; first += chunk) {
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(fetch(r));
        if (first + chunk < n_cells) {
            RITZ_TRY(launch(r, first + chunk, NULL));
            RITZ_TRY(ritz_device_flush(r->device));
        }
        RITZ_TRY(check_chunk(r, first));
        RITZ_TRY(pass_on(r, first));
        ritz_progress("computing and checking", (double)ritz_min64(first + chunk, n_cells) / (double)n_cells);
    }
    r->result->n_checked = r->n_checked;
done:
    ritz_device_finish(r->device); /* before the buffers go, also after an error */
    return status;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The kernel's time for all elements, again and again. */
static ritz_status time_kernel(run *r)
{
    ritz_status status = RITZ_OK;
    double *seconds = NULL;
    const int n = r->options->repeat > 0 ? r->options->repeat : DEFAULT_REPEAT;
    RITZ_NEW(seconds, n);
    for (int k = 0; k < n; k++) {
        for (int64_t first = 0; first < r->integral->batch->n_cells; first += r->result->chunk) {
            RITZ_TRY(ritz_check_interrupt());
            RITZ_TRY(launch(r, first, &seconds[k]));
        }
        ritz_progress("timing", (double)(k + 1) / n);
    }
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    r->result->repeat = n;
    r->result->kernel_least = seconds[0];
    r->result->kernel = n % 2 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
done:
    ritz_free(seconds);
    return status;
}

ritz_status ritz_measure(ritz_device *device, const ritz_integral *integral, const ritz_measure_options *options,
                         ritz_measurement *measurement)
{
    ritz_status status = RITZ_OK;
    ritz_measurement m = {0};
    run r = {.device = device, .integral = integral, .options = options, .result = &m};
    RITZ_TRY(draw_sample(&r));
    RITZ_TRY(make_integrator(&r));
    RITZ_TRY(choose_chunk(&r));
    RITZ_TRY(allocate(&r));
    RITZ_TRY(compute_and_check(&r));
    RITZ_TRY(time_kernel(&r));
    m.peak_device_bytes = ritz_device_get_counters(device).peak_bytes;
    *measurement = m;
    m.source = NULL;
done:
    ritz_measurement_clear(&m);
    ritz_integrator_destroy(&r.integrator);
    ritz_buffer_destroy(&r.matrix_buffer);
    ritz_buffer_destroy(&r.vector_buffer);
    void *const memory[] = {r.matrix_room, r.vector_room, r.matrices,        r.vectors,
                            r.sample,      r.expected,    r.expected_vectors};
    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++)
        ritz_free(memory[k]);
    return status;
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
