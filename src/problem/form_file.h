/* Form files: the JSON that `ritz compile` makes of a weak form in UFL (docs/compile.md), and the physics that a problem
   takes from one. JSON is YAML, so the readers of the problem file serve. */
#ifndef RITZ_SRC_PROBLEM_FORM_FILE_H
#define RITZ_SRC_PROBLEM_FORM_FILE_H

#include "physics/physics.h"
#include "ritz/cell.h"

/* What a datum belongs to, beyond a value that the user gives; all owned. */
typedef struct ritz_file_datum {
    char *name;
    char *cell;    /* a number of each cell: cell_diameter, ...; NULL: none */
    char *example; /* for messages: "kappa: 1" */
} ritz_file_datum;

typedef struct ritz_form_file {
    ritz_form *form;
    char *old;                               /* the coefficient that is the old solution; NULL: none */
    ritz_file_datum data[RITZ_MAX_DATA];     /* [form->n_data] */
    char *name;                              /* of the physics */
    ritz_physics physics;                    /* for problems; points into what follows */
    ritz_property properties[RITZ_MAX_DATA]; /* the data that materials give */
    ritz_result_field fields[RITZ_MAX_COMPONENTS];
} ritz_form_file;

/* Whether a name of a form or a physics is that of a file: it ends in .json. */
bool ritz_is_form_file(const char *name);
/* RITZ_ERROR_FILE: it cannot be read; RITZ_ERROR_INPUT: what is wrong, in which line. */
ritz_status ritz_form_file_read(const char *path, ritz_form_file **file);
void ritz_form_file_destroy(ritz_form_file **file);

#endif
