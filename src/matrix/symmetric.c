/* Half storage of symmetric matrices: the structure, and the blocks of a whole matrix in it. */
#include "matrix/symmetric.h"

#include "device/tuning.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };

/* The half while it is made. */
typedef struct halving {
    struct ritz_symmetric *half;
    int32_t n_rows;
    const int64_t *row_slot; /* of the whole matrix, on the host: the first slot of each row */
    int64_t stride;          /* from one block of a row to the next */
    int32_t long_row;        /* blocks: longer rows are stored as columns */
    int32_t *row_length;     /* [n_rows] */
    int32_t *columns;        /* [slots] */
    int64_t limit;           /* local numbers that a strip may have */
    int32_t *length;         /* [n_rows] blocks stored beside the diagonal one */
    int32_t *mark;           /* [n_rows] the last trial that reached a row from outside */
    int32_t trial;
    int32_t *outside; /* [capacity] */
    int64_t capacity;
    int32_t *order; /* [n_rows] rows of each strip in the order of their slices, from the strip's first row on */
} halving;

static bool is_long(const halving *f, int32_t row)
{
    return f->row_length[row] > f->long_row;
}

/* Whether of A_ij and A_ji (j not i) row i keeps its own: the upper half, but long rows leave all to the others. */
static bool row_keeps_block(const halving *f, int32_t i, int32_t j)
{
    bool long_i = is_long(f, i), long_j = is_long(f, j);
    return long_i == long_j ? j > i : !long_i;
}

static int compare_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* ---- Strips ---- */

static void count_stored(halving *f)
{
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < f->n_rows; i++) {
        const int32_t *column = f->columns + f->row_slot[i];
        for (int32_t k = 0; k < f->row_length[i]; k++, column += f->stride)
            f->length[i] += *column != i && row_keeps_block(f, i, *column);
    }
}

/* The rows outside [first, last) that its blocks reach, appended to f->outside from n_before on; *n of them, or one
   more than fit, where it stops. */
static ritz_status find_outside(halving *f, int32_t first, int32_t last, int32_t n_before, int32_t *n)
{
    ritz_status status = RITZ_OK;
    const int64_t room = f->limit - 1 - (last - first);
    *n = 0;
    f->trial++;
    for (int32_t i = first; i < last && *n <= room; i++)
        for (int32_t k = 0; k < f->row_length[i] && *n <= room; k++) {
            const int32_t j = f->columns[f->row_slot[i] + k * f->stride];
            if ((j >= first && j < last) || f->mark[j] == f->trial || !row_keeps_block(f, i, j))
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
static ritz_status cut_strips(halving *f, int32_t rows)
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
        h->n_strips++;
        h->host_first_row[h->n_strips] = first + length;
        h->host_first_outside[h->n_strips] = h->n_outside;
    }
done:
    return status;
}

static int64_t tuned_value(const ritz_matrix *m, ritz_constant constant)
{
    return (int64_t)ritz_tuned(ritz_device_get_info(m->device), constant, NULL, 0);
}

/* Rows a strip: cache, even work, and a number of strips that the cores share evenly. */
static int32_t rows_a_strip(const ritz_matrix *m, const struct ritz_symmetric *h)
{
    const int64_t units = ritz_device_sum_units(m->device);
    const int64_t row_bytes = 2 * h->padded * ritz_real_bytes(m->precision);
    const int64_t least = tuned_value(m, RITZ_HALF_STRIP_ROWS_LEAST),
                  n_even = tuned_value(m, RITZ_HALF_STRIPS_PER_UNIT) * units;
    int64_t rows =
        ritz_min64(tuned_value(m, RITZ_HALF_STRIP_ROWS_MOST), tuned_value(m, RITZ_HALF_STRIP_BYTES) / row_bytes);
    rows = ritz_min64(rows, ritz_max64(least, m->n_rows / n_even));
    const int64_t n_strips = ritz_round_up((m->n_rows + rows - 1) / rows, units);
    return (int32_t)((m->n_rows + n_strips - 1) / n_strips);
}

/* ---- Slices ---- */

static ritz_status cut_slices(ritz_matrix *m, halving *f)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    const int lanes = RITZ_SYMMETRIC_LANES;
    const int64_t window = tuned_value(m, RITZ_HALF_SORT_WINDOW);
    for (int32_t p = 0; p < h->n_strips; p++) {
        const int32_t first = h->host_first_row[p], n = h->host_first_row[p + 1] - first;
        RITZ_TRY(ritz_sort_rows(n, window, f->length + first, f->order + first));
        h->host_first_slice[p + 1] = h->host_first_slice[p] + (n + lanes - 1) / lanes;
    }
    m->n_slices = h->host_first_slice[h->n_strips];
    RITZ_NEW(h->host_slice_start, m->n_slices + (int64_t)1);
    for (int32_t p = 0; p < h->n_strips; p++) {
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

/* Local number of a row that the strip reaches. */
static uint16_t local_number(const halving *f, int32_t strip, int32_t row)
{
    const struct ritz_symmetric *h = f->half;
    const int32_t first = h->host_first_row[strip], last = h->host_first_row[strip + 1];
    if (row >= first && row < last)
        return (uint16_t)(row - first);
    int32_t low = h->host_first_outside[strip], high = h->host_first_outside[strip + 1] - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (f->outside[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint16_t)(last - first + low - h->host_first_outside[strip]);
}

/* What goes to the device: order[n_slices * lanes], columns[n_slots], and source[n_slots], the slot of the whole matrix
   whose block each slot holds. Returns how many hold one. */
static int64_t fill_slots(const halving *f, uint16_t *order, uint16_t *columns, int64_t *source)
{
    int64_t stored = 0;
    const struct ritz_symmetric *h = f->half;
    const int lanes = RITZ_SYMMETRIC_LANES;
#pragma omp parallel for schedule(dynamic) reduction(+ : stored)
    for (int32_t p = 0; p < h->n_strips; p++) {
        const int32_t first = h->host_first_row[p], n = h->host_first_row[p + 1] - first;
        const uint16_t padding = (uint16_t)(n + h->host_first_outside[p + 1] - h->host_first_outside[p]);
        const int64_t position = (int64_t)h->host_first_slice[p] * lanes;
        const int64_t *start = h->host_slice_start + h->host_first_slice[p];
        for (int64_t slot = start[0]; slot < h->host_slice_start[h->host_first_slice[p + 1]]; slot++)
            columns[slot] = padding, source[slot] = NOWHERE;
        for (int32_t at = 0; at < (n + lanes - 1) / lanes * lanes; at++) {
            order[position + at] = at < n ? (uint16_t)f->order[first + at] : padding;
            if (at >= n)
                continue;
            const int32_t row = first + f->order[first + at];
            const int64_t diagonal = start[at / lanes] + at % lanes;
            int64_t slot = diagonal;
            for (int32_t k = 0; k < f->row_length[row]; k++) {
                const int64_t from = f->row_slot[row] + k * f->stride;
                const int32_t j = f->columns[from];
                if (j != row && !row_keeps_block(f, row, j))
                    continue;
                const int64_t to = j == row ? diagonal : (slot += lanes);
                columns[to] = local_number(f, p, j);
                source[to] = from;
                stored++;
            }
        }
    }
    return stored;
}

/* ---- Shared rows ---- */

/* list_start and list: see symmetric.h. */
static ritz_status list_sums(ritz_matrix *m, halving *f)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    int32_t *start = NULL, *list = NULL;
    RITZ_NEW(start, f->n_rows + (int64_t)2); /* one further on while the list is filled */
    RITZ_NEW(list, h->n_outside);
    for (int32_t o = 0; o < h->n_outside; o++)
        start[f->outside[o] + 2]++;
    for (int32_t i = 0; i < f->n_rows; i++) {
        h->n_shared_rows += start[i + 2] > 0;
        start[i + 2] += start[i + 1];
    }
    for (int32_t o = 0; o < h->n_outside; o++)
        list[start[f->outside[o] + 1]++] = o;
    const int64_t n_places = (int64_t)h->n_outside + f->n_rows;
    const char *what = "the shared rows of half a matrix";
    RITZ_TRY(ritz_buffer_create_from(m->device, start, (f->n_rows + (int64_t)1) * 4, what, &h->list_start));
    RITZ_TRY(ritz_buffer_create_from(m->device, list, h->n_outside * (int64_t)4, what, &h->list));
    RITZ_TRY(ritz_buffer_create(m->device, n_places * h->padded * ritz_real_bytes(m->precision), what, &h->shared));
done:
    ritz_free(start);
    ritz_free(list);
    return status;
}

/* The strip of the row that an outside number names, from the one of the number before on. */
static int32_t find_strip(const struct ritz_symmetric *h, int32_t strip, int32_t row)
{
    while (row >= h->host_first_row[strip + 1])
        strip++;
    return strip;
}

/* first_reached, reached, contributors and missing: see symmetric.h. */
static ritz_status list_strips(ritz_matrix *m, halving *f)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    int32_t *first = NULL, *reached = NULL, *contributors = NULL;
    const int64_t bytes = h->n_strips * (int64_t)4;
    RITZ_NEW(first, h->n_strips + (int64_t)1);
    RITZ_NEW(reached, h->n_strips + (int64_t)h->n_outside);
    RITZ_NEW(contributors, h->n_strips);
    for (int32_t p = 0; p < h->n_strips; p++) {
        int32_t n = first[p], other = 0;
        reached[n++] = p;
        for (int32_t o = h->host_first_outside[p]; o < h->host_first_outside[p + 1]; o++) {
            other = find_strip(h, other, f->outside[o]);
            if (reached[n - 1] != other) /* they increase, and none is the strip itself */
                reached[n++] = other;
        }
        first[p + 1] = n;
    }
    for (int32_t at = 0; at < first[h->n_strips]; at++)
        contributors[reached[at]]++;
    const char *what = "the shared rows of half a matrix";
    RITZ_TRY(ritz_buffer_create_from(m->device, first, bytes + 4, what, &h->first_reached));
    RITZ_TRY(ritz_buffer_create_from(m->device, reached, first[h->n_strips] * (int64_t)4, what, &h->reached));
    RITZ_TRY(ritz_buffer_create_from(m->device, contributors, bytes, what, &h->contributors));
    RITZ_TRY(ritz_buffer_create_from(m->device, contributors, bytes, what, &h->missing));
done:
    ritz_free(first);
    ritz_free(reached);
    ritz_free(contributors);
    return status;
}

/* ---- How symmetric ---- */

/* What `compare` finds of each block row of a whole matrix. */
typedef struct comparison {
    ritz_buffer *root, *device_relative, *device_difference, *device_surplus;
    double *relative, *difference; /* the largest |a_ij - a_ji| beside the sizes of both rows, and as it is */
    int32_t *surplus;              /* blocks under the diagonal less those over it that have a mirror image */
} comparison;

/* `under`: looks for the mirror images of what is under the diagonal, else of what is over it. */
static ritz_status compare_triangles(const ritz_matrix *whole, ritz_kernel *kernel, bool under, comparison *c)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ritz_round_up(whole->n_rows, 64)}, .local = {64}}), NULL,
                         RITZ_INT(whole->n_rows), RITZ_INT(whole->slice_height), RITZ_INT(under),
                         RITZ_BUFFER(whole->row_slot), RITZ_BUFFER(whole->row_length), RITZ_BUFFER(whole->columns),
                         RITZ_BUFFER(whole->values), RITZ_BUFFER(c->root), RITZ_BUFFER(c->device_relative),
                         RITZ_BUFFER(c->device_difference), RITZ_BUFFER(c->device_surplus)));
    RITZ_TRY(ritz_buffer_read_reals(c->device_relative, whole->precision, 0, c->relative, whole->n_rows));
    RITZ_TRY(ritz_buffer_read_reals(c->device_difference, whole->precision, 0, c->difference, whole->n_rows));
    RITZ_TRY(ritz_buffer_read(c->device_surplus, 0, c->surplus, whole->n_rows * (int64_t)4));
done:
    return status;
}

static ritz_status refuse_difference(const ritz_matrix *whole, double tolerance, const comparison *c)
{
    ritz_status status = RITZ_OK;
    int32_t bad = NOWHERE;
    for (int32_t i = 0; i < whole->n_rows; i++) {
        RITZ_REQUIRE(!isnan(c->relative[i]), RITZ_ERROR_INPUT,
                     "the matrix is not symmetric: block row %d, or the column of the same number, has an entry that "
                     "is not finite; look for what made it",
                     i);
        if (c->relative[i] > tolerance && (bad < 0 || c->relative[i] > c->relative[bad]))
            bad = i;
    }
    RITZ_REQUIRE(bad < 0, RITZ_ERROR_INPUT,
                 "the matrix is not symmetric: |a_ij - a_ji| is %.3g, in block row %d, which is %.3g of the entries' "
                 "size and not rounding; store it whole (format sbell, the solver's matrix: whole)",
                 c->difference[bad], bad, c->relative[bad]);
done:
    return status;
}

/* What rounding may leave beside sqrt(size_i size_j): sums of a few hundred terms, of which narrow values were rounded
   and scaled after. A sum of positive semidefinite terms E has |e_ij| <= sqrt(e_ii e_jj) in each, so its rounding is
   small beside sqrt(a_ii a_jj), however small a_ij itself became, and D A D has D's factors on both sides. */
static double rounding_of(ritz_value_type type)
{
    static const double epsilon[] = {[RITZ_VALUES_F64] = 256 * DBL_EPSILON,
                                     [RITZ_VALUES_F32] = 256 * (double)FLT_EPSILON,
                                     [RITZ_VALUES_F16] = 0x1p-8,
                                     [RITZ_VALUES_BF16] = 0x1p-5};
    return epsilon[type];
}

/* Refuses rows of which the halves differ by more than rounding. What is under the diagonal is looked for only where
   some of it was not found from above. */
static ritz_status check_symmetry(const ritz_matrix *whole, ritz_value_type type, ritz_program *program)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *sizes = NULL, *kernel = NULL;
    comparison c = {0};
    const double tolerance = rounding_of(type);
    const int64_t bytes = whole->n_rows * ritz_real_bytes(whole->precision), n = whole->n_rows;
    const char *what = "the check of symmetry";
    int64_t surplus = 0;
    RITZ_TRY(ritz_kernel_get(program, "size_rows", &sizes));
    RITZ_TRY(ritz_kernel_get(program, "compare", &kernel));
    RITZ_TRY(ritz_buffer_create(whole->device, bytes, what, &c.root));
    RITZ_TRY(ritz_buffer_create(whole->device, bytes, what, &c.device_relative));
    RITZ_TRY(ritz_buffer_create(whole->device, bytes, what, &c.device_difference));
    RITZ_TRY(ritz_buffer_create(whole->device, n * 4, what, &c.device_surplus));
    RITZ_NEW(c.relative, n);
    RITZ_NEW(c.difference, n);
    RITZ_NEW(c.surplus, n);
    RITZ_TRY(RITZ_LAUNCH(sizes, ((ritz_range){.global = {ritz_round_up(n, 64)}, .local = {64}}), NULL,
                         RITZ_INT(whole->n_rows), RITZ_INT(whole->slice_height), RITZ_BUFFER(whole->row_slot),
                         RITZ_BUFFER(whole->row_length), RITZ_BUFFER(whole->columns), RITZ_BUFFER(whole->values),
                         RITZ_BUFFER(c.root)));
    RITZ_TRY(compare_triangles(whole, kernel, false, &c));
    RITZ_TRY(refuse_difference(whole, tolerance, &c));
    for (int64_t i = 0; i < n; i++)
        surplus += c.surplus[i];
    if (surplus > 0) {
        RITZ_TRY(compare_triangles(whole, kernel, true, &c));
        RITZ_TRY(refuse_difference(whole, tolerance, &c));
    }
done:
    ritz_buffer_destroy(&c.root);
    ritz_buffer_destroy(&c.device_relative);
    ritz_buffer_destroy(&c.device_difference);
    ritz_buffer_destroy(&c.device_surplus);
    ritz_free(c.relative);
    ritz_free(c.difference);
    ritz_free(c.surplus);
    return status;
}

/* ---- From a whole matrix ---- */

static ritz_status send_structure(ritz_matrix *m, halving *f, const ritz_matrix *whole, ritz_program *program)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = f->half;
    uint16_t *order = NULL, *columns = NULL;
    int64_t *source = NULL;
    ritz_buffer *device_source = NULL;
    ritz_kernel *kernel = NULL;
    const int64_t n_positions = (int64_t)m->n_slices * RITZ_SYMMETRIC_LANES, strips = (h->n_strips + 1) * (int64_t)4;
    const int64_t value_bytes = m->n_slots * m->block * m->block * ritz_value_bytes(m->value_type);
    const char *what = "the structure of half a matrix";
    RITZ_NEW(order, n_positions);
    RITZ_NEW(columns, m->n_slots);
    RITZ_NEW(source, m->n_slots);
    h->n_stored = fill_slots(f, order, columns, source);
    RITZ_TRY(ritz_buffer_create_from(m->device, h->host_first_row, strips, what, &h->first_row));
    RITZ_TRY(ritz_buffer_create_from(m->device, h->host_first_slice, strips, what, &h->first_slice));
    RITZ_TRY(ritz_buffer_create_from(m->device, h->host_first_outside, strips, what, &h->first_outside));
    RITZ_TRY(
        ritz_buffer_create_from(m->device, h->host_slice_start, (m->n_slices + (int64_t)1) * 8, what, &h->slice_start));
    RITZ_TRY(ritz_buffer_create_from(m->device, order, n_positions * 2, what, &h->order));
    RITZ_TRY(ritz_buffer_create_from(m->device, f->outside, h->n_outside * (int64_t)4, what, &h->outside));
    RITZ_TRY(ritz_buffer_create_from(m->device, columns, m->n_slots * 2, what, &h->columns));
    RITZ_TRY(ritz_buffer_create(m->device, value_bytes, "the values of half a matrix", &h->values));
    RITZ_TRY(ritz_buffer_create_from(m->device, source, m->n_slots * 8, what, &device_source));
    RITZ_TRY(ritz_kernel_get(program, "halve", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ritz_round_up(m->n_slots, 64)}, .local = {64}}), NULL,
                         RITZ_LONG(m->n_slots), RITZ_INT(whole->slice_height), RITZ_BUFFER(device_source),
                         RITZ_BUFFER(whole->values), RITZ_BUFFER(h->values)));
    RITZ_TRY(ritz_device_finish(m->device));
    m->bytes = ritz_symmetric_bytes(m);
done:
    ritz_free(order);
    ritz_free(columns);
    ritz_free(source);
    ritz_buffer_destroy(&device_source);
    return status;
}

static ritz_status store_half(const ritz_matrix *whole, ritz_program *program, ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = ritz_symmetric_of(m);
    halving f = {.half = h,
                 .n_rows = m->n_rows,
                 .row_slot = whole->host_row_slot,
                 .stride = whole->slice_height,
                 .long_row = (int32_t)tuned_value(m, RITZ_HALF_LONG_ROW)};
    f.limit = ritz_min64(UINT16_MAX, ritz_device_get_info(m->device)->local_memory /
                                         (2 * h->padded * ritz_real_bytes(m->precision)));
    RITZ_NEW(f.row_length, m->n_rows);
    RITZ_NEW(f.columns, whole->n_slots);
    RITZ_NEW(f.length, m->n_rows);
    RITZ_NEW(f.mark, m->n_rows);
    RITZ_NEW(f.order, m->n_rows);
    RITZ_NEW(f.outside, f.capacity = 1024);
    RITZ_NEW(h->host_first_row, m->n_rows + (int64_t)1);
    RITZ_NEW(h->host_first_slice, m->n_rows + (int64_t)1);
    RITZ_NEW(h->host_first_outside, m->n_rows + (int64_t)1);
    RITZ_TRY(ritz_buffer_read(whole->row_length, 0, f.row_length, m->n_rows * (int64_t)4));
    RITZ_TRY(ritz_buffer_read(whole->columns, 0, f.columns, whole->n_slots * 4));
    count_stored(&f);
    RITZ_TRY(cut_strips(&f, rows_a_strip(m, h)));
    RITZ_TRY(cut_slices(m, &f));
    RITZ_TRY(list_sums(m, &f));
    RITZ_TRY(list_strips(m, &f));
    RITZ_TRY(send_structure(m, &f, whole, program));
    ritz_log("matrix: half of %lld blocks in %lld slots, %d strips of %d rows, %d outside, %d shared",
             (long long)m->n_blocks, (long long)m->n_slots, h->n_strips, rows_a_strip(m, h), h->n_outside,
             h->n_shared_rows);
done:
    ritz_free(f.row_length);
    ritz_free(f.columns);
    ritz_free(f.length);
    ritz_free(f.mark);
    ritz_free(f.order);
    ritz_free(f.outside);
    return status;
}

/* The matrix without its buffers, like the whole one that it is made of. */
static ritz_status create_empty(const ritz_matrix *whole, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    struct ritz_symmetric *h = NULL;
    ritz_matrix *m = NULL;
    const int b = whole->block;
    RITZ_NEW(m, 1);
    m->device = whole->device;
    m->plan = whole->plan;
    m->precision = whole->precision;
    m->value_type = whole->value_type;
    m->block = b;
    m->items = 1;
    m->n_rows = whole->n_rows;
    m->n_columns = whole->n_columns;
    m->n_unknowns = whole->n_unknowns;
    m->n_scalar_columns = whole->n_scalar_columns;
    m->n_blocks = whole->n_blocks;
    m->n_nonzeros = whole->n_nonzeros;
    m->shortest_row = whole->shortest_row;
    m->longest_row = whole->longest_row;
    m->storage = &ritz_storage_symmetric;
    RITZ_NEW(h, 1);
    h->padded = b <= 2 ? b : b <= 4 ? 4 : 8;
    m->own = h;
    m->slice_height = m->lanes = RITZ_SYMMETRIC_LANES;
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

/* The whole matrix in the precision and the blocks of the half, scaled; *made NULL where `from` is like that. */
static ritz_status prepare_whole(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                 const ritz_buffer *weight, ritz_matrix **made)
{
    const ritz_matrix_options plain = {.slice_height = 1,
                                       .sort_window = 1,
                                       .precision = options->precision,
                                       .values = ritz_value_type_of(options),
                                       .drop_zeros = options->drop_zeros};
    *made = NULL;
    if (from->block == block && from->precision == options->precision && !options->drop_zeros && !weight)
        return RITZ_OK;
    return ritz_slices_make(from, &plain, block, weight, made);
}

ritz_status ritz_symmetric_make(const ritz_matrix *from, const ritz_matrix_options *options, int block,
                                const ritz_buffer *weight, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *made = NULL, *m = NULL, *copy = NULL;
    ritz_program *program = NULL;
    const ritz_value_type type = ritz_value_type_of(options);
    RITZ_REQUIRE(from->n_unknowns == from->n_scalar_columns, RITZ_ERROR_INPUT,
                 "a matrix of %lld rows and %lld columns is not symmetric; store it whole (format sbell)",
                 (long long)from->n_unknowns, (long long)from->n_scalar_columns);
    RITZ_TRY(prepare_whole(from, options, block, weight, &made));
    const ritz_matrix *whole = made ? made : from;
    RITZ_TRY(create_empty(whole, &m));
    RITZ_TRY(ritz_symmetric_program(m, "matrix/kernels/symmetric_make.cl", false, false, &program));
    RITZ_TRY(check_symmetry(whole, whole->value_type > type ? whole->value_type : type, program));
    RITZ_TRY(store_half(whole, program, m));
    ritz_matrix_destroy(&made);
    if (m->value_type != type) {
        RITZ_TRY(
            ritz_symmetric_copy(m, &(ritz_matrix_options){.precision = m->precision, .values = type}, NULL, &copy));
        ritz_matrix_destroy(&m);
        m = copy;
    }
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&made);
    ritz_matrix_destroy(&m);
    return status;
}
