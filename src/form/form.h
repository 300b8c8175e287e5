/* Form room, internal side. Depends on base only: a form knows nothing of meshes or kernels.

   A form names its data (what the user gives: young, poisson, source), its intermediates (named expressions that later
   ones share: the inverse of a deformation gradient), its coefficients (expressions of the data, of x, y, z, t, of the
   old solution and its gradient, of the intermediates), and its terms (where each coefficient stands in c and f). */
#ifndef RITZ_SRC_FORM_H
#define RITZ_SRC_FORM_H

#include "form/expression.h"
#include "ritz/form.h"

enum {
    RITZ_MAX_COMPONENTS = 8,
    RITZ_MAX_DATA = 24,
    RITZ_MAX_INTERMEDIATES = 24,
    RITZ_MAX_COEFFICIENTS = 128,
    RITZ_MAX_TERMS = 256,
    RITZ_MAX_NAMES = 4 + RITZ_MAX_COMPONENTS * 4 + RITZ_MAX_DATA + RITZ_MAX_INTERMEDIATES
};

/* c[iE][jE][iD][jD] += factor * coefficient */
typedef struct ritz_term {
    int8_t iE, jE, iD, jD;
    int16_t coefficient;
    double factor;
} ritz_term;

/* f[iE][iD] += factor * coefficient */
typedef struct ritz_load_term {
    int8_t iE, iD;
    int16_t coefficient;
    double factor;
} ritz_load_term;

/* The variables that expressions of the user may read, in this order: x y z t, then the old solution (u, or u0 u1
   u2), then its gradient component by component (u_x u_y u_z, or u0_x u0_y ...). A form's coefficients read the data
   after these, then the intermediates. */
typedef struct ritz_variables {
    int n; /* without data and intermediates */
    char names[RITZ_MAX_NAMES][24];
    const char *pointers[RITZ_MAX_NAMES];
} ritz_variables;

/* What the values of a datum may be, wherever they come from. */
typedef struct ritz_data_bounds {
    double above, below; /* exclusive */
    const char *words;   /* "greater than 0" */
} ritz_data_bounds;
extern const ritz_data_bounds ritz_finite, ritz_positive;
static inline bool ritz_data_within(const ritz_data_bounds *bounds, double value)
{
    return value > bounds->above && value < bounds->below;
}

struct ritz_form {
    char name[32];
    int dim, n_components;
    ritz_variables variables; /* followed by the names of data and intermediates */
    int n_data;
    double defaults[RITZ_MAX_DATA];                /* NAN: must be given */
    const ritz_data_bounds *bounds[RITZ_MAX_DATA]; /* NULL: finite */
    int n_intermediates;                           /* each may read those before it */
    ritz_expression *intermediates[RITZ_MAX_INTERMEDIATES];
    int n_coefficients;
    ritz_expression *coefficients[RITZ_MAX_COEFFICIENTS];
    int n_terms;
    ritz_term terms[RITZ_MAX_TERMS];
    int n_load_terms;
    ritz_load_term load_terms[RITZ_MAX_TERMS];
    bool symmetric; /* c[iE][jE][iD][jD] = c[jE][iE][jD][iD] */
    /* of a file: of the space that it is for, and of the quadrature that it asks for; 0: not given */
    int order, degree;
    bool only_order;             /* of simplices: its second derivatives, which are zero there, are left out */
    char *groups[RITZ_MAX_DATA]; /* NULL, or the datum is 1 in the cells of this group and 0 in others */
    int n_surfaces;
    ritz_form_surface *surfaces; /* and their texts: the form's */
};

/* Where the values of one datum come from, on one batch of elements; those of a field come as RITZ_DATA_POINT.
   Everything is borrowed. */
typedef struct ritz_datum {
    ritz_data_kind kind;
    double value;                              /* CONSTANT */
    const double *values;                      /* ELEMENT [n_cells]; POINT [n_cells][n_quad] */
    const ritz_expression *const *expressions; /* EXPRESSION, over ritz_form.variables (without data) */
    int n_expressions;
    const int32_t *selector; /* EXPRESSION [n_cells]: which of them; NULL when there is one */
} ritz_datum;

/* The first of values[n] of datum i that is out of its bounds, or not finite in `precision`; n where there is none. */
int64_t ritz_form_find_bad(const ritz_form *form, int i, const double *values, int64_t n, ritz_precision precision);
/* RITZ_ERROR_INPUT about such a value, of an element counted from 0, or of all (-1). */
ritz_status ritz_form_tell_bad(const ritz_form *form, int i, double value, int64_t element);
/* Its value at point q of a cell with n_quad of them; variables are those of expressions. */
double ritz_datum_value(const ritz_datum *datum, int32_t cell, int n_quad, int q, const double *variables);
/* Points q .. q + n_points - 1, of n_quad, of several cells. In lanes the last cell stands for those beyond n. */
typedef struct ritz_lane_place {
    int n;
    const int32_t *cells; /* [n] */
    int n_quad, q, n_points;
} ritz_lane_place;
/* The values there: variables[.][n_points] -> values[n_points]. */
void ritz_datum_lanes(const ritz_datum *datum, const ritz_lane_place *at, const ritz_lanes *variables,
                      ritz_lanes *values);

/* Of n surfaces with their texts. */
void ritz_form_free_surfaces(ritz_form_surface *surfaces, int n);
/* Index of a datum by name, -1 if the form has none. */
int ritz_form_find_data(const ritz_form *form, const char *name);
/* RITZ_ERROR_INPUT about such a name, with those there are. */
ritz_status ritz_form_tell_unknown(const ritz_form *form, const char *name);

/* What follows from a form and where its data come from: the traits that methods are chosen by. */
typedef struct ritz_form_traits {
    bool symmetric;
    bool constant;                         /* the coefficients of A do not vary within an element */
    bool load, constant_load;              /* there are load terms at all; theirs do not vary */
    bool reads_x, reads_u, reads_gradient; /* some coefficient or data expression reads x y z / u / its gradient */
    bool test_value, trial_value;          /* some term of A or b has iD = 0 / some term of A has jD = 0 */
    bool matrix_values;                    /* some term of A has iD = 0 or jD = 0 */
    bool derivatives;                      /* some term has a D > 0 */
    bool matrix_test_value;                /* some term of A has iD = 0 */
    bool matrix_test_derivatives;          /* some term of A has iD > 0 */
    bool trial_derivatives;                /* some term of A has jD > 0 */
    bool load_derivatives;                 /* some term of b has iD > 0 */
    uint8_t pair_kinds;                    /* bit 2 (iD > 0) + (jD > 0): some term of A pairs such */
    bool varies[RITZ_MAX_COEFFICIENTS];    /* coefficient k varies within an element */
    int n_varying;                         /* how many do */
    int n_constant;                        /* coefficients that do not */
    int n_element_data, n_point_data;      /* data that are one number per element (or for all), or one per point */
    int n_weights;                         /* numbers that form_weight makes for each shape function and point */
    int n_sums;                            /* sums over the points that a block is finished from */
} ritz_form_traits;
void ritz_form_get_traits(const ritz_form *form, const ritz_datum *data, ritz_form_traits *traits);

/* Which variables the value of one of the form's expressions depends on, through intermediates too; data and
   intermediates follow the variables. Marks are added to those that there are. */
typedef struct ritz_reads {
    bool variable[RITZ_MAX_NAMES];
} ritz_reads;
void ritz_form_mark_reads(const ritz_form *form, const ritz_expression *expression, ritz_reads *reads);

/* Coefficients at a point, on the host: variables[form->variables.n + n_data] -> c[n_coefficients]. */
void ritz_form_evaluate(const ritz_form *form, const double *variables, double *c);
/* The same of several cells: c[.][n_points]. all[RITZ_MAX_NAMES][n_points]: the variables; data and intermediates are put
   behind them. */
void ritz_form_lanes(const ritz_form *form, const ritz_datum *data, const ritz_lane_place *at, ritz_lanes *all,
                     ritz_lanes *c);

/* Sets n_weights and n_sums as the generated code has them; they depend on traits->constant. */
void ritz_form_count_sums(const ritz_form *form, ritz_form_traits *traits);

/* The OpenCL C of a form for kernels, see docs/form.md: sizes as defines and the functions form_constants,
   form_varying, form_weight, form_accumulate, form_finish, form_load. *header is the caller's. */
ritz_status ritz_form_generate(const ritz_form *form, const ritz_datum *data, char **header);

#endif
