/* Unknowns that depend on others: A becomes T' A T in the matrix's own place (kernels/transform.cl). */
#include "assemble/assembler.h"

#include <stdio.h>
#include <stdlib.h>

/* Work-items of a group, and the nodes of the longest sum that one work-item does alone. The order of sums goes with both,
   so they are the same on all devices. */
enum { GROUP = 64, LONG_SUM = 256 };

void ritz_transformation_destroy(ritz_transformation **transformation)
{
    ritz_transformation *f = transformation ? *transformation : NULL;
    if (!f)
        return;
    ritz_dependence_destroy(&f->dependence);
    ritz_buffer_destroy(&f->row_of);
    ritz_buffer_destroy(&f->start);
    ritz_buffer_destroy(&f->master);
    ritz_buffer_destroy(&f->weight);
    ritz_buffer_destroy(&f->nodes);
    ritz_buffer_destroy(&f->first);
    ritz_buffer_destroy(&f->dependents);
    ritz_buffer_destroy(&f->pieces);
    ritz_buffer_destroy(&f->sums);
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

/* T by its rows, and each unknown's row of it. */
static ritz_status send_rows(const ritz_assembler *a, ritz_transformation *f)
{
    ritz_status status = RITZ_OK;
    const ritz_dependence *d = f->dependence;
    int32_t *row_of = NULL, *start = NULL;
    RITZ_NEW(row_of, d->n_dofs);
    RITZ_NEW(start, d->n_own + 1);
    for (int64_t i = 0; i < d->n_dofs; i++)
        row_of[i] = -1;
    for (int64_t i = 0; i < d->n_own; i++) {
        row_of[d->row[i]] = (int32_t)i;
        start[i + 1] = (int32_t)d->start[i + 1];
    }
    RITZ_TRY(send_ints(a->device, row_of, d->n_dofs, &f->row_of));
    RITZ_TRY(send_ints(a->device, start, d->n_own + 1, &f->start));
    RITZ_TRY(send_longs(a->device, d->master, d->start[d->n_own], &f->master));
    RITZ_TRY(send_reals(a, d->weight, d->start[d->n_own], &f->weight));
done:
    ritz_free(row_of);
    ritz_free(start);
    return status;
}

/* The masters' nodes and the nodes that depend on each. */
typedef struct master_lists {
    int32_t n;                           /* masters */
    int32_t *nodes, *first, *dependents; /* [n], [n + 1], [first[n]], all increasing */
} master_lists;

/* Two int32 that stand side by side. */
typedef struct pair {
    int32_t a, b;
} pair;

static int by_pair(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static ritz_status list_dependents(const ritz_dependence *d, master_lists *lists)
{
    ritz_status status = RITZ_OK;
    const int64_t n = d->start[d->n_own];
    pair *terms = NULL;
    int32_t n_dependents = 0;
    RITZ_NEW(terms, n);
    RITZ_NEW(lists->nodes, n);
    RITZ_NEW(lists->first, n + 1);
    RITZ_NEW(lists->dependents, n);
    for (int64_t i = 0; i < d->n_own; i++)
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++)
            terms[k] = (pair){(int32_t)(d->master[k] / d->n_components), (int32_t)(d->row[i] / d->n_components)};
    qsort(terms, (size_t)n, sizeof *terms, by_pair);
    for (int64_t k = 0; k < n; k++) {
        if (k > 0 && by_pair(&terms[k - 1], &terms[k]) == 0)
            continue;
        if (k == 0 || terms[k - 1].a != terms[k].a)
            lists->nodes[lists->n++] = terms[k].a;
        lists->dependents[n_dependents++] = terms[k].b;
        lists->first[lists->n] = n_dependents;
    }
done:
    ritz_free(terms);
    return status;
}

static ritz_status add_pair(pair **pairs, int64_t *n, int64_t *room, int32_t a, int32_t b)
{
    ritz_status status = RITZ_OK;
    if (*n == *room) {
        const int64_t more = ritz_max64(2 * *room, 64);
        RITZ_RESIZE(*pairs, more);
        *room = more;
    }
    (*pairs)[(*n)++] = (pair){a, b};
done:
    return status;
}

/* What groups do: pieces of the masters' rows, and the sums that are too long for a work-item. */
static ritz_status send_work(const ritz_assembler *a, const master_lists *lists, ritz_transformation *f)
{
    ritz_status status = RITZ_OK;
    const int64_t *start = a->pattern->row_start;
    const int32_t *columns = a->pattern->columns;
    pair *pieces = NULL, *sums = NULL;
    int64_t pieces_room = 0, sums_room = 0;
    for (int32_t m = 0; m < lists->n; m++) {
        const int32_t row = lists->nodes[m];
        for (int64_t k = start[row]; k < start[row + 1]; k += GROUP)
            RITZ_TRY(add_pair(&pieces, &f->n_pieces, &pieces_room, m, (int32_t)(k - start[row])));
        if (lists->first[m + 1] - lists->first[m] <= LONG_SUM)
            continue;
        RITZ_TRY(add_pair(&sums, &f->n_sums, &sums_room, -1, m));
        for (int64_t k = start[row]; k < start[row + 1]; k++)
            if (start[columns[k] + 1] - start[columns[k]] > LONG_SUM)
                RITZ_TRY(add_pair(&sums, &f->n_sums, &sums_room, columns[k], m));
    }
    RITZ_TRY(send_ints(a->device, &pieces->a, 2 * f->n_pieces, &f->pieces));
    if (f->n_sums > 0)
        RITZ_TRY(send_ints(a->device, &sums->a, 2 * f->n_sums, &f->sums));
done:
    ritz_free(pieces);
    ritz_free(sums);
    return status;
}

static ritz_status send_masters(const ritz_assembler *a, ritz_transformation *f)
{
    ritz_status status = RITZ_OK;
    master_lists lists = {0};
    RITZ_TRY(list_dependents(f->dependence, &lists));
    RITZ_TRY(send_ints(a->device, lists.nodes, lists.n, &f->nodes));
    RITZ_TRY(send_ints(a->device, lists.first, lists.n + 1, &f->first));
    RITZ_TRY(send_ints(a->device, lists.dependents, lists.first[lists.n], &f->dependents));
    RITZ_TRY(send_work(a, &lists, f));
done:
    ritz_free(lists.nodes);
    ritz_free(lists.first);
    ritz_free(lists.dependents);
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
    char header[128];
    RITZ_NEW(f, 1);
    f->dependence = dependence;
    dependence = NULL;
    RITZ_REQUIRE(n < INT32_MAX, RITZ_ERROR_INPUT, "the equations have %lld terms, more than %d", (long long)n,
                 INT32_MAX - 1);
    if (n > 0) { /* else all that depends is a number */
        RITZ_TRY(send_rows(a, f));
        RITZ_TRY(send_masters(a, f));
        snprintf(header, sizeof header, "#define N_E %d\n#define S %d\n#define GROUP %d\n#define LONG %d\n",
                 matrix->block, matrix->slice_height, GROUP, LONG_SUM);
        RITZ_TRY(ritz_program_get(a->device, matrix->precision, header, paths, 2, "", &program));
        RITZ_TRY(ritz_kernel_get(program, "transform_blocks", &f->transform_blocks));
        RITZ_TRY(ritz_kernel_get(program, "transform_long", &f->transform_long));
    }
    *transformation = f;
    f = NULL;
done:
    ritz_dependence_destroy(&dependence);
    ritz_transformation_destroy(&f);
    return status;
}

/* A group for each of the `work` list. */
static ritz_status launch(const ritz_assembler *a, ritz_kernel *kernel, int way, int64_t n, const ritz_buffer *work)
{
    const ritz_transformation *f = a->transformation;
    const ritz_matrix *matrix = a->system->matrix;
    const ritz_range range = {.global = {n * GROUP}, .local = {GROUP}};
    if (n == 0)
        return RITZ_OK;
    return RITZ_LAUNCH(kernel, range, NULL, RITZ_INT(way), RITZ_BUFFER(work), RITZ_BUFFER(f->nodes),
                       RITZ_BUFFER(f->first), RITZ_BUFFER(f->dependents), RITZ_BUFFER(f->row_of), RITZ_BUFFER(f->start),
                       RITZ_BUFFER(f->master), RITZ_BUFFER(f->weight), RITZ_BUFFER(matrix->row_slot),
                       RITZ_BUFFER(matrix->row_length), RITZ_BUFFER(matrix->columns), RITZ_BUFFER(matrix->values),
                       RITZ_BUFFER(a->system->rhs));
}

ritz_status ritz_transform_system(const ritz_assembler *a)
{
    ritz_status status = RITZ_OK;
    const ritz_transformation *f = a->transformation;
    const double begin = ritz_seconds();
    for (int way = 0; way < 2; way++) { /* columns, then rows, as transform.cl names them */
        RITZ_TRY(launch(a, f->transform_blocks, way, f->n_pieces, f->pieces));
        RITZ_TRY(launch(a, f->transform_long, way, f->n_sums, f->sums));
    }
    RITZ_TRY(ritz_device_finish(a->device));
    a->system->seconds_assemble += ritz_seconds() - begin;
done:
    return status;
}
