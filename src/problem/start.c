/* Where Newton's method starts. */
#include "problem/drive.h"

#include <math.h>

void ritz_raise_start(const ritz_constraints *constraints, const double *values, double share, double *u)
{
    static const double least = 0.5; /* the sum of the weights of what is a mean, beside their sizes' */
    const ritz_equations *e = &constraints->equations;
    double products = 0, squares = 0;
    for (int64_t i = 0; i < e->n; i++) {
        double weight = 0, size = 0, lacking = share * values[i];
        bool free = true;
        for (int64_t t = ritz_equations_first(e, i); t < e->end[i]; t++) {
            free = free && e->dof[t] < constraints->n_nodes && !ritz_is_marked(constraints->fixed, 1, e->dof[t]);
            weight += e->weight[t];
            size += fabs(e->weight[t]);
            lacking -= free ? e->weight[t] * u[e->dof[t]] : 0;
        }
        if (!free || fabs(weight) < least * size) /* as of differences, which say little of a constant */
            continue;
        products += weight * lacking;
        squares += weight * weight;
    }
    for (int64_t i = 0; i < constraints->n_nodes && squares > 0; i++)
        u[i] += products / squares;
}
