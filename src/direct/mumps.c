/* MUMPS (Amestoy, Duff, L'Excellent, Koster, SIAM J. Matrix Anal. Appl. 23 (2001)), the sequential library: all calls of it. It is
   loaded by the first of them: the threads of its BLAS wait for work in a loop once they are there, and hold up all other threads. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "direct/mumps.h"

#ifdef RITZ_MUMPS

#include <dlfcn.h>
#include <dmumps_c.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct ritz_mumps {
    DMUMPS_STRUC_C s;
};

/* Its modules keep state of their own: one call at a time in a process. */
static pthread_mutex_t mumps_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*mumps_function)(DMUMPS_STRUC_C *); /* NULL: not loaded yet */

enum { START = -1, END = -2, ANALYSE = 1, FACTORISE = 2, SOLVE = 3 };
/* Of ICNTL and CNTL, as its guide counts them. */
enum {
    ERRORS = 1,
    DIAGNOSTICS,
    STATISTICS,
    PRINTING,
    MATCHING = 6,
    ORDERING,
    SCALING,
    BLOCKS = 15,
    EXTRA_WORKSPACE = 14,
    NULL_PIVOTS = 24,
    NULL_VECTOR = 25 /* a solve gives this vector of the null space instead; 0: none */
};
enum { NULL_THRESHOLD = 3 };
/* Of the orderings that Debian's MUMPS has, PORD's gives the least fill in plates and boxes, and the same one in every run, which
   SCOTCH's is not. */
enum { SILENT = -1, MINIMUM_DEGREE = 0, PORD = 4, USE_COMM_WORLD = -987654 };
/* INFOG(1) */
enum { STRUCTURALLY_SINGULAR = -6, WORKSPACE_SMALL = -8, WORKSPACE_SMALL_TOO = -9, SINGULAR = -10, NO_MEMORY = -13 };

/* Of each thread of OpenBLAS, which tries forever to map them where a limit of the process refuses that. */
enum { BLAS_MEGABYTES = 130 };

/* Threads that OpenBLAS starts: as its environment says, and no more than the cores that the process may use. */
static int count_blas_threads(void)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};
    cpu_set_t cores;
    const int n_cores = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    for (int i = 0; i < 2; i++) {
        const char *given = getenv(names[i]);
        const long n = given ? strtol(given, NULL, 10) : 0;
        if (n > 0)
            return (int)ritz_min64(n, n_cores);
    }
    return n_cores;
}

/* RITZ_ERROR_MEMORY where a limited address space has no room for the threads of the BLAS. */
static ritz_status check_address_space(void)
{
    ritz_status status = RITZ_OK;
    const int threads = count_blas_threads();
    const int64_t bytes = (int64_t)(threads + 1) * BLAS_MEGABYTES * 1000000;
    RITZ_REQUIRE(
        ritz_has_addresses(bytes), RITZ_ERROR_MEMORY,
        "the direct solver's BLAS takes %.2f GB of address space for %d thread%s, and the limit of this process "
        "(ulimit -v) leaves less; raise it%s, or choose method cg, bicgstab or gmres",
        1e-9 * (double)bytes, threads, threads == 1 ? "" : "s", threads == 1 ? "" : ", set OPENBLAS_NUM_THREADS=1");
done:
    return status;
}

/* Lets the BLAS take the calling thread's memory before the factors do: the solution of 1 x = 1. */
static void start_blas(void *library)
{
    typedef void solve_triangle(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                                const int *n, const double *alpha, const double *a, const int *lda, double *b,
                                const int *ldb);
    solve_triangle *dtrsm = NULL;
    const int one = 1;
    const double a = 1;
    double b = 1;
    *(void **)&dtrsm = dlsym(library, "dtrsm_");
    if (dtrsm)
        dtrsm("L", "L", "N", "N", &one, &one, &a, &a, &one, &b, &one);
}

static ritz_status load_mumps(void)
{
    ritz_status status = RITZ_OK;
    pthread_mutex_lock(&mumps_lock);
    if (mumps_function)
        goto done;
    RITZ_TRY(check_address_space());
    void *library = dlopen(RITZ_MUMPS, RTLD_NOW | RTLD_LOCAL);
    RITZ_REQUIRE(
        library, RITZ_ERROR_FILE,
        "the direct solver's library cannot be loaded: %s; install MUMPS (Debian's libmumps-seq-dev), or choose "
        "method cg, bicgstab or gmres",
        dlerror());
    *(void **)&mumps_function = dlsym(library, "dmumps_c");
    RITZ_REQUIRE(mumps_function, RITZ_ERROR_FILE, "%s is not the library of MUMPS that this one was built for: %s",
                 RITZ_MUMPS, dlerror());
    start_blas(library);
done:
    pthread_mutex_unlock(&mumps_lock);
    return status;
}

static int call_mumps(ritz_mumps *m, int job)
{
    pthread_mutex_lock(&mumps_lock);
    m->s.job = job;
    mumps_function(&m->s);
    pthread_mutex_unlock(&mumps_lock);
    return m->s.infog[0];
}

/* INFOG counts what passes 2^31 in millions, below zero. */
static int64_t count_of_info(int value)
{
    return value < 0 ? -(int64_t)1000000 * value : value;
}

/* It counts whole ones. */
static int64_t bytes_of_info(int value)
{
    return 1000000 * ((int64_t)value + 1);
}

static void set_control(ritz_mumps *m, int number, int value)
{
    m->s.icntl[number - 1] = value;
}

int ritz_direct_is_built(void)
{
    return 1;
}

/* Small, or more than an eighth of all entries there: PORD ends the process on some such matrices, as that of one element, and
   has nothing to gain in any. */
static bool is_dense(const ritz_entries *e)
{
    const int64_t n = e->n, all = e->symmetric ? 2 * e->count : e->count;
    return n < 100 || all > n * n / 8;
}

static void set_controls(ritz_mumps *m, const ritz_entries *e)
{
    const bool dense = is_dense(e);
    set_control(m, ERRORS, SILENT);
    set_control(m, DIAGNOSTICS, SILENT);
    set_control(m, STATISTICS, SILENT);
    set_control(m, PRINTING, 0);
    set_control(m, ORDERING, dense ? MINIMUM_DEGREE : PORD);
    set_control(m, NULL_PIVOTS, 1);
    if (e->symmetric) { /* scaled already, and large entries stand on the diagonal */
        set_control(m, MATCHING, 0);
        set_control(m, SCALING, 0);
        if (e->block > 1 && !dense)
            set_control(m, BLOCKS, -e->block);
    }
}

ritz_status ritz_mumps_create(const ritz_entries *e, bool definite, ritz_direct_facts *facts, ritz_mumps **mumps)
{
    ritz_status status = RITZ_OK;
    ritz_mumps *m = NULL;
    int info;
    RITZ_TRY(load_mumps());
    RITZ_NEW(m, 1);
    m->s.comm_fortran = USE_COMM_WORLD;
    m->s.par = 1;
    m->s.sym = !e->symmetric ? 0 : definite ? 1 : 2;
    RITZ_REQUIRE((info = call_mumps(m, START)) >= 0, RITZ_ERROR_MEMORY, "MUMPS does not start (error %d)", info);
    set_controls(m, e);
    m->s.n = e->n;
    m->s.nnz = e->count;
    m->s.irn = e->row;
    m->s.jcn = e->column;
    m->s.a = e->value;
    info = call_mumps(m, ANALYSE);
    RITZ_REQUIRE(info != STRUCTURALLY_SINGULAR, RITZ_ERROR_NOT_CONVERGED,
                 "the matrix is singular whatever its values: its entries stand in too few rows or columns");
    RITZ_REQUIRE(info >= 0, RITZ_ERROR_MEMORY,
                 "no memory to order a matrix of %d rows and %lld entries (MUMPS' error %d, %d)", e->n,
                 (long long)e->count, info, m->s.infog[1]);
    facts->factor_nonzeros = count_of_info(m->s.infog[19]);
    facts->bytes = bytes_of_info(m->s.infog[16]);
    facts->operations = m->s.rinfog[0];
    *mumps = m;
    m = NULL;
done:
    ritz_mumps_destroy(&m);
    return status;
}

void ritz_mumps_destroy(ritz_mumps **mumps)
{
    if (!mumps || !*mumps)
        return;
    call_mumps(*mumps, END);
    ritz_free(*mumps);
    *mumps = NULL;
}

ritz_status ritz_mumps_factorise(ritz_mumps *m, double least_pivot, ritz_direct_facts *facts, int32_t *n_null,
                                 int32_t *null_row)
{
    ritz_status status = RITZ_OK;
    int info;
    m->s.cntl[NULL_THRESHOLD - 1] = -least_pivot;
    /* Pivots that are put off may need more than was estimated. */
    while ((info = call_mumps(m, FACTORISE)) == WORKSPACE_SMALL || info == WORKSPACE_SMALL_TOO) {
        const int more = 2 * m->s.icntl[EXTRA_WORKSPACE - 1];
        RITZ_REQUIRE(more < 10000, RITZ_ERROR_MEMORY, "the factorisation needs much more memory than was estimated");
        set_control(m, EXTRA_WORKSPACE, more);
    }
    *n_null = m->s.infog[27];
    *null_row = *n_null > 0 ? m->s.pivnul_list[0] - 1 : 0;
    if (info == SINGULAR) {
        *n_null = *n_null > 0 ? *n_null : 1;
        goto done;
    }
    RITZ_REQUIRE(
        info >= 0, RITZ_ERROR_MEMORY,
        "no memory for the factors of the matrix, which need about %.3g GB of the host's (MUMPS' error %d, %d); "
        "use an iterative method (cg, bicgstab or gmres), a coarser mesh or a lower order, or raise the limit of "
        "this process (ulimit -v) where it has one",
        (double)facts->bytes / 1e9, info, m->s.infog[1]);
    facts->factor_nonzeros = count_of_info(m->s.infog[28]);
    facts->bytes = bytes_of_info(m->s.infog[18]);
    facts->negative_pivots = m->s.sym ? m->s.infog[11] : 0;
done:
    return status;
}

ritz_status ritz_mumps_solve(ritz_mumps *m, double *b)
{
    ritz_status status = RITZ_OK;
    int info;
    m->s.nrhs = 1;
    m->s.lrhs = m->s.n;
    m->s.rhs = b;
    RITZ_REQUIRE((info = call_mumps(m, SOLVE)) >= 0, RITZ_ERROR_MEMORY,
                 "no memory to solve with the factors (MUMPS' error %d, %d)", info, m->s.infog[1]);
done:
    return status;
}

ritz_status ritz_mumps_get_null(ritz_mumps *m, double *vector)
{
    set_control(m, NULL_VECTOR, 1);
    const ritz_status status = ritz_mumps_solve(m, vector);
    set_control(m, NULL_VECTOR, 0);
    return status;
}

#else

int ritz_direct_is_built(void)
{
    return 0;
}

static ritz_status refuse_direct(void)
{
    return ritz_fail(RITZ_ERROR_INPUT,
                     "this library was built without MUMPS, and so without the direct solver: install it (Debian's "
                     "libmumps-seq-dev), configure and build again, or choose method cg, bicgstab or gmres");
}

ritz_status ritz_mumps_create(const ritz_entries *entries, bool definite, ritz_direct_facts *facts, ritz_mumps **mumps)
{
    (void)entries, (void)definite, (void)facts, (void)mumps;
    return refuse_direct();
}

void ritz_mumps_destroy(ritz_mumps **mumps)
{
    (void)mumps;
}

ritz_status ritz_mumps_factorise(ritz_mumps *mumps, double least_pivot, ritz_direct_facts *facts, int32_t *n_null,
                                 int32_t *null_row)
{
    (void)mumps, (void)least_pivot, (void)facts, (void)n_null, (void)null_row;
    return refuse_direct();
}

ritz_status ritz_mumps_solve(ritz_mumps *mumps, double *b)
{
    (void)mumps, (void)b;
    return refuse_direct();
}

ritz_status ritz_mumps_get_null(ritz_mumps *mumps, double *vector)
{
    (void)mumps, (void)vector;
    return refuse_direct();
}

#endif
