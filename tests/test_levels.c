/* Level-blocked matrix powers: orders are permutations that keep neighbours close, schedules compute every step of every
   slice once and in an order that its neighbours allow, and blocked steps give the bits of plain ones. */
#include "check.h"
#include "matrix/storage.h"
#include "solve/levels.h"
#include "solve/order.h"
#include "solve/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Patterns ---- */

/* Points of a box, each beside the 8 (26) around it, numbered by turns of a stride so that neighbours are far apart; then
   `parts` copies of it, and `alone` rows of nothing but a diagonal. */
typedef struct pattern {
    int n;
    int64_t *start;
    int32_t *columns;
} pattern;

static int number_of(int i, int n)
{
    return n % 7 == 0 ? i : (int)((int64_t)i * 7 % n);
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static pattern make_box(int nx, int ny, int nz, int parts, int alone)
{
    const int box = nx * ny * nz > 0 ? nx * ny * nz : 1, n = parts * box + alone;
    pattern p = {.n = n, .start = calloc((size_t)n + 1, 8), .columns = malloc((size_t)n * 27 * 4)};
    int *of = malloc((size_t)n * sizeof(int));
    for (int i = 0; i < n; i++)
        of[number_of(i, n)] = i;
    for (int row = 0; row < n; row++) {
        const int point = of[row], part = point / box, at = point % box;
        int64_t k = p.start[row];
        if (point >= parts * box)
            p.columns[k++] = row;
        for (int d = 0; d < 27 && point < parts * box; d++) {
            const int x = at % nx + d % 3 - 1, y = at / nx % ny + d / 3 % 3 - 1, z = at / nx / ny + d / 9 - 1;
            if (x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz)
                p.columns[k++] = number_of(part * box + (z * ny + y) * nx + x, n);
        }
        qsort(p.columns + p.start[row], (size_t)(k - p.start[row]), 4, compare);
        p.start[row + 1] = k;
    }
    free(of);
    return p;
}

/* Every row reads the next one only, and the first also the last. */
static pattern make_chain(int n)
{
    pattern p = {.n = n, .start = calloc((size_t)n + 1, 8), .columns = malloc((size_t)n * 3 * 4)};
    for (int row = 0; row < n; row++) {
        int64_t k = p.start[row];
        p.columns[k++] = row;
        if (row + 1 < n)
            p.columns[k++] = row + 1;
        if (row == 0 && n > 2)
            p.columns[k++] = n - 1;
        p.start[row + 1] = k;
    }
    return p;
}

static void free_pattern(pattern *p)
{
    free(p->start);
    free(p->columns);
}

/* ---- Orders ---- */

static void orders(void **state)
{
    (void)state;
    const struct {
        pattern p;
        int width; /* neighbours are within this of each other */
    } cases[] = {{make_box(40, 5, 5, 1, 0), 61 + 37}, {make_box(30, 30, 1, 1, 0), 2 * 59},
                 {make_box(20, 4, 1, 3, 5), 2 * 4},   {make_box(1, 1, 1, 1, 0), 0},
                 {make_box(1, 1, 1, 0, 9), 0},        {make_chain(50), 50}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int whole_end = 0; whole_end < 2; whole_end++) {
            pattern p = cases[c].p;
            int32_t *length = malloc((size_t)p.n * 4), *order = malloc((size_t)p.n * 4),
                    *place = malloc((size_t)p.n * 4);
            for (int i = 0; i < p.n; i++) {
                length[i] = (int32_t)(p.start[i + 1] - p.start[i]);
                order[i] = -1;
            }
            const ritz_graph graph = {.n = p.n, .stride = 1, .start = p.start, .length = length, .columns = p.columns};
            ritz_order_levels(&graph, whole_end, order, place);
            for (int i = 0; i < p.n; i++) {
                assert_in_range(place[i], 0, p.n - 1);
                assert_int_equal(order[place[i]], i);
                for (int64_t k = p.start[i]; k < p.start[i + 1]; k++)
                    if (abs(place[i] - place[p.columns[k]]) > cases[c].width)
                        fail_msg("order %zu: neighbours %d apart", 2 * c + (size_t)whole_end,
                                 abs(place[i] - place[p.columns[k]]));
            }
            free(length);
            free(order);
            free(place);
        }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        free_pattern(&((pattern){.start = cases[c].p.start, .columns = cases[c].p.columns}));
}

/* ---- Schedules ---- */

/* Runs the schedule: step k of a slice needs step k - 1 of all that it reads or is read by, done in earlier launches, and
   finds them not yet overwritten by step k + 1. */
static void check_schedule(const ritz_slices *slices, int n_steps, const ritz_schedule *s)
{
    int *done = calloc((size_t)slices->n, sizeof(int)), *before = calloc((size_t)slices->n, sizeof(int));
    int total = 0;
    for (int32_t at = 0; at < s->n_launches; at++) {
        memcpy(before, done, (size_t)slices->n * sizeof(int));
        assert_true(s->launch[at + 1] > s->launch[at]);
        for (int32_t t = s->launch[at]; t < s->launch[at + 1]; t++)
            for (int32_t i = s->task[t].first; i < s->task[t].first + s->task[t].n; i++) {
                const int k = s->task[t].step;
                assert_int_equal(done[i]++, k - 1);
                total++;
                for (int32_t j = 0; j < slices->n; j++)
                    if (j != i && slices->reach[j < i ? j : i] >= (j < i ? i : j))
                        assert_in_range(before[j], k - 1, k);
            }
        /* and nothing in this launch went two steps, or took what a neighbour of it still read */
        for (int32_t i = 0; i < slices->n; i++)
            assert_true(done[i] - before[i] <= 1);
        for (int32_t i = 0; i < slices->n; i++)
            for (int32_t j = i + 1; j <= slices->reach[i]; j++)
                assert_true(done[i] == before[i] || done[j] == before[j] || before[i] == before[j]);
    }
    assert_int_equal(total, slices->n * n_steps);
    assert_int_equal(s->launch[s->n_launches], s->n_tasks);
    free(done);
    free(before);
}

static void schedules(void **state)
{
    (void)state;
    enum { N = 300 };
    int64_t end[N];
    int32_t reach[N];
    for (int shape = 0; shape < 5; shape++)
        for (int n = 1; n <= N; n = 3 * n + 1 > N && n < N ? N : 3 * n + 1)
            for (int n_steps = 2; n_steps <= RITZ_DEGREE_MOST; n_steps += 3) {
                for (int i = 0; i < n; i++) {
                    /* a band; a bulge; all at once; nothing; a random band */
                    const int widths[] = {5, 1 + 40 * i * (n - i) / n / n, n, 0, (i * 2654435761u >> 7) % 17};
                    reach[i] = i + widths[shape] < n ? i + widths[shape] : n - 1;
                    end[i] = (i > 0 ? end[i - 1] : 0) + 900 + (i * 37) % 200;
                }
                const ritz_slices slices = {.n = n, .end = end, .reach = reach};
                const ritz_memory memory = {.cache = 64000, .cached = 0.5, .launch = 100};
                ritz_schedule s;
                OK(ritz_schedule_make(&slices, &memory, n_steps, &s));
                check_schedule(&slices, n_steps, &s);
                if (shape == 0 && n == N && n_steps > 2 && n_steps <= 8)
                    assert_true(s.depth > 1 && s.cost < 0.8 * ritz_schedule_plain_cost(&slices, &memory, n_steps));
                ritz_schedule_clear(&s);
            }
}

/* ---- Steps ---- */

enum { MOST = RITZ_DEGREE_MOST };

static ritz_matrix *make_matrix(const pattern *p, int block, const ritz_matrix_options *options)
{
    const int64_t entries = p->start[p->n] * block * block;
    double *values = malloc((size_t)entries * sizeof(double));
    ritz_matrix *m = NULL;
    for (int64_t i = 0; i < entries; i++)
        values[i] = sin(1.7 * (double)i) / 40;
    OK(ritz_matrix_create(device, options, block, p->n, p->start, p->columns, values, &m));
    free(values);
    return m;
}

static ritz_buffer *make_vector(const ritz_matrix *m, double scale)
{
    ritz_buffer *v = NULL;
    double *host = malloc((size_t)m->n_unknowns * sizeof(double));
    for (int64_t i = 0; i < m->n_unknowns; i++)
        host[i] = scale * sin(0.3 * (double)i + 1);
    OK(ritz_buffer_create(device, m->n_unknowns * ritz_real_bytes(m->precision), "a test's vector", &v));
    OK(ritz_matrix_write_vector(m, host, v));
    free(host);
    return v;
}

static void make_steps(int n_steps, ritz_product *step)
{
    for (int j = 1; j <= n_steps; j++)
        step[j - 1] = (ritz_product){
            .alpha = -0.9 + 0.01 * j, .beta = j > 2 ? -0.2 : 0, .gamma = j > 1 ? 0.8 : 0, .delta = 1.2 - 0.02 * j};
}

/* z[n_steps % 2] after plain steps */
static void run_plain(const ritz_matrix *m, int n_steps, const ritz_product *step, ritz_buffer *r, ritz_buffer *z[2])
{
    for (int j = 1; j <= n_steps; j++) {
        ritz_product p = step[j - 1];
        p.z = r;
        OK(ritz_matrix_product(m, &p, j == 1 ? r : z[(j + 1) % 2], z[j % 2], NULL));
    }
}

static void check_sums(const ritz_matrix *m, const ritz_buffer *partial, int n_parts, const double *r, const double *z)
{
    const bool wide = ritz_device_get_info(device)->has_f64;
    const int64_t n = (int64_t)RITZ_PRODUCT_SUMS * n_parts;
    double *parts = malloc((size_t)n * sizeof(double)), truth[3] = {0}, sum[3] = {0};
    OK(ritz_read_vector(wide ? RITZ_F64 : RITZ_F32, n, partial, parts));
    for (int64_t i = 0; i < m->n_unknowns; i++) {
        truth[0] += r[i] * z[i];
        truth[1] += z[i] * z[i];
        truth[2] += r[i] * r[i];
    }
    for (int64_t i = 0; i < n; i++)
        sum[i / n_parts] += parts[i];
    for (int s = 0; s < 3; s++)
        assert_true(fabs(sum[s] - truth[s]) <= (wide ? 1e-12 : 1e-4) * sqrt(truth[1] * truth[2] + truth[s] * truth[s]));
    free(parts);
}

static void compare_steps(const pattern *p, int block, const ritz_matrix_options *options, int n_steps)
{
    ritz_product step[MOST];
    ritz_matrix *m = make_matrix(p, block, options), *ordered = make_matrix(p, block, options);
    ritz_buffer *r = make_vector(m, 1), *z[2] = {make_vector(m, NAN), make_vector(m, NAN)};
    const ritz_buffer *partial = NULL;
    const size_t bytes = (size_t)m->n_unknowns * sizeof(double);
    double *plain = malloc(bytes), *blocked = malloc(bytes), *host_r = malloc(bytes);
    ritz_levels *levels = NULL;
    int32_t n_parts = 0;
    OK(ritz_matrix_read_vector(m, r, host_r));
    OK(ritz_levels_create(&ordered, n_steps, RITZ_POWERS_BLOCKED, &levels));
    assert_non_null(levels);
    for (int round = 0; round < 2; round++) { /* the second with other factors */
        make_steps(n_steps, step);
        step[0].delta += round;
        run_plain(m, n_steps, step, r, z);
        OK(ritz_matrix_read_vector(m, z[n_steps % 2], plain));
        OK(ritz_levels_apply(levels, step, r, z[0], &partial, &n_parts));
        OK(ritz_matrix_read_vector(m, z[0], blocked));
        double largest = 0, error = 0;
        for (int64_t i = 0; i < m->n_unknowns; i++) {
            largest = fmax(largest, fabs(plain[i]));
            error = fmax(error, fabs(plain[i] - blocked[i]));
        }
        if (!(error <= (m->precision == RITZ_F64 ? 1e-14 : 1e-6) * largest))
            fail_msg("%d rows, block %d, %d steps, values %d: error %g of %g", p->n, block, n_steps, (int)m->value_type,
                     error, largest);
        check_sums(m, partial, n_parts, host_r, blocked);
        double *twice = plain;
        OK(ritz_levels_apply(levels, step, r, z[1], &partial, &n_parts));
        OK(ritz_matrix_read_vector(m, z[1], twice));
        assert_memory_equal(twice, blocked, bytes);
    }
    ritz_levels_destroy(&levels);
    ritz_matrix_destroy(&ordered);
    free(plain);
    free(blocked);
    free(host_r);
    ritz_buffer_destroy(&r);
    ritz_buffer_destroy(&z[0]);
    ritz_buffer_destroy(&z[1]);
    ritz_matrix_destroy(&m);
}

static void steps(void **state)
{
    (void)state;
    const bool wide = ritz_device_get_info(device)->has_f64;
    const int by = wants_small() ? 5 : 1; /* times smaller */
    pattern p[] = {make_box(60 / by, 6 / by + 2, 6 / by + 2, 1, 0),
                   make_box(50 / by, 40 / by, 1, 2, 3),
                   make_box(1, 1, 1, 1, 0),
                   make_box(3, 1, 1, 1, 2),
                   make_chain(500 / by),
                   make_box(1, 1, 1, 0, 20)};
    const ritz_matrix_options options[] = {
        {.precision = wide ? RITZ_F64 : RITZ_F32},
        {.precision = RITZ_F32},
        {.precision = wide ? RITZ_F64 : RITZ_F32, .values = RITZ_VALUES_F16},
        {.precision = RITZ_F32, .slice_height = 1, .sort_window = 1},
    };
    const int n_steps[] = {6, 2, 3, wants_small() ? 4 : 20, 7, 5};
    for (size_t c = 0; c < sizeof p / sizeof *p; c++) {
        if (!wants_small() || c == 0)
            compare_steps(&p[c], 3, &options[0], n_steps[c]);
        compare_steps(&p[c], c % 2 ? 1 : 3, &options[1 + c % 3], n_steps[(c + 1) % 6]);
        free_pattern(&p[c]);
    }
}

/* A solve takes as many iterations and finds the same solution; the same bits again. */
static void solves(void **state)
{
    (void)state;
    const bool wide = ritz_device_get_info(device)->has_f64;
    pattern p = wants_small() ? make_box(6, 3, 3, 1, 2) : make_box(30, 5, 5, 1, 2);
    const size_t n = (size_t)p.n;
    double *values = malloc((size_t)p.start[n] * sizeof(double)), *b = malloc(n * sizeof(double));
    double *x[3];
    ritz_matrix *m = NULL;
    for (size_t row = 0; row < n; row++) {
        b[row] = sin(0.1 * (double)row);
        for (int64_t k = p.start[row]; k < p.start[row + 1]; k++)
            values[k] = p.columns[k] == (int32_t)row ? 26.1 : -1;
    }
    OK(ritz_matrix_create(device, &(ritz_matrix_options){.precision = wide ? RITZ_F64 : RITZ_F32}, 1, p.n, p.start,
                          p.columns, values, &m));
    for (int method = RITZ_CG; method <= RITZ_BICGSTAB; method++) {
        ritz_solve_report report[3];
        for (int i = 0; i < 3; i++) {
            const ritz_solve_options o = {.method = (ritz_solve_method)method,
                                          .preconditioner = RITZ_LEAST_SQUARES,
                                          .degree = 5,
                                          .storage = RITZ_VALUES_F32,
                                          .powers = i ? RITZ_POWERS_BLOCKED : RITZ_POWERS_PLAIN,
                                          .tolerance = wide ? 1e-10 : 1e-5};
            x[i] = calloc(n, sizeof(double));
            OK(ritz_solve(m, &o, b, x[i], &report[i]));
        }
        assert_true(!report[0].blocked && report[1].blocked);
        assert_int_equal(report[0].iterations, report[1].iterations);
        assert_true(report[1].iteration_bytes < report[0].iteration_bytes);
        assert_memory_equal(x[1], x[2], n * sizeof(double));
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(x[0][i] - x[1][i]) < (wide ? 1e-8 : 1e-3));
        for (int i = 0; i < 3; i++)
            free(x[i]);
    }
    ritz_matrix_destroy(&m);
    free(values);
    free(b);
    free_pattern(&p);
}

/* What can not be blocked stays as it is. */
static void refused(void **state)
{
    (void)state;
    pattern p = make_box(20, 4, 4, 1, 0);
    const struct {
        ritz_matrix_options options;
        int n_steps;
        ritz_powers_choice choice;
    } cases[] = {
        {{.precision = RITZ_F32}, 1, RITZ_POWERS_BLOCKED},
        {{.precision = RITZ_F32}, 6, RITZ_POWERS_PLAIN},
        {{.precision = RITZ_F32}, 6, RITZ_POWERS_AUTOMATIC}, /* in the cache anyway */
        {{.precision = RITZ_F32, .slice_height = RITZ_ALL_ROWS}, 6, RITZ_POWERS_BLOCKED},
        {{.precision = RITZ_F32, .slice_height = 1, .items_per_row = 8}, 6, RITZ_POWERS_BLOCKED},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ritz_matrix *m = make_matrix(&p, 3, &cases[c].options), *same = m;
        ritz_levels *levels = NULL;
        OK(ritz_levels_create(&m, cases[c].n_steps, cases[c].choice, &levels));
        assert_null(levels);
        assert_ptr_equal(m, same);
        ritz_matrix_destroy(&m);
    }
    free_pattern(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(schedules), cmocka_unit_test(steps),
                                       cmocka_unit_test(solves), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
