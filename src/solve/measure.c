/* What residuals are measured by, and the start that goes with it. */
#include "solve/krylov.h"

#include <float.h>
#include <math.h>

/* Whether the square of a norm, times that of the tolerance, is a number with all its digits. */
static bool leaves_room(const krylov *k, double square, double tolerance)
{
    const bool wide = k->accum == RITZ_F64;
    const double least = wide ? DBL_MIN : (double)FLT_MIN,
                 digits = fmax(tolerance, wide ? DBL_EPSILON : (double)FLT_EPSILON);
    return isfinite(square) && square * digits * digits >= least;
}

ritz_status ritz_krylov_residual_of_zero(krylov *k, const ritz_buffer *b, double sums[2])
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_copy(b, 0, k->vector[VECTOR_R], 0, k->n * ritz_real_bytes(k->precision)));
    RITZ_TRY(ritz_buffer_zero(k->vector[VECTOR_Q]));
    RITZ_TRY(ritz_krylov_residual(k, sums));
done:
    return status;
}

/* So little of the right-hand side is left once each row is solved by itself where rows that know their unknown, as those of prescribed
   values do, are nearly all of it. Less than rounding: then that is the solution. */
static const double own_rows = 1e-2, rounding = 64;

/* Rows of the identity beside a small coefficient, or of penalties, may be nearly all of a right-hand side: its norm would tell nothing of
   the others. So what is left of it by x = D^-1 b is measured instead where that is far less; and an iteration from 0 begins there. */
static ritz_status leave_own_rows(krylov *k, const ritz_buffer *x, krylov_loop *l)
{
    ritz_status status = RITZ_OK;
    double start, sums[2];
    const ritz_buffer *inverse = k->own_rows ? k->own_rows : k->vector[VECTOR_D];
    RITZ_TRY(ritz_krylov_weigh_solution(k, &start));
    l->from_zero = start == 0;
    RITZ_TRY(RITZ_LAUNCH(k->solve_rows, ritz_krylov_all(k), NULL, KRYLOV_PACKS(k), KRYLOV_VECTOR(k, VECTOR_R),
                         RITZ_BUFFER(inverse), KRYLOV_VECTOR(k, VECTOR_X)));
    RITZ_TRY(ritz_krylov_multiply(k, VECTOR_X, VECTOR_Q));
    RITZ_TRY(ritz_krylov_residual(k, sums));
    const double share = sqrt(sums[0] / l->norm);
    if (share < own_rows && share > rounding * ritz_krylov_epsilon(k) && leaves_room(k, sums[0], l->tolerance)) {
        ritz_log("solve: rows that know their unknown are all of the right-hand side but %.2g, by which residuals are "
                 "measured",
                 share);
        l->norm = sums[0];
        if (l->from_zero) {
            l->from_zero = false;
            return RITZ_OK;
        }
    }
    RITZ_TRY(ritz_buffer_copy(x, 0, k->vector[VECTOR_X], 0, k->n * ritz_real_bytes(k->precision)));
done:
    return status;
}

/* Behind the last unknown all vectors hold zeros, which sums rely on: a solve that met NaN may have left it there. */
static ritz_status clear_padding(krylov *k)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < N_VECTORS && k->n_padded > k->n; i++)
        if (k->vector[i] && i != VECTOR_D)
            RITZ_TRY(ritz_buffer_zero_end(k->vector[i], k->n * ritz_real_bytes(k->precision)));
done:
    return status;
}

ritz_status ritz_krylov_measure(krylov *k, const ritz_buffer *b, const ritz_buffer *x, krylov_loop *l, bool *nothing)
{
    ritz_status status = RITZ_OK;
    double sums[2];
    RITZ_TRY(clear_padding(k));
    RITZ_TRY(ritz_krylov_residual_of_zero(k, b, sums));
    *nothing = !leaves_room(k, sums[0], l->tolerance) || !leaves_room(k, sums[1], l->tolerance);
    if (*nothing)
        return RITZ_OK;
    l->norm = l->whole = sums[0];
    l->plain_norm = sums[1];
    RITZ_TRY(ritz_buffer_copy(x, 0, k->vector[VECTOR_X], 0, k->n * ritz_real_bytes(k->precision)));
    RITZ_TRY(leave_own_rows(k, x, l));
done:
    return status;
}
