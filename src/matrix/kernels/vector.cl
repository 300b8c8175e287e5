/* Vectors alone: fill, y = a x + b y, dot products. Parameters: GROUP, work-items a group, a power of two; LANES, reals
   that an item takes at a time, 1 or 8; ACCUM_F64: sums in double. GROUP_REALS reals a group: an order of sums that the
   device does not change. */
#ifdef ACCUM_F64
typedef double accum;
typedef double8 accum8;
#define WIDEN8(v) convert_double8(v)
#else
typedef float accum;
typedef float8 accum8;
#define WIDEN8(v) convert_float8(v)
#endif
#define GROUP_REALS 8192

kernel void vector_fill(const long n, const real value, global real *restrict y)
{
    const long last = min((long)(get_group_id(0) + 1) * GROUP_REALS, n);
    for (long i = (long)get_group_id(0) * GROUP_REALS + get_local_id(0); i < last; i += GROUP)
        y[i] = value;
}

/* With b = 0 y is not read. x may be y. */
kernel void vector_axpby(const long n, const real a, const real b, const global real *x, global real *y)
{
    const long last = min((long)(get_group_id(0) + 1) * GROUP_REALS, n);
    for (long i = (long)get_group_id(0) * GROUP_REALS + get_local_id(0); i < last; i += GROUP)
        y[i] = b == 0 ? a * x[i] : fma(a, x[i], b * y[i]);
}

/* The sum of `own` over the group, in its first item; others get shares of it. */
INLINE accum add_items(accum own, local accum *scratch)
{
#if GROUP > 1
    const int item = get_local_id(0);
    scratch[item] = own;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            scratch[item] += scratch[item + step];
    }
    return scratch[item];
#else
    return own;
#endif
}

/* partial[group] = the group's share of x.y. */
kernel void vector_dot(const long n, const global real *restrict x, const global real *restrict y,
                       global accum *restrict partial, local accum *scratch)
{
    const long first = (long)get_group_id(0) * GROUP_REALS, last = min(first + GROUP_REALS, n);
    accum own = 0;
#if LANES == 8
    accum8 sum = 0;
    long i = first;
    for (; i + 8 <= last; i += 8)
        sum += WIDEN8(vload8(0, x + i)) * WIDEN8(vload8(0, y + i));
    own = ((sum.s0 + sum.s4) + (sum.s1 + sum.s5)) + ((sum.s2 + sum.s6) + (sum.s3 + sum.s7));
    for (; i < last; i++)
        own += (accum)x[i] * (accum)y[i];
#else
    for (long i = first + get_local_id(0); i < last; i += GROUP)
        own += (accum)x[i] * (accum)y[i];
#endif
    own = add_items(own, scratch);
    if (get_local_id(0) == 0)
        partial[get_group_id(0)] = own;
}

/* partial[0] = the sum of partial[n], by one group. */
kernel void vector_sum(const long n, global accum *restrict partial, local accum *scratch)
{
    accum own = 0;
    for (long i = get_local_id(0); i < n; i += GROUP)
        own += partial[i];
    own = add_items(own, scratch);
    if (get_local_id(0) == 0)
        partial[0] = own;
}
