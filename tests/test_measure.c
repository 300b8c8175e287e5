/* Measuring an integral: what the sink receives, what the check sees, chunks and devices that change no bit, bounds of
   memory, and the counts against published figures. */
#include "check.h"
#include "measure/checksum.h"
#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A space on a distorted box with one number for each datum. */
typedef struct bench {
    ritz_mesh *mesh;
    ritz_form *form;
    ritz_space *space;
    ritz_datum data[RITZ_MAX_DATA];
    ritz_integral integral;
} bench;

static void make_bench(bench *b, const char *form, ritz_cell cell, int n, int order, const double *values)
{
    const ritz_box box = {.cell = cell, .cells = {n, n, n}, .distort = 0.2};
    *b = (bench){0};
    OK(ritz_mesh_box(&box, &b->mesh));
    OK(ritz_form_create(form, ritz_cell_dim(cell), &b->form));
    OK(ritz_space_create(b->mesh, order, b->form->n_components, &b->space));
    for (int d = 0; d < b->form->n_data; d++)
        b->data[d].value = values ? values[d] : 1;
    b->integral = (ritz_integral){.space = b->space, .batch = &b->space->batches[0], .form = b->form, .data = b->data};
}

static void discard_bench(bench *b)
{
    ritz_space_destroy(&b->space);
    ritz_form_destroy(&b->form);
    ritz_mesh_destroy(&b->mesh);
}

/* Keeps all that passes, and that it passes once and in order. */
typedef struct kept {
    double *matrices, *vectors;
    int64_t rows, next;
} kept;

static ritz_status keep_chunk(int64_t first, int64_t count, const double *matrices, const double *vectors,
                              void *context)
{
    kept *k = context;
    assert_int_equal(first, k->next);
    memcpy(k->matrices + first * k->rows * k->rows, matrices, (size_t)(count * k->rows * k->rows) * sizeof(double));
    memcpy(k->vectors + first * k->rows, vectors, (size_t)(count * k->rows) * sizeof(double));
    k->next += count;
    return RITZ_OK;
}

static void measure_and_keep(const bench *b, int64_t max_device_bytes, kept *k, ritz_measurement *m)
{
    const int64_t n = b->integral.batch->n_cells, rows = (int64_t)b->integral.batch->n_shape * b->form->n_components;
    *k = (kept){.matrices = calloc((size_t)(n * rows * rows), sizeof(double)),
                .vectors = calloc((size_t)(n * rows), sizeof(double)),
                .rows = rows};
    const ritz_measure_options options = {
        .repeat = 1, .max_device_bytes = max_device_bytes, .sink = keep_chunk, .context = k};
    OK(ritz_measure(device, &b->integral, &options, m));
    assert_int_equal(k->next, n);
}

/* The least memory that a measurement names as enough. */
static int64_t least_bytes(const bench *b, const char *method, ritz_precision precision)
{
    ritz_measurement m = {0};
    const ritz_measure_options options = {.method = method, .precision = precision, .max_device_bytes = 1};
    assert_int_equal(ritz_measure(device, &b->integral, &options, &m), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "allow at least "));
    assert_null(m.source);
    return atoll(strstr(ritz_message(), "allow at least ") + 15);
}

/* Through one buffer for all or through many small chunks: the same bits; and what came out is the integral. */
static void test_chunks(void **unused)
{
    (void)unused;
    static const double values[] = {2, 0.3, 0.1, -0.2, 0.3};
    bench b;
    kept whole, parts;
    ritz_measurement m;
    make_bench(&b, "elasticity", RITZ_PRISM, 5, 2, values);
    const int64_t n = b.integral.batch->n_cells;
    measure_and_keep(&b, 0, &whole, &m);
    assert_int_equal(m.n_chunks, 1);
    assert_int_equal(m.chunk, n);
    ritz_measurement_clear(&m);
    measure_and_keep(&b, least_bytes(&b, NULL, RITZ_F64), &parts, &m);
    assert_true(m.n_chunks >= 2 && m.chunk < n);
    assert_true(m.peak_device_bytes > 0 && m.kernel > 0 && m.kernel_least <= m.kernel);
    ritz_measurement_clear(&m);
    const size_t n_entries = (size_t)(n * whole.rows * whole.rows);
    assert_memory_equal(whole.matrices, parts.matrices, n_entries * sizeof(double));
    assert_memory_equal(whole.vectors, parts.vectors, (size_t)(n * whole.rows) * sizeof(double));
    double *expected = calloc(n_entries, sizeof(double));
    OK(ritz_integrate_reference(&b.integral, NULL, n, expected, NULL));
    double difference = 0, largest = 0;
    for (size_t k = 0; k < n_entries; k++) {
        difference = fmax(difference, fabs(expected[k] - whole.matrices[k]));
        largest = fmax(largest, fabs(expected[k]));
    }
    assert_true(difference <= 1e-13 * largest);
    free(expected);
    free(whole.matrices);
    free(whole.vectors);
    free(parts.matrices);
    free(parts.vectors);
    discard_bench(&b);
}

/* A sample that comes to the host alone is the one of a whole run, whether in one chunk or in several; what is expected of it may be
   given; and what is wrong or slow runs once. */
static void test_sample_alone(void **unused)
{
    (void)unused;
    static const double values[] = {2, 0.3, 0.1, -0.2, 0.3};
    bench b;
    ritz_measurement whole, alone, given;
    make_bench(&b, "elasticity", RITZ_PRISM, 5, 2, values);
    ritz_measure_options o = {.precision = RITZ_F64, .repeat = 1, .sample = 17, .seed = 3};
    OK(ritz_measure(device, &b.integral, &o, &whole));
    o.sample_only = true;
    OK(ritz_measure(device, &b.integral, &o, &alone));
    assert_true(whole.matrix_error > 0 && alone.matrix_error == whole.matrix_error);
    assert_true(alone.vector_error == whole.vector_error && alone.n_checked == 17 && alone.repeat == 1);
    o.max_device_bytes = least_bytes(&b, NULL, RITZ_F64);
    double *const expected = calloc((size_t)ritz_measure_expected_size(&b.integral, &o), sizeof(double));
    OK(ritz_measure_expect(&b.integral, &o, expected));
    o.expected = expected;
    o.enough = 1e-12;
    OK(ritz_measure(device, &b.integral, &o, &given));
    assert_true(given.chunk < whole.chunk && given.matrix_error == whole.matrix_error && given.repeat == 0);
    ritz_measurement_clear(&given);
    expected[0] *= 2;
    o.enough = INFINITY;
    OK(ritz_measure(device, &b.integral, &o, &given));
    assert_true(!ritz_measurement_is_accurate(&given, RITZ_F64) && given.repeat == 0);
    ritz_measurement_clear(&given);
    o.checksum = true;
    assert_int_equal(ritz_measure(device, &b.integral, &o, &given), RITZ_ERROR_INPUT);
    free(expected);
    ritz_measurement_clear(&whole);
    ritz_measurement_clear(&alone);
    discard_bench(&b);
}

/* Less memory than one set of elements needs: told how much that is. */
static void test_too_little_memory(void **unused)
{
    (void)unused;
    bench b;
    ritz_measurement m = {0};
    make_bench(&b, "poisson", RITZ_HEX, 2, 1, NULL);
    const ritz_measure_options options = {.max_device_bytes = least_bytes(&b, NULL, RITZ_F64), .repeat = 1};
    OK(ritz_measure(device, &b.integral, &options, &m));
    ritz_measurement_clear(&m);
    discard_bench(&b);
}

/* A measurement on a device that was opened for it alone, so that its peak of memory is that of the run. */
static void measure_alone(const bench *b, const ritz_measure_options *options, ritz_measurement *m)
{
    ritz_device *own = NULL;
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &own));
    OK(ritz_measure(own, &b->integral, options, m));
    ritz_measurement_clear(m);
    ritz_device_close(&own);
}

/* No bound is passed, however tight; and neither bounds nor precision nor a load change the checksum's agreement. */
static void test_bounds(void **unused)
{
    (void)unused;
    static const struct {
        const char *form;
        ritz_cell cell;
        int n, order;
        ritz_precision precision;
        const char *method;
    } cases[] = {{"elasticity", RITZ_PRISM, 5, 2, RITZ_F64, "lanes"},
                 {"elasticity", RITZ_PRISM, 5, 2, RITZ_F32, "lanes"},
                 {"poisson", RITZ_PRISM, 5, 2, RITZ_F64, "reg-nojac"}}; /* Jacobian terms go along with each chunk */
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        bench b;
        ritz_measurement whole, parts;
        make_bench(&b, cases[k].form, cases[k].cell, cases[k].n, cases[k].order, NULL);
        b.data[1].value = 0.3; /* Poisson's ratio, or the source */
        ritz_measure_options options = {.method = cases[k].method,
                                        .precision = cases[k].precision,
                                        .checksum = true,
                                        .repeat = RITZ_REPEAT_NONE,
                                        .sample = 3};
        measure_alone(&b, &options, &whole);
        assert_int_equal(whole.n_chunks, 1);
        assert_true(whole.checksum != 0);
        const int64_t least = least_bytes(&b, cases[k].method, cases[k].precision);
        for (int64_t eighths = 8; eighths <= 12; eighths += 4) {
            options.max_device_bytes = least * eighths / 8;
            measure_alone(&b, &options, &parts);
            assert_true(parts.n_chunks > 1);
            assert_true(parts.peak_device_bytes <= options.max_device_bytes);
            assert_true(parts.checksum == whole.checksum);
            assert_true(parts.repeat == 0 && parts.kernel > 0 && parts.elapsed > 0 && parts.transfer_output > 0);
        }
        discard_bench(&b);
    }
}

/* The checksum by its formula, from matrices in the order of the reference. */
static uint64_t fold_bits(uint64_t z)
{
    return z ^ (z >> 32);
}

static uint64_t at_place(uint64_t bits, int64_t k)
{
    return bits + (uint64_t)(k + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t entry_of(uint64_t bits, int64_t k)
{
    const uint64_t z = at_place(bits, k);
    return (z >> 32) * (z % (UINT64_C(1) << 32));
}

static uint64_t plain_checksum(const kept *k, int64_t n_cells, bool vectors, ritz_precision precision)
{
    const int64_t n = k->rows * k->rows;
    uint64_t sum = 0;
    for (int64_t e = 0; e < n_cells; e++) {
        uint64_t element = 0;
        for (int64_t i = 0; i < n + (vectors ? k->rows : 0); i++) {
            const double value = i < n ? k->matrices[e * n + i] : k->vectors[e * k->rows + i - n];
            const float narrow = (float)value;
            uint64_t bits = 0;
            uint32_t narrow_bits;
            memcpy(&bits, &value, 8);
            memcpy(&narrow_bits, &narrow, 4);
            element += entry_of(precision == RITZ_F64 ? bits : narrow_bits, i);
        }
        sum += fold_bits(fold_bits(at_place(element, e)) * UINT64_C(0xbf58476d1ce4e5b9));
    }
    return sum;
}

/* The checksum is the formula's sum over what the sink got: symmetric halves, several components, interleaved sets of
   any width, the last one not full, with vectors and without. */
static void test_checksum(void **unused)
{
    (void)unused;
    static const struct {
        const char *form, *setting;
        ritz_cell cell;
        int order;
        bool vectors;
        ritz_precision precision;
    } cases[] = {{"elasticity", "lanes=4", RITZ_TET, 1, true, RITZ_F64},
                 {"elasticity", "lanes=16", RITZ_PRISM, 1, true, RITZ_F32},
                 {"convection-diffusion", "lanes=1", RITZ_PRISM, 1, true, RITZ_F64},
                 {"mass", "lanes=8", RITZ_QUAD, 2, false, RITZ_F32}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        bench b;
        ritz_measurement m;
        make_bench(&b, cases[c].form, cases[c].cell, 3, cases[c].order, NULL);
        if (!cases[c].vectors)
            b.data[1].value = 0; /* the source of mass */
        else if (c < 2)
            b.data[1].value = 0.3;
        const int64_t n = b.integral.batch->n_cells, rows = (int64_t)b.integral.batch->n_shape * b.form->n_components;
        kept k = {.matrices = calloc((size_t)(n * rows * rows), sizeof(double)),
                  .vectors = calloc((size_t)(n * rows), sizeof(double)),
                  .rows = rows};
        const ritz_measure_options options = {.method = "lanes",
                                              .settings = &cases[c].setting,
                                              .n_settings = 1,
                                              .precision = cases[c].precision,
                                              .repeat = RITZ_REPEAT_NONE,
                                              .checksum = true,
                                              .sink = keep_chunk,
                                              .context = &k};
        OK(ritz_measure(device, &b.integral, &options, &m));
        ritz_measurement_clear(&m);
        assert_true(m.checksum == plain_checksum(&k, n, cases[c].vectors, cases[c].precision));
        k.matrices[n * rows * rows - 2] *= 1 + 1e-6;
        assert_true(m.checksum != plain_checksum(&k, n, cases[c].vectors, cases[c].precision));
        free(k.matrices);
        free(k.vectors);
        discard_bench(&b);
    }
}

static void refuses_result(const bench *b, const ritz_measure_options *options, const char *words)
{
    ritz_measurement m;
    assert_int_equal(ritz_measure(device, &b->integral, options, &m), RITZ_ERROR_INPUT);
    says(words);
}

/* Element matrices handed on in registers: the checksum is that of the stored ones, in chunks too; less is moved; what
   needs stored matrices is refused, and methods that do not hand them on. */
static void test_results(void **unused)
{
    (void)unused;
    bench b;
    ritz_measurement stored, m;
    make_bench(&b, "convection-diffusion", RITZ_PRISM, 5, 1, NULL);
    ritz_measure_options o = {.method = "qss", .repeat = RITZ_REPEAT_NONE, .checksum = true};
    OK(ritz_measure(device, &b.integral, &o, &stored));
    b.integral.result = RITZ_RESULT_CHECKSUM;
    OK(ritz_measure(device, &b.integral, &o, &m));
    assert_true(m.checksum == stored.checksum && m.matrix_error < 1e-14 && isnan(m.vector_error));
    assert_true(m.work.output_bytes == 16 && stored.work.output_bytes == 8 * (36 + 6));
    ritz_measurement_clear(&stored);
    ritz_measurement_clear(&m);
    ritz_device *two[] = {device, NULL};
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &two[1]));
    OK(ritz_measure_devices(two, 2, &b.integral, &o, &m));
    assert_true(m.checksum == stored.checksum && m.n_chunks > 1);
    ritz_measurement_clear(&m);
    ritz_device_close(&two[1]);
    b.integral.result = RITZ_RESULT_SUM;
    refuses_result(&b, &o, "neither stored nor summed");
    o = (ritz_measure_options){.method = "qss", .sink = keep_chunk};
    refuses_result(&b, &o, "can not be written");
    o = (ritz_measure_options){.method = "lanes"};
    refuses_result(&b, &o,
                   "'lanes' stores element matrices and does not hand them on to a sum, a checksum or an action; "
                   "choices: auto, qss, sqs, ssq");
    discard_bench(&b);
    make_bench(&b, "elasticity", RITZ_TET, 1, 3, NULL);
    b.integral.result = RITZ_RESULT_ACTION;
    o = (ritz_measure_options){0};
    refuses_result(&b, &o, "no integration method hands on the element matrices of tet cells of order 3");
    o = (ritz_measure_options){.method = "qss"};
    refuses_result(&b, &o, "no integration method hands on the element matrices of tet cells of order 3");
    discard_bench(&b);
}

/* Keeps all that passes in any order; fails or asks to stop at a call when told to. */
typedef struct any_order {
    kept kept;
    int calls, fail_at, stop_at;
} any_order;

static ritz_status keep_any(int64_t first, int64_t count, const double *matrices, const double *vectors, void *context)
{
    any_order *a = context;
    a->calls++;
    if (a->calls == a->fail_at)
        return ritz_fail(RITZ_ERROR_FILE, "the sink is full after %d calls", a->calls);
    if (a->calls == a->stop_at)
        ritz_interrupt();
    a->kept.next = first;
    return keep_chunk(first, count, matrices, vectors, &a->kept);
}

/* The same device twice, at the same time: the elements, the check and the checksum of one. */
static void test_two_devices(void **unused)
{
    (void)unused;
    bench b;
    kept one;
    ritz_measurement m, both;
    ritz_device *devices[2] = {device, NULL};
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &devices[1]));
    make_bench(&b, "elasticity", RITZ_HEX, 8, 2, (double[]){2, 0.3, 0.1, -0.2, 0.3});
    const size_t n = (size_t)b.integral.batch->n_cells;
    measure_and_keep(&b, 0, &one, &m);
    ritz_measurement_clear(&m);
    const size_t bytes = n * (size_t)(one.rows * one.rows) * sizeof(double);
    any_order two = {
        .kept = {.matrices = malloc(bytes), .vectors = calloc(n, (size_t)one.rows * sizeof(double)), .rows = one.rows}};
    const ritz_measure_options options = {.repeat = 2, .checksum = true, .sink = keep_any, .context = &two};
    OK(ritz_measure_devices(devices, 2, &b.integral, &options, &both));
    ritz_measurement_clear(&both);
    assert_true(both.checksum == plain_checksum(&one, (int64_t)n, true, RITZ_F64));
    assert_memory_equal(one.matrices, two.kept.matrices, bytes);
    assert_memory_equal(one.vectors, two.kept.vectors, n * (size_t)one.rows * sizeof(double));
    assert_true(both.matrix_error == m.matrix_error && both.vector_error == m.vector_error);
    assert_true(both.n_devices == 2 && both.kernel > 0);
    assert_int_equal(both.devices[0].n_elements + both.devices[1].n_elements, n);
    assert_int_equal(both.devices[0].n_chunks + both.devices[1].n_chunks, both.n_chunks);
    assert_true(both.devices[0].n_chunks > 0 && both.devices[1].n_chunks > 0);
    two.calls = 0, two.fail_at = 5; /* whichever device it hits, both stop, and the message is told here */
    assert_int_equal(ritz_measure_devices(devices, 2, &b.integral, &options, &both), RITZ_ERROR_FILE);
    assert_string_equal(ritz_message(), "the sink is full after 5 calls");
    assert_int_equal(two.calls, 5);
    two.calls = 0, two.fail_at = 0, two.stop_at = 3;
    assert_int_equal(ritz_measure_devices(devices, 2, &b.integral, &options, &both), RITZ_INTERRUPTED);
    ritz_clear_interrupt();
    assert_int_equal(two.calls, 3);
    free(one.matrices);
    free(one.vectors);
    free(two.kept.matrices);
    free(two.kept.vectors);
    ritz_device_close(&devices[1]);
    discard_bench(&b);
}

/* Two streams of known rates (elements a second) until nothing is left; the time at which the later one ends. Each
   element goes once, in whole units, and no chunk is larger than its stream takes. */
static double simulate_queue(int64_t n_cells, const int64_t most[2], const double rates[2], int64_t taken[2])
{
    ritz_work_queue queue;
    double ends[2] = {0}, begins[2] = {0}, end = 0;
    int64_t counts[2] = {0}, next = 0;
    taken[0] = taken[1] = 0;
    OK(ritz_work_queue_begin(&queue, n_cells, 8, 2, most));
    for (bool at_work[2] = {true, true}; at_work[0] || at_work[1];) {
        const int s = !at_work[0] || (at_work[1] && ends[1] < ends[0]);
        int64_t first;
        if (counts[s] > 0)
            ritz_work_queue_done(&queue, s, counts[s], ends[s] - begins[s]);
        ritz_work_queue_take(&queue, s, &first, &counts[s]);
        at_work[s] = counts[s] > 0;
        if (!at_work[s])
            continue;
        assert_true(first == next && counts[s] <= most[s] && (counts[s] % 8 == 0 || first + counts[s] == n_cells));
        next += counts[s];
        taken[s] += counts[s];
        begins[s] = ends[s];
        ends[s] += (double)counts[s] / rates[s];
        end = fmax(end, ends[s]);
    }
    assert_int_equal(next, n_cells);
    assert_true(taken[0] == queue.streams[0].n_elements && taken[1] == queue.streams[1].n_elements);
    ritz_work_queue_end(&queue);
    return end;
}

/* Streams end together: the time is that of both rates added, or little more; one that is too slow for a single unit
   holds nobody up but for its first chunk. */
static void test_work_queue(void **unused)
{
    (void)unused;
    int64_t taken[2], first, count;
    const int64_t most[] = {1000, 640};
    assert_true(simulate_queue(10007, most, (double[]){1000, 1000}, taken) < 1.02 * 10007 / 2000);
    assert_true(simulate_queue(10007, most, (double[]){1000, 100}, taken) < 1.05 * 10007 / 1100);
    assert_true(taken[1] > 800 && taken[1] < 1000);
    assert_true(simulate_queue(10007, most, (double[]){20, 1000}, taken) < 1.1 * 10007 / 1020);
    assert_true(simulate_queue(10007, most, (double[]){1000, 1}, taken) < 17);
    assert_int_equal(taken[1], 16); /* its first chunk: 1 in 1024, in units of 8 */
    ritz_work_queue
        queue; /* one that comes when the other is through still finds its first chunk, unless it has left */
    for (int has_left = 0; has_left < 2; has_left++) {
        int64_t sum = 0, late = 0;
        OK(ritz_work_queue_begin(&queue, 10007, 8, 2, most));
        if (has_left)
            ritz_work_queue_leave(&queue, 1);
        for (ritz_work_queue_take(&queue, 0, &first, &count); count > 0;
             ritz_work_queue_take(&queue, 0, &first, &count)) {
            sum += count;
            ritz_work_queue_done(&queue, 0, count, 1);
        }
        for (ritz_work_queue_take(&queue, 1, &first, &count); count > 0;
             ritz_work_queue_take(&queue, 1, &first, &count)) {
            assert_int_equal(first % 8, 0); /* whole units, the end of all elements aside */
            late += count;
        }
        assert_int_equal(late, has_left ? 0 : 16 + 10007 % 8);
        assert_int_equal(sum + late, 10007);
        ritz_work_queue_end(&queue);
    }
    OK(ritz_work_queue_begin(&queue, 10007, 8, 2, most));
    ritz_work_queue_stop(&queue);
    ritz_work_queue_take(&queue, 1, &first, &count);
    assert_int_equal(count, 0);
    ritz_work_queue_end(&queue);
}

/* The check is no formality: it sees what single precision loses, in matrices and vectors, and takes 100 elements or
   all. */
static void test_check(void **unused)
{
    (void)unused;
    bench b;
    ritz_measurement m;
    make_bench(&b, "poisson", RITZ_TET, 3, 1, NULL);
    const ritz_measure_options single = {.precision = RITZ_F32, .repeat = 1}, full = {.repeat = 2};
    OK(ritz_measure(device, &b.integral, &single, &m));
    assert_true(m.matrix_error > 1e-9 && m.matrix_error <= ritz_measure_tolerance(RITZ_F32));
    assert_true(m.vector_error > 1e-9 && m.vector_error <= ritz_measure_tolerance(RITZ_F32));
    assert_int_equal(m.n_checked, 100); /* of 162 */
    ritz_measurement_clear(&m);
    OK(ritz_measure(device, &b.integral, &full, &m));
    assert_true(m.matrix_error <= ritz_measure_tolerance(RITZ_F64) &&
                m.vector_error <= ritz_measure_tolerance(RITZ_F64));
    assert_int_equal(m.repeat, 2);
    ritz_measurement_clear(&m);
    discard_bench(&b);
    make_bench(&b, "mass", RITZ_QUAD, 4, 1, (double[]){1, 0});
    OK(ritz_measure(device, &b.integral, &full, &m));
    assert_int_equal(m.n_checked, 16);
    assert_true(isnan(m.vector_error)); /* no load, no vectors */
    ritz_measurement_clear(&m);
    discard_bench(&b);
}

static double paper_count(const char *form, ritz_cell cell, int order)
{
    static const ritz_method method = {.name = "none"};
    const ritz_plan plan = {.bytes_per_element = 8};
    ritz_work work;
    bench b;
    make_bench(&b, form, cell, 1, order, NULL);
    ritz_count_work(&b.integral, &method, &plan, RITZ_F64, "", &work);
    assert_true(isnan(work.operations)); /* of a method that nobody counted */
    assert_non_null(work.paper_source);
    discard_bench(&b);
    return work.paper_operations;
}

/* Krużel and Banaś (2013), Table 3, last row (thousands, digits cut off); Banaś et al. (2014), 63 a block and point;
   Banaś et al. (2016), Table 4. */
static void test_published_counts(void **unused)
{
    (void)unused;
    static const double table_3[] = {1.51, 40.82, 537.6, 3150, 16669, 62118, 195084};
    for (int p = 1; p <= RITZ_MAX_ORDER; p++) {
        const double thousands = paper_count("poisson", RITZ_PRISM, p) / 1000;
        const double last_digit = p <= 2 ? 0.01 : p == 3 ? 0.1 : 1;
        assert_true(thousands >= table_3[p - 1] - 1e-9 && thousands < table_3[p - 1] + last_digit);
    }
    assert_true(paper_count("elasticity", RITZ_PRISM, 2) == 18.0 * 18 * 18 * 63);
    assert_true(paper_count("convection-diffusion", RITZ_TET, 1) == 986);
    assert_true(paper_count("convection-diffusion", RITZ_PRISM, 1) == 4806);
    assert_true(paper_count("plane-stress", RITZ_QUAD, 1) == 4.0 * 4 * 4 * 4 * 5);
}

/* With tiles of rows x columns blocks. */
static double kernel_count(const char *form, ritz_cell cell, const double *values, const char *rows,
                           const char *columns)
{
    bench b;
    ritz_measurement m;
    make_bench(&b, form, cell, 2, 1, values);
    const char *const settings[] = {rows, columns};
    const ritz_measure_options options = {.method = "lanes", .settings = settings, .n_settings = 2, .repeat = 1};
    OK(ritz_measure(device, &b.integral, &options, &m));
    const double count = m.work.operations;
    ritz_measurement_clear(&m);
    discard_bench(&b);
    return count;
}

/* Counted by hand from lanes.cl and the generated form. */
static void test_kernel_counts(void **unused)
{
    (void)unused;
    /* 3 points, 6 pairs: Jacobian 24, determinant 3, vol 3, weights 9, sums 6 x 3 x 2, coefficient 6. */
    assert_true(kernel_count("mass", RITZ_TRI, (double[]){2, 0}, "rows=1", "columns=1") == 24 + 3 + 3 + 9 + 36 + 6);
    /* 4 points, 10 pairs: Jacobian 72, determinant and inverse 42, vol 4, derivatives 4 x 4 x 3 x 5, weights 4 x 4 x 3,
       sums 10 x 4 x 6, coefficient 10. */
    const double plain = 72 + 42 + 4 + 240 + 48 + 240 + 10;
    assert_true(kernel_count("poisson", RITZ_TET, (double[]){2, 0}, "rows=1", "columns=1") == plain);
    /* With a source: b += vol * (c * psi), 3 an i and point. */
    assert_true(kernel_count("poisson", RITZ_TET, (double[]){2, 1}, "rows=1", "columns=1") == plain + 4 * 4 * 3);
    /* Tiles of 3 x 2 from rows 0 and 3: 2 + 1 tiles sum 18 blocks instead of 10; 6 rows are weighed instead of 4. */
    assert_true(kernel_count("poisson", RITZ_TET, (double[]){2, 0}, "rows=3", "columns=2") ==
                plain + 8 * 4 * 6 + 2 * 4 * 3);
}

/* Each allocation in turn fails: a status, and nothing lost (under AddressSanitizer). */
static void test_failing_allocations(void **unused)
{
    (void)unused;
    bench b;
    ritz_measurement m = {0};
    make_bench(&b, "poisson", RITZ_TRI, 2, 1, NULL);
    ritz_device *twice[2] = {device, device};
    const ritz_measure_options options = {.repeat = 1, .checksum = true};
    OK(ritz_measure(device, &b.integral, &options, &m)); /* the program is built now */
    ritz_measurement_clear(&m);
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &twice[1]));
    for (int64_t n = 1; n < 90; n += 3) { /* which thread it hits is left to chance */
        ritz_fail_allocation(n);
        const ritz_status status = ritz_measure_devices(twice, 2, &b.integral, &options, &m);
        ritz_fail_allocation(0);
        assert_true(status == RITZ_OK || status == RITZ_ERROR_MEMORY);
        if (status == RITZ_OK)
            ritz_measurement_clear(&m);
    }
    ritz_device_close(&twice[1]);
    int64_t n = 1;
    for (;; n++) {
        ritz_fail_allocation(n);
        const ritz_status status = ritz_measure(device, &b.integral, &options, &m);
        ritz_fail_allocation(0);
        if (status == RITZ_OK)
            break;
        assert_int_equal(status, RITZ_ERROR_MEMORY);
        assert_null(m.source);
    }
    assert_true(n > 20);
    ritz_measurement_clear(&m);
    discard_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_sample_alone),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_work_queue),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_kernel_counts),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
