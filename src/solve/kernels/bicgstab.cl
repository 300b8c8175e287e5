/* BiCGStab, preconditioned from the right with d = D^-1; dots are weighted with |d|, which makes it BiCGStab of the
   scaled system D^-1/2 A D^-1/2 where D is positive. Parameters: those of reduce.cl, which comes first.

   An iteration is the product v = A w, w = d p, which leaves partial sums of shadow.v behind (or bicgstab_project
   does), bicgstab_half, the product t = A w, w = d s, bicgstab_fit, bicgstab_update and bicgstab_direction. Every group
   adds up the partial sums that it needs, all in the same order, so no kernel runs for the scalars alone. What a kernel
   writes into state[] nobody reads in it: bicgstab_direction keeps OUTCOME, RESIDUAL, RHO and ITERATIONS, bicgstab_half
   HALFWAY, ALPHA and RHO_BEFORE, bicgstab_update FOUND and OMEGA. Once the outcome is decided all do nothing.

   With a polynomial w = P p and w = P s come from its products, which start from `into` = D^-1/2 p and D^-1/2 s with
   `scale` = D^-1/2; without it `scale` is d. */
#ifdef APPLIED
#define INTO into
#define INTO_ARGUMENT , global real *restrict into
#else
#define INTO w
#define INTO_ARGUMENT
#endif

/* shadow = |d| r: the shadow residual with the weight included. */
kernel void bicgstab_shadow(const long n_packs, const global real *restrict r, const global real *restrict d,
                            global real *restrict shadow)
{
    EACH_PACK (at)
        STORE(LOAD(r, at) * fabs(LOAD(d, at)), shadow, at);
}

/* From the partial sums of |d| r^2 and shadow.r: the residual, whether to go on, and beta; then p = r + beta (p - omega
   v). counts: r belongs to an iteration, not to a start, where both sums are the same. A residual orthogonal to its
   shadow is a breakdown: the host starts anew with the residual of that moment as shadow. The bound was tried on
   convection-diffusion with cell Peclet numbers up to 10: at the rounding itself most solves start anew in vain, far
   below it residuals in f32 grow out of range first. */
kernel void bicgstab_direction(const long n_packs, const int n_partial, const int counts, global accum *restrict state,
                               const global accum *restrict partial, const global real *restrict r,
                               const global real *restrict v, const global real *restrict scale,
                               global real *restrict p, global real *restrict into, local accum *scratch)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, FOUND, OUTCOME))
        return;
    const accum square = take_sum(partial, n_partial, 0, scratch);
    const accum rho = counts ? take_sum(partial, n_partial, 1, scratch) : square;
    const accum wide_omega = state[OMEGA], wide_beta = rho / state[RHO_BEFORE] * (state[ALPHA] / wide_omega);
    const accum residual = sqrt(square / state[NORM]);
    const accum least_rho = (accum)(REAL_EPSILON * 1e-3f) * sqrt(state[SHADOW]) * sqrt(square);
    const int outcome = !isfinite(square) || !isfinite(rho)                          ? NOT_FINITE
                        : counts && residual <= state[TOLERANCE]                     ? CONVERGED
                        : counts && (!isfinite(wide_beta) || fabs(rho) <= least_rho) ? BREAKDOWN
                                                                                     : RUNNING;
    if (keeper) {
        state[RESIDUAL] = residual;
        state[OUTCOME] = outcome;
        state[RHO] = rho;
        state[ITERATIONS] += counts;
        if (counts)
            record_residual(state);
    }
    if (outcome != RUNNING)
        return;
    const real beta = counts ? (real)wide_beta : (real)0, omega = (real)wide_omega;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) + beta * (LOAD(p, at) - omega * LOAD(v, at));
        STORE(now, p, at);
        STORE(LOAD(scale, at) * now, into, at);
    }
}

/* The partial sums of shadow.v. */
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

/* alpha = rho / shadow.v; x += alpha w, r -= alpha v (now s). */
kernel void bicgstab_half(const long n_packs, const int n_projected, global accum *restrict state,
                          const global accum *restrict projected_partials, const global real *restrict v,
                          const global real *restrict scale, global real *restrict x, global real *restrict r,
                          global real *restrict w, local accum *scratch INTO_ARGUMENT)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, OUTCOME, HALFWAY))
        return;
    const accum projected = take_sum(projected_partials, n_projected, 0, scratch);
    const accum rho = state[RHO], wide_alpha = rho / projected;
    const int found = !isfinite(projected) ? NOT_FINITE : !isfinite(wide_alpha) ? BREAKDOWN : RUNNING;
    if (keeper) {
        state[HALFWAY] = found;
        state[ALPHA] = wide_alpha;
        state[RHO_BEFORE] = rho;
    }
    if (found != RUNNING)
        return;
    const real alpha = (real)wide_alpha;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - alpha * LOAD(v, at);
        STORE(LOAD(x, at) + alpha * LOAD(w, at), x, at);
        STORE(now, r, at);
        STORE(LOAD(scale, at) * now, INTO, at);
    }
}

/* The partial sums t.s and t.t, weighted; bicgstab_update leaves its own before them. */
kernel void bicgstab_fit(const long n_packs, const global accum *restrict state, const global real *restrict r,
                         const global real *restrict t, const global real *restrict d, global accum *restrict partial,
                         local accum *scratch)
{
    if (state[HALFWAY] != RUNNING)
        return;
    accum_pack mixed = 0, square = 0;
    EACH_PACK (at) {
        const accum_pack wide = WIDEN(LOAD(t, at)), weighted = wide * WIDEN(fabs(LOAD(d, at)));
        mixed += weighted * WIDEN(LOAD(r, at));
        square += weighted * wide;
    }
    leave_sum(mixed, 2, partial, scratch);
    leave_sum(square, 3, partial, scratch);
}

/* omega = t.s / t.t; s = 0 gives t = 0, and nothing is left to correct. x += omega w, r = s - omega t, and the partial
   sums of |d| r^2 and shadow.r. */
kernel void bicgstab_update(const long n_packs, const int n_partial, global accum *restrict state,
                            global accum *restrict partial, const global real *restrict w,
                            const global real *restrict t, const global real *restrict d,
                            const global real *restrict shadow, global real *restrict x, global real *restrict r,
                            local accum *scratch)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, HALFWAY, FOUND))
        return;
    const accum mixed = take_sum(partial, n_partial, 2, scratch);
    const accum fit = take_sum(partial, n_partial, 3, scratch);
    const accum wide_omega = fit > 0 ? mixed / fit : (accum)0;
    const int found = !isfinite(mixed) || !isfinite(fit) || !isfinite(wide_omega) ? NOT_FINITE : RUNNING;
    if (keeper) {
        state[FOUND] = found;
        state[OMEGA] = wide_omega;
    }
    if (found != RUNNING)
        return;
    const real omega = (real)wide_omega;
    accum_pack projected = 0, square = 0;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - omega * LOAD(t, at);
        const accum_pack wide = WIDEN(now);
        STORE(LOAD(x, at) + omega * LOAD(w, at), x, at);
        STORE(now, r, at);
        projected += wide * WIDEN(LOAD(shadow, at));
        square += wide * wide * WIDEN(fabs(LOAD(d, at)));
    }
    leave_sum(square, 0, partial, scratch);
    leave_sum(projected, 1, partial, scratch);
}
