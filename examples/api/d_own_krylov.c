/* The library's operator inside one's own Krylov loop on the device: a tridiagonal matrix, and conjugate gradients written
   here, whose vectors never leave the device; only two dot products an iteration come to the host. Then the library's own
   method with this program's product and preconditioner in it.

     cc -std=c11 d_own_krylov.c $(pkg-config --cflags --libs ritz) -lm -o d_own_krylov && ./d_own_krylov */
#include <ritz.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((call) != RITZ_OK) {                                                                                       \
            fprintf(stderr, "%s\n", ritz_message());                                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { N = 100000 };

/* Rows -1, 2.1, -1, and b = A (1 ... 1). */
static ritz_matrix *make_matrix(ritz_device *device, double *b)
{
    ritz_matrix *a = NULL;
    const ritz_matrix_options options = {.precision = RITZ_F64};
    int64_t *start = (int64_t *)calloc(N + 1, sizeof *start), n = 0;
    int32_t *columns = (int32_t *)malloc(3 * N * sizeof *columns);
    double *values = (double *)malloc(3 * N * sizeof *values);
    for (int32_t i = 0; i < N; i++) {
        b[i] = 0;
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++, n++) {
            columns[n] = j;
            values[n] = i == j ? 2.1 : -1;
            b[i] += values[n];
        }
        start[i + 1] = n;
    }
    TRY(ritz_matrix_create(device, &options, 1, N, start, columns, values, &a));
    free(start);
    free(columns);
    free(values);
    return a;
}

/* x from zero until |r| <= tolerance |b|; the number of iterations. */
static int conjugate_gradients(ritz_device *device, const ritz_matrix *a, const ritz_vector *b, ritz_vector *x,
                               double tolerance)
{
    ritz_vector *r = NULL, *p = NULL, *q = NULL;
    double rr, first, pq, next;
    int n = 0;
    TRY(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F64, N, &r));
    TRY(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F64, N, &p));
    TRY(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F64, N, &q));
    TRY(ritz_vector_fill(x, 0));
    TRY(ritz_vector_copy(b, r));
    TRY(ritz_vector_copy(b, p));
    TRY(ritz_vector_dot(r, r, &rr));
    for (first = rr; rr > tolerance * tolerance * first && n < 1000; n++, rr = next) {
        TRY(ritz_matrix_multiply_vectors(a, p, q));
        TRY(ritz_vector_dot(p, q, &pq));
        TRY(ritz_vector_axpby(rr / pq, p, 1, x));
        TRY(ritz_vector_axpby(-rr / pq, q, 1, r));
        TRY(ritz_vector_dot(r, r, &next));
        TRY(ritz_vector_axpby(1, r, next / rr, p));
    }
    ritz_vector_destroy(&r);
    ritz_vector_destroy(&p);
    ritz_vector_destroy(&q);
    return n;
}

/* The same product, and z = r / 2.1, as functions that the library's methods call. */
static ritz_status multiply_matrix(const ritz_vector *x, ritz_vector *y, void *context)
{
    return ritz_matrix_multiply_vectors((const ritz_matrix *)context, x, y);
}

static ritz_status scale_residual(const ritz_vector *r, ritz_vector *z, void *context)
{
    return ritz_vector_axpby(*(const double *)context, r, 0, z);
}

int main(void)
{
    ritz_device *device = NULL;
    ritz_vector *b = NULL, *x = NULL;
    ritz_solver *solver = NULL;
    ritz_solve_report report = {.size = sizeof report};
    double *values = (double *)malloc(N * sizeof *values), error = 0, factor = 1 / 2.1;
    TRY(ritz_device_open(NULL, &device));
    ritz_matrix *a = make_matrix(device, values);
    TRY(ritz_vector_create_from(device, RITZ_ON_DEVICE, RITZ_F64, N, values, &b));
    TRY(ritz_vector_create(device, RITZ_ON_DEVICE, RITZ_F64, N, &x));

    const int n = conjugate_gradients(device, a, b, x, 1e-10);
    TRY(ritz_vector_read(x, values));
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(values[i] - 1));
    printf("own loop: %d iterations, error %.1e\n", n, error);

    const ritz_operator system = {sizeof system, device, RITZ_F64, N, multiply_matrix, a, NULL};
    const ritz_solve_options options = {
        .size = sizeof options, .tolerance = 1e-10, .precondition = scale_residual, .precondition_context = &factor};
    TRY(ritz_solver_create_from_operator(&system, &options, &solver));
    TRY(ritz_vector_fill(x, 0));
    TRY(ritz_solver_solve_vectors(solver, b, x, &report));
    TRY(ritz_vector_read(x, values));
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(values[i] - 1));
    printf("the library's loop: %d iterations, error %.1e\n", report.iterations, error);
    ritz_solver_destroy(&solver);
    ritz_vector_destroy(&b);
    ritz_vector_destroy(&x);
    ritz_matrix_destroy(&a);
    ritz_device_close(&device);
    free(values);
    return error < 1e-8 ? 0 : 1;
}
