/* What the methods of the registry share. Private to the room. */
#ifndef RITZ_SRC_METHODS_H
#define RITZ_SRC_METHODS_H

#include "device/tuning.h"
#include "integrate/integrate.h"

/* Layouts: blocks of n_components^2 entries that stand together, or a plane for each entry, its rows of row_pairs
   (n_shape or more). Both keep only the upper blocks where `symmetric`. */
ritz_layout ritz_layout_blocks(const ritz_case *the_case, int32_t width, bool symmetric);
ritz_layout ritz_layout_planes(const ritz_case *the_case, int32_t width, bool symmetric, int32_t row_pairs);
/* Makes of the layout of a case's matrices that of its results. */
void ritz_layout_take_result(const ritz_case *the_case, ritz_layout *layout);
/* The bytes of an element, and from them the elements per launch and per group. After layout and n_workers are set. */
void ritz_plan_set_launch(const ritz_case *the_case, const ritz_device_info *limits, ritz_plan *plan);
/* Local memory that static arrays of a group can take: what the device reports, or more where that was found to work. */
static inline int64_t ritz_plan_local_memory(const ritz_device_info *limits)
{
    return ritz_max64(limits->local_memory, limits->largest_local_memory);
}
/* A parameter as it was given, or what the plan chooses. */
static inline int32_t ritz_plan_given_or(int32_t asked, int32_t otherwise)
{
    return asked == RITZ_PLAN_CHOOSES ? otherwise : asked;
}
/* A constant of the device that depends on nothing else. */
static inline int64_t ritz_plan_tuned(const ritz_device_info *limits, ritz_constant constant)
{
    return (int64_t)ritz_tuned(limits, constant, NULL, 0);
}
/* A constant of the device that depends on the case. */
static inline double ritz_plan_tuned_for(const ritz_case *the_case, const ritz_device_info *limits,
                                         ritz_constant constant)
{
    ritz_fact facts[RITZ_CASE_FACTS];
    ritz_case_facts(the_case, facts);
    return ritz_tuned(limits, constant, facts, RITZ_CASE_FACTS);
}
/* Work-groups in flight: as many as are asked for, or `per_unit` of a compute unit. */
static inline int64_t ritz_plan_workers(const ritz_case *the_case, const ritz_device_info *limits, int32_t asked,
                                        ritz_constant per_unit)
{
    return asked ? asked : limits->compute_units * (int64_t)ritz_plan_tuned_for(the_case, limits, per_unit);
}
/* No more of them than a share of the memory has work space for. */
int64_t ritz_plan_fit_workers(const ritz_device_info *limits, int64_t workers, int64_t scratch_bytes);
/* Elements that a work-item computes in explicit vectors, a power of two: as asked, or as the device does best. */
int32_t ritz_plan_lanes(const ritz_case *the_case, const ritz_device_info *limits, int32_t asked);
/* Puts the tuned values of parameters that are not given in their place; whether there were any (tuned.c). */
bool ritz_method_take_tuned(const ritz_method *method, const ritz_case *the_case, const ritz_device_info *limits,
                            const bool *given, int32_t *parameters);
void ritz_plan_add_figure(ritz_plan *plan, const char *name, double value);

/* Operations of kernels/element.cl: the map at one point with the inverse of its Jacobian, and the coefficients that
   vary at one point. */
double ritz_count_map(const ritz_case *the_case);
double ritz_count_point_coefficients(const ritz_case *the_case, const ritz_form_counts *counts);

#endif
