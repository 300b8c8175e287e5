/* Vectors, devices around OpenCL's own handles, operators, with every argument spoiled. */
#include "api.h"

static ritz_status apply_nothing(const ritz_vector *x, ritz_vector *y, void *context)
{
    (void)context;
    return ritz_vector_copy(x, y);
}

static void vector_create(void)
{
    ritz_vector *v = NULL;
    double host[N] = {0};
    static const int64_t no_sizes[] = {0, -1, INT64_MIN, INT64_MAX};
    static const int no_kinds[] = {-1, 2, 99};
    REFUSES(ritz_vector_create(NULL, RITZ_ON_DEVICE, RITZ_F32, N, &v));
    REFUSES(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F32, N, NULL));
    REFUSES(ritz_vector_create_from(NULL, RITZ_ON_HOST, RITZ_F32, N, ones, &v));
    REFUSES(ritz_vector_create_from(device, RITZ_ON_HOST, RITZ_F32, N, NULL, &v));
    REFUSES(ritz_vector_create_from(device, RITZ_ON_HOST, RITZ_F32, N, ones, NULL));
    REFUSES(ritz_vector_borrow(NULL, RITZ_F64, N, host, &v));
    REFUSES(ritz_vector_borrow(device, RITZ_F64, N, NULL, &v));
    REFUSES(ritz_vector_borrow(device, RITZ_F64, N, host, NULL));
    REFUSES(ritz_vector_from_opencl(device, RITZ_F32, N, NULL, RITZ_BORROWED, &v));
    for (int i = 0; i < 3; i++) {
        REFUSES(ritz_vector_create(device, (ritz_location)no_kinds[i], RITZ_F32, N, &v));
        REFUSES(ritz_vector_create(device, RITZ_ON_HOST, (ritz_precision)no_kinds[i], N, &v));
        REFUSES(ritz_vector_create_from(device, (ritz_location)no_kinds[i], RITZ_F32, N, ones, &v));
        REFUSES(ritz_vector_borrow(device, (ritz_precision)no_kinds[i], N, host, &v));
        REFUSES(ritz_vector_from_opencl(device, RITZ_F32, N, host, (ritz_ownership)no_kinds[i], &v));
    }
    for (int i = 0; i < 4; i++) {
        REFUSES(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F32, no_sizes[i], &v));
        REFUSES(ritz_vector_create_from(device, RITZ_ON_DEVICE, RITZ_F32, no_sizes[i], ones, &v));
        REFUSES(ritz_vector_borrow(device, RITZ_F64, no_sizes[i], host, &v));
    }
    assert_null(v);
    DESTROYS(ritz_vector_destroy, ritz_vector);
}

static void vector_getters(void)
{
    assert_int_equal(ritz_vector_size(NULL), 0);
    assert_int_equal(ritz_vector_location(NULL), RITZ_ON_DEVICE);
    assert_int_equal(ritz_vector_precision(NULL), RITZ_F64);
    assert_null(ritz_vector_opencl_buffer(NULL));
    assert_null(ritz_vector_host_array(NULL));
    assert_null(ritz_device_opencl_context(NULL));
    assert_null(ritz_device_opencl_queue(NULL));
}

static void vector_values(void)
{
    ritz_vector *v = NULL, *longer = NULL;
    double got[N], dot;
    OK(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F32, N, &v));
    OK(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F32, N + 1, &longer));
    REFUSES(ritz_vector_write(NULL, ones));
    REFUSES(ritz_vector_write(v, NULL));
    REFUSES(ritz_vector_read(NULL, got));
    REFUSES(ritz_vector_read(v, NULL));
    REFUSES(ritz_vector_fill(NULL, 1));
    REFUSES(ritz_vector_copy(NULL, v));
    REFUSES(ritz_vector_copy(v, NULL));
    REFUSES(ritz_vector_copy(v, longer));
    REFUSES(ritz_vector_axpby(1, NULL, 1, v));
    REFUSES(ritz_vector_axpby(1, v, 1, NULL));
    REFUSES(ritz_vector_axpby(1, v, 1, longer));
    REFUSES(ritz_vector_dot(NULL, v, &dot));
    REFUSES(ritz_vector_dot(v, NULL, &dot));
    REFUSES(ritz_vector_dot(v, v, NULL));
    REFUSES(ritz_vector_dot(v, longer, &dot));
    ritz_vector_destroy(&v);
    ritz_vector_destroy(&longer);
}

static void vector_products(void)
{
    ritz_vector *x = NULL, *y = NULL;
    ritz_solve_report report = {0};
    OK(ritz_vector_create_from(device, RITZ_ON_HOST, RITZ_F64, N, ones, &x));
    OK(ritz_vector_create(device, RITZ_ON_HOST, RITZ_F64, N, &y));
    REFUSES(ritz_matrix_multiply_vectors(NULL, x, y));
    REFUSES(ritz_matrix_multiply_vectors(matrix, NULL, y));
    REFUSES(ritz_matrix_multiply_vectors(matrix, x, NULL));
    REFUSES(ritz_solver_solve_vectors(NULL, x, y, &report));
    REFUSES(ritz_solver_solve_vectors(solver, NULL, y, &report));
    REFUSES(ritz_solver_solve_vectors(solver, x, NULL, &report));
    REFUSES(ritz_solver_solve_vectors(solver, x, x, &report));
    REFUSES(ritz_solve_vectors(NULL, NULL, x, y, NULL));
    REFUSES(ritz_solve_vectors(matrix, NULL, NULL, y, NULL));
    REFUSES(ritz_solve_vectors(matrix, NULL, x, NULL, NULL));
    OK(ritz_solve_vectors(matrix, NULL, x, y, NULL));
    ritz_vector_destroy(&x);
    ritz_vector_destroy(&y);
}

static void solver_from_operator(void)
{
    ritz_solver *s = NULL;
    ritz_vector *shorter = NULL;
    const ritz_operator good = {.device = device, .precision = RITZ_F32, .n = N, .apply = apply_nothing};
    OK(ritz_vector_create(device, RITZ_ON_HOST, RITZ_F64, N - 1, &shorter));
    ritz_operator bad[] = {good, good, good, good, good, good, good};
    bad[0].device = NULL;
    bad[1].precision = (ritz_precision)99;
    bad[2].n = 0;
    bad[3].n = INT64_MAX;
    bad[4].apply = NULL;
    bad[5].diagonal = shorter;
    bad[6].size = 1;
    for (int i = 0; i < 7; i++)
        REFUSES(ritz_solver_create_from_operator(&bad[i], NULL, &s));
    static const ritz_solve_options no_options[] = {{.preconditioner = RITZ_CHEBYSHEV},
                                                    {.preconditioner = RITZ_JACOBI},
                                                    {.preconditioner = RITZ_PRECONDITIONER_FUNCTION},
                                                    {.preconditioner = RITZ_JACOBI, .precondition = apply_nothing},
                                                    {.precondition = apply_nothing, .degree = 3},
                                                    {.degree = 3},
                                                    {.method = RITZ_DIRECT},
                                                    {.matrix = RITZ_MATRIX_HALF},
                                                    {.size = 1},
                                                    {.size = SIZE_MAX},
                                                    {.tolerance = NAN}};
    for (size_t i = 0; i < sizeof no_options / sizeof *no_options; i++)
        REFUSES(ritz_solver_create_from_operator(&good, &no_options[i], &s));
    REFUSES(ritz_solver_create_from_operator(NULL, NULL, &s));
    REFUSES(ritz_solver_create_from_operator(&good, NULL, NULL));
    assert_null(s);
    ritz_vector_destroy(&shorter);
}

static void device_from_opencl(void)
{
    ritz_device *d = NULL;
    REFUSES(ritz_device_from_opencl(NULL, ritz_device_opencl_queue(device), &d));
    REFUSES(ritz_device_from_opencl(ritz_device_opencl_context(device), NULL, &d));
    REFUSES(ritz_device_from_opencl(ritz_device_opencl_context(device), ritz_device_opencl_queue(device), NULL));
    REFUSES(ritz_device_open("pci:3b", &d));
    REFUSES(ritz_device_open("pci:0000:3b:00.0x", &d));
    FAILS(RITZ_ERROR_DEVICE, ritz_device_open("PCI:ffff:ff:1f.7", &d));
    assert_null(d);
}

const struct api_entry api_vectors[] = {
    ENTRY(ritz_vector_create, vector_create),
    ENTRY(ritz_vector_create_from, vector_create),
    ENTRY(ritz_vector_borrow, vector_create),
    ENTRY(ritz_vector_from_opencl, vector_create),
    ENTRY(ritz_vector_destroy, vector_create),
    ENTRY(ritz_vector_size, vector_getters),
    ENTRY(ritz_vector_location, vector_getters),
    ENTRY(ritz_vector_precision, vector_getters),
    ENTRY(ritz_vector_opencl_buffer, vector_getters),
    ENTRY(ritz_vector_host_array, vector_getters),
    ENTRY(ritz_vector_write, vector_values),
    ENTRY(ritz_vector_read, vector_values),
    ENTRY(ritz_vector_fill, vector_values),
    ENTRY(ritz_vector_copy, vector_values),
    ENTRY(ritz_vector_axpby, vector_values),
    ENTRY(ritz_vector_dot, vector_values),
    ENTRY(ritz_matrix_multiply_vectors, vector_products),
    ENTRY(ritz_solver_solve_vectors, vector_products),
    ENTRY(ritz_solve_vectors, vector_products),
    ENTRY(ritz_solver_create_from_operator, solver_from_operator),
    ENTRY(ritz_device_from_opencl, device_from_opencl),
    ENTRY(ritz_device_opencl_context, vector_getters),
    ENTRY(ritz_device_opencl_queue, vector_getters),
    {NULL, NULL, NULL},
};
