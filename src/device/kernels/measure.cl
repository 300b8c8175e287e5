/* Ceilings of a device: bandwidth of its memory and rate of its arithmetic.
   LANE: the type of one chain of multiply-adds, real or a vector of the device's native width. CHAINS: independent
   chains a work-item, enough to fill the pipeline. Without LANE the kernels for memory are there instead. */
#ifndef LANE
uint4 pattern(long i)
{
    return (uint4)((uint)i) + (uint4)(0, 0x9e3779b9u, 0x3c6ef372u, (uint)(i >> 32));
}

__kernel void store(__global uint4 *to, long n)
{
    long i = get_global_id(0);
    if (i < n)
        to[i] = pattern(i);
}

__kernel void copy(__global const uint4 *from, __global uint4 *to, long n)
{
    long i = get_global_id(0);
    if (i < n)
        to[i] = from[i];
}

__kernel void store_past_caches(__global uint4 *to, long n)
{
    long i = get_global_id(0);
    if (i < n)
        STORE_PAST_CACHES(pattern(i), to[i]);
}

__kernel void copy_past_caches(__global const uint4 *from, __global uint4 *to, long n)
{
    long i = get_global_id(0);
    if (i < n)
        STORE_PAST_CACHES(from[i], to[i]);
}

/* Counts the entries that are not those of `store`. */
__kernel void check(__global const uint4 *values, __global int *n_wrong, long n)
{
    long i = get_global_id(0);
    if (i < n && any(values[i] != pattern(i)))
        atomic_inc(n_wrong);
}

#else
/* sums[items] = sum over the chains of x after n steps of x = a x + b; start[CHAINS]. */
__kernel void multiply_add(__global const LANE *start, __global LANE *sums, real a, real b, int n)
{
    LANE x[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        x[k] = start[k];
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            x[k] = x[k] * a + b;
    }
    LANE sum = x[0];
    for (int k = 1; k < CHAINS; k++)
        sum += x[k];
    sums[get_global_id(0)] = sum;
}
#endif
