/* `ritz bench first-order`: Table 7 of Banaś et al. (2016) for this device. */
#include "bench/bench.h"
#include "plan.h"
#include "tune.h"

#include <math.h>
#include <string.h>

enum { N_CASES = 4, N_ALGORITHMS = 3 };

static const char help[] =
    "Usage: ritz bench first-order [OPTION]...\n"
    "Table 7 of Banaś et al. (2016) for this device: qss, sqs and ssq on tets and prisms of order 1, Poisson with a "
    "load "
    "that varies\n"
    "from point to point and convection-diffusion with all coefficients, each with its best parameters: those of the "
    "tuning "
    "file, or of a\n"
    "short search. Nanoseconds an element and the share of the estimate: whichever takes longer at the device's "
    "ceilings, "
    "the bytes that\n"
    "have to move or the operations that are done. Each is timed after its check passed.\n\n"
    "  --result WHAT           'matrices' are stored (default); or handed on in registers to a 'sum', a 'checksum' or "
    "an\n"
    "                          'action': the time of the arithmetic alone\n"
    "  --precision f32|f64     of the kernels (default f64)\n"
    "  --budget TIME           of a search, where the tuning file has no parameters, as 30s or 2m (default 10s)\n"
    "  --elements N            in each run (default: enough to leave the caches)\n"
    "  --distort X             moves the inner nodes of the box by up to X of a cell, 0 to 0.4 (default 0.2)\n"
    "  --repeat N              timed passes, of which the fastest counts (default 5)\n"
    "  --seed N                of the random data and of the sample (default 1)\n"
    "  --record FILE           appends what was timed to an HDF5 file\n"
    "  --device SELECTOR       auto, gpu, cpu, gpu:1, or part of a name\n"
    "  --measure               measures the device's ceilings anew (else once for each device and driver)\n"
    "  --json                  print one JSON object\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed, or a method that is wrong, 2 wrong usage.\n\n"
    "Example: ritz bench first-order --budget 30s\n";

static const char command[] = "bench first-order";

static const struct option options[] = {
    {"precision", required_argument, NULL, 'p'},
    {"budget", required_argument, NULL, 'b'},
    {"elements", required_argument, NULL, 'n'},
    {"distort", required_argument, NULL, 'x'},
    {"repeat", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},
    {"record", required_argument, NULL, 'e'},
    {"result", required_argument, NULL, 'u'},
    RITZ_BENCH_COMMON_OPTIONS,
};

typedef struct arguments {
    ritz_tune_arguments tune;
    ritz_precision precision;
    ritz_bench_common common;
} arguments;

static int take_option(int option, void *given)
{
    arguments *a = given;
    switch (option) {
    case 'p':
        a->precision = strcmp(optarg, "f32") == 0 ? RITZ_F32 : RITZ_F64;
        return a->precision == RITZ_F32 || strcmp(optarg, "f64") == 0
                   ? RITZ_EXIT_DONE
                   : ritz_cli_usage(command, "--precision takes f32 or f64, not '%s'", optarg);
    case 'b':
        return ritz_cli_take_time(command, "budget", &a->tune.budget);
    case 'x':
        return ritz_cli_take_distort(command, optarg, &a->tune.distort);
    case 'n':
        return ritz_cli_take_integer(command, "elements", 1, INT32_MAX / 8, &a->tune.elements);
    case 'r':
        return ritz_cli_take_integer(command, "repeat", 1, 1000000, &a->tune.repeat);
    case 's':
        return ritz_cli_take_integer(command, "seed", 0, INT64_MAX, &a->tune.seed);
    case 'u':
        return ritz_cli_take_result(command, optarg, &a->tune.result);
    case 'e':
        a->tune.record = optarg;
        return RITZ_EXIT_DONE;
    default:
        return ritz_cli_usage(command, NULL);
    }
}

static int check_arguments(void *given)
{
    (void)given;
    return RITZ_EXIT_DONE;
}

/* ---- The table ---- */

static const struct {
    ritz_cell cell;
    const char *form;
} cases[N_CASES] = {{RITZ_TET, "poisson"},
                    {RITZ_PRISM, "poisson"},
                    {RITZ_TET, "convection-diffusion"},
                    {RITZ_PRISM, "convection-diffusion"}};
static const char *const algorithms[N_ALGORITHMS] = {"qss", "sqs", "ssq"};

/* As published: nanoseconds and percent of the estimate. */
static const struct {
    const char *device;
    double nanoseconds[N_ALGORITHMS][N_CASES], percent[N_ALGORITHMS][N_CASES];
} published[] = {
    {"Tesla K20m",
     {{2.02, 12.80, 4.46, 15.58}, {2.02, 38.39, 6.05, 64.81}, {2.02, 94.99, 6.13, 194.93}},
     {{99, 29, 65, 29}, {99, 25, 48, 18}, {99, 53, 47, 30}}},
    {"two Xeon E5-2620",
     {{19.31, 49.74, 26.74, 64.27}, {18.77, 128.07, 24.86, 133.14}, {17.76, 385.33, 26.11, 475.41}},
     {{22, 30, 23, 42}, {23, 45, 25, 52}, {24, 79, 35, 76}}},
};

enum { N_RUNS = N_ALGORITHMS * N_CASES };

/* What was found for an algorithm on a case. */
typedef struct cell_of_table {
    bool reached, timed; /* reached: neither an interrupt nor a failure of the bench came before its end */
    ritz_configuration best;
    char reason[512];
} cell_of_table;

static ritz_status tune_table_cell(ritz_tuner *tuner, const arguments *a, int algorithm, int k, cell_of_table *found)
{
    ritz_status status;
    ritz_tune_case c = {.cell = cases[k].cell, .order = 1, .form = cases[k].form, .precision = a->precision};
    const ritz_method *method = ritz_method_named(algorithms[algorithm]);
    status = method ? ritz_tune_method(tuner, method, a->tune.budget, &c) : RITZ_ERROR_INPUT;
    const ritz_configuration *best = ritz_search_best(&c.search, method);
    found->reached = status == RITZ_OK;
    found->timed = found->reached && best != NULL;
    if (best)
        found->best = *best;
    else
        snprintf(found->reason, sizeof found->reason, "%s",
                 *c.skipped       ? c.skipped
                 : c.search.n > 0 ? c.search.tried[0].reason
                                  : "it does not apply");
    ritz_tune_case_clear(&c);
    return status;
}

static double roofline_fraction(const cell_of_table *c)
{
    return c->best.least / c->best.seconds;
}

static void print_published(int d, int algorithm)
{
    printf("  %-18s", published[d].device);
    for (int k = 0; k < N_CASES; k++)
        printf(" %10.2f (%3.0f%%)", published[d].nanoseconds[algorithm][k], published[d].percent[algorithm][k]);
    putchar('\n');
}

static void print_table(const ritz_tuner *tuner, const arguments *a, cell_of_table (*found)[N_CASES])
{
    printf("Banaś et al. (2016), Table 7, on %s, %s, %s: nanoseconds an element (share of the estimate)\n%-20s",
           tuner->info.name, ritz_cli_precision_name(a->precision), ritz_cli_result_name(a->tune.result), "");
    for (int k = 0; k < N_CASES; k++)
        printf(" %10s %-6s", ritz_cell_name(cases[k].cell), k < 2 ? "Poiss." : "c.-d.");
    putchar('\n');
    for (int n = 0; n < N_ALGORITHMS; n++) {
        printf("%-20s", algorithms[n]);
        for (int k = 0; k < N_CASES; k++)
            if (found[n][k].timed)
                printf(" %10.4g (%3.0f%%)", 1e9 * found[n][k].best.seconds, 100 * roofline_fraction(&found[n][k]));
            else
                printf(" %10s %6s", "-", "");
        putchar('\n');
        for (size_t d = 0; d < sizeof published / sizeof published[0]; d++)
            print_published((int)d, n);
    }
    for (int n = 0; n < N_ALGORITHMS; n++)
        for (int k = 0; k < N_CASES; k++)
            if (found[n][k].reached)
                printf("%s %s %s: %s\n", algorithms[n], ritz_cell_name(cases[k].cell), cases[k].form,
                       !found[n][k].timed           ? found[n][k].reason
                       : *found[n][k].best.settings ? found[n][k].best.settings
                                                    : "as the plan chooses");
}

static void print_json(const ritz_tuner *tuner, const arguments *a, cell_of_table (*found)[N_CASES], int n_reached,
                       int n_failed)
{
    ritz_json json = {.file = stdout};
    ritz_bench_open_json(&json, "first-order", &tuner->info);
    ritz_json_text(&json, "precision", ritz_cli_precision_name(a->precision));
    ritz_json_text(&json, "result", ritz_cli_result_name(a->tune.result));
    ritz_json_open(&json, "runs", '[');
    for (int n = 0; n < N_ALGORITHMS; n++)
        for (int k = 0; k < N_CASES; k++) {
            const cell_of_table *c = &found[n][k];
            if (!c->reached)
                continue;
            ritz_json_open(&json, NULL, '{');
            ritz_json_text(&json, "cell", ritz_cell_name(cases[k].cell));
            ritz_json_text(&json, "form", cases[k].form);
            ritz_json_text(&json, "method", algorithms[n]);
            ritz_json_text(&json, "settings", c->timed ? c->best.settings : NULL);
            ritz_json_number(&json, "ns_per_element", c->timed ? 1e9 * c->best.seconds : NAN);
            ritz_json_number(&json, "estimate_ns", c->timed ? 1e9 * c->best.least : NAN);
            ritz_json_number(&json, "share_of_estimate", c->timed ? roofline_fraction(c) : NAN);
            ritz_json_number(&json, "max_relative_error", c->timed ? c->best.error : NAN);
            ritz_json_number(&json, "published_k20m_ns", published[0].nanoseconds[n][k]);
            ritz_json_number(&json, "published_k20m_share", 0.01 * published[0].percent[n][k]);
            ritz_json_text(&json, "reason", c->timed ? NULL : c->reason);
            ritz_json_close(&json, '}');
        }
    ritz_json_close(&json, ']');
    ritz_bench_json_progress(&json, n_reached, N_RUNS, n_failed);
    ritz_json_close(&json, '}');
}

/* Bytes have to move, so that nothing is faster than them but by ceilings that are too low. Operations are those of the
   kernel as it is written: a compiler leaves out what it finds twice. [measured]: the ceilings are of this run. */
static void warn_of_shares(cell_of_table (*found)[N_CASES], bool measured)
{
    static const double highest_share = 1.05;
    static const char *const of_memory[] = {"the device's bandwidth was measured while it was busy, or its caches "
                                            "hold the arrays: take --measure, or more --elements",
                                            "the device's caches hold the arrays, or it was busy while its bandwidth "
                                            "was measured just now: take more --elements, and let nothing else run"};
    static const char *const of_operations[] = {
        "the compiler leaves out some of the operations that the kernel's text has, or the device's rate was measured "
        "while it was busy: --measure tells which",
        "the compiler leaves out some of the operations that the kernel's text has, unless the device was busy while "
        "its rate was measured just now"};
    for (int n = 0; n < N_ALGORITHMS; n++)
        for (int k = 0; k < N_CASES; k++) {
            const cell_of_table *c = &found[n][k];
            if (c->timed && roofline_fraction(c) > highest_share)
                fprintf(stderr, "ritz: warning: %s, %s %s: %.0f %% of the estimate, which is no bound there: %s\n",
                        algorithms[n], ritz_cell_name(cases[k].cell), cases[k].form, 100 * roofline_fraction(c),
                        (c->best.memory_bound ? of_memory : of_operations)[measured]);
        }
}

/* What was measured is told, however the run ended. */
static int report_outcome(const ritz_tuner *tuner, const arguments *a, cell_of_table (*found)[N_CASES],
                          ritz_status status)
{
    int n_reached = 0, n_failed = 0;
    ritz_cli_end_progress();
    for (int n = 0; n < N_ALGORITHMS; n++)
        for (int k = 0; k < N_CASES; k++) {
            n_reached += found[n][k].reached;
            n_failed += found[n][k].reached && !found[n][k].timed;
        }
    if (n_reached == 0 && status != RITZ_OK)
        return ritz_cli_failed();
    warn_of_shares(found, a->tune.measure);
    if (a->common.json)
        print_json(tuner, a, found, n_reached, n_failed);
    else
        print_table(tuner, a, found);
    if (status == RITZ_INTERRUPTED)
        ritz_fail(status, "interrupted after %d of %d runs; their figures are printed", n_reached, N_RUNS);
    else if (status == RITZ_OK && n_failed > 0)
        status = ritz_fail(RITZ_ERROR_DEVICE, "%d of %d runs have no time; their lines say why", n_failed, N_RUNS);
    return status == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}

static int run_benchmark(void *given)
{
    arguments *a = given;
    ritz_status status = RITZ_OK;
    ritz_tuner tuner = {0};
    cell_of_table found[N_ALGORITHMS][N_CASES] = {{{0}}};
    a->tune.device = a->common.device;
    a->tune.measure = a->common.measure;
    RITZ_TRY(ritz_tuner_start(&a->tune, RITZ_TUNER_READS, &tuner));
    for (int k = 0; k < N_CASES; k++)
        for (int n = 0; n < N_ALGORITHMS; n++)
            RITZ_TRY(tune_table_cell(&tuner, a, n, k, &found[n][k]));
done:;
    const int exit_status = report_outcome(&tuner, a, found, status);
    ritz_tuner_clear(&tuner);
    return exit_status;
}

int ritz_bench_first_order(int argc, char **argv)
{
    static const ritz_bench_command about = {command, help, options, take_option, check_arguments, run_benchmark};
    arguments a = {
        .precision = RITZ_F64,
        .tune = {.seed = 1, .distort = 0.2, .budget = 10, .data = {"source=points", "conductivity=1"}, .n_data = 2}};
    return ritz_bench_main(&about, argc, argv, &a.common, &a);
}
