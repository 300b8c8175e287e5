/* The built-in forms: data, coefficients and terms of each. A form is written here once; kernels and the reference
   get it from this description. */
#include "form/form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const axis = "xyz";

/* x y z t, the old solution, its gradient. */
static void name_variables(ritz_form *form)
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

static void add_data(ritz_form *form, const char *name, double value)
{
    ritz_variables *v = &form->variables;
    snprintf(v->names[v->n + form->n_data], sizeof v->names[0], "%s", name);
    form->defaults[form->n_data++] = value;
}

/* Data that come one for each axis: force_x, force_y. */
static void add_vector_data(ritz_form *form, const char *name, double value)
{
    for (int d = 0; d < form->dim; d++) {
        char component[16];
        snprintf(component, sizeof component, "%s_%c", name, axis[d]);
        add_data(form, component, value);
    }
}

/* A coefficient as an expression of the variables and the data named so far; its number in *k. */
static ritz_status add_coefficient(ritz_form *form, const char *text, int *k)
{
    ritz_variables *v = &form->variables;
    const int n = v->n + form->n_data;
    for (int i = 0; i < n; i++)
        v->pointers[i] = v->names[i];
    *k = form->n_coefficients;
    ritz_status status = ritz_expression_create(text, v->pointers, n, &form->coefficients[*k]);
    if (status == RITZ_OK)
        form->n_coefficients++;
    return status;
}

static void add_term(ritz_form *form, int iE, int jE, int iD, int jD, int coefficient)
{
    form->terms[form->n_terms++] = (ritz_term){.iE = (int8_t)iE,
                                               .jE = (int8_t)jE,
                                               .iD = (int8_t)iD,
                                               .jD = (int8_t)jD,
                                               .coefficient = (int16_t)coefficient,
                                               .factor = 1};
}

static void add_load_term(ritz_form *form, int iE, int iD, int coefficient)
{
    form->load_terms[form->n_load_terms++] =
        (ritz_load_term){.iE = (int8_t)iE, .iD = (int8_t)iD, .coefficient = (int16_t)coefficient, .factor = 1};
}

static ritz_status add_load(ritz_form *form, int iE, int iD, const char *text)
{
    int k;
    ritz_status status = add_coefficient(form, text, &k);
    if (status == RITZ_OK)
        add_load_term(form, iE, iD, k);
    return status;
}

static ritz_status build_poisson(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k;
    add_data(form, "conductivity", 1);
    add_data(form, "source", 0);
    RITZ_TRY(add_coefficient(form, "conductivity", &k));
    for (int d = 1; d <= form->dim; d++)
        add_term(form, 0, 0, d, d, k);
    RITZ_TRY(add_load(form, 0, 0, "source"));
done:
    return status;
}

static ritz_status build_mass(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k;
    add_data(form, "density", 1);
    add_data(form, "source", 0);
    RITZ_TRY(add_coefficient(form, "density", &k));
    add_term(form, 0, 0, 0, 0, k);
    RITZ_TRY(add_load(form, 0, 0, "source"));
done:
    return status;
}

/* The full c[iD][jD] and f[iD]: 20 numbers in 3D. */
static ritz_status build_convection_diffusion(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    char name[24];
    const int n = form->dim + 1;
    for (int i = 0; i < n * n; i++) {
        snprintf(name, sizeof name, "c%d%d", i / n, i % n);
        add_data(form, name, 0);
    }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        add_data(form, name, 0);
    }
    for (int i = 0; i < n * n; i++) {
        int k;
        snprintf(name, sizeof name, "c%d%d", i / n, i % n);
        RITZ_TRY(add_coefficient(form, name, &k));
        add_term(form, 0, 0, i / n, i % n, k);
    }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        RITZ_TRY(add_load(form, 0, i, name));
    }
done:
    return status;
}

/* lambda div u div v + mu (grad u + grad u^T) : grad v, component by component. */
static ritz_status build_isotropic(ritz_form *form, const char *lambda_text, const char *mu_text)
{
    ritz_status status = RITZ_OK;
    int lambda, mu;
    RITZ_TRY(add_coefficient(form, lambda_text, &lambda));
    RITZ_TRY(add_coefficient(form, mu_text, &mu));
    for (int i = 0; i < form->dim; i++)
        for (int j = 0; j < form->dim; j++) {
            add_term(form, i, j, i + 1, j + 1, lambda);
            add_term(form, i, i, j + 1, j + 1, mu);
            add_term(form, i, j, j + 1, i + 1, mu);
        }
done:
    return status;
}

static ritz_status build_elasticity(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    add_data(form, "young", NAN);
    add_data(form, "poisson", NAN);
    add_vector_data(form, "force", 0);
    RITZ_TRY(
        build_isotropic(form, "young * poisson / ((1 + poisson) * (1 - 2 * poisson))", "young / (2 * (1 + poisson))"));
    RITZ_TRY(add_load(form, 0, 0, "force_x"));
    RITZ_TRY(add_load(form, 1, 0, "force_y"));
    RITZ_TRY(add_load(form, 2, 0, "force_z"));
done:
    return status;
}

static ritz_status build_plane(ritz_form *form, const char *lambda_text)
{
    ritz_status status = RITZ_OK;
    add_data(form, "young", NAN);
    add_data(form, "poisson", NAN);
    add_data(form, "thickness", 1);
    add_vector_data(form, "force", 0);
    RITZ_TRY(build_isotropic(form, lambda_text, "thickness * young / (2 * (1 + poisson))"));
    RITZ_TRY(add_load(form, 0, 0, "thickness * force_x"));
    RITZ_TRY(add_load(form, 1, 0, "thickness * force_y"));
done:
    return status;
}

static ritz_status build_plane_stress(ritz_form *form)
{
    return build_plane(form, "thickness * young * poisson / (1 - poisson * poisson)");
}

static ritz_status build_plane_strain(ritz_form *form)
{
    return build_plane(form, "thickness * young * poisson / ((1 + poisson) * (1 - 2 * poisson))");
}

/* The forms there are: name, dimension (0: any), whether the unknown is a vector, whether c is symmetric. */
static const struct {
    const char *name;
    int dim;
    bool vector, symmetric;
    ritz_status (*build)(ritz_form *);
} builtin[] = {
    {"poisson", 0, false, true, build_poisson},
    {"convection-diffusion", 0, false, false, build_convection_diffusion},
    {"elasticity", 3, true, true, build_elasticity},
    {"plane-stress", 2, true, true, build_plane_stress},
    {"plane-strain", 2, true, true, build_plane_strain},
    {"mass", 0, false, true, build_mass},
};
enum { N_BUILTIN = sizeof builtin / sizeof builtin[0] };

/* Number of the built-in form, or a message with the names there are. */
static ritz_status find_builtin(const char *name, int dim, int *found)
{
    for (int n = 0; n < N_BUILTIN; n++)
        if (strcmp(builtin[n].name, name) == 0) {
            if (builtin[n].dim && builtin[n].dim != dim)
                return ritz_fail(RITZ_ERROR_INPUT, "the form '%s' is for %dD meshes, this one is %dD%s", name,
                                 builtin[n].dim, dim,
                                 dim == 2 ? ": use plane-stress or plane-strain" : ": use elasticity");
            *found = n;
            return RITZ_OK;
        }
    return ritz_fail(RITZ_ERROR_INPUT,
                     "there is no form '%s'; there are poisson, convection-diffusion, elasticity, plane-stress, "
                     "plane-strain and mass",
                     name);
}

ritz_status ritz_form_create(const char *name, int dim, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    ritz_form *f = NULL;
    int n = 0;
    RITZ_REQUIRE(dim == 2 || dim == 3, RITZ_ERROR_INPUT, "a form lives in 2 or 3 dimensions, not in %d", dim);
    RITZ_TRY(find_builtin(name, dim, &n));
    RITZ_NEW(f, 1);
    snprintf(f->name, sizeof f->name, "%s", name);
    f->dim = dim;
    f->n_components = builtin[n].vector ? dim : 1;
    f->symmetric = builtin[n].symmetric;
    name_variables(f);
    RITZ_TRY(builtin[n].build(f));
    *form = f;
    f = NULL;
done:
    ritz_form_destroy(&f);
    return status;
}
