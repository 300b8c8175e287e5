/* Formats by name, and what a format makes of a matrix in numbers. */
#include "matrix/storage.h"

/* The usual formats as values of slices, which the storages with a format of their own follow. The vector kernel of CSR
   gives a row 32 work-items, a warp, as Zhang and Zhang (2013) have it. */
static const struct format {
    const char *name;
    bool blocked;
    ritz_matrix_options options;
} formats[] = {
    {"csr", false, {.slice_height = 1, .sort_window = 1}},
    {"csr-vector", false, {.slice_height = 1, .sort_window = 1, .items_per_row = 32}},
    {"bcsr", true, {.slice_height = 1, .sort_window = 1}},
    {"ellpack", false, {.slice_height = RITZ_ALL_ROWS, .sort_window = 1}},
    {"ellpack-r", false, {.slice_height = RITZ_ALL_ROWS, .sort_window = 1, .row_lengths = true}},
    {"sell", false, {.slice_height = 0}},
    {"bellpack", true, {.slice_height = RITZ_ALL_ROWS, .sort_window = 1}},
    {"sbell", true, {.slice_height = 0}},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* Format number i; no name past the last. */
static struct format find_format(int i)
{
    if (i >= 0 && i < N_FORMATS)
        return formats[i];
    for (int s = 0, n = N_FORMATS; i >= 0 && ritz_storage_at(s); s++)
        if (ritz_storage_at(s)->format_name && n++ == i)
            return (struct format){ritz_storage_at(s)->format_name, true, {.storage = (ritz_matrix_storage)s}};
    return (struct format){0};
}

const char *ritz_format_name(int number)
{
    return find_format(number).name;
}

ritz_status ritz_format_from_name(const char *name, ritz_matrix_options *options, bool *blocked)
{
    ritz_status status = RITZ_OK;
    enum { MOST = 32 };
    const char *names[MOST];
    int number = 0, n = 0;
    RITZ_REQUIRE_POINTER(name);
    RITZ_REQUIRE_POINTER(options);
    RITZ_REQUIRE_POINTER(blocked);
    for (; n < MOST && ritz_format_name(n); n++)
        names[n] = ritz_format_name(n);
    RITZ_TRY(ritz_find_name(&(ritz_name_table){.what = "format", .names = names, .n = n}, name, &number));
    const struct format format = find_format(number);
    options->slice_height = format.options.slice_height;
    options->sort_window = format.options.sort_window;
    options->items_per_row = format.options.items_per_row;
    options->row_lengths = format.options.row_lengths;
    options->storage = format.options.storage;
    *blocked = format.blocked;
done:
    return status;
}

int64_t ritz_matrix_n_rows(const ritz_matrix *matrix)
{
    return matrix ? matrix->n_unknowns : 0;
}

int64_t ritz_matrix_n_columns(const ritz_matrix *matrix)
{
    return matrix ? matrix->n_scalar_columns : 0;
}

int64_t ritz_matrix_nonzeros(const ritz_matrix *matrix)
{
    return matrix ? matrix->n_nonzeros : 0;
}

int64_t ritz_matrix_bytes(const ritz_matrix *matrix)
{
    return matrix ? matrix->bytes : 0;
}

/* Of a matrix that is there. */
static ritz_matrix_statistics count_entries(const ritz_matrix *m)
{
    int64_t stored = m->n_slots * m->block * m->block;
    return (ritz_matrix_statistics){
        .n_rows = m->n_unknowns,
        .n_columns = m->n_scalar_columns,
        .nonzeros = m->n_nonzeros,
        .blocks = m->n_blocks,
        .stored = stored,
        .factor = m->n_nonzeros > 0 ? (double)stored / (double)m->n_nonzeros : 1,
        .shortest_row = m->shortest_row,
        .longest_row = m->longest_row,
        .mean_row = (double)m->n_blocks / m->n_rows,
        .slices = m->n_slices,
        .bytes = m->bytes,
        .product_bytes = ritz_matrix_product_bytes(m),
    };
}

ritz_status ritz_matrix_get_statistics(const ritz_matrix *matrix, ritz_matrix_statistics *statistics)
{
    ritz_status status = RITZ_OK;
    ritz_matrix_statistics own;
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_REQUIRE_POINTER(statistics);
    RITZ_TRY(ritz_take_struct(statistics, &own, sizeof own, "ritz_matrix_statistics"));
    own = count_entries(matrix);
    ritz_give_struct(&own, sizeof own, statistics);
done:
    return status;
}
