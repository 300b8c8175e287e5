/* Weak forms: which coefficients multiply which products of shape functions.

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
     axisymmetric-heat     conductivity, circumference, source [0]; x is the radius
     convection-diffusion  c00..c33 [0] (c00..c22 in 2D), f0..f3 [0]: the full c[iD][jD] and f[iD]
     elasticity            young, poisson, force_x, force_y, force_z [0]: 3D isotropic, force per unit volume
     plane-stress          young, poisson, thickness [1], force_x, force_y [0]
     plane-strain          young, poisson, thickness [1], force_x, force_y [0]
     anisotropic-elasticity  c11, c12, .. c66 (the upper triangle, Voigt's order 11 22 33 23 13 12), force_x, force_y,
                           force_z [0]
     anisotropic-plane-strain  c11 c12 c13 c16 c22 c23 c26 c33 c36 c66, thickness [1], force_x, force_y [0]; the form reads
                           those without a 3
     anisotropic-plane-stress  c11 c12 c16 c22 c26 c66, what is left of them without stress across, r_xx r_yy r_xy (which
                           it does not read), thickness [1], force_x, force_y [0]
     anisotropic-axisymmetric  the ten constants, circumference, force_x, force_y [0]; x is the radius
     neo-hookean           young, poisson, in 2D thickness [1], force_x, force_y, in 3D force_z [0]: one step of
     Newton's
                           method at finite strain (2D: plane strain) from the old solution, see docs/form.md
     mass                  density [1], source [0]
   dim: 2 or 3. RITZ_ERROR_INPUT: the message lists the names. */
RITZ_API ritz_status ritz_form_create(const char *name, int dim, ritz_form **form);
RITZ_API void ritz_form_destroy(ritz_form **form);

/* ---- User-defined forms ----

   Expressions are text with C's arithmetic and functions over x y z, t, the old solution (u, or u0 u1 u2), its gradient
   (u_x u_y u_z, or u0_x u0_y ...), the form's data and its named expressions. Names are words of up to 23 letters,
   digits and underscores. */

/* A datum: a value given at each integration or assembly. */
typedef struct ritz_form_datum {
    const char *name;
    double value; /* default; NAN: must be given */
} ritz_form_datum;

/* An expression that later ones and coefficients read by its name; computed once per point. */
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

/* At most 24 data, 24 named expressions, 128 different coefficients, 256 terms of each kind. */
typedef struct ritz_form_definition {
    size_t size;      /* of this struct; 0: the library's own */
    const char *name; /* for messages; NULL: "own" */
    int dim;          /* 2 or 3 */
    int n_components; /* 1 to 8 */
    int n_data;
    const ritz_form_datum *data; /* all arrays are copied */
    int n_expressions;
    const ritz_form_expression *expressions;
    int n_terms; /* at least 1 */
    const ritz_form_term *terms;
    int n_loads;
    const ritz_form_load *loads;
} ritz_form_definition;

/* Texts and arrays of the definition are copied. RITZ_ERROR_INPUT: a name that is taken, an index out of range, or a
   mistake in an expression, with its place. */
RITZ_API ritz_status ritz_form_define(const ritz_form_definition *definition, ritz_form **form);

/* ---- Forms of files ---- */

/* A form that `ritz compile` wrote, or one written by hand (docs/compile.md). Its data, groups and surfaces are asked for by
   the functions below. RITZ_ERROR_FILE: it cannot be read; RITZ_ERROR_INPUT: what is wrong, in which line. */
RITZ_API ritz_status ritz_form_read(const char *path, ritz_form **form);
/* Degree of the quadrature that the file asks for in a space of this order, as ritz_assembler_options and others take it;
   0: the default, as of all other forms. */
RITZ_API int ritz_form_degree(const ritz_form *form, int order);
/* The group in whose cells datum i is 1, and 0 in others; NULL where it is no such datum. */
RITZ_API const char *ritz_form_data_group(const ritz_form *form, int i);

/* A term on the facets of a group, expressions of x y z, t, nx ny nz, the old solution and the form's data by name. The form's matrices and
   vectors of elements are without it: give it to the assembly as a load. */
typedef struct ritz_form_surface {
    const char *group;
    const char *load[8]; /* of v, by component; NULL past the last */
    const char *film;    /* h of the term h u v of the matrix; NULL: none */
} ritz_form_surface;
/* Surface term i from 0; NULL where there is none. It is the form's. */
RITZ_API const ritz_form_surface *ritz_form_get_surface(const ritz_form *form, int i);

/* ---- What a form is ---- */

RITZ_API int ritz_form_dim(const ritz_form *form);
/* Whether c[iE][jE][iD][jD] = c[jE][iE][jD][iD] in all terms: then matrices are symmetric, and CG may solve them. */
RITZ_API bool ritz_form_is_symmetric(const ritz_form *form);
/* Whether a term of the matrix has a derivative. A mass matrix has none: scaled by its diagonal it is as well conditioned on
   every mesh, and no preconditioner gains what it costs. */
RITZ_API bool ritz_form_has_derivatives(const ritz_form *form);

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
