/* What kernels and expressions use of OpenCL C's functions, declared as clang's opencl-c.h does it. PoCL 3.1 has its
   compiler read the 18 000 lines of that file for each program, a quarter of the time that one takes; with these it need
   not (program.c). A call of what is missing here does not compile: add it. No compile-time parameters. */
#define DECLARE_OVERLOAD __attribute__((overloadable))
#define DECLARE_CONST __attribute__((overloadable, const))
#define DECLARE_PURE __attribute__((overloadable, pure))

/* Functions of one, two and three numbers; WIDE: of vectors, too. */
#define DECLARE_1(f, t) t DECLARE_CONST f(t);
#define DECLARE_2(f, t) t DECLARE_CONST f(t, t);
#define DECLARE_3(f, t) t DECLARE_CONST f(t, t, t);
#define DECLARE_REAL(n, f) DECLARE_##n(f, float) DECLARE_##n(f, double)
#define DECLARE_WIDE_OF(n, f, t)                                                                                       \
    DECLARE_##n(f, t) DECLARE_##n(f, t##2) DECLARE_##n(f, t##3) DECLARE_##n(f, t##4) DECLARE_##n(f, t##8)              \
    DECLARE_##n(f, t##16)
#define DECLARE_WIDE(n, f) DECLARE_WIDE_OF(n, f, float) DECLARE_WIDE_OF(n, f, double)
#define DECLARE_WHOLE(n, f)                                                                                            \
    DECLARE_##n(f, char) DECLARE_##n(f, uchar) DECLARE_##n(f, short) DECLARE_##n(f, ushort) DECLARE_##n(f, int)        \
    DECLARE_##n(f, uint) DECLARE_##n(f, long) DECLARE_##n(f, ulong)
DECLARE_REAL(1, sin) DECLARE_REAL(1, cos) DECLARE_REAL(1, tan)
DECLARE_REAL(1, asin) DECLARE_REAL(1, acos) DECLARE_REAL(1, atan) DECLARE_REAL(2, atan2)
DECLARE_REAL(1, sinh) DECLARE_REAL(1, cosh) DECLARE_REAL(1, tanh)
DECLARE_REAL(1, asinh) DECLARE_REAL(1, acosh) DECLARE_REAL(1, atanh)
DECLARE_REAL(1, exp) DECLARE_REAL(1, exp2) DECLARE_REAL(1, exp10) DECLARE_REAL(1, expm1)
DECLARE_REAL(1, log) DECLARE_REAL(1, log2) DECLARE_REAL(1, log10) DECLARE_REAL(1, log1p)
DECLARE_REAL(1, cbrt) DECLARE_REAL(2, pow) DECLARE_REAL(2, hypot) DECLARE_REAL(1, erf) DECLARE_REAL(1, erfc)
DECLARE_REAL(1, sign) DECLARE_REAL(2, step) DECLARE_REAL(2, fmod)
DECLARE_REAL(1, floor) DECLARE_REAL(1, ceil) DECLARE_REAL(1, round) DECLARE_REAL(1, trunc)
DECLARE_WIDE(1, sqrt) DECLARE_WIDE(1, rsqrt) DECLARE_WIDE(1, fabs) DECLARE_WIDE(2, fmin) DECLARE_WIDE(2, fmax)
DECLARE_WIDE(3, fma) DECLARE_WIDE(3, mad)
DECLARE_WIDE(2, min) DECLARE_WIDE(2, max) DECLARE_WIDE(3, clamp)
DECLARE_WHOLE(2, min) DECLARE_WHOLE(2, max) DECLARE_WHOLE(3, clamp)
#define DECLARE_TEST(f, t) int DECLARE_CONST f(t);
DECLARE_REAL(TEST, isfinite) DECLARE_REAL(TEST, isinf) DECLARE_REAL(TEST, isnan)
DECLARE_WIDE_OF(TEST, any, int) DECLARE_WIDE_OF(TEST, any, long)
DECLARE_WIDE_OF(TEST, all, int) DECLARE_WIDE_OF(TEST, all, long)

/* Places, barriers, atomics. */
#define DECLARE_PLACE(f) size_t DECLARE_CONST f(uint);
DECLARE_PLACE(get_global_size) DECLARE_PLACE(get_global_id) DECLARE_PLACE(get_local_size) DECLARE_PLACE(get_local_id)
DECLARE_PLACE(get_num_groups) DECLARE_PLACE(get_group_id)
void DECLARE_OVERLOAD __attribute__((convergent)) barrier(cl_mem_fence_flags);
void DECLARE_OVERLOAD mem_fence(cl_mem_fence_flags);
#define DECLARE_ATOMIC_1(f, s, t) t DECLARE_OVERLOAD f(volatile s t *);
#define DECLARE_ATOMIC_2(f, s, t) t DECLARE_OVERLOAD f(volatile s t *, t);
#define DECLARE_ATOMIC_3(f, s, t) t DECLARE_OVERLOAD f(volatile s t *, t, t);
#define DECLARE_ATOMIC(n, f)                                                                                           \
    DECLARE_ATOMIC_##n(f, __global, int) DECLARE_ATOMIC_##n(f, __global, uint)                                         \
    DECLARE_ATOMIC_##n(f, __local, int) DECLARE_ATOMIC_##n(f, __local, uint)
DECLARE_ATOMIC(1, atomic_inc) DECLARE_ATOMIC(1, atomic_dec) DECLARE_ATOMIC(2, atomic_add)
DECLARE_ATOMIC(2, atomic_min) DECLARE_ATOMIC(2, atomic_max) DECLARE_ATOMIC(3, atomic_cmpxchg)

/* Vectors from and to memory, and their conversions. */
#define DECLARE_LOAD(f, to, from)                                                                                      \
    to DECLARE_PURE f(size_t, const __global from *);                                                                  \
    to DECLARE_PURE f(size_t, const __local from *);                                                                   \
    to DECLARE_PURE f(size_t, const __constant from *);                                                                \
    to DECLARE_PURE f(size_t, const __private from *);
#define DECLARE_STORE(f, from, to)                                                                                     \
    void DECLARE_OVERLOAD f(from, size_t, __global to *);                                                              \
    void DECLARE_OVERLOAD f(from, size_t, __local to *);                                                               \
    void DECLARE_OVERLOAD f(from, size_t, __private to *);
#define DECLARE_MOVES(t, n) DECLARE_LOAD(vload##n, t##n, t) DECLARE_STORE(vstore##n, t##n, t)
#define DECLARE_CONVERSION(to, from, n) to##n DECLARE_CONST convert_##to##n(from##n);
#define DECLARE_CONVERSIONS(to, n)                                                                                     \
    DECLARE_CONVERSION(to, ushort, n) DECLARE_CONVERSION(to, int, n) DECLARE_CONVERSION(to, uint, n)                   \
    DECLARE_CONVERSION(to, long, n) DECLARE_CONVERSION(to, ulong, n) DECLARE_CONVERSION(to, float, n)                  \
    DECLARE_CONVERSION(to, double, n)
#define DECLARE_WIDTH(n)                                                                                               \
    DECLARE_MOVES(float, n) DECLARE_MOVES(double, n)                                                                   \
    DECLARE_MOVES(ushort, n) DECLARE_MOVES(int, n) DECLARE_MOVES(uint, n)                                              \
    DECLARE_LOAD(vload_half##n, float##n, half)                                                                        \
    DECLARE_CONVERSIONS(float, n) DECLARE_CONVERSIONS(double, n) DECLARE_CONVERSIONS(uint, n)                          \
    DECLARE_CONVERSIONS(ulong, n)
DECLARE_CONVERSIONS(uint, ) DECLARE_CONVERSIONS(ulong, )
DECLARE_WIDTH(2) DECLARE_WIDTH(3) DECLARE_WIDTH(4) DECLARE_WIDTH(8) DECLARE_WIDTH(16)
DECLARE_LOAD(vload_half, float, half) DECLARE_STORE(vstore_half_rte, float, half)
