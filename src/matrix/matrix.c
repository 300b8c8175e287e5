/* Sparse matrices on the device: the structure, its kernels, product and diagonal. */
#include "matrix/matrix.h"
#include "matrix/pieces.h"

#include <stdio.h>

enum { BLOCK_MAX = 8, SLICE_MAX = 1024, LANES_MAX = 16 };

/* How each kind of device stores and multiplies.
   CPU: a work-item computes as many rows as fit in 64 bytes (one cache line, one AVX-512 register, two of AVX2), a
   slice is just those rows, and a few dozen work-items a core walk long runs of slices: a work-group costs PoCL about
   as much as a slice does. GPU: a warp's width of rows a slice, one work-item a row, as in the SBELL paper (fastest
   there at 32). The window is long enough to put the short rows of a mesh's surface together, short enough to keep x in
   cache. */
static const struct plan {
    int lane_bytes;     /* of the rows a work-item computes; 0: one row */
    int slice_height;   /* 0: the lanes */
    int sort_window;    /* block rows */
    int items_per_unit; /* work-items a compute unit; 0: one item a pack of rows */
    int group;          /* work-items a group */
} plans[] = {
    [RITZ_DEVICE_CPU] = {.lane_bytes = 64, .slice_height = 0, .sort_window = 512, .items_per_unit = 32, .group = 1},
    [RITZ_DEVICE_GPU] = {.lane_bytes = 0, .slice_height = 32, .sort_window = 1024, .items_per_unit = 0, .group = 128},
    [RITZ_DEVICE_OTHER] = {.lane_bytes = 0, .slice_height = 32, .sort_window = 1024, .items_per_unit = 0, .group = 64},
};

static const struct plan *plan_of(const ritz_matrix *m)
{
    return &plans[ritz_device_get_info(m->device)->kind];
}

/* The device's number of lanes, halved until it divides the slice height. */
static int lanes_for(const struct plan *plan, ritz_precision precision, int slice_height)
{
    int lanes = plan->lane_bytes > 0 ? plan->lane_bytes / (int)ritz_real_bytes(precision) : 1;
    lanes = lanes > LANES_MAX ? LANES_MAX : lanes;
    while (slice_height > 0 && slice_height % lanes != 0)
        lanes /= 2;
    return lanes;
}

static ritz_status get_kernel(const ritz_matrix *m, const char *name, ritz_kernel **kernel)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    char options[96];
    snprintf(options, sizeof options, "-DBLOCK=%d -DSLICE=%d -DLANES=%d", m->block, m->slice_height, m->lanes);
    const char *path = "matrix/kernels/sbell.cl";
    RITZ_TRY(ritz_program_get(m->device, m->precision, "", &path, 1, options, &program));
    RITZ_TRY(ritz_kernel_get(program, name, kernel));
done:
    return status;
}

/* ---- The structure ---- */

static ritz_status check_options(ritz_device *device, const ritz_matrix_options *o, int block, int64_t n_rows)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(block >= 1 && block <= BLOCK_MAX, RITZ_ERROR_INPUT, "blocks of %d rows are not supported; use 1 to %d",
                 block, BLOCK_MAX);
    RITZ_REQUIRE(n_rows >= 1 && n_rows <= INT32_MAX - SLICE_MAX, RITZ_ERROR_INPUT,
                 "a matrix of %lld block rows can not be stored; use 1 to %d", (long long)n_rows,
                 INT32_MAX - SLICE_MAX);
    RITZ_REQUIRE(o->slice_height >= 0 && o->slice_height <= SLICE_MAX, RITZ_ERROR_INPUT,
                 "a slice height of %d is not supported; use 1 to %d, or 0 for the device's choice", o->slice_height,
                 SLICE_MAX);
    RITZ_REQUIRE(o->sort_window >= 0, RITZ_ERROR_INPUT,
                 "a sort window of %lld rows is not possible; use 0 for the default, 1 for none",
                 (long long)o->sort_window);
    RITZ_REQUIRE(o->precision == RITZ_F64 || o->precision == RITZ_F32, RITZ_ERROR_INPUT,
                 "precision %d does not exist; use RITZ_F64 or RITZ_F32", (int)o->precision);
    RITZ_REQUIRE(o->precision == RITZ_F32 || ritz_device_get_info(device)->has_f64, RITZ_ERROR_DEVICE,
                 "the device %s has no double precision; use precision f32", ritz_device_get_info(device)->name);
done:
    return status;
}

/* length[n_rows] from row_start, checked. */
static ritz_status row_lengths(int64_t n_rows, const int64_t *row_start, int32_t *length)
{
    int64_t bad = row_start[0] == 0 ? n_rows : 0;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t row = 0; row < n_rows; row++) {
        int64_t n = row_start[row + 1] - row_start[row];
        if (n < 0 || n > n_rows)
            bad = ritz_min64(bad, row);
        length[row] = (int32_t)n;
    }
    if (bad < n_rows)
        return ritz_fail(RITZ_ERROR_INPUT,
                         "row_start is wrong at block row %lld: it starts at 0 and grows by at most %lld blocks a row",
                         (long long)bad, (long long)n_rows);
    return RITZ_OK;
}

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
done:
    return status;
}

static ritz_status create_buffers(ritz_matrix *m, const int32_t *length)
{
    ritz_status status = RITZ_OK;
    int64_t n_positions = (int64_t)m->n_slices * m->slice_height;
    int64_t value_bytes = m->n_slots * m->block * m->block * ritz_real_bytes(m->precision);
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

/* Everything but the values, whose content is undefined. */
static ritz_status create_without_values(ritz_device *device, const ritz_matrix_options *options, int block,
                                         int64_t n_rows, const int64_t *row_start, const int32_t *columns,
                                         ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    int32_t *length = NULL;
    ritz_matrix_options o = options ? *options : (ritz_matrix_options){0};
    RITZ_TRY(check_options(device, &o, block, n_rows));
    const struct plan *plan = &plans[ritz_device_get_info(device)->kind];
    RITZ_NEW(m, 1);
    RITZ_NEW(length, n_rows);
    m->device = device;
    m->precision = o.precision;
    m->block = block;
    m->slice_height = o.slice_height ? o.slice_height : plan->slice_height;
    m->lanes = lanes_for(plan, o.precision, m->slice_height);
    m->slice_height = m->slice_height ? m->slice_height : m->lanes;
    m->n_rows = (int32_t)n_rows;
    m->n_slices = (int32_t)((n_rows + m->slice_height - 1) / m->slice_height);
    RITZ_TRY(row_lengths(n_rows, row_start, length));
    m->n_blocks = row_start[n_rows];
    RITZ_TRY(lay_out(m, o.sort_window ? o.sort_window : plan->sort_window, length));
    RITZ_TRY(create_buffers(m, length));
    RITZ_TRY(ritz_matrix_send_columns(m, row_start, columns));
    RITZ_TRY(get_kernel(m, "product", &m->product));
    ritz_log("matrix: %d block rows of %d, %lld blocks in %lld slots, slices of %d rows, %d rows a work-item",
             m->n_rows, block, (long long)m->n_blocks, (long long)m->n_slots, m->slice_height, m->lanes);
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
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    RITZ_TRY(create_without_values(device, options, block, n_rows, row_start, columns, &m));
    RITZ_TRY(ritz_buffer_zero(m->values));
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

ritz_status ritz_matrix_create(ritz_device *device, const ritz_matrix_options *options, int block, int64_t n_rows,
                               const int64_t *row_start, const int32_t *columns, const double *values,
                               ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    RITZ_TRY(create_without_values(device, options, block, n_rows, row_start, columns, &m));
    if (values)
        RITZ_TRY(ritz_matrix_send_values(m, row_start, values));
    else
        RITZ_TRY(ritz_buffer_zero(m->values));
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

void ritz_matrix_destroy(ritz_matrix **matrix)
{
    if (!matrix || !*matrix)
        return;
    ritz_matrix *m = *matrix;
    ritz_buffer_destroy(&m->slice_start);
    ritz_buffer_destroy(&m->permutation);
    ritz_buffer_destroy(&m->row_slot);
    ritz_buffer_destroy(&m->columns);
    ritz_buffer_destroy(&m->values);
    ritz_buffer_destroy(&m->row_length);
    ritz_free(m->host_slice_start);
    ritz_free(m->host_permutation);
    ritz_free(m->host_row_slot);
    ritz_free(m);
    *matrix = NULL;
}

int64_t ritz_matrix_n_rows(const ritz_matrix *matrix)
{
    return (int64_t)matrix->n_rows * matrix->block;
}

int64_t ritz_matrix_nonzeros(const ritz_matrix *matrix)
{
    return matrix->n_blocks * matrix->block * matrix->block;
}

int64_t ritz_matrix_bytes(const ritz_matrix *matrix)
{
    return matrix->bytes;
}

int64_t ritz_matrix_product_bytes(const ritz_matrix *m)
{
    int64_t real = ritz_real_bytes(m->precision);
    return m->n_blocks * (4 + m->block * m->block * real) + 2 * ritz_matrix_n_rows(m) * real;
}

/* ---- Product and diagonal ---- */

ritz_status ritz_matrix_apply(const ritz_matrix *m, const ritz_buffer *x, ritz_buffer *y, double *seconds)
{
    ritz_status status = RITZ_OK;
    int64_t bytes = ritz_matrix_n_rows(m) * ritz_real_bytes(m->precision);
    RITZ_REQUIRE(ritz_buffer_bytes(x) >= bytes && ritz_buffer_bytes(y) >= bytes, RITZ_ERROR_INPUT,
                 "a product needs vectors of %lld bytes; x has %lld and y %lld", (long long)bytes,
                 (long long)ritz_buffer_bytes(x), (long long)ritz_buffer_bytes(y));
    const struct plan *plan = plan_of(m);
    int64_t n_packs = (int64_t)m->n_slices * (m->slice_height / m->lanes), run = 1;
    if (plan->items_per_unit > 0) {
        int64_t n_items = (int64_t)plan->items_per_unit * ritz_device_get_info(m->device)->compute_units;
        run = (n_packs + n_items - 1) / n_items;
    }
    int64_t group = ritz_min64(plan->group, ritz_kernel_work_group_size(m->product));
    ritz_range range = {.global = {ritz_round_up((n_packs + run - 1) / run, group)}, .local = {group}};
    RITZ_TRY(RITZ_LAUNCH(m->product, range, seconds, RITZ_INT((int32_t)n_packs), RITZ_INT((int32_t)run),
                         RITZ_BUFFER(m->slice_start), RITZ_BUFFER(m->permutation), RITZ_BUFFER(m->columns),
                         RITZ_BUFFER(m->values), RITZ_BUFFER(x), RITZ_BUFFER(y)));
done:
    return status;
}

ritz_status ritz_matrix_diagonal(const ritz_matrix *m, ritz_buffer *diagonal)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *kernel = NULL;
    int64_t bytes = ritz_matrix_n_rows(m) * ritz_real_bytes(m->precision);
    RITZ_REQUIRE(ritz_buffer_bytes(diagonal) >= bytes, RITZ_ERROR_INPUT,
                 "the diagonal needs a vector of %lld bytes, not %lld", (long long)bytes,
                 (long long)ritz_buffer_bytes(diagonal));
    RITZ_TRY(get_kernel(m, "diagonal", &kernel));
    int64_t group = ritz_min64(64, ritz_kernel_work_group_size(kernel));
    ritz_range range = {.global = {ritz_round_up(m->n_rows, group)}, .local = {group}};
    RITZ_TRY(RITZ_LAUNCH(kernel, range, NULL, RITZ_INT(m->n_rows), RITZ_BUFFER(m->row_slot), RITZ_BUFFER(m->row_length),
                         RITZ_BUFFER(m->columns), RITZ_BUFFER(m->values), RITZ_BUFFER(diagonal)));
done:
    return status;
}

ritz_status ritz_matrix_write_vector(const ritz_matrix *m, const double *from, ritz_buffer *to)
{
    int64_t n = ritz_matrix_n_rows(m);
    ritz_status status = RITZ_OK;
    float *narrow = NULL;
    if (m->precision == RITZ_F64)
        return ritz_buffer_write(to, 0, from, n * 8);
    RITZ_NEW(narrow, n);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    RITZ_TRY(ritz_buffer_write(to, 0, narrow, n * 4));
done:
    ritz_free(narrow);
    return status;
}

ritz_status ritz_matrix_read_vector(const ritz_matrix *m, const ritz_buffer *from, double *to)
{
    int64_t n = ritz_matrix_n_rows(m);
    ritz_status status = RITZ_OK;
    float *narrow = NULL;
    if (m->precision == RITZ_F64)
        return ritz_buffer_read(from, 0, to, n * 8);
    RITZ_NEW(narrow, n);
    RITZ_TRY(ritz_buffer_read(from, 0, narrow, n * 4));
    for (int64_t i = 0; i < n; i++)
        to[i] = (double)narrow[i];
done:
    ritz_free(narrow);
    return status;
}

ritz_status ritz_matrix_multiply(const ritz_matrix *matrix, const double *x, double *y)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *device_x = NULL, *device_y = NULL;
    int64_t bytes = ritz_matrix_n_rows(matrix) * ritz_real_bytes(matrix->precision);
    RITZ_TRY(ritz_buffer_create(matrix->device, bytes, "the vector x", &device_x));
    RITZ_TRY(ritz_buffer_create(matrix->device, bytes, "the vector y", &device_y));
    RITZ_TRY(ritz_matrix_write_vector(matrix, x, device_x));
    RITZ_TRY(ritz_matrix_apply(matrix, device_x, device_y, NULL));
    RITZ_TRY(ritz_matrix_read_vector(matrix, device_y, y));
done:
    ritz_buffer_destroy(&device_x);
    ritz_buffer_destroy(&device_y);
    return status;
}
