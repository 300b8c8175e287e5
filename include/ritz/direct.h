/* What factorisations of matrices tell. They are made by the solver's method direct (solve.h). */
#ifndef RITZ_DIRECT_H
#define RITZ_DIRECT_H

#include "ritz/base.h"

RITZ_BEGIN_DECLS

/* L D L^T: of symmetric matrices, without pivoting where all pivots are positive, else with pivots of one and two rows.
   L U: of others. */
typedef enum ritz_factorisation { RITZ_NOT_FACTORISED = 0, RITZ_LDLT, RITZ_LDLT_PIVOTED, RITZ_LU } ritz_factorisation;

typedef struct ritz_direct_facts {
    ritz_factorisation factorisation;
    int64_t factor_nonzeros;
    int64_t bytes;           /* of the host's memory that the factorisation took */
    double operations;       /* floating point, of the factorisation */
    int64_t negative_pivots; /* of a symmetric matrix: as many as it has negative eigenvalues */
    double analyse_seconds;  /* the matrix to the host, ordering */
    double factorise_seconds;
} ritz_direct_facts;

/* "none", "LDL^T", "LDL^T with pivoting", "LU"; "unknown" for what is none of them. */
RITZ_API const char *ritz_factorisation_name(ritz_factorisation factorisation);
/* Whether the library was built with a direct solver: 1 or 0. */
RITZ_API int ritz_direct_is_built(void);

RITZ_END_DECLS

#endif
