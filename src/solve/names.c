/* Names of methods, storage and choices, as problem files and reports have them. */
#include "solve/solve.h"

#define TABLE(called, list)                                                                                            \
    {                                                                                                                  \
        .what = (called), .names = (list), .n = sizeof(list) / sizeof *(list)                                          \
    }

static const char *const methods[] = {
    [RITZ_CG] = "cg", [RITZ_BICGSTAB] = "bicgstab", [RITZ_GMRES] = "gmres", [RITZ_DIRECT] = "direct"};
static const char *const matrices[] = {
    [RITZ_MATRIX_AUTOMATIC] = "auto", [RITZ_MATRIX_WHOLE] = "whole", [RITZ_MATRIX_HALF] = "half"};
static const char *const storages[] = {[RITZ_VALUES_AS_VECTORS] = "as the vectors",
                                       [RITZ_VALUES_F64] = "f64",
                                       [RITZ_VALUES_F32] = "f32",
                                       [RITZ_VALUES_F16] = "f16",
                                       [RITZ_VALUES_BF16] = "bf16"};
static const char *const vectors[] = {
    [RITZ_VECTORS_AUTOMATIC] = "automatic", [RITZ_VECTORS_DOUBLE] = "double", [RITZ_VECTORS_SINGLE] = "single"};
static const char *const outcomes[] = {[RITZ_UNSOLVED] = "not solved",
                                       [RITZ_CONVERGED] = "converged",
                                       [RITZ_LIMITED_BY_ROUNDING] = "limited by rounding",
                                       [RITZ_NOT_CONVERGED] = "not converged"};
static const ritz_name_table outcome_names = TABLE("outcome", outcomes);

const ritz_name_table ritz_solve_method_names = TABLE("solver method", methods);
const ritz_name_table ritz_matrix_choice_names = TABLE("matrix storage", matrices);
const ritz_name_table ritz_value_type_names = TABLE("storage of values", storages);
const ritz_name_table ritz_vectors_choice_names = TABLE("precision of vectors", vectors);

const ritz_solve_precision ritz_solve_precisions[RITZ_SOLVE_N_PRECISIONS] = {
    {"double", RITZ_F64, RITZ_VALUES_AS_VECTORS, RITZ_VECTORS_AUTOMATIC},
    {"single", RITZ_F32, RITZ_VALUES_AS_VECTORS, RITZ_VECTORS_AUTOMATIC},
    {"mixed", RITZ_F64, RITZ_VALUES_F32, RITZ_VECTORS_AUTOMATIC},
    {"mixed-f16", RITZ_F64, RITZ_VALUES_F16, RITZ_VECTORS_AUTOMATIC},
    {"mixed-bf16", RITZ_F64, RITZ_VALUES_BF16, RITZ_VECTORS_AUTOMATIC},
    {"mixed-double", RITZ_F64, RITZ_VALUES_F32, RITZ_VECTORS_DOUBLE},
    {"mixed-double-f16", RITZ_F64, RITZ_VALUES_F16, RITZ_VECTORS_DOUBLE},
    {"mixed-double-bf16", RITZ_F64, RITZ_VALUES_BF16, RITZ_VECTORS_DOUBLE},
    {"mixed-single", RITZ_F64, RITZ_VALUES_F32, RITZ_VECTORS_SINGLE},
    {"mixed-single-f16", RITZ_F64, RITZ_VALUES_F16, RITZ_VECTORS_SINGLE},
    {"mixed-single-bf16", RITZ_F64, RITZ_VALUES_BF16, RITZ_VECTORS_SINGLE},
    {"single-f16", RITZ_F32, RITZ_VALUES_F16, RITZ_VECTORS_AUTOMATIC},
};

ritz_status ritz_solve_precision_from_name(const char *name, int n, const ritz_solve_precision **precision)
{
    const char *all[RITZ_SOLVE_N_PRECISIONS];
    const ritz_name_table table = {.what = "precision", .names = all, .n = n};
    int value = 0;
    for (int p = 0; p < RITZ_SOLVE_N_PRECISIONS; p++)
        all[p] = ritz_solve_precisions[p].name;
    const ritz_status status = ritz_find_name(&table, name, &value);
    if (status == RITZ_OK)
        *precision = &ritz_solve_precisions[value];
    return status;
}

const char *ritz_solve_method_name(ritz_solve_method method)
{
    return ritz_name_at(&ritz_solve_method_names, (int)method);
}

const char *ritz_solve_outcome_name(ritz_solve_outcome outcome)
{
    return ritz_name_at(&outcome_names, (int)outcome);
}

const char *ritz_matrix_choice_name(ritz_matrix_choice matrix)
{
    return ritz_name_at(&ritz_matrix_choice_names, (int)matrix);
}

const char *ritz_storage_name(ritz_value_type storage)
{
    return ritz_name_at(&ritz_value_type_names, (int)storage);
}
