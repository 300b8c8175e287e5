/* What the methods of kernels/groups.cl share. Private to the room. */
#ifndef RITZ_SRC_GROUPS_H
#define RITZ_SRC_GROUPS_H

#include "integrate/methods.h"

/* Whether shape functions are read themselves, not only their derivatives. */
bool ritz_groups_needs_value(const ritz_case *the_case);
/* Numbers tabulated for a shape function and a point: N_D of the kernel. */
int64_t ritz_groups_n_derivatives(const ritz_case *the_case);
/* Numbers of a point: vol, the inverse of the Jacobian, the varying coefficients: RECORD of the kernel. */
int64_t ritz_groups_record(const ritz_case *the_case);
/* ritz_plan_set_launch; the Jacobian terms of a launch have to fit too. */
void ritz_groups_set_launch(const ritz_case *the_case, const ritz_device_info *limits, ritz_plan *plan);
/* Defines of the kernel that all its methods have. */
void ritz_groups_define(const ritz_case *the_case, const ritz_plan *plan, int64_t points, int64_t parts,
                        ritz_text *header);

#endif
