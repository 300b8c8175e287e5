/* Restarted GMRES, preconditioned from the right with d = D^-1 or a polynomial; dots are weighted with |d|, so what is
   least is the residual of the scaled system. Parameters: those of reduce.cl, which comes first.

   The basis holds up to most + 1 vectors of `stride` reals. Step j is the product w = A z, z = d v_j, two rounds of
   gmres_project and gmres_subtract (classical Gram and Schmidt, twice), and gmres_advance, which turns the new column
   of the Hessenberg matrix and tells the residual. A cycle is closed by gmres_solve (one group), gmres_combine, the
   product of what it leaves, and gmres_correct; gmres_start opens the next. Closing a cycle of no columns changes
   nothing, so the host closes once more at the end, wherever the outcome was decided.

   What a kernel writes into the state no other group of the same launch reads: gmres_start and gmres_advance keep
   OUTCOME and what `record` does, gmres_subtract and gmres_solve FOUND.

   small: the matrix [most][most + 1] column by column, then cosines [most], sines [most], the rotated right-hand side
   [most + 1], the solution of the cycle [most].

   With a polynomial what is preconditioned stands in `into`, scaled by D^-1/2; without it `into` is z. */
#define COLUMN(j) (small + (j) * (most + 1))
#define COSINE (small + most * (most + 1))
#define SINE (COSINE + most)
#define RIGHT (SINE + most)
#define ANSWER (RIGHT + most + 1)

/* The first vector of a basis from r and the partial sums of |d| r^2. */
kernel void gmres_start(const long n_packs, const int n_partial, const int most, global accum *restrict state,
                        const global accum *restrict partial, global accum *restrict small,
                        const global real *restrict r, const global real *restrict scale, global real *restrict basis,
                        global real *restrict into, local accum *scratch)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, FOUND, OUTCOME))
        return;
    const accum square = take_sum(partial, n_partial, 0, scratch), residual = sqrt(square / state[NORM]);
    const int outcome = !isfinite(square) ? NOT_FINITE : residual <= state[TOLERANCE] ? CONVERGED : RUNNING;
    if (keeper) {
        RIGHT[0] = sqrt(square);
        state[RESIDUAL] = residual;
        state[OUTCOME] = outcome;
    }
    if (outcome != RUNNING)
        return;
    const real inverse = (real)(1 / sqrt(square));
    EACH_PACK (at) {
        const pack now = inverse * LOAD(r, at);
        STORE(now, basis, at);
        STORE(LOAD(scale, at) * now, into, at);
    }
}

/* The partial sums w.v_i, i <= j. */
kernel void gmres_project(const long n_packs, const int j, const long stride, const global accum *restrict state,
                          const global real *restrict basis, const global real *restrict w,
                          const global real *restrict d, global accum *restrict partial, local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    for (int i = 0; i <= j; i++) {
        const global real *v = basis + i * stride;
        accum_pack sum = 0;
        EACH_PACK (at)
            sum += WIDEN(LOAD(v, at)) * WIDEN(LOAD(w, at)) * WIDEN(fabs(LOAD(d, at)));
        leave_sum(sum, i, partial, scratch);
    }
}

/* w -= sum of (w.v_i) v_i, and the sums into column j, which the second round adds to; it leaves the partial sums of
   w.w, too, behind those of the projections. */
kernel void gmres_subtract(const long n_packs, const int n_partial, const int most, const int j, const int second,
                           const long stride, global accum *restrict state, global accum *restrict partial,
                           global accum *restrict small, const global real *restrict basis, global real *restrict w,
                           const global real *restrict d, local accum *scratch, local accum *sums)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, OUTCOME, FOUND))
        return;
    for (int i = 0; i <= j; i++) {
        const accum sum = take_sum(partial, n_partial, i, scratch);
        if (get_local_id(0) == 0)
            sums[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keeper) {
        for (int i = 0; i <= j; i++)
            COLUMN(j)[i] = second ? COLUMN(j)[i] + sums[i] : sums[i];
        state[FOUND] = RUNNING;
    }
    accum_pack square = 0;
    EACH_PACK (at) {
        pack now = LOAD(w, at);
        for (int i = 0; i <= j; i++)
            now -= (real)sums[i] * LOAD(basis + i * stride, at);
        const accum_pack wide = WIDEN(now);
        STORE(now, w, at);
        square += wide * wide * WIDEN(fabs(LOAD(d, at)));
    }
    if (second)
        leave_sum(square, most, partial, scratch);
}

/* Rotates column j, whose last entry is `below`, to triangular form; the residual's norm, or -1 where the column is
   none. */
inline accum rotate_column(global accum *small, int most, int j, accum below)
{
    global accum *h = COLUMN(j);
    for (int i = 0; i < j; i++) {
        const accum upper = COSINE[i] * h[i] + SINE[i] * h[i + 1];
        h[i + 1] = COSINE[i] * h[i + 1] - SINE[i] * h[i];
        h[i] = upper;
    }
    const accum size = hypot(h[j], below);
    if (!(size > 0))
        return -1;
    COSINE[j] = h[j] / size;
    SINE[j] = below / size;
    h[j] = size;
    RIGHT[j + 1] = -SINE[j] * RIGHT[j];
    RIGHT[j] *= COSINE[j];
    return fabs(RIGHT[j + 1]);
}

/* v_(j+1) = w / |w| and what is to be preconditioned of it; the residual and the outcome. */
kernel void gmres_advance(const long n_packs, const int n_partial, const int most, const int j, const long stride,
                          global accum *restrict state, const global accum *restrict partial,
                          global accum *restrict small, const global real *restrict w,
                          const global real *restrict scale, global real *restrict basis, global real *restrict into,
                          local accum *scratch)
{
    const bool keeper = IS_KEEPER;
    if (!is_running(state, FOUND, OUTCOME))
        return;
    const accum square = take_sum(partial, n_partial, most, scratch), norm = sqrt(square);
    if (keeper) {
        const accum left = rotate_column(small, most, j, norm), residual = left / sqrt(state[NORM]);
        state[OUTCOME] = !isfinite(square) || !isfinite(left) ? NOT_FINITE
                         : left < 0                           ? BREAKDOWN
                         : residual <= state[TOLERANCE]       ? CONVERGED
                                                              : RUNNING;
        state[COLUMNS] = left < 0 || !isfinite(left) ? j : j + 1;
        state[RESIDUAL] = left < 0 ? state[RESIDUAL] : residual;
        state[ITERATIONS] += 1;
        record_residual(state);
    }
    const real inverse = norm > 0 ? (real)(1 / norm) : (real)0;
    EACH_PACK (at) {
        const pack now = inverse * LOAD(w, at);
        STORE(now, basis + (j + 1) * stride, at);
        STORE(LOAD(scale, at) * now, into, at);
    }
}

/* The coefficients of the columns so far, by one item. */
kernel void gmres_solve(const int most, global accum *restrict state, global accum *restrict small)
{
    if (get_global_id(0) > 0)
        return;
    const int n = (int)state[COLUMNS];
    for (int i = n - 1; i >= 0; i--) {
        accum sum = RIGHT[i];
        for (int c = i + 1; c < n; c++)
            sum -= COLUMN(c)[i] * ANSWER[c];
        ANSWER[i] = sum / COLUMN(i)[i];
    }
    state[FOUND] = state[OUTCOME];
}

/* What the columns add up to, to be preconditioned. */
kernel void gmres_combine(const long n_packs, const int most, const long stride, const global accum *restrict state,
                          global accum *restrict small, const global real *restrict basis,
                          const global real *restrict scale, global real *restrict into)
{
    const int n = (int)state[COLUMNS];
    EACH_PACK (at) {
        pack sum = 0;
        for (int i = 0; i < n; i++)
            sum += (real)ANSWER[i] * LOAD(basis + i * stride, at);
        STORE(LOAD(scale, at) * sum, into, at);
    }
}

/* x += z, r -= A z, and the partial sums of |d| r^2. */
kernel void gmres_correct(const long n_packs, global accum *restrict state, global accum *restrict partial,
                          const global real *restrict z, const global real *restrict q, const global real *restrict d,
                          global real *restrict x, global real *restrict r, local accum *scratch)
{
    accum_pack square = 0;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - LOAD(q, at);
        const accum_pack wide = WIDEN(now);
        STORE(LOAD(x, at) + LOAD(z, at), x, at);
        STORE(now, r, at);
        square += wide * wide * WIDEN(fabs(LOAD(d, at)));
    }
    if (IS_KEEPER)
        state[COLUMNS] = 0;
    leave_sum(square, 0, partial, scratch);
}
