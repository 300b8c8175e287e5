/* The steps by which built-in forms are described. */
#include "form/describe.h"

#include <stdio.h>

static const char *const axis = "xyz";

void ritz_form_name_variables(ritz_form *form)
{
    ritz_variables *v = &form->variables;
    const int n_c = form->n_components;
    for (int d = 0; d < 3; d++)
        snprintf(v->names[v->n++], sizeof v->names[0], "%c", axis[d]);
    snprintf(v->names[v->n++], sizeof v->names[0], "t");
    for (int c = 0; c < n_c; c++)
        if (n_c == 1)
            snprintf(v->names[v->n++], sizeof v->names[0], "u");
        else
            snprintf(v->names[v->n++], sizeof v->names[0], "u%c", '0' + c);
    for (int c = 0; c < n_c; c++)
        for (int d = 0; d < form->dim; d++) {
            char *name = v->names[v->n++];
            if (n_c == 1)
                snprintf(name, sizeof v->names[0], "u_%c", axis[d]);
            else
                snprintf(name, sizeof v->names[0], "u%c_%c", '0' + c, axis[d]);
        }
}

void ritz_form_add_data(ritz_form *form, const char *name, double value)
{
    ritz_variables *v = &form->variables;
    snprintf(v->names[v->n + form->n_data], sizeof v->names[0], "%s", name);
    form->defaults[form->n_data++] = value;
}

void ritz_form_bound_data(ritz_form *form, const char *name, const ritz_data_bounds *bounds)
{
    const int d = ritz_form_find_data(form, name);
    if (d >= 0)
        form->bounds[d] = bounds;
}

void ritz_form_add_vector_data(ritz_form *form, const char *name, double value)
{
    for (int d = 0; d < form->dim; d++) {
        char component[16];
        snprintf(component, sizeof component, "%s_%c", name, axis[d]);
        ritz_form_add_data(form, component, value);
    }
}

/* An expression of all that was named so far. */
static ritz_status parse_expression(ritz_form *form, const char *text, ritz_expression **expression)
{
    ritz_variables *v = &form->variables;
    const int n = v->n + form->n_data + form->n_intermediates;
    for (int i = 0; i < n; i++)
        v->pointers[i] = v->names[i];
    return ritz_expression_create(text, v->pointers, n, expression);
}

ritz_status ritz_form_add_intermediate(ritz_form *form, const char *name, const char *text)
{
    ritz_status status = RITZ_OK;
    ritz_variables *v = &form->variables;
    const int k = form->n_intermediates;
    RITZ_TRY(parse_expression(form, text, &form->intermediates[k]));
    snprintf(v->names[v->n + form->n_data + k], sizeof v->names[0], "%s", name);
    form->n_intermediates++;
done:
    return status;
}

ritz_status ritz_form_add_coefficient(ritz_form *form, const char *text, int *k)
{
    ritz_status status = RITZ_OK;
    *k = form->n_coefficients;
    RITZ_TRY(parse_expression(form, text, &form->coefficients[*k]));
    form->n_coefficients++;
done:
    return status;
}

void ritz_form_add_term(ritz_form *form, int iE, int jE, int iD, int jD, int coefficient)
{
    form->terms[form->n_terms++] = (ritz_term){.iE = (int8_t)iE,
                                               .jE = (int8_t)jE,
                                               .iD = (int8_t)iD,
                                               .jD = (int8_t)jD,
                                               .coefficient = (int16_t)coefficient,
                                               .factor = 1};
}

ritz_status ritz_form_add_load(ritz_form *form, int iE, int iD, double factor, const char *text)
{
    ritz_status status = RITZ_OK;
    int k;
    RITZ_TRY(ritz_form_add_coefficient(form, text, &k));
    form->load_terms[form->n_load_terms++] =
        (ritz_load_term){.iE = (int8_t)iE, .iD = (int8_t)iD, .coefficient = (int16_t)k, .factor = factor};
done:
    return status;
}

ritz_status ritz_form_build(const char *name, int dim, int n_components, ritz_form_builder *build, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    ritz_form *f = NULL;
    RITZ_NEW(f, 1);
    snprintf(f->name, sizeof f->name, "%s", name);
    f->dim = dim;
    f->n_components = n_components;
    ritz_form_name_variables(f);
    RITZ_TRY(build(f));
    *form = f;
    f = NULL;
done:
    ritz_form_destroy(&f);
    return status;
}
