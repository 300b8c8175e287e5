/* Shared between the files of the multigrid room only. */
#ifndef RITZ_SRC_MULTIGRID_LEVELS_H
#define RITZ_SRC_MULTIGRID_LEVELS_H

#include "device/tuning.h"
#include "matrix/block_rows.h"
#include "multigrid/multigrid.h"

/* Coefficients of Chebyshev's iteration on [lower, upper] for A z = r:
   z_1 = z_0 + omega_0 (r - A z_0),  z_(k+1) = mu_k z_k + (1 - mu_k) z_(k-1) + omega_k (r - A z_k). */
typedef struct multigrid_smoother {
    int degree; /* steps */
    double omega[RITZ_SMOOTHER_DEGREE_MOST], mu[RITZ_SMOOTHER_DEGREE_MOST];
} multigrid_smoother;

/* What on the way to the next level depends on the matrix's pattern alone and is not the cycle's, kept for new values. */
typedef struct multigrid_kept {
    ritz_buffer *aggregate;
    ritz_block_rows *strong;      /* the pattern of the blocks of A that P is smoothed with; NULL: all */
    ritz_block_rows *ap, *coarse; /* patterns of A P and P^T A P */
} multigrid_kept;

/* A product with the prolongator or its transpose. */
typedef struct multigrid_transfer {
    ritz_kernel *kernel;
    ritz_row_threads threads;
} multigrid_transfer;

typedef struct multigrid_level {
    ritz_multigrid_level_info info;
    int block;
    ritz_matrix *matrix;    /* scaled; NULL where the factors are all that is needed */
    ritz_matrix *factor[2]; /* of the coarsest, L^-1 and U^-T; NULL: it is smoothed alone */
    multigrid_smoother smoother;
    ritz_buffer *r;    /* right-hand side; NULL on the finest */
    ritz_buffer *z[2]; /* iterates */
    /* To the next level and back, transposes of each other; NULL on the coarsest. */
    ritz_block_rows *prolongator, *restrictor;
    /* int32 [n_blocks] where in the prolongator each block of the restrictor stands; NULL once it is there for good. */
    ritz_buffer *slot;
    multigrid_transfer prolong, restrict_;
    multigrid_kept kept; /* empty where there will be no update */
} multigrid_level;

/* The first coarse level where it is given. */
typedef struct multigrid_embedding {
    int most;                     /* weights of a node */
    ritz_buffer *nodes, *weights; /* int32 and float [n_nodes][most] of the options'; NULL: there is none */
    ritz_buffer *place;           /* int32 [n_coarse] the node that each coarse one is */
    int32_t n_coarse;
} multigrid_embedding;

struct ritz_multigrid {
    ritz_device *device;
    ritz_precision setup; /* of what levels are made, the matrix's */
    ritz_multigrid_options options;
    int64_t n_padded; /* of vectors of the finest level */
    int n_levels;
    /* Of the finest level, for updates: the pattern, and the near-nullspace as it was given. */
    ritz_block_rows *pattern;
    ritz_buffer *nullspace;
    multigrid_embedding embedding;
    /* float [n_nodes][block (block + 1) / 2]: by rows the lower triangles S = L^-1 of the finest level's diagonal blocks L L^T, by which
       it is scaled beyond D^-1/2; NULL: it is not. */
    ritz_buffer *factor;
    ritz_kernel *scale_nodes[2]; /* by S, and by S^T */
    int64_t peak_before;         /* the first set-up: most bytes of the device that were in use at a time */
    bool again;                  /* the levels are there, and receive new values */
    bool straight;               /* the embedding, which stretched cells make worthless, is left out */
    int n_free;                  /* motions of the near-nullspace without energy */
    multigrid_level level[RITZ_MULTIGRID_LEVELS_MOST];
};

/* How work-items share rows, as many a row as the constant says. */
ritz_row_threads ritz_multigrid_threads(ritz_device *device, ritz_constant constant);

/* Tells the log what each phase of the set-up took, and the rate of the bytes that it had to move at least. Does nothing, and does
   not wait for the device, where nobody hears it. */
typedef struct multigrid_clock {
    ritz_device *device;
    int level;
    double since;
} multigrid_clock;
/* phase NULL: starts the clock. */
void ritz_multigrid_phase(multigrid_clock *clock, const char *phase, int64_t bytes);

/* Whether a level comes of stretched cells: its nodes are gathered along the short edges alone, in surfaces or in lines, and so are those
   of the levels below. */
typedef enum multigrid_stretch { STRETCH_UNKNOWN, EVEN, STRETCHED, STRETCHED_IN_LINES } multigrid_stretch;

/* What a level is made of, while it is: scaled rows and the near-nullspace that goes with them. Rows in place (block_rows.h) are
   not scaled: prolongators from them are D^-1/2 times those of the scaled ones, so that products are the same. */
typedef struct multigrid_rows {
    ritz_block_rows *a;
    ritz_buffer *root;         /* D^-1/2 of rows in place; NULL: they are scaled */
    const ritz_buffer *factor; /* the hierarchy's, of the finest level */
    int columns;
    multigrid_stretch stretch;
    bool has_places;        /* the near-nullspace is that of rigid motions in space, which tell where nodes are */
    ritz_buffer *nullspace; /* [a->n_rows][a->height][columns] */
    multigrid_clock *clock;
} multigrid_rows;

/* What rows in place add to a kernel's options. */
void ritz_multigrid_add_slices(const ritz_block_rows *a, char *options, size_t size);
/* A kernel of a file of this room, for blocks of height x width; `options` are added to the compiler's. */
ritz_status ritz_multigrid_kernel(ritz_device *device, ritz_precision precision, const char *file, int height,
                                  int width, const char *options, const char *name, ritz_kernel **kernel);

/* ---- aggregate.c ---- */
/* aggregate[n_rows] (int32): the aggregate of each node, -1 for nodes without strong neighbours. fine->stretch is found out. *strong: of
   stretched cells the pattern of the diagonal and the strong blocks, else NULL. */
ritz_status ritz_multigrid_aggregate(multigrid_rows *fine, int32_t *n_aggregates, ritz_buffer **aggregate,
                                     ritz_block_rows **strong);
/* Values of fine->a's in that pattern. */
ritz_status ritz_multigrid_copy_strong(const multigrid_rows *fine, ritz_block_rows *strong);

/* ---- embedding.c ---- */
/* From the options, of `n_nodes` nodes; RITZ_ERROR_INPUT: these are not what they have to be. */
ritz_status ritz_multigrid_take_embedding(ritz_multigrid *m, int32_t n_nodes);
void ritz_multigrid_destroy_embedding(multigrid_embedding *embedding);
/* Its prolongator, of the scaled matrix; coarse->nullspace and coarse->columns are set. *prolongator as the c of
   ritz_block_rows_multiply. */
ritz_status ritz_multigrid_embed(const ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *fine,
                                 multigrid_rows *coarse, ritz_block_rows **prolongator);

/* ---- prolongator.c ---- */
/* A kernel of nullspace.cl, which knows the matrix's D^-1. */
ritz_status ritz_multigrid_nullspace_kernel(const ritz_matrix *matrix, const ritz_block_rows *a, int columns,
                                            const char *name, ritz_kernel **kernel);
/* The near-nullspace of the finest level from the options. */
ritz_status ritz_multigrid_take_nullspace(const ritz_multigrid *m, const ritz_matrix *matrix, const ritz_block_rows *a,
                                          int columns, ritz_buffer **nullspace);
/* In place: scaled by D^1/2, zero in rows that hold but a diagonal. */
ritz_status ritz_multigrid_scale_nullspace(const ritz_multigrid *m, const ritz_matrix *matrix, const ritz_block_rows *a,
                                           int columns, ritz_buffer *nullspace);
/* rows->root where they are in place. */
ritz_status ritz_multigrid_take_roots(const ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *rows);
/* The tentative prolongator of the aggregates; coarse->nullspace and coarse->columns are set. */
ritz_status ritz_multigrid_tentative(const multigrid_rows *fine, int32_t n_aggregates, const ritz_buffer *aggregate,
                                     multigrid_rows *coarse, ritz_block_rows **tentative);
/* P = T - omega A T in single, of a level that is to be scaled by S T - omega S^T S A T, of which P^T A P is the matrix of the next level all
   the same; strong: in the place of A, which leaves
   P of the coarse near-nullspace as it is all the same. *prolongator as the c of ritz_block_rows_multiply. */
ritz_status ritz_multigrid_smooth(const multigrid_rows *fine, const ritz_block_rows *tentative,
                                  const ritz_block_rows *strong, const multigrid_rows *coarse, double omega,
                                  ritz_block_rows **prolongator);
/* coarse->a = P^T A P scaled to diagonal blocks of ones; P, scaled to fit to it and to its own level, and the pattern of P^T with its *slot. Where
   *restrictor is there, it, P and `kept`, which lends coarse->a its pattern, have all patterns; else they are made. fine->a is given
   up on the way. */
ritz_status ritz_multigrid_galerkin(multigrid_rows *fine, ritz_block_rows *prolongator, multigrid_rows *coarse,
                                    multigrid_kept *kept, ritz_block_rows **restrictor, ritz_buffer **slot);

/* ---- spectrum.c ---- */
enum { RITZ_LANCZOS_STEPS = 12 };
/* *largest eigenvalue of the matrix, from a few steps of Lanczos: a little below it. */
ritz_status ritz_multigrid_largest(const ritz_matrix *matrix, double *largest);
multigrid_smoother ritz_multigrid_smoother(int degree, double largest);
/* x: numbers in (-1, 1), the same on every device. */
ritz_status ritz_multigrid_start_vector(const ritz_matrix *matrix, ritz_buffer *x);

/* ---- node_scaling.c ---- */
/* m->factor and rows->factor, where diagonal blocks are worth it. */
ritz_status ritz_multigrid_factor_nodes(ritz_multigrid *m, const ritz_matrix *matrix, multigrid_rows *rows);
/* In place, for the finest level: x = S x, or S^T x; nothing where it is not so scaled. */
ritz_status ritz_multigrid_scale_nodes(const ritz_multigrid *m, bool transposed, ritz_buffer *x);

/* ---- values.c ---- */
/* How the finest level's matrix is stored to begin with, made of `finest`. */
ritz_value_type ritz_multigrid_first_values(const ritz_multigrid *m, const ritz_matrix *finest);
/* The finest level's matrix for the cycle. */
ritz_status ritz_multigrid_copy_finest(ritz_multigrid *m, const ritz_matrix *finest, ritz_value_type values);
/* Once all levels are there: whether values of 16 bits stay. */
ritz_status ritz_multigrid_settle_values(ritz_multigrid *m, const ritz_matrix *finest, multigrid_clock *clock);

/* ---- cycle.c ---- */
/* y [n scalars] = or += the prolongator, or its transpose, times x. */
ritz_status ritz_multigrid_transfer(const multigrid_transfer *t, const ritz_block_rows *rows, int64_t n,
                                    const ritz_buffer *x, ritz_buffer *y);

/* z[0] of the coarsest level to that of the finest one, as the cycle does. */
ritz_status ritz_multigrid_prolong(const ritz_multigrid *m);

/* ---- coarsest.c ---- */
/* Rows of a small matrix on the host: start[n_rows + 1], columns[n_blocks], values[n_blocks][height][width]. */
typedef struct multigrid_host_rows {
    int64_t *start;
    int32_t *columns;
    double *values;
} multigrid_host_rows;
/* Destroyed by the caller after a failure, too. */
ritz_status ritz_multigrid_read_rows(const ritz_block_rows *a, multigrid_host_rows *rows);
void ritz_multigrid_destroy_host_rows(multigrid_host_rows *rows);
/* factor[0] = L^-1 and factor[1] = U^-T of a small matrix L U^T; U = L where it is symmetric. Unit vectors motions[n_motions][n] are held
   by springs of stiffness 1. */
ritz_status ritz_multigrid_factorise(const ritz_multigrid *m, const ritz_block_rows *a, int n_motions,
                                     const double *motions, ritz_matrix *factor[2]);

/* ---- free_motions.c ---- */
/* *may: the coarsest level, which `coarsest` became, cannot tell whether motions take no energy. False where they are not looked for: of
   matrices that are not symmetric or not in double, and where that level is not factorised. */
ritz_status ritz_multigrid_may_be_free(const ritz_multigrid *m, const multigrid_rows *coarsest, bool *may);
/* Once all levels have their vectors: m->n_free motions of the near-nullspace take no energy, in each body that hangs together. If there
   are any, the factors of the coarsest level are made anew with these held. finest: rows and near-nullspace of `matrix`; NULL: they are
   the coarsest. */
ritz_status ritz_multigrid_hold_free(ritz_multigrid *m, const ritz_matrix *matrix, const multigrid_rows *finest,
                                     const multigrid_rows *coarsest);

#endif
