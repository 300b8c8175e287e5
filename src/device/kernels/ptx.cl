/* Compiles where OpenCL C takes NVIDIA's inline PTX, with loads that tell the caches what to keep (sm_75). No compile-time
   parameters. */
__kernel void ptx(__global int *lane)
{
    int l, first;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.u32 %0, [%1];" : "=r"(first) : "l"(lane));
    lane[get_global_id(0)] = l + first;
}
