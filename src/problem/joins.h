/* What joins unknowns of different nodes, as the problem file has it: ties, rigid faces, equations. */
#ifndef RITZ_SRC_PROBLEM_JOINS_H
#define RITZ_SRC_PROBLEM_JOINS_H

#include "problem/reader.h"

/* Each node of the faces `from` moves with the point of the faces `to` that it lies on. */
typedef struct ritz_tie {
    ritz_names from, to;
    double tolerance; /* the largest distance; 0: a share of the size of the faces */
    ritz_place place;
} ritz_tie;

/* The nodes of a group move as a rigid body. */
typedef struct ritz_rigid {
    ritz_names groups;
    double at[3];                       /* its reference point */
    bool has_at;                        /* else the mean of its nodes */
    ritz_vector displacement, rotation; /* of the reference point where given: numbers; rotations in radians */
    ritz_place place;
} ritz_rigid;

/* weight times a component at a point, or its mean over the nodes of a group. */
typedef struct ritz_linear_term {
    ritz_names groups;
    double at[3];
    bool has_at;
    char *component; /* NULL: the first one */
    double weight;
    ritz_place place;
} ritz_linear_term;
typedef struct ritz_linear_equation {
    ritz_linear_term *terms;
    int n_terms;
    double value;
    ritz_place place;
} ritz_linear_equation;

typedef struct ritz_joins {
    ritz_tie *ties;
    ritz_rigid *rigid;
    ritz_linear_equation *equations;
    int n_ties, n_rigid, n_equations;
} ritz_joins;

/* Into the ritz_joins of the problem; context: the ritz_problem, with physics read. */
ritz_read_function ritz_read_ties, ritz_read_rigid, ritz_read_equations;
void ritz_joins_free(ritz_joins *joins);

#endif
