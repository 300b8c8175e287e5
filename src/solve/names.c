/* Names of methods, storage and choices, as problem files and reports have them. */
#include "solve/solve.h"

#include <stdio.h>
#include <string.h>

ritz_status ritz_value_from_name(const char *what, const char *name, const char *const *names, int n, int *value)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) {
            *value = i;
            return RITZ_OK;
        }
    const char *near = ritz_nearest(name, names, n);
    char all[128] = "";
    for (int i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", names[i]);
    return ritz_fail(RITZ_ERROR_INPUT, "there is no %s \"%s\"; %s%s%suse one of: %s", what, name,
                     near ? "did you mean " : "", near ? near : "", near ? "? " : "", all);
}

/* The name of a value, which callers may have made up. */
static const char *name_of(unsigned value, const char *const *names, unsigned n)
{
    return value < n ? names[value] : "unknown";
}

enum { N_METHODS = RITZ_DIRECT + 1 };
static const char *const method_names[N_METHODS] = {
    [RITZ_CG] = "cg", [RITZ_BICGSTAB] = "bicgstab", [RITZ_GMRES] = "gmres", [RITZ_DIRECT] = "direct"};

const char *ritz_solve_method_name(ritz_solve_method method)
{
    return name_of(method, method_names, N_METHODS);
}

ritz_status ritz_solve_method_from_name(const char *name, ritz_solve_method *method)
{
    int value = 0;
    ritz_status status = ritz_value_from_name("solver method", name, method_names, N_METHODS, &value);
    if (!status)
        *method = (ritz_solve_method)value;
    return status;
}

const char *ritz_solve_outcome_name(ritz_solve_outcome outcome)
{
    static const char *const names[] = {[RITZ_UNSOLVED] = "not solved",
                                        [RITZ_CONVERGED] = "converged",
                                        [RITZ_LIMITED_BY_ROUNDING] = "limited by rounding",
                                        [RITZ_NOT_CONVERGED] = "not converged"};
    return name_of(outcome, names, RITZ_NOT_CONVERGED + 1);
}

enum { N_MATRICES = RITZ_MATRIX_HALF + 1 };
static const char *const matrix_names[N_MATRICES] = {
    [RITZ_MATRIX_AUTOMATIC] = "auto", [RITZ_MATRIX_WHOLE] = "whole", [RITZ_MATRIX_HALF] = "half"};

const char *ritz_matrix_choice_name(ritz_matrix_choice matrix)
{
    return name_of(matrix, matrix_names, N_MATRICES);
}

ritz_status ritz_matrix_choice_from_name(const char *name, ritz_matrix_choice *matrix)
{
    int value = 0;
    ritz_status status = ritz_value_from_name("way to store the matrix", name, matrix_names, N_MATRICES, &value);
    if (!status)
        *matrix = (ritz_matrix_choice)value;
    return status;
}

enum { N_STORAGES = RITZ_VALUES_BF16 + 1 };
static const char *const storage_names[N_STORAGES] = {[RITZ_VALUES_AS_VECTORS] = "as the vectors",
                                                      [RITZ_VALUES_F64] = "f64",
                                                      [RITZ_VALUES_F32] = "f32",
                                                      [RITZ_VALUES_F16] = "f16",
                                                      [RITZ_VALUES_BF16] = "bf16"};

const char *ritz_storage_name(ritz_value_type storage)
{
    return name_of(storage, storage_names, N_STORAGES);
}
