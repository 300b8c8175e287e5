/* What the kernels of Krylov methods share: packs of reals, the walk over a vector, sums in a fixed order, the state.

   Compile-time parameters:
       LANES      reals a work-item handles at a time: 1, 2, 4, 8 or 16; vectors are padded to a multiple of it
       GROUP      work-items a group, a power of two; 1: no local memory, and an item walks a contiguous run of the
                  vector
       ACCUM_F64  sums and scalars in double; without it in float
       APPLIED    the preconditioner is applied between the method's kernels (a polynomial of the matrix, or
                  the caller's), instead of D^-1
       UNSCALED   D is 1, whatever the size of A
       SINGLE     its vectors are in single precision beside others in double (cg.cl)

   A dot product has two stages of fixed shape: each group leaves one number in partial[], every group of the next
   kernel that needs the sum adds those. Scalars of the method live in state[], so that the host need not see them. */
#ifdef ACCUM_F64
#define ACCUM double
#define ACCUM_EPSILON DBL_EPSILON
#else
#define ACCUM float
#define ACCUM_EPSILON FLT_EPSILON
#endif
#ifdef REAL_F64
#define REAL_EPSILON DBL_EPSILON
#define CURVATURE_FLOOR                                                                                                \
    1e-15 /* of p.q / p.D p: a scaled matrix whose condition is beyond this is singular in its precision */
#else
#define REAL_EPSILON FLT_EPSILON
#define CURVATURE_FLOOR 1e-9f
#endif
typedef ACCUM accum;
#ifdef SINGLE
typedef float inner;
#else
typedef real inner;
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if LANES == 1
typedef real pack;
typedef accum accum_pack;
#define LOAD(p, at) ((p)[at])
#define STORE(v, p, at) ((p)[at] = (v))
#define WIDEN(v) ((accum)(v))
#define LOAD_INNER(p, at) ((real)LOAD(p, at))
#define STORE_INNER(v, p, at) STORE((inner)(v), p, at)
#else
typedef JOIN(real, LANES) pack;
typedef JOIN(ACCUM, LANES) accum_pack;
#define LOAD(p, at) JOIN(vload, LANES)(at, p)
#define STORE(v, p, at) JOIN(vstore, LANES)(v, at, p)
#define WIDEN(v) JOIN(JOIN(convert_, ACCUM), LANES)(v)
#ifdef SINGLE
#define LOAD_INNER(p, at) JOIN(convert_double, LANES)(LOAD(p, at))
#define STORE_INNER(v, p, at) STORE(JOIN(convert_float, LANES)(v), p, at)
#else
#define LOAD_INNER(p, at) LOAD(p, at)
#define STORE_INNER(v, p, at) STORE(v, p, at)
#endif
#endif

/* The packs of this work-item: neighbours in a GPU's group read side by side, an item of a CPU reads on. */
#if GROUP == 1
#define RUN ((n_packs + (long)get_global_size(0) - 1) / (long)get_global_size(0))
#define EACH_PACK(at) for (long at = get_global_id(0) * RUN, end_ = min(at + RUN, n_packs); at < end_; at++)
#else
#define EACH_PACK(at) for (long at = get_global_id(0); at < n_packs; at += get_global_size(0))
#endif

/* state[]: the first three are what the host reads. */
#define RESIDUAL 0 /* of the scaled system, relative to its right-hand side */
#define OUTCOME 1  /* one of the numbers below */
#define ITERATIONS 2
#define NORM 3 /* of the scaled right-hand side, squared */
#define TOLERANCE 4
#define RHO 5
#define ALPHA 6
#define HALFWAY 7 /* BiCGStab: an outcome, found or passed on by bicgstab_half */
#define OMEGA 8
#define SHADOW 9 /* BiCGStab: the shadow residual's norm, squared */
#define FOUND 10 /* an outcome, found or passed on by cg_update or bicgstab_update */
#define RHO_BEFORE 11
#define BEST 12 /* the least residual */
#define ENERGY 13 /* CG: |x - start|_A^2, by Hestenes and Stiefel the sum of all steps' alpha r.z; else 0 */
#define BEST_ENERGY 14 /* what it was when it last grew */
#define BEST_AT 15 /* the iteration of the last progress: of the residual, or of the energy */
#define COLUMNS 16 /* GMRES: of the cycle so far */
#define LARGEST 17 /* CG, UNSCALED: p.q / p.p at most so far, and with the last update's */
#define LARGEST_NOW 18
#define STATE_SIZE 19
/* After these HISTORY residuals: that of iteration i stride in place i, where the stride is the least power of 2 for
   which all iterations so far fit. */
#define HISTORY 1024

/* What the polynomial's vectors are multiplied by on both ways, lest they leave the range of single precision: at first
   the one that goes in has size 1. */
#ifdef SINGLE
#define UNIT(state) ((real)(1 / sqrt((state)[NORM])))
#else
#define UNIT(state) 1
#endif

/* The item that writes into the state: one of the last group, which has the least to do otherwise. */
#define IS_KEEPER (get_global_id(0) == get_global_size(0) - 1)

#define RUNNING 0
#define CONVERGED 1
#define CURVATURE 2 /* p.Ap is not positive */
#define NOT_FINITE 3
#define BREAKDOWN 4
#define PRECONDITIONER 5 /* r.z is not positive */
#define STAGNATION 6

/* Whether the iteration goes on by state[from]. Where it does not, state[to] says so, which no other group reads here. */
inline bool is_running(global accum *state, const int from, const int to)
{
    if (state[from] == RUNNING)
        return true;
    if (IS_KEEPER)
        state[to] = state[from];
    return false;
}

/* The sum of a pack's lanes, halves first. */
inline accum add_lanes(accum_pack v)
{
#if LANES == 16
    const JOIN(ACCUM, 8) eight = v.lo + v.hi;
    const JOIN(ACCUM, 4) four = eight.lo + eight.hi;
#elif LANES == 8
    const JOIN(ACCUM, 4) four = v.lo + v.hi;
#elif LANES == 4
    const accum_pack four = v;
#endif
#if LANES >= 4
    const JOIN(ACCUM, 2) two = four.lo + four.hi;
    return two.lo + two.hi;
#elif LANES == 2
    return v.lo + v.hi;
#else
    return v;
#endif
}

/* The sum of `own` over the group, for its first item. */
INLINE accum add_group(accum own, local accum *scratch)
{
#if GROUP > 1
    const int item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[item] = own;
    for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size)
            scratch[item] += scratch[item + half_size];
    }
    /* Global, too: what the group has read of the state is read before its last item changes it. */
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return scratch[0];
#else
    return own;
#endif
}

/* First stage: this group's share of sum number `which`. */
INLINE void leave_sum(accum_pack sum, int which, global accum *partial, local accum *scratch)
{
    const accum total = add_group(add_lanes(sum), scratch);
    if (get_local_id(0) == 0)
        partial[which * get_num_groups(0) + get_group_id(0)] = total;
}

/* Second stage, the same in every group: sum number `which` of n_partial partial sums. */
INLINE accum take_sum(const global accum *partial, int n_partial, int which, local accum *scratch)
{
    accum own = 0;
    for (int at = get_local_id(0); at < n_partial; at += GROUP)
        own += partial[which * n_partial + at];
    return add_group(own, scratch);
}

/* Puts RESIDUAL, of iteration ITERATIONS, into the history and finds stagnation: no progress for four times the
   iterations that led to the last, and 5000 more; or for as many as led to it, and 200 more, where the residual is 10 000
   times the best one, as BiCGStab's that diverges. Progress is a residual below the best one, or energy that grows by
   more than rounding: in bending the residual of conjugate gradients stays above the first one, by up to the root of
   the condition, while the error in the energy norm falls with every step. By one item. */
inline void record_residual(global accum *state)
{
    const int iteration = (int)state[ITERATIONS];
    global accum *history = state + STATE_SIZE;
    int stride = 1;
    while (iteration / stride >= HISTORY)
        stride *= 2;
    if (stride > 1 && iteration == stride / 2 * HISTORY) /* the stride has just doubled */
        for (int i = 0; i < HISTORY / 2; i++)
            history[i] = history[2 * i];
    if (iteration % stride == 0)
        history[iteration / stride] = state[RESIDUAL];
    const bool grew = state[ENERGY] > state[BEST_ENERGY] * (1 + 16 * ACCUM_EPSILON);
    if (state[RESIDUAL] < state[BEST] || grew) {
        state[BEST] = min(state[BEST], state[RESIDUAL]);
        state[BEST_ENERGY] = state[ENERGY];
        state[BEST_AT] = iteration;
    } else if (state[OUTCOME] == RUNNING) {
        const bool diverges = state[RESIDUAL] > 1e4f * state[BEST] && iteration > 2 * state[BEST_AT] + 200;
        if (diverges || iteration > 5 * state[BEST_AT] + 5000)
            state[OUTCOME] = STAGNATION;
    }
}

/* ---- Before and after the iteration ---- */

/* In place: the diagonal becomes its inverse (1 in the padding from n on). Where it is 0 or not a number, or negative
   though it must be positive, the lowest such index / block lands in *bad. */
kernel void invert_diagonal(const long n, const long n_padded, const int block, const int must_be_positive,
                            global real *restrict d, global int *restrict bad)
{
    for (long i = get_global_id(0); i < n_padded; i += get_global_size(0)) {
        const real a = i < n ? d[i] : (real)1;
        if (!(must_be_positive ? a > 0 : a != 0) || !isfinite(a))
            atomic_min(bad, (int)(i / block));
        d[i] = 1 / a;
    }
}

/* d = value on all n reals. */
kernel void fill(const long n, const real value, global real *restrict d)
{
    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        d[i] = value;
}

/* r -= q, and the sums of |d| r^2 and of r^2. */
kernel void residual(const long n_packs, global real *restrict r, const global real *restrict q,
                     const global real *restrict d, global accum *restrict partial, local accum *scratch)
{
    accum_pack scaled = 0, plain = 0;
    EACH_PACK (at) {
        const pack now = LOAD(r, at) - LOAD(q, at);
        const accum_pack wide = WIDEN(now);
        STORE(now, r, at);
        scaled += wide * wide * WIDEN(fabs(LOAD(d, at)));
        plain += wide * wide;
    }
    leave_sum(scaled, 0, partial, scratch);
    leave_sum(plain, 1, partial, scratch);
}

/* x = D^-1 b. */
kernel void solve_rows(const long n_packs, const global real *restrict b, const global real *restrict d,
                       global real *restrict x)
{
    EACH_PACK (at)
        STORE(LOAD(b, at) * LOAD(d, at), x, at);
}

/* The sum of x^2 / |d|; and of nothing, for take_two. */
kernel void weigh(const long n_packs, const global real *restrict x, const global real *restrict d,
                  global accum *restrict partial, local accum *scratch)
{
    accum_pack square = 0;
    EACH_PACK (at) {
        const accum_pack wide = WIDEN(LOAD(x, at));
        square += wide * wide / WIDEN(fabs(LOAD(d, at)));
    }
    leave_sum(square, 0, partial, scratch);
    leave_sum(0, 1, partial, scratch);
}

/* combined = the n_partial partial sums of each of a product's three sums, as one for each of this kernel's groups:
   fewer. */
kernel void combine_partials(const int n_partial, const global accum *restrict partial, global accum *restrict combined,
                 local accum *scratch)
{
    for (int which = 0; which < 3; which++) {
        accum own = 0;
        for (int at = get_global_id(0); at < n_partial; at += get_global_size(0))
            own += partial[which * n_partial + at];
        const accum total = add_group(own, scratch);
        if (get_local_id(0) == 0)
            combined[which * get_num_groups(0) + get_group_id(0)] = total;
    }
}

/* The partial sums of x.y, where a product leaves its first sum. */
kernel void leave_dot(const long n_packs, const global real *restrict x, const global real *restrict y,
                      global accum *restrict partial, local accum *scratch)
{
    accum_pack sum = 0;
    EACH_PACK (at)
        sum += WIDEN(LOAD(x, at)) * WIDEN(LOAD(y, at));
    leave_sum(sum, 0, partial, scratch);
}

/* out[0], out[1] = the two sums that `residual` left. */
kernel void take_two(const int n_partial, const global accum *restrict partial, global accum *restrict out,
                     local accum *scratch)
{
    const accum first = take_sum(partial, n_partial, 0, scratch);
    const accum second = take_sum(partial, n_partial, 1, scratch);
    if (get_local_id(0) == 0) {
        out[0] = first;
        out[1] = second;
    }
}
