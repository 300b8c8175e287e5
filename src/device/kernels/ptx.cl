/* Compiles where OpenCL C takes NVIDIA's inline PTX. No compile-time parameters. */
__kernel void ptx(__global int *lane)
{
    int l;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
    lane[get_global_id(0)] = l;
}
