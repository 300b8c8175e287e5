/* The finest level's scaling by the Cholesky factors of its diagonal blocks, beyond D^-1/2: one node's unknowns are then alike in all
   directions, as those of coarse levels are. */
#include "multigrid/levels.h"

#include <stdio.h>

/* Of symmetric matrices in place whose blocks are nodes: of tets of order 1, and of nearly incompressible materials, a fifth of the
   iterations. In the plane it gains next to nothing but for triangles of order 1 (20 iterations become 17), and takes 12 bytes a
   node. Levels that are solved directly are not in place. */
static bool is_worth_it(const ritz_multigrid *m, const ritz_block_rows *a)
{
    return a->in_slices && !a->expanded && a->height > 2 && !m->options.unsymmetric;
}

static ritz_status get_kernels(ritz_multigrid *m, int block, bool ragged)
{
    ritz_status status = RITZ_OK;
    char options[48];
    for (int transposed = 0; transposed < 2; transposed++) {
        snprintf(options, sizeof options, "-DTRANSPOSED=%d -DRAGGED=%d", transposed, ragged);
        RITZ_TRY(ritz_multigrid_kernel(m->device, m->options.vectors, "multigrid/kernels/scale_nodes.cl", block, block,
                                       options, "scale_nodes", &m->scale_nodes[transposed]));
    }
done:
    return status;
}

ritz_status ritz_multigrid_factor_nodes(ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *rows)
{
    ritz_status status = RITZ_OK;
    const ritz_block_rows *a = rows->a;
    const int64_t bytes = (int64_t)a->n_rows * (a->height * (a->height + 1) / 2) * 4;
    ritz_kernel *factor = NULL;
    char options[48] = "-DMODES=0";
    if (!is_worth_it(m, a)) {
        ritz_buffer_destroy(&m->factor);
        return RITZ_OK;
    }
    if (!m->factor)
        RITZ_TRY(ritz_buffer_create(m->device, bytes, "the scaling of the finest level", &m->factor));
    RITZ_TRY(get_kernels(m, a->height, matrix->n_unknowns % a->height != 0));
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

ritz_status ritz_multigrid_scale_nodes(const ritz_multigrid *m, bool transposed, ritz_buffer *x)
{
    const ritz_multigrid_level_info *finest = &m->level->info;
    ritz_kernel *scale = m->scale_nodes[transposed];
    if (!m->factor)
        return RITZ_OK;
    return RITZ_LAUNCH(scale, ritz_block_rows_range(scale, m->device, finest->n_nodes), NULL, RITZ_INT(finest->n_nodes),
                       RITZ_LONG(finest->n_rows), RITZ_BUFFER(m->factor), RITZ_BUFFER(x));
}
