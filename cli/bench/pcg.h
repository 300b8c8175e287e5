/* `ritz bench pcg`, file by file: options and loop (pcg.c), one system and one solve (pcg_run.c), lines, tables and
   JSON (pcg_report.c). */
#ifndef RITZ_CLI_BENCH_PCG_H
#define RITZ_CLI_BENCH_PCG_H

#include "bench/matrices.h"
#include "cli.h"

#include "solve/solve.h"

enum { RITZ_PCG_MAX_FORMATS = 16, RITZ_PCG_N_PRECONDITIONERS = RITZ_PRECONDITIONER_FUNCTION };

/* A format of --formats beside those of ritz_format_from_name: sbell, and half storage where the solver chooses it. */
#define RITZ_PCG_AUTO "auto"

/* What is to be measured: every combination that there is (Jacobi has no degree and nothing to mix). */
typedef struct ritz_pcg_arguments {
    ritz_bench_sources sources;
    const char *rhs, *solution; /* files, or NULL */
    ritz_preconditioner preconditioners[RITZ_PCG_N_PRECONDITIONERS];
    const ritz_solve_precision *precisions[RITZ_SOLVE_N_PRECISIONS];
    const char *formats[RITZ_PCG_MAX_FORMATS];
    int n_preconditioners, n_precisions, n_formats;
    bool degrees[RITZ_DEGREE_MOST + 1];
    double tolerance;
    int64_t max_iterations, repeat; /* max_iterations 0: the solver's own bound */
    ritz_bench_common common;
} ritz_pcg_arguments;

/* What a solve of this kind is asked for. */
ritz_solve_options ritz_pcg_solve_options(const ritz_pcg_arguments *a, ritz_preconditioner preconditioner, int degree,
                                          const ritz_solve_precision *precision);

/* A x = b as it was made, and what solutions are checked by. */
typedef struct ritz_pcg_system {
    char name[128];
    ritz_matrix *original; /* in the widest precision */
    int block;             /* of the formats with blocks */
    int64_t n;
    double *b, *diagonal;       /* [n] */
    ritz_bench_motions motions; /* of a mesh */
    bool ones;                  /* the solution is known: b = A (1 ... 1) */
} ritz_pcg_system;
ritz_status ritz_pcg_from_mesh(ritz_device *device, const ritz_bench_mesh *mesh, ritz_pcg_system *system);
/* rhs: a Matrix Market file with as many numbers as the matrix has rows; NULL: A (1 ... 1). */
ritz_status ritz_pcg_from_file(ritz_device *device, const char *path, int block, const char *rhs,
                               ritz_pcg_system *system);
void ritz_pcg_clear(ritz_pcg_system *system);

/* The system in the format and precision of a run, shared by the runs that follow with the same. */
typedef struct ritz_pcg_operator {
    const char *format; /* NULL: none yet */
    ritz_precision precision;
    ritz_matrix *converted; /* NULL: the original is like this */
    const ritz_matrix *matrix;
    ritz_buffer *b, *x;
    double seconds;   /* of the conversion */
    char reason[256]; /* why there is none */
} ritz_pcg_operator;
void ritz_pcg_clear_operator(ritz_pcg_operator *operator);

/* One solve. */
typedef struct ritz_pcg_run {
    int matrix; /* its number */
    const char *name, *format;
    const ritz_solve_precision *precision;
    ritz_preconditioner preconditioner;
    int degree; /* 0: no polynomial */
    int64_t rows, nonzeros;
    int block, slice_height;
    ritz_solve_report report;
    double convert;                /* seconds, from the matrix as it was made to this format: before the solve */
    double seconds, seconds_least; /* median and least of the repeats: the whole solve from zero */
    double setup;                  /* median of the repeats: the part that a preconditioner takes beforehand */
    int64_t products;              /* of all iterations */
    double scaled_residual, true_residual; /* of b - A x, formed on the host's side from the original matrix */
    double error;                          /* max |x - 1| where the solution is known; NAN otherwise */
    bool failed;
    char reason[640]; /* why it failed, or has no figures at all */
} ritz_pcg_run;
/* Solves `repeat` times after a short warm-up, with the kind of run that is set in *run. What goes wrong with the solve
   stands in the run; the status is not RITZ_OK only where the bench can not go on. x [n] receives the solution. */
ritz_status ritz_pcg_measure(ritz_device *device, const ritz_pcg_system *system, const ritz_pcg_arguments *a,
                             ritz_pcg_operator *operator, ritz_pcg_run * run, double *x);

/* All runs with what they are compared to. */
typedef struct ritz_pcg_bench {
    const ritz_pcg_arguments *a;
    ritz_bench_session session;
    char names[RITZ_BENCH_MAX_MATRICES][128]; /* of matrices, which outlive them */
    ritz_pcg_run *runs;
} ritz_pcg_bench;
/* Whether it was solved and timed at all. */
bool ritz_pcg_has_figures(const ritz_pcg_run *run);
/* Of the polynomial that was taken where the solver chose, else that was asked for; 0: it is none. */
int ritz_pcg_degree(const ritz_pcg_run *run);
/* GB/s of what the iterations of a run need. */
double ritz_pcg_rate(const ritz_pcg_run *run);
void ritz_pcg_print_heading(const ritz_pcg_bench *bench, const ritz_pcg_system *system, FILE *file);
/* A row of the record, if there is one. */
ritz_status ritz_pcg_keep_run(const ritz_pcg_bench *bench, const ritz_pcg_run *run);
void ritz_pcg_print_line(const ritz_pcg_bench *bench, const ritz_pcg_run *run, FILE *file);
/* After the last run: Tables 3 to 5 and Fig. 10 of Zhang and Zhang (2013), as far as there are runs for them. */
ritz_bench_report ritz_pcg_print_tables;
ritz_bench_report ritz_pcg_print_json;

#endif
