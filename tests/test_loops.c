/* The options of the methods qss, sqs and ssq: every pair of values of any two of them, with the cells, forms, kinds of
   data, precisions, and what the matrices are handed on to, against the reference: rows of a covering array, each a kernel.

       RITZ_TEST_ALL=1 test_loops [CELL|all [FORM|all [f32|f64]]]

   takes all combinations on what is named, a second each. RITZ_TEST_SMALL=1 (simulated devices) takes the pairs of
   options and results alone. */
#include "elements.h"
#include "measure/result_error.h"

#include <stdio.h>

enum {
    METHOD,
    CELL,
    FORM,
    DATA,
    PRECISION,
    ORDER,
    RESULT,
    INPUT,
    READ,
    WRITE,
    GEOMETRY,
    COEFFICIENTS,
    SHAPE,
    MATRIX,
    KEEP,
    REUSE,
    STREAM,
    UNROLL,
    LANES,
    WORK_GROUP,
    N_FACTORS
};
enum { MOST_LEVELS = 6, ELEMENT_DATA = 0, POINT_DATA, EXPRESSION_DATA };

/* Names and values of an option; those before INPUT are no options of the methods. */
static const struct {
    const char *name;
    int n_levels;
    int values[MOST_LEVELS];
} factors[N_FACTORS] = {
    [METHOD] = {"method", 3, {0}},
    [CELL] = {"cell", 5, {0}},
    [FORM] = {"form", 6, {0}},
    [DATA] = {"data", 3, {0}},
    [PRECISION] = {"precision", 2, {0}},
    [ORDER] = {"order", 2, {1, 2}},
    [RESULT] = {"result", 4, {RITZ_RESULT_MATRICES, RITZ_RESULT_SUM, RITZ_RESULT_CHECKSUM, RITZ_RESULT_ACTION}},
    [INPUT] = {"input", 3, {1, 2, 3}},
    [READ] = {"read", 2, {0, 1}},
    [WRITE] = {"write", 2, {0, 1}},
    [GEOMETRY] = {"geometry", 2, {0, 1}},
    [COEFFICIENTS] = {"coefficients", 2, {0, 1}},
    [SHAPE] = {"shape", 2, {0, 1}},
    [MATRIX] = {"matrix", 2, {0, 1}},
    [KEEP] = {"keep", 2, {0, 1}},
    [REUSE] = {"reuse", 2, {0, 1}},
    [STREAM] = {"stream", 2, {0, 1}},
    [UNROLL] = {"unroll", 3, {0, 1, 2}},
    [LANES] = {"lanes", 3, {1, 2, 8}},
    [WORK_GROUP] = {"work_group", 3, {1, 3, 8}}};
static const char *const methods[] = {"qss", "sqs", "ssq"};
static const char *const forms[] = {"poisson",      "convection-diffusion", "elasticity",
                                    "plane-stress", "plane-strain",         "mass"};

#include "covering.h"

static ritz_mesh *meshes[RITZ_N_CELLS];
static bool take_all;
static int chosen_cell = -1, chosen_form = -1, chosen_precision = -1;

/* What is set up for a row: the problem, and the settings as texts. */
typedef struct problem {
    ritz_form *form;
    ritz_space *space;
    test_data data;
    ritz_expression *expressions[2];
    double *old;
    ritz_integral integral;
    char texts[N_FACTORS][32];
    const char *settings[N_FACTORS];
    int n_settings;
} problem;

static void free_problem(problem *p)
{
    free_data(&p->data);
    for (int k = 0; k < 2; k++)
        ritz_expression_destroy(&p->expressions[k]);
    free(p->old);
    ritz_space_destroy(&p->space);
    ritz_form_destroy(&p->form);
}

static void make_old(problem *p)
{
    const int64_t n = (int64_t)p->space->n_nodes * p->form->n_components;
    p->old = calloc((size_t)n, sizeof *p->old);
    for (int64_t k = 0; k < n; k++)
        p->old[k] = uniform();
}

/* The first datum of the form as an expression of place, old solution and its gradient, by element one of two. */
static void make_expressions(problem *p)
{
    static int32_t selector[64];
    const char *const u = p->form->n_components > 1 ? "u0" : "u", *const u_y =
                                                                      p->form->n_components > 1 ? "u0_y" : "u_y";
    char text[64];
    snprintf(text, sizeof text, "1 + 0.1*x*x + %s*%s", u, u);
    OK(ritz_expression_create(text, p->form->variables.pointers, p->form->variables.n, &p->expressions[0]));
    snprintf(text, sizeof text, "2 + t + 0.1*%s*%s", u_y, u_y);
    OK(ritz_expression_create(text, p->form->variables.pointers, p->form->variables.n, &p->expressions[1]));
    for (int e = 0; e < 64; e++)
        selector[e] = e % 2;
    p->data.datum[0] = (ritz_datum){.kind = RITZ_DATA_EXPRESSION,
                                    .expressions = (const ritz_expression *const *)p->expressions,
                                    .n_expressions = 2,
                                    .selector = selector};
}

static void make_problem(const row *r, problem *p)
{
    const ritz_mesh *mesh = meshes[r->level[CELL]];
    *p = (problem){0};
    OK(ritz_form_create(forms[r->level[FORM]], mesh->dim, &p->form));
    OK(ritz_space_create(mesh, value_of(r, ORDER), p->form->n_components, &p->space));
    const ritz_space_batch *batch = &p->space->batches[0];
    make_data(p->form, batch->n_cells, ritz_cell_n_quad(batch->cell, value_of(r, ORDER)), r->level[DATA] == POINT_DATA,
              &p->data);
    if (p->form->n_data > 1) /* one for all */
        p->data.datum[1] = (ritz_datum){.kind = RITZ_DATA_CONSTANT, .value = 0.3};
    if (r->level[DATA] == EXPRESSION_DATA || value_of(r, RESULT) == RITZ_RESULT_ACTION)
        make_old(p);
    if (r->level[DATA] == EXPRESSION_DATA)
        make_expressions(p);
    p->integral = (ritz_integral){
        .space = p->space, .batch = batch, .form = p->form, .data = p->data.datum, .old = p->old, .time = 0.7};
    for (int f = INPUT; f < N_FACTORS; f++) {
        snprintf(p->texts[f], sizeof p->texts[f], "%s=%d", factors[f].name, value_of(r, f));
        p->settings[p->n_settings++] = p->texts[f];
    }
}

static bool form_serves(int form, int cell)
{
    const bool plane = strncmp(forms[form], "plane", 5) == 0, solid = strcmp(forms[form], "elasticity") == 0;
    return ritz_cell_dim((ritz_cell)cell) == 3 ? !plane : !solid;
}

/* The case of a row, without its problem. */
static ritz_case case_of(const row *r)
{
    static ritz_form_traits known[sizeof forms / sizeof forms[0]][2][3];
    static bool is_known[sizeof forms / sizeof forms[0]][2][3];
    const ritz_cell cell = (ritz_cell)r->level[CELL];
    const int dim = ritz_cell_dim(cell), form = r->level[FORM], data = r->level[DATA];
    if (!is_known[form][dim - 2][data]) {
        const row linear = {.level = {[CELL] = r->level[CELL], [FORM] = form, [DATA] = data}};
        problem p;
        make_problem(&linear, &p);
        ritz_form_get_traits(p.form, p.data.datum, &known[form][dim - 2][data]);
        is_known[form][dim - 2][data] = true;
        free_problem(&p);
    }
    return (ritz_case){.cell = cell,
                       .order = value_of(r, ORDER),
                       .geometry_order = 1,
                       .n_components = form == 0 || form == 1 || form == 5 ? 1 : dim,
                       .precision = (ritz_precision)r->level[PRECISION],
                       .traits = known[form][dim - 2][data],
                       .result = (ritz_element_result)value_of(r, RESULT)};
}

/* Makes of a row one that is possible: what the method would take instead of each option. False where what was asked for
   is left. */
static bool repair_row(row *r)
{
    const bool solid = ritz_cell_dim((ritz_cell)r->level[CELL]) == 3;
    if (!form_serves(r->level[FORM], r->level[CELL]))
        r->level[FORM] = solid ? 2 : 3;
    const ritz_device_info *limits = ritz_device_get_info(device);
    const ritz_method *method;
    ritz_case c = case_of(r);
    if (ritz_method_find(methods[r->level[METHOD]], &c, limits, &method) != RITZ_OK) {
        r->level[ORDER] = 0;
        c = case_of(r);
        OK(ritz_method_find(methods[r->level[METHOD]], &c, limits, &method));
    }
    int32_t parameters[RITZ_MAX_PARAMETERS] = {0};
    ritz_plan plan;
    for (int p = 0; p < method->n_parameters; p++)
        for (int f = INPUT; f < N_FACTORS; f++)
            if (strcmp(factors[f].name, method->parameters[p].name) == 0)
                parameters[p] = value_of(r, f);
    if (method->plan(&c, limits, parameters, &plan) != RITZ_OK)
        return false;
    for (int p = 0; p < method->n_parameters; p++)
        for (int f = INPUT; f < N_FACTORS; f++)
            for (int level = 0; level < factors[f].n_levels; level++)
                if (strcmp(factors[f].name, method->parameters[p].name) == 0 &&
                    factors[f].values[level] == plan.parameters[p])
                    r->level[f] = level;
    return (chosen_cell < 0 || r->level[CELL] == chosen_cell) && (chosen_form < 0 || r->level[FORM] == chosen_form) &&
           (chosen_precision < 0 || r->level[PRECISION] == chosen_precision);
}

/* ---- Results that are not stored matrices ---- */

/* Numbers and loads of all elements as a method gives them: [n][entries] of the precision's size, [n][rows]. */
static void compute_numbers(const problem *p, const char *method, ritz_precision precision, int64_t size, char *numbers,
                            double *vectors)
{
    ritz_integrator *integrator = NULL;
    ritz_buffer *matrix_buffer = NULL, *vector_buffer = NULL;
    OK(ritz_integrator_create(device, &p->integral, method, p->settings, p->n_settings, precision, &integrator));
    const ritz_layout *layout = ritz_integrator_layout(integrator);
    const int64_t n = p->integral.batch->n_cells, padded = ritz_round_up(n, layout->width),
                  real = ritz_real_bytes(precision);
    const int64_t matrix_bytes = padded * layout->matrix_entries * real,
                  vector_bytes = padded * layout->vector_entries * real;
    char *matrices = calloc(1, (size_t)matrix_bytes), *loads = calloc(1, (size_t)vector_bytes + 1);
    assert_true(layout->matrix_entries * real <= size);
    OK(ritz_buffer_create(device, matrix_bytes, "results", &matrix_buffer));
    OK(ritz_buffer_create(device, ritz_max64(vector_bytes, 1), "loads", &vector_buffer));
    OK(ritz_integrator_run(integrator, 0, (int32_t)n, matrix_buffer, vector_buffer, NULL));
    OK(ritz_buffer_read(matrix_buffer, 0, matrices, matrix_bytes));
    if (vector_bytes > 0)
        OK(ritz_buffer_read(vector_buffer, 0, loads, vector_bytes));
    for (int64_t e = 0; e < n; e++) {
        ritz_layout_numbers(layout, e, precision, matrices, numbers + e * size);
        ritz_layout_element(layout, e, precision, NULL, loads, p->integral.batch->n_shape, p->form->n_components, NULL,
                            vectors + e * p->integral.batch->n_shape * p->form->n_components);
    }
    ritz_buffer_destroy(&matrix_buffer);
    ritz_buffer_destroy(&vector_buffer);
    ritz_integrator_destroy(&integrator);
    free(matrices);
    free(loads);
}

/* As measure/checksum.h has it. */
static uint64_t checksum_entry(double value, int64_t k, ritz_precision precision)
{
    const float narrow = (float)value;
    uint64_t bits = 0;
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    memcpy(&bits, &value, sizeof bits);
    const uint64_t z = (precision == RITZ_F64 ? bits : narrow_bits) + (uint64_t)(k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (z & UINT32_MAX) * (z >> 32);
}

/* The bits behind the sums are those of the matrices that the method stores with the same settings. */
static void check_bits(problem *p, const char *method, ritz_precision precision, int64_t size, const char *numbers)
{
    const int64_t rows = (int64_t)p->integral.batch->n_shape * p->form->n_components, n = p->integral.batch->n_cells;
    double *matrices = calloc((size_t)(n * rows * rows), sizeof(double)),
           *vectors = calloc((size_t)(n * rows), sizeof(double));
    ritz_integrator *integrator = NULL;
    p->integral.result = RITZ_RESULT_MATRICES;
    OK(ritz_integrator_create(device, &p->integral, method, p->settings, p->n_settings, precision, &integrator));
    OK(ritz_integrate_all(integrator, &p->integral, device, precision, matrices, vectors));
    const bool load = ritz_integrator_layout(integrator)->vector_entries > 0;
    for (int64_t e = 0; e < n; e++) {
        uint64_t sum = 0, given;
        for (int64_t k = 0; k < rows * rows; k++)
            sum += checksum_entry(matrices[e * rows * rows + k], k, precision);
        for (int64_t k = 0; k < rows && load; k++)
            sum += checksum_entry(vectors[e * rows + k], rows * rows + k, precision);
        memcpy(&given, numbers + e * size + ritz_real_bytes(precision), sizeof given);
        assert_int_equal(given, sum);
    }
    ritz_integrator_destroy(&integrator);
    free(matrices);
    free(vectors);
}

/* The worst error of what the matrices are handed on to, and of the loads that are stored beside an action. */
static double handed_error(problem *p, const char *method, ritz_precision precision, double *vector_error)
{
    const int64_t rows = (int64_t)p->integral.batch->n_shape * p->form->n_components, n = p->integral.batch->n_cells;
    const int64_t size = ritz_max64(rows, 3) * (int64_t)sizeof(double);
    char *numbers = calloc((size_t)n, (size_t)size);
    double *vectors = calloc((size_t)(n * rows), sizeof(double)), *one = calloc((size_t)rows, sizeof(double));
    double *expected = calloc((size_t)(n * rows * rows), sizeof(double)),
           *expected_vectors = calloc((size_t)(n * rows), sizeof(double));
    double worst = 0;
    OK(ritz_integrate_reference(&p->integral, NULL, n, expected, expected_vectors));
    compute_numbers(p, method, precision, size, numbers, vectors);
    *vector_error = 0;
    for (int64_t e = 0; e < n; e++) {
        for (int64_t k = 0; k < rows; k++)
            one[k] = ritz_get_real(precision, numbers + e * size, k);
        worst = fmax(worst, ritz_result_error(&p->integral, (int32_t)e, one, expected + e * rows * rows,
                                              expected_vectors + e * rows));
        if (p->integral.result == RITZ_RESULT_ACTION)
            *vector_error = fmax(*vector_error, relative_error(vectors + e * rows, expected_vectors + e * rows, rows));
    }
    if (p->integral.result == RITZ_RESULT_CHECKSUM)
        check_bits(p, method, precision, size, numbers);
    free(numbers);
    free(vectors);
    free(one);
    free(expected);
    free(expected_vectors);
    return worst;
}

/* ---- Rows ---- */

static void compare_row(const row *r)
{
    problem p;
    char text[512] = "";
    double vector_error;
    const ritz_precision precision = (ritz_precision)r->level[PRECISION];
    make_problem(r, &p);
    for (int k = 0; k < p.n_settings; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s", p.settings[k]);
    const char *const method = methods[r->level[METHOD]];
    p.integral.result = (ritz_element_result)value_of(r, RESULT);
    const double error = p.integral.result == RITZ_RESULT_MATRICES
                             ? device_error(&p.integral, method, precision, p.settings, p.n_settings, &vector_error)
                             : handed_error(&p, method, precision, &vector_error);
    if (!(error <= device_tolerance(precision)) || !(vector_error <= device_tolerance(precision)))
        fail_msg("%s %s order %d %s %s data %d result %d%s: matrix error %.3g, vector error %.3g", method,
                 ritz_cell_name((ritz_cell)r->level[CELL]), value_of(r, ORDER), forms[r->level[FORM]],
                 precision == RITZ_F32 ? "f32" : "f64", r->level[DATA], value_of(r, RESULT), text, error, vector_error);
    free_problem(&p);
}

/* Pairs that there are not: forms of the other dimension, and options that have nothing to act on. */
static bool is_void(int f, int a, int g, int b)
{
    if (f == CELL && g == FORM)
        return !form_serves(b, a);
    return (f == INPUT && a == 0 && g == WRITE && b == 0) || (f == READ && a == 0 && g == REUSE && b == 1) ||
           (f == WRITE && a == 0 && g == STREAM && b == 1) || (f == METHOD && a == 0 && g == KEEP && b == 1);
}

static void test_pairs(void **unused)
{
    (void)unused;
    if (!take_all)
        cover_pairs(getenv("RITZ_TEST_SMALL") ? RESULT : 0);
}

/* All combinations, as numbers in a system of mixed bases; those that a plan changes are somewhere else in the list. */
static void test_all(void **unused)
{
    (void)unused;
    row r = {{0}};
    int64_t n = take_all;
    int f = 0;
    while (take_all && f < N_FACTORS) {
        row repaired = r;
        if (repair_row(&repaired) && memcmp(&r, &repaired, sizeof r) == 0) {
            compare_row(&r);
            if (n++ % 100 == 0)
                printf("%lld combinations\n", (long long)n - 1);
        }
        for (f = 0; f < N_FACTORS && ++r.level[f] == factors[f].n_levels; f++)
            r.level[f] = 0;
    }
}

/* PoCL's compiler ended the process over a group of one work-item that reads through local memory. */
static void test_one_item(void **unused)
{
    (void)unused;
    for (int cell = RITZ_TRI; cell <= RITZ_PRISM && !take_all; cell += RITZ_PRISM - RITZ_TRI) {
        row r = {{[METHOD] = 1, [CELL] = cell, [READ] = 1, [WRITE] = 1}};
        assert_true(repair_row(&r));
        compare_row(&r);
    }
}

/* The number of a name in a list of n; -1 for "all" or none. */
static int find_name(const char *name, const char *const *names, int n)
{
    for (int k = 0; name && k < n; k++)
        if (strcmp(name, names[k]) == 0)
            return k;
    return -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_one_item),
                                       cmocka_unit_test(test_all)};
    static const char *const precisions[] = {"f64", "f32"};
    const char *cells[RITZ_N_CELLS];
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        cells[cell] = ritz_cell_name((ritz_cell)cell);
        meshes[cell] = random_mesh((ritz_cell)cell, 2);
    }
    chosen_cell = argc > 1 ? find_name(argv[1], cells, RITZ_N_CELLS) : -1;
    chosen_form = argc > 2 ? find_name(argv[2], forms, factors[FORM].n_levels) : -1;
    chosen_precision = argc > 3 ? find_name(argv[3], precisions, 2) : -1;
    take_all = wants_all();
    const int failed = cmocka_run_group_tests(tests, open_device, close_device);
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        ritz_mesh_destroy(&meshes[cell]);
    return failed;
}
