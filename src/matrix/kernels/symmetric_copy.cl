/* Half storage of a symmetric matrix with other values: of another type, and scaled. After values.cl, finish.cl,
   symmetric.cl and narrow.cl, which name the compile-time parameters, and
       WEIGHTED   values times sqrt(weight[row] weight[column]) */
#if WEIGHTED
#define WEIGHT_ARGUMENTS                                                                                               \
    , const global real *restrict weight, const long n, const global int *restrict first_row,                          \
        const global int *restrict first_outside, const global int *restrict outside,                                  \
        const global ushort *restrict order, const global ushort *restrict columns, local point *restrict local_weight
#else
#define WEIGHT_ARGUMENTS
#endif

/* A work-item a strip. *too_large becomes 1 where a value is beyond the new type. */
kernel void copy(const global int *restrict first_slice, const global long *restrict slice_start,
                 const global value *restrict values, global to_value *restrict to,
                 global int *restrict too_large WEIGHT_ARGUMENTS)
{
    const int strip = get_global_id(0);
    bool fits = true;
#if WEIGHTED
    const int first = first_row[strip], n_own = first_row[strip + 1] - first;
    const int outside_at = first_outside[strip], n_outside = first_outside[strip + 1] - outside_at;
    for (int i = 0; i < n_own; i++)
        local_weight[i] = sqrt(read_point(weight, first + i, n));
    for (int i = 0; i < n_outside; i++)
        local_weight[n_own + i] = sqrt(read_point(weight, outside[outside_at + i], n));
    local_weight[n_own + n_outside] = (point)(0);
#endif
    for (int slice = first_slice[strip]; slice < first_slice[strip + 1]; slice++) {
#if WEIGHTED
        pack row[BLOCK], column[BLOCK];
        load_component(local_weight, order + (long)slice * LANES, row);
#endif
        for (long slot = slice_start[slice]; slot < slice_start[slice + 1]; slot += LANES) {
#if WEIGHTED
            load_component(local_weight, slot == slice_start[slice] ? order + (long)slice * LANES : columns + slot,
                           column);
#endif
#pragma unroll
            for (int e = 0; e < BLOCK * BLOCK; e++) {
                const long at = slot * (BLOCK * BLOCK) + e * LANES;
                pack v = LOAD(values + at);
#if WEIGHTED
                v *= row[e / BLOCK] * column[e % BLOCK];
#endif
                real lane[LANES];
                STORE(v, lane);
                for (int l = 0; l < LANES; l++)
                    fits = write_value(lane[l], to + at + l) && fits;
            }
        }
    }
    if (!fits)
        atomic_max(too_large, 1);
}
