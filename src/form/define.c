/* Forms of the user: the struct is checked and described by the same steps as the built-in forms. */
#include "form/describe.h"
#include "form/expression_code.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = sizeof(((ritz_variables *)0)->names[0]) - 1 };

/* ---- Names ---- */

static bool is_word(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* Whether expressions understand the word already: a function or a constant. */
static bool is_reserved(const char *name)
{
    ritz_expression *constant = NULL;
    for (int k = 0; k < EXPRESSION_N_FUNCTIONS; k++)
        if (strcmp(ritz_expression_functions[k], name) == 0)
            return true;
    const bool known = ritz_expression_create(name, NULL, 0, &constant) == RITZ_OK;
    ritz_expression_destroy(&constant);
    return known;
}

/* A new name for datum or expression number k. */
static ritz_status check_name(const ritz_form *form, const char *what, int k, const char *name)
{
    ritz_status status = RITZ_OK;
    const ritz_variables *v = &form->variables;
    RITZ_REQUIRE(name, RITZ_ERROR_INPUT, "%s %d of the form %s has no name; give one", what, k, form->name);
    RITZ_REQUIRE(is_word(name) && strlen(name) <= LONGEST_NAME, RITZ_ERROR_INPUT,
                 "'%.40s' cannot be the name of %s %d of the form %s: use up to %d letters, digits and underscores, a "
                 "letter first",
                 name, what, k, form->name, LONGEST_NAME);
    for (int i = 0; i < v->n + form->n_data + form->n_intermediates; i++)
        RITZ_REQUIRE(strcmp(v->names[i], name) != 0, RITZ_ERROR_INPUT,
                     "the name '%s' of %s %d of the form %s is taken; choose another", name, what, k, form->name);
    RITZ_REQUIRE(!is_reserved(name), RITZ_ERROR_INPUT,
                 "'%s' is a function or constant of expressions; choose another name for %s %d of the form %s", name,
                 what, k, form->name);
done:
    return status;
}

/* ---- Parts ---- */

static ritz_status add_data(const ritz_form_definition *d, ritz_form *form)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < d->n_data; k++) {
        RITZ_TRY(check_name(form, "datum", k, d->data[k].name));
        RITZ_REQUIRE(!isinf(d->data[k].value), RITZ_ERROR_INPUT,
                     "the default of '%s' of the form %s is not finite; give a number, or NAN where there is none",
                     d->data[k].name, form->name);
        ritz_form_add_data(form, d->data[k].name, d->data[k].value);
    }
done:
    return status;
}

static ritz_status add_expressions(const ritz_form_definition *d, ritz_form *form)
{
    ritz_status status = RITZ_OK;
    for (int k = 0; k < d->n_expressions; k++) {
        const ritz_form_expression *e = &d->expressions[k];
        RITZ_TRY(check_name(form, "expression", k, e->name));
        RITZ_REQUIRE(e->text, RITZ_ERROR_INPUT, "the expression '%s' of the form %s has no text", e->name, form->name);
        if ((status = ritz_form_add_intermediate(form, e->name, e->text)) != RITZ_OK) {
            ritz_fail_context(status, "the expression '%s' of the form %s: ", e->name, form->name);
            goto done;
        }
    }
done:
    return status;
}

/* The number of the coefficient of this text; a new one where no term had it before. */
static ritz_status take_coefficient(ritz_form *form, const char *what, int number, const char *text, int *k)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(text, RITZ_ERROR_INPUT, "%s %d of the form %s has no coefficient; use \"1\" where it is one", what,
                 number, form->name);
    for (*k = 0; *k < form->n_coefficients; ++*k)
        if (strcmp(ritz_expression_text(form->coefficients[*k]), text) == 0)
            goto done;
    RITZ_REQUIRE(*k < RITZ_MAX_COEFFICIENTS, RITZ_ERROR_INPUT,
                 "the form %s has more than %d different coefficients; share some, or use the factors of terms",
                 form->name, RITZ_MAX_COEFFICIENTS);
    if ((status = ritz_form_add_coefficient(form, text, k)) != RITZ_OK)
        ritz_fail_context(status, "%s %d of the form %s: ", what, number, form->name);
done:
    return status;
}

static ritz_status check_place(const ritz_form *form, const char *what, int k, int E, int D, double factor)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(E >= 0 && E < form->n_components, RITZ_ERROR_INPUT,
                 "%s %d of the form %s is of component %d; there are 0 to %d", what, k, form->name, E,
                 form->n_components - 1);
    RITZ_REQUIRE(D >= 0 && D <= form->dim, RITZ_ERROR_INPUT,
                 "%s %d of the form %s is of derivative %d; use 0 for the function, 1 to %d for x to %c", what, k,
                 form->name, D, form->dim, form->dim == 2 ? 'y' : 'z');
    RITZ_REQUIRE(isfinite(factor), RITZ_ERROR_INPUT, "the factor of %s %d of the form %s is not finite", what, k,
                 form->name);
done:
    return status;
}

static ritz_status add_terms(const ritz_form_definition *d, ritz_form *form)
{
    ritz_status status = RITZ_OK;
    for (int n = 0, k; n < d->n_terms; n++) {
        const ritz_form_term *t = &d->terms[n];
        RITZ_TRY(check_place(form, "term", n, t->iE, t->iD, t->factor));
        RITZ_TRY(check_place(form, "term", n, t->jE, t->jD, t->factor));
        RITZ_TRY(take_coefficient(form, "term", n, t->coefficient, &k));
        ritz_form_add_term(form, t->iE, t->jE, t->iD, t->jD, k);
        form->terms[n].factor = t->factor == 0 ? 1 : t->factor;
    }
    for (int n = 0, k; n < d->n_loads; n++) {
        const ritz_form_load *l = &d->loads[n];
        RITZ_TRY(check_place(form, "load", n, l->iE, l->iD, l->factor));
        RITZ_TRY(take_coefficient(form, "load", n, l->coefficient, &k));
        form->load_terms[form->n_load_terms++] = (ritz_load_term){.iE = (int8_t)l->iE,
                                                                  .iD = (int8_t)l->iD,
                                                                  .coefficient = (int16_t)k,
                                                                  .factor = l->factor == 0 ? 1 : l->factor};
    }
done:
    return status;
}

/* The sum of the factors with which coefficient k stands in one place. */
static double factor_at(const ritz_form *form, int k, int iE, int jE, int iD, int jD)
{
    double sum = 0;
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *term = &form->terms[t];
        if (term->coefficient == k && term->iE == iE && term->jE == jE && term->iD == iD && term->jD == jD)
            sum += term->factor;
    }
    return sum;
}

static bool is_symmetric(const ritz_form *form)
{
    for (int t = 0; t < form->n_terms; t++) {
        const ritz_term *a = &form->terms[t];
        if (factor_at(form, a->coefficient, a->iE, a->jE, a->iD, a->jD) !=
            factor_at(form, a->coefficient, a->jE, a->iE, a->jD, a->iD))
            return false;
    }
    return true;
}

/* ---- The whole ---- */

static ritz_status check_count(const char *what, int n, int least, int most, const void *array)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(n >= least && n <= most, RITZ_ERROR_INPUT, "a form of %d %s is not possible; give %d to %d", n, what,
                 least, most);
    RITZ_REQUIRE(n == 0 || array, RITZ_ERROR_INPUT, "a form of %d %s needs them; '%s' is NULL", n, what, what);
done:
    return status;
}

static ritz_status check_definition(const ritz_form_definition *d)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE(d->dim == 2 || d->dim == 3, RITZ_ERROR_INPUT, "a form has 2 or 3 dimensions, not %d", d->dim);
    RITZ_REQUIRE(d->n_components >= 1 && d->n_components <= RITZ_MAX_COMPONENTS, RITZ_ERROR_INPUT,
                 "a form has 1 to %d components, not %d", RITZ_MAX_COMPONENTS, d->n_components);
    for (const char *c = d->name ? d->name : ""; *c; c++)
        RITZ_REQUIRE(isalnum((unsigned char)*c) || strchr("_- ", *c), RITZ_ERROR_INPUT,
                     "the name of a form has letters, digits, blanks, '-' and '_' only");
    RITZ_TRY(check_count("data", d->n_data, 0, RITZ_MAX_DATA, d->data));
    RITZ_TRY(check_count("expressions", d->n_expressions, 0, RITZ_MAX_INTERMEDIATES, d->expressions));
    RITZ_TRY(check_count("terms", d->n_terms, 1, RITZ_MAX_TERMS, d->terms));
    RITZ_TRY(check_count("loads", d->n_loads, 0, RITZ_MAX_TERMS, d->loads));
done:
    return status;
}

ritz_status ritz_form_define(const ritz_form_definition *definition, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    ritz_form_definition d;
    ritz_form *f = NULL;
    RITZ_REQUIRE_POINTER(definition);
    RITZ_REQUIRE_POINTER(form);
    RITZ_TRY(ritz_take_struct(definition, &d, sizeof d, "ritz_form_definition"));
    RITZ_TRY(check_definition(&d));
    RITZ_NEW(f, 1);
    snprintf(f->name, sizeof f->name, "%s", d.name ? d.name : "own");
    f->dim = d.dim;
    f->n_components = d.n_components;
    ritz_form_name_variables(f);
    RITZ_TRY(add_data(&d, f));
    RITZ_TRY(add_expressions(&d, f));
    RITZ_TRY(add_terms(&d, f));
    f->symmetric = is_symmetric(f);
    *form = f;
    f = NULL;
done:
    ritz_form_destroy(&f);
    return status;
}
