/* From half storage of symmetric matrices back to whole compressed rows. */
#include "matrix/symmetric.h"
#include "matrix/transfer.h"

#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };

static int compare_int32(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The row and the column of every slot, NOWHERE in padding. */
typedef struct expansion {
    int32_t *row, *column;
    int32_t *length;    /* [n_rows] blocks of the whole rows */
    int64_t *row_start; /* [n_rows + 1] */
    int32_t *columns;   /* of the whole rows */
} expansion;

static ritz_status name_slots(const ritz_matrix *m, expansion *u)
{
    ritz_status status = RITZ_OK;
    const struct ritz_symmetric *h = ritz_symmetric_of(m);
    uint16_t *order = NULL, *columns = NULL;
    int32_t *outside = NULL;
    RITZ_NEW(order, (int64_t)m->n_slices * RITZ_SYMMETRIC_LANES);
    RITZ_NEW(columns, m->n_slots);
    RITZ_NEW(outside, h->n_outside);
    RITZ_TRY(ritz_buffer_read(h->order, 0, order, (int64_t)m->n_slices * RITZ_SYMMETRIC_LANES * 2));
    RITZ_TRY(ritz_buffer_read(h->columns, 0, columns, m->n_slots * 2));
    RITZ_TRY(ritz_buffer_read(h->outside, 0, outside, h->n_outside * (int64_t)4));
#pragma omp parallel for schedule(dynamic)
    for (int32_t p = 0; p < h->n_strips; p++) {
        const int32_t first = h->host_first_row[p], n = h->host_first_row[p + 1] - first;
        const int32_t *beyond = outside + h->host_first_outside[p];
        const int32_t padding = n + h->host_first_outside[p + 1] - h->host_first_outside[p];
        for (int32_t s = h->host_first_slice[p]; s < h->host_first_slice[p + 1]; s++)
            for (int64_t slot = h->host_slice_start[s]; slot < h->host_slice_start[s + 1]; slot++) {
                const int32_t own = order[(int64_t)s * RITZ_SYMMETRIC_LANES + slot % RITZ_SYMMETRIC_LANES],
                              to = columns[slot];
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

static ritz_status make_rows(const ritz_matrix *m, expansion *u)
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

static int64_t find_block(const expansion *u, int32_t row, int32_t column)
{
    const int32_t *at =
        bsearch(&column, u->columns + u->row_start[row], (size_t)u->length[row], sizeof *u->columns, compare_int32);
    return at - u->columns;
}

static ritz_status expand_values(const ritz_matrix *m, const expansion *u, ritz_matrix *whole)
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
    RITZ_TRY(ritz_kernel_get(program, "expand", &kernel));
    RITZ_TRY(RITZ_LAUNCH(kernel, ((ritz_range){.global = {ritz_round_up(m->n_slots, 64)}, .local = {64}}), NULL,
                         RITZ_LONG(m->n_slots), RITZ_BUFFER(device_place), RITZ_BUFFER(device_mirror),
                         RITZ_BUFFER(ritz_symmetric_of(m)->values), RITZ_BUFFER(whole->values)));
    RITZ_TRY(ritz_device_finish(m->device));
done:
    ritz_free(place);
    ritz_free(mirror);
    ritz_buffer_destroy(&device_place);
    ritz_buffer_destroy(&device_mirror);
    return status;
}

ritz_status ritz_symmetric_expand(const ritz_matrix *m, ritz_matrix **whole)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *w = NULL;
    expansion u = {0};
    const ritz_matrix_options o = {
        .slice_height = 1, .sort_window = 1, .precision = m->precision, .values = m->value_type};
    RITZ_NEW(u.row, m->n_slots);
    RITZ_NEW(u.column, m->n_slots);
    RITZ_NEW(u.length, m->n_rows);
    RITZ_NEW(u.row_start, m->n_rows + (int64_t)1);
    RITZ_TRY(name_slots(m, &u));
    RITZ_TRY(make_rows(m, &u));
    RITZ_TRY(ritz_matrix_from_lengths(m->device, &o, m->block, m->n_unknowns, m->n_scalar_columns, u.length, &w));
    RITZ_TRY(ritz_matrix_create_entries(w));
    RITZ_TRY(ritz_matrix_send_columns(w, u.row_start, u.columns));
    RITZ_TRY(expand_values(m, &u, w));
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
