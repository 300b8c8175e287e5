/* What the Krylov methods share on the host: device vectors, scalars, kernels and their launches. */
#ifndef RITZ_SRC_SOLVE_KRYLOV_H
#define RITZ_SRC_SOLVE_KRYLOV_H

#include "solve/polynomial.h"
#include "solve/solve.h"

/* Places in the device's state[], as in kernels/reduce.cl. */
enum {
    STATE_RESIDUAL,
    STATE_OUTCOME,
    STATE_ITERATIONS,
    STATE_NORM,
    STATE_TOLERANCE,
    STATE_RHO,
    STATE_ALPHA,
    STATE_BETA,
    STATE_OMEGA,
    STATE_SHADOW,
    STATE_SIZE
};
typedef enum outcome { RUNNING, CONVERGED, CURVATURE, NOT_FINITE, BREAKDOWN, PRECONDITIONER, ROUNDING } outcome;

/* Vectors of the iteration, each padded with zeros to whole packs. D is the inverse diagonal (padding 1). */
enum { VECTOR_X, VECTOR_R, VECTOR_D, VECTOR_P, VECTOR_Q, VECTOR_W, VECTOR_T, VECTOR_SHADOW, N_VECTORS };

enum { MAX_METHOD_KERNELS = 10 };

typedef struct krylov krylov;

/* P(D^-1/2 A D^-1/2) as a preconditioner; absent (matrix NULL) where D^-1 is all. */
typedef struct krylov_preconditioner {
    ritz_preconditioner kind;
    ritz_value_type storage; /* of the polynomial's matrix */
    int degree;
    ritz_polynomial polynomial;
    int steps;                /* of Lanczos */
    double smallest, largest; /* eigenvalues are between them */
    ritz_matrix *matrix;      /* scaled */
    ritz_buffer *r, *z[2];    /* inside the polynomial: right-hand side, iterates */
    ritz_kernel *start, *scalars, *update, *into, *out_of;
} krylov_preconditioner;

/* A method: its kernels, its vectors, and what it sends to the device. */
typedef struct krylov_method {
    const char *name;
    const char *kernel_file;
    const char *kernels[MAX_METHOD_KERNELS]; /* names in kernel_file; NULL ends */
    int n_vectors, n_vectors_polynomial;     /* the first of the list above */
    bool positive_definite;                  /* needs a positive diagonal */
    ritz_status (*start)(krylov *k);         /* from the residual in r: the method's own vectors */
    ritz_status (*iterate)(krylov *k);       /* launches one iteration; reads nothing back */
} krylov_method;
extern const krylov_method ritz_method_cg, ritz_method_bicgstab;

struct krylov {
    const ritz_matrix *matrix;
    const krylov_method *method;
    ritz_precision precision, accum; /* of vectors; of sums and scalars */
    int64_t n, n_padded, n_packs;
    int64_t group, n_groups; /* work-items a group; groups of the first stage of a sum */
    ritz_buffer *vector[N_VECTORS];
    ritz_buffer *partial; /* accum [2][n_groups] */
    ritz_buffer *state;   /* accum [STATE_SIZE] */
    ritz_buffer *sums;    /* accum [2] */
    krylov_preconditioner preconditioner;
    ritz_kernel *residual, *take_two, *invert_diagonal, *fill;
    ritz_kernel *kernel[MAX_METHOD_KERNELS];
};

/* Of `options` the preconditioner, its degree and precision are looked at. */
ritz_status ritz_krylov_create(const ritz_matrix *matrix, const krylov_method *method,
                               const ritz_solve_options *options, krylov *k);
void ritz_krylov_destroy(krylov *k);

/* d = the inverse diagonal, checked: a wrong row is named. With `ones`, d = 1 once the check that the method needs is
   done. */
ritz_status ritz_krylov_diagonal(krylov *k, bool ones);
/* r -= q; sums[0] = sum |d| r^2, sums[1] = sum r^2. */
ritz_status ritz_krylov_residual(krylov *k, double sums[2]);
ritz_status ritz_krylov_write_state(krylov *k, const double state[STATE_SIZE]);
/* state[first .. first + n - 1] from the device: waits for it. */
ritz_status ritz_krylov_read_state(const krylov *k, int first, int n, double *state);
/* Launches over all packs, and of one group for the second stage of sums. */
ritz_range ritz_krylov_all(const krylov *k);
ritz_range ritz_krylov_one(const krylov *k);
/* q = A p for two of the vectors. */
ritz_status ritz_krylov_multiply(krylov *k, int from, int to);

/* ---- precondition.c ---- */
/* Whether z = P r takes more than D^-1. */
bool ritz_krylov_has_polynomial(const krylov *k);
/* Once D^-1 is there: the scaled matrix, its bounds, the polynomial. */
ritz_status ritz_krylov_prepare_polynomial(krylov *k);
/* After the finding that P(A) is not positive definite: a larger upper bound. */
void ritz_krylov_widen(krylov *k);
/* to = D^-1/2 P(D^-1/2 A D^-1/2) D^-1/2 from, and the parts of the sum from.to. */
ritz_status ritz_krylov_precondition(krylov *k, int from, int to);

/* Arguments that many launches share. */
#define KRYLOV_PACKS(k) RITZ_LONG((k)->n_packs)
#define KRYLOV_PARTS(k) RITZ_INT((int32_t)(k)->n_groups)
#define KRYLOV_VECTOR(k, which) RITZ_BUFFER((k)->vector[which])
#define KRYLOV_STATE(k) RITZ_BUFFER((k)->state)
#define KRYLOV_PARTIAL(k) RITZ_BUFFER((k)->partial)
#define KRYLOV_SCRATCH(k) RITZ_LOCAL((k)->group *ritz_real_bytes((k)->accum))

#endif
