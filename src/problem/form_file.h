/* Form files: the JSON that `ritz compile` makes of a weak form in UFL (docs/compile.md), and the physics that a problem
   takes from one. JSON is YAML, so the readers of the problem file serve. */
#ifndef RITZ_SRC_PROBLEM_FORM_FILE_H
#define RITZ_SRC_PROBLEM_FORM_FILE_H

#include "physics/physics.h"
#include "ritz/cell.h"

/* What a datum is part of, beyond a value that the user gives; all owned. */
typedef struct ritz_file_datum {
    char *name;
    char *group;   /* 1 in the cells of this group, 0 in others; NULL: no such datum */
    char *cell;    /* a number of each cell: cell_diameter, ...; NULL: none */
    char *example; /* for messages: "kappa: 1" */
} ritz_file_datum;

/* Terms on the facets of a group, expressions of x y z, t, nx ny nz and the form's constants. */
typedef struct ritz_file_surface {
    char *group;
    char *load[RITZ_MAX_COMPONENTS]; /* [n_components] */
    char *film;                      /* h of the term h u v of the matrix; NULL: none */
} ritz_file_surface;

typedef struct ritz_form_file {
    ritz_form *form;
    int32_t dim, n_components;
    int32_t order,
        degree; /* of the space that it was compiled for, and of the quadrature that it asks for; 0: not told */
    char *old;  /* the coefficient that is the old solution; NULL: none */
    ritz_file_datum data[RITZ_MAX_DATA]; /* [form->n_data] */
    int n_surfaces;
    ritz_file_surface *surfaces;
    char *name;                              /* of the physics */
    ritz_physics physics;                    /* for problems; points into what follows */
    ritz_property properties[RITZ_MAX_DATA]; /* the data that materials give */
    ritz_result_field field;
} ritz_form_file;

/* Whether a name of a form or a physics is that of a file: it ends in .json. */
bool ritz_is_form_file(const char *name);
/* RITZ_ERROR_FILE: it can not be read; RITZ_ERROR_INPUT: what is wrong, in which line. */
ritz_status ritz_form_file_read(const char *path, ritz_form_file **file);
/* Degree of the quadrature that it asks for in a space of this order; 0: the default. */
int ritz_form_file_degree(const ritz_form_file *file, int64_t order);
void ritz_form_file_destroy(ritz_form_file **file);

#endif
