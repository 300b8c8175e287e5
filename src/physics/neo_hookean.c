/* The form neo-hookean: a step of Newton's method for a compressible neo-Hookean solid at finite strain, in material
   coordinates; plane strain in 2D.

   With H = grad u of the old solution u, F = 1 + H, J = det F, G = F^-1, the energy a unit volume is
       W = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2
   (Bonet and Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 2nd edition, equation 6.27). Its first
   derivative P = mu (F - G^T) + lambda ln J G^T is the load, -P_iJ before dv_i/dX_J, and its second
       A_iJkL = mu d_ik d_JL + (mu - lambda ln J) G_Li G_Jk + lambda G_Ji G_Lk
   the coefficients. P is computed as tau G^T with Kirchhoff's stress tau = mu (F F^T - 1) + lambda ln J 1, and F F^T
   and J less 1 are written in H, so that small strains keep all their digits. */
#include "physics/solid.h"

#include <math.h>
#include <stdio.h>

/* The name of H_iJ. */
static const char *gradient_name(const ritz_form *form, int i, int J)
{
    return form->variables.names[4 + form->dim + i * form->dim + J];
}

/* F_iJ */
static void add_deformation(const ritz_form *form, int i, int J, ritz_text *text)
{
    ritz_text_add(text, i == J ? "(1 + %s)" : "%s", gradient_name(form, i, J));
}

/* Gives the text to a new intermediate and empties it. */
static ritz_status name_text(ritz_form *form, const char *name, ritz_text *text)
{
    ritz_status status = text->status;
    if (status == RITZ_OK)
        status = ritz_form_add_intermediate(form, name, text->data);
    ritz_text_free(text);
    return status;
}

/* dilation = J - 1: the invariants of H, summed. */
static ritz_status name_dilation(ritz_form *form)
{
    const int dim = form->dim;
    ritz_text text = {0};
    for (int i = 0; i < dim; i++)
        ritz_text_add(&text, "%s%s", i ? " + " : "", gradient_name(form, i, i));
    for (int i = 0; i < dim; i++)
        for (int j = i + 1; j < dim; j++)
            ritz_text_add(&text, " + %s * %s - %s * %s", gradient_name(form, i, i), gradient_name(form, j, j),
                          gradient_name(form, i, j), gradient_name(form, j, i));
    for (int J = 0; J < 3 && dim == 3; J++) {
        const int K = (J + 1) % 3, L = (J + 2) % 3;
        ritz_text_add(&text, " + %s * (%s * %s - %s * %s)", gradient_name(form, 0, J), gradient_name(form, 1, K),
                      gradient_name(form, 2, L), gradient_name(form, 1, L), gradient_name(form, 2, K));
    }
    return name_text(form, "dilation", &text);
}

/* GJi: cofactor iJ of F over J. */
static ritz_status name_inverse(ritz_form *form)
{
    const int dim = form->dim;
    ritz_status status = RITZ_OK;
    RITZ_TRY(ritz_form_add_intermediate(form, "over", "1 / (1 + dilation)"));
    for (int i = 0; i < dim; i++)
        for (int J = 0; J < dim; J++) {
            char name[32];
            ritz_text text = {0};
            const int i1 = (i + 1) % dim, i2 = (i + 2) % dim, J1 = (J + 1) % dim, J2 = (J + 2) % dim;
            ritz_text_add(&text, dim == 2 && i != J ? "-over * (" : "over * (");
            add_deformation(form, i1, J1, &text);
            if (dim == 3) {
                ritz_text_add(&text, " * ");
                add_deformation(form, i2, J2, &text);
                ritz_text_add(&text, " - ");
                add_deformation(form, i1, J2, &text);
                ritz_text_add(&text, " * ");
                add_deformation(form, i2, J1, &text);
            }
            ritz_text_add(&text, ")");
            snprintf(name, sizeof name, "G%d%d", J, i);
            RITZ_TRY(name_text(form, name, &text));
        }
done:
    return status;
}

/* tauij, i <= j: mu (H + H^T + H H^T)_ij + lambda ln J d_ij. */
static ritz_status name_kirchhoff(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    for (int i = 0; i < form->dim; i++)
        for (int j = i; j < form->dim; j++) {
            char name[32];
            ritz_text text = {0};
            ritz_text_add(&text, "mu * (%s + %s", gradient_name(form, i, j), gradient_name(form, j, i));
            for (int J = 0; J < form->dim; J++)
                ritz_text_add(&text, " + %s * %s", gradient_name(form, i, J), gradient_name(form, j, J));
            ritz_text_add(&text, i == j ? ") + lambda_ln_J" : ")");
            snprintf(name, sizeof name, "tau%d%d", i, j);
            RITZ_TRY(name_text(form, name, &text));
        }
done:
    return status;
}

/* A_iJkL, once for (i, J) and (k, L) and the other way about. Where i = k or J = L, its two products of G are one. */
static ritz_status add_tangent(ritz_form *form, int i, int J, int k, int L)
{
    ritz_status status = RITZ_OK;
    int number;
    char text[128];
    if (i == k || J == L)
        snprintf(text, sizeof text, "%sshear_and_lambda * G%d%d * G%d%d", i == k && J == L ? "mu + " : "", J, i, L, k);
    else
        snprintf(text, sizeof text, "shear * G%d%d * G%d%d + lambda * G%d%d * G%d%d", L, i, J, k, J, i, L, k);
    RITZ_TRY(ritz_form_add_coefficient(form, text, &number));
    ritz_form_add_term(form, i, k, J + 1, L + 1, number);
    if (i != k || J != L)
        ritz_form_add_term(form, k, i, L + 1, J + 1, number);
done:
    return status;
}

/* f[i][J + 1] = -P_iJ = -tau_ik G_Jk */
static ritz_status add_stress(ritz_form *form, int i, int J)
{
    ritz_status status = RITZ_OK;
    ritz_text text = {0};
    for (int k = 0; k < form->dim; k++)
        ritz_text_add(&text, "%stau%d%d * G%d%d", k ? " + " : "", i < k ? i : k, i < k ? k : i, J, k);
    RITZ_TRY(text.status);
    RITZ_TRY(ritz_form_add_load(form, i, J + 1, -1, text.data));
done:
    ritz_text_free(&text);
    return status;
}

static ritz_status name_moduli(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    ritz_form_add_data(form, "young", NAN);
    ritz_form_add_data(form, "poisson", NAN);
    if (form->dim == 2)
        ritz_form_add_data(form, "thickness", 1);
    ritz_form_add_vector_data(form, "force", 0);
    const char *const lambda = "young * poisson / ((1 + poisson) * (1 - 2 * poisson))";
    const char *const lambda_2d = "thickness * young * poisson / ((1 + poisson) * (1 - 2 * poisson))";
    RITZ_TRY(ritz_form_add_intermediate(form, "lambda", form->dim == 2 ? lambda_2d : lambda));
    RITZ_TRY(ritz_form_add_intermediate(
        form, "mu", form->dim == 2 ? "thickness * young / (2 * (1 + poisson))" : "young / (2 * (1 + poisson))"));
done:
    return status;
}

static ritz_status build_neo_hookean(ritz_form *form)
{
    ritz_status status = RITZ_OK;
    const int dim = form->dim;
    RITZ_TRY(name_moduli(form));
    RITZ_TRY(name_dilation(form));
    RITZ_TRY(name_inverse(form));
    RITZ_TRY(ritz_form_add_intermediate(form, "lambda_ln_J", "lambda * log1p(dilation)"));
    RITZ_TRY(ritz_form_add_intermediate(form, "shear", "mu - lambda_ln_J"));
    RITZ_TRY(ritz_form_add_intermediate(form, "shear_and_lambda", "shear + lambda"));
    RITZ_TRY(name_kirchhoff(form));
    for (int a = 0; a < dim * dim; a++)
        for (int b = a; b < dim * dim; b++)
            RITZ_TRY(add_tangent(form, a / dim, a % dim, b / dim, b % dim));
    for (int a = 0; a < dim * dim; a++)
        RITZ_TRY(add_stress(form, a / dim, a % dim));
    for (int i = 0; i < dim; i++) {
        char force[32];
        snprintf(force, sizeof force, "%sforce_%c", dim == 2 ? "thickness * " : "", "xyz"[i]);
        RITZ_TRY(ritz_form_add_load(form, i, 0, 1, force));
    }
done:
    return status;
}

const ritz_physics ritz_neo_hookean = {
    .name = "neo-hookean",
    .form_alone = true,
    .vector = true,
    .symmetric = true,
    .build = build_neo_hookean,
    RITZ_TABLE(properties, ritz_solid_properties),
};
