/* Work of an element: operations by the published count, operations that a kernel does, bytes.
   docs/integrate-command.md derives the counts. */
#include "device/tuning.h"
#include "measure/first_order.h"
#include "measure/measure.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Operations of whole elements of first order that Banaś et al. (2016) publish (Table 4, kernel QSS). */
static const struct {
    const char *form;
    ritz_cell cell;
    double operations;
} table_4[] = {
    {"convection-diffusion", RITZ_TET, 986},
    {"convection-diffusion", RITZ_PRISM, 4806},
};

/* 2 n + 1 operations an entry and point, n the derivatives of the trial function that the form uses: 7 an entry in the
   Laplacian, 63 a 3x3 block in elasticity, as published. */
static void count_as_papers(const ritz_case *c, const ritz_form *form, ritz_work *work)
{
    const ritz_cell cell = c->cell;
    const int order = c->order, degree = ritz_quadrature_degree(c->degree, order);
    for (size_t k = 0; k < sizeof table_4 / sizeof table_4[0]; k++)
        if (order == 1 && degree == 2 && table_4[k].cell == cell && strcmp(table_4[k].form, form->name) == 0) {
            work->paper_operations = table_4[k].operations;
            work->paper_source = "Banaś et al. (2016), Table 4, QSS, the whole element";
            return;
        }
    bool used[4] = {false};
    int n_trial = 0;
    for (int t = 0; t < form->n_terms; t++) {
        n_trial += !used[form->terms[t].jD];
        used[form->terms[t].jD] = true;
    }
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const double n_shape = (double)size.n_shape, n_e = form->n_components;
    work->paper_operations = (2 * n_trial + 1) * n_e * n_e * n_shape * n_shape * (double)size.n_quad;
    const bool laplacian = strcmp(form->name, "poisson") == 0 && form->dim == 3,
               elasticity = strcmp(form->name, "elasticity") == 0;
    work->paper_source = laplacian    ? "Krużel and Banaś (2013), 7 operations an entry and point"
                         : elasticity ? "Banaś et al. (2014), 63 operations a block and point"
                                      : "the published rule for this form, 2 n + 1 operations an entry and point";
}

int32_t ritz_measure_sample(const ritz_case *c, const ritz_form *form, int32_t least)
{
    static const double a_second = 4e9; /* operations by the published count */
    const int32_t most = 100;
    ritz_work work;
    count_as_papers(c, form, &work);
    return (int32_t)fmin(most, fmax(least, a_second / work.paper_operations));
}

/* Arithmetic operators in the body of a generated function. "(0 + " starts a sum and is no operation. */
static int64_t count_operators(const char *source, const char *function)
{
    char start[64] = "static void ";
    strncat(start, function, sizeof start - strlen(start) - 2);
    strcat(start, "(");
    const char *body = strstr(source, start);
    body = body ? strstr(body, "\n{\n") : NULL;
    const char *end = body ? strstr(body, "\n}") : NULL;
    int64_t n = 0;
    for (const char *c = body ? body + 3 : end; c < end; c++) {
        if (strncmp(c, "/*", 2) == 0) { /* a comment */
            c = strstr(c, "*/") + 1;
            continue;
        }
        const bool between =
            c[-1] == ' ' && (c[1] == ' ' || c[1] == '='); /* an exponent's sign and a unary minus are not */
        const bool zero = *c == '+' && c[-2] == '0' && !isalnum((unsigned char)c[-3]) && c[-3] != '.';
        n += strchr("+-*/", *c) && between && !zero;
    }
    return n;
}

/* A product and a sum for each line of form_accumulate that takes the value of a function. */
static int64_t count_values(const char *source)
{
    static const char start[] = "static void form_accumulate(", value[] = "* psi[0];";
    const char *at = strstr(source, start), *end = at ? strstr(at, "\n}") : NULL;
    int64_t n = 0;
    while (end && (at = strstr(at + 1, value)) != NULL && at < end)
        n += 2;
    return n;
}

void ritz_count_form(const char *source, ritz_form_counts *counts)
{
    *counts = (ritz_form_counts){
        .constants = (double)count_operators(source, "form_constants"),
        .varying = (double)(count_operators(source, "form_varying") + count_operators(source, "form_point_data")),
        .weight = (double)count_operators(source, "form_weight"),
        .accumulate = (double)count_operators(source, "form_accumulate"),
        .values = (double)count_values(source),
        .finish = (double)count_operators(source, "form_finish"),
        .load = (double)count_operators(source, "form_load")};
}

/* Numbers of an element's own data. */
static double data_reals(const ritz_form *form, const ritz_datum *data, int64_t n_quad)
{
    double n = 0;
    for (int d = 0; d < form->n_data; d++)
        n += data[d].kind == RITZ_DATA_ELEMENT ? 1 : data[d].kind == RITZ_DATA_POINT ? (double)n_quad : 0;
    return n;
}

/* Bytes of an element's coordinates: its nodes' own, those of sets relative to the first node; or those of the nodes that a
   large mesh has for each cell, and the numbers of its nodes. */
static double coordinate_bytes(const ritz_case *c, const ritz_plan *plan, int dim)
{
    static const double vertices[RITZ_N_CELLS] = {
        [RITZ_TRI] = 0.5, [RITZ_QUAD] = 1, [RITZ_TET] = 1.0 / 6, [RITZ_PRISM] = 0.5, [RITZ_HEX] = 1};
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const double node_bytes = dim * (double)size.real_bytes;
    if (plan->input != RITZ_INPUT_GATHERED)
        return (double)(size.n_geo - (plan->input == RITZ_INPUT_SETS)) * node_bytes;
    return vertices[c->cell] * pow(c->geometry_order, dim) * node_bytes + 4.0 * (double)size.n_geo;
}

void ritz_count_case(const ritz_case *c, const ritz_form *form, const ritz_datum *data, const ritz_method *method,
                     const ritz_plan *plan, const char *source, ritz_work *work)
{
    ritz_form_counts counts;
    ritz_count_form(source, &counts);
    *work = (ritz_work){.operations = method->operations ? method->operations(c, plan, &counts) : NAN};
    count_as_papers(c, form, work);
    const ritz_case_sizes size = ritz_case_get_sizes(c);
    const bool reads_old = ritz_case_reads_old(c);
    double reals = data_reals(form, data, size.n_quad);
    reals += c->traits.reads_x ? form->dim : 0;
    reals += reads_old ? (double)size.n_shape * form->n_components : 0;
    work->input_bytes = coordinate_bytes(c, plan, form->dim) + reals * (double)size.real_bytes +
                        (reads_old ? 4.0 * (double)size.n_shape : 0);
    work->output_bytes = (double)plan->bytes_per_element;
}

void ritz_count_work(const ritz_integral *in, const ritz_method *method, const ritz_plan *plan,
                     ritz_precision precision, const char *source, ritz_work *work)
{
    ritz_case c;
    ritz_case_of(in, precision, &c);
    ritz_count_case(&c, in->form, in->data, method, plan, source, work);
}

/* A parameter of the plan by its name; 1 for methods without it. */
static double plan_parameter(const ritz_method *method, const ritz_plan *plan, const char *name)
{
    for (int p = 0; p < method->n_parameters; p++)
        if (strcmp(method->parameters[p].name, name) == 0)
            return fmax(plan->parameters[p], 1);
    return 1;
}

/* Sums that a work-item has under way, in 32-bit words of an element: registers hold some, caches the others. */
static double count_words_of_sums(const ritz_case *c, const ritz_method *method, const ritz_plan *plan)
{
    const double n = (double)ritz_case_get_sizes(c).n_shape;
    double pairs = plan_parameter(method, plan, "rows") * plan_parameter(method, plan, "columns");
    const ritz_loop_order order = ritz_loop_order_of(method->name);
    if (order == RITZ_QSS)
        pairs = c->traits.symmetric ? n * (n + 1) / 2 : n * n;
    else if (order == RITZ_SQS)
        pairs = n;
    return pairs * c->traits.n_sums * (double)ritz_real_bytes(c->precision) / 4;
}

double ritz_expected_share(const ritz_case *c, const ritz_device_info *limits, const ritz_method *method,
                           const ritz_plan *plan)
{
    ritz_fact facts[2 + RITZ_CASE_FACTS] = {{method->name, 1}, {"words", count_words_of_sums(c, method, plan)}};
    ritz_case_facts(c, facts + 2);
    return ritz_tuned(limits, RITZ_MODEL_SHARE, facts, 2 + RITZ_CASE_FACTS);
}
