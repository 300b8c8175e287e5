/* The end of a product's row: y = alpha A x + beta y + gamma z + delta x, and sums for dot products.

   Compile-time parameters:
       SCALED     the factors are there; without it y = A x
       SUMS       the sums w.y, y.y and w.w of the new y, partial[3][groups], are left behind
       GROUP      work-items a group, a power of two
       FINISHERS  the first so many of them, a power of two, have rows to finish; without it all
       ACCUM_F64  sums in double; without it in float

   Each work-item adds its rows in order, each group its work-items in a tree of fixed shape: the same bits in every
   run. A vector whose factor is 0 is not read, so that what stands there (NaN, say) does not matter. */
#ifdef ACCUM_F64
typedef double accum;
#else
typedef float accum;
#endif

#if SCALED
#define SCALED_ARGUMENTS                                                                                               \
    , const real alpha, const real beta, const real gamma, const real delta, const global real *restrict z
#define SCALE(v, i)                                                                                                    \
    (alpha * (v) + (beta != 0 ? beta * y[i] : (real)0) + (gamma != 0 ? gamma * z[i] : (real)0) +                       \
     (delta != 0 ? delta * x[i] : (real)0))
#else
#define SCALED_ARGUMENTS
#define SCALE(v, i) (v)
#endif

#if SUMS
#define SUMS_ARGUMENTS , const global real *restrict w, global accum *restrict partial
#define SUMS_BEGIN accum sums[3] = {0, 0, 0};
#define SUMS_ADD(v, i)                                                                                                 \
    {                                                                                                                  \
        const accum now = (v), with = w[i];                                                                            \
        sums[0] += with * now;                                                                                         \
        sums[1] += now * now;                                                                                          \
        sums[2] += with * with;                                                                                        \
    }
#if GROUP > 1
#ifndef FINISHERS
#define FINISHERS GROUP
#endif
#define SUMS_END                                                                                                       \
    local accum scratch[3 * FINISHERS];                                                                                \
    add_group(sums, scratch);                                                                                          \
    for (int which = 0; which < 3 && get_local_id(0) == 0; which++)                                                    \
        partial[which * get_num_groups(0) + get_group_id(0)] = scratch[which * FINISHERS];
INLINE void add_group(const accum *own, local accum *scratch)
{
    const int item = get_local_id(0);
    if (item < FINISHERS)
        for (int which = 0; which < 3; which++)
            scratch[which * FINISHERS + item] = own[which];
    for (int stride = FINISHERS / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < stride)
            for (int which = 0; which < 3; which++)
                scratch[which * FINISHERS + item] += scratch[which * FINISHERS + item + stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#else
#define SUMS_END                                                                                                       \
    for (int which = 0; which < 3; which++)                                                                            \
        partial[which * get_num_groups(0) + get_group_id(0)] = sums[which];
#endif
#else
#define SUMS_ARGUMENTS
#define SUMS_BEGIN
#define SUMS_ADD(v, i)
#define SUMS_END
#endif

/* Scalar row i of y, from its sum v. */
#define FINISH(v, i)                                                                                                   \
    {                                                                                                                  \
        const real finished = SCALE(v, i);                                                                             \
        y[i] = finished;                                                                                               \
        SUMS_ADD(finished, i)                                                                                          \
    }

/* Block row `row` of y, from its sums v[BLOCK]; a factor is asked for once. */
#if SCALED && !RAGGED
#define ADD_SCALED(factor, vector)                                                                                     \
    if (factor != 0)                                                                                                   \
        _Pragma("unroll") for (int c = 0; c < BLOCK; c++) finished[c] += factor * vector[start_of_y + c];
#define FINISH_ROW(v, row)                                                                                             \
    {                                                                                                                  \
        const long start_of_y = (long)(row)*BLOCK;                                                                     \
        real finished[BLOCK];                                                                                          \
        _Pragma("unroll") for (int c = 0; c < BLOCK; c++) finished[c] = alpha * (v)[c];                                \
        ADD_SCALED(beta, y)                                                                                            \
        ADD_SCALED(gamma, z)                                                                                           \
        ADD_SCALED(delta, x)                                                                                           \
        _Pragma("unroll") for (int c = 0; c < BLOCK; c++)                                                              \
        {                                                                                                              \
            y[start_of_y + c] = finished[c];                                                                           \
            SUMS_ADD(finished[c], start_of_y + c)                                                                      \
        }                                                                                                              \
    }
#else
#define FINISH_ROW(v, row)                                                                                             \
    _Pragma("unroll") for (int c = 0; c < BLOCK; c++)                                                                  \
    {                                                                                                                  \
        const long out = (long)(row)*BLOCK + c;                                                                        \
        if (!RAGGED || out < n)                                                                                        \
            FINISH((v)[c], out)                                                                                        \
    }
#endif
