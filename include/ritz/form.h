/* Weak forms: which coefficients stand before which products of shape functions.

       A[iE][jE][i][j] = sum_Q vol_Q sum_{iD,jD} c_Q[iE][jE][iD][jD] psi_Q[iD][i] psi_Q[jD][j]
       b[iE][i]        = sum_Q vol_Q sum_{iD}    f_Q[iE][iD]         psi_Q[iD][i]

   D = 0 is the function itself, D = 1..dim its derivatives in space, E the component; i belongs to the test function.
   */
#ifndef RITZ_FORM_H
#define RITZ_FORM_H

#include "ritz/base.h"

#include <stdbool.h>

RITZ_BEGIN_DECLS

typedef struct ritz_form ritz_form;

/* A built-in form and its data (default in brackets; none: must be given). All are finite numbers; young, thickness,
   conductivity and density are greater than 0, poisson is inside (-1, 0.5):
     poisson               conductivity [1], source [0]
     heat                  conductivity [1], source [0]: the same
     convection-diffusion  c00..c33 [0] (c00..c22 in 2D), f0..f3 [0]: the full c[iD][jD] and f[iD]
     elasticity            young, poisson, force_x, force_y, force_z [0]: 3D isotropic, force a unit volume
     plane-stress          young, poisson, thickness [1], force_x, force_y [0]
     plane-strain          young, poisson, thickness [1], force_x, force_y [0]
     neo-hookean           young, poisson, in 2D thickness [1], force_x, force_y, in 3D force_z [0]: one step of Newton's
                           method at finite strain (2D: plane strain) from the old solution, see docs/form.md
     mass                  density [1], source [0]
   dim: 2 or 3. RITZ_ERROR_INPUT lists the names there are. */
RITZ_API ritz_status ritz_form_create(const char *name, int dim, ritz_form **form);
RITZ_API void ritz_form_destroy(ritz_form **form);

/* ---- Forms of one's own ----

   Expressions are text with C's arithmetic and functions over x y z, t, the old solution (u, or u0 u1 u2), its gradient
   (u_x u_y u_z, or u0_x u0_y ...), the form's data and its named expressions. Names are words of up to 23 letters,
   digits and underscores. */

/* A datum: what is given anew at each integration or assembly. */
typedef struct ritz_form_datum {
    const char *name;
    double value; /* default; NAN: must be given */
} ritz_form_datum;

/* An expression that later ones and coefficients read by its name; computed once a point. */
typedef struct ritz_form_expression {
    const char *name, *text;
} ritz_form_expression;

/* c[iE][jE][iD][jD] += factor * coefficient */
typedef struct ritz_form_term {
    int iE, jE, iD, jD;
    const char *coefficient; /* an expression; terms with the same text share it */
    double factor;           /* 0: 1 */
} ritz_form_term;

/* f[iE][iD] += factor * coefficient */
typedef struct ritz_form_load {
    int iE, iD;
    const char *coefficient;
    double factor; /* 0: 1 */
} ritz_form_load;

/* At most 24 data, 24 named expressions, 64 different coefficients, 96 terms of each kind. */
typedef struct ritz_form_definition {
    size_t size;      /* of this struct; 0: as in version 0.2.0 */
    const char *name; /* for messages; NULL: "own" */
    int dim;          /* 2 or 3 */
    int n_components; /* 1 to 3 */
    int n_data;
    const ritz_form_datum *data; /* all arrays are copied */
    int n_expressions;
    const ritz_form_expression *expressions;
    int n_terms; /* at least 1 */
    const ritz_form_term *terms;
    int n_loads;
    const ritz_form_load *loads;
} ritz_form_definition;

/* RITZ_ERROR_INPUT names what is wrong: a name that is taken, an index out of range, and the place in an expression. */
RITZ_API ritz_status ritz_form_define(const ritz_form_definition *definition, ritz_form **form);
/* Whether c[iE][jE][iD][jD] = c[jE][iE][jD][iD] in all terms: then matrices are symmetric, and CG may solve them. */
RITZ_API bool ritz_form_is_symmetric(const ritz_form *form);

RITZ_API int ritz_form_n_components(const ritz_form *form);
RITZ_API int ritz_form_n_data(const ritz_form *form);
/* Name and default (NAN: none) of datum i, from 0; NULL and NAN where there is none. */
RITZ_API const char *ritz_form_data_name(const ritz_form *form, int i);
RITZ_API double ritz_form_data_default(const ritz_form *form, int i);

/* Where the values of a datum come from. */
typedef enum ritz_data_kind {
    RITZ_DATA_CONSTANT = 0,
    RITZ_DATA_ELEMENT,
    RITZ_DATA_POINT,
    RITZ_DATA_EXPRESSION,
    RITZ_DATA_FIELD
} ritz_data_kind;

RITZ_END_DECLS

#endif
