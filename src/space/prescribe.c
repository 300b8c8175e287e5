/* Prescribed values: which degrees of freedom, and how much. */
#include "space/space.h"

#include <math.h>

ritz_status ritz_constraints_create(const ritz_space *space, ritz_constraints **constraints)
{
    ritz_status status = RITZ_OK;
    ritz_constraints *c = NULL;
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(constraints);
    RITZ_NEW(c, 1);
    c->space = space;
    c->n_components = space->n_components;
    c->n_nodes = space->n_nodes;
    RITZ_NEW(c->fixed, c->n_nodes);
    RITZ_NEW(c->value, (int64_t)c->n_nodes * c->n_components);
    *constraints = c;
    c = NULL;
done:
    ritz_constraints_destroy(&c);
    return status;
}

void ritz_constraints_destroy(ritz_constraints **constraints)
{
    ritz_constraints *c = constraints ? *constraints : NULL;
    if (!c)
        return;
    ritz_free(c->fixed);
    ritz_equations_free(&c->equations);
    ritz_free(c->value);
    ritz_free(c);
    *constraints = NULL;
}

void ritz_constraints_set(ritz_constraints *constraints, int32_t node, int component, double value)
{
    uint8_t bit = (uint8_t)(1u << component);
    constraints->n_fixed += !(constraints->fixed[node] & bit);
    constraints->fixed[node] |= bit;
    constraints->value[(int64_t)node * constraints->n_components + component] = value;
}

/* ---- For callers ---- */

ritz_status ritz_constraints_set_dofs(ritz_constraints *constraints, int64_t n, const int64_t *dofs,
                                      const double *values)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(constraints);
    RITZ_REQUIRE(n >= 0, RITZ_ERROR_INPUT, "%lld degrees of freedom cannot be prescribed; give 0 or more",
                 (long long)n);
    const int n_c = constraints->n_components;
    const int64_t n_dofs = (int64_t)constraints->n_nodes * n_c;
    if (n > 0)
        RITZ_REQUIRE_POINTER(dofs);
    for (int64_t k = 0; k < n; k++) {
        RITZ_REQUIRE(dofs[k] >= 0 && dofs[k] < n_dofs, RITZ_ERROR_INPUT,
                     "entry %lld prescribes degree of freedom %lld; there are 0 to %lld", (long long)k,
                     (long long)dofs[k], (long long)n_dofs - 1);
        RITZ_REQUIRE(!values || isfinite(values[k]), RITZ_ERROR_INPUT,
                     "entry %lld prescribes a value that is not finite, at degree of freedom %lld", (long long)k,
                     (long long)dofs[k]);
    }
    for (int64_t k = 0; k < n; k++)
        ritz_constraints_set(constraints, (int32_t)(dofs[k] / n_c), (int)(dofs[k] % n_c), values ? values[k] : 0);
done:
    return status;
}

ritz_status ritz_constraints_set_group(ritz_constraints *constraints, const char *group, int component, double value)
{
    ritz_status status = RITZ_OK;
    int32_t number, *nodes = NULL, n_nodes = 0;
    RITZ_REQUIRE_POINTER(constraints);
    RITZ_REQUIRE_POINTER(group);
    const int n_c = constraints->n_components;
    RITZ_REQUIRE(component >= -1 && component < n_c, RITZ_ERROR_INPUT,
                 "there is no component %d to prescribe on the group '%s'; give 0 to %d, or -1 for all", component,
                 group, n_c - 1);
    RITZ_REQUIRE(isfinite(value), RITZ_ERROR_INPUT, "the value prescribed on the group '%s' is not finite", group);
    RITZ_TRY(ritz_mesh_find_group(constraints->space->mesh, group, -1, &number));
    RITZ_TRY(ritz_space_group_nodes(constraints->space, number, &nodes, &n_nodes));
    RITZ_REQUIRE(n_nodes > 0, RITZ_ERROR_INPUT, "no node of the space lies on the group '%s'", group);
    for (int32_t k = 0; k < n_nodes; k++)
        for (int c = 0; c < n_c; c++)
            if (component < 0 || c == component)
                ritz_constraints_set(constraints, nodes[k], c, value);
done:
    ritz_free(nodes);
    return status;
}

ritz_status ritz_constraints_set_values(ritz_constraints *constraints, const double *values)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(constraints);
    const int n_c = constraints->n_components;
    const int64_t n_dofs = (int64_t)constraints->n_nodes * n_c;
    for (int64_t i = 0; values && i < n_dofs; i++)
        RITZ_REQUIRE(!ritz_is_marked(constraints->fixed, n_c, i) || isfinite(values[i]), RITZ_ERROR_INPUT,
                     "the value prescribed at degree of freedom %lld is not finite", (long long)i);
    for (int64_t i = 0; i < n_dofs; i++)
        if (ritz_is_marked(constraints->fixed, n_c, i))
            constraints->value[i] = values ? values[i] : 0;
done:
    return status;
}

int64_t ritz_constraints_n_dofs(const ritz_constraints *constraints)
{
    return constraints ? constraints->n_fixed : 0;
}

ritz_status ritz_constraints_get(const ritz_constraints *constraints, int64_t *dofs, double *values)
{
    ritz_status status = RITZ_OK;
    int64_t k = 0;
    RITZ_REQUIRE_POINTER(constraints);
    const int n_c = constraints->n_components;
    for (int64_t i = 0; i < (int64_t)constraints->n_nodes * n_c; i++) {
        if (!ritz_is_marked(constraints->fixed, n_c, i))
            continue;
        if (dofs)
            dofs[k] = i;
        if (values)
            values[k] = constraints->value[i];
        k++;
    }
done:
    return status;
}
