/* Terms of the matrix on facets: integrated on the host some at a time, summed place by place, and added on the device
   (kernels/entries.cl). Each place gets its sums in a fixed order. */
#include "assemble/assembler.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ENTRIES = 1 << 20 };

/* One entry on its way to its place. */
typedef struct entry {
    int32_t row, column;
    int64_t number; /* equal places are summed in this order */
    double value;
} entry;

static int by_place(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Sums entries of the same place; the first n of each array are left. */
static ritz_status sum_entries(ritz_facet_entries *e)
{
    ritz_status status = RITZ_OK;
    entry *sorted = NULL;
    int64_t n = 0;
    RITZ_NEW(sorted, e->n);
    for (int64_t k = 0; k < e->n; k++)
        sorted[k] = (entry){e->row[k], e->column[k], k, e->value[k]};
    qsort(sorted, (size_t)e->n, sizeof *sorted, by_place);
    for (int64_t k = 0; k < e->n; k++) {
        if (n > 0 && e->row[n - 1] == sorted[k].row && e->column[n - 1] == sorted[k].column) {
            e->value[n - 1] += sorted[k].value;
            continue;
        }
        e->row[n] = sorted[k].row;
        e->column[n] = sorted[k].column;
        e->value[n++] = sorted[k].value;
    }
    e->n = n;
done:
    ritz_free(sorted);
    return status;
}

static ritz_status send_entries(ritz_device *device, const ritz_facet_entries *e, unsigned axes, ritz_kernel *kernel,
                                ritz_system *system)
{
    ritz_status status = RITZ_OK;
    static const char what[] = "the terms of surfaces";
    const ritz_matrix *matrix = system->matrix;
    ritz_buffer *rows = NULL, *columns = NULL, *values = NULL;
    RITZ_TRY(ritz_buffer_create_from(device, e->row, e->n * (int64_t)sizeof *e->row, what, &rows));
    RITZ_TRY(ritz_buffer_create_from(device, e->column, e->n * (int64_t)sizeof *e->column, what, &columns));
    RITZ_TRY(ritz_buffer_create(device, e->n * ritz_real_bytes(matrix->precision), what, &values));
    RITZ_TRY(ritz_buffer_write_reals(values, matrix->precision, 0, e->value, e->n));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_adder_range(e->n), &system->seconds_assemble, RITZ_INT((int32_t)e->n),
                         RITZ_BUFFER(rows), RITZ_BUFFER(columns), RITZ_BUFFER(values), RITZ_BUFFER(matrix->row_slot),
                         RITZ_BUFFER(matrix->row_length), RITZ_BUFFER(matrix->columns), RITZ_BUFFER(matrix->values),
                         RITZ_INT((int32_t)(axes ? axes : ~0u))));
done:
    ritz_buffer_destroy(&rows);
    ritz_buffer_destroy(&columns);
    ritz_buffer_destroy(&values);
    return status;
}

/* Springs, axis by axis. */
static ritz_status add_springs(ritz_device *device, const ritz_assembly *assembly, ritz_kernel *kernel,
                               ritz_system *system)
{
    ritz_status status = RITZ_OK;
    ritz_facet_entries e = {0};
    RITZ_NEW(e.row, assembly->n_springs);
    RITZ_NEW(e.column, assembly->n_springs);
    RITZ_NEW(e.value, assembly->n_springs);
    for (int c = 0; c < assembly->space->n_components; c++) {
        e.n = 0;
        for (int64_t k = 0; k < assembly->n_springs; k++) {
            if (assembly->springs[k].component != c)
                continue;
            e.row[e.n] = e.column[e.n] = assembly->springs[k].node;
            e.value[e.n++] = assembly->springs[k].stiffness;
        }
        if (e.n == 0)
            continue;
        RITZ_TRY(sum_entries(&e));
        RITZ_TRY(send_entries(device, &e, 1u << c, kernel, system));
    }
done:
    ritz_facet_entries_free(&e);
    return status;
}

ritz_status ritz_add_films(ritz_device *device, const ritz_assembly *assembly, ritz_system *system)
{
    ritz_status status = RITZ_OK;
    const ritz_space *space = assembly->space;
    const ritz_matrix *matrix = system->matrix;
    ritz_facet_entries entries = {0};
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    char header[64];
    const char *path = "assemble/kernels/entries.cl";
    if (assembly->n_films == 0 && assembly->n_springs == 0)
        return RITZ_OK;
    snprintf(header, sizeof header, "#define N_E %d\n#define S %d\n", matrix->block, matrix->slice_height);
    RITZ_TRY(ritz_program_get(device, matrix->precision, header, &path, 1, "", &program));
    RITZ_TRY(ritz_kernel_get(program, "add_entries", &kernel));
    for (int k = 0; k < assembly->n_films; k++)
        for (int32_t next = 0; next < space->mesh->n_entities;) {
            RITZ_TRY(ritz_check_interrupt());
            RITZ_TRY(ritz_integrate_facet_entries(space, &assembly->films[k], MOST_ENTRIES, &next, &entries));
            RITZ_TRY(sum_entries(&entries));
            if (entries.n > 0)
                RITZ_TRY(send_entries(device, &entries, assembly->films[k].axes, kernel, system));
        }
    RITZ_TRY(add_springs(device, assembly, kernel, system));
done:
    ritz_facet_entries_free(&entries);
    return status;
}
