/* Sparse matrices on the device: the structure, from rows on the host. */
#include "matrix/matrix.h"
#include "matrix/pieces.h"
#include "matrix/symmetric.h"

static ritz_status check_format(const ritz_matrix_options *o, int64_t n_rows)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(o->slice_height >= 0 && (o->slice_height <= RITZ_SLICE_MAX || o->slice_height >= n_rows),
                 RITZ_ERROR_INPUT,
                 "a slice height of %d is not supported; use 1 to %d, RITZ_ALL_ROWS, or 0 for the device's choice",
                 o->slice_height, RITZ_SLICE_MAX);
    RITZ_REQUIRE(o->sort_window >= 0, RITZ_ERROR_INPUT,
                 "a sort window of %lld rows is not possible; use 0 for the default, 1 for none",
                 (long long)o->sort_window);
    int items = o->items_per_row;
    RITZ_REQUIRE(items >= 0 && items <= RITZ_ITEMS_MAX && (items & (items - 1)) == 0, RITZ_ERROR_INPUT,
                 "%d work-items a row are not supported; use a power of two up to %d", items, RITZ_ITEMS_MAX);
    RITZ_REQUIRE(items <= 1 || o->slice_height == 1, RITZ_ERROR_INPUT,
                 "%d work-items share a row in slices of height 1 only; set slice_height to 1", items);
done:
    return status;
}

static ritz_status check_precision(const ritz_device *device, const ritz_matrix_options *o)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(o->precision == RITZ_F64 || o->precision == RITZ_F32, RITZ_ERROR_INPUT,
                 "precision %d does not exist; use RITZ_F64 or RITZ_F32", (int)o->precision);
    RITZ_REQUIRE(o->precision == RITZ_F32 || ritz_device_get_info(device)->has_f64, RITZ_ERROR_DEVICE,
                 "the device %s has no double precision; use precision f32", ritz_device_get_info(device)->name);
    RITZ_REQUIRE(o->values >= RITZ_VALUES_AS_VECTORS && o->values <= RITZ_VALUES_BF16, RITZ_ERROR_INPUT,
                 "value type %d does not exist; use one of ritz_value_type", (int)o->values);
    RITZ_REQUIRE(o->precision == RITZ_F64 || o->values != RITZ_VALUES_F64, RITZ_ERROR_INPUT,
                 "values in f64 with vectors in f32 are not supported; use precision f64");
done:
    return status;
}

static ritz_status check_symmetric(const ritz_matrix_options *o)
{
    if (o->symmetric && (o->slice_height != 0 || o->sort_window != 0 || o->items_per_row > 1 || o->row_lengths))
        return ritz_fail(RITZ_ERROR_INPUT, "half storage has slices, windows and items of its own; leave slice_height, "
                                           "sort_window, items_per_row and row_lengths at 0");
    return RITZ_OK;
}

ritz_status ritz_matrix_check_options(const ritz_device *device, const ritz_matrix_options *o, int block,
                                      int64_t n_unknowns, int64_t n_scalar_columns)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(block >= 1 && block <= RITZ_BLOCK_MAX, RITZ_ERROR_INPUT,
                 "blocks of %d rows are not supported; use 1 to %d", block, RITZ_BLOCK_MAX);
    int64_t n_rows = (n_unknowns + block - 1) / block, n_columns = (n_scalar_columns + block - 1) / block;
    RITZ_REQUIRE(n_rows >= 1 && n_rows <= INT32_MAX - RITZ_SLICE_MAX, RITZ_ERROR_INPUT,
                 "a matrix of %lld block rows can not be stored; use 1 to %d", (long long)n_rows,
                 INT32_MAX - RITZ_SLICE_MAX);
    RITZ_REQUIRE(n_columns >= 1 && n_columns <= INT32_MAX - RITZ_SLICE_MAX, RITZ_ERROR_INPUT,
                 "a matrix of %lld block columns can not be stored; use 1 to %d", (long long)n_columns,
                 INT32_MAX - RITZ_SLICE_MAX);
    RITZ_TRY(check_format(o, n_rows));
    RITZ_TRY(check_precision(device, o));
    RITZ_TRY(check_symmetric(o));
done:
    return status;
}

ritz_range ritz_matrix_range(const ritz_kernel *kernel, int64_t n)
{
    const int64_t group = ritz_min64(64, ritz_kernel_work_group_size(kernel));
    return (ritz_range){.global = {ritz_round_up(n, group)}, .local = {group}};
}

int64_t ritz_value_bytes(ritz_value_type type)
{
    return type == RITZ_VALUES_F64 ? 8 : type == RITZ_VALUES_F32 ? 4 : 2;
}

ritz_value_type ritz_value_type_of(const ritz_matrix_options *o)
{
    if (o->values != RITZ_VALUES_AS_VECTORS)
        return o->values;
    return o->precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
}

/* length[n_rows] from row_start, checked. */
static ritz_status row_lengths(int64_t n_rows, int64_t n_columns, const int64_t *row_start, int32_t *length)
{
    int64_t bad = row_start[0] == 0 ? n_rows : 0;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t row = 0; row < n_rows; row++) {
        int64_t n = row_start[row + 1] - row_start[row];
        if (n < 0 || n > n_columns)
            bad = ritz_min64(bad, row);
        length[row] = (int32_t)n;
    }
    if (bad < n_rows)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "row_start is wrong at block row %lld: it starts at 0 and grows by at most %lld blocks a row",
                         (long long)bad, (long long)n_columns);
    return RITZ_OK;
}

/* ---- From the rows' lengths ---- */

/* Slices from the sorted rows: starts, slots of each row, totals. */
static void cut_slices(ritz_matrix *m, const int32_t *length)
{
    int32_t S = m->slice_height;
#pragma omp parallel for schedule(static)
    for (int32_t s = 0; s < m->n_slices; s++) {
        int64_t width = 0;
        for (int32_t i = 0; i < S; i++) {
            int32_t row = m->host_permutation[(int64_t)s * S + i];
            width = row < 0 ? width : ritz_max64(width, length[row]);
        }
        m->host_slice_start[s + 1] = width * S;
    }
    for (int32_t s = 0; s < m->n_slices; s++)
        m->host_slice_start[s + 1] += m->host_slice_start[s];
    m->n_slots = m->host_slice_start[m->n_slices];
#pragma omp parallel for schedule(static)
    for (int32_t s = 0; s < m->n_slices; s++)
        for (int32_t i = 0; i < S; i++) {
            int32_t row = m->host_permutation[(int64_t)s * S + i];
            if (row >= 0)
                m->host_row_slot[row] = m->host_slice_start[s] + i;
        }
}

static void count_blocks(ritz_matrix *m, const int32_t *length)
{
    int64_t sum = 0;
    int32_t shortest = INT32_MAX, longest = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) reduction(min : shortest) reduction(max : longest)
    for (int32_t row = 0; row < m->n_rows; row++) {
        sum += length[row];
        shortest = length[row] < shortest ? length[row] : shortest;
        longest = length[row] > longest ? length[row] : longest;
    }
    m->n_blocks = sum;
    m->n_nonzeros = sum * m->block * m->block;
    m->shortest_row = shortest;
    m->longest_row = longest;
}

static ritz_status lay_out(ritz_matrix *m, int64_t window, const int32_t *length)
{
    ritz_status status = RITZ_OK;
    int64_t n_positions = (int64_t)m->n_slices * m->slice_height;
    RITZ_NEW(m->host_slice_start, m->n_slices + 1);
    RITZ_NEW(m->host_permutation, n_positions);
    RITZ_NEW(m->host_row_slot, m->n_rows);
    RITZ_TRY(ritz_sort_rows(m->n_rows, window, length, m->host_permutation));
    for (int64_t i = m->n_rows; i < n_positions; i++)
        m->host_permutation[i] = -1;
    cut_slices(m, length);
    count_blocks(m, length);
done:
    return status;
}

static ritz_status create_buffers(ritz_matrix *m, const int32_t *length)
{
    ritz_status status = RITZ_OK;
    int64_t n_positions = (int64_t)m->n_slices * m->slice_height;
    int64_t value_bytes = m->n_slots * m->block * m->block * ritz_value_bytes(m->value_type);
    RITZ_TRY(ritz_buffer_create(m->device, value_bytes, "the matrix values", &m->values));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_slots * 4, "the matrix columns", &m->columns));
    RITZ_TRY(ritz_buffer_create_from(m->device, m->host_slice_start, (m->n_slices + 1) * (int64_t)8,
                                     "the matrix slices", &m->slice_start));
    RITZ_TRY(
        ritz_buffer_create_from(m->device, m->host_permutation, n_positions * 4, "the matrix rows", &m->permutation));
    RITZ_TRY(ritz_buffer_create_from(m->device, m->host_row_slot, m->n_rows * (int64_t)8, "the matrix row starts",
                                     &m->row_slot));
    RITZ_TRY(
        ritz_buffer_create_from(m->device, length, m->n_rows * (int64_t)4, "the matrix row lengths", &m->row_length));
    m->bytes =
        value_bytes + m->n_slots * 4 + (m->n_slices + 1) * (int64_t)8 + n_positions * 4 + m->n_rows * (int64_t)12;
done:
    return status;
}

/* Slice height, lanes and items. One slice of all rows is rounded up, so that its columns start at full vectors. */
static void choose_shape(ritz_matrix *m, const ritz_matrix_options *o)
{
    bool vectors = m->plan.lanes > 1;
    m->slice_height = o->slice_height ? o->slice_height : ritz_matrix_default_height(m);
    m->one_slice = m->slice_height > RITZ_SLICE_MAX;
    if (m->one_slice)
        m->slice_height = (int32_t)ritz_round_up(m->n_rows, ritz_matrix_default_height(m));
    m->items = o->items_per_row > 1 ? o->items_per_row : 1;
    if (vectors && m->items > RITZ_LANES_MAX)
        m->items = RITZ_LANES_MAX;
    m->lanes = m->items == 1 ? ritz_matrix_lanes(&m->plan, m->slice_height) : vectors ? m->items : 1;
}

ritz_status ritz_matrix_from_lengths(ritz_device *device, const ritz_matrix_options *o, int block, int64_t n_unknowns,
                                     int64_t n_scalar_columns, const int32_t *length, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    RITZ_NEW(m, 1);
    RITZ_TRY(ritz_product_kernels_create(m));
    m->device = device;
    m->plan = ritz_matrix_plan_of(device);
    m->precision = o->precision;
    m->value_type = ritz_value_type_of(o);
    m->block = block;
    m->n_unknowns = n_unknowns;
    m->n_scalar_columns = n_scalar_columns;
    m->n_rows = (int32_t)((n_unknowns + block - 1) / block);
    m->n_columns = (int32_t)((n_scalar_columns + block - 1) / block);
    const int64_t window = o->sort_window ? o->sort_window : ritz_matrix_default_window(m);
    m->permuted = window > 1;
    m->row_lengths = o->row_lengths;
    choose_shape(m, o);
    m->n_slices = (int32_t)(((int64_t)m->n_rows + m->slice_height - 1) / m->slice_height);
    RITZ_TRY(lay_out(m, window, length));
    ritz_matrix_choose_teams(m);
    RITZ_TRY(create_buffers(m, length));
    ritz_log("matrix: %d block rows of %d, %lld blocks in %lld slots, slices of %d rows, %d rows a work-item",
             m->n_rows, block, (long long)m->n_blocks, (long long)m->n_slots, m->slice_height,
             m->items > 1 ? 1 : m->lanes);
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

/* ---- From block compressed rows ---- */

/* The order and the types of the caller's rows; then the device makes the format. For what the host does not lay
   out: one slice of all rows, values of 16 bits, half storage. */
static ritz_status create_on_device(ritz_device *device, const ritz_matrix_options *o, int block, int64_t n_rows,
                                    const int64_t *row_start, const int32_t *columns, const double *values,
                                    ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *plain = NULL;
    ritz_matrix_options rows = {
        .slice_height = 1, .sort_window = 1, .precision = o->precision, .n_columns = o->n_columns};
    ritz_matrix_options target = *o;
    target.drop_zeros = false;
    RITZ_TRY(ritz_matrix_create(device, &rows, block, n_rows, row_start, columns, values, &plain));
    RITZ_TRY(ritz_matrix_convert(plain, &target, block, matrix));
done:
    ritz_matrix_destroy(&plain);
    return status;
}

ritz_status ritz_matrix_create(ritz_device *device, const ritz_matrix_options *options, int block, int64_t n_rows,
                               const int64_t *row_start, const int32_t *columns, const double *values,
                               ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    int32_t *length = NULL;
    ritz_matrix_options o = options ? *options : (ritz_matrix_options){0};
    int64_t n_columns = o.n_columns ? o.n_columns : n_rows;
    RITZ_TRY(ritz_matrix_check_options(device, &o, block, n_rows * block, n_columns * block));
    RITZ_REQUIRE(!o.symmetric || values, RITZ_ERROR_INPUT,
                 "half storage is made of values, not assembled into; assemble the whole matrix and convert it");
    if (o.slice_height > RITZ_SLICE_MAX || o.symmetric || ritz_value_bytes(ritz_value_type_of(&o)) < 4)
        return create_on_device(device, &o, block, n_rows, row_start, columns, values, matrix);
    RITZ_NEW(length, n_rows);
    RITZ_TRY(row_lengths(n_rows, n_columns, row_start, length));
    RITZ_TRY(ritz_matrix_from_lengths(device, &o, block, n_rows * block, n_columns * block, length, &m));
    RITZ_TRY(ritz_matrix_send_columns(m, row_start, columns));
    RITZ_TRY(ritz_matrix_code_columns(m));
    if (values)
        RITZ_TRY(ritz_matrix_send_values(m, row_start, values));
    else
        RITZ_TRY(ritz_buffer_zero(m->values));
    *matrix = m;
    m = NULL;
done:
    ritz_free(length);
    ritz_matrix_destroy(&m);
    return status;
}

ritz_status ritz_matrix_create_structure(ritz_device *device, const ritz_matrix_options *options, int block,
                                         int64_t n_rows, const int64_t *row_start, const int32_t *columns,
                                         ritz_matrix **matrix)
{
    return ritz_matrix_create(device, options, block, n_rows, row_start, columns, NULL, matrix);
}

ritz_status ritz_matrix_create_like(const ritz_matrix *from, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    RITZ_NEW(m, 1);
    *m = *from;
    m->like = from;
    m->kernels = NULL;
    m->symmetric = NULL;
    m->into_order = m->out_of_order = NULL;
    RITZ_TRY(ritz_product_kernels_create(m));
    if (from->symmetric)
        RITZ_TRY(ritz_symmetric_create_like(from->symmetric, &m->symmetric));
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

/* What `like` owns stays. */
static void destroy_buffers(ritz_matrix *m)
{
    const ritz_matrix none = {0}, *like = m->like ? m->like : &none;
    ritz_buffer **own[] = {&m->slice_start, &m->permutation, &m->row_slot, &m->columns,
                           &m->values,      &m->row_length,  &m->codes,    &m->pages};
    const ritz_buffer *theirs[] = {like->slice_start, like->permutation, like->row_slot, like->columns,
                                   like->values,      like->row_length,  like->codes,    like->pages};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (*own[i] != theirs[i])
            ritz_buffer_destroy(own[i]);
    if (m->host_slice_start != like->host_slice_start)
        ritz_free(m->host_slice_start);
    if (m->host_permutation != like->host_permutation)
        ritz_free(m->host_permutation);
    if (m->host_row_slot != like->host_row_slot)
        ritz_free(m->host_row_slot);
}

void ritz_matrix_destroy(ritz_matrix **matrix)
{
    if (!matrix || !*matrix)
        return;
    ritz_matrix *m = *matrix;
    destroy_buffers(m);
    ritz_product_kernels_destroy(m);
    ritz_symmetric_destroy(&m->symmetric);
    ritz_free(m);
    *matrix = NULL;
}
