/* How the finest level's matrix is stored for the cycle: in 16 bits where it does not come from a cache and that costs no iterations. */
#include "matrix/vector.h"
#include "multigrid/levels.h"

/* A part's softest motion has the energy `softest` a unit of its square in the scaled matrix. Rounding to 11 bits leaves a residual of
   up to 1e-4 of the motion in the smoothers, which answer with errors of energy 1e-8; beside less than this they would be felt, and
   cost iterations: docs/notebook/multigrid.md. */
static const double softest_narrow = 1e-7;

ritz_value_type ritz_multigrid_first_values(const ritz_multigrid *m, const ritz_matrix *finest)
{
    const ritz_multigrid_options *o = &m->options;
    const ritz_device_info *info = ritz_device_get_info(m->device);
    const ritz_fact fact = {"cached", ritz_matrix_product_bytes(finest) <= info->global_cache};
    const bool narrow =
        !o->unsymmetric && o->vectors == RITZ_F32 && ritz_tuned(info, RITZ_MULTIGRID_NARROW, &fact, 1) != 0;
    return o->values ? o->values : narrow ? RITZ_VALUES_F16 : RITZ_VALUES_F32;
}

ritz_status ritz_multigrid_copy_finest(ritz_multigrid *m, const ritz_matrix *finest, ritz_value_type values)
{
    return ritz_matrix_copy_scaled(finest, m->options.vectors, values, true, m->options.weight, m->factor,
                                   &m->level->matrix);
}

/* to = A^-1 from on the coarsest level; z[1] = L^-1 from. */
static ritz_status solve_coarsest(const multigrid_level *l, const ritz_buffer *from, ritz_buffer *to)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_matrix_product(l->factor[0], &(ritz_product){.alpha = 1}, from, l->z[1], NULL));
    RITZ_TRY(ritz_matrix_product(l->factor[1], &(ritz_product){.alpha = 1}, l->z[1], to, NULL));
done:
    return status;
}

/* The energy of about the softest motion over its square: two steps of inverse iteration on the coarsest level, whose energies are
   those of the finest one. 0 where it is not known. */
static ritz_status find_softest(const ritz_multigrid *m, double *softest)
{
    ritz_status status = RITZ_OK;
    const multigrid_level *l = &m->level[m->n_levels - 1];
    const int64_t n = l->info.n_rows;
    double *root = NULL, energy = 0, square;
    *softest = 0;
    if (!l->factor[0])
        return RITZ_OK;
    RITZ_NEW(root, n);
    RITZ_TRY(ritz_multigrid_start_vector(l->factor[0], l->r));
    RITZ_TRY(solve_coarsest(l, l->r, l->z[0]));
    RITZ_TRY(ritz_buffer_copy(l->z[0], 0, l->r, 0, n * ritz_real_bytes(m->options.vectors)));
    RITZ_TRY(solve_coarsest(l, l->r, l->z[0]));
    RITZ_TRY(ritz_buffer_read_reals(l->z[1], m->options.vectors, 0, root, n));
    for (int64_t i = 0; i < n; i++)
        energy += root[i] * root[i];
    RITZ_TRY(ritz_multigrid_prolong(m));
    const ritz_vector motion = ritz_vector_lend(m->device, m->options.vectors, m->level->info.n_rows, m->level->z[0]);
    RITZ_TRY(ritz_vector_dot(&motion, &motion, &square));
    *softest = square > 0 ? energy / square : 0;
done:
    ritz_free(root);
    return status;
}

ritz_status ritz_multigrid_settle_values(ritz_multigrid *m, const ritz_matrix *finest, multigrid_clock *clock)
{
    ritz_status status = RITZ_OK;
    double softest;
    multigrid_level *first = m->level;
    if (m->options.values || !first->matrix || first->factor[0] || first->matrix->value_type != RITZ_VALUES_F16)
        return RITZ_OK;
    RITZ_TRY(find_softest(m, &softest));
    ritz_log("multigrid: the softest motion has an energy of about %.2g: values of %d bits", softest,
             softest >= softest_narrow ? 16 : 32);
    if (softest < softest_narrow) {
        ritz_matrix_destroy(&first->matrix);
        RITZ_TRY(ritz_multigrid_copy_finest(m, finest, RITZ_VALUES_F32));
    }
    ritz_multigrid_phase(clock, "softest motion", first->info.n_rows * ritz_real_bytes(m->options.vectors));
done:
    return status;
}

ritz_value_type ritz_multigrid_values(const ritz_multigrid *m)
{
    const multigrid_level *first = m->level;
    return first->matrix && !first->factor[0] ? first->matrix->value_type : RITZ_VALUES_F32;
}
