/* `ritz bench tensor`: what Knepley and Terrel (2013) vary, on their four cases, in one execution. */
#include "bench/bench.h"
#include "bench/lists.h"
#include "box_case.h"
#include "fields.h"
#include "plan.h"

#include "device/ceilings.h"

#include <math.h>
#include <string.h>

static const char help[] =
    "Usage: ritz bench tensor [OPTION]...\n"
    "The kernel of Knepley and Terrel (2013) for this device: the Laplacian and elasticity on triangles and tets of "
    "order 1, for every\n"
    "combination of elements a batch, concurrent elements, unrolled loops and interleaved stores (their Figures 1 to "
    "3), and beside\n"
    "them the method's own choice. A line a run: the rate of the operations really done, the bandwidth, the error. A "
    "run that the\n"
    "device does not take is listed with the reason.\n\n"
    "  --cell LIST             tri, tet or both (default both)\n"
    "  --forms LIST            laplacian, elasticity or both (default both)\n"
    "  --batch LIST            elements a batch, as 32,64,128 (default 32,64,128,256)\n"
    "  --concurrent LIST       elements at once (default 1,2,4)\n"
    "  --unroll LIST           0, 1 or both: loops unrolled (default both)\n"
    "  --interleave LIST       0, 1 or both: stores between computations (default both)\n"
    "  --elements LIST         in each run (default: enough to leave the caches)\n"
    "  --precisions LIST       f32, f64 (default f32)\n"
    "  --distort X             moves the inner nodes of the box by up to X of a cell, 0 to 0.4 (default 0.2)\n"
    "  --repeat N              timed passes, of which the median counts (default 5)\n"
    "  --seed N                of the sample that is checked (default 1)\n"
    "  --record FILE           appends each run to an HDF5 file, as 'ritz integrate' does\n"
    "  --device SELECTOR       auto, gpu, cpu, gpu:1, or part of a name\n"
    "  --measure               measures the device's ceilings anew (else once for each device and driver)\n"
    "  --json                  print one JSON object with an array of runs\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed, or a run with an error above 1e-12 (f64), 2e-5 (f32), 2 wrong usage.\n\n"
    "Example: ritz bench tensor --cell tet --forms laplacian --batch 128 --concurrent 2 --elements "
    "1024,65536,1048576\n";

static const char command[] = "bench tensor";

static const struct option options[] = {
    {"cell", required_argument, NULL, 'c'},
    {"forms", required_argument, NULL, 'f'},
    {"batch", required_argument, NULL, 'b'},
    {"concurrent", required_argument, NULL, 'k'},
    {"unroll", required_argument, NULL, 'u'},
    {"interleave", required_argument, NULL, 'i'},
    {"elements", required_argument, NULL, 'n'},
    {"precisions", required_argument, NULL, 'p'},
    {"distort", required_argument, NULL, 'x'},
    {"repeat", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},
    {"record", required_argument, NULL, 'e'},
    RITZ_BENCH_COMMON_OPTIONS,
};

enum { MOST_VALUES = 16, BATCH = 0, CONCURRENT, UNROLL, INTERLEAVE, N_AXES };

typedef struct list {
    int64_t values[MOST_VALUES];
    int n;
} list;

typedef struct arguments {
    bool cells[RITZ_N_CELLS], laplacian, elasticity, precisions[2];
    list axes[N_AXES], elements; /* elements 0: chosen */
    int64_t repeat, seed;
    double distort;
    const char *record;
    ritz_bench_common common;
} arguments;

static int take_list(const char *name, const char *text, int64_t least, int64_t most, list *to)
{
    char item[32];
    to->n = 0;
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item); to->n++)
        if (to->n == MOST_VALUES || !ritz_cli_read_integer(item, least, most, &to->values[to->n]))
            return ritz_cli_usage(command, "--%s takes up to %d numbers from %lld to %lld, not '%s'", name, MOST_VALUES,
                                  (long long)least, (long long)most, text);
    return RITZ_EXIT_DONE;
}

static int take_forms(arguments *a, const char *text)
{
    char item[32];
    for (const char *at = text; ritz_cli_next_item(&at, item, sizeof item);) {
        a->laplacian = a->laplacian || strcmp(item, "laplacian") == 0;
        a->elasticity = a->elasticity || strcmp(item, "elasticity") == 0;
        if (strcmp(item, "laplacian") != 0 && strcmp(item, "elasticity") != 0)
            return ritz_cli_usage(command, "--forms takes laplacian and elasticity, not '%s'", item);
    }
    return RITZ_EXIT_DONE;
}

static int take_option(int option, void *given)
{
    arguments *a = given;
    switch (option) {
    case 'c':
        return ritz_cli_take_cells(command, optarg, a->cells);
    case 'f':
        return take_forms(a, optarg);
    case 'b':
        return take_list("batch", optarg, 1, 1 << 20, &a->axes[BATCH]);
    case 'k':
        return take_list("concurrent", optarg, 1, 1024, &a->axes[CONCURRENT]);
    case 'u':
        return take_list("unroll", optarg, 0, 1, &a->axes[UNROLL]);
    case 'i':
        return take_list("interleave", optarg, 0, 1, &a->axes[INTERLEAVE]);
    case 'n':
        return take_list("elements", optarg, 1, INT32_MAX / 8, &a->elements);
    case 'p':
        return ritz_cli_take_precisions(command, "precisions", optarg, a->precisions);
    case 'x':
        return ritz_cli_take_distort(command, optarg, &a->distort);
    case 'r':
        return ritz_cli_take_integer(command, "repeat", 1, 1000000, &a->repeat);
    case 's':
        return ritz_cli_take_integer(command, "seed", 0, INT64_MAX, &a->seed);
    case 'e':
        a->record = optarg;
        return RITZ_EXIT_DONE;
    default:
        return ritz_cli_usage(command, NULL);
    }
}

static int check_arguments(void *given)
{
    arguments *a = given;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        if (a->cells[cell] && cell != RITZ_TRI && cell != RITZ_TET)
            return ritz_cli_usage(command, "--cell takes tri and tet, not %s", ritz_cell_name((ritz_cell)cell));
    if (!a->cells[RITZ_TRI] && !a->cells[RITZ_TET])
        a->cells[RITZ_TRI] = a->cells[RITZ_TET] = true;
    if (!a->laplacian && !a->elasticity)
        a->laplacian = a->elasticity = true;
    if (!a->precisions[0] && !a->precisions[1])
        a->precisions[0] = true;
    return RITZ_EXIT_DONE;
}

/* ---- Runs ---- */

typedef struct run {
    ritz_cell cell;
    const char *form;
    ritz_precision precision;
    int64_t elements;
    bool own_choice; /* of the method, instead of the values */
    int64_t values[N_AXES];
    bool failed;
    char reason[256]; /* why there are no figures, or they are wrong */
    ritz_record_field *fields;
    int n_fields;
} run;

typedef struct bench {
    const arguments *a;
    ritz_bench_session session;
    char when[32];
    run *runs;
} bench;

/* The settings of Knepley and Terrel's (2013) kernel: a work-item for each pair, geometry tensors of the batch in local memory. */
static int make_settings(const run *r, char (*texts)[32], const char **settings)
{
    static const char *const names[N_AXES] = {"batch", "concurrent", "unroll", "store"};
    int n = 0;
    const int n_shape = ritz_cell_n_shape(r->cell, 1);
    if (r->own_choice)
        return 0;
    for (; n < N_AXES; n++)
        snprintf(texts[n], sizeof texts[n], "%s=%d", names[n], (int)r->values[n]);
    snprintf(texts[n++], sizeof texts[0], "items=%d", n_shape * (n_shape + 1) / 2);
    static const char *const fixed[] = {"lanes=1", "geometry=1", "write=0", "code=0", "pairs=1"};
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++)
        snprintf(texts[n++], sizeof texts[0], "%s", fixed[k]);
    for (int k = 0; k < n; k++)
        settings[k] = texts[k];
    return n;
}

static void print_line(const run *r, FILE *file)
{
    char how[64] = "own choice";
    if (!r->own_choice)
        snprintf(how, sizeof how, "batch %4d  concurrent %d  %-8s  %s", (int)r->values[BATCH],
                 (int)r->values[CONCURRENT], r->values[UNROLL] ? "unrolled" : "loops",
                 r->values[INTERLEAVE] ? "interleaved" : "stores after");
    fprintf(file, "%-4s %-12s %s %9lld  %-52s", ritz_cell_name(r->cell), r->form, ritz_cli_precision_name(r->precision),
            (long long)r->elements, how);
    if (r->n_fields == 0)
        fprintf(file, " %s\n", r->reason);
    else
        fprintf(file, " %9.4g ns %8.4g GFLOP/s %8.4g GB/s  %3.0f%%  error %.2g%s%s\n",
                ritz_cli_find_number(r->fields, r->n_fields, "kernel_ns_per_element"),
                ritz_cli_find_number(r->fields, r->n_fields, "operations_gflops"),
                ritz_cli_find_number(r->fields, r->n_fields, "bandwidth_gb_s"),
                100 * ritz_cli_find_number(r->fields, r->n_fields, "roofline_fraction"),
                ritz_cli_find_number(r->fields, r->n_fields, "max_relative_error"), r->failed ? "  " : "", r->reason);
    fflush(file);
}

static ritz_status keep_run(bench *b, const ritz_box_case *c, const ritz_measurement *m, run *r)
{
    ritz_status status = RITZ_OK;
    const double tolerance = ritz_measure_tolerance(r->precision);
    r->failed = !(m->matrix_error <= tolerance);
    if (r->failed)
        snprintf(r->reason, sizeof r->reason, "its error is more than %.3g", tolerance);
    RITZ_TRY(ritz_integrate_fields(&c->as_given, &c->integral, b->session.device, m, &b->session.ceilings, b->when,
                                   &r->fields, &r->n_fields));
    if (b->a->record)
        RITZ_TRY(ritz_record_append(b->a->record, "integrate", r->fields, r->n_fields));
done:
    return status;
}

/* A run that the device does not take has its reason, and the bench goes on. */
static ritz_status measure_run(bench *b, const ritz_box_case *c, run *r)
{
    ritz_status status = RITZ_OK;
    char texts[N_AXES + 8][32];
    const char *settings[N_AXES + 8];
    ritz_measurement m = {0};
    const ritz_measure_options o = {.method = "tensor",
                                    .settings = settings,
                                    .n_settings = make_settings(r, texts, settings),
                                    .precision = r->precision,
                                    .repeat = (int)b->a->repeat,
                                    .seed = (uint64_t)b->a->seed};
    r->elements = c->integral.batch->n_cells;
    status = ritz_measure(b->session.device, &c->integral, &o, &m);
    if (status == RITZ_ERROR_INPUT) {
        snprintf(r->reason, sizeof r->reason, "%s", ritz_message());
        status = RITZ_OK;
    } else if (status == RITZ_OK) {
        status = keep_run(b, c, &m, r);
    }
    ritz_measurement_clear(&m);
    if (status != RITZ_OK)
        return status;
    print_line(r, ritz_bench_lines(&b->a->common));
    return ritz_bench_count(&b->session, r->failed, 0);
}

/* The values of run number k of a case, its axes as digits; after the last the method's own choice. */
static void choose_values(const arguments *a, int64_t k, run *r)
{
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        r->values[axis] = a->axes[axis].values[k % a->axes[axis].n];
        k /= a->axes[axis].n;
    }
    r->own_choice = k > 0;
}

static int64_t count_runs(const arguments *a)
{
    int64_t n = 1;
    for (int axis = 0; axis < N_AXES; axis++)
        n *= a->axes[axis].n;
    return n + 1;
}

static ritz_status measure_case(bench *b, const run *about, int64_t elements)
{
    ritz_status status = RITZ_OK;
    const arguments *a = b->a;
    static const char *const data[] = {"conductivity=1", "source=0",  "young=1",   "poisson=0.3",
                                       "force_x=0",      "force_y=0", "force_z=0", "thickness=1"};
    const ritz_box_wanted wanted = {.command = command,
                                    .cell = about->cell,
                                    .order = 1,
                                    .form = about->form,
                                    .precision = about->precision,
                                    .data = data,
                                    .n_data = sizeof data / sizeof data[0],
                                    .seed = a->seed,
                                    .elements = elements,
                                    .distort = a->distort};
    ritz_box_case c = {0};
    RITZ_TRY(ritz_box_case_create(&wanted, ritz_device_get_info(b->session.device), &c));
    for (int64_t k = 0; k < count_runs(a); k++) {
        run *r = &b->runs[b->session.n_runs];
        char stage[64];
        *r = *about;
        choose_values(a, k, r);
        snprintf(stage, sizeof stage, "%d/%d: ", b->session.n_runs + 1, b->session.n_expected);
        ritz_cli_set_progress_prefix(stage);
        RITZ_TRY(ritz_check_interrupt());
        RITZ_TRY(measure_run(b, &c, r));
    }
done:
    ritz_cli_set_progress_prefix("");
    ritz_box_case_clear(&c);
    return status;
}

/* Cells, forms, precisions and numbers of elements as digits of a number; false where one is not asked for. */
static bool choose_case(const arguments *a, int number, run *about, int64_t *elements)
{
    const int size = number / 8;
    *about = (run){.cell = number & 1 ? RITZ_TET : RITZ_TRI, .precision = number & 4 ? RITZ_F64 : RITZ_F32};
    const bool elastic = number & 2;
    about->form = !elastic ? "poisson" : about->cell == RITZ_TET ? "elasticity" : "plane-strain";
    *elements = a->elements.values[size];
    return a->cells[about->cell] && (elastic ? a->elasticity : a->laplacian) && a->precisions[number & 4 ? 1 : 0];
}

/* A run without figures. */
static void json_case(ritz_json *json, const run *r)
{
    static const char *const names[N_AXES] = {"batch", "concurrent", "unroll", "store"};
    ritz_json_text(json, "cell", ritz_cell_name(r->cell));
    ritz_json_text(json, "form", r->form);
    ritz_json_text(json, "precision", ritz_cli_precision_name(r->precision));
    ritz_json_integer(json, "elements", r->elements);
    ritz_json_open(json, "parameters", '{');
    for (int axis = 0; axis < N_AXES && !r->own_choice; axis++)
        ritz_json_integer(json, names[axis], r->values[axis]);
    ritz_json_close(json, '}');
}

static void print_json(const void *of, FILE *file)
{
    const bench *b = of;
    ritz_json json = {.file = file};
    ritz_bench_open_json(&json, "tensor", ritz_device_get_info(b->session.device));
    ritz_bench_json_progress(&json, b->session.n_runs, b->session.n_expected, b->session.n_failed);
    ritz_json_open(&json, "runs", '[');
    for (int k = 0; k < b->session.n_runs; k++) {
        const run *r = &b->runs[k];
        ritz_json_open(&json, NULL, '{');
        if (r->n_fields)
            ritz_cli_json_fields(&json, r->fields, r->n_fields);
        else
            json_case(&json, r);
        ritz_json_bool(&json, "own_choice", r->own_choice);
        ritz_json_bool(&json, "failed", r->failed);
        ritz_json_text(&json, "reason", *r->reason ? r->reason : NULL);
        ritz_json_close(&json, '}');
    }
    ritz_json_close(&json, ']');
    ritz_json_close(&json, '}');
}

static int run_benchmark(void *given)
{
    const arguments *a = given;
    ritz_status status = RITZ_OK;
    bench b = {.a = a, .session = {.common = &a->common}};
    const int n_cases = 8 * a->elements.n;
    run about;
    int64_t elements;
    int exit_status;
    for (int n = 0; n < n_cases; n++)
        b.session.n_expected += choose_case(a, n, &about, &elements) ? (int)count_runs(a) : 0;
    if (ritz_allocate((void **)&b.runs, b.session.n_expected, sizeof *b.runs) != RITZ_OK)
        return ritz_cli_failed();
    RITZ_TRY(ritz_bench_begin(&b.session, a->record));
    RITZ_TRY(ritz_device_known_ceilings(b.session.device, false, &b.session.ceilings, b.when));
    for (int n = 0; n < n_cases; n++)
        if (choose_case(a, n, &about, &elements))
            RITZ_TRY(measure_case(&b, &about, elements));
done:
    exit_status = ritz_bench_end(&b.session, status, &b, print_json, NULL, RITZ_ERROR_DEVICE, "runs are wrong");
    for (int k = 0; k < b.session.n_runs; k++)
        ritz_free(b.runs[k].fields);
    ritz_free(b.runs);
    ritz_device_close(&b.session.device);
    return exit_status;
}

int ritz_bench_tensor(int argc, char **argv)
{
    static const ritz_bench_command about = {command, help, options, take_option, check_arguments, run_benchmark};
    arguments a = {.axes = {{{32, 64, 128, 256}, 4}, {{1, 2, 4}, 3}, {{0, 1}, 2}, {{0, 1}, 2}},
                   .elements = {{0}, 1},
                   .seed = 1,
                   .distort = 0.2};
    return ritz_bench_main(&about, argc, argv, &a.common, &a);
}
