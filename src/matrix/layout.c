/* The slices of a matrix: laid out from the lengths of its rows, shared between matrices that are alike, destroyed. */
#include "matrix/storage.h"

ritz_range ritz_matrix_range(const ritz_kernel *kernel, int64_t n)
{
    const int64_t group = ritz_min64(64, ritz_kernel_work_group_size(kernel));
    return (ritz_range){.global = {ritz_round_up(n, group)}, .local = {group}};
}

/* Slices from the sorted rows: starts, slots of each row, totals. */
static void cut_slices(ritz_matrix *m, const int32_t *length)
{
    int32_t S = m->slice_height;
#pragma omp parallel for schedule(static) if (m->n_rows > RITZ_ROWS_FOR_THREADS)
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
#pragma omp parallel for schedule(static) if (m->n_rows > RITZ_ROWS_FOR_THREADS)
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
#pragma omp parallel for schedule(static) reduction(+ : sum) reduction(min : shortest) reduction(max : longest) if (m->n_rows > RITZ_ROWS_FOR_THREADS)
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

/* Rows that would keep one work-item of a GPU busy while all others have ended, as the node of a rigid face. Where they are many,
   neighbours read them side by side. */
static void find_hubs(ritz_matrix *m, const int32_t *length)
{
    enum { LEAST = 1024, UNEVEN = 8, FEW = 64 }; /* blocks; over the average; rows */
    const int64_t most = ritz_max64(LEAST, UNEVEN * (m->n_blocks / ritz_max64(1, m->n_rows)));
    int32_t n_hubs = 0;
    for (int32_t row = 0; row < m->n_rows && m->longest_row > most; row++)
        n_hubs += length[row] > most;
    m->hub_length = n_hubs > 0 && n_hubs <= FEW ? (int32_t)most : 0;
}

static ritz_status fill_layout(ritz_matrix *m, int64_t window, const int32_t *length)
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
    find_hubs(m, length);
done:
    return status;
}

static int64_t value_bytes(const ritz_matrix *m)
{
    return m->n_slots * m->block * m->block * ritz_value_bytes(m->value_type);
}

static ritz_status create_buffers(ritz_matrix *m, const int32_t *length)
{
    ritz_status status = RITZ_OK;
    int64_t n_positions = (int64_t)m->n_slices * m->slice_height;
    RITZ_TRY(ritz_buffer_create_from(m->device, m->host_slice_start, (m->n_slices + 1) * (int64_t)8,
                                     "the matrix slices", &m->slice_start));
    RITZ_TRY(
        ritz_buffer_create_from(m->device, m->host_permutation, n_positions * 4, "the matrix rows", &m->permutation));
    RITZ_TRY(ritz_buffer_create_from(m->device, m->host_row_slot, m->n_rows * (int64_t)8, "the matrix row starts",
                                     &m->row_slot));
    RITZ_TRY(
        ritz_buffer_create_from(m->device, length, m->n_rows * (int64_t)4, "the matrix row lengths", &m->row_length));
    m->bytes =
        value_bytes(m) + m->n_slots * 4 + (m->n_slices + 1) * (int64_t)8 + n_positions * 4 + m->n_rows * (int64_t)12;
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
    RITZ_NEW(m->kernels, 1);
    m->storage = &ritz_storage_slices;
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
    RITZ_TRY(fill_layout(m, window, length));
    ritz_matrix_choose_sharing(m);
    RITZ_TRY(create_buffers(m, length));
    ritz_log("matrix: %d block rows of %d, %lld blocks in %lld slots, slices of %d rows, %d rows per work-item",
             m->n_rows, block, (long long)m->n_blocks, (long long)m->n_slots, m->slice_height,
             m->items > 1 ? 1 : m->lanes);
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

ritz_status ritz_matrix_create_columns(ritz_matrix *m)
{
    return ritz_buffer_create(m->device, m->n_slots * 4, "the matrix columns", &m->columns);
}

ritz_status ritz_matrix_create_values(ritz_matrix *m)
{
    return ritz_buffer_create(m->device, value_bytes(m), "the matrix values", &m->values);
}

ritz_status ritz_matrix_create_entries(ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_matrix_create_values(m));
    RITZ_TRY(ritz_matrix_create_columns(m));
done:
    return status;
}

ritz_status ritz_matrix_create_like(const ritz_matrix *from, ritz_precision precision, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL, *like = NULL;
    RITZ_NEW(like, 1);
    RITZ_NEW(m, 1);
    *m = *like = *from;
    m->like = like;
    like = NULL;
    m->precision = precision;
    m->kernels = NULL;
    m->into_order = m->out_of_order = NULL;
    m->own = NULL;
    RITZ_NEW(m->kernels, 1);
    if (m->storage->share)
        RITZ_TRY(m->storage->share(from, m));
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    ritz_free(like);
    return status;
}

/* What `like` has stays, and is not looked at: it may be gone. */
static void destroy_buffers(ritz_matrix *m)
{
    const ritz_matrix none = {0}, *like = m->like ? m->like : &none;
    ritz_buffer **own[] = {&m->slice_start, &m->permutation, &m->row_slot,   &m->columns,
                           &m->values,      &m->row_length,  &m->compressed, &m->pages};
    const ritz_buffer *theirs[] = {like->slice_start, like->permutation, like->row_slot,   like->columns,
                                   like->values,      like->row_length,  like->compressed, like->pages};
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
    ritz_free(m->kernels);
    ritz_free(m->like);
    if (m->storage && m->storage->destroy)
        m->storage->destroy(m);
    ritz_free(m);
    *matrix = NULL;
}

ritz_status ritz_matrix_refuse_too_large(const ritz_buffer *flag)
{
    ritz_status status = RITZ_OK;
    int32_t too_large = 0;
    RITZ_TRY(ritz_buffer_read(flag, 0, &too_large, 4));
    RITZ_REQUIRE(!too_large, RITZ_ERROR_INPUT,
                 "the matrix has a value too large for the type it is to be stored in; scale it first, or take a wider "
                 "type");
done:
    return status;
}
