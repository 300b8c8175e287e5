/* Sparse matrix in slices of block rows (SBELL): product and diagonal.

   Compile-time parameters:
       BLOCK   b, rows and columns of a block, 1..8
       SLICE   S, block rows of a slice
       LANES   block rows a work-item computes side by side: 1, 2, 4, 8 or 16, a divisor of SLICE

   Algorithm 4 of the SBELL paper: a thread a block row, every entry of the slice read by neighbours side by side. With
   LANES > 1 a work-item stands for LANES such threads and its vectors for their registers: CPUs read a slice with full
   vector loads that way. A work-item takes `run` packs of LANES rows one after the other. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if LANES == 1
typedef real pack;
#define LOAD(p) (*(p))
#define STORE(v, p) (*(p) = (v))
#else
typedef JOIN(real, LANES) pack;
#define LOAD(p) JOIN(vload, LANES)(0, p)
#define STORE(v, p) JOIN(vstore, LANES)(v, 0, p)
#endif

#define EACH1(f) f(0)
#define EACH2(f) f(0), f(1)
#define EACH4(f) EACH2(f), f(2), f(3)
#define EACH8(f) EACH4(f), f(4), f(5), f(6), f(7)
#define EACH16(f) EACH8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)

/* Component c of x in the block columns of LANES neighbouring slots. */
#define FETCH(lane) from[(long)column[lane] * BLOCK]
inline pack gather(const global real *from, const global int *column)
{
    return (pack)(JOIN(EACH, LANES)(FETCH));
}

kernel void product(const int n_packs, const int run, const global long *restrict slice_start,
                    const global int *restrict permutation, const global int *restrict columns,
                    const global real *restrict values, const global real *restrict x, global real *restrict y)
{
    const long first = (long)get_global_id(0) * run;
    const long last = min(first + run, (long)n_packs);
    for (long at = first; at < last; at++) {
        const long slice = at / (SLICE / LANES);
        const int i = (int)(at % (SLICE / LANES)) * LANES;
        const long end = slice_start[slice + 1];
        pack sum[BLOCK];
#pragma unroll
        for (int r = 0; r < BLOCK; r++)
            sum[r] = (pack)(0);
        for (long slot = slice_start[slice] + i; slot < end; slot += SLICE) {
            const global real *entry = values + (slot - i) * (BLOCK * BLOCK) + i;
            pack at_column[BLOCK];
#pragma unroll
            for (int c = 0; c < BLOCK; c++)
                at_column[c] = gather(x + c, columns + slot);
#pragma unroll
            for (int r = 0; r < BLOCK; r++)
#pragma unroll
                for (int c = 0; c < BLOCK; c++)
                    sum[r] += LOAD(entry + (r * BLOCK + c) * SLICE) * at_column[c];
        }
#pragma unroll
        for (int r = 0; r < BLOCK; r++) {
            real lane[LANES];
            STORE(sum[r], lane);
            for (int l = 0; l < LANES; l++) {
                const int row = permutation[at * LANES + l];
                if (row >= 0)
                    y[(long)row * BLOCK + r] = lane[l];
            }
        }
    }
}

/* diagonal[row * BLOCK + r] = the scalar diagonal, 0 where the structure has no diagonal block. */
kernel void diagonal(const int n_rows, const global long *restrict row_slot, const global int *restrict row_length,
                     const global int *restrict columns, const global real *restrict values,
                     global real *restrict diagonal)
{
    const long row = get_global_id(0);
    if (row >= n_rows)
        return;
    long found = -1;
    for (int k = 0; k < row_length[row] && found < 0; k++)
        if (columns[row_slot[row] + (long)k * SLICE] == row)
            found = row_slot[row] + (long)k * SLICE;
    const long i = found % SLICE;
    for (int r = 0; r < BLOCK; r++)
        diagonal[row * BLOCK + r] =
            found < 0 ? (real)0 : values[(found - i) * (BLOCK * BLOCK) + (long)(r * BLOCK + r) * SLICE + i];
}
