/* Products of two sparse matrices in block compressed rows: kernels/block_columns.cl and block_product.cl tell how. */
#include "device/tuning.h"
#include "matrix/block_rows.h"
#include "matrix/storage.h"

#include <math.h>
#include <stdio.h>

/* Places of a table: at first no more than the first of these, then four times as many until a row's columns fit. */
enum { FIRST_TABLE_MOST = 512, LEAST_TABLE = 32, TABLE_THREADS = 32 };
enum { TABLES_BYTES = 64 << 20 }; /* of tables in global memory */
/* Rows of so few columns are not gathered twice, if A's have so many on average; nor are longer ones where all together take no more than
   the bytes. */
enum { SHORT_LEAST = 8, SHORT_MOST = 24, SHORT_BYTES = 8 << 20 };
/* Of A P: how many pieces, and that none has more bytes than that part of A's values, or than PIECE_LEAST. */
enum { PIECES_MOST = 256, PIECE_PART = 2, PIECE_LEAST = 1 << 20 };
enum { UNEVEN = 8 }; /* a hub's row over the average */

int32_t ritz_block_rows_even_length(const ritz_block_rows *rows)
{
    return (int32_t)ritz_min64(INT32_MAX, UNEVEN * (rows->n_blocks / ritz_max64(1, rows->n_rows) + 1));
}

static int32_t most_blocks(const ritz_block_rows *a)
{
    return a->most > 0 ? a->most : INT32_MAX;
}

/* ---- Columns ---- */

/* Tables of the columns of a row: how many numbers, where, whose. */
typedef struct column_tables {
    int64_t places, room; /* of the table: a power of two, or all columns; with a list behind it */
    ritz_row_threads threads;
    bool local;
    ritz_range range;
    ritz_buffer *buffer; /* NULL where they are local */
} column_tables;

/* A power of two of places that `n` columns fill to three quarters at most. */
static int64_t count_places(int64_t n)
{
    int64_t places = LEAST_TABLE;
    while (places * 3 / 4 < n)
        places *= 2;
    return places;
}

/* Tables of `room` numbers for the groups of a range, which become fewer where there are too many for that. Groups of a CPU start
   anew on each run of rows, others on each row. *tables: earlier ones, which are taken if they suffice, or NULL. */
static ritz_status make_tables(const ritz_block_rows *a, ritz_row_threads threads, int64_t room, ritz_range *range,
                               ritz_buffer **tables)
{
    const int64_t group = ritz_max64(1, range->local[0]); /* no range has groups of none */
    const int64_t least = threads.per_row == 1 ? ritz_device_get_info(a->device)->compute_units : 1;
    const int64_t bytes = 4 * ritz_max64(1, room); /* a product may have no columns */
    const int64_t groups = ritz_min64(range->global[0] / group, ritz_max64(least, TABLES_BYTES / bytes));
    range->global[0] = groups * group;
    if (*tables && ritz_buffer_bytes(*tables) >= groups * bytes)
        return RITZ_OK;
    ritz_buffer_destroy(tables);
    return ritz_buffer_create(a->device, groups * bytes, "the columns of a sparse product", tables);
}

/* For the n_columns columns that there are, or `places` of a row's. */
static ritz_status place_tables(const ritz_block_rows *a, int64_t n_columns, int64_t places, int64_t list,
                                column_tables *t)
{
    ritz_status status = RITZ_OK;
    *t = (column_tables){.threads = ritz_row_threads_for(a->device, TABLE_THREADS, 0)};
    const bool is_shared = t->threads.per_row > 1;
    t->places = is_shared ? places : n_columns;
    t->room = t->places + list;
    t->local = is_shared && t->room * 4 <= ritz_device_get_info(a->device)->local_memory / 2;
    t->range = ritz_row_range(a->device, t->threads, a->n_rows);
    if (!t->local)
        RITZ_TRY(make_tables(a, t->threads, t->room, &t->range, &t->buffer));
    if (!is_shared)
        RITZ_TRY(ritz_buffer_zero(t->buffer));
done:
    return status;
}

static ritz_status launch_columns(const ritz_block_rows *a, const ritz_block_rows *b, const column_tables *t,
                                  const char *name, const ritz_argument *last, int n_last)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *kernel = NULL;
    ritz_argument arguments[13] = {
        RITZ_INT(a->n_rows),
        RITZ_INT((int32_t)t->places - 1),
        RITZ_INT((int32_t)t->room),
        RITZ_INT(most_blocks(a)),
        RITZ_BUFFER(a->row_start),
        RITZ_BUFFER(a->columns),
        RITZ_BUFFER(b->row_start),
        RITZ_BUFFER(b->columns),
        t->local ? RITZ_LOCAL(t->room * 4) : RITZ_BUFFER(t->buffer),
    };
    for (int i = 0; i < n_last; i++)
        arguments[9 + i] = last[i];
    RITZ_TRY(ritz_row_kernel(a->device, RITZ_F32, "matrix/kernels/block_columns.cl", t->threads,
                             t->local ? "-DTABLE_LOCAL=1" : "-DTABLE_LOCAL=0", name, &kernel));
    RITZ_TRY(ritz_launch(kernel, t->range, arguments, 9 + n_last, NULL));
done:
    return status;
}

/* Columns of rows that are kept from counting them until they are written. */
typedef struct short_rows {
    int32_t most;
    ritz_buffer *buffer; /* int32 [n_rows][most] */
} short_rows;

/* For rows no longer than A's on average: of products with smoothed prolongators hardly any is longer. */
static ritz_status make_short_rows(const ritz_block_rows *a, short_rows *kept)
{
    const int64_t n_rows = ritz_max64(1, a->n_rows), most = ritz_max64(SHORT_MOST, SHORT_BYTES / (4 * n_rows));
    kept->most = (int32_t)ritz_max64(SHORT_LEAST, ritz_min64(most, a->n_blocks / n_rows + 1));
    return ritz_buffer_create(a->device, (int64_t)a->n_rows * kept->most * 4, "the columns of a sparse product",
                              &kept->buffer);
}

/* counts[a->n_rows]: blocks of the product's rows. */
static ritz_status count_columns(const ritz_block_rows *a, const ritz_block_rows *b, ritz_buffer *counts,
                                 short_rows *kept)
{
    ritz_status status = RITZ_OK;
    const int64_t most = ritz_min64(b->n_columns, a->longest * (int64_t)b->longest);
    column_tables t = {0};
    int64_t places = ritz_min64(count_places(most), FIRST_TABLE_MOST), total;
    for (int32_t longest = INT32_MAX, again = 0; longest == INT32_MAX; places *= 4, again = 1) {
        const ritz_argument last[] = {RITZ_INT(again), RITZ_INT(kept->most), RITZ_BUFFER(kept->buffer),
                                      RITZ_BUFFER(counts)};
        RITZ_TRY(place_tables(a, b->n_columns, places, kept->most, &t));
        RITZ_TRY(launch_columns(a, b, &t, "count_columns", last, 4));
        RITZ_TRY(ritz_row_starts(a->device, a->n_rows, counts, NULL, &total, &longest));
        ritz_buffer_destroy(&t.buffer);
    }
done:
    ritz_buffer_destroy(&t.buffer);
    return status;
}

static ritz_status fill_columns(const ritz_block_rows *a, const ritz_block_rows *b, const short_rows *kept,
                                ritz_block_rows *c)
{
    ritz_status status = RITZ_OK;
    const ritz_argument last[] = {RITZ_INT(kept->most), RITZ_BUFFER(kept->buffer), RITZ_BUFFER(c->row_start),
                                  RITZ_BUFFER(c->columns)};
    column_tables t = {0};
    RITZ_TRY(place_tables(a, b->n_columns, count_places(c->longest), c->longest, &t));
    RITZ_TRY(launch_columns(a, b, &t, "fill_columns", last, 4));
done:
    ritz_buffer_destroy(&t.buffer);
    return status;
}

ritz_status ritz_block_rows_multiply_pattern(const ritz_block_rows *a, const ritz_block_rows *b, ritz_block_rows **c)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *counts = NULL;
    ritz_block_rows *product = NULL;
    short_rows kept = {0};
    RITZ_TRY(ritz_buffer_create(a->device, a->n_rows * (int64_t)4, "the row lengths of a sparse product", &counts));
    RITZ_TRY(make_short_rows(a, &kept));
    RITZ_TRY(count_columns(a, b, counts, &kept));
    RITZ_TRY(ritz_block_rows_create_pattern(a->device, a->precision, a->height, b->width, a->n_rows, b->n_columns,
                                            counts, &product));
    RITZ_TRY(fill_columns(a, b, &kept, product));
    *c = product;
    product = NULL;
done:
    ritz_buffer_destroy(&counts);
    ritz_buffer_destroy(&kept.buffer);
    ritz_block_rows_destroy(&product);
    return status;
}

/* ---- Values ---- */

/* How a product's rows are shared, and what of local memory each group takes. */
typedef struct product_plan {
    ritz_row_threads threads;
    int columns;              /* of a block that a work-item takes */
    bool is_shared;           /* a row among work-items; else its table has a place for each column, in global memory */
    int64_t places, sums;     /* of a row's table, 0: none; bytes of its sums, 0: in place */
    int64_t tables, all_sums; /* bytes of a group in local memory */
} product_plan;

/* Of sums: that of the widest values. */
static ritz_precision sum_precision(const ritz_block_rows *a, const ritz_block_rows *b, const ritz_block_rows *c)
{
    return a->precision == RITZ_F64 || b->precision == RITZ_F64 || c->precision == RITZ_F64 ? RITZ_F64 : RITZ_F32;
}

static int is_narrow(const ritz_block_rows *rows, ritz_precision sums)
{
    return sums == RITZ_F64 && rows->precision == RITZ_F32;
}

/* For rows of C of up to `longest` blocks. */
static product_plan plan_product(const ritz_block_rows *a, const ritz_block_rows *b, const ritz_block_rows *c,
                                 int32_t longest)
{
    const int at_once = (int)ritz_device_tuned(a->device, RITZ_BLOCK_ROWS_COLUMNS);
    const double row = (double)b->n_blocks / (double)ritz_max64(1, b->n_rows); /* of B, on average */
    product_plan p = {.columns = at_once > 0 && b->width % at_once == 0 ? at_once : b->width};
    p.threads = ritz_row_threads_for(a->device, row * b->width / p.columns,
                                     (int)ritz_device_tuned(a->device, RITZ_BLOCK_ROWS_GROUP));
    p.is_shared = p.threads.per_row > 1;
    p.places = p.is_shared ? count_places(longest) : c->n_columns;
    p.sums = (int64_t)longest * c->height * c->width * ritz_real_bytes(sum_precision(a, b, c));
    if (p.is_shared && p.places * 8 * p.threads.rows > ritz_device_get_info(a->device)->local_memory / 4)
        p.places = 0;
    if (p.sums * p.threads.rows > (int64_t)ritz_device_tuned(a->device, RITZ_BLOCK_ROWS_SUMS_BYTES))
        p.sums = 0;
    p.tables = ritz_max64(4, p.places * 8 * p.threads.rows);
    p.all_sums = ritz_max64(8, p.sums * p.threads.rows);
    return p;
}

/* Which rows of A and B C = A B, or a piece of it, is made of: see kernels/block_product.cl. */
typedef struct product_piece {
    int32_t n_rows, first, last;
    int64_t before;
    const ritz_buffer *slot; /* NULL: A is not turned */
    ritz_buffer *tables;     /* of CPUs, for one piece after the other; NULL until they are needed */
} product_piece;

#define ROWS(r, values) RITZ_BUFFER((r)->row_start), RITZ_BUFFER((r)->columns), RITZ_BUFFER(values)

/* Its rows with more than `above` blocks, and up to `longest`. */
static ritz_status multiply_rows(const ritz_block_rows *a, const ritz_buffer *a_values, const ritz_block_rows *b,
                                 const ritz_buffer *b_values, const ritz_block_rows *c, const ritz_buffer *c_values,
                                 product_piece *piece, int32_t above, int32_t longest)
{
    ritz_status status = RITZ_OK;
    char options[200];
    ritz_kernel *multiply = NULL;
    const ritz_precision sums = sum_precision(a, b, c);
    const product_plan p = plan_product(a, b, c, longest);
    const ritz_buffer *slot = piece->slot ? piece->slot : a->row_slot;
    const int slice = a->in_slices ? a->slice_height : 0;
    snprintf(options, sizeof options,
             "-DTABLE_LOCAL=%d -DHASHED=%d -DSUMS_LOCAL=%d -DHEIGHT=%d -DINNER=%d -DWIDTH=%d -DCOLUMNS=%d -DTURNED=%d "
             "-DSLICE=%d -DA_SINGLE=%d -DB_SINGLE=%d -DC_SINGLE=%d",
             p.is_shared, p.places > 0, p.sums > 0, a->height, a->width, b->width, p.columns, piece->slot != NULL,
             slice, is_narrow(a, sums), is_narrow(b, sums), is_narrow(c, sums));
    RITZ_TRY(ritz_row_kernel(a->device, sums, "matrix/kernels/block_product.cl", p.threads, options, "multiply_blocks",
                             &multiply));
    ritz_range range = ritz_row_range(a->device, p.threads, piece->n_rows);
    if (!p.is_shared)
        RITZ_TRY(make_tables(a, p.threads, p.places, &range, &piece->tables));
    const ritz_argument arguments[] = {
        RITZ_INT(piece->n_rows),
        RITZ_INT((int32_t)p.places - 1),
        RITZ_INT(above),
        RITZ_INT(longest),
        RITZ_INT(most_blocks(a)),
        RITZ_INT(piece->first),
        RITZ_INT(piece->last),
        RITZ_LONG(piece->before),
        ROWS(a, a_values),
        ROWS(b, b_values),
        ROWS(c, c_values),
        p.is_shared ? RITZ_LOCAL(p.tables) : RITZ_BUFFER(piece->tables),
        RITZ_LOCAL(p.all_sums),
        RITZ_BUFFER(slot),
        RITZ_BUFFER(a->slot_of_row),
    };
    RITZ_TRY(ritz_block_rows_launch(multiply, range, arguments, sizeof arguments / sizeof *arguments));
done:
    return status;
}

/* A few rows that are far longer than the others do not decide how those are summed. */
static ritz_status multiply_piece(const ritz_block_rows *a, const ritz_buffer *a_values, const ritz_block_rows *b,
                                  const ritz_buffer *b_values, const ritz_block_rows *c, const ritz_buffer *c_values,
                                  product_piece *piece)
{
    ritz_status status = RITZ_OK;
    const int32_t longest = (int32_t)ritz_min64(c->longest, ritz_block_rows_even_length(c));
    RITZ_TRY(multiply_rows(a, a_values, b, b_values, c, c_values, piece, 0, longest));
    if (longest < c->longest)
        RITZ_TRY(multiply_rows(a, a_values, b, b_values, c, c_values, piece, longest, c->longest));
done:
    return status;
}

ritz_status ritz_block_rows_multiply(const ritz_block_rows *a, const ritz_block_rows *b, ritz_block_rows **c)
{
    ritz_status status = RITZ_OK;
    ritz_block_rows *made = NULL;
    product_piece all = {.n_rows = a->n_rows, .last = a->n_rows};
    RITZ_REQUIRE(
        a->n_columns == b->n_rows && a->width == b->height, RITZ_ERROR_INPUT,
        "a product of matrices needs as many columns of the first as rows of the second: %d of %d and %d of %d",
        a->n_columns, a->width, b->n_rows, b->height);
    if (!*c) {
        RITZ_TRY(ritz_block_rows_multiply_pattern(a, b, &made));
        RITZ_TRY(ritz_block_rows_create_values(made));
    }
    const ritz_block_rows *to = made ? made : *c;
    RITZ_TRY(multiply_piece(a, ritz_block_rows_values(a), b, b->values, to, to->values, &all));
    RITZ_TRY(ritz_check_interrupt());
    *c = made ? made : *c;
    made = NULL;
done:
    ritz_buffer_destroy(&all.tables);
    ritz_block_rows_destroy(&made);
    return status;
}

/* ---- P^T A P ---- */

/* Of A P: starts[n + 1] of n pieces of about equal many rows, in blocks, and the most blocks of one. */
static ritz_status cut_pieces(const ritz_block_rows *ap, int n, int64_t *starts, int64_t *most)
{
    ritz_status status = RITZ_OK;
    *most = 0;
    for (int i = 0; i <= n; i++) {
        RITZ_TRY(ritz_buffer_read(ap->row_start, (int64_t)ap->n_rows * i / n * 8, &starts[i], 8));
        *most = i > 0 ? ritz_max64(*most, starts[i] - starts[i - 1]) : 0;
    }
done:
    return status;
}

int64_t ritz_block_rows_piece_bytes(const ritz_block_rows *a)
{
    const int64_t part = ritz_max64(PIECE_LEAST, ritz_block_rows_value_bytes(a) / PIECE_PART);
    const double room = ritz_device_tuned(a->device, RITZ_BLOCK_ROWS_PIECE_BYTES_PER_UNIT) *
                        ritz_device_get_info(a->device)->compute_units;
    return (int64_t)fmin(room, (double)part);
}

ritz_status ritz_block_rows_multiply_twice(const ritz_block_rows *a, const ritz_block_rows *p,
                                           const ritz_block_rows *ap, const ritz_block_rows *pt,
                                           const ritz_buffer *slot, ritz_block_rows *c)
{
    ritz_status status = RITZ_OK;
    const int64_t block = (int64_t)ap->height * ap->width * ritz_real_bytes(c->precision);
    const double room = (double)ritz_block_rows_piece_bytes(a);
    const int n = (int)fmax(1, fmin(ceil((double)(ap->n_blocks * block) / room), fmin(PIECES_MOST, ap->n_rows)));
    int64_t starts[PIECES_MOST + 1], most;
    ritz_block_rows turned = *pt; /* of P's values */
    product_piece piece = {0};
    ritz_buffer *values = NULL;
    turned.precision = p->precision;
    RITZ_TRY(cut_pieces(ap, n, starts, &most));
    RITZ_TRY(ritz_buffer_create(a->device, most * block, "a piece of a sparse product", &values));
    RITZ_TRY(ritz_buffer_zero(c->values));
    for (int i = 0; i < n; i++) {
        piece.first = (int32_t)((int64_t)ap->n_rows * i / n);
        piece.last = (int32_t)((int64_t)ap->n_rows * (i + 1) / n);
        piece.n_rows = piece.last - piece.first;
        piece.before = starts[i];
        piece.slot = NULL;
        RITZ_TRY(multiply_piece(a, ritz_block_rows_values(a), p, p->values, ap, values, &piece));
        piece.n_rows = pt->n_rows;
        piece.slot = slot;
        RITZ_TRY(multiply_piece(&turned, p->values, ap, values, c, c->values, &piece));
        RITZ_TRY(ritz_check_interrupt());
    }
done:
    ritz_buffer_destroy(&piece.tables);
    ritz_buffer_destroy(&values);
    return status;
}
