/* The degree of quadrature: distorted cells against exact integrals, and everything that integrates takes it. */
#include "arrays.h"
#include "assemble/assemble.h"
#include "elements.h"
#include "problems.h"
#include "stress.h"

#include <stdio.h>

/* One distorted cell of each type, with the trace and the sum of squares of its stiffness of order 2 and conductivity
   exp(x + y / 2), as degree_peer.py has them. */
static const struct {
    int n_nodes;
    double x[24], trace, squares;
} exact[RITZ_N_CELLS] = {
    [RITZ_TRI] = {3, {0, 0, 1.5, 0.2, 0.3, 1.2}, 22.822145930225, 179.58897353719},
    [RITZ_QUAD] = {4, {0, 0, 1.5, 0.2, 1.1, 1.3, -0.2, 0.8}, 47.193405499025, 567.71429419824},
    [RITZ_TET] = {4, {0, 0, 0, 1.5, 0.2, 0.1, 0.3, 1.2, 0, 0.1, 0.3, 0.9}, 10.371631895904, 22.957214636416},
    [RITZ_PRISM] = {6,
                    {0, 0, 0, 1.5, 0.2, 0.1, 0.3, 1.2, 0, 0.1, 0.2, 0.9, 1.1, 0, 1.3, 0.2, 0.8, 1.1},
                    27.632373420884,
                    111.76914548496},
    [RITZ_HEX] = {8,
                  {0,   0,   0,   1.5, 0.2, 0.1, 1.1, 1.3, -0.1, -0.2, 0.8, 0,
                   0.1, 0.2, 0.9, 1.1, 0,   1.3, 1.2, 1.1, 1.2,  0.2,  0.8, 1.1},
                  61.258557019486,
                  412.62730491848},
};

/* An integral over that cell, with all that it stands on. */
typedef struct one_cell {
    ritz_mesh *mesh;
    ritz_form *form;
    ritz_space *space;
    ritz_expression *expression;
    const ritz_expression *expressions[1];
    ritz_datum data[RITZ_MAX_DATA];
    ritz_integral integral;
} one_cell;

static void make_cell(ritz_cell cell, int order, const char *conductivity, one_cell *c)
{
    static const int32_t vertices[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int dim = ritz_cell_dim(cell);
    *c = (one_cell){0};
    OK(mesh_from_arrays(cell, exact[cell].n_nodes, exact[cell].x, 1, vertices, &c->mesh));
    OK(ritz_form_create("poisson", dim, &c->form));
    OK(ritz_space_create(c->mesh, order, 1, &c->space));
    OK(ritz_expression_create(conductivity, c->form->variables.pointers, c->form->variables.n, &c->expression));
    c->expressions[0] = c->expression;
    for (int d = 0; d < c->form->n_data; d++)
        c->data[d].value = 1;
    c->data[ritz_form_find_data(c->form, "conductivity")] =
        (ritz_datum){.kind = RITZ_DATA_EXPRESSION, .expressions = c->expressions, .n_expressions = 1};
    c->integral = (ritz_integral){.space = c->space, .batch = &c->space->batches[0], .form = c->form, .data = c->data};
}

static void free_cell(one_cell *c)
{
    ritz_expression_destroy(&c->expression);
    ritz_space_destroy(&c->space);
    ritz_form_destroy(&c->form);
    ritz_mesh_destroy(&c->mesh);
}

/* The larger relative error of trace and sum of squares. */
static double matrix_error(ritz_cell cell, const double *matrix, int rows)
{
    double trace = 0, squares = 0;
    for (int i = 0; i < rows * rows; i++) {
        trace += i % (rows + 1) == 0 ? matrix[i] : 0;
        squares += matrix[i] * matrix[i];
    }
    return fmax(fabs(trace / exact[cell].trace - 1), fabs(squares / exact[cell].squares - 1));
}

static double reference_error(ritz_cell cell, int degree)
{
    one_cell c;
    make_cell(cell, 2, "exp(x + y/2)", &c);
    c.integral.degree = degree;
    double matrix[27 * 27];
    OK(ritz_integrate_reference(&c.integral, NULL, 1, matrix, NULL));
    const double error = matrix_error(cell, matrix, c.space->batches[0].n_shape);
    free_cell(&c);
    return error;
}

static void test_cells_converge_to_exact_integrals(void **state)
{
    (void)state;
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        double last = reference_error((ritz_cell)cell, 0);
        assert_true(last > 1e-5); /* the default is not exact here */
        assert_true(last == reference_error((ritz_cell)cell, 4));
        for (int degree = 8; degree <= 20; degree += 6) {
            const double error = reference_error((ritz_cell)cell, degree);
            print_message("%s, degree %d: %.1e\n", ritz_cell_name((ritz_cell)cell), degree, error);
            assert_true(error < 0.1 * last || error < 1e-12);
            last = error;
        }
        assert_true(reference_error((ritz_cell)cell, RITZ_MAX_DEGREE) < 1e-12);
    }
    one_cell c;
    double matrix[27 * 27];
    make_cell(RITZ_PRISM, 2, "1", &c);
    c.integral.degree = RITZ_MAX_DEGREE + 1;
    assert_int_equal(ritz_integrate_reference(&c.integral, NULL, 1, matrix, NULL), RITZ_ERROR_INPUT);
    free_cell(&c);
}

/* The integral of exp(3 x) over the side y = 1 of a square, as the sum of a load of tractions. */
static void test_surfaces_take_the_degree(void **state)
{
    (void)state;
    const ritz_box box = {.cell = RITZ_QUAD, .cells = {1, 1}};
    static const char *const names[] = {"x", "y", "z"};
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_expression *flux = NULL;
    int32_t group;
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_mesh_find_group(mesh, "y1", 1, &group));
    OK(ritz_space_create(mesh, 1, 1, &space));
    OK(ritz_expression_create("exp(3*x)", names, 3, &flux));
    const ritz_expression *value = flux;
    for (int degree = 0; degree <= RITZ_MAX_DEGREE; degree += RITZ_MAX_DEGREE) {
        const ritz_facet_load facet_load = {.group = group, .value = &value, .degree = degree};
        double load[4] = {0};
        OK(ritz_integrate_facets(space, &facet_load, load));
        const double error = fabs(load[0] + load[1] + load[2] + load[3] - (exp(3) - 1) / 3);
        assert_true(degree ? error < 1e-13 : error > 1e-3);
    }
    ritz_expression_destroy(&flux);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* The stress exp(4 x) of u = x on one square of order 1, projected on bilinear functions: a + b x in closed form. */
static void test_stress_takes_the_degree(void **state)
{
    (void)state;
    const ritz_box box = {.cell = RITZ_QUAD, .cells = {1, 1}};
    static const char *const names[] = {"x", "y", "z"};
    ritz_mesh *mesh = NULL;
    ritz_space *space = NULL;
    ritz_expression *e = NULL;
    double u[8] = {0}, s[24];
    OK(ritz_mesh_box(&box, &mesh));
    OK(ritz_space_create(mesh, 1, 2, &space));
    OK(ritz_expression_create("exp(4*x)", names, 3, &e));
    const ritz_expression *expressions[] = {e};
    const ritz_datum young = {.kind = RITZ_DATA_EXPRESSION, .expressions = expressions, .n_expressions = 1};
    const ritz_datum poisson = {.value = 0};
    for (int n = 0; n < 4; n++)
        u[2 * n] = space->coordinates[2 * n];
    const double m0 = (exp(4) - 1) / 4, m1 = (3 * exp(4) + 1) / 16, a = 4 * m0 - 6 * m1, b = 12 * m1 - 6 * m0;
    for (int degree = 0; degree <= RITZ_MAX_DEGREE; degree += RITZ_MAX_DEGREE) {
        double error = 0;
        OK(recover_stress(space, "plane-stress", &young, &poisson, degree, u, s));
        for (int n = 0; n < 4; n++)
            error = fmax(error, fabs(s[6 * n] - (a + b * space->coordinates[2 * n])));
        assert_true(degree ? error < 1e-11 : error > 1e-2);
    }
    ritz_expression_destroy(&e);
    ritz_space_destroy(&space);
    ritz_mesh_destroy(&mesh);
}

/* ---- On the device ---- */

/* Each method on one cell that it serves, in turn, and the one that factorises on all of its own; point data stand at
   the points of the rule. */
static void test_methods_take_the_degree(void **state)
{
    (void)state;
    static const int degrees[RITZ_N_CELLS] = {15, 9, 16, 8, 7};
    int n_methods, n_compared = 0;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    for (int cell = 0; cell < RITZ_N_CELLS; cell++) {
        ritz_mesh *mesh = random_mesh((ritz_cell)cell, 2);
        ritz_form *form = NULL;
        ritz_space *space = NULL;
        test_data data;
        OK(ritz_form_create("poisson", mesh->dim, &form));
        OK(ritz_space_create(mesh, 2, 1, &space));
        const int n_quad = ritz_quadrature_n_points((ritz_cell)cell, degrees[cell]);
        make_data(form, space->batches[0].n_cells, n_quad, true, &data);
        const ritz_integral integral = {
            .space = space, .batch = &space->batches[0], .form = form, .data = data.datum, .degree = degrees[cell]};
        ritz_case c;
        ritz_case_of(&integral, RITZ_F64, &c);
        for (int m = 0; m < n_methods; m++) {
            double vector_error;
            const bool factorises = strcmp(methods[m]->name, "factor") == 0;
            if (strcmp(methods[m]->name, "tensor") == 0) /* the coefficients are in no polynomial space */
                continue;
            if (!methods[m]->applies(&c, ritz_device_get_info(device)) || (m % RITZ_N_CELLS != cell && !factorises))
                continue;
            const double error = device_error(&integral, methods[m]->name, RITZ_F64, NULL, 0, &vector_error);
            if (!(error <= device_tolerance(RITZ_F64) && vector_error <= device_tolerance(RITZ_F64)))
                fail_msg("%s on %s: errors %g %g", methods[m]->name, ritz_cell_name((ritz_cell)cell), error,
                         vector_error);
            n_compared++;
        }
        free_data(&data);
        ritz_space_destroy(&space);
        ritz_form_destroy(&form);
        ritz_mesh_destroy(&mesh);
    }
    assert_true(n_compared >= 10);
}

/* The options of the interface: element matrices against exact integrals, u . A u of the assembled matrix with them. */
static void test_options_take_the_degree(void **state)
{
    (void)state;
    one_cell c;
    make_cell(RITZ_PRISM, 2, "1", &c);
    enum { ROWS = 18 };
    double matrix[2][ROWS * ROWS], x[ROWS], y[ROWS], expected[ROWS] = {0};
    ritz_integral integral = c.integral;
    ritz_datum constant[RITZ_MAX_DATA] = {{.value = 1}, {.value = 1}};
    integral.data = constant;
    integral.degree = RITZ_MAX_DEGREE;
    OK(ritz_integrate_reference(&integral, NULL, 1, matrix[0], NULL));
    for (int degree = 0; degree <= RITZ_MAX_DEGREE; degree += RITZ_MAX_DEGREE) {
        const ritz_integrate_options options = {.precision = RITZ_F64, .degree = degree};
        OK(ritz_integrate(device, c.space, RITZ_PRISM, c.form, NULL, &options, matrix[1], NULL));
        const double error = relative_error(matrix[1], matrix[0], ROWS * ROWS);
        print_message("one prism at degree %d: %.1e from exact integration\n", degree, error);
        assert_true(degree ? error < 1e-12 : error > 1e-4);
    }
    ritz_matrix *assembled = NULL;
    const ritz_assemble_options options = {.precision = RITZ_F64, .degree = RITZ_MAX_DEGREE};
    OK(ritz_assemble(device, c.space, c.form, NULL, &options, &assembled, NULL));
    const int32_t *nodes = c.space->batches[0].cell_nodes;
    for (int i = 0; i < ROWS; i++)
        x[nodes[i]] = 1 + i * i;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            expected[nodes[i]] += matrix[0][i * ROWS + j] * x[nodes[j]];
    OK(ritz_matrix_multiply(assembled, x, y));
    assert_true(relative_error(y, expected, ROWS) < 1e-12);
    ritz_matrix_destroy(&assembled);
    for (int degree = -1; degree <= RITZ_MAX_DEGREE + 1; degree += RITZ_MAX_DEGREE + 2) {
        const ritz_integrate_options bad = {.degree = degree};
        assert_int_equal(ritz_integrate(device, c.space, RITZ_PRISM, c.form, NULL, &bad, matrix[1], NULL),
                         RITZ_ERROR_INPUT);
        assert_non_null(strstr(ritz_message(), "no quadrature of degree"));
    }
    free_cell(&c);
}

/* ---- The problem file ---- */

static ritz_status solve_problem(const char *text, const char *setting, ritz_result *result)
{
    ritz_problem *problem = NULL;
    ritz_status status = parse_problem(text, "", setting, &problem);
    if (status == RITZ_OK)
        status = ritz_problem_solve(problem, result);
    ritz_problem_destroy(&problem);
    return status;
}

/* u = x + y in a medium of conductivity exp(4 x): in the space of order 1, but found only if all terms are integrated
   exactly: those of cells, of sides, and of load cases. */
static void test_problems_take_the_degree(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "source: -4*exp(4*x)\nexact: x + y\nboundary:\n- {group: x0, value: y}\n- {group: x1, flux: exp(4)}\n"
        "- {group: y0, flux: -exp(4*x)}\n- {group: y1, flux: exp(4*x)}\n",
        "boundary: {group: x0, value: 0}\ncases:\n- {name: a, source: -4*exp(4*x), exact: x + y, boundary: [{group: "
        "x0, "
        "value: y}, {group: x1, flux: exp(4)}, {group: y0, flux: -exp(4*x)}, {group: y1, flux: exp(4*x)}]}\n",
    };
    for (int i = 0; i < 2; i++) {
        char text[1024];
        ritz_result r = {.size = sizeof r};
        snprintf(text, sizeof text,
                 "mesh: {box: {cells: [2, 2], cell: tri, distort: 0.2}}\nphysics: poisson\norder: 1\n"
                 "materials: {conductivity: exp(4*x)}\nsolver: {tolerance: 1e-13}\n%s",
                 texts[i]);
        OK(solve_problem(text, NULL, &r));
        assert_true(r.error_l2 > 1e-4);
        OK(solve_problem(text, "quadrature={degree: 24}", &r));
        if (!(r.error_l2 < 1e-11 && r.error_h1 < 1e-10))
            fail_msg("errors %g %g for\n%s", r.error_l2, r.error_h1, text);
        OK(solve_problem(text, "quadrature={degree: 1}", &r)); /* a point is enough for straight triangles of order 1 */
    }
}

static void test_bad_degrees_are_told(void **state)
{
    (void)state;
    static const char *const start =
        "mesh: {box: {cells: [2, 2]}}\nphysics: poisson\nboundary: {group: x0, value: 0}\n";
    static const struct {
        const char *setting, *parts[3];
    } mistakes[] = {
        {"quadrature={degree: 0}", {"degree", "between 1 and 30", "got 0"}},
        {"quadrature={degree: 31}", {"degree", "between 1 and 30", "got 31"}},
        {"quadrature={degree: 4.5}", {"degree", "whole number", "4.5"}},
        {"quadrature={}", {"quadrature", "degree", "degree: 8"}},
        {"quadrature={degrees: 8}", {"degrees", "degree", "quadrature"}},
        {"quadrature={degree: 3}", {"a quadrature of degree 3", "quad cells of order 2", "take degree 4 or more"}},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ritz_result r = {.size = sizeof r};
        assert_int_equal(solve_problem(start, mistakes[i].setting, &r), RITZ_ERROR_INPUT);
        for (int k = 0; k < 3; k++)
            if (!strstr(ritz_message(), mistakes[i].parts[k]))
                fail_msg("'%s' is not in: %s", mistakes[i].parts[k], ritz_message());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_converge_to_exact_integrals),
        cmocka_unit_test(test_surfaces_take_the_degree),
        cmocka_unit_test(test_stress_takes_the_degree),
        cmocka_unit_test(test_methods_take_the_degree),
        cmocka_unit_test(test_options_take_the_degree),
        cmocka_unit_test(test_problems_take_the_degree),
        cmocka_unit_test(test_bad_degrees_are_told),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
