/* A matrix in compressed rows from another code, solved: Poisson's equation by five-point differences on M x M points,
   with a right-hand side whose solution is known. The arrays stay this program's; x is borrowed, so that the solution is
   there when the call returns. C and C++.

     cc -std=c11 e_csr.c $(pkg-config --cflags --libs ritz) -lm -o e_csr && ./e_csr */
#include <ritz.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((call) != RITZ_OK) {                                                                                       \
            fprintf(stderr, "%s\n", ritz_message());                                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { M = 100, ROWS = M * M };

static int64_t row_start[ROWS + 1];
static int32_t columns[5 * ROWS];
static double values[5 * ROWS], b[ROWS], x[ROWS];

/* -h^2 laplace(u) = b for u = sin(pi x) sin(2 pi y), which the differences have, too, with another eigenvalue. */
static double exact(int i, int j)
{
    const double pi = 3.14159265358979323846, h = 1.0 / (M + 1);
    return sin(pi * (i + 1) * h) * sin(2 * pi * (j + 1) * h);
}

/* What another code would have: rows of five points, columns increasing. */
static void make_rows(void)
{
    const double pi = 3.14159265358979323846, h = 1.0 / (M + 1);
    const double eigenvalue = 4 - 2 * cos(pi * h) - 2 * cos(2 * pi * h);
    int64_t n = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            static const int di[] = {-1, 0, 0, 0, 1}, dj[] = {0, -1, 0, 1, 0};
            for (int k = 0; k < 5; k++) {
                const int to_i = i + di[k], to_j = j + dj[k];
                if (to_i < 0 || to_i >= M || to_j < 0 || to_j >= M)
                    continue;
                columns[n] = to_i * M + to_j;
                values[n++] = k == 2 ? 4 : -1;
            }
            b[i * M + j] = eigenvalue * exact(i, j);
            row_start[i * M + j + 1] = n;
        }
}

int main(void)
{
    ritz_device *device = NULL;
    ritz_matrix *a = NULL;
    ritz_vector *right = NULL, *solution = NULL;
    ritz_solve_report report;
    double error = 0;
    make_rows();
    TRY(ritz_device_open(NULL, &device)); /* or "gpu", "pci:0000:3b:00.0", ... */
    TRY(ritz_matrix_create(device, NULL, 1, ROWS, row_start, columns, values, &a));
    TRY(ritz_vector_borrow(device, RITZ_F64, ROWS, b, &right));
    TRY(ritz_vector_borrow(device, RITZ_F64, ROWS, x, &solution));

    ritz_solve_options options;
    memset(&options, 0, sizeof options); /* zeros are the defaults */
    options.size = sizeof options;
    options.preconditioner = RITZ_CHEBYSHEV;
    options.degree = 8;
    options.tolerance = 1e-10;
    report.size = sizeof report;
    TRY(ritz_solve_vectors(a, &options, right, solution, &report));

    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            error = fmax(error, fabs(x[i * M + j] - exact(i, j)));
    printf("%d unknowns, %d iterations, true residual %.1e, error %.1e\n", ROWS, report.iterations,
           report.true_relative_residual, error);
    ritz_vector_destroy(&right);
    ritz_vector_destroy(&solution);
    ritz_matrix_destroy(&a);
    ritz_device_close(&device);
    return error < 1e-7 ? 0 : 1;
}
