/* Surface terms: tractions, pressures and fluxes on the facets of a group, integrated on the host (a surface is small
   beside its volume) through the shape functions of the cell behind each facet. */
#include "integrate/element.h"
#include "integrate/integrate.h"

#include <math.h>

/* Shape functions of one (batch, local facet) at its points, made when first met. */
typedef struct facet_tables {
    ritz_tables *tables;
    double normal[3]; /* of the facet in reference space */
} facet_tables;

static ritz_status prepare(const ritz_space *space, int batch, int facet, int degree, facet_tables *made)
{
    ritz_status status = RITZ_OK;
    ritz_facet_quadrature *rule = NULL;
    const ritz_space_batch *b = &space->batches[batch];
    if (made->tables)
        return RITZ_OK;
    RITZ_TRY(ritz_facet_quadrature_create(b->cell, facet, ritz_quadrature_degree(degree, space->order), &rule));
    RITZ_TRY(ritz_tables_create(b, rule->n_points, rule->points, rule->weights, &made->tables));
    for (int d = 0; d < 3; d++)
        made->normal[d] = rule->normal[d];
done:
    ritz_facet_quadrature_destroy(&rule);
    return status;
}

/* cofactor(F) normal: the physical normal times the area that belongs to weight 1. */
static void area_normal(int dim, const ritz_point *point, const double *normal, double *area)
{
    for (int a = 0; a < dim; a++) {
        area[a] = 0;
        for (int b = 0; b < dim; b++)
            area[a] += point->det * point->inverse[b][a] * normal[b];
    }
}

/* One facet's share of the load. */
static void add_facet(const ritz_space *space, const ritz_facet_load *facet_load, const ritz_mesh_entity *entity,
                      const facet_tables *at, double *load)
{
    const ritz_space_batch *batch = &space->batches[entity->block];
    const ritz_mesh_block *block = batch->block;
    const ritz_tables *tables = at->tables;
    const int dim = space->dim, n_c = space->n_components;
    for (int q = 0; q < tables->n_points; q++) {
        ritz_point point;
        double area[3] = {0}, value[RITZ_MAX_COMPONENTS];
        double variables[4 + RITZ_MAX_COMPONENTS * 4] = {0};
        ritz_point_map(tables, space->mesh, block->nodes + (int64_t)entity->cell * block->n_nodes, q, &point);
        area_normal(dim, &point, at->normal, area);
        const double size = sqrt(area[0] * area[0] + area[1] * area[1] + (dim == 3 ? area[2] * area[2] : 0));
        for (int d = 0; d < dim; d++)
            variables[d] = point.x[d];
        variables[3] = facet_load->time;
        const double scale =
            facet_load->scale ? ritz_datum_value(&facet_load->scale[entity->block], entity->cell, 0, 0, variables) : 1;
        const double pressure = facet_load->pressure ? ritz_expression_value(facet_load->value[0], variables) : 0;
        for (int c = 0; c < n_c; c++)
            value[c] = facet_load->pressure ? -pressure * area[c]
                                            : size * ritz_expression_value(facet_load->value[c], variables);
        const double *psi = tables->psi + (int64_t)q * (1 + dim) * tables->n_shape;
        for (int i = 0; i < tables->n_shape; i++) {
            const int64_t node = batch->cell_nodes[(int64_t)entity->cell * batch->n_shape + i];
            for (int c = 0; c < n_c; c++)
                load[node * n_c + c] += scale * tables->weights[q] * psi[i] * value[c];
        }
    }
}

ritz_status ritz_integrate_facets(const ritz_space *space, const ritz_facet_load *facet_load, double *load)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    facet_tables made[RITZ_N_CELLS][RITZ_MAX_FACETS] = {0};
    int64_t n_facets = 0;
    for (int32_t n = 0; n < mesh->n_entities; n++) {
        const ritz_mesh_entity *entity = &mesh->entities[n];
        if (entity->facet < 0 || entity->cell < 0 || !ritz_mesh_set_has(mesh, entity->set, facet_load->group))
            continue;
        facet_tables *at = &made[space->batches[entity->block].cell][entity->facet];
        RITZ_TRY(prepare(space, entity->block, entity->facet, facet_load->degree, at));
        add_facet(space, facet_load, entity, at, load);
        n_facets++;
    }
    RITZ_REQUIRE(n_facets > 0, RITZ_ERROR_INPUT,
                 "the group '%s' has no %s of the mesh's cells to put a load on; name a group of %s",
                 mesh->groups[facet_load->group].name, mesh->dim == 3 ? "faces" : "edges",
                 mesh->dim == 3 ? "surfaces" : "curves");
done:
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int f = 0; f < RITZ_MAX_FACETS; f++)
            ritz_tables_destroy(&made[c][f].tables);
    return status;
}
