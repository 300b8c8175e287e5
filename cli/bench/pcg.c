/* `ritz bench pcg`: conjugate gradients with every preconditioner and degree, in every precision and format that is
   asked for, on the four problems of Zhang and Zhang (2013) or on any Matrix Market file. */
#include "bench/pcg.h"

#include "bench/bench.h"
#include "bench/lists.h"

#include "ritz/market.h"

#include <math.h>
#include <string.h>

static const char help_format[] =
    "Usage: ritz bench pcg [OPTION]...\n"
    "Solves A x = b from zero by conjugate gradients with every preconditioner, degree, precision and format that is\n"
    "asked for, checks each solution against the matrix, and prints Tables 3 to 5 and Fig. 10 of Zhang and Zhang "
    "(2013): "
    "plane\n"
    "stress and elasticity, nu = 0.3, one side clamped, the opposite one pulled outwards by a unit traction.\n\n"
    "  --meshes LIST           tri, quad, tet, hex, hex-large (default quad)\n"
    "  --nodes N1xN2xN3        another size for these meshes (N1xN2 is enough in 2D)\n"
    "  --matrix FILE           a symmetric positive definite Matrix Market file instead; may be given several times\n"
    "  --block N               of the formats with blocks, for --matrix, 1 to 8 (default: what moves the fewest "
    "bytes)\n"
    "  --rhs FILE              the right-hand side of one --matrix, a Matrix Market file with one column (default: "
    "the\n"
    "                          matrix times a vector of ones; the error of the solution is then printed too)\n"
    "  --preconditioners LIST  %s\n"
    "                          (default jacobi and the polynomials)\n"
    "  --degrees LIST          of the polynomials, 1 to %d, such as 2-6 or 2,6,12 (default 2-6)\n"
    "  --precisions LIST       double, single; mixed, mixed-f16, mixed-bf16, single-f16: with the polynomial's matrix\n"
    "                          stored in f32, f16, bf16, and its vectors in f32 near the end;\n"
    "                          mixed-double, mixed-single, each with -f16 or -bf16 behind it, too: with its\n"
    "                          vectors in f64 or f32 all along (default double,mixed)\n"
    "  --formats LIST          %s\n"
    "                          auto: sbell or sbell-symmetric, as the solver chooses (default sbell)\n"
    "  --tolerance T           of the scaled system's relative residual (default 1e-7)\n"
    "  --max-iterations N      after which a solve has failed (default %d)\n"
    "  --repeat N              solves, of which the median counts (default 1, after a warm-up)\n"
    "  --record FILE           appends each run to the table pcg of an HDF5 file\n"
    "  --solution FILE         writes the solution of the last run as a Matrix Market array, if it made one\n"
    "  --device SELECTOR       auto, gpu, cpu, gpu:1, or part of a name\n"
    "  --measure               measures the device's ceilings anew (else once for each device and driver)\n"
    "  --json                  print one JSON object with an array of runs\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed or a solve that did not converge, 2 wrong usage.\n\n"
    "Example: ritz bench pcg --meshes tri,quad,tet,hex --formats csr,sbell --preconditioners jacobi,least-squares "
    "--degrees 6\n";

static const char command[] = "bench pcg";

/* ---- Options ---- */

static int take_preconditioners(const char *text, ritz_pcg_arguments *a)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item); a->n_preconditioners++) {
        ritz_preconditioner kind;
        if (ritz_preconditioner_from_name(item, &kind) != RITZ_OK)
            return ritz_cli_usage(command, "--preconditioners: %s", ritz_message());
        for (int p = 0; p < a->n_preconditioners; p++)
            if (a->preconditioners[p] == kind)
                return ritz_cli_usage(command, "--preconditioners names %s twice", item);
        a->preconditioners[a->n_preconditioners] = kind;
    }
    return RITZ_EXIT_DONE;
}

static int take_precisions(const char *text, ritz_pcg_arguments *a)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item); a->n_precisions++) {
        const ritz_solve_precision *found = NULL;
        if (ritz_solve_precision_from_name(item, RITZ_SOLVE_N_PRECISIONS, &found) != RITZ_OK)
            return ritz_cli_usage(command, "--precisions: %s", ritz_message());
        for (int p = 0; p < a->n_precisions; p++)
            if (a->precisions[p] == found)
                return ritz_cli_usage(command, "--precisions names %s twice", item);
        a->precisions[a->n_precisions] = found;
    }
    return RITZ_EXIT_DONE;
}

static int take_formats(const char *text, ritz_pcg_arguments *a)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item); a->n_formats++) {
        const char *name = strcmp(item, RITZ_PCG_AUTO) == 0 ? RITZ_PCG_AUTO : ritz_bench_find_format(item);
        if (!name)
            return ritz_cli_usage(command, "--formats: %s; or auto, where the solver chooses", ritz_message());
        for (int f = 0; f < a->n_formats; f++)
            if (a->formats[f] == name)
                return ritz_cli_usage(command, "--formats names %s twice", item);
        if (a->n_formats == RITZ_PCG_MAX_FORMATS)
            return ritz_cli_usage(command, "--formats takes at most %d of them", RITZ_PCG_MAX_FORMATS);
        a->formats[a->n_formats] = name;
    }
    return RITZ_EXIT_DONE;
}

static int take_tolerance(const char *text, ritz_pcg_arguments *a)
{
    if (!ritz_cli_read_number(text, &a->tolerance) || a->tolerance == 0 ||
        ritz_solve_check_options(&(ritz_solve_options){.tolerance = a->tolerance}, RITZ_F64) != RITZ_OK)
        return ritz_cli_usage(command, "--tolerance takes a number between 0 and 1, not '%s'", text);
    return RITZ_EXIT_DONE;
}

static int take_option(int option, void *given)
{
    ritz_pcg_arguments *a = given;
    switch (option) {
    case 'g':
    case 'n':
    case 'm':
    case 'b':
        return ritz_bench_take_source(command, option, &a->sources);
    case 'R':
        a->rhs = optarg;
        return RITZ_EXIT_DONE;
    case 'p':
        return take_preconditioners(optarg, a);
    case 'D':
        return ritz_cli_read_numbers(optarg, 1, RITZ_DEGREE_MOST, a->degrees)
                   ? RITZ_EXIT_DONE
                   : ritz_cli_usage(command, "--degrees takes numbers from 1 to %d, such as 2-6 or 2,6,12, not '%s'",
                                    RITZ_DEGREE_MOST, optarg);
    case 'P':
        return take_precisions(optarg, a);
    case 'f':
        return take_formats(optarg, a);
    case 't':
        return take_tolerance(optarg, a);
    case 'i':
        return ritz_cli_take_integer(command, "max-iterations", 1, RITZ_ITERATIONS_MOST, &a->max_iterations);
    case 'r':
        return ritz_cli_take_integer(command, "repeat", 1, 1000000, &a->repeat);
    case 'e':
        a->common.record = optarg;
        return RITZ_EXIT_DONE;
    case 's':
        a->solution = optarg;
        return RITZ_EXIT_DONE;
    default:
        return ritz_cli_usage(command, NULL);
    }
}

/* Whether the solver takes these together. */
static bool is_a_kind(const ritz_pcg_arguments *a, ritz_preconditioner preconditioner,
                      const ritz_solve_precision *precision)
{
    const ritz_solve_options options = ritz_pcg_solve_options(a, preconditioner, 0, precision);
    return ritz_solve_check_options(&options, precision->precision) == RITZ_OK;
}

static int count_kinds(const ritz_pcg_arguments *a)
{
    int n = 0, n_degrees = 0;
    for (int d = 1; d <= RITZ_DEGREE_MOST; d++)
        n_degrees += a->degrees[d];
    for (int p = 0; p < a->n_precisions; p++)
        for (int k = 0; k < a->n_preconditioners; k++)
            n += !is_a_kind(a, a->preconditioners[k], a->precisions[p])     ? 0
                 : ritz_preconditioner_is_polynomial(a->preconditioners[k]) ? n_degrees
                                                                            : 1;
    return n;
}

static int check_arguments(void *given)
{
    ritz_pcg_arguments *a = given;
    const bool any_named = a->n_preconditioners > 0;
    const int exit_status = ritz_bench_check_sources(command, "quad", &a->sources);
    if (exit_status != RITZ_EXIT_DONE)
        return exit_status;
    if (a->rhs && a->sources.n_files != 1)
        return ritz_cli_usage(command, "--rhs goes with one --matrix");
    for (int k = RITZ_JACOBI; !any_named && k < RITZ_PCG_N_PRECONDITIONERS; k++)
        if (k == RITZ_JACOBI || ritz_preconditioner_is_polynomial((ritz_preconditioner)k))
            a->preconditioners[a->n_preconditioners++] = (ritz_preconditioner)k;
    bool any = false;
    for (int d = 1; d <= RITZ_DEGREE_MOST; d++)
        any = any || a->degrees[d];
    for (int d = 2; d <= 6 && !any; d++)
        a->degrees[d] = true;
    if (a->n_precisions && count_kinds(a) == 0)
        return ritz_cli_usage(command, "--precisions: %s", ritz_message());
    if (!a->n_formats)
        return take_formats("sbell", a);
    return RITZ_EXIT_DONE;
}

/* ---- The loop ---- */

static void set_prefix(const ritz_pcg_run *run)
{
    char prefix[192], degree[16] = "";
    if (run->degree > 0)
        snprintf(degree, sizeof degree, " %d", run->degree);
    snprintf(prefix, sizeof prefix, "%s %s %s %s%s: ", run->name, run->format, run->precision->name,
             ritz_preconditioner_name(run->preconditioner), degree);
    ritz_cli_set_progress_prefix(prefix);
}

static ritz_status measure_solve(ritz_pcg_bench *b, const ritz_pcg_system *s, ritz_pcg_operator *o,
                                 const ritz_pcg_run *kind, double *x)
{
    ritz_status status = RITZ_OK;
    ritz_pcg_run *run = &b->runs[b->session.n_runs];
    FILE *file = ritz_bench_lines(&b->a->common);
    *run = *kind;
    set_prefix(run);
    RITZ_TRY(ritz_pcg_measure(b->session.device, s, b->a, o, run, x));
    RITZ_TRY(ritz_bench_count(&b->session, run->failed, ritz_pcg_has_figures(run) ? ritz_pcg_rate(run) : 0));
    ritz_cli_end_progress();
    ritz_pcg_print_line(b, run, file);
    fflush(file);
    RITZ_TRY(ritz_pcg_keep_run(b, run));
done:
    return status;
}

/* All preconditioners and degrees in one format and precision. */
static ritz_status measure_preconditioners(ritz_pcg_bench *b, const ritz_pcg_system *s, ritz_pcg_operator *o,
                                           ritz_pcg_run kind, double *x)
{
    ritz_status status = RITZ_OK;
    const ritz_pcg_arguments *a = b->a;
    for (int p = 0; p < a->n_preconditioners; p++) {
        kind.preconditioner = a->preconditioners[p];
        kind.degree = 0;
        if (!is_a_kind(a, kind.preconditioner, kind.precision))
            continue;
        const bool polynomial = ritz_preconditioner_is_polynomial(kind.preconditioner);
        if (!polynomial)
            RITZ_TRY(measure_solve(b, s, o, &kind, x));
        for (int d = 1; d <= RITZ_DEGREE_MOST && polynomial; d++) {
            kind.degree = d;
            if (a->degrees[d])
                RITZ_TRY(measure_solve(b, s, o, &kind, x));
        }
    }
done:
    return status;
}

/* x [n] of the last run. */
static ritz_status write_solution(const char *path, const ritz_pcg_run *run, int64_t n, double *x)
{
    ritz_status status = RITZ_OK;
    ritz_rows column = {.block = 1, .n_rows = n, .n_columns = 1, .values = x};
    const ritz_market_kind kind = {.array = true};
    RITZ_REQUIRE(ritz_pcg_has_figures(run) && !run->failed, RITZ_ERROR_NOT_CONVERGED,
                 "%s is not written, because the last run made no solution: %s", path, run->reason);
    RITZ_NEW(column.row_start, n + 1);
    RITZ_NEW(column.columns, n);
    for (int64_t i = 0; i <= n; i++)
        column.row_start[i] = i;
    RITZ_TRY(ritz_market_write(path, &kind, &column));
    ritz_cli_output_written();
done:
    ritz_free(column.row_start);
    ritz_free(column.columns);
    return status;
}

static ritz_status measure_system(ritz_pcg_bench *b, int number, const ritz_pcg_system *s)
{
    ritz_status status = RITZ_OK;
    const ritz_pcg_arguments *a = b->a;
    ritz_pcg_operator o = {0};
    double *x = NULL;
    snprintf(b->names[number], sizeof b->names[number], "%s", s->name);
    ritz_cli_end_progress();
    ritz_pcg_print_heading(b, s, ritz_bench_lines(&a->common));
    RITZ_NEW(x, s->n);
    for (int f = 0; f < a->n_formats; f++)
        for (int p = 0; p < a->n_precisions; p++) {
            const ritz_pcg_run kind = {
                .matrix = number, .name = b->names[number], .format = a->formats[f], .precision = a->precisions[p]};
            RITZ_TRY(measure_preconditioners(b, s, &o, kind, x));
        }
    if (a->solution && number == ritz_bench_n_sources(&a->sources) - 1)
        RITZ_TRY(write_solution(a->solution, &b->runs[b->session.n_runs - 1], s->n, x));
done:
    ritz_pcg_clear_operator(&o);
    ritz_free(x);
    return status;
}

static ritz_status measure_source(void *bench, int number, const ritz_bench_mesh *mesh, const char *file)
{
    ritz_status status = RITZ_OK;
    ritz_pcg_bench *b = bench;
    ritz_pcg_system s = {0};
    RITZ_TRY(file ? ritz_pcg_from_file(b->session.device, file, (int)b->a->sources.block, b->a->rhs, &s)
                  : ritz_pcg_from_mesh(b->session.device, mesh, &s));
    RITZ_TRY(measure_system(b, number, &s));
done:
    ritz_pcg_clear(&s);
    return status;
}

/* The device, and what is asked for where that depends on it. */
static ritz_status prepare_bench(ritz_pcg_arguments *a, ritz_pcg_bench *b)
{
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_bench_begin(&b->session, a->solution));
    if (a->n_precisions == 0)
        take_precisions(ritz_bench_widest(b->session.device) == RITZ_F32 ? "single" : "double,mixed", a);
    b->session.n_expected = ritz_bench_n_sources(&a->sources) * a->n_formats * count_kinds(a);
    RITZ_NEW(b->runs, b->session.n_expected);
done:
    return status;
}

static int run_benchmark(void *given)
{
    ritz_pcg_arguments *a = given;
    ritz_pcg_bench b = {.a = a, .session.common = &a->common};
    ritz_status status = prepare_bench(a, &b);
    if (status == RITZ_OK)
        status = ritz_bench_each_source(&a->sources, measure_source, &b);
    const int exit_status = ritz_bench_end(&b.session, status, &b, ritz_pcg_print_json, ritz_pcg_print_tables,
                                           RITZ_ERROR_NOT_CONVERGED, "solves failed; their lines say why");
    ritz_free(b.runs);
    ritz_device_close(&b.session.device);
    return exit_status;
}

/* With the names that the library has. */
static const char *write_help(void)
{
    static char help[sizeof help_format + 1024];
    char preconditioners[512], formats[512];
    ritz_preconditioner_list(false, preconditioners, sizeof preconditioners);
    ritz_bench_list_formats(26, formats, sizeof formats);
    snprintf(help, sizeof help, help_format, preconditioners, RITZ_DEGREE_MOST, formats, RITZ_ITERATIONS_DEFAULT);
    return help;
}

int ritz_bench_pcg(int argc, char **argv)
{
    static const struct option options[] = {
        RITZ_BENCH_SOURCE_OPTIONS,
        {"rhs", required_argument, NULL, 'R'},
        {"preconditioners", required_argument, NULL, 'p'},
        {"degrees", required_argument, NULL, 'D'},
        {"precisions", required_argument, NULL, 'P'},
        {"formats", required_argument, NULL, 'f'},
        {"tolerance", required_argument, NULL, 't'},
        {"max-iterations", required_argument, NULL, 'i'},
        {"repeat", required_argument, NULL, 'r'},
        {"record", required_argument, NULL, 'e'},
        {"solution", required_argument, NULL, 's'},
        RITZ_BENCH_COMMON_OPTIONS,
    };
    const ritz_bench_command about = {command, write_help(), options, take_option, check_arguments, run_benchmark};
    ritz_pcg_arguments a = {.repeat = 1, .tolerance = 1e-7};
    return ritz_bench_main(&about, argc, argv, &a.common, &a);
}
