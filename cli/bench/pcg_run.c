/* One system of `ritz bench pcg`, and one solve of it: prepared, warmed up, timed, checked against the original. */
#include "bench/pcg.h"

#include "matrix/matrix.h"
#include "measure/measure.h"
#include "ritz/market.h"

#include <math.h>
#include <string.h>

/* ---- The system ---- */

static ritz_status take_diagonal(ritz_pcg_system *s)
{
    ritz_status status = RITZ_OK;
    RITZ_NEW(s->diagonal, s->n);
    RITZ_TRY(ritz_matrix_read_diagonal(s->original, s->diagonal));
done:
    return status;
}

ritz_status ritz_pcg_from_mesh(ritz_device *device, const ritz_bench_mesh *mesh, ritz_pcg_system *s)
{
    ritz_status status = RITZ_OK;
    ritz_system *system = NULL;
    *s = (ritz_pcg_system){0};
    snprintf(s->name, sizeof s->name, "%s", mesh->name);
    RITZ_TRY(ritz_bench_assemble(device, mesh, true, &system, &s->motions));
    s->original = system->matrix;
    system->matrix = NULL;
    s->block = s->original->block;
    s->n = ritz_matrix_n_rows(s->original);
    RITZ_NEW(s->b, s->n);
    RITZ_TRY(ritz_matrix_read_vector(s->original, system->rhs, s->b));
    RITZ_TRY(take_diagonal(s));
done:
    ritz_system_destroy(&system);
    if (status != RITZ_OK)
        ritz_pcg_clear(s);
    return status;
}

/* b = A (1 ... 1). */
static ritz_status multiply_ones(ritz_pcg_system *s)
{
    ritz_status status = RITZ_OK;
    double *ones = NULL;
    RITZ_NEW(ones, s->n);
    for (int64_t i = 0; i < s->n; i++)
        ones[i] = 1;
    RITZ_TRY(ritz_matrix_multiply(s->original, ones, s->b));
    s->ones = true;
done:
    ritz_free(ones);
    return status;
}

static ritz_status read_vector(const char *path, int64_t n, double *vector)
{
    ritz_status status = RITZ_OK;
    ritz_rows *rows = NULL;
    RITZ_TRY(ritz_market_read(path, NULL, &rows));
    RITZ_REQUIRE(rows->n_columns == 1 && rows->n_rows == n, RITZ_ERROR_INPUT,
                 "%s: a right-hand side of %lld rows and 1 column is needed, and this has %lld and %lld", path,
                 (long long)n, (long long)rows->n_rows, (long long)rows->n_columns);
    for (int64_t i = 0; i < n; i++)
        vector[i] = rows->row_start[i] < rows->row_start[i + 1] ? rows->values[rows->row_start[i]] : 0;
done:
    ritz_rows_destroy(&rows);
    return status;
}

ritz_status ritz_pcg_from_file(ritz_device *device, const char *path, int block, const char *rhs, ritz_pcg_system *s)
{
    ritz_status status = RITZ_OK;
    ritz_rows *rows = NULL;
    *s = (ritz_pcg_system){.block = block};
    snprintf(s->name, sizeof s->name, "%s", ritz_bench_file_name(path));
    RITZ_TRY(ritz_bench_read(device, path, &s->block, &rows, &s->original));
    s->n = ritz_matrix_n_rows(s->original);
    RITZ_REQUIRE(ritz_matrix_n_columns(s->original) == s->n, RITZ_ERROR_INPUT,
                 "%s: a matrix of %lld rows and %lld columns is no system to solve; give a square one", path,
                 (long long)s->n, (long long)ritz_matrix_n_columns(s->original));
    RITZ_NEW(s->b, s->n);
    RITZ_TRY(rhs ? read_vector(rhs, s->n, s->b) : multiply_ones(s));
    RITZ_TRY(take_diagonal(s));
done:
    ritz_rows_destroy(&rows);
    if (status != RITZ_OK)
        ritz_pcg_clear(s);
    return status;
}

void ritz_pcg_clear(ritz_pcg_system *s)
{
    ritz_matrix_destroy(&s->original);
    ritz_free(s->b);
    ritz_free(s->motions.values);
    ritz_free(s->diagonal);
    *s = (ritz_pcg_system){0};
}

/* ---- In a format and precision ---- */

void ritz_pcg_clear_operator(ritz_pcg_operator *o)
{
    ritz_matrix_destroy(&o->converted);
    ritz_buffer_destroy(&o->b);
    ritz_buffer_destroy(&o->x);
    *o = (ritz_pcg_operator){0};
}

/* A format that cannot hold the matrix, or a solve that fails, ends its run, not the bench. */
static bool bench_can_go_on(ritz_status status)
{
    return status == RITZ_ERROR_INPUT || status == RITZ_ERROR_DEVICE || status == RITZ_ERROR_MEMORY ||
           status == RITZ_ERROR_NOT_CONVERGED;
}

/* The format in which the solver is given the matrix. */
static const char *given_format(const char *format)
{
    return strcmp(format, RITZ_PCG_AUTO) == 0 ? "sbell" : format;
}

static ritz_status convert_matrix(ritz_device *device, const ritz_pcg_system *s, ritz_pcg_operator *o)
{
    ritz_status status = RITZ_OK;
    ritz_matrix_options options = {.precision = o->precision};
    bool blocked = false;
    const int64_t bytes = s->n * ritz_real_bytes(o->precision);
    RITZ_TRY(ritz_format_from_name(given_format(o->format), &options, &blocked));
    const int block = blocked ? s->block : 1;
    o->matrix = s->original;
    if (!ritz_matrix_has_format(s->original, &options, block)) {
        const double start = ritz_seconds();
        RITZ_TRY(ritz_matrix_convert(s->original, &options, block, &o->converted));
        RITZ_TRY(ritz_device_finish(device));
        o->seconds = ritz_seconds() - start;
        o->matrix = o->converted;
    }
    RITZ_TRY(ritz_buffer_create(device, bytes, "the right-hand side", &o->b));
    RITZ_TRY(ritz_buffer_create(device, bytes, "the solution", &o->x));
    RITZ_TRY(ritz_matrix_write_vector(o->matrix, s->b, o->b));
done:
    return status;
}

static ritz_status prepare_operator(ritz_device *device, const ritz_pcg_system *s, const ritz_pcg_run *run,
                                    ritz_pcg_operator *o)
{
    const ritz_precision precision = run->precision->precision;
    if (o->format == run->format && o->precision == precision)
        return RITZ_OK;
    ritz_pcg_clear_operator(o);
    o->format = run->format;
    o->precision = precision;
    const ritz_status status = convert_matrix(device, s, o);
    if (bench_can_go_on(status)) {
        snprintf(o->reason, sizeof o->reason, "%s", ritz_message());
        return RITZ_OK;
    }
    return status;
}

/* ---- Truth ---- */

/* sqrt(sum r^2 / d) and sqrt(sum r^2) of r = b - A x over those of b; d = 1 where nothing is scaled. */
static ritz_status compute_residuals(const ritz_pcg_system *s, const double *x, ritz_pcg_run *run)
{
    ritz_status status = RITZ_OK;
    double *y = NULL, sums[4] = {0};
    RITZ_NEW(y, s->n);
    RITZ_TRY(ritz_matrix_multiply(s->original, x, y));
    run->error = s->ones ? 0 : NAN;
    for (int64_t i = 0; i < s->n; i++) {
        const double d = run->preconditioner == RITZ_NO_PRECONDITIONER ? 1 : s->diagonal[i], r = s->b[i] - y[i];
        sums[0] += r * r / d;
        sums[1] += s->b[i] * s->b[i] / d;
        sums[2] += r * r;
        sums[3] += s->b[i] * s->b[i];
        if (s->ones)
            run->error = fmax(run->error, fabs(x[i] - 1));
    }
    run->scaled_residual = sums[1] > 0 ? sqrt(sums[0] / sums[1]) : sqrt(sums[0]);
    run->true_residual = sums[3] > 0 ? sqrt(sums[2] / sums[3]) : sqrt(sums[2]);
done:
    ritz_free(y);
    return status;
}

/* The solver says converged: so must b - A x with the original matrix, as far as rounding lets it. */
static void check_residual(const ritz_pcg_arguments *a, ritz_pcg_run *run)
{
    const double rounding = run->precision->precision == RITZ_F32 ? 1e-4 : 1e-11;
    if (run->failed || run->scaled_residual <= fmax(10 * a->tolerance, rounding))
        return;
    run->failed = true;
    snprintf(run->reason, sizeof run->reason,
             "the solver says it converged, but the scaled residual of its solution is %.3g, computed from the matrix "
             "as it was made",
             run->scaled_residual);
}

/* ---- One solve ---- */

int ritz_pcg_degree(const ritz_pcg_run *run)
{
    if (!ritz_pcg_has_figures(run))
        return run->degree;
    return ritz_preconditioner_is_polynomial(run->report.preconditioner) ? run->report.degree : 0;
}

ritz_solve_options ritz_pcg_solve_options(const ritz_pcg_arguments *a, ritz_preconditioner preconditioner, int degree,
                                          const ritz_solve_precision *precision)
{
    return (ritz_solve_options){.preconditioner = preconditioner,
                                .degree = degree,
                                .storage = precision->storage,
                                .vectors = precision->vectors,
                                .tolerance = a->tolerance,
                                .max_iterations = (int32_t)a->max_iterations};
}

static ritz_status solve_once(ritz_device *device, const ritz_pcg_operator *o, const ritz_solve_options *options,
                              ritz_solve_report *report, double *seconds)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_buffer_zero(o->x));
    RITZ_TRY(ritz_device_finish(device));
    const double start = ritz_seconds();
    status = ritz_solve_device(o->matrix, options, o->b, o->x, report);
    *seconds = ritz_seconds() - start;
done:
    return status;
}

/* Compiles kernels and touches memory: two iterations, which need not lead anywhere, in each precision of vectors. */
static ritz_status warm_up(ritz_device *device, const ritz_pcg_operator *o, ritz_solve_options options)
{
    ritz_status status = RITZ_OK;
    ritz_solve_report report = {0};
    double seconds;
    const bool changes = options.vectors == RITZ_VECTORS_AUTOMATIC && o->precision == RITZ_F64 && options.storage;
    options.max_iterations = 2;
    for (int single = 0; single <= changes && status == RITZ_OK; single++) {
        options.vectors = single ? RITZ_VECTORS_SINGLE : options.vectors;
        status = solve_once(device, o, &options, &report, &seconds);
        status = status == RITZ_ERROR_NOT_CONVERGED ? RITZ_OK : status;
    }
    return status;
}

static ritz_status measure_solves(ritz_device *device, const ritz_pcg_system *s, const ritz_pcg_operator *o,
                                  const ritz_pcg_arguments *a, ritz_pcg_run *run, double *x)
{
    ritz_status status = RITZ_OK;
    double *seconds = NULL, *setup = NULL, *again = NULL;
    const ritz_matrix_choice stored = strcmp(o->format, RITZ_PCG_AUTO) == 0 ? RITZ_MATRIX_AUTOMATIC
                                      : ritz_matrix_is_half(o->matrix)      ? RITZ_MATRIX_HALF
                                                                            : RITZ_MATRIX_WHOLE;
    ritz_solve_options options = ritz_pcg_solve_options(a, run->preconditioner, run->degree, run->precision);
    options.matrix = stored;
    options.near_nullspace = s->motions.values;
    options.near_nullspace_columns = s->motions.columns;
    options.unknowns_per_node = s->motions.components;
    RITZ_NEW(seconds, a->repeat);
    RITZ_NEW(setup, a->repeat);
    RITZ_NEW(again, a->repeat > 1 ? run->rows : 0);
    RITZ_TRY(warm_up(device, o, options));
    for (int64_t r = 0; r < a->repeat; r++) {
        const ritz_status solved = solve_once(device, o, &options, &run->report, &seconds[r]);
        if (solved == RITZ_ERROR_NOT_CONVERGED && r == 0) {
            run->failed = true;
            snprintf(run->reason, sizeof run->reason, "%s", ritz_message());
        } else if (solved != RITZ_ERROR_NOT_CONVERGED) {
            RITZ_TRY(solved);
        }
        setup[r] = run->report.setup_seconds;
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(ritz_matrix_read_vector(o->matrix, o->x, r ? again : x));
        if (r && memcmp(x, again, (size_t)run->rows * sizeof *x) != 0) {
            run->failed = true;
            snprintf(run->reason, sizeof run->reason, "the solution of repeat %lld has other bits than the first",
                     (long long)r + 1);
        }
    }
    run->seconds = ritz_median(seconds, a->repeat);
    run->seconds_least = seconds[0];
    run->setup = ritz_median(setup, a->repeat);
done:
    ritz_free(seconds);
    ritz_free(setup);
    ritz_free(again);
    return status;
}

ritz_status ritz_pcg_measure(ritz_device *device, const ritz_pcg_system *s, const ritz_pcg_arguments *a,
                             ritz_pcg_operator *o, ritz_pcg_run *run, double *x)
{
    ritz_status status = RITZ_OK;
    run->rows = s->n;
    run->nonzeros = ritz_matrix_nonzeros(s->original);
    RITZ_TRY(prepare_operator(device, s, run, o));
    if (*o->reason) {
        snprintf(run->reason, sizeof run->reason, "%s", o->reason);
        goto done;
    }
    run->block = o->matrix->block;
    run->slice_height = o->matrix->slice_height;
    run->convert = o->seconds;
    RITZ_TRY(measure_solves(device, s, o, a, run, x));
    run->products = (int64_t)run->report.iterations * (ritz_pcg_degree(run) + 1);
    RITZ_TRY(compute_residuals(s, x, run));
    check_residual(a, run);
done:
    if (bench_can_go_on(status)) {
        run->failed = true;
        snprintf(run->reason, sizeof run->reason, "%s", ritz_message());
        status = RITZ_OK;
    }
    return status;
}
