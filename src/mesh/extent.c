/* How large groups are: the volume of cells, the area of faces, in the plane the area of cells and the length of edges. */
#include "base/point.h"
#include "mesh/mesh.h"

#include <string.h>

enum { DEGREE = 4 };

/* Derivatives of the geometry's functions at the points of a rule. */
typedef struct extent_rule {
    int dim, n_points, n_nodes;
    double *psi, *weights; /* [n_points][1 + dim][n_nodes] */
    double normal[3];      /* of a facet; 0: of cells */
} extent_rule;

static ritz_status tabulate(const ritz_mesh_block *block, int n_points, const double *points, const double *weights,
                            extent_rule *rule)
{
    ritz_status status = RITZ_OK;
    ritz_basis *basis = NULL;
    RITZ_TRY(ritz_basis_create(block->cell, block->geometry_order, RITZ_NODES_LOBATTO, &basis));
    rule->dim = basis->dim;
    rule->n_points = n_points;
    rule->n_nodes = basis->n_shape;
    RITZ_NEW(rule->psi, (int64_t)n_points * (1 + basis->dim) * basis->n_shape);
    RITZ_NEW(rule->weights, n_points);
    memcpy(rule->weights, weights, (size_t)n_points * sizeof *weights);
    RITZ_TRY(ritz_basis_tabulate(basis, n_points, points, rule->psi));
done:
    ritz_basis_destroy(&basis);
    return status;
}

static ritz_status make_cell_rule(const ritz_mesh_block *block, extent_rule *rule)
{
    ritz_status status = RITZ_OK;
    ritz_quadrature *of = NULL;
    RITZ_TRY(ritz_quadrature_create(block->cell, DEGREE, &of));
    RITZ_TRY(tabulate(block, of->n_points, of->points, of->weights, rule));
done:
    ritz_quadrature_destroy(&of);
    return status;
}

static ritz_status make_facet_rule(const ritz_mesh_block *block, int facet, extent_rule *rule)
{
    ritz_status status = RITZ_OK;
    ritz_facet_quadrature *of = NULL;
    RITZ_TRY(ritz_facet_quadrature_create(block->cell, facet, DEGREE, &of));
    RITZ_TRY(tabulate(block, of->n_points, of->points, of->weights, rule));
    memcpy(rule->normal, of->normal, sizeof rule->normal);
done:
    ritz_facet_quadrature_destroy(&of);
    return status;
}

/* Of a cell, or of its facet that the rule is for: |cofactor(F) normal|, the area that belongs to weight 1. */
static double find_extent(const ritz_mesh *mesh, const ritz_mesh_block *block, int32_t cell, const extent_rule *rule)
{
    const int32_t *nodes = block->nodes + (int64_t)cell * block->n_nodes;
    const bool is_facet = ritz_length(rule->normal) > 0;
    double extent = 0;
    for (int q = 0; q < rule->n_points; q++) {
        double J[3][3] = {{0}}, inverse[3][3], area[3] = {0};
        for (int b = 0; b < rule->dim; b++) {
            const double *psi = rule->psi + ((int64_t)q * (1 + rule->dim) + 1 + b) * rule->n_nodes;
            for (int a = 0; a < rule->dim; a++)
                for (int i = 0; i < rule->n_nodes; i++)
                    J[a][b] += psi[i] * mesh->nodes[(int64_t)nodes[i] * 3 + a];
        }
        const double det = ritz_invert_jacobian(rule->dim, J, inverse);
        for (int a = 0; a < rule->dim; a++)
            for (int b = 0; b < rule->dim; b++)
                area[a] += det * inverse[b][a] * rule->normal[b];
        extent += rule->weights[q] * (is_facet ? ritz_length(area) : det);
    }
    return extent;
}

static void free_rule(extent_rule *rule)
{
    ritz_free(rule->psi);
    ritz_free(rule->weights);
    *rule = (extent_rule){0};
}

static ritz_status add_cells(const ritz_mesh *mesh, int32_t group, double *extent)
{
    ritz_status status = RITZ_OK;
    extent_rule rule = {0};
    for (int b = 0; b < mesh->n_blocks; b++) {
        const ritz_mesh_block *block = &mesh->blocks[b];
        RITZ_TRY(make_cell_rule(block, &rule));
        for (int32_t c = 0; c < block->n_cells; c++)
            if (ritz_mesh_set_has(mesh, block->set[c], group))
                *extent += find_extent(mesh, block, c, &rule);
        free_rule(&rule);
    }
done:
    free_rule(&rule);
    return status;
}

static ritz_status add_facets(const ritz_mesh *mesh, int32_t group, double *extent)
{
    ritz_status status = RITZ_OK;
    extent_rule rule[RITZ_N_CELLS][RITZ_MAX_FACETS] = {0};
    for (int32_t n = 0; n < mesh->n_entities; n++) {
        const ritz_mesh_entity *entity = &mesh->entities[n];
        if (!ritz_mesh_is_facet_of(mesh, entity, group))
            continue;
        const ritz_mesh_block *block = &mesh->blocks[entity->block];
        extent_rule *at = &rule[block->cell][entity->facet];
        if (!at->psi)
            RITZ_TRY(make_facet_rule(block, entity->facet, at));
        *extent += find_extent(mesh, block, entity->cell, at);
    }
done:
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int f = 0; f < RITZ_MAX_FACETS; f++)
            free_rule(&rule[c][f]);
    return status;
}

ritz_status ritz_mesh_group_extent(const ritz_mesh *mesh, int32_t group, ritz_group_kind kind, double *extent)
{
    *extent = 0;
    return kind == RITZ_GROUP_CELLS    ? add_cells(mesh, group, extent)
           : kind == RITZ_GROUP_FACETS ? add_facets(mesh, group, extent)
                                       : RITZ_OK;
}
