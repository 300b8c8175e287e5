/* Block compressed rows on the host: a matrix made of them, and read back as them. */
#include "matrix/matrix.h"
#include "matrix/storage.h"

#include <string.h>

void ritz_rows_destroy(ritz_rows **rows)
{
    if (!rows || !*rows)
        return;
    ritz_free((*rows)->row_start);
    ritz_free((*rows)->columns);
    ritz_free((*rows)->values);
    ritz_free(*rows);
    *rows = NULL;
}

ritz_status ritz_matrix_create_from_rows(ritz_device *device, const ritz_matrix_options *options, const ritz_rows *rows,
                                         ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix_options o;
    RITZ_TRY(ritz_take_struct(options, &o, sizeof o, "ritz_matrix_options"));
    RITZ_REQUIRE_POINTER(rows);
    RITZ_REQUIRE_POINTER(rows->values);
    o.n_columns = rows->n_columns;
    RITZ_TRY(ritz_matrix_create(device, &o, rows->block, rows->n_rows, rows->row_start, rows->columns, rows->values,
                                matrix));
done:
    return status;
}

/* Slices of one row without sorting are the rows themselves. */
ritz_status ritz_matrix_get_rows(const ritz_matrix *matrix, int block, ritz_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *plain = NULL;
    ritz_rows *r = NULL;
    ritz_matrix_options o = {.slice_height = 1, .sort_window = 1};
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_REQUIRE_POINTER(rows);
    o.precision = matrix->value_type == RITZ_VALUES_F64 ? RITZ_F64 : RITZ_F32;
    RITZ_TRY(ritz_matrix_convert(matrix, &o, block, &plain));
    RITZ_NEW(r, 1);
    r->block = block;
    r->n_rows = plain->n_rows;
    r->n_columns = plain->n_columns;
    RITZ_NEW(r->row_start, r->n_rows + 1);
    memcpy(r->row_start, plain->host_slice_start, (size_t)(r->n_rows + 1) * sizeof *r->row_start);
    RITZ_NEW(r->columns, plain->n_blocks);
    RITZ_NEW(r->values, plain->n_blocks * block * block);
    RITZ_TRY(ritz_buffer_read(plain->columns, 0, r->columns, plain->n_blocks * 4));
    RITZ_TRY(ritz_buffer_read_reals(plain->values, plain->precision, 0, r->values, plain->n_blocks * block * block));
    *rows = r;
    r = NULL;
done:
    ritz_rows_destroy(&r);
    ritz_matrix_destroy(&plain);
    return status;
}
