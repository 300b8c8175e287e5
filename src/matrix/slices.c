/* Whole matrices in slices: their products and their diagonal. */
#include "device/tuning.h"
#include "matrix/storage.h"
#include "matrix/transfer.h"

#include <stdio.h>
#include <string.h>

/* ---- Kernels ---- */

/* Variants of the product: with factors other than alpha = 1, with sums. */
enum { SCALED = 1, SUMS = 2 };

static const char shared_rows_file[] = "matrix/kernels/shared_rows.cl";

static ritz_status get_program(const ritz_matrix *m, const char *file, int variant, int group, ritz_program **program)
{
    char options[432], sharing[176] = "";
    const bool shared = strcmp(file, shared_rows_file) == 0;
    bool ragged = m->n_unknowns % m->block != 0 || m->n_scalar_columns % m->block != 0;
    if (shared)
        snprintf(sharing, sizeof sharing,
                 " -DTHREADS=%d -DROUND=%d -DLAST=%d -DFINISHERS=%d%s%s -DEARLY=%d -DCOMPRESSED=%d -DPAGES=%d "
                 "-DPLACE_BITS=%d -DHUBS=%d",
                 m->sharing.threads, m->sharing.round, m->sharing.last_round, group / m->sharing.threads,
                 ritz_device_get_info(m->device)->has_ptx ? " -DPTX" : "", m->sharing.keep ? " -DKEEP" : "",
                 m->sharing.early, ritz_matrix_is_compressed(m) ? ritz_matrix_strip_slices(m) : 0, RITZ_COLUMN_PAGES,
                 RITZ_COLUMN_PLACE_BITS, m->hub_length);
    snprintf(options, sizeof options,
             "-DBLOCK=%d -DSLICE=%d -DLANES=%d -DITEMS=%d -DVALUES=%d -DPERMUTED=%d -DLENGTHS=%d -DRAGGED=%d "
             "-DSCALED=%d -DSUMS=%d -DGROUP=%d%s%s",
             m->block, m->one_slice ? 0 : m->slice_height, shared ? m->sharing.rows : m->lanes, m->items,
             (int)m->value_type, m->permuted, m->row_lengths, ragged, (variant & SCALED) != 0, (variant & SUMS) != 0,
             group, ritz_device_get_info(m->device)->has_f64 ? " -DACCUM_F64" : "", sharing);
    const char *paths[] = {"matrix/kernels/values.cl", "matrix/kernels/finish.cl", file};
    return ritz_program_get(m->device, m->precision, "", paths, 3, options, program);
}

/* Work-items that share a row. */
static int threads_per_row(const ritz_matrix *m)
{
    return m->items > 1 ? m->items / m->lanes : m->sharing.threads > 0 ? m->sharing.threads : 1;
}

/* The kernel of a variant, its group halved until registers allow it. */
static ritz_status get_product(const ritz_matrix *m, int variant)
{
    ritz_status status = RITZ_OK;
    struct ritz_product_kernels *k = m->kernels;
    const char *file = m->items > 1             ? "matrix/kernels/csr.cl"
                       : m->sharing.threads > 0 ? shared_rows_file
                                                : "matrix/kernels/sbell.cl";
    const int whole =
        m->sharing.threads > 0 ? RITZ_WARP * threads_per_row(m) : threads_per_row(m); /* a member's loads fill a warp */
    const int least = ritz_matrix_is_compressed(m) ? whole : threads_per_row(m);      /* they stay in one group */
    int group = (int)ritz_max64(m->plan.group, whole);
    while (!k->kernel[variant]) {
        ritz_program *program = NULL;
        ritz_kernel *kernel = NULL;
        RITZ_TRY(get_program(m, file, variant, group, &program));
        RITZ_TRY(ritz_kernel_get(program, "product", &kernel));
        if (ritz_kernel_work_group_size(kernel) < group && group > least) {
            group /= 2;
            continue;
        }
        k->kernel[variant] = kernel;
        k->group[variant] = group;
    }
done:
    return status;
}

/* ---- The product ---- */

/* Work-items and how many packs of rows each takes. */
static int64_t count_items(const ritz_matrix *m, int group, int64_t *n_packs, int64_t *run)
{
    *run = 1;
    *n_packs = m->items > 1
                   ? m->n_rows
                   : (int64_t)m->n_slices * (m->slice_height / (m->sharing.threads > 0 ? m->sharing.rows : m->lanes));
    if (m->plan.items_per_unit > 0 && m->sharing.threads == 0) {
        int64_t n_items = m->plan.items_per_unit * ritz_device_sum_units(m->device);
        *run = (*n_packs + n_items - 1) / n_items;
    }
    return ritz_round_up((*n_packs + *run - 1) / *run * threads_per_row(m), group);
}

static ritz_status count_partials(const ritz_matrix *m, bool scaled, int64_t *n_partials)
{
    ritz_status status = RITZ_OK;
    const int variant = SUMS | (scaled ? SCALED : 0);
    int64_t n_packs, run;
    RITZ_TRY(get_product(m, variant));
    *n_partials = count_items(m, m->kernels->group[variant], &n_packs, &run) / m->kernels->group[variant];
done:
    return status;
}

static ritz_status multiply_slices(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x, ritz_buffer *y,
                                   double *seconds)
{
    ritz_status status = RITZ_OK;
    int variant = (ritz_product_is_scaled(p) ? SCALED : 0) | (p->partial ? SUMS : 0), n = 13;
    int64_t n_packs, run;
    RITZ_TRY(get_product(m, variant));
    int group = m->kernels->group[variant];
    ritz_range range = {.global = {count_items(m, group, &n_packs, &run)}, .local = {group}};
    ritz_product_extras extras;
    ritz_argument arguments[13 + RITZ_PRODUCT_EXTRAS + 1] = {
        RITZ_INT((int32_t)n_packs),
        RITZ_INT(m->sharing.threads > 0 && p->backwards ? -1 : (int32_t)run),
        RITZ_INT(m->n_rows),
        RITZ_INT(m->slice_height),
        RITZ_LONG(m->n_unknowns),
        RITZ_LONG(m->n_scalar_columns),
        RITZ_BUFFER(m->slice_start),
        RITZ_BUFFER(m->permutation),
        RITZ_BUFFER(m->row_length),
        RITZ_BUFFER(ritz_matrix_is_compressed(m) ? m->compressed : m->columns),
        RITZ_BUFFER(m->values),
        RITZ_BUFFER(x),
        RITZ_BUFFER(y),
    };
    ritz_product_make_extras(m, p, x, &extras);
    memcpy(arguments + n, extras.list, (size_t)extras.n * sizeof *arguments);
    n += extras.n;
    if (ritz_matrix_is_compressed(m))
        arguments[n++] = RITZ_BUFFER(m->pages);
    RITZ_TRY(ritz_launch(m->kernels->kernel[variant], range, arguments, n, seconds));
done:
    return status;
}

static ritz_status read_diagonal(const ritz_matrix *m, ritz_buffer *diagonal)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    RITZ_TRY(get_program(m, "matrix/kernels/diagonal.cl", 0, 1, &program));
    RITZ_TRY(ritz_kernel_get(program, "diagonal", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_matrix_range(kernel, m->n_rows), NULL, RITZ_INT(m->n_rows),
                         RITZ_INT(m->slice_height), RITZ_LONG(m->n_unknowns), RITZ_BUFFER(m->row_slot),
                         RITZ_BUFFER(m->row_length), RITZ_BUFFER(m->columns), RITZ_BUFFER(m->values),
                         RITZ_BUFFER(diagonal)));
done:
    return status;
}

static int64_t product_bytes(const ritz_matrix *m)
{
    return m->n_blocks * (4 + m->block * m->block * ritz_value_bytes(m->value_type)) +
           (m->n_unknowns + m->n_scalar_columns) * ritz_real_bytes(m->precision);
}

static ritz_matrix_options describe_format(const ritz_matrix *m)
{
    const bool usual = m->slice_height == ritz_matrix_default_height(m); /* other values may want another one */
    return (ritz_matrix_options){.slice_height = m->one_slice ? RITZ_ALL_ROWS
                                                 : usual      ? 0
                                                              : m->slice_height,
                                 .sort_window = m->permuted ? 0 : 1,
                                 .items_per_row = m->items > 1 ? m->items : 0,
                                 .row_lengths = m->row_lengths};
}

const ritz_storage ritz_storage_slices = {
    .name = "slices",
    .has_slices = true,
    .make = ritz_slices_make,
    .share_scaled = ritz_slices_share_scaled,
    .sort = ritz_slices_sort_rows,
    .count_partials = count_partials,
    .product = multiply_slices,
    .diagonal = read_diagonal,
    .product_bytes = product_bytes,
    .format = describe_format,
    .read = ritz_slices_read,
};
