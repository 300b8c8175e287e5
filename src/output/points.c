/* The points of a result: nodes, doubled where materials meet. */
#include "output/output.h"

#include <string.h>

/* The chain of a node's points: the node itself, then those made for further materials. */
static int32_t find_point(const ritz_result_points *points, int32_t node, int32_t material)
{
    int32_t point = node;
    while (point >= 0 && points->material_of[point] != material)
        point = points->next[point];
    return point;
}

int32_t ritz_result_point(const ritz_result_points *points, int batch, int32_t cell, int32_t node)
{
    return points->material_of ? find_point(points, node, points->material[batch][cell]) : node;
}

int32_t ritz_result_node(const ritz_result_points *points, int32_t point)
{
    const int32_t n_nodes = points->space->n_nodes;
    return point < n_nodes ? point : points->node[point - n_nodes];
}

static ritz_status add_point(ritz_result_points *points, int32_t node, int32_t material, int32_t *room)
{
    ritz_status status = RITZ_OK;
    const int32_t n_nodes = points->space->n_nodes;
    RITZ_REQUIRE(points->n < INT32_MAX, RITZ_ERROR_INPUT,
                 "the result has more than 2147483647 points once nodes between materials are doubled; ask for"
                 "  output: {fields: [displacement]}  alone");
    if (points->n == *room) {
        *room = (int32_t)ritz_min64(2 * (int64_t)*room, INT32_MAX);
        RITZ_RESIZE(points->material_of, *room);
        RITZ_RESIZE(points->next, *room);
        RITZ_RESIZE(points->node, *room - n_nodes);
    }
    const int32_t fresh = points->n++;
    points->material_of[fresh] = material;
    points->node[fresh - n_nodes] = node;
    points->next[fresh] = points->next[node];
    points->next[node] = fresh;
done:
    return status;
}

ritz_result_points ritz_result_points_of(const ritz_space *space)
{
    return (ritz_result_points){.space = space, .n = space->n_nodes};
}

/* next and node grow with material_of; the first n_nodes of both arrays are the nodes' own. */
ritz_status ritz_result_points_create(const ritz_space *space, int32_t *const *material, ritz_result_points *points)
{
    ritz_status status = RITZ_OK;
    int32_t room = (int32_t)ritz_min64((int64_t)space->n_nodes + 1024, INT32_MAX);
    *points = ritz_result_points_of(space);
    points->material = material;
    RITZ_NEW(points->material_of, room);
    RITZ_NEW(points->next, room);
    RITZ_NEW(points->node, room - space->n_nodes);
    memset(points->material_of, -1, (size_t)space->n_nodes * sizeof *points->material_of);
    memset(points->next, -1, (size_t)space->n_nodes * sizeof *points->next);
    for (int b = 0; b < space->n_batches; b++) {
        const ritz_space_batch *batch = &space->batches[b];
        for (int32_t e = 0; e < batch->n_cells; e++)
            for (int i = 0; i < batch->n_shape; i++) {
                const int32_t node = batch->cell_nodes[(int64_t)e * batch->n_shape + i];
                if (points->material_of[node] < 0)
                    points->material_of[node] = material[b][e];
                else if (find_point(points, node, material[b][e]) < 0)
                    RITZ_TRY(add_point(points, node, material[b][e], &room));
            }
    }
done:
    if (status != RITZ_OK)
        ritz_result_points_free(points);
    return status;
}

void ritz_result_points_free(ritz_result_points *points)
{
    ritz_free(points->material_of);
    ritz_free(points->next);
    ritz_free(points->node);
    *points = (ritz_result_points){0};
}

void ritz_copy_to_points(const ritz_result_points *points, int n_components, double *values)
{
    for (int32_t p = points->space->n_nodes; p < points->n; p++)
        memcpy(values + (int64_t)p * n_components, values + (int64_t)ritz_result_node(points, p) * n_components,
               (size_t)n_components * sizeof *values);
}
