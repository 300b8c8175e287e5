/* Half of a symmetric matrix: its kernels with their options, and its bytes. */
#include "device/tuning.h"
#include "matrix/symmetric.h"

#include <stdio.h>

bool ritz_symmetric_is_fused(const ritz_matrix *m)
{
    return ritz_device_get_info(m->device)->orders_atomics;
}

void ritz_symmetric_options(const ritz_matrix *m, bool scaled, bool sums, char *options, size_t size)
{
    const ritz_device_info *info = ritz_device_get_info(m->device);
    const ritz_fact fact = {"value", (double)ritz_value_bytes(m->value_type)};
    snprintf(options, size,
             "-DBLOCK=%d -DLANES=%d -DVALUES=%d -DPERMUTED=0 -DRAGGED=%d -DSCALED=%d -DSUMS=%d -DGROUP=1 -DAHEAD=%d "
             "-DROWS_AHEAD=%d -DFUSED=%d%s",
             m->block, RITZ_SYMMETRIC_LANES, (int)m->value_type, m->n_unknowns % m->block != 0, scaled, sums,
             (int)ritz_tuned(info, RITZ_HALF_AHEAD, &fact, 1), (int)ritz_tuned(info, RITZ_HALF_ROWS_AHEAD, &fact, 1),
             ritz_symmetric_is_fused(m), info->has_f64 ? " -DACCUM_F64" : "");
}

ritz_status ritz_symmetric_program(const ritz_matrix *m, const char *file, bool scaled, bool sums,
                                   ritz_program **program)
{
    char options[240];
    ritz_symmetric_options(m, scaled, sums, options, sizeof options);
    const char *paths[] = {"matrix/kernels/values.cl", "matrix/kernels/finish.cl", "matrix/kernels/find_block.cl",
                           file};
    return ritz_program_get(m->device, m->precision, "", paths, 4, options, program);
}

int64_t ritz_symmetric_bytes(const ritz_matrix *m)
{
    const struct ritz_symmetric *h = ritz_symmetric_of(m);
    const int64_t n_places = (int64_t)h->n_outside + m->n_rows;
    return m->n_slots * (m->block * m->block * ritz_value_bytes(m->value_type) + 2) +
           (int64_t)m->n_slices * RITZ_SYMMETRIC_LANES * 2 + (m->n_slices + (int64_t)1) * 8 +
           4 * (h->n_strips + (int64_t)1) * 4 + 2 * h->n_strips * (int64_t)4 + ritz_buffer_bytes(h->reached) +
           2 * h->n_outside * (int64_t)4 + (m->n_rows + (int64_t)1) * 4 +
           n_places * h->padded * ritz_real_bytes(m->precision);
}
