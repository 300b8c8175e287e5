/* Into a preconditioner that is applied between the method's kernels, and out of it. After reduce.cl and the method's
   file. */

/* scale = D^-1/2 from d = D^-1 */
kernel void take_root(const long n_packs, const global real *restrict d, global real *restrict scale)
{
    EACH_PACK (at)
        STORE(sqrt(LOAD(d, at)), scale, at);
}

/* to = scale from */
kernel void multiply(const long n_packs, const global accum *restrict state, const global real *restrict scale,
                     const global real *restrict from, global inner *restrict to)
{
    const real unit = UNIT(state);
    EACH_PACK (at)
        STORE_INNER(unit * LOAD(scale, at) * LOAD(from, at), to, at);
}
