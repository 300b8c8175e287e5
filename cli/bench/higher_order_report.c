/* The report of `ritz bench higher-order`: a line a run, tables like Tables 6 and 7 of Banaś et al. (2014), JSON. */
#include "bench/higher_order.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Stages in microseconds an element. */
static const struct {
    const char *field, *name;
} stages[] = {{"seconds.prepare_input", "prepare_input"},     {"seconds.allocate", "allocate"},
              {"seconds.transfer_input", "transfer_input"},   {"seconds.kernel", "kernel"},
              {"seconds.transfer_output", "transfer_output"}, {"seconds.total", "total"}};
enum { N_STAGES = sizeof stages / sizeof stages[0], KERNEL = 3, TOTAL = 5 };

static double number_of(const ritz_bench_run *run, const char *name)
{
    return ritz_cli_find_number(run->fields, run->n_fields, name);
}

static double stage_of(const ritz_bench_run *run, int stage)
{
    return 1e6 * number_of(run, stages[stage].field) / number_of(run, "elements");
}

static double error_of(const ritz_bench_run *run)
{
    const double vector = number_of(run, "max_relative_vector_error");
    return fmax(number_of(run, "max_relative_error"), isnan(vector) ? 0 : vector);
}

/* Four digits in at most nine characters. */
static void print_number(FILE *file, double number)
{
    if (isnan(number))
        fprintf(file, " %9s", "-");
    else if (fabs(number) >= 1e8 || (number != 0 && fabs(number) < 1e-3))
        fprintf(file, " %9.2e", number);
    else
        fprintf(file, " %9.*f",
                fabs(number) >= 1000  ? 0
                : fabs(number) >= 100 ? 1
                : fabs(number) >= 10  ? 2
                                      : 3,
                number);
}

void ritz_bench_print_heading(const ritz_bench *bench, FILE *file, const ritz_bench_run *run)
{
    const double rate = ritz_cli_best_rate(run->precision, &bench->ceilings);
    fprintf(file, "\n%s, %s, %s on %s: at best %.4g GFLOP/s, %.4g GB/s; times in microseconds an element\n",
            ritz_cell_name(run->cell), run->form, ritz_cli_precision_name(run->precision), bench->info.name, rate,
            fmax(bench->ceilings.copy_gb_s, bench->ceilings.store_gb_s));
    fprintf(file, "p %-12s %8s | %9s %9s %9s %9s %9s %9s | %9s %6s | %9s %6s | %-8s | %s\n", "method", "elements",
            "prepare", "allocate", "input", "kernel", "output", "total", "GFLOP/s", "share", "really", "roof", "error",
            "plan");
}

void ritz_bench_print_line(const ritz_bench_run *run, FILE *file)
{
    fprintf(file, "%d %-12s ", run->order, run->method->name);
    if (run->outcome != RITZ_BENCH_GOOD) {
        fprintf(file, "%8s | %s\n", run->outcome == RITZ_BENCH_FAILED ? "FAILED" : "-", run->reason);
        return;
    }
    fprintf(file, "%8.0f |", number_of(run, "elements"));
    for (int stage = 0; stage < N_STAGES; stage++)
        print_number(file, stage_of(run, stage));
    fputs(" |", file);
    print_number(file, number_of(run, "gflops"));
    fprintf(file, " %5.1f%% |", 100 * number_of(run, "ceiling_fraction"));
    print_number(file, number_of(run, "operations_gflops"));
    fprintf(file, " %5.1f%% | %8.2e | group=%.0f %s\n", 100 * number_of(run, "roofline_fraction"), error_of(run),
            number_of(run, "parameters.work_group"), run->plan);
}

/* The runs of one cell, form and precision are one table: a column for each order. */
typedef struct table {
    const ritz_bench *bench;
    const ritz_bench_run *first;
} table;

static bool run_is_of_table(const table *t, const ritz_bench_run *run)
{
    return run->cell == t->first->cell && run->form == t->first->form && run->precision == t->first->precision;
}

static const ritz_bench_run *find_run(const table *t, const ritz_method *method, int order)
{
    for (int64_t r = 0; r < t->bench->n_runs; r++) {
        const ritz_bench_run *run = &t->bench->runs[r];
        if (run_is_of_table(t, run) && run->method == method && run->order == order)
            return run;
    }
    return NULL;
}

/* The run with the least time of a stage at this order; NULL if none was timed. */
static const ritz_bench_run *find_best(const table *t, int order, int stage)
{
    const ritz_bench_run *best = NULL;
    for (int64_t r = 0; r < t->bench->n_runs; r++) {
        const ritz_bench_run *run = &t->bench->runs[r];
        if (run_is_of_table(t, run) && run->order == order && run->outcome == RITZ_BENCH_GOOD &&
            (!best || stage_of(run, stage) < stage_of(best, stage)))
            best = run;
    }
    return best;
}

/* What stands under a method beside its stages. */
enum { OPERATIONS = N_STAGES, RATE, SHARE, ERROR, N_ROWS };

static double row_of(const ritz_bench_run *run, int row)
{
    return row == OPERATIONS ? 1e-6 * number_of(run, "operations_per_element")
           : row == RATE     ? number_of(run, "gflops")
           : row == SHARE    ? 100 * number_of(run, "ceiling_fraction")
           : row == ERROR    ? error_of(run)
                             : stage_of(run, row);
}

static void print_row(const table *t, const ritz_method *method, int row)
{
    static const char *const names[] = {
        [OPERATIONS] = "10^6 operations", [RATE] = "GFLOP/s", [SHARE] = "% of best rate", [ERROR] = "error"};
    const bool *orders = t->bench->a->orders;
    printf("  %-16s", row < N_STAGES ? stages[row].name : names[row]);
    for (int order = 1; order <= RITZ_MAX_ORDER; order++) {
        if (!orders[order])
            continue;
        const ritz_bench_run *run = find_run(t, method, order);
        if (!run || run->outcome == RITZ_BENCH_SKIPPED)
            printf(" %9s", "");
        else if (run->outcome == RITZ_BENCH_FAILED && (row != ERROR || !run->fields))
            printf(" %9s", "FAILED");
        else
            print_number(stdout, row_of(run, row));
    }
    putchar('\n');
}

static void print_method(const table *t, const ritz_method *method)
{
    bool any = false;
    for (int order = 1; order <= RITZ_MAX_ORDER && !any; order++) {
        const ritz_bench_run *run = find_run(t, method, order);
        any = run && run->outcome != RITZ_BENCH_SKIPPED;
    }
    if (!any)
        return;
    printf("%s\n", method->name);
    for (int row = 0; row < N_ROWS; row++)
        print_row(t, method, row);
}

static void print_best(const table *t, const char *label, int stage)
{
    for (int row = 0; row < 3; row++) {
        printf("%-18s", row == 0 ? label : row == 1 ? "  its time" : "  % of best rate");
        for (int order = 1; order <= RITZ_MAX_ORDER; order++) {
            const ritz_bench_run *best = find_best(t, order, stage);
            if (!t->bench->a->orders[order])
                continue;
            if (!best || row == 0)
                printf(" %9s", best ? best->method->name : "-");
            else
                print_number(stdout, row == 1 ? stage_of(best, stage) : 100 * number_of(best, "ceiling_fraction"));
        }
        putchar('\n');
    }
}

static void print_table(const table *t)
{
    printf("\nTable: %s, %s, %s: microseconds an element; GFLOP/s by the published count\n%-18s",
           ritz_cell_name(t->first->cell), t->first->form, ritz_cli_precision_name(t->first->precision), "");
    for (int order = 1; order <= RITZ_MAX_ORDER; order++)
        if (t->bench->a->orders[order])
            printf("       p=%d", order);
    putchar('\n');
    for (int m = 0; m < t->bench->a->n_methods; m++)
        print_method(t, t->bench->a->methods[m]);
    print_best(t, "best kernel", KERNEL);
    print_best(t, "best in total", TOTAL);
}

/* Whether this run is the first of its table that was not skipped. */
static bool opens_table(const ritz_bench *bench, int64_t r)
{
    const table t = {bench, &bench->runs[r]};
    for (int64_t k = 0; k < r; k++)
        if (run_is_of_table(&t, &bench->runs[k]) && bench->runs[k].outcome != RITZ_BENCH_SKIPPED)
            return false;
    return bench->runs[r].outcome != RITZ_BENCH_SKIPPED;
}

void ritz_bench_print_tables(const ritz_bench *bench)
{
    for (int64_t r = 0; r < bench->n_runs; r++)
        if (opens_table(bench, r))
            print_table(&(table){bench, &bench->runs[r]});
}

static void json_case(ritz_json *json, const ritz_bench_run *run)
{
    ritz_json_open(json, NULL, '{');
    ritz_json_text(json, "cell", ritz_cell_name(run->cell));
    ritz_json_integer(json, "order", run->order);
    ritz_json_text(json, "form", run->form);
    ritz_json_text(json, "precision", ritz_cli_precision_name(run->precision));
    ritz_json_text(json, "method", run->method->name);
}

/* Those with figures, each with its outcome; or those without, each with the reason. */
static void json_runs(ritz_json *json, const ritz_bench *bench, bool with_figures)
{
    ritz_json_open(json, with_figures ? "runs" : "not_run", '[');
    for (int64_t r = 0; r < bench->n_runs; r++) {
        const ritz_bench_run *run = &bench->runs[r];
        if (!run->fields == with_figures)
            continue;
        if (with_figures) {
            ritz_json_open(json, NULL, '{');
            ritz_cli_json_fields(json, run->fields, run->n_fields);
        } else {
            json_case(json, run);
            ritz_json_text(json, "reason", run->reason);
        }
        ritz_json_bool(json, "failed", run->outcome == RITZ_BENCH_FAILED);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
}

static void json_best(ritz_json *json, const ritz_bench *bench)
{
    ritz_json_open(json, "best", '[');
    for (int64_t r = 0; r < bench->n_runs; r++)
        for (int order = 1; order <= RITZ_MAX_ORDER && opens_table(bench, r); order++) {
            const ritz_bench_run *best = find_best(&(table){bench, &bench->runs[r]}, order, KERNEL);
            if (!best)
                continue;
            json_case(json, best);
            ritz_json_number(json, "kernel_ns_per_element", number_of(best, "kernel_ns_per_element"));
            ritz_json_number(json, "gflops", number_of(best, "gflops"));
            ritz_json_number(json, "ceiling_fraction", number_of(best, "ceiling_fraction"));
            ritz_json_number(json, "max_relative_error", error_of(best));
            ritz_json_close(json, '}');
        }
    ritz_json_close(json, ']');
}

void ritz_bench_print_json(const ritz_bench *bench)
{
    ritz_json json = {.file = stdout};
    ritz_bench_open_json(&json, "higher-order", &bench->info);
    ritz_json_number(&json, "distort", bench->a->distort);
    ritz_bench_json_progress(&json, bench->n_runs, bench->n_expected, bench->n_failed);
    json_runs(&json, bench, true);
    json_runs(&json, bench, false);
    json_best(&json, bench);
    ritz_json_close(&json, '}');
}
