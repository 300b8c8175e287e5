/* Zeroes a buffer; reads all of one. No compile-time parameters. */
__kernel void fill_zero(__global uint4 *buffer, long n)
{
    long i = get_global_id(0);
    if (i < n)
        buffer[i] = (uint4)(0);
}

/* Of zeros nothing is written, but no compiler knows. */
__kernel void read_through(__global uint4 *zeros, long n)
{
    uint4 found = (uint4)(0);
    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        found |= zeros[i];
    if (any(found != (uint4)(0)))
        zeros[0] = found;
}
