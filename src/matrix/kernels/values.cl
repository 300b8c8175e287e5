/* How a work-item of the matrix room reads: packs of rows, values of any type, the rows' order.

   Compile-time parameters, for all kernels of a product:
       BLOCK      b, rows and columns of a block, 1..8
       SLICE      S, block rows of a slice; 0: one slice of all rows, its height an argument
       LANES      what a work-item computes side by side: 1, 2, 4, 8 or 16 block rows, a divisor of S (sbell.cl), or
                  blocks of one row (csr.cl)
       ITEMS      csr.cl: work-items and lanes that share a row
       VALUES     how values are stored: 1 f64, 2 f32, 3 f16, 4 bf16
       PERMUTED   rows are sorted
       LENGTHS    stop at the longest of the work-item's own rows instead of the slice's
       RAGGED     the last block row or column reaches past the matrix */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#ifdef REAL_F64
#define REAL double
#else
#define REAL float
#endif

#if VALUES == 1
typedef double value;
#elif VALUES == 2
typedef float value;
#elif VALUES == 3
typedef half value;
#else
typedef ushort value;
#endif

#if LANES == 1
typedef real pack;
#define STORE(v, p) (*(p) = (v))
#if VALUES <= 2
#define LOAD(p) ((real)*(p))
#elif VALUES == 3
#define LOAD(p) ((real)vload_half(0, p))
#else
#define LOAD(p) ((real)as_float((uint)*(p) << 16))
#endif
#else
typedef JOIN(REAL, LANES) pack;
#define STORE(v, p) JOIN(vstore, LANES)(v, 0, p)
#define TO_REAL JOIN(JOIN(convert_, REAL), LANES)
#if VALUES <= 2
#define LOAD(p) TO_REAL(JOIN(vload, LANES)(0, p))
#elif VALUES == 3
#define LOAD(p) TO_REAL(JOIN(vload_half, LANES)(0, p))
#else
#define LOAD(p) TO_REAL(JOIN(as_float, LANES)(JOIN(convert_uint, LANES)(JOIN(vload, LANES)(0, p)) << 16))
#endif
#endif

/* One value, whatever LANES is. */
inline real load_one(const global value *p)
{
#if VALUES <= 2
    return (real)*p;
#elif VALUES == 3
    return (real)vload_half(0, p);
#else
    return (real)as_float((uint)*p << 16);
#endif
}

#define EACH1(f) f(0)
#define EACH2(f) f(0), f(1)
#define EACH4(f) EACH2(f), f(2), f(3)
#define EACH8(f) EACH4(f), f(4), f(5), f(6), f(7)
#define EACH16(f) EACH8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)

/* at_column[c] = component c of x at the block columns of LANES neighbouring slots. Where OpenCL has a vector of the
   block's size, x comes a block at a time and is turned around in registers: fewer loads, which bound CPUs in f32. */
#if LANES > 1 && !RAGGED && (BLOCK == 2 || BLOCK == 3 || BLOCK == 4)
#define TAKE1(f) f(0)
#define TAKE2(f) TAKE1(f) f(1)
#define TAKE4(f) TAKE2(f) f(2) f(3)
#define TAKE8(f) TAKE4(f) f(4) f(5) f(6) f(7)
#define TAKE16(f) TAKE8(f) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define ENTRIES(lane) const JOIN(REAL, BLOCK) entries##lane = JOIN(vload, BLOCK)(column[lane], x);
#define COMPONENT0(lane) entries##lane.s0
#define COMPONENT1(lane) entries##lane.s1
#define COMPONENT2(lane) entries##lane.s2
#define COMPONENT3(lane) entries##lane.s3
inline void gather_columns(const global real *x, const global int *column, const long n_columns, pack *at_column)
{
    JOIN(TAKE, LANES)(ENTRIES)
    at_column[0] = (pack)(JOIN(EACH, LANES)(COMPONENT0));
    at_column[1] = (pack)(JOIN(EACH, LANES)(COMPONENT1));
#if BLOCK > 2
    at_column[2] = (pack)(JOIN(EACH, LANES)(COMPONENT2));
#endif
#if BLOCK > 3
    at_column[3] = (pack)(JOIN(EACH, LANES)(COMPONENT3));
#endif
}
#else
#if RAGGED
#define FETCH(lane)                                                                                                    \
    ((long)column[lane] * BLOCK + c < n_columns ? x[(long)column[lane] * BLOCK + c] : (real)0)
#else
#define FETCH(lane) x[(long)column[lane] * BLOCK + c]
#endif
inline void gather_columns(const global real *x, const global int *column, const long n_columns, pack *at_column)
{
#pragma unroll
    for (int c = 0; c < BLOCK; c++)
        at_column[c] = (pack)(JOIN(EACH, LANES)(FETCH));
}
#endif

/* The block row at a position of the sorted order, -1 past the last. */
#if PERMUTED
#define ROW(position) permutation[position]
#else
#define ROW(position) ((position) < n_rows ? (int)(position) : -1)
#endif
