/* Fills an array of local memory and reads it back in another order: whether the device has that much.
   Compile-time parameter: BYTES. */
#define N (BYTES / 4)
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void local_memory(__global int *wrong)
{
    __local int room[N];
    int n = 0;
    for (int k = get_local_id(0); k < N; k += 64)
        room[k] = k * 7 + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_id(0); k < N; k += 64)
        n += room[N - 1 - k] != (N - 1 - k) * 7 + 1;
    wrong[get_local_id(0)] = n;
}
