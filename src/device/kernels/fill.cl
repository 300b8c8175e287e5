/* Zeroes a buffer. No compile-time parameters. */
__kernel void fill_zero(__global uint4 *buffer, long n)
{
    long i = get_global_id(0);
    if (i < n)
        buffer[i] = (uint4)(0);
}
