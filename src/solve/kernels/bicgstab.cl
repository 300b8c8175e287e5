/* BiCGStab, preconditioned from the right with d = D^-1; dots are weighted with |d|, which makes it BiCGStab of the
   scaled system D^-1/2 A D^-1/2 where D is positive. With a polynomial, w = P p and w = P s come from its
   products instead. Parameters: those of reduce.cl, which comes first. v = A w runs after the first kernel, t = A w
   after bicgstab_half. All do nothing once the outcome is decided. */

/* shadow = |d| r: the shadow residual with the weight folded in. */
kernel void bicgstab_shadow(const long n_packs, const global real *restrict r, const global real *restrict d,
                            global real *restrict shadow)
{
    EACH_PACK (at)
        STORE(LOAD(r, at) * fabs(LOAD(d, at)), shadow, at);
}

/* p = r + beta (p - omega v), w = d p */
kernel void bicgstab_direction(const long n_packs, const global accum *restrict state, const global real *restrict r,
                               const global real *restrict v, const global real *restrict d, global real *restrict p,
                               global real *restrict w)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const real beta = (real)state[BETA], omega = (real)state[OMEGA];
    EACH_PACK (at) {
        const pack now = LOAD(r, at) + beta * (LOAD(p, at) - omega * LOAD(v, at));
        STORE(now, p, at);
#ifndef POLYNOMIAL
        STORE(LOAD(d, at) * now, w, at);
#endif
    }
}

/* The sum shadow.v */
kernel void bicgstab_project(const long n_packs, const global accum *restrict state, const global real *restrict shadow,
                             const global real *restrict v, global accum *restrict partial, local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    accum_pack sum = 0;
    EACH_PACK (at)
        sum += WIDEN(LOAD(shadow, at)) * WIDEN(LOAD(v, at));
    leave_sum(sum, 0, partial, scratch);
}

kernel void bicgstab_alpha(const int n_partial, global accum *restrict state, const global accum *restrict partial,
                           local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const accum projected = take_sum(partial, n_partial, 0, scratch);
    if (get_local_id(0) != 0)
        return;
    const accum alpha = state[RHO] / projected;
    if (!isfinite(projected))
        state[OUTCOME] = NOT_FINITE;
    else if (!isfinite(alpha))
        state[OUTCOME] = BREAKDOWN;
    else
        state[ALPHA] = alpha;
}

/* r -= alpha v (now s), x += alpha w, w = d s */
kernel void bicgstab_half(const long n_packs, const global accum *restrict state, const global real *restrict v,
                          const global real *restrict d, global real *restrict x, global real *restrict r,
                          global real *restrict w)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const real alpha = (real)state[ALPHA];
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - alpha * LOAD(v, at);
        STORE(LOAD(x, at) + alpha * LOAD(w, at), x, at);
        STORE(now, r, at);
#ifndef POLYNOMIAL
        STORE(LOAD(d, at) * now, w, at);
#endif
    }
}

/* The sums t.s and t.t, weighted */
kernel void bicgstab_fit(const long n_packs, const global accum *restrict state, const global real *restrict r,
                         const global real *restrict t, const global real *restrict d, global accum *restrict partial,
                         local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    accum_pack mixed = 0, square = 0;
    EACH_PACK (at) {
        const accum_pack wide = WIDEN(LOAD(t, at)), weighted = wide * WIDEN(fabs(LOAD(d, at)));
        mixed += weighted * WIDEN(LOAD(r, at));
        square += weighted * wide;
    }
    leave_sum(mixed, 0, partial, scratch);
    leave_sum(square, 1, partial, scratch);
}

/* omega; s = 0 gives t = 0, and nothing is left to correct. */
kernel void bicgstab_omega(const int n_partial, global accum *restrict state, const global accum *restrict partial,
                           local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const accum mixed = take_sum(partial, n_partial, 0, scratch);
    const accum square = take_sum(partial, n_partial, 1, scratch);
    if (get_local_id(0) != 0)
        return;
    const accum omega = square > 0 ? mixed / square : (accum)0;
    if (!isfinite(mixed) || !isfinite(square) || !isfinite(omega))
        state[OUTCOME] = NOT_FINITE;
    else
        state[OMEGA] = omega;
}

/* x += omega w, r = s - omega t, and the sums shadow.r and |d| r^2 */
kernel void bicgstab_update(const long n_packs, const global accum *restrict state, const global real *restrict w,
                            const global real *restrict t, const global real *restrict d,
                            const global real *restrict shadow, global real *restrict x, global real *restrict r,
                            global accum *restrict partial, local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const real omega = (real)state[OMEGA];
    accum_pack projected = 0, square = 0;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - omega * LOAD(t, at);
        const accum_pack wide = WIDEN(now);
        STORE(LOAD(x, at) + omega * LOAD(w, at), x, at);
        STORE(now, r, at);
        projected += wide * WIDEN(LOAD(shadow, at));
        square += wide * wide * WIDEN(fabs(LOAD(d, at)));
    }
    leave_sum(projected, 0, partial, scratch);
    leave_sum(square, 1, partial, scratch);
}

/* beta, the residual, and whether to go on. A residual orthogonal to its shadow is a breakdown: the host starts anew
   with the residual of that moment as shadow. The bound was tried on convection-diffusion with cell Peclet numbers up
   to 10: at the rounding itself most solves start anew in vain, far below it residuals in f32 grow out of range first.
 */
kernel void bicgstab_beta(const int n_partial, global accum *restrict state, const global accum *restrict partial,
                          local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const accum rho = take_sum(partial, n_partial, 0, scratch);
    const accum square = take_sum(partial, n_partial, 1, scratch);
    if (get_local_id(0) != 0)
        return;
    const accum beta = rho / state[RHO] * (state[ALPHA] / state[OMEGA]);
    state[RESIDUAL] = sqrt(square / state[NORM]);
    state[ITERATIONS] += 1;
    if (!isfinite(square) || !isfinite(rho))
        state[OUTCOME] = NOT_FINITE;
    else if (state[RESIDUAL] <= state[TOLERANCE])
        state[OUTCOME] = CONVERGED;
    else if (!isfinite(beta) || fabs(rho) <= (accum)(REAL_EPSILON * 1e-3f) * sqrt(state[SHADOW]) * sqrt(square))
        state[OUTCOME] = BREAKDOWN;
    state[BETA] = beta;
    state[RHO] = rho;
    record(state);
}
