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

static ritz_status prepare_tables(const ritz_space *space, int batch, int facet, int degree, facet_tables *made)
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

/* What expressions on facets read at a point: x y z, t, the outward unit normal. Returns the area of weight 1. */
static double facet_variables(int dim, const ritz_point *point, const double area[3], double time, double *variables)
{
    const double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    for (int d = 0; d < dim; d++) {
        variables[d] = point->x[d];
        variables[4 + d] = area[d] / size;
    }
    variables[3] = time;
    return size;
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
        const double size = facet_variables(dim, &point, area, facet_load->time, variables);
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
        if (!ritz_mesh_is_facet_of(mesh, entity, facet_load->group))
            continue;
        facet_tables *at = &made[space->batches[entity->block].cell][entity->facet];
        RITZ_TRY(prepare_tables(space, entity->block, entity->facet, facet_load->degree, at));
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

/* ---- Terms of the matrix ---- */

/* value[q] = weight times area times the term's value at point q of a facet. */
static void weigh_points(const ritz_space *space, const ritz_facet_load *term, const ritz_mesh_entity *entity,
                         const facet_tables *at, double *value)
{
    const ritz_tables *tables = at->tables;
    const ritz_mesh_block *block = space->batches[entity->block].block;
    for (int q = 0; q < tables->n_points; q++) {
        ritz_point point;
        double area[3] = {0}, variables[4 + RITZ_MAX_COMPONENTS * 4] = {0};
        ritz_point_map(tables, space->mesh, block->nodes + (int64_t)entity->cell * block->n_nodes, q, &point);
        area_normal(space->dim, &point, at->normal, area);
        value[q] = tables->weights[q] * facet_variables(space->dim, &point, area, term->time, variables) *
                   ritz_expression_value(term->value[0], variables);
        if (term->scale)
            value[q] *= ritz_datum_value(&term->scale[entity->block], entity->cell, 0, 0, variables);
    }
}

/* Shape functions that are not zero on the whole facet; how many. */
static int list_active(const ritz_tables *tables, int *active)
{
    static const double zero = 1e-12; /* a shape function is of the order of 1 at its node */
    int n = 0;
    for (int i = 0; i < tables->n_shape; i++) {
        double most = 0;
        for (int q = 0; q < tables->n_points; q++)
            most = fmax(most, fabs(tables->psi[(int64_t)q * (1 + tables->dim) * tables->n_shape + i]));
        if (most > zero)
            active[n++] = i;
    }
    return n;
}

void ritz_facet_entries_free(ritz_facet_entries *entries)
{
    ritz_free(entries->row);
    ritz_free(entries->column);
    ritz_free(entries->value);
    *entries = (ritz_facet_entries){0};
}

static ritz_status add_entries(const ritz_space *space, const ritz_mesh_entity *entity, const ritz_tables *tables,
                               const double *value, ritz_facet_entries *e)
{
    ritz_status status = RITZ_OK;
    int active[RITZ_MAX_SHAPE];
    const int n = list_active(tables, active), stride = (1 + tables->dim) * tables->n_shape;
    const int32_t *nodes = space->batches[entity->block].cell_nodes + (int64_t)entity->cell * tables->n_shape;
    if (e->n + n * n > e->capacity) {
        const int64_t capacity = ritz_max64(2 * e->capacity, e->n + n * n);
        RITZ_RESIZE(e->row, capacity);
        RITZ_RESIZE(e->column, capacity);
        RITZ_RESIZE(e->value, capacity);
        e->capacity = capacity;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++, e->n++) {
            e->row[e->n] = nodes[active[i]];
            e->column[e->n] = nodes[active[j]];
            e->value[e->n] = 0;
            for (int q = 0; q < tables->n_points; q++)
                e->value[e->n] += value[q] * tables->psi[(int64_t)q * stride + active[i]] *
                                  tables->psi[(int64_t)q * stride + active[j]];
        }
done:
    return status;
}

/* result -= facet matrix times u. */
static void subtract_action(const ritz_space *space, const ritz_mesh_entity *entity, const ritz_tables *tables,
                            const double *value, unsigned axes, const double *u, double *result)
{
    const int n_c = space->n_components, stride = (1 + tables->dim) * tables->n_shape;
    const int32_t *nodes = space->batches[entity->block].cell_nodes + (int64_t)entity->cell * tables->n_shape;
    for (int q = 0; q < tables->n_points; q++)
        for (int c = 0; c < n_c; c++) {
            const double *psi = tables->psi + (int64_t)q * stride;
            double sum = 0;
            if (axes && !(axes >> c & 1))
                continue;
            for (int j = 0; j < tables->n_shape; j++)
                sum += psi[j] * u[(int64_t)nodes[j] * n_c + c];
            for (int i = 0; i < tables->n_shape; i++)
                result[(int64_t)nodes[i] * n_c + c] -= value[q] * psi[i] * sum;
        }
}

/* Facets of the term from entity *next on: their entries, until there are `most`, or, where u is given, their action. */
static ritz_status walk_facets(const ritz_space *space, const ritz_facet_load *term, int64_t most, int32_t *next,
                               ritz_facet_entries *entries, const double *u, double *result)
{
    ritz_status status = RITZ_OK;
    const ritz_mesh *mesh = space->mesh;
    facet_tables made[RITZ_N_CELLS][RITZ_MAX_FACETS] = {0};
    double value[RITZ_MAX_QUAD];
    for (; *next < mesh->n_entities && (u || entries->n < most); ++*next) {
        const ritz_mesh_entity *entity = &mesh->entities[*next];
        if (!ritz_mesh_is_facet_of(mesh, entity, term->group))
            continue;
        facet_tables *at = &made[space->batches[entity->block].cell][entity->facet];
        RITZ_TRY(prepare_tables(space, entity->block, entity->facet, term->degree, at));
        weigh_points(space, term, entity, at, value);
        if (u)
            subtract_action(space, entity, at->tables, value, term->axes, u, result);
        else
            RITZ_TRY(add_entries(space, entity, at->tables, value, entries));
    }
done:
    for (int c = 0; c < RITZ_N_CELLS; c++)
        for (int f = 0; f < RITZ_MAX_FACETS; f++)
            ritz_tables_destroy(&made[c][f].tables);
    return status;
}

ritz_status ritz_integrate_facet_entries(const ritz_space *space, const ritz_facet_load *facet_load, int64_t most,
                                         int32_t *next, ritz_facet_entries *entries)
{
    entries->n = 0;
    return walk_facets(space, facet_load, most, next, entries, NULL, NULL);
}

ritz_status ritz_subtract_facet_action(const ritz_space *space, const ritz_facet_load *facet_load, const double *u,
                                       double *result)
{
    int32_t next = 0;
    return walk_facets(space, facet_load, 0, &next, NULL, u, result);
}
