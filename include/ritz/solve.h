/* Krylov methods on the device. */
#ifndef RITZ_SOLVE_H
#define RITZ_SOLVE_H

#include "ritz/matrix.h"

typedef enum ritz_solve_method { RITZ_CG = 0, RITZ_BICGSTAB } ritz_solve_method;
typedef enum ritz_preconditioner { RITZ_JACOBI = 0, RITZ_NO_PRECONDITIONER } ritz_preconditioner;

typedef struct ritz_solve_options {
    ritz_solve_method method;
    ritz_preconditioner preconditioner;
    double tolerance; /* of the scaled system's (D^-1/2 A D^-1/2) residual relative to its right-hand side; 0: 1e-8 */
    int32_t max_iterations; /* 0: 20000 */
} ritz_solve_options;

typedef struct ritz_solve_report {
    int32_t iterations;
    bool converged;
    double relative_residual;      /* of the scaled system; once converged, no less than that of x computed anew */
    double true_relative_residual; /* |b - A x| / |b|, computed anew at the end */
} ritz_solve_report;

/* Solves A x = b; x[n] holds the start (zeros are a good one) and receives the solution. A system that does not
   converge is RITZ_ERROR_NOT_CONVERGED: x then holds the last iterate, the report is filled, and the message says how
   far it got and what to try. A negative curvature in CG (matrix not positive definite) is named as such. */
RITZ_API ritz_status ritz_solve(const ritz_matrix *matrix, const ritz_solve_options *options, const double *b,
                                double *x, ritz_solve_report *report);

#endif
