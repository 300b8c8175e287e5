/* What is known at a point of a facet: its place, normal and area, the data and the old solution of the form. */
#ifndef RITZ_SRC_FACET_POINT_H
#define RITZ_SRC_FACET_POINT_H

#include "integrate/element.h"
#include "integrate/integrate.h"

enum { RITZ_FACET_VARIABLES = RITZ_N_FACET_NAMES + RITZ_MAX_NAMES };

/* Shape functions of one (batch, local facet) at its points. Zeroed before use. */
typedef struct ritz_facet_tables {
    ritz_tables *tables;
    ritz_tables *fields[RITZ_MAX_DATA]; /* of the spaces of data that are fields */
    bool reads[RITZ_MAX_DATA];          /* whether an expression of the load reads datum d, */
    bool reads_form;                    /* or anything of the form */
    double normal[3];                   /* of the facet in reference space */
} ritz_facet_tables;
/* Makes those of the entity's facet, once; n_values: how many expressions the load has. */
ritz_status ritz_facet_tables_prepare(const ritz_space *space, const ritz_facet_load *facet_load, int n_values,
                                      const ritz_mesh_entity *entity, ritz_facet_tables *made);
void ritz_facet_tables_free(ritz_facet_tables *tables);

/* The load's variables at point q, the vector of the area along the outward normal; returns the area of weight 1. */
double ritz_facet_point(const ritz_space *space, const ritz_facet_load *facet_load, const ritz_mesh_entity *entity,
                        const ritz_facet_tables *at, int q, double area[3], double *variables);

#endif
