/* Formats by name, and what a format makes of a matrix in numbers. */
#include "matrix/storage.h"

/* The usual formats as values of the one structure. The vector kernel of CSR gives a row 32 work-items, a warp, as the
   Zhang and Zhang (2013) have it. */
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
    {"sbell-symmetric", true, {.storage = RITZ_STORAGE_SYMMETRIC}},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const char *ritz_format_name(int number)
{
    return number >= 0 && number < N_FORMATS ? formats[number].name : NULL;
}

ritz_status ritz_format_from_name(const char *name, ritz_matrix_options *options, bool *blocked)
{
    ritz_status status = RITZ_OK;
    const char *names[N_FORMATS];
    int number = 0;
    RITZ_REQUIRE_POINTER(name);
    RITZ_REQUIRE_POINTER(options);
    RITZ_REQUIRE_POINTER(blocked);
    for (int f = 0; f < N_FORMATS; f++)
        names[f] = formats[f].name;
    RITZ_TRY(ritz_find_name(&(ritz_name_table){.what = "format", .names = names, .n = N_FORMATS}, name, &number));
    const ritz_matrix_options *made = &formats[number].options;
    options->slice_height = made->slice_height;
    options->sort_window = made->sort_window;
    options->items_per_row = made->items_per_row;
    options->row_lengths = made->row_lengths;
    options->storage = made->storage;
    *blocked = formats[number].blocked;
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

ritz_matrix_statistics ritz_matrix_get_statistics(const ritz_matrix *m)
{
    if (!m)
        return (ritz_matrix_statistics){0};
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
