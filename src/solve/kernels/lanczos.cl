/* Lanczos steps without a look: u' = A u - a u - b u_before, the product being done. After reduce.cl. */

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
    const real a = (real)steps[2 * k], b = k > 0 ? (real)(steps[2 * k + 1] / steps[2 * k - 1]) : (real)0;
    EACH_PACK (at)
        STORE_INNER(LOAD_INNER(q, at) - a * LOAD_INNER(u, at) - b * LOAD_INNER(before, at), before, at);
}
