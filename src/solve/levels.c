/* A polynomial's steps blocked by levels: whether, in what order, in what pieces; and the steps themselves. */
#include "solve/levels.h"
#include "matrix/powers.h"
#include "solve/order.h"
#include "solve/schedule.h"

#include <string.h>

/* What is known of each kind of device.
   CPU: from the cache a step takes half the time that memory takes; with 16-bit values beside wider vectors it takes as
   long, because gathering and converting bound it; a launch, 13 us, costs PoCL as much as 350 KB from memory; 16 tasks a
   launch keep two cores evenly busy. GPU: a launch of a few levels holds too few rows to fill the device, and 3 us are
   worth 12 MB of memory's time: never by itself. */
static const struct plan {
    bool automatic;
    double cached, cached_16_bits, launch;
    int tasks_per_unit; /* of a launch; 0: a task has as many slices as a work-group has rows */
} plans[] = {
    [RITZ_DEVICE_CPU] = {.automatic = true, .cached = 0.5, .cached_16_bits = 1, .launch = 350e3, .tasks_per_unit = 8},
    [RITZ_DEVICE_GPU] = {.automatic = false, .cached = 0.5, .cached_16_bits = 0.5, .launch = 12e6},
    [RITZ_DEVICE_OTHER] = {.automatic = false, .cached = 0.5, .cached_16_bits = 0.5, .launch = 12e6},
};
/* Blocked is chosen if it promises at most this share of the plain steps' cost: the model is too hopeful by up to a
   quarter (docs/notebook/matrix-powers.md), and the order has to be paid for. */
static const double worthwhile = 0.73;
/* Rows sorted by length among each other: enough that slices fill, few beside a level. */
enum { SORT_WINDOW = 128 };

struct ritz_levels {
    ritz_powers powers;
    int n_steps, depth;
    int32_t n_launches;
    int32_t *launch;                         /* [n_launches + 1] where each one's tasks start */
    double factors[RITZ_DEGREE_MOST + 1][4]; /* on the device; NaN at first */
};

/* ---- The order ---- */

/* An order of the rows and what becomes of it. */
typedef struct ordering {
    int32_t *order, *place;
    ritz_schedule schedule;
} ordering;

static void ordering_clear(ordering *o)
{
    ritz_free(o->order);
    ritz_free(o->place);
    ritz_schedule_clear(&o->schedule);
    *o = (ordering){0};
}

/* Bytes and reach of the slices that the matrix would have in this order. */
static ritz_status measure_slices(const ritz_matrix *m, const ritz_graph *g, const ordering *o, int64_t *end,
                                  int32_t *reach)
{
    const int32_t S = m->slice_height, n = (g->n + S - 1) / S;
    const int64_t b = m->block, real = ritz_real_bytes(m->precision);
    const int64_t slot = b * b * (m->value_type == RITZ_VALUES_F64 ? 8 : m->value_type == RITZ_VALUES_F32 ? 4 : 2) + 4;
    for (int32_t s = 0; s < n; s++)
        reach[s] = s;
    for (int32_t s = 0; s < n; s++) {
        int32_t width = 0, rows = 0;
        for (int32_t i = s * S; i < g->n && i < (s + 1) * S; i++, rows++) {
            const int32_t row = o->order[i], *column = g->columns + g->start[row];
            width = g->length[row] > width ? g->length[row] : width;
            for (int32_t k = 0; k < g->length[row]; k++, column += g->stride) {
                const int32_t other = o->place[*column] / S, low = other < s ? other : s, high = other < s ? s : other;
                reach[low] = high > reach[low] ? high : reach[low];
            }
        }
        end[s] = (s > 0 ? end[s - 1] : 0) + (int64_t)width * S * slot + 3 * rows * b * real;
    }
    return RITZ_OK;
}

/* The order from one end of the graph, and the best schedule with it. */
static ritz_status try_order(const ritz_matrix *m, const ritz_graph *g, const ritz_memory *memory, bool whole_end,
                             int n_steps, ordering *o, double *plain)
{
    ritz_status status = RITZ_OK;
    const int32_t n_slices = (g->n + m->slice_height - 1) / m->slice_height;
    int64_t *end = NULL;
    int32_t *reach = NULL;
    RITZ_NEW(o->order, g->n);
    RITZ_NEW(o->place, g->n);
    RITZ_NEW(end, n_slices);
    RITZ_NEW(reach, n_slices);
    ritz_order_levels(g, whole_end, o->order, o->place);
    RITZ_TRY(ritz_matrix_sort_order(m, SORT_WINDOW, g->length, o->order));
    for (int32_t i = 0; i < g->n; i++)
        o->place[o->order[i]] = i;
    RITZ_TRY(measure_slices(m, g, o, end, reach));
    const ritz_slices slices = {.n = n_slices, .end = end, .reach = reach};
    RITZ_TRY(ritz_schedule_make(&slices, memory, n_steps, &o->schedule));
    *plain = ritz_schedule_plain_cost(&slices, memory, n_steps);
done:
    ritz_free(end);
    ritz_free(reach);
    return status;
}

/* The pattern on the host; *columns and *length are the caller's to free. */
static ritz_status read_graph(const ritz_matrix *m, int32_t **columns, int32_t **length, ritz_graph *g)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*columns, m->n_slots);
    RITZ_NEW(*length, m->n_rows);
    RITZ_TRY(ritz_buffer_read(m->columns, 0, *columns, m->n_slots * 4));
    RITZ_TRY(ritz_buffer_read(m->row_length, 0, *length, m->n_rows * (int64_t)4));
    *g = (ritz_graph){
        .n = m->n_rows, .stride = m->slice_height, .start = m->host_row_slot, .length = *length, .columns = *columns};
done:
    return status;
}

/* The cheaper of two orders. */
static ritz_status choose_order(const ritz_matrix *m, const ritz_memory *memory, int n_steps, ordering *best,
                                double *plain)
{
    ritz_status status = RITZ_OK;
    int32_t *columns = NULL, *length = NULL;
    ritz_graph graph;
    ordering other = {0};
    RITZ_TRY(read_graph(m, &columns, &length, &graph));
    RITZ_TRY(try_order(m, &graph, memory, false, n_steps, best, plain));
    RITZ_TRY(try_order(m, &graph, memory, true, n_steps, &other, plain));
    if (other.schedule.cost < best->schedule.cost) {
        ordering swap = *best;
        *best = other;
        other = swap;
    }
done:
    ordering_clear(&other);
    ritz_free(columns);
    ritz_free(length);
    return status;
}

/* ---- Tasks ---- */

/* The schedule's chunks cut into tasks that keep the device evenly busy. */
static ritz_status send_tasks(const ritz_schedule *s, const struct plan *plan, ritz_levels *l)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *m = l->powers.matrix;
    const int64_t units = ritz_device_get_info(m->device)->compute_units;
    ritz_power_task *task = NULL;
    int64_t n = 0, room = 0;
    RITZ_NEW(l->launch, s->n_launches + 1);
    for (int32_t at = 0; at < s->n_launches; at++) {
        int64_t slices = 0, size = ritz_max64(1, l->powers.group / m->slice_height);
        for (int32_t i = s->launch[at]; i < s->launch[at + 1]; i++)
            slices += s->task[i].n;
        if (plan->tasks_per_unit > 0)
            size = ritz_max64(size, slices / (plan->tasks_per_unit * units));
        for (int32_t i = s->launch[at]; i < s->launch[at + 1]; i++) {
            const ritz_chunk_step *c = &s->task[i];
            const int64_t pieces = (c->n + size - 1) / size;
            if (n + pieces > room) {
                room = 2 * (n + pieces);
                RITZ_RESIZE(task, room);
            }
            for (int64_t p = 0; p < pieces; p++) {
                const int32_t first = (int32_t)(c->n * p / pieces), end = (int32_t)(c->n * (p + 1) / pieces);
                task[n++] = (ritz_power_task){.first = c->first + first, .n = end - first, .step = c->step};
            }
        }
        l->launch[at + 1] = (int32_t)n;
    }
    l->n_launches = s->n_launches;
    RITZ_TRY(ritz_buffer_create_from(m->device, task, n * (int64_t)sizeof *task, "the tasks of matrix powers",
                                     &l->powers.tasks));
done:
    ritz_free(task);
    return status;
}

static bool is_possible(const ritz_matrix *m, int n_steps)
{
    return n_steps >= 2 && ritz_matrix_can_reorder(m);
}

/* Where the matrix stays in the cache anyway, or blocking can not be, no order is looked for. */
static bool is_promising(const ritz_matrix *m, int64_t cache, const struct plan *plan)
{
    return plan->automatic && cache > 0 && m->bytes > 2 * cache;
}

static ritz_status build(const ritz_matrix *from, int n_steps, const ordering *o, const struct plan *plan,
                         ritz_matrix **matrix, ritz_levels **levels)
{
    ritz_status status = RITZ_OK;
    ritz_levels *l = NULL;
    RITZ_NEW(l, 1);
    l->n_steps = n_steps;
    l->depth = o->schedule.depth;
    memset(l->factors, 0xff, sizeof l->factors);
    RITZ_TRY(ritz_matrix_reorder(from, o->order, o->place, matrix));
    RITZ_TRY(ritz_powers_create(*matrix, n_steps, &l->powers));
    RITZ_TRY(ritz_buffer_create_from(from->device, o->order, from->n_rows * (int64_t)4, "the order of rows",
                                     &l->powers.order));
    RITZ_TRY(send_tasks(&o->schedule, plan, l));
    *levels = l;
    l = NULL;
done:
    ritz_levels_destroy(&l);
    return status;
}

ritz_status ritz_levels_create(ritz_matrix **matrix, int n_steps, ritz_powers_choice choice, ritz_levels **levels)
{
    ritz_status status = RITZ_OK;
    const ritz_device_info *info = ritz_device_get_info((*matrix)->device);
    const struct plan *plan = &plans[info->kind];
    const bool narrow = (*matrix)->value_type >= RITZ_VALUES_F16, forced = choice == RITZ_POWERS_BLOCKED;
    const ritz_memory memory = {.cache = ritz_max64(info->global_cache, 1 << 16),
                                .cached = narrow ? plan->cached_16_bits : plan->cached,
                                .launch = plan->launch};
    ordering best = {0};
    ritz_matrix *reordered = NULL;
    double plain = 0;
    *levels = NULL;
    if (choice == RITZ_POWERS_PLAIN || !is_possible(*matrix, n_steps) ||
        !(forced || is_promising(*matrix, info->global_cache, plan)))
        return RITZ_OK;
    RITZ_TRY(choose_order(*matrix, &memory, n_steps, &best, &plain));
    const bool worth = forced || best.schedule.cost <= worthwhile * plain;
    ritz_log(
        "solve: %d steps with the matrix, %d together in %d chunks (window %.1f MB, cache %.1f MB), would take %.2f "
        "of the plain ones' time: %s",
        n_steps, best.schedule.depth, best.schedule.n_chunks, (double)best.schedule.window / 1e6,
        (double)info->global_cache / 1e6, best.schedule.cost / plain, worth ? "blocked" : "plain");
    if (worth) {
        RITZ_TRY(build(*matrix, n_steps, &best, plan, &reordered, levels));
        ritz_matrix_destroy(matrix);
        *matrix = reordered;
        reordered = NULL;
    }
done:
    ordering_clear(&best);
    ritz_matrix_destroy(&reordered);
    return status;
}

void ritz_levels_destroy(ritz_levels **levels)
{
    if (!levels || !*levels)
        return;
    ritz_powers_destroy(&(*levels)->powers);
    ritz_free((*levels)->launch);
    ritz_free(*levels);
    *levels = NULL;
}

int ritz_levels_passes(const ritz_levels *l)
{
    return (l->n_steps + l->depth - 1) / l->depth;
}

/* ---- The steps ---- */

static ritz_status send_factors(ritz_levels *l, const ritz_product *step)
{
    ritz_status status = RITZ_OK;
    const int n = 4 * (l->n_steps + 1);
    double factors[RITZ_DEGREE_MOST + 1][4] = {{0}};
    float narrow[4 * (RITZ_DEGREE_MOST + 1)];
    for (int j = 1; j <= l->n_steps; j++) {
        const ritz_product *p = &step[j - 1];
        memcpy(factors[j], (double[4]){p->alpha, p->beta, p->gamma, p->delta}, sizeof factors[j]);
    }
    if (memcmp(factors, l->factors, (size_t)n * sizeof(double)) == 0)
        return RITZ_OK;
    for (int i = 0; i < n; i++)
        narrow[i] = (float)factors[i / 4][i % 4];
    const bool wide = l->powers.matrix->precision == RITZ_F64;
    RITZ_TRY(ritz_buffer_write(l->powers.factors, 0, wide ? (const void *)factors : narrow,
                               n * ritz_real_bytes(l->powers.matrix->precision)));
    memcpy(l->factors, factors, sizeof factors);
done:
    return status;
}

ritz_status ritz_levels_apply(ritz_levels *l, const ritz_product *step, const ritz_buffer *r, ritz_buffer *z,
                              const ritz_buffer **partial, int32_t *n_parts)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(send_factors(l, step));
    RITZ_TRY(ritz_powers_begin(&l->powers, r));
    for (int32_t at = 0; at < l->n_launches; at++)
        RITZ_TRY(ritz_powers_launch(&l->powers, l->launch[at], l->launch[at + 1] - l->launch[at]));
    RITZ_TRY(ritz_powers_end(&l->powers, l->n_steps, z));
    *partial = l->powers.partial;
    *n_parts = l->powers.n_parts;
done:
    return status;
}
