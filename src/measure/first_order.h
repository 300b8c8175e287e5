/* The counts of Banaś et al. (2016) (Tables 2 to 6), derived for any case, device and order of the loops, with the
   published ones beside them. Depends on the integrate room. */
#ifndef RITZ_SRC_FIRST_ORDER_H
#define RITZ_SRC_FIRST_ORDER_H

#include "measure/measure.h"

typedef enum ritz_loop_order { RITZ_QSS, RITZ_SQS, RITZ_SSQ, RITZ_N_LOOP_ORDERS } ritz_loop_order;
/* Of a method by its name; RITZ_N_LOOP_ORDERS for all others. */
ritz_loop_order ritz_loop_order_of(const char *method);

/* Table 3: numbers that arrays of an element take. */
typedef struct ritz_array_counts {
    double reference;                                     /* points and weights of the rule */
    double geometry, coefficients;                        /* input */
    double matrix, load;                                  /* output */
    double point_coefficients, point_shapes, point_total; /* QSS, for one point; total with matrix and load */
    double all_coefficients, all_shapes, all_total;       /* QSS, for all points */
    double entry_coefficients, entry_shapes, entry_total; /* SSQ, for all points; total with an entry of both */
} ritz_array_counts;

/* Table 4. Operations by the algorithm as it is written, phase by phase: whole matrices, tables that are read. What the
   kernels really do is in ritz_work. */
typedef struct ritz_algorithm_counts {
    double global_accesses;
    double local_geometry, local_coefficients, local_shapes, local_sums; /* where these are in local memory, QSS */
    double map, jacobian, derivatives, sums; /* operations of the phases, all repetitions included */
    double operations, intensity;
} ritz_algorithm_counts;

/* varying: numbers of the coefficients that differ from point to point; constant: those that do not, and are no constants of the whole mesh. Both are sent. */
typedef struct ritz_first_order_case {
    ritz_case the_case;
    double constant, varying;
    ritz_form_counts form; /* operators in the form's functions */
} ritz_first_order_case;
/* source: any text with the form's functions. */
ritz_first_order_case ritz_first_order_case_of(const ritz_case *the_case, const ritz_form *form, const ritz_datum *data,
                                               const char *source);

ritz_array_counts ritz_count_arrays(const ritz_first_order_case *c);
ritz_algorithm_counts ritz_count_algorithm(const ritz_first_order_case *c, ritz_loop_order order);
/* Tables 3 and 4 as published; false where Banaś et al. (2016) have no such case: order 1 on tets and prisms, Poisson with a load that
   varies, and all constant coefficients of convection-diffusion. */
bool ritz_published_counts(const ritz_first_order_case *c, const char *form, ritz_loop_order order,
                           ritz_array_counts *arrays, ritz_algorithm_counts *algorithm);

/* Table 2: numbers of this precision that a work-item has of each memory, with as many work-items a lane as hide latency
   (unit.* in src/device/tuning.txt); NAN: not known. */
typedef struct ritz_item_resources {
    double lanes, items; /* of a compute unit, in this precision; and work-items for each of them */
    double registers, local_memory, cache;
} ritz_item_resources;
ritz_item_resources ritz_count_resources(const ritz_device_info *limits, ritz_precision precision);

/* Table 6: seconds for so many numbers moved and operations, whichever takes longer; *memory_bound tells which. */
double ritz_estimate_seconds(double accesses, double operations, ritz_precision precision, double bandwidth_gb_s,
                             double gflop_s, bool *memory_bound);

#endif
