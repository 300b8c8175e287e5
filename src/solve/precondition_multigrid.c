/* Multigrid as a preconditioner: one cycle for D^-1/2 A D^-1/2. A fixed symmetric operator, but for the rounding of its
   vectors, so that plain conjugate gradients are right. */
#include "solve/krylov.h"

static ritz_multigrid *own(const krylov *k)
{
    return k->preconditioner.own;
}

ritz_status ritz_multigrid_kind_create(krylov *k)
{
    ritz_status status = RITZ_OK;
    const krylov_preconditioner *p = &k->preconditioner;
    ritz_multigrid *m = NULL;
    const ritz_multigrid_options options = {.block = p->unknowns_per_node,
                                            .columns = p->near_nullspace_columns,
                                            .nullspace = p->near_nullspace,
                                            .weight = k->vector[VECTOR_D],
                                            .vectors = k->in_use->precision,
                                            .values = p->storage,
                                            .degree = p->degree};
    RITZ_TRY(ritz_multigrid_create(k->matrix, &options, &m));
    k->preconditioner.own = m;
done:
    return status;
}

ritz_status ritz_multigrid_kind_apply(krylov *k, const ritz_buffer **z, krylov_sum *sum)
{
    ritz_status status = RITZ_OK;
    ritz_multigrid_step last;
    RITZ_TRY(ritz_multigrid_apply(own(k), k->preconditioner.r, &last));
    if (sum)
        RITZ_TRY(ritz_krylov_product(k, last.matrix, &last.product, last.x, last.y, sum));
    else
        RITZ_TRY(ritz_matrix_product(last.matrix, &last.product, last.x, last.y, NULL));
    *z = last.y;
done:
    return status;
}

int64_t ritz_multigrid_kind_cost(const krylov *k, const krylov_precision *in)
{
    (void)in; /* there is but one */
    return ritz_multigrid_cycle_bytes(own(k));
}

void ritz_multigrid_kind_report(const krylov *k, ritz_solve_report *report)
{
    const ritz_multigrid *m = own(k);
    report->degree = k->preconditioner.degree;
    report->vectors = k->in_use->precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
    report->storage = k->preconditioner.storage;
    report->n_levels = ritz_multigrid_n_levels(m);
    report->operator_complexity = ritz_multigrid_complexity(m);
    for (int l = 0; l < report->n_levels; l++) {
        const ritz_multigrid_level_info info = ritz_multigrid_get_level(m, l);
        report->levels[l] = (ritz_solve_level){.n_rows = info.n_rows,
                                               .n_nonzeros = info.n_nonzeros,
                                               .n_nodes = info.n_nodes,
                                               .n_aggregates = info.n_aggregates};
    }
    report->largest_eigenvalue = ritz_multigrid_get_level(m, 0).largest_eigenvalue;
}

void ritz_multigrid_kind_mend(krylov *k)
{
    ritz_multigrid_raise_bounds(own(k));
}

void ritz_multigrid_kind_destroy(krylov *k)
{
    ritz_multigrid *m = own(k);
    ritz_multigrid_destroy(&m);
    k->preconditioner.own = NULL;
}
