/* Double-buffered chunks: two buffers on the device and two stages on the host. In the order of time,

       kernel    0  1  2     3     4
       transfer     0  1     2     3
       consumer        0     1     2

   Kernel k + 2 writes the buffer of chunk k, so it is started when transfer k has ended (where the stage holds a copy)
   or when the consumer has let go of chunk k (where the stage is the buffer itself). */
#include "integrate/stream.h"

enum { SLOTS = 2 };

typedef struct slot {
    ritz_buffer *matrix_buffer, *vector_buffer;
    ritz_stage *matrix_stage, *vector_stage;
    int64_t first, count; /* the chunk in it; count 0: none */
} slot;

struct ritz_stream {
    ritz_device *device;
    ritz_integrator *integrator;
    const ritz_layout *layout;
    ritz_precision precision;
    ritz_element_result result;
    int n_shape, n_components, n_slots;
    int64_t chunk, n_cells;
    slot slots[SLOTS];
};

void ritz_chunk_element(const ritz_chunk *c, int64_t e, double *matrix, double *vector)
{
    ritz_layout_element(c->layout, e, c->precision, c->matrices, c->vectors, c->n_shape, c->n_components, matrix,
                        vector);
}

static int64_t matrix_bytes(const ritz_layout *layout, ritz_precision precision, int64_t n)
{
    return ritz_round_up(n, layout->width) * layout->matrix_entries * ritz_real_bytes(precision);
}

static int64_t vector_bytes(const ritz_layout *layout, ritz_precision precision, int64_t n)
{
    return ritz_round_up(n, layout->width) * layout->vector_entries * ritz_real_bytes(precision);
}

int64_t ritz_stream_chunk_bytes(const ritz_integrator *integrator, const ritz_integral *integral,
                                ritz_precision precision, int64_t n, int n_slots)
{
    const ritz_layout *layout = ritz_integrator_layout(integrator);
    const int dim = integral->space->dim,
              n_quad = ritz_quadrature_n_points(integral->batch->cell, ritz_integral_degree(integral));
    const int64_t jacobians = ritz_integrator_plan(integrator)->sends_jacobians
                                  ? n * n_quad * (1 + dim * dim) * ritz_real_bytes(precision)
                                  : 0; /* the integrator keeps those of one chunk */
    return (n_slots ? n_slots : 1) * (matrix_bytes(layout, precision, n) + vector_bytes(layout, precision, n)) +
           jacobians;
}

ritz_status ritz_stream_create(ritz_device *device, ritz_integrator *integrator, const ritz_integral *integral,
                               ritz_precision precision, int64_t chunk, int n_slots, ritz_stream **stream)
{
    ritz_status status = RITZ_OK;
    ritz_stream *s = NULL;
    RITZ_NEW(s, 1);
    s->device = device;
    s->integrator = integrator;
    s->layout = ritz_integrator_layout(integrator);
    s->precision = precision;
    s->result = integral->result;
    s->n_shape = integral->batch->n_shape;
    s->n_components = integral->form->n_components;
    s->n_slots = n_slots ? n_slots : 1;
    s->chunk = chunk;
    s->n_cells = integral->batch->n_cells;
    const int64_t matrices = matrix_bytes(s->layout, precision, chunk);
    const int64_t vectors = vector_bytes(s->layout, precision, chunk);
    for (int k = 0; k < s->n_slots; k++) {
        RITZ_TRY(ritz_buffer_create(device, matrices, "element matrices", &s->slots[k].matrix_buffer));
        if (vectors > 0)
            RITZ_TRY(ritz_buffer_create(device, vectors, "element vectors", &s->slots[k].vector_buffer));
    }
    for (int k = 0; k < n_slots; k++) {
        RITZ_TRY(ritz_stage_create(device, matrices, "element matrices", &s->slots[k].matrix_stage));
        if (vectors > 0)
            RITZ_TRY(ritz_stage_create(device, vectors, "element vectors", &s->slots[k].vector_stage));
    }
    *stream = s;
    s = NULL;
done:
    ritz_stream_destroy(&s);
    return status;
}

void ritz_stream_destroy(ritz_stream **stream)
{
    ritz_stream *s = *stream;
    if (!s)
        return;
    for (int k = 0; k < s->n_slots; k++) {
        ritz_stage_destroy(&s->slots[k].matrix_stage);
        ritz_stage_destroy(&s->slots[k].vector_stage);
    }
    ritz_device_finish(s->device); /* before the buffers go, also after an error */
    for (int k = 0; k < s->n_slots; k++) {
        ritz_buffer_destroy(&s->slots[k].matrix_buffer);
        ritz_buffer_destroy(&s->slots[k].vector_buffer);
    }
    ritz_free(s);
    *stream = NULL;
}

/* Takes the next chunk and starts its kernel. */
static ritz_status launch_chunk(ritz_stream *s, ritz_work_queue *queue, int number, slot *at)
{
    ritz_work_queue_take(queue, number, &at->first, &at->count);
    return at->count == 0 ? RITZ_OK
                          : ritz_integrator_run(s->integrator, (int32_t)at->first, (int32_t)at->count,
                                                at->matrix_buffer, at->vector_buffer, NULL);
}

/* Starts the transfer of the chunk whose kernel was launched last. */
static ritz_status fetch_chunk(ritz_stream *s, slot *at)
{
    ritz_status status = RITZ_OK;
    if (at->count == 0)
        goto done;
    RITZ_TRY(ritz_stage_fetch(at->matrix_stage, at->matrix_buffer, matrix_bytes(s->layout, s->precision, at->count)));
    if (at->vector_stage)
        RITZ_TRY(
            ritz_stage_fetch(at->vector_stage, at->vector_buffer, vector_bytes(s->layout, s->precision, at->count)));
done:
    return status;
}

/* Waits for a chunk's transfer. */
static ritz_status await_chunk(const ritz_stream *s, slot *at, ritz_chunk *chunk, ritz_stream_times *times)
{
    ritz_status status = RITZ_OK;
    *chunk = (ritz_chunk){.layout = s->layout,
                          .precision = s->precision,
                          .result = s->result,
                          .n_shape = s->n_shape,
                          .n_components = s->n_components,
                          .first = at->first,
                          .count = at->count};
    RITZ_TRY(ritz_stage_wait(at->matrix_stage, &chunk->matrices, &times->transfer));
    if (at->vector_stage)
        RITZ_TRY(ritz_stage_wait(at->vector_stage, &chunk->vectors, &times->transfer));
    RITZ_TRY(ritz_device_collect_times(s->device, &times->kernel));
done:
    return status;
}

/* The host has done with the slot's chunk. */
static void release_slot(slot *at)
{
    ritz_stage_release(at->matrix_stage);
    if (at->vector_stage)
        ritz_stage_release(at->vector_stage);
}

/* Tells of a chunk that ended now; the time, for the next one. */
static double report_chunk_done(ritz_work_queue *queue, int number, int64_t count, double last)
{
    const double now = ritz_seconds();
    ritz_work_queue_done(queue, number, count, now - last);
    return now;
}

static ritz_status run_chunks(ritz_stream *s, ritz_work_queue *queue, int number, ritz_chunk_consumer *consume,
                              void *context, ritz_stream_times *times)
{
    ritz_status status = RITZ_OK;
    ritz_chunk chunk;
    double last = ritz_seconds();
    for (int k = 0; k < s->n_slots; k++) {
        RITZ_TRY(launch_chunk(s, queue, number, &s->slots[k]));
        RITZ_TRY(fetch_chunk(s, &s->slots[k]));
    }
    for (int k = 0; s->slots[k].count > 0; k = (k + 1) % s->n_slots) {
        slot *at = &s->slots[k];
        const bool copied = ritz_stage_copies(at->matrix_stage);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(await_chunk(s, at, &chunk, times));
        last = report_chunk_done(queue, number, chunk.count, last);
        if (copied)
            RITZ_TRY(launch_chunk(s, queue, number, at));
        RITZ_TRY(ritz_device_flush(s->device));
        RITZ_TRY(consume(&chunk, context));
        release_slot(at);
        if (!copied)
            RITZ_TRY(launch_chunk(s, queue, number, at));
        RITZ_TRY(fetch_chunk(s, at));
    }
done:
    return status;
}

ritz_status ritz_stream_run(ritz_stream *s, ritz_work_queue *queue, int number, ritz_chunk_consumer *consume,
                            void *context, ritz_stream_times *times)
{
    ritz_stream_times unused = {0};
    ritz_device_keep_times(s->device, true);
    const ritz_status status = run_chunks(s, queue, number, consume, context, times ? times : &unused);
    ritz_device_keep_times(s->device, false);
    if (status != RITZ_OK)
        ritz_work_queue_stop(queue);
    return status;
}

/* Which elements are looked at, and by whom. */
typedef struct sampling {
    const int32_t *sample;
    int32_t n;
    ritz_chunk_consumer *consume;
    void *context;
    void *matrices, *vectors; /* of one set */
} sampling;

/* The sets of the sample in elements first .. first + count - 1, which are in the first slot. */
static ritz_status fetch_sample(const ritz_stream *s, const sampling *o, int64_t first, int64_t count)
{
    ritz_status status = RITZ_OK;
    const int width = s->layout->width;
    const int64_t m_bytes = matrix_bytes(s->layout, s->precision, width),
                  v_bytes = vector_bytes(s->layout, s->precision, width);
    int64_t before = -1;
    for (int32_t k = 0; k < o->n; k++) {
        const int64_t set = (o->sample[k] - first) / width;
        if (o->sample[k] < first || o->sample[k] >= first + count || set == before)
            continue;
        RITZ_TRY(ritz_buffer_read(s->slots[0].matrix_buffer, set * m_bytes, o->matrices, m_bytes));
        if (v_bytes > 0)
            RITZ_TRY(ritz_buffer_read(s->slots[0].vector_buffer, set * v_bytes, o->vectors, v_bytes));
        const ritz_chunk chunk = {.layout = s->layout,
                                  .precision = s->precision,
                                  .result = s->result,
                                  .n_shape = s->n_shape,
                                  .n_components = s->n_components,
                                  .first = first + set * width,
                                  .count = ritz_min64(width, count - set * width),
                                  .matrices = o->matrices,
                                  .vectors = v_bytes > 0 ? o->vectors : NULL};
        RITZ_TRY(o->consume(&chunk, o->context));
        before = set;
    }
done:
    return status;
}

/* All chunks one after the other in the first slot; o: what is looked at in each, NULL: nothing. */
static ritz_status time_chunks(ritz_stream *s, ritz_work_queue *queue, int number, const sampling *o, double *seconds)
{
    ritz_status status = RITZ_OK;
    int64_t first, count;
    double last = ritz_seconds();
    for (;;) {
        RITZ_TRY(ritz_check_interrupt());
        ritz_work_queue_take(queue, number, &first, &count);
        if (count == 0)
            break;
        RITZ_TRY(ritz_integrator_run(s->integrator, (int32_t)first, (int32_t)count, s->slots[0].matrix_buffer,
                                     s->slots[0].vector_buffer, seconds));
        if (o)
            RITZ_TRY(fetch_sample(s, o, first, count));
        last = report_chunk_done(queue, number, count, last);
    }
done:
    if (status != RITZ_OK)
        ritz_work_queue_stop(queue);
    return status;
}

ritz_status ritz_stream_time(ritz_stream *s, ritz_work_queue *queue, int number, double *seconds)
{
    return time_chunks(s, queue, number, NULL, seconds);
}

ritz_status ritz_stream_sample(ritz_stream *s, ritz_work_queue *queue, int number, const int32_t *sample, int32_t n,
                               ritz_chunk_consumer *consume, void *context, ritz_stream_times *times)
{
    ritz_status status = RITZ_OK;
    sampling o = {.sample = sample, .n = n, .consume = consume, .context = context};
    char *matrices = NULL, *vectors = NULL;
    RITZ_NEW(matrices, matrix_bytes(s->layout, s->precision, s->layout->width));
    RITZ_NEW(vectors, ritz_max64(1, vector_bytes(s->layout, s->precision, s->layout->width)));
    o.matrices = matrices;
    o.vectors = vectors;
    RITZ_TRY(time_chunks(s, queue, number, &o, &times->kernel));
done:
    ritz_free(matrices);
    ritz_free(vectors);
    return status;
}

ritz_status ritz_stream_warm_up(ritz_stream *s)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_zero(s->slots[0].matrix_buffer));
    if (s->slots[0].vector_buffer)
        RITZ_TRY(ritz_buffer_zero(s->slots[0].vector_buffer));
    RITZ_TRY(ritz_integrator_run(s->integrator, 0, (int32_t)ritz_min64(s->layout->width, s->n_cells),
                                 s->slots[0].matrix_buffer, s->slots[0].vector_buffer, NULL));
    RITZ_TRY(ritz_device_finish(s->device));
done:
    return status;
}
