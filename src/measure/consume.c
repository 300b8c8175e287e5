/* The consumers of a measured run. Memory is bounded whatever passes: a piece of unpacked matrices for the sink, and
   the sample, which is kept until the end so that the reference does not hold up the device. */
#include "measure/consume.h"

#include "measure/checksum.h"
#include "measure/result_error.h"

#include <math.h>

enum { SAMPLE = 100, MOST_NUMBERS = 3 /* of a sum or checksum */ };

static const int64_t piece_bytes = INT64_C(1) << 24; /* of element matrices unpacked at once */
static const int64_t check_bytes = INT64_C(1) << 27; /* of reference matrices at once */

struct ritz_consumer {
    const ritz_integral *integral;
    const ritz_measure_options *options;
    pthread_mutex_t lock;
    bool has_lock, has_vectors;
    bool failed; /* nothing more is taken, from whichever stream it comes */
    int64_t rows, n_passed;
    int32_t *sample; /* [n_sample] elements to check, increasing */
    int32_t n_sample, n_kept;
    double *kept, *kept_vectors; /* [n_sample][n_kept_numbers], [n_sample][rows] as they came */
    int64_t n_kept_numbers;      /* of a sampled element: its matrix, or what stands in its place */
    double *piece, *piece_vectors;
    int64_t n_piece; /* elements in a piece */
    uint64_t checksum;
};

/* splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int32_t count_sample(const ritz_integral *integral, const ritz_measure_options *options)
{
    const int32_t n_cells = integral->batch->n_cells, asked = options->sample > 0 ? options->sample : SAMPLE;
    return n_cells < asked ? n_cells : asked;
}

/* Elements without repetition, each as likely as any other: one pass that takes element e with probability wanted /
   left. */
static ritz_status draw_sample(ritz_consumer *c)
{
    ritz_status status = RITZ_OK;
    const int32_t n_cells = c->integral->batch->n_cells, wanted = count_sample(c->integral, c->options);
    uint64_t state = c->options->seed;
    RITZ_NEW(c->sample, wanted);
    for (int32_t e = 0; e < n_cells && c->n_sample < wanted; e++)
        if (next_random(&state) % (uint64_t)(n_cells - e) < (uint64_t)(wanted - c->n_sample))
            c->sample[c->n_sample++] = e;
done:
    return status;
}

ritz_status ritz_consumer_create(const ritz_integral *integral, const ritz_measure_options *options,
                                 ritz_consumer **consumer)
{
    ritz_status status = RITZ_OK;
    ritz_consumer *c = NULL;
    RITZ_REQUIRE(integral->result == RITZ_RESULT_MATRICES || !options->sink, RITZ_ERROR_INPUT,
                 "element matrices that are handed on in registers are not stored, and can not be written");
    RITZ_REQUIRE(integral->result == RITZ_RESULT_MATRICES || integral->result == RITZ_RESULT_CHECKSUM ||
                     !options->checksum,
                 RITZ_ERROR_INPUT,
                 "the checksum is that of element matrices, which are neither stored nor summed up for it here");
    RITZ_REQUIRE(!options->sample_only || (!options->sink && !options->checksum), RITZ_ERROR_INPUT,
                 "what brings a sample alone to the host has neither a sink nor a checksum");
    RITZ_NEW(c, 1);
    c->integral = integral;
    c->options = options;
    c->rows = (int64_t)integral->batch->n_shape * integral->form->n_components;
    RITZ_TRY(draw_sample(c));
    c->n_kept_numbers =
        integral->result == RITZ_RESULT_MATRICES ? c->rows * c->rows : ritz_max64(c->rows, MOST_NUMBERS);
    RITZ_NEW(c->kept, c->n_sample * c->n_kept_numbers);
    RITZ_NEW(c->kept_vectors, c->n_sample * c->rows);
    if (options->sink) {
        c->n_piece = ritz_max64(
            1, ritz_min64(integral->batch->n_cells, piece_bytes / (c->rows * c->rows * (int64_t)sizeof(double))));
        RITZ_NEW(c->piece, c->n_piece * c->rows * c->rows);
        RITZ_NEW(c->piece_vectors, c->n_piece * c->rows);
    }
    c->has_lock = pthread_mutex_init(&c->lock, NULL) == 0;
    RITZ_REQUIRE(c->has_lock, RITZ_ERROR_MEMORY, "the system gives no lock for the element matrices");
    *consumer = c;
    c = NULL;
done:
    ritz_consumer_destroy(&c);
    return status;
}

void ritz_consumer_destroy(ritz_consumer **consumer)
{
    ritz_consumer *c = *consumer;
    if (!c)
        return;
    if (c->has_lock)
        pthread_mutex_destroy(&c->lock);
    void *const memory[] = {c->sample, c->kept, c->kept_vectors, c->piece, c->piece_vectors};
    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++)
        ritz_free(memory[k]);
    ritz_free(c);
    *consumer = NULL;
}

/* The numbers that stand in the place of element e's matrix, as doubles; the bits of a checksum are no such numbers. */
static void keep_numbers(const ritz_chunk *chunk, int64_t e, double *to)
{
    double room[RITZ_MAX_SHAPE * RITZ_MAX_COMPONENTS];
    const int32_t n = chunk->result == RITZ_RESULT_CHECKSUM ? 1 : chunk->layout->matrix_entries;
    ritz_layout_numbers(chunk->layout, e, chunk->precision, chunk->matrices, room);
    for (int32_t k = 0; k < n; k++)
        to[k] = ritz_get_real(chunk->precision, room, k);
}

/* Copies the sampled elements of the chunk. */
static void keep_sample(ritz_consumer *c, const ritz_chunk *chunk)
{
    int32_t kept = 0;
#pragma omp parallel for reduction(+ : kept)
    for (int32_t s = 0; s < c->n_sample; s++) {
        const int64_t e = c->sample[s] - chunk->first;
        if (e < 0 || e >= chunk->count)
            continue;
        double *to = c->kept + s * c->n_kept_numbers;
        ritz_chunk_element(chunk, e, chunk->result == RITZ_RESULT_MATRICES ? to : NULL, c->kept_vectors + s * c->rows);
        if (chunk->result != RITZ_RESULT_MATRICES)
            keep_numbers(chunk, e, to);
        kept++;
    }
    c->n_kept += kept;
    c->has_vectors = chunk->layout->vector_entries > 0;
}

/* Hands the chunk to the sink, piece by piece. */
static ritz_status pass_to_sink(ritz_consumer *c, const ritz_chunk *chunk)
{
    ritz_status status = RITZ_OK;
    for (int64_t first = 0; first < chunk->count && c->options->sink; first += c->n_piece) {
        const int64_t n = ritz_min64(c->n_piece, chunk->count - first);
#pragma omp parallel for
        for (int64_t e = 0; e < n; e++)
            ritz_chunk_element(chunk, first + e, c->piece + e * c->rows * c->rows, c->piece_vectors + e * c->rows);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(c->options->sink(chunk->first + first, n, c->piece, c->piece_vectors, c->options->context));
    }
done:
    return status;
}

int32_t ritz_consumer_sample(const ritz_consumer *c, const int32_t **sample)
{
    *sample = c->sample;
    return c->n_sample;
}

ritz_status ritz_consumer_take(const ritz_chunk *chunk, void *consumer)
{
    ritz_consumer *c = consumer;
    ritz_status status = RITZ_OK;
    pthread_mutex_lock(&c->lock);
    if (c->failed)
        goto done;
    keep_sample(c, chunk);
    RITZ_TRY(pass_to_sink(c, chunk));
    if (c->options->checksum)
        RITZ_TRY(ritz_chunk_checksum(chunk, &c->checksum));
    c->n_passed += chunk->count;
    ritz_progress("computing", (double)c->n_passed / c->integral->batch->n_cells);
done:
    c->failed = c->failed || status != RITZ_OK;
    pthread_mutex_unlock(&c->lock);
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

/* A reference that is not finite can tell nothing: then the data are wrong, not the method. */
static ritz_status require_finite(const double *reference, int64_t n, int32_t element)
{
    for (int64_t k = 0; k < n; k++)
        if (!isfinite(reference[k]))
            return ritz_fail(
                RITZ_ERROR_INPUT,
                "the reference of element %d is not finite: its data or old solution give no numbers there; "
                "look at what they are at its points",
                (int)element);
    return RITZ_OK;
}

/* Compares elements first .. first + n - 1 of the sample with what is expected of them. */
static ritz_status check_sample(const ritz_consumer *c, int64_t first, int64_t n, const double *expected,
                                const double *expected_vectors, ritz_measurement *m)
{
    ritz_status status = RITZ_OK;
    const int64_t rows = c->rows;
    RITZ_TRY(ritz_check_interrupt());
    for (int64_t k = 0; k < n; k++) {
        RITZ_TRY(require_finite(expected + k * rows * rows, rows * rows, c->sample[first + k]));
        RITZ_TRY(require_finite(expected_vectors + k * rows, rows, c->sample[first + k]));
        const double *kept = c->kept + (first + k) * c->n_kept_numbers, *matrix = expected + k * rows * rows;
        const double error =
            c->integral->result == RITZ_RESULT_MATRICES
                ? relative_error(kept, matrix, rows * rows)
                : ritz_result_error(c->integral, c->sample[first + k], kept, matrix, expected_vectors + k * rows);
        m->matrix_error = fmax(m->matrix_error, error);
        if (c->has_vectors)
            m->vector_error = fmax(m->vector_error, relative_error(c->kept_vectors + (first + k) * rows,
                                                                   expected_vectors + k * rows, rows));
    }
    ritz_progress("checking", (double)(first + n) / c->n_sample);
done:
    return status;
}

ritz_status ritz_consumer_finish(ritz_consumer *c, ritz_measurement *m)
{
    ritz_status status = RITZ_OK;
    double *expected = NULL, *expected_vectors = NULL;
    const int64_t at_once =
        ritz_max64(1, ritz_min64(c->n_sample, check_bytes / (c->rows * c->rows * (int64_t)sizeof(double))));
    const ritz_measure_options *o = c->options;
    RITZ_REQUIRE((o->sample_only || c->n_passed == c->integral->batch->n_cells) && c->n_kept == c->n_sample,
                 RITZ_ERROR_DEVICE, "%lld of the %d elements reached the host", (long long)c->n_passed,
                 (int)c->integral->batch->n_cells);
    m->checksum = c->checksum;
    m->n_checked = c->n_sample;
    m->matrix_error = 0;
    m->vector_error = c->has_vectors ? 0 : NAN;
    if (o->expected) {
        RITZ_TRY(check_sample(c, 0, c->n_sample, o->expected, o->expected + c->n_sample * c->rows * c->rows, m));
        goto done;
    }
    RITZ_NEW(expected, at_once * c->rows * c->rows);
    RITZ_NEW(expected_vectors, at_once * c->rows);
    for (int64_t first = 0; first < c->n_sample; first += at_once) {
        const int64_t n = ritz_min64(at_once, c->n_sample - first);
        RITZ_TRY(ritz_integrate_reference(c->integral, c->sample + first, n, expected, expected_vectors));
        RITZ_TRY(check_sample(c, first, n, expected, expected_vectors, m));
    }
done:
    ritz_free(expected);
    ritz_free(expected_vectors);
    return status;
}

int64_t ritz_measure_expected_size(const ritz_integral *integral, const ritz_measure_options *options)
{
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->form->n_components;
    return count_sample(integral, options) * (rows * rows + rows);
}

ritz_status ritz_measure_expect(const ritz_integral *integral, const ritz_measure_options *options, double *expected)
{
    ritz_status status = RITZ_OK;
    ritz_consumer *c = NULL;
    RITZ_TRY(ritz_consumer_create(integral, options, &c));
    RITZ_TRY(ritz_integrate_reference(integral, c->sample, c->n_sample, expected,
                                      expected + c->n_sample * c->rows * c->rows));
done:
    ritz_consumer_destroy(&c);
    return status;
}
