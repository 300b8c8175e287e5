/* Where the caller's nodes and groups stand in a space. */
#include "space/space.h"

#include <string.h>

ritz_status ritz_space_mesh_nodes(const ritz_space *space, int32_t *nodes)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL;
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(nodes);
    RITZ_TRY(ritz_mesh_node_places(space->mesh, &place));
    memset(nodes, -1, (size_t)ritz_mesh_n_nodes(space->mesh) * sizeof *nodes);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const int n_common = ritz_space_n_common(space, batch);
        for (int64_t c = 0; c < batch->n_cells; c++)
            for (int i = 0; i < n_common; i++)
                nodes[place[batch->block->nodes[c * batch->block->n_nodes + i]]] =
                    batch->cell_nodes[c * batch->n_shape + i];
    }
done:
    ritz_free(place);
    return status;
}

ritz_status ritz_space_group_dofs(const ritz_space *space, const char *group, int component, int64_t room,
                                  int64_t *dofs, int64_t *n)
{
    ritz_status status = RITZ_OK;
    int32_t number, n_nodes = 0, *nodes = NULL;
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(group);
    RITZ_REQUIRE_POINTER(n);
    const int n_c = space->n_components;
    RITZ_REQUIRE(component >= -1 && component < n_c, RITZ_ERROR_INPUT,
                 "the space has no component %d; give 0 to %d, or -1 for all", component, n_c - 1);
    RITZ_TRY(ritz_mesh_find_group(space->mesh, group, -1, &number));
    RITZ_TRY(ritz_space_group_nodes(space, number, &nodes, &n_nodes));
    const int64_t found = component < 0 ? (int64_t)n_nodes * n_c : n_nodes;
    RITZ_REQUIRE(!dofs || room >= found, RITZ_ERROR_INPUT,
                 "the group '%s' has %lld degrees of freedom, and there is room for %lld", group, (long long)found,
                 (long long)room);
    for (int64_t k = 0; dofs && k < found; k++)
        dofs[k] = component < 0 ? (int64_t)nodes[k / n_c] * n_c + k % n_c : (int64_t)nodes[k] * n_c + component;
    *n = found;
done:
    ritz_free(nodes);
    return status;
}
