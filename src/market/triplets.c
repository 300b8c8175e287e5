/* Compressed rows from entries in any order: two stable counting sorts, first by column, then by row. */
#include "market/market.h"

void ritz_triplets_free(ritz_triplets *t)
{
    ritz_free(t->row);
    ritz_free(t->column);
    ritz_free(t->value);
    *t = (ritz_triplets){0};
}

/* Entry k or, for mirror = 1, its mirror image; false where there is none. */
static bool read_entry(const ritz_triplets *t, ritz_market_symmetry symmetry, bool drop_zeros, int64_t k, int mirror,
                       int32_t *row, int32_t *column, double *value)
{
    *row = mirror ? t->column[k] : t->row[k];
    *column = mirror ? t->row[k] : t->column[k];
    *value = mirror && symmetry == RITZ_MARKET_SKEW_SYMMETRIC ? -t->value[k] : t->value[k];
    return (!mirror || (symmetry != RITZ_MARKET_GENERAL && *row != *column)) && !(drop_zeros && *value == 0);
}

/* Entries by column: column_start[n_columns + 1], and row and value of each. */
typedef struct columns {
    int64_t *start;
    int32_t *row;
    double *value;
} columns;

static ritz_status sort_by_column(const ritz_triplets *t, ritz_market_symmetry symmetry, bool drop_zeros, columns *c)
{
    ritz_status status = RITZ_OK;
    int32_t row, column;
    double value;
    RITZ_NEW(c->start, t->n_columns + 2); /* one further on, so that filling moves the starts into place */
    for (int64_t k = 0; k < t->n; k++)
        for (int mirror = 0; mirror < 2; mirror++)
            if (read_entry(t, symmetry, drop_zeros, k, mirror, &row, &column, &value))
                c->start[column + 2]++;
    for (int64_t i = 0; i < t->n_columns; i++)
        c->start[i + 2] += c->start[i + 1];
    int64_t total = c->start[t->n_columns + 1];
    RITZ_NEW(c->row, total);
    RITZ_NEW(c->value, total);
    for (int64_t k = 0; k < t->n; k++)
        for (int mirror = 0; mirror < 2; mirror++)
            if (read_entry(t, symmetry, drop_zeros, k, mirror, &row, &column, &value)) {
                int64_t at = c->start[column + 1]++;
                c->row[at] = row;
                c->value[at] = value;
            }
done:
    return status;
}

/* Moves rows together after doubles were added up; filled[row] entries are left of each. */
static void compact_rows(ritz_rows *r, const int64_t *filled)
{
    int64_t at = 0;
    for (int64_t row = 0; row < r->n_rows; row++) {
        int64_t from = r->row_start[row];
        r->row_start[row] = at;
        for (int64_t k = 0; k < filled[row]; k++, at++) {
            r->columns[at] = r->columns[from + k];
            r->values[at] = r->values[from + k];
        }
    }
    r->row_start[r->n_rows] = at;
}

static ritz_status sort_by_row(const columns *c, ritz_rows *r)
{
    ritz_status status = RITZ_OK;
    int64_t *filled = NULL, total = c->start[r->n_columns];
    RITZ_NEW(filled, r->n_rows);
    RITZ_NEW(r->row_start, r->n_rows + 1);
    RITZ_NEW(r->columns, total);
    RITZ_NEW(r->values, total);
    for (int64_t k = 0; k < total; k++)
        r->row_start[c->row[k] + 1]++;
    for (int64_t row = 0; row < r->n_rows; row++)
        r->row_start[row + 1] += r->row_start[row];
    for (int64_t column = 0; column < r->n_columns; column++)
        for (int64_t k = c->start[column]; k < c->start[column + 1]; k++) {
            int32_t row = c->row[k];
            int64_t at = r->row_start[row] + filled[row];
            if (filled[row] > 0 && r->columns[at - 1] == column) {
                r->values[at - 1] += c->value[k];
                continue;
            }
            r->columns[at] = (int32_t)column;
            r->values[at] = c->value[k];
            filled[row]++;
        }
    compact_rows(r, filled);
done:
    ritz_free(filled);
    return status;
}

ritz_status ritz_rows_from_triplets(const ritz_triplets *t, ritz_market_symmetry symmetry, bool drop_zeros,
                                    ritz_rows **rows)
{
    ritz_status status = RITZ_OK;
    ritz_rows *r = NULL;
    columns c = {0};
    RITZ_TRY(sort_by_column(t, symmetry, drop_zeros, &c));
    RITZ_TRY(ritz_check_interrupt());
    RITZ_NEW(r, 1);
    r->block = 1;
    r->n_rows = t->n_rows;
    r->n_columns = t->n_columns;
    RITZ_TRY(sort_by_row(&c, r));
    *rows = r;
    r = NULL;
done:
    ritz_free(c.start);
    ritz_free(c.row);
    ritz_free(c.value);
    ritz_rows_destroy(&r);
    return status;
}
