/* Coefficients that depend on u and its gradient: -div((1 + u^2) grad u) = f with a known solution, by Picard (form
   poisson, conductivity of the old u) and by Newton (form convection-diffusion with the full tangent).
   Run as: test_quasilinear CELL */
#include "newton.h"

#include <stdio.h>

static ritz_cell cell;

/* With s = x + 2 y - z and |grad s|^2 = K: f = -(1 + u^2) lap u - 2 u |grad u|^2. */
static const char *const exact_text = "0.5 * sin(x + 2*y - z)";
static const char *const source_text =
    "%d * 0.5 * sin(x + 2*y - z) * (1 + 0.25 * pow(sin(x + 2*y - z), 2) - 0.5 * pow(cos(x + 2*y - z), 2))";

static void exact(const double *x, double *u)
{
    u[0] = 0.5 * sin(x[0] + 2 * x[1] - x[2]);
}

/* A datum that is an expression of the form's variables; free with free_data. */
static ritz_datum expression_datum(const ritz_form *form, const char *text)
{
    ritz_expression **list = calloc(1, sizeof *list);
    OK(ritz_expression_create(text, form->variables.pointers, form->variables.n, list));
    return (ritz_datum){
        .kind = RITZ_DATA_EXPRESSION, .expressions = (const ritz_expression *const *)list, .n_expressions = 1};
}

static void free_data(const ritz_form *form, ritz_datum *data)
{
    for (int d = 0; d < form->n_data; d++)
        if (data[d].kind == RITZ_DATA_EXPRESSION) {
            ritz_expression **list = (ritz_expression **)data[d].expressions;
            ritz_expression_destroy(list);
            free(list);
        }
}

static void set_datum(const ritz_form *form, ritz_datum *data, const char *name, const char *text)
{
    const int d = ritz_form_find_data(form, name);
    assert_true(d >= 0);
    data[d] = expression_datum(form, text);
}

/* Newton: (c grad du + 2 u grad u du, grad w) = (f, w) - (c grad u, grad w), c = 1 + u^2. */
static void newton_data(const ritz_form *form, const char *source, ritz_datum *data)
{
    for (int D = 1; D <= form->dim; D++) {
        char name[8], text[48];
        snprintf(name, sizeof name, "c%d%d", D, D);
        set_datum(form, data, name, "1 + u*u");
        snprintf(name, sizeof name, "c%d0", D);
        snprintf(text, sizeof text, "2 * u * u_%c", "xyz"[D - 1]);
        set_datum(form, data, name, text);
        snprintf(name, sizeof name, "f%d", D);
        snprintf(text, sizeof text, "-(1 + u*u) * u_%c", "xyz"[D - 1]);
        set_datum(form, data, name, text);
    }
    set_datum(form, data, "f0", source);
}

/* Newton or Picard on a box of n cells a side; the caller destroys it. By default any method in f64; a given method
   is asked for the solution in f64, for the elements of two steps in f32. False: it does not serve this. */
static bool solve_picard_or_newton(int n_cells, int order, bool picard, const ritz_method *method,
                                   ritz_precision precision, newton *n)
{
    const int dim = ritz_cell_dim(cell);
    char source[160];
    ritz_mesh *mesh = NULL;
    ritz_form *form = NULL;
    ritz_datum data[RITZ_MAX_DATA] = {0};
    snprintf(source, sizeof source, source_text, dim == 2 ? 5 : 6);
    OK(ritz_mesh_box(&(ritz_box){.cell = cell, .cells = {n_cells, n_cells, n_cells}, .distort = 0.1}, &mesh));
    OK(ritz_form_create(picard ? "poisson" : "convection-diffusion", dim, &form));
    newton_create(n, mesh, order, 1);
    newton_prescribe_skin(n, exact);
    if (picard) {
        set_datum(form, data, "conductivity", "1 + u*u");
        set_datum(form, data, "source", source);
    } else {
        newton_data(form, source, data);
    }
    n->form = form;
    n->data = data;
    n->whole = picard;
    n->solver = picard ? RITZ_CG : RITZ_BICGSTAB;
    const bool served = !method || newton_is_served(n, method, precision);
    if (served && precision == RITZ_F64) {
        n->method = method ? method->name : NULL;
        newton_solve(n, picard ? 1e-11 : 1e-12);
    } else if (served) {
        newton_step(n);
        newton_step(n);
        newton_check_elements(n, method, precision);
    }
    free_data(form, data);
    ritz_form_destroy(&form);
    n->form = NULL;
    n->data = NULL;
    return served;
}

static double l2_error(const newton *n)
{
    static const char *const names[] = {"x", "y", "z"};
    ritz_expression *expression = NULL;
    double l2, h1;
    OK(ritz_expression_create(exact_text, names, 3, &expression));
    const ritz_expression *const list[] = {expression};
    OK(ritz_error_norms(n->space, n->u, list, 0, &l2, &h1));
    ritz_expression_destroy(&expression);
    return l2;
}

static double difference(const newton *a, const newton *b)
{
    double largest = 0;
    assert_int_equal(a->n_dofs, b->n_dofs);
    for (int64_t k = 0; k < a->n_dofs; k++)
        largest = fmax(largest, fabs(a->u[k] - b->u[k]));
    return largest;
}

/* The discrete solution converges with order p + 1, Newton's steps square, and Picard ends at the same place. */
static void test_convergence(void **unused)
{
    (void)unused;
    const int last = wants_all() ? 4 : ritz_cell_dim(cell) == 2 ? 3 : 2;
    for (int p = 1; p <= last; p++) {
        const int coarse = ritz_cell_dim(cell) == 2 ? 4 : p <= 2 ? 3 : 2;
        newton by_newton[2], by_picard;
        solve_picard_or_newton(coarse, p, false, NULL, RITZ_F64, &by_newton[0]);
        solve_picard_or_newton(2 * coarse, p, false, NULL, RITZ_F64, &by_newton[1]);
        solve_picard_or_newton(coarse, p, true, NULL, RITZ_F64, &by_picard);
        const double l2[2] = {l2_error(&by_newton[0]), l2_error(&by_newton[1])}, order = log2(l2[0] / l2[1]);
        const double exponent = newton_exponent(&by_newton[0]), apart = difference(&by_newton[0], &by_picard);
        print_message("%s, order %d: L2 %.2e -> %.2e (%.2f); Newton %d steps, exponent %.2f; Picard %d steps, %.1e "
                      "apart\n",
                      ritz_cell_name(cell), p, l2[0], l2[1], order, by_newton[0].n_steps, exponent, by_picard.n_steps,
                      apart);
        assert_true(order > p + 0.7 && order < p + 2);
        assert_true(exponent > 1.8 && by_newton[0].n_steps <= 7);
        assert_true(apart < 1e-9);
        newton_destroy(&by_newton[0]);
        newton_destroy(&by_newton[1]);
        newton_destroy(&by_picard);
    }
}

/* Each method of integration gives the same solution; on two of the cells, the same elements in single precision. A
   method has its turn on every other cell. */
static void test_methods(void **unused)
{
    (void)unused;
    enum { ORDER = 2 };
    const ritz_precision precision = cell == RITZ_TRI || cell == RITZ_PRISM ? RITZ_F32 : RITZ_F64;
    newton first;
    int n_methods;
    const ritz_method *const *methods = ritz_methods(&n_methods);
    solve_picard_or_newton(2, ORDER, false, NULL, RITZ_F64, &first);
    for (int m = 0; m < n_methods; m++) {
        newton other;
        if (!wants_all() && (m + (int)cell) % 2)
            continue;
        if (solve_picard_or_newton(2, ORDER, false, methods[m], precision, &other) && precision == RITZ_F64) {
            const double apart = difference(&first, &other), exponent = newton_exponent(&other);
            print_message("%s, %s: %.1e apart, exponent %.2f\n", ritz_cell_name(cell), methods[m]->name, apart,
                          exponent);
            assert_true(apart < 1e-11 && exponent > 1.8);
        }
        newton_destroy(&other);
    }
    newton_destroy(&first);
}

int main(int argc, char **argv)
{
    if (argc != 2 || ritz_cell_from_name(argv[1], &cell) != RITZ_OK) {
        print_error("usage: test_quasilinear tri|quad|tet|prism|hex\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convergence), cmocka_unit_test(test_methods)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
