/* The method tensor: its reference tensor against closed forms, every pair of values of any two of its options (rows of
   a covering array, each a kernel), the kernel as plain C, and what it refuses. RITZ_TEST_SMALL=1 (simulated devices) takes few options. */
#include "elements.h"
#include "integrate/methods.h"
#include "integrate/reference_tensor.h"
#include "plain_kernel.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CELL,
    FORM,
    DATA,
    PRECISION,
    ORDER,
    LANES,
    CONCURRENT,
    ROUNDS,
    ITEMS,
    PAIRS,
    ELEMENTS,
    WRITE,
    STORE,
    UNROLL,
    GEOMETRY,
    GATHER,
    CODE,
    STREAM,
    PROJECTED,
    N_FACTORS
};
enum { MOST_LEVELS = 5, N_CELLS = 2 };
enum { OF_ELEMENTS, FIELD_DATA, POINT_LOADS, FIELD_AND_LOADS, N_DATA }; /* where the data come from */

/* Names and values; those before LANES are no options of the method. */
static const struct {
    const char *name;
    int n_levels;
    int values[MOST_LEVELS];
} factors[N_FACTORS] = {[CELL] = {"cell", N_CELLS, {RITZ_TRI, RITZ_TET}},
                        [FORM] = {"form", 5, {0}},
                        [DATA] = {"data", N_DATA, {0}},
                        [PRECISION] = {"precision", 2, {0}},
                        [ORDER] = {"order", 3, {1, 2, 3}},
                        [LANES] = {"lanes", 3, {1, 2, 8}},
                        [CONCURRENT] = {"concurrent", 2, {1, 3}},
                        [ROUNDS] = {"batch", 2, {1, 2}},
                        [ITEMS] = {"items", 2, {1, 3}},
                        [PAIRS] = {"pairs", 2, {1, 3}},
                        [ELEMENTS] = {"elements", 2, {1, 2}},
                        [WRITE] = {"write", 2, {0, 1}},
                        [STORE] = {"store", 2, {0, 1}},
                        [UNROLL] = {"unroll", 2, {0, 1}},
                        [GEOMETRY] = {"geometry", 2, {0, 1}},
                        [GATHER] = {"gather", 2, {0, 1}},
                        [CODE] = {"code", 2, {0, 1}},
                        [STREAM] = {"stream", 2, {0, 1}},
                        [PROJECTED] = {"projected", 2, {0, 1}}};
static const char *const forms[] = {"poisson", "convection-diffusion", "elasticity", "plane-stress", "mass"};

#include "covering.h"

static ritz_mesh *meshes[RITZ_N_CELLS];

/* ---- Problems ---- */

/* An integral with random data, those of elements; or the first of them an expression, those that loads read at the points. */
typedef struct problem {
    ritz_form *form;
    ritz_space *space;
    test_data data;
    ritz_expression *expression;
    const ritz_expression *expressions[1];
    ritz_integral integral;
} problem;

static bool is_of_load(const char *name)
{
    return strcmp(name, "source") == 0 || strncmp(name, "force_", 6) == 0 || (name[0] == 'f' && strlen(name) == 2);
}

/* Random values of the data of loads at the points. */
static void vary_loads(problem *p)
{
    const ritz_space_batch *batch = &p->space->batches[0];
    test_data points;
    make_data(p->form, batch->n_cells, ritz_cell_n_quad(batch->cell, p->space->order), true, &points);
    for (int d = 0; d < p->data.n; d++)
        if (is_of_load(ritz_form_data_name(p->form, d))) {
            double *values = p->data.values[d];
            p->data.datum[d] = points.datum[d];
            p->data.values[d] = points.values[d];
            points.values[d] = values;
        }
    free_data(&points);
}

static void set_expression(problem *p, int datum, const char *text)
{
    OK(ritz_expression_create(text, p->form->variables.pointers, p->form->variables.n, &p->expression));
    p->expressions[0] = p->expression;
    p->data.datum[datum] =
        (ritz_datum){.kind = RITZ_DATA_EXPRESSION, .expressions = p->expressions, .n_expressions = 1};
}

static void make_problem(const ritz_mesh *mesh, const char *form, int order, const char *text, problem *p)
{
    *p = (problem){0};
    OK(ritz_form_create(form, mesh->dim, &p->form));
    OK(ritz_space_create(mesh, order, p->form->n_components, &p->space));
    const ritz_space_batch *batch = &p->space->batches[0];
    make_data(p->form, batch->n_cells, ritz_cell_n_quad(batch->cell, order), false, &p->data);
    if (text)
        set_expression(p, 0, text);
    p->integral = (ritz_integral){.space = p->space, .batch = batch, .form = p->form, .data = p->data.datum};
}

static void free_problem(problem *p)
{
    free_data(&p->data);
    ritz_expression_destroy(&p->expression);
    ritz_space_destroy(&p->space);
    ritz_form_destroy(&p->form);
}

static void compare_matrices(problem *p, ritz_precision precision, const char *const *settings, int n_settings)
{
    double vector_error;
    char text[512] = "";
    for (int k = 0; k < n_settings; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %s", settings[k]);
    const double error = device_error(&p->integral, "tensor", precision, settings, n_settings, &vector_error);
    if (!(error <= device_tolerance(precision)) || !(vector_error <= device_tolerance(precision)))
        fail_msg("%s order %d %s %s%s: matrix error %.3g, vector error %.3g", ritz_cell_name(p->integral.batch->cell),
                 p->space->order, p->form->name, precision == RITZ_F32 ? "f32" : "f64", text, error, vector_error);
}

/* ---- The options ---- */

static bool form_serves(int form, int cell)
{
    return (strcmp(forms[form], "elasticity") != 0 || cell == 1) &&
           (strcmp(forms[form], "plane-stress") != 0 || cell == 0);
}

static void make_row_problem(const row *r, problem *p)
{
    const bool field = r->level[DATA] == FIELD_DATA || r->level[DATA] == FIELD_AND_LOADS;
    make_problem(meshes[value_of(r, CELL)], forms[r->level[FORM]], value_of(r, ORDER),
                 field ? "2 + 0.3*x - 0.1*y" : NULL, p);
    if (r->level[DATA] >= POINT_LOADS)
        vary_loads(p);
}

/* The values as the method's parameters take them. */
static int32_t parameter_of(const row *r, int factor)
{
    return factor == ROUNDS ? value_of(r, LANES) * value_of(r, CONCURRENT) * value_of(r, ELEMENTS) * value_of(r, ROUNDS)
                            : value_of(r, factor);
}

/* The case of a row, made once. */
static ritz_case case_of(const row *r)
{
    enum { N_FORMS = sizeof forms / sizeof forms[0], N_ORDERS = 3 };
    static ritz_case known[N_CELLS][N_FORMS][N_DATA][N_ORDERS];
    ritz_case *c = &known[r->level[CELL]][r->level[FORM]][r->level[DATA]][r->level[ORDER]];
    if (c->order == 0) {
        problem p;
        make_row_problem(r, &p);
        ritz_case_of(&p.integral, RITZ_F64, c);
        free_problem(&p);
    }
    ritz_case result = *c;
    result.precision = (ritz_precision)r->level[PRECISION];
    return result;
}

/* What the plan takes instead becomes the row's; not what has no level. */
static bool repair_row(row *r)
{
    ritz_plan plan;
    int32_t parameters[RITZ_MAX_PARAMETERS] = {0};
    if (!form_serves(r->level[FORM], r->level[CELL]))
        r->level[FORM] = r->level[CELL] == 0 ? 3 : 2;
    if (r->level[DATA] >= POINT_LOADS)
        r->level[PROJECTED] = 0;
    const ritz_case c = case_of(r);
    for (int f = LANES; f < N_FACTORS; f++)
        parameters[f - LANES] = parameter_of(r, f);
    if (ritz_method_named("tensor")->plan(&c, ritz_device_get_info(device), parameters, &plan) != RITZ_OK)
        return false;
    for (int f = LANES; f < N_FACTORS; f++)
        for (int level = 0; level < factors[f].n_levels && f != ROUNDS; level++)
            if (factors[f].values[level] == plan.parameters[f - LANES])
                r->level[f] = level;
    for (int f = LANES; f < N_FACTORS; f++)
        if (parameter_of(r, f) != plan.parameters[f - LANES])
            return false;
    return true;
}

static void compare_row(const row *r)
{
    problem p;
    char texts[N_FACTORS][32];
    const char *settings[N_FACTORS];
    make_row_problem(r, &p);
    for (int f = LANES; f < N_FACTORS; f++) {
        snprintf(texts[f], sizeof texts[f], "%s=%d", factors[f].name, (int)parameter_of(r, f));
        settings[f - LANES] = texts[f];
    }
    compare_matrices(&p, (ritz_precision)r->level[PRECISION], settings, N_FACTORS - LANES);
    free_problem(&p);
}

/* Forms of the other dimension; loads at the points are in no space that could be projected to; a work-item has all pairs of K that stands in code, which is too long for full forms of order
   3; what is written element by element does not go past the caches. */
static bool is_void(int f, int a, int g, int b)
{
    if (f == CELL && g == FORM)
        return !form_serves(b, a);
    if (f == DATA && g == PROJECTED)
        return a >= POINT_LOADS && b == 1;
    if (g == CODE && b == 1)
        return (f == ITEMS || f == PAIRS || f == GEOMETRY) && a == 1;
    return f == WRITE && a == 0 && g == STREAM && b == 1;
}

static void test_options(void **unused)
{
    (void)unused;
    cover_pairs(wants_small() ? WRITE : 0);
}

/* ---- The kernel as plain C ---- */

/* `integrate` of kernels/tensor.cl, see element.cl. */
typedef void plain_kernel(int first, int count, int n_cells, double time, const double *geometry,
                          const int *geometry_cells, const double *origin, const double *geo, const double *psi,
                          const double *weights, const double *data, const long *offset, const int *selector,
                          const int *cell_nodes, const double *old, const double *tables, const double *jacobians,
                          double *scratch, double *matrices, double *vectors);

/* Compiled by the C compiler that built this, elsewhere by `cc`; the library is the caller's, dlclose. */
static plain_kernel *compile_plain(const char *source, void **library)
{
    char folder[] = "/tmp/ritz-plain-XXXXXX", c[64], so[64], command[1024];
    plain_kernel *kernel = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(c, sizeof c, "%s/kernel.c", folder);
    snprintf(so, sizeof so, "%s/kernel.so", folder);
    FILE *file = fopen(c, "w");
    assert_non_null(file);
    assert_true(fputs(plain_words, file) >= 0 && fputs(source, file) >= 0 && fclose(file) == 0);
    snprintf(command, sizeof command, "%s -O1 -w -fPIC -shared -fno-strict-aliasing %s -o %s",
             access(RITZ_TEST_COMPILER, X_OK) == 0 ? RITZ_TEST_COMPILER : "cc", c, so);
    assert_int_equal(system(command), 0);
    *library = dlopen(so, RTLD_NOW);
    if (!*library)
        fail_msg("%s", dlerror());
    *(void **)&kernel = dlsym(*library, "integrate");
    assert_non_null(kernel);
    unlink(c);
    unlink(so);
    rmdir(folder);
    return kernel;
}

/* Data that are numbers of elements or points, as the kernel reads them; the coordinates of the mesh's nodes. */
static void run_plain(const problem *p, plain_kernel *kernel, const double *tables, double *matrices, double *vectors)
{
    const ritz_mesh *mesh = p->integral.space->mesh;
    const ritz_mesh_block *block = p->integral.batch->block;
    const int32_t n = block->n_cells;
    const int n_quad = ritz_cell_n_quad(block->cell, p->space->order);
    double *data = calloc((size_t)(n * n_quad * p->data.n), sizeof *data);
    double *nodes = calloc((size_t)(mesh->n_nodes * mesh->dim), sizeof *nodes);
    long offset[RITZ_MAX_DATA];
    for (int d = 0; d < p->data.n; d++) {
        offset[d] = (long)d * n * n_quad;
        memcpy(data + offset[d], p->data.values[d],
               sizeof(double) * (size_t)(p->data.datum[d].kind == RITZ_DATA_POINT ? n * n_quad : n));
    }
    for (int32_t k = 0; k < mesh->n_nodes * mesh->dim; k++)
        nodes[k] = mesh->nodes[3 * (k / mesh->dim) + k % mesh->dim];
    kernel(0, n, n, 0, nodes, block->nodes, NULL, NULL, NULL, NULL, data, offset, NULL, NULL, NULL, tables, NULL, NULL,
           matrices, vectors);
    free(nodes);
    free(data);
}

/* The same text on the device and, as plain C, on the host, against the reference and each other. */
static void compare_plain(ritz_cell cell, const char *form, int order, bool points, const char *const *settings,
                          int n_settings)
{
    problem p;
    void *library;
    ritz_integrator *integrator = NULL;
    double *tables = NULL;
    int64_t n_tables;
    make_problem(meshes[cell], form, order, NULL, &p);
    if (points)
        vary_loads(&p);
    const int64_t rows = (int64_t)p.space->batches[0].n_shape * p.space->n_components, n = p.integral.batch->n_cells,
                  size = n * rows * rows;
    double *plain = calloc((size_t)size, sizeof *plain), *load = calloc((size_t)(n * rows), sizeof *load);
    double *all[2][2] = {{NULL}};
    for (int k = 0; k < 4; k++)
        all[k / 2][k % 2] = calloc((size_t)(k % 2 ? n * rows : size), sizeof(double));
    OK(ritz_integrate_reference(&p.integral, NULL, n, all[0][0], all[0][1]));
    OK(ritz_integrator_create(device, &p.integral, "tensor", settings, n_settings, RITZ_F64, &integrator));
    OK(ritz_integrate_all(integrator, &p.integral, device, RITZ_F64, all[1][0], all[1][1]));
    OK(ritz_integrator_method(integrator)->tables(&p.integral, ritz_integrator_plan(integrator), &tables, &n_tables));
    plain_kernel *kernel = compile_plain(ritz_integrator_source(integrator), &library);
    run_plain(&p, kernel, tables, plain, load);
    double *matrix = calloc((size_t)(rows * rows), sizeof *matrix), *vector = calloc((size_t)rows, sizeof *vector);
    for (int64_t e = 0; e < n; e++) {
        ritz_layout_element(ritz_integrator_layout(integrator), e, RITZ_F64, plain, load,
                            (int)(rows / p.space->n_components), p.space->n_components, matrix, vector);
        for (int k = 0; k < 2; k++) {
            assert_true(relative_error(matrix, all[k][0] + e * rows * rows, rows * rows) <= 1e-13);
            assert_true(relative_error(vector, all[k][1] + e * rows, rows) <= 1e-13);
        }
    }
    dlclose(library);
    ritz_integrator_destroy(&integrator);
    ritz_free(tables);
    for (int k = 0; k < 4; k++)
        free(all[k / 2][k % 2]);
    free(plain);
    free(load);
    free(matrix);
    free(vector);
    free_problem(&p);
}

static void test_plain_c(void **unused)
{
    (void)unused;
    static const char *const table[] = {"lanes=1",  "concurrent=1", "items=1", "batch=3",  "workers=1",
                                        "gather=1", "geometry=0",   "code=0",  "unroll=0", "write=0"},
                             *const local[] = {"lanes=1",  "concurrent=1", "items=1", "batch=3", "workers=1",
                                               "gather=1", "geometry=1",   "code=0",  "store=0", "pairs=3"},
                             *const code[] = {"lanes=1", "concurrent=1", "batch=1", "workers=1", "gather=1", "code=1"};
    compare_plain(RITZ_TET, "elasticity", 2, false, table, 10);
    compare_plain(RITZ_TET, "poisson", 3, false, local, 10);
    compare_plain(RITZ_TRI, "convection-diffusion", 1, false, code, 6);
    compare_plain(RITZ_TET, "poisson", 3, true, table, 10);
    compare_plain(RITZ_TRI, "convection-diffusion", 2, true, code, 6);
}

/* ---- The reference tensor ---- */

static ritz_reference_tensor *tensor_of(const char *form, ritz_cell cell, int order)
{
    problem p;
    ritz_case c;
    ritz_reference_tensor *k = NULL;
    make_problem(meshes[cell], form, order, NULL, &p);
    ritz_case_of(&p.integral, RITZ_F64, &c);
    OK(ritz_reference_tensor_create(&c, (ritz_tensor_space){1, false}, &k));
    free_problem(&p);
    return k;
}

/* Linear functions on the tet of volume 1/6: their gradients are constant; int phi_i phi_j = (1 + delta_ij) / 120. */
static void test_linear_tet(void **unused)
{
    (void)unused;
    static const double gradient[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ritz_reference_tensor *k = tensor_of("poisson", RITZ_TET, 1), *mass = tensor_of("mass", RITZ_TET, 1);
    assert_int_equal(k->pattern.n_products, 6);
    assert_int_equal(mass->pattern.n_products, 1);
    for (int i = 0, pair = 0; i < 4; i++)
        for (int j = i; j < 4; j++, pair++) {
            for (int n = 0; n < 6; n++) {
                const int a = k->pattern.alpha[n] - 1, b = k->pattern.beta[n] - 1;
                double expected = gradient[i][a] * gradient[j][b] / 6;
                expected += a != b ? gradient[i][b] * gradient[j][a] / 6 : 0;
                assert_true(fabs(k->matrix[pair * 6 + n] - expected) < 1e-15);
            }
            assert_true(fabs(mass->matrix[pair] - (i == j ? 2 : 1) / 120.0) < 1e-16);
            assert_true(fabs(k->load[i] - 1 / 24.0) < 1e-16);
        }
    ritz_reference_tensor_destroy(&k);
    ritz_reference_tensor_destroy(&mass);
}

/* The functions add up to 1: so do all entries of the mass matrix to the volume, and those of the Laplacian to 0. */
static void test_sums(void **unused)
{
    (void)unused;
    static const double volume[RITZ_N_CELLS] = {0.5, 1, 1.0 / 6, 0.5, 1};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        for (int order = 1; order <= highest_order(RITZ_MAX_ORDER); order += 3) {
            ritz_reference_tensor *k = tensor_of("poisson", (ritz_cell)cell, order),
                                  *mass = tensor_of("mass", (ritz_cell)cell, order);
            double sum = 0;
            for (int i = 0, pair = 0; i < mass->pattern.n_shape; i++)
                for (int j = i; j < mass->pattern.n_shape; j++, pair++)
                    sum += (i == j ? 1 : 2) * mass->matrix[pair];
            assert_true(fabs(sum - volume[cell]) < 1e-13);
            for (int n = 0; n < k->pattern.n_products; n++) {
                sum = 0;
                for (int i = 0, pair = 0; i < k->pattern.n_shape; i++)
                    for (int j = i; j < k->pattern.n_shape; j++, pair++)
                        sum += (i == j ? 1 : 2) * k->matrix[(int64_t)pair * k->pattern.n_products + n];
                assert_true(fabs(sum) < 1e-11);
            }
            ritz_reference_tensor_destroy(&k);
            ritz_reference_tensor_destroy(&mass);
        }
}

/* ---- What it serves and what not ---- */

/* A box of cells that are parallelepipeds. */
static ritz_mesh *skew_mesh(ritz_cell cell)
{
    ritz_mesh *mesh = NULL;
    const ritz_box box = {.cell = cell, .cells = {2, 2, 1}, .size = {1, 1.5, 0.8}, .origin = {3, -2, 1}};
    OK(ritz_mesh_box(&box, &mesh));
    for (int32_t node = 0; node < mesh->n_nodes; node++) {
        mesh->nodes[3 * node] += 0.3 * mesh->nodes[3 * node + 1] - 0.1 * mesh->nodes[3 * node + 2];
        mesh->nodes[3 * node + 1] += 0.2 * mesh->nodes[3 * node + 2] * (mesh->dim == 3);
    }
    return mesh;
}

static void test_affine_cells(void **unused)
{
    (void)unused;
    static const ritz_cell cells[] = {RITZ_QUAD, RITZ_PRISM, RITZ_HEX};
    for (int n = 0; n < 3; n++) {
        problem p;
        ritz_mesh *mesh = skew_mesh(cells[n]);
        make_problem(mesh, n == 1 ? "elasticity" : "convection-diffusion", 3 - n, NULL, &p);
        compare_matrices(&p, n == 1 ? RITZ_F32 : RITZ_F64, NULL, 0);
        free_problem(&p);
        ritz_mesh_destroy(&mesh);
    }
}

static void refuse_problem(problem *p, const char *words)
{
    ritz_integrator *integrator = NULL;
    assert_int_equal(ritz_integrator_create(device, &p->integral, "tensor", NULL, 0, RITZ_F64, &integrator),
                     RITZ_ERROR_INPUT);
    assert_null(integrator);
    says(words);
    free_problem(p);
}

static void test_refusals(void **unused)
{
    (void)unused;
    problem p;
    ritz_mesh *mesh = skew_mesh(RITZ_HEX);
    mesh->nodes[3 * mesh->blocks[0].nodes[6] + 2] += 1e-6; /* a corner of the first hex, and of others */
    make_problem(mesh, "poisson", 1, NULL, &p);
    refuse_problem(&p, "hex number 0 (counted from 0) is none");
    ritz_mesh_destroy(&mesh);
    make_problem(meshes[RITZ_TET], "poisson", 2, "2 + x*y", &p);
    refuse_problem(&p, "polynomials of order 1 (field)");
    make_problem(meshes[RITZ_TRI], "poisson", 2, "2 + u", &p); /* u = 0: constant; then it is not */
    double *old = calloc((size_t)p.space->n_nodes, sizeof *old);
    ritz_integrator *integrator = NULL;
    bool fits = false;
    p.integral.old = old;
    OK(ritz_integrator_create(device, &p.integral, "tensor", NULL, 0, RITZ_F64, &integrator));
    for (int32_t n = 0; n < p.space->n_nodes; n++)
        old[n] = uniform();
    assert_int_equal(ritz_integrator_update(integrator, &p.integral, &fits), RITZ_ERROR_INPUT);
    says("polynomials of order 1 (field)");
    ritz_integrator_destroy(&integrator);
    free(old);
    free_problem(&p);
}

/* Where tables tell auto to take it, auto goes on with another method when elements or data are not such, or become so. */
static void test_auto(void **unused)
{
    (void)unused;
    problem p;
    ritz_integrator *integrator = NULL;
    bool fits = true;
    OK(ritz_tuning_override("integrate.method * tensor\n"));
    make_problem(meshes[RITZ_TRI], "poisson", 2, "2 + u", &p);
    double *old = calloc((size_t)p.space->n_nodes, sizeof *old);
    p.integral.old = old;
    for (int varies = 0; varies < 2; varies++) {
        OK(ritz_integrator_create(device, &p.integral, NULL, NULL, 0, RITZ_F64, &integrator));
        assert_int_equal(strcmp(ritz_integrator_method(integrator)->name, "tensor") == 0, !varies);
        for (int32_t n = 0; n < p.space->n_nodes; n++)
            old[n] = uniform();
        OK(ritz_integrator_update(integrator, &p.integral, &fits));
        assert_int_equal(fits, varies); /* the other method takes all data */
        ritz_integrator_destroy(&integrator);
    }
    OK(ritz_tuning_override(NULL));
    free(old);
    free_problem(&p);
}

/* Loads that vary are in no space, on triangles and tets of every order, the precisions in turns: values at the points, with derivatives
   of test functions in convection-diffusion; then expressions of the place and of the old solution. Forms that both cells have go by
   turns over the orders. */
static void test_load_at_points(void **unused)
{
    (void)unused;
    for (int cell = 0; cell < N_CELLS; cell++)
        for (int form = 0; form < 4; form++)
            for (int order = 1; order <= highest_order(RITZ_MAX_ORDER) && form_serves(form, cell); order++) {
                problem p;
                if (form_serves(form, 1 - cell) && (order + cell + form) % 2)
                    continue;
                make_problem(meshes[factors[CELL].values[cell]], forms[form], order, NULL, &p);
                vary_loads(&p);
                compare_matrices(&p, order / 2 % 2 ? RITZ_F32 : RITZ_F64, NULL, 0);
                free_problem(&p);
            }
}

static void test_load_expressions(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"sin(3*x) * y + t", "u*u - u_x"};
    for (int k = 0; k < 2; k++) {
        problem p;
        make_problem(meshes[k ? RITZ_TRI : RITZ_TET], "poisson", 3, NULL, &p);
        set_expression(&p, ritz_form_find_data(p.form, "source"), texts[k]);
        double *old = calloc((size_t)p.space->n_nodes, sizeof *old);
        for (int32_t n = 0; n < p.space->n_nodes; n++)
            old[n] = uniform();
        p.integral.old = old;
        p.integral.time = 0.25;
        compare_matrices(&p, k ? RITZ_F32 : RITZ_F64, NULL, 0);
        free(old);
        free_problem(&p);
    }
}

/* A coefficient of order 2. */
static void test_field(void **unused)
{
    (void)unused;
    static const char *const field[] = {"field=2"};
    problem p;
    make_problem(meshes[RITZ_TRI], "plane-stress", 2, "2 + 0.1*x*y - 0.2*y*y", &p);
    compare_matrices(&p, RITZ_F64, field, 1);
    free_problem(&p);
}

/* ---- Maps that are not affine ---- */

static double projection_error(const ritz_mesh *mesh, const char *form, int order, int field)
{
    problem p;
    char text[16];
    const char *const settings[] = {"projected=1", text};
    double vector_error;
    snprintf(text, sizeof text, "field=%d", field);
    make_problem(mesh, form, order, NULL, &p);
    const double error = device_error(&p.integral, "tensor", RITZ_F64, settings, 2, &vector_error);
    free_problem(&p);
    return fmax(error, vector_error);
}

/* A second-order cell, moved by (0, a x^2, b x y): det J = 1, so that the terms of the Jacobian are polynomials. */
static ritz_mesh *sheared_mesh(ritz_cell cell, double a, double b)
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {2, 3}, {1, 3}}; /* of the edges, Gmsh's order */
    static const int32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const int dim = ritz_cell_dim(cell), n_vertices = dim + 1, n = dim == 2 ? 6 : 10;
    const double *vertices = ritz_cell_vertices(cell);
    double nodes[3 * 10];
    ritz_mesh *mesh = NULL;
    for (int k = 0; k < n; k++) {
        const int *edge = ends[k < n_vertices ? 0 : k - n_vertices];
        const double *from = vertices + (k < n_vertices ? k : edge[0]) * dim,
                     *to = vertices + (k < n_vertices ? k : edge[1]) * dim;
        double x[3] = {0};
        for (int d = 0; d < dim; d++)
            x[d] = (from[d] + to[d]) / 2;
        for (int d = 0; d < dim; d++)
            nodes[dim * k + d] = x[d] + (d == 1 ? a * x[0] * x[0] : d == 2 ? b * x[0] * x[1] : 0);
    }
    const ritz_block_arrays block = {.cell = cell, .order = 2, .n_cells = 1, .nodes = numbers};
    const ritz_mesh_arrays arrays = {.dim = dim, .n_nodes = n, .coordinates = nodes, .n_blocks = 1, .blocks = &block};
    OK(ritz_mesh_create(&arrays, &mesh));
    return mesh;
}

/* Exact where the terms lie in the space: det J of quads has order 1 in each direction; G of the sheared cells order 2 (triangles:
   (1 + 4 a^2 x^2)) or 4 (tets: those of the inverse, order 2, squared). */
static void test_projection_exact(void **unused)
{
    (void)unused;
    ritz_mesh *tri = sheared_mesh(RITZ_TRI, 0.3, 0), *tet = sheared_mesh(RITZ_TET, 0.3, -0.2);
    assert_true(projection_error(meshes[RITZ_QUAD], "mass", 3, 1) < 1e-13);
    assert_true(projection_error(tri, "poisson", 3, 2) < 1e-13);
    assert_true(projection_error(tri, "poisson", 3, 1) > 1e-4);
    assert_true(projection_error(tet, "poisson", 4, 4) < 1e-12);
    ritz_mesh_destroy(&tri);
    ritz_mesh_destroy(&tet);
}

/* As many functions as points: exact for any map. Fewer: the nearer, the higher the order. */
static void test_projection_error(void **unused)
{
    (void)unused;
    assert_true(projection_error(meshes[RITZ_HEX], "poisson", 1, 1) < 1e-13);
    assert_true(projection_error(meshes[RITZ_PRISM], "elasticity", 1, 1) < 1e-13);
    const double first = projection_error(meshes[RITZ_HEX], "poisson", 3, 1),
                 second = projection_error(meshes[RITZ_HEX], "poisson", 3, 2);
    if (!(first < 0.2 && second < 0.5 * first && second > 1e-9))
        fail_msg("errors of orders 1 and 2: %.3g, %.3g", first, second);
}

/* Any number of elements: those that fill no batch, no round. */
static void test_remainders(void **unused)
{
    (void)unused;
    static const char *const local[] = {"geometry=1", "concurrent=3", "lanes=2", "batch=12", "items=2", "code=0"},
                             *const rounds[] = {"concurrent=1", "lanes=2", "batch=8", "elements=2", "code=0"};
    problem p;
    make_problem(meshes[RITZ_TET], "poisson", 2, NULL, &p);
    ritz_space_batch batch = *p.integral.batch;
    ritz_mesh_block block = *batch.block;
    p.integral.batch = &batch;
    batch.block = &block;
    for (int32_t n = 1; n <= 14; n++) {
        batch.n_cells = block.n_cells = n;
        compare_matrices(&p, RITZ_F64, local, 6);
        compare_matrices(&p, RITZ_F64, rounds, 5);
    }
    free_problem(&p);
}

/* Groups that share a batch, each with a part of the pairs: where there are fewer batches than groups. */
static void test_sharing(void **unused)
{
    (void)unused;
    static const char *const settings[] = {"workers=40", "batch=16", "lanes=2", "concurrent=8"};
    problem p;
    make_problem(meshes[RITZ_TET], "elasticity", 4, NULL, &p);
    compare_matrices(&p, RITZ_F64, settings, 4);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_linear_tet),
                                       cmocka_unit_test(test_sums),
                                       cmocka_unit_test(test_affine_cells),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_auto),
                                       cmocka_unit_test(test_load_at_points),
                                       cmocka_unit_test(test_load_expressions),
                                       cmocka_unit_test(test_field),
                                       cmocka_unit_test(test_projection_exact),
                                       cmocka_unit_test(test_projection_error),
                                       cmocka_unit_test(test_remainders),
                                       cmocka_unit_test(test_sharing),
                                       cmocka_unit_test(test_plain_c),
                                       cmocka_unit_test(test_options)};
    const struct CMUnitTest small[] = {cmocka_unit_test(test_options)};
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        meshes[cell] = random_mesh((ritz_cell)cell, 2);
    const int failed = wants_small() ? cmocka_run_group_tests(small, open_device, close_device)
                                     : cmocka_run_group_tests(tests, open_device, close_device);
    for (int cell = 0; cell < RITZ_N_CELLS; cell++)
        ritz_mesh_destroy(&meshes[cell]);
    return failed;
}
