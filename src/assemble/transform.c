/* Unknowns that depend on others: A becomes T' A T in the matrix's own place (kernels/transform.cl). */
#include "assemble/assembler.h"

#include <stdio.h>
#include <stdlib.h>

/* Work-items that share a row: as many as it has terms for, that the few rows of a rigid face do not take long. */
enum { TERMS_A_THREAD = 16, MOST_ROW_THREADS = 64 };

static int32_t choose_row_threads(const ritz_transformation *f)
{
    const int64_t terms = f->dependence->start[f->dependence->n_own] / f->n_masters;
    return (int32_t)ritz_max64(1, ritz_min64(terms / TERMS_A_THREAD, MOST_ROW_THREADS));
}

void ritz_transformation_destroy(ritz_transformation **transformation)
{
    ritz_transformation *f = transformation ? *transformation : NULL;
    if (!f)
        return;
    ritz_dependence_destroy(&f->dependence);
    ritz_buffer_destroy(&f->rows);
    ritz_buffer_destroy(&f->row_of);
    ritz_buffer_destroy(&f->start);
    ritz_buffer_destroy(&f->master);
    ritz_buffer_destroy(&f->weight);
    ritz_buffer_destroy(&f->nodes);
    ritz_buffer_destroy(&f->first);
    ritz_buffer_destroy(&f->component);
    ritz_buffer_destroy(&f->dependent);
    ritz_buffer_destroy(&f->of_master);
    ritz_free(f);
    *transformation = NULL;
}

static ritz_status send_ints(ritz_device *device, const int32_t *numbers, int64_t n, ritz_buffer **buffer)
{
    return ritz_buffer_create_from(device, numbers, n * (int64_t)sizeof *numbers, "equations", buffer);
}

static ritz_status send_longs(ritz_device *device, const int64_t *numbers, int64_t n, ritz_buffer **buffer)
{
    return ritz_buffer_create_from(device, numbers, n * (int64_t)sizeof *numbers, "equations", buffer);
}

static ritz_status send_reals(const ritz_assembler *a, const double *numbers, int64_t n, ritz_buffer **buffer)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_create(a->device, n * ritz_real_bytes(a->options.precision), "equations", buffer));
    RITZ_TRY(ritz_buffer_write_reals(*buffer, a->options.precision, 0, numbers, n));
done:
    return status;
}

/* Rows of the matrix that have a column of a dependent unknown, and each unknown's row of T. */
static ritz_status send_rows(const ritz_assembler *a, ritz_transformation *f)
{
    ritz_status status = RITZ_OK;
    const ritz_dependence *d = f->dependence;
    const ritz_pattern *pattern = a->pattern;
    int32_t *row_of = NULL, *rows = NULL, *start = NULL;
    bool *depends = NULL;
    RITZ_NEW(row_of, d->n_dofs);
    RITZ_NEW(rows, pattern->n_rows);
    RITZ_NEW(depends, pattern->n_rows);
    RITZ_NEW(start, d->n_own + 1);
    for (int64_t i = 0; i < d->n_dofs; i++)
        row_of[i] = -1;
    for (int64_t i = 0; i < d->n_own; i++) {
        row_of[d->row[i]] = (int32_t)i;
        start[i + 1] = (int32_t)d->start[i + 1];
        depends[d->row[i] / d->n_components] = true;
    }
    for (int32_t row = 0; row < pattern->n_rows; row++) {
        bool touched = false;
        for (int64_t k = pattern->row_start[row]; k < pattern->row_start[row + 1] && !touched; k++)
            touched = depends[pattern->columns[k]];
        if (touched)
            rows[f->n_rows++] = row;
    }
    RITZ_TRY(send_ints(a->device, rows, f->n_rows, &f->rows));
    RITZ_TRY(send_ints(a->device, row_of, d->n_dofs, &f->row_of));
    RITZ_TRY(send_ints(a->device, start, d->n_own + 1, &f->start));
done:
    ritz_free(row_of);
    ritz_free(rows);
    ritz_free(depends);
    ritz_free(start);
    return status;
}

/* A term of T as its master sees it. */
typedef struct term {
    int64_t master, dependent;
    double weight;
} term;

static int by_master(const void *a, const void *b)
{
    const term *x = a, *y = b;
    if (x->master != y->master)
        return x->master < y->master ? -1 : 1;
    return (x->dependent > y->dependent) - (x->dependent < y->dependent);
}

static ritz_status sort_terms(const ritz_dependence *d, term **terms)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*terms, d->start[d->n_own]);
    for (int64_t i = 0; i < d->n_own; i++)
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++)
            (*terms)[k] = (term){d->master[k], d->row[i], d->weight[k]};
    qsort(*terms, (size_t)d->start[d->n_own], sizeof **terms, by_master);
done:
    return status;
}

/* The terms of T', by the masters' nodes. */
static ritz_status send_masters(const ritz_assembler *a, ritz_transformation *f)
{
    ritz_status status = RITZ_OK;
    const ritz_dependence *d = f->dependence;
    const int64_t n = d->start[d->n_own];
    term *terms = NULL;
    int32_t *nodes = NULL, *first = NULL, *component = NULL;
    int64_t *dependent = NULL;
    double *weight = NULL;
    RITZ_TRY(sort_terms(d, &terms));
    RITZ_NEW(nodes, n);
    RITZ_NEW(first, n + 1);
    RITZ_NEW(component, n);
    RITZ_NEW(dependent, n);
    RITZ_NEW(weight, n);
    for (int64_t k = 0; k < n; k++) {
        const int32_t node = (int32_t)(terms[k].master / d->n_components);
        if (f->n_masters == 0 || nodes[f->n_masters - 1] != node)
            nodes[f->n_masters++] = node;
        first[f->n_masters] = (int32_t)(k + 1);
        component[k] = (int32_t)(terms[k].master % d->n_components);
        dependent[k] = terms[k].dependent;
        weight[k] = terms[k].weight;
    }
    RITZ_TRY(send_ints(a->device, nodes, f->n_masters, &f->nodes));
    RITZ_TRY(send_ints(a->device, first, f->n_masters + 1, &f->first));
    RITZ_TRY(send_ints(a->device, component, n, &f->component));
    RITZ_TRY(send_longs(a->device, dependent, n, &f->dependent));
    RITZ_TRY(send_reals(a, weight, n, &f->of_master));
done:
    ritz_free(terms);
    ritz_free(nodes);
    ritz_free(first);
    ritz_free(component);
    ritz_free(dependent);
    ritz_free(weight);
    return status;
}

ritz_status ritz_transformation_create(const ritz_assembler *a, ritz_dependence *dependence,
                                       ritz_transformation **transformation)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *matrix = a->system->matrix;
    const char *paths[] = {"matrix/kernels/find_block.cl", "assemble/kernels/transform.cl"};
    const int64_t n = dependence->start[dependence->n_own];
    ritz_transformation *f = NULL;
    ritz_program *program = NULL;
    char header[64];
    RITZ_NEW(f, 1);
    f->dependence = dependence;
    dependence = NULL;
    RITZ_REQUIRE(n < INT32_MAX, RITZ_ERROR_INPUT, "the equations have %lld terms, more than %d", (long long)n,
                 INT32_MAX - 1);
    if (n > 0) { /* else all that depends is a number */
        RITZ_TRY(send_rows(a, f));
        RITZ_TRY(send_longs(a->device, f->dependence->master, n, &f->master));
        RITZ_TRY(send_reals(a, f->dependence->weight, n, &f->weight));
        RITZ_TRY(send_masters(a, f));
        snprintf(header, sizeof header, "#define N_E %d\n#define S %d\n", matrix->block, matrix->slice_height);
        RITZ_TRY(ritz_program_get(a->device, matrix->precision, header, paths, 2, "", &program));
        RITZ_TRY(ritz_kernel_get(program, "transform_columns", &f->transform_columns));
        RITZ_TRY(ritz_kernel_get(program, "transform_rows", &f->transform_rows));
    }
    *transformation = f;
    f = NULL;
done:
    ritz_dependence_destroy(&dependence);
    ritz_transformation_destroy(&f);
    return status;
}

ritz_status ritz_transform_system(const ritz_assembler *a)
{
    ritz_status status = RITZ_OK;
    const ritz_transformation *f = a->transformation;
    ritz_system *system = a->system;
    const ritz_matrix *matrix = system->matrix;
    const double begin = ritz_seconds();
    if (f->n_masters == 0)
        return RITZ_OK;
    const int32_t row_threads = choose_row_threads(f);
    RITZ_TRY(RITZ_LAUNCH(f->transform_columns, ritz_adder_range(f->n_rows), NULL, RITZ_INT(f->n_rows),
                         RITZ_BUFFER(f->rows), RITZ_BUFFER(f->row_of), RITZ_BUFFER(f->start), RITZ_BUFFER(f->master),
                         RITZ_BUFFER(f->weight), RITZ_BUFFER(matrix->row_slot), RITZ_BUFFER(matrix->row_length),
                         RITZ_BUFFER(matrix->columns), RITZ_BUFFER(matrix->values)));
    RITZ_TRY(RITZ_LAUNCH(f->transform_rows, ritz_adder_range((int64_t)f->n_masters * row_threads), NULL,
                         RITZ_INT(f->n_masters), RITZ_INT(row_threads), RITZ_BUFFER(f->nodes), RITZ_BUFFER(f->first),
                         RITZ_BUFFER(f->component), RITZ_BUFFER(f->dependent), RITZ_BUFFER(f->of_master),
                         RITZ_BUFFER(matrix->row_slot), RITZ_BUFFER(matrix->row_length), RITZ_BUFFER(matrix->columns),
                         RITZ_BUFFER(matrix->values), RITZ_BUFFER(system->rhs)));
    RITZ_TRY(ritz_device_finish(a->device));
    system->seconds_assemble += ritz_seconds() - begin;
done:
    return status;
}
