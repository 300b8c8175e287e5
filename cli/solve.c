/* `ritz solve`: from a problem file to a result file. */
#include "cli.h"

#include "base/base.h"
#include "base/cache.h"
#include "device/device.h"
#include "ritz/problem.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: ritz solve PROBLEM.yaml [--set PATH=VALUE]... [--device SELECTOR] [--output FILE] [--json [--history] "
    "[--describe]]\n"
    "                  [--trust-geometry]\n"
    "Solves the problem that a YAML file or a deck of CalculiX (.inp) describes, on an OpenCL device, and writes the\n"
    "result for ParaView.\n\n"
    "  --set PATH=VALUE   put a value into the problem before it is read; may be given several times:\n"
    "                     --set order=3 --set materials.0.young=70e9 --set 'gravity=[0, 0, -1.62]'\n"
    "  --device SELECTOR  auto, gpu, cpu, gpu:1, or part of a name of a device, vendor or platform\n"
    "  --output FILE      the result file, from the current folder (in the problem file: from that file's folder)\n"
    "  --trust-geometry   let a .geo file run programs and write files; without it such commands are refused\n"
    "  --json             print one JSON object on standard output and everything else on standard error\n"
    "  --history          with --json: the residuals of the iterations, too\n"
    "  --describe         with --json: the problem as it was read, too\n"
    "  -h, --help         print this\n\n"
    "The keys of a problem file are described in docs/problem-file.md.\n\n"
    "Example: ritz solve examples/bracket/bracket.yaml --set order=1\n";

/* What the command line asks for. */
typedef struct request {
    const char *path;
    char **settings; /* owned, [n_settings] */
    int n_settings;
    bool json, history, describe, trust_geometry;
    char **warnings; /* owned, [n_warnings] */
    int n_warnings;
} request;

static void free_request(request *r)
{
    for (int i = 0; i < r->n_settings; i++)
        ritz_free(r->settings[i]);
    ritz_free(r->settings);
    for (int i = 0; i < r->n_warnings; i++)
        ritz_free(r->warnings[i]);
    ritz_free(r->warnings);
}

/* Adds "key='before/value'", with quotes in the value doubled as YAML wants. */
static ritz_status add_quoted(request *r, const char *key, const char *before, const char *value)
{
    ritz_text text = {0};
    ritz_text_add(&text, "%s='", key);
    const char *texts[2] = {before, value};
    for (int i = 0; i < 2; i++)
        for (const char *c = texts[i]; *c; c++)
            ritz_text_add(&text, *c == '\'' ? "''" : "%c", *c);
    ritz_text_add(&text, "'");
    const ritz_status status = ritz_text_take(&text, &r->settings[r->n_settings]);
    if (status == RITZ_OK)
        r->n_settings++;
    ritz_text_free(&text);
    return status;
}

/* --output counts from the current folder, not from the problem file's. */
static ritz_status add_output(request *r, const char *file)
{
    char folder[4096];
    if (file[0] == '/')
        return add_quoted(r, "output.file", "", file);
    if (!getcwd(folder, sizeof folder - 1))
        return ritz_fail(RITZ_ERROR_FILE, "the current folder has no name; give --output a path that starts with /");
    strcat(folder, "/");
    return add_quoted(r, "output.file", folder, file);
}

/* ---- JSON ---- */

static void print_seconds(ritz_json *json, const ritz_solve_seconds *seconds)
{
    ritz_json_open(json, "seconds", '{');
    ritz_json_number(json, "read_mesh", seconds->read_mesh);
    ritz_json_number(json, "space", seconds->space);
    ritz_json_number(json, "pattern", seconds->pattern);
    ritz_json_number(json, "integrate", seconds->integrate);
    ritz_json_number(json, "assemble", seconds->assemble);
    ritz_json_number(json, "solve", seconds->solve);
    ritz_json_number(json, "output", seconds->output);
    ritz_json_number(json, "total", seconds->total);
    ritz_json_close(json, '}');
}

static void print_device(ritz_json *json, const ritz_device *device)
{
    const ritz_device_info *info = ritz_device_get_info(device);
    const ritz_device_counters counters = *ritz_device_get_counters(device);
    ritz_json_open(json, "device", '{');
    ritz_json_text(json, "name", info->name);
    ritz_json_text(json, "platform", info->platform);
    ritz_json_text(json, "driver", info->driver);
    ritz_json_close(json, '}');
    ritz_json_integer(json, "launches", counters.launches);
    ritz_json_integer(json, "programs_compiled", counters.programs_compiled);
    ritz_json_integer(json, "programs_cached", counters.programs_cached);
}

static void print_triple(ritz_json *json, const char *name, const double x[3])
{
    ritz_json_open(json, name, '[');
    for (int d = 0; d < 3; d++)
        ritz_json_number(json, NULL, x[d]);
    ritz_json_close(json, ']');
}

/* Of scalar physics. */
static void print_flows(ritz_json *json, const ritz_balance *balance)
{
    if (balance->n_flows == 0 && balance->supplied == 0)
        return;
    ritz_json_open(json, "flows", '[');
    for (int i = 0; i < balance->n_flows; i++) {
        ritz_json_open(json, NULL, '{');
        ritz_json_text(json, "groups", balance->flows[i].groups);
        ritz_json_text(json, "key", balance->flows[i].key);
        ritz_json_number(json, "value", balance->flows[i].value);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
    ritz_json_number(json, "supplied", balance->supplied);
    ritz_json_number(json, "imbalance", balance->imbalance);
}

/* Loads and reactions of mechanics. */
static void print_balance(ritz_json *json, const ritz_balance *balance)
{
    print_flows(json, balance);
    if (balance->n_reactions == 0)
        return;
    ritz_json_open(json, "reactions", '[');
    for (int i = 0; i < balance->n_reactions; i++) {
        ritz_json_open(json, NULL, '{');
        ritz_json_text(json, "groups", balance->reactions[i].groups);
        ritz_json_text(json, "key", balance->reactions[i].key);
        print_triple(json, "force", balance->reactions[i].force);
        print_triple(json, "moment", balance->reactions[i].moment);
        print_triple(json, "about", balance->reactions[i].about);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
    print_triple(json, "applied", balance->applied);
    ritz_json_number(json, "imbalance", balance->imbalance);
}

static void print_where(ritz_json *json, const char *name, double value, const ritz_where *where)
{
    ritz_json_open(json, name, '{');
    ritz_json_number(json, "value", value);
    print_triple(json, "at", where->at);
    if (where->group)
        ritz_json_text(json, "group", where->group);
    ritz_json_close(json, '}');
}

static void print_places(ritz_json *json, const ritz_load_case_result *run)
{
    ritz_json_open(json, "places", '{');
    for (int k = 0; k < RITZ_MAX_LARGEST && run->largest[k].field; k++)
        print_where(json, run->largest[k].field, run->largest[k].value, &run->largest[k].where);
    if (!isnan(run->smallest_value)) {
        print_where(json, "smallest", run->smallest_value, &run->smallest_where);
        print_where(json, "largest", run->largest_value, &run->largest_where);
    }
    ritz_json_close(json, '}');
}

/* Extremes, balance and errors, of a load case or of the whole. */
static void print_results(ritz_json *json, const ritz_load_case_result *run)
{
    ritz_json_open(json, "extremes", '{');
    for (int k = 0; k < RITZ_MAX_LARGEST && run->largest[k].field; k++)
        ritz_json_number(json, run->largest[k].field, run->largest[k].value);
    if (!isnan(run->smallest_value)) {
        ritz_json_number(json, "smallest", run->smallest_value);
        ritz_json_number(json, "largest", run->largest_value);
    }
    ritz_json_close(json, '}');
    print_places(json, run);
    print_balance(json, &run->balance);
    if (!isnan(run->error_l2)) {
        ritz_json_open(json, "error", '{');
        ritz_json_number(json, "l2", run->error_l2);
        ritz_json_number(json, "h1_seminorm", run->error_h1);
        ritz_json_close(json, '}');
    }
}

/* Combinations come behind the cases. */
static int count_cases(const ritz_result *result)
{
    int n = 0;
    while (n < result->n_cases && !result->cases[n].factors)
        n++;
    return n;
}

static ritz_load_case_result get_case_of_all(const ritz_result *result)
{
    ritz_load_case_result all = {.smallest_value = result->smallest_value,
                                 .largest_value = result->largest_value,
                                 .smallest_where = result->smallest_where,
                                 .largest_where = result->largest_where,
                                 .error_l2 = result->error_l2,
                                 .error_h1 = result->error_h1,
                                 .balance = result->balance};
    memcpy(all.largest, result->largest, sizeof all.largest);
    return all;
}

static void print_preconditioner(ritz_json *json, const ritz_result *result)
{
    const ritz_solve_report *report = &result->solve;
    ritz_json_open(json, "preconditioner", '{');
    ritz_json_text(json, "name", ritz_preconditioner_name(result->preconditioner));
    if (report->degree > 0) {
        ritz_json_integer(json, "degree", report->degree);
        ritz_json_text(json, "storage", ritz_storage_name(report->storage));
        ritz_json_text(json, "vectors", ritz_storage_name(report->vectors));
        ritz_json_integer(json, "double_iterations", report->double_iterations);
        ritz_json_integer(json, "lanczos_steps", report->lanczos_steps);
        ritz_json_number(json, "smallest_eigenvalue", report->smallest_eigenvalue);
        ritz_json_number(json, "largest_eigenvalue", report->largest_eigenvalue);
    }
    ritz_json_levels(json, report);
    ritz_json_close(json, '}');
}

static void print_convergence(ritz_json *json, const ritz_solve_report *report)
{
    ritz_json_integer(json, "iterations", report->iterations);
    ritz_json_number(json, "relative_residual", report->relative_residual);
    ritz_json_number(json, "true_relative_residual", report->true_relative_residual);
    ritz_json_bool(json, "converged", report->converged);
    ritz_json_text(json, "outcome", ritz_solve_outcome_name(report->outcome));
}

static void print_history(ritz_json *json, const request *r, const ritz_solve_report *report)
{
    if (r->history)
        ritz_json_history(json, report->history_stride, report->history_count, report->history);
}

static void print_factors(ritz_json *json, const ritz_solve_report *report)
{
    const ritz_direct_facts *facts = &report->direct;
    ritz_json_open(json, "direct", '{');
    ritz_json_text(json, "factorisation", ritz_factorisation_name(facts->factorisation));
    ritz_json_integer(json, "factor_nonzeros", facts->factor_nonzeros);
    ritz_json_integer(json, "bytes", facts->bytes);
    ritz_json_number(json, "operations", facts->operations);
    ritz_json_integer(json, "negative_pivots", facts->negative_pivots);
    ritz_json_number(json, "analyse_seconds", facts->analyse_seconds);
    ritz_json_number(json, "factorise_seconds", facts->factorise_seconds);
    ritz_json_number(json, "sensitivity", report->sensitivity);
    ritz_json_number(json, "correction", report->correction);
    ritz_json_close(json, '}');
}

static void print_newton(ritz_json *json, const ritz_result *result)
{
    const ritz_newton_result *newton = &result->newton;
    ritz_json_open(json, "newton", '{');
    ritz_json_bool(json, "converged", newton->converged);
    ritz_json_number(json, "load", newton->load);
    ritz_json_integer(json, "steps", newton->n_steps);
    ritz_json_integer(json, "halvings", newton->n_halvings);
    ritz_json_open(json, "iterations", '[');
    for (int k = 0; k < newton->n_iterations; k++) {
        const ritz_newton_iteration *i = &newton->iterations[k];
        ritz_json_open(json, NULL, '{');
        if (result->n_cases)
            ritz_json_text(json, "case", result->cases[i->load_case].name);
        ritz_json_integer(json, "step", i->step);
        ritz_json_number(json, "load", i->load);
        ritz_json_integer(json, "iteration", i->iteration);
        ritz_json_number(json, "residual", i->residual);
        ritz_json_number(json, "relative_residual", i->relative_residual);
        ritz_json_number(json, "change", i->change);
        ritz_json_number(json, "damping", i->damping);
        ritz_json_integer(json, "linear_iterations", i->linear_iterations);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
    ritz_json_close(json, '}');
}

static void print_report(ritz_json *json, const request *r, const ritz_result *result)
{
    const ritz_solve_report *report = &result->solve;
    print_convergence(json, report);
    ritz_json_text(json, "method", ritz_solve_method_name(report->method));
    if (result->choice)
        ritz_json_text(json, "choice", result->choice);
    print_preconditioner(json, result);
    if (report->method == RITZ_DIRECT)
        print_factors(json, report);
    ritz_json_text(json, "matrix", ritz_matrix_choice_name(report->half ? RITZ_MATRIX_HALF : RITZ_MATRIX_WHOLE));
    ritz_json_number(json, "solve_setup_seconds", report->setup_seconds);
    ritz_json_integer(json, "iteration_bytes", report->iteration_bytes);
    if (!result->n_cases)
        print_history(json, r, report);
    if (result->newton.n_iterations)
        print_newton(json, result);
}

/* Of a combination, in place of a solve. */
static void print_factors_of_cases(ritz_json *json, const ritz_result *result, const double *factors)
{
    ritz_json_open(json, "combines", '{');
    for (int c = 0; c < count_cases(result); c++)
        if (factors[c] != 0)
            ritz_json_number(json, result->cases[c].name, factors[c]);
    ritz_json_close(json, '}');
}

static void print_cases(ritz_json *json, const request *r, const ritz_result *result)
{
    ritz_json_open(json, "cases", '[');
    for (int c = 0; c < result->n_cases; c++) {
        const ritz_load_case_result *run = &result->cases[c];
        ritz_json_open(json, NULL, '{');
        ritz_json_text(json, "name", run->name);
        if (run->failure)
            ritz_json_text(json, "failure", run->failure);
        if (run->factors) {
            print_factors_of_cases(json, result, run->factors);
        } else {
            print_convergence(json, &run->solve);
            ritz_json_number(json, "seconds", run->seconds);
            print_history(json, r, &run->solve);
        }
        print_results(json, run);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
}

static void print_mesh(ritz_json *json, const ritz_result *result)
{
    ritz_json_open(json, "mesh", '{');
    ritz_json_integer(json, "nodes", result->n_nodes);
    ritz_json_number(json, "least_quality", result->least_quality);
    ritz_json_number(json, "mean_quality", result->mean_quality);
    print_triple(json, "least_quality_at", result->least_quality_at);
    ritz_json_close(json, '}');
}

static void print_probes(ritz_json *json, const ritz_result *result)
{
    if (result->n_probes == 0)
        return;
    ritz_json_open(json, "probes", '[');
    for (int i = 0; i < result->n_probes; i++) {
        ritz_json_open(json, NULL, '{');
        ritz_json_text(json, "name", result->probes[i].name);
        ritz_json_text(json, "file", result->probes[i].file);
        ritz_json_integer(json, "points", result->probes[i].n);
        ritz_json_integer(json, "outside", result->probes[i].outside);
        ritz_json_close(json, '}');
    }
    ritz_json_close(json, ']');
}

/* `failure`: the message of what went wrong, NULL when nothing did. problem and result may be NULL then, and there are
   figures of a solution alone. */
static void print_json(const request *r, const ritz_problem *problem, const ritz_result *result, bool solved,
                       const char *failure)
{
    ritz_json json = {.file = stdout};
    ritz_json_open(&json, NULL, '{');
    ritz_json_text(&json, "command", "solve");
    if (failure)
        ritz_json_text(&json, "failure", failure);
    if (problem)
        ritz_json_text(&json, "physics", ritz_problem_physics(problem));
    if (problem && r->describe)
        ritz_json_raw(&json, "problem", ritz_problem_description(problem));
    ritz_json_open(&json, "warnings", '[');
    for (int i = 0; i < r->n_warnings; i++)
        ritz_json_text(&json, NULL, r->warnings[i]);
    ritz_json_close(&json, ']');
    if (result && result->earlier_output)
        ritz_json_text(&json, "earlier_output", result->earlier_output);
    if (solved) {
        ritz_json_integer(&json, "unknowns", result->unknowns);
        ritz_json_integer(&json, "nonzeros", result->nonzeros);
        ritz_json_open(&json, "cells", '{');
        for (int c = 0; c < RITZ_N_CELLS; c++)
            if (result->n_cells[c])
                ritz_json_integer(&json, ritz_cell_name((ritz_cell)c), result->n_cells[c]);
        ritz_json_close(&json, '}');
        print_mesh(&json, result);
        ritz_json_number(&json, "volume", result->volume);
        if (!isnan(result->mass))
            ritz_json_number(&json, "mass", result->mass);
        print_triple(&json, "centre", result->centre);
        print_report(&json, r, result);
        print_seconds(&json, &result->seconds);
        ritz_json_integer(&json, "matrix_bytes", result->matrix_bytes);
        ritz_json_integer(&json, "peak_host_bytes", result->peak_host_bytes);
        ritz_json_integer(&json, "peak_device_bytes", result->peak_device_bytes);
        ritz_json_integer(&json, "bytes_to_device", result->bytes_to_device);
        ritz_json_integer(&json, "bytes_from_device", result->bytes_from_device);
        ritz_json_integer(&json, "solve_bytes_from_device", result->solve_bytes_from_device);
        if (ritz_problem_device(problem))
            print_device(&json, ritz_problem_device(problem));
        const ritz_load_case_result answers = get_case_of_all(result);
        print_results(&json, &answers);
        if (result->n_cases)
            print_cases(&json, r, result);
        print_probes(&json, result);
        if (result->faces)
            ritz_json_text(&json, "faces", result->faces);
        ritz_json_text(&json, "output", result->output);
    }
    ritz_json_close(&json, '}');
}

/* ---- Text ---- */

/* A line of a stage; warnings are kept for JSON as well. */
static void print_line(const char *line, void *context)
{
    static const char warning[] = "warning";
    request *r = context;
    FILE *file = r->json ? stderr : stdout;
    ritz_cli_end_progress();
    fprintf(file, "%s\n", line);
    fflush(file);
    if (strncmp(line, warning, strlen(warning)) != 0)
        return;
    const char *text = line + strlen(warning);
    text += strspn(text, " ");
    if (ritz_reallocate((void **)&r->warnings, r->n_warnings + 1, sizeof *r->warnings) == RITZ_OK &&
        ritz_copy_text(text, &r->warnings[r->n_warnings]) == RITZ_OK)
        r->n_warnings++;
}

/* "bend: largest displacement 0.0012 at (1, 0, 0.05) in body" */
static void print_extreme(const ritz_load_case_result *run, const char *which, const char *words, double value,
                          const ritz_where *where)
{
    printf("%s%s%s %s %.6g at (%.5g, %.5g, %.5g)%s%s\n", run->name ? run->name : "", run->name ? ": " : "", which,
           words, value, where->at[0], where->at[1], where->at[2], where->group ? " in " : "",
           where->group ? where->group : "");
}

static void print_case(const ritz_load_case_result *run, const char *value_name)
{
    for (int k = 0; k < RITZ_MAX_LARGEST && run->largest[k].field; k++) {
        const ritz_largest *one = &run->largest[k];
        print_extreme(run, one->smallest ? "smallest" : "largest", one->words, one->value, &one->where);
    }
    if (!isnan(run->smallest_value)) {
        print_extreme(run, "smallest", value_name, run->smallest_value, &run->smallest_where);
        print_extreme(run, "largest", value_name, run->largest_value, &run->largest_where);
    }
    if (!isnan(run->error_l2))
        printf("%s%serror: %.6g in L2, %.6g in the H1 seminorm\n", run->name ? run->name : "", run->name ? ": " : "",
               run->error_l2, run->error_h1);
}

/* A first run waits for the compiler in most of its lines. */
static void print_compiled(const ritz_device *device)
{
    const int64_t n = device ? ritz_device_get_counters(device)->programs_compiled : 0;
    if (n > 0 && ritz_cache_is_kept())
        printf("this run compiled %" PRId64
               " programs of kernels, and was slower for it; the next one like it has them\n",
               n);
}

/* Load cases that did not converge are left to the message. */
static void print_summary(const ritz_result *result, const ritz_device *device)
{
    printf("\n%" PRId64 " unknowns, ", result->unknowns);
    const int n_cases = count_cases(result), n_sums = result->n_cases - n_cases;
    if (n_cases)
        printf("%d load case%s, ", n_cases, n_cases == 1 ? "" : "s");
    if (n_sums)
        printf("%d combination%s, ", n_sums, n_sums == 1 ? "" : "s");
    printf("%d iterations, relative residual %.2e (unscaled %.2e), %.2f s in all\n", result->solve.iterations,
           result->solve.relative_residual, result->solve.true_relative_residual, result->seconds.total);
    print_compiled(device);
    for (int c = 0; c < result->n_cases; c++)
        if (!result->cases[c].failure)
            print_case(&result->cases[c], result->value_name);
    const ritz_load_case_result answers = get_case_of_all(result);
    if (!result->n_cases)
        print_case(&answers, result->value_name);
    if (result->output)
        printf("result: %s\n", result->output);
}

/* ---- The command ---- */

static int report_failure(const request *r, const ritz_problem *problem, const ritz_result *result, bool solved)
{
    ritz_cli_failed();
    if (r->json)
        print_json(r, problem, result, solved, ritz_message());
    return RITZ_EXIT_FAILED;
}

static int solve_problem(request *r)
{
    ritz_problem *problem = NULL;
    ritz_result result = {.size = sizeof result};
    int exit_status = RITZ_EXIT_DONE;
    if (ritz_problem_read(r->path, (const char *const *)r->settings, r->n_settings, &problem) != RITZ_OK)
        return report_failure(r, NULL, NULL, false);
    ritz_problem_set_stage(problem, print_line, r);
    ritz_problem_trust_geometry(problem, r->trust_geometry);
    ritz_cli_show_progress();
    const ritz_status status = ritz_problem_solve(problem, &result);
    ritz_cli_end_progress();
    if (status == RITZ_ERROR_NOT_CONVERGED && result.output && !r->json)
        print_summary(&result, ritz_problem_device(problem)); /* of the load cases that converged */
    if (status != RITZ_OK)
        exit_status = report_failure(r, problem, &result, status == RITZ_ERROR_NOT_CONVERGED);
    else if (r->json)
        print_json(r, problem, &result, true, NULL);
    else
        print_summary(&result, ritz_problem_device(problem));
    ritz_problem_destroy(&problem);
    return exit_status;
}

/* Fills the request. RITZ_EXIT_DONE: there is something to solve, unless *finished says that help was all. */
static int read_options(int argc, char **argv, request *r, bool *finished)
{
    static const struct option options[] = {
        {"set", required_argument, NULL, 's'},
        {"device", required_argument, NULL, 'd'},
        {"output", required_argument, NULL, 'o'},
        {"json", no_argument, NULL, 'j'},
        {"history", no_argument, NULL, 'i'},
        {"describe", no_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},
        {"trust-geometry", no_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    ritz_status status = RITZ_OK;
    for (int option; status == RITZ_OK && (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (option) {
        case 's':
            if (!strchr(optarg, '=') || optarg[0] == '=')
                return ritz_cli_usage("solve", "--set takes PATH=VALUE, like order=2; got '%s'", optarg);
            status = ritz_copy_text(optarg, &r->settings[r->n_settings]);
            r->n_settings += status == RITZ_OK;
            break;
        case 'd':
            status = add_quoted(r, "device", "", optarg);
            break;
        case 'o':
            if (!*optarg)
                return ritz_cli_usage("solve", "--output takes the name of a file");
            status = add_output(r, optarg);
            break;
        case 'j':
            r->json = true;
            break;
        case 'i':
            r->history = true;
            break;
        case 'b':
            r->describe = true;
            break;
        case 't':
            r->trust_geometry = true;
            break;
        case 'h':
            fputs(help, stdout);
            *finished = true;
            return RITZ_EXIT_DONE;
        default:
            return ritz_cli_usage("solve", NULL);
        }
    }
    if (status != RITZ_OK)
        return ritz_cli_failed();
    if ((r->history || r->describe) && !r->json)
        return ritz_cli_usage("solve", "--%s is part of the --json output; give both",
                              r->history ? "history" : "describe");
    if (optind == argc)
        return ritz_cli_usage("solve", "the problem file is missing");
    if (optind + 1 < argc)
        return ritz_cli_usage("solve", "one problem file at a time; '%s' is one too many", argv[optind + 1]);
    r->path = argv[optind];
    return RITZ_EXIT_DONE;
}

int ritz_command_solve(int argc, char **argv)
{
    request r = {0};
    bool finished = false;
    if (ritz_allocate((void **)&r.settings, argc, sizeof *r.settings) != RITZ_OK)
        return ritz_cli_failed();
    int exit_status = read_options(argc, argv, &r, &finished);
    if (exit_status == RITZ_EXIT_DONE && !finished)
        exit_status = solve_problem(&r);
    free_request(&r);
    return exit_status;
}
