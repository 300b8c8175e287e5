/* Function spaces: creation and the coordinates of nodes. */
#include "space/number.h"
#include "space/points.h"

#include <string.h>

/* Coordinates of the nodes of `basis` in every cell, through the geometry; each node by the cell that uses it first, so
   that the result does not depend on the threads. coordinates[n_nodes][stride]. */
static ritz_status place_nodes(const ritz_space *space, const ritz_space_batch *batch, const ritz_basis *basis,
                               int stride, double *coordinates)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    const ritz_mesh_block *block = batch->block;
    int n_shape = batch->n_shape, n_geometry = block->n_nodes, dim = mesh->dim;
    int n_vertices = ritz_cell_topology(batch->cell)->n_vertices;
    ritz_basis *geometry = NULL;
    double *psi = NULL;
    RITZ_TRY(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &geometry));
    RITZ_NEW(psi, (int64_t)n_shape * (1 + dim) * n_geometry);
    RITZ_TRY(ritz_basis_tabulate(geometry, n_shape, basis->nodes, psi));
#pragma omp parallel for schedule(static) if (block->n_cells > PARALLEL_FROM)
    for (int32_t c = 0; c < batch->n_cells; c++) {
        const int32_t *corners = block->nodes + (int64_t)c * n_geometry;
        for (int i = 0; i < n_shape; i++) {
            int32_t node = batch->cell_nodes[(int64_t)c * n_shape + i];
            double *x = coordinates + (int64_t)node * stride;
            const double *weight = psi + (int64_t)i * (1 + dim) * n_geometry;
            if (!ritz_is_first_use(space, batch, c, node))
                continue;
            if (i < n_vertices) { /* exactly the mesh's own */
                memcpy(x, mesh->nodes + 3 * (int64_t)corners[i], sizeof(double) * (size_t)stride);
                continue;
            }
            for (int d = 0; d < stride; d++) {
                x[d] = 0;
                for (int k = 0; k < n_geometry; k++)
                    x[d] += weight[k] * mesh->nodes[3 * (int64_t)corners[k] + d];
            }
        }
    }
done:
    ritz_basis_destroy(&geometry);
    ritz_free(psi);
    return status;
}

static ritz_status create_space(const ritz_mesh *mesh, int order, bool serendipity, int n_components,
                                ritz_space **space)
{
    ritz_status status = RITZ_OK;
    ritz_space *s = NULL;
    RITZ_REQUIRE(mesh && space, RITZ_ERROR_INPUT, "ritz_space_create: '%s' is NULL; it must be given",
                 mesh ? "space" : "mesh");
    RITZ_REQUIRE(order >= 1 && order <= RITZ_MAX_ORDER, RITZ_ERROR_INPUT, "order %d is not available: choose 1 to %d",
                 order, RITZ_MAX_ORDER);
    RITZ_REQUIRE(n_components >= 1 && n_components <= 8, RITZ_ERROR_INPUT,
                 "%d components a node are not available: choose 1 to 8", n_components);
    RITZ_NEW(s, 1);
    s->mesh = mesh;
    s->order = order;
    s->serendipity = serendipity;
    s->n_components = n_components;
    s->dim = mesh->dim;
    RITZ_NEW(s->batches, mesh->n_blocks);
    s->n_batches = mesh->n_blocks;
    for (int b = 0; b < s->n_batches; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        RITZ_TRY(serendipity ? ritz_basis_create_serendipity(block->cell, &s->bases[block->cell])
                             : ritz_basis_create(block->cell, order, RITZ_NODES_LOBATTO, &s->bases[block->cell]));
        s->batches[b] = (ritz_space_batch){.block = block,
                                           .basis = s->bases[block->cell],
                                           .cell = block->cell,
                                           .n_shape = s->bases[block->cell]->n_shape,
                                           .n_cells = block->n_cells};
    }
    RITZ_TRY(ritz_space_number(s));
    RITZ_NEW(s->coordinates, (int64_t)s->n_nodes * s->dim);
    for (int b = 0; b < s->n_batches; b++)
        RITZ_TRY(place_nodes(s, &s->batches[b], s->batches[b].basis, s->dim, s->coordinates));
    RITZ_TRY(ritz_find_lone_points(s));
    *space = s;
    s = NULL;
done:
    ritz_space_destroy(&s);
    return status;
}

ritz_status ritz_space_create(const ritz_mesh *mesh, int order, int n_components, ritz_space **space)
{
    return create_space(mesh, order, false, n_components, space);
}

ritz_status ritz_space_create_serendipity(const ritz_mesh *mesh, int n_components, ritz_space **space)
{
    return create_space(mesh, 2, true, n_components, space);
}

ritz_status ritz_space_create_numbered(const ritz_mesh *mesh, int order, int serendipity, int n_components,
                                       const int32_t *const *nodes, ritz_space **space)
{
    ritz_status status = RITZ_OK;
    ritz_space *s = NULL;
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE(!serendipity || order == 2, RITZ_ERROR_INPUT, "serendipity cells are of order 2, not %d", order);
    RITZ_TRY(create_space(mesh, order, serendipity, n_components, &s));
    RITZ_TRY(ritz_space_renumber(s, nodes));
    *space = s;
    s = NULL;
done:
    ritz_space_destroy(&s);
    return status;
}

void ritz_space_destroy(ritz_space **space)
{
    ritz_space *s = space ? *space : NULL;
    if (s) {
        for (int b = 0; b < s->n_batches; b++) {
            ritz_free(s->batches[b].cell_nodes);
            ritz_free(s->batches[b].first_node);
        }
        for (int c = 0; c < RITZ_N_CELLS; c++)
            ritz_basis_destroy(&s->bases[c]);
        ritz_free(s->batches);
        ritz_free(s->coordinates);
        ritz_free(s->first_use);
        ritz_free(s->vertex_nodes);
        ritz_free(s->lone_nodes);
        ritz_free(s);
        *space = NULL;
    }
}

int64_t ritz_space_n_nodes(const ritz_space *space)
{
    return space ? space->n_nodes : 0;
}

int64_t ritz_space_n_dofs(const ritz_space *space)
{
    return space ? (int64_t)space->n_nodes * space->n_components : 0;
}

const double *ritz_space_coordinates(const ritz_space *space)
{
    return space ? space->coordinates : NULL;
}

int ritz_space_n_cell_nodes(const ritz_space *space, ritz_cell cell)
{
    const ritz_mesh_block *block = space ? ritz_mesh_find_block(space->mesh, cell) : NULL;
    return block ? space->batches[block - space->mesh->blocks].n_shape : 0;
}

ritz_status ritz_space_cell_nodes(const ritz_space *space, ritz_cell cell, int32_t *nodes)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL;
    int turn[RITZ_MAX_SHAPE];
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(nodes);
    const ritz_mesh_block *block = ritz_mesh_find_block(space->mesh, cell);
    RITZ_TRY(block ? ritz_mesh_places(block, &place) : RITZ_ERROR_INPUT);
    RITZ_TRY(ritz_cell_reflection(cell, space->order, turn));
    const ritz_space_batch *batch = &space->batches[block - space->mesh->blocks];
    for (int32_t c = 0; c < batch->n_cells; c++) {
        const int32_t *from = batch->cell_nodes + (int64_t)c * batch->n_shape;
        int32_t *to = nodes + (int64_t)place[c] * batch->n_shape;
        for (int i = 0; i < batch->n_shape; i++)
            to[i] = from[block->turned && block->turned[c] ? turn[i] : i];
    }
done:
    ritz_free(place);
    return status;
}

int ritz_space_n_common(const ritz_space *space, const ritz_space_batch *batch)
{
    return batch->block->geometry_order == space->order ? batch->n_shape : ritz_cell_topology(batch->cell)->n_vertices;
}

ritz_status ritz_space_node_numbers(const ritz_space *space, int64_t *numbers)
{
    ritz_status status = RITZ_OK;
    RITZ_REQUIRE_POINTER(space);
    RITZ_REQUIRE_POINTER(numbers);
    memset(numbers, -1, (size_t)space->n_nodes * sizeof *numbers);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        const ritz_mesh_block *block = batch->block;
        const int n_common = ritz_space_n_common(space, batch);
        for (int64_t c = 0; c < batch->n_cells; c++)
            for (int i = 0; i < n_common; i++)
                numbers[batch->cell_nodes[c * batch->n_shape + i]] =
                    space->mesh->node_number[block->nodes[c * block->n_nodes + i]];
    }
done:
    return status;
}

ritz_status ritz_space_family_coordinates(const ritz_space *space, ritz_node_family family, double *coordinates)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        RITZ_TRY(ritz_basis_create(batch->cell, space->order, family, &basis));
        RITZ_TRY(place_nodes(space, batch, basis, 3, coordinates));
        ritz_basis_destroy(&basis);
    }
done:
    ritz_basis_destroy(&basis);
    return status;
}
