/* Lanczos steps of which the host knows the scalars. After row_runs.cl.

   Compile-time parameters:
       ACCUM_F64    partial sums are in double; without it in float */
#ifdef ACCUM_F64
typedef double accum;
#else
typedef float accum;
#endif

/* u[i] in (-1, 1), the same on every device. */
kernel void start_vector(const long n, global real *restrict u)
{
    EACH_ROW (i, n) {
        uint h = (uint)i * 2654435761u + 0x9e3779b9u;
        h = (h ^ (h >> 16)) * 0x85ebca6bu;
        h = (h ^ (h >> 13)) * 0xc2b2ae35u;
        h ^= h >> 16;
        u[i] = (real)(((float)(h >> 8) + 0.5f) / 8388608.0f - 1.0f);
    }
}

/* before = q - a u - b before. */
kernel void next_vector(const long n, const real a, const real b, const global real *restrict q,
                        const global real *restrict u, global real *restrict before)
{
    EACH_ROW (i, n)
        before[i] = q[i] - a * u[i] - b * before[i];
}

/* What a product left of its sums `which`, n partial ones each, made fewer: one a work-item. */
kernel void add_partials(const int n, const global accum *restrict partial, global accum *restrict sums)
{
    const int item = get_global_id(0), items = get_global_size(0);
    for (int which = 0; which < 3; which++) {
        accum sum = 0;
        for (int i = item; i < n; i += items)
            sum += partial[which * n + i];
        sums[which * items + item] = sum;
    }
}
