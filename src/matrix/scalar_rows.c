/* Block compressed rows whose product gives each scalar row a work-item. The rows are those of slices of one row. */
#include "matrix/storage.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 64 };

typedef struct own_rows {
    const ritz_matrix *rows;
    ritz_matrix *mine;      /* the same, unless another's */
    ritz_kernel *kernel[4]; /* variants of the product; owned by the device */
} own_rows;

extern const ritz_storage ritz_storage_scalar_rows;

static own_rows *rows_of(const ritz_matrix *m)
{
    return m->own;
}

static ritz_status get_product(const ritz_matrix *m, bool scaled, bool sums, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel **known = &rows_of(m)->kernel[2 * scaled + sums];
    const char *paths[] = {"matrix/kernels/values.cl", "matrix/kernels/finish.cl", "matrix/kernels/scalar_rows.cl"};
    char options[160];
    snprintf(options, sizeof options,
             "-DBLOCK=%d -DSLICE=1 -DLANES=1 -DITEMS=1 -DVALUES=%d -DPERMUTED=0 -DLENGTHS=0 -DRAGGED=1 -DSCALED=%d "
             "-DSUMS=%d -DGROUP=%d%s",
             m->block, (int)m->value_type, scaled, sums, GROUP,
             ritz_device_get_info(m->device)->has_f64 ? " -DACCUM_F64" : "");
    if (!*known) {
        RITZ_TRY(ritz_program_get(m->device, m->precision, "", paths, 3, options, &program));
        RITZ_TRY(ritz_kernel_get(program, "product", known));
    }
    *kernel = *known;
done:
    return status;
}

static int64_t count_items(const ritz_matrix *m)
{
    return ritz_round_up(m->n_unknowns, GROUP);
}

static ritz_status count_partials(const ritz_matrix *m, bool scaled, int64_t *n_partials)
{
    (void)scaled;
    *n_partials = count_items(m) / GROUP;
    return RITZ_OK;
}

static ritz_status multiply_rows(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x, ritz_buffer *y,
                                 double *seconds)
{
    ritz_status status = RITZ_OK;
    enum { OWN = 8 };
    const ritz_matrix *rows = rows_of(m)->rows;
    const ritz_range range = {.global = {count_items(m)}, .local = {GROUP}};
    ritz_kernel *kernel = NULL;
    ritz_product_extras extras;
    ritz_argument arguments[OWN + RITZ_PRODUCT_EXTRAS] = {RITZ_LONG(m->n_unknowns),
                                                          RITZ_LONG(m->n_scalar_columns),
                                                          RITZ_BUFFER(rows->row_slot),
                                                          RITZ_BUFFER(rows->row_length),
                                                          RITZ_BUFFER(rows->columns),
                                                          RITZ_BUFFER(rows->values),
                                                          RITZ_BUFFER(x),
                                                          RITZ_BUFFER(y)};
    RITZ_TRY(get_product(m, ritz_product_is_scaled(p), p->partial != NULL, &kernel));
    ritz_product_make_extras(m, p, x, &extras);
    memcpy(arguments + OWN, extras.list, (size_t)extras.n * sizeof *arguments);
    RITZ_TRY(ritz_launch(kernel, range, arguments, OWN + extras.n, seconds));
done:
    return status;
}

static ritz_status read_diagonal(const ritz_matrix *m, ritz_buffer *diagonal)
{
    return rows_of(m)->rows->storage->diagonal(rows_of(m)->rows, diagonal);
}

static int64_t product_bytes(const ritz_matrix *m)
{
    return rows_of(m)->rows->storage->product_bytes(rows_of(m)->rows);
}

static ritz_status read_rows(const ritz_matrix *m, const int64_t *row_start, double *values)
{
    return ritz_slices_read(rows_of(m)->rows, row_start, values);
}

static ritz_status expand_rows(const ritz_matrix *from, ritz_matrix **slices)
{
    return ritz_matrix_create_like(rows_of(from)->rows, from->precision, slices);
}

static ritz_matrix_options describe_format(const ritz_matrix *m)
{
    (void)m;
    return (ritz_matrix_options){.storage = RITZ_STORAGE_SCALAR_ROWS};
}

static ritz_status share_rows(const ritz_matrix *from, ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    own_rows *own = NULL;
    RITZ_NEW(own, 1);
    own->rows = rows_of(from)->rows;
    m->own = own;
done:
    return status;
}

static void destroy_rows(ritz_matrix *m)
{
    if (m->own)
        ritz_matrix_destroy(&rows_of(m)->mine);
    ritz_free(m->own);
}

static ritz_status make_rows(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                             const ritz_buffer *weight, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix_options plain = *options;
    ritz_matrix *m = NULL, *rows = NULL;
    own_rows *own = NULL;
    plain.storage = RITZ_STORAGE_SLICES;
    plain.slice_height = 1;
    plain.sort_window = 1;
    RITZ_TRY(ritz_slices_make(from, &plain, block, weight, &rows));
    RITZ_NEW(m, 1);
    RITZ_NEW(own, 1);
    *m = (ritz_matrix){.storage = &ritz_storage_scalar_rows,
                       .device = rows->device,
                       .plan = rows->plan,
                       .precision = rows->precision,
                       .value_type = rows->value_type,
                       .block = rows->block,
                       .slice_height = 1,
                       .lanes = 1,
                       .items = 1,
                       .n_rows = rows->n_rows,
                       .n_columns = rows->n_columns,
                       .n_unknowns = rows->n_unknowns,
                       .n_scalar_columns = rows->n_scalar_columns,
                       .n_slices = rows->n_slices,
                       .n_slots = rows->n_slots,
                       .n_blocks = rows->n_blocks,
                       .n_nonzeros = rows->n_nonzeros,
                       .shortest_row = rows->shortest_row,
                       .longest_row = rows->longest_row,
                       .bytes = rows->bytes,
                       .own = own};
    own->rows = own->mine = rows;
    rows = NULL;
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&rows);
    ritz_matrix_destroy(&m);
    return status;
}

const ritz_storage ritz_storage_scalar_rows = {
    .name = "scalar rows",
    .format_name = "scalar-rows",
    .make = make_rows,
    .expand = expand_rows,
    .count_partials = count_partials,
    .product = multiply_rows,
    .diagonal = read_diagonal,
    .product_bytes = product_bytes,
    .format = describe_format,
    .read = read_rows,
    .share = share_rows,
    .destroy = destroy_rows,
};
