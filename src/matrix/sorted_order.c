/* A sorted matrix in the order of its own slices, and vectors into that order and back. */
#include "device/tuning.h"
#include "matrix/storage.h"

#include <stdio.h>

static ritz_status get_program(const ritz_matrix *m, ritz_program **program)
{
    char options[32];
    const char *path = "matrix/kernels/sorted_order.cl";
    snprintf(options, sizeof options, "-DBLOCK=%d", m->block);
    return ritz_program_get(m->device, m->precision, "", &path, 1, options, program);
}

static ritz_status follow_sorted_rows(const ritz_matrix *from, ritz_matrix *m)
{
    ritz_status status = RITZ_OK;
    ritz_program *program = NULL;
    ritz_kernel *find_places = NULL, *renumber_columns = NULL;
    ritz_buffer *place = NULL;
    const int32_t n_positions = m->n_slices * m->slice_height;
    RITZ_TRY(get_program(m, &program));
    RITZ_TRY(ritz_kernel_get(program, "find_places", &find_places));
    RITZ_TRY(ritz_kernel_get(program, "renumber_columns", &renumber_columns));
    RITZ_TRY(ritz_kernel_get(program, "into_order", &m->into_order));
    RITZ_TRY(ritz_kernel_get(program, "out_of_order", &m->out_of_order));
    RITZ_TRY(ritz_buffer_create(m->device, m->n_rows * (int64_t)4, "the places of rows", &place));
    RITZ_TRY(RITZ_LAUNCH(find_places, ritz_matrix_range(find_places, m->n_rows), NULL, RITZ_INT(m->n_rows),
                         RITZ_BUFFER(from->permutation), RITZ_BUFFER(place)));
    RITZ_TRY(RITZ_LAUNCH(renumber_columns, ritz_matrix_range(renumber_columns, n_positions), NULL,
                         RITZ_INT(n_positions), RITZ_INT(m->n_rows), RITZ_INT(m->slice_height),
                         RITZ_BUFFER(m->slice_start), RITZ_BUFFER(from->permutation), RITZ_BUFFER(place),
                         RITZ_BUFFER(from->row_length), RITZ_BUFFER(from->columns), RITZ_BUFFER(m->row_length),
                         RITZ_BUFFER(m->row_slot), RITZ_BUFFER(m->permutation), RITZ_BUFFER(m->columns)));
done:
    ritz_buffer_destroy(&place);
    return status;
}

static bool is_possible(const ritz_matrix *from)
{
    return from->permuted && from->n_rows >= ritz_device_tuned(from->device, RITZ_SOLVE_ORDER_ROWS) &&
           from->n_unknowns == from->n_scalar_columns && from->n_unknowns % from->block == 0;
}

/* Whether sorting has torn many neighbours apart, as on unstructured meshes. Where it moves long runs, rows are side by
   side as they are, and the columns of a structured mesh, too, which a new order would spoil. */
static bool order_is_worthwhile(const ritz_matrix *from)
{
    const int32_t *order = from->host_permutation;
    int64_t torn = 0;
#pragma omp parallel for schedule(static) reduction(+ : torn) if (from->n_rows > RITZ_ROWS_FOR_THREADS)
    for (int32_t i = 1; i < from->n_rows; i++)
        torn += order[i] != order[i - 1] + 1;
    return (double)torn > ritz_device_tuned(from->device, RITZ_SOLVE_ORDER_TORN) * from->n_rows;
}

ritz_status ritz_slices_sort_rows(const ritz_matrix *from, ritz_matrix **matrix)
{
    ritz_status status = RITZ_OK;
    ritz_matrix *m = NULL;
    *matrix = NULL;
    if (!is_possible(from) || !order_is_worthwhile(from))
        return RITZ_OK;
    RITZ_TRY(ritz_matrix_create_like(from, from->precision, &m));
    m->permuted = false;
    m->columns = m->row_length = m->row_slot = m->permutation = NULL;
    m->host_permutation = NULL;
    m->host_row_slot = NULL;
    const int64_t n = m->n_rows, n_positions = (int64_t)m->n_slices * m->slice_height;
    const char *what = "the structure of a matrix in order";
    RITZ_NEW(m->host_row_slot, n);
#pragma omp parallel for schedule(static) if (n > RITZ_ROWS_FOR_THREADS)
    for (int32_t s = 0; s < m->n_slices; s++)
        for (int64_t i = (int64_t)s * m->slice_height, k = 0; k < m->slice_height && i + k < n; k++)
            m->host_row_slot[i + k] = m->host_slice_start[s] + k;
    RITZ_TRY(ritz_buffer_create(m->device, m->n_slots * 4, what, &m->columns));
    RITZ_TRY(ritz_buffer_create(m->device, n_positions * 4, what, &m->permutation));
    RITZ_TRY(ritz_buffer_create(m->device, n * 8, what, &m->row_slot));
    RITZ_TRY(ritz_buffer_create(m->device, n * 4, what, &m->row_length));
    RITZ_TRY(follow_sorted_rows(from, m));
    RITZ_TRY(ritz_matrix_compress_columns(m));
    *matrix = m;
    m = NULL;
done:
    ritz_matrix_destroy(&m);
    return status;
}

int64_t ritz_matrix_row_before(const ritz_matrix *m, int64_t row)
{
    return m->into_order ? (int64_t)m->like->host_permutation[row / m->block] * m->block + row % m->block : row;
}

/* ---- Vectors ---- */

static ritz_status move_vector(const ritz_matrix *m, ritz_kernel *kernel, const ritz_buffer *from, ritz_buffer *to)
{
    return RITZ_LAUNCH(kernel, ritz_matrix_range(kernel, m->n_rows), NULL, RITZ_INT(m->n_rows),
                       RITZ_BUFFER(m->like->permutation), RITZ_BUFFER(from), RITZ_BUFFER(to));
}

ritz_status ritz_matrix_into_order(const ritz_matrix *m, const ritz_buffer *v, ritz_buffer *ordered)
{
    return move_vector(m, m->into_order, v, ordered);
}

ritz_status ritz_matrix_out_of_order(const ritz_matrix *m, const ritz_buffer *ordered, ritz_buffer *v)
{
    return move_vector(m, m->out_of_order, ordered, v);
}
