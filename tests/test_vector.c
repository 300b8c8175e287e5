/* Vectors, devices around a caller's OpenCL queue, operators and preconditioners of the caller: as users link the library,
   with OpenCL beside it. */
#include "check.h"
#include "ritz.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <time.h>

/* Two precisions, or one on a device without f64. */
static int n_precisions(void)
{
    return ritz_device_get_info(device)->has_f64 ? 2 : 1;
}

static ritz_precision precision_of(int p)
{
    return p == 0 ? RITZ_F32 : RITZ_F64;
}

/* Rows -1, 4 + bump(i), -1: A (1 ... 1) is known, and conjugate gradients need few iterations. */
static ritz_matrix *chain(ritz_device *on, ritz_precision precision, int n, bool bumpy, double *b)
{
    ritz_matrix *a = NULL;
    int64_t *start = calloc((size_t)n + 1, 8);
    int32_t *columns = malloc((size_t)n * 3 * 4);
    double *values = malloc((size_t)n * 3 * 8);
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++, at++) {
            columns[at] = j;
            values[at] = i != j ? -1 : 4 + (bumpy ? (i % 7) * (i % 7) * 50 : 0);
            b[i] += values[at];
        }
        start[i + 1] = at;
    }
    OK(ritz_matrix_create(on, &(ritz_matrix_options){.precision = precision}, 1, n, start, columns, values, &a));
    free(start);
    free(columns);
    free(values);
    return a;
}

static void assert_ones(const double *x, int n, double tolerance)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - 1) < tolerance))
            fail_msg("x[%d] = %.17g instead of 1", i, x[i]);
}

/* ---- Values ---- */

enum { N = 20011 }; /* several parts of a sum, and no multiple of anything */

static void values_and_sums(void **state)
{
    (void)state;
    double *x = malloc(N * 8), *y = malloc(N * 8);
    for (int p = 0; p < n_precisions(); p++)
        for (int l = 0; l < 2; l++) {
            ritz_vector *u = NULL, *v = NULL;
            double dot = 0, again = 0;
            for (int i = 0; i < N; i++)
                x[i] = i % 1000;
            OK(ritz_vector_create_from(device, (ritz_location)l, precision_of(p), N, x, &u));
            OK(ritz_vector_create(device, (ritz_location)l, precision_of(p), N, &v));
            assert_true(ritz_vector_size(u) == N && ritz_vector_location(u) == (ritz_location)l);
            assert_true(ritz_vector_precision(u) == precision_of(p));
            assert_true((ritz_vector_opencl_buffer(u) != NULL) == (l == 0));
            assert_true((ritz_vector_host_array(u) != NULL) == (l == 1));
            OK(ritz_vector_read(v, y));
            for (int i = 0; i < N; i++)
                assert_true(y[i] == 0);
            OK(ritz_vector_fill(v, 3));
            OK(ritz_vector_dot(u, v, &dot)); /* 20 times 0 + ... + 999, and 0 + ... + 10: exact in double */
            assert_true(fabs(dot / (3 * (20 * 499500.0 + 55)) - 1) <
                        (ritz_device_get_info(device)->has_f64 ? 0 : 1e-5) + 1e-15);
            OK(ritz_vector_dot(u, v, &again));
            assert_true(again == dot);
            OK(ritz_vector_axpby(2, u, -1, v));
            OK(ritz_vector_read(v, y));
            for (int i = 0; i < N; i++)
                assert_true(y[i] == 2 * (i % 1000) - 3);
            OK(ritz_vector_fill(v, NAN));
            OK(ritz_vector_axpby(1, u, 0, v)); /* v is not read */
            OK(ritz_vector_read(v, y));
            assert_memory_equal(x, y, N * 8);
            ritz_vector_destroy(&u);
            ritz_vector_destroy(&v);
        }
    free(x);
    free(y);
}

/* Between all memories and precisions; a borrowed array is the vector. */
static void copies(void **state)
{
    (void)state;
    enum { SMALL = 33 };
    double x[SMALL], y[SMALL];
    float own[SMALL];
    for (int i = 0; i < SMALL; i++)
        x[i] = 0.5 * i;
    for (int from = 0; from < 2 * n_precisions(); from++)
        for (int to = 0; to < 2 * n_precisions(); to++) {
            ritz_vector *u = NULL, *v = NULL;
            OK(ritz_vector_create_from(device, (ritz_location)(from % 2), precision_of(from / 2), SMALL, x, &u));
            OK(ritz_vector_create(device, (ritz_location)(to % 2), precision_of(to / 2), SMALL, &v));
            OK(ritz_vector_copy(u, v));
            OK(ritz_vector_read(v, y));
            assert_memory_equal(x, y, sizeof x);
            ritz_vector_destroy(&u);
            ritz_vector_destroy(&v);
        }
    ritz_vector *borrowed = NULL;
    OK(ritz_vector_borrow(device, RITZ_F32, SMALL, own, &borrowed));
    OK(ritz_vector_write(borrowed, x));
    assert_true(own[3] == 1.5f && ritz_vector_host_array(borrowed) == own);
    ritz_vector_destroy(&borrowed);
}

/* ---- Products and solves ---- */

/* On device vectors a product moves nothing and a solve only scalars; all ways give the same bits. */
static void nothing_moves(void **state)
{
    (void)state;
    enum { LARGE = 100000 };
    const ritz_precision precision = precision_of(n_precisions() - 1);
    double *b = malloc(LARGE * 8), *x = calloc(LARGE, 8), *y = malloc(LARGE * 8);
    ritz_matrix *a = chain(device, precision, LARGE, false, b);
    ritz_solver *solver = NULL;
    ritz_vector *on_device[2], *on_host[2];
    ritz_solve_report report = {0};
    const ritz_solve_options options = {.preconditioner = RITZ_JACOBI, .tolerance = 1e-6};
    OK(ritz_solver_create(a, &options, &solver));
    for (int i = 0; i < 2; i++) {
        OK(ritz_vector_create(device, RITZ_ON_DEVICE, precision, LARGE, &on_device[i]));
        OK(ritz_vector_create(device, RITZ_ON_HOST, RITZ_F64, LARGE, &on_host[i]));
    }
    OK(ritz_vector_fill(on_device[1], 1));
    const ritz_device_counters before = *ritz_device_get_counters(device);
    OK(ritz_matrix_multiply_vectors(a, on_device[1], on_device[0]));
    const ritz_device_counters product = *ritz_device_get_counters(device);
    assert_true(product.bytes_to_device == before.bytes_to_device);
    assert_true(product.bytes_from_device == before.bytes_from_device);
    OK(ritz_vector_read(on_device[0], y));
    assert_memory_equal(y, b, LARGE * 8);
    OK(ritz_vector_fill(on_device[1], 0));
    const ritz_device_counters between = *ritz_device_get_counters(device);
    OK(ritz_solver_solve_vectors(solver, on_device[0], on_device[1], &report));
    const ritz_device_counters after = *ritz_device_get_counters(device);
    assert_true(report.converged && report.iterations > 3);
    assert_true(after.bytes_to_device - between.bytes_to_device < 1000);
    assert_true(after.bytes_from_device - between.bytes_from_device < 64 * report.iterations + 1000);
    OK(ritz_vector_read(on_device[1], y));
    assert_ones(y, LARGE, 1e-4);
    OK(ritz_vector_write(on_host[0], b));
    OK(ritz_solve_vectors(a, &options, on_host[0], on_host[1], NULL));
    assert_memory_equal(ritz_vector_host_array(on_host[1]), y, LARGE * 8);
    OK(ritz_solve(a, &options, b, x, NULL));
    assert_memory_equal(x, y, LARGE * 8);
    OK(ritz_matrix_multiply_vectors(a, on_host[1], on_host[0]));
    OK(ritz_matrix_multiply(a, x, y));
    assert_memory_equal(ritz_vector_host_array(on_host[0]), y, LARGE * 8);
    for (int i = 0; i < 2; i++) {
        ritz_vector_destroy(&on_device[i]);
        ritz_vector_destroy(&on_host[i]);
    }
    ritz_solver_destroy(&solver);
    ritz_matrix_destroy(&a);
    free(b);
    free(x);
    free(y);
}

/* ---- Operators and preconditioners of the caller ---- */

enum { M = 3000 };

typedef struct callback {
    ritz_matrix *a;           /* of an operator */
    const ritz_vector *scale; /* of a preconditioner, on the host */
    int calls;
    int fails_at;           /* 0: never */
    ritz_status fails_with; /* RITZ_OK: it gives NaN */
} callback;

static ritz_status multiply_matrix(const ritz_vector *x, ritz_vector *y, void *context)
{
    callback *c = context;
    if (++c->calls == c->fails_at)
        return c->fails_with ? c->fails_with : ritz_vector_fill(y, NAN);
    return ritz_matrix_multiply_vectors(c->a, x, y);
}

/* z = r / diagonal, by way of the host: not fast, but not the library's. */
static ritz_status divide_residual(const ritz_vector *r, ritz_vector *z, void *context)
{
    callback *c = context;
    static double values[M];
    const double *scale = ritz_vector_host_array(c->scale);
    c->calls++;
    if (ritz_vector_size(r) != M || ritz_vector_read(r, values) != RITZ_OK)
        return RITZ_ERROR_INPUT;
    for (int i = 0; i < M; i++)
        values[i] /= scale[i];
    return ritz_vector_write(z, values);
}

static void callers_own(void **state)
{
    (void)state;
    double b[M], x[M];
    const ritz_precision precision = precision_of(n_precisions() - 1);
    callback c = {.a = chain(device, precision, M, true, b)}, d = {0};
    ritz_vector *diagonal = NULL;
    for (int i = 0; i < M; i++)
        x[i] = 4 + (i % 7) * (i % 7) * 50;
    OK(ritz_vector_create_from(device, RITZ_ON_HOST, RITZ_F64, M, x, &diagonal));
    d.scale = diagonal;
    for (int method = RITZ_CG; method <= RITZ_GMRES; method++) {
        int32_t iterations[4];
        for (int kind = 0; kind < 4; kind++) { /* none, jacobi, a function, a function with the matrix itself */
            ritz_solver *solver = NULL;
            ritz_solve_report report = {0};
            const ritz_operator a = {.size = sizeof a,
                                     .device = device,
                                     .precision = precision,
                                     .n = M,
                                     .apply = multiply_matrix,
                                     .context = &c,
                                     .diagonal = kind == 1 ? diagonal : NULL};
            const ritz_solve_options options = {.size = sizeof options,
                                                .method = (ritz_solve_method)method,
                                                .tolerance = 1e-6,
                                                .precondition = kind > 1 ? divide_residual : NULL,
                                                .precondition_context = &d};
            c.calls = d.calls = 0;
            if (kind == 3)
                OK(ritz_solver_create(c.a, &options, &solver));
            else
                OK(ritz_solver_create_from_operator(&a, &options, &solver));
            memset(x, 0, sizeof x);
            OK(ritz_solver_solve(solver, b, x, &report));
            assert_ones(x, M, 1e-3);
            assert_true((c.calls >= report.iterations) == (kind < 3));
            assert_true((d.calls >= report.iterations) == (kind > 1));
            assert_int_equal(report.preconditioner, kind == 0   ? RITZ_NO_PRECONDITIONER
                                                    : kind == 1 ? RITZ_JACOBI
                                                                : RITZ_PRECONDITIONER_FUNCTION);
            iterations[kind] = report.iterations;
            ritz_solver_destroy(&solver);
        }
        assert_true(iterations[2] < iterations[0]); /* it preconditions */
        assert_true(abs(iterations[3] - iterations[2]) <= 1);
    }
    ritz_vector_destroy(&diagonal);
    ritz_matrix_destroy(&c.a);
}

/* The status of a solve whose operator fails at its fourth call. The next solve of the same solver is right to within `bound`. */
static ritz_status fail_once(callback *c, int n, const double *b, const ritz_solve_options *options, double bound)
{
    double x[M] = {0};
    const ritz_operator a = {.device = device,
                             .precision = precision_of(n_precisions() - 1),
                             .n = n,
                             .apply = multiply_matrix,
                             .context = c};
    ritz_solver *solver = NULL;
    OK(ritz_solver_create_from_operator(&a, options, &solver));
    c->calls = 0;
    c->fails_at = 4;
    const ritz_status status = ritz_solver_solve(solver, b, x, NULL);
    if (c->fails_with) {
        assert_int_equal(c->calls, c->fails_at);
        assert_non_null(strstr(ritz_message(), "the caller's operator failed with status"));
    }
    c->fails_at = 0;
    memset(x, 0, sizeof x);
    OK(ritz_solver_solve(solver, b, x, NULL));
    assert_ones(x, n, bound);
    ritz_solver_destroy(&solver);
    return status;
}

/* Whatever it fails with, also a solver's own status. */
static void failing_operator(void **state)
{
    (void)state;
    static const ritz_status statuses[] = {RITZ_ERROR_FILE, RITZ_ERROR_NOT_CONVERGED};
    double b[M];
    const ritz_precision precision = precision_of(n_precisions() - 1);
    callback c = {.a = chain(device, precision, M, true, b)};
    for (int k = 0; k < 2 * 3; k++) {
        const bool other = k / 2 != RITZ_CG, wide = precision == RITZ_F64;
        const ritz_solve_options options = {.method = (ritz_solve_method)(k / 2),
                                            .tolerance = other && wide ? 1e-10 : 0};
        c.fails_with = statuses[k % 2];
        assert_int_equal(fail_once(&c, M, b, &options, other && !wide ? 1e-3 : 1e-5), c.fails_with);
    }
    ritz_matrix_destroy(&c.a);
}

/* A result that is no number ends one solve and leaves nothing behind for the next, whatever the number of unknowns is beside that of
   lanes. */
static void operator_that_is_no_number_once(void **state)
{
    (void)state;
    for (int n = 20; n <= 25; n++)
        for (int method = RITZ_CG; method <= RITZ_GMRES; method++) {
            double b[25];
            callback c = {.a = chain(device, precision_of(n_precisions() - 1), n, true, b)};
            const ritz_solve_options options = {.method = (ritz_solve_method)method};
            const ritz_status status = fail_once(&c, n, b, &options, 1e-5);
            assert_true(status == RITZ_ERROR_NOT_CONVERGED ||
                        (method == RITZ_BICGSTAB && status == RITZ_OK)); /* by gmres */
            ritz_matrix_destroy(&c.a);
        }
}

/* A caller with an older, shorter struct: what lies behind it is not read. */
static void older_options(void **state)
{
    (void)state;
    double b[M], x[M] = {0};
    ritz_matrix *a = chain(device, RITZ_F32, M, false, b);
    ritz_solve_options options = {
        .size = offsetof(ritz_solve_options, tolerance), .tolerance = NAN, .max_iterations = -7};
    OK(ritz_solve(a, &options, b, x, NULL));
    options.size = sizeof options;
    assert_int_equal(ritz_solve(a, &options, b, x, NULL), RITZ_ERROR_INPUT);
    options.size = 3;
    assert_int_equal(ritz_solve(a, &options, b, x, NULL), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "sizeof(ritz_solve_options)"));
    ritz_matrix_destroy(&a);
}

/* A caller of an older library has a shorter report, of which nothing behind its end is written; one of a newer library
   finds zeros there. */
static void other_reports(void **state)
{
    (void)state;
    struct {
        ritz_solve_report report;
        char beyond[16];
    } r;
    double b[M], x[M] = {0};
    ritz_matrix *a = chain(device, RITZ_F32, M, false, b);
    memset(&r, 0x5a, sizeof r);
    r.report.size = offsetof(ritz_solve_report, history_count);
    OK(ritz_solve(a, NULL, b, x, &r.report));
    assert_true(r.report.converged && r.report.iterations > 0);
    assert_int_equal(r.report.size, offsetof(ritz_solve_report, history_count));
    assert_int_equal(r.report.history_count, 0x5a5a5a5a);
    r.report.size = sizeof r;
    OK(ritz_solve(a, NULL, b, x, &r.report));
    assert_true(r.report.history_count > 0 && r.beyond[0] == 0 && r.beyond[15] == 0);
    r.report.size = 0;
    OK(ritz_solve(a, NULL, b, x, &r.report));
    r.report.size = 3;
    assert_int_equal(ritz_solve(a, NULL, b, x, &r.report), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "sizeof(ritz_solve_report)"));
    ritz_matrix_destroy(&a);
}

/* ---- A device around the caller's queue ---- */

static void callers_queue(void **state)
{
    (void)state;
    enum { LARGE = 5000 };
    cl_int error = 0;
    cl_uint count = 0;
    cl_context context = ritz_device_opencl_context(device), other = NULL;
    cl_command_queue lent = ritz_device_opencl_queue(device), queue = NULL, unordered = NULL;
    cl_device_id id = NULL;
    clGetCommandQueueInfo(lent, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
    context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    other = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    queue = clCreateCommandQueue(context, id, 0, &error); /* without profiling */
    assert_int_equal(error, CL_SUCCESS);

    ritz_device *own = NULL;
    assert_int_equal(ritz_device_from_opencl(other, queue, &own), RITZ_ERROR_INPUT);
    unordered = clCreateCommandQueue(context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    if (error == CL_SUCCESS) {
        assert_int_equal(ritz_device_from_opencl(context, unordered, &own), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "out of order"));
        clReleaseCommandQueue(unordered);
    }
    OK(ritz_device_from_opencl(context, queue, &own));
    assert_true(ritz_device_opencl_queue(own) == queue && ritz_device_opencl_context(own) == context);
    assert_string_equal(ritz_device_get_info(own)->name, ritz_device_get_info(device)->name);

    float x[LARGE], y[LARGE];
    double b[LARGE];
    for (int i = 0; i < LARGE; i++)
        x[i] = 1;
    ritz_matrix *a = chain(own, RITZ_F32, LARGE, false, b);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x, &error);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof y, NULL, &error);
    cl_mem strange = clCreateBuffer(other, CL_MEM_READ_WRITE, sizeof y, NULL, &error);
    ritz_vector *u = NULL, *v = NULL, *w = NULL;
    OK(ritz_vector_from_opencl(own, RITZ_F32, LARGE, from, RITZ_BORROWED, &u));
    OK(ritz_vector_from_opencl(own, RITZ_F32, LARGE, to, RITZ_OWNED, &v));
    assert_int_equal(ritz_vector_from_opencl(own, RITZ_F32, LARGE, strange, RITZ_BORROWED, &w), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_vector_from_opencl(own, RITZ_F32, LARGE + 1, from, RITZ_BORROWED, &w), RITZ_ERROR_INPUT);
    assert_null(w);
    assert_true(ritz_vector_opencl_buffer(u) == from);
    OK(ritz_matrix_multiply_vectors(a, u, v));
    assert_int_equal(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), CL_SUCCESS);
    assert_true(y[0] == 3 && y[1] == 2 && y[LARGE - 1] == 3);
    OK(ritz_vector_fill(u, 0));
    OK(ritz_solve_vectors(a, &(ritz_solve_options){.tolerance = 1e-5}, v, u, NULL));
    OK(ritz_vector_read(u, b));
    assert_ones(b, LARGE, 1e-3);
    ritz_vector_destroy(&u);
    ritz_vector_destroy(&v);
    ritz_matrix_destroy(&a);
    ritz_device_close(&own);
    for (int i = 0; i < 2000 && count != 1;
         i++) { /* PoCL lets go of what commands used a moment after they have ended */
        clGetMemObjectInfo(from, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(count, 1);
    count = 0;
    clReleaseMemObject(from);
    clReleaseMemObject(strange);
    for (int i = 0; i < 2000 && count != 1; i++) {
        clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(count, 1);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    clReleaseContext(other);
}

/* Vectors of other devices, lengths and precisions are named. */
static void wrong_vectors(void **state)
{
    (void)state;
    double b[M];
    ritz_device *second = NULL;
    ritz_vector *x = NULL, *y = NULL, *shorter = NULL, *foreign = NULL, *narrow = NULL;
    OK(ritz_device_open(getenv("RITZ_TEST_DEVICE"), &second));
    const ritz_precision precision = precision_of(n_precisions() - 1);
    ritz_matrix *a = chain(device, precision, M, false, b);
    OK(ritz_vector_create(device, RITZ_ON_DEVICE, precision, M, &x));
    OK(ritz_vector_create(device, RITZ_ON_DEVICE, precision, M, &y));
    OK(ritz_vector_create(device, RITZ_ON_DEVICE, precision, M - 1, &shorter));
    OK(ritz_vector_create(second, RITZ_ON_DEVICE, precision, M, &foreign));
    OK(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F32, M, &narrow));
    assert_int_equal(ritz_matrix_multiply_vectors(a, shorter, y), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'x' has 2999 numbers where 3000"));
    assert_int_equal(ritz_matrix_multiply_vectors(a, x, foreign), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'y' was made on another device"));
    if (precision == RITZ_F64) {
        assert_int_equal(ritz_solve_vectors(a, NULL, narrow, y, NULL), RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "'b' on the device is in single precision"));
    }
    assert_int_equal(ritz_matrix_multiply_vectors(a, x, x), RITZ_ERROR_INPUT);
    assert_int_equal(ritz_solve_vectors(a, NULL, x, x, NULL), RITZ_ERROR_INPUT);
    ritz_vector_destroy(&x);
    ritz_vector_destroy(&y);
    ritz_vector_destroy(&shorter);
    ritz_vector_destroy(&foreign);
    ritz_vector_destroy(&narrow);
    ritz_matrix_destroy(&a);
    ritz_device_close(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_sums),  cmocka_unit_test(copies),
        cmocka_unit_test(nothing_moves),    cmocka_unit_test(callers_own),
        cmocka_unit_test(older_options),    cmocka_unit_test(other_reports),
        cmocka_unit_test(failing_operator), cmocka_unit_test(operator_that_is_no_number_once),
        cmocka_unit_test(callers_queue),    cmocka_unit_test(wrong_vectors),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
