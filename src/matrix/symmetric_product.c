/* Half of a symmetric matrix: its products, its diagonal, and the table of what this storage does. */
#include "matrix/symmetric.h"

#include <string.h>

static ritz_status count_partials(const ritz_matrix *m, bool scaled, int64_t *n_partials)
{
    (void)scaled;
    *n_partials = ritz_symmetric_of(m)->n_strips;
    return RITZ_OK;
}

static int64_t product_bytes(const ritz_matrix *m)
{
    return ritz_symmetric_of(m)->n_stored * (2 + m->block * m->block * ritz_value_bytes(m->value_type)) +
           2 * m->n_unknowns * ritz_real_bytes(m->precision);
}

static ritz_status get_kernels(const ritz_matrix *m, bool scaled, bool sums, ritz_kernel *kernel[2])
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel **known = ritz_symmetric_of(m)->kernel[2 * scaled + sums];
    if (!known[1]) {
        RITZ_TRY(ritz_symmetric_program(m, "matrix/kernels/symmetric.cl", scaled, sums, &program));
        RITZ_TRY(ritz_kernel_get(program, "product", &known[0]));
        RITZ_TRY(ritz_kernel_get(program, "collect", &known[1]));
    }
    kernel[0] = known[0];
    kernel[1] = known[1];
done:
    return status;
}

static ritz_status launch_pass(ritz_kernel *kernel, int64_t n_items, ritz_argument *arguments, int n,
                               const ritz_product_extras *extras, double *seconds)
{
    memcpy(arguments + n, extras->list, (size_t)extras->n * sizeof *arguments);
    return ritz_launch(kernel, (ritz_range){.global = {n_items}, .local = {1}}, arguments, n + extras->n, seconds);
}

static ritz_status multiply_half(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x, ritz_buffer *y,
                                 double *seconds)
{
    ritz_status status = RITZ_OK;
    const bool scaled = ritz_product_is_scaled(p);
    const struct ritz_symmetric *h = ritz_symmetric_of(m);
    ritz_kernel *kernel[2];
    ritz_product_extras extras;
    const int64_t local_bytes = (int64_t)h->n_local * h->padded * ritz_real_bytes(m->precision);
    RITZ_TRY(get_kernels(m, scaled, p->partial != NULL, kernel));
    ritz_product_make_extras(m, p, x, &extras);
    ritz_argument product[22 + RITZ_PRODUCT_EXTRAS] = {
        RITZ_INT(h->n_strips),
        RITZ_LONG(m->n_unknowns),
        RITZ_INT(h->n_outside),
        RITZ_BUFFER(h->first_row),
        RITZ_BUFFER(h->first_slice),
        RITZ_BUFFER(h->slice_start),
        RITZ_BUFFER(h->order),
        RITZ_BUFFER(h->first_outside),
        RITZ_BUFFER(h->outside),
        RITZ_BUFFER(h->list_start),
        RITZ_BUFFER(h->list),
        RITZ_BUFFER(h->first_reached),
        RITZ_BUFFER(h->reached),
        RITZ_BUFFER(h->contributors),
        RITZ_BUFFER(h->missing),
        RITZ_BUFFER(h->columns),
        RITZ_BUFFER(h->values),
        RITZ_BUFFER(x),
        RITZ_BUFFER(y),
        RITZ_BUFFER(h->shared),
        RITZ_LOCAL(local_bytes),
        RITZ_LOCAL(local_bytes),
    };
    RITZ_TRY(launch_pass(kernel[0], h->n_strips, product, 22, &extras, seconds));
    if (ritz_symmetric_is_fused(m))
        return RITZ_OK;
    ritz_argument collect[9 + RITZ_PRODUCT_EXTRAS] = {
        RITZ_INT(h->n_strips),
        RITZ_LONG(m->n_unknowns),
        RITZ_INT(h->n_outside),
        RITZ_BUFFER(h->first_row),
        RITZ_BUFFER(h->list_start),
        RITZ_BUFFER(h->list),
        RITZ_BUFFER(h->shared),
        RITZ_BUFFER(x),
        RITZ_BUFFER(y),
    };
    RITZ_TRY(launch_pass(kernel[1], h->n_strips, collect, 9, &extras, seconds));
done:
    return status;
}

static ritz_status read_diagonal(const ritz_matrix *m, ritz_buffer *diagonal)
{
    ritz_status status = RITZ_OK;
    const struct ritz_symmetric *h = ritz_symmetric_of(m);
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    RITZ_TRY(ritz_symmetric_program(m, "matrix/kernels/symmetric.cl", false, false, &program));
    RITZ_TRY(ritz_kernel_get(program, "diagonal", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {h->n_strips}, .local = {1}}), NULL, RITZ_LONG(m->n_unknowns),
                         RITZ_BUFFER(h->first_row), RITZ_BUFFER(h->first_slice), RITZ_BUFFER(h->slice_start),
                         RITZ_BUFFER(h->order), RITZ_BUFFER(h->values), RITZ_BUFFER(diagonal)));
done:
    return status;
}

static ritz_status read_values(const ritz_matrix *m, const int64_t *row_start, double *values)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *whole = NULL;
    RITZ_TRY(ritz_symmetric_expand(m, &whole));
    RITZ_TRY(ritz_slices_read(whole, row_start, values));
done:
    ritz_matrix_destroy(&whole);
    return status;
}

static ritz_status share_structure(const ritz_matrix *from, ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = NULL;
    RITZ_NEW(h, 1);
    *h = *ritz_symmetric_of(from);
    h->like = true;
    memset(h->kernel, 0, sizeof h->kernel);
    m->own = h;
done:
    return status;
}

static void destroy_strips(struct ritz_symmetric *h)
{
    ritz_buffer **buffers[] = {&h->first_row,    &h->first_slice, &h->first_outside, &h->slice_start,   &h->order,
                               &h->outside,      &h->columns,     &h->values,        &h->first_reached, &h->reached,
                               &h->contributors, &h->missing,     &h->list_start,    &h->list,          &h->shared};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        ritz_buffer_destroy(buffers[i]);
    ritz_free(h->host_first_row);
    ritz_free(h->host_first_slice);
    ritz_free(h->host_first_outside);
    ritz_free(h->host_slice_start);
}

static void destroy_half(ritz_matrix *m)
{
    struct ritz_symmetric *h = ritz_symmetric_of(m);
    if (h && !h->like)
        destroy_strips(h);
    ritz_free(h);
}

static ritz_matrix_options describe_format(const ritz_matrix *m)
{
    (void)m;
    return (ritz_matrix_options){.storage = RITZ_STORAGE_SYMMETRIC};
}

const ritz_storage ritz_storage_symmetric = {
    .name = "half storage",
    .format_name = "sbell-symmetric",
    .half = true,
    .make = ritz_symmetric_make,
    .expand = ritz_symmetric_expand,
    .copy = ritz_symmetric_copy,
    .count_partials = count_partials,
    .product = multiply_half,
    .diagonal = read_diagonal,
    .product_bytes = product_bytes,
    .format = describe_format,
    .read = read_values,
    .share = share_structure,
    .destroy = destroy_half,
};
