/* The near-nullspace of the finest level: given, or made of the coordinates of nodes; and what scales it. */
#include "base/point.h"
#include "multigrid/levels.h"

#include <stdio.h>
#include <string.h>

/* A constant for each unknown of a node, where the caller gives nothing. */
static ritz_status fill_constants(int64_t n_rows, int block, double **values)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(*values, n_rows * block * block);
    for (int64_t row = 0; row < n_rows; row++)
        for (int c = 0; c < block; c++)
            (*values)[(row * block + c) * block + c] = 1;
done:
    return status;
}

static bool is_zero(int64_t n, int columns, int c, const double *values)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i * columns + c] != 0)
            return false;
    return true;
}

/* nullspace: from the caller's vectors, or constants. */
static ritz_status write_vectors(const ritz_multigrid_options *o, int64_t n, const ritz_block_rows *a, int columns,
                                 ritz_buffer *nullspace)
{
    ritz_status status = RITZ_OK;
    double *constants = NULL;
    const int64_t bad = o->nullspace ? ritz_find_not_finite(n * columns, o->nullspace) : n * columns;
    RITZ_REQUIRE(bad == n * columns, RITZ_ERROR_INPUT,
                 "the near-nullspace has a number that is not finite, of row %lld and vector %lld",
                 (long long)(bad / columns), (long long)(bad % columns));
    for (int c = 0; o->nullspace && c < columns; c++)
        RITZ_REQUIRE(!is_zero(n, columns, c, o->nullspace), RITZ_ERROR_INPUT,
                     "vector %d of the near-nullspace is zero; give a motion of little energy, or leave it out", c);
    if (!o->nullspace)
        RITZ_TRY(fill_constants(a->n_rows, a->height, &constants));
    RITZ_TRY(ritz_buffer_write_reals(nullspace, a->precision, 0, o->nullspace ? o->nullspace : constants,
                                     o->nullspace ? n * columns : (int64_t)a->n_rows * a->height * columns));
done:
    ritz_free(constants);
    return status;
}

/* In which rigid motions are told: about the middle of all nodes, the longest side of their box being 1. */
typedef struct motion_frame {
    double middle[3], size;
} motion_frame;

static ritz_status find_frame(int dim, int64_t n_nodes, const double *coordinates, motion_frame *f)
{
    ritz_status status = RITZ_OK;
    const int64_t bad = ritz_find_not_finite(n_nodes * dim, coordinates);
    RITZ_REQUIRE(bad == n_nodes * dim, RITZ_ERROR_INPUT, "coordinate %d of node %lld is not finite", (int)(bad % dim),
                 (long long)(bad / dim));
    f->size = ritz_middle_of_points(dim, n_nodes, coordinates, f->middle);
    RITZ_REQUIRE(f->size > 0, RITZ_ERROR_INPUT, "the coordinates of all nodes are the same");
done:
    return status;
}

/* The coordinates, of which the middle is taken here where single precision would lose what is left of them. */
static ritz_status write_coordinates(int dim, int64_t n_nodes, const double *coordinates, ritz_precision precision,
                                     motion_frame *f, ritz_buffer *buffer)
{
    enum { PIECE = 1 << 20, FOR_THREADS = 1 << 14 }; /* nodes */
    ritz_status status = RITZ_OK;
    float *piece = NULL;
    if (precision == RITZ_F64)
        return ritz_buffer_write(buffer, 0, coordinates, n_nodes * dim * 8);
    RITZ_NEW(piece, ritz_min64(n_nodes, PIECE) * dim);
    for (int64_t first = 0; first < n_nodes; first += PIECE) {
        const double *const from = coordinates + first * dim;
        const int64_t n = ritz_min64(PIECE, n_nodes - first);
#pragma omp parallel for schedule(static) if (n > FOR_THREADS)
        for (int64_t node = 0; node < n; node++)
            for (int d = 0; d < dim; d++)
                piece[node * dim + d] = (float)(from[node * dim + d] - f->middle[d]);
        RITZ_TRY(ritz_buffer_write(buffer, first * dim * 4, piece, n * dim * 4));
    }
    memset(f->middle, 0, sizeof f->middle);
done:
    ritz_free(piece);
    return status;
}

/* nullspace: rigid motions, from the coordinates alone: a third or a sixth of what they would be to send. */
static ritz_status make_rigid_motions(const ritz_matrix *matrix, const double *coordinates, const ritz_block_rows *a,
                                      int columns, ritz_buffer *nullspace)
{
    ritz_status status = RITZ_OK;
    const int dim = a->height;
    const int64_t n_nodes = matrix->n_unknowns / dim;
    ritz_buffer *buffer = NULL;
    ritz_kernel *make = NULL;
    motion_frame f;
    RITZ_TRY(find_frame(dim, n_nodes, coordinates, &f));
    RITZ_TRY(ritz_buffer_create(a->device, n_nodes * dim * ritz_real_bytes(a->precision), "coordinates", &buffer));
    RITZ_TRY(write_coordinates(dim, n_nodes, coordinates, a->precision, &f, buffer));
    RITZ_TRY(ritz_multigrid_nullspace_kernel(matrix, a, columns, "rigid_motions", &make));
    RITZ_TRY(RITZ_LAUNCH(make, ritz_block_rows_range(make, a->device, n_nodes), NULL, RITZ_INT((int32_t)n_nodes),
                         RITZ_REAL(a->precision, f.middle[0]), RITZ_REAL(a->precision, f.middle[1]),
                         RITZ_REAL(a->precision, f.middle[2]), RITZ_REAL(a->precision, f.size), RITZ_BUFFER(buffer),
                         RITZ_BUFFER(nullspace)));
done:
    ritz_buffer_destroy(&buffer);
    return status;
}

ritz_status ritz_multigrid_take_nullspace(const ritz_multigrid *m, const ritz_matrix *matrix, const ritz_block_rows *a,
                                          int columns, ritz_buffer **nullspace)
{
    ritz_status status = RITZ_OK;
    ritz_buffer *b = NULL;
    const ritz_multigrid_options *o = &m->options;
    const int64_t n_values = (int64_t)a->n_rows * a->height * columns;
    RITZ_TRY(ritz_buffer_create(a->device, n_values * ritz_real_bytes(a->precision), "the near-nullspace", &b));
    RITZ_TRY(ritz_buffer_zero(b));
    if (o->coordinates)
        RITZ_TRY(make_rigid_motions(matrix, o->coordinates, a, columns, b));
    else
        RITZ_TRY(write_vectors(o, matrix->n_unknowns, a, columns, b));
    *nullspace = b;
    b = NULL;
done:
    ritz_buffer_destroy(&b);
    return status;
}

ritz_status ritz_multigrid_nullspace_kernel(const ritz_matrix *matrix, const ritz_block_rows *a, int columns,
                                            const char *name, ritz_kernel **kernel)
{
    char options[48];
    snprintf(options, sizeof options, "-DWEIGHT=%s", matrix->precision == RITZ_F64 ? "double" : "float");
    ritz_multigrid_add_slices(a, options, sizeof options);
    return ritz_multigrid_kernel(a->device, a->precision, "multigrid/kernels/nullspace.cl", a->height, columns, options,
                                 name, kernel);
}

ritz_status ritz_multigrid_scale_nullspace(const ritz_multigrid *m, const ritz_matrix *matrix, const ritz_block_rows *a,
                                           int columns, ritz_buffer *nullspace)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *scale = NULL;
    RITZ_TRY(ritz_multigrid_nullspace_kernel(matrix, a, columns, "scale_nullspace", &scale));
    const ritz_argument arguments[] = {RITZ_INT(a->n_rows),
                                       RITZ_LONG(matrix->n_unknowns),
                                       RITZ_BUFFER(a->row_start),
                                       RITZ_BUFFER(a->columns),
                                       RITZ_BUFFER(ritz_block_rows_values(a)),
                                       RITZ_BUFFER(m->options.weight),
                                       RITZ_BUFFER(nullspace),
                                       RITZ_BUFFER(a->row_slot),
                                       RITZ_BUFFER(a->slot_of_row)};
    RITZ_TRY(ritz_block_rows_launch(scale, ritz_block_rows_range(scale, a->device, a->n_rows), arguments,
                                    sizeof arguments / sizeof *arguments));
done:
    return status;
}

ritz_status ritz_multigrid_take_roots(const ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *rows)
{
    ritz_status status = RITZ_OK;
    ritz_kernel *take = NULL;
    const ritz_block_rows *a = rows->a;
    const int64_t n = (int64_t)a->n_rows * a->height;
    if (!a->in_slices)
        return RITZ_OK;
    RITZ_TRY(ritz_multigrid_nullspace_kernel(matrix, a, rows->columns, "take_roots", &take));
    RITZ_TRY(ritz_buffer_create(a->device, n * ritz_real_bytes(a->precision), "the scaling of a matrix", &rows->root));
    RITZ_TRY(RITZ_LAUNCH(take, ritz_block_rows_range(take, a->device, n), NULL, RITZ_LONG(n),
                         RITZ_LONG(matrix->n_unknowns), RITZ_BUFFER(m->options.weight), RITZ_BUFFER(rows->root)));
done:
    return status;
}
