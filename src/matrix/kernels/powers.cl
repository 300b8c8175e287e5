/* Steps of a three-term recurrence over slices of rows, several steps a launch: what level-blocked matrix powers
   send. After values.cl, finish.cl and sbell.cl with SCALED 1, SUMS 1, PERMUTED 0, LENGTHS 0,
   RAGGED 0 and SLICE not 0. */

/* z_(j+1) = alpha A z_j + beta z_(j-1) + gamma z + delta z_j over the place of z_(j-1): z_2 is `odd`, z_3 `even`, and so
   on; step 1 reads z in place of z_1. Group g of the launch takes tasks[first + g] = (first slice, number of slices, j,
   unused). Whoever makes the tasks sees to it that none of a launch writes what another one reads. */
kernel void power_step(const int first, const int n_rows, const int slice_height, const global int4 *restrict tasks,
                   const global real *restrict factors, const global long *restrict slice_start,
                   const global int *restrict columns, const global value *restrict values, const global real *restrict z,
                   global real *even, global real *odd)
{
    const int4 task = tasks[first + get_group_id(0)];
    const int j = task.z;
    const global real *x = j == 1 ? z : j % 2 == 0 ? odd : even;
    global real *y = j % 2 == 0 ? even : odd;
    const real alpha = factors[4 * j], beta = factors[4 * j + 1], gamma = factors[4 * j + 2],
               delta = factors[4 * j + 3];
    const long packs = SLICE / LANES, last = ((long)task.x + task.y) * packs;
    for (long at = task.x * packs + get_local_id(0); at < last; at += get_local_size(0)) {
        const long slice = SLICE_OF(at);
        pack sum[BLOCK];
        add_blocks(slice_start[slice], slice_start[slice + 1], (int)PLACE_IN(at), slice_height, 0, columns, values, x,
                   sum);
#pragma unroll
        for (int r = 0; r < BLOCK; r++) {
            real lane[LANES];
            STORE(sum[r], lane);
            for (int l = 0; l < LANES; l++)
                if (at * LANES + l < n_rows) {
                    const long out = (at * LANES + l) * BLOCK + r;
                    y[out] = SCALE(lane[l], out);
                }
        }
    }
}
