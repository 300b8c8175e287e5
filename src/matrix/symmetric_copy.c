/* Half storage with other values: scaled, in another type, for vectors of another precision. */
#include "matrix/symmetric.h"

#include <stdio.h>
#include <string.h>

static ritz_status get_kernel(const ritz_matrix *m, ritz_value_type type, bool weighted, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    char options[300];
    ritz_symmetric_options(m, false, false, options, sizeof options);
    snprintf(options + strlen(options), sizeof options - strlen(options), " -DTO_VALUES=%d -DWEIGHTED=%d", (int)type,
             weighted);
    const char *paths[] = {"matrix/kernels/values.cl", "matrix/kernels/finish.cl", "matrix/kernels/symmetric.cl",
                           "matrix/kernels/narrow.cl", "matrix/kernels/symmetric_copy.cl"};
    RITZ_TRY(ritz_program_get(m->device, m->precision, "", paths, 5, options, &program));
    RITZ_TRY(ritz_kernel_get(program, "copy", kernel));
done:
    return status;
}

static ritz_status copy_buffer(const ritz_matrix *m, const ritz_buffer *from, ritz_buffer **to)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_create(m->device, ritz_buffer_bytes(from), "the structure of half a matrix", to));
    if (ritz_buffer_bytes(from) > 0)
        RITZ_TRY(ritz_buffer_copy(from, 0, *to, 0, ritz_buffer_bytes(from)));
done:
    return status;
}

/* Everything but the values. */
static ritz_status copy_structure(const ritz_matrix *from, ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    const struct ritz_symmetric *f = ritz_symmetric_of(from);
    struct ritz_symmetric *h = ritz_symmetric_of(m);
    const int64_t n = f->n_strips + (int64_t)1, n_slices = m->n_slices + (int64_t)1;
    RITZ_NEW(h->host_first_row, n);
    RITZ_NEW(h->host_first_slice, n);
    RITZ_NEW(h->host_first_outside, n);
    RITZ_NEW(h->host_slice_start, n_slices);
    memcpy(h->host_first_row, f->host_first_row, (size_t)n * 4);
    memcpy(h->host_first_slice, f->host_first_slice, (size_t)n * 4);
    memcpy(h->host_first_outside, f->host_first_outside, (size_t)n * 4);
    memcpy(h->host_slice_start, f->host_slice_start, (size_t)n_slices * 8);
    ritz_buffer *const same[] = {f->first_row, f->first_slice,  f->first_outside, f->slice_start, f->order,
                                 f->outside,   f->columns,      f->list_start,    f->list,        f->first_reached,
                                 f->reached,   f->contributors, f->contributors};
    ritz_buffer **const to[] = {&h->first_row, &h->first_slice,  &h->first_outside, &h->slice_start, &h->order,
                                &h->outside,   &h->columns,      &h->list_start,    &h->list,        &h->first_reached,
                                &h->reached,   &h->contributors, &h->missing};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        RITZ_TRY(copy_buffer(m, same[i], to[i]));
    const int64_t bytes =
        ritz_buffer_bytes(f->shared) / ritz_real_bytes(from->precision) * ritz_real_bytes(m->precision);
    RITZ_TRY(ritz_buffer_create(m->device, bytes, "the shared rows of half a matrix", &h->shared));
done:
    return status;
}

static ritz_status copy_values(const ritz_matrix *from, const ritz_buffer *weight, ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    const struct ritz_symmetric *f = ritz_symmetric_of(from);
    ritz_kernel *kernel = NULL;
    ritz_buffer *flag = NULL;
    int32_t too_large = 0;
    const ritz_range range = {.global = {f->n_strips}, .local = {1}};
    RITZ_TRY(get_kernel(from, m->value_type, weight != NULL, &kernel));
    RITZ_TRY(ritz_buffer_create_from(m->device, &too_large, 4, "a conversion's flag", &flag));
    const ritz_argument arguments[] = {
        RITZ_BUFFER(f->first_slice),
        RITZ_BUFFER(f->slice_start),
        RITZ_BUFFER(f->values),
        RITZ_BUFFER(ritz_symmetric_of(m)->values),
        RITZ_BUFFER(flag),
        RITZ_BUFFER(weight),
        RITZ_LONG(m->n_unknowns),
        RITZ_BUFFER(f->first_row),
        RITZ_BUFFER(f->first_outside),
        RITZ_BUFFER(f->outside),
        RITZ_BUFFER(f->order),
        RITZ_BUFFER(f->columns),
        RITZ_LOCAL((int64_t)f->n_local * f->padded * ritz_real_bytes(from->precision)),
    };
    RITZ_TRY(ritz_launch(kernel, range, arguments, weight ? 13 : 5, NULL));
    RITZ_TRY(ritz_matrix_refuse_too_large(flag));
done:
    ritz_buffer_destroy(&flag);
    return status;
}

ritz_status ritz_symmetric_copy(const ritz_matrix *from, const ritz_matrix_options *options, const ritz_buffer *weight,
                                ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    const ritz_value_type type = ritz_value_type_of(options);
    const struct ritz_symmetric *f = ritz_symmetric_of(from);
    struct ritz_symmetric *h = NULL;
    ritz_matrix *m = NULL;
    RITZ_NEW(m, 1);
    *m = *from;
    m->own = NULL;
    m->precision = options->precision;
    m->value_type = type;
    RITZ_NEW(h, 1);
    m->own = h;
    *h = (struct ritz_symmetric){.padded = f->padded,
                                 .n_strips = f->n_strips,
                                 .n_local = f->n_local,
                                 .n_outside = f->n_outside,
                                 .n_shared_rows = f->n_shared_rows,
                                 .n_stored = f->n_stored};
    RITZ_TRY(copy_structure(from, m));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_slots * m->block * m->block * ritz_value_bytes(type),
                                "the values of half a matrix", &h->values));
    RITZ_TRY(copy_values(from, weight, m));
    m->bytes = ritz_symmetric_bytes(m);
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}
