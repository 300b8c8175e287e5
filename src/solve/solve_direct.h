/* Method direct of the solver. */
#ifndef RITZ_SRC_SOLVE_DIRECT_H
#define RITZ_SRC_SOLVE_DIRECT_H

#include "solve/solve.h"

/* All that does not depend on the right-hand side. */
/* With more than `operations` *direct is NULL. ordered: as of ritz_solver_create_direct. */
ritz_status ritz_solve_prepare_direct(const ritz_matrix *matrix, int64_t memory_most, double operations,
                                      ritz_direct **ordered, ritz_direct_facts *facts, ritz_direct **direct);
/* ritz_solver_solve_device for it. */
ritz_status ritz_solve_directly(ritz_direct *direct, const ritz_matrix *matrix, double tolerance, const ritz_buffer *b,
                                ritz_buffer *x, ritz_solve_report *report);

#endif
