/* Weak forms: which coefficients stand before which products of shape functions.

       A[iE][jE][i][j] = sum_Q vol_Q sum_{iD,jD} c_Q[iE][jE][iD][jD] psi_Q[iD][i] psi_Q[jD][j]
       b[iE][i]        = sum_Q vol_Q sum_{iD}    f_Q[iE][iD]         psi_Q[iD][i]

   D = 0 is the function itself, D = 1..dim its derivatives in space, E the component; i belongs to the test function.
   */
#ifndef RITZ_FORM_H
#define RITZ_FORM_H

#include "ritz/base.h"

RITZ_BEGIN_DECLS

typedef struct ritz_form ritz_form;

/* A built-in form and its data (default in brackets; none: must be given). All are finite numbers; young, thickness,
   conductivity and density are greater than 0, poisson is inside (-1, 0.5):
     poisson               conductivity [1], source [0]
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

RITZ_API int ritz_form_n_components(const ritz_form *form);
RITZ_API int ritz_form_n_data(const ritz_form *form);
/* Name and default (NAN: none) of datum i, from 0; NULL and NAN where there is none. */
RITZ_API const char *ritz_form_data_name(const ritz_form *form, int i);
RITZ_API double ritz_form_data_default(const ritz_form *form, int i);

RITZ_END_DECLS

#endif
