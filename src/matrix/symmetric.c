/* Half storage of symmetric matrices: the structure, from and to compressed rows. */
#include "matrix/symmetric.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part's x and sums stay in the second cache of a core beside the stream of the matrix. */
enum {
    PART_BYTES = 256 << 10,
    PART_ROWS_MOST = 4096,
    PART_ROWS_LEAST = 256,
    PARTS_A_UNIT = 8,  /* so that all cores end together */
    SORT_WINDOW = 256, /* of 64 to whole parts; shorter ones pad more, longer ones reach x in less order */
    LONG_ROW = 512     /* blocks: longer rows are stored as columns, their parts would need all of x */
};
enum { NOWHERE = -1 };

/* The half while it is made. */
typedef struct folding {
    struct ritz_symmetric *half;
    int32_t n_rows;
    const int64_t *row_start; /* of the whole matrix's compressed rows, on the host */
    int32_t *columns;
    int64_t limit;   /* local numbers that a part may have */
    int32_t *length; /* [n_rows] blocks stored beside the diagonal one */
    int32_t *mark;   /* [n_rows] the last trial that reached a row from outside */
    int32_t trial;
    int32_t *outside; /* [capacity] */
    int64_t capacity;
    int32_t *order; /* [n_rows] rows of each part in the order of their slices, from the part's first row on */
} folding;

static bool is_long(const folding *f, int32_t row)
{
    return f->row_start[row + 1] - f->row_start[row] > LONG_ROW;
}

/* Whether of A_ij and A_ji (j not i) row i keeps its own: the upper half, but long rows leave all to the others. */
static bool keeps(const folding *f, int32_t i, int32_t j)
{
    bool long_i = is_long(f, i), long_j = is_long(f, j);
    return long_i == long_j ? j > i : !long_i;
}

static int compare_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* ---- Parts ---- */

static void count_stored(folding *f)
{
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < f->n_rows; i++)
        for (int64_t k = f->row_start[i]; k < f->row_start[i + 1]; k++)
            f->length[i] += f->columns[k] != i && keeps(f, i, f->columns[k]);
}

/* The rows outside [first, last) that its blocks reach, appended to f->outside from n_before on; *n of them, or one more than
   fit, where it stops. */
static ritz_status find_outside(folding *f, int32_t first, int32_t last, int32_t n_before, int32_t *n)
{
    ritz_status status = RITZ_OK;
    const int64_t room = f->limit - 1 - (last - first);
    *n = 0;
    f->trial++;
    for (int32_t i = first; i < last && *n <= room; i++)
        for (int64_t k = f->row_start[i]; k < f->row_start[i + 1] && *n <= room; k++) {
            const int32_t j = f->columns[k];
            if ((j >= first && j < last) || f->mark[j] == f->trial || !keeps(f, i, j))
                continue;
            f->mark[j] = f->trial;
            if (n_before + *n == f->capacity) {
                f->capacity = 2 * f->capacity + 1024;
                RITZ_RESIZE(f->outside, f->capacity);
            }
            f->outside[n_before + (*n)++] = j;
        }
    qsort(f->outside + n_before, (size_t)*n, sizeof *f->outside, compare_int32);
done:
    return status;
}

/* Runs of about `rows` rows, shorter where their local numbers would be too many. */
static ritz_status cut_parts(folding *f, int32_t rows)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    for (int32_t first = 0, length; first < f->n_rows; first += length) {
        int32_t n;
        length = (int32_t)ritz_min64(ritz_min64(rows, f->limit), f->n_rows - first);
        RITZ_TRY(find_outside(f, first, first + length, h->n_outside, &n));
        while (length > 1 && length + n + 1 > f->limit) {
            length = (length + 1) / 2;
            RITZ_TRY(find_outside(f, first, first + length, h->n_outside, &n));
        }
        RITZ_REQUIRE(length + n + 1 <= f->limit, RITZ_ERROR_INPUT,
                     "block row %d of the matrix reaches more than the %lld rows that half storage can hold in this "
                     "device's local memory; store it whole (format sbell, the solver's matrix: whole)",
                     first, (long long)f->limit - 2);
        h->n_outside += n;
        h->n_local = (int32_t)ritz_max64(h->n_local, length + n + 1);
        h->n_parts++;
        h->host_first_row[h->n_parts] = first + length;
        h->host_first_outside[h->n_parts] = h->n_outside;
    }
done:
    return status;
}

/* Rows a part: cache, even work, and a number of parts that the cores share evenly. */
static int32_t rows_a_part(const ritz_matrix *m, const struct ritz_symmetric *h)
{
    const int64_t units = ritz_max64(1, ritz_device_get_info(m->device)->compute_units);
    const int64_t row_bytes = 2 * h->padded * ritz_real_bytes(m->precision);
    int64_t rows = ritz_min64(PART_ROWS_MOST, PART_BYTES * 3 / 4 / row_bytes);
    rows = ritz_min64(rows, ritz_max64(PART_ROWS_LEAST, m->n_rows / (PARTS_A_UNIT * units)));
    const int64_t n_parts = ritz_round_up((m->n_rows + rows - 1) / rows, units);
    return (int32_t)((m->n_rows + n_parts - 1) / n_parts);
}

/* ---- Slices ---- */

static ritz_status cut_slices(ritz_matrix *m, folding *f)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    const int lanes = h->lanes;
    for (int32_t p = 0; p < h->n_parts; p++) {
        const int32_t first = h->host_first_row[p], n = h->host_first_row[p + 1] - first;
        RITZ_TRY(ritz_sort_rows(n, SORT_WINDOW, f->length + first, f->order + first));
        h->host_first_slice[p + 1] = h->host_first_slice[p] + (n + lanes - 1) / lanes;
    }
    m->n_slices = h->host_first_slice[h->n_parts];
    RITZ_NEW(h->host_slice_start, m->n_slices + (int64_t)1);
    for (int32_t p = 0; p < h->n_parts; p++) {
        const int32_t first = h->host_first_row[p], n = h->host_first_row[p + 1] - first;
        int64_t *start = h->host_slice_start + h->host_first_slice[p];
        for (int32_t at = 0; at < n; at += lanes, start++) {
            int32_t longest = 0;
            for (int32_t i = at; i < at + lanes && i < n; i++)
                longest = (int32_t)ritz_max64(longest, f->length[first + f->order[first + i]]);
            start[1] = start[0] + (longest + 1) * (int64_t)lanes;
        }
    }
    m->n_slots = h->host_slice_start[m->n_slices];
done:
    return status;
}

/* Local number of a row that the part reaches. */
static uint16_t local_number(const folding *f, int32_t part, int32_t row)
{
    const struct ritz_symmetric *h = f->half;
    const int32_t first = h->host_first_row[part], last = h->host_first_row[part + 1];
    if (row >= first && row < last)
        return (uint16_t)(row - first);
    int32_t low = h->host_first_outside[part], high = h->host_first_outside[part + 1] - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (f->outside[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint16_t)(last - first + low - h->host_first_outside[part]);
}

/* What goes to the device: order[n_slices * lanes], columns[n_slots], and source[n_slots], the block of the compressed
   rows in each slot. */
static void fill_slots(const ritz_matrix *m, const folding *f, uint16_t *order, uint16_t *columns, int64_t *source)
{
    const struct ritz_symmetric *h = f->half;
    const int lanes = h->lanes;
    for (int64_t slot = 0; slot < m->n_slots; slot++)
        source[slot] = NOWHERE;
#pragma omp parallel for schedule(dynamic)
    for (int32_t p = 0; p < h->n_parts; p++) {
        const int32_t first = h->host_first_row[p], n = h->host_first_row[p + 1] - first;
        const uint16_t padding = (uint16_t)(n + h->host_first_outside[p + 1] - h->host_first_outside[p]);
        const int64_t position = (int64_t)h->host_first_slice[p] * lanes;
        const int64_t *start = h->host_slice_start + h->host_first_slice[p];
        for (int64_t slot = start[0]; slot < h->host_slice_start[h->host_first_slice[p + 1]]; slot++)
            columns[slot] = padding;
        for (int32_t at = 0; at < (n + lanes - 1) / lanes * lanes; at++) {
            order[position + at] = at < n ? (uint16_t)f->order[first + at] : padding;
            if (at >= n)
                continue;
            const int32_t row = first + f->order[first + at];
            const int64_t diagonal = start[at / lanes] + at % lanes;
            int64_t slot = diagonal;
            for (int64_t k = f->row_start[row]; k < f->row_start[row + 1]; k++) {
                const int32_t j = f->columns[k];
                if (j != row && !keeps(f, row, j))
                    continue;
                const int64_t to = j == row ? diagonal : (slot += lanes);
                columns[to] = local_number(f, p, j);
                source[to] = k;
            }
        }
    }
}

/* ---- Shared rows ---- */

/* place[n_rows], rows and list_start[n_shared_rows (+ 1)], list: see symmetric.h. */
static ritz_status share_rows(ritz_matrix *m, folding *f)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    int32_t *place = NULL, *rows = NULL, *number = NULL, *start = NULL, *list = NULL;
    RITZ_NEW(place, f->n_rows);
    RITZ_NEW(number, f->n_rows);
    for (int32_t o = 0; o < h->n_outside; o++)
        number[f->outside[o]]++;
    for (int32_t i = 0; i < f->n_rows; i++)
        h->n_shared_rows += number[i] > 0;
    RITZ_NEW(rows, h->n_shared_rows);
    RITZ_NEW(start, h->n_shared_rows + 1);
    RITZ_NEW(list, (int64_t)h->n_outside + h->n_shared_rows);
    for (int32_t i = 0, s = 0; i < f->n_rows; i++) {
        place[i] = number[i] > 0 ? h->n_outside + s : NOWHERE;
        if (number[i] == 0)
            continue;
        start[s + 1] = start[s] + number[i] + 1;
        list[start[s]] = place[i];
        rows[s] = i;
        number[i] = start[s++] + 1; /* from here on where the next sum of the row goes */
    }
    for (int32_t o = 0; o < h->n_outside; o++)
        list[number[f->outside[o]]++] = o;
    const int64_t n_places = (int64_t)h->n_outside + h->n_shared_rows;
    const char *what = "the shared rows of half a matrix";
    RITZ_TRY(ritz_buffer_create_from(m->device, place, f->n_rows * (int64_t)4, what, &h->place));
    RITZ_TRY(ritz_buffer_create_from(m->device, rows, h->n_shared_rows * (int64_t)4, what, &h->shared_rows));
    RITZ_TRY(ritz_buffer_create_from(m->device, start, (h->n_shared_rows + 1) * (int64_t)4, what, &h->list_start));
    RITZ_TRY(ritz_buffer_create_from(m->device, list, n_places * 4, what, &h->list));
    RITZ_TRY(ritz_buffer_create(m->device, n_places * h->padded * ritz_real_bytes(m->precision), what, &h->shared));
done:
    ritz_free(place);
    ritz_free(rows);
    ritz_free(number);
    ritz_free(start);
    ritz_free(list);
    return status;
}

/* ---- How symmetric ---- */

/* Refuses rows of which the halves differ by more than rounding beside the row's largest entry. */
static ritz_status check_symmetry(const ritz_matrix *rows, ritz_program *program)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *kernel = NULL;
    ritz_buffer *device_difference = NULL, *device_size = NULL;
    double *difference = NULL, *size = NULL;
    static const double epsilon[] = {[RITZ_VALUES_F64] = DBL_EPSILON,
                                     [RITZ_VALUES_F32] = (double)FLT_EPSILON,
                                     [RITZ_VALUES_F16] = 0x1p-10,
                                     [RITZ_VALUES_BF16] = 0x1p-7};
    const double tolerance = 256 * epsilon[rows->value_type]; /* sums of a few hundred parts, scaled after */
    const int64_t bytes = rows->n_rows * ritz_real_bytes(rows->precision);
    RITZ_TRY(ritz_kernel_get(program, "compare", &kernel));
    RITZ_TRY(ritz_buffer_create(rows->device, bytes, "the check of symmetry", &device_difference));
    RITZ_TRY(ritz_buffer_create(rows->device, bytes, "the check of symmetry", &device_size));
    RITZ_NEW(difference, rows->n_rows);
    RITZ_NEW(size, rows->n_rows);
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ritz_round_up(rows->n_rows, 64)}, .local = {64}}), NULL,
                         RITZ_INT(rows->n_rows), RITZ_BUFFER(rows->slice_start), RITZ_BUFFER(rows->columns),
                         RITZ_BUFFER(rows->values), RITZ_BUFFER(device_difference), RITZ_BUFFER(device_size)));
    RITZ_TRY(ritz_read_vector(rows->precision, rows->n_rows, device_difference, difference));
    RITZ_TRY(ritz_read_vector(rows->precision, rows->n_rows, device_size, size));
    int32_t bad = NOWHERE;
    for (int32_t i = 0; i < rows->n_rows; i++)
        if (difference[i] > tolerance * size[i] && (bad < 0 || difference[i] > difference[bad]))
            bad = i;
    RITZ_REQUIRE(
        bad < 0, RITZ_ERROR_INPUT,
        "the matrix is not symmetric: max |a_ij - a_ji| is %.3g, in block row %d, whose largest entry is %.3g; "
        "store it whole (format sbell, the solver's matrix: whole)",
        difference[bad], bad, size[bad]);
done:
    ritz_buffer_destroy(&device_difference);
    ritz_buffer_destroy(&device_size);
    ritz_free(difference);
    ritz_free(size);
    return status;
}

/* ---- From compressed rows ---- */

static ritz_status send(ritz_matrix *m, folding *f, const ritz_matrix *rows, ritz_program *program)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    uint16_t *order = NULL, *columns = NULL;
    int64_t *source = NULL;
    ritz_buffer *device_source = NULL;
    ritz_kernel *kernel = NULL;
    const int64_t n_positions = (int64_t)m->n_slices * h->lanes, parts = (h->n_parts + 1) * (int64_t)4;
    const int64_t value_bytes = m->n_slots * m->block * m->block * ritz_value_bytes(m->value_type);
    const char *what = "the structure of half a matrix";
    RITZ_NEW(order, n_positions);
    RITZ_NEW(columns, m->n_slots);
    RITZ_NEW(source, m->n_slots);
    fill_slots(m, f, order, columns, source);
    RITZ_TRY(ritz_buffer_create_from(m->device, h->host_first_row, parts, what, &h->first_row));
    RITZ_TRY(ritz_buffer_create_from(m->device, h->host_first_slice, parts, what, &h->first_slice));
    RITZ_TRY(ritz_buffer_create_from(m->device, h->host_first_outside, parts, what, &h->first_outside));
    RITZ_TRY(
        ritz_buffer_create_from(m->device, h->host_slice_start, (m->n_slices + (int64_t)1) * 8, what, &h->slice_start));
    RITZ_TRY(ritz_buffer_create_from(m->device, order, n_positions * 2, what, &h->order));
    RITZ_TRY(ritz_buffer_create_from(m->device, f->outside, h->n_outside * (int64_t)4, what, &h->outside));
    RITZ_TRY(ritz_buffer_create_from(m->device, columns, m->n_slots * 2, what, &h->columns));
    RITZ_TRY(ritz_buffer_create(m->device, value_bytes, "the values of half a matrix", &h->values));
    RITZ_TRY(ritz_buffer_create_from(m->device, source, m->n_slots * 8, what, &device_source));
    RITZ_TRY(ritz_kernel_get(program, "fold", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ritz_round_up(m->n_slots, 64)}, .local = {64}}), NULL,
                         RITZ_LONG(m->n_slots), RITZ_BUFFER(device_source), RITZ_BUFFER(rows->values),
                         RITZ_BUFFER(h->values)));
    RITZ_TRY(ritz_device_finish(m->device));
    const int64_t n_places = (int64_t)h->n_outside + h->n_shared_rows;
    m->bytes = value_bytes + m->n_slots * 2 + n_positions * 2 + (m->n_slices + (int64_t)1) * 8 + 3 * parts +
               h->n_outside * (int64_t)4 + m->n_rows * (int64_t)4 + h->n_shared_rows * (int64_t)8 + n_places * 4 +
               n_places * h->padded * ritz_real_bytes(m->precision);
done:
    ritz_free(order);
    ritz_free(columns);
    ritz_free(source);
    ritz_buffer_destroy(&device_source);
    return status;
}

static ritz_status fold(const ritz_matrix *rows, ritz_program *program, ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = m->symmetric;
    folding f = {.half = h, .n_rows = m->n_rows, .row_start = rows->host_slice_start};
    f.limit = ritz_min64(UINT16_MAX, ritz_device_get_info(m->device)->local_memory /
                                         (2 * h->padded * ritz_real_bytes(m->precision)));
    RITZ_NEW(f.columns, rows->n_slots);
    RITZ_NEW(f.length, m->n_rows);
    RITZ_NEW(f.mark, m->n_rows);
    RITZ_NEW(f.order, m->n_rows);
    RITZ_NEW(f.outside, f.capacity = 1024);
    RITZ_NEW(h->host_first_row, m->n_rows + (int64_t)1);
    RITZ_NEW(h->host_first_slice, m->n_rows + (int64_t)1);
    RITZ_NEW(h->host_first_outside, m->n_rows + (int64_t)1);
    RITZ_TRY(ritz_buffer_read(rows->columns, 0, f.columns, rows->n_slots * 4));
    count_stored(&f);
    RITZ_TRY(cut_parts(&f, rows_a_part(m, h)));
    RITZ_TRY(cut_slices(m, &f));
    RITZ_TRY(share_rows(m, &f));
    RITZ_TRY(send(m, &f, rows, program));
    for (int32_t i = 0; i < m->n_rows; i++)
        h->n_stored += f.length[i];
    for (int64_t k = 0, i = 0; k < rows->n_blocks; k++) {
        while (k >= f.row_start[i + 1])
            i++;
        h->n_stored += f.columns[k] == i;
    }
    ritz_log("matrix: half of %lld blocks in %lld slots, %d parts of %d rows, %d outside", (long long)m->n_blocks,
             (long long)m->n_slots, h->n_parts, rows_a_part(m, h), h->n_outside);
done:
    ritz_free(f.columns);
    ritz_free(f.length);
    ritz_free(f.mark);
    ritz_free(f.order);
    ritz_free(f.outside);
    return status;
}

/* The matrix without its buffers, like the compressed rows that it is made of. */
static ritz_status create_empty(const ritz_matrix *rows, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    const int b = rows->block;
    RITZ_NEW(m, 1);
    m->device = rows->device;
    m->precision = rows->precision;
    m->value_type = rows->value_type;
    m->block = b;
    m->items = 1;
    m->n_rows = rows->n_rows;
    m->n_columns = rows->n_columns;
    m->n_unknowns = rows->n_unknowns;
    m->n_scalar_columns = rows->n_scalar_columns;
    m->n_blocks = rows->n_blocks;
    m->n_nonzeros = rows->n_nonzeros;
    m->shortest_row = rows->shortest_row;
    m->longest_row = rows->longest_row;
    RITZ_NEW(m->symmetric, 1);
    /* A register of AVX2, two of them for the transposed results of larger blocks. */
    m->symmetric->lanes = m->precision == RITZ_F64 ? 4 : 8;
    m->symmetric->padded = b <= 2 ? b : b <= 4 ? 4 : 8;
    m->slice_height = m->lanes = m->symmetric->lanes;
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

ritz_status ritz_symmetric_make(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                const ritz_buffer *weight, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *rows = NULL, *m = NULL;
    ritz_program *program = NULL;
    const ritz_matrix_options plain = {.slice_height = 1,
                                       .sort_window = 1,
                                       .precision = options->precision,
                                       .values = options->values,
                                       .drop_zeros = options->drop_zeros};
    RITZ_REQUIRE(from->n_unknowns == from->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns is not symmetric; store it whole (format sbell)",
                 (long long)from->n_unknowns, (long long)from->n_scalar_columns);
    RITZ_TRY(ritz_matrix_convert_scaled(from, &plain, block, weight, &rows));
    RITZ_TRY(create_empty(rows, &m));
    RITZ_TRY(ritz_symmetric_program(m, "matrix/kernels/symmetric_make.cl", false, false, &program));
    RITZ_TRY(check_symmetry(rows, program));
    RITZ_TRY(fold(rows, program, m));
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&rows);
    ritz_matrix_destroy(&m);
    return status;
}

void ritz_symmetric_destroy(struct ritz_symmetric **symmetric)
{
    struct ritz_symmetric *h = *symmetric;
    if (!h)
        return;
    ritz_buffer **buffers[] = {&h->first_row,  &h->first_slice, &h->first_outside, &h->slice_start, &h->order,
                               &h->outside,    &h->columns,     &h->values,        &h->place,       &h->shared_rows,
                               &h->list_start, &h->list,        &h->shared};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        ritz_buffer_destroy(buffers[i]);
    ritz_free(h->host_first_row);
    ritz_free(h->host_first_slice);
    ritz_free(h->host_first_outside);
    ritz_free(h->host_slice_start);
    ritz_free(h);
    *symmetric = NULL;
}

/* ---- To compressed rows ---- */

/* The row and the column of every slot, NOWHERE in padding. */
typedef struct unfolding {
    int32_t *row, *column;
    int32_t *length;    /* [n_rows] blocks of the whole rows */
    int64_t *row_start; /* [n_rows + 1] */
    int32_t *columns;   /* of the whole rows */
} unfolding;

static ritz_status name_slots(const ritz_matrix *m, unfolding *u)
{
    ritz_status status = RITZ_OK;
    const struct ritz_symmetric *h = m->symmetric;
    uint16_t *order = NULL, *columns = NULL;
    int32_t *outside = NULL;
    RITZ_NEW(order, (int64_t)m->n_slices * h->lanes);
    RITZ_NEW(columns, m->n_slots);
    RITZ_NEW(outside, h->n_outside);
    RITZ_TRY(ritz_buffer_read(h->order, 0, order, (int64_t)m->n_slices * h->lanes * 2));
    RITZ_TRY(ritz_buffer_read(h->columns, 0, columns, m->n_slots * 2));
    RITZ_TRY(ritz_buffer_read(h->outside, 0, outside, h->n_outside * (int64_t)4));
#pragma omp parallel for schedule(dynamic)
    for (int32_t p = 0; p < h->n_parts; p++) {
        const int32_t first = h->host_first_row[p], n = h->host_first_row[p + 1] - first;
        const int32_t *beyond = outside + h->host_first_outside[p];
        const int32_t padding = n + h->host_first_outside[p + 1] - h->host_first_outside[p];
        for (int32_t s = h->host_first_slice[p]; s < h->host_first_slice[p + 1]; s++)
            for (int64_t slot = h->host_slice_start[s]; slot < h->host_slice_start[s + 1]; slot++) {
                const int32_t own = order[(int64_t)s * h->lanes + slot % h->lanes], to = columns[slot];
                u->row[slot] = own < n && to < padding ? first + own : NOWHERE;
                u->column[slot] = to < n ? first + to : to < padding ? beyond[to - n] : NOWHERE;
            }
    }
done:
    ritz_free(order);
    ritz_free(columns);
    ritz_free(outside);
    return status;
}

static ritz_status make_rows(const ritz_matrix *m, unfolding *u)
{
    ritz_status status = RITZ_OK;
    int64_t *at = NULL;
    for (int64_t slot = 0; slot < m->n_slots; slot++)
        if (u->row[slot] >= 0) {
            u->length[u->row[slot]]++;
            u->length[u->column[slot]] += u->column[slot] != u->row[slot];
        }
    for (int32_t i = 0; i < m->n_rows; i++)
        u->row_start[i + 1] = u->row_start[i] + u->length[i];
    RITZ_NEW(u->columns, u->row_start[m->n_rows]);
    RITZ_NEW(at, m->n_rows);
    memcpy(at, u->row_start, (size_t)m->n_rows * sizeof *at);
    for (int64_t slot = 0; slot < m->n_slots; slot++) {
        const int32_t i = u->row[slot], j = u->column[slot];
        if (i < 0)
            continue;
        u->columns[at[i]++] = j;
        if (i != j)
            u->columns[at[j]++] = i;
    }
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < m->n_rows; i++)
        qsort(u->columns + u->row_start[i], (size_t)u->length[i], sizeof *u->columns, compare_int32);
done:
    ritz_free(at);
    return status;
}

static int64_t find_block(const unfolding *u, int32_t row, int32_t column)
{
    const int32_t *at =
        bsearch(&column, u->columns + u->row_start[row], (size_t)u->length[row], sizeof *u->columns, compare_int32);
    return at - u->columns;
}

static ritz_status unfold_values(const ritz_matrix *m, const unfolding *u, ritz_matrix *whole)
{
    ritz_status status = RITZ_OK;
    int64_t *place = NULL, *mirror = NULL;
    ritz_buffer *device_place = NULL, *device_mirror = NULL;
    ritz_program *program = NULL;
    ritz_kernel *kernel = NULL;
    RITZ_NEW(place, m->n_slots);
    RITZ_NEW(mirror, m->n_slots);
#pragma omp parallel for schedule(static)
    for (int64_t slot = 0; slot < m->n_slots; slot++) {
        const int32_t i = u->row[slot], j = u->column[slot];
        place[slot] = i < 0 ? NOWHERE : find_block(u, i, j);
        mirror[slot] = i < 0 || i == j ? NOWHERE : find_block(u, j, i);
    }
    RITZ_TRY(ritz_buffer_create_from(m->device, place, m->n_slots * 8, "the blocks of half a matrix", &device_place));
    RITZ_TRY(ritz_buffer_create_from(m->device, mirror, m->n_slots * 8, "the blocks of half a matrix", &device_mirror));
    RITZ_TRY(ritz_symmetric_program(m, "matrix/kernels/symmetric_make.cl", false, false, &program));
    RITZ_TRY(ritz_kernel_get(program, "unfold", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ritz_round_up(m->n_slots, 64)}, .local = {64}}), NULL,
                         RITZ_LONG(m->n_slots), RITZ_BUFFER(device_place), RITZ_BUFFER(device_mirror),
                         RITZ_BUFFER(m->symmetric->values), RITZ_BUFFER(whole->values)));
    RITZ_TRY(ritz_device_finish(m->device));
done:
    ritz_free(place);
    ritz_free(mirror);
    ritz_buffer_destroy(&device_place);
    ritz_buffer_destroy(&device_mirror);
    return status;
}

ritz_status ritz_symmetric_unfold(const ritz_matrix *m, ritz_matrix **whole)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *w = NULL;
    unfolding u = {0};
    const ritz_matrix_options o = {
        .slice_height = 1, .sort_window = 1, .precision = m->precision, .values = m->value_type};
    RITZ_NEW(u.row, m->n_slots);
    RITZ_NEW(u.column, m->n_slots);
    RITZ_NEW(u.length, m->n_rows);
    RITZ_NEW(u.row_start, m->n_rows + (int64_t)1);
    RITZ_TRY(name_slots(m, &u));
    RITZ_TRY(make_rows(m, &u));
    RITZ_TRY(ritz_matrix_from_lengths(m->device, &o, m->block, m->n_unknowns, m->n_scalar_columns, u.length, &w));
    RITZ_TRY(ritz_matrix_send_columns(w, u.row_start, u.columns));
    RITZ_TRY(unfold_values(m, &u, w));
    w->n_nonzeros = m->n_nonzeros;
    *whole = w;
    w = NULL;
done:
    ritz_free(u.row);
    ritz_free(u.column);
    ritz_free(u.length);
    ritz_free(u.row_start);
    ritz_free(u.columns);
    ritz_matrix_destroy(&w);
    return status;
}
