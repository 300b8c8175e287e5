/* A space whose nodes have the caller's numbers. */
#include "space/number.h"

/* What the caller's numbers make of the library's: number[n_nodes], -1 where none was given yet; given[n_nodes] marks the
   caller's numbers that are taken. */
typedef struct renumbering {
    const ritz_space *space;
    int32_t *number;
    uint8_t *given;
} renumbering;

/* Node i of a cell, both as the caller counts them, is the library's `node`, and has this number. */
static ritz_status give_number(renumbering *r, ritz_cell cell, int64_t place, int i, int32_t node, int32_t number)
{
    ritz_status status = RITZ_OK;
    const int32_t n_nodes = r->space->n_nodes;
    RITZ_REQUIRE(number >= 0 && number < n_nodes, RITZ_ERROR_INPUT,
                 "%s %lld: its node %d has the number %d; the space has %d nodes, numbered from 0",
                 ritz_cell_name(cell), (long long)place, i, number, n_nodes);
    if (r->number[node] == number)
        goto done;
    RITZ_REQUIRE(r->number[node] < 0, RITZ_ERROR_INPUT,
                 "%s %lld: its node %d has the number %d, and %d in a cell that shares it", ritz_cell_name(cell),
                 (long long)place, i, number, r->number[node]);
    RITZ_REQUIRE(!r->given[number], RITZ_ERROR_INPUT, "%s %lld: its node %d has the number %d of a node elsewhere",
                 ritz_cell_name(cell), (long long)place, i, number);
    r->number[node] = number;
    r->given[number] = 1;
done:
    return status;
}

/* nodes[n_cells][n_shape] of one type, as ritz_space_cell_nodes gives them, in the caller's numbers. */
static ritz_status take_cells(renumbering *r, const ritz_space_batch *batch, const int32_t *nodes)
{
    ritz_status status = RITZ_OK;
    int32_t *place = NULL;
    int turn[RITZ_MAX_SHAPE];
    const ritz_mesh_block *block = batch->block;
    RITZ_REQUIRE(nodes, RITZ_ERROR_INPUT, "the mesh has %s cells, and no numbers of their nodes are given",
                 ritz_cell_name(batch->cell));
    RITZ_TRY(ritz_mesh_places(block, &place));
    RITZ_TRY(ritz_cell_reflection(batch->cell, r->space->order, turn));
    for (int32_t c = 0; c < batch->n_cells; c++) {
        const int32_t *own = batch->cell_nodes + (int64_t)c * batch->n_shape;
        const int32_t *numbers = nodes + (int64_t)place[c] * batch->n_shape;
        const bool is_turned = block->turned && block->turned[c];
        for (int i = 0; i < batch->n_shape; i++)
            RITZ_TRY(give_number(r, batch->cell, place[c], i, own[is_turned ? turn[i] : i], numbers[i]));
    }
done:
    ritz_free(place);
    return status;
}

/* The numbers of the mesh's nodes, where each is a node of the space and the other way round. */
static ritz_status take_mesh_nodes(renumbering *r)
{
    ritz_status status = RITZ_OK;
    int32_t *nodes = NULL;
    const int64_t n = ritz_mesh_n_nodes(r->space->mesh);
    RITZ_NEW(nodes, n);
    RITZ_TRY(ritz_space_mesh_nodes(r->space, nodes));
    for (int64_t k = 0; k < n; k++)
        RITZ_REQUIRE(nodes[k] >= 0, RITZ_ERROR_INPUT,
                     "a space of order %d has no node at node %lld of the mesh: give numbers of its own",
                     r->space->order, (long long)k);
    RITZ_REQUIRE(n == r->space->n_nodes, RITZ_ERROR_INPUT,
                 "a space of order %d has %d nodes, and the mesh %lld: give numbers of its own", r->space->order,
                 r->space->n_nodes, (long long)n);
    for (int64_t k = 0; k < n; k++)
        r->number[nodes[k]] = (int32_t)k;
done:
    ritz_free(nodes);
    return status;
}

/* All that the space has by nodes, by their new numbers. */
static ritz_status apply_numbers(ritz_space *space, const int32_t *number)
{
    ritz_status status = RITZ_OK;
    const int dim = space->dim;
    double *coordinates = NULL;
    RITZ_NEW(space->first_use, space->n_nodes);
    RITZ_NEW(coordinates, (int64_t)space->n_nodes * dim);
    for (int32_t n = 0; n < space->n_nodes; n++) {
        memcpy(coordinates + (int64_t)number[n] * dim, space->coordinates + (int64_t)n * dim,
               (size_t)dim * sizeof(double));
        space->first_use[number[n]] = n;
    }
    ritz_free(space->coordinates);
    space->coordinates = coordinates;
    for (int32_t v = 0; v < space->mesh->n_nodes; v++)
        if (space->vertex_nodes[v] >= 0)
            space->vertex_nodes[v] = number[space->vertex_nodes[v]];
    for (int g = 0; g < space->mesh->n_groups; g++)
        if (space->lone_nodes[g] >= 0)
            space->lone_nodes[g] = number[space->lone_nodes[g]];
    for (int b = 0; b < space->n_batches; b++)
        for (int64_t k = 0; k < (int64_t)space->batches[b].n_cells * space->batches[b].n_shape; k++)
            space->batches[b].cell_nodes[k] = number[space->batches[b].cell_nodes[k]];
done:
    return status;
}

ritz_status ritz_space_renumber(ritz_space *space, const int32_t *const *nodes)
{
    ritz_status status = RITZ_OK;
    renumbering r = {.space = space};
    RITZ_NEW(r.number, space->n_nodes);
    RITZ_NEW(r.given, space->n_nodes);
    memset(r.number, -1, (size_t)space->n_nodes * sizeof *r.number);
    if (!nodes)
        RITZ_TRY(take_mesh_nodes(&r));
    for (int b = 0; nodes && b < space->n_batches; b++)
        RITZ_TRY(take_cells(&r, &space->batches[b], nodes[space->batches[b].cell]));
    RITZ_TRY(apply_numbers(space, r.number));
done:
    ritz_free(r.number);
    ritz_free(r.given);
    return status;
}
