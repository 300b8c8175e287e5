/* `ritz bench pcg`: a line a solve, Zhang and Zhang's (2013) tables, and JSON. */
#include "bench/pcg.h"

#include "device/device.h"

#include <math.h>
#include <string.h>

bool ritz_pcg_has_figures(const ritz_pcg_run *run)
{
    return run->seconds > 0;
}

/* ---- Figures ---- */

static double iteration_seconds(const ritz_pcg_run *run)
{
    return (run->seconds - run->setup) / run->report.iterations;
}

double ritz_pcg_rate(const ritz_pcg_run *run)
{
    return 1e-9 * (double)run->report.iteration_bytes / iteration_seconds(run);
}

/* The run of this kind; NULL if there is none with figures that hold. */
static const ritz_pcg_run *find_run(const ritz_pcg_bench *b, int matrix, const char *format,
                                    const ritz_solve_precision *precision, ritz_preconditioner preconditioner,
                                    int degree)
{
    for (int r = 0; r < b->session.n_runs; r++) {
        const ritz_pcg_run *run = &b->runs[r];
        if (run->matrix == matrix && run->format == format && run->precision == precision &&
            run->preconditioner == preconditioner && run->degree == degree && ritz_pcg_has_figures(run) && !run->failed)
            return run;
    }
    return NULL;
}

/* In the same vectors: there is nothing to mix. */
static const ritz_pcg_run *find_jacobi(const ritz_pcg_bench *b, int matrix, const char *format,
                                       const ritz_solve_precision *precision)
{
    for (int p = 0; p < RITZ_SOLVE_N_PRECISIONS; p++)
        if (ritz_solve_precisions[p].precision == precision->precision && !ritz_solve_precisions[p].storage)
            return find_run(b, matrix, format, &ritz_solve_precisions[p], RITZ_JACOBI, 0);
    return NULL;
}

/* "csr" as the list of formats has it, so that it can be compared by its place; NULL if it is not measured. */
static const char *csr_of(const ritz_pcg_bench *b)
{
    for (int f = 0; f < b->a->n_formats; f++)
        if (strcmp(b->a->formats[f], "csr") == 0)
            return b->a->formats[f];
    return NULL;
}

/* What was taken where the solver chose, else what was asked for. */
static ritz_preconditioner taken(const ritz_pcg_run *run)
{
    return ritz_pcg_has_figures(run) ? run->report.preconditioner : run->preconditioner;
}

/* NULL, too, where the solver took another one there. */
static const ritz_pcg_run *find_csr(const ritz_pcg_bench *b, const ritz_pcg_run *run)
{
    const ritz_pcg_run *csr =
        find_run(b, run->matrix, csr_of(b), &ritz_solve_precisions[0], run->preconditioner, run->degree);
    return csr && taken(csr) == taken(run) && ritz_pcg_degree(csr) == ritz_pcg_degree(run) ? csr : NULL;
}

/* How many times as fast as another run; NAN without one. */
static double speedup(const ritz_pcg_run *run, const ritz_pcg_run *other)
{
    return run && other ? other->seconds / run->seconds : NAN;
}

/* ---- Lines ---- */

void ritz_pcg_print_heading(const ritz_pcg_bench *b, const ritz_pcg_system *s, FILE *file)
{
    const int64_t nonzeros = ritz_matrix_nonzeros(s->original);
    fprintf(file, "\n%s: %lld unknowns, %lld nonzeros (%.2f a row), blocks of %d; to %g; %s copies %.4g GB/s\n",
            s->name, (long long)s->n, (long long)nonzeros, (double)nonzeros / (double)s->n, s->block, b->a->tolerance,
            ritz_device_get_info(b->session.device)->name, b->session.ceilings.copy_gb_s);
    fprintf(file, "%-10s %-9s %-15s %6s | %10s %8s | %9s %7s %9s | %10s %6s | %-8s %-8s | %s\n", "format", "precision",
            "precond.", "degree", "iterations", "products", "seconds", "setup", "us/iter.", "MB/iter.", "share",
            "residual", "true", "eigenvalues");
}

void ritz_pcg_print_line(const ritz_pcg_bench *b, const ritz_pcg_run *run, FILE *file)
{
    const ritz_solve_report *report = &run->report;
    char degree[16] = "-", eigenvalues[64] = "-", name[32];
    snprintf(name, sizeof name, "%s%s",
             taken(run) == run->preconditioner ? "" : "auto: ", ritz_preconditioner_name(taken(run)));
    if (ritz_pcg_degree(run) > 0) {
        snprintf(degree, sizeof degree, "%d", ritz_pcg_degree(run));
        snprintf(eigenvalues, sizeof eigenvalues, "%.2e to %.5g", report->smallest_eigenvalue,
                 report->largest_eigenvalue);
    }
    fprintf(file, "%-10s %-9s %-15s %6s | ", run->format, run->precision->name, name, degree);
    if (ritz_pcg_has_figures(run))
        fprintf(file, "%10d %8lld | %9.3f %7.3f %9.1f | %10.2f %5.1f%% | %.2e %.2e | %s", report->iterations,
                (long long)run->products, run->seconds, run->setup, 1e6 * iteration_seconds(run),
                1e-6 * (double)run->report.iteration_bytes, 100 * ritz_pcg_rate(run) / b->session.ceilings.copy_gb_s,
                run->scaled_residual, run->true_residual, eigenvalues);
    if (*run->reason)
        fprintf(file, "%s%s%s", ritz_pcg_has_figures(run) ? " | " : "", run->failed ? "FAILED: " : "", run->reason);
    fputc('\n', file);
}

/* ---- Tables ---- */

static void print_cell(FILE *file, double number, bool whole)
{
    if (isnan(number))
        fprintf(file, " %9s", "-");
    else
        fprintf(file, whole ? " %9.0f" : " %9.4g", number);
}

static double figure_of(const ritz_pcg_run *run, bool seconds)
{
    return !run ? NAN : seconds ? run->seconds : (double)run->report.iterations;
}

/* Tables 3 (iterations) and 4 (seconds): polynomials in rows, degrees in columns. */
static void print_by_degree(const ritz_pcg_bench *b, int matrix, const char *format,
                            const ritz_solve_precision *precision, bool seconds, FILE *file)
{
    const ritz_pcg_arguments *a = b->a;
    fprintf(file, "\n%s, %s, %s: %s by degree", b->names[matrix], format, precision->name,
            seconds ? "seconds" : "iterations");
    const ritz_pcg_run *jacobi = find_jacobi(b, matrix, format, precision);
    if (jacobi && seconds)
        fprintf(file, " (jacobi %.3f)", jacobi->seconds);
    else if (jacobi)
        fprintf(file, " (jacobi %d)", jacobi->report.iterations);
    fprintf(file, "\n%-13s", "");
    for (int d = 1; d <= RITZ_DEGREE_MOST; d++)
        if (a->degrees[d])
            fprintf(file, " %9d", d);
    for (int p = 0; p < a->n_preconditioners; p++) {
        if (!ritz_preconditioner_is_polynomial(a->preconditioners[p]))
            continue;
        fprintf(file, "\n%-13s", ritz_preconditioner_name(a->preconditioners[p]));
        for (int d = 1; d <= RITZ_DEGREE_MOST; d++)
            if (a->degrees[d])
                print_cell(file, figure_of(find_run(b, matrix, format, precision, a->preconditioners[p], d), seconds),
                           !seconds);
    }
    fputc('\n', file);
}

/* The degree of least-squares that meshes are compared with: 6 as in Zhang and Zhang (2013), or the highest there is. */
static int compared_degree(const ritz_pcg_arguments *a)
{
    int degree = 0;
    for (int d = 1; d <= RITZ_DEGREE_MOST; d++)
        degree = a->degrees[d] && degree != 6 ? d : degree;
    return degree;
}

/* Table 5: seconds with jacobi and with least-squares, matrices in rows. */
static void print_by_matrix(const ritz_pcg_bench *b, int n_matrices, const char *format, FILE *file)
{
    const ritz_pcg_arguments *a = b->a;
    const int degree = compared_degree(a);
    fprintf(file, "\n%s: seconds with jacobi and with least-squares of degree %d\n%-16s", format, degree, "");
    for (int p = 0; p < a->n_precisions; p++)
        if (!a->precisions[p]->storage)
            fprintf(file, " %9s", "jacobi");
    for (int p = 0; p < a->n_precisions; p++)
        fprintf(file, " %9s", a->precisions[p]->name);
    for (int m = 0; m < n_matrices; m++) {
        fprintf(file, "\n%-16s", b->names[m]);
        for (int p = 0; p < a->n_precisions; p++)
            if (!a->precisions[p]->storage)
                print_cell(file, figure_of(find_jacobi(b, m, format, a->precisions[p]), true), false);
        for (int p = 0; p < a->n_precisions; p++)
            print_cell(file, figure_of(find_run(b, m, format, a->precisions[p], RITZ_LEAST_SQUARES, degree), true),
                       false);
    }
    fputc('\n', file);
}

/* Fig. 10: formats and precisions against compressed rows in double, matrices in rows. */
static void print_speedups(const ritz_pcg_bench *b, int n_matrices, FILE *file)
{
    const ritz_pcg_arguments *a = b->a;
    const int degree = compared_degree(a);
    fprintf(file, "\ntimes as fast as csr in double, least-squares of degree %d\n%-16s", degree, "");
    for (int f = 0; f < a->n_formats; f++)
        for (int p = 0; p < a->n_precisions; p++) {
            char name[64];
            snprintf(name, sizeof name, "%s+%s", a->formats[f], a->precisions[p]->name);
            fprintf(file, " %17s", name);
        }
    for (int m = 0; m < n_matrices; m++) {
        fprintf(file, "\n%-16s", b->names[m]);
        for (int f = 0; f < a->n_formats; f++)
            for (int p = 0; p < a->n_precisions; p++) {
                const ritz_pcg_run *run = find_run(b, m, a->formats[f], a->precisions[p], RITZ_LEAST_SQUARES, degree);
                fprintf(file, "        ");
                print_cell(file, run ? speedup(run, find_csr(b, run)) : NAN, false);
            }
    }
    fputc('\n', file);
}

static bool includes_preconditioner(const ritz_pcg_arguments *a, ritz_preconditioner preconditioner)
{
    for (int p = 0; p < a->n_preconditioners; p++)
        if (a->preconditioners[p] == preconditioner)
            return true;
    return false;
}

static bool has_polynomial(const ritz_pcg_arguments *a)
{
    for (int p = 0; p < a->n_preconditioners; p++)
        if (ritz_preconditioner_is_polynomial(a->preconditioners[p]))
            return true;
    return false;
}

/* Whether degrees can be compared: polynomials, and more than one degree. */
static bool has_degrees(const ritz_pcg_arguments *a)
{
    int n = 0;
    for (int d = 1; d <= RITZ_DEGREE_MOST; d++)
        n += a->degrees[d];
    return n > 1 && has_polynomial(a);
}

void ritz_pcg_print_tables(const void *bench, FILE *file)
{
    const ritz_pcg_bench *b = bench;
    const ritz_pcg_arguments *a = b->a;
    const int n_matrices = b->session.n_runs ? b->runs[b->session.n_runs - 1].matrix + 1 : 0;
    for (int m = 0; m < n_matrices && has_degrees(a); m++)
        for (int f = 0; f < a->n_formats; f++)
            for (int p = 0; p < a->n_precisions; p++)
                for (int seconds = 0; seconds < 2; seconds++)
                    print_by_degree(b, m, a->formats[f], a->precisions[p], seconds, file);
    if (!includes_preconditioner(a, RITZ_LEAST_SQUARES))
        return;
    for (int f = 0; f < a->n_formats && includes_preconditioner(a, RITZ_JACOBI); f++)
        print_by_matrix(b, n_matrices, a->formats[f], file);
    if (csr_of(b))
        print_speedups(b, n_matrices, file);
}

/* ---- JSON ---- */

static void add_figures(ritz_cli_fields *l, const ritz_pcg_bench *b, const ritz_pcg_run *run)
{
    const ritz_solve_report *report = &run->report;
    ritz_cli_add_integer(l, "block", run->block);
    ritz_cli_add_integer(l, "slice_height", run->slice_height);
    ritz_cli_add_integer(l, "iterations", report->iterations);
    ritz_cli_add_integer(l, "products", run->products);
    ritz_cli_add_number(l, "seconds", run->seconds);
    ritz_cli_add_number(l, "seconds_least", run->seconds_least);
    ritz_cli_add_number(l, "seconds_setup", run->setup);
    ritz_cli_add_number(l, "seconds_convert", run->convert);
    ritz_cli_add_number(l, "seconds_iteration", iteration_seconds(run));
    ritz_cli_add_integer(l, "iteration_bytes", run->report.iteration_bytes);
    ritz_cli_add_number(l, "bandwidth_gb_s", ritz_pcg_rate(run));
    ritz_cli_add_number(l, "copy_fraction", ritz_pcg_rate(run) / b->session.ceilings.copy_gb_s);
    ritz_cli_add_number(l, "relative_residual", report->relative_residual);
    ritz_cli_add_number(l, "scaled_residual", run->scaled_residual);
    ritz_cli_add_number(l, "true_relative_residual", run->true_residual);
    ritz_cli_add_number(l, "max_error", run->error);
    ritz_cli_add_integer(l, "double_iterations", report->double_iterations);
    ritz_cli_add_integer(l, "lanczos_steps", report->lanczos_steps);
    ritz_cli_add_number(l, "smallest_eigenvalue", ritz_pcg_degree(run) ? report->smallest_eigenvalue : NAN);
    ritz_cli_add_number(l, "largest_eigenvalue", ritz_pcg_degree(run) ? report->largest_eigenvalue : NAN);
}

/* What is asked for, and what came of it. */
static ritz_status list_figures(const ritz_pcg_bench *b, const ritz_pcg_run *run, ritz_cli_fields *l)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_cli_fields_create(l));
    ritz_cli_add_text(l, "matrix", "%s", run->name);
    ritz_cli_add_integer(l, "unknowns", run->rows);
    ritz_cli_add_integer(l, "nonzeros", run->nonzeros);
    ritz_cli_add_text(l, "format", "%s", run->format);
    ritz_cli_add_text(l, "precision", "%s", run->precision->name);
    ritz_cli_add_text(l, "preconditioner", "%s", ritz_preconditioner_name(run->preconditioner));
    ritz_cli_add_text(l, "preconditioner_taken", "%s", ritz_preconditioner_name(taken(run)));
    ritz_cli_add_integer(l, "degree", ritz_pcg_degree(run));
    if (ritz_pcg_has_figures(run))
        add_figures(l, b, run);
done:
    return status;
}

ritz_status ritz_pcg_keep_run(const ritz_pcg_bench *b, const ritz_pcg_run *run)
{
    ritz_status status = RITZ_OK;
    ritz_cli_fields l = {0};
    RITZ_TRY(list_figures(b, run, &l));
    ritz_cli_add_text(&l, "storage", "%s", run->report.degree > 0 ? ritz_storage_name(run->report.storage) : "");
    ritz_cli_add_text(&l, "vectors", "%s", run->report.degree > 0 ? ritz_storage_name(run->report.vectors) : "");
    ritz_cli_add_integer(&l, "half", run->report.half);
    ritz_cli_add_integer(&l, "converged", run->report.converged);
    ritz_cli_add_integer(&l, "failed", run->failed);
    ritz_cli_add_text(&l, "reason", "%s", run->reason);
    ritz_cli_add_number(&l, "tolerance", b->a->tolerance);
    ritz_cli_add_integer(&l, "repeat", b->a->repeat);
    RITZ_TRY(ritz_bench_keep(&b->session, "pcg", &l));
done:
    ritz_free(l.fields);
    return status;
}

static void json_rest(ritz_json *json, const ritz_pcg_bench *b, const ritz_pcg_run *run)
{
    const ritz_solve_report *report = &run->report;
    ritz_json_bool(json, "converged", report->converged);
    ritz_json_text(json, "storage", report->degree > 0 ? ritz_storage_name(report->storage) : NULL);
    ritz_json_text(json, "vectors", report->degree > 0 ? ritz_storage_name(report->vectors) : NULL);
    ritz_json_levels(json, report);
    ritz_json_bool(json, "half", report->half);
    ritz_json_number(json, "times_as_fast_as_jacobi",
                     run->failed ? NAN : speedup(run, find_jacobi(b, run->matrix, run->format, run->precision)));
    ritz_json_number(json, "times_as_fast_as_csr_double", run->failed ? NAN : speedup(run, find_csr(b, run)));
    ritz_json_history(json, report->history_stride, report->history_count, report->history);
}

static void json_run(ritz_json *json, const ritz_pcg_bench *b, const ritz_pcg_run *run)
{
    ritz_cli_fields l = {0};
    ritz_json_open(json, NULL, '{');
    if (list_figures(b, run, &l) == RITZ_OK)
        ritz_cli_json_fields(json, l.fields, l.n);
    ritz_free(l.fields);
    if (ritz_pcg_has_figures(run))
        json_rest(json, b, run);
    if (*run->reason)
        ritz_json_text(json, "reason", run->reason);
    ritz_json_bool(json, "failed", run->failed);
    ritz_json_close(json, '}');
}

void ritz_pcg_print_json(const void *bench, FILE *file)
{
    const ritz_pcg_bench *b = bench;
    ritz_json json = {.file = file};
    ritz_bench_open_json(&json, "pcg", ritz_device_get_info(b->session.device));
    ritz_json_number(&json, "copy_gb_s", b->session.ceilings.copy_gb_s);
    ritz_json_number(&json, "tolerance", b->a->tolerance);
    ritz_json_integer(&json, "repeat", b->a->repeat);
    ritz_bench_json_progress(&json, b->session.n_runs, b->session.n_expected, b->session.n_failed);
    ritz_json_open(&json, "runs", '[');
    for (int r = 0; r < b->session.n_runs; r++)
        json_run(&json, b, &b->runs[r]);
    ritz_json_close(&json, ']');
    ritz_json_close(&json, '}');
}
