/* Polynomials of the scaled matrix D^-1/2 A D^-1/2 as preconditioners: what goes on beside its products. After
   reduce.cl and the method's file.

   Compile-time parameters, besides those of reduce.cl:
       INNER_F32  the polynomial is applied in float though the method's vectors are double

   Vectors inside the polynomial have length 1 or so whatever the units and however small the residual has become, so
   that float holds them. */
#if defined(REAL_F64) && !defined(INNER_F32)
#define INNER double
#else
#define INNER float
#endif
#ifdef REAL_F64
#define OUTER double
#else
#define OUTER float
#endif
typedef INNER inner;
#if LANES == 1
typedef inner inner_pack;
#define TO_INNER(v) ((inner)(v))
#define TO_OUTER(v) ((real)(v))
#else
typedef JOIN(INNER, LANES) inner_pack;
#define TO_INNER(v) JOIN(JOIN(convert_, INNER), LANES)(v)
#define TO_OUTER(v) JOIN(JOIN(convert_, OUTER), LANES)(v)
#endif

/* ---- The scaled matrix ---- */

/* values = D^-1/2 values D^-1/2 in slices (see matrix.h); an item a sorted row. d = D^-1. */
kernel void scale_matrix(const int n_positions, const long n, const int block, const int slice_height,
                         const global long *restrict slice_start, const global int *restrict permutation,
                         const global int *restrict columns, const global real *restrict d,
                         global inner *restrict values)
{
    const int position = get_global_id(0);
    if (position >= n_positions || permutation[position] < 0)
        return;
    const long slice = position / slice_height, row = (long)permutation[position] * block;
    const int i = position % slice_height;
    for (long slot = slice_start[slice] + i; slot < slice_start[slice + 1]; slot += slice_height)
        for (int r = 0; r < block && row + r < n; r++)
            for (int c = 0; c < block; c++) {
                const long column = (long)columns[slot] * block + c;
                const long at = (slot - i) * block * block + (long)(r * block + c) * slice_height + i;
                if (column < n)
                    values[at] = (inner)((real)values[at] * (sqrt(d[row + r]) * sqrt(d[column])));
            }
}

/* ---- Lanczos steps without a look: u' = A u - a u - b u_before, the product being done ---- */

/* u[i] in (-1, 1), the same on every device; 0 in the padding. */
kernel void lanczos_start(const long n, const long n_padded, global inner *restrict u)
{
    for (long i = get_global_id(0); i < n_padded; i += get_global_size(0)) {
        uint h = (uint)i * 2654435761u + 0x9e3779b9u;
        h = (h ^ (h >> 16)) * 0x85ebca6bu;
        h = (h ^ (h >> 13)) * 0xc2b2ae35u;
        h ^= h >> 16;
        u[i] = i < n ? (inner)(((float)(h >> 8) + 0.5f) / 8388608.0f - 1.0f) : (inner)0;
    }
}

/* steps[2k] = u.A u / u.u, steps[2k+1] = u.u, from the sums that the product left. */
kernel void lanczos_scalars(const int n_partial, const int k, const global accum *restrict partial,
                            global accum *restrict steps, local accum *scratch)
{
    const accum energy = take_sum(partial, n_partial, 0, scratch);
    const accum square = take_sum(partial, n_partial, 2, scratch);
    if (get_local_id(0) == 0) {
        steps[2 * k] = energy / square;
        steps[2 * k + 1] = square;
    }
}

/* before = q - a u - b before, which is the next u; q = A u. */
kernel void lanczos_update(const long n_packs, const int k, const global accum *restrict steps,
                           const global inner *restrict q, const global inner *restrict u,
                           global inner *restrict before)
{
    const inner a = (inner)steps[2 * k], b = k > 0 ? (inner)(steps[2 * k + 1] / steps[2 * k - 1]) : (inner)0;
    EACH_PACK (at)
        STORE(LOAD(q, at) - a * LOAD(u, at) - b * LOAD(before, at), before, at);
}

/* ---- In and out of the polynomial ---- */

/* to = D^-1/2 from / |scaled residual| */
kernel void into_polynomial(const long n_packs, const global accum *restrict state, const global real *restrict from,
                            const global real *restrict d, global inner *restrict to)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const real scale = (real)(1 / (state[RESIDUAL] * sqrt(state[NORM])));
    EACH_PACK (at)
        STORE(TO_INNER(LOAD(from, at) * sqrt(LOAD(d, at)) * scale), to, at);
}

/* to = D^-1/2 z |scaled residual|, and the sum from.to */
kernel void out_of_polynomial(const long n_packs, const global accum *restrict state, const global inner *restrict z,
                              const global real *restrict d, const global real *restrict from,
                              global real *restrict to, global accum *restrict partial, local accum *scratch)
{
    if (state[OUTCOME] != RUNNING)
        return;
    const real scale = (real)(state[RESIDUAL] * sqrt(state[NORM]));
    accum_pack sum = 0;
    EACH_PACK (at) {
        const pack now = TO_OUTER(LOAD(z, at)) * sqrt(LOAD(d, at)) * scale;
        STORE(now, to, at);
        sum += WIDEN(now) * WIDEN(LOAD(from, at));
    }
    leave_sum(sum, 0, partial, scratch);
}
