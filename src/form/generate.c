/* A form as OpenCL C: the generated header that every integration kernel includes. docs/form.md shows one whole.

   Two ways to order the sums; the cheaper one for the innermost loop is taken:
   products first      acc[n] += vol psi_i[iD] psi_j[jD], one sum for each class of pairs (iD, jD) that the
   coefficients treat
                       alike; the coefficients come in once a block, in form_finish. Needs coefficients constant an
                       element.
   coefficients first  w[iE][jE][jD] = vol sum_iD c psi_i[iD] once for each i and point; acc[iE][jE] += w psi_j[jD]. */
#include "form/form.h"

#include <stdio.h>
#include <string.h>

enum { MAX_D = 4, MAX_PAIRS = MAX_D * MAX_D };

/* The innermost sums of a form. */
typedef struct inner {
    bool products_first;
    int n_weights;
    struct {
        int iE, jE, D; /* products first: D is iD; coefficients first: jD */
    } weights[RITZ_MAX_TERMS];
    int n_sums;
    int pair_class[MAX_D][MAX_D]; /* products first: the sum of (iD, jD), -1 where unused */
} inner;

/* Whether two pairs of derivatives have the same coefficients in the same places. */
static bool same_coefficients(const ritz_form *form, int iD, int jD, int kD, int lD)
{
    int n_first = 0, n_second = 0;
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *a = &form->terms[t];
        n_second += a->iD == kD && a->jD == lD;
        if (a->iD != iD || a->jD != jD)
            continue;
        n_first++;
        bool found = false;
        for (int s = 0; s < form->n_terms; s++) {
            const ritz_term *b = &form->terms[s];
            found = found || (b->iD == kD && b->jD == lD && a->iE == b->iE && a->jE == b->jE &&
                              a->coefficient == b->coefficient && a->factor == b->factor);
        }
        if (!found)
            return false;
    }
    return n_first == n_second;
}

static bool pair_is_used(const ritz_form *form, int iD, int jD)
{
    for (int t = 0; t < form->n_terms; t++)
        if (form->terms[t].iD == iD && form->terms[t].jD == jD)
            return true;
    return false;
}

static void plan_products(const ritz_form *form, inner *in)
{
    *in = (inner){.products_first = true};
    for (int iD = 0; iD < MAX_D; iD++) {
        bool weight = false;
        for (int jD = 0; jD < MAX_D; jD++) {
            in->pair_class[iD][jD] = -1;
            if (!pair_is_used(form, iD, jD))
                continue;
            weight = true;
            for (int p = 0; p < iD * MAX_D + jD && in->pair_class[iD][jD] < 0; p++)
                if (in->pair_class[p / MAX_D][p % MAX_D] >= 0 && same_coefficients(form, p / MAX_D, p % MAX_D, iD, jD))
                    in->pair_class[iD][jD] = in->pair_class[p / MAX_D][p % MAX_D];
            if (in->pair_class[iD][jD] < 0)
                in->pair_class[iD][jD] = in->n_sums++;
        }
        if (weight)
            in->weights[in->n_weights++].D = iD;
    }
}

static void plan_coefficients(const ritz_form *form, inner *in)
{
    *in = (inner){.n_sums = form->n_components * form->n_components};
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        bool known = false;
        for (int w = 0; w < in->n_weights; w++)
            known = known ||
                    (in->weights[w].iE == term->iE && in->weights[w].jE == term->jE && in->weights[w].D == term->jD);
        if (!known) {
            in->weights[in->n_weights].iE = term->iE;
            in->weights[in->n_weights].jE = term->jE;
            in->weights[in->n_weights++].D = term->jD;
        }
    }
}

static int used_pairs(const ritz_form *form)
{
    int n = 0;
    for (int p = 0; p < MAX_PAIRS; p++)
        n += pair_is_used(form, p / MAX_D, p % MAX_D);
    return n;
}

static void plan_inner(const ritz_form *form, const ritz_form_traits *traits, inner *in)
{
    plan_coefficients(form, in);
    if (traits->constant && used_pairs(form) <= in->n_weights)
        plan_products(form, in);
}

void ritz_form_count_sums(const ritz_form *form, ritz_form_traits *traits)
{
    inner in;
    plan_inner(form, traits, &in);
    traits->n_weights = in.n_weights;
    traits->n_sums = in.n_sums;
}

/* Places of the coefficients: constant ones in cc[], varying ones in cv[]. */
typedef struct places {
    char text[RITZ_MAX_COEFFICIENTS][12];
    int n_constant, n_varying;
} places;

static void place_coefficients(const ritz_form *form, const ritz_form_traits *traits, places *at)
{
    at->n_constant = at->n_varying = 0;
    for (int k = 0; k < form->n_coefficients; k++)
        if (traits->varies[k])
            snprintf(at->text[k], sizeof at->text[k], "cv[%d]", at->n_varying++);
        else
            snprintf(at->text[k], sizeof at->text[k], "cc[%d]", at->n_constant++);
}

/* "+ factor * c * rest" */
static void add_product(ritz_text *text, double factor, const char *coefficient, const char *rest, int index)
{
    if (factor == 1)
        ritz_text_add(text, " + %s * %s[%d]", coefficient, rest, index);
    else
        ritz_text_add(text, " + (real)%.17g * %s * %s[%d]", factor, coefficient, rest, index);
}

static void generate_sizes(const ritz_form *form, const ritz_form_traits *traits, const inner *in, const places *at,
                           ritz_text *text)
{
    ritz_text_add(text, "/* Form %s in %dD: %s first. */\n", form->name, form->dim,
                  in->products_first ? "products" : "coefficients");
    ritz_text_add(text, "#define DIM %d\n#define N_E %d\n", form->dim, form->n_components);
    ritz_text_add(text, "#define FORM_SYMMETRIC %d\n#define FORM_LOAD %d\n", traits->symmetric, traits->load);
    ritz_text_add(text, "#define FORM_DERIVATIVES %d\n", traits->derivatives);
    ritz_text_add(text, "#define FORM_TEST_VALUE %d\n#define FORM_TEST_DERIVATIVES %d\n", traits->matrix_test_value,
                  traits->matrix_test_derivatives);
    ritz_text_add(text, "#define FORM_TRIAL_VALUE %d\n#define FORM_TRIAL_DERIVATIVES %d\n", traits->trial_value,
                  traits->trial_derivatives);
    ritz_text_add(text, "#define FORM_LOAD_DERIVATIVES %d\n", traits->load_derivatives);
    ritz_text_add(text, "#define FORM_READS_X %d\n#define FORM_READS_U %d\n#define FORM_READS_GRADIENT %d\n",
                  traits->reads_x, traits->reads_u, traits->reads_gradient);
    ritz_text_add(text, "#define FORM_DATA %d\n#define FORM_FIRST_DATUM %d\n#define FORM_VARIABLES %d\n", form->n_data,
                  form->variables.n, form->variables.n + form->n_data);
    ritz_text_add(text, "#define FORM_CONSTANTS %d\n#define FORM_VARYING %d\n", at->n_constant, at->n_varying);
    ritz_text_add(text, "#define FORM_WEIGHTS %d\n#define FORM_SUMS %d\n\n", in->n_weights, in->n_sums);
}

/* Where the data stand, unless the method has said otherwise: one array after the other in global memory. */
static const char data_places[] = "#ifndef FORM_SPACE\n#define FORM_SPACE __global\n"
                                  "#define FORM_NEIGHBOURS 1 /* a datum of neighbours stands side by side */\n"
                                  "#define FORM_CONSTANT_AT(d, e) (offset[d])\n"
                                  "#define FORM_ELEMENT_AT(d, e) (offset[d] + (e))\n"
                                  "#define FORM_POINT_AT(d, e, q) (offset[d] + (long)(e)*N_QUAD + (q))\n#endif\n\n";

/* form_element_data: the data that are one number an element. form_point_data: those that differ from point to point.
   */
static void generate_data(const ritz_form *form, const ritz_datum *data, const char *const *spelled, ritz_text *text)
{
    const int n = form->variables.n;
    ritz_text_add(text, "%s/* X(d): datum d is one number an element */\n#define FORM_ELEMENT_DATA(X)", data_places);
    for (int d = 0; d < form->n_data; d++)
        if (data[d].kind == RITZ_DATA_ELEMENT)
            ritz_text_add(text, " X(%d)", d);
    ritz_text_add(text, "\n/* X(d): datum d is a number for each point of an element */\n#define FORM_POINT_DATA(X)");
    for (int d = 0; d < form->n_data; d++)
        if (data[d].kind == RITZ_DATA_POINT)
            ritz_text_add(text, " X(%d)", d);
    ritz_text_add(text, "\n\n");
    ritz_text_add(
        text,
        "static void form_element_data(real *v, FORM_SPACE const real *data, __global const long *offset, int e)\n{\n");
    for (int d = 0; d < form->n_data; d++)
        if (data[d].kind == RITZ_DATA_CONSTANT || data[d].kind == RITZ_DATA_ELEMENT)
            ritz_text_add(text, "    v[%d] = data[FORM_%s_AT(%d, e)]; /* %s */\n", n + d,
                          data[d].kind == RITZ_DATA_ELEMENT ? "ELEMENT" : "CONSTANT", d, ritz_form_data_name(form, d));
    ritz_text_add(
        text, "}\n\nstatic void form_point_data(real *v, FORM_SPACE const real *data, __global const long *offset,\n"
              "                            __global const int *selector, int e, int q)\n{\n");
    for (int d = 0; d < form->n_data; d++) {
        if (data[d].kind == RITZ_DATA_POINT)
            ritz_text_add(text, "    v[%d] = data[FORM_POINT_AT(%d, e, q)]; /* %s */\n", n + d, d,
                          ritz_form_data_name(form, d));
        if (data[d].kind != RITZ_DATA_EXPRESSION)
            continue;
        const char *which = data[d].selector ? "selector[offset[%d] + e]" : "0 * (int)offset[%d]";
        ritz_text_add(text, "    switch (");
        ritz_text_add(text, which, d);
        ritz_text_add(text, ") { /* %s */\n", ritz_form_data_name(form, d));
        for (int k = 0; k < data[d].n_expressions; k++) {
            ritz_text_add(text, "    case %d: v[%d] = ", k, n + d);
            ritz_expression_print(data[d].expressions[k], spelled, text);
            ritz_text_add(text, "; break;\n");
        }
        ritz_text_add(text, "    }\n");
    }
    ritz_text_add(text, "}\n\n");
}

/* The intermediates that the coefficients of one function need, as its local variables. */
static void generate_intermediates(const ritz_form *form, const ritz_form_traits *traits, bool varying,
                                   const char *const *spelled, ritz_text *text)
{
    const int n = form->variables.n + form->n_data;
    ritz_reads needed = {{false}};
    for (int k = 0; k < form->n_coefficients; k++)
        if (traits->varies[k] == varying)
            ritz_form_mark_reads(form, form->coefficients[k], &needed);
    for (int k = 0; k < form->n_intermediates; k++)
        if (needed.variable[n + k]) {
            ritz_text_add(text, "    const real %s = ", spelled[n + k]);
            ritz_expression_print(form->intermediates[k], spelled, text);
            ritz_text_add(text, ";\n");
        }
}

static void generate_coefficients(const ritz_form *form, const ritz_form_traits *traits, const places *at,
                                  const char *const *spelled, ritz_text *text)
{
    for (int varying = 0; varying < 2; varying++) {
        ritz_text_add(text, "static void form_%s(real *%s, const real *v)\n{\n", varying ? "varying" : "constants",
                      varying ? "cv" : "cc");
        generate_intermediates(form, traits, varying == 1, spelled, text);
        for (int k = 0; k < form->n_coefficients; k++)
            if (traits->varies[k] == (varying == 1)) {
                ritz_text_add(text, "    %s = ", at->text[k]);
                ritz_expression_print(form->coefficients[k], spelled, text);
                ritz_text_add(text, ";\n");
            }
        ritz_text_add(text, "}\n\n");
    }
}

static void generate_weight(const ritz_form *form, const inner *in, const places *at, ritz_text *text)
{
    ritz_text_add(
        text, "static void form_weight(realv *w, const realv *cc, const realv *cv, realv vol, const realv *psi)\n{\n");
    for (int k = 0; k < in->n_weights; k++) {
        if (in->products_first) {
            ritz_text_add(text, "    w[%d] = vol * psi[%d];\n", k, in->weights[k].D);
            continue;
        }
        ritz_text_add(text, "    w[%d] = vol * (0", k);
        for (int t = 0; t < form->n_terms; t++) {
            const ritz_term *term = &form->terms[t];
            if (term->iE == in->weights[k].iE && term->jE == in->weights[k].jE && term->jD == in->weights[k].D)
                add_product(text, term->factor, at->text[term->coefficient], "psi", term->iD);
        }
        ritz_text_add(text, ");\n");
    }
    ritz_text_add(text, "}\n\n");
}

/* The innermost sums, as a list that kernels with multiply-adds of their own can walk, and as a function. */
static void generate_accumulate(const ritz_form *form, const inner *in, ritz_text *text)
{
    ritz_text_add(text, "/* X(s, k, D): sum s gains w[k] * psi[D] */\n#define FORM_PRODUCTS(X)");
    for (int pass = 0; pass < 2; pass++) {
        const char *format = pass ? "    sum[%d] += w[%d] * psi[%d];\n" : " X(%d, %d, %d)";
        for (int k = 0; k < in->n_weights; k++) {
            if (!in->products_first)
                ritz_text_add(text, format, in->weights[k].iE * form->n_components + in->weights[k].jE, k,
                              in->weights[k].D);
            for (int jD = 0; jD < MAX_D && in->products_first; jD++)
                if (in->pair_class[in->weights[k].D][jD] >= 0)
                    ritz_text_add(text, format, in->pair_class[in->weights[k].D][jD], k, jD);
        }
        ritz_text_add(text, pass
                                ? "}\n\n"
                                : "\n\nstatic void form_accumulate(realv *sum, const realv *w, const realv *psi)\n{\n");
    }
}

/* One term for each class of pairs: the first pair of the class stands for the others. */
static bool is_first_of_class(const inner *in, const ritz_term *term)
{
    for (int p = 0; p < term->iD * MAX_D + term->jD; p++)
        if (in->pair_class[p / MAX_D][p % MAX_D] == in->pair_class[term->iD][term->jD])
            return false;
    return true;
}

static void generate_finish(const ritz_form *form, const inner *in, const places *at, ritz_text *text)
{
    const int n = form->n_components;
    ritz_text_add(text, "static void form_finish(realv *block, const realv *sum, const realv *cc)\n{\n");
    for (int entry = 0; entry < n * n; entry++) {
        if (!in->products_first) {
            ritz_text_add(text, "    block[%d] = sum[%d];\n", entry, entry);
            continue;
        }
        ritz_text_add(text, "    block[%d] = 0", entry);
        for (int t = 0; t < form->n_terms; t++) {
            const ritz_term *term = &form->terms[t];
            if (term->iE * n + term->jE == entry && is_first_of_class(in, term))
                add_product(text, term->factor, at->text[term->coefficient], "sum", in->pair_class[term->iD][term->jD]);
        }
        ritz_text_add(text, ";\n");
    }
    ritz_text_add(text, "}\n\n");
}

static void generate_load(const ritz_form *form, const ritz_form_traits *traits, const places *at, ritz_text *text)
{
    ritz_text_add(
        text, "static void form_load(realv *b, const realv *cc, const realv *cv, realv vol, const realv *psi)\n{\n");
    for (int iE = 0; iE < form->n_components && traits->load; iE++) {
        ritz_text_add(text, "    b[%d] += vol * (0", iE);
        for (int t = 0; t < form->n_load_terms; t++)
            if (form->load_terms[t].iE == iE)
                add_product(text, form->load_terms[t].factor, at->text[form->load_terms[t].coefficient], "psi",
                            form->load_terms[t].iD);
        ritz_text_add(text, ");\n");
    }
    ritz_text_add(text, "}\n");
}

ritz_status ritz_form_generate(const ritz_form *form, const ritz_datum *data, char **header)
{
    ritz_text text = {0};
    ritz_form_traits traits;
    inner in;
    places at;
    char spelled_text[RITZ_MAX_NAMES][32];
    const char *spelled[RITZ_MAX_NAMES];
    const int n_given = form->variables.n + form->n_data;
    for (int v = 0; v < n_given + form->n_intermediates; v++) {
        if (v < n_given)
            snprintf(spelled_text[v], sizeof spelled_text[v], "v[%d]", v);
        else
            snprintf(spelled_text[v], sizeof spelled_text[v], "m_%s", form->variables.names[v]);
        spelled[v] = spelled_text[v];
    }
    ritz_form_get_traits(form, data, &traits);
    plan_inner(form, &traits, &in);
    place_coefficients(form, &traits, &at);
    generate_sizes(form, &traits, &in, &at, &text);
    generate_data(form, data, spelled, &text);
    generate_coefficients(form, &traits, &at, spelled, &text);
    generate_weight(form, &in, &at, &text);
    generate_accumulate(form, &in, &text);
    generate_finish(form, &in, &at, &text);
    generate_load(form, &traits, &at, &text);
    return ritz_text_take(&text, header);
}
