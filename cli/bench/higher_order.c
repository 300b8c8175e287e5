/* `ritz bench higher-order`: all methods of the registry, orders 1 to 7, checked and timed side by side. */
#include "bench/higher_order.h"

#include "device/ceilings.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
    "Usage: ritz bench higher-order [OPTION]...\n"
    "Measures every method of integration on element matrices of orders 1 to 7. A line a run: the stages in "
    "microseconds an element,\n"
    "the rate by the published count and its share of the device's multiply-add rate, the rate of the operations "
    "really "
    "done and its\n"
    "share of the roofline, the error, the plan. At the end a table like the published ones and the best method for "
    "each "
    "order. A method\n"
    "is timed after its check passed; one that does not serve a case is listed with the reason.\n\n"
    "  --cell LIST             tri, quad, tet, prism, hex or all (default prism)\n"
    "  --orders LIST           as 1-3,7 (default 1-7)\n"
    "  --forms LIST            as poisson,elasticity (default elasticity), or form.json files of 'ritz compile'\n"
    "  --data NAME=VALUE       for the forms that have such data: a number, an expression, 'elements' (default) or "
    "'points'; may be repeated\n"
    "  --precisions LIST       f32, f64 (default f32)\n"
    "  --methods LIST          of the registry (default all)\n"
    "  --distort X             moves the inner nodes of the box by up to X of a cell, 0 to 0.4 (default 0.2)\n"
    "  --elements N            in each run (default: what the device does in about 0.1 s, within a bound on memory)\n"
    "  --check N               elements that are compared with the reference (default: about a second of it, 4 to "
    "100)\n"
    "  --repeat N              timed passes, of which the median counts (default 5, fewer for slow methods)\n"
    "  --seed N                of the random data and of the sample (default 1)\n"
    "  --device SELECTOR       auto, gpu, cpu, gpu:1, or part of a name\n"
    "  --max-device-bytes N    for element matrices on the device; more of them pass through in chunks\n"
    "  --record FILE           appends each run to an HDF5 file, as 'ritz integrate' does\n"
    "  --measure               measures the device's ceilings anew (else once for each device and driver)\n"
    "  --json                  print one JSON object with an array of runs\n"
    "  -h, --help              print this\n\n"
    "Exit status: 0 done, 1 failed, nothing measured, or a method with an error above 1e-12 (f64), 2e-5 (f32), 2 wrong "
    "usage.\n\n"
    "Example: ritz bench higher-order --orders 2-4 --cell prism,hex --precisions f32,f64 --record runs.h5\n";

static const char command[] = "bench higher-order";

static const struct option options[] = {
    {"cell", required_argument, NULL, 'c'},
    {"orders", required_argument, NULL, 'o'},
    {"forms", required_argument, NULL, 'f'},
    {"precisions", required_argument, NULL, 'p'},
    {"methods", required_argument, NULL, 'm'},
    {"distort", required_argument, NULL, 'x'},
    {"elements", required_argument, NULL, 'n'},
    {"check", required_argument, NULL, 'k'},
    {"repeat", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},
    {"max-device-bytes", required_argument, NULL, 'b'},
    {"record", required_argument, NULL, 'e'},
    {"data", required_argument, NULL, 't'},
    RITZ_BENCH_COMMON_OPTIONS,
};

static int take_option(int option, void *given)
{
    ritz_bench_arguments *a = given;
    switch (option) {
    case 'c':
        return ritz_cli_take_cells(command, optarg, a->cells);
    case 'o':
        return ritz_cli_take_orders(command, "orders", optarg, a->orders);
    case 'f':
        return ritz_cli_take_forms(command, "forms", optarg, a->forms, &a->n_forms);
    case 't':
        return ritz_cli_take_pair(command, "data", a->data, &a->n_data);
    case 'p':
        return ritz_cli_take_precisions(command, "precisions", optarg, a->precisions);
    case 'm':
        return ritz_cli_take_methods(command, optarg, a->methods, &a->n_methods);
    case 'x':
        return ritz_cli_take_distort(command, optarg, &a->distort);
    case 'n':
        return ritz_cli_take_integer(command, "elements", 1, INT32_MAX / 8, &a->elements);
    case 'k':
        return ritz_cli_take_integer(command, "check", 1, INT32_MAX, &a->check);
    case 'r':
        return ritz_cli_take_integer(command, "repeat", 1, 1000000, &a->repeat);
    case 's':
        return ritz_cli_take_integer(command, "seed", 0, INT64_MAX, &a->seed);
    case 'b':
        return ritz_cli_take_integer(command, "max-device-bytes", 1, INT64_MAX, &a->max_device_bytes);
    case 'e':
        a->record = optarg;
        return RITZ_EXIT_DONE;
    default:
        return ritz_cli_usage(command, NULL);
    }
}

static int64_t count_chosen(const bool *chosen, int n)
{
    int64_t count = 0;
    for (int k = 0; k < n; k++)
        count += chosen[k];
    return count;
}

static int check_arguments(void *given)
{
    ritz_bench_arguments *a = given;
    const int exit_status = ritz_cli_check_data(command, a->data, a->n_data, a->forms, a->n_forms);
    if (!count_chosen(a->cells, RITZ_N_CELLS))
        a->cells[RITZ_PRISM] = true;
    if (!count_chosen(a->orders, RITZ_MAX_ORDER + 1))
        memset(a->orders + 1, true, RITZ_MAX_ORDER * sizeof a->orders[0]);
    if (!count_chosen(a->precisions, 2))
        a->precisions[0] = true;
    return exit_status;
}

/* All methods on one case; the status is not RITZ_OK where the bench can not go on. */
static ritz_status measure_case(ritz_bench *bench, ritz_bench_run about)
{
    ritz_status status = RITZ_OK;
    const ritz_bench_arguments *a = bench->a;
    ritz_bench_case c = {0};
    char reason[sizeof about.reason] = "";
    status = ritz_bench_case_create(bench, about.cell, about.order, about.form, about.precision, &c);
    if (status == RITZ_ERROR_INPUT)
        snprintf(reason, sizeof reason, "%s", ritz_message());
    else if (status != RITZ_OK)
        return status;
    status = RITZ_OK;
    for (int m = 0; m < a->n_methods; m++) {
        ritz_bench_run *run = &bench->runs[bench->n_runs];
        *run = about;
        run->method = a->methods[m];
        char stage[96];
        snprintf(stage, sizeof stage, "%lld/%lld %s p=%d %s: ", (long long)bench->n_runs + 1,
                 (long long)bench->n_expected, ritz_cell_name(about.cell), about.order, run->method->name);
        ritz_cli_set_progress_prefix(stage);
        RITZ_TRY(ritz_check_interrupt());
        if (*reason) {
            run->outcome = RITZ_BENCH_SKIPPED;
            memcpy(run->reason, reason, sizeof reason);
        } else {
            RITZ_TRY(ritz_bench_measure(bench, &c, run));
        }
        bench->n_runs++;
        bench->n_failed += run->outcome == RITZ_BENCH_FAILED;
        ritz_cli_end_progress();
        ritz_bench_print_line(run, ritz_bench_lines(&a->common));
        fflush(stdout);
    }
done:
    ritz_cli_set_progress_prefix("");
    ritz_bench_case_clear(&c);
    return status;
}

/* Every cell, form, precision and order. */
static ritz_status measure_all_cases(ritz_bench *bench)
{
    ritz_status status = RITZ_OK;
    const ritz_bench_arguments *a = bench->a;
    RITZ_TRY(ritz_device_open(a->common.device, &bench->device));
    bench->info = *ritz_device_get_info(bench->device);
    RITZ_TRY(ritz_device_known_ceilings(bench->device, a->common.measure, &bench->ceilings, bench->when));
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int f = 0; f < a->n_forms && a->cells[cell]; f++)
            for (int wide = 0; wide < 2; wide++) {
                ritz_bench_run about = {
                    .cell = (ritz_cell)cell, .form = a->forms[f], .precision = wide ? RITZ_F64 : RITZ_F32};
                if (!a->precisions[wide])
                    continue;
                ritz_cli_end_progress();
                ritz_bench_print_heading(bench, ritz_bench_lines(&a->common), &about);
                for (about.order = 1; about.order <= RITZ_MAX_ORDER; about.order++)
                    if (a->orders[about.order])
                        RITZ_TRY(measure_case(bench, about));
            }
done:
    return status;
}

static bool has_measured(const ritz_bench *bench)
{
    for (int64_t r = 0; r < bench->n_runs; r++)
        if (bench->runs[r].outcome == RITZ_BENCH_GOOD)
            return true;
    return false;
}

static int report_outcome(const ritz_bench *bench, ritz_status status)
{
    ritz_cli_end_progress();
    if (!bench->n_runs && status != RITZ_OK)
        return ritz_cli_failed();
    if (bench->a->common.json)
        ritz_bench_print_json(bench);
    else
        ritz_bench_print_tables(bench);
    if (status == RITZ_INTERRUPTED)
        ritz_fail(status, "interrupted after %lld of %lld runs; their figures are printed", (long long)bench->n_runs,
                  (long long)bench->n_expected);
    else if (status == RITZ_OK && bench->n_failed)
        status = ritz_fail(RITZ_ERROR_DEVICE, "%d of %lld runs failed; their lines say how", bench->n_failed,
                           (long long)bench->n_runs);
    else if (status == RITZ_OK && !has_measured(bench))
        status = ritz_fail(RITZ_ERROR_INPUT, "nothing was measured: the lines say why each method was left out");
    return status == RITZ_OK ? RITZ_EXIT_DONE : ritz_cli_failed();
}

static int run_benchmark(void *given)
{
    const ritz_bench_arguments *a = given;
    ritz_status status = RITZ_OK;
    ritz_bench bench = {.a = a};
    int exit_status;
    bench.n_expected = count_chosen(a->cells, RITZ_N_CELLS) * count_chosen(a->orders, RITZ_MAX_ORDER + 1) *
                       count_chosen(a->precisions, 2) * a->n_forms * a->n_methods;
    RITZ_NEW(bench.runs, bench.n_expected);
    status = measure_all_cases(&bench);
    exit_status = report_outcome(&bench, status);
    for (int64_t r = 0; r < bench.n_expected; r++)
        ritz_free(bench.runs[r].fields);
    ritz_free(bench.runs);
    ritz_device_close(&bench.device);
    return exit_status;
done:
    return ritz_cli_failed();
}

int ritz_bench_higher_order(int argc, char **argv)
{
    ritz_bench_arguments a = {.seed = 1, .distort = 0.2, .forms = {"elasticity"}, .n_forms = 1};
    static const ritz_bench_command about = {command, help, options, take_option, check_arguments, run_benchmark};
    ritz_cli_take_methods(command, "all", a.methods, &a.n_methods);
    return ritz_bench_main(&about, argc, argv, &a.common, &a);
}
