/* Whether the solver holds its matrices whole or in half storage. */
#include "solve/storage_choice.h"
#include "device/tuning.h"
#include "solve/precondition.h"

/* The bytes of a whole product are the same in every format. */
static bool half_is_promising(const ritz_matrix *m, const ritz_solve_options *o)
{
    const ritz_device_info *info = ritz_device_get_info(m->device);
    const ritz_fact facts[] = {{"block", m->block}, {"cached", ritz_matrix_product_bytes(m) <= info->global_cache}};
    if (o->method != RITZ_CG || ritz_preconditioner_find(o->preconditioner)->wants_whole)
        return false;
    return ritz_tuned(info, RITZ_SOLVE_HALF, facts, 2) != 0;
}

ritz_status ritz_storage_choose(const ritz_matrix *m, const ritz_solve_options *o, ritz_matrix **other)
{
    ritz_status status = RITZ_OK;
    const bool half = o->matrix == RITZ_MATRIX_AUTOMATIC ? ritz_matrix_is_half(m) || half_is_promising(m, o)
                                                         : o->matrix == RITZ_MATRIX_HALF;
    status = ritz_matrix_convert_half(m, half, other);
    const bool no_room = status == RITZ_ERROR_MEMORY || status == RITZ_ERROR_DEVICE;
    if (o->matrix == RITZ_MATRIX_AUTOMATIC && (status == RITZ_ERROR_INPUT || no_room)) {
        ritz_log("solve: the matrix stays whole: %s", ritz_message());
        status = RITZ_OK;
    }
    return status;
}
