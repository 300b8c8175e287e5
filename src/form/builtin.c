/* The built-in forms: data, coefficients and terms of each (those of neo_hookean.c apart). A form is written once;
   kernels and the reference get it from this description. */
#include "form/describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ritz_status build_poisson(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k;
    ritz_form_add_data(form, "conductivity", 1);
    ritz_form_add_data(form, "source", 0);
    RITZ_TRY(ritz_form_add_coefficient(form, "conductivity", &k));
    for (int d = 1; d <= form->dim; d++)
        ritz_form_add_term(form, 0, 0, d, d, k);
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "source"));
done:
    return status;
}

static ritz_status build_mass(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    int k;
    ritz_form_add_data(form, "density", 1);
    ritz_form_add_data(form, "source", 0);
    RITZ_TRY(ritz_form_add_coefficient(form, "density", &k));
    ritz_form_add_term(form, 0, 0, 0, 0, k);
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "source"));
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
        ritz_form_add_data(form, name, 0);
    }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        ritz_form_add_data(form, name, 0);
    }
    for (int i = 0; i < n * n; i++) {
        int k;
        snprintf(name, sizeof name, "c%d%d", i / n, i % n);
        RITZ_TRY(ritz_form_add_coefficient(form, name, &k));
        ritz_form_add_term(form, 0, 0, i / n, i % n, k);
    }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        RITZ_TRY(ritz_form_add_load(form, 0, i, 1, name));
    }
done:
    return status;
}

/* lambda div u div v + mu (grad u + grad u^T) : grad v, component by component. */
static ritz_status build_isotropic(ritz_form *form, const char *lambda_text, const char *mu_text)
{
    ritz_status status = RITZ_OK;
    int lambda, mu;
    RITZ_TRY(ritz_form_add_coefficient(form, lambda_text, &lambda));
    RITZ_TRY(ritz_form_add_coefficient(form, mu_text, &mu));
    for (int i = 0; i < form->dim; i++)
        for (int j = 0; j < form->dim; j++) {
            ritz_form_add_term(form, i, j, i + 1, j + 1, lambda);
            ritz_form_add_term(form, i, i, j + 1, j + 1, mu);
            ritz_form_add_term(form, i, j, j + 1, i + 1, mu);
        }
done:
    return status;
}

static ritz_status build_elasticity(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    ritz_form_add_data(form, "young", NAN);
    ritz_form_add_data(form, "poisson", NAN);
    ritz_form_add_vector_data(form, "force", 0);
    RITZ_TRY(
        build_isotropic(form, "young * poisson / ((1 + poisson) * (1 - 2 * poisson))", "young / (2 * (1 + poisson))"));
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "force_x"));
    RITZ_TRY(ritz_form_add_load(form, 1, 0, 1, "force_y"));
    RITZ_TRY(ritz_form_add_load(form, 2, 0, 1, "force_z"));
done:
    return status;
}

static ritz_status build_plane(ritz_form *form, const char *lambda_text)
{
    ritz_status status = RITZ_OK;
    ritz_form_add_data(form, "young", NAN);
    ritz_form_add_data(form, "poisson", NAN);
    ritz_form_add_data(form, "thickness", 1);
    ritz_form_add_vector_data(form, "force", 0);
    RITZ_TRY(build_isotropic(form, lambda_text, "thickness * young / (2 * (1 + poisson))"));
    RITZ_TRY(ritz_form_add_load(form, 0, 0, 1, "thickness * force_x"));
    RITZ_TRY(ritz_form_add_load(form, 1, 0, 1, "thickness * force_y"));
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
    {"neo-hookean", 0, true, true, ritz_form_build_neo_hookean},
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
    char names[256] = "";
    for (int n = 0; n < N_BUILTIN; n++) {
        const char *between = n == 0 ? "" : n == N_BUILTIN - 1 ? " and " : ", ";
        strncat(names, between, sizeof names - strlen(names) - 1);
        strncat(names, builtin[n].name, sizeof names - strlen(names) - 1);
    }
    return ritz_fail(RITZ_ERROR_INPUT, "there is no form '%s'; there are %s", name, names);
}

ritz_status ritz_form_create(const char *name, int dim, ritz_form **form)
{
    ritz_status status = RITZ_OK;
    ritz_form *f = NULL;
    int n = 0;
    RITZ_REQUIRE_POINTER(name);
    RITZ_REQUIRE_POINTER(form);
    RITZ_REQUIRE(dim == 2 || dim == 3, RITZ_ERROR_INPUT, "a form lives in 2 or 3 dimensions, not in %d", dim);
    RITZ_TRY(find_builtin(name, dim, &n));
    RITZ_NEW(f, 1);
    snprintf(f->name, sizeof f->name, "%s", name);
    f->dim = dim;
    f->n_components = builtin[n].vector ? dim : 1;
    f->symmetric = builtin[n].symmetric;
    ritz_form_name_variables(f);
    RITZ_TRY(builtin[n].build(f));
    *form = f;
    f = NULL;
done:
    ritz_form_destroy(&f);
    return status;
}
