/* Element matrices out of a chunk: in the caller's order of cells and of nodes, checked to be numbers. */
#include "integrate/unpack.h"

#include <float.h>
#include <math.h>

static void exchange_numbers(double *a, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        const double before = a[k];
        a[k] = b[k];
        b[k] = before;
    }
}

/* Rows and columns of an element's matrix, and rows of its vector, in the order of the exchanged nodes. */
static void permute_element(const int *turn, int n_shape, int n_components, double *matrix, double *vector)
{
    const int n = n_components;
    const int64_t rows = (int64_t)n_shape * n;
    for (int i = 0; i < n_shape; i++) {
        const int j = turn[i];
        if (j <= i)
            continue;
        if (vector)
            exchange_numbers(vector + (int64_t)i * n, vector + (int64_t)j * n, n);
        if (matrix)
            exchange_numbers(matrix + i * n * rows, matrix + j * n * rows, (int)(n * rows));
        for (int64_t row = 0; matrix && row < rows; row++)
            exchange_numbers(matrix + row * rows + (int64_t)i * n, matrix + row * rows + (int64_t)j * n, n);
    }
}

/* Whether all of v[n] are numbers; v may be NULL. */
static bool all_finite(const double *v, int64_t n)
{
    bool finite = true;
    for (int64_t k = 0; v && k < n; k++)
        finite &= fabs(v[k]) <= DBL_MAX;
    return finite;
}

ritz_status ritz_unpack_chunk(const ritz_chunk *chunk, void *arrays)
{
    const ritz_element_arrays *to = arrays;
    const int64_t rows = (int64_t)chunk->n_shape * chunk->n_components;
    int64_t bad = INT64_MAX;
#pragma omp parallel for reduction(min : bad)
    for (int64_t e = 0; e < chunk->count; e++) {
        const int64_t cell = chunk->first + e, at = to->place ? to->place[cell] : cell;
        double *matrix = to->matrices ? to->matrices + at * rows * rows : NULL;
        double *vector = to->vectors ? to->vectors + at * rows : NULL;
        ritz_chunk_element(chunk, e, matrix, vector);
        if (!all_finite(matrix, rows * rows) || !all_finite(vector, rows))
            bad = ritz_min64(bad, at);
        if (to->turned && to->turned[cell])
            permute_element(to->turn, chunk->n_shape, chunk->n_components, matrix, vector);
    }
    if (bad == INT64_MAX)
        return RITZ_OK;
    return ritz_fail(RITZ_ERROR_INPUT,
                     "the matrix or vector of element %lld, counted from 0, is not finite in %s precision: its data or "
                     "coordinates are too large or too small; choose other units%s",
                     (long long)bad, chunk->precision == RITZ_F64 ? "double" : "single",
                     chunk->precision == RITZ_F64 ? "" : ", or double precision");
}
