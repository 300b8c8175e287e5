/* Forms of one's own, data from arrays, points, expressions and fields, and assemblers that are filled again and again.
   Through the public interface alone. */
#include "check.h"
#include "ritz.h"

#include <math.h>
#include <stdio.h>

/* ---- A mesh, a space, a form ---- */

typedef struct model {
    ritz_mesh *mesh;
    ritz_space *space;
    ritz_form *form;
    ritz_assembler *assembler;
    int64_t n; /* degrees of freedom */
} model;

static model make_model(ritz_box box, int order, const char *form)
{
    model m = {.mesh = NULL};
    const int dim = ritz_cell_dim(box.cell);
    OK(ritz_mesh_box(&box, &m.mesh));
    if (form)
        OK(ritz_form_create(form, dim, &m.form));
    OK(ritz_space_create(m.mesh, order, form ? ritz_form_n_components(m.form) : 1, &m.space));
    OK(ritz_assembler_create(device, m.space, NULL, &m.assembler));
    m.n = ritz_space_n_dofs(m.space);
    return m;
}

static void free_model(model *m)
{
    ritz_assembler_destroy(&m->assembler);
    ritz_form_destroy(&m->form);
    ritz_space_destroy(&m->space);
    ritz_mesh_destroy(&m->mesh);
}

static double *numbers(int64_t n)
{
    double *v = calloc((size_t)n, sizeof *v);
    assert_non_null(v);
    return v;
}

/* Values of an assembled matrix in the order of its rows. */
static double *entries(const ritz_matrix *matrix, int64_t *n)
{
    ritz_rows *rows = NULL;
    OK(ritz_matrix_get_rows(matrix, 1, &rows));
    *n = rows->row_start[rows->n_rows];
    double *values = numbers(*n);
    memcpy(values, rows->values, sizeof *values * (size_t)*n);
    ritz_rows_destroy(&rows);
    return values;
}

static double largest_difference(const double *a, const double *b, int64_t n)
{
    double largest = 0;
    for (int64_t k = 0; k < n; k++)
        largest = fmax(largest, isfinite(b[k]) ? fabs(a[k] - b[k]) : INFINITY);
    return largest;
}

/* ---- Filling again ---- */

/* Young's modulus of each element and Poisson's ratio of the given fill. */
static ritz_input elastic_input(const model *m, int fill, ritz_data data[2], double **young)
{
    const int64_t n_cells = ritz_mesh_n_cells(m->mesh, RITZ_TET);
    *young = numbers(n_cells);
    for (int64_t c = 0; c < n_cells; c++)
        (*young)[c] = 10 + (double)((fill + 3) * c % 17);
    data[0] = (ritz_data){.name = "young", .kind = RITZ_DATA_ELEMENT, .values = *young};
    data[1] = (ritz_data){.name = "poisson", .value = 0.2 + 0.1 * fill};
    return (ritz_input){.size = sizeof(ritz_input), .n_data = 2, .data = data};
}

static ritz_constraints *clamp_group(const model *m, const char *group, double value)
{
    ritz_constraints *constraints = NULL;
    OK(ritz_constraints_create(m->space, &constraints));
    OK(ritz_constraints_set_group(constraints, group, -1, value));
    return constraints;
}

static void fill_elastic(const model *m, int fill, const ritz_constraints *constraints, double *rhs)
{
    ritz_data data[2];
    double *young;
    const ritz_input input = elastic_input(m, fill, data, &young);
    const ritz_surface_load load = {.group = "x1", .value = {1, 2, 3}};
    const ritz_external_loads loads = {.n_surfaces = 1, .surfaces = &load};
    OK(ritz_assembler_fill(m->assembler, m->form, &input, &loads, constraints, rhs));
    free(young);
}

/* Fills with one thing after the other; each matrix and vector has the bits of a fresh assembler's. */
static void same_bits_as_fresh(void **state)
{
    (void)state;
    const ritz_box box = {.cell = RITZ_TET, .cells = {3, 2, 2}, .distort = 0.2};
    model m = make_model(box, 2, "elasticity");
    static const struct {
        const char *group;
        double value;
    } held[] = {{"x0", 0.01}, {"x0", 0.02}, {NULL, 0}, {"y0", 0}};
    double *rhs[] = {numbers(m.n), numbers(m.n)}, *values[2];
    int64_t n[2];
    for (int fill = 0; fill < 4; fill++) {
        model fresh = make_model(box, 2, "elasticity");
        model *const both[] = {&m, &fresh};
        for (int k = 0; k < 2; k++) {
            ritz_constraints *own = held[fill].group ? clamp_group(both[k], held[fill].group, held[fill].value) : NULL;
            fill_elastic(both[k], fill % 3, own, rhs[k]);
            ritz_constraints_destroy(&own);
        }
        values[0] = entries(ritz_assembler_matrix(m.assembler), &n[0]);
        values[1] = entries(ritz_assembler_matrix(fresh.assembler), &n[1]);
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(values[0], values[1], (size_t)n[0] * sizeof(double));
        assert_memory_equal(rhs[0], rhs[1], (size_t)m.n * sizeof(double));
        free(values[0]);
        free(values[1]);
        free_model(&fresh);
    }
    free(rhs[0]);
    free(rhs[1]);
    free_model(&m);
}

/* A second fill builds no kernel, takes no memory of the device, and sends the data and little else. */
static void second_fill_is_cheap(void **state)
{
    (void)state;
    model m = make_model((ritz_box){.cell = RITZ_TET, .cells = {12, 12, 12}}, 2, "elasticity");
    ritz_constraints *constraints = clamp_group(&m, "x0", 0.01);
    double *rhs = numbers(m.n);
    fill_elastic(&m, 0, constraints, rhs);
    const ritz_device_counters before = *ritz_device_get_counters(device);
    fill_elastic(&m, 1, constraints, rhs);
    const ritz_device_counters after = *ritz_device_get_counters(device);
    const int64_t data = 8 * (ritz_mesh_n_cells(m.mesh, RITZ_TET) + 2 * m.n);
    assert_int_equal(after.programs_compiled + after.programs_cached,
                     before.programs_compiled + before.programs_cached);
    assert_int_equal(after.peak_bytes, before.peak_bytes);
    assert_true(after.seconds_allocate == before.seconds_allocate);
    assert_in_range(after.bytes_to_device - before.bytes_to_device, 1, data + 1000);
    assert_in_range(after.bytes_from_device - before.bytes_from_device, 1, 8 * m.n + 4);
    ritz_constraints_destroy(&constraints);
    free(rhs);
    free_model(&m);
}

/* A further right-hand side is that of a fill with its loads and values. */
static void load_cases(void **state)
{
    (void)state;
    model m = make_model((ritz_box){.cell = RITZ_TET, .cells = {3, 2, 2}, .distort = 0.2}, 2, "elasticity");
    ritz_constraints *first = clamp_group(&m, "x0", 0.01), *second = clamp_group(&m, "x0", -0.3);
    double *young, *nodal = numbers(m.n), *rhs = numbers(m.n), *right = numbers(m.n), size = 0;
    ritz_data data[3];
    ritz_input input = elastic_input(&m, 1, data, &young);
    data[2] = (ritz_data){.name = "force_y", .kind = RITZ_DATA_EXPRESSION, .expression = "1 + x*z + t"};
    input.n_data = 3;
    input.time = 2;
    const ritz_surface_load surfaces[] = {{.group = "z1", .pressure = true, .expression = {"y + t"}},
                                          {.group = "y1", .value = {1, 2, 0}, .expression = {NULL, NULL, "x"}}};
    for (int64_t i = 0; i < m.n; i++)
        nodal[i] = sin((double)i);
    const ritz_external_loads loads = {.n_surfaces = 2, .surfaces = surfaces, .nodal = nodal};
    fill_elastic(&m, 1, first, rhs);
    OK(ritz_assembler_rhs(m.assembler, m.form, &input, &loads, second, rhs));
    OK(ritz_assembler_fill(m.assembler, m.form, &input, &loads, second, right));
    for (int64_t i = 0; i < m.n; i++)
        size = fmax(size, fabs(right[i]));
    assert_true(largest_difference(right, rhs, m.n) < 1e-13 * size);
    ritz_constraints_destroy(&first);
    ritz_constraints_destroy(&second);
    free(young);
    free(nodal);
    free(rhs);
    free(right);
    free_model(&m);
}

/* ---- Data ---- */

/* Conductivity 1 + x y + z^2 as an expression, at points, and as a field of order 2, which holds it on straight cells. */
static void kinds_of_data(void **state)
{
    (void)state;
    model m = make_model((ritz_box){.cell = RITZ_TET, .cells = {2, 2, 2}, .distort = 0.3}, 1, "poisson");
    const int64_t n_cells = ritz_mesh_n_cells(m.mesh, RITZ_TET);
    const int n_points = ritz_integrate_n_points(m.space, RITZ_TET, 4);
    ritz_space *quadratic = NULL;
    OK(ritz_space_create(m.mesh, 2, 2, &quadratic));
    double *x = numbers(n_cells * n_points * 3), *at_points = numbers(n_cells * n_points), *matrices[3];
    double *field = numbers(ritz_space_n_dofs(quadratic));
    OK(ritz_integrate_points(m.space, RITZ_TET, 4, x));
    for (int64_t k = 0; k < n_cells * n_points; k++)
        at_points[k] = 1 + x[3 * k] * x[3 * k + 1] + x[3 * k + 2] * x[3 * k + 2];
    const double *nodes = ritz_space_coordinates(quadratic), *points[RITZ_N_CELLS] = {[RITZ_TET] = at_points};
    for (int64_t k = 0; k < ritz_space_n_nodes(quadratic); k++)
        field[2 * k + 1] = 1 + nodes[3 * k] * nodes[3 * k + 1] + nodes[3 * k + 2] * nodes[3 * k + 2];
    const ritz_data data[] = {
        {.name = "conductivity", .kind = RITZ_DATA_EXPRESSION, .expression = "1 + x*y + z*z"},
        {.name = "conductivity", .kind = RITZ_DATA_POINT, .points = points},
        {.name = "conductivity", .kind = RITZ_DATA_FIELD, .values = field, .space = quadratic, .component = 1}};
    const ritz_integrate_options options = {.size = sizeof options, .degree = 4};
    for (int k = 0; k < 3; k++) {
        matrices[k] = numbers(n_cells * 16);
        const ritz_input input = {.n_data = 1, .data = &data[k]};
        OK(ritz_integrate(device, m.space, RITZ_TET, m.form, &input, &options, matrices[k], NULL));
        assert_true(largest_difference(matrices[0], matrices[k], n_cells * 16) < 1e-14);
    }
    for (int k = 0; k < 3; k++)
        free(matrices[k]);
    free(x);
    free(at_points);
    free(field);
    ritz_space_destroy(&quadratic);
    free_model(&m);
}

/* Isotropic elasticity as a user would write it, against the built-in form. */
static void own_elasticity(void **state)
{
    (void)state;
    model m = make_model((ritz_box){.cell = RITZ_TET, .cells = {2, 1, 1}, .distort = 0.2}, 2, "elasticity");
    const ritz_form_datum names[] = {{"young", NAN}, {"poisson", NAN}};
    const ritz_form_expression shear[] = {{"mu", "young / (2 * (1 + poisson))"}};
    ritz_form_term terms[27];
    ritz_form *own = NULL;
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            terms[n++] = (ritz_form_term){i, j, i + 1, j + 1, "2 * mu * poisson / (1 - 2 * poisson)", 0};
            terms[n++] = (ritz_form_term){i, i, j + 1, j + 1, "mu", 0};
            terms[n++] = (ritz_form_term){i, j, j + 1, i + 1, "mu", 1};
        }
    ritz_form_definition definition = {.dim = 3,
                                       .n_components = 3,
                                       .n_data = 2,
                                       .data = names,
                                       .n_expressions = 1,
                                       .expressions = shear,
                                       .n_terms = n,
                                       .terms = terms};
    OK(ritz_form_define(&definition, &own));
    assert_true(ritz_form_is_symmetric(own));
    ritz_data data[2];
    double *young;
    const ritz_input input = elastic_input(&m, 1, data, &young);
    const int64_t n_cells = ritz_mesh_n_cells(m.mesh, RITZ_TET), n_entries = n_cells * 30 * 30;
    double *matrices[] = {numbers(n_entries), numbers(n_entries)};
    OK(ritz_integrate(device, m.space, RITZ_TET, m.form, &input, NULL, matrices[0], NULL));
    OK(ritz_integrate(device, m.space, RITZ_TET, own, &input, NULL, matrices[1], NULL));
    assert_true(largest_difference(matrices[0], matrices[1], n_entries) < 1e-12);
    terms[0].factor = 2;
    terms[3].factor = 3;
    ritz_form_destroy(&own);
    OK(ritz_form_define(&definition, &own));
    assert_false(ritz_form_is_symmetric(own)); /* c[0][1][1][2], and not c[1][0][2][1] */
    ritz_form_destroy(&own);
    free(young);
    free(matrices[0]);
    free(matrices[1]);
    free_model(&m);
}

/* ---- Loads ---- */

/* Forces and moments of loads on a unit cube by hand. */
static void surface_loads(void **state)
{
    (void)state;
    model m = make_model((ritz_box){.cell = RITZ_TET, .cells = {2, 2, 2}, .distort = 0.2}, 2, "elasticity");
    const double *x = ritz_space_coordinates(m.space);
    double *rhs = numbers(m.n), force[3] = {0}, moment = 0;
    const ritz_surface_load surfaces[] = {{.group = "x1", .value = {1, -2, 0}, .expression = {NULL, NULL, "y * t"}},
                                          {.group = "z0", .pressure = true, .value = {5}}};
    const ritz_external_loads loads = {.n_surfaces = 2, .surfaces = surfaces};
    const ritz_data data[] = {{.name = "young", .value = 1}, {.name = "poisson", .value = 0}};
    const ritz_input input = {.n_data = 2, .data = data, .time = 3};
    OK(ritz_assembler_fill(m.assembler, m.form, &input, &loads, NULL, rhs));
    for (int64_t i = 0; i < m.n; i++)
        force[i % 3] += rhs[i];
    for (int64_t node = 0; node < m.n / 3; node++)
        moment += x[3 * node + 1] * rhs[3 * node + 2] - x[3 * node + 2] * rhs[3 * node + 1];
    assert_true(fabs(force[0] - 1) < 1e-14 && fabs(force[1] + 2) < 1e-14 && fabs(force[2] - (1.5 + 5)) < 1e-14);
    assert_true(fabs(moment - (1 + 2.5 + 1)) < 1e-13); /* of y t, of the pressure, of the shear */
    free(rhs);
    free_model(&m);
}

static void prescribed_lists(void **state)
{
    (void)state;
    model m = make_model((ritz_box){.cell = RITZ_TET, .cells = {2, 2, 2}}, 1, "elasticity");
    ritz_constraints *c = clamp_group(&m, "x0", 0.5);
    const int64_t n_side = 9, more[] = {m.n - 1, 0};
    int64_t dofs[32];
    double values[32], *all = numbers(m.n);
    const double own[] = {7, 8};
    assert_int_equal(ritz_constraints_n_dofs(c), 3 * n_side);
    OK(ritz_constraints_set_dofs(c, 2, more, own));
    OK(ritz_constraints_get(c, dofs, values));
    const int64_t n = ritz_constraints_n_dofs(c);
    assert_true(n > 3 * n_side && dofs[n - 1] == m.n - 1 && values[n - 1] == 7 && dofs[0] == 0 && values[0] == 8);
    for (int64_t i = 0; i < m.n; i++)
        all[i] = (double)i;
    OK(ritz_constraints_set_values(c, all));
    OK(ritz_constraints_get(c, dofs, values));
    for (int64_t k = 0; k < n; k++)
        assert_true(values[k] == (double)dofs[k] && (k == 0 || dofs[k] > dofs[k - 1]));
    OK(ritz_constraints_set_values(c, NULL));
    OK(ritz_constraints_get(c, NULL, values));
    assert_true(values[0] == 0 && values[n - 1] == 0);
    ritz_constraints_destroy(&c);
    free(all);
    free_model(&m);
}

/* ---- Newton's method ---- */

/* u = sin(x + 2 y) / 2 solves -div((1 + u^2) grad u) = f. */
static double exact(const double *x)
{
    return 0.5 * sin(x[0] + 2 * x[1]);
}

static ritz_form *tangent(void)
{
    const ritz_form_datum data[] = {{"f", NAN}};
    const ritz_form_expression k[] = {{"k", "1 + u*u"}};
    const ritz_form_term terms[] = {{.iD = 1, .jD = 1, .coefficient = "k"},
                                    {.iD = 2, .jD = 2, .coefficient = "k"},
                                    {.iD = 1, .coefficient = "u * u_x", .factor = 2},
                                    {.iD = 2, .coefficient = "u * u_y", .factor = 2}};
    const ritz_form_load loads[] = {{.coefficient = "f"},
                                    {.iD = 1, .coefficient = "k * u_x", .factor = -1},
                                    {.iD = 2, .coefficient = "k * u_y", .factor = -1}};
    const ritz_form_definition definition = {.dim = 2,
                                             .n_components = 1,
                                             .n_data = 1,
                                             .data = data,
                                             .n_expressions = 1,
                                             .expressions = k,
                                             .n_terms = 4,
                                             .terms = terms,
                                             .n_loads = 3,
                                             .loads = loads};
    ritz_form *form = NULL;
    OK(ritz_form_define(&definition, &form));
    assert_false(ritz_form_is_symmetric(form));
    return form;
}

/* One step; the largest change. */
static double newton_step(const model *m, ritz_constraints *boundary, double *u)
{
    static const char *const f =
        "2.5*sin(x + 2*y)*(1 + 0.25*pow(sin(x + 2*y), 2)) - 1.25*sin(x + 2*y)*pow(cos(x + 2*y), 2)";
    const double *x = ritz_space_coordinates(m->space);
    const ritz_data data = {.name = "f", .kind = RITZ_DATA_EXPRESSION, .expression = f};
    const ritz_input input = {.n_data = 1, .data = &data, .old = u};
    const ritz_solve_options options = {.method = RITZ_BICGSTAB, .tolerance = 1e-13};
    double *missing = numbers(m->n), *rhs = numbers(m->n), *du = numbers(m->n), change = 0;
    for (int64_t i = 0; i < m->n; i++)
        missing[i] = exact(x + 2 * i) - u[i];
    OK(ritz_constraints_set_values(boundary, missing));
    OK(ritz_assembler_fill(m->assembler, m->form, &input, NULL, boundary, rhs));
    OK(ritz_solve(ritz_assembler_matrix(m->assembler), &options, rhs, du, NULL));
    for (int64_t i = 0; i < m->n; i++) {
        u[i] += du[i];
        change = fmax(change, fabs(du[i]));
    }
    free(missing);
    free(rhs);
    free(du);
    return change;
}

static double newton_error(int cells)
{
    model m = make_model((ritz_box){.cell = RITZ_QUAD, .cells = {cells, cells}}, 2, NULL);
    ritz_constraints *boundary = clamp_group(&m, "x0", 0);
    const double *x = ritz_space_coordinates(m.space);
    double *u = numbers(m.n), change[5], error = 0;
    OK(ritz_constraints_set_group(boundary, "x1", 0, 0));
    OK(ritz_constraints_set_group(boundary, "y0", 0, 0));
    OK(ritz_constraints_set_group(boundary, "y1", 0, 0));
    m.form = tangent();
    for (int step = 0; step < 5; step++)
        change[step] = newton_step(&m, boundary, u);
    const double exponent = log(change[3] / change[2]) / log(change[2] / change[1]);
    print_message("changes of u: %.1e %.1e %.1e %.1e %.1e, exponent %.2f\n", change[0], change[1], change[2], change[3],
                  change[4], exponent);
    assert_true(exponent > 1.8 && change[4] < 1e-13);
    for (int64_t i = 0; i < m.n; i++)
        error = fmax(error, fabs(u[i] - exact(x + 2 * i)));
    ritz_constraints_destroy(&boundary);
    free(u);
    free_model(&m);
    return error;
}

/* Quadratic steps, to the manufactured solution at the order of the elements (at nodes, one better or more). */
static void newton(void **state)
{
    (void)state;
    const double coarse = newton_error(4), fine = newton_error(8), order = log2(coarse / fine);
    print_message("errors at nodes %.2e and %.2e, order %.2f\n", coarse, fine, order);
    assert_true(order > 2.8 && fine < 1e-3);
}

/* Coefficients that have no value in some element, and overflow: told with the row, and the next fill is as ever. */
static void values_that_are_not_finite(void **state)
{
    (void)state;
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_form *form = NULL;
    ritz_assembler *a = NULL;
    OK(ritz_mesh_box(&(ritz_box){.cell = RITZ_TET, .cells = {2, 2, 2}, .size = {1, 1, 1}}, &mesh));
    OK(ritz_space_create(mesh, 1, 1, &space));
    OK(ritz_form_create("poisson", 3, &form));
    OK(ritz_assembler_create(device, space, NULL, &a));
    static const struct {
        const char *conductivity, *source, *words;
    } cases[] = {{"log(x - 0.9)", "1", "of the assembled matrix is not finite in double precision"},
                 {"1 + x", "1 / (y - y)", "of the assembled right-hand side is not finite in double precision"},
                 {"1e300 * (1 + x)", "1e200", NULL}, /* their squares are not, they are */
                 {"1 + x", "1", NULL}};
    for (int i = 0; i < 4; i++) {
        const ritz_data data[] = {
            {.name = "conductivity", .kind = RITZ_DATA_EXPRESSION, .expression = cases[i].conductivity},
            {.name = "source", .kind = RITZ_DATA_EXPRESSION, .expression = cases[i].source}};
        const ritz_input input = {.n_data = 2, .data = data};
        const ritz_status status = ritz_assembler_fill(a, form, &input, NULL, NULL, NULL);
        assert_int_equal(status, cases[i].words ? RITZ_ERROR_INPUT : RITZ_OK);
        if (cases[i].words)
            assert_non_null(strstr(ritz_message(), cases[i].words));
    }
    ritz_assembler_destroy(&a);
    ritz_form_destroy(&form);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* ---- Out as arrays ---- */

static void arrays(void **state)
{
    (void)state;
    model m = make_model((ritz_box){.cell = RITZ_TET, .cells = {2, 1, 1}}, 1, "elasticity");
    double *young;
    ritz_data data[2];
    ritz_rows *r = NULL;
    const ritz_input input = elastic_input(&m, 0, data, &young);
    OK(ritz_assembler_fill(m.assembler, m.form, &input, NULL, NULL, NULL));
    const ritz_matrix *matrix = ritz_assembler_matrix(m.assembler);
    const int64_t n = ritz_matrix_nonzeros(matrix);
    OK(ritz_matrix_get_rows(matrix, 1, &r));
    int32_t *start32 = calloc((size_t)m.n + 1, 4), *rows32 = calloc((size_t)n, 4), *columns32 = calloc((size_t)n, 4);
    int64_t *start64 = calloc((size_t)m.n + 1, 8), *rows64 = calloc((size_t)n, 8), *columns64 = calloc((size_t)n, 8),
            got;
    double *v = numbers(n);
    OK(ritz_matrix_get_csr(matrix, RITZ_INDEX_I64, n, start64, columns64, v, &got));
    assert_true(got == n && memcmp(start64, r->row_start, 8 * (size_t)(m.n + 1)) == 0);
    for (int64_t k = 0; k < n; k++)
        assert_int_equal(columns64[k], r->columns[k]);
    assert_memory_equal(v, r->values, 8 * (size_t)n);
    OK(ritz_matrix_get_csr(matrix, RITZ_INDEX_I32, n, start32, columns32, v, &got));
    assert_memory_equal(columns32, r->columns, 4 * (size_t)n);
    OK(ritz_matrix_get_coo(matrix, RITZ_INDEX_I32, n, rows32, columns32, v, &got));
    OK(ritz_matrix_get_coo(matrix, RITZ_INDEX_I64, n, rows64, columns64, v, &got));
    for (int64_t row = 0; row < m.n; row++)
        for (int64_t k = r->row_start[row]; k < r->row_start[row + 1]; k++)
            assert_true(rows32[k] == row && rows64[k] == row && columns64[k] == r->columns[k] &&
                        start32[row] == start64[row] && v[k] == r->values[k]);
    free(start32);
    free(rows32);
    free(columns32);
    free(start64);
    free(rows64);
    free(columns64);
    free(v);
    free(young);
    ritz_rows_destroy(&r);
    free_model(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_as_fresh),
        cmocka_unit_test(second_fill_is_cheap),
        cmocka_unit_test(load_cases),
        cmocka_unit_test(kinds_of_data),
        cmocka_unit_test(own_elasticity),
        cmocka_unit_test(surface_loads),
        cmocka_unit_test(prescribed_lists),
        cmocka_unit_test(newton),
        cmocka_unit_test(values_that_are_not_finite),
        cmocka_unit_test(arrays),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
