/* The finest level's scaling by the Cholesky factors of its diagonal blocks, beyond D^-1/2: one node's unknowns are then alike in all
   directions, as those of coarse levels are. */
#include "multigrid/levels.h"

#include <stdio.h>

/* Of symmetric matrices in place whose blocks are nodes: of tets of order 1, and of nearly incompressible materials, a fifth of the
   iterations. In the plane it gains next to nothing but for triangles of order 1 (20 iterations become 17), and takes 12 bytes a
   node; a level that is solved directly needs none. */
static bool is_worth_it(const ritz_multigrid *m, const ritz_matrix *matrix, const ritz_block_rows *a)
{
    return a->in_slices && !a->expanded && a->height > 2 && !m->options.unsymmetric &&
           (double)matrix->n_unknowns > ritz_device_tuned(m->device, RITZ_MULTIGRID_DIRECT);
}

ritz_status ritz_multigrid_factor_nodes(ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *rows)
{
    ritz_status status = RITZ_OK;
    const ritz_block_rows *a = rows->a;
    const int64_t bytes = (int64_t)a->n_rows * (a->height * (a->height + 1) / 2) * 4;
    ritz_kernel *factor = NULL;
    char options[48] = "-DMODES=0";
    if (!is_worth_it(m, matrix, a)) {
        ritz_buffer_destroy(&m->factor);
        return RITZ_OK;
    }
    if (!m->factor)
        RITZ_TRY(ritz_buffer_create(m->device, bytes, "the scaling of the finest level", &m->factor));
    ritz_multigrid_add_slices(a, options, sizeof options);
    RITZ_TRY(ritz_multigrid_kernel(m->device, a->precision, "multigrid/kernels/scale_level.cl", a->height, a->width,
                                   options, "factor_nodes", &factor));
    RITZ_TRY(RITZ_LAUNCH(factor, ritz_block_rows_range(factor, m->device, a->n_rows), NULL, RITZ_INT(a->n_rows),
                         RITZ_BUFFER(a->row_start), RITZ_BUFFER(a->columns), RITZ_BUFFER(ritz_block_rows_values(a)),
                         RITZ_BUFFER(rows->root), RITZ_BUFFER(m->factor), RITZ_BUFFER(a->row_slot),
                         RITZ_BUFFER(a->slot_of_row)));
    rows->factor = m->factor;
    ritz_multigrid_phase(rows->clock, "scaling of nodes", bytes);
done:
    return status;
}

ritz_status ritz_multigrid_scale_nodes(const ritz_multigrid *m, bool transposed, const ritz_buffer *x)
{
    ritz_status status = RITZ_OK;
    const multigrid_level *finest = m->level;
    ritz_kernel *scale = NULL;
    char options[48];
    if (!m->factor)
        return RITZ_OK;
    snprintf(options, sizeof options, "-DTRANSPOSED=%d -DRAGGED=%d", transposed,
             finest->info.n_rows % finest->block != 0);
    RITZ_TRY(ritz_multigrid_kernel(m->device, m->options.vectors, "multigrid/kernels/scale_nodes.cl", finest->block,
                                   finest->block, options, "scale_nodes", &scale));
    RITZ_TRY(RITZ_LAUNCH(scale, ritz_block_rows_range(scale, m->device, finest->info.n_nodes), NULL,
                         RITZ_INT(finest->info.n_nodes), RITZ_LONG(finest->info.n_rows), RITZ_BUFFER(m->factor),
                         RITZ_BUFFER(x)));
done:
    return status;
}
