/* Measuring an integral: what the sink receives, what the check sees, and the counts against published figures. */
#include "check.h"
#include "integrate/measure.h"

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

static void make(bench *b, const char *form, ritz_cell cell, int n, int order, const double *values)
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

static void discard(bench *b)
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

static ritz_status keep(int64_t first, int64_t count, const double *matrices, const double *vectors, void *context)
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
        .repeat = 1, .max_device_bytes = max_device_bytes, .sink = keep, .context = k};
    OK(ritz_measure(device, &b->integral, &options, m));
    assert_int_equal(k->next, n);
}

/* Through one buffer for all or through many small chunks: the same bits; and what came out is the integral. */
static void test_chunks(void **unused)
{
    (void)unused;
    static const double values[] = {2, 0.3, 0.1, -0.2, 0.3};
    bench b;
    kept whole, parts;
    ritz_measurement m;
    make(&b, "elasticity", RITZ_PRISM, 4, 2, values);
    const int64_t n = b.integral.batch->n_cells;
    measure_and_keep(&b, 0, &whole, &m);
    assert_int_equal(m.n_chunks, 1);
    assert_int_equal(m.chunk, n);
    ritz_measurement_clear(&m);
    measure_and_keep(&b, 40 * m.plan.bytes_per_element, &parts, &m);
    assert_true(m.n_chunks >= 3 && m.chunk <= 40);
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
    discard(&b);
}

/* Less memory than one set of elements needs: told how much that is. */
static void test_too_little_memory(void **unused)
{
    (void)unused;
    bench b;
    ritz_measurement m = {0};
    make(&b, "poisson", RITZ_HEX, 2, 1, NULL);
    const ritz_measure_options options = {.max_device_bytes = 100};
    assert_int_equal(ritz_measure(device, &b.integral, &options, &m), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "allow at least "));
    assert_null(m.source);
    const ritz_measure_options least = {.max_device_bytes = atoll(strstr(ritz_message(), "allow at least ") + 15),
                                        .repeat = 1};
    OK(ritz_measure(device, &b.integral, &least, &m));
    ritz_measurement_clear(&m);
    discard(&b);
}

/* The check is no formality: it sees what single precision loses, in matrices and vectors, and takes 100 elements or
   all. */
static void test_check(void **unused)
{
    (void)unused;
    bench b;
    ritz_measurement m;
    make(&b, "poisson", RITZ_TET, 3, 1, NULL);
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
    discard(&b);
    make(&b, "mass", RITZ_QUAD, 4, 1, (double[]){1, 0});
    OK(ritz_measure(device, &b.integral, &full, &m));
    assert_int_equal(m.n_checked, 16);
    assert_true(isnan(m.vector_error)); /* no load, no vectors */
    ritz_measurement_clear(&m);
    discard(&b);
}

static double paper_count(const char *form, ritz_cell cell, int order)
{
    static const ritz_method method = {.name = "none"};
    const ritz_plan plan = {.bytes_per_element = 8};
    ritz_work work;
    bench b;
    make(&b, form, cell, 1, order, NULL);
    ritz_count_work(&b.integral, &method, &plan, RITZ_F64, "", &work);
    assert_true(isnan(work.operations)); /* of a method that nobody counted */
    assert_non_null(work.paper_source);
    discard(&b);
    return work.paper_operations;
}

/* Vectorised paper, Table 3, last row (thousands, digits cut off); higher-order paper, 63 a block and point;
   first-order paper, Table 4. */
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
    make(&b, form, cell, 2, 1, values);
    const char *const settings[] = {rows, columns};
    const ritz_measure_options options = {.method = "lanes", .settings = settings, .n_settings = 2, .repeat = 1};
    OK(ritz_measure(device, &b.integral, &options, &m));
    const double count = m.work.operations;
    ritz_measurement_clear(&m);
    discard(&b);
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
    make(&b, "poisson", RITZ_TRI, 2, 1, NULL);
    const ritz_measure_options options = {.repeat = 1};
    OK(ritz_measure(device, &b.integral, &options, &m)); /* the program is built now */
    ritz_measurement_clear(&m);
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
    discard(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_check),         cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_kernel_counts), cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
