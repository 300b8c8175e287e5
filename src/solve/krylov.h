/* What the Krylov methods share on the host: device vectors, scalars, kernels and their launches. */
#ifndef RITZ_SRC_SOLVE_KRYLOV_H
#define RITZ_SRC_SOLVE_KRYLOV_H

#include "matrix/vector.h"
#include "multigrid/multigrid.h"
#include "solve/polynomial.h"
#include "solve/precondition.h"
#include "solve/solve.h"

#include <float.h>

/* Places in the device's state[], as in kernels/reduce.cl. */
enum {
    STATE_RESIDUAL,
    STATE_OUTCOME,
    STATE_ITERATIONS,
    STATE_NORM,
    STATE_TOLERANCE,
    STATE_RHO,
    STATE_ALPHA,
    STATE_HALFWAY,
    STATE_OMEGA,
    STATE_SHADOW,
    STATE_FOUND,
    STATE_RHO_BEFORE,
    STATE_BEST,
    STATE_ENERGY,
    STATE_BEST_ENERGY,
    STATE_BEST_AT,
    STATE_COLUMNS,
    STATE_LARGEST,
    STATE_LARGEST_NOW,
    STATE_SIZE /* and RITZ_HISTORY_MOST residuals after it */
};
typedef enum outcome {
    RUNNING,
    CONVERGED,
    CURVATURE,
    NOT_FINITE,
    BREAKDOWN,
    PRECONDITIONER,
    STAGNATION,
    ROUNDING,
    DRIFTED, /* the residual that is carried along has left the true one behind */
    LEVEL    /* the residual is within the tolerance, and the level of the solution is not */
} outcome;

/* Vectors of the iteration, each padded with zeros to whole packs. D is the inverse diagonal (padding 1). */
enum { VECTOR_X, VECTOR_R, VECTOR_D, VECTOR_P, VECTOR_Q, VECTOR_W, VECTOR_T, VECTOR_SHADOW, N_VECTORS };

enum { MAX_METHOD_KERNELS = 10 };
enum { LEVEL_MOST = 8 }; /* components, at most */

/* Partial sums [RITZ_PRODUCT_SUMS][n] of a product's sums, for a kernel that adds them up. */
struct krylov_sum {
    const ritz_buffer *partial;
    int32_t n;
};

/* The kernels for the preconditioner's vectors in one precision; without such vectors, those of the method alone. */
struct krylov_precision {
    ritz_precision precision;
    ritz_kernel *multiply;
    ritz_kernel *inner[MAX_PRECONDITIONER_KERNELS]; /* the preconditioner's */
    ritz_kernel *kernel[MAX_METHOD_KERNELS];        /* the method's */
};

/* A preconditioner at work. The buffers are of one that is applied between the method's kernels. */
typedef struct krylov_preconditioner {
    const preconditioner_kind *kind;
    ritz_preconditioner number;                 /* of the kind */
    int degree;                                 /* of a polynomial, as are the next two */
    ritz_value_type storage;                    /* of its matrix */
    const double *near_nullspace, *coordinates; /* as in ritz_solve_options, while it is created */
    const ritz_matrix *matrix;                  /* likewise; NULL: the system's */
    int near_nullspace_columns, unknowns_per_node;
    const int32_t *coarse_nodes; /* likewise, while it is created */
    const double *coarse_weights;
    int32_t n_coarse_nodes;
    bool updatable;
    ritz_buffer *r;     /* what it is applied to, in any of the precisions */
    ritz_buffer *scale; /* D^-1/2, of A's precision, so that no unit leaves its range */
    ritz_kernel *take_root;
    void *own;                     /* the kind's */
    bool lent;                     /* by another krylov, which owns what it holds */
    ritz_apply_function *function; /* the caller's */
    void *context;
} krylov_preconditioner;

/* A method: its kernels, its vectors, and what it sends to the device. */
typedef struct krylov_method {
    const char *name;
    const char *kernel_file;
    const char *kernels[MAX_METHOD_KERNELS]; /* names in kernel_file; NULL ends */
    int n_vectors;                           /* the first of the list above */
    int products;                            /* with A in an iteration, and applications of the preconditioner */
    int passes, passes_applied;              /* vectors that an iteration reads or writes outside of products */
    int passes_inner;                        /* the preconditioner's own among the latter, where they may be narrower */
    bool positive_definite;                  /* needs a positive diagonal */
    int preconditioned;                      /* the vector that the preconditioner's result of a start goes to */
    bool starts_from_unit;                   /* it is applied to the start's residual over its norm */
    ritz_status (*prepare)(krylov *k);       /* its own buffers; NULL: none */
    ritz_status (*start)(krylov *k);         /* from the residual in r: the method's own vectors */
    ritz_status (*iterate)(krylov *k);       /* launches one iteration; reads nothing back */
    ritz_status (*resume)(krylov *k);        /* after an outcome that is taken back; NULL: it cannot */
    ritz_status (*finish)(krylov *k);        /* x once the outcome is decided; NULL: it is there */
} krylov_method;
extern const krylov_method ritz_method_cg, ritz_method_bicgstab, ritz_method_gmres;

struct krylov {
    const ritz_matrix *matrix; /* NULL: the operator below */
    ritz_operator operator;
    ritz_device *device;
    const krylov_method *method;
    ritz_precision precision, accum; /* of vectors; of sums and scalars */
    int64_t n, n_padded, n_packs;
    int64_t group, n_groups; /* work-items per group; groups of the first stage of a sum */
    ritz_buffer *vector[N_VECTORS];
    ritz_buffer *partial;  /* accum [4][n_groups] */
    ritz_buffer *product;  /* accum [RITZ_PRODUCT_SUMS][partial sums of a product] */
    ritz_buffer *combined; /* accum [RITZ_PRODUCT_SUMS][n_groups] */
    ritz_buffer *state;    /* accum [STATE_SIZE + RITZ_HISTORY_MOST] */
    ritz_buffer *sums;     /* accum [2] */
    ritz_buffer *fresh_residual,
        *fresh_partial;    /* a residual beside the iteration's, and its partial sums; NULL until needed */
    ritz_buffer *own_rows; /* D^-1 where VECTOR_D is ones; NULL: it is VECTOR_D, or unknown */
    ritz_buffer *basis;    /* GMRES: [cycle + 1][n_padded] */
    ritz_buffer *small;    /* GMRES: accum, see its kernels */
    int32_t cycle, step;   /* GMRES: steps a cycle, and of this one */
    krylov_preconditioner preconditioner;
    double largest_eigenvalue;            /* of the scaled matrix, at least; 0: not known */
    bool has_level;                       /* the next two are there (level.c) */
    bool is_level_free[LEVEL_MOST];       /* by component: nothing holds it */
    double level[LEVEL_MOST][LEVEL_MOST]; /* [c][d] the sum of A's entries between unknowns of components c and d */
    krylov_precision precisions[2];       /* the second, where there is one: vectors in single, once they are enough */
    int n_precisions;
    krylov_precision *in_use;
    ritz_kernel *residual, *weigh, *solve_rows, *take_two, *invert_diagonal, *fill, *combine_partials, *leave_dot;
};

/* Of the method's vectors. */
static inline double ritz_krylov_epsilon(const krylov *k)
{
    return k->precision == RITZ_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
}

/* ---- options.c ---- */
/* *o = *given, or all zeros for NULL, with defaults and choices that suit the matrix; refuses what is not possible. */
ritz_status ritz_solve_fill_options(const ritz_matrix *matrix, const ritz_solve_options *given, ritz_solve_options *o);
/* The same for an operator, which is checked, too. */
ritz_status ritz_solve_fill_operator(const ritz_operator *operator, const ritz_solve_options * given,
                                     ritz_solve_options *o);
/* The least and the largest number on the diagonal. */
ritz_status ritz_solve_find_diagonal_range(const ritz_matrix *matrix, double *least, double *most);

/* ---- krylov.c ---- */
/* Of `options` the preconditioner, its degree and precision are looked at. Of the vectors there is but D. */
ritz_status ritz_krylov_create(const ritz_matrix *matrix, const ritz_operator *operator, const krylov_method * method,
                               const ritz_solve_options *options, krylov *k);
/* The other vectors, and the method's own buffers: once the preconditioner is there, whose set-up needs more room than it keeps. */
ritz_status ritz_krylov_create_vectors(krylov *k);
/* All of them but D^-1; until they are created again nothing is solved. */
void ritz_krylov_release_vectors(krylov *k);
void ritz_krylov_destroy(krylov *k);

/* d = the inverse diagonal, checked: a wrong row is named. With `ones`, d = 1 once the check that the method needs is
   done. */
ritz_status ritz_krylov_diagonal(krylov *k, bool ones);
/* r -= q; sums[0] = sum |d| r^2, sums[1] = sum r^2. */
ritz_status ritz_krylov_residual(krylov *k, double sums[2]);
/* *square = sum x^2 / |d|: the solution's size in the scaled system. */
ritz_status ritz_krylov_weigh_solution(krylov *k, double *square);
/* k->fresh_residual and k->fresh_partial. */
ritz_status ritz_krylov_make_spare(krylov *k);
ritz_status ritz_krylov_write_state(krylov *k, const double state[STATE_SIZE]);
/* state[first .. first + n - 1] from the device: waits for it. */
ritz_status ritz_krylov_read_state(const krylov *k, int first, int n, double *state);
/* history[0 .. count - 1], count at most RITZ_HISTORY_MOST, from the device: waits for it. */
ritz_status ritz_krylov_read_history(const krylov *k, int count, double *history);
/* Bytes that an iteration in one of the precisions must move: products, polynomials and passes over vectors. */
int64_t ritz_krylov_iteration_bytes(const krylov *k, const krylov_precision *in);
/* Launches over all packs, and of one group for the second stage of sums. */
ritz_range ritz_krylov_all(const krylov *k);
ritz_range ritz_krylov_one(const krylov *k);
/* The caller's row that became this one. */
int64_t ritz_krylov_row(const krylov *k, int64_t row);
/* y = f(x) by a function of the caller's; `what` it is stands in the message. */
ritz_status ritz_krylov_call(const krylov *k, ritz_apply_function *function, void *context, const char *what,
                             const ritz_buffer *x, ritz_buffer *y);
/* The sum x.y of two vectors, as a product leaves it. */
ritz_status ritz_krylov_dot(krylov *k, const ritz_buffer *x, const ritz_buffer *y, krylov_sum *sum);
/* q = A p for two of the vectors. */
ritz_status ritz_krylov_multiply(krylov *k, int from, int to);
/* A product that leaves its sums; they stand until the next such product. product->partial is not looked at. With NULL for
   the matrix the caller's operator, which leaves the first sum only and takes no factors. */
ritz_status ritz_krylov_product(krylov *k, const ritz_matrix *matrix, const ritz_product *product, const ritz_buffer *x,
                                ritz_buffer *y, krylov_sum *sum);

/* Where the loop that the host keeps has come. */
typedef struct krylov_loop {
    /* Squares: of the right-hand side, scaled, or what measure.c leaves of that; what it would be of the whole; and as it is. */
    double norm, whole, plain_norm;
    bool from_zero; /* x = 0 at the start */
    double tolerance;
    int32_t max_iterations;
    bool thorough; /* as in ritz_solve_options */
    double asked,
        energy;   /* while it goes on: the tolerance that was asked for, and the solution's energy at the last one */
    int32_t most; /* likewise: iterations that are allowed in all */
    int looks;    /* at the energy of the error */
    int levels;   /* looks at the level */
    double residual;
    int32_t iterations;
    int32_t double_iterations; /* of these with the polynomial's vectors in double */
    outcome outcome;
    double first_residual;
    bool exact;                    /* at the end: small, and as near to the solution as rounding lets x come */
    const ritz_solve_watch *watch; /* NULL: none */
    double seen[2];                /* residuals at its last two looks */
} krylov_loop;

/* ---- measure.c ---- */
/* The norms of the loop, and its start from x in VECTOR_X. *nothing: they are 0, not finite, or too small to tell anything. */
ritz_status ritz_krylov_measure(krylov *k, const ritz_buffer *b, const ritz_buffer *x, krylov_loop *l, bool *nothing);
/* r = b. sums as of ritz_krylov_residual. */
ritz_status ritz_krylov_residual_of_zero(krylov *k, const ritz_buffer *b, double sums[2]);

/* ---- level.c ---- */
/* Of a matrix's solution x in VECTOR_X, with its residual in VECTOR_R: change[LEVEL_MOST], what each component is to be raised by for the
   forces of the whole to balance, and its share of x. Uses p and q up. */
ritz_status ritz_krylov_find_level(krylov *k, double *change, double *share);
/* x += change */
ritz_status ritz_krylov_raise(krylov *k, const double *change);

/* ---- loop.c ---- */
/* Iterates from x; where the residual that the iteration carries along has drifted from the true one, starts anew from
   the iterate, as long as each start comes ten times closer and rounding leaves room. *true_residual = |b - A x| / |b|
   at the end. */
ritz_status ritz_krylov_iterate(krylov *k, const ritz_buffer *b, krylov_loop *l, double *true_residual);

/* ---- diagnose.c ---- */
/* The right-hand side's norm is 0, infinite or NaN: its message, or RITZ_OK for a vector of zeros. */
ritz_status ritz_diagnose_right_hand_side(const krylov *k, const ritz_buffer *b);
/* RITZ_ERROR_INPUT with the first row of the matrix that is no number; uses q and r up. */
ritz_status ritz_diagnose_matrix(krylov *k);
/* RITZ_OK for a system that was solved, the message else. x: the last iterate. */
ritz_status ritz_diagnose_outcome(krylov *k, const ritz_buffer *x, const krylov_loop *l,
                                  const ritz_solve_report *report);

/* ---- precondition.c ---- */
/* Whether z = P r takes more than D^-1 in the method's kernels. */
bool ritz_krylov_applies(const krylov *k);
/* What the method's kernels scale with: D^-1/2 for a preconditioner that is applied between them, else D^-1. */
const ritz_buffer *ritz_krylov_scaling(const krylov *k);
/* Once D^-1 is there: all that the preconditioner needs; again: of new values of the matrix. */
ritz_status ritz_krylov_prepare_preconditioner(krylov *k, bool again);
/* The same preconditioner for another method, as long as k lives and is not updated; not both at once. */
void ritz_krylov_lend_preconditioner(const krylov *k, krylov *to);
void ritz_krylov_destroy_preconditioner(krylov *k);
/* Whether the preconditioner's vectors are to become narrow once the residual allows it, and are not. */
bool ritz_krylov_may_narrow(const krylov *k);
/* Before an iteration: the precision for a residual that is to come down to `tolerance`; both are relative to the
   right-hand side. */
ritz_status ritz_krylov_choose_precision(krylov *k, double residual, double tolerance);
/* to = D^-1/2 from, a vector of the preconditioner */
ritz_status ritz_krylov_scale(krylov *k, const ritz_buffer *from, ritz_buffer *to);
/* The vector `to` = D^-1/2 P r for the preconditioner's r; nothing where the method's kernels have left it there. */
ritz_status ritz_krylov_precondition(krylov *k, int to);

/* Arguments that many launches share. */
#define KRYLOV_PACKS(k) RITZ_LONG((k)->n_packs)
#define KRYLOV_GROUPS(k) RITZ_INT((int32_t)(k)->n_groups)
#define KRYLOV_VECTOR(k, which) RITZ_BUFFER((k)->vector[which])
#define KRYLOV_STATE(k) RITZ_BUFFER((k)->state)
#define KRYLOV_PARTIAL(k) RITZ_BUFFER((k)->partial)
#define KRYLOV_SCRATCH(k) RITZ_LOCAL((k)->group *ritz_real_bytes((k)->accum))

#endif
