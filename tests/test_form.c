/* The built-in forms against tensors written down by hand from textbooks, their traits, and the sizes of the code
   they generate. */
#include "form/form.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != RITZ_OK)                                                                                         \
            fail_msg("%s: %s", #call, ritz_message());                                                                 \
    } while (0)

enum { N_VARIABLES = 4 + RITZ_MAX_COMPONENTS * 4 + RITZ_MAX_DATA };

typedef double tensor[3][3][4][4]; /* c[iE][jE][iD][jD] */

/* Fixed pseudo-random numbers in (0.5, 1.5). */
static uint64_t state = 88172645463325252u;
static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return 0.5 + (double)(state >> 11) * 0x1p-53;
}

static ritz_form *form_of(const char *name, int dim)
{
    ritz_form *form = NULL;
    OK(ritz_form_create(name, dim, &form));
    assert_int_equal(form->dim, dim);
    assert_string_equal(form->name, name);
    return form;
}

/* c and f of a form for given data and gradient of the old solution, by adding up its terms. */
static void expand_at(const ritz_form *form, const double *data, const double *gradient, tensor c, double f[3][4])
{
    const int n_c = form->n_components;
    double variables[N_VARIABLES] = {0}, coefficients[RITZ_MAX_COEFFICIENTS];
    memcpy(variables + 4 + n_c, gradient, (size_t)(n_c * form->dim) * sizeof *gradient);
    memcpy(variables + form->variables.n, data, (size_t)form->n_data * sizeof *data);
    ritz_form_evaluate(form, variables, coefficients);
    memset(c, 0, sizeof(tensor));
    memset(f, 0, sizeof(double[3][4]));
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        c[term->iE][term->jE][term->iD][term->jD] += term->factor * coefficients[term->coefficient];
    }
    for (int t = 0; t < form->n_load_terms; t++)
        f[form->load_terms[t].iE][form->load_terms[t].iD] +=
            form->load_terms[t].factor * coefficients[form->load_terms[t].coefficient];
}

static void expand_tensor(const ritz_form *form, const double *data, tensor c, double f[3][4])
{
    const double zeros[9] = {0};
    expand_at(form, data, zeros, c, f);
}

static void assert_same(const ritz_form *form, const double *got, const double *expected, int n, const char *what)
{
    for (int k = 0; k < n; k++)
        if (fabs(got[k] - expected[k]) > 1e-14 * fmax(1, fabs(expected[k])))
            fail_msg("%s in %dD: entry %d of %s is %.17g, not %.17g", form->name, form->dim, k, what, got[k],
                     expected[k]);
}

/* Expands the form and compares both tensors. */
static void check_form(const ritz_form *form, const double *data, tensor expected, double expected_load[3][4])
{
    tensor c;
    double f[3][4];
    expand_tensor(form, data, c, f);
    assert_same(form, &c[0][0][0][0], &expected[0][0][0][0], 3 * 3 * 4 * 4, "c");
    assert_same(form, &f[0][0], &expected_load[0][0], 3 * 4, "f");
}

static void test_scalar_forms(void **unused)
{
    (void)unused;
    for (int dim = 2; dim <= 3; dim++) {
        const double data[] = {3.25, -7.5};
        tensor c = {{{{0}}}};
        double f[3][4] = {{-7.5}};
        ritz_form *form = form_of("mass", dim);
        c[0][0][0][0] = 3.25;
        assert_int_equal(ritz_form_n_components(form), 1);
        check_form(form, data, c, f);
        ritz_form_destroy(&form);
        assert_null(form);

        form = form_of("poisson", dim);
        c[0][0][0][0] = 0;
        for (int d = 1; d <= dim; d++)
            c[0][0][d][d] = 3.25;
        check_form(form, data, c, f);
        ritz_form_destroy(&form);
    }
}

/* The datum named c<i><j> stands at c[0][0][i][j], f<i> at f[0][i], and nothing else does. */
static void test_convection_diffusion(void **unused)
{
    (void)unused;
    for (int dim = 2; dim <= 3; dim++) {
        ritz_form *form = form_of("convection-diffusion", dim);
        assert_int_equal(ritz_form_n_data(form), dim == 3 ? 20 : 12);
        double data[RITZ_MAX_DATA];
        tensor c = {{{{0}}}};
        double f[3][4] = {{0}};
        for (int k = 0; k < form->n_data; k++) {
            const char *name = ritz_form_data_name(form, k);
            data[k] = uniform();
            if (name[0] == 'c')
                c[0][0][name[1] - '0'][name[2] - '0'] = data[k];
            else
                f[0][name[1] - '0'] = data[k];
        }
        check_form(form, data, c, f);
        ritz_form_destroy(&form);
    }
}

/* c[iE][jE][iD][jD] = D[(iE, iD)][(jE, jD)] for the strain components exx eyy (ezz) and the engineering shears. */
static void from_voigt(int dim, double D[6][6], tensor c)
{
    static const int place_2d[2][2] = {{0, 2}, {2, 1}};
    static const int place_3d[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    memset(c, 0, sizeof(tensor));
    for (int iE = 0; iE < dim; iE++)
        for (int jE = 0; jE < dim; jE++)
            for (int a = 0; a < dim; a++)
                for (int b = 0; b < dim; b++)
                    c[iE][jE][a + 1][b + 1] =
                        dim == 2 ? D[place_2d[iE][a]][place_2d[jE][b]] : D[place_3d[iE][a]][place_3d[jE][b]];
}

static void test_elasticity(void **unused)
{
    (void)unused;
    ritz_form *form = form_of("elasticity", 3);
    assert_int_equal(ritz_form_n_components(form), 3);
    for (int sample = 0; sample < 20; sample++) {
        const double E = 100 * uniform(), nu = 0.98 * (uniform() - 1), fx = uniform(), fy = -uniform(), fz = uniform();
        const double data[] = {E, nu, fx, fy, fz}, scale = E / ((1 + nu) * (1 - 2 * nu)),
                     shear = scale * (1 - 2 * nu) / 2;
        double D[6][6] = {{scale * (1 - nu), scale * nu, scale * nu},
                          {scale * nu, scale * (1 - nu), scale * nu},
                          {scale * nu, scale * nu, scale * (1 - nu)},
                          {0, 0, 0, shear},
                          {0, 0, 0, 0, shear},
                          {0, 0, 0, 0, 0, shear}};
        double f[3][4] = {{fx}, {fy}, {fz}};
        tensor c;
        from_voigt(3, D, c);
        check_form(form, data, c, f);
    }
    ritz_form_destroy(&form);
}

static void test_plane_forms(void **unused)
{
    (void)unused;
    for (int strain = 0; strain < 2; strain++) {
        ritz_form *form = form_of(strain ? "plane-strain" : "plane-stress", 2);
        assert_int_equal(ritz_form_n_components(form), 2);
        for (int sample = 0; sample < 20; sample++) {
            const double E = 100 * uniform(), nu = 0.98 * (uniform() - 1), t = uniform(), fx = uniform(),
                         fy = -uniform();
            const double data[] = {E, nu, t, fx, fy};
            const double stress = t * E / (1 - nu * nu), confined = t * E / ((1 + nu) * (1 - 2 * nu));
            double D_stress[6][6] = {{stress, stress * nu}, {stress * nu, stress}, {0, 0, stress * (1 - nu) / 2}};
            double D_strain[6][6] = {{confined * (1 - nu), confined * nu},
                                     {confined * nu, confined * (1 - nu)},
                                     {0, 0, confined * (1 - 2 * nu) / 2}};
            double f[3][4] = {{t * fx}, {t * fy}};
            tensor c;
            from_voigt(2, strain ? D_strain : D_stress, c);
            check_form(form, data, c, f);
        }
        ritz_form_destroy(&form);
    }
}

/* The energy of a neo-Hookean solid, H = grad u row by row. */
static double neo_hookean_energy(int dim, const double *H, double lambda, double mu)
{
    double F[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, squares = 0;
    for (int i = 0; i < dim; i++)
        for (int J = 0; J < dim; J++)
            F[i][J] += H[i * dim + J];
    for (int k = 0; k < 9; k++)
        squares += F[k / 3][k % 3] * F[k / 3][k % 3];
    const double det = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) -
                       F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
                       F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
    return mu / 2 * (squares - 3) - mu * log(det) + lambda / 2 * log(det) * log(det);
}

static void assert_close(double got, double expected, const char *what, int dim)
{
    if (!(fabs(got - expected) < 1e-8))
        fail_msg("neo-hookean in %dD: %s is %.12g by the form, %.12g by differences", dim, what, got, expected);
}

/* The load is minus the first derivative of the energy, the tensor the second, by central differences; it has the
   major symmetry that the flag promises; without deformation it is that of elasticity. */
static void test_neo_hookean(void **unused)
{
    (void)unused;
    const double step = 1e-5, young = 2.6, poisson = 0.3, thickness = 0.7;
    for (int dim = 2; dim <= 3; dim++) {
        ritz_form *form = form_of("neo-hookean", dim), *linear = form_of(dim == 2 ? "plane-strain" : "elasticity", dim);
        const double data[5] = {young, poisson, dim == 2 ? thickness : 0.1, 0.2, 0.3};
        const double scale = dim == 2 ? thickness : 1, mu = scale * young / (2 * (1 + poisson)),
                     lambda = 2 * mu * poisson / (1 - 2 * poisson);
        double H[9], f[3][4], stress[2][3][4];
        tensor c, beside, at_rest;
        for (int k = 0; k < dim * dim; k++)
            H[k] = 0.4 * (uniform() - 1);
        expand_at(form, data, H, c, f);
        for (int k = 0; k < dim; k++)
            assert_true(fabs(f[k][0] - data[dim == 2 ? 3 + k : 2 + k] * scale) < 1e-15);
        for (int b = 0; b < dim * dim; b++) {
            const double kept = H[b];
            double energy[2];
            for (int side = 0; side < 2; side++) {
                H[b] = kept + (side ? step : -step);
                energy[side] = neo_hookean_energy(dim, H, lambda, mu);
                expand_at(form, data, H, beside, stress[side]);
            }
            H[b] = kept;
            const int k = b / dim, L = b % dim;
            assert_close(-f[k][L + 1], (energy[1] - energy[0]) / (2 * step), "a stress", dim);
            for (int i = 0; i < dim; i++)
                for (int J = 0; J < dim; J++) {
                    assert_close(c[i][k][J + 1][L + 1], (stress[0][i][J + 1] - stress[1][i][J + 1]) / (2 * step),
                                 "an entry of the tangent", dim);
                    assert_true(c[i][k][J + 1][L + 1] == c[k][i][L + 1][J + 1]);
                }
        }
        expand_tensor(form, data, at_rest, f);
        check_form(linear, data, at_rest, f);
        ritz_form_destroy(&linear);
        ritz_form_destroy(&form);
    }
}

/* All built-in forms in the dimensions they serve. */
static const struct {
    const char *name;
    int dim;
} all_forms[] = {{"poisson", 2},    {"poisson", 3},      {"convection-diffusion", 2}, {"convection-diffusion", 3},
                 {"elasticity", 3}, {"plane-stress", 2}, {"plane-strain", 2},         {"mass", 2},
                 {"mass", 3},       {"neo-hookean", 2},  {"neo-hookean", 3}};
enum { N_FORMS = sizeof all_forms / sizeof all_forms[0] };

/* The flag says whether c[iE][jE][iD][jD] = c[jE][iE][jD][iD] for whatever data. */
static void test_symmetry(void **unused)
{
    (void)unused;
    for (int n = 0; n < N_FORMS; n++) {
        ritz_form *form = form_of(all_forms[n].name, all_forms[n].dim);
        double data[RITZ_MAX_DATA], f[3][4], largest = 0;
        tensor c;
        for (int k = 0; k < form->n_data; k++)
            data[k] = 0.3 * uniform();
        expand_tensor(form, data, c, f);
        for (int k = 0; k < 3 * 3 * 4 * 4; k++) {
            const int iE = k / 48, jE = k / 16 % 3, iD = k / 4 % 4, jD = k % 4;
            largest = fmax(largest, fabs(c[iE][jE][iD][jD] - c[jE][iE][jD][iD]));
        }
        if (form->symmetric != (largest < 1e-15))
            fail_msg("%s is said to be %ssymmetric, its tensor differs by %g", form->name,
                     form->symmetric ? "" : "not ", largest);
        ritz_form_destroy(&form);
    }
}

static void test_data_names(void **unused)
{
    (void)unused;
    ritz_form *form = form_of("elasticity", 3);
    assert_int_equal(ritz_form_find_data(form, "poisson"), 1);
    assert_int_equal(ritz_form_find_data(form, "force_z"), 4);
    assert_int_equal(ritz_form_find_data(form, "thickness"), -1);
    assert_true(isnan(ritz_form_data_default(form, 0)) && isnan(ritz_form_data_default(form, 1)));
    assert_true(ritz_form_data_default(form, 2) == 0);
    ritz_form_destroy(&form);
    form = form_of("plane-strain", 2);
    assert_true(ritz_form_data_default(form, ritz_form_find_data(form, "thickness")) == 1);
    ritz_form_destroy(&form);
    form = form_of("poisson", 2);
    assert_true(ritz_form_data_default(form, ritz_form_find_data(form, "conductivity")) == 1);
    ritz_form_destroy(&form);
}

static void test_bad_names(void **unused)
{
    (void)unused;
    ritz_form *form = NULL;
    assert_int_equal(ritz_form_create("elastcity", 3, &form), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "'elastcity'"));
    assert_non_null(strstr(ritz_message(), "elasticity, plane-stress"));
    assert_int_equal(ritz_form_create("elasticity", 2, &form), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "use plane-stress or plane-strain"));
    assert_int_equal(ritz_form_create("plane-stress", 3, &form), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "use elasticity"));
    assert_int_equal(ritz_form_create("mass", 1, &form), RITZ_ERROR_INPUT);
    assert_non_null(strstr(ritz_message(), "2 or 3 dimensions, not 1"));
    assert_null(form);
}

static ritz_form_traits traits_of(const ritz_form *form, const ritz_datum *data)
{
    ritz_form_traits traits;
    ritz_form_get_traits(form, data, &traits);
    return traits;
}

/* One datum of poisson from each kind of source. */
static void test_traits_of_data(void **unused)
{
    (void)unused;
    const double values[8] = {0};
    ritz_form *form = form_of("poisson", 2);
    ritz_datum data[2] = {{.value = 2}, {.value = 0}};
    ritz_form_traits traits = traits_of(form, data);
    assert_true(traits.symmetric && traits.constant && traits.derivatives && !traits.load);
    assert_true(!traits.test_value && !traits.trial_value && !traits.reads_x && !traits.reads_u &&
                !traits.reads_gradient);

    data[1].value = 5; /* a load whose test function is not differentiated */
    traits = traits_of(form, data);
    assert_true(traits.load && traits.constant_load && traits.test_value && !traits.trial_value &&
                traits.n_varying == 0);

    data[1] = (ritz_datum){.kind = RITZ_DATA_ELEMENT, .values = values}; /* zeros, but they may be others next time */
    traits = traits_of(form, data);
    assert_true(traits.load && traits.constant_load && traits.constant && traits.n_varying == 0);

    data[1] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = values};
    traits = traits_of(form, data);
    assert_true(traits.load && !traits.constant_load && traits.constant && traits.n_varying == 1);

    data[0] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = values};
    traits = traits_of(form, data);
    assert_true(!traits.constant && traits.n_varying == 2 && traits.varies[0] && traits.varies[1]);
    ritz_form_destroy(&form);
}

/* What an expression reads is what the kernel is given. */
static void test_traits_of_expressions(void **unused)
{
    (void)unused;
    const struct {
        const char *text;
        bool x, u, gradient;
    } cases[] = {{"1 + x*y", true, false, false},
                 {"u*u", false, true, false},
                 {"u_y", false, false, true},
                 {"x + u + u_x", true, true, true}};
    ritz_form *form = form_of("poisson", 2);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ritz_expression *expression = NULL;
        OK(ritz_expression_create(cases[k].text, form->variables.pointers, form->variables.n, &expression));
        const ritz_expression *const list[] = {expression};
        const ritz_datum data[2] = {{.kind = RITZ_DATA_EXPRESSION, .expressions = list, .n_expressions = 1},
                                    {.value = 0}};
        const ritz_form_traits traits = traits_of(form, data);
        assert_true(traits.reads_x == cases[k].x && traits.reads_u == cases[k].u &&
                    traits.reads_gradient == cases[k].gradient);
        assert_true(!traits.constant && !traits.load && traits.n_varying == 1 && traits.derivatives);
        ritz_expression_destroy(&expression);
    }
    ritz_form_destroy(&form);
}

/* Coefficients of two data vary as soon as one of them does. */
static void test_traits_of_products(void **unused)
{
    (void)unused;
    const double values[8] = {0};
    ritz_form *form = form_of("plane-stress", 2);
    ritz_datum data[RITZ_MAX_DATA] = {
        {.value = 1}, {.value = 0.3}, {.kind = RITZ_DATA_POINT, .values = values}, {.value = 0}, {.value = 1}};
    ritz_form_traits traits = traits_of(form, data);
    assert_true(!traits.constant && traits.load && !traits.constant_load);
    data[2] = (ritz_datum){.kind = RITZ_DATA_ELEMENT, .values = values};
    data[3] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = values};
    traits = traits_of(form, data);
    assert_true(traits.constant && traits.load && !traits.constant_load);
    ritz_form_destroy(&form);
}

/* Intermediates pass on what they read: the moduli vary with young, and everything with the gradient. */
static void test_traits_of_intermediates(void **unused)
{
    (void)unused;
    const double values[8] = {0};
    ritz_form *form = form_of("neo-hookean", 3);
    ritz_datum data[RITZ_MAX_DATA] = {{.value = 1}, {.value = 0.3}};
    const ritz_form_traits traits = traits_of(form, data);
    assert_true(traits.symmetric && !traits.constant && traits.load && !traits.constant_load);
    assert_true(traits.reads_gradient && !traits.reads_u && !traits.reads_x);
    assert_int_equal(traits.n_varying, 45 + 9); /* the forces are constants */
    ritz_reads reads = {{false}};
    ritz_form_mark_reads(form, form->coefficients[0], &reads);
    for (int d = 0; d < form->n_data; d++)
        assert_int_equal(reads.variable[form->variables.n + d], d < 2);
    for (int v = 0; v < form->variables.n; v++)
        assert_int_equal(reads.variable[v], v >= 4 + 3);

    ritz_expression *expression = NULL; /* what a datum reads is seen through the intermediates */
    OK(ritz_expression_create("1 + x + u0", form->variables.pointers, form->variables.n, &expression));
    const ritz_expression *const list[] = {expression};
    data[0] = (ritz_datum){.kind = RITZ_DATA_EXPRESSION, .expressions = list, .n_expressions = 1};
    data[2] = (ritz_datum){.kind = RITZ_DATA_POINT, .values = values};
    const ritz_form_traits more = traits_of(form, data);
    assert_true(more.reads_gradient && more.reads_u && more.reads_x);
    assert_int_equal(more.n_varying, 45 + 9 + 1);
    ritz_expression_destroy(&expression);
    ritz_form_destroy(&form);
}

/* The number behind "#define NAME" in a generated header. */
static int defined(const char *header, const char *name)
{
    char line[64];
    snprintf(line, sizeof line, "#define %s ", name);
    const char *at = strstr(header, line);
    if (!at)
        fail_msg("the header does not define %s", name);
    return atoi(at + strlen(line));
}

static int count_words(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        n++;
    return n;
}

/* Sizes in the generated code agree with the traits; the functions are there; multiply-adds of the innermost loop
   are as few as docs/form.md says. */
static void test_generated_sizes(void **unused)
{
    (void)unused;
    static const int innermost[N_FORMS] = {2, 3, 3, 4, 9, 4, 4, 1, 1, 8, 27};
    static const char *const functions[] = {"form_element_data(", "form_point_data(", "form_constants(",
                                            "form_varying(",      "form_weight(",     "form_accumulate(",
                                            "form_finish(",       "form_load("};
    for (int n = 0; n < N_FORMS; n++)
        for (int point = 0; point < 2; point++) {
            const double values[8] = {0};
            ritz_form *form = form_of(all_forms[n].name, all_forms[n].dim);
            ritz_datum data[RITZ_MAX_DATA];
            for (int d = 0; d < form->n_data; d++)
                data[d] = (ritz_datum){.kind = point ? RITZ_DATA_POINT : RITZ_DATA_ELEMENT, .values = values};
            const ritz_form_traits traits = traits_of(form, data);
            char *header = NULL;
            OK(ritz_form_generate(form, data, &header));
            assert_int_equal(defined(header, "DIM"), form->dim);
            assert_int_equal(defined(header, "N_E"), form->n_components);
            assert_int_equal(defined(header, "FORM_SYMMETRIC"), form->symmetric);
            assert_int_equal(defined(header, "FORM_LOAD"), 1);
            assert_int_equal(defined(header, "FORM_DERIVATIVES"), traits.derivatives);
            assert_int_equal(defined(header, "FORM_WEIGHTS"), traits.n_weights);
            assert_int_equal(defined(header, "FORM_WEIGHTS"), count_words(header, " = vol * "));
            assert_int_equal(defined(header, "FORM_VARYING"), traits.n_varying);
            assert_int_equal(defined(header, "FORM_VARYING") + defined(header, "FORM_CONSTANTS"), form->n_coefficients);
            for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
                assert_int_equal(count_words(header, functions[k]), 1);
            if (!point)
                assert_int_equal(count_words(header, " += w["), innermost[n]);
            ritz_free(header);
            ritz_form_destroy(&form);
        }
}

/* Each allocation in turn fails: a message, no form, nothing lost (under AddressSanitizer). */
static void test_failing_allocations(void **unused)
{
    (void)unused;
    static const char *const names[] = {"elasticity", "neo-hookean"};
    for (int f = 0; f < 2; f++) {
        ritz_form *form = NULL;
        int64_t n = 1;
        for (;; n++) {
            ritz_fail_allocation(n);
            const ritz_status status = ritz_form_create(names[f], 3, &form);
            ritz_fail_allocation(0);
            if (status == RITZ_OK)
                break;
            assert_int_equal(status, RITZ_ERROR_MEMORY);
            assert_null(form);
        }
        assert_true(n > 5);
        ritz_form_destroy(&form);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalar_forms),       cmocka_unit_test(test_convection_diffusion),
        cmocka_unit_test(test_elasticity),         cmocka_unit_test(test_plane_forms),
        cmocka_unit_test(test_neo_hookean),        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_data_names),         cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_traits_of_data),     cmocka_unit_test(test_traits_of_expressions),
        cmocka_unit_test(test_traits_of_products), cmocka_unit_test(test_traits_of_intermediates),
        cmocka_unit_test(test_generated_sizes),    cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
