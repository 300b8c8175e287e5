/* Matrix Market files out. */
#include "base/fresh.h"
#include "market/market.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The scalar entry (row, column) of rows of blocks, NULL where there is none. */
static const double *find_entry(const ritz_rows *r, int64_t row, int64_t column)
{
    int b = r->block;
    int64_t low = r->row_start[row / b], high = r->row_start[row / b + 1], wanted = column / b;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (r->columns[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->row_start[row / b + 1] || r->columns[low] != wanted)
        return NULL;
    return &r->values[(low * b + row % b) * b + column % b];
}

/* Whether a file of this kind holds the entry: its own half of a symmetric matrix. */
static bool triangle_holds(const ritz_market_kind *kind, int64_t row, int64_t column)
{
    return kind->symmetry == RITZ_MARKET_GENERAL || row > column ||
           (row == column && kind->symmetry == RITZ_MARKET_SYMMETRIC);
}

static ritz_status check_entry(const ritz_market_kind *kind, const ritz_rows *r, int64_t row, int64_t column,
                               double value)
{
    ritz_status status = RITZ_OK;
    long long i = row + 1, j = column + 1;
    RITZ_REQUIRE(isfinite(value), RITZ_ERROR_INPUT, "entry (%lld, %lld) is %g; a file holds finite numbers", i, j,
                 value);
    RITZ_REQUIRE(kind->field != RITZ_MARKET_INTEGER || (value == rint(value) && fabs(value) <= 0x1p53),
                 RITZ_ERROR_INPUT, "entry (%lld, %lld) is %.17g, not a whole number up to 2^53; write a real file", i,
                 j, value);
    if (kind->symmetry != RITZ_MARKET_GENERAL) {
        const double *mirror = find_entry(r, column, row);
        double sign = kind->symmetry == RITZ_MARKET_SYMMETRIC ? 1 : -1;
        RITZ_REQUIRE(mirror && *mirror == sign * value, RITZ_ERROR_INPUT,
                     "the matrix is not %s: entry (%lld, %lld) is %.17g and its mirror %s%.17g; write a general file",
                     ritz_market_symmetry_names[kind->symmetry], i, j, value, mirror ? "" : "is missing, not ",
                     mirror ? *mirror : sign * value);
    }
done:
    return status;
}

static ritz_status check_kind(const ritz_market_kind *kind, const ritz_rows *r)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(kind->field >= RITZ_MARKET_REAL && kind->field <= RITZ_MARKET_PATTERN &&
                     kind->symmetry >= RITZ_MARKET_GENERAL && kind->symmetry <= RITZ_MARKET_SKEW_SYMMETRIC,
                 RITZ_ERROR_INPUT,
                 "field %d and symmetry %d are not both of ritz_market_field and ritz_market_symmetry",
                 (int)kind->field, (int)kind->symmetry);
    RITZ_REQUIRE(kind->symmetry == RITZ_MARKET_GENERAL || r->n_rows == r->n_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns cannot be %s; write a general file",
                 (long long)(r->n_rows * r->block), (long long)(r->n_columns * r->block),
                 ritz_market_symmetry_names[kind->symmetry]);
    RITZ_REQUIRE(kind->field != RITZ_MARKET_PATTERN || (!kind->array && kind->symmetry != RITZ_MARKET_SKEW_SYMMETRIC),
                 RITZ_ERROR_INPUT, "a pattern can be written neither as an array nor skew-symmetric");
done:
    return status;
}

/* Whether the arrays are block compressed rows at all. */
static ritz_status check_rows(const ritz_rows *r)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(r->block >= 1 && r->n_rows >= 1 && r->n_columns >= 1 && r->n_rows <= INT32_MAX / r->block &&
                     r->n_columns <= INT32_MAX / r->block,
                 RITZ_ERROR_INPUT,
                 "%lld rows and %lld columns of blocks of %d cannot be written; all are at least 1, and rows and "
                 "columns times the block at most %d",
                 (long long)r->n_rows, (long long)r->n_columns, r->block, INT32_MAX);
    RITZ_REQUIRE_POINTER(r->row_start);
    RITZ_REQUIRE(r->row_start[0] == 0, RITZ_ERROR_INPUT, "row_start begins with %lld; it must begin with 0",
                 (long long)r->row_start[0]);
    for (int64_t row = 0; row < r->n_rows; row++) {
        RITZ_REQUIRE(r->row_start[row + 1] >= r->row_start[row], RITZ_ERROR_INPUT,
                     "row_start decreases after block row %lld", (long long)row);
        RITZ_REQUIRE((r->columns && r->values) || r->row_start[row + 1] == 0, RITZ_ERROR_INPUT,
                     "block row %lld has entries, but '%s' is NULL", (long long)row, r->columns ? "values" : "columns");
        for (int64_t k = r->row_start[row]; k < r->row_start[row + 1]; k++)
            RITZ_REQUIRE(r->columns[k] > (k > r->row_start[row] ? r->columns[k - 1] : -1) &&
                             r->columns[k] < r->n_columns,
                         RITZ_ERROR_INPUT,
                         "block row %lld has column %d in the wrong place; columns are counted from 0, increase in a "
                         "row, and are less than %lld",
                         (long long)row, r->columns[k], (long long)r->n_columns);
    }
done:
    return status;
}

static ritz_status check_matrix(const ritz_market_kind *kind, const ritz_rows *r, int64_t *n_entries)
{
    ritz_status status = RITZ_OK;
    int64_t b = r->block, n = 0;
    RITZ_TRY(check_rows(r));
    RITZ_TRY(check_kind(kind, r));
    for (int64_t row = 0; row < r->n_rows * b; row++)
        for (int64_t k = r->row_start[row / b]; k < r->row_start[row / b + 1]; k++)
            for (int64_t c = 0; c < b; c++) {
                RITZ_TRY(check_entry(kind, r, row, r->columns[k] * b + c, r->values[(k * b + row % b) * b + c]));
                n += triangle_holds(kind, row, r->columns[k] * b + c);
            }
    *n_entries = n;
done:
    return status;
}

static void write_value(FILE *file, const ritz_market_kind *kind, double value)
{
    if (kind->field == RITZ_MARKET_INTEGER)
        fprintf(file, "%lld\n", (long long)value);
    else
        fprintf(file, "%.17g\n", value);
}

static void write_coordinates(FILE *file, const ritz_market_kind *kind, const ritz_rows *r)
{
    int64_t b = r->block;
    for (int64_t row = 0; row < r->n_rows * b; row++)
        for (int64_t k = r->row_start[row / b]; k < r->row_start[row / b + 1]; k++)
            for (int64_t c = 0; c < b; c++) {
                int64_t column = r->columns[k] * b + c;
                if (!triangle_holds(kind, row, column))
                    continue;
                fprintf(file, "%lld %lld", (long long)row + 1, (long long)column + 1);
                if (kind->field == RITZ_MARKET_PATTERN) {
                    fputc('\n', file);
                } else {
                    fputc(' ', file);
                    write_value(file, kind, r->values[(k * b + row % b) * b + c]);
                }
            }
}

static void write_array(FILE *file, const ritz_market_kind *kind, const ritz_rows *r)
{
    for (int64_t column = 0; column < r->n_columns * r->block; column++)
        for (int64_t row = 0; row < r->n_rows * r->block; row++)
            if (triangle_holds(kind, row, column)) {
                const double *value = find_entry(r, row, column);
                write_value(file, kind, value ? *value : 0);
            }
}

static void write_file(FILE *file, const ritz_market_kind *kind, const ritz_rows *r, int64_t n_entries)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
    if (plain)
        before = uselocale(plain);
    fprintf(file, "%%%%MatrixMarket matrix %s %s %s\n", kind->array ? "array" : "coordinate",
            ritz_market_field_names[kind->field], ritz_market_symmetry_names[kind->symmetry]);
    fprintf(file, "%lld %lld", (long long)(r->n_rows * r->block), (long long)(r->n_columns * r->block));
    if (kind->array) {
        fputc('\n', file);
        write_array(file, kind, r);
    } else {
        fprintf(file, " %lld\n", (long long)n_entries);
        write_coordinates(file, kind, r);
    }
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
}

/* A stream to the fresh file, which keeps its own descriptor. */
static ritz_status open_stream(const ritz_fresh *fresh, FILE **file)
{
    const int copy = fcntl(fresh->descriptor, F_DUPFD_CLOEXEC, 0);
    *file = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (*file)
        return RITZ_OK;
    const int why = errno;
    if (copy >= 0)
        close(copy);
    return ritz_fail_errno(fresh->path, why);
}

ritz_status ritz_market_write(const char *path, const ritz_market_kind *kind, const ritz_rows *rows)
{
    static const ritz_market_kind usual;
    ritz_status status = RITZ_OK;
    ritz_fresh fresh = {0};
    FILE *file = NULL;
    int64_t n_entries = 0;
    kind = kind ? kind : &usual;
    RITZ_REQUIRE_POINTER(path);
    RITZ_REQUIRE_POINTER(rows);
    RITZ_TRY(check_matrix(kind, rows, &n_entries));
    RITZ_TRY(ritz_fresh_create(path, 0, &fresh));
    RITZ_TRY(open_stream(&fresh, &file));
    errno = 0;
    write_file(file, kind, rows, n_entries);
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    if (failed)
        RITZ_TRY(ritz_fail_errno(path, errno));
    RITZ_TRY(ritz_fresh_finish(&fresh, -1));
done:
    ritz_fresh_drop(&fresh);
    return status;
}
