/* The words of OpenCL C in plain C: a kernel of Ritz behind this header is a C function that runs as one group of one
   work-item, in double precision. For kernels that ask for lanes=1 and for groups of one. */
#define __kernel
#define __global
#define __local
#define __constant static const
#define reqd_work_group_size(...) unused
#define CLK_LOCAL_MEM_FENCE 0
#define barrier(fence) ((void)0)
#define get_local_id(dimension) 0
#define get_group_id(dimension) 0
#define get_num_groups(dimension) 1
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
typedef unsigned int uint;
typedef unsigned long ulong;
typedef double real;
typedef struct {
    real x, y;
} real2;
