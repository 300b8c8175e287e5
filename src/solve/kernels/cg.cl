/* Conjugate gradients with the preconditioner d = D^-1, or with a polynomial, whose z = P r is made before the first
   kernel. Parameters: those of reduce.cl, which comes first. The product q = A p runs between cg_direction and
   cg_curvature. All do nothing once the outcome is decided, so iterations that the host sent ahead change nothing. */

/* With a polynomial: rho = r.z, which is positive where P is positive definite, and beta. */
kernel void cg_rho(const int n_partial, global accum *restrict state, const global accum *restrict partial,
                   local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const accum rho = take_sum(partial, n_partial, 0, scratch);
    if (get_local_id(0) != 0)
        return;
    if (!isfinite(rho))
        state[OUTCOME] = NOT_FINITE;
    else if (rho <= 0)
        state[OUTCOME] = PRECONDITIONER;
    state[BETA] = rho / state[RHO];
    state[RHO] = rho;
}

/* p = d r + beta p; with a polynomial r is z and p = z + beta p */
kernel void cg_direction(const long n_packs, const global accum *restrict state, const global real *restrict r,
                         const global real *restrict d, global real *restrict p)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const real beta = (real)state[BETA];
    EACH_PACK (at) {
#ifdef POLYNOMIAL
        const pack z = LOAD(r, at);
#else
        const pack z = LOAD(d, at) * LOAD(r, at);
#endif
        STORE(z + beta * LOAD(p, at), p, at);
    }
}

/* Sums p.q and p.D p: their quotient is a Rayleigh quotient of the scaled matrix. */
kernel void cg_curvature(const long n_packs, const global accum *restrict state, const global real *restrict p,
                         const global real *restrict q, const global real *restrict d, global accum *restrict partial,
                         local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    accum_pack energy = 0, size = 0;
    EACH_PACK (at) {
        const accum_pack wide = WIDEN(LOAD(p, at));
        energy += wide * WIDEN(LOAD(q, at));
        size += wide * wide / WIDEN(LOAD(d, at));
    }
    leave_sum(energy, 0, partial, scratch);
    leave_sum(size, 1, partial, scratch);
}

/* alpha = r.z / p.q. A curvature below the rounding of the product itself is none. */
kernel void cg_alpha(const int n_partial, global accum *restrict state, const global accum *restrict partial,
                     local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const accum energy = take_sum(partial, n_partial, 0, scratch);
    const accum size = take_sum(partial, n_partial, 1, scratch);
    if (get_local_id(0) != 0)
        return;
    if (!isfinite(energy) || !isfinite(size))
        state[OUTCOME] = NOT_FINITE;
    else if (energy <= size * (accum)CURVATURE_FLOOR)
        state[OUTCOME] = CURVATURE;
    else
        state[ALPHA] = state[RHO] / energy;
}

/* x += alpha p, r -= alpha q, and the sum of r.d r */
kernel void cg_update(const long n_packs, const global accum *restrict state, const global real *restrict p,
                      const global real *restrict q, const global real *restrict d, global real *restrict x,
                      global real *restrict r, global accum *restrict partial, local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const real alpha = (real)state[ALPHA];
    accum_pack sum = 0;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - alpha * LOAD(q, at);
        const accum_pack wide = WIDEN(now);
        STORE(LOAD(x, at) + alpha * LOAD(p, at), x, at);
        STORE(now, r, at);
        sum += wide * wide * WIDEN(LOAD(d, at));
    }
    leave_sum(sum, 0, partial, scratch);
}

/* The residual, whether this was the last iteration, and beta where the sum r.d r is r.z. */
kernel void cg_beta(const int n_partial, global accum *restrict state, const global accum *restrict partial,
                    local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const accum rho = take_sum(partial, n_partial, 0, scratch);
    if (get_local_id(0) != 0)
        return;
#ifndef POLYNOMIAL
    state[BETA] = rho / state[RHO];
    state[RHO] = rho;
#endif
    state[RESIDUAL] = sqrt(rho / state[NORM]);
    state[ITERATIONS] += 1;
    if (!isfinite(rho))
        state[OUTCOME] = NOT_FINITE;
    else if (state[RESIDUAL] <= state[TOLERANCE])
        state[OUTCOME] = CONVERGED;
}
