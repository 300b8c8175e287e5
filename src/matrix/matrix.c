/* Sparse matrices on the device: made from rows on the host, converted, multiplied. What is asked is checked here, and
   done by the matrix's storage. */
#include "matrix/storage.h"
#include "matrix/transfer.h"
#include "matrix/vector.h"

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
    RITZ_TRY(ritz_check_precision(o->precision));
    RITZ_REQUIRE(o->precision == RITZ_F32 || ritz_device_get_info(device)->has_f64, RITZ_ERROR_DEVICE,
                 "the device %s has no double precision; use precision f32", ritz_device_get_info(device)->name);
    RITZ_REQUIRE(o->values >= RITZ_VALUES_AS_VECTORS && o->values <= RITZ_VALUES_BF16, RITZ_ERROR_INPUT,
                 "value type %d does not exist; use one of ritz_value_type", (int)o->values);
    RITZ_REQUIRE(o->precision == RITZ_F64 || o->values != RITZ_VALUES_F64, RITZ_ERROR_INPUT,
                 "values in f64 with vectors in f32 are not supported; use precision f64");
done:
    return status;
}

/* By their numbers: a new one comes last, in ritz_matrix_storage, too. */
/* clang-format off */
#define LIST(entry)                                                                                                    \
    entry(RITZ_STORAGE_SLICES, slices)                                                                                 \
    entry(RITZ_STORAGE_SYMMETRIC, symmetric)
/* clang-format on */
#define DECLARE(number, name) extern const ritz_storage ritz_storage_##name;
#define POINT(number, name) [number] = &ritz_storage_##name,
LIST(DECLARE)
static const ritz_storage *const storages[] = {LIST(POINT)};
enum { N_STORAGES = sizeof storages / sizeof *storages };

const ritz_storage *ritz_storage_at(int number)
{
    return number >= 0 && number < N_STORAGES ? storages[number] : NULL;
}

static const ritz_storage *storage_of(const ritz_matrix_options *o)
{
    return storages[o->storage];
}

static ritz_status check_storage(const ritz_matrix_options *o)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE((unsigned)o->storage < N_STORAGES, RITZ_ERROR_INPUT,
                 "storage %d of matrices does not exist; use one of ritz_matrix_storage", (int)o->storage);
    RITZ_REQUIRE(
        storage_of(o)->has_slices ||
            (o->slice_height == 0 && o->sort_window == 0 && o->items_per_row <= 1 && !o->row_lengths),
        RITZ_ERROR_INPUT,
        "%s has slices, windows and items of its own; leave slice_height, sort_window, items_per_row and row_lengths "
        "at 0",
        storage_of(o)->name);
done:
    return status;
}

ritz_status ritz_matrix_check_options(const ritz_device *device, const ritz_matrix_options *o, int block,
                                      int64_t n_unknowns, int64_t n_scalar_columns)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(block >= 1 && block <= RITZ_BLOCK_MAX, RITZ_ERROR_INPUT,
                 "blocks of %d rows are not supported; use 1 to %d", block, RITZ_BLOCK_MAX);
    int64_t n_rows = (n_unknowns + block - 1) / block, n_columns = (n_scalar_columns + block - 1) / block;
    RITZ_REQUIRE(n_rows >= 1 && n_rows <= INT32_MAX - RITZ_SLICE_MAX, RITZ_ERROR_INPUT,
                 "a matrix of %lld block rows cannot be stored; use 1 to %d", (long long)n_rows,
                 INT32_MAX - RITZ_SLICE_MAX);
    RITZ_REQUIRE(n_columns >= 1 && n_columns <= INT32_MAX - RITZ_SLICE_MAX, RITZ_ERROR_INPUT,
                 "a matrix of %lld block columns cannot be stored; use 1 to %d", (long long)n_columns,
                 INT32_MAX - RITZ_SLICE_MAX);
    RITZ_TRY(check_format(o, n_rows));
    RITZ_TRY(check_precision(device, o));
    RITZ_TRY(check_storage(o));
done:
    return status;
}

/* length[n_rows] from row_start, checked. */
static ritz_status row_lengths(int64_t n_rows, int64_t n_columns, const int64_t *row_start, int32_t *length)
{
    int64_t bad = row_start[0] == 0 ? n_rows : 0;
#pragma omp parallel for schedule(static) reduction(min : bad) if (n_rows > RITZ_ROWS_FOR_THREADS)
    for (int64_t row = 0; row < n_rows; row++) {
        int64_t n = row_start[row + 1] - row_start[row];
        if (n < 0 || n > n_columns)
            bad = ritz_min64(bad, row);
        length[row] = (int32_t)n;
    }
    if (bad < n_rows)
        return ritz_fail(
            RITZ_ERROR_INPUT,
            "row_start is wrong at block row %lld: it starts at 0 and grows by at most %lld blocks per row",
            (long long)bad, (long long)n_columns);
    return RITZ_OK;
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
    ritz_matrix_options o;
    RITZ_TRY(ritz_take_struct(options, &o, sizeof o, "ritz_matrix_options"));
    const int64_t n_columns = o.n_columns ? o.n_columns : n_rows;
    RITZ_REQUIRE_POINTER(device);
    RITZ_REQUIRE_POINTER(row_start);
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_REQUIRE(n_rows >= 1 && n_rows <= INT32_MAX && n_columns >= 1 && n_columns <= INT32_MAX, RITZ_ERROR_INPUT,
                 "a matrix of %lld block rows and %lld block columns cannot be stored; use 1 to %d of each",
                 (long long)n_rows, (long long)n_columns, INT32_MAX - RITZ_SLICE_MAX);
    RITZ_REQUIRE(columns || row_start[n_rows] == 0, RITZ_ERROR_INPUT,
                 "ritz_matrix_create: 'columns' is NULL; it must be given where there are entries");
    RITZ_TRY(ritz_matrix_check_options(device, &o, block, n_rows * block, n_columns * block));
    RITZ_REQUIRE(storage_of(&o)->has_slices || values, RITZ_ERROR_INPUT,
                 "%s is made of values, not assembled into; assemble the whole matrix and convert it",
                 storage_of(&o)->name);
    if (o.slice_height > RITZ_SLICE_MAX || !storage_of(&o)->has_slices || ritz_value_bytes(ritz_value_type_of(&o)) < 4)
        return create_on_device(device, &o, block, n_rows, row_start, columns, values, matrix);
    RITZ_NEW(length, n_rows);
    RITZ_TRY(row_lengths(n_rows, n_columns, row_start, length));
    RITZ_TRY(ritz_matrix_from_lengths(device, &o, block, n_rows * block, n_columns * block, length, &m));
    RITZ_TRY(ritz_matrix_create_entries(m));
    RITZ_TRY(ritz_matrix_send_columns(m, row_start, columns));
    RITZ_TRY(ritz_matrix_compress_columns(m));
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

/* ---- Conversion ---- */

/* Whether what is asked for is `from` in the same storage with vectors that are no wider. */
static bool is_copy(const ritz_matrix *from, const ritz_matrix_options *o, int block)
{
    return from->storage == storage_of(o) && from->storage->copy && block == from->block && !o->drop_zeros &&
           ritz_real_bytes(o->precision) <= ritz_real_bytes(from->precision);
}

ritz_status ritz_matrix_convert_scaled(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                       const ritz_buffer *weight, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *whole = NULL;
    ritz_matrix_options o;
    RITZ_TRY(ritz_take_struct(options, &o, sizeof o, "ritz_matrix_options"));
    RITZ_TRY(ritz_matrix_check_options(from->device, &o, block, from->n_unknowns, from->n_scalar_columns));
    if (is_copy(from, &o, block))
        return from->storage->copy(from, &o, weight, matrix);
    if (from->storage->expand)
        RITZ_TRY(from->storage->expand(from, &whole));
    RITZ_TRY(storage_of(&o)->make(whole ? whole : from, &o, block, weight, matrix));
done:
    ritz_matrix_destroy(&whole);
    return status;
}

ritz_status ritz_matrix_convert(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(from);
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_TRY(ritz_matrix_convert_scaled(from, options, block, NULL, matrix));
done:
    return status;
}

ritz_matrix_options ritz_matrix_get_format(const ritz_matrix *m)
{
    ritz_matrix_options options = m->storage->format(m);
    options.precision = m->precision;
    options.values = m->value_type;
    return options;
}

bool ritz_matrix_has_format(const ritz_matrix *m, const ritz_matrix_options *o, int block)
{
    const ritz_matrix_options own = ritz_matrix_get_format(m);
    return m->block == block && own.storage == o->storage && own.precision == o->precision &&
           own.values == ritz_value_type_of(o) && own.slice_height == o->slice_height &&
           own.sort_window == o->sort_window && own.items_per_row == o->items_per_row &&
           own.row_lengths == o->row_lengths && !o->drop_zeros;
}

bool ritz_matrix_is_half(const ritz_matrix *m)
{
    return m->storage->half;
}

bool ritz_format_takes_slices(const ritz_matrix_options *o)
{
    return storage_of(o)->has_slices;
}

bool ritz_format_is_half(const ritz_matrix_options *o)
{
    return storage_of(o)->half;
}

ritz_status ritz_matrix_convert_half(const ritz_matrix *from, bool half, ritz_matrix **matrix)
{
    ritz_matrix_options options = {.precision = from->precision, .values = from->value_type};
    *matrix = NULL;
    if (from->storage->half == half)
        return RITZ_OK;
    while (storage_of(&options)->half != half)
        options.storage++;
    return ritz_matrix_convert(from, &options, from->block, matrix);
}

ritz_status ritz_matrix_copy_scaled(const ritz_matrix *from, ritz_precision precision, ritz_value_type values,
                                    bool same_slices, const ritz_buffer *weight, const ritz_buffer *factor,
                                    ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    ritz_matrix_options options = ritz_matrix_get_format(from);
    options.precision = precision;
    options.values = values;
    if (from->storage->share_scaled)
        RITZ_TRY(from->storage->share_scaled(from, &options, same_slices, weight, factor, &m));
    if (!m)
        RITZ_TRY(ritz_matrix_convert_scaled(from, &options, from->block, weight, &m));
    *matrix = m;
done:
    return status;
}

ritz_status ritz_matrix_share(const ritz_matrix *from, ritz_precision precision, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_matrix_create_like(from, precision, matrix));
    ritz_matrix_choose_sharing(*matrix);
done:
    return status;
}

ritz_status ritz_matrix_sort_rows(const ritz_matrix *from, ritz_matrix **matrix)
{
    *matrix = NULL;
    return from->storage->sort ? from->storage->sort(from, matrix) : RITZ_OK;
}

/* ---- Products ---- */

ritz_status ritz_matrix_count_partials(const ritz_matrix *m, const ritz_product *product, int64_t *n_partials)
{
    return m->storage->count_partials(m, ritz_product_is_scaled(product), n_partials);
}

static ritz_status check_vectors(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x,
                                 const ritz_buffer *y)
{
    ritz_status status = RITZ_OK;
    int64_t real = ritz_real_bytes(m->precision), x_bytes = m->n_scalar_columns * real, y_bytes = m->n_unknowns * real;
    RITZ_REQUIRE(ritz_buffer_bytes(x) >= x_bytes && ritz_buffer_bytes(y) >= y_bytes, RITZ_ERROR_INPUT,
                 "a product needs vectors of %lld and %lld bytes; x has %lld and y %lld", (long long)x_bytes,
                 (long long)y_bytes, (long long)ritz_buffer_bytes(x), (long long)ritz_buffer_bytes(y));
    RITZ_REQUIRE(x != y, RITZ_ERROR_INPUT, "a product cannot overwrite its x; give y a buffer of its own");
    RITZ_REQUIRE(p->gamma == 0 || (p->z && ritz_buffer_bytes(p->z) >= y_bytes), RITZ_ERROR_INPUT,
                 "a product with gamma needs a vector z of %lld bytes", (long long)y_bytes);
    RITZ_REQUIRE(!p->w || ritz_buffer_bytes(p->w) >= y_bytes, RITZ_ERROR_INPUT,
                 "the sums of a product need a vector w of %lld bytes", (long long)y_bytes);
    RITZ_REQUIRE(m->n_unknowns == m->n_scalar_columns || (p->delta == 0 && (p->w || !p->partial)), RITZ_ERROR_INPUT,
                 "delta, and sums without w, need a square matrix; this one has %lld rows and %lld columns",
                 (long long)m->n_unknowns, (long long)m->n_scalar_columns);
done:
    return status;
}

static ritz_status check_partials(const ritz_matrix *m, const ritz_product *p)
{
    ritz_status status = RITZ_OK;
    int64_t n_partials = 0;
    if (!p->partial)
        return RITZ_OK;
    RITZ_TRY(ritz_matrix_count_partials(m, p, &n_partials));
    const int64_t accum = ritz_device_get_info(m->device)->has_f64 ? 8 : 4,
                  bytes = RITZ_PRODUCT_SUMS * n_partials * accum;
    RITZ_REQUIRE(ritz_buffer_bytes(p->partial) >= bytes, RITZ_ERROR_INPUT,
                 "the sums of a product need %lld bytes; partial has %lld", (long long)bytes,
                 (long long)ritz_buffer_bytes(p->partial));
done:
    return status;
}

ritz_status ritz_matrix_product(const ritz_matrix *m, const ritz_product *p, const ritz_buffer *x, ritz_buffer *y,
                                double *seconds)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(check_vectors(m, p, x, y));
    RITZ_TRY(check_partials(m, p));
    RITZ_TRY(m->storage->product(m, p, x, y, seconds));
done:
    return status;
}

ritz_status ritz_matrix_apply(const ritz_matrix *m, const ritz_buffer *x, ritz_buffer *y, double *seconds)
{
    return ritz_matrix_product(m, &(ritz_product){.alpha = 1}, x, y, seconds);
}

ritz_status ritz_matrix_multiply(const ritz_matrix *m, const double *x, double *y)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *device_x = NULL, *device_y = NULL;
    RITZ_REQUIRE_POINTER(m);
    RITZ_REQUIRE_POINTER(x);
    RITZ_REQUIRE_POINTER(y);
    const int64_t real = ritz_real_bytes(m->precision);
    RITZ_TRY(ritz_buffer_create(m->device, m->n_scalar_columns * real, "the vector x", &device_x));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_unknowns * real, "the vector y", &device_y));
    RITZ_TRY(ritz_buffer_write_reals(device_x, m->precision, 0, x, m->n_scalar_columns));
    RITZ_TRY(ritz_matrix_apply(m, device_x, device_y, NULL));
    RITZ_TRY(ritz_matrix_read_vector(m, device_y, y));
done:
    ritz_buffer_destroy(&device_x);
    ritz_buffer_destroy(&device_y);
    return status;
}

ritz_status ritz_matrix_multiply_vectors(const ritz_matrix *m, const ritz_vector *x, ritz_vector *y)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *made_x = NULL, *made_y = NULL, *from = NULL, *to = NULL;
    RITZ_REQUIRE_POINTER(m);
    RITZ_TRY(ritz_vector_check(x, m->device, m->precision, m->n_scalar_columns, "x"));
    RITZ_TRY(ritz_vector_check(y, m->device, m->precision, m->n_unknowns, "y"));
    RITZ_TRY(ritz_vector_on_device(x, m->precision, true, &made_x, &from));
    RITZ_TRY(ritz_vector_on_device(y, m->precision, false, &made_y, &to));
    RITZ_TRY(ritz_matrix_apply(m, from, to, NULL));
    if (made_y) {
        const ritz_vector result = ritz_vector_lend(m->device, m->precision, y->n, to);
        RITZ_TRY(ritz_vector_copy(&result, y));
    }
done:
    ritz_buffer_destroy(&made_x);
    ritz_buffer_destroy(&made_y);
    return status;
}

ritz_status ritz_matrix_diagonal(const ritz_matrix *m, ritz_buffer *diagonal)
{
    ritz_status status = RITZ_OK;
    int64_t bytes = m->n_unknowns * ritz_real_bytes(m->precision);
    RITZ_REQUIRE(m->n_unknowns == m->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns has no diagonal", (long long)m->n_unknowns,
                 (long long)m->n_scalar_columns);
    RITZ_REQUIRE(ritz_buffer_bytes(diagonal) >= bytes, RITZ_ERROR_INPUT,
                 "the diagonal needs a vector of %lld bytes, not %lld", (long long)bytes,
                 (long long)ritz_buffer_bytes(diagonal));
    RITZ_TRY(m->storage->diagonal(m, diagonal));
done:
    return status;
}

ritz_status ritz_matrix_read_diagonal(const ritz_matrix *m, double *diagonal)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *buffer = NULL;
    RITZ_TRY(ritz_buffer_create(m->device, m->n_unknowns * ritz_real_bytes(m->precision), "the diagonal", &buffer));
    RITZ_TRY(ritz_matrix_diagonal(m, buffer));
    RITZ_TRY(ritz_matrix_read_vector(m, buffer, diagonal));
done:
    ritz_buffer_destroy(&buffer);
    return status;
}

int64_t ritz_matrix_product_bytes(const ritz_matrix *m)
{
    return m->storage->product_bytes(m);
}

ritz_status ritz_matrix_read(const ritz_matrix *m, const int64_t *row_start, double *values)
{
    return m->storage->read(m, row_start, values);
}
