/* Forms: life, data, evaluation on the host, traits. */
#include "form/form.h"

#include <math.h>
#include <string.h>

void ritz_form_free_surfaces(ritz_form_surface *surfaces, int n)
{
    for (int s = 0; s < n; s++) {
        ritz_free((char *)surfaces[s].group);
        ritz_free((char *)surfaces[s].film);
        for (int c = 0; c < RITZ_MAX_COMPONENTS; c++)
            ritz_free((char *)surfaces[s].load[c]);
    }
    ritz_free(surfaces);
}

void ritz_form_destroy(ritz_form **form)
{
    if (!form || !*form)
        return;
    for (int k = 0; k < (*form)->n_coefficients; k++)
        ritz_expression_destroy(&(*form)->coefficients[k]);
    for (int k = 0; k < (*form)->n_intermediates; k++)
        ritz_expression_destroy(&(*form)->intermediates[k]);
    for (int d = 0; d < RITZ_MAX_DATA; d++)
        ritz_free((*form)->groups[d]);
    ritz_form_free_surfaces((*form)->surfaces, (*form)->n_surfaces);
    ritz_free(*form);
    *form = NULL;
}

int ritz_form_dim(const ritz_form *form)
{
    return form ? form->dim : 0;
}

int ritz_form_degree(const ritz_form *form, int order)
{
    return form && (order <= form->order || form->degree > 2 * order) ? form->degree : 0;
}

const char *ritz_form_data_group(const ritz_form *form, int i)
{
    return form && i >= 0 && i < form->n_data ? form->groups[i] : NULL;
}

const ritz_form_surface *ritz_form_get_surface(const ritz_form *form, int i)
{
    return form && i >= 0 && i < form->n_surfaces ? &form->surfaces[i] : NULL;
}

int ritz_form_n_components(const ritz_form *form)
{
    return form ? form->n_components : 0;
}

int ritz_form_n_data(const ritz_form *form)
{
    return form ? form->n_data : 0;
}

bool ritz_form_is_symmetric(const ritz_form *form)
{
    return form && form->symmetric;
}

bool ritz_form_has_derivatives(const ritz_form *form)
{
    for (int k = 0; form && k < form->n_terms; k++)
        if (form->terms[k].iD > 0 || form->terms[k].jD > 0)
            return true;
    return false;
}

const char *ritz_form_data_name(const ritz_form *form, int i)
{
    return form && i >= 0 && i < form->n_data ? form->variables.names[form->variables.n + i] : NULL;
}

double ritz_form_data_default(const ritz_form *form, int i)
{
    return form && i >= 0 && i < form->n_data ? form->defaults[i] : NAN;
}

double ritz_datum_value(const ritz_datum *datum, int32_t cell, int n_quad, int q, const double *variables)
{
    switch (datum->kind) {
    case RITZ_DATA_ELEMENT:
        return datum->values[cell];
    case RITZ_DATA_POINT:
        return datum->values[(int64_t)cell * n_quad + q];
    case RITZ_DATA_EXPRESSION:
        return ritz_expression_value(datum->expressions[datum->selector ? datum->selector[cell] : 0], variables);
    case RITZ_DATA_CONSTANT:
    case RITZ_DATA_FIELD:
        break;
    }
    return datum->value;
}

int ritz_form_find_data(const ritz_form *form, const char *name)
{
    for (int i = 0; i < form->n_data; i++)
        if (strcmp(ritz_form_data_name(form, i), name) == 0)
            return i;
    return -1;
}

ritz_status ritz_form_tell_unknown(const ritz_form *form, const char *name)
{
    ritz_text names = {0};
    for (int d = 0; d < form->n_data; d++)
        ritz_text_add(&names, "%s%s", d ? ", " : "", ritz_form_data_name(form, d));
    const ritz_status status = ritz_fail(RITZ_ERROR_INPUT, "the form %s has no datum '%.40s'; its data are %s",
                                         form->name, name, names.data ? names.data : "none");
    ritz_text_free(&names);
    return status;
}

/* The intermediates behind the variables and data in all[RITZ_MAX_NAMES]. */
static void evaluate_intermediates(const ritz_form *form, double *all)
{
    const int n = form->variables.n + form->n_data;
    for (int k = 0; k < form->n_intermediates; k++)
        all[n + k] = ritz_expression_value(form->intermediates[k], all);
}

void ritz_form_evaluate(const ritz_form *form, const double *variables, double *c)
{
    double all[RITZ_MAX_NAMES];
    memcpy(all, variables, (size_t)(form->variables.n + form->n_data) * sizeof *all);
    evaluate_intermediates(form, all);
    for (int k = 0; k < form->n_coefficients; k++)
        c[k] = ritz_expression_value(form->coefficients[k], all);
}

static void mark_own_reads(const ritz_expression *expression, ritz_reads *reads)
{
    for (int v = 0; v < RITZ_MAX_NAMES; v++)
        reads->variable[v] = reads->variable[v] || ritz_expression_reads(expression, v);
}

void ritz_form_mark_reads(const ritz_form *form, const ritz_expression *expression, ritz_reads *reads)
{
    const int n = form->variables.n + form->n_data;
    mark_own_reads(expression, reads);
    for (int k = form->n_intermediates - 1; k >= 0; k--)
        if (reads->variable[n + k])
            mark_own_reads(form->intermediates[k], reads);
}

/* Marks what an expression reads of the fixed variables; true if that varies within an element. */
static bool record_reads(const ritz_form *form, const ritz_reads *reads, ritz_form_traits *traits)
{
    const int first_u = 4, first_gradient = first_u + form->n_components;
    bool x = false, u = false, gradient = false;
    for (int v = 0; v < form->variables.n; v++)
        if (reads->variable[v]) {
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
    ritz_reads reads = {{false}};
    ritz_form_mark_reads(form, form->coefficients[k], &reads);
    bool varies = record_reads(form, &reads, traits);
    for (int d = 0; d < form->n_data; d++) {
        if (!reads.variable[form->variables.n + d])
            continue;
        varies = varies || data[d].kind == RITZ_DATA_POINT || data[d].kind == RITZ_DATA_EXPRESSION;
        ritz_reads own = {{false}};
        for (int n = 0; n < data[d].n_expressions && data[d].kind == RITZ_DATA_EXPRESSION; n++)
            mark_own_reads(data[d].expressions[n], &own);
        record_reads(form, &own, traits);
    }
    return varies;
}

/* A load that can only be zero: its coefficient reads just data that are the constant 0. */
static bool coefficient_is_zero(const ritz_form *form, const ritz_datum *data, int k)
{
    double variables[RITZ_MAX_NAMES] = {0};
    ritz_reads reads = {{false}};
    ritz_form_mark_reads(form, form->coefficients[k], &reads);
    for (int v = 0; v < form->variables.n; v++)
        if (reads.variable[v])
            return false;
    for (int d = 0; d < form->n_data; d++) {
        if (data[d].kind == RITZ_DATA_CONSTANT)
            variables[form->variables.n + d] = data[d].value;
        else if (reads.variable[form->variables.n + d])
            variables[form->variables.n + d] = NAN; /* a product with 0 would hide it otherwise */
    }
    evaluate_intermediates(form, variables);
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
        traits->matrix_test_value = traits->matrix_test_value || term->iD == 0;
        traits->matrix_test_derivatives = traits->matrix_test_derivatives || term->iD > 0;
        traits->trial_derivatives = traits->trial_derivatives || term->jD > 0;
        traits->pair_kinds |= (uint8_t)(1 << (2 * (term->iD > 0) + (term->jD > 0)));
        traits->derivatives = traits->derivatives || term->iD > 0 || term->jD > 0;
    }
    for (int t = 0; t < form->n_load_terms && traits->load; t++) {
        const ritz_load_term *term = &form->load_terms[t];
        traits->constant_load = traits->constant_load && !traits->varies[term->coefficient];
        traits->test_value = traits->test_value || term->iD == 0;
        traits->load_derivatives = traits->load_derivatives || term->iD > 0;
        traits->derivatives = traits->derivatives || term->iD > 0;
    }
    traits->derivatives = traits->derivatives || traits->reads_gradient;
    traits->n_constant = form->n_coefficients - traits->n_varying;
    for (int d = 0; d < form->n_data; d++) {
        traits->n_element_data += data[d].kind == RITZ_DATA_CONSTANT || data[d].kind == RITZ_DATA_ELEMENT;
        traits->n_point_data += data[d].kind == RITZ_DATA_POINT;
    }
    ritz_form_count_sums(form, traits);
}
