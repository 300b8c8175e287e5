/* The types of every kernel, functions that are inlined, stores past the caches. REAL_F32 or REAL_F64: the precision. */
#ifdef REAL_F64
#if __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef double real;
typedef double2 real2;
typedef double4 real4;
typedef double8 real8;
typedef double16 real16;
#else
typedef float real;
typedef float2 real2;
typedef float4 real4;
typedef float8 real8;
typedef float16 real16;
#endif

/* Of functions that take local memory, for PoCL 3.1: where another function than a kernel is left that names a local array, all
   threads get the same one; and the inliner of its LLVM crashes over its own estimate of some calls. */
#define INLINE static inline __attribute__((always_inline))

/* Where the compiler has such stores: CPUs then write a line without reading it first. */
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STORE_PAST_CACHES(value, place) __builtin_nontemporal_store(value, &(place))
#endif
#endif
#ifndef STORE_PAST_CACHES
#define STORE_PAST_CACHES(value, place) place = value
#endif
