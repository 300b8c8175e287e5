/* `ritz tune --products`: constants of sparse products, each value tried with matrices of meshes, one constant after the
   other. */
#include "bench/spmv.h"
#include "fields.h"
#include "tune.h"

#include "matrix/storage.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { N_MATRICES = 2, N_TYPES = 2, MOST_CANDIDATES = 10 };
static const double default_limit = 300, /* seconds a trial */
    least_gain = 0.02;                   /* what is built in stays unless another is better by that */

/* Values of types in tuning rows: bytes of an entry. */
static const ritz_spmv_type types[N_TYPES] = {{"f64", RITZ_F64, RITZ_VALUES_F64, 1e-14},
                                              {"f32/f64", RITZ_F64, RITZ_VALUES_F32, 6e-8}};

/* A constant, and the values that are tried for it. Those of the first two serve all blocks. */
static const struct {
    ritz_constant constant;
    bool of_block, shared; /* a row for each block; only where work-items share rows */
    int values[MOST_CANDIDATES];
} constants[] = {
    {RITZ_MATRIX_SLICE_HEIGHT, false, false, {8, 16, 32, 64, 96}},
    {RITZ_MATRIX_SORT_WINDOW, false, false, {64, 128, 256, 512, 1024, 4096}},
    {RITZ_PRODUCT_THREADS_PER_ROW, true, true, {1, 2, 4, 8, 16}},
    {RITZ_PRODUCT_ROUND, true, true, {1, 2, 3, 4, 5, 6, 8, 9}},
};
enum { N_CONSTANTS = sizeof constants / sizeof constants[0] };

/* One product with these rows before the tables, in a process of its own. */
typedef struct product_task {
    const ritz_tuner *tuner;
    ritz_bench_mesh mesh;
    const ritz_spmv_type *type;
    const char *rows;
} product_task;
typedef struct product_result {
    ritz_status status;
    double seconds, error, mean;
    int block;
    int taken[N_CONSTANTS]; /* values that the product took */
    bool wrong;
    bool elsewhere; /* what failed is no matter of the values: the device, a record */
    char reason[256];
} product_result;

/* A row of the record. */
static ritz_status record_product(const product_task *t, ritz_device *device, const ritz_spmv_run *run)
{
    ritz_status status = RITZ_OK;
    const ritz_device_info *info = ritz_device_get_info(device);
    ritz_cli_fields l = {0};
    RITZ_TRY(ritz_cli_fields_create(&l));
    ritz_cli_add_text(&l, "command", "tune");
    ritz_cli_add_text(&l, "device.name", "%s", info->name);
    ritz_cli_add_text(&l, "device.platform", "%s", info->platform);
    ritz_cli_add_text(&l, "device.driver", "%s", info->driver);
    ritz_cli_add_text(&l, "matrix", "%s", run->matrix);
    ritz_cli_add_text(&l, "format", "%s", run->format);
    ritz_cli_add_text(&l, "type", "%s", t->type->name);
    ritz_cli_add_integer(&l, "rows", run->rows);
    ritz_cli_add_integer(&l, "nonzeros", run->nonzeros);
    ritz_cli_add_integer(&l, "block", run->block);
    ritz_cli_add_integer(&l, "slice_height", run->slice_height);
    ritz_cli_add_integer(&l, "sort_window", run->sort_window);
    ritz_cli_add_integer(&l, "threads_per_row", run->threads_per_row);
    ritz_cli_add_integer(&l, "round", run->round);
    ritz_cli_add_integer(&l, "bytes", run->statistics.bytes);
    ritz_cli_add_number(&l, "seconds", run->seconds);
    ritz_cli_add_number(&l, "seconds_least", run->seconds_least);
    ritz_cli_add_number(&l, "error", run->error);
    RITZ_TRY(ritz_record_append(t->tuner->a->record, "products", l.fields, l.n));
done:
    ritz_free(l.fields);
    return status;
}

static ritz_status measure_product(const product_task *t, ritz_device *device, ritz_spmv_run *run, product_result *r)
{
    ritz_status status = RITZ_OK;
    const ritz_spmv_how how = {.repeat = t->tuner->a->repeat ? t->tuner->a->repeat : 9};
    ritz_spmv_matrix matrix = {0};
    RITZ_TRY(ritz_tuning_override(t->rows));
    RITZ_TRY(ritz_spmv_from_mesh(device, &t->mesh, &matrix));
    RITZ_TRY(ritz_spmv_measure(device, &matrix, "sbell", &how, run));
    r->elsewhere = true;
    if (t->tuner->a->record && !run->failed && !*run->reason)
        RITZ_TRY(record_product(t, device, run));
done:
    ritz_spmv_clear(&matrix);
    return status;
}

static void measure_in_process(void *context, void *to)
{
    const product_task *t = context;
    product_result *r = to;
    ritz_device *device = NULL;
    ritz_spmv_run run = {.type = t->type};
    setenv("RITZ_TUNING", "none", 1);
    omp_set_num_threads(t->tuner->threads);
    r->status = ritz_device_open(t->tuner->a->device, &device);
    r->elsewhere = r->status != RITZ_OK;
    if (r->status == RITZ_OK)
        r->status = measure_product(t, device, &run, r);
    snprintf(r->reason, sizeof r->reason, "%s", r->status != RITZ_OK ? ritz_message() : run.reason);
    r->seconds = run.seconds_least;
    r->error = run.error;
    r->wrong = run.failed;
    r->block = run.block;
    r->mean = run.rows > 0 ? (double)run.statistics.stored / ((double)run.block * (double)run.rows) : 0;
    const int taken[N_CONSTANTS] = {run.slice_height, (int)run.sort_window, run.threads_per_row, run.round};
    memcpy(r->taken, taken, sizeof taken);
    ritz_device_close(&device);
}

static ritz_status try_product(product_task *t, product_result *r)
{
    ritz_status status = RITZ_OK;
    ritz_isolated_end end;
    char reason[256];
    const double limit = t->tuner->a->limit > 0 ? t->tuner->a->limit : default_limit;
    RITZ_TRY(ritz_isolate(measure_in_process, t, limit, r, sizeof *r, &end, reason));
    if (end != RITZ_ISOLATED_DONE) {
        *r = (product_result){.status = RITZ_ERROR_DEVICE};
        snprintf(r->reason, sizeof r->reason, "%s", reason);
    } else if (r->wrong) {
        snprintf(r->reason, sizeof r->reason, "its error is %.3g, more than %.3g", r->error, t->type->tolerance);
    }
    RITZ_REQUIRE(r->status == RITZ_OK || (r->status != RITZ_INTERRUPTED && !r->elsewhere), r->status, "%s", r->reason);
done:
    return status;
}

/* Whether a trial gave a time. */
static bool is_timed(const product_result *r)
{
    return r->status == RITZ_OK && !r->wrong && !*r->reason && r->seconds > 0;
}

/* ---- One constant ---- */

/* What is being tuned, and how it goes. */
typedef struct products {
    ritz_tuner *tuner;
    ritz_json *json;
    double start, budget;
    char *found;                                /* rows that were chosen so far, for the trials */
    product_result before[N_MATRICES][N_TYPES]; /* with them */
    ritz_bench_mesh meshes[N_MATRICES];
} products;

static bool is_spent(const products *p)
{
    return p->budget > 0 && ritz_seconds() - p->start > p->budget;
}

/* The terms of a row for a type, and for a matrix where the constant asks for its block. */
static void write_terms(int constant, const ritz_spmv_type *type, const product_result *r, char *terms, size_t size)
{
    const int value = (int)ritz_value_bytes(type->values);
    if (constants[constant].of_block)
        snprintf(terms, size, "value=%d block=%d mean>=%.4g mean<%.4g", value, r->block, r->mean / 1.5, r->mean * 1.5);
    else
        snprintf(terms, size, "value=%d", value);
}

/* Seconds with a value, as a ratio to those before, the mean over the matrices first..first + n - 1; NAN and a line where it
   fails. */
static ritz_status try_value(products *p, int constant, int value, int first, int n, int type, double *ratio)
{
    ritz_status status = RITZ_OK;
    char terms[96], *rows = NULL, stage[256];
    *ratio = 0;
    for (int m = first; m < first + n; m++) {
        product_result r;
        product_task t = {p->tuner, p->meshes[m], &types[type], NULL};
        snprintf(stage, sizeof stage, "products: %s %d, %s %s", ritz_constant_name(constants[constant].constant), value,
                 p->meshes[m].name, types[type].name);
        ritz_progress(stage, p->budget > 0 ? fmin(1, (ritz_seconds() - p->start) / p->budget) : -1);
        write_terms(constant, &types[type], &p->before[m][type], terms, sizeof terms);
        ritz_free(rows);
        rows = NULL;
        RITZ_TRY(ritz_format(&rows, "%s * %d %s\n%s", ritz_constant_name(constants[constant].constant), value, terms,
                             p->found));
        t.rows = rows;
        RITZ_TRY(try_product(&t, &r));
        if (!is_timed(&r)) {
            ritz_cli_end_progress();
            fprintf(p->json ? stderr : stdout, "  failed: %s %d, %s %s: %s\n",
                    ritz_constant_name(constants[constant].constant), value, p->meshes[m].name, types[type].name,
                    r.reason);
            *ratio = NAN;
            goto done;
        }
        *ratio += r.seconds / p->before[m][type].seconds / n;
    }
done:
    ritz_free(rows);
    return status;
}

/* A value that was found, or that what is built in is the best. */
typedef struct found_value {
    const products *p;
    int constant, type, before, value;
    const product_result *of;
    double ratio; /* of the time with what is built in */
    bool all;     /* values were tried */
} found_value;

/* The rows with that of the value, or without one that an older run left. */
static ritz_status replace_value_row(void *context, const char *rows, char **changed)
{
    const found_value *f = context;
    char terms[96], words[96], text[32];
    const ritz_fact facts[] = {
        {"value", (double)ritz_value_bytes(types[f->type].values)}, {"block", f->of->block}, {"mean", f->of->mean}};
    write_terms(f->constant, &types[f->type], f->of, terms, sizeof terms);
    snprintf(words, sizeof words, "products: %.3f of the time with the value that is built in", f->ratio);
    snprintf(text, sizeof text, "%d", f->value);
    const ritz_constant_row row = {.constant = constants[f->constant].constant,
                                   .value = f->value == f->before ? NULL : text,
                                   .terms = terms,
                                   .words = words,
                                   .facts = facts,
                                   .n_facts = sizeof facts / sizeof *facts};
    return ritz_rows_put_constant(rows, &f->p->tuner->info, &row, changed);
}

/* Keeps a value: for later trials, and in the file. */
static ritz_status keep_value(products *p, found_value *f)
{
    ritz_status status = RITZ_OK;
    char terms[96], *found = NULL;
    if (f->value != f->before) {
        write_terms(f->constant, &types[f->type], f->of, terms, sizeof terms);
        RITZ_TRY(ritz_format(&found, "%s * %d %s\n%s", ritz_constant_name(constants[f->constant].constant), f->value,
                             terms, p->found));
        ritz_free(p->found);
        p->found = found;
    }
    RITZ_TRY(ritz_tuner_keep(p->tuner, replace_value_row, f));
done:
    return status;
}

static void tell_value(const found_value *f)
{
    const products *p = f->p;
    const char *name = ritz_constant_name(constants[f->constant].constant);
    char terms[96];
    write_terms(f->constant, &types[f->type], f->of, terms, sizeof terms);
    ritz_cli_end_progress();
    if (!p->json) {
        printf("%-24s %-40s %6d, built in %6d: %.3f of its time%s\n", name, terms, f->value, f->before, f->ratio,
               f->all ? "" : "; there was no time for all values");
        fflush(stdout);
        return;
    }
    ritz_json_open(p->json, NULL, '{');
    ritz_json_text(p->json, "constant", name);
    ritz_json_text(p->json, "terms", terms);
    ritz_json_integer(p->json, "built_in", f->before);
    ritz_json_integer(p->json, "value", f->value);
    ritz_json_number(p->json, "time_ratio", f->ratio);
    ritz_json_bool(p->json, "complete", f->all);
    ritz_json_close(p->json, '}');
}

/* The times that the next constant is compared with. */
static ritz_status measure_before(products *p)
{
    ritz_status status = RITZ_OK;
    for (int m = 0; m < N_MATRICES; m++)
        for (int type = 0; type < N_TYPES; type++) {
            product_task t = {p->tuner, p->meshes[m], &types[type], p->found};
            ritz_progress("products: as they are", -1);
            RITZ_TRY(try_product(&t, &p->before[m][type]));
            RITZ_REQUIRE(is_timed(&p->before[m][type]), RITZ_ERROR_DEVICE, "the product of %s with %s fails: %s",
                         p->meshes[m].name, types[type].name, p->before[m][type].reason);
        }
done:
    return status;
}

/* The best value for one type, of the matrices first..first + n - 1. */
static ritz_status tune_constant(products *p, int constant, int first, int n, int type)
{
    ritz_status status = RITZ_OK;
    const product_result *of = &p->before[first][type];
    const int *values = constants[constant].values;
    found_value f = {p, constant, type, of->taken[constant], of->taken[constant], of, 1, true};
    for (int v = 0; v < MOST_CANDIDATES && values[v] > 0; v++) {
        double ratio;
        if (values[v] == f.before)
            continue;
        f.all = f.all && !is_spent(p);
        if (!f.all)
            break;
        RITZ_TRY(try_value(p, constant, values[v], first, n, type, &ratio));
        if (ratio < f.ratio - (f.value == f.before ? least_gain : 0)) {
            f.ratio = ratio;
            f.value = values[v];
        }
    }
    if (f.value != f.before) { /* once more, both of them: a machine that others use is now fast and now slow */
        RITZ_TRY(measure_before(p));
        RITZ_TRY(try_value(p, constant, f.value, first, n, type, &f.ratio));
        if (!(f.ratio < 1 - least_gain)) {
            f.value = f.before;
            f.ratio = 1;
        }
    }
    tell_value(&f);
    if (f.all || f.value != f.before) /* that what is built in is the best is known when all were tried */
        RITZ_TRY(keep_value(p, &f));
done:
    return status;
}

ritz_status ritz_tune_products(ritz_tuner *tuner, double budget, ritz_json *json, ritz_text *not_tried)
{
    ritz_status status = RITZ_OK;
    products p = {.tuner = tuner, .json = json, .start = ritz_seconds(), .budget = budget};
    /* matrices beyond the caches, unless --elements says otherwise */
    const double elements =
        tuner->a->elements ? (double)tuner->a->elements : ritz_tuned(&tuner->info, RITZ_BENCH_PASS_ELEMENTS, NULL, 0);
    const double n_nodes = fmax(8, elements / 8);
    const int32_t side = (int32_t)cbrt(n_nodes), side_2d = (int32_t)sqrt(4 * n_nodes);
    const bool shares = ritz_tuned(&tuner->info, RITZ_PRODUCT_SHARES_ROWS, NULL, 0) != 0;
    p.meshes[0] = (ritz_bench_mesh){"tet", "elasticity", RITZ_TET, {side, side, side}, true, NULL};
    p.meshes[1] = (ritz_bench_mesh){"tri", "plane-stress", RITZ_TRI, {side_2d, side_2d, 1}, true, NULL};
    RITZ_TRY(ritz_copy_text("", &p.found));
    for (int constant = 0; constant < N_CONSTANTS; constant++) {
        if (constants[constant].shared && !shares)
            continue;
        if (constant > 0 && is_spent(&p)) {
            ritz_text_add(not_tried, "products: %s\n", ritz_constant_name(constants[constant].constant));
            continue;
        }
        RITZ_TRY(measure_before(&p));
        for (int type = 0; type < N_TYPES; type++)
            for (int m = 0; m < (constants[constant].of_block ? N_MATRICES : 1); m++)
                RITZ_TRY(tune_constant(&p, constant, m, constants[constant].of_block ? 1 : N_MATRICES, type));
    }
done:
    ritz_free(p.found);
    return status;
}
