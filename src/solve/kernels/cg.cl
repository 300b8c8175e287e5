/* Conjugate gradients (Zhang and Zhang (2013), Algorithm 1) with the preconditioner d = D^-1 or a polynomial.
   Parameters: those of reduce.cl, which comes first.

   An iteration is the product q = A p, which leaves partial sums of p.q behind, cg_update, with a polynomial its
   products, of which the last leaves partial sums of r.z, and cg_direction. Every group adds up the partial sums that
   it needs, all in the same order, so no kernel runs for the scalars alone. What a kernel writes into state[] nobody
   reads in it: cg_direction keeps OUTCOME, RESIDUAL, RHO and what `record` does, cg_update FOUND, RHO_BEFORE,
   ITERATIONS and ENERGY. Once the outcome is decided both do nothing, so iterations that the host sent ahead change
   nothing.

   With a polynomial the vector `scale` is D^-1/2, the polynomial starts from `into` = D^-1/2 r and ends in z with
   D^-1/2 z the preconditioned residual; without it `scale` is D^-1 and z is r. */
#ifdef APPLIED
#define APPLIED_ARGUMENTS , const int n_inner, const global accum *restrict inner_partials
#define INTO_ARGUMENT , global inner *restrict into
#else
#define APPLIED_ARGUMENTS
#define INTO_ARGUMENT
#endif

/* From the partial sums of r.D^-1 r and r.z: the residual and whether to go on; then p = D^-1/2 z + beta p and the
   partial sums of p.D p. counts: r belongs to an iteration, not to a start. */
kernel void cg_direction(const long n_packs, const int n_partial, const int counts, global accum *restrict state,
                         global accum *restrict partial, const global inner *restrict z,
                         const global real *restrict scale, global real *restrict p,
                         local accum *scratch APPLIED_ARGUMENTS)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, FOUND, OUTCOME))
        return;
    const accum square = take_sum(partial, n_partial, 0, scratch);
#ifdef APPLIED
    const accum rho = take_sum(inner_partials, n_inner, 0, scratch);
#else
    const accum rho = square;
#endif
    const accum residual = sqrt(square / state[NORM]), beta = rho / state[RHO_BEFORE];
    const int outcome = !isfinite(square) || !isfinite(rho)  ? NOT_FINITE
                        : counts && residual <= state[TOLERANCE] ? CONVERGED
                        : rho <= 0                               ? PRECONDITIONER
                                                                 : RUNNING;
    if (keeper) {
        state[RESIDUAL] = residual;
        state[OUTCOME] = outcome;
        state[RHO] = rho;
        state[LARGEST] = state[LARGEST_NOW];
        if (counts)
            record_residual(state);
    }
    if (outcome != RUNNING)
        return;
    const real unit = UNIT(state);
    accum_pack size = 0;
    EACH_PACK (at) {
        const pack s = LOAD(scale, at);
        const pack now = unit * s * LOAD_INNER(z, at) + (real)beta * LOAD(p, at);
        const accum_pack wide = WIDEN(now);
        STORE(now, p, at);
#ifdef APPLIED
        const accum_pack scaled = wide / WIDEN(s);
        size += scaled * scaled;
#else
        size += wide * wide / WIDEN(s);
#endif
    }
    leave_sum(size, 1, partial, scratch);
}

/* alpha = r.z / p.q; x += alpha p, r -= alpha q, and the partial sums of r.D^-1 r. p.q / p.D p is a Rayleigh quotient
   of the scaled matrix, whose largest eigenvalue is about 1: a curvature below the rounding of the product itself is none. */
kernel void cg_update(const long n_packs, const int n_partial, const int n_outer, global accum *restrict state,
                      global accum *restrict partial, const global accum *restrict outer,
                      const global real *restrict p, const global real *restrict q, const global real *restrict scale,
                      global real *restrict x, global real *restrict r, local accum *scratch INTO_ARGUMENT)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, OUTCOME, FOUND))
        return;
    const accum energy = take_sum(outer, n_outer, 0, scratch);
    const accum size = take_sum(partial, n_partial, 1, scratch);
    const accum rho = state[RHO], wide_alpha = rho / energy;
#ifdef UNSCALED
    const accum floor = (accum)CURVATURE_FLOOR * state[LARGEST];
#else
    const accum floor = CURVATURE_FLOOR;
#endif
    const int found = !isfinite(energy) || !isfinite(size) ? NOT_FINITE
                      : energy <= size * floor             ? CURVATURE
                                                           : RUNNING;
    if (keeper) {
        state[FOUND] = found;
        state[RHO_BEFORE] = rho;
        state[LARGEST_NOW] = fmax(state[LARGEST], energy / size);
        state[ITERATIONS] += found == RUNNING;
        state[ENERGY] += found == RUNNING ? wide_alpha * rho : (accum)0;
    }
    if (found != RUNNING)
        return;
    const real alpha = (real)wide_alpha, unit = UNIT(state);
    accum_pack sum = 0;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - alpha * LOAD(q, at), s = LOAD(scale, at);
        STORE(LOAD(x, at) + alpha * LOAD(p, at), x, at);
        STORE(now, r, at);
#ifdef APPLIED
        const pack scaled = s * now;
        const accum_pack wide = WIDEN(scaled);
        STORE_INNER(unit * scaled, into, at);
        sum += wide * wide;
#else
        const accum_pack wide = WIDEN(now);
        sum += wide * wide * WIDEN(s);
#endif
    }
    leave_sum(sum, 0, partial, scratch);
}
