/* `ritz bench spmv`: products of all sparse formats on the four matrices of Zhang and Zhang (2013), or on any Matrix Market file. */
#include "bench/spmv.h"

#include "bench/bench.h"
#include "bench/lists.h"

#include "ritz/market.h"

#include <math.h>
#include <string.h>

static const char help_format[] =
    "Usage: ritz bench spmv [OPTION]...\n"
    "Measures y = A x in every sparse format: bytes that the product must move (true blocks with their columns, x and "
    "y,\n"
    "once each), their rate, its share of the device's copy bandwidth, the error against compressed rows on the host, "
    "and\n"
    "what padding adds (Table 2 and Figs. 6 to 8 of Zhang and Zhang (2013)). Caches are emptied before each "
    "product.\n\n"
    "  --meshes LIST      tri, quad, tet, hex (default: these four), hex-large\n"
    "  --nodes N1xN2xN3   another size for these meshes (N1xN2 is enough in 2D)\n"
    "  --matrix FILE      a Matrix Market file instead of meshes; may be given several times\n"
    "  --block N          of the formats with blocks, for --matrix, 1 to 8 (default: what moves the fewest bytes)\n"
    "  --formats LIST     %s\n"
    "                     (default all but those of symmetric matrices alone)\n"
    "  --types LIST       values/vectors: f64, f32, f32/f64, f16/f64, bf16/f64, f16/f32, bf16/f32 (default f64,f32)\n"
    "  --slice-height N   rows a slice of sell and sbell, 1 to 1024 (default: the device's)\n"
    "  --sort-window N    rows sorted among each other in sell and sbell, 1 for none, all (default: the device's)\n"
    "  --repeat N         products, of which the median counts (default 20)\n"
    "  --warm             leave the caches as they are\n"
    "  --record FILE      appends each run to the table spmv of an HDF5 file\n"
    "  --write FILE       also writes the (last) matrix as a Matrix Market file, for other programs\n"
    "  --device SELECTOR  auto, gpu, cpu, gpu:1, or part of a name\n"
    "  --measure          measures the device's ceilings anew (else once for each device and driver)\n"
    "  --json             print one JSON object with an array of runs\n"
    "  -h, --help         print this\n\n"
    "Exit status: 0 done, 1 failed or an error beyond the type's rounding, 2 wrong usage.\n\n"
    "Example: ritz bench spmv --meshes hex --formats csr,bcsr,sbell --types f64,f32,f32/f64\n";

static const char command[] = "bench spmv";

static const ritz_spmv_type types[] = {
    {"f64", RITZ_F64, RITZ_VALUES_F64, 1e-14},      {"f32", RITZ_F32, RITZ_VALUES_F32, 1e-6},
    {"f32/f64", RITZ_F64, RITZ_VALUES_F32, 6e-8},   {"f16/f64", RITZ_F64, RITZ_VALUES_F16, 5e-4},
    {"bf16/f64", RITZ_F64, RITZ_VALUES_BF16, 4e-3}, {"f16/f32", RITZ_F32, RITZ_VALUES_F16, 5e-4},
    {"bf16/f32", RITZ_F32, RITZ_VALUES_BF16, 4e-3},
};
enum { N_TYPES = sizeof types / sizeof types[0], MAX_FORMATS = 16 };

typedef struct arguments {
    ritz_bench_sources sources;
    const char *formats[MAX_FORMATS];
    const ritz_spmv_type *types[N_TYPES];
    int n_formats, n_types;
    ritz_spmv_how how;
    const char *write;
    ritz_bench_common common;
} arguments;

typedef struct bench {
    const arguments *a;
    ritz_bench_session session;
    ritz_spmv_run *runs;
    char names[RITZ_BENCH_MAX_MATRICES][128]; /* of matrices, which outlive them */
} bench;

/* ---- Options ---- */

static int take_formats(const char *text, arguments *a)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item); a->n_formats++) {
        const char *format = ritz_bench_find_format(item);
        if (!format)
            return ritz_cli_usage(command, "--formats: %s", ritz_message());
        if (a->n_formats == MAX_FORMATS)
            return ritz_cli_usage(command, "--formats takes at most %d of them", MAX_FORMATS);
        a->formats[a->n_formats] = format;
    }
    return RITZ_EXIT_DONE;
}

static int take_types(const char *text, arguments *a)
{
    char item[64];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item);) {
        int t = 0;
        while (t < N_TYPES && strcmp(types[t].name, item) != 0)
            t++;
        if (t == N_TYPES)
            return ritz_cli_usage(
                command, "--types takes f64, f32, f32/f64, f16/f64, bf16/f64, f16/f32 and bf16/f32, not '%s'", item);
        if (a->n_types == N_TYPES)
            return ritz_cli_usage(command, "--types names a type twice");
        a->types[a->n_types++] = &types[t];
    }
    return RITZ_EXIT_DONE;
}

static int take_option(int option, void *given)
{
    arguments *a = given;
    switch (option) {
    case 'g':
    case 'n':
    case 'm':
    case 'b':
        return ritz_bench_take_source(command, option, &a->sources);
    case 'f':
        return take_formats(optarg, a);
    case 't':
        return take_types(optarg, a);
    case 's':
        return ritz_cli_take_integer(command, "slice-height", 1, 1024, &a->how.slice_height);
    case 'o':
        if (strcmp(optarg, "all") == 0) {
            a->how.sort_window = RITZ_ALL_ROWS;
            return RITZ_EXIT_DONE;
        }
        return ritz_cli_take_integer(command, "sort-window", 1, RITZ_ALL_ROWS, &a->how.sort_window);
    case 'r':
        return ritz_cli_take_integer(command, "repeat", 1, 1000000, &a->how.repeat);
    case 'w':
        a->how.warm = true;
        return RITZ_EXIT_DONE;
    case 'e':
        a->common.record = optarg;
        return RITZ_EXIT_DONE;
    case 'i':
        a->write = optarg;
        return RITZ_EXIT_DONE;
    default:
        return ritz_cli_usage(command, NULL);
    }
}

static int check_arguments(void *given)
{
    arguments *a = given;
    int exit_status = ritz_bench_check_sources(command, "tri,quad,tet,hex", &a->sources);
    if (exit_status != RITZ_EXIT_DONE)
        return exit_status;
    if (!a->n_formats)
        for (int f = 0; ritz_format_name(f); f++) {
            ritz_matrix_options options = {0};
            bool blocked;
            if (ritz_format_from_name(ritz_format_name(f), &options, &blocked) == RITZ_OK &&
                !ritz_format_is_half(&options))
                a->formats[a->n_formats++] = ritz_format_name(f);
        }
    if (!a->n_types)
        for (; a->n_types < 2; a->n_types++)
            a->types[a->n_types] = &types[a->n_types];
    return RITZ_EXIT_DONE;
}

/* ---- Report ---- */

static double rate_of(const ritz_spmv_run *run)
{
    return 1e-9 * (double)run->statistics.product_bytes / run->seconds;
}

static double gflops_of(const ritz_spmv_run *run)
{
    return 2e-9 * (double)run->nonzeros / run->seconds;
}

static void print_heading(const bench *b, const ritz_spmv_matrix *m, FILE *file)
{
    ritz_matrix_statistics s = {.size = sizeof s};
    if (ritz_matrix_get_statistics(m->original, &s) != RITZ_OK)
        return;
    fprintf(file, "\n%s: %lld x %lld, %lld nonzeros (%.2f a row), blocks of %d; %s copies %.4g GB/s\n", m->name,
            (long long)s.n_rows, (long long)s.n_columns, (long long)s.nonzeros, (double)s.nonzeros / (double)s.n_rows,
            m->block, ritz_device_get_info(b->session.device)->name, b->session.ceilings.copy_gb_s);
    fprintf(file, "%-15s %-8s %9s | %7s %10s | %10s %9s %7s %9s | %s\n", "format", "type", "slice", "stored",
            "MB moved", "us", "GB/s", "share", "GFLOP/s", "error");
}

static void print_line(const bench *b, const ritz_spmv_run *run, FILE *file)
{
    fprintf(file, "%-15s %-8s ", run->format, run->type->name);
    if (*run->reason) {
        fprintf(file, "%9s | %s\n", "-", run->reason);
        return;
    }
    fprintf(file, "%9d | %7.3f %10.2f | %10.2f %9.2f %6.1f%% %9.3f | %.2e%s\n", run->slice_height,
            run->statistics.factor, 1e-6 * (double)run->statistics.product_bytes, 1e6 * run->seconds, rate_of(run),
            100 * rate_of(run) / b->session.ceilings.copy_gb_s, gflops_of(run), run->error,
            run->failed ? " FAILED" : "");
}

static ritz_status list_figures(const bench *b, const ritz_spmv_run *run, ritz_cli_fields *l)
{
    ritz_status status = RITZ_OK;
    const ritz_matrix_statistics *s = &run->statistics;
    RITZ_TRY(ritz_cli_fields_create(l));
    ritz_cli_add_text(l, "matrix", "%s", run->matrix);
    ritz_cli_add_integer(l, "rows", run->rows);
    ritz_cli_add_integer(l, "columns", run->columns);
    ritz_cli_add_integer(l, "nonzeros", run->nonzeros);
    ritz_cli_add_text(l, "format", "%s", run->format);
    ritz_cli_add_text(l, "type", "%s", run->type->name);
    if (*run->reason) {
        ritz_cli_add_text(l, "reason", "%s", run->reason);
        goto done;
    }
    ritz_cli_add_integer(l, "block", run->block);
    ritz_cli_add_integer(l, "slice_height", run->slice_height);
    ritz_cli_add_integer(l, "slices", s->slices);
    ritz_cli_add_integer(l, "shortest_row", s->shortest_row);
    ritz_cli_add_integer(l, "longest_row", s->longest_row);
    ritz_cli_add_integer(l, "stored", s->stored);
    ritz_cli_add_number(l, "factor", s->factor);
    ritz_cli_add_integer(l, "matrix_bytes", s->bytes);
    ritz_cli_add_integer(l, "product_bytes", s->product_bytes);
    ritz_cli_add_number(l, "seconds", run->seconds);
    ritz_cli_add_number(l, "seconds_least", run->seconds_least);
    ritz_cli_add_number(l, "bandwidth_gb_s", rate_of(run));
    ritz_cli_add_number(l, "copy_fraction", rate_of(run) / b->session.ceilings.copy_gb_s);
    ritz_cli_add_number(l, "gflops", gflops_of(run));
    ritz_cli_add_number(l, "max_relative_error", run->error);
done:
    return status;
}

/* A row of the record: the figures, and how they were taken. */
static ritz_status keep_run(const bench *b, const ritz_spmv_run *run)
{
    ritz_status status = RITZ_OK;
    ritz_cli_fields l = {0};
    RITZ_TRY(list_figures(b, run, &l));
    ritz_cli_add_integer(&l, "failed", run->failed);
    ritz_cli_add_integer(&l, "cold_cache", !b->a->how.warm);
    ritz_cli_add_integer(&l, "repeat", b->a->how.repeat);
    RITZ_TRY(ritz_bench_keep(&b->session, "spmv", &l));
done:
    ritz_free(l.fields);
    return status;
}

static void json_run(ritz_json *json, const bench *b, const ritz_spmv_run *run)
{
    ritz_cli_fields l = {0};
    ritz_json_open(json, NULL, '{');
    if (list_figures(b, run, &l) == RITZ_OK)
        ritz_cli_json_fields(json, l.fields, l.n);
    ritz_json_bool(json, "failed", run->failed);
    ritz_json_close(json, '}');
    ritz_free(l.fields);
}

static void print_json(const void *bench_of, FILE *file)
{
    const bench *b = bench_of;
    ritz_json json = {.file = file};
    ritz_bench_open_json(&json, "spmv", ritz_device_get_info(b->session.device));
    ritz_json_number(&json, "copy_gb_s", b->session.ceilings.copy_gb_s);
    ritz_json_bool(&json, "cold_cache", !b->a->how.warm);
    ritz_json_integer(&json, "repeat", b->a->how.repeat);
    ritz_bench_json_progress(&json, b->session.n_runs, b->session.n_expected, b->session.n_failed);
    ritz_json_open(&json, "runs", '[');
    for (int r = 0; r < b->session.n_runs; r++)
        json_run(&json, b, &b->runs[r]);
    ritz_json_close(&json, ']');
    ritz_json_close(&json, '}');
}

/* ---- The loop ---- */

static ritz_status measure_matrix(bench *b, int number, ritz_spmv_matrix *m)
{
    ritz_status status = RITZ_OK;
    const arguments *a = b->a;
    FILE *file = ritz_bench_lines(&a->common);
    snprintf(b->names[number], sizeof b->names[number], "%s", m->name);
    m->name = b->names[number];
    ritz_cli_end_progress();
    print_heading(b, m, file);
    for (int t = 0; t < a->n_types; t++)
        for (int f = 0; f < a->n_formats; f++) {
            ritz_spmv_run *run = &b->runs[b->session.n_runs];
            run->type = a->types[t];
            RITZ_TRY(ritz_spmv_measure(b->session.device, m, a->formats[f], &a->how, run));
            RITZ_TRY(ritz_bench_count(&b->session, run->failed, *run->reason ? 0 : rate_of(run)));
            print_line(b, run, file);
            fflush(file);
            RITZ_TRY(keep_run(b, run));
        }
    if (a->write && number == ritz_bench_n_sources(&a->sources) - 1) {
        RITZ_TRY(ritz_market_write(a->write, NULL, m->rows));
        ritz_cli_output_written();
    }
done:
    return status;
}

static ritz_status measure_source(void *bench_of, int number, const ritz_bench_mesh *mesh, const char *file)
{
    ritz_status status = RITZ_OK;
    bench *b = bench_of;
    ritz_spmv_matrix m = {0};
    RITZ_TRY(file ? ritz_spmv_from_file(b->session.device, file, (int)b->a->sources.block, &m)
                  : ritz_spmv_from_mesh(b->session.device, mesh, &m));
    RITZ_TRY(measure_matrix(b, number, &m));
done:
    ritz_spmv_clear(&m);
    return status;
}

static int run_benchmark(void *given)
{
    const arguments *a = given;
    ritz_status status = RITZ_OK;
    bench b = {
        .a = a,
        .session = {.common = &a->common, .n_expected = ritz_bench_n_sources(&a->sources) * a->n_formats * a->n_types}};
    RITZ_NEW(b.runs, b.session.n_expected);
    RITZ_TRY(ritz_bench_begin(&b.session, a->write));
    RITZ_TRY(ritz_bench_each_source(&a->sources, measure_source, &b));
done:;
    const int exit_status = ritz_bench_end(&b.session, status, &b, print_json, NULL, RITZ_ERROR_DEVICE,
                                           "products are wrong; their lines say FAILED");
    ritz_free(b.runs);
    ritz_device_close(&b.session.device);
    return exit_status;
}

static const char *write_help(void)
{
    static char help[sizeof help_format + 512];
    char formats[512];
    snprintf(help, sizeof help, help_format, ritz_bench_list_formats(21, formats, sizeof formats));
    return help;
}

int ritz_bench_spmv(int argc, char **argv)
{
    static const struct option options[] = {
        RITZ_BENCH_SOURCE_OPTIONS,
        {"formats", required_argument, NULL, 'f'},
        {"types", required_argument, NULL, 't'},
        {"slice-height", required_argument, NULL, 's'},
        {"sort-window", required_argument, NULL, 'o'},
        {"repeat", required_argument, NULL, 'r'},
        {"warm", no_argument, NULL, 'w'},
        {"record", required_argument, NULL, 'e'},
        {"write", required_argument, NULL, 'i'},
        RITZ_BENCH_COMMON_OPTIONS,
    };
    const ritz_bench_command about = {command, write_help(), options, take_option, check_arguments, run_benchmark};
    arguments a = {.how = {.repeat = 20}};
    return ritz_bench_main(&about, argc, argv, &a.common, &a);
}
