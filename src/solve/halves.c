/* Whether the solver holds its matrices whole or in half storage. */
#include "solve/halves.h"
#include "solve/solve.h"

/* What was measured (docs/notebook/half-storage.md). Half the bytes make a product faster where memory bounds it and the work a
   block is small beside them: on CPUs, and with blocks of 3. With blocks of 1 and 2 a product gains little or nothing;
   inside the last cache there is little to be won in all, and kernels of its own to be compiled. A GPU's whole product
   runs at the rate of its memory, which half storage can not reach. Halves are asked about first: with them a polynomial
   is not blocked by levels, and was about as fast as a whole one blocked, or faster. */
enum { BLOCK = 3 };

/* The bytes of a whole product are the same in every format. */
static bool is_promising(const ritz_matrix *m, const ritz_solve_options *o)
{
    const ritz_device_info *info = ritz_device_get_info(m->device);
    return o->method == RITZ_CG && o->powers != RITZ_POWERS_BLOCKED && info->kind == RITZ_DEVICE_CPU &&
           m->block == BLOCK && ritz_matrix_product_bytes(m) > info->global_cache;
}

ritz_status ritz_halves_convert(const ritz_matrix *m, const ritz_solve_options *o, ritz_matrix **other)
{
    ritz_status status = RITZ_OK;
    const bool half = m->symmetric != NULL;
    const ritz_matrix_options options = {.precision = m->precision, .values = m->value_type, .symmetric = !half};
    *other = NULL;
    RITZ_REQUIRE(
        o->matrix != RITZ_MATRIX_HALF || o->method == RITZ_CG, RITZ_ERROR_INPUT,
        "half of the matrix is enough for symmetric ones, which cg solves, and this method is bicgstab; choose "
        "matrix whole");
    if (half ? o->matrix != RITZ_MATRIX_WHOLE
             : o->matrix == RITZ_MATRIX_WHOLE || (o->matrix == RITZ_MATRIX_AUTOMATIC && !is_promising(m, o)))
        return RITZ_OK;
    status = ritz_matrix_convert(m, &options, m->block, other);
    if (o->matrix == RITZ_MATRIX_AUTOMATIC && (status == RITZ_ERROR_INPUT || status == RITZ_ERROR_MEMORY)) {
        ritz_log("solve: the matrix stays whole: %s", ritz_message());
        status = RITZ_OK;
    }
done:
    return status;
}
