/* The schedule of level-blocked matrix powers.

   The rows stand in an order in which a chunk of slices reads only from chunks nearby. Chunk c of step k can be done once
   step k - 1 is done in all chunks up to reach[c], and then time(c, k) = time(reach[c], k - 1) + 1 with time(c, 1) = c is
   a schedule: whatever has the same time is independent and makes one launch. Between the first and the last step of a
   chunk lies a window of chunks that follows the width of the graph; where the window fits into the cache, all steps but
   the first read the matrix from there.

   Two vectors are enough: step k of chunk c overwrites step k - 2, which its neighbours read in step k - 1, and they have
   done so, because reach is symmetric: time(c, k) > time(c', k - 1) for every c' that c reads or is read by. */
#include "solve/schedule.h"

#include <string.h>

enum { SIZES = 4 }; /* chunks of 1/128, 1/64, 1/32, 1/16 of the cache */
enum { CHUNKS_MOST = 1 << 14 };

typedef struct chunks {
    int32_t n;
    int32_t *first; /* [n + 1] slices */
    int32_t *reach; /* [n] not decreasing */
    int32_t *time;  /* [depth][n], from 0 */
    int depth;
} chunks;

static void chunks_clear(chunks *c)
{
    ritz_free(c->first);
    ritz_free(c->reach);
    ritz_free(c->time);
    *c = (chunks){0};
}

static int64_t bytes_of(const ritz_slices *s, int32_t first, int32_t end)
{
    return end > first ? s->end[end - 1] - (first > 0 ? s->end[first - 1] : 0) : 0;
}

/* Chunks of about `bytes` each. */
static ritz_status cut(const ritz_slices *s, int64_t bytes, chunks *c)
{
    ritz_status status = RITZ_OK;
    int32_t *chunk_of = NULL;
    bytes = ritz_max64(bytes, s->end[s->n - 1] / CHUNKS_MOST + 1);
    RITZ_NEW(chunk_of, s->n);
    RITZ_NEW(c->first, s->n + 1);
    RITZ_NEW(c->reach, s->n);
    for (int32_t i = 0; i < s->n; i++) {
        if (i == 0 || s->end[i] - (c->first[c->n - 1] > 0 ? s->end[c->first[c->n - 1] - 1] : 0) > bytes)
            c->first[c->n++] = i;
        chunk_of[i] = c->n - 1;
    }
    c->first[c->n] = s->n;
    for (int32_t i = 0; i < s->n; i++) {
        int32_t *reach = &c->reach[chunk_of[i]];
        *reach = chunk_of[s->reach[i]] > *reach ? chunk_of[s->reach[i]] : *reach;
    }
    for (int32_t i = 1; i < c->n; i++)
        c->reach[i] = c->reach[i - 1] > c->reach[i] ? c->reach[i - 1] : c->reach[i];
done:
    ritz_free(chunk_of);
    return status;
}

static ritz_status set_times(chunks *c, int depth)
{
    ritz_status status = RITZ_OK;
    c->depth = depth;
    ritz_free(c->time);
    c->time = NULL;
    RITZ_NEW(c->time, (int64_t)depth * c->n);
    for (int32_t i = 0; i < c->n; i++)
        c->time[i] = i;
    for (int k = 1; k < depth; k++)
        for (int32_t i = 0; i < c->n; i++)
            c->time[(int64_t)k * c->n + i] = c->time[(int64_t)(k - 1) * c->n + c->reach[i]] + 1;
done:
    return status;
}

static int32_t count_times(const chunks *c)
{
    return c->time[(int64_t)c->depth * c->n - 1] + 1;
}

/* The chunks of step k (from 0) at a time are [*first, *end); times come one after the other from 0. */
static void advance(const chunks *c, int k, int32_t time, int32_t *first, int32_t *end)
{
    const int32_t *t = c->time + (int64_t)k * c->n;
    for (*first = *end; *end < c->n && t[*end] == time;)
        (*end)++;
}

/* Cost and largest window of one pass. */
static double pass_cost(const ritz_slices *s, const ritz_memory *memory, const chunks *c, int64_t *window)
{
    int32_t first[RITZ_DEGREE_MOST] = {0}, end[RITZ_DEGREE_MOST] = {0};
    double cost = 0;
    for (int32_t time = 0; time < count_times(c); time++) {
        for (int k = 0; k < c->depth; k++)
            advance(c, k, time, &first[k], &end[k]);
        /* From the oldest chunk whose last step is still to come, to the newest. */
        const int64_t now = bytes_of(s, c->first[first[c->depth - 1]], c->first[end[0]]);
        double kept = 2 * (1 - (double)now / (double)memory->cache);
        kept = kept > 1 ? 1 : kept < 0 ? 0 : kept;
        for (int k = 0; k < c->depth; k++) {
            const double bytes = (double)bytes_of(s, c->first[first[k]], c->first[end[k]]);
            cost += bytes * (k == 0 ? 1 : 1 + kept * (memory->cached - 1));
        }
        cost += memory->launch;
        *window = ritz_max64(*window, now);
    }
    return cost;
}

static int passes_of(int n_steps, int depth)
{
    return (n_steps + depth - 1) / depth;
}

/* Writes the tasks of steps before + 1 .. before + depth. */
static void write_pass(const chunks *c, int before, ritz_schedule *s)
{
    int32_t first[RITZ_DEGREE_MOST] = {0}, end[RITZ_DEGREE_MOST] = {0};
    for (int32_t time = 0; time < count_times(c); time++) {
        for (int k = 0; k < c->depth; k++) {
            advance(c, k, time, &first[k], &end[k]);
            if (end[k] > first[k])
                s->task[s->n_tasks++] = (ritz_chunk_step){
                    .first = c->first[first[k]], .n = c->first[end[k]] - c->first[first[k]], .step = before + k + 1};
        }
        s->launch[++s->n_launches] = s->n_tasks;
    }
}

static ritz_status write_schedule(chunks *c, int n_steps, int depth, ritz_schedule *s)
{
    ritz_status status = RITZ_OK;
    const int passes = passes_of(n_steps, depth);
    s->depth = depth;
    s->n_chunks = c->n;
    RITZ_TRY(set_times(c, depth));
    RITZ_NEW(s->task, (int64_t)n_steps * c->n);
    RITZ_NEW(s->launch, (int64_t)passes * count_times(c) + 1);
    for (int pass = 0, before = 0; pass < passes; pass++) {
        const int steps = (n_steps - before + passes - pass - 1) / (passes - pass);
        RITZ_TRY(set_times(c, steps));
        write_pass(c, before, s);
        before += steps;
    }
done:
    return status;
}

double ritz_schedule_plain_cost(const ritz_slices *slices, const ritz_memory *memory, int n_steps)
{
    return n_steps * ((double)slices->end[slices->n - 1] + memory->launch);
}

ritz_status ritz_schedule_make(const ritz_slices *slices, const ritz_memory *memory, int n_steps,
                               ritz_schedule *schedule)
{
    ritz_status status = RITZ_OK;
    chunks c[SIZES] = {{0}};
    int best_size = 0, best_depth = 1;
    *schedule = (ritz_schedule){0};
    for (int size = 0; size < SIZES; size++) {
        RITZ_TRY(cut(slices, memory->cache >> (SIZES + 3 - size), &c[size]));
        for (int passes = n_steps; passes >= 1; passes--) {
            const int depth = passes_of(n_steps, passes);
            int64_t window = 0;
            if (passes > 1 && passes_of(n_steps, passes - 1) == depth)
                continue; /* the same with fewer passes */
            RITZ_TRY(set_times(&c[size], depth));
            const double cost = passes * pass_cost(slices, memory, &c[size], &window);
            if (schedule->cost == 0 || cost < schedule->cost) {
                schedule->cost = cost;
                schedule->window = window;
                best_size = size;
                best_depth = depth;
            }
        }
    }
    RITZ_TRY(write_schedule(&c[best_size], n_steps, best_depth, schedule));
done:
    for (int size = 0; size < SIZES; size++)
        chunks_clear(&c[size]);
    if (status)
        ritz_schedule_clear(schedule);
    return status;
}

void ritz_schedule_clear(ritz_schedule *s)
{
    ritz_free(s->task);
    ritz_free(s->launch);
    *s = (ritz_schedule){0};
}
