/* The steps by which built-in forms are described: names, data, intermediates, coefficients, terms, in this order.
   For the rooms form and physics. */
#ifndef RITZ_SRC_DESCRIBE_H
#define RITZ_SRC_DESCRIBE_H

#include "form/form.h"

/* x y z t, the old solution, its gradient; dim and n_components are set. */
void ritz_form_name_variables(ritz_form *form);
/* value: the default, NAN: must be given. */
void ritz_form_add_data(ritz_form *form, const char *name, double value);
/* What values of the datum of this name may be, where the form has it; without it they must be finite. The bounds outlive
   the form. */
void ritz_form_bound_data(ritz_form *form, const char *name, const ritz_data_bounds *bounds);
/* Data that come one for each axis: force_x, force_y. */
void ritz_form_add_vector_data(ritz_form *form, const char *name, double value);
/* A quantity that later intermediates and coefficients read by its name; computed once a point. */
ritz_status ritz_form_add_intermediate(ritz_form *form, const char *name, const char *text);
/* A coefficient as an expression of all that was named so far; its number in *k. */
ritz_status ritz_form_add_coefficient(ritz_form *form, const char *text, int *k);
/* c[iE][jE][iD][jD] += coefficient */
void ritz_form_add_term(ritz_form *form, int iE, int jE, int iD, int jD, int coefficient);
/* f[iE][iD] += factor * the coefficient that `text` is. */
ritz_status ritz_form_add_load(ritz_form *form, int iE, int iD, double factor, const char *text);

/* Adds data, coefficients and terms to a form whose name, dim, components and variables are there. */
typedef ritz_status ritz_form_builder(ritz_form *form);
/* A form by its builder; n_components of the unknown. */
ritz_status ritz_form_build(const char *name, int dim, int n_components, ritz_form_builder *build, ritz_form **form);

#endif
