/* Forms: life, data, evaluation on the host, traits. */
#include "form/form.h"

#include <math.h>
#include <string.h>

void ritz_form_destroy(ritz_form **form)
{
    if (!form || !*form)
        return;
    for (int k = 0; k < (*form)->n_coefficients; k++)
        ritz_expression_destroy(&(*form)->coefficients[k]);
    for (int k = 0; k < (*form)->n_intermediates; k++)
        ritz_expression_destroy(&(*form)->intermediates[k]);
    ritz_free(*form);
    *form = NULL;
}

int ritz_form_n_components(const ritz_form *form)
{
    return form->n_components;
}

int ritz_form_n_data(const ritz_form *form)
{
    return form->n_data;
}

const char *ritz_form_data_name(const ritz_form *form, int i)
{
    return form->variables.names[form->variables.n + i];
}

double ritz_form_data_default(const ritz_form *form, int i)
{
    return form->defaults[i];
}

int ritz_form_find_data(const ritz_form *form, const char *name)
{
    for (int i = 0; i < form->n_data; i++)
        if (strcmp(ritz_form_data_name(form, i), name) == 0)
            return i;
    return -1;
}

void ritz_form_evaluate(const ritz_form *form, const double *variables, double *c)
{
    double all[RITZ_MAX_NAMES];
    const int n = form->variables.n + form->n_data;
    memcpy(all, variables, (size_t)n * sizeof *all);
    for (int k = 0; k < form->n_intermediates; k++)
        all[n + k] = ritz_expression_value(form->intermediates[k], all);
    for (int k = 0; k < form->n_coefficients; k++)
        c[k] = ritz_expression_value(form->coefficients[k], all);
}

uint64_t ritz_form_reads(const ritz_form *form, const ritz_expression *expression)
{
    const int n = form->variables.n + form->n_data;
    uint64_t reads = 0;
    for (int v = 0; v < n; v++)
        reads |= (uint64_t)ritz_expression_reads(expression, v) << v;
    for (int k = 0; k < form->n_intermediates; k++)
        if (ritz_expression_reads(expression, n + k))
            reads |= ritz_form_reads(form, form->intermediates[k]);
    return reads;
}

/* Marks what is read of the fixed variables; true if that varies within an element. */
static bool note_reads(const ritz_form *form, uint64_t reads, ritz_form_traits *traits)
{
    const int first_u = 4, first_gradient = first_u + form->n_components;
    bool x = false, u = false, gradient = false;
    for (int v = 0; v < form->variables.n; v++)
        if (reads >> v & 1) {
            x = x || v < 3;
            u = u || (v >= first_u && v < first_gradient);
            gradient = gradient || v >= first_gradient;
        }
    traits->reads_x = traits->reads_x || x;
    traits->reads_u = traits->reads_u || u;
    traits->reads_gradient = traits->reads_gradient || gradient;
    return x || u || gradient;
}

/* Whether coefficient k differs from point to point of an element. */
static bool coefficient_varies(const ritz_form *form, const ritz_datum *data, int k, ritz_form_traits *traits)
{
    const uint64_t reads = ritz_form_reads(form, form->coefficients[k]);
    bool varies = note_reads(form, reads, traits);
    for (int d = 0; d < form->n_data; d++) {
        if (!(reads >> (form->variables.n + d) & 1))
            continue;
        varies = varies || data[d].kind == RITZ_DATA_POINT || data[d].kind == RITZ_DATA_EXPRESSION;
        if (data[d].kind == RITZ_DATA_EXPRESSION)
            for (int n = 0; n < data[d].n_expressions; n++)
                note_reads(form, variables_read(form, data[d].expressions[n]), traits);
    }
    return varies;
}

/* A load that can only be zero: its coefficient reads just data that are the constant 0. */
static bool coefficient_is_zero(const ritz_form *form, const ritz_datum *data, int k)
{
    double variables[4 + RITZ_MAX_COMPONENTS * 4 + RITZ_MAX_DATA] = {0};
    for (int v = 0; v < form->variables.n; v++)
        if (ritz_expression_reads(form->coefficients[k], v))
            return false;
    for (int d = 0; d < form->n_data; d++) {
        if (data[d].kind == RITZ_DATA_CONSTANT)
            variables[form->variables.n + d] = data[d].value;
        else if (ritz_expression_reads(form->coefficients[k], form->variables.n + d))
            variables[form->variables.n + d] = NAN; /* a product with 0 would hide it otherwise */
    }
    return ritz_expression_value(form->coefficients[k], variables) == 0;
}

void ritz_form_get_traits(const ritz_form *form, const ritz_datum *data, ritz_form_traits *traits)
{
    *traits = (ritz_form_traits){.symmetric = form->symmetric, .constant = true, .constant_load = true};
    bool used[RITZ_MAX_COEFFICIENTS] = {false};
    for (int t = 0; t < form->n_terms; t++)
        used[form->terms[t].coefficient] = true;
    for (int t = 0; t < form->n_load_terms; t++)
        if (!coefficient_is_zero(form, data, form->load_terms[t].coefficient)) {
            used[form->load_terms[t].coefficient] = true;
            traits->load = true;
        }
    for (int k = 0; k < form->n_coefficients; k++) {
        traits->varies[k] = used[k] && coefficient_varies(form, data, k, traits);
        traits->n_varying += traits->varies[k];
    }
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        traits->constant = traits->constant && !traits->varies[term->coefficient];
        traits->test_value = traits->test_value || term->iD == 0;
        traits->trial_value = traits->trial_value || term->jD == 0;
        traits->matrix_values = traits->matrix_values || term->iD == 0 || term->jD == 0;
        traits->derivatives = traits->derivatives || term->iD > 0 || term->jD > 0;
    }
    for (int t = 0; t < form->n_load_terms && traits->load; t++) {
        const ritz_load_term *term = &form->load_terms[t];
        traits->constant_load = traits->constant_load && !traits->varies[term->coefficient];
        traits->test_value = traits->test_value || term->iD == 0;
        traits->derivatives = traits->derivatives || term->iD > 0;
    }
    traits->derivatives = traits->derivatives || traits->reads_gradient;
    ritz_form_count_sums(form, traits);
}
