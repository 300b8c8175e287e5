/* What tests of integration share: small distorted meshes, random data, and the error of the device's element matrices
   against the reference. */
#ifndef RITZ_TEST_ELEMENTS_H
#define RITZ_TEST_ELEMENTS_H

#include "check.h"
#include "integrate/integrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fixed pseudo-random numbers in (0, 1). */
static uint64_t random_state = 88172645463325252u;
static inline double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* A distorted box of a few cells. */
static inline ritz_mesh *box_mesh(ritz_cell cell, int n)
{
    ritz_mesh *mesh = NULL;
    ritz_box box = {.cell = cell, .cells = {n, n, n}, .size = {1, 1.5, 0.8}, .origin = {3, -2, 1}, .distort = 0.3};
    OK(ritz_mesh_box(&box, &mesh));
    return mesh;
}

/* The same with every vertex moved at random, those on the sides too. */
static inline ritz_mesh *random_mesh(ritz_cell cell, int n)
{
    ritz_mesh *mesh = box_mesh(cell, n);
    for (int32_t node = 0; node < mesh->n_nodes; node++)
        for (int d = 0; d < mesh->dim; d++)
            mesh->nodes[3 * node + d] += 0.16 / n * (uniform() - 0.5);
    OK(ritz_mesh_check(mesh));
    return mesh;
}

/* Random data that keep a form regular; element values or, with `points`, values at every quadrature point. */
typedef struct test_data {
    ritz_datum datum[RITZ_MAX_DATA];
    double *values[RITZ_MAX_DATA];
    int n;
} test_data;

static inline void make_data(const ritz_form *form, int64_t n_cells, int n_quad, bool points, test_data *data)
{
    data->n = form->n_data;
    for (int d = 0; d < form->n_data; d++) {
        const int64_t n = points ? n_cells * n_quad : n_cells;
        data->values[d] = calloc((size_t)n, sizeof(double));
        for (int64_t k = 0; k < n; k++) {
            double value = 0.5 + uniform();
            if (strcmp(ritz_form_data_name(form, d), "poisson") == 0)
                value = 0.1 + 0.3 * uniform();
            data->values[d][k] = value;
        }
        data->datum[d] = (ritz_datum){.kind = points ? RITZ_DATA_POINT : RITZ_DATA_ELEMENT, .values = data->values[d]};
    }
}

static inline void free_data(test_data *data)
{
    for (int d = 0; d < data->n; d++)
        free(data->values[d]);
}

/* Largest difference over the largest entry of the reference. */
static inline double relative_error(const double *a, const double *reference, int64_t n)
{
    double difference = 0, largest = 0;
    for (int64_t k = 0; k < n; k++) {
        if (!(fabs(a[k] - reference[k]) <= difference))
            difference = fabs(a[k] - reference[k]);
        largest = fmax(largest, fabs(reference[k]));
    }
    return largest > 0 ? difference / largest : difference;
}

/* Worst error of an element of one integral on the device, by a method of the registry (NULL: auto). */
/* Half of these kernels, chosen by their case, go without the optimiser, which takes PoCL most of the time on kernels as
   large as these; over cells, orders, forms and methods each path of a kernel is compiled both ways. */
static inline void choose_optimiser(const ritz_integral *integral, const char *method, ritz_precision precision,
                                    const char *const *settings, int n_settings)
{
    size_t sum = (size_t)integral->batch->n_shape + (size_t)precision + (method ? strlen(method) : 0);
    for (int s = 0; s < n_settings; s++)
        for (const char *c = settings[s]; *c; c++)
            sum += (size_t)*c;
    setenv("RITZ_CL_OPTIONS", sum % 2 ? "-cl-opt-disable" : "", 1);
}

static inline double device_error(const ritz_integral *integral, const char *method, ritz_precision precision,
                                  const char *const *settings, int n_settings, double *vector_error)
{
    const int64_t rows = (int64_t)integral->batch->n_shape * integral->form->n_components, n = integral->batch->n_cells;
    double *matrices = calloc((size_t)(n * rows * rows), sizeof(double)),
           *vectors = calloc((size_t)(n * rows), sizeof(double));
    double *expected = calloc((size_t)(n * rows * rows), sizeof(double)),
           *expected_vectors = calloc((size_t)(n * rows), sizeof(double));
    ritz_integrator *integrator = NULL;
    choose_optimiser(integral, method, precision, settings, n_settings);
    OK(ritz_integrate_reference(integral, NULL, n, expected, expected_vectors));
    OK(ritz_integrator_create(device, integral, method, settings, n_settings, precision, &integrator));
    OK(ritz_integrate_all(integrator, integral, device, precision, matrices, vectors));
    double worst = 0;
    *vector_error = 0;
    for (int64_t e = 0; e < n; e++) {
        worst = fmax(worst, relative_error(matrices + e * rows * rows, expected + e * rows * rows, rows * rows));
        *vector_error = fmax(*vector_error, relative_error(vectors + e * rows, expected_vectors + e * rows, rows));
    }
    ritz_integrator_destroy(&integrator);
    free(matrices);
    free(vectors);
    free(expected);
    free(expected_vectors);
    return worst;
}

static inline double device_tolerance(ritz_precision precision)
{
    return precision == RITZ_F64 ? 1e-12 : 2e-5;
}

#endif
