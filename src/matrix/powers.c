/* Level-blocked matrix powers, the matrix's part: renumbering, and steps over some of the rows. */
#include "matrix/powers.h"
#include "matrix/storage.h"

#include <stdio.h>
#include <string.h>

/* ---- Renumbering ---- */

bool ritz_matrix_can_reorder(const ritz_matrix *m)
{
    return m->n_unknowns == m->n_scalar_columns && m->n_unknowns % m->block == 0 && !m->one_slice && m->items == 1 &&
           m->host_row_slot;
}

static ritz_status get_reorder_program(const ritz_matrix *m, ritz_program **program)
{
    const int64_t bytes = ritz_value_bytes(m->value_type);
    const char *path = "matrix/kernels/reorder.cl";
    char options[64];
    snprintf(options, sizeof options, "-DBLOCK=%d -DRAW=%s", m->block,
             bytes == 8   ? "ulong"
             : bytes == 4 ? "uint"
                          : "ushort");
    return ritz_program_get(m->device, m->precision, "", &path, 1, options, program);
}

static ritz_status move_blocks(const ritz_matrix *from, const ritz_buffer *order, const ritz_buffer *place,
                               ritz_matrix *to)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    const int32_t n_positions = to->n_slices * to->slice_height;
    RITZ_TRY(get_reorder_program(from, &program));
    RITZ_TRY(ritz_kernel_get(program, "reorder", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ritz_matrix_range(kernel, n_positions), NULL, RITZ_INT(n_positions),
                         RITZ_INT(to->n_rows), RITZ_INT(from->slice_height), RITZ_INT(to->slice_height),
                         RITZ_BUFFER(from->row_slot), RITZ_BUFFER(from->row_length), RITZ_BUFFER(from->columns),
                         RITZ_BUFFER(from->values), RITZ_BUFFER(order), RITZ_BUFFER(place),
                         RITZ_BUFFER(to->slice_start), RITZ_BUFFER(to->columns), RITZ_BUFFER(to->values)));
done:
    return status;
}

ritz_status ritz_matrix_reorder(const ritz_matrix *from, const int32_t *order, const int32_t *place, ritz_matrix **to)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    ritz_buffer *device_order = NULL, *device_place = NULL;
    int32_t *length = NULL, *old_length = NULL;
    const int64_t n = from->n_rows;
    const ritz_matrix_options o = {
        .slice_height = from->slice_height, .sort_window = 1, .precision = from->precision, .values = from->value_type};
    RITZ_NEW(length, n);
    RITZ_NEW(old_length, n);
    RITZ_TRY(ritz_buffer_read(from->row_length, 0, old_length, n * 4));
    for (int64_t i = 0; i < n; i++)
        length[i] = old_length[order[i]];
    RITZ_TRY(ritz_buffer_create_from(from->device, order, n * 4, "the order of rows", &device_order));
    RITZ_TRY(ritz_buffer_create_from(from->device, place, n * 4, "the places of rows", &device_place));
    RITZ_TRY(
        ritz_matrix_from_lengths(from->device, &o, from->block, from->n_unknowns, from->n_scalar_columns, length, &m));
    m->n_nonzeros = from->n_nonzeros;
    RITZ_TRY(move_blocks(from, device_order, device_place, m));
    *to = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    ritz_buffer_destroy(&device_order);
    ritz_buffer_destroy(&device_place);
    ritz_free(length);
    ritz_free(old_length);
    return status;
}

ritz_status ritz_matrix_sort_order(const ritz_matrix *m, int64_t window, const int32_t *length, int32_t *order)
{
    ritz_status status = RITZ_OK;
    int32_t *sorted = NULL, *place = NULL;
    RITZ_NEW(sorted, m->n_rows);
    RITZ_NEW(place, m->n_rows);
    for (int32_t i = 0; i < m->n_rows; i++)
        sorted[i] = length[order[i]];
    RITZ_TRY(ritz_sort_rows(m->n_rows, window, sorted, place));
    for (int32_t i = 0; i < m->n_rows; i++)
        sorted[i] = order[place[i]];
    memcpy(order, sorted, (size_t)m->n_rows * sizeof *order);
done:
    ritz_free(sorted);
    ritz_free(place);
    return status;
}

/* ---- Steps ---- */

static ritz_status get_kernels(ritz_powers *p, int group)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix *m = p->matrix;
    ritz_program *program = NULL;
    char options[256];
    const char *paths[] = {"matrix/kernels/values.cl", "matrix/kernels/finish.cl", "matrix/kernels/sbell.cl",
                           "matrix/kernels/powers.cl", "matrix/kernels/order.cl"};
    snprintf(options, sizeof options,
             "-DBLOCK=%d -DSLICE=%d -DLANES=%d -DITEMS=1 -DVALUES=%d -DPERMUTED=0 -DLENGTHS=0 -DRAGGED=0 -DSCALED=1 "
             "-DSUMS=1 -DGROUP=%d%s",
             m->block, m->slice_height, m->lanes, (int)m->value_type, group,
             ritz_device_get_info(m->device)->has_f64 ? " -DACCUM_F64" : "");
    RITZ_TRY(ritz_program_get(m->device, m->precision, "", paths, 5, options, &program));
    RITZ_TRY(ritz_kernel_get(program, "into_order", &p->into));
    RITZ_TRY(ritz_kernel_get(program, "power_step", &p->step));
    RITZ_TRY(ritz_kernel_get(program, "out_of_order", &p->out_of));
    p->group = group;
done:
    return status;
}

static int64_t largest_group(const ritz_powers *p)
{
    return ritz_min64(ritz_kernel_work_group_size(p->into),
                      ritz_min64(ritz_kernel_work_group_size(p->step), ritz_kernel_work_group_size(p->out_of)));
}

/* Rows a work-item moves: a CPU walks them in a few groups a core, a GPU takes one, or as many as leave few enough parts
   of sums for one group to add. */
enum { PARTS_MOST = 4096 };
static int32_t rows_an_item(const ritz_powers *p)
{
    const ritz_device *device = p->matrix->device;
    const int64_t per_unit = p->matrix->plan.items_per_unit;
    const int64_t items =
        per_unit > 0 ? per_unit * ritz_device_get_info(device)->compute_units : (int64_t)PARTS_MOST * p->group;
    return (int32_t)((p->matrix->n_rows + items - 1) / items);
}

static ritz_range all_rows(const ritz_powers *p)
{
    const int32_t run = rows_an_item(p);
    return (ritz_range){.global = {ritz_round_up((p->matrix->n_rows + run - 1) / run, p->group)}, .local = {p->group}};
}

ritz_status ritz_powers_create(const ritz_matrix *m, int n_steps, ritz_powers *p)
{
    ritz_status status = RITZ_OK;
    const int64_t real = ritz_real_bytes(m->precision), accum = ritz_device_get_info(m->device)->has_f64 ? 8 : 4;
    const char *what = "a vector of blocked matrix powers";
    int group = m->plan.group;
    *p = (ritz_powers){.matrix = m};
    RITZ_TRY(get_kernels(p, group));
    while (largest_group(p) < group)
        RITZ_TRY(get_kernels(p, group /= 2));
    p->n_parts = (int32_t)(all_rows(p).global[0] / group);
    RITZ_TRY(ritz_buffer_create(m->device, m->n_unknowns * real, what, &p->r));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_unknowns * real, what, &p->z[0]));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_unknowns * real, what, &p->z[1]));
    RITZ_TRY(ritz_buffer_create(m->device, (n_steps + 1) * 4 * real, "the factors of matrix powers", &p->factors));
    RITZ_TRY(ritz_buffer_create(m->device, RITZ_PRODUCT_SUMS * p->n_parts * accum, "the parts of a product's sums",
                                &p->partial));
done:
    return status;
}

void ritz_powers_destroy(ritz_powers *p)
{
    ritz_buffer_destroy(&p->order);
    ritz_buffer_destroy(&p->tasks);
    ritz_buffer_destroy(&p->factors);
    ritz_buffer_destroy(&p->r);
    ritz_buffer_destroy(&p->z[0]);
    ritz_buffer_destroy(&p->z[1]);
    ritz_buffer_destroy(&p->partial);
}

ritz_status ritz_powers_begin(const ritz_powers *p, const ritz_buffer *r)
{
    return RITZ_LAUNCH(p->into, all_rows(p), NULL, RITZ_INT(p->matrix->n_rows), RITZ_INT(rows_an_item(p)),
                       RITZ_BUFFER(p->order), RITZ_BUFFER(r), RITZ_BUFFER(p->r));
}

ritz_status ritz_powers_launch(const ritz_powers *p, int32_t first, int32_t n)
{
    const ritz_matrix *m = p->matrix;
    const ritz_range range = {.global = {(int64_t)n * p->group}, .local = {p->group}};
    return RITZ_LAUNCH(p->step, range, NULL, RITZ_INT(first), RITZ_INT(m->n_rows), RITZ_INT(m->slice_height),
                       RITZ_BUFFER(p->tasks), RITZ_BUFFER(p->factors), RITZ_BUFFER(m->slice_start),
                       RITZ_BUFFER(m->columns), RITZ_BUFFER(m->values), RITZ_BUFFER(p->r), RITZ_BUFFER(p->z[0]),
                       RITZ_BUFFER(p->z[1]));
}

ritz_status ritz_powers_end(const ritz_powers *p, int n_steps, ritz_buffer *z)
{
    return RITZ_LAUNCH(p->out_of, all_rows(p), NULL, RITZ_INT(p->matrix->n_rows), RITZ_INT(rows_an_item(p)),
                       RITZ_BUFFER(p->order), RITZ_BUFFER(p->z[n_steps % 2]), RITZ_BUFFER(z), RITZ_BUFFER(p->r),
                       RITZ_BUFFER(p->partial));
}
