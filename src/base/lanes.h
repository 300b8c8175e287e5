/* Several cells at once, for vector units: a number of each side by side. */
#ifndef RITZ_SRC_LANES_H
#define RITZ_SRC_LANES_H

#include <stdint.h>
#include <string.h>

/* A function compiled three times, for the widths of vectors that processors have; the loader takes the widest that is there.
   Numbers do not depend on which: products are not joined to sums. */
#if defined __x86_64__ && defined __GLIBC__ && defined __GNUC__ && !defined __clang__
#define RITZ_EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
enum { RITZ_N_LANES = 4 }; /* of 8 with AVX-512 the host's loops are no faster */
#else
#define RITZ_EACH_WIDTH
enum { RITZ_N_LANES = 2 };
#endif
/* What such a function calls has to be part of it, for the same vectors. */
#ifdef __GNUC__
#define RITZ_ANY_WIDTH static inline __attribute__((always_inline))
#else
#define RITZ_ANY_WIDTH static inline
#endif

/* A number of each cell, and what comparing two of them gives. */
typedef double ritz_lanes __attribute__((vector_size(RITZ_N_LANES * sizeof(double))));
typedef int64_t ritz_lane_mask __attribute__((vector_size(RITZ_N_LANES * sizeof(int64_t))));
#define RITZ_CHOOSE(mask, a, b) ((ritz_lanes)(((ritz_lane_mask)(a) & (mask)) | ((ritz_lane_mask)(b) & ~(mask))))

/* of[n_nodes][3]: values[.][width] of the nodes of n cells, 0 beyond the width. The last cell stands for those beyond n. */
static inline void ritz_gather_lanes(int n, const int32_t *const *cells, int n_nodes, int width, const double *values,
                                     ritz_lanes *of)
{
    if (width < 3)
        memset(of, 0, (size_t)n_nodes * 3 * sizeof *of);
    for (int l = 0; l < RITZ_N_LANES; l++) {
        const int32_t *nodes = cells[l < n ? l : n - 1];
        for (int i = 0; i < n_nodes; i++)
            for (int k = 0; k < width; k++)
                of[3 * i + k][l] = values[width * (int64_t)nodes[i] + k];
    }
}

#endif
