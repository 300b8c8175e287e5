/* Matrices into arrays of the caller's: compressed rows and coordinates. */
#include "matrix/matrix.h"

#include <string.h>

static void put_index(ritz_index_type type, void *indices, int64_t at, int64_t value)
{
    if (type == RITZ_INDEX_I64)
        ((int64_t *)indices)[at] = value;
    else
        ((int32_t *)indices)[at] = (int32_t)value;
}

/* What both take: the scalar rows, checked against the room there is. */
static ritz_status get_rows(const ritz_matrix *matrix, ritz_index_type type, int64_t room, ritz_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_rows *r = NULL;
    RITZ_REQUIRE(type == RITZ_INDEX_I32 || type == RITZ_INDEX_I64, RITZ_ERROR_INPUT,
                 "indices of type %d do not exist; use RITZ_INDEX_I32 or RITZ_INDEX_I64", (int)type);
    RITZ_TRY(ritz_matrix_get_rows(matrix, 1, &r));
    const int64_t n = r->row_start[r->n_rows];
    RITZ_REQUIRE(room >= n, RITZ_ERROR_INPUT, "the matrix has %lld entries, and the arrays have room for %lld",
                 (long long)n, (long long)room);
    RITZ_REQUIRE(type == RITZ_INDEX_I64 || n <= INT32_MAX, RITZ_ERROR_INPUT,
                 "the matrix has %lld entries, too many for indices of 32 bits; use RITZ_INDEX_I64", (long long)n);
    *rows = r;
    r = NULL;
done:
    ritz_rows_destroy(&r);
    return status;
}

static void put_entries(ritz_index_type type, const ritz_rows *r, void *columns, double *values)
{
    const int64_t n = r->row_start[r->n_rows];
    for (int64_t k = 0; k < n; k++)
        put_index(type, columns, k, r->columns[k]);
    memcpy(values, r->values, sizeof(double) * (size_t)n);
}

ritz_status ritz_matrix_get_csr(const ritz_matrix *matrix, ritz_index_type type, int64_t room, void *row_start,
                                void *columns, double *values, int64_t *n)
{
    ritz_status status = RITZ_OK;
    ritz_rows *r = NULL;
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_REQUIRE_POINTER(row_start);
    RITZ_REQUIRE_POINTER(columns);
    RITZ_REQUIRE_POINTER(values);
    RITZ_REQUIRE_POINTER(n);
    RITZ_TRY(get_rows(matrix, type, room, &r));
    for (int64_t row = 0; row <= r->n_rows; row++)
        put_index(type, row_start, row, r->row_start[row]);
    put_entries(type, r, columns, values);
    *n = r->row_start[r->n_rows];
done:
    ritz_rows_destroy(&r);
    return status;
}

ritz_status ritz_matrix_get_coo(const ritz_matrix *matrix, ritz_index_type type, int64_t room, void *rows,
                                void *columns, double *values, int64_t *n)
{
    ritz_status status = RITZ_OK;
    ritz_rows *r = NULL;
    RITZ_REQUIRE_POINTER(matrix);
    RITZ_REQUIRE_POINTER(rows);
    RITZ_REQUIRE_POINTER(columns);
    RITZ_REQUIRE_POINTER(values);
    RITZ_REQUIRE_POINTER(n);
    RITZ_TRY(get_rows(matrix, type, room, &r));
    for (int64_t row = 0; row < r->n_rows; row++)
        for (int64_t k = r->row_start[row]; k < r->row_start[row + 1]; k++)
            put_index(type, rows, k, row);
    put_entries(type, r, columns, values);
    *n = r->row_start[r->n_rows];
done:
    ritz_rows_destroy(&r);
    return status;
}
